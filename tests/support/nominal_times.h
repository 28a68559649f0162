// What a configuration has to say about nominal times, in the one place that tests have it from:
// config.json's values, as variables of the environment.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace relayer::test
{
inline std::map<std::string, std::string, std::less<>> nominalTimes()
{
    const std::string prefix = "RELAYER_HTTP__RETRY_AFTER__NOMINAL_TIMES__";
    return {{prefix + "READINESS_CHECK_SECONDS", "2"},
            {prefix + "INPUT_PROOF_PROCESSING_SECONDS", "2"},
            {prefix + "USER_DECRYPT_PROCESSING_SECONDS", "4"},
            {prefix + "PUBLIC_DECRYPT_PROCESSING_SECONDS", "4"},
            {prefix + "TX_CONFIRMATION_MS", "100"}};
}
}  // namespace relayer::test
