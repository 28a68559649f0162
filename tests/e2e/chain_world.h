// A database beside a devnet: where servers start, requests come in, and where is checked at the
// end that the chain and the database tell the same story. Several, one after the other, may share
// one devnet: each counts from where it found the chain.
#pragma once

#include "e2e/chain_requests.h"
#include "support/devnet.h"
#include "support/test_database.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayer::test
{
class ChainWorld
{
  public:
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kPatience = std::chrono::seconds(120);
    static constexpr Milliseconds kBetweenLooks{20};

    explicit ChainWorld(const Devnet &devnet);
    // On a PostgreSQL of the test's own, at this URI.
    ChainWorld(const Devnet &devnet, const std::string &postgres);

    // Impatient, so that a test need not be.
    [[nodiscard]] ServerOptions serverOptions() const;
    // Of one of several, which notices soon when another is gone or the database does not answer.
    [[nodiscard]] ServerOptions watchfulOptions(const std::string &name) const;
    // Of an instance with a lane and a key of its own, the devnet's second, third, ...
    [[nodiscard]] ServerOptions ofLane(ServerOptions options, unsigned key) const;
    [[nodiscard]] const TestDatabase &database() const { return database_; }

    // The requests of these numbers come in once each; what is not answered 202 may be submitted
    // again. False when one got no answer.
    bool submit(std::uint64_t number, ServerProcess &server);
    // What a client was answered, or nothing; from any thread.
    void note(std::uint64_t number, const std::optional<HttpReply> &reply);
    [[nodiscard]] ChainRequest requestOf(std::uint64_t number) const;
    void submit(std::uint64_t first, std::uint64_t count, ServerProcess &server);
    // The same by somebody else's hand: accepted, with a job at that path.
    void wasSubmitted(std::uint64_t number, const std::string &jobPath);
    // Those that got no 202.
    [[nodiscard]] const std::set<std::uint64_t> &unanswered() const { return unanswered_; }
    // Where the job of a request is polled.
    [[nodiscard]] std::string jobPathOf(std::uint64_t number) const { return jobs_.at(number); }
    [[nodiscard]] std::size_t submitted() const { return numbers_.size(); }

    // How many rows are so.
    [[nodiscard]] std::size_t rows(const std::string &where = "true") const;
    // Whether it comes to that while the server lives.
    bool becomes(const std::string &where, std::size_t count, ServerProcess &server,
                 Milliseconds atMost = kPatience) const;
    // Whether all that was submitted comes to its end.
    bool allEnd(ServerProcess &server, Milliseconds atMost = kPatience) const;
    [[nodiscard]] std::string story() const;
    // Waits until one of that name has enrolled: a server is healthy before.
    [[nodiscard]] std::string epochOf(const std::string &instance) const;

    // Every number is one row, one transaction and one request on the chain, with the end that the
    // devnet gave it; nonces have no gap, and nothing is left open.
    void expectEachOnce() const;
    // What became of everything, in one line; what is lost or was sent twice is a failure.
    void expectNothingLost(const std::string &after) const;
    // What clients are told is what stands on the chain, byte for byte.
    void expectPollsTellTheChain(ServerProcess &server) const;

  private:
    [[nodiscard]] std::set<std::string> gatewayIdsOnChain() const;
    [[nodiscard]] std::string waiting() const;
    void expectEnds() const;
    void expectTransactions() const;
    void expectNoncesOf(unsigned key, std::uint64_t before) const;

    const Devnet &devnet_;
    const std::size_t logsBefore_;
    const std::vector<std::uint64_t> noncesBefore_;  // of the devnet's relayers
    TestDatabase database_;
    std::mutex mutex_;
    std::set<std::uint64_t> numbers_;
    std::set<std::uint64_t> unanswered_;
    std::map<std::uint64_t, std::string> jobs_;
};

// Waits for 200 or an error, and gives it; the last answer when the time is over.
HttpReply pollToTheEnd(ServerProcess &server, const std::string &jobPath,
                       std::chrono::milliseconds atMost = ChainWorld::kPatience);
}  // namespace relayer::test

#define RELAYER_NEEDS_CHAIN()                                                      \
    RELAYER_NEEDS_SERVER();                                                        \
    if (const std::string why = relayer::test::Devnet::whyMissing(); !why.empty()) \
    {                                                                              \
        GTEST_SKIP() << why;                                                       \
    }                                                                              \
    static_assert(true, "")
