#include "wire/fields.h"

#include "wire/field_path.h"
#include "wire/shape.h"

#include <algorithm>
#include <utility>

namespace relayer::wire
{
namespace
{
// A rule that failed. `field` is what the reference names, `path` is where it was.
struct Broken
{
    std::string field;
    std::string path;
    std::string issue;
    bool listed = true;  // a detail; of a list only the first element that is wrong is one
};

class RuleChecker
{
  public:
    RuleChecker(const RequestLimits &limits, std::uint64_t now)
        : limits_(limits), problemsMax_(std::max<std::size_t>(limits.problems, 1)), now_(now)
    {}

    // `blamed`: the field that is named whatever is wrong inside; empty: each member by its path.
    void object(const Value &value, const RequestTable &table, const FieldPath *path,
                const std::string &blamed)
    {
        const std::size_t before = broken_.size();
        for (std::size_t i = 0; i < table.fields.size(); ++i)
        {
            if (value.inside[i].present)
            {
                const FieldPath at{path, table.fields[i].name};
                field(value.inside[i], table.fields[i], at, blamed);
            }
        }
        if (table.whole != nullptr && broken_.size() == before)
        {
            whole(value, *table.whole, path, blamed);
        }
    }

    std::vector<Broken> take() && { return std::move(broken_); }

  private:
    [[nodiscard]] bool full() const { return broken_.size() >= problemsMax_; }

    void note(const FieldPath *path, const std::string &blamed, std::string_view issue)
    {
        if (!full())
        {
            std::string where = path == nullptr ? std::string() : path->text();
            std::string field = blamed.empty() ? where : blamed;
            broken_.push_back({std::move(field), std::move(where), std::string(issue)});
        }
    }

    void field(const Value &value, const FieldRule &rule, const FieldPath &path,
               const std::string &blamed)
    {
        if (rule.type == FieldType::TextList || rule.type == FieldType::ObjectList)
        {
            list(value, rule, path, blamed.empty() ? path.text() : blamed);
        }
        else if (rule.type == FieldType::Object)
        {
            const bool whole = blamed.empty() && rule.blame == Blame::Whole;
            object(value, *rule.members, &path, whole ? path.text() : blamed);
        }
        else
        {
            text(value.text, rule, path, blamed);
        }
    }

    void text(std::string_view text, const FieldRule &rule, const FieldPath &path,
              const std::string &blamed)
    {
        for (const Rule *each : rule.rules)
        {
            if (const Issue issue = each == nullptr ? std::nullopt : each->check(text, now_))
            {
                note(&path, blamed, *issue);
            }
        }
    }

    void list(const Value &value, const FieldRule &rule, const FieldPath &path,
              const std::string &blamed)
    {
        const std::size_t most = limits_.of(rule.limit);
        if (value.inside.size() < rule.atLeast)
        {
            note(&path, blamed, "Must not be empty");
        }
        else if (value.inside.size() > most)
        {
            note(&path, blamed, "Must not have more than " + std::to_string(most) + " entries");
        }
        else
        {
            elements(value, rule, path, blamed);
        }
    }

    void elements(const Value &value, const FieldRule &rule, const FieldPath &path,
                  const std::string &blamed)
    {
        const std::size_t before = broken_.size();
        for (std::size_t i = 0; i < value.inside.size() && !full(); ++i)
        {
            const FieldPath at{&path, {}, i};
            rule.type == FieldType::TextList ? text(value.inside[i].text, rule, at, blamed)
                                             : object(value.inside[i], *rule.members, &at, blamed);
        }
        for (std::size_t i = before + 1; i < broken_.size(); ++i)
        {
            broken_[i].listed = false;
        }
    }

    void whole(const Value &value, const WholeRule &rule, const FieldPath *path,
               const std::string &blamed)
    {
        std::vector<std::string_view> texts;
        texts.reserve(value.inside.size());
        for (const Value &member : value.inside)
        {
            texts.push_back(member.text);
        }
        if (const Issue issue = rule.check(texts, now_))
        {
            note(path, blamed, *issue);
        }
    }

    const RequestLimits &limits_;
    const std::size_t problemsMax_;
    const std::uint64_t now_;
    std::vector<Broken> broken_;
};

Problem problemOf(std::vector<Broken> broken)
{
    Problem problem{Label::ValidationFailed, "Validation failed for: ", {}};
    std::string_view last;
    for (Broken &each : broken)
    {
        if (each.path != last)
        {
            problem.message += (last.empty() ? "" : ", ") + each.path;
        }
        last = each.path;
        if (each.listed)
        {
            problem.details.push_back({std::move(each.field), std::move(each.issue)});
        }
    }
    return problem;
}
}  // namespace

BodyRead readBody(std::string_view body, const RequestTable &table, const RequestLimits &limits,
                  std::uint64_t now)
{
    BodyRead read;
    read.document = readJson(body, limits.json);
    if (!read.document.root)
    {
        read.problem = malformedJson(read.document.problem);
        return read;
    }
    ShapeRead shape = readShape(*read.document.root, table, limits.problems);
    read.root = std::move(shape.root);
    read.problem = std::move(shape.problem);
    if (!read.problem)
    {
        RuleChecker checker(limits, now);
        checker.object(read.root, table, kRootPath, {});
        std::vector<Broken> broken = std::move(checker).take();
        if (!broken.empty())
        {
            read.problem = problemOf(std::move(broken));
        }
    }
    return read;
}
}  // namespace relayer::wire
