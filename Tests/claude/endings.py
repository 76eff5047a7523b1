"""How prompts of the real client end: without a terminal, by two devices, by a refusal that ends the turn, and by everything
that a person can do at the terminal."""

import json
import re
import sys
import threading
import time

from answers import HERE, Talk, touch, write_plan
from choices import settled, type_in
from device import Device
from messages_api import Turn, call
from monitor import wait_until
from terminal import DOWN, ENTER, ESCAPE, TAB


def at_dialog(talk, mark=b"Yes", since=0):
    """Waits until the dialog is drawn and reads keys."""
    wait_until(20, f"the dialog with {mark}", lambda: mark in talk.terminal.shown[since:])
    time.sleep(0.7)


def choose(talk, label):
    """Moves the cursor to the choice in the dialog."""
    for _ in range(8):
        before = len(talk.terminal.shown)
        talk.terminal.press(DOWN)
        time.sleep(0.5)
        drawn = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", talk.terminal.shown[before:])
        if "❯".encode() + label in drawn.replace(b" ", b""):
            return
    raise TimeoutError(f"the dialog has no choice {label}")


def expect_state(talk, state, seconds):
    began = time.monotonic()
    talk.watch.await_state(state, seconds)
    return time.monotonic() - began


def headless(bench, outcome):
    """a run without a terminal, held because the approvals file says so: allowed and denied from a phone, and not answered"""
    machine, device = bench.machine("headless"), Device(bench.monitor)
    (machine.home / ".config/claude-monitor/approvals").write_text("hold=20\n")
    bench.api.script("headless", touch("one"), touch("two"), Turn(text="The end."))
    try:
        running = machine.start("[headless] Go.", "--permission-mode", "default")
        session = wait_until(30, "the client starts", machine.recorded)[0][1]["session_id"]
        first = device.await_prompt(session, 30)
        outcome.expect(first.get("after") == "ask", f"the prompt says after: {first.get('after')}")
        for prompt, words in ((first, {"decision": "allow"}), (None, {"decision": "deny", "message": "Not two."})):
            prompt = prompt or device.await_prompt(session, 30)
            status, body = device.answer(prompt, **words)
            outcome.expect(status == 200, f"the answer {words} gets {status}: {body}")
        machine.finish(running)
        made = [(machine.project / name).exists() for name in ("one", "two")]
        outcome.expect(made == [True, False], f"one, two: {made}")
        outcome.expect("Not two." in bench.api.told("headless"), "the words did not reach the model")
        (machine.home / ".config/claude-monitor/approvals").write_text("hold=3\n")
        bench.api.script("unheard", touch("three"), Turn(text="Then not."))
        result = machine.run("[unheard] Go.", "--permission-mode", "default")
        outcome.expect(len(result["permission_denials"]) == 1, "nobody answered, and nothing was denied")
        outcome.expect(not (machine.project / "three").exists(), "a command ran without an answer")
    finally:
        device.forget()


def stopped(bench, outcome):
    """a refusal from a phone that ends the turn: no hook reports it, and the monitor shows that it was applied"""
    with Talk(bench, outcome, "stopped", touch("one")) as talk:
        prompt = talk.answer(decision="deny", message="Stop here.", interrupt=True)
        wait_until(10, "the turn is interrupted", lambda: b"nterrupted" in talk.terminal.shown)
        talk.expect_prompt(prompt, "answered", "deny", "device", "applied")
        expect_state(talk, "idle", 2)
        outcome.expect(not bench.count(talk.machine, "Stop"), "the client tells of the end: the monitor need not")
        type_in(talk, "Go on.")
        talk.finish()
        outcome.expect("Request interrupted by user for tool use" in bench.api.told("stopped"), "the model was not told")
        outcome.expect(not talk.made("one"), "a refused command was run")
        expect_state(talk, "idle", 5)
        talk.leave()


