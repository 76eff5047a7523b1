"""More prompts of the real client: permanent rules, unchanged plans, an answer at the terminal in the same moment; and messages
to a client that is busy, asks, or has run /clear."""

import json
import threading
import time

from answers import QUESTIONS, Talk, touch, write_plan
from messages_api import Turn, call
from monitor import wait_until
from terminal import ENTER, ESCAPE


def settled(talk, prompt, seconds=10):
    """Waits until the prompt is no longer open. Returns it."""
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
    """rules from a phone: permanent ones, because the approvals file allows them; and a mode that the client suggests"""
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
    """unchanged plans: approved, approved with accepted edits, and cancelled at the terminal with Esc"""
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
    """a question answered at the terminal first, then one cancelled with Esc: the phone's answer comes too late"""
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
    """yes at the terminal and no on the phone at almost the same time, either first: one counts, and the monitor shows which"""
    # Who answers first, and how many seconds later the other one does. Only in the last rounds is the result certain.
    rounds = [("terminal", 0.02), ("phone", 0), ("phone", 0.05), ("terminal", 0), ("phone", 0.1), ("phone", 0.2), ("phone", 1.5),
              ("terminal", 1)]
    pressed = [threading.Event() for _ in rounds]
    turns = [touch(f"round{number}") for number in range(len(rounds))]
    # A late key must not answer the next dialog.
    for turn, event in zip(turns[1:], pressed):
        turn.before = lambda event=event: event.wait(30)
    won = {"terminal": [], "device": []}
    with Talk(bench, outcome, "same-moment", *turns) as talk:
        for number, (first, seconds) in enumerate(rounds):
            prompt, before = talk.held(), len(talk.terminal.shown)
            wait_until(10, "the dialog", lambda: b"Yes" in talk.terminal.shown[max(0, before - 4000):])
            time.sleep(0.5)

            def press():
                talk.terminal.press(ENTER)
                pressed[number].set()
            if first == "terminal":
                press()
                time.sleep(seconds)
            status, body = talk.device.answer(prompt, decision="deny", message="Not that one.")
            if first == "phone":
                time.sleep(seconds)
                press()
            outcome.expect(status in (200, 409, 410), f"the phone's answer gets {status}: {body}")
            wait_until(20, "the client goes on", lambda: bench.count(talk.machine, "PostToolBatch") > number)
            made = talk.made(f"round{number}")
            winner = "terminal" if made else "device"
            wait_until(10, "it is known what was done", lambda: settled(talk, prompt)["answer"]["by"]["kind"] == winner)
            ended = settled(talk, prompt)
            decision = ended["answer"]["decision"]
            won[winner].append(f"{first} +{seconds}")
            outcome.expect(decision == ("allow" if made else "deny"), f"round {number}: made is {made}, and the decision is {decision}")
            if winner == "terminal" and status == 200:
                outcome.expect(len(ended["late_answers"]) == 1, f"round {number}: the phone's answer is lost: {ended}")
            if winner == "device":
                outcome.expect(status == 200, f"round {number}: the phone's answer counts and got {status}")
        talk.finish()
        outcome.expect(won["terminal"] and won["device"], f"each side must be able to win: {won}")
        outcome.notes.append(f"the terminal won {won['terminal']}, the phone {won['device']}")
        talk.leave()


def spoken_often(bench, outcome):
    """fifty messages at once to one session: each arrives once, in order, with a receipt"""
    count = 50
    with Talk(bench, outcome, "often", Turn(text="First.")) as talk:
        talk.finish()
        session = talk.session()
        texts = [f"[often] Message {number} of {count}." for number in range(count)]
        began = time.monotonic()
        sent = [talk.device.ask("POST", f"/v1/sessions/{session}/input", {"text": text})["id"] for text in texts]

        def told():
            return [hook["prompt"] for _, hook in talk.machine.recorded()
                    if hook["hook_event_name"] == "UserPromptSubmit" and hook["prompt"] in texts]
        try:
            wait_until(300, "all messages", lambda: len(told()) >= count)
        except TimeoutError:
            outcome.faults.append(f"{len(told())} of {count} messages came")
        outcome.notes.append(f"{count} messages in {time.monotonic() - began:.0f} s")
        outcome.expect(told() == texts, f"the client was told {told()}")

        def states():
            listed = talk.device.ask("GET", f"/v1/sessions/{session}/input")
            known = {one["id"]: one["state"] for one in listed.get("messages", listed.get("data", []))}
            return [known.get(one) for one in sent]
        try:
            wait_until(30, "the receipts", lambda: states() == ["read"] * count)
        except TimeoutError:
            outcome.faults.append(f"the messages are {states()}")
        outcome.expect(told() == texts, "a message came again")
        talk.leave()


def database_killed(bench, outcome):
    """kill -9 of PostgreSQL while a prompt is held: it stays open, an answer meanwhile is stored or refused, and one counts"""
    with Talk(bench, outcome, "database-killed", touch("one"), touch("two")) as talk:
        first = talk.held()
        bench.monitor.kill_database()
        refused = []

        def answered():
            try:
                status, body = talk.device.answer(first, decision="allow")
            except OSError as error:
                status, body = None, error
            if status in (200, 409):
                return True
            refused.append(status)
            outcome.expect(status in (None, 503), f"an answer without a database gets {status}: {body}")
            return False
        wait_until(60, "the answer is taken", answered)
        wait_until(40, "the command is run", lambda: talk.made("one"))
        talk.expect_prompt(first, "answered", "allow", "device", "applied")
        second = talk.held()
        bench.monitor.kill_database()
        time.sleep(0.5)
        talk.terminal.press(ENTER)
        wait_until(40, "the terminal's answer is taken without a database", lambda: talk.made("two"))
        wait_until(60, "the server is healthy", bench.monitor.is_healthy)
        talk.expect_prompt(second, "answered", "allow", "terminal")
        talk.finish()
        asked = talk.device.prompts(talk.session())
        outcome.expect(len(asked) == 2, f"{len(asked)} prompts, not two: {asked}")
        outcome.notes.append(f"{len(refused)} answers were refused meanwhile")
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


ALL = [ruled, approved, questioned_at_the_terminal, same_moment, spoken_while_busy, spoken_often, database_killed]
