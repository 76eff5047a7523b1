"""No violation of WCAG A or AA that axe finds, in each view, light and dark."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from scenes import world
from web import DESK, PHONE, Browser, Server

LEVELS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


def setUpModule():
    global server, browser, told
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    told = world(server)


def tearDownModule():
    server.end()


class Views(unittest.TestCase):
    def look(self, page, view):
        found = Axe().run(page, options=LEVELS).response["violations"]
        faults = [(one["id"], one["help"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found]
        self.assertEqual(faults, [], view)

    def walk(self, viewport, scheme, administer):
        person = browser.person(server, viewport=viewport, scheme=scheme, pair=False, reduced_motion="reduce")
        self.addCleanup(person.close)
        page = person.sign_in(*(["--administer"] if administer else []))
        views = ["#/", f"#/s/{told.id}", "#/figures", "#/search?q=refunds", *("#/settings/" + name for name in (
            "browser", "notifications", "machines", "devices", "audit", "about"))]
        for view in views:
            page.goto(server.url + "/" + view)
            page.get_by_role("heading").first.wait_for()
            page.wait_for_load_state("networkidle")
            self.look(page, (view, scheme))
        self.assertTrue(page.get_by_role("heading").count() > 0)
        person.check()

    def test_on_a_desk_in_light(self):
        self.walk(DESK, "light", administer=True)

    def test_on_a_phone_in_dark(self):
        self.walk(PHONE, "dark", administer=False)

    def test_the_door(self):
        person = browser.person(server, pair=False)
        self.addCleanup(person.close)
        self.look(person.open("/"), "welcome")
        self.look(person.open("/pair"), "pair")
        self.look(person.open("/docs"), "docs")

    def test_the_servers_own_pages_look_like_the_app(self):
        look = """() => {
            const style = getComputedStyle(document.body), link = document.querySelector("a")
            return [style.backgroundColor, style.color, getComputedStyle(link).color, getComputedStyle(document.documentElement).fontFamily]
        }"""
        for scheme in ("light", "dark"):
            person = browser.person(server, pair=False, scheme=scheme)
            self.addCleanup(person.close)
            welcome = person.open("/")
            welcome.get_by_role("link").first.wait_for()
            self.assertEqual(person.open("/docs").evaluate(look), welcome.evaluate(look), scheme)
            page = person.open("/pair")
            page.get_by_label("Admin token").fill("wrong")
            page.get_by_role("button", name="Make a code").click()
            page.get_by_role("alert").wait_for()
            self.look(page, ("pair", scheme))
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"),
                             welcome.evaluate("getComputedStyle(document.body).backgroundColor"))


if __name__ == "__main__":
    unittest.main()
