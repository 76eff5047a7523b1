"""MCP servers that fail: each failure is pushed once and counted, until the server answers again."""

import unittest

import pushing
import test_devices as devices
import test_tools as tools
from agents import Refusal
from harness import Server, end_everything, make_directory, wait_for
from pushing import pair, prefer, register, to_token

TOLD = tools.told("git", tools.STATUS)
FAILS = tools.told("git", state="failed", reason="exit status 3", is_listed=False)


def setUpModule():
    global mock, phone
    directory = make_directory("failed-servers.")
    key = pushing.make_key(directory)
    mock = pushing.oracle(directory, key)
    server = tools.server = devices.server = Server(**pushing.settings(key, mock)).start()
    phone = pair(server, "watcher")
    prefer(phone, "?scope=device", privacy="plain", session_gap_seconds=0, budget={"per_hour": 600, "burst": 60})
    register(phone, "watcher")


def tearDownModule():
    end_everything()


class Failures(tools.WithMachine):
    def texts(self, count):
        """The pushes about servers of this test's machine."""

        def found():
            seen = [one["payload"]["aps"]["alert"] for one in to_token(mock, "watcher")
                    if one["payload"].get("monitor", {}).get("kind") == "server_failed"]
            own = [(one["title"], one["body"]) for one in seen if self.name in one["body"]]
            return own if len(own) >= count else None
        return wait_for(found, f"{count} pushes", 40)

    def failing(self, count):
        def told():
            text = self.ask("GET", "/metrics").body.decode()
            return f"\nmonitor_mcp_servers_failed {count}\n" in text
        wait_for(told, f"{count} servers fail", 40)

    def test_a_failure_is_told_once_until_the_server_answers_again(self):
        self.refresh(TOLD, tools.told("new", state="failed", is_listed=False))
        self.failing(0)
        for _ in range(2):
            self.refresh(FAILS, tools.told("new", state="failed", is_listed=False))
            self.failing(1)
        failure = ("The MCP server git fails", f"On {self.name}: exit status 3")
        self.assertEqual(self.texts(1), [failure])
        self.refresh(TOLD)
        self.failing(0)
        self.refresh(FAILS)
        # The server that never answered, and the failure that was told, are not among them.
        self.assertEqual(self.texts(2), [failure] * 2)
        self.refresh(TOLD)
        self.failing(0)

    def test_a_call_shows_that_the_server_fails(self):
        def ask(params):
            raise Refusal("mcp_server_failed", "The tool's server does not tell its tools: exit status 3.")
        self.agent.answers["mcp/ask"] = ask
        self.agent.state(self.chosen, "idle")
        self.refresh(TOLD)
        body = {"session_id": self.chosen, "arguments": {"path": "."}, "wait": 0}
        call = self.ask("POST", "/v1/tools/git.git_status/execute", body)
        self.assertEqual(call.status, 202, call)
        self.failing(1)
        found = self.ask("GET", f"/v1/tools/calls/{call.json['call_id']}").json
        self.assertEqual((found["status"], found["error"]["code"]), ("refused", "mcp_server_failed"))
        server = self.get("/v1/mcp/servers", machine_id=self.name)["servers"][0]
        self.assertEqual((server["state"], server["tool_count"]), ("failed", 1))
        self.assertIn("exit status 3", server["reason"])
        self.assertEqual(len(self.texts(1)), 1)
        self.refresh(TOLD)
        self.failing(0)


if __name__ == "__main__":
    unittest.main()
