// A RequestStore on a database, as one instance of the program would have it, and requests to put
// in.
#pragma once

#include "core/content_hash.h"
#include "models/request_store.h"
#include "support/test_database.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace relayer::test
{
// Several of these on one database are several instances.
class TestStore
{
  public:
    explicit TestStore(const TestDatabase &database, models::RequestStoreOptions options = {},
                       std::size_t writeConnections = 4);
    ~TestStore();
    TestStore(const TestStore &) = delete;
    TestStore &operator=(const TestStore &) = delete;

    models::RequestStore *operator->() { return store_.get(); }
    models::RequestStore &operator*() { return *store_; }
    [[nodiscard]] const models::ConnectionsPtr &writer() const { return writer_; }
    [[nodiscard]] const models::ConnectionsPtr &reader() const { return reader_; }

  private:
    models::ConnectionsPtr writer_;
    models::ConnectionsPtr reader_;
    std::unique_ptr<models::RequestStore> store_;
};

// 32 bytes that stand for a number; `tag` keeps the numbers of different uses apart.
[[nodiscard]] core::Hash32 hash32(std::uint64_t number, std::uint8_t tag = 0);
[[nodiscard]] core::JobId jobId(std::uint64_t number);
[[nodiscard]] std::string hexLiteral(const core::Hash32 &hash);  // '\x...'::bytea

[[nodiscard]] models::NewRequest newRequest(core::Kind kind, std::uint64_t content,
                                            std::uint64_t job);

// A row that stands in a status without having gone the way to it; a receipt's gateway id refers to
// it in whatever status it is, so that a refused transition is refused by its guard and by nothing
// else.
struct PlacedRow
{
    core::Kind kind = core::Kind::InputProof;
    core::Status status = core::Status::Processing;
    std::optional<models::Claimer> owner = std::nullopt;
    std::optional<int> threshold = std::nullopt;
    bool referred = false;  // gateway_reference exists
};
struct Placed
{
    models::RequestId id = 0;
    models::GatewayId gatewayId{};
};
Placed place(const TestDatabase &database, const PlacedRow &row);
}  // namespace relayer::test
