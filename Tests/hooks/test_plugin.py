"""The plugin registers the same hooks as the installer."""

import json
import os
import subprocess
import unittest

from support import HOOKS, ROOT, MachineCase


def load(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return json.load(file)


class Plugin(MachineCase):
    def test_hooks_are_those_of_the_events_table(self):
        expected = {}
        with open(os.path.join(HOOKS, "events.txt"), encoding="ascii") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    event, limit, _, *argument = line.split()
                    command = 'bash -p "${CLAUDE_PLUGIN_ROOT}/hooks/session-monitor.sh" %s plugin' % (argument or [event])[0]
                    handler = {"type": "command", "command": command, "timeout": int(limit)}
                    if argument:
                        handler["async"] = True
                    expected.setdefault(event, []).append({"hooks": [handler]})
        self.assertEqual(load("hooks/hooks.json")["hooks"], expected)

    def test_manifests_name_the_same_plugin(self):
        plugin, market = load(".claude-plugin/plugin.json"), load(".claude-plugin/marketplace.json")
        self.assertEqual([entry["name"] for entry in market["plugins"]], [plugin["name"]])
        self.assertFalse(plugin["name"].startswith("claude-"))
        self.assertTrue(plugin["userConfig"]["key"]["sensitive"])
        self.assertEqual(set(plugin["userConfig"]), {"url", "key", "name"})

    def test_every_command_runs_from_a_folder_with_spaces(self):
        root = os.path.join(self.machine.home, "a plugin")
        os.symlink(ROOT, root)
        env = self.machine.env(CLAUDE_PLUGIN_ROOT=root)
        hooks = load("hooks/hooks.json")["hooks"]
        for groups in hooks.values():
            subprocess.run(["sh", "-c", groups[0]["hooks"][0]["command"]], input=b"{}", env=env, timeout=20, check=True)
        self.assertEqual([event["event_type"] for event in self.machine.spooled_events()], list(hooks))


if __name__ == "__main__":
    unittest.main()
