// PgBouncer in transaction mode in front of a PostgreSQL of the tests, configured as
// docs/architecture.md says. Gone with its folder when the object goes.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace relayer::test
{
class Pooler
{
  public:
    // Why there can be none here; empty when there can. Looks at RELAYER_PGBOUNCER, at what is
    // installed, and at what scripts/setup.sh has unpacked.
    [[nodiscard]] static std::string whyMissing();

    // For all databases of the server that this URI names, and its user.
    explicit Pooler(const std::string &url);
    ~Pooler();
    Pooler(const Pooler &) = delete;
    Pooler &operator=(const Pooler &) = delete;

    // The same database through the pooler.
    [[nodiscard]] const std::string &url() const { return url_; }
    [[nodiscard]] std::string log() const;

  private:
    void configure(const std::string &url, std::uint16_t port) const;
    void awaitStart() const;

    std::string folder_;
    std::string url_;
    pid_t pid_ = -1;
};
}  // namespace relayer::test
