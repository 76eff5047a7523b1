"""The tokens and the cost of plain chats in the sums of usage: each turn once, whatever happens to it."""

import threading
import unittest
import uuid

import harness
import test_chat as chat
from agents import LATER, MAY, Agent
from harness import Client, Server, wait_for
from telemetry import logs, request
from test_chat import DONE, HELLO, PATH, Stream, made


def setUpModule():
    global server
    chat.setUpModule()
    server = chat.server


def tearDownModule():
    harness.end_everything()


def usage(by=None, at=None, **filters):
    query = "&".join(f"{name}={value}" for name, value in {**({"by": by} if by else {}), **filters}.items())
    answer = (at or server).get("/v1/usage?" + query)
    assert answer.status == 200, answer
    return answer.json


def figures(total):
    tokens = total["token_usage"]
    return (total["requests"], tokens["input_tokens"], tokens["output_tokens"], tokens["cache_read_tokens"],
            tokens["cache_creation_tokens"], total["total_cost"])


class Sums(chat.Chat):
    def total(self):
        return usage(machine_id=self.name)["total"]

    def test_a_turn_counts_once_by_model_key_and_machine(self):
        client = self.chatter()
        self.assertEqual(self.ask(client).status, 200)
        self.assertEqual(self.ask(client, {**HELLO, "seed": 2}).status, 200)
        self.assertEqual(figures(self.total()), (2, 20, 14, 10, 4, 1.2))
        self.assertEqual({name: self.total()[name] for name in ("source", "confidence", "requests_by_agent", "is_estimated")},
                         {"source": "agent", "confidence": "exact", "requests_by_agent": 2, "is_estimated": False})
        for by, key, name in (("model", "claude-haiku-4-5", None), ("query_source", "chat", None), ("project", None, None),
                              ("session", None, None)):
            group, = usage(by, machine_id=self.name)["groups"]
            self.assertEqual((group["key"], group.get("name"), group["requests"]), (key, name, 2), by)
        group, = usage("machine", machine_id=self.name)["groups"]
        self.assertEqual((group["name"], group["requests"]), (self.name, 2))
        group, = usage("api_key", machine_id=self.name)["groups"]
        self.assertEqual((group["key"], group["requests"], group["total_cost"]), (f"api_key:{client.key_id}", 2, 1.2))
        self.assertRegex(group["name"], r"\Akey-")

    def test_it_is_in_the_sums_of_days_hours_windows_and_budgets(self):
        before = {group["key"]: group["requests"] for group in usage("day")["groups"]}
        self.assertEqual(self.ask(self.chatter()).status, 200)
        after = {group["key"]: group["requests"] for group in usage("day")["groups"]}
        self.assertEqual(sum(after.values()), sum(before.values()) + 1)
        for zone in ("UTC", "Asia/Kolkata"):
            self.assertEqual(sum(group["requests"] for group in usage("hour", timezone=zone, machine_id=self.name)["groups"]), 1)
        window = server.get(f"/v1/usage/windows?machine_id={self.name}").json["five_hour"]
        self.assertEqual((window["requests"], window["total_cost"]), (1, 0.6))
        self.assertTrue(window["start"])
        day = next(row for row in server.get("/v1/stats?by=machine").json["data"] if row.get("name") == self.name)
        self.assertEqual(day["total_cost"], 0.6)

    def test_a_repeat_and_a_refused_turn_do_not_count(self):
        client = self.chatter()
        for _ in range(2):
            self.assertEqual(self.ask(client, idempotency_key="k").status, 200)
        self.says(failure={"kind": "model_not_found", "message": "none"}, usage={}, cost=0)
        self.assertEqual(self.ask(client, {**HELLO, "seed": 9}).status, 404)
        self.assertEqual(self.total()["total_cost"], 0.6)
        self.agent.close()
        self.assertEqual(self.ask(client, {**HELLO, "seed": 10}).status, 503)
        self.assertEqual(self.total()["total_cost"], 0.6)

    def test_telemetry_of_the_client_counts_no_turn_twice(self):
        client = str(uuid.uuid4())
        self.says("x", client_id=client)
        key = self.chatter()
        self.assertEqual(self.ask(key).status, 200)
        self.assertEqual(self.ask(key, {**HELLO, "seed": 2}).status, 200)
        self.assertEqual(self.total()["total_cost"], 1.2)
        told = Client(server.address, self.key).request("POST", "/v1/logs", logs(request(client, "req_1", cost=0.25)))
        self.assertEqual(told.status, 200, told)
        # Both turns had this client.
        total = self.total()
        self.assertEqual((total["requests"], total["requests_by_agent"], total["total_cost"]), (1, 0, 0.25))

    def test_a_model_without_a_price_is_unpriced(self):
        self.says(model="other-1", cost=0.25)
        self.assertEqual(self.ask(self.chatter(), {"messages": HELLO["messages"]}).status, 200)
        self.assertEqual(self.total()["unpriced"], {"cost": 0.25, "requests": 1, "models": ["other-1"]})

    def test_a_turn_whose_agent_dies_counts_once_and_as_an_estimate(self):
        self.script = lambda params: LATER
        client, events = self.chatter(), []
        reader = threading.Thread(target=lambda: events.extend(Stream(client, HELLO).events()))
        reader.start()
        told = self.agent.taken()
        self.agent.tell("chat/text", {"session_id": told["session_id"], "text": "word " * 100})
        self.agent.close()
        reader.join(20)
        total = self.total()
        self.assertEqual((total["requests"], total["is_estimated"], total["confidence"]), (1, True, "estimated"))
        self.assertEqual(total["token_usage"]["output_tokens"], 125)
        self.agent = self.connected(identity=self.agent.identity)
        self.addCleanup(self.agent.close)
        # The repeat gets what the first request got.
        again = self.ask(client, {**HELLO, "stream": True}, x_stainless_retry_count="1")
        self.assertIn(b"agent_unavailable", again.body)
        self.assertEqual((self.total(), len(self.chats)), (total, 1))


