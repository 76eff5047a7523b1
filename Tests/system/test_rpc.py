"""The methods of JSON-RPC over /ws that read and organize: each answer has every field that clients read."""

import asyncio
import json
import re
import time
import unittest

import websockets

import harness
import test_websocket as ws
from harness import Server, envelope, hook, session, tool

HOME = "/home/dev/rpc-app"
SESSION = {"id", "workspace_id", "status", "started_at", "last_active", "viewers", "summary", "message_count",
           "last_updated", "session_id", "branch", "project_path", "agent_type", "start_time"}
WORKSPACE = {"id", "name", "path", "auto_start", "created_at", "sessions", "active_session_count", "has_active_session",
             "active_session_id"}


def setUpModule():
    global server
    server = Server(MONITOR_RATE_LIMIT="off").start()
    ws.server, ws.key = server, server.key("rpc")


def tearDownModule():
    server.end()


def story(chosen, *events, home=HOME, at=None):
    """Posts the hooks of a session, each given as `(name, fields)`."""
    return ws.post([envelope(dict(hook(name, chosen, **fields), cwd=home), at and at()) for name, fields in events])


TURN = [("SessionStart", {"source": "startup", "model": "opus"}), ("UserPromptSubmit", {"prompt": "make it so"}),
        ("PreToolUse", {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}}),
        ("PostToolUse", {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"},
                         "tool_response": {"stdout": "a\nb"}})]
ASK = ("PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": "rm x", "description": "remove"}})


async def result(client, method, params=None):
    answer = await client.call(method, params)
    assert "result" in answer, (method, answer)
    assert answer["result"] is not None
    return answer["result"]


async def failure(client, method, params=None):
    answer = await client.call(method, params)
    assert "error" in answer, (method, answer)
    return answer["error"]


