// What an application that embeds the relayer may know of it. Most need none of this: the plugin is
// listed in the application's configuration, and docs/embedding.md says how.
//
//     { "name": "relayer::Module",
//       "config": { "http": { "path_prefix": "/relayer", ... }, "database": { ... } } }
//
// Drogon owns the one instance:
//
//     auto *relayer = drogon::app().getPlugin<relayer::Module>();
#pragma once

#include <drogon/plugins/Plugin.h>
#include <drogon/utils/coroutine.h>

#include <functional>
#include <string>

namespace relayer
{
class Module : public drogon::Plugin<Module>
{
  public:
    // Starts all that the relayer consists of, and puts its routes below http.path_prefix. Throws
    // out of app().run(), with a text for people, when it can not work with what it is configured
    // with.
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    struct Drained
    {
        bool complete = false;
        std::string left;  // "transactions=3", or "nothing"; it is in the database
    };
    // The orderly stop, for an application that has been told to stop. The relayer goes on taking
    // in and answering, claims nothing new, and ends what it has begun. `done` is called on
    // Drogon's main loop, once, within instance.drain_deadline. What it does is the application's
    // to say; quit() most often. Any thread, but no signal handler. Only the first call counts.
    void drain(std::function<void(const Drained &)> done);
    // What is done when an operator asks for a stop (POST /admin/drain): the application stops as
    // if it had been told to. Without it the relayer drains, and the application stays. To be set
    // before Drogon's loop runs: in a beginning advice, for example.
    void whenAskedToStop(std::function<void()> stop);

    // Prometheus' text, for the application to show where it likes. Any thread.
    [[nodiscard]] drogon::Task<std::string> metrics();

    // "0.1.0"
    [[nodiscard]] static std::string version();
};
}  // namespace relayer
