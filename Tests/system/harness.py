"""What the tests share: the server's process, a PostgreSQL for the tests, requests and hook events.

Everything that a test starts is registered here, and is always ended, by its process id. Every wait has a time limit.
"""

import contextlib
import http.client
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = ROOT / ".build" / os.environ.get("BUILD", "debug")
SERVER = BIN / "monitor-server"
CONTROL = BIN / "monitorctl"
PATIENCE = 30.0

_ends = []


def end_everything():
    """Ends what still runs, the newest first."""
    while _ends:
        with contextlib.suppress(Exception):
            _ends.pop()()


def wait_for(condition, what, seconds=PATIENCE, pause=0.05):
    """Polls `condition` until it returns a true value, and returns that value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(pause)


def copy_of_template(name, directory):
    """Copies a database that was made once for all processes (templates.py). False if there is none."""
    made = pathlib.Path(os.environ.get("SYSTEM_TEST_TEMPLATES", "/nonexistent"), name)
    if made.exists():
        subprocess.run(["cp", "-a", "--reflink=auto", f"{made}/.", directory], check=True, timeout=60)
    return made.exists()


def make_directory(prefix="system-test."):
    # The path of a unix socket has at most 107 bytes, so this directory is under /tmp, even if TMPDIR names another.
    path = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=os.environ.get("SYSTEM_TEST_DIRECTORY", "/tmp")))
    _ends.append(lambda: shutil.rmtree(path, ignore_errors=True))
    return path


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill(pid, number=signal.SIGKILL):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def environment(**settings):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("MONITOR_", "APNS_", "WEBPUSH_", "DATABASE_", "PG", "XDG_DATA_HOME"))}
    kept.update({name: str(value) for name, value in settings.items() if value is not None})
    return kept


class Answer:
    """A whole HTTP response. Header names are in lower case."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:600]!r}"


class Client:
    """Requests over one keep-alive connection. Threads must not share a client."""

    def __init__(self, address, credential=None, timeout=PATIENCE):
        self.address, self.credential, self.timeout = address, credential, timeout
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def request(self, method, path, body=None, headers=None):
        fields = {"Authorization": f"Bearer {self.credential}"} if self.credential else {}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            fields["Content-Type"] = "application/json"
        fields.update(headers or {})
        if self.connection is None:
            host, _, port = self.address.rpartition(":")
            self.connection = http.client.HTTPConnection(host, int(port), timeout=self.timeout)
        try:
            self.connection.request(method, path, body, {k: v for k, v in fields.items() if v is not None})
            response = self.connection.getresponse()
            answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
            if response.will_close:
                self.close()
            return answer
        except Exception:
            self.close()
            raise

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)


