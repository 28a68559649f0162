#include "support/polling_world.h"

#include "core/promises.h"
#include "support/source_dir.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <queue>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace relayer::test
{
using core::Kind;
using core::Stage;
using core::Standing;

namespace
{
constexpr double kMs = 1000;

// In seconds of simulated time.
struct Life
{
    double came = 0;
    double checked = 0;  // the check began; an input proof has none
    double queued = 0;   // before the chain
    double sent = 0;
    double mined = 0;
    double ready = 0;
};

// Of one kind: the lives in order of arrival, and when its queues were joined and left.
struct Stream
{
    Kind kind = Kind::InputProof;
    std::vector<Life> lives;
    std::vector<double> came;
    std::vector<double> checks;      // growing
    std::vector<double> joined;      // the queue before the chain, growing
    std::vector<double> sent;        // growing
    std::vector<std::size_t> place;  // in the queue before the chain
};

std::size_t countUpTo(const std::vector<double> &times, double now)
{
    return static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), now) -
                                    times.begin());
}

std::size_t lengthAt(const std::vector<double> &joined, const std::vector<double> &left, double now)
{
    return countUpTo(joined, now) - std::min(countUpTo(joined, now), countUpTo(left, now));
}

class Draw
{
  public:
    Draw(std::uint64_t seed, double sigma) : random_(seed), sigma_(sigma) {}

    // The library's distributions differ from one to the next; this is the same everywhere.
    double uniform() { return (static_cast<double>(random_() >> 11U) + 0.5) / 9007199254740992.0; }
    double exponential(double mean) { return -mean * std::log(uniform()); }
    double lognormal(double median)
    {
        const double normal =
            std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979323846 * uniform());
        return median * std::exp(sigma_ * normal);
    }
    core::JobId jobId()
    {
        core::JobId::Raw raw{};
        for (auto &byte : raw)
        {
            byte = static_cast<std::uint8_t>(random_());
        }
        return core::JobId::fromRandom(raw);
    }

  private:
    std::mt19937_64 random_;
    double sigma_;
};

void checkReadiness(Stream &stream, const Workload &workload, Draw &draw, std::size_t from)
{
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    for (std::uint64_t i = 0; i < workload.concurrency; ++i)
    {
        free.push(0);
    }
    for (std::size_t i = from; i < stream.lives.size(); ++i)
    {
        Life &life = stream.lives[i];
        life.checked = std::max(life.came, free.top());
        life.queued = life.checked + draw.lognormal(workload.real.readiness) / kMs;
        free.pop();
        free.push(life.queued);
        stream.checks.push_back(life.checked);
    }
}

// Returns when the last one has its result.
double playPhase(Stream &stream, const Workload &workload, const Workload::Phase &phase, Draw &draw,
                 double begin)
{
    const std::size_t from = stream.lives.size();
    double now = begin;
    for (std::size_t i = 0; i < phase.requests; ++i)
    {
        now += draw.exponential(1 / (phase.load * static_cast<double>(workload.rate)));
        Life life;
        life.came = life.checked = life.queued = now;
        stream.lives.push_back(life);
        stream.came.push_back(now);
    }
    if (stream.kind != Kind::InputProof)
    {
        checkReadiness(stream, workload, draw, from);
    }
    std::vector<std::size_t> order;
    for (std::size_t i = from; i < stream.lives.size(); ++i)
    {
        order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return stream.lives[i].queued; });
    stream.place.resize(stream.lives.size());
    double last = begin;
    double ended = begin;
    for (const std::size_t i : order)
    {
        Life &life = stream.lives[i];
        life.sent = last = std::max(life.queued, last + 1 / static_cast<double>(workload.rate));
        life.mined = life.sent + draw.lognormal(workload.real.confirmation) / kMs;
        const auto kind = static_cast<std::size_t>(stream.kind);
        life.ready = life.mined + draw.lognormal(workload.real.processing.at(kind)) / kMs;
        ended = std::max(ended, life.ready);
        stream.place[i] = stream.joined.size();
        stream.joined.push_back(life.queued);
        stream.sent.push_back(life.sent);
    }
    return ended;
}

core::RetryAfterSettings settingsOf(const Workload &workload)
{
    const auto whole = [](double ms) { return static_cast<std::uint64_t>(ms); };
    const auto of = [&](Kind kind) {
        return whole(workload.nominal.processing.at(static_cast<std::size_t>(kind)));
    };
    core::RetryAfterSettings settings;
    settings.inputProofMs = of(Kind::InputProof);
    settings.publicDecryptMs = of(Kind::PublicDecrypt);
    settings.userDecryptMs = of(Kind::UserDecrypt);
    settings.readinessCheckMs = whole(workload.nominal.readiness);
    settings.txConfirmationMs = whole(workload.nominal.confirmation);
    return settings;
}

