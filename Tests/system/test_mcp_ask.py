"""The tool `ask_person`: a model asks a question, and a person answers it."""

import unittest
import uuid

import harness
import test_devices as devices
import test_mcp as mcp
import test_mcp_approve as approving
from bridges import META, Bridge, Place
from harness import PATIENCE, Client, Server, envelope, hook, session, wait_for

QUESTION, CHOICES = "Which colour has the door?", ["Blue", "Green"]


def setUpModule():
    global server, key
    server = devices.server = mcp.server = approving.server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("asking")


def tearDownModule():
    harness.end_everything()


class Asking(approving.Approval):
    """A model that asks. The call has Claude's id, and the hook reports it."""

    def __init__(self, credential=None, chosen=None, call=None, **arguments):
        super().__init__(chosen=chosen, credential=credential or key, call=call)
        self.input = {"question": QUESTION, "choices": CHOICES, "timeout_seconds": 60, **arguments}

    def message(self):
        return mcp.modern("tools/call", {"name": "ask_person", "_meta": {META: self.call, "progressToken": 7},
                                         "arguments": self.input})

    def report(self, name, **fields):
        event = envelope(hook(name, self.session, tool_name="mcp__monitor__ask_person", tool_input=self.input,
                              tool_use_id=self.call, **fields))
        assert Client(self.server.address, self.credential).request("POST", "/api/events", event).status == 202

    def said(self):
        assert self.is_over.wait(PATIENCE), f"no answer yet: {self.events}"
        result = self.events[-1]["result"]
        assert not result["isError"], result
        return result["structuredContent"]


def answer(prompt, **body):
    return approving.answer(prompt, **(body or {"answers": {QUESTION: "Blue"}}))


class Answers(unittest.TestCase):
    def test_a_choice_and_a_note(self):
        asked = Asking().start()
        prompt = asked.prompt()
        self.assertEqual((prompt["kind"], prompt["question"], prompt["session_id"]), ("question", QUESTION, asked.session))
        self.assertEqual([option["label"] for option in prompt["questions"][0]["options"]], CHOICES)
        self.assertEqual(answer(prompt, answers={QUESTION: "Green"}, notes={QUESTION: "since May"}).status, 200)
        self.assertEqual(asked.said(), {"answered": True, "answer": "Green", "is_choice": True, "note": "since May"})

    def test_other_words_and_a_question_without_choices(self):
        for choices in (CHOICES, []):
            asked = Asking(choices=choices).start()
            self.assertEqual(answer(asked.prompt(), answers={QUESTION: "I have none"}).status, 200)
            self.assertEqual(asked.said(), {"answered": True, "answer": "I have none", "is_choice": False})

    def test_declined(self):
        asked = Asking().start()
        self.assertEqual(answer(asked.prompt(), decision="deny", message="ask Ann").status, 200)
        self.assertEqual(asked.said(), {"answered": False, "reason": "ask Ann"})

    def test_nobody_answers(self):
        asked = Asking(timeout_seconds=1).start()
        self.assertEqual(asked.said(), {"answered": False, "reason": "Nobody answered in time."})
        wait_for(lambda: asked.prompts()[0]["state"] == "expired", "the prompt has expired")

    def test_the_answer_is_applied_in_the_callers_session(self):
        asked = Asking().starts()
        asked.report("PermissionRequest")
        wait_for(asked.prompts, "the permission is asked")
        asked.start()
        prompt = wait_for(lambda: [one for one in asked.prompts() if one["kind"] == "question" and one["answerable"]],
                          "the question can be answered")[0]
        device = devices.pair("answerer")["access_token"]
        self.assertEqual(approving.answer(prompt, credential=device, answers={QUESTION: "Blue"}).status, 200)
        self.assertEqual(asked.said()["answer"], "Blue")
        found = wait_for(lambda: [one for one in asked.prompts() if one["id"] == prompt["id"]
                                  and "applied" in [step["step"] for step in one["life"]]], "the answer is applied")[0]
        asked.report("PostToolUse")
        asked.report("Stop")
        self.assertEqual(found["answer"]["said"], "Blue")
        wait_for(lambda: server.get(f"/v1/sessions/{asked.session}").json["state"] == "idle", "the session is idle")
        found = [one for one in asked.prompts() if one["id"] == prompt["id"]][0]
        self.assertEqual(found["answer"].get("outcome"), "applied")

    def test_a_session_of_its_own_ends_with_the_call(self):
        asked = Asking()
        asked.message = lambda: mcp.modern("tools/call", {"name": "ask_person", "arguments": asked.input})
        asked.session = None
        answer_of = asked.open(**{"X-Session-Id": ""})
        asked.read_beginning(answer_of)
        asked.follow(answer_of)
        prompt = wait_for(lambda: [one for one in server.read_derived("/v1/prompts?state=open").json["prompts"]
                                   if one["answerable"] and one["machine_id"] == "asking"], "the question can be answered")[0]
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.said()["answer"], "Blue")
        wait_for(lambda: server.get(f"/v1/sessions/{prompt['session_id']}").json["status"] == "ended", "the session ends")


