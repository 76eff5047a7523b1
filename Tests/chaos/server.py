"""The server under test: its process, which is watched, and its HTTP interface."""

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path

from system import REPOSITORY, is_alive, say, status_field, wait_until


def built_program(name):
    """The newest build of the program."""
    built = [path for kind in ("release", "debug") if (path := REPOSITORY / ".build" / kind / name).exists()]
    if not built:
        raise SystemExit(f"{name} is not built: swift build")
    return max(built, key=lambda path: path.stat().st_mtime)


def threads(pid):
    """What each thread of a process waits for, as far as the kernel shows it."""
    found = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        try:
            call = (task / "syscall").read_text().split()[0]
            state = (task / "stat").read_text().rpartition(")")[2].split()
            found.append(f"{(task / 'comm').read_text().strip()} {state[0]} call {call} cpu {state[11]}+{state[12]}")
        except (OSError, IndexError):
            continue
    return ", ".join(found)


class Server:
    def __init__(self, workplace, program, data, log, database_url=None):
        self.data = data
        self.log = log
        self.program = program or built_program("monitor-server")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = workplace.environment(MONITOR_DATA_DIR=str(data), MONITOR_RATE_LIMIT="off",
                                                 MONITOR_LISTEN=f"127.0.0.1:{self.port}")
        if database_url:
            self.environment.update(DATABASE_URL=database_url)
        self.process = None
        self.starts = 0
        self.largest_rss = 0
        self.most_files = 0
        self.faults = []
        # The process that was asked to end.
        self._ending = None
        self._watching = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def start(self, files=None, **environment):
        """Starts the process, and does not wait for it. `files` limits its descriptors. `environment` has additional
        variables."""
        def limit():
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.program, "serve"], env=self.environment | environment,
                                            cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=limit)
        self.starts += 1
        if not self._watcher.is_alive():
            self._watcher.start()

    def kill(self):
        self._expect_end()
        self.process.kill()
        self.process.wait(10)

    def _expect_end(self):
        if self._ending is not self.process and self.process.poll() is not None:
            self.faults.append(f"had ended by itself, status {self.process.returncode}, before it was ended")
        self._ending = self.process

    def terminate(self):
        """Asks the server to end. By its contract, it ends within 10 s with exit status 0. Returns the seconds it took."""
        self._expect_end()
        began = time.monotonic()
        self.process.terminate()
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.faults.append(f"SIGTERM: not ended after 20 s; its threads: {threads(self.process.pid)}")
            self.kill()
            return 20.0
        took = time.monotonic() - began
        if status != 0:
            self.faults.append(f"SIGTERM: exit status {status}")
        if took > 10.5:
            self.faults.append(f"SIGTERM: took {took:.1f} s, promised are 10")
        return took

    def end(self):
        self._ending = self.process
        self._watching.set()
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.terminate()

    def request(self, method, path, body=None, key=None, seconds=10):
        """Sends one request on a connection of its own. Returns the status, and the JSON or text of the answer."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            if key:
                headers["Authorization"] = f"Bearer {key}"
            link.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
            answer = link.getresponse()
            text = answer.read()
            try:
                return answer.status, json.loads(text)
            except ValueError:
                return answer.status, text.decode(errors="replace")
        finally:
            link.close()

    def health(self):
        """The answer, or None if there is none."""
        try:
            return self.request("GET", "/health", seconds=5)
        except (OSError, http.client.HTTPException):
            return None

    def time(self):
        """The Unix time of the server's clock. None if the server does not answer."""
        answer = self.health()
        try:
            return answer and datetime.fromisoformat(answer[1]["time"].replace("Z", "+00:00")).timestamp()
        except (KeyError, TypeError, ValueError):
            return None

    def is_healthy(self):
        answer = self.health()
        return answer is not None and answer[0] == 200 and answer[1].get("ok") is True

    def wait_until_healthy(self, seconds):
        return wait_until(seconds, self.is_healthy, pause=0.1)

    @property
    def token(self):
        return (self.data / "admin.token").read_text().strip()

    def new_key(self, machine):
        status, answer = self.request("POST", "/v1/keys", {"name": machine}, self.token)
        if status != 201:
            raise RuntimeError(f"no key for {machine}: {status} {answer}")
        return answer["key"]

    def open_files(self):
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return 0

    def _watch(self):
        """Samples the memory. Restarts a server that ended unexpectedly, so that one fault does not hide the next."""
        while not self._watching.wait(0.5):
            process = self.process
            if is_alive(process.pid):
                self.largest_rss = max(self.largest_rss, status_field(process.pid, "VmRSS"))
                self.most_files = max(self.most_files, self.open_files())
            elif process is self.process and process is not self._ending and process.poll() is not None:
                self.faults.append(f"ended by itself, status {process.returncode}")
                say(f"FAULT: the server ended by itself with status {process.returncode}; started again")
                time.sleep(1)
                if process is self.process and process is not self._ending:
                    self.start()
