"""Budgets of a day, of projects and of sessions: each is pushed once, whatever reports the requests, and is in /metrics."""

import re
import time
import unittest

import harness
import pushing
import telemetry
from harness import Client, Server, envelope, hook, make_directory, session, wait_for
from pushing import deliveries, pair, prefer, register, to_token
from transcripts import Sender, Transcript, text


def tearDownModule():
    harness.end_everything()


def figures(server, name):
    """The samples of a metric, by scope and id."""
    found = {}
    for line in server.get("/metrics").body.decode().splitlines():
        if match := re.fullmatch(name + r'\{scope="([a-z]+)",id="([^"]*)"\} (\S+)', line):
            found[match[1], match[2]] = float(match[3])
    return found


class Budgets(unittest.TestCase):
    def setUp(self):
        directory = make_directory("budgets.")
        key = pushing.make_key(directory)
        self.mock = pushing.oracle(directory, key)
        self.server = Server(**pushing.settings(key, self.mock)).start()
        self.addCleanup(self.server.end)
        self.key = self.server.key("spender")
        self.phone = pair(self.server, "spender")
        prefer(self.phone, "?scope=device", grace_seconds=0, privacy="plain", session_gap_seconds=0,
               budget={"per_hour": 600, "burst": 60})
        register(self.phone, "spender")

    def spend(self, chosen, number, cost, project="/srv/app"):
        client = Client(self.server.address, self.key)
        client.request("POST", "/api/events", envelope({**hook("UserPromptSubmit", chosen, prompt="go"), "cwd": project},
                                                       project_dir=project))
        body = telemetry.logs(telemetry.request(chosen, f"req_{chosen}_{number}", sequence=number, cost=cost))
        answer = client.request("POST", "/v1/logs", body)
        client.close()
        self.assertEqual(answer.status, 200, answer)

    def texts(self, count):
        def found():
            seen = [one["payload"]["aps"]["alert"]["body"] for one in to_token(self.mock, "spender")
                    if one["payload"].get("monitor", {}).get("kind") == "cost_threshold"]
            return seen if len(seen) >= count else None
        return sorted(wait_for(found, f"{count} pushes", 40))

    def test_each_threshold_is_told_once(self):
        admin = self.server.client()
        prefer(admin, "?scope=default", cost_thresholds_usd=[3, 10], project_cost_thresholds_usd=[4], session_cost_thresholds_usd=[2])
        first, second = session(), session()
        self.spend(first, 1, 2.5)
        self.assertEqual(self.texts(1), ["The session's cost has reached $2.00."])
        # The same export again is the same request.
        self.spend(first, 1, 2.5)
        self.spend(second, 1, 1.75)
        self.assertEqual(self.texts(3), ["The project's cost of today has reached $4.00.", "The session's cost has reached $2.00.",
                                         "Today's cost has reached $3.00."])
        time.sleep(11)
        self.assertEqual(len(self.texts(3)), 3)
        project = self.server.get(f"/v1/sessions/{first}").json["project_id"]
        spent, limit = figures(self.server, "monitor_budget_spent_usd"), figures(self.server, "monitor_budget_limit_usd")
        reached = figures(self.server, "monitor_budget_reached_usd")
        self.assertEqual((spent["day", ""], limit["day", ""], reached["day", ""]), (4.25, 10, 3))
        self.assertEqual((spent["project", project], reached["project", project]), (4.25, 4))
        self.assertEqual((spent["session", second], reached["session", second]), (1.75, 0))
        shown = self.phone.request("GET", "/v1/budgets").json["data"]
        self.assertEqual([(one["scope"], one["id"], one["spent_usd"], one["thresholds_usd"], one.get("reached_usd")) for one in shown], [
            ("day", "", 4.25, [3, 10], 3), ("project", project, 4.25, [4], 4),
            ("session", first, 2.5, [2], 2), ("session", second, 1.75, [2], None)])
        # A changed budget applies at once.
        prefer(admin, "?scope=default", cost_thresholds_usd=[100])
        self.assertEqual([(one["scope"], one["thresholds_usd"]) for one in self.phone.request("GET", "/v1/budgets").json["data"]], [("day", [100])])

    def test_a_session_has_its_own_and_transcripts_count(self):
        admin, chosen = self.server.client(), session()
        made = Transcript(chosen)
        made.user("go")
        made.assistant([text("done")], output_tokens=100_000)
        for line in made.lines:
            line["timestamp"] = harness.iso(-1)
        Sender(self.server, self.key, chosen).send(made.bytes)
        prefer(admin, f"?scope=session&id={chosen}", cost_thresholds_usd=[0.5])
        self.assertEqual(self.texts(1), ["The session's cost has reached $0.50."])
        self.assertAlmostEqual(figures(self.server, "monitor_budget_spent_usd")["session", chosen],
                               self.server.get(f"/v1/sessions/{chosen}").json["total_cost"])


class Stuck(Budgets):
    test_each_threshold_is_told_once = test_a_session_has_its_own_and_transcripts_count = None

    def fail(self, chosen, error="exit status 1", command="make", **more):
        client = Client(self.server.address, self.key)
        fields = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": harness.identifier(), **more}
        answer = client.request("POST", "/api/events", envelope(hook("PostToolUseFailure", chosen, error=error, **fields), at=harness.iso(0)))
        client.close()
        self.assertEqual(answer.status, 202)

    def told(self, kind):
        return [one for one in to_token(self.mock, "spender") if one["payload"].get("monitor", {}).get("kind") == kind]

    def test_a_loop_is_marked_told_once_and_taken_back(self):
        chosen = session()
        for _ in range(2):
            self.fail(chosen)
        self.assertNotIn("stuck", self.server.get(f"/v1/sessions/{chosen}").json)
        for _ in range(3):
            self.fail(chosen)
        found = self.server.get(f"/v1/sessions/{chosen}").json["stuck"]
        self.assertEqual((found["tool_name"], found["count"]), ("Bash", 5))
        listed, = [one for one in self.server.get("/v1/sessions").json["sessions"] if one["id"] == chosen]
        self.assertEqual(listed["stuck"], found)
        seen = wait_for(lambda: self.told("stuck"), "a push of the loop", 40)
        self.assertEqual(len(seen), 1)
        self.assertIn("Failed 3 times in the same way.", seen[0]["payload"]["aps"]["alert"]["body"])
        self.fail(chosen, command="make clean")
        self.assertNotIn("stuck", self.server.get(f"/v1/sessions/{chosen}").json)
        wait_for(lambda: self.told("resolved"), "it is taken back", 40)
        self.assertEqual(len(self.told("stuck")), 1)

    def test_who_does_not_want_it_is_not_told(self):
        prefer(self.phone, "?scope=device", kinds={"stuck": {"enabled": False}}, grace_seconds=0, privacy="plain")
        chosen = session()
        for _ in range(3):
            self.fail(chosen)
        wait_for(lambda: [one for one in deliveries(self.server) if one["state"] == "suppressed"], "a decision", 40)
        self.assertEqual(self.told("stuck"), [])


if __name__ == "__main__":
    unittest.main()
