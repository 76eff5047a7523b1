"""Who may do what: credentials, keys, limits, and the shape of every refusal."""

import json
import re
import unittest

import harness
from harness import Client, Server, envelope, hook, session

READS = ["/v1/sessions", "/v1/sessions/x", "/v1/sessions/x/events", "/v1/sessions/stats", "/v1/events", "/v1/machines",
         "/v1/keys", "/metrics"]
POSTS = ["/api/events", "/api/hooks", "/events", "/api/hooks/event"]
TYPES = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
         405: "invalid_request_error", 413: "invalid_request_error", 429: "rate_limit_error",
         503: "service_unavailable"}


def setUpModule():
    global server, key
    server = Server(MONITOR_LOG_LEVEL="trace").start()
    key = server.key("access")


def tearDownModule():
    server.end()


class AccessCase(unittest.TestCase):
    def refused(self, answer, status, code=None):
        self.assertEqual(answer.status, status, answer)
        self.assertTrue(answer.headers.get("x-request-id"), answer)
        self.assertIn("application/json", answer.headers["content-type"])
        error = answer.json["error"]
        self.assertLessEqual({"type", "code", "message", "param", "status", "request_id"}, set(error), answer)
        self.assertEqual(error["status"], status)
        self.assertEqual(error["request_id"], answer.headers["x-request-id"])
        self.assertEqual(error["type"], TYPES.get(status, error["type"]))
        self.assertTrue(error["message"])
        if code:
            self.assertEqual(error["code"], code)
        return error


class Credentials(AccessCase):
    def test_reads_without_a_credential_are_401(self):
        for path in READS:
            with self.subTest(path):
                self.refused(Client(server.address).get(path), 401)

    def test_posts_without_a_credential_are_401(self):
        for path in POSTS + ["/v1/keys"]:
            with self.subTest(path):
                self.refused(Client(server.address).request("POST", path, {}), 401)

    def test_a_wrong_credential_is_401_everywhere(self):
        wrong = ["nonsense", "cmk_" + "a" * 36, key[:-1] + ("a" if key[-1] != "a" else "b"), key + "x", key[:-1],
                 server.admin[:-1], server.admin + "x", "x" * 3000]
        for path in READS[:8]:
            for credential in wrong:
                with self.subTest(path, credential=credential[:10]):
                    self.refused(Client(server.address, credential).get(path), 401)

    def test_odd_authorization_headers_are_401(self):
        for value in ["Bearer", "Bearer ", "Basic " + server.admin, server.admin, "Bearer  ", "bearer\tx", ","]:
            with self.subTest(value[:12]):
                self.refused(Client(server.address).get("/v1/sessions", Authorization=value), 401)

    def test_the_scheme_is_case_insensitive(self):
        answer = Client(server.address).get("/v1/sessions", Authorization="bearer " + server.admin)
        self.assertEqual(answer.status, 200, answer)

    def test_x_api_key_is_as_good_as_bearer(self):
        self.assertEqual(Client(server.address).request(
            "GET", "/v1/sessions", headers={"x-api-key": server.admin}).status, 200)
        answer = Client(server.address).request(
            "POST", "/api/events", envelope(hook("Stop", session())), {"x-api-key": key})
        self.assertEqual(answer.status, 202, answer)

    def test_a_machine_key_reads_nothing(self):
        for path in ["/v1/sessions", "/v1/sessions/x", "/v1/sessions/x/events", "/v1/sessions/stats", "/v1/events",
                     "/v1/machines", "/v1/keys", "/metrics"]:
            with self.subTest(path):
                self.refused(Client(server.address, key).get(path), 403)

    def test_a_machine_key_does_not_administer(self):
        self.refused(Client(server.address, key).request("POST", "/v1/keys", {"name": "mine"}), 403)
        self.refused(Client(server.address, key).request("DELETE", "/v1/keys/1"), 403)

    def test_the_admin_may_do_everything(self):
        for path in ["/v1/sessions", "/v1/sessions/stats", "/v1/events", "/v1/machines", "/v1/keys", "/metrics"]:
            with self.subTest(path):
                self.assertEqual(server.get(path).status, 200)
        answer = server.client().request("POST", "/api/events", envelope(hook("Stop", session())))
        self.assertEqual(answer.status, 202, answer)
        answer = server.client().request("POST", "/api/hooks", hook("Stop", session()))
        self.assertEqual(answer.status, 200, answer)

    def test_health_needs_no_credential_and_says_no_secret(self):
        answer = Client(server.address).get("/health")
        self.assertEqual(answer.status, 200)
        self.assertNotIn(server.admin, answer.body.decode())

    def test_a_credential_in_the_query_counts_for_nothing(self):
        for name in ["api_key", "key", "token", "access_token", "x-api-key", "authorization"]:
            with self.subTest(name):
                self.refused(Client(server.address).get(f"/v1/sessions?{name}={server.admin}"), 401)
                self.refused(Client(server.address).request(
                    "POST", f"/api/events?{name}={key}", envelope(hook("Stop", session()))), 401)

    def test_an_odd_spelling_of_a_path_is_no_way_around(self):
        for path in ["//v1/events", "/v1//events", "/v1/./events", "/x/../v1/events", "/v1/%65vents", "/V1/events",
                     "/v1/events/", "/v1/events;x", "/health/../v1/events", "/health?/../v1/events"]:
            with self.subTest(path):
                answer = Client(server.address).get(path)
                self.assertNotIn(b'"seq"', answer.body)
                self.assertTrue(answer.status in (401, 404, 400) or path.startswith("/health?"), answer)

    def test_loopback_headers_give_nothing(self):
        answer = Client(server.address).request("GET", "/v1/sessions", headers={
            "X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=127.0.0.1"})
        self.refused(answer, 401)

    def test_the_key_says_which_machine_it_is(self):
        """The session belongs to the machine of the key, whatever name the machine gives itself."""
        chosen = session()
        Client(server.address, key).request(
            "POST", "/api/events", envelope(hook("UserPromptSubmit", chosen, prompt="x"), machine_id="somebody-else"))
        found = server.get(f"/v1/sessions/{chosen}").json
        self.assertIn("access", (found["machine_name"], found["machine_id"]), found)


