"""The program as an operator sees it: start, configuration, stop, and what happens when something is killed."""

import asyncio
import contextlib
import os
import pathlib
import re
import signal
import stat
import subprocess
import time
import unittest

import websockets

import harness
from harness import Client, Server, alive, envelope, hook, kill, make_directory, session, tool, wait_for


def program(*arguments, **settings):
    return subprocess.run([harness.SERVER, *arguments], text=True, capture_output=True, timeout=30, cwd="/",
                          env=harness.environment(**settings))


class Start(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def test_it_says_what_a_person_needs(self):
        text = self.server.output.read_text()
        self.assertRegex(text, r"listening on +http://127\.0\.0\.1:\d+")
        self.assertRegex(text, r"\nTo open the web app, make a link: .*monitorctl device pair --browser\n")
        self.assertNotIn(self.server.admin, text)

    def test_output_that_is_kept_has_no_link(self):
        self.assertNotIn("/pair#", self.server.text())

    def test_health(self):
        status, health = self.server.health()
        self.assertEqual(status, 200)
        self.assertLessEqual({"ok", "status", "version", "active_sessions", "uptime_seconds", "database"}, set(health))
        self.assertEqual((health["ok"], health["status"]), (True, "healthy"))
        self.assertGreaterEqual(health["uptime_seconds"], 0)
        self.assertIsNone(health["claude_version"])
        self.assertEqual(health["claude"], {"reachable": False, "agents": 0, "machines": 0})

    def test_metrics(self):
        text = self.server.get("/metrics").body.decode()
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+|)$')
        self.assertIn("monitor_", text)

    def test_the_admin_token_is_for_its_owner_alone(self):
        path = self.server.directory / "admin.token"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertGreaterEqual(len(self.server.admin), 32)

    def test_a_second_server_on_the_same_directory_is_refused(self):
        second = Server(self.server.directory)
        second.output, second.log = self.server.directory / "second-output", self.server.directory / "second-log"
        second.start(ready=None)
        self.assertNotEqual(second.process.wait(15), 0)
        self.assertTrue(second.log.read_text().strip())
        self.assertEqual(self.server.health()[0], 200)

    def test_the_same_address_twice_is_refused(self):
        second = Server(MONITOR_LISTEN=self.server.address).start(ready=None)
        self.assertNotEqual(second.process.wait(20), 0)
        self.assertIn(self.server.address.rpartition(":")[2], second.text())
        self.assertIsNone(second.postmaster() if alive(second.postmaster() or 0) else None, "a cluster is left behind")

    def test_the_private_cluster_has_no_port_and_no_root(self):
        postmaster = self.server.postmaster()
        self.assertTrue(postmaster and alive(postmaster))
        children = [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")
                    if harness._parent(path / "stat") == postmaster]
        for pid in [postmaster, *children]:
            with contextlib.suppress(FileNotFoundError):
                uids = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                            if line.startswith("Uid:")).split()[1:]
                self.assertNotIn("0", uids)
        inodes = set()
        for pid in [postmaster, *children]:
            with contextlib.suppress(OSError):
                inodes |= {os.readlink(entry)[8:-1] for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir()
                           if os.readlink(entry).startswith("socket:[")}
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for line in pathlib.Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                self.assertFalse(fields[3] == "0A" and fields[9] in inodes, "PostgreSQL listens on TCP")

    def test_only_loopback_is_listened_on(self):
        port = f":{int(self.server.address.rpartition(':')[2]):04X}"
        bound = [line.split()[1] for table in ("/proc/net/tcp", "/proc/net/tcp6")
                 for line in pathlib.Path(table).read_text().splitlines()[1:] if line.split()[3] == "0A"]
        self.assertEqual([entry for entry in bound if entry.endswith(port)], ["0100007F" + port])



class Plaintext(unittest.TestCase):
    WARNING = "clients of other machines connect without TLS"

    def test_a_server_that_other_machines_reach_without_tls_says_so(self):
        for settings, expected in (({"MONITOR_LISTEN": "0.0.0.0:0"}, 1), ({}, 0),
                                   ({"MONITOR_LISTEN": "0.0.0.0:0", "MONITOR_TRUSTED_PROXIES": "10.0.0.0/8"}, 0)):
            with self.subTest(settings):
                server = Server(**settings).start("listening")
                self.assertEqual(server.text().count(self.WARNING), expected)
                server.end()


