// The document as a page: all of it, and nothing that runs or reaches out.
#include "wire/docs_page.h"
#include "wire/labels.h"
#include "wire/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::wire
{
namespace
{
using testing::HasSubstr;
using testing::Not;

const std::string &page()
{
    static const std::string text =
        docsPage(openApi({"1.2.3", RequestLimits(), 70000, 1900000000, 30}));
    return text;
}

std::size_t occurrences(const std::string &text, std::string_view what)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    {
        ++count;
    }
    return count;
}

TEST(DocsPage, ShowsEveryRouteFieldAndLabel)
{
    for (const RequestRoute &route : requestRoutes())
    {
        EXPECT_THAT(page(),
                    HasSubstr("<span class=\"path\">" + std::string(route.path) + "</span>"));
        EXPECT_THAT(page(), HasSubstr("id=\"post" + std::string(route.name) + "\""));
        for (const FieldRule &field : route.table->fields)
        {
            EXPECT_THAT(page(),
                        HasSubstr("<span class=\"name\">" + std::string(field.name) + "</span>"));
        }
    }
    EXPECT_THAT(page(), HasSubstr("attestedPayload.handles[].ctHandle")) << "fields within fields";
    for (std::size_t i = 0; i < kLabels; ++i)
    {
        EXPECT_THAT(page(),
                    HasSubstr("<code>" + std::string(name(static_cast<Label>(i))) + "</code>"));
    }
    EXPECT_THAT(page(), HasSubstr("Version 1.2.3"));
    EXPECT_THAT(page(), HasSubstr("At most 70000 bytes"));
}

TEST(DocsPage, RunsNothingAndLoadsNothing)
{
    for (const std::string loads : {"<script", "<img", "<link", "<iframe", "<object",
                                    " style=", "@import", "url(", "onclick", "javascript:"})
    {
        EXPECT_THAT(page(), Not(HasSubstr(loads)));
    }
    EXPECT_EQ(occurrences(page(), "<style>"), 1U);
    EXPECT_THAT(page(), HasSubstr("<style>" + std::string(docsStyle()) + "</style>"))
        << "the policy names the hash of just this";
    EXPECT_EQ(occurrences(page(), "href=\"http"), 0U);
}

TEST(DocsPage, ClosesWhatItOpens)
{
    for (const std::string element :
         {"article", "section", "details", "ul", "li", "div", "span", "pre", "table", "tr", "code"})
    {
        EXPECT_EQ(
            occurrences(page(), "<" + element + ">") + occurrences(page(), "<" + element + " "),
            occurrences(page(), "</" + element + ">"))
            << element;
    }
}

TEST(DocsPage, EveryLinkInItLeadsSomewhere)
{
    for (std::size_t at = page().find("href=\"#"); at != std::string::npos;
         at = page().find("href=\"#", at + 1))
    {
        const std::size_t from = at + std::string_view("href=\"#").size();
        const std::string id = page().substr(from, page().find('"', from) - from);
        EXPECT_EQ(occurrences(page(), "id=\"" + id + "\""), 1U) << id;
    }
}

TEST(DocsPage, WhatADocumentSaysIsNoMarkup)
{
    const std::string text =
        docsPage(R"({"info":{"title":"<script>alert(1)</script>","version":"\"><b>",)"
                 R"("description":"a<b\n\n**c**"}})");
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(text, HasSubstr("<p>a&lt;b</p><p><strong>c</strong></p>"));
    EXPECT_EQ(docsPage("no json"), "");
}
}  // namespace
}  // namespace relayer::wire
