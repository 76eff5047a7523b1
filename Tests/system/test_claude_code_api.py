"""What clients of claude-code-api rely on: its routes, members and codes, and what is different here on purpose."""

import unittest

import harness
import test_project_chat as projects
from harness import Client
from test_chat import PATH, Stream, made

PROJECT = {"id", "name", "path", "created_at", "updated_at", "is_active"}
SESSION = {"id", "project_id", "created_at", "updated_at", "is_active", "total_tokens", "message_count"}
PAGE = {"page", "per_page", "total_items", "total_pages", "has_next", "has_prev"}
MODEL = {"id", "object", "created", "owned_by"}
USAGE = {"prompt_tokens", "completion_tokens", "total_tokens"}


def setUpModule():
    global server
    projects.setUpModule()
    server = projects.server


def tearDownModule():
    harness.end_everything()


class Case(projects.ProjectChat):
    """A key may do what the suite does with its projects and sessions; the operator makes and deletes them."""

    def setUp(self):
        super().setUp()
        self.client = made("read", "control", "chat", machines=[self.machine.name])
        self.operator = server.client()

    def has(self, members, value):
        self.assertLessEqual(members, set(value), value)

    def got(self, answer, status=200):
        self.assertEqual(answer.status, status, answer)
        return answer.json


class Reads(Case):
    def test_the_signpost(self):
        root = self.got(Client(server.address).get("/"))
        self.has({"name", "version", "endpoints", "docs", "health"}, root)
        self.has({"chat", "models", "projects", "sessions"}, root["endpoints"])
        for path in [*root["endpoints"].values(), root["docs"], root["health"]]:
            self.assertNotEqual(self.operator.get(path).status, 404, path)

    def test_health(self):
        health = self.got(Client(server.address).get("/health"))
        self.has({"version", "claude_version", "active_sessions"}, health)
        self.assertEqual(health["status"], "healthy")

    def test_models(self):
        found = self.got(self.client.get("/v1/models"))
        self.assertEqual(found["object"], "list")
        self.assertTrue(found["data"])
        for model in found["data"]:
            self.has(MODEL, model)
        chosen = found["data"][0]["id"]
        self.assertEqual(self.got(self.client.get(f"/v1/models/{chosen}"))["id"], chosen)
        self.refused(self.client.get("/v1/models/gpt-4"), 404, "model_not_found")
        capabilities = self.got(self.client.get("/v1/models/capabilities"))
        self.has({"models", "total"}, capabilities)
        self.has({"id", "name", "description", "max_tokens", "supports_streaming", "supports_tools", "pricing"},
                 capabilities["models"][0])

    def test_projects(self):
        made = self.got(self.operator.request("POST", "/v1/projects", {"name": "Test Project", "description": "d"}))
        self.has(PROJECT, made)
        place = "/v1/projects/" + made["id"]
        self.assertEqual(self.got(self.operator.get(place))["name"], "Test Project")
        page = self.got(self.operator.get("/v1/projects?page=1&per_page=10"))
        self.has(PAGE, page["pagination"])
        self.assertIn(made["id"], [one["id"] for one in self.got(self.operator.get("/v1/projects?per_page=200&page=1"))["data"]])
        self.assertEqual(self.got(self.operator.request("DELETE", place)), {"project_id": made["id"], "status": "deleted"})
        self.refused(self.operator.get(place), 404, "project_not_found")

    def test_sessions(self):
        body = {"project_id": self.machine.project, "title": "t", "model": "haiku", "system_prompt": "Be brief."}
        made = self.got(self.client.request("POST", "/v1/sessions", body), 201)
        self.has(SESSION, made)
        self.assertEqual(made["project_id"], self.machine.project)
        self.assertEqual(self.got(self.client.get("/v1/sessions/" + made["id"]))["id"], made["id"])
        page = self.got(self.client.get(f"/v1/sessions?project_id={self.machine.project}&page=1&per_page=10"))
        self.has(PAGE, page["pagination"])
        self.assertEqual([one["id"] for one in page["data"]], [made["id"]])
        stats = self.got(self.client.get("/v1/sessions/stats"))
        self.has({"session_stats"}, stats)
        self.has({"active_sessions", "total_tokens", "total_cost", "total_messages"}, stats["session_stats"])
        self.refused(self.client.get("/v1/sessions/none"), 404, "session_not_found")


