"""What must not succeed with remote MCP servers: a server that changes between approval and call, arguments that say two things,
a policy that cannot be read, and a caller that goes away."""

import json
import os
import resource
import threading
import unittest

import test_mcp as mcp
import test_mcp_tools as mcp_tools
import test_remote_tools as remote_tools
from harness import wait_for
from remote_servers import ECHO, LOOK


def setUpModule():
    remote_tools.setUpModule()
    mcp.server = remote_tools.server


def tearDownModule():
    remote_tools.tearDownModule()


class WithAdded(remote_tools.WithRemote):
    def setUp(self):
        super().setUp()
        self.added = self.add()
        self.path = f"/v1/mcp/servers/{self.added['id']}"
        self.listed(self.added)


class Moved(WithAdded):
    """An approval counts for the server as it was when the person was asked."""

    def approved_after(self, change):
        """The answer to a call whose server is changed while a person is asked. Its tools stay the same."""
        other = self.serve()
        thread = self.executing(self.program())
        self.prompt()
        change(other)
        self.assertEqual(self.decide().status, 200)
        self.end(thread, 409, "mcp_server_changed")
        self.assertEqual([one.messages("tools/call") for one in (self.remote, other)], [[], []])

    def test_to_another_place(self):
        def move(other):
            self.assertEqual(self.ask("PATCH", self.path, {"url": other.url}).status, 200)
        self.approved_after(move)

    def test_to_other_credentials(self):
        def change(_):
            self.assertEqual(self.ask("PATCH", self.path, {"headers": {"X-Account": "other"}}).status, 200)
        self.approved_after(change)

    def test_removed_and_added_anew_under_the_same_name(self):
        def replace(other):
            self.assertEqual(self.ask("DELETE", self.path).status, 204)
            self.remote.url = other.url
            self.add()
        self.approved_after(replace)

    def test_what_a_server_said_at_its_old_address_counts_no_more(self):
        other = self.serve()
        other.tools = [dict(ECHO, description="Sends it to somebody else."), LOOK]
        held, post = threading.Event(), other.post

        def wait(handler, message):
            held.wait(30)
            post(handler, message)
        other.post = wait
        self.addCleanup(held.set)
        self.assertEqual(self.ask("PATCH", self.path, {"url": other.url}).status, 200)
        thread = self.executing(self.program())
        # The call waits until the server has been asked for its tools at the new address.
        row = f"SELECT listed_at IS NULL FROM remote_mcp_servers WHERE server_id = '{self.added['id']}'"
        self.assertEqual(remote_tools.postgres.sql(row), ["t"])
        held.set()
        self.end(thread, 409, "tool_changed")
        self.assertEqual(other.messages("tools/call"), [])


class Arguments(WithAdded):
    def test_a_member_that_is_named_twice(self):
        for text in ('{"text":"shown","text":"run"}', '{"a":[{"b":1,"b":1}]}', '{"a":1,"\\u0061":2}'):
            with self.subTest(text):
                client = self.server.client(self.program())
                self.addCleanup(client.close)
                body = b'{"parameters":' + text.encode() + b"}"
                answer = client.request("POST", f"/v1/tools/{self.name}.echo/execute", body)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "invalid_parameter"), answer)

    def test_two_spellings_of_a_character_are_two_members(self):
        thread = self.executing(self.program(), parameters={"\u00e9": 1, "e\u0301": 2})
        self.assertEqual(self.decide().status, 200)
        answer = self.end(thread, 200)
        self.assertEqual(json.loads(answer.json["content"][0]["text"]), {"\u00e9": 1, "e\u0301": 2})


class Refusals(WithAdded):
    def test_a_call_that_is_refused_is_no_failure_of_the_server(self):
        self.remote.on_call = lambda handler, message: self.remote.fail(handler, message, -32602, "bad arguments")
        self.call(502, "mcp_server_failed")
        self.assertEqual(self.get(self.path)["state"], "connected")


