"""The same call that several sessions ask for is answered together, after a look at each."""

import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, card, prompts


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Together(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page = self.person.page

    def held(self, project, command):
        hold = machine.held(project, tool_name="Bash", tool_input={"command": command})
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        prompts(self.page, project).first.wait_for()
        return hold

    def dialog(self, project):
        card(self.page, project).get_by_role("button", name="Answer together").click()
        return self.page.get_by_role("dialog", name="Answer several together")

    def test_those_that_were_looked_at_are_answered_and_can_be_taken_back(self):
        holds = {name: self.held(name, "make alike") for name in ("first", "second", "third")}
        other = self.held("another", "make other")
        self.page.reload()
        dialog = self.dialog("first")
        expect(dialog.get_by_role("checkbox")).to_have_count(3)
        expect(dialog.get_by_role("button", name="Allow 0 once")).to_be_disabled()
        for name in ("first", "second"):
            dialog.get_by_role("checkbox", name=name).check()
        dialog.get_by_role("button", name="Allow 2 once").click()
        # Each is held for some seconds; one is taken back.
        second = self.page.locator(f"#{holds['second'].prompt}")
        second.get_by_role("button", name="Undo").click()
        self.page.locator(f"#{holds['first'].prompt}").get_by_role("button", name="Send now").click()
        self.assertEqual(holds["first"].decision()["behavior"], "allow")
        self.assertEqual([one.output for one in (holds["second"], holds["third"], other)], [None, None, None])

    def test_the_way_to_it_comes_with_the_card_and_not_later(self):
        self.held("early", "make both")
        early = card(self.page, "early")
        height = early.bounding_box()["height"]
        self.held("late", "make both")
        self.assertEqual(early.get_by_role("button", name="Answer together").count(), 0)
        self.assertEqual(early.bounding_box()["height"], height)


if __name__ == "__main__":
    unittest.main()
