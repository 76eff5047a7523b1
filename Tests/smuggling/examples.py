#!/usr/bin/python3
"""Tests the examples in deploy/proxies in front of a real server. Only ports and certificates are replaced.

usage: examples.py [CLASS[.TEST] ...]
"""

import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))

import harness  # noqa: E402
import test_devices as devices  # noqa: E402
from harness import Server, envelope, hook, make_directory, session, wait_for  # noqa: E402
from proxies import free_port  # noqa: E402

EXAMPLES = harness.ROOT / "deploy/proxies"
SITES = {"monitor.example": "", "tools.example": "/monitor"}
# This address differs from that of the proxy, which is trusted.
CLIENT = "127.0.0.9"
# Longer than the usual timeouts of proxies, 60 seconds.
HOLD = int(os.environ.get("HOLD_SECONDS", "70"))
BASH = {"tool_name": "Bash", "tool_input": {"command": "make"}}

NGINX = """
daemon off;
user root;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    include {directory}/example;
}}
"""

APACHE = """
ServerRoot {directory}
ServerName localhost
PidFile {directory}/apache.pid
ErrorLog {directory}/error.log
Listen 127.0.0.1:{port}
User www-data
Group www-data
{modules}
Include {directory}/example
"""
APACHE_MODULES = ["mpm_event", "authz_core", "alias", "headers", "proxy", "proxy_http", "proxy_wstunnel", "rewrite",
                  "socache_shmcb", "ssl"]


def setUpModule():
    global server, key, certificates, tls
    hosts = ",".join(SITES)
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_TRUSTED_PROXIES="127.0.0.1", MONITOR_ALLOWED_HOSTS=hosts).start()
    key = server.key("behind")
    # Hooks hold prompts only if somebody can answer them.
    devices.server = server
    devices.pair("phone")
    certificates = make_directory("proxy-tls.")
    names = ",".join(f"DNS:{name}" for name in SITES)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=monitor", "-addext", f"subjectAltName={names}", "-keyout", certificates / "key.pem",
                    "-out", certificates / "fullchain.pem"], check=True, capture_output=True)
    both = (certificates / "fullchain.pem").read_text() + (certificates / "key.pem").read_text()
    (certificates / "monitor.pem").write_text(both)
    for path in (certificates, *certificates.iterdir()):
        path.chmod(0o755)
    tls = ssl.create_default_context(cafile=certificates / "fullchain.pem")
    tls.set_alpn_protocols(["http/1.1"])


def tearDownModule():
    server.end()


class Connection(http.client.HTTPSConnection):
    """A connection to a site of a proxy on loopback."""

    def __init__(self, proxy, site, timeout=30):
        super().__init__(site, context=tls, timeout=timeout)
        self.proxy = proxy

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.proxy), self.timeout, source_address=(CLIENT, 0))
        self.sock = tls.wrap_socket(plain, server_hostname=self.host)


