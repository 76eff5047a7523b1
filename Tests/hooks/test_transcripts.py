"""Transcripts: appended lines are sent once, in pieces, also when files or servers change."""

import gzip
import hashlib
import json
import os
import subprocess
import threading
import unittest
import urllib.parse

from scripted_server import ScriptedServer
from support import HOOKS, KEY, BASH, MachineCase

SESSION = "6f2d3b1c-0000-4000-8000-000000000001"
ROUTE = "POST /api/transcripts"


class Store:
    """Stores what is sent, as a server does."""

    def __init__(self):
        self.files, self.generations, self.sessions, self.largest = {}, {}, {}, 0

    def __call__(self, request):
        path = urllib.parse.unquote(request.headers["X-Transcript-Path"])
        offset = int(request.headers["X-Transcript-Offset"])
        self.sessions[path] = request.headers["X-Transcript-Session"]
        self.largest = max(self.largest, len(request.body))
        have = self.files.get(path, b"")
        if offset > len(have):
            return 409, {"error": {"code": "transcript_gap"}, "next_offset": len(have)}
        prefix = hashlib.sha256(have[:min(offset, 4096)]).hexdigest()
        if offset and prefix != request.headers["X-Transcript-Prefix"]:
            return 409, {"error": {"code": "transcript_gap"}, "next_offset": 0}
        if offset == 0 and have and have[:len(request.body)] != request.body[:len(have)]:
            self.generations[path] = self.generations.get(path, 1) + 1
            have = b""
        self.files[path] = have[:offset] + request.body
        return 202, {"next_offset": len(self.files[path])}


