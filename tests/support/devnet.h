// A devnet of a test's own: the gateway and two host chains on free ports, the contracts, and
// somebody who plays coprocessors and KMS nodes. In a folder of its own; everything is ended and
// removed with the object, and also when the test is killed.
//
//     if (const std::string why = Devnet::whyMissing(); !why.empty()) GTEST_SKIP() << why;
//     Devnet devnet;
//     ServerProcess server({.environment = devnet.environment()});
//     devnet.turn({{"delayMs", 500}});
//     devnet.write("gateway", "decryption", "setPaused", {true});
//
// devnet/README.md lists the switches, the contracts and what they take. What cannot be done throws
// std::runtime_error, so that a test ends there. To be used from one thread, the main one.
#pragma once

#include <json/json.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace relayer::test
{
struct DevnetOptions
{
    // As given to devnet/start.mjs: {"--instant"} is a block for each transaction, which lets
    // answers overtake receipts; {"--quiet", "0.25"} (its default) looks more like the real
    // gateway.
    std::vector<std::string> arguments = {"--instant"};
    // Save the chains' states each so many seconds; else only when they are ended properly.
    std::optional<int> stateSeconds = std::nullopt;
};

struct DevnetChain
{
    std::string name;  // gateway, host-8009, host-9001
    std::uint64_t chainId = 0;
    std::uint16_t port = 0;
    std::string http;
    std::string ws;
    std::string genesis;  // the hash of block 0
    pid_t pid = 0;
    std::map<std::string, std::string> contracts;  // decryption, acl, ...: addresses
    std::string ownerKey;                          // of the account that deployed them
};

class Devnet
{
  public:
    using Milliseconds = std::chrono::milliseconds;
    using Switches = std::initializer_list<std::pair<std::string, Json::Value>>;
    static constexpr Milliseconds kPatience = std::chrono::seconds(60);

    // Why there can be no devnet here; empty when there can.
    [[nodiscard]] static std::string whyMissing();

    explicit Devnet(DevnetOptions options = {});
    ~Devnet();
    Devnet(const Devnet &) = delete;
    Devnet &operator=(const Devnet &) = delete;

    [[nodiscard]] const DevnetChain &gateway() const { return chain("gateway"); }
    [[nodiscard]] const DevnetChain &chain(const std::string &name) const;
    // A handle as a host chain makes them, of a 64-bit number; the same for the same arguments.
    [[nodiscard]] static std::array<std::uint8_t, 32> handle(std::uint32_t number,
                                                             std::uint64_t chainId = 8009);
    // The whole devnet.json.
    [[nodiscard]] const Json::Value &description() const { return description_; }
    // Accounts with ether and fee tokens that have approved the payment contract; 0x and hex.
    [[nodiscard]] std::string relayerKey(unsigned index = 0) const;
    [[nodiscard]] std::string relayerAddress(unsigned index = 0) const;
    // For a server that uses this devnet: RELAYER_GATEWAY__... and so on.
    [[nodiscard]] std::map<std::string, std::string> environment() const;

    // Switches of the coprocessors and KMS nodes; answers with all of them and the counts.
    Json::Value turn(Switches switches) const;
    Json::Value turn(const Json::Value &switches) const;
    [[nodiscard]] Json::Value responder() const;

    // A method of a contract on a chain: a view's result, or the receipt of the owner's
    // transaction.
    Json::Value write(const std::string &chain, const std::string &contract,
                      const std::string &method, const std::vector<Json::Value> &arguments) const;

    // stop (saves its state), kill (loses what came after the last save), start, reset (another
    // genesis), freeze, thaw. Back when it is done.
    void act(const std::string &chain, const std::string &action);
    void mine(unsigned blocks = 1, const std::string &chain = "gateway") const;

    // A call to a chain's node; an error of the node throws.
    [[nodiscard]] Json::Value call(const std::string &method,
                                   const std::vector<Json::Value> &parameters = {},
                                   const std::string &chain = "gateway") const;
    // One log for each request that stands on the gateway's chain, in its order.
    [[nodiscard]] std::vector<Json::Value> requestLogs() const;
    // How many transactions this account has on the gateway: its next nonce.
    [[nodiscard]] std::uint64_t transactionsOf(const std::string &address) const;

    // All of it: ended properly and started again on the same ports; or ended by kill -9.
    void restart();
    void kill();
    [[nodiscard]] const std::string &folder() const { return folder_; }

  private:
    void start();
    bool startOnce();
    void end(int signal);
    void read();
    Json::Value control(const std::string &method, const std::string &path,
                        const Json::Value &body = Json::Value()) const;

    DevnetOptions options_;
    std::string folder_;
    pid_t pid_ = -1;
    Json::Value description_;
    std::map<std::string, DevnetChain> chains_;
};
}  // namespace relayer::test
