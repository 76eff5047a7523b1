"""A held prompt: polls, ends, and its cost while it waits."""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from prompt_support import answer, elicitation, encode, request, write_approvals
from scripted_server import ScriptedServer
from support import BASH, HOOK, HOOKS, KEY, ROOT, MachineCase, unused_url

POLL, WITHDRAW = "POST /api/prompts", "DELETE /api/prompts/"


class HoldCase(MachineCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def serve(self, port=0, *polls):
        server = ScriptedServer(port, {"DELETE /api/prompts/*": [(204,)], POLL: list(polls)})
        self.addCleanup(server.stop)
        return server

    def hold(self, hook=None, **extra):
        """Starts a hook as Claude Code does, in a process session of its own."""
        hook = hook or request()
        process = subprocess.Popen([BASH, "-p", HOOK, hook["hook_event_name"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True,
                                   env=self.machine.env(**{"receiver": self.server.url, **extra}))
        process.stdin.write(encode(hook))
        process.stdin.close()
        process.stdin = None
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait(10)
        process.stdout.close()
        process.stderr.close()

    def agent_runs(self, runner, pid, kind="sessions", **more):
        """What the machine's agent writes about a session, or about a process that only runs tools."""
        place = os.path.join(self.machine.state, "agent", kind, runner)
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "state.json"), "w") as file:
            json.dump({"session_id": runner, "pid": pid, "directory": "/tmp", **more}, file)

    def finish(self, process, seconds=15):
        out, err = process.communicate(timeout=seconds)
        self.assertEqual((process.returncode, err), (0, b""))
        return json.loads(out) if out else None

    def ends(self, count=1, seconds=8):
        return [one.headers.get("X-Hold-End") for one in self.server.wait_sent(WITHDRAW, count, seconds)]

    def group(self, leader):
        """(pid, command line) of the processes in the hook's process session."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.getsid(int(name)) == leader:
                    with open("/proc/%s/cmdline" % name, "rb") as file:
                        found.append((int(name), file.read()))
            except OSError:
                pass
        return found

    def leftovers(self):
        place = os.path.join(self.machine.state, "held-prompts")
        return sorted(os.listdir(place)) if os.path.isdir(place) else []


class Polls(HoldCase):
    def test_answer_after_a_while(self):
        self.server.on(POLL, (204,), (204,), (200, answer()))
        process = self.hold(request(tool_input={"command": "é"}))
        self.assertEqual(self.finish(process), answer())
        polls = self.server.sent(POLL)
        self.assertEqual(len(polls), 3)
        self.assertEqual(len({one.headers["X-Hold-Id"] for one in polls}), 1)
        self.assertRegex(polls[0].headers["X-Hold-Id"], r"^[0-9a-f-]{36}$")
        self.assertEqual(polls[0].headers["Authorization"], "Bearer " + KEY)
        self.assertRegex(polls[0].headers["X-Machine-Time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        with open(os.path.join(ROOT, "Sources/MonitorServer/Operations/ServerVersion.swift"), encoding="utf-8") as file:
            version = re.search(r'"(.*)"', file.read()).group(1)
        self.assertEqual(polls[0].headers["User-Agent"], "claude-monitor-hooks/" + version)
        self.assertAlmostEqual(int(polls[0].headers["X-Hold-Seconds"]), 3600, delta=30)
        self.assertEqual(len({one.body for one in polls}), 1)
        self.assertTrue(self.machine.wait(self.server.events))
        told, spooled = polls[0].json(), self.server.events()[0]
        spooled.pop("stream", None)
        self.assertEqual(told, spooled)
        self.assertEqual(told["data"]["tool_input"], {"command": "é"})
        self.assertEqual(told["approvals"], "who=answer hold=3600 after=ask always=no change_input=no risk=execute"
                         " edits=yes directories=yes rules=exact")
        self.assertEqual(self.leftovers(), [])
        self.assertEqual(self.server.sent(WITHDRAW), [])

    def test_run_without_a_terminal_where_the_file_gives_it_time(self):
        """`claude -p` denies without a decision, so its prompts are held only if the file says so."""
        write_approvals(self.machine, "hold=20")
        self.server.on(POLL, (204,), (200, answer()))
        self.assertEqual(self.finish(self.hold(CLAUDE_CODE_ENTRYPOINT="sdk-cli")), answer())
        polls = self.server.sent(POLL)
        self.assertEqual(len(polls), 2)
        self.assertTrue(all(0 < int(one.headers["X-Hold-Seconds"]) <= 20 for one in polls))

    def test_server_that_leaves_it_to_the_terminal(self):
        self.server.on(POLL, (200, {}))
        self.assertIsNone(self.finish(self.hold()))
        self.assertEqual(self.server.sent(WITHDRAW), [])

    def test_server_of_an_older_version_or_another_key(self):
        for status in (401, 403, 404, 405, 410, 413, 422):
            with self.subTest(status):
                self.server.on(POLL, (status, {}))
                self.assertIsNone(self.finish(self.hold()))

    def test_input_of_a_megabyte(self):
        self.server.on(POLL, (200, answer()))
        hook = request("Write", {"file_path": "/home/u/p/a", "content": "line \\ \n\"é" * 100000})
        self.assertEqual(self.finish(self.hold(hook), 60), answer())
        self.assertEqual(self.server.sent(POLL)[0].json()["data"], hook)

    def test_server_restarts_while_the_prompt_is_held(self):
        self.server.on(POLL, "hang")
        process = self.hold()
        first = self.server.wait_sent(POLL)[0]
        port = self.server.port
        self.server.stop()
        time.sleep(0.5)
        self.server = self.serve(port, (503, {}, {"Retry-After": "1"}), "drop", (200, answer()))
        self.assertEqual(self.finish(process, 30), answer())
        again = self.server.sent(POLL)
        self.assertEqual({one.headers["X-Hold-Id"] for one in again}, {first.headers["X-Hold-Id"]})
        self.assertEqual(len(again), 3)

    def test_server_that_is_away_at_first(self):
        url = unused_url()
        process = self.hold(receiver=url)
        time.sleep(1.5)
        self.server = self.serve(int(url.rpartition(":")[2]), (200, answer()))
        self.assertEqual(self.finish(process, 30), answer())

    def test_where_no_dialog_shows_a_server_that_is_away_ends_the_hold(self):
        write_approvals(self.machine, "hold=60")
        for hook, extra in ((request(agent_id="a1"), {}), (elicitation(), {}), (request(), {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"})):
            with self.subTest(hook["hook_event_name"]):
                began = time.monotonic()
                self.assertIsNone(self.finish(self.hold(hook, receiver=unused_url(), **extra)))
                self.assertLess(time.monotonic() - began, 30, "the hold is 60 s")

    def test_one_bash_and_one_curl_and_no_key_on_a_command_line(self):
        self.server.on(POLL, "hang")
        self.machine.hold_lock()
        process = self.hold()
        self.server.wait_sent(POLL)
        self.assertTrue(self.machine.wait(lambda: len(self.group(process.pid)) == 2), self.group(process.pid))
        lines = self.group(process.pid)
        self.assertEqual(sorted(os.path.basename(line.split(b"\0")[0]) for _, line in lines), [b"bash", b"curl"])
        for _, line in lines:
            self.assertNotIn(KEY.encode(), line)

    def test_status_that_comes_in_two_reads(self):
        """`read` gives up after half a second, also between two bytes of curl's status."""
        self.two_writes("")

    def test_status_that_comes_in_two_reads_of_an_old_bash(self):
        """bash 3.2, as on macOS, loses what `read` has read before a timeout."""
        self.two_writes("""
            read() { builtin read "$@" || { printf -v "${!#}" ''; return 1; } }
            """)

    def test_status_that_comes_when_the_time_of_a_read_is_over(self):
        """A newer bash then reports a timeout although it has set the variable."""
        self.two_writes("""
            read() { builtin read "$@" && return 142; }
            """)

    def two_writes(self, before):
        script = before + """
            . "$1/lib/poll.sh"
            open() { :; }
            poll_open "$2/poll" open
            (sleep 0.2; printf 2 >&5; sleep 0.7; printf 00 >&5; sleep 0.2) &
            poll_started $!
            poll_answered && printf '%s' "$http_status"
            """
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([BASH, "-c", script, "bash", HOOKS, folder], capture_output=True, text=True, timeout=30)
        self.assertEqual((done.stdout, done.stderr), ("200", ""))

    def test_waits_without_work(self):
        self.server.on(POLL, "hang")
        process = self.hold()
        self.server.wait_sent(POLL)
        time.sleep(0.5)
        before = self.ticks(process.pid)
        time.sleep(2)
        self.assertLessEqual(self.ticks(process.pid) - before, 10)

    @staticmethod
    def ticks(pid):
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(") ")[2].split()
        return int(fields[11]) + int(fields[12])


class OfTheAgent(HoldCase):
    """A session that the machine's agent runs: the agent itself reports what it asks."""

    RUNNER = "0b5ee9b1-7a0b-4d24-9a39-1f7c3e4a9d10"

    def test_a_request_is_left_to_the_agent(self):
        self.agent_runs(self.RUNNER, 4711)
        process = self.hold(CLAUDE_MONITOR_RUNNER=self.RUNNER, CLAUDE_PID="4711")
        self.assertIsNone(self.finish(process))
        self.assertEqual((self.server.sent(POLL), self.machine.spooled()), ([], []))

    def test_so_is_that_of_a_process_that_only_runs_tools(self):
        self.agent_runs(self.RUNNER, 4711, kind="hosts")
        process = self.hold(CLAUDE_MONITOR_RUNNER=self.RUNNER, CLAUDE_PID="4711")
        self.assertIsNone(self.finish(process))
        self.assertEqual((self.server.sent(POLL), self.machine.spooled()), ([], []))

    def test_a_long_request_is_read_to_its_end(self):
        """A hook that ends before its input does would make the writer fail."""
        self.agent_runs(self.RUNNER, 4711)
        hook = request(tool_input={"command": "x" * (1 << 20)})
        self.assertIsNone(self.finish(self.hold(hook, CLAUDE_MONITOR_RUNNER=self.RUNNER, CLAUDE_PID="4711")))

    def test_other_events_are_reported(self):
        self.agent_runs(self.RUNNER, 4711)
        receiver = self.receiver()
        self.machine.fire(self.machine.env(receiver, CLAUDE_MONITOR_RUNNER=self.RUNNER, CLAUDE_PID="4711"))
        self.assert_received(receiver, 1)

    def test_the_end_of_a_parked_process_is_not_that_of_its_session(self):
        receiver = self.receiver()
        body = b'{"hook_event_name":"SessionEnd"}\n'
        for pid, parked in [(4711, True), (4711, False), (4712, True)]:
            self.agent_runs(self.RUNNER, pid, parked=parked)
            env = self.machine.env(receiver, CLAUDE_MONITOR_RUNNER=self.RUNNER, CLAUDE_PID="4711")
            self.machine.fire(env, body, "SessionEnd")
        self.assert_received(receiver, 2)

    def test_a_variable_alone_is_not_enough(self):
        self.agent_runs(self.RUNNER, 4712)
        host = "5c1f6c0e-3f43-4b7e-8a55-8e1d5d6a1f22"
        self.agent_runs(host, 4712, kind="hosts")
        runners = (self.RUNNER, host, "00000000-0000-0000-0000-000000000000", "../" + self.RUNNER)
        for runner in runners:
            with self.subTest(runner):
                self.hold(CLAUDE_MONITOR_RUNNER=runner, CLAUDE_PID="4711")
        self.server.wait_sent(POLL, len(runners))


class Ends(HoldCase):
    def test_refusal_at_the_terminal_ends_the_hook_and_tells_the_server(self):
        self.server.on(POLL, "hang")
        process = self.hold()
        hold = self.server.wait_sent(POLL)[0].headers["X-Hold-Id"]
        os.killpg(process.pid, signal.SIGTERM)
        began = time.monotonic()
        self.assertIsNone(self.finish(process))
        withdrawn = self.server.wait_sent(WITHDRAW)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual([(one.path, one.headers["X-Hold-End"]) for one in withdrawn], [("/api/prompts/" + hold, "local-deny")])
        self.assertEqual(self.leftovers(), [])

    def registry(self, status, pid):
        place = os.path.join(self.machine.home, ".claude/sessions")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "%d.json" % pid), "w", encoding="ascii") as file:
            json.dump({"pid": pid, "status": status, "waitingFor": "permission prompt"}, file)

    def dialog_closes(self, status, process):
        """Opens the dialog, and closes it after the hook has had time to see it. True if the hook ends."""
        self.registry("waiting", os.getpid())
        time.sleep(1.2)
        self.assertIsNone(process.poll(), "an open dialog ends nothing")
        self.registry(status, os.getpid())
        return self.machine.wait(lambda: process.poll() is not None, 3)

    def test_answer_at_the_terminal_is_seen_in_the_registry(self):
        for status, end in (("busy", "local"), ("idle", "local-deny")):
            with self.subTest(status):
                server = self.server
                server.requests.clear()
                server.on(POLL, "hang")
                self.registry("busy", os.getpid())
                process = self.hold(CLAUDE_PID=str(os.getpid()))
                server.wait_sent(POLL)
                time.sleep(0.8)
                self.assertIsNone(process.poll(), "busy before the dialog ends nothing")
                self.assertTrue(any(self.dialog_closes(status, process) for _ in range(10)), "the hook goes on")
                self.assertIsNone(self.finish(process))
                self.assertEqual(self.ends(), [end])

    def test_server_that_hears_first_of_the_answer_at_the_terminal(self):
        """The server ends the hold. The hook still reports what it saw of the dialog."""
        self.assert_reported(lambda release: (self.registry("busy", os.getpid()), release()))

    def test_server_that_hears_of_the_answer_before_the_status_changes(self):
        """Claude Code writes its status when it can. Its other hooks may have told the server by then."""
        self.assert_reported(lambda release: (release(), time.sleep(0.5), self.registry("busy", os.getpid())))

    def assert_reported(self, answer):
        released = threading.Event()

        def poll(request):
            released.wait(20)
            return (200, {})
        self.server.on(POLL, poll)
        process = self.hold(CLAUDE_PID=str(os.getpid()))
        polled = self.server.wait_sent(POLL)[0]
        self.registry("waiting", os.getpid())
        time.sleep(1.5)
        answer(released.set)
        self.assertIsNone(self.finish(process))
        withdrawn = self.server.wait_sent(WITHDRAW)[0]
        self.assertEqual(withdrawn.headers["X-Hold-End"], "local")
        self.assertEqual(withdrawn.headers["X-Hold-Event"], polled.json()["event_id"])

    def test_an_agents_prompt_shows_no_dialog_and_the_registry_tells_of_others(self):
        self.server.on(POLL, "hang")
        self.registry("waiting", os.getpid())
        process = self.hold(request(agent_id="a1"), CLAUDE_PID=str(os.getpid()))
        self.server.wait_sent(POLL)
        time.sleep(1.2)
        self.registry("idle", os.getpid())
        time.sleep(1.2)
        self.assertIsNone(process.poll(), "the main agent's dialog ends nothing")

    def test_client_that_was_killed(self):
        self.server.on(POLL, "hang")
        client = subprocess.Popen(["sleep", "60"])
        process = self.hold(CLAUDE_PID=str(client.pid))
        self.server.wait_sent(POLL)
        client.kill()
        self.assertIsNone(self.finish(process))
        self.assertEqual(self.ends(), ["gone"])
        client.wait(5)

    def test_time_is_over(self):
        write_approvals(self.machine, "hold=2")
        self.server.on(POLL, "hang")
        began = time.monotonic()
        self.assertIsNone(self.finish(self.hold()))
        self.assertLess(time.monotonic() - began, 60, "the hold is 2 s")
        self.assertEqual(self.ends(), ["time"])

    def test_denied_when_the_time_is_over(self):
        write_approvals(self.machine, "hold=1 after=deny")
        self.server.on(POLL, (204,), "hang")
        for hook, wanted in ((request(), "deny"), (elicitation(), "decline")):
            with self.subTest(wanted):
                self.server.requests.clear()
                output = self.finish(self.hold(hook))["hookSpecificOutput"]
                self.assertEqual(output["decision"]["behavior"] if wanted == "deny" else output["action"], wanted)
                self.assertEqual(self.ends(), ["denied"])

    def test_denied_also_where_the_server_is_away(self):
        write_approvals(self.machine, "hold=1 after=deny")
        output = self.finish(self.hold(receiver=unused_url()))
        self.assertEqual(output["hookSpecificOutput"]["decision"]["behavior"], "deny")


