"""Plain chats as OpenAI's clients have them, answered by a scripted agent: forms, errors, budgets, repeats and disconnects."""

import contextlib
import http.client
import json
import threading
import time
import unittest
import uuid

import harness
from agents import LATER, MAY, Agent, Refusal
from harness import Client, Server, wait_for

PATH = "/v1/chat/completions"
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 7}
DONE = {"stop_reason": "end_turn", "model": "claude-haiku-4-5", "usage": USAGE, "cost": 0.6}
HELLO = {"model": "haiku", "messages": [{"role": "user", "content": "Hello"}]}


def setUpModule():
    global server
    server = Server(MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    harness.end_everything()


def made(*capabilities, **limits):
    answer = server.client().request("POST", "/v1/api-keys",
                                     {"name": f"key-{uuid.uuid4()}", "capabilities": list(capabilities), **limits})
    assert answer.status == 201, answer
    client = Client(server.address, answer.json["key"])
    client.key_id = answer.json["id"]
    return client


def error_of(events):
    """The error with which a stream has ended."""
    assert events[-1] == "DONE", events
    return events[-2]["error"]


class Stream:
    """A streamed answer, read as it comes."""

    def __init__(self, client, body, headers=()):
        host, port = server.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=30)
        self.connection.request("POST", PATH, json.dumps({**body, "stream": True}), {
            "Authorization": f"Bearer {client.credential}", "Content-Type": "application/json", **dict(headers)})
        self.answer = self.connection.getresponse()

    def events(self):
        for line in self.answer:
            if line.startswith(b"data: "):
                data = line[6:].strip()
                yield "DONE" if data == b"[DONE]" else json.loads(data)

    def close(self):
        self.answer.close()
        self.connection.close()


