// The readiness gate of an instance (plugins/readiness_run.h, readiness_checks.h), with the lines,
// the checks and the wheel of core/.
#pragma once

#include "core/check_line.h"
#include "core/timer_wheel.h"
#include "core/waiting_line.h"
#include "sim/fake_database.h"
#include "sim/types.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace relayer::sim
{
class Process;

class Readiness
{
  public:
    explicit Readiness(Process &process);

    void tick();
    core::WaitingLine &line(core::Kind kind)
    {
        touched_.at(static_cast<std::size_t>(kind)) = true;
        return lines_.at(static_cast<std::size_t>(kind));
    }
    [[nodiscard]] const core::WaitingLine &seeLine(core::Kind kind) const
    {
        return lines_.at(static_cast<std::size_t>(kind));
    }
    // Since the last question.
    bool wasTouched(core::Kind kind)
    {
        return std::exchange(touched_.at(static_cast<std::size_t>(kind)), false);
    }
    // It takes no more, and gives back what it has not decided.
    void drain();
    [[nodiscard]] std::size_t left() const;
    void belongToAnother();

  private:
    struct Request
    {
        core::Kind kind = core::Kind::PublicDecrypt;
        int aclTries = 0;
        int ciphertextTries = 0;
    };
    struct Ending
    {
        core::Kind kind = core::Kind::PublicDecrypt;
        core::Transition transition = core::Transition::PassReadiness;
        bool underWay = false;
    };
    struct Later
    {
        RequestId id = 0;
        core::CheckTarget target;
    };
    enum class Answer : std::uint8_t
    {
        Yes,
        No,
        NotYet,
        Fails
    };

    void giveBackStrays();
    void giveBack(std::vector<RequestId> ids);
    void measure(core::Kind kind);
    void pull(core::Kind kind);
    void pump(core::Kind kind);
    void ask(core::Kind kind, const core::CheckLine::Batch &batch);
    [[nodiscard]] Answer told(const core::CheckTarget &target, RequestId id) const;
    void settle(RequestId id, const core::CheckTarget &target, Answer answer);
    void again(RequestId id, const core::CheckTarget &target);
    void decide(RequestId id, core::Kind kind, core::Transition transition);
    void write(RequestId id);

    Process &process_;
    std::array<core::WaitingLine, core::kKinds> lines_;
    std::array<bool, core::kKinds> touched_{};
    std::array<core::CheckLine, core::kKinds> checks_;
    core::TimerWheel<Later> wheel_;
    std::map<RequestId, Request> requests_;
    std::map<RequestId, Ending> endings_;
    std::array<bool, core::kKinds> pulling_{};
    bool straysWanted_ = true;  // a claim may have happened unseen
    bool stopped_ = false;
    std::size_t givingBack_ = 0;
};
}  // namespace relayer::sim
