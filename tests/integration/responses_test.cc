// What answers do to requests, in whatever order, number and state of the world they come.
#include "core/decrypt.h"
#include "core/public_decrypt_result.h"
#include "integration/listener_chain.h"
#include "integration/listener_harness.h"
#include "plugins/own_loop.h"
#include "plugins/responses_handler.h"
#include "support/await.h"
#include "wire/input_proof_result.h"

#include <gtest/gtest.h>

#include <future>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Status;
using plugins::ResponseHandler;
using std::chrono::milliseconds;

core::Bytes contextExtra(std::uint8_t context)
{
    core::Bytes extra(33, 0);
    extra[0] = 1;
    extra[1] = 0x07;
    extra[32] = context;
    return extra;
}

class ResponsesOf : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        inbox_ = std::make_unique<models::InboxStore>(store_->writer(), store_->writer());
        openAttempts(*database_);
    }

    void TearDown() override
    {
        stop();
        inbox_.reset();
        store_.reset();
    }

    void start()
    {
        std::promise<void> started;
        loop_.get()->runInLoop([&] {
            ResponseHandler::Context context;
            context.loop = loop_.get();
            context.inbox = [this]() -> models::InboxStore & { return *inbox_; };
            context.requests = [this]() -> models::RequestStore & { return **store_; };
            context.contracts = testContracts();
            chain::rpc::NodeOptions node;
            node.read.push_back({"host", host_.url()});
            node.timeout = milliseconds(2000);
            plugins::ThresholdOptions thresholds;
            thresholds.current = 2;
            thresholds.backOffFirst = milliseconds(20);
            thresholds.backOffMost = milliseconds(50);
            context.thresholds = std::make_shared<plugins::ThresholdResolver>(
                loop_.get(), chain::rpc::connectNode(loop_.get(), std::move(node)), thresholds);
            context.requestMined = [this](models::TxHash) { ++mined_; };
            plugins::ResponseOptions options;
            options.tick = milliseconds(20);
            options.page = page_;
            handler_ = std::make_shared<ResponseHandler>(std::move(context), options);
            handler_->start();
            started.set_value();
        });
        started.get_future().wait();
    }

    void stop()
    {
        if (!handler_)
        {
            return;
        }
        std::promise<void> stopped;
        loop_.get()->runInLoop([&] {
            handler_->stop();
            stopped.set_value();
        });
        stopped.get_future().wait();
        ASSERT_TRUE(handler_->ended(std::chrono::seconds(30)));
        std::promise<void> dropped;
        loop_.get()->runInLoop([&] {
            handler_.reset();
            dropped.set_value();
        });
        dropped.get_future().wait();
    }

    // As the listener stores it; another block each time.
    void happen(const ChainEvent &event)
    {
        chain::Log log;
        log.address = event.address;
        log.topics = event.topics;
        const auto identity = chain::identify(log, testContracts());
        ASSERT_TRUE(identity);
        models::InboxEvent stored;
        stored.kind = identity->kind;
        stored.gatewayId = identity->gatewayId;
        stored.request = identity->request;
        stored.blockNumber = static_cast<std::int64_t>(++blocks_);
        stored.blockHash = hash32(blocks_, 0xB7);
        stored.txHash = event.txHash.value_or(hash32(blocks_, 0x7B));
        stored.address = event.address;
        stored.topics = event.topics;
        stored.data = event.data;
        std::vector<models::InboxEvent> events{stored};
        await(inbox_->deliver(events, std::nullopt, milliseconds(600'000)));
        if (handler_)
        {
            handler_->wake();
        }
    }

    [[nodiscard]] Placed request(Kind kind, Status status = Status::ReceiptReceived,
                                 std::optional<int> threshold = std::nullopt)
    {
        return place(*database_,
                     {.kind = kind, .status = status, .threshold = threshold, .referred = true});
    }
    [[nodiscard]] std::string of(const Placed &placed, const std::string &column)
    {
        return database_->value("SELECT " + column +
                                " FROM request WHERE id = " + std::to_string(placed.id));
    }
    [[nodiscard]] bool becomes(const Placed &placed, const std::string &status)
    {
        return eventually([&] { return of(placed, "status") == status; });
    }
    [[nodiscard]] std::string unhandled()
    {
        return database_->value("SELECT count(*) FROM gateway_event WHERE handled_at IS NULL");
    }
    [[nodiscard]] bool allHandled()
    {
        return eventually([&] { return unhandled() == "0"; });
    }
    [[nodiscard]] core::Bytes answerOf(const Placed &placed)
    {
        return core::fromHex(database_->value("SELECT encode(result, 'hex') FROM gateway_answer "
                                              "WHERE gateway_id = " +
                                              hexLiteral(placed.gatewayId)))
            .value();
    }
    [[nodiscard]] std::string sharesOf(const Placed &placed)
    {
        return database_->value("SELECT count(*) FROM kms_share WHERE gateway_id = " +
                                hexLiteral(placed.gatewayId));
    }
    // As RequestStore::markReceiptReceived leaves it, for a request that was placed unreferred.
    void giveReceipt(const Placed &placed)
    {
        const auto outcome = await((*store_)->markReceiptReceived(
            placed.id, std::nullopt, hash32(static_cast<std::uint64_t>(placed.id), 0x7A),
            placed.gatewayId, *core::parseKind(of(placed, "kind"))));
        ASSERT_EQ(outcome.outcome, models::StepOutcome::Won);
    }

    // As LaneStore::commit leaves it.
    void signedFor(const Placed &placed, const core::Hash32 &txHash)
    {
        const std::string id = std::to_string(placed.id);
        database_->query("INSERT INTO tx_attempt (lane, nonce, request_id) VALUES ('main', " + id +
                         ", " + id + ")");
        database_->query(
            "INSERT INTO tx_version (attempt_id, hash, raw, max_fee_per_gas, "
            "max_priority_fee_per_gas, gas_limit) SELECT id, " +
            hexLiteral(txHash) + ", '\\x00', 1, 1, 1 FROM tx_attempt WHERE request_id = " + id);
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::unique_ptr<models::InboxStore> inbox_;
    FakeNode host_;
    plugins::OwnLoop loop_{"responses"};
    std::shared_ptr<ResponseHandler> handler_;
    std::atomic<int> mined_{0};
    std::size_t page_ = 256;
    std::uint64_t blocks_ = 0;
};

using Responses = ResponsesOf;

constexpr const char *kTwo =
    R"("0x0000000000000000000000000000000000000000000000000000000000000002")";
constexpr const char *kThree =
    R"("0x0000000000000000000000000000000000000000000000000000000000000003")";
}  // namespace

TEST_F(Responses, CompleteAProofThatWasAccepted)
{
    start();
    const Placed proof = request(Kind::InputProof);
    happen(proofAccepted(proof.gatewayId, {hash32(1), hash32(2)}));
    ASSERT_TRUE(becomes(proof, "completed"));
    EXPECT_EQ(of(proof, "accepted"), "t");
    const auto result = wire::decodeInputProofResult(answerOf(proof));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->handles, (std::vector<core::Hash32>{hash32(1), hash32(2)}));
    EXPECT_EQ(result->signatures, (std::vector<core::Bytes>{core::Bytes(65, 0x51)}));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(handler_->counts().ended, 1U);
}

TEST_F(Responses, FailAProofThatWasRejected)
{
    start();
    const Placed proof = request(Kind::InputProof);
    happen(proofRejected(proof.gatewayId));
    ASSERT_TRUE(becomes(proof, "failure"));
    EXPECT_EQ(of(proof, "accepted"), "f");
    EXPECT_EQ(of(proof, "error_code"), "proof_rejected");
}

TEST_F(Responses, CompleteAPublicDecryption)
{
    start();
    const Placed decrypt = request(Kind::PublicDecrypt);
    happen(publicDecrypted(decrypt.gatewayId, core::Bytes(32, 0x0D)));
    ASSERT_TRUE(becomes(decrypt, "completed"));
    const auto result = core::decodePublicDecryptResult(answerOf(decrypt));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->decrypted, core::Bytes(32, 0x0D));
    EXPECT_EQ(result->signatures, (std::vector<core::Bytes>{core::Bytes(65, 0x52)}));
    EXPECT_EQ(result->extraData, (core::Bytes{0x00}));
}

