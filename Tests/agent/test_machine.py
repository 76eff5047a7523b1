"""The person at the machine: install, uninstall, status, doctor, and what the agent costs."""

import json
import os
import pathlib
import stat
import subprocess
import unittest

from machine import AgentCase, Machine
from wire import Wire


class Installs(AgentCase):
    def setUp(self):
        super().setUp()
        self.path = self.machine.settings / "agent"
        self.path.unlink()

    def install(self, *flags, **more):
        return self.machine.run("install", "--no-service", *flags, PATH=f"{self.machine.client.parent}:{os.environ['PATH']}", **more)

    def test_writes_nothing_without_a_yes(self):
        done = self.install()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no terminal to ask on", done.stderr)
        self.assertFalse(self.path.exists())
        self.assertIn(f"roots={self.machine.project}", done.stdout)

    def test_trusted_projects_are_the_roots(self):
        sub = self.machine.project / "sub"
        sub.mkdir()
        link = self.machine.root / "link"
        link.symlink_to(self.machine.project)
        self.machine.trust(self.machine.project, sub, link, "/", self.machine.home, "/nowhere")
        done = self.install("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.path.read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("roots=")], [f"roots={self.machine.project}"])
        self.assertIn(f"claude={self.machine.client}", lines)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertRegex(done.stdout, r"Start the agent with: /\S+monitor-agent run")
        link = self.begin()
        self.start_session(link)

    def test_named_roots(self):
        done = self.install("--yes", "--root", "/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a directory", done.stderr)
        self.assertFalse(self.path.exists())
        spaced = self.machine.root / "my work"
        spaced.mkdir()
        self.assertEqual(self.install("--yes", "--root", str(spaced), "--root=" + str(self.machine.project)).returncode, 0)
        text = self.path.read_text()
        self.assertIn(f'roots="{spaced}"\n', text)
        self.assertIn(f"roots={self.machine.project}\n", text)

    def test_a_file_that_exists_stays(self):
        self.path.write_text("control=off\n")
        os.chmod(self.path, 0o600)
        self.assertEqual(self.install("--yes").returncode, 0)
        self.assertEqual(self.path.read_text(), "control=off\n")
        self.path.write_text("nonsense")
        done = self.install("--yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not valid", done.stderr)

    def test_variables_of_the_shell(self):
        self.install("--yes", ANTHROPIC_BASE_URL="http://127.0.0.1:9", UNWANTED="1", SHELL="/bin/sh")
        path = self.machine.settings / "agent.env"
        names = {line.partition("=")[0] for line in path.read_text().splitlines()}
        self.assertTrue({"PATH", "HOME", "ANTHROPIC_BASE_URL"} <= names, names)
        self.assertNotIn("UNWANTED", names)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_sessions_get_the_path_of_the_shell(self):
        self.install("--yes")
        (self.machine.settings / "agent.env").write_text("PATH=/usr/bin:/of/the/shell\nUNWANTED=1\n")
        self.start_session(self.begin())
        names = dict(entry.partition("=")[::2] for entry in self.machine.client_environment())
        self.assertEqual(names["PATH"], "/usr/bin:/of/the/shell")
        self.assertNotIn("UNWANTED", names)

    def test_without_hooks(self):
        (self.machine.settings / "config").unlink()
        done = self.install("--yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("install the hooks first", done.stderr)
        self.assertFalse(self.path.exists())

    def test_uninstall(self):
        self.install("--yes")
        self.assertEqual(self.machine.run("uninstall").returncode, 1)
        self.assertTrue(self.path.exists())
        done = self.machine.run("uninstall", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.path.exists())
        self.assertFalse((self.machine.settings / "agent.env").exists())
        self.assertTrue((self.machine.settings / "config").exists())


class Words(AgentCase):
    def test_arguments(self):
        for words, text in ((["fly"], "There is no command 'fly'"), ([], "A command is missing"), (["run", "--json"], "no flag"),
                            (["status", "x"], "is not a flag"), (["run", "--ca-file"], "needs a value")):
            done = self.machine.run(*words)
            self.assertEqual(done.returncode, 64)
            self.assertIn(text, done.stderr)
        self.assertIn("usage: monitor-agent", self.machine.run("--help").stdout)
        self.assertRegex(self.machine.run("version").stdout, r"^monitor-agent \d")

    def test_status(self):
        done = self.machine.run("status")
        self.assertEqual((done.returncode, done.stdout), (69, "The agent does not run.\n"))
        self.assertEqual(json.loads(self.machine.run("sessions", "--json").stdout), [])
        link = self.begin()
        chosen = self.start_session(link)
        done = self.machine.run("status")
        self.assertEqual(done.returncode, 0)
        self.assertIn("It is connected to ws://127.0.0.1", done.stdout)
        self.assertIn(chosen, self.machine.run("sessions").stdout)
        self.assertTrue(self.machine.status()["connected"])

    def test_doctor(self):
        done = self.machine.run("doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("accepts the machine's key", done.stdout)
        self.assertIn("note   Claude Code does not have the monitor's tools", done.stdout)
        record = self.machine.home / ".claude.json"
        record.write_text(json.dumps({**json.loads(record.read_text()), "mcpServers": {
            "other": {"type": "http", "url": "http://x"},
            "watch": {"type": "stdio", "command": "/usr/local/bin/monitor-agent", "args": ["mcp"]}}}))
        said = self.machine.run("doctor").stdout
        self.assertIn("ok     Claude Code has the monitor's tools, as its MCP server watch", said)
        self.assertNotIn("has an MCP server watch, too", said)
        (self.machine.root / ".mcp.json").write_text(json.dumps({"mcpServers": {"watch": {"type": "http", "url": "http://x"}}}))
        self.assertIn(f"note   a .mcp.json of {self.machine.root} has an MCP server watch, too", self.machine.run("doctor").stdout)
        self.wire.status = 401
        done = self.machine.run("doctor")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not accept this machine's key", done.stdout)
        self.machine.write("approvals", "nonsense\n")
        self.assertRegex(self.machine.run("doctor").stdout, r"FAULT  .*approvals is not valid: line 1")
        (self.machine.settings / "agent").unlink()
        self.assertRegex(self.machine.run("doctor").stdout, r"FAULT  there is no .*agent; nothing is allowed")


@unittest.skipUnless("release" in os.path.realpath(os.environ["MONITOR_AGENT"]), "measures the release build")
class Cost(unittest.TestCase):
    def figures(self, machine, wire):
        machine.start()
        wire.link(1)
        status = pathlib.Path(f"/proc/{machine.agents[0].pid}/status").read_text()
        return {line.split(":")[0]: int(line.split()[1]) for line in status.splitlines() if line.endswith(" kB")}

    def check(self, figures):
        self.assertLess(figures["VmRSS"], 20 << 10, figures)
        self.assertLess(figures["RssAnon"], 8 << 10, figures)

    def test_an_idle_agent(self):
        wire, machine = Wire(), Machine(self)
        self.addCleanup(wire.close)
        machine.configure(f"http://127.0.0.1:{wire.port}")
        self.check(self.figures(machine, wire))

    def test_an_idle_agent_with_all_certificates_of_the_system(self):
        machine = Machine(self)
        pem, key = machine.place / "own.pem", machine.place / "own.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=own", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", pem], check=True, capture_output=True)
        bundle = machine.place / "bundle.pem"
        bundle.write_text(pathlib.Path("/etc/ssl/certs/ca-certificates.crt").read_text() + pem.read_text())
        wire = Wire(pem, key)
        self.addCleanup(wire.close)
        machine.configure(f"https://127.0.0.1:{wire.port}", ca_file=bundle)
        self.check(self.figures(machine, wire))


if __name__ == "__main__":
    unittest.main()
