"""OTLP logs, against the writer's statements alone; searches and sums over a million rows."""

import http.client
import json
import re
import statistics
import sys
import threading
import time
import urllib.parse

from harness import cpu_seconds, run_json
from ingest import make_tables
from large import read

BATCH = 100
SENDERS = 2
ROWS = 1_000_000
# Lines as of a month, from a vocabulary of twenty thousand words of which each line has forty; one in 2000 has a rare one.
FILL_LINES = """
INSERT INTO transcript_lines (machine_id, session_id, key, file_id, line_offset, at, type, kind, is_message, line, words,
    received_at)
SELECT (SELECT min(id) FROM machines), 'searched-' || n / 500, 'line-' || n, 0, n, now() - (n || ' s')::interval, 'user',
    'tool_output', true, '{}', (SELECT string_agg('w' || (random() * random() * 20000)::int, ' ') FROM generate_series(1, 40)
        WHERE n IS NOT NULL) || CASE WHEN n %% 2000 = 0 THEN ' zanzibarite' ELSE '' END, now()
FROM generate_series(1, %d) AS n
"""
FILL_REQUESTS = """
INSERT INTO usage_requests (key, session_id, machine_id, workspace_id, request_id, model, query_source, at, input_tokens,
    output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cost, is_estimate, sources, rank, first_seq)
SELECT 'r:filled-' || n, 'searched-' || n / 500, (SELECT min(id) FROM machines), 'ws-' || n %% 50, 'filled-' || n,
    CASE WHEN n %% 3 = 0 THEN 'claude-haiku-5-5' ELSE 'claude-opus-5-5' END, 'repl_main_thread', now() - (n || ' s')::interval,
    8, 300, 40000, 900, 0, 0.02, 0, 1, 1, 1
FROM generate_series(1, %d) AS n
"""
READS = {
    "search, a rare word": "/v1/search?q=zanzibarite&limit=20",
    "search, two words": "/v1/search?q=w9000+w12000&limit=20",
    "search, the commonest word": "/v1/search?q=w1&limit=20",
    "search in one session": "/v1/search?q=w20&session_id=searched-100&limit=20",
    "usage of all time by day": "/v1/usage?by=day",
    "usage of all time by project": "/v1/usage?by=project",
    "usage of one day by hour": "/v1/usage?by=hour&from={day}",
    "requests of a session": "/v1/sessions/searched-100/requests",
}
# The reads whose plans are shown, as PostgreSQL ran them for the server.
PLANS = ("search, a rare word", "usage of all time by day")


