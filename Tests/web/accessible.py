"""What the tests of accessibility share: a world with prompts of each kind, and axe."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from scenes import asks, world
from web import Server

LEVELS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
          "resultTypes": ["violations"]}
SCRIPT = Axe().axe_script
# If only the view has changed, the page has already loaded axe.
HAS_AXE = "() => window.axe !== undefined"
SCAN = "(options) => axe.run(document, options).then((found) => found.violations)"


def start(browser):
    """Starts a server with a session whose prompt can be answered. Also returns the other waiting prompts, by kind."""
    server = Server(MONITOR_RATE_LIMIT="off").start()
    # Hooks hold prompts only if somebody may answer them.
    browser.person(server)
    told = world(server, holds=True)
    return server, told, asks(told.machine)


class Scanned(unittest.TestCase):
    def look(self, page, view):
        """axe finds no violation of WCAG A or AA."""
        if not page.evaluate(HAS_AXE):
            page.evaluate(SCRIPT)
        faults = [(one["id"], one["help"], [node["html"][:160] for node in one["nodes"][:3]]) for one in page.evaluate(SCAN, LEVELS)]
        self.assertEqual(faults, [], view)
