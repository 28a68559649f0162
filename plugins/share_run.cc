#include "plugins/share_run.h"

#include "models/store_error.h"
#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <array>
#include <utility>

namespace relayer::plugins
{
using core::AfterAttempt;
using drogon::AsyncTask;
using drogon::Task;
using models::TakenShare;
using std::chrono::microseconds;

namespace
{
// After a database that did not answer.
constexpr microseconds kPause = std::chrono::seconds(1);
// Until the database knows us; costs no statement.
constexpr microseconds kNotYet = std::chrono::milliseconds(50);
// When what is due is just being taken by somebody else, or became due behind our back. At first
// the latter is likely.
constexpr std::array<microseconds, 4> kMoments = {microseconds(200), microseconds(1000),
                                                  microseconds(5000), microseconds(20'000)};

// Frees a share's place at a prover, once.
class Place
{
  public:
    explicit Place(std::function<void()> free) : free_(std::move(free)) {}
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    ~Place() { leave(); }
    void leave()
    {
        if (const auto free = std::exchange(free_, nullptr))
        {
            free();
        }
    }

  private:
    std::function<void()> free_;
};
}  // namespace

void ShareRun::wake()
{
    again_ = true;
    if (!cycling_ && !stopped_)
    {
        cycle(shared_from_this());
    }
}

void ShareRun::maintain()
{
    roundsToo_ = abandonedToo_ = true;
    wake();
}

void ShareRun::madeRoom()
{
    if (wantsRoom_)
    {
        wake();
    }
}

ShareRun::Snapshot ShareRun::snapshot() const
{
    return {proving_, held_, chainAway_, cycling_, cycles_};
}

std::size_t ShareRun::room() const
{
    if (stopped_ || chainAway_)
    {
        return 0;
    }
    return std::min(options_.places - std::min(options_.places, proving_),
                    options_.held - std::min(options_.held, held_));
}

AsyncTask ShareRun::cycle(std::shared_ptr<ShareRun> self)
{
    self->cycling_ = true;
    microseconds wait = self->options_.maintenance;
    while (self->again_ && !self->stopped_)
    {
        // Cleared before the schedule is read, so that no change is lost in between.
        self->again_ = false;
        ++self->cycles_;
        const auto claimer = self->around_.claimer();
        wait = claimer ? kPause : kNotYet;
        if (!claimer)
        {
            break;
        }
        try
        {
            const bool rounds = std::exchange(self->roundsToo_, false);
            if (rounds)
            {
                co_await self->lookAfterRounds();
            }
            if (std::exchange(self->abandonedToo_, false))
            {
                co_await self->freeAbandoned();
            }
            const std::size_t taken = co_await self->takeWhatIsDue(*claimer);
            wait = co_await self->untilNext(taken > 0, rounds);
        }
        catch (const models::StoreError &error)
        {
            LOG_WARN << "step=share_schedule: " << error.what();
            self->roundsToo_ = self->abandonedToo_ = self->wantsRoom_ = true;
            break;
        }
    }
    self->cycling_ = false;
    if (!self->stopped_)
    {
        self->around_.alarm(wait);
    }
}

Task<> ShareRun::lookAfterRounds()
{
    const auto over = co_await resumedOn(around_.loop, around_.shares->closeRounds());
    for (const models::RoundShares &round : over.rounds)
    {
        using core::ShareState;
        if (round.of(ShareState::Received) + round.of(ShareState::Witnessed) +
                round.of(ShareState::Failed) >
            0)
        {
            around_.alert(round);
        }
    }
    bool more = over.any;
    while (more)
    {
        const std::size_t gone =
            co_await resumedOn(around_.loop, around_.shares->purge(over.asOf, options_.purgeRows));
        more = gone == options_.purgeRows;
    }
}

Task<> ShareRun::freeAbandoned()
{
    std::size_t freed = options_.purgeRows;
    while (freed == options_.purgeRows)
    {
        freed = co_await resumedOn(
            around_.loop, around_.shares->freeAbandoned(options_.lease, options_.purgeRows));
    }
}

Task<std::size_t> ShareRun::takeWhatIsDue(Claimer claimer)
{
    std::size_t count = 0;
    std::size_t most = room();
    bool all = false;
    while (most > 0 && !all)
    {
        const auto taken =
            co_await resumedOn(around_.loop, around_.shares->take(claimer, most, options_.ahead));
        // All of them before the first is worked on: that would make the others late in the books.
        for (const TakenShare &share : taken)
        {
            if (around_.taken)
            {
                around_.taken(share);
            }
        }
        proving_ += taken.size();
        held_ += taken.size();
        for (const TakenShare &share : taken)
        {
            work(shared_from_this(), share, claimer);
        }
        count += taken.size();
        all = taken.size() < most;
        most = room();
    }
    wantsRoom_ = !all;
    co_return count;
}

Task<microseconds> ShareRun::untilNext(bool tookSome, bool lookedAfterRounds)
{
    const auto until = co_await resumedOn(around_.loop, around_.shares->untilNext());
    const microseconds wait = untilShare(until.share, tookSome);
    if (until.roundOver)
    {
        // Whoever is woken before a round can be over need not ask for it.
        roundsToo_ = roundsToo_ || *until.roundOver <= wait;
        // The clock went on further than we meant to wait.
        again_ = again_ || (until.roundOver->count() == 0 && !lookedAfterRounds);
    }
    co_return wait;
}

microseconds ShareRun::untilShare(std::optional<microseconds> next, bool tookSome)
{
    const microseconds maintenance = options_.maintenance;
    // Without room there is a wake when there is some again.
    if (!next || room() == 0)
    {
        return maintenance;
    }
    if (next->count() == 0)
    {
        again_ = again_ || tookSome;
        const auto step = static_cast<std::size_t>(tookSome ? 0 : misses_);
        misses_ = tookSome ? 0 : std::min<int>(misses_ + 1, kMoments.size() - 1);
        return kMoments.at(step);
    }
    misses_ = 0;
    return std::min(std::max(*next - options_.ahead, microseconds(0)), maintenance);
}

void ShareRun::holdTheQueue()
{
    if (chainAway_)
    {
        return;
    }
    chainAway_ = true;
    LOG_WARN << "step=share_schedule: the vote chain is away, nothing is sent for "
             << options_.chainAway.count() << " s";
    around_.after(options_.chainAway, [weak = weak_from_this()] {
        if (const auto self = weak.lock())
        {
            self->chainAway_ = false;
            self->wake();
        }
    });
}

bool ShareRun::isTheChain(models::ShareId share, const ShareAttemptResult &result)
{
    using core::AttemptEnd;
    if (result.end == AttemptEnd::ChainAway)
    {
        return true;
    }
    if (!result.perhapsTheChain)
    {
        const bool says = result.end == AttemptEnd::OnTheChain ||
                          result.end == AttemptEnd::MayGoBetter ||
                          result.end == AttemptEnd::WillNotChange;
        failedAt_ = says ? 0 : failedAt_;
        failsAtOthers_ = failsAtOthers_ && !says;
        return false;
    }
    failsAtOthers_ = failsAtOthers_ || (failedAt_ != 0 && failedAt_ != share);
    failedAt_ = share;
    return failsAtOthers_;
}

AsyncTask ShareRun::work(std::shared_ptr<ShareRun> self, TakenShare share, Claimer claimer)
{
    const auto place = std::make_shared<Place>([self] {
        --self->proving_;
        self->madeRoom();
    });
    std::function<void()> proved = [place] { place->leave(); };
    auto result = co_await self->around_.attempt(share, claimer, proved);
    if (self->isTheChain(share.id, result))
    {
        result.end = core::AttemptEnd::ChainAway;
        self->holdTheQueue();
    }
    const AfterAttempt after = core::afterAttempt(result.end, share.attempts, self->options_.waits,
                                                  self->options_.chainAway);
    const bool moved = co_await self->write(share.id, claimer, after, result.code);
    --self->held_;
    place->leave();
    if (moved)
    {
        self->around_.moved(share, result);
    }
    using Step = AfterAttempt::Step;
    const bool waitsAgain = after.step == Step::Retry || after.step == Step::GiveBack;
    waitsAgain ? self->wake() : self->madeRoom();
}

Task<bool> ShareRun::write(models::ShareId share, Claimer claimer, AfterAttempt after,
                           std::string code)
{
    const auto shares = around_.shares;
    // Of a move whose fate is not known, the guard tells when it is asked again; a share that can
    // not be moved for longer is freed with our epoch, or ended by who looks at the chain then.
    while (true)
    {
        try
        {
            switch (after.step)
            {
                case AfterAttempt::Step::Submit:
                    co_return co_await resumedOn(around_.loop, shares->submit(share, claimer));
                case AfterAttempt::Step::Retry:
                    co_return co_await resumedOn(around_.loop,
                                                 shares->retry(share, claimer, after.wait, code));
                case AfterAttempt::Step::Fail:
                    co_return co_await resumedOn(around_.loop, shares->fail(share, claimer, code));
                case AfterAttempt::Step::GiveBack:
                    co_return co_await resumedOn(around_.loop,
                                                 shares->giveBack(share, claimer, after.wait));
            }
        }
        catch (const models::StoreError &error)
        {
            LOG_WARN << "step=share_move share=" << share << ": " << error.what();
            if (stopped_ || error.code() == models::StoreError::Code::Closed)
            {
                co_return false;
            }
        }
        co_await drogon::sleepCoro(around_.loop, kPause);
    }
}
}  // namespace relayer::plugins