class Sender(threading.Thread):
    """One Claude Code after another's batch of log records, each new."""

    def __init__(self, server, number, seconds):
        super().__init__(daemon=True)
        self.port, self.key, self.number, self.seconds = server.port, server.key, number, seconds
        self.records, self.delays, self.failure = 0, [], None

    def batch(self, place):
        def record(number):
            at = time.time_ns()
            fields = {"session.id": f"telemetry-{self.number}-{place % 20}", "event.name": "api_request", "event.sequence": number,
                      "model": "claude-opus-5-5", "input_tokens": 8, "output_tokens": 321, "cache_read_tokens": 45000,
                      "cache_creation_tokens": 1200, "cost_usd": 0.0204, "request_id": f"req_{self.number}_{number}",
                      "query_source": "repl_main_thread", "duration_ms": 4200, "prompt.id": f"turn-{place}"}
            return {"timeUnixNano": str(at), "body": {"stringValue": "claude_code.api_request"}, "attributes": [
                {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}
                 if isinstance(value, float) else {"intValue": str(value)}} for key, value in fields.items()]}

        return json.dumps({"resourceLogs": [{"resource": {"attributes": []}, "scopeLogs": [{
            "scope": {"name": "com.anthropic.claude_code.events"},
            "logRecords": [record(place * BATCH + number) for number in range(BATCH)]}]}]}).encode()

    def run(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            ends, place = time.monotonic() + self.seconds, 0
            while time.monotonic() < ends:
                body, place = self.batch(place), place + 1
                began = time.monotonic()
                connection.request("POST", "/v1/logs", body, {"x-api-key": self.key, "Content-Type": "application/json"})
                answer = connection.getresponse()
                told = answer.read()
                if answer.status != 200 or b"rejected" in told:
                    raise RuntimeError(f"HTTP {answer.status}: {told[:300]}")
                self.delays.append(time.monotonic() - began)
                self.records += BATCH
        except Exception as error:  # noqa: BLE001: told by the thread that waits
            self.failure = error


def telemetry(server, tools, seconds, rounds):
    make_tables(server)
    found = []
    for number in range(rounds):
        insert = run_json([tools["batch-insert"], "--database", server.conninfo(), "--batch", BATCH, "--seconds", seconds], {},
                          seconds + 20)
        before = cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())
        senders = [Sender(server, f"{number}-{place}", seconds) for place in range(SENDERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
            if sender.failure:
                sys.exit(f"telemetry: {sender.failure}")
        records = sum(sender.records for sender in senders)
        after = cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())
        delays = sorted(delay for sender in senders for delay in sender.delays)
        found.append({"per_second": records / seconds, "p99_ms": delays[len(delays) * 99 // 100] * 1000,
                      "server_cpu_us": (after[0] - before[0]) / records * 1e6,
                      "postgres_cpu_us": (after[1] - before[1]) / records * 1e6,
                      "ratio": records / seconds / insert["per_second"]})
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def history(server):
    """Milliseconds of reads, the median of five each, and the plans of some."""
    server.psql(FILL_LINES % ROWS, timeout=1800)
    server.psql(FILL_REQUESTS % ROWS, timeout=600)
    server.psql("VACUUM (ANALYZE) transcript_lines; VACUUM (ANALYZE) usage_requests", timeout=600)
    day = urllib.parse.quote(server.value("SELECT to_char(now() - interval '3 days', 'YYYY-MM-DD')"))
    times = {name: statistics.median(read(server, path.format(day=day)) for _ in range(5)) for name, path in READS.items()}
    return {"rows": ROWS, "times": times, "plans": plans(server)}


def plans(server):
    """The plan of the longest statement of each read, by auto_explain on the server's own connections."""
    settings = {"auto_explain.log_min_duration": 0, "auto_explain.log_analyze": "on", "auto_explain.log_timing": "off"}
    for name, value in settings.items():
        server.psql(f"ALTER SYSTEM SET {name} = '{value}'")
    server.psql("SELECT pg_reload_conf()")
    found = {}
    for name in PLANS:
        read(server, READS[name])
        before = server.postgres_log()
        read(server, READS[name])
        entries = re.findall(r"duration: ([0-9.]+) ms  plan:\n((?:\t.*\n?)+)", server.postgres_log()[len(before):])
        text = max(entries, key=lambda entry: float(entry[0]))[1]
        found[name] = text.partition("\n\tQuery Parameters")[0] if "cost=" not in text else "\n".join(
            re.sub(r"\(cost=.*?\) ?", "", line[1:]) for line in text.splitlines() if "cost=" in line or "Rows Removed" in line)
    for name in settings:
        server.psql(f"ALTER SYSTEM RESET {name}")
    server.psql("SELECT pg_reload_conf()")
    return found


def show_telemetry(f):
    ratio = f", RATIO {f['ratio']:.2f} to the batch statements"
    print(f"""OTLP logs, {SENDERS} connections, {BATCH} records in each request
  acknowledged records     {f['per_second']:>10,.0f} /s    p99 {f['p99_ms']:.1f} ms{ratio}
  CPU us of a record       server {f['server_cpu_us']:.0f}, PostgreSQL {f['postgres_cpu_us']:.0f}""")


def show_history(f):
    print(f"{f['rows']:,} lines of transcripts and as many requests to models stored")
    for name, milliseconds in f["times"].items():
        print(f"  ms, {name:<30}{milliseconds:>9.1f}")
    for name, plan in f["plans"].items():
        print(f"  plan of {name}:")
        for line in plan.splitlines():
            print(f"    {line}")
