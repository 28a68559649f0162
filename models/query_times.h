// How long statements take, by the table of the reference that they would be for: its names stay,
// though our kinds share a table, and a statement for several kinds counts for each. Written
// without a lock by whoever awaited a statement, read at any time.
#pragma once

#include "core/lifecycle.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relayer::models
{
enum class Table : std::uint8_t
{
    InputProof,
    PublicDecrypt,
    UserDecrypt,
    Shares,
    Cursor,
    Requests,  // it is not known of which kind
    Other,
};
inline constexpr std::size_t kTables = 7;
inline constexpr std::array<std::string_view, kTables> kTableNames = {"input_proof_req",
                                                                      "public_decrypt_req",
                                                                      "user_decrypt_req",
                                                                      "user_decrypt_shares",
                                                                      "gateway_block_number_store",
                                                                      "request",
                                                                      "other"};

[[nodiscard]] constexpr Table tableOf(core::Kind kind)
{
    return static_cast<Table>(kind);
}

class TableSet
{
  public:
    constexpr TableSet() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a table is a set of one
    constexpr TableSet(Table table) { add(table); }
    constexpr void add(Table table)
    {
        bits_ = static_cast<std::uint8_t>(bits_ | 1U << static_cast<unsigned>(table));
    }
    [[nodiscard]] constexpr bool contains(std::size_t table) const
    {
        return (bits_ >> table & 1U) != 0;
    }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

  private:
    std::uint8_t bits_ = 0;
};

class QueryTimes
{
  public:
    // Upper bounds in microseconds; the reference's.
    static constexpr std::array<std::uint64_t, 12> kBounds = {
        1'000,   5'000,   10'000,    25'000,    50'000,    100'000,
        250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000};

    struct Snapshot
    {
        std::array<std::uint64_t, kBounds.size() + 1> counts{};  // not cumulative
        std::uint64_t micros = 0;
        std::uint64_t errors = 0;
    };

    void took(TableSet tables, std::chrono::steady_clock::duration time)
    {
        const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(
            0, std::chrono::duration_cast<std::chrono::microseconds>(time).count()));
        const auto *const bound = std::lower_bound(kBounds.begin(), kBounds.end(), micros);
        const auto bucket = static_cast<std::size_t>(bound - kBounds.begin());
        for (std::size_t i = 0; i < kTables; ++i)
        {
            if (tables.contains(i))
            {
                cells_[i].counts[bucket].fetch_add(1, std::memory_order_relaxed);
                cells_[i].micros.fetch_add(micros, std::memory_order_relaxed);
            }
        }
    }
    void failed(TableSet tables)
    {
        for (std::size_t i = 0; i < kTables; ++i)
        {
            if (tables.contains(i))
            {
                cells_[i].errors.fetch_add(1, std::memory_order_relaxed);
            }
        }
    }
    [[nodiscard]] Snapshot snapshot(Table table) const
    {
        const Cell &cell = cells_.at(static_cast<std::size_t>(table));
        Snapshot snapshot;
        std::transform(cell.counts.begin(), cell.counts.end(), snapshot.counts.begin(),
                       [](const auto &count) { return count.load(std::memory_order_relaxed); });
        snapshot.micros = cell.micros.load(std::memory_order_relaxed);
        snapshot.errors = cell.errors.load(std::memory_order_relaxed);
        return snapshot;
    }

  private:
    struct Cell
    {
        std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts{};
        std::atomic<std::uint64_t> micros{0};
        std::atomic<std::uint64_t> errors{0};
    };
    std::array<Cell, kTables> cells_{};
};
}  // namespace relayer::models
