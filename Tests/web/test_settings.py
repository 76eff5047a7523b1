"""Keys, devices, notifications, audit: what a browser may change, and the command that the page shows if it may not."""

import re
import unittest

from playwright.sync_api import expect

from scenes import Machine
from web import Browser, Server, card, intercept, wait_for


def setUpModule():
    global server, browser, person, page
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    Machine(server, "mac-studio").session("payments-api").start(5)
    person = browser.person(server, pair=False)
    page = person.sign_in("--administer")


def tearDownModule():
    person.close()
    server.end()


class Administrator(unittest.TestCase):
    def tearDown(self):
        person.check()

    def visit(self, name):
        page.goto(f"{server.url}/#/settings/{name}")

    def test_a_key_is_made_shown_once_and_revoked(self):
        self.visit("machines")
        page.get_by_role("textbox", name="Name of the machine").fill("new-box")
        page.get_by_role("button", name="Create key").click()
        command = page.get_by_text(re.compile(r"curl -fsS .*/install.sh \| CLAUDE_MONITOR_API_KEY=cmk_\w+ bash"))
        # A person sees it without scrolling.
        expect(command).to_be_in_viewport()
        key = re.search(r"cmk_\w+", command.inner_text()).group()
        self.assertEqual(server.client(key).request("POST", "/api/hooks", {
            "hook_event_name": "Stop", "session_id": "s"}).status, 200)
        page.get_by_role("button", name="Revoke new-box").click()
        page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        page.get_by_role("button", name="Revoke new-box").wait_for(state="detached")
        page.reload()
        page.get_by_role("heading", name="Machines and keys").wait_for()
        self.assertNotIn(key, page.content())

    def test_a_lost_device_is_revoked(self):
        lost = browser.person(server)
        self.addCleanup(lost.close)
        self.visit("devices")
        row = page.locator("li").filter(has_text="first seen").filter(has_not_text="this one").last
        row.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        lost.page.get_by_text("This browser was signed out.").wait_for()

    def test_quiet_hours_are_kept(self):
        self.visit("notifications")
        page.get_by_label("Quiet between").check()
        page.get_by_label("from").fill("23:15")
        page.get_by_label("A long tool ended").check()
        page.get_by_label("Remind of a permission after").select_option("5 min")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("status").filter(has_text="Saved").wait_for()
        page.reload()
        page.get_by_label("Quiet between").wait_for()
        self.assertEqual(page.get_by_label("from").input_value(), "23:15")
        self.assertTrue(page.get_by_label("A long tool ended").is_checked())
        self.assertEqual(page.get_by_label("Remind of a permission after").input_value(), "300")

    def test_quiet_hours_of_all_devices_hold_here_until_they_are_refused(self):
        hours = {"start": "01:15", "end": "02:00"}
        admin = server.client()
        self.addCleanup(admin.request, "PUT", "/v1/push/preferences?scope=default", {})
        self.assertEqual(admin.request("PUT", "/v1/push/preferences?scope=default", {"quiet_hours": hours}).status, 200)
        project = next(one["workspace_id"] for one in server.get("/v1/sessions").json["data"] if "workspace_id" in one)
        own = f"/v1/push/preferences?scope=project&id={project}"
        self.addCleanup(admin.request, "PUT", own, {})
        page.goto(server.url + "/#/")
        self.visit("notifications")
        page.get_by_role("combobox", name="For", exact=True).select_option(label="payments-api")
        page.get_by_label("from").wait_for()
        expect(page.get_by_label("from")).to_have_value("01:15")
        page.get_by_label("Quiet between").uncheck()
        page.get_by_role("button", name="Save", exact=True).click()
        wait_for(lambda: admin.get(own).json["preferences"].get("quiet_hours") is False, "the project has none")

    def test_what_is_set_for_this_browser_is_never_saved_for_all(self):
        self.visit("notifications")
        save = page.get_by_role("button", name="Save", exact=True)
        save.wait_for()
        self.addCleanup(page.unroute_all)
        intercept(page, "**/v1/push/preferences?scope=default*", lambda route: route.abort())
        page.get_by_role("combobox", name="For", exact=True).select_option("default")
        page.get_by_role("alert").wait_for()
        self.assertEqual(save.count(), 0)

    def test_what_could_not_be_saved_says_why_and_is_kept(self):
        self.visit("notifications")
        box = page.get_by_label("A session ends")
        was = box.is_checked()
        box.set_checked(not was)
        self.addCleanup(page.unroute_all)
        intercept(page, "**/v1/push/preferences*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("Not saved. The server does not answer.")
        self.assertEqual(box.is_checked(), not was)
        page.unroute_all()
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("status").filter(has_text="Saved").wait_for()
        expect(page.get_by_role("alert")).to_have_count(0)

    def test_leaving_with_unsaved_input_asks(self):
        self.visit("notifications")
        box = page.get_by_label("A session begins")
        box.check()
        tab = page.get_by_role("link", name="Devices")
        dialog = page.get_by_role("dialog", name="Leave without saving?")
        tab.click()
        dialog.get_by_role("button", name="Stay").click()
        expect(page).to_have_url(re.compile("#/settings/notifications$"))
        self.assertTrue(box.is_checked())
        # Another scope is another form.
        page.get_by_role("combobox", name="For", exact=True).select_option("default")
        dialog.get_by_role("button", name="Stay").click()
        self.assertTrue(box.is_checked())
        tab.click()
        dialog.get_by_role("button", name="Discard the changes").click()
        page.get_by_role("heading", name="Devices").wait_for()
        self.visit("notifications")
        self.assertFalse(box.is_checked())
        # What is saved may be left.
        box.check()
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("status").filter(has_text="Saved").wait_for()
        tab.click()
        page.get_by_role("heading", name="Devices").wait_for()
        self.assertEqual(dialog.count(), 0)

    def test_a_mute_holds_at_once(self):
        self.visit("notifications")
        page.get_by_role("button", name="4 h").click()
        page.get_by_role("status").filter(has_text="Saved").wait_for()
        page.reload()
        page.get_by_role("button", name="Unmute").click()
        page.get_by_role("status").filter(has_text="Saved").wait_for()
        page.get_by_role("button", name="Unmute").wait_for(state="detached")

    def test_budgets_are_lines_in_the_figures(self):
        self.visit("notifications")
        page.get_by_role("combobox", name=re.compile("^For")).select_option("default")
        page.get_by_label("For a day").fill("5, 20.50")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("status").filter(has_text="Saved").wait_for()
        page.goto(server.url + "/#/figures")
        day = page.get_by_role("region", name="By day")
        day.get_by_text("budgets of $5.00, $20.50 a day").wait_for()
        self.assertEqual(day.locator("line.limit").count(), 1, "only the next budget, while no day has reached one")

    def test_the_audit_log(self):
        self.visit("audit")
        page.get_by_role("cell", name="The operator began a pairing. pairing.create").first.wait_for()
        page.get_by_role("combobox", name="What").select_option("Pairings done")
        expect(page.get_by_role("cell", name="began a pairing")).to_have_count(0)
        page.get_by_role("cell", name=re.compile("This browser was paired")).first.wait_for()

    def test_devices_say_what_they_are_and_since_when(self):
        self.visit("devices")
        own = page.locator("li").filter(has_text="this one")
        expect(own).to_contain_text(re.compile(r"Can .*view.* and administer"))
        expect(own).to_contain_text(re.compile(r"first seen .*\d"))
        expect(own).to_contain_text("last seen")
        # It is the first of all.
        expect(page.locator("ul.rows > li").first).to_contain_text("this one")

    def test_a_device_is_renamed(self):
        other = browser.person(server)
        self.addCleanup(other.close)
        old = max(server.get("/v1/devices").json["devices"], key=lambda device: int(device["id"]))
        self.addCleanup(server.client().request, "DELETE", f"/v1/devices/{old['id']}")
        server.client().request("PATCH", f"/v1/devices/{old['id']}", {"name": "old phone"})
        self.visit("devices")
        page.get_by_role("button", name="Rename old phone").click()
        dialog = page.get_by_role("dialog", name="Rename old phone")
        self.assertEqual(dialog.get_by_label("Name").input_value(), "old phone")
        dialog.get_by_label("Name").fill("  ")
        self.assertTrue(dialog.get_by_role("button", name="Save").is_disabled())
        dialog.get_by_label("Name").fill("<b>pocket</b>")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Rename <b>pocket</b>").wait_for()
        expect(dialog).to_have_count(0)
        self.visit("audit")
        page.get_by_role("cell", name="renamed <b>pocket</b> (old phone → <b>pocket</b>).").first.wait_for()

    def test_rules_that_answers_have_added(self):
        hold = Machine(server, "ruled").held("rules", tool_name="Bash", tool_input={"command": "make check"})
        self.addCleanup(hold.is_over.set)
        page.goto(server.url + "/#/")
        card(page, "rules").get_by_role("button", name="Allow for this session").click()
        hold.result()
        self.visit("rules")
        rule = page.get_by_role("list", name="Rules").get_by_role("listitem").filter(has_text="Bash(make check)").first
        expect(rule).to_contain_text("Exactly this command")
        rule = page.locator("ul[aria-label=Rules] > li").filter(has_text="Bash(make check)")
        expect(rule).to_contain_text("Allowed by you, for this session")
        expect(rule).to_contain_text("ruled")

    def test_what_the_approvals_file_of_a_machine_says(self):
        filed = Machine(server, "filed")

        def report(approvals):
            answer = server.client(filed.key).request("POST", "/api/heartbeat", {"sessions": [], "approvals": approvals})
            self.assertEqual(answer.status, 202, answer)
            page.reload()
        self.visit("rules")
        report({"exists": True, "rules": [{"line": 2, "words": {"tool": "Bash", "risk": "read,edit", "who": "answer", "hold": "600"}},
                                          {"line": 4, "words": {"who": "off", "new_key": "<b>x</b>"}}]})
        machine = page.locator("details").filter(has_text="filed")
        machine.get_by_text("filed", exact=True).click()
        for row in ("2 tool Bash · risk read, edit devices may answer · for 600 s", "4 everything devices are not notified · new_key=<b>x</b>",
                    "everything else devices may answer for an hour"):
            machine.get_by_role("row", name=row).wait_for()
        report({"exists": True, "flaw": 'line 1: "x" is no key', "rules": []})
        machine.get_by_text("filed", exact=True).click()
        machine.get_by_text('no device may answer: line 1: "x" is no key').wait_for()
        self.assertEqual(machine.get_by_role("table").count(), 0)

    def test_about_tells_version_health_and_delay(self):
        self.visit("about")
        page.get_by_text("healthy").first.wait_for()
        page.get_by_text("This page").locator("+ dd").filter(has_text="live").wait_for()

    def test_figures_have_a_table_behind_each_chart(self):
        page.goto(server.url + "/#/figures")
        figure = page.get_by_role("region", name="By day")
        figure.get_by_text("Table").click()
        figure.get_by_role("rowheader").first.wait_for()
        with page.expect_download() as download:
            figure.get_by_role("button", name="Save as CSV").click()
        lines = download.value.path().read_text().splitlines()
        self.assertEqual((lines[0], len(lines)), ("Day,Cost,Tokens", 31))


class Reader(unittest.TestCase):
    def test_the_command_to_run_instead(self):
        reader = browser.person(server)
        self.addCleanup(reader.close)
        for name, command in (("machines", "monitorctl key create"), ("devices", "monitorctl device revoke ID"),
                              ("audit", "monitorctl device grant")):
            reader.page.goto(f"{server.url}/#/settings/{name}")
            reader.page.get_by_text(command).first.wait_for()
        self.assertEqual(reader.page.get_by_role("button", name="Create key").count(), 0)
        reader.check()


if __name__ == "__main__":
    unittest.main()
