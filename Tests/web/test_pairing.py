"""A browser signs in, stays signed in, and is signed out."""

import base64
import contextlib
import http.client
import json
import re
import subprocess
import unittest

from playwright.sync_api import expect
from web import Browser, Client, Server, wait_for


def setUpModule():
    global server, browser
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


def cookies(person):
    return [cookie for cookie in person.context.cookies() if cookie["name"].startswith("monitor_session")]


def send(method, path, body=None, **headers):
    """Sends a request as the page or a stranger would. Returns the status, the answer and its cookie."""
    host, _, port = server.address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    with contextlib.closing(connection):
        connection.request(method, path, json.dumps(body) if body is not None else None, fields)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}"), answer.getheader("set-cookie")


class Door(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server, pair=False)
        self.addCleanup(self.person.close)

    def test_a_stranger_learns_how_to_pair(self):
        page = self.person.open()
        page.get_by_role("heading", name="Claude Code Monitor").wait_for()
        page.get_by_text("monitorctl device pair --browser").wait_for()
        self.person.check()

    def test_the_link_signs_in_once_and_leaves_no_secret(self):
        link = self.person.link()
        self.assertRegex(link, rf"^{re.escape(server.url)}/pair#cmp_\w+$")
        page = self.person.open(link)
        page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        expect(page).to_have_url(server.url + "/")
        cookie, = cookies(self.person)
        self.assertEqual((cookie["httpOnly"], cookie["sameSite"], cookie["path"]), (True, "Strict", "/"))
        self.assertEqual(page.evaluate("document.cookie"), "")
        kept = page.evaluate("JSON.stringify(localStorage)")
        for secret in ("cmp_", "cmr_", "eyJ"):
            self.assertNotIn(secret, kept)
        stored = page.evaluate("indexedDB.databases().then((all) => all.map((one) => one.name))")
        self.assertEqual(stored, ["monitor"])
        other = browser.person(server, pair=False)
        self.addCleanup(other.close)
        again = other.open(link)
        again.get_by_text("wrong, used or expired").wait_for()
        self.person.check()

    def test_a_reload_stays_signed_in_and_renews_the_cookie(self):
        page = self.person.sign_in()
        before, = cookies(self.person)
        page.reload()
        page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        after, = cookies(self.person)
        self.assertNotEqual(before["value"], after["value"])

    def test_the_short_code_on_loopback(self):
        code = json.loads(server.control("device", "pair", "--json").stdout)["code"]
        page = self.person.open()
        page.get_by_role("textbox").fill(code)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Sessions", exact=True).wait_for()

    def test_signing_out_revokes_and_clears(self):
        page = self.person.sign_in()
        page.goto(server.url + "/#/settings")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_text("monitorctl device pair --browser").wait_for()
        wait_for(lambda: cookies(self.person) == [], "the cookie is gone")

    def test_a_revoked_browser_is_cut_off_and_told(self):
        page = self.person.sign_in()
        page.goto(server.url + "/#/settings")
        number = page.get_by_text("Number").locator("+ dd").inner_text()
        server.control("device", "revoke", number)
        page.get_by_text("This browser was signed out.").wait_for()

    def test_without_scripts_it_says_what_to_do(self):
        plain = browser.person(server, pair=False, java_script_enabled=False)
        self.addCleanup(plain.close)
        page = plain.open()
        page.get_by_text("needs JavaScript").wait_for()
        page.get_by_text("monitorctl sessions").wait_for()


class Approval(unittest.TestCase):
    """Where a code alone lets nobody in, a browser that administers decides."""

    def test_a_device_is_let_in_or_turned_away_on_the_page(self):
        own = Server(MONITOR_RATE_LIMIT="off", MONITOR_PAIRING_APPROVAL="on").start()
        self.addCleanup(own.end)

        def opened(*options):
            person = browser.person(own, pair=False)
            self.addCleanup(person.close)
            return person.open(person.link(*options))
        chief = opened("--administer")
        chief.get_by_text("monitorctl device pending").wait_for()
        waiting, = own.get("/api/auth/pairing/pending").json["pending"]
        own.control("device", "approve", waiting["request_id"])
        chief.get_by_role("heading", name="Sessions", exact=True).wait_for()
        chief.goto(own.url + "/#/settings/devices")
        asking = chief.get_by_role("list", name="Devices that wait").get_by_role("listitem")
        let_in = opened()
        asking.get_by_text("127.0.0.1").wait_for()
        asking.get_by_text("Can view and answer").wait_for()
        asking.get_by_role("button", name="Let in").click()
        let_in.get_by_role("heading", name="Sessions", exact=True).wait_for()
        expect(asking).to_have_count(0)
        turned_away = opened()
        asking.get_by_role("button", name="Turn away").click()
        turned_away.get_by_text("The operator has turned this device away.").wait_for()
        expect(asking).to_have_count(0)


