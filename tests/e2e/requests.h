// Bodies to post, and a server to post them to.
#pragma once

#include "core/input_proof.h"
#include "support/http_client.h"
#include "support/server_process.h"

#include <cstdint>
#include <map>
#include <string>

namespace relayer::test
{
inline constexpr std::string_view kInputProof = "/v2/input-proof";

// As a client writes it; numbers that differ are contents that differ.
struct ProofBody
{
    std::string chainId = R"("654321")";
    std::string contract = "0x1111111111111111111111111111111111111111";
    std::string user = "0x2222222222222222222222222222222222222222";
    std::string ciphertext = "aabbcc";
    std::string extraData = "0x00";

    [[nodiscard]] std::string text() const;
};

[[nodiscard]] ProofBody proofBody(std::uint64_t number);
[[nodiscard]] core::InputProof proofOf(std::uint64_t number);

// What a server needs to run on this database, and nothing to be shared with another one. All that
// it says of when to come again is 7 seconds, by its bounds.
[[nodiscard]] ServerOptions onDatabase(const std::string &url, const std::string &instance = "one",
                                       const std::string &logLevel = "info");
// The same, but what it says is what it estimates.
[[nodiscard]] ServerOptions withEstimates(ServerOptions options);

[[nodiscard]] std::string labelOf(const HttpReply &reply);
}  // namespace relayer::test
