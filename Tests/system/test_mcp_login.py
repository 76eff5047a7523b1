"""Logins by OAuth 2.1 at remote MCP servers, from the address that the page opens to the tokens, and what must not succeed."""

import base64
import re
import shutil
import threading
import unittest
import urllib.parse
import uuid

from harness import Client, Postgres, Server, end_everything, make_directory
from issuer import Issuer


def setUpModule():
    global postgres, server
    postgres = Postgres().start()
    server = Server(DATABASE_URL=postgres.url, MONITOR_TOOL_NETWORKS="127.0.0.0/8").start()


def tearDownModule():
    end_everything()


class WithIssuer(unittest.TestCase):
    def setUp(self):
        self.issuer = Issuer()
        self.addCleanup(self.issuer.end)
        self.server_id = self.add(self.issuer)

    def add(self, issuer):
        self.name = "r" + uuid.uuid4().hex[:12]
        answer = self.ask("POST", "/v1/mcp/servers", {"name": self.name, "url": issuer.url + "/mcp"})
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]

    def path(self, what="connection", of=None):
        return f"/v1/mcp/servers/{of or self.server_id}/{what}"

    def ask(self, method, path, body=None, at=None, **headers):
        client = (at or server).client()
        self.addCleanup(client.close)
        return client.request(method, path, body, headers)

    def begin(self, body=None, of=None, **headers):
        """The address of the login, and the cookie of the browser."""
        answer = self.ask("POST", self.path("connect", of), body, **headers)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["authorization_url"], answer.headers["set-cookie"].split(";")[0]

    def come_back(self, address, cookie=None):
        """A browser opens the address."""
        url = urllib.parse.urlsplit(address)
        client = Client(server.address)
        self.addCleanup(client.close)
        return client.get(f"{url.path}?{url.query}", **({"Cookie": cookie} if cookie else {}))

    def log_in(self):
        location, cookie = self.begin()
        answer = self.come_back(self.issuer.authorize(location), cookie)
        self.assertEqual(answer.status, 200, answer)
        return answer

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)

    def not_connected(self):
        self.refused(self.ask("GET", self.path()), 404, "not_connected")


class Logins(WithIssuer):
    def test_a_login_connects_the_server(self):
        self.not_connected()
        location, cookie = self.begin()
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        self.assertTrue(location.startswith(self.issuer.url + "/authorize?"))
        self.assertEqual((query["response_type"], query["code_challenge_method"]), ("code", "S256"))
        self.assertEqual((query["resource"], query["scope"]), (self.issuer.url + "/mcp", "tools"))
        self.assertEqual(query["redirect_uri"], f"http://{server.address}/oauth/callback")
        self.assertNotIn("code_verifier", query)
        answer = self.come_back(self.issuer.authorize(location), cookie)
        self.assertEqual(answer.status, 200, answer)
        self.assertIn("text/html", answer.headers["content-type"])
        self.assertIn("frame-ancestors 'none'", answer.headers["content-security-policy"])
        self.assertEqual((answer.headers["referrer-policy"], answer.headers["cache-control"]), ("no-referrer", "no-store"))
        found = self.ask("GET", self.path()).json
        self.assertEqual((found["state"], found["issuer"], found["resource"]),
                         ("connected", self.issuer.url, self.issuer.url + "/mcp"))
        self.assertEqual((found["scope"], found["connected_by"]), ("tools", "admin"))
        self.assertEqual(self.issuer.exchanges[0]["resource"], self.issuer.url + "/mcp")

    def test_the_cookie_is_that_of_one_browser(self):
        answer = self.ask("POST", self.path("connect"))
        name, *attributes = answer.headers["set-cookie"].split("; ")
        self.assertRegex(name, rf"^monitor_oauth_{server.address.rpartition(':')[2]}=[\w-]{{43}}$")
        self.assertEqual(attributes, ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax"])
        again = self.ask("POST", self.path("connect"), Cookie=name)
        self.assertEqual(again.headers["set-cookie"].split("; ")[0], name)
        other = self.ask("POST", self.path("connect"))
        self.assertNotEqual(other.headers["set-cookie"].split("; ")[0], name)

    def test_a_server_registers_once(self):
        self.log_in()
        self.log_in()
        self.assertEqual(len(self.issuer.clients), 1)
        wish = self.issuer.clients["client-1"]
        self.assertEqual((wish["application_type"], wish["token_endpoint_auth_method"]), ("native", "none"))

    def test_a_client_that_a_person_has_registered(self):
        self.issuer.changes = {"registration_endpoint": None}
        self.refused(self.ask("POST", self.path("connect")), 422, "no_registration")
        location, cookie = self.begin({"client_id": "mine", "client_secret": "my/secret", "scope": "a b"})
        self.assertIn("client_id=mine&", location)
        self.assertIn("scope=a%20b", location)
        self.assertNotIn("secret", location)
        # The issuer of this test takes only clients without a secret, so the login fails there, by the secret in the header.
        answer = self.come_back(self.issuer.authorize(location), cookie)
        self.assertEqual(answer.status, 403)
        sent = [headers for _, path, headers in self.issuer.requests if path == "/token"][0]["Authorization"]
        self.assertEqual(base64.b64decode(sent.removeprefix("Basic ")).decode(), "mine:my%2Fsecret")

    def test_disconnecting_revokes_the_tokens(self):
        self.log_in()
        answer = self.ask("DELETE", self.path())
        self.assertEqual((answer.status, answer.json), (200, {"server_id": self.server_id, "revoked": True}))
        self.assertEqual([form["token_type_hint"] for form in self.issuer.revoked], ["refresh_token", "access_token"])
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))
        self.not_connected()
        self.refused(self.ask("DELETE", self.path()), 404, "not_connected")

    def test_removing_a_server_revokes_its_tokens(self):
        self.log_in()
        self.assertEqual(self.ask("DELETE", f"/v1/mcp/servers/{self.server_id}").status, 204)
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))

    def test_there_must_be_such_a_server(self):
        self.refused(self.ask("POST", self.path("connect", "mcp_none")), 404, "mcp_server_not_found")

    def test_only_an_address_that_leads_here_begins_a_login(self):
        answer = self.ask("POST", self.path("connect"), Host=f"192.0.2.1:{server.address.rpartition(':')[2]}")
        self.assertNotEqual(answer.status, 200)


