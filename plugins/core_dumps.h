// Keys, tokens and the database's password are in memory; a core file would hold all of them.
#pragma once

namespace relayer::plugins
{
// For the whole process, so our own program asks for it, and no application that embeds us. A
// debugger of root's still gets in. RELAYER_CORE_DUMPS=yes leaves everything as it is, for who
// hunts a crash.
void refuseCoreDumps();
}  // namespace relayer::plugins
