#include "plugins/migrate.h"

#include "plugins/database_connection.h"

namespace relayer::plugins
{
models::MigrationReport migrateNow(const config::DatabaseSettings &settings)
{
    const auto directly = models::connectionString(directConnectionTo(settings));
    if (!directly)
    {
        models::MigrationReport report;
        report.outcome = models::MigrationReport::Outcome::Refused;
        report.message = "database.url is neither a libpq URI nor a keyword string";
        return report;
    }
    return models::migrate(*directly, models::embeddedMigrations());
}
}  // namespace relayer::plugins
