"""Chats: what is left of one when the agent ends."""

import os
import signal
import unittest
import uuid

from machine import AgentCase, wait_until

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


if __name__ == "__main__":
    unittest.main()
