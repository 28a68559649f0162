// How many rows the next statement takes: half as many after one that took too long, and back to
// the usual number with care.
#pragma once

#include <cstddef>

namespace relayer::core
{
class AdaptiveBatch
{
  public:
    // Never below `least`, or nothing would ever get done.
    AdaptiveBatch(std::size_t usual, std::size_t least);

    [[nodiscard]] std::size_t rows() const { return rows_; }
    void tookTooLong();
    void went();

  private:
    std::size_t usual_;
    std::size_t least_;
    std::size_t rows_;
    int inARow_ = 0;
};
}  // namespace relayer::core
