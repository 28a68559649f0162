// A database of its own for a test, with the schema of this program, on the server that ./test
// started. Made from a template, so that it costs tens of milliseconds; dropped at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::test
{
// Why there is no server to test against; nothing when there is one.
[[nodiscard]] std::optional<std::string> whyNoServer();

class TestDatabase
{
  public:
    enum class Schema
    {
        Migrated,
        Empty,
    };
    explicit TestDatabase(Schema schema = Schema::Migrated);
    // An empty one on a server of the test's own, at this URI.
    explicit TestDatabase(const std::string &server);
    ~TestDatabase();
    TestDatabase(const TestDatabase &) = delete;
    TestDatabase &operator=(const TestDatabase &) = delete;

    // An empty one becomes what the program makes of it.
    void migrate() const;

    // A libpq URI.
    [[nodiscard]] const std::string &url() const { return url_; }
    // The same with the settings that the program itself uses.
    [[nodiscard]] std::string connection() const;
    // The same through another port, which leads to that of the server.
    [[nodiscard]] std::string connectionThrough(std::uint16_t port) const;

    // Rows of text; NULL is "NULL". Throws with PostgreSQL's message.
    using Rows = std::vector<std::vector<std::string>>;
    Rows query(const std::string &sql) const;
    // The one value of the one row.
    [[nodiscard]] std::string value(const std::string &sql) const;

  private:
    struct Session;

    TestDatabase(std::string server, Schema schema);

    const std::string server_;
    std::string name_;
    std::string url_;
    // Kept open: a test asks often, and a login costs more than most of its questions.
    std::unique_ptr<Session> session_;
};
}  // namespace relayer::test

#define RELAYER_NEEDS_SERVER()                                    \
    if (const auto reason = relayer::test::whyNoServer(); reason) \
    {                                                             \
        GTEST_SKIP() << *reason;                                  \
    }                                                             \
    static_assert(true, "")
