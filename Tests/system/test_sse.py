"""The live stream as server-sent events, and `monitorctl events --follow` on top of it."""

import json
import os
import select
import socket
import subprocess
import time
import unittest

import harness
from harness import Client, Server, envelope, hook, session, tool


def setUpModule():
    global server, key, quiet, opened
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("sse")
    # This stream stays open during the other tests, so that the wait for its heartbeat takes little time.
    quiet, opened = Stream(f"?session_id={session()}"), time.monotonic()


def tearDownModule():
    quiet.socket.close()
    server.end()


def post(*items):
    answer = Client(server.address, key).request("POST", "/api/events", list(items))
    assert answer.status == 202, answer
    return [entry["seq"] for entry in answer.json["events"]]


class Stream:
    """An EventSource over a raw socket."""

    def __init__(self, query="", credential=None, at=None, **headers):
        at = at or server
        host, _, port = at.address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), 10)
        fields = {"Host": at.address, "Accept": "text/event-stream",
                  "Authorization": f"Bearer {credential or at.admin}"}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        self.socket.sendall((f"GET /v1/events{query} HTTP/1.1\r\n"
                             + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n").encode())
        self.buffer, self.ended = b"", False
        self.head = self.take(b"\r\n\r\n", 10).decode().lower()
        self.chunked = "transfer-encoding: chunked" in self.head
        self.comments = []
        self.id = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def take(self, mark, seconds):
        deadline = time.monotonic() + seconds
        while mark not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError(self.buffer)
            piece = self.socket.recv(1 << 16)
            if not piece:
                self.ended = True
                raise EOFError(self.buffer)
            self.buffer += piece
        found, _, self.buffer = self.buffer.partition(mark)
        return found

    def next(self, seconds=10):
        """The next event as (id, name, data). Blocks without data only change the id."""
        deadline = time.monotonic() + seconds
        while True:
            name, data = "message", []
            for line in self.take(b"\n\n", deadline - time.monotonic()).decode().split("\n"):
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if field == "":
                    self.comments.append(value)
                elif field == "id":
                    self.id = value
                elif field == "event":
                    name = value
                elif field == "data":
                    data.append(value)
            if data:
                return self.id, name, json.loads("\n".join(data))

    def events(self, count, seconds=15):
        return [self.next(seconds) for _ in range(count)]


class Live(unittest.TestCase):
    def test_head(self):
        with Stream() as stream:
            self.assertIn("http/1.1 200", stream.head)
            self.assertIn("content-type: text/event-stream", stream.head)
            self.assertIn("cache-control: no-", stream.head)
            self.assertIn("x-request-id", stream.head)
            self.assertFalse(stream.chunked)

    def test_events_come_as_they_happen(self):
        chosen = session()
        with Stream() as stream:
            sent = envelope(tool(chosen, "npm test"), "2026-01-05T10:00:00.123Z")
            seq, = post(sent)
            identity, name, data = stream.next()
            self.assertEqual((name, data["seq"], data["type"], data["session_id"]), ("tool", seq, "tool", chosen))
            self.assertEqual(data["payload"], sent["data"])
            self.assertTrue(identity.endswith(f":{seq}"), identity)
            stored = server.get(f"/v1/sessions/{chosen}/events").json["events"][0]
            self.assertEqual({k: v for k, v in data.items() if k in stored}, {k: v for k, v in stored.items() if k in data})
            later = post(*(envelope(tool(chosen)) for _ in range(100)))
            self.assertEqual([data["seq"] for _, _, data in stream.events(100)], later)

    def test_filters(self):
        one, other = session(), session()
        with Stream(f"?session_id={one}") as by_session, Stream("?type=stop") as by_type:
            seqs = post(envelope(tool(one)), envelope(tool(other)), envelope(hook("Stop", other)), envelope(hook("Stop", one)))
            self.assertEqual([d["seq"] for _, _, d in by_session.events(2)], [seqs[0], seqs[3]])
            self.assertEqual([d["seq"] for _, _, d in by_type.events(2)], [seqs[2], seqs[3]])

    def test_credentials_are_as_everywhere(self):
        with Stream(credential="wrong") as stream:
            self.assertIn("http/1.1 401", stream.head)
        with Stream(credential=key) as stream:
            self.assertIn("http/1.1 403", stream.head)

    def test_text_with_line_ends_stays_one_event(self):
        with Stream() as stream:
            post(envelope(hook("UserPromptSubmit", session(), prompt="a\nb\r\nc\rd\n\nid: 7\ndata: x")))
            self.assertEqual(stream.next()[2]["payload"]["prompt"], "a\nb\r\nc\rd\n\nid: 7\ndata: x")


class Resume(unittest.TestCase):
    def test_last_event_id_loses_and_doubles_nothing(self):
        chosen, seen, place = session(), [], None
        with Stream(f"?session_id={chosen}") as stream:
            expected = post(*(envelope(tool(chosen)) for _ in range(40)))
            for _ in range(10):
                place, _, data = stream.next()
                seen.append(data["seq"])
        while len(seen) < 40:
            with Stream(f"?session_id={chosen}", Last_Event_ID=place) as stream:
                for _ in range(min(7, 40 - len(seen))):
                    place, _, data = stream.next()
                    seen.append(data["seq"])
        self.assertEqual(seen, expected)
        with Stream(f"?session_id={chosen}", Last_Event_ID=place) as stream:
            later = post(*(envelope(tool(chosen)) for _ in range(3)))
            self.assertEqual([data["seq"] for _, _, data in stream.events(3)], later)

    def test_the_position_moves_with_what_a_filter_hides(self):
        """A client that received nothing for a long time does not read everything again, because it has received an id at
        least."""
        with Stream("?type=none_such") as stream:
            with self.assertRaises(TimeoutError):
                stream.next(0.7)
            self.assertTrue(stream.id)

    def test_a_foreign_place_is_a_reset(self):
        chosen = session()
        for place in ["00000000-0000-0000-0000-000000000000:1", "garbage:0"]:
            with self.subTest(place), Stream(Last_Event_ID=place) as stream:
                identity, name, data = stream.next()
                self.assertEqual(name, "reset")
                self.assertEqual(data["recovered"], False)
                seq, = post(envelope(tool(chosen)))
                self.assertEqual(stream.next()[2]["seq"], seq)

    def test_nonsense_for_a_place_is_no_error_of_the_server(self):
        for place in ["", ":", "x", "-1", "9" * 400, "a:b:c", "%00"]:
            with self.subTest(place), Stream(Last_Event_ID=place) as stream:
                self.assertRegex(stream.head, r"^http/1\.1 (200|400)")


class Quiet(unittest.TestCase):
    def test_a_comment_comes_within_35_seconds(self):
        deadline = opened + 35
        while not quiet.comments:
            try:
                quiet.next(max(0.1, deadline - time.monotonic()))
            except TimeoutError:
                self.assertTrue(quiet.comments or time.monotonic() < deadline, "no heartbeat")


class ZControl(unittest.TestCase):
    """These tests run last, because they restart the server."""

    def follow(self, *arguments):
        process = subprocess.Popen(
            [harness.CONTROL, "events", "--follow", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=harness.environment(MONITOR_URL=server.url, MONITOR_DATA_DIR=server.directory))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait, 10)
        self.addCleanup(harness.kill, process.pid)
        return process

    def lines(self, process, count, seconds=20):
        buffer, deadline = b"", time.monotonic() + seconds
        while buffer.count(b"\n") < count:
            self.assertTrue(select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0], buffer)
            piece = os.read(process.stdout.fileno(), 1 << 16)
            self.assertTrue(piece, "ended")
            buffer += piece
        return [json.loads(line)["seq"] for line in buffer.splitlines()]

    def test_follow_goes_on_over_a_restart(self):
        """The server stops and starts again on the same port. The follower misses nothing."""
        global key
        other = session()
        first = post(envelope(tool(other)))
        process = self.follow("--session", other, "--last", "1")
        self.assertEqual(self.lines(process, 1), first)
        server.stop()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()
        second = post(*(envelope(tool(other)) for _ in range(5)))
        self.assertEqual(self.lines(process, 5, 40), second)
        harness.kill(process.pid, harness.signal.SIGINT)
        self.assertEqual(process.wait(10), 0)
