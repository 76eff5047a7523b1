"""One request to a model counts as one request, whatever reports it, with whatever ids, and in whatever order."""

import json
import random
import unittest
import uuid

import harness
import telemetry
from harness import Client, Server, envelope, hook, session
from transcripts import Sender, Transcript, stamp

MODEL = "claude-sonnet-4-5-20250929"
RATES = {"input": 3, "output": 15, "read": 0.3, "written": 3.75}


def setUpModule():
    global server, key, other_key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key, other_key = server.key("first"), server.key("second")


def tearDownModule():
    server.end()


def export(*records, credential=None, at=None):
    client = Client((at or server).address, credential or key)
    answer = client.request("POST", "/v1/logs", telemetry.logs(*records))
    client.close()
    assert answer.status == 200, answer


def upload(chosen, lines, credential=None, at=None, path=None, size=1 << 20):
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    Sender(at or server, credential or key, chosen, path).send(content, size)


def total(query="", at=None):
    return (at or server).get(f"/v1/usage?{query}").json["total"]


def line(chosen, kind, second, **fields):
    return {"type": kind, "sessionId": chosen, "uuid": str(uuid.uuid4()), "timestamp": stamp(second), "cwd": "/home/dev/app",
            "isSidechain": False, "version": "2.1.329", **fields}


def answer(chosen, second, usage, request_id=None, message_id=None, model=MODEL, **fields):
    """A transcript line of an answer. It has no ids if a gateway leaves them out."""
    message = {"type": "message", "role": "assistant", "model": model, "content": [{"type": "text", "text": "ok"}],
               "usage": {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, **usage}}
    if message_id:
        message["id"] = message_id
    if request_id:
        fields["requestId"] = request_id
    return line(chosen, "assistant", second, message=message, **fields)


def prompt(chosen, second, words="go"):
    return line(chosen, "user", second, message={"role": "user", "content": words})


def record(chosen, request_id, number, at, counts, **fields):
    """A telemetry record, with its cost by the price list."""
    fields = {"model": MODEL, "cost": cost_of(counts), **fields}
    return telemetry.request(chosen, request_id, number, at, input_tokens=counts["input"], output_tokens=counts["output"],
                             cache_read_tokens=counts["read"], cache_creation_tokens=counts["written"],
                             cache_creation_5m_tokens=counts["written"], **fields)


def cost_of(counts):
    return sum(counts[name] * rate for name, rate in RATES.items()) / 1e6


class Gateways(unittest.TestCase):
    def test_an_answer_without_ids_counts(self):
        chosen = session()
        block = answer(chosen, 2, {"input_tokens": 10, "output_tokens": 5})
        again = {**answer(chosen, 3, {"input_tokens": 10, "output_tokens": 5})}
        upload(chosen, [prompt(chosen, 1), block, again])
        found = total(f"session_id={chosen}")
        self.assertEqual((found["requests"], found["token_usage"]["input_tokens"], found["token_usage"]["output_tokens"]), (1, 10, 5))

    def test_answers_of_several_turns_with_one_message_id_are_several(self):
        for size in (1 << 20, 200):
            chosen = session()
            lines = []
            for turn in (1, 2, 3):
                lines += [prompt(chosen, 10 * turn), answer(chosen, 10 * turn + 5, {"input_tokens": 100 * turn, "output_tokens": 10 * turn},
                                                            message_id="relay")]
            upload(chosen, lines, size=size)
            found = total(f"session_id={chosen}")
            self.assertEqual((found["requests"], found["token_usage"]["input_tokens"]), (3, 600), size)

    def test_records_with_one_request_id_are_several(self):
        for numbers in ((0, 1, 2), (0, 0, 0)):
            chosen, at = session(), telemetry.nanoseconds(10)
            records = [telemetry.request(chosen, f"constant-{chosen}", number, at + 1000 * place) for place, number in enumerate(numbers)]
            export(*records)
            self.assertEqual(total(f"session_id={chosen}")["requests"], 3, numbers)
            export(*records)
            self.assertEqual(total(f"session_id={chosen}")["requests"], 3, "the same export again")

    def test_telemetry_without_a_request_id_reports_the_same_request(self):
        for telemetry_first in (True, False):
            chosen = session()
            usage = {"input_tokens": 1000, "output_tokens": 100}
            lines = [prompt(chosen, 0), answer(chosen, 1, usage, f"req_{chosen}", f"msg_{chosen}")]
            told = record(chosen, None, 0, None, {"input": 1000, "output": 100, "read": 0, "written": 0})
            steps = [lambda: export(told), lambda: upload(chosen, lines)]
            for step in steps if telemetry_first else reversed(steps):
                step()
                total()
            found = total(f"session_id={chosen}")
            self.assertEqual((found["requests"], found["token_usage"]["input_tokens"], found["source"]), (1, 1000, "both"))
            self.assertAlmostEqual(found["total_cost"], 0.0045, places=9)
            request, = server.get(f"/v1/sessions/{chosen}/requests").json["requests"]
            self.assertEqual((request["message_id"], request["source"]), (f"msg_{chosen}", "both"))

    def test_telemetry_that_knows_one_request_hides_no_others(self):
        chosen = session()
        lines = []
        for number in range(3):
            lines += [prompt(chosen, 10 * number), answer(chosen, 10 * number + 1, {"input_tokens": 100 + number, "output_tokens": 7})]
        upload(chosen, lines)
        export(record(chosen, None, 5, None, {"input": 102, "output": 7, "read": 0, "written": 0}))
        found = total(f"session_id={chosen}")
        self.assertEqual((found["requests"], found["token_usage"]["input_tokens"], found["confidence"]), (3, 303, "lower_bound"))

    def test_the_session_of_the_resource_and_the_name_in_the_record(self):
        for encode, headers in ((lambda body: body, {}), (telemetry.protobuf, {"Content-Type": "application/x-protobuf"})):
            chosen = session()
            one = record(chosen, f"req_{chosen}", 0, None, {"input": 5, "output": 6, "read": 0, "written": 0})
            one["attributes"] = [item for item in one["attributes"] if item["key"] not in ("session.id", "event.name")]
            one["eventName"] = "claude_code.api_request"
            del one["body"]
            body = telemetry.logs(one)
            resource = body["resourceLogs"][0]["resource"]
            body["resourceLogs"][0]["resource"] = {"attributes": resource["attributes"] + telemetry.attributes({"session.id": chosen})}
            client = Client(server.address, key)
            self.assertEqual(client.request("POST", "/v1/logs", encode(body), headers).status, 200)
            client.close()
            self.assertEqual(total(f"session_id={chosen}")["requests"], 1)


