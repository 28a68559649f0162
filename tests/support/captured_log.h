// What is logged while it lives, for tests of what operators are told. One at a time, made before
// the threads that log.
#pragma once

#include <trantor/utils/Logger.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

namespace relayer::test
{
class CapturedLog
{
  public:
    CapturedLog() : shared_(std::make_shared<Shared>())
    {
        trantor::Logger::setOutputFunction(
            [shared = shared_](const char *text, std::uint64_t length) {
                const std::lock_guard lock(shared->mutex);
                shared->text.append(text, length);
            },
            [] {});
    }
    ~CapturedLog()
    {
        trantor::Logger::setOutputFunction(
            [](const char *text, std::uint64_t length) { std::fwrite(text, 1, length, stdout); },
            [] { std::fflush(stdout); });
    }
    CapturedLog(const CapturedLog &) = delete;
    CapturedLog &operator=(const CapturedLog &) = delete;

    [[nodiscard]] std::string text() const
    {
        const std::lock_guard lock(shared_->mutex);
        return shared_->text;
    }
    [[nodiscard]] bool says(const std::string &what) const
    {
        return text().find(what) != std::string::npos;
    }

  private:
    struct Shared
    {
        std::mutex mutex;
        std::string text;
    };
    const std::shared_ptr<Shared> shared_;
};
}  // namespace relayer::test
