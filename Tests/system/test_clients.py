"""Clients and senders that were written for other servers, and what they rely on: cdev's app, generic JSON-RPC clients, the
suite of claude-code-api, and the hook senders of two other monitors."""

import asyncio
import json
import unittest

import harness
import test_devices as devices
import test_rpc as rpc
import test_walks as walks
import test_websocket as ws
from harness import Client, hook, session

# The characters at which Foundation's CharacterSet.newlines and Python's str.splitlines split a text.
SEPARATORS = "\u0085\u2028\u2029"


def setUpModule():
    walks.setUpModule()
    global server, key
    server = walks.server
    key = ws.key


def tearDownModule():
    walks.tearDownModule()


class Pairing(devices.DeviceCase):
    """cdev's app exchanges only tokens that begin with `cdev_p_`, and refuses an empty `repo`."""

    def exchanged(self, token):
        answer = devices.patiently(devices.Stranger(server.address), "POST", "/api/auth/exchange", {"pairing_token": token})
        return answer.status == 200 and devices.reads(answer.json["access_token"]) == 200

    def test_the_token_of_the_qr_code(self):
        info = server.get("/api/pair/info").json
        self.assertRegex(info["token"], r"^cdev_p_[0-9A-Za-z]{22}$")
        self.assertTrue(info["repo"])
        self.assertTrue(self.exchanged(info["token"]))
        self.assertFalse(self.exchanged(info["token"]))

    def test_both_prefixes_are_one_token(self):
        made = devices.invite()
        self.assertEqual(made["cdev_token"], "cdev_p_" + made["pairing_token"].removeprefix("cmp_"))
        self.assertTrue(self.exchanged(made["cdev_token"]))
        self.assertFalse(self.exchanged(made["pairing_token"]))

    def test_a_code_after_asking_without_a_credential(self):
        client = devices.Stranger(server.address)
        asked = client.get("/api/pair/info")
        self.assertEqual((asked.status, asked.headers["cache-control"]), (200, "no-store"))
        self.assertEqual({name: asked.json[name] for name in ("ws", "http", "session", "auth_required")},
                         {"ws": f"ws://{server.address}/ws", "http": server.url, "session": "", "auth_required": True})
        self.assertTrue(asked.json["repo"])
        self.assertEqual(set(asked.json), {"ws", "http", "session", "repo", "auth_required"})
        answer = devices.patiently(client, "POST", "/api/pair/code", {"code": devices.invite()["code"]})
        self.assertRegex(answer.json["pairing_token"], r"^cdev_p_")
        self.assertTrue(self.exchanged(answer.json["pairing_token"]))

    def test_a_credential_that_may_not_counts_as_none_and_opens_nothing(self):
        def opened():
            return len(server.get("/v1/audit?action=pairing.create&limit=200").json["data"])
        before = opened()
        without = Client(server.address).get("/api/pair/info").json
        for credential in ("wrong", key, walks.device, "cdev_p_" + "x" * 22):
            answer = Client(server.address, credential).get("/api/pair/info")
            self.assertEqual((answer.status, answer.json), (200, without), credential)
        self.assertEqual(opened(), before)