class Machines(unittest.TestCase):
    def test_another_machine_takes_no_request(self):
        mine, theirs = session(), session()
        before = total()["requests"]
        export(record(mine, f"req_{mine}", 0, None, {"input": 100, "output": 50, "read": 0, "written": 0}, cost=0.5))
        export(record(theirs, f"req_{mine}", 0, None, {"input": 1, "output": 5000, "read": 0, "written": 0}, cost=99.0),
               credential=other_key)
        found = server.get(f"/v1/sessions/{mine}").json
        self.assertEqual((found["total_tokens"], found["total_cost"]), (150, 0.5))
        self.assertEqual(server.get(f"/v1/sessions/{theirs}").json["total_cost"], 99)
        self.assertEqual(total()["requests"], before + 1)
        groups = {one["name"]: one["requests"] for one in server.get("/v1/usage?by=machine").json["groups"]}
        self.assertGreaterEqual(sum(groups.values()), before + 2)

    def test_a_transcript_on_two_machines_is_one_history(self):
        for request_id in (None, "req"):
            chosen = session()
            before = total()
            lines = [prompt(chosen, 0), answer(chosen, 1, {"input_tokens": 1000, "output_tokens": 100},
                                               request_id and f"{request_id}_{chosen}", f"msg_{chosen}")]
            for credential in (key, other_key):
                upload(chosen, lines, credential)
            after = total()
            self.assertEqual(after["requests"], before["requests"] + 1)
            self.assertEqual(after["token_usage"]["input_tokens"], before["token_usage"]["input_tokens"] + 1000)
            days = server.get("/v1/usage?by=day").json
            self.assertEqual(sum(one["requests"] for one in days["groups"]), after["requests"])
            # The session on each machine has a request of its own, so an erasure on one machine does not change the other's
            # count.
            erasing = Client(server.address, server.admin)
            self.assertEqual(erasing.request("POST", "/v1/erase", {"session_id": chosen}).status, 200)
            erasing.close()
            self.assertEqual(total()["requests"], after["requests"])

    def test_what_is_erased_on_one_machine_counts_on_the_other_under_one_request_id(self):
        """A gateway gives all answers one id. Two of them have the same number of tokens, and one is in another session."""
        chosen, other = session(), session()
        before = total()
        lines = []
        for number, tokens in enumerate((1000, 2000, 2000, 3000)):
            lines += [prompt(chosen, 10 * number), answer(chosen, 10 * number + 1, {"input_tokens": tokens, "output_tokens": 100},
                                                          f"constant-{chosen}", f"msg_{chosen}-{number}")]
        for credential in (key, other_key):
            upload(chosen, lines, credential, size=600)
        upload(other, [prompt(other, 0), answer(other, 1, {"input_tokens": 5, "output_tokens": 1}, f"constant-{chosen}", f"msg_{other}")])
        after = total()
        self.assertEqual(after["requests"], before["requests"] + 5)
        erasing = Client(server.address, server.admin)
        self.assertEqual(erasing.request("POST", "/v1/erase", {"session_id": chosen}).status, 200)
        erasing.close()
        left = total()
        self.assertEqual((left["requests"], left["token_usage"]), (after["requests"], after["token_usage"]))

    def test_an_id_of_a_thousand_requests_is_compared_within_its_sessions(self):
        """A gateway may give all requests of a company one id."""
        crowd, chosen = session(), session()
        at, shared = telemetry.nanoseconds(500), f"crowd-{crowd}"
        export(*(record(crowd, shared, number, at + number, {"input": number, "output": 1, "read": 0, "written": 0})
                 for number in range(1100)))
        server.read_derived("/v1/usage")
        before = total()
        lines = [prompt(chosen, 0), answer(chosen, 1, {"input_tokens": 1000, "output_tokens": 100}, shared, f"msg_{chosen}"),
                 prompt(chosen, 2), answer(chosen, 3, {"input_tokens": 1000, "output_tokens": 100}, shared, f"msg_{chosen}2")]
        for credential in (key, other_key):
            upload(chosen, lines, credential)
        self.assertEqual(total()["requests"], before["requests"] + 2)
        export(record(chosen, shared, 0, None, {"input": 1000, "output": 100, "read": 0, "written": 0}))
        self.assertEqual(total()["requests"], before["requests"] + 2)


