#include "plugins/key_url_reader.h"

#include "chain/key_views.h"
#include "wire/utf8.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace relayer::plugins
{
using chain::NodeStorage;
using drogon::Task;

namespace
{
template <typename Value>
Value sane(std::optional<Value> value, const char *what)
{
    if (!value)
    {
        throw NoKeyUrl(what);
    }
    return std::move(*value);
}

// Goes to clients inside JSON, and from there into their requests.
bool isFitForAUrl(std::string_view text)
{
    return wire::isUtf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
               return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
           });
}

wire::KeyLocation locationOf(const NodeStorage &storage, wire::KeyMaterial material,
                             const core::Hash32 &id)
{
    return {id, wire::materialUrl(storage.url, storage.prefix, material, id)};
}
}  // namespace

Task<std::optional<KeyUrlReader::Found>> KeyUrlReader::read(std::optional<Active> known)
{
    const Active active = co_await readActive();
    if (known == active)
    {
        co_return std::nullopt;
    }
    co_return co_await locate(active);
}

Task<KeyUrlReader::Active> KeyUrlReader::readActive()
{
    Active active;
    active.key = co_await askWord(chain::activeKeyId());
    active.crs = co_await askWord(chain::activeCrsId());
    const core::Bytes answer =
        co_await ask(contracts_.protocolConfig, chain::currentKmsContextAndEpoch());
    const auto both =
        sane(chain::contextAndEpochAnswer(answer), "the current KMS context can not be read");
    active.context = both.context;
    active.epoch = both.epoch;
    co_return active;
}

Task<KeyUrlReader::Found> KeyUrlReader::locate(Active active)
{
    // What they say does not matter, but that they say it: else the key is not there yet.
    co_await ask(contracts_.kmsGeneration, chain::keyMaterials(active.key));
    co_await ask(contracts_.kmsGeneration, chain::crsMaterials(active.crs));

    const core::Bytes anchor =
        co_await ask(contracts_.protocolConfig, chain::kmsContextAnchor(active.context));
    chain::rpc::LogFilter filter;
    filter.fromBlock = sane(chain::anchorBlockAnswer(anchor), "the KMS context has no block");
    filter.toBlock = filter.fromBlock;
    filter.addresses = {contracts_.protocolConfig};
    filter.anyTopic0 = {chain::newKmsContextTopic()};
    const chain::rpc::Logs logs = co_await node_->logs(std::move(filter));

    // Nodes may pass over the filter, and give what they have.
    const auto last =
        std::find_if(logs.logs.rbegin(), logs.logs.rend(), [this, &active](const chain::Log &log) {
            return log.address == contracts_.protocolConfig && log.topics.size() >= 2 &&
                   log.topics[0] == chain::newKmsContextTopic() && log.topics[1] == active.context;
        });
    if (last == logs.logs.rend())
    {
        throw NoKeyUrl("the block of the KMS context does not have its event");
    }
    const NodeStorage storage =
        sane(chain::storageOfFirstNode(*last), "the event of the KMS context names no node");
    if (storage.url.empty() || !isFitForAUrl(storage.url) || !isFitForAUrl(storage.prefix))
    {
        throw NoKeyUrl("the storage of the first KMS node is no URL");
    }
    Found found;
    found.active = active;
    found.publicKey = locationOf(storage, wire::KeyMaterial::PublicKey, active.key);
    found.crs = locationOf(storage, wire::KeyMaterial::Crs, active.crs);
    co_return found;
}

Task<core::Bytes> KeyUrlReader::ask(core::Address contract, core::Bytes question)
{
    chain::rpc::Call call;
    call.to = contract;
    call.input = std::move(question);
    const std::string finalized = "finalized";
    co_return co_await node_->call(std::move(call), finalized);
}

Task<core::Hash32> KeyUrlReader::askWord(core::Bytes question)
{
    const core::Bytes answer = co_await ask(contracts_.kmsGeneration, std::move(question));
    co_return sane(chain::wordAnswer(answer), "an active id can not be read");
}
}  // namespace relayer::plugins
