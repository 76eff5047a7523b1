"""Names, pins, the archive and deleting; all sessions as a table; one shell whose places are kept."""

import re
import unittest

from scenes import Machine
from web import DESK, PHONE, Browser, Server, row, wait_for


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")
    for number in range(64):
        machine.session("shop/infra" if number % 2 else "bank/infra").start(9000 - number).asks(f"Chore {number:02}", 8999 - number)


def tearDownModule():
    server.end()


class Case(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server, pair=False)
        self.page = self.person.sign_in("--administer")
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def go(self, view):
        self.page.goto(f"{server.url}/{view}")

    def choose(self, action):
        self.page.locator(".menu summary").click()
        self.page.get_by_role("button", name=action, exact=True).click()


class Names(Case):
    def test_the_title_is_first_and_the_place_second(self):
        machine.session("alpha").start(5).asks("Mend the fence", 4)
        item = row(self.page, "Mend the fence")
        # The prompt may be heard of before the row that has it as the title.
        wait_for(lambda: re.search(r"^Mend the fence[\s\S]*\n+alpha · mac-studio", item.inner_text()), "the title is first")
        item.get_by_role("link").click()
        self.page.get_by_role("heading", name="Mend the fence").wait_for()
        self.page.get_by_role("main").get_by_text(re.compile("^alpha · mac-studio")).wait_for()

    def test_projects_of_one_name_differ_by_their_paths(self):
        row(self.page, "Chore 63").get_by_text("shop/infra · mac-studio").wait_for()
        row(self.page, "Chore 62").get_by_text("bank/infra · mac-studio").wait_for()

    def test_rename_pin_archive_and_undo(self):
        told = machine.session("renamed").start(5).asks("Some words", 4).stops("Done.", 3)
        self.go(f"#/s/{told.id}")
        self.page.get_by_role("heading", name="Some words").wait_for()
        self.choose("Rename…")
        self.page.get_by_role("textbox", name="Name").fill("The great rename")
        self.page.get_by_role("button", name="Save").click()
        self.page.get_by_role("heading", name="The great rename").wait_for()
        self.choose("Pin")
        row(self.page, "The great rename").get_by_text("pinned").wait_for(state="attached")
        self.choose("Archive")
        self.page.get_by_role("status").filter(has_text="Archived: 1 session").wait_for()
        row(self.page, "The great rename").wait_for(state="detached")
        self.page.get_by_role("button", name="Undo").click()
        row(self.page, "The great rename").wait_for()
        self.assertFalse(server.get(f"/v1/sessions/{told.id}").json["archived"])

    def test_delete_asks_and_removes(self):
        told = machine.session("doomed").start(5).asks("Remove me", 4)
        self.go(f"#/s/{told.id}")
        self.choose("Delete…")
        self.page.get_by_role("button", name="Delete for good").click()
        self.page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        row(self.page, "Remove me").wait_for(state="detached")
        self.assertEqual(server.client().get(f"/v1/sessions/{told.id}").status, 404)


class Table(Case):
    def test_pages_totals_and_order(self):
        machine.session("costly").start(5).asks("Costs most", 4).post(("Stop", {"total_cost_usd": 77.5}))
        self.go("#/sessions?q=chore")
        self.page.get_by_text("1–50 of 64").wait_for()
        self.page.get_by_role("button", name="Next page").click()
        self.page.get_by_text("51–64 of 64").wait_for()
        self.assertIn("page=2", self.page.url)
        self.page.reload()
        self.page.get_by_text("51–64 of 64").wait_for()
        self.page.go_back()
        self.page.get_by_text("1–50 of 64").wait_for()
        self.page.get_by_role("searchbox", name="Filter").fill("")
        self.page.get_by_role("button", name="Cost").click()
        self.page.get_by_role("columnheader", name="Cost").and_(self.page.locator("[aria-sort=descending]")).wait_for()
        self.page.locator("tbody tr").first.get_by_text("Costs most").wait_for()

    def test_bulk_archive_and_its_undo(self):
        for number in range(3):
            machine.session("bulk").start(5).asks(f"Bulky {number}", 4)
        self.go("#/sessions?q=bulky")
        self.page.get_by_text("1–3 of 3").wait_for()
        self.page.get_by_role("checkbox", name="Choose all of this page").check()
        self.page.get_by_role("button", name="Archive", exact=True).click()
        self.page.get_by_text("No session fits.").wait_for()
        self.page.get_by_role("combobox", name="Archive").select_option("Only the archive")
        self.page.get_by_text("1–3 of 3").wait_for()
        self.page.get_by_role("button", name="Undo").click()
        self.page.get_by_text("No session fits.").wait_for()
        self.assertEqual(server.get("/v1/sessions?q=bulky&limit=1").json["meta"]["total"], 3)


