// The ready server: a thin host around the module. Everything that an application which embeds the
// module decides for itself (listener, threads, limits, log level) is decided here, and only here.

#include "config/port_reservation.h"
#include "config/program.h"
#include "config/reference.h"
#include "config/schema.h"
#include "config/service_notices.h"
#include "config/upload_folder.h"
#include "controllers/admin_listener.h"
#include "controllers/cors.h"
#include "controllers/error_pages.h"
#include "controllers/metrics_listener.h"
#include "controllers/mounted.h"
#include "importer/import_file.h"
#include "plugins/core_dumps.h"
#include "plugins/descriptor_limit.h"
#include "plugins/drain.h"
#include "plugins/log_level.h"
#include "plugins/log_sink.h"
#include "plugins/loop_pulse.h"
#include "plugins/migrate.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/share_library.h"
#include "wire/build_info.h"

#include <drogon/drogon.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace
{
using namespace relayer;

// Set once Drogon's loop runs; read by the signal handlers.
std::atomic<bool> serving{false};
// Nothing is left to do but to quit.
std::atomic<bool> drained{false};
// Held by the thread that takes signals while it wakes Drogon's loop, which must not go meanwhile.
std::mutex waking;

// How long after its deadline a drain that does not end is ended.
constexpr std::chrono::milliseconds kBehindDeadline{1000};
constexpr std::chrono::milliseconds kQuitting{4000};

// As sysexits.h names them.
enum ExitCode
{
    Stopped = 0,
    WrongUsage = 64,
    Unavailable = 69,  // the port, or the database
    Failed = 70,
    Unfinished = 75,  // the deadline of the drain has passed; a start goes on with what is left
    WrongConfiguration = 78,
};

std::vector<std::string> registeredPlugins()
{
    return drogon::DrClassMap::getAllClassName();
}

/// At once, but with what is in the log.
[[noreturn]] void endNow(int code)
{
    plugins::LogSink::flushInstalled();
    std::fflush(nullptr);
    std::_Exit(code);
}

/// Before anything is logged.
void openLog(const config::LogSettings &log)
{
    plugins::LogSink::Options options;
    options.format = log.format == "json" ? core::LogFormat::Json : core::LogFormat::Text;
    plugins::LogSink::install(options);
    plugins::setLogLevel(log.level);
}

std::string uploadPath()
{
    const char *temporary = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): one thread yet
    const std::string below = temporary && *temporary ? temporary : "/tmp";
    auto folder = config::uploadFolder(below);
    if (folder.empty())
    {
        throw std::runtime_error("cannot make a folder in " + below);
    }
    return folder;
}

/// After loadConfigJson: an `app` section in the file sets what it leaves out to Drogon's defaults.
void applyHostSettings(const config::Settings &settings, std::uint16_t port)
{
    const auto &host = settings.host;
    const auto idle = std::chrono::ceil<std::chrono::seconds>(host.idleConnectionTimeout);
    const auto threads = host.ioThreads == 0 ? std::thread::hardware_concurrency() : host.ioThreads;
    // Above our own limit, so that a body somewhat too large is answered by us and not by an empty
    // 413, and all of it in memory: Drogon would write larger ones to a file.
    const auto bodyLimit = 2 * settings.http.maxBody;
    drogon::app()
        .addListener(host.address, port)
        .setThreadNum(std::max<std::size_t>(threads, 1))
        .setIdleConnectionTimeout(static_cast<std::size_t>(idle.count()))
        .setClientMaxBodySize(bodyLimit)
        .setClientMaxMemoryBodySize(bodyLimit)
        .setClientMaxWebSocketMessageSize(bodyLimit)
        .setUploadPath(uploadPath())
        .enableServerHeader(false);
    // What the file's `app` may have set.
    plugins::setLogLevel(settings.log.level);
}

