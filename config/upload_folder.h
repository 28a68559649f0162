#pragma once

#include <string>

namespace relayer::config
{
/// Drogon's run() makes 256 folders below its upload path, `./uploads` unless told otherwise,
/// although we never upload a file. They go below TMPDIR (else /tmp), always to the same folder of
/// this user, so that a killed program leaves nothing new behind. In a folder that everyone may
/// write to, somebody else may have made ours first, or made it a link: then a fresh one is used.
/// Empty: none could be made.
std::string uploadFolder(const std::string &below);
}  // namespace relayer::config