class Answers(unittest.TestCase):
    def test_programs_get_what_they_got(self):
        answer = Client(server.address).get("/")
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertEqual(answer.json["name"], "Claude Code Monitor")

    def test_files_are_compressed_named_by_their_hash_and_kept(self):
        page = Client(server.address).get("/", Accept="text/html", **{"Accept-Encoding": "gzip"})
        self.assertEqual((page.status, page.headers["content-encoding"]), (200, "gzip"))
        policy = page.headers["content-security-policy"]
        self.assertNotIn("unsafe", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        again = Client(server.address).get("/", Accept="text/html", **{
            "Accept-Encoding": "gzip", "If-None-Match": page.headers["etag"]})
        self.assertEqual((again.status, again.body), (304, b""))
        text = Client(server.address).get("/", Accept="text/html").body.decode()
        script = re.search(r'src="(assets/app-\w+\.js)"', text).group(1)
        for headers, encoding in (({"Accept-Encoding": "gzip"}, "gzip"), ({}, None)):
            answer = Client(server.address).get("/" + script, **headers)
            self.assertEqual((answer.status, answer.headers.get("content-encoding")), (200, encoding))
            self.assertEqual(answer.headers["cache-control"], "public, max-age=31536000, immutable")
            self.assertIn("javascript", answer.headers["content-type"])
        self.assertEqual(Client(server.address).get("/assets/app.js").status, 404)
        self.assertEqual(Client(server.address).get("/assets/..%2Ffiles.json").status, 404)


class Forgery(unittest.TestCase):
    """The server refuses the requests that another page can make the browser send."""

    def setUp(self):
        link = json.loads(server.control("device", "pair", "--browser", "--json").stdout)["url"]
        self.secret = link.partition("#")[2]

    def sign_in(self):
        status, tokens, cookie = send("POST", "/web/session", {"secret": self.secret}, origin=server.url)
        self.assertEqual(status, 200, tokens)
        return tokens, cookie.partition(";")[0]

    @staticmethod
    def refresh(tokens, cookie, **body):
        """The page's request for new tokens."""
        return send("POST", "/web/session/refresh", {"browser_secret": tokens["browser_secret"], **body}, cookie=cookie,
                    origin=server.url)

    def test_the_secret_counts_only_from_the_own_page(self):
        for headers in ({}, {"origin": "http://localhost:1"}, {"origin": "https://evil.example"}):
            status, answer, cookie = send("POST", "/web/session", {"secret": self.secret}, **headers)
            self.assertEqual((status, answer["error"]["code"], cookie), (403, "origin_not_allowed", None))
        self.sign_in()

    def test_the_cookie_counts_only_from_the_own_page(self):
        made, cookie = self.sign_in()
        for method, path in (("POST", "/web/session/refresh"), ("DELETE", "/web/session")):
            for headers in ({}, {"origin": "http://localhost:1"}, {"origin": "null"}):
                body = {"browser_secret": made["browser_secret"]}
                status, answer, set_cookie = send(method, path, body, cookie=cookie, **headers)
                self.assertEqual((status, answer["error"]["code"], set_cookie), (403, "origin_not_allowed", None))
        status, answer, _ = send("POST", "/web/session/refresh", cookie=cookie, origin=server.url)
        self.assertEqual((status, answer["error"]["code"]), (401, "not_signed_in"))
        status, tokens, _ = self.refresh(made, cookie)
        self.assertEqual(status, 200)
        self.assertFalse({"refresh_token", "browser_secret"} & set(tokens))

    def test_a_lost_answer_to_a_refresh_does_not_sign_out(self):
        """The browser sleeps while the answer comes. Days later, it asks again with the old cookie."""
        made, cookie = self.sign_in()
        refresh = lambda value: self.refresh(made, value)
        self.assertEqual(refresh(cookie)[0], 200)
        self.later("6 days")
        status, _, fresh = refresh(cookie)
        self.assertEqual(status, 200)
        self.assertEqual(refresh(fresh.partition(";")[0])[0], 200)
        self.assertEqual(refresh(cookie)[0], 401, "the answer has been used, so somebody else has the old cookie")
        self.assertEqual(refresh(fresh.partition(";")[0])[0], 401, "and all are signed out")

    def test_a_lost_answer_is_not_repeated_for_ever(self):
        made, cookie = self.sign_in()
        refresh = lambda: self.refresh(made, cookie)[0]
        self.assertEqual(refresh(), 200)
        self.later("8 days")
        self.assertEqual(refresh(), 401)

    @staticmethod
    def later(span):
        """As if this time had passed since each refresh."""
        subprocess.run(["psql", "-qX", "-h", server.directory / "postgres/socket", "-U", "monitor", "-d", "monitor", "-c",
                        f"UPDATE refresh_families SET rotated_at = rotated_at - interval '{span}'"], check=True, timeout=20)

    def test_the_cookie_reads_nothing(self):
        tokens, cookie = self.sign_in()
        self.assertEqual(send("GET", "/v1/sessions", cookie=cookie, origin=server.url)[0], 401)
        self.assertEqual(send("GET", "/v1/sessions", authorization="Bearer " + tokens["access_token"])[0], 200)

    def upgrade(self, **headers):
        return send("GET", "/ws", connection="Upgrade", upgrade="websocket", sec_websocket_version="13",
                    sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==", **headers)

    def test_the_cookie_opens_no_socket(self):
        _, cookie = self.sign_in()
        self.assertEqual(self.upgrade(cookie=cookie, origin=server.url)[0], 401)

    def test_the_browsers_socket_outlives_its_access_token(self):
        """A page that is open does not reconnect each quarter of an hour."""
        tokens, _ = self.sign_in()
        claims = lambda token: json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        found = claims(tokens["access_token"])
        self.assertGreater(found["sockets_exp"] - found["exp"], 50 * 86_400)
        status, ticket, _ = send("POST", "/v1/tickets", authorization="Bearer " + tokens["access_token"])
        self.assertEqual(status, 200)
        end = int.from_bytes(base64.urlsafe_b64decode(ticket["ticket"])[8:16])
        self.assertEqual(end, found["sockets_exp"])

    def test_a_path_of_a_proxy_goes_into_the_cookie_and_nothing_else_does(self):
        _, made, cookie = send("POST", "/web/session", {"secret": self.secret, "base": "/monitor/"}, origin=server.url)
        self.assertIn("; Path=/monitor/;", cookie)
        self.assertNotIn("Secure", cookie)
        value = cookie.partition(";")[0]
        _, _, cookie = self.refresh(made, value, base="/a;Domain=b/")
        self.assertIn("; Path=/;", cookie)


if __name__ == "__main__":
    unittest.main()
