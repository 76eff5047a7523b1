"""What a server, an environment, or files of others must not do to the hooks."""

import glob
import os
import socket
import subprocess
import threading
import time
import unittest

from install_support import InstallCase
from receiver import KEY
from support import BASH, HOOKS, MachineCase, numbers

NUMBERS = ["CLAUDE_MONITOR_SPOOL_MAX_EVENTS", "CLAUDE_MONITOR_SPOOL_MAX_KIB", "CLAUDE_MONITOR_GIVE_UP_S",
           "CLAUDE_MONITOR_AUTH_RETRY_S"]
OTHER_KEY = "cmk_" + "1" * 36


class Flood:
    """Reads a request, then sends `head` and `piece` again and again until the client closes, or 200 MB are sent."""

    def __init__(self, head, piece):
        self.head, self.piece, self.sent, self.connections = head, piece, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with client:
                client.settimeout(25)
                try:
                    client.recv(65536)
                    client.sendall(self.head)
                    while self.sent < 200e6:
                        client.sendall(self.piece)
                        self.sent += len(self.piece)
                except OSError:
                    pass

    def stop(self):
        # Closing alone would leave the thread in accept(), which keeps the port.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(30)


class Environment(MachineCase):
    def configure(self, receiver, key=KEY, **more):
        os.makedirs(os.path.dirname(self.machine.config), exist_ok=True)
        with open(self.machine.config, "w", encoding="utf-8") as file:
            for name, value in {"url": receiver.url, "key": key, **more}.items():
                file.write("%s=%s\n" % (name, value))

    def test_a_number_is_never_a_command(self):
        for name in NUMBERS:
            with self.subTest(name):
                receiver = self.receiver(script=[401])
                mark = os.path.join(self.machine.home, "ran-" + name)
                hostile = "a[$(touch '%s')]" % mark
                self.fire(self.machine.env(receiver, **{name: hostile}))
                self.assertTrue(receiver.wait(lambda r: len(r.requests) >= 1))
                self.machine.wait(lambda: self.machine.read("last_error") or os.path.exists(mark), 5)
                self.assertFalse(os.path.exists(mark))
                self.machine.end_flushers()

    def test_numbers_with_zeros_in_front_are_decimal(self):
        receiver = self.receiver()
        self.fire(self.machine.env(receiver, **{name: "00089" for name in NUMBERS}))
        self.assertTrue(receiver.wait_events(1))

    def test_a_line_break_in_a_value_is_no_option_of_curl(self):
        option = "\ntrace-ascii = made\n#"
        for name in ("CLAUDE_MONITOR_KEY", "CLAUDE_MONITOR_URL", "CLAUDE_MONITOR_CA_FILE", "no_proxy", "NO_PROXY"):
            with self.subTest(name):
                receiver = self.receiver()
                env = self.machine.env(receiver)
                env[name] = env.get(name, "") + option
                self.fire(env)
                self.machine.wait(self.machine.is_quiet, 5)
                self.assertEqual(glob.glob(glob.escape(self.machine.home) + "/**/made", recursive=True, include_hidden=True), [])
                self.assertEqual([headers["Authorization"] for headers, _ in receiver.requests],
                                 ["Bearer " + KEY] * len(receiver.requests))
                self.machine.end_flushers()

    def test_quotes_and_braces_stay_what_they_are(self):
        receiver = self.receiver(key='a"b\\c')
        self.fire(self.machine.env(receiver, CLAUDE_MONITOR_KEY='a"b\\c', CLAUDE_MONITOR_URL=receiver.url + "/{x,y}[1-2]"))
        self.assertTrue(receiver.wait_events(1))
        self.assertEqual(len(receiver.requests), 1)

    def test_an_address_from_the_environment_never_gets_the_key_of_the_file(self):
        own, other = self.receiver(), self.receiver(key=OTHER_KEY)
        self.configure(own)
        for extra in ({"CLAUDE_MONITOR_URL": other.url}, {"CLAUDE_PLUGIN_OPTION_URL": other.url},
                      {"CLAUDE_MONITOR_URL": other.url, "CLAUDE_PLUGIN_OPTION_KEY": OTHER_KEY}):
            with self.subTest(extra):
                before = len(own.events)
                self.fire(self.machine.env(**extra))
                self.assertTrue(own.wait_events(before + 1))
        self.assertEqual(other.requests, [])
        self.assertTrue(self.machine.settled())

    def test_a_certificate_authority_from_the_environment_is_not_for_the_address_of_the_file(self):
        own = self.receiver()
        self.configure(own)
        self.fire(self.machine.env(CLAUDE_MONITOR_CA_FILE="/nonexistent"))
        self.assertTrue(own.wait_events(1))

    def test_the_environment_of_one_session_does_not_redirect_the_events_of_others(self):
        other = self.receiver(key=OTHER_KEY)
        away = self.receiver()
        away.stop()
        self.configure(away)
        self.fire_many(self.machine.env(CLAUDE_MONITOR_GIVE_UP_S="0"), 3)
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.fire(self.machine.env(CLAUDE_MONITOR_URL=other.url, CLAUDE_MONITOR_KEY=OTHER_KEY),
                  b'{"hook_event_name":"PostToolUse","n":9}\n')
        self.assertTrue(other.wait_events(1))
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertEqual(numbers(other), [9])
        self.assertEqual(len(self.machine.spooled()), 3)