class Reading(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.running, self.waiting, self.old = session(), session(), session()
        story(self.old, ("SessionStart", {}), ("UserPromptSubmit", {"prompt": "long ago"}), ("SessionEnd", {"reason": "x"}),
              at=lambda: harness.iso(-4000))
        story(self.running, *TURN)
        story(self.waiting, ASK)
        self.workspace = server.get(f"/v1/sessions/{self.running}").json["workspace_id"]

    async def test_status(self):
        async with ws.connected() as client:
            status = await result(client, "status/get")
            self.assertLessEqual({"session_id", "agent_session_id", "agent_state", "agent_type", "connected_clients",
                                  "repo_path", "repo_name", "uptime_seconds", "version", "watcher_enabled", "git_enabled"},
                                 set(status))
            self.assertGreaterEqual(status["connected_clients"], 1)
            self.assertEqual(await result(client, "status/health"), {"status": "healthy", "healthy": True})

    async def test_workspaces(self):
        async with ws.connected() as client:
            listed = await result(client, "workspace/list", {})
            self.assertEqual(listed["count"], len(listed["workspaces"]))
            for entry in listed["workspaces"]:
                self.assertLessEqual(WORKSPACE, set(entry))
                self.assertNotIn("git", entry)
                for shown in entry["sessions"]:
                    self.assertLessEqual(SESSION, set(shown))
                    self.assertIn(shown["status"], {"running", "historical"})
            home = next(entry for entry in listed["workspaces"] if entry["id"] == self.workspace)
            self.assertEqual((home["path"], home["name"]), (HOME, "rpc-app"))
            states = {shown["id"]: shown["status"] for shown in home["sessions"]}
            self.assertEqual([states[chosen] for chosen in (self.running, self.waiting, self.old)],
                             ["running", "running", "historical"])
            for name in ("id", "workspace_id"):
                self.assertEqual((await result(client, "workspace/get", {name: self.workspace}))["id"], self.workspace)
            status = await result(client, "workspace/status", {"workspace_id": self.workspace})
            self.assertLessEqual({"workspace_id", "workspace_name", "path", "auto_start", "created_at", "sessions",
                                  "active_session_count", "has_active_session", "git_tracker_state", "git_repo_name",
                                  "is_git_repo", "git_last_error", "is_being_watched", "watched_session_id"}, set(status))
            self.assertEqual((await failure(client, "workspace/status", {"workspace_id": "ws-none"}))["code"], -32602)
            self.assertEqual((await failure(client, "workspace/status"))["code"], -32602)

    async def test_sessions(self):
        async with ws.connected() as client:
            for method in ("session/get", "session/info", "session/state"):
                found = await result(client, method, {"session_id": self.waiting})
                self.assertLessEqual({"id", "workspace_id", "status", "started_at", "last_active", "claude_state",
                                      "claude_session_id", "is_running", "waiting_for_input", "pending_tool_name"}, set(found))
                self.assertEqual((found["status"], found["claude_state"], found["waiting_for_input"]),
                                 ("running", "waiting", True))
            for method, fields in (("session/send", {"prompt": "on"}), ("session/input", {"input": "on"}),
                                   ("session/respond", {"type": "permission", "response": "yes"})):
                error = await failure(client, method, {"session_id": "none", **fields})
                self.assertEqual((error["code"], error["data"]["session_id"]), (-32010, "none"))
            self.assertEqual((await failure(client, "session/state", {"session_id": "none"}))["code"], -32010)
            active = await result(client, "session/active", {"workspace_id": self.workspace})
            self.assertLessEqual({self.running, self.waiting}, {shown["id"] for shown in active["sessions"]})
            self.assertNotIn(self.old, {shown["id"] for shown in active["sessions"]})
            for method in ("session/history", "workspace/session/history"):
                page = await result(client, method, {"workspace_id": self.workspace, "limit": 1})
                self.assertEqual(len(page["sessions"]), 1)
                self.assertGreaterEqual(page["total"], 3)
                self.assertLessEqual({"session_id", "summary", "message_count", "last_updated", "branch"},
                                     set(page["sessions"][0]))
            self.assertGreaterEqual((await result(client, "session/list", {"limit": 5}))["total"], 3)

    async def test_messages(self):
        async with ws.connected() as client:
            params = {"workspace_id": self.workspace, "session_id": self.running, "limit": 50, "offset": 0, "order": "asc"}
            page = await result(client, "workspace/session/messages", params)
            self.assertEqual({name: page[name] for name in ("session_id", "total", "limit", "offset", "has_more")},
                             {"session_id": self.running, "total": 3, "limit": 50, "offset": 0, "has_more": False})
            self.assertGreaterEqual(page["query_time_ms"], 0)
            for message in page["messages"]:
                self.assertEqual({"id", "session_id", "type", "uuid", "timestamp", "git_branch", "message",
                                  "is_context_compaction", "is_meta"}, set(message))
            self.assertEqual([message["type"] for message in page["messages"]], ["user", "assistant", "user"])
            self.assertEqual(page["messages"][0]["message"], {"role": "user", "content": "make it so"})
            self.assertEqual([message["is_meta"] for message in page["messages"]], [False] * 3)
            newest = await result(client, "session/messages", {"session_id": self.running, "limit": 1, "order": "desc"})
            self.assertEqual(newest["messages"], page["messages"][-1:])
            self.assertTrue(newest["has_more"])
            elements = await result(client, "session/elements", {"session_id": self.running})
            self.assertEqual([element["type"] for element in elements["elements"]], ["user_input", "tool_call", "tool_result"])
            self.assertEqual({"total", "returned", "has_more_before", "has_more_after", "oldest_id", "newest_id"},
                             set(elements["pagination"]))

    async def test_a_prompt_that_nobody_typed_is_meta(self):
        """REST calls it `system`. The work of a subagent is not `is_meta`."""
        chosen = session()
        story(chosen, ("UserPromptSubmit", {"prompt": "<local-command-caveat>the output below</local-command-caveat>"}),
              ("UserPromptSubmit", {"prompt": "go on"}),
              ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "agent_id": "a1", "tool_use_id": "toolu_1"}))
        async with ws.connected() as client:
            page = await result(client, "session/messages", {"session_id": chosen})
        self.assertEqual([message["is_meta"] for message in page["messages"]], [True, False, False])
        roles = [message["role"] for message in server.get(f"/v1/sessions/{chosen}/messages").json["messages"]]
        self.assertEqual(roles, ["system", "user"])

    async def test_messages_of_another_workspace_are_refused(self):
        elsewhere = session()
        story(elsewhere, ("Stop", {}), home="/srv/elsewhere")
        other = server.get(f"/v1/sessions/{elsewhere}").json["workspace_id"]
        async with ws.connected() as client:
            for workspace in (other, "ws-none"):
                error = await failure(client, "workspace/session/messages",
                                      {"workspace_id": workspace, "session_id": self.running})
                self.assertEqual((error["code"], error["data"]["param"]), (-32602, "workspace_id"), error)
            error = await failure(client, "workspace/session/messages", {"workspace_id": other, "session_id": "none"})
            self.assertEqual(error["code"], -32010)

    async def test_the_example_of_the_documentation(self):
        text = (harness.ROOT / "docs" / "rpc.md").read_text()
        lines = re.search(r"wscat -c .*?```json\n(.*?)```", text, re.S).group(1).splitlines()
        async with ws.connected(ready=False) as client:
            for line in lines:
                await client.wire.send(line)
                while "id" not in (answer := await client.receive()):
                    pass
                self.assertEqual((answer["id"], "result" in answer), (json.loads(line)["id"], True), answer)
        self.assertEqual(len(lines), 2)

    async def test_an_error_says_what_is_wrong_and_nothing_before_it(self):
        async with ws.connected() as client:
            error = await failure(client, "workspace/get", {})
            self.assertEqual((error["code"], error["message"]), (-32602, "workspace_id is required"))

    async def test_permissions(self):
        async with ws.connected() as client:
            pending = await result(client, "permission/pending", {"session_id": self.waiting})
            request, = pending["requests"]
            self.assertLessEqual({"tool_use_id", "session_id", "workspace_id", "tool_name", "tool_input", "created_at"},
                                 set(request))
            self.assertEqual(request["tool_input"]["command"], "rm x")
            self.assertEqual((await result(client, "permission/pending", {"session_id": "none"}))["requests"], [])
            self.assertGreaterEqual((await result(client, "permission/stats"))["pending"], 1)

    async def test_a_permission_has_one_id_from_its_request_to_its_end(self):
        call = {"tool_name": "Bash", "tool_use_id": "toolu_7", "tool_input": {"command": "rm y"}}
        request = ("PermissionRequest", {name: call[name] for name in ("tool_name", "tool_input")})
        for before, expected in (([("PreToolUse", call)], "toolu_7"), ([], None)):
            chosen = session()
            async with ws.connected(ready=False) as client:
                await result(client, "initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "cdev-ios", "version": "1"}})
                await result(client, "event/subscribe", {"session_id": chosen, "dialect": "cdev"})
                places = story(chosen, ("UserPromptSubmit", {"prompt": "go"}), *before, request)
                if expected is None:
                    event, = server.get(f"/v1/sessions/{chosen}/events?order=desc&limit=1&type=permission_request").json["events"]
                    expected = "prm_" + event["event_id"].replace("-", "")
                state = await result(client, "session/state", {"session_id": chosen})
                self.assertEqual(state["pending_tool_use_id"], expected)
                pending, = (await result(client, "permission/pending", {"session_id": chosen}))["requests"]
                self.assertEqual((pending["tool_use_id"], pending["tool_input"], pending["seq"]),
                                 (expected, call["tool_input"], places[-1]))
                waiting = server.get(f"/v1/sessions/{chosen}").json["waiting_for"]
                self.assertEqual((waiting["kind"], waiting["tool_use_id"]), ("permission", expected))
                places = story(chosen, ("PostToolUse", {**call, "tool_response": {}}))
                while not client.events or client.events[-1]["params"]["seq"] < places[-1] \
                        or "more" in client.events[-1]["params"]:
                    await client.receive()
                told = {event["method"][6:]: event["params"]["payload"] for event in client.events}
                for name in ("claude_permission", "pty_permission", "pty_permission_resolved"):
                    self.assertEqual(told[name]["tool_use_id"], expected, name)
                state = await result(client, "session/state", {"session_id": chosen})
                self.assertNotIn("pending_tool_use_id", state)
                self.assertEqual((await result(client, "permission/pending", {"session_id": chosen}))["requests"], [])
                self.assertNotIn("waiting_for", server.get(f"/v1/sessions/{chosen}").json)

    async def test_an_idle_session_waits_for_nobody(self):
        chosen = session()
        story(chosen, ("UserPromptSubmit", {"prompt": "go"}), at=lambda: harness.iso(-90))
        story(chosen, ("Stop", {}), at=lambda: harness.iso(-70))
        story(chosen, ("Notification", {"notification_type": "idle_prompt", "message": "Claude waits for your input"}))
        shown = server.get(f"/v1/sessions/{chosen}").json
        self.assertEqual((shown["state"], shown.get("waiting_for")), ("idle", None))
        async with ws.connected() as client:
            self.assertFalse((await result(client, "session/state", {"session_id": chosen}))["waiting_for_input"])
        story(chosen, ("Notification", {"notification_type": "agent_needs_input", "message": "Which branch?"}))
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["waiting_for"]["kind"], "input")

    async def test_replay_is_a_page_of_the_log(self):
        told = session()
        places = story(told, *TURN)
        async with ws.connected() as client:
            page = await result(client, "event/replay", {"since": {"epoch": None, "seq": places[0] - 1}, "limit": 2})
            self.assertEqual([event["seq"] for event in page["events"]], places[:2])
            self.assertTrue(page["has_more"] and page["recovered"])
            rest = await result(client, "event/replay", {"since": {"epoch": page["epoch"], "seq": page["seq"]}})
            # The server may add events to other sessions meanwhile.
            self.assertEqual([event["seq"] for event in rest["events"] if event["session_id"] == told], places[2:])
            self.assertFalse(rest["has_more"])

    async def test_many_calls_at_once(self):
        async with ws.connected() as client:
            for number in range(60):
                await client.send("workspace/list", id=f"many {number}")
            answered = set()
            while len(answered) < 60:
                message = await client.receive()
                if "id" in message:  # This is not a heartbeat.
                    self.assertIn("result", message)
                    answered.add(message["id"])

    async def test_what_needs_an_agent_says_so(self):
        async with ws.connected() as client:
            for method, params in [("session/start", {"workspace_id": self.workspace}), ("agent/run", {"prompt": "p"}),
                                   ("session/send", {"session_id": self.running, "prompt": "p", "mode": "new"}),
                                   ("git/state", {}),
                                   ("file/get", {"path": "a"}),
                                   ("workspace/git/status", {"workspace_id": self.workspace})]:
                with self.subTest(method):
                    self.assertEqual((await failure(client, method, params))["code"], -32004)

    async def test_a_flood_closes_with_4029(self):
        async with ws.connected() as client:
            with self.assertRaises(websockets.ConnectionClosed):
                for _ in range(100):
                    await client.wire.send("[" + ",".join(['{"jsonrpc":"2.0","id":1,"method":"ping"}'] * 50) + "]")
                    while isinstance(answers := await client.receive(), dict):
                        pass  # an event
                    self.assertEqual(len(answers), 50)
            self.assertEqual(client.wire.close_code, 4029)
        async with ws.connected() as client:
            await client.silent()


