// Transactions per second with one lane, beside a bare loop that makes the same calls to the same
// node: what durability costs. Ours is timed from the first claim of rows that wait in the database
// until the last of them has its receipt there; the loop's from its first estimate to its last
// receipt.
//
// Each round runs both, in turn and each first every other time, so that a slow minute of the
// machine hits both; the ratio is the median over the rounds.
//
// The target is 0.8. A line that is below says so; what fails is a ratio that is further below than
// a busy machine explains. In front of a fake node that mines at once nothing waits for anything
// but the processor, which node, engine and PostgreSQL share: that line shows what a request costs
// in work, is below the target, and has a floor of its own (docs/decisions.md, 46).
#include "bench/bare_loop.h"
#include "bench/measure.h"
#include "chain/address.h"
#include "chain/gateway.h"
#include "chain/private_key_signer.h"
#include "core/input_proof.h"
#include "plugins/claim_floor.h"
#include "support/devnet.h"
#include "support/lying_chain.h"
#include "support/tx_testing.h"

#include <trantor/utils/Logger.h>

#include <stop_token>
#include <thread>

namespace
{
using namespace relayer;
using bench::BareLoop;
using bench::Clock;

constexpr double kTarget = 0.8;
constexpr std::size_t kRounds = 5;
// As TxEngine pulls.
constexpr std::size_t kRowsPerClaim = 64;
constexpr std::chrono::minutes kPatience{3};
constexpr core::Kind kKind = core::Kind::InputProof;

struct Place
{
    std::string name;
    double target = kTarget;
    double floor = 0.65;
    std::string url;
    std::string ourKey;
    std::string otherKey;
    chain::GatewayContracts contracts;
};

plugins::TxOptions optionsFor(const Place &place, std::size_t window)
{
    plugins::TxOptions options;
    options.chainId = 654321;
    options.contracts = place.contracts;
    options.maxInFlight = window;
    options.maxFeePerGas = chain::Uint256(500) * 1'000'000'000;
    return options;
}

// The pipeline as TxEngine drives it, without its limit of so many a second.
class Engine
{
  public:
    Engine(const test::TestDatabase &database, const Place &place, std::size_t window)
        : running_(database, pipelineOptions(place, window))
    {
        if (!running_.becomes([](const auto &snapshot) { return snapshot.held; }))
        {
            throw std::runtime_error("the lane is not held");
        }
    }

    double run(std::uint64_t seed, std::size_t count)
    {
        test::admitReady(running_.store(), kKind, count, seed);
        std::promise<void> done;
        const auto start = Clock::now();
        running_.context()->loop->queueInLoop([&] {
            done_ = &done;
            missing_ = count;
            unclaimed_ = count;
            wake();
        });
        if (done.get_future().wait_for(kPatience) != std::future_status::ready)
        {
            throw std::runtime_error("some requests got no receipt");
        }
        const double seconds = bench::secondsSince(start);
        if (!running_.becomes([](const auto &snapshot) { return snapshot.open == 0; }))
        {
            throw std::runtime_error("some attempts stay open");
        }
        return seconds;
    }

  private:
    test::PipelineOptions pipelineOptions(const Place &place, std::size_t window)
    {
        test::PipelineOptions options;
        options.nodeUrl = place.url;
        options.key = place.ourKey;
        options.tx = optionsFor(place, window);
        options.timeout = std::chrono::seconds(20);
        options.syncTimeout = std::chrono::seconds(40);
        options.events.room = [this] { wake(); };
        options.events.receiptStored = [this](auto, const auto &) {
            if (--missing_ == 0)
            {
                done_->set_value();
            }
        };
        return options;
    }

    void wake()
    {
        again_ = true;
        if (!pulling_ && unclaimed_ > 0)
        {
            pull(this);
        }
    }

    static drogon::AsyncTask pull(Engine *self)
    {
        self->pulling_ = true;
        const auto context = self->running_.context();
        do
        {
            self->again_ = false;
            const std::size_t atMost = std::min(kRowsPerClaim, self->running_.pipeline().room());
            if (atMost == 0 || self->unclaimed_ == 0)
            {
                break;
            }
            const auto start = self->floor_.next(Clock::now());
            const std::vector<models::RequestRow> rows = co_await plugins::resumedOn(
                context->loop, context->requests().claim(kKind, core::Status::Processing,
                                                         *context->claimer(), atMost, start.after));
            self->unclaimed_ -= std::min(self->unclaimed_, rows.size());
            if (!rows.empty())
            {
                self->floor_.claimed(rows.back().getValueOfTicket(), Clock::now());
            }
            self->running_.pipeline().take(rows);
            self->again_ = self->floor_.mayBeMore(start, atMost, rows.size()) || self->again_;
        }
        while (self->again_);
        self->pulling_ = false;
    }

