"""The tool router: sessions, tools, searches and calls as Composio's clients ask for them, and what other keys cannot do."""

import json
import subprocess
import threading
import unittest
import uuid

import test_mcp as mcp
import test_openapi as openapi
import test_remote_tools as remote_tools

S = "/api/v3.1/tool_router/session"
META = ["COMPOSIO_SEARCH_TOOLS", "COMPOSIO_GET_TOOL_SCHEMAS", "COMPOSIO_MULTI_EXECUTE_TOOL", "COMPOSIO_MANAGE_CONNECTIONS"]


def setUpModule():
    remote_tools.setUpModule()


def tearDownModule():
    remote_tools.tearDownModule()


class Router(remote_tools.WithRemote):
    """A remote server with two tools. A line of tools.policy lets its tool `look` run without asking anybody."""

    server = property(lambda self: self.own)
    settings = {}

    def setUp(self):
        super().setUp()
        self.own = remote_tools.start(**self.settings)
        self.addCleanup(self.own.end)
        with open(self.own.directory / "tools.policy", "w") as file:
            file.write("tool=look ask=no\n")
        self.listed(self.add())
        self.key = self.program()
        self.echo, self.look = (f"{self.name}_{tool}".upper() for tool in ("echo", "look"))

    def program(self, **more):
        body = {"name": f"key-{uuid.uuid4()}", "capabilities": ["tools"], **more}
        answer = self.ask("POST", "/v1/api-keys", body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["key"]

    def post(self, path, body, status=200, key=None, method="POST"):
        answer = self.ask(method, path, body, key or self.key)
        self.assertEqual(answer.status, status, answer)
        return answer

    def session(self, key=None, **more):
        return self.post(S, {"user_id": "u", **more}, 201, key).json["session_id"]

    def execute(self, session, slug, arguments=None, **more):
        return self.post(f"{S}/{session}/execute", {"tool_slug": slug, "arguments": arguments or {}, **more}).json

    def meta(self, session, slug, arguments):
        return self.post(f"{S}/{session}/execute_meta", {"slug": slug, "arguments": arguments}).json

    def refused(self, answer, status, slug):
        error = answer.json["error"]
        self.assertEqual((answer.status, error["status"], error["slug"]), (status, status, slug), answer)
        return error


class Sessions(Router):
    def test_a_session_is_created_changed_and_deleted(self):
        created = self.post(S, {"user_id": "u", "toolkits": {"enable": [self.name]}}, 201)
        openapi.check(S, "POST", created)
        body = created.json
        self.assertRegex(body["session_id"], "^trs_[0-9A-Za-z]{20}$")
        self.assertEqual(body["mcp"], {"type": "http", "url": f"{self.own.url}/tool_router/{body['session_id']}/mcp"})
        own = META
        self.assertEqual((body["tool_router_tools"], body["config_version"]), (own, 1))
        self.assertEqual((body["sessionId"], body["toolRouterTools"]), (body["session_id"], own))
        self.assertEqual((body["config"]["user_id"], body["config"]["toolkits"], body["config"]["preload"]),
                         ("u", {"enabled": [self.name]}, {"tools": []}))
        path = f"{S}/{body['session_id']}"
        self.assertEqual(self.get(path, self.key), body)
        changed = self.post(path, {"toolkits": {"disable": ["x"]}, "tags": ["readOnlyHint"]}, method="PATCH").json
        self.assertEqual((changed["config_version"], changed["config"]["toolkits"], changed["config"]["tags"]),
                         (2, {"disabled": ["x"]}, {"enabled": ["readOnlyHint"]}))
        self.refused(self.ask("PATCH", path, {"user_id": "v"}, self.key), 400, "ToolRouterV2_BadRequest")
        deleted = self.ask("DELETE", path, token=self.key)
        self.assertEqual((deleted.status, deleted.json), (200, {"session_id": body["session_id"], "deleted": True}))
        self.refused(self.ask("GET", path, token=self.key), 404, "HTTP_NotFound")

    def test_what_a_session_has_without_a_search(self):
        session = self.session(preload={"tools": [self.look]}, manage_connections=False)
        page = self.ask("GET", f"{S}/{session}/tools?limit=500", token=self.key)
        openapi.check(S + "/{id}/tools", "GET", page)
        self.assertEqual([tool["slug"] for tool in page.json["items"]],
                         ["COMPOSIO_SEARCH_TOOLS", "COMPOSIO_GET_TOOL_SCHEMAS", "COMPOSIO_MULTI_EXECUTE_TOOL", self.look])
        self.assertEqual((page.json["total_items"], page.json["next_cursor"]), (4, None))
        self.assertEqual([page.json["items"][3][name] for name in ("name", "tags", "no_auth", "version")],
                         ["look", ["readOnlyHint"], True, "1"])
        first = self.get(f"{S}/{session}/tools?limit=3", self.key)
        self.assertEqual((len(first["items"]), first["next_cursor"], first["total_pages"]), (3, "3", 2))
        second = self.get(f"{S}/{session}/tools?limit=3&cursor=3", self.key)
        self.assertEqual(([tool["slug"] for tool in second["items"]], second["next_cursor"], second["current_page"]),
                         ([self.look], None, 2))

    def test_rules_of_tools_and_tags(self):
        def found(**config):
            session = self.session(preload={"tools": "all"}, **config)
            return [tool["slug"] for tool in self.get(f"{S}/{session}/tools", self.key)["items"]
                    if not tool["slug"].startswith("COMPOSIO_")]
        self.assertEqual(found(), [self.echo, self.look])
        self.assertEqual(found(toolkits=["other"]), [])
        self.assertEqual(found(toolkits={"disable": [self.name.upper()]}), [])
        self.assertEqual(found(tools={self.name: [self.echo]}), [self.echo])
        self.assertEqual(found(tools={self.name: {"disable": [self.echo.lower()]}}), [self.look])
        self.assertEqual(found(tags=["readOnlyHint"]), [self.look])
        self.assertEqual(found(tags={"disable": ["readOnlyHint"]}), [self.echo])
        self.assertEqual(found(tags=["destructiveHint"], tools={self.name: {"tags": {"disable": ["readOnlyHint"]}}}), [self.echo])

    def test_tools_and_toolkits_without_a_session(self):
        page = self.ask("GET", f"/api/v3.1/tools?toolkit_slug={self.name}", token=self.key)
        openapi.check("/api/v3.1/tools", "GET", page)
        self.assertEqual([tool["slug"] for tool in page.json["items"]], [self.echo, self.look])
        self.assertEqual([tool["slug"] for tool in self.get("/api/v3/tools?search=says", self.key)["items"]], [self.echo])
        self.assertEqual([tool["slug"] for tool in self.get(f"/api/v3/tools?tool_slugs={self.look},X", self.key)["items"]],
                         [self.look])
        tool = self.ask("GET", f"/api/v3/tools/{self.echo}", token=self.key)
        openapi.check("/api/v3/tools/{slug}", "GET", tool)
        self.assertEqual((tool.json["input_parameters"]["required"], tool.json["toolkit"]["slug"]), (["text"], self.name))
        self.refused(self.ask("GET", "/api/v3/tools/NONE", token=self.key), 404, "HTTP_NotFound")
        session = self.session()
        kits = self.ask("GET", f"{S}/{session}/toolkits?search={self.name[:6]}", token=self.key)
        openapi.check(S + "/{id}/toolkits", "GET", kits)
        self.assertEqual([(kit["slug"], kit["is_no_auth"], kit["connected_account"]) for kit in kits.json["items"]],
                         [(self.name, True, None)])


class Calls(Router):
    def test_a_tool_that_a_rule_allows(self):
        session = self.session()
        answer = self.execute(session, self.look, {})
        self.assertEqual((answer["result_type"], answer["data"], answer["error"]), ("completed", {}, None))
        self.assertRegex(answer["log_id"], "^log_[0-9a-f-]{36}$")
        self.assertEqual(len(self.remote.messages("tools/call")), 1)
        direct = self.post(f"/api/v3/tools/execute/{self.look}", {"user_id": "u", "arguments": {}}).json
        self.assertEqual((direct["successful"], direct["data"], direct["error"]), (True, {}, None))

    def test_a_person_is_asked_and_the_program_waits_on(self):
        session = self.session()
        asked = self.execute(session, self.echo, {"text": "hello"})
        self.assertEqual((asked["result_type"], asked["data"]), ("input_required", {}))
        self.assertEqual(asked["input_requests"]["approval"]["requested_schema"]["required"], ["ok"])
        self.assertEqual(self.remote.messages("tools/call"), [])
        self.assertEqual(self.decide().status, 200)
        accept = {"input_responses": {"approval": {"action": "accept", "content": {"ok": True}}},
                  "request_state": asked["request_state"]}
        done = self.execute(session, self.echo, {"text": "hello"}, **accept)
        self.assertEqual((done["result_type"], done["data"]), ("completed", {"text": "hello"}))
        self.assertEqual(done["log_id"], asked["log_id"])
        self.assertEqual(len(self.remote.messages("tools/call")), 1)
        again = self.ask("POST", f"{S}/{session}/execute", {"tool_slug": self.echo, "arguments": {"text": "hello"}, **accept},
                         self.key)
        self.assertIn("used before", self.refused(again, 400, "ToolRouterV2_BadRequest")["message"])

    def test_the_program_gives_up(self):
        session = self.session()
        asked = self.execute(session, self.echo, {"text": "x"})
        prompt = self.prompt()
        ended = self.execute(session, self.echo, {"text": "x"}, request_state=asked["request_state"],
                             input_responses={"approval": {"action": "decline"}})
        self.assertEqual((ended["result_type"], ended["reason"]), ("blocked", {"type": "request_blocked", "hook_id": "declined"}))
        self.ask("POST", f"/v1/prompts/{prompt['id']}/answer", {"decision": "allow"})
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_a_person_denies(self):
        session = self.session()
        asked = self.execute(session, self.echo, {"text": "x"})
        self.assertEqual(self.decide("deny").status, 200)
        ended = self.execute(session, self.echo, {"text": "x"}, request_state=asked["request_state"],
                             input_responses={"approval": {"action": "accept"}})
        self.assertEqual((ended["result_type"], ended["reason"]["hook_id"]), ("blocked", "denied_by_person"))
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_a_session_can_want_a_person_for_what_a_rule_allows(self):
        for config in ({"toolkits": {"require_approval": [self.name]}}, {"tags": {"require_approval": ["readOnlyHint"]}},
                       {"tools": {self.name: {"require_approval": [self.look]}}}):
            with self.subTest(config):
                asked = self.execute(self.session(**config), self.look)
                self.assertEqual(asked["result_type"], "input_required")
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_a_tool_that_fails(self):
        self.remote.on_call = lambda handler, message: self.remote.result(
            handler, message, {"content": [{"type": "text", "text": "no such file"}], "isError": True})
        answer = self.execute(self.session(), self.look)
        self.assertEqual((answer["result_type"], answer["error"], answer["data"]),
                         ("failed", "no such file", {"text": "no such file"}))


class Meta(Router):
    def test_a_search_and_the_tools_that_it_names(self):
        session = self.session(toolkits=[self.name])
        answer = self.meta(session, "COMPOSIO_SEARCH_TOOLS", {"queries": [{"use_case": "says something again"}]})
        data, (result,) = answer["data"], answer["data"]["results"]
        self.assertEqual((answer["error"], answer["result_type"], data["success"]), (None, "completed", True))
        self.assertEqual((result["index"], result["primary_tool_slugs"], result["toolkits"], result["is_empty"],
                          result["known_pitfalls"], result["difficulty"]), (1, [self.echo], [self.name], False, [], "easy"))
        self.assertEqual(result["recommended_plan_steps"], [f"Required Step 1: Use {self.echo}. Required arguments: text."])
        (status,) = data["toolkit_connection_statuses"]
        self.assertEqual((status["toolkit"], status["has_active_connection"]), (self.name, True))
        self.assertEqual(result["toolkit_connection_statuses"], [status])
        self.assertEqual(data["tool_schemas"][self.echo]["input_schema"]["required"], ["text"])
        found = self.ask("POST", f"{S}/{session}/search", {"queries": [{"use_case": "says something again"}]}, self.key)
        openapi.check(S + "/{id}/search", "POST", found)
        self.assertEqual(found.json["results"], data["results"])
        schemas = self.meta(session, "COMPOSIO_GET_TOOL_SCHEMAS", {"tool_slugs": [self.look, "NONE"]})["data"]
        self.assertEqual((list(schemas["tool_schemas"]), schemas["not_found"]), ([self.look], ["NONE"]))

    def test_toolkits_that_are_not_enabled_give_nothing(self):
        session = self.session(toolkits=["gmail"])
        data = self.meta(session, "COMPOSIO_SEARCH_TOOLS", {"queries": [{"use_case": "says something again"}]})["data"]
        self.assertEqual((data["results"][0]["is_empty"], data["tool_schemas"]), (True, {}))
        data = self.meta(session, "COMPOSIO_MANAGE_CONNECTIONS", {"toolkits": [self.name, "gmail"]})["data"]
        self.assertEqual(data["results"], {})
        answer = self.ask("POST", f"{S}/{session}/execute", {"tool_slug": self.look}, self.key)
        self.refused(answer, 404, "HTTP_NotFound")

    def test_several_tools_run_in_order(self):
        session = self.session()
        calls = [{"tool_slug": self.look, "arguments": {"n": 1}}, {"tool_slug": "NONE", "arguments": {}},
                 {"tool_slug": self.look, "arguments": {"n": 2}}, {"tool_slug": "COMPOSIO_SEARCH_TOOLS", "arguments": {}}]
        data = self.meta(session, "COMPOSIO_MULTI_EXECUTE_TOOL", {"tools": calls, "sync_response_to_workbench": False})["data"]
        self.assertEqual([(one["index"], one["response"]["successful"]) for one in data["results"]],
                         [(0, True), (1, False), (2, True), (3, False)])
        self.assertEqual([data["results"][place]["response"]["data"] for place in (0, 2)], [{"n": 1}, {"n": 2}])
        self.assertEqual([message["params"]["arguments"] for message in self.remote.messages("tools/call")], [{"n": 1}, {"n": 2}])
        for tools in ([], calls * 13):
            answer = self.ask("POST", f"{S}/{session}/execute_meta",
                              {"slug": "COMPOSIO_MULTI_EXECUTE_TOOL", "arguments": {"tools": tools}}, self.key)
            self.refused(answer, 400, "ToolRouterV2_BadRequest")

    def test_what_needs_a_sandbox_is_refused(self):
        session = self.session()
        for slug in ("COMPOSIO_REMOTE_WORKBENCH", "COMPOSIO_REMOTE_BASH_TOOL"):
            answer = self.ask("POST", f"{S}/{session}/execute_meta", {"slug": slug, "arguments": {}}, self.key)
            self.refused(answer, 400, "ToolRouterV2_BadRequest")


class Endpoint(Router):
    """The session's own endpoint of the Model Context Protocol, by the protocol's own client."""

    def calls(self, session, *calls, mode="auto", key=None):
        done = subprocess.run(
            [mcp.CLIENTS / "environment", "mcp"], capture_output=True, text=True, timeout=700, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        url = f"{self.own.url}/tool_router/{session}/mcp"
        process = subprocess.run(
            [done.stdout.strip(), mcp.CLIENTS / "mcp_calls.py", url, key or self.key, mode], input=json.dumps(calls), text=True,
            capture_output=True, timeout=120, check=False)
        return json.loads(process.stdout) if process.returncode == 0 else process.stderr

    def test_the_tools_of_the_session_alone(self):
        session = self.session(preload={"tools": [self.look]})
        search = {"queries": [{"use_case": "says something again"}]}
        for mode in ("auto", "legacy"):
            told = self.calls(session, ["COMPOSIO_SEARCH_TOOLS", search], [self.look, {"at": "it"}],
                              ["COMPOSIO_WAIT_FOR_CONNECTIONS", {"toolkits": [self.name]}], mode=mode)
            self.assertEqual(told["tools"], [*META, self.look])
            found, looked, waited = told["results"]
            self.assertEqual(found["data"]["results"][0]["primary_tool_slugs"], [self.echo])
            self.assertEqual((looked["error"], json.loads(looked["text"])), (False, {"at": "it"}))
            self.assertEqual(waited["data"]["results"][self.name]["status"], "active")
        self.assertIn("Unknown tool", self.calls(session, ["list_sessions", {}]))

    def test_a_person_is_asked(self):
        session, told = self.session(), []
        thread = threading.Thread(target=lambda: told.append(self.calls(session, [self.echo, {"text": "x"}])))
        thread.start()
        self.addCleanup(thread.join, 60)
        self.assertEqual(self.decide().status, 200)
        thread.join(60)
        self.assertEqual(json.loads(told[0]["results"][0]["text"]), {"text": "x"})

    def test_whose_session_it_is(self):
        session, other = self.session(), self.program()
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.ask("POST", f"/tool_router/{session}/mcp", message, self.key).status, 200)
        self.assertEqual(self.ask("POST", f"/tool_router/{session}/mcp", message, other).status, 404)
        self.assertEqual(self.ask("POST", f"/tool_router/{session}/mcp", message).status, 403)
        self.assertEqual(self.ask("GET", f"/tool_router/{session}/mcp", token=self.key).status, 405)


class Attacks(Router):
    def test_another_keys_session_is_unknown(self):
        session, other = self.session(), self.program()
        for method, path, body in (("GET", "", None), ("PATCH", "", {}), ("DELETE", "", None), ("GET", "/tools", None),
                                   ("GET", "/toolkits", None), ("POST", "/execute", {"tool_slug": self.look}),
                                   ("POST", "/execute_meta", {"slug": "COMPOSIO_SEARCH_TOOLS"}), ("POST", "/search", {})):
            with self.subTest(f"{method} {path}"):
                self.refused(self.ask(method, f"{S}/{session}{path}", body, other), 404, "HTTP_NotFound")

    def test_a_key_runs_only_its_own_toolkits(self):
        key = self.program(toolkits=["other"])
        session = self.session(key, toolkits=[self.name], preload={"tools": "all"})
        self.refused(self.ask("POST", f"{S}/{session}/execute", {"tool_slug": self.look}, key), 404, "HTTP_NotFound")
        self.refused(self.ask("POST", f"/api/v3/tools/execute/{self.look}", {"user_id": "u"}, key), 404, "HTTP_NotFound")
        self.assertEqual(self.get("/api/v3/tools", key)["items"], [])
        self.assertEqual(self.get("/api/v3/toolkits", key)["items"], [])
        answer = self.ask("POST", f"/v1/tools/{self.name}.look/execute", {}, key)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "tool_not_found"))
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_a_state_is_of_one_key_session_tool_and_arguments(self):
        session, other = self.session(), self.program()
        state = self.execute(session, self.echo, {"text": "x"})["request_state"]
        accept = {"input_responses": {"approval": {"action": "accept"}}, "request_state": state}
        tries = [(session, self.echo, {"text": "y"}, self.key), (session, self.look, {"text": "x"}, self.key),
                 (self.session(), self.echo, {"text": "x"}, self.key), (self.session(other), self.echo, {"text": "x"}, other)]
        for place, slug, arguments, key in tries:
            body = {"tool_slug": slug, "arguments": arguments, **accept}
            self.refused(self.ask("POST", f"{S}/{place}/execute", body, key), 400, "ToolRouterV2_BadRequest")
        body = {"tool_slug": self.echo, "arguments": {"text": "x"}, **accept, "request_state": state[:-2] + "AA"}
        self.refused(self.ask("POST", f"{S}/{session}/execute", body, self.key), 400, "ToolRouterV2_BadRequest")
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_the_program_does_not_approve_its_own_call(self):
        asked = self.execute(self.session(), self.echo, {"text": "x"})
        prompt = self.prompt()
        answer = self.ask("POST", f"/v1/prompts/{prompt['id']}/answer", {"decision": "allow"}, self.key)
        self.assertEqual(answer.status, 403)
        self.assertEqual(asked["result_type"], "input_required")
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_who_may_not_use_the_router_at_all(self):
        for capabilities in (["read"], ["chat"]):
            answer = self.ask("POST", "/v1/api-keys", {"name": f"key-{uuid.uuid4()}", "capabilities": capabilities})
            self.refused(self.ask("POST", S, {"user_id": "u"}, answer.json["key"]), 403, "HTTP_Forbidden")
        self.refused(self.ask("POST", S, {"user_id": "u"}), 403, "HTTP_Forbidden")
        wrong = self.ask("GET", "/api/v3/tools", token="cma_" + "x" * 36)
        self.assertEqual(self.refused(wrong, 401, "HTTP_Unauthorized")["code"], 10401)


if __name__ == "__main__":
    unittest.main()