class FirstLink(unittest.TestCase):
    """The link with which the first browser gets the right to administer."""

    def link(self, server):
        pattern = r"\nOpen the web app: http://127\.0\.0\.1:\d+/pair#(cmp_\w+)\n.*expires in 10 minutes"
        return wait_for(lambda: re.search(pattern, server.output.read_text()), "the link is printed").group(1)

    def sign_in(self, server, secret):
        client = Client(server.address)
        try:
            return client.request("POST", "/web/session", {"secret": secret}, {"Origin": server.url}).status
        finally:
            client.close()

    def test_only_the_link_of_the_last_start_works_and_works_once(self):
        server = Server(terminal=True)
        self.addCleanup(server.end)
        links = []
        for start in range(2):
            server.output.write_text("")
            links.append(self.link(server.start()))
            if start == 0:
                server.stop()
        self.assertEqual(self.sign_in(server, links[0]), 403)
        self.assertEqual(self.sign_in(server, links[1]), 200)
        self.assertEqual(self.sign_in(server, links[1]), 403)

    def test_a_start_that_prints_no_link_ends_the_earlier_one(self):
        server = Server(terminal=True).start()
        self.addCleanup(server.end)
        link = self.link(server)
        server.stop()
        server.terminal = False
        server.start()
        self.assertEqual(self.sign_in(server, link), 403)