class Attacks(WithIssuer):
    def test_an_answer_counts_once(self):
        location, cookie = self.begin()
        back = self.issuer.authorize(location)
        self.assertEqual(self.come_back(back, cookie).status, 200)
        self.assertEqual(self.come_back(back, cookie).status, 403)
        self.assertEqual(len(self.issuer.exchanges), 1)

    def test_another_browser_does_not_finish_a_login(self):
        for cookie in (None, "of another login"):
            with self.subTest(cookie=cookie):
                location, own = self.begin()
                other = cookie and self.begin()[1]
                back = self.issuer.authorize(location)
                answer = self.come_back(back, other)
                self.assertEqual(answer.status, 403, answer)
                self.assertIn(b"another browser", answer.body)
                # The state is used up, also for the right browser.
                self.assertEqual(self.come_back(back, own).status, 403)
        self.assertEqual(self.issuer.exchanges, [])
        self.not_connected()

    def test_the_answer_of_another_issuer(self):
        other = Issuer()
        self.addCleanup(other.end)
        location, cookie = self.begin()
        answer = self.come_back(other.authorize(location), cookie)
        self.assertEqual(answer.status, 403, answer)
        self.assertEqual((self.issuer.exchanges, other.exchanges), ([], []))
        location, cookie = self.begin()
        other.names_issuer = False
        self.assertEqual(self.come_back(other.authorize(location), cookie).status, 403)
        self.assertEqual((self.issuer.exchanges, other.exchanges), ([], []))

    def test_a_code_of_another_login(self):
        """The code of another person's login is of no use: the verifier does not fit."""
        location, _ = self.begin()
        stolen = urllib.parse.parse_qs(urllib.parse.urlsplit(self.issuer.authorize(location)).query)["code"][0]
        location, cookie = self.begin()
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["state"][0]
        back = urllib.parse.urlencode({"state": state, "code": stolen, "iss": self.issuer.url})
        self.assertEqual(self.come_back(f"/oauth/callback?{back}", cookie).status, 403)
        self.not_connected()

    def test_documents_that_lie(self):
        other = Issuer()
        self.addCleanup(other.end)
        cases = [({"issuer": other.url}, {}, "issuer_mismatch"), ({"issuer": None}, {}, "issuer_mismatch"),
                 ({"code_challenge_methods_supported": None}, {}, "no_pkce"),
                 ({"code_challenge_methods_supported": ["plain"]}, {}, "no_pkce"),
                 ({"token_endpoint": other.url + "/token"}, {}, "foreign_endpoint"),
                 ({"authorization_endpoint": other.url + "/authorize"}, {}, "foreign_endpoint"),
                 ({"registration_endpoint": other.url + "/register"}, {}, "foreign_endpoint"),
                 ({"authorization_endpoint": "javascript:alert(1)"}, {}, "malformed_metadata"),
                 ({}, {"resource": other.url + "/mcp"}, "foreign_resource"),
                 ({}, {"authorization_servers": []}, "malformed_metadata"),
                 ({}, {"authorization_servers": ["file:///etc/passwd"]}, "malformed_metadata"),
                 # The other issuer's own metadata is good, but its login does not bring tokens for this resource.
                 ({}, {"authorization_servers": [other.url + "/x"]}, "no_server_metadata")]
        for changes, resource_changes, code in cases:
            with self.subTest(changes=changes, resource=resource_changes):
                self.issuer.changes, self.issuer.resource_changes = changes, resource_changes
                self.refused(self.ask("POST", self.path("connect")), 422, code)
        self.assertEqual((self.issuer.clients, other.clients), ({}, {}))

    def test_an_origin_that_a_person_names_may_have_endpoints(self):
        other = Issuer()
        self.addCleanup(other.end)
        self.issuer.changes = {"token_endpoint": other.url + "/token"}
        location, cookie = self.begin({"trusted_origins": [other.url]})
        self.come_back(self.issuer.authorize(location), cookie)
        self.assertEqual(len(other.exchanges), 1)

    def test_private_addresses_only_where_they_are_listed(self):
        for address in ("http://10.0.0.1", "https://169.254.169.254", "http://[::1]:9"):
            with self.subTest(address):
                self.issuer.resource_changes = {"authorization_servers": [address]}
                self.refused(self.ask("POST", self.path("connect")), 503, "unreachable")

    def test_no_page_takes_hostile_text(self):
        location, cookie = self.begin()
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["state"][0]
        query = urllib.parse.urlencode({"state": state, "error": "<script>", "error_description": "<img src=x>",
                                        "iss": self.issuer.url})
        answer = self.come_back(f"/oauth/callback?{query}", cookie)
        self.assertEqual(answer.status, 403)
        self.assertNotRegex(answer.body, rb"<script|<img")


