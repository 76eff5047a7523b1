"""The client without a terminal asks a person by the monitor's tool `approve`."""

import json
import time
import uuid

from device import Device
from messages_api import Turn, call
from monitor import wait_until

TOOL = "mcp__monitor__approve"


class Run:
    """A client that runs one command, in a session of its own."""

    def __init__(self, bench, machine, key, name, device, told=False):
        self.bench, self.machine, self.device, self.name = bench, machine, device, name
        self.session = str(uuid.uuid4())
        self.file = machine.project / f"{name}.txt"
        bench.api.script(name, Turn(tools=[call("Bash", command=f"touch {name}.txt", description="x")]), Turn(text="Over."))
        headers = {"Authorization": f"Bearer {key}", **({"X-Session-Id": self.session} if told else {})}
        servers = {"mcpServers": {"monitor": {"type": "http", "url": bench.monitor.url + "/mcp", "headers": headers}}}
        self.process = machine.start(
            f"[{name}] Go.", "--session-id", self.session, "--permission-prompt-tool", TOOL,
            "--mcp-config", json.dumps(servers), "--strict-mcp-config")

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


ALL = [approve_alone, approve_beside_hooks, approve_over_restart]
