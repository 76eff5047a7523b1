"""What an event and the main reads cost with many events stored, against few: in the same partitions, of thirty days."""

import statistics
import sys
import time
import urllib.error
import urllib.request

from harness import cpu_seconds
from ingest import post

FEW = 10_000
# A round's posts are taken in so many turns of the two.
TURNS = 3
DAYS = 30
# Ids as senders make them (UUIDv7), sessions of 200 events, one event in 2000 of a rare type.
FILL_DAY = """
INSERT INTO events (seq, event_id, type, hook_event_name, occurred_at, received_at, machine_id, machine_name,
    session_id, workspace_id, project_path, tool_name, summary, payload, facts)
SELECT n, overlay(overlay(gen_random_uuid()::text PLACING stamp FROM 1 FOR 13) PLACING '7' FROM 15 FOR 1)::uuid,
    kind.type, kind.hook, at, at, m.id, m.name, 'filled-' || n / 200, 'ws-' || n / 20000, '/home/bench/' || n / 20000,
    'Bash', 'make -C build all && abcdefghijklmnopqrst', '{{"fill":"' || repeat('x', 400) || '"}}',
    '{{"input":"' || n || '"}}'
FROM generate_series({first}::bigint, {last}::bigint) AS n,
    LATERAL (SELECT timestamptz '{day}' + (n - {first}) * interval '{step} s' AS at) AS times,
    LATERAL (SELECT regexp_replace(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), '^.{{8}}', '\\&-')
        AS stamp) AS stamps,
    LATERAL (SELECT CASE WHEN n % 2000 = 0 THEN 'pre_compact' WHEN n % 20 = 0 THEN 'prompt' ELSE 'tool' END AS type,
        CASE WHEN n % 2000 = 0 THEN 'PreCompact' WHEN n % 20 = 0 THEN 'UserPromptSubmit' ELSE 'PostToolUse' END AS hook
    ) AS kind,
    (SELECT id, name FROM machines ORDER BY id LIMIT 1) AS m;
INSERT INTO event_ids SELECT event_id, seq, received_at FROM events WHERE seq BETWEEN {first} AND {last};
UPDATE log_head SET last_seq = {last};
UPDATE projections SET seq = {last}, generation = generation + 1 WHERE name = 'sessions';
"""
FILL_SESSIONS = """
INSERT INTO sessions (id, machine_id, machine_name, workspace_id, project_path, started_at, last_activity_at, state,
    message_count, tool_call_count, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, last_seq, fold)
SELECT session_id, min(machine_id), min(machine_name), min(workspace_id), min(project_path), min(occurred_at),
    max(occurred_at), 'idle', 0, count(*), 0, 0, 0, 0, max(seq),
    format('{"machine":[%s,"00000000-0000-7000-8000-000000000000",[%s,"%s",null]],"started":%s,"active":%s,"seq":%s}',
        (extract(epoch FROM min(occurred_at)) * 1e6)::bigint, min(machine_id), min(machine_name),
        (extract(epoch FROM min(occurred_at)) * 1e6)::bigint, (extract(epoch FROM max(occurred_at)) * 1e6)::bigint,
        max(seq))
FROM events WHERE session_id LIKE 'filled-%' GROUP BY session_id
ON CONFLICT (id) DO NOTHING;
"""
# {session}: one from the middle of the log, {middle}: its place there.
READS = {
    "page of sessions": "/v1/sessions?limit=50",
    "messages of a session": "/v1/sessions/{session}/messages?limit=50",
    "events of a session": "/v1/events?session_id={session}&limit=50",
    "newest events": "/v1/events?order=desc&limit=50",
    "events after a place": "/v1/events?after={middle}&limit=50",
    "a frequent type": "/v1/events?types=tool&order=desc&limit=50",
    "a rare type": "/v1/events?types=pre_compact&order=desc&limit=50",
    "a type that never occurs": "/v1/events?types=elicitation&order=desc&limit=50",
    "a machine that sent nothing": "/v1/events?machine=nobody&order=desc&limit=50",
}


