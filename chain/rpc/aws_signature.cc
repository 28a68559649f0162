// Signature Version 4: a canonical request, a string to sign, and a key derived for the day.
#include "chain/rpc/aws_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace relayer::chain::rpc
{
namespace
{
constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t kDayLength = 8;

const unsigned char *raw(std::string_view text)
{
    return reinterpret_cast<const unsigned char *>(text.data());
}

std::string sha256Hex(std::string_view text)
{
    core::Hash32 digest{};
    ::SHA256(raw(text), text.size(), digest.data());
    return core::toHex(digest);
}

core::Hash32 hmac(core::ByteView key, std::string_view text)
{
    core::Hash32 digest{};
    unsigned int size = 0;
    ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text), text.size(),
           digest.data(), &size);
    return digest;
}

// Blanks at both ends go, runs of them become one.
std::string canonicalValue(std::string_view value)
{
    std::string out;
    for (const char c : value)
    {
        const bool blank = c == ' ' || c == '\t';
        if (!blank || (!out.empty() && out.back() != ' '))
        {
            out.push_back(blank ? ' ' : c);
        }
    }
    if (!out.empty() && out.back() == ' ')
    {
        out.pop_back();
    }
    return out;
}

std::string signedHeaders(const AwsRequest &request)
{
    std::string names;
    for (const auto &[name, value] : request.headers)
    {
        names.append(names.empty() ? "" : ";").append(name);
    }
    return names;
}

std::string canonicalRequest(const AwsRequest &request)
{
    std::string text = request.method + "\n" + request.path + "\n" + request.query + "\n";
    for (const auto &[name, value] : request.headers)
    {
        text.append(name).append(":").append(canonicalValue(value)).append("\n");
    }
    return text + "\n" + signedHeaders(request) + "\n" + sha256Hex(request.body);
}
}  // namespace

std::string awsDate(std::chrono::system_clock::time_point time)
{
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
    return {text.data(), size};
}

core::Hash32 awsSigningKey(const std::string &secretAccessKey, std::string_view day,
                           const AwsScope &scope)
{
    const std::string secret = "AWS4" + secretAccessKey;
    const core::Hash32 ofDay = hmac({raw(secret), secret.size()}, day);
    const core::Hash32 ofRegion = hmac(ofDay, scope.region);
    const core::Hash32 ofService = hmac(ofRegion, scope.service);
    return hmac(ofService, "aws4_request");
}

std::string awsAuthorization(const AwsRequest &request, const AwsCredentials &credentials,
                             const AwsScope &scope)
{
    const auto found = request.headers.find("x-amz-date");
    const std::string date = found == request.headers.end() ? "" : found->second;
    const std::string day = date.substr(0, kDayLength);
    const std::string where = day + "/" + scope.region + "/" + scope.service + "/aws4_request";
    const std::string toSign = std::string(kAlgorithm) + "\n" + date + "\n" + where + "\n" +
                               sha256Hex(canonicalRequest(request));
    const core::Hash32 key = awsSigningKey(credentials.secretAccessKey, day, scope);
    return std::string(kAlgorithm) + " Credential=" + credentials.accessKeyId + "/" + where +
           ", SignedHeaders=" + signedHeaders(request) +
           ", Signature=" + core::toHex(hmac(key, toSign));
}
}  // namespace relayer::chain::rpc