class Example:
    """What the examples share. A subclass starts its proxy."""

    name = None

    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.directory = make_directory("proxy-example.")
        cls.directory.chmod(0o755)
        cls.log = open(cls.directory / "log", "ab")
        text = (EXAMPLES / cls.name).read_text()
        text = text.replace("/etc/ssl/monitor", str(certificates)).replace("127.0.0.1:8766", server.address)
        command = [str(part) for part in cls.command(text)]
        cls.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=cls.log, stderr=cls.log,
                                       env={**os.environ, "HOME": str(cls.directory)}, start_new_session=True)
        wait_for(cls.answers, f"{cls.name} answers")

    @classmethod
    def answers(cls):
        if cls.process.poll() is not None:
            raise AssertionError((cls.directory / "log").read_text())
        try:
            return cls.ask("GET", "/health")[0] == 200
        except OSError:
            return False

    @classmethod
    def tearDownClass(cls):
        # Caddy waits until the last of its connections ends. The workers of the others outlive a first process that is killed.
        os.killpg(cls.process.pid, signal.SIGKILL)
        cls.process.wait(20)
        cls.log.close()

    @classmethod
    def ask(cls, method, path, body=None, token=None, site="monitor.example", timeout=30, **headers):
        """Returns status, headers and body."""
        connection = Connection(cls.port, site, timeout)
        try:
            fields = {name.replace("_", "-"): value for name, value in headers.items()}
            if token:
                fields["Authorization"] = f"Bearer {token}"
            if body is not None:
                fields["Content-Type"] = "application/json"
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, ssl.SSLError):
                # A refusal may arrive before the body has been sent.
                connection.request(method, SITES[site] + path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def operator(self, path, **options):
        status, _, body = self.ask("GET", path, token=server.admin, **options)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def post(self, chosen, site, **fields):
        body = json.dumps(envelope(hook("Stop", chosen, **fields))).encode()
        return self.ask("POST", "/api/events", body, key, site=site)

    def test_the_site_and_its_app(self):
        for site in SITES:
            self.assertEqual(self.ask("GET", "/health", site=site)[0], 200)
            status, headers, body = self.ask("GET", "/", site=site, Accept="text/html")
            self.assertEqual((status, headers["content-type"].split(";")[0]), (200, "text/html"), body)
        connection = Connection(self.port, "tools.example")
        connection.request("GET", "/monitor")
        answer = connection.getresponse()
        self.assertEqual(answer.status, 308)
        self.assertTrue(answer.headers["location"].endswith("/monitor/"), answer.headers["location"])
        connection.close()

    def test_addresses_that_the_server_gives_out(self):
        for site, prefix in SITES.items():
            # The server does not believe what a client says about itself.
            info = self.operator("/api/pair/info", site=site, X_Forwarded_Proto="http", X_Forwarded_Host="evil.example",
                                 X_Forwarded_Prefix="/evil")
            self.assertEqual((info["http"], info["ws"]), (f"https://{site}{prefix}", f"wss://{site}{prefix}/ws"))

    def test_the_address_of_the_client(self):
        for site in SITES:
            status, headers, _ = self.ask("POST", "/v1/pairing", token=server.admin, site=site, X_Forwarded_For="192.0.2.1")
            self.assertEqual(status, 201)
            entries = self.operator("/v1/audit?limit=50")["data"]
            found = [entry["peer"] for entry in entries if entry["request_id"] == headers["x-request-id"]]
            self.assertEqual(found, [CLIENT])

    def test_a_websocket(self):
        for site, prefix in SITES.items():
            chosen = session()
            connection = Connection(self.port, site)
            connection.connect()
            connection.sock.sendall("\r\n".join([
                f"GET {prefix}/v1/ws?session_id={chosen} HTTP/1.1", f"Host: {site}", f"Origin: https://{site}", "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Authorization: Bearer {server.admin}",
                f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "", ""]).encode())
            received = self.read(connection.sock, b"\r\n\r\n")
            self.assertTrue(received.startswith(b"HTTP/1.1 101"), received)
            self.assertEqual(self.post(chosen, site)[0], 202)
            self.read(connection.sock, chosen.encode(), received.partition(b"\r\n\r\n")[2])
            connection.close()

    def test_an_event_stream(self):
        for site, prefix in SITES.items():
            chosen = session()
            connection = Connection(self.port, site)
            connection.connect()
            connection.sock.sendall("\r\n".join([
                f"GET {prefix}/v1/events?session_id={chosen} HTTP/1.1", f"Host: {site}", "Accept: text/event-stream",
                "Accept-Encoding: gzip", f"Authorization: Bearer {server.admin}", "", ""]).encode())
            # The head and the first line of the stream arrive before any event.
            received = self.read(connection.sock, b"\r\n\r\n")
            self.assertIn(b" 200 ", received[:20])
            self.assertEqual(self.post(chosen, site)[0], 202)
            self.read(connection.sock, b'"session_id":"' + chosen.encode(), received.partition(b"\r\n\r\n")[2])
            connection.close()

    def read(self, connection, mark, received=b""):
        """Waits at most ten seconds. Data that the proxy holds back does not arrive."""
        connection.settimeout(10)
        while mark not in received:
            piece = connection.recv(65536)
            self.assertTrue(piece, received)
            received += piece
        return received

    def test_bodies(self):
        for site in SITES:
            # Bodies with a length and in chunks: as large as the server accepts, and larger.
            body = json.dumps(envelope(hook("Stop", session(), text="x" * 3_500_000))).encode()
            self.assertEqual(self.ask("POST", "/api/events", body, key, site=site)[0], 202)
            pieces = (body[at:at + 50_000] for at in range(0, len(body), 50_000))
            status, _, answer = self.ask("POST", "/api/events", pieces, key, site=site)
            self.assertEqual((status, json.loads(answer)["duplicates"]), (202, 1), answer)
            self.assertEqual(self.ask("POST", "/api/events", b" " * (4 << 20) + body, key, site=site)[0], 413)
            self.assertEqual(self.ask("GET", "/health", site=site)[0], 200)

    def test_a_prompt_that_is_held_for_long(self):
        def hold(site):
            chosen = session()
            body = json.dumps(hook("PermissionRequest", chosen, **BASH)).encode()
            return chosen, lambda: self.ask("POST", f"/api/hooks?hold={HOLD + 60}", body, key, site=site, timeout=HOLD + 60)

        with concurrent.futures.ThreadPoolExecutor() as pool:
            start, waiting = time.monotonic(), []
            for site in SITES:
                chosen, ask = hold(site)
                waiting.append((site, chosen, pool.submit(ask)))
            # This waits for the proxy's own timeout.
            done, _ = concurrent.futures.wait([answer for *_, answer in waiting], timeout=HOLD)
            self.assertEqual([answer.result() for answer in done], [])
            self.assertGreaterEqual(time.monotonic() - start, HOLD)
            for site, chosen, answer in waiting:
                prompts = self.operator(f"/v1/prompts?session_id={chosen}", site=site)["prompts"]
                self.assertEqual([(prompt["state"], prompt["answerable"]) for prompt in prompts], [("open", True)])
                told = json.dumps({"decision": "allow"}).encode()
                path = f"/v1/prompts/{prompts[0]['id']}/answer"
                self.assertEqual(self.ask("POST", path, told, server.admin, site=site)[0], 200)
                status, _, printed = answer.result(30)
                self.assertEqual(status, 200)
                self.assertEqual(json.loads(printed)["hookSpecificOutput"]["decision"], {"behavior": "allow"})


class Nginx(Example, unittest.TestCase):
    name = "nginx.conf"

    @classmethod
    def command(cls, text):
        (cls.directory / "example").write_text(text.replace("listen 443", f"listen 127.0.0.1:{cls.port}"))
        (cls.directory / "configuration").write_text(NGINX.format(directory=cls.directory))
        return [shutil.which("nginx") or "/usr/sbin/nginx", "-p", cls.directory, "-c", cls.directory / "configuration"]


class HAProxy(Example, unittest.TestCase):
    name = "haproxy.cfg"

    @classmethod
    def command(cls, text):
        (cls.directory / "configuration").write_text(text.replace("bind :443", f"bind 127.0.0.1:{cls.port}"))
        return [shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-q", "-f", cls.directory / "configuration"]


class Caddy(Example, unittest.TestCase):
    name = "Caddyfile"

    @classmethod
    def command(cls, text):
        own = f"{{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port {cls.port}\n\tdefault_bind 127.0.0.1\n}}\n"
        (cls.directory / "Caddyfile").write_text(own + text)
        return [shutil.which("caddy") or "/usr/bin/caddy", "run", "--config", cls.directory / "Caddyfile"]


class Apache(Example, unittest.TestCase):
    name = "apache.conf"

    @classmethod
    def command(cls, text):
        built_in = subprocess.run(["/usr/sbin/apache2", "-l"], capture_output=True, text=True, check=True).stdout
        modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in APACHE_MODULES
                            if f"mod_{name}.c" not in built_in)
        (cls.directory / "example").write_text(text.replace("*:443", f"127.0.0.1:{cls.port}"))
        words = {"directory": cls.directory, "port": cls.port, "modules": modules}
        (cls.directory / "configuration").write_text(APACHE.format(**words))
        return ["/usr/sbin/apache2", "-DFOREGROUND", "-f", cls.directory / "configuration"]


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        harness.end_everything()
