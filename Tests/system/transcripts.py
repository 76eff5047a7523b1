"""Transcripts as Claude Code writes them, and an independent computation of their totals."""

import datetime
import gzip
import hashlib
import json
import random
import urllib.parse
import uuid

from harness import Client

PRICES = {"claude-sonnet-5": (2, 10, 0.2, 2.5, 4), "claude-opus-5-5": (4, 20, 0.2, 5, 8)}


def stamp(second):
    start = datetime.datetime(2026, 11, 20, 9, tzinfo=datetime.timezone.utc)
    return (start + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Transcript:
    """The lines of one session's file, in the order of writing."""

    def __init__(self, session, agent=None, seed=0):
        self.session, self.agent, self.chance = session, agent, random.Random(f"{session} {agent} {seed}")
        self.lines, self.second = [], 0

    def add(self, kind, at=True, **fields):
        self.second += 1
        line = {"type": kind, "sessionId": self.session, **fields}
        if at:
            line.update(uuid=str(uuid.UUID(int=self.chance.getrandbits(128))), timestamp=stamp(self.second), cwd="/home/dev/app",
                        gitBranch="feature/x", version="2.1.329", isSidechain=self.agent is not None)
            if self.agent:
                line["agentId"] = self.agent
        self.lines.append(line)
        return line

    def user(self, content, **fields):
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, blocks, number=None, model="claude-sonnet-5", partial=False, **usage):
        """One line for each block; each line has the usage of the answer. With `partial`, the first lines have fewer tokens."""
        number = number or f"{self.session}-{len(self.lines)}"
        figures = {"input_tokens": 12, "output_tokens": 42, "cache_read_input_tokens": 678,
                   "cache_creation_input_tokens": 345, "cache_creation": {
                       "ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 45}, "service_tier": "standard", **usage}
        for place, block in enumerate(blocks):
            now = dict(figures)
            if partial and place < len(blocks) - 1:
                now["output_tokens"] = 1
            self.add("assistant", requestId=f"req_{number}", message={
                "id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [block],
                "stop_reason": None, "usage": now})

    def cost_state(self, cost, **tokens):
        self.add("cost-state", at=False, totalCostUSD=cost, modelUsage={"claude-sonnet-5": {**tokens, "costUSD": cost}})

    @property
    def bytes(self):
        return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in self.lines)


def text(words):
    return {"type": "text", "text": words}


def tool_use(name, number, **given):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}


def tool_result(number, content, is_error=False):
    return [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content, "is_error": is_error}]


def totals(*files):
    """Tokens and cost, computed independently: one request for each pair of ids, with its highest output."""
    requests = {}
    for content in files:
        for line in content.splitlines():
            try:
                line = json.loads(line)
            except ValueError:
                continue
            message = line.get("message")
            if line.get("type") != "assistant" or not isinstance(message, dict) or message.get("model") == "<synthetic>":
                continue
            usage, key = message.get("usage"), (message.get("id"), line.get("requestId"))
            if usage and (key not in requests or usage["output_tokens"] > requests[key][1]["output_tokens"]):
                requests[key] = message["model"], usage
    tokens = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_creation_tokens": 0}
    cost = 0.0
    for model, usage in requests.values():
        written = usage.get("cache_creation_input_tokens", 0)
        hour = usage.get("cache_creation", {}).get("ephemeral_1h_input_tokens", 0)
        counts = (usage["input_tokens"], usage["output_tokens"], usage.get("cache_read_input_tokens", 0), written - hour, hour)
        tokens["input_tokens"] += counts[0]
        tokens["output_tokens"] += counts[1]
        tokens["cache_read_tokens"] += counts[2]
        tokens["cache_creation_tokens"] += written
        cost += sum(count * rate for count, rate in zip(counts, PRICES.get(model, PRICES["claude-opus-5-5"]))) / 1e6
    return tokens, cost, len(requests)


class Sender:
    """Sends a file as the machine's flusher does."""

    def __init__(self, server, key, session, path=None):
        self.client, self.session = Client(server.address, key), session
        self.path = path or f"/home/dev/.claude/projects/-home-dev-app/{session}.jsonl"
        self.offset = 0

    def piece(self, content, offset, size=1 << 20, packed=False, **headers):
        body = content[offset:offset + size]
        fields = {"X-Transcript-Path": urllib.parse.quote(self.path), "X-Transcript-Session": self.session,
                  "X-Transcript-Offset": str(offset), "Content-Type": "application/octet-stream",
                  "X-Transcript-Prefix": hashlib.sha256(content[:min(offset, 4096)]).hexdigest()}
        if packed:
            body, fields["Content-Encoding"] = gzip.compress(body), "gzip"
        return self.client.request("POST", "/api/transcripts", body, {**fields, **headers})

    def send(self, content, size=1 << 20, packed=False):
        """Sends pieces until the server has all of the file."""
        for _ in range(10_000):
            answer = self.piece(content, self.offset, size, packed)
            assert answer.status in (202, 409), answer
            self.offset = answer.json["next_offset"]
            if answer.status == 202 and self.offset >= len(content):
                return self.offset
        raise AssertionError("the file does not end")
