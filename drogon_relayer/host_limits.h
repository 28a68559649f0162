// Whether the settings of the application that embeds us leave room for ours. Drogon sets them for
// the whole program, so we do not; nor does it tell what they are, so a moment after the start we
// ask at its own door, as a client would: does it turn a body of http.max_body away, and does it
// close a connection on which nothing happens before a long-poll is over? What is too small is said
// in the log, with the name of the setting and what it has to be.
//
// Only the first listener is asked, in plain text: one with TLS tells nothing, and then nothing is
// said.
#pragma once

#include "config/settings.h"

namespace relayer
{
// While plugins start. Looks once Drogon listens; nobody waits for it.
void lookAtHostLimits(const config::HttpSettings &http);
}  // namespace relayer
