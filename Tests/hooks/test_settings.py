"""The edit of the settings adds and removes only our hooks. Everything else stays the same, byte for byte."""

import glob
import json
import os
import stat
import subprocess
import unittest

from install_support import OTHERS, InstallCase
from support import HOOKS, KEY

CORPUS = {
    "empty object": "{}",
    "empty object with line end": "{}\n",
    "one line": '{"model":"opus","env":{"A":"b"}}',
    "other hooks": OTHERS,
    "other hooks, tabs": OTHERS.replace("    ", "\t"),
    "CRLF": OTHERS.replace("\n", "\r\n"),
    "empty hooks": '{\n  "hooks": {}\n}\n',
    "empty lists": '{\n  "hooks": {\n    "Stop": [],\n    "SessionStart": []\n  }\n}\n',
    "hooks first, in one line": '{\n  "hooks": {"Stop": [{"hooks": []}]},\n  "z": 1\n}\n',
    "unicode": '{\n  "naïve \\u00e9 \\ud83d": "日本 😀 \\u0000 \\/ \\\\",\n  "hooks": {}\n}\n',
    "byte order mark": "\ufeff{\n  \"a\": true\n}\n",
    "deep": '{"a":' + "[" * 3000 + "]" * 3000 + "}",
    "brackets in strings": '{\n  "a": "}]{[\\"hooks\\": {",\n  "b": ["\\\\", null, -0.5E-3]\n}\n',
    "two keys of one name": '{"hooks": 1, "hooks": {"Stop": []}}',
    "no indentation": '{\n"a": 1\n}\n',
}

INVALID = {
    "comments": '{\n  // note\n  "a": 1\n}\n',
    "trailing comma": '{"a": 1,}',
    "trailing comma in a list": '{"a": [1,]}',
    "cut short": '{"a": {"b": 1}',
    "two values": "{} {}",
    "a list": "[]",
    "a word": "settings",
    "single quotes": "{'a': 1}",
    "bad escape": '{"a": "\\x"}',
    "line break in a string": '{"a": "b\nc"}',
    "leading zero": '{"a": 01}',
    "hooks is a list": '{"hooks": []}',
    "an event is an object": '{"hooks": {"Stop": {}}}',
}


