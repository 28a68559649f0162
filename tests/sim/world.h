// A whole deployment from one seed: instances, their database, a chain with its nodes, clients, and
// what goes wrong. Everything happens in events, in the order of a clock that is a number; after
// each, the invariants are looked at.
#pragma once

#include "sim/fake_chain.h"
#include "sim/fake_database.h"
#include "sim/faults.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace relayer::sim
{
class Process;

class World
{
  public:
    World(std::uint64_t seed, Mutation mutation);
    ~World();

    // To the end of all requests. Throws Violation.
    void run();
    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    // What has not ended yet, for whoever looks for the reason.
    [[nodiscard]] std::string story() const;
    [[nodiscard]] const Coverage &coverage() const { return coverage_; }

    // For whoever lives in it.
    [[nodiscard]] Time now() const { return now_; }
    void after(Time delay, std::function<void()> what);
    Random &random() { return random_; }
    FakeDatabase &database() { return database_; }
    FakeChain &chain() { return chain_; }
    [[nodiscard]] Mutation mutation() const { return mutation_; }
    [[nodiscard]] const Fortune &fortuneOf(RequestId request) const;
    [[nodiscard]] int lanes() const { return lanes_; }
    [[nodiscard]] Process *process(int name, int incarnation) const;
    [[nodiscard]] bool nodeAway() const { return nodeAwayUntil_ > now_; }
    // How many blocks behind a node answers.
    std::int64_t lag();
    void had(Fault fault);
    // An instance that was asked to end has done so.
    void drained(int name, int incarnation);
    void recovered(Epoch epoch) const;
    Hash newHash() { return nextHash_++; }

    // A statement (`work`, at the database) and what comes back of it; nothing: in doubt.
    template <typename Work, typename Then>
    void statement(Work work, Then then)
    {
        exchange(statementFate(), std::move(work), std::move(then));
    }
    // The same with a node.
    template <typename Work, typename Then>
    void call(Work work, Then then)
    {
        exchange(callFate(), std::move(work), std::move(then));
    }

  private:
    enum class Fate : std::uint8_t
    {
        Arrives,
        Lost,
        AnswerLost,
        Late
    };
    struct Moment
    {
        Time at{0};
        std::uint64_t order = 0;
        std::uint32_t slot = 0;

        bool operator>(const Moment &other) const
        {
            return std::pair(at, order) > std::pair(other.at, other.order);
        }
    };
    struct Client
    {
        core::Kind kind = core::Kind::InputProof;
        int content = 0;
        Fortune fortune;
        bool accepted = false;
    };

    template <typename Work, typename Then>
    void exchange(Fate fate, Work work, Then then)
    {
        using Result = std::invoke_result_t<Work>;
        const Time there = random_.between(kShortest, kLongest);
        const Time back = random_.between(kShortest, kLongest);
        switch (fate)
        {
            case Fate::Arrives:
                after(there, [this, back, work = std::move(work), then = std::move(then)]() {
                    auto result = std::make_shared<Result>(work());
                    after(back, [result = std::move(result), then] { then(result.get()); });
                });
                return;
            case Fate::AnswerLost:
                after(there, [work = std::move(work)] { static_cast<void>(work()); });
                break;
            case Fate::Late:
                after(kPatience + there * 40,
                      [work = std::move(work)] { static_cast<void>(work()); });
                break;
            case Fate::Lost: break;
        }
        after(kPatience + back,
              [then = std::move(then)] { then(static_cast<const Result *>(nullptr)); });
    }

    Fate statementFate();
    Fate callFate();
    Fate fate(std::size_t inAThousand, Fault lost, Fault answerLost, Fault late);
    [[nodiscard]] bool isFaulty() const { return now_ < faultsEnd_; }
    void step();
    void start(int name);
    void crash(int name);
    void startAgain(int name);
    void drain(int name);
    void actAsOperator();
    [[nodiscard]] RequestId pickForOperator(bool dispatch);
    void beat();
    void causeTrouble();
    void sendNodeAway();
    void troubleOnChain(std::size_t which);
    void mineOn();
    void drawClients();
    Fortune drawFortune(core::Kind kind);
    void post(std::size_t number);
    void ended(const Row &row, core::Transition transition);
    void cursorMoved(const Cursor &cursor) const;
    void claimed(const Row &row) const;
    static void overdue(const Row &row, bool hasOpenAttempt);
    void mined(const Signed &transaction, FakeChain::Fate fate);
    void unmined(const Signed &transaction, FakeChain::Fate fate);
    [[nodiscard]] bool mayBeSentAgain(const Signed &transaction, FakeChain::Fate fate) const;
    void admitted(const Row &row);
    void moved(const Row &row, core::Status from);

    // The invariants (invariants.cc).
    void check();
    void checkRows();
    void checkLanes();
    void checkTheEnd() const;
    [[nodiscard]] bool allIsOver() const;

    static constexpr Time kShortest{std::chrono::milliseconds(1)};
    static constexpr Time kLongest{std::chrono::milliseconds(60)};
    static constexpr Time kPatience{std::chrono::milliseconds(900)};

    Random random_;
    const Mutation mutation_;
    Coverage coverage_;
    Time now_{0};
    Time databaseAhead_{0};
    Time databaseAwayUntil_{0};
    Time nodeAwayUntil_{0};
    Time awayForLongUntil_{-std::chrono::hours(1)};
    Time nodeLagsUntil_{0};
    Time faultsEnd_{0};
    std::uint64_t steps_ = 0;
    std::uint64_t order_ = 0;
    std::vector<Moment> moments_;  // a heap
    std::vector<std::function<void()>> slots_;
    std::vector<std::uint32_t> freeSlots_;
    int lanes_ = 1;
    Hash nextHash_ = 1;
    std::vector<Client> clients_;
    std::vector<int> incarnations_;
    std::vector<std::unique_ptr<Process>> processes_;
    FakeDatabase database_;
    FakeChain chain_;

    std::vector<std::pair<Time, Fault>> troubles_;

    std::uint64_t checkedVersion_ = 0;
    std::size_t checkedAttempts_ = 0;
    std::vector<core::Status> statuses_;  // as of the last look
    // What was told as it happened, as the metrics of the instances are.
    using Tally = std::array<std::array<std::int64_t, core::kStatuses>, core::kKinds>;
    Tally tally_{};
    std::array<std::int64_t, core::kKinds> admitted_{};
    std::array<std::int64_t, core::kKinds> ended_{};
    // Of these kinds a reorg took events back, so that ids are given twice.
    std::set<core::Kind> takenBack_;
    std::vector<int> requestsOnChain_;      // by request
    std::vector<std::int64_t> attemptsAt_;  // by lane: the nonces that are written for
};
}  // namespace relayer::sim