class LineSeparators(unittest.IsolatedAsyncioTestCase):
    """Clients that split the received text into lines must not split a message."""

    text = f"one{SEPARATORS}two"

    def story(self, chosen):
        return rpc.story(chosen, ("UserPromptSubmit", {"prompt": self.text}),
                         ("Stop", {"last_assistant_message": self.text}), home="/srv/lines")

    def clean(self, data):
        text = data if isinstance(data, str) else data.decode()
        self.assertFalse(set(SEPARATORS) & set(text), text[:500])
        return text

    async def test_frames_of_every_kind(self):
        chosen = session()
        places = self.story(chosen)
        for name in ("cdev-ios", "other"):
            async with ws.connected(server, ready=False) as client:
                await rpc.result(client, "initialize", {"protocolVersion": "1.0", "clientInfo": {"name": name}})
                await client.send("event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}, "session_id": chosen,
                                                      "types": ["prompt", "stop"]})
                await client.send("session/messages", {"session_id": chosen}, id="messages")
                await client.send("session/elements", {"session_id": chosen}, id="elements")
                await client.send("event/replay", {"since": {"epoch": None, "seq": places[0] - 1}}, id="replay")
                wanted, prompts = {"messages", "elements", "replay"}, []
                while wanted or len(prompts) < 1:
                    message = json.loads(self.clean(await asyncio.wait_for(client.wire.recv(), 10)))
                    wanted.discard(message.get("id"))
                    if message.get("method") == "event/prompt":
                        prompts.append(message["params"]["payload"]["prompt"])
                self.assertEqual(prompts, [self.text])

    async def test_answers_of_http_and_event_streams(self):
        chosen = session()
        places = self.story(chosen)
        for path in (f"/v1/sessions/{chosen}/events", f"/v1/sessions/{chosen}/messages", f"/v1/sessions/{chosen}",
                     "/v1/sessions"):
            self.clean(server.get(path).body)
        events = server.get(f"/v1/sessions/{chosen}/events").json["events"]
        self.assertEqual(events[0]["payload"]["prompt"], self.text)
        stream = (f"GET /v1/sessions/{chosen}/events?since={events[0]['epoch']}:{places[0] - 1} HTTP/1.1\r\n"
                  f"Host: {server.address}\r\nAuthorization: Bearer {server.admin}\r\n"
                  "Accept: text/event-stream\r\n\r\n").encode()
        told, _ = harness.exchange(server.address, stream, until_closed=False)
        self.assertIn(b"one\\u0085\\u2028\\u2029two", told)
        self.clean(told)


def reported(chosen):
    """What was reported of a session. The server adds what became of its prompts by itself, and later."""
    return [event["event_id"] for event in server.events(f"limit=200&session_id={chosen}")
            if not event["type"].startswith("prompt_")]


class Sessions(unittest.IsolatedAsyncioTestCase):
    """cdev's app opens a workspace without a running session by `session/start`. It shows a sheet about git first, unless the
    server says that the workspace is a repository."""

    async def test_ended_work_can_be_opened(self):
        chosen, home = session(), "/srv/" + session()
        rpc.story(chosen, *rpc.TURN, ("Stop", {}), ("SessionEnd", {"reason": "other"}), home=home)
        place = {"workspace_id": walks.workspace_of(chosen)}
        before = reported(chosen)
        async with walks.visit() as client:
            listed = (await rpc.result(client, "workspace/list", {}))["workspaces"]
            shown = next(entry for entry in listed if entry["id"] == place["workspace_id"])
            self.assertEqual((shown["has_active_session"], shown["is_git_repo"], shown["git_state"]), (False, True, "unknown"))
            for params in (place, {**place, "session_id": chosen}, {**place, "resume_session_id": chosen}):
                opened = await rpc.result(client, "session/start", {**params, "agent_type": "claude"})
                self.assertEqual((opened["session_id"], opened["id"], opened["workspace_id"], opened["status"]),
                                 (chosen, chosen, place["workspace_id"], "existing"))
            page = await rpc.result(client, "session/messages", {"session_id": chosen})
            self.assertTrue(page["messages"])
            self.assertEqual((await rpc.failure(client, "session/start", {**place, "session_id": "none"}))["code"], -32004)
        self.assertEqual(reported(chosen), before)
        listed = server.get("/v1/sessions?status=all&limit=200").json["sessions"]
        self.assertEqual([entry["id"] for entry in listed if entry["project_path"] == home], [chosen])

    async def test_beside_a_running_session_none_is_started(self):
        chosen, home = session(), "/srv/" + session()
        rpc.story(chosen, *rpc.TURN, home=home)
        place = {"workspace_id": walks.workspace_of(chosen)}
        async with walks.visit() as client:
            self.assertEqual((await rpc.failure(client, "session/start", place))["code"], -32004)
            opened = await rpc.result(client, "session/start", {**place, "session_id": chosen})
            self.assertEqual((opened["status"], opened["source"]), ("existing", "live"))


