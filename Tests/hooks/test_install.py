"""install.sh and uninstall.sh: only our hooks come and go, and everything else in the settings stays as it was."""

import glob
import json
import os
import stat
import subprocess
import unittest

from support import BASH, HOOKS, KEY, MachineCase, unused_url

OTHERS = """{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "permissions": {"allow": ["Bash(git *)"], "deny": []},
    "hooks": {
        "PostToolUse": [
            {
                "matcher": "Edit|Write",
                "hooks": [{"type": "command", "command": "prettier --write \\"$FILE\\"", "timeout": 3}]
            }
        ],
        "WorktreeCreate": [{"hooks": [{"type": "command", "command": "mine"}]}]
    },
    "model": "opus",
    "number": 1.0e+2, "big": 12345678901234567890
}
"""

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


class InstallCase(MachineCase):
    def setUp(self):
        super().setUp()
        self.url = unused_url()
        self.settings = os.path.join(self.machine.home, ".claude/settings.json")
        self.installed = os.path.join(self.machine.home, ".local/share/claude-monitor/hooks")

    def run_script(self, name, *arguments, code=0, stdin="", cwd=None, folder=HOOKS, **extra):
        result = subprocess.run([BASH, os.path.join(folder, name), *arguments], env=self.machine.env(**extra),
                                input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                universal_newlines=True, cwd=cwd or self.machine.home, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertNotIn(KEY, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def install(self, *arguments, **keywords):
        return self.run_script("install.sh", "--url", self.url, "--key", KEY, *arguments, **keywords)

    def uninstall(self, *arguments, **keywords):
        return self.run_script("uninstall.sh", *arguments, **keywords)

    def write(self, text, path=None):
        path = path or self.settings
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))

    def text(self, path=None):
        with open(path or self.settings, "rb") as file:
            return file.read().decode()

    def backups(self):
        return glob.glob(glob.escape(self.settings) + ".bak-*")

    def commands(self, event):
        groups = json.loads(self.text().lstrip("\ufeff"))["hooks"].get(event, [])
        return [handler["command"] for group in groups for handler in group["hooks"]]


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
        self.assertEqual(list(value), list(other))
        ours = self.commands("PostToolUse")
        self.assertEqual(ours[0], 'prettier --write "$FILE"')
        self.assertEqual(len(ours), 2)
        value["hooks"] = {e: [g for g in v if "session-monitor" not in json.dumps(g)] for e, v in value["hooks"].items()}
        value["hooks"] = {e: v for e, v in value["hooks"].items() if v}
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
        self.assertEqual(json.loads(self.text()), {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}})

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
            self.assertEqual(set(handler), {"type", "command", "timeout"})
            self.assertTrue(handler["command"].endswith(" " + event))

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
        self.install("--claude-version", "2.1.101")
        self.assertEqual(len(json.loads(self.text())["hooks"]), 24)

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


