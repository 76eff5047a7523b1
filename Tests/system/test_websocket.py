"""The live stream over WebSocket: authorization, the events, and how a client resumes from its position."""

import asyncio
import concurrent.futures
import contextlib
import json
import random
import socket
import time
import unittest

import websockets

import harness
from harness import Client, Server, envelope, hook, session, tool

FIELDS = {"event", "seq", "epoch", "timestamp", "workspace_id", "session_id", "agent_type", "payload"}


def setUpModule():
    global server, key, quiet, quiet_cdev, mute, pool
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("websocket")
    # This runs during the other tests, so that the wait takes little time.
    pool = concurrent.futures.ThreadPoolExecutor(3)
    quiet = pool.submit(lambda: asyncio.run(listen_quietly("test")))
    quiet_cdev = pool.submit(lambda: asyncio.run(listen_quietly("cdev-ios")))
    mute = pool.submit(lambda: asyncio.run(say_nothing()))


def tearDownModule():
    server.end()
    pool.shutdown()


def post(items, at=None, machine_key=None):
    """Posts envelopes and returns their positions in the log."""
    client = Client((at or server).address, machine_key or key)
    try:
        answer = client.request("POST", "/api/events", items)
    finally:
        client.close()
    assert answer.status == 202, answer
    return [entry["seq"] for entry in answer.json["events"]]


def steps(chosen, count, start=0):
    return [envelope(tool(chosen, f"step {i}")) for i in range(start, start + count)]


