"""The rarer answers: changed rules and inputs, notes, a refusal that ends the turn; and what the machine forbids."""

import json
import re
import subprocess
import unittest
from pathlib import Path

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, card, row

ROOT = Path(__file__).resolve().parents[2]
NO_FILE = "always=no change_input=no after=ask"


def setUpModule():
    global server, browser, machine, person, page
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")
    person = browser.person(server)
    page = person.page


def tearDownModule():
    person.close()
    server.end()


class Case(unittest.TestCase):
    def setUp(self):
        page.goto(server.url + "/#/")
        self.addCleanup(person.check)

    def held(self, project, name="PermissionRequest", **fields):
        # The list of an untouched page may change, so the card appears at once.
        page.mouse.move(0, 0)
        page.reload()
        hold = machine.held(project, name, **fields)
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        return hold

    def bash(self, project, command="make clean", **fields):
        return self.held(project, tool_name="Bash", tool_input={"command": command, "description": "Clean"}, **fields)


class Permissions(Case):
    def test_without_an_approvals_file_nothing_is_allowed_for_ever_and_it_says_why(self):
        self.bash("fileless", policy=NO_FILE)
        prompt = card(page, "fileless")
        prompt.get_by_role("button", name="Info").click()
        prompt.get_by_text("Permanent rules are off on this machine").wait_for()
        self.assertTrue(prompt.get_by_role("button", name="Always allow").is_disabled())
        self.assertTrue(prompt.get_by_role("button", name="Allow for this session").is_enabled())
        self.assertEqual(prompt.get_by_role("button", name="Change and allow").count(), 0)

    def test_what_happens_if_nobody_answers_is_what_the_machine_says(self):
        self.bash("asking", policy="after=ask")
        card(page, "asking").get_by_role("button", name="Info").click()
        card(page, "asking").get_by_text(re.compile(r"If nobody answers until \d\d:\d\d, the terminal goes on asking")).wait_for()
        self.bash("denying", policy="after=deny")
        card(page, "denying").get_by_role("button", name="Info").click()
        card(page, "denying").get_by_text(re.compile(r"If nobody answers until \d\d:\d\d, this machine denies it")).wait_for()
        # The list does not change while the pointer is on it.
        page.mouse.move(0, 0)
        machine.session("unheld").start(5).needs("Bash", 0, command="ls")
        card(page, "unheld").get_by_text("This is answered at the terminal.").wait_for()
        self.assertNotRegex(card(page, "unheld").inner_text(), "until|If nobody")

    def test_a_rule_is_changed_before_it_is_added(self):
        hold = self.bash("widened")
        card(page, "widened").get_by_role("button", name="Always allow").click()
        dialog = page.get_by_role("dialog", name="Always allow")
        field = dialog.get_by_role("textbox", name="Bash with")
        field.fill("*")
        self.assertTrue(dialog.get_by_role("button", name="Confirm").is_disabled(), "a rule for all calls is none")
        field.fill("make:*")
        dialog.get_by_text("Bash(make:*)").wait_for()
        dialog.get_by_text("It may allow other calls than this one").wait_for()
        dialog.get_by_role("button", name="Confirm").click()
        update, = hold.decision()["updatedPermissions"]
        self.assertEqual((update["rules"], update["destination"]), ([{"toolName": "Bash", "ruleContent": "make:*"}], "localSettings"))

    def test_the_rule_that_is_shown_is_the_one_that_is_sent(self):
        """Of several suggestions, the page sends only the ones that the card shows."""
        rule = lambda name, where: {"type": "addRules", "rules": [{"toolName": name}], "behavior": "allow", "destination": where}
        local, user = rule("mcp__a__b", "localSettings"), rule("mcp__a__b", "userSettings")
        hold = self.held("suggested", tool_name="mcp__a__b", tool_input={"x": 1}, permission_suggestions=[user, local])
        card(page, "suggested").get_by_role("button", name="Always allow").click()
        page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        self.assertEqual(hold.decision()["updatedPermissions"], [local])

    def test_the_command_is_changed_where_the_machine_lets_it(self):
        hold = self.bash("changed", "rm -rf build", policy="change_input=yes after=ask")
        card(page, "changed").get_by_role("button", name="Change and allow").click()
        dialog = page.get_by_role("dialog", name="Change and allow")
        dialog.get_by_role("textbox", name="Command").fill("rm -rf build/cache")
        dialog.get_by_role("button", name="Run with this change").click()
        decision = hold.decision()
        self.assertEqual((decision["behavior"], decision["updatedInput"]["command"]), ("allow", "rm -rf build/cache"))

    def test_other_parameters_are_changed_as_json(self):
        hold = self.held("parameters", tool_name="WebFetch", tool_input={"url": "https://example.com/a"}, policy="change_input=yes after=ask")
        card(page, "parameters").get_by_role("button", name="Change and allow").click()
        dialog = page.get_by_role("dialog", name="Change and allow")
        field = dialog.get_by_role("textbox", name="Parameters as JSON")
        field.fill("[]")
        dialog.get_by_text("This is not a JSON object").wait_for()
        self.assertTrue(dialog.get_by_role("button", name="Run with this change").is_disabled())
        field.fill('{"url": "https://example.com/b"}')
        dialog.get_by_role("button", name="Run with this change").click()
        self.assertEqual(hold.decision()["updatedInput"], {"url": "https://example.com/b"})

    def test_a_refusal_that_ends_the_turn(self):
        hold = self.bash("stopped")
        card(page, "stopped").get_by_role("textbox", name="Reason").fill("Wrong branch")
        card(page, "stopped").get_by_role("button", name="Stop the turn").click()
        self.assertEqual(hold.decision(), {"behavior": "deny", "message": "Wrong branch", "interrupt": True})


