"""Plays Claude Code as the client of the bridge `monitor-agent mcp`, over its standard input and output."""

import json
import os
import pathlib
import queue
import subprocess
import threading
import uuid

import harness
from harness import PATIENCE

PROGRAM = harness.BIN / "monitor-agent"
META = "claudecode/toolUseId"


class Place:
    """A machine: a home directory, the hooks' configuration, and a project."""

    def __init__(self, url, key, approvals=None):
        self.home = pathlib.Path(os.path.realpath(harness.make_directory())) / "home"
        self.settings = self.home / ".config/claude-monitor"
        self.settings.mkdir(parents=True, mode=0o700)
        self.project = self.home / "project"
        self.project.mkdir()
        self.write("config", f"url={url}\nkey={key}\n")
        if approvals is not None:
            self.write("approvals", approvals)

    def write(self, name, text):
        path = self.settings / name
        path.write_text(text)
        path.chmod(0o600)

    def environment(self, **more):
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **more}

    def register(self, session, pid=None):
        """Claude Code's registry says that this process has the session."""
        place = self.home / ".claude/sessions"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{pid or os.getpid()}.json").write_text(json.dumps({"pid": pid or os.getpid(), "sessionId": session}))


class Bridge:
    """One bridge. A thread reads what it writes."""

    def __init__(self, place, *flags, **environment):
        self.process = subprocess.Popen([PROGRAM, "mcp", *flags], env=place.environment(**environment), cwd=place.project,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.place, self.number, self.waiting, self.notices = place, 0, {}, []
        self.strays = queue.Queue()
        self.lock = threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                self.notices.append(message)
            else:
                self.answers(message.get("id")).put(message)

    def answers(self, number):
        if number is None:
            return self.strays
        with self.lock:
            return self.waiting.setdefault(number, queue.Queue())

    def write(self, message):
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()

    def send(self, method, params=None):
        """Returns the id of the request."""
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        return self.number

    def answer(self, number, seconds=PATIENCE):
        return self.answers(number).get(timeout=seconds)

    def ask(self, method, params=None):
        return self.answer(self.send(method, params))

    def call(self, tool, arguments=None, **meta):
        """What a tool gives: the data, or the text of its error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments or {}, "_meta": meta})["result"]
        return result["content"][0]["text"] if result["isError"] else result["structuredContent"]

    def children(self):
        """The command lines of the processes that the bridge has started, and their environments."""
        found = {}
        for entry in os.listdir("/proc"):
            try:
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text()
                if int(stat.rpartition(")")[2].split()[1]) == self.process.pid:
                    found[int(entry)] = tuple(pathlib.Path(f"/proc/{entry}/{name}").read_text() for name in ("cmdline", "environ"))
            except (OSError, ValueError):
                continue
        return found

    def close(self):
        """The client goes away. Returns the exit status."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def end(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class Asked:
    """A call that Claude Code asks the bridge about."""

    def __init__(self, bridge, tool="Bash", call=None, **given):
        self.bridge, self.call = bridge, call or "toolu_" + uuid.uuid4().hex
        self.input = given or {"command": f"touch {uuid.uuid4().hex}", "description": "x"}
        self.number = bridge.send("tools/call", {
            "name": "approve", "_meta": {META: self.call, "progressToken": 7},
            "arguments": {"tool_name": tool, "input": self.input, "tool_use_id": self.call}})

    def said(self, seconds=PATIENCE):
        """The answer, as Claude Code reads it."""
        result = self.bridge.answer(self.number, seconds)["result"]
        assert not result["isError"] and len(result["content"]) == 1 and "structuredContent" not in result, result
        return json.loads(result["content"][0]["text"])
