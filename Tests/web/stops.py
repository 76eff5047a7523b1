"""The stops of the tour: a world with every kind of session, machine and project, and the views of it."""

import dataclasses
import typing

import scenes
import tooling
import workspace
from web import Server, wait_for
import agents  # From the system tests, which `web` adds to the path.

ANSWER = ("## What I found\n\nThe rounding lives in [`split`](src/split.ts) and is *wrong* for sums that do not divide. **Two callers** depend"
          " on it:\n\n| Caller | Sum | Parts | Lost |\n|:--|--:|--:|--:|\n| refunds | 10.00 | 3 | 0.01 |\n| discounts | 0.05 | 2 | 0.01 |\n\n"
          "1. Compute the quotient.\n2. Give the rest away:\n   - the first parts first\n   - one cent each\n\n"
          "```ts\nexport function split(total: number, parts: number): number[] {\n  const share = Math.floor(total / parts) // cents\n"
          "  return Array.from({ length: parts }, (_, at) => share + (at < total % parts ? 1 : 0))\n}\n```\n\n"
          "> Nothing else calls it.\n\nShall I go on with the tests?")
TASKS = ("Read the callers", "Write a failing test", "Give the rest to the first parts", "Run all tests", "Write the changelog")


class World:
    """A server with all that the stops need."""

    def __init__(self, _):
        self.server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
        self.closing = []

    def tell(self, browser):
        """Hooks hold prompts only if somebody may answer them, so a browser comes first."""
        self.watcher = browser.person(self.server, pair=False)
        self.watcher.sign_in("--administer")
        scenes.month(self.server)
        self.refunds = scenes.world(self.server, holds=True)
        machine = self.refunds.machine
        scenes.loops(machine)
        self.talk = talk(machine)
        self.asks = scenes.asks(machine)
        for name in ("orders-api", "infra-live"):
            machine.held(name, tool_name="Bash", tool_input={"command": "npm publish --access public", "description": "Publish the package"})
        self.place = workspace.Place(self.server, "desk")
        self.closing.append(self.place.close)
        self.place.repository()
        # The agent sees what is there when a session begins.
        self.shop = self.place.machine.session("shop")
        self.shop.directory = str(self.place.root)
        self.shop.start(1).asks("Split refunds exactly", 0)
        wait_for(lambda: self.server.get(f"/v1/sessions/{self.shop.id}/changes").json.get("base"), "the agent has seen the beginning")
        self.place.changes()
        status = {**tooling.STATUS, "name": "status"}
        self.tools = tooling.ToolMachine(self.server, name="toolbox")
        self.closing.append(self.tools.close)
        self.servers = self.tools.tell(
            tooling.told("git", tooling.STATUS, tooling.COMMIT), tooling.told("far", status, state="unlisted", reason="remote", transport="http"),
            tooling.told("own", scope="project", state="unlisted", reason="not_approved"),
            tooling.told("time", state="failed", reason="exit status 3"), tooling.told("mail", state="needs-auth", transport="http"))
        self.driven = self.drive()

    def drive(self):
        """A session that an agent runs, while Claude writes."""
        machine = scenes.Machine(self.server, "studio")
        machine.session("garden").start(30).asks("Go on", 20)
        self.agent = agents.Agent(self.server, machine.key)
        self.agent.greeting["may"] = dict(agents.MAY, files="read", git="push", pty=True)
        self.agent.greet()
        self.closing.append(self.agent.close)
        answer = self.server.client().request("POST", "/v1/sessions", {
            "machine_id": "studio", "path": "/home/dev/garden", "message": "Water the plants, roses first."})
        assert answer.status == 201, answer
        self.agent.wait_for("session/send")
        return answer.json["id"]

    def writes(self):
        self.agent.tell("session/partial", {"session_id": self.driven, "message_id": "m", "text":
                        "The roses first: they stand in the sun. Then I water the herbs, and I look whether the tap drips"})

    def end(self):
        for close in self.closing:
            close()
        self.server.end()


