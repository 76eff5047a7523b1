#!/usr/bin/python3
"""Tests the server behind a real HAProxy and a real nginx, which share their connections to it among all clients.

A stranger sends requests that hide a second request after a header that a lenient parser loses. If the server accepted the hidden
request, the operator's next request would complete it with the operator's token, and delete a machine key.

usage: proxies.py
"""

import contextlib
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))

import harness  # noqa: E402
from harness import Client, Server, exchange, make_directory, wait_for  # noqa: E402

HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 20s
    timeout server 20s
frontend front
    bind 127.0.0.1:{port}
    default_backend back
backend back
    http-reuse {reuse}
    option forwardfor
    server monitor {address} {options}
"""

NGINX = """
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    upstream monitor {{ server {address}; keepalive 1; }}
    server {{
        listen 127.0.0.1:{port};
        ignore_invalid_headers off;
        location / {{
            proxy_pass http://monitor;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
}}
"""

# Prefixes of known header names. libwebsockets 4.1.6 loses the line after most of them.
NAMES = ["X", "If", "Con", "Head", "Proxy", "X-Forwarded", "Content", "A", "Acc", "Transfer", "Sec-WebSocket", "Up", "C", "T"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Proxy:
    """A proxy in front of a server, on a free port of loopback."""

    def __init__(self, server, kind, reuse="always", options=""):
        directory = make_directory("proxy-test.")
        self.address = f"127.0.0.1:{free_port()}"
        words = {"port": self.address.rpartition(":")[2], "address": server.address, "directory": directory,
                 "reuse": reuse, "options": options}
        configuration = directory / "configuration"
        if kind == "haproxy":
            configuration.write_text(HAPROXY.format(**words))
            command = [shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-q", "-f", configuration]
        else:
            configuration.write_text(NGINX.format(**words))
            command = [shutil.which("nginx") or "/usr/sbin/nginx", "-p", directory, "-c", configuration]
        self.log = open(directory / "log", "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_for(self.answers, f"{kind} answers")

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(pathlib.Path(self.log.name).read_text())
        with contextlib.suppress(OSError):
            return Client(self.address, timeout=5).get("/health").status == 200

    def end(self):
        self.process.terminate()
        self.process.wait(10)
        self.log.close()


class Smuggling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(MONITOR_RATE_LIMIT="off", MONITOR_TRUSTED_PROXIES="127.0.0.1").start()

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def attack(self, proxy, name):
        """True if the operator's request got the operator's answer, and the key still exists."""
        self.server.control("key", "create", "victim", check=False)
        operator = Client(proxy.address, self.server.admin)
        self.assertEqual(operator.get("/v1/keys").status, 200)
        hidden = "DELETE /v1/keys/victim HTTP/1.1\r\nX-Ignore: "
        data = (f"GET /health HTTP/1.1\r\nHost: {proxy.address}\r\n{name}: y\r\nContent-Length: {len(hidden)}\r\n\r\n"
                + hidden).encode()
        received, _ = exchange(proxy.address, data, 3, until_closed=False)
        self.assertLessEqual(received.count(b"HTTP/1.1 200"), 1, name)
        for _ in range(2):
            answer = operator.get("/v1/keys")
            self.assertEqual(answer.status, 200, (name, answer))
            self.assertIn("victim", answer.body.decode(), name)
        operator.close()

    # A lenient parser takes each of these for the end of a chunked body, and the rest for the next request.
    CHUNKED = ["Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n0\r\n\r\n{hidden}",
               "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{hidden}",
               "Transfer-Encoding: xchunked\r\nContent-Length: {length}\r\n\r\n0\r\n\r\n{hidden}",
               "Transfer-Encoding:\x0bchunked\r\nContent-Length: {length}\r\n\r\n0\r\n\r\n{hidden}",
               "Transfer-Encoding: chunked\r\n\r\n{size};a\nb\r\n{hidden}\r\n0\r\n\r\n",
               "Transfer-Encoding: chunked\r\n\r\n0{size}\r\n{hidden}\r\n0\r\n\r\n",
               "Transfer-Encoding: chunked\r\n\r\n{size} \r\n{hidden}\r\n0\r\n\r\n",
               "Transfer-Encoding: chunked\r\n\r\n1\r\nZ\n0\r\n\r\n{hidden}",
               "Transfer-Encoding: chunked\r\n\r\n{size}\r\n{hidden}\r\n0\r\n\r\n",
               "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n{hidden}"]

    def attack_in_chunks(self, proxy, form):
        """The same attack, with the hidden request in a chunked body or after it."""
        self.server.control("key", "create", "victim", check=False)
        operator = Client(proxy.address, self.server.admin)
        self.assertEqual(operator.get("/v1/keys").status, 200)
        hidden = "DELETE /v1/keys/victim HTTP/1.1\r\nX-Ignore: "
        body = form.format(hidden=hidden, size=f"{len(hidden):x}", length=len(hidden) + 5)
        received, _ = exchange(proxy.address, f"POST /health HTTP/1.1\r\nHost: {proxy.address}\r\n{body}".encode("latin-1"), 3,
                               until_closed=False)
        self.assertNotIn(b"key_not_found", received, form)
        for _ in range(2):
            answer = operator.get("/v1/keys")
            self.assertEqual(answer.status, 200, (form, answer))
            self.assertIn("victim", answer.body.decode(), form)
        operator.close()

    def run_all(self, kind, **options):
        proxy = Proxy(self.server, kind, **options)
        try:
            for name in NAMES:
                with self.subTest(name=name):
                    self.attack(proxy, name)
            for form in self.CHUNKED:
                with self.subTest(form=form):
                    self.attack_in_chunks(proxy, form)
        finally:
            proxy.end()

    def test_haproxy_that_always_reuses(self):
        self.run_all("haproxy")

    def test_haproxy_as_it_comes(self):
        self.run_all("haproxy", reuse="safe")

    def test_nginx_with_kept_connections(self):
        self.run_all("nginx")


class Addresses(unittest.TestCase):
    """The address that the server takes for the client's, behind a proxy."""

    def test_the_proxy_protocol(self):
        server = Server(MONITOR_TRUSTED_PROXIES="127.0.0.1", MONITOR_PROXY_PROTOCOL="on")
        server.start(ready="listening")
        for options in ("send-proxy", "send-proxy-v2"):
            proxy = Proxy(server, "haproxy", options=options)
            try:
                self.assertEqual(Client(proxy.address, server.admin).get("/v1/keys").status, 200)
            finally:
                proxy.end()
        # A listener that expects the PROXY protocol accepts no other connections.
        received, _ = exchange(server.address, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 5)
        self.assertNotIn(b" 200 ", received)
        server.end()


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        harness.end_everything()
