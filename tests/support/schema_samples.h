// Values made from JSON schemas: right ones, and ones that are wrong somewhere. The same seed, the
// same values.
#pragma once

#include "support/json_schema.h"

#include <cstdint>
#include <random>
#include <string>

namespace relayer::test
{
class SchemaSampler
{
  public:
    SchemaSampler(const JsonSchemas &schemas, std::uint32_t seed) : schemas_(schemas), random_(seed)
    {}

    [[nodiscard]] Json::Value valid(const Json::Value &written);
    // The value with one thing in it changed: a type, a length, a member more or less.
    [[nodiscard]] Json::Value spoiled(Json::Value value);
    // Of the texts that the pattern takes; lists without an upper limit stay short.
    [[nodiscard]] std::string matching(const std::string &pattern);
    // Anything, also what is no UTF-8 or no word.
    [[nodiscard]] std::string noise(std::size_t most);

    // Below `limit`.
    [[nodiscard]] std::size_t below(std::size_t limit);

  private:
    [[nodiscard]] std::string text(const Json::Value &schema);
    [[nodiscard]] Json::Value junk();
    void spoilInside(Json::Value &value, int depth);

    const JsonSchemas &schemas_;
    std::mt19937 random_;
};
}  // namespace relayer::test
