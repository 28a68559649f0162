// The keys about deadlines, take-over and retention.
#include "config/schema.h"

namespace relayer::config
{
namespace
{
constexpr auto hour = std::chrono::hours(1);
constexpr milliseconds week = 7 * 24 * hour;
constexpr milliseconds tenYears = 3650 * 24 * hour;
}  // namespace

void describeSweeper(std::vector<Key> &keys, SweeperSettings &sweeper)
{
    keys.insert(
        keys.end(),
        {{"sweeper.interval", Duration{&sweeper.interval, 1s, hour},
          "How often it is looked for instances that do not come back, and six times as long for "
          "what is overdue."},
         {"sweeper.batch_rows", Integer{&sweeper.batchRows, 10, 100'000},
          "Rows that one statement takes at the most; fewer for a while after one that took too "
          "long."},
         {"sweeper.response_timeout.input_proof",
          Duration{&sweeper.responseTimeout.inputProof, 1s, week}, "Of an input proof."},
         {"sweeper.response_timeout.public_decrypt",
          Duration{&sweeper.responseTimeout.publicDecrypt, 1s, week}, "Of a public decryption."},
         {"sweeper.response_timeout.user_decrypt",
          Duration{&sweeper.responseTimeout.userDecrypt, 1s, week}, "Of a user decryption."},
         {"sweeper.deadline.queued", Duration{&sweeper.queued, 1s, week},
          "Before the readiness check is over; then it has timed out."},
         {"sweeper.deadline.processing", Duration{&sweeper.processing, 1s, week},
          "In the queue before the chain; then it has failed."},
         {"sweeper.deadline.tx_in_flight", Duration{&sweeper.txInFlight, 1s, week},
          "With a transaction on its way; then it is given up, and fails once the nonce of that "
          "transaction is closed."},
         {"sweeper.keep.input_proof", Duration{&sweeper.keep.inputProof, 0ms, tenYears},
          "Input proofs."},
         {"sweeper.keep.public_decrypt", Duration{&sweeper.keep.publicDecrypt, 0ms, tenYears},
          "Public decryptions."},
         {"sweeper.keep.user_decrypt", Duration{&sweeper.keep.userDecrypt, 0ms, tenYears},
          "User decryptions, with their shares."},
         {"sweeper.keep_foreign", Duration{&sweeper.keepForeign, hour, week},
          "How long answers are kept that came while we waited for ours, and were for others."}});
}

void crossCheckSweeper(const Settings &settings, Contradictions &wrong)
{
    if (settings.instance.lease < 3 * settings.instance.heartbeat)
    {
        wrong.emplace_back("instance.lease", "must be at least three times instance.heartbeat");
    }
}
}  // namespace relayer::config
