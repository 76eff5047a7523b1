"""Nothing moves under the pointer: not the sessions, not their cards, not what is below an answered card."""

import itertools
import re
import unittest

from scenes import Machine
from web import Browser, Server, card, intercept, opened, prompts, row, wait_for, watch_requests


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Steady(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.page = self.person.page
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def held(self, project, command, **fields):
        hold = machine.held(project, tool_name="Bash", tool_input={"command": command}, **fields)
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        return hold

    def top(self, locator):
        return round(locator.bounding_box()["y"])

    def moving(self, locator, condition, what):
        """Waits while the pointer moves where the element is now, which keeps the list still."""
        box = locator.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        steps = itertools.count()

        def is_so():
            self.page.mouse.move(x + next(steps) % 2, y)
            return condition()

        wait_for(is_so, what)

    def test_a_card_stays_under_the_pointer_as_long_as_it_is_there(self):
        self.held("second", "make second", ago=30)
        button = card(self.page, "second").get_by_role("button", name="Allow once")
        button.hover()
        before = self.top(button)
        # This prompt has waited longer, so it belongs above the other one.
        self.held("first", "make first", ago=300)
        self.moving(button, self.page.get_by_role("button", name="1 change waits").count, "the list is held")
        # The list keeps still for 4 s after the last movement of the pointer, and for 10 s while the pointer is on a button.
        self.page.wait_for_timeout(5_500)
        self.assertEqual((self.top(button), prompts(self.page, "first").count()), (before, 0))
        self.page.mouse.move(2, 2)
        prompts(self.page, "first").wait_for()
        self.assertLess(self.top(prompts(self.page, "first")), self.top(prompts(self.page, "second")))

    def test_the_next_card_does_not_come_under_the_pointer_when_one_is_answered(self):
        self.held("upper", "make upper", ago=200)
        self.held("lower", "make lower", ago=100)
        card(self.page, "upper").get_by_role("button", name="Allow once").click(trial=True)
        lower = prompts(self.page, "lower")
        lower.wait_for()
        before = self.top(lower)
        prompts(self.page, "upper").get_by_role("button", name="Allow once").click()
        prompts(self.page, "upper").get_by_text("Allowed by you").wait_for()
        self.page.wait_for_timeout(1_500)
        self.assertEqual(self.top(lower), before)

    def test_a_text_that_is_being_written_holds_the_list(self):
        self.held("written", "make written", ago=30)
        card(self.page, "written").get_by_role("textbox", name="Reason").fill("Because")
        self.page.mouse.move(2, 2)
        self.held("earlier", "make earlier", ago=400)
        self.page.get_by_role("button", name="1 change waits").wait_for()
        self.page.wait_for_timeout(5_500)
        self.assertEqual(prompts(self.page, "earlier").count(), 0)
        self.page.get_by_role("button", name="1 change waits").click()
        prompts(self.page, "earlier").wait_for()
        self.assertEqual(prompts(self.page, "written").get_by_role("textbox", name="Reason").input_value(), "Because")

    def test_a_row_keeps_its_place_while_the_pointer_moves_and_says_what_is_new(self):
        told = machine.session("finishing").start(100).asks("Finish", 90)
        item = row(self.page, "finishing")
        item.hover()
        before = self.top(item)
        told.stops("It is finished.", 0)
        self.moving(item, item.get_by_text("It is finished.").count, "what is new is said")
        self.assertEqual(self.top(item), before)
        self.page.mouse.move(2, 2)
        self.page.locator(".list.done").get_by_text("It is finished.").wait_for()

    def test_the_cards_of_a_session_stay_too(self):
        told = machine.session("several").start(20).asks("Do it", 10)
        from holding import Hold
        first, second = (Hold(told, "PermissionRequest", ago=ago, tool_name="Bash", tool_input={"command": command}, agent_id=agent)
                         for ago, command, agent in ((9, "make one", "a1"), (8, "make two", "a2")))
        for hold in (first, second):
            self.addCleanup(hold.is_over.set)
        self.page.goto(f"{server.url}/#/s/{told.id}")
        self.page.get_by_role("article", name="Bash: make one").wait_for()
        button = self.page.get_by_role("article", name="Bash: make two").get_by_role("button", name="Deny", exact=True)
        button.hover()
        before = self.top(button)
        first.withdraw()
        self.moving(button, self.page.locator(".prompts").get_by_text("Denied at the terminal").count, "its end is said")
        # An ended prompt stays for 5 s. The view keeps still for 10 s while the pointer is on a button.
        self.page.wait_for_timeout(7_000)
        self.assertEqual(self.top(button), before)
        self.page.mouse.move(2, 2)
        self.page.locator(".prompts").get_by_text("Denied at the terminal").wait_for(state="detached")
        second.withdraw()

    def test_a_new_prompt_is_announced(self):
        machine.session("quiet").start(5)
        watch_requests(self.page)
        # Prompts that are there when the page begins are not announced. Once it has read those, it reads the answered ones.
        is_last = lambda answer: re.search(r"/v1/prompts\?state=answered&limit=\d+$", answer.url)
        with self.page.expect_response(is_last):
            self.page.reload()
        row(self.page, "quiet").wait_for()
        self.held("heard", "make heard", ago=0)
        self.page.get_by_role("status").filter(has_text="New: Bash: make heard").wait_for(state="attached")

    def test_a_view_that_cannot_be_loaded_leaves_the_list(self):
        machine.session("still-here").start(10).asks("Go on", 5)
        row(self.page, "still-here").wait_for()
        intercept(self.page, "**/assets/others-*.js", lambda route: route.abort())
        self.page.reload()
        self.page.get_by_role("link", name="Figures").click()
        failed = self.page.get_by_role("alert").filter(has_text="This view failed.")
        failed.wait_for()
        row(self.page, "still-here").get_by_role("link").click()
        opened(self.page, "still-here").wait_for()
        self.page.unroute_all()
        self.page.get_by_role("link", name="Figures").click()
        failed.get_by_role("button", name="Reload").click()
        self.page.get_by_role("heading", name="Figures").wait_for()
        # The fault is told to the console, which is where the browser tells of an unhandled one.
        self.person.faults.clear()

    def test_a_filter_acts_at_once(self):
        for project in ("alpha", "beta", "gamma", "delta"):
            machine.session(project).start(5)
        delta = row(self.page, "delta")
        delta.hover()
        self.page.get_by_role("searchbox", name="Filter").press_sequentially("alph")
        self.moving(self.page.get_by_role("list", name="Sessions"), lambda: delta.count() == 0, "the list is filtered")


if __name__ == "__main__":
    unittest.main()
