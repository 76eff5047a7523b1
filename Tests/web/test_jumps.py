"""Jumps, hits of the search and the scrubber lead to their rows, also where no row before them was measured."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server

STEPS = 4_000
FAILURES = (300, 1_100, 1_900, 2_700, 3_600)
SCROLL = """async () => {
    const box = document.querySelector('.time')
    for (let step = 0; step < 300; step++) {
        box.scrollTop -= 90
        await new Promise(requestAnimationFrame)
    }
}"""


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


def timeline(page):
    return page.get_by_role("region", name="Timeline")


class Lands(unittest.TestCase):
    """Nearly nine thousand events with rows of very different heights."""

    @classmethod
    def setUpClass(cls):
        cls.told = machine.session("lands").start(20_000).asks("The very first prompt", 19_990)
        hooks = []
        for number in range(STEPS):
            call = {"tool_name": "Bash", "tool_use_id": f"toolu_{number}", "tool_input": {"command": f"step {number}"}}
            hooks.append(("PreToolUse", call))
            if number in FAILURES:
                hooks.append(("PostToolUseFailure", {**call, "error": f"Exit code 1\nneedle{number}\n" + "no\n" * 12, "duration_ms": 5}))
            else:
                hooks.append(("PostToolUse", {**call, "tool_response": {"stdout": "out\n" * (number % 9), "stderr": ""}, "duration_ms": 5}))
            if number % 10 == 9:
                text = f"After {number}.\n\n" + "\n".join(f"- point {one}" for one in range(number % 40))
                hooks += [("Stop", {"last_assistant_message": text}), ("UserPromptSubmit", {"prompt": f"Go on after {number}"})]
        for at in range(0, len(hooks), 500):
            cls.told.post(*hooks[at:at + 500], ago=19_000 - at)
        cls.person = browser.person(server)
        cls.addClassCleanup(cls.person.close)
        cls.page = cls.person.page

    def setUp(self):
        self.page.goto("about:blank")
        self.page.goto(f"{server.url}/#/s/{self.told.id}")
        timeline(self.page).get_by_text(f"Go on after {STEPS - 1}", exact=True).wait_for()

    def tearDown(self):
        self.person.check()

    def found(self, text):
        row = timeline(self.page).locator(".ev.found").filter(has_text=text)
        row.first.wait_for(timeout=60_000)
        expect(row.first).to_be_in_viewport()
        # It stays there while rows above it are measured and pages are read.
        self.page.wait_for_load_state("networkidle")
        expect(row.first).to_be_in_viewport()

    def test_each_jump_shows_its_row(self):
        self.page.locator("h1").click()
        for number in reversed(FAILURES):
            self.page.keyboard.press("e")
            self.found(f"step {number}")
        for number in FAILURES[1:3]:
            self.page.keyboard.press("Shift+E")
            self.found(f"step {number}")

    def test_each_hit_of_the_search_shows_its_row(self):
        for number in FAILURES:
            self.page.goto(f"{server.url}/#/search?q=needle{number}")
            self.page.get_by_role("list", name="Results").get_by_role("link").filter(has_text=f"needle{number}").first.click()
            self.found(f"step {number}")
            # Nothing is new.
            self.page.get_by_role("button", name="To the end").wait_for()

    def test_the_scrubber_leads_to_begin_end_and_middle(self):
        slider = self.page.get_by_role("slider", name="Place in the session")
        expect(slider).to_have_attribute("aria-valuenow", "100")
        slider.focus()
        self.page.keyboard.press("Home")
        first = timeline(self.page).get_by_text("The very first prompt")
        first.wait_for()
        expect(first).to_be_in_viewport()
        expect(slider).to_have_attribute("aria-valuenow", "0")
        box = slider.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(slider).to_have_attribute("aria-valuenow", re.compile("^(4[89]|5[0-2])$"))
        middle = timeline(self.page).get_by_text(re.compile(r"^Go on after (19|20)\d\d$"))
        expect(middle.first).to_be_in_viewport()
        self.page.keyboard.press("End")
        timeline(self.page).get_by_text(f"Go on after {STEPS - 1}", exact=True).wait_for()
        expect(slider).to_have_attribute("aria-valuenow", "100")

    def test_scrolling_keeps_memory_flat(self):
        """Benchmarks/run measures how smooth it is."""
        session = self.page.context.new_cdp_session(self.page)

        def heap():
            session.send("HeapProfiler.collectGarbage")
            return self.page.evaluate("performance.memory.usedJSHeapSize") / 1e6

        before = heap()
        self.page.evaluate(SCROLL)
        self.assertLess(heap() - before, 25)


if __name__ == "__main__":
    unittest.main()
