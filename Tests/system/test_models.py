"""`/v1/models` when agents tell what their machines' Claude Code offers."""

import unittest

import harness
from agents import MAY, Agent
from harness import Server, identifier

SONNET = {"value": "sonnet", "resolvedModel": "claude-sonnet-5-5", "displayName": "Sonnet", "description": "For routine tasks",
          "supportedEffortLevels": ["low", "high"]}
NEW = {"value": "next", "resolvedModel": "claude-next-9", "displayName": "Next"}
USUAL = {"value": "default", "resolvedModel": "claude-next-9", "displayName": "Default (recommended)"}


def setUpModule():
    global server
    server = Server(MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    harness.end_everything()


class Models(unittest.TestCase):
    def machine(self, *models, may=MAY):
        """A machine that offers models. Its agent counts in `agent.commands` how often it is asked."""
        name = identifier()
        agent = Agent(server, server.key(name), **{"models/list": lambda params: {"models": list(models)}})
        agent.greeting["may"] = may
        agent.greet()
        self.addCleanup(agent.close)
        return name, agent

    def client(self, name, *capabilities, **more):
        answer = server.client().request("POST", "/v1/api-keys", {
            "name": identifier(), "capabilities": list(capabilities), **({"machines": [name]} if name else {}), **more})
        self.assertEqual(answer.status, 201, answer)
        return harness.Client(server.address, answer.json["key"])

    def got(self, client, path=""):
        answer = client.get("/v1/models" + path)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_only_what_the_machines_of_the_caller_offer_is_listed(self):
        name, _ = self.machine(USUAL, SONNET, NEW)
        self.machine({"value": "other", "resolvedModel": "claude-other-1"})
        listed = self.got(self.client(name, "chat"))["data"]
        self.assertEqual([(model["id"], model["machines"]) for model in listed],
                         [("claude-next-9", [name]), ("claude-sonnet-5-5", [name])])

    def test_a_model_without_a_price_has_none_and_one_with_a_price_has_it(self):
        name, _ = self.machine(SONNET, NEW)
        # A reader knows of all machines, also of those whose agents have just gone.
        client = self.client(None, "read")
        found = {model["id"]: model for model in self.got(client, "/capabilities")["models"]}
        sonnet = found["claude-sonnet-5-5"]
        self.assertEqual(sonnet["efforts"], ["low", "high"])
        self.assertIn(name, sonnet["machines"])
        self.assertEqual(sonnet["pricing"]["per_tokens"], 1000)
        self.assertNotIn("pricing", found["claude-next-9"])
        self.assertEqual((found["claude-next-9"]["name"], found["claude-next-9"]["price_history"]), ("Next", []))
        self.assertEqual(found["claude-haiku-5-5"]["machines"], [])

    def test_a_model_is_found_by_what_the_machine_calls_it(self):
        name, _ = self.machine(USUAL, NEW)
        client = self.client(name, "chat")
        for called in ("next", "claude-next-9"):
            self.assertEqual(self.got(client, "/" + called)["id"], "claude-next-9")
        for known in ("claude-3-5-haiku-20241022", "claude-3-haiku"):
            self.assertEqual(self.got(client, "/" + known)["id"], known)

    def test_the_nearest_names_of_one_that_is_unknown(self):
        name, _ = self.machine(NEW)
        answer = self.client(name, "chat").get("/v1/models/claude-nxt-9")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (404, "model_not_found"), answer)
        self.assertIn("claude-next-9", answer.json["error"]["message"])
        answer = self.client(name, "chat", models=["next"]).get("/v1/models/claude-nxt-9")
        self.assertEqual(answer.status, 404, answer)
        self.assertNotIn("claude-next-9", answer.json["error"]["message"])

    def test_an_agent_is_asked_once_and_only_where_something_is_allowed(self):
        name, agent = self.machine(NEW)
        closed, idle = self.machine(NEW, may={"control": False})
        for _ in range(3):
            self.assertEqual(len(self.got(self.client(name, "chat"))["data"]), 1)
            self.assertGreater(len(self.got(self.client(closed, "chat"))["data"]), 1)
        self.assertEqual([method for method, _ in agent.commands].count("models/list"), 1)
        self.assertNotIn("models/list", [method for method, _ in idle.commands])

    def test_an_agent_that_tells_none_leaves_the_list_of_prices(self):
        name, _ = self.machine()
        self.assertIn("claude-haiku-5-5", [model["id"] for model in self.got(self.client(name, "chat"))["data"]])


if __name__ == "__main__":
    unittest.main()
