"""Projects in the web app: the list, one of them, its settings, and its end."""

import re
import unittest

from accessible import Scanned
from playwright.sync_api import expect
from scenes import world
from web import PHONE, Browser, Server, wait_for


def setUpModule():
    global server, browser, person, told
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    told = world(server)
    person = browser.person(server, pair=False)
    person.sign_in("--administer")


def tearDownModule():
    person.close()
    server.end()


def projects():
    return {one["name"]: one for one in server.get("/v1/projects?limit=200").json["projects"]}


class Case(Scanned):
    def setUp(self):
        self.addCleanup(person.check)
        self.page = person.page
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": 1440, "height": 900})

    def list(self, page=None):
        (page or self.page).goto(f"{server.url}/#/projects")
        (page or self.page).get_by_role("heading", name="Projects", exact=True).wait_for()

    def item(self, name, page=None):
        return (page or self.page).get_by_role("list", name="Projects").get_by_role("listitem").filter(has_text=name)

    def open(self, name, page=None):
        page = page or self.page
        page.goto(f"{server.url}/#/projects/{projects()[name]['id']}")
        page.get_by_role("heading", name=name, exact=True).wait_for()

    def made(self, name):
        answer = server.client(server.admin).request("POST", "/v1/projects", {"name": name, "machine_id": "laptop", "path": f"/home/ana/made/{name}"})
        self.assertEqual(answer.status // 100, 2, answer)
        return answer.json["id"]


class Listed(Case):
    def test_the_navigation_leads_to_the_list_with_cost_place_and_what_waits(self):
        self.page.goto(f"{server.url}/")
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name="Projects").click()
        row = self.item("payments-api")
        for text in ("mac-studio · /home/ana/src/payments-api", "1 session", "1 waits for you", "in 7 days"):
            row.get_by_text(text).first.wait_for()
        expect(row).to_contain_text("$2.4")
        expect(self.item("docs-site").get_by_text("for you")).to_have_count(0)
        self.look(self.page, "the list of projects")
        row.get_by_role("link").click()
        self.page.get_by_role("heading", name="payments-api", exact=True).wait_for()
        self.page.go_back()
        self.item("payments-api").wait_for()

    def test_the_field_finds_by_name_machine_and_path(self):
        self.list()
        field = self.page.get_by_role("searchbox", name="Find a project")
        field.fill("build-7 atlas")
        self.item("payments-api").wait_for(state="detached")
        self.item("atlas-web").wait_for()
        field.fill("nowhere at all")
        self.page.get_by_text("No project fits.").wait_for()

    def test_a_project_appears_with_its_first_session(self):
        self.list()
        self.item("docs-site").wait_for()
        told.machine.session("fresh-start").start(1)
        self.item("fresh-start").wait_for()


class Made(Case):
    def test_a_project_is_made_for_a_directory(self):
        self.list()
        self.page.get_by_role("button", name="New project").click()
        dialog = self.page.get_by_role("dialog", name="New project")
        dialog.get_by_label("Project name").fill("Garden")
        dialog.get_by_label("Description").fill("Plants and water")
        dialog.get_by_label("Machine").select_option("laptop")
        dialog.get_by_role("textbox", name="Directory").fill("/home/ana/garden")
        self.look(self.page, "a new project")
        dialog.get_by_role("button", name="Create").click()
        self.page.get_by_role("heading", name="Garden", exact=True).wait_for()
        self.page.get_by_text("laptop · /home/ana/garden").wait_for()
        self.page.get_by_text("No session has run here yet.").wait_for()
        made = projects()["Garden"]
        self.assertEqual((made["machine_name"], made["path"], made["description"]), ("laptop", "/home/ana/garden", "Plants and water"))

    def test_a_directory_that_is_a_project_is_said_to_be_one(self):
        self.list()
        self.page.get_by_role("button", name="New project").click()
        dialog = self.page.get_by_role("dialog", name="New project")
        dialog.get_by_label("Project name").fill("Again")
        dialog.get_by_label("Machine").select_option("mac-studio")
        dialog.get_by_role("textbox", name="Directory").fill("/home/ana/src/payments-api")
        dialog.get_by_role("button", name="Create").click()
        dialog.get_by_text("is the project").wait_for()


