// http.md, sections 6.7 and 9: what every status and every failure of every kind is to a client,
// and what each text of a node comes to. One row each.
#include "chain/gateway.h"
#include "chain/hex.h"
#include "core/public_decrypt_result.h"
#include "unit/wire_cases.h"
#include "wire/input_proof_result.h"
#include "wire/job.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace relayer::wire
{
namespace
{
using core::FailureCode;
using core::Kind;
using core::Status;

struct Told
{
    int status;
    std::string label;    // empty: no error
    std::string message;  // what it must say
    std::string field;    // of the one detail
    std::string issue;
    bool comeAgain;  // Retry-After
};

struct PollCase
{
    std::string name;
    Kind kind;
    Job job;
    bool stored = true;  // the answer that belongs to the job is there
    Told told;
};

void PrintTo(const PollCase &each, std::ostream *out)
{
    *out << each.name;
}

Told ends(int status, const std::string &label, const std::string &message)
{
    return {status, label, message, "", "", false};
}

const std::string kInTime = "did not respond within the expected timeframe";

// Section 9.2, and 6.7 for those that are over time. Of input proofs a rejection is no failure.
const std::map<FailureCode, Told> &failures()
{
    static const std::map<FailureCode, Told> table = {
        {FailureCode::ReadinessTimedOut, ends(503, "readiness_check_timed_out", "not ready")},
        {FailureCode::ResponseTimedOut, ends(503, "response_timed_out", kInTime)},
        {FailureCode::NotAllowedOnHostAcl, ends(400, "not_allowed_on_host_acl", "Not allowed")},
        {FailureCode::HostAclFailed, ends(500, "host_acl_failed", "Host ACL check failed")},
        {FailureCode::ReadinessFailed, ends(500, "internal_server_error", "Processing Failed:")},
        {FailureCode::ProtocolPaused, ends(503, "protocol_paused", "paused")},
        {FailureCode::InsufficientBalance, ends(503, "insufficient_balance", "balance")},
        {FailureCode::InsufficientAllowance, ends(503, "insufficient_allowance", "allowance")},
        {FailureCode::InvalidSignature,
         {400, "validation_failed", "signature", "signature", "Signature is invalid", false}},
        {FailureCode::TransactionFailed, ends(500, "internal_server_error", "Transaction failed")},
        {FailureCode::ProofRejected, ends(500, "internal_server_error", "rejected")},
        {FailureCode::Undecodable, ends(500, "internal_server_error", "could not be read")},
        {FailureCode::Internal, ends(500, "internal_server_error", "Internal")},
    };
    return table;
}

std::string cased(std::string_view name)
{
    std::string text;
    bool upper = true;
    for (const char c : name)
    {
        if (c == '_')
        {
            upper = true;
            continue;
        }
        text.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
        upper = false;
    }
    return text;
}

Job jobIn(Status status, std::optional<FailureCode> failure = std::nullopt)
{
    Job job;
    job.status = status;
    job.etaSeconds = 5;
    job.failure = failure;
    return job;
}

void addOfKind(std::vector<PollCase> &rows, Kind kind)
{
    const auto add = [&rows, kind](const std::string &name, const Job &job, const Told &told,
                                   bool stored = true) {
        rows.push_back({cased(core::name(kind)) + "_" + name, kind, job, stored, told});
    };
    for (const Status status :
         {Status::Queued, Status::Processing, Status::TxInFlight, Status::ReceiptReceived})
    {
        add(cased(core::name(status)), jobIn(status), {202, "", "", "", "", true});
    }
    add("Completed", jobIn(Status::Completed), {200, "", "", "", "", false});
    add("CompletedWithoutItsAnswer", jobIn(Status::Completed),
        ends(500, "internal_server_error", "could not be read"), false);
    add("FailureWithoutCode", jobIn(Status::Failure), ends(500, "internal_server_error", ""));
    add("TimedOutWithoutReason", jobIn(Status::TimedOut),
        ends(503, "response_timed_out", "Request timed out (reason not available)"));
    for (const auto &[code, told] : failures())
    {
        const std::string name = cased(core::name(code));
        const bool rejected = kind == Kind::InputProof && code == FailureCode::ProofRejected;
        add("Failed" + name, jobIn(Status::Failure, code),
            rejected ? Told{200, "", "", "", "", false} : told);
        const bool readiness = kind != Kind::InputProof && code == FailureCode::ReadinessTimedOut;
        add("TimedOut" + name, jobIn(Status::TimedOut, code),
            readiness ? told : ends(503, "response_timed_out", kInTime));
    }
}

std::vector<PollCase> pollCases()
{
    std::vector<PollCase> rows;
    for (const Kind kind : core::kAllKinds)
    {
        addOfKind(rows, kind);
    }
    return counted(std::move(rows));
}

Answer poll(const PollCase &row)
{
    Job job = row.job;
    InputProofResult proof;
    proof.handles.resize(1);
    proof.signatures = {core::Bytes(65, 1)};
    const core::Bytes ofProof = encodeResult(proof);
    const core::Bytes ofPublic = core::encodeResult(core::PublicDecryptResult{});
    const core::ByteView stored = row.kind == Kind::InputProof ? ofProof : ofPublic;
    job.result = row.stored ? stored : core::ByteView{};
    switch (row.kind)
    {
        case Kind::InputProof: return pollOfInputProof("r", job);
        case Kind::PublicDecrypt: return pollOfPublicDecrypt("r", job);
        case Kind::UserDecrypt: break;
    }
    return pollOfUserDecrypt("r", job, {std::vector<core::DecryptShare>(row.stored ? 1 : 0), 1});
}

void expectTold(const Told &told, const Answer &answer)
{
    EXPECT_EQ(answer.status, told.status);
    EXPECT_EQ(answer.retryAfterSeconds.has_value(), told.comeAgain);
    const JsonDocument body = readJson(answer.body);
    ASSERT_TRUE(body.root);
    const Json *error = body.root->find("error");
    ASSERT_EQ(error != nullptr, !told.label.empty()) << answer.body;
    if (error == nullptr)
    {
        return;
    }
    EXPECT_EQ(error->find("label")->text(), told.label);
    EXPECT_NE(error->find("message")->text().find(told.message), std::string::npos) << answer.body;
    const Json *details = error->find("details");
    ASSERT_EQ(details != nullptr, !told.field.empty()) << answer.body;
    if (details != nullptr)
    {
        ASSERT_EQ(details->items().size(), 1U);
        EXPECT_EQ(details->items()[0].find("field")->text(), told.field);
        EXPECT_EQ(details->items()[0].find("issue")->text(), told.issue);
    }
}

class ContractPolls : public testing::TestWithParam<PollCase>
{};

TEST_P(ContractPolls, SayWhatTheContractSays)
{
    expectTold(GetParam().told, poll(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ContractPolls, testing::ValuesIn(pollCases()),
                         [](const auto &row) { return row.param.name; });

// What a node says of a transaction that reverts, down to what a client reads.
struct RevertCase
{
    std::string name;
    std::string data;  // hex
    std::string message;
    Told told;
};

void PrintTo(const RevertCase &each, std::ostream *out)
{
    *out << each.data << " " << each.message;
}

std::vector<RevertCase> revertCases()
{
    const Told invalid = failures().at(FailureCode::InvalidSignature);
    const Told other = failures().at(FailureCode::TransactionFailed);
    const std::vector<std::pair<std::string, Told>> selectors = {
        {"d93c0665", failures().at(FailureCode::ProtocolPaused)},
        {"e450d38c", failures().at(FailureCode::InsufficientBalance)},
        {"fb8f41b2", failures().at(FailureCode::InsufficientAllowance)},
        {"2a873d27", invalid},
        {"f645eedf", invalid},
        {"fce698f7", invalid},
        {"d78bce0c", invalid},
        {"0666cbdf", other},
        {"12345678", other}};
    std::vector<RevertCase> rows;
    for (const auto &[selector, told] : selectors)
    {
        std::string upper = selector;
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        rows.push_back({"Data_" + selector, "0x" + selector, "", told});
        rows.push_back({"DataWithArguments_" + selector, "0x" + selector + std::string(128, '7'),
                        "execution reverted", told});
        rows.push_back({"Message_" + selector, "0x",
                        "Transaction simulation failed: custom error 0x" + selector + ": 00",
                        told});
        rows.push_back({"UpperCase_" + selector, "0x", "RPC error: 0X" + upper, told});
        rows.push_back({"WithoutPrefix_" + selector, "0x", "reverted: " + selector, told});
        rows.push_back(
            {"FirstPrefixed_" + selector, "0x", "0x" + selector + " and then 0xd93c0665", told});
    }
    rows.push_back({"NothingAtAll", "0x", "", other});
    rows.push_back({"NoSelector", "0x", "Transaction failed: nonce too low", other});
    rows.push_back({"TooShort", "0xd93c06", "", other});
    return counted(std::move(rows));
}

class ContractReverts : public testing::TestWithParam<RevertCase>
{};

TEST_P(ContractReverts, ComeToTheLabelOfTheContract)
{
    const auto data = chain::fromHexData(GetParam().data).value();
    const chain::Revert revert = chain::decodeRevert(data, GetParam().message);
    for (const Kind kind : core::kAllKinds)
    {
        PollCase row{"", kind, jobIn(Status::Failure, revert.code), true, GetParam().told};
        expectTold(row.told, poll(row));
    }
}

INSTANTIATE_TEST_SUITE_P(Selectors, ContractReverts, testing::ValuesIn(revertCases()),
                         [](const auto &row) { return row.param.name; });

TEST(ContractTable, HasARowForEveryRuleAndManyMoreThanFourHundred)
{
    std::cout << "# contract cases: " << contractCases() << "\n";
    EXPECT_GE(contractCases(), 1200U);
}
}  // namespace
}  // namespace relayer::wire
