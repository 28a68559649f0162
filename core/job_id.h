// The public name of a request: a UUID of version 4. Randomness comes in from outside.
#pragma once

#include "core/bytes.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
class JobId
{
  public:
    using Raw = std::array<std::uint8_t, 16>;

    JobId() = default;

    // Sets the version and variant bits, so that any 16 random bytes become a valid version 4 id.
    [[nodiscard]] static JobId fromRandom(Raw random);

    // As it stands in the database: taken as it is.
    [[nodiscard]] static JobId fromRaw(const Raw &raw);

    // The forms the reference's parser takes, in any case: hyphenated, 32 digits, {braced},
    // urn:uuid:.
    [[nodiscard]] static std::optional<JobId> parse(std::string_view text);

    // Hyphenated, lower case.
    [[nodiscard]] std::string text() const;

    [[nodiscard]] const Raw &raw() const { return raw_; }

    auto operator<=>(const JobId &) const = default;

  private:
    Raw raw_{};
};
}  // namespace relayer::core
