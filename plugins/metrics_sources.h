// What the other plugins know, as metrics. Part of metrics.h.
#pragma once

#include "plugins/gateway_listener.h"
#include "plugins/metrics_text.h"
#include "plugins/readiness_gate.h"
#include "plugins/signature_check.h"
#include "plugins/startup_recovery.h"
#include "plugins/status_watch.h"
#include "plugins/tx_engine.h"
#include "plugins/tx_throttler.h"

namespace relayer::plugins
{
void writeBuild(MetricsText &text);
void writeQueues(MetricsText &text, const TxThrottler &throttler, const ReadinessGate &readiness);
void writeLane(MetricsText &text, const TxEngine &engine);
void writeSources(MetricsText &text, const GatewayListener &listener);
void writeRecovery(MetricsText &text, const StartupRecovery &recovery);
void writeWaiters(MetricsText &text, const StatusWatch &watch);
void writeSignatures(MetricsText &text, const SignatureCheck &check);
}  // namespace relayer::plugins
