// Sockets between programs of this machine: all that a test's servers, proxies and clients use.
//
//     const int listener = listeningOnLoopback(64);
//     const std::uint16_t port = portOf(listener);
//     const int socket = connectedTo(port);
#pragma once

#include <cstdint>
#include <netinet/in.h>

namespace relayer::test
{
// 0: any port.
[[nodiscard]] sockaddr_in loopback(std::uint16_t port);
// At any free port, with room for so many connections nobody has taken yet. Throws
// std::runtime_error.
[[nodiscard]] int listeningOnLoopback(int waiting);
[[nodiscard]] std::uint16_t portOf(int socket);
// -1: nobody is there.
[[nodiscard]] int connectedTo(std::uint16_t port);
// For a program that can not be handed a socket. Somebody may take it before that program does.
[[nodiscard]] std::uint16_t freePort();
}  // namespace relayer::test
