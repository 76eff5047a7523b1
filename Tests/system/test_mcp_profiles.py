"""Named sets of tools: what /mcp/{profile} has, and that it never has more than the caller."""

import json
import unittest
import urllib.parse
import uuid

import test_mcp as mcp
import test_mcp_tools as endpoint
import test_openapi as openapi
import test_tool_calls as calls
import test_tools as tools
from harness import Client

COMMIT, STATUS, told = tools.COMMIT, tools.STATUS, tools.told


def setUpModule():
    endpoint.setUpModule()


def tearDownModule():
    endpoint.tearDownModule()


class Profiles(endpoint.Endpoint):
    def setUp(self):
        super().setUp()
        self.refresh(told("git", STATUS, COMMIT), told("time", {"name": "now", "description": "The time.", "inputSchema": {"type": "object"}}))
        self.profile = f"set-{uuid.uuid4().hex[:8]}"

    def put(self, *names, status=200, profile=None, token=None):
        answer = self.ask("PUT", f"/v1/mcp/profiles/{profile or self.profile}", {"tools": list(names)}, token)
        self.assertEqual(answer.status, status, answer)
        return answer

    def at(self, method, params=None, credential=None, profile=None):
        body, headers = mcp.modern(method, params)
        client = Client(self.server.address, credential or self.server.admin, timeout=60)
        return client.request("POST", "/mcp/" + urllib.parse.quote(profile or self.profile), body, headers)

    def names(self, credential=None):
        answer = self.at("tools/list", credential=credential)
        self.assertEqual(answer.status, 200, answer)
        return [tool["name"] for tool in answer.json["result"]["tools"]]

    def fails(self, name, arguments=None, credential=None):
        """The words of a call that reaches no tool."""
        answer = self.at("tools/call", {"name": name, "arguments": arguments or {}}, credential).json
        if "error" in answer:
            return answer["error"]["message"]
        self.assertTrue(answer["result"]["isError"], answer)
        return answer["result"]["content"][0]["text"]

    def test_kept_listed_and_removed(self):
        kept = self.put("git.git_status", "list_sessions", "git.git_status").json
        self.assertEqual((kept["name"], kept["tools"], kept["changed_by"]), (self.profile, ["git.git_status", "list_sessions"], "admin"))
        self.assertEqual(self.get(f"/v1/mcp/profiles/{self.profile}"), kept)
        self.assertIn(kept, self.get("/v1/mcp/profiles")["profiles"])
        for path in ("/v1/mcp/profiles", "/v1/mcp/profiles/{name}"):
            openapi.check(path, "GET", self.ask("GET", path.format(name=self.profile)))
        self.assertEqual(self.put("time.*").json["tools"], ["time.*"])
        self.assertEqual(self.ask("DELETE", f"/v1/mcp/profiles/{self.profile}").status, 204)
        self.assertEqual(self.get(f"/v1/mcp/profiles/{self.profile}", status=404)["error"]["code"], "profile_not_found")
        self.assertEqual(self.ask("DELETE", f"/v1/mcp/profiles/{self.profile}").status, 404)
        self.assertEqual(self.at("tools/list").status, 404)
        actions = [(row["action"], row["actor"]) for row in self.get("/v1/audit?limit=200")["data"] if row["object"] == self.profile]
        self.assertEqual(sorted(actions), [("mcp_profile.remove", "admin"), ("mcp_profile.set", "admin"), ("mcp_profile.set", "admin")])

    def test_what_is_no_profile(self):
        for body in ({}, {"tools": "x"}, {"tools": [1]}, {"tools": [""]}, {"tools": ["x" * 301]}, {"tools": ["a\nb"]}, {"tools": ["a"] * 201}):
            answer = self.ask("PUT", f"/v1/mcp/profiles/{self.profile}", body)
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, "tools"), body)
        for name in ("Upper", "a_b", "x" * 33, "a%2Fb", "%00"):
            self.assertIn(self.ask("PUT", f"/v1/mcp/profiles/{name}", {"tools": []}).status, (400, 404), name)
        # A set is changed with `administer`, and read with `read`.
        key = self.program("read", "tools")
        self.put("list_sessions", status=403, token=key)
        self.assertEqual(self.ask("DELETE", f"/v1/mcp/profiles/{self.profile}", token=key).status, 403)
        self.get("/v1/mcp/profiles", token=key)

    def test_there_is_a_bound(self):
        kept = len(self.get("/v1/mcp/profiles")["profiles"])
        made = [f"many-{number}" for number in range(100 - kept)]
        for name in made:
            self.put(profile=name)
        self.assertEqual(self.put(status=409).json["error"]["code"], "too_many_profiles")
        self.put("list_sessions", profile=made[0])
        for name in made:
            self.assertEqual(self.ask("DELETE", f"/v1/mcp/profiles/{name}").status, 204)

    def test_an_endpoint_has_the_tools_of_the_set_alone(self):
        self.put("list_sessions", "git.git_status", "time.*", "nothing.here", "approve")
        listed = self.names(self.key_of_tools)
        # A key that only runs tools reads nothing, here as elsewhere.
        self.assertEqual(listed[:2], ["search_tools", "call_tool"])
        self.assertEqual(["git__git_status" in listed[2], "time__now" in listed[3], len(listed)], [True, True, 4], listed)
        self.assertEqual(self.names()[:3], ["list_sessions", "search_tools", "call_tool"])
        self.assertEqual(self.at("tools/call", {"name": "list_sessions", "arguments": {}}).json["result"]["isError"], False)
        self.assertIn("Unknown tool", self.fails("get_usage"))
        commit = next(name for name in self.mine() if "git_commit" in name)
        self.assertIn("Unknown tool", self.fails(commit, credential=self.key_of_tools))
        for name in ("git.git_commit", commit):
            answer = self.call_at("call_tool", {"name": name, "project_id": self.project})
            self.assertIn("tool_not_found", answer.text())
        found = self.at("tools/call", {"name": "search_tools", "arguments": {"query": "git", "machine_id": self.name}}).json["result"]
        self.assertEqual([tool["description"].split(". ")[-1] for tool in found["structuredContent"]["tools"]], [STATUS["description"]])

    def call_at(self, name, arguments, credential=None, **headers):
        body, named = mcp.modern("tools/call", {"name": name, "arguments": arguments, "_meta": {"progressToken": 7}})
        stream = ProfileStream(self.server, credential or self.key_of_tools, self.profile, body, {**named, **headers})
        self.addCleanup(stream.connection.close)
        return stream

    def test_a_call_in_a_set_runs_as_elsewhere(self):
        self.put("git.*")
        stream = self.call_at(next(name for name in self.mine() if "git_status" in name), {"path": "."}, **self.here)
        self.approve()
        self.run_call()
        self.assertEqual(stream.result()["content"], calls.RESULT["content"])

    def test_a_set_without_tools_of_servers_has_no_search(self):
        self.put("list_sessions")
        self.assertEqual(self.names(), ["list_sessions"])
        self.assertIn("Unknown tool", self.fails("search_tools", {"query": "git"}))
        self.assertIn("Unknown tool", self.fails("call_tool", {"name": "git.git_status"}))
        self.assertNotIn("call_tool", self.at("server/discover").json["result"]["instructions"])

    def test_a_set_never_widens_what_a_caller_may_do(self):
        self.put("list_sessions", "get_changes", "approve", "ask_person", "git.*", "time.*")
        self.assertEqual(self.names(self.key), ["list_sessions", "ask_person"])
        self.assertEqual(self.names(self.program("chat")), [])
        self.assertEqual(self.names(tools.reader), ["list_sessions", "get_changes"])
        self.assertIn("insufficient_scope", self.fails("list_sessions", credential=self.program("chat")))
        self.assertIn("insufficient_scope", self.fails("approve", {"tool_name": "Bash", "input": {}, "tool_use_id": "x"}, self.key))
        status = next(name for name in self.mine() if "git_status" in name)
        self.assertIn("Unknown tool", self.fails(status, credential=self.key))
        self.grant("git")
        self.assertEqual([name for name in self.names(self.key) if "now" in name], [])

    def test_by_command(self):
        done = self.server.control("tools", "set-profile", self.profile, "list_sessions", "git.*")
        self.assertEqual(done.stdout, f"/mcp/{self.profile} has 2 names\n")
        self.assertIn("git.* list_sessions", self.server.control("tools", "profiles").stdout)
        self.server.control("tools", "remove-profile", self.profile)
        self.assertNotIn(self.profile, json.dumps(self.get("/v1/mcp/profiles")))


class ProfileStream(endpoint.Stream):
    def __init__(self, server, credential, profile, body, headers):
        self.path = f"/mcp/{profile}"
        super().__init__(server, credential, body, headers)


if __name__ == "__main__":
    unittest.main()
