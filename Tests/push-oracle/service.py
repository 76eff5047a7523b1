"""What both mocks share: settings, steps of the scenario, counts."""

import json
import time

KEYS = {"when", "times", "do"}
CONDITIONS = {"n", "attempt", "connection", "id", "path_contains", "payload_contains", "header"}
STEPS = {"status", "reason", "with", "body", "headers", "reset", "streams", "goaway", "debug", "close", "stall", "wait"}


def checked(rules):
    """Raises an error for an unknown word, because a misspelt scenario would test nothing."""
    for rule in rules:
        unknown = (set(rule) - KEYS) | (set(rule.get("when", {})) - CONDITIONS)
        for step in rule["do"]:
            unknown |= set(step) - STEPS
        if unknown:
            raise ValueError(f"unknown words in the steps: {sorted(unknown)}")
    return [dict(rule) for rule in rules]


class Service:
    name = ""

    def __init__(self, settings, record):
        self.settings, self.record = settings, record
        self.rules = checked(settings.get("steps", []))
        self.ports, self.connections = [], set()
        self.seen, self.attempts, self.answered = 0, {}, {}
        self.started = time.time()

    def now(self):
        return time.time() + float(self.settings.get("clock_offset", 0))

    def new_connection(self, connection):
        return {}

    def describe(self):
        return {"host": "localhost", "port": self.ports[0], "ports": self.ports}

    def end(self):
        for connection in list(self.connections):
            connection.writer.close()

    def follow(self, command):
        """Handles a command from standard input."""
        what = command["do"]
        if what == "steps":
            self.rules = checked(command["steps"])
        elif what == "set":
            self.settings.update(command["settings"])
        elif what == "goaway":
            for connection in list(self.connections):
                connection.go_away(connection.h2.highest_inbound_stream_id, command.get("debug", ""))
                if connection.is_drained:
                    connection.writer.close()
        elif what == "streams":
            for connection in list(self.connections):
                connection.announce(int(command["limit"]))
        elif what == "disconnect":
            for connection in list(self.connections):
                connection.close(abrupt=bool(command.get("abrupt")))
        else:
            raise ValueError(f"no such command: {what}")

    def judge(self, request):
        """Records a complete request. Returns its steps."""
        self.seen += 1
        identity = self.identity(request)
        attempt = self.attempts[identity] = self.attempts.get(identity, 0) + 1
        refusal = self.check(request)
        steps = [refusal] if refusal else self.scripted(request, identity, attempt) or [self.verdict(request)]
        for step in steps:
            if "status" in step:
                key = f"{step['status']} {step.get('reason', '')}".strip()
                self.answered[key] = self.answered.get(key, 0) + 1
        self.record.write(
            "request", service=self.name, n=self.seen, connection=request.connection.number, stream=request.stream,
            port=request.connection.index, attempt=attempt, steps=steps, headers=self.shown(request),
            bytes=len(request.body), **self.details(request))
        return steps

    def scripted(self, request, identity, attempt):
        for rule in self.rules:
            when = rule.get("when", {})
            meets = (
                when.get("n") in (None, self.seen)
                and when.get("attempt") in (None, attempt)
                and when.get("connection") in (None, request.connection.number)
                and when.get("id") in (None, identity)
                and when.get("path_contains", "") in request.headers.get(":path", "")
                and when.get("payload_contains", "") in self.plain_text(request)
                and all(request.headers.get(name) == value for name, value in when.get("header", {}).items()))
            if meets and rule.get("times", 1) != 0:
                if "times" in rule:
                    rule["times"] -= 1
                return rule["do"]
        return None

    def shown(self, request):
        return {name: value for name, value in request.fields if name not in ("authorization", "content-length")}

    def fault(self, request, text, status, reason, **more):
        self.record.write("fault", service=self.name, connection=request.connection.number, stream=request.stream,
                          fault=text, status=status, reason=reason)
        return {"status": status, "reason": reason, **more}

    def summary(self):
        return {"requests": self.seen, "answers": self.answered, "attempts": self.attempts,
                "seconds": round(time.time() - self.started, 3)}


def parsed(body):
    try:
        return json.loads(body)
    except ValueError:
        return None