class Chat(unittest.TestCase):
    def setUp(self):
        self.name = f"machine-{uuid.uuid4()}"
        self.key = server.key(self.name)
        self.chats, self.ends = [], []
        self.script = lambda chat: DONE
        self.agent = self.connected()
        self.addCleanup(self.agent.close)

    def connected(self, chats=4, identity=None):
        agent = Agent(server, self.key, identity, **{"chat/run": self.run_chat, "chat/stop": self.end_chat})
        agent.greeting["may"] = {**MAY, "chats": chats}
        return agent.greet()

    def run_chat(self, params):
        self.chats.append(params)
        return self.script(params)

    def end_chat(self, params):
        self.ends.append(params["session_id"])
        return {"ended": True}

    def says(self, *pieces, **end):
        def script(params):
            for piece in pieces:
                self.agent.tell("chat/text", {"session_id": params["session_id"], "text": piece})
            return {**DONE, **end}
        self.script = script

    def chatter(self, **limits):
        return made("chat", machines=[self.name], **limits)

    def ask(self, client, body=HELLO, **headers):
        return client.request("POST", PATH, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def refused(self, answer, status, code, param=None):
        self.assertEqual((answer.status, answer.json["error"]["code"], answer.json["error"]["param"]), (status, code, param),
                         answer)
        return answer


class Answers(Chat):
    def test_a_whole_answer_has_the_form_of_openai(self):
        self.says("Hel", "lo!")
        answer = self.ask(self.chatter(), {**HELLO, "temperature": 0.7, "seed": 1, "x_odd": True})
        self.assertEqual(answer.status, 200, answer)
        body = answer.json
        self.assertRegex(body["id"], r"\Achatcmpl-[0-9a-f]{32}\Z")
        self.assertEqual((body["object"], body["model"]), ("chat.completion", "claude-haiku-4-5"))
        choice, = body["choices"]
        self.assertEqual((choice["index"], choice["finish_reason"]), (0, "stop"))
        self.assertEqual((choice["message"]["role"], choice["message"]["content"]), ("assistant", "Hello!"))
        self.assertEqual(body["usage"], {
            "prompt_tokens": 17, "completion_tokens": 7, "total_tokens": 24, "prompt_tokens_details": {"cached_tokens": 5},
            "input_tokens": 17, "output_tokens": 7, "total_cost": 0.6})
        self.assertEqual(answer.headers["x-ignored-parameters"], "temperature, seed, x_odd")

    def test_the_machine_gets_the_whole_history_and_the_callers_prompt(self):
        picture = "data:image/png;base64,QUJD"
        answer = self.ask(self.chatter(), {
            "messages": [
                {"role": "system", "content": "One."}, {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b"}, {"role": "developer", "content": [{"type": "text", "text": "Two."}]},
                {"role": "user", "content": [{"type": "text", "text": "c"}, {"type": "image_url", "image_url": {"url": picture}}]}],
            "max_completion_tokens": 50, "stop": "END", "reasoning_effort": "minimal", "system_prompt": "Zero."})
        self.assertEqual(answer.status, 200, answer)
        chat, = self.chats
        self.assertEqual(chat["system_prompt"], "Zero.\n\nOne.\n\nTwo.")
        self.assertEqual(chat["history"], [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
        self.assertEqual(chat["content"], [{"type": "text", "text": "c"}, {"type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": "QUJD"}}])
        self.assertEqual((chat["max_tokens"], chat["stop"], chat["effort"]), (50, ["END"], "low"))
        self.assertEqual(chat["by"]["kind"], "api_key")

    def test_a_stream_has_role_texts_end_usage_and_done(self):
        self.says("Hel", "lo!", stop_reason="max_tokens")
        stream = Stream(self.chatter(), {**HELLO, "stream_options": {"include_usage": True}})
        self.assertEqual(stream.answer.getheader("content-type"), "text/event-stream; charset=utf-8")
        events = list(stream.events())
        self.assertEqual(events.pop(), "DONE")
        self.assertEqual({event["object"] for event in events}, {"chat.completion.chunk"})
        self.assertEqual(len({event["id"] for event in events}), 1)
        self.assertEqual({event["model"] for event in events}, {"haiku"})
        usage = events.pop()
        self.assertEqual((usage["choices"], usage["usage"]["total_tokens"]), ([], 24))
        self.assertEqual(events[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
        self.assertEqual("".join(event["choices"][0]["delta"].get("content", "") for event in events), "Hello!")
        self.assertEqual([event["choices"][0]["finish_reason"] for event in events if event["choices"][0]["finish_reason"]],
                         ["length"])

    def test_each_chunk_names_the_model_that_answers(self):
        def script(params):
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "Hel", "model": "claude-haiku-4-5"})
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "lo!"})
            return DONE
        self.script = script
        body = {"messages": HELLO["messages"], "stream_options": {"include_usage": True}}
        events = list(Stream(self.chatter(), body).events())
        self.assertEqual({event["model"] for event in events if event != "DONE"}, {"claude-haiku-4-5"})

    def test_without_include_usage_no_chunk_has_it(self):
        self.says("x")
        self.assertTrue(all("usage" not in event for event in Stream(self.chatter(), HELLO).events() if event != "DONE"))

    def test_texts_come_as_they_are_written(self):
        self.script = lambda params: LATER
        pieces, client = [], self.chatter()
        reader = threading.Thread(target=lambda: pieces.extend(self.read_first(client)))
        reader.start()
        chat = self.agent.taken()
        self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "first"})
        reader.join(20)
        self.assertEqual(pieces, ["first"])
        self.agent.answer(DONE)

    def read_first(self, client):
        stream = Stream(client, HELLO)
        for event in stream.events():
            if text := event["choices"][0]["delta"].get("content"):
                stream.close()
                return [text]