class Server(MachineCase):
    def flood(self, head, piece):
        flood = Flood(head, piece)
        self.addCleanup(flood.stop)
        started = time.monotonic()
        self.fire(self.machine.env(flood.url, CLAUDE_MONITOR_GIVE_UP_S="0"))
        self.assertTrue(self.machine.wait(lambda: flood.connections and self.machine.is_quiet(), 30))
        self.assertLess(time.monotonic() - started, 15)
        self.assertLess(flood.sent, 50e6)
        for path in glob.glob(glob.escape(self.machine.state) + "/answer*"):
            self.assertLessEqual(os.path.getsize(path), 65536)
        self.assertEqual(len(self.machine.spooled()), 1)
        return flood

    def test_an_endless_answer_in_chunks(self):
        self.flood(b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n", b"4000\r\n" + b"\n" * 16384 + b"\r\n")

    def test_an_endless_answer_without_a_length(self):
        self.flood(b"HTTP/1.0 202 Accepted\r\n\r\n", b'"status":"rejected",' * 4096)

    def test_endless_headers(self):
        self.flood(b"HTTP/1.1 202 Accepted\r\n", b"X-More: " + b"x" * 1000 + b"\r\n")

    def test_an_answer_full_of_rejections_costs_no_time(self):
        body = b'{"rejected":1,"events":[' + b'{"status":"rejected"},' * 2900 + b'{"status":"rejected"}]}'
        flood = Flood(b"HTTP/1.1 202 Accepted\r\nContent-Length: %d\r\n\r\n" % len(body) + body, b"")
        flood.sent = 1e9
        self.addCleanup(flood.stop)
        started = time.monotonic()
        self.fire(self.machine.env(flood.url))
        self.assertTrue(self.machine.wait(lambda: flood.connections and self.machine.is_quiet(), 20))
        self.assertLess(time.monotonic() - started, 6)


class Files(MachineCase):
    def test_names_in_the_spool_are_no_commands(self):
        mark, receiver = os.path.join(self.machine.home, "ran"), self.receiver()
        os.makedirs(self.machine.spool)
        env = self.machine.env(receiver)
        for name in ("a[$(cd;touch ran)].%d.x" % os.getpid(), "1.a[$(cd;touch ran)].x",
                     "0" * 15 + "1.%d.x" % os.getpid(), "x\n$(touch ran).1.2"):
            with open(os.path.join(self.machine.spool, name + ".ev"), "w", encoding="utf-8"):
                pass
        self.fire(env)
        receiver.wait_events(1, 8)
        self.assertFalse(os.path.exists(mark))
        self.assertEqual(len(receiver.events), 1)

    def test_what_is_in_the_state_is_no_command(self):
        mark, receiver = os.path.join(self.machine.home, "ran"), self.receiver()
        hostile = "0+a[$(touch '%s')]" % mark
        for name, content in (("dropped", "%s - 0 - -" % hostile), ("dropped", "0 x\",\"y\":1 %s - -" % hostile),
                              ("retry_at", hostile), ("flusher.lock", "%s %s" % (hostile, hostile)),
                              ("flusher.lock", "0 %d" % time.time()), ("tick", "5 " + hostile)):
            with self.subTest(name, content=content[:12]):
                os.makedirs(self.machine.state, exist_ok=True)
                with open(os.path.join(self.machine.state, name), "w", encoding="utf-8") as file:
                    file.write(content + "\n")
                before = len(receiver.events)
                self.fire(self.machine.env(receiver))
                self.assertTrue(receiver.wait_events(before + 1))
                self.assertFalse(os.path.exists(mark))
                self.machine.wait(self.machine.is_quiet)

    def test_the_clock_of_old_shells_takes_digits_only(self):
        mark = os.path.join(self.machine.home, "ran")
        state = os.path.join(self.machine.home, "state")
        os.makedirs(state)
        with open(os.path.join(state, "tick"), "w", encoding="utf-8") as file:
            file.write("5 0+a[$(touch '%s')]\n" % mark)
        script = ('LC_ALL=C; state=$1; . "$2/common.sh"; . "$2/stamp.sh"; . "$2/portable.sh"; stamp_s=5; stamp_tick; '
                  'echo "$fraction"; unset EPOCHREALTIME; EPOCHREALTIME="a[\\$(touch \'$3\')]0123456789"; stamp_now; echo $?')
        done = subprocess.run([BASH, "-p", "-c", script, "x", state, HOOKS + "/lib", mark], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=20, check=False)
        self.assertFalse(os.path.exists(mark))
        self.assertEqual(done.stdout.split()[0], b"001000")

    def test_a_file_name_does_not_steer_the_terminal(self):
        done = subprocess.run([BASH, "-c", '. "$1/setup.sh"; say "$2"; (die 3 "$2")', "x", HOOKS + "/lib",
                               "a\x1b]0;title\x07b"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, check=False)
        self.assertEqual((done.stdout, done.returncode), (b"a?]0;title?b\n", 3))
        self.assertNotIn(b"\x1b", done.stderr)


class Installer(InstallCase):
    def test_a_key_from_the_command_line_does_not_go_to_an_address_from_the_environment(self):
        other = self.receiver(key=OTHER_KEY)
        self.run_script("install.sh", "--key", KEY, CLAUDE_MONITOR_URL=other.url, CLAUDE_MONITOR_KEY=OTHER_KEY, code=1)
        self.assertEqual(other.requests, [])

    def test_a_purge_deletes_no_file_that_is_no_configuration(self):
        self.install()
        path = os.path.join(self.machine.home, "letter")
        with open(path, "w", encoding="utf-8") as file:
            file.write("dear\n")
        self.uninstall("--purge", CLAUDE_MONITOR_CONFIG=path)
        self.assertTrue(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
