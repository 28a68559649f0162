// A context of libsecp256k1 with an owner.
#pragma once

#include <secp256k1.h>

#include <memory>
#include <new>

namespace relayer::chain
{
struct EndCurveContext
{
    void operator()(secp256k1_context *context) const { secp256k1_context_destroy(context); }
};
using CurveContext = std::unique_ptr<secp256k1_context, EndCurveContext>;

[[nodiscard]] inline CurveContext newCurveContext()
{
    CurveContext context(secp256k1_context_create(SECP256K1_CONTEXT_NONE));
    if (!context)
    {
        throw std::bad_alloc();
    }
    return context;
}
}  // namespace relayer::chain
