"""Starts, watches and stops what the benchmarks need. Everything is bounded in time."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


# Whether what is measured and the load are kept on cores of their own. Else the scheduler gives both all of them.
pinned = False
# Where the programs of Benchmarks/Package.swift are.
bench_dir = None


def cores():
    """(for what is measured, for the load), or None."""
    if not pinned:
        return None
    usable = sorted(os.sched_getaffinity(0))
    half = len(usable) // 2
    return (usable[:half], usable[half:]) if half else None


def pin(role):
    halves = cores()
    return (lambda: os.sched_setaffinity(0, halves[role])) if halves else None


def build(source, directory):
    tools = {}
    postgres = subprocess.run(["pg_config", "--includedir"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for name, libraries in (("http-load", ["-lm"]), ("batch-insert", ["-lpq"]), ("ws-subscribers", []), ("ws-idle", []),
                            ("ws-resume", []), ("keep-awake", []), ("raw-broadcaster", ["-lcrypto", "-lpq"])):
        tools[name] = os.path.join(directory, name)
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-o", tools[name],
                        "-I" + postgres.strip(),
                        os.path.join(source, name + ".c"), *libraries], check=True, timeout=60)
    return tools


def bench_program(name):
    """The path of a program of Benchmarks/Package.swift."""
    path = os.path.join(os.path.abspath(bench_dir), name)
    if not os.access(path, os.X_OK):
        sys.exit(f"{name} is not in {os.path.dirname(path)}: swift build -c release --package-path Benchmarks")
    return path


@contextlib.contextmanager
def awake(tools):
    """No core sleeps meanwhile."""
    keepers = [subprocess.Popen([tools["keep-awake"], str(core)]) for core in sorted(os.sched_getaffinity(0))]
    try:
        time.sleep(0.2)
        yield
        if any(keeper.poll() is not None for keeper in keepers):
            sys.exit("the cores could not be kept awake")
    finally:
        for keeper in keepers:
            stop(keeper, 5)


def run_json(command, environment, timeout, role=1):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, timeout=timeout,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=pin(role))
    if done.returncode != 0:
        sys.exit(f"{os.path.basename(str(command[0]))} failed: {done.stderr.strip()} {done.stdout.strip()}")
    return json.loads(done.stdout)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, name):
    """Until it takes a connection, at most five seconds."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{name} did not start")


