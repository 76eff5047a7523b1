"""Runs of the real client without a terminal. Each function is a scenario; the first line of its docstring describes it."""

import json
import os
import signal
import threading

from client import REPOSITORY, events_of
from messages_api import Turn, call
from monitor import wait_until

TOOLS = ("--allowedTools", "Bash,Read,Write,Agent", "--permission-mode", "default")


def shell(command):
    return Turn(tools=[call("Bash", command=command, description="a command")])


def prompt(bench, outcome):
    """a prompt and an answer"""
    machine, subscriber = bench.machine("prompt"), bench.subscriber()
    bench.api.script("prompt", Turn(text="Hello."))
    result = machine.run("[prompt] Say hello.")
    outcome.expect(result["result"] == "Hello.", f"the client answers {result['result']!r}")
    bench.compare(machine, subscriber, outcome)


def tools(bench, outcome):
    """tools that succeed and fail; Unicode, NUL and invalid bytes, 120 kB of input and output"""
    machine, subscriber = bench.machine("tools"), bench.subscriber()
    (machine.project / "läs mig.txt").write_text("öppna\tdörren\n\U0001f6aa\n")
    read = call("Read", file_path=str(machine.project / "läs mig.txt"))
    missing = call("Read", file_path=str(machine.project / "missing"))
    write = call("Write", file_path=str(machine.project / "big.txt"), content="½ \"\\ \u2028\t" * 17000)
    bench.api.script(
        "tools",
        shell("printf 'null \\000 byte, broken \\377\\376, caf\\303\\251 \\360\\237\\232\\252 \\033[31mred'"),
        Turn(text="Both at once \U0001f6aa", tools=[read, missing]),
        shell("echo out; echo err >&2; exit 3"),
        Turn(tools=[write]),
        shell("head -c 120000 /dev/zero | tr '\\0' y"),
        Turn(tools=[call("Bash", command=f"echo {word}", description=word) for word in ("one", "two")]),
        Turn(text="An unpaired surrogate: \ud83d, a NUL: \0, an end."),
    )
    machine.run("[tools] Ärende: räkna, \"läs\" & skriv \U0001f680\n\tpå två rader", *TOOLS)
    rows = bench.compare(machine, subscriber, outcome)
    outcome.expect(bench.count(machine, "PostToolUseFailure") >= 2, "the client fired no PostToolUseFailure")
    outcome.expect(max(len(str(row["payload"])) for row in rows) > 120_000, "no large event was among them")
    outcome.expect(any("null \ufffd byte" in str(row["payload"]) for row in rows), "no NUL was among them")
    outcome.expect(bench.api.left("tools") == 0, "the client did not take all turns")


def subagent(bench, outcome):
    """a subagent with a tool of its own, and the notification of its end"""
    machine, subscriber = bench.machine("subagent"), bench.subscriber()
    task = call("Agent", description="a task", prompt="[subtask] Look.", subagent_type="general-purpose")
    bench.api.script("subagent", Turn(tools=[task]), Turn(text="It works."), Turn(text="It is done."))
    bench.api.script("subtask", shell("echo from the subagent"), Turn(text="Looked."))
    machine.run("[subagent] Let somebody look.", *TOOLS)
    bench.compare(machine, subscriber, outcome)
    outcome.expect(bench.count(machine, "SubagentStop", agent_type="general-purpose") == 1, "no SubagentStop was fired")


def together(bench, outcome):
    """two sessions on one machine at the same time"""
    machine, subscriber = bench.machine("together"), bench.subscriber()
    both = threading.Barrier(2, timeout=60)
    for tag in ("left", "right"):
        turns = [shell(f"echo {tag} {number}") for number in range(8)]
        turns[0].before = turns[4].before = both.wait
        bench.api.script(tag, *turns, Turn(text=f"{tag} is done."))
    running = [machine.start(f"[{tag}] Go.", *TOOLS) for tag in ("left", "right")]
    results = [machine.finish(process) for process in running]
    outcome.expect(len({result["session_id"] for result in results}) == 2, "there were not two sessions")
    bench.compare(machine, subscriber, outcome)


