// Secrets come from files where the environment is too public: Docker, Kubernetes, systemd.
#pragma once

#include <string>

namespace relayer::config
{
struct SecretContent
{
    std::string text;
    /// Why there is no text; empty when there is.
    std::string wrong;
};

/// The content of a file that holds one secret, without the line end that editors add.
SecretContent readSecret(const std::string &path);
}  // namespace relayer::config
