"""Ingest, measured against what PostgreSQL itself takes in the same minutes."""

import concurrent.futures
import contextlib
import glob
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import time

from harness import cpu_seconds, load_cpu_seconds, machine_cpu_seconds, pin, run_json

BATCH = 100
CROWD = 5000
# Pairs of posts and single inserts in a round, each half as long as the rest: a machine that is sometimes faster is so
# for seconds.
PAIRS = 5
# Threads or processes of each load, the yardstick's too: clients are many programs; one alone would be waited for.
LOADERS = 2
# Bare commits a second beside the posts at half load: too few to be a load.
BESIDE = 200
# Into a table with its key alone; and into one with indexes by session and by time. The server's log has four.
BARE = "INSERT INTO bench_inserts (id, payload) VALUES (gen_random_uuid(), :payload) ON CONFLICT DO NOTHING;"
INDEXED = """INSERT INTO bench_log (id, session_id, received_at, payload)
    VALUES (gen_random_uuid(), 'session-' || :client_id, now(), :payload) ON CONFLICT DO NOTHING;"""
# The yardsticks' tables are not vacuumed: it would be the server that is measured meanwhile.
TABLES = """
CREATE TABLE bench_inserts (id uuid PRIMARY KEY, payload text NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE bench_log (id uuid PRIMARY KEY, session_id text NOT NULL, received_at timestamptz NOT NULL,
    payload text NOT NULL) WITH (autovacuum_enabled = off);
CREATE INDEX ON bench_log (session_id, received_at);
CREATE INDEX ON bench_log (received_at);
CREATE TABLE bench_events (LIKE events INCLUDING ALL) PARTITION BY RANGE (received_at);
CREATE TABLE bench_events_default PARTITION OF bench_events DEFAULT WITH (autovacuum_enabled = off);
CREATE TABLE bench_event_ids (LIKE event_ids INCLUDING ALL) WITH (autovacuum_enabled = off);
CREATE TABLE bench_head (last_seq bigint NOT NULL) WITH (fillfactor = 10, autovacuum_enabled = off);
INSERT INTO bench_head VALUES (0);
"""


def ingest(server, tools, seconds, rounds):
    make_tables(server)
    found = []
    for number in range(rounds):
        pairs = [single(server, tools, max(1, seconds / 2)) for _ in range(PAIRS)]
        one = {**medians(pairs), **batched(server, tools, seconds)}
        one.update(crowded(server, tools, seconds, one["posts_per_second"]))
        one.update(half_load(server, tools, seconds, one["posts_per_second"] / 2, one["bare_per_second"] / 2))
        found.append(one)
        print(f"  round {number + 1}: {one['posts_per_second']:,.0f} posts/s, {one['inserts_per_second']:,.0f} inserts/s;"
              f" in batches {one['batched_per_second']:,.0f} and {one['statement_per_second']:,.0f} events/s",
              file=sys.stderr)
    return medians(found)


def make_tables(server):
    if server.value("SELECT to_regclass('bench_events') IS NOT NULL") != "t":
        server.psql(TABLES)


def medians(found):
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def single(server, tools, seconds):
    """Acknowledged posts against single inserts, into three indexes and into one; 64 connections each."""
    before = cpu_seconds(server.postgres_pid())
    inserts = pgbench(server, seconds, 64, script=INDEXED)
    insert_cpu = (settled_cpu(server) - before) / inserts["count"] * 1000
    posts = post(server, tools, seconds, "--connections", 64)
    bare = pgbench(server, seconds, 64)
    return {
        "posts_per_second": posts["per_second"], "inserts_per_second": inserts["per_second"],
        "ratio": posts["per_second"] / inserts["per_second"], "p50_us": posts["p50_us"], "p99_us": posts["p99_us"],
        "bare_per_second": bare["per_second"], "bare_ratio": posts["per_second"] / bare["per_second"],
        "insert_latency_us": inserts["latency_us"], "server_cpu_per_1000": posts["server_cpu"],
        "postgres_cpu_per_1000": posts["postgres_cpu"], "insert_postgres_cpu_per_1000": insert_cpu,
    }


