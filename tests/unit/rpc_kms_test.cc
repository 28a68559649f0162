// Signatures from a key management service: the requests as AWS wants them, the answers as it gives
// them.
#include "chain/address.h"
#include "chain/ecdsa.h"
#include "chain/rpc/kms_signer.h"
#include "support/await.h"
#include "support/client_loop.h"
#include "support/fake_kms.h"
#include "support/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::chain::rpc
{
namespace
{
using std::chrono::milliseconds;
using test::await;
using test::FakeRequest;

const AwsCredentials kExample{.accessKeyId = "AKIDEXAMPLE",
                              .secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                              .sessionToken = ""};

struct Vector
{
    const char *name;
    AwsRequest request;
    const char *service;
    const char *signature;
};

AwsRequest example(const std::string &method, const std::string &query = "",
                   const std::string &body = "")
{
    AwsRequest request;
    request.method = method;
    request.query = query;
    request.headers = {{"host", "example.amazonaws.com"}, {"x-amz-date", "20150830T123600Z"}};
    request.body = body;
    return request;
}

TEST(RpcAwsSignature, AgreesWithTheExamplesThatAwsPublished)
{
    AwsRequest form = example("POST", "", "Param1=value1");
    form.headers["content-type"] = "application/x-www-form-urlencoded";
    AwsRequest trimmed = example("GET");
    trimmed.headers["my-header1"] = "value1";
    trimmed.headers["my-header2"] = "\"a   b   c\"";
    AwsRequest users = example("GET", "Action=ListUsers&Version=2010-05-08");
    users.headers["host"] = "iam.amazonaws.com";
    users.headers["content-type"] = "application/x-www-form-urlencoded; charset=utf-8";
    const Vector vectors[] = {
        {"get-vanilla", example("GET"), "service",
         "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        {"post-vanilla", example("POST"), "service",
         "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
        {"get-vanilla-query-order-key-case", example("GET", "Param1=value1&Param2=value2"),
         "service", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
        {"post-x-www-form-urlencoded", form, "service",
         "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
        {"get-header-value-trim", trimmed, "service",
         "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
        {"the ListUsers example of the documentation", users, "iam",
         "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
    };
    for (const Vector &vector : vectors)
    {
        const std::string header = awsAuthorization(
            vector.request, kExample, {.region = "us-east-1", .service = vector.service});
        EXPECT_THAT(header, testing::EndsWith(std::string("Signature=") + vector.signature))
            << vector.name;
        EXPECT_THAT(header, testing::StartsWith(
                                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/"))
            << vector.name;
    }
    EXPECT_EQ(core::toHex(awsSigningKey(kExample.secretAccessKey, "20150830",
                                        {.region = "us-east-1", .service = "iam"})),
              "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    EXPECT_EQ(awsDate(std::chrono::system_clock::from_time_t(1440938160)), "20150830T123600Z");
}

class RpcKms : public testing::Test
{
  protected:
    [[nodiscard]] KmsOptions options() const
    {
        KmsOptions options;
        options.keyId = "alias/\"relayer\"";
        options.region = "eu-test-1";
        options.endpoint = service_.url();
        options.credentials = kExample;
        options.credentials.sessionToken = "SESSIONTOKEN";
        options.now = [] { return std::chrono::system_clock::from_time_t(1440938160); };
        options.pause = milliseconds(1);
        options.timeout = milliseconds(2'000);
        return options;
    }

    [[nodiscard]] static core::Hash32 digestOf(std::uint8_t content)
    {
        core::Hash32 digest{};
        digest.fill(content);
        return digest;
    }

    [[nodiscard]] std::shared_ptr<Signer> connect()
    {
        return await(connectKmsSigner(loop_.get(), options()));
    }

    [[nodiscard]] static Signer::Signed sign(const Signer &signer, const core::Hash32 &digest)
    {
        std::promise<Signer::Signed> promise;
        auto future = promise.get_future();
        signer.sign(digest, [&](Signer::Signed result) { promise.set_value(std::move(result)); });
        return future.get();
    }

    test::ClientLoop loop_;
    test::FakeKms service_;
};

TEST_F(RpcKms, SignsAsTheKeyItselfWouldWhicheverSTheServiceGives)
{
    const auto signer = connect();
    EXPECT_EQ(signer->address(), service_.address());
    for (const bool high : {false, true})
    {
        service_.giveHighS(high);
        for (std::uint8_t i = 1; i < 30; ++i)
        {
            const auto result = sign(*signer, digestOf(i));
            ASSERT_TRUE(std::holds_alternative<Signature>(result));
            EXPECT_EQ(std::get<Signature>(result), service_.signatureOf(digestOf(i)));
        }
    }
}

TEST_F(RpcKms, SendsASignedRequest)
{
    const auto signer = connect();
    static_cast<void>(sign(*signer, digestOf(5)));
    FakeRequest last = service_.lastRequest();
    const auto body = test::jsonValue(last.body);
    EXPECT_EQ(body["KeyId"].asString(), "alias/\"relayer\"");
    EXPECT_EQ(body["MessageType"].asString(), "DIGEST");
    EXPECT_EQ(body["SigningAlgorithm"].asString(), "ECDSA_SHA_256");
    EXPECT_EQ(last.headers["x-amz-target"], "TrentService.Sign");
    EXPECT_EQ(last.headers["content-type"], "application/x-amz-json-1.1");
    EXPECT_EQ(last.headers["x-amz-date"], "20150830T123600Z");
    EXPECT_EQ(last.headers["x-amz-security-token"], "SESSIONTOKEN");
    // Signed over the headers as they arrived.
    AwsRequest arrived;
    for (const char *name :
         {"content-type", "host", "x-amz-date", "x-amz-security-token", "x-amz-target"})
    {
        arrived.headers[name] = last.headers[name];
    }
    arrived.body = last.body;
    EXPECT_EQ(last.headers["authorization"],
              awsAuthorization(arrived, kExample, {.region = "eu-test-1", .service = "kms"}));
}

TEST_F(RpcKms, AsksAgainWhenItIsThrottledOrBroken)
{
    const auto signer = connect();
    static_cast<void>(service_.calls());
    service_.fail(400, R"({"__type":"ThrottlingException"})");
    service_.fail(500, R"({"__type":"com.amazonaws.kms#KMSInternalException"})");
    service_.fail(503, "");
    EXPECT_TRUE(std::holds_alternative<Signature>(sign(*signer, digestOf(5))));
    EXPECT_EQ(service_.calls(), 4U);

    service_.breakConnection();
    EXPECT_TRUE(std::holds_alternative<Signature>(sign(*signer, digestOf(6))));

    service_.fail(400, R"({"__type":"ThrottlingException"})", 4);
    const auto given = sign(*signer, digestOf(7));
    ASSERT_TRUE(std::holds_alternative<Signer::Failed>(given)) << "four tries, and no more";
    EXPECT_THAT(std::get<Signer::Failed>(given).why, testing::HasSubstr("ThrottlingException"));
}

TEST_F(RpcKms, FailsAtOnceWhereAskingAgainIsOfNoUse)
{
    const auto signer = connect();
    static_cast<void>(service_.calls());
    const std::pair<int, const char *> refusals[] = {
        {400, R"({"__type":"AccessDeniedException","message":"SECRET"})"},
        {400, R"({"__type":"x#NotFoundException"})"},
        {400, R"({"__type":"SECRET with blanks"})"},
        {403, "SECRET"},
        {200, "[]"},
        {200, R"({"Signature":7})"},
        {200, R"({"Signature":"AAAA"})"},
        {200, R"({})"},
    };
    for (const auto &[status, body] : refusals)
    {
        service_.fail(status, body);
        const auto result = sign(*signer, digestOf(5));
        ASSERT_TRUE(std::holds_alternative<Signer::Failed>(result)) << body;
        EXPECT_THAT(std::get<Signer::Failed>(result).why,
                    testing::Not(testing::HasSubstr("SECRET")));
        EXPECT_EQ(service_.calls(), 1U) << body;
    }
    // A signature of another digest is one of another key.
    service_.fail(200, R"({"Signature":")" + service_.derSignatureOf(digestOf(9)) + "\"}");
    EXPECT_TRUE(std::holds_alternative<Signer::Failed>(sign(*signer, digestOf(5))));
}

TEST_F(RpcKms, DoesNotConnectToWhatIsNoKeyOrNoUrl)
{
    service_.fail(200, R"({"PublicKey":"AAAA"})");
    EXPECT_THROW(static_cast<void>(connect()), KmsError);
    service_.fail(400, R"({"__type":"NotFoundException"})");
    EXPECT_THROW(static_cast<void>(connect()), KmsError);
    for (const char *url :
         {"ftp://SECRET", "SECRET", "http://a:SECRET@host/", "http://host/?SECRET"})
    {
        KmsOptions wrong = options();
        wrong.endpoint = url;
        try
        {
            static_cast<void>(await(connectKmsSigner(loop_.get(), wrong)));
            ADD_FAILURE() << url;
        }
        catch (const KmsError &error)
        {
            EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("SECRET")));
        }
    }
}

TEST_F(RpcKms, SignsForManyAtATime)
{
    const auto signer = connect();
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t good = 0;
    for (std::uint8_t i = 0; i < 100; ++i)
    {
        signer->sign(digestOf(i), [&](const Signer::Signed &result) {
            const std::scoped_lock lock(mutex);
            good += std::holds_alternative<Signature>(result) ? 1 : 0;
            changed.notify_all();
        });
    }
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return good == 100; }));
}
}  // namespace
}  // namespace relayer::chain::rpc
