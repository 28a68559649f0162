// What PostgreSQL keeps of a share beside its rows: its log of writes, and a dump of everything.
// Without the key of the installation, none of it tells what the wallet wants to be forgotten.
#include "core/base64.h"
#include "core/bytes.h"
#include "e2e/share_server.h"
#include "support/private_postgres.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace relayer::test
{
namespace
{
std::string raw(const core::Hash32 &bytes)
{
    return {bytes.begin(), bytes.end()};
}

std::string logOfWrites(const PrivatePostgres &postgres)
{
    const std::filesystem::path data = postgres.query("SHOW data_directory")[0][0];
    std::string all;
    for (const auto &file : std::filesystem::directory_iterator(data / "pg_wal"))
    {
        if (file.is_regular_file())
        {
            std::ifstream in(file.path(), std::ios::binary);
            all.append(std::istreambuf_iterator<char>(in), {});
        }
    }
    return all;
}

std::string dumpOf(const std::string &url)
{
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(
        popen(("pg_dump '" + url + "'").c_str(), "re"), &pclose);
    std::string dump;
    std::array<char, 4096> chunk{};
    while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr)
    {
        dump += chunk.data();
    }
    return dump;
}

void expectNothingOf(const core::VoteShare &share, const std::string &text, const char *where)
{
    for (const core::Hash32 &secret : {share.primaryBlind, share.c1, share.c2, share.sharesHash,
                                       share.commitments[0], share.commitments[15]})
    {
        EXPECT_EQ(text.find(raw(secret)), std::string::npos) << where;
        EXPECT_EQ(text.find(core::toBase64(secret)), std::string::npos) << where;
        EXPECT_EQ(text.find(core::toHex(secret)), std::string::npos) << where;
    }
}

TEST(ShareSecrets, NeitherTheLogOfWritesNorADumpTellsAShareWithoutItsKey)
{
    RELAYER_NEEDS_SERVER();
    const PrivatePostgres postgres;
    const ShareWorldOutside world;
    ServerOptions options = onDatabase(postgres.url());
    for (const auto &[name, value] : world.options().environment)
    {
        options.environment.insert({name, value});  // but not its database
    }
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const core::VoteShare ended = voteShare(1);
    const core::VoteShare waiting = voteShare(2);
    const auto posted = [&](const core::VoteShare &share, std::int64_t at) {
        const auto reply = client.post(kShares, shareBody(share, static_cast<std::uint64_t>(at)));
        return reply && reply->status == 200;
    };
    ASSERT_TRUE(becomes([&] { return posted(ended, 0); })) << server.output();
    ASSERT_TRUE(posted(waiting, secondsNow() + 3600));
    ASSERT_TRUE(becomes([&] {
        return postgres.query(
                   "SELECT count(*) FROM scheduled_share"
                   " WHERE state = 'submitted'")[0][0] == "1";
    })) << server.output();

    const std::string writes = logOfWrites(postgres);
    const std::string dump = dumpOf(postgres.url());
    for (const core::VoteShare &share : {ended, waiting})
    {
        const core::Hash32 digest = core::digestOf(share);
        EXPECT_NE(writes.find(raw(digest)), std::string::npos) << "it is that log";
        EXPECT_NE(dump.find(core::toHex(digest)), std::string::npos) << "it is that dump";
        expectNothingOf(share, writes, "in the log of writes");
        expectNothingOf(share, dump, "in the dump");
    }
    const std::string sealed =
        postgres.query("SELECT encode(witness, 'hex') FROM scheduled_share WHERE waiting")[0][0];
    EXPECT_NE(dump.find(sealed), std::string::npos) << "of one that waits, sealed";
    EXPECT_EQ(postgres.query("SELECT count(*) FROM scheduled_share"
                             " WHERE NOT waiting AND witness IS NULL AND witness_key IS NULL"),
              (PrivatePostgres::Rows{{"1"}}));
}
}  // namespace
}  // namespace relayer::test
