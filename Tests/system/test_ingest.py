"""What machines post: forms of a body, duplicates, limits, and the unusual input that real hooks send."""

import concurrent.futures
import gzip
import json
import random
import re
import unittest

import harness
from harness import Client, Server, envelope, hook, identifier, iso, session, tool

EVENTS = """PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion
SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch
PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation
ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded
MessageDisplay PreSkillShellCommand""".split()
LIMIT = 4 << 20


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    key = server.key("ingest")


def tearDownModule():
    server.end()


class IngestCase(unittest.TestCase):
    def setUp(self):
        self.client = Client(server.address, key)
        self.addCleanup(self.client.close)
        self.session = session()

    def post(self, body, path="/api/events", **headers):
        return self.client.request("POST", path, body, {k.replace("_", "-"): v for k, v in headers.items()})

    def accepted(self, body, **headers):
        answer = self.post(body, **headers)
        self.assertEqual(answer.status, 202, answer)
        return answer.json

    def stored(self, chosen=None):
        return server.events(f"session_id={chosen or self.session}&limit=200")

    def only(self, body):
        """Posts one event, which must be accepted, and reads it back."""
        told = self.accepted(body)
        self.assertEqual((told["accepted"], told["rejected"]), (1, 0), told)
        seq = told["events"][0]["seq"]
        return next(event for event in server.events() if event["seq"] == seq)


class Forms(IngestCase):
    def test_one_envelope(self):
        sent = envelope(tool(self.session, "npm test"), "2026-01-05T10:00:00.123Z", event_type="tool")
        told = self.accepted(sent)
        self.assertEqual({k: told[k] for k in ("accepted", "duplicates", "rejected")},
                         {"accepted": 1, "duplicates": 0, "rejected": 0})
        self.assertEqual(len(told["events"]), 1)
        self.assertEqual((told["events"][0]["event_id"], told["events"][0]["status"]), (sent["event_id"], "accepted"))
        event, = self.stored()
        expected = {"seq": told["events"][0]["seq"], "event_id": sent["event_id"], "type": "tool",
                    "timestamp": "2026-01-05T10:00:00.123Z", "session_id": self.session, "machine_id": "test-machine",
                    "agent_type": "claude", "hook_event_name": "PostToolUse", "tool_name": "Bash",
                    "summary": "npm test", "payload": sent["data"]}
        self.assertEqual({name: event.get(name) for name in expected}, expected)
        self.assertRegex(event["workspace_id"], r"^ws-")
        self.assertRegex(event["received_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_event_types_in_camel_case(self):
        words = {"sessionStart": "session_start", "userPrompt": "prompt", "toolUse": "tool", "assistantResponse": "stop",
                 "notification": "notification", "sessionEnd": "session_end"}
        self.accepted([envelope({"session_id": self.session}, event_type=word) for word in words])
        self.assertEqual([event["type"] for event in self.stored()], list(words.values()))
        self.assertEqual([event["hook_event_name"] for event in self.stored()],
                         ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "Notification", "SessionEnd"])

    def test_an_array_keeps_its_order(self):
        sent = [envelope(tool(self.session, f"step {i}")) for i in range(50)]
        told = self.accepted(sent)
        self.assertEqual([e["event_id"] for e in told["events"]], [e["event_id"] for e in sent])
        seqs = [e["seq"] for e in told["events"]]
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + 50)))
        self.assertEqual([e["summary"] for e in self.stored()], [f"step {i}" for i in range(50)])

    def test_ndjson(self):
        lines = "\n".join(json.dumps(envelope(tool(self.session, f"line {i}"))) for i in range(5))
        for body in [lines, lines.replace("\n", "\r\n") + "\r\n", "\n\n" + lines + "\n\n"]:
            told = self.accepted(body.encode(), Content_Type="application/x-ndjson")
            self.assertEqual(told["accepted"] + told["duplicates"], 5, told)
        self.assertEqual(len(self.stored()), 5)

    def test_ndjson_with_a_bad_line(self):
        good = [json.dumps(envelope(tool(self.session, name))) for name in ("a", "b")]
        told = self.accepted(f"{good[0]}\n{{oops\n{good[1]}\n".encode(), Content_Type="application/x-ndjson")
        self.assertEqual([e["status"] for e in told["events"]], ["accepted", "rejected", "accepted"])

    def test_gzip(self):
        for body, kind in [(json.dumps(envelope(tool(self.session, "one"))).encode(), "application/json"),
                           (json.dumps([envelope(tool(self.session, "two"))]).encode(), "application/json"),
                           (json.dumps(envelope(tool(self.session, "three"))).encode() + b"\n", "application/x-ndjson")]:
            self.accepted(gzip.compress(body), Content_Encoding="gzip", Content_Type=kind)
        self.assertEqual([e["summary"] for e in self.stored()], ["one", "two", "three"])

    def test_broken_gzip_is_400(self):
        whole = gzip.compress(json.dumps(envelope(tool(self.session))).encode())
        for body in [b"not gzip", whole[:-9], whole[:12], b"", whole[:20] + b"\xff" * 9 + whole[29:]]:
            answer = self.post(body, Content_Encoding="gzip")
            self.assertEqual(answer.status, 400, answer)
        self.assertEqual(self.stored(), [])

    def test_an_unknown_content_encoding_is_415(self):
        for coding in ["br", "gzip, gzip", "zstd"]:
            answer = self.post(json.dumps(envelope(tool(self.session))).encode(), Content_Encoding=coding)
            self.assertEqual(answer.status, 415, answer)

    def test_identity_and_charset_are_fine(self):
        self.accepted(json.dumps(envelope(tool(self.session))).encode(), Content_Encoding="identity")
        self.accepted(json.dumps(envelope(tool(self.session))).encode(), Content_Type="Application/JSON; charset=utf-8")

    def test_hooks_answers_200_and_an_empty_object(self):
        answer = self.post(hook("UserPromptSubmit", self.session, prompt="hello"), "/api/hooks")
        self.assertEqual((answer.status, answer.json), (200, {}))
        event, = self.stored()
        self.assertEqual((event["type"], event["machine_id"]), ("prompt", "ingest"))
        answer = self.post(hook("PermissionRequest", self.session, tool_name="Bash", tool_input={}), "/api/hooks")
        self.assertEqual((answer.status, answer.json), (200, {}))


