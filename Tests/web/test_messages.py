"""The box for messages to a session: messages are sent, cancelled, delivered and read, or cannot be sent."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Client, Server, card, intercept, opened, wait_for


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
        """A session whose machine has polled for messages once, and is not waiting now."""
        told = machine.session(project).start(30).asks("Go on", 20)
        self.reaches(told, has_socket)
        self.visit(told)
        return told

    def reaches(self, told, has_socket):
        def is_known():
            client = Client(server.address, machine.key, timeout=0.5)
            try:
                client.get(f"/api/messages?pid=17&session_id={told.id}{'' if has_socket else '&socket=no'}")
            except OSError:
                pass
            client.close()
            return server.get(f"/v1/sessions/{told.id}").json.get("accepts_messages") == has_socket
        # On a busy machine the poll can end before the server has noted it.
        wait_for(is_known, "the server knows whether the session takes messages")

    def visit(self, told):
        self.told = told
        person.page.goto(f"{server.url}/#/s/{told.id}")
        opened(person.page, told.directory.split("/")[-1]).wait_for()
        self.box = person.page.get_by_role("textbox", name="Message")
        self.box.wait_for()

    def ask(self):
        """The machine polls, and gets the waiting messages."""
        answer = Client(server.address, machine.key, timeout=60).get(f"/api/messages?pid=17&session_id={self.told.id}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json["message"]

    def row(self, text):
        return person.page.locator(".message").filter(has_text=text)

    def write(self, text):
        self.box.fill(text)
        person.page.get_by_role("button", name="Send").click()
        self.row(text).get_by_text("on its way").wait_for()
        # The event of the message may arrive before the answer to the request, which clears the box.
        expect(self.box).to_have_value("")

    def test_from_the_box_to_the_session(self):
        self.session("spoken-to")
        self.write("Use <b>two</b> files")
        message = self.ask()
        self.assertEqual(message["text"], "Use <b>two</b> files")
        Client(server.address, machine.key).request("POST", f"/api/messages/{message['id']}/receipt", {"state": "delivered"})
        self.row("two").get_by_text("delivered").wait_for()
        expect(self.row("two").get_by_role("button")).to_have_count(0)
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
        expect(self.box).to_be_disabled()
        expect(person.page.get_by_role("button", name="Send")).to_be_disabled()

    def test_a_session_that_can_no_longer_be_reached_says_so_and_keeps_the_text(self):
        self.session("lost")
        self.box.fill("Hello?")
        sending = []
        self.addCleanup(person.page.unroute_all)
        intercept(person.page, f"**/v1/sessions/{self.told.id}/input", lambda route: sending.append(route)
                  if route.request.method == "POST" else route.continue_())
        person.page.get_by_role("button", name="Send").click()
        wait_for(lambda: person.page.evaluate("1") and sending, "it is being sent")
        self.reaches(self.told, has_socket=False)
        sending[0].continue_()
        person.page.get_by_role("alert").get_by_text(re.compile("cannot be reached")).wait_for()
        self.assertEqual(self.box.input_value(), "Hello?")

    def test_a_draft_stays_with_its_session(self):
        first = self.session("drafted")
        self.box.fill("For the first")
        second = self.session("drafted-too")
        self.assertEqual(self.box.input_value(), "")
        self.box.fill("For the second")
        person.page.goto(server.url + "/#/")
        person.page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        self.visit(first)
        self.assertEqual(self.box.input_value(), "For the first")
        self.box.press("Enter")
        wait_for(lambda: self.box.input_value() == "", "the message is sent")
        self.assertEqual(self.ask()["text"], "For the first")
        self.visit(second)
        self.assertEqual(self.box.input_value(), "For the second")

    def test_an_error_of_one_session_is_not_shown_at_another(self):
        lost, other = self.session("lost-alone"), self.session("found")
        self.addCleanup(person.page.unroute_all)
        intercept(person.page, f"**/v1/sessions/{lost.id}/input", lambda route: route.abort())
        self.visit(lost)
        self.box.fill("Hello?")
        person.page.get_by_role("button", name="Send").click()
        alert = person.page.get_by_role("alert")
        alert.wait_for()
        self.visit(other)
        expect(alert).to_have_count(0)
        self.visit(lost)
        alert.wait_for()
        self.assertEqual(self.box.input_value(), "Hello?")

    def test_a_message_that_arrives_late_clears_only_its_own_draft(self):
        slow, other = self.session("slow"), self.session("quick")
        waiting = []
        self.addCleanup(person.page.unroute_all)
        intercept(person.page, f"**/v1/sessions/{slow.id}/input", lambda route: waiting.append(route)
                  if route.request.method == "POST" else route.continue_())
        self.visit(slow)
        self.box.fill("Slowly")
        self.box.press("Enter")
        wait_for(lambda: person.page.evaluate("1") and waiting, "it is being sent")
        self.visit(other)
        self.box.fill("Not yet")
        expect(person.page.get_by_role("button", name="Send")).to_be_enabled()
        waiting[0].continue_()
        self.visit(slow)
        self.row("Slowly").get_by_text("on its way").wait_for()
        # The event of the message may arrive before the answer to the request, which clears the draft.
        wait_for(lambda: self.box.input_value() == "", "the draft is cleared")
        self.visit(other)
        self.assertEqual(self.box.input_value(), "Not yet")

    def test_a_draft_survives_a_reload_until_it_is_sent(self):
        self.session("no-draft")
        told = self.session("drafted")
        self.box.fill("Half a thought")
        person.page.reload()
        expect(self.box).to_have_value("Half a thought")
        self.session("also-none")
        expect(self.box).to_have_value("")
        self.visit(told)
        self.write("Half a thought, and the rest")
        self.row("Half a thought, and the rest").wait_for()
        expect(self.box).to_have_value("")
        person.page.reload()
        expect(self.box).to_have_value("")

    def test_the_reason_of_a_refusal_survives_a_reload(self):
        hold = machine.held("refused", tool_name="Bash", tool_input={"command": "make it"})
        self.addCleanup(hold.is_over.set)
        person.page.goto(server.url + "/#/")
        card(person.page, "refused").get_by_role("textbox", name="Reason").fill("Use the other target")
        person.page.reload()
        again = card(person.page, "refused")
        expect(again.get_by_role("textbox", name="Reason")).to_have_value("Use the other target")
        again.get_by_role("button", name="Deny").click()
        self.assertIn("Use the other target", str(hold.decision()))
        wait_for(lambda: "other target" not in person.page.evaluate("JSON.stringify(localStorage)"), "it is not kept any longer")

    def test_signing_out_removes_drafts(self):
        other = browser.person(server)
        self.addCleanup(other.close)
        told = machine.session("left-draft").start(30).asks("Go on", 20)
        self.reaches(told, True)
        other.page.goto(f"{server.url}/#/s/{told.id}")
        other.page.get_by_role("textbox", name="Message").fill("Nobody else reads this")
        self.assertIn("Nobody else reads this", other.page.evaluate("JSON.stringify(localStorage)"))
        other.page.goto(server.url + "/#/settings/browser")
        other.page.get_by_role("button", name="Sign out").click()
        other.page.get_by_text("This browser is not signed in.").wait_for()
        self.assertNotIn("Nobody else reads this", other.page.evaluate("JSON.stringify(localStorage)"))

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
        self.session("not-interrupted")
        expect(person.page.get_by_role("button", name="Interrupt", exact=True)).to_be_enabled()

    def test_the_question_before_an_interrupt_is_gone_at_another_session(self):
        other = self.session("left-alone")
        self.session("asked-about")
        person.page.get_by_role("button", name="Interrupt").click()
        person.page.get_by_role("dialog", name="Interrupt").wait_for()
        # A tap on a notification does the same.
        self.visit(other)
        expect(person.page.get_by_role("dialog")).to_have_count(0)

    def test_a_browser_that_may_only_read_cannot_write(self):
        reader = browser.person(server, pair=False)
        self.addCleanup(reader.close)
        page = reader.sign_in("--read-only")
        self.session("readers")
        page.goto(f"{server.url}/#/s/{self.told.id}")
        expect(page.get_by_role("textbox", name="Message")).to_be_disabled()


if __name__ == "__main__":
    unittest.main()
