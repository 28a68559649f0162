#include "e2e/chain_world.h"

#include "chain/address.h"
#include "chain/gateway.h"
#include "chain/rpc/json_answers.h"
#include "support/eventually.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;

// What the gateway's contracts have said to each request, by gateway id and in their order.
using Told = std::map<core::Hash32, std::vector<chain::GatewayEvent>>;

core::Address addressOf(const Devnet &devnet, const std::string &contract)
{
    return chain::parseAddress(devnet.gateway().contracts.at(contract)).value();
}

Told answersOnChain(const Devnet &devnet)
{
    const chain::GatewayContracts contracts{addressOf(devnet, "decryption"),
                                            addressOf(devnet, "inputVerification")};
    Json::Value filter;
    filter["fromBlock"] = "0x0";
    filter["toBlock"] = "latest";
    Told told;
    const auto logs = chain::rpc::decodeLogs(devnet.call("eth_getLogs", {filter})).value();
    for (const chain::Log &log : logs.logs)
    {
        const auto identity = chain::identify(log, contracts);
        auto event = chain::decodeEvent(log, contracts);
        if (identity && !identity->request && event)
        {
            told[identity->gatewayId].push_back(std::move(*event));
        }
    }
    return told;
}

core::Hash32 hashFrom(const std::string &hex)
{
    core::Hash32 hash{};
    std::ranges::copy(core::fromHex(hex).value(), hash.begin());
    return hash;
}

std::string quotedList(const auto &values, const std::string &prefix)
{
    std::string text;
    for (const auto &value : values)
    {
        text += (text.empty() ? "\"" : ",\"") + prefix + core::toHex(value) + "\"";
    }
    return "[" + text + "]";
}

std::string resultOf(const chain::ProofAccepted &proof)
{
    return R"({"accepted":true,"extraData":"0x00","handles":)" + quotedList(proof.handles, "0x") +
           R"(,"signatures":)" + quotedList(proof.signatures, "0x") + "}";
}

std::string resultOf(const chain::PublicDecrypted &answer)
{
    return R"({"decryptedValue":")" + core::toHex(answer.result) + R"(","signatures":)" +
           quotedList(answer.signatures, "") + R"(,"extraData":"0x)" +
           core::toHex(answer.extraData) + R"("})";
}

std::string resultOf(const chain::ShareArrived &share)
{
    return R"({"payload":")" + core::toHex(share.share) + R"(","signature":")" +
           core::toHex(share.signature) + R"(","extraData":"0x)" + core::toHex(share.extraData) +
           R"("})";
}

// As many of the shares as there are to be, in the order of their index: which ones, depends on
// who came first to the listener.
void expectSharesOf(const std::vector<chain::GatewayEvent> &told, std::size_t threshold,
                    std::string result)
{
    std::size_t shown = 0;
    for (std::uint32_t index = 0; index < told.size(); ++index)
    {
        for (const chain::GatewayEvent &event : told)
        {
            const auto *share = std::get_if<chain::ShareArrived>(&event);
            const std::string text = share != nullptr ? resultOf(*share) : "";
            const std::string start = (shown == 0 ? R"({"result":[)" : ",") + text;
            if (share != nullptr && share->index == index && result.starts_with(start))
            {
                result.erase(0, start.size());
                ++shown;
            }
        }
    }
    EXPECT_EQ(result, "]}") << "what is left when the chain's shares are taken away";
    EXPECT_EQ(shown, threshold);
}

std::vector<std::uint64_t> noncesOn(const Devnet &devnet)
{
    std::vector<std::uint64_t> nonces;
    for (unsigned key = 0; key < devnet.description()["relayers"].size(); ++key)
    {
        nonces.push_back(devnet.transactionsOf(devnet.relayerAddress(key)));
    }
    return nonces;
}

std::string idIn(const std::string &jobPath)
{
    return jobPath.substr(jobPath.rfind('/') + 1);
}

void expectTold(const std::vector<chain::GatewayEvent> &told, std::size_t threshold,
                const std::string &result)
{
    ASSERT_FALSE(told.empty()) << "nothing was said to it";
    if (const auto *proof = std::get_if<chain::ProofAccepted>(&told.front()))
    {
        EXPECT_EQ(result, resultOf(*proof));
    }
    else if (std::holds_alternative<chain::ProofRejected>(told.front()))
    {
        EXPECT_EQ(result, R"({"accepted":false,"extraData":"0x00"})");
    }
    else if (const auto *answer = std::get_if<chain::PublicDecrypted>(&told.front()))
    {
        EXPECT_EQ(result, resultOf(*answer));
    }
    else
    {
        expectSharesOf(told, threshold, result);
    }
}
}  // namespace

