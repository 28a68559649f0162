// What our controllers are made of: their routes are not there because somebody links them, as
// those of Drogon's own HttpController, but once mountRoutes() has read where they belong.
#pragma once

#include <drogon/HttpController.h>

#include <string>
#include <utility>
#include <vector>

namespace relayer::controllers
{
// The path of a route below `http.path_prefix`. Throws std::runtime_error when the application has
// a route there, which ours would replace.
[[nodiscard]] std::string placeFor(
    const std::string &pattern, const std::vector<drogon::internal::HttpConstraint> &constraints);

template <typename Controller>
class Mounted : public drogon::HttpController<Controller, false>
{
  protected:
    // Stands before Drogon's own where ADD_METHOD_TO looks for it.
    template <typename Function>
    static void registerMethod(Function &&function, const std::string &pattern,
                               const std::vector<drogon::internal::HttpConstraint> &constraints,
                               bool classNameInPath, const std::string &name)
    {
        drogon::HttpController<Controller, false>::registerMethod(
            std::forward<Function>(function), placeFor(pattern, constraints), constraints,
            classNameInPath, name);
    }

  private:
    Mounted() = default;
    friend Controller;
};

// Puts all routes of the module below this prefix. Once, and before Drogon's router has started:
// before app().run(), or while plugins start.
void mountRoutes(const std::string &prefix);

// Our JSON for all paths below the prefix that are none of ours, and for methods that they do not
// take. For an application that embeds the module and has a prefix: the paths below it are ours.
void installErrorsBelowPrefix();
}  // namespace relayer::controllers