class Refusals(Chat):
    def test_each_field_that_would_not_count_is_400_and_named(self):
        client = self.chatter()
        for field, value in (("n", 2), ("tools", {}), ("response_format", {"type": "xml"}), ("logprobs", True),
                             ("on_disconnect", "wait"), ("stop", 7), ("max_tokens", 0),
                             ("stream", "yes"), ("reasoning_effort", "much"), ("modalities", ["audio"])):
            with self.subTest(field):
                self.refused(self.ask(client, {**HELLO, field: value}), 400, "invalid_parameter", field)
        for field, value in (("n", 1), ("tools", []), ("response_format", {"type": "text"}), ("tool_choice", "auto"),
                             ("logprobs", None)):
            with self.subTest(field):
                self.assertEqual(self.ask(client, {**HELLO, field: value}).status, 200)

    def test_messages_that_cannot_be_answered_are_400(self):
        client = self.chatter()
        for messages, code, param in (
                ([], "missing_messages", "messages"), (None, "missing_messages", "messages"),
                ([{"role": "system", "content": "x"}], "missing_user_message", "messages"),
                ([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}], "missing_user_message", "messages"),
                ([{"role": "tool", "content": "x"}], "invalid_parameter", "messages[0].tool_call_id"),
                ([{"role": "user", "content": ""}], "invalid_parameter", "messages[0]"),
                ([{"role": "user", "content": [{"type": "file"}]}], "invalid_parameter", "messages[0].content[0]"),
                ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]}],
                 "invalid_parameter", "messages[0].content[0]")):
            with self.subTest(messages=messages):
                self.refused(self.ask(client, {"messages": messages}), 400, code, param)
        self.assertEqual(self.chats, [])

    def test_without_a_machine_it_is_503_with_words(self):
        answer = self.refused(self.ask(made("chat")), 503, "no_chat_machine")
        self.assertEqual(answer.headers["x-should-retry"], "false")
        self.assertIn("MONITOR_CHAT_MACHINE", answer.json["error"]["message"])

    def test_a_machine_that_does_not_chat_is_503(self):
        self.agent.close()
        wait_for(lambda: self.ask(self.chatter()).json["error"]["code"] == "agent_unavailable", "the agent is away", 20)
        agent = self.connected(chats=0, identity=self.agent.identity)
        self.addCleanup(agent.close)
        answer = self.refused(self.ask(self.chatter()), 503, "no_chat_machine")
        self.assertIn("chat=on", answer.json["error"]["message"])

    def test_only_a_key_with_chat_chats(self):
        for client, status in ((made("read"), 403), (made("control"), 403), (Client(server.address, self.key), 403),
                               (Client(server.address), 401)):
            self.assertEqual(self.ask(client).status, status)
        self.assertEqual(self.chats, [])

    def test_a_key_chats_with_its_models_only(self):
        client = self.chatter(models=["haiku", "sonnet"])
        self.refused(self.ask(client, {**HELLO, "model": "opus"}), 404, "model_not_found", "model")
        self.assertEqual(self.ask(client, {"messages": HELLO["messages"]}).status, 200)
        self.assertEqual([chat["model"] for chat in self.chats], ["haiku"])


