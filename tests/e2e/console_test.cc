// The console without a browser: who is let in, what forms need, and that nothing that comes from
// outside becomes a tag. In a browser: console_browser_test.cc.
#include "e2e/admin_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;
using testing::Not;

const std::string kForm = "application/x-www-form-urlencoded";

class Console : public AdministeredServer
{
  protected:
    HttpReply get(const std::string &path, const std::string &cookie = {})
    {
        return client_->get(path, {{"Cookie", cookie}}).value();
    }
    HttpReply post(const std::string &path, const std::string &form, const std::string &cookie = {},
                   HttpHeaders headers = {})
    {
        headers["Content-Type"] = kForm;
        headers["Cookie"] = cookie;
        return client_->post(path, form, headers).value();
    }
    // The cookie that the right token gets.
    std::string logIn()
    {
        const auto reply = post("/console/login", "token=" + kAdminToken + "&name=ada");
        EXPECT_EQ(reply.status, 303) << reply.body;
        EXPECT_EQ(reply.header("location"), "/console");
        const std::string set = reply.header("set-cookie");
        EXPECT_THAT(set, HasSubstr("HttpOnly"));
        EXPECT_THAT(set, HasSubstr("SameSite=Strict"));
        EXPECT_THAT(set, Not(HasSubstr(kAdminToken)));
        return set.substr(0, set.find(';'));
    }
    static std::string formTokenIn(const std::string &page)
    {
        const std::string before = "name=\"csrf\" value=\"";
        const std::size_t at = page.find(before) + before.size();
        return page.substr(at, page.find('"', at) - at);
    }
};

TEST_F(Console, LetsInWhoHasTheTokenAndShowsNobodyElseAnything)
{
    for (const char *path :
         {"/console", "/console/requests", "/console/shares", "/console/settings",
          "/console/requests/00000000-0000-4000-8000-000000000000"})
    {
        const auto reply = get(path);
        EXPECT_EQ(reply.status, 303) << path;
        EXPECT_THAT(reply.header("location"), HasSubstr("/console/login")) << path;
        EXPECT_EQ(get(path, "relayer_console=9999999999.aa.61.00").status, 303) << "made up";
    }
    const auto refused = post("/console/login", "token=wrong-token-of-some-length");
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.header("set-cookie"), "");
    const std::string cookie = logIn();
    EXPECT_EQ(get("/console", cookie).status, 200);
    std::string changed = cookie;
    changed.back() = changed.back() == '0' ? '1' : '0';
    EXPECT_EQ(get("/console", changed).status, 303);
    // Said by who logs in, and never more than a path of our own.
    const auto away =
        post("/console/login", "token=" + kAdminToken + "&next=%2F%2Fevil.example%2Fconsole");
    EXPECT_EQ(away.header("location"), "/console");
}

TEST_F(Console, PagesAllowNothingButWhatIsOurs)
{
    const std::string cookie = logIn();
    for (const char *path : {"/console", "/console/requests", "/console/shares",
                             "/console/settings", "/console/login"})
    {
        const auto reply = get(path, cookie);
        ASSERT_EQ(reply.status, 200) << path;
        const std::string policy = reply.header("content-security-policy");
        EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
        EXPECT_THAT(policy, HasSubstr("script-src 'self'"));
        EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
        EXPECT_EQ(reply.header("cache-control"), "no-store");
        for (const char *no : {"style=\"", "onclick", "<style", "http://", "https://"})
        {
            EXPECT_THAT(reply.body, Not(HasSubstr(no))) << path;
        }
        EXPECT_THAT(reply.body, Not(HasSubstr(kAdminToken))) << path;
    }
}