class Configuration(unittest.TestCase):
    def test_version(self):
        done = program("version")
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stdout, r"\d+\.\d+")

    def test_good_configuration_is_good(self):
        with self.subTest("empty"):
            self.assertEqual(program("check-config", HOME="/tmp").returncode, 0)
        done = program("check-config", MONITOR_DATA_DIR="/tmp/none-such", MONITOR_LISTEN="127.0.0.1:1,[::1]:2,unix:/tmp/x",
                       MONITOR_RETENTION_DAYS="7", MONITOR_RATE_LIMIT="5:10", MONITOR_STORE_CONTENT="full",
                       MONITOR_CLIENT_RATE_LIMIT="5", MONITOR_CHAT_SAMPLING="pass", MONITOR_MODEL_ALIASES="gpt-4o=sonnet, m=opus",
                       MONITOR_LOG_FORMAT="json", MONITOR_LOG_LEVEL="debug", MONITOR_MAX_BODY="1048576")
        self.assertEqual(done.returncode, 0, done)
        self.assertFalse(os.path.exists("/tmp/none-such"), "check-config makes nothing")

    def test_all_faults_are_told_at_once(self):
        bad = {"MONITOR_LISTEN": "nonsense", "MONITOR_RETENTION_DAYS": "soon", "MONITOR_STORE_CONTENT": "some",
               "MONITOR_LOG_LEVEL": "loud", "MONITOR_LOG_FORMAT": "xml", "MONITOR_MAX_BODY": "-1",
               "MONITOR_RATE_LIMIT": "fast"}
        for command in ("check-config", "serve"):
            done = program(command, MONITOR_DATA_DIR="/tmp/none-such", **bad)
            self.assertNotEqual(done.returncode, 0)
            for name in bad:
                with self.subTest(command + name):
                    self.assertIn(name, done.stdout + done.stderr)

    def test_tls_needs_both_files_and_they_have_to_be_there(self):
        for settings in [{"MONITOR_TLS_CERT": "/x.pem"}, {"MONITOR_TLS_KEY": "/x.pem"},
                         {"MONITOR_TLS_CERT": "/nonexistent.pem", "MONITOR_TLS_KEY": "/nonexistent.key"}]:
            with self.subTest(settings):
                done = program("check-config", MONITOR_DATA_DIR="/tmp/none-such", **settings)
                self.assertNotEqual(done.returncode, 0, done)
                self.assertIn("MONITOR_TLS_", done.stderr)

    def test_what_no_start_could_use_is_a_fault(self):
        other = self.certificate("other")
        certificate, key = self.certificate("one")
        for name, settings in [("DATABASE_URL", {"DATABASE_URL": "foo bar"}),
                               ("DATABASE_URL", {"DATABASE_URL": "postgresql://a:b@h:notaport/x"}),
                               ("MONITOR_TLS_CERT", {"MONITOR_TLS_CERT": "/etc/hostname", "MONITOR_TLS_KEY": key}),
                               ("MONITOR_TLS_KEY", {"MONITOR_TLS_CERT": certificate, "MONITOR_TLS_KEY": "/etc/hostname"}),
                               ("MONITOR_TLS_KEY", {"MONITOR_TLS_CERT": certificate, "MONITOR_TLS_KEY": other[1]}),
                               ("MONITOR_ALLOWED_ORIGINS", {"MONITOR_ALLOWED_ORIGINS": "https://panel.example,not an origin"}),
                               ("MONITOR_ALLOWED_HOSTS", {"MONITOR_ALLOWED_HOSTS": "a b"}),
                               ("MONITOR_ALLOWED_HOSTS", {"MONITOR_ALLOWED_HOSTS": "monitor.example:8443"})]:
            with self.subTest(settings):
                done = program("check-config", MONITOR_DATA_DIR="/tmp/none-such", **settings)
                self.assertNotEqual(done.returncode, 0, done)
                self.assertIn(name, done.stderr)
                self.assertNotIn("postgresql://", done.stderr)
        done = program("check-config", MONITOR_DATA_DIR="/tmp/none-such", MONITOR_TLS_CERT=certificate, MONITOR_TLS_KEY=key,
                       DATABASE_URL="host=/run port=5432,5433", MONITOR_ALLOWED_HOSTS="monitor.example,[::2]",
                       MONITOR_ALLOWED_ORIGINS="https://panel.example:8443,panel.example,null")
        self.assertEqual(done.returncode, 0, done)

    @staticmethod
    def certificate(name):
        directory = make_directory()
        files = [str(directory / f"{name}.pem"), str(directory / f"{name}.key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", f"/CN={name}", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
        return files

    def test_a_flag_that_is_unknown_hides_no_fault(self):
        done = program("check-config", "--retention-days", "0", "--bogus", "3", "--max-body=1", MONITOR_DATA_DIR="/tmp/none-such")
        self.assertNotEqual(done.returncode, 0, done)
        for name in ("MONITOR_RETENTION_DAYS", "--bogus", "MONITOR_MAX_BODY"):
            self.assertIn(name, done.stderr)

    def test_bounds_are_checked(self):
        for name, values in {"MONITOR_RETENTION_DAYS": ["0", "-1", "99999999999999999999", "1.5", ""],
                             "MONITOR_MAX_BODY": ["0", "99999999999999", "4x"],
                             "MONITOR_LISTEN": ["127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1", ":", "unix:", ",",
                                                "unix:/" + "x" * 200],
                             "MONITOR_RATE_LIMIT": ["0:0", "-5:10", "5:", "a:b", "1:1:1"],
                             "MONITOR_CLIENT_RATE_LIMIT": ["0:0", "fast"], "MONITOR_CHAT_SAMPLING": ["yes"],
                             "MONITOR_MODEL_ALIASES": ["gpt-4o", "=sonnet", "a=b=c", "a b=c", "a=b,a=c", "a=b,b=c",
                                                       "a=-b", "a=" + "b" * 129]}.items():
            for value in values:
                with self.subTest(name, value=value[:20]):
                    done = program("check-config", MONITOR_DATA_DIR="/tmp/none-such", **{name: value})
                    if value == "":
                        continue
                    self.assertNotEqual(done.returncode, 0, done.stdout)
                    self.assertIn(name, done.stdout + done.stderr)

    def test_a_flag_goes_before_the_environment(self):
        done = program("check-config", "--log-level", "loud", MONITOR_DATA_DIR="/tmp/none-such", MONITOR_LOG_LEVEL="info")
        self.assertNotEqual(done.returncode, 0)
        done = program("check-config", "--log-level", "info", MONITOR_DATA_DIR="/tmp/none-such", MONITOR_LOG_LEVEL="loud")
        self.assertEqual(done.returncode, 0, done)

    def test_unknown_words_are_refused(self):
        for arguments in [["dance"], ["serve", "--no-such-flag", "1"], ["serve", "--listen"], ["serve", "extra"]]:
            with self.subTest(arguments):
                done = program(*arguments, MONITOR_DATA_DIR="/tmp/none-such")
                self.assertNotEqual(done.returncode, 0)
                self.assertTrue(done.stderr.strip())

    def test_a_secret_is_not_repeated_in_a_fault(self):
        done = program("check-config", MONITOR_DATA_DIR="/tmp/none-such", MONITOR_ADMIN_TOKEN="s3cr3t",
                       DATABASE_URL="postgresql://u:hunter2@[bad/db", MONITOR_LOG_LEVEL="loud")
        self.assertNotIn("s3cr3t", done.stdout + done.stderr)
        self.assertNotIn("hunter2", done.stdout + done.stderr)

    def check_password_file(self, content, url="host=127.0.0.1"):
        file = harness.make_directory() / "password"
        file.write_bytes(content)
        return program("check-config", MONITOR_DATA_DIR="/tmp/none-such", DATABASE_URL=url, DATABASE_PASSWORD_FILE=file)

    def test_a_database_password_is_one_line_of_a_file(self):
        for content in (b"secret\n", b"secret", "pässword".encode()):
            self.assertEqual(self.check_password_file(content).returncode, 0, content)
        for content in (b"", b"\n", b"hunter2\nhunter2\n", b"hunter2\0", b"hunter2\r\n", b"hunter2\xff", b"hunter2" * 1000):
            done = self.check_password_file(content)
            self.assertNotEqual(done.returncode, 0, content)
            self.assertIn("DATABASE_PASSWORD_FILE", done.stderr)
            self.assertNotIn("hunter2", done.stdout + done.stderr)
        self.assertIn("needs DATABASE_URL", self.check_password_file(b"secret\n", url=None).stderr)

    def test_an_admin_token_of_ones_own_and_json_logs(self):
        token = "own-token-" + "x" * 40
        server = Server(arguments=["--log-format", "json"], MONITOR_ADMIN_TOKEN=token, MONITOR_LOG_FORMAT="text").start()
        self.addCleanup(server.end)
        self.assertEqual(Client(server.address, token).get("/v1/sessions").status, 200)
        for line in server.log.read_text().splitlines():
            self.assertIsInstance(harness.json.loads(line), dict)
        self.assertNotIn(token, server.text())

    def test_migrate(self):
        cluster = harness.Postgres().start()
        self.addCleanup(cluster.end)
        directory = harness.make_directory()
        for _ in range(2):
            done = program("migrate", MONITOR_DATA_DIR=directory, DATABASE_URL=cluster.url)
            self.assertEqual(done.returncode, 0, done)
        server = Server(DATABASE_URL=cluster.url).start()
        self.addCleanup(server.end)
        answer = Client(server.address, server.key("migrated")).request("POST", "/api/events", envelope(hook("Stop", "s")))
        self.assertEqual(answer.status, 202, answer)
        self.assertEqual(server.stop()[0], 0)
        self.assertEqual(list(server.directory.glob("**/postmaster.pid")), [], "no private cluster beside DATABASE_URL")


class Stop(unittest.IsolatedAsyncioTestCase):
    async def test_sigterm_closes_websockets_with_1001_and_exits_0(self):
        server = Server().start()
        self.addCleanup(server.end)
        url, header = f"ws://{server.address}/ws", {"Authorization": f"Bearer {server.admin}"}
        async with contextlib.AsyncExitStack() as stack:
            wires = [await stack.enter_async_context(websockets.connect(url, extra_headers=header)) for _ in range(20)]
            idle = Client(server.address)
            idle.get("/health")
            for number in (signal.SIGTERM,):
                stopping = asyncio.to_thread(server.stop, number, 15)
                task = asyncio.create_task(stopping)
                for wire in wires:
                    with self.assertRaises(websockets.ConnectionClosed):
                        while True:
                            await asyncio.wait_for(wire.recv(), 12)
                    self.assertEqual(wire.close_code, 1001)
                status, seconds = await task
            self.assertEqual(status, 0, server.text())
            self.assertLess(seconds, 10)
        self.assertIsNone(server.postmaster(), "the cluster is stopped")

    async def test_sigint_and_a_sleeping_client(self):
        """A client that answers nothing does not delay the stop."""
        server = Server().start()
        self.addCleanup(server.end)
        host, _, port = server.address.rpartition(":")
        for head in [b"", b"GET /v1/events HTTP/1.1\r\n", (
                f"GET /v1/events HTTP/1.1\r\nHost: {server.address}\r\nAccept: text/event-stream\r\n"
                f"Authorization: Bearer {server.admin}\r\n\r\n").encode(), (
                f"GET /ws HTTP/1.1\r\nHost: {server.address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                f"Authorization: Bearer {server.admin}\r\n\r\n").encode(), (
                f"POST /api/events HTTP/1.1\r\nHost: {server.address}\r\nContent-Length: 100\r\n\r\n{{").encode()]:
            sleeper = harness.socket.create_connection((host, int(port)), 5)
            self.addCleanup(sleeper.close)
            sleeper.sendall(head)
        status, seconds = await asyncio.to_thread(server.stop, signal.SIGINT)
        self.assertEqual(status, 0, server.text())
        self.assertLess(seconds, 10)

    async def test_sigterm_while_another_server_migrates(self):
        cluster = harness.Postgres().start()
        self.addCleanup(cluster.end)
        with cluster.holding("SELECT pg_advisory_lock(7305808842105970)"):
            server = Server(DATABASE_URL=cluster.url).start(ready=None)
            self.addCleanup(server.end)
            harness.wait_for(lambda: cluster.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"),
                             "the server waits for its turn")
            status, seconds = await asyncio.to_thread(server.stop)
        self.assertEqual(status, 0, server.text())
        self.assertLess(seconds, 10)


class Crash(unittest.TestCase):
    def setUp(self):
        self.server = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(self.server.end)
        self.key = self.server.key("crash")

    def post(self, *items):
        client = Client(self.server.address, self.key, timeout=15)
        try:
            return client.request("POST", "/api/events", list(items))
        finally:
            client.close()

    def test_data_outlive_stop_and_kill(self):
        chosen = session()
        first = [envelope(tool(chosen, str(i))) for i in range(10)]
        self.assertEqual(self.post(*first).status, 202)
        admin, postmaster = self.server.admin, self.server.postmaster()
        self.server.kill()
        self.assertTrue(alive(postmaster), "the cluster outlives a killed server")
        self.server.start()
        self.assertEqual(self.server.postmaster(), postmaster, "and is adopted")
        second = [envelope(tool(chosen, str(i))) for i in range(10, 20)]
        self.assertEqual(self.post(*second).status, 202)
        status, seconds = self.server.stop()
        self.assertEqual(status, 0, self.server.text())
        self.assertLess(seconds, 10)
        self.assertFalse(alive(postmaster), "the adopted cluster is stopped too")
        self.server.start()
        self.assertEqual(self.server.admin, admin)
        self.assertEqual([e["event_id"] for e in self.server.events()], [i["event_id"] for i in first + second])
        self.assertEqual(self.server.get(f"/v1/sessions/{chosen}").json["tool_call_count"], 20)

    def test_a_killed_database_is_told_and_comes_back(self):
        chosen, sent, acknowledged, refused, degraded = session(), [], set(), [], []
        postmaster, deadline = self.server.postmaster(), time.monotonic() + 40
        kill(postmaster)
        while not acknowledged or self.server.postmaster() in (None, postmaster) or sent[-1]["event_id"] not in acknowledged:
            self.assertLess(time.monotonic(), deadline, "never recovered: " + self.server.text()[-3000:])
            if not sent or sent[-1]["event_id"] in acknowledged:
                sent.append(envelope(tool(chosen, str(len(sent)))))
            answer = self.post(sent[-1])
            if answer.status == 202:
                acknowledged.add(sent[-1]["event_id"])
            else:
                self.assertEqual(answer.status, 503, answer)
                refused.append(answer)
                status, health = self.server.health()
                if status != 200:
                    degraded.append((status, health["ok"], health["status"]))
            time.sleep(0.05)
        for answer in refused:
            self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
            self.assertEqual(answer.json["error"]["type"], "service_unavailable")
        self.assertLessEqual(set(degraded), {(503, False, "degraded")})
        self.server.wait_healthy()
        self.server.wait_replayed()
        self.assertEqual([e["event_id"] for e in self.server.events()], [item["event_id"] for item in sent])
        self.assertEqual(self.server.stop()[0], 0)

    def test_killed_with_its_cluster_it_starts_again(self):
        item = envelope(tool(session()))
        self.assertEqual(self.post(item).status, 202)
        postmaster = self.server.postmaster()
        self.server.kill()
        kill(postmaster)
        wait_for(lambda: not alive(postmaster), "the postmaster is gone")
        self.server.start()
        self.assertEqual([e["event_id"] for e in self.server.events()], [item["event_id"]])
        self.assertEqual(self.post(item).json["duplicates"], 1)