ChainWorld::ChainWorld(const Devnet &devnet)
    : devnet_(devnet), logsBefore_(devnet.requestLogs().size()), noncesBefore_(noncesOn(devnet))
{}

ChainWorld::ChainWorld(const Devnet &devnet, const std::string &postgres)
    : devnet_(devnet),
      logsBefore_(devnet.requestLogs().size()),
      noncesBefore_(noncesOn(devnet)),
      database_(postgres)
{}

ServerOptions ChainWorld::serverOptions() const
{
    ServerOptions options = onDatabase(database_.url());
    options.environment.merge(devnet_.environment());
    for (const std::string kind : {"INPUT_PROOF", "PUBLIC_DECRYPT", "USER_DECRYPT"})
    {
        options.environment["RELAYER_TX_THROTTLER__" + kind + "__PER_SECOND"] = "1000";
    }
    options.environment["RELAYER_TX_ENGINE__RECEIPT_POLL_INTERVAL"] = "100ms";
    return options;
}

ServerOptions ChainWorld::watchfulOptions(const std::string &name) const
{
    ServerOptions options = serverOptions();
    options.environment["RELAYER_INSTANCE__NAME"] = name;
    options.environment["RELAYER_INSTANCE__HEARTBEAT"] = "300ms";
    options.environment["RELAYER_SWEEPER__INTERVAL"] = "1s";
    options.environment["RELAYER_DATABASE__STATEMENT_TIMEOUT"] = "2s";
    options.environment["RELAYER_DATABASE__CLIENT_TIMEOUT"] = "3s";
    return options;
}

ServerOptions ChainWorld::ofLane(ServerOptions options, unsigned key) const
{
    options.environment["RELAYER_SIGNER__LANE"] = "lane-" + std::to_string(key);
    options.environment["RELAYER_SIGNER__PRIVATE_KEY"] = devnet_.relayerKey(key);
    return options;
}

ChainRequest ChainWorld::requestOf(std::uint64_t number) const
{
    return chainRequest(number, addressOf(devnet_, "decryption"));
}

void ChainWorld::note(std::uint64_t number, const std::optional<HttpReply> &reply)
{
    const std::lock_guard lock(mutex_);
    numbers_.insert(number);
    if (!reply || reply->status != 202)
    {
        unanswered_.insert(number);
        return;
    }
    unanswered_.erase(number);
    const std::string jobId = reply->json()["result"]["jobId"].asString();
    const std::string path = requestOf(number).path + "/" + jobId;
    const auto [known, fresh] = jobs_.emplace(number, path);
    EXPECT_EQ(known->second, path) << "another name for the same content";
}

bool ChainWorld::submit(std::uint64_t number, ServerProcess &server)
{
    HttpClient client(server.port());
    const ChainRequest request = requestOf(number);
    const auto reply = client.post(request.path, request.body);
    note(number, reply);
    return reply.has_value();
}

void ChainWorld::wasSubmitted(std::uint64_t number, const std::string &jobPath)
{
    numbers_.insert(number);
    jobs_.emplace(number, jobPath);
}

void ChainWorld::submit(std::uint64_t first, std::uint64_t count, ServerProcess &server)
{
    for (std::uint64_t number = first; number < first + count; ++number)
    {
        submit(number, server);
    }
}

std::size_t ChainWorld::rows(const std::string &where) const
{
    return std::stoul(database_.value("SELECT count(*) FROM request WHERE " + where));
}

bool ChainWorld::becomes(const std::string &where, std::size_t count, ServerProcess &server,
                         Milliseconds atMost) const
{
    const auto deadline = Clock::now() + atMost;
    while (rows(where) != count)
    {
        // The pause between two looks ends early when there is nobody left to wait for.
        if (Clock::now() > deadline || server.exitCode(kBetweenLooks))
        {
            return false;
        }
    }
    return true;
}

bool ChainWorld::allEnd(ServerProcess &server, Milliseconds atMost) const
{
    constexpr Milliseconds kUsual = std::chrono::seconds(15);
    // An answer may end a request while it is being written that its transaction is mined.
    const std::string ended =
        "NOT live AND NOT EXISTS (SELECT FROM tx_attempt a WHERE a.request_id = request.id"
        " AND a.open)";
    if (becomes(ended, numbers_.size(), server, std::min(kUsual, atMost)))
    {
        return true;
    }
    std::cout << "# this takes long:" << waiting() << server.output() << std::flush;
    // The devnet's node may be slower than those who wait for it; it is when nothing comes any more
    // that something is wrong.
    std::size_t before = 0;
    std::size_t now = rows(ended);
    do
    {
        before = now;
        if (becomes(ended, numbers_.size(), server, atMost))
        {
            return true;
        }
        now = rows(ended);
    }
    while (now > before);
    std::cout << "# nothing comes any more:" << waiting() << std::flush;
    return false;
}

