"""Tools of remote MCP servers: a person who is not the caller approves each call, or a line of tools.policy does."""

import unittest
import uuid

import test_mcp as mcp
import test_mcp_tools as endpoint
import test_openapi as openapi
import test_remote_tools as remote_tools
from harness import wait_for
from remote_servers import ECHO, LOOK


def setUpModule():
    remote_tools.setUpModule()


def tearDownModule():
    remote_tools.tearDownModule()


class Calls(remote_tools.WithRemote):
    def setUp(self):
        super().setUp()
        self.added = self.add()
        self.listed(self.added)

    def test_a_call_that_a_person_approves(self):
        key = self.program()
        thread = self.executing(key)
        prompt = self.prompt()
        self.assertEqual((prompt["session_id"], prompt["machine_id"], prompt["tool_name"]), (None, None, f"{self.name}.echo"))
        self.assertRegex(prompt["tool_input"]["caller"], "^program [0-9]+ \\(key-")
        self.assertEqual(prompt["tool_input"]["arguments"], {"text": "hello"})
        self.assertEqual(self.remote.messages("tools/call"), [])
        self.assertEqual(self.decide().status, 200)
        answer = self.end(thread, 200)
        openapi.check("/v1/tools/{name}/execute", "POST", answer)
        self.assertEqual((answer.json["tool"], answer.json["content"], answer.json["is_error"], answer.json["approved_by"]),
                         (f"{self.name}.echo", [{"type": "text", "text": '{"text": "hello"}'}], False, "admin"))
        self.assertEqual(answer.json["prompt_id"], prompt["id"])
        self.assertEqual(len(self.remote.messages("tools/call")), 1)
        headers = self.remote.headers("tools/call")[0]
        self.assertEqual((headers["mcp-name"], headers["mcp-param-text"]), ("echo", "hello"))
        call = self.get(f"/v1/tools/calls/{answer.json['call_id']}", key)
        self.assertEqual((call["status"], call["machine_id"], call.get("session_id")), ("completed", None, None))
        audited = [row for row in self.get("/v1/audit?limit=50&action=tool.run")["data"] if self.added["id"] in row["object"]]
        self.assertEqual([row["result"] for row in audited], ["granted"])

    def test_what_a_person_denies_does_not_run(self):
        thread = self.executing(self.program())
        self.assertEqual(self.decide("deny").status, 200)
        self.end(thread, 403, "denied_by_person")
        self.assertEqual(self.remote.messages("tools/call"), [])

    def test_the_caller_does_not_approve_its_own_call(self):
        thread = self.executing(None)
        answer = self.decide()
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "own_call"))
        self.assertEqual(self.decide("deny").status, 200)
        self.end(thread, 403, "denied_by_person")

    def test_an_old_server_and_a_stream_with_progress(self):
        self.remote.restart(legacy=True, streams=True)
        self.assertEqual(self.call().json["is_error"], False)

    def test_a_restart_between_two_calls(self):
        self.remote.restart(legacy=True)
        self.call()
        self.remote.restart()
        self.call()
        # Requests that the server refused for their dialect or their session are not among them.
        self.assertEqual([self.remote.called.acquire(blocking=False) for _ in range(3)], [True, True, False])

    def test_a_changed_tool_is_not_called(self):
        self.remote.tools = [dict(ECHO, description="Sends it to somebody else."), LOOK]
        self.assertEqual(self.listed(self.added)["changed_count"], 1)
        self.end(self.executing(self.program()), 409, "tool_changed")
        offered = self.tools(self.added)["echo"]["offered"]["digest"]
        accepted = self.ask("POST", f"/v1/mcp/servers/{self.added['id']}/tools/echo/accept", {"digest": offered})
        self.assertEqual(accepted.status, 200, accepted)
        self.call()

    def test_a_result_that_is_too_large(self):
        def large(handler, message):
            try:
                self.remote.result(handler, message, {"content": [{"type": "text", "text": "x" * 30_000_000}]})
            except OSError:
                pass
        self.remote.on_call = large
        body = self.call().json
        self.assertEqual((body["is_error"], body["code"]), (True, "result_too_large"))

    def test_a_server_that_dies_during_a_call(self):
        self.remote.on_call = lambda handler, message: handler.connection.close()
        self.call(502, "outcome_unknown")

    def test_a_server_that_refuses_a_call(self):
        self.remote.on_call = lambda handler, message: self.remote.fail(handler, message, -32602, "bad arguments")
        answer = self.call(502, "mcp_server_failed")
        self.assertIn("bad arguments", answer.json["error"]["message"])

    def test_unknown_tools_and_callers_without_the_right(self):
        self.end(self.executing(self.program(), "other"), 404, "tool_not_found")
        body = {"name": f"key-{uuid.uuid4()}", "capabilities": ["read"]}
        key = self.ask("POST", "/v1/api-keys", body).json["key"]
        self.end(self.executing(key), 403)

    def test_nothing_of_it_is_a_machine_or_a_session(self):
        known = [machine["id"] for machine in self.get("/v1/machines")["machines"]]
        self.call()
        self.assertEqual([machine["id"] for machine in self.get("/v1/machines")["machines"]], known)
        self.assertNotIn("0", known)
        self.assertEqual(self.get("/v1/sessions")["sessions"], [])