def large(few, many, tools, seconds, rounds, events):
    """Two servers in turn, so that a machine that is faster for some minutes is so for both."""
    for server, stored in ((few, FEW), (many, events)):
        fill(server, stored)
    for server in (few, many):
        # A writer that finds another's work on the log writes every session with its batch for ten seconds.
        post(server, tools, 1, "--connections", 64)
    time.sleep(11)
    found = []
    for number in range(rounds * TURNS):
        turn = [few, many] if number % 2 == 0 else [many, few]
        costs = {server: cost(server, tools, max(1, seconds / TURNS)) for server in turn}
        found.append((costs[few], costs[many]))
        print(f"  event {found[-1][0]['event_us']:.1f} and {found[-1][1]['event_us']:.1f} us, "
              f"page {found[-1][0]['page_us']:,.0f} and {found[-1][1]['page_us']:,.0f} us", file=sys.stderr)
    report = {key: {"few": statistics.median(one[key] for one, _ in found),
                    "many": statistics.median(other[key] for _, other in found),
                    "ratio": statistics.median(other[key] / one[key] for one, other in found)}
              for key in found[0][0]}
    return {**report, "reads": {"few": reads(few), "many": reads(many)}}


def cost(server, tools, seconds):
    """CPU of server and PostgreSQL together, microseconds."""
    posts = post(server, tools, seconds, "--connections", 64)
    before, pages = cpu_seconds(server.pid) + cpu_seconds(server.postgres_pid()), 500
    for _ in range(pages):
        read(server, READS["page of sessions"])
    after = cpu_seconds(server.pid) + cpu_seconds(server.postgres_pid())
    return {"event_us": (posts["server_cpu"] + posts["postgres_cpu"]) * 1000, "page_us": (after - before) / pages * 1e6}


def reads(server):
    """Milliseconds, the median of ten each."""
    middle = int(server.value("SELECT max(last_seq) / 2 FROM sessions WHERE id LIKE 'filled-%'"))
    session = server.value(f"SELECT session_id FROM events WHERE seq >= {middle} ORDER BY seq LIMIT 1")
    return {name: statistics.median(read(server, path.format(session=session, middle=middle)) for _ in range(10))
            for name, path in READS.items()}


def read(server, path):
    """Milliseconds of one request."""
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}",
                                     headers={"Authorization": f"Bearer {server.token}"})
    before = time.monotonic()
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        answer.read()
    return (time.monotonic() - before) * 1000


def fill(server, events):
    """So many events more, in the statements' own form; the writer finds the head moved and looks anew."""
    started = time.monotonic()
    for day in range(DAYS):
        first = int(server.value("SELECT last_seq + 1 FROM log_head"))
        midnight = server.value(f"SELECT ((now() AT TIME ZONE 'UTC')::date - {DAYS - day})::text || ' 00:00+00'")
        share = events // DAYS
        insert = FILL_DAY.format(first=first, last=first + share - 1, day=midnight, step=86000 / share)
        server.psql(f"SELECT create_event_partition(date '{midnight[:10]}'); BEGIN; SELECT FROM log_head FOR UPDATE;"
                    f"{insert} COMMIT;", timeout=600)
    server.psql(FILL_SESSIONS, timeout=1800)
    server.psql("VACUUM (FREEZE, ANALYZE); CHECKPOINT", timeout=3600)
    print(f"  {events:,} events filled in within {time.monotonic() - started:.0f} s", file=sys.stderr)


def show_large(events, f):
    print(f"{events:,} events stored, against {FEW:,}; server and PostgreSQL together")
    for name, key in (("CPU us per event", "event_us"), ("CPU us per page of sessions", "page_us")):
        print(f"  {name:<32}{f[key]['many']:>9,.1f}    {f[key]['few']:,.1f}    RATIO {f[key]['ratio']:.2f}")
    for name in READS:
        print(f"  ms, {name:<28}{f['reads']['many'][name]:>9.1f}    {f['reads']['few'][name]:.1f}")
