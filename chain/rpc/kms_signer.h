// A signer whose key never leaves AWS KMS, or what speaks its protocol.
//
//     const auto signer = co_await connectKmsSigner(loop, options);
//
// Connecting asks for the public key, so the address is known from then on. Each signature is one
// call over HTTPS; a call that may succeed later (throttled, broken, late) is made again, a few
// times. KMS gives r and s only; the recovery id is found here, and s made low.
#pragma once

#include "chain/rpc/aws_signature.h"
#include "chain/signer.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace relayer::chain::rpc
{
struct KmsOptions
{
    std::string keyId;  // id, ARN or alias
    std::string region;
    std::string endpoint;  // empty: the region's own
    AwsCredentials credentials;
    std::function<std::chrono::system_clock::time_point()> now = [] {
        return std::chrono::system_clock::now();
    };
    std::chrono::milliseconds timeout{5'000};  // of one try
    std::size_t tries = 4;
    std::chrono::milliseconds pause{100};  // before the second; it doubles
    std::size_t connections = 32;          // more signatures at a time wait in line
};

// Neither key nor endpoint is in its text.
class KmsError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// Throws KmsError. The signer's callbacks run on the loop; sign() may be called from any thread.
[[nodiscard]] drogon::Task<std::shared_ptr<Signer>> connectKmsSigner(trantor::EventLoop *loop,
                                                                     KmsOptions options);
}  // namespace relayer::chain::rpc
