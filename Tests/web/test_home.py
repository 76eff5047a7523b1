"""The list of sessions: groups, live updates, and one connection for all tabs."""

import re
import time
import unittest

from playwright.sync_api import expect
from scenes import Machine, world
from web import PHONE, Browser, Server, card, intercept, opened, row, wait_for


def setUpModule():
    global server, browser
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


class Groups(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.began = time.monotonic()
        world(server)
        cls.telling = time.monotonic() - cls.began
        cls.person = browser.person(server)
        cls.page = cls.person.page
        cls.addClassCleanup(cls.person.close)

    def tearDown(self):
        self.person.check()

    def items(self):
        return self.page.get_by_role("list", name="Sessions").get_by_role("listitem")

    def test_every_session_is_one_item_in_the_order_of_need(self):
        names = ["atlas-web", "payments-api", "ml-train", "infra", "search-indexer", "docs-site", "design-notes", "old-site"]
        expect(self.items()).to_contain_text(names)

    def test_one_that_waits_shows_the_whole_prompt(self):
        card = row(self.page, "payments-api").get_by_role("article", name=re.compile("^Bash"))
        card.get_by_text("git push --force-with-lease origin release/2.4").wait_for()

    def test_one_that_works_shows_its_tool_and_since_when(self):
        """In the scenes, the call began 72 s ago. The scenes themselves take a while to be told."""
        def is_right():
            earliest = time.monotonic() - self.began
            text = row(self.page, "search-indexer").inner_text()
            found = re.search(r"Bash\s+swift test --filter Ranking\s+· (\d+):(\d\d)", text)
            latest = time.monotonic() - self.began
            return found and 72 + earliest - self.telling - 3 <= int(found[1]) * 60 + int(found[2]) <= 72 + latest + 2

        wait_for(is_right, "the tool is shown, and since when")

    def test_filters(self):
        self.page.get_by_role("searchbox", name="Filter").fill("migration")
        expect(self.items()).to_have_count(1)
        row(self.page, "docs-site").wait_for()
        self.page.get_by_role("searchbox", name="Filter").fill("")
        self.page.get_by_role("combobox", name="Machine").select_option("laptop")
        expect(row(self.page, "search-indexer")).to_have_count(0)
        row(self.page, "old-site").wait_for()
        self.page.get_by_role("combobox", name="Machine").select_option("")

    def test_filter_by_state(self):
        self.page.get_by_role("combobox", name="State").select_option("Ended")
        expect(self.items()).to_have_count(1)
        row(self.page, "old-site").wait_for()
        self.page.get_by_role("combobox", name="State").select_option("")
        row(self.page, "search-indexer").wait_for()

    def test_on_a_phone_the_filters_are_one_tap_away_and_never_act_unseen(self):
        person = browser.person(server, viewport=PHONE)
        self.addCleanup(person.close)
        page = person.page
        row(page, "old-site").wait_for()
        self.assertFalse(page.get_by_role("combobox", name="State").is_visible())
        page.get_by_role("button", name="Filters").click()
        page.get_by_role("combobox", name="State").select_option("Ended")
        page.get_by_role("button", name="No filters").click()
        row(page, "search-indexer").wait_for()
        expect(page.get_by_role("combobox", name="State")).to_be_hidden()
        person.check()

    def test_one_that_works_shows_its_cost_and_tokens_a_minute(self):
        """In the scenes, the last request of each session is less than a minute old."""
        expect(row(self.page, "search-indexer")).to_contain_text(re.compile(r"[\d.]+k?/min \$0\.\d\d"), use_inner_text=True)

    def test_the_keys_walk_through_the_list(self):
        self.page.get_by_role("article", name=re.compile("^Question")).wait_for()
        self.page.get_by_role("article", name=re.compile("^Bash")).wait_for()
        self.page.locator("h1").click()
        self.page.keyboard.press("j")
        self.assertIn("Question", self.page.evaluate("document.activeElement.getAttribute('aria-label')"))
        for _ in range(4):
            self.page.keyboard.press("j")
        self.page.keyboard.press("Enter")
        opened(self.page, "search-indexer").wait_for()
        # The view listens to keys by the time that it has a timeline.
        self.page.get_by_role("region", name="Timeline").wait_for()
        self.page.keyboard.press("Escape")
        self.page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        self.page.keyboard.press("?")
        self.page.get_by_role("dialog", name="Keys").wait_for()
        self.page.keyboard.press("Escape")


class Live(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.page = self.person.page
        self.machine = Machine(server, "live")
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def test_a_session_begins_works_asks_goes_on_and_is_done(self):
        told = self.machine.session("fresh-one").start(0)
        row(self.page, "fresh-one").wait_for()
        told.asks("Count the lines", 0)
        call = told.needs("Bash", 0, command="wc -l *")
        self.page.get_by_role("article", name="Bash: wc -l *").wait_for()
        told.goes_on(call)
        self.page.get_by_role("article", name="Bash: wc -l *").wait_for(state="detached")
        told.stops("There are 12 lines.", 0)
        row(self.page, "There are 12 lines.").wait_for()
        self.assertIn("Done since you looked", self.page.locator(".group", has=self.page.get_by_text("Done")).inner_text())

    def test_one_that_is_stuck_is_marked_until_it_goes_on(self):
        told = self.machine.session("looping").start(0).asks("Build it", 0)
        for _ in range(3):
            told.fails("Bash", "Exit code 2\nno rule to make target", 0, command="make all")
        item = row(self.page, "looping")
        item.get_by_text("Stuck", exact=True).wait_for()
        item.get_by_text("Bash failed 3 times in the same way").wait_for()
        item.get_by_role("link").click()
        banner = self.page.get_by_role("status").filter(has_text="Bash failed 3 times in a row with the same input")
        banner.get_by_role("button", name="Show the error").click()
        self.page.get_by_role("region", name="Timeline").locator(".ev.found").get_by_text("make all").wait_for()
        told.does("Bash", {"stdout": "", "stderr": ""}, 0, command="make clean")
        banner.wait_for(state="detached")
        self.page.get_by_role("main").wait_for()

    def test_the_link_of_a_prompt_leads_to_its_session_unless_the_person_has_gone_on(self):
        told = self.machine.session("linked").start(0)
        told.needs("Bash", 0, command="make linked")
        prompt = card(self.page, "linked").get_attribute("data-prompt")
        self.page.goto(server.url + "/#/p/unknown")
        gone = self.page.get_by_role("heading", name="This prompt is gone.")
        gone.wait_for()
        waiting = []
        intercept(self.page, f"**/v1/prompts/{prompt}", lambda route: waiting.append(route))
        self.page.goto(f"{server.url}/#/p/{prompt}")
        wait_for(lambda: self.page.evaluate("1") and waiting, "the prompt is being read")
        expect(gone).to_have_count(0)
        self.page.goto(server.url + "/#/figures")
        self.page.get_by_role("heading", name="Figures").wait_for()
        with self.page.expect_response(f"**/v1/prompts/{prompt}") as answer:
            for route in waiting:
                route.continue_()
        answer.value.finished()
        # The page has taken the answer once it has drawn twice.
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertTrue(self.page.url.endswith("#/figures"), self.page.url)
        self.page.unroute_all()
        self.page.goto(f"{server.url}/#/p/{prompt}")
        self.page.get_by_role("heading", name="linked").wait_for()

    def test_a_restart_of_the_server_costs_no_event(self):
        told = self.machine.session("restarted").start(0)
        row(self.page, "restarted").wait_for()
        # The pauses between the page's attempts are random. Now they are the shortest: 7.5 s at most.
        self.page.evaluate("Math.random = () => 0")
        server.stop()
        address = server.address
        server.arguments = ["--listen", address]
        self.page.get_by_text("Not connected").wait_for()
        server.start()
        server.arguments = []
        told.machine.client.close()
        told.asks("Still there?", 0)
        row(self.page, "restarted").get_by_text("Still there?").wait_for()
        self.page.get_by_text("Not connected").wait_for(state="detached")

    def test_offline_and_back(self):
        told = self.machine.session("tunnelled").start(0)
        row(self.page, "tunnelled").wait_for()
        self.person.context.set_offline(True)
        # Chromium keeps its sockets when it goes offline, and the watchdog would close them only after 45 s.
        self.page.evaluate("dispatchEvent(new Event('offline'))")
        self.page.get_by_text("Not connected. What you see is from").wait_for()
        told.asks("Said in the tunnel", 0)
        self.assertEqual(row(self.page, "tunnelled").get_by_text("Said in the tunnel").count(), 0)
        self.person.context.set_offline(False)
        row(self.page, "tunnelled").get_by_text("Said in the tunnel").wait_for()
        self.page.get_by_text("Not connected").wait_for(state="detached")

    def test_a_tab_that_is_looked_at_does_not_wait_for_a_leader_in_the_back(self):
        """The timers of a hidden tab run once a minute. Here, those of the leader do not run at all."""
        told = self.machine.session("led").start(0)
        row(self.page, "led").wait_for()
        other = self.person.open()
        row(other, "led").wait_for()
        self.page.evaluate("window.setTimeout = () => 0")
        server.stop()
        server.arguments = ["--listen", server.address]
        other.get_by_text("Not connected").wait_for()
        server.start()
        server.arguments = []
        told.machine.client.close()
        told.asks("Is anybody there?", 0)
        row(other, "led").get_by_text("Is anybody there?").wait_for()
        other.get_by_text("Not connected").wait_for(state="detached")

    def test_a_tab_that_begins_without_the_server_asks_the_leader_for_a_connection(self):
        """The timers of the leader do not run."""
        reading = []
        other = self.person.context.new_page()
        intercept(other, "**/v1/me", lambda route: reading.append(route))
        other.goto("/")
        wait_for(lambda: other.evaluate("1") and reading, "the tab has begun")
        self.page.evaluate("window.setTimeout = () => 0")
        server.stop()
        server.arguments = ["--listen", server.address]
        other.unroute_all()
        other.get_by_text("Not connected").wait_for()
        server.start()
        server.arguments = []
        other.get_by_text("Not connected").wait_for(state="detached")

    def test_work_in_the_background_is_shown_until_it_ends(self):
        told = self.machine.session("deputy").start(20).asks("Look into it", 15)
        agent = {"agent_id": "a1", "agent_type": "Explore"}
        told.post(("SubagentStart", agent), ago=10)
        told.post(("Stop", {"stop_hook_active": False, "last_assistant_message": "It is under way", "background_tasks": [
            {"id": "a1", "type": "subagent", "status": "running"}]}), ago=5)
        row(self.page, "deputy").get_by_text("1 agent works in the background").wait_for()
        told.post(("SubagentStop", agent), ago=0)
        row(self.page, "deputy").get_by_text("in the background").wait_for(state="detached")

    def test_ten_tabs_share_one_connection(self):
        wait_for(lambda: server.health()[1]["subscribers"]["websockets"] == 1, "only this test's page is connected")
        tabs = [self.person.open() for _ in range(4)]
        for tab in tabs:
            tab.get_by_role("heading", name="Sessions", exact=True).wait_for()
        told = self.machine.session("shared").start(0)
        for tab in [self.page, *tabs]:
            row(tab, "shared").wait_for()
        wait_for(lambda: server.health()[1]["subscribers"]["websockets"] == 1, "all tabs share one connection")
        self.page.close()
        told.asks("Who leads now?", 0)
        for tab in tabs:
            row(tab, "shared").get_by_text("Who leads now?").wait_for()
        wait_for(lambda: server.health()[1]["subscribers"]["websockets"] == 1, "one tab leads")

    def test_on_a_phone_nothing_is_wider_than_the_screen(self):
        person = browser.person(server, viewport=PHONE)
        self.addCleanup(person.close)
        page = person.page
        page.get_by_role("list", name="Sessions").wait_for()
        for view, heading in (("#/", "Sessions"), ("#/figures", "Figures"), ("#/search", "Search"),
                              ("#/settings/notifications", "Notifications"), ("#/settings/machines", "Machines and keys")):
            page.goto(server.url + "/" + view)
            page.get_by_role("heading", name=heading, exact=True).first.wait_for()
            page.locator(".skeleton").first.wait_for(state="detached")
            for direction in ("ltr", "rtl"):
                page.evaluate("(direction) => { document.documentElement.dir = direction }", direction)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"], (view, direction))


if __name__ == "__main__":
    unittest.main()
