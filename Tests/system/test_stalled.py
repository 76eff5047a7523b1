"""Requests that are announced but never arrive do not use the share of others."""

import contextlib
import json
import socket
import unittest

from harness import Client, Server, envelope, session, tool, wait_for

HEADS = 1100
BODIES = 16


class Stalled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(MONITOR_RATE_LIMIT="off").start()

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def open(self, data):
        host, _, port = self.server.address.rpartition(":")
        connection = socket.create_connection((host, int(port)), 10)
        self.addCleanup(connection.close)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        return connection

    def head(self, path, length, *fields):
        lines = [f"POST {path} HTTP/1.1", f"Host: {self.server.address}", "Content-Type: application/json",
                 f"Content-Length: {length}", *fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def post(self, key, count=20):
        client = Client(self.server.address, key)
        self.addCleanup(client.close)
        for _ in range(count):
            answer = client.request("POST", "/api/events", envelope(tool(session())))
            self.assertEqual(answer.status, 202, answer)

    def test_heads_of_strangers_reserve_nothing(self):
        other = self.server.key("other")
        for _ in range(HEADS):
            self.open(self.head("/v1/pairing/exchange", 4096))
        self.post(other)

    def test_stalled_bodies_of_one_key_leave_room_for_another(self):
        staller, other = self.server.key("staller"), self.server.key("quiet")
        size = 4 << 20
        for _ in range(BODIES):
            self.open(self.head("/api/events", size, f"x-api-key: {staller}") + b" " * 100_000)
        self.post(other)
        large = envelope(tool(session(), "x" * (1 << 20)))
        self.assertEqual(Client(self.server.address, other).request("POST", "/api/events", large).status, 202)

    def test_a_sender_may_not_hold_all_that_may_be_under_way(self):
        staller, other = self.server.key("hoarder"), self.server.key("modest")
        size = 4 << 20
        held = [self.open(self.head("/api/events", size, f"x-api-key: {staller}") + b" " * (size - 1)) for _ in range(20)]
        for connection in held:
            connection.settimeout(0.01)

        def refused():
            found = 0
            for connection in held:
                try:
                    found += b" 503 " in connection.recv(4096, socket.MSG_PEEK)
                except OSError:
                    continue
            return found

        wait_for(refused, "some of them are refused")
        self.post(other)

    def test_open_routes_take_small_bodies(self):
        connection = self.open(self.head("/v1/pairing/exchange", 4097))
        connection.settimeout(5)
        received = connection.recv(65536)
        self.assertIn(b" 413 ", received)
        self.assertEqual(json.loads(received.partition(b"\r\n\r\n")[2])["error"]["code"], "body_too_large")


if __name__ == "__main__":
    unittest.main()