TEST_F(Console, AFormNeedsTheTokenOfItsSession)
{
    const std::string job = admit(1);
    const std::string cookie = logIn();
    const std::string path = "/console/requests/" + job + "/fail";
    EXPECT_EQ(post(path, "reason=x").status, 303) << "to the login";
    EXPECT_EQ(post(path, "reason=x", cookie).status, 403);
    const std::string other = formTokenIn(get("/console", logIn()).body);
    EXPECT_EQ(post(path, "reason=x&csrf=" + other, cookie).status, 403);
    const std::string mine = formTokenIn(get("/console", cookie).body);
    EXPECT_EQ(
        post(path, "reason=x&csrf=" + mine, cookie, {{"Sec-Fetch-Site", "cross-site"}}).status,
        403);
    EXPECT_EQ(database_->value("SELECT count(*) FROM audit"), "0");
    const auto done = post(path, "reason=x&csrf=" + mine, cookie);
    EXPECT_EQ(done.status, 303);
    EXPECT_EQ(done.header("location"), "/console/requests/" + job + "?done=fail");
    EXPECT_EQ(database_->value("SELECT status FROM request"), "failure");
    EXPECT_THAT(database_->value("SELECT actor FROM audit"), HasSubstr("ada@"));
    EXPECT_EQ(post(path, "reason=x&csrf=" + mine, cookie).header("location"),
              "/console/requests/" + job + "?refused=wrong_state");
}

TEST_F(Console, AFormOfASettingSetsTakesBackOrSaysWhyNothingWasChanged)
{
    const std::string cookie = logIn();
    const std::string csrf = "csrf=" + formTokenIn(get("/console/settings", cookie).body);
    const auto send = [&](const std::string &fields) {
        return post("/console/settings", csrf + "&" + fields, cookie);
    };
    const std::string least = "param=retry_after_min_seconds";
    for (const auto &[fields, why] : std::map<std::string, std::string>{
             {least + "&value=0", "is below the minimum of 1"},
             {least + "&value=", "is not an integer"},
             {least + "&value=301", "retry_after_max_seconds must not be less than"},
             {"param=nothing&value=1", "Unknown configuration parameter: nothing"},
             {"param=nothing&reset=1", "Unknown configuration parameter: nothing"},
             {"value=1", "Unknown configuration parameter: "}})
    {
        const auto refused = send(fields);
        EXPECT_EQ(refused.status, 400) << fields << refused.body;
        EXPECT_THAT(refused.body, HasSubstr("role=\"alert\"")) << fields;
        EXPECT_THAT(refused.body, HasSubstr(why)) << fields;
    }
    EXPECT_EQ(database_->value("SELECT count(*) FROM setting"), "0");
    const auto set = send(least + "&value=007");
    EXPECT_EQ(set.status, 303) << set.body;
    EXPECT_EQ(set.header("location"), "/console/settings?done=set#set-retry_after_min_seconds");
    EXPECT_EQ(database_->value("SELECT value FROM setting"), "7");
    EXPECT_EQ(send(least + "&reset=1").status, 303);
    EXPECT_EQ(database_->value("SELECT count(*) FROM setting"), "0");
}

TEST_F(Console, TheOverviewSaysWhatAnOperatorHasPausedAndWhy)
{
    const auto act = [this](const std::string &what, const std::string &body) {
        EXPECT_EQ(client_->post("/admin/" + what, body, adminHeaders()).value().status, 200);
    };
    database_->query(
        "INSERT INTO signer_lane (name, address, next_nonce)"
        " VALUES ('main', '\\x1111111111111111111111111111111111111111', 7)");
    const std::string cookie = logIn();
    const std::string before = get("/console", cookie).body;
    EXPECT_THAT(before, Not(HasSubstr("aused by")));
    act("lanes/main/pause", R"({"reason":"fees <b>"})");
    act("intake/pause", R"({"reason":"the disk"})");
    const std::string paused = get("/console", cookie).body;
    EXPECT_THAT(paused, HasSubstr("Paused by admin@127.0.0.1, "));
    EXPECT_THAT(paused, HasSubstr(": fees &lt;b&gt;</p>"));
    EXPECT_THAT(paused, HasSubstr("Intake is paused by admin@127.0.0.1, "));
    EXPECT_THAT(paused, HasSubstr(": the disk</p>"));
    act("lanes/main/resume", "");
    act("intake/resume", "");
    EXPECT_THAT(get("/console", cookie).body, Not(HasSubstr("aused by")));
}

