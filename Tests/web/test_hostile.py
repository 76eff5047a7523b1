"""Hostile text in every field does nothing: the page shows it, and a person sees what it contains."""

import datetime
import hashlib
import json
import unittest
import uuid

from scenes import Machine
from web import Browser, Client, Server, card, prompts, row, wait_for

SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script><a href='javascript:alert(3)'>x</a>"
BIDI = "safe\u202e gpj.exe\u2066\u200b\x1b[31mred\x07"


def setUpModule():
    global server, browser
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


class Inert(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.page = self.person.page
        # All lines of a transcript have the same time, so only their position in the file shows the order.
        now = datetime.datetime.now(datetime.timezone.utc)
        self.now = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.dialogs = []
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def tearDown(self):
        self.assertEqual(self.dialogs, [])
        self.assertEqual(self.page.locator("#root script, #root img[src=x], #root a[href^=javascript]").count(), 0)
        self.person.check()

    def told(self, name):
        machine = Machine(server, f"m {uuid.uuid4().hex[:6]} {SCRIPT[:40]}")
        told = machine.session("")
        told.directory = f"/src/{SCRIPT.replace('/', '')}{BIDI.replace(chr(27), '')}{name}"
        return told

    def test_in_the_list_and_the_timeline(self):
        told = self.told("listed").start(50, model=SCRIPT)
        told.asks(SCRIPT + BIDI, 40)
        told.does("Bash", {"stdout": SCRIPT + BIDI + "\x1b[1mbold", "stderr": SCRIPT}, 30, command=SCRIPT + BIDI, description=SCRIPT)
        told.does(SCRIPT, [{"type": "text", "text": SCRIPT}, {"type": "image", "source": {
            "media_type": "image/svg+xml", "data": "PHN2Zz4="}}], 25, **{SCRIPT: SCRIPT})
        told.fails("Edit", SCRIPT, 20, file_path=SCRIPT, old_string=SCRIPT, new_string=BIDI)
        told.stops(f"# {SCRIPT}\n\n- {SCRIPT}\n\n```html\n{SCRIPT}\n```\n[link](javascript:alert(4)) **{SCRIPT}**", 10)
        self.page.get_by_role("listitem").filter(has_text="listed").wait_for()
        self.page.goto(f"{server.url}/#/s/{told.id}")
        self.page.get_by_text("<script>alert(2)</script>").first.wait_for()
        self.assertIn("RLO", self.page.locator(".ev.you").inner_text())

    def test_in_questions_and_forms(self):
        told = self.told("question").start(5)
        told.needs("AskUserQuestion", 0, questions=[{"question": SCRIPT + BIDI, "header": SCRIPT, "multiSelect": True, "options": [
            {"label": SCRIPT, "description": BIDI}, {"label": BIDI, "description": SCRIPT}]}])
        other = self.told("form").start(5)
        other.post(("Elicitation", {"mcp_server_name": SCRIPT, "message": SCRIPT + BIDI, "mode": "form", "requested_schema": {
            "type": "object", "properties": {SCRIPT: {"type": "string", "title": SCRIPT, "description": BIDI}}}}))
        plan = self.told("plan").start(5)
        plan.needs("ExitPlanMode", 0, plan=f"# {SCRIPT}\n{BIDI}")
        self.page.get_by_role("article").nth(2).wait_for()

    def test_in_questions_and_forms_that_can_be_answered(self):
        machine = Machine(server, f"held {SCRIPT[:30]}")
        holds = [
            machine.held("hostile-a", tool_name="AskUserQuestion", tool_input={"questions": [{
                "question": SCRIPT + BIDI, "header": SCRIPT, "multiSelect": True, "options": [
                    {"label": SCRIPT, "description": BIDI}, {"label": BIDI, "description": SCRIPT}]}]}),
            machine.held("hostile-b", "Elicitation", mcp_server_name=SCRIPT, message=SCRIPT + BIDI, mode="form", requested_schema={
                "type": "object", "properties": {"a": {"type": "string", "title": SCRIPT, "description": BIDI},
                                                 "b": {"type": "string", "enum": [BIDI, SCRIPT], "title": "Choice"}}}),
            machine.held("hostile-c", tool_name=SCRIPT[:40], tool_input={SCRIPT: BIDI})]
        for hold in holds:
            self.addCleanup(hold.is_over.set)
        # All are there before one is opened: under the pointer the list would stay as it is.
        for project in ("hostile-a", "hostile-b", "hostile-c"):
            prompts(self.page, project).first.wait_for()
        for project, text in (("hostile-a", "Send answer"), ("hostile-b", "Submit"), ("hostile-c", "Allow once")):
            prompt = card(self.page, project)
            prompt.get_by_role("button", name=text).wait_for()
            self.assertIn("RLO", prompt.inner_text())
            self.assertNotIn("\u202e", prompt.inner_text())
        choice = card(self.page, "hostile-b").get_by_role("combobox", name="Choice")
        self.assertIn("⟨RLO⟩", choice.inner_text())

    def test_in_machines_reasons_and_filters(self):
        machine = Machine(server, f"box {BIDI[:14]}{uuid.uuid4().hex[:4]}")
        for project in ("one", "two", "three", f"four{BIDI[:14]}"):
            machine.session(project).start(20).asks("Go", 15)
        told = machine.session("reasons").start(20).asks("Go", 15)
        told.post(("StopFailure", {"error": BIDI, "last_assistant_message": SCRIPT}), ago=5)
        row(self.page, "reasons").get_by_text("Stopped:").wait_for()
        for place in (row(self.page, "reasons"), self.page.get_by_role("combobox", name="Machine"),
                      self.page.get_by_role("combobox", name="Project"), self.page.get_by_role("region", name="Machines")):
            wait_for(lambda: "RLO" in place.inner_text(), f"what is hidden is named in {place}")
            self.assertNotIn("\u202e", place.inner_text())
        told.post(("SessionEnd", {"reason": BIDI}))
        self.page.goto(f"{server.url}/#/s/{told.id}")
        ended = self.page.get_by_role("complementary").get_by_text("Ended:")
        ended.wait_for()
        self.assertNotIn("\u202e", ended.inner_text())

    def test_a_line_of_megabytes_does_not_stop_the_page(self):
        told = self.told("huge").start(5).asks("Print it", 4)
        told.does("Bash", {"stdout": "x" * 2_000_000 + "\n" + "y\n" * 100_000, "stderr": ""}, 0, command="cat big")
        self.page.goto(f"{server.url}/#/s/{told.id}")
        self.page.get_by_text("cat big").wait_for()
        self.assertLess(len(self.page.locator(".ev .output").inner_text()), 20_000)
        self.page.get_by_role("textbox", name="Message").fill("The page still listens")

    def transcript(self, told, *lines):
        """The transcript of a session, posted in pieces as a machine does."""
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        headers = {"X-Transcript-Path": f"/home/ana/.claude/{told.id}.jsonl", "X-Transcript-Session": told.id,
                   "X-Transcript-Prefix": hashlib.sha256(data[:4096]).hexdigest(), "Content-Type": "application/x-ndjson"}
        for offset in range(0, len(data), 1 << 20):
            answer = Client(server.address, told.machine.key, timeout=60).request(
                "POST", "/api/transcripts", data[offset:offset + (1 << 20)], {**headers, "X-Transcript-Offset": str(offset)})
            self.assertEqual(answer.status, 202, answer)

    def line(self, told, *blocks, kind="assistant"):
        return {"type": kind, "sessionId": told.id, "uuid": str(uuid.uuid4()), "timestamp": self.now, "cwd": "/src", "gitBranch": SCRIPT,
                "version": "2.1.329", "isSidechain": False, "requestId": f"req_{uuid.uuid4()}", "message": {
                    "id": f"msg_{uuid.uuid4()}", "type": "message", "role": kind, "model": SCRIPT, "content": list(blocks),
                    "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 2}}}

    def test_in_transcripts_with_a_line_of_ten_megabytes(self):
        told = self.told("transcript").start(5).asks("Think", 4)
        self.transcript(
            told, self.line(told, {"type": "thinking", "thinking": SCRIPT + BIDI, "signature": ""}),
            self.line(told, {"type": "text", "text": "z" * 10_000_000}),
            self.line(told, {"type": "image", "source": {"type": "base64", "media_type": SCRIPT, "data": SCRIPT}}, kind="user"),
            self.line(told, {"type": "text", "text": f"# {SCRIPT}\n\n[x](javascript:alert(5)) ![y](https://evil.example/p.png)"}))
        self.page.goto(f"{server.url}/#/s/{told.id}")
        timeline = self.page.get_by_role("region", name="Timeline")
        timeline.get_by_text("javascript:alert(5)").wait_for()
        self.assertLess(len(timeline.inner_text()), 60_000)
        # The long line fills a page of its own, which comes after that of the last line.
        wait_for(lambda: timeline.evaluate("(element) => element.scrollTop") > 0, "more than fits into the view")
        thinking = timeline.get_by_text("Thinking")
        # What is read before the first line in view keeps that line in its place.
        top = "(element) => element.scrollTop = 0"
        wait_for(lambda: timeline.evaluate(top) == 0 and thinking.count(), "the first line is shown")
        thinking.click()
        timeline.locator(".thinking").get_by_text("RLO").wait_for()
        self.page.get_by_role("textbox", name="Message").fill("The page still listens")

    def test_in_search_and_settings(self):
        told = self.told("found").start(5).asks(f"needle {SCRIPT} {BIDI}", 4)
        self.page.goto(f"{server.url}/#/search?q=needle")
        self.page.get_by_role("list", name="Results").get_by_text("<script>").first.wait_for()
        device = browser.person(server, pair=False)
        self.addCleanup(device.close)
        status = device.open().evaluate("""async ([secret, name]) => (await fetch("web/session", {
            method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({secret, name})})).status""",
            [device.link().partition("#")[2], SCRIPT[:80]])
        self.assertEqual(status, 200)
        for name, text in (("devices", SCRIPT[:30]), ("machines", SCRIPT[:20])):
            self.page.goto(f"{server.url}/#/settings/{name}")
            self.page.locator(".rows").get_by_text(text).first.wait_for()
        self.assertIsNotNone(told)

    def test_right_to_left_text_keeps_to_itself(self):
        told = self.told("rtl").start(5).asks("תקן את העיגול של החזרים חלקיים בבקשה", 4)
        self.page.goto(f"{server.url}/#/s/{told.id}")
        said = self.page.locator(".ev.you .said")
        said.wait_for()
        self.assertEqual(said.evaluate("(element) => getComputedStyle(element).direction"), "rtl")


if __name__ == "__main__":
    unittest.main()
