#include "importer/flat_yaml.h"

#include <cstddef>
#include <yaml-cpp/yaml.h>

namespace relayer::importer
{
namespace
{
// Far more than the document has; aliases may make a small text a huge tree.
constexpr std::size_t kLargestText = std::size_t{1} << 20;
constexpr std::size_t kMostNodes = 10'000;
constexpr int kDeepest = 32;

class Flattening
{
  public:
    explicit Flattening(FlatYaml &flat) : flat_(flat) {}

    void add(const YAML::Node &node, const std::string &path, int depth)
    {
        if (depth > kDeepest || nodes_ >= kMostNodes)
        {
            flat_.wrong = "holds more than such a file can hold";
        }
        if (!flat_.wrong.empty())
        {
            return;
        }
        // Not the leaves: lists of aliases to lists may have none, and no end either.
        ++nodes_;
        if (node.IsMap())
        {
            for (const auto &entry : node)
            {
                add(entry.second, (path.empty() ? "" : path + '.') + entry.first.as<std::string>(),
                    depth + 1);
            }
        }
        else if (node.IsSequence())
        {
            for (std::size_t i = 0; i < node.size(); ++i)
            {
                add(node[i], path + '[' + std::to_string(i) + ']', depth + 1);
            }
        }
        else if (node.IsScalar())
        {
            flat_.leaves[path] = node.Scalar();
        }
    }

  private:
    FlatYaml &flat_;
    std::size_t nodes_ = 0;
};
}  // namespace

FlatYaml flatten(std::string_view text)
{
    FlatYaml flat;
    if (text.size() > kLargestText)
    {
        flat.wrong = "is larger than 1 MiB";
        return flat;
    }
    try
    {
        const YAML::Node document = YAML::Load(std::string(text));
        if (!document.IsMap())
        {
            flat.wrong = "holds no keys with values";
            return flat;
        }
        Flattening(flat).add(document, "", 0);
    }
    catch (const YAML::Exception &error)
    {
        flat.wrong = error.mark.is_null()
                         ? error.msg
                         : "line " + std::to_string(error.mark.line + 1) + ": " + error.msg;
    }
    return flat;
}
}  // namespace relayer::importer