class Chats(Case):
    def test_a_whole_answer(self):
        answer = self.ask(self.body())
        body = self.got(answer)
        self.assertRegex(body["id"], r"\Achatcmpl-")
        self.assertEqual((body["object"], body["project_id"]), ("chat.completion", self.machine.project))
        self.has({"created", "model", "session_id"}, body)
        self.has(USAGE, body["usage"])
        choice, = body["choices"]
        self.assertEqual((choice["index"], choice["message"]["role"], choice["message"]["content"], choice["finish_reason"]),
                         (0, "assistant", "Hello!", "stop"))

    def test_a_stream(self):
        self.machine.script = lambda message: self.machine.says("Hel", "lo!")
        stream = Stream(self.client, self.body())
        events = list(stream.events())
        for name, value in (("cache-control", "no-cache"), ("x-accel-buffering", "no"), ("x-project-id", self.machine.project)):
            self.assertEqual(stream.answer.getheader(name), value)
        self.assertTrue(stream.answer.getheader("x-session-id"))
        self.assertEqual(events.pop(), "DONE")
        deltas = [event["choices"][0] for event in events]
        self.assertEqual(deltas[0]["delta"], {"role": "assistant", "content": ""})
        self.assertEqual((deltas[-1]["delta"], deltas[-1]["finish_reason"]), ({}, "stop"))
        self.assertEqual("".join(one["delta"].get("content", "") for one in deltas), "Hello!")

    def test_a_session_goes_on_and_tells_its_status(self):
        first = self.got(self.ask(self.body("One")))["session_id"]
        again = self.got(self.ask({"messages": [{"role": "user", "content": "Two"}], "session_id": first}))
        self.assertEqual(again["session_id"], first)
        status = self.got(self.client.get(f"{PATH}/{first}/status"))
        self.assertEqual((status["session_id"], status["project_id"], status["is_running"]), (first, self.machine.project, False))
        self.has({"created_at", "updated_at", "total_tokens", "message_count"}, status)
        self.assertEqual(self.got(self.client.request("DELETE", f"{PATH}/{first}")), {"session_id": first, "status": "stopped"})
        self.refused(self.client.get(f"{PATH}/none/status"), 404, "session_not_found")
        self.refused(self.client.request("DELETE", f"{PATH}/none"), 404, "session_not_found")

    def test_codes_of_what_is_wrong(self):
        self.refused(self.ask({"messages": [], "project_id": self.machine.project}), 400, "missing_messages")
        self.refused(self.ask({**self.body(), "messages": [{"role": "system", "content": "x"}]}), 400, "missing_user_message")
        self.refused(self.ask(self.body(session_id="none", project_id=None)), 404, "session_not_found")
        self.refused(self.ask(self.body(project_id="none")), 404, "project_not_found")
        self.assertEqual(self.client.request("POST", PATH, b"{not json").status, 400)
        for credential, code in ((None, "missing_api_key"), ("wrong-key", "invalid_api_key")):
            answer = self.refused(Client(server.address, credential).request("POST", PATH, self.body()), 401, code)
            self.assertEqual(answer.json["error"]["type"], "authentication_error")

    def test_a_busy_session(self):
        first = self.got(self.ask(self.body("One")))["session_id"]
        self.machine.script = lambda message: None
        more = {"messages": [{"role": "user", "content": "Two"}], "session_id": first}
        thread, answers = self.asking(more)
        self.machine.wait_for_message(2)
        self.refused(self.ask({**more, "messages": [{"role": "user", "content": "Three"}]}), 409, "session_busy")
        self.machine.says("Two.")
        thread.join(20)
        self.assertEqual(answers[0].status, 200, answers)


class Differences(Case):
    """The table of the documentation, row by row."""

    def rows(self):
        text = (harness.ROOT / "docs/chat.md").read_text().split("## Beside claude-code-api\n")[1].split("\n## ")[0]
        rows = [row for row in text.splitlines() if row.startswith("| ") and "claude-code-api" not in row]
        return [row.split(" | ")[0].lstrip("| ") for row in rows]

    def test_every_row_has_a_test(self):
        tested = " ".join(name for name in dir(self) if name.startswith("test_row_"))
        for row in self.rows():
            word = next((word for word in ("key", "without_a_project", "model", "tools", "permissions", "debug", "body",
                                           "cost", "deleting", "sessions") if word.replace("_", " ") in row.replace("`", "")), None)
            self.assertIsNotNone(word, row)
            self.assertIn("test_row_" + word, tested)

    def test_row_key(self):
        self.refused(Client(server.address).request("POST", PATH, self.body()), 401, "missing_api_key")
        self.refused(Client(server.address).get(f"/v1/sessions?api_key={self.client.credential}"), 401, "missing_api_key")

    def test_row_without_a_project(self):
        self.machine.agent.answers["chat/run"] = lambda params: projects.DONE
        body = self.got(self.ask({"messages": [{"role": "user", "content": "Hello"}]}))
        self.assertNotIn("project_id", body)
        self.assertEqual(self.machine.started, [])

    def test_row_model(self):
        self.machine.agent.answers["chat/run"] = lambda params: {
            "failure": {"kind": "model_not_found", "message": "There is no model gpt-4."}}
        answer = self.ask({"model": "gpt-4", "messages": [{"role": "user", "content": "Hello"}]})
        self.refused(answer, 404, "model_not_found", "model")

    def test_row_tools(self):
        def script(message):
            self.machine.step("tool", id="toolu_1", name="Bash")
            self.machine.step("tool_ended", id="toolu_1", is_error=False)
            self.machine.says("Done.")
        self.machine.script = script
        body = self.got(self.ask(self.body()))
        self.assertNotIn("tool_calls", body["choices"][0]["message"])
        self.assertEqual([tool["name"] for tool in body["monitor"]["tools"]], ["Bash"])

    def test_row_permissions(self):
        self.got(self.ask(self.body()))
        self.assertEqual(self.machine.started[0]["mode"], "default")

    def test_row_body(self):
        self.assertEqual(self.ask(self.body(n="many")).status, 400)
        self.refused(self.ask({"model": "haiku"}), 400, "missing_messages")

    def test_row_deleting(self):
        made = self.got(self.client.request("POST", "/v1/sessions", {"project_id": self.machine.project}), 201)
        gone = self.got(self.operator.request("DELETE", "/v1/sessions/" + made["id"]))
        self.assertEqual((gone["session_id"], gone["status"]), (made["id"], "ended"))

    def test_row_cost(self):
        first = self.got(self.ask(self.body()))["session_id"]
        self.assertNotIn("total_cost", self.got(self.client.get(f"{PATH}/{first}/status")))

    def test_row_sessions(self):
        self.got(self.client.request("POST", "/v1/sessions", {"project_id": self.machine.project}), 201)
        self.assertEqual(len(self.machine.started), 1)

    def test_row_debug(self):
        plan = self.got(self.client.request("POST", f"{PATH}/debug", self.body()))
        self.assertEqual(plan["action"], "start")
        self.assertEqual(self.machine.started, [])


if __name__ == "__main__":
    unittest.main()
