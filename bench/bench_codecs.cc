// The codecs, each beside the least that could be done instead: the bare library, or a copy of the
// bytes. No target is a time: machines differ. Exits with 1 when a ratio is above its limit, which
// is set far off and catches only what is badly wrong.
#include "bench/measure.h"
#include "chain/abi.h"
#include "chain/gateway.h"
#include "chain/keccak.h"
#include "chain/private_key_signer.h"
#include "chain/transaction.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <cryptopp/keccak.h>
#include <functional>
#include <malloc.h>

namespace
{
using namespace relayer;
using bench::Clock;

constexpr int kRounds = 7;
constexpr double kSecondsOfARound = 0.05;
constexpr std::size_t kLargeProof = 300'000;

// What the optimiser must not see through.
volatile std::uint8_t sink = 0;

void keep(core::ByteView bytes)
{
    sink = static_cast<std::uint8_t>(sink ^ (bytes.empty() ? 0 : bytes.back()));
}

using Work = std::function<void()>;

// Seconds for one call.
double timed(const Work &work)
{
    int calls = 0;
    const auto start = Clock::now();
    do
    {
        work();
        ++calls;
    }
    while (bench::secondsSince(start) < kSecondsOfARound);
    return bench::secondsSince(start) / calls;
}

// In turn, so that a slow moment hits both; the ratio is the median over the rounds.
bool compare(const char *what, const Work &ours, const char *beside, const Work &bare, double limit)
{
    std::vector<double> ratios;
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round)
    {
        const double theirs = timed(bare);
        const double mine = timed(ours);
        ratios.push_back(mine / theirs);
        times.push_back(1e6 * mine);
    }
    const double ratio = bench::median(ratios);
    std::printf("%-34s %9.2f us   %5.2f times %-34s (at most %.1f)%s\n", what, bench::median(times),
                ratio, beside, limit, ratio <= limit ? "" : "  ABOVE");
    std::fflush(stdout);
    bench::record({"Codecs", what, bench::median(times), "us", beside, bench::median(times) / ratio,
                   ratio, bench::atMost(limit)});
    return ratio <= limit;
}

core::Bytes someBytes(std::size_t size)
{
    core::Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
    {
        bytes[i] = static_cast<std::uint8_t>(i * 131 + (i >> 8U));
    }
    return bytes;
}

core::InputProof proofOf(std::size_t size)
{
    core::InputProof proof;
    proof.ciphertextWithProof = someBytes(size);
    proof.extraData = {0};
    return proof;
}

core::DirectUserDecrypt userDecrypt()
{
    core::DirectUserDecrypt request;
    request.handles.resize(3);
    request.contracts.resize(3);
    request.publicKey = someBytes(800);
    request.signature = someBytes(65);
    request.extraData = {0};
    return request;
}

chain::Transaction transactionWith(core::Bytes data)
{
    chain::Transaction transaction;
    transaction.chainId = 654321;
    transaction.nonce = 1234;
    transaction.gasLimit = 1'000'000;
    transaction.maxFeePerGas = 200'000'000;
    transaction.maxPriorityFeePerGas = 1'000'000;
    transaction.data = std::move(data);
    return transaction;
}

Work copyOf(const core::Bytes &bytes)
{
    return [bytes] { keep(core::Bytes(bytes)); };
}

Work bareKeccak(const core::Bytes &bytes)
{
    return [bytes] {
        CryptoPP::Keccak_256 hasher;
        core::Hash32 hash{};
        hasher.CalculateDigest(hash.data(), bytes.data(), bytes.size());
        keep(hash);
    };
}

Work bareSign(const core::Hash32 &key, const core::Hash32 &digest)
{
    const std::shared_ptr<secp256k1_context> context(
        secp256k1_context_create(SECP256K1_CONTEXT_NONE), secp256k1_context_destroy);
    return [context, key, digest] {
        secp256k1_ecdsa_recoverable_signature made;
        secp256k1_ecdsa_sign_recoverable(context.get(), &made, digest.data(), key.data(), nullptr,
                                         nullptr);
        keep(core::ByteView(made.data, sizeof(made.data)));
    };
}