class MachineKeys(remote_tools.WithRemote):
    """Keys of machines reach remote servers by /mcp, where these were granted by name."""

    def setUp(self):
        super().setUp()
        self.added = self.add()
        self.listed(self.added)
        self.machine = f"desk-{uuid.uuid4().hex[:8]}"
        self.key = self.server.key(self.machine)

    def names(self):
        answer = self.server.client(self.key, timeout=60).request("POST", "/mcp", *mcp.modern("tools/list"))
        return [tool["name"] for tool in answer.json["result"]["tools"]]

    def begin(self, name, arguments):
        body, headers = mcp.modern("tools/call", {"name": name, "arguments": arguments})
        stream = endpoint.Stream(self.server, self.key, body, headers)
        self.addCleanup(stream.connection.close)
        return stream

    def grant(self, name):
        self.server.control("key", "grant", self.machine, "tools", name)
        wait_for(lambda: "call_tool" in self.names(), "the grant")

    def test_a_server_that_was_granted(self):
        echo, arguments = f"{self.name}__echo", {"text": "hello"}
        self.assertNotIn("call_tool", self.names())
        self.assertIn("Unknown tool", self.begin(echo, arguments).whole()["error"]["message"])
        # Another grant gives nothing of this server.
        self.grant("another")
        self.assertNotIn(echo, self.names())
        self.assertIn("Unknown tool", self.begin(echo, arguments).whole()["error"]["message"])
        for name in (f"{self.name}.echo", echo, f"{self.added['id']}.echo"):
            self.assertIn("tool_not_found", self.begin("call_tool", {"name": name, "arguments": arguments}).text())
        found = self.begin("search_tools", {"query": "says it again"}).whole()["result"]["structuredContent"]
        self.assertEqual(found, {"tools": [], "total": 0})
        self.grant(self.name)
        wait_for(lambda: echo in self.names(), "the tools of the server")
        found = self.begin("search_tools", {"query": "says it again"}).whole()["result"]["structuredContent"]["tools"]
        self.assertEqual([(tool["name"], tool["server"], tool.get("machine_id")) for tool in found], [(echo, self.name, None)])
        self.assertTrue(found[0]["description"].startswith(f"Remote MCP server {self.name}. A person is asked"), found[0]["description"])
        for number, (name, given) in enumerate(((echo, arguments), ("call_tool", {"name": f"{self.name}.echo", "arguments": arguments}))):
            stream = self.begin(name, given)
            prompt = self.prompt()
            self.assertEqual((prompt["session_id"], prompt["machine_id"]), (None, None))
            self.assertIn(self.machine, prompt["tool_input"]["caller"])
            self.assertEqual(len(self.remote.messages("tools/call")), number)
            self.assertEqual(self.decide().status, 200)
            self.assertEqual(stream.result()["content"], [{"type": "text", "text": '{"text": "hello"}'}])
        # The grant does nothing by REST, and ends.
        self.end(self.executing(self.key), 403, "insufficient_scope")
        self.server.control("key", "revoke-grant", self.machine, "tools", self.name)
        wait_for(lambda: echo not in self.names(), "the end of the grant")
        self.assertIn("Unknown tool", self.begin(echo, arguments).whole()["error"]["message"])


class Policy(remote_tools.WithRemote):
    server = property(lambda self: self.own)

    def setUp(self):
        super().setUp()
        self.own = remote_tools.start()
        self.addCleanup(self.own.end)
        self.added = self.add()
        self.listed(self.added)

    def policy(self, text):
        with open(self.own.directory / "tools.policy", "w") as file:
            file.write(text)

    def test_the_first_line_that_matches_counts(self):
        self.policy(f"server={self.name} tool=look ask=no\ncaller=admin who=off\n")
        answer = self.end(self.executing(self.program(), "look"), 200)
        self.assertEqual((answer.json["approved_by"], answer.json.get("prompt_id")), ("tools.policy:1", None))
        self.end(self.executing(None), 403, "not_allowed_by_policy")
        thread = self.executing(self.program())
        self.assertEqual(self.decide().status, 200)
        self.end(thread, 200)

    def test_a_file_that_is_not_valid_allows_nothing(self):
        self.policy("server=x asks=no\n")
        self.end(self.executing(self.program()), 403, "not_allowed_by_policy")

    def test_the_servers_own_hint_counts_where_a_person_believes_it(self):
        answer = self.ask("PATCH", f"/v1/mcp/servers/{self.added['id']}", {"trust_hints": True})
        self.assertEqual(answer.status, 200, answer)
        self.end(self.executing(self.program(), "look"), 200)
        thread = self.executing(self.program(), "echo")
        self.assertEqual(self.decide("deny").status, 200)
        self.end(thread, 403, "denied_by_person")


if __name__ == "__main__":
    unittest.main()
