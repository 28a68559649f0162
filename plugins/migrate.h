// The database's schema without a server: what --migrate does.
#pragma once

#include "config/settings.h"
#include "models/migrator.h"

namespace relayer::plugins
{
// Applies what is missing, whatever database.migrate says: it is asked for. Blocks.
[[nodiscard]] models::MigrationReport migrateNow(const config::DatabaseSettings &settings);
}  // namespace relayer::plugins
