"""Machines that post, over HTTP and with the real hook script."""

import http.client
import json
import random
import subprocess
import threading
import time

from ledger import Sent, uuid7
from system import REPOSITORY

HOOKS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUse", "PostToolUseFailure", "Stop")
TIMEOUT = 30


def hook_json(session, hook, producer, counter, padding=0):
    data = {"session_id": session, "hook_event_name": hook, "cwd": f"/srv/{producer}",
            "transcript_path": f"/srv/{producer}/{session}.jsonl", "producer": producer, "counter": counter}
    if hook == "UserPromptSubmit":
        data["prompt"] = f"prompt {counter}" + "." * padding
    elif "ToolUse" in hook:
        data |= {"tool_name": "Bash", "tool_use_id": f"toolu_{producer}_{counter}",
                 "tool_input": {"command": f"echo {counter}" + " #" * padding}}
        if hook == "PostToolUse":
            data["tool_response"] = {"stdout": str(counter), "stderr": ""}
        elif hook == "PostToolUseFailure":
            data["error"] = "exit status 1"
    return data


class Producer(threading.Thread):
    """A machine that sends one request at a time, so what it sends later must be later in the log. After a 503 or a lost
    connection, it sends the same bytes again, except that some producers sometimes give up."""

    def __init__(self, name, server, key, ledger, seed, batch=1, gives_up=0.0):
        super().__init__(daemon=True, name=name)
        self.server, self.key, self.ledger = server, key, ledger
        self.random = random.Random(seed)
        self.batch, self.gives_up = batch, gives_up
        self.sessions = [f"{name}-{number}-{self.random.randrange(1 << 32):08x}" for number in range(2)]
        self.counter = 0
        self.stopping = threading.Event()
        self.abandoning = threading.Event()
        self.silent = threading.Event()
        self.link = None

    def run(self):
        while not self.stopping.is_set():
            if not self.silent.is_set():
                self.post(self.new_events())
            self.stopping.wait(self.random.uniform(0.0, 0.12))
        self.close()

    def new_events(self):
        events = []
        for _ in range(self.random.randint(1, self.batch)):
            self.counter += 1
            sent = Sent(self.name, self.counter, self.random.choice(self.sessions), self.random.choice(HOOKS))
            events.append((uuid7(), sent))
        return events

    def post(self, events):
        body = [{"event_id": event_id, "machine_id": self.name,
                 "data": hook_json(sent.session, sent.hook, sent.producer, sent.counter,
                                   self.random.choice((0, 0, 0, 40, 2000)))} for event_id, sent in events]
        identifiers = [event_id for event_id, _ in events]
        self.ledger.send(events)
        text = json.dumps(body[0] if len(body) == 1 else body)
        while True:
            status, pause = self.attempt(identifiers, text)
            if status == 202:
                return
            if self.abandoning.is_set():
                self.ledger.count("never acknowledged", len(events))
                return
            if self.random.random() < self.gives_up:
                return self.ledger.abandon(identifiers, status == 503)
            self.abandoning.wait(pause)

    def attempt(self, identifiers, text):
        """Returns the status (0: no answer) and the seconds to wait before the next attempt."""
        started = time.monotonic()
        try:
            if self.link is None:
                self.link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=TIMEOUT)
            self.link.request("POST", "/api/events", text, {"Content-Type": "application/json",
                                                            "Authorization": f"Bearer {self.key}"})
            answer = self.link.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.ledger.count("no answer: " + type(error).__name__)
            self.close()
            return 0, self.random.uniform(0.05, 0.3)
        if answer.status == 202:
            self.ledger.accept(identifiers, json.loads(body), started)
            return 202, 0
        self.ledger.count(str(answer.status))
        if answer.status != 503:
            self.ledger.fault(f"{self.name}: unexpected {answer.status}: {body[:200]!r}")
            return answer.status, 1
        wanted = answer.getheader("Retry-After")
        if not (wanted or "").isdigit():
            self.ledger.fault(f"{self.name}: 503 with Retry-After {wanted!r}")
        return 503, self.random.uniform(0.1, 0.8)

    def close(self):
        if self.link:
            self.link.close()
        self.link = None


class HookMachine(threading.Thread):
    """A machine with this repository's hooks, and with a home, a spool and a flusher of its own."""

    def __init__(self, name, server, key, workplace, seed):
        super().__init__(daemon=True, name=name)
        self.random = random.Random(seed)
        self.home = workplace.path / f"home-{name}"
        configuration = self.home / ".config/claude-monitor"
        configuration.mkdir(parents=True)
        (configuration / "config").write_text(f"url={server.url}\nkey={key}\nmachine_id={name}\n")
        self.environment = workplace.environment(HOME=str(self.home))
        self.session = f"{name}-{self.random.randrange(1 << 32):08x}"
        self.fired = {}
        self.faults = []
        self.stopping = threading.Event()
        self.silent = threading.Event()

    @property
    def state(self):
        return self.home / ".local/state/claude-monitor"

    def run(self):
        counter = 0
        while not self.stopping.wait(self.random.uniform(0.1, 1.2)):
            if self.silent.is_set():
                continue
            counter += 1
            hook = self.random.choice(HOOKS)
            data = hook_json(self.session, hook, self.name, counter, self.random.choice((0, 100)))
            self.fired[counter] = hook
            try:
                done = subprocess.run([REPOSITORY / "hooks/session-monitor.sh", hook], input=json.dumps(data).encode(),
                                      env=self.environment, timeout=10, check=False, capture_output=True)
                if done.returncode != 0 or done.stdout or done.stderr:
                    self.faults.append(f"hook {counter}: status {done.returncode}, said {done.stdout + done.stderr!r}")
            except subprocess.TimeoutExpired:
                self.faults.append(f"hook {counter} took more than 10 s")

    def waiting(self):
        """The entries that are still in the spool."""
        return len(list((self.state / "spool").glob("*.ev")))

    def last_error(self):
        try:
            return (self.state / "last_error").read_text().strip()
        except OSError:
            return ""
