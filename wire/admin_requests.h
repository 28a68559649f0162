// Requests as operators ask for them and are shown them: /admin/requests and below.
#pragma once

#include "core/request_history.h"

#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace relayer::wire
{
// Said to operators only: the labels of clients are another list, which is closed.
struct AdminProblem
{
    int status = 400;
    std::string label;
    std::string message;
    // Which one of what was sent is wrong. (GCC asks for a value.)
    std::string field = {};  // NOLINT(readability-redundant-member-init)
};
[[nodiscard]] std::string adminError(const AdminProblem &problem);

// The value of a parameter of the query; empty when it was not given.
using QueryParameter = std::function<std::string(const std::string &name)>;

// What a search may name. An empty one is as good as none, as forms send them.
[[nodiscard]] std::variant<core::RequestSearch, AdminProblem> readRequestSearch(
    const QueryParameter &parameter);

// Why something was not done. Not for Done.
[[nodiscard]] AdminProblem problemOf(core::OperatorOutcome outcome);
[[nodiscard]] AdminProblem malformedJob();

// `{"reason": "..."}`, or nothing at all.
[[nodiscard]] std::variant<std::string, AdminProblem> readReason(std::string_view body);
// Of a form, or of the above: short, and printable.
[[nodiscard]] bool isSaneReason(std::string_view reason);

[[nodiscard]] std::string requestPage(const core::RequestPage &page);
[[nodiscard]] std::string requestHistory(const core::RequestHistory &history);
[[nodiscard]] std::string submittedAnew(const core::JobId &old, const core::JobId &fresh);
}  // namespace relayer::wire
