"""The checks find what they are made for: a valid log passes, and each kind of damage is reported."""

import json
import unittest
from dataclasses import replace
from types import SimpleNamespace

import invariants
from invariants import Row
from ledger import Ledger, Sent, uuid7
from subscribers import Subscriber


class SQL:
    def __init__(self, rows):
        self.rows = rows

    def lines(self, statement):
        return [str(self.rows[-1].seq)] if "log_head" in statement else ["0"]


def sound():
    """A log of 20 events of two machines, all acknowledged, and a subscriber that has received it."""
    ledger, rows = Ledger(), []
    for seq in range(1, 21):
        sent = Sent(f"m{seq % 2}", (seq + 1) // 2, "s", "PostToolUse")
        event_id = uuid7()
        ledger.send([(event_id, sent)])
        ledger.accept([event_id], {"events": [{"event_id": event_id, "seq": seq, "status": "accepted"}]}, 0.0)
        rows.append(Row(seq, event_id, "tool", sent.session, sent.hook, sent.producer, sent.counter))
    subscriber = Subscriber("one", None, 1)
    subscriber.begin("e", 5, True)
    for row in rows[5:]:
        subscriber.take({"seq": row.seq, "event_id": row.event_id, "epoch": "e", "session_id": row.session}, row.kind)
    world = SimpleNamespace(ledger=ledger, hooks=[], sql=SQL(rows), audience=SimpleNamespace(subscribers=[subscriber]))
    return world, rows, subscriber


class Answers(unittest.TestCase):
    """An answered prompt, as in the database and in the hook's output."""

    def check(self, printed="allow", stored="allow", known=True, twice=()):
        row = Row(1, "01890000-0000-7000-8000-000000000001", "permission_request", "s", "PermissionRequest", "m", 1)
        prompt = "prm_" + row.event_id.replace("-", "")
        lines = {invariants.ANSWERED_TWICE: list(twice),
                 invariants.PROMPTS: [json.dumps([prompt, "answered", stored, stored, []])] if known else []}
        person = SimpleNamespace(faults=[], wanted={prompt: {"decision": "allow"}}, given={prompt: "allow"}, refused={})
        world = SimpleNamespace(person=person, askers=[SimpleNamespace(printed={prompt: printed})],
                                sql=SimpleNamespace(lines=lambda statement, *_: lines[statement]))
        return invariants.answers_arrived(world, [row])

    def test_one_answer_that_was_printed_passes(self):
        self.assertEqual(self.check(), [])

    def test_each_damage_is_told(self):
        for damage in ({"printed": "deny"}, {"printed": None}, {"stored": "deny"}, {"stored": None}, {"known": False},
                       {"twice": ["prm_1"]}):
            with self.subTest(damage):
                self.assertNotEqual(self.check(**damage), [])


class Usage(unittest.TestCase):
    """Two requests of one machine, as in the database and in the API."""

    def check(self, tokens=(30, 7), counted="2", lines="5 5", faults=()):
        machine = SimpleNamespace(name="m", session="s", faults=list(faults), requests={"a": (10, 3), "b": (20, 4)}, lines=5)
        total = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
        server = SimpleNamespace(token="", request=lambda *_, **__: (200, {"total": {"token_usage": total}}))
        sql = SimpleNamespace(lines=lambda statement: [counted if "usage_counted" in statement else lines])
        return invariants.usage_adds_up(SimpleNamespace(reporters=[machine], server=server, sql=sql), [])

    def test_sums_that_agree_pass(self):
        self.assertEqual(self.check(), [])

    def test_each_difference_is_told(self):
        for damage in ({"tokens": (40, 7)}, {"tokens": (30, 3)}, {"counted": "3"}, {"lines": "6 6"}, {"lines": "5 4"},
                       {"faults": ["lost"]}):
            with self.subTest(damage):
                self.assertNotEqual(self.check(**damage), [])


class Checks(unittest.TestCase):
    checks = (invariants.acknowledged_once, invariants.nothing_else, invariants.dense_and_ordered,
              invariants.subscribers_saw_the_log)

    def setUp(self):
        self.world, self.rows, self.subscriber = sound()
        invariants.CATCH_UP_SECONDS = 0

    def told_by(self):
        return {check.__name__ for check in self.checks if check(self.world, self.rows)}

    def test_a_sound_log_passes(self):
        self.assertEqual(self.told_by(), set())

    def test_a_lost_event_is_told(self):
        del self.rows[2]
        self.assertLessEqual({"acknowledged_once", "dense_and_ordered"}, self.told_by())

    def test_an_event_kept_twice_is_told(self):
        self.rows.append(replace(self.rows[3], seq=21))
        self.assertLessEqual({"acknowledged_once", "nothing_else", "dense_and_ordered"} - {"acknowledged_once"},
                             self.told_by())

    def test_an_event_nobody_sent_is_told(self):
        self.rows.append(replace(self.rows[-1], seq=21, event_id=uuid7(), counter=99))
        self.assertIn("nothing_else", self.told_by())

    def test_an_event_at_another_seq_than_acknowledged_is_told(self):
        self.world.ledger.acknowledged[self.rows[0].event_id] = 7
        self.assertIn("acknowledged_once", self.told_by())

    def test_events_of_a_machine_out_of_order_are_told(self):
        first, third = self.rows[0], self.rows[2]
        self.rows[0], self.rows[2] = replace(third, seq=1), replace(first, seq=3)
        self.assertIn("dense_and_ordered", self.told_by())

    def test_a_hole_before_a_subscriber_is_told(self):
        del self.subscriber.received[4]
        self.assertTrue(any("missing 1" in text
                            for text in invariants.subscribers_saw_the_log(self.world, self.rows)))

    def test_a_repeat_is_told(self):
        last = self.rows[-1]
        self.subscriber.take({"seq": last.seq, "event_id": last.event_id}, last.kind)
        self.assertIn("subscribers_saw_the_log", self.told_by())

    def test_a_place_that_is_gone_is_told(self):
        self.subscriber.begin("e", 20, False)
        self.assertIn("subscribers_saw_the_log", self.told_by())


if __name__ == "__main__":
    unittest.main()
