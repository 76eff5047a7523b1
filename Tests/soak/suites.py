"""The suites from which the soak draws single tests: how each lists its tests, and how it runs a batch."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "Tests"
# The maximum seconds of a batch. After that, it counts as hanging.
LIMIT = 420
# Debian's Python has the packages that the tests import.
PYTHON = "/usr/bin/python3"
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

# A module may put another directory at the front of the path. The next module must be searched here first.
LISTING = """
import glob, sys, unittest
sys.dont_write_bytecode = True
def flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite): yield from flat(test)
        else: yield test
for name in sorted(glob.glob("test_*.py")):
    sys.path.insert(0, ".")
    for test in flat(unittest.defaultTestLoader.loadTestsFromName(name[:-3])): print(test.id())
"""


class Suite:
    """A kind of tests. `batch` is the number of tests that one process runs."""

    name, batch = "", 1

    def tests(self):
        raise NotImplementedError

    def run(self, tests):
        """Runs a batch. Returns the outcome of each test, and the output."""
        raise NotImplementedError


class SystemTests(Suite):
    """Single methods of Tests/system, except those that need the machine for themselves or wait for long limits."""

    name, batch = "system", 8

    def tests(self):
        schedule = (TESTS / "system/schedule.txt").read_text()
        left_out = {line.split()[0] for line in schedule.splitlines()
                    if {"alone", "long"} & set(line.partition("#")[0].split()[2:])}
        return [test for test in _listed(TESTS / "system", PYTHON)
                if not any(test == one or test.startswith(one + ".") for one in left_out)]

    def run(self, tests):
        status, output = _run([TESTS / "system/run", *tests])
        faults = set(re.findall(r"^FAIL (\S+):", output, re.MULTILINE))
        if status and not faults & set(tests):
            return dict.fromkeys(tests, FAILED), output
        return {test: FAILED if test in faults else PASSED for test in tests}, output


class PythonTests(Suite):
    """Single methods of a directory of unittest modules, one process each."""

    def __init__(self, name, python):
        self.name, self.directory, self.python = name, TESTS / name, python

    def tests(self):
        return _listed(self.directory, self.python)

    def run(self, tests):
        status, output = _run([self.python, "-B", "-m", "unittest", *tests], cwd=self.directory)
        skipped = re.search(r"^OK \(skipped=", output, re.MULTILINE)
        return dict.fromkeys(tests, FAILED if status else SKIPPED if skipped else PASSED), output


class SwiftTests(Suite):
    """Single functions of the built Swift tests. All arguments of a function count as one test."""

    name, batch = "swift", 40
    bundle = [ROOT / ".build/debug/claude-monitorPackageTests.xctest", "--testing-library", "swift-testing"]

    def tests(self):
        _, output = _run([*self.bundle, "--list-tests"])
        return [line for line in output.splitlines() if re.fullmatch(r"\w+Tests\..*\)", line)]

    def run(self, tests):
        with tempfile.NamedTemporaryFile() as events:
            # The filter compares the test's name followed by its file and line.
            pattern = "^(" + "|".join(re.escape(test) for test in tests) + ")(/|$)"
            status, output = _run([*self.bundle, "--filter", pattern, "--event-stream-version", "0",
                                   "--event-stream-output-path", events.name])
            return _swift_outcomes(tests, pathlib.Path(events.name).read_text(errors="replace"), status), output


def _swift_outcomes(tests, events, status):
    """A test passes if it ended without an issue. If a test has no end, the process has failed."""
    ended, faulty = {}, set()
    for line in events.splitlines():
        with contextlib.suppress(ValueError):
            payload = json.loads(line).get("payload", {})
            test = _short(payload.get("testID") or "")
            match payload.get("kind"):
                case "testEnded": ended[test] = PASSED
                case "testSkipped": ended[test] = SKIPPED
                case "issueRecorded" if not (payload.get("issue") or {}).get("isKnown"): faulty.add(test)
    outcomes = {test: FAILED if test in faulty else ended.get(test, FAILED) for test in tests}
    if status and FAILED not in outcomes.values():
        return dict.fromkeys(tests, FAILED)
    return outcomes


def _short(test_id):
    """The test's name without its file and line, which follow a slash in an event."""
    return re.sub(r"/[^/]+\.swift:\d+:\d+$", "", test_id)


def _listed(directory, python):
    status, output = _run([python, "-c", LISTING], cwd=directory)
    if status:
        raise RuntimeError(f"cannot list the tests of {directory}:\n{output}")
    broken = [line for line in output.splitlines() if line.startswith("unittest.loader.")]
    if broken:
        raise RuntimeError(f"{directory}: {broken[0]}")
    return output.split()


def _run(command, cwd=ROOT):
    """Returns the exit status and the output. If a process exceeds the limit, its process group is ended, and it counts as
    failed."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = 124
            for number, patience in ((signal.SIGTERM, 60), (signal.SIGKILL, None)):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(patience)
                    break
        output.seek(0)
        return status, output.read().decode(errors="replace")


def suites(names):
    """The suites with these names. If the browser's Python is needed, it is set up first."""
    made = {"system": SystemTests, "swift": SwiftTests, "hooks": lambda: PythonTests("hooks", PYTHON),
            "web": lambda: PythonTests("web", _browser_python())}
    unknown = set(names) - set(made)
    if unknown:
        raise SystemExit(f"soak: no suite named {', '.join(sorted(unknown))}; there are {', '.join(made)}")
    return [made[name]() for name in names]


def _browser_python():
    return subprocess.run([TESTS / "web/environment"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