class Bounds(WithAdded):
    def test_a_list_of_more_values_than_are_taken(self):
        values = b"[" + b"0," * 600_000 + b"0]"
        self.remote.on_post = lambda handler, message: self.remote.send(
            handler, 200, b'{"jsonrpc":"2.0","id":%d,"result":{"tools":%s}}' % (message["id"], values))
        found = self.listed(self.added)
        self.assertEqual((found["state"], found["reason"]), ("failed", "the answer has more than 500000 values"))

    def test_a_server_whose_tools_always_have_other_names(self):
        for turn in range(5):
            self.remote.tools = [ECHO] + [dict(LOOK, name=f"t{turn}-{number}") for number in range(499)]
            self.remote.page = 500
            found = self.listed(self.added)
        self.assertEqual((found["tool_count"], found["is_complete"]), (3, False))
        rows = f"SELECT count(*) FROM mcp_tools WHERE server_id = '{self.added['id']}'"
        self.assertEqual(remote_tools.postgres.sql(rows), ["2000"])

    def test_a_result_of_more_values_than_are_passed_on(self):
        content = {"content": [{"type": "text", "text": "," * 600_000}], "structuredContent": {"a": [[]] * 600_000}}
        self.remote.on_call = lambda handler, message: self.remote.result(handler, message, content)
        body = self.call().json
        self.assertEqual((body["is_error"], body["code"]), (True, "result_too_large"))
        content.pop("structuredContent")
        self.assertEqual(self.call().json["content"], content["content"])


class Policy(remote_tools.WithRemote):
    server = property(lambda self: self.own)

    def setUp(self):
        super().setUp()
        self.own = remote_tools.start()
        self.addCleanup(self.own.end)
        self.file = self.own.directory / "tools.policy"
        self.listed(self.add())

    def test_a_file_that_cannot_be_read_allows_nothing(self):
        self.file.symlink_to(self.own.directory / "away")
        self.end(self.executing(self.program()), 403, "not_allowed_by_policy")

    def test_a_server_without_free_descriptors_does_not_forget_the_file(self):
        self.file.write_text("caller=* who=off\n")
        client = self.own.client(self.program(), timeout=60)
        self.addCleanup(client.close)
        path = f"/v1/tools/{self.name}.echo/execute"
        self.assertEqual(client.request("POST", path, {}).json["error"]["code"], "not_allowed_by_policy")
        process = self.own.process.pid
        limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
        used = max(int(name) for name in os.listdir(f"/proc/{process}/fd"))
        free = set(range(used + 1)) - {int(name) for name in os.listdir(f"/proc/{process}/fd")}
        # No number below the limit is free.
        resource.prlimit(process, resource.RLIMIT_NOFILE, (min(free, default=used + 1), limits[1]))
        try:
            answer = client.request("POST", path, {"wait": 5})
        finally:
            resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "not_allowed_by_policy"), answer)

    def test_a_line_that_comes_while_a_person_thinks(self):
        thread = self.executing(self.program())
        self.prompt()
        self.file.write_text("caller=* who=off\n")
        self.assertEqual(self.decide().status, 200)
        self.end(thread, 403, "not_allowed_by_policy")
        self.assertEqual(self.remote.messages("tools/call"), [])


class Left(WithAdded):
    def test_the_prompt_of_a_client_that_stays_away_closes(self):
        call = {"name": "call_tool", "arguments": {"name": f"{self.name}.echo", "arguments": {"text": "x"}}}
        stream = mcp_tools.Stream(self.server, self.program(), *mcp.modern("tools/call", call))
        prompt = self.prompt()["id"]
        stream.cut()
        wait_for(lambda: self.get(f"/v1/prompts/{prompt}")["state"] != "open", "the end of the prompt", seconds=90)
        late = self.ask("POST", f"/v1/prompts/{prompt}/answer", {"decision": "allow"})
        self.assertEqual((late.status, late.json["error"]["code"]), (410, "prompt_gone"), late)
        found = [one["status"] for one in self.get("/v1/tools/calls")["calls"] if one["tool"].startswith(self.name)]
        self.assertEqual((found, self.remote.messages("tools/call")), (["expired"], []))


if __name__ == "__main__":
    unittest.main()
