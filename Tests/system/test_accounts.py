"""Accounts of programs' users at remote MCP servers: links, logins, whose tokens a call has, and what must not succeed."""

import re
import threading
import unittest

from harness import Postgres, Server, end_everything
from issuer import Issuer
from logins import WithAccounts


def setUpModule():
    global postgres
    postgres = Postgres().start()
    WithAccounts.server = Server(DATABASE_URL=postgres.url, MONITOR_TOOL_NETWORKS="127.0.0.0/8", MONITOR_RATE_LIMIT="off",
                                 MONITOR_TOOL_CALLBACKS="https://app.example,act:").start()
    (WithAccounts.server.directory / "tools.policy").write_text("tool=greet ask=no\n")


def tearDownModule():
    end_everything()


class Links(WithAccounts):
    def test_a_link_leads_to_an_account(self):
        link, browser = self.link(), self.browser()
        id = link["connected_account_id"]
        self.assertRegex(id, r"^ca_\w{20}$")
        self.assertRegex(link["link_token"], r"^lk_\w{32}$")
        self.assertEqual(self.status(id), ("INITIALIZING", None))
        page = browser.open(link["redirect_url"])
        self.assertEqual((page.status, page.headers["cache-control"]), (200, "no-store"))
        self.assertIn("frame-ancestors 'none'", page.headers["content-security-policy"])
        self.assertEqual(page.headers["referrer-policy"], "same-origin")
        for text in (self.name, "anna", "key-"):
            self.assertIn(text.encode(), page.body)
        # Whatever fetches the page of a link does not use it up.
        self.assertEqual(self.browser().open(link["redirect_url"]).status, 200)
        location = self.leave(link, browser)
        self.assertEqual(self.status(id), ("INITIATED", None))
        back = browser.open(self.issuer.authorize(location))
        self.assertEqual(back.status, 200, back)
        self.assertEqual(self.status(id), ("ACTIVE", None))
        greeted = self.greet().json
        self.assertEqual((greeted["successful"], greeted["error"], greeted["data"]), (True, None, {"text": "hello"}))
        found = self.account(id)
        self.assertEqual((found["user_id"], found["toolkit"]), ("anna", {"slug": self.name}))
        self.assertEqual(found["auth_config"]["auth_scheme"], "DCR_OAUTH")
        self.assertEqual(found["state"]["val"], {"status": "ACTIVE", "scope": "tools"})

    def test_the_tools_are_listed_at_once(self):
        path = f"/v1/mcp/servers/{self.server_id}/tools"
        self.assertEqual(self.ask("GET", path).json["data"], [])
        self.connect()
        self.assertEqual([tool["tool"] for tool in self.ask("GET", path).json["data"]], ["greet"])
        # The operator has not logged in.
        self.assertEqual(self.ask("GET", f"/v1/mcp/servers/{self.server_id}").json["state"], "needs-auth")

    def test_a_link_counts_once(self):
        link, browser = self.link(), self.browser()
        self.leave(link, browser)
        for method, path in (("GET", ""), ("POST", "/login")):
            with self.subTest(method):
                self.assertEqual(browser.open(link["redirect_url"] + path, method).status, 404)

    def test_a_link_expires(self):
        link, browser = self.link(), self.browser()
        self.assertEqual(browser.open(link["redirect_url"]).status, 200)
        postgres.sql("UPDATE connected_accounts SET link_expires_at = now() WHERE id = '%s'" % link["connected_account_id"])
        self.assertEqual(browser.open(link["redirect_url"] + "/login", "POST").status, 404)
        self.assertEqual(self.status(link["connected_account_id"]), ("EXPIRED", "link_expired"))

    def test_no_other_site_follows_a_link(self):
        """A browser that has not opened the link's page has no cookie, and sends none with a form of another site."""
        link = self.link()
        answer = self.browser().open(link["redirect_url"] + "/login", "POST")
        self.assertEqual(answer.status, 403, answer)
        browser = self.browser()
        browser.open(link["redirect_url"])
        for origin in ("https://evil.example", "null"):
            answer = browser.open(link["redirect_url"] + "/login", "POST", Origin=origin)
            self.assertEqual(answer.status, 403, answer)
        self.leave(link, browser)

    def test_another_browser_does_not_finish(self):
        link, browser, other = self.link(), self.browser(), self.browser()
        back = self.issuer.authorize(self.leave(link, browser))
        other.open(self.link("eve")["redirect_url"])
        answer = other.open(back)
        self.assertEqual(answer.status, 403, answer)
        self.assertEqual(browser.open(back).status, 403)
        self.assertEqual(self.status(link["connected_account_id"]), ("FAILED", "other_browser"))
        self.assertEqual(self.issuer.exchanges, [])

    def test_the_answer_of_a_login_counts_once(self):
        link, browser = self.link(), self.browser()
        back = self.issuer.authorize(self.leave(link, browser))
        self.assertEqual(browser.open(back).status, 200)
        self.assertEqual(browser.open(back).status, 403)
        self.assertEqual(self.status(link["connected_account_id"]), ("ACTIVE", None))

    def test_a_refused_login(self):
        link, browser = self.link(callback_url="https://app.example/done?x=1"), self.browser()
        answer = browser.open(self.issuer.authorize(self.leave(link, browser), error="access_denied"))
        id = link["connected_account_id"]
        self.assertEqual((answer.status, answer.headers["location"]),
                         (303, f"https://app.example/done?x=1&status=failed&connected_account_id={id}"))
        self.assertEqual(self.status(id), ("FAILED", "login_refused"))

    def test_an_issuer_that_is_away(self):
        """The link counts on."""
        self.issuer.resource_changes = {"authorization_servers": ["http://127.0.0.1:1"]}
        link, browser = self.link(), self.browser()
        browser.open(link["redirect_url"])
        self.assertEqual(browser.open(link["redirect_url"] + "/login", "POST").status, 503)
        self.assertEqual(self.status(link["connected_account_id"]), ("INITIALIZING", None))
        self.issuer.resource_changes = {}
        browser.open(self.issuer.authorize(self.leave(link, browser)))
        self.assertEqual(self.status(link["connected_account_id"]), ("ACTIVE", None))

    def test_an_issuer_that_lies(self):
        self.issuer.changes = {"code_challenge_methods_supported": ["plain"]}
        link, browser = self.link(), self.browser()
        browser.open(link["redirect_url"])
        self.assertEqual(browser.open(link["redirect_url"] + "/login", "POST").status, 422)
        self.assertEqual(self.status(link["connected_account_id"]), ("FAILED", "no_pkce"))

    def test_where_browsers_go(self):
        session = self.session()
        for address, isAllowed in [
            ("https://app.example/a?b=c", True), ("act://done", True), ("com.example.app:/done", True),
            ("http://127.0.0.1:4000/x", True), ("http://localhost/x", True), ("https://evil.example/", False),
            ("https://app.example.evil.example/", False), ("https://app.example@evil.example/", False),
            ("http://app.example/", False), ("javascript:alert(1)", False), ("data:text/html,x", False),
            ("other://done", False), ("//evil.example", False), ("/path", False), ("https://app.example/#x", False),
            ("https:\\\\evil.example", False), ("https://app.example\n.evil.example", False),
        ]:
            with self.subTest(address):
                answer = self.api("POST", f"/tool_router/session/{session}/link", {"toolkit": self.name, "callback_url": address})
                self.assertEqual(answer.status, 201 if isAllowed else 400, answer)
        link, browser = self.link(callback_url="act://done"), self.browser()
        answer = browser.open(self.issuer.authorize(self.leave(link, browser)))
        self.assertEqual(answer.headers["location"],
                         f"act://done?status=success&connected_account_id={link['connected_account_id']}")

    def test_an_account_that_is_removed_during_its_login(self):
        link, browser = self.link(), self.browser()
        back = self.issuer.authorize(self.leave(link, browser))
        self.assertEqual(self.api("DELETE", f"/connected_accounts/{link['connected_account_id']}").status, 200)
        self.assertEqual(browser.open(back).status, 403)
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))