class ToolCalls(WithIssuer):
    """With the tokens of a login, tools are listed and run."""

    def setUp(self):
        super().setUp()
        (server.directory / "tools.policy").write_text("tool=greet ask=no\n")
        self.addCleanup((server.directory / "tools.policy").unlink)
        made = self.ask("POST", "/v1/api-keys", {"name": f"key-{uuid.uuid4()}", "capabilities": ["tools", "read"],
                                                    "shares": [self.name]})
        self.key = made.json["key"]

    def listed(self):
        answer = self.ask("POST", "/v1/mcp/refresh", {"server_id": self.server_id})
        self.assertEqual(answer.status, 200, answer)
        return answer.json["servers"][0]["state"]

    def call(self):
        client = Client(server.address, self.key)
        try:
            return client.request("POST", f"/v1/tools/{self.name}.greet/execute", {"arguments": {}})
        finally:
            client.close()

    def greeted(self):
        answer = self.call()
        self.assertEqual((answer.status, answer.json.get("content")), (200, [{"type": "text", "text": "hello"}]), answer)

    def test_a_tool_runs_after_the_login(self):
        self.assertEqual(self.listed(), "needs-auth")
        self.log_in()
        self.assertEqual(self.listed(), "connected")
        self.greeted()
        self.assertEqual((self.issuer.calls, self.issuer.refreshes), (1, 0))

    def test_a_token_is_refreshed_before_it_expires(self):
        self.issuer.lifetime = 30
        self.log_in()
        # The tools are listed after the login.
        self.issuer.lifetime, refreshes = 3600, self.issuer.refreshes
        self.assertEqual(self.listed(), "connected")
        self.greeted()
        self.assertEqual(self.issuer.refreshes, refreshes + 1)

    def test_a_revoked_token_is_refreshed_once_for_all_calls(self):
        self.log_in()
        self.assertEqual(self.listed(), "connected")
        self.issuer.access.clear()
        # One caller has four calls of a server at a time.
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.call())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual([answer.status for answer in answers], [200] * 4, answers)
        self.assertEqual((self.issuer.refreshes, self.issuer.calls), (1, 4))

    def test_a_login_that_is_revoked_must_be_repeated(self):
        self.log_in()
        self.assertEqual(self.listed(), "connected")
        self.issuer.revoke_all()
        self.assertEqual(self.call().status, 502)
        found = self.ask("GET", self.path()).json
        self.assertEqual((found["state"], found["reason"]), ("needs_login", "refresh_refused"))
        self.assertEqual(self.listed(), "needs-auth")
        self.log_in()
        self.assertEqual(self.listed(), "connected")
        self.greeted()

    def test_the_token_of_one_server_is_not_sent_to_another(self):
        self.log_in()
        other = Issuer()
        self.addCleanup(other.end)
        self.server_id = self.add(other)
        self.assertEqual(self.listed(), "needs-auth")
        self.assertEqual([headers for _, _, headers in other.requests if "Authorization" in headers], [])


