"""Calls of MCP servers' tools: a person is asked first, and then the client calls the tool once."""

import hashlib
import json
import pathlib
import sys
import unittest
import uuid

from machine import wait_until
from test_parking import WithSession

SERVER = pathlib.Path(__file__).resolve().parent / "tool_server.py"
NAMES = ("echo", "allowed", "forbidden", "hooked", "broken", "failing", "lying", "empty", "endless", "long", "last", "swapped")


class Calls(WithSession):
    words = ("idle_stop=off", "tools=ask")
    extra = {}

    def setUp(self):
        super().setUp()
        self.servers([{"name": "sh", "status": "connected", "scope": "user", "config": {"type": "http", "url": "x"},
                       "tools": [{"name": name} for name in NAMES]}])

    def servers(self, servers):
        (self.machine.home / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def ask(self, tool="echo", arguments=None, call=None, seconds=30, **more):
        """Asks for a call. Returns its id and the number of the request."""
        call = call or str(uuid.uuid4())
        number = self.link.post("mcp/ask", {
            "session_id": self.session, "server": "sh", "scope": "user", "tool": tool,
            "arguments": {"text": "hello"} if arguments is None else arguments, "deadline_ms": seconds * 1000, **more}, call)
        return call, number

    def prompt(self, count=1):
        return self.link.called("prompt/open", count)[-1]

    def prompt_of(self, call):
        def found():
            return [one["params"] for one in self.link.calls if one["method"] == "prompt/open"
                    and one["params"]["event"]["data"]["tool_use_id"] == "toolu_monitor_" + call]
        return self.link.wait(found, "the prompt of the call")[0]

    def answer(self, behavior="allow", prompt=None, **more):
        prompt = prompt or self.prompt()
        return self.link.call("prompt/answer", {
            "session_id": prompt["session_id"], "hold_id": prompt["hold_id"],
            "output": {"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                                              "decision": {"behavior": behavior, **more}}}}, str(uuid.uuid4()))

    def approved(self, tool="echo", arguments=None, **more):
        call, number = self.ask(tool, arguments, **more)
        self.assertEqual(self.answer(prompt=self.prompt_of(call))["result"], {"applied": True})
        self.assertEqual(self.link.reply(number)["result"], {"approved": True})
        return call

    def run_call(self, call, **more):
        return self.command("mcp/run", call_id=call, **more)

    def result(self, call):
        """The whole result, and the number of its pieces."""
        answer = self.run_call(call)
        self.assertIn("result", answer, answer)
        pieces = [answer["result"]["piece"]]
        while (size := sum(len(piece.encode()) for piece in pieces)) < answer["result"]["bytes"]:
            more = self.link.call("mcp/result", {"call_id": call, "offset": size})
            self.assertIn("result", more, more)
            pieces.append(more["result"]["piece"])
        return json.loads("".join(pieces)), len(pieces)

    def called(self):
        path = self.machine.project / "called"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Approved(Calls):
    def test_a_person_is_asked_once_and_the_tool_is_called_once(self):
        call, number = self.ask()
        prompt = self.prompt()
        hook = prompt["event"]["data"]
        self.assertEqual((hook["tool_name"], hook["tool_input"], hook["tool_use_id"], hook["session_id"]),
                         ("mcp__sh__echo", {"text": "hello"}, "toolu_monitor_" + call, self.session))
        self.assertNotIn("change_input=yes", prompt["policy"])
        self.assertEqual(self.called(), [])
        self.answer()
        self.assertEqual(self.link.reply(number)["result"], {"approved": True})
        self.assertEqual(self.called(), [])
        result, _ = self.result(call)
        self.assertEqual(result, {"content": [{"type": "text", "text": "hello"}], "structuredContent": {"result": "hello"}})
        frame = self.called()[0]
        self.assertEqual((frame["tool"], frame["arguments"], frame["check_permissions"], frame["result_not_for_model"]),
                         ("mcp__sh__echo", {"text": "hello"}, True, True))
        self.refused(self.run_call(call), "approval_expired")
        self.assertEqual((len(self.called()), len(self.link.called("prompt/open"))), (1, 1))

    def test_a_tool_that_the_person_s_rules_allow_is_asked_about_too(self):
        call, _ = self.ask("allowed")
        self.prompt()
        self.refused(self.run_call(call), "approval_expired")
        self.assertEqual(self.called(), [])
        self.answer()
        wait_until(lambda: "result" in self.run_call(call), "the approved call")

    def test_a_rule_of_the_client_still_denies(self):
        answer = self.run_call(self.approved("forbidden"))
        self.refused(answer, "denied_by_machine")
        self.assertIn("a rule of the person denies it", answer["error"]["message"])

    def test_the_client_may_ask_only_for_what_was_approved(self):
        answer = self.run_call(self.approved("swapped"))
        self.refused(answer, "denied_by_machine")
        self.assertEqual(self.called(), [])

    def test_the_results_of_tools_that_fail(self):
        for tool, text in (("broken", "MCP server not connected: sh"), ("failing", "I failed")):
            result, _ = self.result(self.approved(tool))
            self.assertEqual((result["isError"], result["content"][0]["text"]), (True, text))
        self.refused(self.run_call(self.approved("last")), "outcome_unknown")
        self.assertEqual(len(self.called()), 2)

    def test_words_that_a_server_can_write_prove_nothing(self):
        for tool in ("lying", "hooked", "empty"):
            answer = self.run_call(self.approved(tool))
            self.refused(answer, "outcome_unknown")
        self.assertEqual([frame["tool"] for frame in self.called()], ["mcp__sh__lying", "mcp__sh__empty"])

    def test_a_call_that_takes_too_long_is_taken_back(self):
        self.refused(self.run_call(self.approved("endless"), deadline_ms=9_000), "outcome_unknown")
        self.assertEqual(len(self.called()), 1)
        self.assertEqual(self.result(self.approved())[0]["structuredContent"], {"result": "hello"})

    def test_a_result_in_pieces(self):
        text = "\u00e4\u20ac\U0001f600\x01"
        result, pieces = self.result(self.approved(arguments={"text": "", "more": text, "count": 60_000}))
        self.assertEqual(result["content"][0]["text"], text * 60_000)
        self.assertGreater(pieces, 3)

    def test_a_result_that_is_too_large(self):
        for tool, arguments in (("echo", {"more": "x", "count": 11 << 20}), ("long", {})):
            result, pieces = self.result(self.approved(tool, arguments))
            self.assertEqual((result["isError"], result["code"], pieces), (True, "result_too_large", 1))
        self.assertEqual(self.result(self.approved())[0]["structuredContent"], {"result": "hello"})


class Refused(Calls):
    def test_a_person_denies(self):
        call, number = self.ask()
        self.answer("deny", message="not now")
        answer = self.link.reply(number)
        self.refused(answer, "denied_by_person")
        self.assertEqual(answer["error"]["message"], "not now")
        self.refused(self.run_call(call), "approval_expired")
        self.assertEqual(self.called(), [])

    def test_a_person_cannot_change_the_arguments(self):
        self.machine.write("approvals", "who=answer change_input=yes\n")
        _, number = self.ask()
        self.answer(updatedInput={"text": "other"})
        self.refused(self.link.reply(number), "denied_by_person")
        self.assertEqual(self.called(), [])

    def test_nobody_answers(self):
        _, number = self.ask(seconds=6)
        self.prompt()
        self.refused(self.link.reply(number), "approval_expired")
        self.assertEqual(self.link.called("prompt/withdrawn")[0]["reason"], "expired")

    def test_the_machine_decides(self):
        self.machine.write("approvals", "who=off\n")
        self.refused(self.link.reply(self.ask()[1]), "denied_by_machine")
        (self.machine.settings / "approvals").unlink()
        call = self.approved()
        self.machine.allow("idle_stop=off")
        self.refused(self.run_call(call), "not_allowed_by_machine")
        self.refused(self.link.reply(self.ask()[1]), "not_allowed_by_machine")
        self.machine.write("agent", f"control=off tools=ask claude={self.machine.client}\nroots={self.machine.root}\n")
        self.refused(self.link.reply(self.ask()[1]), "not_allowed_by_machine")
        self.assertEqual((self.called(), len(self.link.called("prompt/open"))), ([], 1))

    def test_nobody_is_asked_about_a_tool_that_was_taken_away(self):
        for lasting in (True, False):
            self.assertEqual(self.command("session/tools", enabled_tools=[], lasting=lasting)["result"]["denied"], ["mcp__sh"])
            _, number = self.ask()
            self.refused(self.link.reply(number), "denied_by_machine")
            self.assertEqual([one for one in self.link.calls if one["method"] == "prompt/open"], [])
            self.command("session/tools", lasting=lasting)
        call, number = self.ask()
        self.assertEqual(self.answer(prompt=self.prompt_of(call))["result"], {"applied": True})
        self.assertEqual(self.link.reply(number)["result"], {"approved": True})

    def test_unknown_and_ambiguous_tools(self):
        self.refused(self.link.reply(self.ask(server="absent")[1]), "mcp_server_not_found")
        self.refused(self.link.reply(self.ask(scope="local")[1]), "mcp_server_not_found")
        tool = {"name": "echo"}
        self.servers([{"name": name, "status": "connected", "scope": "user", "config": {"type": "http"}, "tools": [tool]}
                      for name in ("s h", "s.h")])
        self.refused(self.link.reply(self.ask(server="s.h")[1]), "ambiguous_tool")

    def test_names_that_meet_across_servers(self):
        for servers, asked in (({"a__b": ["c"], "a": ["b__c"]}, [("a__b", "c"), ("a", "b__c")]),
                               ({"a_": ["t"], "a": ["_t"]}, [("a_", "t"), ("a", "_t")]), ({"a__b": ["c"]}, [("a__b", "c")])):
            self.servers([{"name": name, "status": "connected", "scope": "user", "config": {"type": "http", "url": "x"},
                           "tools": [{"name": tool} for tool in tools]} for name, tools in servers.items()])
            for server, tool in asked:
                self.refused(self.link.reply(self.ask(tool, server=server)[1]), "ambiguous_tool")
        self.assertEqual([one for one in self.link.calls if one["method"] == "prompt/open"], [])

    def test_nobody_is_asked_after_the_connection_has_ended(self):
        call, _ = self.ask()
        self.prompt()
        approved = self.ask("allowed")[0]
        self.answer(prompt=self.prompt(2))
        self.link.cut()
        self.link = self.wire.link(2)
        self.assertEqual(self.link.called("prompt/withdrawn")[0]["reason"], "gone")
        self.assertEqual([one for session in self.link.called("initialize")[0]["sessions"] for one in session["prompts"]], [])
        for one in (call, approved):
            self.refused(self.run_call(one), "approval_expired")
        self.assertEqual(self.called(), [])

    def test_the_session_ends(self):
        _, number = self.ask()
        self.prompt()
        self.command("session/stop")
        self.refused(self.link.reply(number), "approval_expired")

    def test_calls_have_a_bound(self):
        asked = [self.ask()[1] for _ in range(4)]
        self.prompt(4)
        self.refused(self.link.reply(self.ask()[1]), "too_many_commands")
        self.command("session/stop")
        for number in asked:
            self.refused(self.link.reply(number), "approval_expired")


class Hosts(Calls):
    """Calls where no session is named: a process that only runs tools makes them."""
    words = ("idle_stop=1s", "tools=ask")

    def setUp(self):
        super().setUp()
        self.command("session/stop")
        wait_until(lambda: not self.machine.clients(), "no process")

    def ask(self, tool="echo", arguments=None, call=None, seconds=30, path=None, **more):
        call = call or str(uuid.uuid4())
        number = self.link.post("mcp/ask", {
            "path": str(path or self.machine.project), "server": "sh", "scope": "user", "tool": tool,
            "arguments": {"text": "hello"} if arguments is None else arguments, "deadline_ms": seconds * 1000, **more}, call)
        return call, number

    def run_call(self, call):
        return self.link.call("mcp/run", {"call_id": call})

    def hosts(self):
        return sorted(path.name for path in (self.machine.state / "hosts").iterdir())

    def test_a_process_of_its_own_makes_the_call_and_ends_when_it_is_idle(self):
        call = self.approved()
        prompt, host = self.prompt(), self.hosts()[0]
        self.assertEqual((prompt["session_id"], prompt["event"]["data"]["session_id"]), (host, host))
        words = self.machine.client_words()
        self.assertIn("--no-session-persistence", words)
        settings = json.loads(words[words.index("--settings") + 1])
        self.assertNotIn("disableAllHooks", settings)
        self.assertTrue(settings["permissions"]["deny"])
        self.assertIn("CLAUDE_MONITOR_RUNNER=" + host, self.machine.client_environment())
        self.assertEqual(self.result(call)[0]["structuredContent"], {"result": "hello"})
        self.assertEqual(self.link.noticed("session/state", session_id=host)[0]["state"], "ended")
        wait_until(lambda: not self.machine.clients() and not self.hosts(), "the end of the idle process")

    def test_calls_in_one_folder_share_a_process_which_waits_for_them(self):
        one, number = self.ask()
        self.prompt()
        two = self.approved("allowed")
        self.assertEqual((len(self.machine.clients()), len(self.hosts())), (1, 1))
        self.result(two)
        self.answer(prompt=self.link.called("prompt/open")[0])
        self.link.reply(number)
        self.assertEqual(self.result(one)[0]["structuredContent"], {"result": "hello"})

    def test_two_run_at_a_time_and_an_idle_one_makes_room(self):
        folders = [self.machine.root / name for name in ("a", "b", "c")]
        for folder in folders:
            folder.mkdir()
        self.machine.trust(self.machine.project, *folders)
        self.machine.allow("idle_stop=off", "tools=ask")
        asked = [self.ask(path=folder)[1] for folder in folders[:2]]
        self.prompt(2)
        self.refused(self.link.reply(self.ask(path=folders[2])[1]), "too_many_commands")
        self.answer("deny", prompt=self.prompt(2))
        wait_until(lambda: any(number in self.link.replies for number in asked), "the end of one call")
        self.ask(path=folders[2])
        self.prompt(3)
        self.assertEqual(len(self.machine.clients()), 2)

    def test_untrusted_folders(self):
        other = self.machine.root / "other"
        other.mkdir()
        self.refused(self.link.reply(self.ask(path=other)[1]), "untrusted_directory")
        self.refused(self.link.reply(self.ask(path=self.machine.home)[1]), "outside_roots")
        self.assertEqual(self.machine.clients(), [])

    def test_the_agent_ends_it(self):
        self.ask()
        self.prompt()
        self.machine.agents[-1].terminate()
        self.machine.agents[-1].wait(20)
        self.assertEqual((self.machine.clients(), self.hosts()), ([], []))

    def test_the_next_agent_ends_it(self):
        self.ask()
        self.prompt()
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        self.machine.start()
        self.wire.link(2)
        self.assertEqual((self.machine.clients(), self.hosts()), ([], []))


class Parked(Calls):
    words = ("idle_stop=1s",)

    def test_no_process_starts_for_a_call_that_the_machine_does_not_allow(self):
        self.parks()
        wait_until(lambda: not self.machine.clients(), "no process")
        self.refused(self.link.reply(self.ask()[1]), "not_allowed_by_machine")
        self.assertEqual(self.machine.clients(), [])
        self.machine.allow("idle_stop=1s", "tools=ask")
        self.ask()
        self.prompt()
        self.assertEqual(len(self.machine.clients()), 1)


class Old(Calls):
    def begin(self, *flags, **more):
        self.machine.allow(*self.words, "env=CLIENT")
        return super().begin(*flags, CLIENT="old", **more)

    def setUp(self):
        self.words = (*Calls.words, "env=CLIENT")
        super().setUp()

    def test_a_client_that_would_ask_nobody_is_not_asked(self):
        self.refused(self.link.reply(self.ask()[1]), "claude_outdated")
        self.assertEqual(self.called(), [])


class Pins(Calls):
    def setUp(self):
        super().setUp()
        self.behave("plain")
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        definition = {"name": "echo", "description": "Says the text again.", "inputSchema": schema,
                      "annotations": {"readOnlyHint": True}}
        text = json.dumps(definition, sort_keys=True, separators=(",", ":"))
        self.digest = hashlib.sha256(text.encode()).hexdigest()

    def behave(self, how):
        """The server starts anew at its next listing."""
        config = {"type": "stdio", "command": sys.executable, "args": [str(SERVER), how, str(self.machine.place / "mark")]}
        self.servers([{"name": "sh", "status": "connected", "scope": "user", "config": config, "tools": [{"name": "echo"}]}])

    def starts(self):
        return len((self.machine.place / "mark").read_text().splitlines())

    def test_the_tool_must_be_as_the_caller_knows_it(self):
        self.refused(self.link.reply(self.ask(digest="0" * 64)[1]), "tool_changed")
        self.assertEqual(self.starts(), 1)
        call = self.approved(digest=self.digest)
        # It was asked a moment ago.
        self.assertEqual(self.starts(), 1)
        self.assertEqual(self.result(call)[0]["content"][0]["text"], "hello")
        self.refused(self.link.reply(self.ask("other", digest=self.digest)[1]), "tool_not_found")

    def test_nobody_is_asked_about_a_tool_whose_server_fails(self):
        self.behave("refuse")
        self.refused(self.link.reply(self.ask(digest=self.digest)[1]), "mcp_server_failed")
        self.assertEqual(self.starts(), 1)
        self.assertEqual([one for one in self.link.calls if one["method"] == "prompt/open"], [])
        self.behave("tell")
        answer = self.link.reply(self.ask(digest=self.digest)[1])
        self.refused(answer, "mcp_server_failed")
        self.assertNotIn("1aB2" * 9, answer["error"]["message"])
        self.behave("plain")
        self.approved(digest=self.digest)

    def test_a_tool_that_changed_while_a_person_thought_does_not_run(self):
        call = self.approved(digest=self.digest)
        self.behave("changed")
        self.link.call("mcp/list", {"path": str(self.machine.project)})
        self.refused(self.run_call(call), "tool_changed")
        self.refused(self.run_call(call), "approval_expired")
        self.assertEqual(self.called(), [])

    def test_what_the_agent_told_last_counts(self):
        self.link.call("mcp/list", {"path": str(self.machine.project)})
        self.approved(digest=self.digest)
        self.assertEqual(self.starts(), 1)


if __name__ == "__main__":
    unittest.main()
