"""MCP servers and their tools in the web app: where they are, what they say, and how they are found."""

import unittest

from playwright.sync_api import expect
from tooling import COMMIT, SCHEMA, STATUS, ToolCase, ToolMachine, told

SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3)) **bold**"
BIDI = "safe\u202e gpj.exe\u2066\u200b\x1b[31mred"


def setUpModule():
    ToolCase.begin()


def tearDownModule():
    ToolCase.finish()


class Listed(ToolCase):
    def test_the_navigation_leads_to_servers_by_machine_with_their_state(self):
        machine = self.machine(
            told("git", STATUS, COMMIT), told("far", {"name": "look"}, state="unlisted", reason="remote", transport="http"),
            told("own", scope="project", state="unlisted", reason="not_approved"), told("time", state="failed", reason="exit status 3"),
            told("mail", state="needs-auth", transport="http"))
        self.page.goto(self.server.url)
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name="Tools").click()
        self.page.get_by_role("heading", name="Tools", exact=True).wait_for()
        self.page.get_by_role("region", name=machine.name).get_by_text("5 servers").wait_for()
        rows = self.rows(machine.name)
        expect(rows).to_have_count(5)
        for name, *texts in (("git", "2 tools", "Answers", "in all directories"), ("far", "1 tool", "Not asked for its tools", "over the network"),
                             ("own", machine.path, "nobody has approved it"), ("time", "Does not answer", "exit status 3"),
                             ("mail", "Waits for a sign-in", "/mcp in Claude Code")):
            for text in texts:
                rows.filter(has=self.page.get_by_text(name, exact=True)).get_by_text(text).first.wait_for()
        self.look(self.page, "servers by machine")
        rows.filter(has_text="Answers").get_by_role("link").click()
        self.page.get_by_role("heading", name="git", exact=True).wait_for()
        self.page.get_by_role("link", name="Back to the tools").click()
        rows.first.wait_for()

    def test_what_is_not_known_says_why(self):
        asked = self.machine()
        away = ToolMachine(self.server, is_connected=False)
        self.open()
        unknown = self.rows("Nothing is known of")
        unknown.filter(has_text=asked.name).get_by_text("not asked yet").wait_for()
        unknown.filter(has_text=away.name).get_by_text("no agent").wait_for()
        self.page.get_by_role("link", name="How to install an agent").wait_for()
        self.open(f"?machine={away.name}")
        self.page.get_by_text("No MCP server is known here.").wait_for()
        self.page.get_by_text("It is asked by “Read servers”").wait_for()
        self.look(self.page, "no server")

    def test_machine_and_project_choose_and_stand_in_the_address(self):
        one, other = self.machine(told("git", STATUS)), self.machine(told("own", COMMIT, scope="local"))
        self.open()
        self.page.get_by_role("main").get_by_role("combobox", name="Machine").select_option(one.name)
        self.page.wait_for_url(f"**/#/tools?machine={one.name}")
        self.rows(one.name).first.wait_for()
        expect(self.page.get_by_role("region", name=other.name)).to_have_count(0)
        self.page.get_by_role("main").get_by_role("combobox", name="Project").select_option(other.project)
        self.rows(other.name).filter(has_text="own").wait_for()
        expect(self.page.get_by_role("main").get_by_role("combobox", name="Machine")).to_have_value("")
        self.page.reload()
        self.rows(other.name).filter(has_text="own").wait_for()
        expect(self.page.get_by_role("region", name=one.name)).to_have_count(0)
        self.page.go_back()
        self.rows(one.name).first.wait_for()

    def test_projects_settings_and_palette_lead_there(self):
        machine = self.machine(told("git", STATUS))
        self.page.goto(f"{self.server.url}/#/projects/{machine.project}")
        self.page.get_by_role("main").get_by_role("link", name="Tools").click()
        self.rows(machine.name).filter(has_text="git").wait_for()
        self.page.goto(f"{self.server.url}/#/settings/about")
        self.page.get_by_role("navigation", name="Settings").get_by_role("link", name="Tools").click()
        self.page.get_by_role("heading", name="Tools", exact=True).wait_for()
        self.page.goto(f"{self.server.url}/#/figures")
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("dialog", name="Go to").get_by_role("combobox").fill("Tools")
        self.page.keyboard.press("Enter")
        self.page.get_by_role("heading", name="Tools", exact=True).wait_for()


class Found(ToolCase):
    def test_words_find_tools_and_lead_to_them(self):
        machine = self.machine(told("git", STATUS, COMMIT, {"name": "zebra_one", "description": "Counts zebras.", "inputSchema": SCHEMA}))
        self.open(f"?machine={machine.name}")
        self.page.keyboard.press("/")
        field = self.page.get_by_role("searchbox", name="Find a tool")
        expect(field).to_be_focused()
        field.fill("counting zebras")
        self.rows("Tools found").filter(has_text="Counts zebras.").wait_for()
        self.page.get_by_role("status").filter(has_text="1 tool").wait_for()
        self.look(self.page, "tools found")
        self.page.reload()
        self.rows("Tools found").filter(has_text="git.zebra_one").get_by_role("link").click()
        tool = self.page.get_by_role("button", name="zebra_one")
        expect(tool).to_have_attribute("aria-expanded", "true")
        expect(self.page.get_by_text("Counts zebras.")).to_be_in_viewport()
        self.page.go_back()
        expect(field).to_have_value("counting zebras")
        field.fill("nonsenseword")
        self.page.get_by_text("No tool fits.").wait_for()
        field.fill("")
        self.rows(machine.name).filter(has_text="git").wait_for()

    def test_more_than_a_page(self):
        tools = [{"name": f"yak_{number}", "description": "Shaves a yak.", "inputSchema": {"type": "object"}} for number in range(60)]
        machine = self.machine(told("many", *tools))
        self.open(f"?machine={machine.name}&q=yak")
        rows = self.rows("Tools found")
        expect(rows).to_have_count(50)
        self.page.get_by_text("the first 50").wait_for()
        self.page.get_by_role("button", name="More", exact=True).click()
        expect(rows).to_have_count(60)