class Killed(unittest.TestCase):
    def test_a_turn_that_the_server_does_not_survive_counts_what_is_known_of_it(self):
        own = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(own.end)
        chat.server, before = own, chat.server
        self.addCleanup(lambda: setattr(chat, "server", before))
        agent = Agent(own, own.key("chatty"), **{"chat/run": lambda params: LATER})
        agent.greeting["may"] = {**MAY, "chats": 1}
        agent.greet()
        key = made("chat", machines=["chatty"], daily_budget=0.01)
        asking = threading.Thread(target=lambda: self.quietly(key))
        asking.start()
        told = agent.taken()

        def total():
            return usage(at=own)["total"]

        # What is asked counts at once.
        first = total()
        self.assertEqual((first["requests"], first["is_estimated"]), (1, True))
        self.assertGreater(first["total_cost"], 0)
        agent.tell("chat/text", {"session_id": told["session_id"], "text": "word " * 20_000})
        noted = wait_for(lambda: total() if total()["token_usage"]["output_tokens"] == 25_000 else None, "the text is noted")
        own.kill()
        asking.join(20)
        own.start()
        self.assertEqual(total(), noted)
        again = Client(own.address, key.credential)
        answer = again.request("POST", PATH, HELLO, {"x-stainless-retry-count": "1"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "answer_lost"))
        # The budget knows of it, too.
        self.assertGreater(noted["total_cost"], 0.01)
        answer = again.request("POST", PATH, {**HELLO, "seed": 2})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (429, "insufficient_quota"))
        self.assertEqual(total(), noted)

    def quietly(self, key):
        try:
            Client(chat.server.address, key.credential).request("POST", PATH, HELLO)
        except OSError:
            pass
        except Exception as fault:  # http.client's, which has no common class with OSError
            assert "http.client" in type(fault).__module__, fault


if __name__ == "__main__":
    unittest.main()
