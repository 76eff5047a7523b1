"""What a tool would change, in the file as it is now, on the card of its prompt."""

import re
import unittest

import workspace
from playwright.sync_api import expect
from web import Browser, Server, card, watch_requests


def setUpModule():
    global server, browser, person, place
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    person = browser.person(server)
    place = workspace.Place(server, "mac-studio")
    place.write("src/split.ts", "".join(f"const line{number} = {number}\n" for number in range(1, 61)))
    place.write(".env", "TOKEN=secret\n")


def tearDownModule():
    person.close()
    place.close()
    server.end()


class InFile(unittest.TestCase):
    def asked(self, tool, path="src/split.ts", **tool_input):
        call = place.told.needs(tool, 3, holds=True, file_path=str(place.root / path), **tool_input)
        self.addCleanup(call["hold"].withdraw)
        self.addCleanup(person.check)
        self.page = person.page
        self.page.goto("about:blank")
        self.page.goto(server.url)
        return card(self.page, "Split refunds exactly").first

    def numbers(self, shown):
        return shown.locator(".diff > div:not(.twin) > .fresh").evaluate_all("(all) => all.map((one) => one.dataset.n).filter(Boolean)")

    def show(self, shown):
        """The button, unless the file was read before the card could take an answer."""
        button = shown.get_by_role("button", name="In the file as it is now")
        shown.locator(".infile button:not([disabled])", has_text="In the file").wait_for()
        if button.get_attribute("aria-pressed") != "true":
            button.click()
        return button

    def test_an_edit_stands_at_its_lines(self):
        shown = self.asked("Edit", old_string="const line30 = 30\n", new_string="const line30 = 3_0\n")
        self.show(shown)
        shown.locator(".diff .text", has_text="const line27").first.wait_for()
        self.assertEqual(self.numbers(shown)[:3], ["27", "28", "29"])
        shown.get_by_role("button", name="As asked").click()
        shown.locator(".diff .text", has_text="const line27").first.wait_for(state="detached")
        shown.get_by_text("3_0").first.wait_for()
        shown.get_by_role("link", name="src/split.ts").click()
        self.page.locator(".lines .marked[data-line='30']").wait_for()

    def test_what_replaces_a_file_shows_what_differs(self):
        text = (place.root / "src/split.ts").read_text()
        shown = self.asked("Write", content=text.replace("= 50\n", "= 5_0\n"))
        self.show(shown)
        expect(shown.locator(".diff .a")).to_have_count(1)
        shown.locator(".row .plus", has_text="+1").wait_for()

    def test_a_change_that_does_not_fit_stays_as_it_was_asked(self):
        watch_requests(person.page)
        with person.page.expect_response(re.compile(r"/v1/machines/[^/]+/file\?")) as read:
            shown = self.asked("Edit", old_string="const nowhere = 1\n", new_string="const nowhere = 2\n")
        read.value.finished()
        shown.get_by_text("nowhere = 2").wait_for()
        self.assertTrue(shown.get_by_role("button", name="In the file as it is now").is_disabled())

    def test_a_machine_that_shows_no_files_has_the_card_as_before(self):
        place.allow("files=off git=off")
        self.addCleanup(place.allow, place.words)
        shown = self.asked("Edit", old_string="const line30 = 30\n", new_string="const line30 = 31\n")
        shown.get_by_text("line30 = 31").wait_for()
        self.assertEqual(shown.locator(".diff .text", has_text="const line27").count(), 0)


if __name__ == "__main__":
    unittest.main()