class Tool(ToolCase):
    def test_its_words_its_arguments_and_what_the_server_says_of_it(self):
        self.machine(told("git", STATUS, COMMIT))
        self.open(f"/{self.known['git']['id']}")
        self.page.get_by_role("button", name="git_status").press("Enter")
        self.page.wait_for_url("**?tool=git_status")
        table = self.page.get_by_role("table", name="Arguments")
        # The address changes before the view does.
        table.wait_for()

        def cells(name):
            return [" ".join(text.split()) for text in table.get_by_role("row").filter(
                has=self.page.get_by_role("rowheader", name=name, exact=True)).get_by_role("cell").all_inner_texts()]
        self.assertEqual(cells("path"), ["text", "required", "Where the repository lies minLength 1"])
        self.assertEqual(cells("depth"), ["whole number", "optional", "Otherwise: 3"])
        self.assertEqual(cells("paths")[0], "list of: text")
        self.assertEqual(cells("filter.author"), ["text or null", "optional", 'One of: "ana", "ben", null'])
        for text in ("Shows the working tree.", "The server says:", "It only reads.", "It stays within its own data.", "mcp__git__git_status"):
            self.page.get_by_text(text, exact=True).wait_for()
        raw = self.page.get_by_text('"minLength": 1')
        expect(raw).to_have_count(0)
        self.page.get_by_text("Arguments as JSON Schema").click()
        expect(raw).to_be_visible()
        self.look(self.page, "a tool")
        self.page.reload()
        expect(self.page.get_by_role("button", name="git_status")).to_have_attribute("aria-expanded", "true")
        # One is open at a time, and it can be closed.
        self.page.get_by_role("button", name="git_commit").click()
        self.page.get_by_text("It may delete or overwrite something.").wait_for()
        expect(self.page.get_by_text("It only reads.")).to_have_count(0)
        self.page.get_by_role("button", name="git_commit").click()
        expect(self.page.get_by_text("It may delete or overwrite something.")).to_have_count(0)

    def test_a_tool_of_which_only_the_name_is_known(self):
        self.machine(told("far", {"name": "look"}, state="unlisted", reason="remote", transport="http"))
        self.open(f"/{self.known['far']['id']}?tool=look")
        self.page.get_by_text("Only the name of this tool is known").wait_for()
        self.page.get_by_text("only programs on the machine are asked").wait_for()
        self.page.get_by_text("elsewhere, over the network").wait_for()

    def test_a_server_that_is_not_there(self):
        self.open("/mcp_none")
        self.page.get_by_text("There is no such MCP server").wait_for()

    def test_many_tools_long_words_and_hostile_text(self):
        dialogs = []
        self.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        long = {"name": "a_long", "description": "word " * 1900, "inputSchema": {"type": "object", "properties": {
            f"argument_{number}": {"type": "string", "description": "x" * 500} for number in range(150)}}}
        hostile = {"name": "b_hostile", "title": SCRIPT, "description": SCRIPT + BIDI, "annotations": {"title": SCRIPT}, "inputSchema": {
            "type": "object", "properties": {SCRIPT + BIDI: {"type": SCRIPT, "description": SCRIPT + BIDI, "enum": [SCRIPT, BIDI], "default": BIDI}}}}
        many = [{"name": f"tool_{number}", "description": SCRIPT, "inputSchema": {"type": "object"}} for number in range(300)]
        machine = self.machine(told(f"bad {SCRIPT[:60]}", long, hostile, *many, state="connected", reason=SCRIPT + BIDI))
        self.open(f"?machine={machine.name}")
        self.rows(machine.name).get_by_role("link").click()
        rows = self.rows("Tools of the server")
        expect(rows).to_have_count(200)
        self.page.get_by_role("button", name="a_long").click()
        description = self.page.get_by_text("word word word").first
        self.assertLess(description.bounding_box()["height"], 300)
        self.page.get_by_role("button", name="b_hostile").click()
        # The page shows the schema of the other tool until then.
        expect(self.page.get_by_role("button", name="b_hostile")).to_have_attribute("aria-expanded", "true")
        self.page.get_by_text("Arguments as JSON Schema").click()
        text = self.page.get_by_role("main").inner_text()
        self.assertIn("RLO", text)
        self.assertIn("**bold**", text)
        self.assertNotIn("\u202e", text)
        self.look(self.page, "hostile tools")
        self.assertEqual(self.page.locator("#root script, #root img[src=x], #root a[href^=javascript]").count(), 0)
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 1440)
        self.page.get_by_role("button", name="More", exact=True).click()
        expect(rows).to_have_count(302)
        self.assertEqual(dialogs, [])


if __name__ == "__main__":
    unittest.main()
