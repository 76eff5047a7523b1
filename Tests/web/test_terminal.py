"""The terminal of a session in the web app: what it shows, what is typed, its size, a lost connection."""

import unittest

from web import Browser, Server, wait_for
import agents  # From the system tests, which `web` adds to the path.
from scenes import Machine


def setUpModule():
    global server, browser, person
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    person = browser.person(server)
    device = server.get("/v1/devices").json["devices"][0]["id"]
    server.control("device", "grant", str(device), "control")


def tearDownModule():
    person.close()
    server.end()


class Terminal(unittest.TestCase):
    number = 0

    def setUp(self):
        Terminal.number += 1
        self.machine = Machine(server, f"console-{Terminal.number}")
        self.addCleanup(person.check)
        self.agent = agents.Agent(server, self.machine.key)
        self.agent.greeting["may"] = dict(agents.MAY, pty=True)
        self.agent.greet()
        self.addCleanup(self.agent.close)
        self.page = person.page

    def open(self):
        """Starts a session in a terminal and opens it."""
        self.page.goto("about:blank")
        self.page.goto(f"{server.url}/")
        self.page.get_by_role("button", name="New session").click()
        dialog = self.page.get_by_role("dialog", name="New session")
        dialog.get_by_label("Machine").select_option(self.machine.name)
        dialog.get_by_label("Project").select_option(label="Another directory…")
        dialog.get_by_role("textbox", name="Directory").fill("/home/dev/app")
        dialog.get_by_role("combobox", name="Mode", exact=True).select_option("Terminal")
        dialog.get_by_role("button", name="Start").click()
        asked = self.agent.wait_for("session/start")[0]
        self.assertEqual(asked["terminal"], {"columns": 120, "rows": 40})
        self.assertNotIn("mode", asked)
        self.session = asked["session_id"]
        self.page.get_by_role("button", name="Terminal", exact=True).click()
        self.terminal = self.page.get_by_role("dialog", name="Terminal")
        self.agent.wait_for("pty/resize")
        self.terminal.get_by_text("Connecting").wait_for(state="detached")

    def show(self, text, restarts=False):
        self.agent.tell("pty/output", {"session_id": self.session, "data": text, "restarts": restarts})

    def read(self, words):
        """The rows as a screen reader reads them."""
        self.terminal.get_by_text(words).first.wait_for()

    def test_it_shows_and_types(self):
        self.open()
        self.show("\x1b[2J\x1b[HWelcome \x1b[31mback\x1b[0m")
        self.read("Welcome back")
        self.page.keyboard.type("ls <b>")
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Escape")
        wait_for(lambda: "".join(one["data"] for one in self.agent.wait_for("pty/input")) == "ls <b>\r\x1b", "the keys")
        self.terminal.get_by_role("button", name="Close").click()
        self.terminal.wait_for(state="detached")
        # What it shows comes again for a view that opens later.
        self.page.get_by_role("button", name="Terminal", exact=True).click()
        self.read("Welcome back")
        self.terminal.get_by_role("button", name="Close").click()

    def test_its_size_is_that_of_the_window(self):
        self.open()
        before = self.agent.wait_for("pty/resize")[-1]
        self.page.set_viewport_size({"width": 390, "height": 700})
        self.addCleanup(self.page.set_viewport_size, {"width": 1440, "height": 900})
        wait_for(lambda: self.agent.wait_for("pty/resize")[-1]["columns"] < before["columns"], "a narrower terminal")
        self.terminal.get_by_role("button", name="^C").click()
        self.assertEqual(self.agent.wait_for("pty/input")[0]["data"], "\x03")
        self.terminal.get_by_role("button", name="Close").click()

    def test_a_refusal_is_shown(self):
        def refuse(params):
            raise agents.Refusal("not_allowed_by_machine", "The machine's file agent says pty=off there.")
        self.open()
        self.agent.answers["pty/input"] = refuse
        self.page.keyboard.type("x")
        self.terminal.get_by_text("pty=off").wait_for()
        self.terminal.get_by_role("button", name="Close").click()


if __name__ == "__main__":
    unittest.main()
