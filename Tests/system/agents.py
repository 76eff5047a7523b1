"""Plays a machine's agent: the WebSocket /api/agent, and the commands that the server sends over it."""

import asyncio
import json
import secrets
import threading
import uuid

import websockets

from harness import Client, envelope, hook, wait_for

MAY = {"control": True, "modes": ["default", "plan", "acceptEdits"], "roots": ["/home/dev"], "files": "off", "git": "off",
       "sessions": 8}


# A command that the test answers by itself.
LATER = object()


class Refusal(Exception):
    """The machine's own file does not allow a command."""

    def __init__(self, reason, message="The machine does not allow it.", **more):
        super().__init__(message)
        self.data = {"reason": reason, **more}


class Agent:
    """One connection of an agent. A thread reads the server's messages and answers its commands by the methods of `answers`."""

    def __init__(self, server, key, identity=None, sessions=(), **answers):
        self.identity = identity or secrets.token_urlsafe(32)
        self.answers = {"session/start": self.start_session, **answers}
        self.commands, self.replies, self.number = [], {}, 0
        self.waiting = []
        self.condition = threading.Condition()
        self.closed = None
        self.address, self.headers = f"ws://{server.address}/api/agent", {"Authorization": f"Bearer {key}"}
        self.loop, self.socket, self.refused = asyncio.new_event_loop(), None, None
        # In a thread of its own: a browser's driver has a loop in the main thread.
        self.reader = threading.Thread(target=lambda: self.loop.run_until_complete(self.read()), daemon=True)
        self.reader.start()
        with self.condition:
            self.condition.wait_for(lambda: self.socket or self.refused, 20)
        if self.refused:
            raise self.refused
        self.greeting = {"protocol": [1], "agent_version": "0.0.test", "identity": self.identity, "platform": "linux-x86_64",
                         "clients": [{"name": "claude", "version": "2.1.332", "path": "/usr/bin/claude"}], "may": MAY,
                         "sessions": list(sessions)}

    def greet(self):
        self.greeted = self.call("initialize", self.greeting)
        return self

    async def read(self):
        try:
            socket = await websockets.connect(self.address, extra_headers=self.headers, max_size=1 << 20)
        except Exception as fault:
            socket, self.refused = None, fault
        with self.condition:
            self.socket = socket
            self.condition.notify_all()
        if not socket:
            return
        try:
            async for text in self.socket:
                self.take(json.loads(text))
        except websockets.ConnectionClosed:
            pass
        # What still sends or closes ends with the connection.
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*rest, return_exceptions=True)
        with self.condition:
            self.closed = self.socket.close_code
            self.condition.notify_all()

    def take(self, message):
        if "method" not in message:
            with self.condition:
                self.replies[message["id"]] = message
                self.condition.notify_all()
            return
        self.commands.append((message["method"], message["params"]))
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            handle = self.answers.get(message["method"], lambda params: {})
            answer["result"] = handle(message["params"])
            if answer["result"] is LATER:
                with self.condition:
                    self.waiting.append((answer["id"], message["params"]))
                    self.condition.notify_all()
                return
        except Refusal as refusal:
            answer["error"] = {"code": -32005, "message": str(refusal), "data": refusal.data}
        self.send(answer)

    def taken(self, number=0):
        """The parameters of a command that is answered later."""
        with self.condition:
            assert self.condition.wait_for(lambda: len(self.waiting) > number, 20), "no command came"
            return self.waiting[number][1]

    def answer(self, result, number=0):
        """Answers a command that waited."""
        self.taken(number)
        self.send({"jsonrpc": "2.0", "id": self.waiting[number][0], "result": result})

    def send(self, message):
        """Any thread."""
        text = json.dumps(message)
        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(self.socket.send(text)))

    def call(self, method, params):
        """Calls a method of the server. Returns its result, or raises an AssertionError."""
        self.number += 1
        number = self.number
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self.condition:
            self.condition.wait_for(lambda: number in self.replies or self.closed is not None, 20)
        assert number in self.replies, f"no answer to {method}; closed {self.closed}"
        reply = self.replies.pop(number)
        assert "result" in reply, reply
        return reply["result"]

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def close_code(self):
        """Waits for the end of the connection."""
        with self.condition:
            self.condition.wait_for(lambda: self.closed is not None, 20)
        return self.closed

    def close(self):
        if self.closed is None:
            self.loop.call_soon_threadsafe(lambda: self.loop.create_task(self.socket.close()))
        self.reader.join(10)

    # What Claude Code would do.

    def start_session(self, params):
        self.state(params["session_id"], "idle", **({"terminal": True} if "terminal" in params else {}))
        return {"session_id": params["session_id"], "pid": 4711, "cwd": params["directory"],
                "mode": params.get("mode", "default"), "model": params.get("model"), "restricted": False}

    def state(self, chosen, state, **more):
        self.tell("session/state", {"session_id": chosen, "state": state, "pid": 4711, "cwd": "/home/dev/app",
                                    "mode": "default", "queue": [], **more})

    def open_prompt(self, chosen, event, hold, policy="", seconds=600):
        return self.call("prompt/open", {"session_id": chosen, "hold_id": hold, "seconds": seconds, "policy": policy,
                                         "event": event})

    def wait_for(self, method, count=1):
        """The parameters of the commands of this method, once there are so many."""
        def found():
            return [params for name, params in self.commands if name == method]
        return wait_for(lambda: len(found()) >= count and found(), f"{count} of {method}")


