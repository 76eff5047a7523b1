"""An agent that is killed while it starts a client: the next one finds the client, at whatever point of its start it is."""

import os
import pathlib
import subprocess
import uuid

from machine import AgentCase, wait_until

HERE = pathlib.Path(__file__).resolve().parent


class Starts(AgentCase):
    def setUp(self):
        super().setUp()
        self.library, self.gate = self.machine.place / "starter.so", self.machine.place / "gate"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, HERE / "starter.c"], check=True, timeout=60)

    def children(self, parent):
        """The processes that still run the program of their parent."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                stat = (place / "stat").read_text().rpartition(")")[2].split()
                if int(stat[1]) == parent and os.readlink(place / "exe") == os.readlink(f"/proc/{parent}/exe"):
                    found.append(int(place.name))
            except OSError:
                pass
        return found

    def test_the_client_is_found_that_does_not_run_its_program_yet(self):
        # Once the agent has asked the client for its version, nobody keeps the pipe open.
        os.mkfifo(self.gate)
        opened = os.open(self.gate, os.O_RDWR)
        link = self.begin(LD_PRELOAD=str(self.library), START_PROGRAM=str(self.machine.client), START_GATE=str(self.gate))
        os.close(opened)
        chosen, first = str(uuid.uuid4()), self.machine.agents[-1]
        link.post("session/start", {"session_id": chosen, "directory": str(self.machine.project)})
        wait_until(lambda: self.children(first.pid), "the client's process")
        first.kill()
        first.wait(20)
        second = self.machine.start()
        # It looks for the client meanwhile.
        with self.assertRaises(subprocess.TimeoutExpired):
            second.wait(0.5)
        gate = os.open(self.gate, os.O_RDWR)
        self.addCleanup(os.close, gate)
        link = self.wire.link(2)
        session, = link.called("initialize")[0]["sessions"]
        self.assertEqual((session["session_id"], [session["pid"]]), (chosen, self.machine.clients()))
        self.assertIn("result", link.call("session/stop", {"session_id": chosen}))
        wait_until(lambda: not self.machine.clients(), "the end of the client")
