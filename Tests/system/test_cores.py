"""On which cores the server's threads run."""

import concurrent.futures
import contextlib
import os
import unittest

from harness import Server


def threads_of(running):
    for number in os.listdir(f"/proc/{running.process.pid}/task"):
        # Swift's threads come and go.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{running.process.pid}/task/{number}/comm") as file:
                name = file.read().strip()
            yield int(number), name


class Cores(unittest.TestCase):
    def test_the_loop_keeps_to_its_core_and_all_other_threads_have_all(self):
        usable = sorted(os.sched_getaffinity(0))
        expected = {"auto": usable[:1], str(usable[-1]): usable[-1:], "any": usable, "": usable, "1023": usable}
        for wanted, cores in expected.items():
            with self.subTest(wanted):
                other = Server(MONITOR_NET_CPUS=wanted).start()
                try:
                    before = self.switches(other)
                    self.use(other)
                    # Each request waits for the database at least once.
                    self.assertGreater(self.switches(other) - before, 100)
                    loops, others = self.affinities(other)
                    self.assertEqual(loops, [set(cores)])
                    for name, found in others:
                        self.assertEqual(found, set(usable), name)
                    self.assertEqual("cannot be kept to its core" in other.text(), wanted == "1023")
                finally:
                    other.end()

    def use(self, other):
        """The loop starts tasks, which meet the database and each other."""
        def ask(_):
            with contextlib.closing(other.client()) as client:
                paths = ("/v1/sessions", "/v1/stats", "/metrics")
                return [client.get(path).status for _ in range(20) for path in paths]

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for statuses in pool.map(ask, range(8)):
                self.assertEqual(set(statuses), {200})

    def affinities(self, other):
        loops, others = [], []
        for number, name in threads_of(other):
            with contextlib.suppress(ProcessLookupError):
                cores = os.sched_getaffinity(number)
                if name == "network-loop":
                    loops.append(cores)
                else:
                    others.append((name, cores))
        return loops, others

    def switches(self, other):
        """How often the threads for tasks have gone to sleep."""
        found = 0
        for number, name in threads_of(other):
            if name.startswith("tasks-"):
                with open(f"/proc/{other.process.pid}/task/{number}/status") as file:
                    found += sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
        return found


if __name__ == "__main__":
    unittest.main()
