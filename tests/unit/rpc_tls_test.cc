// A node behind TLS that can not prove who it is gets nothing of us, whatever it says.
#include "chain/rpc/log_subscription.h"
#include "chain/rpc/node.h"
#include "support/await.h"
#include "support/client_loop.h"
#include "support/eventually.h"
#include "support/loopback.h"
#include "support/tls_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace relayer::chain::rpc
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::await;

template <typename Kind, void (*release)(Kind *)>
struct Release
{
    void operator()(Kind *owned) const { release(owned); }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509, X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Release<SSL_CTX, SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Release<SSL, SSL_free>>;

const char *const kThisMachine = "IP:127.0.0.1,DNS:localhost";

// For these names, by its own word.
Certificate selfSigned(EVP_PKEY *key, const char *forNames)
{
    Certificate certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME *const name = X509_get_subject_name(certificate.get());
    const std::array<unsigned char, 5> text = {'n', 'o', 'd', 'e', '\0'};
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text.data(), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    X509_EXTENSION *const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, forNames);
    X509_add_ext(certificate.get(), names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate.get(), key, EVP_sha256());
    return certificate;
}

// Shakes hands with whoever comes and counts what they say then. One connection after the other.
class TlsNode
{
  public:
    explicit TlsNode(const char *names = kThisMachine)
        : key_(EVP_EC_gen("P-256")), context_(SSL_CTX_new(TLS_server_method()))
    {
        const Certificate certificate = selfSigned(key_.get(), names);
        SSL_CTX_use_certificate(context_.get(), certificate.get());
        SSL_CTX_use_PrivateKey(context_.get(), key_.get());
        file_ = std::filesystem::temp_directory_path() /
                ("rpc_tls_" + std::to_string(getpid()) + ".pem");
        std::FILE *const file = std::fopen(file_.c_str(), "w");
        PEM_write_X509(file, certificate.get());
        std::fclose(file);

        listener_ = test::listeningOnLoopback(16);
        port_ = test::portOf(listener_);
        thread_ = std::thread([this] { serve(); });
    }
    TlsNode(const TlsNode &) = delete;
    TlsNode &operator=(const TlsNode &) = delete;
    ~TlsNode()
    {
        shutdown(listener_, SHUT_RDWR);
        thread_.join();
        close(listener_);
        std::filesystem::remove(file_);
    }