def talk(machine):
    """A session that has said, asked and done a bit of everything, and is over."""
    told = machine.session("checkout").start(3000).asks("Why do refunds lose a cent? Look at it, and mend it.\n\nKeep the callers as they are.", 2990)
    told.does("TodoWrite", {}, 2980, todos=[
        {"content": name, "activeForm": name, "status": "completed" if at < 2 else "in_progress" if at == 2 else "pending"}
        for at, name in enumerate(TASKS)])
    for number in range(5):
        told.does("Read", {"type": "text", "file": {"numLines": 80}}, 2970 - 5 * number, file_path=f"{told.directory}/src/caller{number}.ts")
    told.fails("Bash", "Exit code 1\n" + "ok\n" * 30 + "✘ split(100, 3): expected 34, got 33", 2900, 12,
               command="npm test\nnpm run lint", description="Run the tests")
    told.stops(ANSWER, 2890).asks("Yes, go on.", 2800)
    questions = {"questions": [{"question": "Who gets the last cent?", "header": "Rest", "options": [
        {"label": "The first parts"}, {"label": "The last part"}]}]}
    told.goes_on(told.begins("AskUserQuestion", 2790, **questions), {**questions, "answers": {"Who gets the last cent?": "The first parts"}}, 2700)
    plan = "# Split exactly\n\n1. Compute the quotient\n2. Give the rest away"
    told.goes_on(told.begins("ExitPlanMode", 2690, plan=plan), {"plan": plan}, 2600)
    told.post(("PreCompact", {"trigger": "auto"}), ("PostCompact", {"trigger": "auto", "compact_summary": "The plan so far"}), ago=2590)
    told.does("mcp__github__get_issue", [{"type": "text", "text": "The issue is open."}], 2580, number=12)
    told.does("Edit", {"filePath": told.directory + "/src/split.ts", "structuredPatch": [{
        "oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": [
            " export function split(total: number, parts: number) {", "-  return Array(parts).fill(total / parts)",
            "+  return shares(Math.floor(total / parts), total % parts)", " }"]}]}, 2570,
              file_path=told.directory + "/src/split.ts", old_string="a", new_string="b")
    told.stops("The cent is back. All 214 tests pass.", 2500)
    scenes.spends(told, 1.2)
    return told


def nothing(*_):
    pass


@dataclasses.dataclass
class Stop:
    """A view, and what is done there before its picture is taken."""

    name: str
    view: typing.Callable
    ready: str = "main h1, .pane.home h1, main.session h1"
    act: typing.Callable = nothing
    is_tall: bool = False
    leave: typing.Callable = nothing


def at(view):
    return lambda world: view


def session(chosen, query=""):
    return lambda world: f"#/s/{chosen(world)}{query}"


def project(view, query=""):
    return lambda world: f"#/{view}/{world.place.project}{query}"


def click(name):
    """Opens what a part of the page leads to, whatever its language."""
    def act(page, world):
        page.locator(name).first.click()
    return act


def palette(page, world):
    page.keyboard.press("Control+k")
    page.locator("dialog.palette li").first.wait_for()


def keys(page, world):
    page.locator("body").press("?")
    page.locator("dialog").wait_for()


def menu(page, world):
    page.locator("main.session .menu > summary").click()


def details(page, world):
    # On a wide screen they are always there.
    if page.locator("main.session .inspect").is_visible():
        page.locator("main.session .inspect").click()
    page.locator(".inspector section").first.wait_for()


def writing(page, world):
    page.locator("main.session textarea").wait_for()
    world.writes()
    page.locator(".writing").wait_for()


def rare(page, world):
    """The small print and the rarer answers of a card."""
    for button in page.locator("article .foot button[aria-expanded=false], article .title button[aria-expanded=false]").all():
        button.click()


def tried(page, world):
    page.locator(".try summary").first.click()
    page.locator("main form").first.wait_for()


def named_key(page, world):
    page.locator("main form input").last.fill("new-machine")
    page.locator("main form button").last.click()
    page.locator("main .copy").first.wait_for()


def paired(page, world):
    page.locator("main fieldset + div button").click()
    page.locator("main img.qr").wait_for()


