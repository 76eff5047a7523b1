"""The files of the service, as the programs that read them understand them."""

import os
import plistlib
import shutil
import subprocess
import unittest

from machine import AGENT, Machine


class Files(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(self)
        self.program = self.machine.place / 'bin' / 'monitor-agent 50 % & <co> $HOME'
        shutil.copy(AGENT, self.program)

    def printed(self, kind, *flags):
        done = subprocess.run([self.program, "install", f"--print-service={kind}", *flags], env=self.machine.env(),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(self.machine.state.exists())
        return done.stdout

    def verify(self, path):
        return subprocess.run(["systemd-analyze", "verify", "--user", "--man=no", path], capture_output=True, text=True,
                              env=self.machine.env(XDG_RUNTIME_DIR=str(self.machine.place)), timeout=60)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd here")
    def test_systemd_finds_no_fault(self):
        path = self.machine.place / "claude-monitor-agent.service"
        path.write_text(self.printed("systemd", "--ca-file", '/etc/"ca" of 5 % $mine.pem'))
        done = self.verify(path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd here")
    def test_systemd_would_find_a_fault(self):
        path = self.machine.place / "claude-monitor-agent.service"
        path.write_text(self.printed("systemd").replace("KillMode=process", "KillMode=sometimes"))
        self.assertIn("kill mode", self.verify(path).stderr)

    def test_launchd_gets_a_property_list(self):
        found = plistlib.loads(self.printed("launchd", "--ca-file", "/etc/ca & mine.pem").encode())
        self.assertEqual(found["ProgramArguments"], [str(self.program), "run", "--ca-file", "/etc/ca & mine.pem"])
        self.assertEqual((found["KeepAlive"], found["RunAtLoad"], found["AbandonProcessGroup"]), (True, True, True))
        self.assertEqual(found["Umask"], 0o77)
        self.assertEqual(found["Label"], "claude-monitor-agent")

    def test_another_service_is_unknown(self):
        done = self.machine.run("install", "--print-service", "cron")
        self.assertEqual(done.returncode, 64)
        self.assertIn("There is no service 'cron'", done.stderr)


if __name__ == "__main__":
    unittest.main()
