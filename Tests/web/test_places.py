"""What a person has chosen, and where they were in the list, stay while they look elsewhere and answer."""

import unittest

from playwright.sync_api import expect
from scenes import Machine
from touching import phone, tap
from web import Browser, Server, card, row, wait_for

QUESTIONS = [{"question": "Which database?", "header": "Database", "multiSelect": False, "options": [
    {"label": "PostgreSQL"}, {"label": "SQLite"}]}]


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Places(unittest.TestCase):
    def setUp(self):
        self.person = phone(browser, server)
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page = self.person.page

    def asks(self, project):
        hold = machine.held(project, tool_name="AskUserQuestion", tool_input={"questions": QUESTIONS})
        self.addCleanup(hold.is_over.set)
        return hold

    def test_a_choice_goes_along_to_the_session_and_is_seen_after_the_answer(self):
        hold = self.asks("chooser")
        card(self.page, "chooser").get_by_role("radio", name="SQLite").check()
        self.page.goto(f"{server.url}/#/s/{hold.told.id}")
        question = self.page.locator("main.session article")
        expect(question.get_by_role("radio", name="SQLite")).to_be_checked()
        self.page.get_by_role("link", name="Back to the sessions").tap()
        chosen = card(self.page, "chooser")
        expect(chosen.get_by_role("radio", name="SQLite")).to_be_checked()
        tap(self.page, chosen.get_by_role("button", name="Send answer"))
        # Some seconds later it is no article any more, and drawn anew.
        place = self.page.locator(f"#{hold.prompt}")
        wait_for(lambda: place.evaluate("(one) => one.localName") == "div", "it is no article any more")
        expect(place.locator("input[type=radio]").nth(1)).to_be_checked()
        self.assertEqual(hold.output["hookSpecificOutput"]["decision"]["updatedInput"]["answers"], {"Which database?": "SQLite"})

    def test_the_list_is_where_it_was_though_the_first_row_has_moved(self):
        for number in range(20):
            machine.session(f"busy-{number}").start(60).asks(f"Work {number}", 50)
        hold = self.asks("mover")
        tap(self.page, self.page.locator(f"#{hold.prompt}").get_by_role("radio", name="SQLite"))
        view = self.page.locator(".pane.home")
        view.evaluate("(one) => { one.scrollTop = 200 }")
        wait_for(lambda: self.page.evaluate("history.state?.place?.top") == 200, "the place is kept")
        tap(self.page, self.page.locator(f"#{hold.prompt}").get_by_role("button", name="Send answer"))
        hold.result()
        self.page.goto(f"{server.url}/#/s/{hold.told.id}")
        self.page.locator("main.session").wait_for()
        self.page.get_by_role("link", name="Back to the sessions").tap()
        view.wait_for()
        self.assertEqual(view.evaluate("(one) => Math.round(one.scrollTop)"), 200)

    def test_a_session_that_failed_says_what_to_do_however_many_others_are_newer(self):
        failed = machine.session("limited").start(700).asks("Train the model", 690)
        failed.post(("StopFailure", {"error": "rate_limit", "last_assistant_message": "Later"}), ago=650)
        for number in range(14):
            machine.session(f"newer-{number}").start(60).asks(f"Newer {number}", 50)
        self.page.reload()
        row(self.page, "Train the model").get_by_text("when the limit is over").wait_for()


if __name__ == "__main__":
    unittest.main()
