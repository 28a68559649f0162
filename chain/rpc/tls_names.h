// A node has to show a certificate for the name by which it was called.
//
// Trantor (1.5.28 at least) does not see to that: its client takes itself for the server where it
// compares names, and is content with any certificate that the machine believes. OpenSSL compares
// them by itself when it is asked to, and its verdict is what Trantor looks at next. So the one
// call by which Trantor tells OpenSSL whom it calls goes through us (--wrap=SSL_ctrl, see
// CMakeLists.txt). A program that links us without that option does not link.
//
// For the whole process, any thread; nothing of it outlives the process.
#pragma once

#include <string>

namespace relayer::chain::rpc
{
// From here on who calls this host through Drogon is refused by a certificate of another name.
// Hosts that nobody of us calls stay as they were: those are the application's that embeds us.
void wantNameInCertificate(const std::string &host);
}  // namespace relayer::chain::rpc
