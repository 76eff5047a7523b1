"""What the hook prints for a server's answer: only what the approvals file allows, built by the hook itself."""

import json
import os
import shutil
import subprocess
import unittest

from prompt_support import (PLAN, QUESTIONS, add_rules, answer, elicitation, encode, form, request, set_mode,
                            write_approvals)
from scripted_server import ScriptedServer
from support import AWK, HOOKS, MachineCase

REFUSED = None
FIRST, SECOND = (one["question"] for one in QUESTIONS["questions"])
OWN = {"command": "npm test", "timeout": 5}


def answered(**extra):
    return {**QUESTIONS, "answers": {FIRST: "SQLite"}, **extra}


class Answers(MachineCase):
    def setUp(self):
        super().setUp()
        self.server = ScriptedServer()
        self.addCleanup(self.server.stop)
        self.machine.hold_lock()  # no flusher: the prompts alone

    def printed(self, hook, body, approvals=""):
        write_approvals(self.machine, approvals)
        self.server.requests.clear()
        self.server.on("POST /api/prompts", (200, body)).on("DELETE /api/prompts/*", (204,))
        code, out, err = self.machine.fire(self.machine.env(self.server.url), encode(hook), hook["hook_event_name"])
        self.assertEqual((code, err), (0, b""))
        self.assertEqual(len(self.server.sent("POST /api/prompts")), 1)
        ends = [one.headers.get("X-Hold-End") for one in self.server.wait_sent("DELETE /api/prompts/", 1, 0 if out else 5)]
        self.assertEqual(ends, [] if out else ["refused"])
        return json.loads(out) if out else REFUSED

    def check(self, cases, approvals=""):
        for name, hook, body, wanted in cases:
            with self.subTest(name):
                self.assertEqual(self.printed(hook, body, approvals), wanted)

    def test_tools(self):
        bash = request(tool_input=OWN)
        self.check([
            ("allow", bash, answer(), answer()),
            ("deny", bash, answer("deny", message='No "é"\n\ud83d'), answer("deny", message='No "é"\n\ud83d')),
            ("interrupt", bash, answer("deny", message="Stop", interrupt=True), answer("deny", message="Stop", interrupt=True)),
            ("deny alone", bash, answer("deny"), answer("deny")),
            ("the same input", bash, answer(updatedInput={"timeout": 5, "command": "npm test"}), answer()),
            ("null for what is absent", bash, answer(updatedInput=None, updatedPermissions=None), answer()),
            ("more members", bash, {**answer(interrupt=True, reason="x"), "continue": False, "systemMessage": "x"}, answer()),
        ])

    def test_changed_input(self):
        bash, changed = request(tool_input=OWN), {"command": "rm -rf /"}
        self.check([("refused", bash, answer(updatedInput=changed), REFUSED),
                    ("one member more", bash, answer(updatedInput={**OWN, "x": 1}), REFUSED),
                    ("another value", bash, answer(updatedInput={**OWN, "timeout": 50}), REFUSED)])
        self.check([("allowed", bash, answer(updatedInput=changed), answer(updatedInput=changed))], "change_input=yes")

    def test_permissions(self):
        bash, suggested = request(tool_input=OWN), [
            {"type": "addDirectories", "directories": ["/home/u/p"], "destination": "session"}, set_mode(),
            add_rules("npm test *", destination="localSettings"), add_rules(None, destination="localSettings")]
        asked = request(tool_input=OWN, permission_suggestions=suggested)
        exact = add_rules("npm test")
        for_ever = add_rules("npm test", destination="localSettings")

        def allow(*updates):
            return answer(updatedPermissions=list(updates))

        self.check([
            ("exact rule", bash, allow(exact), allow(exact)),
            ("extra members are left out", bash, allow({**exact, "x": 1}), allow(exact)),
            ("suggested mode", asked, allow(set_mode()), allow(set_mode())),
            ("suggested directory", asked, allow(suggested[0]), allow(suggested[0])),
            ("for ever", bash, allow(for_ever), REFUSED),
            ("suggested, for ever", asked, allow(suggested[2]), REFUSED),
            ("one of two for ever", bash, allow(exact, for_ever), REFUSED),
            ("wider", bash, allow(add_rules("npm *")), REFUSED),
            ("whole tool", bash, allow(add_rules(None)), REFUSED),
            ("another tool", bash, allow(add_rules("npm test", "Edit")), REFUSED),
            ("mode that was not suggested", bash, allow(set_mode()), REFUSED),
            ("bypass", asked, allow(set_mode("bypassPermissions")), REFUSED),
            ("mode for ever", asked, allow(set_mode(destination="localSettings")), REFUSED),
            ("directory that was not suggested", asked, allow({**suggested[0], "directories": ["/"]}), REFUSED),
            ("replace", bash, allow({**exact, "type": "replaceRules"}), REFUSED),
            ("remove", bash, allow({**exact, "type": "removeRules"}), REFUSED),
            ("deny rule", bash, allow(add_rules("npm test", behavior="deny")), REFUSED),
            ("not a list", bash, answer(updatedPermissions={"type": "setMode"}), REFUSED),
        ])
        self.check([
            ("for ever", bash, allow(for_ever), allow(for_ever)),
            ("suggested", asked, allow(suggested[2], suggested[3]), allow(suggested[2], suggested[3])),
            ("edited", bash, allow(add_rules("npm *", destination="localSettings")),
             allow(add_rules("npm *", destination="localSettings"))),
            ("every call", bash, allow(add_rules("*", destination="localSettings")), REFUSED),
            ("whole tool", bash, allow(add_rules(None, destination="localSettings")), REFUSED),
            ("another tool", bash, allow(add_rules("x", "Edit", "localSettings")), REFUSED),
            ("every project", bash, allow(add_rules("npm test", destination="userSettings")), REFUSED),
            ("this project's people", bash, allow(add_rules("npm test", destination="projectSettings")), REFUSED),
        ], "always=yes")
        self.check([("mode", asked, allow(set_mode()), REFUSED), ("directory", asked, allow(suggested[0]), REFUSED)],
                   "risk=edit who=notify")

    def test_what_accepting_edits_permits_must_be_for_devices_to_answer(self):
        plan = request("ExitPlanMode", PLAN, permission_mode="plan")
        directory = {"type": "addDirectories", "directories": ["/home/u/q"], "destination": "session"}
        asked = request("Read", {"file_path": "/home/u/q/a"}, permission_suggestions=[set_mode(), directory])
        accepted = answer(updatedInput=PLAN, updatedPermissions=[set_mode()])
        mode, added = answer(updatedPermissions=[set_mode()]), answer(updatedPermissions=[directory])
        for text in ("risk=delete who=notify", "tool=Bash who=notify", "tool=Bash risk=edit who=off", "tool=NotebookEdit who=notify",
                     "tool=MultiEdit who=notify", "tool=Edit who=off", "tool=Write who=notify", "risk=credentials who=notify",
                     "tool=B* risk=delete hold=0", "risk=delete devices=1", "risk=delete quiet=00:00-23:59",
                     "tool=ExitPlanMode,Read\nwho=notify"):
            with self.subTest(text):
                if "quiet" in text:
                    self.check([("plan", plan, accepted, REFUSED)], text + "\n")
                    continue
                self.check([("plan", plan, accepted, REFUSED), ("mode", asked, mode, REFUSED), ("directory", asked, added, REFUSED)], text)
        for text in ("", "risk=network,publish,execute who=notify\n", "risk=read who=notify tool=WebFetch", "devices=1",
                     "project=/elsewhere who=notify"):
            with self.subTest(text):
                self.check([("plan", plan, accepted, accepted), ("mode", asked, mode, mode), ("directory", asked, added, added)], text)
        self.check([("plan", plan, accepted, accepted), ("default", plan, answer(updatedInput=PLAN), answer(updatedInput=PLAN))],
                   "tool=Grep who=notify")
        self.check([("directory", asked, added, REFUSED), ("mode", asked, mode, mode)], "tool=Grep who=notify")

    def test_a_pattern_of_a_persons_own_needs_all_calls_of_its_tool(self):
        suggested = add_rules("npm test *", destination="localSettings")
        asked = request(tool_input=OWN, permission_suggestions=[suggested])
        own = add_rules("npm *", destination="localSettings")
        for text, wanted in (("risk=delete who=notify\nalways=yes", False), ("risk=publish\nalways=yes", False),
                             ("tool=Read who=notify\nalways=yes", True)):
            with self.subTest(text):
                self.check([("suggested", asked, answer(updatedPermissions=[suggested]), answer(updatedPermissions=[suggested])),
                            ("own", asked, answer(updatedPermissions=[own]), answer(updatedPermissions=[own]) if wanted else REFUSED)],
                           text)

    def test_a_directory_has_no_exact_rule(self):
        place = os.path.join(self.machine.home, "folder")
        os.mkdir(place)
        link = os.path.join(self.machine.home, "link")
        os.symlink(place, link)
        file = os.path.join(place, "file")
        for tool, path, wanted in (("Read", place, False), ("Read", link, False), ("Write", place, False), ("Read", file, True)):
            with self.subTest(path):
                rule = answer(updatedPermissions=[add_rules("/" + path, "Read" if tool == "Read" else "Edit")])
                self.assertEqual(self.printed(request(tool, {"file_path": path}), rule), rule if wanted else REFUSED)

    def test_calls_with_an_exact_rule(self):
        program = """BEGIN { RS = "\\n" }
            { text = $0; parse(); tool = plain(member(1, "tool")); input = member(1, "input"); print rule() }
            function rule(    found) {
                found = tool == "Bash" ? exact_command() : exact_path()
                if (found == "") return "-"
                return tool == "Bash" ? "Bash(" found ")" : (tool == "Read" ? "Read" : "Edit") "(/" found ")"
            }
            function refuse(why) { exit 1 }"""
        with open(os.path.join(os.path.dirname(__file__), "exact-cases.tsv"), encoding="utf-8") as file:
            cases = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        lines = "".join('{"tool":"%s","input":%s}\n' % (tool, value) for tool, value, _ in cases)
        for awk in filter(None, [AWK] if AWK else map(shutil.which, ("mawk", "gawk", "original-awk"))):
            with self.subTest(awk):
                done = subprocess.run([awk, *(word for name in ("json", "values", "exact") for word in ("-f", HOOKS + "/lib/%s.awk" % name)),
                                       "-f", self.file("run.awk", program)], input=lines.encode(), env={"LC_ALL": "C"},
                                      stdout=subprocess.PIPE, check=True, timeout=60)
                self.assertEqual(done.stdout.decode().splitlines(), [rule for _, _, rule in cases])
        self.assertGreater(len(cases), 50)

    def file(self, name, text):
        path = os.path.join(self.machine.home, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_command_with_a_pattern_has_no_exact_rule(self):
        for command in ("rm *", "ls a\nrm b", "git:*"):
            with self.subTest(command):
                hook = request(tool_input={"command": command})
                self.assertEqual(self.printed(hook, answer(updatedPermissions=[add_rules(command)])), REFUSED)

    def test_exact_rule_of_a_file(self):
        path = "/home/u/p/a b.txt"
        edit, read = request("Write", {"file_path": path, "content": "x"}), request("Read", {"file_path": path})
        rule, reading = answer(updatedPermissions=[add_rules("/" + path, "Edit")]), answer(updatedPermissions=[add_rules("/" + path, "Read")])
        self.check([("write", edit, rule, rule), ("read", read, reading, reading), ("other tool", edit, reading, REFUSED),
                    ("above", edit, answer(updatedPermissions=[add_rules("//home/u/**", "Edit")]), REFUSED),
                    ("pattern", request("Write", {"file_path": "/home/**"}),
                     answer(updatedPermissions=[add_rules("//home/**", "Edit")]), REFUSED)])

    def test_questions(self):
        ask = request("AskUserQuestion", QUESTIONS)

        def given(**members):
            return answer(updatedInput=members)

        both = {FIRST: "Duck\"DB\", from the phone", SECOND: "iPhone, Mac"}
        notes = {FIRST: {"notes": "a note"}}
        hostile = {"questions": [{"question": "Evil?"}], "evil": 1}
        self.check([
            ("answers", ask, given(**answered(answers=both)), given(**QUESTIONS, answers=both)),
            ("a list", ask, given(answers={SECOND: ["iPhone", "Mac"]}), given(**QUESTIONS, answers={SECOND: "iPhone, Mac"})),
            ("notes", ask, given(**answered(annotations=notes)), given(**answered(annotations=notes))),
            ("other questions", ask, given(**hostile, answers=both), given(**QUESTIONS, answers=both)),
            ("deny", ask, answer("deny", message="Ask later"), answer("deny", message="Ask later")),
            ("no answers", ask, answer(), REFUSED),
            ("none", ask, given(answers={}), REFUSED),
            ("to another question", ask, given(answers={"Evil?": "yes"}), REFUSED),
            ("to one more question", ask, given(answers={FIRST: "a", "Evil?": "yes"}), REFUSED),
            ("not text", ask, given(answers={FIRST: {"a": 1}}), REFUSED),
            ("with a mode", ask, answer(updatedInput=answered(), updatedPermissions=[set_mode()]), REFUSED),
        ])

    def test_question_in_other_escapes_is_the_same_question(self):
        escaped = json.dumps(answer(updatedInput={"answers": {FIRST: "SQLite"}}), ensure_ascii=True).encode()
        self.assertEqual(self.printed(request("AskUserQuestion", QUESTIONS), escaped), answer(updatedInput=answered()))

    def test_plans(self):
        ask = request("ExitPlanMode", PLAN, permission_mode="plan")
        edited = {**PLAN, "plan": "# Other"}
        self.check([
            ("approve", ask, answer(updatedInput=PLAN), answer(updatedInput=PLAN)),
            ("approve without the input", ask, answer(), answer(updatedInput=PLAN)),
            ("accept edits", ask, answer(updatedInput=PLAN, updatedPermissions=[set_mode()]),
             answer(updatedInput=PLAN, updatedPermissions=[set_mode()])),
            ("edited", ask, answer(updatedInput=edited), answer(updatedInput=edited)),
            ("another file", ask, answer(updatedInput={**PLAN, "planFilePath": "/etc/passwd"}), answer(updatedInput=PLAN)),
            ("reject", ask, answer("deny", message="Two files"), answer("deny", message="Two files")),
            ("bypass", ask, answer(updatedInput=PLAN, updatedPermissions=[set_mode("bypassPermissions")]), REFUSED),
            ("for ever", ask, answer(updatedInput=PLAN, updatedPermissions=[set_mode(destination="userSettings")]), REFUSED),
        ])
        self.check([("accept edits", ask, answer(updatedInput=PLAN, updatedPermissions=[set_mode()]), REFUSED)],
                   "tool=Write who=off")

    def test_forms(self):
        ask = elicitation()
        content = {"branch": "main", "sure": True, "count": 3, "tags": ["a"]}
        self.check([
            ("accept", ask, form("accept", content=content), form("accept", content=content)),
            ("decline", ask, form("decline", content=content), form("decline")),
            ("cancel", ask, form("cancel"), form("cancel")),
            ("another field", ask, form("accept", content={"password": "x"}), REFUSED),
            ("another type", ask, form("accept", content={"sure": "yes"}), REFUSED),
            ("a fraction", ask, form("accept", content={"count": 1.5}), REFUSED),
            ("an object", ask, form("accept", content={"branch": {}}), REFUSED),
            ("no action", ask, form("maybe"), REFUSED),
            ("permission", ask, answer(), REFUSED),
        ])

    def test_what_is_no_answer(self):
        bash, allow = request(), json.dumps(answer())
        for body in (b"", b"null", b"[]", b"allow", b'"allow"', (allow + allow).encode(), (allow + "," + allow).encode(),
                     ("{}],[" + allow).encode(), allow[:-1].encode(), allow.encode() + b"x",
                     json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}).encode(),
                     json.dumps({"decision": "approve"}).encode(), json.dumps(answer("ALLOW")).encode(),
                     json.dumps(form("accept", content={})).encode(), b"{" * 3000):
            with self.subTest(body[:60]):
                self.assertEqual(self.printed(bash, body), REFUSED)

    def test_member_that_stands_twice(self):
        """The last one counts, as in other JSON parsers, and is the one that is checked."""
        body = b'{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow",' \
               b'"updatedInput":{"command":"npm test"},"updatedInput":{"command":"rm -rf /"}}}}'
        self.assertEqual(self.printed(request(), body), REFUSED)

    def test_answer_that_is_too_large_is_none(self):
        write_approvals(self.machine, "hold=2")
        self.server.on("POST /api/prompts", (200, json.dumps(answer("deny", message="x" * 3000000)).encode()))
        self.assertEqual(self.machine.fire(self.machine.env(self.server.url), encode(request()), "PermissionRequest"), (0, b"", b""))


if __name__ == "__main__":
    unittest.main()
