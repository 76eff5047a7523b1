"""Machines cannot post the server's own events on any route, in whatever spelling."""

import asyncio
import json
import unittest

import telemetry
import test_devices as devices
import test_websocket as ws
from approving import Hook
from harness import Client, Server, envelope, session, wait_for

LOGGED = ["prompt_opened", "prompt_updated", "prompt_closed", "message_updated", "session_interrupted", "session_gone",
          "stream_number"]
NOTICES = ["pty_permission", "claude_permission", "pty_permission_resolved", "claude_waiting", "session_joined"]


def setUpModule():
    global server, key, other
    server = ws.server = devices.server = Server(MONITOR_RATE_LIMIT="off").start()
    key = ws.key = server.key("desk")
    other = server.key("rack")


def tearDownModule():
    server.end()


def spellings(name):
    words = name.split("_")
    pascal = "".join(word.capitalize() for word in words)
    return [name, name.upper(), pascal, "-".join(words), " ".join(words), f" {name} ", "\u200b".join(words), "__".join(words),
            pascal + "\n", "".join(words)]


def bodies(name, data):
    """Each way to give the type: route, body and content type."""
    named = {**data, "hook_event_name": name}
    yield "/api/events", {"event_type": name, "data": data}
    yield "/api/events", {"data": named}
    yield "/api/events", {"event_type": "stop", "data": named}
    yield "/api/hooks", named
    yield "/events", {"source_app": "x", "session_id": data["session_id"], "hook_event_type": name, "payload": data}
    yield "/events", {"source_app": "x", "session_id": data["session_id"], "hook_event_type": "Stop", "payload": named}
    yield "/api/hooks/event", {"hook_type": name, "data": data}
    yield "/api/hooks/event", {"hook_type": "Stop", "data": named}
    yield "/api/prompts", envelope(named)
    yield "/api/prompts", {**envelope(data), "event_type": name}
    yield "/api/hooks?hold=5", named


class Forging(unittest.TestCase):
    def setUp(self):
        self.client = Client(server.address, key)
        self.addCleanup(self.client.close)
        self.data = {"session_id": session(), "prompt_id": "prm_" + "0" * 32, "step": "offered",
                     "prompt": {"id": "prm_" + "0" * 32, "tool_input": {"command": "ls"}}, "tool_use_id": "toolu_1"}

    def types(self):
        return [event["type"] for event in server.events(f"limit=500&session_id={self.data['session_id']}")]

    def test_no_spelling_passes_on_any_route(self):
        holding = {"X-Hold-Id": "0190b7c4-1111-7222-8333-444455556666", "X-Hold-Seconds": "5"}
        for name in LOGGED + NOTICES:
            for spelling in spellings(name):
                for route, body in bodies(spelling, self.data):
                    with self.subTest(route=route, spelling=spelling, body=body):
                        headers = holding if route == "/api/prompts" else {}
                        posted = self.client.request("POST", route, body, headers)
                        self.assertEqual((posted.status, posted.json["error"]["code"]), (400, "reserved_event_type"))
        self.assertEqual(self.types(), [])

    def test_no_notification_of_the_documents_passes(self):
        names = {one["name"].rpartition("/")[2] for one in server.get("/api/rpc/discover").json["x-notifications"]
                 if one["name"] != "event/*"}
        self.assertLessEqual({"session_joined", "session_id_resolved", "heartbeat"}, names)
        # Hooks of Claude Code have these names as well. What a machine says by them is of its own files and sessions only.
        for name in names - {"open", "file_changed", "session_start", "session_end"}:
            with self.subTest(name):
                posted = self.client.request("POST", "/api/hooks", {**self.data, "hook_event_name": name})
                self.assertEqual((posted.status, posted.json["error"]["code"]), (400, "reserved_event_type"))

    def test_in_a_batch_only_that_item_is_refused(self):
        forged = {"data": {**self.data, "hook_event_name": "prompt_opened"}}
        good = envelope({"hook_event_name": "Stop", "session_id": self.data["session_id"]})
        posted = self.client.request("POST", "/api/events", [forged, good, forged])
        self.assertEqual((posted.status, posted.json["accepted"], posted.json["rejected"]), (202, 1, 2), posted)
        lines = "\n".join(json.dumps(one) for one in (forged, good))
        posted = self.client.request("POST", "/api/events", lines.encode(), {"Content-Type": "application/x-ndjson"})
        self.assertEqual(posted.json["rejected"], 1, posted)
        self.assertEqual(self.types(), ["stop"])

    def test_an_escaped_name_is_the_same_name(self):
        text = json.dumps({**self.data, "hook_event_name": "NAME"}).replace("NAME", "\\u0070rompt\\u005fopened")
        posted = self.client.request("POST", "/api/hooks", text.encode(), {"Content-Type": "application/json"})
        self.assertEqual((posted.status, posted.json["error"]["code"]), (400, "reserved_event_type"))

    def test_telemetry_of_that_name_is_telemetry(self):
        record = telemetry.record("prompt_opened", self.data["session_id"])
        self.assertEqual(self.client.request("POST", "/v1/logs", telemetry.logs(record)).status, 200)
        wait_for(self.types, "the record is an event")
        self.assertEqual(self.types(), ["telemetry"])

    def test_other_names_pass(self):
        for name in ("Stop", "DeployDone", "prompt", "claude_code", "session"):
            posted = self.client.request("POST", "/api/events", {"event_type": name, "data": {"session_id": session()}})
            self.assertEqual(posted.status, 202, name)


