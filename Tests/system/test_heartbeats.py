"""Heartbeats: a session whose process is gone ends at once, and the sessions of a silent machine become unknown."""

import time
import unittest
from datetime import datetime

import harness
from harness import Client, Server, envelope, hook, session


def setUpModule():
    global cluster, server
    cluster = harness.Postgres().start()
    server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    server.end()
    cluster.end()


def post(key, path, body):
    client = Client(server.address, key)
    answer = client.request("POST", path, body)
    client.close()
    return answer


def begins(key, *names):
    for name in names:
        assert post(key, "/api/events", [envelope(hook("SessionStart", name, source="startup")),
                                         envelope(hook("UserPromptSubmit", name, prompt="go"))]).status == 202


def beat(key, *sessions):
    answer = post(key, "/api/heartbeat", {"machine_id": "m", "timestamp": harness.iso(0), "sessions": [
        {"session_id": one, "pid": 7, "status": "busy"} for one in sessions]})
    assert answer.status == 202, answer


def state(chosen):
    found = server.get(f"/v1/sessions/{chosen}").json
    return {name: found.get(name) for name in ("state", "status", "state_source", "end_reason")}


def prompts(chosen):
    return [prompt["state"] for prompt in server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]]


class Heartbeats(unittest.TestCase):
    def test_a_process_that_has_gone_ends_its_session(self):
        key, one, other = server.key("gone"), session(), session()
        begins(key, one, other)
        beat(key, one, other)
        beat(key, other)
        beat(key, other)
        self.assertEqual(state(one), {"state": "idle", "status": "ended", "state_source": "heartbeat", "end_reason": "gone"})
        self.assertEqual(state(other)["status"], "active")
        events = server.get(f"/v1/sessions/{one}/events").json["events"]
        self.assertEqual([each["type"] for each in events], ["session_start", "prompt", "session_gone"])
        begins(key, one)
        self.assertEqual(state(one)["status"], "active")

    def test_a_process_that_has_gone_asks_nothing_any_more(self):
        key, one = server.key("asking"), session()
        begins(key, one)
        asked = envelope(hook("PermissionRequest", one, tool_name="Bash", tool_input={"command": "x"}))
        self.assertEqual(post(key, "/api/events", asked).status, 202)
        beat(key, one)
        self.assertEqual(prompts(one), ["open"])
        beat(key)
        self.assertEqual(prompts(one), ["gone"])

    def test_an_end_that_was_told_stays(self):
        key, one = server.key("told"), session()
        begins(key, one)
        beat(key, one)
        post(key, "/api/events", envelope(hook("SessionEnd", one, reason="other")))
        beat(key)
        self.assertEqual((state(one)["end_reason"], state(one)["state_source"]), ("other", "hooks"))
        events = server.get(f"/v1/sessions/{one}/events").json["events"]
        self.assertNotIn("session_gone", [each["type"] for each in events])

    def test_sessions_of_a_silent_machine_are_unknown(self):
        key, one, unreported = server.key("silent"), session(), session()
        begins(key, one, unreported)
        beat(key, one)
        self.assertEqual(state(one)["state"], "running")
        cluster.sql("UPDATE machine_heartbeats SET at = at - interval '10 minutes' WHERE machine_id = "
                    "(SELECT id FROM machines WHERE name = 'silent')")
        self.assertEqual((state(one)["state"], state(one)["state_source"], state(one)["status"]),
                         ("unknown", "heartbeat", "active"))
        self.assertEqual(state(unreported)["state"], "running")
        beat(key, one)
        self.assertEqual(state(one)["state"], "running")

    def status(self, key, one, status, at):
        answer = post(key, "/api/heartbeat", {"sessions": [{"session_id": one, "status": status, "status_updated_at_ms": at}]})
        self.assertEqual(answer.status, 202)

    def test_a_client_that_says_it_is_idle_ends_a_turn_that_no_hook_ended(self):
        key, one = server.key("escaped"), session()
        begins(key, one)
        now = time.time_ns() // 1_000_000
        self.status(key, one, "busy", now + 20)
        self.status(key, one, "idle", now - 60_000)
        self.assertEqual((state(one)["state"], state(one)["state_source"]), ("running", "hooks"))
        for _ in range(2):
            self.status(key, one, "idle", now + 1000)
        self.assertEqual((state(one)["state"], state(one)["state_source"]), ("idle", "heartbeat"))
        since = server.get(f"/v1/sessions/{one}").json["state_since"]
        self.assertEqual(round(datetime.fromisoformat(since.replace("Z", "+00:00")).timestamp() * 1000), now + 1000)
        events = server.get(f"/v1/sessions/{one}/events").json["events"]
        self.assertEqual([each["type"] for each in events], ["session_start", "prompt", "session_interrupted"])
        post(key, "/api/events", envelope(hook("UserPromptSubmit", one, prompt="on"), at=harness.iso(2)))
        self.status(key, one, "idle", now + 1000)
        self.assertEqual((state(one)["state"], state(one)["state_source"]), ("running", "hooks"))

    def test_an_idle_client_asks_nothing_any_more(self):
        key, one = server.key("refused"), session()
        begins(key, one)
        asked = envelope(hook("PermissionRequest", one, tool_name="Bash", tool_input={"command": "x"}))
        self.assertEqual(post(key, "/api/events", asked).status, 202)
        self.assertEqual(state(one)["state"], "waiting")
        self.status(key, one, "idle", time.time_ns() // 1_000_000 + 100)
        self.assertEqual(prompts(one), ["overtaken"])
        self.assertEqual((state(one)["state"], state(one)["state_source"]), ("idle", "heartbeat"))

    def test_a_turn_that_a_hook_ended_stays_as_it_is(self):
        key, one = server.key("stopped"), session()
        begins(key, one)
        post(key, "/api/events", envelope(hook("StopFailure", one, error="rate_limit")))
        self.status(key, one, "idle", time.time_ns() // 1_000_000 + 1000)
        self.assertEqual((state(one)["state"], state(one)["state_source"]), ("error", "hooks"))

    def test_a_machine_ends_no_session_of_another(self):
        key, thief, one = server.key("owner"), server.key("thief"), session()
        begins(key, one)
        beat(thief, one)
        self.status(thief, one, "idle", time.time_ns() // 1_000_000 + 1000)
        beat(thief)
        self.assertEqual((state(one)["status"], state(one)["state"]), ("active", "running"))

    def test_the_machine_s_clock_is_measured_and_changes_no_event(self):
        key, one = server.key("ahead"), session()
        found = lambda name: next(  # noqa: E731
            each for each in server.get("/v1/machines").json["machines"] if each["name"] == name).get("clock")
        sent = envelope(hook("UserPromptSubmit", one, prompt="go"), at=harness.iso(-7))
        client = Client(server.address, key)
        self.assertEqual(client.request("POST", "/api/events", sent).status, 202)
        self.assertIsNone(found("ahead"))
        for path, body in (("/api/events", sent), ("/api/heartbeat", {"sessions": []})):
            other = server.key(f"behind {path}")
            for credential, stated in ((key, harness.iso(90)), (other, harness.iso(-3600)), (other, "no time")):
                client = Client(server.address, credential)
                self.assertEqual(client.request("POST", path, body, {"X-Machine-Time": stated}).status, 202)
                client.close()
            clock = found(f"behind {path}")
            self.assertAlmostEqual(clock["offset_seconds"], -3600, delta=5)
            self.assertNotIn("drift_ppm", clock)
        self.assertAlmostEqual(found("ahead")["offset_seconds"], 90, delta=5)
        stored = server.get(f"/v1/sessions/{one}/events").json["events"][0]
        self.assertEqual(stored["timestamp"], sent["timestamp"])

    def test_the_version_of_the_hooks_is_told_with_the_machine(self):
        key = server.key("versioned")
        found = lambda: next(  # noqa: E731
            each for each in server.get("/v1/machines").json["machines"] if each["name"] == "versioned").get("hooks_version")
        beat(key)
        self.assertIsNone(found())
        for agent in ("claude-monitor-hooks/0.9.1", "curl/8.0"):
            client = Client(server.address, key)
            self.assertEqual(client.request("POST", "/api/heartbeat", {"sessions": []}, {
                "X-Machine-Time": harness.iso(0), "User-Agent": agent}).status, 202)
            client.close()
            self.assertEqual(found(), "0.9.1")

    def test_what_is_no_heartbeat(self):
        key = server.key("wrong")
        self.assertEqual(post(key, "/api/heartbeat", {"a": 1}).status, 400)
        self.assertEqual(post(key, "/api/heartbeat", b"[").status, 400)
        self.assertEqual(post(server.admin, "/api/heartbeat", {"sessions": []}).status, 403)


class Approvals(unittest.TestCase):
    """What a machine reports of its approvals file."""

    def report(self, key, approvals):
        return post(key, "/api/heartbeat", {"machine_id": "m", "timestamp": harness.iso(0), "sessions": [], "approvals": approvals})

    def shown(self, name):
        return server.get(f"/v1/machines/{name}").json.get("approvals")

    def test_the_latest_report_is_shown_with_the_machine(self):
        key = server.key("file")
        beat(key)
        self.assertIsNone(self.shown("file"))
        rules = [{"line": 3, "words": {"tool": "Bash", "risk": "read,edit", "who": "answer"}},
                 {"line": 4, "words": {"project": "~/jörg", "who": "off"}}]
        self.assertEqual(self.report(key, {"exists": True, "rules": rules}).status, 202)
        shown = self.shown("file")
        self.assertTrue(shown.pop("reported_at").endswith("Z"))
        self.assertEqual(shown, {"exists": True, "rules": rules})
        # A heartbeat without a report changes nothing, and lists do not have it.
        beat(key)
        self.assertEqual(self.shown("file")["rules"], rules)
        listed, = [one for one in server.get("/v1/machines").json["machines"] if one["name"] == "file"]
        self.assertNotIn("approvals", listed)
        self.report(key, {"exists": True, "flaw": 'line 1: "x" is no key', "rules": []})
        self.assertEqual((self.shown("file")["flaw"], self.shown("file")["rules"]), ('line 1: "x" is no key', []))

    def test_what_is_no_report_is_refused_and_changes_nothing(self):
        key = server.key("hostile")
        self.report(key, {"exists": False, "rules": []})
        rule = {"line": 1, "words": {"tool": "x"}}
        for wrong in ([], "x", {"exists": True}, {"exists": "yes", "rules": []}, {"exists": True, "rules": [7]},
                      {"exists": True, "rules": [{**rule, "line": 0}]}, {"exists": True, "rules": [{**rule, "words": {"tool": 7}}]},
                      {"exists": True, "rules": [{**rule, "words": {"tool": "a\u0001b"}}]}, {"exists": True, "rules": [rule] * 1001},
                      {"exists": True, "rules": [], "flaw": "a\nb"}, {"exists": True, "rules": [], "cut": 7}):
            with self.subTest(str(wrong)[:60]):
                self.assertEqual(self.report(key, wrong).json["error"]["code"], "invalid_heartbeat")
        self.assertEqual((self.shown("hostile")["exists"], self.shown("hostile")["rules"]), (False, []))


if __name__ == "__main__":
    unittest.main()
