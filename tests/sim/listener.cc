#include "sim/listener.h"

#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>
#include <cstring>

namespace relayer::sim
{
namespace
{
constexpr std::int64_t kWidest = 8;
constexpr std::int64_t kOverlap = 2;
constexpr std::int64_t kDeepest = 12;
constexpr std::size_t kTrail = 16;

core::Hash32 wide(Hash hash)
{
    core::Hash32 wide{};
    std::memcpy(wide.data(), &hash, sizeof(hash));
    return wide;
}

Hash narrow(const core::Hash32 &wide)
{
    Hash hash = 0;
    std::memcpy(&hash, wide.data(), sizeof(hash));
    return hash;
}

}  // namespace

Listener::Listener(Process &process)
    : process_(process),
      chunk_(kWidest),
      hearing_({timing::kDeafAfter, timing::kHearingSettles, timing::kDeafnessIsWaitedFor,
                timing::kAbsence})
{}

bool Listener::silenceMeansNoAnswer()
{
    return hearing_.silenceMeansNoAnswer(process_.now());
}

void Listener::pushed(const std::vector<Log> &logs)
{
    World &world = process_.world();
    process_.statement([&world, logs] { return world.database().deliver(logs, std::nullopt); },
                       [this](const std::size_t *stored) {
                           if (stored != nullptr && *stored > 0)
                           {
                               process_.answers().wake();
                           }
                       });
}

void Listener::tick()
{
    if (std::exchange(busy_, true))
    {
        return;
    }
    World &world = process_.world();
    if (cursor_)
    {
        look(cursor_->block);
        return;
    }
    process_.statement([&world] { return world.database().cursor(); },
                       [this](const Cursor *stored) {
                           if (stored == nullptr)
                           {
                               busy_ = false;
                               return;
                           }
                           cursor_ = *stored;
                           look(cursor_->block);
                       });
}

void Listener::look(std::int64_t cursor)
{
    World &world = process_.world();
    process_.call([&world] { return world.chain().head() - world.lag(); },
                  [this, cursor](const std::int64_t *head) {
                      if (head == nullptr)
                      {
                          busy_ = false;
                          return;
                      }
                      head_ = *head;
                      lookAtTheEnd(cursor);
                  });
}

// The end of what is to be read before where we stand, so that a chain that changes its mind in
// between is noticed by this look or the next.
void Listener::lookAtTheEnd(std::int64_t cursor)
{
    const auto range = core::nextRange({cursor, head_, 0, kOverlap, chunk_.blocks()});
    if (!range)
    {
        lookBack(cursor, std::nullopt, Cursor{});
        return;
    }
    World &world = process_.world();
    process_.call([&world, to = range->to] { return world.chain().hashOf(to); },
                  [this, cursor, range](const std::optional<Hash> *end) {
                      if (end == nullptr || !*end)
                      {
                          busy_ = false;
                          return;
                      }
                      lookBack(cursor, range, Cursor{range->to, **end});
                  });
}

// Whether the chain has gone another way since.
void Listener::lookBack(std::int64_t cursor, const std::optional<core::BlockRange> &range,
                        const Cursor &next)
{
    World &world = process_.world();
    process_.call([&world, cursor] { return world.chain().hashOf(cursor); },
                  [this, range, next](const std::optional<Hash> *atCursor) {
                      const bool comparable = cursor_->block >= 0 && head_ >= cursor_->block;
                      if (atCursor == nullptr || (comparable && !*atCursor))
                      {
                          busy_ = false;
                          return;
                      }
                      if (comparable && **atCursor != cursor_->hash)
                      {
                          walkBack();
                          return;
                      }
                      if (!range)
                      {
                          busy_ = false;
                          if (cursor_->block == head_)
                          {
                              readOn();
                          }
                          return;
                      }
                      read(*range, next);
                  });
}

void Listener::walkBack()
{
    World &world = process_.world();
    const std::int64_t floor = std::max<std::int64_t>(-1, cursor_->block - kDeepest);
    process_.statement(
        [&world, floor] { return world.database().blocksSince(std::max<std::int64_t>(0, floor)); },
        [this, floor](const std::vector<std::pair<std::int64_t, Hash>> *seen) {
            if (seen == nullptr)
            {
                busy_ = false;
                return;
            }
            std::vector<core::KnownBlock> known(trail_.begin(), trail_.end());
            for (const auto &[number, hash] : *seen)
            {
                known.push_back({number, wide(hash), true});
            }
            walk(std::make_shared<core::WalkBack>(std::move(known),
                                                  core::WalkBack::Bounds{head_, floor}));
        });
}

void Listener::walk(const std::shared_ptr<core::WalkBack> &way)
{
    const auto number = way->ask();
    if (!number)
    {
        wentBack(*way);
        return;
    }
    World &world = process_.world();
    process_.call([&world, block = *number] { return world.chain().hashOf(block); },
                  [this, way](const std::optional<Hash> *hash) {
                      if (hash == nullptr)
                      {
                          busy_ = false;
                          return;
                      }
                      way->answer(*hash ? std::optional(wide(**hash)) : std::nullopt);
                      walk(way);
                  });
}

void Listener::wentBack(const core::WalkBack &way)
{
    World &world = process_.world();
    std::vector<Hash> orphans;
    for (const core::Hash32 &orphan : way.orphans())
    {
        orphans.push_back(narrow(orphan));
    }
    const core::KnownBlock agreed = way.agreedOn();
    process_.statement(
        [&world, orphans] {
            world.database().removeBlocks(orphans);
            return true;
        },
        [this, &world, agreed](const bool *removed) {
            if (removed == nullptr)
            {
                busy_ = false;
                return;
            }
            const Cursor back{agreed.number, narrow(agreed.hash)};
            process_.statement(
                [&world, back] {
                    world.database().setCursor(back);
                    return true;
                },
                [this, back](const bool *moved) {
                    busy_ = false;
                    if (moved == nullptr)
                    {
                        return;
                    }
                    cursor_ = back;
                    std::erase_if(trail_, [&](const core::KnownBlock &passed) {
                        return passed.number > back.block;
                    });
                    process_.engine().reorganised(back.block + 1);
                });
        });
}

void Listener::read(const core::BlockRange &range, const Cursor &next)
{
    World &world = process_.world();
    process_.call([&world, range] { return world.chain().logs(range.from, range.to); },
                  [this, range, next](const std::vector<Log> *logs) {
                      if (logs == nullptr)
                      {
                          chunk_.refused(range.to - range.from + 1);
                          busy_ = false;
                          return;
                      }
                      chunk_.taken();
                      deliver(*logs, next);
                  });
}

void Listener::readOn()
{
    cursor_->block == head_ ? hearing_.heard(process_.now()) : hearing_.hearing(process_.now());
}

void Listener::deliver(const std::vector<Log> &logs, const Cursor &next)
{
    World &world = process_.world();
    if (world.mutation() == Mutation::CursorBeforeInbox)
    {
        process_.statement(
            [&world, next] {
                world.database().setCursor(next);
                return true;
            },
            [this, &world, logs, next](const bool *) {
                cursor_ = next;
                process_.statement(
                    [&world, logs] { return world.database().deliver(logs, std::nullopt); },
                    [this, next](const std::size_t *stored) { delivered(stored, next); });
            });
        return;
    }
    process_.statement([&world, logs, next] { return world.database().deliver(logs, next); },
                       [this, next](const std::size_t *stored) { delivered(stored, next); });
}

void Listener::delivered(const std::size_t *stored, const Cursor &next)
{
    busy_ = false;
    if (stored == nullptr)
    {
        return;
    }
    cursor_ = next;
    readOn();
    if (next.hash != 0)
    {
        trail_.push_back({next.block, wide(next.hash), false});
        if (trail_.size() > kTrail)
        {
            trail_.pop_front();
        }
    }
    if (*stored > 0)
    {
        process_.answers().wake();
    }
}
}  // namespace relayer::sim
