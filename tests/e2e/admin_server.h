// A server that may be administered, and who does so.
#pragma once

#include "e2e/requests.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace relayer::test
{
inline const std::string kAdminToken = "the-admin-token-of-the-tests-0123456789";

[[nodiscard]] inline ServerOptions withAdmin(ServerOptions options)
{
    options.environment["RELAYER_ADMIN__ACCESS"] = "token";
    options.environment["RELAYER_ADMIN__TOKEN"] = kAdminToken;
    return options;
}

[[nodiscard]] inline HttpHeaders adminHeaders(const std::string &token = kAdminToken)
{
    return {{"Authorization", "Bearer " + token}};
}

// Behind `words`, as in `admin on http://127.0.0.1:`; 0: nothing was said.
[[nodiscard]] std::uint16_t portBehind(const std::string &output, const std::string &words);

// Each test has a server of its own.
class AdministeredServer : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        server_ = std::make_unique<ServerProcess>(withAdmin(onDatabase(database_->url())));
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }
    // The job id of an input proof that is taken.
    std::string admit(std::uint64_t number)
    {
        return client_->post(kInputProof, proofBody(number).text())
            .value()
            .json()["job_id"]
            .asString();
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
};

// The paths below /admin and /console that controllers name, each with a value for its parameters.
struct AdminRoute
{
    std::string method;
    std::string path;
    bool guarded = false;  // its line names the filter
};
[[nodiscard]] std::vector<AdminRoute> adminRoutes();
}  // namespace relayer::test
