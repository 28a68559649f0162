// The reference relayer's YAML as our config.json, and what becomes of it said for people. Pure.
//
// No value of a secret is in either: the file must not hold them, and a report is sent around.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::importer
{
struct Import
{
    struct Note
    {
        std::string theirs;
        std::string text;
    };
    std::string wrong;  // why nothing was imported
    std::string file;   // the text of config.json
    std::size_t taken = 0;
    std::vector<Note> secrets;  // the variable that has to hold what stands there
    std::vector<Note> changed;  // means something else, or more has to be done
    std::vector<Note> nowhere;  // has no equivalent, and why
    std::vector<Note> unknown;  // no key of the reference's
    std::vector<Note> refused;  // a value that we do not take; left out
    [[nodiscard]] std::string report() const;
};

[[nodiscard]] Import importReference(std::string_view yaml);
}  // namespace relayer::importer
