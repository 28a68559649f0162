// A server of which clients ask to wait, and jobs that move because the test says so: straight in
// the database, as if another instance had done it.
#pragma once

#include "e2e/requests.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

namespace relayer::test
{
class WaitingServer : public testing::Test
{
  protected:
    void SetUp() override;
    void TearDown() override;

    // With these settings beside the usual ones; one for each test.
    void serve(const std::map<std::string, std::string> &environment = {});

    struct PostedJob
    {
        std::string id;
        std::string path;
    };
    PostedJob postJob();
    void moveTo(const PostedJob &job, const std::string &status);
    // A rejected proof: 200 with accepted false.
    void reject(const PostedJob &job);
    // As an instance would that moved it.
    void notice(const PostedJob &job);

    // The server has read a job since the call of `moment`, so the poll that was sent after it
    // waits now, or will not miss what comes.
    [[nodiscard]] std::string moment() const;
    void awaitReadSince(const std::string &moment) const;

    [[nodiscard]] HttpClient client() const { return HttpClient(server_->port()); }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;

  private:
    std::uint64_t next_ = 1;
};
}  // namespace relayer::test