/// Says where we listen once every thread does, and calls `then` on the main loop. Beginning
/// advices run before that: each thread's listening waits in its queue, so what we queue behind it
/// runs when it is done.
void announceWhenListening(const std::string &lines, const config::ServiceNotices &manager,
                           const std::function<void()> &then)
{
    auto waiting = std::make_shared<std::atomic<std::size_t>>(drogon::app().getThreadNum());
    for (std::size_t i = 0; i < drogon::app().getThreadNum(); ++i)
    {
        drogon::app().getIOLoop(i)->queueInLoop([waiting, lines, &manager, then] {
            if (--*waiting == 0)
            {
                // In one piece: a log line of another thread must not come between.
                std::cout << lines << std::flush;
                manager.ready(lines.substr(lines.rfind('\n', lines.size() - 2) + 1));
                drogon::app().getLoop()->queueInLoop(then);
            }
        });
    }
}

int unavailable(const std::string &why)
{
    std::cerr << "relayer: " << why << "\n";
    return Unavailable;
}

/// Tells the service manager that we are alive, twice as often as it wants to hear it, as long as
/// all loops turn. To be dropped before Drogon quits, since its loops go then.
class Watchdog
{
  public:
    explicit Watchdog(const config::ServiceNotices &manager)
    {
        if (const auto period = manager.watchdog())
        {
            thread_ = std::jthread([&manager, pause = *period / 2](const std::stop_token &stop) {
                watch(manager, pause, stop);
            });
        }
    }

  private:
    static void watch(const config::ServiceNotices &manager, std::chrono::microseconds pause,
                      const std::stop_token &stop)
    {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        plugins::LoopPulse pulse(plugins::LoopPulse::eachOfTheProgram);
        do
        {
            const auto silent = pulse.silent();
            if (silent.empty())
            {
                manager.alive();
            }
            for (const std::string &name : silent)
            {
                LOG_ERROR << "step=loop_stands_still alert=true loop=" << name;
            }
        }
        while (!wake.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); }));
    }

    std::jthread thread_;
};

[[noreturn]] void endUnfinished(const std::string &left)
{
    LOG_ERROR << "step=drain_unfinished left: " << left
              << "; it is in the database, and the next start goes on with it";
    endNow(Unfinished);
}

/// Drains, and quits. On the thread that takes signals.
void beginToStop(int signal, const config::ServiceNotices &manager,
                 std::optional<Watchdog> &watchdog)
{
    LOG_INFO << "step=stopping signal=" << signal;
    manager.stopping("draining");
    const std::lock_guard held(waking);
    drogon::app().getLoop()->queueInLoop([&manager, &watchdog] {
        plugins::sharedPart<plugins::Drain>()->begin(
            [&watchdog](const plugins::Drain::Outcome &outcome) {
                if (!outcome.complete)
                {
                    endUnfinished(outcome.left);
                }
                LOG_INFO << "step=drained";
                drained = true;
                watchdog.reset();
                drogon::app().quit();
            },
            [&manager](const std::string &left) { manager.status("draining: " + left); });
    });
}

/// Ends the program at a second signal, at the deadline should the loops not get to it, and when
/// all is done but Drogon does not come to its end: plugins give nodes that do not answer a moment
/// each.
[[noreturn]] void endBy(std::chrono::milliseconds deadline, const sigset_t &signals)
{
    using Clock = std::chrono::steady_clock;
    constexpr timespec kSlice{0, 100'000'000};
    const auto end = Clock::now() + deadline + kBehindDeadline;
    std::optional<Clock::time_point> drainedAt;
    while (Clock::now() < end)
    {
        if (const int second = sigtimedwait(&signals, nullptr, &kSlice); second > 0)
        {
            endNow(128 + second);
        }
        if (drained && !drainedAt)
        {
            drainedAt = Clock::now();
        }
        if (drainedAt && Clock::now() >= *drainedAt + kQuitting)
        {
            break;
        }
    }
    if (!drainedAt)
    {
        endUnfinished("the program itself stands still");
    }
    LOG_WARN << "step=ended_without_waiting: nothing is left, but not all calls have come back";
    endNow(Stopped);
}

