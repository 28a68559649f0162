#include "config/runtime_parameters.h"

#include <algorithm>
#include <array>

namespace relayer::config
{
namespace
{
using core::RuntimeParameter;
using Type = RuntimeParameter::Type;

struct Binding
{
    std::string_view name;
    std::string_view path;
};

constexpr std::array bindings = {
    Binding{"input_proof_throttler_tps", "tx_throttler.input_proof.per_second"},
    Binding{"user_decrypt_throttler_tps", "tx_throttler.user_decrypt.per_second"},
    Binding{"public_decrypt_throttler_tps", "tx_throttler.public_decrypt.per_second"},
    Binding{"nominal_readiness_check_seconds",
            "http.retry_after.nominal_times.readiness_check_seconds"},
    Binding{"nominal_input_proof_processing_seconds",
            "http.retry_after.nominal_times.input_proof_processing_seconds"},
    Binding{"nominal_user_decrypt_processing_seconds",
            "http.retry_after.nominal_times.user_decrypt_processing_seconds"},
    Binding{"nominal_public_decrypt_processing_seconds",
            "http.retry_after.nominal_times.public_decrypt_processing_seconds"},
    Binding{"nominal_tx_confirmation_ms", "http.retry_after.nominal_times.tx_confirmation_ms"},
    Binding{"retry_after_min_seconds", "http.retry_after.min_seconds"},
    Binding{"retry_after_max_seconds", "http.retry_after.max_seconds"},
    Binding{"retry_after_safety_margin", "http.retry_after.safety_margin"},
    // Ours.
    Binding{"copro_kms_backoff_intervals", "http.retry_after.copro_kms_backoff_intervals"},
    Binding{"user_decrypt_readiness_max_concurrency",
            "gateway.readiness_checker.user_decrypt.max_concurrency"},
    Binding{"public_decrypt_readiness_max_concurrency",
            "gateway.readiness_checker.public_decrypt.max_concurrency"},
    Binding{"client_requests_per_minute", "http.client_limits.requests_per_minute"},
    Binding{"client_burst", "http.client_limits.burst"},
    Binding{"log_level", "log.level"},
};

const Key *keyAt(const std::vector<Key> &keys, std::string_view path)
{
    const auto key = std::ranges::find(keys, path, &Key::path);
    return key == keys.end() ? nullptr : &*key;
}

const Binding *bindingOf(std::string_view name)
{
    const auto *const binding = std::ranges::find(bindings, name, &Binding::name);
    return binding == bindings.end() ? nullptr : binding;
}

RuntimeParameter described(const Binding &binding, const Key &key)
{
    RuntimeParameter parameter;
    parameter.name = binding.name;
    parameter.description = key.doc;
    if (const auto *integer = std::get_if<Integer>(&key.field))
    {
        parameter.min = integer->min;
        parameter.max = integer->max;
    }
    else if (const auto *required = std::get_if<RequiredInteger>(&key.field))
    {
        parameter.min = required->min;
        parameter.max = required->max;
    }
    else if (const auto *decimal = std::get_if<Decimal>(&key.field))
    {
        parameter.type = Type::Fraction;
        parameter.min = decimal->min;
        parameter.max = decimal->max;
    }
    else
    {
        parameter.type = Type::Text;
        parameter.allowed = kind(key.field);
    }
    return parameter;
}

/// Cross checks speak of keys.
std::string inNamesOfParameters(const std::string &path, const std::string &wrong)
{
    std::string text = path;
    text.append(" ").append(wrong);
    for (const Binding &binding : bindings)
    {
        for (std::size_t at = text.find(binding.path); at != std::string::npos;
             at = text.find(binding.path, at))
        {
            text.replace(at, binding.path.size(), binding.name);
            at += binding.name.size();
        }
    }
    return text;
}

/// One after the other, so that each sees the members of a Settings that is not there for long.
struct Draft
{
    explicit Draft(const Settings &configured) : settings(configured), keys(describe(settings)) {}

    std::optional<std::string> set(const std::string &name, const std::string &value)
    {
        const Binding *binding = bindingOf(name);
        if (binding == nullptr)
        {
            return unknownRuntimeParameter(name);
        }
        const auto wrong = assign(keyAt(keys, binding->path)->field, value);
        return wrong ? std::optional(name + " " + *wrong) : std::nullopt;
    }

    Settings settings;
    std::vector<Key> keys;  // into settings
};
}  // namespace

const std::vector<RuntimeParameter> &runtimeParameters()
{
    static const auto all = [] {
        Settings settings;
        const auto keys = describe(settings);
        std::vector<RuntimeParameter> parameters;
        parameters.reserve(bindings.size());
        for (const Binding &binding : bindings)
        {
            parameters.push_back(described(binding, *keyAt(keys, binding.path)));
        }
        return parameters;
    }();
    return all;
}

const RuntimeParameter *findRuntimeParameter(std::string_view name)
{
    const auto &all = runtimeParameters();
    const auto found = std::ranges::find(all, name, &RuntimeParameter::name);
    return found == all.end() ? nullptr : &*found;
}

std::string unknownRuntimeParameter(std::string_view name)
{
    return "Unknown configuration parameter: " + std::string(name);
}

std::string_view pathOf(const RuntimeParameter &parameter)
{
    return bindingOf(parameter.name)->path;
}

std::string valueOf(const RuntimeParameter &parameter, const Settings &settings)
{
    Settings copy = settings;
    const auto keys = describe(copy);
    return print(keyAt(keys, pathOf(parameter))->field);
}

Overridden withOverrides(const Settings &configured, const Overrides &overrides)
{
    Draft draft(configured);
    Overridden out;
    for (const auto &[name, value] : overrides)
    {
        if (auto wrong = draft.set(name, value))
        {
            out.wrong.push_back(std::move(*wrong));
        }
    }
    for (const auto &[path, text] : crossCheck(draft.settings))
    {
        out.wrong.push_back(inNamesOfParameters(path, text));
    }
    out.settings = draft.settings;
    return out;
}

Overridden withThoseThatFit(const Settings &configured, Overrides &overrides)
{
    std::vector<std::string> wrong;
    Draft draft(configured);
    std::erase_if(overrides, [&](const auto &each) {
        auto problem = draft.set(each.first, each.second);
        if (problem)
        {
            wrong.push_back(std::move(*problem));
        }
        return problem.has_value();
    });
    for (const auto &[path, text] : crossCheck(draft.settings))
    {
        // Which of them is to blame nobody knows: what is configured fits together.
        wrong.push_back(inNamesOfParameters(path, text));
        std::erase_if(overrides, [section = sectionOf(path)](const auto &each) {
            return bindingOf(each.first)->path.starts_with(section);
        });
    }
    Overridden out = withOverrides(configured, overrides);
    out.wrong = std::move(wrong);
    return out;
}
}  // namespace relayer::config
