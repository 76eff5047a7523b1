"""What the operator's configuration says of chats: other names for models, and whether temperatures reach the model."""

import unittest

import harness
import test_chat as chat
from agents import MAY, Agent
from harness import Client, Server

NAMES = {"gpt-4o": "sonnet", "gpt-4o-mini": "claude-haiku-4-5"}


def setUpModule():
    chat.server = Server(MONITOR_RATE_LIMIT="off", MONITOR_CHAT_SAMPLING="pass",
                         MONITOR_MODEL_ALIASES=",".join(f"{name}={model}" for name, model in NAMES.items())).start()


def tearDownModule():
    harness.end_everything()


class Sampling(chat.Chat):
    def test_temperatures_reach_the_machine(self):
        answer = self.ask(self.chatter(), {**chat.HELLO, "temperature": 0.7, "top_p": 1, "seed": 1})
        self.assertEqual((answer.status, answer.headers["x-ignored-parameters"]), (200, "seed"), answer)
        self.assertEqual((self.chats[0]["temperature"], self.chats[0]["top_p"]), (0.7, 1))

    def test_a_model_that_thinks_takes_none(self):
        answer = self.ask(self.chatter(), {**chat.HELLO, "temperature": 0.7, "reasoning_effort": "low"})
        self.assertEqual((answer.status, answer.headers["x-ignored-parameters"]), (200, "temperature"), answer)
        self.assertNotIn("temperature", self.chats[0])

    def test_what_claude_does_not_take_is_400(self):
        client = self.chatter()
        for field, value in (("temperature", 1.5), ("temperature", -1), ("top_p", 2), ("top_p", "high")):
            with self.subTest(field, value=value):
                self.refused(self.ask(client, {**chat.HELLO, field: value}), 400, "invalid_parameter", field)

    def test_responses_have_them_too(self):
        body = {"input": "Hello", "model": "gpt-4o", "temperature": 0.25}
        answer = self.chatter().request("POST", "/v1/responses", body)
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn("x-ignored-parameters", answer.headers)
        self.assertEqual((self.chats[0]["temperature"], self.chats[0]["model"]), (0.25, "sonnet"))
        self.assertEqual((answer.json["temperature"], answer.json["top_p"]), (0.25, None))


class Names(chat.Chat):
    def test_a_name_leads_to_its_model(self):
        answer = self.ask(self.chatter(), {**chat.HELLO, "model": "gpt-4o"})
        self.assertEqual((answer.status, self.chats[0]["model"]), (200, "sonnet"), answer)
        self.assertEqual(answer.json["model"], "claude-haiku-4-5")

    def test_a_key_with_a_list_has_the_models_of_its_names(self):
        for models, taken in ((["sonnet"], "gpt-4o"), (["gpt-4o"], "gpt-4o"), (["gpt-4o"], "sonnet"), (["gpt-4o"], None)):
            with self.subTest(models=models, taken=taken):
                body = {"messages": chat.HELLO["messages"], **({"model": taken} if taken else {})}
                self.assertEqual(self.ask(self.chatter(models=models), body).status, 200)
                self.assertEqual(self.chats[-1]["model"], "sonnet")
        self.refused(self.ask(self.chatter(models=["haiku"]), {**chat.HELLO, "model": "gpt-4o"}), 404, "model_not_found", "model")

    def test_models_lists_the_names(self):
        listed = [one["id"] for one in chat.server.get("/v1/models").json["data"]]
        self.assertEqual(listed[-2:], list(NAMES))
        self.assertEqual(len(set(listed)), len(listed))
        one = chat.server.get("/v1/models/gpt-4o-mini").json
        self.assertEqual((one["id"], one["root"]), ("gpt-4o-mini", chat.server.get("/v1/models/claude-haiku-4-5").json["root"]))
        self.assertIn("gpt-4o-mini", one["aliases"])
        self.assertEqual(chat.server.get("/v1/models/gpt-4").status, 404)

    def test_a_key_that_chats_sees_the_names_of_its_models(self):
        listed = self.chatter(models=["sonnet", "opus"]).request("GET", "/v1/models").json["data"]
        self.assertEqual([one["id"] for one in listed], ["sonnet", "opus", "gpt-4o"])

    def test_what_a_request_would_do_has_the_model(self):
        made = chat.server.client().request("POST", "/v1/projects", {
            "name": self.name, "path": "/home/dev", "machine_id": self.name})
        body = {**chat.HELLO, "model": "gpt-4o", "project_id": made.json["id"]}
        answer = chat.server.client().request("POST", "/v1/chat/completions/debug", body)
        self.assertEqual((answer.status, answer.json["model"]), (200, "sonnet"), answer)


class Machine(unittest.TestCase):
    def test_a_single_machine_that_chats_is_no_default(self):
        own = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(own.end)
        agent = Agent(own, own.key("only"), **{"chat/run": lambda params: chat.DONE})
        self.addCleanup(agent.close)
        agent.greeting["may"] = {**MAY, "chats": 1}
        agent.greet()
        answer = Client(own.address, own.admin).request("POST", chat.PATH, chat.HELLO)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "no_chat_machine"), answer)


if __name__ == "__main__":
    unittest.main()
