"""HTTP on raw sockets: framing that allows smuggling, pipelines, slow and unusual clients."""

import contextlib
import json
import re
import select
import socket
import time
import unittest

import harness
from harness import Client, Server, envelope, exchange, hook, receive, session

SMUGGLED = b"GET /v1/smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("raw")


def tearDownModule():
    server.end()


class RawCase(unittest.TestCase):
    def tearDown(self):
        """If one test breaks the server, that test fails, and the others do not."""
        if server.health()[0] != 200:
            log = server.text()[-800:]
            server.kill()
            server.settings["MONITOR_LISTEN"] = server.address
            server.start()
            self.fail("the server is not healthy any more: " + log)


def request(method="GET", path="/health", body=b"", host=True, version="HTTP/1.1", end="\r\n", **fields):
    """The bytes of a request. A `_` in a field name becomes a `-`. A list of values gives the field several times."""
    lines = [f"{method} {path} {version}"] + ([f"Host: {server.address}"] if host else [])
    for name, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            lines.append(f"{name.replace('_', '-')}: {value}")
    return (end.join(lines) + end * 2).encode("latin-1") + body


def post(body=None, **fields):
    if body is None:
        body = json.dumps(envelope(hook("Stop", "raw"))).encode()
    fields = {"x_api_key": key, "Content_Type": "application/json", "Content_Length": len(body), **fields}
    return request("POST", "/api/events", body, **{k: v for k, v in fields.items() if v is not None})


def statuses(received):
    return [int(found) for found in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]