class Shell(Case):
    def test_navigation_list_and_detail_keep_their_places(self):
        told = machine.session("placed").start(5).asks("Keep the place", 4)
        views = {"home": "#/", "session": f"#/s/{told.id}", "sessions": "#/sessions", "figures": "#/figures",
                 "search": "#/search", "settings": "#/settings/about"}
        for size in (DESK, {"width": 820, "height": 1180}, PHONE):
            self.page.set_viewport_size(size)
            places = set()
            for name, view in views.items():
                self.go(view)
                self.page.locator(f".app.{name}").wait_for()
                self.page.get_by_role("main").last.get_by_role("heading").first.wait_for()
                places.add(self.settled(lambda: self.measured(size, name)))
            self.assertEqual(len(places), 1, (size, places))

    def measured(self, size, name):
        """The places of the navigation, the list, and the bar of the view."""
        box = self.page.get_by_role("navigation", name="Views").bounding_box()
        pane, detail = self.page.locator(".pane"), self.page.locator(".detail")
        width = None if size == PHONE else (pane.bounding_box()["width"], detail.bounding_box()["x"])
        bar = self.page.get_by_role("main").last.locator(".bar").first.bounding_box()
        # A session has a second line below its name where both have no room beside each other.
        height = 60 if size != DESK and name == "session" else round(bar["height"])
        return box["x"], box["y"], width, bar["y"], height

    def settled(self, measure):
        """What is measured once nothing moves any more."""
        found = [measure()]

        def is_same():
            found.append(measure())
            return found[-1] == found[-2]

        wait_for(is_same, "nothing moves")
        return found[-1]

    def test_back_and_reload_return_to_the_scroll_place(self):
        self.go("#/sessions")
        rows = self.page.locator("tbody tr")
        rows.nth(40).wait_for()
        view = self.page.locator("main.table")
        view.evaluate("(view) => { view.scrollTop = 900 }")
        wait_for(lambda: self.page.evaluate("history.state?.scroll") == 900, "the place is kept")
        rows.nth(20).get_by_role("link").click()
        self.page.get_by_role("region", name="Timeline").wait_for()
        self.page.go_back()
        rows.nth(40).wait_for()
        wait_for(lambda: view.evaluate("(view) => view.scrollTop") == 900, "back leads to the place")
        self.page.reload()
        rows.nth(40).wait_for()
        wait_for(lambda: view.evaluate("(view) => view.scrollTop") == 900, "so does a reload")

    def test_on_a_phone_a_button_and_a_swipe_lead_to_the_list(self):
        told = machine.session("swiped").start(5).asks("Swipe me", 4)
        self.page.set_viewport_size(PHONE)
        for way in ("button", "swipe"):
            self.go(f"#/s/{told.id}")
            self.page.get_by_role("heading", name="Swipe me").wait_for()
            if way == "button":
                self.page.get_by_role("link", name="Back to the sessions").click()
            else:
                self.page.locator(".detail h1").evaluate("""(element) => {
                    for (const [type, clientX] of [["pointerdown", 60], ["pointerup", 260]])
                        element.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "touch", clientX, clientY: 20 }))
                }""")
            self.page.get_by_role("heading", name="Sessions", exact=True).wait_for()


if __name__ == "__main__":
    unittest.main()