class Items(IngestCase):
    def test_good_and_bad_together_keep_their_order(self):
        good = [envelope(tool(self.session, name)) for name in "abc"]
        bad = [3, None, "text", [], {}, {"event_id": 3, "data": tool(self.session)},
               envelope(tool(self.session), "not a time"), {"data": None}, {"data": []}, {"data": {}}]
        mixed = [good[0], *bad[:5], good[1], *bad[5:], good[2]]
        told = self.accepted(mixed)
        self.assertEqual([e["status"] for e in told["events"]],
                         ["accepted"] + ["rejected"] * 5 + ["accepted"] + ["rejected"] * 5 + ["accepted"])
        self.assertEqual((told["accepted"], told["rejected"], told["duplicates"]), (3, 10, 0))
        for entry in told["events"]:
            if entry["status"] == "rejected":
                self.assertLessEqual({"type", "code", "message"}, set(entry["error"]))
                self.assertNotIn("seq", entry)
        self.assertEqual([e["summary"] for e in self.stored()], ["a", "b", "c"])

    def test_all_bad_is_400(self):
        answer = self.post([3, {}, None])
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json["error"]["type"], "invalid_request_error")
        self.assertEqual(len(answer.json["events"]), 3)

    def test_an_unreadable_body_is_400(self):
        for body in [b"", b" ", b"{", b"[", b"[]x", b"nul", b"\xff\xfe{}", b"{}{}", b"[1,]", b"'a'", b"{\"a\":1,}", b"\x00"]:
            with self.subTest(body):
                answer = self.post(body)
                self.assertEqual(answer.status, 400, answer)
                self.assertEqual(answer.json["error"]["type"], "invalid_request_error")

    def test_duplicates_in_one_request_and_across(self):
        first, second = envelope(tool(self.session, "one")), envelope(tool(self.session, "two"))
        told = self.accepted([first, first, second])
        self.assertEqual((told["accepted"], told["duplicates"]), (2, 1), told)
        self.assertEqual([e["status"] for e in told["events"]], ["accepted", "duplicate", "accepted"])
        self.assertEqual(told["events"][0]["seq"], told["events"][1]["seq"])
        again = self.accepted([second, first])
        self.assertEqual((again["accepted"], again["duplicates"]), (0, 2), again)
        self.assertEqual([e["seq"] for e in again["events"]], [told["events"][2]["seq"], told["events"][0]["seq"]])
        upper = dict(first, event_id=first["event_id"].upper())
        self.assertEqual(self.accepted(upper)["duplicates"], 1)
        self.assertEqual(len(self.stored()), 2)

    def test_a_duplicate_keeps_what_came_first(self):
        first = envelope(tool(self.session, "first"))
        self.accepted(first)
        self.accepted(dict(first, data=tool(self.session, "second")))
        self.assertEqual([e["summary"] for e in self.stored()], ["first"])
        self.assertEqual(server.get(f"/v1/sessions/{self.session}").json["tool_call_count"], 1)

    def test_without_id_and_timestamp_the_server_gives_both(self):
        before = iso(-2)
        told = self.accepted([{"data": tool(self.session)}, {"data": tool(self.session)}])
        self.assertEqual(told["accepted"], 2)
        self.assertEqual(len({e["event_id"] for e in told["events"]}), 2)
        for event in self.stored():
            self.assertTrue(before <= event["timestamp"] <= iso(2), event)
            self.assertEqual(event["timestamp"], event["received_at"])

    def test_timestamps_in_their_forms(self):
        forms = {"2026-01-05T10:00:00Z": "2026-01-05T10:00:00.000Z",
                 "2026-01-05T10:00:00.5Z": "2026-01-05T10:00:00.500Z",
                 "2026-01-05T10:00:00.123456Z": "2026-01-05T10:00:00.123Z",
                 "2026-01-05T10:00:00.123456789Z": "2026-01-05T10:00:00.123Z",
                 "2026-01-05T12:00:00.250+02:00": "2026-01-05T10:00:00.250Z",
                 "2026-01-05T00:30:00-09:30": "2026-01-05T10:00:00.000Z",
                 "2024-02-29T23:59:59Z": "2024-02-29T23:59:59.000Z"}
        for form, expected in forms.items():
            with self.subTest(form):
                self.assertEqual(self.only(envelope(tool(self.session), form))["timestamp"], expected)

    def test_impossible_timestamps_are_rejected(self):
        for form in ["2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "2026-01-05", "", "now",
                     "2026-01-05T25:00:00Z", "99999-01-01T00:00:00Z", "2026-01-05T10:00:00", {}, [], True]:
            with self.subTest(repr(form)):
                answer = self.post(envelope(tool(self.session), timestamp=form))
                self.assertEqual(answer.status, 400, answer)

    def test_far_past_and_future_are_never_an_error_of_the_server(self):
        for form in ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                     "2099-01-01T00:00:00Z", "2000-01-01T00:00:00Z"]:
            with self.subTest(form):
                self.assertIn(self.post(envelope(tool(self.session), timestamp=form)).status, (202, 400))

    def test_an_event_id_of_ones_own_is_as_good(self):
        item = envelope(tool(self.session), event_id="machine 7 / " + identifier())
        self.assertEqual(self.accepted([item, item])["duplicates"], 1)
        told = self.accepted(item)
        self.assertEqual(told["events"][0]["event_id"], item["event_id"])
        self.assertEqual((told["duplicates"], len(self.stored())), (1, 1))

    def test_event_id_has_to_be_text(self):
        for value in [3, {}, [], True, "x" * 10000]:
            with self.subTest(repr(value)[:9]):
                self.assertEqual(self.post(envelope(tool(self.session), event_id=value)).status, 400)


