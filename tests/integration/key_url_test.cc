// Where the keys are: asked of a node, told from memory, kept while the node is away.
#include "chain/abi.h"
#include "chain/address.h"
#include "chain/hex.h"
#include "chain/key_views.h"
#include "chain/rpc/node.h"
#include "plugins/key_url_poller.h"
#include "support/await.h"
#include "support/devnet.h"
#include "support/eventually.h"
#include "support/fake_node.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

namespace relayer::test
{
namespace
{
using chain::abi::TupleWriter;
using plugins::KeyUrlPoller;
using plugins::KeyUrlReader;
using plugins::NoKeyUrl;

constexpr std::uint64_t kAnchor = 42;

core::Hash32 id(std::uint8_t number)
{
    core::Hash32 id{};
    id.front() = 4;
    id.back() = number;
    return id;
}

core::Address filledWith(std::uint8_t number)
{
    core::Address address{};
    address.fill(number);
    return address;
}
const core::Address kKmsGeneration = filledWith(0x6e);
const core::Address kProtocolConfig = filledWith(0x9c);

core::Bytes bytesOf(const std::string &text)
{
    return {text.begin(), text.end()};
}

// As the contract declares a node of the KMS.
TupleWriter kmsNode(const std::string &url, const std::string &prefix)
{
    TupleWriter node;
    node.address(filledWith(1)).address(filledWith(2)).bytes(bytesOf("10.0.0.1"));
    node.bytes(bytesOf(url)).number(1).bytes(bytesOf("party 1")).bytes(core::Bytes(70, 1));
    return node.bytes(bytesOf(prefix));
}

struct Storage
{
    std::string url = "https://keys.example//";
    std::string prefix = "PUB-p1";
};

core::Bytes newKmsContext(const std::vector<Storage> &nodes)
{
    TupleWriter list;
    for (const Storage &each : nodes)
    {
        list.tuple(kmsNode(each.url, each.prefix));
    }
    TupleWriter event;
    event.array(nodes.size(), list).number(3).number(3).number(3).number(1);
    return event.bytes(bytesOf("1.0")).array(0, TupleWriter()).finish();
}

// A host chain with the two contracts, as far as their views go.
class KeyChain
{
  public:
    explicit KeyChain(FakeNode *node)
    {
        node->on("eth_call", [this](const Json::Value &params) { return call(params); });
        node->on("eth_getLogs", [this](const Json::Value &) { return logs(); });
    }

    struct State
    {
        core::Hash32 key = id(1);
        core::Hash32 crs = id(2);
        core::Hash32 context = id(3);
        core::Hash32 epoch = id(4);
        std::uint64_t anchor = kAnchor;
        std::vector<Storage> nodes = {{}, {"https://other.example", "PUB-p2"}};
        core::Hash32 announced = id(3);
        bool keyIsThere = true;
        bool broken = false;
    };
    void set(const State &state)
    {
        const std::scoped_lock lock(mutex_);
        state_ = state;
    }

  private:
    FakeNode::Reply call(const Json::Value &params)
    {
        const std::scoped_lock lock(mutex_);
        if (state_.broken)
        {
            return FakeNode::error(-32000, "out of order");
        }
        EXPECT_EQ(params[1], "finalized");
        const std::string selector = params[0]["input"].asString().substr(0, 10);
        const auto known = answers();
        const auto found = known.find(selector);
        if (found == known.end() || (selector == "0x936608ae" && !state_.keyIsThere))
        {
            return FakeNode::error(3, "execution reverted", "\"0x\"");
        }
        return FakeNode::result("\"" + chain::toHexData(found->second) + "\"");
    }
    [[nodiscard]] std::map<std::string, core::Bytes> answers() const
    {
        return {{"0xd52f10eb", TupleWriter().word(state_.key).finish()},
                {"0xbaff211e", TupleWriter().word(state_.crs).finish()},
                {"0x65b394af", TupleWriter().word(state_.context).word(state_.epoch).finish()},
                {"0x936608ae", core::Bytes(64, 0)},
                {"0xc55b8724", core::Bytes(64, 0)},
                {"0xc999a8b4", TupleWriter().number(state_.anchor).word(id(9)).finish()}};
    }
    // All that it has, whatever the filter says.
    FakeNode::Reply logs()
    {
        const std::scoped_lock lock(mutex_);
        Json::Value list(Json::arrayValue);
        list.append(log(id(99), newKmsContext({{"https://old.example", "OLD"}})));
        list.append(log(state_.announced, newKmsContext(state_.nodes)));
        list.append(log(id(98), newKmsContext({{"https://new.example", "NEW"}})));
        return FakeNode::resultOf(list);
    }
    [[nodiscard]] static Json::Value log(const core::Hash32 &context, const core::Bytes &data)
    {
        Json::Value log;
        log["address"] = chain::toHexData(kProtocolConfig);
        log["topics"].append(chain::toHexData(chain::newKmsContextTopic()));
        log["topics"].append(chain::toHexData(context));
        log["topics"].append(chain::toHexData(core::Hash32{}));
        log["data"] = chain::toHexData(data);
        log["blockNumber"] = "0x2a";
        log["blockHash"] = chain::toHexData(id(7));
        log["transactionHash"] = chain::toHexData(id(8));
        log["logIndex"] = "0x0";
        log["removed"] = false;
        return log;
    }

