"""Sessions of machines with an agent: they are started, watched while they write, switched, stopped and continued."""

import base64
import re
import unittest

from playwright.sync_api import expect
from web import Browser, Server, wait_for
import agents  # From the system tests, which `web` adds to the path.
import transcripts
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


class Driving(unittest.TestCase):
    number = 0

    def setUp(self):
        Driving.number += 1
        self.machine = Machine(server, f"studio-{Driving.number}")
        self.machine.session("garden").start(30).asks("Go on", 20)
        self.agent = agents.Agent(server, self.machine.key, **{"session/stop": self.stop}).greet()
        self.addCleanup(self.agent.close)
        self.addCleanup(person.check)
        self.page = person.page
        self.page.goto("about:blank")
        self.page.goto(f"{server.url}/")

    def stop(self, params):
        self.agent.state(params["session_id"], "ended", reason="stopped")
        return {"left_running": [{"pid": 7, "command": "vite --host"}]}

    def dialog(self):
        self.page.get_by_role("button", name="New session").click()
        dialog = self.page.get_by_role("dialog", name="New session")
        dialog.get_by_label("Machine").select_option(self.machine.name)
        return dialog

    def started(self):
        dialog = self.dialog()
        dialog.get_by_label("Project").select_option(label="Another directory…")
        dialog.get_by_role("textbox", name="Directory").fill("/home/dev/app")
        dialog.get_by_label("First message").fill("Water the plants.")
        dialog.get_by_role("button", name="Start").click()
        asked = self.agent.wait_for("session/start")[0]
        self.page.wait_for_url(f"**/#/s/{asked['session_id']}")
        return asked

    def test_a_session_is_started_with_its_first_message(self):
        asked = self.started()
        self.assertEqual((asked["directory"], asked["mode"], asked["by"]["kind"]), ("/home/dev/app", "default", "device"))
        self.assertEqual(self.agent.wait_for("session/send")[0]["content"], "Water the plants.")

    def test_pictures_go_with_a_message(self):
        self.started()
        box = self.page.get_by_role("textbox", name="Message")
        # The box takes pictures once the page knows that an agent runs the session.
        self.page.get_by_role("button", name="Add a picture").wait_for()
        # A screenshot is pasted. It is larger than what is sent as it is.
        self.page.evaluate("""async () => {
            const canvas = document.createElement("canvas")
            canvas.width = canvas.height = 2400
            const drawing = canvas.getContext("2d")
            const noise = drawing.createImageData(2400, 2400)
            for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256
            drawing.putImageData(noise, 0, 0)
            const blob = await new Promise((done) => canvas.toBlob(done, "image/png"))
            const files = new DataTransfer()
            files.items.add(new File([blob], "screen.png", { type: "image/png" }))
            const box = document.querySelector("form.send textarea")
            box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true }))
        }""")
        pictures = self.page.get_by_role("list", name="Pictures")
        pictures.get_by_role("img", name="screen.png").wait_for()
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name="Add a picture").click()
        small = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        chooser.value.set_files([{"name": name, "mimeType": "image/png", "buffer": small} for name in ("one.png", "two.png")])
        pictures.get_by_role("button", name="Remove one.png").click()
        pictures.get_by_role("img", name="one.png").wait_for(state="detached")
        box.fill("What is wrong here?")
        box.press("Enter")
        sent = self.agent.wait_for("session/send", 2)[1]
        self.assertEqual((sent["content"], [one["media_type"] for one in sent["images"]]),
                         ("What is wrong here?", ["image/jpeg", "image/png"]))
        parts = [params for name, params in self.agent.commands if name == "upload/part"]
        self.assertEqual(base64.b64decode("".join(one["data"] for one in parts
                                                  if one["upload"] == sent["images"][1]["upload"])), small)
        pictures.wait_for(state="detached")

    def test_what_claude_writes_is_shown_until_the_message_is_there(self):
        chosen = self.started()["session_id"]
        piece = {"session_id": chosen, "message_id": "msg_1"}
        writing = self.page.get_by_role("article", name="Claude is writing")
        # The socket of the session may open a moment later; then it gets the text so far.
        self.agent.tell("session/partial", {**piece, "text": "The roses <b>first"})
        writing.get_by_text("The roses <b>first").wait_for()
        self.agent.tell("session/partial", {**piece, "text": ", then the lawn."})
        writing.get_by_text(", then the lawn.").wait_for()
        self.agent.tell("session/partial", {**piece, "text": "", "closed": True})
        # The hook is another connection: it must not overtake the end of the text.
        self.agent.state(chosen, "idle", parked=True)
        self.page.get_by_text("The next message wakes the session.").wait_for()
        stop = agents.envelope(dict(agents.hook("Stop", chosen, last_assistant_message="The roses first, then the lawn."),
                                    cwd="/home/dev/app"))
        self.assertEqual(self.machine.client.request("POST", "/api/events", stop).status, 202)
        writing.wait_for(state="detached")
        self.page.get_by_role("region", name="Timeline").get_by_text("The roses first, then the lawn.").wait_for()

    def test_a_session_is_switched_and_stopped(self):
        chosen = self.started()["session_id"]
        self.page.get_by_label("Permission mode").select_option("plan")
        self.assertEqual(self.agent.wait_for("session/set")[0]["mode"], "plan")
        self.page.get_by_role("button", name="Stop").click()
        dialog = self.page.get_by_role("dialog", name="Stop the session?")
        dialog.get_by_role("button", name="Stop").click()
        self.assertEqual(self.agent.wait_for("session/stop")[0]["session_id"], chosen)
        self.page.get_by_text("Still running on the machine: vite --host").wait_for()
        self.page.get_by_role("button", name="Continue", exact=True).click()
        self.page.get_by_role("dialog", name="New session").get_by_role("button", name="Start").click()
        self.assertEqual(self.agent.wait_for("session/start", 2)[1]["resume"], chosen)

    def test_a_session_goes_back_to_before_a_message(self):
        chosen = self.started()["session_id"]
        written = transcripts.Transcript(chosen)
        written.user("Water the plants.")
        message = written.user("Cut the <b>hedge</b>.")["uuid"]
        written.user("a caveat", isMeta=True)
        written.assistant([transcripts.text("Cut.")])
        transcripts.Sender(server, self.machine.key, chosen).send(written.bytes)
        wait_for(lambda: len(server.get(f"/v1/sessions/{chosen}/messages?view=blocks").json["data"]) == 4, "the conversation")
        self.agent.answers["session/rewind"] = lambda params: {
            "files": ["/home/dev/app/garden.ts"], "insertions": 4, "deletions": 1,
            **({} if params["dry_run"] else {"text": "Cut the <b>hedge</b>."})}
        self.page.locator("details.menu summary").click()
        self.page.get_by_role("button", name="Rewind…").click()
        dialog = self.page.get_by_role("dialog", name="Rewind the session")
        expect(dialog.get_by_role("list", name="Your messages").get_by_role("button")).to_have_count(2)
        dialog.get_by_role("button", name=re.compile("hedge")).click()
        dialog.get_by_text("1 file goes back: +4 −1 lines").wait_for()
        dialog.get_by_text("/home/dev/app/garden.ts").wait_for()
        dialog.get_by_label("Only the conversation").check()
        dialog.get_by_text("1 file goes back").wait_for(state="detached")
        dialog.get_by_label("Files and conversation").check()
        dialog.get_by_text("1 file goes back").wait_for()
        self.assertEqual([params["dry_run"] for name, params in self.agent.commands if name == "session/rewind"], [True] * 3)
        dialog.get_by_role("button", name="Rewind").click()
        dialog.wait_for(state="detached")
        asked = self.agent.wait_for("session/rewind", 4)[3]
        self.assertEqual((asked["message_id"], asked["dry_run"]), (message, False))
        expect(self.page.get_by_role("textbox", name="Message")).to_have_value("Cut the <b>hedge</b>.")

    def test_why_a_session_cannot_go_back(self):
        chosen = self.started()["session_id"]
        self.page.locator("details.menu summary").click()
        self.page.get_by_role("button", name="Rewind…").click()
        dialog = self.page.get_by_role("dialog", name="Rewind the session")
        dialog.get_by_text("The server knows no message of this session").wait_for()
        dialog.get_by_role("button", name="Cancel").click()
        written = transcripts.Transcript(chosen)
        written.user("Water the plants.")
        transcripts.Sender(server, self.machine.key, chosen).send(written.bytes)
        wait_for(lambda: len(server.get(f"/v1/sessions/{chosen}/messages?view=blocks").json["data"]) == 1, "the conversation")

        def refuse(params):
            raise agents.Refusal("cannot_rewind", "Claude Code cannot rewind: No file checkpoint found.")
        self.agent.answers["session/rewind"] = refuse
        self.page.locator("details.menu summary").click()
        self.page.get_by_role("button", name="Rewind…").click()
        dialog.get_by_role("button", name=re.compile("Water the plants")).click()
        dialog.get_by_text("No file checkpoint found").wait_for()
        expect(dialog.get_by_role("button", name="Rewind")).to_be_disabled()
        dialog.get_by_role("button", name="Back").click()
        dialog.get_by_role("button", name="Cancel").click()

    def spoken_to(self):
        """A session that takes messages, which stay with Claude Code."""
        self.agent.answers.update({
            "session/send": lambda params: {"queued": True}, "session/cancel": lambda params: {"cancelled": True},
            "session/commands": lambda params: {"commands": [
                {"name": "clear", "description": "Begin a new conversation"}, {"name": "compact", "argument_hint": "[instructions]"}]}})
        chosen = self.started()["session_id"]
        self.agent.wait_for("session/send")
        self.box = self.page.get_by_role("textbox", name="Message")
        self.box.wait_for()
        return chosen

    def row(self, text):
        return self.page.locator(".message").filter(has_text=text)

    def test_a_slash_is_a_text_unless_it_is_asked_for_as_a_command(self):
        self.spoken_to()
        self.box.fill("/co")
        self.page.get_by_role("button", name="/compact").click()
        expect(self.box).to_have_value("/compact ")
        self.box.fill("/compact briefly")
        self.page.get_by_role("button", name="Run as a command").click()
        self.row("/compact briefly").get_by_text("Command").wait_for()
        self.assertEqual(self.agent.wait_for("session/send", 2)[1]["as"], "command")
        # The row may come before the answer, and until the answer Enter sends nothing.
        expect(self.box).to_have_value("")
        self.box.fill("/etc/hosts is empty")
        expect(self.page.get_by_role("button", name="Run as a command")).to_be_disabled()
        self.box.press("Enter")
        self.row("/etc/hosts").wait_for()
        self.assertEqual(self.row("/etc/hosts").get_by_text("Command").count(), 0)

    def test_a_message_that_waits_in_the_session_is_taken_back(self):
        self.spoken_to()
        self.row("Water the plants.").get_by_text("delivered").wait_for()
        self.row("Water the plants.").get_by_role("button", name="Cancel").click()
        self.row("Water the plants.").get_by_text("cancelled").wait_for()

    def test_stop_takes_back_what_waits(self):
        chosen = self.spoken_to()
        sent = self.agent.wait_for("session/send")[0]["message_id"]
        self.agent.answers["session/interrupt"] = lambda params: {"cancelled": [sent]}
        prompt = agents.envelope(dict(agents.hook("UserPromptSubmit", chosen, prompt="Go"), cwd="/home/dev/app"))
        self.assertEqual(self.machine.client.request("POST", "/api/events", prompt).status, 202)
        self.page.get_by_role("button", name="Interrupt").click()
        dialog = self.page.get_by_role("dialog", name="Interrupt")
        self.assertTrue(dialog.get_by_label("Also take back the messages that wait").is_checked())
        dialog.get_by_role("button", name="Confirm").click()
        self.assertIs(self.agent.wait_for("session/interrupt")[0]["cancel_queued"], True)
        self.page.get_by_text("1 message taken back").wait_for()
        self.row("Water the plants.").get_by_text("cancelled").wait_for()

    def test_a_session_says_that_it_sleeps_and_where_it_goes_on(self):
        chosen = self.spoken_to()
        self.agent.state(chosen, "idle", parked=True)
        self.page.get_by_text("The next message wakes the session.").wait_for()
        new = chosen[:-4] + "c1ea"
        self.agent.state(chosen, "ended", reason="clear")
        self.agent.state(new, "idle", continues=chosen)
        self.page.get_by_text("After /clear the session goes on as another one.").wait_for()
        self.page.get_by_role("link", name="Open it").click()
        self.page.wait_for_url(f"**/#/s/{new}")

    def test_the_context_is_claude_codes_own_count(self):
        self.agent.answers["session/context"] = lambda params: {"totalTokens": 50_000, "maxTokens": 200_000}
        self.spoken_to()
        ring = self.page.get_by_role("img", name=re.compile("^Context: 75% left"))
        ring.wait_for()
        expect(ring).to_have_class(re.compile(r"\bring\b"))

    def test_an_untrusted_directory_is_started_restricted_after_a_question(self):
        def refuse(params):
            if params.get("restricted"):
                return self.agent.start_session(params)
            raise agents.Refusal("untrusted_directory")
        self.agent.answers["session/start"] = refuse
        dialog = self.dialog()
        dialog.get_by_label("Project").select_option(label="Another directory…")
        dialog.get_by_role("textbox", name="Directory").fill("/home/dev/strange")
        dialog.get_by_role("button", name="Start").click()
        dialog.get_by_text("Nobody has accepted this directory").wait_for()
        dialog.get_by_label("Start without the directory's settings").check()
        dialog.get_by_role("button", name="Start").click()
        self.assertIs(self.agent.wait_for("session/start", 2)[1]["restricted"], True)

    def test_a_machine_that_is_away_is_not_offered(self):
        self.agent.close()
        # Those of the tests before end at about the same time.
        for number in range(1, Driving.number + 1):
            wait_for(lambda: server.get(f"/v1/machines/studio-{number}").json["agent"]["state"] == "offline", "it is away")
        self.page.reload()
        self.page.get_by_role("button", name="New session").click()
        self.page.get_by_role("dialog", name="New session").get_by_text("The agent of no machine is connected").wait_for()


class Rights(unittest.TestCase):
    def test_a_device_without_control_is_told_how_to_get_it(self):
        agent = agents.Agent(server, Machine(server, "shed").key).greet()
        self.addCleanup(agent.close)
        other = browser.person(server)
        self.addCleanup(other.close)
        other.page.get_by_role("button", name="New session").click()
        # A list without sessions names the command, too.
        other.page.get_by_role("dialog", name="New session").get_by_text("monitorctl device grant").wait_for()
        other.check()


if __name__ == "__main__":
    unittest.main()
