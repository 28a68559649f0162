// The tables of all kinds of requests, and where each is posted. Each stands beside its decoder.
#pragma once

#include "core/lifecycle.h"
#include "wire/request_table.h"

#include <span>
#include <string_view>

namespace relayer::wire
{
extern const RequestTable kInputProofTable;
extern const RequestTable kPublicDecryptTable;
extern const RequestTable kUserDecryptTable;
extern const RequestTable kDelegatedUserDecryptTable;
extern const RequestTable kUnifiedUserDecryptTable;

struct RequestRoute
{
    std::string_view path;
    std::string_view name;  // in the names of operations
    std::string_view tag;   // under which a document lists it
    std::string_view summary;
    const RequestTable *table = nullptr;
    core::Kind kind = core::Kind::InputProof;
};

[[nodiscard]] std::span<const RequestRoute> requestRoutes();
}  // namespace relayer::wire
