"""The socket of one session, `/v1/ws`, in both directions: what it says of the conversation, and messages to the session."""

import asyncio
import json
import unittest
import uuid

import harness
import test_devices as devices
import test_messages as messages
import test_websocket as ws
from agents import LATER, Agent, Claude, Refusal
from harness import Client, Server, envelope, hook, session, wait_for
from transcripts import Sender, Transcript, text, tool_result, tool_use


def setUpModule():
    global server, key, phone
    server = devices.server = messages.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    key = messages.key = ws.key = server.key("desk")
    phone = messages.phone = devices.pair("phone")


def tearDownModule():
    harness.end_everything()


def happens(*hooks):
    return ws.post([envelope(one) for one in hooks])


class Watching:
    """A client of the socket. `frames` are those with `data`, `events` the other objects."""

    def __init__(self, wire):
        self.wire, self.frames, self.events = wire, [], []

    async def next(self):
        message = json.loads(await asyncio.wait_for(self.wire.recv(), 20))
        if isinstance(message, dict) and "data" in message:
            assert "event" not in message, message
            self.frames.append(message)
        elif message.get("event") != "heartbeat":
            self.events.append(message)
        return message

    async def until(self, found):
        while not found():
            await self.next()

    async def frame(self, kind):
        """The next frame of this type."""
        while (message := await self.next()).get("type") != kind or "data" not in message:
            pass
        return message

    async def reach(self, seq):
        """All frames until an event at this place, and those that follow it."""
        await self.until(lambda: any(one.get("seq") == seq for one in self.events))
        # The answer to this comes after everything that was sent before.
        await self.send("not JSON")
        await self.frame("error")
        return [(one["type"], one["data"]) for one in self.frames[:-1]]

    async def send(self, content):
        await self.wire.send(content if isinstance(content, (str, bytes)) else json.dumps(content))

    async def say(self, words, **more):
        await self.send({"type": "message", "data": {"content": words, **more}})

    async def error(self, content):
        await self.send(content)
        return (await self.frame("error"))


def watching(chosen, since=None, credential=None):
    place = "" if since is None else f"&since={since}"

    class Context:
        async def __aenter__(self):
            self.inner = ws.connected(ready=False, path=f"/v1/ws?session_id={chosen}{place}", credential=credential)
            return Watching((await self.inner.__aenter__()).wire)

        async def __aexit__(self, *error):
            return await self.inner.__aexit__(*error)
    return Context()


