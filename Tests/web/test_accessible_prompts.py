"""axe finds no violation of WCAG A or AA in prompts that can be answered, and in what opens from them, light and dark."""

import unittest

from accessible import Scanned, start
from web import DESK, PHONE, Browser


def setUpModule():
    global server, browser, told, held
    browser = unittest.enterModuleContext(Browser())
    server, told, held = start(browser)


def tearDownModule():
    server.end()


class Prompts(Scanned):
    def walk(self, viewport, scheme):
        person = browser.person(server, viewport=viewport, scheme=scheme, reduced_motion="reduce")
        self.addCleanup(person.close)
        page = person.page
        for kind, hold in held.items():
            page.goto(f"{server.url}/#/s/{hold.told.id}")
            # The view before this one has articles, too.
            article = page.locator(f"main.session article[data-prompt='{hold.prompt}']:not([data-new])")
            article.get_by_role("button").first.wait_for()
            self.look(page, (kind, scheme))
            if kind == "plan":
                article.get_by_role("button", name="Edit the plan").click()
                article.get_by_role("textbox").first.wait_for()
                self.look(page, ("edited plan", scheme))
            if kind == "question":
                article.get_by_role("button", name="Add a note").first.click()
                self.look(page, ("note", scheme))
        page.goto(f"{server.url}/#/s/{told.id}")
        page.get_by_role("button", name="Always allow").click()
        page.get_by_role("dialog").wait_for()
        self.look(page, ("always", scheme))
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        page.locator(".menu > summary").click()
        self.look(page, ("menu", scheme))
        page.keyboard.press("Escape")
        page.locator("h1").click()
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()
        self.look(page, ("keys", scheme))
        person.check()

    def test_on_a_desk_in_light(self):
        self.walk(DESK, "light")

    def test_on_a_desk_in_dark(self):
        self.walk(DESK, "dark")

    def test_on_a_phone_in_light(self):
        self.walk(PHONE, "light")

    def test_on_a_phone_in_dark(self):
        self.walk(PHONE, "dark")


if __name__ == "__main__":
    unittest.main()
