#include "plugins/share_library.h"

#include "chain/rpc/json_answers.h"
#include "core/base64.h"
#include "plugins/share_library_abi.h"
#include "wire/json_writer.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <iostream>
#include <iterator>
#include <limits>
#include <utility>

namespace relayer::plugins
{
using core::Bytes;
using core::Hash32;

namespace
{
constexpr int kBadInput = -1;
constexpr std::size_t kMaxProof = 8192;
constexpr std::size_t kPathSize = 772;
constexpr std::size_t kCommitmentsSize = 32 * core::kShareCommitments;
// 16 million leaves in base64.
const chain::rpc::JsonLimits kLimits{.bytes = 800UL << 20U, .depth = 4, .values = 64};

// What the question says; every member must be there and fit.
class Question
{
  public:
    explicit Question(const Json::Value &document) : document_(document) {}

    Bytes bytes(const char *name)
    {
        const Json::Value &value = document_[name];
        auto read = value.isString() ? core::fromBase64(value.asString()) : std::nullopt;
        whole_ = whole_ && read.has_value();
        return read ? std::move(*read) : Bytes();
    }
    Bytes bytes(const char *name, std::size_t size)
    {
        Bytes read = bytes(name);
        whole_ = whole_ && read.size() == size;
        return read;
    }
    std::uint32_t number(const char *name)
    {
        const Json::Value &value = document_[name];
        const bool fits = (value.type() == Json::intValue || value.type() == Json::uintValue) &&
                          value.isUInt64() &&
                          value.asUInt64() <= std::numeric_limits<std::uint32_t>::max();
        whole_ = whole_ && fits;
        return fits ? static_cast<std::uint32_t>(value.asUInt64()) : 0;
    }
    [[nodiscard]] bool whole() const { return whole_; }

  private:
    const Json::Value &document_;
    bool whole_ = true;
};

std::string refusal(int code)
{
    return R"({"rc":)" + std::to_string(code) + "}";
}

std::string proofBy(sv_generate_share_reveal_t *prove, Question question)
{
    const Bytes path = question.bytes("merkle_path", kPathSize);
    const Bytes commitments = question.bytes("share_comms", kCommitmentsSize);
    const Bytes blind = question.bytes("primary_blind", 32);
    const Bytes c1 = question.bytes("enc_c1", 32);
    const Bytes c2 = question.bytes("enc_c2", 32);
    const Bytes round = question.bytes("round_id", 32);
    const std::uint32_t index = question.number("share_index");
    const std::uint32_t proposal = question.number("proposal_id");
    const std::uint32_t decision = question.number("vote_decision");
    if (!question.whole())
    {
        return refusal(kBadInput);
    }
    Bytes proof(kMaxProof);
    std::size_t size = 0;
    Hash32 nullifier{};
    Hash32 root{};
    const int code =
        prove(path.data(), path.size(), commitments.data(), commitments.size(), blind.data(),
              c1.data(), c2.data(), index, proposal, decision, round.data(), proof.data(),
              proof.size(), &size, nullifier.data(), root.data());
    if (code != 0 || size > proof.size())
    {
        return refusal(code != 0 ? code : kBadInput);
    }
    proof.resize(size);
    wire::JsonWriter json;
    json.beginObject().key("proof").text(core::toBase64(proof));
    json.key("share_nullifier").text(core::toBase64(nullifier)).endObject();
    return std::move(json).take();
}

std::string pathBy(sv_vote_tree_path_t *makePath, Question question)
{
    const Bytes leaves = question.bytes("leaves");
    const std::uint32_t position = question.number("position");
    if (!question.whole() || leaves.size() % 32 != 0 || position >= leaves.size() / 32)
    {
        return refusal(kBadInput);
    }
    Bytes path(kPathSize);
    Hash32 root{};
    const int code = makePath(leaves.data(), leaves.size() / 32, position, path.data(), path.size(),
                              root.data());
    if (code != 0)
    {
        return refusal(code);
    }
    wire::JsonWriter json;
    json.beginObject().key("merkle_path").text(core::toBase64(path));
    json.key("root").text(core::toBase64(root)).endObject();
    return std::move(json).take();
}

// What dlsym gives is a function; C++ has no better word for it.
template <typename Function>
Function *asFunction(void *found)
{
    return reinterpret_cast<Function *>(found);  // NOLINT(*-reinterpret-cast)
}
}  // namespace

ShareLibrary::ShareLibrary(const std::string &path)
    : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
{
    if (handle_ == nullptr)
    {
        const char *why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread in glibc
        throw LibraryError(why != nullptr ? why : "the library can not be loaded");
    }
    prove_ = find("sv_generate_share_reveal");
    path_ = find("sv_vote_tree_path");
    hash_ = find("sv_vote_commitment_hash");
    if (prove_ == nullptr || path_ == nullptr)
    {
        throw LibraryError(
            "the library does not export sv_generate_share_reveal and sv_vote_tree_path");
    }
}

void *ShareLibrary::find(const char *name) const
{
    return ::dlsym(handle_, name);
}

std::optional<Hash32> ShareLibrary::commitmentOf(const core::VoteShare &share) const
{
    Hash32 commitment{};
    const bool made =
        hash_ != nullptr && asFunction<sv_vote_commitment_hash_t>(hash_)(
                                share.key.round.data(), share.sharesHash.data(), share.key.proposal,
                                share.voteDecision, commitment.data()) == 0;
    return made ? std::optional(commitment) : std::nullopt;
}

std::string ShareLibrary::answer(const std::string &question) const
{
    const auto document = chain::rpc::parseJson(question, kLimits);
    if (!document || !document->isObject())
    {
        return refusal(kBadInput);
    }
    const Json::Value &op = (*document)["op"];
    if (op == "path")
    {
        return pathBy(asFunction<sv_vote_tree_path_t>(path_), Question(*document));
    }
    return op == "prove"
               ? proofBy(asFunction<sv_generate_share_reveal_t>(prove_), Question(*document))
               : refusal(kBadInput);
}

int workAsProver(const std::string &library)
{
    try
    {
        const ShareLibrary loaded(library);
        const std::string question((std::istreambuf_iterator<char>(std::cin)),
                                   std::istreambuf_iterator<char>());
        std::cout << loaded.answer(question) << "\n" << std::flush;
        return std::cout ? 0 : 1;
    }
    catch (const LibraryError &error)
    {
        std::cerr << "relayer: " << error.what() << "\n";
        return 1;
    }
}
}  // namespace relayer::plugins
