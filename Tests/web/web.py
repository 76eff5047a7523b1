"""What the tests of the web app share: a server, Chromium, and pages that report errors."""

import json
import pathlib
import sys

from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))

import harness  # noqa: E402
from harness import Client, Server, wait_for  # noqa: E402, F401

CHROMIUM = "/usr/bin/chromium"
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
MILLISECONDS = 15_000
expect.set_options(timeout=MILLISECONDS)

# Every report of the content security policy is a fault.
WATCH = """
window.reports = []
document.addEventListener("securitypolicyviolation", (event) =>
    window.reports.push(event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber))
"""


def row(page, text):
    """The item of a session in the list."""
    return page.get_by_role("list", name="Sessions").get_by_role("listitem").filter(has_text=text)


def opened(page, project):
    """The head of the session that is the view: its title, and the project below it."""
    return page.locator("main.session > header").filter(has_text=project)


def prompts(page, project):
    """The prompts of a session in the list, open or folded."""
    return row(page, project).get_by_role("article")


def card(page, project):
    """The prompt of a session in the list, opened: all others are folded."""
    prompt = prompts(page, project)
    prompt.first.wait_for()
    prompt.first.evaluate("""(card) => {
        if (card.classList.contains("folded")) [...card.querySelectorAll("button")].find((one) => one.innerText === "Show").click()
    }""")
    # A card that has just appeared takes no answer.
    prompt.first.and_(page.locator(":not([data-new])")).wait_for()
    return prompt


def watch_requests(page):
    """Makes the page's requests bypass its service worker, because Playwright does not report requests that a worker may
    handle."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setBypassServiceWorker", {"bypass": True})


def intercept(page, pattern, handler):
    """Lets the handler answer requests of the page instead of the server, until `page.unroute_all`."""
    watch_requests(page)
    page.route(pattern, handler)


class Browser:
    """Chromium, started once for all tests of a process."""

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
    """A browser with its own storage. Its pages must violate no policy and throw no error."""

    def __init__(self, browser, server, viewport=None, locale="en-GB", scheme="light", pair=True, **options):
        self.server = server
        self.faults = []
        options.setdefault("timezone_id", "UTC")
        self.context = browser.chromium.new_context(
            viewport=viewport or DESK, locale=locale, color_scheme=scheme, base_url=server.url, **options)
        self.context.set_default_timeout(MILLISECONDS)
        self.context.add_init_script(WATCH)
        self.context.on("weberror", lambda error: self.faults.append(str(error.error)))
        if pair:
            self.sign_in()

    def link(self, *options):
        return json.loads(self.server.control("device", "pair", "--browser", "--json", *options).stdout)["url"]

    def sign_in(self, *options):
        """Opens the link that monitorctl prints. Returns a page with the sessions."""
        page = self.open(self.link(*options))
        page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        self.page = page
        return page

    def sign_out(self):
        """Signs out in the page, which removes the browser's device."""
        self.session("DELETE", "web/session")

    def tokens(self):
        """New tokens of this browser."""
        return self.session("POST", "web/session/refresh")

    def session(self, method, path):
        """Sends the page's own request, with the cookie and the secret that the page keeps."""
        return self.page.evaluate("""async ([method, path]) => {
            const database = await new Promise((done) => {
                const opening = indexedDB.open("monitor")
                opening.onsuccess = () => done(opening.result)
            })
            const secret = await new Promise((done) => {
                const reading = database.transaction("kept").objectStore("kept").get("browser-secret /")
                reading.onsuccess = () => done(reading.result)
            })
            database.close()
            const answer = await fetch(path, { method, headers: { "content-type": "application/json" },
                body: JSON.stringify({ browser_secret: secret }) })
            if (!answer.ok) throw new Error(await answer.text())
            return answer.json()
        }""", [method, path])

    def open(self, path="/"):
        page = self.context.new_page()
        page.on("console", lambda message: message.type == "error" and self.note(message))
        page.goto(path)
        return page

    def note(self, message):
        """The console also shows error statuses of the server. They are not counted here, because the tests check them."""
        if "Failed to load resource" not in message.text and "WebSocket connection" not in message.text:
            self.faults.append(message.text)

    def check(self):
        """No error has occurred that a test did not expect."""
        reports = [report for page in self.context.pages for report in page.evaluate("window.reports ?? []")]
        if reports or self.faults:
            raise AssertionError(f"policy: {reports}; errors: {self.faults}")

    def close(self):
        self.context.close()
