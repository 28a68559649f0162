// A case of the tables of http.md: what is posted where, and what must come of it.
#pragma once

#include "unit/wire_bodies.h"
#include "wire/envelope.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace relayer::wire
{
struct Refusal
{
    Label label;
    int status;
    std::vector<Detail> details;
};

struct Case
{
    std::string name;
    Route route;
    std::string body;
    std::optional<Refusal> refusal;  // nothing: it is taken
};

inline void PrintTo(const Case &each, std::ostream *out)
{
    *out << each.name << ": " << each.body.substr(0, 600);
}

inline Refusal invalid(std::vector<Detail> details)
{
    return {Label::ValidationFailed, 400, std::move(details)};
}

inline Refusal invalid(const std::string &field, const std::string &issue)
{
    return invalid({{field, issue}});
}

inline Refusal malformed()
{
    return {Label::MalformedJson, 400, {}};
}

inline Refusal missing(const std::vector<std::string> &fields)
{
    Refusal refusal{Label::MissingFields, 400, {}};
    for (const std::string &field : fields)
    {
        refusal.details.push_back({field, "Required but missing"});
    }
    return refusal;
}

inline std::string nameOf(Route route)
{
    static const std::array<std::string, 5> names = {"InputProof", "PublicDecrypt", "UserDecrypt",
                                                     "Delegated", "Unified"};
    return names.at(static_cast<std::size_t>(route));
}

// How many rows all tables together have, this one's and those of the other files.
inline std::size_t &contractCases()
{
    static std::size_t count = 0;
    return count;
}

// Rows of a table, counted.
template <typename Row>
std::vector<Row> counted(std::vector<Row> rows)
{
    contractCases() += rows.size();
    return rows;
}

// Collects cases, each with a name of its own.
class Cases
{
  public:
    void add(Route route, const std::string &about, std::string body,
             std::optional<Refusal> refusal)
    {
        std::string name = nameOf(route) + "_";
        for (const char c : about)
        {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            {
                name.push_back(c);
            }
        }
        name += "_" + std::to_string(cases_.size());
        cases_.push_back({std::move(name), route, std::move(body), std::move(refusal)});
    }

    [[nodiscard]] std::vector<Case> take() && { return counted(std::move(cases_)); }

  private:
    std::vector<Case> cases_;
};

inline void expectOutcome(const Case &each)
{
    const AnyRequest read = readAt(each.route, each.body);
    const auto *problem = std::get_if<Problem>(&read);
    if (!each.refusal)
    {
        EXPECT_EQ(problem, nullptr) << (problem == nullptr ? "" : problem->message);
        return;
    }
    ASSERT_NE(problem, nullptr) << "it was taken";
    EXPECT_EQ(name(problem->label), name(each.refusal->label)) << problem->message;
    EXPECT_EQ(problem->details.size(), each.refusal->details.size());
    for (std::size_t i = 0; i < problem->details.size() && i < each.refusal->details.size(); ++i)
    {
        EXPECT_EQ(problem->details[i].field, each.refusal->details[i].field);
        EXPECT_EQ(problem->details[i].issue, each.refusal->details[i].issue);
    }
    const Answer answer = failed("r", *problem);
    EXPECT_EQ(answer.status, each.refusal->status);
    EXPECT_FALSE(answer.retryAfterSeconds);
    EXPECT_FALSE(problem->message.empty());
}

inline std::string caseName(const testing::TestParamInfo<Case> &info)
{
    return info.param.name;
}
}  // namespace relayer::wire
