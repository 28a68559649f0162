// The keys about host chains and about what is asked before a decryption goes on.
#include "config/schema.h"

namespace relayer::config
{
namespace
{
constexpr std::size_t mostHostChains = 64;
constexpr auto hour = std::chrono::hours(1);

struct CheckPaths
{
    std::string_view maxAttempts, interval, maxBatch;
};

void describeCheck(std::vector<Key> &keys, const CheckPaths &paths, ReadinessCheckSettings &check,
                   std::string_view batch)
{
    keys.insert(keys.end(), {{paths.maxBatch, Integer{&check.maxBatch, 1, 1000}, batch},
                             {paths.maxAttempts, Integer{&check.retry.maxAttempts, 1, 100000},
                              "How often it is asked at the most."},
                             {paths.interval, Duration{&check.retry.interval, 10ms, hour},
                              "The pause in between."}});
}

struct QueuePaths
{
    std::string_view capacity, safetyMargin, maxConcurrency;
};

void describeQueue(std::vector<Key> &keys, const QueuePaths &paths, ReadinessQueueSettings &queue)
{
    keys.insert(
        keys.end(),
        {{paths.capacity, Integer{&queue.capacity, 1, 1000000},
          "Requests that may wait for their first check, whoever took them in; and how many may be "
          "kept in memory between two checks."},
         {paths.safetyMargin, Integer{&queue.safetyMargin, 0, 999999},
          "Places of these that new requests do not get."},
         {paths.maxConcurrency, Integer{&queue.maxConcurrency, 1, 10000},
          "Requests whose question is with a node at the same time; those that wait for their next "
          "try do not count."}});
}

void crossCheckQueue(const std::string &path, const ReadinessQueueSettings &queue,
                     Contradictions &wrong)
{
    if (queue.safetyMargin >= queue.capacity)
    {
        wrong.emplace_back(path + ".safety_margin", "must be below " + path + ".capacity");
    }
}
}  // namespace

void describeReadiness(std::vector<Key> &keys, Settings &settings)
{
    keys.push_back({"host_chains", HostChainList{&settings.hostChains, mostHostChains},
                    "The chains whose encrypted values are decrypted here, and the contract on "
                    "each that says who may. Handles of other chains are refused. Empty: all "
                    "decryptions are."});
    auto &readiness = settings.gateway.readiness;
    describeCheck(keys,
                  {"gateway.readiness_checker.host_acl_check.retry.max_attempts",
                   "gateway.readiness_checker.host_acl_check.retry.interval",
                   "gateway.readiness_checker.host_acl_check.max_batch"},
                  readiness.hostAcl,
                  "Requests of one host chain whose questions go to it in one call.");
    describeCheck(keys,
                  {"gateway.readiness_checker.gw_ciphertext_check.retry.max_attempts",
                   "gateway.readiness_checker.gw_ciphertext_check.retry.interval",
                   "gateway.readiness_checker.gw_ciphertext_check.max_batch"},
                  readiness.gwCiphertext,
                  "Requests whose questions go to the gateway in one batch of calls.");
    describeQueue(keys,
                  {"gateway.readiness_checker.public_decrypt.capacity",
                   "gateway.readiness_checker.public_decrypt.safety_margin",
                   "gateway.readiness_checker.public_decrypt.max_concurrency"},
                  readiness.publicDecrypt);
    describeQueue(keys,
                  {"gateway.readiness_checker.user_decrypt.capacity",
                   "gateway.readiness_checker.user_decrypt.safety_margin",
                   "gateway.readiness_checker.user_decrypt.max_concurrency"},
                  readiness.userDecrypt);
}

void crossCheckReadiness(const ReadinessSettings &readiness, Contradictions &wrong)
{
    crossCheckQueue("gateway.readiness_checker.public_decrypt", readiness.publicDecrypt, wrong);
    crossCheckQueue("gateway.readiness_checker.user_decrypt", readiness.userDecrypt, wrong);
}
}  // namespace relayer::config
