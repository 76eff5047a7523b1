#pragma once
#include <libwebsockets.h>

// Macros that Swift cannot import, as typed constants.

static const uint64_t listener_context_options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8;
static const uint64_t listener_tls_options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;

// SSL_OP_NO_SSLv3, _TLSv1, _TLSv1_1, _COMPRESSION, _RENEGOTIATION: SSL_OP_BIT(25), (26), (28), (17), (30).
static const long listener_tls_refused = (1L << 25) | (1L << 26) | (1L << 28) | (1L << 17) | (1L << 30);

// The event is delivered by address: a timer and the object it belongs to.
struct listener_timer {
    lws_sorted_usec_list_t sul; // first: libwebsockets hands back its address
    void *owner;
};

// accept4(2) is hidden from Swift's Glibc module; accept and fcntl would leave a gap in which a fork inherits.
#include <sys/socket.h>
extern int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int listener_accept(int socket, struct sockaddr *address, socklen_t *size) {
    return accept4(socket, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
