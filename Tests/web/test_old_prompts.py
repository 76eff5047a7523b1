"""Prompts of sessions that are older than all that the list holds."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, card, row


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class OldPrompts(unittest.TestCase):
    def test_a_prompt_beyond_the_newest_two_hundred_sessions_is_answered(self):
        # A hook waits only while there is a device that may answer.
        person = browser.person(server)
        self.addCleanup(person.close)
        page = person.page
        page.goto("about:blank")
        hold = machine.held("forgotten", tool_name="Bash", tool_input={"command": "make release"}, ago=300)
        self.addCleanup(hold.is_over.set)
        for number in range(205):
            machine.session(f"newer-{number}").start(60).asks(f"Work {number}", 50)
        page.goto(server.url + "/")
        expect(page).to_have_title(re.compile(r"^\(1\) "))
        row(page, "forgotten").get_by_role("article").wait_for()
        # It is there also once the list is read again.
        page.reload()
        card(page, "forgotten").get_by_role("button", name="Allow once").click()
        self.assertEqual(hold.decision()["behavior"], "allow")
        person.check()


if __name__ == "__main__":
    unittest.main()
