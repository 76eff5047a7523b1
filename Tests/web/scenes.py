"""Realistic sessions, as hook events."""

import datetime
import pathlib
import re
import uuid

from web import Client

PROJECT = "/home/ana/src/"
HOOKS = pathlib.Path(__file__).resolve().parent.parent.parent / "hooks"
VERSION = re.search(r"^hooks_version=(.*)$", (HOOKS / "lib/send.sh").read_text(), re.M).group(1)


def spends(told, cost, count=6, model="claude-opus-5-5"):
    """Requests to a model, as telemetry reports them: several turns with different costs."""
    import telemetry
    records = [telemetry.request(
        told.id, f"{told.id}-{number}", number, at=telemetry.nanoseconds(60 * (count - number)), model=model,
        cost=cost / count * (0.5 + (number * 5 % 7) / 6), input_tokens=3100 + 700 * number, output_tokens=900 + 250 * number,
        cache_read_tokens=26_000 + 4_000 * number, cache_creation_tokens=2_400, prompt_id=f"turn-{number}")
        for number in range(count)]
    assert told.machine.client.request("POST", "/v1/logs", telemetry.logs(*records)).status == 200


class Machine:
    """A machine with a key, whose hooks number their events. Times are seconds before now. `behind` is how many seconds its
    clock is behind."""

    def __init__(self, server, name, behind=0, key=None):
        self.name, self.key, self.behind = name, key or server.key(name), behind
        self.client = Client(server.address, self.key)
        self.stream, self.count = str(uuid.uuid4()), 0

    def session(self, project):
        return Told(self, str(uuid.uuid4()), PROJECT + project)

    def held(self, project, name="PermissionRequest", **fields):
        """A new session with a prompt whose hook waits for the answer."""
        from holding import Hold
        ago = fields.get("ago", 0)
        return Hold(self.session(project).start(ago + 20).asks("Do it", ago + 10), name, **fields)


class Told:
    """One session. Each method posts what Claude Code's hooks would post, and waits for the answer."""

    def __init__(self, machine, session, directory):
        self.machine, self.id, self.directory = machine, session, directory
        self.turn = str(uuid.uuid4())
        self.calls = self.count = 0

    def number(self):
        """The numbers of the next event, in the stream of the machine and in the session."""
        self.machine.count += 1
        self.count += 1
        return {"id": self.machine.stream, "n": self.machine.count, "session_n": self.count}

    def post(self, *hooks, ago=0):
        now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=self.machine.behind)
        items = []
        for place, (name, fields) in enumerate(hooks):
            at = now - datetime.timedelta(seconds=ago, milliseconds=-place)
            data = {"session_id": self.id, "cwd": self.directory, "hook_event_name": name, "prompt_id": self.turn,
                    "permission_mode": "default", "transcript_path": f"/home/ana/.claude/{self.id}.jsonl", **fields}
            items.append({"event_id": str(uuid.uuid4()), "timestamp": at.isoformat(timespec="milliseconds").replace(
                "+00:00", "Z"), "machine_id": self.machine.name, "stream": self.number(), "data": data})
        answer = self.machine.client.request("POST", "/api/events", items, {
            "User-Agent": "claude-monitor-hooks/" + VERSION, "X-Machine-Time": now.isoformat()})
        assert answer.status == 202 and answer.json["accepted"] == len(items), answer
        return items

    def start(self, ago, model="claude-opus-5-5"):
        self.post(("SessionStart", {"source": "startup", "model": model}), ago=ago)
        return self

    def asks(self, text, ago):
        self.turn = str(uuid.uuid4())
        self.post(("UserPromptSubmit", {"prompt": text}), ago=ago)
        return self

    def begins(self, tool, ago, **tool_input):
        self.calls += 1
        call = {"tool_name": tool, "tool_input": tool_input, "tool_use_id": f"toolu_{self.id[:8]}_{self.calls}"}
        self.post(("PreToolUse", call), ago=ago)
        return call

    def does(self, tool, response, ago, took=0.1, **tool_input):
        call = self.begins(tool, ago, **tool_input)
        end = {**call, "tool_response": response, "duration_ms": int(1000 * took)}
        self.post(("PostToolUse", end), ago=ago - took)
        return self

    def fails(self, tool, error, ago, took=0.1, **tool_input):
        call = self.begins(tool, ago, **tool_input)
        end = {**call, "error": error, "is_interrupt": False, "duration_ms": int(1000 * took)}
        self.post(("PostToolUseFailure", end), ago=ago - took)
        return self

    def needs(self, tool, ago, suggestions=(), holds=False, **tool_input):
        """A permission request, after the beginning of its call. `holds`: the hook waits for the answer."""
        call = self.begins(tool, ago + 0.05, **tool_input)
        if holds:
            from holding import Hold
            call["hold"] = Hold(self, "PermissionRequest", ago=ago, tool_name=tool, tool_input=tool_input)
            return call
        self.post(("PermissionRequest", {"tool_name": tool, "tool_input": tool_input,
                                         "permission_suggestions": list(suggestions)}), ago=ago)
        return call

    def goes_on(self, call, response=None, ago=0):
        self.post(("PostToolUse", {**call, "tool_response": response or {"stdout": "", "stderr": ""}, "duration_ms": 50}), ago=ago)

    def stops(self, text, ago):
        self.post(("Stop", {"stop_hook_active": False, "last_assistant_message": text, "background_tasks": [],
                            "session_crons": []}), ago=ago)
        return self

    def ends(self, ago):
        self.post(("SessionEnd", {"reason": "prompt_input_exit"}), ago=ago)
        return self


