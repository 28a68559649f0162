#include "support/exposition.h"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

namespace relayer::test
{
namespace
{
bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
}

// Of name{a="b",c="d"} 1; nothing: it is none.
std::optional<MetricSample> sampleOf(const std::string &line)
{
    MetricSample sample;
    std::size_t at = 0;
    while (at < line.size() && isNameCharacter(line[at]))
    {
        sample.name.push_back(line[at++]);
    }
    if (at < line.size() && line[at] == '{')
    {
        ++at;
        while (at < line.size() && line[at] != '}')
        {
            std::string name;
            std::string value;
            while (at < line.size() && isNameCharacter(line[at]))
            {
                name.push_back(line[at++]);
            }
            if (name.empty() || line.compare(at, 2, "=\"") != 0)
            {
                return std::nullopt;
            }
            for (at += 2; at < line.size() && line[at] != '"'; ++at)
            {
                at += line[at] == '\\' ? 1 : 0;
                value.push_back(at < line.size() ? line[at] : '\\');
            }
            if (at >= line.size() || !sample.labels.emplace(name, value).second)
            {
                return std::nullopt;
            }
            ++at;
            if (at < line.size() && line[at] == ',')
            {
                ++at;
            }
        }
        ++at;
    }
    if (sample.name.empty() || at >= line.size() || line[at] != ' ')
    {
        return std::nullopt;
    }
    std::size_t used = 0;
    const std::string number = line.substr(at + 1);
    try
    {
        sample.value = std::stod(number, &used);
    }
    catch (const std::exception &)
    {
        return std::nullopt;
    }
    return used == number.size() ? std::optional(sample) : std::nullopt;
}
}  // namespace

Exposition::Exposition(const std::string &text)
{
    if (!text.ends_with("\n"))
    {
        problems_.emplace_back("the last line has no end");
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
    {
        line.starts_with("# ") ? about(line) : read(line);
    }
    checkHistograms();
}

void Exposition::about(const std::string &line)
{
    std::istringstream words(line);
    std::string hash;
    std::string what;
    std::string name;
    words >> hash >> what >> name;
    std::string rest;
    std::getline(words >> std::ws, rest);
    if (what == "HELP")
    {
        if (families_.contains(name) || rest.empty())
        {
            problems_.push_back("a second time, or without words: " + line);
        }
        families_[name].help = rest;
        current_ = name;
        return;
    }
    static const std::set<std::string> types = {"counter", "gauge", "histogram"};
    if (what != "TYPE" || name != current_ || !types.contains(rest))
    {
        problems_.push_back("not about the family that began: " + line);
    }
    families_[name].type = rest;
}

void Exposition::read(const std::string &line)
{
    const auto sample = sampleOf(line);
    const std::string rest = sample && sample->name.starts_with(current_)
                                 ? sample->name.substr(current_.size())
                                 : std::string("?");
    const bool histogram = !current_.empty() && families_[current_].type == "histogram";
    const bool known =
        histogram ? rest == "_bucket" || rest == "_sum" || rest == "_count" : rest.empty();
    if (!sample || !known)
    {
        problems_.push_back("no sample of " + current_ + ": " + line);
        return;
    }
    auto &samples = families_[current_].samples;
    if (std::ranges::any_of(samples, [&](const MetricSample &other) {
            return other.name == sample->name && other.labels == sample->labels;
        }))
    {
        problems_.push_back("twice: " + line);
    }
    samples.push_back(*sample);
}

// Cumulative, up to all there are.
void Exposition::checkHistograms()
{
    for (const auto &[name, family] : families_)
    {
        if (family.type != "histogram")
        {
            continue;
        }
        std::map<MetricLabels, double> last;
        for (const MetricSample &sample : family.samples)
        {
            MetricLabels labels = sample.labels;
            labels.erase("le");
            const auto before = last.find(labels);
            if (sample.name.ends_with("_bucket"))
            {
                if (before != last.end() && sample.value < before->second)
                {
                    problems_.push_back(name + " is not cumulative");
                }
                last[labels] = sample.value;
            }
            else if (sample.name.ends_with("_count") &&
                     (before == last.end() || before->second != sample.value))
            {
                problems_.push_back(name + ": its count is not that of its last bucket");
            }
        }
    }
}

const MetricFamily *Exposition::family(const std::string &name) const
{
    const auto found = families_.find(name);
    return found == families_.end() ? nullptr : &found->second;
}

std::vector<MetricSample> Exposition::find(const std::string &sample,
                                           const MetricLabels &labels) const
{
    std::vector<MetricSample> found;
    for (const auto &[name, family] : families_)
    {
        if (!sample.starts_with(name))
        {
            continue;
        }
        for (const MetricSample &each : family.samples)
        {
            const bool all = std::ranges::all_of(labels, [&each](const auto &label) {
                const auto has = each.labels.find(label.first);
                return has != each.labels.end() && has->second == label.second;
            });
            if (each.name == sample && all)
            {
                found.push_back(each);
            }
        }
    }
    return found;
}

std::optional<double> Exposition::value(const std::string &sample, const MetricLabels &labels) const
{
    const auto found = find(sample, labels);
    return found.size() == 1 ? std::optional(found.front().value) : std::nullopt;
}
}  // namespace relayer::test
