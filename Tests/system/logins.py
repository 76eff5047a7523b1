"""Users of programs that log in at a remote MCP server by links of the tool router, as their browsers do it."""

import unittest
import urllib.parse
import uuid

from harness import Client
from issuer import Issuer


class Browser:
    """Keeps the cookies of one server, and follows no redirects by itself."""

    def __init__(self, address):
        self.client, self.cookies = Client(address), {}

    def open(self, address, method="GET", **headers):
        url = urllib.parse.urlsplit(address)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = self.client.request(method, url.path + ("?" + url.query if url.query else ""), None, headers)
        if "set-cookie" in answer.headers:
            name, _, value = answer.headers["set-cookie"].split(";")[0].partition("=")
            self.cookies[name] = value
        return answer


class WithAccounts(unittest.TestCase):
    """A remote server that asks for logins, and a key that may use it. `server` is the monitor's."""

    server = None

    def setUp(self):
        self.issuer = Issuer()
        self.addCleanup(self.issuer.end)
        self.name = "r" + uuid.uuid4().hex[:12]
        self.server_id = self.add(self.issuer, self.name)
        self.key_id, self.key = self.made_key()

    def add(self, issuer, name):
        answer = self.ask("POST", "/v1/mcp/servers", {"name": name, "url": issuer.url + "/mcp"})
        self.assertEqual(answer.status, 201, answer)
        listed = self.ask("POST", "/v1/mcp/refresh", {"server_id": answer.json["id"]})
        self.assertEqual(listed.json["servers"][0]["state"], "needs-auth", listed)
        return answer.json["id"]

    def made_key(self, **wish):
        made = self.ask("POST", "/v1/api-keys", {"name": f"key-{uuid.uuid4()}", "capabilities": ["tools"], **wish})
        self.assertEqual(made.status, 201, made)
        return made.json["id"], made.json["key"]

    def ask(self, method, path, body=None):
        """As the operator."""
        client = self.server.client()
        try:
            return client.request(method, path, body)
        finally:
            client.close()

    def api(self, method, path, body=None, key=None, prefix="/api/v3"):
        client = Client(self.server.address)
        try:
            return client.request(method, prefix + path, body, {"x-api-key": key or self.key})
        finally:
            client.close()

    def session(self, user="anna", key=None, **more):
        answer = self.api("POST", "/tool_router/session", {"user_id": user, "toolkits": {"enable": [self.name]}, **more}, key)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["session_id"]

    def link(self, user="anna", key=None, **more):
        session = self.session(user, key)
        answer = self.api("POST", f"/tool_router/session/{session}/link", {"toolkit": self.name, **more}, key)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(answer.json["redirect_url"], f"http://{self.server.address}/link/{answer.json['link_token']}")
        return answer.json

    def browser(self):
        browser = Browser(self.server.address)
        self.addCleanup(browser.client.close)
        return browser

    def leave(self, link, browser):
        """To the authorization server. Returns the address there."""
        self.assertEqual(browser.open(link["redirect_url"]).status, 200)
        answer = browser.open(link["redirect_url"] + "/login", "POST")
        self.assertEqual(answer.status, 303, answer)
        self.assertTrue(answer.headers["location"].startswith(self.issuer.url + "/authorize?"))
        return answer.headers["location"]

    def connect(self, user="anna", key=None, **more):
        """The id of an account that is connected now."""
        link, browser = self.link(user, key, **more), self.browser()
        back = browser.open(self.issuer.authorize(self.leave(link, browser)))
        self.assertIn(back.status, (200, 303), back)
        return link["connected_account_id"]

    def account(self, id, key=None):
        answer = self.api("GET", f"/connected_accounts/{id}", key=key)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def status(self, id):
        found = self.account(id)
        return found["status"], found["status_reason"]

    def slug(self):
        return f"{self.name.upper()}_GREET"

    def greet(self, user="anna", key=None, **more):
        return self.api("POST", f"/tools/execute/{self.slug()}", {"user_id": user, "arguments": {}, **more}, key)

    def refused(self, answer, status, reason):
        self.assertEqual((answer.status, answer.json["error"]["reason"]), (status, reason), answer)

    def tokens_of_calls(self):
        return [token for method, token in self.issuer.used if method == "tools/call"]
