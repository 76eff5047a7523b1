"""The approvals file: which rule applies, and what happens if the file is not valid."""

import os
import subprocess
import unittest

from prompt_support import elicitation, encode, request, write_approvals
from support import BASH, HOOK, MachineCase

DEFAULT = "who=answer hold=3600 after=ask always=no change_input=no"
PERMITS = " edits=yes directories=yes rules=exact"


class Approvals(MachineCase):
    def explain(self, hook=None, approvals=None, **extra):
        if approvals is not None:
            write_approvals(self.machine, approvals)
        done = subprocess.run([BASH, "-p", HOOK, "explain"], input=encode(hook or request()), timeout=20, check=True,
                              env=self.machine.env(**{"CLAUDE_PROJECT_DIR": "/home/u/p", **extra}), stdout=subprocess.PIPE)
        return dict(line.split(":", 1) for line in done.stdout.decode().splitlines())

    def settled(self, *arguments, **keywords):
        return self.explain(*arguments, **keywords)["settled"].strip()

    def test_without_a_file(self):
        self.assertEqual(self.settled(), DEFAULT + " risk=execute" + PERMITS)
        self.assertEqual(self.settled(request(agent_id="a1")), DEFAULT.replace("3600", "15") + " risk=execute" + PERMITS)
        self.assertEqual(self.settled(elicitation()), DEFAULT.replace("3600", "15") + " risk=read" + PERMITS)
        self.assertEqual(self.settled(CLAUDE_CODE_ENTRYPOINT="sdk-cli"), DEFAULT.replace("3600", "0") + " risk=execute" + PERMITS)
        self.assertEqual(self.settled(CLAUDE_CODE_ENTRYPOINT="cli"), DEFAULT + " risk=execute" + PERMITS)

    def test_first_rule_that_matches_holds(self):
        table = [
            ("tool=Bash who=off\ntool=Bash who=notify", "who=off"),
            ("tool=Read who=off\ntool=Bash who=notify", "who=notify"),
            ("tool=Read,Ba* who=off", "who=off"),
            ("tool=Read who=off", "who=answer"),
            ("risk=execute who=notify", "who=notify"),
            ("risk=read,edit who=notify", "who=answer"),
            ("project=/home/u/p who=off", "who=off"),
            ("project=/home/u/p/ who=off", "who=off"),
            ("project=/home/u who=off", "who=off"),
            ("project=/home/u/pp who=off", "who=answer"),
            ("project=/home/*/p who=off", "who=off"),
            ("# a comment\n\n  tool=Bash\twho=off # rest\r\n", "who=off"),
            ('project="/home/u/p" who=off', "who=off"),
            ('project="/home/my work",/home/u/p who=off', None),
            ('project="/home/my work,/home/u/p" who=off', "who=off"),
            ("hold=60", "hold=60"), ("hold=99999", "hold=3600"), ("hold=0", "hold=0"),
            ("after=deny", "after=deny"), ("always=yes", "always=yes"), ("change_input=yes", "change_input=yes"),
            ("devices=1,operator", "devices=1,operator"),
        ]
        for text, wanted in table:
            with self.subTest(text):
                said = self.settled(approvals=text).split()
                self.assertIn(wanted or "who=notify", said)

    def test_home_in_a_project(self):
        below = os.path.join(self.machine.home, "p")
        self.assertIn("who=off", self.settled(approvals="project=~/p who=off", CLAUDE_PROJECT_DIR=below))
        self.assertIn("who=answer", self.settled(CLAUDE_PROJECT_DIR=below + "2"))

    def test_a_home_with_characters_of_a_pattern(self):
        for name in ("a&b", "a\\b", "a\\&b\\\\c"):
            with self.subTest(name):
                home = os.path.join(self.machine.home, name)
                os.makedirs(os.path.join(home, ".config/claude-monitor"))
                with open(os.path.join(home, ".config/claude-monitor/approvals"), "w", encoding="utf-8") as file:
                    file.write("project=~/p who=off")
                self.assertIn("who=off", self.settled(HOME=home, CLAUDE_PROJECT_DIR=home + "/p"))
                self.assertIn("who=answer", self.settled(HOME=home, CLAUDE_PROJECT_DIR="/p"))

    def test_faulty_file_lets_nobody_answer(self):
        for text in ("who=everybody", "tool=Bash who", "hold=-1", "hold=1e9", "risk=everything", "color=red", "who=answer,off",
                     'project="/x who=answer', "quiet=25:00-07:00", "always=true", "devices=a;b", "who=answer\ngarbage"):
            with self.subTest(text):
                told = self.explain(approvals=text)
                self.assertIn("who=notify", told["settled"])
                self.assertIn("always=no change_input=no", told["settled"])
                self.assertIn("is not valid", told["rule"])

    def test_file_that_cannot_be_read(self):
        path = write_approvals(self.machine, "who=answer always=yes")
        os.remove(path)
        os.mkdir(path)
        self.assertIn("who=notify", self.settled())
        os.rmdir(path)
        os.symlink("/nowhere/approvals", path)
        self.assertIn("who=notify", self.settled())

    def test_quiet_hours(self):
        always, never = "00:00-23:59", "00:00-00:00"
        said = self.settled(approvals="after=deny quiet=" + always)
        if "quiet=now" not in said:  # the last minute of a day
            said = self.settled(approvals="after=deny quiet=" + always)
        self.assertIn("who=off", said)
        self.assertIn("after=ask", said)
        self.assertNotIn("quiet", self.settled(approvals="quiet=" + never))

    def test_rules_for_messages_are_none_for_prompts(self):
        told = self.explain(approvals="messages=off project=/home/u\nmessages=on\nwho=notify")
        self.assertIn("who=notify", told["settled"])
        self.assertIn("line 3", told["rule"])
        self.assertRegex(told["messages"], "^ off, .* line 1$")
        self.assertIn("on, by default", self.explain(approvals="who=off")["messages"])
        self.assertIn("on", self.explain(approvals="messages=off project=/x\nmessages=on")["messages"])
        for text in ("messages=maybe", "messages=off tool=Bash", "messages=on who=answer", "messages=off risk=read"):
            with self.subTest(text):
                told = self.explain(approvals=text)
                self.assertIn("is not valid", told["rule"])
                self.assertEqual(told["messages"].strip(), "off")

    def test_explanation_names_rule_and_outcome(self):
        told = self.explain(request(tool_input={"command": "rm -rf x"}), "tool=Read\nrisk=delete hold=60 after=deny always=yes")
        self.assertIn("line 2: risk=delete hold=60 after=deny always=yes", told["rule"])
        self.assertIn('in the row "delete command rm"', told["risk"])
        self.assertIn("within 60 seconds", told["outcome"])
        self.assertIn("is denied", told["outcome"])
        self.assertIn("cannot answer", self.explain(approvals="who=notify")["outcome"])
        self.assertIn(" seconds (7,operator only), ", self.explain(approvals="devices=7,operator")["outcome"])
        self.assertIn("(7,phone only; no device has the id phone, and names do not count)",
                      self.explain(approvals="devices=7,phone")["outcome"])
        self.assertIn("no device is notified", self.explain(approvals="who=off")["outcome"])


if __name__ == "__main__":
    unittest.main()