class Owners(WithAccounts):
    def test_a_call_has_the_token_of_its_user(self):
        self.connect("anna")
        self.connect("ben")
        anna, ben = [token for token in self.issuer.access]
        for user, token in (("anna", anna), ("ben", ben), ("anna", anna)):
            self.assertEqual(self.greet(user).status, 200)
            self.assertEqual(self.tokens_of_calls()[-1], token)
        self.refused(self.greet("carl"), 400, "no_active_connection")

    def test_another_key_has_no_account(self):
        id = self.connect("anna")
        _, other = self.made_key()
        self.refused(self.greet("anna", other), 400, "no_active_connection")
        self.refused(self.greet("anna", other, connected_account_id=id), 400, "no_active_connection")
        for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/revoke"), ("POST", "/refresh")):
            self.refused(self.api(method, f"/connected_accounts/{id}{path}", key=other), 404, "account_not_found")
        self.assertEqual(self.api("GET", "/connected_accounts", key=other).json["items"], [])
        self.assertEqual(self.api("GET", f"/connected_accounts?connected_account_ids={id}", key=other).json["items"], [])
        self.assertEqual(self.tokens_of_calls(), [])

    def test_another_user_has_no_account(self):
        id = self.connect("anna")
        self.refused(self.greet("ben", connected_account_id=id), 400, "no_active_connection")
        self.connect("ben")
        self.refused(self.greet("ben", connected_account_id=id), 400, "no_active_connection")
        session = self.session("ben", connected_accounts={self.name: id})
        answer = self.api("POST", f"/tool_router/session/{session}/execute", {"tool_slug": self.slug(), "arguments": {}})
        self.refused(answer, 400, "no_active_connection")
        self.assertEqual(self.tokens_of_calls(), [])

    def test_only_a_key_that_shares_it_has_the_operators_login(self):
        begun = self.ask("POST", f"/v1/mcp/servers/{self.server_id}/connect")
        browser = self.browser()
        name, _, value = begun.headers["set-cookie"].split(";")[0].partition("=")
        browser.cookies[name] = value
        self.assertEqual(browser.open(self.issuer.authorize(begun.json["authorization_url"])).status, 200)
        self.refused(self.greet(), 400, "no_active_connection")
        path = f"/v1/tools/{self.name}.greet/execute"
        client = self.server.client()
        client.credential = self.key
        self.addCleanup(client.close)
        answer = client.request("POST", path, {"arguments": {}})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "not_shared"), answer)
        self.assertEqual(self.tokens_of_calls(), [])
        _, sharing = self.made_key(shares=[self.name])
        self.assertEqual(self.greet(key=sharing).status, 200)
        client.credential = sharing
        self.assertEqual(client.request("POST", path, {"arguments": {}}).status, 200)
        self.assertEqual(len(self.tokens_of_calls()), 2)
        # A user's own account comes first.
        self.connect("anna", sharing)
        shared, own = list(self.issuer.access)
        self.greet("anna", sharing)
        self.greet("ben", sharing)
        self.assertEqual(self.tokens_of_calls()[2:], [own, shared])

    def test_headers_of_the_operator_are_not_sent(self):
        changed = self.ask("PATCH", f"/v1/mcp/servers/{self.server_id}", {"headers": {"X-Operator": "secret-of-the-operator"}})
        self.assertEqual(changed.status, 200, changed)
        self.connect()
        count = len(self.issuer.requests)
        self.assertEqual(self.greet().status, 200)
        sent = [headers for _, path, headers in self.issuer.requests[count:] if path == "/mcp"]
        self.assertTrue(sent)
        self.assertEqual([headers for headers in sent if "X-Operator" in headers], [])

    def test_removing_an_account_revokes_its_tokens(self):
        id = self.connect()
        answer = self.api("DELETE", f"/connected_accounts/{id}")
        self.assertEqual((answer.status, answer.json["success"], answer.json["revoked"]), (200, True, True))
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))
        self.refused(self.api("GET", f"/connected_accounts/{id}"), 404, "account_not_found")
        self.refused(self.greet(), 400, "no_active_connection")

    def test_the_operator_takes_an_account(self):
        id = self.connect()
        listed = self.ask("GET", f"/v1/mcp/accounts?server_id={self.server_id}").json["accounts"]
        self.assertEqual([(one["id"], one["user_id"], one["api_key_id"], one["status"]) for one in listed],
                         [(id, "anna", self.key_id, "ACTIVE")])
        answer = self.ask("DELETE", f"/v1/mcp/accounts/{id}")
        self.assertEqual((answer.status, answer.json), (200, {"id": id, "revoked": True}))
        self.assertEqual(self.status(id), ("REVOKED", "removed_by_operator"))
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))
        self.refused(self.greet(), 400, "no_active_connection")
        self.assertEqual(self.ask("DELETE", f"/v1/mcp/accounts/{id}").status, 404)

    def test_removing_a_server_revokes_all_its_tokens(self):
        self.connect("anna")
        self.connect("ben")
        self.assertEqual(self.ask("DELETE", f"/v1/mcp/servers/{self.server_id}").status, 204)
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))
        self.assertEqual(self.api("GET", "/connected_accounts").json["items"], [])


