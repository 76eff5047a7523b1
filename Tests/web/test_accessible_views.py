"""axe finds no violation of WCAG A or AA in any view, light and dark. Also tested is what axe does not check: zoom, and the
contrast of things that are not text."""

import unittest

from accessible import Scanned, start
from web import DESK, PHONE, Browser

# The contrast between an element's color and its background. Ignores opacity.
CONTRAST = """(element, name) => {
    const canvas = document.createElement("canvas").getContext("2d")
    const channels = (colour) => {
        canvas.clearRect(0, 0, 1, 1)
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data]
    }
    const light = ([red, green, blue]) => [red, green, blue].map((value) => value / 255)
        .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
    const style = getComputedStyle(element)
    if (style.opacity !== "1") throw new Error("is transparent")
    let behind = element.parentElement
    while (channels(getComputedStyle(behind).backgroundColor)[3] < 255) behind = behind.parentElement
    const [one, other] = [style[name], getComputedStyle(behind).backgroundColor].map((colour) => light(channels(colour)) + 0.05)
    return Math.max(one, other) / Math.min(one, other)
}"""


def setUpModule():
    global server, browser, told
    browser = unittest.enterModuleContext(Browser())
    server, told, _ = start(browser)


def tearDownModule():
    server.end()


class Views(Scanned):
    def walk(self, viewport, scheme, administer):
        person = browser.person(server, viewport=viewport, scheme=scheme, pair=False, reduced_motion="reduce")
        self.addCleanup(person.close)
        page = person.sign_in(*(["--administer"] if administer else []))
        settings = ("browser", "notifications", "machines", "devices", "audit", "about")
        views = {"#/": ".pane.home article", f"#/s/{told.id}": "main.session .ev", "#/figures": "main.figures section.figure",
                 "#/search?q=refunds": "main ul.results",
                 **{f"#/settings/{name}": f"main.settings [href$='/{name}'][aria-current]" for name in settings}}
        for view, part in views.items():
            page.goto(server.url + "/" + view)
            page.locator(part).first.wait_for(state="attached")
            page.locator(".skeleton").first.wait_for(state="detached")
            self.look(page, (view, scheme))
        person.check()

    def test_on_a_desk_in_light(self):
        self.walk(DESK, "light", administer=True)

    def test_on_a_phone_in_dark(self):
        self.walk(PHONE, "dark", administer=False)

    def test_at_200_percent_the_timeline_keeps_room_beside_a_prompt(self):
        person = browser.person(server, viewport={"width": DESK["width"] // 2, "height": DESK["height"] // 2})
        self.addCleanup(person.close)
        page = person.page
        page.goto(f"{server.url}/#/s/{told.id}")
        timeline = page.get_by_role("region", name="Timeline")
        timeline.get_by_text("git push").wait_for()
        names = ("Allow once", "Always allow", "Send")
        # The room of the timeline is what these leave.
        for name in names:
            page.get_by_role("button", name=name).wait_for()
        page.locator("article:not([data-new])").first.wait_for()
        self.assertGreaterEqual(timeline.bounding_box()["height"], 200)
        for name in names:
            button = page.get_by_role("button", name=name)
            button.scroll_into_view_if_needed()
            box = button.bounding_box()
            self.assertTrue(0 <= box["y"] and box["y"] + box["height"] <= DESK["height"] // 2, (name, box))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), DESK["width"] // 2)
        person.check()

    def test_hints_borders_and_dots_have_contrast(self):
        for scheme in ("light", "dark"):
            person = browser.person(server, scheme=scheme)
            self.addCleanup(person.close)
            page = person.page
            page.goto(f"{server.url}/#/s/{told.id}")
            page.get_by_role("textbox", name="Reason").wait_for()
            for selector, colour, least in (
                    (".yes > kbd", "color", 4.5), ("[data-key=d] > kbd", "color", 4.5), (".strip input", "borderTopColor", 3),
                    (".filters input", "borderTopColor", 3), (".send textarea", "borderTopColor", 3), (".ev > .dot", "backgroundColor", 3)):
                found = page.locator(selector).first.evaluate(CONTRAST, colour)
                self.assertGreaterEqual(found, least, (selector, scheme))

    def test_the_door(self):
        person = browser.person(server, pair=False)
        self.addCleanup(person.close)
        for path, view in (("/", "welcome"), ("/pair", "pair"), ("/docs", "docs")):
            page = person.open(path)
            page.get_by_role("heading").first.wait_for()
            self.look(page, view)

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
            docs = person.open("/docs")
            docs.get_by_role("link").first.wait_for()
            self.assertEqual(docs.evaluate(look), welcome.evaluate(look), scheme)
            page = person.open("/pair")
            page.get_by_label("Admin token").fill("wrong")
            page.get_by_role("button", name="Make a code").click()
            page.get_by_role("alert").wait_for()
            self.look(page, ("pair", scheme))
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"),
                             welcome.evaluate("getComputedStyle(document.body).backgroundColor"))


if __name__ == "__main__":
    unittest.main()
