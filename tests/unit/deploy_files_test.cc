// The files in deploy/ that watch a deployment: each alert has its place in docs/operations.md.
#include "support/source_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/json.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace relayer::test
{
namespace
{
std::string contentOf(const std::string &path)
{
    std::stringstream text;
    text << std::ifstream(sourceDir() / path).rdbuf();
    return text.str();
}

std::vector<std::string> behind(const std::string &text, const std::string &start)
{
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
    {
        const std::size_t at = line.find(start);
        if (at != std::string::npos && line.find_first_not_of(' ') == at)
        {
            found.push_back(line.substr(at + start.size()));
        }
    }
    return found;
}

TEST(DeployFiles, EachAlertHasARunbookAndEachRunbookAnAlert)
{
    const auto alerts = behind(contentOf("deploy/prometheus/alerts.yml"), "- alert: ");
    const std::string document = contentOf("docs/operations.md");
    const auto runbooks =
        behind(document.substr(document.find("## When an alert fires")), "### Relayer");
    EXPECT_GE(alerts.size(), 15U);
    std::vector<std::string> named;
    for (const std::string &runbook : runbooks)
    {
        named.push_back("Relayer" + runbook);
    }
    EXPECT_THAT(named, testing::ElementsAreArray(alerts)) << "in the same order";
}

TEST(DeployFiles, TheDashboardIsJsonWhosePanelsHaveIdsOfTheirOwn)
{
    Json::Value dashboard;
    std::istringstream(contentOf("deploy/grafana/relayer.json")) >> dashboard;
    EXPECT_EQ(dashboard["title"], "Relayer");
    std::set<int> ids;
    int questions = 0;
    for (const Json::Value &panel : dashboard["panels"])
    {
        EXPECT_TRUE(ids.insert(panel["id"].asInt()).second) << panel["title"];
        for (const Json::Value &target : panel["targets"])
        {
            EXPECT_FALSE(target["expr"].asString().empty()) << panel["title"];
            ++questions;
        }
    }
    EXPECT_GT(questions, 30);
}
}  // namespace
}  // namespace relayer::test
