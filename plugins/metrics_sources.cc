#include "plugins/metrics_sources.h"

#include "plugins/log_sink.h"
#include "wire/build_info.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace relayer::plugins
{
void writeBuild(MetricsText &text)
{
    const wire::BuildInfo &build = wire::buildInfo();
    text.family("relayer_build_info", "gauge", "Which program this is.");
    text.sample("relayer_build_info", {{"version", build.version}, {"build", build.build}},
                std::uint64_t{1});
    text.single(
        "relayer_http_connections", "gauge", "Open connections of clients.",
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, drogon::app().getConnectionCount())));
    text.single("relayer_log_lines_dropped_total", "counter",
                "Lines that found no room before the log was written.",
                LogSink::droppedByInstalled());
}

void writeQueues(MetricsText &text, const TxThrottler &throttler, const ReadinessGate &readiness)
{
    struct Queue
    {
        std::string_view name;
        std::size_t waiting;
        std::size_t softLimit;
        std::optional<std::uint64_t> perSecond;
    };
    const auto beforeTheChain = [&throttler](std::string_view name, core::Kind kind) {
        const auto queue = throttler.snapshot(kind);
        return Queue{name, queue.waiting, queue.softLimit, queue.perSecond};
    };
    const auto beforeReadiness = [&readiness](std::string_view name, core::Kind kind) {
        const auto line = readiness.snapshot(kind).line;
        return Queue{name, line.waiting, line.softLimit, std::nullopt};
    };
    const std::array<Queue, 5> queues = {
        beforeTheChain("input_proof_tx_throttler", core::Kind::InputProof),
        beforeTheChain("user_decrypt_tx_throttler", core::Kind::UserDecrypt),
        beforeTheChain("public_decrypt_tx_throttler", core::Kind::PublicDecrypt),
        beforeReadiness("user_decrypt_readiness_throttler", core::Kind::UserDecrypt),
        beforeReadiness("public_decrypt_readiness_throttler", core::Kind::PublicDecrypt)};
    const auto each = [&](std::string_view name, std::string_view help, auto value) {
        text.family(name, "gauge", help);
        for (const Queue &queue : queues)
        {
            if (const std::optional<std::uint64_t> number = value(queue))
            {
                text.sample(name, {{"queue_type", queue.name}}, *number);
            }
        }
    };
    each("relayer_queue_size_count",
         "Requests that wait in the queue of the whole deployment, as this instance knows it.",
         [](const Queue &queue) { return std::optional<std::uint64_t>(queue.waiting); });
    each("relayer_queue_soft_limit", "From how many on this instance turns new requests away.",
         [](const Queue &queue) { return std::optional<std::uint64_t>(queue.softLimit); });
    each("relayer_queue_rate", "How many go in a second, in the whole deployment.",
         [](const Queue &queue) { return queue.perSecond; });
    text.family("relayer_readiness_checking", "gauge",
                "Decryptions that this instance asks chains for.");
    for (const core::Kind kind : {core::Kind::PublicDecrypt, core::Kind::UserDecrypt})
    {
        text.sample("relayer_readiness_checking", {{"req_type", core::name(kind)}},
                    static_cast<std::uint64_t>(readiness.snapshot(kind).checks.checking));
    }
}

namespace
{
void writeEndpoints(MetricsText &text, const std::vector<chain::rpc::EndpointSnapshot> &endpoints)
{
    using Endpoint = chain::rpc::EndpointSnapshot;
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
        text.family(name, type, help);
        for (const Endpoint &endpoint : endpoints)
        {
            text.sample(name, {{"endpoint", endpoint.name}},
                        static_cast<std::uint64_t>(value(endpoint)));
        }
    };
    each("relayer_rpc_calls_total", "counter", "Calls to a node of the gateway.",
         [](const Endpoint &endpoint) { return endpoint.calls; });
    each("relayer_rpc_failures_total", "counter", "Of these, those that were not answered.",
         [](const Endpoint &endpoint) { return endpoint.failures; });
    each("relayer_rpc_in_flight", "gauge", "Calls that are on their way.",
         [](const Endpoint &endpoint) { return endpoint.inFlight; });
    each("relayer_rpc_out", "gauge", "Whether it is left alone for a while after failures.",
         [](const Endpoint &endpoint) { return endpoint.out ? 1 : 0; });
}
}  // namespace

void writeLane(MetricsText &text, const TxEngine &engine)
{
    const auto lane = engine.snapshot();
    const auto gauge = [&text](std::string_view name, std::string_view help, auto value) {
        text.single(name, "gauge", help, static_cast<std::uint64_t>(value));
    };
    gauge("relayer_lane_held", "Whether this instance holds its lane.", lane.held);
    gauge("relayer_lane_paused", "Whether the lane waits for its chain.", lane.paused);
    gauge("relayer_lane_paused_by_operator",
          "Whether an operator has paused the lane that this instance is configured for.",
          lane.pausedByAdmin);
    gauge("relayer_lane_next_nonce", "The next nonce of the lane.", lane.nextNonce);
    gauge("relayer_tx_preparing", "Requests whose gas is being estimated.", lane.preparing);
    gauge("relayer_tx_signing", "Requests that wait for a nonce.", lane.signing);
    gauge("relayer_tx_in_air", "Transactions that were sent and are not mined.", lane.inAir);
    gauge("relayer_tx_open_attempts", "Attempts that are not closed.", lane.open);
    gauge("relayer_tx_waiting_to_resend", "Decryptions that are sent once more.",
          lane.waitingToResend);
    const WalletWatch::Snapshot wallet = engine.wallet();
    const auto amount = [&text](std::string_view name, std::string_view help, auto value) {
        text.family(name, "gauge", help);
        if (value)
        {
            text.sample(name, {}, *value);
        }
    };
    amount("relayer_wallet_gas_balance",
           "What the signer's account has for gas, in whole coins; absent while it is not known.",
           wallet.gas);
    amount("relayer_wallet_fee_balance",
           "Fee tokens of the signer's account, in whole tokens of 18 decimals; absent without "
           "gateway.contracts.fee_token.",
           wallet.fees);
    amount("relayer_wallet_fee_allowance",
           "Fee tokens that the protocol may still take from it; absent without "
           "gateway.contracts.protocol_payment.",
           wallet.allowance);
    writeEndpoints(text, engine.endpoints());
}

