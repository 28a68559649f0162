#include "plugins/voting_config.h"

#include "core/bytes.h"
#include "core/content_hash.h"
#include "plugins/resumed_on.h"
#include "wire/strict_json.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using chain::rpc::HttpAnswer;
using chain::rpc::HttpEndpoint;
using chain::rpc::HttpFailure;
using chain::rpc::HttpOutcome;
using drogon::Task;

namespace
{
constexpr int kOk = 200;
constexpr int kNotModified = 304;
// Who has waited for one fetch in vain need not wait for another.
constexpr std::chrono::seconds kFailureStands{1};
constexpr std::size_t kLongest = 1UL << 20U;
constexpr chain::rpc::HttpLimits kLimits{.connections = 2, .waiting = 16, .maxAnswer = kLongest};

std::string etagOf(std::string_view body)
{
    core::ContentHasher hasher;
    return "\"" + core::toHex(hasher.text(body).finish()).substr(0, 32) + "\"";
}
}  // namespace

VotingConfig::VotingConfig(trantor::EventLoop *loop, VotingConfigOptions options)
    : loop_(loop),
      options_(std::move(options)),
      upstream_(std::make_shared<HttpEndpoint>(loop, options_.upstream, kLimits))
{}

std::string VotingConfig::take(const HttpOutcome &outcome)
{
    if (std::holds_alternative<HttpFailure>(outcome))
    {
        return "it can not be reached, or breaks off";
    }
    const auto &answer = std::get<HttpAnswer>(outcome);
    const std::lock_guard lock(mutex_);
    if (answer.status == kNotModified && body_)
    {
        confirmed_ = options_.now();
        return "";
    }
    if (answer.status != kOk)
    {
        return "it answers HTTP " + std::to_string(answer.status);
    }
    const std::string_view body = answer.body();
    if (body.size() > kLongest || !wire::readJson(body).root)
    {
        return "what it answers is no JSON";
    }
    theirEtag_ = answer.response->getHeader("etag");
    confirmed_ = options_.now();
    if (!body_ || *body_ != body)
    {
        body_ = std::make_shared<const std::string>(body);
        etag_ = etagOf(body);
        LOG_INFO << "step=voting_config_changed bytes=" << body.size();
    }
    return "";
}

Task<> VotingConfig::fetch()
{
    chain::rpc::HttpQuestion question;
    question.timeout = options_.timeout;
    if (!theirEtag_.empty())
    {
        question.headers["If-None-Match"] = theirEtag_;
    }
    HttpEndpoint::Exchange exchange = upstream_->ask(std::move(question));
    const HttpOutcome outcome = co_await exchange;
    const std::string wrong = take(outcome);
    if (!wrong.empty() && !failing_)
    {
        LOG_WARN << "step=voting_config_failed why=" << wrong << "; what is kept is told on";
    }
    failing_ = !wrong.empty();
    failedAt_ = options_.now();
}

bool VotingConfig::failedJustNow() const
{
    return failing_ && options_.now() - failedAt_ < kFailureStands;
}

Task<> VotingConfig::refresh()
{
    const auto self = shared_from_this();
    const OnLoop there(loop_);
    co_await there;
    Turn turn(loop_, line_);
    co_await turn;
    co_await fetch();
}

Task<std::optional<VotingConfig::Copy>> VotingConfig::get()
{
    const auto self = shared_from_this();
    if (const auto copy = kept())
    {
        co_return copy;
    }
    const OnLoop there(loop_);
    co_await there;
    Turn turn(loop_, line_);
    co_await turn;
    if (!kept() && !failedJustNow())
    {
        co_await fetch();
    }
    co_return kept();
}

std::optional<VotingConfig::Copy> VotingConfig::kept() const
{
    const std::lock_guard lock(mutex_);
    const auto age = options_.now() - confirmed_;
    const bool tooOld = options_.staleAtMost.count() > 0 && age > options_.staleAtMost;
    if (!body_ || tooOld)
    {
        return std::nullopt;
    }
    return Copy{body_, etag_, std::chrono::floor<std::chrono::seconds>(age)};
}
}  // namespace relayer::plugins
