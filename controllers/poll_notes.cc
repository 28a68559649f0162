#include "controllers/poll_notes.h"

#include "controllers/job_rows.h"
#include "controllers/plugin_for.h"
#include "plugins/retry_after.h"

namespace relayer::controllers
{
void note(const plugins::JobViewPtr &view, const wire::Answer &answer)
{
    if (!view)
    {
        return;
    }
    auto &retryAfter = pluginFor<plugins::RetryAfter>();
    const plugins::WaitingRoom::Job job = waitedFor(*view);
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
