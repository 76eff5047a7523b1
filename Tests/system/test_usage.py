"""Tokens and cost: each request once, whoever tells of it, in whatever order."""

import itertools
import random
import subprocess
import unittest

import harness
import telemetry
from harness import Client, Server, envelope, hook, session
from telemetry import logs, request

# What the figures of `telemetry.request` are in the API's words.
TOKENS = {"input_tokens": 12, "output_tokens": 42, "cache_read_tokens": 678, "cache_creation_tokens": 345}
COST = 0.0014421


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("usage")


def tearDownModule():
    server.end()


def post(*records, at=None, credential=None):
    client = Client((at or server).address, credential or key)
    answer = client.request("POST", "/v1/logs", logs(*records))
    client.close()
    assert answer.status == 200, answer


def happens(*hooks):
    client = Client(server.address, key)
    answer = client.request("POST", "/api/events", [envelope(one) for one in hooks])
    client.close()
    assert answer.status == 202, answer


def usage(chosen):
    found = server.get(f"/v1/sessions/{chosen}").json
    return {name: found.get(name) for name in ("token_usage", "total_tokens", "total_cost", "usage_source", "usage_confidence")}


def times(count):
    return {name: number * count for name, number in TOKENS.items()}


class Telemetry(unittest.TestCase):
    def test_requests_are_summed(self):
        chosen = session()
        post(*(request(chosen, f"{chosen}-{number}", number) for number in range(3)))
        found = usage(chosen)
        self.assertEqual(found["token_usage"], times(3))
        self.assertEqual(found["total_tokens"], 3 * 54)
        self.assertAlmostEqual(found["total_cost"], 3 * COST, places=9)
        self.assertEqual((found["usage_source"], found["usage_confidence"]), ("otel", "lower_bound"))
        happens(hook("SessionEnd", chosen, reason="other"))
        self.assertEqual(usage(chosen)["usage_confidence"], "exact")

    def test_shuffled_and_doubled_requests_are_counted_once(self):
        records = [request("session", f"x-{number}", number) for number in range(20)]
        for seed in range(3):
            chosen = session()
            mine = [request(chosen, f"{chosen}-{number}", number, at=telemetry.nanoseconds(100 - number))
                    for number in range(len(records))] * 2
            random.Random(seed).shuffle(mine)
            for part in itertools.batched(mine, 7) if hasattr(itertools, "batched") else [mine[:15], mine[15:]]:
                post(*part)
            self.assertEqual(usage(chosen)["token_usage"], times(20))

    def test_requests_without_an_id_are_counted_by_their_records(self):
        chosen = session()
        post(request(chosen, None, 1), request(chosen, None, 2))
        self.assertEqual(usage(chosen)["token_usage"], times(2))

    def test_a_cost_that_is_not_told_is_told_by_the_price_list(self):
        chosen = session()
        post(request(chosen, f"{chosen}-1", 1, cost="unknown"))
        self.assertAlmostEqual(usage(chosen)["total_cost"], COST, places=9)
        other = session()
        post(request(other, f"{other}-1", 1, cost="unknown", model="claude-nobody-9"))
        found = usage(other)
        self.assertEqual(found["usage_confidence"], "estimated")
        self.assertGreater(found["total_cost"], 0)

    def test_the_requests_of_a_session_page_by_page(self):
        chosen = session()
        post(*(request(chosen, f"{chosen}-{number:02}", number, at=telemetry.nanoseconds(100 - number),
                       query_source="compact" if number == 3 else "repl_main_thread") for number in range(10)))
        found, cursor = [], ""
        while cursor is not None:
            page = server.get(f"/v1/sessions/{chosen}/requests?limit=4{cursor}").json
            found += page["requests"]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        self.assertEqual([one["request_id"] for one in found], [f"{chosen}-{number:02}" for number in range(10)])
        self.assertEqual({one["source"] for one in found}, {"otel"})
        self.assertEqual(found[3]["query_source"], "compact")
        self.assertEqual(found[0]["token_usage"], TOKENS)
        self.assertEqual(found[0]["cache_creation"], {"ephemeral_5m_tokens": 345, "ephemeral_1h_tokens": 0})


