// A server that takes shares, a vote chain that counts what it is told, and a library that proves.
#pragma once

#include "e2e/requests.h"
#include "support/fake_vote_chain.h"
#include "support/test_database.h"
#include "support/vote_shares.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace relayer::test
{
inline const std::string kShares = "/shielded-vote/v1/shares";
inline const std::string kShareStatus = "/shielded-vote/v1/share-status/";
inline const std::string kHelperStatus = "/shielded-vote/v1/status";
inline const std::string kQueueStatus = "/shielded-vote/v1/queue-status";

// Seconds since 1970.
[[nodiscard]] std::int64_t secondsNow();
// Of the shares that voteShare() makes.
[[nodiscard]] core::Hash32 testRound();
// Until it is so, for a minute at the most, and longer under a sanitizer.
[[nodiscard]] bool becomes(const std::function<bool()> &so);

class ShareWorldOutside
{
  public:
    // With a round that ends in a week, and leaves for the shares 0 to 299.
    ShareWorldOutside();

    using Environment = std::map<std::string, std::string>;
    // Keys of share_scheduler in upper case, or whole names of variables.
    [[nodiscard]] ServerOptions options(const Environment &settings = {},
                                        const std::string &instance = "one") const;
    // Started, and ready to take shares.
    [[nodiscard]] std::unique_ptr<ServerProcess> serve(const Environment &settings = {},
                                                       const std::string &instance = "one") const;

    [[nodiscard]] std::string count(const std::string &state) const;
    FakeVoteChain chain;
    TestDatabase database{TestDatabase::Schema::Migrated};
    std::int64_t end = 0;  // of the round
};

// So many posts of shares from so many connections at once, by number. What was told how often, as
// "200 {...}"; "none" where no answer came.
[[nodiscard]] std::map<std::string, int> postTogether(std::uint16_t port, int posts,
                                                      int connections,
                                                      const std::function<std::string(int)> &body);

[[nodiscard]] std::string errorOf(const HttpReply &reply);
}  // namespace relayer::test
