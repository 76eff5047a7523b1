"""Requests whose bodies come in chunks (RFC 9112, section 7.1)."""

import gzip
import json
import socket
import unittest

from harness import Client, Server, envelope, exchange, hook, receive, session
from test_http import statuses


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_MAX_BODY="64KiB").start()
    key = server.key("chunks")


def tearDownModule():
    server.end()


def chunked(body, size=7):
    pieces = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def head(path="/api/hooks", method="POST", token=None, **fields):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {server.address}", f"Authorization: Bearer {token or key}",
             "Content-Type: application/json", "Transfer-Encoding: chunked",
             *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Chunked(unittest.TestCase):
    def events(self, chosen):
        return [event["hook_event_name"] for event in server.events(f"session_id={chosen}&limit=200")]

    def test_a_hook_with_its_only_chunk(self):
        chosen = session()
        body = json.dumps({"hook_event_name": "Stop", "session_id": chosen, "cwd": "/home/u/app"}).encode()
        data = head(Connection="close") + b"%X\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        received, closed = exchange(server.address, data)
        self.assertEqual((statuses(received), closed), ([200], True), received)
        self.assertEqual(received.partition(b"\r\n\r\n")[2], b"{}")
        self.assertEqual(self.events(chosen), ["Stop"])

    def test_every_route_that_takes_a_body(self):
        chosen, other = session(), session()
        items = json.dumps([envelope(hook("Stop", chosen)), envelope(hook("Stop", other))]).encode()
        packed = gzip.compress(items)
        answers, _ = exchange(server.address, b"".join([
            head("/api/events") + chunked(items, 1),
            head("/api/events", Content_Encoding="gzip") + chunked(packed, 100),
            head("/v1/keys", token=server.admin) + chunked(b'{"name":"made in chunks"}'),
            head("/v1/pairing", token=server.admin) + chunked(b""),
            head("/api/hooks/event") + chunked(json.dumps({"hook_type": "Stop", "data": hook("Stop", chosen)}).encode()),
            head("/v1/sessions", "GET", server.admin) + chunked(b"of no use"),
            head("/health", "GET", Connection="close") + chunked(b""),
        ]))
        self.assertEqual(statuses(answers), [202, 202, 201, 201, 200, 200, 200], answers)
        self.assertEqual((self.events(chosen), self.events(other)), (["Stop", "Stop"], ["Stop"]))

    def test_the_limit_of_a_body_is_the_same(self):
        chosen = session()
        body = json.dumps(envelope(hook("Stop", chosen))).encode()
        fits = body + b" " * ((64 << 10) - len(body))
        received, _ = exchange(server.address, head("/api/events", Connection="close") + chunked(fits, 5000))
        self.assertEqual(statuses(received), [202], received)
        # First the announced size of one chunk is too large, then the sum of the chunks.
        for data in (b"10001\r\n", chunked(fits, 5000)[:-5] + b"1\r\n"):
            received, closed = exchange(server.address, head("/api/events") + data)
            self.assertEqual((statuses(received), closed), ([413], True), received)
            self.assertIn(b"body_too_large", received)
        self.assertEqual(self.events(chosen), ["Stop"])

    def test_a_refusal_comes_before_the_chunks(self):
        for data in (b"", chunked(b"GET /v1/smuggled HTTP/1.1\r\n\r\n", 10)):
            received, closed = exchange(server.address, head(token="cmk_wrong") + data)
            self.assertEqual((statuses(received), closed), ([401], True), received)

    def test_a_client_that_waits_is_asked_for_its_chunks(self):
        chosen = session()
        host, _, port = server.address.rpartition(":")
        with socket.create_connection((host, int(port)), 10) as connection:
            connection.sendall(head("/api/events", Expect="100-continue", Connection="close"))
            self.assertTrue(connection.recv(1000).startswith(b"HTTP/1.1 100"))
            connection.sendall(chunked(json.dumps(envelope(hook("Stop", chosen))).encode()))
            self.assertEqual(statuses(receive(connection, 8)[0]), [202])
        self.assertEqual(self.events(chosen), ["Stop"])

    def test_pythons_client_sends_an_iterator(self):
        chosen = session()
        body = json.dumps(envelope(hook("Stop", chosen))).encode()
        client = Client(server.address, key)
        for _ in range(2):
            answer = client.request("POST", "/api/events", body)
            self.assertEqual(answer.status, 202)
        self.assertIsNotNone(client.connection, "the connection is kept")
        client.connection.request("POST", "/api/events", iter([body[:20], body[20:]]),
                                  {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        answer = client.connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["duplicates"]), (202, 1))
        client.close()

