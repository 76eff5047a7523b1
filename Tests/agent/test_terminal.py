"""Sessions in terminals: what is shown, what is typed, and what outlives the agent."""

import os
import pathlib
import re
import signal
import unittest

from machine import AgentCase, wait_until

# A client that says what it is, echoes lines, and tells its size when it changes.
CLIENT = r"""#!/usr/bin/env python3
import os, signal, subprocess, sys
def size(*_):
    columns, rows = os.get_terminal_size(0)
    print("size %dx%d" % (columns, rows), flush=True)
if sys.stdin.isatty():
    signal.signal(signal.SIGWINCH, size)
    print("terminal %s leader %s term %s" % (os.ttyname(0), os.getsid(0) == os.getpid(), os.environ.get("TERM")), flush=True)
    size()
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "exit":
        sys.exit(int(rest))
    elif word == "flood":
        for number in range(int(rest)):
            sys.stdout.write("line %06d ääää\r\n" % number)
        print("flooded", flush=True)
    elif word == "detach":
        script = "sleep 600 </dev/null >/dev/null 2>&1 & echo $!"
        child = subprocess.check_output(["sh", "-c", script], start_new_session=True, env=dict(os.environ, CLAUDE_PID=str(os.getpid())))
        print("detached %d" % int(child), flush=True)
    else:
        print("heard <%s>" % line.strip(), flush=True)
"""


class TerminalCase(AgentCase):
    def setUp(self):
        super().setUp()
        self.machine.client.write_text(CLIENT)
        self.machine.allow("pty=on")
        self.link = self.begin()

    def open(self, link=None, **params):
        return self.start_session(link or self.link, terminal={"columns": 100, "rows": 30}, **params)

    def shown(self, session, link=None):
        """All that the terminal has shown, as a subscriber would have it."""
        text = ""
        for method, params in list((link or self.link).notices):
            if method == "pty/output" and params["session_id"] == session:
                text = params["data"] if params["restarts"] else text + params["data"]
        return text

    def see(self, session, words, link=None):
        wait_until(lambda: words in self.shown(session, link), words)

    def server(self):
        """The process that holds the terminal."""
        return next(pid for pid in self.machine.clients()
                    if b"serve-terminal" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())

    def type(self, session, keys, link=None):
        return (link or self.link).call("pty/input", {"session_id": session, "data": keys})


class Terminal(TerminalCase):
    def test_a_terminal_of_its_own(self):
        session = self.open()
        self.see(session, "size 100x30")
        self.assertRegex(self.shown(session), r"terminal /dev/pts/\d+ leader True term xterm-256color")
        self.assertEqual(self.type(session, "grüße\r")["result"], {})
        self.see(session, "heard <grüße>")
        words = self.machine.client_words()
        self.assertNotIn("-p", words)
        self.assertIn(session, words)
        self.assertFalse([entry for entry in self.machine.client_environment() if entry.startswith("CLAUDE_MONITOR_RUNNER")])

    def test_keys_keep_their_order(self):
        session = self.open()
        for letter in "abcdefghijklmnopqrstuvwxyz":
            self.link.post("pty/input", {"session_id": session, "data": letter})
        self.type(session, "\r")
        self.see(session, "heard <abcdefghijklmnopqrstuvwxyz>")

    def test_size(self):
        session = self.open()
        self.link.call("pty/resize", {"session_id": session, "columns": 80, "rows": 24})
        self.see(session, "size 80x24")
        before = self.shown(session)
        self.link.call("pty/resize", {"session_id": session, "columns": 80, "rows": 24})
        wait_until(lambda: re.findall(r"size (\S+)\r", self.shown(session)[len(before):])[-1:] == ["80x24"], "another drawing")

    def test_the_end(self):
        session = self.open()
        self.type(session, "exit 3\r")
        ended = self.link.noticed("session/state", state="ended")[0]
        self.assertEqual(ended["exit"], {"code": 3})
        self.assertEqual(self.machine.clients(), [])
        # The agent removes the files after it has told of the end.
        wait_until(lambda: not (self.machine.state / "sessions" / session).exists(), "the removal of the files")
        self.refused(self.type(session, "x"), "session_not_running")

    def test_stop_names_what_is_left(self):
        session = self.open()
        self.type(session, "detach\r")
        self.see(session, "detached ")
        child = int(re.search(r"detached (\d+)", self.shown(session))[1])
        self.addCleanup(os.kill, child, signal.SIGKILL)
        result = self.link.call("session/stop", {"session_id": session, "kill_leftovers": False})["result"]
        self.assertEqual([one["pid"] for one in result["left_running"]], [child])
        self.assertEqual(self.machine.clients(), [])

    def test_much_output_comes_whole_or_says_that_it_begins_again(self):
        session = self.open()
        self.type(session, "flood 60000\r")
        self.see(session, "flooded")
        text = self.shown(session)
        self.assertFalse("\ufffd" in text)
        numbers = [int(one) for one in re.findall(r"line (\d{6}) ääää\r", text)]
        self.assertEqual(numbers, list(range(numbers[0], 60000)))
        pieces = [params["data"] for method, params in self.link.notices if method == "pty/output"]
        self.assertLessEqual(max(len(piece.encode()) for piece in pieces), 64 << 10)


