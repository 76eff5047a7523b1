"""The Messages API on loopback, which answers from scripts: they are what the model "says" to the real client.

The first message of a request contains the tag of its conversation, as `[tag]`. Each request with tools takes the next turn of
the conversation; after the last turn, the model says "Done." Requests without tools come from the client itself (for a title,
for example) and take no turn.
"""

import contextlib
import itertools
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# This model has a higher price for prompts with more tokens than this.
LONG_PROMPT = {"claude-haiku-5-5": 100_000}
PIECE = 4096
# The metadata of a request contains JSON in a string, which names the session.
SESSION = re.compile(r"session(?:_id\W+|_)([0-9a-f]{8}-[0-9a-f-]{27})")
TAG = re.compile(r"\[([a-z0-9-]+)\]")


@dataclass
class Turn:
    """One answer: text, tool calls, or an HTTP error. `before` runs after the request has arrived and before the answer.
    `tools` may be a function of the request. `usage` replaces the usage that the API would invent."""
    text: str = ""
    tools: list = field(default_factory=list)
    status: int = 200
    error: str = ""
    before: object = None
    delay: float = 0.0
    stop: str = ""
    usage: dict = None


def usage_of(number, model):
    """The usage of a request: a different number in each of the five kinds, and a long prompt in every second request if the
    model has a price for long prompts."""
    short, hour = 40 * (number % 3), 90 * (number % 2)
    read = 55 + number % 13 + (LONG_PROMPT.get(model, 0) if number % 2 else 0)
    return {"input_tokens": 21 + number % 7, "output_tokens": 34 + number % 11, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": short + hour, "service_tier": "standard",
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": hour}}


def call(tool, **arguments):
    return (tool, arguments)


class MessagesAPI:
    def __init__(self):
        self._turns, self._lock, self._numbers = {}, threading.Lock(), itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.requests = 0
        # What each session was charged, in the order of the answers: (model, usage, whether it was a turn).
        self.charged = {}
        self._asked, self._systems, self._choices = {}, {}, {}
        # The conversations whose requests have no tools.
        self._chats = set()

    def script(self, tag, *turns):
        """Adds turns to a conversation."""
        with self._lock:
            self._turns.setdefault(tag, []).extend(turns)

    def script_chat(self, tag, *turns):
        """Adds turns to a conversation without tools."""
        self._chats.add(tag)
        self.script(tag, *turns)

    def left(self, tag):
        with self._lock:
            return len(self._turns.get(tag, []))

    def next_turn(self, request):
        first = json.dumps(request["messages"][:1], ensure_ascii=False)
        if not request.get("tools") and not self._chats.intersection(TAG.findall(first)):
            return Turn(text='{"title": "An errand"}')
        with self._lock:
            self.requests += 1
            tags = [tag for tag in TAG.findall(first) if tag in self._turns]
            if tags:
                self._asked[tags[-1]], self._systems[tags[-1]] = request["messages"], request.get("system")
                self._choices[tags[-1]] = request.get("tool_choice")
            turns = self._turns[tags[-1]] if tags else []
            return turns.pop(0) if turns else Turn(text="Done.")

    def told(self, tag):
        """All text that the client sent in the conversation's last request."""
        with self._lock:
            return json.dumps(self._asked.get(tag, []), ensure_ascii=False)

    def instructed(self, tag):
        """The system prompt of the conversation's last request."""
        with self._lock:
            return json.dumps(self._systems.get(tag), ensure_ascii=False)

    def choice(self, tag):
        """`tool_choice` of the conversation's last request."""
        with self._lock:
            return self._choices.get(tag)

    def message(self, model, turn):
        blocks = [{"type": "text", "text": turn.text}] if turn.text else []
        for name, arguments in turn.tools:
            blocks.append({"type": "tool_use", "id": f"toolu_{next(self._numbers):024d}", "name": name,
                           "input": arguments})
        number = next(self._numbers)
        return {"id": f"msg_{number:024d}", "type": "message", "role": "assistant", "model": model,
                "content": blocks, "stop_reason": turn.stop or ("tool_use" if turn.tools else "end_turn"), "stop_sequence": None,
                "usage": turn.usage or usage_of(number, model)}

    def charge(self, request, message):
        """Records an answered request for the session that the client names. Returns the request's id."""
        session = SESSION.search(json.dumps(request.get("metadata") or {}))
        with self._lock:
            self.charged.setdefault(session.group(1) if session else None, []).append(
                (message["model"], message["usage"], bool(request.get("tools"))))
            return f"req_{next(self._numbers):024d}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def stream_events(message):
    """The server-sent events of a streamed message. Long texts and inputs come in pieces."""
    head = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield "message_start", {"message": head}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, kind, key, rest = {"type": "text", "text": ""}, "text_delta", "text", block["text"]
        else:
            start, kind, key = {**block, "input": {}}, "input_json_delta", "partial_json"
            rest = json.dumps(block["input"])
        yield "content_block_start", {"index": index, "content_block": start}
        for at in range(0, len(rest), PIECE):
            delta = {"type": kind, key: rest[at:at + PIECE]}
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    yield "message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": message["usage"]}
    yield "message_stop", {}


def _handler(api):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self._json(200, {})

        def do_GET(self):
            self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": "nothing here"}})

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            if path == "/v1/messages/count_tokens":
                return self._json(200, {"input_tokens": 100})
            if path != "/v1/messages":
                return self.do_GET()
            turn = api.next_turn(request)
            if turn.before:
                turn.before()
            time.sleep(turn.delay)
            if callable(turn.tools):
                turn.tools = turn.tools(request)
            if turn.status != 200:
                return self._json(turn.status, {"type": "error", "error": {"type": turn.error, "message": turn.text}})
            message = api.message(request.get("model"), turn)
            self.request_id = api.charge(request, message)
            # A client that is ended does not read on.
            with contextlib.suppress(ConnectionError):
                if request.get("stream"):
                    self._stream(message)
                else:
                    self._json(200, message, self.request_id)

        def _json(self, status, body, request_id=None):
            data = json.dumps(body).encode()
            self.send_response(status)
            if request_id:
                self.send_header("request-id", request_id)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _stream(self, message):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("request-id", self.request_id)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for name, fields in stream_events(message):
                data = f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

    return Handler
