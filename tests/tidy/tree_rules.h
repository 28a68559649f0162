#pragma once

// The laws of the house as a program: what may include what, where SQL may stand, how long a
// function may be. Files go in, findings come out; nothing is read from disk here, so that a test
// can hand in a tree that breaks one rule on purpose.
//
// Where a rule is wrong for one line, that line says so and why, in a comment of its own that reads
// `tidy: allow RULE: reason`. A marker without a reason, for a rule that does not exist, or that
// allows nothing any more, is a finding itself.

#include "tidy/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace relayer::tidy
{
struct Finding
{
    std::string rule;
    std::string path;
    int line;
    std::string why;
    std::string remedy;
};

// path:line: [rule] why — what to do
std::string toString(const Finding &finding);

std::vector<Finding> findings(const std::vector<File> &files);

std::vector<std::string_view> ruleNames();
}  // namespace relayer::tidy
