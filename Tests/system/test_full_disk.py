"""A full disk: what the server reports while it cannot store events, and afterwards."""

import os
import subprocess
import time
import unittest

import harness
from harness import Client, Server, end_everything, envelope, hook, make_directory, session, wait_for


def tearDownModule():
    end_everything()


class FullDisk(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root mounts a file system of its own")
        self.disk = make_directory("full-disk.")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=0700", "tmpfs", self.disk],
                              capture_output=True, check=False, timeout=20)
        if done.returncode != 0:
            self.skipTest("a file system cannot be mounted here")
        # This also runs if the tests are interrupted.
        harness._ends.append(lambda: subprocess.run(["umount", "-l", self.disk], check=False, timeout=20))
        self.disk.chmod(0o755)
        self.server = Server(directory=self.disk / "data", MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full")
        self.server.output = make_directory() / "output"
        self.server.log = self.server.output.with_name("log")

    def fill(self):
        with open(self.disk / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
            except OSError:
                pass
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def post(self, client):
        # Random text cannot be compressed, so its row needs space.
        text = os.urandom(30_000).hex()
        try:
            return client.request("POST", "/api/events",
                                  envelope(hook("UserPromptSubmit", self.session, prompt=text))).status
        except OSError:
            return 0

    def test_health_says_that_events_are_not_taken_and_then_that_they_are(self):
        self.server.start()
        self.addCleanup(self.server.end)
        self.session = session()
        client = Client(self.server.address, self.server.key("full"))
        self.assertEqual(self.post(client), 202)
        self.fill()
        wait_for(lambda: self.post(client) == 503, "events are not taken", 60, pause=0.01)
        refused, deadline = 0, time.monotonic() + 12
        while time.monotonic() < deadline:
            status = self.post(client)
            refused = refused + 1 if status == 503 else 0
            for _ in range(10):
                health, body = self.server.health()
                if refused > 1:
                    self.assertEqual((health, body.get("status")), (503, "degraded"), body)
                time.sleep(0.1)
        self.assertEqual(self.server.health()[0], 503)
        os.unlink(self.disk / "filler")
        # There are no posts here: a proxy that uses /health sends none to a server that is not healthy.
        wait_for(lambda: self.server.health()[0] == 200, "it is healthy again without a post", 15, pause=0.2)
        wait_for(lambda: self.post(client) == 202, "all is well again", 60, pause=0.2)

    def test_an_erasure_is_whole_or_refused(self):
        """While the disk is full, nothing is erased in part; afterwards an erasure is complete."""
        self.server.start()
        self.addCleanup(self.server.end)
        self.session, gone, kept = session(), session(), session()
        client = Client(self.server.address, self.server.key("full"), timeout=60)
        for chosen in (kept, gone):
            for _ in range(20):
                answer = client.request("POST", "/api/events", envelope(hook("UserPromptSubmit", chosen, prompt="zanzibarite")))
                self.assertEqual(answer.status, 202)
        self.fill()
        wait_for(lambda: self.post(client) == 503, "events are not taken", 60, pause=0.01)
        admin = Client(self.server.address, self.server.admin, timeout=60)

        def erase():
            try:
                return admin.request("POST", "/v1/erase", {"session_id": gone}).status
            except OSError:
                return 0
        first = erase()
        self.assertIn(first, (200, 500, 503))
        os.unlink(self.disk / "filler")
        wait_for(lambda: self.post(client) == 202 and self.server.health()[0] == 200, "all is well again", 60, pause=0.2)
        if first != 200:
            found = self.server.get(f"/v1/sessions/{gone}/events?limit=900")
            self.assertEqual((found.status, len(found.json["events"])), (200, 20))
            wait_for(lambda: erase() == 200, "the erasure", 60, pause=1)
        self.assertEqual(self.server.get(f"/v1/sessions/{gone}").status, 404)
        found = self.server.get("/v1/search?q=zanzibarite&limit=100").json["results"]
        self.assertEqual(([one["session_id"] for one in found]), [kept] * 20)


if __name__ == "__main__":
    unittest.main()
