#include "plugins/signature_checker.h"

#include "chain/request_signatures.h"
#include "core/handle.h"
#include "models/running_loop.h"
#include "plugins/resumed_on.h"

#include <algorithm>
#include <limits>
#include <variant>

namespace relayer::plugins
{
using core::UnifiedUserDecrypt;
using drogon::Task;

namespace
{
constexpr std::uint64_t kDay = 86'400;

std::uint64_t endOf(std::uint64_t start, std::uint64_t seconds)
{
    constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    return start > kNever - seconds ? kNever : start + seconds;
}

std::uint64_t endOf(const core::DirectUserDecrypt &request)
{
    return endOf(request.startTimestamp, request.durationDays * kDay);
}

std::uint64_t endOf(const core::DelegatedUserDecrypt &request)
{
    return endOf(request.startTimestamp, request.durationDays * kDay);
}

std::uint64_t endOf(const UnifiedUserDecrypt &request)
{
    return endOf(request.startTimestamp, request.durationSeconds);
}

bool isOfOneChain(const UnifiedUserDecrypt &request)
{
    return std::all_of(request.handles.begin(), request.handles.end(),
                       [&request](const core::HandleOfOwner &each) {
                           return core::hostChainOf(each.handle) ==
                                  core::hostChainOf(request.handles.front().handle);
                       });
}

SignatureChecker::Verdict verdictOf(ContractSigner::Verdict verdict)
{
    switch (verdict)
    {
        case ContractSigner::Verdict::Signed: return SignatureChecker::Verdict::Proven;
        case ContractSigner::Verdict::NotSigned: return SignatureChecker::Verdict::Refused;
        case ContractSigner::Verdict::Busy: return SignatureChecker::Verdict::Busy;
        case ContractSigner::Verdict::Unknown: break;
    }
    return SignatureChecker::Verdict::Unknown;
}
}  // namespace

core::Signer signerOf(const core::UserDecrypt &request, const core::Address &decryption,
                      std::uint64_t now)
{
    const bool over = std::visit([now](const auto &sort) { return endOf(sort) < now; }, request);
    return !over && chain::isSignedByAsker(request, decryption) ? core::Signer::Proven
                                                                : core::Signer::Unproven;
}

Task<SignatureChecker::Verdict> SignatureChecker::check(core::UserDecrypt request,
                                                        std::uint64_t now, std::string traceparent)
{
    const bool proven = signerOf(request, decryption_, now) == core::Signer::Proven;
    auto *const unified = std::get_if<UnifiedUserDecrypt>(&request);
    if (unified == nullptr)
    {
        co_return proven ? Verdict::Proven : Verdict::Unproven;
    }
    // The signature is for one chain.
    if (!isOfOneChain(*unified))
    {
        co_return counted(Verdict::Refused);
    }
    if (proven)
    {
        co_return counted(Verdict::Proven);
    }
    co_return counted(co_await askTheAccount(std::move(*unified), std::move(traceparent)));
}

Task<SignatureChecker::Verdict> SignatureChecker::askTheAccount(UnifiedUserDecrypt request,
                                                                std::string traceparent)
{
    const auto inside = gate_.enter();
    const auto host = nodeOf_(core::hostChainOf(request.handles.front().handle));
    if (!host)
    {
        co_return Verdict::Unknown;
    }
    const core::Hash32 digest = chain::signedDigest(request, decryption_);
    auto question = contracts_.ask(host->loop, host->node, request.user, digest,
                                   std::move(request.signature), std::move(traceparent));
    auto *const mine = models::runningLoopOfThisThread();
    if (mine == nullptr)
    {
        co_return verdictOf(co_await question);
    }
    co_return verdictOf(co_await resumedOn(mine, std::move(question)));
}

SignatureChecker::Verdict SignatureChecker::counted(Verdict verdict)
{
    switch (verdict)
    {
        case Verdict::Proven: ++accepted_; break;
        case Verdict::Refused: ++rejected_; break;
        case Verdict::Unknown: ++hostCallFailed_; break;
        case Verdict::Busy: ++turnedAway_; break;
        case Verdict::Unproven: break;
    }
    return verdict;
}

SignatureChecker::Counts SignatureChecker::counts() const
{
    Counts counts;
    counts.accepted = accepted_;
    counts.rejected = rejected_;
    counts.hostCallFailed = hostCallFailed_;
    counts.turnedAway = turnedAway_;
    return counts;
}

bool SignatureChecker::close(std::chrono::milliseconds atMost)
{
    contracts_.stop();
    gate_.close();
    return gate_.waitUntilEmpty(atMost);
}
}  // namespace relayer::plugins
