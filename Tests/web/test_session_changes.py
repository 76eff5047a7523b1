"""The changes of a session in the web app: what the server tells of them, file by file."""

import json
import re
import unittest
import urllib.parse

from playwright.sync_api import expect
from web import DESK, PHONE, Browser, Server, intercept
import agents  # From the system tests, which `web` adds to the path.
from accessible import Scanned
from scenes import Machine

HUNK = "@@ -{0},3 +{0},3 @@ func split()\n one\n-share = {0}\n+share = <b>{0}</b>\n three\n"


def setUpModule():
    global server, browser, person, told, agent
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    person = browser.person(server)
    machine = Machine(server, "mac-studio")
    agent = agents.Agent(server, machine.key).greet()
    told = machine.session("shop").start(60).asks("Split refunds exactly", 50)
    told.does("Edit", {"filePath": told.directory + "/src/split.ts", "structuredPatch": [{
        "oldStart": 200, "oldLines": 1, "newStart": 200, "newLines": 1, "lines": ["-share = 200", "+share = <b>200</b>"]}]},
        40, file_path=told.directory + "/src/split.ts", old_string="share = 200", new_string="share = <b>200</b>")
    told.stops("Done.", 5)


def tearDownModule():
    agent.close()
    person.close()
    server.end()


def file(path, status="modified", by="session", **more):
    return {"path": path, "status": status, "additions": 2, "deletions": 2, "binary": False, "old_mode": "100644",
            "new_mode": "100644", "by": by, **more}


FILES = [file("docs/logo.png", "added", "unknown", additions=None, deletions=None, binary=True),
         file("odd\u202egpj.txt", "deleted", "other"), file("src/split.ts"), file("src/util.ts", "renamed", old_path="src/tools.ts")]


class Changes(Scanned):
    def setUp(self):
        self.addCleanup(person.check)
        self.page = person.page
        self.page.goto("about:blank")
        self.page.set_viewport_size(DESK)
        self.answer = {"session_id": told.id, "repo_root": told.directory, "complete": True, "reason": None,
                       "base": {"taken_at": "2026-07-01T12:00:00.120Z", "branch": "main"},
                       "end": {"taken_at": "2026-07-01T12:07:31.870Z", "at": "stop"},
                       "totals": {"files": 4, "added": 1, "modified": 1, "deleted": 1, "renamed": 1, "additions": 6, "deletions": 6,
                                  "binary": 1}, "files": FILES, "has_more": False, "next_cursor": None}
        self.status = 200
        self.serve(self.page)

    def serve(self, page):
        intercept(page, re.compile(f"/v1/sessions/{told.id}/changes"), self.reply)
        self.addCleanup(page.unroute_all)

    def reply(self, route):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(route.request.url).query)
        body = dict(self.answer)
        if "path" in query and self.status == 200:
            found = [dict(one) for one in FILES if one["path"] == query["path"][0]]
            for one in found:
                isRest = "offset" in query
                one.update(header="", is_truncated=not isRest, next_offset=None if isRest else 2,
                           hunks=[HUNK.format(400)] if isRest else [HUNK.format(100), HUNK.format(200)])
                if one["binary"]:
                    one.update(hunks=[], is_truncated=False, next_offset=None)
            body["files"] = found
        route.fulfill(status=self.status, content_type="application/json", body=json.dumps(body))

    def go(self, query="", page=None):
        (page or self.page).goto(f"{server.url}/#/changes/{told.id}{query}")

    def rows(self, page=None):
        return (page or self.page).get_by_role("list", name="Changed files").get_by_role("link")

    def test_the_files_with_their_counts(self):
        self.page.goto(f"{server.url}/#/s/{told.id}")
        self.page.get_by_role("link", name="Changes", exact=True).click()
        self.page.get_by_text("4 files").wait_for()
        expect(self.rows()).to_have_count(4)
        self.rows().filter(has_text="RLO").get_by_text("by others").wait_for()
        self.rows().filter(has_text="util.ts").get_by_text("src/tools.ts").wait_for()
        self.look(self.page, "the changed files")
        self.rows().filter(has_text="logo.png").click()
        self.page.get_by_text("No text: the difference is not shown.").wait_for()
        self.rows().filter(has_text="split.ts").click()
        self.page.get_by_text("<b>100</b>").wait_for()
        self.page.get_by_role("button", name="Read on").click()
        self.page.get_by_text("<b>400</b>").wait_for()
        expect(self.page.locator(".hunk")).to_have_count(3)
        self.look(self.page, "a change")
        self.page.go_back()
        self.page.get_by_text("No text: the difference is not shown.").wait_for()

    def test_from_the_timeline_to_the_change(self):
        self.page.goto(f"{server.url}/#/s/{told.id}")
        self.page.get_by_role("region", name="Timeline").get_by_role("link", name="src/split.ts").click()
        self.page.wait_for_url("**line=200*")
        self.page.get_by_text("<b>200</b>").wait_for()
        self.page.get_by_role("link", name="Open the file").wait_for()

    def test_on_a_phone_by_thumb(self):
        phone = browser.person(server, viewport={"width": 390, "height": 460}, scheme="dark", has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        self.serve(phone.page)
        self.go(page=phone.page)
        self.rows(phone.page).filter(has_text="split.ts").click()
        phone.page.get_by_text("<b>100</b>").wait_for()
        step = phone.page.get_by_role("button", name="Next change")
        self.assertGreaterEqual(step.bounding_box()["height"], 44)
        self.look(phone.page, "a change on a phone")
        for _ in range(5):
            # The page itself knows at once where it is.
            if "util.ts" in phone.page.evaluate("location.hash"):
                break
            step.click()
        phone.page.wait_for_url("**util.ts*")
        self.assertLessEqual(phone.page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        phone.page.go_back()
        self.rows(phone.page).first.wait_for()
        phone.check()

    def test_as_the_machine_told_it_last(self):
        self.answer.update(is_last_known=True, age_seconds=3 * 3600 + 60, has_more=True)
        self.go()
        self.page.get_by_text("As the machine told it last, 3 h ago").wait_for()
        self.page.get_by_role("alert").get_by_text("not connected").first.wait_for()
        expect(self.rows()).to_have_count(4)
        expect(self.page.get_by_role("button", name="Show more")).to_have_count(0)
        self.look(self.page, "the changes that are known")
        # As soon as the agent is back, they are read anew.
        del self.answer["is_last_known"]
        self.answer["has_more"] = False
        expect(self.page.get_by_text("As the machine told it last")).to_have_count(0)
        expect(self.page.get_by_role("alert")).to_have_count(0)

    def test_what_is_missing(self):
        self.answer.update(complete=False, reason="baseline_late")
        self.go()
        self.page.get_by_text("Its beginning was recorded late").wait_for()
        self.answer = {"error": {"code": "no_changes", "message": "The agent has no baseline."}}
        self.status = 404
        self.page.get_by_role("button", name="Refresh").click()
        self.page.goto("about:blank")
        self.go()
        self.page.get_by_text("There is no change set of this session.").wait_for()
        self.page.get_by_text("The agent has no baseline.").wait_for()


if __name__ == "__main__":
    unittest.main()
