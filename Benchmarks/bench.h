// What the load generators share: the clock, a latency histogram, non-blocking sockets and the post of one hook.
#ifndef BENCH_H
#define BENCH_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "failed");
    exit(1);
}

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Latencies in nanoseconds, 32 steps to each power of two: off by 3 % at most.
struct histogram {
    uint64_t count, max, steps[60 * 32];
};

static inline void histogram_add(struct histogram *h, uint64_t ns) {
    int power = ns < 64 ? 0 : 58 - __builtin_clzll(ns);
    h->steps[(uint64_t)power * 32 + (ns >> power)]++;
    h->count++;
    if (ns > h->max) h->max = ns;
}

static inline void histogram_merge(struct histogram *sum, const struct histogram *one) {
    for (int index = 0; index < 60 * 32; index++) sum->steps[index] += one->steps[index];
    sum->count += one->count;
    if (one->max > sum->max) sum->max = one->max;
}

// The latency that the given fraction stays below, in microseconds.
static inline double histogram_at(const struct histogram *h, double fraction) {
    uint64_t wanted = (uint64_t)((double)h->count * fraction), seen = 0;
    for (uint64_t index = 0; index < 60 * 32; index++) {
        seen += h->steps[index];
        if (seen <= wanted) continue;
        uint64_t power = index < 64 ? 0 : index / 32 - 1;
        uint64_t edge = (index - power * 32 + 1) << power;
        return (double)(edge < h->max ? edge : h->max) / 1000.0;
    }
    return (double)h->max / 1000.0;
}

// -1: nobody listens.
static inline int try_connect_loopback(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0) die("socket");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS) return fd;
    close(fd);
    return -1;
}

static inline int connect_loopback(int port) {
    int fd = try_connect_loopback(port);
    if (fd < 0) die("connect");
    return fd;
}

// A soft limit of 1024 files is too few for a thousand sockets and their neighbours.
static inline void raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static inline uint64_t random64(void) {
    static uint64_t state;
    if (!state && getrandom(&state, sizeof state, 0) != sizeof state) die("getrandom");
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// RFC 9562 UUIDv7: 48 bits of Unix milliseconds, the rest random.
static inline void uuid7(char out[37]) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000, a = random64(), b = random64();
    snprintf(out, 37, "%08x-%04x-7%03x-%04x-%012llx", (uint32_t)(ms >> 16), (uint32_t)(ms & 0xffff),
             (uint32_t)(a & 0xfff), (uint32_t)(0x8000 | ((a >> 16) & 0x3fff)),
             (unsigned long long)(b & 0xffffffffffffu));
}

struct target {
    const char *path, *credential;
    int port;
};

// A PostToolUse hook in its envelope, of exactly `size` bytes. `sent` comes back in whatever the server makes of it, so
// that a subscriber can tell the delay.
static inline void compose_hook(char *out, int size, int worker, uint64_t sent) {
    static const char tail[] = "\"}}}";
    char id[37], head[512];
    uuid7(id);
    int length = snprintf(head, sizeof head,
                          "{\"event_id\":\"%s\",\"event_type\":\"tool\",\"data\":{"
                          "\"session_id\":\"bench-session-%04d\","
                          "\"bench_sent\":\"%020llu\",\"hook_event_name\":\"PostToolUse\","
                          "\"cwd\":\"/home/bench/project\","
                          "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"make -C build all && ",
                          id, worker, (unsigned long long)sent);
    int fill = size - length - (int)sizeof tail + 1;
    if (fill < 0) die("--bytes is out of bounds");
    memcpy(out, head, (size_t)length);
    for (int i = 0; i < fill; i++) out[length + i] = (char)('a' + (i + worker) % 26);
    memcpy(out + length + fill, tail, sizeof tail - 1);
}

// One request with `count` such hooks, in an array where they are several. Returns the length of head and body.
static inline size_t compose_posts(char *out, size_t room, const struct target *to, int size, int count, int worker,
                                   uint64_t sent) {
    int body = count == 1 ? size : count * (size + 1) + 1;
    int head = snprintf(out, room,
                        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n",
                        to->path, to->port, to->credential, body);
    if (head < 0 || (size_t)(head + body) > room) die("request too long");
    char *at = out + head;
    for (int i = 0; i < count; i++) {
        if (count > 1) *at++ = i ? ',' : '[';
        compose_hook(at, size, worker, sent);
        at += size;
    }
    if (count > 1) *at++ = ']';
    return (size_t)(at - out);
}

static inline size_t compose_post(char *out, size_t room, const struct target *to, int size, int worker,
                                  uint64_t sent) {
    return compose_posts(out, room, to, size, 1, worker, sent);
}

// One request whose body of exactly `size` bytes is what subscribers shall get.
static inline size_t compose_message(char *out, size_t room, const struct target *to, int size, uint32_t seq,
                                     uint64_t sent) {
    char body[4096];
    int head = snprintf(body, sizeof body,
                        "{\"method\":\"event/tool\",\"params\":{\"seq\":%u,\"bench_sent\":\"%020llu\",\"fill\":\"", seq,
                        (unsigned long long)sent);
    if (size < head + 3 || size >= (int)sizeof body) die("--bytes is out of bounds");
    memset(body + head, 'x', (size_t)(size - head - 3));
    memcpy(body + size - 3, "\"}}", 3);
    int length = snprintf(out, room,
                          "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                          "Content-Length: %d\r\n\r\n%.*s", to->path, to->port, size, size, body);
    if (length < 0 || (size_t)length >= room) die("request too long");
    return (size_t)length;
}

// The status of the answer at the start of `bytes` once it is whole, and its length; 0 while more has to come.
static inline int whole_answer(const char *bytes, size_t count, size_t *length) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    size_t head = (size_t)(end - bytes) + 4, body = 0;
    for (const char *line = bytes; line && line < end; line = memchr(line, '\n', (size_t)(end - line)), line += !!line)
        if (!strncasecmp(line, "content-length:", 15)) body = strtoul(line + 15, NULL, 10);
    if (count < head + body) return 0;
    *length = head + body;
    return atoi(bytes + 9);
}

#endif
