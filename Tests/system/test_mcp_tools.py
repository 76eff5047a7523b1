"""Tools of machines by /mcp: who has which, under which names, and calls that wait for a person over lost connections."""

import http.client
import json
import threading
import unittest
import uuid

import test_mcp as mcp
import test_tool_calls as calls
import test_tools as tools
from harness import PATIENCE, session, wait_for

COMMIT, STATUS, told = tools.COMMIT, tools.STATUS, tools.told
OWN = mcp.RUNNING
META = "claudecode/toolUseId"


def setUpModule():
    tools.setUpModule()
    mcp.server = tools.server


def tearDownModule():
    tools.tearDownModule()


class Stream:
    """The answer to a call, as it comes. A thread reads it."""

    path = "/mcp"

    def __init__(self, server, credential, body=None, headers=None, last=None):
        host, _, port = server.address.rpartition(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
        named = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json", **(headers or {})}
        if last:
            named.update({"Last-Event-ID": last, "Accept": "text/event-stream"})
        self.connection.request("GET" if last else "POST", self.path, body and json.dumps(body), named)
        self.answer = self.connection.getresponse()
        self.id, self.events, self.is_over, self.is_cut = None, [], threading.Event(), threading.Event()
        if self.answer.headers["content-type"].startswith("text/event-stream"):
            self.id = self.answer.readline().decode().strip().removeprefix("id: ")
            threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.answer:
                if line.startswith(b"data: {"):
                    self.events.append(json.loads(line[6:]))
                    if "result" in self.events[-1]:
                        self.is_over.set()
        except (AttributeError, OSError, http.client.HTTPException, ValueError):
            # Also AttributeError: a connection that a test closes has nothing left to read.
            pass
        self.is_cut.set()

    def cut(self):
        self.connection.sock.shutdown(2)
        assert self.is_cut.wait(PATIENCE)

    def whole(self):
        """The answer that is no stream."""
        assert not self.id
        return json.loads(self.answer.read())

    def result(self):
        if not self.id:
            return self.whole()["result"]
        assert self.is_over.wait(PATIENCE), self.events
        return self.events[-1]["result"]

    def text(self):
        return self.result()["content"][0]["text"]


class Endpoint(calls.WithSession):
    def call(self, name, arguments=None, credential=None, stateless=True, meta=None, **headers):
        params = {"name": name, "arguments": arguments or {}, "_meta": {"progressToken": 7, **(meta or {})}}
        if stateless:
            body, named = mcp.modern("tools/call", params)
        else:
            body, named = mcp.message("tools/call", params), {"MCP-Protocol-Version": "2025-11-25"}
        stream = Stream(self.server, credential or self.key_of_tools, body, {**named, **headers})
        self.addCleanup(stream.connection.close)
        return stream

    def again(self, stream, credential=None):
        again = Stream(self.server, credential or self.key_of_tools, last=stream.id)
        self.addCleanup(again.connection.close)
        return again

    def setUp(self):
        super().setUp()
        mcp.server = tools.server
        number = self.get("/v1/machines/" + self.name)["id"]
        self.key_of_tools = self.program("tools", machines=[number])
        self.here = {"X-Session-Id": self.chosen}

    def listed(self, credential=None):
        answer = mcp.post(*mcp.modern("tools/list"), credential or self.key_of_tools)
        self.assertEqual(answer.status, 200, answer)
        return {tool["name"]: tool for tool in answer.json["result"]["tools"]}

    def mine(self, credential=None):
        """The listed tools of this test's machine."""
        return {name: tool for name, tool in self.listed(credential).items() if self.name in tool["description"]}

    def grant(self, server, machine=None):
        self.server.control("key", "grant", machine or self.name, "tools", server)
        wait_for(lambda: "call_tool" in self.listed(self.key), "the grant")


class Lists(Endpoint):
    def test_own_tools_and_those_that_may_be_run(self):
        self.assertEqual(list(self.listed()), OWN + sorted(self.mine()))
        found = self.mine()
        self.assertEqual(sorted(tool["description"].partition(". A person is asked before each call. ")[2]
                                for tool in found.values()), [COMMIT["description"], STATUS["description"]])
        status = next(tool for name, tool in found.items() if "git_status" in name)
        self.assertEqual((status["inputSchema"], status["annotations"]), (STATUS["inputSchema"], STATUS["annotations"]))
        # The list is the same every time, and for a caller that also reads it comes after the monitor's own tools.
        self.assertEqual(self.listed(), self.listed())
        self.assertEqual(list(self.listed(self.server.admin))[:len(mcp.TOOLS) + 2], mcp.TOOLS + OWN)
        for credential in (tools.reader, self.program("read"), self.program("chat"), self.key):
            self.assertEqual([name for name in self.listed(credential) if name in OWN or "__" in name], [])
        elsewhere = self.server.key(f"other-{uuid.uuid4().hex[:6]}")
        number = next(one["id"] for one in self.get("/v1/machines")["machines"] if one["name"].startswith("other-"))
        self.assertEqual(list(self.listed(self.program("tools", machines=[number]))), OWN)
        self.assertNotIn("call_tool", self.listed(elsewhere))

    def test_instructions_name_them_to_callers_that_run_tools(self):
        for credential, says in ((self.key_of_tools, True), (tools.reader, False)):
            answer = mcp.post(*mcp.modern("server/discover"), credential)
            self.assertEqual("A person is asked" in answer.json["result"]["instructions"], says)

    def test_a_name_never_passes_to_another_tool(self):
        long = {**STATUS, "name": "t" * 100}
        self.refresh(told("git", STATUS, COMMIT), told("files", long))
        first = {tool["description"]: name for name, tool in self.mine().items()}
        for name in first.values():
            self.assertLessEqual(len(name), 50)
            self.assertRegex(name, "^[A-Za-z0-9_-]+$")
        other = f"/home/dev/{self.name}/other"
        self.refresh(told("files", {**STATUS, "description": "Another.", "name": "t" * 100}, scope="local"),
                     told("git", {**COMMIT, "description": "Takes the name."}, scope="local"), machine_id=self.name, path=other)
        later = {tool["description"]: name for name, tool in self.mine().items()}
        self.assertEqual({text: later[text] for text in first}, first)
        self.assertEqual((len(later), len(set(later.values()))), (5, 5))
        # A tool that goes and comes again has its name.
        self.refresh(told("git", STATUS))
        gone = next(name for text, name in first.items() if COMMIT["description"] in text)
        self.assertNotIn(gone, self.mine())
        self.refresh(told("git", STATUS, COMMIT), told("files", long))
        self.assertEqual({tool["description"]: name for name, tool in self.mine().items()}, later)

    def test_what_waits_for_a_person_or_is_not_known_is_not_listed(self):
        self.refresh(told("git", {**STATUS, "description": "Now it deletes."}, COMMIT), told("bare", {"name": "naked"}))
        self.assertEqual([name for name in self.mine() if "status" in name or "naked" in name], [])
        self.assertEqual(len(self.mine()), 1)

    def test_hostile_definitions_spoil_no_list(self):
        self.refresh(told("bad", {"name": "a", "description": "x\u202e\u200b\x1b[31m" + "y" * 5000, "inputSchema": {"properties": {}}},
                          {"name": "b", "inputSchema": {"type": "string"}}, {"name": "c", "inputSchema": ["no"]},
                          {"name": "d", "inputSchema": {"type": "object", "description": "z" * (40 << 10)}}, STATUS))
        found = self.mine()
        self.assertEqual(len(found), 4)
        for tool in found.values():
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertNotRegex(tool["description"], "[\u202e\u200b\x1b]")
            self.assertLess(len(tool["description"]), 2300)
        # The one that is too large is found by a search.
        self.assertEqual(len([tool for tool in self.search("bad")["tools"] if tool["name"].endswith("d")]), 1)

    def search(self, words, credential=None, **arguments):
        body, headers = mcp.modern("tools/call", {"name": "search_tools", "arguments": {"query": words, "limit": 50, **arguments}})
        result = mcp.post(body, headers, credential or self.key_of_tools).json["result"]
        self.assertFalse(result["isError"], result)
        return result["structuredContent"]

    def test_at_most_a_hundred_and_the_rest_by_search(self):
        many = [{**COMMIT, "name": f"number_{number:03}", "description": f"word{number}"} for number in range(130)]
        self.refresh(told("many", *many))
        found = self.mine()
        self.assertEqual(len(found), 100)
        missing = self.search("word129")
        self.assertEqual((missing["total"], [tool["server"] for tool in missing["tools"]]), (1, ["many"]))
        name = missing["tools"][0]["name"]
        self.assertNotIn(name, found)
        stream = self.call("call_tool", {"name": name, "arguments": {"a": 1}, "session_id": self.chosen})
        self.assertEqual((self.agent.taken()["tool"], self.agent.taken()["arguments"]), ("number_129", {"a": 1}))
        self.refuse("denied_by_person")
        self.assertEqual(stream.text(), "denied_by_person: No.")

    def test_a_search_finds_what_the_caller_may_run(self):
        self.assertEqual(len(self.search("commit changes", machine_id=self.name)["tools"]), 1)
        self.assertEqual(self.search("?!")["tools"], [])
        other = tools.reader
        body, headers = mcp.modern("tools/call", {"name": "search_tools", "arguments": {"query": "commit"}})
        self.assertEqual(mcp.post(body, headers, other).json["error"]["code"], -32602)
        for odd in ({}, {"query": 1}, {"query": "a", "limit": 51}, {"query": "a", "b": 1}, {"query": "a", "machine_id": "none-such"}):
            body, headers = mcp.modern("tools/call", {"name": "search_tools", "arguments": odd})
            self.assertTrue(mcp.post(body, headers, self.key_of_tools).json["result"]["isError"], odd)


class Calls(Endpoint):
    def name_of(self, tool="git_status"):
        return next(name for name, one in self.mine().items() if tool in name)

    def test_approved_by_another_person_in_both_eras(self):
        for number, stateless in enumerate((True, False)):
            stream = self.call(self.name_of(), {"path": "."}, stateless=stateless, **self.here)
            # The stream has begun before anybody has decided.
            self.assertEqual((stream.answer.status, bool(stream.id)), (200, True))
            asked = self.agent.taken(2 * number)
            self.assertEqual((asked["tool"], asked["arguments"], asked["path"]), ("git_status", {"path": "."}, self.path))
            self.assertNotIn("session_id", asked)
            call = self.approve(2 * number)
            self.run_call(number=2 * number + 1)
            result = stream.result()
            self.assertEqual((result["content"], result["structuredContent"], result["isError"]),
                             (calls.RESULT["content"], calls.RESULT["structuredContent"], False))
            stored = self.status(call)
            self.assertEqual((stored["status"], stored["session_id"], stored["approved_by"]), ("completed", self.chosen, "admin"))
        self.assertEqual(len(self.runs()), 2)

    def test_the_caller_does_not_approve_its_own_call(self):
        device = self.phone("control", "respond")
        stream = self.call(self.name_of(), credential=device["access_token"], **self.here)
        call = self.asked()["command_id"]
        answer = self.decide(call, token=device["access_token"])
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "own_call"), answer)
        # What a client sends as input approves nothing: it is another call, about which a person is asked.
        params = {"name": self.name_of(), "arguments": {}, "inputResponses": {"approval": {"action": "accept", "content": {"ok": True}}},
                  "requestState": stream.id}
        body, headers = mcp.modern("tools/call", params)
        Stream(self.server, device["access_token"], body, {**headers, **self.here})
        self.assertNotEqual(self.agent.taken(1)["command_id"], call)
        self.assertEqual(self.runs(), [])
        self.refuse("denied_by_person", "not now")
        self.assertEqual(stream.text(), "denied_by_person: not now")

    def test_who_has_no_tool_of_the_name(self):
        name = self.name_of()
        for credential in (tools.reader, self.program("read"), self.program("chat"), self.key):
            answer = self.call(name, credential=credential, **self.here).whole()
            self.assertEqual((answer["error"]["code"], answer["error"]["message"]), (-32602, f"Unknown tool: {name}"))
        for odd in ("git.git_status", self.git["id"] + ".git_status", "no__such", "git__git_status" + "x" * 40):
            self.assertIn("Unknown tool", self.call(odd, **self.here).whole()["error"]["message"])

    def test_the_place_of_a_call(self):
        answer = self.call(self.name_of())
        self.assertIn("missing_parameter", answer.text())
        self.assertIn("missing_parameter", self.call(self.name_of(), **{"X-Session-Id": session()}).text())
        for number, (place, meta, headers) in enumerate((
                ({"project_id": self.project}, {}, {}), ({}, {META: "toolu_place"}, {}), ({"session_id": self.chosen}, {}, {}))):
            if meta:
                event = calls.envelope(dict(calls.hook("PreToolUse", self.chosen, tool_name="mcp__monitor__call_tool", tool_input={},
                                                       tool_use_id=meta[META]), cwd=self.path))
                self.assertEqual(calls.Client(self.server.address, self.key).request("POST", "/api/events", event).status, 202)
            self.call("call_tool", {"name": "git.git_status", "machine_id": self.name, **place}, meta=meta, **headers)
            asked = self.agent.taken(number)
            self.assertEqual((asked.get("session_id"), asked.get("path")),
                             (self.chosen, None) if "session_id" in place else (None, self.path))
            self.refuse("denied_by_person", number=number)
        both = {"name": "git.git_status", "project_id": self.project, "session_id": self.chosen}
        self.assertIn("invalid_parameter", self.call("call_tool", both).text())
        for odd in ({}, {"name": 1}, {"name": "a", "arguments": []}, {"name": "a", "x": 1}):
            self.assertTrue(self.call("call_tool", odd).result()["isError"])
        self.assertIn("tool_not_found", self.call("call_tool", {"name": "git.none", "session_id": self.chosen}).text())

    def test_a_tool_that_has_changed_is_not_called(self):
        name = self.name_of()
        self.refresh(told("git", {**STATUS, "description": "Deletes everything."}, COMMIT))
        self.assertIn("tool_changed", self.call(name, **self.here).text())
        self.assertEqual(self.agent.waiting, [])

    def test_a_revoked_key_waits_no_longer_and_runs_nothing(self):
        created = self.ask("POST", "/v1/api-keys", {"name": f"gone-{uuid.uuid4()}", "capabilities": ["tools"]}).json
        stream = self.call(self.name_of(), credential=created["key"], **self.here)
        call = self.asked()["command_id"]
        self.assertEqual(self.ask("DELETE", f"/v1/api-keys/{created['id']}").status, 200)
        self.assertIn("credential_revoked", stream.text())
        self.assertEqual(self.decide(call).status, 200)
        self.agent.answer({"approved": True})
        self.ends_as(call, "refused")
        self.assertEqual(self.runs(), [])


