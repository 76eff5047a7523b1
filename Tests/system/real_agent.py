"""The built monitor-agent on a machine of its own: a home directory, the hooks' configuration, and a root."""

import os
import pathlib
import shutil
import subprocess

import harness
from harness import wait_for

PROGRAM = harness.BIN / "monitor-agent"


class RealAgent:
    """One agent of one machine. `close` ends it."""

    def __init__(self, server, name, *words):
        self.server, self.name = server, name
        self.home = pathlib.Path(os.path.realpath(harness.make_directory())) / "home"
        self.root = self.home.parent / "work"
        self.settings = self.home / ".config/claude-monitor"
        self.settings.mkdir(parents=True, mode=0o700)
        self.root.mkdir()
        self.key = server.key(name)
        self.write("config", f"url=http://{server.address}\nkey={self.key}\n")
        self.allow(*words)
        self.log = open(self.home.parent / "agent.log", "wb")
        self.start()

    def start(self):
        """Also anew, after the process has ended."""
        self.process = subprocess.Popen(
            [PROGRAM, "run"], env={"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd="/")
        wait_for(self.is_online, f"the agent of {self.name}; {self.said()}")

    def said(self):
        return (self.home.parent / "agent.log").read_text()

    def write(self, name, text):
        path = self.settings / name
        path.write_text(text)
        path.chmod(0o600)

    def allow(self, *words):
        self.write("agent", " ".join(words) + f"\nroots={self.root}\n")

    def shown(self):
        """What the server tells of the agent."""
        found = [one for one in self.server.get("/v1/machines").json["machines"] if one["name"] == self.name]
        return found[0]["agent"] if found else {}

    def is_online(self):
        return self.shown().get("state") == "online"

    def may(self):
        return self.shown().get("may") or {}

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.home.parent, True)
