"""More prompts of the real client: rules for good, plans as they are, the person at the terminal in the same moment; and messages
to a client that is busy, asks, or has begun anew."""

import json
import time

from answers import QUESTIONS, Talk, touch, write_plan
from messages_api import Turn, call
from monitor import wait_until
from terminal import ENTER, ESCAPE


def settled(talk, prompt, seconds=10):
    """The prompt, once it is no longer open."""
    def ended():
        now = talk.device.ask("GET", f"/v1/prompts/{prompt['id']}")
        return now if now["state"] != "open" else None
    return wait_until(seconds, "the prompt ends", ended)


def type_in(talk, text):
    talk.terminal.press(text.encode())
    wait_until(10, "the text is typed", lambda: text.split()[-1].encode() in talk.terminal.shown)
    time.sleep(0.3)
    talk.terminal.press(ENTER)


def ruled(bench, outcome):
    """rules from a phone: always, where the machine's file allows it; and a mode that the client suggests"""
    def write(name):
        return Turn(tools=lambda _: [call("Write", file_path=str(talk.machine.project / name), content="notes\n")])

    with Talk(bench, outcome, "ruled", touch("one"), touch("one"), touch("two"), write("notes"), write("more"),
              approvals="always=yes") as talk:
        first = talk.answer(decision="allow", scope="always")
        second = talk.answer(decision="deny")
        rules = json.loads((talk.machine.project / ".claude/settings.local.json").read_text())["permissions"]["allow"]
        outcome.expect(rules == ["Bash(touch one)"], f"the project's local settings allow {rules}")
        third = talk.held()
        words = [one.get("type") for one in third["suggestions"]]
        outcome.expect("setMode" in words, f"the client suggests {words}")
        talk.answer(decision="allow", permissions=["setMode"])
        talk.finish()
        outcome.expect((talk.made("one"), talk.made("two"), talk.made("notes"), talk.made("more")) == (True, False, True, True), "wrong files were made")
        asked = bench.count(talk.machine, "PermissionRequest")
        outcome.expect(asked == 3, f"the client asked {asked} times: a rule or the mode was not taken")
        modes = [hook.get("permission_mode") for _, hook in talk.machine.recorded() if hook["hook_event_name"] == "Stop"]
        outcome.expect(modes[-1:] == ["acceptEdits"], f"the mode is {modes}")
        for prompt, decision in ((first, "allow"), (second, "deny"), (third, "allow")):
            talk.expect_prompt(prompt, "answered", decision, "device", "applied")
        talk.leave()


def approved(bench, outcome):
    """plans as they are: approved, approved with accepted edits, and given up at the terminal with Esc"""
    def turns():
        return Turn(tools=write_plan), Turn(tools=[call("ExitPlanMode")])

    for name, words, mode in (("approved", {}, "default"), ("approved-edits", {"mode": "acceptEdits"}, "acceptEdits")):
        with Talk(bench, outcome, name, *turns(), mode="plan") as talk:
            prompt = talk.answer(decision="allow", **words)
            outcome.expect("Touch a file" in prompt["plan"], f"the plan is {prompt['plan']!r}")
            talk.finish()
            told = bench.api.told(name)
            outcome.expect("approved your plan" in told and "edited by user" not in told, "the plan was not approved as it is")
            modes = [hook.get("permission_mode") for _, hook in talk.machine.recorded() if hook["hook_event_name"] == "Stop"]
            outcome.expect(modes[-1:] == [mode], f"the mode is {modes}")
            talk.expect_prompt(prompt, "answered", "allow", "device", "applied")
            talk.leave()
    with Talk(bench, outcome, "given-up", *turns(), mode="plan") as talk:
        prompt = talk.held()
        wait_until(10, "the dialog", lambda: b"plan" in talk.terminal.shown)
        time.sleep(0.5)
        talk.terminal.press(ESCAPE)
        talk.expect_prompt(prompt, "answered", "deny", "terminal")
        talk.leave()


def questioned_at_the_terminal(bench, outcome):
    """a question answered at the terminal first, then one given up with Esc: the phone's answer comes too late"""
    ask = Turn(tools=[call("AskUserQuestion", questions=QUESTIONS[:1])])
    with Talk(bench, outcome, "terminal-question", ask, ask) as talk:
        first = talk.held()
        wait_until(10, "the dialog", lambda: b"Which database" in talk.terminal.shown)
        time.sleep(0.5)
        talk.terminal.press(ENTER)
        ended = settled(talk, first)
        outcome.expect((ended["state"], ended["answer"]["by"]["kind"]) == ("answered", "terminal"), f"the prompt is {ended}")
        status, body = talk.device.answer(first, answers={"Which database?": "SQLite"})
        outcome.expect(status == 409, f"a late answer gets {status}: {body}")
        second = talk.held()
        outcome.expect("PostgreSQL" in bench.api.told("terminal-question"), "the terminal's answer did not reach the model")
        time.sleep(0.5)
        talk.terminal.press(ESCAPE)
        talk.expect_prompt(second, "answered", "deny", "terminal")
        talk.leave()