class Configuration(InstallCase):
    def test_key_is_kept_private_and_out_of_the_settings(self):
        self.install("--name", "Büro Mac")
        self.assertEqual(stat.S_IMODE(os.stat(self.machine.config).st_mode), 0o600)
        self.assertEqual(self.text(self.machine.config).split("\n")[:3],
                         ["url=" + self.url, "key=" + KEY, "machine_id=Büro Mac"])
        self.assertNotIn(KEY, self.text())

    def test_key_from_standard_input_and_from_the_environment(self):
        self.run_script("install.sh", "--url", self.url, "--key", "-", stdin=KEY + "\n")
        self.assertIn("key=" + KEY, self.text(self.machine.config))
        os.remove(self.machine.config)
        self.run_script("install.sh", CLAUDE_MONITOR_URL=self.url + "/", CLAUDE_MONITOR_KEY=KEY)
        self.assertIn("url=%s\nkey=%s\n" % (self.url, KEY), self.text(self.machine.config))

    def test_later_run_keeps_what_is_configured_and_lines_it_does_not_know(self):
        self.install("--name", "desk")
        with open(self.machine.config, "a", encoding="ascii") as file:
            file.write("# my note\nfuture=1=2\n")
        self.run_script("install.sh", "--name", "lab")
        text = self.text(self.machine.config)
        self.assertIn("# my note\nfuture=1=2\n", text)
        self.assertIn("key=" + KEY, text)
        self.assertIn("machine_id=lab", text)
        self.assertNotIn("desk", text)

    def test_bad_options_are_refused(self):
        cases = [["--key", KEY], ["--url", self.url], ["--url", "ftp://x", "--key", KEY], ["--bogus"],
                 ["--url", "http://u:p@x", "--key", KEY], ["--url", self.url, "--key", "cmk_short"],
                 ["--url", self.url, "--key", KEY, "--scope", "world"], ["--url"],
                 ["--url", self.url, "--key", KEY, "--name", "a\nurl=http://evil"]]
        for case in cases:
            with self.subTest(case[0]):
                self.run_script("install.sh", *case, code=1)
                self.assertFalse(os.path.exists(self.machine.config))
                self.assertFalse(os.path.exists(self.settings))

    def test_server_that_knows_the_key(self):
        self.url = self.receiver().url
        self.assertIn("accepts the key", self.install())

    def test_server_that_refuses_the_key(self):
        self.url = self.receiver(key="another").url
        self.assertIn("refuses this key", self.install(code=1))
        self.assertFalse(os.path.exists(self.settings) or os.path.exists(self.machine.config))

    def test_server_that_is_away_is_a_warning(self):
        self.assertIn("no answer", self.install())
        self.assertTrue(os.path.exists(self.settings))

    def test_plain_http_to_another_host_is_a_warning(self):
        self.url = "http://192.0.2.1:9"
        self.assertIn("not encrypted", self.install("--dry-run"))

    def test_without_curl(self):
        self.install(code=2, PATH=self.machine.bin_without("curl"))

    def test_reinstall_from_the_installed_copy(self):
        self.install()
        before = self.text()
        self.run_script("install.sh", folder=self.installed)
        self.assertEqual(self.text(), before)


class Removal(InstallCase):
    def test_unsent_events_stay_and_are_counted(self):
        self.install()
        self.fire(self.machine.env(CLAUDE_MONITOR_GIVE_UP_S="0"))
        self.assertIn("1 unsent events stay", self.uninstall())
        self.assertEqual(len(self.machine.spooled()), 1)
        self.assertNotIn("scope=", self.text(self.machine.config))
        self.assertIn("key=" + KEY, self.text(self.machine.config))

    def test_purge_deletes_all_that_was_made(self):
        self.write(OTHERS)
        self.install()
        self.fire(self.machine.env())
        self.machine.wait(lambda: self.machine.read("last_error"))
        self.run_script("uninstall.sh", "--purge", folder=self.installed)
        self.assertTrue(self.machine.wait(lambda: not os.path.exists(self.machine.state)))
        for path in (self.installed, os.path.dirname(self.machine.config)):
            self.assertFalse(os.path.exists(path), path)
        self.assertEqual(self.text(), OTHERS)

    def test_purge_leaves_files_that_are_not_ours(self):
        state = os.path.join(self.machine.home, "shared")
        os.mkdir(state)
        open(os.path.join(state, "precious"), "w", encoding="ascii").close()
        self.install(CLAUDE_MONITOR_STATE_DIR=state)
        self.uninstall("--purge", CLAUDE_MONITOR_STATE_DIR=state)
        self.assertEqual(os.listdir(state), ["precious"])

    def test_without_an_installation(self):
        self.uninstall()
        self.write(OTHERS)
        self.uninstall("--purge")
        self.assertEqual(self.text(), OTHERS)


if __name__ == "__main__":
    unittest.main()
