// Whose a user decryption is, by its signature.
//
// Callable from any thread. Holds nothing but requests that wait for a chain's answer.
#pragma once

#include "core/address.h"
#include "core/decrypt.h"
#include "models/gate.h"
#include "plugins/contract_signer.h"

#include <drogon/utils/coroutine.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace relayer::plugins
{
// What a signature proves without asking a chain. One whose time is over proves nothing: with the
// signature of an old request of theirs one could else occupy the place of somebody's new one. Nor
// does one of the older sorts, which the contract on the gateway judges, that it would not take as
// it stands. `now` is in seconds since 1970.
[[nodiscard]] core::Signer signerOf(const core::UserDecrypt &request,
                                    const core::Address &decryption, std::uint64_t now);

class SignatureChecker
{
  public:
    enum class Verdict : std::uint8_t
    {
        Proven,
        Unproven,  // of the older sorts only: the contract will judge
        Refused,   // of the unified sort: not signed by its user
        Unknown,   // nor is it known whether: the host chain has not said
        Busy,      // too many such questions are on their way
    };
    struct ChainNode
    {
        trantor::EventLoop *loop = nullptr;
        std::shared_ptr<chain::rpc::Node> node;
    };
    using NodeOf = std::function<std::optional<ChainNode>(std::uint64_t chainId)>;
    // Of the unified sort.
    struct Counts
    {
        std::uint64_t accepted = 0;
        std::uint64_t rejected = 0;
        std::uint64_t hostCallFailed = 0;
        std::uint64_t turnedAway = 0;
    };

    SignatureChecker(const core::Address &decryption, NodeOf nodeOf,
                     ContractSigner::Options options)
        : decryption_(decryption), nodeOf_(std::move(nodeOf)), contracts_(std::move(options))
    {}

    // A caller that runs on an event loop is resumed on it. Makes a call to a chain only where the
    // signature of a unified request is not that of a plain account.
    // `traceparent`: of the exchange that asks, for the header of that call.
    drogon::Task<Verdict> check(core::UserDecrypt request, std::uint64_t now,
                                std::string traceparent = {});
    [[nodiscard]] Counts counts() const;

    // Nothing is asked any more. False: something was still on its way at the deadline.
    [[nodiscard]] bool close(std::chrono::milliseconds atMost);

  private:
    drogon::Task<Verdict> askTheAccount(core::UnifiedUserDecrypt request, std::string traceparent);
    Verdict counted(Verdict verdict);

    const core::Address decryption_;
    const NodeOf nodeOf_;
    ContractSigner contracts_;
    models::Gate gate_;
    std::atomic<std::uint64_t> accepted_{0};
    std::atomic<std::uint64_t> rejected_{0};
    std::atomic<std::uint64_t> hostCallFailed_{0};
    std::atomic<std::uint64_t> turnedAway_{0};
};
}  // namespace relayer::plugins
