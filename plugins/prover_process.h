// A prover that is another program: for each proof it is started anew, given one JSON object on its
// input, and read for one on its output. What it may take is limited, so a proof that hangs or
// grows costs its own share an attempt and nobody else anything.
//
//     in:  { "op": "prove",
//            "merkle_path", "share_comms", "primary_blind", "enc_c1", "enc_c2", "round_id": base64,
//            "share_index", "proposal_id", "vote_decision": numbers }
//     out: { "proof", "share_nullifier": base64 }
//     in:  { "op": "path", "leaves": base64 of 32 bytes for each, "position": a number }
//     out: { "merkle_path", "root": base64 }
//     or, to either: { "rc": a code of share_library_abi.h that is not 0 }
#pragma once

#include "plugins/child_process.h"
#include "plugins/share_parts.h"

#include <trantor/net/EventLoop.h>
#include <trantor/utils/ConcurrentTaskQueue.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace relayer::plugins
{
class ProverProcess : public ShareProver, public MerklePaths
{
  public:
    // As many proofs at a time as there are threads. The loop must outlive this.
    ProverProcess(trantor::EventLoop *loop, std::vector<std::string> command, ChildLimits limits,
                  std::size_t threads);
    // Ends what is being proved.
    ~ProverProcess() override;
    void stop() { stopping_ = true; }
    ProverProcess(const ProverProcess &) = delete;
    ProverProcess &operator=(const ProverProcess &) = delete;

    drogon::Task<ShareReveal> prove(core::VoteShare share, core::Bytes merklePath) override;
    drogon::Task<Made> make(core::Bytes leaves, std::uint32_t position) override;

  private:
    class Proof;

    trantor::EventLoop *const loop_;
    const std::vector<std::string> command_;
    const ChildLimits limits_;
    std::atomic<bool> stopping_{false};
    trantor::ConcurrentTaskQueue threads_;  // last: it works with all of the above
};
}  // namespace relayer::plugins
