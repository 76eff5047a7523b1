"""install.sh --mcp: Claude Code gets the monitor's tools by its own command, and uninstall.sh takes them away."""

import json
import os
import unittest

from install_support import InstallCase

# Claude Code's commands about MCP servers, as far as install.sh uses them.
CLAUDE = """#!/usr/bin/python3
import json, os, sys
words = sys.argv[1:]
if words == ["--version"]:
    sys.exit(print("2.1.329 (Claude Code)"))
place = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.environ["HOME"], ".claude.json")
record = json.load(open(place)) if os.path.exists(place) else {}
servers = record.setdefault("mcpServers", {})
with open(os.path.join(os.environ["HOME"], "commands"), "a") as file:
    file.write(json.dumps([os.getcwd(), *words]) + "\\n")
if os.path.exists(os.path.join(os.environ["HOME"], "refuse")):
    sys.exit("claude refuses this")
if words[:4] == ["mcp", "add-json", "--scope", "user"] and words[4] not in servers:
    servers[words[4]] = json.loads(words[5])
elif words[:4] == ["mcp", "remove", "--scope", "user"] and words[4] in servers:
    del servers[words[4]]
else:
    sys.exit("claude does not know this")
json.dump(record, open(place, "w"), indent=2)
"""
AGENT = '#!/bin/sh\n[ "$*" = "mcp --help" ] && exit 0\necho "There is no such command." >&2\nexit 64\n'


class Tools(InstallCase):
    def setUp(self):
        super().setUp()
        self.record = os.path.join(self.machine.home, ".claude.json")
        self.agent = os.path.join(self.machine.home, ".local/bin/monitor-agent")
        self.program(os.path.join(self.machine.bin, "claude"), CLAUDE)

    def program(self, path, text=AGENT):
        self.write(text, path)
        os.chmod(path, 0o755)

    def servers(self):
        return json.loads(self.text(self.record)).get("mcpServers", {})

    def commands(self):
        path = os.path.join(self.machine.home, "commands")
        return [json.loads(line) for line in self.text(path).splitlines()] if os.path.exists(path) else []

    def wanted(self, program=None):
        return {"type": "stdio", "command": program or self.agent, "args": ["mcp"],
                "env": {"CLAUDE_MONITOR_CONFIG": self.machine.config}}

    def test_added_once_and_removed(self):
        self.program(self.agent)
        self.write('{"numStartups": 3, "mcpServers": {"other": {"type": "http", "url": "http://x"}}}', self.record)
        path = os.path.join(os.path.dirname(self.machine.config), "mcp.json")
        said = self.install("--mcp")
        self.assertIn("claude -p --strict-mcp-config --mcp-config %s --permission-prompt-tool mcp__monitor__approve" % path, said)
        self.assertEqual(json.loads(self.text(path)), {"mcpServers": {"monitor": self.wanted()}})
        other = {"type": "http", "url": "http://x"}
        self.assertEqual(self.servers(), {"other": other, "monitor": self.wanted()})
        self.assertEqual([words[0] for words in self.commands()], [self.machine.home])
        self.assertIn("already has", self.install("--mcp"))
        self.assertEqual(len(self.commands()), 1)
        self.assertIn("removed from Claude Code", self.uninstall())
        self.assertEqual((self.servers(), os.path.exists(path)), ({"other": other}, False))
        self.assertNotIn("MCP", self.uninstall())

    def test_from_the_installed_copy_and_with_the_agent_of_the_search_path(self):
        self.install()
        elsewhere = os.path.join(self.machine.bin, "monitor-agent")
        self.program(elsewhere)
        self.run_script("install.sh", "--mcp", folder=self.installed)
        self.assertEqual(self.servers(), {"monitor": self.wanted(elsewhere)})
        self.program(self.agent)
        self.run_script("install.sh", "--mcp", folder=self.installed)
        self.assertEqual(self.servers(), {"monitor": self.wanted()})
        self.run_script("uninstall.sh", "--purge", folder=self.installed)
        self.assertEqual(self.servers(), {})

    def test_another_directory_of_configuration(self):
        self.program(self.agent)
        place = os.path.join(self.machine.home, "other")
        self.install("--mcp", CLAUDE_CONFIG_DIR=place, cwd=self.machine.home)
        self.record = os.path.join(place, ".claude.json")
        self.assertEqual(self.servers(), {"monitor": self.wanted()})
        self.uninstall(CLAUDE_CONFIG_DIR=place)
        self.assertEqual(self.servers(), {})

    def test_without_the_agents_program_nothing_is_changed(self):
        self.assertIn("add --agent", self.install("--mcp", code=1))
        self.program(self.agent, "#!/bin/sh\nexit 64\n")
        self.assertIn("too old", self.install("--mcp", code=1))
        self.program(self.agent)
        os.remove(os.path.join(self.machine.bin, "claude"))
        self.assertIn("search path", self.install("--mcp", code=2))
        self.assertIn("--scope project", self.install("--mcp", "--scope", "project", code=1))
        self.assertFalse(os.path.exists(self.settings) or os.path.exists(self.machine.config) or os.path.exists(self.record))

    def test_a_dry_run(self):
        self.program(self.agent)
        self.assertIn("would add the MCP server", self.install("--mcp", "--dry-run"))
        self.assertEqual(self.commands(), [])

    def test_what_is_not_ours_stays(self):
        self.program(self.agent)
        for text in ('{"mcpServers": {"monitor": {"type": "http", "url": "http://x"}}}',
                     '{"mcpServers": {"monitor": {"type": "stdio", "command": "/x/monitor-agent", "args": ["run"]}}}', '{"mcpServers":'):
            with self.subTest(text):
                self.write(text, self.record)
                self.assertIn("the hooks are installed", self.install("--mcp", code=3))
                self.uninstall()
                self.assertEqual((self.text(self.record), self.commands()), (text, []))

    def test_a_client_that_refuses(self):
        self.program(self.agent)
        mark = os.path.join(self.machine.home, "refuse")
        self.write("", mark)
        self.assertIn("claude refuses this", self.install("--mcp", code=3))
        os.remove(mark)
        self.install("--mcp")
        self.write("", mark)
        self.assertIn("claude mcp remove --scope user monitor", self.uninstall())


if __name__ == "__main__":
    unittest.main()
