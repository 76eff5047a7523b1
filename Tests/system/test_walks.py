"""Complete visits of a client that speaks cdev: from the first call to the events, a reconnect, and two clients at once."""

import asyncio
import contextlib
import datetime
import itertools
import json
import time
import unittest

import websockets

import harness
import test_devices as devices
import test_rpc as rpc
import test_websocket as ws
from harness import Server, session

EVENT = {"event", "timestamp", "workspace_id", "session_id", "payload"}
STATE = {"id", "workspace_id", "status", "started_at", "last_active", "claude_state", "claude_session_id", "is_running",
         "waiting_for_input"}
moments = itertools.count()
QUESTION = ("PreToolUse", {"tool_name": "AskUserQuestion", "tool_use_id": "q1",
                           "tool_input": {"questions": [{"question": "Which?", "header": "h", "options": []}]}})
PERMISSION = [("PreToolUse", {"tool_name": "Bash", "tool_use_id": "t9", "tool_input": {"command": "rm x"}}), rpc.ASK]


def setUpModule():
    global server, device
    server = Server(MONITOR_RATE_LIMIT="off").start()
    rpc.server = ws.server = devices.server = server
    ws.key = server.key("rpc")
    device = devices.pair()["access_token"]


def tearDownModule():
    server.end()


def tell(chosen, *events, home):
    """Posts the hooks of a session, each a little later than the previous one."""
    return rpc.story(chosen, *events, home=home, at=lambda: harness.iso(next(moments) / 100 - 60))


@contextlib.asynccontextmanager
async def visit(**more):
    """A paired device that has called `initialize` as cdev's client does, and also gets the plain events."""
    async with ws.connected(server, ready=False, credential=device) as client:
        client.welcome = await rpc.result(client, "initialize", {
            "protocolVersion": "1.0", "clientInfo": {"name": "cdev-ios", "version": "1.0.0"}, "dialect": "cdev", **more})
        yield client


def of_machines(client):
    """The events that the client has received, without the server's own ones about prompts."""
    return [event for event in client.events if not event["params"]["event"].startswith("prompt_")]


def workspace_of(chosen):
    return server.get(f"/v1/sessions/{chosen}").json["workspace_id"]


async def take(client, wanted, seconds=10):
    """Reads until there is a notification with each of these names. Returns the parameters of the last one of each of them."""
    found, deadline = {}, time.monotonic() + seconds
    while not wanted <= set(found):
        message = await client.receive(max(0.01, deadline - time.monotonic()))
        if "params" in message and message["params"]["event"] in wanted:
            found[message["params"]["event"]] = message["params"]
    return found


