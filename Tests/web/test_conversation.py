"""The conversation of a session, and its log."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine, spends
from web import PHONE, Browser, Server, wait_for

TEXT = ("## Found\n\nSee [the guide](https://example.com/a) and [a file](src/a.ts), *both*.\n\n| Case | Sum |\n|:--|--:|\n| 100 / 3 | 99 |\n\n"
        "1. one\n   - inside\n\n```swift\nlet share = 1 // cents\n```\n")


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Conversation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        told = cls.told = machine.session("talked").start(300).asks("Look at it", 290)
        todos = [{"content": f"Task {number}", "status": "completed" if number < 3 else "pending"} for number in range(7)]
        told.does("TodoWrite", {}, 285, todos=todos)
        for number in range(6):
            told.does("Read", {"type": "text", "file": {"numLines": 3}}, 280 - number, file_path=f"{told.directory}/src/{number}.ts")
        told.fails("Bash", "Exit code 1\n" + "fine\n" * 30 + "the last line", 270, command="make\ntest\nall", description="Run the tests")
        told.stops(TEXT, 260).asks("Go on", 250)
        questions = {"questions": [{"question": "Which one?", "options": [{"label": "This"}, {"label": "That"}]}]}
        told.goes_on(told.begins("AskUserQuestion", 240, **questions), {**questions, "answers": {"Which one?": "That"}}, 235)
        told.goes_on(told.begins("ExitPlanMode", 230, plan="# The plan\n\n1. First"), {"plan": "# The plan\n\n1. First"}, 225)
        told.post(("PreCompact", {"trigger": "auto"}), ("PostCompact", {"trigger": "auto", "compact_summary": "secret words"}), ago=220)
        told.does("mcp__github__get_issue", [{"type": "text", "text": "It is open"}], 210, number=12)
        spends(told, 1)

    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page = self.person.page
        self.timeline = self.page.get_by_role("region", name="Timeline")
        self.page.goto(f"{server.url}/#/s/{self.told.id}")
        self.timeline.get_by_text("Look at it").wait_for()
        self.timeline.get_by_text("get_issue").wait_for()

    def test_calls_are_one_line_with_the_last_lines_of_a_failure(self):
        line = self.timeline.get_by_role("button", name=re.compile("7 calls · 1 failed"))
        expect(line).to_have_attribute("aria-expanded", "false")
        expect(self.timeline.get_by_text("the last line")).to_be_visible()
        self.assertEqual(self.timeline.get_by_text("src/3.ts").count(), 0)
        line.click()
        expect(self.timeline.get_by_text("src/3.ts", exact=True)).to_be_visible()
        failed = self.timeline.locator(".ev.bad")
        failed.get_by_text("Run the tests").wait_for()
        failed.get_by_role("button", name=re.compile("Run the tests")).click()
        wait_for(lambda: "make\ntest\nall" in failed.inner_text(), "the whole command")

    def test_texts_are_markdown_and_links_lead_away_safely(self):
        link = self.timeline.get_by_role("link", name="the guide")
        self.assertEqual((link.get_attribute("rel"), link.get_attribute("target")), ("noopener noreferrer nofollow", "_blank"))
        self.assertEqual(self.timeline.get_by_role("link", name="a file").count(), 0)
        self.assertEqual(self.timeline.get_by_role("cell", name="99").evaluate("(cell) => getComputedStyle(cell).textAlign"), "end")
        self.assertEqual(self.timeline.locator(".prose li li").inner_text(), "inside")
        self.timeline.locator(".hc").get_by_text("// cents").wait_for()
        self.person.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.timeline.get_by_role("button", name="Copy").first.click()
        # The browser writes after the click has ended.
        wait_for(lambda: self.page.evaluate("navigator.clipboard.readText()") == "let share = 1 // cents", "it is copied")

    def test_answers_plans_and_compactions_stand_where_they_happened(self):
        text = self.timeline.inner_text()
        places = [text.index(part) for part in ("Go on", "Which one?", "That", "The plan", "Context compacted", "get_issue")]
        self.assertEqual(places, sorted(places))
        self.assertNotIn("secret words", text)
        self.assertEqual(text.count("get_issue"), 1)
        self.assertIn("number: 12", text)

    def test_tasks_and_context_stand_in_the_head(self):
        head = self.page.locator("main.session > header")
        head.get_by_text("Tasks 3/7").wait_for()
        head.get_by_role("img", name=re.compile(r"^Context: \d+% left")).wait_for()
        self.page.set_viewport_size(PHONE)
        # The page draws itself anew for a phone after the window has its size.
        wait_for(lambda: self.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "nothing is wider")

    def test_the_log_has_every_event(self):
        self.page.get_by_role("button", name="Log").click()
        self.timeline.get_by_text("src/3.ts", exact=True).wait_for()
        self.page.wait_for_url("**view=log**")
        self.page.get_by_role("button", name="Conversation").click()
        expect(self.timeline.get_by_text("src/3.ts", exact=True)).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
