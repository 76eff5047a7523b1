"""One session: its timeline, new events, long sessions, and facts about it."""

import datetime
import re
import unittest

from playwright.sync_api import expect
from scenes import Machine, refunds, spends
from web import DESK, PHONE, Browser, Server, intercept, opened, row, wait_for, watch_requests

from transcripts import Sender, Transcript, text


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


def timeline(page):
    return page.get_by_role("region", name="Timeline")


class Told(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.told = refunds(machine)
        cls.person = browser.person(server)
        cls.addClassCleanup(cls.person.close)
        cls.page = cls.person.page
        cls.page.goto(f"{server.url}/#/s/{cls.told.id}")
        timeline(cls.page).get_by_text("swift test", exact=True).wait_for()

    def tearDown(self):
        self.person.check()

    def test_what_was_said_and_done_in_order(self):
        timeline(self.page).evaluate("(element) => element.scrollTop = 0")
        timeline(self.page).get_by_text("Fix the rounding of partial refunds").wait_for()
        timeline(self.page).get_by_text("214 lines").wait_for()

    def test_a_change_is_a_diff(self):
        timeline(self.page).evaluate("(element) => element.scrollTop = 0")
        change = timeline(self.page).get_by_role("group", name="Change").first
        self.assertRegex(change.inner_text(), r"−\s+removed:\s+let share = total\.cents / parts")
        self.assertIn("quotientAndRemainder", change.inner_text())

    def test_changes_stand_side_by_side_where_both_have_room(self):
        columns = "(change) => [...change.querySelectorAll('.d, .a')].map((line) => Math.round(line.getBoundingClientRect().left))"
        self.addCleanup(self.page.set_viewport_size, DESK)
        for size, count in (({"width": 2200, "height": 1080}, 2), (DESK, 1), (PHONE, 1)):
            self.page.set_viewport_size(size)
            timeline(self.page).evaluate("(element) => element.scrollTop = 0")
            change = timeline(self.page).get_by_role("group", name="Change").first
            # The rows are drawn anew after the window has its size.
            wait_for(lambda: len(set(change.evaluate(columns))) == count, (count, size))

    def test_a_failure_tells_its_exit_code_and_unfolds(self):
        timeline(self.page).evaluate("(element) => element.scrollTop = element.scrollHeight")
        failed = timeline(self.page).locator(".ev.bad").filter(has_text="swift test --filter Refunds")
        failed.get_by_text("exit 1").wait_for()
        failed.get_by_text("8.4 s").wait_for()
        self.assertNotIn("RefundTests.swift:60", failed.inner_text())
        failed.get_by_role("button", name="more lines").click()
        failed.get_by_text("RefundTests.swift:60").wait_for()

    def test_a_subagent_is_a_card_that_unfolds(self):
        timeline(self.page).evaluate("(element) => element.scrollTop = element.scrollHeight")
        card = timeline(self.page).get_by_role("region", name="Subagent: review the callers of split")
        for text in ("done", "12 calls", "31.2k tokens", "All nine callers pass a positive number."):
            expect(card).to_contain_text(text)
        self.assertEqual(timeline(self.page).locator(".ev.nest").count(), 0)
        card.get_by_role("button", expanded=False).click()
        timeline(self.page).locator(".ev.nest").get_by_text("split(").wait_for()
        card.get_by_role("button", expanded=True).click()

    def test_the_files_and_the_state_beside_it(self):
        aside = self.page.get_by_role("complementary", name="About this session")
        aside.get_by_text("Refunds/Split.swift").wait_for()
        wait_for(lambda: "+3" in aside.inner_text(), "the lines that were added")
        wait_for(lambda: re.search("Waiting, .* ago", aside.inner_text()), "since when it waits")

    def test_the_prompt_and_the_message_box(self):
        self.page.get_by_role("article", name=re.compile("^Bash: git push")).wait_for()
        self.page.get_by_role("textbox", name="Message").wait_for()
        self.assertTrue(self.page.get_by_role("button", name="Send").is_disabled())

    def test_keys_jump_to_the_error_before(self):
        to_end = self.page.get_by_role("button", name=re.compile("To the end|new"))
        timeline(self.page).evaluate("(element) => element.scrollTop = 0")
        to_end.wait_for()
        self.page.locator("h1").click()
        self.page.keyboard.press("e")
        self.page.get_by_text("There is none further on.").wait_for()
        to_end.click()
        to_end.wait_for(state="detached")
        self.page.locator("h1").click()
        self.page.keyboard.press("e")
        found = timeline(self.page).locator(".ev.found")
        found.get_by_text("swift test --filter Refunds").wait_for()
        self.page.keyboard.press("p")
        found.get_by_text("Fix the rounding").wait_for()
        to_end.click()


class SkillCommands(unittest.TestCase):
    def test_a_command_that_a_skill_runs_by_itself_stands_in_the_conversation(self):
        told = machine.session("deployed").start(30).asks("/deploy", 20)
        told.post(("PreSkillShellCommand", {
            "tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_use_id": "9c646ca3:inner:preamble-0",
            "command_name": "deploy", "command_source": "projectSettings", "invoked_by": "user"}), ago=19)
        told.stops("Deployed.", 10)
        person = browser.person(server)
        self.addCleanup(person.close)
        person.page.goto(f"{server.url}/#/s/{told.id}")
        timeline(person.page).get_by_text("Deployed.").wait_for()
        timeline(person.page).get_by_text("Command of a skill · deploy (delete): rm -rf build").wait_for()
        person.check()


class Spoken(unittest.TestCase):
    def test_texts_of_the_transcript_are_asked_for_once(self):
        told = machine.session("spoken").start(30).asks("Think aloud", 20)
        made = Transcript(told.id)
        made.user("Think aloud")
        made.assistant([text("First the ledger, then the **refunds**.")])
        Sender(server, machine.key, told.id).send(made.bytes)
        person = browser.person(server)
        self.addCleanup(person.close)
        watch_requests(person.page)
        with person.page.expect_response(re.compile("/messages")) as answered:
            person.page.goto(f"{server.url}/#/s/{told.id}")
        timeline(person.page).get_by_text("First the ledger, then the refunds.").wait_for()
        self.assertEqual(answered.value.text().count("First the ledger"), 1)
        self.assertEqual(timeline(person.page).get_by_text("Think aloud").count(), 1)
        person.check()


class Pictures(unittest.TestCase):
    def test_a_picture_that_a_tool_returned_is_shown(self):
        dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        told = machine.session("pictured").start(20)
        told.does("mcp__browser__shot", [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": dot}}], 5)
        person = browser.person(server)
        self.addCleanup(person.close)
        person.page.goto(f"{server.url}/#/s/{told.id}")
        picture = timeline(person.page).get_by_role("img", name="Picture that the tool returned")
        picture.wait_for()
        self.assertEqual(picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)"), 1)
        person.check()


class Days(unittest.TestCase):
    def test_days_are_told_apart(self):
        told = machine.session("lasting")
        events = (("SessionStart", 3, {"source": "startup"}), ("UserPromptSubmit", 2, {"prompt": "The day before"}),
                  ("UserPromptSubmit", 0, {"prompt": "Today"}))
        posted = [told.post((name, {"prompt_id": str(days), **fields}), ago=86_400 * days)[0]["timestamp"]
                  for name, days, fields in events]
        person = browser.person(server)
        self.addCleanup(person.close)
        person.page.goto(f"{server.url}/#/s/{told.id}")
        timeline(person.page).get_by_text("Today", exact=True).wait_for()
        days = timeline(person.page).locator(".day").all_inner_texts()
        # Uses the times of the events, because midnight may pass during the test.
        names = [f"{day:%a} {day.day}" for day in (datetime.date.fromisoformat(one[:10]) for one in posted)]
        self.assertEqual([" ".join(day.replace(",", "").split()[:2]) for day in days], names)
        person.check()


class Another(unittest.TestCase):
    """What was begun in one session does not continue in another one that is opened next."""

    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page = self.person.page

    def listed(self, *sessions):
        """Waits until the list has the sessions. The page would first read an unlisted session, and show nothing of it
        meanwhile."""
        for told in sessions:
            row(self.page, told.directory.split("/")[-1]).wait_for()

    def visit(self, told):
        self.page.goto(f"{server.url}/#/s/{told.id}")
        opened(self.page, told.directory.split("/")[-1]).wait_for()

    def failing(self, project):
        told = machine.session(project).start(30).asks("Build it", 20)
        return told.fails("Bash", "Exit code 2", 10, command=f"make {project}")

    def test_a_jump_is_not_repeated(self):
        first, second = self.failing("leapt"), self.failing("jumped")
        self.listed(first, second)
        self.visit(first)
        timeline(self.page).get_by_text("make leapt").wait_for()
        self.page.keyboard.press("e")
        timeline(self.page).locator(".ev.found").wait_for()
        self.visit(second)
        timeline(self.page).get_by_text("make jumped").wait_for()
        # The page finds the position and then marks it, in two more turns of its event loop.
        self.page.wait_for_timeout(300)
        self.assertEqual(timeline(self.page).locator(".ev.found").count(), 0)

    def test_a_prompt_that_is_being_answered_is_gone(self):
        one = machine.held("decided", tool_name="Bash", tool_input={"command": "make decided"})
        other = machine.held("next-one", tool_name="Bash", tool_input={"command": "make other"})
        for hold in (one, other):
            self.addCleanup(hold.is_over.set)
            self.addCleanup(hold.withdraw)
        self.listed(one.told, other.told)
        self.visit(one.told)
        self.page.get_by_role("article", name="Bash: make decided").get_by_role("textbox", name="Reason").fill("Because")
        # What is held while a person works is held for ever by a clock that stands still.
        self.page.evaluate("{ const stopped = performance.now(); performance.now = () => stopped }")
        self.visit(other.told)
        self.page.get_by_role("article", name="Bash: make other").wait_for()
        self.assertEqual(self.page.get_by_role("article", name="Bash: make decided").count(), 0)

    def test_the_figures_are_its_own_while_they_are_read(self):
        first, second = machine.session("well-spent").start(30), machine.session("unread").start(30)
        spends(first, 1.2)
        self.listed(first, second)
        self.visit(first)
        self.page.get_by_role("img", name="Cost by turn").wait_for()
        intercept(self.page, f"**/v1/sessions/{second.id}/requests*", lambda route: route.abort())
        self.visit(second)
        self.assertEqual(self.page.get_by_role("img", name="Cost by turn").count(), 0)

    def test_an_export_that_failed_is_told_where_it_failed(self):
        first, second = machine.session("kept-here").start(30), machine.session("untouched").start(30)
        intercept(self.page, "**/export*", lambda route: route.fulfill(
            status=404, json={"error": {"code": "not_found"}}))
        self.listed(first, second)
        self.visit(first)
        self.page.locator(".menu > summary").click()
        self.page.get_by_role("button", name="JSONL").click()
        alert = self.page.locator(".menu [role=alert]")
        alert.wait_for()
        self.visit(second)
        self.assertEqual(alert.count(), 0)


class Viewers(unittest.TestCase):
    def looked_at(self, person):
        person.page.goto(f"{server.url}/#/s/{self.told.id}")
        person.page.get_by_role("textbox", name="Message").wait_for()
        return person.page

    def setUp(self):
        self.told = machine.session("shared").start(10).asks("Hello", 9)
        self.people = [browser.person(server) for _ in range(2)]
        for person in self.people:
            self.addCleanup(person.close)

    def test_who_else_looks(self):
        one, other = self.people
        here = self.looked_at(one)
        expect(here.get_by_text("1 other device is viewing")).to_have_count(0)
        there = self.looked_at(other)
        here.get_by_text("1 other device is viewing").wait_for()
        there.get_by_text("1 other device is viewing").wait_for()
        # A browser that shows the list again is no longer a viewer, although it stays connected.
        there.goto(server.url + "/#/")
        there.get_by_role("heading", name="Sessions", exact=True).wait_for()
        expect(here.get_by_text("1 other device is viewing")).to_have_count(0)
        there.goto(f"{server.url}/#/s/{self.told.id}")
        here.get_by_text("1 other device is viewing").wait_for()
        other.close()
        expect(here.get_by_text("1 other device is viewing")).to_have_count(0)
        one.check()


class Large(unittest.TestCase):
    def test_what_is_too_large_for_a_message_is_read(self):
        told = machine.session("large").start(5).asks("Say a lot", 4)
        person = browser.person(server)
        self.addCleanup(person.close)
        person.page.goto(f"{server.url}/#/s/{told.id}")
        timeline(person.page).get_by_text("Say a lot").wait_for()
        told.post(("Stop", {"last_assistant_message": "This is a lot. " + "word " * 110_000}))
        timeline(person.page).get_by_text("This is a lot.").first.wait_for()
        person.check()


if __name__ == "__main__":
    unittest.main()
