#include "plugins/readiness_checks.h"

#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using core::CheckTarget;
using core::FailureCode;
using core::Kind;
using core::Transition;

namespace
{
using Time = std::chrono::nanoseconds;

constexpr std::chrono::minutes kSmallerFor{1};
// Tries are put off to the next of so many moments in an interval, so that they share calls.
constexpr int kMomentsInAnInterval = 16;

Time now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

CheckTarget gateway()
{
    return {true, 0};
}

CheckTarget hostChain(std::uint64_t id)
{
    return {false, id};
}

std::size_t mostLater(const ReadinessOptions &options, std::size_t hostChains)
{
    std::size_t requests = 0;
    for (const std::size_t capacity : options.capacity)
    {
        requests += capacity;
    }
    // A request waits for each of its host chains, or for the gateway.
    return requests * std::max<std::size_t>(1, hostChains);
}

ReadinessRequest::Part *partOf(ReadinessRequest &request, std::uint64_t chain)
{
    const auto part = std::ranges::find(request.parts, chain, &ReadinessRequest::Part::hostChain);
    return part == request.parts.end() ? nullptr : &*part;
}

std::size_t place(Kind kind)
{
    return static_cast<std::size_t>(kind);
}
}  // namespace

ReadinessChecks::ReadinessChecks(Surroundings surroundings, const ReadinessOptions &options)
    : surroundings_(std::move(surroundings)),
      options_(options),
      lines_{core::CheckLine(options.maxConcurrency[0]), core::CheckLine(options.maxConcurrency[1]),
             core::CheckLine(options.maxConcurrency[2])},
      wheel_(
          {std::chrono::milliseconds(10), 512, mostLater(options, surroundings_.hostChains.size())},
          now())
{
    static_assert(core::kKinds == 3);
}

core::CheckLine &ReadinessChecks::line(Kind kind)
{
    return lines_.at(place(kind));
}

const core::CheckLine &ReadinessChecks::line(Kind kind) const
{
    return lines_.at(place(kind));
}

const ReadinessCheckOptions &ReadinessChecks::optionsOf(const CheckTarget &target) const
{
    return target.gateway ? options_.gwCiphertext : options_.hostAcl;
}

std::size_t ReadinessChecks::largest(const CheckTarget &target) const
{
    const std::size_t most = optionsOf(target).maxBatch;
    const auto smaller = target.gateway ? smaller_.end() : smaller_.find(target.hostChain);
    return smaller != smaller_.end() && now() < smaller->second.until
               ? std::min(most, smaller->second.batch)
               : most;
}

void ReadinessChecks::take(ReadinessRequest request)
{
    const models::RequestId id = request.id;
    const Kind kind = request.kind;
    const auto [known, isNew] = requests_.try_emplace(id, std::move(request));
    if (!isNew)
    {
        return;
    }
    ++sizes_.at(place(kind));
    if (known->second.parts.empty())
    {
        line(kind).addFresh(gateway(), id);
    }
    for (const ReadinessRequest::Part &part : known->second.parts)
    {
        if (!surroundings_.hostChains.contains(part.hostChain))
        {
            surroundings_.loop->queueInLoop([weak = weak_from_this(), id, chain = part.hostChain] {
                if (const auto self = weak.lock())
                {
                    self->decide(id, {Transition::FailReadiness,
                                      core::Failure{FailureCode::HostAclFailed,
                                                    "Host ACL check failed: No ACL binding "
                                                    "configured for host chain " +
                                                        std::to_string(chain)}});
                }
            });
            return;
        }
    }
    for (const ReadinessRequest::Part &part : known->second.parts)
    {
        line(kind).addFresh(hostChain(part.hostChain), id);
    }
    pumpSoon(kind);
}

// Whoever takes several lets them share a call.
void ReadinessChecks::pumpSoon(Kind kind)
{
    if (std::exchange(pumpingSoon_.at(place(kind)), true))
    {
        return;
    }
    surroundings_.loop->queueInLoop([weak = weak_from_this(), kind] {
        if (const auto self = weak.lock())
        {
            self->pumpingSoon_.at(place(kind)) = false;
            self->pump(kind);
        }
    });
}

std::vector<models::RequestId> ReadinessChecks::ids() const
{
    std::vector<models::RequestId> all;
    all.reserve(requests_.size());
    for (const auto &[id, request] : requests_)
    {
        all.push_back(id);
    }
    return all;
}