class Server:
    """One `monitor-server serve` on a free port of loopback, with its data directory.

    Its private cluster is a copy of a cluster that a server made once. With `first` or a given directory, the server makes the
    cluster itself. With `terminal`, its output goes to a terminal.
    """

    program = SERVER

    def __init__(self, directory=None, arguments=(), first=False, terminal=False, **settings):
        self.directory = pathlib.Path(directory) if directory else make_directory()
        if not directory and not first and "DATABASE_URL" not in settings:
            copy_of_template("private", self.directory)
        self.arguments, self.settings, self.terminal = list(arguments), settings, terminal
        self.process = self.address = None
        self.output = self.directory / "test-output"
        self.log = self.directory / "test-log"
        self.keys = []

    def environment(self):
        return environment(**{"MONITOR_DATA_DIR": self.directory, "MONITOR_LISTEN": "127.0.0.1:0", **self.settings})

    def start(self, ready="healthy"):
        """`ready` is what to wait for: the listening address ("listening"), good health, or nothing (None)."""
        with open(self.output, "ab") as output, open(self.log, "ab") as log:
            start = output.tell()
            written = self.open_terminal() if self.terminal else os.dup(output.fileno())
            self.process = subprocess.Popen(
                [self.program, "serve", *self.arguments], env=self.environment(), cwd="/", stdin=subprocess.DEVNULL,
                stdout=written, stderr=log)
            os.close(written)
        _ends.append(self.end)
        if ready is None:
            return self

        def address():
            if self.process.poll() is not None:
                raise AssertionError(f"exited with {self.process.returncode}: {self.text()}")
            return re.search(r"listening on\s+https?://(\S+:\d+)", self.output.read_text()[start:])

        self.address = wait_for(address, f"the address is told: {self.text()}").group(1)
        if ready == "healthy":
            self.wait_healthy()
        return self

    def open_terminal(self):
        """Returns the descriptor of a terminal. What is written to it is added to `output`."""
        shown, written = pty.openpty()

        def copy():
            with contextlib.suppress(OSError), open(self.output, "ab", buffering=0) as output:  # EIO: nobody writes any more
                while text := os.read(shown, 4096):
                    output.write(text.replace(b"\r\n", b"\n"))
            os.close(shown)

        threading.Thread(target=copy, daemon=True).start()
        return written

    def text(self):
        """Everything that was printed and logged since the first start."""
        return "".join(path.read_text(errors="replace") for path in (self.output, self.log) if path.exists())

    def wait_healthy(self, seconds=PATIENCE):
        return wait_for(lambda: self.health()[0] == 200, "the server is healthy", seconds)

    def wait_replayed(self):
        """Waits until every event that was kept on disk during an outage is committed."""
        wait_for(lambda: self.health()[1].get("spool", {}).get("events", 0) == 0, "the spool is replayed")

    def health(self):
        """The status and the body; (0, {}) if the server does not answer."""
        try:
            answer = Client(self.address, timeout=5).get("/health")
            return answer.status, answer.json
        except (OSError, http.client.HTTPException):
            return 0, {}

    @property
    def admin(self):
        return self.settings.get("MONITOR_ADMIN_TOKEN") or (self.directory / "admin.token").read_text().strip()

    @property
    def url(self):
        return f"http://{self.address}"

    def control(self, *arguments, check=True, **settings):
        """Runs monitorctl with this server."""
        done = subprocess.run(
            [CONTROL, *arguments], text=True, capture_output=True, timeout=PATIENCE, cwd="/",
            env=environment(**{"MONITOR_URL": self.url, "MONITOR_DATA_DIR": self.directory, **settings}))
        if check and done.returncode != 0:
            raise AssertionError(f"monitorctl {arguments}: {done.returncode} {done.stderr}")
        return done

    def key(self, name):
        """Creates a machine key."""
        made = self.control("key", "create", name).stdout.strip()
        self.keys.append(made)
        return made

    def client(self, credential=None, **options):
        return Client(self.address, credential or self.admin, **options)

    def get(self, path, **headers):
        client = self.client()
        try:
            return client.get(path, **headers)
        finally:
            client.close()

    def read_derived(self, path):
        """Reads data that is derived from the log, after a large post. If its projection needs longer than two seconds, the
        server answers 503; then this asks again, as the answer tells clients to."""
        def answer():
            found = self.get(path)
            return found if (found.status, found.json.get("error", {}).get("code")) != (503, "projection_behind") else None

        return wait_for(answer, f"the projection behind {path}")

    def events(self, query="limit=200"):
        """All events, page by page."""
        found, cursor, client = [], None, self.client()
        while True:
            page = client.get(f"/v1/events?{query}" + (f"&cursor={cursor}" if cursor else ""))
            if page.status != 200:
                raise AssertionError(page)
            found += page.json["events"]
            cursor = page.json["next_cursor"]
            if not cursor:
                client.close()
                return found

    def stop(self, number=signal.SIGTERM, seconds=20):
        """Asks the server to end. Returns its exit status and the seconds it took."""
        start = time.monotonic()
        kill(self.process.pid, number)
        return self.process.wait(seconds), time.monotonic() - start

    def kill(self):
        kill(self.process.pid)
        self.process.wait(PATIENCE)

    def postmaster(self):
        """The process id of the private cluster, or None."""
        for path in self.directory.glob("**/postmaster.pid"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                return int(path.read_text().split()[0])
        return None

    def end(self):
        if self.process and self.process.poll() is None:
            kill(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(12)
            except subprocess.TimeoutExpired:
                self.kill()
        left = self.postmaster()
        if left and alive(left) and str(self.directory) in pathlib.Path(f"/proc/{left}/cmdline").read_text():
            kill(left, signal.SIGQUIT)
            with contextlib.suppress(AssertionError):
                wait_for(lambda: not alive(left), "the cluster ends", 5)


def postgres_bin():
    places = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    configured = shutil.which("pg_config")
    if configured:
        places.append(pathlib.Path(subprocess.check_output([configured, "--bindir"], text=True).strip()))
    return next(path for path in reversed(places) if (path / "initdb").exists())


@contextlib.contextmanager
def stopped(server):
    """Stops the process (SIGSTOP) in the context."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


class Postgres:
    """A temporary cluster on a unix socket, for servers with DATABASE_URL. Its role is the one that deploy/create-database
    makes."""

    def __init__(self):
        self.directory = make_directory("system-test-pg.")
        self.data = self.directory / "data"
        self.is_prepared = copy_of_template("external", self.directory)
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres")
        self.directory.chmod(0o755)
        if not self.is_prepared:
            self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.directory}'\n"
                       "fsync = off\nlog_min_messages = fatal\n")
        _ends.append(self.end)

    @property
    def url(self):
        return f"postgresql://monitor@/monitor?host={str(self.directory).replace('/', '%2F')}"

    def run(self, program, *arguments, check=True):
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        return subprocess.run([*before, postgres_bin() / program, *arguments], cwd="/", check=check, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        """Starts the cluster. Tries again, because the old processes may hold the shared memory for a moment after a kill."""
        wait_for(lambda: self.run("pg_ctl", "start", "-w", "-t", "40", "-D", self.data, "-l", self.directory / "log",
                                  check=False).returncode == 0, "PostgreSQL starts", pause=0.2)
        if not self.is_prepared:
            self.create_database()
        return self

    def create_database(self):
        password = self.directory / "password"
        password.write_text("by the socket nobody is asked\n")
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        subprocess.run([*before, ROOT / "deploy/create-database"], cwd="/", check=True, timeout=60, stdin=subprocess.DEVNULL,
                       env=environment(PGHOST=self.directory, PGUSER="postgres", MONITOR_PASSWORD_FILE=password))
        self.is_prepared = True

    def sql(self, statement):
        """The rows of a query, as psql prints them."""
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*before, postgres_bin() / "psql", "-XAtq", "-h", self.directory, "-U", "postgres", "-d", "monitor", "-c", statement],
            text=True, capture_output=True, check=True, timeout=60, cwd="/")
        return done.stdout.splitlines()

    @contextlib.contextmanager
    def holding(self, statement):
        """Holds the locks of the statement in the context."""
        holder = subprocess.Popen(["psql", "-qX", self.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with holder:
            holder.stdin.write(f"BEGIN; {statement};\n\\echo held\n")
            holder.stdin.flush()
            while (line := holder.stdout.readline()) != "held\n":
                assert line, "psql could not take the lock"
            yield
            # The end of its input ends the psql session, and the transaction.
            holder.stdin.close()
            holder.wait(10)

    def stop(self, mode="fast"):
        self.run("pg_ctl", "stop", "-w", "-t", "40", "-D", self.data, "-m", mode, check=False)

    def processes(self):
        """The process ids of the postmaster and its children; the postmaster is first."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        return [pid] + [int(stat.parent.name) for stat in pathlib.Path("/proc").glob("[0-9]*/stat")
                        if _parent(stat) == pid]

    def kill(self):
        """Kills the postmaster with SIGKILL. Its children end by themselves. Returns when all are gone."""
        pid, *children = self.processes()
        kill(pid)
        wait_for(lambda: not any(map(alive, [pid, *children])), "the cluster is gone")

    def end(self):
        if (self.data / "postmaster.pid").exists():
            self.stop("immediate")


def _parent(stat):
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return 0


def identifier():
    return str(uuid.uuid4())


def session():
    return "session-" + uuid.uuid4().hex[:12]


def hook(name, session_id, **fields):
    """The JSON of a hook, as Claude Code writes it."""
    return {"session_id": session_id, "transcript_path": f"/home/dev/.claude/{session_id}.jsonl", "cwd": "/home/dev/app",
            "hook_event_name": name, **fields}


def envelope(data, at=None, **fields):
    """An envelope around a hook. `at` is a timestamp or None."""
    return {"event_id": identifier(), "machine_id": "test-machine", "data": data,
            **({"timestamp": at} if at else {}), **fields}


def tool(session_id, command="true", name="PostToolUse", **fields):
    return hook(name, session_id, tool_name="Bash", tool_input={"command": command}, tool_use_id="toolu_" + command[:8],
                **fields)


def iso(seconds):
    """The timestamp of the moment `seconds` from now."""
    now = time.time() + seconds
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def exchange(address, data, seconds=8.0, until_closed=True):
    """Sends raw bytes, and returns what comes back until the connection is closed, or until 0.7 s pass without data."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        return receive(connection, seconds if until_closed else 0.7)


def receive(connection, seconds):
    """Returns the bytes until the other side closes, and whether it did."""
    connection.settimeout(seconds)
    received = b""
    try:
        while True:
            piece = connection.recv(65536)
            if not piece:
                return received, True
            received += piece
    except socket.timeout:
        return received, False
    except ConnectionResetError:
        return received, True
