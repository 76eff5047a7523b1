"""`monitor-agent update`: which releases of a server the program takes in place of itself."""

import os
import shutil
import subprocess
import unittest

from machine import AGENT, AgentCase, Machine, wait_until
from releasing import Key, Offer, Releases, at_terminal


class Updates(unittest.TestCase):
    def setUp(self):
        self.releases = Releases()
        self.addCleanup(self.releases.close)
        self.machine = Machine(self)
        self.machine.configure(self.releases.url)
        self.program = self.machine.place / "bin" / "monitor-agent"
        shutil.copy(AGENT, self.program)
        self.before = self.program.read_bytes()
        self.key = Key(self.machine.place, "key.pem")
        self.machine.write("agent.pub", self.key.public + "\n")

    def update(self, answer="y", **more):
        return at_terminal([self.program, "update"], self.machine.env(**more), answer)

    def stays(self, reason, **keywords):
        status, shown = self.update(**keywords)
        self.assertEqual(status, 1, shown)
        self.assertIn(reason, shown)
        self.assertEqual(self.program.read_bytes(), self.before)
        self.assertEqual(list(self.program.parent.glob("monitor-agent.*")), [])

    def test_a_newer_signed_release_is_taken_after_a_yes(self):
        self.releases.offer = Offer("9.1.0", key=self.key)
        self.stays("Nothing was changed", answer="n")
        self.assertNotIn("GET", [method for method, _, _ in self.releases.asked])
        status, shown = self.update(http_proxy="http://127.0.0.1:9", CURL_HOME=str(self.machine.place))
        self.assertEqual(status, 0, shown)
        self.assertIn("version 9.1.0", shown)
        self.assertEqual(self.program.read_bytes(), self.releases.offer.body)
        self.assertEqual(self.program.stat().st_mode & 0o777, 0o755)
        self.assertEqual({credential for _, _, credential in self.releases.asked}, {None}, "the key of the machine is not sent")

    def test_never_unattended(self):
        self.releases.offer = Offer("9.1.0", key=self.key)
        done = subprocess.run([self.program, "update"], env=self.machine.env(), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs a terminal", done.stderr)
        self.assertEqual(self.releases.asked, [])

    def test_no_older_release(self):
        self.releases.offer = Offer("0.0.9", key=self.key)
        self.stays("never goes back")
        own = subprocess.run([AGENT, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.releases.offer = Offer(own, key=self.key)
        status, shown = self.update()
        self.assertEqual((status, self.program.read_bytes()), (0, self.before))
        self.assertIn("up to date", shown)
        self.releases.offer = Offer("nine", key=self.key)
        self.stays("cannot be compared")

    def test_an_old_release_under_a_new_name(self):
        old = Offer("0.0.9", key=self.key)
        old.headers["x-agent-version"] = "9.1.0"
        self.releases.offer = old
        self.stays("signature")

    def test_another_signature(self):
        self.releases.offer = Offer("9.1.0")
        self.stays("not signed")
        self.releases.offer = Offer("9.1.0", key=Key(self.machine.place, "other.pem"))
        self.stays("signature")
        self.releases.offer = Offer("9.1.0", key=self.key, platform="linux-riscv64")
        self.stays("signature")
        self.releases.offer = Offer("9.1.0", key=self.key)
        self.machine.write("agent.pub", "nonsense\n")
        self.stays("signature")
        os.chmod(self.machine.settings / "agent.pub", 0o622)
        self.stays("can be written by others")
        (self.machine.settings / "agent.pub").unlink()
        self.stays("no release can be verified")

    def test_another_program_than_described(self):
        self.releases.offer = Offer("9.1.0", key=self.key)
        self.releases.offer.body += b"\n"
        self.stays("not the release that the server described")

    def test_a_program_without_end(self):
        self.releases.offer = Offer("9.1.0", key=self.key)
        self.releases.floods = True
        self.stays("cannot be downloaded")
        self.assertLess(self.releases.flooded, 100e6)

    def test_a_program_that_does_not_run_or_is_another_version(self):
        for body in ("#!/bin/sh\nexit 127\n", "#!/bin/sh\necho monitor-agent 9.0.0\n", "no program"):
            self.releases.offer = Offer("9.1.0", body, key=self.key)
            self.stays("does not run on this machine")

    def test_a_server_without_releases(self):
        self.stays("has no agent for")
        self.machine.configure("http://127.0.0.1:9")
        self.stays("does not answer")
        self.machine.configure("http://monitor.example")
        status, shown = self.update()
        self.assertEqual(status, 1, shown)


class Shown(AgentCase):
    def offered(self, version):
        self.wire.answers = lambda method, params: {"result": {"protocol": 1, "node": "test", "release": version}}
        self.begin()
        wait_until(lambda: self.machine.status().get("connected"), "the connection")

    def test_a_newer_version_on_the_server(self):
        self.offered("9.1.0")
        self.assertEqual((self.machine.status()["release"], self.machine.status()["update"]), ("9.1.0", "9.1.0"))
        self.assertIn("monitor-agent update takes it", self.machine.run("status").stdout)

    def test_the_same_version(self):
        self.offered(self.machine.run("version").stdout.split()[1])
        self.assertEqual(self.machine.status()["update"], None)
        self.assertNotIn("monitor-agent update", self.machine.run("status").stdout)


if __name__ == "__main__":
    unittest.main()
