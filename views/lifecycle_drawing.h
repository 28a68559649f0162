// A request's way, drawn into the diagram of all ways: the statuses of its kind, the edges of
// core/lifecycle.h, and on top of them those that it took. An SVG that needs no style of its own.
// Pure.
#pragma once

#include "core/lifecycle.h"
#include "core/request_trail.h"
#include "views/html.h"

#include <chrono>
#include <span>

namespace relayer::views
{
struct Way
{
    core::Kind kind = core::Kind::InputProof;
    core::Status status = core::Status::Queued;  // where it is
    std::chrono::milliseconds createdAt{0};
    std::span<const core::TrailStep> trail;
};
[[nodiscard]] Markup lifecycleDrawing(const Way &way);
}  // namespace relayer::views
