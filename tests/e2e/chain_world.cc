#include "e2e/chain_world.h"

#include "chain/keccak.h"
#include "support/await.h"

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

std::string topicOf(std::string_view signature)
{
    const core::Bytes bytes(signature.begin(), signature.end());
    return "0x" + core::toHex(chain::keccak256(bytes));
}

// What the data of each log with this topic is, by gateway id.
std::map<std::string, std::string> answersOnChain(const Devnet &devnet, std::string_view signature)
{
    Json::Value filter;
    filter["fromBlock"] = "0x0";
    filter["toBlock"] = "latest";
    filter["address"] = devnet.gateway().contracts.at("inputVerification");
    filter["topics"].append(topicOf(signature));
    std::map<std::string, std::string> answers;
    for (const Json::Value &log : devnet.call("eth_getLogs", {filter}))
    {
        answers[log["topics"][1].asString()] = log["data"].asString();
    }
    return answers;
}

bool contains(const std::string &data, const std::string &prefixed)
{
    return data.find(prefixed.substr(2)) != std::string::npos;
}
}  // namespace

ChainWorld::ChainWorld(const Devnet &devnet)
    : devnet_(devnet),
      logsBefore_(devnet.requestLogs().size()),
      nonceBefore_(devnet.transactionsOf(devnet.relayerAddress())),
      store_(database_)
{
    // The codecs of signed requests have vectors of their own; here nobody has a wallet.
    devnet.write("gateway", "decryption", "setChecksSignatures", {false});
}

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

bool ChainWorld::submit(std::uint64_t number, ServerProcess &server)
{
    numbers_.insert(number);
    if (sortOf(number) != Sort::InputProof)
    {
        await(store_->admit(chainDecrypt(number)));
        return true;
    }
    HttpClient client(server.port());
    const auto reply = client.post(kInputProof, chainProof(number).text());
    if (!reply || reply->status != 202)
    {
        unanswered_.insert(number);
        return reply.has_value();
    }
    unanswered_.erase(number);
    const std::string jobId = reply->json()["result"]["jobId"].asString();
    const auto [known, fresh] = jobIds_.emplace(number, jobId);
    EXPECT_EQ(known->second, jobId) << "another name for the same content";
    return true;
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
    if (becomes("NOT live", numbers_.size(), server, std::min(kUsual, atMost)))
    {
        return true;
    }
    std::cout << "# this takes long:" << waiting() << server.output() << std::flush;
    return becomes("NOT live", numbers_.size(), server, atMost);
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
    for (const auto &[number, jobId] : jobIds_)
    {
        EXPECT_EQ(rows("job_id = '" + jobId + "'"), 1U) << "the proof " << number << " was lost";
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
    const std::uint64_t nonce = devnet_.transactionsOf(devnet_.relayerAddress());
    EXPECT_EQ(nonce - nonceBefore_, numbers_.size()) << "transactions of the relayer's account";
    const auto attempts = database_
                              .query(
                                  "SELECT count(*), min(nonce), max(nonce),"
                                  " count(*) FILTER (WHERE state <> 'mined'),"
                                  " count(DISTINCT request_id) FROM tx_attempt")
                              .at(0);
    EXPECT_EQ(attempts[0], std::to_string(nonce - nonceBefore_)) << "a nonce is missing";
    EXPECT_EQ(attempts[1], std::to_string(nonceBefore_));
    EXPECT_EQ(attempts[2], std::to_string(nonce - 1));
    EXPECT_EQ(attempts[3], "0") << "attempts are left open" << story();
    EXPECT_EQ(attempts[4], std::to_string(numbers_.size()));
    // Allowed, but worth knowing: somebody waited for fee_bump_after.
    const std::string versions = database_.value("SELECT count(*) FROM tx_version");
    if (versions != attempts[0])
    {
        std::cout << "# " << attempts[0] << " transactions took " << versions << " versions\n";
    }
}

void ChainWorld::expectPollsTellTheChain(ServerProcess &server) const
{
    const auto accepted = answersOnChain(devnet_, "VerifyProofResponse(uint256,bytes32[],bytes[])");
    const auto rejected = answersOnChain(devnet_, "RejectProofResponse(uint256)");
    for (const auto &[number, jobId] : jobIds_)
    {
        const HttpReply reply = pollToTheEnd(server, jobId);
        const Json::Value body = reply.json();
        ASSERT_EQ(reply.status, 200) << reply.body;
        EXPECT_EQ(body["status"], "succeeded");
        EXPECT_EQ(body["result"]["accepted"], !isBadProof(number)) << reply.body;
        const std::string id =
            "0x" +
            database_.value("SELECT encode(gateway_id, 'hex') FROM request WHERE job_id = '" +
                            jobId + "'");
        if (isBadProof(number))
        {
            EXPECT_TRUE(rejected.contains(id)) << id;
            continue;
        }
        ASSERT_TRUE(accepted.contains(id)) << id;
        const std::string &data = accepted.at(id);
        EXPECT_EQ(body["result"]["handles"].size(), 2U) << reply.body;
        EXPECT_GE(body["result"]["signatures"].size(), 1U) << reply.body;
        for (const char *const list : {"handles", "signatures"})
        {
            for (const Json::Value &value : body["result"][list])
            {
                EXPECT_TRUE(contains(data, value.asString())) << list << ": " << reply.body;
            }
        }
    }
}

HttpReply pollToTheEnd(ServerProcess &server, const std::string &jobId,
                       std::chrono::milliseconds atMost)
{
    HttpClient client(server.port());
    const auto deadline = Clock::now() + atMost;
    for (;;)
    {
        const auto reply = client.get(std::string(kInputProof) + "/" + jobId);
        if (!reply || reply->status != 202 || Clock::now() > deadline ||
            server.exitCode(ChainWorld::kBetweenLooks))
        {
            return reply.value_or(HttpReply{});
        }
    }
}

bool fullTests()
{
    const char *wanted = std::getenv("RELAYER_TEST_FULL");
    return wanted != nullptr && std::string(wanted) == "1";
}
}  // namespace relayer::test
