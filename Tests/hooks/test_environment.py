"""A folder can set the environment of a session. It must redirect nothing, reveal nothing, and change no answer."""

import glob
import json
import os
import re
import socket
import subprocess
import threading
import unittest

from install_support import InstallCase
from prompt_support import answer, encode, request, write_approvals
from scripted_server import ScriptedServer
from support import BASH, HOOK, HOOKS, KEY, MachineCase

# curl makes exceptions for some names of loopback; this address is none of them.
ELSEWHERE = "127.0.0.2"
PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


class Listener:
    """Counts the incoming connections, and stores the first line of each."""

    def __init__(self):
        self.lines = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer, peer.makefile("rb") as file:
                self.lines.append(file.readline())

    def close(self):
        self.socket.close()


class EnvironmentCase(MachineCase):
    def server(self, **options):
        server = ScriptedServer(**options)
        self.addCleanup(server.stop)
        return server

    def listener(self):
        listener = Listener()
        self.addCleanup(listener.close)
        return listener

    def configure(self, url, *lines):
        os.makedirs(os.path.dirname(self.machine.config), exist_ok=True)
        with open(self.machine.config, "w", encoding="utf-8") as file:
            file.write("\n".join(["url=" + url, "key=" + KEY, "machine_id=m", *lines, ""]))

    def certificate(self, name):
        """A certificate for this machine's addresses and its key, in one file, signed by an authority of its own."""
        path = os.path.join(self.machine.home, name + ".pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", path + ".key", "-out", path, "-subj", "/CN=" + name, "-days", "2",
                        "-addext", "subjectAltName=IP:127.0.0.1,IP:" + ELSEWHERE], check=True, stderr=subprocess.DEVNULL)
        with open(path, "a", encoding="ascii") as file, open(path + ".key", encoding="ascii") as key:
            file.write(key.read())
        return path

    def ask(self, env):
        """Runs a hook with a prompt that the server answers. Returns what the hook prints."""
        code, out, err = self.machine.fire(env, encode(request()), "PermissionRequest")
        self.assertEqual((code, err), (0, b""))
        return json.loads(out) if out else None

    def assert_everything_reaches(self, server, env):
        server.on("POST /api/prompts", (200, answer()))
        self.assertEqual(self.ask(env), answer())
        self.assertTrue(self.machine.wait(lambda: server.events()), self.machine.read("last_error"))


