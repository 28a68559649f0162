#include "e2e/decrypt_server.h"

#include <chrono>

namespace relayer::test
{
namespace
{
core::Address filledWith(std::uint8_t number)
{
    core::Address address{};
    address.fill(number);
    return address;
}
const core::Address &contract()
{
    static const core::Address address = filledWith(0x11);
    return address;
}

core::Hash32 handleOf(std::uint64_t number)
{
    core::Hash32 handle{};
    handle[0] = static_cast<std::uint8_t>(number >> 8U);
    handle[1] = static_cast<std::uint8_t>(number);
    handle[28] = 0x1f;  // 8009, big-endian in 22..29
    handle[29] = 0x49;
    handle[30] = 5;
    return handle;
}
}  // namespace

const Wallet &theUser()
{
    static const Wallet wallet(1);
    return wallet;
}

const Wallet &aStranger()
{
    static const Wallet wallet(2);
    return wallet;
}

core::Address decryptionContract()
{
    return filledWith(0xDC);
}

std::uint64_t secondsAgo(std::int64_t seconds)
{
    const auto then = std::chrono::system_clock::now() - std::chrono::seconds(seconds);
    return static_cast<std::uint64_t>(std::chrono::system_clock::to_time_t(then));
}

core::PublicDecrypt publicOf(std::uint64_t number)
{
    return {{handleOf(number), handleOf(number + 1)}, {0}};
}

core::DirectUserDecrypt directOf(std::uint64_t number)
{
    core::DirectUserDecrypt request;
    request.handles = {{handleOf(number), contract()}};
    request.startTimestamp = secondsAgo(600);
    request.durationDays = 7;
    request.contractsChainId = 8009;
    request.contracts = {contract()};
    request.user = theUser().address();
    request.publicKey = core::Bytes(40, 9);
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

core::DelegatedUserDecrypt delegatedOf(std::uint64_t number)
{
    core::DelegatedUserDecrypt request;
    request.handles = {{handleOf(number), contract()}};
    request.startTimestamp = secondsAgo(600);
    request.durationDays = 7;
    request.delegator = filledWith(0x33);
    request.delegate = theUser().address();
    request.contractsChainId = 8009;
    request.contracts = {contract()};
    request.publicKey = core::Bytes(40, 9);
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

core::UnifiedUserDecrypt unifiedOf(std::uint64_t number)
{
    core::UnifiedUserDecrypt request;
    request.handles = {{handleOf(number), contract(), theUser().address()}};
    request.user = theUser().address();
    request.publicKey = core::Bytes(40, 9);
    request.startTimestamp = secondsAgo(600);
    request.durationSeconds = 86'400;
    request.extraData = {0};
    return request;
}

core::UserDecrypt byUser(const core::UserDecrypt &request)
{
    return theUser().signedFor(request, decryptionContract());
}

Post postOf(const core::PublicDecrypt &request)
{
    return {std::string(kPublicDecrypt), bodyOf(request)};
}

Post postOf(const core::UserDecrypt &request)
{
    return {std::string(pathOf(request)), bodyOf(request)};
}

std::vector<Post> everyRoute(std::uint64_t number)
{
    return {postOf(publicOf(number)), postOf(byUser(directOf(number))),
            postOf(byUser(delegatedOf(number))), postOf(byUser(unifiedOf(number)))};
}

ServerOptions forDecryptions(const TestDatabase &database)
{
    ServerOptions options = onDatabase(database.url());
    options.environment["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"] =
        "0x" + core::toHex(decryptionContract());
    // A chain that nobody answers for: what waits for its permission stays alive.
    options.environment["RELAYER_HOST_CHAINS__0__CHAIN_ID"] = "8009";
    options.environment["RELAYER_HOST_CHAINS__0__URL"] = "http://127.0.0.1:1";
    options.environment["RELAYER_HOST_CHAINS__0__ACL_ADDRESS"] =
        "0x" + core::toHex(filledWith(0xAC));
    options.environment["RELAYER_GATEWAY__READINESS_CHECKER__HOST_ACL_CHECK__RETRY__MAX_ATTEMPTS"] =
        "100000";
    return options;
}

std::string jobIdOf(const HttpReply &reply)
{
    return reply.json()["result"]["jobId"].asString();
}

void expectFailed(const HttpReply &reply, int status, const std::string &label)
{
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(labelOf(reply), label) << reply.body;
    EXPECT_EQ(reply.json()["status"], "failed");
    EXPECT_EQ(reply.json()["requestId"].asString(), reply.header("x-request-id"));
}

std::unique_ptr<TestDatabase> DecryptServer::database_;
std::unique_ptr<ServerProcess> DecryptServer::server_;

void DecryptServer::SetUpTestSuite()
{
    if (!whyNoServer())
    {
        database_ = std::make_unique<TestDatabase>();
        server_ = std::make_unique<ServerProcess>(forDecryptions(*database_));
    }
}

void DecryptServer::TearDownTestSuite()
{
    server_.reset();
    database_.reset();
}

void DecryptServer::SetUp()
{
    RELAYER_NEEDS_SERVER();
    ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
    client_ = std::make_unique<HttpClient>(server_->port());
}

std::uint64_t DecryptServer::fresh()
{
    static std::uint64_t next = 0;
    next += 2;
    return next;
}

HttpReply DecryptServer::post(const Post &post, const HttpHeaders &headers)
{
    return client_->post(post.path, post.body, headers).value();
}

void DecryptServer::end(const std::string &jobId, const std::string &columns)
{
    database_->query("UPDATE request SET live = false, " + columns + " WHERE job_id = '" + jobId +
                     "'");
    database_->query(
        "DELETE FROM live_request l USING request r WHERE r.id = l.request_id"
        " AND r.job_id = '" +
        jobId + "'");
}

std::string DecryptServer::gatewayIdOf(std::uint64_t number)
{
    return "decode(lpad('" + std::to_string(number) + "', 64, '0'), 'hex')";
}

void DecryptServer::bringShare(std::uint64_t gatewayId, int index, const std::string &payload)
{
    database_->query(
        "INSERT INTO kms_share (gateway_id, share_index, payload, signature, extra_data)"
        " VALUES (" +
        gatewayIdOf(gatewayId) + ", " + std::to_string(index) + ", decode('" + payload +
        "', 'hex'), decode('beef0" + std::to_string(index) + "', 'hex'), decode('00', 'hex'))");
}
}  // namespace relayer::test
