// What the routes of shares have in common. Functions without state; any thread.
#pragma once

#include "plugins/share_scheduler.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::controllers
{
// JSON, and not to be kept by anybody.
[[nodiscard]] drogon::HttpResponsePtr shareAnswer(int status, std::string body);
[[nodiscard]] drogon::HttpResponsePtr shareError(int status, std::string_view text);

// Of a request that may not go on: nobody is there to answer it, or it does not show the token.
struct ShareDoor
{
    std::shared_ptr<plugins::ShareService> service;
    drogon::HttpResponsePtr closed;  // the answer, if there is no way in
};
enum class TokenIs
{
    Asked,
    NotAsked,
};
[[nodiscard]] ShareDoor shareDoor(const drogon::HttpRequestPtr &request,
                                  TokenIs token = TokenIs::Asked);

// What a wallet is told of the share that it posted; counted.
[[nodiscard]] drogon::HttpResponsePtr shareOutcome(const plugins::ShareIntake::Outcome &outcome,
                                                   plugins::ShareMetrics &metrics);

// Runs the work of a route, and answers 500 for what it throws; what was thrown goes to the log
// only, under the name of the stage.
drogon::Task<drogon::HttpResponsePtr> guardedShare(drogon::HttpRequestPtr request,
                                                   std::string_view stage,
                                                   drogon::Task<drogon::HttpResponsePtr> work);

// A part of a path: 64 hexadecimal digits in either case, blanks around them left out.
struct HexPart
{
    std::string_view name;
    std::string_view text;
    core::Hash32 *value;
};
// Reads them all. What is wrong first, if anything is: the lengths of all come before the digits.
[[nodiscard]] std::optional<std::string> hexParts(std::initializer_list<HexPart> parts);
}  // namespace relayer::controllers
