// What a share needs from outside: the commitment tree, a prover, and the vote chain. Each is asked
// with the round it is about; nothing here remembers one.
//
// All of it on the loop of the scheduler. What can not be had is thrown as a ShareTrouble, which
// says what it means for the attempt.
#pragma once

#include "core/share_attempts.h"
#include "core/share_verdict.h"
#include "core/vote_share.h"

#include <drogon/utils/coroutine.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace relayer::plugins
{
class ShareTrouble : public std::runtime_error
{
  public:
    // `code` is a short name for the row and the metrics, `what` is for the log. Neither carries
    // anything of a share.
    ShareTrouble(core::AttemptEnd end, std::string code, const std::string &what)
        : std::runtime_error(what), end_(end), code_(std::move(code))
    {}
    [[nodiscard]] core::AttemptEnd end() const { return end_; }
    [[nodiscard]] const std::string &code() const { return code_; }

  private:
    core::AttemptEnd end_;
    std::string code_;
};

// A ShareTrouble with this code: the chain's own layer of queries makes one answer of all that goes
// wrong, for itself as for what it was asked.
inline const std::string kChainError = "chain_error";

struct VotingRound
{
    std::int64_t voteEndTime = 0;  // seconds since 1970; 0: none
    bool active = false;
};

class VotingRounds
{
  public:
    virtual ~VotingRounds() = default;
    // Nothing: the chain knows no such round.
    virtual drogon::Task<std::optional<VotingRound>> find(core::Hash32 round) = 0;
};

class CommitmentTree
{
  public:
    struct Status
    {
        std::uint64_t leafCount = 0;
        std::uint64_t anchorHeight = 0;
    };
    struct Path
    {
        core::Bytes merkle;  // 772 bytes
        std::uint64_t anchorHeight = 0;
    };
    virtual ~CommitmentTree() = default;
    virtual drogon::Task<Status> status(core::Hash32 round) = 0;
    virtual drogon::Task<Path> path(core::Hash32 round, std::uint32_t position) = 0;
    virtual drogon::Task<std::optional<core::Hash32>> leaf(core::Hash32 round,
                                                           std::uint32_t position) = 0;
};

// Who knows the tree's hash.
class MerklePaths
{
  public:
    struct Made
    {
        core::Bytes merkle;  // 772 bytes
        core::Hash32 root{};
    };
    virtual ~MerklePaths() = default;
    // In the tree of these leaves, 32 bytes each.
    virtual drogon::Task<Made> make(core::Bytes leaves, std::uint32_t position) = 0;
};

struct ShareReveal
{
    core::Bytes proof;
    core::Hash32 nullifier{};
};

class ShareProver
{
  public:
    virtual ~ShareProver() = default;
    virtual drogon::Task<ShareReveal> prove(core::VoteShare share, core::Bytes merklePath) = 0;
};

class ShareNullifiers
{
  public:
    virtual ~ShareNullifiers() = default;
    // Whether it is on the chain, in a block.
    virtual drogon::Task<bool> spent(core::Hash32 round, core::Hash32 nullifier) = 0;
    // False: nobody is asked, and nothing is ever spent.
    [[nodiscard]] virtual bool canTell() const { return true; }
};

struct RevealMessage
{
    core::VoteShare share;
    ShareReveal reveal;
    std::uint64_t anchorHeight = 0;
};

class ShareSubmitter
{
  public:
    struct Answer
    {
        core::ChainVerdict verdict;
        std::optional<core::Hash32> txHash;
    };
    virtual ~ShareSubmitter() = default;
    // What the chain's pool says.
    virtual drogon::Task<Answer> submit(RevealMessage message) = 0;
    // What its block said. Nothing: it is in none yet.
    virtual drogon::Task<std::optional<core::ChainVerdict>> inBlock(core::Hash32 txHash) = 0;
};

struct ShareParts
{
    std::shared_ptr<VotingRounds> rounds;
    std::shared_ptr<CommitmentTree> tree;
    std::shared_ptr<ShareProver> prover;
    std::shared_ptr<ShareNullifiers> nullifiers;
    std::shared_ptr<ShareSubmitter> submitter;
};
}  // namespace relayer::plugins
