"""Answers that cannot be taken back wait for some seconds; all others go at once."""

import datetime
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, card, prompts, row


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Case(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.page = self.person.page
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page.clock.install()
        self.page.reload()

    def held(self, project, command="make it", name="PermissionRequest", **fields):
        fields.setdefault("tool_name", "Bash")
        if fields["tool_name"] == "Bash":
            fields.setdefault("tool_input", {"command": command})
        self.page.mouse.move(0, 0)
        hold = machine.held(project, name, **fields)
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        return hold

    def stop_clock(self):
        """Time passes for the page only by `run_for`, however slow the machine is."""
        soon = self.page.evaluate("Date.now()") / 1000 + 10
        self.page.clock.pause_at(datetime.datetime.fromtimestamp(soon, datetime.timezone.utc))


class Undo(Case):
    def test_what_cannot_be_taken_back_waits_and_is_taken_back(self):
        hold = self.held("undone", "rm -rf build")
        prompt = card(self.page, "undone")
        self.stop_clock()
        prompt.get_by_role("button", name="Allow once").click()
        prompt.get_by_text("Allowed by you").wait_for()
        prompt.get_by_role("button", name="Undo").click()
        prompt.get_by_role("button", name="Allow once").wait_for()
        self.page.clock.run_for(5_500)
        self.assertIsNone(hold.output)
        prompt.get_by_role("button", name="Allow once").click()
        prompt.get_by_role("button", name="Send now").click()
        self.assertEqual(hold.decision()["behavior"], "allow")

    def test_it_is_sent_by_itself_after_five_seconds(self):
        hold = self.held("by-itself", "rm -rf build")
        prompt = card(self.page, "by-itself")
        self.stop_clock()
        prompt.get_by_role("button", name="Stop the turn").click()
        self.page.clock.run_for(4_900)
        expect(prompt.get_by_role("button", name="Undo")).to_be_visible()
        self.assertIsNone(hold.output)
        self.page.clock.run_for(200)
        self.assertTrue(hold.decision()["interrupt"])

    def test_it_is_sent_when_the_page_is_closed(self):
        hold = self.held("closed", "rm -rf build")
        other = self.person.open()
        card(other, "closed").get_by_role("button", name="Allow once").click()
        other.get_by_role("button", name="Undo").wait_for()
        with other.expect_event("close"):
            other.close(run_before_unload=True)
        self.assertEqual(hold.result()["hookSpecificOutput"]["decision"]["behavior"], "allow")

    def test_all_others_go_at_once_unless_the_person_wants_more(self):
        hold = self.held("at-once", "ls")
        prompt = card(self.page, "at-once")
        self.stop_clock()
        prompt.get_by_role("button", name="Allow once").click()
        self.assertEqual(hold.decision()["behavior"], "allow")
        self.page.clock.resume()
        self.page.goto(server.url + "/#/settings/browser")
        self.page.get_by_role("checkbox", name="Undo for 5 s after every answer").check()
        self.page.goto(server.url + "/#/")
        self.held("with-undo", "ls")
        prompt = card(self.page, "with-undo")
        self.stop_clock()
        prompt.get_by_role("button", name="Deny").click()
        prompts(self.page, "with-undo").get_by_role("button", name="Undo").click()
        prompts(self.page, "with-undo").get_by_role("button", name="Deny").wait_for()

    def test_enter_in_the_reason_denies_with_it(self):
        hold = self.held("reasoned", "make it")
        reason = card(self.page, "reasoned").get_by_role("textbox", name="Reason")
        reason.fill("Use the helper")
        reason.press("Enter")
        self.assertEqual(hold.decision(), {"behavior": "deny", "message": "Use the helper"})
        row(self.page, "reasoned").get_by_text("Use the helper").wait_for()


if __name__ == "__main__":
    unittest.main()
