"""Tokens and cost: each request counts once, whatever reports it, in whatever order."""

import itertools
import random
import re
import subprocess
import unittest
from datetime import datetime, timedelta

import harness
import telemetry
from harness import Client, Server, envelope, hook, session
from telemetry import logs, request
from transcripts import Sender, Transcript, text

# The figures of `telemetry.request`, with the names of the API.
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


class LostTelemetry(unittest.TestCase):
    """Only telemetry: the client numbers its records, so the server knows how many got lost."""

    def records(self, chosen, start=0):
        names = ("hook_registered", "user_prompt", "api_request", "tool_result", "hook_execution_start", "api_request", "api_request")
        return [request(chosen, f"{chosen}-{start + number}", number, telemetry.nanoseconds(60 - start - number))
                if name == "api_request" else
                telemetry.record(name, chosen, number, telemetry.nanoseconds(60 - start - number))
                for number, name in enumerate(names)]

    def confidence(self, chosen):
        happens(hook("SessionEnd", chosen, reason="other"))
        return usage(chosen)["usage_confidence"]

    def group(self, chosen):
        found, = server.get(f"/v1/usage?session_id={chosen}&by=session").json["groups"]
        self.assertEqual(server.get(f"/v1/usage?session_id={chosen}").json["total"]["confidence"], found["confidence"])
        return found["source"], found["confidence"]

    def test_all_records_in_any_order_are_exact(self):
        for seed in range(3):
            chosen = session()
            batches = [[one] for one in self.records(chosen)] * 2
            random.Random(seed).shuffle(batches)
            for batch in batches:
                post(*batch)
            self.assertEqual(self.confidence(chosen), "exact")
            self.assertEqual(self.group(chosen), ("otel", "exact"))

    def test_any_lost_record_is_a_lower_bound(self):
        for lost in range(6):
            chosen = session()
            post(*(one for number, one in enumerate(self.records(chosen)) if number != lost))
            self.assertEqual(self.confidence(chosen), "lower_bound", lost)
            self.assertEqual(self.group(chosen), ("otel", "lower_bound"), lost)
            self.assertLessEqual(usage(chosen)["token_usage"]["output_tokens"], times(3)["output_tokens"])

    def test_a_lost_record_that_comes_late_makes_it_exact(self):
        chosen = session()
        records = self.records(chosen)
        post(*records[:2], *records[3:])
        self.assertEqual(self.confidence(chosen), "lower_bound")
        post(records[2])
        self.assertEqual(usage(chosen)["usage_confidence"], "exact")
        self.assertEqual(self.group(chosen), ("otel", "exact"))

    def test_each_process_of_a_session_counts_anew(self):
        chosen = session()
        post(*self.records(chosen))
        again = self.records(chosen, start=20)
        post(*again)
        self.assertEqual(self.confidence(chosen), "exact")
        other = session()
        post(*self.records(other))
        post(*self.records(other, start=20)[3:])
        self.assertEqual(self.confidence(other), "lower_bound")

    def test_after_clear_another_session_goes_on_counting(self):
        before, after = session(), session()
        post(*self.records(before))
        post(*(request(after, f"{after}-{number}", number, telemetry.nanoseconds(50 - number)) for number in (7, 8)))
        for chosen in (before, after):
            self.assertEqual(self.confidence(chosen), "exact")


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

    def test_calls_of_tools_by_machine_project_and_session(self):
        own, chosen, other = server.key("toolmaker"), session(), session()
        client = Client(server.address, own)
        calls = [("Bash", "PostToolUse", chosen), ("Bash", "PostToolUseFailure", chosen), ("Read", "PostToolUse", chosen),
                 ("Write", "PostToolUse", other)]
        answer = client.request("POST", "/api/events", [
            envelope(hook(name, of, tool_name=tool, tool_use_id=f"{of}-{number}", cwd=f"/home/dev/{of}"))
            for number, (tool, name, of) in enumerate(calls)])
        client.close()
        self.assertEqual(answer.status, 202)

        def tools(query):
            return {one["key"]: (one["tool_calls"], one["tool_failures"]) for one in self.ask(f"by=tool&{query}")["groups"]}
        mine, theirs = {"Bash": (2, 1), "Read": (1, 0)}, {"Write": (1, 0)}
        project = server.get(f"/v1/sessions/{chosen}").json["workspace_id"]
        self.assertEqual(tools("machine_id=toolmaker"), mine | theirs)
        self.assertEqual(tools(f"project_id={project}"), mine)
        self.assertEqual(tools(f"session_id={chosen}"), mine)
        self.assertEqual(tools(f"session_id={other}&machine_id=toolmaker"), theirs)
        for nothing in ("machine_id=nobody", f"session_id={chosen}&machine_id=usage", "machine_id=toolmaker&to=2026-01-01",
                        f"session_id={chosen}&to=2026-01-01", f"session_id={chosen}&from=2100-01-01"):
            self.assertEqual(tools(nothing), {}, nothing)
        today = harness.iso(0)[:10]
        self.assertEqual(tools(f"machine_id=toolmaker&from={today}&to={today}"), mine | theirs)

    def test_the_windows_of_five_hours_and_seven_days(self):
        own, chosen, hour = server.key("windows"), session(), 3600
        ages = {"old": 8 * 24 * hour, "before": 9.5 * hour, "open": 4 * hour, "now": 1}
        post(*(request(chosen, f"{chosen}-{name}", number, telemetry.nanoseconds(age))
               for number, (name, age) in enumerate(ages.items())), credential=own)
        found = server.get("/v1/usage/windows?machine_id=windows").json
        five, week = found["five_hour"], found["seven_day"]
        self.assertEqual((week["requests"], week["source"], week["token_usage"]), (3, "otel", times(3)))
        self.assertAlmostEqual(week["total_cost"], 3 * COST, places=9)
        moment = datetime.fromisoformat
        start, end, at = (moment(text.replace("Z", "+00:00")) for text in (five["start"], five["end"], found["at"]))
        self.assertEqual((start.minute, start.second, (end - start).total_seconds()), (0, 0, 5 * hour))
        # The previous window began at the full hour before its request, so it ended up to an hour before the five hours were
        # over.
        self.assertEqual((five["requests"], five["token_usage"]), (2, times(2)))
        self.assertTrue(start <= at - timedelta(seconds=4 * hour - 5) and at < end)
        self.assertEqual(moment(week["end"].replace("Z", "+00:00")), at)
        none = server.get("/v1/usage/windows?machine_id=nobody").json["five_hour"]
        self.assertEqual((none["start"], none["end"], none["requests"], none["source"], none["confidence"]),
                         (None, None, 0, "none", "none"))
        project = server.get("/v1/usage/windows?project_id=ws-nobody").json["seven_day"]
        self.assertEqual(project["requests"], 0)

    def test_statistics_have_the_same_figures(self):
        chosen = session()
        post(request(chosen, f"{chosen}-1", 1))
        total = self.ask("")["total"]
        statistics = server.get("/v1/sessions/stats").json
        self.assertEqual(statistics["total_tokens"], total["total_tokens"])
        self.assertAlmostEqual(statistics["total_cost"], total["total_cost"], places=9)
        days = server.get("/v1/stats?by=day").json["data"]
        self.assertEqual(sum(day["token_usage"]["output_tokens"] for day in days), total["token_usage"]["output_tokens"])
        models = {model["key"]: model for model in server.get("/v1/stats?by=model").json["data"]}
        groups = {group["key"]: group for group in self.ask("by=model")["groups"]}
        for name in ("source", "confidence"):
            self.assertEqual(models["claude-sonnet-5"][f"usage_{name}"], groups["claude-sonnet-5"][name])


