"""Functions of programs and answers in a form, answered by a scripted agent: forms, the results' way back, and attacks."""

import json
import threading
import time
import unittest

import harness
import test_chat as chat
from agents import LATER, Refusal
from harness import wait_for

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "function": {"name": "weather", "description": "Of a city.", "parameters": SCHEMA}}
CALLS = [{"id": "toolu_1", "name": "weather", "arguments": '{"city":  "Paris"}'},
         {"id": "toolu_2", "name": "weather", "arguments": '{"city":"Rome"}'}]
ASKED = {"model": "haiku", "messages": [{"role": "user", "content": "Weather?"}], "tools": [WEATHER]}


def setUpModule():
    chat.setUpModule()


def tearDownModule():
    harness.end_everything()


def results(**texts):
    return [{"role": "tool", "tool_call_id": name, "content": text} for name, text in texts.items()]


class Functions(chat.Chat):
    def setUp(self):
        super().setUp()
        self.continued = []
        self.proceed = lambda params: chat.DONE
        self.agent.answers["chat/continue"] = self.go_on
        self.calls(*CALLS)

    def go_on(self, params):
        self.continued.append(params)
        return self.proceed(params)

    def calls(self, *calls, **more):
        self.script = lambda params: {**chat.DONE, "stop_reason": "tool_use", "calls": list(calls), **more}

    def called(self, client, **more):
        """The messages after the model has called."""
        answer = self.ask(client, {**ASKED, **more})
        self.assertEqual(answer.status, 200, answer)
        return ASKED["messages"] + [answer.json["choices"][0]["message"]]


class Answers(Functions):
    def test_calls_have_the_form_of_openai(self):
        answer = self.ask(self.chatter(), {**ASKED, "parallel_tool_calls": True})
        choice, = answer.json["choices"]
        self.assertEqual((choice["finish_reason"], choice["message"]["content"]), ("tool_calls", None))
        self.assertEqual(choice["message"]["tool_calls"], [
            {"id": made["id"], "type": "function", "function": {"name": "weather", "arguments": made["arguments"]}}
            for made in CALLS])
        self.assertEqual(answer.json["usage"]["total_cost"], 0.6)
        self.assertNotIn("x-ignored-parameters", answer.headers)
        sent, = self.chats
        self.assertEqual(sent["functions"], [{"name": "weather", "description": "Of a city.", "parameters": SCHEMA}])
        self.assertNotIn("tool_choice", sent)

    def test_a_machine_calls_no_function_that_was_not_offered(self):
        self.calls({"id": "toolu_1", "name": "delete", "arguments": "{}"}, {"id": "a b\n", "name": "weather", "arguments": "{}"},
                   CALLS[0])
        choice, = self.ask(self.chatter(), ASKED).json["choices"]
        self.assertEqual([made["id"] for made in choice["message"]["tool_calls"]], ["toolu_1"])
        self.assertEqual(choice["message"]["tool_calls"][0]["function"]["name"], "weather")
        self.calls(CALLS[0])
        choice, = self.ask(self.chatter(), chat.HELLO).json["choices"]
        self.assertEqual((choice["finish_reason"], choice["message"].get("tool_calls")), ("stop", None))

    def test_a_stream_has_each_call_with_its_index(self):
        events = list(chat.Stream(self.chatter(), ASKED).events())
        self.assertEqual(events.pop(), "DONE")
        self.assertEqual(events[-1]["choices"][0]["finish_reason"], "tool_calls")
        deltas = [made for event in events for made in event["choices"][0]["delta"].get("tool_calls", [])]
        self.assertEqual([(made["index"], made["id"], made["type"], made["function"]["arguments"]) for made in deltas],
                         [(place, made["id"], "function", made["arguments"]) for place, made in enumerate(CALLS)])

    def test_each_choice_has_claudes_form(self):
        client = self.chatter()
        named = {"type": "function", "function": {"name": "weather"}}
        for fields, wanted in (({"tool_choice": "auto"}, None), ({"tool_choice": "none"}, {"type": "none"}),
                               ({"tool_choice": "required"}, {"type": "any"}),
                               ({"tool_choice": named}, {"type": "tool", "name": "mcp__client__weather"}),
                               ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
                               ({"parallel_tool_calls": False, "tool_choice": "required"},
                                {"type": "any", "disable_parallel_tool_use": True})):
            with self.subTest(fields):
                self.assertEqual(self.ask(client, {**ASKED, **fields, "reasoning_effort": "high"}).status, 200)
                self.assertEqual(self.chats[-1].get("tool_choice"), wanted)
                # The API takes no thinking beside a forced call.
                forced = fields.get("tool_choice") not in (None, "auto", "none")
                self.assertEqual(self.chats[-1].get("effort"), None if forced else "high")

    def test_a_form_is_a_schema(self):
        client = self.chatter()
        for form, wanted in (({"type": "text"}, None), ({"type": "json_object"}, {"type": "object"}),
                             ({"type": "json_schema", "json_schema": {"name": "w", "schema": SCHEMA, "strict": True}}, SCHEMA)):
            with self.subTest(form):
                self.assertEqual(self.ask(client, {**chat.HELLO, "response_format": form}).status, 200)
                self.assertEqual(self.chats[-1].get("schema"), wanted)
        self.says(failure={"kind": "unusable", "message": "no schema"})
        self.refused(self.ask(client), 400, "invalid_parameter")


