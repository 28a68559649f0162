#include "plugins/database_connection.h"

namespace relayer::plugins
{
models::ConnectionSettings connectionTo(const std::string &url,
                                        const config::DatabaseSettings &settings)
{
    models::ConnectionSettings connection;
    connection.url = url;
    connection.statementTimeout = settings.statementTimeout;
    connection.connectTimeout = settings.connectTimeout;
    connection.tls = models::tlsDefaultsHere();
    return connection;
}

models::ConnectionSettings directConnectionTo(const config::DatabaseSettings &settings)
{
    const config::Secret &direct = settings.directUrl.empty() ? settings.url : settings.directUrl;
    return connectionTo(direct.reveal(), settings);
}
}  // namespace relayer::plugins