class Conversation(unittest.IsolatedAsyncioTestCase):
    """What the events of a session say, as frames."""

    def hooks(self, chosen):
        call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "toolu_1"}
        other = {"tool_name": "Read", "tool_input": {"file_path": "/x"}, "tool_use_id": "toolu_2"}
        return [hook("UserPromptSubmit", chosen, prompt="Build it."), hook("PreToolUse", chosen, **call),
                hook("PostToolUse", chosen, tool_response={"stdout": "built"}, **call), hook("PreToolUse", chosen, **other),
                hook("PostToolUseFailure", chosen, error="no such file", **other),
                hook("Stop", chosen, last_assistant_message="It is built.")]

    async def test_hooks_without_a_transcript(self):
        chosen = session()
        async with watching(chosen) as live:
            places = happens(*self.hooks(chosen))
            told = await live.reach(places[-1])
        self.assertEqual([one["seq"] for one in live.events], places)
        tools = [(data["id"], data["state"], data.get("name")) for kind, data in told if kind == "tool"]
        self.assertEqual(tools, [("toolu_1", "running", "Bash"), ("toolu_1", "done", "Bash"), ("toolu_2", "running", "Read"),
                                 ("toolu_2", "failed", "Read")])
        answer, = [data for kind, data in told if kind == "response"]
        self.assertEqual((answer["content"], answer["tokens_used"]), ("It is built.", None))
        # A replay gives the same.
        async with watching(chosen, since=places[0] - 1) as again:
            self.assertEqual(await again.reach(places[-1]), told)

    def talk(self, chosen):
        made = Transcript(chosen)
        made.user("Build it.", promptId="t-1")
        made.assistant([text("I build."), tool_use("Bash", f"{chosen}-1", command="make")], output_tokens=11)
        made.user(tool_result(f"{chosen}-1", "built"))
        made.assistant([text("It is built.")], output_tokens=150)
        for number, line in enumerate(made.lines):
            line["timestamp"] = harness.iso(number - 20)
        return made

    def last(self, chosen):
        return server.get(f"/v1/sessions/{chosen}/events?order=desc&limit=1").json["events"][0]["seq"]

    async def test_a_transcript_gives_each_answer_with_its_tokens(self):
        chosen = session()
        made = self.talk(chosen)
        lines = made.bytes.splitlines(True)
        async with watching(chosen) as live:
            sender = Sender(server, key, chosen)
            happens(hook("UserPromptSubmit", chosen, prompt="Build it.", prompt_id="t-1"))
            sender.send(b"".join(lines[:1]))
            # The hook comes before the line of its message, which has the tokens.
            happens(hook("Stop", chosen, last_assistant_message="It is built."))
            sender.send(made.bytes)
            told = await live.reach(self.last(chosen))
        answers = [(data["content"], data["tokens_used"], data["model"]) for kind, data in told if kind == "response"]
        self.assertEqual(answers, [("I build.", 11, "claude-sonnet-5"), ("It is built.", 150, "claude-sonnet-5")])
        self.assertEqual([(data["id"], data["state"]) for kind, data in told if kind == "tool"],
                         [(f"toolu_{chosen}-1", "running"), (f"toolu_{chosen}-1", "done")])
        async with watching(chosen, since=0) as again:
            self.assertEqual(await again.reach(self.last(chosen)), told)

    async def test_a_message_that_a_hook_has_told_is_not_told_again(self):
        chosen = session()
        made = self.talk(chosen)
        async with watching(chosen) as live:
            happens(*self.hooks(chosen)[:1], hook("Stop", chosen, last_assistant_message="It is built."))
            Sender(server, key, chosen).send(made.bytes)
            told = await live.reach(self.last(chosen))
        self.assertEqual([(data["content"], data["tokens_used"]) for kind, data in told if kind == "response"],
                         [("It is built.", None), ("I build.", 11)])

    async def test_what_subagents_say_is_no_answer(self):
        chosen = session()
        async with watching(chosen) as live:
            place = happens(hook("PreToolUse", chosen, agent_id="a-1", tool_name="Bash", tool_input={}, tool_use_id="toolu_9"))[-1]
            self.assertEqual(await live.reach(place), [])