class Settings(InstallCase):
    def test_corpus_round_trip(self):
        for name, before in CORPUS.items():
            with self.subTest(name):
                self.write(before)
                self.install()
                after = self.text()
                registered = json.loads(after.lstrip("\ufeff"))["hooks"] if name != "deep" else None
                self.assertEqual(registered is None or "SessionStart" in registered, True)
                self.assertEqual("\r\n" in before, "\r\n" in after)
                self.install()
                self.assertEqual(self.text(), after, "a second run changed the file")
                self.uninstall()
                self.assertEqual(self.text(), before)
                backups = self.backups()
                self.uninstall()
                self.assertEqual(self.text(), before)
                self.assertEqual(self.backups(), backups)

    def test_invalid_settings_are_refused_and_untouched(self):
        for name, before in INVALID.items():
            with self.subTest(name):
                self.write(before)
                said = self.install(code=1)
                self.assertIn("nothing was changed", said)
                self.assertEqual(self.text(), before)
                self.assertEqual(self.backups(), [])
                self.assertFalse(os.path.exists(self.machine.config))

    def test_other_settings_keep_their_place_and_form(self):
        self.write(OTHERS)
        self.install()
        lines = self.text().splitlines()
        for line in OTHERS.splitlines():
            self.assertIn(line.rstrip(",]} "), "\n".join(lines))
        value, other = json.loads(self.text()), json.loads(OTHERS)
        self.assertEqual(list(value), [*other, "env", "otelHeadersHelper"])
        del value["env"], value["otelHeadersHelper"]
        ours = self.commands("PostToolUse")
        self.assertEqual(ours[0], 'prettier --write "$FILE"')
        self.assertEqual(len(ours), 2)
        for event, groups in list(value["hooks"].items()):
            value["hooks"][event] = [group for group in groups if "session-monitor" not in json.dumps(group)]
            if not value["hooks"][event]:
                del value["hooks"][event]
        self.assertEqual(value, other)

    def test_absent_settings_are_made_and_go_again(self):
        self.install()
        self.assertEqual(len(json.loads(self.text())["hooks"]), 24)
        self.assertEqual(self.backups(), [])
        self.uninstall()
        self.assertFalse(os.path.exists(self.settings))

    def test_empty_file(self):
        self.write("")
        self.install()
        self.assertIn("Stop", json.loads(self.text())["hooks"])

    def test_link_mode_and_backup(self):
        real = os.path.join(self.machine.home, "dot files/claude settings.json")
        self.write(OTHERS, real)
        os.chmod(real, 0o640)
        os.makedirs(os.path.dirname(self.settings))
        os.symlink("../dot files/claude settings.json", self.settings)
        self.install()
        self.assertTrue(os.path.islink(self.settings))
        self.assertEqual(stat.S_IMODE(os.stat(real).st_mode), 0o640)
        self.assertIn("session-monitor", self.text(real))
        backup = glob.glob(glob.escape(real) + ".bak-*")
        self.assertEqual([self.text(path) for path in backup], [OTHERS])

    def test_old_registration_is_brought_up_to_date(self):
        command = "/old place/claude-monitor/hooks/session-monitor.sh"
        self.write(json.dumps({"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": command + " Stop"}, {"type": "command", "command": "mine"}]}],
            "MessageDisplay": [{"hooks": [{"type": "command", "command": command}]}]}}, indent=2))
        self.install()
        self.assertNotIn("/old place", self.text())
        self.assertNotIn("MessageDisplay", self.text())
        self.assertEqual(len(self.commands("Stop")), 2)
        self.uninstall()
        self.assertEqual(self.commands("Stop"), ["mine"])

    def test_our_handler_inside_somebody_elses_group(self):
        self.install()
        value = json.loads(self.text())
        value["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "mine"})
        self.write(json.dumps(value))
        self.uninstall()
        left = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}
        self.assertEqual(json.loads(self.text()), left)

    def test_large_settings(self):
        text = json.dumps({"permissions": {"allow": ["Bash(command %d *)" % n for n in range(3000)]}}, indent=2)
        self.write(text)
        self.install()
        self.uninstall()
        self.assertEqual(self.text(), text)

    def test_registered_events_and_commands(self):
        self.install()
        hooks = json.loads(self.text())["hooks"]
        for never in ("WorktreeCreate", "PreModelSwitch", "MessageDisplay", "FileChanged"):
            self.assertNotIn(never, hooks)
        for event, groups in hooks.items():
            handler = groups[0]["hooks"][0]
            self.assertEqual(set(groups[0]), {"hooks"})
            self.assertEqual(len(groups), 2 if event == "SessionStart" else 1)
            self.assertEqual(set(handler), {"type", "command", "timeout"})
            self.assertTrue(handler["command"].endswith(" " + event))

    def test_poster_does_not_keep_the_session_waiting(self):
        self.install()
        first, second = json.loads(self.text())["hooks"]["SessionStart"]
        handler, = second["hooks"]
        self.assertEqual((handler["async"], handler["timeout"]), (True, 86400))
        self.assertTrue(handler["command"].endswith("session-monitor.sh' poster"))
        self.assertNotIn("async", first["hooks"][0])
        self.install("--claude-version", "2.1.200")
        self.assertEqual(len(json.loads(self.text())["hooks"]["SessionStart"]), 1)

    def test_registered_command_works_in_a_shell_after_the_clone_is_gone(self):
        self.install()
        command = self.commands("Stop")[0]
        self.assertNotIn(HOOKS, command)
        subprocess.run(["sh", "-c", command], input=b'{"n":1}', env=self.machine.env(), timeout=20, check=True)
        event = self.machine.spooled_events()[0]
        self.assertEqual((event["event_type"], event["data"]), ("Stop", {"n": 1}))

    def test_old_claude_code_gets_only_the_events_it_knows(self):
        self.install("--claude-version", "2.1.50 (Claude Code)")
        hooks = json.loads(self.text())["hooks"]
        self.assertIn("WorktreeRemove", hooks)
        self.assertIn("PermissionRequest", hooks)
        self.assertNotIn("StopFailure", hooks)
        self.assertNotIn("PostToolBatch", hooks)
        for version, events in (("2.1.331", 24), ("2.1.332", 25)):
            self.install("--claude-version", version)
            hooks = json.loads(self.text())["hooks"]
            self.assertEqual((len(hooks), "PreSkillShellCommand" in hooks), (events, version == "2.1.332"))

    def test_unknown_client_gets_no_event_that_a_common_version_does_not_know(self):
        self.install("--claude-version", "unknown")
        hooks = json.loads(self.text())["hooks"]
        self.assertIn("PostModelSwitch", hooks)
        self.assertNotIn("PreSkillShellCommand", hooks)

    def test_project_scope(self):
        project = os.path.join(self.machine.home, "a project")
        os.mkdir(project)
        said = self.install("--scope", "project", cwd=project)
        self.assertIn("trust", said)
        path = os.path.join(project, ".claude/settings.json")
        self.assertIn("session-monitor", self.text(path))
        self.assertNotIn(KEY, self.text(path))
        self.assertFalse(os.path.exists(self.settings))
        self.uninstall("--scope", "project", cwd=project)
        self.assertFalse(os.path.exists(path))

    def test_claude_config_dir(self):
        other = os.path.join(self.machine.home, "elsewhere")
        self.install(CLAUDE_CONFIG_DIR=other)
        self.assertIn("session-monitor", self.text(os.path.join(other, "settings.json")))

    def test_dry_run_changes_nothing(self):
        self.write(OTHERS)
        said = self.install("--dry-run")
        self.assertIn("session-monitor.sh", said)
        self.assertEqual(self.text(), OTHERS)
        self.assertEqual(self.backups(), [])
        self.assertFalse(os.path.exists(self.machine.config) or os.path.exists(self.installed))

if __name__ == "__main__":
    unittest.main()
