"""The share of the server that one key or device can use, and that others are not delayed."""

import concurrent.futures
import json
import threading
import unittest
import uuid

import test_devices as devices
from agents import Agent
from approving import Hook
from harness import Client, Postgres, Server, end_everything, envelope, hook, session, wait_for
from transcripts import Sender, Transcript


def tearDownModule():
    end_everything()


def ask(server, method, path, credential, body=None, headers=None, timeout=60):
    client = Client(server.address, credential, timeout=timeout)
    try:
        return client.request(method, path, body, headers)
    finally:
        client.close()


class Rates(unittest.TestCase):
    """Every route that needs a credential counts. The list of routes comes from the server's own document."""

    @classmethod
    def setUpClass(cls):
        # Five requests at once; the next one is allowed only after minutes.
        cls.server = devices.server = Server(MONITOR_RATE_LIMIT="0.005:5").start()
        cls.key = cls.server.key("busy")
        code = cls.server.client().request(
            "POST", "/v1/pairing", {"capabilities": ["read", "respond", "administer"]}).json["code"]
        cls.phone = Client(cls.server.address).request(
            "POST", "/v1/pairing/exchange", {"code": code, "name": "phone", "platform": "test"}).json["access_token"]
        cls.document = cls.server.get("/openapi.json").json
        for credential, method, path in ((cls.key, "POST", "/api/heartbeat"), (cls.phone, "GET", "/v1/sessions")):
            body = {"sessions": []} if method == "POST" else None
            while ask(cls.server, method, path, credential, body).status != 429:
                pass

    def routes(self):
        for path, methods in self.document["paths"].items():
            for method, route in methods.items():
                if method in ("get", "post", "put", "patch", "delete") and path not in ("/ws", "/v1/ws", "/api/agent"):
                    yield method.upper(), path, route.get("x-capability")

    def test_every_route_of_machines_counts(self):
        counted = 0
        for method, path, capability in self.routes():
            if capability == "post":
                counted += 1
                with self.subTest(f"{method} {path}"):
                    self.refused(method, path, self.key)
        self.assertGreaterEqual(counted, 12)

    def test_every_route_of_devices_counts(self):
        counted = 0
        for method, path, capability in self.routes():
            if capability in ("read", "respond", "administer"):
                counted += 1
                with self.subTest(f"{method} {path}"):
                    self.refused(method, path, self.phone)
        self.assertGreaterEqual(counted, 40)

    def refused(self, method, path, credential):
        place = path
        while "{" in place:
            place = place[:place.index("{")] + str(uuid.uuid4()) + place[place.index("}") + 1:]
        for body in (None, b"{}") if method != "GET" else (None,):
            answer = ask(self.server, method, place, credential, body)
            self.assertEqual(answer.status, 429, answer)
            self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
            self.assertEqual(answer.headers["x-ratelimit-remaining"], "0")

    def test_the_operator_and_others_are_not_limited(self):
        for _ in range(20):
            self.assertEqual(self.server.get("/v1/sessions").status, 200)
        other = self.server.key("quiet")
        self.assertEqual(ask(self.server, "POST", "/api/heartbeat", other, {"sessions": []}).status, 202)

    def test_sockets_and_streams_count(self):
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        for path, credential, headers in (("/v1/events", self.phone, {"Accept": "text/event-stream"}),
                                          ("/ws", self.phone, upgrade), ("/api/agent", self.key, upgrade)):
            self.assertEqual(ask(self.server, "GET", path, credential, headers=headers).status, 429, path)


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = devices.server = Server(MONITOR_RATE_LIMIT=None).start()
        cls.phone = devices.pair("phone")["access_token"]

    def test_each_kind_of_credential_has_its_limit(self):
        made = self.server.client().request("POST", "/v1/api-keys", {"name": "k", "capabilities": ["read"]})
        paced = self.server.client().request(
            "POST", "/v1/api-keys", {"name": "paced", "capabilities": ["read"], "requests_per_minute": 30})
        for credential, path, limit in ((self.phone, "/v1/sessions", "500"), (made.json["key"], "/v1/sessions", "500"),
                                        (paced.json["key"], "/v1/sessions", "30"), (self.server.admin, "/v1/sessions", "500")):
            answer = ask(self.server, "GET", path, credential)
            self.assertEqual((answer.status, answer.headers["x-ratelimit-limit"]), (200, limit))
        posted = ask(self.server, "POST", "/api/heartbeat", self.server.key("m"), {"sessions": []})
        self.assertEqual(posted.headers["x-ratelimit-limit"], "1000")

    def test_every_answer_to_a_credential_has_them_once(self):
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        for method, path, status, headers in (
                ("GET", "/v1/sessions", 200, None), ("GET", "/v1/none", 404, None), ("GET", "/v1/sessions/none", 404, None),
                ("PUT", "/v1/sessions", 405, None), ("GET", "/v1/sessions?x=1", 400, None),
                ("DELETE", "/v1/api-keys/1", 403, None),
                ("POST", "/v1/keys", 403, None), ("GET", "/v1/ws", 426, None), ("GET", "/v1/ws?x=1", 400, upgrade),
                ("GET", "/v1/models/gpt-4", 404, None), ("GET", "/v1/events?x=1", 400, {"Accept": "text/event-stream"})):
            with self.subTest(f"{method} {path}"):
                body = {} if method in ("POST", "PUT") else None
                answer = ask(self.server, method, path, self.phone, body, headers)
                self.assertEqual(answer.status, status, answer)
                self.assertEqual(answer.headers["x-ratelimit-limit"], "500", answer)

    def test_what_a_client_may_not_do_counts(self):
        before = int(ask(self.server, "GET", "/v1/sessions", self.phone).headers["x-ratelimit-remaining"])
        left = [int(ask(self.server, "POST", "/v1/keys", self.phone, {"name": "x"}).headers["x-ratelimit-remaining"])
                for _ in range(100)][-1]
        # A slow request gives the limit time to relax.
        self.assertLess(left, before)


