"""Small screens, large letters, another language and the dark."""

import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import DESK, PHONE, Browser, Server, opened


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Sizes(unittest.TestCase):
    def test_on_a_phone_the_session_stands_alone(self):
        told = machine.session("small").start(10).asks("Hello", 9)
        person = browser.person(server, viewport=PHONE)
        self.addCleanup(person.close)
        page = person.page
        page.get_by_role("link", name="small").click()
        opened(page, "small").wait_for()
        expect(page.get_by_role("list", name="Sessions")).to_have_count(0)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        page.get_by_role("button", name="Details").click()
        page.get_by_text(told.id).wait_for()
        page.get_by_role("button", name="Close").click()
        page.get_by_role("link", name="Back to the sessions").click()
        page.get_by_role("list", name="Sessions").wait_for()

    def test_at_200_percent_nothing_is_cut_off(self):
        person = browser.person(server, viewport={"width": DESK["width"] // 2, "height": DESK["height"] // 2})
        self.addCleanup(person.close)
        self.assertLessEqual(person.page.evaluate("document.documentElement.scrollWidth"), DESK["width"] // 2)

    def test_german_and_dark_on_request(self):
        person = browser.person(server, pair=False, locale="de-DE", scheme="dark")
        self.addCleanup(person.close)
        page = person.open(person.link())
        page.get_by_role("heading", name="Sitzungen", exact=True).wait_for()
        expect(page.locator("body")).to_have_css("background-color", "rgb(15, 17, 19)")
        page.goto(server.url + "/#/settings")
        page.get_by_label("Aussehen").select_option("light")
        expect(page.locator("body")).to_have_css("background-color", "rgb(247, 247, 245)")
        page.get_by_label("Sprache").select_option("en")
        page.get_by_role("heading", name="Settings").wait_for()
        person.check()


if __name__ == "__main__":
    unittest.main()
