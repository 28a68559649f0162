// http.md over HTTP: the order of the stages (section 4), which jobs a path shows (1 and 6.7), what
// becomes of a post whose content is here already (7), and who is bounced (8). One row each.
#include "e2e/decrypt_server.h"

#include <gtest/gtest.h>

#include <iostream>

namespace relayer::test
{
namespace
{
struct Row
{
    std::string name;
    std::string method;
    std::string path;
    std::string body;
    HttpHeaders headers;
    int status;
    std::string label;  // empty: no error
    std::string field;  // of the first detail
    std::string issue;
};

std::vector<Post> allRoutes(std::uint64_t number)
{
    std::vector<Post> posts = everyRoute(number);
    posts.insert(posts.begin(), {std::string(kInputProof), proofBody(number).text()});
    return posts;
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.rfind(what);
    EXPECT_NE(at, std::string::npos) << what << " in " << text;
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

// All user decryptions are one kind.
bool shows(const std::string &path, const std::string &posted)
{
    const auto ofUser = [](const std::string &route) {
        return route != kInputProof && route != kPublicDecrypt;
    };
    return path == posted || (ofUser(path) && ofUser(posted));
}

class ContractOverHttp : public DecryptServer
{
  protected:
    void expect(const Row &row)
    {
        SCOPED_TRACE(row.name);
        ++rows_;
        const auto reply = client_->request(row.method, row.path, row.body, row.headers).value();
        EXPECT_EQ(reply.status, row.status) << reply.body;
        EXPECT_EQ(labelOf(reply), row.label) << reply.body;
        const Json::Value body = reply.json();
        const Json::Value &details = body["error"]["details"];
        EXPECT_EQ(details.empty(), row.field.empty()) << reply.body;
        if (!row.field.empty())
        {
            EXPECT_EQ(details[0]["field"], row.field);
            EXPECT_EQ(details[0]["issue"], row.issue);
        }
        const bool again = row.status == 202 || row.status == 429;
        EXPECT_EQ(!reply.header("retry-after").empty(), again);
    }

    // The same content, after its first request came to this.
    void expectRepeat(const Post &first, const std::string &status, bool joins)
    {
        SCOPED_TRACE(first.path + " " + status);
        ++rows_;
        const std::string jobId = jobIdOf(post(first));
        const bool ended = status == "completed" || status == "failure" || status == "timed_out";
        const std::string columns = "status = '" + status + "'" + (joins ? "" : ", dedup = false");
        if (ended)
        {
            end(jobId, columns);
        }
        else
        {
            database_->query("UPDATE request SET " + columns + " WHERE job_id = '" + jobId + "'");
        }
        const HttpReply reply = post(first);
        EXPECT_EQ(reply.status, 202) << reply.body;
        EXPECT_EQ(jobIdOf(reply) == jobId, joins);
        EXPECT_EQ(reply.json()["status"], "queued");
    }

    static void TearDownTestSuite()
    {
        std::cout << "# contract cases over HTTP: " << rows_ << "\n";
        DecryptServer::TearDownTestSuite();
    }

    static int rows_;
};
int ContractOverHttp::rows_ = 0;

TEST_F(ContractOverHttp, OfSeveralThingsThatAreWrongTheEarliestStageIsTold)
{
    const std::string issue =
        "Must be 0x00, or a versioned format: 0x01 + 32-byte contextId (0x07-tagged first byte), "
        "or 0x02 + 32-byte contextId (0x07-tagged) + 32-byte epochId (0x08-tagged)";
    const HttpHeaders badKey = {{"Idempotency-Key", "two words"}};
    for (const Post &good : allRoutes(fresh()))
    {
        const std::string large(2UL * 1024 * 1024 + 1, '{');
        const std::string invalid =
            replaced(good.body, R"("extraData":"0x00")", R"("extraData":"0x")");
        const std::string field = good.path == kUnified ? "attestedPayload.extraData" : "extraData";
        const auto row = [&good](const std::string &name, const std::string &body,
                                 const HttpHeaders &headers, const std::string &label,
                                 const std::string &named = "", const std::string &what = "") {
            return Row{good.path + " " + name,    "POST", good.path, body, headers,
                       label.empty() ? 202 : 400, label,  named,     what};
        };
        const std::string first = good.path == kInputProof      ? "contractChainId"
                                  : good.path == kPublicDecrypt ? "ciphertextHandles"
                                  : good.path == kUnified       ? "attestationType"
                                                                : "handleContractPairs";
        expect(row("too large, and no JSON", large, {}, "request_error"));
        expect(row("too large, and a bad key", large, badKey, "request_error"));
        expect(row("no JSON, and a bad key", "{", badKey, "malformed_json"));
        expect(row("no body", "", {}, "malformed_json"));
        expect(row("nothing in it", "{}", {}, "missing_fields", first, "Required but missing"));
        expect(row("nothing in it, and a bad key", "{}", badKey, "missing_fields", first,
                   "Required but missing"));
        expect(row("no object", "7", {}, "validation_failed", "request", "Invalid data type"));
        expect(row("a rule, and a bad key", invalid, badKey, "validation_failed", field, issue));
        expect(row("trailing text before a rule", invalid + "}", {}, "malformed_json"));
        expect(row("only the key", good.body, badKey, "request_error"));
        expect(row("right", good.body, {}, ""));
        expect(row("right, whatever the type", good.body, {{"Content-Type", "text/plain"}}, ""));
    }
}

TEST_F(ContractOverHttp, AJobIsShownOnThePathsOfItsKind)
{
    for (const Post &posted : allRoutes(fresh()))
    {
        const std::string jobId = jobIdOf(post(posted));
        for (const Post &asked : allRoutes(0))
        {
            const bool shown = shows(asked.path, posted.path);
            expect({posted.path + " on " + asked.path,
                    "GET",
                    asked.path + "/" + jobId,
                    "",
                    {},
                    shown ? 202 : 404,
                    shown ? "" : "not_found",
                    "",
                    ""});
        }
        const std::string path = posted.path + "/";
        expect({"no UUID", "GET", path + "7", "", {}, 400, "request_error", "", ""});
        expect({"one digit less",
                "GET",
                path + jobId.substr(1),
                "",
                {},
                400,
                "request_error",
                "",
                ""});
        expect({"in braces", "GET", path + "%7B" + jobId + "%7D", "", {}, 202, "", "", ""});
        expect({"as a URN", "GET", path + "urn:uuid:" + jobId, "", {}, 202, "", "", ""});
        expect({"unknown",
                "GET",
                path + "00000000-0000-4000-8000-000000000000",
                "",
                {},
                404,
                "not_found",
                "",
                ""});
        expect({"deeper", "GET", path + jobId + "/more/of/it", "", {}, 404, "not_found", "", ""});
        expect({"posted to", "POST", path + jobId, "{}", {}, 405, "request_error", "", ""});
        expect({"read", "GET", posted.path, "", {}, 405, "request_error", "", ""});
        expect({"deleted", "DELETE", path + jobId, "", {}, 405, "request_error", "", ""});
        expect({"of another version",
                "POST",
                "/v1" + posted.path.substr(3),
                posted.body,
                {},
                404,
                "not_found",
                "",
                ""});
    }
}

TEST_F(ContractOverHttp, ARepeatJoinsWhatIsAliveOrDoneAndBeginsAnewWhatFailed)
{
    for (const std::string status : {"queued", "processing", "tx_in_flight", "receipt_received",
                                     "completed", "failure", "timed_out"})
    {
        for (const Post &each : allRoutes(fresh()))
        {
            if (each.path != kInputProof || status != "queued")
            {
                expectRepeat(each, status, status != "failure" && status != "timed_out");
            }
        }
    }
}

TEST_F(ContractOverHttp, AnIdempotencyKeyStandsForOneContent)
{
    const std::uint64_t number = fresh();
    const std::uint64_t other = fresh();
    for (std::size_t route = 0; route < allRoutes(0).size(); ++route)
    {
        const Post first = allRoutes(number)[route];
        const HttpHeaders key = {{"Idempotency-Key", "contract-" + std::to_string(route)}};
        const auto row = [&](const std::string &name, const Post &what, int status,
                             const std::string &label) {
            return Row{
                first.path + " " + name, "POST", what.path, what.body, key, status, label, "", ""};
        };
        expect(row("first", first, 202, ""));
        expect(row("again", first, 202, ""));
        expect(row("another content", allRoutes(other)[route], 422, "idempotency_key_reused"));
        const std::size_t next = (route + 1) % allRoutes(0).size();
        expect(row("another route", allRoutes(number)[next], 422, "idempotency_key_reused"));
    }
}
}  // namespace
}  // namespace relayer::test
