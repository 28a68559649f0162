#include "support/fake_vote_chain.h"

#include "core/base64.h"
#include "core/bytes.h"
#include "core/payload_codec.h"
#include "support/json_text.h"

#include <json/json.h>
#include <openssl/sha.h>

#include <algorithm>
#include <filesystem>

namespace relayer::test
{
namespace
{
const std::string kBase = "/shielded-vote/v1/";

FakeResponse says(int status, const std::string &body)
{
    FakeResponse response;
    response.body = body;
    response.wire.status = status;
    return response;
}

std::int64_t nowMicros()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

core::Bytes littleEndian(std::uint32_t value)
{
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8U),
            static_cast<std::uint8_t>(value >> 16U), static_cast<std::uint8_t>(value >> 24U)};
}

core::Hash32 sha256(const core::Bytes &bytes)
{
    core::Hash32 out{};
    SHA256(bytes.data(), bytes.size(), out.data());
    return out;
}

std::uint64_t parameter(const std::string &target, const std::string &name)
{
    const auto at = target.find(name + "=");
    return at == std::string::npos ? 0 : std::stoull(target.substr(at + name.size() + 1));
}

std::string txHashOf(const std::string &nullifier)
{
    std::string hash = core::toHex(sha256(core::Bytes(nullifier.begin(), nullifier.end())));
    std::transform(hash.begin(), hash.end(), hash.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return hash;
}
}  // namespace

FakeVoteChain::FakeVoteChain() = default;

std::string FakeVoteChain::url() const
{
    return "http://127.0.0.1:" + std::to_string(server_.port());
}

void FakeVoteChain::addRound(const core::Hash32 &round, std::int64_t end)
{
    const std::lock_guard lock(mutex_);
    rounds_[core::toHex(round)] = {end, true};
}

void FakeVoteChain::setActive(const core::Hash32 &round, bool active)
{
    const std::lock_guard lock(mutex_);
    rounds_.at(core::toHex(round)).second = active;
}

void FakeVoteChain::addLeaf(const core::Hash32 &leaf)
{
    const std::lock_guard lock(mutex_);
    leaves_.push_back(core::toBase64(leaf));
}

void FakeVoteChain::addLeaves(std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
    {
        addLeaf(sha256(littleEndian(static_cast<std::uint32_t>(i))));
    }
}

void FakeVoteChain::instead(Instead instead)
{
    const std::lock_guard lock(mutex_);
    instead_ = std::move(instead);
}

void FakeVoteChain::holdBlocks(bool hold)
{
    const std::lock_guard lock(mutex_);
    hold_ = hold;
    if (!hold)
    {
        for (const auto &[hash, nullifier] : txs_)
        {
            nullifiers_.insert(nullifier);
        }
    }
}

void FakeVoteChain::emptyPool()
{
    const std::lock_guard lock(mutex_);
    std::erase_if(txs_, [this](const auto &tx) { return !nullifiers_.contains(tx.second); });
}

std::vector<FakeVoteChain::Reveal> FakeVoteChain::reveals() const
{
    const std::lock_guard lock(mutex_);
    return reveals_;
}

std::size_t FakeVoteChain::doubles() const
{
    const std::lock_guard lock(mutex_);
    return doubles_;
}

std::size_t FakeVoteChain::asked(const std::string &part) const
{
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        targets_.begin(), targets_.end(),
        [&part](const std::string &target) { return target.find(part) != std::string::npos; }));
}

