// From rows to what a poll shows of them. Functions without state; any thread.
#pragma once

#include "plugins/job_view.h"
#include "plugins/waiting_room.h"
#include "wire/envelope.h"

#include <string_view>

namespace relayer::controllers
{
// 200, 202, or how the job ended; 404 when there is none.
[[nodiscard]] wire::Answer shown(std::string_view requestId, const plugins::JobViewPtr &view);
// The same of one that is there, by who knows where it stands (waitedFor).
[[nodiscard]] wire::Answer shown(std::string_view requestId, const plugins::JobView &view,
                                 const plugins::WaitingRoom::Job &known);

// As one who waited knows the job: 202 from memory, as long as it has not ended.
[[nodiscard]] wire::Answer shown(std::string_view requestId,
                                 const plugins::WaitingRoom::Wake &wake);
// When to ask again for a job that was read a while ago.
[[nodiscard]] std::int64_t secondsUntilMore(const plugins::WaitingRoom::Job &job);
[[nodiscard]] plugins::WaitingRoom::Job waitedFor(const plugins::JobView &view);
[[nodiscard]] plugins::WaitingRoom::Job waitedFor(core::Kind kind,
                                                  const models::Admission &admission);
}  // namespace relayer::controllers
