// The part of the configuration that is about who may administer.
#include "config/schema.h"

#include <algorithm>
#include <array>

namespace relayer::config
{
namespace
{
constexpr std::array<std::string_view, 3> accesses = {"off", "token", "none"};
// What nobody finds by trying, however fast we answer.
constexpr std::size_t shortestToken = 16;

bool isBearerToken(std::string_view text)
{
    return text.size() >= shortestToken &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

bool isLoopback(std::string_view address)
{
    return address.starts_with("127.") || address == "::1";
}

void crossCheckListener(const Settings &settings, Contradictions &wrong)
{
    const std::uint64_t port = settings.admin.port;
    if (port == 0)
    {
        return;
    }
    if (port == settings.host.port)
    {
        wrong.emplace_back("admin.port", "must be another than host.port");
    }
    if (settings.metrics.enabled && port == settings.metrics.port)
    {
        wrong.emplace_back("admin.port", "must be another than metrics.port");
    }
}

/// Whoever gets to the listener may do everything, so nobody else may get there.
void crossCheckOpenDoor(const Settings &settings, Contradictions &wrong)
{
    const bool own = settings.admin.hasOwnListener();
    if (!isLoopback(own ? settings.admin.address : settings.host.address))
    {
        wrong.emplace_back("admin.access",
                           std::string("none is only for a listener on 127.0.0.1 or ::1, and ") +
                               (own ? "admin.address" : "host.address") + " is another");
    }
    else if (!own && !settings.http.trustedProxies.empty())
    {
        wrong.emplace_back("admin.access",
                           "none is not for a listener with a proxy in front, which passes on "
                           "what comes from anywhere: give admin.address, or take token");
    }
}
}  // namespace

void describeAdmin(std::vector<Key> &keys, AdminSettings &admin)
{
    keys.insert(
        keys.end(),
        {{"admin.access", Choice{&admin.access, accesses},
          "off: the routes answer 403. token: who shows the token may (Authorization: Bearer). "
          "none: whoever reaches the listener may, which then has to be one of this machine."},
         {"admin.token",
          SecretText{&admin.token, &admin.tokenFile, "admin.token_file", false, isBearerToken,
                     "at least 16 characters, without blanks, of ASCII: openssl rand -hex 32"},
          "Who has it may do all that can be done here."},
         {"admin.token_file", Text{&admin.tokenFile, 4096, true, nullptr, "the path of a file"},
          "A file whose content is the token."},
         {"admin.address",
          Text{&admin.address, 45, true, isNumericAddress, "a numeric IPv4 or IPv6 address"},
          "A listener of their own for these routes, which are then nowhere else. Empty: they "
          "stand beside those of the clients. Only our own program reads it."},
         {"admin.port", Integer{&admin.port, 0, 65535},
          "The port of that listener; 0 takes any free one."}});
}

void crossCheckAdmin(const Settings &settings, Contradictions &wrong)
{
    const AdminSettings &admin = settings.admin;
    if (admin.access == "token" && admin.token.empty())
    {
        wrong.emplace_back("admin.token", "is required while admin.access is token: give it as " +
                                              environmentName("admin.token") +
                                              ", or name a file that holds it in admin.token_file");
    }
    if (admin.access == "none")
    {
        crossCheckOpenDoor(settings, wrong);
    }
    if (admin.hasOwnListener())
    {
        crossCheckListener(settings, wrong);
    }
}
}  // namespace relayer::config
