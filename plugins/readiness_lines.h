// The lines of decryptions that wait for their first check, one for each kind, for many threads:
// one mutex, held for well under a microsecond, around what core/waiting_line.h knows.
//
// Shared with every place that is reserved, so a place may outlive the plugin.
#pragma once

#include "core/lifecycle.h"
#include "core/waiting_line.h"
#include "plugins/queue_slot.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace relayer::plugins
{
class ReadinessLines : public std::enable_shared_from_this<ReadinessLines>
{
  public:
    using Place = core::WaitingLine::Place;
    using Slot = QueueSlot<ReadinessLines>;
    using Limits = std::array<core::WaitingLine::Limits, core::kKinds>;

    explicit ReadinessLines(const Limits &limits);

    // Nothing: the line is full.
    std::optional<Slot> reserve(core::Kind kind, Place place);
    void accept(Slot slot, std::int64_t ticket);
    // 0 is the next. Nothing: not known here; it is being checked, or another instance took it in.
    [[nodiscard]] std::optional<std::size_t> position(core::Kind kind, std::int64_t ticket) const;

    using Spot = core::WaitingLine::Spot;
    [[nodiscard]] Spot spot(core::Kind kind, std::int64_t ticket) const;

    struct Snapshot
    {
        std::size_t waiting = 0;
        std::size_t reserved = 0;
        std::size_t capacity = 0;
        std::size_t softLimit = 0;
    };
    [[nodiscard]] Snapshot snapshot(core::Kind kind) const;

    // For who checks. Called by whoever accepts, after each time.
    void onWork(std::function<void()> wake);
    void pulled(core::Kind kind, std::span<const std::int64_t> tickets);
    void level(core::Kind kind, std::optional<std::int64_t> head, std::size_t waiting);
    [[nodiscard]] bool wantsList(core::Kind kind) const;
    void list(core::Kind kind, std::span<const std::int64_t> tickets);

  private:
    friend Slot;
    void giveUp(core::Kind kind);
    core::WaitingLine &of(core::Kind kind) { return lines_.at(static_cast<std::size_t>(kind)); }
    [[nodiscard]] const core::WaitingLine &of(core::Kind kind) const
    {
        return lines_.at(static_cast<std::size_t>(kind));
    }

    mutable std::mutex mutex_;
    std::array<core::WaitingLine, core::kKinds> lines_;
    std::function<void()> wake_;
};
}  // namespace relayer::plugins
