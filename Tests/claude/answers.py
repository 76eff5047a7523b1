"""Prompts of the real client in a terminal, answered from a device, at the terminal, or not at all; and messages to the
client."""

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

from device import Device
from dialogs import Watch, leave
from messages_api import Turn, call
from monitor import wait_until
from terminal import ENTER, ESCAPE, Terminal

HERE = Path(__file__).resolve().parent
QUESTIONS = [
    {"question": "Which database?", "header": "Database", "multiSelect": False,
     "options": [{"label": "PostgreSQL", "description": "A server"}, {"label": "SQLite", "description": "A file"}]},
    {"question": "Which platforms?", "header": "Platforms", "multiSelect": True,
     "options": [{"label": "iPhone", "description": "A phone"}, {"label": "iPad", "description": "A tablet"},
                 {"label": "Mac", "description": "A desktop"}]},
]


class Talk:
    """A client in a terminal and a person with a phone."""

    def __init__(self, bench, outcome, name, *turns, mode="default", prompt="Go.", approvals=None, arguments=()):
        self.bench, self.outcome, self.name = bench, outcome, name
        self.machine, self.device = bench.machine(name), Device(bench.monitor)
        if approvals:
            (self.machine.home / ".config/claude-monitor/approvals").write_text(approvals + "\n")
        self.watch = Watch(bench, self.machine, outcome)
        bench.api.script(name, *turns, Turn(text="The end."))
        self.terminal = Terminal(self.machine, "--permission-mode", mode, *arguments, f"[{name}] {prompt}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.device.forget()
        if kind:
            self.outcome.notes.append(self.terminal.shown[-400:].decode(errors="replace"))
        self.terminal.close()

    def session(self):
        return wait_until(30, "the client starts", self.machine.recorded)[0][1]["session_id"]

    def held(self):
        session = self.session()
        try:
            return self.device.await_prompt(session, 30)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; all of them: {self.device.prompts(session)}") from None

    def answer(self, status=200, **words):
        """Answers the next prompt. Returns the prompt before the answer."""
        prompt = self.held()
        began = time.monotonic()
        got, body = self.device.answer(prompt, **words)
        self.outcome.expect(got == status, f"the answer {words} gets {got}: {body}")
        self.outcome.latencies.append(time.monotonic() - began)
        return prompt

    def finish(self, stops=1):
        wait_until(40, "the turn ends", lambda: self.bench.count(self.machine, "Stop") >= stops)

    def expect_prompt(self, prompt, state, decision, by, result=None):
        """Checks how a prompt ended, according to the monitor."""
        def ended():
            try:
                now = self.device.ask("GET", f"/v1/prompts/{prompt['id']}")
            except OSError:
                # The database may just be coming back.
                return None
            answer = now.get("answer") or {}
            told = now["state"], answer.get("decision"), (answer.get("by") or {}).get("kind"), answer.get("outcome")
            return told if told[:2] == (state, decision) and told[2] == by and (result is None or told[3] == result) else None

        try:
            wait_until(10, "", ended)
        except TimeoutError:
            self.outcome.faults.append(f"the prompt is {self.device.ask('GET', '/v1/prompts/' + prompt['id'])}, "
                                       f"not {state}, {decision} by {by}, {result}")

    def made(self, name):
        return (self.machine.project / name).exists()

    def leave(self):
        leave(self.terminal, self.watch, self.outcome)
        place = self.machine.spool.parent / "held-prompts"
        left = list(place.iterdir()) if place.is_dir() else []
        self.outcome.expect(not left, f"held prompts are left behind: {left}")


def touch(name):
    return Turn(tools=[call("Bash", command=f"touch {name}", description="a file")])


def allowed(bench, outcome):
    """permissions from a phone: allowed once, denied with a reason, allowed for the session"""
    with Talk(bench, outcome, "allowed", touch("one"), touch("two"), touch("three"), touch("three")) as talk:
        first = talk.answer(decision="allow")
        second = talk.answer(decision="deny", message="Not \"two\", please.")
        third = talk.answer(decision="allow", scope="session")
        talk.finish()
        outcome.expect((talk.made("one"), talk.made("two"), talk.made("three")) == (True, False, True), "wrong files were made")
        outcome.expect('Not \\"two\\", please.' in bench.api.told("allowed").replace('\\\\', '\\'), "the words did not reach the model")
        outcome.expect(bench.count(talk.machine, "PermissionRequest") == 3, "the rule for the session was not taken")
        for prompt, decision in ((first, "allow"), (second, "deny"), (third, "allow")):
            talk.expect_prompt(prompt, "answered", decision, "device", "applied")
        talk.leave()


def questioned(bench, outcome):
    """questions answered from a phone: one label, several labels, free text; then a refusal with a reason"""
    ask = Turn(tools=[call("AskUserQuestion", questions=QUESTIONS)])
    with Talk(bench, outcome, "questioned", ask, ask, ask) as talk:
        talk.answer(answers={"Which database?": "SQLite", "Which platforms?": ["iPhone", "Mac"]}, notes={"Which database?": "a note"})
        wait_until(20, "the answers", lambda: "iPhone, Mac" in bench.api.told("questioned"))
        outcome.expect("a note" in bench.api.told("questioned"), "the note did not reach the model")
        talk.answer(answers={"Which database?": "DuckDB, says the phone"})
        wait_until(20, "the words", lambda: "DuckDB, says the phone" in bench.api.told("questioned"))
        prompt = talk.answer(decision="deny", message="Ask me later.")
        talk.finish()
        outcome.expect("Ask me later." in bench.api.told("questioned"), "the refusal did not reach the model")
        talk.expect_prompt(prompt, "answered", "deny", "device", "applied")
        talk.leave()


def write_plan(request):
    """The model writes the plan to the file that the client names."""
    path = re.search(r"/[^\s\"\\]+/\.claude/plans/[^\s\"\\]+\.md", json.dumps(request))
    return [call("Write", file_path=path.group(), content="# Plan\n\n1. Touch a file.\n")]


def planned(bench, outcome):
    """plans from a phone: sent back with a comment, then edited and approved with accepted edits"""
    leave_plan = Turn(tools=[call("ExitPlanMode")])
    with Talk(bench, outcome, "planned", Turn(tools=write_plan), leave_plan, leave_plan, mode="plan") as talk:
        first = talk.answer(decision="deny", message="Use two files.")
        wait_until(20, "the words", lambda: "Use two files." in bench.api.told("planned"))
        second = talk.answer(decision="allow", mode="acceptEdits", plan="# Plan\n\nTwo files, says the phone.\n")
        talk.finish()
        told = bench.api.told("planned")
        outcome.expect("Two files, says the phone." in told and "edited by user" in told, "the edited plan did not reach the model")
        modes = [hook.get("permission_mode") for _, hook in talk.machine.recorded() if hook["hook_event_name"] == "Stop"]
        outcome.expect(modes[-1:] == ["acceptEdits"], f"the mode is {modes}")
        talk.expect_prompt(first, "answered", "deny", "device")
        talk.expect_prompt(second, "answered", "allow", "device", "applied")
        talk.leave()


def overtaken(bench, outcome):
    """prompts that are answered at the terminal first: yes, then Esc; the phone's answer comes too late"""
    with Talk(bench, outcome, "overtaken", touch("one"), Turn(text="Made."), touch("two")) as talk:
        first = talk.held()
        wait_until(10, "the dialog", lambda: b"Yes" in talk.terminal.shown)
        time.sleep(0.5)
        talk.terminal.press(ENTER)
        talk.finish()
        outcome.expect(talk.made("one"), "the command was not run")
        talk.expect_prompt(first, "answered", "allow", "terminal")
        status, body = talk.device.answer(first, decision="deny", message="Too late.")
        outcome.expect(status in (409, 410), f"a late answer gets {status}: {body}")
        talk.terminal.press(b"Again.")
        wait_until(10, "the prompt is typed", lambda: b"Again" in talk.terminal.shown)
        talk.terminal.press(ENTER)
        second = talk.held()
        time.sleep(0.5)
        began = time.monotonic()
        talk.terminal.press(ESCAPE)
        talk.expect_prompt(second, "answered", "deny", "terminal")
        outcome.notes.append(f"Esc known after {1000 * (time.monotonic() - began):.0f} ms")
        talk.watch.await_state("idle", 1)
        outcome.expect(not talk.made("two"), "a refused command was run")
        talk.leave()


def never(bench, outcome):
    """a prompt that nobody answers in time: the dialog stays and the terminal answers it; with after=deny the hook denies it"""
    with Talk(bench, outcome, "never", touch("one"), touch("two"),
              approvals="hold=3 # then the terminal") as talk:
        first = talk.held()
        wait_until(15, "the hold ends", lambda: not talk.device.ask("GET", f"/v1/prompts/{first['id']}")["answerable"])
        status, _ = talk.device.answer(first, decision="allow")
        outcome.expect(status == 409, f"an answer to a prompt that is not held gets {status}")
        outcome.expect(not talk.made("one"), "the command ran without an answer")
        (talk.machine.home / ".config/claude-monitor/approvals").write_text("hold=2 after=deny\n")
        talk.terminal.press(ENTER)
        talk.finish()
        outcome.expect((talk.made("one"), talk.made("two")) == (True, False), "wrong files were made")
        outcome.expect("The approvals file of this machine then denies" in bench.api.told("never"), "the denial was not told")
        talk.leave()


def restarted(bench, outcome):
    """kill -9 of the server while a prompt is held: the hook polls again, and the phone's answer is applied"""
    with Talk(bench, outcome, "restarted", touch("one")) as talk:
        first = talk.held()
        bench.monitor.kill()
        time.sleep(1)
        bench.monitor.start()
        second = talk.answer(decision="allow")
        talk.finish()
        outcome.expect(first["id"] == second["id"], "the prompt has another id after the restart")
        outcome.expect(talk.made("one"), "the command was not run")
        talk.expect_prompt(first, "answered", "allow", "device", "applied")
        talk.leave()


def hook_killed(bench, outcome):
    """kill -9 of the hook while a prompt is held, and the terminal answers; then kill -9 of the client: its prompt is gone"""
    with Talk(bench, outcome, "hook-killed", touch("one"), touch("two")) as talk:
        first = talk.held()
        wait_until(10, "the dialog", lambda: b"Yes" in talk.terminal.shown)
        for group in waiting_hooks(talk.machine):
            os.killpg(group, signal.SIGKILL)
        time.sleep(1.5)
        talk.terminal.press(ENTER)
        wait_until(20, "the command runs", lambda: talk.made("one"))
        talk.expect_prompt(first, "answered", "allow", "terminal")
        second = talk.held()
        for registry in (talk.machine.home / ".claude/sessions").glob("*.json"):
            os.kill(json.loads(registry.read_text())["pid"], signal.SIGKILL)
        wait_until(20, "the prompt of a client that was killed is gone",
                   lambda: talk.device.ask("GET", f"/v1/prompts/{second['id']}")["state"] == "gone")
        outcome.expect(not talk.made("two"), "a command ran without an answer")


def waiting_hooks(machine):
    """The process groups of the machine's hooks that hold a prompt."""
    groups = set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line, environment = (place / "cmdline").read_bytes(), (place / "environ").read_bytes()
            if b"session-monitor.sh" in line and b"PermissionRequest" in line and f"HOME={machine.home}".encode() in environment:
                groups.add(os.getpgid(int(place.name)))
        except OSError:
            continue
    return groups


def bounded(bench, outcome):
    """the approvals file: no device can give an answer that it forbids, and the server says so"""
    with Talk(bench, outcome, "bounded", touch("one"), touch("two"),
              approvals="risk=delete who=notify\ntool=Bash always=no change_input=no") as talk:
        prompt = talk.held()
        for words in ({"scope": "always"}, {"updated_input": {"command": "touch evil"}}):
            status, body = talk.device.answer(prompt, decision="allow", **words)
            outcome.expect(status == 422, f"{words} gets {status}: {body}")
        talk.answer(decision="allow")
        (talk.machine.home / ".config/claude-monitor/approvals").write_text("change_input=yes\n")
        talk.answer(decision="allow", updated_input={"command": "touch changed", "description": "a file"})
        talk.finish()
        made = talk.made("one"), talk.made("two"), talk.made("evil"), talk.made("changed")
        outcome.expect(made == (True, False, False, True), f"one, two, evil, changed: {made}")
        talk.leave()


def spoken_to(bench, outcome):
    """messages from a phone to an idle terminal: in order, once, with receipts; none to a session that has ended"""
    with Talk(bench, outcome, "spoken-to", Turn(text="First."), *[Turn(text=f"Answer {n}.") for n in range(3)]) as talk:
        talk.finish()
        session = talk.session()
        texts = ["Also update the README.", "And \"quote\" é.", "Third."]
        for number, text in enumerate(texts):
            talk.device.ask("POST", f"/v1/sessions/{session}/input", {"text": text})
        wait_until(40, "three messages", lambda: bench.count(talk.machine, "UserPromptSubmit") >= 4)
        talk.finish(4)
        prompts = [hook["prompt"] for _, hook in talk.machine.recorded() if hook["hook_event_name"] == "UserPromptSubmit"]
        outcome.expect(prompts[1:] == texts, f"the client was told {prompts}")
        outcome.expect("The user typed this message on another device." in bench.api.told("spoken-to"), "the model is not told by whom")

        def states():
            listed = talk.device.ask("GET", f"/v1/sessions/{session}/input")
            return [one["state"] for one in listed.get("messages", listed.get("data", []))]

        try:
            wait_until(10, "the messages are read", lambda: states() == ["read"] * 3)
        except TimeoutError:
            outcome.faults.append(f"the messages are {states()}")
        talk.leave()
        wait_until(10, "the session's end is known", lambda: bench.monitor.session(session).get("status") == "ended")
        status, _ = talk.device.status("POST", f"/v1/sessions/{session}/input", {"text": "Too late."})
        outcome.expect(status == 409, f"a message to an ended session gets {status}")


def interrupted(bench, outcome):
    """an interrupt from a phone: the turn ends before its next tool"""
    with Talk(bench, outcome, "interrupted", Turn(tools=[call("Bash", command="sleep 4; touch one", description="wait")]),
              Turn(tools=[call("Bash", command="touch two", description="a file")])) as talk:
        session = talk.session()
        talk.answer(decision="allow")
        talk.device.ask("POST", f"/v1/sessions/{session}/interrupt")
        wait_until(20, "the client is stopped", lambda: b"stopped this turn" in talk.terminal.shown)
        outcome.expect(not talk.made("two"), "the next tool was run")
        talk.leave()


def formed(bench, outcome):
    """a form of an MCP server, filled in on a phone; another one that nobody fills in there, so the terminal shows it"""
    release, allow = Turn(tools=[call("mcp__form__release")]), ("--allowedTools", "mcp__form__release")
    servers = json.dumps({"mcpServers": {"form": {"command": sys.executable, "args": [str(HERE / "form_server.py")]}}})
    with Talk(bench, outcome, "formed", release, release, approvals="hold=4",
              arguments=(*allow, "--mcp-config", servers, "--strict-mcp-config")) as talk:
        prompt = talk.held()
        status, body = talk.device.answer(prompt, action="accept", content={"branch": 3})
        outcome.expect(status == 422, f"a form with a number for a text gets {status}: {body}")
        talk.answer(action="accept", content={"branch": "main", "sure": True})
        wait_until(20, "the form's content", lambda: '\\"branch\\": \\"main\\"' in bench.api.told("formed"))
        second = talk.held()
        wait_until(20, "the form at the terminal", lambda: b"Which branch" in talk.terminal.shown)
        outcome.expect(not talk.device.ask("GET", f"/v1/prompts/{second['id']}")["answerable"], "the form is still held")
        talk.terminal.press(ESCAPE)
        talk.watch.await_event("ElicitationResult")
        talk.finish()
        talk.leave()


def together_held(bench, outcome):
    """three reads at once, held at once, answered in another order; and the request of a subagent"""
    outside = bench.directory / "elsewhere"
    outside.mkdir(exist_ok=True)
    for number in range(3):
        (outside / f"{number}.txt").write_text(f"text {number}\n")
    reads = Turn(tools=[call("Read", file_path=str(outside / f"{number}.txt")) for number in range(3)])
    task = Turn(tools=[call("Agent", description="a task", prompt="[subtask2] Look.", subagent_type="general-purpose")])
    bench.api.script("subtask2", touch("by-agent"), Turn(text="Looked."))
    with Talk(bench, outcome, "reads-held", reads, task) as talk:
        session = talk.session()

        def held():
            return [one for one in talk.device.prompts(session, "open") if one["answerable"]]

        prompts = wait_until(30, "three held prompts", lambda: held() if len(held()) == 3 else None)
        for prompt in sorted(prompts, key=lambda one: json.dumps(one["tool_input"]), reverse=True):
            status, body = talk.device.answer(prompt, decision="allow")
            outcome.expect(status == 200, f"a parallel prompt gets {status}: {body}")
        wait_until(30, "three texts", lambda: all(f"text {number}" in bench.api.told("reads-held") for number in range(3)))
        prompt = talk.answer(decision="allow")
        outcome.expect(prompt["agent_id"], "the prompt does not name its agent")
        wait_until(20, "the agent's file", lambda: talk.made("by-agent"))
        talk.expect_prompt(prompt, "answered", "allow", "device", "applied")
        wait_until(20, "the agent's end", lambda: bench.count(talk.machine, "SubagentStop", agent_type="general-purpose"))
        talk.finish()
        time.sleep(1)
        talk.leave()


ALL = [formed, together_held, allowed, questioned, planned, overtaken, never, restarted, hook_killed, bounded, spoken_to, interrupted]