class Sums(unittest.TestCase):
    def ask(self, query):
        answer = server.get(f"/v1/usage?{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_groups(self):
        chosen = session()
        happens(hook("SessionStart", chosen, source="startup", cwd=f"/home/dev/{chosen}"))
        post(request(chosen, f"{chosen}-1", 1), request(chosen, f"{chosen}-2", 2, model="claude-opus-5-5", cost=0.5),
             request(chosen, f"{chosen}-3", 3, query_source="compact"))
        mine = f"session_id={chosen}"
        found = self.ask(f"{mine}&by=model")
        self.assertEqual([(one["key"], one["requests"]) for one in found["groups"]],
                         [("claude-opus-5-5", 1), ("claude-sonnet-5", 2)])
        self.assertEqual(found["total"]["token_usage"], times(3))
        self.assertAlmostEqual(found["total"]["total_cost"], 0.5 + 2 * COST, places=9)
        for by, expected in (("query_source", {"repl_main_thread", "compact"}), ("session", {chosen}),
                             ("day", {harness.iso(0)[:10]})):
            found = self.ask(f"{mine}&by={by}")
            self.assertEqual({one["key"] for one in found["groups"]}, expected)
            self.assertEqual(sum(one["requests"] for one in found["groups"]), 3)
        project, = self.ask(f"{mine}&by=project")["groups"]
        self.assertEqual(project["name"], chosen)
        self.assertEqual(self.ask(f"project_id={project['key']}")["total"]["requests"], 3)
        machine, = self.ask(f"{mine}&by=machine")["groups"]
        self.assertEqual(machine["name"], "usage")
        self.assertEqual(self.ask(f"{mine}&machine_id=usage")["total"]["requests"], 3)
        self.assertEqual(self.ask(f"{mine}&machine_id=nobody")["total"]["requests"], 0)
        self.assertEqual(len(self.ask(f"{mine}&by=hour")["groups"]), 1)
        self.assertIsInstance(self.ask("by=tool")["groups"], list)
        self.assertEqual(self.ask(f"{mine}&to=2026-01-01")["total"]["requests"], 0)
        self.assertEqual(server.get("/v1/usage?by=mood").status, 400)
        self.assertEqual(server.get("/v1/usage?from=soon").status, 400)

    def test_statistics_have_the_same_figures(self):
        chosen = session()
        post(request(chosen, f"{chosen}-1", 1))
        total = self.ask("")["total"]
        statistics = server.get("/v1/sessions/stats").json
        self.assertEqual(statistics["total_tokens"], total["total_tokens"])
        self.assertAlmostEqual(statistics["total_cost"], total["total_cost"], places=9)
        days = server.get("/v1/stats?by=day").json["data"]
        self.assertEqual(sum(day["token_usage"]["output_tokens"] for day in days), total["token_usage"]["output_tokens"])
        models = server.get("/v1/stats?by=model").json["data"]
        self.assertIn("claude-sonnet-5", [model["key"] for model in models])


class Rebuilding(unittest.TestCase):
    def test_a_rebuild_makes_the_same_rows(self):
        own = Server().start()
        chosen = session()
        post(*(request(chosen, f"{chosen}-{number}", number) for number in range(5)), at=own, credential=own.key("m"))
        before = own.get(f"/v1/sessions/{chosen}/requests").json
        self.assertEqual(len(before["requests"]), 5)
        done = subprocess.run([harness.SERVER, "rebuild", "usage"], env=own.environment(), text=True,
                              capture_output=True, timeout=harness.PATIENCE, cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("usage: rebuilt from 5 events", done.stdout)
        self.assertEqual(own.get(f"/v1/sessions/{chosen}/requests").json, before)
        own.end()


class Prices(unittest.TestCase):
    def test_the_operators_prices_replace_those_built_in(self):
        directory = harness.make_directory()
        prices = directory / "prices.json"
        prices.write_text('{"day":"2026-11-01","models":[{"id":"claude-own","prices":[{"input":500000,"output":0,'
                          '"cache_read":0,"cache_write_5m":0,"cache_write_1h":0}]}]}')
        own = Server(MONITOR_PRICES=prices).start()
        chosen = session()
        post(request(chosen, "r", 1, model="claude-own", cost="unknown"), at=own, credential=own.key("m"))
        self.assertEqual(own.get(f"/v1/sessions/{chosen}").json["total_cost"], 6)
        self.assertEqual(own.get("/v1/models/claude-own").status, 200)
        own.end()

    def test_a_price_file_that_cannot_be_read_is_a_fault(self):
        directory = harness.make_directory()
        prices = directory / "prices.json"
        prices.write_text('{"models":[{"id":"x","prices":[]}]}')
        own = Server(MONITOR_PRICES=prices).start(ready=None)
        self.assertNotEqual(own.process.wait(10), 0)
        self.assertIn("models[0]", own.text())


if __name__ == "__main__":
    unittest.main()
