"""The risk table, by the cases that the server must pass too."""

import json
import os
import subprocess
import unittest

from prompt_support import encode, request
from support import BASH, HOOK, HOOKS, MachineCase

RISKS = ["read", "edit", "execute", "network", "delete", "credentials", "publish"]


class Risk(MachineCase):
    def explain(self, hook, **extra):
        done = subprocess.run([BASH, "-p", HOOK, "explain"], input=encode(hook), env=self.machine.env(**extra),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def risk(self, project, tool, tool_input):
        code, told, errors = self.explain(request(tool, tool_input), CLAUDE_PROJECT_DIR=project or None)
        self.assertEqual(code, 0, errors)
        return next(line.split()[1] for line in told.splitlines() if line.startswith("risk:")), told

    def test_cases(self):
        with open(os.path.join(os.path.dirname(__file__), "risk-cases.tsv"), encoding="utf-8") as file:
            cases = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.assertGreater(len(cases), 90)
        for wanted, project, tool, tool_input in cases:
            with self.subTest(tool=tool, input=tool_input):
                # Raw, so that the case's own escapes reach the hook.
                text = json.dumps(request(tool, {})).replace('"tool_input": {}', '"tool_input": ' + tool_input)
                done = subprocess.run([BASH, "-p", HOOK, "explain"], input=text.encode(), timeout=20,
                                      env=self.machine.env(CLAUDE_PROJECT_DIR=project), stdout=subprocess.PIPE, check=True)
                told = done.stdout.decode()
                self.assertEqual(told.split("risk:")[1].split()[0], wanted, told)

    def test_project_is_the_working_directory_where_none_is_named(self):
        self.assertEqual(self.risk("", "Write", {"file_path": "/home/u/p/a"})[0], "edit")
        self.assertEqual(self.risk("/home/u/q", "Write", {"file_path": "/home/u/p/a"})[0], "execute")

    def test_long_command_has_the_highest_risk(self):
        self.assertEqual(self.risk("/p", "Bash", {"command": "ls " + "a" * 40000})[0], "publish")

    def test_every_row_is_well_formed(self):
        with open(os.path.join(HOOKS, "risk.tsv"), encoding="ascii") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        for row in rows:
            self.assertEqual(len(row), 3, row)
            self.assertIn(row[0], RISKS)
            self.assertIn(row[1], ["tool", "shell", "path", "written", "prefix", "runs", "command"])
        self.assertEqual(len({tuple(row[1:]) for row in rows}), len(rows))

    def test_text_that_steers_a_terminal_is_shown_as_question_marks(self):
        code, told, _ = self.explain(request("Bash\x1b[31m\u202e", {}))
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", told)

    def test_input_that_is_not_json_is_an_error(self):
        done = subprocess.run([BASH, "-p", HOOK, "explain"], input=b"{", env=self.machine.env(), timeout=20,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"ends too early", done.stderr)


if __name__ == "__main__":
    unittest.main()
