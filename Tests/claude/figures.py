"""Tokens and cost of the real client: they equal what the scripted API charged, to the token and to a millionth of a dollar."""

import signal
import time

from dialogs import Watch, leave
from messages_api import LONG_PROMPT, Turn, call
from monitor import wait_until
from scenarios import TOOLS, shell
from terminal import ENTER, ESCAPE, Terminal

# Dollars for a million tokens: input, output, cache read, cache write of five minutes, cache write of an hour.
RATES = {"claude-sonnet-5": (2, 10, 0.2, 2.5, 4), "claude-haiku-5-5": (0.1, 0.5, 0.01, 0.125, 0.2),
         "claude-haiku-4-5-20251001": (1, 5, 0.1, 1.25, 2), "claude-opus-5-5": (4, 20, 0.2, 5, 8)}
LONG_RATES = {"claude-haiku-5-5": (0.5, 2.5, 0.05, 0.625, 1)}


def sum_of(charges):
    tokens, cost = [0, 0, 0, 0], 0.0
    for model, usage, _ in charges:
        written = usage["cache_creation_input_tokens"]
        hour = usage["cache_creation"]["ephemeral_1h_input_tokens"]
        counts = (usage["input_tokens"], usage["output_tokens"], usage["cache_read_input_tokens"], written - hour, hour)
        tokens = [have + more for have, more in zip(tokens, (*counts[:3], written))]
        is_long = sum(counts) - counts[1] > LONG_PROMPT.get(model, sum(counts))
        cost += sum(count * rate for count, rate in zip(counts, (LONG_RATES if is_long else RATES)[model])) / 1e6
    return dict(zip(("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"), tokens)), cost


def compare(bench, outcome, session, source, confidence, exactly=True):
    """Compares the session's figures with what the API charged, after they have arrived."""
    tokens, cost = sum_of(bench.api.charged[session])

    def settled():
        found = bench.monitor.session(session)
        said = found.get("usage_source"), found.get("usage_confidence")
        return said == (source, confidence) and (not exactly or found.get("token_usage") == tokens) and found
    try:
        found = wait_until(30, f"the figures of {session} have come", settled)
    except TimeoutError:
        found = None
    found = found or bench.monitor.session(session)
    got = {name: found.get(name) for name in ("token_usage", "total_cost", "usage_source", "usage_confidence")}
    outcome.expect((got["usage_source"], got["usage_confidence"]) == (source, confidence), f"{got}, not {source} {confidence}")
    if exactly:
        outcome.expect(got["token_usage"] == tokens and abs((got["total_cost"] or 0) - cost) < 1e-6,
                       f"{got} instead of {tokens} and {cost}")
    else:
        outcome.expect(all((got["token_usage"] or {}).get(name, 0) <= count for name, count in tokens.items())
                       and (got["total_cost"] or 0) <= cost + 1e-6, f"{got} is more than {tokens} and {cost}")
    outcome.notes.append(f"{len(bench.api.charged[session])} requests, ${cost:.6f}")


def only(bench, outcome, result):
    outcome.expect(result["session_id"] in bench.api.charged, "the API saw no request of the session")
    return result["session_id"]


class States:
    """The state of a machine's only session, checked while the client waits for the model."""

    def __init__(self, bench, machine, outcome):
        self.bench, self.machine, self.outcome, self.looks = bench, machine, outcome, 0

    def found(self):
        recorded = self.machine.recorded()
        return self.bench.monitor.session(recorded[0][1]["session_id"]) if recorded else {}

    def expect(self, state, status="active", seconds=10):
        self.looks += 1
        try:
            wait_until(seconds, state, lambda: (self.found().get("state"), self.found().get("status")) == (state, status))
        except TimeoutError:
            found = {name: self.found().get(name) for name in ("state", "status", "state_source", "state_since")}
            self.outcome.faults.append(f"look {self.looks}: {found}, not {state}, {status}")

    def at_each(self, *turns):
        """The turns, with a check of the running session before each answer."""
        for turn in turns:
            turn.before = lambda: self.expect("running")
        return turns


