// A connection that can be cut: forwards TCP from a port of its own to another one on this machine,
// until it is told to drop what is connected and to refuse the rest; and again when it is healed.
// It can also fall silent, as a network does: connections stay, and nothing comes through, either
// way or one way; what was held back comes when it is healed.
//
//     CuttingProxy proxy(devnet.gateway().port);
//     ... "RELAYER_LISTENER__ENDPOINTS", "cut=ws://127.0.0.1:" + std::to_string(proxy.port())
//     proxy.cut();
//
// Works on a thread of its own; its methods may be called from any, and have taken effect when they
// return.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace relayer::test
{
class CuttingProxy
{
  public:
    explicit CuttingProxy(std::uint16_t target);
    ~CuttingProxy();
    CuttingProxy(const CuttingProxy &) = delete;
    CuttingProxy &operator=(const CuttingProxy &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    void cut() { want(Wanted::Cut); }
    // Nothing comes through, and nobody is told.
    void hold() { want(Wanted::Held); }
    // What is said to the target arrives; its answers do not.
    void holdAnswers() { want(Wanted::AnswersHeld); }
    void heal() { want(Wanted::Whole); }
    // How many connections it has let through so far.
    [[nodiscard]] std::size_t connections() const;

  private:
    enum class Wanted : std::uint8_t
    {
        Whole,
        Held,
        AnswersHeld,
        Cut,
        End,
    };
    struct Pair
    {
        int near = -1;
        int far = -1;
    };

    void want(Wanted wanted);
    void run();
    void become(Wanted wanted);
    void acceptOne();
    void forwardOnce();

    const std::uint16_t target_;
    std::uint16_t port_ = 0;
    int holder_ = -1;  // keeps the port while nobody listens
    int wake_ = -1;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Wanted wanted_ = Wanted::Whole;  // under mutex_
    Wanted state_ = Wanted::Cut;     // under mutex_
    std::size_t connections_ = 0;    // under mutex_

    // Of the thread alone.
    int listener_ = -1;
    std::vector<Pair> pairs_;
    std::thread thread_;
};
}  // namespace relayer::test
