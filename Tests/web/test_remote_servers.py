"""Remote MCP servers in the web app: adding one, its login, and the accounts of programs' users there."""

import os
import unittest
import uuid

from playwright.sync_api import expect
from tooling import ToolCase
from web import PHONE, Browser, Client, Server
from issuer import Issuer  # From the system tests, which `web` adds to the path.

PICTURES = os.environ.get("REMOTE_PICTURES")


def setUpModule():
    RemoteCase.begin()


def tearDownModule():
    RemoteCase.finish()


class RemoteCase(ToolCase):
    @classmethod
    def begin(cls):
        cls.server = Server(MONITOR_RATE_LIMIT="off", MONITOR_TOOL_NETWORKS="127.0.0.0/8").start()
        cls.browser = Browser().__enter__()
        cls.person = cls.browser.person(cls.server)
        device = str(cls.server.get("/v1/devices").json["devices"][0]["id"])
        for capability in ("control", "administer"):
            cls.server.control("device", "grant", device, capability)
        cls.person.page.reload()

    def setUp(self):
        super().setUp()
        self.issuer = Issuer()
        self.addCleanup(self.issuer.end)
        self.name = "crm" + uuid.uuid4().hex[:6]

    def ask(self, method, path, body=None, key=None):
        client = Client(self.server.address, key or self.server.admin)
        try:
            answer = client.request(method, path, body)
        finally:
            client.close()
        self.assertLess(answer.status, 300, answer)
        return answer.json

    def added(self):
        """The id of the server, which wants a login."""
        id = self.ask("POST", "/v1/mcp/servers", {"name": self.name, "url": self.issuer.url + "/mcp"})["id"]
        self.ask("POST", "/v1/mcp/refresh", {"server_id": id})
        return id

    def picture(self, page, name):
        if PICTURES:
            page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)

    def logged_in(self, page):
        """Follows the link that the page has opened, as the person does in the other window."""
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Open the login").click()
        other = opened.value
        self.picture(other, "link")
        other.get_by_role("button", name="Go on to the login").click()
        other.get_by_role("heading", name="Connected").wait_for()
        self.picture(other, "connected")
        other.close()
        # Without a screen, no window has the focus.
        page.evaluate("window.dispatchEvent(new Event('focus'))")


class Servers(RemoteCase):
    def test_a_server_is_added_connected_and_removed(self):
        self.open()
        self.page.get_by_role("button", name="Add server").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("Name").fill(self.name)
        dialog.get_by_label("Address").fill(self.issuer.url + "/mcp")
        self.look(self.page, "adding a server")
        self.picture(self.page, "add")
        dialog.get_by_role("button", name="Add", exact=True).click()
        self.page.get_by_role("heading", name=self.name, exact=True).wait_for()
        access = self.page.get_by_role("region", name="Address and login")
        access.get_by_text(self.issuer.url + "/mcp").wait_for()
        access.get_by_role("button", name="Log in").click()
        self.logged_in(self.page)
        access.get_by_text("Logged in").wait_for()
        access.get_by_text("tools", exact=True).wait_for()
        self.page.get_by_role("region", name="Tools of the server").get_by_text("greet").first.wait_for()
        self.look(self.page, "a remote server")
        self.picture(self.page, "server")
        access.get_by_role("button", name="Log out").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Log out").click()
        access.get_by_text("The server wants a login.").wait_for()
        self.assertEqual(self.issuer.access, {})
        access.get_by_role("button", name=f"Remove {self.name}?").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        self.page.wait_for_url("**/#/tools")
        expect(self.page.get_by_text(self.name, exact=True)).to_have_count(0)

    def test_a_header_is_given_and_not_shown_again(self):
        self.open()
        self.page.get_by_role("button", name="Add server").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("Name").fill(self.name)
        dialog.get_by_label("Address").fill(self.issuer.url + "/mcp")
        dialog.get_by_label("Access").select_option("header")
        dialog.get_by_label("Its value").fill("Bearer secret-of-the-operator")
        self.picture(self.page, "header")
        dialog.get_by_role("button", name="Add", exact=True).click()
        access = self.page.get_by_role("region", name="Address and login")
        access.get_by_text("Authorization").wait_for()
        self.assertNotIn("secret-of-the-operator", self.page.content())

    def test_servers_stand_in_the_list(self):
        self.added()
        self.open()
        row = self.rows("Remote servers").filter(has_text=self.name)
        row.get_by_text("Waits for a sign-in").wait_for()
        self.picture(self.page, "list")
        row.get_by_role("link").click()
        self.page.get_by_role("button", name="Log in").wait_for()


class Accounts(RemoteCase):
    def account(self, key, user, isConnected=True):
        session = self.ask("POST", "/api/v3/tool_router/session", {"user_id": user, "toolkits": {"enable": [self.name]}}, key)
        path = f"/api/v3/tool_router/session/{session['session_id']}/link"
        link = self.ask("POST", path, {"toolkit": self.name, "alias": f"of {user}"}, key)
        if isConnected:
            page = self.browser.chromium.new_page()
            page.goto(link["redirect_url"])
            page.get_by_text(user, exact=True).first.wait_for()
            self.picture(page, "account-link")
            page.get_by_role("button", name="Go on to the login").click()
            page.get_by_role("heading", name="Connected").wait_for()
            page.close()
        return link["connected_account_id"]

    def key(self, name):
        made = self.ask("POST", "/v1/api-keys", {"name": name, "capabilities": ["tools"]})
        return made["key"]

    def test_accounts_by_key_and_user(self):
        id = self.added()
        one, other = f"shop-{self.name}", f"desk-{self.name}"
        keys = [self.key(one), self.key(other)]
        self.account(keys[0], "anna")
        self.account(keys[1], "anna")
        self.account(keys[0], "ben", isConnected=False)
        self.open("/" + id)
        shop = self.page.get_by_role("list", name=one)
        shop.get_by_role("listitem").filter(has_text="anna").get_by_text("Logged in").wait_for()
        shop.get_by_role("listitem").filter(has_text="ben").get_by_text("Has a link").wait_for()
        expect(self.page.get_by_role("list", name=other).get_by_role("listitem")).to_have_count(1)
        self.look(self.page, "accounts of programs' users")
        self.picture(self.page, "accounts")
        shop.get_by_role("button", name="Remove the account of anna?").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        shop.get_by_role("listitem").filter(has_text="anna").get_by_text("Removed").first.wait_for()
        self.assertEqual(len(self.issuer.access), 1)
        phone = self.browser.person(self.server, viewport=PHONE, scheme="dark", locale="de-DE", pair=False, has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        self.paired(phone)
        self.open("/" + id, phone.page)
        phone.page.get_by_role("heading", name="Konten von Nutzern der Programme").wait_for()
        phone.page.get_by_role("list", name=other).get_by_text("Angemeldet").wait_for()
        self.look(phone.page, "accounts on a phone")
        self.assertLessEqual(phone.page.evaluate("document.documentElement.scrollWidth"), 390)
        self.picture(phone.page, "phone")

    def paired(self, phone):
        phone.page = phone.open(phone.link())
        phone.page.get_by_role("heading", name="Sitzungen", exact=True).first.wait_for()
        newest = max(int(one["id"]) for one in self.server.get("/v1/devices").json["devices"])
        self.server.control("device", "grant", str(newest), "administer")
        phone.page.reload()


if __name__ == "__main__":
    unittest.main()