def both(bench, outcome):
    """tokens, cost and state with telemetry and transcript: tools, a subagent, a resumed session"""
    machine = bench.machine("both")
    states = States(bench, machine, outcome)
    task = call("Agent", description="a task", prompt="[both-sub] Look.", subagent_type="general-purpose")
    bench.api.script("both", *states.at_each(shell("echo one"), Turn(tools=[task]), shell("exit 3"), Turn(text="Done.")))
    bench.api.script("both-sub", shell("echo sub"), Turn(text="Looked."))
    session = only(bench, outcome, machine.run("[both] Work.", *TOOLS))
    states.expect("idle", "ended")
    compare(bench, outcome, session, "both", "exact")
    bench.api.script("both", *states.at_each(shell("echo again"), Turn(text="Again.")))
    machine.run("[both] Go on.", "--resume", session, *TOOLS)
    states.expect("idle", "ended")
    compare(bench, outcome, session, "both", "exact")


def background(bench, outcome):
    """tokens and cost of a turn that leaves a command running, and of the turn that begins when the command ends"""
    machine = bench.machine("background")
    late = call("Bash", command="sleep 2; echo late", description="a command", run_in_background=True)
    bench.api.script("background", Turn(tools=[late]), Turn(text="It runs."), Turn(text="It has ended."))
    compare(bench, outcome, only(bench, outcome, machine.run("[background] Work.", *TOOLS)), "both", "exact")


def parallel(bench, outcome):
    """tokens and cost of answers with several calls: each block repeats the answer's usage, which counts once"""
    machine = bench.machine("parallel")
    for name in ("one", "two", "three"):
        (machine.project / name).write_text(name)
    reads = [call("Read", file_path=str(machine.project / name)) for name in ("one", "two", "three")]
    bench.api.script("parallel", Turn(text="I look.", tools=reads), Turn(tools=reads[:2]), Turn(text="Done."))
    session = only(bench, outcome, machine.run("[parallel] Work.", *TOOLS))
    outcome.expect(bench.count(machine, "PostToolUse") == 5, "not all five calls ran")
    compare(bench, outcome, session, "both", "exact")


def refused_call(bench, outcome):
    """tokens and cost after Esc at a permission dialog: the turn is over, the session idle, and the next turn counts, too"""
    for name, options in (("refused-call", []), ("refused-plain", ["--no-transcripts", "--no-telemetry"])):
        machine = bench.bare_machine(name)
        bench.install(machine, *options)
        if options:
            # No hook is waiting here, so only the client's status shows the refusal.
            approvals = machine.home / ".config/claude-monitor/approvals"
            approvals.write_text("who=off\n")
        watch = Watch(bench, machine, outcome)
        bench.api.script(name, Turn(tools=[call("Bash", command="touch made", description="a file")]), Turn(text="Well then."))
        terminal = Terminal(machine, "--permission-mode", "default", f"[{name}] Touch it.")
        try:
            watch.await_event("PermissionRequest")
            watch.await_state("waiting")
            wait_until(20, "the dialog is there", lambda: b"Do you want" in terminal.shown or b"proceed" in terminal.shown)
            terminal.press(ESCAPE)
            began = time.monotonic()
            watch.await_state("idle", seconds=75)
            source = watch.session().get("state_source")
            outcome.notes.append(f"a refusal known after {time.monotonic() - began:.0f} s by {source}")
            outcome.expect(source == "heartbeat" or not options, f"the state follows from {source}")
            typed(terminal, "Leave it.", "Leave")
            watch.await_event("Stop")
            watch.await_state("idle")
            session = watch.session()["id"]
            leave(terminal, watch, outcome)
        finally:
            terminal.close()
        if not options:
            compare(bench, outcome, session, "both", "exact")


