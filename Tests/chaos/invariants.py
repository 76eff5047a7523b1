"""What must hold after everything is repaired. Each check returns a list of violations."""

import json
import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass

from reports import usage_adds_up
from system import wait_until

RSS_KIBIBYTES = 400 << 10
MORE_FILES = 40
CATCH_UP_SECONDS = 60


@dataclass(frozen=True)
class Row:
    seq: int
    event_id: str
    kind: str
    session: str
    hook: str
    producer: str
    counter: int

    @property
    def is_servers_own(self):
        """True for the server's own events: about prompts, and from telemetry and transcripts."""
        return self.producer is None and (self.kind.startswith("prompt_") or self.kind in ("telemetry", "transcript"))


def table(sql):
    text = sql.lines("SELECT json_build_array(seq, event_id, type, session_id, hook_event_name, "
                     "payload::json->>'producer', (payload::json->>'counter')::bigint) FROM events ORDER BY seq", 60)
    return [Row(*json.loads(line)) for line in text]


def some(items, limit=4):
    items = list(items)
    return f"{len(items)}: " + ", ".join(map(str, items[:limit])) + (" ..." if len(items) > limit else "")


def acknowledged_once(world, rows):
    ledger, wrong = world.ledger, list(world.ledger.faults)
    seqs = defaultdict(list)
    for row in rows:
        seqs[row.event_id].append(row.seq)
    if lost := [event for event in ledger.acknowledged if event not in seqs]:
        origin = ("spooled " if event in ledger.spooled else "committed " for event in lost)
        wrong.append("acknowledged and lost " + some(f"{kind}{event}" for kind, event in zip(origin, lost)))
    if moved := [event for event, seq in ledger.acknowledged.items() if seq and seq not in seqs.get(event, [seq])]:
        wrong.append("acknowledged with another seq " + some(moved))
    if ledger.answers["never acknowledged"]:
        wrong.append(f"{ledger.answers['never acknowledged']} events still refused at the end")
    return wrong


def nothing_else(world, rows):
    wrong = []
    if twice := [event for event, count in Counter(row.event_id for row in rows).items() if count > 1]:
        wrong.append("more than once in the table " + some(twice))
    fired = {machine.name: machine.fired for machine in world.hooks}
    for row in rows:
        if row.is_servers_own:
            continue
        sent = world.ledger.sent.get(row.event_id)
        if sent:
            if (sent.producer, sent.counter, sent.session, sent.hook) != (row.producer, row.counter, row.session,
                                                                          row.hook):
                wrong.append(f"seq {row.seq} is not what was sent: {sent}, {row}")
        elif fired.get(row.producer, {}).get(row.counter) != row.hook:
            wrong.append(f"seq {row.seq} was never sent: {row}")
    return wrong[:10]


def dense_and_ordered(world, rows):
    wrong = []
    if [row.seq for row in rows] != list(range(1, len(rows) + 1)):
        seqs = {row.seq for row in rows}
        wrong.append(f"{len(rows)} rows, seq {rows[0].seq} to {rows[-1].seq}, absent "
                     + some(sorted(set(range(1, rows[-1].seq + 1)) - seqs)))
    head = world.sql.lines("SELECT last_seq FROM log_head")
    if head != [str(rows[-1].seq)]:
        wrong.append(f"log_head says {head}, the newest is {rows[-1].seq}")
    ids = world.sql.lines("SELECT count(*) FROM event_ids i FULL JOIN events e USING (event_id, seq) "
                          "WHERE i.seq IS NULL OR e.seq IS NULL")
    if ids != ["0"]:
        wrong.append(f"{ids} rows of events and event_ids without the other")
    latest = {}
    for row in rows:
        if row.is_servers_own or row.event_id in world.ledger.sent and row.event_id not in world.ledger.acknowledged:
            continue
        if row.counter <= latest.get(row.producer, 0):
            wrong.append(f"{row.producer}: {row.counter} at seq {row.seq} after {latest[row.producer]}")
        latest[row.producer] = max(row.counter, latest.get(row.producer, 0))
    return wrong[:10]


