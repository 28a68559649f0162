// Somebody who wants to be a validator, and signs it as a wallet does (ADR-036).
#pragma once

#include "core/bytes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace relayer::test
{
class JoiningValidator
{
  public:
    explicit JoiningValidator(std::uint8_t number);

    struct Changes
    {
        // NOLINTBEGIN(readability-redundant-member-init): GCC asks for them
        std::optional<std::string> address = {};
        std::optional<std::string> url = {};
        std::optional<std::string> moniker = {};
        std::optional<std::string> signature = {};  // instead of the right one
        std::optional<std::string> key = {};
        // NOLINTEND(readability-redundant-member-init)
    };
    // Signed with the changes in it, but for those of signature and key.
    [[nodiscard]] std::string body(std::int64_t timestamp, const Changes &changes) const;
    [[nodiscard]] std::string body(std::int64_t timestamp) const { return body(timestamp, {}); }
    [[nodiscard]] std::string address(const std::string &prefix = "sv") const;

  private:
    std::array<std::uint8_t, 32> secret_{};
    core::Bytes key_;
};
}  // namespace relayer::test
