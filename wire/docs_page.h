// The OpenAPI document as a page: one file of HTML with its own style, for browsers that run no
// scripts and reach nothing but us. Made of the text of the document and nothing else.
#pragma once

#include <string>
#include <string_view>

namespace relayer::wire
{
// The style that stands in the page: who serves it names its hash in Content-Security-Policy.
[[nodiscard]] std::string_view docsStyle();

// Empty when the document is no JSON.
[[nodiscard]] std::string docsPage(std::string_view document);
}  // namespace relayer::wire
