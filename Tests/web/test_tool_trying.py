"""A tool is tried from the page: a form from its schema, what does not fit, and what becomes of the call."""

import json
import unittest

from playwright.sync_api import expect
from tooling import SCHEMA, ToolCase, told
from web import intercept

PROBE = {"name": "probe", "description": "Probes.", "inputSchema": {**SCHEMA, "properties": {
    **SCHEMA["properties"], "deep": {"type": "boolean"}, "mode": {"enum": ["fast", "safe"], "default": "safe"},
    "depth": {"type": "integer", "minimum": 1, "maximum": 5}}}}
CALL = "0195aaaa-0000-7000-8000-000000000001"
RESULT = {"tool": "lab.probe", "call_id": CALL, "is_error": False, "duration_ms": 132, "approved_by": "device:9", "prompt_id": "prm_1",
          "content": [{"type": "text", "text": "<b>clean</b>"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}],
          "structured_content": {"clean": True}}


def setUpModule():
    ToolCase.begin()


def tearDownModule():
    ToolCase.finish()


class Tried(ToolCase):
    def setUp(self):
        super().setUp()
        self.desk = self.machine(told("lab", PROBE))
        self.bodies, self.answers, self.calls = [], [], []
        self.addCleanup(self.page.unroute_all)

    def form(self):
        """The form, whose calls the test answers in place of the server."""
        intercept(self.page, "**/v1/tools/*/execute", lambda route: self.reply(route, self.answers))
        intercept(self.page, "**/v1/tools/calls/*", lambda route: self.reply(route, self.calls))
        self.open(f"/{self.known['lab']['id']}?tool=probe")
        self.page.get_by_text("Try it", exact=True).click()
        main = self.page.get_by_role("main")
        expect(main.locator("form").get_by_role("combobox", name="Project")).to_have_value(self.desk.project)
        return main

    def reply(self, route, answers):
        if route.request.method == "POST":
            self.bodies.append((route.request.url.split("/")[-2], json.loads(route.request.post_data)))
        status, body = answers.pop(0)
        route.fulfill(status=status, content_type="application/json", body=json.dumps(body))

    def test_the_arguments_have_the_types_of_the_schema(self):
        main = self.form()
        main.get_by_text("whoever calls a tool does not approve it").wait_for()
        self.look(self.page, "a tool to try")
        main.get_by_role("button", name="Run").click()
        path = main.get_by_role("textbox", name="path", exact=False).first
        expect(path).to_be_focused()
        main.get_by_text("This is required.").wait_for()
        path.fill("src")
        main.get_by_role("textbox", name="depth").fill("9")
        main.get_by_text("At most 5.").wait_for()
        main.get_by_role("textbox", name="depth").fill("2")
        main.get_by_role("textbox", name="paths").fill("a\nb c\n")
        main.get_by_role("textbox", name="filter").fill('{"author": ')
        main.get_by_text("This is no JSON.").wait_for()
        self.look(self.page, "a form with a fault")
        main.get_by_role("textbox", name="filter").fill('{"author": "ana"}')
        main.get_by_role("combobox", name="deep").select_option("no")
        self.answers.append((200, RESULT))
        main.get_by_role("button", name="Run").click()
        main.get_by_text("The tool has answered").wait_for()
        main.get_by_text("0.1 s · approved by device:9").wait_for()
        main.get_by_text("<b>clean</b>").wait_for()
        self.look(self.page, "a result")
        self.assertEqual(self.bodies, [(f"{self.known['lab']['id']}.probe", {
            "project_id": self.desk.project, "wait": 300, "arguments": {
                "path": "src", "depth": 2, "paths": ["a", "b c"], "filter": {"author": "ana"}, "deep": False, "mode": "safe"}})])

    def test_a_call_that_takes_long_is_followed(self):
        main = self.form()
        main.get_by_role("textbox", name="path", exact=False).first.fill("src")
        self.answers.append((202, {"call_id": CALL, "status": "waiting"}))
        self.calls += [(503, {"error": {"code": "database_unavailable", "message": "Later."}}),
                       (200, {"call_id": CALL, "status": "completed", "is_error": True, "content": [{"type": "text", "text": "no such path"}]})]
        main.get_by_role("button", name="Run").click()
        main.get_by_text("A person is asked, on another device than this.").wait_for()
        main.get_by_text("The tool reports an error").wait_for()
        main.get_by_text("no such path").wait_for()

    def test_what_ends_a_call_is_said(self):
        main = self.form()
        main.get_by_role("textbox", name="path", exact=False).first.fill("src")
        for code, message, text in (("denied_by_person", "Not on Fridays.", "Not on Fridays."), ("approval_expired", "", "Nobody approved the call in time"),
                                    ("not_allowed_by_machine", "", "does not allow that"), ("outcome_unknown", "", "It is not known whether the tool ran")):
            self.answers.append((403, {"error": {"code": code, "message": message}}))
            main.get_by_role("button", name="Run").click()
            main.get_by_role("alert").get_by_text(text).wait_for()

    def test_a_browser_without_control_reads_why(self):
        reader = self.browser.person(self.server)
        self.addCleanup(reader.close)
        self.open(f"/{self.known['lab']['id']}?tool=probe", reader.page)
        reader.page.get_by_text("Try it", exact=True).click()
        reader.page.get_by_text("To run a tool takes control").wait_for()
        expect(reader.page.get_by_role("button", name="Run")).to_have_count(0)
        reader.check()


if __name__ == "__main__":
    unittest.main()
