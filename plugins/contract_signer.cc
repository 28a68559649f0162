#include "plugins/contract_signer.h"

#include "chain/contract_signatures.h"
#include "chain/rpc/error.h"
#include "plugins/node_text.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <string>
#include <utility>

namespace relayer::plugins
{
using chain::rpc::RpcError;
using drogon::Task;

namespace
{
class Counted
{
  public:
    explicit Counted(std::atomic<std::size_t> &count) : count_(count), before_(count++) {}
    ~Counted() { --count_; }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;

    [[nodiscard]] std::size_t before() const { return before_; }

  private:
    std::atomic<std::size_t> &count_;
    const std::size_t before_;
};

// The account itself has said no. Without data it may be the node that is in trouble, or out of
// gas, and then nobody has said anything about the signature.
bool isRevert(const RpcError &error)
{
    return error.kind() == RpcError::Kind::Rpc && error.data.has_value() &&
           error.message.find("revert") != std::string::npos;
}
}  // namespace

Task<ContractSigner::Verdict> ContractSigner::ask(trantor::EventLoop *loop,
                                                  std::shared_ptr<chain::rpc::Node> node,
                                                  core::Address account, core::Hash32 digest,
                                                  core::Bytes signature, std::string traceparent)
{
    const Counted mine(onTheirWay_);
    if (mine.before() >= options_.maxConcurrent)
    {
        co_return Verdict::Busy;
    }
    chain::rpc::Call call;
    call.to = account;
    call.input = chain::isValidSignature(digest, signature);
    call.gas = options_.gasLimit;
    call.traceparent = std::move(traceparent);
    const auto deadline = options_.now() + options_.timeout;
    for (std::uint64_t attempt = 1;; ++attempt)
    {
        const Verdict verdict = co_await askOnce(node, call);
        const bool last = attempt >= options_.maxAttempts || stopped_ ||
                          options_.now() + options_.interval >= deadline;
        if (verdict == Verdict::Unknown && last)
        {
            LOG_WARN << "step=signature_unknown attempts=" << attempt;
        }
        if (verdict != Verdict::Unknown || last)
        {
            co_return verdict;
        }
        co_await pause(loop);
    }
}

Task<ContractSigner::Verdict> ContractSigner::askOnce(std::shared_ptr<chain::rpc::Node> node,
                                                      chain::rpc::Call call)
{
    try
    {
        const std::string pending = "pending";
        const core::Bytes answer = co_await node->call(std::move(call), pending);
        co_return chain::saysValid(answer) ? Verdict::Signed : Verdict::NotSigned;
    }
    catch (const RpcError &error)
    {
        if (isRevert(error))
        {
            co_return Verdict::NotSigned;
        }
        LOG_DEBUG << "step=signature_check_failed why=" << nodeText(error.what());
    }
    co_return Verdict::Unknown;
}

// In pieces, so that a stop is not waited for.
Task<> ContractSigner::pause(trantor::EventLoop *loop)
{
    using std::chrono::milliseconds;
    constexpr milliseconds kPiece{200};
    milliseconds left = options_.interval;
    while (left.count() > 0 && !stopped_)
    {
        const milliseconds piece = std::min(left, kPiece);
        co_await drogon::sleepCoro(loop, std::chrono::duration<double>(piece).count());
        left -= piece;
    }
}
}  // namespace relayer::plugins
