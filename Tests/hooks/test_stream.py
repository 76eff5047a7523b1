"""The numbers of events: every event has the next one of the machine and of its session, whatever is killed."""

import json
import os
import subprocess
import unittest

from scripted_server import ScriptedServer
from support import MachineCase

ONE, TWO = "6f2d3b1c-0000-4000-8000-000000000001", "6f2d3b1c-0000-4000-8000-000000000002"


def event(session=ONE, **extra):
    return json.dumps({"session_id": session, "hook_event_name": "PostToolUse", **extra}).encode() + b"\n"


class Streams(MachineCase):
    def setUp(self):
        super().setUp()
        self.server = ScriptedServer()
        self.addCleanup(self.server.stop)
        self.env = self.machine.env(self.server.url)

    def numbers(self, count):
        """(n, session, session_n) of the events, in the order of arrival, each id once."""
        self.assertTrue(self.machine.wait(lambda: len({one["event_id"] for one in self.server.events()}) >= count),
                        self.server.events())
        seen = {}
        for one in self.server.events():
            stream = one.get("stream", {})
            numbers = stream.get("n"), one["data"].get("session_id"), stream.get("session_n")
            self.assertEqual(seen.setdefault(one["event_id"], numbers), numbers, "an event changed its numbers")
        return list(seen.values())

    def streams(self):
        return {one["stream"]["id"] for one in self.server.events()}

    def test_numbers_of_machine_and_sessions(self):
        for session in (ONE, ONE, TWO, ONE, TWO):
            self.fire(self.env, event(session))
        self.fire(self.env, b"{}")
        self.assertEqual(self.numbers(6), [(1, ONE, 1), (2, ONE, 2), (3, TWO, 1), (4, ONE, 3), (5, TWO, 2), (6, None, None)])
        self.assertEqual(len(self.streams()), 1)
        self.assertRegex(self.streams().pop(), r"^[0-9a-f-]{36}$")

    def test_go_on_over_flushers(self):
        for number in range(4):
            self.fire(self.env, event())
            self.assertTrue(self.machine.settled())
        self.assertEqual(self.numbers(4), [(n, ONE, n) for n in (1, 2, 3, 4)])

    def test_flusher_killed_at_any_time(self):
        for number in range(12):
            self.fire(self.env, event(ONE if number % 3 else TWO, number=number))
            if number % 2:
                self.machine.end_flushers()
        self.fire(self.env, event())
        numbers = self.numbers(13)
        self.assertEqual(sorted(n for n, _, _ in numbers), list(range(1, 14)))
        for session, count in ((ONE, 9), (TWO, 4)):
            self.assertEqual(sorted(n for _, of, n in numbers if of == session), list(range(1, count + 1)))

    def test_server_away_and_flusher_killed(self):
        self.server.on("POST /api/events", "drop")
        for number in range(6):
            self.fire(self.env, event(number=number))
        self.server.wait_sent("POST /api/events", 2)
        self.machine.end_flushers()
        del self.server.steps["POST /api/events"]
        self.fire(self.env, event(number=6))
        self.assertEqual(sorted(self.numbers(7)), [(n, ONE, n) for n in range(1, 8)])

    def test_parallel_sessions(self):
        processes = [self.machine.start(self.env, event(ONE if number % 2 else TWO)) for number in range(60)]
        for process in processes:
            process.communicate(timeout=30)
        numbers = self.numbers(60)
        self.assertEqual([n for n, _, _ in numbers], list(range(1, 61)))
        for session in (ONE, TWO):
            self.assertEqual([n for _, of, n in numbers if of == session], list(range(1, 31)))

    def test_dropped_events_leave_a_gap(self):
        self.machine.hold_lock()
        for number in range(8):
            self.fire(self.env, event(number=number))
        os.remove(self.machine.lock)
        self.fire({**self.env, "CLAUDE_MONITOR_SPOOL_MAX_EVENTS": "5"}, event(number=8))
        self.assertTrue(self.machine.wait(lambda: any(
            one["data"].get("number") == 8 for one in self.server.events())))
        kept = [(one["data"]["number"] + 1, one["stream"]["n"], one["stream"]["session_n"])
                for one in self.server.events() if "number" in one["data"]]
        self.assertEqual(kept, [(n, n, n) for n in range(5, 10)])

    def test_new_state_is_a_new_stream(self):
        self.fire(self.env, event())
        self.numbers(1)
        self.assertTrue(self.machine.settled())
        subprocess.run(["rm", "-rf", self.machine.state], check=True)
        self.fire(self.env, event())
        self.assertEqual(self.numbers(2), [(1, ONE, 1), (1, ONE, 1)])
        self.assertEqual(len(self.streams()), 2)

    def test_state_that_is_damaged(self):
        self.fire(self.env, event())
        self.numbers(1)
        self.assertTrue(self.machine.settled())
        for name in ("stream", "session-numbers/" + ONE):
            with open(os.path.join(self.machine.state, name), "a", encoding="ascii") as file:
                file.write("$(touch /tmp/no) a[0]\nx")
        self.fire({**self.env, "session_n_6f2d3b1c_0000_4000_8000_000000000001": "a[$(touch " + self.machine.home + "/no)]"},
                  event())
        self.assertEqual(self.numbers(2), [(1, ONE, 1), (2, ONE, 2)])
        self.assertFalse(os.path.exists(os.path.join(self.machine.home, "no")))


if __name__ == "__main__":
    unittest.main()
