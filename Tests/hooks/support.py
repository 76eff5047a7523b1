"""A machine for the tests: a home of its own, the hook script, and the files that it leaves."""

import contextlib
import glob
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

from receiver import KEY, Receiver

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
HOOKS = os.path.join(ROOT, "hooks")
HOOK = os.path.join(HOOKS, "session-monitor.sh")
BASH = os.environ.get("HOOK_BASH") or shutil.which("bash")
AWK = os.environ.get("MERGE_AWK")


def unused_url():
    receiver = Receiver()
    receiver.stop()
    return receiver.url


class Machine:
    """A home directory with a space in its path. No file of the real account is read or written."""

    def __init__(self):
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="a home "))
        self.bin = os.path.join(self.home, "first bin")
        os.mkdir(self.bin)
        os.symlink(BASH, os.path.join(self.bin, "bash"))
        if AWK:
            os.symlink(AWK, os.path.join(self.bin, "awk"))
        self.state = os.path.join(self.home, ".local/state/claude-monitor")
        self.spool = os.path.join(self.state, "spool")
        self.lock = os.path.join(self.state, "flusher.lock")
        self.config = os.path.join(self.home, ".config/claude-monitor/config")

    def env(self, receiver=None, **extra):
        env = {"PATH": self.bin + ":/usr/bin:/bin", "HOME": self.home, "TMPDIR": self.home}
        if receiver:
            env.update(CLAUDE_MONITOR_URL=receiver if isinstance(receiver, str) else receiver.url,
                       CLAUDE_MONITOR_KEY=KEY)
        env.update(extra)
        return {name: value for name, value in env.items() if value is not None}

    def bin_without(self, *missing):
        """A directory with the system's commands, except these."""
        path = os.path.join(self.home, "bin without " + " ".join(missing))
        os.mkdir(path)
        for name in ("awk", "cat", "cp", "curl", "date", "dirname", "du", "find", "head", "mkdir", "mktemp", "mv", "rm",
                     "rmdir", "setsid", "sleep"):
            if name not in missing:
                os.symlink(shutil.which(name), os.path.join(path, name))
        os.symlink(BASH, os.path.join(path, "bash"))
        return path

    def start(self, env, body=b'{"hook_event_name":"PostToolUse"}\n', event="PostToolUse"):
        process = subprocess.Popen([BASH, "-p", HOOK] + ([event] if event else []), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        process.stdin.write(body)
        process.stdin.close()
        process.stdin = None
        return process

    def popen(self, env, stdin):
        return subprocess.Popen([BASH, "-p", HOOK, "PostToolUse"], stdin=stdin, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=env)

    def hold_lock(self):
        """Makes hooks believe that a flusher runs, until the lock file is removed."""
        os.makedirs(self.spool, exist_ok=True)
        with open(self.lock, "w", encoding="ascii") as file:
            file.write("%d %d\n" % (os.getpid(), time.time()))

    def kill_flusher(self):
        """Waits for the flusher and kills it with SIGKILL. Also kills those that have not taken the lock yet."""
        self.wait(self.flusher, 5)
        self.end_flushers()

    def end_flushers(self):
        def ended():
            for pid in self.flushers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)
            return self.is_quiet()

        assert self.wait(ended), "flushers do not end"

    def fire(self, env, body=b'{"hook_event_name":"PostToolUse"}\n', event="PostToolUse"):
        result = subprocess.run([BASH, "-p", HOOK] + ([event] if event else []), input=body, env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
        return result.returncode, result.stdout, result.stderr

    def spooled(self):
        """The paths of the complete entries, in order."""
        return sorted(mark[:-3] + ".ev" for mark in glob.glob(glob.escape(self.spool) + "/*.ok"))

    def spooled_events(self):
        events = []
        for path in self.spooled():
            with open(path, encoding="utf-8") as file:
                events.append(json.load(file))
        return events

    def read(self, name):
        try:
            with open(os.path.join(self.state, name), encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def flusher(self):
        """The pid of the live flusher, or None. Its lock is empty for a moment at each refresh."""
        for _ in range(5):
            line = self.read("flusher.lock")
            if line or not os.path.exists(self.lock):
                break
            time.sleep(0.01)
        try:
            pid = int(line.split()[0])
            os.kill(pid, 0)
            return pid
        except (OSError, ValueError, IndexError):
            return None

    def flushers(self):
        """The pids of all flushers, including those that have not taken the lock yet, or are still a copy of their hook."""
        home, found = b"HOME=%s\0" % os.fsencode(self.home), []
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/cmdline" % name, "rb") as line, open("/proc/%s/environ" % name, "rb") as environ:
                    command = line.read()
                    script = any(b"/%s.sh\0" % name in command for name in (b"flush", b"watch", b"session-monitor"))
                    if script and home in environ.read():
                        found.append(int(name))
            except (OSError, ValueError):
                pass
        return found

    def is_quiet(self):
        """True if no flusher runs. Looks twice, because a process shows nothing for a moment while it starts another
        program."""
        return not self.flushers() and (time.sleep(0.01) or not self.flushers())

    def command_lines(self):
        """The command lines of the flusher and of the processes that it started: all processes of its session, and no
        others."""
        session, lines = os.getsid(self.flusher()), b""
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.getsid(int(name)) == session:
                    with open("/proc/%s/cmdline" % name, "rb") as file:
                        lines += file.read()
            except OSError:
                pass
        return lines

    def wait(self, condition, seconds=15):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def settled(self, seconds=15):
        """True if the spool is empty and the flusher has ended."""
        return self.wait(lambda: not self.spooled() and not self.flusher(), seconds)

    def report(self, receiver):
        """What is known if events did not arrive, for the message of a failed assertion."""
        def entries(place):
            return sorted(os.listdir(place)) if os.path.isdir(place) else None

        files = {name: self.read(name) for name in ("flusher.lock", "last_error", "retry_at", "dropped")}
        return "%d events, answers %s, spool %s, state %s, flushers %s, %s" % (
            len(receiver.events), receiver.statuses, entries(self.spool), entries(self.state), self.flushers(), files)

    def close(self):
        self.end_flushers()
        for _ in range(20):
            shutil.rmtree(self.home, ignore_errors=True)
            if not os.path.exists(self.home):
                return
            time.sleep(0.05)


def numbers(receiver):
    """The number n in each received event's data, in the order of arrival."""
    return [event["data"].get("n") for event in receiver.events]


class MachineCase(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)

    def receiver(self, **options):
        receiver = Receiver(**options)
        self.addCleanup(receiver.stop)
        return receiver

    def assert_received(self, receiver, count, seconds=20):
        if not receiver.wait_events(count, seconds):
            self.fail("%d events were expected: %s" % (count, self.machine.report(receiver)))

    def fire(self, env, *arguments, **keywords):
        code, out, err = self.machine.fire(env, *arguments, **keywords)
        self.assertEqual((code, out, err), (0, b"", b""))

    def fire_many(self, env, count, first=0):
        for number in range(first, first + count):
            self.fire(env, b'{"hook_event_name":"PostToolUse","n":%d}\n' % number)
