"""Chats with the functions of programs: calls, what waits for results and for how long, and answers in a form."""

import json
import os
import pathlib
import shutil
import uuid

from machine import AgentCase, wait_until

FUNCTION = {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}


class Chats(AgentCase):
    chats = 4

    def setUp(self):
        super().setUp()
        shutil.copy(pathlib.Path(__file__).parent / "chat_client.py", self.machine.client)
        os.chmod(self.machine.client, 0o755)
        self.machine.allow("chat=on", f"chats={self.chats}")
        self.link = self.begin()

    def post(self, content, chat=None, **more):
        chat = chat or str(uuid.uuid4())
        return chat, self.link.post("chat/run", {"session_id": chat, "content": content, **more})

    def run_chat(self, content, **more):
        chat, number = self.post(content, **more)
        return chat, self.link.reply(number)

    def called(self, count=1, **more):
        """A chat whose model waits, and the ids of its calls."""
        chat, answer = self.run_chat(f"call {count}", functions=[FUNCTION], **more)
        return chat, [call["id"] for call in answer["result"]["calls"]]

    def post_results(self, chat, *results, **more):
        return self.link.post("chat/continue", {"session_id": chat, "results": [
            {"id": call, "content": [{"type": "text", "text": text}]} for call, text in results], **more})

    def proceed(self, chat, *results, **more):
        return self.link.reply(self.post_results(chat, *results, **more))

    def text(self, chat):
        return "".join(one["text"] for name, one in self.link.notices if name == "chat/text" and one["session_id"] == chat)

    def taken(self):
        path = self.machine.home / "chat.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def begun(self):
        """The processes in which a chat has begun. One more may wait for the next chat."""
        return {one["pid"] for one in self.taken() if "initialize" in one} & set(self.machine.clients())

    def ended(self):
        wait_until(lambda: not self.begun(), "the end of all chats")


class Functions(Chats):
    def test_the_calls_of_the_model_and_their_results(self):
        chat, answer = self.run_chat("call 2", functions=[FUNCTION], tool_choice={"type": "any"})
        found = answer["result"]
        self.assertEqual([(call["name"], call["arguments"]) for call in found["calls"]],
                         [("look", '{"a":  0}'), ("look", '{"a":  1}')])
        self.assertEqual((found["cost"], found["usage"]["input_tokens"], found["usage"]["output_tokens"]), (0.25, 3, 7))
        self.assertEqual(self.text(chat), "Look.")
        started = self.taken()[0]
        self.assertEqual(started["arguments"][started["arguments"].index("--allowedTools") + 1], "mcp__client")
        self.assertEqual(started["arguments"][started["arguments"].index("--tools") + 1], "")
        self.assertEqual(json.loads(started["extra"]), {"tool_choice": {"type": "any"}})
        one, two = [call["id"] for call in found["calls"]]
        answer = self.proceed(chat, (two, "@/etc/passwd"), (one, "/usage"))["result"]
        self.assertEqual((answer["cost"], answer["usage"]["output_tokens"], answer.get("calls")), (0.25, 7, None))
        self.assertEqual(self.text(chat), 'Look.[{"type": "text", "text": "/usage"}] [{"type": "text", "text": "@/etc/passwd"}]')
        self.ended()

    def test_a_history_with_calls_is_loaded(self):
        results = [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "/clear"}]}]
        history = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "c", "name": "mcp__client__look", "input": {}}]}]
        chat, answer = self.run_chat(results, history=history, functions=[FUNCTION])
        self.assertIn("result", answer)
        self.assertEqual([one["user"] for one in self.taken() if "user" in one], ["go", results])

    def test_results_of_other_calls_are_refused(self):
        chat, (one, two) = self.called(2)
        for results in ([], [(one, "x")], [(one, "x"), ("toolu_9", "y")], [(one, "x"), (two, "y"), ("toolu_9", "z")]):
            self.refused(self.proceed(chat, *results), "unfit_answer")
        self.assertEqual(self.proceed(chat, (one, "x"), (one, "y"))["error"]["code"], -32602)
        self.refused(self.proceed(str(uuid.uuid4()), (one, "x"), (two, "y")), "session_not_running")
        self.assertIn("result", self.proceed(chat, (one, "x"), (two, "y")))
        self.refused(self.proceed(chat, (one, "x"), (two, "y")), "session_not_running")

    def test_functions_that_cannot_be_are_refused(self):
        for functions in ([{**FUNCTION, "name": "a b"}], [FUNCTION, FUNCTION], [{"name": "f"}],
                          [{**FUNCTION, "parameters": {"type": "array"}}], [{**FUNCTION, "name": f"f{n}"} for n in range(129)]):
            _, answer = self.run_chat("call", functions=functions)
            self.assertEqual(answer["error"]["code"], -32602, answer)
        self.assertEqual(self.machine.clients(), [])

    def test_a_client_that_does_not_wait_is_ended(self):
        chat, answer = self.run_chat("rude", functions=[FUNCTION])
        self.assertEqual(answer["result"]["failure"]["kind"], "gone")
        self.ended()

    def test_an_answer_in_a_form(self):
        schema = {"type": "object"}
        chat, answer = self.run_chat("form", schema=schema)
        self.assertEqual((self.text(chat), answer["result"].get("calls")), ('{"sum":4}', None))
        self.assertEqual(self.taken()[0]["initialize"]["jsonSchema"], schema)
        chat, answer = self.run_chat("form lost", schema=schema)
        self.assertEqual((self.text(chat), answer["result"]["failure"]["kind"]), ("", "api"))


