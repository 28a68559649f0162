#pragma once

#include <string>
#include <utility>

namespace relayer::config
{
/// Text that must not reach a log, an error or a screen. It has no way into a stream, so that
/// whoever wants the value has to say so; print `masked()` instead.
class Secret
{
  public:
    Secret() = default;
    explicit Secret(std::string text) : text_(std::move(text)) {}

    bool empty() const { return text_.empty(); }
    const std::string &reveal() const { return text_; }
    std::string masked() const { return text_.empty() ? "" : "***"; }

  private:
    std::string text_;
};
}  // namespace relayer::config
