// One line of the log, as it leaves the program: as text, or as one object of JSON.
//
//     20261119 09:38:17.123456 UTC 42 INFO  step=admitted kind=input_proof - jobs.cc:63
//     {"time":"2026-11-19T09:38:17.123456Z","level":"info","thread":42,"source":"jobs.cc:63",
//      "step":"admitted","kind":"input_proof"}
//
// What is logged begins with fields (name=value), and ends with words. The value of `why` is all
// that follows. Neither form has a line break in it, whatever was logged.
//
// The last guard before the log, whoever wrote the line: URLs are left out, since they hold
// passwords and keys, and so is what has more hex digits than a hash. Of lines that are not ours
// (Drogon's, which hand on what PostgreSQL says) only the first line is kept, and of what is quoted
// in it only names: DETAIL and values may be out of a row.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace relayer::core
{
enum class LogFormat : unsigned char
{
    Text,
    Json,
};

// `written`: as trantor's LOG writes it. With a line break at its end.
[[nodiscard]] std::string formatLogLine(std::string_view written, LogFormat format);
}  // namespace relayer::core
