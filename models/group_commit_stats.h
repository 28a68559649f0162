// How a GroupCommit does: batch sizes and waits, as histograms with power-of-two steps. Written by
// leaders without a lock, read at any time; a reader may see a batch before its waits.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace relayer::models
{
class GroupCommitStats
{
  public:
    static constexpr std::size_t kSteps = 32;

    struct Snapshot
    {
        std::uint64_t batches = 0;
        std::uint64_t rows = 0;
        std::uint64_t largestBatch = 0;
        std::uint64_t waitMicrosTotal = 0;
        // Entry i counts values below 2^i that are not below 2^(i-1).
        std::array<std::uint64_t, kSteps> batchRows{};
        std::array<std::uint64_t, kSteps> waitMicros{};
    };

    void recordBatch(std::size_t rows)
    {
        batches_.fetch_add(1, std::memory_order_relaxed);
        rows_.fetch_add(rows, std::memory_order_relaxed);
        std::uint64_t largest = largest_.load(std::memory_order_relaxed);
        while (largest < rows && !largest_.compare_exchange_weak(largest, rows))
        {
        }
        batchRows_[step(rows)].fetch_add(1, std::memory_order_relaxed);
    }

    void recordWait(std::chrono::steady_clock::duration wait)
    {
        const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(
            0, std::chrono::duration_cast<std::chrono::microseconds>(wait).count()));
        waitTotal_.fetch_add(micros, std::memory_order_relaxed);
        waitMicros_[step(micros)].fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] Snapshot snapshot() const
    {
        Snapshot s;
        s.batches = batches_.load(std::memory_order_relaxed);
        s.rows = rows_.load(std::memory_order_relaxed);
        s.largestBatch = largest_.load(std::memory_order_relaxed);
        s.waitMicrosTotal = waitTotal_.load(std::memory_order_relaxed);
        for (std::size_t i = 0; i < kSteps; ++i)
        {
            s.batchRows[i] = batchRows_[i].load(std::memory_order_relaxed);
            s.waitMicros[i] = waitMicros_[i].load(std::memory_order_relaxed);
        }
        return s;
    }

  private:
    static std::size_t step(std::uint64_t value)
    {
        return std::min<std::size_t>(kSteps - 1, static_cast<std::size_t>(std::bit_width(value)));
    }

    std::atomic<std::uint64_t> batches_{0};
    std::atomic<std::uint64_t> rows_{0};
    std::atomic<std::uint64_t> largest_{0};
    std::atomic<std::uint64_t> waitTotal_{0};
    std::array<std::atomic<std::uint64_t>, kSteps> batchRows_{};
    std::array<std::atomic<std::uint64_t>, kSteps> waitMicros_{};
};
}  // namespace relayer::models
