"""Chats: what is left of one when the agent ends, or is killed."""

import os
import signal
import unittest
import uuid

from machine import AgentCase, wait_until
from test_chats import Chats

# A client that neither answers nor ends when it is asked.
DEAF = """#!/usr/bin/env python3
import signal, sys, time
if "--version" in sys.argv:
    print("2.1.300 (Claude Code)")
    sys.exit()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open({mark!r}, "w").close()
time.sleep(600)
"""


class Ends(AgentCase):
    def test_the_agents_end_is_that_of_its_chats(self):
        self.machine.allow("chat=on")
        mark = self.machine.place / "mark"
        self.machine.client.write_text(DEAF.format(mark=str(mark)))
        os.chmod(self.machine.client, 0o755)
        link = self.begin()
        link.post("chat/run", {"session_id": str(uuid.uuid4()), "content": "Hello"})
        wait_until(mark.exists, "the client")
        agent = self.machine.agents[0]
        agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(60), 0, self.machine.log())
        self.assertEqual(self.machine.clients(), [])


class Killed(Chats):
    """The agent is not there any more to end anything."""

    def kill(self):
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        wait_until(lambda: not self.machine.clients(), "the end of all clients")

    def test_a_chat_that_is_answered_ends(self):
        os.mkfifo(self.machine.home / "release")
        for content in ("hold", "begin"):
            self.post(content)
        wait_until(lambda: len(self.begun()) == 2, "the chats")
        wait_until(lambda: any(one.get("phase") == "begin" for one in self.taken()), "the first text")
        self.kill()

    def test_a_chat_that_waits_for_results_ends(self):
        self.called()
        self.kill()

    def test_the_client_that_waits_for_the_next_chat_ends(self):
        self.assertIn("result", self.run_chat("hello")[1])
        wait_until(lambda: not self.begun() and len(self.machine.clients()) == 1, "the client that waits")
        self.kill()


if __name__ == "__main__":
    unittest.main()
