// What a poll finds, and what it answers: the status of a request becomes HTTP here.
#pragma once

#include "core/bytes.h"
#include "core/decrypt_shares.h"
#include "core/failure.h"
#include "core/job_id.h"
#include "core/lifecycle.h"
#include "wire/envelope.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace relayer::wire
{
// A request as far as a poll shows it.
struct Job
{
    core::JobId id;
    core::Status status = core::Status::Queued;
    std::int64_t etaSeconds = 1;
    std::int64_t elapsedSeconds = 0;
    std::optional<bool> accepted;              // input proofs only
    std::optional<core::FailureCode> failure;  // of one that ended without a result
    // What the host ACL said, in our words (wire::problemOf): shown to the client.
    std::string_view told;
    core::ByteView result;  // of one that is completed
};

// A rejected proof is a result too: it is shown as succeeded, with accepted false.
[[nodiscard]] Answer pollOfInputProof(std::string_view requestId, const Job &job);
[[nodiscard]] Answer pollOfPublicDecrypt(std::string_view requestId, const Job &job);

// Of the three kinds of user decryption. Shares and threshold matter only when it is completed;
// without as many shares as the threshold says it is a fault of ours.
struct Shares
{
    std::vector<core::DecryptShare> arrived;
    std::size_t threshold = 0;
};
[[nodiscard]] Answer pollOfUserDecrypt(std::string_view requestId, const Job &job, Shares shares);
}  // namespace relayer::wire
