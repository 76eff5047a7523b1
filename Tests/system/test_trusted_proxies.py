"""What the server accepts from a trusted proxy and from nobody else; and the certificates that monitorctl trusts."""

import subprocess
import unittest

from harness import CONTROL, PATIENCE, Client, Server, end_everything, environment, make_directory, wait_for

FORWARDED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "monitor.example:8443", "X-Forwarded-Prefix": "/tools/"}


def tearDownModule():
    end_everything()


class Addresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trusting = Server(MONITOR_TRUSTED_PROXIES="127.0.0.1", MONITOR_ALLOWED_HOSTS="monitor.example").start()
        cls.other = Server(MONITOR_TRUSTED_PROXIES="10.0.0.0/8", MONITOR_ALLOWED_HOSTS="monitor.example").start()

    def info(self, server, **headers):
        answer = Client(server.address, server.admin).request("GET", "/api/pair/info", headers=headers)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["http"], answer.json["ws"]

    def test_a_proxy_says_scheme_name_and_path(self):
        self.assertEqual(self.info(self.trusting, **FORWARDED),
                         ("https://monitor.example:8443/tools", "wss://monitor.example:8443/tools/ws"))
        self.assertEqual(self.info(self.trusting, Host="monitor.example", **{"X-Forwarded-Proto": "https"}),
                         ("https://monitor.example", "wss://monitor.example/ws"))
        made = Client(self.trusting.address, self.trusting.admin).request("POST", "/v1/pairing", headers=FORWARDED)
        self.assertEqual((made.status, made.json["url"]), (201, "https://monitor.example:8443/tools"))

    def test_nobody_else_does(self):
        plain = (f"http://{self.other.address}", f"ws://{self.other.address}/ws")
        self.assertEqual(self.info(self.other, **FORWARDED), plain)
        self.assertEqual(self.info(self.other), plain)

    def test_what_a_client_wrote_before_the_proxy_does_not_count(self):
        plain = f"http://{self.trusting.address}"
        self.assertEqual(self.info(self.trusting, **{"X-Forwarded-Proto": "https, http"})[0], plain)
        for name in ("evil.example", "monitor.example, evil.example", "a b", ""):
            self.assertEqual(self.info(self.trusting, **{"X-Forwarded-Host": name})[0], plain, name)
        for prefix in ("//evil.example", "/../a", "/a?b", "a", "/" + "a" * 300):
            self.assertEqual(self.info(self.trusting, **{"X-Forwarded-Prefix": prefix})[0], plain, prefix)

    def test_a_page_of_the_forwarded_name_is_the_servers_own(self):
        def status(server, **headers):
            headers = {"Origin": "https://monitor.example:8443", **headers}
            return Client(server.address).request("GET", "/health", headers=headers).status
        self.assertEqual(status(self.trusting), 403)
        self.assertEqual(status(self.trusting, **FORWARDED), 200)
        self.assertEqual(status(self.other, **FORWARDED), 403)

    def test_a_page_without_tls_is_foreign_where_the_proxy_speaks_tls(self):
        def status(origin, scheme):
            headers = {"Host": "monitor.example", "X-Forwarded-Proto": scheme, "Origin": f"{origin}://monitor.example"}
            return Client(self.trusting.address).request("GET", "/health", headers=headers).status
        found = {(origin, scheme): status(origin, scheme) for origin in ("http", "https") for scheme in ("http", "https")}
        self.assertEqual({pair for pair, code in found.items() if code == 200}, {("http", "http"), ("https", "https")})
        self.assertEqual(set(found.values()), {200, 403})

    def test_browsers_are_told_to_keep_to_tls_where_the_host_is_the_servers_own(self):
        def told(server, **headers):
            answer = Client(server.address).request("GET", "/health", headers={"Host": "monitor.example", **headers})
            self.assertEqual(answer.status, 200, answer)
            return "strict-transport-security" in answer.headers
        self.assertTrue(told(self.trusting, **{"X-Forwarded-Proto": "https"}))
        for headers in ({}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/tools"}):
            self.assertFalse(told(self.trusting, **headers), headers)
        self.assertFalse(told(self.other, **{"X-Forwarded-Proto": "https"}))

    def test_the_answer_to_another_name_says_where_names_are_set(self):
        answer = Client(self.other.address).request("GET", "/health", headers={"Host": "nobody.example"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (421, "host_not_allowed"))
        self.assertIn("MONITOR_ALLOWED_HOSTS", answer.json["error"]["message"])


class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = make_directory("ca-file.")
        cls.own, cls.foreign, cls.empty = directory / "own.pem", directory / "foreign.pem", directory / "empty.pem"
        for path in (cls.own, cls.foreign):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-out", path,
                            "-keyout", path.with_suffix(".key")], check=True, capture_output=True)
        cls.empty.write_text("none\n")
        cls.server = Server(MONITOR_TLS_CERT=cls.own, MONITOR_TLS_KEY=cls.own.with_suffix(".key")).start(ready="listening")
        wait_for(lambda: cls.control("health", "--ca-file", str(cls.own)).returncode == 0, "the server is healthy")

    @classmethod
    def control(cls, *arguments, **settings):
        return subprocess.run(
            [CONTROL, *arguments], text=True, capture_output=True, timeout=PATIENCE, cwd="/",
            env=environment(**{"MONITOR_URL": f"https://{cls.server.address}", "MONITOR_DATA_DIR": cls.server.directory, **settings}))

    def test_the_file_is_trusted(self):
        for arguments, settings in ((["--ca-file", str(self.own)], {}), ([], {"MONITOR_CA_FILE": self.own})):
            done = self.control("key", "list", *arguments, **settings)
            self.assertEqual(done.returncode, 0, done)
        done = self.control("events", "--ca-file", str(self.own), "--last", "1")
        self.assertEqual(done.returncode, 0, done)

    def test_nothing_else_is(self):
        for arguments in ([], ["--ca-file", str(self.foreign)]):
            done = self.control("key", "list", *arguments)
            self.assertEqual(done.returncode, 3, done)
            self.assertIn("--ca-file", done.stderr)

    def test_a_file_without_certificates_is_refused(self):
        for path in (self.empty, "/nonexistent.pem"):
            done = self.control("key", "list", "--ca-file", str(path))
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(str(path), done.stderr)
