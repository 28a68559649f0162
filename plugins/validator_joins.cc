#include "plugins/validator_joins.h"

#include "chain/cosmos_key.h"
#include "core/bech32.h"
#include "core/content_hash.h"
#include "plugins/resumed_on.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using chain::rpc::HttpAnswer;
using chain::rpc::HttpEndpoint;
using drogon::Task;

namespace
{
constexpr std::int64_t kWindow = 300;
constexpr std::size_t kMost = 10'000;
constexpr std::size_t kPage = 500;
constexpr std::string_view kAccount = "sv";
constexpr std::string_view kValidator = "svvaloper";
constexpr int kOk = 200;
constexpr int kBusy = 503;
}  // namespace

std::optional<wire::JoinProblem> joinProblem(const wire::JoinRequest &request, std::int64_t now)
{
    if (request.timestamp < now - kWindow || request.timestamp > now + kWindow)
    {
        return wire::JoinProblem{400, "timestamp too far from server time (>5min)"};
    }
    core::ContentHasher hasher;
    const core::Hash32 digest = hasher.text(wire::signedDocument(request)).finish();
    if (!chain::hasSigned(request.publicKey, digest, request.signature))
    {
        return wire::JoinProblem{401, "invalid signature"};
    }
    if (core::toBech32(kAccount, chain::cosmosAccount(request.publicKey)) !=
        request.operatorAddress)
    {
        return wire::JoinProblem{401, "public key does not match signer address"};
    }
    return std::nullopt;
}

ValidatorJoins::ValidatorJoins(Surroundings surroundings)
    : around_(std::move(surroundings)),
      chain_(around_.chain ? std::make_shared<HttpEndpoint>(around_.loop, *around_.chain,
                                                            chain::rpc::HttpLimits{})
                           : nullptr)
{}

// In whatever state of bonding. Who can not be asked about is none.
Task<bool> ValidatorJoins::isValidator(std::string operatorAddress)
{
    if (!chain_)
    {
        co_return false;
    }
    const OnLoop there(around_.loop);
    co_await there;
    chain::rpc::HttpQuestion question;
    question.target = "/cosmos/staking/v1beta1/validators/" + operatorAddress;
    question.timeout = around_.timeout;
    HttpEndpoint::Exchange exchange = chain_->ask(std::move(question));
    const auto outcome = co_await exchange;
    const auto *answer = std::get_if<HttpAnswer>(&outcome);
    co_return answer != nullptr && answer->status == kOk;
}

Task<ValidatorJoins::Answer> ValidatorJoins::put(wire::JoinRequest request)
{
    if (const auto problem = joinProblem(request, around_.now()))
    {
        co_return Answer{problem->status, wire::openError(problem->text)};
    }
    const std::string validator =
        core::toBech32(kValidator, chain::cosmosAccount(request.publicKey));
    const bool already = co_await isValidator(validator);
    if (already)
    {
        co_await around_.store->forget(request.operatorAddress);
        co_return Answer{kOk, wire::registered()};
    }
    models::Registration row;
    row.operatorAddress = request.operatorAddress;
    row.url = request.url;
    row.moniker = request.moniker;
    row.signedAt = request.timestamp;
    const auto until = co_await around_.store->put(std::move(row), around_.keep, kMost);
    if (!until)
    {
        co_return Answer{kBusy, wire::openError("too many validators are waiting")};
    }
    co_return Answer{kOk, wire::pending(*until)};
}

Task<std::vector<wire::PendingValidator>> ValidatorJoins::pending()
{
    const auto rows = co_await around_.store->all(kMost);
    std::vector<wire::PendingValidator> all;
    all.reserve(rows.size());
    for (const models::Registration &row : rows)
    {
        all.push_back({row.operatorAddress, row.url, row.moniker, row.requestedAt, row.expiresAt});
    }
    co_return all;
}

Task<bool> ValidatorJoins::remove(std::string operatorAddress, std::string actor)
{
    const bool gone = co_await around_.store->remove(operatorAddress, actor);
    if (gone)
    {
        LOG_INFO << "step=registration_removed operator=" << operatorAddress << " by=" << actor;
    }
    co_return gone;
}

Task<> ValidatorJoins::sweep()
{
    std::size_t gone = 0;
    for (std::size_t page = kPage; page == kPage; gone += page)
    {
        page = co_await around_.store->sweep(kPage);
    }
    if (gone > 0)
    {
        LOG_INFO << "step=registrations_expired count=" << gone;
    }
}
}  // namespace relayer::plugins
