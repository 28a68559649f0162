// The host chains that we serve: for each its ACL contract and a node to ask.
//
//     { "name": "relayer::plugins::HostChains", "dependencies": ["relayer::plugins::Settings"] }
//
// One thread with an event loop, on which the nodes live and callers of theirs are resumed. What is
// found here is constant from initAndStart to shutdown and may be read by any thread; whoever may
// be asked later keeps the node itself. Nothing here outlives the process, and nothing needs to.
#pragma once

#include "chain/rpc/node.h"
#include "config/settings.h"
#include "core/address.h"
#include "core/host_chain.h"
#include "models/gate.h"
#include "plugins/own_loop.h"

#include <drogon/plugins/Plugin.h>

#include <cstdint>
#include <map>
#include <memory>

namespace relayer::plugins
{
struct HostChain
{
    std::uint64_t chainId = 0;
    core::Address acl{};
    std::shared_ptr<chain::rpc::Node> node;
};

class HostChains : public drogon::Plugin<HostChains>
{
  public:
    ~HostChains() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // None: we do not serve that chain.
    [[nodiscard]] const HostChain *find(std::uint64_t chainId) const;
    [[nodiscard]] const core::ChainIds &ids() const { return ids_; }
    [[nodiscard]] trantor::EventLoop *loop() const { return loop_->get(); }

  private:
    void connect(const config::Settings &settings);

    std::unique_ptr<OwnLoop> loop_;
    std::shared_ptr<models::Gate> gate_;
    std::map<std::uint64_t, HostChain> chains_;
    core::ChainIds ids_;
};
}  // namespace relayer::plugins
