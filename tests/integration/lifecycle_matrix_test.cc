// Every (kind, status, transition, ownership) against real PostgreSQL: the outcome is the table's.
#include "core/lifecycle.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <iostream>

namespace relayer::test
{
using core::Kind;
using core::Status;
using core::Transition;
using models::StepOutcome;

namespace
{
constexpr models::Claimer kMe = 7;
constexpr models::Claimer kAnother = 8;

enum class Ownership
{
    Nobody,
    Mine,
    Another,
};

struct Case
{
    Kind kind;
    Status status;
    Transition transition;
    Ownership ownership;
};

std::string describe(const Case &c)
{
    static constexpr std::array kOwners = {"nobody's", "mine", "another's"};
    return std::string(core::name(c.kind)) + " in " + std::string(core::name(c.status)) + ", " +
           kOwners.at(static_cast<std::size_t>(c.ownership)) + ": " +
           std::string(core::name(c.transition));
}

std::vector<Case> allCases()
{
    std::vector<Case> cases;
    for (const Kind kind : core::kAllKinds)
    {
        for (const Status status : core::kAllStatuses)
        {
            for (const Transition transition : core::kAllTransitions)
            {
                for (const Ownership ownership :
                     {Ownership::Nobody, Ownership::Mine, Ownership::Another})
                {
                    if (core::canBeIn(kind, status))
                    {
                        cases.push_back({kind, status, transition, ownership});
                    }
                }
            }
        }
    }
    return cases;
}

std::optional<models::Claimer> ownerOf(Ownership ownership)
{
    switch (ownership)
    {
        case Ownership::Nobody: return std::nullopt;
        case Ownership::Mine: return kMe;
        case Ownership::Another: return kAnother;
    }
    return std::nullopt;
}

// What the table says, with the one rule that is not in it: whose a claimed row is.
std::optional<Status> expected(const Case &c)
{
    if (core::belongsToTheClaimer(c.transition) && c.ownership == Ownership::Another)
    {
        return std::nullopt;
    }
    // A user decryption has no single answer that could be rejected, and a public one can not be:
    // the table has no such row, and the answer itself is refused (OnlyAnInputProofCanBeRejected).
    return core::next(c.kind, c.status, c.transition);
}

bool bringsAnswer(const Case &c)
{
    return c.transition == Transition::Complete || c.transition == Transition::Reject;
}

// True when this very call changed the status.
bool perform(TestStore &store, const Case &c, const Placed &row)
{
    if (bringsAnswer(c) && c.kind == Kind::UserDecrypt)
    {
        models::Share share;
        share.gatewayId = row.gatewayId;
        return await(store->keepShare(std::move(share))).ended.has_value();
    }
    if (bringsAnswer(c))
    {
        models::Answer answer;
        answer.kind = c.kind;
        answer.gatewayId = row.gatewayId;
        answer.accepted = c.transition == Transition::Complete;
        return await(store->keepAnswer(std::move(answer))).ended.has_value();
    }
    models::Step step;
    step.transition = c.transition;
    step.id = row.id;
    step.claimer = kMe;
    step.txHash = hash32(1, 0x7A);
    step.gatewayId = row.gatewayId;
    step.failure = core::Failure{core::FailureCode::Internal, "because of a test"};
    return await(store->apply(std::move(step))) == StepOutcome::Won;
}

PlacedRow rowFor(const Case &c)
{
    PlacedRow wanted;
    wanted.kind = c.kind;
    wanted.status = c.status;
    wanted.owner = ownerOf(c.ownership);
    wanted.referred = bringsAnswer(c);
    wanted.threshold = c.kind == Kind::UserDecrypt ? std::optional(1) : std::nullopt;
    return wanted;
}

void expectTheTablesOutcome(const TestDatabase &database, TestStore &store, const Case &c)
{
    SCOPED_TRACE(describe(c));
    const Placed row = place(database, rowFor(c));
    const std::string id = std::to_string(row.id);
    const std::string select =
        "SELECT status, live, dedup, coalesce(owner, 0), (SELECT count(*) FROM live_request l"
        " WHERE l.request_id = r.id) FROM request r WHERE id = " +
        id;
    const auto before = database.query(select);

    const bool won = perform(store, c, row);
    const auto after = database.query(select);

    const auto to = expected(c);
    EXPECT_EQ(won, to.has_value());
    if (!to)
    {
        EXPECT_EQ(before, after) << "a transition that lost changed the row";
        return;
    }
    const bool live = !core::isTerminal(*to);
    EXPECT_EQ(after[0][0], core::name(*to));
    EXPECT_EQ(after[0][1], live ? "t" : "f");
    EXPECT_EQ(after[0][2], core::keepsStandingForItsContent(c.transition, *to) ? "t" : "f");
    EXPECT_EQ(after[0][3], core::releasesClaim(c.transition) ? "0" : before[0][3]);
    EXPECT_EQ(after[0][4], live ? "1" : "0");
}
}  // namespace

TEST(RequestLifecycle, EveryTransitionFromEveryStatusEndsAsTheTableSays)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    std::size_t checked = 0;
    std::size_t legal = 0;
    for (const Case &c : allCases())
    {
        // The reject of a public decrypt can not even be kept; checked on its own below.
        if (c.transition == Transition::Reject && c.kind != Kind::InputProof)
        {
            continue;
        }
        expectTheTablesOutcome(database, store, c);
        ++checked;
        legal += expected(c) ? 1 : 0;
    }
    RecordProperty("cases", static_cast<int>(checked));
    std::cout << "# " << checked << " cases, " << legal << " of them legal\n";
    EXPECT_GT(checked, 400U);
}

