"""Runs of the real client in a terminal, with a person who answers."""

import threading

from messages_api import Turn, call
from monitor import wait_until
from terminal import ENTER, ESCAPE, Terminal


class Watch:
    """The only session of a machine, as the monitor shows it."""

    def __init__(self, bench, machine, outcome):
        self.bench, self.machine, self.outcome = bench, machine, outcome

    def session(self):
        recorded = self.machine.recorded()
        return self.bench.monitor.session(recorded[0][1]["session_id"]) if recorded else {}

    def await_event(self, event, seconds=40, **fields):
        wait_until(seconds, f"the client fires {event} {fields or ''}",
                   lambda: self.bench.count(self.machine, event, **fields))

    def await_state(self, state, seconds=10):
        try:
            wait_until(seconds, state, lambda: self.session().get("state") == state)
        except TimeoutError:
            self.outcome.faults.append(f"session state is {self.session().get('state')!r}, not {state!r}")


    def expect_prompt(self, waiting, state, decision=None):
        """Checks the only prompt of the session: it has one row, which has the id in the session's state, and which ended as
        the events show."""
        session = self.session()["id"]
        found = self.bench.monitor.get(f"/v1/prompts?session_id={session}")["prompts"]
        asked = [one for one in found if one["kind"] != "input"]
        if len(asked) != 1:
            return self.outcome.faults.append(f"{len(asked)} prompts, not one: {found}")
        prompt, = asked
        ended = prompt["state"], prompt.get("answer", {}).get("decision")
        self.outcome.expect(prompt["tool_use_id"] == waiting.get("tool_use_id"), f"the prompt's id is {prompt['tool_use_id']}")
        self.outcome.expect(ended == (state, decision), f"the prompt is {ended}, not {(state, decision)}")
        evidence = prompt["life"][-1].get("evidence")
        events = {event["event_id"] for event in self.bench.monitor.listed(session)}
        self.outcome.expect(evidence in events, f"no event of the session shows the end: {prompt['life']}")


def dialog(bench, outcome):
    """a permission dialog: waiting until a person says yes, then running, idle, ended"""
    machine, subscriber = bench.machine("dialog"), bench.subscriber()
    watch, answered = Watch(bench, machine, outcome), threading.Event()
    bench.api.script("dialog", Turn(tools=[call("Bash", command="touch made", description="a file")]),
                     Turn(text="Made.", before=lambda: answered.wait(30)))
    terminal = Terminal(machine, "--permission-mode", "default", "[dialog] Touch it.")
    try:
        watch.await_event("PermissionRequest")
        watch.await_state("waiting")
        waiting = watch.session().get("waiting_for") or {}
        asked = {"kind": "permission", "tool_name": "Bash", "tool_use_id": call_id(machine)}
        outcome.expect(asked.items() <= waiting.items(), f"waits for {waiting}, not for {asked}")
        watch.await_event("Notification", notification_type="permission_prompt")
        watch.await_state("waiting")
        terminal.press(ENTER)
        watch.await_event("PostToolBatch")
        watch.await_state("running")
        answered.set()
        watch.await_event("Stop")
        watch.await_state("idle")
        watch.expect_prompt(waiting, "answered", "allow")
        outcome.expect(watch.session().get("status") == "active", "the session is not active before its end")
        leave(terminal, watch, outcome)
    finally:
        answered.set()
        terminal.close()
    outcome.expect((machine.project / "made").exists(), "the client did not run the command")
    bench.compare(machine, subscriber, outcome)


def refused(bench, outcome):
    """a permission dialog that a person refuses: no hook reports it, and the next prompt ends the waiting"""
    machine, subscriber = bench.machine("refused"), bench.subscriber()
    watch, answered = Watch(bench, machine, outcome), threading.Event()
    bench.api.script("refused", Turn(tools=[call("Bash", command="touch made", description="a file")]),
                     Turn(text="Well then.", before=lambda: answered.wait(30)))
    terminal = Terminal(machine, "--permission-mode", "default", "[refused] Touch it.")
    try:
        watch.await_event("Notification", notification_type="permission_prompt")
        watch.await_state("waiting")
        waiting = watch.session().get("waiting_for") or {}
        terminal.press(ESCAPE)
        wait_until(10, "the client takes the refusal", lambda: b"nterrupted" in terminal.shown)
        terminal.press(b"Leave it.")
        wait_until(10, "the prompt is typed", lambda: b"Leave" in terminal.shown)
        terminal.press(ENTER)
        watch.await_event("UserPromptSubmit", prompt="Leave it.")
        watch.await_state("running")
        answered.set()
        watch.await_event("Stop")
        watch.await_state("idle")
        watch.expect_prompt(waiting, "overtaken")
        leave(terminal, watch, outcome)
    finally:
        answered.set()
        terminal.close()
    bench.compare(machine, subscriber, outcome)


def api_error(bench, outcome):
    """an API that answers 429: StopFailure instead of Stop, and a session in error until the next prompt"""
    machine, subscriber = bench.machine("api-error"), bench.subscriber()
    watch = Watch(bench, machine, outcome)
    bench.api.script("api-error", Turn(status=429, error="rate_limit_error", text="Slow down."), Turn(text="Better."))
    terminal = Terminal(machine, "--permission-mode", "default", "[api-error] Go.")
    try:
        watch.await_event("StopFailure", error="rate_limit")
        watch.await_state("error")
        terminal.press(b"Again.")
        wait_until(10, "the prompt is typed", lambda: b"Again." in terminal.shown)
        terminal.press(ENTER)
        watch.await_event("Stop")
        watch.await_state("idle")
        leave(terminal, watch, outcome)
    finally:
        terminal.close()
    bench.compare(machine, subscriber, outcome)


def call_id(machine):
    return next(hook["tool_use_id"] for _, hook in machine.recorded() if hook["hook_event_name"] == "PreToolUse")


def leave(terminal, watch, outcome):
    terminal.press(b"/exit")
    wait_until(10, "the command is typed", lambda: b"/exit" in terminal.shown)
    terminal.press(ENTER)
    watch.await_event("SessionEnd")
    outcome.expect(terminal.wait(15) == 0, "the client did not end in good order")


ALL = [dialog, refused, api_error]
