// A decryption as far as its readiness is concerned: what is asked of which chain.
#pragma once

#include "chain/host_acl.h"
#include "core/failure.h"
#include "core/lifecycle.h"
#include "models/request_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::plugins
{
// Shared with the calls that are in the air, which may outlast the request here.
using AclQuestions = std::shared_ptr<const std::vector<chain::AclQuestion>>;
using ReadyCall = std::shared_ptr<const core::Bytes>;

struct ReadinessRequest
{
    // The questions for one host chain.
    struct Part
    {
        std::uint64_t hostChain = 0;
        AclQuestions questions;
        std::size_t attempts = 0;
        bool answered = false;
        std::vector<chain::AclQuestion> refused;
    };

    models::RequestId id = 0;
    core::Kind kind = core::Kind::PublicDecrypt;
    std::vector<Part> parts;  // in the order in which the request names their chains
    ReadyCall readyCall;      // of the gateway's Decryption contract
    std::size_t gatewayAttempts = 0;
    std::string traceparent;  // for a call that is made for this one alone
};

// Nothing: the payload can not be read.
[[nodiscard]] std::optional<ReadinessRequest> readinessOf(const models::RequestRow &row);

// What the checks came to: the transition, and the reason if it is not the good one.
struct ReadinessVerdict
{
    core::Transition transition = core::Transition::PassReadiness;
    std::optional<core::Failure> failure = std::nullopt;
};
}  // namespace relayer::plugins
