// What an operator has to be told, wherever on the way of a transaction it shows.
#pragma once

#include "core/failure.h"

#include <trantor/utils/Logger.h>

#include <string>

namespace relayer::plugins
{
// What the deployment pays the protocol with has to be refilled, or allowed once more; a client can
// do nothing about it.
inline void alertIfFeesAreShort(core::FailureCode code)
{
    if (code == core::FailureCode::InsufficientBalance ||
        code == core::FailureCode::InsufficientAllowance)
    {
        LOG_ERROR << "step=fee_token_short alert=true code=" << std::string(core::name(code))
                  << ": the relayer's account can not pay the protocol fee";
    }
}
}  // namespace relayer::plugins
