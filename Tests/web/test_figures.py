"""Tokens and cost, conversations, search and export: what the views show from telemetry and transcripts."""

import datetime
import re
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Client, Server, intercept, opened

import telemetry


def setUpModule():
    global server, browser, told, person, page
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    machine = Machine(server, "mac-studio")
    told = machine.session("payments-api").start(60).asks("Fix the rounding", 50)
    records = [telemetry.request(told.id, f"req-{number}", number) for number in range(4)]
    if Client(server.address, machine.key).request("POST", "/v1/logs", telemetry.logs(*records)).status == 404:
        server.end()
        raise unittest.SkipTest("this server takes no telemetry yet")
    told.does("Bash", {"stdout": "The moon is a harsh mistress", "stderr": ""}, 40, command="cat book.txt")
    told.stops("The rounding is fixed.", 30)
    browser = unittest.enterModuleContext(Browser())
    person = browser.person(server)
    page = person.page


def tearDownModule():
    person.close()
    server.end()


class Views(unittest.TestCase):
    def tearDown(self):
        person.check()

    def open_figures(self):
        """Opens the view, and returns when all that it shows is there: what comes later moves or changes the rest."""
        page.goto(server.url + "/#/")
        page.goto(server.url + "/#/figures")
        for name in ("By day", "Plan limits", "Budgets", "By model", "By project", "By machine", "By tool",
                     "Costliest sessions", "Busiest hours", "Activity"):
            page.get_by_role("region", name=name, exact=True).wait_for()

    def test_cost_in_the_list_the_session_and_the_figures(self):
        cost = server.get(f"/v1/sessions/{told.id}").json["total_cost"]
        self.assertGreater(cost, 0)
        page.goto(f"{server.url}/#/s/{told.id}")
        aside = page.get_by_role("complementary", name="About this session")
        aside.get_by_text(re.compile(rf"\${cost:.4f}")).wait_for()
        aside.get_by_role("img", name="Cost by turn").wait_for()
        aside.get_by_role("img", name="Context by turn").wait_for()
        page.goto(server.url + "/#/figures")
        tiles = page.locator(".tiles")
        tiles.get_by_text("Cache share").wait_for()
        self.assertRegex(tiles.inner_text(), rf"\${cost:.4f}")
        page.get_by_role("region", name="By model").wait_for()
        page.get_by_role("region", name="By tool").get_by_text("Bash").first.wait_for()

    def test_what_the_windows_of_a_plan_hold(self):
        windows = server.get("/v1/usage/windows").json
        page.goto(server.url + "/#/")
        page.goto(server.url + "/#/figures")
        figure = page.get_by_role("region", name="Plan limits")
        for place, name in enumerate(("five_hour", "seven_day")):
            item = figure.get_by_role("listitem").nth(place)
            item.wait_for()
            self.assertIn(f"${windows[name]['total_cost']:.2f}"[:4], item.inner_text())

    def test_the_costliest_sessions_lead_to_what_they_did(self):
        page.goto(server.url + "/#/")
        page.goto(server.url + "/#/figures")
        page.get_by_role("region", name="Costliest sessions").get_by_role("link", name="Fix the rounding").click()
        opened(page, "payments-api").wait_for()

    def test_a_bar_tells_its_value_under_the_pointer(self):
        self.open_figures()
        chart = page.get_by_role("img", name="By day, Cost")
        box = chart.bounding_box()
        chart.hover(position={"x": box["width"] - 3, "y": box["height"] / 2})
        value = page.get_by_role("region", name="By day").get_by_role("status")
        expect(value).to_contain_text(re.compile(r"\d+ \w+: \$\d"))
        page.mouse.move(0, 0)
        expect(value).to_have_count(0)

    def test_every_chart_has_a_table_that_is_saved(self):
        self.open_figures()
        names = [one.get_attribute("aria-label") for one in page.locator("section.figure").all()]
        page.goto(f"{server.url}/#/s/{told.id}")
        page.get_by_role("img", name="Context by turn").wait_for()
        turns = [one.get_attribute("aria-label") for one in page.locator("section.figure").all()]
        self.assertEqual(turns, ["Cost by turn", "Context by turn"])
        for view, charts in ((f"#/s/{told.id}", turns), ("#/figures", names)):
            page.goto(server.url + "/" + view)
            for name in charts:
                figure = page.get_by_role("region", name=name, exact=True)
                figure.locator("summary").click()
                with page.expect_download() as download:
                    figure.get_by_role("button", name="Save as CSV").click()
                head, *lines = download.value.path().read_text().splitlines()
                self.assertEqual(head.split(",")[0], figure.get_by_role("columnheader").first.inner_text(), name)
                self.assertEqual(len(lines), figure.locator("tbody tr").count(), name)

    def test_the_difference_of_two_sums_is_a_share(self):
        """The session is the server's answer, but its two sums differ."""
        other = browser.person(server)
        self.addCleanup(other.close)

        def differ(route):
            answer = route.fetch()
            route.fulfill(response=answer, json={**answer.json(), "usage_difference": 0.043})

        def differ_in_list(route):
            answer = route.fetch()
            data = [{**one, "usage_difference": 0.043} if one["id"] == told.id else one for one in answer.json()["data"]]
            route.fulfill(response=answer, json={**answer.json(), "data": data})
        # The page shows the answer that it reads last. Without a reload, that may be an answer to an earlier request.
        self.addCleanup(other.page.unroute_all, behavior="wait")
        intercept(other.page, f"**/v1/sessions/{told.id}", differ)
        intercept(other.page, "**/v1/sessions?*", differ_in_list)
        other.page.goto(f"{server.url}/#/s/{told.id}")
        other.page.reload()
        other.page.get_by_text("The client's own sum differs by").locator("+ dd").get_by_text("4%").wait_for()

    def test_budgets_of_day_project_and_session(self):
        session = server.get(f"/v1/sessions/{told.id}").json
        spent = sum(one["total_cost"] for one in server.get("/v1/sessions").json["data"])
        admin = server.client()
        for query, budgets in (("?scope=default", {"cost_thresholds_usd": [100 * spent], "project_cost_thresholds_usd": [4 * spent]}),
                               (f"?scope=session&id={told.id}", {"cost_thresholds_usd": [0.01]})):
            self.addCleanup(admin.request, "PUT", "/v1/push/preferences" + query, {})
            self.assertEqual(admin.request("PUT", "/v1/push/preferences" + query, budgets).status, 200)
        page.goto(server.url + "/#/")
        page.goto(server.url + "/#/figures")
        budgets = page.get_by_role("region", name="Budgets")
        rows = budgets.get_by_role("listitem")
        rows.nth(2).wait_for()
        texts = rows.all_inner_texts()
        self.assertIn("Today", texts[0])
        self.assertNotIn("UTC", texts[0])
        self.assertIn("payments-api", texts[1])
        budgets.get_by_text("Projects, today").wait_for()
        width = rows.nth(1).locator(".meter i").evaluate("(bar) => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width")
        self.assertAlmostEqual(width, 0.25, 1)
        self.assertEqual("reached" in texts[2], session["total_cost"] >= 0.01)
        rows.nth(2).get_by_role("link").click()
        opened(page, "payments-api").wait_for()

    def test_days_and_hours_are_those_of_the_persons_clock(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        # An hour whose date differs there, and which is none that other requests of this test file fall in: they are recent.
        then = (now - datetime.timedelta(days=2)).replace(hour=10 + (now.hour + 6) % 12, minute=5)
        there = then + datetime.timedelta(hours=14)
        request = telemetry.request(told.id, "req-far", 9, at=telemetry.nanoseconds((now - then).total_seconds()), cost=7.77)
        self.assertEqual(Client(server.address, told.machine.key).request("POST", "/v1/logs", telemetry.logs(request)).status, 200)
        traveller = browser.person(server, timezone_id="Pacific/Kiritimati")
        self.addCleanup(traveller.close)
        for figure, name in (("By day", f"{there:%Y-%m-%d}"), ("Busiest hours", f"{there.hour}:00")):
            traveller.page.goto(server.url + "/#/figures")
            region = traveller.page.get_by_role("region", name=figure)
            region.get_by_text("Table").click()
            region.get_by_role("row").filter(has=traveller.page.get_by_role("rowheader", name=name, exact=True)).get_by_text("$7.77").wait_for()
        last = datetime.datetime.fromisoformat(server.get(f"/v1/sessions/{told.id}").json["last_activity_at"])
        region = traveller.page.get_by_role("region", name="Activity")
        region.get_by_text("Table").click()
        # The table comes after the click.
        region.get_by_role("rowheader").first.wait_for()
        days = region.get_by_role("rowheader").all_inner_texts()
        self.assertIn(f"{last + datetime.timedelta(hours=14):%Y-%m-%d}", days)
        self.assertEqual(max(days), days[-1])
        traveller.page.goto(server.url + "/#/")
        cost = traveller.page.get_by_role("link", name="today")
        cost.wait_for()
        self.assertNotIn("7.", cost.inner_text())
        traveller.check()

    def test_search_in_one_kind(self):
        page.goto(server.url + "/#/search?q=harsh")
        results = page.get_by_role("list", name="Results").get_by_role("listitem")
        results.first.wait_for()
        page.get_by_role("combobox", name="Search in").select_option("Prompts")
        page.get_by_text("Nothing was found.").wait_for()
        page.get_by_role("combobox", name="Search in").select_option("Output of tools")
        results.first.wait_for()

    def test_what_one_search_found_is_not_shown_for_another(self):
        page.goto(server.url + "/#/search?q=harsh")
        results = page.get_by_role("list", name="Results").get_by_role("listitem")
        results.first.wait_for()
        self.addCleanup(page.unroute_all)
        intercept(page, "**/v1/search?q=rounding*", lambda route: route.abort())
        page.goto(server.url + "/#/search?q=rounding")
        page.get_by_role("alert").wait_for()
        expect(results).to_have_count(0)

    def test_search_finds_and_leads_to_the_session(self):
        page.goto(server.url + "/#/search")
        # What is typed before the view has put the focus there would be lost.
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.get_by_role("searchbox").fill("harsh mistress")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("list", name="Results").get_by_role("link").first.click()
        opened(page, "payments-api").wait_for()

    def test_a_session_is_saved_as_markdown_and_lines(self):
        page.goto(f"{server.url}/#/s/{told.id}")
        page.get_by_text("More…").click()
        for button, ending in (("Save as Markdown", ".md"), ("Save as JSONL", ".jsonl")):
            with page.expect_download() as download:
                page.get_by_role("button", name=button).click()
            self.assertTrue(download.value.suggested_filename.endswith(ending))
            self.assertIn("Fix the rounding", download.value.path().read_text())

    def test_a_session_is_shared_as_markdown(self):
        sharer = browser.person(server, permissions=["clipboard-read", "clipboard-write"])
        self.addCleanup(sharer.close)
        sharer.page.goto(f"{server.url}/#/s/{told.id}")
        sharer.page.get_by_text("More…").click()
        sharer.page.get_by_role("button", name="Share as Markdown").click()
        sharer.page.get_by_text("Copied. Paste it where you want it.").wait_for()
        self.assertIn("Fix the rounding", sharer.page.evaluate("navigator.clipboard.readText()"))
        sharer.check()


if __name__ == "__main__":
    unittest.main()
