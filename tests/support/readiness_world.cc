#include "support/readiness_world.h"

#include "chain/abi.h"
#include "chain/hex.h"
#include "support/await.h"
#include "support/eventually.h"
#include "support/test_database.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace relayer::test
{
namespace
{
using core::Kind;

core::Bytes inputOf(const Json::Value &params)
{
    return chain::fromHexData(params[0]["input"].asString()).value();
}

core::Hash32 hashAt(core::ByteView bytes, std::size_t at)
{
    core::Hash32 hash{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), hash.size(), hash.begin());
    return hash;
}

core::Bytes wordOf(bool value)
{
    core::Bytes word(chain::abi::kWord, 0);
    word.back() = value ? 1 : 0;
    return word;
}

FakeNode::Reply resultOf(core::ByteView bytes)
{
    return FakeNode::result('"' + chain::toHexData(bytes) + '"');
}

std::shared_ptr<chain::rpc::Node> nodeAt(trantor::EventLoop *loop, FakeNode &fake)
{
    chain::rpc::NodeOptions options;
    options.read = {{"fake", fake.url("/SECRETKEY")}};
    options.timeout = std::chrono::seconds(20);
    return chain::rpc::connectNode(loop, std::move(options));
}
}  // namespace

FakeAcl::FakeAcl()
{
    node_.on("eth_call", [this](const Json::Value &params) { return answer(params); });
}

void FakeAcl::deny(const core::Hash32 &handle)
{
    const std::lock_guard lock(mutex_);
    denied_.insert(handle);
}

void FakeAcl::takesAtMost(std::size_t questions)
{
    const std::lock_guard lock(mutex_);
    most_ = questions;
}

void FakeAcl::answersShort(bool yes)
{
    const std::lock_guard lock(mutex_);
    short_ = yes;
}

std::vector<std::size_t> FakeAcl::calls()
{
    const std::lock_guard lock(mutex_);
    return calls_;
}

FakeNode::Reply FakeAcl::answer(const Json::Value &params)
{
    const core::Bytes input = inputOf(params);
    chain::abi::Input arguments(core::ByteView(input).subspan(4));
    chain::abi::TupleReader tuple = arguments.tuple();
    const std::vector<core::Bytes> questions = chain::abi::bytesArray(tuple);
    const std::lock_guard lock(mutex_);
    calls_.push_back(questions.size());
    if (!arguments.good() || params[0].isMember("from") || questions.size() > most_)
    {
        return FakeNode::error(3, "execution reverted: geheim", "\"0xdeadbeef\"");
    }
    chain::abi::TupleWriter answers;
    const std::size_t count = questions.size() - (short_ && questions.size() > 1 ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i)
    {
        // A delegation names the handle last, all other questions first.
        const std::size_t at = questions[i].size() > 4 + 64 ? questions[i].size() - 32 : 4;
        answers.bytes(wordOf(!denied_.contains(hashAt(questions[i], at))));
    }
    return resultOf(chain::abi::TupleWriter().array(count, answers).finish());
}

FakeCiphertexts::FakeCiphertexts()
{
    node_.on("eth_call", [this](const Json::Value &params) { return answer(params); });
}

void FakeCiphertexts::hide(const core::Hash32 &handle, bool hidden)
{
    const std::lock_guard lock(mutex_);
    if (hidden)
    {
        hidden_.insert(handle);
    }
    else
    {
        hidden_.erase(handle);
    }
}

void FakeCiphertexts::hideAll(bool hidden)
{
    const std::lock_guard lock(mutex_);
    allHidden_ = hidden;
}

void FakeCiphertexts::script(Script script)
{
    const std::lock_guard lock(mutex_);
    script_ = std::move(script);
}

std::size_t FakeCiphertexts::asked(const core::Hash32 &handle)
{
    const std::lock_guard lock(mutex_);
    return asked_[handle];
}

FakeNode::Reply FakeCiphertexts::says(bool ready)
{
    return resultOf(wordOf(ready));
}

FakeNode::Reply FakeCiphertexts::answer(const Json::Value &params)
{
    const core::Bytes input = inputOf(params);
    // Both functions have the list first: its offset, the other argument's, the length, and then
    // the first handle.
    const core::Hash32 first = hashAt(input, 4 + 3 * chain::abi::kWord);
    Script script;
    std::size_t nth = 0;
    bool ready = false;
    {
        const std::lock_guard lock(mutex_);
        nth = ++asked_[first];
        script = script_;
        ready = !allHidden_ && !hidden_.contains(first);
    }
    const auto scripted = script ? script(first, nth) : std::nullopt;
    return scripted ? *scripted : says(ready);
}

