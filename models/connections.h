// A pool of connections to the database that can be replaced as a whole.
//
// Drogon's client repairs a connection whose end it sees. It does not see every end: libpq may meet
// it while it reads a result and close the socket itself; the connection then counts as busy for
// ever, and once all of them do, every statement waits for its time-out. So whoever awaits a
// statement tells this class how it went, and a client that let a statement time out and has
// answered nothing since that statement was sent is replaced by a new one. One that has answered
// others meanwhile may have lost that one connection only: it begins anew beside, so that its
// connections do not get fewer with each. Replaced is also one that has had no connection for long:
// libpq does not end an attempt to connect that hangs, and Drogon does not see one that moved to
// another socket.
//
// There may be several addresses of one database. A client without a connection for long, and one
// whose server does not take writes any more, is replaced by one for the next address.
//
// Any thread. Clients are let go of by a thread of this class, never on a loop of their own, which
// would end the process.
#pragma once

#include "models/query_times.h"

#include <drogon/orm/DbClient.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace relayer::models
{
class Connections
{
  public:
    using Clock = std::chrono::steady_clock;
    // To the address of that number: they are counted on without end, and start over by themselves.
    using Connect = std::function<drogon::orm::DbClientPtr(std::size_t address)>;

    // With the time after which the database gives up on a statement. `times`: none, nothing is
    // measured.
    explicit Connections(Connect connect, Clock::duration statementTimeout = Clock::duration::max(),
                         std::shared_ptr<QueryTimes> times = nullptr);
    ~Connections();
    // The one way to drop the last reference: statements that are on their way hold one, too, and
    // would drop theirs on a database loop. Waits for them, not for ever.
    static void letGo(std::shared_ptr<Connections> connections);
    Connections(const Connections &) = delete;
    Connections &operator=(const Connections &) = delete;

    [[nodiscard]] drogon::orm::DbClientPtr client() const;

    // No query: connections are watched.
    [[nodiscard]] bool available() const { return client()->hasAvailableConnections(); }

    [[nodiscard]] Clock::duration statementTimeout() const { return statementTimeout_; }

    void answered(const drogon::orm::DbClientPtr &by);
    void timedOut(const drogon::orm::DbClientPtr &by, Clock::time_point sent);

    // To be called now and then: replaces a client that has had no connection for longer than that
    // by one for the next address.
    void supervise(Clock::time_point now, Clock::duration patience);
    // What is answered here is not what is wanted: on to the next address.
    void moveOn();
    // New sessions at the same address, which take over at one of the next times that this is
    // supervised, once there is one: nobody is without a connection meanwhile, and statements that
    // are under way end on the old ones.
    void beginAnew();
    // A statement was refused by the database.
    void refused() { ++refusals_; }
    [[nodiscard]] std::size_t refusals() const { return refusals_.load(); }
    // The number of the address that the client is for.
    [[nodiscard]] std::size_t address() const;

    // How many clients had to be replaced.
    [[nodiscard]] std::size_t replaced() const;

    [[nodiscard]] QueryTimes *times() const { return times_.get(); }
    // Statements that are awaited.
    [[nodiscard]] std::size_t underWay() const { return underWay_.load(); }
    class UnderWay
    {
      public:
        explicit UnderWay(Connections &connections) : count_(connections.underWay_) { ++count_; }
        ~UnderWay() { --count_; }
        UnderWay(const UnderWay &) = delete;
        UnderWay &operator=(const UnderWay &) = delete;

      private:
        std::atomic<std::size_t> &count_;
    };

  private:
    // Under the mutex.
    enum class Ending
    {
        AtOnce,
        AfterItsStatements
    };
    void replace();
    void connectAnew(const char *why);
    void takeOver(Clock::time_point now, Clock::duration patience);
    void retireUntilStopped();

    const Connect connect_;
    const Clock::duration statementTimeout_;
    const std::shared_ptr<QueryTimes> times_;
    std::atomic<std::size_t> underWay_{0};
    std::atomic<std::size_t> refusals_{0};

    mutable std::mutex mutex_;
    std::size_t address_ = 0;
    drogon::orm::DbClientPtr client_;
    Clock::time_point born_;         // the client
    drogon::orm::DbClientPtr next_;  // has begun anew, and is to take over
    Clock::time_point nextBorn_;
    Clock::time_point lastAnswer_;
    Clock::time_point lastAvailable_;
    Clock::time_point suspectAgainAt_;
    std::size_t replaced_ = 0;
    struct Retiring
    {
        drogon::orm::DbClientPtr client;
        Clock::time_point born;
        Ending ending;
    };
    std::vector<Retiring> retiring_;
    bool stopping_ = false;
    std::condition_variable wake_;
    std::thread retirer_;
};

using ConnectionsPtr = std::shared_ptr<Connections>;
}  // namespace relayer::models