TEST_F(Responses, CompleteAUserDecryptionWithItsLastShare)
{
    start();
    const Placed decrypt = request(Kind::UserDecrypt);
    happen(shareArrived(decrypt.gatewayId, 0));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(of(decrypt, "status"), "receipt_received") << "one of two";
    EXPECT_EQ(of(decrypt, "resolved_threshold"), "2");
    happen(shareArrived(decrypt.gatewayId, 1));
    happen(thresholdReached(decrypt.gatewayId));
    ASSERT_TRUE(becomes(decrypt, "completed"));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(handler_->counts().ended, 1U);
}

TEST_F(Responses, TakeDuplicatesAndSurplusSharesWithoutHarm)
{
    const Placed decrypt = request(Kind::UserDecrypt);
    for (std::uint64_t i = 0; i < 13; ++i)
    {
        happen(shareArrived(decrypt.gatewayId, i));
        happen(shareArrived(decrypt.gatewayId, i));
    }
    start();
    ASSERT_TRUE(becomes(decrypt, "completed"));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(sharesOf(decrypt), "13");
    const std::string endedAt = of(decrypt, "status_at");
    happen(shareArrived(decrypt.gatewayId, 14));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(of(decrypt, "status_at"), endedAt) << "it ends once";
    EXPECT_EQ(handler_->counts().ended, 1U);
}

