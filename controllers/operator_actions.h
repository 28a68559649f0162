// What an operator may do to one request, for the routes of programs and for the pages alike.
// Functions without state; any thread.
#pragma once

#include "core/job_id.h"
#include "core/request_history.h"
#include "models/operator_store.h"

#include <drogon/utils/coroutine.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::controllers
{
enum class OperatorAction : std::uint8_t
{
    Fail,
    DispatchAgain,
    SubmitAnew,
};

// fail, dispatch or resubmit, as they stand in paths.
[[nodiscard]] std::optional<OperatorAction> actionNamed(std::string_view name);

struct Acted
{
    core::OperatorOutcome outcome = core::OperatorOutcome::NoSuchRequest;
    std::optional<core::JobId> fresh = std::nullopt;  // of the one that was submitted anew
};

// Throws StoreError while the program quits.
[[nodiscard]] std::shared_ptr<models::OperatorStore> operatorStore();

// Throws StoreError.
drogon::Task<Acted> perform(OperatorAction action, core::JobId job, std::string reason,
                            std::string actor);
}  // namespace relayer::controllers
