// keccak, hex, numbers, RLP, addresses and signatures against ethers.
#include "chain/ecdsa.h"
#include "chain/keccak.h"
#include "chain/private_key_signer.h"
#include "chain/rlp.h"
#include "unit/chain_vectors.h"

namespace relayer::chain
{
namespace
{
constexpr std::size_t kCases = 2000;

TEST(VectorsOfEthers, Keccak)
{
    for (const vectors::Row &row : vectors::read("keccak", 2, kCases))
    {
        ASSERT_EQ(toHexData(keccak256(vectors::bytes(row[0]))), row[1]) << row[0];
    }
}

TEST(VectorsOfEthers, Hex)
{
    int refused = 0;
    for (const vectors::Row &row : vectors::read("hex", 2, kCases))
    {
        const auto read = fromHexData(row[0]);
        ASSERT_EQ(read ? toHexData(*read) : "-", row[1]) << row[0];
        refused += read ? 0 : 1;
    }
    EXPECT_GT(refused, 500);
}

TEST(VectorsOfEthers, Uint256)
{
    int refused = 0;
    for (const vectors::Row &row : vectors::read("uint256", 4, kCases))
    {
        const auto read = parseQuantity(row[0]);
        ASSERT_EQ(read ? toQuantity(*read) : "-", row[1]) << row[0];
        refused += read ? 0 : 1;
        if (read)
        {
            ASSERT_EQ(toHexData(bigEndian(*read)), row[2]);
            ASSERT_EQ(fromBigEndian(vectors::bytes(row[2])), *read);
            ASSERT_EQ(read->str(), row[3]);
        }
    }
    EXPECT_GT(refused, 5);
}

Json::Value asJson(const rlp::Item &item)
{
    if (!item.isList)
    {
        return toHexData(item.string);
    }
    Json::Value array(Json::arrayValue);
    for (const rlp::Item &inner : item.items)
    {
        array.append(asJson(inner));
    }
    return array;
}

core::Bytes encoded(const Json::Value &value)
{
    core::Bytes out;
    if (value.isString())
    {
        rlp::appendString(out, vectors::bytes(value));
        return out;
    }
    for (const Json::Value &inner : value)
    {
        const core::Bytes item = encoded(inner);
        out.insert(out.end(), item.begin(), item.end());
    }
    return rlp::list(out);
}

TEST(VectorsOfEthers, Rlp)
{
    for (const vectors::Row &row : vectors::read("rlp", 3, 2 * kCases))
    {
        if (row[0] != "made")
        {
            continue;
        }
        const Json::Value value = vectors::json(row[1]);
        ASSERT_EQ(toHexData(encoded(value)), row[2]);
        const core::Bytes bytes = vectors::bytes(row[2]);
        const auto item = rlp::decode(bytes);
        ASSERT_TRUE(item) << row[2];
        ASSERT_EQ(asJson(*item), value);
        ASSERT_EQ(rlp::encode(*item), bytes);
    }
}

TEST(VectorsOfEthers, RlpThatWasTamperedWithIsRefusedOrSaysTheSame)
{
    int taken = 0;
    int refused = 0;
    for (const vectors::Row &row : vectors::read("rlp", 3, 2 * kCases))
    {
        if (row[0] != "tampered")
        {
            continue;
        }
        const core::Bytes bytes = vectors::bytes(row[2]);
        const auto item = rlp::decode(bytes);
        ++(item ? taken : refused);
        if (item)
        {
            ASSERT_NE(row[1], "-") << row[2];
            ASSERT_EQ(asJson(*item), vectors::json(row[1])) << row[2];
            ASSERT_EQ(rlp::encode(*item), bytes);
        }
    }
    EXPECT_GT(taken, 300);
    EXPECT_GT(refused, 300);
}

TEST(VectorsOfEthers, Addresses)
{
    int refused = 0;
    for (const vectors::Row &row : vectors::read("addresses", 2, kCases))
    {
        const auto read = parseCheckedAddress(row[0]);
        ASSERT_EQ(read ? checksummed(*read) : "-", row[1]) << row[0];
        refused += read ? 0 : 1;
    }
    EXPECT_GT(refused, 500);
}

// key, digest, r, s, y parity, public key, address, DER of the signature, DER of the key
TEST(VectorsOfEthers, Signatures)
{
    for (const vectors::Row &row : vectors::read("signatures", 9, kCases))
    {
        const auto key = parsePrivateKey(row[0]);
        ASSERT_TRUE(key);
        const auto signer = signerWithKey(*key);
        ASSERT_TRUE(signer);
        ASSERT_EQ(checksummed(signer->address()), row[6]);

        const core::Hash32 digest = vectors::hash(row[1]);
        Signature expected;
        expected.r = vectors::hash(row[2]);
        expected.s = vectors::hash(row[3]);
        expected.recoveryId = row[4] == "1" ? 1 : 0;
        std::optional<Signature> made;
        signer->sign(digest,
                     [&made](const Signer::Signed &result) { made = std::get<Signature>(result); });
        ASSERT_EQ(made, expected) << row[1];
        ASSERT_TRUE(hasLowS(expected));
        ASSERT_EQ(withLowS(expected), expected);

        const auto publicKey = recoverKey(digest, expected);
        ASSERT_TRUE(publicKey);
        ASSERT_EQ(toHexData(*publicKey), row[5]);
        ASSERT_EQ(recoverAddress(digest, expected), signer->address());
        ASSERT_EQ(recoveryIdFor(digest, expected.r, expected.s, signer->address()),
                  expected.recoveryId);
        ASSERT_EQ(signatureFromDer(vectors::bytes(row[7]), digest, signer->address()), expected);
        ASSERT_EQ(publicKeyFromDer(vectors::bytes(row[8])), publicKey);
    }
}
}  // namespace
}  // namespace relayer::chain
