// Opens WebSockets, posts hooks and counts what arrives: every subscriber must get every event, all in one order.
//
// At most `window` events are under way at a time; the next is posted once one has reached every subscriber, so the
// server is driven as fast as it delivers and never overrun. One JSON line at the end; status 1 if anything is missing.
//
//     BENCH_KEY=cmk_... BENCH_TOKEN=... ws-subscribers --port 8766 --subscribers 1000 [--window 8] [--seconds 5]
//         [--bytes 500] [--initialize 1] [--path /ws] [--post-path /api/events] [--plain 1]
//
// With --window 0 it posts nothing and listens for so many seconds after it has printed "ready": then the events must be
// without gaps, whoever posts them, and on whichever server.
//
// With --plain the message is what subscribers get as it is, with a number of its own: for a server that only passes on.
#include "ws-client.h"

enum { EVENTS = 4 << 20, INPUT = 128 << 10, OPENING = 64 };

struct subscriber {
    struct ws_client client;
    uint32_t received;
    int is_live;
};

struct poster {
    int fd, worker, is_waiting;
    size_t held, length;
    char answer[16384], request[6144];
};

static struct target to;
static struct ws_target stream = {.path = "/ws"};
static struct histogram latencies;
static struct subscriber *subscribers;
static struct poster *posters;
static int loop, wanted = 100, opened, live_count, window = 8, body_size = 500;
static int initialize, plain;
static uint32_t issued, completed, *deliveries;
static uint64_t *order, first_post, last_delivery, frame_bytes, total;

// Linux acknowledges what comes to a socket within its recv(2); but once the socket has sent something after it received
// something, as `initialize`, which only the server is sent, within the send(2) of the other side on this machine
// ("pingpong" mode). That is two microseconds of a delivery, taken from the reader and laid on the sender. This ends that
// mode, so that all targets send to the same kind of socket.
static void acknowledge_as_reader(struct ws_client *c) {
    int one = 1;
    if (setsockopt(c->fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one) < 0) die("setsockopt");
}

static void answer_ping(struct ws_client *c, const char *bytes, size_t count) {
    ws_pong(c, bytes, count);
    acknowledge_as_reader(c);
}

static void go_live(struct subscriber *s) {
    acknowledge_as_reader(&s->client);
    s->is_live = 1;
    live_count++;
}

static void opened_one(struct ws_client *c) {
    if (!initialize) go_live((struct subscriber *)c);
    else if (!ws_send(c, 1, ws_hello, sizeof ws_hello - 1)) die("send");
}

static void count_event(struct subscriber *s, const char *text, size_t count) {
    int64_t found = ws_number(text, count, "\"seq\":");
    uint64_t seq = found > 0 ? (uint64_t)found : 0, now = now_ns();
    uint32_t index = s->received++;
    if (!seq || index >= EVENTS) die("an event without seq, or too many");
    if (!order[index]) order[index] = seq;
    // A publisher that numbers its messages itself may see two of them change places before they are taken.
    if (order[index] != seq || (index && !plain && seq <= order[index - 1])) {
        fprintf(stderr, "subscriber %d: event %u has seq %llu, not %llu\n", s->client.index, index,
                (unsigned long long)seq, (unsigned long long)order[index]);
        exit(1);
    }
    if (!window && index && seq != order[index - 1] + 1) die("an event is missing");
    // Every tenth is timed: the search costs the subscriber more than the counting.
    const char *sent = s->received % 10 ? NULL : memmem(text, count, "\"bench_sent\":\"", 14);
    if (sent) histogram_add(&latencies, now - strtoull(sent + 14, NULL, 10));
    frame_bytes += count;
    total++;
    last_delivery = now;
    deliveries[index]++;
    while (completed < issued && deliveries[completed] == (uint32_t)wanted) completed++;
}

static void take_text(struct ws_client *c, const char *bytes, size_t count) {
    struct subscriber *s = (struct subscriber *)c;
    if (memmem(bytes, count, "\"method\":\"event/", 16)) count_event(s, bytes, count);
    else if (!s->is_live && memmem(bytes, count, "\"result\"", 8)) go_live(s);
    else if (!s->is_live && !ws_is_heartbeat(bytes, count)) die("initialize was refused");
}

static void lose(struct ws_client *c, int code) {
    fprintf(stderr, "subscriber %d was closed with %d after %u events\n", c->index, code,
            ((struct subscriber *)c)->received);
    exit(1);
}

static const struct ws_events on_stream = {opened_one, take_text, answer_ping, lose};

static void post(struct poster *p) {
    uint64_t now = now_ns();
    if (!first_post) first_post = now;
    p->length = plain ? compose_message(p->request, sizeof p->request, &to, body_size, issued + 1, now)
                      : compose_post(p->request, sizeof p->request, &to, body_size, p->worker, now);
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
    if (status / 100 != 2 || (status != 202 && !plain)) {
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
        else ws_serve(owner, loop, &stream, &on_stream);
    }
}

static void open_all(void) {
    uint64_t limit = now_ns() + 30000000000u;
    while (live_count < wanted) {
        while (opened < wanted && opened - live_count < OPENING) {
            struct subscriber *s = &subscribers[opened];
            s->client = (struct ws_client){.index = opened++, .room = INPUT};
            if (!ws_connect(&s->client, loop, &stream)) die("connect");
        }
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
        else if (!strcmp(argv[i], "--plain")) plain = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--post-path")) to.path = argv[i + 1];
        else if (!strcmp(argv[i], "--path")) stream.path = argv[i + 1];
        else die(argv[i]);
    }
    if (!to.port || (window && !to.credential) || wanted < 1 || window < 0)
        die("--port, BENCH_KEY and --subscribers are needed");
    stream.port = to.port;
    stream.token = getenv("BENCH_TOKEN");
    raise_file_limit();
    loop = epoll_create1(EPOLL_CLOEXEC);
    subscribers = calloc((size_t)wanted, sizeof *subscribers);
    posters = calloc((size_t)window + 1, sizeof *posters);
    deliveries = calloc(EVENTS, sizeof *deliveries);
    order = calloc(EVENTS, sizeof *order);
    if (!subscribers || !posters || !deliveries || !order) die("calloc");
    open_all();
    if (!window) {
        puts("ready");
        fflush(stdout);
        first_post = now_ns();
    }

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
    return window ? !(issued && completed == issued) : 0;
}
