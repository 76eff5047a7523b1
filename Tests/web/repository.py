"""What the tests of Git in the web app share: a browser that may change repositories, and a repository for each test."""

import unittest

import workspace
from accessible import Scanned
from web import DESK, Browser, Server


class World:
    """A server, and a browser with `control`."""

    def __init__(self):
        self.server = Server(MONITOR_RATE_LIMIT="off").start()
        self.browser = unittest.enterModuleContext(Browser())
        self.person = self.browser.person(self.server)
        device = self.server.get("/v1/devices").json["devices"][0]["id"]
        self.server.control("device", "grant", str(device), "control")
        RepositoryCase.world = self

    def end(self):
        self.person.close()
        self.server.end()


class RepositoryCase(Scanned):
    """Each test has a machine with a repository of its own."""

    number = 0
    changes = True

    def setUp(self):
        RepositoryCase.number += 1
        self.place = workspace.Place(self.world.server, f"desk-{RepositoryCase.number}")
        self.addCleanup(self.place.close)
        self.place.repository()
        if self.changes:
            self.place.changes()
        self.addCleanup(self.world.person.check)
        self.page = self.world.person.page
        self.page.goto("about:blank")
        self.page.set_viewport_size(DESK)
        # What this browser may do is read when the page opens.
        self.page.goto(self.world.server.url)

    def go(self, query=""):
        self.page.goto(f"{self.world.server.url}/#/git/{self.place.project}{query}")

    def area(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def agree(self, title, button):
        """Answers the question, which is asked once."""
        dialog = self.page.get_by_role("dialog", name=title)
        dialog.get_by_role("button", name=button, exact=True).click()
        dialog.wait_for(state="detached")

    def staged(self):
        return self.place.git("diff", "--cached", "--name-only").split()