class Claude:
    """What Claude Code does in the sessions of an agent: it runs hooks, takes messages, and asks before it calls Bash. Each
    message is `ask COMMAND` or a text to which it answers `You said: ...`."""

    def __init__(self, agent, server, key):
        self.agent, self.server, self.key = agent, server, key
        self.decisions, self.faults, self.turns = {}, [], []
        self.directory = {}
        agent.answers.update({"session/start": self.start, "session/send": self.send, "prompt/answer": self.answer,
                              "session/stop": self.stop, "session/interrupt": lambda params: {"cancelled": []}})

    def happens(self, chosen, name, **fields):
        client = Client(self.server.address, self.key)
        try:
            posted = client.request("POST", "/api/events", self.envelope(chosen, name, **fields))
            assert posted.status == 202, posted
        finally:
            client.close()

    def envelope(self, chosen, name, **fields):
        return envelope(dict(hook(name, chosen, **fields), cwd=self.directory[chosen]))

    def start(self, params):
        chosen = params["session_id"]
        self.directory[chosen] = params["directory"]
        started = self.agent.start_session(params)
        self.happens(chosen, "SessionStart", source="resume" if "resume" in params else "startup", model="opus")
        return started

    def stop(self, params):
        self.agent.state(params["session_id"], "ended", reason="stopped")
        return {"exit": {"code": 0}, "left_running": []}

    def send(self, params):
        turn = threading.Thread(target=self.guarded_turn, args=(params,), daemon=True)
        self.turns.append(turn)
        turn.start()
        return {"queued": False}

    def answer(self, params):
        with self.agent.condition:
            self.decisions[params["hold_id"]] = params["output"]["hookSpecificOutput"]["decision"]
            self.agent.condition.notify_all()
        return {"applied": True}

    def guarded_turn(self, params):
        try:
            self.turn(params["session_id"], params["message_id"], params["content"])
        except Exception as fault:
            self.faults.append(fault)

    def turn(self, chosen, message, text):
        self.agent.state(chosen, "running")
        self.agent.tell("message/state", {"session_id": chosen, "message_id": message, "state": "started"})
        self.happens(chosen, "UserPromptSubmit", prompt=text)
        said = f"You said: {text}"
        if text.startswith("ask "):
            said = self.call(chosen, {"command": text.removeprefix("ask ")})
        self.happens(chosen, "Stop", last_assistant_message=said)
        self.agent.tell("turn/ended", {"session_id": chosen, "terminal_reason": "completed"})
        self.agent.state(chosen, "idle")

    def call(self, chosen, tool_input):
        use, hold = f"toolu_{uuid.uuid4().hex[:12]}", str(uuid.uuid4())
        self.happens(chosen, "PreToolUse", tool_name="Bash", tool_input=tool_input, tool_use_id=use)
        self.agent.state(chosen, "waiting")
        self.agent.open_prompt(chosen, self.envelope(chosen, "PermissionRequest", tool_name="Bash", tool_input=tool_input), hold)
        with self.agent.condition:
            self.agent.condition.wait_for(lambda: hold in self.decisions, 30)
        if self.decisions[hold]["behavior"] != "allow":
            return "As you wish."
        self.happens(chosen, "PostToolUse", tool_name="Bash", tool_input=tool_input, tool_use_id=use,
                     tool_response={"stdout": "done"})
        return "It is done."


def request_of(chosen, command="rm -rf build"):
    """The envelope of a permission request."""
    return envelope(hook("PermissionRequest", chosen, tool_name="Bash", tool_input={"command": command}))