class ClockCase(HoldCase):
    """Tests can change the hook's clocks: the wall clock, and the time since the start of the machine."""

    def turned(self):
        """The environment that changes them."""
        cc = shutil.which("cc")
        if not cc:
            self.skipTest("no C compiler, which the clock needs")
        # The home of the machine has a space in its path, which separates files in LD_PRELOAD.
        place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, place)
        library = os.path.join(place, "clock.so")
        self.wall, self.uptime = os.path.join(place, "wall"), os.path.join(place, "uptime")
        source = os.path.join(ROOT, "Tests/chaos/clock.c")
        subprocess.run([cc, "-O1", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
        with open(self.wall, "wb") as file:
            file.write(bytes(8))
        self.machine.hold_lock()
        return {"LD_PRELOAD": library, "CHAOS_CLOCK": self.wall}

    def set_wall(self, seconds):
        with open(self.wall, "r+b") as file:
            file.write(struct.pack("=q", seconds))

    def set_uptime(self, seconds):
        with open(self.uptime + ".new", "w", encoding="ascii") as file:
            file.write("%d.50 100.00\n" % seconds)
        os.replace(self.uptime + ".new", self.uptime)

    def left(self):
        return [int(one.headers["X-Hold-Seconds"]) for one in self.server.sent(POLL)]


@unittest.skipUnless(os.path.exists("/proc/uptime"), "Linux only")
class SteppedClock(ClockCase):
    """The wall clock is set while a hook waits."""

    def hold_while(self, seconds, then):
        environment = self.turned()

        def poll(_):
            self.set_wall(seconds)
            return then.pop(0) if then else (204,)
        self.server.on(POLL, poll)
        return self.hold(**environment)

    def test_forward_does_not_end_the_hold(self):
        self.assertEqual(self.finish(self.hold_while(7200, [(204,), (503,), (204,), (200, answer())])), answer())
        self.assertEqual(len(self.left()), 4)
        self.assertGreater(min(self.left()), 3500)

    def test_back_does_not_lengthen_it(self):
        write_approvals(self.machine, "hold=3")
        self.assertIsNone(self.finish(self.hold_while(-7200, []), 60))
        self.assertEqual(self.ends(), ["time"])
        self.assertLessEqual(max(self.left()), 3)


@unittest.skipUnless(os.path.exists("/proc/uptime"), "Linux only")
class Hour(ClockCase):
    """A hold of an hour. Each poll moves the clock by five minutes."""

    def begin(self, answer_at=None):
        environment = self.turned()
        self.ahead, began = 0, 5000
        self.set_uptime(began)

        def poll(_):
            self.ahead += 300
            self.set_uptime(began + self.ahead)
            return (200, answer()) if self.ahead == answer_at else (204,)
        self.server.on(POLL, poll)
        return self.hold(**environment, CHAOS_UPTIME=self.uptime)

    def test_an_answer_near_the_end(self):
        self.assertEqual(self.finish(self.begin(answer_at=3300), 120), answer())
        left = self.left()
        self.assertEqual((len(left), left), (11, sorted(left, reverse=True)))
        self.assertAlmostEqual(left[0], 3600, delta=60)
        self.assertLessEqual(left[-1], 600)
        self.assertEqual(len({one.headers["X-Hold-Id"] for one in self.server.sent(POLL)}), 1)

    def test_no_answer(self):
        self.assertIsNone(self.finish(self.begin(), 120))
        self.assertEqual(self.ends(), ["time"])
        self.assertTrue(all(seconds > 0 for seconds in self.left()))
        self.assertLessEqual(self.left()[-1], 600)


class Nobody(HoldCase):
    """If nobody may answer, the hook does not poll, and the event is spooled as usual."""

    def ask(self, hook=None, **extra):
        printed = self.finish(self.hold(hook, **extra))
        self.assertTrue(self.machine.wait(lambda: self.server.events() or self.machine.spooled_events()))
        self.assertEqual(self.server.sent(POLL), [])
        return printed

    def test_by_the_file(self):
        for text in ("who=off", "who=notify", "hold=0", "nonsense"):
            with self.subTest(text):
                write_approvals(self.machine, text)
                self.assertIsNone(self.ask())
        write_approvals(self.machine, "who=off after=deny")
        self.assertEqual(self.ask()["hookSpecificOutput"]["decision"]["behavior"], "deny")

    def test_without_a_terminal(self):
        self.assertIsNone(self.ask(CLAUDE_CODE_ENTRYPOINT="sdk-cli"))

    def test_server_of_the_environment_beside_the_machine_s_own(self):
        os.makedirs(os.path.dirname(self.machine.config))
        with open(self.machine.config, "w", encoding="ascii") as file:
            file.write("url=https://monitor.example\nkey=%s\n" % KEY)
        self.server.on(POLL, (200, answer()))
        self.assertIsNone(self.ask())
        self.assertTrue(self.server.wait_sent("POST /api/events"))
        self.assertEqual(self.server.events()[0]["approvals"], "who=notify")

    def test_without_awk_nobody_answers(self):
        self.server.on(POLL, (200, answer()))
        self.assertIsNone(self.ask(PATH=self.machine.bin_without("awk")))

    def test_words_from_the_environment_are_not_taken(self):
        self.fire(self.machine.env(approvals_words='x","evil":"1'))
        self.assertNotIn("approvals", self.machine.spooled_events()[0])

    def test_what_a_killed_hook_left_is_removed(self):
        self.server.on(POLL, "hang")
        self.machine.hold_lock()
        process = self.hold()
        self.server.wait_sent(POLL)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)
        self.assertEqual(len([name for name in self.leftovers() if name.endswith(".post")]), 1)
        os.remove(self.machine.lock)
        self.fire(self.machine.env(self.server.url))
        self.assertTrue(self.machine.wait(lambda: not self.leftovers()))


if __name__ == "__main__":
    unittest.main()