TEST_F(Responses, WaitForTheReceiptAndThenEndTheRequest)
{
    start();
    const Placed proof =
        place(*database_, {.kind = Kind::InputProof, .status = Status::TxInFlight});
    const Placed decrypt =
        place(*database_, {.kind = Kind::UserDecrypt, .status = Status::TxInFlight});
    happen(proofAccepted(proof.gatewayId, {hash32(1)}));
    for (std::uint64_t i = 0; i < 3; ++i)
    {
        happen(shareArrived(decrypt.gatewayId, i));
    }
    EXPECT_EQ(unhandled(), "4") << "nobody knows whose they are";
    giveReceipt(proof);
    giveReceipt(decrypt);
    handler_->wake();
    ASSERT_TRUE(becomes(proof, "completed"));
    ASSERT_TRUE(becomes(decrypt, "completed"));
    ASSERT_TRUE(allHandled());
}

TEST_F(Responses, ChangeNothingOfARequestThatHasEnded)
{
    start();
    const Placed late = request(Kind::InputProof, Status::TimedOut);
    const Placed failed = request(Kind::UserDecrypt, Status::Failure);
    happen(proofAccepted(late.gatewayId, {hash32(1)}));
    for (std::uint64_t i = 0; i < 5; ++i)
    {
        happen(shareArrived(failed.gatewayId, i));
    }
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(of(late, "status"), "timed_out");
    EXPECT_EQ(of(failed, "status"), "failure");
    EXPECT_EQ(of(failed, "resolved_threshold"), "NULL");
    EXPECT_EQ(handler_->counts().ended, 0U);
}

TEST_F(Responses, TakeTheThresholdOfTheContextThatTheShareNames)
{
    host_.answer("eth_call", kThree);
    start();
    const Placed decrypt = request(Kind::UserDecrypt);
    happen(shareArrived(decrypt.gatewayId, 0, contextExtra(9)));
    happen(shareArrived(decrypt.gatewayId, 1, contextExtra(9)));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(of(decrypt, "resolved_threshold"), "3");
    EXPECT_EQ(of(decrypt, "status"), "receipt_received");
    happen(shareArrived(decrypt.gatewayId, 2, contextExtra(9)));
    ASSERT_TRUE(becomes(decrypt, "completed"));
    // Another request of the same context is served from what is known.
    const Placed second = request(Kind::UserDecrypt);
    for (std::uint64_t i = 0; i < 3; ++i)
    {
        happen(shareArrived(second.gatewayId, i, contextExtra(9)));
    }
    ASSERT_TRUE(becomes(second, "completed"));
    EXPECT_EQ(host_.calls("eth_call"), 1U);
}