def transcript_cut(bench, outcome):
    """tokens and cost with only the transcript of a killed client, which has no sum of its own: a lower bound"""
    machine = bench.bare_machine("transcript-cut")
    bench.install(machine, "--no-telemetry")
    bench.api.script("transcript-cut", shell("echo one"), shell("tail -f /dev/null"))
    process = machine.start("[transcript-cut] Work.", *TOOLS)
    wait_until(30, "the tool runs", lambda: bench.count(machine, "PreToolUse") == 2)
    session = machine.recorded()[0][1]["session_id"]
    wait_until(30, "the machine sends heartbeats", (machine.spool.parent / "watch.lock").exists)
    process.send_signal(signal.SIGKILL)
    wait_until(75, "the session is known to be gone", lambda: bench.monitor.session(session).get("status") == "ended")
    compare(bench, outcome, session, "transcript", "lower_bound", exactly=False)
    outcome.expect(bench.monitor.session(session).get("total_tokens"), "the transcript told nothing")


def telemetry_alone(bench, outcome):
    """tokens and cost with only telemetry, and after kill -9"""
    machine = bench.bare_machine("telemetry-alone")
    bench.install(machine, "--no-transcripts")
    bench.api.script("alone", shell("echo one"), Turn(text="Done."))
    compare(bench, outcome, only(bench, outcome, machine.run("[alone] Work.", *TOOLS)), "otel", "exact")
    bench.api.script("cut", shell("echo one"), shell("tail -f /dev/null"))
    process = machine.start("[cut] Work.", *TOOLS, OTEL_LOGS_EXPORT_INTERVAL="500")
    wait_until(30, "the client is at its second call", lambda: bench.api.left("cut") == 0)
    session = wait_until(30, "a session was charged", lambda: list(bench.api.charged)[-1])
    wait_until(20, "telemetry has come", lambda: bench.monitor.session(session).get("usage_source") == "otel")
    process.send_signal(signal.SIGKILL)
    compare(bench, outcome, session, "otel", "lower_bound", exactly=False)


def transcript_alone(bench, outcome):
    """tokens and cost with only the transcript, and the client's own sum"""
    machine = bench.bare_machine("transcript-alone")
    bench.install(machine, "--no-telemetry")
    bench.api.script("written", shell("echo one"), Turn(text="Done."))
    result = machine.run("[written] Work.", *TOOLS)
    session = only(bench, outcome, result)
    wait_until(30, "the client's own sum has come", lambda: bench.monitor.session(session).get("usage_confidence") == "exact")
    compare(bench, outcome, session, bench.monitor.session(session)["usage_source"], "exact")


def compacted(bench, outcome):
    """tokens and cost over /compact: the summary is a request of the session too"""
    machine = bench.machine("compacted")
    states = States(bench, machine, outcome)
    bench.api.script("compacted", *states.at_each(shell("echo one"), Turn(text="Done.")))
    session = only(bench, outcome, machine.run("[compacted] Work.", *TOOLS))
    states.expect("idle", "ended")
    before = len(bench.api.charged[session])
    machine.run("/compact", "--resume", session, *TOOLS)
    outcome.expect(len(bench.api.charged[session]) > before, "the client asked for no summary")
    states.expect("idle", "ended")
    compare(bench, outcome, session, "both", "exact")


def forked(bench, outcome):
    """tokens and cost of a fork: copied requests count once, in the session that they come from"""
    machine = bench.machine("forked")
    bench.api.script("forked", shell("echo one"), Turn(text="Done."), Turn(text="Otherwise."))
    first = only(bench, outcome, machine.run("[forked] Work.", *TOOLS))
    second = only(bench, outcome, machine.run("[forked] Once more.", "--resume", first, "--fork-session", *TOOLS))
    outcome.expect(first != second, "the fork has the same session")
    for session in (first, second):
        compare(bench, outcome, session, "both", "exact")


