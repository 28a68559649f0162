// The table of the lifecycle against a list that was written from the requirements by hand: every
// legal (kind, from, transition, to), and nothing else.
#include "core/lifecycle.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

namespace relayer::core
{
namespace
{
using enum Kind;
using enum Status;
using enum Transition;
using Step = std::tuple<Kind, Status, Transition, Status>;

const std::set<Step> kLegal = {
    {InputProof, Processing, MarkTxInFlight, TxInFlight},
    {InputProof, Processing, FailTransaction, Failure},
    {InputProof, Processing, FailInternally, Failure},
    {InputProof, TxInFlight, MarkReceiptReceived, ReceiptReceived},
    {InputProof, TxInFlight, FailTransaction, Failure},
    {InputProof, TxInFlight, FailInternally, Failure},
    {InputProof, TxInFlight, Recover, Processing},
    {InputProof, ReceiptReceived, Complete, Completed},
    {InputProof, ReceiptReceived, Reject, Failure},
    {InputProof, ReceiptReceived, TimeOut, TimedOut},
    {InputProof, ReceiptReceived, FailTransaction, Failure},
    {InputProof, ReceiptReceived, FailInternally, Failure},

    {PublicDecrypt, Queued, PassReadiness, Processing},
    {PublicDecrypt, Queued, FailReadiness, Failure},
    {PublicDecrypt, Queued, TimeOut, TimedOut},
    {PublicDecrypt, Queued, FailInternally, Failure},
    {PublicDecrypt, Processing, MarkTxInFlight, TxInFlight},
    {PublicDecrypt, Processing, FailTransaction, Failure},
    {PublicDecrypt, Processing, FailInternally, Failure},
    {PublicDecrypt, TxInFlight, MarkReceiptReceived, ReceiptReceived},
    {PublicDecrypt, TxInFlight, FailTransaction, Failure},
    {PublicDecrypt, TxInFlight, FailInternally, Failure},
    {PublicDecrypt, TxInFlight, Recover, Processing},
    {PublicDecrypt, ReceiptReceived, Complete, Completed},
    {PublicDecrypt, ReceiptReceived, TimeOut, TimedOut},
    {PublicDecrypt, ReceiptReceived, FailInternally, Failure},

    {UserDecrypt, Queued, PassReadiness, Processing},
    {UserDecrypt, Queued, FailReadiness, Failure},
    {UserDecrypt, Queued, TimeOut, TimedOut},
    {UserDecrypt, Queued, FailInternally, Failure},
    {UserDecrypt, Processing, MarkTxInFlight, TxInFlight},
    {UserDecrypt, Processing, FailTransaction, Failure},
    {UserDecrypt, Processing, FailInternally, Failure},
    {UserDecrypt, TxInFlight, MarkReceiptReceived, ReceiptReceived},
    {UserDecrypt, TxInFlight, FailTransaction, Failure},
    {UserDecrypt, TxInFlight, FailInternally, Failure},
    {UserDecrypt, TxInFlight, Recover, Processing},
    {UserDecrypt, ReceiptReceived, Complete, Completed},
    {UserDecrypt, ReceiptReceived, TimeOut, TimedOut},
    {UserDecrypt, ReceiptReceived, FailInternally, Failure},
};

template <typename Visit>
void forEveryTriple(const Visit &visit)
{
    for (const Kind kind : kAllKinds)
    {
        for (const Status status : kAllStatuses)
        {
            for (const Transition transition : kAllTransitions)
            {
                visit(kind, status, transition);
            }
        }
    }
}

std::string said(Kind kind, Status status, Transition transition)
{
    return std::string(name(kind)) + " " + std::string(name(status)) + " " +
           std::string(name(transition));
}

TEST(Lifecycle, TheTableAllowsWhatTheRequirementsAllowAndNothingElse)
{
    std::set<Step> allowed;
    forEveryTriple([&allowed](Kind kind, Status status, Transition transition) {
        if (const auto to = next(kind, status, transition))
        {
            allowed.emplace(kind, status, transition, *to);
        }
    });
    for (const Step &step : kLegal)
    {
        const auto [kind, from, transition, to] = step;
        EXPECT_TRUE(allowed.contains(step)) << "missing: " << said(kind, from, transition);
    }
    for (const Step &step : allowed)
    {
        const auto [kind, from, transition, to] = step;
        EXPECT_TRUE(kLegal.contains(step)) << "too much: " << said(kind, from, transition);
    }
    EXPECT_EQ(allowed.size(), 40U);
}

TEST(Lifecycle, EveryEdgeOfTheTableIsWalkedByTheList)
{
    std::size_t steps = 0;
    for (const Edge &edge : kEdges)
    {
        for (const Status status : kAllStatuses)
        {
            if (edge.from.contains(status))
            {
                ++steps;
                EXPECT_TRUE(kLegal.contains({edge.kind, status, edge.transition, edge.to}))
                    << said(edge.kind, status, edge.transition);
            }
        }
    }
    EXPECT_EQ(steps, kLegal.size());
}

TEST(Lifecycle, NothingLeadsOutOfAnEnd)
{
    forEveryTriple([](Kind kind, Status status, Transition transition) {
        if (status == Completed || status == TimedOut || status == Failure)
        {
            EXPECT_TRUE(isTerminal(status));
            EXPECT_FALSE(next(kind, status, transition)) << said(kind, status, transition);
        }
    });
}

TEST(Lifecycle, InputProofStartsAtProcessingAndIsNeverQueued)
{
    EXPECT_EQ(initialStatus(InputProof), Processing);
    EXPECT_FALSE(canBeIn(InputProof, Queued));
    EXPECT_EQ(initialStatus(PublicDecrypt), Queued);
    EXPECT_EQ(initialStatus(UserDecrypt), Queued);
    for (const Transition transition : kAllTransitions)
    {
        EXPECT_FALSE(next(InputProof, Queued, transition)) << name(transition);
    }
}

TEST(Lifecycle, EveryStatusIsReachedFromTheFirst)
{
    for (const Kind kind : kAllKinds)
    {
        std::set<Status> reached = {initialStatus(kind)};
        for (std::size_t round = 0; round < kStatuses; ++round)
        {
            forEveryTriple([&](Kind of, Status status, Transition transition) {
                const auto to = next(of, status, transition);
                if (of == kind && reached.contains(status) && to)
                {
                    reached.insert(*to);
                }
            });
        }
        for (const Status status : kAllStatuses)
        {
            EXPECT_EQ(reached.contains(status), canBeIn(kind, status))
                << name(kind) << " " << name(status);
        }
    }
}

TEST(Lifecycle, OnlyCompletedRejectedAndLiveRequestsStandForTheirContent)
{
    EXPECT_TRUE(keepsStandingForItsContent(Complete, Completed));
    EXPECT_TRUE(keepsStandingForItsContent(Reject, Failure));
    EXPECT_TRUE(keepsStandingForItsContent(MarkTxInFlight, TxInFlight));
    EXPECT_TRUE(keepsStandingForItsContent(Recover, Processing));
    EXPECT_FALSE(keepsStandingForItsContent(TimeOut, TimedOut));
    for (const Transition transition : {FailReadiness, FailTransaction, FailInternally})
    {
        EXPECT_FALSE(keepsStandingForItsContent(transition, Failure)) << name(transition);
    }
}

TEST(Lifecycle, NamesLeadBackAndNoTwoAreAlike)
{
    std::set<std::string_view> names;
    for (const Kind kind : kAllKinds)
    {
        EXPECT_EQ(parseKind(name(kind)), kind);
        names.insert(name(kind));
    }
    for (const Status status : kAllStatuses)
    {
        EXPECT_EQ(parseStatus(name(status)), status);
        names.insert(name(status));
    }
    for (const Transition transition : kAllTransitions)
    {
        names.insert(name(transition));
    }
    EXPECT_EQ(names.size(), kKinds + kStatuses + kTransitions);
    EXPECT_FALSE(parseKind("Input_proof"));
    EXPECT_FALSE(parseKind(""));
    EXPECT_FALSE(parseStatus("done"));
}

TEST(StatusSet, ItHoldsExactlyWhatWasPutIn)
{
    for (const Status one : kAllStatuses)
    {
        for (const Status other : kAllStatuses)
        {
            const StatusSet set = {one, other};
            EXPECT_FALSE(set.empty());
            for (const Status status : kAllStatuses)
            {
                EXPECT_EQ(set.contains(status), status == one || status == other);
            }
        }
    }
}

TEST(StatusSet, OneContainsAllOfAnotherWhenNothingIsMissing)
{
    const StatusSet both = {Queued, Failure};
    EXPECT_TRUE(both.containsAllOf({}));
    EXPECT_TRUE(both.containsAllOf({Queued}));
    EXPECT_TRUE(both.containsAllOf({Failure, Queued}));
    EXPECT_FALSE(both.containsAllOf({Queued, Completed}));
    EXPECT_TRUE(StatusSet{}.empty());
    EXPECT_EQ(both, (StatusSet{Failure, Queued}));
}

TEST(Lifecycle, ItsDocumentIsWhatTheTableSays)
{
    const auto file = test::sourceDir() / "docs/lifecycle.md";
    if (const char *update = std::getenv("RELAYER_UPDATE_DOCS");
        update != nullptr && std::string(update) == "1")
    {
        std::ofstream(file) << lifecycleDocument();
    }
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_EQ(text.str(), lifecycleDocument())
        << "write it anew: RELAYER_UPDATE_DOCS=1 ./test Lifecycle";
}
}  // namespace
}  // namespace relayer::core
