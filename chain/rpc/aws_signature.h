// AWS Signature Version 4: what goes into the Authorization header of a request. Pure; proven with
// the examples that AWS published.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace relayer::chain::rpc
{
struct AwsCredentials
{
    std::string accessKeyId;
    std::string secretAccessKey;
    std::string sessionToken;  // empty: none
};

struct AwsScope
{
    std::string region;
    std::string service;
};

struct AwsRequest
{
    std::string method = "POST";
    std::string path = "/";  // as it is sent; plain characters only, nothing is escaped here
    std::string query;       // in its canonical order
    // All that are signed: host and x-amz-date at least. Names in lower case.
    std::map<std::string, std::string> headers;
    std::string body;
};

// 20150830T123600Z
[[nodiscard]] std::string awsDate(std::chrono::system_clock::time_point time);

[[nodiscard]] core::Hash32 awsSigningKey(const std::string &secretAccessKey, std::string_view day,
                                         const AwsScope &scope);
// The date is that of the header x-amz-date.
[[nodiscard]] std::string awsAuthorization(const AwsRequest &request,
                                           const AwsCredentials &credentials,
                                           const AwsScope &scope);
}  // namespace relayer::chain::rpc