class Proxies(EnvironmentCase):
    def test_a_proxy_of_the_environment_gets_nothing(self):
        server, proxy = self.server(host=ELSEWHERE), self.server()
        proxy.on("POST /api/prompts", (200, answer("deny")))
        self.configure(server.url)
        self.assert_everything_reaches(server, self.machine.env(**{name: proxy.url for name in PROXIES}))
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertEqual(proxy.requests, [])

    def test_a_proxy_with_a_certificate_of_its_own_gets_nothing(self):
        server = self.server(host=ELSEWHERE, certificate=self.certificate("good"))
        proxy, keys = self.listener(), os.path.join(self.machine.home, "keys")
        evil = self.certificate("evil")
        self.configure(server.url, "ca_file=" + os.path.join(self.machine.home, "good.pem"))
        env = self.machine.env(CURL_CA_BUNDLE=evil, SSL_CERT_FILE=evil, SSLKEYLOGFILE=keys,
                               **{name: proxy.url for name in PROXIES})
        self.assert_everything_reaches(server, env)
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertEqual(proxy.lines, [])
        self.assertFalse(os.path.exists(keys))

    def test_a_certificate_of_the_environment_is_not_believed(self):
        evil = self.certificate("evil")
        server = self.server(host=ELSEWHERE, certificate=evil)
        server.on("POST /api/prompts", (200, answer()))
        write_approvals(self.machine, "hold=1")
        self.configure(server.url)
        env = self.machine.env(CURL_CA_BUNDLE=evil, SSL_CERT_FILE=evil, SSL_CERT_DIR=self.machine.home)
        self.assertIsNone(self.ask(env))
        self.assertTrue(self.machine.wait(lambda: "no answer" in self.machine.read("last_error")))
        self.assertEqual(server.requests, [])

    def test_a_key_of_the_environment_makes_another_server(self):
        """The address is that of the file, and the certificate is that of an attacker in between."""
        server = self.server(host=ELSEWHERE, certificate=self.certificate("evil"))
        server.on("POST /api/prompts", (200, answer()))
        self.certificate("good")
        self.configure(server.url, "ca_file=" + os.path.join(self.machine.home, "good.pem"))
        write_approvals(self.machine, "hold=1")
        self.machine.fire(self.machine.env(CLAUDE_MONITOR_GIVE_UP_S="0"))
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        evil = os.path.join(self.machine.home, "evil.pem")
        for name in ("CLAUDE_MONITOR_KEY", "CLAUDE_PLUGIN_OPTION_KEY"):
            url = name.replace("KEY", "URL")
            env = self.machine.env(CLAUDE_MONITOR_CA_FILE=evil, CLAUDE_MONITOR_GIVE_UP_S="0", **{name: "cmk_other", url: server.url})
            self.assertIsNone(self.ask(env))
            self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertEqual(server.requests, [])
        self.assertEqual(len(self.machine.spooled()), 1)

    def test_the_key_of_the_file_in_the_environment_is_the_machine_s_own(self):
        server = self.server()
        self.configure(server.url)
        self.assert_everything_reaches(server, self.machine.env(server.url))

    def test_the_proxy_of_the_file_is_used(self):
        proxy = self.server()
        self.configure("http://monitor.invalid:8766/base", "proxy=" + proxy.url)
        path = "http://monitor.invalid:8766/base/api/"
        proxy.on("POST " + path + "prompts", (200, answer())).on("POST " + path + "events", (202, {}))
        self.assertEqual(self.ask(self.machine.env(no_proxy="*")), answer())
        self.assertTrue(proxy.wait_sent("POST " + path + "events"))

    def test_loopback_needs_no_proxy(self):
        server, proxy = self.server(), self.listener()
        self.configure(server.url, "proxy=" + proxy.url)
        self.assert_everything_reaches(server, self.machine.env())
        self.assertEqual(proxy.lines, [])

    def test_the_reason_for_waiting_names_what_is_ignored(self):
        self.configure("http://monitor.invalid:8766")
        self.fire(self.machine.env(https_proxy="http://user:secret@127.0.0.1:1", ALL_PROXY="http://127.0.0.1:1"))
        self.assertTrue(self.machine.wait(lambda: "no answer" in self.machine.read("last_error")))
        said = self.machine.read("last_error")
        self.assertRegex(said, r"ignored: https_proxy ALL_PROXY\n$")
        self.assertNotIn("secret", said)


