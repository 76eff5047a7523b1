// Clients that lose their server and all come back at once, each to go on after the last event that it has seen.
//
// Opens them, prints "ready", waits for the server to go away, and then dials until it is there again. A client counts
// as live when it has every event up to where the log ended, in order, without a hole. One JSON line when all are live.
//
//     BENCH_TOKEN=... ws-resume --port 8766 --clients 5000 [--behind 50]
//
// Client i has seen all but the last i % (behind + 1) events.
#include "ws-client.h"

enum { INPUT = 128 << 10, OPENING = 256, PAUSE_MS = 20 };

struct resumer {
    struct ws_client client;
    enum { greeting, subscribing, replaying, live } stage;
    int64_t next;
    uint64_t not_before;
};

static struct ws_target stream = {.path = "/ws"};
static struct resumer *resumers;
static struct histogram delays;
static char epoch[64];
static int64_t head = -1;
static int loop, wanted = 5000, behind = 50, ready_count, live_count, is_storm, lost_count;
static uint64_t first_open, attempts, refused, replayed, unrecovered;

static void say(struct ws_client *c, const char *text, size_t count) {
    // A connection that broke is noticed when it is read.
    ws_send(c, 1, text, count);
}

static void opened_one(struct ws_client *c) {
    struct resumer *r = (struct resumer *)c;
    if (is_storm && !first_open) first_open = now_ns();
    r->stage = greeting;
    say(c, ws_hello, sizeof ws_hello - 1);
}

static void subscribe(struct resumer *r) {
    char text[256];
    r->next = head - r->client.index % (behind + 1) + 1;
    int size = snprintf(text, sizeof text,
                        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"event/subscribe\",\"params\":{\"since\":{"
                        "\"epoch\":\"%s\",\"seq\":%lld}}}", epoch, (long long)r->next - 1);
    r->stage = subscribing;
    say(&r->client, text, (size_t)size);
}

static void go_live(struct resumer *r) {
    r->stage = live;
    live_count++;
    histogram_add(&delays, now_ns() - first_open);
}

static void greeted(struct resumer *r, const char *bytes, size_t count) {
    if (ws_is_heartbeat(bytes, count)) return;
    int64_t seq = ws_number(bytes, count, "\"seq\":");
    const char *name = memmem(bytes, count, "\"epoch\":\"", 9);
    if (!memmem(bytes, count, "\"result\"", 8) || seq < 0 || !name) die("initialize was refused");
    if (is_storm) return subscribe(r);
    if (head < 0) {
        head = seq;
        snprintf(epoch, sizeof epoch, "%.*s", (int)strcspn(name + 9, "\""), name + 9);
    }
    r->stage = live;
    ready_count++;
}

static void take_text(struct ws_client *c, const char *bytes, size_t count) {
    struct resumer *r = (struct resumer *)c;
    if (memmem(bytes, count, "\"method\":\"heartbeat\"", 20)) return;
    if (r->stage == greeting) return greeted(r, bytes, count);
    if (r->stage == subscribing) {
        if (!memmem(bytes, count, "\"recovered\":true", 16)) unrecovered++;
        r->stage = replaying;
        if (r->next > head) go_live(r);
        return;
    }
    if (r->stage != replaying) die("an event that nobody posted");
    if (ws_number(bytes, count, "\"seq\":") != r->next) die("a hole in the replay");
    replayed++;
    if (r->next++ == head) go_live(r);
}

static void lose(struct ws_client *c, int code) {
    struct resumer *r = (struct resumer *)c;
    if (r->stage == live && is_storm) die("a client that was live again lost its connection");
    if (c->state != ws_open) refused++;
    else if (!is_storm) lost_count++;
    if (code && code != 1001 && code != 503) {
        fprintf(stderr, "client %d was closed with %d\n", c->index, code);
        exit(1);
    }
    ws_close(c);
    r->not_before = now_ns() + PAUSE_MS * 1000000u;
}

static const struct ws_events on_stream = {opened_one, take_text, ws_pong, lose};

static void dial(struct resumer *r) {
    attempts++;
    r->stage = greeting;
    if (!ws_connect(&r->client, loop, &stream)) r->not_before = now_ns() + PAUSE_MS * 1000000u;
}

static void turn(int timeout) {
    struct epoll_event events[512];
    int ready = epoll_wait(loop, events, 512, timeout);
    if (ready < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < ready; i++) {
        struct ws_client *c = events[i].data.ptr;
        if (c->state != ws_closed) ws_serve(c, loop, &stream, &on_stream);
    }
}

static void open_all(void) {
    uint64_t limit = now_ns() + 60000000000u;
    for (int opened = 0; ready_count < wanted;) {
        while (opened < wanted && opened - ready_count < OPENING) dial(&resumers[opened++]);
        turn(100);
        if (now_ns() > limit) die("not every client came up within 60 s");
    }
}

// One client looks for the server; once it is there they all come, and nobody waits for another.
static void storm(void) {
    is_storm = 1;
    attempts = refused = 0;
    uint64_t limit = now_ns() + 120000000000u;
    while (live_count < wanted) {
        uint64_t now = now_ns();
        if (now > limit) die("not every client was live again within 120 s");
        for (int i = 0; i < (first_open ? wanted : 1); i++)
            if (resumers[i].client.state == ws_closed && resumers[i].not_before <= now) dial(&resumers[i]);
        turn(5);
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--port")) stream.port = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--clients")) wanted = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--behind")) behind = atoi(argv[i + 1]);
        else die(argv[i]);
    }
    if (!stream.port || wanted < 1 || behind < 0) die("--port is needed");
    stream.token = getenv("BENCH_TOKEN");
    raise_file_limit();
    loop = epoll_create1(EPOLL_CLOEXEC);
    if (!(resumers = calloc((size_t)wanted, sizeof *resumers))) die("calloc");
    for (int i = 0; i < wanted; i++) resumers[i].client = (struct ws_client){.fd = -1, .index = i, .room = INPUT};
    open_all();
    printf("ready\n");
    fflush(stdout);
    uint64_t limit = now_ns() + 60000000000u;
    while (lost_count < wanted) {
        turn(100);
        if (now_ns() > limit) die("the server did not go away within 60 s");
    }
    storm();
    printf("{\"clients\":%d,\"seconds\":%.3f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"attempts\":%llu,\"refused\":%llu,"
           "\"replayed\":%llu,\"unrecovered\":%llu}\n",
           wanted, (double)delays.max / 1e9, histogram_at(&delays, 0.5), histogram_at(&delays, 0.99),
           (unsigned long long)attempts, (unsigned long long)refused, (unsigned long long)replayed,
           (unsigned long long)unrecovered);
    return unrecovered != 0;
}
