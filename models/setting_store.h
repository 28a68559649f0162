// What operators have changed while the program runs (`setting`), and who did what (`audit`).
//
// Everything that is changed together is one commit: the values, what the audit says of it, the
// next revision, and the notice to the other instances (models/status_channel.h). It only happens
// when the revision is still the one that the caller has looked at. What is returned has been
// committed; StoreError means that nothing is known.
//
// Callable from any thread as a coroutine.
#pragma once

#include "models/connections.h"

#include <drogon/utils/coroutine.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayer::models
{
struct Setting
{
    std::string name;
    std::string value;  // JSON
    std::string changedBy;
    std::int64_t changedAtMs = 0;  // since 1970
};

struct SettingChange
{
    std::string name;
    std::optional<std::string> value;  // JSON; nothing: as configured
};

struct AuditEntry
{
    std::string actor;
    std::string action;         // "set", "pause_lane", ...
    std::string subject;        // the parameter, the lane, the request
    std::string detail = "{}";  // JSON
};

struct AuditRow
{
    std::int64_t id = 0;
    std::int64_t atMs = 0;  // since 1970
    AuditEntry entry;
};

class SettingStore
{
  public:
    explicit SettingStore(ConnectionsPtr writer) : writer_(std::move(writer)) {}

    struct State
    {
        std::int64_t revision = 0;
        std::vector<Setting> settings;
    };
    // Nothing: the revision is still that one.
    drogon::Task<std::optional<State>> readUnless(std::int64_t revision);

    // All or nothing. The new revision; nothing: it is another one than `expected` by now.
    drogon::Task<std::optional<std::int64_t>> write(std::int64_t expected,
                                                    std::vector<SettingChange> changes,
                                                    std::vector<AuditEntry> audit);

    // What was done that is no setting.
    drogon::Task<> record(AuditEntry entry);
    // Newest first, older than `before`; 0: from the newest on.
    drogon::Task<std::vector<AuditRow>> trail(std::int64_t before, std::int64_t limit);

  private:
    const ConnectionsPtr writer_;
};
}  // namespace relayer::models
