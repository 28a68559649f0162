#include "plugins/signature_check.h"

#include "plugins/host_chains.h"
#include "plugins/own_loop.h"
#include "plugins/part.h"
#include "plugins/settings.h"

namespace relayer::plugins
{
namespace
{
ContractSigner::Options optionsFrom(const config::Settings &settings)
{
    const config::SignatureCheckSettings &check = settings.signatureCheck;
    const config::RetrySettings &retry = settings.gateway.readiness.hostAcl.retry;
    ContractSigner::Options options;
    options.gasLimit = check.erc1271GasLimit;
    options.timeout = check.timeout;
    options.maxConcurrent = check.maxConcurrent;
    options.maxAttempts = retry.maxAttempts;
    options.interval = retry.interval;
    return options;
}
}  // namespace

void SignatureCheck::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    auto *const chains = part<HostChains>();
    // Asked for inside of the checker's gate only, which is shut before the host chains go.
    SignatureChecker::NodeOf nodeOf =
        [chains](std::uint64_t id) -> std::optional<SignatureChecker::ChainNode> {
        const HostChain *const chain = chains->find(id);
        return chain == nullptr
                   ? std::nullopt
                   : std::optional<SignatureChecker::ChainNode>({chains->loop(), chain->node});
    };
    checker_ = std::make_shared<SignatureChecker>(
        settings.gateway.contracts.decryption.value_or(core::Address{}), std::move(nodeOf),
        optionsFrom(settings));
}

void SignatureCheck::shutdown()
{
    if (!checker_->close(OwnLoop::kLastAnswers))
    {
        // A node has not answered; what waits for it stays until the process ends.
        keepForGood(nullptr, {checker_});
    }
}
}  // namespace relayer::plugins
