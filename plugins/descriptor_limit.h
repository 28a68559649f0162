#pragma once

namespace relayer::plugins
{
// Each connection is a descriptor, one to a node is two; where there are too few, trantor ends the
// process. A shell's or a unit's limit is often 1024, of which it may have as many as root allows.
// Of the whole process, so for its host to call: before app().run().
void raiseDescriptorLimit();
}  // namespace relayer::plugins
