#include "support/test_store.h"

#include "support/eventually.h"

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace relayer::test
{
namespace
{
models::ConnectionsPtr connectionsTo(const TestDatabase &database, std::size_t count)
{
    const auto connect = [connection = database.connection(), count](std::size_t) {
        auto client = drogon::orm::DbClient::newPgClient(connection, count);
        client->setTimeout(60.0);
        return client;
    };
    auto connections = std::make_shared<models::Connections>(connect);
    // A statement would wait for a connection, but the store refuses at once when there is none.
    if (!eventually([&] { return connections->available(); }))
    {
        throw std::runtime_error("no connection to the test database");
    }
    return connections;
}
}  // namespace

TestStore::TestStore(const TestDatabase &database, models::RequestStoreOptions options,
                     std::size_t writeConnections)
    : writer_(connectionsTo(database, writeConnections)),
      reader_(connectionsTo(database, 2)),
      store_(std::make_unique<models::RequestStore>(writer_, reader_, options))
{}

TestStore::~TestStore()
{
    if (!store_->close(std::chrono::seconds(30)))
    {
        std::abort();
    }
    store_.reset();
    models::Connections::letGo(std::move(writer_));
    models::Connections::letGo(std::move(reader_));
}

core::Hash32 hash32(std::uint64_t number, std::uint8_t tag)
{
    core::Hash32 hash{};
    hash[0] = tag;
    for (std::size_t i = 0; i < 8; ++i)
    {
        hash[31 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return hash;
}

core::JobId jobId(std::uint64_t number)
{
    core::JobId::Raw raw{};
    for (std::size_t i = 0; i < 8; ++i)
    {
        raw[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return core::JobId::fromRandom(raw);
}

std::string hexLiteral(const core::Hash32 &hash)
{
    return "'\\x" + core::toHex(hash) + "'::bytea";
}

models::NewRequest newRequest(core::Kind kind, std::uint64_t content, std::uint64_t job)
{
    models::NewRequest request;
    request.kind = kind;
    request.jobId = jobId(job);
    request.contentHash = hash32(content, 0xC0);
    request.payload = core::Bytes(200, 0xAB);
    if (kind == core::Kind::UserDecrypt)
    {
        request.threshold = 3;
    }
    return request;
}

Placed place(const TestDatabase &database, const PlacedRow &row)
{
    static std::atomic<std::uint64_t> next{1};
    const std::uint64_t number = next++;
    Placed placed;
    placed.gatewayId = hash32(number, 0x6A);
    const bool live = !core::isTerminal(row.status);
    const std::string kind(core::name(row.kind));
    const std::string sql =
        "WITH r AS (INSERT INTO request (job_id, kind, status, live, dedup, content_hash, payload,"
        " ticket, owner, resolved_threshold, gateway_id) VALUES ('" +
        jobId(1'000'000'000 + number).text() + "', '" + kind + "', '" +
        std::string(core::name(row.status)) + "', " + (live ? "true" : "false") + ", " +
        (live || row.status == core::Status::Completed ? "true" : "false") + ", " +
        hexLiteral(hash32(number, 0xF0)) + ", '\\x00', nextval('request_ticket_seq'), " +
        (row.owner ? std::to_string(*row.owner) : "NULL") + ", " +
        (row.threshold ? std::to_string(*row.threshold) : "NULL") + ", " +
        (row.referred ? hexLiteral(placed.gatewayId) : "NULL") + ") RETURNING id, kind, ticket)" +
        (live ? ", l AS (INSERT INTO live_request SELECT kind, ticket, id FROM r)" : "") +
        (row.referred ? ", g AS (INSERT INTO gateway_reference SELECT kind, " +
                            hexLiteral(placed.gatewayId) + ", id FROM r)"
                      : "") +
        " SELECT id FROM r";
    placed.id = std::stoll(database.value(sql));
    return placed;
}
}  // namespace relayer::test
