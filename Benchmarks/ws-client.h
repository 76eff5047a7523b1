// One WebSocket client among many on an epoll descriptor: handshake, frames in and out. It reads only what a server of
// this project, the raw broadcaster or nchan sends: unmasked whole frames below 64 KiB.
#ifndef WS_CLIENT_H
#define WS_CLIENT_H

#include "bench.h"

struct ws_client {
    int fd, index;
    enum { ws_closed, ws_connecting, ws_shaking, ws_open } state;
    size_t held, room;
    char *input;
};

struct ws_target {
    const char *path, *token;
    int port;
};

// What becomes of a client's input. `lost` has the close code, the status of a refused handshake, or 0.
struct ws_events {
    void (*opened)(struct ws_client *);
    void (*text)(struct ws_client *, const char *bytes, size_t count);
    void (*pinged)(struct ws_client *, const char *bytes, size_t count);
    void (*lost)(struct ws_client *, int code);
};

static inline void ws_close(struct ws_client *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
    c->state = ws_closed;
    c->held = 0;
}

// Key and answer are the example of RFC 6455, 1.3. False: not connected yet.
static inline int ws_ask(struct ws_client *c, const struct ws_target *to) {
    char request[1024];
    int size = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                        "Authorization: Bearer %s\r\n\r\n", to->path, to->port, to->token ? to->token : "none");
    return send(c->fd, request, (size_t)size, MSG_NOSIGNAL) == size;
}

static inline void ws_watch(struct ws_client *c, int epoll, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = c};
    if (epoll_ctl(epoll, operation, c->fd, &event) < 0) die("epoll_ctl");
}

// False: nobody listens.
static inline int ws_connect(struct ws_client *c, int epoll, const struct ws_target *to) {
    c->held = 0;
    c->state = ws_closed;
    if ((c->fd = try_connect_loopback(to->port)) < 0) return 0;
    if (!c->input && !(c->input = malloc(c->room))) die("malloc");
    c->state = ws_ask(c, to) ? ws_shaking : ws_connecting;
    ws_watch(c, epoll, EPOLL_CTL_ADD, c->state == ws_shaking ? EPOLLIN : EPOLLOUT);
    return 1;
}

// Client frames are masked; the key of zeros leaves the bytes as they are.
static inline int ws_send(struct ws_client *c, int opcode, const char *bytes, size_t count) {
    char frame[512] = {(char)(0x80 | opcode)};
    size_t head = count < 126 ? 2 : 4;
    frame[1] = (char)(0x80 | (count < 126 ? count : 126));
    if (head == 4) frame[2] = (char)(count >> 8), frame[3] = (char)count;
    if (count + head + 4 > sizeof frame) die("frame too long");
    memcpy(frame + head + 4, bytes, count);
    return send(c->fd, frame, head + 4 + count, MSG_NOSIGNAL) == (ssize_t)(head + 4 + count);
}

// Whole frames at the start of the input; returns what they take.
static inline size_t ws_take_frames(struct ws_client *c, const struct ws_events *on) {
    size_t at = 0;
    while (c->state == ws_open) {
        const unsigned char *p = (unsigned char *)c->input + at;
        size_t left = c->held - at, head = 2;
        if (left < 2 || ((p[1] & 0x7f) > 125 && left < 4)) break;
        size_t count = p[1] & 0x7f;
        if (!(p[0] & 0x80) || p[1] & 0x80 || count == 127) die("a frame that is fragmented, masked or huge");
        if (count == 126) head = 4, count = (size_t)p[2] << 8 | p[3];
        if (left < head + count) break;
        const char *bytes = (const char *)p + head;
        at += head + count;
        switch (p[0] & 0x0f) {
        case 1: on->text(c, bytes, count); break;
        case 9: on->pinged(c, bytes, count); break;
        case 8: on->lost(c, count < 2 ? 0 : (unsigned char)bytes[0] << 8 | (unsigned char)bytes[1]); break;
        default: die("unexpected opcode");
        }
    }
    return at;
}

static inline void ws_serve(struct ws_client *c, int epoll, const struct ws_target *to, const struct ws_events *on) {
    if (c->state == ws_connecting) {
        if (!ws_ask(c, to)) return on->lost(c, 0);
        c->state = ws_shaking;
        return ws_watch(c, epoll, EPOLL_CTL_MOD, EPOLLIN);
    }
    ssize_t n = recv(c->fd, c->input + c->held, c->room - c->held, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return on->lost(c, 0);
    c->held += (size_t)n;
    if (c->state == ws_shaking) {
        const char *end = memmem(c->input, c->held, "\r\n\r\n", 4);
        if (!end) return;
        if (memcmp(c->input + 9, "101", 3)) return on->lost(c, atoi(c->input + 9));
        if (!memmem(c->input, c->held, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28)) die("a wrong Sec-WebSocket-Accept");
        size_t used = (size_t)(end - c->input) + 4;
        memmove(c->input, c->input + used, c->held -= used);
        c->state = ws_open;
        on->opened(c);
    }
    size_t used = ws_take_frames(c, on);
    if (c->state != ws_open) return;
    memmove(c->input, c->input + used, c->held -= used);
    if (c->held == c->room) die("a frame beyond the input buffer");
}

static inline void ws_pong(struct ws_client *c, const char *bytes, size_t count) {
    ws_send(c, 10, bytes, count);
}

static const char ws_hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"1.0\","
    "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";

// The number after `name` in a JSON text, or -1.
static inline int64_t ws_number(const char *text, size_t count, const char *name) {
    const char *place = memmem(text, count, name, strlen(name));
    return place ? strtoll(place + strlen(name), NULL, 10) : -1;
}

// It comes to every open socket now and then, before the reply to `initialize` too.
static inline int ws_is_heartbeat(const char *text, size_t count) {
    return memmem(text, count, "\"event\":\"heartbeat\"", 19) != NULL;
}

#endif
