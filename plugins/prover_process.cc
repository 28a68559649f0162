#include "plugins/prover_process.h"

#include "chain/rpc/json_answers.h"
#include "core/base64.h"
#include "wire/json_writer.h"

#include <algorithm>
#include <coroutine>
#include <optional>
#include <sys/resource.h>
#include <utility>

namespace relayer::plugins
{
using core::AttemptEnd;
using core::Bytes;
using drogon::Task;
using End = ChildResult::End;

namespace
{
constexpr std::size_t kMaxProof = 8192;
constexpr std::size_t kPathSize = 772;
// Of the C ABI: what is wrong with the input will be wrong the next time, too.
constexpr int kBadInput = -1;
constexpr int kNotCanonical = -3;

std::string questionOf(const core::VoteShare &share, const Bytes &merklePath)
{
    Bytes commitments;
    for (const core::Hash32 &commitment : share.commitments)
    {
        commitments.insert(commitments.end(), commitment.begin(), commitment.end());
    }
    wire::JsonWriter json;
    json.beginObject();
    json.key("op").text("prove");
    json.key("merkle_path").text(core::toBase64(merklePath));
    json.key("share_comms").text(core::toBase64(commitments));
    json.key("primary_blind").text(core::toBase64(share.primaryBlind));
    json.key("enc_c1").text(core::toBase64(share.c1));
    json.key("enc_c2").text(core::toBase64(share.c2));
    json.key("round_id").text(core::toBase64(share.key.round));
    json.key("share_index").number(share.key.shareIndex);
    json.key("proposal_id").number(share.key.proposal);
    json.key("vote_decision").number(share.voteDecision);
    json.endObject();
    return std::move(json).take() + "\n";
}

std::string questionOf(const Bytes &leaves, std::uint32_t position)
{
    wire::JsonWriter json;
    json.beginObject().key("op").text("path");
    json.key("leaves").text(core::toBase64(leaves));
    json.key("position").number(position).endObject();
    return std::move(json).take() + "\n";
}

ShareTrouble trouble(const char *code, const std::string &why)
{
    return {AttemptEnd::MayGoBetter, code, "the prover " + why};
}

void mustHaveEnded(const ChildResult &result)
{
    switch (result.end)
    {
        case End::Exited: break;
        case End::Crashed: throw trouble("prover_crashed", "crashed");
        case End::TooSlow: throw trouble("prover_too_slow", "took too long");
        case End::TooMuch: throw trouble("prover_answer", "writes without end");
        case End::Stopped:
            throw ShareTrouble(AttemptEnd::Interrupted, "stopping", "the prover was stopped");
        case End::NotStarted:
            throw ShareTrouble(AttemptEnd::HeldUp, "prover_missing",
                               "the prover can not be started");
    }
    if (result.code != 0)
    {
        throw trouble("prover_failed", "ended with exit code " + std::to_string(result.code));
    }
}

std::optional<Bytes> bytesIn(const Json::Value &document, const char *name)
{
    const Json::Value &value = document[name];
    return value.isString() ? core::fromBase64(value.asString()) : std::nullopt;
}

// Throws what it refuses.
Json::Value answerIn(const std::string &output)
{
    const auto document = chain::rpc::parseJson(output, {.bytes = 1UL << 20U, .depth = 4});
    if (!document || !document->isObject())
    {
        throw trouble("prover_answer", "answers no JSON object");
    }
    const Json::Value &rc = (*document)["rc"];
    if (rc.type() == Json::intValue && rc.isInt() && rc.asInt() != 0)
    {
        const bool permanent = rc.asInt() == kBadInput || rc.asInt() == kNotCanonical;
        throw ShareTrouble(permanent ? AttemptEnd::WillNotChange : AttemptEnd::MayGoBetter,
                           permanent ? "proof_input" : "prover_failed",
                           "the prover answers code " + std::to_string(rc.asInt()));
    }
    return *document;
}

ShareReveal revealIn(const std::string &output)
{
    const Json::Value document = answerIn(output);
    auto proof = bytesIn(document, "proof");
    const auto nullifier = bytesIn(document, "share_nullifier");
    ShareReveal reveal;
    if (!proof || proof->empty() || proof->size() > kMaxProof || !nullifier ||
        nullifier->size() != reveal.nullifier.size())
    {
        throw trouble("prover_answer", "answers no proof");
    }
    reveal.proof = std::move(*proof);
    std::copy(nullifier->begin(), nullifier->end(), reveal.nullifier.begin());
    return reveal;
}

MerklePaths::Made pathIn(const std::string &output)
{
    const Json::Value document = answerIn(output);
    auto path = bytesIn(document, "merkle_path");
    const auto root = bytesIn(document, "root");
    MerklePaths::Made made;
    if (!path || path->size() != kPathSize || !root || root->size() != made.root.size())
    {
        throw trouble("prover_answer", "answers no path");
    }
    made.merkle = std::move(*path);
    std::copy(root->begin(), root->end(), made.root.begin());
    return made;
}
}  // namespace

// Suspends its caller while a thread runs the program.
class ProverProcess::Proof
{
  public:
    Proof(ProverProcess *prover, std::string question)
        : prover_(prover), question_(std::move(question))
    {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller)
    {
        prover_->threads_.runTaskInQueue([this, caller] {
            result_ = runChild(prover_->command_, question_, prover_->limits_, prover_->stopping_);
            prover_->loop_->queueInLoop([caller] { caller.resume(); });
        });
    }
    ChildResult await_resume() { return std::move(result_); }

  private:
    ProverProcess *const prover_;
    const std::string question_;
    ChildResult result_;
};

namespace
{
// What a sanitizer maps before main begins; the worker is another one of us.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMapsTerabytes = true;
#else
constexpr bool kMapsTerabytes = false;
#endif

ChildLimits limitsOf(const std::vector<std::string> &command, ChildLimits limits)
{
    if (kMapsTerabytes && std::ranges::find(command, "--prove-with") != command.end())
    {
        limits.memory = RLIM_INFINITY;
    }
    return limits;
}
}  // namespace

ProverProcess::ProverProcess(trantor::EventLoop *loop, std::vector<std::string> command,
                             ChildLimits limits, std::size_t threads)
    : loop_(loop),
      command_(std::move(command)),
      limits_(limitsOf(command_, limits)),
      threads_(std::max<std::size_t>(threads, 1), "prover")
{}

ProverProcess::~ProverProcess()
{
    stop();
    threads_.stop();
}

Task<ShareReveal> ProverProcess::prove(core::VoteShare share, Bytes merklePath)
{
    Proof proof(this, questionOf(share, merklePath));
    const ChildResult result = co_await proof;
    mustHaveEnded(result);
    co_return revealIn(result.output);
}

Task<MerklePaths::Made> ProverProcess::make(Bytes leaves, std::uint32_t position)
{
    Proof path(this, questionOf(leaves, position));
    const ChildResult result = co_await path;
    mustHaveEnded(result);
    co_return pathIn(result.output);
}
}  // namespace relayer::plugins