class Names(IngestCase):
    def test_every_hook_event_is_known_and_summed_up(self):
        told = self.accepted([envelope(hook(name, self.session, tool_name="Bash", message="m", reason="other"))
                              for name in EVENTS])
        self.assertEqual(told["accepted"], len(EVENTS))
        events = self.stored()
        self.assertEqual([event["hook_event_name"] for event in events], EVENTS)
        for event in events:
            with self.subTest(event["hook_event_name"]):
                self.assertTrue(event["summary"].strip())
                self.assertRegex(event["type"], r"^[a-z][a-z_]*$")
                self.assertNotEqual(event["type"], "unknown")

    def test_the_types_of_the_interface(self):
        expected = {"SessionStart": "session_start", "SessionEnd": "session_end", "UserPromptSubmit": "prompt",
                    "PostToolUse": "tool", "Stop": "stop", "Notification": "notification"}
        self.accepted([envelope(hook(name, self.session, tool_name="Read")) for name in expected])
        self.assertEqual([event["type"] for event in self.stored()], list(expected.values()))

    def test_aliases_of_event_type(self):
        aliases = {"start": "session_start", "end": "session_end", "PostToolUse": "tool", "SessionStart": "session_start",
                   "session_start": "session_start", "prompt": "prompt", "stop": "stop", "notification": "notification",
                   "tool": "tool", "UserPromptSubmit": "prompt"}
        for given, expected in aliases.items():
            with self.subTest(given):
                event = self.only(envelope({"session_id": self.session}, event_type=given))
                self.assertEqual(event["type"], expected)

    def test_unknown_events_and_fields_are_kept(self):
        data = hook("QuantumLeap", self.session, strange={"deep": [1, {"x": None}]}, zahl=1.5, ok=False)
        event = self.only(envelope(data, extra="outside"))
        self.assertEqual(event["hook_event_name"], "QuantumLeap")
        self.assertEqual({name: event["payload"].get(name) for name in data}, data)
        self.assertTrue(event["summary"].strip())
        self.assertTrue(event["type"])
        event = self.only(envelope({"session_id": self.session, "a": 1}, event_type="brand_new"))
        self.assertEqual(event["payload"]["a"], 1)

    def test_missing_fields_do_no_harm(self):
        for data in [{"session_id": self.session, "hook_event_name": name} for name in EVENTS]:
            with self.subTest(data["hook_event_name"]):
                self.assertEqual(self.accepted(envelope(data))["accepted"], 1)

    def test_fields_of_the_wrong_kind_do_no_harm(self):
        for wrong in [3, None, [], {}, True, "x", 1e300]:
            for name in EVENTS:
                data = {"session_id": self.session, "hook_event_name": name, **{field: wrong for field in (
                    "cwd", "transcript_path", "tool_name", "tool_input", "tool_use_id", "prompt", "message", "source",
                    "reason", "model", "permission_mode", "tool_response", "agent_id", "agent_type", "trigger",
                    "notification_type", "duration_ms", "context_tokens", "effort", "error", "to_model")}}
                answer = self.post(envelope(data))
                self.assertEqual(answer.status, 202, (wrong, name, answer))


