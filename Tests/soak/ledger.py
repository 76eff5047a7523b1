"""The ledger of the soak: one line of JSON for each run of a test, over all soaks."""

import collections
import json
import pathlib

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Ledger:
    """Counts by test. The file only grows. A line that a crash cut off is ignored."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.counts = collections.defaultdict(collections.Counter)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                self.counts[entry["suite"], entry["test"]][entry["outcome"]] += 1

    def add(self, suite, test, outcome, **more):
        self.counts[suite, test][outcome] += 1
        with self.path.open("a") as file:
            file.write(json.dumps({"suite": suite, "test": test, "outcome": outcome, **more}) + "\n")

    def runs(self, suite, test):
        return self.counts[suite, test].total()

    def failures(self):
        """(suite, test, failures, runs), with the most frequent failures first."""
        found = [(*key, count[FAILED], count.total()) for key, count in self.counts.items() if count[FAILED]]
        return sorted(found, key=lambda row: (-row[2], row[1]))


def choose(suite, tests, ledger, chance, wanted):
    """The next batch: the tests with the fewest runs, in random order. Tests with enough runs are left out."""
    waiting = [test for test in tests if ledger.runs(suite.name, test) < wanted]
    chance.shuffle(waiting)
    waiting.sort(key=lambda test: ledger.runs(suite.name, test))
    batch = waiting[:suite.batch]
    chance.shuffle(batch)
    return batch
