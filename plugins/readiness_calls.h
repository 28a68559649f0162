// The two questions of readiness, each asked for many requests at once.
//
// What a node says itself goes to the log and into the database, never to a client: `told` is made
// of what we know. Nothing is kept here; callers are resumed on the loop of the node.
#pragma once

#include "chain/rpc/node.h"
#include "core/failure.h"
#include "plugins/host_chains.h"
#include "plugins/readiness_questions.h"

#include <drogon/utils/coroutine.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::plugins
{
struct AclAnswer
{
    std::optional<std::vector<bool>> allowed;  // one for each question of the request
    std::string told;                          // otherwise: why not, for the client
    std::string why;                           // and for the log
};

struct AclRound
{
    std::vector<AclAnswer> answers;  // one for each request
    // The call for all of them failed, and those for each alone did not.
    bool tooMany = false;
};

// One call for all. If it fails, or its answer is not one, each request is asked about alone, all
// at the same time, before anything is said of any. A node that was not reached at all is not asked
// again right away, unless this is the `lastTry` for one of them.
// `traceparent`: of the request, when there is only one.
drogon::Task<AclRound> askAcl(HostChain chain, std::vector<AclQuestions> requests, bool lastTry,
                              std::string traceparent);

struct CiphertextAnswer
{
    std::optional<bool> ready;
    std::optional<core::Failure> failure;  // otherwise: what the request would fail with
};

drogon::Task<std::vector<CiphertextAnswer>> askCiphertexts(std::shared_ptr<chain::rpc::Node> node,
                                                           core::Address decryption,
                                                           std::vector<ReadyCall> requests,
                                                           std::string traceparent);
}  // namespace relayer::plugins
