"""Runs units of the system tests at the same time, each in a process and a directory of its own, and adds up the results."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness
import templates

# Seconds in which a process that was asked to end can end its servers and databases.
ENDING = 45


class Unit:
    """What one process runs: a module, a class or a method, except the parts of it that run on their own."""

    def __init__(self, name, seconds, left_out, alone):
        self.name, self.seconds, self.left_out, self.alone = name, seconds, left_out, alone


class Schedule:
    """schedule.txt: the seconds and marks of each module, and of each class or method that runs on its own."""

    def __init__(self, text):
        self.seconds, self.marks = {}, {}
        for line in text.splitlines():
            name, *rest = line.partition("#")[0].split() or [None]
            if name:
                self.seconds[name], self.marks[name] = float(rest[0]), set(rest[1:])

    def units(self, modules, names, mark, left_out):
        """The units with these names, else those with the mark, else all without one of the marks that are left out. The
        longest come first. Those that must run alone come last."""
        if names:
            found = [unit for name in names for unit in self.parts(name)]
        elif mark:
            found = [self.unit(name) for name in self.marks if mark in self.marks[name]]
        else:
            found = [unit for name in modules for unit in self.parts(name) if not left_out & self.marks.get(unit.name, set())]
        return sorted(found, key=lambda unit: (unit.alone, -unit.seconds))

    def parts(self, name):
        """The parts of a module that run on their own, and the rest of the module."""
        return [self.unit(one) for one in [name, *self.below(name)]]

    def below(self, name):
        return [one for one in self.seconds if one.startswith(name + ".")]

    def unit(self, name):
        # A unit that is not in the table may be long.
        return Unit(name, self.seconds.get(name, 60), self.below(name), "alone" in self.marks.get(name, ()))


class Part:
    """A running unit."""

    def __init__(self, unit, command, made):
        self.unit = unit
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="system-test.", dir="/tmp"))
        # PostgreSQL's user must be able to enter the directory.
        self.directory.chmod(0o755)
        self.output = open(self.directory / "output", "w+b")
        self.report = self.directory / "report.json"
        self.began, self.told = time.monotonic(), None
        self.process = subprocess.Popen(
            [*command, "--part", self.report, unit.name, *("~" + name for name in unit.left_out)],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "SYSTEM_TEST_DIRECTORY": str(self.directory), "SYSTEM_TEST_TEMPLATES": str(made)})

    @property
    def seconds(self):
        return time.monotonic() - self.began

    def end(self, why):
        """Asks the process to end. If it has been asked long ago, kills it."""
        if self.told is None:
            self.told = (time.monotonic(), why)
            harness.kill(self.process.pid, signal.SIGTERM)
        elif time.monotonic() - self.told[0] > ENDING:
            harness.kill(self.process.pid)

    def totals(self):
        """The totals that the ended process wrote; one failure if it wrote none."""
        status = self.process.wait()
        with contextlib.suppress(OSError, ValueError):
            totals = json.loads(self.report.read_text())
            if self.told is None and status == (1 if totals["failed"] else 0):
                return totals
        why = self.told[1] if self.told else f"ended with {status}" if status >= 0 else f"killed by signal {-status}"
        return {"passed": 0, "failed": 1, "skipped": 0, "seconds": {}, "fault": why}

    def clear(self):
        """Kills what a crashed process left running in its directory, and removes the directory."""
        self.output.close()
        for pid in _using(self.directory):
            harness.kill(pid)
        shutil.rmtree(self.directory, ignore_errors=True)

    def text(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace").rstrip()


def _using(directory):
    """The processes that have the directory in their arguments or environment. The part with this directory started them."""
    mark = str(directory).encode()
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(path.name) != os.getpid() and mark in (path / "cmdline").read_bytes() + (path / "environ").read_bytes():
                yield int(path.name)


class Run:
    def __init__(self, units, command, options):
        self.waiting, self.command, self.options = units, command, options
        self.running, self.totals, self.faults = [], [], []
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="system-test.", dir="/tmp"))

    def main(self):
        began = time.monotonic()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupted)
        # PostgreSQL's user must be able to enter the directory.
        self.directory.chmod(0o755)
        try:
            templates.make(self.directory)
            self.run()
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)
        return self.tell(time.monotonic() - began)

    def run(self):
        while self.waiting or self.running:
            self.start()
            for part in [part for part in self.running if part.process.poll() is not None]:
                self.ended(part)
            for part in self.running:
                if part.seconds > self.options.limit:
                    part.end(f"not done within {self.options.limit:g} s")
            time.sleep(0.05)

    def tell(self, seconds):
        if self.options.durations:
            classes = {name: spent for totals in self.totals for name, spent in totals["seconds"].items()}
            print("\n".join(f"{name:110} {spent:6.1f}" for name, spent in sorted(classes.items())))
        passed, failed, skipped = (sum(one[what] for one in self.totals) for what in ("passed", "failed", "skipped"))
        for fault in self.faults:
            print(f"FAIL {fault}")
        print(f"system tests: {seconds:.0f} s" + (f", {skipped} skipped" if skipped else ""))
        print(f"{passed} passed, {failed} failed", flush=True)
        return 1 if failed or not passed + skipped else 0

    def start(self):
        while self.waiting and len(self.running) < max(1, self.options.jobs):
            if self.running and (self.waiting[0].alone or self.running[0].unit.alone):
                return
            self.running.append(Part(self.waiting.pop(0), self.command, self.directory))

    def ended(self, part):
        self.running.remove(part)
        totals = part.totals()
        print(f"--> {part.unit.name}, {part.seconds:.1f} s\n{part.text()}", flush=True)
        self.totals.append(totals)
        if totals["failed"]:
            self.faults.append(f"{part.unit.name}: " + totals.get("fault", f"{totals['failed']} failed"))
        part.clear()

    def interrupted(self, number, _):
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(other, signal.SIG_IGN)
        for part in self.running:
            part.end("interrupted")
        deadline = time.monotonic() + ENDING
        for part in self.running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                part.process.wait(max(0.1, deadline - time.monotonic()))
            harness.kill(part.process.pid)
            part.clear()
        harness.end_everything()
        shutil.rmtree(self.directory, ignore_errors=True)
        os.write(2, b"system tests: interrupted, everything ended\n")
        os._exit(128 + number)