class Arranging(unittest.IsolatedAsyncioTestCase):
    async def test_a_workspace_comes_and_goes(self):
        story(session(), ("Stop", {}))
        async with ws.connected() as client:
            added = await result(client, "workspace/add", {"name": "mine", "path": "/srv/mine", "auto_start": False,
                                                           "machine_name": "rpc"})
            self.assertLessEqual(WORKSPACE, set(added))
            self.assertEqual((added["name"], added["sessions"]), ("mine", []))
            renamed = await result(client, "workspace/update", {"workspace_id": added["id"], "name": "ours"})
            self.assertEqual(renamed["name"], "ours")
            self.assertTrue((await result(client, "workspace/remove", {"id": added["id"]}))["success"])
            self.assertEqual((await failure(client, "workspace/get", {"id": added["id"]}))["code"], -32602)

    async def test_a_deleted_session_is_gone_and_its_events_are_not(self):
        chosen = session()
        places = story(chosen, *TURN)
        async with ws.connected() as client:
            self.assertEqual((await result(client, "session/delete", {"session_id": chosen}))["status"], "deleted")
            self.assertEqual((await failure(client, "session/state", {"session_id": chosen}))["code"], -32010)
            page = await result(client, "event/replay", {"since": {"seq": places[0] - 1}, "limit": 1})
            self.assertEqual(page["events"][0]["seq"], places[0])

    async def test_workspaces_filter_the_stream_of_one_client(self):
        one, other = session(), session()
        story(one, ("Stop", {}), home="/srv/one")
        story(other, ("Stop", {}), home="/srv/other")
        workspace = server.get(f"/v1/sessions/{one}").json["workspace_id"]
        async with ws.connected() as filtered, ws.connected() as whole:
            answer = await result(filtered, "workspace/subscribe", {"workspace_id": workspace})
            self.assertEqual(answer, {"success": True, "workspace_id": workspace, "subscribed": [workspace]})
            self.assertEqual(await result(filtered, "workspace/subscriptions", {}),
                             {"workspaces": [workspace], "is_filtering": True, "count": 1})
            first = story(other, ("Stop", {}), home="/srv/other") + story(one, ("Stop", {}), home="/srv/one")
            await filtered.until(first[1])
            await whole.until(first[1])
            self.assertEqual((filtered.places(), whole.places()), (first[1:], first))
            await result(filtered, "event/subscribe", {"since": {"epoch": None, "seq": first[0] - 1}})
            await filtered.silent()
            self.assertEqual(filtered.places(), [first[1], first[1]])
            await result(filtered, "workspace/subscribeAll", {})
            last, = story(other, ("Stop", {}), home="/srv/other")
            self.assertEqual((await filtered.until(last))[-1], last)
            self.assertEqual((await result(filtered, "workspace/subscriptions"))["workspaces"], [])


