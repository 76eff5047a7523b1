// Opens WebSockets that say nothing but pong, and watches the server's pings. Prints "ready" once all are open, and one
// JSON line when the time is up: how many seconds lay between the pings of a socket.
//
//     BENCH_TOKEN=... ws-idle --port 8766 --sockets 10000 --seconds 60 [--mute 100]
//
// The first `mute` sockets answer no ping: the server has to cut them off, and no other one.
#include "ws-client.h"

enum { INPUT = 8192, OPENING = 64 };

struct idler {
    struct ws_client client;
    uint64_t last_ping, first_ping;
    uint32_t pings;
    int is_ready;
};

static struct ws_target stream = {.path = "/ws"};
static struct idler *idlers;
static struct histogram gaps;
static int loop, wanted, mute, ready_count, mute_lost;
static uint64_t all_ready, pings, shortest = UINT64_MAX, longest, first_longest, slowest_cut;

static void opened_one(struct ws_client *c) {
    if (!ws_send(c, 1, ws_hello, sizeof ws_hello - 1)) die("send");
}

static void take_text(struct ws_client *c, const char *bytes, size_t count) {
    struct idler *i = (struct idler *)c;
    if (i->is_ready || ws_is_heartbeat(bytes, count)) return;
    if (!memmem(bytes, count, "\"result\"", 8)) die("initialize was refused");
    i->is_ready = 1;
    i->last_ping = now_ns();
    ready_count++;
}

static void pinged(struct ws_client *c, const char *bytes, size_t count) {
    struct idler *i = (struct idler *)c;
    uint64_t now = now_ns(), gap = now - i->last_ping;
    // The first one counts from the moment the socket was open.
    if (i->pings++) {
        histogram_add(&gaps, gap);
        if (gap < shortest) shortest = gap;
        if (gap > longest) longest = gap;
    } else {
        i->first_ping = now;
        if (gap > first_longest) first_longest = gap;
    }
    i->last_ping = now;
    pings++;
    if (c->index >= mute) ws_pong(c, bytes, count);
}

static void lose(struct ws_client *c, int code) {
    struct idler *i = (struct idler *)c;
    if (c->index >= mute || !i->pings) {
        fprintf(stderr, "socket %d was closed with %d\n", c->index, code);
        exit(1);
    }
    uint64_t after = now_ns() - i->first_ping;
    if (after > slowest_cut) slowest_cut = after;
    mute_lost++;
    ws_close(c);
}

static const struct ws_events on_stream = {opened_one, take_text, pinged, lose};

static void turn(int timeout) {
    struct epoll_event events[512];
    int ready = epoll_wait(loop, events, 512, timeout);
    if (ready < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < ready; i++) ws_serve(events[i].data.ptr, loop, &stream, &on_stream);
}

int main(int argc, char **argv) {
    double seconds = 60;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--port")) stream.port = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--sockets")) wanted = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--mute")) mute = atoi(argv[i + 1]);
        else die(argv[i]);
    }
    if (!stream.port || wanted < 1) die("--port and --sockets are needed");
    stream.token = getenv("BENCH_TOKEN");
    raise_file_limit();
    loop = epoll_create1(EPOLL_CLOEXEC);
    if (!(idlers = calloc((size_t)wanted, sizeof *idlers))) die("calloc");
    uint64_t limit = now_ns() + 60000000000u;
    for (int opened = 0; ready_count < wanted;) {
        while (opened < wanted && opened - ready_count < OPENING) {
            idlers[opened].client = (struct ws_client){.index = opened, .room = INPUT};
            if (!ws_connect(&idlers[opened++].client, loop, &stream)) die("connect");
        }
        turn(100);
        if (now_ns() > limit) die("not every socket came up within 60 s");
    }
    all_ready = now_ns();
    printf("ready\n");
    fflush(stdout);
    for (uint64_t end = all_ready + (uint64_t)(seconds * 1e9); now_ns() < end;) turn(100);
    int unpinged = 0;
    for (int i = 0; i < wanted; i++) unpinged += !idlers[i].pings;
    printf("{\"sockets\":%d,\"pings\":%llu,\"never_pinged\":%d,\"first_ping_max_s\":%.2f,\"gap_min_s\":%.2f,"
           "\"gap_p50_s\":%.2f,\"gap_p99_s\":%.2f,\"gap_max_s\":%.2f,\"mute\":%d,\"mute_cut_off\":%d,"
           "\"cut_off_max_s\":%.2f}\n",
           wanted, (unsigned long long)pings, unpinged, (double)first_longest / 1e9,
           gaps.count ? (double)shortest / 1e9 : 0.0, histogram_at(&gaps, 0.5) / 1e6, histogram_at(&gaps, 0.99) / 1e6,
           (double)longest / 1e9, mute, mute_lost, (double)slowest_cut / 1e9);
    return unpinged || mute_lost != mute;
}
