"""A machine on which the hooks are installed, and functions that look at it."""

import glob
import json
import os
import subprocess

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
