// Brings what the gateway answered to the requests that asked.
//
//     { "name": "relayer::plugins::Responses",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store",
//                        "relayer::plugins::TxEngine"] }
//
// One thread with an event loop, to which all its state belongs (responses_handler.h). Without
// nodes (gateway.rpc.read) it does nothing. When the process dies, the inbox still has what was not
// handled.
#pragma once

#include "plugins/own_loop.h"
#include "plugins/responses_handler.h"

#include <drogon/plugins/Plugin.h>

#include <memory>
#include <mutex>

namespace relayer::plugins
{
class Responses : public drogon::Plugin<Responses>
{
  public:
    ~Responses() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Something may be there to be handled: an event was stored, or a receipt, and with it whose
    // the answers are. Any thread, at any time; cheap.
    void wake();

    [[nodiscard]] ResponseCounts counts() const;

  private:
    std::unique_ptr<OwnLoop> loop_;
    // Set while others may call in.
    mutable std::mutex door_;
    std::shared_ptr<ResponseHandler> handler_;
};
}  // namespace relayer::plugins
