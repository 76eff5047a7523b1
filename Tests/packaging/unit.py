"""What systemd would run for a unit file. It runs inside a Root, without systemd."""

import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request


class Unit:
    """The server of a unit file: its user, environment, state directory and command."""

    def __init__(self, root, path):
        self.root = root
        self.text = (root.folder / path).read_text()
        self.user = self.values("User")[0]
        self.settings = dict(word.split("=", 1) for line in self.values("Environment") for word in shlex.split(line))
        self.process = self.log = None

    def values(self, name):
        return re.findall(rf"^{name}=(.*)$", self.text, re.MULTILINE)

    def read_environment_file(self):
        for path in self.values("EnvironmentFile"):
            place = self.root.folder / path.lstrip("-/")
            lines = place.read_text().splitlines() if place.exists() else []
            self.settings.update(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))

    def start(self):
        self.read_environment_file()
        state = "/var/lib/" + self.values("StateDirectory")[0]
        self.root.run("install", "-d", "-m", self.values("StateDirectoryMode")[0], "-o", self.user, "-g", self.user, state)
        self.log = self.root.folder.parent / (self.root.folder.name + ".log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.root.command(*shlex.split(self.values("ExecStart")[0]), user=self.user, **self.settings),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")

    @property
    def url(self):
        return "http://" + self.settings["MONITOR_LISTEN"]

    def wait_healthy(self, seconds=120):
        deadline = time.monotonic() + seconds
        while True:
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}: {self.log.read_text()}")
            try:
                with urllib.request.urlopen(self.url + "/health", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f"not healthy within {seconds} s: {self.log.read_text()}")
            time.sleep(0.2)

    def control(self, *words):
        """Runs monitorctl as README describes: as the server's user, with its data directory."""
        return self.root.run("monitorctl", *words, user=self.user, seconds=60, MONITOR_URL=self.url, **self.settings).stdout

    def stop(self):
        """Ends the server with SIGTERM. Returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(int(self.values("TimeoutStopSec")[0]))

    def end(self):
        """Ends the server of a failed test, by SIGTERM if that works."""
        if self.process and self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.process.kill()
                print("the server did not stop; its PostgreSQL may be left", file=sys.stderr)