class Envelopes(AccessCase):
    def test_an_unknown_path_is_404_in_full(self):
        for path in ["/nope", "/v1", "/v1/nope", "/api", "/v1/sessions/stats/x",
                     "/%2e%2e/etc/passwd", "/../../etc/passwd", "/v1/sessions/x/nope", "/ws/x", "/health/x"]:
            with self.subTest(path):
                self.refused(server.get(path), 404)

    def test_an_unknown_session_is_404_in_full(self):
        self.refused(server.get("/v1/sessions/none-such"), 404, "session_not_found")
        self.refused(server.get("/v1/sessions/none-such/events"), 404, "session_not_found")

    def test_the_wrong_method_is_405_with_allow(self):
        for method, path in [("GET", "/api/events"), ("PUT", "/api/events"), ("DELETE", "/v1/events"),
                             ("POST", "/v1/sessions/stats"), ("POST", "/health"), ("GET", "/api/hooks"),
                             ("PATCH", "/v1/keys")]:
            with self.subTest(method + path):
                answer = server.client().request(method, path, b"" if method != "GET" else None)
                self.refused(answer, 405)
                self.assertTrue(answer.headers.get("allow"), answer)

    def test_request_ids_differ(self):
        seen = {server.get("/v1/sessions").headers["x-request-id"] for _ in range(20)}
        self.assertEqual(len(seen), 20)

    def test_bad_parameters_are_400_and_name_the_parameter(self):
        for query in ["limit=0", "limit=-1", "limit=abc", "limit=99999999999999999999", "cursor=zzz"]:
            for path in ["/v1/events", "/v1/sessions"]:
                with self.subTest(path + query):
                    error = self.refused(server.get(f"{path}?{query}"), 400)
                    self.assertEqual(error["param"], query.partition("=")[0])
        for query in ["page=0", "page=x", "per_page=0&page=1", "per_page=-1"]:
            with self.subTest(query):
                self.refused(server.get(f"/v1/sessions?{query}"), 400)

    def test_a_message_never_holds_a_query_or_a_stack(self):
        for path in ["/v1/events?cursor=';select", "/v1/sessions/'%20or%201=1--", "/v1/sessions/%ff",
                     "/v1/sessions?machine='%22", "/v1/sessions?status=%27"]:
            with self.subTest(path):
                answer = server.get(path)
                self.assertLess(answer.status, 500, answer)
                self.assertNotRegex(answer.body.decode().lower(), r"select .*from|\.swift|postgres|syntax error")


