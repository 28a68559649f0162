// Calls from web pages of other origins (`http.cors.allowed_origins`): the answer to a preflight,
// and the headers without which a browser keeps an answer from its page. Part of our program: an
// application that embeds the module has rules of its own.
#pragma once

#include <string>
#include <vector>

namespace relayer::controllers
{
// Before Drogon runs. No origins: nothing is changed.
void installCors(std::vector<std::string> allowedOrigins);
}  // namespace relayer::controllers
