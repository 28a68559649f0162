// Who signs: a key in memory, or a service that holds one. A digest goes in, a signature comes out.
#pragma once

#include "core/address.h"
#include "core/content_hash.h"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace relayer::chain
{
struct Signature
{
    core::Hash32 r{};
    core::Hash32 s{};  // in the lower half of the order (EIP-2)
    std::uint8_t recoveryId = 0;

    bool operator==(const Signature &) const = default;
};

class Signer
{
  public:
    struct Failed
    {
        std::string why;  // for the log; holds no secret
    };
    using Signed = std::variant<Signature, Failed>;
    using Done = std::function<void(Signed)>;

    virtual ~Signer() = default;
    [[nodiscard]] virtual core::Address address() const = 0;
    // `done` is called exactly once, on whatever thread: before this returns (a key in memory), or
    // later. It may be called from several threads at a time.
    virtual void sign(const core::Hash32 &digest, Done done) const = 0;
};
}  // namespace relayer::chain
