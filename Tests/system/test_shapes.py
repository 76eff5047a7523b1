"""Each answer and event has the members that cdev's integration guide shows.

`cdev_shapes.json` contains the guide's examples, reduced to JSON types: `results` of methods, `events`, and the parameters of
the methods that need an `agent`. A member with a question mark is not in every element of its list."""

import asyncio
import contextlib
import json
import time
import unittest

import test_rpc as rpc
import test_walks as walks
import test_websocket as ws
from harness import session
from guide_shapes import SHAPES, faults

HOME = "/home/dev/shapes"


def setUpModule():
    walks.setUpModule()


def tearDownModule():
    walks.tearDownModule()


class ShapeCase(unittest.IsolatedAsyncioTestCase):
    def fits(self, kind, name, value):
        self.assertEqual(faults(SHAPES[kind][name], value, name), [])


class Guide(ShapeCase):
    async def ask(self, client, method, params=None):
        found = await rpc.result(client, method, params)
        self.fits("results", method, found)
        self.asked.add(method)
        return found

    async def test_every_answer_has_every_member_of_the_example(self):
        self.asked = set()
        chosen, over = session(), session()
        walks.tell(over, *rpc.TURN, ("Stop", {}), ("SessionEnd", {"reason": "other"}), home=HOME)
        walks.tell(chosen, *rpc.TURN, ("Stop", {"last_assistant_message": "done"}), walks.QUESTION, home=HOME)
        place = {"workspace_id": walks.workspace_of(chosen), "session_id": chosen}
        workspace = {"workspace_id": place["workspace_id"]}
        async with walks.visit() as client:
            self.asked.add("initialize")
            self.fits("results", "initialize", client.welcome)
            for method, params in [
                    ("workspace/subscribe", workspace), ("workspace/subscriptions", {}), ("client/session/focus", place),
                    ("workspace/session/watch", place), ("workspace/session/activate", place), ("workspace/list", {}),
                    ("workspace/status", workspace), ("session/state", {"session_id": chosen}),
                    ("workspace/session/history", {**workspace, "limit": 20}),
                    ("workspace/session/messages", {**place, "limit": 50, "offset": 0, "order": "asc"}),
                    ("workspace/session/unwatch", {})]:
                with self.subTest(method):
                    found = await self.ask(client, method, params)
                    # No list may be empty, because then nothing is compared.
                    for name in ("workspaces", "sessions", "messages"):
                        if name in found:
                            self.assertTrue(found[name])
            listed = (await rpc.result(client, "workspace/list"))["workspaces"]
            home = next(entry for entry in listed if entry["id"] == place["workspace_id"])
            self.assertEqual({entry["status"] for entry in home["sessions"]}, {"running", "historical"})
            self.assertEqual(home["active_session_id"], chosen)
        self.assertEqual(self.asked, set(SHAPES["results"]))

    async def test_what_needs_an_agent_takes_the_example_and_says_that_there_is_none(self):
        examples = {"string": "x", "number": 1, "boolean": True}
        async with ws.connected(walks.server) as client:
            for method, params in SHAPES["agent"].items():
                with self.subTest(method):
                    filled = {name: [examples[kind[0]]] if isinstance(kind, list) else examples[kind]
                              for name, kind in params.items()}
                    if method in ("session/respond", "session/stop"):
                        continue  # needs no agent
                    if method == "session/send":
                        filled["mode"] = "new"
                    error = await rpc.failure(client, method, filled)
                    # Git's methods look for the workspace first: test_git has one.
                    self.assertEqual(error["code"], -32602 if method.startswith("workspace/git/") else -32004, error)

    async def test_the_first_thing_that_is_missing_is_named(self):
        async with walks.visit() as client:
            for method in ("workspace/get", "workspace/subscribe", "workspace/unsubscribe", "client/session/focus"):
                error = await rpc.failure(client, method, {})
                self.assertEqual((error["code"], error["data"]["param"]), (-32602, "workspace_id"), method)


