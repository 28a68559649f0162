// What each key of the reference relayer's configuration becomes in ours. Pure tables.
#pragma once

#include <span>
#include <string_view>

namespace relayer::importer
{
enum class How
{
    AsText,
    AsNumber,
    AsMilliseconds,  // a number of them becomes "500ms"
    AsSeconds,
    AsMinutes,
    AsSpan,        // "30m", as both write it
    AsNode,        // a URL becomes a list of one node
    AsSecret,      // `ours` is the variable that has to hold it
    InAnotherWay,  // by code: reference_config.cc
    Nowhere,       // `ours` says why
};

struct Rule
{
    // A key; those below it are meant, too, when the name ends with ".*", and elements of a list
    // when it ends with "[]".
    std::string_view theirs;
    How how;
    std::string_view ours;
};

[[nodiscard]] std::span<const Rule> rules();
}  // namespace relayer::importer
