"""The endpoint of the Model Context Protocol: both kinds of revisions, who reads what, and what is refused."""

import base64
import http.client
import json
import pathlib
import subprocess
import unittest
import uuid

import harness
import test_devices as devices
import test_rpc as rpc
import test_websocket as ws
from harness import PATIENCE, Client, Server, session, wait_for

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"
MODERN = "2026-07-28"
TOOLS = ["list_sessions", "get_session", "get_messages", "search", "get_changes", "get_usage", "list_machines", "list_projects",
         "list_prompts", "wait_for_session"]
# For callers that may run tools of machines, such as the operator.
RUNNING = ["search_tools", "call_tool"]
# Machines also ask a person, but read no changes.
MACHINE_TOOLS = [name for name in TOOLS if name != "get_changes"] + ["ask_person"]
MEMBER = "io.modelcontextprotocol/"
WORD = "xylophone"


def setUpModule():
    global server, machine, mine, other
    server = rpc.server = ws.server = devices.server = Server(MONITOR_RATE_LIMIT="off").start()
    machine = {name: server.key(name) for name in ("mac", "build")}
    mine, other = session(), session()
    for name, chosen in (("mac", mine), ("build", other)):
        ws.key = machine[name]
        rpc.story(chosen, *rpc.TURN, ("UserPromptSubmit", {"prompt": f"the {WORD} of {name}"}),
                  ("PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": f"echo {WORD}"}}),
                  home=f"/home/dev/{name}")
    server.read_derived(f"/v1/search?q={WORD}")


def tearDownModule():
    harness.end_everything()


def api_key(*capabilities):
    answer = server.client().request("POST", "/v1/api-keys", {"name": f"key-{uuid.uuid4()}", "capabilities": list(capabilities)})
    assert answer.status == 201, answer
    return answer.json


def message(method, params=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def modern(method, params=None, **changed):
    """The message and the headers of the stateless revision."""
    meta = {MEMBER + "protocolVersion": MODERN, MEMBER + "clientCapabilities": {},
            MEMBER + "clientInfo": {"name": "test", "version": "1"}}
    params = {**(params or {}), "_meta": {**meta, **(params or {}).get("_meta", {})}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return message(method, params), {**headers, **changed}


def post(body, headers=None, credential=None):
    client = Client(server.address, credential or server.admin)
    try:
        return client.request("POST", "/mcp", body, headers)
    finally:
        client.close()


def call(tool, arguments=None, credential=None):
    """What a tool gives: the data, or the text of its error."""
    answer = post(message("tools/call", {"name": tool, "arguments": arguments or {}}), credential=credential)
    assert answer.status == 200, answer
    result = answer.json["result"]
    return result["content"][0]["text"] if result["isError"] else result["structuredContent"]


class Stateless(unittest.TestCase):
    def ask(self, method, params=None, credential=None, **changed):
        return post(*modern(method, params, **changed), credential)

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)

    def test_discovery(self):
        answer = self.ask("server/discover")
        result = answer.json["result"]
        self.assertEqual((answer.status, answer.json["id"], result["resultType"], result["supportedVersions"]),
                         (200, 1, "complete", [MODERN]))
        self.assertEqual(result["capabilities"], {"tools": {}})
        self.assertEqual((result["ttlMs"], result["cacheScope"]), (0, "private"))
        self.assertEqual(result["_meta"][MEMBER + "serverInfo"]["name"], "claude-code-monitor")

    def test_the_tools_are_described_and_only_read(self):
        result = self.ask("tools/list").json["result"]
        self.assertEqual([tool["name"] for tool in result["tools"]], TOOLS + RUNNING)
        for tool in result["tools"][:len(TOOLS)]:
            with self.subTest(tool["name"]):
                self.assertEqual(tool["inputSchema"]["type"], "object")
                self.assertEqual((tool["annotations"]["readOnlyHint"], tool["annotations"]["destructiveHint"]), (True, False))
                for argument in tool["inputSchema"]["properties"].values():
                    self.assertTrue(argument["description"])
        self.assertEqual(result["tools"], self.ask("tools/list").json["result"]["tools"])

    def test_a_call(self):
        result = self.ask("tools/call", {"name": "get_session", "arguments": {"session_id": mine}}).json["result"]
        self.assertEqual((result["resultType"], result["isError"], result["structuredContent"]["id"]), ("complete", False, mine))
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])

    def test_headers_repeat_the_message(self):
        params = {"name": "list_machines", "arguments": {}}
        for changed in ({"MCP-Protocol-Version": None}, {"MCP-Protocol-Version": "2025-11-25"}, {"Mcp-Method": None},
                        {"Mcp-Method": "tools/list"}, {"Mcp-Name": None}, {"Mcp-Name": "search"},
                        {"Mcp-Name": "List_machines"}):
            with self.subTest(changed):
                self.refused(self.ask("tools/call", params, **changed), 400, -32020)
        name = f"=?base64?{base64.b64encode(b'list_machines').decode()}?="
        self.assertEqual(self.ask("tools/call", params, **{"Mcp-Name": name}).status, 200)

    def test_a_revision_that_is_not_served(self):
        odd = {"_meta": {MEMBER + "protocolVersion": "1900-01-01"}}
        answer = self.ask("tools/list", odd, **{"MCP-Protocol-Version": "1900-01-01"})
        self.refused(answer, 400, -32022)
        self.assertEqual(answer.json["error"]["data"], {"supported": [MODERN], "requested": "1900-01-01"})

    def test_what_a_message_must_have(self):
        for missing in ("protocolVersion", "clientCapabilities"):
            body, headers = modern("tools/list")
            del body["params"]["_meta"][MEMBER + missing]
            with self.subTest(missing):
                self.refused(post(body, headers), 400, -32602)

    def test_unknown_methods_and_tools(self):
        for method in ("resources/list", "prompts/list", "ping", "initialize", "subscriptions/listen", "x"):
            with self.subTest(method):
                self.refused(self.ask(method), 404, -32601)
        answer = self.ask("tools/call", {"name": "deny", "arguments": {}})
        self.refused(answer, 200, -32602)
        self.assertEqual(answer.json["error"]["message"], "Unknown tool: deny")

    def test_a_notification_has_no_answer(self):
        body, headers = modern("notifications/cancelled")
        del body["id"]
        answer = post(body, headers)
        self.assertEqual((answer.status, answer.body), (202, b""))


