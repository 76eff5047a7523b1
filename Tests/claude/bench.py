"""What every scenario uses: machines with installed hooks, and the comparison of all the places that an event reaches."""

import json
import subprocess
from dataclasses import dataclass, field
from statistics import median

from client import Machine
from compare import content_faults, multiset_faults, name_of, order_faults, session_faults
from monitor import moment, wait_until
from subscriber import Subscriber

SPOOL_SECONDS = 90


@dataclass
class Outcome:
    events: int = 0
    lost: int = 0
    doubled: int = 0
    latencies: list = field(default_factory=list)
    faults: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    def expect(self, condition, otherwise):
        if not condition:
            self.faults.append(otherwise)

    def figures(self):
        text = f"{self.events} events, {self.lost} lost, {self.doubled} doubled"
        if self.latencies:
            milliseconds = [1000 * seconds for seconds in self.latencies]
            text += f", hook to WebSocket {median(milliseconds):.0f} ms (most {max(milliseconds):.0f})"
        return "; ".join([text, *self.notes])


class Bench:
    def __init__(self, directory, claude, api, monitor):
        self.directory, self.claude, self.api, self.monitor = directory, claude, api, monitor
        self.machines, self.subscribers = [], []

    def bare_machine(self, name):
        machine = Machine(self.directory, name, self.claude, self.api)
        self.machines.append(machine)
        return machine

    def machine(self, name):
        """Creates a machine with a key of its own and installed hooks."""
        machine = self.bare_machine(name)
        self.install(machine)
        return machine

    def install(self, machine, *options):
        key = self.monitor.new_key(machine.name)
        machine.script("install.sh", "--url", self.monitor.url, "--key", key, "--name", machine.name, *options)

    def subscriber(self):
        subscriber = Subscriber(self.monitor.url, self.monitor.token)
        self.subscribers.append(subscriber)
        return subscriber.start()

    def compare(self, machine, subscriber, outcome, *, reported=None, whole=True, timely=True):
        """Waits until all events of a machine's sessions have arrived, and compares them with table, subscriber, REST and session.

        reported: the events for which the monitor's hook is registered; default: those in the settings.
        whole: the server stores the hooks' objects in full. timely: the latencies are meaningful.
        """
        wait_until(SPOOL_SECONDS, f"the spool of {machine.name} is empty", lambda: not machine.unsent())
        reported = reported or machine.reported_events()
        recorded = machine.recorded()
        fired = [hook for _, hook in recorded if hook["hook_event_name"] in reported]
        others = sorted({hook["hook_event_name"] for _, hook in recorded} - reported)
        if others:
            outcome.notes.append(f"not registered: {' '.join(others)}")
        sessions = sorted({hook["session_id"] for hook in fired})
        rows = self.monitor.rows(sessions)
        self._table(fired, rows, outcome, whole)
        self._subscriber(rows, sessions, subscriber, outcome, timely)
        for session in sessions:
            self._rest([hook for hook in fired if hook["session_id"] == session],
                       [row for row in rows if row["session_id"] == session], session, machine, outcome)
        return rows

    def _table(self, fired, rows, outcome, whole):
        kept = [row["payload"] for row in rows]
        wrong = multiset_faults(fired, kept, "table")
        outcome.events += len(fired)
        outcome.faults += wrong
        outcome.lost += max(0, len(fired) - len(kept)) or sum("missing" in fault for fault in wrong)
        outcome.doubled += sum("too often" in fault for fault in wrong)
        outcome.faults += order_faults(fired, kept, "table")
        if whole:
            outcome.faults += content_faults(fired, kept, "table")
        outcome.expect(self.monitor.all_ids_are_unique(), "table: an event id or a seq is there twice")

    def _subscriber(self, rows, sessions, subscriber, outcome, timely):
        subscriber.wait_for([row["event_id"] for row in rows], 20)
        got = [(now, event) for now, event in list(subscriber.events) if event["session_id"] in sessions]
        ids = [event["event_id"] for _, event in got]
        outcome.expect(ids == [row["event_id"] for row in rows],
                       f"subscriber: {len(ids)} events ({len(set(ids))} different), the table {len(rows)}, in order")
        outcome.doubled += len(ids) - len(set(ids))
        payloads = {row["event_id"]: row["payload"] for row in rows}
        for now, event in got:
            # The server omits a payload of more than 480 KiB (docs/api.md). The ASCII form of a text is the longest.
            large = len(json.dumps(payloads.get(event["event_id"]))) > 480 << 10
            wanted = {} if large and event.get("payload_truncated") else payloads.get(event["event_id"])
            outcome.expect(wanted == event["payload"],
                           f"subscriber: another payload than the table's: {name_of(event['payload'])}")
            if timely:
                outcome.latencies.append(now - moment(event["timestamp"]))
        outcome.faults += [f"subscriber: {fault}" for fault in subscriber.faults]

    def _rest(self, fired, rows, session, machine, outcome):
        listed = [event["event_id"] for event in self.monitor.listed(session)]
        outcome.expect(listed == [row["event_id"] for row in rows],
                       f"REST lists {len(listed)} events of {session}, the table has {len(rows)}, in order")
        if fired[-1]["hook_event_name"] != "SessionEnd":
            outcome.faults.append(f"the client ended {session} without SessionEnd: {name_of(fired[-1])}")
            return
        # Telemetry and the transcript arrive after the hooks.
        last = self.monitor.last_seq(session)
        told = self.monitor.session(session)
        outcome.expect((told.get("last_seq") or 0) >= (last or 0), f"session last_seq: {told.get('last_seq')}, not {last}")
        outcome.faults += session_faults(fired, told, machine_name=machine.name, project_path=str(machine.project))

    def count(self, machine, event, **fields):
        """How many times the reference recorded the event with these fields."""
        return sum(hook["hook_event_name"] == event and fields.items() <= hook.items()
                   for _, hook in machine.recorded())

    def close(self):
        """Ends everything that was started. Returns the faults of that."""
        for subscriber in self.subscribers:
            subscriber.stop()
        faults = []
        for machine in self.machines:
            machine.end_clients()
            try:
                machine.script("uninstall.sh", "--purge")
            except (OSError, RuntimeError, subprocess.SubprocessError) as error:
                faults.append(f"cleaning up: {error}")
        return faults
