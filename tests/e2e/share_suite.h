// One server for all tests of a suite: they take shares of their own. Its library exports no hash
// of commitments.
#pragma once

#include "core/bytes.h"
#include "e2e/admin_server.h"
#include "e2e/share_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace relayer::test
{
inline const HttpHeaders kToken = {{"X-Helper-Token", "let-me-in"}};

inline std::string hexOf(const core::Hash32 &hash)
{
    return core::toHex(hash);
}

class ShareSuite : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        if (!whyNoServer())
        {
            world_ = std::make_unique<ShareWorldOutside>();
            server_ = world_->serve({{"API_TOKEN", "let-me-in"},
                                     {"RELAYER_METRICS__ENABLED", "true"},
                                     {"RELAYER_METRICS__PORT", "0"}});
        }
    }
    static void TearDownTestSuite()
    {
        server_.reset();
        world_.reset();
    }
    void SetUp() override { RELAYER_NEEDS_SERVER(); }

    HttpReply post(const std::string &body, const HttpHeaders &headers = kToken)
    {
        return client_.post(kShares, body, headers).value();
    }
    HttpReply post(const core::VoteShare &share, std::int64_t submitAt)
    {
        return post(shareBody(share, static_cast<std::uint64_t>(submitAt)));
    }
    HttpReply get(const std::string &path) { return client_.get(path, kToken).value(); }

    inline static std::unique_ptr<ShareWorldOutside> world_;
    inline static std::unique_ptr<ServerProcess> server_;
    HttpClient client_{server_ ? server_->port() : std::uint16_t{0}};
};
}  // namespace relayer::test
