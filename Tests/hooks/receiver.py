"""A small event receiver on loopback. It answers as its script says, and stores the events that it committed."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "cmk_" + "0" * 36


class Receiver:
    """Answers POST /api/events. Each item of `script` decides one answer; when it runs out, events are accepted.

    Script items: an int (that status), (status, headers), "hang" (no answer), "close" (commit, then drop the
    connection), "drop" (drop it before committing). `poison(event)` true: the batch is refused with 400, or, with
    `per_item`, the event is listed as rejected in a 202.
    """

    def __init__(self, port=0, key=KEY, poison=None, per_item=False, script=(), max_body=None):
        self.key, self.poison, self.per_item, self.script = key, poison, per_item, list(script)
        self.max_body = max_body
        self.events, self.requests, self.statuses, self.posted_at = [], [], [], []
        self.batches = []
        self.lock, self.changed, self.release = threading.Lock(), threading.Condition(), threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                self.reply(200, {"ok": True, "status": "healthy"})

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                receiver.answer(self, body)

            def reply(self, status, body, headers=()):
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in dict(headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d" % self.port
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def answer(self, handler, body):
        with self.lock:
            self.requests.append((handler.headers, body))
            self.posted_at.append(time.monotonic())
            step = self.script.pop(0) if self.script else None
            result = self.decide(handler, body, step)
            self.statuses.append(result[0] if result else step)
        with self.changed:
            self.changed.notify_all()
        if step == "hang":
            self.release.wait(30)
        if result is None:
            handler.close_connection = True
            handler.connection.close()
        else:
            handler.reply(*result)

    def decide(self, handler, body, step):
        if step in ("hang", "drop"):
            return None
        if isinstance(step, int):
            return step, {}
        if isinstance(step, tuple):
            return step[0], {}, step[1]
        if handler.headers.get("Authorization") != "Bearer " + self.key:
            return 401, {}
        if self.max_body and len(body) > self.max_body:
            return 413, {}
        if body.strip() in (b"", b"[]"):
            return 400, {}
        try:
            lines = [json.loads(line) for line in body.decode("utf-8", "surrogateescape").split("\n") if line.strip()]
        except ValueError:
            return 400, {}
        return self.commit(lines, step)

    def commit(self, lines, step):
        bad = [bool(self.poison and self.poison(line)) for line in lines]
        if any(bad) and not self.per_item:
            return 400, {}
        items = []
        self.batches.append(lines)
        for line, refused in zip(lines, bad):
            if not refused:
                self.events.append(line)
            items.append({"event_id": line.get("event_id"), "seq": len(self.events),
                          "status": "rejected" if refused else "accepted"})
        if step == "close":
            return None
        return 202, {"accepted": bad.count(False), "duplicates": 0, "rejected": bad.count(True), "events": items}

    def wait(self, condition, seconds=20):
        """Returns true when condition(self) is true. Checks after each request and every 50 ms."""
        end = time.monotonic() + seconds
        with self.changed:
            while not condition(self):
                if time.monotonic() > end:
                    return False
                self.changed.wait(0.05)
        return True

    def wait_events(self, count, seconds=20):
        return self.wait(lambda r: len(r.events) >= count, seconds)

    def ids(self):
        return [event["event_id"] for event in self.events]

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
