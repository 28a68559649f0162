// What the README tells people to send is what the server takes.
#include "e2e/decrypt_server.h"
#include "support/source_dir.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace relayer::test
{
namespace
{
// Path and body of each `curl ... -X POST http://127.0.0.1:8088/path -d '{...}'`.
std::vector<std::pair<std::string, std::string>> postsOf(const std::string &text)
{
    const std::string start = "-X POST http://127.0.0.1:8088";
    const std::string data = " -d '";
    std::vector<std::pair<std::string, std::string>> posts;
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at))
    {
        at += start.size();
        const std::size_t body = text.find(data, at);
        const std::size_t end = text.find('\'', body + data.size());
        posts.emplace_back(text.substr(at, body - at),
                           text.substr(body + data.size(), end - body - data.size()));
    }
    return posts;
}

TEST(Readme, ItsPostsAreTaken)
{
    RELAYER_NEEDS_SERVER();
    std::ifstream in(sourceDir() / "README.md");
    const std::string readme{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto posts = postsOf(readme);
    ASSERT_EQ(posts.size(), 2U);
    const TestDatabase database;
    ServerProcess server(forDecryptions(database));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    for (const auto &[path, body] : posts)
    {
        const HttpReply reply = client.post(path, body).value();
        EXPECT_EQ(reply.status, 202) << path << ": " << reply.body;
    }
}
}  // namespace
}  // namespace relayer::test
