"""Idle sessions whose processes end to save memory, and what the person at the machine does with sessions."""

import json
import os
import pathlib
import pty
import signal
import unittest
import uuid

from machine import AgentCase, wait_until


class WithSession(AgentCase):
    words = ("idle_stop=1s",)

    def setUp(self):
        super().setUp()
        self.machine.allow(*self.words)
        self.link = self.begin()
        self.session = self.start_session(self.link)

    def command(self, method, session=None, **params):
        return self.link.call(method, {"session_id": session or self.session, **params})

    def send(self, text, session=None, **params):
        message = str(uuid.uuid4())
        answer = self.command("session/send", session, message_id=message, content=text, **params)
        self.assertIn("result", answer)
        return message

    def answered(self, text, session=None, **params):
        message = self.send(text, session, **params)
        self.link.noticed("message/state", message_id=message, state="finished")

    def parks(self, session=None, count=1):
        return self.link.noticed("session/state", count, session_id=session or self.session, parked=True)[-1]

    def processes(self, session):
        """The clients of one session."""
        return [pid for pid in self.machine.clients() if session in pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")]

    def again(self):
        """The agent dies, and another one begins."""
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait()
        self.machine.start()
        self.link = self.wire.link(len(self.machine.agents))
        return self.link.called("initialize")[0]["sessions"]


class Cut(WithSession):
    """The agent ends while it writes a line that the pipe has no room for."""

    words = ()
    large = "x" * 700_000

    def test_the_message_can_be_sent_again(self):
        self.answered("hello")
        client = self.machine.clients()[0]
        os.kill(client, signal.SIGSTOP)
        lost = self.send(self.large)
        message = str(uuid.uuid4())
        params = {"session_id": self.session, "message_id": message, "content": self.large}
        self.link.post("session/send", params)
        state = self.machine.state / "sessions" / self.session / "state.json"
        wait_until(lambda: json.loads(state.read_text()).get("writing") == message, "the line that is cut")
        restated = self.again()
        self.assertEqual([(one["session_id"], one["state"], one["parked"]) for one in restated], [(self.session, "idle", True)])
        self.link.noticed("message/state", message_id=lost, state="cancelled")
        self.assertEqual(self.machine.clients(), [])
        self.assertIn("result", self.link.call("session/send", params))
        self.link.noticed("message/state", message_id=message, state="finished")
        words = self.machine.client_words()
        self.assertEqual(words[words.index("--resume") + 1], self.session)
        self.assertEqual([one[:2] for one in self.machine.received()][-1], [message, "700000"])
        self.assertEqual([one[0] for one in self.machine.received()].count(message), 1)


class Parking(WithSession):
    def test_an_idle_session_ends_its_process_and_the_next_message_starts_it_again(self):
        self.answered("hello")
        shown = self.parks()
        self.assertEqual((shown["state"], shown["queue"]), ("idle", []))
        self.assertNotIn("pid", shown)
        wait_until(lambda: not self.machine.clients(), "no process")
        self.assertFalse(any(one["state"] == "ended" for name, one in self.link.notices if name == "session/state"))
        self.answered("again")
        words = self.machine.client_words()
        self.assertEqual(words[words.index("--resume") + 1], self.session)
        self.assertEqual([one[2] for one in self.machine.received()], ["hello", "again"])
        self.parks(count=2)

    def test_what_it_was_started_with_is_kept(self):
        session = self.start_session(self.link, mode="plan", model="opus", effort="high", system_prompt="Be brief.")
        self.parks(session)
        self.answered("hello", session)
        words = pathlib.Path(f"/proc/{self.processes(session)[0]}/cmdline").read_text().split("\0")
        self.assertEqual([words[words.index(flag) + 1] for flag in ("--permission-mode", "--model", "--effort")],
                         ["plan", "opus", "high"])
        told = json.loads((self.machine.state / "sessions" / session / "state.json").read_text())
        self.assertEqual(told["system_prompt"], "Be brief.")

    def test_it_stays_parked_for_the_next_agent(self):
        self.answered("hello")
        self.parks()
        restated = self.again()
        self.assertEqual([(one["session_id"], one["state"], one["parked"]) for one in restated], [(self.session, "idle", True)])
        self.assertEqual(self.machine.clients(), [])
        self.answered("again")
        self.assertEqual(len(self.machine.clients()), 1)

    def test_work_keeps_the_process(self):
        self.answered("tool")
        asking = self.start_session(self.link)
        self.send("ask rm x", asking)
        self.link.noticed("session/state", session_id=asking, state="waiting")
        # Another one is idle for as long, and later.
        later = self.start_session(self.link)
        self.parks(later)
        self.assertEqual((len(self.processes(self.session)), len(self.processes(asking))), (1, 1))

    def test_after_clear_it_goes_on_under_its_new_id(self):
        self.answered("/clear", **{"as": "command"})
        new = self.link.noticed("session/state", continues=self.session)[0]["session_id"]
        self.parks(new)
        self.answered("hello", new)
        words = self.machine.client_words()
        self.assertEqual(words[words.index("--resume") + 1], new)
        self.assertEqual(sorted(os.listdir(self.machine.state / "sessions")), [new])
        self.assertEqual(len(json.loads(self.machine.run("sessions", "--json").stdout)), 1)

    def test_commands_to_a_parked_session(self):
        self.parks()
        self.refused(self.command("session/context"), "session_parked")
        self.assertEqual(self.command("session/cancel", message_id=str(uuid.uuid4()))["result"], {"cancelled": False})
        self.assertEqual(self.command("session/interrupt")["result"], {"cancelled": []})
        self.assertIn("compact", [one["name"] for one in self.command("session/commands")["result"]["commands"]])
        self.assertEqual(self.machine.clients(), [])
        self.assertEqual(self.command("session/set", mode="plan")["result"]["mode"], "plan")
        self.assertEqual(len(self.machine.clients()), 1)
        self.parks(count=2)
        self.assertEqual(self.command("session/stop")["result"]["left_running"], [])
        self.link.noticed("session/state", session_id=self.session, state="ended")
        self.refused(self.command("session/context"), "session_not_running")
        self.assertEqual(os.listdir(self.machine.state / "sessions"), [])

    def test_the_machines_file_counts_when_it_is_woken(self):
        self.parks()
        self.machine.write("agent", f"control=off claude={self.machine.client}\nroots={self.machine.root}\n")
        self.refused(self.command("session/send", message_id=str(uuid.uuid4()), content="x"), "not_allowed_by_machine")
        self.assertEqual(self.machine.clients(), [])
        self.machine.allow("modes=plan")
        self.refused(self.command("session/send", message_id=str(uuid.uuid4()), content="x"), "mode_not_allowed")
        self.machine.allow()
        self.answered("x")

    def test_a_start_that_fails_leaves_it_parked(self):
        self.parks()
        broken = self.machine.client.with_name("broken")
        broken.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
        broken.chmod(0o755)
        self.machine.write("agent", f"control=on claude={broken}\nroots={self.machine.root}\n")
        self.refused(self.command("session/send", message_id=str(uuid.uuid4()), content="x"), "start_failed")
        self.machine.allow()
        self.assertEqual([one["parked"] for one in self.again()], [True])
        self.answered("x")

    def test_after_a_restart_of_the_machine_it_has_ended(self):
        self.answered("hello")
        self.parks()
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait()
        path = self.machine.state / "sessions" / self.session / "state.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "boot_id": str(uuid.uuid4())}))
        self.machine.start()
        self.link = self.wire.link(2)
        self.assertEqual(self.link.called("initialize")[0]["sessions"], [])
        ended = self.link.noticed("session/state", session_id=self.session, state="ended")[0]
        self.assertEqual(ended["reason"], "machine_restarted")


class Off(WithSession):
    words = ("idle_stop=off",)

    def test_nothing_ends(self):
        # The other session begins later, and its words are read then.
        self.machine.allow("idle_stop=1s")
        other = self.start_session(self.link)
        self.parks(other)
        self.parks()


class Typed(WithSession):
    """Commands that are typed at a terminal of the machine."""

    words = ("idle_stop=off",)

    def type(self, *words, keys="", **more):
        """Runs the program at a terminal. Returns its exit status and what it wrote."""
        pid, terminal = pty.fork()
        if pid == 0:
            try:
                os.chdir("/")
                os.execve(os.environ["MONITOR_AGENT"], ["monitor-agent", *words], self.machine.env(**more))
            finally:
                os._exit(127)
        if keys:
            os.write(terminal, keys.encode())
        told = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            told += piece
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), told.decode()

    def terminal_client(self):
        """In place of Claude Code: says how it was called."""
        client = self.machine.client.with_name("terminal")
        client.write_text('#!/bin/sh\necho "called $* in $(pwd) with [$CLAUDECODE$CLAUDE_MONITOR_RUNNER]"\n')
        client.chmod(0o755)
        self.machine.write("agent", f"control=on claude={client}\nroots={self.machine.root}\n")

    def test_a_session_is_taken(self):
        self.answered("hello")
        self.terminal_client()
        status, told = self.type("take", self.session, CLAUDECODE="1", CLAUDE_MONITOR_RUNNER="x")
        self.assertEqual(status, 0, told)
        self.assertIn(f"called --resume {self.session} in {self.machine.project} with []", told)
        self.assertEqual(self.machine.clients(), [])
        ended = self.link.noticed("session/state", session_id=self.session, state="ended")[0]
        self.assertEqual(ended["reason"], "taken")
        status, told = self.type("take", self.session)
        self.assertEqual(status, 1)
        self.assertIn("runs no session", told)

    def test_a_parked_session_is_taken(self):
        self.machine.allow("idle_stop=1s")
        parked = self.start_session(self.link)
        self.parks(parked)
        self.terminal_client()
        status, told = self.type("take", parked)
        self.assertEqual(status, 0, told)
        self.assertIn(f"called --resume {parked}", told)
        self.refused(self.command("session/send", parked, message_id=str(uuid.uuid4()), content="x"), "session_not_running")
        ended = self.link.noticed("session/state", session_id=parked, state="ended")[0]
        self.assertEqual(ended["reason"], "taken")

    def test_nothing_is_taken_without_a_terminal(self):
        done = self.machine.run("take", self.session)
        self.assertEqual(done.returncode, 1)
        self.assertIn("at a terminal", done.stderr)
        for words in (["take"], ["take", "--json"], ["allow"], ["allow", "--yes", "/"], ["env", "x"]):
            self.assertEqual(self.machine.run(*words).returncode, 64, words)
        self.assertEqual(self.type("take", "../../x")[0], 1)
        self.assertEqual(len(self.machine.clients()), 1)

    def test_a_root_is_added_after_a_yes(self):
        other = self.machine.place / "other place"
        other.mkdir()
        path = self.machine.settings / "agent"
        before = path.read_text()
        for keys in ("n\n", "\n"):
            status, told = self.type("allow", str(other), keys=keys)
            self.assertEqual((status, path.read_text()), (1, before), told)
            self.assertIn(f'roots="{other}"', told)
        done = self.machine.run("allow", str(other))
        self.assertEqual((done.returncode, path.read_text()), (1, before))
        status, told = self.type("allow", str(other), keys="y\n")
        self.assertEqual(status, 0, told)
        self.assertEqual(path.read_text(), before + f'roots="{other}"\n')
        self.assertIn("already", self.type("allow", str(other))[1])
        status, told = self.type("allow", str(other), "--trust", keys="yes\n")
        self.assertEqual(status, 0, told)
        self.assertEqual(path.read_text().splitlines()[-1], f'trust="{other}"')
        answer = self.link.call("session/start", {"session_id": str(uuid.uuid4()), "directory": str(other)})
        self.assertIn("result", answer)

    def test_what_is_no_directory_is_not_added(self):
        path = self.machine.settings / "agent"
        before = path.read_text()
        for word in ("/nowhere", str(path), str(self.machine.client)):
            self.assertEqual(self.type("allow", word, keys="y\n")[0], 1)
        path.write_text("nonsense")
        self.assertIn("Mend it first", self.type("allow", "/", keys="y\n")[1])
        path.unlink()
        self.assertIn("install", self.type("allow", "/", keys="y\n")[1])
        path.write_text(before)

    def test_the_variables_of_the_shell(self):
        self.assertIn("Nothing is stored", self.machine.run("env").stdout)
        done = self.machine.run("env", "--refresh", SHELL="/bin/sh", ANTHROPIC_API_KEY="sk-secret", UNWANTED="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ANTHROPIC_API_KEY\n", done.stdout)
        self.assertNotIn("secret", done.stdout)
        self.assertNotIn("UNWANTED", done.stdout)
        self.assertEqual(self.machine.run("env").stdout, done.stdout)
        self.assertEqual((self.machine.settings / "agent.env").stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