class Walks(unittest.IsolatedAsyncioTestCase):
    def has(self, names, found):
        self.assertLessEqual(set(names), set(found), found)

    def is_time(self, text):
        self.assertTrue(text.endswith("Z"), text)
        datetime.datetime.fromisoformat(text)

    async def test_from_the_first_call_to_the_events(self):
        chosen, question, other = session(), session(), session()
        tell(chosen, *rpc.TURN[:2], home="/home/dev/walk")
        tell(question, *rpc.TURN[:2], QUESTION, home="/home/dev/walk")
        tell(other, *rpc.TURN[:2], home="/home/dev/elsewhere")
        async with visit() as client:
            welcome = client.welcome
            self.has({"protocolVersion", "serverInfo", "capabilities", "clientId"}, welcome)
            self.has({"name", "version"}, welcome["serverInfo"])
            for group, names in {"agent": ["run", "stop", "respond", "sessions", "sessionWatch"], "file": ["get", "list"],
                                 "git": ["status", "diff", "stage", "commit", "push", "pull"]}.items():
                self.has(names, welcome["capabilities"][group])

            listed = (await rpc.result(client, "workspace/list", {}))["workspaces"]
            home = next(entry for entry in listed if entry["path"] == "/home/dev/walk")
            self.has(rpc.WORKSPACE, home)
            self.is_time(home["created_at"])
            self.assertEqual(home["active_session_count"], 2)
            self.assertEqual(await rpc.result(client, "workspace/subscribe", {"workspace_id": home["id"]}),
                             {"success": True, "workspace_id": home["id"], "subscribed": [home["id"]]})
            states = {}
            for entry in home["sessions"]:
                self.has(rpc.SESSION, entry)
                state = await rpc.result(client, "session/state", {"session_id": entry["id"]})
                self.has(STATE, state)
                for name in ("started_at", "last_active"):
                    self.is_time(state[name])
                states[entry["id"]] = state
            self.assertEqual((states[chosen]["claude_state"], states[chosen]["waiting_for_input"]), ("running", False))
            waiting = states[question]
            self.assertEqual((waiting["claude_state"], waiting["waiting_for_input"], waiting["pending_tool_use_id"],
                              waiting["pending_tool_name"]), ("waiting", True, "q1", "AskUserQuestion"))

            tell(other, *rpc.TURN[2:], home="/home/dev/elsewhere")
            tell(chosen, *rpc.TURN[2:], *PERMISSION, home="/home/dev/walk")
            found = await take(client, {"claude_message", "claude_permission", "claude_status", "pty_permission"})
            self.assertEqual({event["params"]["session_id"] for event in of_machines(client)}, {chosen})
            for params in found.values():
                self.has(EVENT, params)
                self.assertEqual(params["workspace_id"], home["id"])
                self.is_time(params["timestamp"])
            self.has({"type", "role", "content"}, found["claude_message"]["payload"])
            permission = found["claude_permission"]["payload"]
            self.has({"tool_use_id", "tool_name", "input", "description"}, permission)
            self.assertEqual(json.loads(permission["input"])["command"], "rm x")
            pending = (await rpc.result(client, "permission/pending", {"session_id": chosen}))["requests"]
            self.assertEqual([request["tool_use_id"] for request in pending], [permission["tool_use_id"]])
            state = await rpc.result(client, "session/state", {"session_id": chosen})
            self.assertEqual((state["claude_state"], state["pending_tool_name"]), ("waiting", "Bash"))

    async def test_a_session_is_read_and_then_followed(self):
        chosen = session()
        tell(chosen, *rpc.TURN, ("Stop", {"last_assistant_message": "done"}), home="/home/dev/read")
        place = {"workspace_id": workspace_of(chosen), "session_id": chosen}
        async with visit() as client:
            history = await rpc.result(client, "workspace/session/history", {"workspace_id": place["workspace_id"], "limit": 20})
            self.assertEqual(history["total"], 1)
            self.has({"session_id", "summary", "message_count", "last_updated", "branch"}, history["sessions"][0])
            page = await rpc.result(client, "workspace/session/messages", {**place, "limit": 50, "offset": 0, "order": "asc"})
            self.has({"session_id", "messages", "total", "limit", "offset", "has_more", "query_time_ms"}, page)
            for message in page["messages"]:
                self.has({"id", "session_id", "type", "uuid", "timestamp", "git_branch", "message", "is_context_compaction",
                          "is_meta"}, message)
            self.assertEqual(await rpc.result(client, "workspace/session/watch", place),
                             {"status": "watching", "watching": True, **place})
            tell(chosen, ("UserPromptSubmit", {"prompt": "and now"}), home="/home/dev/read")
            found = await take(client, {"claude_message"})
            self.assertEqual(found["claude_message"]["payload"]["role"], "user")
            self.assertEqual(await rpc.result(client, "workspace/session/unwatch", {}),
                             {"status": "unwatched", "watching": False, **place})

    async def test_away_and_back_again_nothing_is_missing(self):
        chosen = session()
        tell(chosen, *rpc.TURN[:2], home="/home/dev/back")
        workspace = workspace_of(chosen)
        async with visit() as client:
            await rpc.result(client, "workspace/subscribe", {"workspace_id": workspace})
            first = tell(chosen, *rpc.TURN[2:], home="/home/dev/back")
            while not of_machines(client) or of_machines(client)[-1]["params"]["seq"] < first[-1]:
                await client.receive()
            before = [event for event in of_machines(client) if "more" not in event["params"]]
            client.wire.transport.abort()
        last = before[-1]["params"]
        away = tell(chosen, *rpc.TURN[2:], *PERMISSION, home="/home/dev/back")
        async with visit() as client:
            listed = (await rpc.result(client, "workspace/list"))["workspaces"]
            await rpc.result(client, "workspace/subscribe", {"workspace_id": workspace})
            synced = []
            for entry in listed:
                for running in entry["sessions"] if entry["has_active_session"] else []:
                    if running["status"] == "running":
                        state = await rpc.result(client, "session/state", {"session_id": running["id"]})
                        self.assertEqual(state["status"], "running")
                        synced.append(state["id"])
            self.assertIn(chosen, synced)
            answer = await rpc.result(client, "event/subscribe", {"since": {"epoch": last["epoch"], "seq": last["seq"]}})
            self.assertTrue(answer["recovered"])
            now = tell(chosen, ("Stop", {}), home="/home/dev/back")
            while not of_machines(client) or of_machines(client)[-1]["params"]["seq"] < now[-1] or "more" in of_machines(client)[-1]["params"]:
                await client.receive()
            places = [event["params"]["seq"] for event in of_machines(client) if "more" not in event["params"]]
            self.assertEqual([event["params"]["seq"] for event in before] + places, first + away + now)

    async def test_two_devices_see_each_other_come_and_go(self):
        chosen, other = session(), session()
        tell(chosen, *rpc.TURN[:2], home="/home/dev/two")
        tell(other, *rpc.TURN[:2], home="/home/dev/two")
        place = {"workspace_id": workspace_of(chosen), "session_id": chosen}
        async with visit() as phone, visit() as tablet:
            one, two = phone.welcome["clientId"], tablet.welcome["clientId"]
            self.assertEqual(await rpc.result(phone, "client/session/focus", place),
                             {**place, "other_viewers": [], "viewer_count": 1, "success": True})
            self.assertEqual(await rpc.result(tablet, "client/session/focus", place),
                             {**place, "other_viewers": [one], "viewer_count": 2, "success": True})
            joined = (await take(phone, {"session_joined"}))["session_joined"]
            self.has(EVENT, joined)
            self.assertEqual((joined["workspace_id"], joined["session_id"], joined["payload"]),
                             (*place.values(), {"joining_client_id": two, "other_viewers": [one], "viewer_count": 2}))
            viewers = {entry["id"]: entry["viewers"] for found in (await rpc.result(phone, "workspace/list"))["workspaces"]
                       for entry in found["sessions"]}
            self.assertEqual((viewers[chosen], viewers[other]), ([one, two], []))
            await rpc.result(tablet, "client/session/focus", {**place, "session_id": other})
            left = (await take(phone, {"session_left"}))["session_left"]
            self.assertEqual(left["payload"], {"leaving_client_id": two, "remaining_viewers": [one], "viewer_count": 1})


