"""A machine with an agent: a home directory, the hooks' configuration, the files of the machine, and a scripted client."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

from wire import PATIENCE, Wire

AGENT = os.environ["MONITOR_AGENT"]
CLIENT = pathlib.Path(__file__).resolve().parent.parent / "ClaudeRunnerTests" / "scripted_client.py"
KEY = "cmk_" + "k" * 40


class Machine:
    def __init__(self, case, **extra):
        self.place = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="agent-")))
        case.addCleanup(shutil.rmtree, self.place, True)
        case.addCleanup(self.end_all)
        self.home = self.place / "home"
        self.settings = self.home / ".config/claude-monitor"
        self.settings.mkdir(parents=True, mode=0o700)
        self.root = self.place / "work"
        self.project = self.root / "project"
        self.project.mkdir(parents=True)
        self.client = self.place / "bin" / "claude"
        self.client.parent.mkdir()
        shutil.copy(CLIENT, self.client)
        os.chmod(self.client, 0o755)
        os.chmod(self.client.parent, 0o755)
        self.state = self.home / ".local/state/claude-monitor/agent"
        self.agents = []
        self.extra = extra
        self.allow()
        self.trust(self.project)

    def configure(self, url, **more):
        lines = [f"url={url}", f"key={KEY}"] + [f"{name}={value}" for name, value in more.items()]
        self.write("config", "\n".join(lines) + "\n")

    def write(self, name, text, mode=0o600):
        path = self.settings / name
        path.write_text(text)
        os.chmod(path, mode)

    def allow(self, *words, roots=None):
        lines = ["control=on " + " ".join(words), f"claude={self.client}"]
        lines += [f"roots={root}" for root in (roots or [self.root])]
        self.write("agent", "\n".join(lines) + "\n")

    def trust(self, *paths):
        (self.home / ".claude.json").write_text(json.dumps(
            {"projects": {str(path): {"hasTrustDialogAccepted": True} for path in paths}}))

    def env(self, **more):
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **self.extra, **more}

    def start(self, *flags, **more):
        log = open(self.place / f"log-{len(self.agents)}", "wb")
        process = subprocess.Popen([AGENT, "run", *flags], env=self.env(**more), stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, cwd="/")
        log.close()
        self.agents.append(process)
        return process

    def run(self, *words, **more):
        return subprocess.run([AGENT, *words], env=self.env(**more), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, cwd="/")

    def log(self, number=-1):
        return (self.place / f"log-{range(len(self.agents))[number]}").read_text()

    def status(self):
        return json.loads(self.run("status", "--json").stdout)

    def audit(self):
        return [json.loads(line) for line in (self.state / "audit.jsonl").read_text().splitlines()]

    def received(self):
        """The messages that the client took: id, length, beginning."""
        path = self.project / "received"
        return [line.split(" ", 2) for line in path.read_text().splitlines()] if path.exists() else []

    def clients(self):
        """The processes of the scripted client."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text()
            except (OSError, ValueError):
                continue
            if str(self.client).encode() in words and stat.rpartition(")")[2].split()[0] != "Z":
                found.append(int(entry))
        return found

    def client_words(self):
        return pathlib.Path(f"/proc/{self.clients()[0]}/cmdline").read_text().split("\0")

    def client_environment(self):
        return pathlib.Path(f"/proc/{self.clients()[0]}/environ").read_text().split("\0")

    def end_all(self):
        for agent in self.agents:
            if agent.poll() is None:
                agent.kill()
                agent.wait()
        for pid in self.clients():
            os.kill(pid, signal.SIGKILL)


def wait_until(found, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come")


class AgentCase(unittest.TestCase):
    """A machine and a server."""

    def setUp(self):
        self.wire = Wire()
        self.addCleanup(self.wire.close)
        self.machine = Machine(self)
        self.machine.configure(f"http://127.0.0.1:{self.wire.port}")

    def begin(self, *flags, **more):
        """Starts the agent and returns its first connection, greeted."""
        self.machine.start(*flags, **more)
        return self.wire.link(1)

    def start_session(self, link, **params):
        chosen = str(uuid.uuid4())
        answer = link.call("session/start", {"session_id": chosen, "directory": str(self.machine.project), **params})
        self.assertIn("result", answer)
        self.assertEqual(answer["result"]["session_id"], chosen)
        return chosen

    def refused(self, answer, reason):
        self.assertIn("error", answer)
        self.assertEqual((answer["error"]["code"], answer["error"]["data"]["reason"]), (-32005, reason), answer)
