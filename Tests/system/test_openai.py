"""OpenAI's own client, from PyPI and unmodified, against this server and a scripted agent."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import harness
import test_chat as chat
import test_project_chat as projects
from agents import LATER

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"


def setUpModule():
    global python
    chat.setUpModule()
    done = subprocess.run([CLIENTS / "environment"], capture_output=True, text=True, timeout=700, check=False)
    assert done.returncode == 0, done.stderr
    python = done.stdout.strip()


def tearDownModule():
    harness.end_everything()


class OpenAI(chat.Chat):
    def turn(self, client, how, **arguments):
        """What one call of the client gives."""
        process = subprocess.run(
            [python, CLIENTS / "openai_turns.py"], input=json.dumps({"how": how, **chat.HELLO, **arguments}), text=True,
            capture_output=True, timeout=120, check=False,
            env={**os.environ, "OPENAI_BASE_URL": f"{chat.server.url}/v1", "OPENAI_API_KEY": client.credential})
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)

    def test_a_whole_answer_and_a_stream(self):
        self.says("Hel", "lo!")
        client = self.chatter()
        self.assertEqual(self.turn(client, "whole", temperature=0.5),
                         {"text": "Hello!", "finish": "stop", "tokens": 24, "cost": 0.6})
        self.assertEqual(self.turn(client, "stream"), {"text": "Hello!", "tokens": 24})
        self.assertEqual(self.turn(client, "helper"), {"text": "Hello!", "finish": "stop", "ended": 1})

    def test_the_document_lists_each_field_of_the_client(self):
        script = "import json\nfrom openai.types.chat import completion_create_params as one\n" \
            "print(json.dumps(sorted({*one.CompletionCreateParamsBase.__annotations__, 'stream'})))"
        fields = json.loads(subprocess.run([python, "-c", script], capture_output=True, text=True, timeout=60, check=True).stdout)
        document = (pathlib.Path(__file__).parents[2] / "docs/chat.md").read_text()
        listed = set(re.findall(r"(?m)^\| `(\w+)` \| (?:honoured|refused|ignored) \|", document))
        own = {"system_prompt", "project_id", "session_id", "mcp", "on_disconnect"}
        self.assertEqual(sorted(listed - own), fields)
        self.assertEqual(own - listed, set())

    def test_an_answer_is_parsed_by_its_schema(self):
        self.says('{"sum":4,"sign":"plus"}')
        self.assertEqual(self.turn(self.chatter(), "parsed"), {"sum": 4, "sign": "plus"})
        self.assertEqual(self.chats[0]["schema"]["required"], ["sum", "sign"])

    def test_functions_in_a_loop_and_streamed(self):
        made = [{"id": f"toolu_{place}", "name": "weather", "arguments": '{"city": "%s"}' % city}
                for place, city in enumerate(("Paris", "Rome"))]
        tool = {"type": "function", "function": {"name": "weather", "strict": True, "parameters": {
            "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}}}
        self.script = lambda params: {**chat.DONE, "calls": made}

        def proceed(params):
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "Both are sunny."})
            return chat.DONE
        self.agent.answers["chat/continue"] = proceed
        client, called = self.chatter(), [[one["name"], one["arguments"]] for one in made]
        self.assertEqual(self.turn(client, "loop", tools=[tool]), {"text": "Both are sunny.", "called": called})
        self.assertEqual(len(self.chats), 1)
        self.assertEqual(self.turn(client, "calls", tools=[tool]), {
            "finish": "tool_calls", "arguments": [one["arguments"] for one in made],
            "called": [[one["id"], one["name"], one["arguments"]] for one in made]})

    def test_each_error_is_raised_as_its_class(self):
        client = self.chatter(models=["haiku"])
        self.assertEqual(self.turn(client, "whole", n=2),
                         {"raised": "BadRequestError", "code": "invalid_parameter", "param": "n"})
        self.assertEqual(self.turn(client, "whole", model="opus"),
                         {"raised": "NotFoundError", "code": "model_not_found", "param": "model"})
        wrong = harness.Client(chat.server.address, "cma_" + "a" * 36)
        self.assertEqual(self.turn(wrong, "whole")["raised"], "AuthenticationError")
        self.assertEqual(self.turn(chat.made("read"), "whole")["raised"], "PermissionDeniedError")
        self.assertEqual(self.chats, [])

    def test_an_error_that_is_final_is_asked_for_once(self):
        client = self.chatter(daily_budget=0.5)
        self.assertEqual(self.turn(client, "whole")["finish"], "stop")
        found = self.turn(client, "whole", seed=1)
        self.assertEqual((found["raised"], found["code"]), ("RateLimitError", "insufficient_quota"))
        self.says(failure={"kind": "rate_limit", "message": "too much"})
        self.chats.clear()
        self.assertEqual(self.turn(self.chatter(), "whole")["raised"], "RateLimitError")
        self.assertEqual(len(self.chats), 1)

    def test_an_error_in_mid_stream_is_raised(self):
        self.says("some text", failure={"kind": "retracted", "message": "broken"})
        found = self.turn(self.chatter(), "stream")
        self.assertEqual((found["raised"], found["code"]), ("APIError", "stream_retracted"))

    def test_the_clients_own_repeat_runs_no_second_turn(self):
        def script(params):
            if len(self.chats) > 1:
                return chat.DONE
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "once"})
            return LATER
        self.script = script
        client = self.chatter()
        # The client gives up the first try, and repeats the request by itself.
        process = subprocess.Popen(
            [python, CLIENTS / "openai_turns.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, "OPENAI_BASE_URL": f"{chat.server.url}/v1", "OPENAI_API_KEY": client.credential})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        process.stdin.write(json.dumps({"how": "whole", **chat.HELLO, "timeout": 3}) + "\n")
        process.stdin.close()
        self.assertEqual([process.stderr.readline().strip() for _ in range(2)], ["POST 0", "POST 1"])
        self.agent.answer(chat.DONE)
        self.assertEqual(json.loads(process.stdout.read())["text"], "once")
        self.assertEqual((process.wait(20), len(self.chats)), (0, 1))


class Responses(chat.Chat):
    """The Responses API, by the same client."""

    def turn(self, how, client=None, **arguments):
        process = subprocess.run(
            [python, CLIENTS / "openai_turns.py"], input=json.dumps({"how": how, "model": "haiku", "input": "Hello", **arguments}),
            text=True, capture_output=True, timeout=120, check=False,
            env={**os.environ, "OPENAI_BASE_URL": f"{chat.server.url}/v1", "OPENAI_API_KEY": (client or self.chatter()).credential})
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)

    def test_a_whole_answer_and_events(self):
        self.says("Hel", "lo!")
        self.assertEqual(self.turn("response", instructions="Be brief.", max_output_tokens=9, reasoning={"effort": "low"}),
                         {"text": "Hello!", "status": "completed", "tokens": 24, "cached": 5, "called": []})
        params = self.chats[0]
        self.assertEqual((params["system_prompt"], params["content"], params["max_tokens"], params["effort"]),
                         ("Be brief.", "Hello", 9, "low"))
        self.assertEqual(self.turn("events"), {"text": "Hello!", "deltas": "Hello!", "numbers": True, "called": []})
        self.says("Hel", stop_reason="max_tokens")
        self.assertEqual(self.turn("response")["status"], "incomplete")
        types = self.turn("plain_events")["types"]
        self.assertEqual((types[:2], types[-1]), (["response.created", "response.in_progress"], "response.incomplete"))

    def test_images_and_earlier_items(self):
        picture = "data:image/png;base64,QUJD"
        self.says("Red.")
        self.assertEqual(self.turn("response", input=[
            {"role": "developer", "content": "One."}, {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": [
                {"type": "output_text", "text": "b", "annotations": []}]},
            {"role": "user", "content": [{"type": "input_text", "text": "c"}, {"type": "input_image", "image_url": picture,
                                                                             "detail": "auto"}]}])["text"], "Red.")
        params, = self.chats
        self.assertEqual(params["system_prompt"], "One.")
        self.assertEqual([(one["role"], str(one["content"]).count("b")) for one in params["history"]],
                         [("user", 0), ("assistant", 1)])
        self.assertEqual(params["content"][1]["source"], {"type": "base64", "media_type": "image/png", "data": "QUJD"})

    def test_functions_and_their_results(self):
        made = [{"id": f"toolu_{place}", "name": "weather", "arguments": '{"city": "%s"}' % city}
                for place, city in enumerate(("Paris", "Rome"))]
        tool = {"type": "function", "name": "weather", "strict": True, "parameters": {
            "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}}
        self.script = lambda params: {**chat.DONE, "calls": made}
        called, client = [[one["id"], one["name"], one["arguments"]] for one in made], self.chatter()
        self.assertEqual(self.turn("events", client, tools=[tool])["called"], called)
        self.assertEqual(self.turn("response", client, tools=[tool])["called"], called)
        self.assertEqual([one["name"] for one in self.chats[0]["functions"]], ["weather"])
        self.agent.answers["chat/continue"] = lambda params: results.append(params["results"]) or chat.DONE
        results = []
        items = [{"type": "function_call", "call_id": one["id"], "name": one["name"], "arguments": one["arguments"]} for one in made]
        items += [{"type": "function_call_output", "call_id": one["id"], "output": "sunny"} for one in made]
        answer = self.turn("response", client, tools=[tool], input=[{"role": "user", "content": "Hello"}, *items])
        self.assertEqual(answer["status"], "completed")
        # The process that waited for the results goes on.
        self.assertEqual(([one["id"] for one in results[0]], len(self.chats)), (["toolu_0", "toolu_1"], 2))

    def test_an_answer_in_a_form(self):
        self.says('{"sum":4,"sign":"plus"}')
        self.assertEqual(self.turn("form"), {"sum": 4, "sign": "plus"})
        self.assertEqual(self.chats[0]["schema"]["required"], ["sum", "sign"])

    def test_errors(self):
        def bad(param, **arguments):
            self.assertEqual(self.turn("response", **arguments), {"raised": "BadRequestError", "code": "invalid_parameter",
                                                                  "param": param})
        bad("previous_response_id", previous_response_id="resp_1")
        bad("background", background=True)
        bad("input[0]", input=[{"type": "computer_call"}])
        bad("input[0].content[0]", input=[{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}])
        bad("tools[0]", tools=[{"type": "web_search"}])
        bad("project_id", extra_body={"project_id": "ws-1"})
        self.assertEqual(self.turn("response", chat.made("control"))["raised"], "PermissionDeniedError")
        self.assertEqual(self.chats, [])
        self.says("some text", failure={"kind": "retracted", "message": "broken"})
        found = self.turn("plain_events")
        self.assertEqual((found["raised"], found["code"]), ("APIError", "stream_retracted"))

    def test_ignored_fields_are_named_and_a_key_repeats(self):
        client, body = self.chatter(), {"model": "haiku", "input": "Hello", "temperature": 1, "store": False, "include": []}
        self.says("once")
        answers = [client.request("POST", "/v1/responses", body, {"Idempotency-Key": "k-1"}) for _ in range(2)]
        self.assertEqual([answer.status for answer in answers], [200, 200], answers)
        self.assertEqual({answer.json["output"][0]["content"][0]["text"] for answer in answers}, {"once"})
        self.assertEqual(answers[0].json["id"], answers[1].json["id"])
        self.assertEqual((len(self.chats), answers[0].headers["x-ignored-parameters"]), (1, "temperature, store, include"))


if __name__ == "__main__":
    unittest.main()


class Projects(projects.ProjectChat):
    """The same client in project chats, which it names in `extra_body`."""

    turn = OpenAI.turn

    def setUp(self):
        projects.server = chat.server
        super().setUp()
        self.extra = {"project_id": self.machine.project}

    def test_a_session_answers_and_goes_on(self):
        def script(message):
            self.machine.step("thinking", text="Hm.")
            self.machine.step("tool", id="toolu_1", name="Bash")
            self.machine.step("tool_ended", id="toolu_1", is_error=False)
            self.machine.says("Hel", "lo!")
        self.machine.script = script
        first = self.turn(self.client, "project", extra_body=self.extra)
        session = first.pop("session")
        self.assertEqual(first, {"text": "Hello!", "project": self.machine.project, "thinking": "Hm.", "tools": ["Bash"]})
        again = self.turn(self.client, "project", extra_body={"session_id": session})
        self.assertEqual((again["session"], len(self.machine.started)), (session, 1))

    def test_streams_with_tools_and_prompts_between(self):
        def script(message):
            self.machine.step("tool", id="toolu_1", name="Bash")
            self.machine.step("text", text="Hel")
            self.machine.step("tool_ended", id="toolu_1", is_error=False)
            self.machine.says("lo!")
        self.machine.script = script
        self.assertEqual(self.turn(self.client, "stream", extra_body=self.extra), {"text": "Hello!", "tokens": 24})
        self.assertEqual(self.turn(self.client, "helper", extra_body=self.extra), {"text": "Hello!", "finish": "stop", "ended": 1})

    def test_errors_raise_their_classes_once(self):
        self.assertEqual(self.turn(self.client, "project", extra_body={"project_id": "ws-none"}),
                         {"raised": "NotFoundError", "code": "project_not_found", "param": None})
        session = self.turn(self.client, "project", extra_body=self.extra)["session"]
        self.machine.agent.state(session, "running")
        projects.wait_for(lambda: self.client.request("GET", f"{chat.PATH}/{session}/status").json["is_running"], "it runs")
        self.assertEqual(self.turn(self.client, "project", extra_body={"session_id": session}),
                         {"raised": "ConflictError", "code": "session_busy", "param": None})
        self.assertEqual(len(self.machine.sent), 1)
