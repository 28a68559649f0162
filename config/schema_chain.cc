// The keys about chains: nodes, contracts, the signer, the queues, the listener.
#include "config/node_url.h"
#include "config/schema.h"
#include "core/bytes.h"

#include <algorithm>
#include <array>

namespace relayer::config
{
namespace
{
constexpr std::array<std::string_view, 2> signerTypes = {"private_key", "aws_kms"};
constexpr std::size_t mostNodes = 5;
constexpr auto minute = std::chrono::minutes(1);
constexpr auto hour = std::chrono::hours(1);
// What a double holds exactly, as wallets read chain ids and blocks.
constexpr std::uint64_t largestNumber = (std::uint64_t{1} << 53U) - 1;

bool isPrivateKey(std::string_view text)
{
    const auto digits = text.starts_with("0x") ? text.substr(2) : text;
    return digits.size() == 64 && core::fromHex(digits).has_value() &&
           digits.find_first_not_of('0') != std::string_view::npos;
}

bool isHttpUrl(std::string_view text)
{
    return isNodeUrl(text, false);
}

bool isGraphic(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

constexpr std::string_view tokenForm = "letters, digits, '.', '_', '-'";

void describeGateway(std::vector<Key> &keys, GatewaySettings &gateway)
{
    auto &rpc = gateway.rpc;
    keys.insert(
        keys.end(),
        {{"gateway.chain_id", Integer{&gateway.chainId, 1, largestNumber},
          "The id of the chain; transactions are signed for it."},
         {"gateway.strict_chain_id", Flag{&gateway.strictChainId},
          "What to do at the start when a node names another id: false warns, true refuses to "
          "start."},
         {"gateway.user_decrypt_shares_threshold",
          Integer{&gateway.userDecryptSharesThreshold, 1, 1000},
          "Shares that complete a user decryption, unless protocol_config says otherwise for its "
          "context."},
         {"gateway.confirmations", Integer{&gateway.confirmations, 0, 1000},
          "Blocks that must stand on top of an event before it counts. 0 suits a chain with a "
          "sequencer, whose blocks stay."},
         {"gateway.rpc.read", UrlList{&rpc.read, mostNodes, "read", false},
          "Nodes to ask; the next one is asked when one fails. Empty: nothing is sent to a chain, "
          "and requests wait."},
         {"gateway.rpc.write", UrlList{&rpc.write, mostNodes, "write", false},
          "Nodes to send transactions to. Empty: those of gateway.rpc.read."},
         {"gateway.rpc.timeout", Duration{&rpc.timeout, 100ms, 5 * minute},
          "When a call to a node is given up."},
         {"gateway.rpc.sync_timeout", Duration{&rpc.syncTimeout, 100ms, 10 * minute},
          "The same for the call that sends a transaction and waits until it is mined."},
         {"gateway.rpc.connections", Integer{&rpc.connections, 1, 1024},
          "Connections to each node at the most; each carries one call at a time. With "
          "tx_engine.sync_send there are up to tx_engine.max_in_flight more, for what waits to be "
          "mined."},
         {"gateway.contracts.decryption", AccountAddress{&gateway.contracts.decryption},
          "The Decryption contract."},
         {"gateway.contracts.input_verification",
          AccountAddress{&gateway.contracts.inputVerification}, "The InputVerification contract."},
         {"gateway.contracts.fee_token", AccountAddress{&gateway.contracts.feeToken},
          "The ERC-20 token that requests are paid with. Only for the metric that says how much "
          "of it the signer's account has."},
         {"gateway.contracts.protocol_payment", AccountAddress{&gateway.contracts.protocolPayment},
          "The ProtocolPayment contract, which takes the fees. Only for the metric that says how "
          "much it may still take."}});
}

void describeSigner(std::vector<Key> &keys, SignerSettings &signer)
{
    constexpr std::string_view pathForm = "the path of a file";
    auto &kms = signer.kms;
    keys.insert(
        keys.end(),
        {{"signer.type", Choice{&signer.type, signerTypes}, "Where the key is."},
         {"signer.private_key",
          SecretText{&signer.privateKey, &signer.privateKeyFile, "signer.private_key_file", false,
                     isPrivateKey, "64 hexadecimal digits, with or without 0x"},
          "The key itself, for type private_key."},
         {"signer.private_key_file", Text{&signer.privateKeyFile, 4096, true, nullptr, pathForm},
          "A file whose content is the private key."},
         {"signer.lane", Text{&signer.lane, 64, false, isToken, tokenForm},
          "The name under which the database keeps the nonces of this key. Another key needs "
          "another name."},
         {"signer.kms.key_id", Text{&kms.keyId, 2048, true, isGraphic, "an id, ARN or alias"},
          "The key: ECC_SECG_P256K1, for signing."},
         {"signer.kms.region", Text{&kms.region, 64, true, isToken, tokenForm},
          "The region of the key."},
         {"signer.kms.endpoint", Text{&kms.endpoint, 2048, true, isHttpUrl, nodeUrlForm(false)},
          "Where the service is. Empty: where AWS has it in that region."},
         {"signer.kms.access_key_id", Text{&kms.accessKeyId, 128, true, isToken, tokenForm},
          "Who asks it to sign."},
         {"signer.kms.secret_access_key",
          SecretText{&kms.secretAccessKey, &kms.secretAccessKeyFile,
                     "signer.kms.secret_access_key_file", false, isGraphic, "text without blanks"},
          "The secret that belongs to the access key."},
         {"signer.kms.secret_access_key_file",
          Text{&kms.secretAccessKeyFile, 4096, true, nullptr, pathForm},
          "A file whose content is the secret access key."},
         {"signer.kms.session_token",
          SecretText{&kms.sessionToken, &kms.sessionTokenFile, "signer.kms.session_token_file",
                     false, isGraphic, "text without blanks"},
          "Goes with an access key that is only lent."},
         {"signer.kms.session_token_file",
          Text{&kms.sessionTokenFile, 4096, true, nullptr, pathForm},
          "A file whose content is the session token."}});
}

void describeTxEngine(std::vector<Key> &keys, TxEngineSettings &engine)
{
    keys.insert(
        keys.end(),
        {{"tx_engine.max_in_flight", Integer{&engine.maxInFlight, 1, 4096},
          "Transactions that may wait to be mined at the same time. As many again are made ready "
          "meanwhile."},
         {"tx_engine.sync_send", Flag{&engine.syncSend},
          "Use eth_sendRawTransactionSync where the node has it; false sends and asks for the "
          "receipt."},
         {"tx_engine.receipt_poll_interval", Duration{&engine.receiptPollInterval, 10ms, minute},
          "How often receipts are asked for that nobody brought."},
         {"tx_engine.fee_bump_after", Duration{&engine.feeBumpAfter, 100ms, hour},
          "How long a transaction may wait to be mined before it is replaced by one that pays "
          "more."},
         {"tx_engine.fee_bump_percent", Integer{&engine.feeBumpPercent, 10, 1000},
          "How much more; nodes refuse less than 10."},
         {"tx_engine.max_fee_gwei", Integer{&engine.maxFeeGwei, 1, 1000000},
          "The most that a unit of gas may cost, in 10^9 wei."},
         {"tx_engine.gas_limit_percent", Integer{&engine.gasLimitPercent, 100, 1000},
          "The gas limit, in percent of what the node estimates."},
         {"tx_engine.resend_without_event_after",
          Duration{&engine.resendWithoutEventAfter, 100ms, hour},
          "When a decryption whose transaction was mined without the event of the request is sent "
          "again; then at doubling intervals."},
         {"tx_engine.lane_lease", Duration{&engine.laneLease, 500ms, 10 * minute},
          "How long another instance leaves the nonces alone that one which fell silent was "
          "using."},
         {"tx_engine.retry.max_attempts", Integer{&engine.retry.maxAttempts, 1, 100000},
          "How often one transaction is sent at the most; then its request fails."},
         {"tx_engine.retry.interval", Duration{&engine.retry.interval, 10ms, minute},
          "The pause in between."}});
}

struct QueuePaths
{
    std::string_view perSecond, capacity, safetyMargin;
};

void describeQueue(std::vector<Key> &keys, const QueuePaths &paths, QueueSettings &queue)
{
    keys.insert(keys.end(),
                {{paths.perSecond, Integer{&queue.perSecond, 1, 1000},
                  "Requests that go to the chain in a second, which is also the largest burst."},
                 {paths.capacity, Integer{&queue.capacity, 1, 1000000},
                  "Requests that may wait for the chain, whoever took them in."},
                 {paths.safetyMargin, Integer{&queue.safetyMargin, 0, 999999},
                  "Places of these that new requests do not get: they are for requests that come "
                  "back from the chain or from another instance."}});
}

void describeListener(std::vector<Key> &keys, ListenerSettings &listener)
{
    keys.insert(
        keys.end(),
        {{"listener.endpoints", UrlList{&listener.endpoints, mostNodes, "endpoints", true},
          "Nodes to hear events from, all at the same time: ws and wss are subscribed to, http and "
          "https are polled. Empty: the nodes of gateway.rpc.read are polled."},
         {"listener.poll_interval", Duration{&listener.pollInterval, 50ms, hour},
          "How often those over http are polled."},
         {"listener.silence", Duration{&listener.silence, 500ms, hour},
          "A subscription that says nothing for this long, not even when asked, is made anew."},
         {"listener.recycle", Duration{&listener.recycle, 0ms, 168 * hour},
          "A subscription of this age is made anew, as nodes forget old ones; 0s: never."},
         {"listener.max_block_range", Integer{&listener.maxBlockRange, 1, 1000000},
          "Blocks that one eth_getLogs asks for at the most; less when a node finds them too "
          "many."},
         {"listener.start_block", OptionalInteger{&listener.startBlock, 0, largestNumber},
          "Where a new database begins to read. Not given: at the block of that moment."},
         {"listener.keep_unmatched", Duration{&listener.keepUnmatched, 1s, 168 * hour},
          "How long an answer is kept for which no request of ours is known."}});
}

void describeProtocolConfig(std::vector<Key> &keys, ProtocolConfigSettings &protocol)
{
    keys.insert(keys.end(),
                {{"protocol_config.rpc", UrlList{&protocol.rpc, mostNodes, "rpc", false},
                  "Nodes of the chain that has the ProtocolConfig contract."},
                 {"protocol_config.address", AccountAddress{&protocol.address},
                  "The ProtocolConfig contract."},
                 {"protocol_config.threshold_ttl", Duration{&protocol.thresholdTtl, 1s, 24 * hour},
                  "How long a threshold is believed before it is asked for again."}});
}

void describeKeyUrl(std::vector<Key> &keys, KeyUrlSettings &keyUrl)
{
    keys.insert(
        keys.end(),
        {{"keyurl.kms_generation_address", AccountAddress{&keyUrl.kmsGeneration},
          "The KMSGeneration contract, on the chain of protocol_config. Empty: /v2/keyurl has "
          "nothing to say."},
         {"keyurl.poll_interval", Duration{&keyUrl.pollInterval, 10ms, hour},
          "How often it is asked. What it said last is told until it says something else."}});
}

void describeSignatureCheck(std::vector<Key> &keys, SignatureCheckSettings &check)
{
    keys.insert(
        keys.end(),
        {{"user_decrypt_signature_check.erc1271_gas_limit",
          Integer{&check.erc1271GasLimit, 21'000, 100'000'000},
          "The gas that the contract may use for its answer."},
         {"user_decrypt_signature_check.timeout", Duration{&check.timeout, 100ms, 10 * minute},
          "After this time a chain that does not answer is not asked again. How often it "
          "is asked at the most is for host_acl_check.retry to say."},
         {"user_decrypt_signature_check.max_concurrent", Integer{&check.maxConcurrent, 1, 100'000},
          "Questions that may be on their way at the same time; further requests that need "
          "one are told to come back."}});
}

void require(Contradictions &wrong, bool given, std::string_view path, std::string_view because)
{
    if (!given)
    {
        wrong.emplace_back(path, "is required " + std::string(because));
    }
}

void crossCheckSigner(const SignerSettings &signer, Contradictions &wrong)
{
    if (signer.type == "private_key")
    {
        require(wrong, !signer.privateKey.empty(), "signer.private_key",
                "since gateway.rpc.read is set: give it as " +
                    environmentName("signer.private_key") +
                    ", or name a file that holds it in signer.private_key_file");
        return;
    }
    constexpr std::string_view because = "with signer.type aws_kms";
    const auto &kms = signer.kms;
    require(wrong, !kms.keyId.empty(), "signer.kms.key_id", because);
    require(wrong, !kms.region.empty(), "signer.kms.region", because);
    require(wrong, !kms.accessKeyId.empty(), "signer.kms.access_key_id", because);
    require(wrong, !kms.secretAccessKey.empty(), "signer.kms.secret_access_key", because);
}

void crossCheckGateway(const Settings &settings, Contradictions &wrong)
{
    constexpr std::string_view because = "since gateway.rpc.read is set";
    const auto &contracts = settings.gateway.contracts;
    require(wrong, contracts.decryption.has_value(), "gateway.contracts.decryption", because);
    require(wrong, contracts.inputVerification.has_value(), "gateway.contracts.input_verification",
            because);
    crossCheckSigner(settings.signer, wrong);
    if (settings.txEngine.laneLease <= settings.database.clientTimeout)
    {
        // One renewal that PostgreSQL answers late would cost us the lane.
        wrong.emplace_back("tx_engine.lane_lease", "must be longer than database.client_timeout");
    }
}

void crossCheckQueue(std::string_view path, const QueueSettings &queue, Contradictions &wrong)
{
    if (queue.safetyMargin >= queue.capacity)
    {
        wrong.emplace_back(std::string(path) + ".safety_margin",
                           "must be below " + std::string(path) + ".capacity");
    }
}
}  // namespace

void describeChain(std::vector<Key> &keys, Settings &settings)
{
    describeGateway(keys, settings.gateway);
    describeSigner(keys, settings.signer);
    describeTxEngine(keys, settings.txEngine);
    describeQueue(keys,
                  {"tx_throttler.input_proof.per_second", "tx_throttler.input_proof.capacity",
                   "tx_throttler.input_proof.safety_margin"},
                  settings.txThrottler.inputProof);
    describeQueue(keys,
                  {"tx_throttler.public_decrypt.per_second", "tx_throttler.public_decrypt.capacity",
                   "tx_throttler.public_decrypt.safety_margin"},
                  settings.txThrottler.publicDecrypt);
    describeQueue(keys,
                  {"tx_throttler.user_decrypt.per_second", "tx_throttler.user_decrypt.capacity",
                   "tx_throttler.user_decrypt.safety_margin"},
                  settings.txThrottler.userDecrypt);
    describeListener(keys, settings.listener);
    describeProtocolConfig(keys, settings.protocolConfig);
    describeKeyUrl(keys, settings.keyUrl);
    describeSignatureCheck(keys, settings.signatureCheck);
}

void crossCheckChain(const Settings &settings, Contradictions &wrong)
{
    const auto &gateway = settings.gateway;
    const auto &protocol = settings.protocolConfig;
    if (gateway.isOn())
    {
        crossCheckGateway(settings, wrong);
    }
    require(wrong, gateway.isOn() || gateway.rpc.write.empty(), "gateway.rpc.read",
            "since gateway.rpc.write is set");
    require(wrong, gateway.isOn() || settings.listener.endpoints.empty(), "gateway.rpc.read",
            "since listener.endpoints is set");
    require(wrong, protocol.rpc.empty() || protocol.address, "protocol_config.address",
            "since protocol_config.rpc is set");
    require(wrong, !protocol.rpc.empty() || !protocol.address, "protocol_config.rpc",
            "since protocol_config.address is set");
    require(wrong, !protocol.rpc.empty() || !settings.keyUrl.kmsGeneration, "protocol_config.rpc",
            "since keyurl.kms_generation_address is set");
    crossCheckQueue("tx_throttler.input_proof", settings.txThrottler.inputProof, wrong);
    crossCheckQueue("tx_throttler.public_decrypt", settings.txThrottler.publicDecrypt, wrong);
    crossCheckQueue("tx_throttler.user_decrypt", settings.txThrottler.userDecrypt, wrong);
}
}  // namespace relayer::config
