// One statement, awaited; every way in which it can fail becomes a StoreError, and it always ends.
//
// Drogon's own awaiter does not: when a connection breaks under a statement, Drogon may drop the
// callbacks without calling either, and its timeout goes with them. Here a ticket travels with the
// callbacks, and when the last of them is dropped unused, the caller is told so.
#pragma once

#include "models/connections.h"
#include "models/running_loop.h"
#include "models/store_error.h"
#include "models/write.h"

#include <drogon/orm/DbClient.h>
#include <drogon/orm/Exception.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace relayer::models
{
class Statement
{
  public:
    // Sends the statement, with callbacks that hold the ticket they are given.
    class Ticket;
    using Send = std::function<void(std::shared_ptr<Ticket> ticket)>;

    explicit Statement(Send send) : send_(std::move(send)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }

    void await_suspend(std::coroutine_handle<> caller)
    {
        outcome_->caller = caller;
        // The caller may be resumed, and this object gone, before send returns.
        const Send send = std::move(send_);
        send(std::make_shared<Ticket>(outcome_));
    }

    drogon::orm::Result await_resume()
    {
        if (outcome_->error)
        {
            std::rethrow_exception(outcome_->error);
        }
        return std::move(*outcome_->result);
    }

  private:
    struct Outcome
    {
        std::atomic<bool> known{false};
        std::coroutine_handle<> caller;
        std::optional<drogon::orm::Result> result;
        std::exception_ptr error;
    };

    Send send_;
    std::shared_ptr<Outcome> outcome_ = std::make_shared<Outcome>();
};

class Statement::Ticket
{
  public:
    explicit Ticket(std::shared_ptr<Outcome> outcome) : outcome_(std::move(outcome)) {}
    Ticket(const Ticket &) = delete;
    Ticket &operator=(const Ticket &) = delete;

    ~Ticket()
    {
        if (outcome_->known.exchange(true))
        {
            return;
        }
        outcome_->error = std::make_exception_ptr(
            StoreError(StoreError::Code::Unavailable, "the connection to the database broke"));
        // Drogon may hold locks while it drops callbacks, so the caller is resumed a little later.
        if (trantor::EventLoop *loop = runningLoopOfThisThread())
        {
            loop->queueInLoop([outcome = outcome_] { outcome->caller.resume(); });
            return;
        }
        outcome_->caller.resume();
    }

    void succeed(const drogon::orm::Result &result)
    {
        if (!outcome_->known.exchange(true))
        {
            outcome_->result = result;
            outcome_->caller.resume();
        }
    }

    void fail(const std::exception_ptr &error)
    {
        if (!outcome_->known.exchange(true))
        {
            outcome_->error = error;
            outcome_->caller.resume();
        }
    }

  private:
    std::shared_ptr<Outcome> outcome_;
};

// Where a statement goes, and what its time counts for. Connections alone: for nothing in
// particular.
struct Target
{
    // NOLINTNEXTLINE(google-explicit-constructor): most statements say no more
    Target(ConnectionsPtr to, TableSet of = Table::Other) : connections(std::move(to)), tables(of)
    {}
    // What it was for is known by what it found.
    using TablesIn = TableSet (*)(const drogon::orm::Result &result);
    Target(ConnectionsPtr to, TablesIn in)
        : connections(std::move(to)), tables(Table::Requests), tablesIn(in)
    {}

    void took(const drogon::orm::Result &result, Connections::Clock::time_point sent) const
    {
        if (QueryTimes *const times = connections->times())
        {
            const TableSet found = tablesIn == nullptr ? TableSet() : tablesIn(result);
            times->took(found.empty() ? tables : found, Connections::Clock::now() - sent);
        }
    }
    void failed() const
    {
        if (QueryTimes *const times = connections->times())
        {
            times->failed(tables);
        }
    }

    ConnectionsPtr connections;
    TableSet tables;
    TablesIn tablesIn = nullptr;
};

// Of rows with a kind in that column; null: none.
template <drogon::orm::Row::SizeType Column>
TableSet tablesIn(const drogon::orm::Result &result)
{
    TableSet tables;
    for (const auto &row : result)
    {
        const auto field = row[Column];
        const auto kind =
            field.isNull() ? std::nullopt : core::parseKind(field.template as<std::string_view>());
        if (kind)
        {
            tables.add(tableOf(*kind));
        }
    }
    return tables;
}

// The text of a database error may carry values of the row, so it does not travel further than
// Drogon's own log. `sql` must outlive the program's statements (a static): Drogon keeps views of
// it.
template <typename... Arguments>
drogon::Task<drogon::orm::Result> execute(Target target, const std::string *sql,
                                          Arguments... arguments)
{
    const ConnectionsPtr &connections = target.connections;
    const drogon::orm::DbClientPtr client = connections->client();
    if (!client->hasAvailableConnections())
    {
        target.failed();
        throw StoreError(StoreError::Code::Unavailable, "no connection to the database");
    }
    const auto sent = Connections::Clock::now();
    const Connections::UnderWay underWay(*connections);
    try
    {
        Statement statement([&](const std::shared_ptr<Statement::Ticket> &ticket) {
            auto binder = *client << *sql;
            static_cast<void>((binder << ... << std::move(arguments)));
            binder >> [ticket](const drogon::orm::Result &result) { ticket->succeed(result); };
            binder >> [ticket](const std::exception_ptr &error) { ticket->fail(error); };
            binder.exec();
        });
        drogon::orm::Result result = co_await statement;
        connections->answered(client);
        target.took(result, sent);
        co_return result;
    }
    catch (const drogon::orm::TimeoutError &)
    {
        connections->timedOut(client, sent);
        target.failed();
        throw StoreError(StoreError::Code::Unavailable, "the database did not answer in time");
    }
    catch (const drogon::orm::BrokenConnection &)
    {
        target.failed();
        throw StoreError(StoreError::Code::Unavailable, "the connection to the database broke");
    }
    catch (const drogon::orm::DrogonDbException &)
    {
        target.failed();
        // What the database gave up on is reported like what it refuses. Tried again, and in
        // halves, it would keep everybody waiting: it is the time that tells.
        if (Connections::Clock::now() - sent >= connections->statementTimeout())
        {
            throw StoreError(StoreError::Code::Unavailable, "the database took too long");
        }
        // A connection that broke under a statement is reported like an error of the statement.
        if (!client->hasAvailableConnections())
        {
            throw StoreError(StoreError::Code::Unavailable, "the connection to the database broke");
        }
        connections->refused();
        throw StoreError(StoreError::Code::Refused, "the database refused a statement");
    }
}

// Whether what a transaction wrote is there to stay. It may be ending just now, and is asked for
// again then, as often as that takes no longer than a statement may.
inline drogon::Task<bool> isKept(ConnectionsPtr connections, std::string transaction)
{
    static const std::string text = "SELECT pg_xact_status($1::text::xid8)";
    const auto since = Connections::Clock::now();
    do
    {
        const drogon::orm::Result rows = co_await execute(connections, &text, transaction);
        const std::string status = rows[0][0].isNull() ? "" : rows[0][0].as<std::string>();
        if (status == "committed" || status == "aborted")
        {
            co_return status == "committed";
        }
    }
    while (Connections::Clock::now() - since < connections->statementTimeout());
    throw StoreError(StoreError::Code::Unavailable, "a transaction does not end");
}

// A statement that writes: when the caller has its outcome, it is there to stay. What the database
// took back while it ended a session is told like what it refused: nothing of it is there, and who
// may ask twice does.
template <typename... Arguments>
drogon::Task<drogon::orm::Result> execute(Target target, const Write *write, Arguments... arguments)
{
    const ConnectionsPtr connections = target.connections;
    const drogon::orm::Result result =
        co_await execute(std::move(target), &write->text(), std::move(arguments)...);
    if (result.empty())
    {
        co_return result;
    }
    bool kept = false;
    try
    {
        kept = co_await isKept(connections,
                               result[0][result.columns() - 1].template as<std::string>());
    }
    catch (const StoreError &)
    {
        throw StoreError(StoreError::Code::Unavailable,
                         "the database did not say whether it kept what was written");
    }
    if (!kept)
    {
        throw StoreError(StoreError::Code::Refused, "the database took back what was written");
    }
    co_return result;
}

// For statements that may run twice: what was refused is asked once more, because a connection that
// breaks under a statement looks like a refusal while others are still up.
template <typename Text, typename... Arguments>
drogon::Task<drogon::orm::Result> executeTwice(Target target, const Text *sql,
                                               Arguments... arguments)
{
    try
    {
        co_return co_await execute(target, sql, arguments...);
    }
    catch (const StoreError &error)
    {
        if (error.code() != StoreError::Code::Refused)
        {
            throw;
        }
    }
    co_return co_await execute(std::move(target), sql, std::move(arguments)...);
}
}  // namespace relayer::models