class Truth:
    """A session that is completely known, and what its sources report about it."""

    KINDS = ("api", "no request ids", "one request id", "one message id", "one of each", "none", "counted anew",
             "one request id, counted anew")

    def __init__(self, chance):
        self.chance, self.kind, self.session = chance, chance.choice(self.KINDS), session()
        self.has_transcript = chance.random() < 0.85
        self.telemetry = chance.choice(("all", "some", "none")) if self.has_transcript else "all"
        self.has_ids_in_telemetry = chance.random() < 0.7
        self.lines, self.records, self.answers, self.internal = [], [], {}, {}
        self.second, self.number, self.agent_lines = 0, 0, []
        # No two sessions have the same prompts.
        self.base = chance.randint(1, 1_000_000_000)
        for turn in range(chance.randint(1, 4)):
            self.turn(turn)
        if chance.random() < 0.4:
            self.subagent()

    def ids(self, turn_number):
        own = f"{self.session}-{self.number}"
        return {"api": (f"req_{own}", f"msg_{own}"), "no request ids": (None, f"msg_{own}"),
                "one request id": ("constant", f"msg_{own}"), "one message id": (None, "relay"),
                "one of each": ("constant", "relay"), "none": (None, None),
                "counted anew": (None, f"msg_{turn_number}"),
                "one request id, counted anew": ("constant", f"msg_{turn_number}")}[self.kind]

    def counts(self):
        # Each prompt is longer than the previous one, as in a conversation.
        return {"input": self.base + self.number, "output": self.chance.randint(1, 900), "read": 1000 * self.number,
                "written": self.chance.randint(0, 50)}

    def request(self, lines, number_in_turn, agent=None):
        self.number += 1
        request_id, message_id = self.ids(number_in_turn)
        counts = self.counts()
        usage = {"input_tokens": counts["input"], "output_tokens": counts["output"], "cache_read_input_tokens": counts["read"],
                 "cache_creation_input_tokens": counts["written"]}
        more = {"agentId": agent, "isSidechain": True} if agent else {}
        for block in range(self.chance.randint(1, 3)):
            self.second += 1
            index = {"apiBlockIndex": block} if self.chance.random() < 0.5 else {}
            lines.append(answer(self.session, self.second, usage, request_id, message_id, **more, **index))
        self.answers[self.number] = counts
        self.report(request_id, counts, self.answers)

    def report(self, request_id, counts, kind):
        # The client numbers all records, also those that get lost.
        number = len(self.records)
        shown = request_id if self.has_ids_in_telemetry else None
        at = telemetry.nanoseconds(500) + number * 1_000_000
        self.records.append((record(self.session, shown, number, at, counts), kind, self.number, counts))

    def turn(self, number):
        self.second += 1
        self.lines.append(prompt(self.session, self.second, f"prompt {number}"))
        for place in range(self.chance.randint(1, 3)):
            if place:
                self.second += 1
                self.lines.append(line(self.session, "user", self.second, message={"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": f"toolu_{self.number}", "content": "x"}]}))
            self.request(self.lines, place)
        if self.chance.random() < 0.3:
            # A request of the client itself, which is in no transcript.
            self.number += 1
            counts = self.counts()
            self.internal[self.number] = counts
            self.report("constant" if "constant" in (self.ids(0)[0] or "") else f"req_{self.session}-{self.number}", counts,
                        self.internal)

    def subagent(self):
        self.second += 1
        self.agent_lines.append(line(self.session, "user", self.second, isSidechain=True, agentId="a1",
                                     message={"role": "user", "content": "look"}))
        for place in range(self.chance.randint(1, 2)):
            if place:
                self.second += 1
                self.agent_lines.append(line(self.session, "user", self.second, isSidechain=True, agentId="a1", message={
                    "role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_a", "content": "x"}]}))
            self.request(self.agent_lines, place, agent="a1")

    def steps(self):
        """The exports and uploads of the sources, in random order and in part repeated."""
        told = [one for one in self.records if self.telemetry == "all" or self.telemetry == "some" and self.chance.random() < 0.5]
        self.known = dict(self.answers) if self.has_transcript else {}
        for _, _, number, counts in told:
            self.known[number] = counts
        # A missing request of the client itself is noticed only if a later record has arrived.
        last = max((self.records.index(one) for one in told), default=-1)
        self.is_all_told = all(one in told or number > last and one[1] is self.internal
                               for number, one in enumerate(self.records))
        records = [one[0] for one in told]
        self.chance.shuffle(records)
        batches = []
        while records:
            size = self.chance.randint(1, 4)
            batches.append(records[:size])
            records = records[size:]
        steps = [lambda batch=batch: export(*batch) for batch in batches + batches[:1]]
        if self.has_transcript:
            size = self.chance.choice((300, 2000, 1 << 20))
            steps.append(lambda: upload(self.session, self.lines, size=size))
            if self.agent_lines:
                path = f"/home/dev/.claude/projects/x/{self.session}/subagents/agent-a1.jsonl"
                steps.append(lambda: upload(self.session, self.agent_lines, path=path))
            # Without a request id, the telemetry of one machine and the transcript of another cannot be matched.
            has_ids = self.kind in ("api", "one request id") and self.has_ids_in_telemetry
            if self.chance.random() < 0.5 and (has_ids or self.telemetry == "none"):
                steps.append(lambda: upload(self.session, self.lines, other_key))
            if self.chance.random() < 0.3:
                steps.append(self.fork)
        self.chance.shuffle(steps)
        return steps

    def fork(self):
        """Uploads the file of another session, which begins with these lines and names the session that they come from."""
        fork = session()
        copies = [{**one, "sessionId": fork, "requestSessionId": self.session} for one in self.lines]
        upload(fork, copies)


