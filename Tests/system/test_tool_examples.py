"""The programs of examples/ that use the tool router: they find a tool, run it, and wait for the person who is asked."""

import subprocess
import threading
import unittest

import harness
import test_remote_tools as remote_tools
import test_tool_router as tool_router
from harness import ROOT

EXAMPLES = ROOT / "examples"


def setUpModule():
    remote_tools.setUpModule()


def tearDownModule():
    remote_tools.tearDownModule()


class Python(tool_router.Router):
    COMMAND = ["/usr/bin/python3", EXAMPLES / "tools.py"]

    def run_with(self, *words):
        done = subprocess.run(
            [*self.COMMAND, "user_123", *words], capture_output=True, text=True, timeout=120, check=False,
            env=harness.environment(MONITOR_URL=self.own.url, MONITOR_KEY=self.key))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_a_tool_is_found_and_run_once_a_person_says_so(self):
        told = []
        thread = threading.Thread(
            target=lambda: told.extend(self.run_with("says something again", '{"text": "hello"}', self.name)))
        thread.start()
        self.addCleanup(thread.join, 120)
        self.assertEqual(self.decide().status, 200)
        thread.join(120)
        self.assertRegex(told[0], f"^session trs_[0-9A-Za-z]+ {self.own.url}/tool_router/trs_[0-9A-Za-z]+/mcp$")
        self.assertEqual(told[1:5], [f"tool {slug}" for slug in tool_router.META])
        self.assertEqual(told[5], f"found {self.echo}")
        self.assertIn(told[6], ('completed {"text": "hello"}', 'completed {"text":"hello"}'))

    def test_toolkits_that_are_not_there(self):
        self.assertEqual(self.run_with("says something again", "{}", "gmail")[-1], "nothing found")


class Swift(Python):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        program = harness.make_directory() / "tools"
        subprocess.run(["swiftc", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", EXAMPLES / "tools.swift",
                        "-o", program], check=True, timeout=240, stdin=subprocess.DEVNULL)
        cls.COMMAND = [program]


if __name__ == "__main__":
    unittest.main()