std::size_t ReadinessChecks::wanted(Kind kind) const
{
    const std::size_t capacity = options_.capacity.at(place(kind));
    const std::size_t room = capacity - std::min(capacity, sizes_.at(place(kind)));
    const std::size_t fresh = line(kind).fresh();
    // As many again as can be in the air, so that batches are full.
    const std::size_t busy = 2 * std::max(line(kind).maxConcurrency(), options_.hostAcl.maxBatch);
    return std::min(room, busy - std::min(busy, fresh));
}

void ReadinessChecks::forgetAll()
{
    ++generation_;
    requests_.clear();
    sizes_.fill(0);
    wheel_.clear();
    for (core::CheckLine &each : lines_)
    {
        each.forget();
    }
}

void ReadinessChecks::setMaxConcurrency(Kind kind, std::size_t most)
{
    line(kind).setMaxConcurrency(most);
    pump(kind);
}

ReadinessChecks::Snapshot ReadinessChecks::snapshot(Kind kind) const
{
    const core::CheckLine &each = line(kind);
    return {sizes_.at(place(kind)), each.due(), each.inTheAir(), each.maxConcurrency()};
}

void ReadinessChecks::pump(Kind kind)
{
    while (auto batch =
               line(kind).next([this](const CheckTarget &target) { return largest(target); }))
    {
        ++counts_.rounds;
        counts_.asked += batch->ids.size();
        if (batch->target.gateway)
        {
            askGateway(kind, std::move(*batch));
        }
        else
        {
            askHostChain(kind, std::move(*batch));
        }
    }
    if (wanted(kind) > 0)
    {
        surroundings_.hungry();
    }
}

void ReadinessChecks::landed(Kind kind, const Batch &batch)
{
    line(kind).landed(batch.target, batch.ids.size());
}

// A call for several has several causes.
std::string ReadinessChecks::traceparentOf(const std::vector<models::RequestId> &asked) const
{
    const auto only = asked.size() == 1 ? requests_.find(asked.front()) : requests_.end();
    return only == requests_.end() ? std::string() : only->second.traceparent;
}

drogon::AsyncTask ReadinessChecks::askHostChain(Kind kind, Batch batch)
{
    const auto self = shared_from_this();
    const HostChain chain = surroundings_.hostChains.at(batch.target.hostChain);
    std::vector<models::RequestId> asked;
    std::vector<AclQuestions> questions;
    bool lastTry = false;
    for (const models::RequestId id : batch.ids)
    {
        const auto request = requests_.find(id);
        auto *const part =
            request == requests_.end() ? nullptr : partOf(request->second, chain.chainId);
        if (part != nullptr && !part->answered)
        {
            asked.push_back(id);
            questions.push_back(part->questions);
            lastTry = lastTry || part->attempts + 1 >= options_.hostAcl.maxAttempts;
        }
    }
    AclRound round;
    const std::uint64_t generation = generation_;
    try
    {
        const auto pass = surroundings_.gate->enter();
        if (!questions.empty())
        {
            round = co_await resumedOn(surroundings_.loop, askAcl(chain, std::move(questions),
                                                                  lastTry, traceparentOf(asked)));
        }
    }
    catch (const models::StoreError &)
    {
        co_return;  // stopping: the row is the truth
    }
    landed(kind, batch);
    if (round.tooMany)
    {
        LOG_WARN << "step=host_acl_large_call_refused host_chain=" << chain.chainId
                 << " requests=" << asked.size();
        smaller_[chain.chainId] = {std::max<std::size_t>(1, asked.size() / 2), now() + kSmallerFor};
    }
    for (std::size_t i = 0; i < round.answers.size() && generation == generation_; ++i)
    {
        const auto request = requests_.find(asked[i]);
        if (request != requests_.end())
        {
            settle(request->second, *partOf(request->second, chain.chainId), round.answers[i]);
        }
    }
    arm();
    pump(kind);
}

drogon::AsyncTask ReadinessChecks::askGateway(Kind kind, Batch batch)
{
    const auto self = shared_from_this();
    std::vector<models::RequestId> asked;
    std::vector<ReadyCall> calls;
    for (const models::RequestId id : batch.ids)
    {
        if (const auto request = requests_.find(id); request != requests_.end())
        {
            asked.push_back(id);
            calls.push_back(request->second.readyCall);
        }
    }
    std::vector<CiphertextAnswer> answers;
    const std::uint64_t generation = generation_;
    try
    {
        const auto pass = surroundings_.gate->enter();
        if (!calls.empty())
        {
            answers = co_await resumedOn(surroundings_.loop,
                                         askCiphertexts(surroundings_.gateway, options_.decryption,
                                                        std::move(calls), traceparentOf(asked)));
        }
    }
    catch (const models::StoreError &)
    {
        co_return;  // stopping: the row is the truth
    }
    landed(kind, batch);
    for (std::size_t i = 0; i < answers.size() && generation == generation_; ++i)
    {
        const auto request = requests_.find(asked[i]);
        if (request != requests_.end())
        {
            settle(request->second, answers[i]);
        }
    }
    arm();
    pump(kind);
}

