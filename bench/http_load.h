// Asks an HTTP server as fast as it answers: so many connections, each with one request on its way.
#pragma once

#include "bench/http_lines.h"
#include "bench/measure.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace relayer::bench
{
struct HttpOutcome
{
    std::size_t answers = 0;
    double perSecond = 0;
    double p50 = 0;  // milliseconds
    double p99 = 0;
};

class HttpLoad
{
  public:
    // The whole request, head and body, of a number that is never given twice.
    using Request = std::function<std::string(std::uint64_t number)>;

    HttpLoad(std::uint16_t port, std::size_t connections)
        : lines_(port, connections), since_(connections)
    {}

    // Throws when anything but this status comes back: what failed fast must not count as fast.
    HttpOutcome run(const Request &request, int status, std::chrono::milliseconds time)
    {
        std::vector<double> latencies;
        const auto start = Clock::now();
        const auto end = start + time;
        std::size_t waiting = lines_.count();
        for (std::size_t i = 0; i < lines_.count(); ++i)
        {
            ask(i, request);
        }
        while (waiting > 0)
        {
            lines_.takeAnswers([&](const HttpAnswer &answer) {
                if (answer.status != status)
                {
                    throw std::runtime_error(
                        "an answer is not as it should be: " + std::to_string(answer.status) + " " +
                        std::string(answer.body));
                }
                latencies.push_back(1000 * secondsSince(since_.at(answer.line)));
                if (Clock::now() < end)
                {
                    ask(answer.line, request);
                }
                else
                {
                    --waiting;
                }
            });
        }
        const double seconds = secondsSince(start);
        HttpOutcome outcome;
        outcome.answers = latencies.size();
        outcome.perSecond = static_cast<double>(latencies.size()) / seconds;
        outcome.p50 = percentile(latencies, 0.5);
        outcome.p99 = percentile(latencies, 0.99);
        return outcome;
    }

  private:
    void ask(std::size_t line, const Request &request)
    {
        const std::string text = request(next_++);
        since_.at(line) = Clock::now();
        lines_.ask(line, text);
    }

    HttpLines lines_;
    std::vector<Clock::time_point> since_;
    std::uint64_t next_ = 1;
};
}  // namespace relayer::bench