class Callers(unittest.TestCase):
    def test_only_machines_ask(self):
        for credential in (server.admin, devices.pair("asker")["access_token"], mcp.api_key("read")["key"]):
            self.assertIn("insufficient_scope", Asking(credential).refused())
            names = [tool["name"] for tool in mcp.post(mcp.message("tools/list"), credential=credential).json["result"]["tools"]]
            self.assertNotIn("ask_person", names)
        names = [tool["name"] for tool in mcp.post(mcp.message("tools/list"), credential=key).json["result"]["tools"]]
        self.assertEqual(("ask_person" in names, "approve" in names), (True, False))

    def test_nobody_answers_a_question_of_his_own(self):
        asked = Asking().start()
        prompt = asked.prompt()
        self.assertEqual(approving.answer(prompt, credential=key, answers={QUESTION: "Blue"}).status, 403)
        body, headers = asked.message()
        body["params"]["inputResponses"] = {"approval": {"action": "accept", "content": {"answer": "Blue"}}}
        again = Asking(chosen=asked.session, call=asked.call)
        again.message = lambda: (body, headers)
        again.start()
        self.assertFalse(again.is_over.wait(1))
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(again.said()["answer"], "Blue")

    def test_what_the_machine_says_of_its_file(self):
        asked = Asking()
        asked.headers["X-Hold-Policy"] = "who=off"
        self.assertRegex(asked.refused(), "^not_answerable: ")
        asked.headers["X-Hold-Policy"] = "who=answer devices=999999"
        asked.start()
        self.assertEqual(answer(asked.prompt()).status, 403)

    def test_four_at_a_time(self):
        own = server.key(f"own-{uuid.uuid4().hex}")
        asked = [Asking(own).start() for _ in range(4)]
        self.assertRegex(Asking(own).refused(), "^too_many_questions: ")
        Asking(key).start().cut()
        self.assertEqual(answer(asked[0].prompt()).status, 200)
        asked[0].said()
        wait_for(lambda: Asking(own).open().headers["content-type"].startswith("text/event-stream"), "another one may wait")

    def test_odd_arguments(self):
        for change in ({"question": ""}, {"choices": ["a", "a"]}, {"choices": ["1", "2", "3", "4", "5"]}, {"timeout_seconds": 0},
                       {"extra": 1}):
            with self.subTest(**change):
                self.assertRegex(Asking(**change).refused(), "^invalid_parameter: ")


class Resuming(unittest.TestCase):
    def test_a_lost_connection(self):
        asked = Asking().start()
        prompt = asked.prompt()
        asked.cut()
        asked.resume()
        self.assertEqual(asked.prompt()["id"], prompt["id"])
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.said()["answer"], "Blue")
        # The answer may have been lost on its way.
        asked.is_over.clear()
        self.assertEqual(asked.resume().said()["answer"], "Blue")

    def test_answered_while_nobody_was_connected(self):
        asked = Asking().start()
        prompt = asked.prompt()
        asked.cut()
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.resume().said()["answer"], "Blue")

    def test_the_server_is_restarted_in_the_wait(self):
        own = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(own.end)
        asked = Asking(own.key("own"))
        asked.server = own
        asked.start()
        prompt = asked.prompt()
        own.kill()
        self.assertTrue(asked.is_cut.wait(PATIENCE))
        own.start()
        asked.resume(at=own)
        self.assertEqual(asked.prompt()["id"], prompt["id"])
        self.assertEqual(approving.answer(prompt, at=own, answers={QUESTION: "Blue"}).status, 200)
        self.assertEqual(asked.said()["answer"], "Blue")


class OverTheBridge(unittest.TestCase):
    def test_asked_answered_and_forbidden(self):
        place = Place(f"http://{server.address}", key)
        chosen = session()
        place.register(chosen)
        bridge = Bridge(place)
        self.addCleanup(bridge.end)
        asked = {"question": QUESTION, "choices": CHOICES}
        number = bridge.send("tools/call", {"name": "ask_person", "arguments": asked, "_meta": {META: "toolu_bridge"}})
        prompt = wait_for(lambda: [one for one in server.read_derived(f"/v1/prompts?session_id={chosen}").json["prompts"]
                                   if one["answerable"]], "the question can be answered")[0]
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(bridge.answer(number)["result"]["structuredContent"],
                         {"answered": True, "answer": "Blue", "is_choice": True})
        place.write("approvals", "tool=AskUserQuestion who=notify\n")
        told = bridge.call("ask_person", asked)
        self.assertEqual((told["answered"], told["reason"]),
                         (False, "The approvals file of this machine lets nobody answer this from another device."))


if __name__ == "__main__":
    unittest.main()