class Results(Functions):
    def test_the_process_that_waits_gets_the_results(self):
        client = self.chatter()
        messages = self.called(client)

        def proceed(params):
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "Sunny."})
            return chat.DONE
        self.proceed = proceed
        answer = self.ask(client, {**ASKED, "messages": messages + results(toolu_2="hot", toolu_1="")})
        self.assertEqual(answer.json["choices"][0]["message"]["content"], "Sunny.")
        sent, = self.continued
        self.assertEqual(sent["session_id"], self.chats[0]["session_id"])
        self.assertEqual(sent["results"], [{"id": "toolu_2", "content": [{"type": "text", "text": "hot"}]},
                                           {"id": "toolu_1", "content": []}])
        self.assertEqual(len(self.chats), 1)

    def test_a_turn_goes_on_several_times(self):
        client = self.chatter()
        messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")
        self.proceed = lambda params: {**chat.DONE, "calls": [{"id": "toolu_3", "name": "weather", "arguments": "{}"}]}
        answer = self.ask(client, {**ASKED, "messages": messages})
        messages += [answer.json["choices"][0]["message"]] + results(toolu_3="x")
        self.proceed = lambda params: chat.DONE
        self.assertEqual(self.ask(client, {**ASKED, "messages": messages}).status, 200)
        self.assertEqual([len(self.chats), len(self.continued)], [1, 2])

    def test_what_differs_is_loaded(self):
        client = self.chatter()
        for change in ({"model": "sonnet"}, {"tool_choice": "none"}, {"tools": [WEATHER, {
                "type": "function", "function": {"name": "other"}}]}, {"system_prompt": "Else."}, {"max_tokens": 7}):
            with self.subTest(change):
                messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")
                self.assertEqual(self.ask(client, {**ASKED, "messages": messages, **change}).status, 200)
                self.assertEqual(self.continued, [])
        loaded = self.chats[-1]
        self.assertEqual(loaded["history"][0], {"role": "user", "content": "Weather?"})
        self.assertEqual(loaded["history"][1]["content"][0], {
            "type": "tool_use", "id": "toolu_1", "name": "mcp__client__weather", "input": {"city": "Paris"}})
        self.assertEqual(loaded["content"][1], {
            "type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "cold"}]})

    def test_other_words_before_or_after_are_loaded(self):
        client = self.chatter()
        messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")
        for other in ([{"role": "user", "content": "Else?"}] + messages[1:], messages + [{"role": "user", "content": "Go on."}]):
            self.assertEqual(self.ask(client, {**ASKED, "messages": other}).status, 200)
        self.assertEqual((self.continued, self.chats[-1]["content"][2]), ([], {"type": "text", "text": "Go on."}))

    def test_a_process_that_has_gone_is_replaced(self):
        client = self.chatter()
        for reason in ("session_not_running", "unfit_answer"):
            messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")

            def gone(params, reason=reason):
                raise Refusal(reason)
            self.proceed = gone
            self.chats.clear()
            answer = self.ask(client, {**ASKED, "messages": messages})
            self.assertEqual((answer.status, len(self.chats)), (200, 1))
            # What it now calls belongs to the new process.
            again = messages + [answer.json["choices"][0]["message"]]
            self.assertNotEqual(self.chats[0]["session_id"], self.continued[-1]["session_id"])
        self.proceed = lambda params: chat.DONE
        chosen = self.chats[0]["session_id"]
        # The same ids again: a history may not have them twice.
        self.refused(self.ask(client, {**ASKED, "messages": again + results(toolu_1="a", toolu_2="b")}),
                     400, "invalid_parameter", "messages[4].tool_calls[0]")
        self.assertEqual(self.ask(client, {**ASKED, "messages": messages}).status, 200)
        self.assertNotIn(chosen, [one["session_id"] for one in self.continued])

    def test_a_machine_without_room_keeps_the_process(self):
        client = self.chatter()
        messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")

        def full(params):
            raise Refusal("too_many_chats")
        self.proceed = full
        self.refused(self.ask(client, {**ASKED, "messages": messages}), 429, "too_many_chats")
        self.proceed = lambda params: chat.DONE
        self.assertEqual(self.ask(client, {**ASKED, "messages": messages}).status, 200)
        self.assertEqual((len(self.continued), len(self.chats)), (2, 1))

    def test_the_agent_was_started_anew(self):
        client = self.chatter()
        messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")
        identity = self.agent.identity
        self.agent.close()
        self.agent = self.connected(identity=identity)
        self.addCleanup(self.agent.close)
        wait_for(lambda: self.ask(client).status == 200, "the agent is back", 20)
        self.chats.clear()
        # It knows nothing of what waited.
        self.agent.answers["chat/continue"] = self.unknown
        self.assertEqual(self.ask(client, {**ASKED, "messages": messages}).status, 200)
        self.assertEqual(len(self.chats), 1)

    def unknown(self, params):
        raise Refusal("session_not_running")


class Attacks(Functions):
    def test_another_key_does_not_get_what_waits(self):
        one, other = self.chatter(), self.chatter()
        messages = self.called(one) + results(toolu_1="hot", toolu_2="cold")
        self.assertEqual(self.ask(other, {**ASKED, "messages": messages}).status, 200)
        self.assertEqual(self.continued, [])
        self.assertEqual(self.ask(one, {**ASKED, "messages": messages}).status, 200)
        self.assertEqual(len(self.continued), 1)

    def test_results_count_once(self):
        client = self.chatter()
        messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")
        for _ in range(2):
            self.assertEqual(self.ask(client, {**ASKED, "messages": messages}).status, 200)
        self.assertEqual((len(self.continued), len(self.chats)), (1, 2))

    def test_a_revoked_key_ends_what_waits(self):
        client = self.chatter()
        self.called(client)
        listed = chat.server.get("/v1/api-keys").json["api_keys"]
        chosen = next(key for key in listed if client.credential.startswith(key["prefix"]))
        self.assertEqual(chat.server.client().request("DELETE", f"/v1/api-keys/{chosen['id']}").status, 200)
        wait_for(lambda: self.chats[0]["session_id"] in self.ends, "the process ends", 20)

    def test_a_revoked_key_ends_what_waits_again(self):
        client = self.chatter()
        messages = self.called(client) + results(toolu_1="hot", toolu_2="cold")
        self.proceed = lambda params: LATER
        answers = []
        asking = threading.Thread(target=lambda: answers.append(self.ask(client, {**ASKED, "messages": messages})))
        asking.start()
        self.agent.taken()
        # By now nobody looks after what waited before.
        time.sleep(2.5)
        number, _ = self.agent.waiting[0]
        self.agent.send({"jsonrpc": "2.0", "id": number,
                         "error": {"code": -32005, "message": "Full.", "data": {"reason": "too_many_chats"}}})
        asking.join(20)
        self.refused(answers[0], 429, "too_many_chats")
        self.assertEqual(chat.server.client().request("DELETE", f"/v1/api-keys/{client.key_id}").status, 200)
        wait_for(lambda: self.chats[0]["session_id"] in self.ends, "the process ends", 20)

    def test_histories_that_no_model_made_are_400(self):
        client, call = self.chatter(), {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        said = {"role": "assistant", "content": None, "tool_calls": [call]}

        def with_call(**change):
            return {**said, "tool_calls": [{**call, **change}]}
        told, user = results(c="x"), {"role": "user", "content": "go"}
        deep = '{"a":' * 10_000 + "1" + "}" * 10_000
        for messages, param in (
                ([user, *told], "messages[1].tool_call_id"), ([user, said, *results(d="x")], "messages[2].tool_call_id"),
                ([user, said, *told, *told], "messages[3].tool_call_id"), ([user, said, user], "messages[2]"),
                ([user, said], "messages"), ([user, said, said], "messages[2]"),
                ([user, said, *told, said, *told], "messages[3].tool_calls[0]"),
                ([user, with_call(id="a b"), *told], "messages[1].tool_calls[0]"), ([user, with_call(id=""), *told],
                                                                                    "messages[1].tool_calls[0]"),
                ([user, with_call(function={"name": "../x", "arguments": "{}"})], "messages[1].tool_calls[0]"),
                ([user, with_call(function={"name": "weather", "arguments": "[]"})], "messages[1].tool_calls[0]"),
                ([user, with_call(function={"name": "weather", "arguments": deep})], "messages[1].tool_calls[0]"),
                ([user, said, {"role": "tool", "tool_call_id": "c", "content": [{"type": "image_url"}]}],
                 "messages[2].content")):
            with self.subTest(param):
                self.refused(self.ask(client, {**ASKED, "messages": messages}), 400, "invalid_parameter", param)
        self.assertEqual(self.chats, [])

    def test_functions_that_cannot_be_are_400(self):
        client = self.chatter()

        def tool(name="f", **more):
            return {"type": "function", "function": {"name": name, **more}}
        for fields, param in (
                ({"tools": 7}, "tools"), ({"tools": [tool(f"f{place}") for place in range(10_000)]}, "tools"),
                ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "tools[0]"),
                ({"tools": [{"type": "bash"}]}, "tools[0]"), ({"tools": [tool("a"), tool("a")]}, "tools[1].function.name"),
                ({"tools": [tool("x" * 65)]}, "tools[0].function.name"),
                ({"tools": [tool("Bash(rm:*)")]}, "tools[0].function.name"),
                ({"tools": [tool("a,Bash")]}, "tools[0].function.name"),
                ({"tools": [tool(parameters={"type": "array"})]}, "tools[0].function.parameters"),
                ({"tools": [tool(parameters={"properties": {"a": True}})]}, "tools[0].function.parameters.properties"),
                ({"tools": [tool(parameters={"required": "a"})]}, "tools[0].function.parameters.required"),
                ({"tool_choice": "required"}, "tool_choice"), ({"tools": [tool()], "tool_choice": "any"}, "tool_choice"),
                ({"tools": [tool()], "tool_choice": {"type": "function", "function": {"name": "Bash"}}}, "tool_choice"),
                ({"parallel_tool_calls": 1}, "parallel_tool_calls"), ({"response_format": "json"}, "response_format"),
                ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.name"),
                ({"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "array"}}}},
                 "response_format.json_schema.schema"), ({"functions": [{"name": "f"}]}, "functions")):
            with self.subTest(param):
                self.refused(self.ask(client, {**chat.HELLO, **fields}), 400, "invalid_parameter", param)
        self.assertEqual(self.chats, [])

    def test_a_schema_that_is_too_deep_or_too_long_reaches_no_machine(self):
        client = self.chatter()
        deep = json.loads('{"a":' * 900 + "1" + "}" * 900)
        answer = self.ask(client, {**chat.HELLO, "tools": [{"type": "function", "function": {"name": "f", "parameters": deep}}]})
        self.assertEqual(answer.status, 400, answer)
        # In UTF-8, each of these has half of the bytes that it has in a message to the agent.
        text = json.dumps({**chat.HELLO, "system_prompt": "\u2028" * 290_000}, ensure_ascii=False).encode()
        answer = client.request("POST", chat.PATH, text)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (413, "body_too_large"), answer)
        self.assertEqual(self.ask(client).status, 200)


class Models(chat.Chat):
    def listed(self, client):
        answer = client.get("/v1/models")
        return [model["id"] for model in answer.json["data"]] if answer.status == 200 else answer.status

    def test_a_key_with_chat_lists_what_it_may_name(self):
        client = self.chatter(models=["haiku", "claude-new-9"])
        self.assertEqual(self.listed(client), ["haiku", "claude-new-9"])
        self.assertEqual(client.get("/v1/models/haiku").json["id"], chat.server.get("/v1/models/haiku").json["id"])
        for name in ("opus", "claude-opus-4-6"):
            self.refused(client.get("/v1/models/" + name), 404, "model_not_found")
        self.assertEqual(client.get("/v1/models/capabilities").status, 403)
        everything = self.listed(chat.server.client())
        self.assertEqual(self.listed(self.chatter()), everything)
        self.assertEqual(self.listed(chat.made("chat", "read", machines=[self.name], models=["haiku"])), everything)

    def test_others_do_not(self):
        for client, status in ((chat.made("tools"), 403), (harness.Client(chat.server.address, self.key), 403),
                               (harness.Client(chat.server.address), 401)):
            self.assertEqual(self.listed(client), status)
            self.assertEqual(client.get("/v1/models/haiku").status, status)


if __name__ == "__main__":
    unittest.main()
