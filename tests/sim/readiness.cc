#include "sim/readiness.h"

#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
using core::CheckTarget;
using core::Kind;
using core::Status;
using core::Transition;

namespace
{
constexpr int kAclTries = 3;
constexpr int kCiphertextTries = 4;
constexpr std::size_t kAtATime = 8;
constexpr std::size_t kConcurrency = 6;
constexpr std::size_t kLargest = 4;
constexpr CheckTarget kHostChain{false, 1};
constexpr CheckTarget kGateway{true, 0};
}  // namespace

Readiness::Readiness(Process &process)
    : process_(process),
      lines_{core::WaitingLine({64, 60}), core::WaitingLine({64, 60}), core::WaitingLine({64, 60})},
      checks_{core::CheckLine(kConcurrency), core::CheckLine(kConcurrency),
              core::CheckLine(kConcurrency)},
      wheel_({std::chrono::milliseconds(100), 32, 64}, process.now())
{}

// As ReadinessRun::stop.
void Readiness::drain()
{
    stopped_ = true;
    std::vector<RequestId> ids;
    for (const auto &[id, request] : requests_)
    {
        ids.push_back(id);
    }
    for (const auto &[id, ending] : endings_)
    {
        if (!ending.underWay)
        {
            ids.push_back(id);
        }
    }
    std::erase_if(endings_, [](const auto &each) { return !each.second.underWay; });
    requests_.clear();
    wheel_.clear();
    for (core::CheckLine &line : checks_)
    {
        line.forget();
    }
    giveBack(std::move(ids));
}

std::size_t Readiness::left() const
{
    return endings_.size() + givingBack_ +
           static_cast<std::size_t>(std::ranges::count(pulling_, true));
}

void Readiness::giveBack(std::vector<RequestId> ids)
{
    if (ids.empty())
    {
        return;
    }
    ++givingBack_;
    World &world = process_.world();
    process_.statement(
        [&world, ids = std::move(ids), epoch = process_.epoch()] {
            world.database().release(ids, epoch);
            return true;
        },
        [this](const bool *) { --givingBack_; });
}

void Readiness::tick()
{
    if (stopped_)
    {
        return;
    }
    for (const Later &later : wheel_.takeDue(process_.now()))
    {
        if (const auto request = requests_.find(later.id); request != requests_.end())
        {
            checks_.at(static_cast<std::size_t>(request->second.kind))
                .addAgain(later.target, later.id);
        }
    }
    if (straysWanted_)
    {
        giveBackStrays();
    }
    for (const Kind kind : {Kind::PublicDecrypt, Kind::UserDecrypt})
    {
        measure(kind);
        pump(kind);
    }
    std::vector<RequestId> ending;
    for (const auto &[id, each] : endings_)
    {
        ending.push_back(id);
    }
    std::ranges::for_each(ending, [this](RequestId id) { write(id); });
}

// As ReadinessRun::belongTo: nothing that was claimed under another epoch is ours any more.
void Readiness::belongToAnother()
{
    requests_.clear();
    endings_.clear();
    wheel_.clear();
    for (core::CheckLine &line : checks_)
    {
        line.forget();
    }
    straysWanted_ = true;
}

void Readiness::giveBackStrays()
{
    straysWanted_ = false;
    World &world = process_.world();
    process_.statement(
        [&world, epoch = process_.epoch()] {
            return world.database().heldIds(Status::Queued, epoch);
        },
        [this, &world](const std::vector<RequestId> *held) {
            if (held == nullptr)
            {
                straysWanted_ = true;
                return;
            }
            std::vector<RequestId> strays = *held;
            std::erase_if(strays, [this](RequestId id) {
                return requests_.contains(id) || endings_.contains(id);
            });
            process_.statement(
                [&world, strays, epoch = process_.epoch()] {
                    world.database().release(strays, epoch);
                    return true;
                },
                [this](const bool *written) {
                    straysWanted_ = straysWanted_ || written == nullptr;
                });
        });
}

void Readiness::measure(Kind kind)
{
    bool &pulling = pulling_.at(static_cast<std::size_t>(kind));
    if (std::exchange(pulling, true))
    {
        return;
    }
    World &world = process_.world();
    process_.statement([&world, kind] { return world.database().head(kind, Status::Queued); },
                       [this, kind](const Head *head) {
                           if (head != nullptr)
                           {
                               line(kind).level(head->ticket, head->waiting);
                           }
                           if (head == nullptr || seeLine(kind).waiting() == 0 ||
                               requests_.size() >= kAtATime || straysWanted_ || stopped_)
                           {
                               pulling_.at(static_cast<std::size_t>(kind)) = false;
                               return;
                           }
                           pull(kind);
                       });
}

