"""OTLP over HTTP: what Claude Code exports becomes events in the log, once, in either format."""

import gzip
import json
import re
import unittest
import uuid
import zlib

import harness
import pushing
import telemetry
import transcripts
from harness import Client, Server, envelope, hook, session
from telemetry import logs, metrics, protobuf, record, request

BINARY = {"Content-Type": "application/x-protobuf"}


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("telemetry")


def tearDownModule():
    server.end()


def post(path, body, headers=None, credential=None, at=None):
    client = Client((at or server).address, credential or key)
    try:
        return client.request("POST", path, body, headers)
    finally:
        client.close()


def events(chosen, of=None):
    answer = (of or server).get(f"/v1/sessions/{chosen}/events?limit=900")
    assert answer.status == 200, answer
    return [one for one in answer.json["events"] if one["type"] == "telemetry"]


class Formats(unittest.TestCase):
    def check(self, chosen):
        found, = events(chosen)
        payload = found["payload"]
        self.assertEqual((payload["event_name"], payload["session_id"], payload["prompt_id"], payload["version"]),
                         ("api_request", chosen, "turn-1", "2.1.329"))
        self.assertEqual((payload["input_tokens"], payload["request_id"], payload["model"]),
                         (12, f"req_{chosen}", "claude-sonnet-5"))
        self.assertNotIn("somebody@example.com", json.dumps(found))
        self.assertEqual(found["summary"], "claude-sonnet-5: 12 in, 42 out, $0.0014421")

    def export(self, chosen):
        return logs(request(chosen, f"req_{chosen}", 7, prompt__id="turn-1"))

    def test_json(self):
        chosen = session()
        answer = post("/v1/logs", self.export(chosen))
        self.assertEqual((answer.status, answer.json, answer.headers["content-type"]), (200, {}, "application/json"))
        self.check(chosen)

    def test_protobuf(self):
        chosen = session()
        answer = post("/v1/logs", protobuf(self.export(chosen)), BINARY)
        self.assertEqual((answer.status, answer.body, answer.headers["content-type"]), (200, b"", "application/x-protobuf"))
        self.check(chosen)

    def test_gzip(self):
        chosen = session()
        body = gzip.compress(protobuf(self.export(chosen)))
        self.assertEqual(post("/v1/logs", body, {**BINARY, "Content-Encoding": "gzip"}).status, 200)
        self.check(chosen)

    def test_deflate(self):
        chosen = session()
        body = zlib.compress(protobuf(self.export(chosen)))
        self.assertEqual(post("/v1/logs", body, {**BINARY, "Content-Encoding": "deflate"}).status, 200)
        self.check(chosen)
        cut = post("/v1/logs", body[:-1], {**BINARY, "Content-Encoding": "deflate"})
        self.assertEqual(cut.status, 400)
        self.assertIn(b"invalid_deflate", cut.body)
        bomb = zlib.compress(bytes(64 << 20))
        self.assertEqual(post("/v1/logs", bomb, {**BINARY, "Content-Encoding": "deflate"}).status, 413)
        other = post("/v1/logs", body, {**BINARY, "Content-Encoding": "br"})
        self.assertEqual((other.status, other.headers["content-type"]), (415, BINARY["Content-Type"]))

    def test_a_batch_that_is_sent_again_is_stored_once_in_either_format(self):
        chosen = session()
        export = self.export(chosen)
        for _ in range(2):
            self.assertEqual(post("/v1/logs", export).status, 200)
            self.assertEqual(post("/v1/logs", protobuf(export), BINARY).status, 200)
        self.check(chosen)

    def test_records_that_differ_in_their_sequence_alone_are_two(self):
        chosen, at = session(), telemetry.nanoseconds()
        post("/v1/logs", logs(record("user_prompt", chosen, 1, at), record("user_prompt", chosen, 2, at)))
        self.assertEqual(len(events(chosen)), 2)

    def test_metrics_of_an_export_are_one_event(self):
        for body, headers in ((lambda export: export, {}), (protobuf, BINARY)):
            chosen = session()
            post("/v1/logs", logs(record("user_prompt", chosen)))
            export = metrics(chosen, [("lines_of_code.count", 5.0, {"type": "added"}), ("commit.count", 1.0, {})])
            self.assertEqual(post("/v1/metrics", body(export), headers).status, 200)
            self.assertEqual(post("/v1/metrics", body(export), headers).status, 200)
            found = [one["payload"] for one in events(chosen) if one["payload"]["event_name"] == "metrics"]
            self.assertEqual([one["points"] for one in found], [[
                {"metric": "lines_of_code.count", "value": 5.0, "type": "added"}, {"metric": "commit.count", "value": 1.0}]])

    def test_spans_and_records_about_hooks_are_counted_and_dropped(self):
        def dropped():
            text = server.get("/metrics").body.decode()
            return float(re.search(r"^monitor_telemetry_dropped_total (\S+)", text, re.MULTILINE).group(1))
        before, chosen = dropped(), session()
        for body, headers in ((telemetry.spans(3), {}), (protobuf(telemetry.spans(3)), BINARY)):
            self.assertEqual(post("/v1/traces", body, headers).status, 200)
        post("/v1/logs", logs(record("hook_execution_start", chosen, 1), record("user_prompt", chosen, 2)))
        self.assertEqual([one["payload"]["event_name"] for one in events(chosen)], ["user_prompt"])
        self.assertEqual(dropped() - before, 7)