TEST_F(Responses, AskForTheThresholdAnewWhenItsTimeToLiveIsOver)
{
    using plugins::ThresholdResolver;
    auto now = ThresholdResolver::Clock::now();
    plugins::ThresholdOptions options;
    options.timeToLive = std::chrono::minutes(5);
    std::shared_ptr<ThresholdResolver> resolver;
    loop_.run([&] {
        chain::rpc::NodeOptions node;
        node.read.push_back({"host", host_.url()});
        resolver = std::make_shared<ThresholdResolver>(
            loop_.get(), chain::rpc::connectNode(loop_.get(), std::move(node)), options,
            [&now] { return now; });
    });
    const auto resolved = [&] { return awaitOn(loop_.get(), resolver->resolve(hash32(9))); };
    host_.answer("eth_call", kThree);
    EXPECT_EQ(resolved(), 3);
    host_.answer("eth_call", kTwo);
    now += options.timeToLive - milliseconds(1);
    EXPECT_EQ(resolved(), 3);
    EXPECT_EQ(host_.calls("eth_call"), 1U);
    now += milliseconds(1);
    EXPECT_EQ(resolved(), 2);
    EXPECT_EQ(host_.calls("eth_call"), 2U);
    loop_.run([&] { resolver.reset(); });
}

TEST_F(Responses, KeepSharesWhileTheirThresholdCanNotBeHad)
{
    host_.refuseConnections(true);
    page_ = 4;
    start();
    const Placed decrypt = request(Kind::UserDecrypt);
    for (std::uint64_t i = 0; i < 6; ++i)
    {
        happen(shareArrived(decrypt.gatewayId, i, contextExtra(9)));
    }
    ASSERT_TRUE(eventually([&] { return sharesOf(decrypt) == "6"; })) << "kept all the same";
    // What does not wait for the host chain goes on, behind those that do.
    const Placed proof = request(Kind::InputProof);
    happen(proofAccepted(proof.gatewayId, {hash32(1)}));
    const Placed current = request(Kind::UserDecrypt);
    happen(shareArrived(current.gatewayId, 0));
    happen(shareArrived(current.gatewayId, 1));
    ASSERT_TRUE(becomes(proof, "completed"));
    ASSERT_TRUE(becomes(current, "completed"));
    EXPECT_EQ(of(decrypt, "status"), "receipt_received");
    EXPECT_TRUE(eventually([&] { return unhandled() == "6"; }));
    host_.answer("eth_call", kTwo);
    host_.refuseConnections(false);
    ASSERT_TRUE(becomes(decrypt, "completed"));
    ASSERT_TRUE(allHandled());
    ASSERT_TRUE(eventually([&] { return handler_->counts().waiting == 0; }));
}

TEST_F(Responses, DoNotBelieveAThresholdOfZero)
{
    host_.answer("eth_call", R"("0x)" + std::string(64, '0') + R"(")");
    start();
    const Placed decrypt = request(Kind::UserDecrypt);
    happen(shareArrived(decrypt.gatewayId, 0, contextExtra(9)));
    ASSERT_TRUE(eventually([&] { return host_.calls("eth_call") >= 2; }));
    EXPECT_EQ(of(decrypt, "resolved_threshold"), "NULL");
    EXPECT_EQ(of(decrypt, "status"), "receipt_received");
}

TEST_F(Responses, AskTheRequestForItsContextWhenAShareNamesNoneWeKnow)
{
    host_.answer("eth_call", kTwo);
    start();
    core::DirectUserDecrypt asked;
    asked.extraData = contextExtra(9);
    const Placed decrypt = request(Kind::UserDecrypt);
    database_->query("UPDATE request SET payload = decode('" +
                     core::toHex(core::encodePayload(core::UserDecrypt(asked))) +
                     "', 'hex') WHERE id = " + std::to_string(decrypt.id));
    happen(shareArrived(decrypt.gatewayId, 0, {0x05, 0x01}));
    happen(shareArrived(decrypt.gatewayId, 1, {0x05, 0x01}));
    ASSERT_TRUE(becomes(decrypt, "completed"));
    EXPECT_EQ(host_.calls("eth_call"), 1U);
}