void ReadinessChecks::settle(ReadinessRequest &request, ReadinessRequest::Part &part,
                             const AclAnswer &answer)
{
    ++part.attempts;
    if (answer.allowed)
    {
        part.answered = true;
        for (std::size_t i = 0; i < answer.allowed->size(); ++i)
        {
            if (!answer.allowed->at(i))
            {
                part.refused.push_back(part.questions->at(i));
            }
        }
        hostChainsAnswered(request);
        return;
    }
    if (part.attempts < options_.hostAcl.maxAttempts)
    {
        again(request, hostChain(part.hostChain));
        return;
    }
    LOG_WARN << "step=host_acl_failed id=" << request.id << " host_chain=" << part.hostChain
             << " why=" << answer.why;
    decide(request.id,
           {Transition::FailReadiness, core::Failure{FailureCode::HostAclFailed, answer.told}});
}

// The reasons of all chains go into one refusal, so the last of them decides.
void ReadinessChecks::hostChainsAnswered(ReadinessRequest &request)
{
    std::vector<chain::AclQuestion> refused;
    for (const ReadinessRequest::Part &part : request.parts)
    {
        if (!part.answered)
        {
            return;
        }
        refused.insert(refused.end(), part.refused.begin(), part.refused.end());
    }
    if (refused.empty())
    {
        line(request.kind).addFresh(gateway(), request.id);
        return;
    }
    decide(request.id, {Transition::FailReadiness, core::Failure{FailureCode::NotAllowedOnHostAcl,
                                                                 chain::aclRefusal(refused)}});
}

void ReadinessChecks::settle(ReadinessRequest &request, const CiphertextAnswer &answer)
{
    ++request.gatewayAttempts;
    if (answer.ready == true)
    {
        decide(request.id, {});
        return;
    }
    if (request.gatewayAttempts < options_.gwCiphertext.maxAttempts)
    {
        again(request, gateway());
        return;
    }
    if (answer.failure)
    {
        LOG_WARN << "step=ciphertext_check_failed id=" << request.id
                 << " why=" << answer.failure->detail;
        decide(request.id, {Transition::FailReadiness, answer.failure});
        return;
    }
    decide(request.id, {Transition::TimeOut,
                        core::Failure{FailureCode::ReadinessTimedOut,
                                      "not ready after " + std::to_string(request.gatewayAttempts) +
                                          " checks"}});
}

void ReadinessChecks::again(const ReadinessRequest &request, const CheckTarget &target)
{
    const Time interval = optionsOf(target).interval;
    const Time moment = std::max(interval / kMomentsInAnInterval, Time(1));
    const Time due = (now() + interval + moment - Time(1)) / moment * moment;
    if (!wheel_.add(due, {request.id, target}))
    {
        // There are never more than it has room for. Should there be, no pause is the lesser evil.
        line(request.kind).addAgain(target, request.id);
    }
}

void ReadinessChecks::decide(models::RequestId id, ReadinessVerdict verdict)
{
    const auto request = requests_.find(id);
    if (request == requests_.end())
    {
        return;
    }
    const Kind kind = request->second.kind;
    --sizes_.at(place(kind));
    requests_.erase(request);
    surroundings_.decided(id, kind, std::move(verdict));
}

void ReadinessChecks::arm()
{
    const auto next = wheel_.nextLook();
    if (!next || (armedFor_ && *armedFor_ <= *next))
    {
        return;
    }
    armedFor_ = next;
    const double delay = std::chrono::duration<double>(*next - now()).count();
    surroundings_.loop->runAfter(std::max(delay, 0.0), [weak = weak_from_this()] {
        if (const auto self = weak.lock())
        {
            self->ring();
        }
    });
}

void ReadinessChecks::ring()
{
    armedFor_.reset();
    for (const Later &later : wheel_.takeDue(now()))
    {
        if (const auto request = requests_.find(later.id); request != requests_.end())
        {
            line(request->second.kind).addAgain(later.target, later.id);
        }
    }
    pump(Kind::PublicDecrypt);
    pump(Kind::UserDecrypt);
    arm();
}
}  // namespace relayer::plugins
