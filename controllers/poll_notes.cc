#include "controllers/poll_notes.h"

#include "controllers/plugin_for.h"
#include "plugins/retry_after.h"

namespace relayer::controllers
{
void note(const plugins::WaitingRoom::Job &job, const wire::Answer &answer)
{
    auto &retryAfter = pluginFor<plugins::RetryAfter>();
    if (answer.retryAfterSeconds)
    {
        retryAfter.told(job, *answer.retryAfterSeconds);
    }
    else if (core::isTerminal(job.status))
    {
        retryAfter.fetched(job);
    }
}
}  // namespace relayer::controllers
