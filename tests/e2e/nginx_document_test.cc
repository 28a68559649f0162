// The commands of docs/nginx.md do what it says, and what it says of times fits ours.
#include "e2e/behind_nginx.h"
#include "support/command_lines.h"
#include "support/source_dir.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace relayer::test
{
namespace
{
std::string contentOf(const std::string &path)
{
    std::ifstream in(sourceDir() / path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Example
{
    std::string command;
    std::vector<std::string> answer;
};

// Each `$ command` of the blocks for a console, and the lines that stand below it.
std::vector<Example> examplesOf(const std::string &text)
{
    const std::string start = "$ ";
    std::vector<Example> examples;
    bool inside = false;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
    {
        if (line.starts_with("```"))
        {
            inside = line == "```console";
        }
        else if (inside && line.starts_with(start))
        {
            examples.push_back({line.substr(start.size()), {}});
        }
        else if (inside && !examples.empty() && !line.empty())
        {
            examples.back().answer.push_back(line);
        }
    }
    return examples;
}

void replaceAll(std::string &text, const std::string &what, const std::string &with)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    {
        text.replace(at, what.size(), with);
        at += with.size();
    }
}

class NginxDocument : public BehindNginx
{
  protected:
    [[nodiscard]] std::vector<std::string> run(std::string command) const
    {
        if (command == "sudo nginx -t")
        {
            std::string said = nginx_->trial();
            replaceAll(said, nginx_->folder(), "/etc/nginx");
            return {said.substr(said.find("nginx: configuration file"))};
        }
        replaceAll(command, "https://relayer.example.com",
                   "https://localhost:" + std::to_string(nginx_->port()));
        replaceAll(command, "http://relayer.example.com",
                   "http://localhost:" + std::to_string(nginx_->plainPort()));
        return linesOf("export CURL_CA_BUNDLE='" + nginx_->certificate() + "'; " + command);
    }
};

TEST_F(NginxDocument, ItsCommandsAnswerAsItSays)
{
    serveTwo();
    const auto examples = examplesOf(contentOf("docs/nginx.md"));
    ASSERT_GE(examples.size(), 7U);
    for (const Example &example : examples)
    {
        const auto answer = run(example.command);
        ASSERT_GE(answer.size(), example.answer.size()) << example.command;
        for (std::size_t i = 0; i < example.answer.size(); ++i)
        {
            const std::string &expected = example.answer[i];
            EXPECT_TRUE(answer[i].starts_with(expected))
                << example.command << "\nsaid   " << answer[i] << "\nand not " << expected;
        }
    }
}

TEST(NginxConfiguration, GivesTheTimesThatFitOurs)
{
    const std::string conf = contentOf("deploy/nginx.conf");
    const std::string reference = contentOf("docs/configuration.md");
    // A long-poll takes a minute at the most, a stream says so each five minutes at the most.
    EXPECT_THAT(conf, testing::HasSubstr("proxy_read_timeout 75s;"));
    EXPECT_THAT(reference,
                testing::ContainsRegex("long_poll.max_wait.*\\| duration, 1s to 1m \\|"));
    EXPECT_THAT(conf, testing::HasSubstr("proxy_read_timeout 330s;"));
    EXPECT_THAT(reference, testing::ContainsRegex("events.keep_alive.*\\| duration, 1s to 5m \\|"));
    // nginx closes an idle connection before we do.
    EXPECT_THAT(conf, testing::HasSubstr("keepalive_timeout 60s;"));
    EXPECT_THAT(reference, testing::ContainsRegex("idle_connection_timeout.*\\| duration, 1m 15s"));
    // Twice http.max_body.
    EXPECT_THAT(conf, testing::HasSubstr("client_max_body_size 4m;"));
    EXPECT_THAT(reference, testing::ContainsRegex("http.max_body`.*\\| `2MiB` \\|"));
}
}  // namespace
}  // namespace relayer::test
