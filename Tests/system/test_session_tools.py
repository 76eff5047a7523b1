"""Sessions that are left with some of their MCP servers and tools."""

import unittest

import test_openapi as openapi
import test_tools as tools
from agents import Refusal
from harness import session


def setUpModule():
    tools.setUpModule()


def tearDownModule():
    tools.tearDownModule()


class Limits(tools.WithMachine):
    def setUp(self):
        super().setUp()
        self.told, self.refusal_of_limits = [], None
        self.agent.answers["session/tools"] = self.limit
        self.agent.state(self.chosen, "idle")
        # The server takes an agent's messages in order, so that it knows the state once it has this answer.
        self.refresh()

    def limit(self, params):
        if self.refusal_of_limits:
            raise self.refusal_of_limits
        self.told.append(tuple(params.get(name) for name in ("session_id", "enabled_servers", "enabled_tools", "lasting")))
        return {"denied": ["mcp__sh"], "lasting": True}

    def set(self, body, token=None, chosen=None):
        return self.ask("POST", f"/v1/sessions/{chosen or self.chosen}/tools", body, token)

    def shown(self, token=None):
        answer = self.ask("GET", f"/v1/sessions/{self.chosen}/tools", token=token)
        self.assertEqual(answer.status, 200, answer)
        openapi.check("/v1/sessions/{id}/tools", "GET", answer)
        return answer.json

    def test_a_session_is_limited_and_says_so(self):
        self.assertEqual(self.shown(), {"session_id": self.chosen, "enabled_servers": None, "enabled_tools": None,
                                        "priority": None, "denied": []})
        answer = self.set({"enabled_servers": ["git"], "enabled_tools": ["git.git_status"], "priority": ["git.git_status"],
                           "audit_log": False})
        self.assertEqual(answer.status, 200, answer)
        openapi.check("/v1/sessions/{id}/tools", "POST", answer)
        self.assertEqual(self.told, [(self.chosen, ["git"], ["git.git_status"], True)])
        self.assertEqual((answer.json["denied"], answer.json["set_by"]), (["mcp__sh"], "admin"))
        self.assertEqual(self.shown(tools.reader), answer.json)
        rows = self.get("/v1/audit", limit=20, action="session.tools")["data"]
        self.assertIn(("admin", f"session:{self.chosen}", "granted"),
                      [(row["actor"], row["object"], row["result"]) for row in rows])
        self.assertEqual(self.set({}).json["enabled_servers"], None)
        self.assertEqual(self.told[1:], [(self.chosen, None, None, True)])

    def test_what_is_refused_changes_nothing(self):
        for body, param in (([], None), ({"enabled_tools": "x"}, "enabled_tools"), ({"allowed": []}, "allowed"),
                            ({"audit_log": 1}, "audit_log"), ({"priority": [1]}, "priority")):
            answer = self.set(body)
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, param), answer)
        self.assertEqual(self.set({}, chosen=session()).status, 404)
        for status, code in ((400, "mcp_server_not_found"), (400, "tool_not_found"), (409, "session_has_terminal")):
            self.refusal_of_limits = Refusal(code)
            answer = self.set({"enabled_servers": ["x"]})
            self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)
        self.assertEqual((self.told, self.shown()["denied"]), ([], []))

    def test_an_older_agent_would_forget_it(self):
        self.agent.answers["session/tools"] = lambda params: {"denied": []}
        answer = self.set({"enabled_servers": []})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (502, "agent_outdated"), answer)

    def test_rights(self):
        for token in (tools.reader, self.key):
            self.assertEqual(self.set({}, token).status, 403)
        self.agent.close()
        self.assertIn(self.set({}).status, (409, 503))

    def test_an_erased_session_is_forgotten(self):
        self.set({"enabled_servers": []})
        self.agent.state(self.chosen, "ended", reason="exit")
        answer = self.ask("POST", "/v1/erase", {"session_id": self.chosen})
        self.assertEqual(answer.status, 200, answer)


if __name__ == "__main__":
    unittest.main()
