// Who is logged in, as a text that a browser keeps and that nobody else can make: until when, under
// which name, a number of its own, and a signature over them. Nothing is kept here, so any instance
// with the same key knows it. Pure.
#pragma once

#include "core/content_hash.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
struct SignedSession
{
    std::string name;
    std::chrono::seconds until{0};  // since 1970
    std::string number;             // random, hexadecimal: no two are alike
};

using SessionKey = Hash32;
// Of a secret that whoever checks has, too; it can not be learned from what is signed.
[[nodiscard]] SessionKey sessionKeyOf(std::string_view secret);

[[nodiscard]] std::string signSession(const SessionKey &key, const SignedSession &session);
// Nothing: it is not ours, was changed, or is over.
[[nodiscard]] std::optional<SignedSession> readSession(const SessionKey &key, std::string_view text,
                                                       std::chrono::seconds now);

// What the forms of a session carry, so that another site's forms are none of them.
[[nodiscard]] std::string formTokenOf(const SessionKey &key, const SignedSession &session);
}  // namespace relayer::core