class Faults(Chat):
    def failing(self, kind, *pieces, **more):
        self.says(*pieces, failure={"kind": kind, "message": "in its words", **more})

    def test_errors_of_the_model_have_their_status(self):
        client = self.chatter()
        for kind, more, status, code in (
                ("model_not_found", {"status": 404}, 404, "model_not_found"), ("rate_limit", {}, 429, "rate_limit_exceeded"),
                ("not_logged_in", {}, 503, "claude_unavailable"), ("api", {"status": 400}, 400, "invalid_request"),
                ("api", {"status": 529}, 502, "claude_failed"), ("gone", {}, 502, "claude_failed")):
            self.failing(kind, **more)
            for stream in (False, True):
                with self.subTest(kind, stream=stream):
                    answer = self.ask(client, {**HELLO, "stream": stream})
                    self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)
                    self.assertEqual(answer.headers["x-should-retry"], "false")

    def test_an_error_in_mid_stream_is_an_error_object(self):
        self.failing("retracted", "some text")
        events = list(Stream(self.chatter(), HELLO).events())
        error = error_of(events)
        self.assertEqual((error["code"], error["type"]), ("stream_retracted", "internal_server_error"))
        self.assertEqual(events[1]["choices"][0]["delta"], {"content": "some text"})

    def test_a_machine_that_refuses_is_told(self):
        def refuse(params):
            raise Refusal("too_many_chats")
        self.script = refuse
        self.refused(self.ask(self.chatter()), 429, "too_many_chats")

    def test_a_machine_that_has_spent_its_own_budget_is_told(self):
        def refuse(params):
            raise Refusal("insufficient_quota", "chat_budget of the machine's file agent")
        self.script = refuse
        answer = self.refused(self.ask(self.chatter()), 429, "insufficient_quota")
        self.assertEqual(answer.headers["x-should-retry"], "false")
        self.assertIn("file agent", answer.json["error"]["message"])

    def test_an_agent_that_goes_away_in_mid_stream_is_an_error_object(self):
        self.script = lambda params: LATER
        events = []
        client = self.chatter()
        reader = threading.Thread(target=lambda: events.extend(Stream(client, HELLO).events()))
        reader.start()
        chat = self.agent.taken()
        self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "begun"})
        wait_for(lambda: self.agent.commands, "the chat runs", 20)
        self.agent.close()
        reader.join(20)
        self.assertEqual(error_of(events)["code"], "agent_unavailable")

    def test_another_machine_does_not_write_into_an_answer(self):
        other = Agent(server, server.key(f"other-{uuid.uuid4()}")).greet()
        self.addCleanup(other.close)

        def script(params):
            other.tell("chat/text", {"session_id": params["session_id"], "text": "forged"})
            other.call("prompt/withdrawn", {"hold_id": str(uuid.uuid4()), "reason": "gone"})
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "true"})
            return DONE
        self.script = script
        self.assertEqual(self.ask(self.chatter()).json["choices"][0]["message"]["content"], "true")


class Budgets(Chat):
    def test_a_spent_budget_ends_the_day(self):
        client = self.chatter(daily_budget=1.0)
        self.assertEqual([self.ask(client, {**HELLO, "seed": n}).status for n in range(2)], [200, 200])
        answer = self.refused(self.ask(client), 429, "insufficient_quota")
        self.assertEqual(answer.headers["x-should-retry"], "false")
        self.assertEqual(len(self.chats), 2)
        self.assertEqual(self.ask(self.chatter(daily_budget=1.0)).status, 200)

    def test_a_turn_that_fails_counts_what_its_tokens_cost(self):
        # Claude Code prices whole messages only: it reports no cost for one that was interrupted.
        client = self.chatter(daily_budget=1.0)
        failed = {"failure": {"kind": "interrupted", "message": "interrupted"}, "cost": 0}
        self.says(**failed, usage={**USAGE, "output_tokens": 100})
        self.refused(self.ask(client), 409, "interrupted")
        self.says(**failed, usage={**USAGE, "output_tokens": 1_000_000})
        self.refused(self.ask(client, {**HELLO, "seed": 2}), 409, "interrupted")
        self.refused(self.ask(client), 429, "insufficient_quota")

    def test_a_turn_that_fails_counts_the_cost_that_is_reported(self):
        client = self.chatter(daily_budget=1.0)
        self.says(failure={"kind": "gone", "message": "gone"}, cost=1.5)
        self.refused(self.ask(client), 502, "claude_failed")
        self.refused(self.ask(client), 429, "insufficient_quota")

    def test_a_turn_whose_end_is_not_known_counts_what_is_estimated(self):
        self.script = lambda params: LATER
        client = self.chatter(daily_budget=0.01)
        events = []
        reader = threading.Thread(target=lambda: events.extend(Stream(client, HELLO).events()))
        reader.start()
        chat = self.agent.taken()
        self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "word " * 20_000})
        self.agent.close()
        reader.join(20)
        self.assertEqual(error_of(events)["code"], "agent_unavailable")
        self.agent = self.connected(identity=self.agent.identity)
        self.addCleanup(self.agent.close)
        self.refused(self.ask(client, {**HELLO, "seed": 2}), 429, "insufficient_quota")

    def test_an_agent_gives_no_budget_back(self):
        client = self.chatter(daily_budget=1.0)
        self.says(cost=-50)
        self.assertIsNone(self.ask(client).json["usage"]["total_cost"])
        self.says(cost=1.5)
        self.assertEqual(self.ask(client, {**HELLO, "seed": 2}).status, 200)
        self.refused(self.ask(client, {**HELLO, "seed": 3}), 429, "insufficient_quota")

    def test_a_cost_beyond_all_sums_ends_the_day_like_any_other(self):
        client = self.chatter(daily_budget=1.0)
        self.says(failure={"kind": "gone", "message": "gone"}, cost=1.7e308)
        self.script, fails = lambda params: LATER, self.script
        asking = [threading.Thread(target=lambda n=n: self.ask(Client(server.address, client.credential), {**HELLO, "seed": n}))
                  for n in range(2)]
        for one in asking:
            one.start()
        # Both begin before one of them has ended the day.
        turns = [self.agent.taken(number) for number in range(2)]
        for number, turn in enumerate(turns):
            self.agent.answer(fails(turn), number)
        for one in asking:
            one.join(20)
        self.refused(self.ask(client), 429, "insufficient_quota")