def world(server, holds=False):
    """Several machines with sessions in each of the groups."""
    studio, build, laptop = (Machine(server, name) for name in ("mac-studio", "build-7", "laptop"))
    laptop.session("design-notes").start(9000).asks("Sketch the settings page", 8990).stops("There are three drafts.", 7200)
    laptop.session("old-site").start(90000).asks("Fix the links", 89990).stops("Fixed.", 88000).ends(87900)
    search = build.session("search-indexer").start(900).asks("Make ranking stable", 890)
    search.begins("Bash", 72, command="swift test --filter Ranking", description="Run the ranking tests")
    docs = studio.session("docs-site").start(400).asks("Write the migration guide", 390)
    docs.does("Read", {"type": "text", "file": {"numLines": 80}}, 60, file_path=docs.directory + "/guide.md")
    infra = build.session("infra").start(1500).asks("Audit the Terraform modules", 1490)
    infra.begins("Agent", 400, description="audit the Terraform modules", prompt="Audit", subagent_type="general-purpose")
    infra.post(("SubagentStart", {"agent_id": "a1", "agent_type": "general-purpose"}),
               ("SubagentStart", {"agent_id": "a2", "agent_type": "general-purpose"}), ago=399)
    train = studio.session("ml-train").start(4000).asks("Train the small model", 3990)
    train.post(("StopFailure", {"error": "rate_limit", "last_assistant_message": "Retry after 14:50"}), ago=1860)
    payments = refunds(studio, holds)
    atlas = build.session("atlas-web").start(1200).asks("Set up the test database", 1190)
    atlas.needs("AskUserQuestion", 185, holds=holds, questions=[{
        "question": "Which database should the tests use?", "header": "Database", "multiSelect": False, "options": [
            {"label": "PostgreSQL", "description": "As in production; needs a server"},
            {"label": "SQLite", "description": "A file; faster, some features differ"}]}])
    for told, cost in ((payments, 2.42), (search, 0.61), (docs, 0.09), (infra, 1.2), (atlas, 0.31)):
        spends(told, cost, model="claude-sonnet-5" if told in (docs, search) else "claude-opus-5-5")
    return payments


def month(server, days=30):
    """The work of the past weeks, by day, hour, model, project and machine, with prompts that were answered at the terminal."""
    import telemetry
    machines = [Machine(server, name) for name in ("mac-studio", "build-7", "laptop")]
    projects = ("payments-api", "search-indexer", "atlas-web", "infra", "docs-site")
    now = datetime.datetime.now(datetime.timezone.utc)
    for day in range(1, days):
        date = now - datetime.timedelta(days=day)
        weekend = date.weekday() >= 5
        for place in range(1 if weekend else 3):
            mix = (7 * day + 5 * place) % 11
            begun = date.replace(hour=(8, 10, 13, 15, 17, 20)[(day + 2 * place) % 6], minute=5 * mix, second=0)
            ago = (now - begun).total_seconds()
            told = machines[mix % 3].session(projects[(day + place) % 5]).start(ago).asks("Go on with the plan", ago - 5)
            for step in range(2 + mix % 4):
                told.does(("Read", "Edit", "Bash", "Grep")[(step + mix) % 4], {"stdout": "", "stderr": ""}, ago - 60 - 40 * step, 2,
                          file_path="/src/a.swift", command="swift build")
            if mix % 2:
                call = told.needs("Bash", ago - 400, command="git push")
                told.goes_on(call, ago=ago - 400 - (3, 12, 40, 200, 900)[mix % 5])
            told.stops("Done.", ago - 1500).ends(ago - 1600)
            requests = [telemetry.request(
                told.id, f"{told.id}-{number}", number, at=telemetry.nanoseconds(ago - 120 * number),
                model="claude-opus-5-5" if mix % 3 else "claude-sonnet-5", cost=(0.12 + 0.09 * mix) * (0.6 if weekend else 1),
                input_tokens=2_000 + 900 * mix, output_tokens=700 + 300 * mix, cache_read_tokens=24_000 + 3_000 * number,
                cache_creation_tokens=2_400, prompt_id=f"turn-{number}") for number in range(3 + mix % 4)]
            assert told.machine.client.request("POST", "/v1/logs", telemetry.logs(*requests)).status == 200


