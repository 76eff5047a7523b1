"""Files of a project in the web app: tree, search, lines, pictures, and what a machine does not show."""

import unittest

from playwright.sync_api import expect
import workspace
from accessible import Scanned
from web import PHONE, Browser, Server, wait_for


def setUpModule():
    global server, browser, person, place
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    person = browser.person(server)
    place = workspace.Place(server, "mac-studio")
    place.repository()
    place.write("docs/logo.png", workspace.PNG)
    place.write("docs/page.html", "<img src=x onerror=\"document.title='ran'\"><b>bold</b>\n")
    place.write(".env", "TOKEN=secret\n")
    place.write("odd\u202egpj.exe.txt", "turned\u202eround\n")
    place.write("data.bin", b"\0\1\2" * 500)
    place.write("long.txt", "".join(f"line {number} of a long file\n" for number in range(1, 20_001)))
    for number in range(230):
        place.write(f"many/file{number:03}.txt", f"{number}\n")


def tearDownModule():
    person.close()
    place.close()
    server.end()


class Case(Scanned):
    def setUp(self):
        self.addCleanup(person.check)
        self.page = person.page
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": 1440, "height": 900})

    def go(self, query="", page=None):
        (page or self.page).goto(f"{server.url}/#/files/{place.project}{query}")

    def item(self, name, page=None):
        return (page or self.page).get_by_role("treeitem", name=name, exact=True)

    def line(self, number):
        return self.page.locator(f".lines [data-line='{number}']")


