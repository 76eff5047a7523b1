"""The client without a terminal asks a person by the monitor's tool `approve`."""

import json
import time
import uuid

from device import Device
from messages_api import Turn, call
from monitor import program, wait_until

TOOL = "mcp__monitor__approve"


class Run:
    """A client that runs one command, in a session of its own."""

    def __init__(self, bench, machine, key, name, device, told=False, options=None):
        self.bench, self.machine, self.device, self.name = bench, machine, device, name
        self.session = str(uuid.uuid4())
        self.file = machine.project / f"{name}.txt"
        bench.api.script(name, Turn(tools=[call("Bash", command=f"touch {name}.txt", description="x")]), Turn(text="Over."))
        headers = {"Authorization": f"Bearer {key}", **({"X-Session-Id": self.session} if told else {})}
        servers = {"mcpServers": {"monitor": {"type": "http", "url": bench.monitor.url + "/mcp", "headers": headers}}}
        if options is None:
            options = ("--mcp-config", json.dumps(servers), "--strict-mcp-config")
        self.process = machine.start(f"[{name}] Go.", "--session-id", self.session, "--permission-prompt-tool", TOOL, *options)

    def prompts(self):
        return self.device.prompts(self.session)

    def end(self, outcome, allowed):
        result = self.machine.finish(self.process)
        outcome.expect(result["result"] == "Over.", f"the client says {result['result']!r}")
        outcome.expect(self.file.exists() == allowed, f"the command has run: {self.file.exists()}")
        outcome.expect(len(result["permission_denials"]) == (0 if allowed else 1), f"denials: {result['permission_denials']}")
        return self.bench.api.told(self.name)


def granted(bench, machine):
    key = bench.monitor.new_key(machine.name)
    bench.monitor.control("key", "grant", machine.name, "approve")
    return key


def approve_alone(bench, outcome):
    """without hooks: a call is allowed and one is denied from a device, and the model hears the person's words"""
    machine, device = bench.bare_machine("approve-alone"), Device(bench.monitor)
    key = granted(bench, machine)
    run = Run(bench, machine, key, "alone-allowed", device, told=True)
    prompt = device.await_prompt(run.session, 60)
    outcome.expect((prompt["tool_name"], prompt["tool_input"]["command"]) == ("Bash", "touch alone-allowed.txt"),
                   f"the prompt is {prompt}")
    device.answer(prompt, decision="allow")
    run.end(outcome, True)
    run = Run(bench, machine, key, "alone-denied", device, told=True)
    device.answer(device.await_prompt(run.session, 60), decision="deny", message="Ask me tomorrow.")
    outcome.expect("Ask me tomorrow." in run.end(outcome, False), "the model does not hear why")
    device.forget()


def approve_beside_hooks(bench, outcome):
    """with hooks, too: one prompt, allowed and denied, and the call is never asked twice"""
    machine, device = bench.machine("approve-hooks"), Device(bench.monitor)
    key = granted(bench, machine)
    for name, decision in (("hooks-allowed", "allow"), ("hooks-denied", "deny")):
        run = Run(bench, machine, key, name, device)
        device.answer(device.await_prompt(run.session, 60), decision=decision)
        run.end(outcome, decision == "allow")
        wait_until(30, "the session ends", lambda run=run: bench.monitor.session(run.session)["status"] == "ended")
        found = run.prompts()
        outcome.expect(len(found) == 1, f"{name}: the prompts are {found}")
    device.forget()


def approve_over_restart(bench, outcome):
    """the server is killed in the wait: the client comes back, and a person allows what it asked"""
    machine, device = bench.bare_machine("approve-restart"), Device(bench.monitor)
    key = granted(bench, machine)
    run = Run(bench, machine, key, "restart", device, told=True)
    prompt = device.await_prompt(run.session, 60)
    bench.monitor.kill()
    time.sleep(2)
    bench.monitor.start()
    wait_until(60, "the client is back", lambda: [one for one in run.prompts() if one["answerable"]])
    device.answer(prompt, decision="allow")
    run.end(outcome, True)
    outcome.expect(len(run.prompts()) == 1, f"the prompts are {run.prompts()}")
    device.forget()


