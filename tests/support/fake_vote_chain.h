// The vote chain for tests, over REST (helper-processor.md §5 to §7): rounds, a commitment tree,
// reveals that go into blocks, and nullifiers. It counts what it is told, and when.
#pragma once

#include "core/content_hash.h"
#include "core/vote_share.h"
#include "support/fake_node_server.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayer::test
{
class FakeVoteChain
{
  public:
    struct Reveal
    {
        std::string nullifier;  // base64, as it came
        std::int64_t atMicros = 0;
        std::string body;
    };

    FakeVoteChain();

    [[nodiscard]] std::string url() const;
    // An active round; `end` in seconds since 1970.
    void addRound(const core::Hash32 &round, std::int64_t end);
    void setActive(const core::Hash32 &round, bool active);
    // One leaf behind the others, in a block of its own.
    void addLeaf(const core::Hash32 &leaf);
    void addLeaves(std::size_t count);
    // Answers instead of what it would say; nothing: it says that.
    using Instead = std::function<std::optional<FakeResponse>(const FakeRequest &)>;
    void instead(Instead instead);
    // Until told otherwise, what is revealed goes into a block at once.
    void holdBlocks(bool hold);
    // What is in no block yet is forgotten.
    void emptyPool();

    // In the order in which they came; what its pool took.
    [[nodiscard]] std::vector<Reveal> reveals() const;
    // Reveals of a nullifier that was there already.
    [[nodiscard]] std::size_t doubles() const;
    [[nodiscard]] std::size_t asked(const std::string &part) const;

  private:
    FakeResponse answer(const FakeRequest &request);
    FakeResponse reveal(const FakeRequest &request);
    [[nodiscard]] FakeResponse round(const std::string &id) const;
    [[nodiscard]] FakeResponse tree(const std::string &rest) const;

    mutable std::mutex mutex_;
    std::map<std::string, std::pair<std::int64_t, bool>> rounds_;
    std::vector<std::string> leaves_;  // base64; the leaf i in the block of height i + 1
    std::vector<Reveal> reveals_;
    std::set<std::string> nullifiers_;        // in blocks, base64
    std::map<std::string, std::string> txs_;  // hash -> nullifier
    std::size_t doubles_ = 0;
    std::vector<std::string> targets_;
    bool hold_ = false;
    Instead instead_;
    FakeServer server_{{.http = [this](const FakeRequest &request) {
        return answer(request);
    }}};  // last: its threads use all of the above
};

// Where the tests' libraries are.
[[nodiscard]] std::string shareLibrary(bool hashing = false);
// Makes the library fail on this share: 0xE1 bad input, 0xE3 not canonical, 0xE5 not proved, 0xEC
// it crashes.
void provoke(core::VoteShare &share, std::uint8_t sign);
// What it makes of a share as its commitment, and as its nullifier.
[[nodiscard]] core::Hash32 testCommitment(const core::VoteShare &share);
[[nodiscard]] core::Hash32 testNullifier(const core::VoteShare &share);
}  // namespace relayer::test