class EndOfHold(unittest.TestCase):
    def test_the_end_of_a_hold_that_waits_is_taken_beyond_the_limit(self):
        server = devices.server = Server(MONITOR_RATE_LIMIT="0.005:5").start()
        self.addCleanup(server.end)
        devices.pair("phone")
        key = server.key("holding")
        waiting = Hook(server, key, session()).start()
        wait_for(lambda: [one for one in server.get("/v1/prompts?state=open").json["prompts"] if one["answerable"]], "it is held")
        while ask(server, "POST", "/api/heartbeat", key, {"sessions": []}).status != 429:
            pass
        unknown = ask(server, "DELETE", f"/api/prompts/{uuid.uuid4()}", key)
        self.assertEqual(unknown.status, 429, unknown)
        self.assertEqual(waiting.end("released").status, 204)
        self.assertEqual(waiting.wait(), {})
        # Afterwards, the server does not know it.
        self.assertEqual(waiting.end("released").status, 429)


class Shares(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Postgres().start()
        cls.server = devices.server = Server(DATABASE_URL=cls.cluster.url, MONITOR_RATE_LIMIT="off").start()
        cls.flooder, cls.quiet = cls.server.key("flooder"), cls.server.key("quiet")
        cls.phone, cls.tablet = (devices.pair(name)["access_token"] for name in ("phone", "tablet"))

    def open_prompts(self, chosen):
        return [one for one in self.server.get(f"/v1/prompts?state=open&session_id={chosen}").json["prompts"]
                if one["answerable"]]

    def test_one_machines_holds_leave_room(self):
        """The requests of one machine fill its share of 64 MiB. The hook of another machine still waits and gets its answer."""
        large = {"tool_name": "Bash", "tool_input": {"command": "echo " + "x" * 3_900_000}}
        flood = [Hook(self.server, self.flooder, session(), **large).start() for _ in range(17)]
        self.addCleanup(lambda: [one.end("released") for one in flood if not one.is_over.is_set()])
        wait_for(lambda: any(one.is_over.is_set() for one in flood), "the flood has its share", 120)
        chosen = session()
        waiting = Hook(self.server, self.quiet, chosen).start()
        prompt, = wait_for(lambda: self.open_prompts(chosen), "the other machine's prompt is held")
        answered = ask(self.server, "POST", f"/v1/prompts/{prompt['id']}/answer", self.phone, {"decision": "allow"})
        self.assertEqual(answered.status, 200, answered)
        self.assertIn("allow", json.dumps(waiting.wait()))

    def test_one_machines_transcripts_leave_room(self):
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            def upload(key):
                made = Transcript(session())
                made.user("hello")
                return Sender(self.server, key, made.session).piece(made.bytes, 0)
            with self.cluster.holding("LOCK TABLE transcript_files IN ACCESS EXCLUSIVE MODE"):
                flood = [pool.submit(upload, self.flooder) for _ in range(24)]
                # The server processes one, and eight wait.
                wait_for(lambda: sum(one.done() for one in flood) == 15, "the flood has its share")
                other = [pool.submit(upload, self.quiet) for _ in range(3)]
                wait_for(lambda: pool._work_queue.empty(), "they are sent")
            statuses = [one.result(60).status for one in flood]
            self.assertEqual([one.result(60).status for one in other], [202] * 3)
        self.assertEqual((statuses.count(202), statuses.count(503)), (9, 15))

    def test_a_devices_reads_do_not_delay_others(self):
        """16 searches and other reads of one device are blocked. Prompts can still be read and answered, and other reads
        work."""
        chosen = session()
        waiting = Hook(self.server, self.quiet, chosen).start()
        wait_for(lambda: self.open_prompts(chosen), "the prompt is held")
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            with self.cluster.holding("LOCK TABLE transcript_lines IN ACCESS EXCLUSIVE MODE"):
                searches = [pool.submit(ask, self.server, "GET", f"/v1/search?q=word{number}", self.tablet)
                            for number in range(16)]
                # All except the newest end without results.
                wait_for(lambda: sum(one.done() for one in searches) == 15, "older searches end")
                self.assertEqual({(one.result().status, one.result().json["error"]["code"]) for one in searches if one.done()},
                                 {(409, "search_replaced")})
                reads = [pool.submit(ask, self.server, "GET", f"/v1/sessions/{chosen}/messages", self.tablet)
                         for _ in range(12)]
                def running():
                    return self.cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                                            "AND application_name = 'claude-monitor reader'")
                wait_for(lambda: running() == ["2"], "the device has its share of the connections")
                for path in ("/v1/prompts?state=open", "/v1/sessions", "/v1/machines"):
                    self.assertEqual(ask(self.server, "GET", path, self.phone, timeout=8).status, 200, path)
                prompt, = self.open_prompts(chosen)
                answered = ask(self.server, "POST", f"/v1/prompts/{prompt['id']}/answer", self.phone, {"decision": "allow"},
                               timeout=8)
                self.assertEqual(answered.status, 200, answered)
                self.assertIn("allow", json.dumps(waiting.wait()))
                self.assertEqual(running(), ["2"])
            # Those that still waited when the lock was released may have reached their time limit.
            self.assertEqual(sorted(one.result(60).status for one in searches)[1:-1], [409] * 14)
            self.assertLessEqual({one.result(60).status for one in searches + reads}, {200, 409, 503})

    def test_the_sessions_of_one_agent_do_not_delay_another(self):
        """The server asks the database for messages to the sessions of each agent. An agent has the share of its machine."""
        busy, other = (Agent(self.server, key).greet() for key in (self.flooder, self.quiet))
        self.addCleanup(busy.close)
        self.addCleanup(other.close)
        mine, *flood = [str(uuid.uuid4()) for _ in range(5)]
        for chosen, key in [(mine, self.quiet)] + [(one, self.flooder) for one in flood]:
            posted = ask(self.server, "POST", "/api/events", key, envelope(hook("SessionStart", chosen)))
            self.assertEqual(posted.status, 202, posted)
        other.state(mine, "idle")
        wait_for(lambda: self.cluster.sql(f"SELECT 1 FROM session_posters WHERE session_id = '{mine}'"), "the session takes messages")
        rows = ", ".join(f"('{one}')" for one in flood)
        # Who notes one of these rows waits for the end of the transaction.
        with self.cluster.holding("INSERT INTO session_posters SELECT n.id, m.id, true, now() "
                                  f"FROM machines m, (VALUES {rows}) n (id) WHERE m.name = 'flooder'"):
            for one in flood:
                busy.state(one, "idle")
            wait_for(lambda: self.cluster.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"), "the flood waits")
            sent = ask(self.server, "POST", f"/v1/sessions/{mine}/input", self.phone, {"text": "hello"}, timeout=8)
            self.assertEqual(sent.status, 202, sent)
            self.assertEqual(other.wait_for("session/send")[0]["content"], "hello")

    def test_the_query_of_a_client_that_has_gone_ends(self):
        with self.cluster.holding("LOCK TABLE transcript_lines IN ACCESS EXCLUSIVE MODE"):
            def waits():
                return self.cluster.sql("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            client = Client(self.server.address, self.phone, timeout=60)
            thread = threading.Thread(target=lambda: self.assertRaises(Exception, client.get, "/v1/search?q=gone"))
            thread.start()
            wait_for(waits, "the search waits")
            client.connection.sock.shutdown(2)
            wait_for(lambda: not waits(), "the search is cancelled", 8)
            thread.join(10)

    def test_a_search_needs_a_word(self):
        for query in ("-w0+-w1", "-%22a+phrase%22", "word+or+-other", "%21%21", "or"):
            answer = self.server.get(f"/v1/search?q={query}")
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, "q"), query)
            self.assertIn("word", answer.json["error"]["message"])
        self.assertEqual(self.server.get("/v1/search?q=" + "+".join(["word"] * 100)).status, 400)


