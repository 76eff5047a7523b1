"""For tests in Python: runs an oracle in a process of its own, reads its records, and sends it commands.

    with Oracle({"apns": {"key_file": path, "key_id": "ABC123DEFG", "team_id": "TEAM123456"}}, directory) as oracle:
        ...  # APNS_HOST=localhost, APNS_PORT=oracle.apns["port"], APNS_CA_FILE=oracle.ca
        oracle.wait_for(lambda seen: len(seen) == 1, kind="request")
        oracle.do("steps", service="apns", steps=[{"do": [{"status": 503, "reason": "Shutdown"}]}])
    assert oracle.summaries["apns"]["faults"] == []
"""

import contextlib
import json
import pathlib
import queue
import subprocess
import threading
import time

PROGRAM = pathlib.Path(__file__).resolve().parent / "run"


class Oracle:
    def __init__(self, scenario, directory):
        directory = pathlib.Path(directory)
        self.path = directory / "push-oracle.ndjson"
        self.path.write_text("")
        file = directory / "push-oracle.json"
        file.write_text(json.dumps(scenario))
        self.process = subprocess.Popen(
            [str(PROGRAM), "--scenario", str(file), "--record", str(self.path),
             "--certificates", str(directory / "push-certificates")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answers = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.ready = self._answer(30)
        except BaseException:
            self.process.kill()
            raise
        self.apns, self.webpush = self.ready.get("apns"), self.ready.get("webpush")
        self.ca, self.pid = self.ready["ca"], self.process.pid
        self.summaries = {}

    def _read(self):
        with contextlib.suppress(ValueError):
            for line in self.process.stdout:
                self.answers.put(json.loads(line))
        self.answers.put(None)

    def _answer(self, seconds):
        try:
            found = self.answers.get(timeout=seconds)
        except queue.Empty:
            found = None
        if found is None:
            raise AssertionError("the push oracle does not answer")
        return found

    def do(self, what, **more):
        self.process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self.process.stdin.flush()
        found = self._answer(10)
        if not found["ok"]:
            raise AssertionError(f"push oracle: {found['error']}")

    def records(self, **members):
        """The records so far, the oldest first; only those with these members."""
        found = [json.loads(line) for line in self.path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return [one for one in found if all(one.get(name) == value for name, value in members.items())]

    def requests(self, service="apns"):
        return self.records(kind="request", service=service)

    def wait_for(self, condition, seconds=30, **members):
        """Polls until `condition` is true of the records with these members. Returns them."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.records(**members)
            if condition(found):
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds:g} s; seen: {found[-3:]}")
            time.sleep(0.05)

    def stop(self):
        """Ends the oracle. Its record stays, and `summaries` has the summary of each service."""
        if self.process.poll() is None:
            try:
                self.process.stdin.close()
                self.process.wait(10)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait(10)
        self.process.stdout.close()
        self.summaries = {one["service"]: one for one in self.records(kind="summary")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
