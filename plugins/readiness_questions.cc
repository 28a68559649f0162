#include "plugins/readiness_questions.h"

#include "chain/contract_views.h"
#include "core/decrypt.h"
#include "core/handle.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace relayer::plugins
{
namespace
{
core::Bytes readyCallOf(const core::DirectUserDecrypt &request)
{
    return chain::isUserDecryptionReady(request.handles, request.extraData);
}

core::Bytes readyCallOf(const core::DelegatedUserDecrypt &request)
{
    return chain::isUserDecryptionReady(request.handles, request.extraData);
}

// The gateway does not ask whose a handle is.
core::Bytes readyCallOf(const core::UnifiedUserDecrypt &request)
{
    std::vector<core::HandleOfContract> pairs;
    pairs.reserve(request.handles.size());
    for (const core::HandleOfOwner &entry : request.handles)
    {
        pairs.push_back({entry.handle, entry.contract});
    }
    return chain::isUserDecryptionReady(pairs, request.extraData);
}

std::vector<ReadinessRequest::Part> byChain(std::vector<chain::AclQuestion> questions)
{
    struct Group
    {
        std::uint64_t hostChain;
        std::vector<chain::AclQuestion> questions;
    };
    std::vector<Group> groups;
    for (chain::AclQuestion &question : questions)
    {
        const std::uint64_t hostChain = core::hostChainOf(question.handle);
        auto group = std::ranges::find(groups, hostChain, &Group::hostChain);
        if (group == groups.end())
        {
            group = groups.insert(groups.end(), {hostChain, {}});
        }
        group->questions.push_back(std::move(question));
    }
    std::vector<ReadinessRequest::Part> parts;
    parts.reserve(groups.size());
    for (Group &group : groups)
    {
        ReadinessRequest::Part &part = parts.emplace_back();
        part.hostChain = group.hostChain;
        part.questions =
            std::make_shared<const std::vector<chain::AclQuestion>>(std::move(group.questions));
    }
    return parts;
}

template <typename Request>
void ask(const Request &request, core::Bytes readyCall, ReadinessRequest &out)
{
    out.parts = byChain(chain::aclQuestions(request));
    out.readyCall = std::make_shared<const core::Bytes>(std::move(readyCall));
}
}  // namespace

std::optional<ReadinessRequest> readinessOf(const models::RequestRow &row)
{
    const auto kind = core::parseKind(row.getValueOfKind());
    if (!kind)
    {
        return std::nullopt;
    }
    const std::vector<char> &stored = row.getValueOfPayload();
    const core::Bytes payload(stored.begin(), stored.end());
    ReadinessRequest request;
    request.id = row.getValueOfId();
    request.kind = *kind;
    if (*kind == core::Kind::PublicDecrypt)
    {
        if (const auto decrypt = core::decodePublicDecrypt(payload))
        {
            ask(*decrypt, chain::isPublicDecryptionReady(decrypt->handles, decrypt->extraData),
                request);
        }
    }
    else if (*kind == core::Kind::UserDecrypt)
    {
        if (const auto decrypt = core::decodeUserDecrypt(payload))
        {
            ask(*decrypt, std::visit([](const auto &one) { return readyCallOf(one); }, *decrypt),
                request);
        }
    }
    return request.readyCall ? std::optional(std::move(request)) : std::nullopt;
}
}  // namespace relayer::plugins
