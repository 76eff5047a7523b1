"""Composio's own clients, from PyPI and unmodified but for `base_url`, against this server as their tool router."""

import json
import os
import pathlib
import subprocess
import unittest

import harness
import test_remote_tools as remote_tools
import test_tool_router as tool_router

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"


def setUpModule():
    global pythons
    remote_tools.setUpModule()
    pythons = {}
    for name in ("composio", "composio-old"):
        done = subprocess.run([CLIENTS / "environment", name], capture_output=True, text=True, timeout=700, check=False)
        assert done.returncode == 0, done.stderr
        pythons[name] = done.stdout.strip()


def tearDownModule():
    harness.end_everything()


class Client(tool_router.Router):
    def turns(self, client, *steps):
        """What each step gave."""
        process = subprocess.run(
            [pythons[client], CLIENTS / "composio_turns.py", self.own.url, self.key], input=json.dumps(steps), text=True,
            capture_output=True, timeout=120, check=False, env={**os.environ, "COMPOSIO_CACHE_DIR": str(self.own.directory)})
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)

    def check_session(self, client):
        use_case = {"queries": [{"use_case": "says something again"}]}
        created, tools, kits, found, done, missing = self.turns(
            client, ["create", {"user_id": "u", "toolkits": [self.name]}], ["tools", {}], ["toolkits", {}],
            ["meta", {"slug": "COMPOSIO_SEARCH_TOOLS", "arguments": use_case}],
            ["execute", {"slug": self.look, "arguments": {"at": "it"}}],
            ["execute", {"slug": "GMAIL_FETCH_EMAILS", "arguments": {}}])
        self.assertEqual((created["url"], created["headers"]),
                         (f"{self.own.url}/tool_router/{created['session_id']}/mcp", ["x-api-key"]))
        self.assertEqual([tool["function"]["name"] for tool in tools], tool_router.META)
        self.assertEqual([(kit["slug"], kit["is_no_auth"]) for kit in kits["items"]], [(self.name, True)])
        self.assertEqual(found["data"]["results"][0]["primary_tool_slugs"], [self.echo])
        self.assertEqual((done["data"], done["error"]), ({"at": "it"}, None))
        self.assertEqual((missing["raised"], missing["status_code"]), ("NotFoundError", 404))
        return created["session_id"]


class Newest(Client):
    def test_a_session(self):
        session = self.check_session("composio")
        used, changed, deleted, gone = self.turns(
            "composio", ["use", {"session_id": session}], ["update", {"toolkits": {"disable": ["x"]}}], ["delete", {}],
            ["use", {"session_id": session}])
        self.assertEqual(used["session_id"], session)
        self.assertEqual((changed["config_version"], changed["config"]["toolkits"]["disabled"]), (2, ["x"]))
        self.assertEqual(deleted, {"session_id": session, "deleted": True})
        self.assertEqual(gone["status_code"], 404)

    def test_a_search_and_several_tools(self):
        calls = [{"tool_slug": self.look, "arguments": {"n": n}} for n in range(3)]
        _, found, done = self.turns(
            "composio", ["create", {"user_id": "u"}], ["search", {"query": "says something again"}],
            ["meta", {"slug": "COMPOSIO_MULTI_EXECUTE_TOOL", "arguments": {"tools": calls}}])
        self.assertEqual(found["results"][0]["primary_tool_slugs"], [self.echo])
        self.assertEqual([one["response"]["data"] for one in done["data"]["results"]], [{"n": 0}, {"n": 1}, {"n": 2}])

    def test_a_call_that_a_person_approves(self):
        created, asked = self.turns("composio", ["create", {"user_id": "u"}],
                                    ["execute", {"slug": self.echo, "arguments": {"text": "x"}}])
        self.assertEqual(asked["raised"], "ToolInputRequiredError")
        self.assertEqual(self.decide().status, 200)
        accept = {"approval": {"action": "accept", "content": {"ok": True}}}
        _, done = self.turns(
            "composio", ["use", {"session_id": created["session_id"]}],
            ["execute", {"slug": self.echo, "arguments": {"text": "x"}, "input_responses": accept,
                         "request_state": asked["request_state"]}])
        self.assertEqual((done["result_type"], done["data"]), ("completed", {"text": "x"}))

    def test_tools_without_a_session(self):
        self.check_direct("composio")

    def check_direct(self, client):
        listed, tool, done = self.turns(
            client, ["list_tools", {"toolkits": [self.name]}], ["get_tool", {"slug": self.look}],
            ["run_tool", {"slug": self.look, "arguments": {"at": "it"}, "user_id": "u"}])
        self.assertEqual([tool["slug"] for tool in listed], [self.echo, self.look])
        self.assertEqual(tool["slug"], self.look)
        self.assertEqual((done["successful"], done["data"], done["error"]), (True, {"at": "it"}, None))


class Old(Newest):
    """0.10.5, whose sessions cannot be changed."""

    def test_a_session(self):
        session = self.check_session("composio-old")
        self.assertEqual(self.turns("composio-old", ["use", {"session_id": session}])[0]["session_id"], session)

    def test_a_search_and_several_tools(self):
        calls = [{"tool_slug": self.look, "arguments": {"n": n}} for n in range(3)]
        _, done = self.turns("composio-old", ["create", {"user_id": "u"}],
                             ["meta", {"slug": "COMPOSIO_MULTI_EXECUTE_TOOL", "arguments": {"tools": calls}}])
        self.assertEqual([one["response"]["data"] for one in done["data"]["results"]], [{"n": 0}, {"n": 1}, {"n": 2}])

    test_a_call_that_a_person_approves = None

    def test_tools_without_a_session(self):
        self.check_direct("composio-old")


if __name__ == "__main__":
    unittest.main()
