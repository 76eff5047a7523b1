"""Starts, watches and stops what the benchmarks need. Everything is bounded in time."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

PGBENCH_SCRIPT = """\
INSERT INTO bench_inserts (id, payload) VALUES (gen_random_uuid(), :payload) ON CONFLICT DO NOTHING;
"""


def cores():
    """(for what is measured, for the load), or None on a single core."""
    usable = sorted(os.sched_getaffinity(0))
    half = len(usable) // 2
    return (usable[:half], usable[half:]) if half else None


def pin(role):
    halves = cores()
    return (lambda: os.sched_setaffinity(0, halves[role])) if halves else None


def build(source, directory):
    tools = {}
    for name, libraries in (("http-load", []), ("ws-subscribers", []), ("raw-broadcaster", ["-lcrypto"])):
        tools[name] = os.path.join(directory, name)
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-o", tools[name],
                        os.path.join(source, name + ".c"), *libraries], check=True, timeout=60)
    return tools


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


class Broadcaster:
    """The raw broadcaster; no credential means anything to it."""

    key = token = "none"

    def __init__(self, program):
        self.program, self.port = program, free_port()

    def __enter__(self):
        self.process = subprocess.Popen([self.program, "--port", str(self.port)], preexec_fn=pin(0))
        self.pid = self.process.pid
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        sys.exit("the raw broadcaster did not start")

    def __exit__(self, *_):
        stop(self.process, 5)


class MonitorServer:
    """The server under test with a fresh private cluster that takes pgbench's 64 connections too."""

    def __init__(self, build_directory, directory):
        self.programs = os.path.abspath(build_directory)
        self.data = os.path.join(directory, "data")
        self.log = os.path.join(directory, "server.log")
        self.script = os.path.join(directory, "insert.sql")
        self.port = free_port()
        self.process = None
        for name in ("monitor-server", "monitorctl"):
            if not os.access(os.path.join(self.programs, name), os.X_OK):
                sys.exit(f"{name} is not in {self.programs}: swift build -c release")

    def __enter__(self):
        try:
            self.start()
            self.psql("ALTER SYSTEM SET max_connections = 120")
            self.stop()
            self.start()
            self.key = self.control("key", "create", "bench")
            with open(os.path.join(self.data, "admin.token")) as file:
                self.token = file.read().strip()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        cluster = os.path.realpath(os.path.join(self.data, "postgres"))
        self.stop()
        if not cluster.startswith(os.path.realpath(self.data) + os.sep) and cluster.endswith(os.sep + "postgres"):
            print(f"the cluster was kept outside the temporary directory: {cluster}", file=sys.stderr)

    def environment(self):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MONITOR_", "DATABASE_URL", "APNS_"))}
        return {**inherited, "MONITOR_DATA_DIR": self.data, "MONITOR_LISTEN": f"127.0.0.1:{self.port}",
                "MONITOR_URL": f"http://127.0.0.1:{self.port}", "MONITOR_RATE_LIMIT": "off",
                "MONITOR_LOG_LEVEL": "warning"}

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

    def psql(self, statement):
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", *self.database(), "-d", "monitor", "-c", statement],
                       check=True, timeout=30)

    def control(self, *arguments):
        return subprocess.run([os.path.join(self.programs, "monitorctl"), *arguments], env=self.environment(),
                              check=True, timeout=30, stdout=subprocess.PIPE, text=True).stdout.strip()

    def pgbench(self, seconds):
        with open(self.script, "w") as file:
            file.write(PGBENCH_SCRIPT)
        program = shutil.which("pgbench") or sys.exit("pgbench is needed: apt-get install postgresql")
        done = subprocess.run(
            [program, "-n", "-M", "prepared", "-c", "64", "-j", "1", "-T", str(max(1, round(seconds))),
             "-D", "payload=" + "x" * 500, "-f", self.script, *self.database(), "monitor"],
            check=True, timeout=seconds + 60, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=pin(1)).stdout

        def figure(pattern):
            return float(re.search(pattern, done).group(1))

        return {"per_second": figure(r"tps = ([0-9.]+)"),
                "count": figure(r"number of transactions actually processed: ([0-9]+)"),
                "latency_us": figure(r"latency average = ([0-9.]+) ms") * 1000}
