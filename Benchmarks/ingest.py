"""Ingest, measured against what PostgreSQL itself takes in the same minutes."""

import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

from harness import cpu_seconds, pin, run_json

BATCH = 100
PGBENCH_SCRIPT = """\
INSERT INTO bench_inserts (id, payload) VALUES (gen_random_uuid(), :payload) ON CONFLICT DO NOTHING;
"""
TABLES = """
CREATE TABLE bench_inserts (id uuid PRIMARY KEY, payload text NOT NULL);
CREATE TABLE bench_events (LIKE events INCLUDING ALL) PARTITION BY RANGE (received_at);
CREATE TABLE bench_events_default PARTITION OF bench_events DEFAULT;
CREATE TABLE bench_event_ids (LIKE event_ids INCLUDING ALL);
CREATE TABLE bench_head (last_seq bigint NOT NULL);
INSERT INTO bench_head VALUES (0);
"""


def ingest(server, tools, seconds, rounds):
    server.psql(TABLES)
    found = []
    for number in range(rounds):
        one = {**single(server, tools, seconds), **batched(server, tools, seconds)}
        one.update(half_load(server, tools, seconds, one["posts_per_second"] / 2))
        found.append(one)
        print(f"  round {number + 1}: {one['posts_per_second']:,.0f} posts/s, {one['inserts_per_second']:,.0f} inserts/s;"
              f" in batches {one['batched_per_second']:,.0f} and {one['statement_per_second']:,.0f} events/s",
              file=sys.stderr)
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def single(server, tools, seconds):
    """Acknowledged posts against single inserts; 64 connections each."""
    before = cpu_seconds(server.postgres_pid())
    inserts = pgbench(server, seconds, 64)
    insert_cpu = (settled_cpu(server) - before) / inserts["count"] * 1000
    posts = post(server, tools, seconds, "--connections", 64)
    return {
        "posts_per_second": posts["per_second"], "inserts_per_second": inserts["per_second"],
        "ratio": posts["per_second"] / inserts["per_second"], "p50_us": posts["p50_us"], "p99_us": posts["p99_us"],
        "insert_latency_us": inserts["latency_us"], "server_cpu_per_1000": posts["server_cpu"],
        "postgres_cpu_per_1000": posts["postgres_cpu"], "insert_postgres_cpu_per_1000": insert_cpu,
    }


def batched(server, tools, seconds):
    """Events in posts of a hundred against the writer's statements, fed with a hundred rows from one connection."""
    before = cpu_seconds(server.postgres_pid())
    database = " ".join(f"{key}={value}" for key, value in
                        (("host", server.socket_directory()), ("user", "monitor"), ("dbname", "monitor")))
    statement = run_json([tools["batch-insert"], "--database", database, "--batch", BATCH, "--seconds", seconds], {},
                         seconds + 20)
    statement_cpu = (settled_cpu(server) - before) / statement["count"] * 1000
    posts = post(server, tools, seconds, "--connections", 4, "--batch", BATCH)
    return {
        "batched_per_second": posts["events_per_second"], "statement_per_second": statement["per_second"],
        "batched_ratio": posts["events_per_second"] / statement["per_second"], "batched_p99_us": posts["p99_us"],
        "batched_server_cpu_per_1000": posts["server_cpu"], "batched_postgres_cpu_per_1000": posts["postgres_cpu"],
        "statement_postgres_cpu_per_1000": statement_cpu,
    }


def half_load(server, tools, seconds, rate):
    """The delay of a post at half the load that was reached, against that of a commit with nothing else running."""
    commits = pgbench(server, seconds, 1)
    posts = post(server, tools, seconds, "--connections", 64, "--rate", rate)
    return {"half_rate": rate, "half_p50_us": posts["p50_us"], "half_p99_us": posts["p99_us"],
            "commit_p50_us": commits["p50_us"], "commit_p99_us": commits["p99_us"],
            "half_p99_ratio": posts["p99_us"] / commits["p99_us"]}


def settled_cpu(server):
    """Of PostgreSQL, once the connections that were just closed have ended: their time then is the postmaster's."""
    time.sleep(0.5)
    return cpu_seconds(server.postgres_pid())


