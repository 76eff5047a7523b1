"""Directories, processes and short waits. Everything that is started here is ended here, by its pid."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
IS_ROOT = os.geteuid() == 0
BEGAN = time.monotonic()
_print = threading.Lock()


def say(text):
    with _print:
        print(f"{time.strftime('%H:%M:%S')} {time.monotonic() - BEGAN:7.2f}  {text}", flush=True)


def wait_until(seconds, condition, pause=0.05):
    """Returns the value of the condition when it becomes true, or its last, false value after the time limit."""
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(pause)
    return found


def run(command, seconds=30, check=True, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False,
                          stdin=subprocess.DEVNULL, **options)
    if check and done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def signal_pid(pid, number):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def end_pid(pid, seconds=5):
    """Sends SIGTERM, and later SIGKILL."""
    signal_pid(pid, signal.SIGCONT)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not signal_pid(pid, number) or wait_until(seconds, lambda: not is_alive(pid)):
            return


def status_field(pid, name):
    """A number in /proc/PID/status; 0 if there is none."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return 0


def pids_with_environment(text):
    """The processes of this run, which have its mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if text.encode() in (entry / "environ").read_bytes() and is_alive(int(entry.name)):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


class Workplace:
    """A directory for a run. As root, parts of it can be small file systems."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="chaos-", dir="/tmp"))
        self.path.chmod(0o755)
        self.mark = f"CHAOS_RUN={self.path.name}"
        self._mounts = []

    def environment(self, **more):
        """The environment without variables that would redirect the server or the hooks."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("MONITOR_", "CLAUDE_", "PG", "XDG_", "DATABASE_"))}
        return kept | dict([self.mark.split("=", 1)]) | more

    def directory(self, name, mebibytes=0):
        """Creates a directory, mounted with this number of MiB if that is requested and possible. The second value says whether
        it is mounted."""
        path = self.path / name
        path.mkdir()
        if not (mebibytes and IS_ROOT and shutil.which("mount")):
            return path, False
        options = f"size={mebibytes}m,mode=755"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "chaos", path], check=False, capture_output=True)
        if done.returncode == 0:
            self._mounts.append(path)
        return path, done.returncode == 0

    def remove(self):
        for pid in pids_with_environment(self.mark):
            end_pid(pid)
        for path in reversed(self._mounts):
            if subprocess.run(["umount", path], check=False, capture_output=True).returncode != 0:
                subprocess.run(["umount", "-l", path], check=False, capture_output=True)
        shutil.rmtree(self.path, ignore_errors=True)
