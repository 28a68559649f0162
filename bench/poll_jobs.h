// Proofs to be posted, jobs to be polled, live and ended, and the server that is asked for them.
#pragma once

#include "bench/http_load.h"
#include "core/input_proof.h"
#include "support/await.h"
#include "support/server_process.h"
#include "support/test_store.h"
#include "wire/input_proof_result.h"

#include <array>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::bench
{
inline constexpr std::string_view kInputProof = "/v2/input-proof";
inline constexpr std::size_t kBody = 400;
inline constexpr std::size_t kJobs = 256;

// A proof of 400 bytes in all, another one for each number.
inline std::string ciphertext(std::uint64_t number, std::size_t length)
{
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
    return digits.data() + std::string(length - 16, 'c');
}

inline std::string bodyWith(const std::string &ciphertext)
{
    return R"({"contractChainId":"654321",)"
           R"("contractAddress":"0x1111111111111111111111111111111111111111",)"
           R"("userAddress":"0x2222222222222222222222222222222222222222",)"
           R"("ciphertextWithInputVerification":")" +
           ciphertext + R"(","extraData":"0x00"})";
}

inline std::size_t ciphertextLength()
{
    return (kBody - bodyWith("").size()) / 2 * 2;
}

inline std::string postOf(const std::string &path, std::uint64_t number)
{
    const std::string body = bodyWith(ciphertext(number, ciphertextLength()));
    return "POST " + path + " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n" +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string getOf(const std::string &path, const std::string &id)
{
    return "GET " + path + "/" + id + " HTTP/1.1\r\nHost: bench\r\n\r\n";
}

// Any of them, in an order that nobody can guess, and the same in each run.
inline HttpLoad::Request anyOf(const std::string &path, const std::vector<std::string> &ids)
{
    return [path, &ids, random = std::minstd_rand(7)](std::uint64_t) mutable {
        return getOf(path, ids.at(random() % ids.size()));
    };
}

inline std::size_t payloadBytes()
{
    core::InputProof row;
    row.ciphertextWithProof = core::Bytes(ciphertextLength() / 2);
    row.extraData = {0};
    return core::encodePayload(row).size();
}

inline core::Bytes resultOfAProof()
{
    wire::InputProofResult result;
    result.handles = {test::hash32(1), test::hash32(2)};
    result.signatures.assign(3, core::Bytes(65, 0x5a));
    return wire::encodeResult(result);
}

struct Jobs
{
    std::vector<std::string> live;
    std::vector<std::string> ended;
};

// While servers run, whose statements take the same tables in another order now and then: then one
// of the two is told of a deadlock.
inline void emptyTables(const test::TestDatabase &database)
{
    constexpr int kTries = 10;
    for (int tries = 1;; ++tries)
    {
        try
        {
            database.query("TRUNCATE request, live_request, gateway_reference, gateway_answer");
            return;
        }
        catch (const std::runtime_error &error)
        {
            const bool again =
                std::string_view(error.what()).find("deadlock") != std::string_view::npos;
            if (!again || tries == kTries)
            {
                throw;
            }
        }
    }
}

inline Jobs fill(const test::TestDatabase &database, test::TestStore &store)
{
    emptyTables(database);
    Jobs jobs;
    for (std::uint64_t i = 0; i < 2 * kJobs; ++i)
    {
        models::NewRequest request = test::newRequest(core::Kind::InputProof, i, i);
        request.payload.resize(payloadBytes());
        const auto admitted = test::await(store->admit(std::move(request)));
        const bool ends = i % 2 == 1;
        (ends ? jobs.ended : jobs.live).push_back(admitted.jobId.text());
        if (!ends)
        {
            continue;
        }
        models::Step sent;
        sent.transition = core::Transition::MarkTxInFlight;
        sent.id = admitted.id;
        sent.txHash = test::hash32(i);
        test::await(store->apply(sent));
        const models::GatewayId id = test::hash32(i, 3);
        test::await(store->markReceiptReceived(admitted.id, std::nullopt, test::hash32(i), id,
                                               core::Kind::InputProof));
        models::Answer answer;
        answer.kind = core::Kind::InputProof;
        answer.gatewayId = id;
        answer.accepted = true;
        answer.result = resultOfAProof();
        if (!test::await(store->keepAnswer(std::move(answer))).ended)
        {
            throw std::runtime_error("a job did not end");
        }
    }
    database.query("VACUUM ANALYZE request, gateway_answer");
    return jobs;
}

inline test::ServerOptions serverOptions(const test::TestDatabase &database,
                                         const std::string &name)
{
    test::ServerOptions options;
    options.environment["RELAYER_DATABASE__URL"] = database.url();
    options.environment["RELAYER_INSTANCE__NAME"] = name;
    options.environment["RELAYER_LOG__LEVEL"] = "warn";
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__CAPACITY"] = "1000000";
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__SAFETY_MARGIN"] = "0";
    return options;
}
}  // namespace relayer::bench
