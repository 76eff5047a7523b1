#pragma once
#include <ev.h>
#include <libwebsockets.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

// Macros that Swift cannot import, as typed constants.

static const uint64_t listener_context_options =
    LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_LIBEV;
static const uint64_t listener_tls_options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;

// SSL_OP_NO_SSLv3, _TLSv1, _TLSv1_1, _COMPRESSION, _RENEGOTIATION: SSL_OP_BIT(25), (26), (28), (17), (30).
static const long listener_tls_refused = (1L << 25) | (1L << 26) | (1L << 28) | (1L << 17) | (1L << 30);

// epoll, whatever the environment says.
static const unsigned int listener_loop_flags = EVFLAG_NOENV | EVBACKEND_EPOLL;

// libev's initializers are macros.
static inline void listener_timer_init(ev_timer *timer, void (*called)(struct ev_loop *, ev_timer *, int), void *owner) {
    ev_timer_init(timer, called, 0., 0.);
    timer->data = owner;
}

static inline void listener_io_start(
    struct ev_loop *loop, ev_io *io, int socket, void (*called)(struct ev_loop *, ev_io *, int), void *owner) {
    ev_io_init(io, called, socket, EV_READ);
    io->data = owner;
    ev_io_start(loop, io);
}

// Sends TLS's close_notify. The thread's error queue is shared with others: it is left empty.
static inline void listener_end_tls(struct lws *connection) {
    SSL *tls = lws_get_ssl(connection);
    if (tls && SSL_is_init_finished(tls)) SSL_shutdown(tls);
    ERR_clear_error();
}

// Once, counted from now; replaces what was started.
static inline void listener_timer_start(struct ev_loop *loop, ev_timer *timer, double seconds) {
    ev_timer_stop(loop, timer);
    ev_now_update(loop);
    ev_timer_set(timer, seconds, 0.);
    ev_timer_start(loop, timer);
}

// What the library's own poll loop does in every turn: due timers, then connections that hold input. `anchor` is a
// scheduled timer of the context. Private symbols: see Quirk.servesHeldWorkOnlyWhenIdle.
static inline void listener_serve_pending(struct lws_context *context, lws_sorted_usec_list_t *anchor) {
    if (anchor->list.owner) __lws_sul_service_ripe(anchor->list.owner, LWS_COUNT_PT_SUL_OWNERS, lws_now_usecs());
    if (lws_service_adjust_timeout(context, 1, 0) == 0) _lws_plat_service_forced_tsi(context, 0);
}

#include <sys/socket.h>

// Of send(2): never a signal, never a wait. Other modules hide MSG_DONTWAIT from Swift.
static const int listener_send_flags = MSG_NOSIGNAL | MSG_DONTWAIT;

// POLLRDHUP of poll(2), which poll.h has for GNU sources alone.
static const short listener_ended_by_peer = 0x2000;

// accept4(2) is hidden from Swift's Glibc module; accept and fcntl would leave a gap in which a fork inherits.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int listener_accept(int socket, struct sockaddr *address, socklen_t *size) {
    return accept4(socket, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
