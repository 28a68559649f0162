// How a call to a node can fail. The node is called by its configured name, never by its URL.
#pragma once

#include "core/bytes.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace relayer::chain::rpc
{
class RpcError : public std::runtime_error
{
  public:
    enum class Kind : std::uint8_t
    {
        Transport,    // no connection, or it broke: whether the node did it is not known
        Timeout,      // no answer by the deadline: not known either
        Rpc,          // the node said no: code, message, perhaps data
        Undecodable,  // an answer that is none of its method
        Busy,         // HTTP 429 or 503: later, or elsewhere. Not known what became of it either
    };

    RpcError(Kind kind, std::string endpoint, const std::string &what)
        : std::runtime_error(what), kind_(kind), endpoint_(std::move(endpoint))
    {}

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] const std::string &endpoint() const { return endpoint_; }

    // Of Kind::Rpc. The message is the node's own text: for the log after it was made printable,
    // and for finding a selector where there is no data. Never for a client.
    std::int64_t code = 0;  // also of Kind::Busy, where the node gave one
    std::string message;
    std::optional<core::Bytes> data;
    // False: nothing of it left this machine, so the node can not have done it.
    bool sent = true;

  private:
    Kind kind_;
    std::string endpoint_;
};
}  // namespace relayer::chain::rpc