class Presence(unittest.IsolatedAsyncioTestCase):
    async def test_devices_see_each_other(self):
        chosen = session()
        story(chosen, *TURN)
        workspace = server.get(f"/v1/sessions/{chosen}").json["workspace_id"]
        place = {"workspace_id": workspace, "session_id": chosen}
        async with ws.connected() as one:
            me = one.welcome["clientId"]
            self.assertEqual(await result(one, "client/session/focus", place),
                             {**place, "other_viewers": [], "viewer_count": 1, "success": True})
            async with ws.connected() as two:
                you = two.welcome["clientId"]
                answer = await result(two, "client/session/focus", place)
                self.assertEqual((answer["other_viewers"], answer["viewer_count"]), ([me], 2))
                self.assertEqual((await self.notice(one, "session_joined"))["payload"],
                                 {"joining_client_id": you, "other_viewers": [me], "viewer_count": 2})
                listed = (await result(two, "workspace/get", {"id": workspace}))["sessions"]
                self.assertEqual(next(s for s in listed if s["id"] == chosen)["viewers"], [me, you])
                two.wire.transport.abort()
            left = await self.notice(one, "session_left")
            self.assertEqual(left["payload"], {"leaving_client_id": you, "remaining_viewers": [me], "viewer_count": 1})
            self.assertEqual((left["session_id"], left["agent_type"]), (chosen, "claude"))

    async def notice(self, client, name):
        deadline = time.monotonic() + 10
        while True:
            message = await client.receive(deadline - time.monotonic())
            if message.get("method") == f"event/{name}":
                return message["params"]

    async def test_watching(self):
        chosen = session()
        story(chosen, *TURN)
        workspace = server.get(f"/v1/sessions/{chosen}").json["workspace_id"]
        place = {"workspace_id": workspace, "session_id": chosen}
        async with ws.connected() as client:
            self.assertEqual(await result(client, "workspace/session/watch", place),
                             {"status": "watching", "watching": True, **place})
            status = await result(client, "workspace/status", {"workspace_id": workspace})
            self.assertEqual((status["is_being_watched"], status["watched_session_id"]), (True, chosen))
            self.assertEqual(await result(client, "workspace/session/unwatch", {}),
                             {"status": "unwatched", "watching": False, **place})
            self.assertTrue((await result(client, "workspace/session/activate", place))["success"])


