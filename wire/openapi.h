// The document about our routes, OpenAPI 3.1, made of what answers them: the requests from the
// tables of the decoder, the answers from the code that writes them (api_answers.h). Pure; a server
// makes it when somebody asks.
//
// Beside what OpenAPI defines it has `x-request` at examples of answers: what a client sends to get
// that answer, and `x-errors`: the table of labels.
#pragma once

#include "wire/api_answers.h"

#include <string>

namespace relayer::wire
{
[[nodiscard]] std::string openApi(const ApiFacts &facts);
}  // namespace relayer::wire
