// Signatures from a key management service: the requests as AWS wants them, the answers as it gives
// them.
#include "chain/address.h"
#include "chain/ecdsa.h"
#include "chain/private_key_signer.h"
#include "chain/rpc/kms_signer.h"
#include "chain/uint256.h"
#include "support/await.h"
#include "support/fake_node.h"

#include <drogon/utils/Utilities.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

namespace relayer::chain::rpc
{
namespace
{
using std::chrono::milliseconds;
using test::await;
using test::FakeNode;
using test::FakeRequest;
using test::FakeResponse;

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

core::Bytes derInteger(core::Hash32 number)
{
    core::Bytes bytes(number.begin(), number.end());
    while (bytes.size() > 1 && bytes[0] == 0 && bytes[1] < 0x80)
    {
        bytes.erase(bytes.begin());
    }
    if (bytes[0] >= 0x80)
    {
        bytes.insert(bytes.begin(), 0);
    }
    bytes.insert(bytes.begin(), {0x02, static_cast<std::uint8_t>(bytes.size())});
    return bytes;
}

std::string base64(const core::Bytes &bytes)
{
    return drogon::utils::base64Encode(bytes.data(), static_cast<unsigned int>(bytes.size()));
}

// A service that has one key, and answers as it is told to.
class RpcKms : public testing::Test
{
  protected:
    RpcKms()
    {
        loop_.run();
        core::Hash32 key{};
        key.fill(0x2b);
        key_ = signerWithKey(key);
        service_.onHttp([this](const FakeRequest &request) { return answer(request); });
    }

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

    [[nodiscard]] Signature signatureOf(const core::Hash32 &digest) const
    {
        Signature signature;
        key_->sign(digest,
                   [&](const Signer::Signed &result) { signature = std::get<Signature>(result); });
        return signature;
    }

    [[nodiscard]] FakeResponse answer(const FakeRequest &request)
    {
        {
            const std::scoped_lock lock(mutex_);
            ++calls_;
            last_ = request;
            if (!failures_.empty())
            {
                FakeResponse failure = failures_.front();
                failures_.erase(failures_.begin());
                return failure;
            }
        }
        FakeResponse response;
        if (request.headers.at("x-amz-target") == "TrentService.GetPublicKey")
        {
            response.body = R"({"PublicKey":")" + publicKey() + "\"}";
            return response;
        }
        const std::string message = test::jsonValue(request.body)["Message"].asString();
        const std::string bytes = drogon::utils::base64Decode(message);
        core::Hash32 digest{};
        std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
        response.body = R"({"Signature":")" + derSignature(digest) + "\"}";
        return response;
    }

    [[nodiscard]] std::string publicKey() const
    {
        const PublicKey key = *recoverKey(digestOf(1), signatureOf(digestOf(1)));
        core::Bytes der = *core::fromHex("3056301006072a8648ce3d020106052b8104000a03420004");
        der.insert(der.end(), key.begin(), key.end());
        return base64(der);
    }