class Bounds(unittest.IsolatedAsyncioTestCase):
    async def test_a_thousand_workspaces_may_be_subscribed_to_and_no_more(self):
        async with ws.connected(server) as client:
            for first in range(0, 950, 50):
                await client.wire.send(json.dumps([
                    {"jsonrpc": "2.0", "id": n, "method": "workspace/subscribe", "params": {"workspace_id": f"ws-{n}"}}
                    for n in range(first, first + 50)]))
                self.assertEqual(len(await client.receive()), 50)
            # The burst is used up, so now the rate limit applies.
            for n in range(950, 1000):
                time.sleep(0.02)
                await rpc.result(client, "workspace/subscribe", {"workspace_id": f"ws-{n}"})
            time.sleep(0.1)
            self.assertEqual((await rpc.result(client, "workspace/subscriptions"))["count"], 1000)
            error = await rpc.failure(client, "workspace/subscribe", {"workspace_id": "ws-1000"})
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "workspace_id"))
            self.assertTrue((await rpc.result(client, "workspace/subscribe", {"workspace_id": "ws-0"}))["success"])

    async def test_ten_thousand_subscriptions_at_once_end_the_socket(self):
        """The socket ends because of their number, or because the client reads the answers, each with all subscriptions so far,
        more slowly."""
        async with ws.connected(server) as client:
            async def send():
                with contextlib.suppress(websockets.ConnectionClosed):
                    for n in range(10_000):
                        await client.send("workspace/subscribe", {"workspace_id": f"ws-{n}"}, id=n)

            sending = asyncio.create_task(send())
            with contextlib.suppress(websockets.ConnectionClosed):
                while True:
                    await client.receive()
            await sending
            self.assertIn(client.wire.close_code, (4029, 4008))
        self.assertEqual(server.health()[0], 200)

    async def test_a_message_of_twelve_megabytes_closes_with_1009(self):
        async with ws.connected(server) as other, ws.connected(server) as client:
            with contextlib.suppress(websockets.ConnectionClosed):
                await client.send("status/health", {"padding": "x" * (12 << 20)}, id=1)
                while True:
                    await client.receive()
            self.assertEqual(client.wire.close_code, 1009)
            await other.silent()

    async def test_a_message_of_a_mebibyte_is_still_answered(self):
        async with ws.connected(server) as client:
            answer = await client.call("status/health", {"padding": "x" * ((1 << 20) - 200)})
            self.assertIn("result", answer)
