"""A call that was denied says so, with the words, and never looks as if it had run; one that waits says that it waits."""

import re
import unittest

from playwright.sync_api import expect
from holding import Hold
from scenes import Machine
from web import Browser, Server

EDIT = {"file_path": "/src/money.ts", "old_string": "const a = 1\n", "new_string": "const a = 2\n"}


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Denied(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.page = self.person.page
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def asked(self, project, tool, **tool_input):
        """A session whose call waits for an answer; returns its hook, with its page open."""
        told = machine.session(project).start(20).asks("Do it", 10)
        told.begins(tool, 1, **tool_input)
        hold = Hold(told, "PermissionRequest", tool_name=tool, tool_input=tool_input)
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        self.page.goto(f"{server.url}/#/s/{told.id}")
        self.timeline = self.page.get_by_role("region", name="Timeline")
        self.page.get_by_role("article").get_by_role("button").first.wait_for()
        return hold

    def test_an_edit_waits_then_was_denied_and_looks_never_applied(self):
        hold = self.asked("denied-edit", "Edit", **EDIT)
        self.timeline.get_by_text("waits for you").wait_for()
        expect(self.timeline.get_by_text("running")).to_have_count(0)
        # The difference stands once, in the card.
        expect(self.page.get_by_role("group", name="Change")).to_have_count(1)
        prompt = self.page.get_by_role("article")
        prompt.get_by_role("textbox", name="Reason").fill("Use the helper in money.ts")
        prompt.get_by_role("button", name="Deny", exact=True).click()
        self.assertEqual(hold.decision()["behavior"], "deny")
        said = re.compile(r"Denied by you \(Chrome on Linux\), \d\d:\d\d: “Use the helper in money\.ts”")
        # One line takes the card's place at once, with the words in view. It is there for some seconds only.
        line = self.page.locator(".prompts [data-prompt]")
        expect(line.get_by_text("Use the helper in money.ts")).to_be_in_viewport()
        self.assertLessEqual(line.bounding_box()["height"], 110)
        self.timeline.get_by_text(said).wait_for()
        self.page.reload()
        self.timeline.get_by_text(said).wait_for()
        expect(self.timeline.get_by_text("running")).to_have_count(0)
        self.assertEqual(self.timeline.get_by_role("group", name="Change").count(), 0)
        self.timeline.get_by_text("Not applied").click()
        change = self.timeline.get_by_role("group", name="Change")
        self.assertIn("line-through", change.evaluate("(change) => getComputedStyle(change).textDecorationLine"))

    def test_the_words_are_in_the_log(self):
        hold = self.asked("logged-words", "Bash", command="ls")
        prompt = self.page.get_by_role("article")
        prompt.get_by_role("textbox", name="Reason").fill("Not here")
        prompt.get_by_role("button", name="Deny", exact=True).click()
        hold.decision()
        self.assertEqual(server.get("/v1/prompts/" + hold.prompt).json["answer"]["said"], "Not here")

    def test_at_the_terminal(self):
        hold = self.asked("at-terminal", "Bash", command="make terminal")
        hold.withdraw()
        self.timeline.get_by_text("Denied at the terminal").wait_for()

    def test_allowed_and_run(self):
        hold = self.asked("allowed-run", "Bash", command="make allowed")
        self.page.get_by_role("article").get_by_role("button", name="Allow once").click()
        hold.decision()
        self.timeline.get_by_text("Allowed by you").wait_for()
        call = {"tool_name": "Bash", "tool_use_id": f"toolu_{hold.told.id[:8]}_1", "tool_input": {"command": "make allowed"}}
        hold.told.goes_on(call, {"stdout": "It is made", "stderr": ""})
        self.timeline.get_by_text("It is made").wait_for()
        self.timeline.get_by_text("Allowed by you").wait_for()

    def test_what_was_chosen_stands_where_it_happened(self):
        questions = [{"question": "Which system?", "header": "S", "multiSelect": True, "options": [{"label": "Linux"}, {"label": "macOS"}]}]
        hold = self.asked("chosen", "AskUserQuestion", questions=questions)
        prompt = self.page.get_by_role("article")
        for name in ("Linux", "macOS"):
            prompt.get_by_role("checkbox", name=name).check()
        prompt.get_by_role("button", name="Send answer").click()
        hold.decision()
        self.timeline.get_by_text(re.compile("Answered by you.*“Linux, macOS”")).wait_for()

    def test_nothing_runs_after_the_end_of_its_turn(self):
        told = machine.session("turned").start(20).asks("Do it", 10)
        told.begins("Bash", 5, command="make nothing")
        told.stops("That is all.", 1)
        self.page.goto(f"{server.url}/#/s/{told.id}")
        timeline = self.page.get_by_role("region", name="Timeline")
        timeline.get_by_text("no result").wait_for()
        expect(timeline.get_by_text("running")).to_have_count(0)

    def test_a_notice_of_the_client_is_one_line(self):
        told = machine.session("tasked").start(20)
        told.asks("<task-notification>\n<task-id>a0</task-id>\n<status>completed</status>\n<summary>Agent \"review the callers\" finished"
                  "</summary>\n<result>All nine pass.</result>\n<usage><subagent_tokens>110</subagent_tokens><tool_uses>2</tool_uses>"
                  "</usage>\n</task-notification>", 5)
        self.page.goto(f"{server.url}/#/s/{told.id}")
        timeline = self.page.get_by_role("region", name="Timeline")
        timeline.get_by_text("Agent “review the callers” finished · 2 tools · 110 tokens").wait_for()
        self.assertNotIn("task-id", timeline.inner_text())
        self.assertEqual(timeline.locator(".ev.you").count(), 0)
        timeline.get_by_text("review the callers").click()
        timeline.get_by_text("All nine pass.").wait_for()


if __name__ == "__main__":
    unittest.main()