class WithInitialize(unittest.TestCase):
    def test_a_conversation(self):
        for version, given in (("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25")):
            with self.subTest(version):
                answer = post(message("initialize", {"protocolVersion": version, "capabilities": {},
                                                     "clientInfo": {"name": "test", "version": "1"}}))
                result = answer.json["result"]
                self.assertEqual((result["protocolVersion"], result["serverInfo"]["name"]), (given, "claude-code-monitor"))
                self.assertNotIn("mcp-session-id", answer.headers)
                headers = {"MCP-Protocol-Version": given}
                self.assertEqual(post({"jsonrpc": "2.0", "method": "notifications/initialized"}, headers).status, 202)
                listed = post(message("tools/list"), headers).json["result"]
                self.assertEqual([tool["name"] for tool in listed["tools"]], TOOLS + RUNNING)
                self.assertNotIn("resultType", listed)
                self.assertEqual(post(message("ping"), headers).json["result"], {})

    def test_an_unknown_method_does_not_look_like_a_lost_endpoint(self):
        answer = post(message("resources/list"), {"MCP-Protocol-Version": "2025-11-25"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (200, -32601))

    def test_an_unknown_revision(self):
        self.assertEqual(post(message("tools/list"), {"MCP-Protocol-Version": "2024-01-01"}).status, 400)

    def test_discovery_needs_its_header(self):
        answer = post(message("server/discover"))
        self.assertEqual((answer.status, answer.json["error"]["code"]), (400, -32020))

    def test_bodies_that_are_no_message(self):
        call = message("ping")
        for body, code in ((b"{", -32700), ([call, call], -32600), ([], -32600), ("x", -32600), ({**call, "id": None}, -32600),
                           ({**call, "id": 1.5}, -32600), ({**call, "jsonrpc": "1.0"}, -32600),
                           ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600), ({**call, "params": [1]}, -32602)):
            with self.subTest(body):
                answer = post(body)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (400, code), answer)

    def test_malformed_calls(self):
        for params in ({}, {"name": 1}, {"name": "search", "arguments": []}, {"name": "nothing"}):
            with self.subTest(params):
                answer = post(message("tools/call", params))
                self.assertEqual((answer.status, answer.json["error"]["code"]), (200, -32602), answer)


