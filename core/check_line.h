// The checks of one kind of request that are due, and which of them go to which node next: in
// batches, as large as they may be, and no more requests in the air than are allowed.
//
// What is asked for the first time stands apart from what is asked again, and a batch takes from
// both: so those that are never ready do not keep back one that is, and a flood of new ones does
// not keep back the others. One node gets four fifths of all that may be in the air at the most,
// so that one which does not answer leaves room for the others.
//
// A batch that is not full waits as long as another is in the air to the same node, and so does one
// that could be larger if more were allowed: who comes meanwhile shares its call. That costs nobody
// more than the one call that is in the air.
//
// Pure and for one caller at a time. Bounded by whoever adds: each check is here once at the most.
#pragma once

#include "core/lifecycle.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace relayer::core
{
// Who is asked: the ACL of a host chain, or the gateway.
struct CheckTarget
{
    bool gateway = false;
    std::uint64_t hostChain = 0;

    auto operator<=>(const CheckTarget &) const = default;
};

class CheckLine
{
  public:
    using Id = std::int64_t;

    struct Batch
    {
        CheckTarget target;
        std::vector<Id> ids;
    };

    explicit CheckLine(std::size_t maxConcurrency) : mostInTheAir_(maxConcurrency) {}

    void addFresh(const CheckTarget &target, Id id) { targets_[target].fresh.push_back(id); }
    void addAgain(const CheckTarget &target, Id id) { targets_[target].again.push_back(id); }

    // The next batch, in the air from now on. Nothing: nothing is due, or it has to wait for what
    // is in the air. `largest` is how many the target takes in one batch.
    template <typename Largest>
    [[nodiscard]] std::optional<Batch> next(Largest largest);
    // So many of it are back, each once.
    void landed(const CheckTarget &target, std::size_t count);

    // At least 1. What is in the air already stays there.
    void setMaxConcurrency(std::size_t most) { mostInTheAir_ = most; }
    [[nodiscard]] std::size_t maxConcurrency() const { return mostInTheAir_; }
    [[nodiscard]] std::size_t inTheAir() const { return inTheAir_; }
    [[nodiscard]] std::size_t due() const;
    // Of those, who was not asked yet.
    [[nodiscard]] std::size_t fresh() const;
    // What is due is not any more; what is in the air still lands.
    void forget();

  private:
    struct Target
    {
        std::deque<Id> fresh;
        std::deque<Id> again;
        std::size_t inTheAir = 0;
    };

    [[nodiscard]] std::size_t mostOfOne() const { return mostInTheAir_ - mostInTheAir_ / 5; }
    [[nodiscard]] std::size_t batchSize(const Target &target, std::size_t largest) const;
    Batch take(const CheckTarget &name, Target &target, std::size_t count);

    std::size_t mostInTheAir_;
    std::size_t inTheAir_ = 0;
    std::map<CheckTarget, Target> targets_;
    CheckTarget last_;  // who got the last batch; the others come first
};

template <typename Largest>
std::optional<CheckLine::Batch> CheckLine::next(Largest largest)
{
    auto at = targets_.upper_bound(last_);
    for (std::size_t looked = 0; looked < targets_.size(); ++looked)
    {
        at = at == targets_.end() ? targets_.begin() : at;
        const std::size_t count = batchSize(at->second, largest(at->first));
        if (count > 0)
        {
            last_ = at->first;
            return take(at->first, at->second, count);
        }
        ++at;
    }
    return std::nullopt;
}
}  // namespace relayer::core