class Waiting(Chats):
    chats = 1

    def test_a_chat_that_waits_takes_no_place(self):
        chat, (call,) = self.called()
        self.assertIn("result", self.run_chat("hello")[1])
        other, (again,) = self.called()
        self.assertEqual(len(self.begun()), 2)
        self.assertIn("result", self.proceed(chat, (call, "x")))
        self.assertIn("result", self.proceed(other, (again, "x")))
        self.ended()

    def test_a_chat_waits_for_room_and_callers_take_turns(self):
        held, _ = self.post("hold")
        wait_until(self.begun, "the first chat")
        queued = [self.post(f"hello {number}", by={"kind": "api_key", "id": f"api_key:{caller}"})
                  for number, caller in enumerate((1, 1, 1, 2))]
        self.assertEqual(self.link.call("chat/stop", {"session_id": held})["result"], {"ended": True})
        for _, number in queued:
            self.assertIn("result", self.link.reply(number))
        order = [one["session_id"] for name, one in self.link.notices if name == "chat/text"]
        self.assertEqual(order, [queued[place][0] for place in (0, 3, 1, 2)])
        self.ended()

    def test_a_chat_that_waits_for_room_ends_when_it_is_told_and_with_the_connection(self):
        held, _ = self.post("hold")
        wait_until(self.begun, "the first chat")
        chat, number = self.post("hello")
        self.assertEqual(self.link.call("chat/stop", {"session_id": chat})["result"], {"ended": True})
        self.refused(self.link.reply(number), "session_not_running")
        self.post("hello again")
        self.link.cut()
        self.ended()
        self.link = self.wire.link(2)
        self.assertIn("result", self.run_chat("hello")[1])
        self.assertEqual([one for one in self.taken() if "hello again" in json.dumps(one)], [])

    def test_a_chat_that_has_no_process_yet_ends_when_it_is_told(self):
        chat, number = self.post("hold")
        self.assertEqual(self.link.call("chat/stop", {"session_id": chat})["result"], {"ended": True})
        self.assertEqual(self.link.reply(number)["result"]["failure"]["kind"], "interrupted")
        self.ended()

    def test_results_that_wait_for_room_end_with_their_chat(self):
        chat, (call,) = self.called()
        self.post("hold")
        number = self.post_results(chat, (call, "x"))
        self.assertEqual(self.link.call("chat/stop", {"session_id": chat})["result"], {"ended": True})
        self.refused(self.link.reply(number), "session_not_running")
        wait_until(lambda: len(self.begun()) == 1, "the end of the chat's client")

    def test_more_than_can_wait_are_refused(self):
        self.post("hold")
        wait_until(self.begun, "the first chat")
        waiting = [self.post("hello") for _ in range(64)]
        self.refused(self.run_chat("hello")[1], "too_many_chats")
        self.assertEqual(len({chat for chat, _ in waiting}), 64)

    def test_it_ends_at_its_time(self):
        chat, (call,) = self.called(park_seconds=1)
        self.ended()
        self.refused(self.proceed(chat, (call, "x")), "session_not_running")

    def test_it_ends_when_it_is_told(self):
        chat, (call,) = self.called()
        self.assertEqual(self.link.call("chat/stop", {"session_id": chat})["result"], {"ended": True})
        self.ended()
        self.refused(self.proceed(chat, (call, "x")), "session_not_running")

    def test_it_ends_with_the_agent_and_with_the_connection(self):
        self.called()
        self.link.cut()
        self.ended()
        self.link = self.wire.link(2)
        chat, (call,) = self.called()
        self.machine.agents[-1].terminate()
        self.machine.agents[-1].wait(20)
        self.ended()
        self.machine.start()
        self.link = self.wire.link(3)
        self.refused(self.proceed(chat, (call, "x")), "session_not_running")

    def test_an_agent_that_is_killed_leaves_none_behind(self):
        chat, (call,) = self.called()
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        self.machine.start()
        self.link = self.wire.link(2)
        self.ended()
        self.refused(self.proceed(chat, (call, "x")), "session_not_running")

    def test_its_client_ends_by_itself(self):
        chat, answer = self.run_chat("die", functions=[FUNCTION])
        self.ended()
        if "calls" in answer["result"]:
            self.refused(self.proceed(chat, (answer["result"]["calls"][0]["id"], "x")), "session_not_running")

    def test_sixteen_wait_at_most(self):
        waiting = [self.called() for _ in range(17)]
        wait_until(lambda: len(self.begun()) == 16, "the end of the oldest")
        chat, (call,) = waiting[0]
        self.refused(self.proceed(chat, (call, "x")), "session_not_running")
        chat, (call,) = waiting[-1]
        self.assertIn("result", self.proceed(chat, (call, "x")))


class Room(Chats):
    def test_four_are_answered_sixty_four_wait_and_the_next_is_refused(self):
        for _ in range(4):
            self.post("hold")
        wait_until(lambda: len(self.begun()) == 4, "the first chats")
        for _ in range(64):
            self.post("hello")
        self.refused(self.run_chat("hello")[1], "too_many_chats")
