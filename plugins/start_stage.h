// Whose rows a start looks at.
#pragma once

namespace relayer::plugins
{
enum class StartStage
{
    BeforeEnrolment,  // those of our last epoch, which the database still knows
    Enrolled,         // those of our own, which has taken over what came to the last one meanwhile
};
}  // namespace relayer::plugins
