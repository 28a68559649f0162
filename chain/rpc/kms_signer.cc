// GetPublicKey and Sign, as signed JSON over HTTP.
#include "chain/rpc/kms_signer.h"

#include "chain/address.h"
#include "chain/ecdsa.h"
#include "chain/rpc/http_endpoint.h"
#include "chain/rpc/json_answers.h"

#include <drogon/utils/Utilities.h>
#include <json/writer.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace relayer::chain::rpc
{
namespace
{
using drogon::Task;

constexpr int kOk = 200;
constexpr int kFirstServerError = 500;
constexpr int kTooManyRequests = 429;
constexpr JsonLimits kLimits{.bytes = 1024UL * 1024, .depth = 8, .values = 1000};

struct Kms
{
    trantor::EventLoop *loop = nullptr;
    KmsOptions options;
    std::shared_ptr<HttpEndpoint> http;
};
using KmsPtr = std::shared_ptr<const Kms>;

// What one call came to: a document, or why there is none and whether to ask again.
struct Said
{
    std::optional<Json::Value> document;
    std::string why;
    bool passing = false;
};

// The name of an error: com.amazonaws.kms#ThrottlingException. Only letters, so that nothing else
// that may stand there gets into a log.
std::string errorName(const Json::Value &document)
{
    const Json::Value &type =
        document.isObject() ? document["__type"] : Json::Value::nullSingleton();
    std::string text = type.isString() ? type.asString() : "";
    text.erase(0, text.find('#') == std::string::npos ? 0 : text.find('#') + 1);
    constexpr std::size_t kLongestName = 64;
    const bool name =
        !text.empty() && text.size() <= kLongestName &&
        std::ranges::all_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
    return name ? text : "an error without a name";
}

bool passes(int status, const std::string &name)
{
    static const std::vector<std::string> passing = {
        "ThrottlingException",        "LimitExceededException",  "KMSInternalException",
        "DependencyTimeoutException", "KeyUnavailableException", "RequestLimitExceeded",
        "ServiceUnavailable",         "InternalFailure"};
    return status >= kFirstServerError || status == kTooManyRequests ||
           std::ranges::find(passing, name) != passing.end();
}

std::string hostOf(const Url &url)
{
    const bool usual = url.port == (url.secure() ? 443 : 80);
    return usual ? url.host : url.host + ":" + std::to_string(url.port);
}

HttpQuestion signedQuestion(const Kms &kms, const std::string &operation, std::string body)
{
    HttpQuestion question;
    question.contentType = "application/x-amz-json-1.1";
    question.timeout = kms.options.timeout;
    AwsRequest request;
    request.path = kms.http->url().target;
    request.headers = {{"content-type", question.contentType},
                       {"host", hostOf(kms.http->url())},
                       {"x-amz-date", awsDate(kms.options.now())},
                       {"x-amz-target", "TrentService." + operation}};
    if (!kms.options.credentials.sessionToken.empty())
    {
        request.headers["x-amz-security-token"] = kms.options.credentials.sessionToken;
    }
    request.body = std::move(body);
    question.headers = request.headers;
    question.headers.erase("content-type");  // the endpoint sets it
    question.headers["authorization"] = awsAuthorization(
        request, kms.options.credentials, {.region = kms.options.region, .service = "kms"});
    question.body = std::move(request.body);
    return question;
}

Said understand(const HttpOutcome &outcome)
{
    if (std::holds_alternative<HttpFailure>(outcome))
    {
        return {.document = {}, .why = "KMS can not be reached", .passing = true};
    }
    const auto &answer = std::get<HttpAnswer>(outcome);
    auto document = parseJson(answer.body(), kLimits);
    if (answer.status == kOk && document && document->isObject())
    {
        return {.document = std::move(document), .why = "", .passing = false};
    }
    const std::string name = errorName(document.value_or(Json::Value()));
    return {.document = {},
            .why = "KMS answers " + name + " (HTTP " + std::to_string(answer.status) + ")",
            .passing = passes(answer.status, name)};
}

Task<Said> ask(KmsPtr kms, std::string operation, std::string body)
{
    if (!kms->loop->isInLoopThread())
    {
        co_await drogon::switchThreadCoro(kms->loop);
    }
    Said said;
    std::chrono::milliseconds pause = kms->options.pause;
    for (std::size_t i = 0; i < std::max<std::size_t>(kms->options.tries, 1); ++i)
    {
        if (i > 0)
        {
            const std::chrono::duration<double> seconds = pause;
            co_await drogon::sleepCoro(kms->loop, seconds);
            pause *= 2;
        }
        // Signed anew each time: a signature is good for minutes only.
        HttpQuestion question = signedQuestion(*kms, operation, body);
        HttpEndpoint::Exchange exchange = kms->http->ask(std::move(question));
        const HttpOutcome outcome = co_await exchange;
        said = understand(outcome);
        if (!said.passing)
        {
            break;
        }
    }
    co_return said;
}

core::Bytes base64Member(const Json::Value &document, const char *name)
{
    const Json::Value &value = document[name];
    if (!value.isString())
    {
        return {};
    }
    const std::vector<char> decoded = drogon::utils::base64DecodeToVector(value.asString());
    return {decoded.begin(), decoded.end()};
}

std::string signBody(const KmsOptions &options, const core::Hash32 &digest)
{
    return R"({"KeyId":)" + Json::valueToQuotedString(options.keyId.c_str()) + R"(,"Message":")" +
           drogon::utils::base64Encode(digest.data(), digest.size()) +
           R"(","MessageType":"DIGEST","SigningAlgorithm":"ECDSA_SHA_256"})";
}

