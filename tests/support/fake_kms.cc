#include "support/fake_kms.h"

#include "chain/private_key_signer.h"
#include "chain/uint256.h"
#include "support/json_text.h"

#include <drogon/utils/Utilities.h>

#include <algorithm>
#include <utility>

namespace relayer::test
{
namespace
{
core::Bytes derInteger(core::Hash32 number)
{
    core::Bytes bytes(number.begin(), number.end());
    while (bytes.size() > 1 && bytes[0] == 0 && bytes[1] < 0x80)
    {
        bytes.erase(bytes.begin());
    }
    if (bytes[0] >= 0x80)
    {
        bytes.insert(bytes.begin(), 0);
    }
    bytes.insert(bytes.begin(), {0x02, static_cast<std::uint8_t>(bytes.size())});
    return bytes;
}

std::string base64(const core::Bytes &bytes)
{
    return drogon::utils::base64Encode(bytes.data(), static_cast<unsigned int>(bytes.size()));
}
}  // namespace

FakeKms::FakeKms()
{
    core::Hash32 key{};
    key.fill(0x2b);
    key_ = chain::signerWithKey(key);
    service_.onHttp([this](const FakeRequest &request) { return answer(request); });
}

chain::Signature FakeKms::signatureOf(const core::Hash32 &digest) const
{
    chain::Signature signature;
    key_->sign(digest, [&](const chain::Signer::Signed &result) {
        signature = std::get<chain::Signature>(result);
    });
    return signature;
}

std::string FakeKms::publicKey() const
{
    core::Hash32 digest{};
    digest.fill(1);
    const chain::PublicKey key = *chain::recoverKey(digest, signatureOf(digest));
    core::Bytes der = *core::fromHex("3056301006072a8648ce3d020106052b8104000a03420004");
    der.insert(der.end(), key.begin(), key.end());
    return base64(der);
}

std::string FakeKms::derSignatureOf(const core::Hash32 &digest) const
{
    chain::Signature signature = signatureOf(digest);
    if (highS_)
    {
        const chain::Uint256 order(
            "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
        signature.s = chain::bigEndian(chain::Uint256(order - *chain::fromBigEndian(signature.s)));
    }
    core::Bytes body = derInteger(signature.r);
    const core::Bytes s = derInteger(signature.s);
    body.insert(body.end(), s.begin(), s.end());
    body.insert(body.begin(), {0x30, static_cast<std::uint8_t>(body.size())});
    return base64(body);
}

FakeResponse FakeKms::answer(const FakeRequest &request)
{
    {
        const std::scoped_lock lock(mutex_);
        ++calls_;
        last_ = request;
        if (!failures_.empty())
        {
            FakeResponse failure = failures_.front();
            failures_.erase(failures_.begin());
            return failure;
        }
    }
    FakeResponse response;
    if (request.headers.at("x-amz-target") == "TrentService.GetPublicKey")
    {
        response.body = R"({"PublicKey":")" + publicKey() + "\"}";
        return response;
    }
    const std::string message = jsonValue(request.body)["Message"].asString();
    const std::string bytes = drogon::utils::base64Decode(message);
    core::Hash32 digest{};
    std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
    response.body = R"({"Signature":")" + derSignatureOf(digest) + "\"}";
    return response;
}

void FakeKms::fail(int status, const std::string &body, std::size_t times)
{
    FakeResponse failure;
    failure.body = body;
    failure.wire.status = status;
    const std::scoped_lock lock(mutex_);
    failures_.insert(failures_.end(), times, failure);
}

std::size_t FakeKms::calls()
{
    const std::scoped_lock lock(mutex_);
    return std::exchange(calls_, 0);
}

FakeRequest FakeKms::lastRequest()
{
    const std::scoped_lock lock(mutex_);
    return last_;
}
}  // namespace relayer::test