class Bounds(Chat):
    def test_characters_that_become_longer_do_not_cut_the_agent_off(self):
        content = "\u2028" * 290_000
        body = json.dumps({**HELLO, "messages": [{"role": "user", "content": content}]}, ensure_ascii=False).encode()
        self.refused(self.chatter().request("POST", PATH, body), 413, "body_too_large")
        self.assertEqual((self.ask(self.chatter()).status, self.agent.closed), (200, None))

    def test_a_long_body_is_not_read_for_a_key_that_only_chats(self):
        # Read, it would be refused for its form.
        body = b'{"messages": [' + b"0," * 1_000_000
        self.refused(self.chatter().request("POST", PATH, body), 413, "body_too_large")
        self.refused(made("chat", "control", machines=[self.name]).request("POST", PATH, body), 400, "invalid_json")

    def test_the_name_of_a_model_is_bounded(self):
        self.refused(self.ask(self.chatter(), {**HELLO, "model": "m" * 129}), 400, "invalid_parameter", "model")

    def test_an_answer_without_an_end_is_ended(self):
        self.script = lambda params: LATER
        events = []
        client = self.chatter()
        reader = threading.Thread(target=lambda: events.extend(Stream(client, HELLO).events()))
        reader.start()
        chat = self.agent.taken()
        for _ in range(6):
            self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "a" * 900_000})
        reader.join(30)
        self.assertEqual((error_of(events)["code"], chat["session_id"] in self.ends or self.ended(chat)), ("claude_failed", True))

    def test_an_answer_without_an_end_is_ended_also_if_it_goes_on_alone(self):
        self.script = lambda params: LATER
        answers = []
        client = self.chatter()
        asking = threading.Thread(target=lambda: answers.append(self.ask(client, {**HELLO, "on_disconnect": "continue"})))
        asking.start()
        chat = self.agent.taken()
        for _ in range(6):
            self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "a" * 900_000})
        asking.join(30)
        self.refused(answers[0], 502, "claude_failed")
        self.assertTrue(self.ended(chat))

    def test_empty_texts_are_nothing(self):
        self.script = lambda params: LATER
        client, lines = self.chatter(), []
        asking = threading.Thread(target=lambda: lines.extend(Stream(client, HELLO).answer))
        asking.start()
        chat = self.agent.taken()
        for text in ("", "", "Hello!"):
            self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": text})
            # The stream has begun, or will not begin because of this text.
            time.sleep(0.5)
        self.agent.answer(DONE)
        asking.join(20)
        # A heartbeat comes after 15 s, or for news without any bytes.
        self.assertEqual([line for line in lines if line.startswith(b":")], [])
        self.assertIn(b'"Hello!"', b"".join(lines))

    def ended(self, chat):
        return wait_for(lambda: chat["session_id"] in self.ends, "the turn ends", 20)


