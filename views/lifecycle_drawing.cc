#include "views/lifecycle_drawing.h"

#include "views/words.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace relayer::views
{
using core::Status;
using std::chrono::milliseconds;

namespace
{
// The good way goes along the middle, from left to right; what ends badly lies below.
constexpr int kWidth = 980;
constexpr int kHeight = 320;
constexpr int kBoxWidth = 140;
constexpr int kBoxHeight = 52;
constexpr int kMiddle = 96;
constexpr int kBelow = 250;

struct Point
{
    int x = 0;  // of the middle of a box
    int y = 0;
};

Point placeOf(Status status)
{
    switch (status)
    {
        case Status::Queued: return {80, kMiddle};
        case Status::Processing: return {285, kMiddle};
        case Status::TxInFlight: return {490, kMiddle};
        case Status::ReceiptReceived: return {695, kMiddle};
        case Status::Completed: return {900, kMiddle};
        case Status::TimedOut: return {388, kBelow};
        case Status::Failure: return {695, kBelow};
    }
    return {};
}

std::string number(int value)
{
    return std::to_string(value);
}

std::string at(Point point)
{
    return number(point.x) + " " + number(point.y);
}

Point moved(Point point, int x, int y)
{
    return {point.x + x, point.y + y};
}

// Where each edge leaves and arrives, so that none hides another.
std::string pathOf(Status from, Status to)
{
    const Point a = placeOf(from);
    const Point b = placeOf(to);
    if (b.y == a.y && b.x > a.x)
    {
        return "M " + at(moved(a, kBoxWidth / 2, 0)) + " L " + at(moved(b, -kBoxWidth / 2 - 3, 0));
    }
    if (b.y == a.y)
    {
        // Back, over the top.
        const Point start = moved(a, -20, -kBoxHeight / 2);
        const Point end = moved(b, 20, -kBoxHeight / 2 - 3);
        return "M " + at(start) + " C " + at(moved(start, 0, -48)) + " " + at(moved(end, 0, -45)) +
               " " + at(end);
    }
    const int lean = (a.x - b.x) / 9;
    const Point start = moved(a, to == Status::TimedOut ? -26 : 26, kBoxHeight / 2);
    const Point end = moved(b, lean, -kBoxHeight / 2 - 3);
    return "M " + at(start) + " C " + at(moved(start, 0, 62)) + " " + at(moved(end, 0, -62)) + " " +
           at(end);
}

struct Visit
{
    milliseconds entered{0};
    milliseconds stayed{0};
    bool over = false;  // it has gone on from here
    int times = 0;
};

struct Walked
{
    std::map<Status, Visit> visits;
    std::set<std::pair<Status, Status>> edges;
};

Walked walk(const Way &way)
{
    Walked walked;
    Status here = core::initialStatus(way.kind);
    walked.visits[here] = {way.createdAt, milliseconds(0), false, 1};
    for (const core::TrailStep &step : way.trail)
    {
        const Status to = core::targetOf(step.transition);
        const auto when = std::chrono::floor<milliseconds>(step.at);
        Visit &left = walked.visits[here];
        left.stayed += when - left.entered;
        left.over = true;
        walked.edges.emplace(here, to);
        Visit &next = walked.visits[to];
        next.entered = when;
        next.over = false;
        ++next.times;
        here = to;
    }
    return walked;
}

std::string edge(Status from, Status to, bool taken)
{
    return std::string("<path class=\"edge") + (taken ? " taken" : "") + "\" d=\"" +
           pathOf(from, to) + "\" marker-end=\"url(#arrow-" + (taken ? "taken" : "way") + ")\"/>";
}

std::string box(Status status, const Visit *visit, bool here)
{
    const Point place = placeOf(status);
    std::string text = "<g class=\"state s-" + std::string(core::name(status)) +
                       (visit != nullptr ? " seen" : "") + (here ? " here" : "") + "\">";
    text += "<rect x=\"" + number(place.x - kBoxWidth / 2) + "\" y=\"" +
            number(place.y - kBoxHeight / 2) + "\" width=\"" + number(kBoxWidth) + "\" height=\"" +
            number(kBoxHeight) + "\" rx=\"9\"/>";
    const bool told = visit != nullptr && (visit->over || visit->times > 1);
    text += "<text class=\"name\" x=\"" + number(place.x) + "\" y=\"" +
            number(place.y + (told ? -3 : 5)) + "\">" + spaced(core::name(status)) + "</text>";
    if (told)
    {
        text += "<text class=\"time\" x=\"" + number(place.x) + "\" y=\"" + number(place.y + 15) +
                "\">" + (visit->over ? duration(visit->stayed) : "") +
                (visit->times > 1 ? " · " + number(visit->times) + " times" : "") + "</text>";
    }
    return text + "</g>";
}

// Said to who does not see it.
std::string inWords(const Way &way)
{
    std::string text(spaced(core::name(core::initialStatus(way.kind))));
    for (const core::TrailStep &step : way.trail)
    {
        text += ", then " + spaced(core::name(core::targetOf(step.transition)));
    }
    return text;
}
}  // namespace

Markup lifecycleDrawing(const Way &way)
{
    const Walked walked = walk(way);
    std::string svg = "<svg class=\"lifecycle\" viewBox=\"0 0 " + number(kWidth) + " " +
                      number(kHeight) +
                      "\" role=\"img\" aria-labelledby=\"way-title\"><title id=\"way-title\">"
                      "The way of this request: " +
                      inWords(way) + "</title><defs>";
    for (const char *marker : {"way", "taken"})
    {
        svg += std::string("<marker id=\"arrow-") + marker +
               "\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"7\" "
               "markerHeight=\"7\" orient=\"auto\"><path class=\"head-" +
               marker + "\" d=\"M0 1 L9 5 L0 9 z\"/></marker>";
    }
    svg += "</defs>";
    // Those that were taken come last, and lie on top.
    for (const bool taken : {false, true})
    {
        std::set<std::pair<Status, Status>> drawn;
        for (const core::Edge &each : core::kEdges)
        {
            for (const Status from : core::kAllStatuses)
            {
                const bool here = each.kind == way.kind && each.from.contains(from);
                if (here && walked.edges.contains({from, each.to}) == taken &&
                    drawn.emplace(from, each.to).second)
                {
                    svg += edge(from, each.to, taken);
                }
            }
        }
    }
    for (const Status status : core::kAllStatuses)
    {
        if (core::canBeIn(way.kind, status))
        {
            const auto visit = walked.visits.find(status);
            svg += box(status, visit == walked.visits.end() ? nullptr : &visit->second,
                       status == way.status);
        }
    }
    return Markup(svg + "</svg>");
}
}  // namespace relayer::views