core::Hash32 handleOf(std::uint64_t number, std::uint64_t chain)
{
    core::Hash32 handle{};
    for (std::size_t i = 0; i < 8; ++i)
    {
        handle[7 - i] = static_cast<std::uint8_t>(number >> (8 * i));
        handle[29 - i] = static_cast<std::uint8_t>(chain >> (8 * i));
    }
    return handle;
}

models::NewRequest publicDecryptOf(const std::vector<core::Hash32> &handles, std::uint64_t job)
{
    const core::PublicDecrypt decrypt{handles, {0}};
    models::NewRequest request;
    request.kind = Kind::PublicDecrypt;
    request.jobId = jobId(job);
    request.contentHash = core::contentHash(decrypt);
    request.payload = core::encodePayload(decrypt);
    return request;
}

plugins::ReadinessOptions impatientChecks()
{
    plugins::ReadinessOptions options;
    options.hostAcl = {3, std::chrono::milliseconds(20), 100};
    options.gwCiphertext = {5, std::chrono::milliseconds(20), 100};
    return options;
}

ReadinessWorld::ReadinessWorld(const TestDatabase &database, FakeAcl &acl,
                               FakeCiphertexts &ciphertexts, ReadinessWorldOptions options,
                               FakeAcl *otherChain)
    : database_(database), store_(database), loop_(std::make_unique<plugins::OwnLoop>("readiness"))
{
    plugins::TxQueues::Clock still;
    still.now = [] { return plugins::TxQueues::Time(0); };
    still.after = [](plugins::TxQueues::Time, const std::function<void()> &) {};
    queues_ = std::make_shared<plugins::TxQueues>(
        plugins::TxQueues::Limits{options.before, options.before, options.before},
        std::move(still));
    plugins::ReadinessLines::Limits limits;
    for (std::size_t i = 0; i < limits.size(); ++i)
    {
        const std::size_t capacity = options.checks.capacity.at(i);
        limits.at(i) = {capacity, capacity};
    }
    lines_ = std::make_shared<plugins::ReadinessLines>(limits);
    plugins::ReadinessRun::Surroundings surroundings;
    surroundings.loop = loop_->get();
    surroundings.requests = [this]() -> models::RequestStore & { return *store_; };
    surroundings.claimer = [claimer = options.claimer] { return claimer; };
    surroundings.queues = queues_;
    surroundings.lines = lines_;
    surroundings.gateway = nodeAt(loop_->get(), ciphertexts.node());
    core::Address contract{};
    contract.fill(0xac);
    surroundings.hostChains[kHostChain] = {kHostChain, contract, nodeAt(loop_->get(), acl.node())};
    if (otherChain != nullptr)
    {
        surroundings.hostChains[kOtherChain] = {kOtherChain, contract,
                                                nodeAt(loop_->get(), otherChain->node())};
    }
    surroundings.options = options.checks;
    surroundings.look = std::chrono::milliseconds(50);
    run_ = plugins::ReadinessRun::create(std::move(surroundings));
}

ReadinessWorld::~ReadinessWorld()
{
    stop();
    loop_->run([this] { run_.reset(); });
}

void ReadinessWorld::stop()
{
    loop_->run([this] { run_->stop(); });
    if (!run_->ended(std::chrono::seconds(30)))
    {
        std::abort();
    }
}

plugins::ReadinessChecks::Counts ReadinessWorld::counts()
{
    plugins::ReadinessChecks::Counts counts;
    loop_->run([&] { counts = run_->counts(); });
    return counts;
}

models::Admission ReadinessWorld::takeIn(models::NewRequest request)
{
    auto place = lines_->reserve(request.kind, plugins::ReadinessLines::Place::New);
    if (!place)
    {
        throw std::runtime_error("the line is full");
    }
    const models::Admission admission = await(store_->admit(std::move(request)));
    lines_->accept(std::move(*place), admission.ticket);
    return admission;
}

bool ReadinessWorld::becomes(const std::string &where, std::size_t count, Milliseconds atMost)
{
    const std::string query = "SELECT count(*) FROM request WHERE " + where;
    return eventually([&] { return database_.value(query) == std::to_string(count); }, atMost);
}

std::string ReadinessWorld::endOf(const models::Admission &admission)
{
    return database_.value(
        "SELECT concat_ws(' | ', status, error_code, error_detail) FROM request WHERE id = " +
        std::to_string(admission.id));
}
}  // namespace relayer::test
