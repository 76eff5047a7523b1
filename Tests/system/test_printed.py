"""The samples of the documents that the first clients were written from, as printed, with MONITOR_COMPAT=seed: two of a REST
interface (`A`, `B`), and cdev's integration guide. Ids are replaced, and where a credential was left out it is added."""

import asyncio
import json
import re
import subprocess
import unittest

import websockets

import harness
import test_chat as chat
import test_project_chat as project_chat
import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, envelope, hook, session
from test_chat import DONE, made

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
FRACTION = re.compile(r'[^\\]"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"')
NEW_PROJECT = {"name": "New Project", "description": "Project description",
               "settings": {"default_model": "claude-3-5-haiku-20241022", "temperature": 0.7}}
CHAT = {"model": "claude-3-5-haiku-20241022", "messages": [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "Explain quantum computing in simple terms."}],
    "temperature": 0.7, "max_tokens": 2000, "stream": False}
ANSWER_A = {"id": "chatcmpl-123", "object": "chat.completion", "created": 1705320000, "model": "claude-3-5-haiku-20241022",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Quantum computing is..."},
                         "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 25, "completion_tokens": 150, "total_tokens": 175}}
ANSWER_B = {**ANSWER_A, "usage": {"input_tokens": 52, "output_tokens": 180, "total_tokens": 232, "total_cost": 0.0011},
            "session_id": "sess_abc", "project_id": "project-123"}
META = {"request_id": "req_123", "timestamp": "2024-01-20T15:30:00Z"}
MODEL = {"id": "claude-3-5-haiku-20241022", "object": "model", "created": 1704067203, "owned_by": "anthropic", "permission": [],
         "root": "claude-haiku-3.5", "parent": None}
PROJECT_A = {"id": "project-123", "name": "iOS Development", "description": "Claude Code iOS app development",
             "created_at": "2024-01-15T10:00:00Z", "updated_at": "2024-01-20T15:30:00Z", "session_count": 5}
PROJECT_B = {"id": "project-123", "name": "My App", "description": "Demo", "path": "/Users/nick/code/repo",
             "created_at": "2025-08-17T10:00:00Z", "updated_at": "2025-08-18T16:50:00Z"}
SESSION_A = {"id": "550e8400-e29b-41d4-a716-446655440000", "project_id": "project-123", "name": "Feature Implementation",
             "created_at": "2024-01-20T10:00:00Z", "last_activity": "2024-01-20T15:30:00Z", "message_count": 42}
STATUS = {"session_id": "sess_abc", "project_id": "project-123", "model": "claude-3-5-haiku-20241022", "is_running": False,
          "created_at": "2025-08-18T18:30:00Z", "updated_at": "2025-08-18T18:32:11Z", "total_tokens": 232,
          "total_cost": 0.0011, "message_count": 3}
STATS = {"active_sessions": 2, "total_tokens": 43000, "total_cost": 0.58, "total_messages": 120}
CAPABILITY = {"id": "claude-3-haiku", "name": "Claude 3 Haiku", "description": "Fast model for coding", "max_tokens": 200000,
              "supports_streaming": True, "supports_tools": True, "pricing": {"input": 0.0008, "output": 0.0016}}
TOOL = {"name": "code_analysis", "description": "Analyze code for issues and improvements", "parameters": {
    "type": "object", "properties": {"code": {"type": "string", "description": "Code to analyze"},
                                     "language": {"type": "string", "description": "Programming language"}}}}
INLINE = {"model": "claude-3-5-haiku-20241022", "project_id": "project-123",
          "messages": [{"role": "user", "content": "Read ./src/index.ts"}], "stream": True,
          "mcp": {"enabled_servers": ["fs-local", "bash"], "enabled_tools": ["fs.read", "fs.write", "bash.run"],
                  "priority": ["fs.read", "bash.run"], "audit_log": True}}
LIST_WORKSPACES = '{"jsonrpc":"2.0","id":1,"method":"workspace/list","params":{}}'


def setUpModule():
    global server, machine, client
    server = Server(MONITOR_COMPAT="seed", MONITOR_RATE_LIMIT="off", MONITOR_LISTEN="127.0.0.1:0,127.0.0.1:0").start()
    chat.server = project_chat.server = rpc.server = ws.server = server
    ws.key = server.key("rpc")
    machine = project_chat.Machine(server)
    machine.agent.answers["chat/run"] = run_chat
    client = made("read", "chat", "control", machines=[machine.name])


def tearDownModule():
    harness.end_everything()


def run_chat(params):
    for piece in ("Quantum", " computing"):
        machine.agent.tell("chat/text", {"session_id": params["session_id"], "text": piece})
    return DONE


def differences(sample, value, place="answer"):
    """The members of the sample that the value lacks, or has in another form, one line each. A null allows anything."""
    if sample is None:
        return []
    if isinstance(sample, dict):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no object"]
        return [line for name, inner in sample.items() for line in (
            differences(inner, value[name], f"{place}.{name}") if name in value else [f"{place}.{name} is missing"])]
    if isinstance(sample, list):
        if not isinstance(value, list):
            return [f"{place}: {value!r} is no array"]
        return [line for element in value for inner in sample[:1] for line in differences(inner, element, place + "[]")]
    kinds = (int, float) if isinstance(sample, (int, float)) and not isinstance(sample, bool) else type(sample)
    if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(sample, bool):
        return [f"{place}: {value!r} is not like {sample!r}"]
    if isinstance(sample, str) and TIME.fullmatch(sample) and not TIME.fullmatch(value):
        return [f"{place}: {value!r} is no time without a fraction"]
    return []


def without(sample, *names):
    """What is left out until it is known."""
    return {name: value for name, value in sample.items() if name not in names}


class Case(unittest.TestCase):
    maxDiff = None

    def ask(self, method, path, body=None, like=None, status=(200, 201), by=None):
        answer = (by or client).request(method, path, body)
        self.assertIn(answer.status, status, answer)
        self.assertNotRegex(answer.body.decode(), FRACTION)
        self.assertEqual(differences(like, answer.json), [], answer)
        return answer.json

    def chat(self, **more):
        return {**CHAT, **more}


class Documents(Case):
    def operator(self):
        return server.client()

    def session(self):
        return self.ask("POST", "/v1/chat/completions", self.chat(project_id=machine.project), ANSWER_A)["session_id"]

    def test_health(self):
        self.ask("GET", "/health", like={"status": "healthy", "version": "1.0.0", "claude_version": None,
                                         "active_sessions": 5, "uptime_seconds": 3600}, by=Client(server.address))
        self.ask("GET", "/health", like={"ok": True, "version": "1.2.3", "active_sessions": 2, "uptime_seconds": 86400},
                 by=Client(server.address))

    def test_models(self):
        found = self.ask("GET", "/v1/models", like={"object": "list", "data": [MODEL]})
        self.assertTrue(found["data"])
        self.ask("GET", "/v1/models/claude-3-5-haiku-20241022",
                 like={**MODEL, "context_window": 200000, "training_data": "2024-10", "meta": META})
        found = self.ask("GET", "/v1/models/capabilities", like={"data": [CAPABILITY]})
        self.assertTrue(found["data"])

    def test_projects(self):
        """The first document prints no path; the second one prints its members without a wrapping, as both do in lists."""
        by = self.operator()
        body = {"name": "My App", "description": "Demo", "path": f"/home/dev/{session()}", "machine_id": machine.name}
        created = self.ask("POST", "/v1/projects", body, {**PROJECT_B, "meta": META}, by=by)
        place = "/v1/projects/" + created["id"]
        self.ask("GET", place, like={**PROJECT_A, "meta": META}, by=by)
        self.ask("PUT", place, {**NEW_PROJECT, "name": "Renamed"}, {**PROJECT_A, "settings": NEW_PROJECT["settings"]}, by=by)
        self.ask("GET", "/v1/projects", like={"projects": [without(PROJECT_A, "description")]}, by=by)
        self.ask("GET", "/v1/projects?page=1&per_page=20", by=by, like={
            "data": [], "meta": {"page": 1, "per_page": 20, "total": 100, "total_pages": 5, **META},
            "links": {"first": "/v1/projects?page=1", "last": "/v1/projects?page=5", "next": None, "prev": None}})
        self.ask("DELETE", place, by=by)

    def test_sessions(self):
        body = {"project_id": machine.project, "model": "claude-3-haiku", "title": "Exploration",
                "system_prompt": "You are a code agent."}
        created = self.ask("POST", "/v1/sessions", body, {"id": "sess_abc", "project_id": "project-123",
                                                          "created_at": "2024-01-15T10:00:00Z", "meta": META})
        place = "/v1/sessions/" + created["id"]
        self.ask("GET", place, like={**without(SESSION_A, "name"), "meta": META})
        self.ask("GET", f"/v1/sessions?project_id={machine.project}", like={"sessions": [without(SESSION_A, "name")]})
        self.ask("GET", place + "/messages", like={"messages": []})
        self.ask("GET", "/v1/sessions/stats", like=STATS)
        self.ask("DELETE", place, by=self.operator())

    def test_a_chat_of_either_document(self):
        chosen = self.session()
        body = self.chat(project_id=machine.project, session_id=chosen)
        self.ask("POST", "/v1/chat/completions", body, {**ANSWER_A, **ANSWER_B, "usage": None})
        body = {"model": "claude-3-5-haiku-20241022", "project_id": machine.project, "stream": False,
                "messages": [{"role": "user", "content": "Initialize a Python app"}],
                "system_prompt": "You are a helpful coding assistant."}
        self.ask("POST", "/v1/chat/completions", body, ANSWER_B)
        self.ask("GET", f"/v1/chat/completions/{chosen}/status", like=without(STATUS, "model", "total_cost"))
        self.assertEqual(self.ask("DELETE", f"/v1/chat/completions/{chosen}")["session_id"], chosen)
        self.ask("POST", "/v1/chat/completions/debug", body)

    def test_the_classes_of_the_first_document(self):
        """`sendMessage` and `streamMessage` send no content type of JSON; `SSEClient` lacks only the line of authorization."""
        body = json.dumps({"model": "claude-3-5-haiku-20241022", "stream": True,
                           "messages": [{"role": "user", "content": "Hello"}]}).encode()
        answer = client.request("POST", "/v1/chat/completions", body, {
            "Accept": "text/event-stream", "Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(answer.status, 200, answer)
        lines = [line[6:] for line in answer.body.decode().splitlines() if line.startswith("data: ")]
        self.assertEqual(lines.pop(), "[DONE]")
        chunks = [json.loads(line) for line in lines]
        for chunk in chunks:
            self.assertEqual(differences({"id": "chatcmpl-123", "object": "chat.completion.chunk", "created": 1705320000,
                                          "model": "claude-3-5-haiku-20241022",
                                          "choices": [{"index": 0, "delta": {}, "finish_reason": None}]}, chunk), [])
        self.assertEqual("".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks), "Quantum computing")
        self.assertEqual(chunks[-1]["choices"][0]["finish_reason"], "stop")

    def test_tools(self):
        """The documents print no server of a tool. Both its lists and the list of all tools have the printed members."""
        place = server.get(f"/v1/projects/{machine.project}").json["path"]
        offered = {"name": TOOL["name"], "description": TOOL["description"], "inputSchema": TOOL["parameters"]}
        machine.agent.answers["mcp/list"] = lambda params: {"directory": place, "is_complete": True, "servers": [{
            "name": "analysis", "scope": "user", "transport": "stdio", "state": "connected", "is_listed": True,
            "is_complete": True, "tools": [offered]}]}
        self.addCleanup(machine.agent.answers.pop, "mcp/list")
        self.ask("POST", "/v1/mcp/refresh", {"project_id": machine.project})
        tools = self.ask("GET", f"/v1/tools?project_id={machine.project}", like={"tools": [TOOL]})["tools"]
        self.assertEqual([(tool["tool"], tool["description"], tool["parameters"]) for tool in tools],
                         [(TOOL["name"], TOOL["description"], TOOL["parameters"])])
        found = self.ask("GET", f"/v1/mcp/servers?project_id={machine.project}")["servers"]
        self.assertEqual([one["name"] for one in found], ["analysis"])
        listed = self.ask("GET", f"/v1/mcp/servers/{found[0]['id']}/tools", like={"tools": [TOOL]})["tools"]
        self.assertEqual(listed, tools)

    def test_tools_inside_a_chat(self):
        body = json.dumps({**INLINE, "project_id": machine.project}).encode()
        answer = client.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        self.assertEqual(answer.status, 200, answer)
        lines = [line[6:] for line in answer.body.decode().splitlines() if line.startswith("data: ")]
        self.assertEqual(lines[-1], "[DONE]")
        limits = [params for method, params in machine.agent.commands if method == "session/tools"]
        self.assertEqual((limits[-1]["enabled_servers"], limits[-1]["enabled_tools"]),
                         (INLINE["mcp"]["enabled_servers"], INLINE["mcp"]["enabled_tools"]))

    def test_errors(self):
        error = self.ask("GET", "/v1/sessions/none", status=(404,), like={
            "error": {"code": "not_found", "message": "Session not found", "status": 404, "type": "not_found_error"}})["error"]
        self.assertEqual((error["code"], error["reason"]), ("not_found", "session_not_found"))
        error = self.ask("POST", "/v1/chat/completions", {"messages": []}, status=(400,), like={
            "error": {"code": "bad_request", "message": "Details...", "status": 400, "type": "invalid_request_error",
                      "param": "messages"}})["error"]
        self.assertEqual((error["code"], error["reason"]), ("bad_request", "missing_messages"))

    def test_a_document_that_can_be_kept_still_says_that_it_has_not_changed(self):
        first = client.get("/v1/models")
        again = client.get("/v1/models", **{"If-None-Match": first.headers["etag"]})
        self.assertEqual((again.status, again.body), (304, b""))
        packed = client.get("/v1/models", **{"Accept-Encoding": "gzip"})
        self.assertEqual(packed.status, 200, packed)


class Sockets(unittest.IsolatedAsyncioTestCase):
    def url(self, path, credential=None, more=""):
        return f"ws://{server.address}{path}?key={credential or client.credential}{more}"

    def happen(self, chosen, *events):
        return ws.post([envelope(dict(hook(name, chosen, **fields), cwd="/home/dev/printed")) for name, fields in events])

    async def event(self, wire, wanted, of):
        while True:
            text = await asyncio.wait_for(wire.recv(), 20)
            message = json.loads(text)
            if message.get("event") == wanted and message.get("session_id") == of:
                self.assertNotRegex(text if isinstance(text, str) else text.decode(), FRACTION)
                return message

    async def test_wscat(self):
        async with websockets.connect(self.url("/ws")) as wire:
            await wire.send(LIST_WORKSPACES)
            answer = json.loads(await asyncio.wait_for(wire.recv(), 20))
            self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", 1))
            self.assertEqual(differences({"workspaces": [{
                "id": "ws-abc123", "name": "my-project", "path": None, "auto_start": False,
                "created_at": "2024-12-24T10:00:00Z", "sessions": [], "active_session_count": 1}]}, answer["result"]), [])
            chosen = session()
            self.happen(chosen, ("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "go"}),
                        ("Stop", {"last_assistant_message": "Here's how to refactor..."}))
            message = await self.event(wire, "claude_message", chosen)
            self.assertEqual(differences({"event": "claude_message", "timestamp": "2024-12-24T10:35:00Z",
                                          "workspace_id": "ws-abc123", "session_id": "sess-xyz789",
                                          "payload": {"type": "assistant", "role": "assistant", "content": []}}, message), [])

    async def test_the_class_of_the_guide(self):
        """It writes and reads binary messages, and calls its methods at once."""
        async with websockets.connect(self.url("/ws")) as wire:
            await wire.send(LIST_WORKSPACES.encode())
            answer = await asyncio.wait_for(wire.recv(), 20)
            self.assertIsInstance(answer, bytes)
            self.assertIn("workspaces", json.loads(answer)["result"])
            chosen = session()
            self.happen(chosen, ("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "go"}),
                        ("Stop", {"last_assistant_message": "Done."}))
            self.assertEqual((await self.event(wire, "claude_message", chosen))["params"]["session_id"], chosen)

    async def test_a_client_that_opens_the_session_is_served_as_ever(self):
        async with websockets.connect(self.url("/ws")) as wire:
            client = ws.Socket(wire)
            welcome = await client.initialize()
            self.assertIn("clientId", welcome)
            chosen = session()
            places = self.happen(chosen, ("SessionStart", {"source": "startup"}))
            await client.until(places[-1])
            self.assertEqual(client.events[-1]["method"], "event/session_start")
            self.assertEqual(client.events[-1]["params"]["timestamp"], client.events[-1]["timestamp"])

    async def test_the_socket_of_a_session(self):
        chosen = Documents().session()
        async with websockets.connect(self.url("/v1/ws", server.admin, f"&session_id={chosen}")) as wire:
            before = len(machine.sent)
            await wire.send(json.dumps({"type": "message", "data": {"content": "User message",
                                                                    "model": "claude-3-5-haiku-20241022"}}))
            await asyncio.to_thread(machine.wait_for_message, before + 1)
            self.assertEqual(machine.sent[before]["content"], "User message")

    async def test_a_credential_counts_in_the_url_of_sockets_only(self):
        self.assertEqual(await self.status("/ws"), 401)
        self.assertEqual(await self.status("/ws?key=wrong"), 401)
        self.assertEqual(await self.status("/ws?key="), 401)
        self.assertEqual(await self.status(f"/api/agent?key={machine.key}"), 401)
        self.assertEqual(await self.status(f"/ws?key={machine.key}"), 403)
        self.assertEqual(Client(server.address).get(f"/v1/sessions?key={client.credential}").status, 401)
        self.assertNotIn(client.credential, server.text())

    async def status(self, path):
        try:
            async with websockets.connect(f"ws://{server.address}{path}"):
                return 101
        except websockets.InvalidStatusCode as refused:
            return refused.status_code


class Start(unittest.TestCase):
    def program(self, **settings):
        own = {"MONITOR_DATA_DIR": "/tmp/none-such", "MONITOR_COMPAT": "seed", **settings}
        return subprocess.run([harness.SERVER, "check-config"], text=True, capture_output=True, timeout=30, cwd="/",
                              env=harness.environment(**own))

    def test_only_this_computer_reaches_such_a_server(self):
        for settings, word in (({"MONITOR_LISTEN": "0.0.0.0:8766"}, "loopback"), ({"MONITOR_LISTEN": "[::]:8766"}, "loopback"),
                               ({"MONITOR_LISTEN": "127.0.0.1:1,10.0.0.7:8766"}, "10.0.0.7:8766"),
                               ({"MONITOR_LISTEN": "example.org:8766"}, "loopback"),
                               ({"MONITOR_TRUSTED_PROXIES": "127.0.0.1"}, "MONITOR_TRUSTED_PROXIES"),
                               ({"MONITOR_COMPAT": "other"}, "MONITOR_COMPAT")):
            done = self.program(**settings)
            self.assertNotEqual(done.returncode, 0, settings)
            self.assertIn(word, done.stderr)
        for settings in ({}, {"MONITOR_LISTEN": "127.0.0.1:1,[::1]:2,localhost:3,unix:/tmp/x"}):
            self.assertEqual(self.program(**settings).returncode, 0, settings)

    def test_both_ports_answer(self):
        addresses = re.findall(r"http://(127\.0\.0\.1:\d+)", server.output.read_text().splitlines()[0])
        self.assertEqual(len(set(addresses)), 2)
        for address in addresses:
            self.assertEqual(Client(address).get("/health").status, 200)

    def test_what_a_proxy_has_passed_on_is_refused(self):
        for name, value in (("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https"),
                            ("X-Forwarded-Host", "example.org"), ("Via", "1.1 proxy")):
            answer = server.client().get("/v1/sessions", **{name: value})
            self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "forwarded_request"), name)

    def test_without_the_setting_all_this_is_off(self):
        usual = Server(MONITOR_COMPAT="off").start()
        self.addCleanup(usual.end)
        self.assertRegex(usual.client().get("/v1/me").body.decode() + json.dumps(usual.get("/v1/projects").json["meta"]),
                         r"\.\d{3}Z")
        self.assertEqual(usual.get("/v1/sessions/none").json["error"]["code"], "session_not_found")
        self.assertEqual(usual.client().get("/v1/sessions", **{"X-Forwarded-For": "192.0.2.1"}).status, 200)

        async def opened():
            async with websockets.connect(f"ws://{usual.address}/ws?key={usual.admin}"):
                pass
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            asyncio.run(opened())
        self.assertIn(refused.exception.status_code, (400, 401))


if __name__ == "__main__":
    unittest.main()