class One(Case):
    def test_it_shows_cost_what_waits_and_its_sessions(self):
        self.open("payments-api")
        tiles = self.page.locator(".tiles")
        expect(tiles.filter(has_text="$2.4")).to_be_visible()
        expect(tiles).to_contain_text(re.compile(r"Wait for you\s+1"), use_inner_text=True)
        self.look(self.page, "a project")
        self.page.get_by_role("list", name="Sessions").last.get_by_role("link").filter(has_text="Fix the rounding").click()
        self.page.wait_for_url(f"**/#/s/{told.id}")

    def test_name_description_and_model_are_changed(self):
        made = self.made("to-rename")
        self.page.goto(f"{server.url}/#/projects/{made}")
        self.page.get_by_label("Project name").fill("Renamed")
        self.page.get_by_label("Description").fill("What it is for")
        self.page.get_by_label("Default model").fill("haiku")
        self.page.get_by_role("button", name="Save").click()
        self.page.get_by_role("status").filter(has_text="Saved").wait_for()
        self.page.get_by_role("heading", name="Renamed", exact=True).wait_for()
        saved = server.get(f"/v1/projects/{made}").json
        self.assertEqual((saved["name"], saved["description"], saved["settings"]), ("Renamed", "What it is for", {"default_model": "haiku"}))
        self.page.reload()
        expect(self.page.get_by_label("Default model")).to_have_value("haiku")
        self.page.get_by_label("Default model").fill("")
        self.page.get_by_role("button", name="Save").click()
        wait_for(lambda: "settings" not in server.get(f"/v1/projects/{made}").json, "the model is cleared")

    def test_what_is_typed_stays_while_the_project_works(self):
        session = told.machine.session("busy-place").start(5)
        self.open("busy-place")
        self.page.get_by_label("Description").fill("half a sentence")
        session.asks("Go on", 1).ends(0)
        self.page.get_by_role("list", name="Sessions").last.get_by_text("Ended").wait_for()
        expect(self.page.get_by_label("Description")).to_have_value("half a sentence")
        # Leaving asks first.
        self.page.get_by_role("link", name="Back to the projects").click()
        self.page.get_by_role("button", name="Discard the changes").click()
        self.page.get_by_role("heading", name="Projects", exact=True).wait_for()

    def test_its_notifications_are_its_own(self):
        self.open("infra")
        self.page.get_by_text("Notifications of this project").click()
        self.page.get_by_text("A tool asks for permission").wait_for()
        self.look(self.page, "notifications of a project")

    def test_one_that_is_not_there(self):
        self.page.goto(f"{server.url}/#/projects/ws-none")
        self.page.get_by_text("There is no such project").wait_for()


class Deleted(Case):
    def test_deleting_hides_it_and_its_sessions_stay(self):
        session = told.machine.session("to-hide").start(5).asks("Hide me", 4)
        self.open("to-hide")
        self.page.get_by_role("button", name="Delete…").click()
        dialog = self.page.get_by_role("dialog", name="Delete the project to-hide?")
        dialog.get_by_text("Deleting hides it").wait_for()
        self.look(self.page, "deleting a project")
        dialog.get_by_role("button", name="Delete", exact=True).click()
        self.page.get_by_text("Deleted: to-hide").wait_for()
        self.assertNotIn("to-hide", projects())
        self.item("to-hide").wait_for(state="detached")
        self.assertEqual(server.get(f"/v1/sessions/{session.id}").status, 200)

    def test_erasing_is_asked_for_apart(self):
        session = told.machine.session("to-erase").start(5).asks("Erase me", 4).ends(3)
        self.open("to-erase")
        self.page.get_by_role("button", name="Delete…").click()
        dialog = self.page.get_by_role("dialog", name="Delete the project to-erase?")
        dialog.get_by_text("Erase what was said in it, too?").click()
        button = dialog.get_by_role("button", name="Delete for good")
        expect(button).to_be_disabled()
        dialog.get_by_label("I know that this cannot be undone.").check()
        button.click()
        self.page.get_by_text("Erased: to-erase").wait_for()
        self.assertEqual(server.get(f"/v1/sessions/{session.id}").status, 404)


class Rights(Case):
    def test_a_browser_that_may_not_administer_is_told_how(self):
        reader = browser.person(server, viewport=PHONE, locale="de-DE", scheme="dark", pair=False, has_touch=True, is_mobile=True)
        self.addCleanup(reader.close)
        page = reader.open(reader.link())
        page.get_by_role("navigation", name="Ansichten").get_by_role("link", name="Projekte").tap()
        page.get_by_role("list", name="Projekte").get_by_role("link").filter(has_text="payments-api").tap()
        page.get_by_text("monitorctl device grant").wait_for()
        self.assertEqual(page.get_by_role("button", name="Löschen…").count(), 0)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        self.look(page, "a project on a phone")
        reader.check()


if __name__ == "__main__":
    unittest.main()
