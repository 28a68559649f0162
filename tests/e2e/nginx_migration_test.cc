// What docs/migration.md has nginx do while two relayers are there: polls that the new one does not
// know go to the old one.
#include "e2e/behind_nginx.h"
#include "support/odd_instance.h"
#include "support/source_dir.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace relayer::test
{
namespace
{
const std::string kOldJob = "/v3/user-decrypt/9b6a35ad-0b44-4a09-a5b7-7bbba91b3c1b";

// The block of the document, with another address of the old relayer.
std::string locationsFor(std::uint16_t old)
{
    std::stringstream text;
    text << std::ifstream(sourceDir() / "docs/migration.md").rdbuf();
    const std::string document = text.str();
    const std::string begin = "```nginx\n";
    const std::size_t start = document.find(begin) + begin.size();
    std::string block = document.substr(start, document.find("```", start) - start);
    const std::string address = "127.0.0.1:3000";
    block.replace(block.find(address), address.size(), "127.0.0.1:" + std::to_string(old));
    return block;
}

class NginxWhileMoving : public BehindNginx
{
  protected:
    void standBetween(std::uint16_t fresh, std::uint16_t old)
    {
        nginx_ = std::make_unique<NginxProcess>(std::array{fresh, fresh}, locationsFor(old));
    }
};

TEST_F(NginxWhileMoving, PollsOfJobsThatTheNewOneDoesNotKnowGoToTheOldOne)
{
    const OddInstance old(OddInstance::Way::Answers);
    serve(behindAProxy());
    standBetween(server_->port(), old.port());
    HttpClient client = nginx_->client();
    const auto posted = client.post(kInputProof, proofBody(1).text()).value();
    ASSERT_EQ(posted.status, 202) << posted.body;
    const PostedJob job{posted.json()["result"]["jobId"].asString(), posted.header("location")};
    EXPECT_EQ(client.get(job.path).value().status, 202) << "a job of the new one";
    EXPECT_EQ(old.requests(), 0U);

    const auto known = client.get(kOldJob + "?wait=0").value();
    EXPECT_EQ(known.status, 200) << known.body;
    EXPECT_EQ(old.requests(), 1U) << "a job of the old one";
    EXPECT_EQ(client.get("/v2/nothing").value().status, 404) << "no job";
    EXPECT_EQ(client.get("/admin/x", from(kOutside)).value().status, 404) << "an operator's route";
    EXPECT_EQ(old.requests(), 1U);
}

TEST_F(NginxWhileMoving, WhatElseTheNewOneSaysPassesAsItIs)
{
    const OddInstance old(OddInstance::Way::Answers);
    serve(behindAProxy());
    standBetween(server_->port(), old.port());
    HttpClient client = nginx_->client();
    const auto unclear = client.get("/v2/input-proof/not-an-id").value();
    HttpClient direct(server_->port());
    const auto asItIs = direct.get("/v2/input-proof/not-an-id").value();
    EXPECT_EQ(unclear.status, 400);
    EXPECT_EQ(unclear.json()["error"], asItIs.json()["error"]);

    const PostedJob job = postJob();
    database_->query(
        "UPDATE request SET status = 'failure', live = false, error_code = 'internal'"
        " WHERE job_id = '" +
        job.id + "'");
    const auto ended = client.get(job.path).value();
    EXPECT_GE(ended.status, 500);
    EXPECT_EQ(ended.json()["error"], direct.get(job.path).value().json()["error"]);
    EXPECT_NE(labelOf(ended), "gateway_not_reachable") << "which would be nginx's own";
    EXPECT_EQ(old.requests(), 0U);
}

TEST_F(NginxWhileMoving, WhereEitherIsAwayNginxSaysSoInOurWords)
{
    standBetween(unusedPort(), unusedPort());
    const auto both = nginx_->client().get(kOldJob).value();
    EXPECT_EQ(both.status, 502);
    EXPECT_EQ(labelOf(both), "gateway_not_reachable");

    serve(behindAProxy());
    standBetween(server_->port(), unusedPort());
    const auto old = nginx_->client().get(kOldJob).value();
    EXPECT_EQ(old.status, 502) << "and not 404, of which clients take it for gone";
    EXPECT_EQ(labelOf(old), "gateway_not_reachable") << old.body;
    EXPECT_EQ(old.header("retry-after"), "5");
}
}  // namespace
}  // namespace relayer::test
