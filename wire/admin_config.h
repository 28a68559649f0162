// What can be changed while the program runs, as it is said over HTTP: /admin/config as the
// reference has it, byte for byte, and our own /admin/parameters, which says more and changes
// several at once.
#pragma once

#include "core/runtime_parameter.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relayer::wire
{
struct ParameterState
{
    const core::RuntimeParameter *parameter = nullptr;
    std::string value;
    std::string configured;
    // Nobody: it is as configured.
    std::string changedBy;
    std::int64_t changedAtMs = 0;  // since 1970
};

[[nodiscard]] std::string configOf(std::span<const ParameterState> parameters);
[[nodiscard]] std::string configUpdated(const core::RuntimeParameter &parameter,
                                        std::string_view value);
[[nodiscard]] std::string parameterList(std::int64_t revision,
                                        std::span<const ParameterState> parameters);

// A body that can not be used: the reference's answer is plain text, ours is JSON.
struct Refused
{
    int status = 400;
    std::string text;
};

// JSON, but not what is wanted; in the words of the reference.
[[nodiscard]] Refused wrongShape(const std::string &why);

struct ConfigPost
{
    std::string name;
    core::GivenValue value;
};
[[nodiscard]] std::variant<ConfigPost, Refused> readConfigPost(std::string_view contentType,
                                                               std::string_view body);

struct ParametersPost
{
    // Nothing in place of a value: as configured.
    std::map<std::string, std::optional<core::GivenValue>, std::less<>> changes;
    std::optional<std::int64_t> revision;  // that they were looked at
};
[[nodiscard]] std::variant<ParametersPost, Refused> readParametersPost(std::string_view body);
}  // namespace relayer::wire