/// Signals are taken by a thread of their own, since Drogon would call quit(), which allocates, out
/// of a handler that may have interrupted an allocation. To be called before any other thread
/// starts. A signal before Drogon's loop runs ends the program, as nothing is served by then and
/// quit() would do nothing; so does a second one, for those who can not wait: that is safe at any
/// instruction.
void stopOnSignals(std::chrono::milliseconds deadline, const config::ServiceNotices &manager,
                   std::optional<Watchdog> &watchdog)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    drogon::app().disableSigtermHandling();
    std::thread([signals, deadline, &manager, &watchdog] {
        int signal = 0;
        while (sigwait(&signals, &signal) != 0)
        {
        }
        if (!serving)
        {
            endNow(Stopped);
        }
        beginToStop(signal, manager, watchdog);
        endBy(deadline, signals);
    }).detach();
}

/// A port that is ours from the start, and that Drogon listens on later.
struct Door
{
    std::string line;  // what is said when it is open
    std::string address;
    config::PortReservation port;

    Door(std::string_view name, std::string at, std::uint64_t wanted)
        : address(std::move(at)), port(address, static_cast<std::uint16_t>(wanted))
    {
        line = std::string(name) + " on http://" + config::hostAndPort(address, port.port()) + "\n";
    }
    /// Drogon would share a port that another of us took while the plugins started.
    std::string whoStoleIt()
    {
        port.release();
        return config::PortReservation(address, port.port()).wrong();
    }
};

/// Those of the clients, of who watches and of who administers.
struct Doors
{
    Door clients;
    std::optional<Door> metrics;
    std::optional<Door> admin;

    explicit Doors(const config::Settings &settings)
        : clients("listening", settings.host.address, settings.host.port)
    {
        if (settings.metrics.enabled)
        {
            metrics.emplace("metrics", settings.metrics.address, settings.metrics.port);
        }
        if (settings.admin.hasOwnListener())
        {
            admin.emplace("admin", settings.admin.address, settings.admin.port);
        }
    }
    std::string wrong() const
    {
        return clients.port.wrong() + (metrics ? metrics->port.wrong() : "") +
               (admin ? admin->port.wrong() : "");
    }
    std::string whoStoleOne()
    {
        return clients.whoStoleIt() + (metrics ? metrics->whoStoleIt() : "") +
               (admin ? admin->whoStoleIt() : "");
    }
    /// That of the clients is the last.
    std::string lines() const
    {
        return (metrics ? metrics->line : "") + (admin ? admin->line : "") + clients.line;
    }
    void openBesideThatOfTheClients() const
    {
        if (metrics)
        {
            drogon::app().addListener(metrics->address, metrics->port.port());
            controllers::installMetricsListener(metrics->port.port());
        }
        if (admin)
        {
            drogon::app().addListener(admin->address, admin->port.port());
            controllers::installAdminListener(admin->port.port());
        }
    }
};

/// Serves until a signal ends it.
int serve(config::Program program)
{
    const auto &settings = program.loaded.settings;
    Doors doors(settings);
    const std::string wrong = doors.wrong();
    if (!wrong.empty())
    {
        return unavailable(wrong);
    }
    // Never destroyed: the thread that takes signals may speak to it to the last moment.
    static const auto &manager =
        *new config::ServiceNotices(config::ServiceNotices::environment(), getpid());
    std::optional<Watchdog> watchdog;
    stopOnSignals(settings.instance.drainDeadline, manager, watchdog);
    // Behind that: it begins a thread, which would take the signals.
    openLog(settings.log);
    plugins::raiseDescriptorLimit();
    plugins::refuseCoreDumps();
    plugins::Settings::provide(settings);
    drogon::app().loadConfigJson(std::move(program.file));
    applyHostSettings(settings, doors.clients.port.port());
    doors.openBesideThatOfTheClients();
    controllers::installCors(config::partsOf(settings.http.corsOrigins));
    controllers::installErrorPages();
    controllers::mountRoutes(settings.http.pathPrefix);
    std::string stolen;
    drogon::app().registerBeginningAdvice([&] {
        serving = true;
        // As if a service manager had told us.
        plugins::part<plugins::Drain>()->whenAsked([] { kill(getpid(), SIGTERM); });
        stolen = doors.whoStoleOne();
        if (!stolen.empty())
        {
            drogon::app().quit();
            return;
        }
        drogon::app().getLoop()->queueInLoop([&] {
            announceWhenListening(doors.lines(), manager, [&] {
                if (!drained)
                {
                    watchdog.emplace(manager);
                }
            });
        });
    });
    drogon::app().run();
    const std::lock_guard nobodyWakesIt(waking);
    return stolen.empty() ? Stopped : unavailable(stolen);
}

