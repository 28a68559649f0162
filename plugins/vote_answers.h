// What the vote chain answers over REST, read with care. Throws ShareTrouble: what can not be had
// from it, and what that means. What the chain says in words stays here.
#pragma once

#include "chain/rpc/http_endpoint.h"
#include "plugins/share_parts.h"

#include <json/value.h>

#include <cstdint>
#include <optional>
#include <string>

namespace relayer::plugins::vote
{
inline const std::string kBase = "/shielded-vote/v1/";

[[nodiscard]] ShareTrouble strange(const std::string &why);
// An answer that none of the rules for its route knows.
[[nodiscard]] ShareTrouble unexpected(const chain::rpc::HttpAnswer &answer);
[[nodiscard]] chain::rpc::HttpAnswer answered(chain::rpc::HttpOutcome outcome);
[[nodiscard]] Json::Value documentOf(const chain::rpc::HttpAnswer &answer);
// Members that are there and are whole numbers; jsoncpp takes 1.0 for one, too.
[[nodiscard]] std::optional<std::uint64_t> number(const Json::Value &object, const char *name);
[[nodiscard]] bool knowsNoSuchRound(const chain::rpc::HttpAnswer &answer);
}  // namespace relayer::plugins::vote