class Tree(Case):
    def test_from_the_session_to_a_line_and_back(self):
        self.page.goto(f"{server.url}/#/s/{place.told.id}")
        self.page.get_by_role("link", name="Files", exact=True).click()
        self.item("src").click()
        self.item("split.ts").click()
        self.line(12).get_by_text("line12").wait_for()
        self.line(12).locator(".n").click()
        self.page.locator(".lines .marked[data-line='12']").wait_for()
        self.page.wait_for_url("**line=12*")
        self.page.reload()
        self.page.locator(".lines .marked[data-line='12']").wait_for()
        expect(self.item("split.ts")).to_have_attribute("aria-selected", "true")
        self.page.get_by_role("link", name="Back to the session", exact=True).click()
        self.page.get_by_role("region", name="Timeline").wait_for()

    def test_by_keys(self):
        self.go()
        self.item("docs").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            self.page.keyboard.press(key)
        self.item("split.ts").wait_for()
        expect(self.item("src")).to_have_attribute("aria-expanded", "true")
        for key in ("ArrowDown", "ArrowDown", "Enter"):
            self.page.keyboard.press(key)
        self.line(1).get_by_text("line1").wait_for()
        self.page.keyboard.press("Escape")
        self.page.get_by_text("Choose a file.").wait_for()

    def test_a_large_directory_comes_in_pages(self):
        self.go()
        self.item("many").click()
        self.item("file199.txt").wait_for()
        self.assertEqual(self.item("file200.txt").count(), 0)
        self.item("Show 30 more").click()
        self.item("file229.txt").wait_for()
        self.item("many").click()

    def test_on_a_phone_one_part_is_in_view(self):
        phone = browser.person(server, viewport=PHONE, scheme="dark", locale="de-DE", pair=False, has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        page = phone.open(phone.link())
        page.get_by_role("heading", name="Sitzungen", exact=True).wait_for()
        self.go(page=page)
        self.item("src", page).click()
        self.look(page, "the tree on a phone")
        self.assertGreaterEqual(self.item("split.ts", page).bounding_box()["height"], 44)
        self.item("split.ts", page).click()
        page.locator(".lines [data-line='40']").wait_for()
        expect(page.get_by_role("tree")).to_be_hidden()
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        self.look(page, "a file on a phone")
        page.get_by_role("link", name="Zurück zu den Dateien").click()
        self.item("split.ts", page).wait_for()
        phone.check()


class Following(Case):
    def test_a_file_that_comes_and_goes_is_in_the_tree(self):
        self.go()
        self.item("src").wait_for()
        place.write("fresh.txt", "fresh\n")
        self.addCleanup((place.root / "fresh.txt").unlink, missing_ok=True)
        self.item("fresh.txt").wait_for()
        (place.root / "fresh.txt").unlink()
        self.item("fresh.txt").wait_for(state="detached")

    def test_an_open_file_shows_what_was_written(self):
        place.write("live.txt", "before\n")
        self.addCleanup((place.root / "live.txt").unlink, missing_ok=True)
        self.go("?path=live.txt")
        self.line(1).get_by_text("before").wait_for()
        place.write("live.txt", "after\nand more\n")
        self.line(2).get_by_text("and more").wait_for()
        self.line(1).get_by_text("after").wait_for()

    def test_a_long_file_keeps_what_was_read_on(self):
        self.go("?path=long.txt&line=9000")
        self.line(9000).wait_for()
        text = (place.root / "long.txt").read_text()
        self.addCleanup(place.write, "long.txt", text)
        place.write("long.txt", text.replace("line 9000 of", "line 9000 changed of"))
        self.line(9000).get_by_text("line 9000 changed of").wait_for()

    def test_a_hidden_page_follows_again_when_it_is_shown(self):
        self.go()
        self.item("src").wait_for()
        hidden = "Object.defineProperty(document, 'visibilityState', {value: %r, configurable: true});" \
            "document.dispatchEvent(new Event('visibilitychange'))"
        self.page.evaluate(hidden % "hidden")
        place.write("meanwhile.txt", "1\n")
        self.addCleanup((place.root / "meanwhile.txt").unlink, missing_ok=True)
        self.page.evaluate(hidden % "visible")
        self.item("meanwhile.txt").wait_for()


class Contents(Case):
    def test_what_is_in_a_file_does_nothing(self):
        self.go("?path=docs/page.html")
        self.line(1).get_by_text("<b>bold</b>").wait_for()
        self.assertNotIn("ran", self.page.title())
        self.go("?path=odd%E2%80%AEgpj.exe.txt")
        self.line(1).get_by_text("RLO").wait_for()
        self.page.get_by_role("treeitem", name="odd⟨RLO⟩gpj.exe.txt").wait_for()

    def test_pictures_and_what_is_no_text(self):
        self.go("?path=docs/logo.png")
        self.page.get_by_role("img", name="logo.png").wait_for()
        self.page.get_by_text("8 × 8").wait_for()
        self.go("?path=data.bin")
        self.page.get_by_text("No text: a file of 2 kB").wait_for()

    def test_a_document(self):
        self.go("?path=README.md")
        self.page.get_by_role("button", name="Document", exact=True).click()
        self.page.locator(".document", has_text="Sells things.").wait_for()

    def test_a_secret_file_is_marked_and_not_shown(self):
        self.go()
        self.item(".env, secret").click()
        self.page.get_by_text("This file holds credentials. mac-studio shows none.").wait_for()
        self.assertEqual(self.page.get_by_text("TOKEN=secret").count(), 0)

    def test_a_long_file_is_read_on_and_up_to_a_line(self):
        self.go("?path=long.txt")
        self.line(1).wait_for()
        self.assertEqual(self.line(9000).count(), 0)
        self.page.get_by_role("button", name="Read on").click()
        self.line(9000).wait_for()
        self.go("?path=long.txt&line=15000")
        self.line(15_000).get_by_text("line 15000").wait_for()
        expect(self.line(15_000)).to_be_in_viewport()
        self.go("?path=long.txt&line=20002")
        self.page.get_by_text("The file has no line 20,002.").wait_for()

    def test_a_file_that_is_gone(self):
        self.go("?path=nowhere.txt")
        self.page.get_by_text("This file is not there any more.").wait_for()


class Finding(Case):
    def find(self, text):
        self.page.get_by_role("searchbox", name="Find in the project").fill(text)

    def hits(self):
        return self.page.get_by_role("list", name="Results").get_by_role("link")

    def test_names_as_they_are_typed(self):
        self.go()
        self.find("spl")
        self.hits().filter(has_text="src/split.ts").click()
        self.line(1).get_by_text("line1").wait_for()
        self.find("no such name")
        self.page.get_by_text("Nothing fits.").wait_for()
        self.page.keyboard.press("Escape")
        self.item("src").wait_for()

    def test_contents_on_request(self):
        self.go()
        self.page.get_by_role("button", name="Contents").click()
        self.find("line36")
        self.page.get_by_text("Press Enter to search.").wait_for()
        self.page.keyboard.press("Enter")
        self.hits().filter(has_text="line36 = 36").click()
        self.page.locator(".lines .marked[data-line='36']").wait_for()
        self.page.reload()
        self.hits().filter(has_text="line36 = 36").wait_for()


class Refused(Case):
    def test_the_machine_does_not_allow_it(self):
        place.allow("files=off git=push")
        self.addCleanup(place.allow, place.words)
        self.page.goto("about:blank")
        self.page.goto(server.url)
        self.go()
        self.page.get_by_text("mac-studio does not allow that.").wait_for()
        self.page.get_by_text("write files=read into the file").wait_for()
        self.look(self.page, "a refusal")
        place.allow(place.words)
        # Nobody touches the page.
        self.item("src").wait_for()

    def test_a_browser_that_may_only_read(self):
        reader = browser.person(server, pair=False)
        self.addCleanup(reader.close)
        page = reader.sign_in("--read-only")
        page.goto(f"{server.url}/#/s/{place.told.id}")
        page.get_by_role("region", name="Timeline").wait_for()
        self.assertEqual(page.get_by_role("link", name="Files", exact=True).count(), 0)
        self.go(page=page)
        page.get_by_text("This browser may not do that on mac-studio.").wait_for()
        page.get_by_text("monitorctl device grant").wait_for()

    def test_a_machine_without_an_agent(self):
        told = workspace.Machine(server, "bare").session("plain").start(9).asks("Hello", 8)
        project = server.get(f"/v1/sessions/{told.id}").json["project_id"]
        self.page.goto(f"{server.url}/#/files/{project}")
        self.page.get_by_text("bare has no agent").wait_for()

    def test_an_agent_that_is_away(self):
        away = workspace.Place(server, "laptop")
        away.write("a.txt", "a\n")
        away.close()
        wait_for(lambda: server.get("/v1/machines/laptop").json["agent"]["state"] == "offline", "it is away")
        self.page.goto(f"{server.url}/#/files/{away.project}")
        self.page.get_by_text("The agent of laptop is not connected.").wait_for()
        self.page.get_by_text("monitor-agent run").first.wait_for()


if __name__ == "__main__":
    unittest.main()