class Odd(IngestCase):
    """Contents that real hooks send, and that databases and decoders have problems with."""

    def raw(self, fragment, status=202):
        """Posts an event whose tool output is the given JSON text. Returns the stored output."""
        body = '{"event_id":"%s","data":{"session_id":"%s","hook_event_name":"PostToolUse","tool_name":"Bash",' \
               '"tool_response":%s}}' % (identifier(), self.session, fragment)
        answer = self.post(body if isinstance(body, bytes) else body.encode())
        self.assertEqual(answer.status, status, answer)
        if status == 202:
            return self.stored()[-1]["payload"]["tool_response"]

    def test_nul_escapes(self):
        for text in [r'"a\u0000b"', r'"\u0000"', r'{"stdout":"x\u0000"}', r'["\u0000\u0000"]', r'{"k\u0000":1}']:
            with self.subTest(text):
                self.assertIsNotNone(self.raw(text))
        self.assertEqual(self.raw(r'"literal \\u0000 stays"'), r"literal \u0000 stays")

    def test_lone_surrogates(self):
        for text in [r'"\ud83d"', r'"x\udc00y"', r'"\ud83d\ud83d\ude00"', r'"\ud83dA"', r'"\ude00\ud83d"', r'{"\ud800":1}']:
            with self.subTest(text):
                self.assertIsNotNone(self.raw(text))
        self.assertEqual(self.raw(r'"\ud83d\ude00"'), "😀")
        self.assertEqual(self.raw(r'"\\ud83d"'), r"\ud83d")

    def test_a_large_tool_output(self):
        output = "".join(random.Random(7).choices("abc \n\"\\\té😀", k=240_000))
        told = self.accepted(envelope(tool(self.session, tool_response={"stdout": output})))
        self.assertEqual(told["accepted"], 1)
        event, = self.stored()
        self.assertLess(len(event["summary"]), 1000)

    def test_numbers(self):
        for text in ["1e400", "-1e400", "123456789012345678901234567890", "0.1e-400", "1E+2", "-0", "1.0000000000000000001"]:
            with self.subTest(text):
                answer = self.post(('{"data":{"session_id":"%s","hook_event_name":"Stop","n":%s}}'
                                    % (self.session, text)).encode())
                self.assertIn(answer.status, (202, 400), answer)
        self.assertEqual(self.raw("18446744073709551615"), 18446744073709551615)
        self.assertEqual(self.raw("-9223372036854775808"), -9223372036854775808)

    def test_deep_nesting(self):
        self.raw("[" * 60 + "]" * 60)
        for depth in [500, 1500, 100_000]:
            with self.subTest(depth):
                body = ('{"data":{"session_id":"%s","hook_event_name":"Stop","x":%s}}'
                        % (self.session, "[" * depth + "]" * depth)).encode()
                self.assertIn(self.post(body).status, (202, 400))
                body = body.replace(b"[", b'{"a":').replace(b"]", b"}").replace(b'{"a":}', b'{"a":1}')
                self.assertIn(self.post(body).status, (202, 400))

    def test_invalid_utf8(self):
        for raw in [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]:
            with self.subTest(raw):
                body = b'{"data":{"session_id":"%s","hook_event_name":"Stop","x":"%s"}}' % (self.session.encode(), raw)
                self.assertIn(self.post(body).status, (202, 400))

    def test_texts_come_back_as_they_were(self):
        for text in ["日本語", "a\u2028b", "\x1b[31mred\x1b[0m", "\u202eevil", "é" * 300, "</script>", "' ; drop table",
                     "%s%n", "\\", '"', "C:\\Users\\x", "tab\tline\nreturn\r", "\x7f", "\ufeff", "{}", "\u0001\u001f"]:
            with self.subTest(text):
                event = self.only(envelope(hook("UserPromptSubmit", self.session, prompt=text)))
                self.assertEqual(event["payload"]["prompt"], text)

    def test_odd_session_ids(self):
        for chosen in ["s p a c e", "日本", "..", "a?b#c", "%2F", "x" * 100, "'; --"]:
            chosen = chosen + identifier()[:8]
            with self.subTest(chosen):
                self.accepted(envelope(hook("Stop", chosen)))
                quoted = "".join(f"%{byte:02X}" for byte in chosen.encode())
                self.assertEqual(server.get(f"/v1/sessions/{quoted}").json.get("id"), chosen)
                self.assertEqual(len(self.stored(quoted)), 1)

    def test_a_session_id_without_bound_is_refused(self):
        for chosen in ["x" * 100_000, 5, None, {}, [], ""]:
            with self.subTest(repr(chosen)[:9]):
                self.assertIn(self.post(envelope({"session_id": chosen, "hook_event_name": "Stop"})).status, (400, 202))

    def test_keys_twice_in_one_object(self):
        body = ('{"data":{"session_id":"%s","session_id":"%s","hook_event_name":"Stop","hook_event_name":"Stop"}}'
                % (self.session, self.session)).encode()
        self.assertIn(self.post(body).status, (202, 400))

    def test_secrets_do_not_reach_the_summary(self):
        event = self.only(envelope(tool(self.session, "curl -H 'Authorization: Bearer sk-ant-api03-" + "A" * 90 + "'")))
        self.assertNotIn("A" * 40, event["summary"])


