"""Pipelined requests with and without bodies, in pieces of any size: the server answers all of them."""

import random
import socket
import time
import unittest

from harness import Server


def setUpModule():
    global server
    server = Server().start()


def tearDownModule():
    server.end()


def head(method, path, length=None):
    fields = [f"{method} {path} HTTP/1.1", f"Host: {server.address}"]
    if length is not None:
        fields += ["Content-Type: application/json", f"Content-Length: {length}"]
    return ("\r\n".join(fields) + "\r\n\r\n").encode()


def pipeline(chance):
    """Some requests: empty ones, unexpected bodies, and one whose answer comes later."""
    requests = b""
    for _ in range(chance.randint(2, 6)):
        kind = chance.randint(0, 3)
        body = b'{"a":1}' * chance.randint(1, 60)
        if kind == 0:
            requests += head("GET", "/health")
        elif kind == 1:
            requests += head("POST", "/v1/nothing", 0)
        elif kind == 2:
            requests += head("GET", "/health", len(body)) + body
        else:
            requests += head("POST", "/api/pair/code", len(body)) + body
    return requests


class Pieces(unittest.TestCase):
    def send(self, seed):
        chance = random.Random(seed)
        rest = pipeline(chance)
        host, _, port = server.address.rpartition(":")
        with socket.create_connection((host, int(port)), 5) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(0.2)
            try:
                while rest:
                    size = chance.choice([60, 120, 500, 4000])
                    connection.sendall(rest[:size])
                    rest = rest[size:]
                    if chance.random() < 0.3:
                        time.sleep(chance.random() * 0.002)
                connection.recv(65536)
            except OSError:
                pass  # The server may close the connection instead of reading such a body.

    def test_the_server_goes_on_whatever_comes_in_one_read(self):
        for seed in range(600):
            self.send(seed)
            if seed % 20 == 0:
                self.assertEqual(server.health()[0], 200, f"seed {seed}")
        self.assertEqual(server.health()[0], 200)


if __name__ == "__main__":
    unittest.main()
