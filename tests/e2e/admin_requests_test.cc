// What operators see of requests and do to them, through the real program.
#include "e2e/admin_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;
using testing::Not;

const std::string kRequests = "/admin/requests";

class AdminRequests : public AdministeredServer
{
  protected:
    HttpReply get(const std::string &path) { return client_->get(path, adminHeaders()).value(); }
    HttpReply post(const std::string &path, const std::string &body = {})
    {
        return client_->post(path, body, adminHeaders()).value();
    }
};

TEST_F(AdminRequests, AreListedPageByPageAndFoundByWhatStandsForThem)
{
    std::vector<std::string> jobs;
    for (std::uint64_t i = 0; i < 5; ++i)
    {
        jobs.insert(jobs.begin(), admit(i));
    }
    std::vector<std::string> seen;
    std::string before;
    do
    {
        const auto page = get(kRequests + "?limit=2" + before).json();
        for (const auto &request : page["requests"])
        {
            seen.push_back(request["jobId"].asString());
        }
        before = page.isMember("next") ? "&before=" + page["next"].asString() : "";
    }
    while (!before.empty());
    EXPECT_EQ(seen, jobs);
    const auto one = get(kRequests + "/" + jobs[0]).json();
    EXPECT_EQ(one["status"], "processing");
    EXPECT_EQ(one["statuses"][0]["transition"], "admit");
    for (const std::string &query :
         {"job_id=" + jobs[0], "content_hash=" + one["contentHash"].asString(),
          std::string("kind=input_proof&status=processing&younger_than=3600&limit=1")})
    {
        const auto found = get(kRequests + "?" + query).json()["requests"];
        ASSERT_EQ(found.size(), 1U) << query;
        EXPECT_EQ(found[0]["jobId"].asString(), jobs[0]) << query;
    }
    EXPECT_EQ(get(kRequests + "?older_than=3600").json()["requests"].size(), 0U);
    EXPECT_THAT(get(kRequests + "/" + jobs[0]).body, Not(HasSubstr("aabbcc"))) << "no payload";
}

TEST_F(AdminRequests, SayWhichParameterIsWrong)
{
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"job_id=7", "job_id"},
        {"kind=proof", "kind"},
        {"status=done", "status"},
        {"content_hash=0x12", "content_hash"},
        {"gateway_id=zz", "gateway_id"},
        {"tx_hash=0x" + std::string(63, 'a'), "tx_hash"},
        {"older_than=-1", "older_than"},
        {"younger_than=1.5", "younger_than"},
        {"before=0", "before"},
        {"before=99999999999999999999", "before"},
        {"limit=0", "limit"},
        {"limit=201", "limit"},
        {"limit=%00", "limit"},
        {"content_hash=" + std::string(64, 'a') + "&tx_hash=" + std::string(64, 'a'), "job_id"}};
    for (const auto &[query, field] : wrong)
    {
        const auto reply = get(kRequests + "?" + query);
        EXPECT_EQ(reply.status, 400) << query;
        EXPECT_EQ(reply.json()["label"], "validation_failed") << query;
        EXPECT_EQ(reply.json()["field"], field) << query;
    }
    EXPECT_EQ(get(kRequests + "/nonsense").status, 400);
    const std::string nobody = kRequests + "/00000000-0000-4000-8000-000000000000";
    EXPECT_EQ(get(nobody).status, 404);
    for (const char *action : {"/fail", "/dispatch", "/resubmit"})
    {
        EXPECT_EQ(post(nobody + action).status, 404) << action;
        EXPECT_EQ(post(kRequests + "/nonsense" + action).status, 400) << action;
    }
    const std::string job = admit(1);
    for (const std::string &body :
         {std::string("{"), std::string("[]"), std::string(R"({"reason":7})"),
          R"({"reason":")" + std::string(201, 'a') + "\"}", std::string(R"({"reason":"a\nb"})")})
    {
        EXPECT_EQ(post(kRequests + "/" + job + "/fail", body).status, 400) << body;
    }
    EXPECT_EQ(get(kRequests + "/" + job).json()["status"], "processing");
}

TEST_F(AdminRequests, AreFailedAndSubmittedAnewAndOnlyWhereTheStateAllowsIt)
{
    const std::string job = admit(1);
    const std::string path = kRequests + "/" + job;
    const auto dispatched = post(path + "/dispatch");
    EXPECT_EQ(dispatched.status, 409);
    EXPECT_EQ(dispatched.json()["label"], "wrong_state");
    EXPECT_EQ(post(path + "/resubmit").status, 409);
    const auto failed = post(path + "/fail", R"({"reason":"it is stuck"})");
    ASSERT_EQ(failed.status, 200) << failed.body;
    EXPECT_EQ(failed.json()["status"], "failure");
    EXPECT_EQ(failed.json()["errorCode"], "stopped_by_operator");
    EXPECT_EQ(failed.json()["statuses"][1]["transition"], "fail_internally");
    EXPECT_EQ(post(path + "/fail").json()["label"], "wrong_state");
    const auto poll = client_->get(std::string(kInputProof) + "/" + job).value();
    EXPECT_EQ(poll.status, 500);
    EXPECT_THAT(poll.body, Not(HasSubstr("stuck"))) << "the reason stays in the house";
    const auto anew = post(path + "/resubmit");
    ASSERT_EQ(anew.status, 201) << anew.body;
    const std::string fresh = anew.json()["jobId"].asString();
    EXPECT_NE(fresh, job);
    EXPECT_EQ(get(kRequests + "/" + fresh).json()["resubmits"], job);
    EXPECT_EQ(get(path).json()["resubmittedAs"][0], fresh);
    EXPECT_EQ(post(path + "/resubmit").json()["label"], "content_in_use");
    // A client with the same content joins the new one.
    EXPECT_EQ(admit(1), fresh);
    EXPECT_EQ(database_->value("SELECT string_agg(action, ' ' ORDER BY id) FROM audit"),
              "request_failed request_submitted_anew");
}
}  // namespace
}  // namespace relayer::test