def bridged(bench, name, approvals=None):
    """A machine whose client has the monitor's tools by the bridge. The key has no grant."""
    machine = bench.bare_machine(name)
    agent = machine.home / ".local/bin/monitor-agent"
    agent.parent.mkdir(parents=True)
    agent.symlink_to(program("monitor-agent"))
    bench.install(machine, "--mcp")
    if approvals is not None:
        write_approvals(machine, approvals)
    return machine


def write_approvals(machine, text):
    place = machine.home / ".config/claude-monitor/approvals"
    place.write_text(text)
    place.chmod(0o600)


def approve_by_bridge(bench, outcome):
    """by the bridge: allowed and denied from a device, with hooks and without them, over a restart, and once each"""
    machine, device = bridged(bench, "approve-bridge"), Device(bench.monitor)
    without = ("--settings", json.dumps({"disableAllHooks": True}))
    for name, options, decision in (("bridge-allowed", (), "allow"), ("bridge-denied", (), "deny"),
                                    ("bridge-alone", without, "allow"), ("bridge-restart", without, "allow")):
        run = Run(bench, machine, "", name, device, options=options)
        prompt = device.await_prompt(run.session, 60)
        outcome.expect(prompt["tool_input"]["command"] == f"touch {name}.txt", f"the prompt is {prompt}")
        if name == "bridge-restart":
            bench.monitor.kill()
            bench.monitor.start()
            wait_until(60, "the bridge is back", lambda run=run: [one for one in run.prompts() if one["answerable"]])
        device.answer(prompt, decision=decision, **({"message": "Ask me tomorrow."} if decision == "deny" else {}))
        told = run.end(outcome, decision == "allow")
        outcome.expect(decision == "allow" or "Ask me tomorrow." in told, "the model does not hear why")
        outcome.expect(len(run.prompts()) == 1, f"{name}: the prompts are {run.prompts()}")
    machine.script("uninstall.sh")
    servers = json.loads((machine.home / ".claude.json").read_text()).get("mcpServers")
    outcome.expect(not servers, f"after the removal, the servers are {servers}")
    device.forget()


def approve_against_the_file(bench, outcome):
    """by the bridge: what the machine's file forbids does not run, whatever the server allows"""
    machine, device = bridged(bench, "approve-file", "tool=Bash who=answer\n"), Device(bench.monitor)
    run = Run(bench, machine, "", "file-forbids", device, options=())
    prompt = device.await_prompt(run.session, 60)
    write_approvals(machine, "tool=Bash who=notify\n")
    status, answer = device.answer(prompt, decision="allow")
    outcome.expect(status == 200, f"the server gets {status}: {answer}")
    outcome.expect("This machine refuses the answer" in run.end(outcome, False), "the model does not hear why")
    run = Run(bench, machine, "", "file-asks-nobody", device, options=())
    outcome.expect("lets nobody answer" in run.end(outcome, False), "the model does not hear why")
    outcome.expect(run.prompts() == [] or not any(one["answerable"] for one in run.prompts()), f"it is asked: {run.prompts()}")
    device.forget()


def ask_person(bench, outcome):
    """by the bridge: the model asks a question, a device answers it, and the model hears the answer"""
    machine, device = bridged(bench, "ask-person"), Device(bench.monitor)
    session = str(uuid.uuid4())
    bench.api.script("ask-person", Turn(tools=[call("mcp__monitor__ask_person", question="Which door?", choices=["Blue", "Green"])]),
                     Turn(text="Over."))
    process = machine.start("[ask-person] Go.", "--session-id", session, "--allowedTools", "mcp__monitor")
    prompt = device.await_prompt(session, 60)
    outcome.expect((prompt["kind"], prompt["question"]) == ("question", "Which door?"), f"the prompt is {prompt}")
    status, answer = device.answer(prompt, answers={"Which door?": "Green"})
    outcome.expect(status == 200, f"the server gets {status}: {answer}")
    outcome.expect(machine.finish(process)["result"] == "Over.", "the client does not end")
    outcome.expect("Green" in bench.api.told("ask-person"), "the model does not hear the answer")
    wait_until(30, "the session ends", lambda: bench.monitor.session(session)["status"] == "ended")
    found = device.prompts(session)
    outcome.expect(len(found) == 1 and found[0]["answer"].get("outcome") == "applied", f"the prompts are {found}")
    device.forget()


ALL = [approve_alone, approve_beside_hooks, approve_over_restart, approve_by_bridge, approve_against_the_file,
       ask_person]
