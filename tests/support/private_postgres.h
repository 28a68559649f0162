// A PostgreSQL of the test's own, made by scripts/pg.sh, that it may stop, restart and kill. Gone
// with everything it holds when the object goes.
#pragma once

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace relayer::test
{
class PrivatePostgres
{
  public:
    // Creates the cluster and starts it.
    PrivatePostgres();
    // A standby of that one, which follows it by streaming. From its start on the other one answers
    // a commit only when it is here, too.
    [[nodiscard]] static std::unique_ptr<PrivatePostgres> standbyOf(const PrivatePostgres &primary);
    ~PrivatePostgres();
    PrivatePostgres(const PrivatePostgres &) = delete;
    PrivatePostgres &operator=(const PrivatePostgres &) = delete;

    // Returns when it accepts connections. After a kill it replays its log first.
    void start();
    void stop();
    // kill -9 of the postmaster and of every process it has; returns when none is left. How many.
    std::size_t killAll();

    // A superuser's URI; the same after each start.
    [[nodiscard]] const std::string &url() const { return url_; }

    using Rows = std::vector<std::vector<std::string>>;
    Rows query(const std::string &sql) const;

  private:
    [[nodiscard]] std::vector<pid_t> processes() const;
    std::string run(const std::string &command) const;
    void copyFrom(const PrivatePostgres &primary) const;

    std::string folder_;
    std::string url_;
};
}  // namespace relayer::test
