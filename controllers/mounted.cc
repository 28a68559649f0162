#include "controllers/mounted.h"

#include "controllers/admin_config_controller.h"
#include "controllers/admin_controller.h"
#include "controllers/admin_operations_controller.h"
#include "controllers/admin_requests_controller.h"
#include "controllers/console_controller.h"
#include "controllers/console_login_controller.h"
#include "controllers/console_settings_controller.h"
#include "controllers/document_controller.h"
#include "controllers/events_controller.h"
#include "controllers/health_controller.h"
#include "controllers/input_proof_controller.h"
#include "controllers/key_url_controller.h"
#include "controllers/public_decrypt_controller.h"
#include "controllers/routes.h"
#include "controllers/shares_controller.h"
#include "controllers/user_decrypt_controller.h"
#include "controllers/voting_controller.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>

namespace relayer::controllers
{
using drogon::internal::ConstraintType;

namespace
{
template <typename... Controllers>
void mount()
{
    (drogon::app().registerController(std::make_shared<Controllers>()), ...);
}

bool takes(const std::vector<drogon::internal::HttpConstraint> &constraints,
           drogon::HttpMethod method)
{
    return std::ranges::any_of(constraints, [method](const auto &constraint) {
        return constraint.type() == ConstraintType::HttpMethod &&
               constraint.getHttpMethod() == method;
    });
}

// Whatever the parameters in them are called.
bool isSamePlace(std::string_view one, std::string_view other)
{
    return matches(one, other) && matches(other, one);
}

// The settings have not started yet when our own program mounts its routes.
std::string &prefixOfPlaces()
{
    static std::string prefix;
    return prefix;
}

// The patterns of ours that are there already. On the main thread, while routes are mounted.
std::set<std::string> &mountedPlaces()
{
    static std::set<std::string> places;
    return places;
}
}  // namespace

std::string placeFor(const std::string &pattern,
                     const std::vector<drogon::internal::HttpConstraint> &constraints)
{
    std::string place = prefixOfPlaces() + pattern;
    for (const auto &[taken, method, description] : drogon::app().getHandlersInfo())
    {
        if (!mountedPlaces().contains(taken) && takes(constraints, method) &&
            isSamePlace(taken, place))
        {
            std::string why = "the route " + taken;
            why += " of this application is in the way of the relayer's " + place;
            throw std::runtime_error(why + "; set http.path_prefix in its configuration");
        }
    }
    mountedPlaces().insert(place);
    return place;
}

void mountRoutes(const std::string &prefix)
{
    prefixOfPlaces() = prefix;
    mount<InputProofController, PublicDecryptController, UserDecryptController, KeyUrlController,
          EventsController, SharesController, VotingController, HealthController,
          DocumentController, AdminController, AdminConfigController, AdminOperationsController,
          AdminRequestsController, ConsoleController, ConsoleLoginController,
          ConsoleSettingsController>();
}
}  // namespace relayer::controllers
