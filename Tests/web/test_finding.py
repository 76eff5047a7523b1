"""The command palette and the search: sessions by name, filters, counts, and what was searched for last."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, opened, row


def setUpModule():
    global server, browser
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())
    studio, laptop = Machine(server, "mac-studio"), Machine(server, "laptop-anna")
    studio.session("ledger").start(900).asks("Balance the wombat accounts", 890).stops("The wombat books are balanced.", 880)
    laptop.session("payments").start(600).asks("Refund the wombat", 590).stops("Done.", 580)


def tearDownModule():
    server.end()


class Case(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page = self.person.page
        # A page whose list is there listens to keys.
        row(self.page, "ledger").wait_for()


class Palette(Case):
    def choose(self, text, choice):
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("combobox", name="A session, machine, view or action").fill(text)
        expect(self.page.get_by_role("option").first).to_contain_text(choice)
        self.page.keyboard.press("Enter")

    def test_a_session_a_view_a_machine_and_an_action(self):
        self.choose("balance", "Balance the wombat accounts")
        opened(self.page, "ledger").wait_for()
        self.choose("figur", "Figures")
        self.page.get_by_role("heading", name="Figures", exact=True).wait_for()
        self.choose("laptop-anna", "Refund the wombat")
        opened(self.page, "payments").wait_for()
        self.choose("theme: dark", "Theme: Dark")
        self.assertEqual(self.page.evaluate("document.documentElement.dataset.theme"), "dark")

    def test_keys_move_through_the_choices_and_escape_closes(self):
        self.page.keyboard.press("Control+k")
        field = self.page.get_by_role("combobox", name="A session, machine, view or action")
        field.fill("settings wombat nothing")
        expect(self.page.get_by_role("option")).to_have_count(1)
        field.fill("wombat")
        expect(self.page.get_by_role("option", selected=True)).to_contain_text("Refund the wombat")
        self.page.keyboard.press("ArrowDown")
        expect(self.page.get_by_role("option", selected=True)).to_contain_text("Balance the wombat accounts")
        self.page.keyboard.press("ArrowUp")
        self.page.keyboard.press("ArrowUp")
        expect(self.page.get_by_role("option", selected=True)).to_contain_text("Search for “wombat”")
        self.page.keyboard.press("Escape")
        expect(field).to_have_count(0)


class Search(Case):
    def search(self, text):
        self.page.goto(server.url + "/#/search")
        self.page.get_by_role("searchbox", name=re.compile("Search in everything")).fill(text)
        self.page.keyboard.press("Enter")

    def test_sessions_by_name_results_with_their_number_and_filters(self):
        self.search("wombat")
        sessions = self.page.get_by_role("region", name="Sessions", exact=True)
        expect(sessions.get_by_role("link")).to_have_count(2)
        results = self.page.get_by_role("list", name="Results")
        expect(results.get_by_role("link")).to_have_count(3)
        self.page.get_by_role("status").filter(has_text="3 results").wait_for()
        self.page.get_by_role("combobox", name="Machine").select_option("laptop-anna")
        expect(results.get_by_role("link")).to_have_count(1)
        expect(sessions.get_by_role("link")).to_have_count(1)
        expect(self.page).to_have_url(re.compile("machine=laptop-anna"))
        self.page.get_by_role("combobox", name="Machine").select_option("")
        self.page.get_by_role("combobox", name="Project").select_option(label="ledger")
        expect(results.get_by_role("link")).to_have_count(2)
        self.page.get_by_role("combobox", name="Time").select_option("7")
        expect(results.get_by_role("link")).to_have_count(2)

    def test_recent_searches(self):
        self.search("wombat books")
        self.page.get_by_role("list", name="Results").get_by_role("link").first.wait_for()
        self.page.goto(server.url + "/#/search")
        self.page.get_by_role("region", name="Recent searches").get_by_role("button", name="wombat books").click()
        self.page.get_by_role("list", name="Results").get_by_role("link").first.wait_for()
        self.page.goto(server.url + "/#/search")
        self.page.get_by_role("button", name="Forget them").click()
        expect(self.page.get_by_role("region", name="Recent searches")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
