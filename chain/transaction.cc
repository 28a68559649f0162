#include "chain/transaction.h"

#include "chain/ecdsa.h"
#include "chain/keccak.h"
#include "chain/rlp.h"

#include <algorithm>
#include <array>
#include <limits>

namespace relayer::chain
{
namespace
{
constexpr std::uint8_t kType2 = 0x02;
constexpr std::uint64_t kReplayOffset = 35;  // EIP-155: v = 35 + 2 * chain id + recovery id

void appendFields(core::Bytes &out, const Transaction &transaction)
{
    rlp::appendInteger(out, transaction.nonce);
    if (transaction.maxPriorityFeePerGas)
    {
        rlp::appendInteger(out, *transaction.maxPriorityFeePerGas);
    }
    rlp::appendInteger(out, transaction.maxFeePerGas);
    rlp::appendInteger(out, transaction.gasLimit);
    rlp::appendString(out, transaction.to);
    rlp::appendInteger(out, transaction.value);
    rlp::appendString(out, transaction.data);
}

core::Bytes startOfFields(const Transaction &transaction)
{
    constexpr std::size_t kAllButTheData = 512;
    core::Bytes out;
    out.reserve(kAllButTheData + transaction.data.size());
    if (transaction.maxPriorityFeePerGas)
    {
        rlp::appendInteger(out, transaction.chainId);
    }
    appendFields(out, transaction);
    if (transaction.maxPriorityFeePerGas)
    {
        const core::Bytes accessList = rlp::list({});
        out.insert(out.end(), accessList.begin(), accessList.end());
    }
    return out;
}

core::Bytes enveloped(const Transaction &transaction, const core::Bytes &fields)
{
    static constexpr std::array<std::uint8_t, 1> kType = {kType2};
    return rlp::list(fields,
                     transaction.maxPriorityFeePerGas ? core::ByteView(kType) : core::ByteView());
}

// Nothing from the first field on that is none, as the reader of an ABI does it.
class Fields
{
  public:
    explicit Fields(const std::vector<rlp::Item> &items) : items_(items) {}

    Uint256 number()
    {
        const auto number = next_ < items_.size() ? rlp::integer(items_[next_]) : std::nullopt;
        ++next_;
        good_ = good_ && number.has_value();
        return number.value_or(0);
    }

    std::uint64_t number64()
    {
        const Uint256 wide = number();
        const bool fits = wide <= std::numeric_limits<std::uint64_t>::max();
        good_ = good_ && fits;
        return fits ? static_cast<std::uint64_t>(wide) : 0;
    }

    core::ByteView string()
    {
        const bool there = next_ < items_.size() && !items_[next_].isList;
        const core::ByteView found = there ? items_[next_].string : core::ByteView{};
        ++next_;
        good_ = good_ && there;
        return found;
    }

    void emptyList()
    {
        good_ =
            good_ && next_ < items_.size() && items_[next_].isList && items_[next_].items.empty();
        ++next_;
    }

    [[nodiscard]] bool allRead() const { return good_ && next_ == items_.size(); }
    void fail() { good_ = false; }

  private:
    const std::vector<rlp::Item> &items_;
    std::size_t next_ = 0;
    bool good_ = true;
};

void readFields(Fields &fields, Transaction &transaction, bool type2)
{
    transaction.nonce = fields.number64();
    if (type2)
    {
        transaction.maxPriorityFeePerGas = fields.number();
    }
    transaction.maxFeePerGas = fields.number();
    transaction.gasLimit = fields.number64();
    const core::ByteView to = fields.string();
    if (to.size() == transaction.to.size())
    {
        std::copy(to.begin(), to.end(), transaction.to.begin());
    }
    else
    {
        fields.fail();  // one that makes a contract is none of ours
    }
    transaction.value = fields.number();
    const core::ByteView data = fields.string();
    transaction.data.assign(data.begin(), data.end());
}

void readReplayProtection(Fields &fields, SignedTransaction &out)
{
    const Uint256 v = fields.number();
    const Uint256 chainIdMost = std::numeric_limits<std::uint64_t>::max();
    const Uint256 vMost = 2 * chainIdMost + kReplayOffset + 1;
    if (v < kReplayOffset || v > vMost)
    {
        fields.fail();
        return;
    }
    const Uint256 rest = v - kReplayOffset;
    out.transaction.chainId = static_cast<std::uint64_t>(rest >> 1);
    out.signature.recoveryId = bit_test(rest, 0) ? 1 : 0;
}
}  // namespace

core::Hash32 signingDigest(const Transaction &transaction)
{
    core::Bytes fields = startOfFields(transaction);
    if (!transaction.maxPriorityFeePerGas)
    {
        rlp::appendInteger(fields, transaction.chainId);
        rlp::appendInteger(fields, 0);
        rlp::appendInteger(fields, 0);
    }
    return keccak256(enveloped(transaction, fields));
}

core::Bytes encode(const Transaction &transaction, const Signature &signature)
{
    core::Bytes fields = startOfFields(transaction);
    if (transaction.maxPriorityFeePerGas)
    {
        rlp::appendInteger(fields, signature.recoveryId);
    }
    else
    {
        Uint256 v = transaction.chainId;
        v = v * 2 + kReplayOffset + signature.recoveryId;
        rlp::appendInteger(fields, v);
    }
    // 32 bytes always fit.
    rlp::appendInteger(fields, fromBigEndian(signature.r).value_or(0));
    rlp::appendInteger(fields, fromBigEndian(signature.s).value_or(0));
    return enveloped(transaction, fields);
}

core::Hash32 transactionHash(core::ByteView raw)
{
    return keccak256(raw);
}

std::optional<SignedTransaction> decodeTransaction(core::ByteView raw)
{
    const bool type2 = !raw.empty() && raw.front() == kType2;
    const auto decoded = rlp::decode(type2 ? raw.subspan(1) : raw);
    if (!decoded || !decoded->isList)
    {
        return std::nullopt;
    }
    Fields fields(decoded->items);
    SignedTransaction out;
    if (type2)
    {
        out.transaction.chainId = fields.number64();
    }
    readFields(fields, out.transaction, type2);
    if (type2)
    {
        fields.emptyList();
        const std::uint64_t parity = fields.number64();
        if (parity > 1)
        {
            fields.fail();
        }
        out.signature.recoveryId = parity == 1 ? 1 : 0;
    }
    else
    {
        readReplayProtection(fields, out);
    }
    out.signature.r = bigEndian(fields.number());
    out.signature.s = bigEndian(fields.number());
    if (!fields.allRead())
    {
        return std::nullopt;
    }
    return out;
}

std::optional<core::Address> senderOf(const SignedTransaction &signedTransaction)
{
    if (!hasLowS(signedTransaction.signature))
    {
        return std::nullopt;
    }
    return recoverAddress(signingDigest(signedTransaction.transaction),
                          signedTransaction.signature);
}
}  // namespace relayer::chain
