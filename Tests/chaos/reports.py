"""Machines that export telemetry and send their transcripts, and the totals that must result."""

import hashlib
import http.client
import json
import random
import sys
import threading
import time
import urllib.parse
import uuid
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "system"))
import telemetry  # noqa: E402

TIMEOUT = 30
LINES_AT_ONCE = 12
# The share of the requests that both the transcript and telemetry report. The server must count each of them once.
TOLD_TWICE = 0.6


class Reporter(threading.Thread):
    """A machine with one session. After a 503 or a lost connection it sends the same data again, and sometimes also after an
    acknowledgement. It sends its transcript from the offset that the server names."""

    def __init__(self, name, server, key, ledger, seed):
        super().__init__(daemon=True, name=name)
        self.server, self.key, self.ledger = server, key, ledger
        self.random = random.Random(seed)
        self.session = f"{name}-{self.random.randrange(1 << 32):08x}"
        self.path = f"/home/dev/.claude/projects/-srv-{name}/{self.session}.jsonl"
        # The tokens of each request, input and output, by its id.
        self.requests = {}
        self.told = set()
        self.file, self.offset, self.lines = bytearray(), 0, 0
        self.faults = []
        self.stopping, self.abandoning, self.silent = threading.Event(), threading.Event(), threading.Event()
        self.link = None

    @property
    def is_done(self):
        return self.stopping.is_set() and self.offset == len(self.file) and not self.is_alive()

    def run(self):
        while not self.stopping.is_set():
            if not self.silent.is_set():
                self.work()
            self.stopping.wait(self.random.uniform(0.05, 0.3))
        self.send_file()
        self.close()

    def work(self):
        fresh = [self.new_request() for _ in range(self.random.randint(1, 4))]
        records = [self.record(one) for one in fresh if self.random.random() < TOLD_TWICE]
        if records:
            self.export(records)
        self.send_file()

    def new_request(self):
        """Adds a prompt and its answer to the transcript. Returns the request's id."""
        number = len(self.requests)
        request = f"req_{self.session}_{number}"
        tokens = self.random.randint(1, 9000), self.random.randint(1, 900)
        self.requests[request] = tokens
        usage = {"input_tokens": tokens[0], "output_tokens": tokens[1], "cache_read_input_tokens": 0,
                 "cache_creation_input_tokens": 0}
        # Each block repeats the usage of the answer.
        lines = [{"type": "user", "message": {"role": "user", "content": f"prompt {number} " + "." * self.random.choice((0, 3000))}}]
        lines += [{"type": "assistant", "requestId": request, "message": {
            "id": f"msg_{number}_{self.session}", "role": "assistant", "model": "claude-sonnet-5", "usage": usage,
            "content": [{"type": "text", "text": f"part {block} of {number}"}]}} for block in range(self.random.randint(1, 3))]
        for line in lines:
            line.update(uuid=str(uuid.UUID(int=self.random.getrandbits(128))), sessionId=self.session, cwd="/srv/reports",
                        timestamp=stamp())
            self.file += json.dumps(line).encode() + b"\n"
        self.lines += len(lines)
        return request

    def record(self, request):
        self.told.add(request)
        given, taken = self.requests[request]
        return telemetry.request(self.session, request, sequence=len(self.told), cost=given * 2e-6 + taken * 1e-5, input_tokens=given,
                                 output_tokens=taken, cache_read_tokens=0, cache_creation_tokens=0,
                                 cache_creation_5m_tokens=0)

    def export(self, records):
        body, kind = telemetry.logs(*records), "application/json"
        text = json.dumps(body).encode()
        if self.random.random() < 0.5:
            text, kind = telemetry.protobuf(body), "application/x-protobuf"
        while not self.abandoning.is_set():
            status, _ = self.attempt("/v1/logs", text, {"Content-Type": kind})
            if status == 200:
                # An exporter that did not get the answer sends the same again.
                if self.random.random() < 0.1:
                    continue
                return
            self.pause(status)
        self.faults.append(f"{len(records)} records were never acknowledged")

    def send_file(self):
        while self.offset < len(self.file) and not self.abandoning.is_set():
            size = self.random.choice((200, 4000, 1 << 16))
            piece = bytes(self.file[self.offset:self.offset + size])
            prefix = hashlib.sha256(self.file[:min(self.offset, 4096)]).hexdigest()
            status, answer = self.attempt("/api/transcripts", piece, {
                "Content-Type": "application/x-ndjson", "X-Transcript-Path": urllib.parse.quote(self.path),
                "X-Transcript-Session": self.session, "X-Transcript-Offset": str(self.offset), "X-Transcript-Prefix": prefix})
            if status in (202, 409):
                self.offset = answer["next_offset"]
                if not 0 <= self.offset <= len(self.file):
                    self.faults.append(f"next_offset {self.offset} of {len(self.file)}")
                    return
            else:
                self.pause(status)
        if self.offset < len(self.file):
            self.faults.append(f"the transcript was taken up to {self.offset} of {len(self.file)}")

    def attempt(self, path, body, headers):
        """Returns the status and the answer. The status is 0 if no answer came."""
        try:
            if self.link is None:
                self.link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=TIMEOUT)
            self.link.request("POST", path, body, {"Authorization": f"Bearer {self.key}", **headers})
            answer = self.link.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.ledger.count(f"{path}: no answer: {type(error).__name__}")
            self.close()
            return 0, None
        self.ledger.count(f"{path}: {answer.status}")
        if answer.status not in (200, 202, 409, 503):
            self.faults.append(f"unexpected {answer.status} of {path}: {text[:200]!r}")
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, None

    def pause(self, status):
        self.abandoning.wait(self.random.uniform(0.1, 0.8) if status else self.random.uniform(0.05, 0.3))

    def close(self):
        if self.link:
            self.link.close()
        self.link = None


def stamp():
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def usage_adds_up(world, rows):
    """Each request counts once, whatever reports it and how often. Each line of a transcript is stored once."""
    wrong = []
    for machine in world.reporters:
        wrong += [f"{machine.name}: {text}" for text in machine.faults[:5]]
        if not machine.requests:
            wrong.append(f"{machine.name}: not one request")
            continue
        expected = {"input_tokens": sum(given for given, _ in machine.requests.values()),
                    "output_tokens": sum(taken for _, taken in machine.requests.values())}
        status, answer = world.server.request("GET", f"/v1/usage?session_id={machine.session}", key=world.server.token)
        told = answer.get("total", {}).get("token_usage", answer.get("total", {})) if status == 200 else {}
        if {name: told.get(name) for name in expected} != expected:
            wrong.append(f"{machine.name}: status {status}, {told}; sent were {expected}")
        counted = world.sql.lines(f"SELECT count(*) FROM usage_counted WHERE session_id = '{machine.session}'")
        if counted != [str(len(machine.requests))]:
            wrong.append(f"{machine.name}: {counted} requests, sent were {len(machine.requests)}")
        stored = world.sql.lines("SELECT count(*) || ' ' || count(DISTINCT key) FROM transcript_lines "
                                 f"WHERE session_id = '{machine.session}'")
        if stored != [f"{machine.lines} {machine.lines}"]:
            wrong.append(f"{machine.name}: {stored} lines and keys, sent were {machine.lines}")
    return wrong[:10]
