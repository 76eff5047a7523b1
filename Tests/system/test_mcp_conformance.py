"""The scenarios that the protocol's official suite requires of servers of the revision 2026-07-28, restated: RESTATED names the
test of each, LEFT_OUT says why there is none. The suite itself is not on PyPI."""

import json
import unittest

import test_mcp as mcp
import test_mcp_tools as endpoint
from harness import Client

NOT_OFFERED = "the endpoint offers tools alone, and does not announce the capability"
NOT_ASKED = "the endpoint never asks a client for input: a person decides elsewhere"
RESTATED = {
    "server-stateless": "test_each_request_stands_alone", "tools-list": "test_tools_are_described",
    "tools-call-simple-text": "test_contents_of_all_kinds", "tools-call-image": "test_contents_of_all_kinds",
    "tools-call-audio": "test_contents_of_all_kinds", "tools-call-embedded-resource": "test_contents_of_all_kinds",
    "tools-call-mixed-content": "test_contents_of_all_kinds", "tools-call-error": "test_a_tool_that_fails",
    "tools-call-with-progress": "test_progress_before_the_result", "server-sse-multiple-streams": "test_several_streams_at_a_time",
    "dns-rebinding-protection": "test_foreign_pages_and_hosts", "caching": "test_lists_say_how_long_they_count",
    "input-required-result-result-type": "test_every_result_has_its_type",
    "input-required-result-non-tool-request": "test_every_result_has_its_type",
    "input-required-result-unsupported-methods": "test_nothing_is_asked_of_clients",
    "input-required-result-capability-check": "test_nothing_is_asked_of_clients",
    "input-required-result-tampered-state": "test_state_of_clients_counts_for_nothing",
    "input-required-result-ignore-extra-params": "test_state_of_clients_counts_for_nothing"}
LEFT_OUT = dict.fromkeys((
    "completion-complete", "resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read",
    "sep-2164-resource-not-found", "prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
    "prompts-get-with-image"), NOT_OFFERED) | dict.fromkeys((
        "input-required-result-basic-elicitation", "input-required-result-basic-sampling", "input-required-result-basic-list-roots",
        "input-required-result-request-state", "input-required-result-multiple-input-requests", "input-required-result-multi-round",
        "input-required-result-missing-input-response", "input-required-result-validate-input"), NOT_ASKED)
CONTENTS = [{"type": "text", "text": "words"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "test://one", "mimeType": "text/plain", "text": "inside"}},
            {"type": "resource_link", "uri": "test://two", "name": "two"}]


def setUpModule():
    endpoint.setUpModule()


def tearDownModule():
    endpoint.tearDownModule()


