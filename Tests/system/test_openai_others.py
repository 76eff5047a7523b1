"""Other programs' clients of OpenAI's interface, from PyPI and unmodified, each in an environment of its own: one turn with a
function each, against this server and a scripted agent."""

import json
import os
import pathlib
import subprocess
import unittest

import harness
import test_chat as chat

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"
WEATHER = {"type": "function", "function": {"name": "weather", "description": "The weather.", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
CALL = {"id": "toolu_1", "name": "weather", "arguments": '{"city": "Paris"}'}


def setUpModule():
    chat.setUpModule()


def tearDownModule():
    harness.end_everything()


class Others(chat.Chat):
    def turn(self, name):
        made = subprocess.run([CLIENTS / "environment", name], capture_output=True, text=True, timeout=700, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.script = lambda params: {**chat.DONE, "calls": [CALL]}
        # LiteLLM would otherwise load its prices from the network.
        process = subprocess.run(
            [made.stdout.strip(), CLIENTS / f"{name}_turn.py"], input=json.dumps({**chat.HELLO, "tools": [WEATHER]}), text=True,
            capture_output=True, timeout=180, check=False,
            env={**os.environ, "OPENAI_BASE_URL": f"{chat.server.url}/v1", "OPENAI_API_KEY": self.chatter().credential,
                 "LITELLM_LOCAL_MODEL_COST_MAP": "True"})
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout.splitlines()[-1])

    def called(self, name):
        found = self.turn(name)
        self.assertEqual((found["text"] or "", found["finish"], found["called"]),
                         ("", "tool_calls", [["weather", '{"city": "Paris"}']]))
        self.assertEqual([function["name"] for function in self.chats[0]["functions"]], ["weather"])


class LiteLLM(Others):
    def test_a_turn(self):
        self.called("litellm")


class LangChain(Others):
    def test_a_turn(self):
        self.called("langchain")


class Agents(Others):
    def test_a_run(self):
        def proceed(params):
            self.agent.tell("chat/text", {"session_id": params["session_id"], "text": "It is sunny."})
            return chat.DONE
        self.agent.answers["chat/continue"] = proceed
        self.assertEqual(self.turn("agents"), {"text": "It is sunny.", "called": [["weather", '{"city": "Paris"}']]})
        # The run's second request went on with the process that waited.
        self.assertEqual(len(self.chats), 1)


if __name__ == "__main__":
    unittest.main()
