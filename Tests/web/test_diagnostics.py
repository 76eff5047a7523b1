"""Models and their prices, and what is wrong: findings with what mends them, round trips, versions, and what a chat would do."""

import unittest

import workspace
from accessible import Scanned
from playwright.sync_api import expect
from scenes import Machine, spends
from web import PHONE, Browser, Server, harness, wait_for


def setUpModule():
    global server, browser, person, place
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    person = browser.person(server)
    place = workspace.Place(server, "mac-studio")
    spends(place.told, 2.4, model="claude-opus-5-5")
    told = Machine(server, "laptop").session("docs").start(30)
    spends(told, 0.5, model="claude-sonnet-5")
    spends(Machine(server, "box").session("odd").start(30), 0.3, model="claude-strange-9")


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

    def open(self, name, page=None):
        (page or self.page).goto(f"{server.url}/#/settings/{name}")

    def rows(self, name, page=None):
        return (page or self.page).get_by_role("list", name=name, exact=True).get_by_role("listitem")


class Models(Case):
    def test_what_was_used_has_price_cost_place_and_alias(self):
        self.open("models")
        used = self.rows("Used in the last 7 days")
        expect(used).to_have_count(3)
        opus = used.filter(has_text="claude-opus-5-5")
        opus.get_by_text("Opus 5.5").first.wait_for()
        opus.get_by_text("opus", exact=True).wait_for()
        opus.get_by_text("on mac-studio").wait_for()
        self.assertRegex(opus.inner_text(), r"\$\d+\.\d\d in · \$\d+\.\d\d out")
        self.assertIn("$2.4", opus.inner_text())
        self.assertEqual(used.first.inner_text(), opus.inner_text(), "the costliest is first")
        used.filter(has_text="claude-strange-9").get_by_text("No price is known").wait_for()
        self.rows("Others that the server knows").filter(has_text="claude-haiku-5-5").wait_for()
        self.rows("Claude Code on your machines").filter(has_text="laptop").get_by_text("no agent").wait_for()
        self.look(self.page, "models")

    def test_the_palette_leads_there(self):
        self.page.goto(server.url)
        self.page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("dialog", name="Go to").get_by_role("combobox").fill("Diagnostics")
        self.page.keyboard.press("Enter")
        self.page.get_by_role("heading", name="Diagnostics").wait_for()


class Diagnostics(Case):
    def test_what_is_wrong_is_said_with_what_mends_it(self):
        machine = Machine(server, "late-box")
        headers = {"X-Machine-Time": harness.iso(-330), "User-Agent": "claude-monitor-hooks/0.0.9"}
        self.assertEqual(machine.client.request("POST", "/api/heartbeat", {"sessions": []}, headers).status, 202)
        clock, = (one["clock"] for one in server.get("/v1/machines").json["machines"] if one["name"] == "late-box")
        # The time that the request took is a part of it.
        behind = round(-clock["offset_seconds"])
        self.assertGreaterEqual(behind, 330)
        self.open("diagnostics")
        self.page.reload()
        found = self.rows("What is wrong")
        found.filter(has_text=f"The clock of late-box is {behind} s off").get_by_text("timedatectl").wait_for()
        found.filter(has_text="The hooks of late-box are old: version 0.0.9").get_by_text(f"curl -fsS {server.url}/install.sh | bash").wait_for()
        found.filter(has_text="claude-strange-9").wait_for()
        found.filter(has_text="Pushes are off").get_by_role("link").wait_for()
        self.assertEqual(found.filter(has_text="laptop").count(), 0)
        self.look(self.page, "diagnostics")

    def test_round_trips_to_the_server_and_to_the_agent(self):
        self.open("diagnostics")
        trips = self.rows("Round trip")
        for name in ("This browser to the server", "To the agent of mac-studio"):
            trips.filter(has_text=name).get_by_text(" ms").wait_for()
        # A machine that refuses answers all the same.
        place.allow("files=off git=off")
        self.addCleanup(place.allow, place.words)
        self.page.get_by_role("button", name="Measure again").click()
        trips.filter(has_text="mac-studio").get_by_text(" ms").wait_for()

    def test_an_agent_that_is_away_is_no_round_trip(self):
        away = workspace.Place(server, "away-box")
        away.close()
        wait_for(lambda: not away.agent.is_online(), "the server knows that the agent is away")
        self.open("diagnostics")
        self.page.reload()
        self.rows("Round trip").filter(has_text="away-box").get_by_text("not connected").wait_for()
        self.rows("What is wrong").filter(has_text="away-box").get_by_text("monitor-agent doctor").wait_for()

    def test_versions_of_server_hooks_and_agent(self):
        self.open("diagnostics")
        self.rows("Versions").filter(has_text="mac-studio").get_by_text("agent 0.").wait_for()
        self.page.get_by_text(server.get("/health").json["version"], exact=True).first.wait_for()

    def test_what_a_chat_would_do(self):
        self.open("diagnostics")
        self.page.get_by_text("monitorctl device grant").wait_for()
        device = server.get("/v1/devices").json["devices"][0]["id"]
        server.control("device", "grant", str(device), "control")
        self.page.reload()
        self.page.get_by_role("main").get_by_label("Project").select_option(place.project)
        self.page.get_by_role("textbox", name="Message").fill("Why?")
        self.page.get_by_role("button", name="Show what would run").click()
        self.page.get_by_text("A new session begins").wait_for()
        self.page.get_by_text("claude --permission-mode default").wait_for()
        self.page.get_by_text(str(place.root)).first.wait_for()
        self.look(self.page, "what a chat would do")

    def test_on_a_phone_in_german(self):
        phone = browser.person(server, viewport=PHONE, scheme="dark", locale="de-DE", pair=False, has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        page = phone.open(phone.link())
        page.get_by_role("navigation", name="Ansichten").get_by_role("link", name="Einstellungen").tap()
        page.get_by_role("link", name="Diagnose").tap()
        page.get_by_text("Dieser Browser zum Server").wait_for()
        self.look(page, "diagnostics on a phone")
        self.open("models", page)
        page.get_by_text("In den letzten 7 Tagen benutzt").wait_for()
        self.rows("In den letzten 7 Tagen benutzt", page).first.wait_for()
        self.look(page, "models on a phone")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        phone.check()


if __name__ == "__main__":
    unittest.main()
