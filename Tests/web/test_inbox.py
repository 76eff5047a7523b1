"""The inbox: one open prompt and the others folded; what failed; what the tabs know; where one comes back to."""

import re
import unittest

from playwright.sync_api import expect
from holding import Hold
from scenes import Machine
from web import DESK, Browser, Server, card, prompts, row, wait_for, opened

from transcripts import Sender, Transcript, text


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Case(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.page = self.person.page
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def held(self, project, command="make it", name="PermissionRequest", **fields):
        fields.setdefault("tool_name", "Bash")
        if fields["tool_name"] == "Bash":
            fields.setdefault("tool_input", {"command": command})
        self.page.mouse.move(0, 0)
        hold = machine.held(project, name, **fields)
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        return hold


class Folding(Case):
    def test_one_is_open_and_the_others_are_two_lines(self):
        for ago in (300, 200, 100):
            self.held(f"wait-{ago}", f"make {ago}", ago=ago)
            # The one that comes first is open.
            prompts(self.page, f"wait-{ago}").wait_for()
        last = prompts(self.page, "wait-100")
        self.assertEqual(self.page.get_by_role("article").get_by_role("button", name="Allow once").count(), 1)
        self.assertLessEqual(last.bounding_box()["height"], 66)
        last.get_by_role("link", name=re.compile("wait-100 · mac-studio")).wait_for()
        last.get_by_text("Bash: make 100").wait_for()
        last.get_by_role("button", name="Show").click()
        last.get_by_role("button", name="Allow once").wait_for()
        self.assertEqual(self.page.get_by_role("article").get_by_role("button", name="Allow once").count(), 1)
        self.page.keyboard.press("ArrowLeft")
        prompts(self.page, "wait-200").get_by_role("button", name="Allow once").wait_for()
        # Enter shows the folded prompt that has the focus, and opens the session of one that is shown.
        self.page.keyboard.press("j")
        self.page.keyboard.press("Enter")
        last.get_by_role("button", name="Allow once").wait_for()
        self.page.keyboard.press("Enter")
        opened(self.page, "wait-100").wait_for()
        # The view listens to keys by the time that it has a timeline.
        self.page.get_by_role("region", name="Timeline").wait_for()
        self.page.keyboard.press("Escape")
        last.wait_for()
        focused = "document.activeElement.getAttribute('aria-label') ?? ''"
        wait_for(lambda: "make 100" in self.page.evaluate(focused), "the focus is on it")

    def test_the_next_one_is_a_button_away_after_an_answer(self):
        first, second = self.held("first-of", "make first", ago=300), self.held("second-of", "make second", ago=200)
        prompts(self.page, "second-of").wait_for()
        card(self.page, "first-of").get_by_role("button", name="Allow once").click()
        self.assertEqual(first.decision()["behavior"], "allow")
        self.page.get_by_role("button", name="Next", exact=True).click()
        prompts(self.page, "second-of").get_by_role("button", name="Deny").click()
        self.assertEqual(second.decision()["behavior"], "deny")

    def test_the_buttons_are_in_view_whatever_the_length(self):
        plan = "# Plan\n\n" + "".join(f"{number}. Step {number} of a plan that is long\n" for number in range(80))
        lines = "".join(f"line {number}\n" for number in range(120))
        long = {"plan-long": self.held("plan-long", tool_name="ExitPlanMode", tool_input={"plan": plan}, ago=300),
                "edit-long": self.held("edit-long", tool_name="Write", tool_input={"file_path": "/src/a", "content": lines}, ago=200)}
        for project, button in (("plan-long", "Approve"), ("edit-long", "Allow once")):
            prompt = card(self.page, project)
            expect(prompt.get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=1)
            self.page.mouse.wheel(0, 300)
            expect(prompt.get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=1)
        for project, button in (("plan-long", "Approve"), ("edit-long", "Allow once")):
            self.page.goto(f"{server.url}/#/s/{long[project].told.id}")
            expect(self.page.get_by_role("article").get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=1)

    def test_what_was_said_just_before_is_at_the_head(self):
        told = machine.session("spoken-before").start(20)
        made = Transcript(told.id)
        made.user("Do it")
        made.assistant([text("All 214 tests pass. It is ready.")])
        Sender(server, machine.key, told.id).send(made.bytes)
        hold = Hold(told, "PermissionRequest", tool_name="Bash", tool_input={"command": "make spoken"})
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        # The transcript names the directory, and so the session.
        prompt = self.page.get_by_role("article", name="Bash: make spoken")
        prompt.wait_for()
        if prompt.get_by_role("button", name="Show", exact=True).count():
            prompt.get_by_role("button", name="Show", exact=True).click()
        prompt.get_by_text("All 214 tests pass. It is ready.").wait_for()


class Truth(Case):
    def test_each_tab_has_each_prompt_while_events_stream(self):
        self.held("everywhere", "make everywhere")
        told = machine.session("streaming").start(5)
        prompts(self.page, "everywhere").wait_for()
        for number in range(4):
            tab = self.person.open("about:blank")
            tab.goto(server.url, wait_until="commit")

            def is_shown():
                told.does("Bash", {"stdout": "", "stderr": ""}, 0, command=f"echo {number}")
                return prompts(tab, "everywhere").is_visible() and tab.get_by_text("today ·").is_visible()

            # The events stream until it is shown.
            wait_for(is_shown, "the tab has the prompt and the sums", 15)
            tab.close()

    def test_a_revoked_browser_is_empty_at_once(self):
        self.held("secret-project", "make secret")
        lost = browser.person(server)
        self.addCleanup(lost.close)
        prompts(lost.page, "secret-project").wait_for()
        wait_for(lambda: lost.page.evaluate("localStorage.getItem('monitor.last')"), "the list is kept")
        newest = max(server.get("/v1/devices").json["devices"], key=lambda device: int(device["id"]))
        server.control("device", "revoke", newest["id"])
        lost.page.get_by_text("This browser was signed out.").wait_for()
        self.assertNotIn("secret-project", lost.page.content())
        self.assertIsNone(lost.page.evaluate("localStorage.getItem('monitor.last')"))
        self.assertFalse(lost.page.title().startswith("("))

    def test_one_that_waits_stays_so_without_a_network(self):
        self.held("offline-wait", "make offline")
        prompts(self.page, "offline-wait").wait_for()
        wait_for(lambda: "waiting_for" in (self.page.evaluate("localStorage.getItem('monitor.last')") or ""), "it is kept")
        self.page.route("**/web/session/refresh", lambda route: route.abort())
        self.page.route("**/v1/**", lambda route: route.abort())
        self.page.context.new_cdp_session(self.page).send("Network.setBypassServiceWorker", {"bypass": True})
        self.page.reload()
        self.page.locator(".list.needs").get_by_text("offline-wait").wait_for()
        self.page.unroute_all()

    def test_a_notice_has_its_words_and_a_question_its_name(self):
        told = machine.session("noticed").start(20).asks("Go", 10)
        told.post(("Notification", {"notification_type": "agent_needs_input", "message": "Auto mode can't check actions here"}))
        row(self.page, "noticed").get_by_text("Auto mode can't check actions here").wait_for()

    def test_a_machine_that_was_never_heard_of_is_not_healthy(self):
        server.key("studio-2")
        self.page.reload()
        health = self.page.get_by_role("region", name="Machines").get_by_role("listitem").filter(has_text="studio-2")
        health.get_by_text("never").wait_for()
        self.assertEqual(health.locator(".mark.done").count(), 0)

    def test_a_session_that_failed_needs_a_person_and_says_what_to_do(self):
        told = machine.session("limited").start(60).asks("Train it", 50)
        told.post(("StopFailure", {"error": "rate_limit"}), ago=5)
        needs = self.page.locator(".list.needs").get_by_role("listitem").filter(has_text="limited")
        needs.get_by_text("the rate limit is reached").wait_for()
        needs.get_by_text("Let it go on when the limit is over.").wait_for()
        needs.get_by_role("button", name="Seen").click()
        self.page.mouse.move(0, 0)
        needs.wait_for(state="detached")

    def test_a_form_can_be_read_after_its_hold_and_says_why(self):
        schema = {"type": "object", "properties": {"branch": {"type": "string", "title": "Branch"}}}
        hold = self.held("formed", name="Elicitation", tool_name=None, seconds=9, mcp_server_name="phone",
                         message="Which branch shall be released?", mode="form", requested_schema=schema)
        prompt = card(self.page, "formed")
        prompt.get_by_text(re.compile(r"Can be answered here for 0:0\d")).wait_for()
        hold.is_over.set()
        prompt.get_by_text(re.compile(r"It could be answered here until \d\d:\d\d")).wait_for(timeout=90_000)
        self.assertTrue(prompt.get_by_role("textbox", name="Branch").is_disabled())
        prompt.get_by_text("Which branch shall be released?").wait_for()

    def test_a_plan_without_text_says_so(self):
        self.held("blind", tool_name="ExitPlanMode", tool_input={})
        prompt = card(self.page, "blind")
        prompt.get_by_text("The plan has no text.").wait_for()
        self.assertRegex(prompt.get_by_role("button", name="Approve", exact=True).evaluate(
            "(button) => document.getElementById(button.getAttribute('aria-describedby')).textContent"), "without having read")
        self.assertNotIn("reads", prompt.inner_text())
        self.assertNotIn("ExitPlanMode", prompt.inner_text())


class Behaviour(Case):
    def test_back_leads_to_the_place_and_the_filter(self):
        for number in range(14):
            machine.session(f"placed-{number:02}").start(30 + number)
        row(self.page, "placed-13").wait_for()
        self.page.get_by_role("searchbox", name="Filter").fill("placed")
        view = self.page.locator(".pane.home")
        expect(view.get_by_role("list", name="Sessions").get_by_role("listitem")).to_have_count(14)
        self.page.set_viewport_size({"width": DESK["width"], "height": 500})
        row(self.page, "placed-12").scroll_into_view_if_needed()
        wait_for(lambda: self.page.evaluate("Boolean(history.state?.place)"), "the place is kept")
        before = view.evaluate("(element) => element.scrollTop")
        self.assertGreater(before, 0)
        for back in ("Escape", "history"):
            row(self.page, "placed-12").get_by_role("link").click()
            self.page.get_by_role("heading", name="placed-12").wait_for()
            expect(self.page.locator("a.back")).to_have_attribute("href", "#/?q=placed")
            # The view listens to keys by the time that it has a timeline.
            self.page.get_by_role("region", name="Timeline").wait_for()
            if back == "Escape":
                self.page.keyboard.press("Escape")
            else:
                self.page.go_back()
            # The list beside a session has the row as well.
            view.get_by_role("listitem").filter(has_text="placed-12").wait_for()
            expect(view.get_by_role("searchbox", name="Filter")).to_have_value("placed")
            wait_for(lambda: abs(view.evaluate("(element) => element.scrollTop") - before) <= 80, f"the place is shown: {back}")
        self.page.reload()
        row(self.page, "placed-12").wait_for()
        expect(self.page.get_by_role("searchbox", name="Filter")).to_have_value("placed")

    def test_the_title_counts_in_each_view(self):
        hold = self.held("counted-title", "make title")
        prompts(self.page, "counted-title").wait_for()
        for view, about in (("#/", "Claude"), (f"#/s/{hold.told.id}", "Do it"), ("#/figures", "Figures"), ("#/search", "Search")):
            self.page.goto(f"{server.url}/{view}")
            wait_for(lambda about=about: re.match(rf"\(\d+\) {about}", self.page.title()), view)
        expect(self.page.locator("link[rel=icon]")).to_have_attribute("href", "icons/waiting.svg")

    def test_the_menu_closes_by_what_is_done_beside_it(self):
        told = machine.session("menued").start(20).asks("Go", 10)
        self.page.goto(f"{server.url}/#/s/{told.id}")
        menu = self.page.locator(".menu")
        for close in (lambda: self.page.get_by_role("region", name="Timeline").click(), lambda: self.page.get_by_role("textbox", name="Message").focus()):
            menu.locator("summary").click()
            expect(menu).to_have_attribute("open", "")
            close()
            expect(menu).not_to_have_attribute("open", "")

    def test_one_s_own_answer_is_no_change_that_waits_and_the_count_sinks(self):
        hold = self.held("own-answer", "make own")
        card(self.page, "own-answer").get_by_role("button", name="Allow once").click()
        hold.decision()
        row(self.page, "own-answer").get_by_text("Allowed by you").wait_for()
        self.page.wait_for_timeout(1_000)
        self.assertEqual(self.page.get_by_role("button", name=re.compile("change")).count(), 0)
        count = self.page.locator(".group").filter(has_text="Needs you").locator(".num").last
        cards = self.page.locator(".list.needs article.wait")
        wait_for(lambda: count.inner_text() == str(cards.count()), "the count is that of the cards")

    def test_old_prompts_are_not_announced(self):
        self.held("old-one", "make old")
        # It is old once the server has it.
        prompts(self.page, "old-one").wait_for()
        page = self.person.open()
        prompts(page, "old-one").wait_for()
        page.wait_for_timeout(500)
        self.assertNotIn("New:", page.locator("[role=status]").all_inner_texts())
        self.assertEqual([text for text in page.locator("p.hear[role=status]").all_inner_texts() if text], [])


if __name__ == "__main__":
    unittest.main()