class Socket:
    """A JSON-RPC client that separates notifications from answers."""

    def __init__(self, wire):
        self.wire, self.events, self.others, self.number = wire, [], [], 0

    async def send(self, method, params=None, **fields):
        await self.wire.send(json.dumps({"jsonrpc": "2.0", "method": method,
                                         **({} if params is None else {"params": params}), **fields}))

    async def receive(self, seconds=10):
        """The next message of any kind. Events are also stored."""
        message = json.loads(await asyncio.wait_for(self.wire.recv(), seconds))
        if isinstance(message, dict) and str(message.get("method", "")).startswith("event/"):
            self.events.append(message)
        return message

    async def call(self, method, params=None, seconds=10):
        self.number += 1
        await self.send(method, params, id=self.number)
        while True:
            message = await self.receive(seconds)
            if isinstance(message, dict) and message.get("id") == self.number:
                return message

    async def initialize(self):
        answer = await self.call("initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "test", "version": "1"}})
        assert "result" in answer, answer
        await self.send("initialized")
        return answer["result"]

    async def until(self, seq, seconds=15):
        """Reads until the event at this position. Returns all positions so far."""
        deadline = time.monotonic() + seconds
        while not self.events or self.events[-1]["params"]["seq"] < seq:
            await self.receive(max(0.01, deadline - time.monotonic()))
        return self.places()

    def places(self):
        return [event["params"]["seq"] for event in self.events]

    async def silent(self):
        """Proves that no event is on its way, because a later request has been answered."""
        await self.call("status/health")


@contextlib.asynccontextmanager
async def connected(at=None, ready=True, path="/ws", credential=None, **options):
    at = at or server
    options.setdefault("extra_headers", {"Authorization": f"Bearer {credential or at.admin}"})
    async with websockets.connect(f"ws://{at.address}{path}", max_size=None, ping_interval=None, close_timeout=2,
                                  open_timeout=10, **options) as wire:
        client = Socket(wire)
        if ready:
            client.welcome = await client.initialize()
        yield client


async def refusal(at=None, path="/ws", headers=None, **options):
    """The HTTP status with which the server refuses the upgrade; 101 if it accepts."""
    try:
        async with websockets.connect(f"ws://{(at or server).address}{path}", extra_headers=headers or {},
                                      ping_interval=None, **options):
            return 101
    except websockets.InvalidStatusCode as refused:
        return refused.status_code


def upgrade(**changes):
    """The bytes of an upgrade request. A field that is None is left out."""
    fields = {"Host": server.address, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
              "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Authorization": f"Bearer {server.admin}"}
    fields.update({name.replace("_", "-"): value for name, value in changes.items()})
    return ("GET /ws HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items() if v is not None) + "\r\n").encode()


class Admission(unittest.IsolatedAsyncioTestCase):
    async def test_without_a_right_credential_it_is_401(self):
        for headers in [{}, {"Authorization": "Bearer wrong"}, {"x-api-key": "cmk_" + "a" * 36}]:
            self.assertEqual(await refusal(headers=headers), 401)

    async def test_a_credential_in_the_url_is_401(self):
        self.assertEqual(await refusal(path=f"/ws?token={server.admin}"), 401)
        self.assertEqual(await refusal(path=f"/ws?api_key={server.admin}"), 401)

    async def test_a_machine_key_is_403(self):
        self.assertEqual(await refusal(headers={"Authorization": f"Bearer {key}"}), 403)

    async def test_x_api_key_gets_in(self):
        self.assertEqual(await refusal(headers={"x-api-key": server.admin}), 101)

    async def test_a_foreign_origin_is_403(self):
        for origin in ["https://evil.example", "http://127.0.0.1.evil.example", "null", "http://evil.example:8766",
                       "file://", "http://localhost.evil.example", "https://127.0.0.1@evil.example"]:
            with self.subTest(origin):
                self.assertEqual(await refusal(headers={"Authorization": f"Bearer {server.admin}", "Origin": origin}), 403)

    async def test_a_loopback_origin_gets_in(self):
        for origin in [f"http://{server.address}", "http://localhost:3000", "http://127.0.0.1"]:
            with self.subTest(origin):
                self.assertEqual(await refusal(headers={"Authorization": f"Bearer {server.admin}", "Origin": origin}), 101)

    async def test_a_foreign_host_is_421_on_both(self):
        for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1", "10.0.0.1"]:
            with self.subTest(host):
                received, _ = harness.exchange(server.address, upgrade(Host=host), 3)
                self.assertTrue(received.startswith(b"HTTP/1.1 421"), received[:300])
                answer = server.client().request("GET", "/v1/sessions", headers={"Host": host})
                self.assertEqual(answer.status, 421, answer)
                self.assertEqual(answer.json["error"]["status"], 421)

    async def test_a_foreign_origin_is_403_on_http_too(self):
        answer = server.client().get("/v1/sessions", Origin="https://evil.example")
        self.assertEqual(answer.status, 403, answer)
        answer = Client(server.address, key).request(
            "POST", "/api/events", envelope(hook("Stop", session())), {"Origin": "https://evil.example"})
        self.assertEqual(answer.status, 403, answer)

    async def test_another_version_of_the_protocol_is_426(self):
        for version in ["12", "99", "8", "", "13, 8"]:
            with self.subTest(version):
                received, _ = harness.exchange(server.address, upgrade(Sec_WebSocket_Version=version), 3)
                self.assertRegex(received[:13], rb"^HTTP/1\.1 4(26|00)", received[:300])
                if version in ("12", "99"):
                    self.assertTrue(received.startswith(b"HTTP/1.1 426"), received[:300])
                    self.assertIn(b"sec-websocket-version: 13", received.lower())

    async def test_a_plain_get_is_426(self):
        answer = server.get("/ws")
        self.assertEqual(answer.status, 426, answer)
        self.assertTrue(answer.json["error"]["message"])

    async def test_another_path_is_404(self):
        for path in ["/nope", "/wss", "/v1/events"]:
            self.assertIn(await refusal(path=path, headers={"Authorization": f"Bearer {server.admin}"}), (404, 400))

    async def test_a_refusal_has_the_full_error(self):
        received, closed = harness.exchange(server.address, upgrade(Authorization=None), 5)
        head, _, body = received.partition(b"\r\n\r\n")
        self.assertIn(b"x-request-id", head.lower())
        self.assertEqual(json.loads(body)["error"]["type"], "authentication_error")
        self.assertTrue(closed)

    async def test_no_extension_is_negotiated(self):
        async with connected(compression="deflate") as client:
            self.assertEqual(client.wire.extensions, [])


class Protocol(unittest.IsolatedAsyncioTestCase):
    async def test_initialize_comes_first(self):
        async with connected(ready=False) as client:
            for method in ["status/health", "event/subscribe", "session/list"]:
                self.assertEqual((await client.call(method))["error"]["code"], -32600)
            chosen = session()
            post(steps(chosen, 1))
            self.assertEqual((await client.call("status/health"))["error"]["code"], -32600)
            self.assertEqual(client.events, [])

    async def test_initialize_tells_both_spellings(self):
        async with connected() as client:
            welcome = client.welcome
            self.assertEqual(welcome["protocolVersion"], "1.0")
            for name in ["serverInfo", "server_info"]:
                self.assertLessEqual({"name", "version"}, set(welcome[name]))
            self.assertTrue(welcome["clientId"])
            self.assertIn("capabilities", welcome)

    async def test_ids_come_back_as_they_were(self):
        async with connected() as client:
            for chosen in [0, 1, -5, 2**40, "text", "", "ü\"\\", "x" * 300]:
                await client.send("status/health", id=chosen)
                answer = await client.receive()
                self.assertEqual((answer["id"], answer["jsonrpc"]), (chosen, "2.0"))
                self.assertIsNotNone(answer["result"])

    async def test_a_notification_is_not_answered(self):
        async with connected() as client:
            await client.send("status/health")
            await client.send("no/such")
            await client.send("status/health", id="after")
            self.assertEqual((await client.receive())["id"], "after")

    async def test_errors_of_json_rpc(self):
        cases = [("{", -32700, None), ("", -32700, None), ("[]", -32600, None), ("3", -32600, None), ("null", -32600, None),
                 ('"x"', -32600, None), ('{"jsonrpc":"1.0","id":7,"method":"status/health"}', -32600, 7),
                 ('{"id":7,"method":"status/health"}', -32600, 7), ('{"jsonrpc":"2.0","id":7}', -32600, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":3}', -32600, 7),
                 ('{"jsonrpc":"2.0","id":{},"method":"status/health"}', -32600, None),
                 ('{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":"event/subscribe","params":3}', -32600, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":"event/subscribe","params":{"since":3}}', -32602, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":"event/subscribe","params":{"types":"tool"}}', -32602, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":"event/subscribe","params":{"session_id":[]}}', -32602, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":"event/subscribe","params":{"since":{"epoch":null,"seq":"1"}}}',
                  -32602, 7),
                 ('{"jsonrpc":"2.0","id":7,"method":"event/subscribe","params":{"since":{"epoch":null,"seq":-1}}}',
                  -32602, 7)]
        async with connected() as client:
            for text, code, chosen in cases:
                with self.subTest(text):
                    await client.wire.send(text)
                    answer = await client.receive()
                    self.assertEqual(answer.get("error", {}).get("code"), code, answer)
                    if code != -32602:
                        self.assertEqual(answer["id"], chosen, answer)
            await client.silent()

    async def test_a_batch(self):
        async with connected() as client:
            await client.wire.send(json.dumps([
                {"jsonrpc": "2.0", "id": "a", "method": "status/health"}, {"jsonrpc": "2.0", "method": "status/health"},
                {"jsonrpc": "2.0", "id": "b", "method": "no/such"}, 3]))
            answer = await client.receive()
            self.assertEqual({entry["id"] for entry in answer}, {"a", "b", None})
            await client.wire.send(json.dumps([{"jsonrpc": "2.0", "method": "status/health"}]))
            await client.silent()

    async def test_a_message_may_come_in_fragments(self):
        async with connected() as client:
            async def pieces():
                for piece in ['{"jsonrpc":"2.0",', '"id":"f","meth', 'od":"status/health"}']:
                    yield piece
            await client.wire.send(pieces())
            self.assertEqual((await client.receive())["id"], "f")

    async def test_garbage_does_not_harm_the_others(self):
        dice = random.Random(3)
        good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "event/subscribe",
                           "params": {"since": {"epoch": None, "seq": 0}, "types": ["tool"]}})
        async with connected() as other:
            for _ in range(20):
                with contextlib.suppress(websockets.ConnectionClosed):
                    async with connected() as client:
                        for _ in range(20):
                            text = list(good)
                            for _ in range(dice.randrange(1, 6)):
                                text[dice.randrange(len(text))] = dice.choice('{}[]",:\\0a-\u00e9\ud7ff')
                            await client.wire.send("".join(text))
                        await client.silent()
            place, = post(steps(session(), 1))
            self.assertEqual((await other.until(place))[-1], place)

    async def test_who_asks_in_binary_is_answered_in_binary(self):
        async with connected(ready=False) as client, connected() as other:
            await client.wire.send(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')
            self.assertIsInstance(await client.wire.recv(), bytes)
            places = post(steps(session(), 20))
            for place in places:
                message = await asyncio.wait_for(client.wire.recv(), 10)
                self.assertIsInstance(message, bytes)
                self.assertEqual(json.loads(message)["params"]["seq"], place)
            await other.until(places[-1])
            await other.send("ping", id=7)
            self.assertIsInstance(await other.wire.recv(), str)

    async def test_invalid_utf8_closes_with_1007(self):
        async with connected() as client:
            await client.wire.write_frame(True, 1, b'{"a":"\xff\xfe"}')
            with self.assertRaises(websockets.ConnectionClosed) as closed:
                await client.receive()
            self.assertIn(closed.exception.code, (1007, 1006, 1002))

    async def test_a_message_too_big_closes_with_1009(self):
        head = bytes([0x81, 0xFF]) + (16 << 20).to_bytes(8, "big") + bytes(4)
        received, closed = harness.exchange(server.address, upgrade() + head + b"x" * 70_000, 8)
        self.assertIn(b"\x03\xf1", received[-125:], received)
        self.assertTrue(closed)
        async with connected() as client:
            with self.assertRaises(websockets.ConnectionClosed):
                await client.wire.send('{"x":"' + "y" * (16 << 20) + '"}')
                while True:
                    await client.receive()
        self.assertEqual(server.health()[0], 200)

    async def test_ping_is_answered(self):
        async with connected() as client:
            for payload in [b"", b"x", b"y" * 125]:
                await asyncio.wait_for(await client.wire.ping(payload), 5)

    async def test_close_is_answered(self):
        async with connected() as client:
            await client.wire.close(1000, "done")
            self.assertEqual(client.wire.close_code, 1000)


class Events(unittest.IsolatedAsyncioTestCase):
    async def test_an_event_has_every_field(self):
        chosen = session()
        async with connected() as client:
            sent = envelope(tool(chosen, "npm test"), "2026-01-05T10:00:00.123Z")
            place, = post(sent)
            await client.until(place)
            message = client.events[-1]
            self.assertEqual((message["jsonrpc"], message["method"]), ("2.0", "event/tool"))
            self.assertNotIn("id", message)
            params = message["params"]
            self.assertLessEqual(FIELDS, set(params))
            expected = {"event": "tool", "seq": place, "session_id": chosen, "agent_type": "claude",
                        "timestamp": "2026-01-05T10:00:00.123Z", "payload": sent["data"]}
            self.assertEqual({name: params[name] for name in expected}, expected)
            self.assertEqual(params["epoch"], client.welcome.get("epoch", params["epoch"]))
            self.assertEqual(server.get(f"/v1/sessions/{chosen}/events").json["events"][0]["workspace_id"],
                             params["workspace_id"])

    async def test_events_come_in_order_and_once(self):
        chosen = session()
        async with connected() as client:
            places = []
            for turn in range(20):
                places += post(steps(chosen, 25, turn * 25))
            await client.until(places[-1])
            self.assertEqual(client.places(), places)

    async def test_a_duplicate_is_not_shown_again(self):
        sent = steps(session(), 1)
        async with connected() as client:
            post(sent)
            post(sent)
            last, = post(steps(session(), 1))
            await client.until(last)
            self.assertEqual(len(client.events), 2)

    async def test_a_rejected_item_is_not_shown(self):
        async with connected() as client:
            answer = Client(server.address, key).request("POST", "/api/events", [3, *steps(session(), 1)])
            self.assertEqual(answer.status, 202)
            await client.until(answer.json["events"][1]["seq"])
            self.assertEqual(len(client.events), 1)

    async def test_what_is_shown_is_what_is_stored(self):
        """REST, WebSocket and the list of sessions agree about each event."""
        async with connected() as client:
            chosen = session()
            places = post([envelope(hook(name, chosen, prompt="p", message="m", tool_name="Bash", tool_input={"command": "c"}))
                           for name in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification",
                                        "Stop", "SessionEnd", "SomethingNew"]])
            await client.until(places[-1])
            stored = server.get(f"/v1/sessions/{chosen}/events").json["events"]
            shown = [event["params"] for event in client.events]
            for one, other in zip(stored, shown, strict=True):
                self.assertEqual({k: v for k, v in one.items() if k in other}, {k: v for k, v in other.items() if k in one})

    async def test_filters(self):
        one, other = session(), session()
        async with connected() as by_session, connected() as by_type, connected() as by_both, connected() as by_workspace:
            await by_session.call("event/subscribe", {"session_id": one})
            await by_type.call("event/subscribe", {"types": ["prompt", "stop"]})
            await by_both.call("event/subscribe", {"session_id": one, "types": ["stop"]})
            kinds = [("UserPromptSubmit", one, "/a"), ("Stop", other, "/b"), ("PostToolUse", one, "/a"), ("Stop", one, "/a"),
                     ("UserPromptSubmit", other, "/b")]
            first = post([envelope(dict(hook(name, chosen, prompt="p"), cwd=cwd)) for name, chosen, cwd in kinds])
            workspace = server.get(f"/v1/sessions/{other}").json["workspace_id"]
            self.assertNotEqual(workspace, server.get(f"/v1/sessions/{one}").json["workspace_id"])
            await by_workspace.call("event/subscribe", {"workspace_id": workspace})
            second = post([envelope(dict(hook(name, chosen, prompt="p"), cwd=cwd)) for name, chosen, cwd in kinds])
            for client in (by_session, by_type, by_both):
                await client.until({by_session: second[3], by_type: second[4], by_both: second[3]}[client])
            await by_workspace.until(second[4])
            await asyncio.gather(*(client.silent() for client in (by_session, by_type, by_both, by_workspace)))
            self.assertEqual(by_session.places(), [p for batch in (first, second) for p in (batch[0], batch[2], batch[3])])
            self.assertEqual(by_type.places(), [p for batch in (first, second) for p in (*batch[0:2], *batch[3:])])
            self.assertEqual(by_both.places(), [first[3], second[3]])
            self.assertEqual([p for p in by_workspace.places() if p >= second[0]], [second[1], second[4]])

    async def test_unsubscribe_ends_the_stream(self):
        async with connected() as client:
            await client.call("event/subscribe")
            answer = await client.call("event/unsubscribe")
            self.assertIsNotNone(answer.get("result"), answer)
            post(steps(session(), 3))
            await client.silent()
            self.assertEqual(client.events, [])

    async def test_one_session_at_v1_ws(self):
        chosen = session()
        async with connected(ready=False, path=f"/v1/ws?session_id={chosen}") as client:
            last = post(steps(session(), 1) + steps(chosen, 2))[-1]
            found = []
            while not found or found[-1].get("seq") != last:
                message = json.loads(await asyncio.wait_for(client.wire.recv(), 10))
                # What the events say of the conversation comes beside them, without a place.
                if message.get("event", "heartbeat") != "heartbeat":
                    found.append(message)
            self.assertEqual([m["seq"] for m in found], [last - 1, last])
            self.assertTrue(all(m["session_id"] == chosen and "jsonrpc" not in m for m in found))