int complain(const config::Problems &problems)
{
    for (const auto &problem : problems)
    {
        std::cerr << config::line(problem) << "\n";
    }
    return WrongConfiguration;
}

int migrate(const config::DatabaseSettings &database)
{
    using Outcome = models::MigrationReport::Outcome;
    const auto report = plugins::migrateNow(database);
    for (const std::string &applied : report.applied)
    {
        std::cout << "applied " << applied << "\n";
    }
    if (report.outcome == Outcome::UpToDate)
    {
        std::cout << "the schema is that of this program, " << models::embeddedMigrations().size()
                  << " migrations\n";
        return Stopped;
    }
    std::cerr << "relayer: " << report.message << "\n";
    return report.outcome == Outcome::Unreachable ? Unavailable : Failed;
}

int perform(const config::CommandLine &commandLine)
{
    using Task = config::CommandLine::Task;
    switch (commandLine.task)
    {
        case Task::Help: std::cout << config::usage(); return Stopped;
        case Task::Version:
            std::cout << "relayer " << wire::buildInfo().version << "\n";
            return Stopped;
        case Task::ConfigReference: std::cout << config::configurationReference(); return Stopped;
        case Task::ConfigExample: std::cout << config::exampleFile(); return Stopped;
        case Task::Prove: return plugins::workAsProver(commandLine.proverLibrary);
        case Task::ImportConfig:
            return importer::importFile(commandLine.foreignConfig, std::cout, std::cerr)
                       ? Stopped
                       : WrongConfiguration;
        case Task::Run:
        case Task::CheckConfig:
        case Task::PrintConfig:
        case Task::Migrate: break;
    }
    auto program = config::prepare(commandLine, config::processEnvironment(),
                                   config::processHostName(), registeredPlugins());
    if (!program.loaded.problems.empty())
    {
        return complain(program.loaded.problems);
    }
    if (commandLine.task == Task::PrintConfig)
    {
        std::cout << (commandLine.asJson ? config::effectiveConfigurationAsJson(program.loaded)
                                         : config::effectiveConfiguration(program.loaded));
        return Stopped;
    }
    if (commandLine.task == Task::CheckConfig)
    {
        std::cout << "the configuration is valid\n";
        return Stopped;
    }
    if (commandLine.task == Task::Migrate)
    {
        return migrate(program.loaded.settings.database);
    }
    return serve(std::move(program));
}
}  // namespace

int main(int argc, char **argv)
{
    const std::span<const char *const> arguments(argv, static_cast<std::size_t>(argc));
    const auto commandLine = config::parseCommandLine(arguments.subspan(argc > 0 ? 1 : 0));
    if (!commandLine.wrong.empty())
    {
        std::cerr << "relayer: " << commandLine.wrong << "\nTry: relayer --help\n";
        return WrongUsage;
    }
    try
    {
        return perform(commandLine);
    }
    catch (const std::exception &error)
    {
        std::cerr << "relayer: " << error.what() << "\n";
        // Drogon's threads wait for a start that will not come; its destructors would only add a
        // FATAL of their own and another exit code.
        endNow(Failed);
    }
}