def process_table():
    """pid -> (parent, CPU seconds of it and of its children that have ended)."""
    table = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        table[int(name)] = (int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"))
    return table


def cpu_seconds(pid):
    """Of a process and, where it is a postmaster, its backends; the server's own cluster is not counted with it."""
    table = process_table()
    children = [cpu for child, (parent, cpu) in table.items() if parent == pid and is_backend(child)]
    return table[pid][1] + sum(children)


def machine_cpu_seconds():
    """Of all that runs on this machine."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def load_cpu_seconds():
    """Of this program and of the load generators that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def is_backend(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            name = file.read().strip()
        with open(f"/proc/{pid}/cmdline") as file:
            return name == "postgres" and file.read().startswith("postgres: ")
    except (FileNotFoundError, ProcessLookupError):
        return False


def stop(process, patience):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        print(f"process {process.pid} did not stop within {patience} s; killed", file=sys.stderr)
        process.kill()
        process.wait(5)


class MonitorServer:
    """The server under test with a fresh private cluster that takes pgbench's 64 connections too."""

    def __init__(self, build_directory, directory, settings=None):
        self.settings = settings or {}
        self.programs = os.path.abspath(build_directory)
        os.makedirs(directory, mode=0o711, exist_ok=True)
        self.data = os.path.join(directory, "data")
        self.log = os.path.join(directory, "server.log")
        self.port = free_port()
        self.process = None
        for name in ("monitor-server", "monitorctl"):
            if not os.access(os.path.join(self.programs, name), os.X_OK):
                sys.exit(f"{name} is not in {self.programs}: swift build -c release")

    def __enter__(self):
        try:
            self.start()
            self.psql("ALTER SYSTEM SET max_connections = 120")
            self.psql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements', 'auto_explain'")
            self.stop()
            self.start()
            self.psql("CREATE EXTENSION pg_stat_statements")
            self.count_queries(False)
            self.wear_in()
            self.take_credentials("bench")
        except BaseException:
            self.__exit__()
            raise
        return self

    def take_credentials(self, name):
        """Makes a machine key of this name, and reads the admin token."""
        self.key = self.control("key", "create", name)
        with open(os.path.join(self.data, "admin.token")) as file:
            self.token = file.read().strip()

    def __exit__(self, *_):
        cluster = os.path.realpath(os.path.join(self.data, "postgres"))
        self.stop()
        if not cluster.startswith(os.path.realpath(self.data) + os.sep) and cluster.endswith(os.sep + "postgres"):
            print(f"the cluster was kept outside the temporary directory: {cluster}", file=sys.stderr)

    def environment(self):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MONITOR_", "DATABASE_URL", "APNS_"))}
        return {**inherited, "MONITOR_DATA_DIR": self.data, "MONITOR_LISTEN": f"127.0.0.1:{self.port}",
                "MONITOR_URL": f"http://127.0.0.1:{self.port}", "MONITOR_RATE_LIMIT": "off",
                "MONITOR_LOG_LEVEL": "warning", **self.settings}

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([os.path.join(self.programs, "monitor-server"), "serve"], stdout=log,
                                            stderr=log, env=self.environment(), preexec_fn=pin(0))
        self.pid = self.process.pid
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                        f"http://127.0.0.1:{self.port}/health", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(0.1)
        with open(self.log, errors="replace") as log:
            sys.exit("the server did not become healthy within 60 s:\n" + log.read()[-2000:])

    def stop(self):
        """The server takes its cluster down with it; a cluster that stays is asked itself."""
        if self.process is None:
            return
        try:
            postmaster = self.postgres_pid()
        except (OSError, ValueError):
            postmaster = None
        stop(self.process, 20)
        self.process = None
        for number, patience in ((None, 2), (signal.SIGINT, 10), (signal.SIGQUIT, 5)):
            if postmaster is None or not os.path.exists(f"/proc/{postmaster}"):
                return
            if number is not None:
                os.kill(postmaster, number)
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline and os.path.exists(f"/proc/{postmaster}"):
                time.sleep(0.1)

    def postgres_pid(self):
        with open(os.path.join(self.data, "postgres", "data", "postmaster.pid")) as file:
            return int(file.readline())

    def socket_directory(self):
        with open(os.path.join(self.data, "postgres", "data", "postmaster.pid")) as file:
            return file.read().splitlines()[4]

    def database(self):
        return ["-h", self.socket_directory(), "-U", "monitor"]

    def wear_in(self):
        """Leaves the cluster as one is that has worked for a while: it has used segments of the write-ahead log, which
        are written over (in a fresh one all commits wait while one is made for every 16 MB), and the pages of its
        buffers have been touched (each is given to it by the kernel, filled with zeros, when it is first used)."""
        for _ in range(2):
            self.psql("""DO $$ BEGIN FOR i IN 1..64 LOOP
                PERFORM pg_logical_emit_message(false, 'bench', ''), pg_switch_wal(); END LOOP; END $$; CHECKPOINT""",
                      timeout=300)
        self.psql("""CREATE EXTENSION IF NOT EXISTS pg_prewarm;
            CREATE UNLOGGED TABLE bench_pages (filler text);
            ALTER TABLE bench_pages ALTER filler SET STORAGE PLAIN;
            INSERT INTO bench_pages SELECT repeat('x', 8000)
                FROM generate_series(1, (SELECT setting::int FROM pg_settings WHERE name = 'shared_buffers'));
            SELECT pg_prewarm('bench_pages');
            DROP TABLE bench_pages""", timeout=300)

    def conninfo(self):
        return f"host={self.socket_directory()} user=monitor dbname=monitor"

    def psql(self, statements, timeout=30):
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", *self.database(), "-d", "monitor"], input=statements,
                       env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}, check=True, timeout=timeout,
                       text=True, stdout=subprocess.DEVNULL)

    def postgres_log(self):
        directory = os.path.join(os.path.realpath(os.path.join(self.data, "postgres")), "log")
        texts = []
        for name in sorted(os.listdir(directory), key=lambda name: os.path.getmtime(os.path.join(directory, name))):
            with open(os.path.join(directory, name)) as file:
                texts.append(file.read())
        return "".join(texts)

    def count_queries(self, wanted):
        """Counting costs; so only where the count is what is measured."""
        self.psql(f"ALTER SYSTEM SET pg_stat_statements.track = '{'top' if wanted else 'none'}'; SELECT pg_reload_conf()")

    def value(self, query):
        return subprocess.run(["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", *self.database(), "-d", "monitor", "-c", query],
                              check=True, timeout=30, stdout=subprocess.PIPE, text=True).stdout.strip()

    def metrics(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics",
                                         headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}

    def control(self, *arguments):
        return subprocess.run([os.path.join(self.programs, "monitorctl"), *arguments], env=self.environment(),
                              check=True, timeout=30, stdout=subprocess.PIPE, text=True).stdout.strip()