    // on the loop
    std::promise<void> *done_ = nullptr;
    std::size_t missing_ = 0;
    std::size_t unclaimed_ = 0;
    plugins::ClaimFloor floor_;
    bool pulling_ = false;
    bool again_ = false;
    test::RunningPipeline running_;  // last: its loop uses all of the above
};

std::vector<bench::GatewayCall> callsOf(const Place &place, std::uint64_t seed, std::size_t count)
{
    std::vector<bench::GatewayCall> calls;
    for (std::size_t i = 0; i < count; ++i)
    {
        const auto proof = core::decodeInputProof(test::requestOf(kKind, seed + i).payload);
        calls.push_back({place.contracts.inputVerification, chain::calldata(proof.value())});
    }
    return calls;
}

bool compare(const Place &place, std::size_t window, std::size_t count)
{
    const test::TestDatabase database;
    Engine engine(database, place, window);
    chain::rpc::NodeOptions node;
    node.read = {{"bare", place.url}};
    node.timeout = std::chrono::seconds(20);
    node.syncSends = window;
    const auto key = chain::parsePrivateKey(place.otherKey);
    BareLoop loop(node, chain::signerWithKey(key.value()), optionsFor(place, window), window);

    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratios;
    std::uint64_t seed = 1;
    // The first round warms up, and is not counted.
    for (std::size_t round = 0; round <= kRounds; ++round)
    {
        const std::size_t size = round == 0 ? std::max(window, count / 4) : count;
        double mine = 0;
        double bare = 0;
        for (const bool first : {true, false})
        {
            const bool bareNow = first == (round % 2 == 0);
            (bareNow ? bare : mine) =
                bareNow ? loop.run(callsOf(place, seed, size)) : engine.run(seed, size);
        }
        seed += size;
        if (round > 0)
        {
            ours.push_back(static_cast<double>(size) / mine);
            theirs.push_back(static_cast<double>(size) / bare);
            ratios.push_back(bare / mine);
        }
    }
    const std::string stored =
        database.value("SELECT count(*) FROM request WHERE status = 'receipt_received'");
    if (stored != std::to_string(seed - 1))
    {
        throw std::runtime_error("only " + stored + " receipts are stored");
    }
    const double ratio = bench::median(ratios);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf(
        "%-22s window %3zu: %6.0f/s   bare loop %6.0f/s   ratio %.2f (%.2f to %.2f, at "
        "least %.2f)%s\n",
        place.name.c_str(), window, bench::median(ours), bench::median(theirs), ratio, *least,
        *most, place.target, ratio >= place.target ? "" : "  BELOW");
    std::fflush(stdout);
    bench::record({"The lane", place.name + ", window " + std::to_string(window),
                   bench::median(ours), "transactions/s", "a bare loop", bench::median(theirs),
                   ratio, bench::atLeast(place.target)});
    return ratio >= place.floor;
}

// A block each 0.25 s, or one for each transaction.
bool onFakeNode(bool atOnce, std::size_t window, std::size_t count)
{
    test::LyingChain chain;
    chain.mineAtOnce(atOnce);
    const std::jthread miner([&chain, atOnce](const std::stop_token &stop) {
        while (!atOnce && !stop.stop_requested())
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(250));
            chain.mineBlock();
        }
    });
    Place place;
    place.name = atOnce ? "fake node, at once" : "fake node, each 0.25 s";
    place.floor = atOnce ? 0.3 : place.floor;
    place.url = chain.node().url();
    place.ourKey = std::string(63, '0') + "1";
    place.otherKey = std::string(63, '0') + "2";
    place.contracts = chain.options().contracts;
    return compare(place, window, count);
}

bool onAnvil(const char *name, std::vector<std::string> arguments, double floor, std::size_t window,
             std::size_t count)
{
    test::DevnetOptions options;
    options.arguments = std::move(arguments);
    const test::Devnet devnet(std::move(options));
    // Nobody answers: it is the way there that is measured.
    Json::Value silence;
    for (const core::Kind kind : core::kAllKinds)
    {
        silence[std::string(core::name(kind))] = "all";
    }
    devnet.turn({{"silence", silence}});
    Place place;
    place.name = name;
    place.floor = floor;
    place.url = devnet.gateway().http;
    place.ourKey = devnet.relayerKey(0);
    place.otherKey = devnet.relayerKey(1);
    const auto &contracts = devnet.gateway().contracts;
    place.contracts.decryption = chain::parseAddress(contracts.at("decryption")).value();
    place.contracts.inputVerification =
        chain::parseAddress(contracts.at("inputVerification")).value();
    return compare(place, window, count);
}

// One part only: fake, blocks, instant or quiet.
int run(const std::string &only)
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    {
        const test::TestDatabase database;
        std::cout << "fsync " << database.value("SHOW fsync") << ", synchronous_commit "
                  << database.value("SHOW synchronous_commit") << ", PostgreSQL "
                  << database.value("SHOW server_version") << ", " << kRounds
                  << " rounds, in turn\n";
    }
    bool good = true;
    const auto wanted = [&](const char *part) { return only.empty() || only == part; };
    for (const std::size_t window : {std::size_t{64}, std::size_t{256}})
    {
        good = (!wanted("fake") || onFakeNode(true, window, 1500)) && good;
        good = (!wanted("blocks") || onFakeNode(false, window, 6 * window)) && good;
    }
    if (const std::string why = test::Devnet::whyMissing(); !why.empty())
    {
        std::cout << "not against anvil: " << why << "\n";
        return good ? 0 : 1;
    }
    good = (!wanted("instant") || onAnvil("anvil, at once", {"--instant"}, 0.4, 64, 600)) && good;
    good =
        (!wanted("quiet") || onAnvil("anvil, each 0.25 s", {"--quiet", "0.25"}, 0.65, 64, 400)) &&
        good;
    return good ? 0 : 1;
}
}  // namespace

int main(int argc, char **argv)
{
    return relayer::bench::exitCodeOf([&] { return run(argc > 1 ? argv[1] : ""); });
}
