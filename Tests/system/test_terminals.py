"""Sessions in terminals: who may type there, what subscribers get, and when."""

import asyncio
import secrets
import unittest
import uuid

from agents import MAY, Agent, Refusal
from harness import Server, wait_for
from test_websocket import connected


def setUpModule():
    global server
    server = Server(MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    server.end()


class TerminalCase(unittest.TestCase):
    def setUp(self):
        self.machine = f"console-{secrets.token_hex(3)}"
        self.key = server.machine_key(self.machine)
        self.agent = self.connect()
        answer = server.post("/v1/sessions", {"machine_id": self.machine, "path": "/home/dev/app",
                                              "session_id": str(uuid.uuid4()), "permission_mode": "interactive"})
        self.assertEqual(answer.status, 201, answer.text)
        self.session = answer.json["id"]
        self.started = answer.json

    def connect(self, **more):
        agent = Agent(server, self.key, **more)
        agent.greeting["may"] = dict(MAY, pty=True)
        self.addCleanup(agent.close)
        return agent.greet()

    def show(self, data, restarts=False, agent=None):
        (agent or self.agent).tell("pty/output", {"session_id": self.session, "data": data, "restarts": restarts})