class Survival(TerminalCase):
    def test_an_agent_that_is_killed(self):
        session = self.open()
        self.see(session, "size 100x30")
        client = self.machine.clients()
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        self.machine.start()
        link = self.wire.link(2)
        self.see(session, "size 100x30", link)
        self.assertEqual(self.machine.clients(), client)
        self.type(session, "again\r", link)
        self.see(session, "heard <again>", link)

    def test_a_connection_that_is_lost(self):
        session = self.open()
        self.see(session, "size 100x30")
        self.link.cut()
        link = self.wire.link(2)
        self.see(session, "size 100x30", link)

    def test_a_server_of_a_terminal_that_is_killed(self):
        session = self.open()
        self.see(session, "size 100x30")
        os.kill(self.server(), signal.SIGKILL)
        self.link.noticed("session/state", state="ended")
        wait_until(lambda: not self.machine.clients(), "the end of the client")


class Refusals(TerminalCase):
    def refuse(self, reason, **params):
        answer = self.link.call("session/start", {"session_id": "5b0c1c1e-0000-4000-8000-000000000001", "directory": str(
            self.machine.project), "terminal": {"columns": 80, "rows": 24}, **params})
        self.refused(answer, reason)
        self.assertEqual(self.machine.clients(), [])

    def test_without_the_word_in_the_file(self):
        self.machine.allow()
        self.refuse("not_allowed_by_machine")

    def test_in_a_folder_that_nobody_trusts(self):
        self.machine.trust()
        self.refuse("untrusted_directory")
        self.refuse("untrusted_directory", restricted=True)

    def test_keys_after_the_file_has_changed(self):
        session = self.open()
        self.machine.allow()
        self.refused(self.type(session, "!rm\r"), "not_allowed_by_machine")
        self.refused(self.link.call("session/set", {"session_id": session, "mode": "plan"}), "session_has_terminal")

    def test_keys_are_not_in_the_audit(self):
        session = self.open()
        self.type(session, "a secret\r")
        self.see(session, "heard <a secret>")
        self.assertNotIn("a secret", (self.machine.state / "audit.jsonl").read_text())
        self.assertTrue([one for one in self.machine.audit() if one.get("method") == "pty/input" and one["bytes"] == 9])

    def test_sizes_and_keys_that_are_none(self):
        session = self.open()
        for params in ({"columns": 0, "rows": 24}, {"columns": 80}, {"columns": 80, "rows": 5000}):
            self.assertEqual(self.link.call("pty/resize", {"session_id": session, **params})["error"]["code"], -32602)
        self.assertEqual(self.link.call("pty/input", {"session_id": session, "data": 7})["error"]["code"], -32602)


if __name__ == "__main__":
    unittest.main()