class Framing(RawCase):
    """Two parsers of one request must never disagree about its end."""

    def refused(self, data, allowed=(400, 411, 413, 501)):
        received, closed = exchange(server.address, data, 8)
        found = statuses(received)
        self.assertTrue(closed, ("left open", data[:200], received))
        self.assertLessEqual(len(found), 1, ("answered twice", data, received))
        self.assertNotIn(b"smuggled", received)
        if found:
            self.assertIn(found[0], allowed, (data[:200], received))
            if found[0] in (400, 411, 413, 501) and b"\r\n\r\n{" in received:
                self.assertEqual(json.loads(received.partition(b"\r\n\r\n")[2])["error"]["status"], found[0])
        return found

    def count(self):
        return len(server.events("session_id=raw&limit=200"))

    def test_every_transfer_coding_but_chunked_is_refused(self):
        data = b"5\r\nhello\r\n0\r\n\r\n" + SMUGGLED
        for value in ["identity", "gzip, chunked", "xchunked", "chunked, identity", "chunked, chunked", ["chunked", "chunked"], ""]:
            with self.subTest(value):
                self.assertEqual(self.refused(post(data, Content_Length=None, Transfer_Encoding=value)), [400])
        old = post(data, Content_Length=None, Transfer_Encoding="chunked").replace(b"HTTP/1.1", b"HTTP/1.0", 1)
        self.assertEqual(self.refused(old), [400])

    def test_chunks_that_readers_understand_differently_are_refused(self):
        for data in [b"5\nhello\n0\n\n", b"05\r\nhello\r\n0\r\n\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n",
                     b"5;a\nb\r\nhello\r\n0\r\n\r\n", b"5\r\nhello!\r\n0\r\n\r\n", b"-1\r\n\r\n", b"100000005\r\nhello\r\n0\r\n\r\n",
                     b"0\r\nGET / HTTP/1.1\r\n\r\n", b"0\r\nX: " + b"y" * 9000 + b"\r\n\r\n", b"00\r\n\r\n"]:
            with self.subTest(data[:40]):
                self.assertEqual(self.refused(post(data + SMUGGLED, Content_Length=None, Transfer_Encoding="chunked")), [400])

    def test_length_and_transfer_encoding_together_are_refused(self):
        for fields in [{"Content_Length": 4, "Transfer_Encoding": "chunked"}, {"Transfer_Encoding": "chunked", "Content_Length": 4}]:
            with self.subTest(fields):
                self.assertTrue(self.refused(post(b"0\r\n\r\n" + SMUGGLED, **fields)))

    def test_a_name_that_begins_a_known_one_hides_no_line(self):
        """libwebsockets loses the line after such a name, and would read the body as the next request."""
        for name in ["X", "If", "Con", "Head", "Proxy", "X-Forwarded", "Content", "Content-", "Transfer", "Sec-WebSocket"]:
            for method in ["GET", "POST"]:
                with self.subTest(name=name, method=method):
                    data = request(method, "/health", SMUGGLED, **{name: "y", "Content_Length": len(SMUGGLED)})
                    received, _ = exchange(server.address, data, 3, until_closed=False)
                    self.assertEqual(len(statuses(received)), 1, received)

    def test_two_lengths_are_refused(self):
        for values in [[3, 5], [5, 3], [2, 2], [0, 40]]:
            with self.subTest(values):
                self.assertTrue(self.refused(post(b"{}" + SMUGGLED, Content_Length=values)))

    def test_lengths_that_are_no_plain_numbers_are_refused(self):
        for value in ["3abc", "+3", "-1", "0x3", "3.0", "3,5", "3, 3", "3 3", "", " ", "١", "1_0", "99999999999999999999",
                      "18446744073709551616", "00000000000000000003", "3;", '"3"', "3e0"]:
            with self.subTest(value):
                data = post(b"{}" + b" " + SMUGGLED, Content_Length=None).replace(
                    b"\r\n\r\n", b"\r\nContent-Length: " + value.encode() + b"\r\n\r\n", 1)
                self.refused(data)

    def test_a_space_before_the_colon_is_refused(self):
        for name in ["Transfer-Encoding : chunked", "Content-Length : 44", "Transfer-Encoding\t: chunked"]:
            with self.subTest(name):
                data = post(b"0\r\n\r\n" + SMUGGLED, Content_Length=None).replace(
                    b"\r\n\r\n", b"\r\n" + name.encode() + b"\r\n\r\n", 1)
                self.refused(data)
                self.refused(post(b"{}").replace(b"\r\n\r\n", b"\r\n" + name.encode() + b"\r\n\r\n", 1) + SMUGGLED)

    def test_a_post_without_a_length_is_refused(self):
        found = self.refused(post(b"{}", Content_Length=None), (411, 400))
        self.assertEqual(found, [411])

    def test_a_get_with_a_body_is_not_two_requests(self):
        for fields in [{"Content_Length": len(SMUGGLED)}, {"Transfer_Encoding": "chunked"}]:
            with self.subTest(fields):
                received, _ = exchange(server.address, request(body=SMUGGLED, Connection="close", **fields), 8)
                self.assertLessEqual(len(statuses(received)), 1, received)
                self.assertNotIn(b"smuggled", received)

    def test_a_health_check_of_http_1_0_names_no_host(self):
        """HAProxy sends it like this without further settings. If the request has a Host header, the server checks it."""
        for line, status in ((b"", b"200"), (b"Host: \r\n", b"400"), (b"Host: evil.example\r\n", b"421"),
                             (b"Origin: http://evil.example\r\n", b"403")):
            answer, _ = exchange(server.address, b"GET /health HTTP/1.0\r\n" + line + b"\r\n")
            self.assertEqual(statuses(answer), [int(status)], line)

    def test_host_is_required_and_single(self):
        self.assertEqual(self.refused(request(host=False), (400, 421)), [400])
        for data in [request(Host="127.0.0.1"), request(host=False, Host=""), request(host=False, Host="a b"),
                     request(host=False, Host=["127.0.0.1", "evil.example"])]:
            with self.subTest(data):
                received, _ = exchange(server.address, data, 3, until_closed=False)
                self.assertNotIn(200, statuses(received), received)

    def test_broken_request_lines(self):
        for line in [b"GET\r\n\r\n", b"GET /health\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00" * 100,
                     b"GET /health HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"SSH-2.0-OpenSSH\r\n", b"A" * 100_000, b"\r\n" * 5000,
                     b"GET http://evil.example/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                     b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"]:
            with self.subTest(line[:30]):
                received, _ = exchange(server.address, line, 1, until_closed=False)
                self.assertNotIn(b'"healthy"', received)
                self.assertEqual(server.health()[0], 200)

    def test_headers_too_large_are_refused(self):
        for data in [request(X_Large="x" * 70_000), request(**{f"X-{n}": "y" * 50 for n in range(2000)}),
                     request(path="/v1/events?" + "z" * 40_000)]:
            received, closed = exchange(server.address, data, 8)
            self.assertTrue(closed)
            self.assertNotIn(200, statuses(received))
        self.assertEqual(exchange(server.address, request(X_Large="x" * 6000, Connection="close"))[0][:12], b"HTTP/1.1 200")

    def test_refused_posts_left_nothing_behind(self):
        """Posts that were refused store no events."""
        before = self.count()
        self.test_two_lengths_are_refused()
        self.test_length_and_transfer_encoding_together_are_refused()
        self.assertEqual(self.count(), before)


