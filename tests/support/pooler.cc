#include "support/pooler.h"

#include "support/eventually.h"
#include "support/loopback.h"
#include "support/source_dir.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <libpq-fe.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace relayer::test
{
namespace
{
// Named prepared statements in transaction mode came with it.
constexpr int kMajor = 1;
constexpr int kLeastMinor = 21;

std::string program()
{
    const char *given = std::getenv("RELAYER_PGBOUNCER");
    if (given != nullptr && *given != '\0')
    {
        return given;
    }
    // Debian has it where only root's PATH leads; scripts/setup.sh leaves one below build.
    for (const auto &path : {std::filesystem::path("/usr/sbin/pgbouncer"),
                             sourceDir() / "build/deps/pgbouncer/usr/sbin/pgbouncer"})
    {
        if (std::filesystem::exists(path))
        {
            return path.string();
        }
    }
    return "pgbouncer";
}

// "PgBouncer 1.24.1"
std::string version()
{
    const std::string line = "'" + program() + "' --version 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(line.c_str(), "re"), &pclose);
    std::array<char, 256> text{};
    return pipe && std::fgets(text.data(), text.size(), pipe.get()) != nullptr ? text.data() : "";
}

bool onDebian12()
{
    std::ifstream release("/etc/os-release");
    for (std::string line; std::getline(release, line);)
    {
        if (line == "VERSION_CODENAME=bookworm")
        {
            return true;
        }
    }
    return false;
}
}  // namespace

std::string Pooler::whyMissing()
{
    const std::string found = version();
    int major = 0;
    int minor = 0;
    if (std::sscanf(found.c_str(), "PgBouncer %d.%d", &major, &minor) != 2)
    {
        return onDebian12() ? "allowed: Debian 12 has PgBouncer 1.18, prepared statements need 1.21"
                            : "PgBouncer is not there: scripts/setup.sh --for test brings it";
    }
    if (major < kMajor || (major == kMajor && minor < kLeastMinor))
    {
        return "allowed: " + found.substr(0, found.find('\n')) +
               " keeps no prepared statements in transaction mode: 1.21 does";
    }
    return "";
}

Pooler::Pooler(const std::string &url)
{
    std::string folder = "/var/tmp/relayer-pooler.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr || chmod(folder.c_str(), 0755) != 0)
    {
        throw std::runtime_error("no folder for PgBouncer");
    }
    folder_ = folder;
    const std::uint16_t port = freePort();
    url_ = throughPort(url, port);
    configure(url, port);
    std::vector<std::string> arguments = {program()};
    if (geteuid() == 0)
    {
        // It refuses to be root.
        arguments.insert(arguments.end(), {"-u", "postgres"});
    }
    arguments.push_back(folder_ + "/pgbouncer.ini");
    std::vector<char *> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string &argument : arguments)
    {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    const std::string log = folder_ + "/log";
    pid_ = fork();
    if (pid_ == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    awaitStart();
}

Pooler::~Pooler()
{
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void Pooler::configure(const std::string &url, std::uint16_t port) const
{
    const auto user = url.find("//") + 2;
    const auto password = url.find(':', user) + 1;
    const auto host = url.find('@', password) + 1;
    const auto colon = url.find(':', host);
    std::ofstream(folder_ + "/users") << '"' << url.substr(user, password - 1 - user) << "\" \""
                                      << url.substr(password, host - 1 - password) << "\"\n";
    std::ofstream(folder_ + "/pgbouncer.ini")
        << "[databases]\n* = host=" << url.substr(host, colon - host)
        << " port=" << url.substr(colon + 1, url.find('/', colon) - colon - 1)
        << " connect_query='SET statement_timeout = 5000; SET synchronous_commit = on;"
           " SET idle_in_transaction_session_timeout = 30000'\n"
        << "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " << port
        << "\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = " << folder_
        << "/users\npool_mode = transaction\nmax_prepared_statements = 200\n"
           "default_pool_size = 4\nignore_startup_parameters = statement_timeout,"
           "synchronous_commit,idle_in_transaction_session_timeout\n";
}

void Pooler::awaitStart() const
{
    const auto connects = [this] {
        const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url_.c_str()),
                                                                      &PQfinish);
        return PQstatus(connection.get()) == CONNECTION_OK;
    };
    if (!eventually(connects))
    {
        throw std::runtime_error("PgBouncer does not start: " + log());
    }
}

std::string Pooler::log() const
{
    std::ostringstream text;
    text << std::ifstream(folder_ + "/log").rdbuf();
    return text.str();
}
}  // namespace relayer::test
