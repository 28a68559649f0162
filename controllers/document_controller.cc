#include "controllers/document_controller.h"

#include "controllers/jobs.h"
#include "controllers/responses.h"
#include "core/content_hash.h"
#include "filters/mount_point.h"
#include "plugins/settings.h"
#include "wire/build_info.h"
#include "wire/docs_page.h"
#include "wire/openapi.h"

#include <drogon/utils/Utilities.h>

#include <chrono>
#include <optional>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
struct Documents
{
    std::uint64_t madeAt = 0;
    std::string json;
    std::string page;
};

// Nothing: shares are not taken here.
std::optional<wire::ShareApi> shareApi(std::uint64_t submitAt)
{
    const auto &shares = plugins::Settings::lastStarted().shares;
    const bool provable = !shares.proverLibrary.empty() || !shares.proverCommand.empty();
    if (!shares.enabled || !provable)
    {
        return std::nullopt;
    }
    return wire::ShareApi{!shares.apiToken.empty(), shares.exposeQueueStatus, submitAt};
}

const Documents &documentsOfToday()
{
    constexpr std::uint64_t kDay = 86400;
    thread_local Documents kept;
    const std::uint64_t today = nowSeconds() / kDay * kDay;
    if (kept.madeAt != today)
    {
        wire::ApiFacts facts;
        facts.version = wire::buildInfo().version;
        facts.limits = requestLimits();
        facts.maxBody = plugins::Settings::lastStarted().http.maxBody;
        facts.now = today;
        facts.pathPrefix = filters::pathPrefix();
        const auto waitMax = plugins::Settings::lastStarted().http.longPoll.maxWait;
        facts.waitMax =
            static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(waitMax).count());
        facts.shares = shareApi(today + kDay);
        kept.json = wire::openApi(facts);
        kept.page = wire::docsPage(kept.json);
        kept.madeAt = today;
    }
    return kept;
}

// Nothing but its own style, and nothing from anywhere.
std::string policyOfPage()
{
    core::ContentHasher hasher;
    const core::Hash32 style = hasher.text(wire::docsStyle()).finish();
    return "default-src 'none'; style-src 'sha256-" +
           drogon::utils::base64Encode(style.data(), style.size()) +
           "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}
}  // namespace

DocumentController::DocumentController() : pagePolicy_(policyOfPage()) {}

Task<HttpResponsePtr> DocumentController::document(HttpRequestPtr)
{
    co_return jsonResponse(drogon::k200OK, documentsOfToday().json);
}

Task<HttpResponsePtr> DocumentController::page(HttpRequestPtr)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setContentTypeString("text/html; charset=utf-8");
    response->addHeader("Content-Security-Policy", pagePolicy_);
    response->addHeader("X-Content-Type-Options", "nosniff");
    response->addHeader("Referrer-Policy", "no-referrer");
    response->setBody(documentsOfToday().page);
    co_return response;
}
}  // namespace relayer::controllers
