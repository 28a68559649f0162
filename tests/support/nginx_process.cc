#include "support/nginx_process.h"

#include "support/command_lines.h"
#include "support/eventually.h"
#include "support/loopback.h"
#include "support/source_dir.h"

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

// What a machine with IPv6 has beside, and what a test must not listen on.
void removeLine(std::string &text, const std::string &what)
{
    replace(text, "    listen " + what + ";\n", "");
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
        const sockaddr_in address = loopback(port);
        const bool free =
            ::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0;
        ::close(socket);
        if (free)
        {
            return port;
        }
    }
}

std::string NginxProcess::whyMissing()
{
    return program().empty() ? "there is no nginx on this machine; scripts/setup.sh --for test "
                               "fetches it where apt can"
                             : "";
}

void NginxProcess::writeFiles(const std::array<std::uint16_t, 2> &instances,
                              const std::string &locations) const
{
    const std::string here = "127.0.0.1:";
    std::string site = textOf(sourceDir() / "deploy/nginx.conf");
    replace(site, here + "8088", here + std::to_string(instances[0]));
    replace(site, here + "8089", here + std::to_string(instances[1]));
    removeLine(site, "[::]:80");
    removeLine(site, "[::]:443 ssl http2");
    replace(site, "listen 80;", "listen " + here + std::to_string(plainPort_) + ";");
    replace(site, "listen 443 ", "listen " + here + std::to_string(port_) + " ");
    replace(site, "/etc/ssl/relayer/fullchain.pem", certificate());
    replace(site, "/etc/ssl/relayer/privkey.pem", folder_ + "/key.pem");
    replace(site, "/var/log/nginx/relayer.log", folder_ + "/access.log");
    replace(site, "# \"https://app.example\" ", "\"https://app.example\" ");
    const std::string last = "    location / {\n        limit_req";
    replace(site, last, locations + last);
    std::ofstream(folder_ + "/relayer.conf") << site;
    std::ofstream(folder_ + "/nginx.conf") << mainFile(folder_);
    const auto told = linesOf(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        " -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
        " -keyout '" +
        folder_ + "/key.pem' -out '" + certificate() + "' 2>&1");
    if (!std::filesystem::exists(certificate()))
    {
        throw std::runtime_error("no certificate: " + (told.empty() ? "" : told.back()));
    }
}

NginxProcess::NginxProcess(const std::array<std::uint16_t, 2> &instances,
                           const std::string &locations)
    : port_(unusedPort()), plainPort_(unusedPort())
{
    folder_ = "/var/tmp/relayer-nginx.XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr)
    {
        throw std::runtime_error("no folder for nginx");
    }
    // Its workers may run as another user.
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    try
    {
        writeFiles(instances, locations);
        start();
    }
    catch (...)
    {
        end();
        throw;
    }
}

void NginxProcess::start()
{
    const std::string path = program();
    const std::string main = folder_ + "/nginx.conf";
    const std::string log = folder_ + "/error.log";
    for (const std::string &line :
         linesOf("'" + path + "' -t -c '" + main + "' -e '" + log + "' 2>&1"))
    {
        trial_ += line + "\n";
    }
    if (trial_.find("test is successful") == std::string::npos)
    {
        throw std::runtime_error("nginx -t: " + trial_);
    }
    pid_ = fork();
    if (pid_ == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(path.c_str(), path.c_str(), "-c", main.c_str(), "-e", log.c_str(), nullptr);
        _exit(127);
    }
    const auto answersOrEnded = [this] {
        if (waitpid(pid_, nullptr, WNOHANG) != 0)
        {
            pid_ = -1;
        }
        return pid_ < 0 || client(std::chrono::seconds(5)).get("/liveness").has_value();
    };
    if (!eventually(answersOrEnded) || pid_ < 0)
    {
        throw std::runtime_error("nginx does not come up: " + errors());
    }
}

NginxProcess::~NginxProcess()
{
    end();
}

void NginxProcess::end() const
{
    if (pid_ > 0)
    {
        ::kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string NginxProcess::errors() const
{
    return textOf(folder_ + "/error.log");
}

std::vector<Json::Value> NginxProcess::logged(const std::string &requestId, std::size_t lines) const
{
    std::vector<Json::Value> found;
    const auto look = [&] {
        found.clear();
        std::ifstream file(folder_ + "/access.log");
        for (std::string line; std::getline(file, line);)
        {
            Json::Value json = HttpReply{0, {}, line}.json();
            if (json.isObject() && json["request_id"] == requestId)
            {
                found.push_back(std::move(json));
            }
        }
        return found.size() >= lines;
    };
    // It writes the line when it has sent the answer, which may have arrived before. Too few of
    // them are for the caller to see.
    static_cast<void>(eventually(look, std::chrono::seconds(20)));
    return found;
}
}  // namespace relayer::test
