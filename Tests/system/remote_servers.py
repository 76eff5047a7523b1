"""MCP servers over HTTP on loopback, in both eras, which do as a test tells them: also what no honest server does."""

import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ECHO = {"name": "echo", "description": "Says it again.", "inputSchema": {
    "type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}, "required": ["text"]}}
LOOK = {"name": "look", "description": "Looks.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"


class RemoteServer:
    """`legacy` servers want `initialize`, and a session id if `sessions`. `requests` has each message with its headers."""

    def __init__(self, legacy=False, sessions=True, port=0):
        self.legacy, self.sessions = legacy, sessions
        self.tools, self.page = [ECHO, LOOK], 100
        self.known, self.requests, self.secret = set(), [], None
        # What answers a call: takes the handler and the message. `None`: echoes.
        self.on_call = self.on_post = None
        self.streams = False
        self.called = threading.Semaphore(0)
        self.closed = threading.Semaphore(0)
        self.start(port)

    def start(self, port=0):
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.post(self, json.loads(body))

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()

    def restart(self, **settings):
        """The same address, and no memory of sessions."""
        self.stop()
        self.known = set()
        for name, value in settings.items():
            setattr(self, name, value)
        self.start(self.port)

    def messages(self, method):
        return [message for message, _ in self.requests if message["method"] == method]

    def headers(self, method):
        return [headers for message, headers in self.requests if message["method"] == method]

    def post(self, handler, message):
        self.requests.append((message, {name.lower(): value for name, value in handler.headers.items()}))
        if self.on_post:
            return self.on_post(handler, message)
        if self.secret and handler.headers["authorization"] != self.secret:
            return self.send(handler, 401, {}, {"WWW-Authenticate": "Bearer"})
        method, params = message["method"], message.get("params") or {}
        if "id" not in message:
            return self.send(handler, 202)
        if self.legacy:
            if method == "initialize":
                name = str(uuid.uuid4())
                self.known.add(name)
                extra = {"Mcp-Session-Id": name} if self.sessions else {}
                return self.result(handler, message, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                                      "serverInfo": {"name": "old", "version": "1"}}, extra)
            if self.sessions and handler.headers["mcp-session-id"] not in self.known:
                status = 404 if handler.headers["mcp-session-id"] else 400
                return self.fail(handler, message, -32600, "no session", status)
        else:
            fault = self.fault(handler, method, params)
            if fault:
                return self.fail(handler, message, *fault)
            if method == "server/discover":
                return self.result(handler, message, {"resultType": "complete", "supportedVersions": [VERSION],
                                                      "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"})
        if method == "tools/list":
            start = int(params.get("cursor") or 0)
            end = start + self.page
            more = {"nextCursor": str(end)} if end < len(self.tools) else {}
            return self.result(handler, message, {"tools": self.tools[start:end], **more})
        if method == "tools/call":
            self.called.release()
            if self.on_call:
                return self.on_call(handler, message)
            text = json.dumps(params["arguments"])
            return self.result(handler, message, {"content": [{"type": "text", "text": text}], "isError": False})
        return self.fail(handler, message, -32601, "no such method", 200 if self.legacy else 404)

    @staticmethod
    def fault(handler, method, params):
        """What the stateless revision asks of a request."""
        meta = params.get("_meta") or {}
        if handler.headers["mcp-protocol-version"] != VERSION or meta.get(META + "protocolVersion") != VERSION:
            return -32022, "unsupported", 400
        if META + "clientCapabilities" not in meta or handler.headers["mcp-method"] != method:
            return -32602, "incomplete", 400
        if method == "tools/call" and handler.headers["mcp-name"] != params["name"]:
            return -32020, "mismatch", 400
        return None

    def result(self, handler, message, result, headers=None):
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        if not self.streams:
            return self.send(handler, 200, answer, headers)
        self.stream(handler, headers)
        notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": message["id"], "progress": 1}}
        for one in (notice, answer):
            self.event(handler, one)
        handler.close_connection = True

    def fail(self, handler, message, code, text, status=200):
        self.send(handler, status, {"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": code, "message": text}})

    @staticmethod
    def send(handler, status, answer=None, headers=None, kind="application/json"):
        body = b"" if answer is None else answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    @staticmethod
    def stream(handler, headers=None):
        handler.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()

    @staticmethod
    def event(handler, message):
        handler.wfile.write(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")
        handler.wfile.flush()

    def until_closed(self, handler, piece=b": waiting\n\n", pause=0.05):
        """Writes until the client closes the connection."""
        stop = threading.Event()
        try:
            while True:
                handler.wfile.write(piece)
                handler.wfile.flush()
                stop.wait(pause)
        except OSError:
            self.closed.release()
        handler.close_connection = True