def denied(bench, outcome):
    """a permission request that nobody can answer, so it is denied"""
    machine, subscriber = bench.machine("denied"), bench.subscriber()
    bench.api.script("denied", shell("touch forbidden"), Turn(text="Then not."))
    result = machine.run("[denied] Touch it.", "--permission-mode", "default")
    outcome.expect(len(result["permission_denials"]) == 1, "nothing was denied")
    outcome.expect(bench.count(machine, "PermissionRequest") == 1, "no PermissionRequest was fired")
    rows = bench.compare(machine, subscriber, outcome)
    session = bench.monitor.session(result["session_id"])
    outcome.expect(session.get("tool_call_count") == 0, "a denied call was counted")
    outcome.expect(any(row["hook_event_name"] == "PermissionRequest" for row in rows), "PermissionRequest is not kept")


def resume(bench, outcome):
    """a session that ends, is resumed, and ends again"""
    machine, subscriber = bench.machine("resume"), bench.subscriber()
    bench.api.script("resume", Turn(text="For now."), shell("echo again"), Turn(text="For good."))
    first = machine.run("[resume] Begin.", *TOOLS)
    second = machine.run("Go on.", "--resume", first["session_id"], *TOOLS)
    outcome.expect(second["session_id"] == first["session_id"], "resuming gave another session")
    outcome.expect(bench.count(machine, "SessionStart", source="resume") == 1, "no SessionStart of a resumption")
    bench.compare(machine, subscriber, outcome)


def killed(bench, outcome):
    """kill -9 of the server three times in the middle of a run, and a subscriber that resumes"""
    machine, subscriber = bench.machine("killed"), bench.subscriber()
    turns = [shell(f"echo {number}") for number in range(18)]
    for place, delay in ((2, 0.0), (7, 0.06), (12, 0.25)):
        # The server is killed during the hooks of this turn, and starts again three turns later.
        kill = threading.Timer(delay, bench.monitor.kill)
        turns[place].before = kill.start
        turns[place + 3].before = lambda kill=kill: (kill.join(), bench.monitor.start())
    bench.api.script("killed", *turns, Turn(text="Survived."))
    result = machine.run("[killed] Count.", *TOOLS, seconds=180)
    outcome.expect(result["result"] == "Survived.", f"the client answers {result['result']!r}")
    bench.compare(machine, subscriber, outcome, timely=False)
    outcome.expect(subscriber.connections == 4, f"the subscriber connected {subscriber.connections} times, not 4")
    outcome.notes.append("3 kills")


def stalled(bench, outcome):
    """a server that hangs, and kill -9 of the flusher that waits for it: the next hook sends its events again"""
    machine, subscriber = bench.machine("stalled"), bench.subscriber()
    turns = [shell(f"echo {number}") for number in range(6)]
    turns[1].before = bench.monitor.pause
    killed_flushers = []

    def kill_flusher():
        # The flusher's curl continues, and the server gets that batch as well.
        killed_flushers.append(wait_until(10, "a flusher waits", machine.flusher))
        os.kill(killed_flushers[0], signal.SIGKILL)

    turns[2].before = kill_flusher
    turns[4].before = bench.monitor.go_on
    bench.api.script("stalled", *turns, Turn(text="Moving again."))
    before = bench.monitor.metric('monitor_events_total{outcome="duplicate"}')
    machine.run("[stalled] Count.", *TOOLS)
    # Until init has reaped the killed flusher, the hooks take it for a live one.
    wait_until(60, "the killed flusher is gone", lambda: not os.path.exists(f"/proc/{killed_flushers[0]}"))
    bench.api.script("next", Turn(text="Moved on."))
    machine.run("[next] Go.")
    bench.compare(machine, subscriber, outcome, timely=False)
    again = bench.monitor.metric('monitor_events_total{outcome="duplicate"}') - before
    outcome.notes.append(f"{again:.0f} sent twice")


def crash(bench, outcome):
    """kill -9 of the client while a tool runs: no end is reported; the session continues when it is resumed"""
    machine, subscriber = bench.machine("crash"), bench.subscriber()
    bench.api.script("crash", shell("echo before"), shell("echo $$ >running; exec sleep 30"), shell("echo after"),
                     Turn(text="Back."))
    process = machine.start("[crash] Go.", *TOOLS)
    running = machine.project / "running"
    wait_until(30, "the second tool runs", lambda: running.exists() and running.read_text().strip())
    process.kill()
    machine.end_clients()
    # A killed client does not end its tools.
    os.kill(int(running.read_text()), signal.SIGKILL)
    session = machine.recorded()[0][1]["session_id"]
    wait_until(30, "the spool is empty", lambda: not machine.unsent())
    told = bench.monitor.session(session)
    outcome.expect(told.get("status") == "active" and not told.get("ended_at"), f"after the kill: {told}")
    machine.run("Go on.", "--resume", session, *TOOLS)
    bench.compare(machine, subscriber, outcome)


