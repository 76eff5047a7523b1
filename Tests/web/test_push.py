"""A push from the server to the service worker: encrypted for a mock push service, shown, and answered by its action."""

import json
import unittest

from notices import deliver
from scenes import Machine
from web import Browser, Server, harness, row, wait_for

import pushing


def setUpModule():
    global server, browser, mock, machine
    directory = harness.make_directory()
    key = pushing.make_key(directory)
    mock = pushing.oracle(directory, key)
    server = Server(**pushing.settings(key, mock)).start()
    machine = Machine(server, "mac-studio")
    if machine.client.request("POST", "/api/prompts", {}).status == 404:
        server.end()
        raise unittest.SkipTest("this server holds no prompts yet")
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


class Delivered(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server, permissions=["notifications"])
        self.addCleanup(self.person.close)
        self.page = self.person.page
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.worker = wait_for(lambda: self.page.evaluate("1") and self.person.context.service_workers, "the worker runs")[0]
        # Chromium's own push service cannot be reached here, so the browser gets the mock's subscription.
        self.device = server.client(self.person.tokens()["access_token"])
        offer = self.device.get("/v1/push").json
        mock.do("set", service="webpush", settings={"public_key": offer["webpush"]["application_server_key"]})
        answer = self.device.request("POST", "/v1/push/tokens", {"kind": "webpush", **mock.webpush["subscriptions"][0]})
        self.assertEqual(answer.status, 200, answer)
        # This page shows the session, which would suppress the push.
        pushing.prefer(self.device, "?scope=device", always_push=True, grace_seconds=0)

    def states(self):
        """The states of every delivery of every notice."""
        notices = self.device.get("/v1/push/decisions").json["notices"]
        return [delivery["state"] for notice in notices for delivery in notice["deliveries"]]

    def test_a_permission_is_pushed_and_the_action_answers_it(self):
        told = machine.session("pushed").start(20).asks("Do it", 10)
        hold = told.needs("Bash", 0, holds=True, command="make release")["hold"]
        self.addCleanup(hold.is_over.set)
        sent = wait_for(lambda: [one for one in mock.requests("webpush") if "make release" in json.dumps(one)], "it is pushed")
        text = json.dumps(sent[-1]["payload"])
        self.assertIn("actions", json.loads(text)["prompt"])
        card = self.page.get_by_role("article").filter(has_text="make release")
        card.wait_for()
        deliver(text, self.page, self.worker, server)
        self.worker.evaluate("""async () => {
            const [notification] = await self.registration.getNotifications()
            self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action: "allow" }))
        }""")
        self.assertEqual(hold.decision()["behavior"], "allow")
        # The card is an article for some seconds only.
        row(self.page, "pushed").get_by_text("Allowed by you").wait_for()
        wait_for(lambda: "withdrawn" in self.states(), "the reminder is taken back")
        self.page.goto(server.url + "/#/settings/notifications")
        why = self.page.get_by_role("region", name="Notification log")
        told_why = why.get_by_role("listitem").filter(has_text="The push service took it.")
        told_why.get_by_text("A tool asked for permission, and nobody answered within the grace period").wait_for()
        told_why.get_by_text("This browser").wait_for()
        reminder = why.get_by_role("listitem").filter(has_text="A tool asks for permission: reminder")
        reminder.get_by_text("Nobody had answered since the notice before.").wait_for()
        reminder.get_by_text("taken back").wait_for()
        told_why.get_by_role("link").click()
        self.page.get_by_role("region", name="Timeline").locator(".ev.found").get_by_text("make release").wait_for()
        self.person.check()

    def test_the_other_action_denies(self):
        told = machine.session("refused").start(20).asks("Do it", 10)
        hold = told.needs("Bash", 0, holds=True, command="make publish")["hold"]
        self.addCleanup(hold.is_over.set)
        sent = wait_for(lambda: [one for one in mock.requests("webpush") if "make publish" in json.dumps(one)], "it is pushed")
        deliver(json.dumps(sent[-1]["payload"]), self.page, self.worker, server)
        self.worker.evaluate("""async () => {
            const [notification] = await self.registration.getNotifications()
            self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action: "deny" }))
        }""")
        self.assertEqual(hold.decision()["behavior"], "deny")


if __name__ == "__main__":
    unittest.main()