TEST(RequestLifecycle, OnlyAnInputProofCanBeRejected)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    std::size_t checked = 0;
    for (const Case &c : allCases())
    {
        if (c.transition != Transition::Reject || c.kind == Kind::InputProof)
        {
            continue;
        }
        SCOPED_TRACE(describe(c));
        EXPECT_EQ(expected(c), std::nullopt);
        const Placed row = place(database, rowFor(c));
        const std::string select =
            "SELECT r::text FROM request r WHERE id = " + std::to_string(row.id);
        const std::string before = database.value(select);
        models::Answer answer;
        answer.kind = c.kind;
        answer.gatewayId = row.gatewayId;
        answer.accepted = false;
        EXPECT_THROW(await(store->keepAnswer(answer)), models::StoreError);
        EXPECT_EQ(database.value(select), before);
        ++checked;
    }
    // Two kinds, seven statuses, three sorts of owners.
    EXPECT_EQ(checked, 42U);
    EXPECT_EQ(database.value("SELECT count(*) FROM gateway_answer"), "0");
    EXPECT_EQ(database.value("SELECT count(*) FROM live_request"),
              database.value("SELECT count(*) FROM request WHERE live"));
}

TEST(RequestLifecycle, CompletionAndRejectionAreNotForCallers)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    for (const Transition transition : {Transition::Complete, Transition::Reject})
    {
        models::Step step;
        step.transition = transition;
        EXPECT_THROW(await(store->apply(step)), std::logic_error);
    }
}

TEST(RequestLifecycle, TheDatabaseRefusesAnInputProofThatIsQueued)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    EXPECT_THROW(place(database, {.kind = Kind::InputProof, .status = Status::Queued}),
                 std::runtime_error);
}

TEST(RequestLifecycle, AFailureIsStoredWithItsCodeAndDetail)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const Placed row = place(database, {.kind = Kind::PublicDecrypt, .status = Status::Processing});
    models::Step step;
    step.transition = Transition::FailTransaction;
    step.id = row.id;
    step.failure = core::Failure{core::FailureCode::ProtocolPaused, "0xd93c0665"};
    ASSERT_EQ(await(store->apply(step)), StepOutcome::Won);
    const auto stored =
        database.query("SELECT error_code, error_detail, status FROM request WHERE id = " +
                       std::to_string(row.id));
    EXPECT_EQ(stored[0], (std::vector<std::string>{"protocol_paused", "0xd93c0665", "failure"}));
}

TEST(RequestLifecycle, PassingReadinessGoesToTheEndOfTheNextQueue)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const Placed early = place(database, {.kind = Kind::PublicDecrypt, .status = Status::Queued});
    const Placed late =
        place(database, {.kind = Kind::PublicDecrypt, .status = Status::Processing});
    models::Step step;
    step.transition = Transition::PassReadiness;
    step.id = early.id;
    ASSERT_EQ(await(store->apply(step)), StepOutcome::Won);

    const auto claimed = await(store->claim(Kind::PublicDecrypt, Status::Processing, kMe, 10));
    ASSERT_EQ(claimed.size(), 2U);
    EXPECT_EQ(claimed[0].getValueOfId(), late.id);
    EXPECT_EQ(claimed[1].getValueOfId(), early.id);
    EXPECT_EQ(database.value("SELECT count(*) FROM live_request l JOIN request r ON r.id = "
                             "l.request_id AND r.ticket = l.ticket"),
              "2");
}
}  // namespace relayer::test