class Messages(unittest.IsolatedAsyncioTestCase):
    """Messages to a session whose terminal takes them."""

    def setUp(self):
        self.chosen, self.poster = messages.begun()

    def queued(self):
        answer = Client(server.address, server.admin).get(f"/v1/sessions/{self.chosen}/input")
        return [(one["text"], one["state"]) for one in answer.json["messages"]]

    async def test_a_message_is_queued_as_over_http(self):
        name = str(uuid.uuid4())
        async with watching(self.chosen, credential=phone["access_token"]) as live:
            await live.say("Hello", message_id=name)
            await live.until(lambda: any(one.get("event") == "message_updated" for one in live.events))
            self.assertEqual(live.frames, [])
        self.assertEqual(self.queued(), [("Hello", "queued")])
        # The same id names the same message, whichever way it comes.
        again = messages.request("POST", f"/v1/sessions/{self.chosen}/input", {"text": "Hello", "message_id": name})
        self.assertEqual((again.status, self.queued()), (202, [("Hello", "queued")]))

    async def test_messages_keep_their_order(self):
        async with watching(self.chosen) as live:
            for number in range(10):
                await live.say(f"message {number}")
            wait = asyncio.get_running_loop().run_in_executor
            await wait(None, lambda: wait_for(lambda: len(self.queued()) == 10, "all are queued"))
        self.assertEqual(sorted(self.queued()), [(f"message {number}", "queued") for number in range(10)])
        listed = [name for name, _ in self.queued()]
        self.assertIn(listed, ([f"message {n}" for n in range(10)], [f"message {n}" for n in reversed(range(10))]))

    async def test_frames_that_mean_nothing_are_answered_and_the_socket_stays(self):
        tried = [("not JSON", "invalid_json", None), ("[]", "invalid_json", None), (b"{}", "invalid_json", None),
                 ("[" * 5000, "invalid_json", None), ({}, "unknown_type", "type"), ({"type": "wave", "data": {}}, "unknown_type", "type"),
                 ({"type": "message"}, "missing_parameter", "content"),
                 ({"type": "message", "data": []}, "missing_parameter", "content"),
                 ({"type": "message", "data": {"content": ["x"]}}, "missing_parameter", "content"),
                 ({"type": "message", "data": {"content": ""}}, "missing_parameter", "content"),
                 ({"type": "message", "data": {"content": "x", "model": 7}}, "invalid_parameter", "model"),
                 ({"type": "message", "data": {"content": "x", "message_id": "no"}}, "invalid_parameter", "message_id"),
                 ({"type": "message", "data": {"content": "x" * 40_000}}, "invalid_parameter", "content")]
        async with watching(self.chosen) as live:
            for content, code, param in tried:
                with self.subTest(str(content)[:40]):
                    error = await live.error(content)
                    self.assertEqual((error["data"]["code"], error["data"]["param"], error["data"]["status"]), (code, param, 400))
            error = await live.error({"type": "wave", "id": "mine"})
            self.assertEqual(error["id"], "mine")
            await live.say("still here")
            await live.until(lambda: any(one.get("event") == "message_updated" for one in live.events))
        self.assertEqual(self.queued(), [("still here", "queued")])

    async def test_refusals_are_those_of_http(self):
        reader = Client(server.address, server.admin).request("POST", "/v1/api-keys", {
            "name": f"key-{uuid.uuid4()}", "capabilities": ["read"]}).json
        said = {"type": "message", "data": {"content": "x"}}
        async with watching(self.chosen, credential=reader["key"]) as live:
            self.assertEqual((await live.error(said))["data"]["code"], "insufficient_scope")
        unknown = session()
        over_http = messages.request("POST", f"/v1/sessions/{unknown}/input", {"text": "x"})
        async with watching(unknown, credential=phone["access_token"]) as live:
            error = (await live.error(said))["data"]
        self.assertEqual((error["status"], error["code"]), (over_http.status, over_http.json["error"]["code"]))
        # Only who may control the machine chooses a model. Without that, nothing is sent.
        async with watching(self.chosen, credential=phone["access_token"]) as live:
            error = await live.error({"type": "message", "data": {"content": "x", "model": "opus"}})
        self.assertEqual(error["data"]["code"], "insufficient_scope")
        self.assertEqual(self.queued(), [])

    async def test_a_revoked_device_sends_nothing_more(self):
        lost = devices.pair("lost")
        async with watching(self.chosen, credential=lost["access_token"]) as live:
            await live.say("before")
            await live.until(lambda: any(one.get("event") == "message_updated" for one in live.events))
            Client(server.address, server.admin).request("DELETE", f"/v1/devices/{lost['device_id']}")
            with self.assertRaises(ws.websockets.ConnectionClosed):
                while True:
                    await live.say("after")
                    await live.next()
        self.assertEqual(self.queued(), [("before", "queued")])


