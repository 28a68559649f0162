#include "controllers/events_controller.h"

#include "controllers/event_stream.h"
#include "controllers/polls.h"

#include <utility>

namespace relayer::controllers
{
using core::Kind;
using drogon::HttpRequestPtr;

EventsController::Response EventsController::inputProof(HttpRequestPtr request, std::string jobId)
{
    return askOfJob(std::move(request), std::move(jobId), Kind::InputProof, streamEvents);
}

EventsController::Response EventsController::publicDecrypt(HttpRequestPtr request,
                                                           std::string jobId)
{
    return askOfJob(std::move(request), std::move(jobId), Kind::PublicDecrypt, streamEvents);
}

EventsController::Response EventsController::userDecrypt(HttpRequestPtr request, std::string jobId)
{
    return askOfJob(std::move(request), std::move(jobId), Kind::UserDecrypt, streamEvents);
}
}  // namespace relayer::controllers