void writeSources(MetricsText &text, const GatewayListener &listener)
{
    const auto sources = listener.snapshot();
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
        text.family(name, type, help);
        for (const SourceState &source : sources)
        {
            if (const std::optional<std::uint64_t> number = value(source))
            {
                text.sample(name, {{"listener", source.name}}, *number);
            }
        }
    };
    using Number = std::optional<std::uint64_t>;
    each("relayer_listener_connected", "gauge", "Whether it hears of events.",
         [](const SourceState &source) { return Number(source.connected ? 1U : 0U); });
    each("relayer_listener_lag_blocks", "gauge", "Blocks between the chain's head and the cursor.",
         [](const SourceState &source) {
             const auto lag = source.lag();
             return lag ? Number(static_cast<std::uint64_t>(std::max<std::int64_t>(0, *lag)))
                        : Number();
         });
    each("relayer_listener_events_stored_total", "counter", "Events that went into the inbox.",
         [](const SourceState &source) { return Number(source.stored); });
    each("relayer_listener_events_known_total", "counter", "Events that were there already.",
         [](const SourceState &source) { return Number(source.known); });
    each("relayer_listener_events_foreign_total", "counter",
         "Events that were not for requests of ours.",
         [](const SourceState &source) { return Number(source.foreign); });
    each("relayer_listener_events_dropped_total", "counter",
         "Events that were pushed while the queue was full; they are read again.",
         [](const SourceState &source) { return Number(source.dropped); });
    each("relayer_listener_last_block", "gauge", "The block up to which it has read.",
         [](const SourceState &source) {
             return source.cursor ? Number(static_cast<std::uint64_t>(
                                        std::max<std::int64_t>(0, *source.cursor)))
                                  : Number();
         });
    each("relayer_listener_reorgs_total", "counter", "Reorganisations that it saw.",
         [](const SourceState &source) { return Number(source.reorgs); });
    each("relayer_listener_failures", "gauge", "Failures in a row.",
         [](const SourceState &source) { return Number(source.failures); });
}

void writeRecovery(MetricsText &text, const StartupRecovery &recovery)
{
    const StartupRecovery::Progress progress = recovery.progress();
    text.single("relayer_recovery_done", "gauge",
                "Whether this start is through with what its predecessor left.",
                std::uint64_t{progress.done ? 1U : 0U});
    text.family("relayer_recovery_requests_total", "counter",
                "What it has done with requests that its predecessor held: `reset` to processing, "
                "`processing` and `queued` given back, `receipt_received` let go.");
    const auto sample = [&text](std::string_view what, std::size_t count) {
        text.sample("relayer_recovery_requests_total", {{"what", what}},
                    static_cast<std::uint64_t>(count));
    };
    sample("reset", progress.reset);
    sample("processing", progress.givenBackProcessing);
    sample("queued", progress.givenBackQueued);
    sample("receipt_received", progress.letGo);
}

void writeWaiters(MetricsText &text, const StatusWatch &watch)
{
    text.family("relayer_waiters", "gauge",
                "Clients of this instance that wait for a job to move.");
    text.sample("relayer_waiters", {{"how", "long_poll"}},
                static_cast<std::uint64_t>(watch.polls()));
    text.sample("relayer_waiters", {{"how", "events"}},
                static_cast<std::uint64_t>(watch.streams()));
    const WaitingRoom::Snapshot room = watch.room()->snapshot();
    text.single("relayer_waiters_jobs", "gauge", "Jobs that they wait for.",
                static_cast<std::uint64_t>(room.jobs));
    text.single("relayer_waiters_woken_total", "counter", "Those that were told of a change.",
                room.woken);
    text.single("relayer_waiters_reads_total", "counter", "Statements that were made for them.",
                room.reads + room.compares);
}

void writeSignatures(MetricsText &text, const SignatureCheck &check)
{
    const SignatureChecker::Counts counts = check.checker().counts();
    constexpr std::string_view kName = "relayer_user_decrypt_signature_precheck_total";
    text.family(kName, "counter", "User decryptions of version 3 by what their signature came to.");
    text.sample(kName, {{"outcome", "accepted"}}, counts.accepted);
    text.sample(kName, {{"outcome", "rejected"}}, counts.rejected);
    text.sample(kName, {{"outcome", "host_call_failed"}}, counts.hostCallFailed);
}
}  // namespace relayer::plugins
