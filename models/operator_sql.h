// What is read for an operator: pages of requests, and all that is kept about one. Text is built
// once and lives as long as the program.
#pragma once

#include "core/request_history.h"

#include <cstddef>
#include <string>

namespace relayer::models::sql
{
// id, job id, kind, variant, status, error code, created, in this status since, and milliseconds in
// it.
inline constexpr std::size_t kLineColumns = 9;

// A page looks at so many requests at the most.
inline constexpr std::int64_t kLookedAt = 20000;

// How a page is found. Each text takes $1 what stands for the request (or null), $2 kind, $3
// status, $4 and $5 at least and at most so old, $6 ids below, $7 how many, $8 ids from; all but $6
// to $8 may be null. Newest first.
struct Walk
{
    const std::string *text = nullptr;
    // The last id that was looked at, if there are more behind it. $1 ids below, $2 ids from.
    const std::string *edge = nullptr;
    bool byName = false;
};
[[nodiscard]] Walk walkOf(const core::RequestSearch &search);

// The smallest id of those that came within the last $1 milliseconds, by bisection.
[[nodiscard]] const std::string &firstAdmittedSince();

// $1 job id.
[[nodiscard]] const std::string &historyOfRequest();
// $1 id.
[[nodiscard]] const std::string &attemptsOfRequest();
[[nodiscard]] const std::string &resubmissionsOf();
// $1 kind, $2 gateway id, $3 no block before this one.
[[nodiscard]] const std::string &eventsOfGatewayId();
// $1 gateway id.
[[nodiscard]] const std::string &sharesOfGatewayId();
// $1 kind, $2 gateway id.
[[nodiscard]] const std::string &answerToGatewayId();
// $1 milliseconds.
[[nodiscard]] const std::string &errorsWithin();

[[nodiscard]] const std::string &allInstances();
[[nodiscard]] const std::string &allLanes();
[[nodiscard]] const std::string &sharesByState();
[[nodiscard]] const std::string &sharesThatAreDue();
}  // namespace relayer::models::sql