class Resume(unittest.IsolatedAsyncioTestCase):
    async def test_since_replays_and_goes_live(self):
        places = post(steps(session(), 30))
        async with connected() as client:
            answer = await client.call("event/subscribe", {"since": {"epoch": None, "seq": places[9]}})
            self.assertEqual(answer["result"]["recovered"], True, answer)
            self.assertTrue(answer["result"]["epoch"])
            later = post(steps(session(), 5))
            await client.until(later[-1])
            self.assertEqual(client.places(), places[10:] + later)

    async def test_the_answer_comes_before_the_replay(self):
        places = post(steps(session(), 5))
        async with connected() as client:
            await client.send("event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}}, id="s")
            first = await client.receive()
            self.assertEqual(first.get("id"), "s", first)

    async def test_since_with_a_filter(self):
        one, other = session(), session()
        places = post([item for i in range(20) for item in (steps(one, 1, i) + steps(other, 1, i))])
        async with connected() as client:
            await client.call("event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}, "session_id": one})
            later = post(steps(other, 1) + steps(one, 1))
            await client.until(later[1])
            self.assertEqual(client.places(), places[::2] + [later[1]])

    async def test_the_whole_log_from_the_beginning(self):
        """The log may be longer than what the server keeps in memory. Then the events from the database and from memory must
        join without a gap."""
        post([envelope(tool(session(), f"s{i}", tool_response={"stdout": "x" * 1500})) for i in range(400)])
        head = server.get("/v1/events?order=desc&limit=1").json["meta"]["head"]
        async with connected() as client:
            await client.call("event/subscribe", {"since": {"epoch": None, "seq": 0}})
            later = post(steps(session(), 1))
            await client.until(later[0], 30)
            self.assertEqual(client.places(), list(range(1, head + 1)) + later)

    async def test_a_disconnect_loses_and_doubles_nothing(self):
        """A client that disconnects again and again during a flow of events gets each event exactly once."""
        chosen, total, seen = session(), 1500, []

        def feed():
            places = []
            for start in range(0, total, 15):
                places += post(steps(chosen, 15, start))
            return places

        head = server.get("/v1/events?order=desc&limit=1").json["meta"]["head"]
        async with connected() as client:
            epoch = (await client.call("event/subscribe"))["result"]["epoch"]
        feeding, dice, place = asyncio.get_running_loop().run_in_executor(None, feed), random.Random(5), head
        connections = 0
        while len(seen) < total:
            self.assertLess(connections, 400)
            connections += 1
            async with connected() as client:
                # Until the subscription is answered, the connection gets the server's default stream.
                client.number += 1
                await client.send("event/subscribe", {"since": {"epoch": epoch, "seq": place}, "session_id": chosen},
                                  id="resume")
                while (await client.receive()).get("id") != "resume":
                    pass
                client.events.clear()
                for _ in range(dice.randrange(1, 120)):
                    if len(seen) >= total:
                        break
                    message = await client.receive()
                    if message.get("method") == "event/tool":
                        place = message["params"]["seq"]
                        seen.append(place)
                client.wire.transport.abort()
        self.assertEqual(seen, await feeding)
        self.assertGreater(connections, 5)

    async def test_a_place_that_is_gone_is_told(self):
        head = server.get("/v1/events?order=desc&limit=1").json["meta"]["head"]
        async with connected() as client:
            epoch = (await client.call("event/subscribe"))["result"]["epoch"]
        for since in [{"epoch": "00000000-0000-0000-0000-000000000000", "seq": 1}, {"epoch": "garbage", "seq": 0},
                      {"epoch": epoch, "seq": head + 1_000_000},
                      {"epoch": None, "seq": head + 1_000_000}, {"epoch": epoch, "seq": 2**62}]:
            with self.subTest(since):
                async with connected() as client:
                    answer = await client.call("event/subscribe", {"since": since})
                    self.assertEqual(answer["result"]["recovered"], False, answer)
                    self.assertEqual(answer["result"]["epoch"], epoch)
                    place, = post(steps(session(), 1))
                    await client.until(place)
                    self.assertEqual(client.places(), [place])

    async def test_subscribing_again_moves_the_place(self):
        places = post(steps(session(), 10))
        async with connected() as client:
            for turn in range(3):
                await client.call("event/subscribe", {"since": {"epoch": None, "seq": places[0] - 1}})
                client.events.clear()
                await client.until(places[-1])
                self.assertEqual(client.places()[-10:], places)

    async def test_a_killed_server_leaves_no_hole_and_no_repeat(self):
        other = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(other.end)
        machine_key, chosen, seen = other.key("killed"), session(), []
        items = [envelope(tool(chosen, f"step {i}")) for i in range(600)]

        def feed():
            """Posts as a machine does: repeats each post until it is acknowledged."""
            for start in range(0, len(items), 10):
                deadline = time.monotonic() + 40
                while True:
                    try:
                        answer = Client(other.address, machine_key, timeout=10).request(
                            "POST", "/api/events", items[start:start + 10])
                        if answer.status == 202:
                            break
                    except (OSError, harness.http.client.HTTPException):
                        pass
                    assert time.monotonic() < deadline, "never acknowledged"
                    time.sleep(0.05)

        async def follow(count, place, epoch):
            async with connected(other) as client:
                answer = await client.call("event/subscribe", {"since": {"epoch": epoch, "seq": place}})
                self.assertTrue(answer["result"]["recovered"], answer)
                while len(seen) < count:
                    message = await client.receive(20)
                    if message.get("method") == "event/tool":
                        seen.append((message["params"]["seq"], message["params"]["event_id"]))
                return answer["result"]["epoch"]

        feeding = asyncio.get_running_loop().run_in_executor(None, feed)
        epoch = await follow(150, 0, None)
        for count in (300, len(items)):
            other.kill()
            other.start()
            self.assertEqual(await follow(count, seen[-1][0], epoch), epoch, "the epoch outlives the process")
        await feeding
        self.assertEqual([event_id for _, event_id in seen], [item["event_id"] for item in items])
        places = [place for place, _ in seen]
        self.assertEqual(places, sorted(set(places)))
        self.assertEqual([e["event_id"] for e in other.events()], [item["event_id"] for item in items])


class Crowd(unittest.IsolatedAsyncioTestCase):
    async def test_two_hundred_sockets_get_everything(self):
        async with contextlib.AsyncExitStack() as stack:
            before = server.health()[1]["subscribers"]["websockets"]
            clients = [await stack.enter_async_context(connected()) for _ in range(200)]
            self.assertGreaterEqual(server.health()[1]["subscribers"]["websockets"], 200)
            places = [place for _ in range(4) for place in post(steps(session(), 10))]
            await asyncio.gather(*(client.until(places[-1], 30) for client in clients))
            for client in clients:
                self.assertEqual(client.places(), places)
        self.assertTrue(await gone(before + 1))

    async def test_a_client_that_never_reads_harms_nobody(self):
        """20 MB of events: the other clients get them at once. The client that does not read is closed with 4008, or, after
        30 s without a byte, disconnected, or still finds every event."""
        began = time.monotonic()
        sleeper = socket.socket()
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sleeper.settimeout(10)
        host, _, port = server.address.rpartition(":")
        sleeper.connect((host, int(port)))
        self.addCleanup(sleeper.close)
        sleeper.sendall(upgrade())
        received = sleeper.recv(4096)
        self.assertTrue(received.startswith(b"HTTP/1.1 101"), received)
        hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "1.0", "clientInfo": {"name": "sleeper", "version": "1"}}}).encode()
        sleeper.sendall(bytes([0x81, 0xFE, len(hello) >> 8, len(hello) & 255, 0, 0, 0, 0]) + hello)
        await asyncio.sleep(0)
        before = memory(server.process.pid)

        def feed():
            return [place for turn in range(100) for place in post(
                [envelope({"session_id": "big", "hook_event_name": "Custom", **{f"f{n}": "x" * 900 for n in range(22)}})
                 for _ in range(10)])]

        async with connected() as reader:
            feeding = asyncio.get_running_loop().run_in_executor(None, feed)
            deadline = time.monotonic() + 60
            while not feeding.done() or reader.places()[-1:] != (await feeding)[-1:]:
                self.assertLess(time.monotonic(), deadline)
                # The last event can arrive before the answer to its post. Then no further event comes.
                with contextlib.suppress(asyncio.TimeoutError):
                    await reader.receive(1)
            places = await feeding
            self.assertEqual(reader.places(), places)
        size = len(json.dumps(reader.events))
        self.assertGreater(size, 15 << 20)
        self.assertLess(memory(server.process.pid) - before, 200 << 20)
        may_be_cut = time.monotonic() - began > 30
        code, slow = await asyncio.to_thread(drain, sleeper, places[-1], 20)
        if code is None:
            self.assertEqual([place for place in slow if place >= places[0]], places)
        else:
            self.assertIn(code, (4008, 1006) if may_be_cut else (4008,))
            self.assertEqual(slow, sorted(set(slow)))
            async with connected() as again:
                await again.call("event/subscribe", {"since": {"epoch": None, "seq": max(slow, default=places[0] - 1)}})
                await again.until(places[-1], 30)
                self.assertEqual([place for place in slow if place >= places[0]] + again.places(), places)


