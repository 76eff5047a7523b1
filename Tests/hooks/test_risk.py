"""The risk table, with the cases that the server must also pass."""

import json
import os
import shutil
import subprocess
import unittest

from prompt_support import encode, request
from support import AWK, BASH, HOOK, HOOKS, ROOT, MachineCase

RISKS = ["read", "edit", "execute", "network", "delete", "credentials", "publish"]
PLACES = ["tool", "shell", "path", "written", "evaluates", "searches", "searched", "prefix", "alone", "runs", "command", "text", "options"]
PARTS = ["json", "values", "shell", "quotes", "arithmetic", "words", "risk", "commands", "options"]
# The installed awks.
AWKS = [AWK or "awk"] + [name for name in ("mawk", "gawk", "original-awk", "busybox") if shutil.which(name)]


def cases():
    """The risk, project, tool and input of each case, with the input unchanged."""
    with open(os.path.join(os.path.dirname(__file__), "risk-cases.tsv"), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def hook(tool, tool_input):
    """Uses the raw text, so that the escapes of the case reach the hook."""
    return json.dumps(request(tool, {})).replace('"tool_input": {}', '"tool_input": ' + tool_input)


def rows():
    with open(os.path.join(HOOKS, "risk.tsv"), encoding="ascii") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


class Risk(MachineCase):
    def explain(self, text, **extra):
        done = subprocess.run([BASH, "-p", HOOK, "explain"], input=text, env=self.machine.env(**extra),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def risk(self, project, tool, tool_input):
        code, told, errors = self.explain(encode(request(tool, tool_input)), CLAUDE_PROJECT_DIR=project or None)
        self.assertEqual(code, 0, errors)
        return next(line.split()[1] for line in told.splitlines() if line.startswith("risk:"))

    def test_the_hook_judges_cases(self):
        for wanted, project, tool, tool_input in cases()[::20]:
            with self.subTest(tool=tool, input=tool_input):
                code, told, errors = self.explain(hook(tool, tool_input).encode(), CLAUDE_PROJECT_DIR=project)
                self.assertEqual(code, 0, errors)
                self.assertEqual(told.split("risk:")[1].split()[0], wanted, told)

    def test_project_is_the_working_directory_where_none_is_named(self):
        self.assertEqual(self.risk("", "Write", {"file_path": "/home/u/p/a"}), "edit")
        self.assertEqual(self.risk("/home/u/q", "Write", {"file_path": "/home/u/p/a"}), "execute")

    def test_long_command_has_the_highest_risk(self):
        self.assertEqual(self.risk("/p", "Bash", {"command": "ls " + "a" * 40000}), "publish")

    def test_text_that_steers_a_terminal_is_shown_as_question_marks(self):
        code, told, _ = self.explain(encode(request("Bash\x1b[31m\u202e", {})))
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", told)

    def test_input_that_is_not_json_is_an_error(self):
        code, told, errors = self.explain(b"{")
        self.assertEqual((code, told), (1, ""))
        self.assertIn("ends too early", errors)


class Table(unittest.TestCase):
    def test_every_row_is_well_formed(self):
        for row in rows():
            self.assertEqual(len(row), 3, row)
            self.assertIn(row[0], RISKS)
            self.assertIn(row[1], PLACES)
        self.assertEqual(len({tuple(row[1:]) for row in rows()}), len(rows()))

    def test_the_rows_of_a_place_stand_together(self):
        with open(os.path.join(HOOKS, "risk.tsv"), encoding="ascii") as file:
            blocks = [block for block in file.read().split("\n\n") if not block.startswith("#")]
        self.assertEqual([{line.split("\t")[1] for line in block.strip().split("\n")} for block in blocks],
                         [{place} for place in PLACES])

    def test_no_program_is_a_pattern(self):
        for row in rows():
            if row[1] in ("evaluates", "searches", "prefix", "alone", "runs", "command", "text", "options"):
                self.assertNotIn("*", row[2].split()[0], row)

    def test_a_program_that_reads_or_edits_has_a_row_of_its_options(self):
        known = {row[2].split(" : ")[0] for row in rows() if row[1] == "options"}
        for row in rows():
            if row[1] == "command" and row[0] in ("read", "edit"):
                self.assertIn(row[2], known)

    def test_the_directories_of_credentials_are_searched(self):
        names = {row[2] for row in rows() if row[0] == "credentials" and row[1] in ("path", "searched")}
        for row in rows():
            # The table lists only the directories of processes below /proc.
            if row[:2] != ["credentials", "path"] or row[2].startswith("/proc/") or "/" not in row[2]:
                continue
            parts = row[2].split("/")[1:-1]
            for count in range(1, len(parts) + 1):
                directory = "/" + "/".join(parts[:count])
                self.assertTrue({directory, "*" + directory} & names, row)

    def test_options_are_none_of_what_runs_or_writes(self):
        """Options that run a program or write to a file, by the programs' manual pages. The table must mark them or not list
        them."""
        never = {"rg": ["--pre", "--hostname-bin", "--search-zip"], "diff": ["--paginate"], "tree": ["-R"], "test": ["-v", "-R"],
                 "sort": ["--compress-program"], "jq": ["--from-file", "--library-path"], "git add": ["--edit", "--interactive"],
                 "find": ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]}
        never.update({"git " + name: ["--output", "--ext-diff", "--textconv"] for name in ("log", "diff", "show", "shortlog")})
        options = {row[2].split(" : ")[0]: row[2].split(" : ")[1].split() for row in rows() if row[1] == "options"}
        for program, names in never.items():
            self.assertNotIn("any", options[program])
            for name in names:
                self.assertNotIn(name, [option.rstrip(":=>!&?%;~^") for option in options[program]], program)


class Cases(unittest.TestCase):
    def test_every_awk_judges_every_case(self):
        every = cases()
        self.assertGreater(len(every), 800)
        text = "".join(f"{project}\t{hook(tool, tool_input)}\n" for _, project, tool, tool_input in every)
        programs = [arg for part in PARTS for arg in ("-f", os.path.join(HOOKS, "lib", part + ".awk"))]
        programs += ["-f", os.path.join(ROOT, "Tests/hooks/risk_calls.awk")]
        for awk in AWKS:
            command = [awk, "awk"] if awk == "busybox" else [awk]
            done = subprocess.run(command + programs, input=text.encode(), stdout=subprocess.PIPE, check=True, timeout=120,
                                  env={**os.environ, "LC_ALL": "C", "RISKS": os.path.join(HOOKS, "risk.tsv")})
            judged = [line.split("\t") for line in done.stdout.decode("utf-8", "replace").splitlines()]
            self.assertEqual(len(judged), len(every), awk)
            for (wanted, *case), found in zip(every, judged):
                self.assertEqual(found[0], wanted, (awk, case, found))


if __name__ == "__main__":
    unittest.main()
