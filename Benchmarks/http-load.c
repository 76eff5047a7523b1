// Posts hooks over keep-alive connections, one request at a time on each, for a given time. One JSON line at the end.
//
//     BENCH_KEY=cmk_... http-load --port 8766 [--path /api/events] [--connections 64] [--seconds 5] [--bytes 500]
//         [--batch 1] [--rate 0] [--processes 1]
//
// The processes share the connections, and the rate.
//
// With --rate so many requests a second are begun at times drawn beforehand (a Poisson process, as pgbench's), whether the
// ones before were answered or not; where no connection is free a request waits, and its delay counts from its time.
// Without, each connection posts the next request when the last is answered.
#include <math.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "bench.h"

enum { ANSWER = 65536 };

// What one process has counted. All lie in shared memory.
struct totals {
    uint64_t accepted, refused, broken, ended_at;
    int last_refusal;
    struct histogram latencies;
};

struct connection {
    int fd, worker;
    uint64_t sent_at;
    size_t request_length, written, held;
    char *request, *answer;
    struct connection *next_free;
};

static struct target to;
static struct totals *mine;
static uint64_t deadline;
// When the next request is due. The times are always the same ones.
static double due;
static int body_size = 500, batch = 1, loop;
static size_t request_room;
// Requests a second of this process.
static double rate;
static struct connection *free_ones;

static void flush_request(struct connection *c) {
    while (c->written < c->request_length) {
        ssize_t n = send(c->fd, c->request + c->written, c->request_length - c->written, MSG_NOSIGNAL);
        // Not writable yet, or broken: the loop hears of either.
        if (n < 0) return;
        c->written += (size_t)n;
    }
}

static void begin_request(struct connection *c, uint64_t at) {
    c->sent_at = at;
    c->request_length = compose_posts(c->request, request_room, &to, body_size, batch, c->worker, c->sent_at);
    c->written = c->held = 0;
    flush_request(c);
}

static void draw_next(void) {
    due -= log(1 - drand48()) / rate * 1e9;
}

// Begins what is due, as far as connections are free.
static void begin_due(void) {
    while (free_ones && (uint64_t)due <= now_ns()) {
        struct connection *c = free_ones;
        free_ones = c->next_free;
        begin_request(c, (uint64_t)due);
        draw_next();
    }
}

static void next_request(struct connection *c) {
    if (rate <= 0) return begin_request(c, now_ns());
    c->request_length = c->written = c->held = 0;
    c->next_free = free_ones;
    free_ones = c;
    begin_due();
}

static void open_connection(struct connection *c) {
    c->fd = connect_loopback(to.port);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c};
    if (epoll_ctl(loop, EPOLL_CTL_ADD, c->fd, &event) < 0) die("epoll_ctl");
    next_request(c);
}

// What was in flight on a lost connection counts as broken.
static void reopen(struct connection *c) {
    close(c->fd);
    mine->broken++;
    if (mine->broken > 10000) die("the server keeps closing connections");
    open_connection(c);
}

static void take_answer(struct connection *c) {
    for (;;) {
        ssize_t n = recv(c->fd, c->answer + c->held, ANSWER - c->held, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) return reopen(c);
        // Less than there was room for: the next byte will be told of (epoll(7)), and asking again would cost a call.
        int drained = (size_t)n < ANSWER - c->held;
        c->held += (size_t)n;
        size_t length;
        int status = whole_answer(c->answer, c->held, &length);
        if (!status) {
            if (c->held == ANSWER) die("answer too long");
            if (drained) return;
            continue;
        }
        uint64_t now = now_ns();
        if (status == 202) {
            mine->accepted += (uint64_t)batch;
            histogram_add(&mine->latencies, now - c->sent_at);
        } else {
            mine->refused++;
            mine->last_refusal = status;
        }
        if (now < deadline) next_request(c);
        else c->request_length = c->written = c->held = 0;
        if (drained) return;
    }
}

// Posts over so many connections, of which the first is that worker's, until the deadline.
static void drive(int first, int connections) {
    loop = epoll_create1(EPOLL_CLOEXEC);
    struct connection *all = calloc((size_t)connections, sizeof *all);
    if (!all || loop < 0) die("set-up");
    for (int i = 0; i < connections; i++) {
        all[i].worker = first + i;
        all[i].request = malloc(request_room);
        all[i].answer = malloc(ANSWER);
        if (!all[i].request || !all[i].answer) die("set-up");
        open_connection(&all[i]);
    }
    struct epoll_event events[256];
    for (;;) {
        uint64_t now = now_ns();
        if (now >= deadline) break;
        uint64_t until = deadline;
        if (rate > 0 && free_ones && (uint64_t)due < until) until = (uint64_t)due;
        if (until < now) until = now;
        struct timespec patience = {(time_t)((until - now) / 1000000000u), (long)((until - now) % 1000000000u)};
        int ready = epoll_pwait2(loop, events, 256, &patience, NULL);
        if (ready < 0 && errno != EINTR) die("epoll_pwait2");
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            flush_request(c);
            if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) take_answer(c);
        }
        if (rate > 0) begin_due();
    }
    mine->ended_at = now_ns();
}

static void add_totals(struct totals *sum, const struct totals *one) {
    sum->accepted += one->accepted;
    sum->refused += one->refused;
    sum->broken += one->broken;
    if (one->ended_at > sum->ended_at) sum->ended_at = one->ended_at;
    if (one->last_refusal) sum->last_refusal = one->last_refusal;
    histogram_merge(&sum->latencies, &one->latencies);
}

int main(int argc, char **argv) {
    int connections = 64, processes = 1;
    double seconds = 5;
    to.path = "/api/events";
    to.credential = getenv("BENCH_KEY");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--port")) to.port = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--path")) to.path = argv[i + 1];
        else if (!strcmp(argv[i], "--connections")) connections = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--bytes")) body_size = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--batch")) batch = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--rate")) rate = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--processes")) processes = atoi(argv[i + 1]);
        else die(argv[i]);
    }
    if (!to.port || !to.credential || connections < 1 || batch < 1) die("--port, BENCH_KEY and --connections are needed");
    if (processes < 1 || processes > connections) die("--processes is out of bounds");
    raise_file_limit();
    size_t room = sizeof(struct totals) * (size_t)processes;
    struct totals *all = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) die("mmap");
    request_room = (size_t)batch * (size_t)(body_size + 1) + 1024;
    rate /= processes;
    uint64_t started = now_ns();
    deadline = started + (uint64_t)(seconds * 1e9);
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child < 0) die("fork");
        if (child) continue;
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) die("prctl");
        int first = connections * i / processes;
        mine = &all[i];
        due = (double)started;
        srand48(i + 1);
        if (rate > 0) draw_next();
        drive(first, connections * (i + 1) / processes - first);
        exit(0);
    }
    int status, failed = 0;
    while (wait(&status) > 0) failed |= status;
    struct totals *sum = &all[0];
    for (int i = 1; i < processes; i++) add_totals(sum, &all[i]);
    double elapsed = (double)(sum->ended_at - started) / 1e9;
    printf("{\"accepted\":%llu,\"refused\":%llu,\"last_refusal\":%d,\"broken\":%llu,\"seconds\":%.3f,"
           "\"per_second\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
           (unsigned long long)sum->accepted, (unsigned long long)sum->refused, sum->last_refusal,
           (unsigned long long)sum->broken, elapsed, (double)sum->accepted / elapsed,
           histogram_at(&sum->latencies, 0.5), histogram_at(&sum->latencies, 0.99),
           (double)sum->latencies.max / 1000.0);
    return failed || sum->accepted == 0;
}
