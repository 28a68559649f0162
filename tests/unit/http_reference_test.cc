// docs/http.md is what the document of the routes says, and says all of it.
#include "support/http_reference.h"

#include "support/source_dir.h"
#include "wire/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace relayer::test
{
namespace
{
constexpr std::uint64_t kNow = 1700000000;

// Of a server that takes shares, with a token, and shows their queue.
JsonSchemas api()
{
    wire::ApiFacts facts{"0", wire::RequestLimits(), 2097152, kNow, 30};
    facts.shares = wire::ShareApi{true, true, kNow};
    return JsonSchemas(parsedJson(wire::openApi(facts)));
}

TEST(HttpReference, IsCurrent)
{
    const auto file = sourceDir() / "docs/http.md";
    const std::string reference = httpReference(api());
    // Nobody of ours sets variables. NOLINTNEXTLINE(concurrency-mt-unsafe)
    if (const char *update = std::getenv("RELAYER_UPDATE_DOCS");
        update != nullptr && std::string(update) == "1")
    {
        std::ofstream(file) << reference;
    }
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_EQ(text.str(), reference) << "write it anew: RELAYER_UPDATE_DOCS=1 ./test HttpReference";
}

TEST(HttpReference, NamesEveryRouteEveryLabelAndWhateverItLinksTo)
{
    const JsonSchemas document = api();
    const std::string reference = httpReference(document);
    EXPECT_THAT(reference, testing::HasSubstr("### POST /shielded-vote/v1/shares\n"));
    for (const std::string &path : document.document()["paths"].getMemberNames())
    {
        EXPECT_THAT(reference, testing::HasSubstr(" " + path + "\n")) << path;
    }
    for (const Json::Value &error : document.document()["x-errors"])
    {
        EXPECT_THAT(reference, testing::HasSubstr("`" + error["label"].asString() + "`"));
    }
    std::string lowerCase = reference;
    std::ranges::transform(lowerCase, lowerCase.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    std::size_t links = 0;
    for (std::size_t at = 0; (at = reference.find("](#", at)) != std::string::npos; ++at)
    {
        const std::size_t end = reference.find(')', at);
        const std::string name = reference.substr(at + 3, end - at - 3);
        EXPECT_THAT(lowerCase, testing::HasSubstr("\n### " + name + "\n")) << name;
        ++links;
    }
    EXPECT_GT(links, 5U);
}

TEST(HttpReference, SaysWhatEachParameterAndEachMemberIs)
{
    std::istringstream lines(httpReference(api()));
    std::size_t named = 0;
    bool inTable = false;
    for (std::string line; std::getline(lines, line);)
    {
        inTable = line.starts_with("| parameter ") || line.starts_with("| member ") ||
                  (inTable && !line.empty());
        if (inTable && line.starts_with("| `"))
        {
            ++named;
            EXPECT_FALSE(line.ends_with("|  |")) << line;
        }
    }
    EXPECT_GT(named, 50U);
}
}  // namespace
}  // namespace relayer::test