std::string ChainWorld::waiting() const
{
    std::ostringstream text;
    for (const auto &row : database_.query(
             "SELECT r.kind, r.status, coalesce(a.nonce::text, '-'), coalesce(a.state::text, '-'),"
             " coalesce(a.sends::text, '-') FROM request r LEFT JOIN tx_attempt a"
             " ON a.request_id = r.id WHERE r.live ORDER BY a.nonce LIMIT 20"))
    {
        text << "\n  " << row[0] << " " << row[1] << ", nonce " << row[2] << " " << row[3] << ", "
             << row[4] << " sends";
    }
    // Where the answers have come to of those that wait for nothing else.
    const Told told = answersOnChain(devnet_);
    for (const auto &row : database_.query(
             "SELECT encode(r.gateway_id, 'hex'), r.kind, count(e.id),"
             " count(e.id) FILTER (WHERE e.handled_at IS NULL) FROM request r"
             " LEFT JOIN gateway_event e ON e.gateway_id = r.gateway_id AND e.kind = r.kind"
             " AND NOT e.request WHERE r.status = 'receipt_received' GROUP BY r.id"
             " ORDER BY r.id LIMIT 20"))
    {
        const auto answers = told.find(hashFrom(row[0]));
        text << "\n  " << row[1] << " " << row[0].substr(56)
             << " waits: " << (answers == told.end() ? 0 : answers->second.size())
             << " answers on the chain, " << row[2] << " in the inbox, " << row[3]
             << " of them not handled";
    }
    Json::Value responder = devnet_.responder();
    responder.removeMember("switches");
    text << "\n  the responder: " << responder.toStyledString();
    return text.str() + "\n";
}

std::string ChainWorld::story() const
{
    std::ostringstream text;
    for (const auto &row : database_.query(
             "SELECT kind, status, coalesce(error_code, ''), count(*) FROM request GROUP BY 1, 2, 3"
             " UNION ALL SELECT NULL, NULL, 'attempts ' || state, count(*) FROM tx_attempt"
             " GROUP BY state ORDER BY 1, 2, 3"))
    {
        text << "\n  " << row[0] << " " << row[1] << " " << row[2] << " " << row[3];
    }
    return text.str() + "\n";
}

std::string ChainWorld::epochOf(const std::string &instance) const
{
    std::string epoch = "0";
    EXPECT_TRUE(eventually([&] {
        const auto rows =
            database_.query("SELECT epoch FROM instance WHERE name = '" + instance + "'");
        epoch = rows.empty() ? epoch : rows.front().front();
        return !rows.empty();
    })) << instance;
    return epoch;
}

std::set<std::string> ChainWorld::gatewayIdsOnChain() const
{
    const auto logs = devnet_.requestLogs();
    std::set<std::string> ids;
    for (std::size_t i = logsBefore_; i < logs.size(); ++i)
    {
        ids.insert(logs[i]["topics"][1].asString().substr(2));
    }
    return ids;
}

void ChainWorld::expectEachOnce() const
{
    EXPECT_EQ(rows(), numbers_.size());
    EXPECT_EQ(devnet_.requestLogs().size() - logsBefore_, numbers_.size())
        << "requests on the chain";
    std::set<std::string> ids;
    for (const auto &row : database_.query("SELECT encode(gateway_id, 'hex') FROM request"))
    {
        ids.insert(row[0]);
    }
    EXPECT_EQ(ids, gatewayIdsOnChain());
    for (const auto &[number, path] : jobs_)
    {
        EXPECT_EQ(rows("job_id = '" + idIn(path) + "'"), 1U) << number << " was lost";
    }
    expectEnds();
    expectTransactions();
}

void ChainWorld::expectEnds() const
{
    const auto bad =
        static_cast<std::size_t>(std::count_if(numbers_.begin(), numbers_.end(), isBadProof));
    EXPECT_EQ(rows("status = 'completed'"), numbers_.size() - bad) << story();
    EXPECT_EQ(rows("status = 'failure' AND kind = 'input_proof' AND accepted = false"), bad)
        << story();
    const std::string threshold = devnet_.description()["thresholds"]["userDecryption"].asString();
    EXPECT_EQ(rows("kind = 'user_decrypt' AND (SELECT count(*) FROM kms_share s"
                   " WHERE s.gateway_id = request.gateway_id) < " +
                   threshold),
              0U)
        << "ended without its shares";
    EXPECT_EQ(database_.value("SELECT count(*) FROM live_request"), "0");
}