class Connections(RawCase):
    def connect(self, **options):
        host, _, port = server.address.rpartition(":")
        connection = socket.create_connection((host, int(port)), options.get("timeout", 10))
        self.addCleanup(connection.close)
        return connection

    def test_pipelined_requests_are_answered_in_order(self):
        received, closed = exchange(server.address, request(path="/nope-1") + request() + request(path="/nope-2")
                                    + request(Connection="close"), 8)
        self.assertEqual((statuses(received), closed), ([404, 200, 404, 200], True))
        received, closed = exchange(server.address, post() + request() + request(Connection="close"), 8)
        self.assertEqual((statuses(received), closed), ([202, 200, 200], True))

    def test_a_pipelined_post_is_answered_or_left_to_be_sent_again(self):
        """RFC 9112, section 9.3.2: a client sends the requests again that have no answer when the connection closes. It must
        never get a wrong answer."""
        chosen = session()
        items = [envelope(hook("Stop", chosen)) for _ in range(10)]
        left, rounds = list(items), 0
        while left:
            rounds += 1
            self.assertLessEqual(rounds, len(items))
            received, closed = exchange(server.address, b"".join(post(json.dumps(item).encode()) for item in left), 4)
            found = statuses(received)
            self.assertTrue(closed or len(found) == len(left))
            self.assertTrue(found)
            self.assertEqual(set(found), {202})
            del left[:len(found)]
        self.assertEqual([e["event_id"] for e in server.events(f"session_id={chosen}&limit=200")],
                         [item["event_id"] for item in items])
        for mixed, expected in [([request(path="/nope-1"), post(), request()], [404, 202, 200]),
                                ([request(), post(), post(), request(path="/nope-2")], [200, 202, 202, 404])]:
            received, closed = exchange(server.address, b"".join(mixed), 4)
            self.assertEqual(statuses(received), expected[:len(statuses(received))])
            self.assertTrue(closed or len(statuses(received)) == len(expected))

    def test_pipelines_with_bodies_where_none_is_wanted(self):
        for middle in [request(body=b"abcdef", Content_Length=6), request("POST", "/health", b"abcdef", Content_Length=6),
                       post(x_api_key="wrong"), post(b"{"), request("DELETE", "/health")]:
            with self.subTest(middle[:40]):
                received, _ = exchange(server.address, request() + middle + request(Connection="close"), 8)
                self.assertEqual(statuses(received)[:1], [200])
                self.assertEqual(server.health()[0], 200)

    def test_keep_alive_is_reused(self):
        client = Client(server.address, key)
        client.request("POST", "/api/events", envelope(hook("Stop", "raw")))
        before = client.connection.sock.getsockname()
        for _ in range(100):
            self.assertEqual(client.request("POST", "/api/events", envelope(hook("Stop", "raw"))).status, 202)
        self.assertEqual(client.connection.sock.getsockname(), before)

    def test_connection_close_is_obeyed(self):
        received, closed = exchange(server.address, request(Connection="close"), 5)
        self.assertEqual((statuses(received), closed), ([200], True))
        received, closed = exchange(server.address, request(version="HTTP/1.0"), 5)
        self.assertEqual((statuses(received), closed), ([200], True))

    def test_head_has_no_body(self):
        for path in ["/health", "/nope", "/v1/sessions"]:
            with self.subTest(path):
                received, _ = exchange(server.address, request("HEAD", path, Connection="close",
                                                               Authorization=f"Bearer {server.admin}"), 5)
                head, _, body = received.partition(b"\r\n\r\n")
                self.assertEqual(body, b"")
                self.assertNotIn(b"HTTP/1.1 5", head)
        received, _ = exchange(server.address, request("HEAD", "/health", Connection="close"), 5)
        self.assertIn(statuses(received)[0], (200, 405))

    def test_unknown_methods(self):
        for method in ["BREW", "TRACE", "OPTIONS", "PATCH"]:
            with self.subTest(method):
                received, _ = exchange(server.address, request(method, Connection="close"), 6)
                self.assertTrue(not received or statuses(received)[0] in (204, 400, 403, 404, 405, 411, 501), received)
                self.assertNotIn(b"TRACE /", received)

    def test_an_offer_of_h2c_is_ignored(self):
        """RFC 9110 allows that. The server reads nothing after the request, because a proxy may believe that it is in the other
        protocol."""
        fields = {"Upgrade": "h2c", "HTTP2_Settings": "AAMAAABkAAQCAAAAAAIAAAAA", "Connection": "Upgrade, HTTP2-Settings"}
        received, closed = exchange(server.address, request(**fields) + SMUGGLED)
        self.assertEqual((statuses(received), closed), ([200], True), received)
        body = json.dumps(envelope(hook("Stop", "raw"))).encode()
        received, closed = exchange(server.address, post(body, **fields) + SMUGGLED)
        self.assertEqual((statuses(received), closed), ([202], True), received)
        refused = post(b"2\r\n{}\r\n0\r\n\r\n", Transfer_Encoding="chunked", Content_Length=2, **fields)
        self.assertEqual(statuses(exchange(server.address, refused + SMUGGLED)[0]), [400])
        self.assertEqual(statuses(exchange(server.address, request(path="/ws", **fields))[0]), [426])

    def test_no_other_upgrade_is_granted(self):
        settings = "AAMAAABkAAQCAAAAAAIAAAAA"
        for fields in [{"Upgrade": "h2c", "HTTP2_Settings": settings, "Connection": "Upgrade, HTTP2-Settings"},
                       {"Upgrade": "foo", "Connection": "Upgrade"}, {"Upgrade": "TLS/1.0", "Connection": "Upgrade"},
                       {"Upgrade": "websocket, h2c", "Connection": "Upgrade"}, {"Upgrade": "", "Connection": "Upgrade"}]:
            for path in ["/health", "/ws", "/v1/events"]:
                for _ in range(5):
                    received, _ = exchange(server.address, request(path=path, Authorization=f"Bearer {server.admin}", **fields),
                                           2, until_closed=False)
                    self.assertNotIn(b" 101 ", received[:20])
        received, _ = exchange(server.address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0", 2, until_closed=False)
        self.assertNotIn(b"\0\0\0\4", received)
        self.assertEqual(server.health()[0], 200)

    def test_expect_continue_is_answered_before_the_body(self):
        connection, body = self.connect(), json.dumps(envelope(hook("Stop", "raw"))).encode()
        connection.sendall(post(b"", Content_Length=len(body), Expect="100-continue"))
        self.assertTrue(select.select([connection], [], [], 5)[0], "no 100 Continue")
        first = connection.recv(1000)
        self.assertTrue(first.startswith(b"HTTP/1.1 100"), first)
        connection.sendall(body)
        self.assertEqual(statuses(receive(connection, 2)[0]), [202])

    def test_a_refusal_comes_before_the_body(self):
        received, closed = exchange(server.address, post(b"", Content_Length=3_000_000, x_api_key="wrong"), 8)
        self.assertEqual((statuses(received), closed), ([401], True))

    def test_a_refused_body_is_not_the_next_request(self):
        received, _ = exchange(server.address, post(SMUGGLED, x_api_key="wrong"), 8)
        self.assertEqual(statuses(received), [401])
        self.assertNotIn(b"smuggled", received)

    def test_slow_headers_end(self):
        """A client that sends its header byte by byte is cut off in time, and delays nobody."""
        connection, start = self.connect(), time.monotonic()
        data = request(X_Slow="s" * 400)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for at in range(len(data)):
                connection.sendall(data[at:at + 1])
                if select.select([connection], [], [], 0.3)[0]:
                    if not connection.recv(1000):
                        break
                    break
                self.assertLess(time.monotonic() - start, 40, "never ended")
                if at % 10 == 0:
                    self.assertEqual(server.health()[0], 200)

    def test_a_slow_body_ends(self):
        connection, start = self.connect(), time.monotonic()
        connection.sendall(post(b"", Content_Length=100_000))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while True:
                connection.sendall(b" ")
                if select.select([connection], [], [], 0.3)[0]:
                    break
                self.assertLess(time.monotonic() - start, 40, "never ended")

    def test_body_split_at_every_place(self):
        body = json.dumps(envelope(hook("Stop", "raw", x="é😀"))).encode()
        whole = post(body, Connection="close")
        for at in [1, 5, whole.index(b"\r\n\r\n") + 2, whole.index(b"\r\n\r\n") + 4, len(whole) - len(body) + 1, len(whole) - 1]:
            connection = self.connect()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(whole[:at])
            select.select([connection], [], [], 0.02)
            connection.sendall(whole[at:])
            self.assertEqual(statuses(receive(connection, 8)[0]), [202])

    def test_many_idle_connections_hold_up_nobody(self):
        idle = [self.connect() for _ in range(300)]
        for connection in idle[::2]:
            connection.sendall(b"POST /api/events HTTP/1.1\r\n")
        self.assertEqual(Client(server.address, key).request("POST", "/api/events", envelope(hook("Stop", "raw"))).status, 202)

    def test_listening_on_a_unix_socket_and_several_addresses(self):
        directory = harness.make_directory()
        other = Server(MONITOR_LISTEN=f"127.0.0.1:0,unix:{directory}/s").start()
        self.addCleanup(other.end)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(f"{directory}/s")
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertEqual(statuses(receive(connection, 5)[0]), [200])


class Headers(RawCase):
    def test_answers_are_safe_for_browsers(self):
        answer = server.get("/v1/sessions")
        self.assertEqual(answer.headers.get("x-content-type-options"), "nosniff")
        self.assertRegex(answer.headers.get("cache-control", ""), "no-store|private, no-cache")
        self.assertNotIn("access-control-allow-origin", server.get("/v1/sessions", Origin="https://evil.example").headers)

    def test_a_request_id_cannot_be_injected(self):
        answer = server.get("/health", **{"X-Request-Id": "a\tb<script>"})
        self.assertNotIn("<", answer.headers["x-request-id"])

    def test_header_values_with_odd_bytes(self):
        for value in [b"\xff\xfe", b"\x01", b"a\x00b", b"\x7f"]:
            data = request(Connection="close").replace(b"\r\n\r\n", b"\r\nX-Odd: " + value + b"\r\n\r\n")
            received, _ = exchange(server.address, data, 5, until_closed=False)
            self.assertTrue(not received or statuses(received)[0] in (200, 400, 403), received)
        self.assertEqual(server.health()[0], 200)
