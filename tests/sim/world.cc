#include "sim/world.h"

#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace relayer::sim
{
using core::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace
{
constexpr Time kTroubleLasts = seconds(16);
constexpr std::size_t kInAThousandStatements = 15;
constexpr std::size_t kInAThousandCalls = 25;
constexpr std::size_t kInAThousandAbsencesAreLong = 30;
// Beyond what any run takes, so that one that goes round in circles ends.
constexpr std::uint64_t kMostSteps = 400'000;
}  // namespace

World::World(std::uint64_t seed, Mutation mutation)
    : random_(seed),
      mutation_(mutation),
      database_({&coverage_, [this] { return now_ + databaseAhead_; },
                 [this](const Row &row) { admitted(row); },
                 [this](const Row &row, core::Status from) { moved(row, from); },
                 [this](const Row &row, core::Transition transition) { ended(row, transition); },
                 [](const Row &row, bool hasOpenAttempt) { overdue(row, hasOpenAttempt); },
                 [this](const Cursor &cursor) { cursorMoved(cursor); },
                 [this](const Row &row) { claimed(row); }, mutation}),
      chain_(
          {&random_, &coverage_, [this](RequestId id) { return database_.row(id).kind; },
           [this](RequestId id) -> const Fortune & { return fortuneOf(id); },
           [this](const Signed &transaction) {
               require(transaction.foreign || database_.hasVersion(transaction.hash),
                       "bytes were sent before they were on disk");
           },
           [this](const Signed &transaction, FakeChain::Fate fate) { mined(transaction, fate); },
           [this](const Signed &transaction, FakeChain::Fate fate) { unmined(transaction, fate); },
           [this](RequestId request) { takenBack_.insert(database_.row(request).kind); }})
{
    slots_.reserve(256);
    moments_.reserve(256);
    faultsEnd_ = kTroubleLasts;
    const std::size_t instances = 2 + random_.below(4);
    lanes_ = 1 + static_cast<int>(random_.below(kMostLanes));
    incarnations_.assign(instances, 0);
    processes_.resize(instances);
    coverage_.instances = instances;
    coverage_.runs = 1;
    attemptsAt_.assign(kMostLanes, 0);
    chain_.refusesGaps = random_.chance(300);
    drawClients();
}

World::~World() = default;

void World::run()
{
    for (std::size_t name = 0; name < processes_.size(); ++name)
    {
        start(static_cast<int>(name));
    }
    for (std::size_t client = 0; client < clients_.size(); ++client)
    {
        after(random_.between(Time(0), kTroubleLasts / 2), [this, client] { post(client); });
    }
    after(timing::kBlock, [this] { mineOn(); });
    after(milliseconds(500), [this] { causeTrouble(); });
    while (!allIsOver())
    {
        require(now_ < faultsEnd_ + timing::kEverythingEnds,
                "a request did not end within its deadlines");
        require(steps_ < kMostSteps, "something goes round in circles");
        step();
        check();
    }
    checkTheEnd();
    coverage_.steps = steps_;
    coverage_.leastSteps = steps_;
    coverage_.requests = database_.rows().size();
    coverage_.leastRequests = coverage_.requests;
    coverage_.leastFaults = coverage_.allFaults();
}

void World::after(Time delay, std::function<void()> what)
{
    std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
    if (freeSlots_.empty())
    {
        slots_.push_back(std::move(what));
    }
    else
    {
        slot = freeSlots_.back();
        freeSlots_.pop_back();
        slots_[slot] = std::move(what);
    }
    moments_.push_back({now_ + delay, order_++, slot});
    std::ranges::push_heap(moments_, std::greater());
}

void World::step()
{
    std::ranges::pop_heap(moments_, std::greater());
    const Moment moment = moments_.back();
    moments_.pop_back();
    const std::function<void()> what = std::move(slots_[moment.slot]);
    freeSlots_.push_back(moment.slot);
    now_ = moment.at;
    ++steps_;
    what();
}

Process *World::process(int name, int incarnation) const
{
    const auto place = static_cast<std::size_t>(name);
    return incarnations_[place] == incarnation ? processes_[place].get() : nullptr;
}

void World::had(Fault fault)
{
    coverage_.had(fault);
    troubles_.emplace_back(now_, fault);
}

const Fortune &World::fortuneOf(RequestId request) const
{
    return clients_[static_cast<std::size_t>(database_.row(request).content)].fortune;
}

void World::start(int name)
{
    const auto place = static_cast<std::size_t>(name);
    processes_[place] = std::make_unique<Process>(*this, name, ++incarnations_[place]);
    processes_[place]->start();
}

void World::crash(int name)
{
    const auto place = static_cast<std::size_t>(name);
    if (processes_[place] == nullptr)
    {
        return;
    }
    had(Fault::Crash);
    startAgain(name);
}

void World::drain(int name)
{
    Process *const process = processes_[static_cast<std::size_t>(name)].get();
    if (process != nullptr && process->drain(random_.between(milliseconds(300), seconds(4))))
    {
        had(Fault::Drain);
    }
}

void World::drained(int name, int incarnation)
{
    // Not while it runs.
    after(Time(0), [this, name, incarnation] {
        if (process(name, incarnation) != nullptr)
        {
            startAgain(name);
        }
    });
}

void World::startAgain(int name)
{
    processes_[static_cast<std::size_t>(name)].reset();
    const bool forLong = random_.chance(250);
    after(forLong ? random_.between(seconds(6), seconds(10))
                  : random_.between(milliseconds(100), seconds(2)),
          [this, name] { start(name); });
}

World::Fate World::fate(std::size_t inAThousand, Fault lost, Fault answerLost, Fault late)
{
    if (!isFaulty() || !random_.chance(inAThousand))
    {
        return Fate::Arrives;
    }
    switch (random_.below(3))
    {
        case 0: had(lost); return Fate::Lost;
        case 1: had(answerLost); return Fate::AnswerLost;
        default: had(late); return Fate::Late;
    }
}

World::Fate World::statementFate()
{
    if (databaseAwayUntil_ > now_)
    {
        return random_.chance(200) ? Fate::AnswerLost : Fate::Lost;
    }
    return fate(kInAThousandStatements, Fault::StatementLost, Fault::StatementAnswerLost,
                Fault::StatementLate);
}

World::Fate World::callFate()
{
    if (nodeAwayUntil_ > now_)
    {
        return random_.chance(300) ? Fate::AnswerLost : Fate::Lost;
    }
    return fate(kInAThousandCalls, Fault::CallLost, Fault::CallAnswerLost, Fault::CallLate);
}

std::int64_t World::lag()
{
    return nodeLagsUntil_ > now_ ? 1 + static_cast<std::int64_t>(random_.below(2)) : 0;
}

void World::mineOn()
{
    chain_.mine();
    const std::vector<Log> logs = chain_.newest();
    for (std::size_t name = 0; name < processes_.size() && !logs.empty(); ++name)
    {
        std::size_t times = 1;
        std::vector<Log> pushed = logs;
        if (isFaulty() && random_.chance(150))
        {
            switch (random_.below(3))
            {
                case 0:
                    had(Fault::PushLost);
                    times = 0;
                    break;
                case 1:
                    had(Fault::PushDoubled);
                    times = 2;
                    break;
                default: had(Fault::PushReordered); std::ranges::reverse(pushed);
            }
        }
        for (std::size_t i = 0; i < times; ++i)
        {
            after(random_.between(kShortest, isFaulty() ? milliseconds(1500) : kLongest),
                  [this, name, pushed] {
                      if (processes_[name] != nullptr)
                      {
                          processes_[name]->pushed(pushed);
                      }
                  });
        }
    }
    after(timing::kBlock, [this] { mineOn(); });
}

void World::causeTrouble()
{
    if (!isFaulty())
    {
        chain_.noFunds = false;
        chain_.baseFee = 100;
        return;
    }
    const int name = static_cast<int>(random_.below(processes_.size()));
    switch (const std::size_t which = random_.below(18))
    {
        case 0:
        case 1:
        case 2:
        case 3: crash(name); break;
        case 4:
            had(Fault::Stall);
            if (Process *const process = processes_[static_cast<std::size_t>(name)].get())
            {
                process->stallUntil(now_ + random_.between(milliseconds(500), seconds(7)));
            }
            break;
        case 5:
            had(Fault::DatabaseAway);
            databaseAwayUntil_ = now_ + random_.between(milliseconds(100), seconds(3));
            break;
        case 6:
            had(Fault::DatabaseClockAhead);
            databaseAhead_ += random_.between(milliseconds(100), seconds(5));
            break;
        case 7:
            had(Fault::DatabaseClockBack);
            databaseAhead_ -= random_.between(milliseconds(100), seconds(5));
            break;
        case 8: sendNodeAway(); break;
        case 16: drain(name); break;
        case 17: actAsOperator(); break;
        case 9:
            had(Fault::NodeLags);
            nodeLagsUntil_ = now_ + random_.between(milliseconds(500), seconds(3));
            break;
        default: troubleOnChain(which);
    }
    after(random_.between(milliseconds(200), milliseconds(1200)), [this] { causeTrouble(); });
}

// Somebody takes matters into their own hands, at whichever instance (models/operator_store.cc):
// fails a request that lives, or dispatches one again that has no transaction under way.
void World::actAsOperator()
{
    const bool dispatch = random_.chance(500);
    const RequestId id = pickForOperator(dispatch);
    if (id == 0)
    {
        return;
    }
    statement(
        [this, id, dispatch] {
            const bool done = dispatch ? database_.dispatchAgain(id) : database_.failByOperator(id);
            if (done)
            {
                had(dispatch ? Fault::DispatchedAgain : Fault::FailedByOperator);
            }
            return done;
        },
        [](const bool *) {});
}

// To dispatch, rather one of those that hang than one that is refused; but those, too.
RequestId World::pickForOperator(bool dispatch)
{
    std::vector<RequestId> all(database_.live().begin(), database_.live().end());
    std::vector<RequestId> hanging;
    std::ranges::copy_if(all, std::back_inserter(hanging), [this](RequestId id) {
        return database_.row(id).status == core::Status::TxInFlight &&
               !database_.hasOpenAttempt(id);
    });
    const auto &from = dispatch && !hanging.empty() ? hanging : all;
    return from.empty() ? 0 : from[random_.below(from.size())];
}

// Now and then for longer than any deadline of a request that needs it, while all else goes wrong,
// too.
void World::sendNodeAway()
{
    if (!random_.chance(kInAThousandAbsencesAreLong))
    {
        had(Fault::NodeAway);
        nodeAwayUntil_ =
            std::max(nodeAwayUntil_, now_ + random_.between(milliseconds(100), seconds(3)));
        return;
    }
    had(Fault::NodeAwayForLong);
    nodeAwayUntil_ = now_ + timing::kProcessingDeadline + timing::kTxDeadline +
                     random_.between(Time(0), seconds(10));
    awayForLongUntil_ = nodeAwayUntil_;
    faultsEnd_ = std::max(faultsEnd_, nodeAwayUntil_);
}

void World::troubleOnChain(std::size_t which)
{
    switch (which)
    {
        case 10:
        case 11:
        {
            had(Fault::Reorg);
            const std::size_t depth = 1 + random_.below(3);
            chain_.reorg(depth, random_.chance(500));
            // Another branch is longer, or there would be none.
            for (std::size_t i = 0; i <= depth; ++i)
            {
                chain_.mine();
            }
            break;
        }
        case 12:
            if (chain_.dropOne())
            {
                had(Fault::TransactionDropped);
            }
            break;
        case 13:
            if (random_.chance(400))
            {
                had(Fault::ForeignTransaction);
                chain_.foreignTransaction(static_cast<int>(random_.below(kMostLanes)));
            }
            break;
        case 14:
            chain_.noFunds = true;
            after(random_.between(milliseconds(300), seconds(3)),
                  [this] { chain_.noFunds = false; });
            break;
        default:
            chain_.baseFee = 220;
            after(random_.between(milliseconds(500), seconds(4)), [this] { chain_.baseFee = 100; });
    }
}

Fortune World::drawFortune(Kind kind)
{
    Fortune fortune;
    const auto unlucky = [this](std::size_t inAThousand) { return random_.chance(inAThousand); };
    const auto also = [this](bool happens, Fault fault) {
        if (happens)
        {
            had(fault);
        }
        return happens;
    };
    fortune.checksUntilReady = static_cast<int>(random_.below(3));
    fortune.answerAfterBlocks = static_cast<int>(random_.below(4));
    fortune.payloadBroken = unlucky(15);
    fortune.estimateReverts = unlucky(25);
    fortune.refusedByNodes = unlucky(25);
    fortune.revertsOnChain = unlucky(25);
    fortune.minedWithoutEvent = unlucky(40) ? 1 + static_cast<int>(random_.below(2)) : 0;
    fortune.answered = !also(unlucky(30), Fault::NeverAnswered);
    fortune.rejected = kind == Kind::InputProof && unlucky(200);
    if (unlucky(50))
    {
        fortune.acl = unlucky(500) ? Fortune::Acl::Refuses : Fortune::Acl::Fails;
    }
    if (unlucky(50))
    {
        fortune.ciphertext = unlucky(500) ? Fortune::Ciphertext::Never : Fortune::Ciphertext::Fails;
    }
    return fortune;
}

void World::drawClients()
{
    const std::size_t count = 20 + random_.below(8);
    clients_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        Client &client = clients_[i];
        client.kind = core::kAllKinds.at(random_.below(core::kKinds));
        client.content = static_cast<int>(i);
        client.fortune = drawFortune(client.kind);
    }
}

// A client asks until it has been told that its request is taken in, now here, now there.
void World::post(std::size_t number)
{
    const auto again = [this, number](Time delay) {
        after(delay, [this, number] { post(number); });
    };
    Process *const process = processes_[random_.below(processes_.size())].get();
    const Client &client = clients_[number];
    const auto accepted = [this, number](bool taken) {
        clients_[number].accepted = clients_[number].accepted || taken;
    };
    const bool reached = process != nullptr && process->post(client.kind, client.content, accepted);
    if (!reached)
    {
        again(milliseconds(400));
        return;
    }
    // Whoever died meanwhile says nothing.
    after(kPatience * 2, [this, number, again] {
        const bool onceMore = isFaulty() && random_.chance(150);
        if (!clients_[number].accepted || onceMore)
        {
            had(Fault::PostedAgain);
            again(Time(0));
        }
    });
}
}  // namespace relayer::sim
