// Sockets between programs of this machine: all that a test's servers, proxies and clients use.
//
//     const int listener = listeningOnLoopback(64);
//     const std::uint16_t port = portOf(listener);
//     const int socket = connectedTo(port);
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>

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

// Whatever the socket takes at a time. False: it takes no more.
bool sendAll(int socket, std::string_view bytes);
// What has come is put behind `to`. False: nothing will come any more.
bool receiveMore(int socket, std::string &to);

// Of an address that ends with its port, or has a path behind that.
[[nodiscard]] std::uint16_t portIn(const std::string &url);
// The same server through another port; the address has a path.
[[nodiscard]] std::string throughPort(const std::string &url, std::uint16_t port);
}  // namespace relayer::test
