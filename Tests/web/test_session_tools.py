"""The tools of one session, switched on the page, and the calls that were asked for, with who approved them."""

import unittest
import uuid

from playwright.sync_api import expect
from tooling import COMMIT, STATUS, ToolCase, told
from web import Client, wait_for
from agents import LATER, Refusal  # From the system tests, which `web` adds to the path.
from harness import envelope, hook


def setUpModule():
    ToolCase.begin()


def tearDownModule():
    ToolCase.finish()


class WithSession(ToolCase):
    """A session of a machine's agent, in whose directory there are two servers; nothing tells the tools of one of them."""

    def setUp(self):
        super().setUp()
        self.desk = self.machine(told("git", STATUS, COMMIT), told("far", state="unlisted", reason="remote", transport="http"))
        self.chosen, self.sent, self.refusal = self.desk.session.id, [], None
        self.desk.agent.answers.update({"session/tools": self.limit, "mcp/ask": lambda params: LATER})

    def drive(self):
        """The agent runs a session in the directory, which is the one that the test opens."""
        answer = self.server.client().request("POST", "/v1/sessions", {"machine_id": self.desk.name, "path": self.desk.path})
        self.assertEqual(answer.status, 201, answer)
        self.chosen = answer.json["session_id"]
        wait_for(lambda: self.server.get(f"/v1/sessions/{self.chosen}").json.get("runner") == "agent", "the agent's session")

    def limit(self, params):
        if self.refusal:
            raise Refusal(self.refusal)
        self.sent.append((params.get("enabled_servers"), params.get("enabled_tools")))
        return {"denied": [], "lasting": True}

    def open_session(self, page=None):
        self.open(f"/session/{self.chosen}", page)
        servers = self.rows("Servers of the session", page)
        servers.filter(has_text="git").first.wait_for()
        return (page or self.page).get_by_role("main")

    def execute(self):
        """The operator asks for a call, which waits for a person."""
        client = Client(self.server.address, self.server.admin, timeout=60)
        self.addCleanup(client.close)
        answer = client.request("POST", "/v1/tools/git.git_status/execute", {"session_id": self.chosen, "wait": 0})
        self.assertEqual(answer.status, 202, answer)
        return answer.json["call_id"]

    def deny(self):
        self.desk.agent.taken(0)
        self.desk.agent.send({"jsonrpc": "2.0", "id": self.desk.agent.waiting[0][0],
                              "error": {"code": -32005, "message": "Not on Fridays.", "data": {"reason": "denied_by_person"}}})


class Switched(WithSession):
    def test_servers_and_tools_are_switched(self):
        self.drive()
        main = self.open_session()
        save = main.get_by_role("button", name="Save", exact=True)
        expect(save).to_be_disabled()
        git = self.rows("Servers of the session").filter(has_text="git").first
        git.get_by_text("2 of 2").wait_for()
        git.get_by_text("Tools of the server").click()
        git.get_by_role("checkbox", name="git_commit").uncheck()
        git.get_by_text("1 of 2").wait_for()
        main.get_by_text("Not all tools of far are known here.").wait_for()
        self.look(self.page, "tools of a session")
        main.get_by_role("checkbox", name="far", exact=False).uncheck()
        expect(main.get_by_text("Not all tools of far are known here.")).to_have_count(0)
        save.click()
        main.get_by_text("Set by This browser").wait_for()
        self.assertEqual(self.sent, [(["git"], ["git.git_status"])])
        self.page.reload()
        git.get_by_text("1 of 2").wait_for()
        expect(main.get_by_role("checkbox", name="far", exact=False)).not_to_be_checked()
        main.get_by_role("button", name="Leave everything").click()
        git.get_by_text("2 of 2").wait_for()
        self.assertEqual(self.sent[1:], [(None, None)])

    def test_what_the_session_refuses_is_said_and_stays_to_be_sent(self):
        self.drive()
        main = self.open_session()
        self.refusal = "mcp_server_not_found"
        main.get_by_role("checkbox", name="far", exact=False).uncheck()
        main.get_by_role("button", name="Save", exact=True).click()
        main.get_by_role("alert").get_by_text("The session no longer has one of these servers.").wait_for()
        expect(main.get_by_role("checkbox", name="far", exact=False)).not_to_be_checked()
        self.refusal = None
        main.get_by_role("button", name="Save", exact=True).click()
        main.get_by_text("Set by This browser").wait_for()
        self.assertEqual(self.sent, [(["git"], None)])

    def test_a_session_of_a_terminal_only_shows(self):
        main = self.open_session()
        main.get_by_text("A terminal or another program runs this session").wait_for()
        expect(main.get_by_role("checkbox", name="far", exact=False)).to_be_disabled()
        expect(main.get_by_role("button", name="Save", exact=True)).to_have_count(0)

    def test_a_browser_without_control_reads_why(self):
        self.drive()
        reader = self.browser.person(self.server)
        self.addCleanup(reader.close)
        main = self.open_session(reader.page)
        main.get_by_text("To switch tools takes control").wait_for()
        expect(main.get_by_role("button", name="Save", exact=True)).to_have_count(0)
        reader.check()


class Called(WithSession):
    def test_a_call_is_followed_in_the_lists(self):
        self.drive()
        self.execute()
        main = self.open_session()
        calls = self.rows("Calls")
        calls.get_by_text("waits for a person").wait_for()
        calls.get_by_text("asked for by the operator").wait_for()
        self.deny()
        # The list is read again while a call waits.
        calls.get_by_text("denied · Not on Fridays.").wait_for()
        main.get_by_role("link", name="Back to the session").wait_for()
        self.open(f"/calls?machine={self.desk.name}")
        calls.get_by_text(f"{self.desk.name} · asked for by the operator").wait_for()
        self.page.get_by_text("Numbers", exact=True).click()
        numbers = self.page.get_by_role("table").get_by_role("row").filter(has_text="git.git_status")
        expect(numbers.get_by_role("cell").nth(0)).to_have_text("1")
        self.page.get_by_role("button", name="By server").click()
        expect(numbers).to_have_count(0)
        self.page.get_by_role("table").get_by_role("row").filter(has_text=f"git · {self.desk.name}").wait_for()
        self.look(self.page, "calls of tools")
        self.page.get_by_role("combobox", name="State").select_option("completed")
        self.page.wait_for_url("**status=completed")
        self.page.get_by_text("There is no call.").wait_for()
        self.page.go_back()
        expect(calls).to_have_count(1)

    def test_the_card_says_who_asks(self):
        self.drive()
        call = self.execute()
        self.desk.agent.taken(0)
        event = envelope(dict(hook("PermissionRequest", self.chosen, tool_name="mcp__git__git_status", tool_input={"path": "."},
                                   tool_use_id="toolu_monitor_" + call), cwd=self.desk.path))
        self.desk.agent.open_prompt(self.chosen, event, str(uuid.uuid4()))
        self.page.goto(f"{self.server.url}/#/s/{self.chosen}")
        self.page.get_by_text("The operator asks for this call, not the session.").wait_for()
        self.look(self.page, "a call that the operator asks for")

    def test_the_tools_lead_to_the_calls(self):
        self.open()
        self.page.get_by_role("main").get_by_role("link", name="Calls", exact=True).click()
        self.page.get_by_role("heading", name="Calls", exact=True).wait_for()
        self.page.get_by_role("link", name="Back to the tools").click()
        self.page.get_by_role("heading", name="Tools", exact=True).wait_for()


if __name__ == "__main__":
    unittest.main()