def away(bench, outcome):
    """a server that is unreachable for a whole run: the next session sends the waiting events"""
    machine, subscriber = bench.machine("away"), bench.subscriber()
    bench.monitor.stop()
    bench.api.script("away", shell("echo unseen"), Turn(text="Nobody watched."))
    # The flusher gives up at once, as it otherwise does after ten minutes.
    machine.run("[away] Go.", *TOOLS, CLAUDE_MONITOR_GIVE_UP_S="0")
    waiting = sum(name.endswith(".ok") for name in machine.unsent())
    outcome.expect(waiting == len(machine.recorded()), f"{waiting} of {len(machine.recorded())} events wait")
    bench.monitor.start()
    bench.api.script("back", Turn(text="Somebody watches."))
    machine.run("[back] Go.")
    bench.compare(machine, subscriber, outcome, timely=False)
    outcome.notes.append(f"{waiting} had waited")


def summary(bench, outcome):
    """the default content policy: the same events, shortened and without secrets"""
    bench.monitor.stop()
    bench.monitor.start(MONITOR_STORE_CONTENT="summary")
    machine, subscriber = bench.machine("summary"), bench.subscriber()
    secret = "sk-ant-api03-" + "Zq7" * 30
    write = call("Write", file_path=str(machine.project / "big.txt"), content="text and more text " * 7000)
    bench.api.script("summary", Turn(tools=[write]), shell(f"export ANTHROPIC_API_KEY={secret}; echo set"),
                     Turn(text="Set."))
    machine.run("[summary] Go.", *TOOLS)
    rows = bench.compare(machine, subscriber, outcome, whole=False)
    outcome.expect(secret not in str(rows), "a secret is in the table")
    most = max(len(str(row["payload"])) for row in rows)
    outcome.expect(most < 70_000, f"an event of {most} characters is in the table")
    bench.monitor.stop()
    bench.monitor.start(MONITOR_STORE_CONTENT="full")


def uninstall(bench, outcome):
    """uninstall.sh restores every byte of the settings, and nothing more is reported"""
    machine, subscriber = bench.bare_machine("uninstall"), bench.subscriber()
    text = machine.settings.read_text().replace("\n  ", "\n\t", 9).rstrip() + "\n\n"
    machine.settings.write_text(text)
    bench.install(machine)
    outcome.expect(machine.reported_events(), "install.sh registered nothing")
    bench.api.script("before", Turn(text="Seen."))
    machine.run("[before] Go.")
    bench.compare(machine, subscriber, outcome)
    machine.script("uninstall.sh")
    outcome.expect(machine.settings.read_text() == text, "the settings are not what they were")
    seen = len(machine.recorded())
    bench.api.script("after", Turn(text="Unseen."))
    result = machine.run("[after] Go.")
    outcome.expect(len(machine.recorded()) > seen, "the reference is gone as well")
    outcome.expect(not bench.monitor.rows([result["session_id"]]), "events came after uninstall.sh")


def plugin(bench, outcome):
    """the hooks as a plugin, then plugin and settings at once"""
    machine, subscriber = bench.bare_machine("plugin"), bench.subscriber()
    registered = set(json.loads((REPOSITORY / "hooks/hooks.json").read_text())["hooks"])
    server = {"CLAUDE_MONITOR_URL": bench.monitor.url, "CLAUDE_MONITOR_KEY": bench.monitor.new_key(machine.name),
              "CLAUDE_MONITOR_MACHINE_ID": machine.name}
    bench.api.script("plugin", shell("echo plugged"), Turn(text="Plugged."))
    machine.run("[plugin] Go.", "--plugin-dir", str(REPOSITORY), *TOOLS, **server)
    bench.install(machine)
    bench.api.script("twofold", shell("echo both"), Turn(text="Once."))
    machine.run("[twofold] Go.", "--plugin-dir", str(REPOSITORY), *TOOLS)
    known = registered.intersection(events_of(bench.claude))
    outcome.expect(machine.reported_events() == known, "plugin and installer do not register the same events")
    bench.compare(machine, subscriber, outcome, reported=registered)


ALL = [prompt, tools, subagent, together, denied, resume, killed, stalled, crash, away, summary, uninstall, plugin]
