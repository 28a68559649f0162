#include "models/request_store.h"

#include "models/execute.h"
#include "models/pg_values.h"
#include "models/request_sql.h"
#include "models/request_writers.h"
#include "models/resumed_on.h"
#include "models/running_loop.h"

#include <cstring>

namespace relayer::models
{
using core::Kind;
using core::Transition;
using drogon::Task;

std::string_view name(Variant variant)
{
    static constexpr std::array<std::string_view, 3> kNames = {"direct", "delegated", "unified"};
    return kNames.at(static_cast<std::size_t>(variant));
}

std::uint64_t keyOf(const GatewayId &id)
{
    // The tail is a counter on the gateway; the head is a tag that all share.
    std::uint64_t key = 0;
    static_assert(sizeof(GatewayId) == 32);
    std::memcpy(&key, id.data() + 24, sizeof(key));
    return key;
}

namespace
{
std::array<std::shared_ptr<GroupCommit<Step, StepResult>>, core::kTransitions> makeStepQueues(
    const ConnectionsPtr &writer, const GroupLimits &limits, const StatusNewsPtr &news)
{
    std::array<std::shared_ptr<GroupCommit<Step, StepResult>>, core::kTransitions> queues;
    for (const Transition transition : core::kAllTransitions)
    {
        queues.at(static_cast<std::size_t>(transition)) = GroupCommit<Step, StepResult>::create(
            limits, [writer, transition, news](BatchOf<Step> batch) {
                return writeSteps(writer, transition, std::move(batch), news);
            });
    }
    return queues;
}

void addUp(GroupCommitStats::Snapshot &sum, const GroupCommitStats::Snapshot &part)
{
    sum.batches += part.batches;
    sum.rows += part.rows;
    sum.largestBatch = std::max(sum.largestBatch, part.largestBatch);
    sum.waitMicrosTotal += part.waitMicrosTotal;
    for (std::size_t i = 0; i < GroupCommitStats::kSteps; ++i)
    {
        sum.batchRows.at(i) += part.batchRows.at(i);
        sum.waitMicros.at(i) += part.waitMicros.at(i);
    }
}
}  // namespace

RequestStore::RequestStore(ConnectionsPtr writer, ConnectionsPtr reader,
                           RequestStoreOptions options)
    : writer_(std::move(writer)),
      reader_(std::move(reader)),
      news_(std::move(options.news)),
      admissions_(Admissions::create(options.admissions,
                                     [client = writer_](BatchOf<NewRequest> batch) {
                                         return writeAdmissions(client, std::move(batch));
                                     })),
      steps_(makeStepQueues(writer_, options.transitions, news_)),
      answers_(Answers::create(options.transitions,
                               [client = writer_](BatchOf<Answer> batch) {
                                   return writeAnswers(client, std::move(batch));
                               })),
      shares_(Shares::create(options.transitions,
                             [client = writer_](BatchOf<Share> batch) {
                                 return writeShares(client, std::move(batch));
                             })),
      settlements_(Settlements::create(options.transitions,
                                       [client = writer_, news = news_](BatchOf<Settlement> batch) {
                                           return writeSettlements(client, std::move(batch), news);
                                       })),
      polls_(Polls::create(options.polls, [client = reader_](BatchOf<core::JobId> batch) {
          return readPolls(client, std::move(batch));
      }))
{}

Task<Admission> RequestStore::admit(NewRequest request)
{
    const Gate::Pass inside = gate_.enter();
    co_return co_await admissions_->submit(std::move(request));
}

Task<StepOutcome> RequestStore::apply(Step step)
{
    const StepResult result = co_await applyWithTicket(std::move(step));
    co_return result.outcome;
}

Task<StepResult> RequestStore::applyWithTicket(Step step)
{
    const Gate::Pass inside = gate_.enter();
    auto &queue = steps_.at(static_cast<std::size_t>(step.transition));
    co_return co_await queue->submit(std::move(step));
}

Task<ReceiptOutcome> RequestStore::markReceiptReceived(RequestId id, std::optional<Claimer> claimer,
                                                       TxHash txHash, GatewayId gatewayId,
                                                       Kind kind)
{
    const Gate::Pass inside = gate_.enter();
    Step step;
    step.transition = Transition::MarkReceiptReceived;
    step.id = id;
    step.claimer = claimer;
    step.txHash = txHash;
    step.gatewayId = gatewayId;
    ReceiptOutcome receipt;
    auto *const home = runningLoopOfThisThread();
    receipt.outcome = co_await apply(step);
    if (receipt.outcome == StepOutcome::Lost)
    {
        // Perhaps only because a request, whose receipt a reorg took back, still has the id.
        const drogon::orm::Result freed = co_await resumedOn(
            home, execute(writer_, &sql::freeGatewayId(), id, binaryParameter(gatewayId)));
        if (!freed.empty())
        {
            receipt.outcome = co_await apply(step);
        }
    }
    if (receipt.outcome == StepOutcome::Won)
    {
        // Receipt and answer may have been committed at the same time without seeing each other.
        // Each looks again after its own commit, so the later of the two looks sees both.
        const Settlement settlement{kind, gatewayId};
        receipt.ended = co_await settlements_->submit(settlement);
    }
    co_return receipt;
}

Task<ReceiptOutcome> RequestStore::replaceReceipt(RequestId id, std::optional<TxHash> oldHash,
                                                  TxHash txHash, GatewayId gatewayId)
{
    const Gate::Pass inside = gate_.enter();
    const drogon::orm::Result rows =
        co_await resumedOn(runningLoopOfThisThread(),
                           execute(writer_, &sql::replaceReceipt(), id, binaryOrNull(oldHash),
                                   binaryParameter(txHash), binaryParameter(gatewayId)));
    ReceiptOutcome receipt;
    if (rows.empty())
    {
        co_return receipt;
    }
    receipt.outcome = StepOutcome::Won;
    // The answer to this id may be here.
    const auto kind = core::parseKind(rows[0][1].as<std::string_view>());
    const Settlement settlement{kind.value_or(Kind::InputProof), gatewayId};
    receipt.ended = co_await settlements_->submit(settlement);
    co_return receipt;
}

Task<Arrival> RequestStore::keepAnswer(Answer answer)
{
    const Gate::Pass inside = gate_.enter();
    if (answer.kind == Kind::UserDecrypt || (!answer.accepted && answer.kind != Kind::InputProof))
    {
        throw StoreError(StoreError::Code::Refused, "this kind of request has no such answer");
    }
    const Settlement settlement{answer.kind, answer.gatewayId};
    Arrival arrival;
    arrival.fresh = co_await answers_->submit(std::move(answer));
    arrival.ended = co_await settlements_->submit(settlement);
    co_return arrival;
}

Task<Arrival> RequestStore::keepShare(Share share)
{
    const Gate::Pass inside = gate_.enter();
    const Settlement settlement{Kind::UserDecrypt, share.gatewayId};
    Arrival arrival;
    arrival.fresh = co_await shares_->submit(std::move(share));
    arrival.ended = co_await settlements_->submit(settlement);
    co_return arrival;
}

RequestStore::Stats RequestStore::stats() const
{
    Stats stats;
    stats.admissions = admissions_->stats();
    for (const auto &queue : steps_)
    {
        addUp(stats.transitions, queue->stats());
    }
    addUp(stats.transitions, settlements_->stats());
    stats.polls = polls_->stats();
    return stats;
}

bool RequestStore::close(std::chrono::milliseconds atMost)
{
    gate_.close();
    admissions_->close();
    for (const auto &queue : steps_)
    {
        queue->close();
    }
    answers_->close();
    shares_->close();
    settlements_->close();
    polls_->close();
    return gate_.waitUntilEmpty(atMost);
}
}  // namespace relayer::models
