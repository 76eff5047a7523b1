"""PostgreSQL: an external cluster for the run, and SQL on any cluster without the server."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path

from system import IS_ROOT, is_alive, run, signal_pid, wait_until


def binaries():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    raise SystemExit("no PostgreSQL server found (Debian and Ubuntu: apt-get install postgresql)")


def as_owner(command):
    """The command, run as the user of PostgreSQL if this is root, because PostgreSQL refuses to run as root."""
    command = [str(part) for part in command]
    return ["runuser", "-u", "postgres", "--", *command] if IS_ROOT else command


class SQL:
    """psql on a unix socket."""

    def __init__(self, directory, user, database):
        self.place = ["-h", str(directory), "-U", user, "-d", database]

    def command(self, statement):
        return ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *self.place, "-c", statement]

    def lines(self, statement, seconds=30, user_options=""):
        options = f"-c default_transaction_read_only=off {user_options}".strip()
        text = run(self.command(statement), seconds, env={"PATH": os.environ["PATH"], "PGOPTIONS": options,
                                                          "PGCONNECT_TIMEOUT": "5"})
        return text.split("\n")[:-1]

    def hold(self, statement):
        """Starts a long statement. The caller must wait for the process."""
        return subprocess.Popen(self.command(statement), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})


def postmaster_pid(data):
    """The pid of a running postmaster; 0 if there is none."""
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return 0
    return pid if is_alive(pid) else 0


def kill_postmaster(data, number=signal.SIGKILL):
    pid = postmaster_pid(data)
    return pid and signal_pid(pid, number) and pid


def children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Cluster:
    """An external cluster on a unix socket."""

    def __init__(self, directory):
        self.bin = binaries()
        self.data = directory / "data"
        self.socket = directory / "socket"
        self.log = directory / "postgres.log"
        self.directory = directory
        self.sql = SQL(self.socket, "monitor", "monitor")

    def create(self):
        self.socket.mkdir()
        if IS_ROOT:
            owner = pwd.getpwnam("postgres")
            for path in (self.directory, self.socket):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        run(as_owner([self.bin / "initdb", "-D", self.data, "-U", "monitor", "-A", "trust", "-E", "UTF8",
                      "--locale=C", "--no-sync"]), 60, cwd="/")
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(f"listen_addresses = ''\nunix_socket_directories = '{self.socket}'\n"
                           "max_connections = 40\nmax_wal_size = '64MB'\nmin_wal_size = '32MB'\n"
                           "shared_buffers = '16MB'\nlog_min_messages = fatal\n")
        self.start()
        SQL(self.socket, "monitor", "postgres").lines("CREATE DATABASE monitor")

    def start(self, seconds=30):
        """Starts the cluster. After a crash, the children of the old postmaster must end first, so this may need several
        attempts."""
        command = as_owner([self.bin / "pg_ctl", "start", "-w", "-t", "20", "-D", self.data, "-l", self.log])
        deadline = time.monotonic() + seconds
        while True:
            # The server must not inherit pipes of this process as its output.
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/",
                                  stderr=subprocess.DEVNULL, timeout=40, check=False)
            if done.returncode == 0:
                return
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not start: {self.log.read_text()[-400:]}")
            time.sleep(0.3)

    def stop(self, mode):
        if postmaster_pid(self.data):
            run(as_owner([self.bin / "pg_ctl", "stop", "-w", "-t", "20", "-m", mode, "-D", self.data]), 40, cwd="/")

    def end(self):
        pid = kill_postmaster(self.data, signal.SIGQUIT)
        if pid and not wait_until(10, lambda: not is_alive(pid)):
            for child in children(pid):
                signal_pid(child, signal.SIGKILL)
            signal_pid(pid, signal.SIGKILL)
