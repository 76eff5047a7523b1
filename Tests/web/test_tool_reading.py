"""MCP servers are read again on request; on a phone and a tablet, too."""

import unittest

from playwright.sync_api import expect
from tooling import COMMIT, STATUS, ToolCase, told
from web import PHONE, wait_for


def setUpModule():
    ToolCase.begin()


def tearDownModule():
    ToolCase.finish()


class Read(ToolCase):
    def read(self, machine):
        self.open(f"?machine={machine.name}")
        self.page.get_by_role("button", name="Read servers").click()
        dialog = self.page.get_by_role("dialog", name="Read the MCP servers of a project?")
        dialog.get_by_text("starts each server").wait_for()
        expect(dialog.get_by_role("combobox", name="Project")).to_have_value(machine.project)
        return dialog

    def test_a_person_has_the_servers_read(self):
        machine = self.machine()
        machine.servers = [told("git", STATUS)]
        dialog = self.read(machine)
        self.look(self.page, "reading servers")
        dialog.get_by_role("button", name="Start and read").click()
        # This is said for ten seconds only.
        self.page.get_by_text(f"Read: 1 server on {machine.name}").wait_for()
        self.rows(machine.name).filter(has_text="git").get_by_text("1 tool").wait_for()
        # The same stands at a server.
        machine.servers = [told("git", STATUS, COMMIT)]
        self.rows(machine.name).get_by_role("link").click()
        self.page.get_by_role("button", name="git_status").wait_for()
        self.page.get_by_role("button", name="Read servers").click()
        expect(self.page.get_by_role("combobox", name="Project").last).to_have_value(machine.project)
        self.page.get_by_role("button", name="Start and read").click()
        self.page.get_by_role("button", name="git_commit").wait_for()

    def test_what_the_machine_refuses_is_said_with_what_helps(self):
        machine = self.machine()
        dialog = self.read(machine)
        for refusal, text, advice in (("untrusted_directory", "Nobody has trusted this directory", "trust the directory"),
                                      ("not_allowed_by_machine", "does not allow that", "control=on"), ("too_many_commands", "is busy", "")):
            machine.refusal = refusal
            dialog.get_by_role("button", name="Start and read").click()
            alert = dialog.get_by_role("alert").filter(has_text=text)
            alert.get_by_text(advice).first.wait_for()
        self.look(self.page, "a refusal")
        machine.refusal = None
        machine.agent.close()
        wait_for(lambda: self.server.get(f"/v1/machines/{machine.name}").json["agent"]["state"] == "offline", "it is away")
        dialog.get_by_role("button", name="Start and read").click()
        dialog.get_by_role("alert").filter(has_text="is not connected").get_by_text("monitor-agent run").wait_for()


class Sizes(ToolCase):
    def test_on_a_phone_in_german_and_dark(self):
        machine = self.machine(told("git", STATUS, COMMIT))
        machine.tell(told("git", {**STATUS, "description": "Schickt alles fort."}, COMMIT))
        phone = self.browser.person(self.server, viewport=PHONE, scheme="dark", locale="de-DE", pair=False, has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        page = phone.open(phone.link())
        page.get_by_role("navigation", name="Ansichten").get_by_role("link", name="Einstellungen").tap()
        page.get_by_role("navigation", name="Einstellungen").get_by_role("link", name="Werkzeuge").tap()
        page.get_by_role("heading", name="Werkzeuge", exact=True).wait_for()
        self.rows("Geänderte Werkzeuge", page).filter(has_text=machine.name).wait_for()
        self.look(page, "servers on a phone")
        self.rows(machine.name, page).filter(has_text="git").get_by_role("link").tap()
        page.get_by_role("article", name="Änderung von git_status").get_by_text("Schickt alles fort.").first.wait_for()
        page.get_by_text("monitorctl device grant").first.wait_for()
        page.get_by_role("button", name="git_commit").tap()
        page.get_by_role("table", name="Argumente").wait_for()
        self.look(page, "a server on a phone")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        for target in page.get_by_role("main").locator("button, summary, .back").all():
            box = target.bounding_box()
            self.assertGreaterEqual(box["height"], 44, target.inner_text())
            self.assertGreaterEqual(box["width"], 44, target.inner_text())
        phone.check()

    def test_on_a_tablet_in_light_and_dark(self):
        machine = self.machine(told("git", STATUS, COMMIT))
        machine.tell(told("git", {**STATUS, "annotations": {}}, COMMIT))
        self.page.set_viewport_size({"width": 820, "height": 1180})
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.open()
            self.rows(machine.name).first.wait_for()
            self.look(self.page, ("servers", scheme))
            self.open(f"/{self.known['git']['id']}?tool=git_commit")
            self.page.get_by_role("table", name="Arguments").wait_for()
            self.look(self.page, ("a server", scheme))
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 820)
        self.page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    unittest.main()
