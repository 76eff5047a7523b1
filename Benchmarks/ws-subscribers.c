// Opens WebSockets, posts hooks and counts what arrives: every subscriber must get every event, all in one order.
//
// At most `window` events are under way at a time; the next is posted once one has reached every subscriber, so the
// server is driven as fast as it delivers and never overrun. One JSON line at the end; status 1 if anything is missing.
//
//     BENCH_KEY=cmk_... BENCH_TOKEN=... ws-subscribers --port 8766 --subscribers 1000 [--window 8] [--seconds 5]
//         [--bytes 500] [--initialize 1]
#include "bench.h"

enum { EVENTS = 4 << 20, INPUT = 128 << 10, OPENING = 64 };

struct subscriber {
    int fd;
    enum { shaking, initializing, live } state;
    uint32_t received;
    size_t held;
    char *input;
};

struct poster {
    int fd, worker, is_waiting;
    size_t held, length;
    char answer[16384], request[6144];
};

static const char hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"1.0\","
    "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";

static struct target to;
static struct histogram latencies;
static struct subscriber *subscribers;
static struct poster *posters;
static int loop, wanted = 100, opened, live_count, window = 8, body_size = 500, initialize;
static uint32_t issued, completed, *deliveries;
static uint64_t *order, first_post, last_delivery, frame_bytes, total;

// Key and answer are the example of RFC 6455, 1.3.
static void open_subscriber(void) {
    struct subscriber *s = &subscribers[opened++];
    char request[1024];
    const char *token = getenv("BENCH_TOKEN");
    s->fd = connect_loopback(to.port);
    if (!(s->input = malloc(INPUT))) die("malloc");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
    if (epoll_ctl(loop, EPOLL_CTL_ADD, s->fd, &event) < 0) die("epoll_ctl");
    int size = snprintf(request, sizeof request,
                        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                        "Authorization: Bearer %s\r\n\r\n", to.port, token ? token : "none");
    if (send(s->fd, request, (size_t)size, MSG_NOSIGNAL) != size) die("handshake");
}

// Client frames are masked; the key of zeros leaves the bytes as they are.
static void send_frame(struct subscriber *s, int opcode, const char *bytes, size_t count) {
    char frame[512] = {(char)(0x80 | opcode)};
    size_t head = count < 126 ? 2 : 4;
    frame[1] = (char)(0x80 | (count < 126 ? count : 126));
    if (head == 4) frame[2] = (char)(count >> 8), frame[3] = (char)count;
    if (count + head + 4 > sizeof frame) die("frame too long");
    memcpy(frame + head + 4, bytes, count);
    if (send(s->fd, frame, head + 4 + count, MSG_NOSIGNAL) != (ssize_t)(head + 4 + count)) die("send");
}

static void go_live(struct subscriber *s) {
    s->state = live;
    live_count++;
}

static void count_event(struct subscriber *s, const char *text, size_t count) {
    const char *place = memmem(text, count, "\"seq\":", 6);
    uint64_t seq = place ? strtoull(place + 6, NULL, 10) : 0, now = now_ns();
    uint32_t index = s->received++;
    if (!seq || index >= EVENTS) die("an event without seq, or too many");
    if (!order[index]) order[index] = seq;
    if (order[index] != seq || (index && seq <= order[index - 1])) {
        fprintf(stderr, "subscriber %d: event %u has seq %llu, not %llu\n", (int)(s - subscribers), index,
                (unsigned long long)seq, (unsigned long long)order[index]);
        exit(1);
    }
    // Every tenth is timed: the search costs the subscriber more than the counting.
    const char *sent = s->received % 10 ? NULL : memmem(text, count, "\"bench_sent\":\"", 14);
    if (sent) histogram_add(&latencies, now - strtoull(sent + 14, NULL, 10));
    frame_bytes += count;
    total++;
    last_delivery = now;
    deliveries[index]++;
    while (completed < issued && deliveries[completed] == (uint32_t)wanted) completed++;
}

static void take_frame(struct subscriber *s, int opcode, const char *bytes, size_t count) {
    if (opcode == 9) return send_frame(s, 10, bytes, count);
    if (opcode == 8) {
        int code = count < 2 ? 0 : (unsigned char)bytes[0] << 8 | (unsigned char)bytes[1];
        fprintf(stderr, "subscriber %d was closed with %d after %u events\n", (int)(s - subscribers), code,
                s->received);
        exit(1);
    }
    if (opcode != 1) die("unexpected opcode");
    if (memmem(bytes, count, "\"method\":\"event/", 16)) count_event(s, bytes, count);
    else if (s->state == initializing && memmem(bytes, count, "\"result\"", 8)) go_live(s);
    else if (s->state == initializing) die("initialize was refused");
}

// Whole frames at the start of the input; returns what they take.
static size_t take_frames(struct subscriber *s) {
    size_t at = 0;
    for (;;) {
        const unsigned char *p = (unsigned char *)s->input + at;
        size_t left = s->held - at, head = 2;
        if (left < 4) {
            if (left < 2 || (p[1] & 0x7f) > 125) return at;
        }
        size_t count = p[1] & 0x7f;
        if (!(p[0] & 0x80) || p[1] & 0x80 || count == 127) die("a frame that is fragmented, masked or huge");
        if (count == 126) head = 4, count = (size_t)p[2] << 8 | p[3];
        if (left < head + count) return at;
        take_frame(s, p[0] & 0x0f, (const char *)p + head, count);
        at += head + count;
    }
}