def drain(connection, last, seconds):
    """Reads frames until the event `last` or the end of the connection. Returns the close code or None, and the positions."""
    places, buffer, deadline = [], b"", time.monotonic() + seconds
    while time.monotonic() < deadline:
        while len(buffer) >= 4:
            length, start = buffer[1] & 127, 2
            if length == 126:
                length, start = int.from_bytes(buffer[2:4], "big"), 4
            elif length == 127:
                if len(buffer) < 10:
                    break
                length, start = int.from_bytes(buffer[2:10], "big"), 10
            if len(buffer) < start + length:
                break
            payload, kind, buffer = buffer[start:start + length], buffer[0] & 15, buffer[start + length:]
            if kind == 8:
                return int.from_bytes(payload[:2], "big"), places
            if kind == 1:
                message = json.loads(payload)
                if message.get("method", "").startswith("event/"):
                    places.append(message["params"]["seq"])
                    if places[-1] == last:
                        return None, places
        try:
            piece = connection.recv(1 << 20)
        except ConnectionResetError:
            piece = b""
        if not piece:
            return 1006, places
        buffer += piece
    raise AssertionError(f"neither the end nor a close; {len(places)} events")


async def gone(count, seconds=10):
    deadline = time.monotonic() + seconds
    while server.health()[1]["subscribers"]["websockets"] > count and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    return server.health()[1]["subscribers"]["websockets"] <= count


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))