class Repeats(Chat):
    def several(self, client, count, **headers):
        answers = []
        clients = [Client(server.address, client.credential) for _ in range(count)]
        threads = [threading.Thread(target=lambda one=one: answers.append(self.ask(one, **headers))) for one in clients]
        for thread in threads:
            thread.start()
        return threads, answers

    def test_a_repeat_joins_the_turn_that_runs(self):
        self.script = lambda params: LATER
        key = made("chat", machines=[self.name])
        first, answers = self.several(key, 1)
        chat = self.agent.taken()
        other = Client(server.address, key.credential)
        second, repeats = self.several(other, 1, x_stainless_retry_count="1")
        self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "once"})
        self.agent.answer(DONE)
        for thread in first + second:
            thread.join(20)
        texts = [answer.json["choices"][0]["message"]["content"] for answer in answers + repeats]
        self.assertEqual((texts, len(self.chats)), (["once", "once"], 1))

    def test_the_same_request_without_a_mark_is_another_turn(self):
        client = self.chatter()
        self.assertEqual([self.ask(client).status for _ in range(2)], [200, 200])
        self.assertEqual(len(self.chats), 2)

    def test_another_key_does_not_join(self):
        self.script = lambda params: LATER
        one, _ = self.several(self.chatter(), 1)
        self.agent.taken()
        two, _ = self.several(self.chatter(), 1, x_stainless_retry_count="1")
        self.agent.taken(1)
        self.agent.answer(DONE, 0)
        self.agent.answer(DONE, 1)
        for thread in one + two:
            thread.join(20)
        self.assertEqual(len(self.chats), 2)

    def test_an_idempotency_key_gives_the_same_answer(self):
        self.says("once")
        client = self.chatter()
        answers = [self.ask(client, idempotency_key="k-1") for _ in range(2)]
        self.assertEqual([answer.status for answer in answers], [200, 200])
        self.assertEqual(answers[0].json["id"], answers[1].json["id"])
        self.assertEqual(answers[1].json["choices"][0]["message"]["content"], "once")
        self.assertEqual(answers[1].json["usage"]["total_cost"], 0.6)
        self.assertEqual(len(self.chats), 1)
        self.refused(self.ask(client, {**HELLO, "seed": 2}, idempotency_key="k-1"), 422, "idempotency_key_reused")
        self.assertEqual(self.ask(self.chatter(), idempotency_key="k-1").status, 200)

    def test_a_turn_that_was_lost_is_not_run_again(self):
        own = Server(MONITOR_RATE_LIMIT="off", MONITOR_CHAT_MACHINE="chatty").start()
        self.addCleanup(own.end)
        key = own.key("chatty")
        agent = Agent(own, key, **{"chat/run": lambda params: LATER})
        agent.greeting["may"] = {**MAY, "chats": 1}
        agent.greet()
        asking = threading.Thread(target=lambda: self.quietly(own))
        asking.start()
        agent.taken()
        own.kill()
        asking.join(20)
        own.start()
        answer = own.client().request("POST", PATH, HELLO, {"x-stainless-retry-count": "1"})
        self.refused(answer, 409, "answer_lost")
        self.assertEqual(answer.headers["x-should-retry"], "false")

    def test_a_turn_that_has_ended_is_not_run_again_after_a_restart(self):
        own = Server(MONITOR_RATE_LIMIT="off", MONITOR_CHAT_MACHINE="chatty").start()
        self.addCleanup(own.end)
        agent = Agent(own, own.key("chatty"), **{"chat/run": lambda params: DONE})
        agent.greeting["may"] = {**MAY, "chats": 1}
        agent.greet()
        self.assertEqual(own.client().request("POST", PATH, HELLO).status, 200)
        own.kill()
        own.start()
        self.refused(own.client().request("POST", PATH, HELLO, {"x-stainless-retry-count": "1"}), 409, "answer_lost")

    def test_part_of_an_answer_is_not_kept_as_one(self):
        own = Server(MONITOR_RATE_LIMIT="off", MONITOR_CHAT_MACHINE="chatty").start()
        self.addCleanup(own.end)
        failed = {**DONE, "failure": {"kind": "gone", "message": "gone"}}

        def script(params):
            agent.tell("chat/text", {"session_id": params["session_id"], "text": "part of"})
            return failed
        agent = Agent(own, own.key("chatty"), **{"chat/run": script})
        agent.greeting["may"] = {**MAY, "chats": 1}
        agent.greet()
        self.refused(own.client().request("POST", PATH, HELLO, {"idempotency-key": "k"}), 502, "claude_failed")
        own.kill()
        own.start()
        self.refused(own.client().request("POST", PATH, HELLO, {"idempotency-key": "k"}), 409, "answer_lost")

    def test_requests_at_once_with_one_idempotency_key_have_one_turn(self):
        self.script = lambda params: LATER
        threads, answers = self.several(self.chatter(), 12, idempotency_key="k-many")
        self.agent.taken()
        self.agent.answer(DONE)
        for thread in threads:
            thread.join(30)
        self.assertEqual(({answer.status for answer in answers}, len(answers), len(self.chats)), ({200}, 12, 1))

    def quietly(self, own):
        with contextlib.suppress(OSError, http.client.HTTPException):
            own.client().request("POST", PATH, HELLO)


