"""Prompts answered by touch: no tap is lost, and nothing comes under the finger."""

import unittest

from playwright.sync_api import expect
from holding import Hold
from scenes import Machine
from touching import BUTTON, OWNER, centre, phone, swipe, tap
from web import Browser, Server, card, prompts, row, wait_for


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Touch(unittest.TestCase):
    def setUp(self):
        self.person = phone(browser, server)
        self.page = self.person.page
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def kept(self, hold):
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        return hold

    def held(self, project, command, **fields):
        return self.kept(machine.held(project, tool_name="Bash", tool_input={"command": command}, **fields))

    def several(self, project, *commands):
        """A session whose agents ask at the same time."""
        told = machine.session(project).start(20).asks("Do it", 10)
        return told, [self.kept(Hold(told, "PermissionRequest", ago=9 - place, tool_name="Bash", tool_input={"command": command},
                                     agent_id=f"a{place}")) for place, command in enumerate(commands)]

    def test_the_second_answer_in_a_session_is_not_lost(self):
        told, holds = self.several("twice", "make one", "make two")
        self.page.goto(f"{server.url}/#/s/{told.id}")
        first, second = (self.page.get_by_role("article", name=f"Bash: make {name}").get_by_role("button", name="Allow once")
                         for name in ("one", "two"))
        second.wait_for()
        second.scroll_into_view_if_needed()
        if not first.is_visible():
            first.scroll_into_view_if_needed()
        expect(second).to_be_enabled()
        before = centre(second)
        tap(self.page, first)
        self.assertEqual(holds[0].decision()["behavior"], "allow")
        self.page.locator(".prompts").get_by_text("Allowed by you").wait_for()
        self.assertEqual(centre(second), before)
        self.page.touchscreen.tap(*before)
        self.assertEqual(holds[1].decision()["behavior"], "allow")

    def test_after_an_answer_no_other_prompt_is_under_the_thumb(self):
        upper = self.held("upper", "make " + "long " * 40 + "upper", ago=200)
        self.held("lower", "make lower", ago=100)
        button = card(self.page, "upper").get_by_role("button", name="Allow once")
        prompts(self.page, "lower").wait_for()
        place = tap(self.page, button)
        self.assertEqual(upper.decision()["behavior"], "allow")
        said = row(self.page, "upper").get_by_text("Allowed by you")
        said.wait_for()
        self.page.wait_for_timeout(1_000)
        self.assertEqual(self.page.evaluate(OWNER, place), upper.prompt)
        self.assertIsNone(self.page.evaluate(BUTTON, place))
        expect(said).to_be_in_viewport()

    def test_the_line_keeps_the_place_and_is_no_prompt_any_more(self):
        self.held("answered", "make answered", ago=200)
        self.held("below", "make below", ago=100)
        prompts(self.page, "below").wait_for()
        tap(self.page, card(self.page, "answered").get_by_role("button", name="Deny"))
        place = self.page.locator("[data-prompt]").filter(has_text="Denied by you")
        place.wait_for()
        top = [round(one.bounding_box()["y"]) for one in (place, prompts(self.page, "below"))]
        expect(prompts(self.page, "answered")).to_have_count(0, timeout=8_000)
        self.assertEqual([round(one.bounding_box()["y"]) for one in (place, prompts(self.page, "below"))], top)

    def test_somebody_elses_event_moves_nothing_under_the_finger(self):
        self.held("mine", "make mine", ago=30)
        button = card(self.page, "mine").get_by_role("button", name="Allow once")
        self.page.touchscreen.tap(200, 20)
        row(self.page, "mine").get_by_text("make mine").first.tap()
        before = centre(button)
        self.held("theirs", "make theirs", ago=300)
        waiting = self.page.get_by_role("button", name="1 change waits")

        def is_held():
            # Each tap holds the list anew until the prompt has come.
            row(self.page, "mine").get_by_text("make mine").first.tap()
            return waiting.count()

        wait_for(is_held, "the list is held", pause=0.5)
        self.assertEqual(centre(button), before)

    def test_a_swipe_leads_to_the_next_and_back(self):
        self.held("swipe-first", "make swiped", ago=300)
        self.held("swipe-second", "make swept", ago=200)
        first, second = prompts(self.page, "swipe-first"), prompts(self.page, "swipe-second")
        card(self.page, "swipe-first").get_by_role("button", name="Allow once").wait_for()
        second.wait_for()
        swipe(self.page, first, -150)
        second.get_by_role("button", name="Allow once").wait_for()
        self.assertEqual(first.get_by_role("button", name="Allow once").count(), 0)
        swipe(self.page, second, 150)
        first.get_by_role("button", name="Allow once").wait_for()

    def test_a_second_finger_ends_a_swipe(self):
        self.held("pinch-first", "make pinched", ago=300)
        self.held("pinch-second", "make pressed", ago=200)
        card(self.page, "pinch-first").get_by_role("button", name="Allow once").wait_for()
        prompts(self.page, "pinch-second").wait_for()
        swipe(self.page, prompts(self.page, "pinch-first"), -150, with_second=True)
        prompts(self.page, "pinch-first").get_by_role("button", name="Allow once").wait_for()
        swipe(self.page, prompts(self.page, "pinch-first"), -150)
        prompts(self.page, "pinch-second").get_by_role("button", name="Allow once").wait_for()

    def test_every_swipe_has_a_button(self):
        self.held("pager-first", "make paged", ago=300)
        self.held("pager-second", "make turned", ago=200)
        first, second = prompts(self.page, "pager-first"), prompts(self.page, "pager-second")
        card(self.page, "pager-first").get_by_role("button", name="Allow once").wait_for()
        second.wait_for()
        self.page.get_by_role("button", name="Next prompt").tap()
        second.get_by_role("button", name="Allow once").wait_for()
        self.page.get_by_role("button", name="Previous prompt").tap()
        first.get_by_role("button", name="Allow once").wait_for()

    def test_what_is_tapped_is_large_enough(self):
        hold = self.held("sized", "make sized")
        opened = card(self.page, "sized")
        opened.get_by_role("button", name="Allow once").wait_for()
        # A card of one line leaves room for the context of the decision.
        self.assertLessEqual(opened.bounding_box()["height"], 220)
        self.small(opened.get_by_role("link"), opened.get_by_role("textbox"), *opened.get_by_role("button").all())
        self.page.goto(f"{server.url}/#/s/{hold.told.id}")
        self.page.get_by_role("article").get_by_role("button", name="Allow once").wait_for()
        self.small(self.page.get_by_role("link", name="Back to the sessions"), self.page.locator(".menu > summary"),
                   self.page.get_by_role("article").get_by_role("textbox"))

    def small(self, *targets):
        for target in targets:
            box = target.bounding_box()
            self.assertGreaterEqual((round(box["width"]), round(box["height"])), (44, 44), target)
            self.assertGreaterEqual(round(box["height"]), 44, target)


if __name__ == "__main__":
    unittest.main()
