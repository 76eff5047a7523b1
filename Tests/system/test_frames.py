"""No message is larger than clients accept by default, and REST gives what it leaves out."""

import asyncio
import contextlib
import http.client
import json
import unittest

import websockets

import test_devices as devices
import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, envelope, hook, session, tool

LIMIT = 512 << 10
LARGE = 1_500_000


def setUpModule():
    global server, key, chosen, places
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    rpc.server = ws.server = devices.server = server
    key = ws.key = server.key("frames")
    chosen = session()
    places = ws.post([envelope(hook("UserPromptSubmit", chosen, prompt="p" * LARGE))])
    places += ws.post([envelope(tool(chosen, tool_response={"stdout": "x" * LARGE}))])
    places += ws.post([envelope(hook("Stop", chosen, last_assistant_message="short"))])


def tearDownModule():
    server.end()


@contextlib.asynccontextmanager
async def connected(path="/ws"):
    """Connects with the default limit of the library, 1 MiB."""
    async with websockets.connect(f"ws://{server.address}{path}", ping_interval=None, close_timeout=2,
                                  extra_headers={"Authorization": f"Bearer {server.admin}"}) as wire:
        yield wire


class Frames(unittest.IsolatedAsyncioTestCase):
    async def take(self, wire):
        data = await asyncio.wait_for(wire.recv(), 10)
        self.assertLessEqual(len(data if isinstance(data, bytes) else data.encode()), LIMIT)
        return json.loads(data)

    async def followed(self, wire, params, binary=False):
        """The notifications of all three events, for a client that resumes before the first."""
        def message(id, method, params):
            text = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            return text.encode() if binary else text
        await wire.send(message(1, "initialize", {"protocolVersion": "1.0", **params}))
        await wire.send(message(2, "event/subscribe", {"since": {"seq": places[0] - 1}, "session_id": chosen}))
        found = []
        while not found or found[-1]["params"]["seq"] < places[-1] or "more" in found[-1]["params"]:
            one = await self.take(wire)
            if one.get("method", "").startswith("event/"):
                found.append(one)
        return found

    def is_cut(self, event):
        return event.get("payload_truncated") is True and event["payload"] == {}

    async def test_json_rpc(self):
        for binary in (False, True):
            async with connected() as wire:
                found = await self.followed(wire, {}, binary)
            self.assertEqual([one["params"]["seq"] for one in found], places)
            self.assertEqual([self.is_cut(one["params"]) for one in found], [True, True, False])
            if binary:
                self.assertEqual([self.is_cut(one) for one in found], [True, True, False])

    async def test_the_cdev_dialect(self):
        for params in ({"dialect": "cdev"}, {"clientInfo": {"name": "cdev-ios"}}):
            async with connected() as wire:
                found = await self.followed(wire, params)
            cut = {(one["method"], one["params"]["seq"]) for one in found if self.is_cut(one["params"])}
            self.assertLessEqual({("event/claude_message", place) for place in places[:2]}, cut)
            self.assertEqual([one["params"]["seq"] for one in found if "more" not in one["params"]], places)

    async def test_a_binary_client_with_a_payload_that_would_be_too_large_twice(self):
        middling = session()
        place, = ws.post([envelope(tool(middling, tool_response={"stdout": "x" * 400_000}))])
        async with connected() as wire:
            await wire.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}).encode())
            await wire.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "event/subscribe", "params": {
                "since": {"seq": place - 1}, "session_id": middling}}).encode())
            while "event" not in (one := await self.take(wire)):
                pass
        self.assertTrue(self.is_cut(one))
        self.assertEqual(len(one["params"]["payload"]["tool_response"]["stdout"]), 400_000)

    async def test_the_socket_of_one_session(self):
        async with connected(f"/v1/ws?session_id={chosen}&since={places[0] - 1}") as wire:
            found, frames = [], []
            while len(found) < len(places):
                one = await self.take(wire)
                (found if "event" in one else frames).append(one)
        self.assertEqual([(one["seq"], self.is_cut(one)) for one in found], list(zip(places, (True, True, False))))
        self.assertEqual({one["type"] for one in frames}, {"tool"})

    async def test_an_answer_that_is_too_large_for_the_socket_of_one_session(self):
        large = session()
        place, = ws.post([envelope(hook("Stop", large, last_assistant_message="x" * 500_000))])
        async with connected(f"/v1/ws?session_id={large}&since={place - 1}") as wire:
            found = [await self.take(wire) for _ in range(2)]
        self.assertTrue(self.is_cut(found[0]))
        self.assertEqual(found[1], {"type": "response", "data_truncated": True, "data": {}})

    async def test_server_sent_events(self):
        def stream():
            connection = http.client.HTTPConnection(server.address, timeout=10)
            connection.request("GET", f"/v1/events?session_id={chosen}&since={places[0] - 1}", headers={
                "Accept": "text/event-stream", "Authorization": f"Bearer {server.admin}"})
            answer, found = connection.getresponse(), []
            while len(found) < len(places):
                line = answer.fp.readline()
                self.assertLessEqual(len(line), LIMIT)
                if line.startswith(b"data:"):
                    found.append(json.loads(line[5:]))
            connection.close()
            return found
        found = await asyncio.to_thread(stream)
        self.assertEqual([(one["seq"], self.is_cut(one)) for one in found], list(zip(places, (True, True, False))))

    async def test_pages_of_the_log_pass_it(self):
        async with connected() as wire:
            client, seq, found = ws.Socket(wire), places[0] - 1, []
            await client.initialize()
            while True:
                page = await rpc.result(client, "event/replay", {"since": {"seq": seq}, "session_id": chosen, "limit": 1})
                found += page["events"]
                if not page["has_more"]:
                    break
                self.assertGreater(page["seq"], seq)
                seq = page["seq"]
        self.assertEqual([one["seq"] for one in found], places)
        self.assertEqual([self.is_cut(one) for one in found], [True, True, False])

    async def test_an_answer_that_is_too_large_is_an_error_and_the_socket_stays(self):
        async with connected() as wire:
            client = ws.Socket(wire)
            await client.initialize()
            error = await rpc.failure(client, "session/messages", {"session_id": chosen})
            self.assertEqual((error["code"], error["data"]["reason"]), (-32602, "answer_too_large"))
            page = await rpc.result(client, "session/messages", {"session_id": chosen, "offset": 2})
            self.assertEqual(page["messages"][0]["message"]["content"][0]["text"], "short")

    def test_rest_has_the_rest(self):
        found = server.get(f"/v1/sessions/{chosen}/events?limit=1").json["events"]
        self.assertEqual((found[0]["seq"], len(found[0]["payload"]["prompt"])), (places[0], LARGE))
        self.assertNotIn("payload_truncated", found[0])


class Models(unittest.TestCase):
    """A client of OpenAI's API learns that something is missing."""

    def test_the_error_says_what_there_is(self):
        body = {"model": "claude-opus-4-6", "messages": [{"role": "user", "content": "x" * 100_000}]}
        for path in ("/v1/chat/completions/x/messages", "/v1/completions", "/v1/responses/x", "/v1/embeddings"):
            for credential in (server.admin, None):
                answer = Client(server.address, credential).request("POST", path, body)
                error = answer.json["error"]
                self.assertEqual((answer.status, error["type"], error["code"]), (404, "invalid_request_error", "models_not_run"))
                self.assertIn("POST /v1/chat/completions", error["message"])
                self.assertIsNone(error["param"])
        self.assertEqual(server.client().request("POST", "/v1/other", {}).json["error"]["code"], "not_found")