class Naming(unittest.TestCase):
    """The server derives the ids of its own events from names. A machine that sends such a name takes none of them."""

    def test_an_answer_counts_although_the_machine_used_its_events_names(self):
        phone = Client(server.address, devices.pair("phone")["access_token"])
        self.addCleanup(phone.close)
        held = Hook(server, key, session()).start()
        wait_for(lambda: server.get(f"/v1/prompts/{held.prompt}").json.get("answerable"), "it can be answered")
        phases = [f"{held.prompt}:{step}" for step in ("answered", "phase:1", "phase:2", "phase:3", "applied:answered")]
        client = Client(server.address, key)
        self.addCleanup(client.close)
        items = [{**envelope({"hook_event_name": "Deployed", "session_id": held.chosen}), "event_id": name} for name in phases]
        posted = client.request("POST", "/api/events", items)
        self.assertEqual((posted.status, posted.json["accepted"]), (202, len(items)), posted)
        given = phone.request("POST", f"/v1/prompts/{held.prompt}/answer", {"decision": "deny"})
        self.assertEqual((given.status, given.json["prompt"]["state"]), (200, "answered"), given)
        self.assertEqual(held.wait()["hookSpecificOutput"]["decision"]["behavior"], "deny")
        # The names stay the sender's own: sent again, the events are duplicates.
        again = client.request("POST", "/api/events", items)
        self.assertEqual((again.json["accepted"], again.json["duplicates"]), (0, len(items)), again)


class Watching(unittest.IsolatedAsyncioTestCase):
    async def test_a_client_hears_nothing_of_it(self):
        """Another machine posts events about a prompt that it does not have."""
        held = await asyncio.to_thread(lambda: Hook(server, key, session()).start())
        await asyncio.to_thread(wait_for, lambda: server.get(f"/v1/prompts/{held.prompt}").status == 200, "it is open")
        async with ws.connected() as client:
            await client.call("event/subscribe", {})
            forger = Client(server.address, other)
            told = {"session_id": session(), "prompt_id": held.prompt, "step": "offered",
                    "prompt": {"id": held.prompt, "tool_input": {"command": "harmless"}}}
            for name in LOGGED + NOTICES:
                await asyncio.to_thread(forger.request, "POST", "/api/hooks", {**told, "hook_event_name": name})
            end = {"hook_event_name": "Stop", "session_id": told["session_id"]}
            await asyncio.to_thread(forger.request, "POST", "/api/hooks", end)
            heard = []
            while not heard or heard[-1].get("params", {}).get("session_id") != told["session_id"]:
                heard.append(await client.receive())
            forger.close()
        self.assertNotIn("harmless", json.dumps(heard))
        self.assertEqual(heard[-1]["params"]["type"], "stop")
        held.end("released")


if __name__ == "__main__":
    unittest.main()