class Rebuilding(unittest.TestCase):
    def test_a_rebuild_makes_the_same_rows(self):
        own = Server().start()
        chosen = session()
        post(*(request(chosen, f"{chosen}-{number}", number) for number in range(5)), at=own, credential=own.key("m"))
        before = own.get(f"/v1/sessions/{chosen}/requests").json["requests"]
        self.assertEqual(len(before), 5)
        done = subprocess.run([harness.SERVER, "rebuild", "usage"], env=own.environment(), text=True,
                              capture_output=True, timeout=harness.PATIENCE, cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("usage: rebuilt from 5 events", done.stdout)
        self.assertEqual(own.get(f"/v1/sessions/{chosen}/requests").json["requests"], before)
        own.end()


class Prices(unittest.TestCase):
    """The cost of a transcript is what Claude Code 2.1.332 computes for the same answers."""

    MILLION = {"input_tokens": 1_000_000, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0,
               "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}}

    def cost(self, *answers):
        """The cost of a session with these answers, each given as a model and its usage."""
        made = Transcript(session())
        made.user("go")
        for model, usage in answers:
            made.assistant([text("ok")], model=model, **{**self.MILLION, **usage})
        Sender(server, key, made.session).send(made.bytes)
        return made.session, server.get(f"/v1/usage?by=model&session_id={made.session}").json

    def test_names_of_gateways_and_old_models(self):
        for name in ("anthropic/claude-sonnet-4.5", "claude-sonnet-4.5", "vertex_ai/claude-sonnet-4-5@20250929",
                     "anthropic/claude-sonnet-4-5-20250929", "databricks-claude-sonnet-4-5", "claude-3-7-sonnet-20250219"):
            chosen, found = self.cost((name, {}))
            self.assertEqual((found["total"]["total_cost"], found["total"]["is_estimated"]), (3, False), name)
            self.assertEqual(found["total"]["unpriced"], {"cost": 0, "requests": 0, "models": []}, name)
            self.assertNotIn("unpriced", server.get(f"/v1/sessions/{chosen}").json)

    def test_fast_answers(self):
        usage = {"output_tokens": 1_000_000, "speed": "fast"}
        _, found = self.cost(("claude-opus-4-6", usage), ("claude-opus-4-8", usage), ("claude-opus-5-5", usage))
        self.assertEqual({one["key"]: one["total_cost"] for one in found["groups"]},
                         {"claude-opus-4-6": 180, "claude-opus-4-8": 60, "claude-opus-5-5": 48})

    def test_what_advised_an_answer(self):
        usage = {"input_tokens": 2, "output_tokens": 100, "cache_read_input_tokens": 18_700, "cache_creation_input_tokens": 700,
                 "cache_creation": {"ephemeral_5m_input_tokens": 700, "ephemeral_1h_input_tokens": 0}, "iterations": [
                     {"type": "message", "input_tokens": 1, "output_tokens": 40, "cache_read_input_tokens": 9000,
                      "cache_creation_input_tokens": 700},
                     {"type": "advisor_message", "model": "claude-opus-4-7", "input_tokens": 100_000, "output_tokens": 4000,
                      "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
                     {"type": "message", "input_tokens": 1, "output_tokens": 60, "cache_read_input_tokens": 9700,
                      "cache_creation_input_tokens": 0}]}
        chosen, found = self.cost(("claude-sonnet-4-6", usage))
        costs = {one["key"]: round(one["total_cost"], 9) for one in found["groups"]}
        self.assertEqual(costs, {"claude-opus-4-7": 0.6, "claude-sonnet-4-6": 0.009741})
        self.assertAlmostEqual(server.get(f"/v1/sessions/{chosen}").json["total_cost"], 0.609741, places=9)
        # Telemetry reports the cost including the advice.
        line = server.get(f"/v1/sessions/{chosen}/requests").json["requests"][0]
        post(request(chosen, line["request_id"], 1, model="claude-sonnet-4-6", cost=0.609741, input_tokens=2, output_tokens=100,
                     cache_read_tokens=18_700, cache_creation_tokens=700, cache_creation_5m_tokens=700))
        again = server.get(f"/v1/usage?by=model&session_id={chosen}").json
        self.assertEqual({one["key"]: round(one["total_cost"], 9) for one in again["groups"]}, costs)
        self.assertEqual(again["total"]["source"], "both")

    def test_what_has_no_price_is_part_of_the_cost_and_stands_apart(self):
        own = Server(MONITOR_RATE_LIMIT="off").start()
        credential = own.key("gateway")
        made = Transcript(session())
        made.user("go")
        made.assistant([text("ok")], model="glm-4.6", **self.MILLION)
        made.assistant([text("ok")], model="claude-sonnet-4-6", **self.MILLION)
        for line in made.lines:
            line["timestamp"] = harness.iso(-1)
        Sender(own, credential, made.session).send(made.bytes)
        post(request(made.session, "told", 1, model="gpt-5", cost=2.0), at=own, credential=credential)
        unpriced = {"cost": 6, "requests": 2, "models": ["glm-4.6", "gpt-5"]}
        found = own.get(f"/v1/sessions/{made.session}").json
        self.assertEqual((found["total_cost"], found["unpriced"]), (9, unpriced))
        for path in ("/v1/usage", "/v1/usage?by=day", f"/v1/usage?session_id={made.session}"):
            self.assertEqual(own.get(path).json["total"]["unpriced"], unpriced, path)
        self.assertEqual(own.get("/v1/usage/windows").json["seven_day"]["unpriced"], unpriced)
        groups = {one["key"]: one["unpriced"]["cost"] for one in own.get("/v1/usage?by=model").json["groups"]}
        self.assertEqual(groups, {"glm-4.6": 4, "claude-sonnet-4-6": 0, "gpt-5": 2})
        day, = [one for one in own.get("/v1/stats?by=day").json["data"] if one.get("total_cost")]
        self.assertEqual((day["total_cost"], day["unpriced"]), (9, unpriced))
        requests = own.get(f"/v1/sessions/{made.session}/requests").json["requests"]
        self.assertEqual({one["model"]: one["is_unpriced"] for one in requests},
                         {"glm-4.6": True, "claude-sonnet-4-6": False, "gpt-5": True})
        # Estimated costs do not count in a budget.
        admin = own.client()
        self.assertEqual(admin.request("PUT", "/v1/push/preferences?scope=default", {"cost_thresholds_usd": [100]}).status, 200)
        shown = harness.wait_for(lambda: [one for one in admin.request("GET", "/v1/budgets").json["data"] if one["spent_usd"]],
                                 "the budget")
        self.assertEqual([(one["scope"], one["spent_usd"]) for one in shown], [("day", 3)])
        own.end()

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

    def test_old_prices_and_models_without_one_are_told(self):
        prices = harness.make_directory() / "prices.json"

        def ages(of):
            found = re.findall(r"^monitor_price_list_age_(?:seconds|days) (\S+)", of.get("/metrics").body.decode(), re.MULTILINE)
            return [float(age) for age in found]
        for days, is_old in ((61, True), (60, False)):
            day = harness.iso(-days * 86_400)[:10]
            prices.write_text('{"day":"%s","models":[]}' % day)
            own = Server(MONITOR_PRICES=prices).start()
            self.assertEqual("the price list is old" in own.text(), is_old, own.text())
            self.assertEqual(ages(own), [days * 86_400, days])
            credential, chosen = own.key("m"), session()
            # If telemetry reports the cost, no price is needed.
            post(request(chosen, "r0", 0, model="claude-nobody-9"), at=own, credential=credential)
            self.assertEqual(own.get(f"/v1/sessions/{chosen}").json["usage_confidence"], "lower_bound")
            self.assertNotIn("lacks a price", own.text())
            post(*(request(chosen, f"r{number}", number, model="claude-nobody-9", cost="unknown") for number in (1, 2)),
                 at=own, credential=credential)
            self.assertEqual(own.get(f"/v1/sessions/{chosen}").json["usage_confidence"], "estimated")
            harness.wait_for(lambda: own.text().count("lacks a price") == 1, "a warning")
            self.assertIn("claude-nobody-9", own.text())
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