class Cdev(unittest.IsolatedAsyncioTestCase):
    async def hello(self, client, name="cdev-ios", **more):
        return await result(client, "initialize",
                            {"protocolVersion": "1.0", "clientInfo": {"name": name, "version": "1"}, **more})

    async def test_derived_events_come_for_cdev_clients_alone_and_replay_alike(self):
        async with ws.connected(ready=False) as cdev, ws.connected() as plain:
            await self.hello(cdev, dialect="cdev")
            chosen = session()
            places = story(chosen, *TURN, ASK)
            await plain.until(places[-1])
            self.assertEqual(plain.places(), places)
            while not cdev.events or cdev.events[-1]["params"]["seq"] < places[-1] or "more" in cdev.events[-1]["params"]:
                await cdev.receive()

            def hooks(client):
                """The events without the server's own ones about the prompt, which may come at any time."""
                return [event for event in client.events if not event["method"].startswith("event/prompt_")]
            names = [event["method"][6:] for event in hooks(cdev)]
            self.assertEqual(names, ["claude_session_info", "claude_status", "session_start", "claude_message",
                                     "claude_status", "prompt", "claude_message", "tool_start", "claude_message", "tool",
                                     "claude_permission", "pty_permission", "claude_status", "permission_request"])
            for event in cdev.events:
                self.assertLessEqual({"event", "seq", "epoch", "timestamp", "workspace_id", "session_id", "agent_type",
                                      "payload"}, set(event["params"]))
            async with ws.connected(ready=False) as again:
                await self.hello(again, dialect="cdev")
                await result(again, "event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}})
                await again.silent()
                self.assertEqual(hooks(again), hooks(cdev))
            async with ws.connected(ready=False) as other:
                await self.hello(other, "browser")
                await result(other, "event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}, "dialect": "cdev"})
                await other.silent()
                self.assertEqual(hooks(other), hooks(cdev))
            async with ws.connected(ready=False) as app:
                await self.hello(app)
                await result(app, "event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}})
                await app.silent()
                derived = [name for name in names if name not in ("prompt", "tool_start", "tool", "permission_request")]
                self.assertEqual([event["method"][6:] for event in app.events], derived)
                # After each event, a notification moves the cursor.
                self.assertEqual([event["params"]["seq"] for event in app.events if "more" not in event["params"]], places)


class Replayed(unittest.IsolatedAsyncioTestCase):
    def fill(self):
        """Posts more events than a starting server reads into memory."""
        other = session()
        for _ in range(45):
            ws.post([envelope(hook("PostToolUse", other, tool_name="Read")) for _ in range(100)])

    def restart(self):
        server.stop()
        server.arguments = ["--listen", server.address]
        server.start()

    async def told(self, since, **more):
        async with ws.connected(ready=False) as client:
            await result(client, "initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "cdev-ios", "version": "1"}})
            await result(client, "event/subscribe", {"since": {"epoch": None, "seq": since}, **more})
            while True:
                message = await client.receive()
                if message.get("method") == "event/claude_permission":
                    return message["params"]["payload"]["tool_use_id"]

    async def test_a_permission_keeps_its_id_where_the_start_of_its_call_is_not_read(self):
        chosen = session()
        call = {"tool_name": "Bash", "tool_use_id": "toolu_9", "tool_input": {"command": "rm z"}}
        story(chosen, ("UserPromptSubmit", {"prompt": "go"}), ("PreToolUse", call))
        self.fill()
        place, = story(chosen, ("PermissionRequest", {name: call[name] for name in ("tool_name", "tool_input")}))
        self.restart()
        self.assertEqual(await self.told(place - 1), "toolu_9", "from the memory of a server that has started")
        self.fill()
        self.restart()
        self.assertEqual(await self.told(place - 1, types=["permission_request"]), "toolu_9", "from the database")
