"""Servers of the Model Context Protocol from PyPI behind a real agent: what it tells of them. Tests/claude runs their tools."""

import json
import pathlib
import shutil
import subprocess
import unittest
import uuid

import test_tools as tools
from harness import Client
from real_agent import RealAgent

TESTS = tools.TESTS
SERVERS = {
    "time": ("tools", {"get_current_time", "convert_time"}),
    "fetch": ("tools", {"fetch"}),
    "git": ("tools", {"git_status", "git_diff_unstaged", "git_diff_staged", "git_diff", "git_commit", "git_add", "git_reset", "git_log",
                      "git_create_branch", "git_checkout", "git_show", "git_branch"}),
    # Speaks only the revisions with initialize.
    "sqlite": ("mcp1", {"read_query", "write_query", "create_table", "list_tables", "describe_table", "append_insight"})}


def setUpModule():
    tools.setUpModule()


def tearDownModule():
    tools.tearDownModule()


class RealServers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = {}
        for name, (environment, _) in SERVERS.items():
            done = subprocess.run([TESTS / "clients/environment", environment], capture_output=True, text=True, timeout=700, check=False)
            assert done.returncode == 0, done.stderr
            cls.programs[name] = pathlib.Path(done.stdout.strip()).parent / f"mcp-server-{name}"

    def setUp(self):
        self.agent = RealAgent(tools.server, f"real-{uuid.uuid4().hex[:8]}")
        self.addCleanup(self.agent.close)
        client = self.agent.home.parent / "bin/claude"
        client.parent.mkdir(mode=0o755)
        shutil.copy(TESTS / "ClaudeRunnerTests/scripted_client.py", client)
        client.chmod(0o755)
        arguments = {"sqlite": ["--db-path", str(self.agent.home / "data.db")]}
        (self.agent.home / "mcp.json").write_text(json.dumps({"mcpServers": [
            {"name": name, "scope": "user", "status": "pending", "transport": "stdio",
             "config": {"type": "stdio", "command": str(program), "args": arguments.get(name, [])}}
            for name, program in self.programs.items()]}))
        self.agent.allow("control=on", f"claude={client}", f"trust={self.agent.root}")

    def ask(self, method, path, body=None):
        answer = Client(tools.server.address, tools.server.admin, timeout=120).request(method, path, body)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_their_tools_are_listed_pinned_and_found(self):
        place = {"machine_id": self.agent.name, "path": str(self.agent.root)}
        told = {one["name"]: one for one in self.ask("POST", "/v1/mcp/refresh", place)["servers"]}
        for name, (_, wanted) in SERVERS.items():
            with self.subTest(name):
                self.assertEqual((told[name]["state"], told[name]["is_complete"]), ("connected", True), told[name])
                listed = self.ask("GET", f"/v1/mcp/servers/{told[name]['id']}/tools")["tools"]
                self.assertEqual({tool["tool"] for tool in listed}, wanted)
                for tool in listed:
                    self.assertEqual((tool["state"], tool["parameters"]["type"]), ("ready", "object"))
                    self.assertTrue(tool["description"])
        # They say the same of themselves each time.
        again = self.ask("POST", "/v1/mcp/refresh", place)["servers"]
        self.assertEqual({one["name"]: one["changed_count"] for one in again}, dict.fromkeys(SERVERS, 0))
        for words, name in (("what time is it", "time.get_current_time"), ("undo staging", "git.git_reset"),
                            ("get a web page", "fetch.fetch"), ("columns of a table", "sqlite.describe_table")):
            found = [tool["name"] for tool in self.ask("GET", f"/v1/tools?machine_id={self.agent.name}&q={words.replace(' ', '+')}")["tools"]]
            self.assertIn(name, found[:3])


if __name__ == "__main__":
    unittest.main()
