#include "wire/api_answers.h"

#include "core/public_decrypt_result.h"
#include "wire/events.h"
#include "wire/fields.h"
#include "wire/input_proof_result.h"
#include "wire/job.h"
#include "wire/key_urls.h"

#include <algorithm>

namespace relayer::wire
{
namespace
{
using core::FailureCode;
using core::Kind;
using core::Status;

constexpr std::int64_t kSampleSeconds = 3;

std::string requestId()
{
    return std::string(kSampleRequestId);
}

core::Hash32 sampleHash(std::uint8_t seed)
{
    core::Hash32 hash{};
    for (std::uint8_t &octet : hash)
    {
        octet = seed;
        seed = static_cast<std::uint8_t>(seed * 5 + 7);
    }
    return hash;
}

core::Bytes sampleSignature()
{
    core::Bytes signature(65, 0x1B);
    const core::Hash32 r = sampleHash(0x31);
    const core::Hash32 s = sampleHash(0x52);
    std::copy(s.begin(), s.end(), std::copy(r.begin(), r.end(), signature.begin()));
    return signature;
}

class Samples
{
  public:
    void add(std::string name, std::string when, Answer answer,
             std::optional<SampleRequest> request = std::nullopt)
    {
        samples_.push_back({std::move(name), std::move(when), std::move(answer), std::nullopt,
                            std::move(request)});
    }

    void refuse(std::string when, const Problem &problem,
                std::optional<SampleRequest> request = std::nullopt)
    {
        label(std::move(when), problem.label, failed(requestId(), problem), std::move(request));
    }

    void refuseUntil(std::string when, const Problem &problem)
    {
        label(std::move(when), problem.label, failedUntil(requestId(), problem, kSampleSeconds),
              std::nullopt);
    }

    void label(std::string when, Label label, Answer answer, std::optional<SampleRequest> request)
    {
        samples_.push_back({freeName(std::string(name(label))), std::move(when), std::move(answer),
                            label, std::move(request)});
    }

    [[nodiscard]] std::vector<SampleAnswer> take() && { return std::move(samples_); }

  private:
    // A label may have several samples: not_found, not_found_2.
    [[nodiscard]] std::string freeName(const std::string &wanted) const
    {
        const auto alike =
            std::count_if(samples_.begin(), samples_.end(), [&wanted](const SampleAnswer &each) {
                return each.label && name(*each.label) == wanted;
            });
        return alike == 0 ? wanted : wanted + "_" + std::to_string(alike + 1);
    }

    std::vector<SampleAnswer> samples_;
};

std::string replaced(std::string text, std::string_view what, std::string_view with)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
    {
        text.replace(at, what.size(), with);
    }
    return text;
}

SampleRequest withBody(std::string body)
{
    SampleRequest request;
    request.body = std::move(body);
    return request;
}

SampleRequest withJob(std::string jobId)
{
    SampleRequest request;
    request.jobId = std::move(jobId);
    return request;
}

// A body that is refused, with what the decoder says of it.
void refuseBody(Samples &samples, const RequestRoute &route, const ApiFacts &facts,
                std::string when, std::string body)
{
    const BodyRead read = readBody(body, *route.table, facts.limits, facts.now);
    if (read.problem)
    {
        samples.refuse(std::move(when), *read.problem, withBody(std::move(body)));
    }
}

void addBadRequests(Samples &samples, const RequestRoute &route, const ApiFacts &facts)
{
    const std::string good = exampleOf(*route.table, facts.now);
    refuseBody(samples, route, facts, "The body is not JSON, has a key twice, or is too deep",
               good.substr(0, good.size() / 2));
    refuseBody(samples, route, facts, "Fields are missing", "{}");
    refuseBody(samples, route, facts, "Fields do not look as they must",
               replaced(good, R"("extraData":"0x00")", R"("extraData":"0x0")"));
    if (route.table == &kUnifiedUserDecryptTable)
    {
        samples.refuse("The signature is not that of the user", signatureRefused());
    }
    SampleRequest badKey;
    badKey.headers = {{"Idempotency-Key", "not one word"}};
    samples.refuse("Idempotency-Key is not 1 to 255 visible characters", malformedIdempotencyKey(),
                   badKey);
    samples.refuse("The body is larger than this server takes", bodyTooLarge(facts.maxBody));
    if (route.kind != Kind::InputProof)
    {
        constexpr std::uint64_t kOtherChain = 99999;
        samples.refuse("A handle is of a chain that this server does not serve",
                       unsupportedHostChain(kOtherChain),
                       withBody(replaced(good, "000000000000aa36a7", "00000000000001869f")));
    }
}

Job sampleJob(Status status)
{
    Job job;
    job.id = core::JobId::parse(kSampleJobId).value_or(core::JobId());
    job.status = status;
    job.etaSeconds = kSampleSeconds;
    job.elapsedSeconds = 2;
    return job;
}

Answer pollOf(Kind kind, const Job &job)
{
    switch (kind)
    {
        case Kind::InputProof: return pollOfInputProof(requestId(), job);
        case Kind::PublicDecrypt: return pollOfPublicDecrypt(requestId(), job);
        case Kind::UserDecrypt: break;
    }
    core::DecryptShare share;
    share.payload = core::Bytes(48, 0xA5);
    share.signature = sampleSignature();
    share.extraData = {0x00};
    return pollOfUserDecrypt(requestId(), job, {{share}, 1});
}

void addResults(Samples &samples, Kind kind)
{
    Job job = sampleJob(Status::Completed);
    core::Bytes stored;
    if (kind == Kind::InputProof)
    {
        InputProofResult result;
        result.handles = {sampleHash(0x11)};
        result.signatures = {sampleSignature()};
        stored = encodeResult(result);
    }
    else if (kind == Kind::PublicDecrypt)
    {
        core::PublicDecryptResult result;
        result.decrypted = core::Bytes(32, 0);
        result.decrypted.back() = 42;
        result.signatures = {sampleSignature()};
        stored = core::encodeResult(result);
    }
    job.result = stored;
    samples.add("succeeded", "It is done", pollOf(kind, job));
    if (kind == Kind::InputProof)
    {
        job = sampleJob(Status::Failure);
        job.accepted = false;
        samples.add("rejected", "The proof is wrong", pollOf(kind, job));
    }
}

void addFailure(Samples &samples, Kind kind, const std::string &when, FailureCode code)
{
    Job job = sampleJob(Status::Failure);
    job.failure = code;
    if (code == FailureCode::NotAllowedOnHostAcl)
    {
        job.told =
            "Not allowed on host ACL: ACL check failed for 1 handle(s): "
            "handle=0x6b1f0c2d9e8a7b6c5d4e3f20112233445566778899000000000000aa36a70500 "
            "check=isAllowedForDecryption";
    }
    samples.label(when, problemOf(code).label, pollOf(kind, job), std::nullopt);
}

void addWrongJobs(Samples &samples)
{
    samples.refuse("The job id is no UUID", malformedJobId(), withJob("not-a-uuid"));
    samples.refuse("There is no such job, or it is of another kind", unknownRequest(),
                   withJob("00000000-0000-4000-8000-000000000000"));
}

void addEnds(Samples &samples, Kind kind)
{
    addFailure(samples, kind, "The gateway's contract refused the signature",
               FailureCode::InvalidSignature);
    addFailure(samples, kind, "The transaction did not succeed", FailureCode::TransactionFailed);
    addFailure(samples, kind, "The protocol is paused", FailureCode::ProtocolPaused);
    addFailure(samples, kind, "The relayer can not pay the fee", FailureCode::InsufficientBalance);
    addFailure(samples, kind, "The relayer may not spend the fee",
               FailureCode::InsufficientAllowance);
    Job job = sampleJob(Status::TimedOut);
    job.failure = FailureCode::ResponseTimedOut;
    samples.label("No answer came from the gateway in time", Label::ResponseTimedOut,
                  pollOf(kind, job), std::nullopt);
    if (kind != Kind::InputProof)
    {
        addFailure(samples, kind, "The host chain's access list says no",
                   FailureCode::NotAllowedOnHostAcl);
        addFailure(samples, kind, "The host chain could not be asked", FailureCode::HostAclFailed);
        job.failure = FailureCode::ReadinessTimedOut;
        samples.label("The ciphertext was not there in time", Label::ReadinessCheckTimedOut,
                      pollOf(kind, job), std::nullopt);
    }
}
}  // namespace

