// A key management service with one key, over plain HTTP: what the signer in chain/rpc/ talks to.
#pragma once

#include "chain/ecdsa.h"
#include "chain/signer.h"
#include "support/fake_node.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relayer::test
{
class FakeKms
{
  public:
    FakeKms();
    FakeKms(const FakeKms &) = delete;
    FakeKms &operator=(const FakeKms &) = delete;

    [[nodiscard]] std::string url() const { return service_.url(); }
    [[nodiscard]] core::Address address() const { return key_->address(); }
    // What the key itself makes of a digest.
    [[nodiscard]] chain::Signature signatureOf(const core::Hash32 &digest) const;
    // As the service answers: DER, in base64.
    [[nodiscard]] std::string derSignatureOf(const core::Hash32 &digest) const;

    void giveHighS(bool high) { highS_ = high; }
    // The next so many calls are answered like this.
    void fail(int status, const std::string &body, std::size_t times = 1);
    void breakConnection() { service_.misbehave({.closeInsteadOfAnswering = true}); }
    // Since it was last asked.
    [[nodiscard]] std::size_t calls();
    [[nodiscard]] FakeRequest lastRequest();

  private:
    [[nodiscard]] FakeResponse answer(const FakeRequest &request);
    [[nodiscard]] std::string publicKey() const;

    std::shared_ptr<chain::Signer> key_;
    std::atomic<bool> highS_{false};
    std::mutex mutex_;
    std::vector<FakeResponse> failures_;
    FakeRequest last_;
    std::size_t calls_ = 0;
    FakeNode service_;  // last: its threads use all of the above
};
}  // namespace relayer::test