    std::mutex mutex_;
    State state_;
};

class KeyUrl : public testing::Test
{
  protected:
    void SetUp() override { loop_.run(); }
    void TearDown() override
    {
        if (poller_)
        {
            onLoop([this] { poller_->stop(); });
            ASSERT_TRUE(poller_->ended(std::chrono::seconds(10)));
            onLoop([this] { poller_->letGo(); });
        }
        onLoop([this] { node_.reset(); });
    }
    void onLoop(std::function<void()> work)
    {
        std::promise<void> done;
        loop_.getLoop()->queueInLoop([&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }
    std::unique_ptr<KeyUrlReader> readerOf(const std::string &url,
                                           const KeyUrlReader::Contracts &contracts = {
                                               kKmsGeneration, kProtocolConfig})
    {
        chain::rpc::NodeOptions options;
        options.read = {{"host", url}};
        options.timeout = std::chrono::seconds(5);
        node_ = chain::rpc::connectNode(loop_.getLoop(), std::move(options));
        return std::make_unique<KeyUrlReader>(node_, contracts);
    }
    KeyUrlPoller &poll(const std::string &url)
    {
        KeyUrlPoller::Options options;
        options.interval = std::chrono::milliseconds(20);
        options.backOffFirst = std::chrono::milliseconds(5);
        poller_ = std::make_shared<KeyUrlPoller>(loop_.getLoop(), readerOf(url), options);
        onLoop([this] { poller_->start(); });
        return *poller_;
    }
    // A whole round later.
    void waitForAnotherRound()
    {
        const std::size_t calls = fake_.calls("eth_call");
        ASSERT_TRUE(fake_.waitForCalls("eth_call", calls + 12));
    }

    FakeNode fake_;
    KeyChain keys_{&fake_};
    trantor::EventLoopThread loop_;
    std::shared_ptr<chain::rpc::Node> node_;
    std::shared_ptr<KeyUrlPoller> poller_;
};

std::string answerWith(std::uint8_t key, std::uint8_t crs)
{
    const std::string keyId = core::toHex(id(key));
    const std::string crsId = core::toHex(id(crs));
    return R"({"status":"succeeded","response":{"fheKeyInfo":[{"fhePublicKey":{"dataId":"0x)" +
           keyId + R"(","urls":["https://keys.example/PUB-p1/PublicKey/)" + keyId +
           R"("]}}],"crs":{"2048":{"dataId":"0x)" + crsId +
           R"(","urls":["https://keys.example/PUB-p1/CRS/)" + crsId + R"("]}}}})";
}
}  // namespace

TEST_F(KeyUrl, TheFirstNodeOfTheContextsEventSaysWhereTheKeysAre)
{
    const auto reader = readerOf(fake_.url());
    const auto found = await(reader->read(std::nullopt)).value();
    EXPECT_EQ(wire::keyUrls(found.publicKey, found.crs), answerWith(1, 2));
    EXPECT_EQ(found.active, (KeyUrlReader::Active{id(1), id(2), id(3), id(4)}));
    const Json::Value filter = fake_.params("eth_getLogs").at(0)[0];
    EXPECT_EQ(filter["fromBlock"], "0x2a");
    EXPECT_EQ(filter["toBlock"], "0x2a");
}

TEST_F(KeyUrl, WhatHasNotChangedIsNotLocatedAgain)
{
    const auto reader = readerOf(fake_.url());
    const auto found = await(reader->read(std::nullopt)).value();
    const std::size_t calls = fake_.calls("eth_call");
    EXPECT_EQ(await(reader->read(found.active)), std::nullopt);
    EXPECT_EQ(fake_.calls("eth_call"), calls + 3);
    EXPECT_EQ(fake_.calls("eth_getLogs"), 1U);
    KeyChain::State state;
    state.epoch = id(5);
    keys_.set(state);
    EXPECT_NE(await(reader->read(found.active)), std::nullopt);
}

