// The loop of a test's clients. It ends when the sockets that were opened after it are closed: a
// client of Drogon's that is cut off keeps itself until its loop has read to the end of the stream,
// and one whose loop ended before that is never freed. So it is made before the servers that they
// talk to.
#pragma once

#include <trantor/net/EventLoopThread.h>

#include <cstddef>

namespace relayer::test
{
class ClientLoop
{
  public:
    ClientLoop();
    ~ClientLoop();
    ClientLoop(const ClientLoop &) = delete;
    ClientLoop &operator=(const ClientLoop &) = delete;

    [[nodiscard]] trantor::EventLoop *get() { return thread_.getLoop(); }

  private:
    void turn();

    trantor::EventLoopThread thread_;
    std::size_t before_ = 0;
};
}  // namespace relayer::test
