// Reads what stands at /metrics, strictly: name{label="value",...} number, below its family.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace relayer::test
{
using MetricLabels = std::map<std::string, std::string>;

struct MetricSample
{
    std::string name;  // with _bucket, _sum, _count
    MetricLabels labels;
    double value = 0;
};

struct MetricFamily
{
    std::string type;
    std::string help;
    std::vector<MetricSample> samples;
};

class Exposition
{
  public:
    // What is wrong is in problems().
    explicit Exposition(const std::string &text);

    [[nodiscard]] const std::vector<std::string> &problems() const { return problems_; }
    [[nodiscard]] const std::map<std::string, MetricFamily> &families() const { return families_; }
    [[nodiscard]] const MetricFamily *family(const std::string &name) const;
    // The samples of a family with at least these labels.
    [[nodiscard]] std::vector<MetricSample> find(const std::string &sample,
                                                 const MetricLabels &labels = {}) const;
    // Of the only one; nothing: there are none, or several.
    [[nodiscard]] std::optional<double> value(const std::string &sample,
                                              const MetricLabels &labels = {}) const;

  private:
    void read(const std::string &line);
    void about(const std::string &line);
    void checkHistograms();
    std::vector<std::string> problems_;
    std::map<std::string, MetricFamily> families_;
    std::string current_;
};
}  // namespace relayer::test