Standing standingAt(const Stream &stream, const Workload &workload, std::size_t index, double now)
{
    const Life &life = stream.lives[index];
    const auto since = [now](double then) {
        return std::chrono::milliseconds(static_cast<std::int64_t>((now - then) * kMs));
    };
    Standing standing;
    standing.kind = stream.kind;
    standing.txPerSecond = workload.rate;
    standing.readinessConcurrency = workload.concurrency;
    standing.txQueueLength = lengthAt(stream.joined, stream.sent, now);
    if (now < life.checked)
    {
        standing.stage = Stage::InReadiness;
        standing.position = index - std::min(index, countUpTo(stream.checks, now));
    }
    else if (now < life.queued)
    {
        standing.stage = Stage::BetweenQueues;
    }
    else if (now < life.sent)
    {
        standing.stage = Stage::InTxQueue;
        const std::size_t place = stream.place[index];
        standing.position = place - std::min(place, countUpTo(stream.sent, now));
    }
    else
    {
        const bool mined = now >= life.mined;
        standing.stage = mined ? Stage::AwaitsAnswer : Stage::TxInFlight;
        standing.inState = since(mined ? life.mined : life.sent);
    }
    return standing;
}

// contract/retry-after.md, §2: the length of the whole queue in a post and in `queued`, no queues
// in `processing`, and always the first step of the backoff table.
std::uint64_t referenceSeconds(const core::RetryAfterSettings &settings, const Standing &standing,
                               std::size_t readinessLength, bool post)
{
    const bool proof = standing.kind == Kind::InputProof;
    const std::uint64_t processing = proof ? settings.inputProofMs : settings.userDecryptMs;
    const std::uint64_t behind = processing + settings.txConfirmationMs;
    const auto txWait =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(standing.txQueueLength) /
                                             static_cast<double>(standing.txPerSecond) * kMs));
    const std::uint64_t rounds =
        (readinessLength + standing.readinessConcurrency - 1) / standing.readinessConcurrency;
    const std::uint64_t readyWait = proof ? 0 : rounds * settings.readinessCheckMs;
    std::uint64_t ms = behind;
    if (standing.stage == Stage::AwaitsAnswer)
    {
        return 4;
    }
    if (standing.stage == Stage::TxInFlight)
    {
        ms = processing;
    }
    // Its decryptions are `queued` until their check is over.
    const bool queued = !proof && standing.stage != Stage::InTxQueue;
    if (post || (queued && standing.stage != Stage::TxInFlight))
    {
        ms = readyWait + txWait + behind;
    }
    const double margin = 1.0 + static_cast<double>(0.2F);
    const auto withMargin = static_cast<std::uint64_t>(std::ceil(static_cast<double>(ms) * margin));
    return std::clamp<std::uint64_t>((withMargin + 999) / 1000, settings.minSeconds,
                                     settings.maxSeconds);
}

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

class World
{
  public:
    World(const Workload &workload, Estimator estimator)
        : workload_(workload),
          estimator_(estimator),
          settings_(settingsOf(workload)),
          measured_(settings_)
    {
        for (const Kind kind : core::kAllKinds)
        {
            streams_.at(static_cast<std::size_t>(kind)).kind = kind;
        }
        Draw draw(workload.seed, workload.sigma);
        double begin = 1;
        for (const Workload::Phase &phase : workload.phases)
        {
            double ended = begin;
            for (Stream &stream : streams_)
            {
                ended = std::max(ended, playPhase(stream, workload, phase, draw, begin));
            }
            begin = ended + 1;
        }
        for (const Stream &stream : streams_)
        {
            for (std::size_t i = 0; i < stream.came.size(); ++i)
            {
                asks_.emplace(stream.came[i], jobs_.size());
                jobs_.push_back({&stream, i, draw.jobId()});
            }
        }
    }

    Figures play()
    {
        double second = 0;
        while (!asks_.empty())
        {
            const auto [now, job] = asks_.top();
            asks_.pop();
            for (; second <= now; second += 1)
            {
                lookAtQueues(second);
            }
            ask(now, jobs_[job], job);
        }
        Figures figures;
        figures.requests = jobs_.size();
        figures.medianError = medianOf(errors_);
        figures.polls = static_cast<double>(polls_) / static_cast<double>(jobs_.size());
        double sum = 0;
        for (const double late : lateness_)
        {
            sum += late;
        }
        figures.meanLateness = sum / static_cast<double>(lateness_.size());
        figures.medianLateness = medianOf(lateness_);
        return figures;
    }

  private:
    struct Job
    {
        const Stream *stream;
        std::size_t index;
        core::JobId id;
    };
    using Ask = std::pair<double, std::size_t>;

    static std::chrono::nanoseconds timeOf(double seconds)
    {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    }
    static core::Promises::Time millisOf(double seconds)
    {
        return core::Promises::Time(static_cast<std::int64_t>(seconds * kMs));
    }

