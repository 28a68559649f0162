#include "support/nginx.h"

#include "support/http_client.h"
#include "support/source_dir.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
// Debian keeps it out of the path of users; scripts/setup.sh unpacks one where there is none.
std::string program()
{
    for (const std::filesystem::path &path :
         {std::filesystem::path("/usr/sbin/nginx"), std::filesystem::path("/usr/local/sbin/nginx"),
          std::filesystem::path("/usr/bin/nginx"), sourceDir() / "build/deps/nginx/usr/sbin/nginx"})
    {
        if (std::filesystem::exists(path))
        {
            return path;
        }
    }
    return "";
}

std::string textOf(const std::filesystem::path &path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void replace(std::string &text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.find(what);
    if (at == std::string::npos)
    {
        throw std::runtime_error("deploy/nginx.conf has no '" + what + "'");
    }
    text.replace(at, what.size(), with);
}

// What a distribution has around the files in conf.d, with nothing outside of the folder.
std::string mainFile(const std::string &folder)
{
    std::string text =
        "daemon off;\nworker_processes 2;\npid " + folder + "/pid;\nerror_log " + folder +
        "/error.log;\nevents { worker_connections 1024; }\nhttp {\naccess_log off;\n";
    for (const std::string kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    {
        text += kind + "_temp_path " + folder + "/" + kind + ";\n";
    }
    return text + "include " + folder + "/relayer.conf;\n}\n";
}

bool answers(std::uint16_t port)
{
    return HttpClient(port, std::chrono::seconds(5)).get("/liveness").has_value();
}
}  // namespace

std::uint16_t unusedPort()
{
    static std::mt19937 draw{std::random_device{}()};
    for (;;)
    {
        std::uniform_int_distribution<int> among(15'000, 31'999);
        const auto port = static_cast<std::uint16_t>(among(draw));
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const bool free =
            ::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0;
        ::close(socket);
        if (free)
        {
            return port;
        }
    }
}

std::string Nginx::whyMissing()
{
    return program().empty() ? "there is no nginx on this machine; scripts/setup.sh --for test "
                               "fetches it where apt can"
                             : "";
}

Nginx::Nginx(const std::array<std::uint16_t, 2> &instances) : port_(unusedPort())
{
    folder_ = "/var/tmp/relayer-nginx.XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr)
    {
        throw std::runtime_error("no folder for nginx");
    }
    // Its workers may run as another user.
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    std::string site = textOf(sourceDir() / "deploy/nginx.conf");
    replace(site, "127.0.0.1:8088", "127.0.0.1:" + std::to_string(instances[0]));
    replace(site, "127.0.0.1:8089", "127.0.0.1:" + std::to_string(instances[1]));
    replace(site, "listen 8080", "listen 127.0.0.1:" + std::to_string(port_));
    std::ofstream(folder_ + "/relayer.conf") << site;
    const std::string main = folder_ + "/nginx.conf";
    std::ofstream(main) << mainFile(folder_);

    const std::string path = program();
    const std::string log = folder_ + "/error.log";
    pid_ = fork();
    if (pid_ == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(path.c_str(), path.c_str(), "-c", main.c_str(), "-e", log.c_str(), nullptr);
        _exit(127);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!answers(port_))
    {
        if (waitpid(pid_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > deadline)
        {
            throw std::runtime_error("nginx does not come up: " + errors());
        }
    }
}

Nginx::~Nginx()
{
    ::kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string Nginx::errors() const
{
    return textOf(folder_ + "/error.log");
}
}  // namespace relayer::test