class Others(Case):
    def test_a_plan_is_changed_and_approved(self):
        hold = self.held("replan", tool_name="ExitPlanMode", tool_input={"plan": "1. Touch a file.", "planFilePath": "/home/ana/x.md"})
        prompt = card(page, "replan")
        prompt.get_by_role("button", name="Edit the plan").click()
        prompt.get_by_role("textbox", name="Text of the plan").fill("1. Touch two files.")
        prompt.get_by_text("Claude gets the plan as you have changed it").wait_for()
        prompt.get_by_role("button", name="Approve", exact=True).click()
        self.assertEqual(hold.decision()["updatedInput"]["plan"], "1. Touch two files.")

    def test_edits_are_not_accepted_where_the_machine_keeps_what_they_permit(self):
        self.held("kept", policy=NO_FILE + " edits=no", tool_name="ExitPlanMode", tool_input={"plan": "1. Touch a file."})
        prompt = card(page, "kept")
        prompt.get_by_text("does not let devices answer for all that accepting edits permits").wait_for()
        self.assertTrue(prompt.get_by_role("button", name="Approve and accept edits").is_disabled())
        self.assertTrue(prompt.get_by_role("button", name="Approve", exact=True).is_enabled())

    def test_a_rule_is_not_changed_where_the_machine_keeps_other_calls_of_its_tool(self):
        self.bash("narrow", policy="always=yes after=ask rules=suggested")
        card(page, "narrow").get_by_role("button", name="Always allow").click()
        dialog = page.get_by_role("dialog", name="Always allow")
        dialog.get_by_text("Bash(make clean)").wait_for()
        self.assertEqual(dialog.get_by_role("textbox", name="Bash with").count(), 0)
        page.keyboard.press("Escape")

    def test_calls_with_an_exact_rule(self):
        """The same cases as for the hooks and the server."""
        script = subprocess.run(["esbuild", "--bundle", "--format=iife", "--global-name=rules", ROOT / "web/src/prompts/exact.ts"],
                                stdout=subprocess.PIPE, check=True, text=True).stdout
        with open(ROOT / "Tests/hooks/exact-cases.tsv", encoding="utf-8") as file:
            cases = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        calls = [{"tool_name": tool, "tool_input": json.loads(given)} for tool, given, _ in cases]
        found = page.evaluate("""([script, calls]) => {
            const { exactRule } = new Function(script + "; return rules")()
            return calls.map(exactRule).map((one) => one ? `${one.tool}(${one.content})` : "-")
        }""", [script, calls])
        self.assertEqual(found, [rule for _, _, rule in cases])

    def test_an_answer_with_a_note(self):
        hold = self.held("noted", tool_name="AskUserQuestion", tool_input={"questions": [{
            "question": "Which?", "header": "H", "multiSelect": False, "options": [{"label": "A"}, {"label": "B"}]}]})
        prompt = card(page, "noted")
        prompt.get_by_role("radio", name="A").check()
        prompt.get_by_role("button", name="Add a note").click()
        prompt.get_by_role("textbox", name="Note").fill("Only on weekdays")
        prompt.get_by_role("button", name="Send answer").click()
        given = hold.decision()["updatedInput"]
        self.assertEqual((given["answers"], given["annotations"]), ({"Which?": "A"}, {"Which?": {"notes": "Only on weekdays"}}))

    def test_an_address_is_shown_whole_and_opens_by_a_tap_alone(self):
        address = "https://login.example.com/device?code=7K3M&next=\u202egpj.exe"
        hold = self.held("addressed", "Elicitation", mcp_server_name="phone", message="Sign in to go on.", mode="url", url=address)
        prompt = card(page, "addressed")
        prompt.get_by_text("https://login.example.com/device?code=7K3M").wait_for()
        self.assertIn("RLO", prompt.inner_text())
        link = prompt.get_by_role("link", name="Open login.example.com")
        self.assertEqual((link.get_attribute("rel"), link.get_attribute("target")), ("noopener noreferrer", "_blank"))
        prompt.get_by_role("button", name="I have done it").click()
        self.assertEqual(hold.result()["hookSpecificOutput"]["action"], "accept")
        self.held("trapped", "Elicitation", mcp_server_name="phone", message="Go", mode="url", url="javascript:alert(1)")
        prompt = card(page, "trapped")
        prompt.get_by_text("This is not an address of the web").wait_for()
        self.assertEqual(prompt.locator("a[href^=javascript]").count(), 0)
        prompt.get_by_role("button", name="Decline").click()


