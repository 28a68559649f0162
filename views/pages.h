// What the pages of the console are made of. Templates read these and nothing else.
#pragma once

#include "core/deployment.h"
#include "core/request_history.h"
#include "views/html.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayer::views
{
// Around each page.
struct Frame
{
    std::string title;
    std::string current;  // the entry of the navigation that is lit; empty: none is shown
    std::string instance;
    std::string version;
    std::string operatorName;
    std::string csrf;
    std::string notice;  // what became of what was just done
    bool noticeIsBad = false;
    bool live = false;  // it renews itself where scripts run
    bool needsToken = true;
    std::chrono::milliseconds now{0};  // since 1970
};

struct LoginPage
{
    std::string next;
    bool wrong = false;
};

struct MessagePage
{
    std::string text;
};

struct DependencyLine
{
    std::string name;
    bool ok = false;
    bool needed = true;
};

struct QueueLine
{
    core::Kind kind = core::Kind::InputProof;
    bool hasReadiness = false;
    std::uint64_t notReady = 0;  // wait for a check
    std::uint64_t checking = 0;
    std::uint64_t readinessCapacity = 0;
    std::uint64_t waiting = 0;  // before the chain
    std::uint64_t capacity = 0;
    std::uint64_t softLimit = 0;
    std::uint64_t perSecond = 0;
};

struct SourceLine
{
    std::string name;
    bool subscription = false;
    bool connected = false;
    std::optional<std::int64_t> lag;
    std::optional<std::int64_t> cursor;
    std::uint64_t stored = 0;
    std::uint64_t reorgs = 0;
    std::string lastError;
};

// What an operator has paused.
struct PauseLine
{
    std::string reason;
    std::string by;
    std::chrono::milliseconds since{0};  // 1970
};

struct EngineLine
{
    bool held = false;
    bool paused = false;  // by itself: its chain or its account is not ready
    bool pausedByOperator = false;
    std::uint64_t preparing = 0;
    std::uint64_t signing = 0;
    std::uint64_t inAir = 0;
    std::uint64_t toResend = 0;
};

struct ErrorLine
{
    core::Kind kind = core::Kind::InputProof;
    std::string code;
    std::int64_t lastHour = 0;
    std::int64_t lastDay = 0;
};

struct OverviewPage
{
    std::vector<DependencyLine> dependencies;
    std::vector<QueueLine> queues;
    EngineLine engine;
    std::optional<PauseLine> intake;
    std::vector<core::LaneRecord> lanes;
    std::map<std::string, PauseLine, std::less<>> pausedLanes;  // by name
    std::vector<SourceLine> sources;
    std::map<std::pair<core::Kind, core::Status>, std::int64_t> live;
    std::vector<ErrorLine> errors;
    std::vector<core::InstanceRecord> instances;
};

struct RequestsPage
{
    // As they were typed.
    std::string name;  // a job id, content hash, gateway id or transaction hash
    std::string kind;
    std::string status;
    std::string olderThan;
    std::string youngerThan;
    std::string wrong;  // why nothing was looked for
    core::RequestPage found;
    bool first = true;
    std::string nextQuery;
};

struct RequestPage
{
    core::RequestHistory history;
    bool mayFail = false;
    bool mayDispatch = false;
    bool maySubmit = false;
};

struct SettingLine
{
    std::string name;
    std::string description;
    std::string value;
    std::string configured;  // what it is without a change
    std::string limits;
    bool number = true;
    std::string step;  // of a number
    std::string min;
    std::string max;
    std::vector<std::string> choices;  // of a text
    std::string changedBy;             // empty: as configured
    std::chrono::milliseconds changedAt{0};
    std::string wrong;  // why the value that was sent was not taken
};

struct AuditLine
{
    std::chrono::milliseconds at{0};
    std::string actor;
    std::string action;
    std::string subject;
    std::string detail;
};

struct SettingsPage
{
    std::vector<SettingLine> settings;
    std::vector<AuditLine> audit;
    std::optional<std::int64_t> olderAudit;
};

struct ShareState
{
    std::string name;
    std::int64_t count = 0;
};

struct JoinLine
{
    std::string operatorAddress;
    std::string moniker;
    std::string url;
    std::chrono::milliseconds requestedAt{0};
    std::chrono::milliseconds expiresAt{0};
};

struct SharesPage
{
    bool configured = false;
    std::vector<ShareState> states;
    std::int64_t due = 0;
    std::optional<std::chrono::milliseconds> oldestDueFor;
    std::int64_t rounds = 0;
    // Validators who want to join; nothing: nobody is asked for that here.
    std::optional<std::vector<JoinLine>> joins;
};
}  // namespace relayer::views