def post(server, tools, seconds, *flags):
    before = cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())
    posts = run_json([tools["http-load"], "--port", server.port, "--seconds", seconds, *flags],
                     {"BENCH_KEY": server.key}, seconds + 20)
    if posts["refused"] or posts["broken"]:
        sys.exit(f"the server did not take every post: {posts}")
    after = cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())
    each = [(b - a) / posts["accepted"] * 1000 for a, b in zip(before, after)]
    return {**posts, "events_per_second": posts["accepted"] / posts["seconds"], "server_cpu": each[0],
            "postgres_cpu": each[1]}


def pgbench(server, seconds, clients):
    """The delays one by one with a single client only: writing them down costs."""
    program = shutil.which("pgbench") or sys.exit("pgbench is needed: apt-get install postgresql")
    script = os.path.join(os.path.dirname(server.log), "insert.sql")
    prefix = os.path.join(os.path.dirname(server.log), "pgbench-log")
    with open(script, "w") as file:
        file.write(PGBENCH_SCRIPT)
    log = ["--log", "--log-prefix", prefix] if clients == 1 else []
    seconds = max(1, round(seconds))
    done = subprocess.run(
        [program, "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(seconds), *log,
         "-D", "payload=" + "x" * 500, "-f", script, *server.database(), "monitor"],
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


FILL_DAY = """
INSERT INTO events (seq, event_id, type, hook_event_name, occurred_at, received_at, machine_id, machine_name,
    session_id, workspace_id, project_path, tool_name, summary, payload, facts)
SELECT n, ids.id, 'tool', 'PostToolUse', at, at, m.id, m.name, 'filled-' || n / 200, 'ws-' || n / 20000,
    '/home/bench/' || n / 20000, 'Bash', 'make -C build all && abcdefghijklmnopqrst', '{{"fill":"' || repeat('x', 400) || '"}}',
    '{{"input":"' || n || '"}}'
FROM generate_series({first}::bigint, {last}::bigint) AS n,
    LATERAL (SELECT gen_random_uuid() AS id, timestamptz '{day}' + (n - {first}) * interval '{step} s' AS at) AS ids,
    (SELECT id, name FROM machines ORDER BY id LIMIT 1) AS m;
"""
FILL_REST = """
INSERT INTO event_ids SELECT event_id, seq, received_at FROM events WHERE session_id LIKE 'filled-%';
INSERT INTO sessions (id, machine_id, machine_name, workspace_id, project_path, started_at, last_activity_at, state,
    message_count, tool_call_count, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, last_seq, fold)
SELECT session_id, min(machine_id), min(machine_name), min(workspace_id), min(project_path), min(occurred_at),
    max(occurred_at), 'idle', 0, count(*), 0, 0, 0, 0, max(seq),
    format('{"machine":[%s,"00000000-0000-7000-8000-000000000000",[%s,"%s",null]],"started":%s,"active":%s,"seq":%s}',
        (extract(epoch FROM min(occurred_at)) * 1e6)::bigint, min(machine_id), min(machine_name),
        (extract(epoch FROM min(occurred_at)) * 1e6)::bigint, (extract(epoch FROM max(occurred_at)) * 1e6)::bigint,
        max(seq))
FROM events WHERE session_id LIKE 'filled-%' GROUP BY session_id;
UPDATE log_head SET last_seq = (SELECT max(seq) FROM events), folded_seq = (SELECT max(seq) FROM events);
"""


def large(server, tools, seconds, rounds, events):
    """What an event and a page of sessions cost with many events stored, against few."""
    report = {"stored": []}
    for stored in (10_000, events):
        fill(server, stored)
        # A writer that finds another's work on the log writes every session with its batch for ten seconds.
        post(server, tools, 1, "--connections", 64)
        time.sleep(11)
        found = [cost(server, tools, seconds) for _ in range(rounds)]
        report["stored"].append({key: statistics.median(one[key] for one in found) for key in found[0]})
        print(f"  {stored:,} stored: {report['stored'][-1]}", file=sys.stderr)
    few, many = report["stored"]
    report["ratios"] = {key: many[key] / few[key] for key in few}
    return report


def cost(server, tools, seconds):
    posts = post(server, tools, seconds, "--connections", 64)
    before, pages = cpu_seconds(server.pid) + cpu_seconds(server.postgres_pid()), 500
    for _ in range(pages):
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}/v1/sessions?limit=50",
                                         headers={"Authorization": f"Bearer {server.token}"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            answer.read()
    after = cpu_seconds(server.pid) + cpu_seconds(server.postgres_pid())
    return {"event_us": (posts["server_cpu"] + posts["postgres_cpu"]) * 1000, "page_us": (after - before) / pages * 1e6}


def fill(server, events):
    """So many events of thirty days, in the statements' own form; the writer finds the head moved and looks anew."""
    days = 30
    first = int(server.value("SELECT last_seq + 1 FROM log_head"))
    statements = ["BEGIN", "SELECT FROM log_head FOR UPDATE"]
    for day in range(days):
        last = first + events // days - 1
        midnight = server.value(f"SELECT ((now() AT TIME ZONE 'UTC')::date - {days - day})::text || ' 00:00+00'")
        statements.append(f"SELECT create_event_partition(date '{midnight[:10]}')")
        fields = {"first": first, "last": last, "day": midnight, "step": 86000 / (events // days)}
        statements.append(FILL_DAY.format(**fields).strip(" ;\n"))
        first = last + 1
    statements += ["DELETE FROM event_ids i USING events e WHERE e.event_id = i.event_id AND e.session_id LIKE 'filled-%'",
                   "DELETE FROM sessions WHERE id LIKE 'filled-%'"]
    server.psql(";\n".join(statements) + ";\n" + FILL_REST + "COMMIT; ANALYZE;",
                timeout=3600)


def show_ingest(f):
    print(f"""ingest, 64 connections, 500-byte hooks, one per request
  acknowledged posts       {f['posts_per_second']:>10,.0f} /s    p50 {f['p50_us'] / 1000:.1f} ms, \
p99 {f['p99_us'] / 1000:.1f} ms
  pgbench single inserts   {f['inserts_per_second']:>10,.0f} /s    mean {f['insert_latency_us'] / 1000:.1f} ms
  RATIO                    {f['ratio']:>10.2f}
  CPU seconds per 1000     server {f['server_cpu_per_1000']:.3f}, PostgreSQL {f['postgres_cpu_per_1000']:.3f}; \
PostgreSQL alone with single inserts {f['insert_postgres_cpu_per_1000']:.3f}
ingest, 4 connections, {BATCH} hooks of 500 bytes in each request
  acknowledged events      {f['batched_per_second']:>10,.0f} /s    p99 {f['batched_p99_us'] / 1000:.1f} ms
  the batch statements     {f['statement_per_second']:>10,.0f} /s
  RATIO                    {f['batched_ratio']:>10.2f}
  CPU seconds per 1000     server {f['batched_server_cpu_per_1000']:.3f}, \
PostgreSQL {f['batched_postgres_cpu_per_1000']:.3f}; PostgreSQL alone {f['statement_postgres_cpu_per_1000']:.3f}
delay at half that load, {f['half_rate']:,.0f} posts/s at fixed times
  from POST to 202         p50 {f['half_p50_us'] / 1000:.2f} ms, p99 {f['half_p99_us'] / 1000:.2f} ms
  a commit alone           p50 {f['commit_p50_us'] / 1000:.2f} ms, p99 {f['commit_p99_us'] / 1000:.2f} ms
  RATIO of the p99         {f['half_p99_ratio']:>10.2f}""")


def show_large(events, f):
    few, many = f["stored"]
    print(f"""{events:,} events stored, against 10,000; server and PostgreSQL together
  CPU us per event         {many['event_us']:>10.1f}    {few['event_us']:.1f}    RATIO {f['ratios']['event_us']:.2f}
  CPU us per page of sessions {many['page_us']:>7,.0f}    {few['page_us']:,.0f}    RATIO {f['ratios']['page_us']:.2f}""")