class Property(unittest.TestCase):
    def test_sums_are_the_truth_as_far_as_the_sources_know_it(self):
        chance = random.Random(2026)
        truths = [Truth(chance) for _ in range(60)]
        for one in truths:
            # A session belongs to the machine that begins it.
            client = Client(server.address, key)
            client.request("POST", "/api/events", envelope(hook("SessionStart", one.session, source="startup")))
            client.close()
        before = total()
        steps = [step for one in truths for step in self.spread(one.steps(), chance)]
        for _, step in sorted(steps, key=lambda one: one[0]):
            step()
        for one in truths:
            client = Client(server.address, key)
            client.request("POST", "/api/events", envelope(hook("SessionEnd", one.session, reason="other")))
            client.close()
        for one in truths:
            said = f"{one.kind}, telemetry {one.telemetry}, ids {one.has_ids_in_telemetry}, transcript {one.has_transcript}"
            with self.subTest(said):
                self.check(one)
        known = [counts for one in truths for counts in one.known.values()]
        after = total()
        with self.subTest("all machines and sessions"):
            self.assertEqual(after["requests"] - before["requests"], len(known))
            self.assertEqual(after["token_usage"]["output_tokens"] - before["token_usage"]["output_tokens"],
                             sum(one["output"] for one in known))

    def spread(self, steps, chance):
        return [(place, step) for place, step in zip(sorted(chance.random() for _ in steps), steps)]

    def check(self, one):
        found, known = total(f"session_id={one.session}"), list(one.known.values())
        self.assertEqual(found["requests"], len(known))
        self.assertEqual(found["token_usage"]["output_tokens"], sum(counts["output"] for counts in known))
        self.assertEqual(found["token_usage"]["input_tokens"], sum(counts["input"] for counts in known))
        self.assertAlmostEqual(found["total_cost"], sum(cost_of(counts) for counts in known), places=9)
        if known:
            told = server.get(f"/v1/sessions/{one.session}").json["usage_confidence"]
            self.assertEqual(told, "exact" if one.is_all_told and one.records and one.telemetry != "none" else "lower_bound")


if __name__ == "__main__":
    unittest.main()