class Keys(AccessCase):
    def test_create_prints_the_key_alone(self):
        done = server.control("key", "create", "printed")
        self.assertRegex(done.stdout, r"\Acmk_[0-9A-Za-z]{36}\n\Z")
        self.assertNotIn(done.stdout.strip(), done.stderr)
        server.keys.append(done.stdout.strip())

    def test_list_names_keys_without_telling_them(self):
        made = server.key("listed")
        text = server.control("key", "list").stdout
        self.assertIn("listed", text)
        self.assertNotIn(made, text)
        found = json.loads(server.control("key", "list", "--json").stdout)
        self.assertIn("listed", [entry["name"] for entry in found["keys"]])
        self.assertNotIn(made, json.dumps(found))

    def test_a_revoked_key_is_refused_within_five_seconds(self):
        made, chosen = server.key("revoked"), session()
        client = Client(server.address, made)
        self.assertEqual(client.request("POST", "/api/events", envelope(hook("Stop", chosen))).status, 202)
        server.control("key", "revoke", "revoked")
        harness.wait_for(lambda: client.request("POST", "/api/events", envelope(hook("Stop", chosen))).status == 401,
                         "the revoked key is refused", 5)
        self.refused(client.request("POST", "/api/hooks", hook("Stop", chosen)), 401)
        self.assertIn("revoked", server.control("key", "list").stdout)

    def test_revoking_what_is_not_there_fails(self):
        self.assertNotEqual(server.control("key", "revoke", "none-such", check=False).returncode, 0)

    def test_control_without_the_admin_token_fails_and_says_why(self):
        done = server.control("key", "list", check=False, MONITOR_DATA_DIR="/nonexistent")
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue(done.stderr.strip())
        done = server.control("key", "list", check=False, MONITOR_ADMIN_TOKEN="wrong")
        self.assertNotEqual(done.returncode, 0)

    def test_names_are_bounded_and_harmless(self):
        for name in ["", "x" * 5000, "a\nb", None, 3]:
            with self.subTest(repr(name)[:20]):
                self.refused(server.client().request("POST", "/v1/keys", {"name": name}), 400)

    def test_a_name_with_odd_characters_comes_back_as_it_was(self):
        name = "büro ' \" <b> 日本"
        answer = server.client().request("POST", "/v1/keys", {"name": name})
        self.assertEqual(answer.status, 201, answer)
        server.keys.append(answer.json["key"])
        self.assertIn(name, [entry["name"] for entry in server.get("/v1/keys").json["keys"]])


class RateLimit(AccessCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(MONITOR_RATE_LIMIT="5:10").start()

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def test_beyond_the_burst_it_is_429_with_all_headers(self):
        client = Client(self.server.address, self.server.key("limited"))
        answers = [client.request("POST", "/api/events", envelope(hook("Stop", "limited"))) for _ in range(20)]
        statuses = [answer.status for answer in answers]
        self.assertEqual(statuses[:10], [202] * 10)
        self.assertIn(429, statuses)
        limited = answers[statuses.index(429)]
        error = self.refused(limited, 429)
        self.assertGreaterEqual(int(limited.headers["retry-after"]), 1)
        self.assertGreater(error["retry_after"], 0)
        for answer in answers:
            for name in ["limit", "remaining", "reset", "reset-after"]:
                self.assertRegex(answer.headers.get(f"x-ratelimit-{name}", ""), r"^\d+$", answer)
        self.assertEqual(limited.headers["x-ratelimit-remaining"], "0")
        accepted = [int(a.headers["x-ratelimit-remaining"]) for a in answers[:10]]
        # Of ten in a burst. Slow requests give the limit time to relax.
        for place, left in enumerate(accepted):
            self.assertTrue(9 - place <= left <= 9, accepted)
        harness.wait_for(lambda: client.request(
            "POST", "/api/events", envelope(hook("Stop", "limited"))).status == 202, "the limit relaxes", 5, pause=0.2)

    def test_another_key_has_a_limit_of_its_own(self):
        one, other = (Client(self.server.address, self.server.key(name)) for name in ("one", "other"))
        for _ in range(15):
            last = one.request("POST", "/api/hooks", hook("Stop", "limited"))
        self.assertEqual(last.status, 429, last)
        self.assertEqual(other.request("POST", "/api/hooks", hook("Stop", "limited")).status, 200)


class ZSecrets(AccessCase):
    """These tests run last in this file: no secret that the other tests sent may be in a log."""

    def test_no_secret_reaches_the_log(self):
        text = server.text()
        self.assertTrue(text)
        for secret in [server.admin, *server.keys]:
            self.assertFalse(secret in text, "a secret is in the log")
            self.assertFalse(secret[:24] in text, "most of a secret is in the log")

    def test_no_secret_is_on_disk_in_the_clear(self):
        for path in server.directory.glob("*"):
            if path.is_file() and path.name != "admin.token":
                self.assertFalse(re.search(r"cmk_[0-9A-Za-z]{36}", path.read_text(errors="replace")), path.name)
