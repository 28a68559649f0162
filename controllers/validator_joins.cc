// Validators who want to join. A part of voting_controller.h.
#include "controllers/open_api.h"
#include "controllers/plugin_for.h"
#include "controllers/voting_controller.h"
#include "plugins/voting_admin.h"

#include <drogon/HttpTypes.h>

#include <utility>
#include <variant>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
constexpr std::size_t kLongest = 64UL * 1024;

Task<HttpResponsePtr> join(std::shared_ptr<plugins::ValidatorJoins> joins,
                           wire::JoinRequest request)
{
    auto answer = co_await joins->put(std::move(request));
    co_return openAnswer(answer.status, std::move(answer.body));
}

Task<HttpResponsePtr> tellPending(std::shared_ptr<plugins::ValidatorJoins> joins)
{
    const auto waiting = co_await joins->pending();
    co_return openAnswer(drogon::k200OK, wire::pendingValidators(waiting));
}

Task<HttpResponsePtr> removeFrom(std::shared_ptr<plugins::ValidatorJoins> joins,
                                 std::string address, std::string actor)
{
    const bool gone = co_await joins->remove(std::move(address), std::move(actor));
    if (!gone)
    {
        co_return openProblem(drogon::k404NotFound, "nobody of that address is waiting");
    }
    co_return openAnswer(drogon::k200OK, R"({"status":"removed"})");
}
}  // namespace

VotingController::Response VotingController::removeValidator(HttpRequestPtr request,
                                                             std::string address)
{
    const auto joins = pluginFor<plugins::VotingAdmin>().joins();
    const std::string actor = filters::AdminAccess::actorOf(request);
    if (!joins)
    {
        co_return votingUnavailable();
    }
    co_return co_await guardedOpen(request, removeFrom(joins, std::move(address), actor));
}

VotingController::Response VotingController::registerValidator(HttpRequestPtr request)
{
    const auto joins = pluginFor<plugins::VotingAdmin>().joins();
    if (!joins)
    {
        co_return votingUnavailable();
    }
    auto read = request->body().size() > kLongest
                    ? wire::JoinProblem{drogon::k413RequestEntityTooLarge, "invalid JSON body"}
                    : wire::readJoinRequest(request->body());
    if (const auto *problem = std::get_if<wire::JoinProblem>(&read))
    {
        co_return openProblem(problem->status, problem->text);
    }
    co_return co_await guardedOpen(request,
                                   join(joins, std::get<wire::JoinRequest>(std::move(read))));
}

VotingController::Response VotingController::pendingValidators(HttpRequestPtr request)
{
    const auto joins = pluginFor<plugins::VotingAdmin>().joins();
    if (!joins)
    {
        co_return votingUnavailable();
    }
    co_return co_await guardedOpen(request, tellPending(joins));
}
}  // namespace relayer::controllers
