"""A machine gets its agent from the server: the download, the installer with `--agent`, and an upgrade under running sessions."""

import hashlib
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import harness
from agents import Agent
from harness import Client, wait_for
from releases import AGENT, PLATFORM, Installation, make_key, stand_in

CLIENT = harness.ROOT / "Tests/ClaudeRunnerTests/scripted_client.py"
HOOKS = harness.ROOT / "hooks"


def setUpModule():
    global place, server, key, bare
    place = Installation()
    key = make_key(place.prefix / "key.pem")
    place.release(AGENT, key)
    server = place.server().start()
    bare = Installation().server().start()


def tearDownModule():
    server.end()
    bare.end()


class Served(unittest.TestCase):
    def get(self, path, **headers):
        return Client(server.address).get(path, **headers)

    def test_the_program_with_its_version_and_digest(self):
        answer = self.get(f"/agent/{PLATFORM}")
        digest = hashlib.sha256(AGENT.read_bytes()).hexdigest()
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "application/octet-stream"))
        self.assertEqual(hashlib.sha256(answer.body).hexdigest(), digest)
        self.assertEqual((answer.headers["x-agent-sha256"], answer.headers["etag"]), (digest, f'"{digest}"'))
        self.assertEqual(answer.headers["x-agent-version"], place.description["version"])
        self.assertEqual(answer.headers["x-agent-key"], place.description["key"])
        self.assertEqual(answer.headers["x-agent-signature"], place.description["signature"])
        head = Client(server.address).request("HEAD", f"/agent/{PLATFORM}")
        self.assertEqual((head.status, head.body, head.headers["x-agent-sha256"]), (200, b"", digest))
        for known in (f'"{digest}"', f'W/"a", W/"{digest}"', "*"):
            again = self.get(f"/agent/{PLATFORM}", **{"If-None-Match": known})
            self.assertEqual((again.status, again.body), (304, b""), known)
        self.assertEqual(self.get(f"/agent/{PLATFORM}", **{"If-None-Match": '"00"'}).status, 200)

    def test_what_is_not_built(self):
        for name in ("linux-riscv64", "darwin-aarch64", "..%2F..%2Fhooks", "%2Fetc%2Fpasswd", "release"):
            answer = self.get(f"/agent/{name}")
            self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "agent_not_built"), name)
        answer = Client(bare.address).get(f"/agent/{PLATFORM}")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "agent_not_built"))
        self.assertIn("make agent", answer.json["error"]["message"])

    def test_the_script_names_it(self):
        script = self.get("/install.sh").body.decode()
        known = place.description
        self.assertIn(f"{PLATFORM} {known['version']} {known['sha256']} {known['key']}", script)
        self.assertNotIn("@AGENTS@", script)
        self.assertIn("agents=''", Client(bare.address).get("/install.sh").body.decode())

    def test_a_description_that_is_no_description_is_not_served(self):
        other = Installation()
        other.release(AGENT)
        path = other.share / "agent" / PLATFORM / "release"
        text = path.read_text()
        for wrong in ("", text.replace("sha256=", "sha256=$(id)"), re.sub("version=.*", "version=1'2", text),
                      text + "key=a\nsignature=b\n"):
            path.write_text(wrong)
            found = other.server().start()
            self.addCleanup(found.end)
            self.assertEqual(Client(found.address).get(f"/agent/{PLATFORM}").status, 404, wrong)
            found.end()