class Machines(Endpoint):
    """The keys of machines."""

    def test_what_was_granted_by_name_and_nothing_else(self):
        self.refresh(told("git", STATUS, COMMIT), told("sqlite", {**COMMIT, "name": "write_query"}))
        self.assertNotIn("call_tool", self.listed(self.key))
        self.grant("git")
        record = next(one for one in self.get("/v1/keys")["keys"] if one["name"] == self.name)
        self.assertEqual((record["tool_servers"], record["grants"]), (["git"], []))
        self.assertEqual(len(self.mine(self.key)), 2)
        sqlite = next(name for name in self.mine() if "write_query" in name)
        self.assertIn("Unknown tool", self.call(sqlite, credential=self.key, **self.here).whole()["error"]["message"])
        for name in ("sqlite.write_query", sqlite):
            stream = self.call("call_tool", {"name": name, "project_id": self.project}, credential=self.key)
            self.assertIn("tool_not_found", stream.text())
        stream = self.call(next(iter(self.mine(self.key))), credential=self.key, **self.here)
        asked = self.asked()
        self.assertEqual((asked["by"]["kind"], asked["by"]["name"]), ("machine", self.name))
        self.assertEqual(self.status(asked["command_id"])["caller"][:4], "key:")
        self.refuse("denied_by_person")
        self.assertIn("denied_by_person", stream.text())
        # The grant does nothing by REST.
        self.assertEqual(self.execute(self.key).json["error"]["code"], "insufficient_scope")
        self.server.control("key", "revoke-grant", self.name, "tools", "git")
        wait_for(lambda: "call_tool" not in self.listed(self.key), "the end of the grant")

    def test_the_tools_of_other_machines_never(self):
        self.grant("git")
        other = self.server.key(f"far-{uuid.uuid4().hex[:6]}")
        far = next(one["name"] for one in self.get("/v1/machines")["machines"] if one["name"].startswith("far-"))
        self.server.control("key", "grant", far, "tools", "git")
        wait_for(lambda: "call_tool" in self.listed(other), "the grant")
        self.assertEqual(list(name for name in self.listed(other) if "git" in name), [])
        name = next(iter(self.mine(self.key)))
        self.assertIn("Unknown tool", self.call(name, credential=other, **self.here).whole()["error"]["message"])
        text = self.call("call_tool", {"name": "git.git_status", "session_id": self.chosen}, credential=other).text()
        self.assertIn("insufficient_scope", text)
        self.assertEqual(self.agent.waiting, [])

    def test_odd_grants(self):
        for path in ("tools", "respond", "tools/" + "x" * 200, "tools/a%0Ab"):
            self.assertEqual(self.ask("PUT", f"/v1/keys/{self.name}/grants/{path}", {}).status, 400, path)
        self.assertEqual(self.ask("PUT", "/v1/keys/no-such/grants/tools/git", {}).status, 404)
        for arguments in (("tools",), ("approve", "git")):
            self.assertNotEqual(self.server.control("key", "grant", self.name, *arguments, check=False).returncode, 0)