    // As the plugin does it once a second: the one that stands furthest back is watched.
    static void watch(core::DrainRate &rate, const std::vector<double> &joined,
                      const std::vector<double> &left, double now)
    {
        const std::size_t gone = countUpTo(left, now);
        if (const auto ticket = rate.watched())
        {
            const auto place = static_cast<std::size_t>(*ticket);
            rate.look(timeOf(now), place - std::min(place, gone));
        }
        const std::size_t here = countUpTo(joined, now);
        if (here > gone)
        {
            rate.offer(static_cast<std::int64_t>(here - 1), here - 1 - gone, timeOf(now));
        }
    }
    void lookAtQueues(double now)
    {
        for (const Stream &stream : streams_)
        {
            watch(measured_.beforeTheChain(stream.kind), stream.joined, stream.sent, now);
            if (stream.kind != Kind::InputProof)
            {
                watch(measured_.beforeReadiness(stream.kind), stream.came, stream.checks, now);
            }
        }
    }

    void ask(double now, const Job &job, std::size_t number)
    {
        const Life &life = job.stream->lives[job.index];
        const bool post = now == life.came;
        polls_ += post ? 0 : 1;
        if (now >= life.ready)
        {
            lateness_.push_back(now - life.ready);
            learn(job, life.ready);
            return;
        }
        const Standing standing = standingAt(*job.stream, workload_, job.index, now);
        const auto seconds = static_cast<double>(secondsFor(job, standing, post, now));
        if (post)
        {
            const double took = life.ready - life.came;
            errors_.push_back(std::abs(seconds - took) / took);
        }
        promises_.told(job.id, {standing, millisOf(now), millisOf(seconds)});
        asks_.emplace(now + seconds, number);
    }

    std::uint64_t secondsFor(const Job &job, const Standing &standing, bool post, double now) const
    {
        switch (estimator_)
        {
            case Estimator::Nominal: return core::retryAfterSeconds(settings_, standing);
            case Estimator::Measured: return measured_.seconds(standing, job.id);
            case Estimator::Reference: break;
        }
        const std::size_t waiting = lengthAt(job.stream->came, job.stream->checks, now);
        return referenceSeconds(settings_, standing, waiting, post);
    }

    void learn(const Job &job, double ready)
    {
        if (const auto kept = promises_.fetched(job.id))
        {
            measured_.learn(kept->first.standing, millisOf(ready) - kept->first.at);
            if (kept->times > 1)
            {
                measured_.learn(kept->last.standing, millisOf(ready) - kept->last.at);
            }
        }
    }

    const Workload &workload_;
    const Estimator estimator_;
    const core::RetryAfterSettings settings_;
    core::MeasuredRetryAfter measured_;
    core::Promises promises_{100'000};
    std::array<Stream, core::kKinds> streams_;
    std::vector<Job> jobs_;
    std::priority_queue<Ask, std::vector<Ask>, std::greater<>> asks_;
    std::vector<double> errors_;
    std::vector<double> lateness_;
    std::size_t polls_ = 0;
};

double &timeNamed(Workload::Times &times, const std::string &name)
{
    if (name == "readiness")
    {
        return times.readiness;
    }
    if (name == "confirmation")
    {
        return times.confirmation;
    }
    const auto kind = core::parseKind(name);
    if (!kind)
    {
        throw std::runtime_error("no such step: " + name);
    }
    return times.processing.at(static_cast<std::size_t>(*kind));
}

void readLine(Workload &workload, const std::string &line)
{
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "nominal" || what == "real")
    {
        std::string step;
        words >> step;
        words >> timeNamed(what == "real" ? workload.real : workload.nominal, step);
    }
    else if (what == "phase")
    {
        Workload::Phase phase;
        words >> phase.requests >> phase.load;
        phase.load /= 100;
        workload.phases.push_back(phase);
    }
    else if (what == "sigma")
    {
        words >> workload.sigma;
    }
    else if (what == "seed" || what == "rate" || what == "concurrency")
    {
        words >> (what == "seed"   ? workload.seed
                  : what == "rate" ? workload.rate
                                   : workload.concurrency);
    }
    else
    {
        throw std::runtime_error("no such line: " + line);
    }
    if (!words)
    {
        throw std::runtime_error("not understood: " + line);
    }
}
}  // namespace

Workload committedWorkload()
{
    std::ifstream file(sourceDir() / "bench/retry_after_workload.txt");
    if (!file)
    {
        throw std::runtime_error("bench/retry_after_workload.txt can not be read");
    }
    Workload workload;
    for (std::string line; std::getline(file, line);)
    {
        if (!line.empty() && line.front() != '#')
        {
            readLine(workload, line);
        }
    }
    return workload;
}

Figures simulate(const Workload &workload, Estimator estimator)
{
    return World(workload, estimator).play();
}
}  // namespace relayer::test