def forked_alone(bench, outcome):
    """tokens and cost of a fork with only its transcript: copied requests count for the parent, which nothing else reports"""
    machine = bench.bare_machine("forked-alone")
    bench.api.script("forked-alone", shell("echo one"), Turn(text="Done."), Turn(text="Otherwise."))
    first = machine.run("[forked-alone] Work.", *TOOLS)["session_id"]
    bench.install(machine, "--no-telemetry")
    second = only(bench, outcome, machine.run("[forked-alone] Once more.", "--resume", first, "--fork-session", *TOOLS))
    outcome.expect(first != second, "the fork has the same session")
    turns = {session: [one for one in bench.api.charged[session] if one[2]] for session in (first, second)}
    outcome.expect(all(turns.values()), f"the API charged {turns}")

    def told(session):
        found = bench.monitor.get(f"/v1/usage?session_id={session}")["total"]
        return found["requests"], found["token_usage"], round(found["total_cost"], 9)

    for session, charges in turns.items():
        tokens, cost = sum_of(charges)
        expected = len(charges), tokens, round(cost, 9)
        try:
            wait_until(30, "the figures", lambda: told(session) == expected)
        except TimeoutError:
            outcome.faults.append(f"{told(session)}, not {expected}")
    outcome.notes.append(f"{[len(one) for one in turns.values()]} requests")


def escaped(bench, outcome):
    """tokens and cost after Esc in the middle of a turn: those of the finished requests; the session is idle"""
    machine = bench.machine("escaped")
    watch = Watch(bench, machine, outcome)
    bench.api.script("escaped", shell("echo one"), shell("tail -f /dev/null"), Turn(text="Again."))
    terminal = Terminal(machine, *TOOLS, "[escaped] Work.")
    try:
        wait_until(40, "the second tool runs", lambda: bench.count(machine, "PreToolUse") == 2)
        watch.await_state("running")
        terminal.press(ESCAPE)
        began = time.monotonic()
        watch.await_state("idle", seconds=75)
        outcome.notes.append(f"Esc known after {time.monotonic() - began:.0f} s")
        session = watch.session()["id"]
        compare(bench, outcome, session, "both", "exact")
        typed(terminal, "Further, please.", "Further,")
        watch.await_event("Stop")
        watch.await_state("idle")
        compare(bench, outcome, session, "both", "exact")
        leave(terminal, watch, outcome)
    finally:
        terminal.close()
    compare(bench, outcome, session, "both", "exact")


def failing(bench, outcome):
    """tokens and cost with API errors 400, 401, 429 and 529: they cost nothing"""
    machine = bench.machine("failing")
    for status, error in ((400, "invalid_request_error"), (401, "authentication_error"), (429, "rate_limit_error"),
                          (529, "overloaded_error")):
        tag = f"failing-{status}"
        bench.api.script(tag, shell("echo one"), Turn(status=status, error=error, text="Not now."), Turn(text="Better."))
        result = machine.run(f"[{tag}] Work.", *TOOLS)
        # After a 400, the client repeats the request once by itself.
        outcome.expect(result["is_error"] or status == 400, f"the client takes {status} for an answer")
        session = only(bench, outcome, result)
        compare(bench, outcome, session, "both", "exact")
        machine.run(f"[{tag}] Again.", "--resume", session, *TOOLS)
        compare(bench, outcome, session, "both", "exact")


def cut_short(bench, outcome):
    """tokens and cost of an answer that ends at max_tokens"""
    machine = bench.machine("cut-short")
    bench.api.script("cut-short", shell("echo one"), Turn(text="It begins", stop="max_tokens"), Turn(text="and ends."))
    compare(bench, outcome, only(bench, outcome, machine.run("[cut-short] Work.", *TOOLS)), "both", "exact")


def terminated(bench, outcome):
    """tokens and cost after SIGTERM while a tool runs: the client still reports them, and its end"""
    machine = bench.machine("terminated")
    bench.api.script("terminated", shell("echo one"), shell("tail -f /dev/null"))
    process = machine.start("[terminated] Work.", *TOOLS)
    wait_until(30, "the client is at its second call", lambda: bench.api.left("terminated") == 0)
    wait_until(30, "the tool runs", lambda: bench.count(machine, "PreToolUse") == 2)
    session = machine.recorded()[0][1]["session_id"]
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    wait_until(30, "the session has ended", lambda: bench.monitor.session(session).get("status") == "ended")
    compare(bench, outcome, session, "both", "exact")


