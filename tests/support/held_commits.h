// Stands between a program and PostgreSQL and keeps back the message behind a statement that lets
// the server commit (Sync), so that a session can be ended between the two.
//
//     HeldCommits between(port);
//     between.hold();            // statements are done now, and not committed
//     ... eventually(between.held() == 1) ... pg_terminate_backend(...)
//     between.release();
//
// Works on a thread of its own; its methods may be called from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace relayer::test
{
class HeldCommits
{
  public:
    explicit HeldCommits(std::uint16_t target);
    ~HeldCommits();
    HeldCommits(const HeldCommits &) = delete;
    HeldCommits &operator=(const HeldCommits &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    void hold() { holding_ = true; }
    void release() { holding_ = false; }
    // The sessions whose commit is kept back.
    [[nodiscard]] std::size_t held() const { return held_; }

  private:
    struct Session
    {
        int near = -1;
        int far = -1;
        std::string said;      // and not passed on yet
        bool started = false;  // messages have a type from then on
    };

    void run();
    void acceptOne();
    // False: the session is over.
    bool fromNear(Session &session, bool readable) const;
    void passOnWhatMay(Session &session) const;

    const std::uint16_t target_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    std::atomic<bool> holding_{false};
    std::atomic<bool> ends_{false};
    std::atomic<std::size_t> held_{0};
    std::vector<Session> sessions_;  // of the thread alone
    std::thread thread_;
};
}  // namespace relayer::test
