"""MCP servers of a machine: which there are, and which tools they have."""

import json
import os
import pathlib
import sys
import unittest

from machine import AgentCase, wait_until

SERVER = pathlib.Path(__file__).resolve().parent / "tool_server.py"


class ToolsTest(AgentCase):
    def setUp(self):
        super().setUp()
        self.servers = []
        self.record = {"projects": {str(self.machine.project): {"hasTrustDialogAccepted": True}}, "mcpServers": {}}

    def mark(self, name):
        return self.machine.place / f"mark-{name}"

    def started(self, name):
        return self.mark(name).exists()

    def add(self, name, behaviour="plain", scope="user", status="pending", **more):
        """A server that Claude Code tells of. It does not tell the variables."""
        config = {"type": "stdio", "command": sys.executable, "args": [str(SERVER), behaviour, str(self.mark(name))]}
        self.servers.append({"name": name, "status": status, "scope": scope, "source": scope, "transport": "stdio",
                             "config": config, **more})

    def write(self):
        (self.machine.home / "mcp.json").write_text(json.dumps({"mcpServers": self.servers}))
        (self.machine.home / ".claude.json").write_text(json.dumps(self.record))

    def asked(self):
        """The arguments of the clients that were asked for their servers."""
        path = self.machine.home / "asked"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def list(self, link, path=None, **more):
        return link.call("mcp/list", {"path": str(path or self.machine.project), **more})

    def listed(self, link, **more):
        answer = self.list(link, **more)
        self.assertIn("result", answer, answer)
        return {server["name"]: server for server in answer["result"]["servers"]}

    def runs(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    def test_tools_with_what_the_server_says_of_them(self):
        self.add("one")
        self.write()
        link = self.begin()
        answer = self.list(link)["result"]
        self.assertEqual((answer["directory"], answer["is_complete"]), (str(self.machine.project), True))
        server = answer["servers"][0]
        self.assertEqual((server["name"], server["scope"], server["transport"], server["state"]), ("one", "user", "stdio", "connected"))
        self.assertEqual((server["is_listed"], server["is_complete"]), (True, True))
        echo, shout = server["tools"]
        self.assertEqual((echo["name"], echo["description"], echo["annotations"]),
                         ("echo", "Says the text again.", {"readOnlyHint": True}))
        self.assertEqual((shout["name"], shout["inputSchema"]["required"]), ("shout", ["text"]))
        self.assertNotIn("_meta", echo)

    def test_the_client_that_tells_runs_no_hooks_and_ends(self):
        self.add("one")
        self.write()
        link = self.begin()
        self.listed(link)
        words = self.asked()[0]
        settings = json.loads(words[words.index("--settings") + 1])
        self.assertEqual(settings, {"disableAllHooks": True, "disabledMcpjsonServers": []})
        self.assertIn("--no-session-persistence", words)
        self.assertEqual(self.machine.clients(), [])
        self.assertEqual(list((self.machine.state / "hosts").iterdir()), [])
        wait_until(lambda: not self.runs(int(self.mark("one").read_text().split()[0])), "the server's end")

    def hold(self):
        """A client that does not answer when it is asked for its servers."""
        os.mkfifo(self.machine.home / "mcp.json")
        link = self.begin()
        link.post("mcp/list", {"path": str(self.machine.project)})
        wait_until(self.asked, "the question to the client")
        self.assertEqual(len(self.machine.clients()), 1)

    def test_a_client_that_only_tells_ends_with_its_agent(self):
        self.hold()
        self.machine.agents[-1].terminate()
        self.machine.agents[-1].wait(20)
        self.assertEqual(self.machine.clients(), [])
        self.assertEqual(list((self.machine.state / "hosts").iterdir()), [])

    def test_the_next_agent_ends_the_client_of_a_killed_one(self):
        self.hold()
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        self.machine.start()
        self.wire.link(2)
        self.assertEqual(self.machine.clients(), [])
        self.assertEqual(list((self.machine.state / "hosts").iterdir()), [])

    def test_a_session_of_the_directory_does_not_tell_what_it_read_at_its_start(self):
        self.write()
        link = self.begin()
        self.start_session(link)
        self.add("one")
        self.write()
        self.assertEqual([tool["name"] for tool in self.listed(link)["one"]["tools"]], ["echo", "shout"])
        self.assertEqual(["--no-session-persistence" in words for words in self.asked()], [True])
        self.assertEqual(len(self.machine.clients()), 1)

    def test_variables_of_the_configuration_reach_the_server_and_not_the_answer(self):
        self.add("one")
        self.add("two", scope="local")
        self.record["mcpServers"]["one"] = {"env": {"WORD": "secret-${LANG}-${ABSENT:-usual}-${ABSENT}"}}
        self.record["projects"][str(self.machine.project)]["mcpServers"] = {"two": {"env": {"WORD": "other"}}}
        self.write()
        answer = self.list(self.begin())
        self.assertEqual(self.mark("one").read_text().split(" ", 1)[1], "secret-C.UTF-8-usual-${ABSENT}\n")
        self.assertEqual(self.mark("two").read_text().split(" ", 1)[1], "other\n")
        for hidden in ("secret-", "tool_server", "mark-one", sys.executable):
            self.assertNotIn(hidden, json.dumps(answer))

    def test_servers_of_the_folder_start_only_if_a_person_has_approved_them(self):
        for name in ("yes", "no", "hidden"):
            if name != "hidden":
                self.add(name, scope="project", status="connected")
        (self.machine.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"yes": {}, "no": {}}}))
        (self.machine.root / ".mcp.json").write_text(json.dumps({"mcpServers": {"hidden": {}}}))
        self.record["projects"][str(self.machine.project)]["enabledMcpjsonServers"] = ["yes"]
        self.write()
        found = self.listed(self.begin())
        self.assertEqual({name: (one["state"], one.get("reason")) for name, one in found.items()}, {
            "yes": ("connected", None), "no": ("unlisted", "not_approved"), "hidden": ("unlisted", "not_approved")})
        self.assertEqual((self.started("yes"), self.started("no")), (True, False))
        words = self.asked()[0]
        settings = json.loads(words[words.index("--settings") + 1])
        self.assertEqual(settings["disabledMcpjsonServers"], ["no", "hidden"])

    def test_a_folder_that_the_file_trusts_has_all_its_servers(self):
        self.add("no", scope="project")
        (self.machine.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"no": {}}}))
        self.record = {}
        self.write()
        self.machine.allow(f"trust={self.machine.project}")
        self.assertEqual(self.listed(self.begin())["no"]["state"], "connected")

    def test_nothing_starts_where_it_may_not(self):
        self.add("one")
        self.write()
        other = self.machine.root / "other"
        other.mkdir()
        link = self.begin()
        self.refused(self.list(link, other), "untrusted_directory")
        self.refused(self.list(link, self.machine.home), "outside_roots")
        self.refused(self.list(link, self.machine.root / "absent"), "outside_roots")
        self.machine.write("agent", f"control=off claude={self.machine.client}\nroots={self.machine.root}\n")
        self.refused(self.list(link), "not_allowed_by_machine")
        self.machine.write("agent", "nonsense\n")
        self.refused(self.list(link), "not_allowed_by_machine")
        self.assertEqual((self.asked(), self.started("one")), ([], False))

    def test_remote_and_disabled_servers_are_not_started(self):
        self.add("off", status="disabled")
        self.servers.append({"name": "far", "status": "connected", "scope": "user", "transport": "http",
                             "config": {"type": "http", "url": "https://far.example/mcp?key=secret"},
                             "tools": [{"name": "look", "annotations": {"readOnly": True}}, {"name": "no good"}]})
        self.servers.append({"name": "login", "status": "needs-auth", "scope": "user", "config": {"type": "http", "url": "x"}})
        self.servers.append({"name": "own", "status": "connected", "scope": "dynamic", "config": {"type": "sdk"}})
        self.write()
        answer = self.list(self.begin())
        found = {server["name"]: server for server in answer["result"]["servers"]}
        self.assertEqual(set(found), {"off", "far", "login"})
        self.assertEqual((found["off"]["state"], found["login"]["state"]), ("disabled", "needs-auth"))
        self.assertEqual((found["far"]["state"], found["far"]["reason"], found["far"]["is_listed"], found["far"]["tools"]),
                         ("unlisted", "remote", False, [{"name": "look"}]))
        self.assertNotIn("far.example", json.dumps(answer))
        self.assertFalse(self.started("off"))

    def test_a_server_of_the_stateless_revision(self):
        self.add("one", "stateless")
        self.write()
        self.assertEqual([tool["name"] for tool in self.listed(self.begin())["one"]["tools"]], ["echo", "shout"])

    def test_servers_that_fail(self):
        for behaviour in ("end", "refuse"):
            self.add(behaviour, behaviour)
        self.add("absent")
        self.servers[-1]["config"]["command"] = "no-such-program-of-the-tests"
        self.write()
        found = self.listed(self.begin())
        self.assertEqual({name: (one["state"], one["reason"]) for name, one in found.items()}, {
            "end": ("failed", "it ended"), "refuse": ("failed", "it refused: not today"),
            "absent": ("failed", "program_not_found")})

    def test_a_server_that_does_not_answer_ends_with_its_children(self):
        self.add("hang", "hang")
        self.write()
        found = self.listed(self.begin(), deadline_ms=4000)
        self.assertEqual((found["hang"]["state"], found["hang"]["reason"]), ("failed", "it did not answer in time"))
        pids = [int(line.split()[0]) for line in self.mark("hang").read_text().splitlines()]
        self.assertEqual(len(pids), 2)
        wait_until(lambda: not any(self.runs(pid) for pid in pids), "the end of the server and its child")

    def test_odd_tools_are_left_out(self):
        self.add("odd", "odd")
        self.write()
        found = self.listed(self.begin())["odd"]
        self.assertEqual(([tool["name"] for tool in found["tools"]], found["is_complete"]), (["echo", "shout"], False))

    def test_the_audit_names_the_place(self):
        self.write()
        link = self.begin()
        self.listed(link)
        asked = [entry for entry in self.machine.audit() if entry.get("method") == "mcp/list"]
        self.assertEqual([entry["path"] for entry in asked], [str(self.machine.project)] * 2)

    def test_malformed_commands(self):
        link = self.begin()
        for params in ({}, {"path": "relative"}, {"path": "/a\nb"}, {"path": 1}):
            self.assertEqual(link.call("mcp/list", params)["error"]["code"], -32602)


if __name__ == "__main__":
    unittest.main()