class Transport(unittest.TestCase):
    def test_other_methods(self):
        for method, others in (("GET", "POST"), ("DELETE", "POST, GET"), ("PUT", "POST, GET")):
            for headers in ({}, {"Last-Event-ID": "1"}, {"Accept": "text/event-stream"}):
                with self.subTest(method, **headers):
                    answer = server.client().request(method, "/mcp", None, headers)
                    self.assertEqual((answer.status, answer.headers["allow"]), (405, others), answer)

    def test_pages_of_other_origins_are_refused(self):
        for origin in ("https://evil.example", "null", "http://localhost:1", f"https://{server.address}.evil.example"):
            with self.subTest(origin):
                answer = post(message("ping"), {"Origin": origin})
                self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "origin_not_allowed"), answer)

    def test_the_servers_own_page_and_listed_ones_may_call(self):
        answer = post(message("ping"), {"Origin": server.url})
        self.assertEqual((answer.status, answer.headers["access-control-allow-origin"]), (200, server.url), answer)
        own = Server(MONITOR_ALLOWED_ORIGINS="https://inspector.example").start()
        self.addCleanup(own.end)
        answer = own.client().request("POST", "/mcp", message("ping"), {"Origin": "https://inspector.example"})
        self.assertEqual(answer.status, 200, answer)

    def test_other_hosts_are_refused(self):
        self.assertEqual(post(message("ping"), {"Host": "evil.example"}).status, 421)

    def test_the_places_where_clients_look_for_a_login_are_json_404(self):
        for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
                     "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
                     "/.well-known/openid-configuration", "/mcp/.well-known/openid-configuration"):
            with self.subTest(path):
                answer = Client(server.address).get(path)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "not_found"), answer)
        answer = Client(server.address).request("POST", "/register", {"redirect_uris": []})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "not_found"), answer)

    def test_a_large_message_is_refused_before_it_is_read(self):
        body = message("tools/call", {"name": "search", "arguments": {"q": "x" * (10 << 20)}})
        answer = harness.exchange(server.address, (
            f"POST /mcp HTTP/1.1\r\nHost: {server.address}\r\nAuthorization: Bearer {server.admin}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(json.dumps(body))}\r\n\r\n").encode(), until_closed=False)[0]
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer[:200])

    def test_deep_and_long_arguments(self):
        text = json.dumps(message("tools/call", {"name": "search", "arguments": {"q": 0}}))
        answer = post(text.replace("0}", "[" * 500 + "]" * 500 + "}").encode())
        self.assertEqual((answer.status, answer.json["error"]["code"]), (400, -32700), answer)
        self.assertIn("invalid_parameter", call("search", {"q": "x" * 100_000}))

    def test_long_ids_are_refused(self):
        self.assertEqual(post(message("ping", number="i" * 1024)).json["id"], "i" * 1024)
        answer = post(message("ping", number="i" * 1025))
        self.assertEqual((answer.status, answer.json["id"], answer.json["error"]["code"]), (400, None, -32600), answer)

    def test_text_of_the_caller_moves_no_cursor(self):
        answer = post(message("tools/call", {"name": "\x1b[2Jx\u202e"}))
        self.assertEqual(answer.json["error"]["message"], "Unknown tool: \ufffd[2Jx\ufffd")
        told = call("search", {"\x1b]0;x\x07": "y"})
        self.assertIn("invalid_parameter", told)
        self.assertNotRegex(told, "[\x00-\x1f\x7f-\x9f]")


class Credentials(unittest.TestCase):
    def test_none_and_wrong_ones(self):
        for headers in ({}, {"Authorization": "Bearer cmk_" + "a" * 36}, {"Cookie": f"monitor_session={server.admin}"}):
            with self.subTest(headers):
                answer = Client(server.address).request("POST", "/mcp", message("ping"), headers)
                self.assertEqual((answer.status, answer.headers["www-authenticate"]), (401, "Bearer"), answer)
        answer = Client(server.address).request("POST", f"/mcp?key={server.admin}", message("ping"))
        self.assertEqual(answer.status, 401, answer)

    def test_a_browsers_cookie_is_no_credential(self):
        code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
        page = {"Origin": server.url}
        answer = Client(server.address).request("POST", "/web/session", {"secret": code, "name": "page"}, page)
        self.assertEqual(answer.status, 200, answer)
        cookie = answer.headers["set-cookie"].partition(";")[0]
        answer = Client(server.address).request("POST", "/mcp", message("ping"), {**page, "Cookie": cookie})
        self.assertEqual(answer.status, 401, answer)

    def test_a_device_a_program_and_the_operator_read_everything(self):
        for credential in (devices.pair("mcp")["access_token"], api_key("read")["key"], server.admin):
            found = [entry["id"] for entry in call("list_sessions", credential=credential)["sessions"]]
            self.assertLessEqual({mine, other}, set(found))
        answer = Client(server.address).request("POST", "/mcp", message("ping"), {"x-api-key": api_key("read")["key"]})
        self.assertEqual(answer.status, 200, answer)

    def test_a_program_that_may_not_read_has_no_tools(self):
        key = api_key("chat")["key"]
        self.assertEqual(post(message("tools/list"), credential=key).json["result"]["tools"], [])
        for tool in TOOLS:
            arguments = {"session_id": mine} if "session" in tool.replace("list_sessions", "") else {}
            self.assertIn("insufficient_scope", call(tool, arguments, credential=key))