class Limits(IngestCase):
    def test_500_events_and_not_one_more(self):
        told = self.accepted([envelope(tool(self.session, str(i))) for i in range(500)])
        self.assertEqual(told["accepted"], 500)
        other = session()
        for body, kind in [(json.dumps([envelope(tool(other, str(i))) for i in range(501)]), "application/json"),
                           ("\n".join(json.dumps(envelope(tool(other))) for _ in range(501)), "application/x-ndjson")]:
            answer = self.post(body.encode(), Content_Type=kind)
            self.assertIn(answer.status, (400, 413), answer)
        self.assertEqual(self.stored(other), [])
        self.assertEqual(len(self.stored()), 500)

    def test_an_empty_array(self):
        self.assertIn(self.post([]).status, (202, 400))

    def test_a_body_of_the_limit_goes_and_more_is_413_and_closed(self):
        data = envelope(tool(self.session, tool_response={"stdout": ""}))
        padding = LIMIT - len(json.dumps(data).encode())
        data["data"]["tool_response"]["stdout"] = "x" * padding
        self.assertEqual(len(json.dumps(data)), LIMIT)
        self.assertEqual(self.accepted(data)["accepted"], 1)
        received, closed = harness.exchange(
            server.address, (f"POST /api/events HTTP/1.1\r\nHost: {server.address}\r\nx-api-key: {key}\r\n"
                             f"Content-Type: application/json\r\nContent-Length: {LIMIT + 1}\r\n\r\n").encode())
        self.assertTrue(received.startswith(b"HTTP/1.1 413 "), received)
        self.assertTrue(closed)

    def test_a_gzip_bomb_is_413(self):
        bomb = gzip.compress(b" " * (64 << 20))
        answer = self.post(bomb, Content_Encoding="gzip")
        self.assertEqual(answer.status, 413, answer)
        twice = gzip.compress(gzip.compress(b" " * (64 << 20)))
        self.assertIn(self.post(twice, Content_Encoding="gzip").status, (400, 413))
        self.assertLess(memory(server.process.pid), 400 << 20)

    def test_a_lower_limit_by_configuration(self):
        small = Server(MONITOR_MAX_BODY="2048").start()
        self.addCleanup(small.end)
        client = Client(small.address, small.key("small"))
        self.assertEqual(client.request("POST", "/api/events", envelope(hook("Stop", "s"))).status, 202)
        answer = client.request("POST", "/api/events", envelope(hook("Stop", "s", x="y" * 2048)))
        self.assertEqual(answer.status, 413, answer)
        self.assertEqual(answer.json["error"]["type"], "invalid_request_error")
        packed = gzip.compress(json.dumps(envelope(hook("Stop", "s", x="y" * 4096))).encode())
        self.assertEqual(client.request("POST", "/api/events", packed, {"Content-Encoding": "gzip"}).status, 413)


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) << 10


