#include "plugins/share_run.h"

#include "models/store_error.h"
#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
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
// When what is due is just being taken by somebody else.
constexpr microseconds kMoment = std::chrono::milliseconds(20);

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
    roundsToo_ = true;
    goOn();
}

void ShareRun::goOn()
{
    again_ = true;
    if (!cycling_ && !stopped_)
    {
        cycle(shared_from_this());
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
        wait = kPause;
        if (!claimer)
        {
            break;
        }
        try
        {
            if (std::exchange(self->roundsToo_, false))
            {
                co_await self->lookAfterRounds();
            }
            const std::size_t taken = co_await self->takeWhatIsDue(*claimer);
            wait = co_await self->untilNext(taken > 0);
        }
        catch (const models::StoreError &error)
        {
            LOG_WARN << "step=share_schedule: " << error.what();
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
    const auto over = co_await resumedOn(around_.loop, around_.shares->overRounds());
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
    bool more = !over.rounds.empty();
    while (more)
    {
        const std::size_t gone =
            co_await resumedOn(around_.loop, around_.shares->purge(over.asOf, options_.purgeRows));
        more = gone == options_.purgeRows;
    }
    co_await resumedOn(around_.loop,
                       around_.shares->freeAbandoned(options_.lease, options_.purgeRows));
}

Task<std::size_t> ShareRun::takeWhatIsDue(Claimer claimer)
{
    std::size_t count = 0;
    while (room() > 0)
    {
        const std::size_t most = room();
        const auto taken = co_await resumedOn(around_.loop, around_.shares->take(claimer, most));
        for (const TakenShare &share : taken)
        {
            ++proving_;
            ++held_;
            work(shared_from_this(), share, claimer);
        }
        count += taken.size();
        if (taken.size() < most)
        {
            break;
        }
    }
    co_return count;
}

Task<microseconds> ShareRun::untilNext(bool tookSome)
{
    const microseconds maintenance = options_.maintenance;
    const auto next = co_await resumedOn(around_.loop, around_.shares->untilNext());
    // Without room there is a wake when there is some again.
    if (!next || room() == 0)
    {
        co_return maintenance;
    }
    if (next->count() == 0)
    {
        again_ = again_ || tookSome;
        co_return kMoment;
    }
    co_return std::min(*next, maintenance);
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

AsyncTask ShareRun::work(std::shared_ptr<ShareRun> self, TakenShare share, Claimer claimer)
{
    const auto place = std::make_shared<Place>([self] {
        --self->proving_;
        self->goOn();
    });
    std::function<void()> proved = [place] { place->leave(); };
    const auto result = co_await self->around_.attempt(share, claimer, proved);
    if (result.end == core::AttemptEnd::ChainAway)
    {
        self->holdTheQueue();
    }
    const bool moved = co_await self->write(share, claimer, result);
    --self->held_;
    place->leave();
    if (moved)
    {
        self->around_.moved(share, result);
    }
    self->goOn();
}

Task<bool> ShareRun::write(TakenShare share, Claimer claimer, ShareAttemptResult result)
{
    const AfterAttempt after =
        core::afterAttempt(result.end, share.attempts, options_.waits, options_.chainAway);
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
                    co_return co_await resumedOn(around_.loop, shares->submit(share.id, claimer));
                case AfterAttempt::Step::Retry:
                    co_return co_await resumedOn(
                        around_.loop, shares->retry(share.id, claimer, after.wait, result.code));
                case AfterAttempt::Step::Fail:
                    co_return co_await resumedOn(around_.loop,
                                                 shares->fail(share.id, claimer, result.code));
                case AfterAttempt::Step::GiveBack:
                    co_return co_await resumedOn(around_.loop,
                                                 shares->giveBack(share.id, claimer, after.wait));
            }
        }
        catch (const models::StoreError &error)
        {
            LOG_WARN << "step=share_move share=" << share.id << ": " << error.what();
            if (stopped_ || error.code() == models::StoreError::Code::Closed)
            {
                co_return false;
            }
        }
        co_await drogon::sleepCoro(around_.loop, kPause);
    }
}
}  // namespace relayer::plugins
