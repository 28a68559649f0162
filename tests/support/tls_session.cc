#include "support/tls_session.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <sys/socket.h>
#include <sys/time.h>

namespace relayer::test
{
void TlsSession::Free::operator()(ssl_st *session) const
{
    SSL_free(session);
}

void TlsSession::Free::operator()(ssl_ctx_st *context) const
{
    SSL_CTX_free(context);
}

TlsSession::TlsSession(int socket, const std::string &certificate,
                       std::chrono::milliseconds timeout)
    : context_(SSL_CTX_new(TLS_client_method()))
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(timeout).count();
    const timeval limit{seconds, 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    if (SSL_CTX_load_verify_locations(context_.get(), certificate.c_str(), nullptr) != 1)
    {
        return;
    }
    session_.reset(SSL_new(context_.get()));
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), "127.0.0.1");
    SSL_set_fd(session_.get(), socket);
    established_ = SSL_connect(session_.get()) == 1;
}

bool TlsSession::holdsMore() const
{
    return SSL_pending(session_.get()) > 0;
}

long TlsSession::read(char *into, std::size_t size)
{
    return SSL_read(session_.get(), into, static_cast<int>(size));
}

bool TlsSession::write(std::string_view bytes)
{
    return SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())) ==
           static_cast<int>(bytes.size());
}
}  // namespace relayer::test
