#include "core/vote_share.h"

#include "core/payload_codec.h"

namespace relayer::core
{
namespace
{
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kWitnessSize = 1 + 32 + 1 + 2 * 32 + kShareCommitments * 32 + 32;
}  // namespace

Hash32 digestOf(const VoteShare &share)
{
    ContentHasher hasher;
    hasher.text("vote share:")
        .bytes(share.key.round)
        .bigEndian(share.key.proposal)
        .bigEndian(share.key.treePosition)
        .bigEndian(share.key.shareIndex)
        .bytes(encodeWitness(share));
    return hasher.finish();
}

Bytes encodeWitness(const VoteShare &share)
{
    Bytes out;
    out.reserve(kWitnessSize);
    out.push_back(kFormat);
    append(out, share.sharesHash);
    out.push_back(share.voteDecision);
    append(out, share.c1);
    append(out, share.c2);
    for (const Hash32 &commitment : share.commitments)
    {
        append(out, commitment);
    }
    append(out, share.primaryBlind);
    return out;
}

std::optional<VoteShare> decodeWitness(const ShareKey &key, ByteView witness)
{
    PayloadReader reader(witness);
    if (reader.bigEndian(1) != kFormat)
    {
        return std::nullopt;
    }
    VoteShare share;
    share.key = key;
    share.sharesHash = reader.hash();
    share.voteDecision = static_cast<std::uint8_t>(reader.bigEndian(1));
    share.c1 = reader.hash();
    share.c2 = reader.hash();
    for (Hash32 &commitment : share.commitments)
    {
        commitment = reader.hash();
    }
    share.primaryBlind = reader.hash();
    if (!reader.allReadAndNothingLeft())
    {
        return std::nullopt;
    }
    return share;
}
}  // namespace relayer::core