TEST_F(Responses, EndWhatABringerLeftBetweenKeepingAndEnding)
{
    const Placed proof = request(Kind::InputProof);
    database_->query(
        "INSERT INTO gateway_answer (kind, gateway_id, accepted, result) VALUES "
        "('input_proof', " +
        hexLiteral(proof.gatewayId) + ", true, '\\x01')");
    start();
    ASSERT_TRUE(becomes(proof, "completed"));
    ASSERT_TRUE(eventually([&] { return handler_->counts().settled == 1U; }));
}

TEST_F(Responses, TellOfATransactionThatWasMinedBeforeItsReceiptCame)
{
    start();
    const Placed proof =
        place(*database_, {.kind = Kind::InputProof, .status = Status::TxInFlight});
    signedFor(proof, hash32(5, 0x7A));
    happen(proofRequested(proof.gatewayId, hash32(5, 0x7A)));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(mined_, 1);
    EXPECT_EQ(of(proof, "status"), "tx_in_flight") << "the receipt decides";
}

TEST_F(Responses, FollowARequestToTheIdThatAReorgGaveIt)
{
    start();
    const Placed proof =
        place(*database_, {.kind = Kind::InputProof, .status = Status::TxInFlight});
    const core::Hash32 tx = hash32(static_cast<std::uint64_t>(proof.id), 0x7A);
    signedFor(proof, tx);
    giveReceipt(proof);
    happen(proofRequested(proof.gatewayId, tx));
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(handler_->counts().replaced, 0U) << "the same again";
    const core::Hash32 other = hash32(77, 0x6B);
    happen(proofRequested(other, tx));
    ASSERT_TRUE(eventually([&] { return handler_->counts().replaced == 1U; }));
    EXPECT_EQ(of(proof, "encode(gateway_id, 'hex')"), core::toHex(other));
    happen(proofAccepted(proof.gatewayId, {hash32(1)}));
    happen(proofAccepted(other, {hash32(2)}));
    ASSERT_TRUE(becomes(proof, "completed"));
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE status = 'completed'"), "1");
}

TEST_F(Responses, HandleAgainWhatWasNotMarked)
{
    const Placed proof = request(Kind::InputProof);
    const Placed decrypt = request(Kind::UserDecrypt);
    happen(proofAccepted(proof.gatewayId, {hash32(1)}));
    happen(shareArrived(decrypt.gatewayId, 0));
    happen(shareArrived(decrypt.gatewayId, 1));
    start();
    ASSERT_TRUE(becomes(proof, "completed"));
    ASSERT_TRUE(becomes(decrypt, "completed"));
    ASSERT_TRUE(allHandled());
    stop();
    // As if the process had died before it could mark them.
    const std::string proofAt = of(proof, "status_at");
    const std::string decryptAt = of(decrypt, "status_at");
    database_->query("UPDATE gateway_event SET handled_at = NULL");
    start();
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(of(proof, "status_at"), proofAt);
    EXPECT_EQ(of(decrypt, "status_at"), decryptAt);
    EXPECT_EQ(sharesOf(decrypt), "2");
    EXPECT_EQ(handler_->counts().ended, 0U);
}

TEST_F(Responses, GetThroughMoreEventsThanAPage)
{
    page_ = 8;
    std::vector<Placed> proofs;
    for (int i = 0; i < 100; ++i)
    {
        proofs.push_back(request(Kind::InputProof));
        happen(proofAccepted(proofs.back().gatewayId, {hash32(1)}));
    }
    start();
    ASSERT_TRUE(allHandled());
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE status = 'completed'"), "100");
    EXPECT_EQ(handler_->counts().ended, 100U);
}
}  // namespace relayer::test
