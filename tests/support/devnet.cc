#include "support/devnet.h"

#include "support/http_client.h"
#include "support/json_text.h"
#include "support/loopback.h"
#include "support/source_dir.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;

// Another process may have taken a port between the look and the use.
constexpr int kStarts = 3;

std::string newFolder()
{
    std::string name = "/var/tmp/relayer-devnet.XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
    {
        throw std::runtime_error("no folder for the devnet");
    }
    return name;
}

std::string contentOf(const std::string &file)
{
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Json::Value listOf(const std::vector<Json::Value> &values)
{
    Json::Value list(Json::arrayValue);
    for (const Json::Value &value : values)
    {
        list.append(value);
    }
    return list;
}

DevnetChain chainFrom(const Json::Value &json)
{
    DevnetChain chain;
    chain.name = json["name"].asString();
    chain.chainId = json["chainId"].asUInt64();
    chain.port = static_cast<std::uint16_t>(json["port"].asUInt());
    chain.http = json["http"].asString();
    chain.ws = json["ws"].asString();
    chain.genesis = json["genesis"].asString();
    chain.pid = json["pid"].asInt();
    for (const std::string &name : json["contracts"].getMemberNames())
    {
        chain.contracts[name] = json["contracts"][name].asString();
    }
    chain.ownerKey = json["owner"]["privateKey"].asString();
    return chain;
}

// Reads until this line stands there, the writer ends, or the time is over.
bool readsUntil(int pipe, const std::string &wanted, Clock::time_point deadline)
{
    std::string text;
    std::array<char, 4096> chunk{};
    while (text.find(wanted) == std::string::npos)
    {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd ready{pipe, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) != 1)
        {
            return false;
        }
        const ssize_t count = ::read(pipe, chunk.data(), chunk.size());
        if (count <= 0)
        {
            return false;
        }
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    return true;
}

// The events that each request leaves exactly one of.
Json::Value requestTopics()
{
    return listOf({"0x4ae54f6a6e900d806ffa5bb46ed91459523d2f6ac9b5d62404feab887686d005",
                   "0x9bb088a53f1fe13ec84fa0a1d7b578b589e193268baaccc5e23f7ab785aa3dae",
                   "0xc71e32c80f3109c673a9adfcded0b3b2093212ab284084a0e03a281dee2bdd5f",
                   "0x8ed4fab8b1d050676cd7d7d9fa448d5d22113375fab8ad4dc690e54593c527bf"});
}
}  // namespace

std::string Devnet::whyMissing()
{
    if (std::system("command -v node >/dev/null 2>&1") != 0)
    {
        return "there is no node on this machine";
    }
    const auto packages = sourceDir() / "devnet/node_modules";
    return std::filesystem::exists(packages / "@foundry-rs/anvil-linux-amd64/bin/anvil") &&
                   std::filesystem::exists(packages / "ethers")
               ? ""
               : "the devnet's npm packages are missing: scripts/devnet.sh setup installs them";
}

Devnet::Devnet(DevnetOptions options) : options_(std::move(options)), folder_(newFolder())
{
    start();
}

