"""One process of Tests/system/run: runs some tests, prints as unittest does, and writes the totals to a file."""

import ctypes
import json
import logging
import os
import signal
import sys
import time
import traceback
import unittest

import harness

PR_SET_PDEATHSIG = 1


class Result(unittest.TextTestResult):
    """Adds up the time of each class, and of each long method. The time of a module's setUpModule counts for its first test."""

    LONG = 5

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.seconds, self.before = {}, time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        now = time.monotonic()
        name = _class(test)
        self.seconds[name] = self.seconds.get(name, 0) + now - self.before
        if now - self.before > self.LONG:
            self.seconds[test.id()] = now - self.before
        self.before = now

    def totals(self):
        failed = len({str(test) for test, _ in self.failures + self.errors}) + len(self.unexpectedSuccesses)
        return {"passed": max(0, self.testsRun - failed - len(self.skipped)), "failed": failed,
                "skipped": len(self.skipped), "seconds": self.seconds}


def interrupted(number, frame):
    traceback.print_stack(frame)
    harness.end_everything()
    os._exit(128 + number)


def select(names, left_out):
    """The tests with these names, without the classes and methods that run on their own."""
    suite = unittest.TestSuite()
    for test in _flat(unittest.defaultTestLoader.loadTestsFromNames(names)):
        if not {_class(test), test.id()} & left_out:
            suite.addTest(test)
    return suite


def _class(test):
    return f"{type(test).__module__}.{type(test).__name__}"


def _flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _flat(test)
        else:
            yield test


def main(report, arguments):
    """`arguments` are the names of tests. A name with a `~` in front is a class or method to leave out."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    # asyncio warns of each slow step. On a busy machine, most steps are slow.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    # If Tests/system/run is killed, its parts end in order.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    left_out = {name[1:] for name in arguments if name.startswith("~")}
    runner = unittest.TextTestRunner(resultclass=Result,
                                     verbosity=2 if os.environ.get("VERBOSE") else 1)
    try:
        result = runner.run(select([name for name in arguments if not name.startswith("~")], left_out))
    finally:
        harness.end_everything()
    with open(report, "w", encoding="utf-8") as file:
        json.dump(result.totals(), file)
    return 1 if result.totals()["failed"] else 0
