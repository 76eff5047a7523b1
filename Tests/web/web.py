"""What the tests of the web app share: a server, Chromium, and pages that report what goes wrong in them."""

import json
import pathlib
import sys

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))

import harness  # noqa: E402
from harness import Client, Server, wait_for  # noqa: E402, F401

CHROMIUM = "/usr/bin/chromium"
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

# Reports of the content security policy, whatever they are about, are faults.
WATCH = """
window.reports = []
document.addEventListener("securitypolicyviolation", (event) =>
    window.reports.push(event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber))
"""


def row(page, text):
    """The item of a session in the list."""
    return page.get_by_role("list", name="Sessions").get_by_role("listitem").filter(has_text=text)


def card(page, project):
    """The prompt of a session in the list."""
    return row(page, project).get_by_role("article")


def watch_requests(page):
    """Sends the page's requests past its service worker: Playwright does not report those that a worker may handle."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setBypassServiceWorker", {"bypass": True})


def intercept(page, pattern, handler):
    """Hands requests of the page to the handler in place of the server; `page.unroute_all` ends it."""
    watch_requests(page)
    page.route(pattern, handler)


class Browser:
    """Chromium, once for all tests of a process."""

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        return self

    def __exit__(self, *_):
        self.chromium.close()
        self.playwright.stop()

    def person(self, server, **options):
        return Person(self, server, **options)


class Person:
    """A browser of its own, with what it stores. Pages of it must not break the policy nor throw."""

    def __init__(self, browser, server, viewport=None, locale="en-GB", scheme="light", pair=True, **options):
        self.server = server
        self.faults = []
        options.setdefault("timezone_id", "UTC")
        self.context = browser.chromium.new_context(
            viewport=viewport or DESK, locale=locale, color_scheme=scheme, base_url=server.url, **options)
        self.context.set_default_timeout(15_000)
        self.context.add_init_script(WATCH)
        self.context.on("weberror", lambda error: self.faults.append(str(error.error)))
        if pair:
            self.sign_in()

    def link(self, *options):
        return json.loads(self.server.control("device", "pair", "--browser", "--json", *options).stdout)["url"]

    def sign_in(self, *options):
        """Opens the link that monitorctl prints, and leaves a page with the sessions."""
        page = self.open(self.link(*options))
        page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        self.page = page
        return page

    def sign_out(self):
        """Through the page; the browser's device is gone then."""
        self.page.evaluate("""async () => {
            const answer = await fetch("web/session", { method: "DELETE" })
            if (!answer.ok) throw new Error(await answer.text())
        }""")

    def open(self, path="/"):
        page = self.context.new_page()
        page.on("console", lambda message: message.type == "error" and self.note(message))
        page.goto(path)
        return page

    def note(self, message):
        """Answers of the server that are no success are logged as errors too; they are the tests' business."""
        if "Failed to load resource" not in message.text and "WebSocket connection" not in message.text:
            self.faults.append(message.text)

    def check(self):
        """Nothing went wrong that no test has looked for."""
        reports = [report for page in self.context.pages for report in page.evaluate("window.reports ?? []")]
        if reports or self.faults:
            raise AssertionError(f"policy: {reports}; errors: {self.faults}")

    def close(self):
        self.context.close()
