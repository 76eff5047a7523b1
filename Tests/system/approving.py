"""Plays a hook that waits for an answer, over HTTP."""

import threading
import time
import uuid

from harness import Client, envelope, hook

BASH = {"tool_name": "Bash", "tool_input": {"command": "rm -rf build", "description": "clean"}}


class Hook:
    """A waiting hook. A thread polls until the server answers what to print, as hooks/session-monitor.sh does."""

    def __init__(self, server, key, chosen, name="PermissionRequest", seconds=60, policy=None, hold=None, event=None,
                 **fields):
        self.server, self.key, self.chosen = server, key, chosen
        self.hold = hold or str(uuid.uuid4())
        self.event = event or envelope(hook(name, chosen, **(fields or BASH)))
        self.headers = {"X-Hold-Id": self.hold, "X-Hold-Seconds": str(seconds)}
        if policy:
            self.headers["X-Hold-Policy"] = policy
        self.output, self.statuses, self.client = None, [], None
        self.is_over = threading.Event()

    @property
    def prompt(self):
        """The prompt's id, if this hook's event opened it."""
        return "prm_" + self.event["event_id"].replace("-", "")

    def poll(self):
        """Sends one request."""
        self.client = Client(self.server.address, self.key, timeout=60)
        try:
            return self.client.request("POST", "/api/prompts", self.event, self.headers)
        finally:
            self.client.close()

    def start(self):
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def run(self):
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                answer = self.poll()
            except OSError:
                self.statuses.append(None)
                time.sleep(0.2)
                continue
            self.statuses.append(answer.status)
            if answer.status == 200:
                self.output = answer.json
                return self.is_over.set()
            if answer.status != 204:
                time.sleep(0.2)

    def wait(self, seconds=20):
        """Returns what the hook prints; {} means nothing."""
        assert self.is_over.wait(seconds), f"the hook still waits: {self.statuses}"
        return self.output

    def end(self, reason=None, key=None, word=None):
        """Tells the server that the hook no longer waits. `word` is the reason, in one word."""
        client = Client(self.server.address, key or self.key)
        headers = {"X-Hold-End": word, "X-Hold-Event": self.event["event_id"]} if word else {}
        try:
            return client.request("DELETE", f"/api/prompts/{self.hold}" + (f"?reason={reason}" if reason else ""),
                                  headers=headers)
        finally:
            client.close()
