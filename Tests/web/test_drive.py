"""Sessions of machines with an agent: they are started, watched while they write, switched, stopped and continued."""

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
        wait_for(lambda: server.get(f"/v1/machines/{self.machine.name}").json["agent"]["state"] == "offline", "it is away")
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
        other.page.get_by_text("monitorctl device grant").wait_for()
        other.check()


if __name__ == "__main__":
    unittest.main()
