// Somebody with a key, who signs user decryptions as wallets do.
#pragma once

#include "chain/signer.h"
#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/decrypt.h"

#include <cstdint>
#include <memory>

namespace relayer::test
{
class Wallet
{
  public:
    // The same number, the same key.
    explicit Wallet(std::uint8_t number);
    explicit Wallet(const core::Hash32 &key);

    [[nodiscard]] core::Address address() const { return signer_->address(); }
    // r, s, v.
    [[nodiscard]] core::Bytes sign(const core::Hash32 &digest) const;
    // With this wallet's signature, for the Decryption contract at that address.
    [[nodiscard]] core::UserDecrypt signedFor(core::UserDecrypt request,
                                              const core::Address &decryption) const;

  private:
    std::shared_ptr<chain::Signer> signer_;
};
}  // namespace relayer::test
