// What the tests of the configuration share: sources with all that is required, and files to read.
#pragma once

#include "config/load.h"
#include "support/nominal_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/reader.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace relayer::config::testing
{
inline constexpr const char *password = "hunter2-of-the-test";
inline constexpr const char *databaseUrl =
    "postgresql://relayer:hunter2-of-the-test@localhost:5432/relayer";

inline Json::Value json(const std::string &text)
{
    Json::CharReaderBuilder builder;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value value;
    std::string errors;
    if (!reader->parse(text.data(), text.data() + text.size(), &value, &errors))
    {
        throw std::invalid_argument(errors);
    }
    return value;
}

/// All that is required.
inline Environment requiredVariables()
{
    Environment variables = test::nominalTimes();
    variables.emplace("RELAYER_DATABASE__URL", databaseUrl);
    return variables;
}
/// The same, but for where the database is.
inline Environment withDatabaseAs(const std::string &name, const std::string &value)
{
    Environment variables = test::nominalTimes();
    variables.emplace(name, value);
    return variables;
}

/// Nothing is wrong with these; `tree` is what a test wants to look at.
inline Sources sourcesWith(const std::string &tree)
{
    return {json(tree), requiredVariables(), {}, "host-of-the-test"};
}

inline std::vector<std::string> linesOf(const Problems &problems)
{
    std::vector<std::string> lines;
    for (const auto &problem : problems)
    {
        lines.push_back(line(problem));
    }
    return lines;
}

inline std::vector<std::string> problemsOf(const Sources &sources)
{
    return linesOf(load(sources).problems);
}

/// A folder that is gone after the test.
class Folder
{
  public:
    Folder()
    {
        auto name = (std::filesystem::temp_directory_path() / "relayer-config-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
        {
            throw std::runtime_error("mkdtemp");
        }
        path_ = name;
    }
    ~Folder()
    {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    std::string path() const { return path_.string(); }
    std::string file(const std::string &name, const std::string &text) const
    {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

inline std::string contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
}  // namespace relayer::config::testing
