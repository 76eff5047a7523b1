"""Long sessions: what is in the document, what is in memory, and that the position is kept."""

import re
import unittest

from scenes import Machine
from web import Browser, Server, wait_for


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


def timeline(page):
    return page.get_by_role("region", name="Timeline")


class Long(unittest.TestCase):
    """A session with a thousand and one pages."""

    @classmethod
    def setUpClass(cls):
        cls.told = machine.session("long-run").start(5000)
        hooks = []
        for number in range(1500):
            call = {"tool_name": "Bash", "tool_use_id": f"toolu_{number}", "tool_input": {"command": f"step {number}"}}
            hooks += [("PreToolUse", call), ("PostToolUse", {**call, "tool_response": {
                "stdout": "\n".join(["out"] * (number % 9)), "stderr": ""}, "duration_ms": 5})]
        for at in range(0, len(hooks), 500):
            cls.told.post(*hooks[at:at + 500], ago=4000 - at)
        cls.person = browser.person(server)
        cls.addClassCleanup(cls.person.close)
        cls.page = cls.person.page
        cls.page.goto(f"{server.url}/#/s/{cls.told.id}")
        timeline(cls.page).get_by_text("step 1499", exact=True).wait_for()

    def tearDown(self):
        self.person.check()

    def top(self):
        """The first visible row, and the distance of its top from that of the view."""
        return timeline(self.page).evaluate("""(box) => {
            const top = box.getBoundingClientRect().top
            const row = [...box.querySelectorAll("[data-key]")].find((row) => row.getBoundingClientRect().bottom > top + 40)
            return [row.dataset.key, Math.round(row.getBoundingClientRect().top - top)]
        }""")

    def test_1_only_what_is_near_is_in_the_document(self):
        self.assertLess(timeline(self.page).locator(".ev").count(), 80)

    def test_2_new_entries_follow_at_the_end(self):
        self.told.does("Bash", {"stdout": "live", "stderr": ""}, 0, command="echo live")
        timeline(self.page).get_by_text("echo live").wait_for()

    def test_3_a_place_is_kept_while_pages_and_entries_come(self):
        box = timeline(self.page)
        for _ in range(3):
            box.evaluate("(box) => box.scrollTop = 300")
            self.page.wait_for_function("() => document.querySelector('.time').scrollTop > 1500")
        self.page.wait_for_function("""() => new Promise((done) => {
            const box = document.querySelector('.time'), at = box.scrollTop
            setTimeout(() => done(box.scrollTop === at), 300)
        })""")
        before = self.top()
        self.told.does("Bash", {"stdout": "more", "stderr": ""}, 0, command="echo more")
        self.page.get_by_role("button", name="1 new").wait_for()
        self.assertEqual(self.top(), before)
        self.page.get_by_role("button", name="1 new").click()
        box.get_by_text("echo more").wait_for()

    def test_4_the_first_entry_is_reached(self):
        box = timeline(self.page)

        def climb():
            box.evaluate("(box) => box.scrollTop = 0")
            return box.get_by_text("step 0", exact=True).count()

        wait_for(climb, "the first entry is there")


class Window(unittest.TestCase):
    """A session with more events than the page keeps. The page reads dropped events again, in both directions."""

    @classmethod
    def setUpClass(cls):
        cls.told = machine.session("window").start(9000).asks("The first prompt", 8990)
        cls.told.fails("Bash", "Exit code 7\nno", 8980, command="the only failure")
        hooks = []
        for number in range(2500):
            call = {"tool_name": "Bash", "tool_use_id": f"toolu_w{number}", "tool_input": {"command": f"go {number}"}}
            hooks += [("PreToolUse", call), ("PostToolUse", {**call, "tool_response": {"stdout": "", "stderr": ""}, "duration_ms": 5})]
        for at in range(0, len(hooks), 500):
            cls.told.post(*hooks[at:at + 500], ago=8000 - at)
        cls.person = browser.person(server)
        cls.addClassCleanup(cls.person.close)
        cls.page = cls.person.page
        cls.page.goto(f"{server.url}/#/s/{cls.told.id}")
        timeline(cls.page).get_by_text("go 2499", exact=True).wait_for()

    def tearDown(self):
        self.person.check()

    def go(self, place, text):
        def scrolled():
            timeline(self.page).evaluate(f"(box) => box.scrollTop = {place}")
            return timeline(self.page).get_by_text(text, exact=True).count()

        wait_for(scrolled, f"{text} is shown", 60)

    def test_1_the_only_failure_is_found_before_what_is_loaded(self):
        self.page.locator("h1").click()
        self.page.keyboard.press("e")
        timeline(self.page).locator(".ev.found").get_by_text("the only failure").wait_for(timeout=60_000)

    def test_2_the_end_is_read_again_page_by_page(self):
        self.go("0", "The first prompt")
        self.go("box.scrollHeight", "go 2499")
        wait_for(lambda: self.page.get_by_role("button", name="To the end").count() == 0, "the end is the end")

    def test_3_live_entries_do_not_break_a_window_in_the_past(self):
        self.go("0", "The first prompt")
        self.told.does("Bash", {"stdout": "", "stderr": ""}, 0, command="echo meanwhile")
        self.page.get_by_role("button", name=re.compile("To the end|new")).click()
        timeline(self.page).get_by_text("echo meanwhile", exact=True).wait_for()
        self.told.does("Bash", {"stdout": "", "stderr": ""}, 0, command="echo followed")
        timeline(self.page).get_by_text("echo followed", exact=True).wait_for()

    def test_4_the_prompt_after(self):
        self.go("0", "The first prompt")
        self.told.asks("The last prompt", 0)
        self.page.locator("h1").click()
        self.page.keyboard.press("p")
        timeline(self.page).locator(".ev.found").get_by_text("The first prompt").wait_for()
        self.page.keyboard.press("Shift+P")
        timeline(self.page).locator(".ev.found").get_by_text("The last prompt").wait_for(timeout=60_000)

    def test_5_a_search_leads_to_the_place(self):
        self.page.goto(f"{server.url}/#/search?q=only+failure")
        results = self.page.get_by_role("list", name="Results")
        results.get_by_role("link").filter(has_text="only failure").first.click()
        timeline(self.page).locator(".ev.found").get_by_text("the only failure").wait_for()
        self.assertEqual(timeline(self.page).get_by_text("go 2499", exact=True).count(), 0)
        self.go("box.scrollHeight", "go 2499")


if __name__ == "__main__":
    unittest.main()