class Disconnects(Chat):
    def test_a_closed_connection_ends_the_turn(self):
        self.script = lambda params: LATER
        client = self.chatter()
        streams = []
        asking = threading.Thread(target=lambda: streams.append(Stream(client, HELLO)))
        asking.start()
        chat = self.agent.taken()
        self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "begun"})
        asking.join(20)
        streams[0].close()
        wait_for(lambda: chat["session_id"] in self.ends, "the turn ends", 40)

    def test_a_revoked_key_ends_its_answers_and_their_turn(self):
        self.script = lambda params: LATER
        client = self.chatter()
        events = []
        asking = threading.Thread(target=lambda: events.extend(Stream(client, HELLO).events()))
        asking.start()
        chat = self.agent.taken()
        self.agent.tell("chat/text", {"session_id": chat["session_id"], "text": "begun"})
        self.assertEqual(server.client().request("DELETE", f"/v1/api-keys/{client.key_id}").status, 200)
        revoked = time.monotonic()
        asking.join(30)
        self.assertLess(time.monotonic() - revoked, 1)
        self.assertFalse(asking.is_alive())
        self.assertEqual(error_of(events)["code"], "invalid_api_key", events)
        wait_for(lambda: chat["session_id"] in self.ends, "the turn ends", 20)

    def test_a_revoked_key_ends_a_turn_that_goes_on_alone(self):
        self.script = lambda params: LATER
        client = self.chatter()
        connection = http.client.HTTPConnection(*server.address.rsplit(":", 1))
        connection.request("POST", PATH, json.dumps({**HELLO, "on_disconnect": "continue"}), {
            "Authorization": f"Bearer {client.credential}", "Content-Type": "application/json"})
        chat = self.agent.taken()
        connection.close()
        self.assertEqual(server.client().request("DELETE", f"/v1/api-keys/{client.key_id}").status, 200)
        wait_for(lambda: chat["session_id"] in self.ends, "the turn ends", 20)


if __name__ == "__main__":
    unittest.main()