def catch_up(subscriber, count):
    """Waits as long as there is progress. A subscriber with small buffers needs minutes for a long log."""
    while len(subscriber.received) < count and not subscriber.faults:
        before = len(subscriber.received)
        wait_until(CATCH_UP_SECONDS, lambda: len(subscriber.received) >= count or subscriber.faults)
        if len(subscriber.received) <= before + CATCH_UP_SECONDS:
            return


def subscribers_saw_the_log(world, rows):
    wrong = []
    for subscriber in world.audience.subscribers:
        expected = [(row.seq, row.event_id) for row in rows
                    if row.seq > subscriber.first and subscriber.wants(row.session, row.kind)]
        catch_up(subscriber, len(expected))
        wrong += subscriber.faults
        got = list(subscriber.received)
        if got != expected:
            missing, extra = set(expected) - set(got), set(got) - set(expected)
            wrong.append(f"{subscriber.name}: {len(got)} of {len(expected)} events, at {subscriber.seq} of "
                         f"{rows[-1].seq}, {subscriber.connections} connections; missing {some(sorted(missing))}; "
                         f"beyond them {some(sorted(extra))}")
    return wrong


def sessions_add_up(world, rows):
    wrong, tools, last = [], Counter(), {}
    for row in rows:
        tools[row.session] += row.hook in ("PostToolUse", "PostToolUseFailure")
        last[row.session] = row.seq
    for session, count in tools.items():
        status, answer = world.server.request("GET", f"/v1/sessions/{session}", key=world.server.token)
        answer = answer.get("session", answer) if status == 200 else {}
        if (answer.get("tool_call_count"), answer.get("last_seq")) != (count, last[session]):
            wrong.append(f"{session}: status {status}, tool_call_count {answer.get('tool_call_count')}, last_seq "
                         f"{answer.get('last_seq')}; its events say {count}, {last[session]}")
    return wrong[:10]


DERIVED = ";".join(f"SELECT '{table} ' || t::text FROM {table} t ORDER BY 1" for table in (
    "sessions", "prompts", "event_counts", "usage_requests", "usage_sessions", "usage_copies", "usage_streams", "search_events",
    "stream_progress"))
BEHIND = """
SELECT name FROM projections p, log_head h WHERE p.name <> 'push' AND (p.epoch, p.seq) IS DISTINCT FROM (h.epoch, h.last_seq)
"""


def rebuilt_alike(world, rows):
    """The projections that were updated during the faults equal those of a rebuild."""
    if not wait_until(30, lambda: not world.sql.lines(BEHIND), 0.2):
        return [f"behind the log: {world.sql.lines('SELECT * FROM projections')}"]
    before = world.sql.lines(DERIVED)
    done = subprocess.run([world.server.program, "rebuild"], env=world.server.environment, text=True,
                          capture_output=True, timeout=120)
    if done.returncode:
        return [f"rebuild: {done.returncode} {done.stderr}"]
    after = world.sql.lines(DERIVED)
    return [f"before {one}; after {other}" for one, other in zip(before, after) if one != other][:3] + (
        [f"{len(before)} rows before, {len(after)} after"] if len(before) != len(after) else [])


PROMPTS = """
SELECT json_build_array(p.id, p.state, p.prompt::jsonb -> 'answer' ->> 'decision',
    (SELECT a.answer::jsonb ->> 'decision' FROM prompt_answers a
        WHERE a.prompt_id = p.id AND a.answer_id = p.prompt::jsonb #>> '{answer,id}'),
    coalesce((SELECT json_agg(late ->> 'id') FROM jsonb_array_elements(p.prompt::jsonb -> 'late') late), '[]'::json))
FROM prompts p
"""
ANSWERED_TWICE = """
SELECT payload::json ->> 'prompt_id' FROM events WHERE type = 'prompt_updated' AND payload::json ->> 'step' = 'answered'
GROUP BY 1 HAVING count(*) > 1
"""


