"""Heartbeats: the live sessions once a minute, and a last heartbeat when there is none."""

import json
import os
import subprocess
import unittest

from scripted_server import ScriptedServer
from support import MachineCase

BEAT = "POST /api/heartbeat"
SESSION = "6f2d3b1c-0000-4000-8000-000000000001"


class Heartbeats(MachineCase):
    def setUp(self):
        super().setUp()
        self.server = ScriptedServer().on(BEAT, (204,))
        self.addCleanup(self.server.stop)
        self.env = self.machine.env(self.server.url, CLAUDE_MONITOR_HEARTBEAT_S="1")
        self.clients = []

    def client(self, **extra):
        process = subprocess.Popen(["sleep", "120"])
        self.clients.append(process)
        self.addCleanup(self.end, process)
        with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
            started = file.read().rpartition(") ")[2].split()[19]
        self.registry(process.pid, procStart=started, **extra)
        return process

    def registry(self, pid, **extra):
        place = os.path.join(self.machine.home, ".claude/sessions")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "%d.json" % pid), "w", encoding="utf-8") as file:
            json.dump({"pid": pid, "sessionId": SESSION, "cwd": 'a "b"\\c', "startedAt": 1795381195747, "kind": "interactive",
                       "status": "waiting", "waitingFor": "permission prompt", "statusUpdatedAt": 1795381196688, **extra}, file)

    @staticmethod
    def end(process):
        process.kill()
        process.wait(5)

    def beats(self, count, seconds=15):
        return [one.json() for one in self.server.wait_sent(BEAT, count, seconds)]

    def test_live_session_and_its_end(self):
        process = self.client()
        self.fire(self.env)
        first = self.beats(1)[0]
        self.assertEqual(first["sessions"], [{
            "session_id": SESSION, "pid": process.pid, "status": "waiting", "waiting_for": "permission prompt",
            "kind": "interactive", "cwd": 'a "b"\\c', "started_at_ms": 1795381195747, "status_updated_at_ms": 1795381196688}])
        self.assertRegex(first["timestamp"], r"Z$")
        self.end(process)
        self.assertTrue(self.machine.wait(lambda: self.beats(1)[-1]["sessions"] == []))
        self.assertTrue(self.machine.wait(lambda: not self.machine.flushers()))
        self.assertEqual([beat["sessions"] for beat in self.beats(1)].count([]), 1)

    def test_one_watcher_however_many_events(self):
        self.client()
        for _ in range(5):
            self.fire(self.env)
            self.assertTrue(self.machine.settled())
        self.beats(2)
        # A second one ends, because the first one runs.
        self.assertTrue(self.machine.wait(lambda: len(self.machine.flushers()) == 1), self.machine.flushers())

    def approvals(self, text):
        path = os.path.join(self.machine.home, ".config/claude-monitor/approvals")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as file:
            file.write(text)
        os.replace(path + ".new", path)

    def reported(self, count):
        """The reports of the approvals file, once there are so many."""
        def found():
            return [one["approvals"] for one in self.beats(1) if "approvals" in one]
        self.assertTrue(self.machine.wait(lambda: len(found()) >= count), found())
        return found()

    def test_the_approvals_file_is_reported_when_it_has_changed(self):
        self.client()
        self.fire(self.env)
        self.assertEqual(self.reported(1), [{"exists": False, "rules": []}])
        self.approvals('# mine\ntool=Bash risk=read who=answer\nproject="~/jörg \\ &" who=off\n'.encode())
        self.assertEqual(self.reported(2)[1], {"exists": True, "rules": [
            {"line": 2, "words": {"tool": "Bash", "risk": "read", "who": "answer"}},
            {"line": 3, "words": {"project": "~/jörg \\ &", "who": "off"}}]})
        self.approvals(b"tool=Bash\nnothing=1\n")
        self.assertEqual(self.reported(3)[2], {"exists": True, "flaw": 'line 2: "nothing" is no key', "rules": []})
        count = len(self.beats(1))
        self.beats(count + 2)
        self.assertEqual(len(self.reported(3)), 3)

    def test_a_report_that_has_not_arrived_is_sent_again(self):
        self.server.on(BEAT, (503,), (429,), (204,))
        self.client()
        self.fire(self.env)
        self.assertEqual(self.reported(3), [{"exists": False, "rules": []}] * 3)

    def test_text_that_no_json_contains_stops_no_heartbeat(self):
        for text, report in ((b"project=/j\xf6rg who=off\n", {"rules": [{"line": 1, "words": {"project": "/j?rg", "who": "off"}}]}),
                             (("\u00f6" * 30 + "x=1\n").encode(), {"flaw": 'line 1: "%s" is no key' % ("?" * 40), "rules": []})):
            with self.subTest(text):
                self.approvals(text)
                server = ScriptedServer().on(BEAT, (400,), (204,))
                self.addCleanup(server.stop)
                machine = self.machine.env(server.url, CLAUDE_MONITOR_HEARTBEAT_S="1")
                client = self.client()
                self.fire(machine)
                refused, taken = [one.json()["approvals"] for one in server.wait_sent(BEAT, 2, 15)[:2]]
                self.assertEqual(taken, {"exists": True, **report})
                self.assertNotEqual(refused, taken)
                self.end(client)
                self.assertTrue(self.machine.wait(lambda: not self.machine.flushers()))

    def test_a_long_file_is_cut(self):
        self.approvals(b"who=off\n" * 5000)
        self.client()
        self.fire(self.env)
        report, = self.reported(1)
        self.assertTrue(report["cut"])
        self.assertLess(len(report["rules"]), 1000)
        self.assertLess(len(json.dumps(report["rules"], separators=(",", ":"))), 30_100)

    def test_files_of_processes_that_are_gone_or_others(self):
        process = self.client()
        self.registry(process.pid, procStart="1")
        self.registry(2 ** 22 - 1)
        place = os.path.join(self.machine.home, ".claude/sessions")
        for name, text in (("x.json", "{}"), ("%d.json.tmp" % process.pid, "{}")):
            with open(os.path.join(place, name), "w", encoding="ascii") as file:
                file.write(text)
        self.fire(self.env)
        self.assertTrue(self.machine.settled())
        self.assertEqual(self.server.sent(BEAT), [])

    def test_server_that_knows_no_heartbeats_is_left_alone(self):
        self.server.on(BEAT, (404, {}))
        self.client()
        self.fire(self.env)
        self.beats(1)
        self.assertFalse(self.machine.wait(lambda: len(self.server.sent(BEAT)) > 1, 4))

    def test_without_sessions_there_is_none(self):
        self.fire(self.env)
        self.assertTrue(self.machine.settled())
        self.assertTrue(self.machine.wait(lambda: not self.machine.flushers()), self.machine.flushers())
        self.assertEqual(self.server.sent(BEAT), [])

    def test_transcript_of_a_client_that_was_killed(self):
        path = os.path.join(self.machine.home, SESSION + ".jsonl")
        with open(path, "w", encoding="ascii") as file:
            file.write("a\n")
        sent = {}

        def take(request):
            offset = int(request.headers["X-Transcript-Offset"])
            sent[offset] = request.body
            return 202, {"next_offset": offset + len(request.body)}

        self.server.on("POST /api/transcripts", take)
        process = self.client()
        body = {"session_id": SESSION, "transcript_path": path, "hook_event_name": "PreToolUse"}
        self.fire(self.env, json.dumps(body, separators=(",", ":")).encode() + b"\n", "PreToolUse")
        self.assertTrue(self.machine.wait(lambda: sent.get(0) == b"a\n"))
        self.beats(1)
        with open(path, "a", encoding="ascii") as file:
            file.write("b\n")
        self.end(process)
        self.assertTrue(self.machine.wait(lambda: sent.get(2) == b"b\n", 30), sent)


if __name__ == "__main__":
    unittest.main()