class Faults(unittest.TestCase):
    def test_what_is_no_export_is_refused_in_the_format_of_the_request(self):
        answer = post("/v1/logs", b"{")
        self.assertEqual((answer.status, answer.json["code"]), (400, 3))
        self.assertIn("invalid_json", answer.json["message"])
        answer = post("/v1/logs", b"\x0a\x7f", BINARY)
        self.assertEqual((answer.status, answer.headers["content-type"]), (400, "application/x-protobuf"))
        self.assertIn(b"invalid_protobuf", answer.body)
        self.assertEqual(post("/v1/logs", b"{}", {"Content-Type": "text/plain"}).status, 415)

    def test_only_a_machine_may_export(self):
        answer = post("/v1/logs", logs(), credential="cmk_" + "a" * 36)
        self.assertEqual((answer.status, answer.json["code"]), (401, 16))
        device = pushing.pair(server, "reader").credential
        self.assertEqual(post("/v1/logs", logs(), credential=device).status, 403)
        self.assertEqual(server.get("/v1/logs").status, 405)

    def test_an_empty_export_is_a_success(self):
        for body, headers in ((b"{}", {}), (b"", BINARY)):
            self.assertEqual(post("/v1/logs", body, headers).status, 200)


class Sessions(unittest.TestCase):
    def test_telemetry_counts_for_nothing_but_life_model_and_mode(self):
        chosen = session()
        client = Client(server.address, key)
        client.request("POST", "/api/events", [envelope(hook("SessionStart", chosen, source="startup"), at=harness.iso(-50)),
                                               envelope(hook("UserPromptSubmit", chosen, prompt="go"), at=harness.iso(-40))])
        client.close()
        before = server.get(f"/v1/sessions/{chosen}").json
        post("/v1/logs", logs(record("user_prompt", chosen, 1), record("tool_result", chosen, 2, tool_name="Bash"),
                              record("permission_mode_changed", chosen, 3, to_mode="plan"), request(chosen, "req_x", 4)))
        after = server.get(f"/v1/sessions/{chosen}").json
        for same in ("message_count", "tool_call_count", "state", "title", "started_at"):
            self.assertEqual(after[same], before[same], same)
        self.assertEqual((after["permission_mode"], after["current_model"]), ("plan", "claude-sonnet-5"))
        self.assertGreater(after["last_activity_at"], before["last_activity_at"])

    def refusal(self, decision, source, call="toolu_9", tool="Bash"):
        """The prompt of a call, after telemetry has reported a decision about a call."""
        chosen, known = session(), {"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}}
        hooks = [hook("PreToolUse", chosen, tool_use_id="toolu_9", **known), hook("PermissionRequest", chosen, **known)]
        client = Client(server.address, key)
        client.request("POST", "/api/events", [envelope(one, at=harness.iso(number - 50)) for number, one in enumerate(hooks)])
        client.close()
        told = logs(record("tool_decision", chosen, 1, telemetry.nanoseconds(40), tool_name=tool, tool_use_id=call,
                           decision=decision, source=source))
        self.assertEqual(post("/v1/logs", told).status, 200)
        found, = server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]
        return chosen, found

    def test_a_refusal_that_only_telemetry_tells_closes_its_prompt(self):
        for source, by in (("user_reject", "terminal"), ("user_abort", "terminal"), ("config", "rule")):
            chosen, found = self.refusal("reject", source)
            self.assertEqual((found["state"], found["answer"]["decision"], found["answer"]["by"]["kind"]), ("answered", "deny", by))
            evidence, = events(chosen)
            self.assertEqual(found["life"][-1]["evidence"], evidence["event_id"])
            now = server.get(f"/v1/sessions/{chosen}").json
            self.assertNotIn("waiting_for", now)
            self.assertEqual((now["state"], now["state_source"], now["state_since"]),
                             ("idle" if by == "terminal" else "running", "otel", evidence["timestamp"]))

    def test_other_decisions_close_no_prompt(self):
        for told in (("accept", "user_temporary"), ("reject", "user_reject", "toolu_8")):
            self.assertEqual(self.refusal(*told)[1]["state"], "open", told)

    def test_settings_and_plugins_begin_no_session(self):
        chosen = session()
        post("/v1/logs", logs(record("auth", chosen, 1), record("internal_error", chosen, 2)))
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").status, 404)

    def test_a_session_that_only_telemetry_tells_of_is_there(self):
        chosen = session()
        post("/v1/logs", logs(record("user_prompt", chosen, 1)))
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["state"], "idle")