std::vector<SampleAnswer> answersOfEvents(const RequestRoute &route)
{
    const Status status = Status::TxInFlight;
    const Answer poll = pollOf(route.kind, sampleJob(status));
    Samples samples;
    samples.add(
        "events", "What a poll would say, whenever that changes",
        {200, streamOpening(kSampleSeconds) + statusEvent(status, poll.body), std::nullopt});
    samples.add("told", "It has ended, and Last-Event-ID says that you know",
                {204, "", std::nullopt});
    addWrongJobs(samples);
    samples.refuse("A fault of ours", internalError());
    samples.refuseUntil("Too many streams are open", tooManyStreams());
    samples.refuseUntil("The database can not be reached", storeUnreachable());
    return std::move(samples).take();
}

std::vector<SampleAnswer> answersOfPost(const RequestRoute &route, const ApiFacts &facts)
{
    Samples samples;
    const auto jobId = core::JobId::parse(kSampleJobId).value_or(core::JobId());
    samples.add("accepted", "It is on disk, or was already",
                accepted(requestId(), jobId, kSampleSeconds), SampleRequest{});
    addBadRequests(samples, route, facts);
    samples.refuse("The Idempotency-Key stands for another request", idempotencyKeyReused());
    samples.refuseUntil("The queue is full", tooManyWaiting());
    samples.refuseUntil("This client has sent too many new requests", tooManyFromClient());
    samples.refuse("A fault of ours", internalError());
    samples.refuseUntil("An operator has paused the intake", intakePaused());
    samples.refuseUntil("The database can not be reached", storeUnreachable());
    return std::move(samples).take();
}

std::vector<SampleAnswer> answersOfPoll(const RequestRoute &route)
{
    Samples samples;
    addResults(samples, route.kind);
    const bool readiness = route.kind != Kind::InputProof;
    samples.add("waiting", "It is on its way",
                pollOf(route.kind, sampleJob(readiness ? Status::Queued : Status::Processing)));
    samples.add("in_flight", "Its transaction is on its way",
                pollOf(route.kind, sampleJob(Status::TxInFlight)));
    addWrongJobs(samples);
    addEnds(samples, route.kind);
    samples.refuseUntil("The database can not be reached", storeUnreachable());
    return std::move(samples).take();
}

std::vector<SampleAnswer> answersOfKeyUrls()
{
    const auto located = [](KeyMaterial material, std::uint8_t seed) {
        const core::Hash32 id = sampleHash(seed);
        return KeyLocation{id, materialUrl("https://keys.example", "PUB-p1", material, id)};
    };
    Samples samples;
    samples.add("found", "As the gateway's contract says it",
                {200, keyUrls(located(KeyMaterial::PublicKey, 3), located(KeyMaterial::Crs, 4)),
                 std::nullopt});
    samples.refuseUntil("Nothing is known yet", keysUnknown());
    return std::move(samples).take();
}
}  // namespace relayer::wire