def two_devices(bench, outcome):
    """a phone and a tablet answer in the same moment, eight times: the first answer is applied, the other gets an error"""
    rounds = range(8)
    with Talk(bench, outcome, "two-devices", *[touch(f"round{number}") for number in rounds]) as talk:
        tablet = Device(bench.monitor, "tablet")
        try:
            for number in rounds:
                prompt, got, start = talk.held(), {}, threading.Barrier(2)

                def give(name, device, words, prompt=prompt, got=got, start=start):
                    start.wait(10)
                    got[name] = device.answer(prompt, **words)
                threads = [threading.Thread(target=give, args=one) for one in (
                    ("phone", talk.device, {"decision": "allow"}), ("tablet", tablet, {"decision": "deny"}))]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(20)
                statuses = {name: status for name, (status, _) in got.items()}
                outcome.expect(sorted(statuses.values()) == [200, 409], f"round {number}: {statuses}")
                winner = next(name for name, status in statuses.items() if status == 200)
                wait_until(20, "the client goes on", lambda: bench.count(talk.machine, "PostToolBatch") > number)
                outcome.expect(talk.made(f"round{number}") == (winner == "phone"), f"round {number}: {winner} answered first")
                talk.expect_prompt(prompt, "answered", "allow" if winner == "phone" else "deny", "device", "applied")
                ended = talk.device.ask("GET", f"/v1/prompts/{prompt['id']}")
                outcome.expect((ended["answer"]["by"]["name"], len(ended["late_answers"])) == (winner, 1), f"round {number}: {ended}")
        finally:
            tablet.forget()
        talk.finish()
        talk.leave()


def reads_given_up(bench, outcome):
    """three reads at once, cancelled with one Esc: all three prompts end, and the session is idle"""
    outside = bench.directory / "given-up"
    outside.mkdir(exist_ok=True)
    for number in range(3):
        (outside / f"{number}.txt").write_text("text\n")
    reads = Turn(tools=[call("Read", file_path=str(outside / f"{number}.txt")) for number in range(3)])
    with Talk(bench, outcome, "given-up-reads", reads) as talk:
        session = talk.session()
        prompts = wait_until(30, "three held prompts", lambda: (
            found if len(found := [one for one in talk.device.prompts(session, "open") if one["answerable"]]) == 3 else None))
        at_dialog(talk)
        talk.terminal.press(ESCAPE)
        for prompt in prompts:
            talk.expect_prompt(prompt, "answered", "deny", "terminal")
        outcome.notes.append(f"idle {1000 * expect_state(talk, 'idle', 3):.0f} ms later")
        status, body = talk.device.answer(prompts[0], decision="allow")
        outcome.expect(status == 409, f"a late answer gets {status}: {body}")
        talk.leave()


def refused_with_words(bench, outcome):
    """a No with a reason at the terminal: the model reads it, and the turn continues; then a No without one, which ends it"""
    with Talk(bench, outcome, "no-with-words", touch("one"), Turn(text="Well then."), touch("two")) as talk:
        prompt = talk.held()
        at_dialog(talk)
        choose(talk, b"No")
        talk.terminal.press(TAB)
        time.sleep(0.5)
        type_in(talk, "Use another name.")
        talk.finish()
        outcome.expect("Use another name." in bench.api.told("no-with-words"), "the words did not reach the model")
        outcome.expect(not talk.made("one"), "a refused command was run")
        talk.expect_prompt(prompt, "answered", "deny", "terminal")
        expect_state(talk, "idle", 5)
        type_in(talk, "Again.")
        prompt = talk.held()
        at_dialog(talk)
        choose(talk, b"No")
        talk.terminal.press(ENTER)
        talk.expect_prompt(prompt, "answered", "deny", "terminal")
        expect_state(talk, "idle", 1)
        outcome.expect(bench.count(talk.machine, "Stop") == 1, "the client tells of the end: the monitor need not")
        talk.leave()


def approved_at_the_terminal(bench, outcome):
    """a plan approved at the terminal: the phone's answer comes too late"""
    turns = Turn(tools=write_plan), Turn(tools=[call("ExitPlanMode")])
    with Talk(bench, outcome, "plan-at-terminal", *turns, mode="plan") as talk:
        prompt = talk.held()
        at_dialog(talk)
        talk.terminal.press(ENTER)
        talk.finish()
        outcome.expect("approved your plan" in bench.api.told("plan-at-terminal"), "the plan was not approved")
        talk.expect_prompt(prompt, "answered", "allow", "terminal")
        status, body = talk.device.answer(prompt, decision="deny", message="Too late.")
        outcome.expect(status == 409, f"a late answer gets {status}: {body}")
        talk.leave()


