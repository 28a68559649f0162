// Clients of ours: each posts a request, holds its polls (`?wait=30`) until the job has ended, and
// posts the next one.
#pragma once

#include "bench/http_lines.h"
#include "bench/sustained.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::bench
{
struct Post
{
    std::string path;
    std::string body;
};

class RelayClients
{
  public:
    RelayClients(std::uint16_t port, std::size_t count) : lines_(port, count), clients_(count) {}

    // Throws when a request is refused or fails: what failed fast must not count as fast.
    Sustained run(const std::vector<Post> &posts)
    {
        Meter meter;
        std::size_t next = 0;
        std::size_t underWay = lines_.count();
        const auto begin = [&](std::size_t line) {
            if (next == posts.size())
            {
                --underWay;
                return;
            }
            post(line, posts[next++]);
        };
        for (std::size_t line = 0; line < lines_.count(); ++line)
        {
            begin(line);
        }
        while (underWay > 0)
        {
            lines_.takeAnswers([&](const HttpAnswer &answer) {
                if (answer.status == 200)
                {
                    meter.ended(clients_.at(answer.line).since);
                    begin(answer.line);
                    return;
                }
                if (answer.status != 202)
                {
                    throw std::runtime_error(
                        "a request did not end well: " + std::to_string(answer.status) + " " +
                        std::string(answer.body));
                }
                poll(answer);
            });
        }
        return meter.outcome();
    }

  private:
    struct Client
    {
        std::string path;
        std::string job;  // empty: not accepted yet
        Clock::time_point since;
    };

    void post(std::size_t line, const Post &post)
    {
        clients_.at(line) = {post.path, "", Clock::now()};
        lines_.ask(line, "POST " + post.path +
                             " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
                             "Content-Length: " +
                             std::to_string(post.body.size()) + "\r\n\r\n" + post.body);
    }

    void poll(const HttpAnswer &answer)
    {
        Client &client = clients_.at(answer.line);
        if (client.job.empty())
        {
            constexpr std::string_view kBefore = R"("jobId":")";
            constexpr std::size_t kIdLength = 36;
            const std::size_t at = answer.body.find(kBefore);
            if (at == std::string_view::npos)
            {
                throw std::runtime_error("accepted without a job: " + std::string(answer.body));
            }
            client.job = answer.body.substr(at + kBefore.size(), kIdLength);
        }
        lines_.ask(answer.line, "GET " + client.path + "/" + client.job +
                                    "?wait=30 HTTP/1.1\r\nHost: bench\r\n\r\n");
    }

    HttpLines lines_;
    std::vector<Client> clients_;
};
}  // namespace relayer::bench
