#include "config/schema.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

namespace relayer::config
{
namespace
{
constexpr std::array<std::string_view, 5> logLevels = {"trace", "debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> logFormats = {"text", "json"};

bool isDatabaseUrl(std::string_view text)
{
    return text.starts_with("postgresql://") || text.starts_with("postgres://") ||
           text.find("dbname=") != std::string_view::npos;
}

constexpr std::string_view databaseUrlForm =
    "postgresql://user:password@host:port/name, or libpq's form with dbname=";

void describeHost(std::vector<Key> &keys, HostSettings &host)
{
    keys.insert(
        keys.end(),
        {{"host.address",
          Text{&host.address, 45, false, isNumericAddress, "a numeric IPv4 or IPv6 address"},
          "Where to listen; put nginx in front before you open it to others."},
         {"host.port", Integer{&host.port, 0, 65535}, "Port to listen on; 0 takes any free one."},
         {"host.io_threads", Integer{&host.ioThreads, 0, 256},
          "Threads that serve HTTP; 0 is one for each core."},
         {"host.idle_connection_timeout",
          Duration{&host.idleConnectionTimeout, 75s, std::chrono::hours(1)},
          "When an idle connection is closed: later than clients and nginx (75 s) close theirs, so "
          "that no request meets a closing connection."}});
}

void describeDatabase(std::vector<Key> &keys, DatabaseSettings &database)
{
    keys.insert(
        keys.end(),
        {{"database.db_client",
          Text{&database.dbClient, 128, true, nullptr, "the name of a db_client"},
          "Only in an application that embeds the module: the name of one of its db_clients "
          "(rdbms postgresql, is_fast false). Host, port, database, user and password are taken "
          "from there in place of database.url; the connections are our own."},
         {"database.url",
          SecretText{&database.url, &database.urlFile, "database.url_file", true, isDatabaseUrl,
                     databaseUrlForm},
          "The PostgreSQL database, with its password. Several hosts (host:port,host:port) are "
          "one database that fails over: the one that takes writes is used. On another machine it "
          "has to prove its name by a certificate (sslmode=verify-full, against the system's "
          "certificates) unless this says another sslmode or sslrootcert."},
         {"database.url_file", Text{&database.urlFile, 4096, true, nullptr, "the path of a file"},
          "A file whose content is the database URL, as Docker and systemd hand out secrets."},
         {"database.direct_url",
          SecretText{&database.directUrl, &database.directUrlFile, "database.direct_url_file",
                     false, isDatabaseUrl, databaseUrlForm},
          "The same database without PgBouncer in between, for migrations, advisory locks and "
          "LISTEN; with as many hosts as the database URL has. Not given: the database URL."},
         {"database.direct_url_file",
          Text{&database.directUrlFile, 4096, true, nullptr, "the path of a file"},
          "A file whose content is the direct URL."},
         {"database.write_connections", Integer{&database.writeConnections, 1, 64},
          "Connections for writes; group commit fills few of them better than many."},
         {"database.read_connections", Integer{&database.readConnections, 1, 64},
          "Connections for reads."},
         {"database.statement_timeout",
          Duration{&database.statementTimeout, 100ms, std::chrono::minutes(10)},
          "When PostgreSQL gives up a statement."},
         {"database.client_timeout",
          Duration{&database.clientTimeout, 200ms, std::chrono::minutes(15)},
          "When we give up waiting for PostgreSQL. Longer than database.statement_timeout, so that "
          "a statement we gave up on is not still at work."},
         {"database.connect_timeout",
          Duration{&database.connectTimeout, 1s, std::chrono::minutes(5)},
          "How long one attempt to connect may take."},
         {"database.migrate", Flag{&database.migrate},
          "Apply missing migrations at start; false refuses to start when one is missing."}});
}

void describeMetrics(std::vector<Key> &keys, MetricsSettings &metrics)
{
    keys.insert(
        keys.end(),
        {{"metrics.count", Flag{&metrics.count},
          "Whether requests and statements are counted and timed as they go by, also in an "
          "application that embeds the module. false: only what others know is told, such as "
          "queues; for measuring what counting costs."},
         {"metrics.enabled", Flag{&metrics.enabled},
          "Whether /metrics (Prometheus' text format) and /health are served."},
         {"metrics.address",
          Text{&metrics.address, 45, false, isNumericAddress, "a numeric IPv4 or IPv6 address"},
          "Where to listen for them. Whoever reaches it may read them."},
         {"metrics.port", Integer{&metrics.port, 0, 65535},
          "Port to listen on; 0 takes any free one."}});
}

struct BatchPaths
{
    std::string_view rows, bytes, waiting, inFlight;
};

void describeBatch(std::vector<Key> &keys, const BatchPaths &paths, BatchSettings &batch)
{
    keys.insert(keys.end(),
                {{paths.rows, Integer{&batch.maxBatchRows, 1, 4096},
                  "Rows that one statement carries at most."},
                 {paths.bytes, Bytes{&batch.maxBatchBytes, 64 * KiB, 64 * MiB},
                  "Bytes that one statement carries at most; a single larger row goes alone."},
                 {paths.waiting, Integer{&batch.maxWaiting, 1, 1000000},
                  "Callers that may wait for their turn; more are told to come back later."},
                 {paths.inFlight, Integer{&batch.inFlight, 1, 16},
                  "Statements at work at the same time."}});
}

void describePolls(std::vector<Key> &keys, PollSettings &polls)
{
    keys.insert(keys.end(),
                {{"polls.max_batch_rows", Integer{&polls.maxBatchRows, 1, 4096},
                  "Polls that one statement answers at most."},
                 {"polls.max_waiting", Integer{&polls.maxWaiting, 1, 1000000},
                  "Polls that may wait for their turn; more are told to come back later."},
                 {"polls.in_flight", Integer{&polls.inFlight, 1, 16},
                  "Statements at work at the same time; more than database.read_connections do no "
                  "good."}});
}

constexpr std::array allSections = {
    Section{"host",
            "Only our own program reads this section: an application that embeds the module has "
            "listeners and limits of its own."},
    Section{"instance", "Who this instance is."},
    Section{"database", "Where everything is kept."},
    Section{"admission", "The group commit that takes new requests in."},
    Section{"transitions", "The group commit that moves requests from status to status."},
    Section{"polls",
            "How polls are answered that no cache can answer: those that come at the same time "
            "share a statement."},
    Section{"http", "What clients may send and what they are told."},
    Section{"http.cors", "Calls from web pages of other origins."},
    Section{"http.retry_after",
            "When clients are told to come back: in Retry-After, and as eta_seconds. "
            "Computed from where a request stands, how fast its queue drains, and how long the "
            "steps behind that take on a usual day."},
    Section{"http.retry_after.nominal_times",
            "How long that is. All of them are required, none has a default."},
    Section{"http.long_poll", "Requests for a job that are held until its status changes."},
    Section{"http.events", "Streams of server-sent events, one for each that waits for a job."},
    Section{"http.client_limits",
            "What one client may ask for, so that the others get their turn. Clients that are "
            "over their limit are answered 429 with the time to wait."},
    Section{"gateway",
            "The chain whose contracts check, decrypt and answer. Without a node to read from, "
            "requests are taken in and wait."},
    Section{"gateway.rpc", "Its nodes. Their names stand in the log, their URLs never do."},
    Section{"gateway.contracts", "Where our requests go, and whose events are answers."},
    Section{"gateway.readiness_checker",
            "What is asked before a decryption goes to the chain: first whether the host chain "
            "allows it, then whether the gateway has the ciphertexts."},
    Section{"gateway.readiness_checker.host_acl_check",
            "Whether the access control list of the host chain allows it. A clean no is final; "
            "only what fails is asked again."},
    Section{"gateway.readiness_checker.host_acl_check.retry", "The same question again."},
    Section{"gateway.readiness_checker.gw_ciphertext_check",
            "Whether the gateway has what is to be decrypted. A no is asked again, and so is "
            "what fails; the last answer decides."},
    Section{"gateway.readiness_checker.gw_ciphertext_check.retry", "The same question again."},
    Section{"gateway.readiness_checker.public_decrypt", "The queue of public decryptions."},
    Section{"gateway.readiness_checker.user_decrypt",
            "The queue of user decryptions of all three sorts."},
    Section{"signer", "Who signs our transactions, and pays for them."},
    Section{"signer.kms", "Only for type aws_kms: a key that never leaves AWS KMS."},
    Section{"tx_engine", "How requests become mined transactions."},
    Section{"tx_engine.retry", "The same transaction, sent again."},
    Section{"tx_throttler", "The queue before the chain, one for each kind of request."},
    Section{"tx_throttler.input_proof", "Input proofs."},
    Section{"tx_throttler.public_decrypt", "Public decryptions."},
    Section{"tx_throttler.user_decrypt", "User decryptions of all three sorts."},
    Section{"listener", "How the answers of the gateway are heard."},
    Section{"protocol_config",
            "The contract that knows how many shares a user decryption needs. Without it, all "
            "need gateway.user_decrypt_shares_threshold."},
    Section{"metrics",
            "What is counted, on a listener of its own. The listener is that of our own program: "
            "an application that embeds the module shows relayer::Module::metrics() where it "
            "likes."},
    Section{"admin",
            "The routes below /admin, for operators: what can be changed while the program runs, "
            "and what it does. Off unless somebody asks for them."},
    Section{"sweeper",
            "What happens to requests when nobody does anything. One instance at a time does "
            "it for all."},
    Section{
        "sweeper.response_timeout",
        "How long the answer of coprocessors or KMS is waited for, once the transaction is "
        "mined. It is not cut short by a start or a node that is away: until the chain has been "
        "read to its head, up to ten minutes more."},
    Section{"sweeper.deadline", "How long a request may be in an earlier status."},
    Section{"sweeper.keep",
            "How long requests that have ended are kept, with their answers and transactions. "
            "0s: for ever."},
    Section{"keyurl", "Where clients find the public key and the CRS."},
    Section{"user_decrypt_signature_check",
            "User decryptions of version 3 whose signature is not one of a plain account: their "
            "user, a contract, is asked on its host chain (ERC-1271) before they are taken in."},
    Section{"share_scheduler",
            "Encrypted shares of votes, kept until the second that their wallet chose, then proved "
            "and sent to the vote chain."},
    Section{"voting_admin",
            "What belongs to a vote beside its shares: the published configuration, and validators "
            "who want to join."},
    Section{"log",
            "What is written to the log, on standard output. Only our own program reads the "
            "format: the log of an application that embeds the module is its own."},
};
}  // namespace

std::vector<Key> describe(Settings &settings)
{
    std::vector<Key> keys;
    describeHost(keys, settings.host);
    keys.push_back(
        {"instance.name",
         Text{&settings.instance.name, longestInstanceName, true, isToken,
              "letters, digits, '.', '_', '-'"},
         "Stable name of this instance among those that share the database: after a restart "
         "it takes back its own rows at once. Empty: the host name. Two instances on one "
         "host need two names."});
    keys.push_back({"instance.heartbeat",
                    Duration{&settings.instance.heartbeat, 100ms, std::chrono::minutes(1)},
                    "How often this instance tells the others, through the database, that it is "
                    "alive."});
    keys.push_back({"instance.lease", Duration{&settings.instance.lease, 1s, std::chrono::hours(1)},
                    "When the others take over what it has claimed, if it has not told them."});
    keys.push_back(
        {"instance.drain_deadline",
         Duration{&settings.instance.drainDeadline, 100ms, std::chrono::minutes(10)},
         "How long a stop may take in all: transactions that are signed are waited for, and "
         "requests under way answered. What is left then is in the database, for the next who "
         "holds the lane. Shorter than the service manager's patience (systemd: TimeoutStopSec)."});
    keys.push_back({"instance.drain_pause",
                    Duration{&settings.instance.drainPause, 0ms, std::chrono::minutes(10)},
                    "How long at least /healthz says 503 before connections are closed, for a load "
                    "balancer that asks now and then."});
    describeDatabase(keys, settings.database);
    describeBatch(keys,
                  {"admission.max_batch_rows", "admission.max_batch_bytes", "admission.max_waiting",
                   "admission.in_flight"},
                  settings.admission);
    describeBatch(keys,
                  {"transitions.max_batch_rows", "transitions.max_batch_bytes",
                   "transitions.max_waiting", "transitions.in_flight"},
                  settings.transitions);
    describePolls(keys, settings.polls);
    describeHttp(keys, settings.http);
    describeReadiness(keys, settings);
    describeChain(keys, settings);
    describeMetrics(keys, settings.metrics);
    describeAdmin(keys, settings.admin);
    describeSweeper(keys, settings.sweeper);
    describeShares(keys, settings.shares);
    describeVotingAdmin(keys, settings.votingAdmin);
    keys.push_back(
        {"log.level", Choice{&settings.log.level, logLevels}, "The least that is logged."});
    keys.push_back({"log.format", Choice{&settings.log.format, logFormats},
                    "How: lines of text, or one JSON object on each line."});
    return keys;
}

std::span<const Section> sections()
{
    return allSections;
}

Contradictions crossCheck(const Settings &settings)
{
    Contradictions wrong;
    const auto &database = settings.database;
    if (database.clientTimeout <= database.statementTimeout)
    {
        wrong.emplace_back("database.client_timeout",
                           "must be longer than database.statement_timeout");
    }
    if (settings.instance.drainPause >= settings.instance.drainDeadline)
    {
        wrong.emplace_back("instance.drain_pause", "must be shorter than instance.drain_deadline");
    }
    const bool samePort = settings.metrics.port == settings.host.port && settings.host.port != 0;
    if (settings.metrics.enabled && samePort)
    {
        wrong.emplace_back("metrics.port", "must be another than host.port");
    }
    crossCheckAdmin(settings, wrong);
    crossCheckRetryAfter(settings.http.retryAfter, wrong);
    crossCheckChain(settings, wrong);
    crossCheckSweeper(settings, wrong);
    crossCheckShares(settings.shares, wrong);
    crossCheckReadiness(settings.gateway.readiness, wrong);
    return wrong;
}

bool isNumericAddress(std::string_view text)
{
    const std::string address(text);
    in6_addr parsed{};
    return inet_pton(AF_INET, address.c_str(), &parsed) == 1 ||
           inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

bool isToken(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), isTokenCharacter);
}

std::string_view sectionOf(std::string_view path)
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

bool isTokenCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

std::string environmentName(std::string_view path)
{
    std::string name = "RELAYER_";
    for (const char c : path)
    {
        if (c == '.')
        {
            name += "__";
        }
        else
        {
            name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
    }
    return name;
}
}  // namespace relayer::config