def agents_prompts(bench, outcome):
    """prompts of a subagent: answered at the terminal after the hold, or not at all; and a refusal that ends the subagent"""
    task = Turn(tools=[call("Agent", description="a task", prompt="[subtask3] Look.", subagent_type="general-purpose")])
    bench.api.script("subtask3", touch("by-agent"), touch("again"), Turn(text="Looked."))
    with Talk(bench, outcome, "agents-prompts", task, approvals="hold=3") as talk:
        first = talk.held()
        outcome.expect(first["agent_id"], "the prompt does not name its agent")
        before = len(talk.terminal.shown)
        wait_until(15, "the hold ends", lambda: not talk.device.ask("GET", f"/v1/prompts/{first['id']}")["answerable"])
        at_dialog(talk, since=before)
        talk.terminal.press(ENTER)
        wait_until(20, "the agent's command runs", lambda: talk.made("by-agent"))
        talk.expect_prompt(first, "answered", "allow", "terminal")
        second = talk.held()
        before = len(talk.terminal.shown)
        wait_until(15, "the hold ends", lambda: not talk.device.ask("GET", f"/v1/prompts/{second['id']}")["answerable"])
        at_dialog(talk, since=before)
        status, _ = talk.device.answer(second, decision="allow")
        outcome.expect(status == 409, f"an answer to a prompt that is not held gets {status}")
        outcome.expect(not talk.made("again"), "the command ran without an answer")
        now = talk.device.ask("GET", f"/v1/prompts/{second['id']}")
        outcome.expect(now["state"] == "open", f"nobody answered, and the prompt is {now['state']}")
        talk.terminal.press(ESCAPE)
        wait_until(20, "the agent's end", lambda: bench.count(talk.machine, "SubagentStop", agent_type="general-purpose"))
        time.sleep(1)
        talk.leave()
    bench.api.script("subtask4", touch("by-agent"), Turn(text="Looked."))
    task = Turn(tools=[call("Agent", description="a task", prompt="[subtask4] Look.", subagent_type="general-purpose")])
    with Talk(bench, outcome, "stopped-agent", task) as talk:
        prompt = talk.answer(decision="deny", message="Stop here.", interrupt=True)
        talk.expect_prompt(prompt, "answered", "deny", "device", "applied")
        talk.finish(2)
        outcome.expect(not talk.made("by-agent"), "a refused command was run")
        talk.leave()


def filled_in_at_the_terminal(bench, outcome):
    """a form that nobody fills in on the phone, and that the person fills in at the terminal"""
    release, allow = Turn(tools=[call("mcp__form__release")]), ("--allowedTools", "mcp__form__release")
    servers = json.dumps({"mcpServers": {"form": {"command": sys.executable, "args": [str(HERE / "form_server.py")]}}})
    with Talk(bench, outcome, "form-at-terminal", release, approvals="hold=2",
              arguments=(*allow, "--mcp-config", servers, "--strict-mcp-config")) as talk:
        prompt = talk.held()
        at_dialog(talk, b"Which branch")
        for keys in (b"next", DOWN, DOWN, ENTER):
            talk.terminal.press(keys)
            time.sleep(0.5)
        talk.watch.await_event("ElicitationResult", action="accept")
        talk.finish()
        outcome.expect("next" in bench.api.told("form-at-terminal"), "the form's content did not reach the model")
        talk.expect_prompt(prompt, "answered", None, "terminal")
        talk.leave()


