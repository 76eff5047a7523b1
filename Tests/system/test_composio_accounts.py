"""Links and accounts by Composio's own clients, unmodified but for `base_url`, with logins at an authorization server."""

import json
import os
import pathlib
import subprocess
import unittest

from harness import Server, end_everything
from logins import WithAccounts

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"


def setUpModule():
    global pythons
    WithAccounts.server = Server(MONITOR_TOOL_NETWORKS="127.0.0.0/8", MONITOR_RATE_LIMIT="off").start()
    (WithAccounts.server.directory / "tools.policy").write_text("tool=greet ask=no\n")
    pythons = {}
    for name in ("composio", "composio-old"):
        done = subprocess.run([CLIENTS / "environment", name], capture_output=True, text=True, timeout=700, check=False)
        assert done.returncode == 0, done.stderr
        pythons[name] = done.stdout.strip()


def tearDownModule():
    end_everything()


class Newest(WithAccounts):
    client = "composio"

    def turns(self, *steps):
        process = subprocess.run(
            [pythons[self.client], CLIENTS / "composio_turns.py", self.server.url, self.key], input=json.dumps(steps), text=True,
            capture_output=True, timeout=120, check=False,
            env={**os.environ, "COMPOSIO_CACHE_DIR": str(self.server.directory)})
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)

    def log_in(self, link):
        browser = self.browser()
        back = browser.open(self.issuer.authorize(self.leave(link, browser)))
        self.assertEqual(back.status, 200, back)

    def test_a_link_until_the_account_is_active(self):
        link, before = self.turns(["link", {"toolkit": self.name, "user_id": "anna"}], ["accounts", {"user_ids": ["anna"]}])
        self.assertEqual([(one["id"], one["status"]) for one in before["items"]], [(link["id"], "INITIALIZING")])
        self.log_in(link)
        active, done, deleted, gone = self.turns(
            ["wait_for_account", {"id": link["id"]}], ["run_tool", {"slug": self.slug(), "arguments": {}, "user_id": "anna"}],
            ["delete_account", {"id": link["id"]}], ["account", {"id": link["id"]}])
        self.assertEqual((active["id"], active["status"], active["user_id"]), (link["id"], "ACTIVE", "anna"))
        self.assertEqual((done["successful"], done["data"]), (True, {"text": "hello"}))
        self.assertTrue(deleted["success"])
        self.assertEqual((gone["raised"], gone["status_code"]), ("NotFoundError", 404))
        self.assertEqual((self.issuer.access, self.issuer.refresh), ({}, {}))

    def test_a_toolkit_is_authorized(self):
        link = self.turns(["authorize_toolkit", {"toolkit": self.name, "user_id": "anna"}])[0]
        self.log_in(link)
        self.assertEqual(self.turns(["wait_for_account", {"id": link["id"]}])[0]["status"], "ACTIVE")

    def test_a_session_authorizes(self):
        created, missing, link = self.turns(
            ["create", {"user_id": "anna", "toolkits": [self.name]}], ["toolkits", {}], ["authorize", {"toolkit": self.name}])
        self.assertEqual([(kit["slug"], kit["is_no_auth"]) for kit in missing["items"]], [(self.name, False)])
        self.log_in(link)
        _, kits, done = self.turns(
            ["use", {"session_id": created["session_id"]}], ["toolkits", {}], ["execute", {"slug": self.slug(), "arguments": {}}])
        self.assertEqual([kit["slug"] for kit in kits["items"]], [self.name])
        self.assertEqual((done["error"], done["data"]), (None, {"text": "hello"}))


class Old(Newest):
    client = "composio-old"


if __name__ == "__main__":
    unittest.main()