class Secrets(WithIssuer):
    """Tokens are nowhere but in memory and, sealed, in the database."""

    def dump(self):
        tables = postgres.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return "\n".join(line for table in tables for line in postgres.sql(f"SELECT t::text FROM {table} AS t"))

    def test_no_secret_is_told(self):
        shown = self.log_in().body.decode()
        shown += "".join(str(self.ask("GET", path)) for path in (
            self.path(), "/v1/audit?limit=200", "/v1/secrets/keys", "/metrics", "/health"))
        shown += server.text() + self.dump()
        verifiers = {form["code_verifier"] for form in self.issuer.exchanges}
        for secret in self.issuer.seen_secrets | verifiers:
            self.assertNotIn(secret, shown)
            self.assertNotIn(secret.encode().hex(), shown)
        keys = (server.directory / "secrets.key").read_text().split()
        self.assertEqual((server.directory / "secrets.key").stat().st_mode & 0o777, 0o600)
        for key in keys:
            self.assertNotIn(key, shown)
            self.assertNotIn(base64.urlsafe_b64decode(key + "=").hex(), shown)

    def test_a_rotation_seals_all_anew(self):
        self.log_in()
        before = (server.directory / "secrets.key").read_text()
        rows = f"SELECT access_token, refresh_token FROM oauth_connections WHERE server_id = '{self.server_id}'"
        sealed = postgres.sql(rows)
        done = server.control("secrets", "rotate").stdout
        self.assertRegex(done, r"^\d+ secrets sealed with [\w-]{11}; removed [\w-]{11}\n$")
        self.assertNotEqual(postgres.sql(rows), sealed)
        self.assertNotEqual((server.directory / "secrets.key").read_text(), before)
        self.assertRegex(server.control("secrets", "keys").stdout, r"current")
        # The tokens still open: their issuer gets them.
        self.assertTrue(self.ask("DELETE", self.path()).json["revoked"])

    def test_a_server_without_the_keys_does_not_start(self):
        self.log_in()
        other = Server(DATABASE_URL=postgres.url).start(ready=None)
        self.assertEqual(other.process.wait(30), 1)
        self.assertRegex(other.text(), r"secrets\.key lacks the keys? ")
        directory = make_directory()
        shutil.copy(server.directory / "secrets.key", directory)
        second = Server(directory, DATABASE_URL=postgres.url, MONITOR_TOOL_NETWORKS="127.0.0.0/8").start()
        self.addCleanup(second.end)
        answer = self.ask("DELETE", self.path(), at=second)
        self.assertEqual((answer.status, answer.json["revoked"]), (200, True))

    def test_a_key_that_the_file_has_lost_is_not_replaced(self):
        self.log_in()
        file = server.directory / "secrets.key"
        kept = file.read_text()
        file.unlink()
        try:
            for command in ("prepare", "rotate"):
                done = server.control("secrets", command, check=False)
                self.assertNotEqual(done.returncode, 0, done)
            self.assertFalse(file.exists())
        finally:
            file.write_text(kept)
            file.chmod(0o600)
        self.assertTrue(self.ask("DELETE", self.path()).json["revoked"])

    def test_a_prepared_key_is_the_next_one(self):
        self.log_in()
        made = server.control("secrets", "prepare").stdout
        key = re.fullmatch(r"prepared ([\w-]{11})\n", made)[1]
        self.assertEqual(server.control("secrets", "prepare").stdout, made)
        self.assertIn(f"sealed with {key}; removed", server.control("secrets", "rotate").stdout)


class PublicAddress(WithIssuer):
    """A server that browsers reach by https, through a proxy."""

    @classmethod
    def setUpClass(cls):
        directory = make_directory()
        keys = server.directory / "secrets.key"
        if keys.exists():
            shutil.copy(keys, directory)
        cls.public = Server(directory, DATABASE_URL=postgres.url, MONITOR_TOOL_NETWORKS="127.0.0.0/8",
                            MONITOR_PUBLIC_URL="https://monitor.example/base/").start()
        cls.addClassCleanup(cls.public.end)

    def test_the_browser_comes_back_by_https(self):
        answer = self.ask("POST", self.path("connect"), at=self.public)
        self.assertEqual(answer.status, 200, answer)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.json["authorization_url"]).query))
        self.assertEqual(query["redirect_uri"], "https://monitor.example/base/oauth/callback")
        self.assertRegex(answer.headers["set-cookie"],
                         r"^__Host-monitor_oauth=[\w-]{43}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$")
        self.assertEqual(self.issuer.clients["client-1"]["application_type"], "web")

    def test_the_server_describes_itself(self):
        self.issuer.changes = {"client_id_metadata_document_supported": True}
        answer = self.ask("POST", self.path("connect"), at=self.public)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.json["authorization_url"]).query))
        self.assertEqual(query["client_id"], "https://monitor.example/base/oauth/client.json")
        self.assertEqual(self.issuer.clients, {})
        document = self.ask("GET", "/oauth/client.json", at=self.public).json
        self.assertEqual(document["client_id"], query["client_id"])
        self.assertEqual(document["redirect_uris"], [query["redirect_uri"]])


if __name__ == "__main__":
    unittest.main()