class Life(Case):
    def answered(self, project):
        hold = self.bash(project)
        card(page, project).get_by_role("button", name="Allow once").click()
        self.assertEqual(hold.decision()["behavior"], "allow")
        page.mouse.move(0, 0)
        row(page, project).get_by_text("Allowed by you").wait_for()
        return hold

    def test_an_answer_is_shown_until_it_is_applied_and_its_session_works(self):
        hold = self.answered("applying")
        # Longer than an ended prompt stays, and than the list keeps still after the click.
        page.wait_for_timeout(7_500)
        page.locator(".list.working").get_by_role("listitem").filter(has_text="make clean").wait_for()
        expect(page.locator(".list.working").get_by_role("article")).to_have_count(0)
        expect(page.locator(".list.needs").get_by_text("applying")).to_have_count(0)
        page.reload()
        row(page, "applying").get_by_text("Allowed by you").wait_for()
        call = {"tool_name": "Bash", "tool_use_id": "toolu_a", "tool_input": {"command": "make clean", "description": "Clean"}}
        hold.told.post(("PreToolUse", call), ("PostToolUse", {**call, "tool_response": {"stdout": "", "stderr": ""}, "duration_ms": 3}))
        row(page, "applying").get_by_text("Allowed by you").wait_for(state="detached")


if __name__ == "__main__":
    unittest.main()
