#include "support/cutting_proxy.h"

#include "support/loopback.h"

#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
// Several sockets may have the port, as long as one listens at the most.
int boundTo(std::uint16_t port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = loopback(port);
    if (::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    {
        throw std::runtime_error("the proxy has no port");
    }
    return socket;
}

void limitSends(int socket)
{
    const timeval patience{10, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool passOn(int from, int to)
{
    std::string bytes;
    return receiveMore(from, bytes) && sendAll(to, bytes);
}
}  // namespace

CuttingProxy::CuttingProxy(std::uint16_t target)
    : target_(target), holder_(boundTo(0)), wake_(eventfd(0, EFD_CLOEXEC))
{
    port_ = portOf(holder_);
    thread_ = std::thread([this] { run(); });
    want(Wanted::Whole);
}

CuttingProxy::~CuttingProxy()
{
    want(Wanted::End);
    thread_.join();
    ::close(holder_);
    ::close(wake_);
}

std::size_t CuttingProxy::connections() const
{
    const std::lock_guard lock(mutex_);
    return connections_;
}

void CuttingProxy::want(Wanted wanted)
{
    std::unique_lock lock(mutex_);
    wanted_ = wanted;
    eventfd_write(wake_, 1);
    changed_.wait(lock, [&] { return state_ == wanted; });
}

void CuttingProxy::run()
{
    for (;;)
    {
        {
            const std::lock_guard lock(mutex_);
            if (state_ != wanted_)
            {
                become(wanted_);
                state_ = wanted_;
                changed_.notify_all();
            }
            if (state_ == Wanted::End)
            {
                return;
            }
        }
        forwardOnce();
    }
}

void CuttingProxy::become(Wanted wanted)
{
    if (wanted == Wanted::Held || wanted == Wanted::AnswersHeld)
    {
        return;
    }
    if (wanted == Wanted::Whole)
    {
        if (listener_ < 0)
        {
            listener_ = boundTo(port_);
            ::listen(listener_, SOMAXCONN);
        }
        return;
    }
    if (listener_ >= 0)
    {
        ::close(listener_);
        listener_ = -1;
    }
    for (const Pair &pair : pairs_)
    {
        ::close(pair.near);
        ::close(pair.far);
    }
    pairs_.clear();
}

void CuttingProxy::acceptOne()
{
    Pair pair;
    pair.near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    pair.far = pair.near < 0 ? -1 : connectedTo(target_);
    if (pair.far < 0)
    {
        ::close(pair.near);
        return;
    }
    limitSends(pair.near);
    limitSends(pair.far);
    pairs_.push_back(pair);
    const std::lock_guard lock(mutex_);
    ++connections_;
}

void CuttingProxy::forwardOnce()
{
    // What is held is not looked at; a descriptor below 0 is passed over. Only this thread writes
    // state_.
    const auto unless = [](bool held, int descriptor) { return held ? -1 : descriptor; };
    const bool silent = state_ == Wanted::Held;
    const bool mute = silent || state_ == Wanted::AnswersHeld;
    std::vector<pollfd> ready = {{wake_, POLLIN, 0}, {unless(silent, listener_), POLLIN, 0}};
    for (const Pair &pair : pairs_)
    {
        ready.push_back({unless(silent, pair.near), POLLIN, 0});
        ready.push_back({unless(mute, pair.far), POLLIN, 0});
    }
    ::poll(ready.data(), ready.size(), -1);
    if (ready[0].revents != 0)
    {
        eventfd_t ignored = 0;
        eventfd_read(wake_, &ignored);
        return;
    }
    std::vector<Pair> open;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
    {
        const Pair &pair = pairs_[i];
        const bool lives = (ready[2 + 2 * i].revents == 0 || passOn(pair.near, pair.far)) &&
                           (ready[3 + 2 * i].revents == 0 || passOn(pair.far, pair.near));
        if (lives)
        {
            open.push_back(pair);
            continue;
        }
        ::close(pair.near);
        ::close(pair.far);
    }
    pairs_ = std::move(open);
    if (ready[1].revents != 0)
    {
        acceptOne();
    }
}
}  // namespace relayer::test