void Readiness::pull(Kind kind)
{
    World &world = process_.world();
    process_.statement(
        [&world, kind, epoch = process_.epoch(), most = kAtATime - requests_.size()] {
            return world.database().claim(kind, Status::Queued, epoch, most);
        },
        [this, kind](const std::vector<Claimed> *rows) {
            pulling_.at(static_cast<std::size_t>(kind)) = false;
            if (rows == nullptr)
            {
                straysWanted_ = true;
                return;
            }
            std::vector<std::int64_t> tickets;
            std::vector<RequestId> ids;
            for (const Claimed &row : *rows)
            {
                tickets.push_back(row.ticket);
                ids.push_back(row.id);
            }
            line(kind).pulled(tickets);
            if (stopped_)
            {
                giveBack(ids);
                return;
            }
            for (const Claimed &row : *rows)
            {
                if (process_.world().fortuneOf(row.id).payloadBroken)
                {
                    process_.world().had(Fault::PayloadBroken);
                    decide(row.id, kind, Transition::FailReadiness);
                    continue;
                }
                requests_[row.id] = {kind, 0, 0};
                checks_.at(static_cast<std::size_t>(kind)).addFresh(kHostChain, row.id);
            }
            pump(kind);
        });
}

void Readiness::pump(Kind kind)
{
    core::CheckLine &line = checks_.at(static_cast<std::size_t>(kind));
    while (const auto batch = line.next([](const CheckTarget &) { return kLargest; }))
    {
        ask(kind, *batch);
    }
}

Readiness::Answer Readiness::told(const CheckTarget &target, RequestId id) const
{
    const Fortune &fortune = process_.world().fortuneOf(id);
    if (!target.gateway)
    {
        switch (fortune.acl)
        {
            case Fortune::Acl::Allows: return Answer::Yes;
            case Fortune::Acl::Refuses: return Answer::No;
            case Fortune::Acl::Fails: return Answer::Fails;
        }
    }
    switch (fortune.ciphertext)
    {
        case Fortune::Ciphertext::There: break;
        case Fortune::Ciphertext::Never: return Answer::NotYet;
        case Fortune::Ciphertext::Fails: return Answer::Fails;
    }
    const auto request = requests_.find(id);
    return request == requests_.end() || request->second.ciphertextTries < fortune.checksUntilReady
               ? Answer::NotYet
               : Answer::Yes;
}

void Readiness::ask(Kind kind, const core::CheckLine::Batch &batch)
{
    // What the contracts say does not change; only whether anybody hears it.
    process_.call(
        [] { return true; },
        [this, kind, batch](const bool *heard) {
            checks_.at(static_cast<std::size_t>(kind)).landed(batch.target, batch.ids.size());
            for (const RequestId id : batch.ids)
            {
                settle(id, batch.target, heard == nullptr ? Answer::Fails : told(batch.target, id));
            }
            pump(kind);
        });
}

void Readiness::settle(RequestId id, const CheckTarget &target, Answer answer)
{
    const auto found = requests_.find(id);
    if (found == requests_.end())
    {
        return;
    }
    Request &request = found->second;
    const Kind kind = request.kind;
    World &world = process_.world();
    int &tries = target.gateway ? request.ciphertextTries : request.aclTries;
    ++tries;
    if (answer == Answer::Yes)
    {
        if (target.gateway)
        {
            decide(id, kind, Transition::PassReadiness);
            return;
        }
        checks_.at(static_cast<std::size_t>(kind)).addFresh(kGateway, id);
        return;
    }
    if (answer == Answer::No)
    {
        world.had(Fault::AclRefuses);
        decide(id, kind, Transition::FailReadiness);
        return;
    }
    if (tries < (target.gateway ? kCiphertextTries : kAclTries))
    {
        again(id, target);
        return;
    }
    if (answer == Answer::NotYet)
    {
        world.had(Fault::CiphertextNeverThere);
        decide(id, kind, Transition::TimeOut);
        return;
    }
    world.had(target.gateway ? Fault::CiphertextFails : Fault::AclFails);
    decide(id, kind, Transition::FailReadiness);
}

void Readiness::again(RequestId id, const CheckTarget &target)
{
    if (!wheel_.add(process_.now() + timing::kRetry, {id, target}))
    {
        checks_.at(static_cast<std::size_t>(requests_.at(id).kind)).addAgain(target, id);
    }
}

void Readiness::decide(RequestId id, Kind kind, Transition transition)
{
    requests_.erase(id);
    endings_[id] = {kind, transition, false};
    write(id);
}

// What can not be written now is tried again at the next tick.
void Readiness::write(RequestId id)
{
    Ending &ending = endings_.at(id);
    const bool passes = ending.transition == Transition::PassReadiness;
    if (ending.underWay || stopped_ ||
        (passes && !process_.queue(ending.kind).reserve(core::TxQueue::Place::Returning)))
    {
        return;
    }
    ending.underWay = true;
    World &world = process_.world();
    process_.statement(
        [&world, id, transition = ending.transition, epoch = process_.epoch()] {
            return world.database().apply(transition, id, epoch);
        },
        [this, id, passes, kind = ending.kind](const FakeDatabase::Moved *moved) {
            core::TxQueue &line = process_.queue(kind);
            if (passes && moved != nullptr && moved->won)
            {
                line.accept(moved->ticket);
            }
            else if (passes)
            {
                line.giveUp();
            }
            const auto ended = endings_.find(id);
            if (ended == endings_.end())
            {
                return;
            }
            if (moved != nullptr || stopped_)
            {
                endings_.erase(ended);
                return;
            }
            ended->second.underWay = false;
        });
}
}  // namespace relayer::sim