class Permissions(unittest.IsolatedAsyncioTestCase):
    """`pty_permission_resolved` removes the app's banner."""

    async def banner(self, *after, since=None):
        """What a client receives about a permission and afterwards: the dialog, and how it ended."""
        chosen = session()
        async with walks.visit() as client:
            places = rpc.story(chosen, ("UserPromptSubmit", {"prompt": "go"}), rpc.ASK, *after, home="/srv/banner")
            while not client.events or client.events[-1]["params"]["seq"] < places[-1] \
                    or "more" in client.events[-1]["params"]:
                await client.receive()
        async with walks.visit() as again:
            await rpc.result(again, "event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}})
            await again.silent()
        def hooks(events):
            """The events without the server's own ones about the prompt, which may come at any time."""
            return [e for e in events if e["params"]["session_id"] == chosen
                    and not e["method"].startswith("event/prompt_")]
        self.assertEqual(hooks(again.events), hooks(client.events))
        told = {event["method"]: event["params"]["payload"] for event in client.events}
        return told["event/pty_permission"], told.get("event/pty_permission_resolved"), chosen

    async def test_allowed_in_the_terminal(self):
        name, fields = rpc.ASK
        shown, ended, chosen = await self.banner(
            ("PostToolUse", {**fields, "tool_use_id": "t7", "tool_response": {"stdout": ""}}))
        self.assertEqual(ended, {"tool_use_id": shown["tool_use_id"], "session_id": chosen, "resolved_by": "terminal",
                                 "decision": "allow"})

    async def test_passed_over(self):
        for after in (("Stop", {}), ("UserPromptSubmit", {"prompt": "no, rather this"}), ("SessionEnd", {"reason": "other"})):
            shown, ended, chosen = await self.banner(after)
            self.assertEqual(ended, {"tool_use_id": shown["tool_use_id"], "session_id": chosen, "resolved_by": "terminal"})

    async def test_allowed_with_another_input(self):
        shown, ended, _ = await self.banner(("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -i x"},
                                                             "tool_use_id": "t7", "tool_response": {}}))
        self.assertEqual((ended["tool_use_id"], ended["decision"]), (shown["tool_use_id"], "allow"))

    async def test_the_result_of_another_call_leaves_it(self):
        other = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t8"}
        _, ended, _ = await self.banner(("PreToolUse", other), ("PostToolUse", {**other, "tool_response": {}}))
        self.assertIsNone(ended)


class Lists(unittest.TestCase):
    """The shapes that the suite of claude-code-api expects."""

    def test_pages_have_the_same_members_whichever_way_they_are_asked_for(self):
        rpc.story(session(), *rpc.TURN, home="/srv/lists")
        for path in ("/v1/sessions", "/v1/projects"):
            for query in ("", "?limit=1", "?page=1", "?page=1&per_page=1"):
                with self.subTest(path + query):
                    answer = server.get(path + query)
                    found = answer.json
                    self.assertLessEqual({"data", "meta", "links", "pagination"}, set(found))
                    self.assertEqual({"page", "per_page", "total_items", "total_pages", "has_next", "has_prev"},
                                     set(found["pagination"]))
                    self.assertEqual({"first", "last", "next", "prev"}, set(found["links"]))
                    self.assertEqual(found["meta"]["request_id"], answer.headers["x-request-id"])
                    self.assertTrue(found["meta"]["timestamp"].endswith("Z"))
                    counted = isinstance(found["pagination"]["total_items"], int)
                    self.assertEqual(counted, path == "/v1/sessions" or "page=" in query)

    def test_the_link_to_the_next_page_leads_there(self):
        for _ in range(3):
            rpc.story(session(), *rpc.TURN[:1], home="/srv/" + session())
        for path in ("/v1/sessions", "/v1/projects"):
            seen, page = [], server.get(path + "?limit=1").json
            while len(seen) < 3:
                seen += [entry["id"] for entry in page["data"]]
                page = server.get(page["links"]["next"]).json
            self.assertEqual(len(set(seen)), 3)

    def test_a_project_has_a_path_or_null(self):
        made = server.client().request("POST", "/v1/projects", {"name": "Test Project", "description": "d"})
        self.assertEqual(made.status, 200, made)
        self.assertIn("path", made.json)
        self.assertIsNone(made.json["path"])

    def test_models_by_their_dated_ids(self):
        for dated in ("claude-opus-4-6-20260205", "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929",
                      "claude-haiku-4-5-20251001", "claude-opus-4-6-20990101"):
            answer = server.get("/v1/models/" + dated)
            self.assertEqual((answer.status, answer.json.get("id"), answer.json.get("object")), (200, dated, "model"))
        self.assertEqual(server.get("/v1/models/claude-opus-4-6").json["id"], "claude-opus-4-6")
        for unknown in ("gpt-4", "nonexistent-model", "claude-opus-9-20990101"):
            self.assertEqual(server.get("/v1/models/" + unknown).status, 404)


