"""A client that reads the stream as strictly as cdev's app: it accepts only the names and shapes that it knows."""

import asyncio
import contextlib
import json
import re

import websockets

# The notifications that the app decodes. It drops the others.
KNOWN = {"claude_message", "claude_log", "claude_status", "claude_waiting", "claude_permission", "claude_session_info",
         "file_changed", "session_start", "session_end", "session_joined", "session_left", "pty_permission",
         "pty_permission_resolved"}
KEYS = {"allow_once", "allow_session", "deny"}


class App:
    """The part of the app's state that a person sees: the dialog, and how the connection ended."""

    def __init__(self, wire):
        self.wire, self.number, self.dialog, self.dropped, self.shown = wire, 0, None, [], []

    async def call(self, method, params=None):
        """Returns the answer. Notifications before it change the state."""
        self.number += 1
        await self.wire.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}))
        while (message := await self.take()).get("id") != self.number:
            pass
        return message

    async def result(self, method, params=None):
        answer = await self.call(method, params)
        assert answer.get("result") is not None, (method, answer)
        return answer["result"]

    async def take(self, seconds=10):
        message = json.loads(await asyncio.wait_for(self.wire.recv(), seconds))
        if message.get("method", "").startswith("event/"):
            self.hear(message["method"][6:], message["params"])
        return message

    async def until(self, condition, seconds=10):
        async with asyncio.timeout(seconds):
            while not condition():
                await self.take()

    def hear(self, name, params):
        if name not in KNOWN:
            return self.dropped.append(name)
        assert params["agent_type"] == "claude", params
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", params["timestamp"]), params
        payload = params["payload"]
        if name == "pty_permission":
            if payload["options"] and all(option["key"] in KEYS for option in payload["options"]):
                self.show("permission", payload)
        elif name == "claude_permission":
            self.show("display only", payload)
        elif name == "claude_waiting":
            self.show("question", payload)
        elif name == "pty_permission_resolved":
            if self.dialog and self.dialog[1]["tool_use_id"] == payload["tool_use_id"]:
                self.dialog = None

    def show(self, kind, payload):
        self.dialog = (kind, payload)
        self.shown.append(kind)

    def options(self):
        kind, payload = self.dialog
        return [option["key" if kind == "permission" else "label"] for option in payload["options"]]

    async def press(self, key):
        """Presses a button of the banner for permissions."""
        decision, scope = {"allow_once": ("allow", "once"), "allow_session": ("allow", "session"), "deny": ("deny", "once")}[key]
        return await self.call("permission/respond", {
            "tool_use_id": self.dialog[1]["tool_use_id"], "decision": decision, "scope": scope})

    async def end(self):
        """Waits for the server's close frame. The app reconnects by itself only if it has no reason."""
        try:
            while True:
                await self.take()
        except websockets.ConnectionClosed as closed:
            return closed.rcvd.code, closed.rcvd.reason


@contextlib.asynccontextmanager
async def opened(server, token, **more):
    async with websockets.connect(f"ws://{server.address}/ws", ping_interval=None, close_timeout=2, open_timeout=10,
                                  extra_headers={"Authorization": f"Bearer {token}"}) as wire:
        app = App(wire)
        await app.result("initialize", {"protocolVersion": "1.0", "client_info": {"name": "cdev-ios", "version": "1.0.0"}, **more})
        yield app


async def watch(app, place):
    """The calls of the app when a person opens a session."""
    await app.result("workspace/subscribe", {"workspace_id": place["workspace_id"]})
    started = await app.result("session/start", {**place, "agent_type": "claude"})
    await app.result("client/session/focus", place)
    await app.result("workspace/session/watch", {**place, "agent_type": "claude"})
    return started