def loops(machine):
    """A session that tries the same thing again and again."""
    told = machine.session("release-notes").start(300).asks("Build the release notes", 290)
    for ago in (200, 150, 100, 50):
        told.fails("Bash", "Exit code 2\nmake: *** No rule to make target 'notes'.  Stop.", ago, 1.2, command="make notes",
                   description="Build the notes")
    spends(told, 0.18, model="claude-sonnet-5")
    return told


def refunds(machine, holds=False):
    """A session with a diff, a failure, a subagent and a waiting prompt."""
    told = machine.session("payments-api").start(480)
    told.asks("Fix the rounding of partial refunds, add tests, and publish the release branch.", 470)
    split = told.directory + "/Sources/Refunds/Split.swift"
    told.does("Read", {"type": "text", "file": {"filePath": split, "content": "…", "numLines": 214}}, 460, file_path=split)
    old = "    let share = total.cents / parts\n"
    new = ("    let (share, rest) = total.cents.quotientAndRemainder(dividingBy: parts)\n"
           "    // The first `rest` parts carry one cent more, so that the sum is exact.\n"
           "    return (0..<parts).map { Money(cents: share + ($0 < rest ? 1 : 0)) }\n")
    told.does("Edit", {"filePath": split, "structuredPatch": [{
        "oldStart": 12, "oldLines": 3, "newStart": 12, "newLines": 5, "lines": [
            " func split(_ total: Money, into parts: Int) -> [Money] {",
            *["-" + line for line in old.splitlines()], *["+" + line for line in new.splitlines()], " }"]}]},
              440, 0.2, file_path=split, old_string=old, new_string=new)
    folded = "\n".join(f"    at RefundTests.swift:{number}" for number in range(30, 70))
    told.fails("Bash", "Exit code 1\n✘ partialRefundOfOddAmount: expected 334, got 333\n" + folded, 420, 8.4,
               command="swift test --filter Refunds", description="Run the refund tests")
    told.begins("Agent", 380, description="review the callers of split", prompt="Review", subagent_type="general-purpose")
    told.post(("SubagentStart", {"agent_id": "a7", "agent_type": "general-purpose"}), ago=379)
    grep = {"tool_name": "Grep", "tool_input": {"pattern": "split("}, "tool_use_id": "toolu_g", "agent_id": "a7"}
    told.post(("PreToolUse", grep), ("PostToolUse", {**grep, "tool_response": {"numFiles": 9, "filenames": []}, "duration_ms": 90}), ago=370)
    told.post(("SubagentStop", {"agent_id": "a7", "agent_type": "general-purpose", "stop_hook_active": False,
                                "last_assistant_message": "All nine callers pass a positive number."}), ago=334)
    agent = {"tool_name": "Agent", "tool_input": {"description": "review the callers of split"},
             "tool_use_id": f"toolu_{told.id[:8]}_{told.calls}"}
    told.post(("PostToolUse", {**agent, "tool_response": {"status": "completed", "totalToolUseCount": 12, "totalTokens": 31200},
                               "duration_ms": 48000}), ago=332)
    told.does("Bash", {"stdout": "Test run with 214 tests passed after 30.8 seconds.", "stderr": "", "interrupted": False}, 320, 31,
              command="swift test", description="Run all tests")
    told.needs("Bash", 42, holds=holds, command="git push --force-with-lease origin release/2.4", description="Publish the release branch")
    return told


def asks(machine):
    """Sessions with a plan, questions and a form. The hook of each waits for the answer."""
    plan = ("# Split refunds exactly\n\n1. Compute the quotient and the rest of `total.cents`.\n2. Give the first shares one cent more.\n"
            "3. Test with amounts that do not divide:\n   - 100 cents into 3\n   - 1 cent into 2\n\n"
            "```swift\nlet (share, rest) = total.cents.quotientAndRemainder(dividingBy: parts)\n```\n\n"
            "**Not part of it:** refunds in several currencies.")
    questions = [
        {"question": "Which database should the tests use?", "header": "Database", "multiSelect": False, "options": [
            {"label": "PostgreSQL", "description": "As in production; needs a server"},
            {"label": "SQLite", "description": "A file; faster, some features differ"}]},
        {"question": "Which systems does the release cover?", "header": "Systems", "multiSelect": True, "options": [
            {"label": "macOS"}, {"label": "Linux"}, {"label": "iOS", "description": "Needs a build machine"}]}]
    schema = {"type": "object", "required": ["branch"], "properties": {
        "branch": {"type": "string", "title": "Branch", "description": "The branch that is released"},
        "channel": {"type": "string", "title": "Channel", "oneOf": [{"const": "b", "title": "Beta"}, {"const": "s", "title": "Stable"}]},
        "notes": {"type": "boolean", "title": "Publish the notes", "default": True}}}
    return {"plan": machine.held("refund-plan", tool_name="ExitPlanMode", tool_input={"plan": plan, "planFilePath": "/home/ana/plan.md"}),
            "question": machine.held("test-setup", tool_name="AskUserQuestion", tool_input={"questions": questions}),
            "form": machine.held("release-train", "Elicitation", mcp_server_name="release", mode="form",
                                 message="Which branch shall be released, and where?", requested_schema=schema)}
