"""Hooks that wait for an answer, and a person who answers."""

import http.client
import json
import random
import threading
import time
import uuid

from ledger import Sent, uuid7
from producers import Producer

HOLD_SECONDS = 120
# The maximum seconds that a hook waits for its answer after the end of the load.
PATIENCE = 20


class Asker(Producer):
    """A machine whose hooks wait. A hook prints its answer once, and then posts what the call did."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        # By prompt id: what the hook printed. None means that it left the prompt to the terminal.
        self.printed = {}
        self.given_up = set()

    def run(self):
        while not self.stopping.is_set():
            if not self.silent.is_set():
                self.ask()
            self.stopping.wait(self.random.uniform(0.0, 0.3))
        self.close()

    def ask(self):
        event_id, session = uuid7(), self.sessions[0]
        self.counter += 1
        asked = {"tool_name": "Bash", "tool_input": {"command": f"ask {self.counter}"}}
        sent = Sent(self.name, self.counter, session, "PermissionRequest")
        self.ledger.remember(event_id, sent)
        prompt = "prm_" + event_id.replace("-", "")
        output = self.hold(event_id, self.envelope(event_id, self.data(sent, asked)))
        if output is False:
            return self.given_up.add(prompt)
        self.printed[prompt] = (output.get("hookSpecificOutput") or {}).get("decision", {}).get("behavior")
        name = "PostToolBatch" if self.printed[prompt] == "deny" else "PostToolUse"
        self.counter += 1
        done = Sent(self.name, self.counter, session, name)
        self.post([(uuid7(), done)], {} if name == "PostToolBatch" else asked)

    def envelope(self, event_id, data):
        """Adds the machine's own time, as the hook script does. It gives the order of events that follow each other."""
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
        return {"event_id": event_id, "machine_id": self.name, "timestamp": stamp, "data": data}

    @staticmethod
    def data(sent, more):
        return {"session_id": sent.session, "hook_event_name": sent.hook, "cwd": f"/srv/{sent.producer}",
                "producer": sent.producer, "counter": sent.counter, **more}

    def post(self, events, more=None):
        """Posts an event again and again until it is acknowledged."""
        (event_id, sent), = events
        text = json.dumps(self.envelope(event_id, self.data(sent, more or {})))
        self.ledger.send(events)
        while True:
            status, pause = self.attempt([event_id], text)
            if status == 202:
                return
            if self.abandoning.wait(pause):
                return self.ledger.abandon([event_id], status == 503)

    def hold(self, event_id, body):
        """Returns what the hook prints, {} for nothing. False if it was given up at the end."""
        until = time.monotonic() + HOLD_SECONDS
        hold, text, asked_to_stop = str(uuid.uuid4()), json.dumps(body), None
        while True:
            left = int(until - time.monotonic())
            if self.stopping.is_set():
                asked_to_stop = asked_to_stop or time.monotonic()
            if left < 1 or asked_to_stop and time.monotonic() - asked_to_stop > PATIENCE:
                return False
            link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
            try:
                link.request("POST", "/api/prompts", text, {
                    "Content-Type": "application/json", "Authorization": f"Bearer {self.key}", "X-Hold-Id": hold,
                    "X-Hold-Seconds": str(left)})
                answer = link.getresponse()
                found = answer.read()
            except (OSError, http.client.HTTPException):
                self.stopping.wait(0.2)
                continue
            finally:
                link.close()
            if answer.status == 200:
                self.ledger.count("hooks answered")
                return json.loads(found)
            if answer.status not in (204, 503, 429):
                self.ledger.fault(f"{self.name}: a waiting hook got {answer.status}: {found[:200]!r}")
                return False
            self.stopping.wait(0.0 if answer.status == 204 else 0.3)


class Person(threading.Thread):
    """Answers every open prompt once, and repeats the request until there is a result."""

    def __init__(self, server, seed):
        super().__init__(daemon=True, name="person")
        self.server, self.random = server, random.Random(seed)
        self.given, self.refused, self.wanted = {}, {}, {}
        self.faults = []
        self.stopping = threading.Event()

    def pair(self):
        """Pairs a device. Without a device that may answer, hooks do not wait."""
        _, made = self.server.request("POST", "/v1/pairing", {}, self.server.token)
        status, answer = self.server.request("POST", "/v1/pairing/exchange", {"code": made["code"], "name": "phone"})
        if status not in (200, 201):
            raise RuntimeError(f"no device: {status} {answer}")

    def run(self):
        while not self.stopping.wait(0.15):
            try:
                self.look()
            except (OSError, http.client.HTTPException):
                continue

    def look(self):
        status, answer = self.server.request("GET", "/v1/prompts?state=open&limit=200", key=self.server.token)
        prompts = [one["id"] for one in answer["prompts"] if one["answerable"]] if status == 200 else []
        # This includes answers whose result got lost, because they may have closed the prompt.
        for prompt in {*prompts, *self.wanted}:
            if prompt in self.given or prompt in self.refused:
                continue
            body = self.wanted.setdefault(prompt, {"answer_id": str(uuid.uuid4()),
                                                   "decision": self.random.choice(("allow", "deny"))})
            status, answer = self.server.request("POST", f"/v1/prompts/{prompt}/answer", body, self.server.token)
            if status == 200:
                self.given[prompt] = body["decision"]
            elif status in (409, 410):
                self.refused[prompt] = (body["answer_id"], answer["error"]["code"])
            elif status not in (503, 429, 404):
                self.faults.append(f"an answer to {prompt} got {status}: {str(answer)[:200]}")
                self.refused[prompt] = (body["answer_id"], str(status))