FakeResponse FakeVoteChain::answer(const FakeRequest &request)
{
    const std::lock_guard lock(mutex_);
    targets_.push_back(request.target);
    if (instead_)
    {
        if (auto other = instead_(request))
        {
            return *other;
        }
    }
    const std::string &target = request.target;
    if (target.starts_with(kBase + "round/"))
    {
        return round(target.substr(kBase.size() + 6));
    }
    if (target.starts_with(kBase + "commitment-tree/"))
    {
        return tree(target.substr(kBase.size() + 16));
    }
    if (target == kBase + "reveal-share" && request.method == "POST")
    {
        return reveal(request);
    }
    if (target.starts_with(kBase + "tx/"))
    {
        const auto tx = txs_.find(target.substr(kBase.size() + 3));
        return tx != txs_.end() && nullifiers_.contains(tx->second) ? says(200, R"({"code":0})")
                                                                    : says(404, "{}");
    }
    if (target.starts_with("/abci_query"))
    {
        const auto at = target.find("data=0x0102") + 11 + 64;
        const auto bytes = core::fromHex(target.substr(at, 64)).value();
        return says(200, nullifiers_.contains(core::toBase64(bytes))
                             ? R"({"result":{"response":{"code":0,"value":"AQ=="}}})"
                             : R"({"result":{"response":{"code":0,"value":null}}})");
    }
    return says(404, "{}");
}

FakeResponse FakeVoteChain::round(const std::string &id) const
{
    const auto known = rounds_.find(id);
    if (known == rounds_.end())
    {
        return says(500, R"({"error":"rpc error: vote round not found"})");
    }
    return says(200, R"({"round":{"vote_end_time":)" + std::to_string(known->second.first) +
                         R"(,"status":)" + (known->second.second ? "1" : "2") + "}}");
}

FakeResponse FakeVoteChain::tree(const std::string &rest) const
{
    if (!rounds_.contains(rest.substr(0, 64)))
    {
        return says(500, R"({"error":"vote round not found"})");
    }
    if (rest.substr(64) == "/latest")
    {
        const std::string count = std::to_string(leaves_.size());
        return says(200, R"({"tree":{"next_index":)" + count + R"(,"height":)" + count + "}}");
    }
    std::string blocks;
    const std::uint64_t from = std::max<std::uint64_t>(1, parameter(rest, "from_height"));
    for (std::uint64_t i = from; i <= parameter(rest, "to_height") && i <= leaves_.size(); ++i)
    {
        blocks += blocks.empty() ? "" : ",";
        blocks += R"({"height":)" + std::to_string(i) + R"(,"start_index":)" +
                  std::to_string(i - 1) + R"(,"leaves":[")" + leaves_[i - 1] + R"("]})";
    }
    return says(200, R"({"blocks":[)" + blocks + "]}");
}

FakeResponse FakeVoteChain::reveal(const FakeRequest &request)
{
    const std::string nullifier = jsonValue(request.body)["share_nullifier"].asString();
    const std::string hash = txHashOf(nullifier);
    if (txs_.contains(hash))
    {
        ++doubles_;
        return says(422, R"({"tx_hash":")" + hash + R"(","code":2,"codespace":"vote"})");
    }
    reveals_.push_back({nullifier, nowMicros(), request.body});
    txs_[hash] = nullifier;
    if (!hold_)
    {
        nullifiers_.insert(nullifier);
    }
    return says(200, R"({"tx_hash":")" + hash + R"(","code":0})");
}

std::string shareLibrary(bool hashing)
{
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return (here / (hashing ? "share_library_hashing.so" : "share_library.so")).string();
}

void provoke(core::VoteShare &share, std::uint8_t sign)
{
    share.primaryBlind.fill(0xEE);
    share.primaryBlind[0] = sign;
}

core::Hash32 testCommitment(const core::VoteShare &share)
{
    core::Bytes all;
    core::append(all, share.key.round);
    core::append(all, share.sharesHash);
    core::append(all, littleEndian(share.key.proposal));
    core::append(all, littleEndian(share.voteDecision));
    return sha256(all);
}

core::Hash32 testNullifier(const core::VoteShare &share)
{
    core::Bytes all;
    core::append(all, share.key.round);
    core::append(all, share.c1);
    core::append(all, share.c2);
    core::append(all, littleEndian(share.key.treePosition));
    core::append(all, littleEndian(share.key.shareIndex));
    core::append(all, littleEndian(share.key.proposal));
    return sha256(all);
}
}  // namespace relayer::test