static void take_input(struct subscriber *s) {
    ssize_t n = recv(s->fd, s->input + s->held, INPUT - s->held, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) die("a subscriber lost its connection");
    s->held += (size_t)n;
    size_t used = 0;
    if (s->state == shaking) {
        const char *end = memmem(s->input, s->held, "\r\n\r\n", 4);
        if (!end) return;
        if (memcmp(s->input + 9, "101", 3) || !memmem(s->input, s->held, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28)) {
            fprintf(stderr, "handshake refused: %.*s\n", (int)(strcspn(s->input, "\r")), s->input);
            exit(1);
        }
        used = (size_t)(end - s->input) + 4;
        memmove(s->input, s->input + used, s->held -= used);
        if (initialize) {
            s->state = initializing;
            send_frame(s, 1, hello, sizeof hello - 1);
        } else {
            go_live(s);
        }
    }
    used = take_frames(s);
    memmove(s->input, s->input + used, s->held -= used);
    if (s->held == INPUT) die("a frame beyond the input buffer");
}

static void post(struct poster *p) {
    uint64_t now = now_ns();
    if (!first_post) first_post = now;
    p->length = compose_post(p->request, sizeof p->request, &to, body_size, p->worker, now);
    if (send(p->fd, p->request, p->length, MSG_NOSIGNAL) != (ssize_t)p->length) die("post");
    p->is_waiting = 1;
    issued++;
}

static void take_answer(struct poster *p) {
    ssize_t n = recv(p->fd, p->answer + p->held, sizeof p->answer - p->held, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) die("the server closed a posting connection");
    p->held += (size_t)n;
    size_t length;
    int status = whole_answer(p->answer, p->held, &length);
    if (!status) return;
    if (status != 202) {
        fprintf(stderr, "a post was answered %d\n", status);
        exit(1);
    }
    p->held = 0;
    p->is_waiting = 0;
}

static void turn(int timeout) {
    struct epoll_event events[512];
    int ready = epoll_wait(loop, events, 512, timeout);
    if (ready < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < ready; i++) {
        void *owner = events[i].data.ptr;
        if ((struct poster *)owner >= posters && (struct poster *)owner < posters + window) take_answer(owner);
        else take_input(owner);
    }
}

static void open_all(void) {
    uint64_t limit = now_ns() + 30000000000u;
    while (live_count < wanted) {
        while (opened < wanted && opened - live_count < OPENING) open_subscriber();
        turn(100);
        if (now_ns() > limit) die("not every subscriber came up within 30 s");
    }
    for (int i = 0; i < window; i++) {
        posters[i].worker = i;
        posters[i].fd = connect_loopback(to.port);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &posters[i]};
        if (epoll_ctl(loop, EPOLL_CTL_ADD, posters[i].fd, &event) < 0) die("epoll_ctl");
    }
}

int main(int argc, char **argv) {
    double seconds = 5;
    to.path = "/api/events";
    to.credential = getenv("BENCH_KEY");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--port")) to.port = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--subscribers")) wanted = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--window")) window = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--bytes")) body_size = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--initialize")) initialize = atoi(argv[i + 1]);
        else die(argv[i]);
    }
    if (!to.port || !to.credential || wanted < 1 || window < 1) die("--port, BENCH_KEY and --subscribers are needed");
    raise_file_limit();
    loop = epoll_create1(EPOLL_CLOEXEC);
    subscribers = calloc((size_t)wanted, sizeof *subscribers);
    posters = calloc((size_t)window, sizeof *posters);
    deliveries = calloc(EVENTS, sizeof *deliveries);
    order = calloc(EVENTS, sizeof *order);
    if (!subscribers || !posters || !deliveries || !order) die("calloc");
    open_all();

    uint64_t deadline = now_ns() + (uint64_t)(seconds * 1e9), limit = deadline + 10000000000u;
    for (uint64_t now; (now = now_ns()) < limit;) {
        for (int i = 0; now < deadline && i < window && issued - completed < (uint32_t)window; i++)
            if (!posters[i].is_waiting) post(&posters[i]);
        if (now >= deadline && completed == issued) break;
        turn(20);
    }
    double elapsed = (double)(last_delivery - first_post) / 1e9;
    printf("{\"subscribers\":%d,\"window\":%d,\"events\":%u,\"complete\":%u,\"deliveries\":%llu,\"seconds\":%.3f,"
           "\"per_second\":%.1f,\"frame_bytes\":%.0f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
           wanted, window, issued, completed, (unsigned long long)total, elapsed,
           total ? (double)total / elapsed : 0.0, total ? (double)frame_bytes / (double)total : 0.0,
           histogram_at(&latencies, 0.5), histogram_at(&latencies, 0.99), (double)latencies.max / 1000.0);
    return !(issued && completed == issued);
}