def away(page, world):
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('offline'))")
    page.locator(".connection").wait_for()


def back(page, world):
    page.context.set_offline(False)


def agents_open(page, world):
    page.evaluate("""() => document.querySelectorAll("main.session .fold[aria-expanded=false]").forEach((one) => one.click())""")


STOPS = [
    Stop("home", at("#/"), ".pane.home article"),
    Stop("home-tall", at("#/"), ".pane.home article", is_tall=True),
    Stop("home-filtered", at("#/?q=nothing-fits"), ".pane.home h1"),
    Stop("home-away", at("#/"), ".pane.home article", away, leave=back),
    Stop("sessions", at("#/sessions"), "main table", is_tall=True),
    Stop("session-permission", session(lambda world: world.refunds.id), "main.session article"),
    Stop("session-rare", session(lambda world: world.refunds.id), "main.session article", rare),
    Stop("session-log", session(lambda world: world.refunds.id, "?view=log"), "main.session .ev"),
    Stop("session-details", session(lambda world: world.refunds.id), "main.session .ev", details),
    Stop("session-menu", session(lambda world: world.refunds.id), "main.session .ev", menu),
    Stop("session-plan", session(lambda world: world.asks["plan"].told.id), "main.session article"),
    Stop("session-plan-rare", session(lambda world: world.asks["plan"].told.id), "main.session article", rare),
    Stop("session-question", session(lambda world: world.asks["question"].told.id), "main.session article"),
    Stop("session-form", session(lambda world: world.asks["form"].told.id), "main.session article"),
    Stop("session-talk", session(lambda world: world.talk.id), "main.session .ev"),
    Stop("session-talk-open", session(lambda world: world.talk.id), "main.session .ev", agents_open),
    Stop("session-absent", at("#/s/00000000-0000-4000-8000-000000000000"), "main.session"),
    Stop("session-writing", session(lambda world: world.driven), "main.session", writing),
    Stop("session-tools", lambda world: f"#/tools/session/{world.driven}", "main h1", is_tall=True),
    Stop("new-session", at("#/"), ".pane.home article", click(".bar .new")),
    Stop("palette", at("#/"), ".pane.home article", palette),
    Stop("keys", at("#/"), ".pane.home article", keys),
    Stop("projects", at("#/projects"), "main h1", is_tall=True),
    Stop("project", project("projects"), "main h1", is_tall=True),
    Stop("files", project("files"), "main h1"),
    Stop("file", project("files", "?path=src/split.ts"), "main h1"),
    Stop("git", project("git"), "main h1", is_tall=True),
    Stop("git-diff", project("git", "?file=src/split.ts&area=unstaged"), "main h1"),
    Stop("history", project("git", "?tab=log"), "main h1", is_tall=True),
    Stop("branches", project("git", "?tab=branches"), "main h1", is_tall=True),
    Stop("changes", lambda world: f"#/changes/{world.shop.id}", "main h1"),
    Stop("tools", at("#/tools"), "main h1", is_tall=True),
    Stop("tools-server", lambda world: f"#/tools/{world.servers['git']['id']}", "main h1", is_tall=True),
    Stop("tools-try", lambda world: f"#/tools/{world.servers['git']['id']}?tool=git_status", "main h1", tried, is_tall=True),
    Stop("tools-calls", at("#/tools/calls"), "main h1", is_tall=True),
    Stop("figures", at("#/figures"), "main section.figure", is_tall=True),
    Stop("search", at("#/search?q=refunds"), "main .results", is_tall=True),
    Stop("search-empty", at("#/search"), "main h1"),
    Stop("search-none", at("#/search?q=zzzzqq"), "main h1"),
    *(Stop("settings-" + name, at("#/settings/" + name), "main section.panel", is_tall=True) for name in (
        "browser", "notifications", "machines", "devices", "rules", "models", "diagnostics", "audit", "about")),
    Stop("settings-key", at("#/settings/machines"), "main section.panel", named_key, is_tall=True),
    Stop("settings-pair", at("#/settings/devices"), "main section.panel", paired, is_tall=True),
]