class Resuming(Endpoint):
    def begin(self):
        stream = self.call(next(name for name in self.mine() if "git_status" in name), {"path": "."}, **self.here)
        self.assertTrue(stream.id)
        return stream

    def test_a_lost_connection(self):
        stream = self.begin()
        self.agent.taken()
        stream.cut()
        again = self.again(stream)
        self.approve()
        self.run_call()
        self.assertEqual(again.result()["content"], calls.RESULT["content"])
        self.assertEqual(again.events[-1]["id"], 1)

    def test_the_result_is_kept_for_a_client_that_was_away(self):
        stream = self.begin()
        self.agent.taken()
        stream.cut()
        call = self.approve()
        self.run_call()
        self.ends_as(call, "completed")
        self.assertEqual(self.again(stream).result()["content"], calls.RESULT["content"])
        self.assertEqual(len(self.runs()), 1)

    def test_only_the_caller_gets_the_rest(self):
        stream = self.begin()
        self.agent.taken()
        for credential in (self.program("tools"), self.server.admin, self.key):
            self.assertEqual(self.again(stream, credential).answer.status, 405)
        for odd in (stream.id[:-2] + "aa", "x"):
            self.assertEqual(Stream(self.server, self.key_of_tools, last=odd).answer.status, 405)


class Restarted(calls.Faults, Resuming):
    """A server of its own, which is stopped."""

    test_a_server_that_dies_while_calls_wait_and_run = test_without_the_database_nothing_runs = None
    test_a_result_that_comes_while_the_database_is_away = test_a_lost_connection = None
    test_the_result_is_kept_for_a_client_that_was_away = test_only_the_caller_gets_the_rest = None

    def test_the_server_is_restarted_in_the_wait(self):
        stream = self.begin()
        call = self.asked()["command_id"]
        self.server.kill()
        self.cluster.sql("UPDATE tool_calls SET touched_at = touched_at - interval '1 minute'")
        self.server.start()
        self.assertIn("server_stopped", self.again(stream).text())
        self.assertEqual((self.ends_as(call, "expired")["error"]["code"], self.runs()), ("server_stopped", []))


if __name__ == "__main__":
    unittest.main()
