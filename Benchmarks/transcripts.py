"""Transcripts, sent as machines send them, and what live events and memory make of it meanwhile."""

import hashlib
import http.client
import itertools
import json
import random
import statistics
import sys
import threading
import time
import urllib.parse
import urllib.request
import uuid
import zlib

from harness import cpu_seconds, run_json
from ingest import make_tables, post

PIECE = 1 << 20
# Machines that import at the same time; each sends one piece after another.
SENDERS = 2
# Live posts a second beside the import: what a hundred busy sessions send.
LIVE = 100
SESSION_BYTES = 8 << 20
# What the import may cost beside it: the median of the live posts' 99th percentiles, and the server's growth.
MOST_DELAY_MS = 250
MOST_GROWTH_MB = 256
MODEL = "claude-opus-5-5"


class Generator:
    """Transcripts as Claude Code writes them: prompts, answers of several blocks, tool calls, and outputs from a line to
    tens of kilobytes, now and then an image. Words recur as in prose and code (Zipf)."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        syllables = ["ba", "co", "de", "fi", "gu", "la", "me", "no", "pi", "ru", "sa", "te", "vi", "xo", "zu"]
        words = ["".join(self.chance.choices(syllables, k=self.chance.randint(1, 5))) for _ in range(30_000)]
        weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
        # Texts are cut from a pool, which is much faster than making each word of a gigabyte.
        self.pool = " ".join(self.chance.choices(words, cum_weights=weights, k=400_000)).replace(" ba ", "\n")
        # Counts each answer once. The server must count the same, although lines repeat answers.
        self.requests, self.tokens = 0, [0, 0, 0, 0]
        self.image = "".join(self.chance.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=60_000))

    def text(self, size):
        start = self.chance.randrange(len(self.pool) - size)
        return self.pool[start:start + size]

    def session(self, size):
        """The name of a session and its file, of at least so many bytes."""
        name = str(uuid.UUID(int=self.chance.getrandbits(128)))
        lines, length, number, parent = [], 0, 0, None
        began = time.time() - 30 * 86400 * self.chance.random()
        while length < size:
            for kind, message, more in self.turn(name, number):
                own = str(uuid.UUID(int=self.chance.getrandbits(128)))
                at = time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(began + number)) + "000Z"
                line = json.dumps({
                    "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/home/dev/project",
                    "sessionId": name, "version": "2.1.329", "gitBranch": "main", "type": kind, "message": message,
                    **more, "uuid": own, "timestamp": at})
                lines.append(line)
                length += len(line) + 1
                parent, number = own, number + 1
        return name, "\n".join(lines).encode() + b"\n", len(lines)

    def answer(self, ids, block, stop, usage, is_new=True):
        """A line of an answer; only the first of an answer counts."""
        if is_new:
            self.requests += 1
            self.tokens = [have + more for have, more in zip(self.tokens, usage)]
        return "assistant", {
            "id": f"msg_{ids}", "type": "message", "role": "assistant", "model": MODEL, "content": [block], "stop_reason": stop,
            "usage": {**dict(zip(("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"), usage)),
                      "service_tier": "standard"}}, {"requestId": f"req_{ids}"}

    def turn(self, name, number):
        """A prompt, three answers with calls of tools and their outputs, and the last answer."""
        chance = self.chance
        yield "user", {"role": "user", "content": self.text(chance.randint(20, 400))}, {"promptId": f"p-{number}"}
        for step in range(3):
            ids = f"{name}-{number}-{step}"
            content = [{"type": "text", "text": self.text(chance.randint(50, 800))},
                       {"type": "tool_use", "id": f"toolu_{ids}", "name": "Bash",
                        "input": {"command": self.text(chance.randint(20, 300)), "description": self.text(40)}}]
            for place, block in enumerate(content):
                yield self.answer(ids, block, "tool_use", (8, 321, 45_000, 1200), is_new=place == 0)
            size = min(30_000, int(chance.paretovariate(0.8) * 400))
            result = [{"type": "tool_result", "tool_use_id": f"toolu_{ids}", "content": self.text(size), "is_error": False}]
            if chance.random() < 0.01:
                result.append({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": self.image}})
            yield "user", {"role": "user", "content": result}, {"toolUseResult": {"stdout": self.text(size), "stderr": ""}}
        ids = f"{name}-{number}-end"
        last = {"type": "text", "text": self.text(chance.randint(100, 1500))}
        yield self.answer(ids, last, "end_turn", (8, 400, 46_000, 300))


class Sender(threading.Thread):
    """One machine: file after file, piece after piece, gzip, as hooks/import.sh."""

    def __init__(self, server, key, generator, share):
        super().__init__(daemon=True)
        self.port, self.key, self.generator, self.share = server.port, key, generator, share
        self.bytes = self.lines = 0
        self.pieces, self.failure = [], None

    def run(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            while self.bytes < self.share:
                name, content, lines = self.generator.session(min(SESSION_BYTES, self.share - self.bytes))
                self.send(connection, name, content)
                self.lines += lines
        except Exception as error:  # noqa: BLE001: told by the thread that waits
            self.failure = error

    def send(self, connection, name, content):
        offset = 0
        path = urllib.parse.quote(f"/home/dev/.claude/projects/-home-dev-project/{name}.jsonl")
        while offset < len(content):
            piece = content[offset:offset + PIECE]
            began = time.monotonic()
            connection.request("POST", "/api/transcripts", zlib.compress(piece, 1, wbits=31), {
                "Authorization": f"Bearer {self.key}", "Content-Encoding": "gzip", "X-Transcript-Path": path,
                "X-Transcript-Session": name, "X-Transcript-Offset": str(offset),
                "X-Transcript-Prefix": hashlib.sha256(content[:min(offset, 4096)]).hexdigest()})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 503:
                time.sleep(float(answer.headers.get("Retry-After", 1)))
                continue
            if answer.status != 202:
                raise RuntimeError(f"HTTP {answer.status}: {body[:300]}")
            self.pieces.append(time.monotonic() - began)
            self.bytes += json.loads(body)["next_offset"] - offset
            offset = json.loads(body)["next_offset"]


def check_totals(server, senders):
    """`/v1/usage` of each machine must say what the generator charged."""
    for number, sender in enumerate(senders):
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}/v1/usage?machine_id=importer-{number}",
                                         headers={"Authorization": f"Bearer {server.token}"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            found = json.loads(answer.read())["total"]
        expected = dict(zip(("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"), sender.generator.tokens))
        if (found["requests"], found["token_usage"]) != (sender.generator.requests, expected):
            sys.exit(f"transcripts: /v1/usage says {found}, the generator {sender.generator.requests} requests, {expected}")


def resident(pid):
    """Megabytes."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def transcripts(server, tools, mebibytes):
    live = ["--connections", 16, "--rate", LIVE]
    alone = post(server, tools, 10, *live)
    make_tables(server)
    insert = run_json([tools["batch-insert"], "--database", server.conninfo(), "--batch", 100, "--seconds", 5], {}, 25)
    senders = [Sender(server, server.control("key", "create", f"importer-{number}"), Generator(number),
                      mebibytes * (1 << 20) // SENDERS) for number in range(SENDERS)]
    before, cpu, began = resident(server.pid), (cpu_seconds(server.pid), cpu_seconds(server.postgres_pid())), time.monotonic()
    for sender in senders:
        sender.start()
    memory, delays, shown = [], [], []
    while any(sender.is_alive() for sender in senders):
        delays.append(post(server, tools, 5, *live))
        memory.append(resident(server.pid))
        shown.append(sum(sender.bytes for sender in senders) / (1 << 20))
        print(f"  {shown[-1]:,.0f} MiB, {shown[-1] / (time.monotonic() - began):.1f} MiB/s, {memory[-1]:.0f} MB resident, "
              f"p99 of live posts {delays[-1]['p99_us'] / 1000:.1f} ms", file=sys.stderr)
    for sender in senders:
        sender.join()
        if sender.failure:
            sys.exit(f"transcripts: {sender.failure}")
    seconds = time.monotonic() - began
    lines, size = sum(sender.lines for sender in senders), sum(sender.bytes for sender in senders)
    stored = int(server.value("SELECT count(*) FROM transcript_lines"))
    if stored != lines:
        sys.exit(f"transcripts: {lines} lines were sent and {stored} are stored")
    check_totals(server, senders)
    delay, growth = statistics.median(one["p99_us"] for one in delays) / 1000, max(memory) - before
    if delay > MOST_DELAY_MS:
        sys.exit(f"transcripts: live posts take {delay:.0f} ms (p99) beside the import, at most {MOST_DELAY_MS} are allowed")
    if growth > MOST_GROWTH_MB:
        sys.exit(f"transcripts: the server grows by {growth:.0f} MB, at most {MOST_GROWTH_MB} are allowed")
    pieces = sorted(itertools.chain.from_iterable(sender.pieces for sender in senders))
    shown = [0, *shown]
    third = max(1, len(shown) // 3)
    return {"mebibytes": size / (1 << 20), "lines": lines, "lines_per_second": lines / seconds,
            "ratio": lines / seconds / insert["per_second"],
            "mebibytes_per_second": size / (1 << 20) / seconds,
            "first_third": shown[third] / third, "last_third": (shown[-1] - shown[-1 - third]) / third,
            "resident_before": before, "resident_most": max(memory), "resident_after": resident(server.pid),
            "server_cpu_per_mebibyte": (cpu_seconds(server.pid) - cpu[0]) / (size / (1 << 20)),
            "postgres_cpu_per_mebibyte": (cpu_seconds(server.postgres_pid()) - cpu[1]) / (size / (1 << 20)),
            "piece_p50_ms": pieces[len(pieces) // 2] * 1000, "piece_p99_ms": pieces[len(pieces) * 99 // 100] * 1000,
            "alone_p99_us": alone["p99_us"], "p99_us": statistics.median(one["p99_us"] for one in delays),
            "worst_p99_us": max(one["p99_us"] for one in delays)}


def show_transcripts(f):
    print(f"""transcripts, {f['mebibytes']:,.0f} MiB in {f['lines']:,} lines, {SENDERS} machines, beside {LIVE} live posts a second
  taken                    {f['mebibytes_per_second']:>10.1f} MiB/s, {f['lines_per_second']:,.0f} lines/s, RATIO {f['ratio']:.2f} to the batch statements; \
the last third {f['last_third'] / f['first_third']:.2f} of the first
  CPU ms per MiB           server {f['server_cpu_per_mebibyte'] * 1000:.0f}, PostgreSQL {f['postgres_cpu_per_mebibyte'] * 1000:.0f}
  a piece of a MiB         p50 {f['piece_p50_ms']:,.0f} ms, p99 {f['piece_p99_ms']:,.0f} ms
  resident MB              {f['resident_before']:.0f} before, {f['resident_most']:.0f} at most, {f['resident_after']:.0f} after
  p99 of a live post       {f['p99_us'] / 1000:.1f} ms, at worst {f['worst_p99_us'] / 1000:.1f} ms; {f['alone_p99_us'] / 1000:.1f} ms without transcripts""")
