// The yardstick of the fan-out: one epoll thread that sends what is posted to it to every WebSocket, one frame per
// send(2), and does nothing else. It parses only what the load generators of this folder send.
//
//     raw-broadcaster --port 9000 [--frame-bytes 1000] [--database "host=... dbname=..."]
//
// With --frame-bytes shorter messages are filled up to that length, for a comparison with longer frames. With --database
// each message is first inserted into bench_commits and committed: then a subscriber sees only what is durable.
#include <libpq-fe.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "bench.h"

struct connection {
    int fd, is_subscriber;
    size_t held, waiting;
    char *pending;  // frames that the socket did not take, `waiting` bytes of at most PENDING
    char input[8192];
};

enum { PENDING = 1 << 20, SUBSCRIBERS = 100000 };

static struct connection *subscribers[SUBSCRIBERS];
static int subscriber_count, loop;
static unsigned long long seq;
static int frame_bytes;
static PGconn *database;

static void watch(struct connection *c, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = c};
    if (epoll_ctl(loop, operation, c->fd, &event) < 0) die("epoll_ctl");
}

static void forget(struct connection *c) {
    for (int i = 0; c->is_subscriber && i < subscriber_count; i++)
        if (subscribers[i] == c) {
            subscribers[i] = subscribers[--subscriber_count];
            break;
        }
    close(c->fd);
    c->fd = -1;
}

static void send_or_keep(struct connection *c, const char *bytes, size_t count) {
    ssize_t n = c->waiting ? 0 : send(c->fd, bytes, count, MSG_NOSIGNAL);
    if (n < 0) n = 0;
    if ((size_t)n == count) return;
    size_t left = count - (size_t)n;
    if (!c->pending && !(c->pending = malloc(PENDING))) die("malloc");
    if (c->waiting + left > PENDING) die("a subscriber fell a megabyte behind");
    if (!c->waiting) watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
    memcpy(c->pending + c->waiting, bytes + n, left);
    c->waiting += left;
}

static void send_pending(struct connection *c) {
    if (!c->waiting) return;
    ssize_t n = send(c->fd, c->pending, c->waiting, MSG_NOSIGNAL);
    if (n <= 0) return;
    c->waiting -= (size_t)n;
    memmove(c->pending, c->pending + n, c->waiting);
    if (!c->waiting) watch(c, EPOLL_CTL_MOD, EPOLLIN);
}

static void broadcast(const char *body, size_t count) {
    char frame[8192];
    int text = snprintf(frame + 4, sizeof frame - 4,
                        "{\"method\":\"event/tool\",\"params\":{\"seq\":%llu,\"payload\":%.*s}}",
                        ++seq, (int)count, body);
    // White space behind the text: part of the message, and still JSON.
    if (text < frame_bytes && frame_bytes < (int)sizeof frame - 5) {
        memset(frame + 4 + text, ' ', (size_t)(frame_bytes - text));
        text = frame_bytes;
    }
    if (text < 126 || text > (int)sizeof frame - 5) die("body out of bounds");
    frame[0] = (char)0x81;
    frame[1] = 126;
    frame[2] = (char)(text >> 8);
    frame[3] = (char)text;
    for (int i = 0; i < subscriber_count; i++) send_or_keep(subscribers[i], frame, (size_t)text + 4);
}

static void check(PGresult *result) {
    if (PQresultStatus(result) != PGRES_COMMAND_OK) die(PQerrorMessage(database));
    PQclear(result);
}

static void open_database(const char *where) {
    database = PQconnectdb(where);
    if (PQstatus(database) != CONNECTION_OK) die(PQerrorMessage(database));
    check(PQprepare(database, "insert", "INSERT INTO bench_commits (id, payload) VALUES (gen_random_uuid(), $1)"
                    " ON CONFLICT DO NOTHING", 1, NULL));
}

static void commit(const char *body, size_t count) {
    int length = (int)count, is_binary = 1;
    check(PQexecPrepared(database, "insert", 1, &body, &length, &is_binary, 0));
}

static void upgrade(struct connection *c) {
    const char *name = memmem(c->input, c->held, "Sec-WebSocket-Key: ", 19);
    unsigned char digest[SHA_DIGEST_LENGTH], accept[64];
    char text[128], answer[256];
    if (!name || subscriber_count == SUBSCRIBERS) die("cannot upgrade");
    int size = snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", name + 19);
    SHA1((unsigned char *)text, (size_t)size, digest);
    EVP_EncodeBlock(accept, digest, sizeof digest);
    size = snprintf(answer, sizeof answer,
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Accept: %s\r\n\r\n", accept);
    send_or_keep(c, answer, (size_t)size);
    c->is_subscriber = 1;
    subscribers[subscriber_count++] = c;
}

static void take_input(struct connection *c) {
    ssize_t n = recv(c->fd, c->input + c->held, sizeof c->input - c->held, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return forget(c);
    if (c->is_subscriber) return;
    c->held += (size_t)n;
    const char *end = memmem(c->input, c->held, "\r\n\r\n", 4);
    if (!end) return;
    if (!memcmp(c->input, "GET ", 4)) {
        upgrade(c);
        c->held = 0;
        return;
    }
    const char *length = memmem(c->input, c->held, "Content-Length: ", 16);
    size_t head = (size_t)(end - c->input) + 4, body = length ? strtoul(length + 16, NULL, 10) : 0;
    if (c->held < head + body) return;
    if (database) commit(c->input + head, body);
    broadcast(c->input + head, body);
    static const char answer[] = "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}";
    send_or_keep(c, answer, sizeof answer - 1);
    c->held = 0;
}

int main(int argc, char **argv) {
    int port = 0, one = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--port")) port = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--frame-bytes")) frame_bytes = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--database")) open_database(argv[i + 1]);
        else die(argv[i]);
    }
    if (!port) die("--port is needed");
    raise_file_limit();
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct connection listener = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)};
    setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener.fd, (struct sockaddr *)&address, sizeof address) < 0) die("bind");
    if (listen(listener.fd, 4096) < 0) die("listen");
    loop = epoll_create1(0);
    watch(&listener, EPOLL_CTL_ADD, EPOLLIN);
    struct epoll_event events[256];
    for (;;) {
        int ready = epoll_wait(loop, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (c == &listener) {
                int fd = accept4(listener.fd, NULL, NULL, SOCK_NONBLOCK);
                if (fd < 0) continue;
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                if (!(c = calloc(1, sizeof *c))) die("calloc");
                c->fd = fd;
                watch(c, EPOLL_CTL_ADD, EPOLLIN);
                continue;
            }
            if (events[i].events & EPOLLOUT) send_pending(c);
            if (c->fd >= 0 && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) take_input(c);
        }
    }
}