void ChainWorld::expectTransactions() const
{
    for (unsigned key = 0; key < noncesBefore_.size(); ++key)
    {
        expectNoncesOf(key, noncesBefore_[key]);
    }
    const auto attempts = database_
                              .query(
                                  "SELECT count(*), count(*) FILTER (WHERE state <> 'mined'),"
                                  " count(DISTINCT request_id) FROM tx_attempt")
                              .at(0);
    EXPECT_EQ(attempts[0], std::to_string(numbers_.size()));
    EXPECT_EQ(attempts[1], "0") << "attempts are left open" << story();
    EXPECT_EQ(attempts[2], std::to_string(numbers_.size()));
    // Allowed, but worth knowing: somebody waited for fee_bump_after.
    const std::string versions = database_.value("SELECT count(*) FROM tx_version");
    if (versions != attempts[0])
    {
        std::cout << "# " << attempts[0] << " transactions took " << versions << " versions\n";
    }
}

// The lane of that key has used each of the account's nonces once, and no other.
void ChainWorld::expectNoncesOf(unsigned key, std::uint64_t before) const
{
    const std::string address = devnet_.relayerAddress(key);
    const std::uint64_t nonce = devnet_.transactionsOf(address);
    const auto used = database_
                          .query(
                              "SELECT count(*), min(nonce), max(nonce) FROM tx_attempt a"
                              " JOIN signer_lane s ON s.name = a.lane WHERE s.address ="
                              " decode('" +
                              address.substr(2) + "', 'hex')")
                          .at(0);
    EXPECT_EQ(used[0], std::to_string(nonce - before)) << "a nonce is missing";
    if (nonce != before)
    {
        EXPECT_EQ(used[1], std::to_string(before));
        EXPECT_EQ(used[2], std::to_string(nonce - 1));
    }
}

void ChainWorld::expectNothingLost(const std::string &after) const
{
    std::size_t lost = 0;
    for (const auto &[number, path] : jobs_)
    {
        lost += rows("job_id = '" + idIn(path) + "' AND NOT live") == 1 ? 0 : 1;
    }
    std::map<std::string, std::size_t> timesSent;
    const auto logs = devnet_.requestLogs();
    for (std::size_t i = logsBefore_; i < logs.size(); ++i)
    {
        const auto request = database_.query(
            "SELECT a.request_id FROM tx_version v JOIN tx_attempt a ON a.id = v.attempt_id"
            " WHERE v.hash = decode('" +
            logs[i]["transactionHash"].asString().substr(2) + "', 'hex')");
        ++timesSent[request.empty() ? "not ours" : request[0][0]];
    }
    const auto twice = std::count_if(timesSent.begin(), timesSent.end(),
                                     [](const auto &each) { return each.second > 1; });
    std::cout << "# " << after << ": " << jobs_.size() << " accepted, "
              << rows("status = 'completed'") << " completed, "
              << rows("status IN ('failure', 'timed_out')") << " failed with reason ("
              << rows("status = 'failure' AND accepted = false") << " proofs rejected), " << lost
              << " lost, " << twice << " sent twice" << std::endl;
    EXPECT_EQ(lost, 0U) << story();
    EXPECT_EQ(twice, 0);
    EXPECT_FALSE(timesSent.contains("not ours"));
    EXPECT_EQ(rows("status IN ('failure', 'timed_out') AND error_code IS NULL"
                   " AND accepted IS DISTINCT FROM false"),
              0U)
        << "failed without a reason";
}

void ChainWorld::expectPollsTellTheChain(ServerProcess &server) const
{
    const Told told = answersOnChain(devnet_);
    const std::size_t threshold = devnet_.description()["thresholds"]["userDecryption"].asUInt();
    for (const auto &[number, path] : jobs_)
    {
        SCOPED_TRACE(path);
        const HttpReply reply = pollToTheEnd(server, path);
        ASSERT_EQ(reply.status, 200) << reply.body;
        const std::string id = database_.value(
            "SELECT encode(gateway_id, 'hex') FROM request WHERE job_id = '" + idIn(path) + "'");
        const core::Hash32 gatewayId = hashFrom(id);
        const std::string start = R"({"status":"succeeded","requestId":")" +
                                  reply.header("x-request-id") + R"(","result":)";
        ASSERT_TRUE(reply.body.starts_with(start)) << reply.body;
        ASSERT_TRUE(told.contains(gatewayId)) << id;
        expectTold(told.at(gatewayId), threshold,
                   reply.body.substr(start.size(), reply.body.size() - start.size() - 1));
    }
}

HttpReply pollToTheEnd(ServerProcess &server, const std::string &jobPath,
                       std::chrono::milliseconds atMost)
{
    HttpClient client(server.port());
    const auto deadline = Clock::now() + atMost;
    for (;;)
    {
        const auto reply = client.get(jobPath);
        if (!reply || reply->status != 202 || Clock::now() > deadline ||
            server.exitCode(ChainWorld::kBetweenLooks))
        {
            return reply.value_or(HttpReply{});
        }
    }
}
}  // namespace relayer::test
