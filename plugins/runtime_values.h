// What operators have changed, as this instance knows it: what is configured, and over it what
// stands in the database (models/setting_store.h).
//
// Of two operators who change something at the same time, the second one's change is checked again,
// against what the first one has left; so their changes fit together, or one of them is told why
// not. Whoever names the revision that it has looked at is told if it is another one by now.
//
// Any thread. `apply` is called by one thread at a time, whenever there is something new, with what
// counts from now on.
#pragma once

#include "config/runtime_parameters.h"
#include "models/setting_store.h"
#include "plugins/published.h"

#include <drogon/utils/coroutine.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace relayer::plugins
{
class RuntimeValues : public std::enable_shared_from_this<RuntimeValues>
{
  public:
    struct Change
    {
        std::string by;
        std::int64_t atMs = 0;  // since 1970
    };
    // Of intake, or of a lane.
    struct Pause
    {
        std::string reason;
        std::uint64_t retryAfterSeconds = 0;  // what clients are told; 0: as ever
        Change change;
    };
    struct State
    {
        std::int64_t revision = -1;  // -1: the database has not been read yet
        config::Settings settings;   // what counts
        config::Overrides overrides;
        std::map<std::string, Change, std::less<>> changes;  // of these
        std::optional<Pause> intake;
        std::map<std::string, Pause, std::less<>> lanes;
    };
    using StatePtr = std::shared_ptr<const State>;
    using Apply = std::function<void(const State &)>;

    // Names that can not be set here, and why; what is set elsewhere can be taken back.
    using Fixed = std::map<std::string, std::string, std::less<>>;

    RuntimeValues(config::Settings configured, std::shared_ptr<models::SettingStore> store,
                  Apply apply, Fixed fixed = {});

    [[nodiscard]] const config::Settings &configured() const { return configured_; }
    [[nodiscard]] StatePtr state() const { return published_.load(); }
    // Cheaper than to ask the state.
    [[nodiscard]] bool intakePaused() const { return intakePaused_.load(); }

    // Neither reads nor applies anything any more; what is known stays.
    void close();

    // Looks whether there is something new. Throws StoreError.
    drogon::Task<> refresh();

    struct Outcome
    {
        std::int64_t revision = 0;       // now
        bool stale = false;              // it was not the one that was named: nothing is changed
        std::vector<std::string> wrong;  // why nothing is changed
    };
    // Nothing in place of a value: as configured.
    using Changes = std::map<std::string, std::optional<std::string>, std::less<>>;
    drogon::Task<Outcome> change(Changes changes, std::string actor,
                                 std::optional<std::int64_t> expected = std::nullopt);
    drogon::Task<Outcome> pauseIntake(std::optional<Pause> pause, std::string actor);
    drogon::Task<Outcome> pauseLane(std::string lane, std::optional<Pause> pause,
                                    std::string actor);

  private:
    struct Write
    {
        std::vector<models::SettingChange> changes;
        std::vector<models::AuditEntry> audit;
    };
    // What is to be written, by what is known; or why nothing is.
    using Compose = std::function<std::variant<Write, std::vector<std::string>>(const State &)>;
    drogon::Task<Outcome> write(Compose compose, std::optional<std::int64_t> expected);
    drogon::Task<Outcome> writePause(std::string name, std::string action, std::string subject,
                                     std::optional<Pause> pause, std::string actor);
    void take(models::SettingStore::State found);
    // Throws StoreError::Closed after close().
    [[nodiscard]] std::shared_ptr<models::SettingStore> store() const;

    const config::Settings configured_;
    const Fixed fixed_;
    mutable std::mutex door_;
    std::shared_ptr<models::SettingStore> store_;  // of the door

    std::mutex taking_;  // held while something new is applied
    Apply apply_;        // of that
    Published<State> published_;
    std::atomic<bool> intakePaused_{false};
};
}  // namespace relayer::plugins
