// The order of an orderly stop, and its times; what is stopped is its owner's business.
//
// Steps are done one after the other, and the stages of a step side by side. A step is over when
// nothing is left in any of its stages, or when its time is; then the next one begins all the same.
// Pure but for the calls it makes: time comes in. To be used from one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::plugins
{
class DrainRun
{
  public:
    using TimePoint = std::chrono::steady_clock::time_point;

    struct Stage
    {
        std::string_view name;
        std::function<void()> begin;        // returns at once; none: there is nothing to begin
        std::function<std::size_t()> left;  // 0: it is done
    };
    struct Step
    {
        std::vector<Stage> stages;
        TimePoint until;      // it is waited for no longer
        TimePoint notBefore;  // nor is it over sooner
    };
    struct Left
    {
        std::string_view stage;
        std::size_t count = 0;
    };

    explicit DrainRun(std::vector<Step> steps) : steps_(std::move(steps)) {}

    // True when all steps are over.
    bool tick(TimePoint now);
    // Of the step that is waited for.
    [[nodiscard]] std::vector<Left> left() const;
    // Of those whose time was over.
    [[nodiscard]] const std::vector<Left> &leftBehind() const { return leftBehind_; }

  private:
    std::vector<Step> steps_;
    std::size_t at_ = 0;
    bool begun_ = false;
    std::vector<Left> leftBehind_;
};

// "transactions=3 http=1", or "nothing".
[[nodiscard]] std::string textOf(const std::vector<DrainRun::Left> &left);
}  // namespace relayer::plugins