def batched(server, tools, seconds):
    """Events in posts of a hundred against the writer's statements, fed with a hundred rows from one connection."""
    before = settled_cpu(server)
    statement = run_json([tools["batch-insert"], "--database", server.conninfo(), "--batch", BATCH, "--seconds", seconds], {},
                         seconds + 20)
    statement_cpu = (settled_cpu(server) - before) / statement["count"] * 1000
    posts = post(server, tools, seconds, "--connections", 4, "--batch", BATCH)
    return {
        "batched_per_second": posts["events_per_second"], "statement_per_second": statement["per_second"],
        "batched_ratio": posts["events_per_second"] / statement["per_second"], "batched_p99_us": posts["p99_us"],
        "batched_server_cpu_per_1000": posts["server_cpu"], "batched_postgres_cpu_per_1000": posts["postgres_cpu"],
        "statement_postgres_cpu_per_1000": statement_cpu,
    }


def crowded(server, tools, seconds, alone):
    """Posts beside many connections that are kept open and say nothing."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    with contextlib.ExitStack() as open_ones:
        for _ in range(CROWD):
            one = open_ones.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            one.sendall(request)
            if not one.recv(65536).startswith(b"HTTP/1.1 200"):
                sys.exit("a connection of the crowd was not answered")
        # Longer, and they would be closed for having been idle.
        posts = post(server, tools, min(seconds, 30), "--connections", 64)
    return {"crowded_per_second": posts["per_second"], "crowded_ratio": posts["per_second"] / alone}


def half_load(server, tools, seconds, rate, own_rate):
    """The delay of a post at half of the load that posts reached, against that of a commit. Of four kinds: at half of the
    load that commits reached; one after the other with nothing else running; beside the posts, in the same seconds; and
    as many a second as there are posts. What has a rate begins at times drawn beforehand (Poisson)."""
    yardsticks = {}
    for name, clients, inserts in (("alone", 1, 0), ("own", 64, own_rate)):
        write_back(server)
        yardsticks[name] = pgbench(server, seconds, clients, inserts)
    write_back(server)
    with concurrent.futures.ThreadPoolExecutor() as beside:
        commits = beside.submit(pgbench, server, seconds + 1, 1, BESIDE)
        posts = post(server, tools, seconds, "--connections", 64, "--rate", rate)
        yardsticks["beside"] = commits.result()
    write_back(server)
    yardsticks["paced"] = pgbench(server, seconds, 64, rate)
    found = {"half_rate": rate, "own_rate": own_rate, "half_others": posts["others"], "half_p50_us": posts["p50_us"],
             "half_p99_us": posts["p99_us"]}
    for name, one in yardsticks.items():
        found.update({f"{name}_p50_us": one["p50_us"], f"{name}_p99_us": one["p99_us"],
                      f"{name}_p99_ratio": posts["p99_us"] / one["p99_us"]})
    return found


def write_back(server):
    """Writes to disk what the measurements before have changed. Left alone, the kernel does it 30 s after, all in one
    go, and flushes wait for it."""
    server.psql("CHECKPOINT", 60)
    subprocess.run(["sync"], check=True, timeout=60)


def settled_cpu(server):
    """Of PostgreSQL, once the connections that were just closed have ended: their time then is the postmaster's."""
    time.sleep(0.5)
    return cpu_seconds(server.postgres_pid())


def post(server, tools, seconds, *flags):
    before = cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())
    machine = machine_cpu_seconds() - load_cpu_seconds()
    posts = run_json([tools["http-load"], "--port", server.port, "--seconds", seconds, "--processes", LOADERS, *flags],
                     {"BENCH_KEY": server.key}, seconds + 20)
    if posts["refused"] or posts["broken"]:
        sys.exit(f"the server did not take every post: {posts}")
    after = cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())
    machine = machine_cpu_seconds() - load_cpu_seconds() - machine
    others = max(0, machine - sum(after) + sum(before)) / posts["seconds"] / os.cpu_count()
    each = [(b - a) / posts["accepted"] * 1000 for a, b in zip(before, after)]
    return {**posts, "events_per_second": posts["accepted"] / posts["seconds"], "server_cpu": each[0],
            "postgres_cpu": each[1], "others": others}


