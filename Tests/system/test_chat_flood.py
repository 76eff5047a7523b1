"""Fifty API keys that send bodies of 16 MiB to the chats at once, beside a machine that posts events."""

import json
import select
import socket
import threading
import unittest

import harness
import test_chat as chat
from harness import Client, Server, envelope, hook, session
from test_ingest import memory

KEYS = 50
ROUNDS = 3
BODY = 16 << 20
# The bodies that are read at once have 64 MiB. One that is whole is parsed, which takes several times its bytes.
MOST_GROWTH = 512 << 20
PATIENCE = 120


def setUpModule():
    global server
    server = chat.server = Server(MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    harness.end_everything()


def send(credential, body):
    """Posts the body until an answer comes, and returns its status and JSON. None: the connection was closed without one."""
    host, port = server.address.rsplit(":", 1)
    head = (f"POST {chat.PATH} HTTP/1.1\r\nHost: {server.address}\r\nAuthorization: Bearer {credential}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n").encode()
    left, received = memoryview(head + body), b""
    with socket.create_connection((host, int(port)), PATIENCE) as wire:
        try:
            while left:
                readable, _, _ = select.select([wire], [wire], [], PATIENCE)
                if readable:
                    break
                left = left[wire.send(left[:1 << 16]):]
            while piece := wire.recv(1 << 16):
                received += piece
        except (ConnectionResetError, BrokenPipeError):
            pass
    head, _, text = received.partition(b"\r\n\r\n")
    return (int(head.split(b" ", 2)[1]), json.loads(text)) if text else None


class Watch:
    """The most memory of the server, and the answers to the posts of a machine, while a test runs."""

    def __init__(self, key):
        self.key, self.chosen = key, session()
        self.most, self.statuses = 0, []
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.measure), threading.Thread(target=self.post)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join(PATIENCE)

    def measure(self):
        while not self.is_over.wait(0.01):
            self.most = max(self.most, memory(server.process.pid))

    def post(self):
        client = Client(server.address, self.key, timeout=PATIENCE)
        while not self.is_over.is_set():
            event = envelope(hook("PostToolUse", self.chosen, tool_name="Bash", tool_input={"command": "x" * 2000}))
            self.statuses.append(client.request("POST", "/api/events", event).status)
        client.close()


class Flood(chat.Chat):
    def flood(self, keys, body):
        """Each key sends the body in each round. All begin a round at the same time."""
        answers, gate = [], threading.Barrier(len(keys), timeout=PATIENCE)

        def attack(client):
            for _ in range(ROUNDS):
                gate.wait()
                answers.append(send(client.credential, body))
        threads = [threading.Thread(target=attack, args=(client,)) for client in keys]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * PATIENCE)
        self.assertEqual(len(answers), ROUNDS * len(keys))
        return answers

    def attack(self, keys, body):
        before = memory(server.process.pid)
        with Watch(server.key("posting")) as watch:
            # A post is answered before the flood begins.
            harness.wait_for(lambda: watch.statuses, "the first post")
            answers = self.flood(keys, body)
        self.assertGreater(len(watch.statuses), 1)
        self.assertEqual(set(watch.statuses), {202})
        self.assertLess(watch.most - before, MOST_GROWTH)
        # A connection that is closed while its body is on the way may lose the answer, but not all do.
        told = [answer for answer in answers if answer]
        self.assertTrue(told)
        for status, answer in told:
            self.assertIn(status, (413, 429, 503), answer)
            self.assertTrue(answer["error"]["message"], answer)
        self.assertEqual(self.chats, [])
        self.assertEqual(self.ask(keys[0]).status, 200)
        self.assertEqual(len(server.events(f"limit=200&session_id={watch.chosen}")), len(watch.statuses))

    def body(self):
        """A chat of the length, in which nothing is wrong but the length."""
        text = json.dumps({**chat.HELLO, "messages": [{"role": "user", "content": ""}]}).encode()
        place = text.index(b'"content": "') + len(b'"content": "')
        return text[:place] + b"x" * (BODY - len(text)) + text[place:]

    def test_keys_of_plain_chats(self):
        self.attack([self.chatter() for _ in range(KEYS)], self.body())

    def test_keys_that_also_have_project_chats(self):
        """The server reads more for them, because a project chat may have pictures."""
        self.attack([chat.made("chat", "control", machines=[self.name]) for _ in range(KEYS)], self.body())


if __name__ == "__main__":
    unittest.main()
