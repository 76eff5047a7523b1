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
