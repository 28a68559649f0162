// The configuration as the rest of the house sees it: plain values with their defaults.
#pragma once

#include "config/secret.h"
#include "core/address.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::config
{
using std::chrono::milliseconds;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;

/// Read by our own program only: an application that embeds the module has listeners, threads and
/// limits of its own.
struct HostSettings
{
    std::string address{"127.0.0.1"};
    std::uint64_t port{8088};
    std::uint64_t ioThreads{0};
    milliseconds idleConnectionTimeout{90s};
};

struct InstanceSettings
{
    std::string name;
    milliseconds heartbeat{2s};
    milliseconds lease{15s};
    milliseconds drainDeadline{20s};
    milliseconds drainPause{0};
};

struct DatabaseSettings
{
    /// One of the db_clients of the application that embeds us, whose address is used for ours.
    std::string dbClient;
    Secret url;
    std::string urlFile;
    Secret directUrl;
    std::string directUrlFile;
    std::uint64_t writeConnections{4};
    std::uint64_t readConnections{2};
    milliseconds statementTimeout{5s};
    milliseconds clientTimeout{8s};
    milliseconds connectTimeout{5s};
    bool migrate{true};
};

/// One group commit: who comes first commits for all who wait.
struct BatchSettings
{
    std::uint64_t maxBatchRows{512};
    std::uint64_t maxBatchBytes{4 * MiB};
    std::uint64_t maxWaiting{20000};
    std::uint64_t inFlight{2};
};

/// Polls of jobs that live: who comes first asks for all who wait.
struct PollSettings
{
    std::uint64_t maxBatchRows{256};
    std::uint64_t maxWaiting{20000};
    std::uint64_t inFlight{2};
};

struct ClientLimitSettings
{
    std::uint64_t requestsPerMinute{0};
    std::uint64_t burst{60};
    std::string keyHeader;
    std::uint64_t maxClients{100'000};
};

struct LongPollSettings
{
    milliseconds maxWait{30s};
    std::uint64_t maxWaiters{20'000};
};

struct EventSettings
{
    std::uint64_t maxStreams{5'000};
    milliseconds keepAlive{15s};
    milliseconds maxDuration{std::chrono::hours(1)};
};

/// How long the steps of a request take on a usual day. No defaults: who runs the relayer knows,
/// and has to say. 0: not given.
struct NominalTimeSettings
{
    std::uint64_t readinessCheckSeconds{0};
    std::uint64_t inputProofSeconds{0};
    std::uint64_t userDecryptSeconds{0};
    std::uint64_t publicDecryptSeconds{0};
    std::uint64_t txConfirmationMs{0};
};

/// When clients are told to come back.
struct RetryAfterSettings
{
    std::string estimator{"nominal"};
    std::uint64_t minSeconds{1};
    std::uint64_t maxSeconds{300};
    std::uint64_t safetyMarginMillionths{200'000};
    std::string backoff{"0s=4s, 1m=10s, 2m=30s, 5m=1m, 15m=5m"};
    NominalTimeSettings nominal;
};

struct HttpSettings
{
    /// In front of every path of ours: empty, or "/relayer".
    std::string pathPrefix;
    std::uint64_t maxBody{2 * MiB};
    std::uint64_t maxHandles{1024};
    std::uint64_t maxContracts{128};
    std::uint64_t endedAnswers{32 * MiB};
    milliseconds healthInterval{5s};
    std::string trustedProxies;
    std::string corsOrigins;
    ClientLimitSettings clientLimits;
    RetryAfterSettings retryAfter;
    LongPollSettings longPoll;
    EventSettings events;
};

/// A listener of its own, for who watches: its routes are not on that of the clients.
struct MetricsSettings
{
    bool count{true};
    bool enabled{false};
    std::string address{"127.0.0.1"};
    std::uint64_t port{9898};
};

/// Who may look inside and turn what can be turned at run time.
struct AdminSettings
{
    std::string access{"off"};
    Secret token;
    std::string tokenFile;
    std::string address;
    std::uint64_t port{9899};

    bool hasOwnListener() const { return access != "off" && !address.empty(); }
};

struct LogSettings
{
    std::string level{"info"};
    std::string format{"text"};
};

/// A node of a chain. Its name stands in the log; its URL often holds a key and does not.
struct NamedUrl
{
    std::string name;
    Secret url;
};

struct RpcSettings
{
    std::vector<NamedUrl> read;
    std::vector<NamedUrl> write;
    milliseconds timeout{10s};
    milliseconds syncTimeout{40s};
    std::uint64_t connections{64};
};

struct ContractSettings
{
    std::optional<core::Address> decryption;
    std::optional<core::Address> inputVerification;
    std::optional<core::Address> feeToken;
    std::optional<core::Address> protocolPayment;
};

struct RetrySettings
{
    std::uint64_t maxAttempts{100};
    milliseconds interval{500ms};
};

/// One of the two questions that stand before a decryption.
struct ReadinessCheckSettings
{
    RetrySettings retry;
    std::uint64_t maxBatch;
};

struct ReadinessQueueSettings
{
    std::uint64_t capacity{11000};
    std::uint64_t safetyMargin{1000};
    std::uint64_t maxConcurrency{250};
};

struct ReadinessSettings
{
    ReadinessCheckSettings hostAcl{{3, 1s}, 100};
    ReadinessCheckSettings gwCiphertext{{75, 3s}, 100};
    ReadinessQueueSettings publicDecrypt;
    ReadinessQueueSettings userDecrypt;
};

struct GatewaySettings
{
    std::uint64_t chainId{654321};
    bool strictChainId{false};
    std::uint64_t userDecryptSharesThreshold{9};
    std::uint64_t confirmations{0};
    RpcSettings rpc;
    ContractSettings contracts;
    ReadinessSettings readiness;

    /// Without a node requests are taken in, and wait.
    bool isOn() const { return !rpc.read.empty(); }
};

/// A chain whose encrypted values are decrypted here.
struct HostChainSettings
{
    std::uint64_t chainId{0};
    std::vector<NamedUrl> rpc;
    core::Address acl{};
};

struct KmsSettings
{
    std::string keyId;
    std::string region;
    std::string endpoint;
    std::string accessKeyId;
    Secret secretAccessKey;
    std::string secretAccessKeyFile;
    Secret sessionToken;
    std::string sessionTokenFile;
};

struct SignerSettings
{
    std::string type{"private_key"};
    Secret privateKey;
    std::string privateKeyFile;
    std::string lane{"main"};
    KmsSettings kms;
};

struct TxEngineSettings
{
    std::uint64_t maxInFlight{256};
    bool syncSend{true};
    milliseconds receiptPollInterval{500ms};
    milliseconds feeBumpAfter{30s};
    std::uint64_t feeBumpPercent{12};
    std::uint64_t maxFeeGwei{500};
    std::uint64_t gasLimitPercent{120};
    milliseconds resendWithoutEventAfter{30s};
    milliseconds laneLease{15s};
    RetrySettings retry;
};

/// The queue of one kind of request.
struct QueueSettings
{
    std::uint64_t perSecond{20};
    std::uint64_t capacity{11000};
    std::uint64_t safetyMargin{1000};
};

struct TxThrottlerSettings
{
    QueueSettings inputProof;
    QueueSettings publicDecrypt;
    QueueSettings userDecrypt;
};

struct ListenerSettings
{
    std::vector<NamedUrl> endpoints;
    milliseconds pollInterval{2s};
    milliseconds silence{20s};
    milliseconds recycle{std::chrono::minutes(30)};
    std::uint64_t maxBlockRange{1000};
    std::optional<std::uint64_t> startBlock;
    milliseconds keepUnmatched{std::chrono::minutes(10)};
};

struct ProtocolConfigSettings
{
    std::vector<NamedUrl> rpc;
    std::optional<core::Address> address;
    milliseconds thresholdTtl{std::chrono::minutes(5)};
};

struct TimePerKind
{
    milliseconds inputProof{0};
    milliseconds publicDecrypt{0};
    milliseconds userDecrypt{0};
};

struct SweeperSettings
{
    milliseconds interval{5s};
    std::uint64_t batchRows{500};
    TimePerKind responseTimeout{std::chrono::minutes(30), std::chrono::minutes(30),
                                std::chrono::minutes(30)};
    milliseconds queued{std::chrono::minutes(30)};
    milliseconds processing{std::chrono::minutes(30)};
    milliseconds txInFlight{std::chrono::minutes(30)};
    TimePerKind keep;
    milliseconds keepForeign{std::chrono::hours(24)};
};

struct KeyUrlSettings
{
    std::optional<core::Address> kmsGeneration;
    milliseconds pollInterval{12s};
};

struct ShareSchedulerSettings
{
    bool enabled{false};
    Secret witnessKeys;
    std::string witnessKeysFile;
    Secret apiToken;
    std::string apiTokenFile;
    bool exposeQueueStatus{false};
    std::vector<NamedUrl> chain;
    std::vector<NamedUrl> chainNode;
    milliseconds timeout{10s};
    milliseconds submitTimeout{180s};
    std::string proverCommand;
    std::string proverLibrary;
    std::string proverWorker;
    milliseconds proverDeadline{120s};
    std::uint64_t proverMemory{4096 * MiB};
    std::uint64_t maxConcurrentProofs{2};
    std::uint64_t maxHeld{256};
    std::string retryWaits{"2s, 4s, 8s, 16s, 32s"};
    milliseconds chainAway{5s};
    milliseconds blockInterval{1s};
    milliseconds blockPatience{60s};
    milliseconds maintenance{30s};
};

struct VotingAdminSettings
{
    bool enabled{false};
    std::string configUrl{
        "https://valargroup.github.io/token-holder-voting-config/voting-config.json"};
    milliseconds refresh{60s};
    milliseconds staleAtMost{0};
    std::vector<NamedUrl> chain;
    milliseconds timeout{10s};
    milliseconds registrationTtl{std::chrono::hours(7 * 24)};
    milliseconds sweepInterval{std::chrono::hours(1)};
    std::string uiMode{"prod"};
    std::string precomputedBaseUrl{"https://vote.fra1.digitaloceanspaces.com"};
    std::string uiFolder;
};

struct SignatureCheckSettings
{
    std::uint64_t erc1271GasLimit{100'000};
    milliseconds timeout{20s};
    std::uint64_t maxConcurrent{64};
};

/// The typed configuration, with its defaults. Where a value may come from, what it may be and what
/// it means is said once, in schema_*.cc; a member without a line there can not be configured.
struct Settings
{
    HostSettings host;
    InstanceSettings instance;
    DatabaseSettings database;
    BatchSettings admission;
    BatchSettings transitions;
    PollSettings polls;
    HttpSettings http;
    std::vector<HostChainSettings> hostChains;
    GatewaySettings gateway;
    SignerSettings signer;
    TxEngineSettings txEngine;
    TxThrottlerSettings txThrottler;
    ListenerSettings listener;
    ProtocolConfigSettings protocolConfig;
    MetricsSettings metrics;
    AdminSettings admin;
    SweeperSettings sweeper;
    KeyUrlSettings keyUrl;
    SignatureCheckSettings signatureCheck;
    ShareSchedulerSettings shares;
    VotingAdminSettings votingAdmin;
    LogSettings log;
};
}  // namespace relayer::config