class Events(ShapeCase):
    """The events in both forms: for the app, in `params`; for the guide's sample, as binary messages with the members at the
    top."""

    def happen(self, chosen):
        walks.tell(chosen, *rpc.TURN, walks.QUESTION, *walks.PERMISSION, home=HOME)

    async def test_in_params(self):
        chosen = session()
        async with walks.visit() as client, walks.visit() as other:
            self.happen(chosen)
            place = {"workspace_id": walks.workspace_of(chosen), "session_id": chosen}
            for one in (client, other):
                await rpc.result(one, "client/session/focus", place)
            await rpc.result(other, "client/session/focus", {**place, "session_id": session()})
            found = {}
            while not set(SHAPES["events"]) <= set(found):
                found.update({event["params"]["event"]: event["params"] for event in client.events})
                if not set(SHAPES["events"]) <= set(found):
                    await client.receive()
            for name in SHAPES["events"]:
                with self.subTest(name):
                    self.fits("events", name, found[name])

    async def test_at_the_top(self):
        chosen = session()
        async with sample() as client, sample() as other:
            self.happen(chosen)
            place = {"workspace_id": walks.workspace_of(chosen), "session_id": chosen}
            for one in (client, other):
                await one.rpc("client/session/focus", place)
            await other.rpc("client/session/focus", {**place, "session_id": session()})
            found = await client.take(set(SHAPES["events"]))
            for name, message in found.items():
                with self.subTest(name):
                    if name in SHAPES["events"]:
                        self.fits("events", name, message)
                    # The event is the same for a client that reads the other form.
                    if message.get("method"):
                        self.assertEqual(message["method"], "event/" + name)
                        members = {key: value for key, value in message.items() if key not in ("jsonrpc", "method", "params")}
                        self.assertEqual(members, message["params"])
                        self.assertNotIn("id", message)

    async def test_the_sample_comes_back(self):
        """The guide's sample client reconnects as the guide describes."""
        chosen = session()
        walks.tell(chosen, *rpc.TURN, home=HOME)
        for _ in range(2):
            async with sample() as client:
                listed = (await client.rpc("workspace/list", {}))["workspaces"]
                home = next(entry for entry in listed if entry["path"] == HOME)
                await client.rpc("workspace/subscribe", {"workspace_id": home["id"]})
                states = {entry["id"]: (await client.rpc("session/state", {"session_id": entry["id"]}))["claude_state"]
                          for entry in home["sessions"] if home["has_active_session"] and entry["status"] == "running"}
                self.assertEqual(states[chosen], "running")
                walks.tell(chosen, ("UserPromptSubmit", {"prompt": "and now"}), home=HOME)
                message = (await client.take({"claude_message"}))["claude_message"]
                self.assertEqual((message["workspace_id"], message["session_id"]), (home["id"], chosen))
                self.assertEqual(message["payload"]["content"][0]["text"], "and now")


@contextlib.asynccontextmanager
async def sample(credential=None):
    async with ws.connected(walks.server, ready=False, credential=credential or walks.device) as client:
        found = Sample(client.wire)
        await found.rpc("initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "cdev-ios", "version": "1.0.0"}})
        yield found


class Sample:
    """The client of the guide's sample: sends and reads only binary messages. It recognizes answers by a numeric `id` and
    events by a text `event`, both at the top."""

    def __init__(self, wire):
        self.wire, self.number, self.events, self.told = wire, 0, {}, []

    async def rpc(self, method, params):
        return (await self.answer(method, params))["result"]

    async def answer(self, method, params):
        self.number += 1
        await self.wire.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode())
        while True:
            message = await self.message()
            if type(message.get("id")) is int and message["id"] == self.number:
                return message

    async def message(self, seconds=10):
        data = await asyncio.wait_for(self.wire.recv(), seconds)
        if not isinstance(data, bytes):
            return {}
        message = json.loads(data)
        if "id" not in message and isinstance(message.get("event"), str):
            self.events[message["event"]] = message
            self.told.append(message)
        return message

    async def until(self, found, seconds=20):
        """The first of all events, those that have come and those to come, for which `found` is true."""
        deadline, seen = time.monotonic() + seconds, 0
        while True:
            for event in self.told[seen:]:
                if found(event):
                    return event
            seen = len(self.told)
            await self.message(max(0.01, deadline - time.monotonic()))

    async def take(self, wanted, seconds=10):
        deadline = time.monotonic() + seconds
        while not wanted <= set(self.events):
            await self.message(max(0.01, deadline - time.monotonic()))
        return self.events
