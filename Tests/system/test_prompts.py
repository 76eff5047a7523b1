"""Prompts, which are what sessions ask a person: one row for each prompt, from the event that opens it to the event that ends
it."""

import unittest

import harness
from harness import Client, Server, envelope, hook, session

CALL = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "rm -rf build"}}
REQUEST = {name: CALL[name] for name in ("tool_name", "tool_input")}
MODES = {"tool_use_id": "toolu_q", "tool_name": "AskUserQuestion", "tool_input": {"questions": [
    {"question": "Which branch?", "header": "Branch", "options": [{"label": "main"}, {"label": "next"}]}]}}


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("prompting")


def tearDownModule():
    server.end()


def happens(chosen, *hooks, ago=60):
    """Posts hooks, a second apart. Returns their ids."""
    items = [envelope(hook(name, chosen, **fields), at=harness.iso(number - ago))
             for number, (name, fields) in enumerate(hooks)]
    client = Client(server.address, key)
    answer = client.request("POST", "/api/events", items)
    client.close()
    assert answer.status == 202 and answer.json["accepted"] == len(items), answer
    return [item["event_id"] for item in items]


def prompts(chosen, more=""):
    answer = server.get(f"/v1/prompts?session_id={chosen}{more}")
    assert answer.status == 200, answer
    return answer.json["prompts"]


class Life(unittest.TestCase):
    def expect(self, hooks, kind, state, by=None, decision=None, evidence=-1, opened=0):
        """These hooks make one prompt. One of them opens it, and another ends it as expected."""
        chosen = session()
        ids = happens(chosen, *hooks[:opened + 1], ago=120)
        found, = prompts(chosen)
        self.assertEqual((found["kind"], found["state"]), (kind, "open"))
        self.assertEqual(found["id"], "prm_" + ids[opened].replace("-", ""))
        self.assertEqual([step["step"] for step in found["life"]], ["offered"])
        self.assertNotIn("closed_at", found)
        self.assertEqual(prompts(chosen, "&state=open"), [found])
        later = happens(chosen, *hooks[opened + 1:])
        ended, = prompts(chosen)
        self.assertEqual((ended["id"], ended["tool_use_id"], ended["opened_at"]),
                         (found["id"], found["tool_use_id"], found["opened_at"]))
        answer = ended.get("answer", {})
        self.assertEqual((ended["state"], answer.get("by", {}).get("kind"), answer.get("decision")), (state, by, decision))
        self.assertEqual([(step["step"], step["evidence"]) for step in ended["life"]],
                         [("offered", ids[opened]), (state, later[evidence])])
        self.assertEqual(ended["life"][1]["at"], ended["closed_at"])
        self.assertEqual(prompts(chosen, "&state=open"), [])
        self.assertEqual(server.get(f"/v1/prompts/{found['id']}").json, ended)
        return ended

    def test_a_permission_that_is_given(self):
        ended = self.expect([("PreToolUse", CALL), ("PermissionRequest", REQUEST), ("PostToolUse", CALL)],
                            "permission", "answered", "terminal", "allow", opened=1)
        self.assertEqual((ended["tool_use_id"], ended["tool_name"], ended["title"], ended["detail"]),
                         ("toolu_1", "Bash", "Bash", "rm -rf build"))

    def test_a_permission_that_the_turn_left_behind(self):
        self.expect([("PermissionRequest", REQUEST), ("Stop", {})], "permission", "overtaken")

    def test_a_permission_whose_session_ended(self):
        self.expect([("PermissionRequest", REQUEST), ("SessionEnd", {"reason": "other"})], "permission", "gone")

    def test_a_question(self):
        self.expect([("PreToolUse", MODES), ("PostToolUse", MODES)], "question", "answered", "terminal")

    def test_a_plan_that_is_approved(self):
        plan = {"tool_name": "ExitPlanMode", "tool_use_id": "toolu_p", "tool_input": {"plan": "First this."}}
        request = {name: plan[name] for name in ("tool_name", "tool_input")}
        self.expect([("PreToolUse", plan), ("PermissionRequest", request), ("PostToolUse", plan)],
                    "plan", "answered", "terminal", "allow")

    def test_an_elicitation(self):
        asked = {"mcp_server_name": "tracker", "message": "Which project?", "elicitation_id": "e-1"}
        self.expect([("Elicitation", asked), ("ElicitationResult", {**asked, "action": "accept"})],
                    "elicitation", "answered", "terminal")

    def test_an_idle_session(self):
        self.expect([("Notification", {"notification_type": "idle_prompt", "message": "Waiting"}),
                     ("UserPromptSubmit", {"prompt": "go"})], "input", "answered", "terminal")


class Listing(unittest.TestCase):
    def test_pages_and_filters(self):
        chosen = session()
        for number in range(5):
            call = {"tool_name": "Bash", "tool_input": {"command": f"step {number}"}}
            happens(chosen, ("PermissionRequest", call), *([] if number == 4 else [("Stop", {})]), ago=200 - 10 * number)
        whole = prompts(chosen)
        self.assertEqual([one["state"] for one in whole], ["open"] + 4 * ["overtaken"])
        cursor, paged = "", []
        while cursor is not None:
            page = server.get(f"/v1/prompts?session_id={chosen}&limit=2{cursor}").json
            paged += page["prompts"]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        self.assertEqual(paged, whole)
        numbered = server.get(f"/v1/prompts?session_id={chosen}&page=2&per_page=2").json
        self.assertEqual((numbered["prompts"], numbered["meta"]["total"]), (whole[2:4], 5))
        self.assertEqual(prompts(chosen, "&state=overtaken&kind=permission&machine_id=prompting"), whole[1:])
        for none in ("&kind=plan", "&machine_id=other", "&state=gone"):
            self.assertEqual(prompts(chosen, none), [])

    def test_what_is_wrong_is_said(self):
        for query, param in (("state=closed", "state"), ("kind=dialog", "kind"), ("cursor=x", "cursor")):
            answer = server.get(f"/v1/prompts?{query}")
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, param), query)
        answer = server.get("/v1/prompts/prm_0")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "prompt_not_found"))
        client = Client(server.address, key)
        self.assertEqual(client.get("/v1/prompts").status, 403)
        client.close()


if __name__ == "__main__":
    unittest.main()
