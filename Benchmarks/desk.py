"""A machine with the built agent: a home directory, a root, and projects below it."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
import uuid

from harness import pin, stop


class Desk:
    """One agent that is connected to the server, as a context. `parent` is where its files are."""

    def __init__(self, server, words, parent=None):
        self.server = server
        self.place = os.path.realpath(tempfile.mkdtemp(prefix="bench-agent-", dir=parent))
        self.home, self.root = os.path.join(self.place, "home"), os.path.join(self.place, "work")
        settings = os.path.join(self.home, ".config/claude-monitor")
        for directory in (self.root, settings):
            os.makedirs(directory, mode=0o700)
        self.name = "bench-agent"
        self.key = server.control("key", "create", self.name)
        write(settings, "config", f"url=http://127.0.0.1:{server.port}\nkey={self.key}\n")
        write(settings, "agent", f"{words}\nroots={self.root}\ntrust={self.root}\n")
        self.process = None

    def __enter__(self):
        environment = {"HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self.process = subprocess.Popen([os.path.join(self.server.programs, "monitor-agent"), "run"], cwd="/",
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment, preexec_fn=pin(0))
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if (ask(self.server, f"/v1/machines/{self.name}", self.server.token).get("agent") or {}).get("state") == "online":
                return self
            time.sleep(0.1)
        raise SystemExit("the agent did not connect")

    def __exit__(self, *_):
        stop(self.process, 10)
        shutil.rmtree(self.place, ignore_errors=True)

    def project(self, directory):
        """The id of the project in a directory, which exists once a session has begun there."""
        session = str(uuid.uuid4())
        body = [{"event_id": str(uuid.uuid4()), "data": {"session_id": session, "cwd": directory, "hook_event_name": "SessionStart",
                                                         "source": "startup"}}]
        ask(self.server, "/api/events", self.key, body)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = [one for one in ask(self.server, "/v1/sessions", self.server.token)["sessions"] if one["id"] == session]
            if found:
                return found[0]["project_id"]
            time.sleep(0.05)
        raise SystemExit("the session did not appear")


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o600)


def ask(server, path, token, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", body and json.dumps(body).encode(),
                                     {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
        return json.load(answer)
