// The requests in the examples of the document, made right for the server that they are sent to.
#pragma once

#include "support/api_document.h"
#include "support/server_process.h"

#include <json/json.h>

#include <string>
#include <vector>

namespace relayer::test
{
// With the host chain of the examples.
[[nodiscard]] ServerOptions likeInTheExamples(const std::string &database);

// Of version 3 the signature is looked at, and is about this server's own contract: it is made
// anew. All others stay as they are.
[[nodiscard]] Json::Value signedByItsUser(Json::Value example);

// Another content for each number: a byte of the handle or the ciphertext.
[[nodiscard]] Json::Value variantOf(Json::Value body, unsigned number);

// The names of all examples of answers, but for those of the service's own routes, which differ
// from build to build.
[[nodiscard]] std::vector<std::string> examplesOf(const ApiDocument &document);
}  // namespace relayer::test
