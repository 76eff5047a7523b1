"""First pages that cannot be read: the page says what failed, offers to try again, and recovers by itself."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine, spends
from web import Browser, Server, intercept, row, wait_for


def setUpModule():
    global server, browser, machine, told
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")
    told = machine.session("ledger").start(60).asks("Balance it", 50)
    told.does("Bash", {"stdout": "done", "stderr": ""}, 40, command="make balance")
    spends(told, 2)


def tearDownModule():
    server.end()


def refuse(route):
    """With an error that does not pass by itself, so that the page does not try again on its own."""
    route.fulfill(status=400, content_type="application/json", body='{"error":{"code":"refused","message":"The database refuses."}}')


class Unread(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.page = self.person.page
        # Nothing of the list is known from before, and no script of the app is there to keep it once more.
        self.page.goto(server.url + "/health")
        self.page.evaluate("localStorage.clear()")
        self.page.goto("about:blank")

    def fails(self, pattern, view, what, answer=refuse):
        """Opens a view whose requests fail. Returns what the page says of that."""
        intercept(self.page, pattern, answer)
        self.page.goto(server.url + "/" + view)
        alert = self.page.get_by_role("alert").filter(has_text=what)
        alert.first.wait_for()
        return alert.first

    def tries(self, pattern, view, what, shown):
        """Says what failed and why. *Try again* asks the server once more, and shows the rest once it answers."""
        asked = []

        def answer(route):
            asked.append(route.request.url)
            refuse(route)

        alert = self.fails(pattern, view, what, answer)
        expect(alert).to_contain_text("The database refuses.")
        again, before = alert.get_by_role("button", name="Try again"), len(asked)
        again.click()
        wait_for(lambda: self.page.evaluate("1") and len(asked) > before, "it is asked for once more")
        self.page.unroute_all(behavior="ignoreErrors")

        def is_shown():
            # The connection may have opened meanwhile, after which the page reads by itself.
            # The answer to the click above may still come: then it takes another click.
            again.evaluate_all("(buttons) => buttons.forEach((button) => button.click())")
            return shown().count() > 0 and self.page.get_by_role("alert").count() == 0

        wait_for(is_shown, "the rest is shown, and no fault", 30)
        self.person.check()

    def test_the_list(self):
        self.tries(re.compile(r"/v1/sessions\?"), "", "The sessions could not be read.", lambda: row(self.page, "ledger"))

    def test_prompts(self):
        self.tries(re.compile(r"/v1/prompts\?"), "", "What waits for you could not be read.", lambda: row(self.page, "ledger"))

    def test_the_table(self):
        self.tries(re.compile(r"/v1/sessions\?.*per_page"), "#/sessions", "The sessions could not be read.",
                   lambda: self.page.get_by_role("row").filter(has_text="ledger"))

    def test_the_conversation(self):
        self.tries(re.compile(r"/v1/sessions/.*/events"), f"#/s/{told.id}", "The events could not be read.",
                   lambda: self.page.get_by_role("region", name="Timeline").get_by_text("Balance it"))

    def test_a_session_that_cannot_be_read_is_not_called_absent(self):
        self.fails(re.compile(r"/v1/sessions(\?|/[^/?]+$)"), f"#/s/{told.id}", "The session could not be read.")
        expect(self.page.get_by_text("There is no such session.")).to_have_count(0)

    def test_the_figures(self):
        self.tries(re.compile(r"/v1/usage\?"), "#/figures", "Some figures could not be read.",
                   lambda: self.page.get_by_role("region", name="By model"))

    def test_without_a_click_once_the_server_answers(self):
        alert = self.fails(re.compile(r"/v1/"), "", "The sessions could not be read.", lambda route: route.abort())
        expect(alert).to_contain_text("The server does not answer.")
        self.page.unroute_all(behavior="ignoreErrors")
        row(self.page, "ledger").wait_for()
        # The prompts are read again after a pause of their own.
        self.page.get_by_role("alert").wait_for(state="detached")


if __name__ == "__main__":
    unittest.main()