class Fuzz(IngestCase):
    def test_mutated_bodies_never_break_the_server(self):
        dice = random.Random(20260105)
        seeds = [json.dumps(envelope(tool("fuzz", "npm test", tool_response={"stdout": "é\\u0000😀", "n": [1, 2.5, None]}))).encode(),
                 json.dumps([envelope(hook(name, "fuzz", message="m")) for name in EVENTS[:6]], ensure_ascii=False).encode(),
                 "\n".join(json.dumps(envelope(hook(name, "fuzz"))) for name in EVENTS[:4]).encode()]
        pieces = [b"\\ud83d", b"\\u0000", b"null", b"[", b"]", b"{", b"}", b'"', b"\\", b"\xff", b"\x00", b"1e999", b",",
                  b":", b"-", b"\n", b"true", b"\xed\xa0\x80", b'"data":', b"9" * 400]
        statuses = {}
        for turn in range(600):
            body = bytearray(dice.choice(seeds))
            for _ in range(dice.choice([1, 1, 2, 5, 20])):
                at, act = dice.randrange(len(body) + 1), dice.randrange(5)
                if act == 0:
                    body[at:at] = dice.choice(pieces)
                elif act == 1:
                    del body[at:at + dice.randrange(1, 12)]
                elif act == 2 and at < len(body):
                    body[at] = dice.randrange(256)
                elif act == 3:
                    end = min(len(body), at + dice.randrange(1, 60))
                    body[at:at] = body[at:end]
                else:
                    body[at:at + dice.randrange(9)] = dice.choice(pieces)
            headers = {"Content-Type": dice.choice(["application/json", "application/x-ndjson"])}
            sent = bytes(body)
            if turn % 7 == 0:
                sent = bytearray(gzip.compress(sent))
                if turn % 2:
                    sent[dice.randrange(len(sent))] ^= 1 << dice.randrange(8)
                sent, headers["Content-Encoding"] = bytes(sent), "gzip"
            path = "/api/hooks" if turn % 11 == 0 else "/api/events"
            answer = self.client.request("POST", path, sent, headers)
            self.assertLess(answer.status, 500, (turn, sent, answer))
            json.loads(answer.body)
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
        self.assertGreater(statuses.get(202, 0), 20, statuses)
        self.assertGreater(statuses.get(400, 0), 20, statuses)
        self.assertEqual(server.health()[0], 200)
        json.loads(server.get("/v1/events?session_id=fuzz&limit=200").body)
        json.loads(server.get("/v1/sessions/fuzz").body)