TEST_F(Console, TheSharesPageCountsWhatIsKept)
{
    database_->query(
        "INSERT INTO voting_round (round_id, vote_end_time)"
        " SELECT sha256(g::text::bytea), 4000000000 FROM generate_series(1, 3) g");
    database_->query(
        "INSERT INTO scheduled_share (round_id, share_index, proposal_id, tree_position,"
        " payload_digest, state, waiting, submit_at, next_attempt_at, vote_end_time)"
        " SELECT sha256('1'), g, 1, g, sha256('x'), (CASE WHEN g <= 4 THEN 'received'"
        " WHEN g <= 11 THEN 'submitted' ELSE 'failed' END)::share_state, g <= 4, 0,"
        " now() + CASE WHEN g <= 2 THEN interval '-95 minutes' ELSE interval '1 hour' END,"
        " 4000000000 FROM generate_series(1, 16) g");
    const std::string page = get("/console/shares", logIn()).body;
    EXPECT_THAT(page, Not(HasSubstr("Not configured")));
    const auto says = [&page](const std::string &what, const std::string &number) {
        EXPECT_THAT(page, HasSubstr("<dt>" + what + "</dt><dd>" + number)) << what;
    };
    says("received", "4</dd>");
    says("submitted", "7</dd>");
    says("failed", "5</dd>");
    says("shares", "2</dd>");
    says("the oldest for", "1 h 35 min");
    says("voting rounds", "3</dd>");
    EXPECT_THAT(page, Not(HasSubstr("Validators who want to join"))) << "nobody is asked here";
}

TEST_F(Console, WhatComesFromOutsideIsTextAndNoTag)
{
    const std::string job = admit(1);
    const std::string evil = "<script>alert(1)</script>\"'>&";
    database_->query("UPDATE request SET error_detail = $x$" + evil + "$x$, error_code = $x$" +
                     evil + "$x$");
    const std::string cookie = logIn();
    const std::string typed = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27";
    for (const std::string &path :
         {"/console/requests/" + job, std::string("/console/requests"),
          "/console/requests?name=" + typed, "/console/requests?kind=" + typed,
          "/console/requests?before=" + typed, "/console/login?next=" + typed,
          "/console/requests/" + job + "?done=" + typed + "&refused=" + typed})
    {
        const auto reply = get(path, cookie);
        EXPECT_LT(reply.status, 500) << path;
        EXPECT_THAT(reply.body, Not(HasSubstr("<script>"))) << path;
        EXPECT_THAT(reply.body, Not(HasSubstr("alert(1)</"))) << path;
    }
    EXPECT_THAT(get("/console/requests/" + job, cookie).body,
                HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST_F(Console, EachPageShowsWhatItIsFor)
{
    const std::string job = admit(1);
    const std::string cookie = logIn();
    EXPECT_THAT(get("/console", cookie).body, HasSubstr("Live requests"));
    EXPECT_THAT(get("/console/requests", cookie).body, HasSubstr(job));
    const std::string page = get("/console/requests/" + job, cookie).body;
    EXPECT_THAT(page, HasSubstr("<svg class=\"lifecycle\""));
    EXPECT_THAT(page, HasSubstr("state s-processing seen here"));
    EXPECT_THAT(page, Not(HasSubstr("aabbcc"))) << "no payload";
    EXPECT_THAT(get("/console/shares", cookie).body, HasSubstr("Not configured"));
    EXPECT_EQ(get("/console/requests/no-job", cookie).status, 404);
    EXPECT_EQ(get("/console/requests?kind=nonsense", cookie).status, 400);
}
}  // namespace
}  // namespace relayer::test
