// One devnet for all tests of a suite: each has a database of its own, and counts from where it
// found the chain.
#pragma once

#include "support/devnet.h"

#include <gtest/gtest.h>

#include <memory>

namespace relayer::test
{
class DevnetSuite : public testing::Test
{
  protected:
    static const Devnet &devnet()
    {
        if (!devnet_)
        {
            devnet_ = std::make_unique<Devnet>();
        }
        return *devnet_;
    }
    static void TearDownTestSuite() { devnet_.reset(); }

  private:
    // Of the suite that runs.
    static inline std::unique_ptr<Devnet> devnet_;
};
}  // namespace relayer::test