bool hashing()
{
    const core::Bytes word = someBytes(32);
    const core::Bytes large = someBytes(kLargeProof);
    const auto ours = [](const core::Bytes &bytes) {
        return [bytes] { keep(chain::keccak256(bytes)); };
    };
    const bool few = compare("keccak of 32 B", ours(word), "the bare library", bareKeccak(word), 2);
    return compare("keccak of 300 kB", ours(large), "the bare library", bareKeccak(large), 1.5) &&
           few;
}

bool calls()
{
    const core::InputProof large = proofOf(kLargeProof);
    const core::UserDecrypt request = userDecrypt();
    const core::Bytes encoded = chain::calldata(request);
    const bool one = compare(
        "calldata, proof of 300 kB", [large] { keep(chain::calldata(large)); }, "a copy of as much",
        copyOf(large.ciphertextWithProof), 20);
    return compare(
               "calldata, user decryption", [request] { keep(chain::calldata(request)); },
               "keccak of it", bareKeccak(encoded), 2) &&
           one;
}

bool signing()
{
    core::Hash32 key{};
    key.back() = 7;
    const core::Hash32 digest = chain::keccak256(someBytes(100));
    const auto signer = chain::signerWithKey(key);
    const auto sign = [signer, digest] {
        signer->sign(digest, [](const chain::Signer::Signed &made) {
            keep(std::get<chain::Signature>(made).s);
        });
    };
    return compare("sign", sign, "the bare library", bareSign(key, digest), 1.5);
}

bool transactions()
{
    const chain::Transaction large = transactionWith(chain::calldata(proofOf(kLargeProof)));
    const chain::Transaction small =
        transactionWith(chain::calldata(core::UserDecrypt(userDecrypt())));
    const chain::Signature signature{chain::keccak256({}), chain::keccak256({}), 1};
    const core::Bytes raw = chain::encode(large, signature);
    const core::Bytes smallRaw = chain::encode(small, signature);
    bool good = compare(
        "encode, 300 kB", [=] { keep(chain::encode(large, signature)); }, "a copy of as much",
        copyOf(raw), 20);
    good = compare(
               "digest and hash, 300 kB",
               [=] {
                   keep(chain::signingDigest(large));
                   keep(chain::transactionHash(raw));
               },
               "keccak of it", bareKeccak(raw), 4) &&
           good;
    good = compare(
               "encode, user decryption", [=] { keep(chain::encode(small, signature)); },
               "keccak of it", bareKeccak(smallRaw), 2) &&
           good;
    return compare(
               "decode, user decryption",
               [=] { keep(chain::decodeTransaction(smallRaw)->transaction.data); }, "keccak of it",
               bareKeccak(smallRaw), 2) &&
           good;
}

bool events()
{
    chain::Log log;
    const std::string_view event = "UserDecryptionResponse(uint256,uint256,bytes,bytes,bytes)";
    log.topics = {chain::keccak256(core::Bytes(event.begin(), event.end())), {}};
    log.data = chain::abi::TupleWriter()
                   .number(3)
                   .bytes(someBytes(1000))
                   .bytes(someBytes(65))
                   .bytes(core::Bytes{0})
                   .finish();
    const auto decode = [log] {
        const auto decoded = chain::decodeEvent(log, {});
        keep(std::get<chain::ShareArrived>(*decoded).share);
    };
    const auto identify = [log] { keep(chain::identify(log, {})->gatewayId); };
    const bool fast =
        compare("event of a share, decoded", decode, "keccak of it", bareKeccak(log.data), 2);
    return compare("event of a share, its id only", identify, "keccak of it", bareKeccak(log.data),
                   1) &&
           fast;
}
}  // namespace

int main()
{
    // Else the allocator gives large pieces back after each call, and the pages that it then has to
    // ask for anew cost ten times what is measured here.
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    bool good = hashing();
    good = calls() && good;
    good = signing() && good;
    good = transactions() && good;
    good = events() && good;
    return good ? 0 : 1;
}