class Tokens(WithAccounts):
    def test_one_refresh_for_all_calls(self):
        self.connect()
        self.assertEqual(self.greet().status, 200)
        self.issuer.access.clear()
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.greet())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual([answer.status for answer in answers], [200] * 4, answers)
        self.assertEqual((self.issuer.refreshes, self.issuer.calls), (1, 5))

    def test_a_login_that_counts_no_more(self):
        id = self.connect()
        self.issuer.revoke_all()
        answer = self.greet()
        self.assertEqual((answer.status, answer.json["successful"]), (200, False), answer)
        self.assertIn("log in", answer.json["error"])
        self.assertEqual(self.status(id), ("EXPIRED", "refresh_refused"))
        self.refused(self.greet(), 400, "no_active_connection")
        # The new login is that of the same account.
        self.assertEqual(self.connect(), id)
        self.assertEqual(self.status(id), ("ACTIVE", None))
        self.assertTrue(self.greet().json["successful"])

    def test_a_wider_scope(self):
        id = self.connect()
        self.issuer.wanted = "write"
        answer = self.greet()
        self.assertFalse(answer.json["successful"], answer)
        self.assertIn("wider scope, for which a person must log in again: write", answer.json["error"])
        self.assertEqual(self.status(id), ("ACTIVE", "insufficient_scope"))
        link, browser = self.link(), self.browser()
        self.assertEqual(link["connected_account_id"], id)
        location = self.leave(link, browser)
        self.assertIn("scope=tools%20write", location)
        browser.open(self.issuer.authorize(location))
        self.assertEqual(self.status(id), ("ACTIVE", None))
        self.assertTrue(self.greet().json["successful"])

    def test_no_secret_is_told(self):
        link, browser = self.link(callback_url="act://done"), self.browser()
        back = browser.open(self.issuer.authorize(self.leave(link, browser)))
        self.greet()
        id = link["connected_account_id"]
        shown = str(back) + "".join(str(self.ask("GET", path)) for path in (
            "/v1/audit?limit=200", "/v1/mcp/accounts", "/metrics", f"/v1/mcp/servers/{self.server_id}", "/v1/tools/calls"))
        shown += str(self.api("GET", f"/connected_accounts/{id}")) + str(self.api("GET", "/connected_accounts"))
        shown += self.server.text() + self.dump()
        secrets = self.issuer.seen_secrets | {form["code_verifier"] for form in self.issuer.exchanges}
        for secret in secrets | {link["link_token"]} | set(browser.cookies.values()):
            self.assertNotIn(secret, shown)
            self.assertNotIn(secret.encode().hex(), shown)
        audit = self.ask("GET", "/v1/audit?limit=200").json["data"]
        actions = {entry["action"] for entry in audit if id in entry.get("object", "")}
        self.assertEqual(actions, {"account.link", "mcp.connect", "mcp.login", "tool.run"})

    @staticmethod
    def dump():
        tables = postgres.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return "\n".join(line for table in tables for line in postgres.sql(f"SELECT t::text FROM {table} AS t"))


