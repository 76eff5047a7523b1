"""Completeness: the server counts exactly which of a machine's numbered events have arrived, in whatever order they come."""

import random
import unittest
import uuid

import harness
from harness import Client, Postgres, Server, envelope, hook, iso, session, wait_for


def setUpModule():
    global cluster, server
    cluster = Postgres().start()
    server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    server.end()
    cluster.end()


class Machine:
    """Numbers events as the hooks' flusher does."""

    def __init__(self, name):
        self.name, self.key, self.stream, self.n, self.sessions = name, server.key(name), str(uuid.uuid4()), 0, {}

    def event(self, chosen=None, name="UserPromptSubmit", **fields):
        self.n += 1
        stream = {"id": self.stream, "n": self.n}
        if chosen:
            self.sessions[chosen] = stream["session_n"] = self.sessions.get(chosen, 0) + 1
        return envelope(hook(name, chosen, prompt="x", **fields), at=iso(-60), stream=stream)

    def post(self, items, path="/api/events", **headers):
        client = Client(server.address, self.key)
        for start in range(0, len(items), 100):
            answer = client.request("POST", path, items[start:start + 100], headers)
            assert answer.status == 202, answer
        client.close()

    def found(self):
        return next(one for one in server.get("/v1/machines").json["machines"] if one["name"] == self.name)["completeness"]


def completeness(chosen):
    return server.get(f"/v1/sessions/{chosen}").json["completeness"]


def model(arrivals):
    """(recovered, missing) for numbers in the order of arrival."""
    known, recovered, highest = set(), 0, 0
    for number in arrivals:
        recovered += number < highest and number not in known
        known.add(number)
        highest = max(highest, number)
    return recovered, highest - len(known)


def shown(recovered, missing):
    return {"state": "missing" if missing else "recovered" if recovered else "complete", "recovered": recovered,
            "missing": missing}


class Counting(unittest.TestCase):
    def test_all_in_order_is_complete_and_no_numbers_are_unknown(self):
        machine, chosen, other = Machine("orderly"), session(), session()
        machine.post([machine.event(chosen) for _ in range(5)])
        self.assertEqual(completeness(chosen), shown(0, 0))
        self.assertEqual(machine.found(), shown(0, 0))
        machine.post([envelope(hook("UserPromptSubmit", other, prompt="x"))])
        self.assertEqual(completeness(other), {"state": "unknown", "recovered": 0, "missing": 0})

    def test_shuffled_repeated_dropped(self):
        for seed in range(6):
            chance, machine = random.Random(seed), Machine(f"lossy {seed}")
            chosen = [session() for _ in range(3)]
            items = [machine.event(chance.choice([*chosen, None])) for _ in range(120)]
            kept = [item for item in items if chance.random() > 0.2]
            kept += chance.sample(kept, 20)
            if seed % 2:
                chance.shuffle(kept)
            machine.post(kept)
            lost = 0
            for one in chosen:
                numbers = [item["stream"]["session_n"] for item in kept if item["data"]["session_id"] == one]
                recovered, missing = model(numbers)
                lost += missing
                self.assertEqual(completeness(one), shown(recovered, missing), seed)
            recovered, missing = model([item["stream"]["n"] for item in kept])
            self.assertEqual(machine.found(), shown(recovered, max(0, missing - lost)), seed)
            # The missing events arrive from the spool.
            machine.post([item for item in items if item not in kept])
            for one in chosen:
                self.assertEqual(completeness(one)["missing"], 0)
            self.assertEqual(machine.found()["missing"], 0)

    def test_a_prompt_s_copy_without_a_number_hides_none(self):
        machine, chosen = Machine("asking"), session()
        first = machine.event(chosen)
        asked = machine.event(chosen, "PermissionRequest", tool_name="Bash", tool_input={"command": "true"})
        plain = {name: value for name, value in asked.items() if name != "stream"}
        last = machine.event(chosen)
        last["data"]["prompt"] = "another"
        machine.post([first])
        machine.post([plain])
        machine.post([asked, last])
        machine.post([asked])
        self.assertEqual(completeness(chosen), shown(0, 0))
        self.assertEqual(machine.found(), shown(0, 0))
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["message_count"], 2)

    def test_a_new_stream_begins_anew(self):
        machine, chosen = Machine("reborn"), session()
        machine.post([machine.event(chosen) for _ in range(3)])
        machine.stream, machine.n, machine.sessions = str(uuid.uuid4()), 0, {}
        machine.event(chosen)
        machine.post([machine.event(chosen)])
        self.assertEqual(completeness(chosen), shown(0, 1))

    def test_numbers_that_are_none_are_passed_over(self):
        machine, chosen = Machine("odd"), session()
        for stream in ({"id": "x", "n": 0}, {"id": "", "n": 1}, {"id": "x", "n": "1"}, {"n": 1}, "x", None, {"id": "x" * 65, "n": 1}):
            machine.post([{**envelope(hook("UserPromptSubmit", chosen, prompt="x")), "stream": stream}])
        self.assertEqual(completeness(chosen)["state"], "unknown")


class Sources(unittest.TestCase):
    def test_a_rebuild_counts_the_same(self):
        machine, chosen = Machine("rebuilt"), session()
        items = [machine.event(chosen) for _ in range(30)]
        machine.post([*items[20:], *items[:10]])
        before = completeness(chosen)
        self.assertEqual(before, shown(10, 10))
        rows = "SELECT machine_id, stream_id, session_id, numbers, missing, recovered FROM stream_progress ORDER BY 1, 2, 3"
        stored = cluster.sql(rows)
        harness.subprocess.run([harness.SERVER, "rebuild", "completeness"], check=True, timeout=60, capture_output=True,
                               env=server.environment())
        wait_for(lambda: cluster.sql(rows) == stored, "the same rows")
        self.assertEqual(completeness(chosen), before)

    def test_events_of_the_server_s_spool_keep_their_numbers(self):
        machine, chosen = Machine("spooled"), session()
        machine.post([machine.event(chosen)])
        cluster.stop("immediate")
        wait_for(lambda: server.health()[0] == 503, "the server notices")
        machine.post([machine.event(chosen)])
        cluster.start()
        server.wait_healthy()
        machine.post([machine.event(chosen)])
        wait_for(lambda: server.get(f"/v1/sessions/{chosen}").status == 200 and completeness(chosen) == shown(0, 0), "all numbers")