def answers_arrived(world, rows):
    """Each answer counts once, and only the hook that waits for it prints it."""
    wrong, person = list(world.person.faults), world.person
    if twice := world.sql.lines(ANSWERED_TWICE):
        wrong.append("answered twice in the log " + some(twice))
    known = {row[0]: row[1:] for row in map(json.loads, world.sql.lines(PROMPTS, 60))}
    in_log = {"prm_" + row.event_id.replace("-", "") for row in rows if row.hook == "PermissionRequest"}
    for asker in world.askers:
        for prompt, printed in asker.printed.items():
            if prompt not in known:
                wrong.append(f"{prompt}: a hook was answered ({printed}), and there is no such prompt")
            elif printed != person.wanted.get(prompt, {}).get("decision") and printed is not None:
                wrong.append(f"{prompt}: the hook printed {printed}, the person said {person.wanted.get(prompt)}")
            elif printed is None and prompt in person.given:
                wrong.append(f"{prompt}: the person's answer counted, and the hook printed nothing")
    for prompt in in_log - known.keys():
        wrong.append(f"{prompt} is asked in the log and is no prompt")
    for prompt, decision in person.given.items():
        state, answer, stored, _ = known.get(prompt, (None,) * 4)
        if (answer, stored) != (decision, decision):
            wrong.append(f"{prompt}: answered {decision}; the prompt, {state}, says {answer}, its answer {stored}")
    for prompt, (answer_id, code) in person.refused.items():
        if prompt in known and code != "not_answerable" and answer_id not in known[prompt][3]:
            wrong.append(f"{prompt}: refused with {code}, and the answer is not among the late ones")
    if not person.given:
        wrong.append("not one prompt was answered")
    return wrong[:10]


def hooks_arrived(world, rows):
    wrong = []
    got = Counter((row.producer, row.counter) for row in rows)
    for machine in world.hooks:
        wrong += machine.faults[:5]
        if machine.waiting():
            wrong.append(f"{machine.name}: {machine.waiting()} events still in the spool: {machine.last_error()}")
        if rejected := list((machine.state / "rejected").glob("*")):
            wrong.append(f"{machine.name}: rejected {some(path.name for path in rejected)}")
        for number in machine.fired:
            if got[machine.name, number] != 1:
                wrong.append(f"{machine.name}: event {number} is {got[machine.name, number]} times in the table")
    return wrong[:10]


def server_stayed_well(world, rows):
    server = world.server
    second = getattr(world, "second", None)
    wrong = list(world.faults) + [fault for fault in server.faults if not fault.startswith("SIGTERM")] + (
        second.faults if second else [])
    if server.largest_rss > RSS_KIBIBYTES:
        wrong.append(f"resident memory up to {server.largest_rss >> 10} MiB")
    if not wait_until(20, lambda: server.open_files() <= world.files_at_start + MORE_FILES, 0.5):
        wrong.append(f"{server.open_files()} open files at the end, {world.files_at_start} at the start")
    log = world.log.read_text(errors="replace")
    for secret in world.keys + [server.token]:
        if secret in log:
            wrong.append("a credential is in the log")
    if found := re.findall(r"(?im)^.*(?:fatal error|cmk_[0-9A-Za-z]{20,}|precondition failed|\*\*\* ).*$", log):
        wrong.append("in the log: " + some(found, 2))
    return wrong


def healthy(world, rows):
    answer = world.server.health()
    if world.healthy_after is None or answer is None or answer[0] != 200 or not answer[1].get("ok"):
        return [f"/health: {answer}"]
    return []


CHECKS = (
    ("every acknowledged event is in the log, once, at its seq", acknowledged_once),
    ("nothing is in the log twice, or that was not sent", nothing_else),
    ("seq is dense, and keeps the order of each machine", dense_and_ordered),
    ("each subscriber got its part of the log, no hole, no repeat", subscribers_saw_the_log),
    ("sessions are what their events add up to", sessions_add_up),
    ("each request to a model and each line of a transcript counts once", usage_adds_up),
    ("each answer to a prompt counts once, and its hook prints it", answers_arrived),
    ("tables that follow from the log are what a rebuild makes", rebuilt_alike),
    ("hook spools are empty, their events there once and in order", hooks_arrived),
    ("recovered each time, memory and files bounded, log clean", server_stayed_well),
    ("/health is healthy", healthy),
)


def left_nothing(world):
    return [f"still there after SIGTERM: {text}" for text in world.left_over] + [
        fault for fault in world.server.faults if fault.startswith("SIGTERM")]
