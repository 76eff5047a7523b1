"""A chat from the home screen: where it can begin, its first message and pictures."""

import base64
import unittest
import uuid

from playwright.sync_api import expect
from chatting import Case
from web import PHONE, Browser
import agents  # From the system tests, which `web` adds to the path.
from scenes import Machine, Told

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def setUpModule():
    Case.browser = unittest.enterModuleContext(Browser())


class Begun(Case):
    def test_a_message_starts_a_session_whose_view_shows_what_claude_writes(self):
        agent = self.connect()
        person = self.person()
        self.box.fill("Water the plants.")
        expect(self.page.get_by_role("combobox", name="Where")).to_have_value(self.project(self.told))
        self.look(self.page, "the composer")
        self.send()
        asked = agent.wait_for("session/start")[0]
        self.assertEqual((asked["directory"], asked["mode"]), ("/home/dev/garden", "default"))
        self.assertEqual(agent.wait_for("session/send")[0]["content"], "Water the plants.")
        self.page.wait_for_url(f"**/#/s/{asked['session_id']}")
        agent.tell("session/partial", {"session_id": asked["session_id"], "message_id": "m", "text": "The roses first"})
        self.page.get_by_role("article", name="Claude is writing").get_by_text("The roses first").wait_for()
        self.page.get_by_role("button", name="Stop").wait_for()
        self.page.get_by_role("region", name="Timeline").wait_for()
        self.page.go_back()
        expect(self.box).to_have_value("")
        person.check()

    def test_pictures_are_pasted_chosen_and_taken(self):
        agent = self.connect()
        phone = self.person(viewport=PHONE, has_touch=True, is_mobile=True)
        self.box.tap()
        for name in ("Add a picture", "Take a picture"):
            with self.page.expect_file_chooser() as chooser:
                self.page.get_by_role("button", name=name).tap()
            chooser.value.set_files([{"name": name + ".png", "mimeType": "image/png", "buffer": PIXEL}])
            self.page.get_by_role("img", name=name + ".png").wait_for()
        self.assertEqual(self.page.locator("input[capture=environment]").count(), 1)
        self.page.evaluate("""(data) => {
            const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0))
            const files = new DataTransfer()
            files.items.add(new File([bytes], "pasted.png", { type: "image/png" }))
            document.querySelector(".composer textarea").dispatchEvent(
                new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true }))
        }""", base64.b64encode(PIXEL).decode())
        self.page.get_by_role("img", name="pasted.png").wait_for()
        self.box.fill("What are these?")
        self.look(self.page, "the composer on a phone")
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        self.page.get_by_role("form", name="Ask Claude").get_by_role("button", name="Send", exact=True).tap()
        self.assertEqual(len(agent.wait_for("session/send")[0]["images"]), 3)
        phone.check()

    def test_the_projects_default_model_counts(self):
        agent = self.connect()
        project = self.project(self.told)
        self.server.client(self.server.admin).request("PATCH", f"/v1/projects/{project}", {"settings": {"default_model": "haiku"}})
        self.person()
        self.box.fill("Hello")
        expect(self.page.get_by_role("combobox", name="Where")).to_have_value(project)
        self.box.press("Enter")
        self.assertEqual(agent.wait_for("session/start")[0]["model"], "haiku")

    def test_only_projects_where_it_can_begin_are_offered_and_the_choice_is_kept(self):
        self.connect()
        shed = Machine(self.server, "shed")
        away = Told(shed, str(uuid.uuid4()), "/home/dev/shed").start(9)
        outside = Told(self.machine, str(uuid.uuid4()), "/srv/outside").start(8)
        other = Told(self.machine, str(uuid.uuid4()), "/home/dev/orchard").start(90)
        self.person()
        self.box.fill("Hello")
        where = self.page.get_by_role("combobox", name="Where")
        expect(where).to_have_value(self.project(self.told))
        offered = where.locator("option").evaluate_all("(all) => all.map((one) => one.value)")
        self.assertEqual(set(offered), {self.project(self.told), self.project(other)}, (away, outside))
        where.select_option(self.project(other))
        self.send()
        self.page.wait_for_url("**/#/s/*")
        self.page.go_back()
        self.box.fill("More")
        expect(where).to_have_value(self.project(other))

    def test_what_is_typed_stays_and_a_refusal_is_said(self):
        def refuse(params):
            if params.get("restricted"):
                return agent.start_session(params)
            raise agents.Refusal("untrusted_directory")
        agent = self.connect()
        agent.answers["session/start"] = refuse
        self.person()
        self.box.fill("Look around")
        self.page.reload()
        expect(self.box).to_have_value("Look around")
        self.send()
        self.page.get_by_text("Nobody has accepted this directory").wait_for()
        expect(self.box).to_have_value("Look around")
        self.page.get_by_role("button", name="Start restricted").click()
        self.page.wait_for_url("**/#/s/*")
        self.assertIs(agent.wait_for("session/start", 2)[1]["restricted"], True)

    def test_the_whole_dialog_takes_over_what_was_typed(self):
        self.connect()
        self.person()
        self.box.fill("Plan it first")
        self.page.get_by_role("button", name="Mode, model and more…").click()
        dialog = self.page.get_by_role("dialog", name="New session")
        expect(dialog.get_by_label("First message")).to_have_value("Plan it first")
        expect(dialog.get_by_label("Project")).to_have_value("/home/dev/garden")


if __name__ == "__main__":
    unittest.main()
