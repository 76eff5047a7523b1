"""Sessions that are left with some of the MCP tools of their client."""

import json
import unittest

from machine import wait_until
from test_parking import WithSession

SERVERS = [{"name": "fs local", "status": "connected", "tools": [{"name": "read"}, {"name": "write"}]},
           {"name": "sh", "status": "connected", "tools": [{"name": "run"}]}, {"name": "late", "status": "failed"}]


class WithServers(WithSession):
    words = ("idle_stop=off",)

    def setUp(self):
        super().setUp()
        self.servers(SERVERS)

    def servers(self, servers):
        (self.machine.home / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def limit(self, **params):
        return self.command("session/tools", **params)

    def denied(self):
        """The rules about MCP tools that the client was given last, without those that it always has."""
        rules = json.loads((self.machine.project / "flags").read_text().splitlines()[-1])["permissions"]["deny"]
        self.assertTrue(any(rule.startswith("Edit(//") for rule in rules), rules)
        self.assertEqual([rule for rule in rules if not rule.startswith(("Edit(", "Write(", "mcp__"))], [])
        return [rule for rule in rules if rule.startswith("mcp__")]


class Limits(WithServers):
    def test_all_others_are_denied(self):
        cases = [({"enabled_servers": ["fs local"]}, ["mcp__sh", "mcp__late"]),
                 ({"enabled_tools": ["fs local.read"]}, ["mcp__fs_local__write", "mcp__sh", "mcp__late"]),
                 ({"enabled_tools": ["mcp__fs_local__read", "sh__run"]}, ["mcp__fs_local__write", "mcp__late"]),
                 ({"enabled_servers": ["sh"], "enabled_tools": ["fs local.read"]}, ["mcp__fs_local", "mcp__sh", "mcp__late"]),
                 ({"enabled_servers": []}, ["mcp__fs_local", "mcp__sh", "mcp__late"]),
                 ({"enabled_tools": []}, ["mcp__fs_local", "mcp__sh", "mcp__late"]),
                 ({}, [])]
        for params, rules in cases:
            with self.subTest(params):
                self.assertEqual(self.limit(**params)["result"], {"denied": rules})
                self.assertEqual(self.denied(), rules)

    def test_unknown_names_deny_nothing(self):
        self.refused(self.limit(enabled_servers=["fs local", "other"]), "mcp_server_not_found")
        for name in ("fs local.remove", "read", "other.read", "*"):
            self.refused(self.limit(enabled_tools=[name]), "tool_not_found")
        self.assertFalse((self.machine.project / "flags").exists())
        # What was named earlier may be gone. Everything else is denied nevertheless.
        self.limit(enabled_servers=["other"], lenient=True)
        self.assertEqual(self.denied(), ["mcp__fs_local", "mcp__sh", "mcp__late"])
        for wrong in ("fs local", [1], [""], ["x" * 300]):
            self.assertIn("error", self.limit(enabled_servers=wrong))

    def test_a_server_that_is_about_to_connect_is_awaited(self):
        self.servers([{**SERVERS[1], "status": "pending", "tools": []}])
        number = self.link.post("session/tools", {"session_id": self.session, "enabled_tools": ["sh.run"]})
        asked = self.machine.home / "asked"
        wait_until(lambda: asked.exists() and len(asked.read_text().splitlines()) > 1, "it is asked again")
        self.servers(SERVERS[1:2])
        self.assertEqual(self.link.reply(number)["result"], {"denied": []})

    def test_the_machine_decides(self):
        self.machine.write("agent", "control=off\n")
        self.assertIn("error", self.limit(enabled_servers=[]))
        self.assertFalse((self.machine.project / "flags").exists())


class Woken(WithSession):
    def test_a_session_that_wakes_has_no_more_tools_than_before(self):
        (self.machine.home / "mcp.json").write_text(json.dumps({"mcpServers": SERVERS}))
        self.answered("hello")
        self.command("session/tools", enabled_servers=["sh"])
        self.parks()
        wait_until(lambda: not self.machine.clients(), "no process")
        self.answered("again")
        words = self.machine.client_words()
        rules = json.loads(words[words.index("--settings") + 1])["permissions"]["deny"]
        self.assertEqual([rule for rule in rules if rule.startswith("mcp__")], ["mcp__fs_local", "mcp__late"])


class Lasting(WithServers):
    """What counts until it is changed."""
    words = ("idle_stop=1s",)

    def last(self, **params):
        return self.limit(lasting=True, **params)["result"]

    def rules_of_the_start(self):
        words = self.machine.client_words()
        rules = json.loads(words[words.index("--settings") + 1])["permissions"]["deny"]
        return [rule for rule in rules if rule.startswith("mcp__")]

    def test_it_counts_in_later_turns_and_for_what_has_come_since(self):
        self.assertEqual(self.last(enabled_servers=["sh"]), {"denied": ["mcp__fs_local", "mcp__late"], "lasting": True})
        self.servers([*SERVERS, {"name": "new", "status": "connected", "tools": [{"name": "x"}]}])
        for text in ("one", "two"):
            self.answered(text)
            self.assertEqual(self.denied(), ["mcp__fs_local", "mcp__late", "mcp__new"])
        self.assertEqual(self.last(), {"denied": [], "lasting": True})
        self.assertEqual(self.denied(), [])
        before = len((self.machine.project / "flags").read_text().splitlines())
        self.answered("three")
        self.assertEqual(len((self.machine.project / "flags").read_text().splitlines()), before)

    def test_a_chat_takes_more_away_for_its_turn(self):
        self.last(enabled_servers=["sh", "fs local"])
        self.limit(enabled_tools=["fs local.read"])
        self.assertEqual(set(self.denied()), {"mcp__late", "mcp__fs_local__write", "mcp__sh"})
        self.answered("one")
        self.answered("two")
        self.assertEqual(self.denied(), ["mcp__late"])

    def test_it_counts_when_the_session_wakes_and_for_the_next_agent(self):
        self.last(enabled_servers=["sh"])
        self.answered("hello")
        self.parks()
        wait_until(lambda: not self.machine.clients(), "no process")
        self.again()
        self.answered("again")
        self.assertEqual(self.rules_of_the_start(), ["mcp__fs_local", "mcp__late"])
        self.assertEqual(self.denied(), ["mcp__fs_local", "mcp__late"])


if __name__ == "__main__":
    unittest.main()
