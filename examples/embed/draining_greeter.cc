// The greeter, stopping in order: at SIGTERM the relayer ends what it has begun, and then the
// program ends. Beside that, an operator's POST /relayer/admin/drain stops it, and /metrics shows
// what the relayer counts.
#include <drogon/drogon.h>
#include <drogon_relayer/module.h>

#include <csignal>
#include <thread>
#include <unistd.h>

namespace
{
// Signals are waited for, on a thread of their own: what a handler may do is next to nothing. To be
// called before there are other threads, which would take the signal.
void drainAtSigterm()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    drogon::app().disableSigtermHandling();
    std::thread([signals] {
        int signal = 0;
        sigwait(&signals, &signal);
        drogon::app().getLoop()->queueInLoop([] {
            drogon::app().getPlugin<relayer::Module>()->drain(
                [](const relayer::Module::Drained &) { drogon::app().quit(); });
        });
    }).detach();
}

drogon::Task<drogon::HttpResponsePtr> metrics(drogon::HttpRequestPtr)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setContentTypeString("text/plain; version=0.0.4");
    response->setBody(co_await drogon::app().getPlugin<relayer::Module>()->metrics());
    co_return response;
}
}  // namespace

int main(int argc, char **argv)
{
    drainAtSigterm();
    drogon::app().registerBeginningAdvice([] {
        drogon::app().getPlugin<relayer::Module>()->whenAskedToStop(
            [] { kill(getpid(), SIGTERM); });
    });
    drogon::app().registerHandler("/metrics", &metrics);
    drogon::app().loadConfigFile(argc > 1 ? argv[1] : "config.json").run();
}