class Senders(unittest.TestCase):
    """Machines that report to another monitor can report here with the same sender."""

    def setUp(self):
        self.client, self.session = Client(server.address, key), session()
        self.addCleanup(self.client.close)

    def stored(self):
        return server.events(f"session_id={self.session}&limit=200")

    def test_source_app(self):
        data = hook("PreToolUse", self.session, tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")
        answer = self.client.request("POST", "/events", {
            "source_app": "web", "session_id": self.session, "hook_event_type": "PreToolUse", "payload": data,
            "timestamp": 1767607200123, "model_name": "opus", "tool_name": "Bash", "tool_use_id": "t1",
            "chat": [{"type": "user", "text": "the whole transcript"}]})
        self.assertEqual((answer.status, answer.json["ok"]), (200, True), answer)
        event, = self.stored()
        self.assertEqual((event["event_id"], event["seq"]), (answer.json["event_id"], answer.json["seq"]))
        self.assertEqual((event["type"], event["hook_event_name"], event["tool_name"], event["summary"]),
                         ("tool_start", "PreToolUse", "Bash", "ls"))
        self.assertEqual(event["timestamp"], "2026-01-05T10:00:00.123Z")
        self.assertEqual(event["payload"]["_envelope"], {"source_app": "web", "model_name": "opus"})
        self.assertNotIn("transcript\"", json.dumps(event))
        self.assertEqual(server.get(f"/v1/sessions/{self.session}").json["id"], self.session)

    def test_hook_type(self):
        data = hook("UserPromptSubmit", self.session, prompt="hello")
        for headers in ({}, {"Authorization": None, "x-ccam-hook-token": key}):
            answer = self.client.request("POST", "/api/hooks/event", {"hook_type": "UserPromptSubmit", "data": data}, headers)
            self.assertEqual((answer.status, answer.json["ok"]), (200, True), answer)
        first, second = self.stored()
        self.assertEqual((first["type"], first["payload"]), ("prompt", data))
        self.assertEqual(second["payload"], data)

    def test_only_with_a_key(self):
        bodies = {"/events": {"source_app": "a", "session_id": self.session, "hook_event_type": "Stop",
                              "payload": hook("Stop", self.session), "timestamp": 1767607200123},
                  "/api/hooks/event": {"hook_type": "Stop", "data": hook("Stop", self.session)}}
        for path, body in bodies.items():
            for credential, headers, status in [(None, {}, 401), ("wrong", {}, 401), (walks.device, {}, 403),
                                                (None, {"x-ccam-hook-token": "wrong"}, 401)]:
                with self.subTest(path, status=status):
                    self.assertEqual(Client(server.address, credential).request("POST", path, body, headers).status, status)
        # That sender sends its credential only in the header.
        for path in ("/events", "/api/hooks", "/api/events"):
            answer = Client(server.address).request("POST", path, bodies["/events"], {"x-ccam-hook-token": key})
            self.assertEqual(answer.status, 401, answer)
        self.assertEqual(Client(server.address).get("/v1/sessions", **{"x-ccam-hook-token": server.admin}).status, 401)
        self.assertEqual(self.stored(), [])

    def test_what_is_malformed_is_400(self):
        for path, body in [("/events", {"hook_event_type": "Stop"}), ("/events", {"payload": {}}), ("/events", []),
                           ("/events", {"hook_event_type": "Stop", "payload": {}, "timestamp": "now"}),
                           ("/api/hooks/event", {"hook_type": "Stop"}), ("/api/hooks/event", {"data": []})]:
            answer = self.client.request("POST", path, body)
            self.assertEqual((answer.status, answer.json["error"]["type"]), (400, "invalid_request_error"), (path, body))
        for path in ("/events", "/api/hooks/event"):
            self.assertEqual(self.client.get(path).status, 405)
