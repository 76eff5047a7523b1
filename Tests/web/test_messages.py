"""The box for messages to a session: sent, cancelled, delivered and read, and what stands in the way."""

import re
import unittest

from scenes import Machine
from web import Browser, Client, Server, wait_for


def setUpModule():
    global server, browser, machine, person
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")
    person = browser.person(server)


def tearDownModule():
    person.close()
    server.end()


class Box(unittest.TestCase):
    def setUp(self):
        self.addCleanup(person.check)

    def session(self, project, has_socket=True):
        """A session whose machine has asked for messages once, and does not wait for them now."""
        self.told = machine.session(project).start(30).asks("Go on", 20)
        client = Client(server.address, machine.key, timeout=0.5)
        try:
            client.get(f"/api/messages?pid=17&session_id={self.told.id}{'' if has_socket else '&socket=no'}")
        except OSError:
            pass
        client.close()
        person.page.goto(f"{server.url}/#/s/{self.told.id}")
        self.box = person.page.get_by_role("textbox", name="Message")
        self.box.wait_for()

    def ask(self):
        """The machine asks, and gets what waits."""
        answer = Client(server.address, machine.key, timeout=60).get(f"/api/messages?pid=17&session_id={self.told.id}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json["message"]

    def row(self, text):
        return person.page.locator(".message").filter(has_text=text)

    def write(self, text):
        self.box.fill(text)
        person.page.get_by_role("button", name="Send").click()
        self.row(text).get_by_text("on its way").wait_for()
        self.assertEqual(self.box.input_value(), "")

    def test_from_the_box_to_the_session(self):
        self.session("spoken-to")
        self.write("Use <b>two</b> files")
        message = self.ask()
        self.assertEqual(message["text"], "Use <b>two</b> files")
        Client(server.address, machine.key).request("POST", f"/api/messages/{message['id']}/receipt", {"state": "delivered"})
        self.row("two").get_by_text("delivered").wait_for()
        self.assertEqual(self.row("two").get_by_role("button").count(), 0)
        self.told.post(("UserPromptSubmit", {"prompt": "Use <b>two</b> files"}))
        self.row("two").get_by_text("read", exact=True).wait_for()
        person.page.locator(".ev.you").filter(has_text="Use <b>two</b> files").wait_for()

    def test_what_is_on_its_way_is_taken_back(self):
        self.session("taken-back")
        self.write("Not so fast")
        self.row("Not so fast").get_by_role("button", name="Cancel").click()
        self.row("Not so fast").get_by_text("cancelled").wait_for()

    def test_enter_sends_and_shift_enter_begins_a_line(self):
        self.session("lines")
        self.box.fill("one")
        self.box.press("Shift+Enter")
        self.box.type("two")
        self.box.press("Enter")
        wait_for(lambda: self.box.input_value() == "", "the message is sent")
        self.assertEqual(self.ask()["text"], "one\ntwo")

    def test_a_session_whose_machine_takes_no_messages_says_so_before_anything_is_typed(self):
        self.session("unreachable", has_socket=False)
        person.page.get_by_text("its machine takes no messages for it").wait_for()
        self.assertTrue(self.box.is_disabled())
        self.assertTrue(person.page.get_by_role("button", name="Send").is_disabled())

    def test_a_session_that_can_no_longer_be_reached_says_so_and_keeps_the_text(self):
        self.session("lost")
        self.box.fill("Hello?")
        client = Client(server.address, machine.key, timeout=0.5)
        try:
            client.get(f"/api/messages?pid=17&session_id={self.told.id}&socket=no")
        except OSError:
            pass
        client.close()
        person.page.get_by_role("button", name="Send").click()
        person.page.get_by_role("alert").get_by_text(re.compile("cannot be reached")).wait_for()
        self.assertEqual(self.box.input_value(), "Hello?")

    def test_a_turn_is_interrupted_after_a_question(self):
        self.session("interrupted")
        person.page.get_by_role("button", name="Interrupt").click()
        dialog = person.page.get_by_role("dialog", name="Interrupt")
        dialog.get_by_text("The turn ends at its next tool").wait_for()
        dialog.get_by_role("button", name="Cancel").click()
        self.assertEqual(server.get(f"/v1/sessions/{self.told.id}/input").json["messages"], [])
        person.page.get_by_role("button", name="Interrupt").click()
        dialog.get_by_role("button", name="Confirm").click()
        person.page.get_by_role("button", name="Interrupting").wait_for()
        answer = Client(server.address, machine.key, timeout=60).get(f"/api/messages?pid=17&session_id={self.told.id}")
        self.assertIn("interrupt", answer.json)

    def test_a_browser_that_may_only_read_cannot_write(self):
        reader = browser.person(server, pair=False)
        self.addCleanup(reader.close)
        page = reader.sign_in("--read-only")
        self.session("readers")
        page.goto(f"{server.url}/#/s/{self.told.id}")
        self.assertTrue(page.get_by_role("textbox", name="Message").is_disabled())


if __name__ == "__main__":
    unittest.main()
