#include "support/private_postgres.h"

#include "support/eventually.h"
#include "support/source_dir.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <libpq-fe.h>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
std::string newFolder()
{
    std::string name = "/var/tmp/relayer-postgres.XXXXXX";
    // The user 'postgres' has to get through, when root runs this.
    if (mkdtemp(name.data()) == nullptr || chmod(name.c_str(), 0711) != 0)
    {
        throw std::runtime_error("no folder for the cluster");
    }
    return name;
}

std::string script()
{
    return (sourceDir() / "scripts/pg.sh").string();
}

// Waits for the end of a process that is not our child.
void awaitEnd(int pidfd)
{
    pollfd ended{pidfd, POLLIN, 0};
    ::poll(&ended, 1, 10000);
    ::close(pidfd);
}
}  // namespace

PrivatePostgres::PrivatePostgres() : folder_(newFolder())
{
    start();
}

PrivatePostgres::~PrivatePostgres()
{
    try
    {
        stop();
    }
    catch (const std::exception &error)
    {
        std::fprintf(stderr, "%s\n", error.what());
        killAll();
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::unique_ptr<PrivatePostgres> PrivatePostgres::standbyOf(const PrivatePostgres &primary)
{
    auto standby = std::make_unique<PrivatePostgres>();
    standby->stop();
    standby->copyFrom(primary);
    standby->start();
    primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.query("SELECT pg_reload_conf()");
    const auto follows = [&primary] {
        return primary.query(
                   "SELECT count(*) FROM pg_stat_replication"
                   " WHERE sync_state = 'sync'") == Rows{{"1"}};
    };
    if (!eventually(follows))
    {
        throw std::runtime_error("the standby does not follow");
    }
    return standby;
}

// In place of what initdb has made; as its owner, which is not us when we are root.
void PrivatePostgres::copyFrom(const PrivatePostgres &primary) const
{
    const std::string home = folder_ + "/cluster";
    const std::string line =
        "cd '" + home +
        "' && owner=$(stat -c %U data) && as=; [ \"$owner\" = \"$(id -un)\" ] ||"
        " as=\"setpriv --reuid=$owner --regid=$(id -gn $owner) --init-groups\";"
        " cat '" +
        primary.folder_ +
        "/cluster/password' >password && rm -rf data &&"
        " $as $(printf '%s\\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)/pg_basebackup"
        " -R -X stream --checkpoint=fast --no-sync -D data -d '" +
        primary.url_ + "' >>'" + folder_ + "/pg.sh.log' 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(line.c_str(), "re"), &pclose);
    std::array<char, 4096> chunk{};
    while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr)
    {
    }
}

std::string PrivatePostgres::run(const std::string &command) const
{
    // Not synced when it is created; the server itself syncs as always.
    const std::string line = "INITDB_OPTS=--no-sync '" + script() + "' " + command + " '" +
                             folder_ + "' 2>'" + folder_ + "/pg.sh.log'";
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(line.c_str(), "re"), &pclose);
    std::string output;
    std::array<char, 4096> chunk{};
    while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr)
    {
        output += chunk.data();
    }
    while (!output.empty() && output.back() == '\n')
    {
        output.pop_back();
    }
    return output;
}

void PrivatePostgres::start()
{
    url_ = run("start");
    if (!url_.starts_with("postgresql://"))
    {
        throw std::runtime_error("PostgreSQL did not start in " + folder_);
    }
}

void PrivatePostgres::stop()
{
    run("stop");
    // pg_ctl returns when the postmaster has taken its pid file away; it and its last children end
    // a moment later.
    if (!eventually([this] { return processes().empty(); }, std::chrono::seconds(10)))
    {
        throw std::runtime_error("PostgreSQL did not stop in " + folder_);
    }
}

// As scripts/pg.sh tells them: their current folder is the data folder.
std::vector<pid_t> PrivatePostgres::processes() const
{
    std::vector<pid_t> found;
    for (const auto &entry : std::filesystem::directory_iterator("/proc"))
    {
        std::error_code gone;
        const auto folder = std::filesystem::read_symlink(entry.path() / "cwd", gone);
        if (!gone && folder.string().starts_with(folder_ + "/"))
        {
            found.push_back(static_cast<pid_t>(std::atoi(entry.path().filename().c_str())));
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::size_t PrivatePostgres::killAll()
{
    std::size_t killed = 0;
    // The postmaster has the smallest number but for a wrap-around; a backend that it forked while
    // we looked is met in the next round.
    for (auto pids = processes(); !pids.empty(); pids = processes())
    {
        std::vector<int> ends;
        for (const pid_t pid : pids)
        {
            const int end = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
            if (end >= 0 && syscall(SYS_pidfd_send_signal, end, SIGKILL, nullptr, 0) == 0)
            {
                ++killed;
            }
            ends.push_back(end);
        }
        for (const int end : ends)
        {
            if (end >= 0)
            {
                awaitEnd(end);
            }
        }
    }
    return killed;
}

PrivatePostgres::Rows PrivatePostgres::query(const std::string &sql) const
{
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url_.c_str()),
                                                                  &PQfinish);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection.get(), sql.c_str()), &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    {
        throw std::runtime_error(PQerrorMessage(connection.get()));
    }
    Rows rows;
    for (int i = 0; i < PQntuples(result.get()); ++i)
    {
        auto &row = rows.emplace_back();
        for (int j = 0; j < PQnfields(result.get()); ++j)
        {
            row.emplace_back(PQgetvalue(result.get(), i, j));
        }
    }
    return rows;
}
}  // namespace relayer::test
