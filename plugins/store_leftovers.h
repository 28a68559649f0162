// What an epoch still holds when nobody works under it any more. Part of store.h.
#pragma once

#include "models/sweep_store.h"

#include <chrono>
#include <cstddef>
#include <memory>

namespace relayer::plugins
{
inline constexpr std::size_t kRowsPerHandOver = 500;

// A start takes over what its predecessor holds. If that one lives, it may claim more until it
// notices, for an epoch that nobody knows from then on; so this looks once more, after a while.
// Tries until it has been done or the store has been given up.
void freeLeftoversAfter(std::chrono::milliseconds wait, std::weak_ptr<models::SweepStore> sweeps,
                        models::Claimer predecessor);
}  // namespace relayer::plugins
