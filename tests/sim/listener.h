// The gateway listener of an instance (plugins/gateway_listener_reader.h): ranges, chunks and the
// way back after a reorg are those of core/.
#pragma once

#include "core/block_ranges.h"
#include "core/hearing.h"
#include "core/walk_back.h"
#include "sim/fake_database.h"
#include "sim/types.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace relayer::sim
{
class Process;

class Listener
{
  public:
    explicit Listener(Process &process);

    void tick();
    [[nodiscard]] bool silenceMeansNoAnswer();
    void pushed(const std::vector<Log> &logs);

  private:
    void look(std::int64_t cursor);
    void lookAtTheEnd(std::int64_t cursor);
    void lookBack(std::int64_t cursor, const std::optional<core::BlockRange> &range,
                  const Cursor &next);
    void walkBack();
    void walk(const std::shared_ptr<core::WalkBack> &way);
    void wentBack(const core::WalkBack &way);
    void read(const core::BlockRange &range, const Cursor &next);
    void readOn();
    void deliver(const std::vector<Log> &logs, const Cursor &next);
    void delivered(const std::size_t *stored, const Cursor &next);

    Process &process_;
    std::optional<Cursor> cursor_;
    std::int64_t head_ = -1;
    core::ChunkSize chunk_;
    core::Hearing hearing_;
    std::deque<core::KnownBlock> trail_;
    bool busy_ = false;
};
}  // namespace relayer::sim
