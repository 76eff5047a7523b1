"""The server under test: its process, its command-line tool, its REST API, and its table, which is read directly."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from datetime import datetime
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
COLUMNS = ("seq", "event_id", "session_id", "hook_event_name", "occurred_at", "payload")


def program(name):
    """The newest build of a program."""
    built = [path for kind in ("release", "debug") if (path := REPOSITORY / ".build" / kind / name).exists()]
    if not built:
        raise SystemExit(f"{name} is not built: swift build")
    return max(built, key=lambda path: path.stat().st_mtime)


def wait_until(seconds, what, condition):
    """Polls until the condition holds, and returns its value."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return found


def moment(text):
    """The Unix seconds of an RFC 3339 time."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Monitor:
    def __init__(self, directory, **settings):
        self.data = directory / "monitor"
        self.log = directory / "monitor.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings = settings
        self.process = None
        self.groups = []

    def start(self, **settings):
        """Starts the server, and returns when it accepts events."""
        self.settings.update(settings)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("MONITOR_", "PG", "DATABASE_"))}
        environment |= {"MONITOR_DATA_DIR": str(self.data), "MONITOR_LISTEN": f"127.0.0.1:{self.port}"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([program("monitor-server"), "serve"], env=environment | self.settings,
                                            cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        self.groups.append(self.process.pid)
        wait_until(40, "the server is healthy", self._is_healthy_or_ended)

    def _is_healthy_or_ended(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the server ended with {self.process.returncode}: {self.log.read_text()[-2000:]}")
        return self.is_healthy()

    def is_healthy(self):
        try:
            return self.get("/health", credential=False)["ok"]
        except (OSError, ValueError):
            return False

    def kill(self):
        self.process.kill()
        self.process.wait(10)

    def kill_database(self):
        """Kills PostgreSQL. The server notices, and starts it again."""
        os.kill(int((self.data / "postgres/data/postmaster.pid").read_text().split("\n", 1)[0]), signal.SIGKILL)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        """Asks the server to end. Returns its status and the seconds it took."""
        began = time.monotonic()
        self.process.terminate()
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            status = None
        return status, time.monotonic() - began

    def end(self):
        """Ends everything that still runs, also the database of a killed server."""
        if self.process and self.process.poll() is None:
            self.stop()
        for group in self.groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            postmaster = int((self.data / "postgres/data/postmaster.pid").read_text().split("\n", 1)[0])
            os.kill(postmaster, signal.SIGINT)
        except (OSError, ValueError):
            return
        wait_until(15, "the database has ended", lambda: not Path(f"/proc/{postmaster}").exists())

    def database_is_running(self):
        return (self.data / "postgres/data/postmaster.pid").exists()

    @property
    def token(self):
        return (self.data / "admin.token").read_text().strip()

    def get(self, path, credential=True):
        headers = {"Authorization": f"Bearer {self.token}"} if credential else {}
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def metric(self, name):
        request = urllib.request.Request(self.url + "/metrics", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            values = [line.split()[-1] for line in answer.read().decode().splitlines() if line.startswith(name)]
        return sum(map(float, values))

    def control(self, *words):
        """Runs monitorctl on the server's machine. Raises an error if it fails."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.data),
                       "MONITOR_URL": self.url, "MONITOR_DATA_DIR": str(self.data)}
        done = subprocess.run([program("monitorctl"), *words], env=environment, capture_output=True, text=True, timeout=20,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(f"monitorctl {' '.join(words)}: {done.stderr or done.stdout}")
        return done

    def new_key(self, machine):
        return self.control("key", "create", machine).stdout.strip()

    def session(self, identifier):
        try:
            return self.get(f"/v1/sessions/{identifier}")
        except urllib.error.HTTPError as error:
            return {"status": f"HTTP {error.code}"}

    def listed(self, session, page=7):
        """The session's hook events from REST, page by page."""
        events, cursor = [], None
        while True:
            after = f"&cursor={cursor}" if cursor else ""
            answer = self.get(f"/v1/sessions/{session}/events?limit={page}{after}")
            events += [event for event in answer["events"] if event.get("hook_event_name")]
            cursor = answer["next_cursor"]
            if not cursor:
                return events

    def rows(self, sessions):
        """The hook events of these sessions in the table, in seq order, read with psql."""
        if not sessions:
            return []
        names = ",".join(f"'{name}'" for name in sessions)
        members = ",".join(f"'{column}',{column}" for column in COLUMNS)
        lines = self._sql(f"SELECT json_build_object({members}) FROM events "
                          f"WHERE session_id IN ({names}) AND hook_event_name IS NOT NULL ORDER BY seq")
        rows = [json.loads(line) for line in lines]
        for row in rows:
            row["payload"] = json.loads(row["payload"])
        return rows

    def last_seq(self, session):
        """The last seq of the session's events, including telemetry and transcripts."""
        found = self._sql(f"SELECT max(seq) FROM events WHERE session_id = '{session}'")
        return int(found[0]) if found and found[0] else None

    def all_ids_are_unique(self):
        return self._sql("SELECT count(*) = count(DISTINCT event_id) AND count(*) = count(DISTINCT seq) FROM events") \
            == ["t"]

    def _sql(self, statement):
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.data / "postgres/socket", "-U", "monitor",
             "-d", "monitor", "-c", statement],
            capture_output=True, text=True, timeout=30, check=False, env={"PATH": os.environ["PATH"]})
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout.split("\n")[:-1]
