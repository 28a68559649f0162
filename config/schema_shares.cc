// The keys about shares of votes.
#include "config/node_url.h"
#include "config/schema.h"
#include "config/units.h"
#include "core/bytes.h"

#include <algorithm>
#include <array>

namespace relayer::config
{
namespace
{
constexpr auto minute = std::chrono::minutes(1);
constexpr auto hour = std::chrono::hours(1);
constexpr std::size_t mostKeys = 16;
constexpr std::size_t mostWaits = 32;
constexpr std::array<std::string_view, 2> uiModes = {"prod", "dev"};
constexpr std::string_view pathForm = "the path of a file";

bool areKeys(std::string_view text)
{
    const auto keys = partsOf(text);
    return !keys.empty() && keys.size() <= mostKeys &&
           std::all_of(keys.begin(), keys.end(), [](const std::string &key) {
               return key.size() == 64 && core::fromHex(key).has_value();
           });
}

bool isGraphic(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool areWaits(std::string_view text)
{
    return parseWaits(text).has_value();
}

bool isHttpUrl(std::string_view text)
{
    return isNodeUrl(text, false);
}

bool isAbsolute(std::string_view text)
{
    return text.starts_with('/');
}

void describeProver(std::vector<Key> &keys, ShareSchedulerSettings &shares)
{
    constexpr std::string_view absolute = "an absolute path";
    keys.insert(
        keys.end(),
        {{"share_scheduler.prover_library",
          Text{&shares.proverLibrary, 4096, true, isAbsolute, absolute},
          "The shared library that proves, with the functions of plugins/share_library_abi.h. It "
          "is worked with in a process of its own."},
         {"share_scheduler.prover_command",
          Text{&shares.proverCommand, 4096, true, isAbsolute,
               "the absolute path of a program and its arguments, with blanks in between"},
          "Instead of a library: a program that is started for each proof, with JSON on its input "
          "and output (plugins/prover_process.h). Without either, the routes of shares answer "
          "503."},
         {"share_scheduler.prover_worker",
          Text{&shares.proverWorker, 4096, true, isAbsolute, absolute},
          "The program that loads the library. Empty: this one; an application that embeds the "
          "module names a `relayer` here."},
         {"share_scheduler.prover_deadline", Duration{&shares.proverDeadline, 100ms, hour},
          "How long one proof may take; then it is ended, and has failed."},
         {"share_scheduler.prover_memory",
          Bytes{&shares.proverMemory, 16 * MiB, std::uint64_t{1024} * 1024 * MiB},
          "How much memory one proof may reserve."},
         {"share_scheduler.max_concurrent_proofs", Integer{&shares.maxConcurrentProofs, 0, 1024},
          "Shares that are proved at the same time; 0 is taken for 1."},
         {"share_scheduler.max_held", Integer{&shares.maxHeld, 1, 10'000},
          "Shares that are worked on at the same time: those, and what waits for its block."}});
}
}  // namespace

std::optional<std::vector<std::chrono::seconds>> parseWaits(std::string_view text)
{
    std::vector<std::chrono::seconds> waits;
    for (const std::string &part : partsOf(text))
    {
        const auto wait = parseDuration(part);
        if (!wait || *wait % 1s != 0ms || *wait < 1s || *wait > hour)
        {
            return std::nullopt;
        }
        waits.push_back(std::chrono::duration_cast<std::chrono::seconds>(*wait));
    }
    return waits.size() > mostWaits ? std::nullopt : std::optional(waits);
}

void describeShares(std::vector<Key> &keys, ShareSchedulerSettings &shares)
{
    keys.insert(
        keys.end(),
        {{"share_scheduler.enabled", Flag{&shares.enabled},
          "Whether shares are taken. If not, their routes answer 503."},
         {"share_scheduler.witness_keys",
          SecretText{&shares.witnessKeys, &shares.witnessKeysFile,
                     "share_scheduler.witness_keys_file", false, areKeys,
                     "64 hexadecimal digits for each key, with commas in between"},
          "What the secrets of shares are sealed with. The first key seals, all of them open; what "
          "was sealed with one that is no longer here can not be read by anybody."},
         {"share_scheduler.witness_keys_file",
          Text{&shares.witnessKeysFile, 4096, true, nullptr, pathForm},
          "A file whose content is these keys."},
         {"share_scheduler.api_token",
          SecretText{&shares.apiToken, &shares.apiTokenFile, "share_scheduler.api_token_file",
                     false, isGraphic, "text without blanks"},
          "What clients show in X-Helper-Token. Not given: nobody has to show anything."},
         {"share_scheduler.api_token_file",
          Text{&shares.apiTokenFile, 4096, true, nullptr, pathForm},
          "A file whose content is this token."},
         {"share_scheduler.expose_queue_status", Flag{&shares.exposeQueueStatus},
          "Whether queue-status is answered. It tells how many shares wait, and so, to who asks "
          "often, when they are sent."},
         {"share_scheduler.chain", UrlList{&shares.chain, 1, "chain", false},
          "The REST address of the vote chain."},
         {"share_scheduler.chain_node", UrlList{&shares.chainNode, 1, "node", false},
          "The RPC address of its node (CometBFT), which tells what is in blocks. Without it, "
          "share-status says pending for ever, and a share of which the chain's pool says that it "
          "is spent is believed to be on the chain once the pool says so again."},
         {"share_scheduler.timeout", Duration{&shares.timeout, 100ms, 5 * minute},
          "When a question to the chain is given up."},
         {"share_scheduler.submit_timeout", Duration{&shares.submitTimeout, 100ms, hour},
          "When sending a share is given up."}});
    describeProver(keys, shares);
    keys.insert(
        keys.end(),
        {{"share_scheduler.retry_waits",
          Text{&shares.retryWaits, 256, true, areWaits,
               "durations in whole seconds, with commas in between, at most 32"},
          "How long is waited after each attempt that failed; the share has failed when the "
          "attempt after the last wait does."},
         {"share_scheduler.chain_away", Duration{&shares.chainAway, 1s, hour},
          "How long nothing is sent when the chain as a whole does not answer. It costs no share "
          "an attempt."},
         {"share_scheduler.block_interval", Duration{&shares.blockInterval, 10ms, minute},
          "How often the chain is asked for the block of what was sent."},
         {"share_scheduler.block_patience", Duration{&shares.blockPatience, 100ms, hour},
          "How long a block is waited for before the share is sent again."},
         {"share_scheduler.maintenance", Duration{&shares.maintenance, 1s, hour},
          "How often rounds that are over are looked for when there is nothing else to do."}});
}

void describeVotingAdmin(std::vector<Key> &keys, VotingAdminSettings &voting)
{
    keys.insert(
        keys.end(),
        {{"voting_admin.enabled", Flag{&voting.enabled},
          "Whether /api/voting-config, /api/register-validator and /api/pending-validators are "
          "answered; else they say 503."},
         {"voting_admin.config_url",
          Text{&voting.configUrl, 2048, false, isHttpUrl, nodeUrlForm(false)},
          "Where the configuration is published. It is handed on byte for byte."},
         {"voting_admin.refresh", Duration{&voting.refresh, 100ms, 24 * hour},
          "How often it is asked for."},
         {"voting_admin.stale_at_most", Duration{&voting.staleAtMost, 0ms, 3650 * 24 * hour},
          "How long the last copy is told while the publisher is away. 0s: for ever."},
         {"voting_admin.chain", UrlList{&voting.chain, 1, "chain", false},
          "The REST address of the chain that knows its validators. Empty: nobody is taken for "
          "one already."},
         {"voting_admin.timeout", Duration{&voting.timeout, 100ms, 5 * minute},
          "When a question to either is given up."},
         {"voting_admin.registration_ttl", Duration{&voting.registrationTtl, 1s, 365 * 24 * hour},
          "How long a validator waits to be taken up."},
         {"voting_admin.sweep_interval", Duration{&voting.sweepInterval, 1s, 24 * hour},
          "How often those whose time is over are cleared away."},
         {"voting_admin.ui_mode", Choice{&voting.uiMode, uiModes},
          "What /api/ui-config says: dev shows controls that nobody wants in production."},
         {"voting_admin.precomputed_base_url",
          Text{&voting.precomputedBaseUrl, 2048, true, isHttpUrl, nodeUrlForm(false)},
          "What /api/ui-config says of where precomputed data is."},
         {"voting_admin.ui_folder",
          Text{&voting.uiFolder, 4096, true, isAbsolute, "an absolute path"},
          "The files of a single-page application, served at /. Empty: none. Only our own program "
          "serves them."}});
}

void crossCheckShares(const ShareSchedulerSettings &shares, Contradictions &wrong)
{
    if (!shares.proverLibrary.empty() && !shares.proverCommand.empty())
    {
        wrong.emplace_back("share_scheduler.prover_command",
                           "can not be together with share_scheduler.prover_library");
    }
    if (!shares.enabled)
    {
        return;
    }
    if (shares.witnessKeys.empty())
    {
        wrong.emplace_back("share_scheduler.witness_keys",
                           "is required when share_scheduler.enabled is true");
    }
    if (shares.chain.empty())
    {
        wrong.emplace_back("share_scheduler.chain",
                           "is required when share_scheduler.enabled is true");
    }
}
}  // namespace relayer::config