class Programs(EnvironmentCase):
    """The programs that the scripts run get nothing of the environment that a folder sets."""

    NAMES = ("curl", "awk", "gzip", "sha256sum", "tail", "head", "wc", "sleep")

    def witnesses(self):
        """Puts programs in front of the real ones that record their environment."""
        for name in self.NAMES:
            path = os.path.join(self.machine.bin, name)
            real = os.path.realpath(path) if os.path.lexists(path) else "/usr/bin/" + name
            if os.path.lexists(path):
                os.remove(path)
            with open(path, "w", encoding="ascii") as file:
                file.write('#!/bin/bash -p\n/bin/cat /proc/$$/environ >>"%s/seen.%s"\nexec %s "$@"\n'
                           % (self.machine.home, name, real))
            os.chmod(path, 0o755)

    def seen(self, name):
        """The names of the variables that a program got."""
        try:
            with open(os.path.join(self.machine.home, "seen." + name), "rb") as file:
                return {pair.partition(b"=")[0].decode() for pair in file.read().split(b"\0") if pair}
        except FileNotFoundError:
            return None

    def test_only_what_is_handed_to_them(self):
        self.witnesses()
        server = self.server().on("POST /api/transcripts", (202, {"next_offset": 3}))
        self.configure(server.url)
        transcript = os.path.join(self.machine.home, "t.jsonl")
        with open(transcript, "w", encoding="ascii") as file:
            file.write("{}\n")
        hostile = {"OPENSSL_CONF": "/x", "GAWK_PERSIST_FILE": "/x", "AWKPATH": "/x", "GZIP": "-d", "PERL5OPT": "-Mx",
                   "RES_OPTIONS": "x", "HOSTALIASES": "/x", "MALLOC_CHECK_": "1", "CURL_HOME": "/x", "ANYTHING": "x"}
        env = self.machine.env(**hostile, **{name: "http://127.0.0.1:1" for name in PROXIES})
        self.assert_everything_reaches(server, env)
        stop = {"session_id": "6f2d3b1c-0000-4000-8000-000000000001", "transcript_path": transcript,
                "hook_event_name": "Stop"}
        self.fire(env, json.dumps(stop, separators=(",", ":")).encode(), "Stop")
        self.assertTrue(server.wait_sent("POST /api/transcripts"))
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertEqual(self.seen("curl"), set())
        self.assertEqual(self.seen("awk"), {"PATH", "LC_ALL", "HOME", "RISKS", "APPROVALS", "UNREADABLE", "PROJECT", "NOW",
                                            "HEADLESS", "MODE", "POST", "ANSWER", "SETTLED", "DIRECTORY"})
        for name in self.NAMES[2:]:
            with self.subTest(name):
                self.assertFalse(self.seen(name) & set(env) - {"PATH", "HOME", "TMPDIR"})


class Shell(EnvironmentCase):
    OURS = re.compile(r"^(CLAUDE_.*|PATH|HOME|TMPDIR|XDG_.*|HOSTNAME|LD_.*|BASH.*|SHELLOPTS|EUID|UID|PPID|PS4|LC_ALL)$")

    def names(self):
        """Every word of the scripts that could be a variable."""
        found = set()
        for path in glob.glob(HOOKS + "/**/*.sh", recursive=True):
            with open(path, encoding="utf-8") as file:
                found |= set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", file.read()))
        return {name for name in found if not self.OURS.match(name)}

    def test_no_variable_of_the_scripts_comes_from_outside(self):
        mark = os.path.join(self.machine.home, "ran")
        server = self.server().on("DELETE /api/prompts/*", (204,))
        self.configure(server.url)
        hostile = {name: "a[$(touch '%s')]" % mark for name in self.names()}
        self.assert_everything_reaches(server, {**hostile, **self.machine.env()})
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertFalse(os.path.exists(mark))
        self.assertEqual([event["data"]["tool_name"] for event in server.events()], ["Bash"])

    def test_what_changes_a_shell_changes_no_answer(self):
        server = self.server()
        self.configure(server.url)
        env = self.machine.env(POSIXLY_CORRECT="1", TMOUT="1", FUNCNEST="1", BASH_COMPAT="3.1", EXECIGNORE="*curl*:*awk*",
                               GLOBIGNORE="*", BASH_ENV="/nowhere", ENV="/nowhere", CDPATH="/", IFS="a", LANG="tr_TR.UTF-8",
                               SHELLOPTS="nounset:errexit:noglob", BASHOPTS="nocasematch:extglob")
        self.assert_everything_reaches(server, env)

    def test_quiet_hours_are_the_machines(self):
        def hour(**extra):
            now = subprocess.run(["date", "+%H"], env={"PATH": "/usr/bin:/bin", **extra}, stdout=subprocess.PIPE, check=True)
            return int(now.stdout)

        def said(**extra):
            done = subprocess.run([BASH, "-p", HOOK, "explain"], input=encode(request()), timeout=20, check=True,
                                  env=self.machine.env(**extra), stdout=subprocess.PIPE)
            return "quiet=now" in done.stdout.decode()

        zone = "XXX-12"
        here, there = hour(), hour(TZ=zone)
        write_approvals(self.machine, "quiet=%02d:00-%02d:00" % ((here - 1) % 24, (here + 2) % 24))
        self.assertTrue(said(TZ=zone))
        self.configure("http://127.0.0.1:1", "time_zone=" + zone)
        self.assertFalse(said())
        write_approvals(self.machine, "quiet=%02d:00-%02d:00" % ((there - 1) % 24, (there + 2) % 24))
        self.assertTrue(said())