def pgbench(server, seconds, clients, rate=0, script=BARE):
    """With a rate the delays count from the times at which the inserts were due. They are written down one by one, which
    costs, for a single client and at a rate."""
    program = shutil.which("pgbench") or sys.exit("pgbench is needed: apt-get install postgresql")
    path = os.path.join(os.path.dirname(server.log), "insert.sql")
    prefix = os.path.join(os.path.dirname(server.log), "pgbench-log")
    with open(path, "w") as file:
        file.write(script)
    log = ["--log", "--log-prefix", prefix] if clients == 1 or rate else []
    log += ["--rate", str(round(rate))] if rate else []
    seconds = max(1, round(seconds))
    done = subprocess.run(
        [program, "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, LOADERS)), "-T", str(seconds), *log,
         "-D", "payload=" + "x" * 500, "-f", path, *server.database(), "monitor"],
        check=True, timeout=seconds + 60, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=pin(1)).stdout

    def figure(pattern):
        return float(re.search(pattern, done).group(1))

    found = {"per_second": figure(r"tps = ([0-9.]+)"), "latency_us": figure(r"latency average = ([0-9.]+) ms") * 1000,
             "count": figure(r"number of transactions actually processed: ([0-9]+)")}
    delays = []
    for name in glob.glob(prefix + ".*"):
        with open(name) as file:
            delays += [int(line.split()[2]) for line in file]
        os.unlink(name)
    if delays:
        delays.sort()
        found.update(p50_us=delays[len(delays) // 2], p99_us=delays[len(delays) * 99 // 100])
    return found


def show_ingest(f):
    print(f"""ingest, 64 connections, 500-byte hooks, one per request
  acknowledged posts       {f['posts_per_second']:>10,.0f} /s    p50 {f['p50_us'] / 1000:.1f} ms, \
p99 {f['p99_us'] / 1000:.1f} ms
  pgbench, three indexes   {f['inserts_per_second']:>10,.0f} /s    mean {f['insert_latency_us'] / 1000:.1f} ms
  RATIO                    {f['ratio']:>10.2f}
  pgbench, one index       {f['bare_per_second']:>10,.0f} /s    {f['bare_ratio']:.2f}
  CPU seconds per 1000     server {f['server_cpu_per_1000']:.3f}, PostgreSQL {f['postgres_cpu_per_1000']:.3f}; \
PostgreSQL alone with single inserts into three indexes {f['insert_postgres_cpu_per_1000']:.3f}
  beside {CROWD} idle ones     {f['crowded_per_second']:>10,.0f} /s    {f['crowded_ratio']:.2f} of the posts without them
ingest, 4 connections, {BATCH} hooks of 500 bytes in each request
  acknowledged events      {f['batched_per_second']:>10,.0f} /s    p99 {f['batched_p99_us'] / 1000:.1f} ms
  the batch statements     {f['statement_per_second']:>10,.0f} /s
  RATIO                    {f['batched_ratio']:>10.2f}
  CPU seconds per 1000     server {f['batched_server_cpu_per_1000']:.3f}, \
PostgreSQL {f['batched_postgres_cpu_per_1000']:.3f}; PostgreSQL alone {f['statement_postgres_cpu_per_1000']:.3f}
delay at half that load, {f['half_rate']:,.0f} posts/s at times drawn beforehand
  from POST to 202         p50 {f['half_p50_us'] / 1000:.2f} ms, p99 {f['half_p99_us'] / 1000:.2f} ms; \
other programs, the commits beside \
among them, had {f['half_others'] * 100:.0f} % of the cores
  commits at half of theirs p50 {f['own_p50_us'] / 1000:.2f} ms, p99 {f['own_p99_us'] / 1000:.2f} ms; \
{f['own_rate']:,.0f} inserts/s
  a commit alone           p50 {f['alone_p50_us'] / 1000:.2f} ms, p99 {f['alone_p99_us'] / 1000:.2f} ms
  a commit beside          p50 {f['beside_p50_us'] / 1000:.2f} ms, p99 {f['beside_p99_us'] / 1000:.2f} ms
  as many commits          p50 {f['paced_p50_us'] / 1000:.2f} ms, p99 {f['paced_p99_us'] / 1000:.2f} ms
  RATIO of the p99         {f['own_p99_ratio']:>10.2f} to commits at half of their own most; {f['alone_p99_ratio']:.2f} to one \
alone, {f['beside_p99_ratio']:.2f} to one beside, {f['paced_p99_ratio']:.2f} to as many""")
