// What must hold of the decoders of what operators give - bodies of the admin routes, URLs, values
// and files of the configuration, the reference relayer's YAML - and of the answers that say where
// keys are, for any bytes at all.
#pragma once

#include "chain/abi.h"
#include "chain/key_views.h"
#include "chain/rpc/url.h"
#include "config/backoff.h"
#include "config/drogon_file.h"
#include "config/load.h"
#include "config/node_url.h"
#include "config/units.h"
#include "fuzz/broken.h"
#include "importer/flat_yaml.h"
#include "importer/reference_config.h"
#include "wire/admin_config.h"
#include "wire/admin_operations.h"
#include "wire/admin_requests.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace relayer::fuzz
{
inline bool isOneLine(std::string_view text)
{
    return std::ranges::all_of(
        text, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

template <typename Read, typename Refusal = wire::Refused>
Broken checkRefusal(const Read &read, std::string Refusal::*words = &Refusal::text)
{
    const auto *refused = std::get_if<Refusal>(&read);
    return refused != nullptr &&
                   (refused->status < 400 || refused->status >= 500 || (refused->*words).empty())
               ? "what an operator sent made a fault of ours"
               : kFine;
}

template <typename Read>
Broken checkProblem(const Read &read)
{
    return checkRefusal(read, &wire::AdminProblem::message);
}

inline Broken checkReason(const std::string &text)
{
    const auto read = wire::readReason(text);
    const auto *reason = std::get_if<std::string>(&read);
    return reason == nullptr || wire::isSaneReason(*reason) ? checkProblem(read)
                                                            : "a reason that is not sane was taken";
}

// As a query and as the form of the console come: each line is `name=value`.
inline Broken checkRequestSearch(const std::string &text)
{
    const auto read = wire::readRequestSearch([&text](const std::string &name) {
        const std::string lines = "\n" + text;
        const std::size_t at = lines.find("\n" + name + "=");
        const std::size_t value = at + name.size() + 2;
        return at == std::string::npos ? std::string()
                                       : lines.substr(value, lines.find('\n', value) - value);
    });
    const auto *search = std::get_if<core::RequestSearch>(&read);
    if (search == nullptr)
    {
        return checkProblem(read);
    }
    constexpr std::chrono::milliseconds kNone{0};
    const int names = (search->jobId ? 1 : 0) + (search->contentHash ? 1 : 0) +
                      (search->gatewayId ? 1 : 0) + (search->txHash ? 1 : 0);
    return names > 1 || search->limit < 1 || search->limit > core::kSearchLimitMax ||
                   search->before.value_or(1) < 1 || search->olderThan.value_or(kNone) < kNone ||
                   search->youngerThan.value_or(kNone) < kNone
               ? "a search beyond its limits"
               : kFine;
}

// The first byte chooses the route.
inline Broken checkAdminBody(core::ByteView bytes)
{
    const std::string text = textOf(bytes.empty() ? bytes : bytes.subspan(1));
    switch (bytes.empty() ? 0 : bytes.front() % 7)
    {
        case 0: return checkRefusal(wire::readConfigPost("application/json", text));
        case 1: return checkRefusal(wire::readParametersPost(text));
        case 2: return checkRefusal(wire::readInstancePost(text));
        case 3: return checkRefusal(wire::readConfigPost(text, "{}"));
        case 5: return checkReason(text);
        case 6: return checkRequestSearch(text);
        default:
        {
            const auto read = wire::readPausePost(text);
            const auto *post = std::get_if<wire::PausePost>(&read);
            const bool allowed =
                post == nullptr || (post->reason.size() <= 500 && post->retryAfterSeconds <= 3600);
            return allowed ? checkRefusal(read) : "a pause beyond its limits";
        }
    }
}

inline Broken checkUrl(core::ByteView bytes)
{
    const std::string text = textOf(bytes);
    const auto url = chain::rpc::parseUrl(text);
    if ((config::isNodeUrl(text, false) || config::isNodeUrl(text, true)) && !url)
    {
        return "the configuration takes a URL that no client can call";
    }
    if (!url)
    {
        return kFine;
    }
    if (url->port == 0 || !isOneLine(url->host + url->target + url->authorization))
    {
        return "a URL would break out of its line";
    }
    const auto again = chain::rpc::parseUrl(url->origin() + url->target);
    return again && again->scheme == url->scheme && again->host == url->host &&
                   again->port == url->port && again->target == url->target
               ? kFine
               : "a URL does not come back";
}

inline Broken checkUnits(const std::string &text)
{
    const auto integer = config::parseInteger(text);
    if (integer && config::parseInteger(std::to_string(*integer)) != integer)
    {
        return "a number does not come back";
    }
    const auto decimal = config::parseDecimal(text);
    if (decimal && config::parseDecimal(config::formatDecimal(*decimal)) != decimal)
    {
        return "a fraction does not come back";
    }
    const auto duration = config::parseDuration(text);
    if (duration && (duration->count() < 0 ||
                     config::parseDuration(config::formatDuration(*duration)) != duration))
    {
        return "a duration does not come back";
    }
    const auto size = config::parseBytes(text);
    return size && config::parseBytes(config::formatBytes(*size)) != size
               ? "a size does not come back"
               : kFine;
}

inline Broken checkBackoff(const std::string &text)
{
    const auto table = config::parseBackoff(text);
    if (!table)
    {
        return kFine;
    }
    std::chrono::seconds last{0};
    for (const auto &step : *table)
    {
        if (step.until <= last || step.wait < std::chrono::seconds(1))
        {
            return "a table whose steps are out of order";
        }
        last = step.until;
    }
    return last == std::chrono::seconds::max() ? kFine : "a table that ends";
}

// No file that it names is read: this is about bytes.
inline Broken checkConfigurationFile(const std::string &text)
{
    config::Problems problems;
    const auto file = config::parseDrogonFile("config.json", text, problems);
    if (!file)
    {
        return problems.empty() ? "a file was refused without a word" : kFine;
    }
    config::checkDrogonFile(*file, {}, problems);
    if (text.find("_file") == std::string::npos && text.find('\\') == std::string::npos)
    {
        const auto loaded = config::load({config::settingsTree(*file), {}, {}, "host"});
        problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    }
    return std::ranges::all_of(problems,
                               [](const auto &problem) { return isOneLine(line(problem)); })
               ? kFine
               : "a problem is more than one line";
}

// The first byte chooses.
inline Broken checkConfig(core::ByteView bytes)
{
    const std::string text = textOf(bytes.empty() ? bytes : bytes.subspan(1));
    switch (bytes.empty() ? 0 : bytes.front() % 3)
    {
        case 0: return checkUnits(text);
        case 1: return checkBackoff(text);
        default: return checkConfigurationFile(text);
    }
}

inline Broken checkYaml(core::ByteView bytes)
{
    constexpr std::size_t kMostLeaves = 10'000;
    const std::string text = textOf(bytes);
    if (const auto flat = importer::flatten(text); flat.leaves.size() > kMostLeaves)
    {
        return "more leaves than such a file can hold";
    }
    const auto imported = importer::importReference(text);
    if (!imported.wrong.empty())
    {
        return kFine;
    }
    config::Problems problems;
    return config::parseDrogonFile("config.json", imported.file, problems) && problems.empty()
               ? kFine
               : "what was imported is no configuration file";
}

// What a host chain answers, and what it announces.
inline Broken checkKeyViews(core::ByteView bytes)
{
    const auto word = chain::wordAnswer(bytes);
    const auto context = chain::contextAndEpochAnswer(bytes);
    const auto block = chain::anchorBlockAnswer(bytes);
    if ((word && bytes.size() < 32) || (context && bytes.size() < 64) || (block && *block == 0))
    {
        return "an answer was made of thin air";
    }
    chain::Log log;
    log.topics = {chain::newKmsContextTopic(), core::Hash32{}};
    log.data.assign(bytes.begin(), bytes.end());
    const auto storage = chain::storageOfFirstNode(log);
    return storage && storage->url.size() + storage->prefix.size() > bytes.size()
               ? "more came out of the event than was in it"
               : kFine;
}
}  // namespace relayer::fuzz