def same_moment(bench, outcome):
    """the terminal's yes and the phone's no within the same 50 ms, in both orders: one counts, and the monitor says which"""
    rounds = 3
    turns = [touch(f"{order}{number}") for number in range(rounds) for order in ("terminal", "phone")]
    won = {"terminal": 0, "device": 0}
    with Talk(bench, outcome, "same-moment", *turns) as talk:
        for number in range(rounds):
            for order in ("terminal", "phone"):
                prompt, before = talk.held(), len(talk.terminal.shown)
                wait_until(10, "the dialog", lambda: b"Yes" in talk.terminal.shown[max(0, before - 4000):])
                time.sleep(0.5)
                if order == "terminal":
                    talk.terminal.press(ENTER)
                    time.sleep(0.02)
                status, body = talk.device.answer(prompt, decision="deny", message="Not that one.")
                if order == "phone":
                    talk.terminal.press(ENTER)
                outcome.expect(status in (200, 409, 410), f"the phone's answer gets {status}: {body}")
                name = f"{order}{number}"
                wait_until(20, "the client goes on", lambda: bench.count(talk.machine, "PostToolBatch") > 2 * number + (order == "phone"))
                ended = settled(talk, prompt)
                wait_until(10, "it is known what was done", lambda: settled(talk, prompt)["answer"]["by"]["kind"] == (
                    "terminal" if talk.made(name) else "device"))
                ended = settled(talk, prompt)
                by, decision = ended["answer"]["by"]["kind"], ended["answer"]["decision"]
                won[by] += 1
                outcome.expect((by, decision) == (("terminal", "allow") if talk.made(name) else ("device", "deny")),
                               f"{name}: made is {talk.made(name)}, and the prompt was decided {decision} by {by}")
                if by == "terminal" and status == 200:
                    outcome.expect(len(ended["late_answers"]) == 1, f"{name}: the phone's answer is lost: {ended}")
        talk.finish()
        outcome.notes.append(f"the terminal won {won['terminal']} times, the phone {won['device']} times")
        talk.leave()


def spoken_while_busy(bench, outcome):
    """messages while a tool runs, while a dialog is open, and after /clear; three at once"""
    wait = Turn(tools=[call("Bash", command="sleep 3; touch waited", description="wait")])
    with Talk(bench, outcome, "busy", wait, touch("one"), Turn(text="Made."), *[Turn(text=f"Answer {n}.") for n in range(6)]) as talk:
        session = talk.session()
        talk.answer(decision="allow")
        talk.device.ask("POST", f"/v1/sessions/{session}/input", {"text": "While the tool runs."})
        wait_until(20, "the model reads it", lambda: "While the tool runs." in bench.api.told("busy"))
        prompt = talk.held()
        time.sleep(0.5)
        talk.device.ask("POST", f"/v1/sessions/{session}/input", {"text": "While the dialog is open."})
        time.sleep(3)
        outcome.expect(not talk.made("one"), "a message answered the dialog")
        outcome.expect(talk.device.ask("GET", f"/v1/prompts/{prompt['id']}")["state"] == "open", "a message closed the prompt")
        talk.answer(decision="allow")
        wait_until(30, "the model reads the second", lambda: "While the dialog is open." in bench.api.told("busy"))
        outcome.expect(talk.made("one"), "the command was not run")
        talk.finish()
        type_in(talk, "/clear")
        again = wait_until(20, "a session begins anew", lambda: [
            hook["session_id"] for _, hook in talk.machine.recorded()
            if hook["hook_event_name"] == "SessionStart" and hook.get("source") == "clear"])[0]
        outcome.expect(again != session, "the session keeps its id after /clear")
        texts = ["[busy] First of three.", "[busy] Second of three.", "[busy] Third of three."]

        def sent():
            return talk.device.status("POST", f"/v1/sessions/{again}/input", {"text": texts[0]})[0] == 200
        wait_until(20, "the new session takes messages", sent)
        for text in texts[1:]:
            talk.device.ask("POST", f"/v1/sessions/{again}/input", {"text": text})
        wait_until(60, "three messages", lambda: sum(
            hook["hook_event_name"] == "UserPromptSubmit" and hook.get("prompt") in texts for _, hook in talk.machine.recorded()) >= 3)
        prompts = [hook["prompt"] for _, hook in talk.machine.recorded()
                   if hook["hook_event_name"] == "UserPromptSubmit" and hook["prompt"] in texts]
        outcome.expect(prompts == texts, f"the client was told {prompts}")

        def states():
            listed = talk.device.ask("GET", f"/v1/sessions/{again}/input")
            return [one["state"] for one in listed.get("messages", listed.get("data", []))]
        wait_until(30, "the messages are read", lambda: states() == ["read"] * 3)
        talk.leave()


ALL = [ruled, approved, questioned_at_the_terminal, same_moment, spoken_while_busy]