def killed_client(bench, outcome):
    """tokens and cost after kill -9 of the client: never more than was charged, and marked as a lower bound"""
    machine = bench.machine("killed-client")
    bench.api.script("killed-client", shell("echo one"), shell("tail -f /dev/null"))
    process = machine.start("[killed-client] Work.", *TOOLS, OTEL_LOGS_EXPORT_INTERVAL="500")
    wait_until(30, "the tool runs", lambda: bench.count(machine, "PreToolUse") == 2)
    session = machine.recorded()[0][1]["session_id"]
    wait_until(20, "telemetry has come", lambda: bench.monitor.session(session).get("total_tokens"))
    process.send_signal(signal.SIGKILL)
    wait_until(75, "the session is known to be gone", lambda: bench.monitor.session(session).get("status") == "ended")
    found = bench.monitor.session(session)
    compare(bench, outcome, session, found["usage_source"], "lower_bound", exactly=False)


def typed(terminal, text, shown=None):
    terminal.press(text.encode())
    wait_until(10, f"{text} is typed", lambda: (shown or text).encode() in terminal.shown)
    terminal.press(ENTER)


def cleared(bench, outcome):
    """tokens and cost with /clear: another session begins, and each session has its own requests"""
    machine = bench.machine("cleared")
    watch = Watch(bench, machine, outcome)
    bench.api.script("cleared", Turn(text="First."))
    bench.api.script("cleared-again", Turn(text="Second."))
    terminal = Terminal(machine, "[cleared] Work.")
    try:
        watch.await_event("Stop")
        typed(terminal, "/clear")
        watch.await_event("SessionStart", source="clear")
        typed(terminal, "[cleared-again] Go on.", "cleared-again")
        wait_until(40, "a second turn ends", lambda: bench.count(machine, "Stop") == 2)
        leave(terminal, watch, outcome)
    finally:
        terminal.close()
    sessions = list(dict.fromkeys(hook["session_id"] for _, hook in machine.recorded() if hook["hook_event_name"] == "Stop"))
    outcome.expect(len(sessions) == 2, f"{len(sessions)} sessions, not two")
    for session in sessions:
        compare(bench, outcome, session, "both", "exact")


def conversation(bench, outcome):
    """the complete conversation, with tools and their results, and the search in it"""
    machine = bench.machine("conversation")
    bench.api.script("talk", Turn(text="I look.", tools=[call("Bash", command="echo quokka", description="a command")]),
                     Turn(text="There is a wombat."))
    session = only(bench, outcome, machine.run("[talk] Which animals?", *TOOLS))

    def told():
        messages = bench.monitor.get(f"/v1/sessions/{session}/messages")["messages"]
        return messages if any("blocks" in one and "wombat" in one["content"] for one in messages) else None
    messages = wait_until(30, "the conversation has come", told)
    kinds = [block["type"] for message in messages for block in message.get("blocks", [])]
    outcome.expect(kinds == ["text", "text", "tool_use", "tool_result", "text"], f"blocks: {kinds}")
    outcome.expect([one["content"] for one in messages].count("There is a wombat.") == 1, "an answer is there twice")
    for word, kind in (("animals", "prompt"), ("wombat", "answer"), ("quokka", "tool_output")):
        found = bench.monitor.get(f"/v1/search?q={word}&session_id={session}&kind={kind}")["results"]
        outcome.expect(len(found) == 1 and word in found[0]["snippet"].lower(), f"{word}: {found}")
    outcome.notes.append(f"{len(messages)} messages")


ALL = [both, background, parallel, refused_call, telemetry_alone, transcript_alone, transcript_cut, compacted, forked,
       forked_alone, escaped, failing, cut_short, terminated, killed_client, cleared, conversation]
