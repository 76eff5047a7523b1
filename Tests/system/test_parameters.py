"""Parameters of queries: a route of /v1 refuses parameters that it does not know."""

import unittest

from harness import Server, end_everything, exchange, session
from test_http import statuses


def setUpModule():
    global server, client, document
    server = Server(MONITOR_RATE_LIMIT="off").start()
    client = server.client()
    document = client.get("/openapi.json").json


def tearDownModule():
    end_everything()


# A parameter of event streams. A list of events refuses it.
STREAMS_ONLY = {"since"}


def operations():
    """The routes of /v1, with a value for each parameter of the path, and the query parameters of each."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if path.startswith("/v1/"):
                query = [one["name"] for one in operation["parameters"] if one["in"] == "query"]
                query = [name for name in query if name not in STREAMS_ONLY]
                yield method.upper(), path.replace("{", "x").replace("}", "x"), query


class Parameters(unittest.TestCase):
    def unknown(self, answer, name):
        error = answer.json.get("error", {}) if answer.body[:1] == b"{" else {}
        return (answer.status, error.get("code"), error.get("param")) == (400, "invalid_parameter", name)

    def test_every_route_refuses_what_it_does_not_describe(self):
        for method, path, query in operations():
            with self.subTest(f"{method} {path}"):
                answer = client.request(method, f"{path}?nobody_reads_this=1")
                if path in ("/v1/logs", "/v1/metrics", "/v1/traces"):
                    # The errors of these routes have the form of OTLP.
                    self.assertEqual(answer.status, 400, answer)
                    self.assertIn(b"nobody_reads_this", answer.body)
                elif path == "/v1/ws":
                    self.assertEqual(answer.status, 426, answer)
                else:
                    self.assertTrue(self.unknown(answer, "nobody_reads_this"), answer)
                    message = answer.json["error"]["message"]
                    self.assertEqual([name for name in query if name not in message], [], "the known ones are named")

    def test_no_route_refuses_what_it_describes(self):
        for method, path, query in operations():
            if method == "GET":
                for name in query:
                    with self.subTest(f"{method} {path}", name=name):
                        answer = client.request(method, f"{path}?{name}=1")
                        self.assertNotIn(b"There is no parameter", answer.body)

    def test_names_that_say_the_same(self):
        for query in ("machine=a", "machine_id=a", "project_id=a", "workspace_id=a", "type=stop", "types=stop"):
            self.assertEqual(client.get(f"/v1/events?{query}").status, 200, query)

    def test_a_close_name_is_refused_and_the_right_one_is_told(self):
        answer = client.get("/v1/usage?time_zone=Asia/Tokyo")
        self.assertTrue(self.unknown(answer, "time_zone"), answer)
        self.assertIn("timezone", answer.json["error"]["message"])
        answer = client.get("/v1/me?limit=3")
        self.assertTrue(self.unknown(answer, "limit"), answer)
        self.assertIn("There are none here.", answer.json["error"]["message"])

    def test_a_parameter_that_comes_twice_is_refused(self):
        for query, name in (("limit=1&limit=2", "limit"), ("machine=a&machine_id=b", "machine_id"), ("order=asc&order=asc", "order")):
            self.assertTrue(self.unknown(client.get(f"/v1/events?{query}"), name), query)
        self.assertEqual(client.get("/v1/events?type=stop&types=tool&type=prompt").status, 200)

    def test_a_long_name_is_cut(self):
        answer = client.get("/v1/me?" + "n" * 500)
        self.assertEqual((answer.status, len(answer.json["error"]["param"])), (400, 64))

    def test_the_stream_has_parameters_of_its_own(self):
        for path, query, expected in [("/v1/events", "limit=5", 400), (f"/v1/sessions/{session()}/events", "order=desc", 400),
                                      ("/v1/events", "since=0&types=stop", 200)]:
            data = (f"GET {path}?{query} HTTP/1.1\r\nHost: {server.address}\r\nAccept: text/event-stream\r\n"
                    f"Authorization: Bearer {server.admin}\r\n\r\n").encode()
            received, _ = exchange(server.address, data, until_closed=False)
            self.assertEqual(statuses(received), [expected], received)
        self.assertTrue(self.unknown(client.get("/v1/events?since=0"), "since"))

    def test_a_socket_refuses_them_too(self):
        for query, expected in (("session_id=a&since=0", 101), ("session_id=a&sincee=0", 400)):
            data = (f"GET /v1/ws?{query} HTTP/1.1\r\nHost: {server.address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    f"Authorization: Bearer {server.admin}\r\n\r\n").encode()
            received, _ = exchange(server.address, data, until_closed=False)
            self.assertEqual(statuses(received), [expected], received)

    def test_other_paths_take_any(self):
        for path in ("/health?from=a-balancer", "/metrics?collect=all", "/api/pair/info?from=an-app"):
            self.assertEqual(client.get(path).status, 200, path)