TEST_F(KeyUrl, WhatCanNotBeATruthIsNotTold)
{
    const auto reader = readerOf(fake_.url());
    const auto throwsFor = [&](auto change) {
        KeyChain::State state;
        change(state);
        keys_.set(state);
        EXPECT_THROW(await(reader->read(std::nullopt)), NoKeyUrl);
    };
    throwsFor([](auto &state) { state.anchor = 0; });
    throwsFor([](auto &state) { state.nodes.clear(); });
    throwsFor([](auto &state) { state.announced = id(77); });
    throwsFor([](auto &state) { state.nodes[0].url = ""; });
    throwsFor([](auto &state) { state.nodes[0].url = "https://a b"; });
    throwsFor([](auto &state) { state.nodes[0].url = "https://\xff"; });
    throwsFor([](auto &state) { state.nodes[0].prefix = "\n"; });
    KeyChain::State state;
    state.keyIsThere = false;
    keys_.set(state);
    EXPECT_THROW(await(reader->read(std::nullopt)), chain::rpc::RpcError);
}

TEST_F(KeyUrl, ThereIsNothingToTellUntilTheChainHasSaidIt)
{
    KeyChain::State broken;
    broken.broken = true;
    keys_.set(broken);
    KeyUrlPoller &poller = poll(fake_.url());
    ASSERT_TRUE(fake_.waitForCalls("eth_call", 3));
    EXPECT_FALSE(poller.told());
    EXPECT_FALSE(poller.healthy());
    keys_.set({});
    ASSERT_TRUE(fake_.waitForCalls("eth_getLogs", 1));
    waitForAnotherRound();
    EXPECT_EQ(poller.told()->body, answerWith(1, 2));
    EXPECT_TRUE(poller.healthy());
}

TEST_F(KeyUrl, WhatIsKnownIsKeptWhileTheChainIsAwayAndReplacedWhenItSaysSomethingElse)
{
    KeyUrlPoller &poller = poll(fake_.url());
    ASSERT_TRUE(fake_.waitForCalls("eth_getLogs", 1));
    waitForAnotherRound();
    ASSERT_EQ(poller.told()->body, answerWith(1, 2));
    KeyChain::State broken;
    broken.broken = true;
    keys_.set(broken);
    waitForAnotherRound();
    EXPECT_EQ(poller.told()->body, answerWith(1, 2));
    EXPECT_FALSE(poller.healthy()) << "it is known that it may be old";
    KeyChain::State other;
    other.key = id(11);
    keys_.set(other);
    ASSERT_TRUE(fake_.waitForCalls("eth_getLogs", 2));
    waitForAnotherRound();
    EXPECT_EQ(poller.told()->body, answerWith(11, 2));
    EXPECT_TRUE(poller.healthy());
}

TEST_F(KeyUrl, TheAgeCountsFromWhenTheChainLastSaidSo)
{
    auto clock = std::make_shared<std::atomic<int>>(100);
    KeyUrlPoller::Options options;
    options.interval = std::chrono::hours(1);
    options.now = [clock] {
        return KeyUrlPoller::Clock::time_point(std::chrono::milliseconds(clock->load() * 100));
    };
    poller_ = std::make_shared<KeyUrlPoller>(loop_.getLoop(), readerOf(fake_.url()), options);
    onLoop([this] { poller_->start(); });
    ASSERT_TRUE(fake_.waitForCalls("eth_getLogs", 1));
    ASSERT_TRUE(eventually([this] { return poller_->told().has_value(); }));
    EXPECT_EQ(poller_->told()->age, std::chrono::seconds(0));
    *clock = 149;
    EXPECT_EQ(poller_->told()->age, std::chrono::seconds(4));
}

TEST_F(KeyUrl, OfTheDevnetIsWhatItsContractsSay)
{
    if (const std::string why = Devnet::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    const Devnet devnet;
    const auto &host = devnet.chain("host-8009");
    const auto addressOf = [&host](const std::string &name) {
        return chain::parseAddress(host.contracts.at(name)).value();
    };
    const auto reader =
        readerOf(host.http, {addressOf("kmsGeneration"), addressOf("protocolConfig")});
    const auto found = await(reader->read(std::nullopt)).value();
    const std::string key = "04" + std::string(61, '0') + "1";
    EXPECT_EQ(core::toHex(found.publicKey.id), key);
    EXPECT_TRUE(found.publicKey.url.starts_with("http")) << found.publicKey.url;
    EXPECT_TRUE(found.publicKey.url.ends_with("/PublicKey/" + key)) << found.publicKey.url;
    EXPECT_TRUE(found.crs.url.ends_with("/CRS/05" + std::string(61, '0') + "1"));
    EXPECT_EQ(await(reader->read(found.active)), std::nullopt);
    devnet.write("host-8009", "kmsGeneration", "setActive",
                 {"0x04" + std::string(61, '0') + "2", "0x05" + std::string(61, '0') + "2"});
    devnet.mine(3, "host-8009");
    const auto next = await(reader->read(found.active)).value();
    EXPECT_TRUE(next.publicKey.url.ends_with("2")) << next.publicKey.url;
    EXPECT_TRUE(next.crs.url.ends_with("2"));
}
}  // namespace relayer::test
