"""A server on loopback that answers each route as a test says, and stores the requests. It may be hostile."""

import gzip
import json
import ssl
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Request:
    method: str
    path: str
    headers: object
    body: bytes
    at: float

    def json(self):
        return json.loads(self.body.decode("utf-8", "surrogateescape"))


class ScriptedServer:
    """`steps[route]` contains the next answers; the last one repeats. A route is a method and a path without its query, such as
    "POST /api/prompts". A step is (status, body) or (status, body, headers), with a body of bytes or of a value for JSON;
    "drop" (closes the connection); "hang" (no answer); or a function of the request that returns one of these. Without steps,
    events are accepted, and everything else is a 404. If clients already use the port, give the steps to the constructor.
    """

    def __init__(self, port=0, steps=(), host="127.0.0.1", certificate=None):
        """`certificate`: a PEM file with key and certificate. The server then uses TLS."""
        self.steps, self.requests = dict(steps), []
        self.changed, self.release = threading.Condition(), threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def serve(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                server.serve(self, Request(self.command, self.path, self.headers, body, time.monotonic()))

            do_GET = do_POST = do_DELETE = serve

        self.server = ThreadingHTTPServer((host, port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # the client is gone
        self.port = self.server.server_address[1]
        self.url = "%s://%s:%d" % ("https" if certificate else "http", host, self.port)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The TLS handshake runs in the thread of the connection, so a failed one does not end the others.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def on(self, route, *steps):
        self.steps[route] = list(steps)
        return self

    def serve(self, handler, request):
        route = request.method + " " + request.path.partition("?")[0]
        with self.changed:
            self.requests.append(request)
            steps = self.steps.get(route) or self.steps.get(route.rpartition("/")[0] + "/*")
            step = None if not steps else steps.pop(0) if len(steps) > 1 else steps[0]
            self.changed.notify_all()
        step = step(request) if callable(step) else step
        if step is None:
            step = self.accept(request) if route == "POST /api/events" else (404, {"error": {"code": "not_found"}})
        if step == "hang":
            self.release.wait(60)
        if step in ("hang", "drop"):
            handler.close_connection = True
            return
        self.reply(handler, *step)

    @staticmethod
    def accept(request):
        lines = [json.loads(line) for line in request.body.decode("utf-8", "surrogateescape").split("\n") if line.strip()]
        items = [{"event_id": line.get("event_id"), "status": "accepted"} for line in lines if isinstance(line, dict)]
        return 202, {"accepted": len(items), "duplicates": 0, "rejected": 0, "events": items}

    @staticmethod
    def reply(handler, status, body=b"", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            handler.send_response(status)
            for name, value in dict(headers).items():
                handler.send_header(name, value)
            if status != 204:
                handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            if status != 204:
                handler.wfile.write(data)
        except OSError:
            pass

    def sent(self, route):
        """The requests of a route so far. A route that ends in / includes all routes below it."""
        method, _, path = route.partition(" ")
        with self.changed:
            return [one for one in self.requests if one.method == method and (
                one.path.startswith(path) if path.endswith("/") else one.path.partition("?")[0] == path)]

    def wait_sent(self, route, count=1, seconds=15):
        end = time.monotonic() + seconds
        while True:
            found = self.sent(route)
            if len(found) >= count or time.monotonic() > end:
                return found
            with self.changed:
                self.changed.wait(0.05)

    def events(self):
        found = []
        for one in self.sent("POST /api/events"):
            found += [json.loads(line) for line in one.body.decode("utf-8", "surrogateescape").split("\n") if line.strip()]
        return found

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
