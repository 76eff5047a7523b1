"""What a device sends while its rights are withdrawn has no effect once the withdrawal is answered. Locks in the database hold
the request at the point of its decision."""

import threading
import time
import unittest

import test_devices as devices
from approving import Hook
from harness import Client, Postgres, Server, session, wait_for


def setUpModule():
    global postgres, server, key
    postgres = Postgres().start()
    server = devices.server = Server(DATABASE_URL=postgres.url, MONITOR_RATE_LIMIT="off").start()
    key = server.key("desk")


def tearDownModule():
    server.end()
    postgres.end()


class InFlight(unittest.TestCase):
    def setUp(self):
        self.phone = devices.pair("phone")
        self.admin = server.client()
        self.addCleanup(self.admin.close)
        self.held = Hook(server, key, session()).start()
        wait_for(lambda: self.prompt().get("answerable"), "it can be answered")

    def prompt(self):
        return server.get(f"/v1/prompts/{self.held.prompt}").json

    def answer(self):
        client = Client(server.address, self.phone["access_token"])
        self.given = client.request("POST", f"/v1/prompts/{self.held.prompt}/answer", {"decision": "allow"})
        client.close()

    def waiting(self):
        return postgres.sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'prompt_answers'::regclass") != ["0"]

    def answer_during(self, method, path, body=None):
        """The answer is about to be stored when the request is made and answered."""
        answering = threading.Thread(target=self.answer)
        with postgres.holding("LOCK TABLE prompt_answers IN ACCESS EXCLUSIVE MODE"):
            answering.start()
            wait_for(self.waiting, "the answer waits for the lock")
            begun = time.monotonic()
            withdrawn = self.admin.request(method, path, body)
            self.assertEqual(withdrawn.status, 200, withdrawn)
            # It has waited for the answer, as long as a withdrawal waits for what cannot go on.
            self.assertGreaterEqual(time.monotonic() - begun, 2)
        answering.join()
        return self.given

    def refused(self, given):
        self.assertEqual((given.status, given.json["error"]["code"]), (403, "insufficient_scope"), given)
        found = self.prompt()
        self.assertEqual((found["state"], found.get("answer")), ("open", None))
        # The operator's answer is the first one.
        answered = self.admin.request("POST", f"/v1/prompts/{self.held.prompt}/answer", {"decision": "deny"})
        self.assertEqual(answered.status, 200, answered)
        self.assertEqual(self.held.wait()["hookSpecificOutput"]["decision"]["behavior"], "deny")

    def test_of_a_revoked_device(self):
        self.refused(self.answer_during("DELETE", f"/v1/devices/{self.phone['device_id']}"))

    def test_of_a_device_that_may_no_longer_respond(self):
        self.refused(self.answer_during("DELETE", f"/v1/devices/{self.phone['device_id']}/grants/respond"))

    def test_of_a_device_that_may_respond_on_another_machine_only(self):
        server.key("rack")
        self.refused(self.answer_during("PUT", f"/v1/devices/{self.phone['device_id']}/grants/respond", {"machines": ["rack"]}))

    def test_of_a_device_that_signs_out(self):
        self.refused(self.answer_during("POST", "/api/auth/revoke", {"refresh_token": self.phone["refresh_token"]}))

    def test_of_a_device_that_keeps_its_right_counts(self):
        given = self.answer_during("PUT", f"/v1/devices/{self.phone['device_id']}/grants/respond", {"machines": ["desk"]})
        self.assertEqual(given.status, 200, given)
        self.assertEqual(self.held.wait()["hookSpecificOutput"]["decision"]["behavior"], "allow")


if __name__ == "__main__":
    unittest.main()