drogon::AsyncTask signWith(KmsPtr kms, core::Address address, core::Hash32 digest,
                           Signer::Done done)
{
    Signer::Signed result = Signer::Failed{"KMS can not be asked"};
    try
    {
        std::string body = signBody(kms->options, digest);
        const Said said = co_await ask(kms, "Sign", std::move(body));
        if (!said.document)
        {
            result = Signer::Failed{said.why};
        }
        else if (const auto signature =
                     signatureFromDer(base64Member(*said.document, "Signature"), digest, address))
        {
            result = *signature;
        }
        else
        {
            result = Signer::Failed{"KMS gave a signature that is not of its key"};
        }
    }
    catch (const std::exception &)
    {
        result = Signer::Failed{"KMS can not be asked"};
    }
    done(std::move(result));
}

class KmsSigner final : public Signer
{
  public:
    KmsSigner(KmsPtr kms, const core::Address &address) : kms_(std::move(kms)), address_(address) {}

    [[nodiscard]] core::Address address() const override { return address_; }
    void sign(const core::Hash32 &digest, Done done) const override
    {
        signWith(kms_, address_, digest, std::move(done));
    }

  private:
    const KmsPtr kms_;
    const core::Address address_;
};

KmsPtr makeKms(trantor::EventLoop *loop, KmsOptions options)
{
    const std::string text = options.endpoint.empty()
                                 ? "https://kms." + options.region + ".amazonaws.com/"
                                 : options.endpoint;
    auto url = parseUrl(text);
    const bool plain = url && (url->scheme == "http" || url->scheme == "https") &&
                       url->target.find_first_of("?%") == std::string::npos &&
                       url->authorization.empty();
    if (!plain)
    {
        throw KmsError("the endpoint of KMS is not a plain http or https URL");
    }
    auto kms = std::make_shared<Kms>();
    kms->loop = loop;
    HttpLimits limits;
    limits.connections = options.connections;
    limits.maxAnswer = kLimits.bytes;
    kms->http = std::make_shared<HttpEndpoint>(loop, std::move(*url), limits);
    kms->options = std::move(options);
    return kms;
}
}  // namespace

Task<std::shared_ptr<Signer>> connectKmsSigner(trantor::EventLoop *loop, KmsOptions options)
{
    const KmsPtr kms = makeKms(loop, std::move(options));
    std::string body = R"({"KeyId":)" + Json::valueToQuotedString(kms->options.keyId.c_str()) + "}";
    const Said said = co_await ask(kms, "GetPublicKey", std::move(body));
    if (!said.document)
    {
        throw KmsError(said.why);
    }
    const auto key = publicKeyFromDer(base64Member(*said.document, "PublicKey"));
    if (!key)
    {
        throw KmsError("the key in KMS is none of secp256k1");
    }
    co_return std::make_shared<KmsSigner>(kms, addressOf(*key));
}
}  // namespace relayer::chain::rpc
