#pragma once

// The rules behind tree_rules.h, one function each. A rule looks at the whole tree and reports
// every place that breaks it; markers are not its business (tree_rules.cc applies them).

#include "tidy/source.h"
#include "tidy/tree_rules.h"

#include <string>
#include <string_view>
#include <vector>

namespace relayer::tidy
{
// Collects what one rule finds.
class Report
{
  public:
    Report(std::string_view rule, std::vector<Finding> &out) : rule_(rule), out_(out) {}

    void add(const Source &file, int line, std::string why, std::string remedy)
    {
        out_.push_back(
            {std::string(rule_), std::string(file.path), line, std::move(why), std::move(remedy)});
    }

  private:
    std::string_view rule_;
    std::vector<Finding> &out_;
};

struct Rule
{
    std::string_view name;
    void (*check)(const Tree &, Report &);
};

// room_rules.cc: the walls between the rooms and what is forbidden inside them
void checkRooms(const Tree &tree, Report &report);
void checkPurity(const Tree &tree, Report &report);
void checkBlocking(const Tree &tree, Report &report);
void checkSleep(const Tree &tree, Report &report);

// sql_rules.cc
void checkSql(const Tree &tree, Report &report);
void checkGuards(const Tree &tree, Report &report);
void checkWrites(const Tree &tree, Report &report);
void checkMigrations(const Tree &tree, Report &report);

// shape_rules.cc: how a file looks
void checkLengths(const Tree &tree, Report &report);
void checkNames(const Tree &tree, Report &report);
void checkHeaders(const Tree &tree, Report &report);
void checkBanners(const Tree &tree, Report &report);
void checkAssertions(const Tree &tree, Report &report);

// word_rules.cc: words that do not belong where they stand
void checkUnfinished(const Tree &tree, Report &report);
void checkPaths(const Tree &tree, Report &report);
void checkHosts(const Tree &tree, Report &report);
void checkSecrets(const Tree &tree, Report &report);
}  // namespace relayer::tidy
