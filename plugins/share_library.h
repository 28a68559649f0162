// A shared library that proves shares (share_library_abi.h).
//
// Proofs and paths are worked on in a process of their own, which loads the library and speaks what
// a prover by command speaks (prover_process.h): so a library that hangs, grows or breaks down
// costs one share an attempt. Only the hash of a commitment, which takes microseconds and is wanted
// for each post, is called in the relayer's own process.
#pragma once

#include "core/content_hash.h"
#include "core/vote_share.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace relayer::plugins
{
class LibraryError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

class ShareLibrary
{
  public:
    // Throws LibraryError: there is no such library, or it does not export what is needed. It stays
    // loaded until the process ends.
    explicit ShareLibrary(const std::string &path);

    [[nodiscard]] bool hashesCommitments() const { return hash_ != nullptr; }
    // Nothing: the library would not, or has no such function.
    [[nodiscard]] std::optional<core::Hash32> commitmentOf(const core::VoteShare &share) const;

    // What a question of prover_process.h is answered with.
    [[nodiscard]] std::string answer(const std::string &question) const;

  private:
    [[nodiscard]] void *find(const char *name) const;

    void *handle_ = nullptr;
    void *prove_ = nullptr;
    void *path_ = nullptr;
    void *hash_ = nullptr;
};

// The worker process: one question on the standard input, its answer on the standard output.
// The exit code.
[[nodiscard]] int workAsProver(const std::string &library);
}  // namespace relayer::plugins
