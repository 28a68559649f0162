#include "plugins/signature_check.h"

#include "chain/request_signatures.h"
#include "plugins/settings.h"

#include <drogon/HttpAppFramework.h>

#include <limits>
#include <variant>

namespace relayer::plugins
{
namespace
{
constexpr std::uint64_t kDay = 86'400;

std::uint64_t endOf(std::uint64_t start, std::uint64_t seconds)
{
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return start > most - seconds ? most : start + seconds;
}

std::uint64_t endOf(const core::DirectUserDecrypt &request)
{
    return endOf(request.startTimestamp, request.durationDays * kDay);
}

std::uint64_t endOf(const core::DelegatedUserDecrypt &request)
{
    return endOf(request.startTimestamp, request.durationDays * kDay);
}

std::uint64_t endOf(const core::UnifiedUserDecrypt &request)
{
    return endOf(request.startTimestamp, request.durationSeconds);
}
}  // namespace

core::Signer signerOf(const core::UserDecrypt &request, const core::Address &decryption,
                      std::uint64_t now)
{
    const bool over = std::visit([now](const auto &sort) { return endOf(sort) < now; }, request);
    return !over && chain::isSignedByAsker(request, decryption) ? core::Signer::Proven
                                                                : core::Signer::Unproven;
}

void SignatureCheck::initAndStart(const Json::Value &)
{
    const config::Settings &settings = drogon::app().getPlugin<Settings>()->values();
    decryption_ = settings.gateway.contracts.decryption.value_or(core::Address{});
}
}  // namespace relayer::plugins
