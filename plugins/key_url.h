// Where the public key and the CRS of the day are: asked of the chain now and then (`keyurl`), and
// told to clients from memory.
//
//     { "name": "relayer::plugins::KeyUrl", "dependencies": ["relayer::plugins::Settings"] }
//
// Has a thread of its own. The start does not wait for the chain. What is known can be asked for by
// any thread, also when the plugin has been shut down.
#pragma once

#include "plugins/key_url_poller.h"
#include "plugins/own_loop.h"

#include <drogon/plugins/Plugin.h>

#include <memory>
#include <optional>

namespace relayer::plugins
{
class KeyUrl : public drogon::Plugin<KeyUrl>
{
  public:
    ~KeyUrl() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Without keyurl.kms_generation_address nothing is asked, and nothing is ever known.
    [[nodiscard]] bool isOn() const { return poller_ != nullptr; }
    [[nodiscard]] std::optional<KeyUrlPoller::Told> told() const;
    [[nodiscard]] bool healthy() const { return poller_ && poller_->healthy(); }

  private:
    std::unique_ptr<OwnLoop> loop_;
    std::shared_ptr<KeyUrlPoller> poller_;  // constant after initAndStart
};
}  // namespace relayer::plugins
