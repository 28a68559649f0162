#include "controllers/operator_actions.h"

#include "controllers/jobs.h"
#include "controllers/plugin_for.h"
#include "core/names.h"
#include "models/store_error.h"
#include "plugins/store.h"

#include <array>
#include <utility>

namespace relayer::controllers
{
using core::OperatorOutcome;

std::optional<OperatorAction> actionNamed(std::string_view name)
{
    static constexpr std::array<std::string_view, 3> kNames = {"fail", "dispatch", "resubmit"};
    return core::valueNamed<OperatorAction>(kNames, name);
}

std::shared_ptr<models::OperatorStore> operatorStore()
{
    auto operators = pluginFor<plugins::Store>().operators();
    if (!operators)
    {
        throw models::StoreError(models::StoreError::Code::Unavailable, "the program quits");
    }
    return operators;
}

drogon::Task<Acted> perform(OperatorAction action, core::JobId job, std::string reason,
                            std::string actor)
{
    const auto operators = operatorStore();
    Acted acted;
    switch (action)
    {
        case OperatorAction::Fail:
            acted.outcome = co_await operators->fail(job, std::move(reason), std::move(actor));
            break;
        case OperatorAction::DispatchAgain:
            acted.outcome = co_await operators->dispatchAgain(job, std::move(actor));
            break;
        case OperatorAction::SubmitAnew:
            const core::JobId fresh = newJobId();
            acted.outcome = co_await operators->submitAnew(job, fresh, std::move(actor));
            if (acted.outcome == OperatorOutcome::Done)
            {
                acted.fresh = fresh;
            }
            break;
    }
    co_return acted;
}
}  // namespace relayer::controllers
