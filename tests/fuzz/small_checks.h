// What must hold of the decoders of headers, of shares and registrations, and of what is read back
// from where others could have written, for any bytes at all.
#pragma once

#include "core/base64.h"
#include "core/job_id.h"
#include "core/runtime_parameter.h"
#include "core/sealed_witness.h"
#include "core/signed_session.h"
#include "core/status_notices.h"
#include "core/trace_context.h"
#include "fuzz/broken.h"
#include "wire/join_request.h"
#include "wire/prefer.h"
#include "wire/request_id.h"
#include "wire/share_request.h"
#include "wire/strict_json.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

namespace relayer::fuzz
{
inline Broken checkShareBody(core::ByteView bytes)
{
    const auto read = wire::readShareRequest(textOf(bytes));
    if (const auto *problem = std::get_if<wire::ShareProblem>(&read))
    {
        return problem->text.empty() ? "a share was refused without a word" : kFine;
    }
    const core::VoteShare &share = std::get<wire::ShareRequest>(read).share;
    const core::Bytes witness = core::encodeWitness(share);
    return core::decodeWitness(share.key, witness) == share ? kFine : "a share does not come back";
}

inline Broken checkJoinBody(core::ByteView bytes)
{
    const auto read = wire::readJoinRequest(textOf(bytes));
    if (const auto *problem = std::get_if<wire::JoinProblem>(&read))
    {
        return problem->status >= 400 && problem->status < 500 && !problem->text.empty()
                   ? kFine
                   : "a registration made a fault of ours";
    }
    const auto &request = std::get<wire::JoinRequest>(read);
    return wire::readJson(wire::signedDocument(request)).root ? kFine
                                                              : "what was signed is no JSON";
}

// What comes in one header, or in one piece of a path.
inline Broken checkHeader(core::ByteView bytes)
{
    const std::string text = textOf(bytes);
    (void)wire::preferredWait(text);
    (void)wire::secondsFrom(text);
    if (wire::isSaneRequestId(text) &&
        std::ranges::any_of(text, [](char c) { return c <= ' ' || c > '~' || c == '"'; }))
    {
        return "a request id would do harm in a log";
    }
    if (const auto context = core::parseTraceparent(text);
        context && !core::parseTraceparent(core::traceparent(*context)))
    {
        return "a trace context does not come back";
    }
    if (const auto id = core::JobId::parse(text); id && core::JobId::parse(id->text()) != id)
    {
        return "a job id does not come back";
    }
    const auto data = core::fromBase64(text);
    return !data || core::fromBase64(core::toBase64(*data)) == data ? kFine
                                                                    : "bytes do not come back";
}

// Cookies, notices of the database, values of operators, sealed columns: the first byte chooses.
inline Broken checkReadBack(core::ByteView bytes)
{
    const core::ByteView rest = bytes.empty() ? bytes : bytes.subspan(1);
    const std::string text = textOf(rest);
    switch (bytes.empty() ? 0 : bytes.front() % 4)
    {
        case 0:
            return core::readSession(core::sessionKeyOf("secret"), text, std::chrono::seconds(0))
                       ? "a session was made without the key"
                       : kFine;
        case 1:
        {
            const auto notice = core::parseStatusNotice(text);
            return notice && notice->all && !notice->ids.empty() ? "all, and some of them" : kFine;
        }
        case 2:
        {
            const core::RuntimeParameter parameter{
                .name = "n", .min = 1, .max = 50, .allowed = "", .description = ""};
            using Kind = core::GivenValue::Kind;
            for (const Kind kind : {Kind::Integer, Kind::Float, Kind::Text})
            {
                const auto checked = core::checkValue(parameter, {kind, text});
                if (checked.text.has_value() != checked.wrong.empty())
                {
                    return "neither a value nor a reason, or both";
                }
            }
            return kFine;
        }
        default:
        {
            const core::WitnessKeys keys({core::Hash32{}});
            const std::size_t half = rest.size() / 2;
            const core::SealedWitness sealed{
                core::Bytes(rest.begin() + static_cast<std::ptrdiff_t>(half), rest.end()),
                core::Bytes(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(half))};
            return keys.open(core::ShareKey{}, sealed) ? "opened what was never sealed" : kFine;
        }
    }
}
}  // namespace relayer::fuzz
