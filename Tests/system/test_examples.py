"""The clients in examples/ and the one in the documentation. Each lists the sessions, follows the events, and after a break
continues where it stopped."""

import os
import re
import shutil
import signal
import subprocess
import threading
import unittest

import harness
import pushing
from harness import ROOT, Client, Server, envelope, hook, make_directory, session, wait_for

EXAMPLES = ROOT / "examples"
EVENT = re.compile(r"^([0-9a-f-]{36}):(\d+) (\w+) (.*)")


def setUpModule():
    global server, key, device
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("examples")
    device = pushing.pair(server)


def tearDownModule():
    harness.end_everything()


class Run:
    """A running example. Its lines are read as they come."""

    def __init__(self, command, *arguments, token=None, **settings):
        self.process = subprocess.Popen(
            [*command, *arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
            env=harness.environment(MONITOR_URL=server.url, MONITOR_TOKEN=token or device.credential, **settings))
        harness._ends.append(self.end)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")), daemon=True)
        self.reader.start()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(10)
        self.reader.join(10)

    def events(self):
        """The position and the seq of each printed event."""
        return [(found[1] + ":" + found[2], int(found[2])) for found in map(EVENT.match, self.lines) if found]


def post(chosen, prompt):
    answer = Client(server.address, key).request(
        "POST", "/api/events", envelope(hook("UserPromptSubmit", chosen, prompt=prompt)))
    assert answer.status == 202, answer
    return answer.json["events"][0]["seq"]


class Shell(unittest.TestCase):
    COMMAND = [EXAMPLES / "follow.sh"]

    def follow(self, *arguments, **options):
        run = Run(self.COMMAND, *arguments, **options)
        self.addCleanup(run.end)
        return run

    def has(self, run, text):
        wait_for(lambda: any(text in line for line in run.lines), f"{text} in {run.lines}")

    def test_sessions_then_events_then_the_same_again_after_breaks(self):
        chosen = session()
        before = post(chosen, "the first prompt")
        run = self.follow()
        self.has(run, chosen)
        self.has(run, "the first prompt")
        seqs = [post(chosen, "while it looks on")]
        wait_for(lambda: len(run.events()) >= 1, f"the event: {run.lines}")
        # The server restarts, and events come that the client has not received.
        server.settings["MONITOR_LISTEN"] = server.address
        server.stop()
        server.start()
        seqs += [post(chosen, "after the restart"), post(chosen, "and another")]
        wait_for(lambda: len(run.events()) >= 3, f"the events after the restart: {run.lines}")
        self.assertEqual([seq for _, seq in run.events()], seqs)
        self.assertEqual(before, seqs[0] - 1)
        # The example restarts.
        run.end()
        seqs = [post(chosen, "while it was away"), post(chosen, "and again")]
        again = self.follow(run.events()[-1][0])
        wait_for(lambda: len(again.events()) >= 2, f"what it missed: {again.lines}")
        self.assertEqual([seq for _, seq in again.events()], seqs)

    def test_a_place_that_is_gone_begins_anew(self):
        chosen = session()
        post(chosen, "something")
        run = self.follow("00000000-0000-4000-8000-000000000000:1")
        wait_for(lambda: "reset\n" in run.lines, f"reset: {run.lines}")
        wait_for(lambda: any(chosen in line for line in run.lines[run.lines.index("reset\n"):]), f"sessions: {run.lines}")
        seq = post(chosen, "later")
        wait_for(lambda: run.events(), f"an event: {run.lines}")
        self.assertEqual(run.events()[0][1], seq)

    def test_a_wrong_token_ends_it(self):
        run = self.follow(token="wrong")
        self.assertNotEqual(run.process.wait(harness.PATIENCE), 0)
        run.end()
        self.assertIn("401", "".join(run.lines))


class Python(Shell):
    COMMAND = ["/usr/bin/python3", EXAMPLES / "follow.py"]


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class JavaScript(Shell):
    COMMAND = ["node", EXAMPLES / "follow.mjs"]


class Swift(Shell):
    @classmethod
    def setUpClass(cls):
        program = make_directory() / "follow"
        subprocess.run(["swiftc", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", EXAMPLES / "follow.swift",
                        "-o", program], check=True, timeout=240, stdin=subprocess.DEVNULL)
        cls.COMMAND = [program]


class Documented(unittest.TestCase):
    """The Swift client of docs/rpc.md, with a replacement for the WebSocket, which Foundation lacks here."""

    @classmethod
    def setUpClass(cls):
        blocks = re.findall(r"```swift\n(.*?)```", (ROOT / "docs" / "rpc.md").read_text(), re.DOTALL)
        client, = [block for block in blocks if "class CDEVClient" in block]
        directory = make_directory()
        (directory / "CDEVClient.swift").write_text(client)
        cls.program = directory / "client"
        subprocess.run(["swiftc", "-swift-version", "6", "-warnings-as-errors", directory / "CDEVClient.swift",
                        *sorted((ROOT / "Tests" / "system" / "swift").glob("*.swift")), "-o", cls.program],
                       check=True, timeout=240, stdin=subprocess.DEVNULL)

    def test_it_calls_methods_and_hears_events(self):
        chosen, client = session(), Client(server.address, key)
        post(chosen, "the first prompt")
        run = Run([self.program], MONITOR_SOCKET=f"ws://{server.address}/ws")
        self.addCleanup(run.end)

        def has(text):
            wait_for(lambda: any(line.startswith(text) for line in run.lines), f"{text} in {run.lines}")
        has("ready")
        has(f"session {chosen} running")
        has(f"opened {chosen} existing")
        has("error -32602")
        for name, fields in (("Stop", {"last_assistant_message": "done"}), ("SessionEnd", {"reason": "other"})):
            client.request("POST", "/api/events", envelope(hook(name, chosen, **fields)))
        has("closed")
        workspace = Client(server.address, server.admin).get(f"/v1/sessions/{chosen}").json["workspace_id"]
        has(f"event claude_message {workspace} {chosen} content,")
        has(f"event session_end {workspace} {chosen} reason")
        # The client gets only the events that it knows.
        self.assertFalse([line for line in run.lines if line.startswith("event stop ")], run.lines)


if __name__ == "__main__":
    unittest.main()
