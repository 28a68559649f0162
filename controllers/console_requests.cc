#include "controllers/console_requests.h"

#include "controllers/operator_actions.h"
#include "wire/admin_requests.h"

#include <drogon/utils/Utilities.h>

#include <array>
#include <string>
#include <utility>
#include <variant>

namespace relayer::controllers
{
using core::RequestSearch;
using core::Transition;
using drogon::HttpRequestPtr;
using drogon::Task;
using drogon::utils::urlEncodeComponent;

namespace
{
// The one field of the form may hold any of these.
constexpr std::array<std::string_view, 3> kHashes = {"content_hash", "gateway_id", "tx_hash"};

std::variant<RequestSearch, wire::AdminProblem> readForm(const HttpRequestPtr &request,
                                                         std::string_view nameIs)
{
    return wire::readRequestSearch([&](const std::string &parameter) {
        return parameter == nameIs              ? request->getParameter("name")
               : parameter == "kind"            ? request->getParameter("kind")
               : parameter == "status"          ? request->getParameter("status")
               : parameter.ends_with("er_than") ? request->getParameter(parameter)
               : parameter == "before"          ? request->getParameter("before")
                                                : std::string();
    });
}

std::string queryOf(const views::RequestsPage &page, std::int64_t before)
{
    std::string query = "before=" + std::to_string(before);
    const auto add = [&query](const char *name, const std::string &value) {
        query += value.empty() ? "" : "&" + std::string(name) + "=" + urlEncodeComponent(value);
    };
    add("name", page.name);
    add("kind", page.kind);
    add("status", page.status);
    add("older_than", page.olderThan);
    add("younger_than", page.youngerThan);
    return query;
}
}  // namespace

Task<views::RequestsPage> requestsPage(HttpRequestPtr request)
{
    const auto operators = operatorStore();
    views::RequestsPage page;
    page.name = request->getParameter("name");
    page.kind = request->getParameter("kind");
    page.status = request->getParameter("status");
    page.olderThan = request->getParameter("older_than");
    page.youngerThan = request->getParameter("younger_than");
    page.first = request->getParameter("before").empty();
    const bool isJob = page.name.empty() || core::JobId::parse(page.name).has_value();
    for (std::size_t i = 0; i < (isJob ? 1 : kHashes.size()) && page.found.lines.empty(); ++i)
    {
        const auto read = readForm(request, isJob ? "job_id" : kHashes.at(i));
        if (const auto *problem = std::get_if<wire::AdminProblem>(&read))
        {
            page.wrong = isJob || problem->field != kHashes.at(i)
                             ? problem->message
                             : "This is neither a UUID nor 32 bytes in hexadecimal digits.";
            co_return page;
        }
        const RequestSearch search = std::get<RequestSearch>(read);
        page.found = co_await operators->find(search);
    }
    page.nextQuery = page.found.next ? queryOf(page, *page.found.next) : std::string();
    co_return page;
}

Task<std::optional<views::RequestPage>> requestPage(core::JobId job)
{
    const auto operators = operatorStore();
    auto history = co_await operators->history(job);
    if (!history)
    {
        co_return std::nullopt;
    }
    views::RequestPage page;
    const auto may = [&line = history->line](Transition transition) {
        return core::next(line.kind, line.status, transition).has_value();
    };
    page.mayFail = may(Transition::FailInternally);
    page.mayDispatch = may(Transition::Recover) && !history->onItsWay;
    page.maySubmit = core::isTerminal(history->line.status);
    page.history = *std::move(history);
    co_return page;
}
}  // namespace relayer::controllers