Devnet::~Devnet()
{
    // Its chains need not save anything any more; they end with it.
    for (const auto &[name, chain] : chains_)
    {
        if (chain.pid > 0)
        {
            ::kill(chain.pid, SIGKILL);
        }
    }
    end(SIGTERM);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void Devnet::start()
{
    for (int i = 0; i < kStarts; ++i)
    {
        if (startOnce())
        {
            read();
            return;
        }
        end(SIGKILL);
    }
    throw std::runtime_error("the devnet did not start: " + contentOf(folder_ + "/devnet.log"));
}

bool Devnet::startOnce()
{
    std::vector<std::string> words = {"node", (sourceDir() / "devnet/start.mjs").string(),
                                      "--state", folder_};
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    words.insert(words.end(),
                 {"--state-interval", std::to_string(options_.stateSeconds.value_or(0))});
    std::vector<char *> argv;
    for (std::string &word : words)
    {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const std::string log = folder_ + "/devnet.log";
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
    {
        throw std::runtime_error("no pipe for the devnet's output");
    }
    pid_ = fork();
    if (pid_ == 0)
    {
        // Only what is safe between fork and exec.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
        dup2(ends[1], STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    ::close(ends[1]);
    const bool ready = readsUntil(ends[0], "READY ", Clock::now() + kPatience);
    ::close(ends[0]);
    return ready;
}

void Devnet::end(int signal)
{
    if (pid_ <= 0)
    {
        return;
    }
    ::kill(pid_, signal);
    const int ended = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    pollfd readable{ended, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(kPatience.count())) != 1)
    {
        ::kill(pid_, SIGKILL);
    }
    ::close(ended);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void Devnet::read()
{
    description_ = jsonValue(contentOf(folder_ + "/devnet.json"));
    chains_.clear();
    chains_["gateway"] = chainFrom(description_["gateway"]);
    for (const Json::Value &host : description_["hosts"])
    {
        chains_[host["name"].asString()] = chainFrom(host);
    }
}

const DevnetChain &Devnet::chain(const std::string &name) const
{
    return chains_.at(name);
}

std::array<std::uint8_t, 32> Devnet::handle(std::uint32_t number, std::uint64_t chainId)
{
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < 4; ++i)
    {
        bytes[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
    }
    for (std::size_t i = 0; i < 8; ++i)
    {
        bytes[22 + i] = static_cast<std::uint8_t>(chainId >> (56 - 8 * i));
    }
    bytes[30] = 5;  // the type
    return bytes;
}

std::string Devnet::relayerKey(unsigned index) const
{
    return description_["relayers"][index]["privateKey"].asString();
}

std::string Devnet::relayerAddress(unsigned index) const
{
    return description_["relayers"][index]["address"].asString();
}

std::map<std::string, std::string> Devnet::environment() const
{
    const auto &gateway = chain("gateway");
    const auto &host = chain("host-8009");
    std::map<std::string, std::string> all = {
        {"RELAYER_GATEWAY__CHAIN_ID", std::to_string(gateway.chainId)},
        {"RELAYER_GATEWAY__RPC__READ", "devnet=" + gateway.http},
        {"RELAYER_GATEWAY__CONTRACTS__DECRYPTION", gateway.contracts.at("decryption")},
        {"RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION",
         gateway.contracts.at("inputVerification")},
        {"RELAYER_GATEWAY__CONTRACTS__FEE_TOKEN", gateway.contracts.at("feeToken")},
        {"RELAYER_GATEWAY__CONTRACTS__PROTOCOL_PAYMENT", gateway.contracts.at("protocolPayment")},
        {"RELAYER_GATEWAY__USER_DECRYPT_SHARES_THRESHOLD",
         description_["thresholds"]["userDecryption"].asString()},
        {"RELAYER_LISTENER__ENDPOINTS", "devnet=" + gateway.ws},
        {"RELAYER_SIGNER__PRIVATE_KEY", relayerKey()},
        {"RELAYER_PROTOCOL_CONFIG__RPC", "devnet-host=" + host.http},
        {"RELAYER_PROTOCOL_CONFIG__ADDRESS", host.contracts.at("protocolConfig")},
        {"RELAYER_KEYURL__KMS_GENERATION_ADDRESS", host.contracts.at("kmsGeneration")},
    };
    std::size_t number = 0;
    for (const Json::Value &one : description_["hosts"])
    {
        const auto &hostChain = chain(one["name"].asString());
        const std::string prefix = "RELAYER_HOST_CHAINS__" + std::to_string(number++);
        all[prefix + "__CHAIN_ID"] = std::to_string(hostChain.chainId);
        all[prefix + "__URL"] = hostChain.name + "=" + hostChain.http;
        all[prefix + "__ACL_ADDRESS"] = hostChain.contracts.at("acl");
    }
    return all;
}

Json::Value Devnet::control(const std::string &method, const std::string &path,
                            const Json::Value &body) const
{
    HttpClient client(portIn(description_["control"].asString()), kPatience);
    const auto reply = client.request(method, path, body.isNull() ? std::string() : jsonText(body));
    if (!reply || reply->status != 200)
    {
        throw std::runtime_error("the devnet refuses " + path + ": " +
                                 (reply ? reply->body : "no answer"));
    }
    return reply->json();
}

Json::Value Devnet::turn(Switches switches) const
{
    Json::Value body(Json::objectValue);
    for (const auto &[name, value] : switches)
    {
        body[name] = value;
    }
    return turn(body);
}

Json::Value Devnet::turn(const Json::Value &switches) const
{
    return control("POST", "/responder", switches);
}

Json::Value Devnet::responder() const
{
    return control("GET", "/responder");
}

Json::Value Devnet::write(const std::string &chain, const std::string &contract,
                          const std::string &method,
                          const std::vector<Json::Value> &arguments) const
{
    return control("POST", "/contracts/" + chain + "/" + contract + "/" + method,
                   listOf(arguments))["result"];
}

void Devnet::act(const std::string &chain, const std::string &action)
{
    control("POST", "/chains/" + chain + "/" + action, Json::Value(Json::objectValue));
    read();
}

void Devnet::mine(unsigned blocks, const std::string &chain) const
{
    Json::Value body;
    body["blocks"] = blocks;
    control("POST", "/chains/" + chain + "/mine", body);
}

Json::Value Devnet::call(const std::string &method, const std::vector<Json::Value> &parameters,
                         const std::string &chain) const
{
    Json::Value body;
    body["jsonrpc"] = "2.0";
    body["id"] = 1;
    body["method"] = method;
    body["params"] = listOf(parameters);
    HttpClient client(this->chain(chain).port, kPatience);
    const auto reply = client.post("/", jsonText(body), {{"Content-Type", "application/json"}});
    if (!reply || !reply->json().isMember("result"))
    {
        throw std::runtime_error(method + ": " + (reply ? reply->body : "no answer"));
    }
    return reply->json()["result"];
}

std::vector<Json::Value> Devnet::requestLogs() const
{
    Json::Value filter;
    filter["fromBlock"] = "0x0";
    filter["toBlock"] = "latest";
    filter["address"] =
        listOf({gateway().contracts.at("inputVerification"), gateway().contracts.at("decryption")});
    filter["topics"] = listOf({requestTopics()});
    const Json::Value logs = call("eth_getLogs", {filter});
    return {logs.begin(), logs.end()};
}

std::uint64_t Devnet::transactionsOf(const std::string &address) const
{
    const Json::Value count = call("eth_getTransactionCount", {address, "latest"});
    return std::strtoull(count.asCString(), nullptr, 16);
}

void Devnet::restart()
{
    end(SIGTERM);
    start();
}

void Devnet::kill()
{
    end(SIGKILL);
}
}  // namespace relayer::test