class Programs(WithAccounts):
    """What the tool router tells programs of connections."""

    def test_a_link_by_the_auth_config(self):
        configs = self.api("GET", f"/auth_configs?toolkit_slug={self.name}").json["items"]
        self.assertEqual([(one["toolkit"]["slug"], one["status"], one["is_composio_managed"]) for one in configs],
                         [(self.name, "ENABLED", False)])
        config = configs[0]["id"]
        self.assertEqual(self.api("GET", f"/auth_configs/{config}").json["id"], config)
        made = self.api("POST", "/auth_configs", {"toolkit": {"slug": self.name}})
        self.assertEqual((made.status, made.json["auth_config"]["id"]), (201, config))
        answer = self.api("POST", "/connected_accounts/link", {"auth_config_id": config, "user_id": "anna"}, prefix="/api/v3.1")
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(sorted(answer.json), ["connectedAccountId", "connected_account_id", "expires_at", "linkToken",
                                               "link_token", "redirectUrl", "redirect_url"])
        old = self.api("POST", "/connected_accounts", {"auth_config": {"id": config}, "connection": {"user_id": "anna"}})
        self.assertEqual((old.status, old.json["status"]), (201, "INITIATED"), old)
        self.assertEqual(old.json["connectionData"]["val"]["redirectUrl"], old.json["redirect_url"])
        self.refused(self.api("POST", "/connected_accounts/link", {"auth_config_id": "ac_none", "user_id": "anna"}),
                     404, "auth_config_not_found")
        _, narrow = self.made_key(toolkits=["another"])
        self.refused(self.api("POST", "/connected_accounts/link", {"auth_config_id": config, "user_id": "anna"}, narrow),
                     404, "auth_config_not_found")

    def test_lists(self):
        ids = [self.connect(user) for user in ("anna", "ben")]
        pending = self.link("carl")["connected_account_id"]

        def listed(query=""):
            return [one["id"] for one in self.api("GET", f"/connected_accounts?{query}").json["items"]]
        self.assertEqual(listed(), [pending, ids[1], ids[0]])
        self.assertEqual(listed("user_ids=anna,carl"), [pending, ids[0]])
        self.assertEqual(listed("statuses=ACTIVE"), [ids[1], ids[0]])
        self.assertEqual(listed("statuses=INITIALIZING&user_ids=carl"), [pending])
        self.assertEqual(listed(f"toolkit_slugs={self.name}&user_ids=ben"), [ids[1]])
        self.assertEqual(listed("toolkit_slugs=none"), [])
        self.assertEqual(self.api("GET", "/connected_accounts?statuses=x").status, 400)
        page = self.api("GET", "/connected_accounts?limit=2").json
        self.assertEqual([one["id"] for one in page["items"]], [pending, ids[1]])
        self.assertEqual(listed(f"limit=2&cursor={page['next_cursor']}"), [ids[0]])

    def test_toolkits_that_need_no_login(self):
        self.issuer.mcp = lambda headers, body, mcp=self.issuer.mcp: mcp({"Authorization": f"Bearer {token}"}, body)
        token = self.issuer.made()
        self.issuer.access[token], self.issuer.scopes[token] = f"{self.issuer.url}/mcp", "tools"
        listed = self.ask("POST", "/v1/mcp/refresh", {"server_id": self.server_id})
        self.assertEqual(listed.json["servers"][0]["state"], "connected", listed)
        session = self.session()
        answer = self.api("POST", f"/tool_router/session/{session}/link", {"toolkit": self.name})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (400, 4326), answer)
        self.assertTrue(self.greet().json["successful"])

    def manage(self, session, **more):
        answer = self.api("POST", f"/tool_router/session/{session}/execute_meta",
                          {"slug": "COMPOSIO_MANAGE_CONNECTIONS", "arguments": {"toolkits": [self.name], **more}})
        self.assertEqual(answer.status, 200, answer)
        return answer.json["data"]["results"][self.name]

    def test_a_program_waits_for_its_user(self):
        session = self.session()
        managed = self.manage(session)
        self.assertEqual((managed["status"], managed["was_reinitiated"]), ("initiated", False))
        self.assertRegex(managed["redirect_url"], rf"^http://{re.escape(self.server.address)}/link/lk_\w+$")
        answers, path = [], f"/tool_router/session/{session}/execute_meta"
        body = {"slug": "COMPOSIO_WAIT_FOR_CONNECTIONS", "arguments": {"toolkits": [self.name], "timeout_seconds": 60}}
        waiting = threading.Thread(target=lambda: answers.append(self.api("POST", path, body)))
        waiting.start()
        browser, link = self.browser(), {"redirect_url": managed["redirect_url"]}
        back = self.issuer.authorize(self.leave(link, browser))
        self.assertEqual(answers, [])
        browser.open(back)
        waiting.join(30)
        self.assertEqual(answers[0].json["data"]["results"][self.name]["status"], "active", answers)
        self.assertEqual(self.manage(session)["status"], "active")
        toolkit = self.api("GET", f"/tool_router/session/{session}/toolkits").json["items"][0]
        self.assertEqual((toolkit["slug"], toolkit["connected_account"]["status"]), (self.name, "ACTIVE"))
        again = self.manage(session, reinitiate_all=True)
        self.assertEqual((again["status"], again["was_reinitiated"]), ("initiated", True))

    def test_a_wait_ends_when_a_login_fails(self):
        session, browser = self.session(), self.browser()
        link = {"redirect_url": self.manage(session)["redirect_url"]}
        answers, path = [], f"/tool_router/session/{session}/execute_meta"
        body = {"slug": "COMPOSIO_WAIT_FOR_CONNECTIONS", "arguments": {"toolkits": [self.name], "timeout_seconds": 60}}
        waiting = threading.Thread(target=lambda: answers.append(self.api("POST", path, body)))
        waiting.start()
        browser.open(self.issuer.authorize(self.leave(link, browser), error="access_denied"))
        waiting.join(30)
        self.assertEqual(answers[0].json["data"]["results"][self.name]["status"], "failed", answers)


class SeveralServers(WithAccounts):
    def test_tokens_go_to_their_own_server_only(self):
        other = Issuer()
        self.addCleanup(other.end)
        self.connect()
        name, self.name = self.name, self.name + "b"
        self.add(other, self.name)
        self.refused(self.greet(), 404, "tool_not_found")
        moved = self.ask("PATCH", f"/v1/mcp/servers/{self.server_id}", {"url": other.url + "/mcp"})
        self.assertEqual(moved.status, 200, moved)
        self.name = name
        self.refused(self.greet(), 400, "no_active_connection")
        self.assertEqual([headers for _, _, headers in other.requests if "Authorization" in headers], [])


if __name__ == "__main__":
    unittest.main()
