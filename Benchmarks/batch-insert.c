// The writer's batch statements from one connection, with nothing of the server around them: what PostgreSQL can take.
//
//     batch-insert --database "host=... dbname=..." [--batch 100] [--seconds 5] [--bytes 500]
//
// Needs the tables bench_events, bench_event_ids and bench_head. One JSON line at the end.
#include "bench.h"
#include <libpq-fe.h>

enum { COLUMNS = 16, UUID = 2950, INT8 = 20, TEXT = 25, TIME = 1184 };

struct buffer {
    char *bytes;
    size_t count, room;
};

static PGconn *connection;
static struct buffer columns[COLUMNS];
static int64_t seq;
static int batch = 100, body_size = 500;

static void put(struct buffer *b, const void *bytes, size_t count) {
    if (b->count + count > b->room) b->bytes = realloc(b->bytes, b->room = (b->room + count) * 2);
    if (!b->bytes) die("realloc");
    memcpy(b->bytes + b->count, bytes, count);
    b->count += count;
}

static void put32(struct buffer *b, int32_t value) {
    uint32_t swapped = htonl((uint32_t)value);
    put(b, &swapped, 4);
}

static void put64(struct buffer *b, int64_t value) {
    put32(b, (int32_t)(value >> 32));
    put32(b, (int32_t)value);
}

static void begin_array(struct buffer *b, int type, int has_null) {
    b->count = 0;
    put32(b, 1), put32(b, has_null), put32(b, type), put32(b, batch), put32(b, 1);
}

static void numbers(int column, int type, int64_t first, int64_t step) {
    begin_array(&columns[column], type, 0);
    for (int i = 0; i < batch; i++) put32(&columns[column], 8), put64(&columns[column], first + i * step);
}

static void words(int column, const char *text) {
    begin_array(&columns[column], TEXT, !text);
    for (int i = 0; i < batch; i++) {
        put32(&columns[column], text ? (int32_t)strlen(text) : -1);
        if (text) put(&columns[column], text, strlen(text));
    }
}

static void ids(struct buffer *b) {
    begin_array(b, UUID, 0);
    for (int i = 0; i < batch; i++) {
        char text[37], raw[16];
        uuid7(text);
        for (int from = 0, to = 0; to < 16; to++) {
            if (text[from] == '-') from++;
            unsigned byte;
            sscanf(text + from, "%2x", &byte);
            raw[to] = (char)byte;
            from += 2;
        }
        put32(b, 16), put(b, raw, 16);
    }
}

static void sessions(int column) {
    begin_array(&columns[column], TEXT, 0);
    for (int i = 0; i < batch; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "bench-session-%04d", (int)(random64() % 64));
        put32(&columns[column], length), put(&columns[column], name, (size_t)length);
    }
}

static void send_prepared(const char *name, int count, const struct buffer **list) {
    const char *values[COLUMNS];
    int lengths[COLUMNS], formats[COLUMNS];
    for (int i = 0; i < count; i++) values[i] = list[i]->bytes, lengths[i] = (int)list[i]->count, formats[i] = 1;
    if (!PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)) die(PQerrorMessage(connection));
}

static void prepare(const char *name, const char *sql) {
    PGresult *result = PQprepare(connection, name, sql, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) die(PQerrorMessage(connection));
    PQclear(result);
}

static void prepare_all(void) {
    prepare("begin", "BEGIN ISOLATION LEVEL READ COMMITTED");
    prepare("claim", "UPDATE bench_head SET last_seq = CASE WHEN last_seq = $1::int8 THEN $2::int8 END");
    prepare("ids", "INSERT INTO bench_event_ids (event_id, seq, received_at)"
                   " SELECT * FROM unnest($1::uuid[], $2::int8[], $3::timestamptz[])");
    prepare("events",
            "INSERT INTO bench_events (seq, event_id, type, hook_event_name, occurred_at, received_at, machine_id,"
            " machine_name, reported_name, session_id, workspace_id, project_path, tool_name, summary, payload, facts)"
            " SELECT * FROM unnest($1::int8[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[],"
            " $6::timestamptz[], $7::int8[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],"
            " $13::text[], $14::text[], $15::text[], $16::text[])");
    prepare("commit", "COMMIT");
}

// What is the same for every batch.
static void fill_constants(void) {
    char payload[4096];
    words(2, "tool"), words(3, "PostToolUse"), words(7, "bench"), words(8, NULL), words(10, "ws-0123456789abcdef");
    words(11, "/home/bench/project"), words(12, "Bash"), words(13, "make -C build all && abcdefghijklmnopqrstuvwxyz");
    compose_hook(payload, body_size, 0, 0);
    payload[body_size] = 0;
    words(14, strstr(payload, "\"data\":") + 7);
    words(15, "{\"input\":\"0123456789abcdef\"}");
    numbers(6, INT8, 1, 0);
}

static void run_batch(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    int64_t now = ((int64_t)t.tv_sec - 946684800) * 1000000 + t.tv_nsec / 1000;
    struct buffer head[2] = {0};
    const struct buffer *claim[2] = {&head[0], &head[1]}, *id_columns[3] = {&columns[1], &columns[0], &columns[5]};
    const struct buffer *event_columns[COLUMNS];
    put64(&head[0], seq), put64(&head[1], seq + batch);
    numbers(0, INT8, seq + 1, 1), ids(&columns[1]), numbers(4, TIME, now, 0), numbers(5, TIME, now, 0), sessions(9);
    for (int i = 0; i < COLUMNS; i++) event_columns[i] = &columns[i];
    if (!PQenterPipelineMode(connection)) die("pipeline");
    send_prepared("begin", 0, NULL), send_prepared("claim", 2, claim), send_prepared("ids", 3, id_columns);
    send_prepared("events", COLUMNS, event_columns), send_prepared("commit", 0, NULL);
    if (!PQpipelineSync(connection)) die("sync");
    for (ExecStatusType status = PGRES_EMPTY_QUERY; status != PGRES_PIPELINE_SYNC;) {
        PGresult *result = PQgetResult(connection);
        if (!result) continue;
        status = PQresultStatus(result);
        if (status == PGRES_FATAL_ERROR || status == PGRES_PIPELINE_ABORTED) die(PQerrorMessage(connection));
        PQclear(result);
    }
    if (!PQexitPipelineMode(connection)) die("pipeline");
    free(head[0].bytes), free(head[1].bytes);
    seq += batch;
}

int main(int argc, char **argv) {
    const char *database = NULL;
    double seconds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--database")) database = argv[i + 1];
        else if (!strcmp(argv[i], "--batch")) batch = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--bytes")) body_size = atoi(argv[i + 1]);
        else die(argv[i]);
    }
    if (!database || batch < 1 || body_size >= 4096) die("--database is needed");
    connection = PQconnectdb(database);
    if (PQstatus(connection) != CONNECTION_OK) die(PQerrorMessage(connection));
    PQclear(PQexec(connection, "SET enable_seqscan = off; SET jit = off"));
    PGresult *result = PQexec(connection, "SELECT last_seq FROM bench_head");
    if (PQntuples(result) != 1) die("bench_head");
    seq = atoll(PQgetvalue(result, 0, 0));
    PQclear(result);
    prepare_all();
    fill_constants();
    uint64_t start = now_ns(), end = start + (uint64_t)(seconds * 1e9), count = 0;
    for (; now_ns() < end; count += (uint64_t)batch) run_batch();
    double elapsed = (double)(now_ns() - start) / 1e9;
    printf("{\"count\":%llu,\"per_second\":%.1f}\n", (unsigned long long)count, (double)count / elapsed);
    PQfinish(connection);
    return count == 0;
}