class Together(IngestCase):
    def test_sixteen_connections_lose_and_double_nothing(self):
        chosen, each = session(), 200

        def run(number):
            client, acknowledged = Client(server.address, key), []
            for turn in range(each):
                sent = envelope(tool(chosen, f"{number}-{turn}"))
                answer = client.request("POST", "/api/events", sent)
                assert answer.status == 202, answer
                acknowledged.append((answer.json["events"][0]["seq"], sent["event_id"], f"{number}-{turn}"))
            client.close()
            return acknowledged

        before = server.get("/v1/events?order=desc&limit=1").json["events"][0]["seq"]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            runs = list(pool.map(run, range(16)))
        stored = [(e["seq"], e["event_id"], e["summary"]) for e in self.stored(chosen)]
        self.assertEqual(sorted(entry for entries in runs for entry in entries), stored)
        # Between them stand only events that the server adds to other sessions meanwhile.
        places, others, after = {entry[0] for entry in stored}, set(), before
        while page := server.get(f"/v1/events?order=asc&after={after}&limit=200").json["events"]:
            others |= {event["seq"] for event in page if event["session_id"] != chosen}
            after = page[-1]["seq"]
        self.assertEqual(sorted(places | others), list(range(before + 1, after + 1)))
        for entries in runs:
            self.assertEqual(entries, sorted(entries), "the order of one connection")
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["tool_call_count"], 16 * each)

    def test_the_same_event_from_many_connections_is_accepted_once(self):
        sent = [envelope(tool(self.session, str(i))) for i in range(20)]

        def run(number):
            return Client(server.address, key).request("POST", "/api/events", sent if number % 2 else sent[::-1]).json

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            told = list(pool.map(run, range(8)))
        self.assertEqual(sum(t["accepted"] for t in told), 20)
        self.assertEqual(sum(t["duplicates"] for t in told), 7 * 20)
        places = {e["event_id"]: e["seq"] for e in self.stored()}
        self.assertEqual(len(places), 20)
        for answer in told:
            for entry in answer["events"]:
                self.assertEqual(entry["seq"], places[entry["event_id"]])

    def test_a_client_that_goes_away_in_the_middle_harms_nobody(self):
        head = (f"POST /api/events HTTP/1.1\r\nHost: {server.address}\r\nx-api-key: {key}\r\n"
                "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n").encode()
        for cut in range(0, len(head) + 40, 7):
            host, _, port = server.address.rpartition(":")
            connection = harness.socket.create_connection((host, int(port)), 5)
            connection.sendall((head + b'{"data":{"session_id":"gone","hook_event_name":"Stop"}}')[:cut])
            connection.close()
        self.assertEqual(self.accepted(envelope(tool(self.session)))["accepted"], 1)


class Restart(IngestCase):
    def test_a_duplicate_is_known_after_a_restart(self):
        sent = [envelope(tool(self.session, str(i))) for i in range(3)]
        told = self.accepted(sent)
        status, _ = server.stop()
        self.assertEqual(status, 0)
        server.start()
        self.client = Client(server.address, key)
        again = self.accepted(sent)
        self.assertEqual((again["accepted"], again["duplicates"]), (0, 3))
        self.assertEqual([e["seq"] for e in again["events"]], [e["seq"] for e in told["events"]])
        self.assertEqual(len(self.stored()), 3)


class Content(IngestCase):
    """How much of prompts and outputs is stored, by MONITOR_STORE_CONTENT."""

    SECRET = "sk-ant-api03-" + "Zq9" * 30

    def kept(self, **settings):
        other = Server(**settings).start()
        self.addCleanup(other.end)
        client = Client(other.address, other.key("content"))
        for data in [hook("UserPromptSubmit", "s", prompt=f"use {self.SECRET} " + "long " * 20_000),
                     tool("s", "echo", tool_response={"stdout": "out " * 50_000, "stderr": self.SECRET}, zork={"a": 1})]:
            answer = client.request("POST", "/api/events", envelope(data))
            self.assertEqual(answer.status, 202, answer)
        return other.get("/v1/events?limit=10").body.decode()

    def test_summary_is_the_default_and_cuts_and_masks(self):
        text = self.kept()
        self.assertNotIn("Zq9Zq9Zq9", text)
        self.assertLess(len(text), 60_000)
        self.assertIn("long long", text)
        self.assertIn('"zork"', text)

    def test_none_keeps_no_content(self):
        text = self.kept(MONITOR_STORE_CONTENT="none")
        for absent in ["long long", "out out", "Zq9Zq9"]:
            self.assertNotIn(absent, text)
        self.assertEqual([e["type"] for e in json.loads(text)["events"]], ["prompt", "tool"])