class Telemetry(EnvironmentCase):
    def test_the_key_is_not_for_a_proxy(self):
        ca = "/etc/monitor.pem"
        cases = [
            ({}, True), ({"https_proxy": "http://proxy:1"}, True), ({"https_proxy": "http://other:1"}, False),
            ({"HTTP_PROXY": "http://other:1"}, False), ({"all_proxy": "http://other:1"}, False),
            ({"https_proxy": "http://other:1", "no_proxy": "monitor.example"}, True),
            ({"https_proxy": "http://other:1", "NO_PROXY": "x, monitor.example y"}, True),
            ({"https_proxy": "http://other:1", "no_proxy": "example"}, False),
            ({"https_proxy": "http://other:1", "no_proxy": "*,x"}, False),
            ({"https_proxy": "http://other:1", "no_proxy": ".monitor.example,*example"}, False),
            ({"https_proxy": "http://other:1", "no_proxy": "itor.example"}, False),
            ({"NODE_TLS_REJECT_UNAUTHORIZED": "0"}, False), ({"OTEL_EXPORTER_OTLP_CERTIFICATE": ca}, True),
            ({"OTEL_EXPORTER_OTLP_CERTIFICATE": "/x.pem"}, False), ({"OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE": "/x.pem"}, False),
            ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "https://x.example"}, False),
        ]
        self.configure("https://monitor.example", "proxy=http://proxy:1", "ca_file=" + ca)
        for extra, wanted in cases:
            with self.subTest(extra):
                done = subprocess.run([BASH, "-p", os.path.join(HOOKS, "otel-headers.sh")], env=self.machine.env(**extra),
                                      stdout=subprocess.PIPE, check=True, timeout=20)
                self.assertEqual(json.loads(done.stdout), {"Authorization": "Bearer " + KEY} if wanted else {})


class Installer(InstallCase):
    def config(self):
        return self.text(self.machine.config).splitlines()

    def setUp(self):
        super().setUp()
        self.url = "http://monitor.invalid:8766"

    def install(self, *arguments, **keywords):
        return super().install("--allow-http", *arguments, **keywords)

    def test_the_proxy_of_the_installing_shell_is_kept(self):
        said = self.install(http_proxy="http://u:secret@proxy.invalid:1")
        self.assertIn("proxy: proxy.invalid:1, from this shell's http_proxy", said)
        self.assertNotIn("secret", said)
        self.assertIn("proxy=http://u:secret@proxy.invalid:1", self.config())
        self.assertIn("as before", self.install())
        self.assertIn("proxy=http://u:secret@proxy.invalid:1", self.config())
        self.install("--proxy", "socks5h://other.invalid:2", http_proxy="http://proxy.invalid:1")
        self.assertIn("proxy=socks5h://other.invalid:2", self.config())
        self.install("--no-proxy", http_proxy="http://proxy.invalid:1")
        self.assertFalse([line for line in self.config() if line.startswith("proxy=")])

    def test_no_proxy_where_the_shell_uses_none(self):
        for extra in ({"no_proxy": "monitor.invalid"}, {"NO_PROXY": ".invalid"}, {"no_proxy": "*"},
                      {"http_proxy": "", "https_proxy": "http://x:1"}):
            with self.subTest(extra):
                self.assertNotIn("proxy:", self.install(**{"http_proxy": "http://proxy.invalid:1", **extra}))
                self.assertFalse([line for line in self.config() if line.startswith("proxy=")])

    def test_what_is_no_proxy_is_refused(self):
        for value in ("a b", "ftp://x", "http://x/path", "http://x\nkey=y"):
            with self.subTest(value):
                self.assertIn("install.sh: ", self.install("--proxy", value, code=1))

    def test_a_search_path_for_directories_does_not_mislead(self):
        self.run_script("install.sh", "--help", cwd=os.path.dirname(HOOKS), folder="hooks", CDPATH="/tmp:.")


if __name__ == "__main__":
    unittest.main()
