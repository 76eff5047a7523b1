"""The real client in a terminal of its own, and a person who presses keys."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import threading

from client import KEY

ENTER, ESCAPE, TAB, DOWN = b"\r", b"\x1b", b"\t", b"\x1b[B"


class Terminal:
    def __init__(self, machine, *arguments, program=None, environment=None):
        """Runs the client, or another program, in a terminal of its own."""
        self.settle_first_questions(machine)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        # setsid makes this the controlling terminal. Without one, the client reads no keys.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", program or machine.claude, *arguments], cwd=machine.project,
            env=environment or machine.environment,
            stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.shown = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @staticmethod
    def settle_first_questions(machine):
        """With a new HOME, the client asks about a theme, trust in the folder, and the key in the environment."""
        (machine.home / ".claude.json").write_text(json.dumps({
            "hasCompletedOnboarding": True, "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(machine.project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }))

    def _read(self):
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            self.shown += data

    def press(self, keys):
        os.write(self._master, keys)

    def wait(self, seconds):
        """The client's exit status; `None` if it does not end by itself."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self._reader.join(5)
        os.close(self._master)
