#include "core/fifo_positions.h"

#include <algorithm>
#include <utility>

namespace relayer::core
{
namespace
{
std::size_t lowestBit(std::size_t number)
{
    return number & (~number + 1);
}

auto offset(std::size_t number)
{
    return static_cast<std::ptrdiff_t>(number);
}

// Where a ticket would stand if they were evenly apart, which they nearly are.
std::size_t guess(const std::vector<FifoPositions::Ticket> &sorted, FifoPositions::Ticket ticket)
{
    if (ticket <= sorted.front())
    {
        return 0;
    }
    if (ticket >= sorted.back())
    {
        return sorted.size() - 1;
    }
    const auto distance = [first = sorted.front()](FifoPositions::Ticket to) {
        return static_cast<double>(static_cast<std::uint64_t>(to) -
                                   static_cast<std::uint64_t>(first));
    };
    return static_cast<std::size_t>(distance(ticket) / distance(sorted.back()) *
                                    static_cast<double>(sorted.size() - 1));
}

// The first that is not smaller; the size when all are. Looks around the guess in growing steps: a
// bisection of everything would go through memory, and guess wrong, at each halving.
std::size_t lowerBound(const std::vector<FifoPositions::Ticket> &sorted,
                       FifoPositions::Ticket ticket)
{
    if (sorted.empty())
    {
        return 0;
    }
    std::size_t from = guess(sorted, ticket);
    std::size_t to = from;
    if (sorted[from] < ticket)
    {
        for (std::size_t step = 1; to < sorted.size() && sorted[to] < ticket; step *= 2)
        {
            from = to + 1;
            to += step;
        }
        to = std::min(to, sorted.size());
    }
    else
    {
        for (std::size_t step = 1; from > 0 && sorted[from] >= ticket; step *= 2)
        {
            to = from;
            from -= std::min(step, from);
        }
    }
    const auto begin = sorted.begin();
    return static_cast<std::size_t>(
        std::lower_bound(begin + offset(from), begin + offset(to), ticket) - begin);
}
}  // namespace

std::size_t FifoPositions::runOf(Ticket ticket) const
{
    const std::size_t at = lowerBound(firsts_, ticket);
    const bool isFirst = at < firsts_.size() && firsts_[at] == ticket;
    return isFirst || at == 0 ? at : at - 1;
}

std::size_t FifoPositions::before(std::size_t run) const
{
    std::size_t sum = 0;
    for (std::size_t i = run; i > 0; i -= lowestBit(i))
    {
        sum += tree_[i - 1];
    }
    return sum;
}

void FifoPositions::count(std::size_t run, std::ptrdiff_t change)
{
    for (std::size_t i = run + 1; i <= tree_.size(); i += lowestBit(i))
    {
        tree_[i - 1] += static_cast<std::size_t>(change);
    }
}

void FifoPositions::countAnew()
{
    tree_.assign(runs_.size(), 0);
    for (std::size_t i = 1; i <= tree_.size(); ++i)
    {
        tree_[i - 1] += runs_[i - 1].size();
        if (const std::size_t parent = i + lowestBit(i); parent <= tree_.size())
        {
            tree_[parent - 1] += tree_[i - 1];
        }
    }
}

void FifoPositions::addRun(std::size_t at, Run run)
{
    firsts_.insert(firsts_.begin() + offset(at), run.front());
    runs_.insert(runs_.begin() + offset(at), std::move(run));
    countAnew();
}

void FifoPositions::split(std::size_t run)
{
    Run &whole = runs_[run];
    const auto middle = whole.begin() + offset(whole.size() / 2);
    Run upper;
    upper.reserve(kLongestRun);
    upper.assign(middle, whole.end());
    whole.erase(middle, whole.end());
    addRun(run + 1, std::move(upper));
}

bool FifoPositions::insert(Ticket ticket)
{
    if (size_ >= capacity_ || contains(ticket))
    {
        return false;
    }
    const bool newest = runs_.empty() || ticket > runs_.back().back();
    if (newest && (runs_.empty() || runs_.back().size() >= kLongestRun))
    {
        // Tickets mostly come in order: full runs stay full, instead of being halved.
        Run run;
        run.reserve(kLongestRun);
        run.push_back(ticket);
        addRun(runs_.size(), std::move(run));
        ++size_;
        return true;
    }
    std::size_t run = runOf(ticket);
    if (runs_[run].size() >= kLongestRun)
    {
        split(run);
        run = runOf(ticket);
    }
    Run &tickets = runs_[run];
    tickets.insert(tickets.begin() + offset(lowerBound(tickets, ticket)), ticket);
    firsts_[run] = tickets.front();
    count(run, 1);
    ++size_;
    return true;
}

bool FifoPositions::erase(Ticket ticket)
{
    if (runs_.empty())
    {
        return false;
    }
    const std::size_t run = runOf(ticket);
    Run &tickets = runs_[run];
    const std::size_t place = lowerBound(tickets, ticket);
    if (place == tickets.size() || tickets[place] != ticket)
    {
        return false;
    }
    tickets.erase(tickets.begin() + offset(place));
    count(run, -1);
    --size_;
    tidyUp(run);
    return true;
}

// Keeps neighbours from both being short, so that the number of runs follows the number of tickets.
void FifoPositions::tidyUp(std::size_t run)
{
    Run &tickets = runs_[run];
    const bool joins =
        run + 1 < runs_.size() && tickets.size() + runs_[run + 1].size() <= kLongestRun / 2;
    if (joins)
    {
        const Run &next = runs_[run + 1];
        tickets.insert(tickets.end(), next.begin(), next.end());
    }
    if (!tickets.empty())
    {
        firsts_[run] = tickets.front();
    }
    if (joins || tickets.empty())
    {
        const std::size_t gone = joins ? run + 1 : run;
        runs_.erase(runs_.begin() + offset(gone));
        firsts_.erase(firsts_.begin() + offset(gone));
        countAnew();
    }
    if (run > 0 && run < runs_.size() &&
        runs_[run - 1].size() + runs_[run].size() <= kLongestRun / 2)
    {
        tidyUp(run - 1);
    }
}

std::size_t FifoPositions::eraseBelow(Ticket ticket)
{
    if (runs_.empty() || runs_.front().front() >= ticket)
    {
        return 0;
    }
    const std::size_t sizeBefore = size_;
    const std::size_t run = runOf(ticket);
    Run &tickets = runs_[run];
    tickets.erase(tickets.begin(), tickets.begin() + offset(lowerBound(tickets, ticket)));
    const std::size_t gone = tickets.empty() ? run + 1 : run;
    runs_.erase(runs_.begin(), runs_.begin() + offset(gone));
    firsts_.erase(firsts_.begin(), firsts_.begin() + offset(gone));
    if (!runs_.empty())
    {
        firsts_.front() = runs_.front().front();
    }
    countAnew();
    size_ = before(runs_.size());
    if (!runs_.empty())
    {
        tidyUp(0);
    }
    return sizeBefore - size_;
}

std::size_t FifoPositions::smaller(Ticket ticket) const
{
    if (runs_.empty())
    {
        return 0;
    }
    const std::size_t run = runOf(ticket);
    return before(run) + lowerBound(runs_[run], ticket);
}

std::optional<std::size_t> FifoPositions::position(Ticket ticket) const
{
    if (runs_.empty())
    {
        return std::nullopt;
    }
    const std::size_t run = runOf(ticket);
    const Run &tickets = runs_[run];
    const std::size_t place = lowerBound(tickets, ticket);
    if (place == tickets.size() || tickets[place] != ticket)
    {
        return std::nullopt;
    }
    return before(run) + place;
}

std::optional<FifoPositions::Ticket> FifoPositions::first() const
{
    return runs_.empty() ? std::nullopt : std::optional(runs_.front().front());
}

std::optional<FifoPositions::Ticket> FifoPositions::last() const
{
    return runs_.empty() ? std::nullopt : std::optional(runs_.back().back());
}
}  // namespace relayer::core
