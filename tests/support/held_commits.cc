#include "support/held_commits.h"

#include "support/loopback.h"

#include <algorithm>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace relayer::test
{
namespace
{
constexpr std::uint32_t kProtocol3 = 196608;
constexpr char kSync = 'S';

std::uint32_t numberAt(const std::string &text, std::size_t place)
{
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
    {
        number = number << 8U | static_cast<unsigned char>(text[place + i]);
    }
    return number;
}

bool isReadable(const pollfd &ready)
{
    return ready.revents != 0;
}
}  // namespace

HeldCommits::HeldCommits(std::uint16_t target) : target_(target)
{
    listener_ = listeningOnLoopback(SOMAXCONN);
    port_ = portOf(listener_);
    thread_ = std::thread([this] { run(); });
}

HeldCommits::~HeldCommits()
{
    ends_ = true;
    thread_.join();
    ::close(listener_);
}

void HeldCommits::run()
{
    constexpr int kLookMs = 2;  // at what was told by hold(), release() and the end
    while (!ends_)
    {
        std::vector<pollfd> ready = {{listener_, POLLIN, 0}};
        for (const Session &session : sessions_)
        {
            ready.push_back({session.near, POLLIN, 0});
            ready.push_back({session.far, POLLIN, 0});
        }
        ::poll(ready.data(), ready.size(), kLookMs);
        std::vector<Session> open;
        for (std::size_t i = 0; i < sessions_.size(); ++i)
        {
            Session &session = sessions_[i];
            std::string answer;
            const bool lives =
                fromNear(session, isReadable(ready[1 + 2 * i])) &&
                (!isReadable(ready[2 + 2 * i]) ||
                 (receiveMore(session.far, answer) && sendAll(session.near, answer)));
            if (lives)
            {
                open.push_back(std::move(session));
                continue;
            }
            ::close(session.near);
            ::close(session.far);
        }
        sessions_ = std::move(open);
        held_ = static_cast<std::size_t>(
            std::count_if(sessions_.begin(), sessions_.end(), [this](const Session &session) {
                return holding_ && session.started && session.said.starts_with(kSync);
            }));
        if (isReadable(ready[0]))
        {
            acceptOne();
        }
    }
    for (const Session &session : sessions_)
    {
        ::close(session.near);
        ::close(session.far);
    }
}

void HeldCommits::acceptOne()
{
    Session session;
    session.near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    session.far = connectedTo(target_);
    if (session.near < 0 || session.far < 0)
    {
        ::close(session.near);
        ::close(session.far);
        return;
    }
    sessions_.push_back(std::move(session));
}

bool HeldCommits::fromNear(Session &session, bool readable) const
{
    if (readable && !receiveMore(session.near, session.said))
    {
        return false;
    }
    passOnWhatMay(session);
    return true;
}

void HeldCommits::passOnWhatMay(Session &session) const
{
    std::size_t end = 0;
    for (;;)
    {
        const std::size_t head = session.started ? 1 : 0;
        if (session.said.size() < end + head + 4)
        {
            break;
        }
        const std::size_t size = head + numberAt(session.said, end + head);
        if (session.said.size() < end + size ||
            (session.started && holding_ && session.said[end] == kSync))
        {
            break;
        }
        // Before it there may be a question for encryption.
        session.started = session.started || numberAt(session.said, end + 4) == kProtocol3;
        end += size;
    }
    sendAll(session.far, std::string_view(session.said).substr(0, end));
    session.said.erase(0, end);
}
}  // namespace relayer::test