class Content(unittest.TestCase):
    def test_secrets_are_masked_and_the_policy_none_keeps_no_text(self):
        secret = "ghp_" + "aB3" * 12
        for policy, gone in (("summary", [secret]), ("none", [secret, "delete everything", "echo"])):
            own = Server(MONITOR_STORE_CONTENT=policy).start()
            chosen, credential = session(), own.key("m")
            post("/v1/logs", logs(
                record("user_prompt", chosen, 1, prompt=f"delete everything with {secret}"),
                record("tool_result", chosen, 2, tool_name="Bash", tool_input=json.dumps({"command": f"echo {secret}"})),
                record("api_error", chosen, 3, error=f"the key {secret} is wrong")), credential=credential, at=own)
            text = json.dumps(events(chosen, own))
            for word in gone:
                self.assertNotIn(word, text)
            self.assertIn("tool_result", text)
            own.end()


class ClientVersion(unittest.TestCase):
    def test_the_newest_that_was_heard_of(self):
        cluster = harness.Postgres().start()
        own = Server(DATABASE_URL=cluster.url).start()
        key, chosen = own.key("m"), session()
        self.assertIsNone(own.health()[1]["claude_version"])
        old = json.loads(json.dumps(logs(record("user_prompt", chosen))).replace("2.1.329", "2.1.99"))
        self.assertEqual(post("/v1/logs", old, credential=key, at=own).status, 200)
        self.assertEqual(own.health()[1]["claude_version"], "2.1.99")
        line = json.dumps({"type": "user", "uuid": str(uuid.uuid4()), "sessionId": chosen, "version": "2.1.101",
                           "message": {"role": "user", "content": "on"}, "timestamp": harness.iso(0)}) + "\n"
        transcripts.Sender(own, key, chosen).send(line.encode())
        self.assertEqual(post("/v1/logs", old, credential=key, at=own).status, 200)
        self.assertEqual(own.health()[1]["claude_version"], "2.1.101")
        harness.wait_for(lambda: "2.1.101" in str(cluster.sql("SELECT version FROM client_version")), "it is stored")
        own.kill()
        own.start()
        harness.wait_for(lambda: own.health()[1]["claude_version"] == "2.1.101", "it is known again")
        own.end()


class Outage(unittest.TestCase):
    def test_what_is_exported_while_the_database_is_away_is_kept(self):
        cluster = harness.Postgres().start()
        own = Server(DATABASE_URL=cluster.url).start()
        chosen, credential = session(), own.key("m")
        cluster.stop()
        harness.wait_for(lambda: own.health()[0] == 503, "the outage is noticed")
        self.assertEqual(post("/v1/logs", logs(record("user_prompt", chosen)), credential=credential, at=own).status, 200)
        cluster.start()
        own.wait_healthy()
        own.wait_replayed()
        self.assertEqual([one["payload"]["event_name"] for one in events(chosen, own)], ["user_prompt"])
        own.end()


if __name__ == "__main__":
    unittest.main()
