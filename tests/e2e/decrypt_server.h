// A server that takes decryptions, without a chain, and contents to post to it: the same number,
// the same content. What a chain would do to a request is put into the database.
#pragma once

#include "core/decrypt.h"
#include "e2e/decrypt_bodies.h"
#include "e2e/requests.h"
#include "support/test_database.h"
#include "support/wallet.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace relayer::test
{
// Who asks in all of these requests, and somebody else.
[[nodiscard]] const Wallet &theUser();
[[nodiscard]] const Wallet &aStranger();
// The Decryption contract that the server is configured with.
[[nodiscard]] core::Address decryptionContract();
[[nodiscard]] std::uint64_t secondsAgo(std::int64_t seconds);

[[nodiscard]] core::PublicDecrypt publicOf(std::uint64_t number);
// With signatures that are none.
[[nodiscard]] core::DirectUserDecrypt directOf(std::uint64_t number);
[[nodiscard]] core::DelegatedUserDecrypt delegatedOf(std::uint64_t number);
[[nodiscard]] core::UnifiedUserDecrypt unifiedOf(std::uint64_t number);
[[nodiscard]] core::UserDecrypt byUser(const core::UserDecrypt &request);

struct Post
{
    std::string path;
    std::string body;
};
[[nodiscard]] Post postOf(const core::PublicDecrypt &request);
[[nodiscard]] Post postOf(const core::UserDecrypt &request);
// One for each route, of that content; the signed ones by the user.
[[nodiscard]] std::vector<Post> everyRoute(std::uint64_t number);

[[nodiscard]] ServerOptions forDecryptions(const TestDatabase &database);
[[nodiscard]] std::string jobIdOf(const HttpReply &reply);
void expectFailed(const HttpReply &reply, int status, const std::string &label);

// One server for all tests of the suite; each test posts contents of its own.
class DecryptServer : public testing::Test
{
  protected:
    static void SetUpTestSuite();
    static void TearDownTestSuite();
    void SetUp() override;

    static std::uint64_t fresh();
    HttpReply post(const Post &post, const HttpHeaders &headers = {});
    HttpReply get(const std::string &path) { return client_->get(path).value(); }

    // The row stands as if the request had ended so.
    static void end(const std::string &jobId, const std::string &columns);
    static std::string gatewayIdOf(std::uint64_t number);
    static void bringShare(std::uint64_t gatewayId, int index, const std::string &payload);

    static std::unique_ptr<TestDatabase> database_;
    static std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
};
}  // namespace relayer::test