    [[nodiscard]] std::string derSignature(const core::Hash32 &digest) const
    {
        Signature signature = signatureOf(digest);
        if (highS_)
        {
            const Uint256 order(
                "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
            signature.s = bigEndian(Uint256(order - *fromBigEndian(signature.s)));
        }
        core::Bytes body = derInteger(signature.r);
        const core::Bytes s = derInteger(signature.s);
        body.insert(body.end(), s.begin(), s.end());
        body.insert(body.begin(), {0x30, static_cast<std::uint8_t>(body.size())});
        return base64(body);
    }

    void fail(int status, const std::string &body, std::size_t times = 1)
    {
        FakeResponse failure;
        failure.body = body;
        failure.wire.status = status;
        const std::scoped_lock lock(mutex_);
        failures_.insert(failures_.end(), times, failure);
    }

    [[nodiscard]] std::shared_ptr<Signer> connect()
    {
        return await(connectKmsSigner(loop_.getLoop(), options()));
    }

    [[nodiscard]] static Signer::Signed sign(const Signer &signer, const core::Hash32 &digest)
    {
        std::promise<Signer::Signed> promise;
        auto future = promise.get_future();
        signer.sign(digest, [&](Signer::Signed result) { promise.set_value(std::move(result)); });
        return future.get();
    }

    [[nodiscard]] std::size_t calls()
    {
        const std::scoped_lock lock(mutex_);
        return std::exchange(calls_, 0);
    }

    trantor::EventLoopThread loop_;
    std::shared_ptr<Signer> key_;
    std::atomic<bool> highS_{false};
    std::mutex mutex_;
    std::vector<FakeResponse> failures_;
    FakeRequest last_;
    std::size_t calls_ = 0;
    FakeNode service_;
};

TEST_F(RpcKms, SignsAsTheKeyItselfWouldWhicheverSTheServiceGives)
{
    const auto signer = connect();
    EXPECT_EQ(signer->address(), key_->address());
    for (const bool high : {false, true})
    {
        highS_ = high;
        for (std::uint8_t i = 1; i < 30; ++i)
        {
            const auto result = sign(*signer, digestOf(i));
            ASSERT_TRUE(std::holds_alternative<Signature>(result));
            EXPECT_EQ(std::get<Signature>(result), signatureOf(digestOf(i)));
        }
    }
}

TEST_F(RpcKms, SendsASignedRequest)
{
    const auto signer = connect();
    static_cast<void>(sign(*signer, digestOf(5)));
    const std::scoped_lock lock(mutex_);
    const auto body = test::jsonValue(last_.body);
    EXPECT_EQ(body["KeyId"].asString(), "alias/\"relayer\"");
    EXPECT_EQ(body["MessageType"].asString(), "DIGEST");
    EXPECT_EQ(body["SigningAlgorithm"].asString(), "ECDSA_SHA_256");
    EXPECT_EQ(last_.headers["x-amz-target"], "TrentService.Sign");
    EXPECT_EQ(last_.headers["content-type"], "application/x-amz-json-1.1");
    EXPECT_EQ(last_.headers["x-amz-date"], "20150830T123600Z");
    EXPECT_EQ(last_.headers["x-amz-security-token"], "SESSIONTOKEN");
    // Signed over the headers as they arrived.
    AwsRequest arrived;
    for (const char *name :
         {"content-type", "host", "x-amz-date", "x-amz-security-token", "x-amz-target"})
    {
        arrived.headers[name] = last_.headers[name];
    }
    arrived.body = last_.body;
    EXPECT_EQ(last_.headers["authorization"],
              awsAuthorization(arrived, kExample, {.region = "eu-test-1", .service = "kms"}));
}

TEST_F(RpcKms, AsksAgainWhenItIsThrottledOrBroken)
{
    const auto signer = connect();
    static_cast<void>(calls());
    fail(400, R"({"__type":"ThrottlingException"})");
    fail(500, R"({"__type":"com.amazonaws.kms#KMSInternalException"})");
    fail(503, "");
    EXPECT_TRUE(std::holds_alternative<Signature>(sign(*signer, digestOf(5))));
    EXPECT_EQ(calls(), 4U);

    service_.misbehave({.closeInsteadOfAnswering = true});
    EXPECT_TRUE(std::holds_alternative<Signature>(sign(*signer, digestOf(6))));

    fail(400, R"({"__type":"ThrottlingException"})", 4);
    const auto given = sign(*signer, digestOf(7));
    ASSERT_TRUE(std::holds_alternative<Signer::Failed>(given)) << "four tries, and no more";
    EXPECT_THAT(std::get<Signer::Failed>(given).why, testing::HasSubstr("ThrottlingException"));
}

TEST_F(RpcKms, FailsAtOnceWhereAskingAgainIsOfNoUse)
{
    const auto signer = connect();
    static_cast<void>(calls());
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
        fail(status, body);
        const auto result = sign(*signer, digestOf(5));
        ASSERT_TRUE(std::holds_alternative<Signer::Failed>(result)) << body;
        EXPECT_THAT(std::get<Signer::Failed>(result).why,
                    testing::Not(testing::HasSubstr("SECRET")));
        EXPECT_EQ(calls(), 1U) << body;
    }
    // A signature of another digest is one of another key.
    fail(200, R"({"Signature":")" + derSignature(digestOf(9)) + "\"}");
    EXPECT_TRUE(std::holds_alternative<Signer::Failed>(sign(*signer, digestOf(5))));
}

TEST_F(RpcKms, DoesNotConnectToWhatIsNoKeyOrNoUrl)
{
    fail(200, R"({"PublicKey":"AAAA"})");
    EXPECT_THROW(static_cast<void>(connect()), KmsError);
    fail(400, R"({"__type":"NotFoundException"})");
    EXPECT_THROW(static_cast<void>(connect()), KmsError);
    for (const char *url :
         {"ftp://SECRET", "SECRET", "http://a:SECRET@host/", "http://host/?SECRET"})
    {
        KmsOptions wrong = options();
        wrong.endpoint = url;
        try
        {
            static_cast<void>(await(connectKmsSigner(loop_.getLoop(), wrong)));
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