def directories(bench, outcome):
    """a directory outside the project, added from a phone because the client suggests it: the client asks no more about it"""
    outside = bench.directory / "added"
    outside.mkdir(exist_ok=True)

    def write(name):
        return Turn(tools=[call("Write", file_path=str(outside / name), content="notes\n")])
    with Talk(bench, outcome, "directories", write("one"), write("two")) as talk:
        prompt = talk.held()
        words = [one.get("type") for one in prompt["suggestions"]]
        outcome.expect("addDirectories" in words, f"the client suggests {words}")
        talk.answer(decision="allow", permissions=sorted({"addDirectories", "setMode"} & set(words)))
        talk.finish()
        outcome.expect((outside / "two").exists(), "the second file was not written")
        asked = bench.count(talk.machine, "PermissionRequest")
        outcome.expect(asked == 1, f"the client asked {asked} times")
        talk.expect_prompt(prompt, "answered", "allow", "device", "applied")
        talk.leave()


def spoken_over_a_restart(bench, outcome):
    """messages while the server is killed and started again: each arrives once, in order, with a receipt"""
    with Talk(bench, outcome, "over-restart", Turn(text="First."), *[Turn(text=f"Answer {n}.") for n in range(4)]) as talk:
        talk.finish()
        session = talk.session()
        texts = [f"[over-restart] Message {number}." for number in range(4)]

        def send(text):
            return talk.device.ask("POST", f"/v1/sessions/{session}/input", {"text": text})["id"]
        for text in texts[:2]:
            send(text)
        bench.monitor.kill()
        time.sleep(1)
        bench.monitor.start()
        for text in texts[2:]:
            send(text)

        def told():
            return [hook["prompt"] for _, hook in talk.machine.recorded()
                    if hook["hook_event_name"] == "UserPromptSubmit" and hook["prompt"] in texts]

        def states():
            listed = talk.device.ask("GET", f"/v1/sessions/{session}/input")
            return [one["state"] for one in listed["messages"]]
        try:
            wait_until(90, "four messages are read", lambda: states() == ["read"] * 4)
        except TimeoutError:
            outcome.faults.append(f"the messages are {states()}")
        outcome.expect(told() == texts, f"the client was told {told()}")
        talk.leave()


def deletions_reserved(bench, outcome):
    """an approvals file that leaves deletions to the terminal: no device has edits accepted, which would permit them"""
    remove = Turn(tools=[call("Bash", command="rm victim", description="clean")])
    with Talk(bench, outcome, "reserved", Turn(tools=write_plan), Turn(tools=[call("ExitPlanMode")]), remove, mode="plan",
              approvals="risk=delete who=notify") as talk:
        (talk.machine.project / "victim").write_text("kept\n")
        refused = talk.answer(422, decision="allow", mode="acceptEdits")
        outcome.expect(refused["modes_allowed"] == ["default"], f"the modes {refused['modes_allowed']} are allowed")
        talk.answer(decision="allow")
        wait_until(20, "the client asks", lambda: bench.count(talk.machine, "PermissionRequest") == 2)
        at_dialog(talk, b"victim")
        outcome.expect(talk.made("victim"), "a file was deleted without a question")
        talk.terminal.press(ESCAPE)
        time.sleep(0.5)
        outcome.expect(talk.made("victim"), "a file was deleted although the person refused")
        talk.leave()


def directory_read(bench, outcome):
    """a call with a directory: it gets no rule of its own, because that would permit each file below"""
    outside = bench.directory / "other"
    outside.mkdir(exist_ok=True)
    (outside / "file").write_text("not to be told\n")
    with Talk(bench, outcome, "directory", Turn(tools=[call("Read", file_path=f"{outside}/")]),
              Turn(tools=[call("Read", file_path=f"{outside}/file")]), approvals="always=no") as talk:
        talk.answer(422, decision="allow", scope="session")
        talk.answer(decision="allow")
        talk.answer(decision="deny", message="Not this file.")
        talk.finish()
        outcome.expect(bench.count(talk.machine, "PermissionRequest") == 2, "the client did not ask for the file")
        outcome.expect("not to be told" not in bench.api.told("directory"), "the file was read")
        talk.leave()


ALL = [headless, stopped, two_devices, reads_given_up, refused_with_words, approved_at_the_terminal, agents_prompts,
       filled_in_at_the_terminal, directories, deletions_reserved, directory_read, spoken_over_a_restart]