class Driven(unittest.IsolatedAsyncioTestCase):
    """Messages to a session that an agent runs."""

    def setUp(self):
        name = f"desk-{uuid.uuid4().hex[:8]}"
        self.key = server.key(name)
        self.agent = Agent(server, self.key).greet()
        self.addCleanup(self.agent.close)
        self.claude = Claude(self.agent, server, self.key)
        started = Client(server.address, server.admin).request("POST", "/v1/sessions", {"machine_id": name, "path": "/home/dev/app"})
        self.assertEqual(started.status, 201, started)
        self.chosen = started.json["id"]

    async def test_a_message_a_prompt_and_the_answer(self):
        async with watching(self.chosen) as live:
            await live.say("ask make")
            prompt = (await live.frame("prompt"))["data"]
            self.assertEqual((prompt["session_id"], prompt["tool_name"], prompt["state"]), (self.chosen, "Bash", "open"))
            # Who connects meanwhile gets the prompt, too.
            async with watching(self.chosen) as late:
                self.assertEqual((await late.frame("prompt"))["data"]["id"], prompt["id"])
            answered = Client(server.address, server.admin).request("POST", f"/v1/prompts/{prompt['id']}/answer",
                                                                    {"decision": "allow"})
            self.assertEqual(answered.status, 200, answered)
            self.assertEqual((await live.frame("response"))["data"]["content"], "It is done.")
            def told():
                return [(one["data"]["id"], one["data"]["state"]) for one in live.frames if one["type"] == "prompt"]
            # The prompt's end may be reported after the answer.
            await live.until(lambda: told()[-1][1] != "open")
        # A prompt that opens while the client connects may be reported twice.
        told_once = [(prompt["id"], "open"), (prompt["id"], "answered")]
        self.assertIn(told(), [told_once, told_once[:1] + told_once])
        self.assertEqual([one["data"]["state"] for one in live.frames if one["type"] == "tool"], ["running", "done"])
        self.assertEqual(self.claude.faults, [])

    async def test_text_that_is_being_written(self):
        async with watching(self.chosen) as live:
            self.agent.tell("session/partial", {"session_id": self.chosen, "message_id": "msg_1", "text": "Hel"})
            self.agent.tell("session/partial", {"session_id": self.chosen, "message_id": "msg_1", "text": "lo"})
            self.agent.tell("session/partial", {"session_id": self.chosen, "message_id": "msg_1", "text": "", "closed": True})
            told = [(await live.frame("response_delta"))["data"] for _ in range(3)]
        self.assertEqual(told, [{"message_id": "msg_1", "index": 0, "content": "Hel"},
                                {"message_id": "msg_1", "index": 1, "content": "lo"},
                                {"message_id": "msg_1", "index": 2, "content": "", "done": True}])
        # The notices are as they were.
        self.assertEqual([(one["event"], one["text"]) for one in live.events if "text" in one],
                         [("message_partial", text) for text in ("Hel", "lo", "")])

    async def test_a_model_is_set_before_the_message(self):
        done = []
        self.agent.answers["session/set"] = lambda params: done.append(params["model"]) or {"mode": "default", "model": params["model"]}
        async with watching(self.chosen) as live:
            await live.say("One", model="opus")
            await live.frame("response")
            await live.say("Two")
            await live.frame("response")
        self.assertEqual((done, [one["data"]["content"] for one in live.frames if one["type"] == "response"]),
                         (["opus"], ["You said: One", "You said: Two"]))

    async def test_a_model_that_cannot_be_set_keeps_the_message_back(self):
        def refuse(params):
            raise Refusal("failed", "There is no such model.")
        self.agent.answers["session/set"] = refuse
        async with watching(self.chosen) as live:
            error = await live.error({"type": "message", "id": "7", "data": {"content": "One", "model": "opus"}})
            self.assertEqual(error["id"], "7")
            await live.say("Two")
            await live.frame("response")
        self.assertEqual([params["content"] for name, params in self.agent.commands if name == "session/send"], ["Two"])

    async def test_messages_beyond_the_bound_are_refused_and_not_sent(self):
        self.agent.answers["session/set"] = lambda params: LATER
        async with watching(self.chosen) as live:
            await live.say("message 0", model="opus")
            for number in range(1, 20):
                await live.send({"type": "message", "id": str(number), "data": {"content": f"message {number}"}})
            errors = [await live.frame("error") for _ in range(3)]
            self.assertEqual([(one["id"], one["data"]["code"], one["data"]["status"]) for one in errors],
                             [(str(number), "too_many_messages", 429) for number in (17, 18, 19)])
            self.agent.answer({"mode": "default", "model": "opus"})
            await live.until(lambda: len([one for one in live.frames if one["type"] == "response"]) == 17)
        self.assertEqual([params["content"] for name, params in self.agent.commands if name == "session/send"],
                         [f"message {number}" for number in range(17)])


class Rates(unittest.IsolatedAsyncioTestCase):
    async def test_each_frame_counts_as_a_request(self):
        made = Client(server.address, server.admin).request("POST", "/v1/api-keys", {
            "name": f"key-{uuid.uuid4()}", "capabilities": ["read"], "requests_per_minute": 3}).json
        async with watching(session(), credential=made["key"]) as live:
            codes = [(await live.error({"type": "message", "data": {"content": "x"}}))["data"]["code"] for _ in range(4)]
        self.assertEqual(codes[0], "insufficient_scope")
        self.assertEqual(codes[-1], "rate_limit_exceeded")


if __name__ == "__main__":
    unittest.main()