class Transcripts(MachineCase):
    def setUp(self):
        super().setUp()
        self.server, self.store = ScriptedServer(), Store()
        self.addCleanup(self.server.stop)
        self.server.on(ROUTE, self.store)
        self.env = self.machine.env(self.server.url)
        self.folder = os.path.join(self.machine.home, ".claude/projects/-home-ü \"p\"")
        self.path = os.path.join(self.folder, SESSION + ".jsonl")
        self.agents = os.path.join(self.folder, SESSION, "subagents")
        os.makedirs(self.agents)

    def append(self, text, path=None):
        with open(path or self.path, "ab") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def event(self, name="Stop", env=None, session=SESSION, path=None):
        body = {"session_id": session, "transcript_path": path or self.path, "cwd": "/", "hook_event_name": name}
        self.fire(env or self.env, json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode() + b"\n", name)

    def content(self, path=None):
        with open(path or self.path, "rb") as file:
            return file.read()

    def assert_sent(self, *paths, seconds=15):
        for path in paths or (self.path,):
            self.machine.wait(lambda one=path: self.store.files.get(one) == self.content(one), seconds)
            self.assertEqual(self.store.files.get(path), self.content(path), (self.machine.spooled(), self.machine.read("last_error")))

    def test_what_was_appended_is_sent_at_the_end_of_a_turn(self):
        for number in range(3):
            self.append('{"uuid":%d,"text":"é"}\n' % number)
            self.event()
            self.assert_sent()
            self.assertTrue(self.machine.settled())
        offsets = [int(one.headers["X-Transcript-Offset"]) for one in self.server.sent(ROUTE)]
        self.assertEqual(offsets, sorted(set(offsets)), "nothing is sent twice")
        self.assertEqual(self.store.sessions, {self.path: SESSION})
        self.assertEqual(self.server.sent(ROUTE)[0].headers["Authorization"], "Bearer " + KEY)

    def test_lines_that_come_after_the_end_of_the_turn(self):
        """The flusher waits two seconds for them. A test on a busy machine may miss that time, but not always."""
        for number in range(5):
            self.append("first %d\n" % number)
            self.event()
            self.assert_sent()
            self.append("last %d\n" % number)
            if self.machine.wait(lambda: self.store.files[self.path] == self.content(), 6):
                return
        self.fail("no line was sent after the end of its turn")

    def test_subagents(self):
        agent, flow = os.path.join(self.agents, "agent-a1.jsonl"), os.path.join(self.agents, "workflows/wf_1/agent-b2.jsonl")
        os.makedirs(os.path.dirname(flow))
        self.append("main\n")
        self.append("agent\n", agent)
        self.append("flow\n", flow)
        self.event("SubagentStop")
        self.assert_sent(self.path, agent, flow)
        self.append("more\n", agent)
        self.event()
        self.assert_sent(agent)
        self.assertEqual(set(self.store.sessions.values()), {SESSION})

    def test_large_transcript_goes_in_pieces_and_events_in_between(self):
        fired = threading.Event()

        def wait_for_event(request):
            fired.wait(60)
            return self.store(request)

        self.server.on(ROUTE, self.store, wait_for_event, self.store)
        self.append(os.urandom(600000).hex() + "\n")
        self.event()
        self.server.wait_sent(ROUTE, 2)
        self.event("UserPromptSubmit")
        fired.set()
        self.assert_sent()
        self.assertLessEqual(self.store.largest, 262144)
        kinds = [one.path for one in self.server.requests]
        last = max(at for at, path in enumerate(kinds) if path == "/api/events")
        self.assertLess(last, len(kinds) - 1 - kinds[::-1].index("/api/transcripts"), "the event did not wait for the transcript")

    def test_file_that_is_replaced_by_another(self):
        self.append("a" * 5000 + "\n")
        self.event()
        self.assert_sent()
        os.remove(self.path)
        self.append("b" * 6000 + "\n")
        self.event()
        self.assert_sent()
        self.assertEqual(self.store.generations, {self.path: 2})

    def test_file_that_is_cut(self):
        self.append("a" * 5000 + "\n")
        self.event()
        self.assert_sent()
        with open(self.path, "wb") as file:
            file.write(b"other\n")
        self.event()
        self.assert_sent()

    def test_server_that_lost_its_place(self):
        self.append("a\n" * 1000)
        self.event()
        self.assert_sent()
        self.store.files[self.path] = self.content()[:700]
        self.append("b\n")
        self.event()
        self.assert_sent()
        self.store.files.clear()
        self.append("c\n")
        self.event()
        self.assert_sent()

    def test_flusher_killed_between_pieces(self):
        self.append(os.urandom(800000).hex() + "\n")
        self.event()
        self.server.wait_sent(ROUTE, 2)
        self.machine.end_flushers()
        self.event("UserPromptSubmit")
        self.assert_sent()

    def test_server_that_is_busy(self):
        self.server.on(ROUTE, (503, {}, {"Retry-After": "1"}), (429, {}, {"Retry-After": "1"}), self.store)
        self.append("a\n")
        self.event()
        self.assert_sent()

    def test_server_that_knows_no_transcripts_gets_events_and_no_storm(self):
        for step in ((404, {}), (202, {}), (202, {"next_offset": 0}), (202, {"next_offset": 10 ** 14}), (409, {"next_offset": 10 ** 30}),
                     (400, {}), (202, b"\0" * 200000), "drop"):
            with self.subTest(step):
                self.server.on(ROUTE, step)
                self.server.requests.clear()
                self.append("a\n")
                self.event()
                self.assertTrue(self.machine.settled(20))
                self.assertLess(len(self.server.sent(ROUTE)), 12)
                self.assertEqual(len(self.server.events()), 1)

    def test_server_that_goes_back_and_forth_gets_no_file_for_ever(self):
        answers = []

        def alternate(request):
            answers.append(request)
            offset = int(request.headers["X-Transcript-Offset"])
            return (409, {"next_offset": 0}) if offset else (202, {"next_offset": len(request.body)})

        self.append("x" * 600_000 + "\n")
        self.server.on(ROUTE, alternate)
        for _ in range(3):
            self.event()
            self.assertTrue(self.machine.wait(lambda: not self.machine.spooled() and self.machine.is_quiet(), 60))
        # Four times the beginning and three times the rest, and one try for each later event.
        self.assertEqual(len(answers), 10)

    def test_turn_that_runs_sends_now_and_then(self):
        self.append("a\n")
        self.event("PostToolUse")
        self.assert_sent()
        self.append("b\n")
        self.event("PostToolUse")
        self.assertTrue(self.machine.settled())
        self.assertEqual(self.store.files[self.path], b"a\n")
        self.event("Stop")
        self.assert_sent()

    def not_sent(self):
        self.assertTrue(self.server.wait_sent("POST /api/events"))
        self.assertTrue(self.machine.settled())
        self.assertEqual(self.server.sent(ROUTE), [])

    def test_switched_off_for_a_session(self):
        self.append("a\n")
        self.event(env={**self.env, "CLAUDE_MONITOR_TRANSCRIPTS": "off"})
        self.event()
        self.not_sent()

    def test_switched_off_for_the_machine_and_on_for_a_session(self):
        os.makedirs(os.path.dirname(self.machine.config))
        with open(self.machine.config, "w", encoding="ascii") as file:
            file.write("url=%s\nkey=%s\ntranscripts=off\n" % (self.server.url, KEY))
        self.append("a\n")
        self.event(env=self.machine.env())
        self.not_sent()
        self.event(env=self.machine.env(CLAUDE_MONITOR_TRANSCRIPTS="on"))
        self.assert_sent()

    def test_server_of_the_environment_gets_none(self):
        os.makedirs(os.path.dirname(self.machine.config))
        with open(self.machine.config, "w", encoding="ascii") as file:
            file.write("url=http://127.0.0.1:1\nkey=%s\n" % KEY)
        self.append("a\n")
        self.event()
        self.not_sent()

    def test_file_that_is_no_transcript(self):
        secret = os.path.join(self.machine.home, "secret.txt")
        self.append("a\n", secret)
        self.event(path=secret)
        self.event(path=os.path.join(self.machine.home, "missing.jsonl"))
        self.not_sent()

    def test_numbers_of_the_environment_are_not_taken(self):
        trap = "a[$(touch %s)]" % os.path.join(self.machine.home, "no")
        self.append("a\n")
        self.event(env={**self.env, **{name: trap for name in ("transcript_until", "transcripts_not_before", "transcript_tries",
                                                               "sent_bytes", "stream_n")}})
        self.assert_sent()
        self.assertFalse(os.path.exists(os.path.join(self.machine.home, "no")))

    def run_import(self, *arguments, code=0, **extra):
        done = subprocess.run([BASH, os.path.join(HOOKS, "import.sh"), *arguments], env={**self.env, **extra}, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout.decode()

    def test_import_of_all_that_is_there(self):
        paths = [self.path, os.path.join(self.agents, "agent-a1.jsonl"),
                 os.path.join(self.machine.home, ".claude/projects/other", SESSION.replace("1c", "2c") + ".jsonl")]
        os.makedirs(os.path.dirname(paths[2]))
        for number, path in enumerate(paths):
            self.append(os.urandom(400000 * number + 10).hex() + "\n", path)
        said = self.run_import()
        self.assert_sent(*paths, seconds=0)
        self.assertIn("3 files", said)
        self.assertRegex(said.splitlines()[-1], r"done: 3 files, [1-9]\d+ bytes sent in \d+ s, [1-9]\d* KiB/s$")
        sent = len(self.server.sent(ROUTE))
        self.assertGreater(self.store.largest, 262144)
        self.assertIn("0 bytes", self.run_import())
        self.assertEqual(len(self.server.sent(ROUTE)), sent, "a second import sends nothing")
        told = json.loads(self.run_import("--json").splitlines()[-1])
        self.assertEqual((told["files"], told["bytes"]), (3, 0))

    def import_from(self, **files):
        """Creates a directory of files, or of links if the content is a path. Returns its path."""
        path = os.path.join(self.machine.home, "elsewhere")
        for name, content in files.items():
            file = os.path.join(path, name.replace("_", "."))
            os.makedirs(os.path.dirname(file), exist_ok=True)
            if isinstance(content, bytes):
                with open(file, "wb") as out:
                    out.write(content)
            else:
                os.symlink(content, file)
        return path

    def test_import_takes_files_by_their_content(self):
        line = json.dumps({"type": "user", "sessionId": SESSION, "message": {"content": 'no "sessionId":"other"'}}).encode() + b"\n"
        path = self.import_from(**{"notes_jsonl": line, "a/b c/deep_jsonl": line, "packed_jsonl_gz": gzip.compress(line),
                                   SESSION + "_jsonl": b""})
        os.symlink(os.path.join(path, "notes.jsonl"), os.path.join(path, "link.jsonl"))
        said = self.run_import("--from", path)
        self.assertIn("5 files", said)
        self.assertEqual(set(self.store.sessions.values()), {SESSION})
        self.assertEqual({os.path.relpath(one, path): content for one, content in self.store.files.items()},
                         dict.fromkeys(("a/b c/deep.jsonl", "link.jsonl", "notes.jsonl", "packed.jsonl.gz"), line))
        self.assertIn(" 0 bytes", self.run_import("--from", path))
        self.assertIn("1 files", self.run_import("--from", os.path.join(path, "notes.jsonl")))

    def test_import_says_what_it_does_not_take(self):
        line = json.dumps({"sessionId": SESSION}).encode() + b"\n"
        path = self.import_from(empty_jsonl=b"", other_jsonl=b'{"a":1}\n', torn_jsonl_gz=gzip.compress(line)[:20], good_jsonl=line,
                                broken_jsonl="/nowhere", **{"bad\x1b[2J\u202e_jsonl": b""})
        os.mkdir(os.path.join(path, "folder.jsonl"))
        for _ in range(2):
            said = self.run_import("--from", path, "--json", code=1)
            for name, reason in (("empty.jsonl", "empty"), ("other.jsonl", "name no session"), ("torn.jsonl.gz", "not a gzip file"),
                                 ("broken.jsonl", "a broken symbolic link"), ("folder.jsonl", "a directory")):
                self.assertRegex(said, f"{name}: .*{reason}")
            self.assertNotIn("\x1b", said)
            self.assertNotIn("\u202e", said)
            self.assertIn('"not_taken":6}', said)
        self.assertEqual(len(self.server.sent(ROUTE)), 1)
        os.mkdir(os.path.join(path, "void"))
        self.assertIn("contains no transcripts", self.run_import("--from", os.path.join(path, "void"), code=1))

    def test_import_tries_again_what_the_server_refused(self):
        self.append("a\n")
        self.server.on(ROUTE, (422, {}))
        for _ in range(2):
            self.assertIn("HTTP 422", self.run_import(code=1))

    def test_import_that_is_refused_says_so(self):
        self.append("a\n")
        self.server.on(ROUTE, (401, {}))
        self.assertIn("HTTP 401", self.run_import(code=1))
        self.assertIn("no server", self.run_import(code=1, CLAUDE_MONITOR_URL=""))
        self.assertIn("does not exist", self.run_import("--from", "/nowhere", code=1))


if __name__ == "__main__":
    unittest.main()
