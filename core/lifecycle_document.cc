// Writes docs/lifecycle.md from the table in lifecycle.h. A test compares the file with this text;
// RELAYER_UPDATE_DOCS=1 ./test Lifecycle writes it.
#include "core/lifecycle.h"

namespace relayer::core
{
namespace
{
std::string inQuotes(std::string_view text)
{
    return "`" + std::string(text) + "`";
}

std::string namesOf(StatusSet set)
{
    std::string text;
    for (const Status status : kAllStatuses)
    {
        if (set.contains(status))
        {
            text += (text.empty() ? "" : ", ") + inQuotes(name(status));
        }
    }
    return text;
}

std::string diagram(Kind kind)
{
    std::string text = "```mermaid\nstateDiagram-v2\n";
    text += "    [*] --> " + std::string(name(initialStatus(kind))) + " : admit\n";
    for (const Edge &edge : kEdges)
    {
        // The internal fault leads from everywhere to failure; drawn, it would hide the rest.
        if (edge.kind != kind || edge.transition == Transition::FailInternally)
        {
            continue;
        }
        for (const Status status : kAllStatuses)
        {
            if (edge.from.contains(status))
            {
                text += "    " + std::string(name(status)) + " --> " + std::string(name(edge.to)) +
                        " : " + std::string(name(edge.transition)) + "\n";
            }
        }
    }
    for (const Status status : kAllStatuses)
    {
        if (isTerminal(status))
        {
            text += "    " + std::string(name(status)) + " --> [*]\n";
        }
    }
    return text + "```\n";
}

std::string table(Kind kind)
{
    std::string text = "| transition | from | to | in the audit |\n|---|---|---|---|\n";
    for (const Edge &edge : kEdges)
    {
        if (edge.kind == kind)
        {
            text += "| " + inQuotes(name(edge.transition)) + " | " + namesOf(edge.from) + " | " +
                    inQuotes(name(edge.to)) + " | " +
                    (edge.auditMethod.empty() ? "" : inQuotes(edge.auditMethod)) + " |\n";
        }
    }
    return text;
}
}  // namespace

std::string lifecycleDocument()
{
    std::string text =
        "# The life of a request\n\n"
        "<!-- Generated from core/lifecycle.h. To change it: RELAYER_UPDATE_DOCS=1 "
        "./test Lifecycle -->\n\n"
        "A status changes only by a guarded update: the statement names the statuses it may come\n"
        "from, and a statement that finds the row in another one changes nothing. The caller is\n"
        "told that it lost, and stops. `completed`, `timed_out` and `failure` are ends: nothing\n"
        "leads out of them.\n\n"
        "Not drawn, to keep the pictures readable: `fail_internally` leads from every status that\n"
        "is not an end to `failure`.\n";
    for (const Kind kind : kAllKinds)
    {
        text += "\n## " + std::string(name(kind)) + "\n\n" + diagram(kind) + "\n" + table(kind);
    }
    text +=
        "\n## What ends mean for the same content posted again\n\n"
        "A request stands for its content (the hash of what was asked) from admission on.\n"
        "The same content posted again joins it: while it lives, when it is completed, and\n"
        "when its proof was rejected, since proving it again can not change the answer. After\n"
        "`timed_out` or any other `failure` the content is free, and a post makes a new request\n"
        "with a new job id.\n";
    return text;
}
}  // namespace relayer::core
