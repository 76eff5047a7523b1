"""The page that tries the interface: it lists the routes, and sends requests with the credential that it is given."""

import json
import unittest

from web import PHONE, Browser, Client, Server, wait_for


def setUpModule():
    global server, browser
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


class Trying(unittest.TestCase):
    def opened(self, path="/swagger/", **options):
        person = browser.person(server, pair=False, **options)
        self.addCleanup(person.close)
        self.addCleanup(person.check)
        page = person.open(path)
        page.get_by_role("heading", level=1).wait_for()
        # The search finds nothing before the routes are there.
        page.locator("details").first.wait_for()
        return page

    def route(self, page, text):
        """A route, opened. Only the routes that have these words are shown."""
        page.get_by_role("searchbox").fill(text)
        found = page.locator("details:visible").first
        found.locator("summary").click()
        return found

    def answer(self, row):
        row.get_by_role("button", name="Send").click()
        row.locator("section b").wait_for()
        return row.locator("section b").inner_text()

    def body(self, row):
        """The body of the answer, which comes after its status."""
        def whole():
            try:
                return json.loads(row.locator("section pre").last.inner_text())
            except ValueError:
                return None

        return wait_for(whole, "the body of the answer")

    def test_every_route_is_listed(self):
        page = self.opened()
        routes = [(method.upper(), path) for path, methods in server.get("/openapi.json").json["paths"].items() for method in methods]
        shown = page.locator("summary code").all_inner_texts()
        self.assertEqual(sorted(shown), sorted(f"{method} {path}" for method, path in routes))
        page.get_by_role("searchbox").fill("no route has this")
        page.get_by_text("No route has these words.").wait_for()

    def test_a_request_is_sent_with_the_credential(self):
        page = self.opened()
        row = self.route(page, "GET /v1/projects Projects")
        self.assertEqual(self.answer(row)[:3], "401")
        page.get_by_label("Credential").fill(server.admin)
        self.assertEqual(self.answer(row)[:3], "200")
        self.assertIn("projects", self.body(row))
        self.assertNotIn(server.admin, page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + location"))

    def test_a_body_and_a_path(self):
        page = self.opened()
        page.get_by_label("Credential").fill(server.admin)
        row = self.route(page, "POST /v1/projects")
        example = json.loads(row.locator("textarea").input_value())
        self.assertIn("name", example)
        row.locator("textarea").fill(json.dumps({"name": "Tried"}))
        self.assertIn(self.answer(row)[:3], ("200", "201"))
        made = self.body(row)
        row = self.route(page, "GET /v1/projects/{id}")
        row.get_by_label("id").first.fill(made["id"])
        self.assertEqual(self.answer(row)[:3], "200")
        self.assertEqual(self.body(row)["name"], "Tried")

    def test_a_socket_is_named_as_one(self):
        page = self.opened()
        page.get_by_label("Credential").fill(server.admin)
        row = self.route(page, "GET /ws")
        row.get_by_text("A WebSocket.").wait_for()

    def test_on_a_phone_in_german(self):
        page = self.opened(viewport=PHONE, locale="de-DE", scheme="dark")
        page.get_by_role("heading", name="Die Schnittstelle").wait_for()
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])

    def test_without_the_last_slash(self):
        answer = Client(server.address).get("/swagger")
        self.assertEqual((answer.status, answer.headers["location"]), (308, "swagger/"))
        page = self.opened("/swagger")
        self.assertEqual(page.url, server.url + "/swagger/")
        policy = Client(server.address).get("/swagger/").headers["content-security-policy"]
        self.assertIn("default-src 'none'; script-src 'self'", policy)


if __name__ == "__main__":
    unittest.main()