class Conformance(endpoint.Endpoint):
    def post(self, method, params=None, **changed):
        return mcp.post(*mcp.modern(method, params, **changed))

    def fails(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["error"]["code"], answer.json["jsonrpc"]), (status, code, "2.0"), answer)

    def test_the_table_is_whole(self):
        self.assertEqual(len(RESTATED) + len(LEFT_OUT), 37)
        self.assertEqual(set(RESTATED) & set(LEFT_OUT), set())
        for test in RESTATED.values():
            self.assertTrue(callable(getattr(self, test)))

    def test_each_request_stands_alone(self):
        for method in ("tools/list", "server/discover"):
            answer = self.post(method)
            self.assertEqual((answer.status, answer.json["result"]["resultType"]), (200, "complete"))
            self.assertNotIn("mcp-session-id", answer.headers)
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"):
            self.fails(self.post(method), 404, -32601)
        body, headers = mcp.modern("tools/list")
        for member in ("protocolVersion", "clientCapabilities"):
            meta = {name: value for name, value in body["params"]["_meta"].items() if not name.endswith(member)}
            answer = mcp.post({**body, "params": {"_meta": meta}}, headers)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (400, -32602), member)
        meta = {**body["params"]["_meta"], mcp.MEMBER + "protocolVersion": "1999-01-01"}
        answer = mcp.post({**body, "params": {"_meta": meta}}, {**headers, "MCP-Protocol-Version": "1999-01-01"})
        self.fails(answer, 400, -32022)
        self.assertEqual(answer.json["error"]["data"], {"supported": [mcp.MODERN], "requested": "1999-01-01"})
        for method in ("GET", "DELETE"):
            answer = Client(self.server.address, self.server.admin).request(method, "/mcp")
            self.assertEqual(answer.status, 405, method)
        for capability in ("completion/complete", "resources/list", "resources/read", "prompts/list", "prompts/get"):
            params = {"uri": "test://one", "name": "one"}
            self.fails(self.post(capability, params, **{"Mcp-Name": params["uri" if "resources" in capability else "name"]}), 404, -32601)
        self.assertEqual(self.post("server/discover").json["result"]["capabilities"], {"tools": {}})

    def test_tools_are_described(self):
        listed = self.post("tools/list").json["result"]["tools"]
        self.assertGreaterEqual(len(listed), 12)
        for tool in listed:
            self.assertRegex(tool["name"], "^[A-Za-z0-9_.-]{1,128}$")
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertTrue(tool["description"])

    def test_contents_of_all_kinds(self):
        stream = self.call(next(name for name in self.mine() if "git_status" in name), {"path": "."}, **self.here)
        self.approve()
        self.run_call({"content": CONTENTS, "structuredContent": {"clean": True}})
        result = stream.result()
        self.assertEqual((result["content"], result["structuredContent"], result["isError"]), (CONTENTS, {"clean": True}, False))

    def test_a_tool_that_fails(self):
        result = self.post("tools/call", {"name": "get_session", "arguments": {"session_id": "none"}}).json["result"]
        self.assertEqual((result["isError"], result["content"][0]["type"]), (True, "text"))
        stream = self.call(next(name for name in self.mine() if "git_status" in name), {"path": "."}, **self.here)
        self.approve()
        self.run_call({"content": [{"type": "text", "text": "no repository"}], "isError": True})
        self.assertEqual((stream.result()["isError"], stream.text()), (True, "no repository"))

    def test_progress_before_the_result(self):
        stream = self.call("wait_for_session", {"session_id": self.chosen, "until": "ended", "timeout_seconds": 21},
                           credential=self.server.admin)
        self.assertTrue(stream.result()["structuredContent"]["timed_out"])
        progress = [event["params"] for event in stream.events if event.get("method") == "notifications/progress"]
        self.assertGreaterEqual(len(progress), 1)
        self.assertEqual({one["progressToken"] for one in progress}, {7})
        values = [one["progress"] for one in progress]
        self.assertEqual(values, sorted(set(values)))
        self.assertIn("result", stream.events[-1])

    def test_several_streams_at_a_time(self):
        streams = []
        for number in (11, 12, 13):
            body, headers = mcp.modern("tools/call", {"name": "wait_for_session", "arguments": {
                "session_id": self.chosen, "until": "ended", "timeout_seconds": 1}})
            stream = endpoint.Stream(self.server, self.server.admin, {**body, "id": number}, headers)
            self.addCleanup(stream.connection.close)
            streams.append(stream)
        for number, stream in zip((11, 12, 13), streams):
            self.assertTrue(stream.result()["structuredContent"]["timed_out"])
            self.assertEqual([event["id"] for event in stream.events if "id" in event], [number])

    def test_foreign_pages_and_hosts(self):
        self.assertEqual(self.post("tools/list", Origin="https://evil.example").status, 403)
        self.assertEqual(self.post("tools/list", Host="evil.example").status, 421)
        self.assertEqual(self.post("tools/list", Origin=self.server.url).status, 200)

    def test_lists_say_how_long_they_count(self):
        for method in ("tools/list", "server/discover"):
            result = self.post(method).json["result"]
            self.assertGreaterEqual(result["ttlMs"], 0)
            self.assertEqual(result["cacheScope"], "private")

    def test_every_result_has_its_type(self):
        for method, params in (("tools/list", None), ("server/discover", None), ("tools/call", {"name": "list_machines", "arguments": {}})):
            self.assertEqual(self.post(method, params).json["result"]["resultType"], "complete")

    def test_nothing_is_asked_of_clients(self):
        """Whatever a client can be asked for, the answer to a call that needs a person has no request for input."""
        name = next(name for name in self.mine() if "git_status" in name)
        for number, capabilities in enumerate(({}, {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})):
            stream = self.call(name, {"path": "."}, meta={mcp.MEMBER + "clientCapabilities": capabilities}, **self.here)
            self.refuse("denied_by_person", number=number)
            self.assertNotIn("inputRequests", json.dumps(stream.result()))
            self.assertEqual(stream.result()["resultType"], "complete")

    def test_state_of_clients_counts_for_nothing(self):
        name = next(name for name in self.mine() if "git_status" in name)
        for number, more in enumerate(({"requestState": "forged"}, {"inputResponses": {"approval": {"action": "accept", "content": {"ok": True}}}},
                                       {"inputResponses": {"other": {"action": "accept"}}, "requestState": "", "extra": 1})):
            body, headers = mcp.modern("tools/call", {"name": name, "arguments": {"path": "."}, **more})
            stream = endpoint.Stream(self.server, self.key_of_tools, body, {**headers, **self.here})
            self.addCleanup(stream.connection.close)
            self.refuse("denied_by_person", number=number)
            self.assertEqual(stream.text(), "denied_by_person: No.")
        self.assertEqual(self.runs(), [])


if __name__ == "__main__":
    unittest.main()
