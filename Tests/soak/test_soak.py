#!/usr/bin/env python3
"""Tests of the soak: its choice of tests, its ledger, and how it reads the events of Swift tests."""

import json
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suites  # noqa: E402
from ledger import FAILED, PASSED, Ledger, choose  # noqa: E402


class Kind(suites.Suite):
    name, batch = "kind", 2


class Choice(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name) / "ledger.jsonl"

    def test_the_tests_with_the_fewest_runs_come_first(self):
        ledger = Ledger(self.path)
        for test in "ab":
            ledger.add("kind", test, PASSED)
        self.assertEqual(set(choose(Kind(), list("abcd"), ledger, random.Random(1), 20)), {"c", "d"})

    def test_a_test_with_all_its_runs_is_not_chosen(self):
        ledger = Ledger(self.path)
        ledger.add("kind", "a", PASSED)
        self.assertEqual(choose(Kind(), ["a"], ledger, random.Random(1), 1), [])

    def test_the_ledger_survives_its_process_and_a_cut_line(self):
        Ledger(self.path).add("kind", "a", FAILED)
        with self.path.open("a") as file:
            file.write('{"suite": "ki')
        self.assertEqual(Ledger(self.path).failures(), [("kind", "a", 1, 1)])


class SwiftOutcomes(unittest.TestCase):
    def outcomes(self, *events, status=0):
        text = "\n".join(json.dumps({"kind": "event", "payload": event}) for event in events)
        return suites._swift_outcomes(["M.S/t()"], text, status)["M.S/t()"]

    def test_a_test_that_ended_without_an_issue_passed(self):
        self.assertEqual(self.outcomes({"kind": "testEnded", "testID": "M.S/t()/File.swift:3:2"}), PASSED)

    def test_an_issue_fails_it(self):
        self.assertEqual(self.outcomes({"kind": "issueRecorded", "testID": "M.S/t()/File.swift:3:2"},
                                       {"kind": "testEnded", "testID": "M.S/t()/File.swift:3:2"}), FAILED)

    def test_a_test_that_did_not_end_failed(self):
        self.assertEqual(self.outcomes(status=139), FAILED)

    def test_a_failed_process_without_an_issue_fails_the_batch(self):
        self.assertEqual(self.outcomes({"kind": "testEnded", "testID": "M.S/t()/File.swift:3:2"}, status=1), FAILED)


if __name__ == "__main__":
    unittest.main()