class Machines(unittest.TestCase):
    """A machine's key reads its machine, and nothing of another one."""

    def test_its_tools(self):
        tools = post(message("tools/list"), credential=machine["mac"]).json["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], MACHINE_TOOLS)

    def test_lists_hold_its_own(self):
        for name, own in (("mac", mine), ("build", other)):
            key = machine[name]
            self.assertEqual([entry["id"] for entry in call("list_sessions", credential=key)["sessions"]], [own])
            self.assertEqual([entry["name"] for entry in call("list_machines", credential=key)["machines"]], [name])
            paths = [entry["path"] for entry in call("list_projects", credential=key)["projects"]]
            self.assertEqual(paths, [f"/home/dev/{name}"])
            self.assertEqual({entry["session_id"] for entry in call("list_prompts", credential=key)["prompts"]}, {own})
            self.assertEqual({entry["session_id"] for entry in call("search", {"q": WORD}, key)["results"]}, {own})
            self.assertEqual(call("get_session", {"session_id": own}, key)["id"], own)
            self.assertIn(f"the {WORD} of {name}", json.dumps(call("get_messages", {"session_id": own}, key)))
            self.assertEqual(call("get_usage", {"by": "machine"}, key)["object"], "usage")

    def test_nothing_of_another_machine(self):
        key = machine["mac"]
        for tool in ("get_session", "get_messages", "list_prompts", "get_usage", "wait_for_session"):
            with self.subTest(tool):
                self.assertNotIn(other, str(self.told(tool, {"session_id": other}, key)))
                self.assertIn("session_not_found", self.told(tool, {"session_id": other}, key))
        self.assertIn("session_not_found", call("search", {"q": WORD, "session_id": other}, key))
        for tool in ("list_sessions", "list_projects", "list_prompts", "get_usage"):
            for name in ("build", "test-machine", "nobody"):
                with self.subTest(tool, machine=name):
                    self.assertIn("insufficient_scope", call(tool, {"machine_id": name}, key))
        self.assertIn("insufficient_scope", call("get_changes", {"session_id": mine}, key))
        project = call("list_projects", credential=machine["build"])["projects"][0]["id"]
        self.assertEqual(call("list_sessions", {"project_id": project}, key)["sessions"], [])
        self.assertEqual(call("search", {"q": WORD, "project_id": project}, key)["results"], [])

    def told(self, tool, arguments, key):
        if tool != "wait_for_session":
            return call(tool, arguments, key)
        return Waiting.until_the_end(arguments, key)[-1]["result"]["content"][0]["text"]

    def test_a_machine_may_be_named_by_its_number(self):
        numbers = {entry["name"]: entry["id"] for entry in server.get("/v1/machines").json["machines"]}
        for name in ("mac", numbers["mac"]):
            found = call("list_sessions", {"machine_id": name}, machine["mac"])["sessions"]
            self.assertEqual([entry["id"] for entry in found], [mine])
        self.assertIn("insufficient_scope", call("list_sessions", {"machine_id": numbers["build"]}, machine["mac"]))

    def test_its_key_still_reads_nothing_by_rest(self):
        for path in ("/v1/sessions", f"/v1/sessions/{mine}", "/v1/machines", "/v1/prompts"):
            self.assertEqual(Client(server.address, machine["mac"]).get(path).status, 403)


class Tools(unittest.TestCase):
    def test_an_id_is_no_path(self):
        for id in ("stats", "../machines", "x/../../machines", "%2e%2e", "?a=b"):
            with self.subTest(id):
                self.assertIn("session_not_found", call("get_session", {"session_id": id}))

    def test_pages(self):
        first = call("list_sessions", {"limit": 1})
        self.assertTrue(first["has_more"])
        second = call("list_sessions", {"limit": 1, "cursor": first["next_cursor"]})
        self.assertEqual({first["sessions"][0]["id"], second["sessions"][0]["id"]}, {mine, other})

    def test_each_list_comes_once(self):
        for tool, arguments, name in (("list_sessions", {}, "sessions"), ("list_machines", {}, "machines"),
                                      ("list_projects", {}, "projects"), ("list_prompts", {}, "prompts"),
                                      ("search", {"q": WORD}, "results"), ("get_messages", {"session_id": mine}, "messages")):
            with self.subTest(tool):
                found = call(tool, arguments)
                self.assertTrue(found[name])
                self.assertFalse({"data", "meta", "links", "pagination", "object"} & set(found))

    def test_arguments_are_checked(self):
        for tool, arguments in (("list_sessions", {"limit": 0}), ("list_sessions", {"state": "odd"}),
                                ("list_sessions", {"odd": 1}), ("list_sessions", {"q": {}}),
                                ("list_sessions", {"q": "\x1b"}), ("search", {}), ("get_session", {}),
                                ("list_sessions", {"page": 1})):
            with self.subTest(tool, **arguments):
                self.assertRegex(call(tool, arguments), "^(invalid|missing)_parameter: ")

    def test_nothing_changes_anything(self):
        prompt = call("list_prompts", {"state": "open"}, machine["mac"])["prompts"][0]["id"]
        before = server.get(f"/v1/prompts/{prompt}").json
        for tool in TOOLS:
            if tool != "wait_for_session":
                call(tool, {"session_id": mine} if tool.startswith("get_") and tool != "get_usage" else {})
        self.assertEqual(rpc_state(server.get(f"/v1/prompts/{prompt}").json), rpc_state(before))


def rpc_state(prompt):
    return {name: prompt.get(name) for name in ("state", "answer", "answerable", "seen_at")}


class Waiting(unittest.TestCase):
    @staticmethod
    def open(arguments, credential, token=None, **headers):
        """The connection and the answer of a call that waits."""
        host, _, port = server.address.rpartition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
        meta = {"_meta": {"progressToken": token}} if token else {}
        connection.request("POST", "/mcp", json.dumps(message(
            "tools/call", {"name": "wait_for_session", "arguments": arguments, **meta})), {
                "Authorization": f"Bearer {credential}", "Content-Type": "application/json", **headers})
        return connection, connection.getresponse()

    @classmethod
    def until_the_end(cls, arguments, credential, token=None):
        connection, answer = cls.open(arguments, credential, token)
        assert answer.status == 200 and answer.headers["content-type"].startswith("text/event-stream"), answer.headers
        events = [line for line in answer.read().decode().splitlines() if line.startswith("data: ")]
        connection.close()
        return [json.loads(event.removeprefix("data: ")) for event in events]

    def busy(self, name="mac"):
        chosen = session()
        ws.key = machine[name]
        rpc.story(chosen, ("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "work"}),
                  home=f"/home/dev/{name}-waiting")
        self.addCleanup(self.end, chosen, name)
        return chosen

    @staticmethod
    def end(chosen, name="mac"):
        ws.key = machine[name]
        rpc.story(chosen, ("SessionEnd", {"reason": "exit"}), home=f"/home/dev/{name}-waiting")

    def test_it_returns_when_the_session_rests(self):
        chosen = self.busy()
        connection, answer = self.open({"session_id": chosen}, machine["mac"])
        self.assertEqual((answer.status, answer.headers["x-accel-buffering"]), (200, "no"))
        self.assertTrue(answer.readline().startswith(b":"))
        rpc.story(chosen, ("Stop", {}), home="/home/dev/mac-waiting")
        text = answer.read().decode()
        result = json.loads(text.partition("data: ")[2])["result"]["structuredContent"]
        self.assertEqual((result["timed_out"], result["session"]["id"], result["session"]["state"]), (False, chosen, "idle"))
        connection.close()

    def test_it_tells_when_the_time_is_over(self):
        events = self.until_the_end({"session_id": self.busy(), "timeout_seconds": 1}, server.admin, "t")
        self.assertTrue(events[-1]["result"]["structuredContent"]["timed_out"])

    def test_one_that_rests_already_returns_at_once(self):
        events = self.until_the_end({"session_id": mine, "timeout_seconds": 3600}, server.admin)
        self.assertFalse(events[-1]["result"]["structuredContent"]["timed_out"])

    def test_a_client_that_takes_no_stream_is_told(self):
        connection, answer = self.open({"session_id": mine}, server.admin, Accept="application/json")
        self.assertEqual(answer.status, 200)
        self.assertIn("not_acceptable", json.loads(answer.read())["result"]["content"][0]["text"])
        connection.close()

    def test_odd_wishes_are_refused_before_the_stream(self):
        for arguments in ({"timeout_seconds": 0}, {"timeout_seconds": 3601}, {"until": "never"}):
            self.assertIn("invalid_parameter", call("wait_for_session", {"session_id": mine, **arguments}))

    def test_a_revoked_key_waits_no_longer(self):
        key, chosen = api_key("read"), self.busy()
        connection, answer = self.open({"session_id": chosen}, key["key"])
        self.assertTrue(answer.readline().startswith(b":"))
        self.assertEqual(server.client().request("DELETE", f"/v1/api-keys/{key['id']}").status, 200)
        result = json.loads(answer.read().decode().partition("data: ")[2])["result"]
        self.assertIn("credential_revoked", result["content"][0]["text"])
        connection.close()

    def test_one_credential_cannot_take_all_places(self):
        chosen, key = self.busy("build"), machine["build"]
        held, refused = [], None
        while not refused and len(held) < 400:
            connection, answer = self.open({"session_id": chosen}, key)
            self.addCleanup(connection.close)
            if answer.headers["content-type"].startswith("text/event-stream"):
                held.append(connection)
            else:
                refused = json.loads(answer.read())["result"]["content"][0]["text"]
        self.assertIn("too_many_waits", refused)
        self.assertLess(len(held), 200)
        events = self.until_the_end({"session_id": self.busy(), "timeout_seconds": 1}, machine["mac"])
        self.assertTrue(events[-1]["result"]["structuredContent"]["timed_out"])
        for connection in held:
            connection.close()
        # The places are free again once the server has noticed.
        wait_for(lambda: self.opens({"session_id": chosen, "timeout_seconds": 1}, key), "a place is free")

    def opens(self, arguments, key):
        connection, answer = self.open(arguments, key)
        answer.read()
        connection.close()
        return answer.headers["content-type"].startswith("text/event-stream")


class RealClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([CLIENTS / "environment", "mcp"], capture_output=True, text=True, timeout=700, check=False)
        assert done.returncode == 0, done.stderr
        cls.python = pathlib.Path(done.stdout.strip())

    def run_calls(self, mode, credential, *calls):
        done = subprocess.run([self.python, CLIENTS / "mcp_calls.py", f"{server.url}/mcp", credential, mode],
                              input=json.dumps(calls), capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_protocols_own_client_in_both_eras(self):
        # A client that knows the revision asks for nothing but what it needs, so it does not learn the server's name.
        name = "claude-code-monitor"
        for mode, version, server_name in (("auto", MODERN, name), ("legacy", "2025-11-25", name), (MODERN, MODERN, None)):
            with self.subTest(mode):
                found = self.run_calls(mode, machine["mac"], ["get_session", {"session_id": mine}],
                                       ["get_session", {"session_id": other}], ["wait_for_session", {"session_id": mine}])
                self.assertEqual((found["version"], found["server"]), (version, server_name))
                self.assertEqual((found["tools"], found["asks"]), (MACHINE_TOOLS, ["ask_person"]))
                self.assertEqual([result["error"] for result in found["results"]], [False, True, False])
                self.assertEqual(found["results"][0]["data"]["id"], mine)
                self.assertFalse(found["results"][2]["data"]["timed_out"])

    def test_the_client_that_knows_no_stateless_revision(self):
        done = subprocess.run([CLIENTS / "environment", "mcp1"], capture_output=True, text=True, timeout=700, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [["get_session", {"session_id": mine}], ["get_session", {"session_id": other}], ["wait_for_session", {"session_id": mine}]]
        done = subprocess.run([done.stdout.strip(), CLIENTS / "mcp1_calls.py", f"{server.url}/mcp", machine["mac"]],
                              input=json.dumps(calls), capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["version"], found["server"]), ("2025-11-25", "claude-code-monitor"))
        self.assertEqual((found["tools"], found["asks"]), (MACHINE_TOOLS, ["ask_person"]))
        self.assertEqual([result["error"] for result in found["results"]], [False, True, False])
        self.assertEqual(found["results"][0]["data"]["id"], mine)

    def test_a_checker_of_servers_finds_nothing(self):
        done = subprocess.run(
            [self.python.parent / "mcpcheck", f"{server.url}/mcp", "--token", api_key("read")["key"], "--legacy-probes", "--json",
             "--no-color"], capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