class Machine(unittest.TestCase):
    """An account on a machine with Claude Code and one trusted project."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(os.path.realpath(directory.name))
        self.project = self.home / "work/app"
        self.project.mkdir(parents=True)
        claude = self.home / "programs/claude"
        claude.parent.mkdir(mode=0o755)
        shutil.copy(CLIENT, claude)
        claude.chmod(0o755)
        (self.home / ".claude.json").write_text(
            json.dumps({"projects": {str(self.project): {"hasTrustDialogAccepted": True}}}))
        self.environment = {"HOME": str(self.home), "PATH": f"{claude.parent}:{os.environ['PATH']}", "TMPDIR": str(self.home),
                            "SHELL": "/bin/sh"}
        self.name = f"machine-{os.path.basename(directory.name)}"
        self.key = server.key(self.name)
        self.agent = self.home / ".local/bin/monitor-agent"
        self.settings = self.home / ".config/claude-monitor"

    def run_words(self, *words, code=0, **environment):
        done = subprocess.run(words, env={**self.environment, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, start_new_session=True)
        self.assertEqual(done.returncode, code, done.stdout)
        self.assertNotIn(self.key, done.stdout)
        return done.stdout

    def fetch(self, *options, of=None, **keywords):
        words = " ".join(("--agent", "--no-service", "--no-transcripts", f"--name {self.name}") + options)
        command = f"curl -fsS {(of or server).url}/install.sh | bash -s -- {words}"
        return self.run_words("bash", "-o", "pipefail", "-c", command, CLAUDE_MONITOR_API_KEY=self.key, **keywords)

    def nothing_is_changed(self):
        self.assertFalse((self.home / ".claude").exists())
        self.assertFalse(self.settings.exists())
        self.assertEqual(list(self.agent.parent.glob("monitor-agent*")), [])

    def start(self):
        with open(self.home / "agent.log", "ab") as log:
            process = subprocess.Popen([self.agent, "run"], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_for(lambda: self.shown()["state"] == "online", "the agent is connected")
        return process

    def shown(self):
        return server.get(f"/v1/machines/{self.name}").json["agent"]


class Installs(Machine):
    def test_the_program_its_file_and_its_key(self):
        (self.home / ".profile").write_text("export ANTHROPIC_BASE_URL=http://127.0.0.1:9\n")
        said = self.fetch("--yes")
        self.assertEqual(self.agent.read_bytes(), AGENT.read_bytes())
        self.assertEqual(self.agent.stat().st_mode & 0o777, 0o755)
        lines = (self.settings / "agent").read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("roots=")], [f"roots={self.project}"])
        self.assertEqual((self.settings / "agent.pub").read_text().strip(), place.description["key"])
        self.assertIn(f"agent={self.agent}", (self.settings / "config").read_text())
        self.assertIn(f"Start the agent with: {self.agent} run", said)
        stored = (self.settings / "agent.env").read_text()
        self.assertIn("ANTHROPIC_BASE_URL=http://127.0.0.1:9\n", stored, "the environment is that of the person's shell")
        self.assertNotIn("LC_ALL", stored)

    def test_without_a_yes_nothing_is_allowed(self):
        said = self.fetch(code=3)
        self.assertIn("no terminal to ask on", said)
        self.assertFalse((self.settings / "agent").exists())

    def test_it_asks_at_the_terminal(self):
        for answer, code in ((b"n\n", 3), (b"y\n", 0)):
            master, slave = pty.openpty()
            command = f"curl -fsS {server.url}/install.sh | bash -s -- --agent --no-service --no-transcripts"
            process = subprocess.Popen(["setsid", "--ctty", "bash", "-c", command], stdin=slave, stdout=slave, stderr=slave,
                                       env={**self.environment, "CLAUDE_MONITOR_API_KEY": self.key})
            os.close(slave)
            shown = ""
            try:
                while part := os.read(master, 4096):
                    shown += part.decode()
                    if shown.endswith("Write it? [y/N] "):
                        os.write(master, answer)
            except OSError:
                pass  # Linux reports the end of a terminal as an error.
            os.close(master)
            self.assertEqual(process.wait(60), code, shown)
            self.assertIn(f"roots={self.project}", shown)
            self.assertEqual((self.settings / "agent").exists(), answer == b"y\n")

    def test_from_a_clone(self):
        self.run_words("bash", HOOKS / "install.sh", "--url", server.url, "--key", self.key, "--agent", "--yes", "--no-service",
                       "--root", self.home / "work")
        self.assertIn(f"roots={self.home}/work\n", (self.settings / "agent").read_text())
        self.assertEqual(self.agent.read_bytes(), AGENT.read_bytes())

    def test_a_dry_run_changes_nothing(self):
        self.assertIn("would download the agent", self.fetch("--yes", "--dry-run"))
        self.nothing_is_changed()


class Refuses(Machine):
    def test_a_server_without_an_agent(self):
        self.key = bare.key(self.name)
        self.assertIn(f"has no agent for {PLATFORM}", self.fetch("--yes", of=bare, code=1))
        self.nothing_is_changed()
        said = self.run_words("bash", HOOKS / "install.sh", "--url", bare.url, "--key", self.key, "--agent", "--yes", code=1)
        self.assertIn("make agent", said)
        self.nothing_is_changed()

    def test_another_program_than_the_script_says(self):
        script = self.home / "changed.sh"
        text = Client(server.address).get("/install.sh").body.decode()
        script.write_text(text.replace(place.description["sha256"], "0" * 64))
        said = self.run_words("bash", script, "--agent", "--yes", "--no-service", code=1, CLAUDE_MONITOR_API_KEY=self.key)
        self.assertIn("not the one that the server describes", said)
        self.nothing_is_changed()

    def test_a_program_that_does_not_run_here(self):
        other = Installation()
        other.release(stand_in(other.prefix / "program", "9.0.0"))
        program = other.share / "agent" / PLATFORM / "monitor-agent"
        program.write_text("#!/bin/sh\necho no such library >&2\nexit 127\n")
        release = program.parent / "release"
        release.write_text(re.sub("sha256=.*", f"sha256={hashlib.sha256(program.read_bytes()).hexdigest()}", release.read_text()))
        found = other.server().start()
        self.addCleanup(found.end)
        self.key = found.key(self.name)
        said = self.fetch("--yes", of=found, code=1)
        self.assertIn("does not run on this machine", said)
        self.assertIn("no such library", said)
        self.nothing_is_changed()

    def test_another_key_than_at_the_first_install(self):
        self.fetch("--yes")
        (self.settings / "agent.pub").write_text("A" * 43 + "\n")
        self.agent.write_text("mine")
        self.assertIn("another key", self.fetch("--yes", code=1))
        self.assertEqual(self.agent.read_text(), "mine")


class Life(Machine):
    def received(self):
        path = self.project / "received"
        return path.read_text() if path.exists() else ""

    def say(self, session, text):
        answer = server.client(server.admin).request("POST", f"/v1/sessions/{session}/input", {"text": text})
        self.assertLess(answer.status, 300, answer)
        wait_for(lambda: text in self.received(), "the message arrives")

    def test_an_upgrade_leaves_the_sessions_running(self):
        self.fetch("--yes")
        first = self.start()
        made = server.client(server.admin).request(
            "POST", "/v1/sessions", {"machine_id": self.name, "path": str(self.project), "message": "one"})
        self.assertEqual(made.status, 201, made)
        session = made.json["id"]
        self.say(session, "two")
        client = self.client_of(session)
        text = self.agent.read_bytes()
        self.replace(text + b"\0")
        self.fetch("--yes")
        self.assertEqual(self.agent.read_bytes(), text)
        self.assertIsNone(first.poll(), "the running agent is not disturbed")
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(30), 0)
        wait_for(lambda: self.shown()["state"] == "offline", "the agent has gone")
        self.start()
        self.assertTrue(harness.alive(client))
        self.say(session, "three")
        self.assertEqual(self.client_of(session), client)
        answer = server.client(server.admin).request("DELETE", f"/v1/sessions/{session}")
        self.assertEqual(answer.status, 200, answer)
        wait_for(lambda: not harness.alive(client), "the session's process has ended")

    def replace(self, contents):
        """Puts another file in the program's place, as an older version would be."""
        draft = self.agent.with_name("older")
        draft.write_bytes(contents)
        draft.chmod(0o755)
        draft.rename(self.agent)

    def client_of(self, session):
        state = self.home / f".local/state/claude-monitor/agent/sessions/{session}/state.json"
        return json.loads(state.read_text())["pid"]

    def test_uninstall(self):
        self.fetch("--yes")
        (self.home / ".local/bin/other").write_text("")
        said = self.run_words("bash", self.home / ".local/share/claude-monitor/hooks/uninstall.sh")
        self.assertIn("agent removed", said)
        for path in (self.agent, self.settings / "agent", self.settings / "agent.pub", self.settings / "agent.env"):
            self.assertFalse(path.exists(), path)
        self.assertNotIn("agent=", (self.settings / "config").read_text())
        self.assertTrue((self.home / ".local/bin/other").exists())
        self.fetch("--yes")
        self.run_words("bash", self.home / ".local/share/claude-monitor/hooks/uninstall.sh", "--purge")
        self.assertFalse((self.home / ".local/state/claude-monitor").exists())
        self.assertFalse(self.settings.exists())


class Older(unittest.TestCase):
    def test_the_machine_says_that_its_agent_is_older(self):
        newer = Installation()
        newer.release(stand_in(newer.prefix / "program", "0.10.0"))
        found = newer.server().start()
        self.addCleanup(found.end)
        for number, (version, platform, update) in enumerate((
                ("0.9.0", PLATFORM, "0.10.0"), ("0.10.0", PLATFORM, None), ("0.11.0", PLATFORM, None),
                ("odd", PLATFORM, None), ("0.9.0", "darwin-aarch64", None))):
            agent = Agent(found, found.key(f"machine-{number}"))
            self.addCleanup(agent.close)
            agent.greeting.update(agent_version=version, platform=platform)
            agent.greet()
            self.assertEqual(agent.greeted.get("release"), "0.10.0" if platform == PLATFORM else None)
            shown = wait_for(lambda: found.get(f"/v1/machines/machine-{number}").json["agent"], "the machine")
            self.assertEqual((shown["version"], shown.get("update")), (version, update))
