"""Pushes for prompts of the real client, to a mock of Apple's push servers."""

import hashlib
import importlib.util
import os
import subprocess
import threading
import time

from client import REPOSITORY
from device import Device
from dialogs import Watch, leave
from messages_api import Turn, call
from monitor import program, wait_until
from terminal import ENTER, Terminal

TOPIC, TOKEN = "com.example.monitor", hashlib.sha256(b"phone").hexdigest()


class Phone(Device):
    """A paired device with a push token."""

    def __init__(self, monitor):
        super().__init__(monitor)
        self.ask("POST", "/v1/push/tokens", {"token": TOKEN, "environment": "production", "time_zone": "Europe/Berlin"})


def why(monitor, identifier):
    environment = {"PATH": os.environ["PATH"], "HOME": str(monitor.data), "MONITOR_URL": monitor.url,
                   "MONITOR_DATA_DIR": str(monitor.data)}
    done = subprocess.run([program("monitorctl"), "push", "why", identifier], env=environment, capture_output=True,
                          text=True, timeout=20, check=True)
    return done.stdout


def ask_for_leave(bench, outcome, name, answer):
    """Shows one dialog in a terminal. `answer(watch)` returns when the person presses the key. Returns the id of the permission
    event."""
    machine, subscriber = bench.machine(name), bench.subscriber()
    watch, answered = Watch(bench, machine, outcome), threading.Event()
    bench.api.script(name, Turn(tools=[call("Bash", command="touch made", description="a file")]),
                     Turn(text="Made.", before=lambda: answered.wait(30)))
    terminal = Terminal(machine, "--permission-mode", "default", f"[{name}] Touch it.")
    try:
        watch.await_event("PermissionRequest")
        watch.await_state("waiting")
        answer()
        terminal.press(ENTER)
        watch.await_event("PostToolBatch")
        answered.set()
        watch.await_event("Stop")
        leave(terminal, watch, outcome)
    finally:
        answered.set()
        terminal.close()
    bench.compare(machine, subscriber, outcome)
    session = machine.recorded()[0][1]["session_id"]
    return session, [event["event_id"] for event in bench.monitor.listed(session)]


def told(monitor, events):
    """The output of `push why` for the events that raised a notice."""
    texts = [why(monitor, event) for event in events]
    return "".join(text for text in texts if "raised" in text)


def permission_push(bench, outcome):
    """a permission dialog: one push after the grace period; none if a person answers within it; `push why` explains both"""
    directory = bench.directory / "push"
    directory.mkdir()
    key = directory / "push.p8"
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key],
                   check=True, capture_output=True, timeout=20)
    scenario = {"apns": {"key_file": str(key), "key_id": "ABC123DEFG", "team_id": "TEAM123456", "topics": [TOPIC]}}
    with oracle()(scenario, directory) as mock:
        bench.monitor.stop()
        bench.monitor.start(APNS_KEY_FILE=str(key), APNS_KEY_ID="ABC123DEFG", APNS_TEAM_ID="TEAM123456",
                            APNS_TOPIC=TOPIC, APNS_HOST="localhost", APNS_PORT=str(mock.apns["port"]),
                            APNS_CA_FILE=mock.ca)
        try:
            push_and_compare(bench, outcome, mock)
        finally:
            bench.monitor.stop()
            for name in [name for name in bench.monitor.settings if name.startswith("APNS_")]:
                del bench.monitor.settings[name]
            bench.monitor.start()
    outcome.expect(not mock.summaries["apns"]["faults"], f"the push service complains: {mock.summaries['apns']['faults']}")


def oracle():
    """The class of the mock. Its module has the same name as one here, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location("push_oracle", REPOSITORY / "Tests/push-oracle/client.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Oracle


def push_and_compare(bench, outcome, mock):
    def time_sensitive():
        """The pushes of this scenario's machines. Sessions of other scenarios may still wait when the phone is paired."""
        sessions = {hook["session_id"] for machine in bench.machines for _, hook in machine.recorded()}
        events = {event["event_id"] for session in sessions for event in bench.monitor.listed(session)}
        return [one for one in mock.requests() if one["payload"]["aps"]["interruption-level"] == "time-sensitive"
                and one["payload"]["monitor"]["ref"].rpartition(":")[2] in events]

    Phone(bench.monitor)
    began = time.monotonic()
    late, events = ask_for_leave(bench, outcome, "late-answer", lambda: wait_until(40, "the push", time_sensitive))
    outcome.expect(time.monotonic() - began > 6, "the push came within the grace")
    prompts = time_sensitive()
    outcome.expect(len(prompts) == 1, f"{len(prompts)} time-sensitive pushes, not one")
    text = told(bench.monitor, events)
    outcome.expect("permission" in text and "sent as time-sensitive" in text, f"push why says {text!r}")
    seen = len(prompts)
    quick, events = ask_for_leave(bench, outcome, "quick-answer", lambda: None)
    time.sleep(8)
    outcome.expect(len(time_sensitive()) == seen, "a prompt that was answered at once was pushed")
    text = told(bench.monitor, events)
    outcome.expect("withdrawn" in text, f"push why says {text!r}")
    outcome.expect(late != quick, "both were one session")
    outcome.notes.append(f"{len(mock.requests())} pushes")


ALL = [permission_push]
