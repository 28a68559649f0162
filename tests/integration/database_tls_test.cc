// A database on another machine has to prove its name: what libpq makes of the string that we give
// it, at a server that shows a certificate of its own making.
#include "models/connection_info.h"
#include "support/private_postgres.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <libpq-fe.h>
#include <memory>
#include <unistd.h>

namespace relayer::models
{
namespace
{
using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

// One that names itself db.example. PostgreSQL's own program makes the certificate, since the files
// have to be its user's.
void showCertificate(test::PrivatePostgres &postgres)
{
    postgres.query(
        "COPY (SELECT 1) TO PROGRAM 'openssl req -x509 -newkey ec -pkeyopt "
        "ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=db.example -addext "
        "subjectAltName=DNS:db.example -keyout server.key -out server.crt 2>/dev/null"
        " && chmod 600 server.key'");
    postgres.query("ALTER SYSTEM SET ssl = on");
    postgres.stop();
    postgres.start();
}

// Its URL, with another name for the same server.
std::string called(const std::string &url, const std::string &name)
{
    const std::size_t host = url.find('@') + 1;
    const std::size_t port = url.find(':', host);
    return url.substr(0, host) + name + url.substr(port) +
           (url.find('?') == std::string::npos ? "?" : "&") + "hostaddr=127.0.0.1";
}

// Nothing: it let us in. Else what libpq says.
std::string refusalOf(const std::string &url, const std::string &rootCertificates)
{
    ConnectionSettings settings;
    settings.url = url;
    settings.tls.rootCertificates = rootCertificates;
    const Connection connection(PQconnectdb(connectionString(settings).value().c_str()), PQfinish);
    return PQstatus(connection.get()) == CONNECTION_OK ? "" : PQerrorMessage(connection.get());
}

TEST(DatabaseTls, AServerElsewhereIsBelievedWithItsCertificateAndItsNameOnly)
{
    test::PrivatePostgres postgres;
    showCertificate(postgres);
    const std::string ours =
        std::filesystem::temp_directory_path() / ("database_tls_" + std::to_string(getpid()));
    std::ofstream(ours) << postgres.query("SELECT pg_read_file('server.crt')")[0][0];

    const std::string system = "/etc/ssl/certs/ca-certificates.crt";
    EXPECT_NE(refusalOf(called(postgres.url(), "db.example"), system).find("certificate"),
              std::string::npos)
        << "of an unknown issuer: " << refusalOf(called(postgres.url(), "db.example"), system);
    EXPECT_EQ(refusalOf(called(postgres.url(), "db.example"), ours), "") << "the right one";
    EXPECT_NE(refusalOf(called(postgres.url(), "other.example"), ours).find("other.example"),
              std::string::npos)
        << "of another name: " << refusalOf(called(postgres.url(), "other.example"), ours);
    EXPECT_EQ(refusalOf(postgres.url(), system), "") << "on this machine nobody is asked";
    std::filesystem::remove(ours);
}
}  // namespace
}  // namespace relayer::models