async def listen_quietly(name):
    """A connection without events: the first heartbeat and the first pings, within 36 seconds."""
    pings, message, deadline = [], None, time.monotonic() + 36
    async with connected(ready=False) as client:
        await client.call("initialize", {"protocolVersion": "1.0", "clientInfo": {"name": name, "version": "1"}})
        await client.call("event/subscribe", {"types": ["none_such"]})
        answer_ping = client.wire.pong

        async def pong(data=b""):
            pings.append(data)
            await answer_ping(data)
        client.wire.pong = pong
        while not (message and pings) and time.monotonic() < deadline:
            with contextlib.suppress(asyncio.TimeoutError):
                message = await client.receive(1)
        await client.silent()
    return message, pings


async def say_nothing():
    """How the server closes a connection on which `initialize` is never called, and after how long."""
    started = time.monotonic()
    async with connected(ready=False) as client:
        with contextlib.suppress(websockets.ConnectionClosed):
            await client.receive(30)
        return client.wire.close_code, time.monotonic() - started


class ZQuiet(unittest.TestCase):
    def test_who_never_introduces_itself_is_closed_with_4001(self):
        code, seconds = mute.result(45)
        self.assertEqual(code, 4001)
        self.assertGreater(seconds, 9)

    def test_a_heartbeat_and_a_ping_come_within_36_seconds(self):
        """A heartbeat is a notification that also has the members of cdev's form. A ping is one of the WebSocket protocol."""
        message, pings = quiet.result(45)
        self.assertIsNotNone(message, "no heartbeat")
        self.assertEqual((message["jsonrpc"], message["method"]), ("2.0", "heartbeat"), message)
        self.assertNotIn("id", message)
        self.assertEqual({name: value for name, value in message.items() if name not in ("jsonrpc", "method", "params")},
                         message["params"])
        self.assertEqual(message["event"], "heartbeat")
        self.assertLessEqual({"server_time", "sequence", "uptime_seconds"}, set(message["payload"]))
        self.assertTrue(pings, "no ping")

    def test_to_cdev_clients_the_heartbeat_is_bare(self):
        message, _ = quiet_cdev.result(45)
        self.assertIsNotNone(message, "no heartbeat")
        self.assertEqual(set(message), {"event", "timestamp", "agent_type", "payload"})
        self.assertEqual(message["event"], "heartbeat")