class Rows(unittest.TestCase):
    """The rows that a machine's requests leave in the database."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Postgres().start()
        cls.server = devices.server = Server(DATABASE_URL=cls.cluster.url, MONITOR_RATE_LIMIT="off").start()
        cls.key = cls.server.key("desk")
        cls.phone = devices.pair("phone")["access_token"]

    def poll(self, chosen, timeout=0.5):
        client = Client(self.server.address, self.key, timeout=timeout)
        try:
            return client.get(f"/api/messages?pid=17&session_id={chosen}")
        except OSError:
            return None
        finally:
            client.close()

    def posters(self, chosen):
        return self.cluster.sql(f"SELECT has_socket FROM session_posters WHERE session_id = '{chosen}'")

    def begin(self, chosen):
        posted = ask(self.server, "POST", "/api/events", self.key, envelope(hook("SessionStart", chosen)))
        self.assertEqual(posted.status, 202)

    def test_only_sessions_that_exist_have_posters(self):
        strangers = [str(uuid.uuid4()) for _ in range(20)]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            self.assertEqual(list(pool.map(self.poll, strangers)), [None] * 20)
        self.assertEqual([self.posters(one) for one in strangers], [[]] * 20)

    def test_a_session_that_begins_while_its_machine_asks_takes_messages_at_once(self):
        chosen = session()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self.poll, chosen, 60)
            self.begin(chosen)
            wait_for(lambda: self.posters(chosen) == ["t"], "the session takes messages")
            sent = ask(self.server, "POST", f"/v1/sessions/{chosen}/input", self.phone, {"text": "hello"})
            self.assertEqual(sent.status, 202, sent)
            self.assertEqual(asked.result(60).json["message"]["text"], "hello")

    def test_a_machine_has_a_thousand_posters_at_most(self):
        self.cluster.sql("INSERT INTO session_posters SELECT 'old-' || n, m.id, true, now() - n * interval '1 minute' "
                         "FROM machines m, generate_series(1, 1200) n WHERE m.name = 'desk'")
        chosen = session()
        self.begin(chosen)
        self.poll(chosen)
        counts = "SELECT count(*) FROM session_posters p JOIN machines m ON m.id = p.machine_id WHERE m.name = 'desk'"
        wait_for(lambda: self.cluster.sql(counts) == ["1000"], "the oldest are dropped")
        self.assertEqual(self.posters(chosen), ["t"])

    def test_fifty_interruptions_wait_at_most(self):
        chosen = session()
        self.begin(chosen)
        self.poll(chosen)
        wait_for(lambda: self.posters(chosen), "the session takes messages")
        def interrupt(_):
            return ask(self.server, "POST", f"/v1/sessions/{chosen}/interrupt", self.phone).status
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            statuses = list(pool.map(interrupt, range(80)))
        self.assertEqual((statuses.count(202), statuses.count(503)), (50, 30))
        # Messages have a limit of their own.
        sent = ask(self.server, "POST", f"/v1/sessions/{chosen}/input", self.phone, {"text": "hello"})
        self.assertEqual(sent.status, 202, sent)


if __name__ == "__main__":
    unittest.main()
