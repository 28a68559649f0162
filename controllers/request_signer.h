// Whether a user decryption is signed by whom it names, before anything is looked for or kept.
// Functions without state; any thread.
#pragma once

#include "core/decrypt.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <variant>

namespace relayer::controllers
{
// A response: the request goes no further. Of the older sorts there is none, since the contract
// judges them.
using SignerOrResponse = std::variant<core::Signer, drogon::HttpResponsePtr>;

drogon::Task<SignerOrResponse> signerOf(drogon::HttpRequestPtr http, core::UserDecrypt decrypt);
}  // namespace relayer::controllers