    [[nodiscard]] std::string at(const std::string &scheme,
                                 const std::string &host = "localhost") const
    {
        return scheme + "://" + host + ":" + std::to_string(port_) + "/SECRETKEY";
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string certificate() const { return file_; }
    [[nodiscard]] std::size_t connections() const { return connections_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    void serve()
    {
        for (int peer = 0; (peer = accept(listener_, nullptr, nullptr)) >= 0; close(peer))
        {
            const timeval patience{5, 0};
            setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
            const Session session(SSL_new(context_.get()));
            SSL_set_fd(session.get(), peer);
            std::array<char, 4096> chunk{};
            int count = SSL_accept(session.get());
            bool whole = false;  // who asked gets no answer
            while (!whole && count > 0 && (count = SSL_read(session.get(), chunk.data(), 4096)) > 0)
            {
                bytes_ += static_cast<std::size_t>(count);
                whole = std::string_view(chunk.data(), static_cast<std::size_t>(count))
                            .find("\r\n\r\n") != std::string_view::npos;
            }
            ++connections_;
        }
    }

    Key key_;
    Context context_;
    std::filesystem::path file_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<std::size_t> connections_{0};
    std::atomic<std::size_t> bytes_{0};
    std::thread thread_;
};

// The tests below mean nothing if the other side would hear nobody.
TEST(RpcTls, WhoKnowsTheCertificateIsHeard)
{
    TlsNode node;
    const int socket = test::connectedTo(node.port());
    ASSERT_GE(socket, 0);
    {
        test::TlsSession session(socket, node.certificate(), seconds(10));
        EXPECT_TRUE(session.established());
        EXPECT_TRUE(session.write("hello"));
    }
    close(socket);
    EXPECT_TRUE(test::eventually([&] { return node.connections() == 1; }));
    EXPECT_EQ(node.bytes(), 5U);
}

NodeOptions only(const std::string &url)
{
    NodeOptions options;
    options.read = {{.name = "node", .url = url}};
    options.timeout = seconds(20);
    return options;
}

// For this process the machine believes these, and no others.
class Believed
{
  public:
    explicit Believed(const std::string &file)
    {
        setenv("SSL_CERT_FILE", file.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
    ~Believed() { unsetenv("SSL_CERT_FILE"); }  // NOLINT(concurrency-mt-unsafe)
    Believed(const Believed &) = delete;
    Believed &operator=(const Believed &) = delete;
};

const char *const kOther = "DNS:other.example";

struct Called
{
    const char *names;  // of the certificate
    const char *host;
    bool told;
};

TEST(RpcTls, ANodeIsToldSomethingWithABelievedCertificateForItsNameOnly)
{
    for (const auto &[names, host, told] :
         {Called{kThisMachine, "localhost", true}, Called{kThisMachine, "127.0.0.1", true},
          Called{kOther, "localhost", false}, Called{kOther, "127.0.0.1", false},
          Called{"DNS:localhost", "127.0.0.1", false}})
    {
        TlsNode fake(names);
        const Believed believed(fake.certificate());
        test::ClientLoop loop;
        const auto node = connectNode(loop.get(), only(fake.at("https", host)));
        EXPECT_THROW(static_cast<void>(await(node->blockNumber())), RpcError) << "no answer";
        EXPECT_TRUE(test::eventually([&] { return fake.connections() >= 1; }));
        EXPECT_EQ(fake.bytes() > 0, told) << names << " as " << host;
    }
}

TEST(RpcTls, ATransactionIsNotSentToANodeWithAnUnknownCertificate)
{
    TlsNode fake;
    test::ClientLoop loop;
    const auto node = connectNode(loop.get(), only(fake.at("https")));
    try
    {
        static_cast<void>(await(node->sendRawTransaction({1, 2, 3})));
        ADD_FAILURE() << "it was taken";
    }
    catch (const RpcError &error)
    {
        EXPECT_FALSE(error.sent) << error.what();
        EXPECT_EQ(error.kind(), RpcError::Kind::Transport) << error.what();
    }
    EXPECT_THROW(static_cast<void>(await(node->blockNumber())), RpcError);
    EXPECT_TRUE(test::eventually([&] { return fake.connections() >= 1; }));
    EXPECT_EQ(fake.bytes(), 0U);
}

// Until it has failed three times.
void subscribeInVain(const TlsNode &fake)
{
    test::ClientLoop loop;
    SubscriptionOptions options;
    options.endpoint = {.name = "feed", .url = fake.at("wss")};
    options.backOffFirst = milliseconds(10);
    options.backOffMost = milliseconds(50);
    std::promise<std::string> broken;
    std::atomic<int> times{0};
    std::atomic<bool> subscribed{false};
    LogSubscription::Events events;
    events.subscribed = [&] { subscribed = true; };
    events.logs = [](const std::vector<Log> &, std::size_t) {};
    events.head = [](std::uint64_t) {};
    events.broken = [&](const std::string &why) {
        if (times++ == 2)
        {
            broken.set_value(why);
        }
    };
    const auto subscription = subscribeToLogs(loop.get(), std::move(options), std::move(events));
    loop.get()->runInLoop([&] { subscription->start(); });
    auto why = broken.get_future();
    ASSERT_EQ(why.wait_for(seconds(30)), std::future_status::ready);
    std::promise<void> stopped;
    loop.get()->runInLoop([&] {
        subscription->stop();
        stopped.set_value();
    });
    stopped.get_future().get();
    EXPECT_FALSE(subscribed);
    EXPECT_TRUE(test::eventually([&] { return fake.connections() >= 1; }));
}

TEST(RpcTls, NorIsASubscriptionNorToOneOfAnotherName)
{
    const TlsNode unknown;
    subscribeInVain(unknown);
    EXPECT_EQ(unknown.bytes(), 0U);

    const TlsNode other(kOther);
    {
        const Believed believed(other.certificate());
        subscribeInVain(other);
    }
    EXPECT_EQ(other.bytes(), 0U);

    const TlsNode right;
    const Believed believed(right.certificate());
    subscribeInVain(right);
    EXPECT_GT(right.bytes(), 0U) << "it was believed, and gave no answer";
}
}  // namespace
}  // namespace relayer::chain::rpc
