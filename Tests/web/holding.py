"""The hook's side of a prompt: it polls and holds like hooks/session-monitor.sh, and gets what to print."""

import datetime
import json
import threading
import uuid

from web import Client


class Hold:
    """Polls in a thread, as a hook does in a process."""

    def __init__(self, told, name, seconds=600, policy="always=yes change_input=no after=ask edits=yes", ago=0, **fields):
        self.told, self.id, self.seconds, self.policy = told, str(uuid.uuid4()), seconds, policy
        at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=ago)
        now = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.envelope = {"event_id": str(uuid.uuid4()), "timestamp": now, "machine_id": told.machine.name, "data": {
            "session_id": told.id, "cwd": told.directory, "hook_event_name": name, "prompt_id": told.turn,
            "permission_mode": "default", **fields}}
        self.output, self.statuses, self.error = None, [], None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.poll, daemon=True)
        self.thread.start()

    @property
    def prompt(self):
        return "prm_" + self.envelope["event_id"].replace("-", "")

    def poll(self):
        headers = {"X-Hold-Id": self.id, "X-Hold-Seconds": str(self.seconds), "X-Hold-Policy": self.policy}
        while not self.is_over.is_set():
            try:
                client = Client(self.told.machine.client.address, self.told.machine.key, timeout=70)
                answer = client.request("POST", "/api/prompts", self.envelope, headers)
                client.close()
            except OSError:
                # The server restarts. The hook tries again with the same ids.
                self.is_over.wait(0.3)
                continue
            self.statuses.append(answer.status)
            if answer.status == 200:
                self.output = json.loads(answer.body)
                self.is_over.set()
            elif answer.status not in (204, 503, 429):
                self.error = answer
                self.is_over.set()
            elif answer.status != 204:
                self.is_over.wait(0.3)

    def result(self, seconds=20):
        """What the hook prints. {} means nothing."""
        if not self.is_over.wait(seconds):
            raise AssertionError(f"not answered: {self.statuses}")
        if self.error:
            raise AssertionError(self.error)
        return self.output

    def withdraw(self):
        """A person says No at the terminal."""
        client = Client(self.told.machine.client.address, self.told.machine.key)
        answer = client.request("DELETE", "/api/prompts/" + self.id)
        client.close()
        self.is_over.set()
        return answer

    def decision(self):
        return self.result()["hookSpecificOutput"]["decision"]
