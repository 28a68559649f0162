#include "chain/host_acl.h"

#include "chain/abi.h"
#include "chain/address.h"

#include <utility>
#include <variant>

namespace relayer::chain
{
namespace
{
using Check = AclQuestion::Check;

enum Selector : std::uint32_t
{
    Multicall = 0xac9650d8,
    IsAllowedForDecryption = 0xc0d02943,
    IsAllowed = 0x82027b6d,
    IsHandleDelegatedForUserDecryption = 0xd09c0dee,
};

AclQuestion allowed(const core::Hash32 &handle, Check check, const core::Address &account)
{
    core::Bytes call = abi::TupleWriter().word(handle).address(account).call(IsAllowed);
    return {handle, check, account, {}, std::move(call)};
}

struct Delegation
{
    core::Address delegator{};
    core::Address delegate{};
    core::Address contract{};
};

AclQuestion delegated(const core::Hash32 &handle, Check check, const Delegation &by)
{
    core::Bytes call = abi::TupleWriter()
                           .address(by.delegator)
                           .address(by.delegate)
                           .address(by.contract)
                           .word(handle)
                           .call(IsHandleDelegatedForUserDecryption);
    return {handle, check, by.delegator, by.delegate, std::move(call)};
}

std::vector<AclQuestion> questionsOf(const core::DirectUserDecrypt &request)
{
    std::vector<AclQuestion> questions;
    questions.reserve(2 * request.handles.size());
    for (const core::HandleOfContract &pair : request.handles)
    {
        questions.push_back(allowed(pair.handle, Check::AllowedToUser, request.user));
        questions.push_back(allowed(pair.handle, Check::AllowedToContract, pair.contract));
    }
    return questions;
}

std::vector<AclQuestion> questionsOf(const core::DelegatedUserDecrypt &request)
{
    std::vector<AclQuestion> questions;
    questions.reserve(request.handles.size());
    for (const core::HandleOfContract &pair : request.handles)
    {
        questions.push_back(delegated(pair.handle, Check::Delegated,
                                      {request.delegator, request.delegate, pair.contract}));
    }
    return questions;
}

std::vector<AclQuestion> questionsOf(const core::UnifiedUserDecrypt &request)
{
    std::vector<AclQuestion> questions;
    questions.reserve(request.handles.size());
    for (const core::HandleOfOwner &entry : request.handles)
    {
        questions.push_back(entry.owner == request.user
                                ? allowed(entry.handle, Check::AllowedToUser, request.user)
                                : delegated(entry.handle, Check::DelegatedByOwner,
                                            {entry.owner, request.user, entry.contract}));
    }
    return questions;
}

std::string nameOf(const AclQuestion &question)
{
    switch (question.check)
    {
        case Check::AllowedForDecryption: return "isAllowedForDecryption";
        case Check::AllowedToUser: return "isAllowed(user " + checksummed(question.account) + ")";
        case Check::AllowedToContract:
            return "isAllowed(contract " + checksummed(question.account) + ")";
        case Check::Delegated: return "isHandleDelegatedForUserDecryption";
        case Check::DelegatedByOwner: break;
    }
    return "isHandleDelegatedForUserDecryption(owner " + checksummed(question.account) + ", user " +
           checksummed(question.user) + ")";
}
}  // namespace

std::vector<AclQuestion> aclQuestions(const core::PublicDecrypt &request)
{
    std::vector<AclQuestion> questions;
    questions.reserve(request.handles.size());
    for (const core::Hash32 &handle : request.handles)
    {
        core::Bytes call = abi::TupleWriter().word(handle).call(IsAllowedForDecryption);
        questions.push_back({handle, Check::AllowedForDecryption, {}, {}, std::move(call)});
    }
    return questions;
}

std::vector<AclQuestion> aclQuestions(const core::UserDecrypt &request)
{
    return std::visit([](const auto &one) { return questionsOf(one); }, request);
}

std::string aclRefusal(const std::vector<AclQuestion> &refused)
{
    std::string text = "Not allowed on host ACL: ACL check failed for " +
                       std::to_string(refused.size()) + " handle(s): ";
    for (std::size_t i = 0; i < refused.size(); ++i)
    {
        text += i == 0 ? "" : ", ";
        text += "handle=0x" + core::toHex(refused[i].handle) + " check=" + nameOf(refused[i]);
    }
    return text;
}

core::Bytes multicall(const std::vector<core::ByteView> &calls)
{
    abi::TupleWriter elements;
    for (const core::ByteView call : calls)
    {
        elements.bytes(call);
    }
    return abi::TupleWriter().array(calls.size(), elements).call(Multicall);
}

std::optional<std::vector<bool>> multicallAnswer(core::ByteView answer, std::size_t calls)
{
    abi::Input input(answer);
    abi::TupleReader tuple = input.tuple();
    const std::vector<core::Bytes> elements = abi::bytesArray(tuple);
    if (!input.good() || elements.size() != calls)
    {
        return std::nullopt;
    }
    std::vector<bool> said;
    said.reserve(calls);
    for (const core::Bytes &element : elements)
    {
        if (element.size() < abi::kWord)
        {
            return std::nullopt;
        }
        said.push_back(element[abi::kWord - 1] != 0);
    }
    return said;
}
}  // namespace relayer::chain
