"""Sessions in terminals: what subscribers get, who may type, and what belongs to the hooks."""

import asyncio
import json
import unittest
import uuid

import test_agents as agents
import test_devices as devices
from agents import MAY, Agent, Refusal
from harness import Client, Server, wait_for
from test_agents import on_phone, request
from test_websocket import connected


def setUpModule():
    global server
    server = agents.server = devices.server = Server(MONITOR_RATE_LIMIT="off").start()
    agents.phone = devices.pair("phone")
    code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
    global reader
    reader = Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json["access_token"]


def tearDownModule():
    server.end()


class TerminalCase(unittest.TestCase):
    def setUp(self):
        self.name = f"console-{uuid.uuid4().hex[:8]}"
        self.key = server.key(self.name)
        self.agent = self.connect()
        answer = self.begin()
        self.assertEqual(answer.status, 201, answer)
        self.started = answer.json
        self.session = answer.json["id"]

    def connect(self, **options):
        agent = Agent(server, self.key, **options)
        agent.greeting["may"] = dict(MAY, pty=True)
        self.addCleanup(agent.close)
        return agent.greet()

    def begin(self, **more):
        return request("POST", "/v1/sessions", {"machine_id": self.name, "path": "/home/dev/app",
                                                "permission_mode": "interactive", **more})

    def show(self, data, restarts=False, agent=None):
        (agent or self.agent).tell("pty/output", {"session_id": self.session, "data": data, "restarts": restarts})

    def watching(self, watch, types=("pty_output",), session=None, credential=None):
        """Runs a coroutine with a subscription. `piece()` is the next notice of a terminal."""
        async def run():
            async with connected(server, credential=credential) as client:
                await client.call("event/subscribe", {"session_id": session or self.session, "types": list(types)})

                async def piece():
                    while True:
                        message = await client.receive(20)
                        if message.get("method") == "event/pty_output":
                            return message["params"]
                await watch(piece, client)
        asyncio.run(run())

    def keys(self, data, send=None, session=None):
        return (send or request)("POST", f"/v1/sessions/{session or self.session}/terminal/keys", {"data": data})

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)


class Starting(TerminalCase):
    def test_the_agent_is_asked_for_a_terminal(self):
        asked = self.agent.wait_for("session/start")[0]
        self.assertEqual(asked["terminal"], {"columns": 120, "rows": 40})
        self.assertNotIn("mode", asked)
        self.assertEqual(self.started["runner"], "terminal")
        self.assertIs(request("GET", f"/v1/machines/{self.name}").json["agent"]["may"]["pty"], True)

    def test_its_messages_belong_to_the_hooks(self):
        answer = request("POST", f"/v1/sessions/{self.session}/input", {"text": "Hello"})
        # Only a hook knows whether the session takes messages.
        self.assertIn(answer.status, (202, 409), answer)
        # The agent has answered something later, and was asked for no message.
        self.assertEqual(self.keys("x").status, 200)
        self.assertEqual([name for name, _ in self.agent.commands if name == "session/send"], [])

    def test_no_system_prompt(self):
        self.refused(self.begin(system_prompt="Be brief."), 400, "invalid_parameter")

    def test_it_is_ended_by_a_device(self):
        self.assertEqual(request("DELETE", f"/v1/sessions/{self.session}").json["status"], "ended")
        self.agent.wait_for("session/stop")


class Output(TerminalCase):
    def test_pieces_reach_those_that_name_session_and_type(self):
        async def watch(piece, _):
            self.show("one \x1b[1m")
            self.assertEqual(await piece(), {"event": "pty_output", "session_id": self.session, "data": "one \x1b[1m"})
            self.show("two")
            self.assertEqual(await piece(), {"event": "pty_output", "session_id": self.session, "data": "two"})
            self.show("three", restarts=True)
            self.assertEqual(await piece(), {"event": "pty_output", "session_id": self.session, "data": "three", "restarts": True})
        self.watching(watch)

    def test_a_late_subscriber_gets_what_is_there(self):
        async def first(piece, _):
            self.show("a" * 300_000)
            self.show("end")
            # In pieces, or all at once if the socket was full.
            while not (await piece())["data"].endswith("end"):
                pass
        self.watching(first)

        async def late(piece, _):
            whole = await piece()
            self.assertIs(whole["restarts"], True)
            self.assertEqual(whole["data"], "a" * ((256 << 10) - 3) + "end")
        self.watching(late)

    def test_no_notice_is_larger_than_clients_accept(self):
        # Clients close the connection at 1 MiB. As JSON, each of these characters takes six bytes.
        shown = "\x1b" * 150_000
        async def watch(piece, _):
            self.show("a" * 100)
            await piece()
            self.show(shown)
            whole = await piece()
            self.assertIs(whole["restarts"], True)
            self.assertEqual(whole["data"].strip("\x1b"), "")
            self.assertGreater(len(whole["data"]), 50_000)
            self.assertLessEqual(len(json.dumps(whole)), 512 << 10)
            # What follows belongs to what was sent.
            self.show("end")
            self.assertEqual((await piece())["data"], "end")
        self.watching(watch)

        async def late(piece, _):
            whole = await piece()
            self.assertTrue(whole["data"].endswith("\x1bend"))
            self.assertLessEqual(len(json.dumps(whole)), 512 << 10)
        self.watching(late)

    def test_others_get_nothing(self):
        async def watch(piece, client):
            self.show("secret")
            async def own(piece, _):
                while "secret" not in (await piece())["data"]:
                    pass
            await asyncio.to_thread(self.watching, own)
            await client.silent()
            self.assertEqual([one for one in client.events if one["method"] == "event/pty_output"], [])
        # A subscription that names the session but not the type.
        self.watching(watch, types=("stop",))
        # A subscription that names both, by a device that may only read events.
        self.watching(watch, credential=reader)

    def test_a_phone_that_may_respond_sees_it(self):
        self.show("here")
        async def watch(piece, _):
            self.assertEqual((await piece())["data"], "here")
        self.watching(watch, credential=agents.phone["access_token"])

    def test_nothing_of_it_is_kept_after_its_end(self):
        self.show("here")
        self.agent.state(self.session, "ended", reason="exit")
        wait_for(lambda: request("GET", f"/v1/sessions/{self.session}").json["status"] == "ended", "the end")
        async def watch(_, client):
            await client.silent()
            self.assertEqual([one for one in client.events if one["method"] == "event/pty_output"], [])
        self.watching(watch)

    def test_an_agent_of_another_machine_shows_nothing_here(self):
        self.show("mine")
        first, session = self.agent, self.session
        self.name += "-2"
        self.key = server.key(self.name)
        other = self.connect()
        other.state(session, "idle", terminal=True)
        self.show("forged", agent=other)
        # The other agent's own session of that name is in the log by now.
        wait_for(lambda: self.keys("x").status == 200, "the first agent still answers")
        async def watch(piece, _):
            self.show(" still mine", agent=first)
            seen = ""
            while "still" not in seen:
                seen += (await piece())["data"]
            self.assertEqual(seen, "mine still mine")
        self.watching(watch)


class Typing(TerminalCase):
    def test_keys_and_sizes_reach_the_agent(self):
        self.assertEqual(self.keys("ls\r").json, {"session_id": self.session, "success": True})
        sent = self.agent.wait_for("pty/input")[0]
        self.assertEqual((sent["session_id"], sent["data"], sent["by"]["kind"]), (self.session, "ls\r", "operator"))
        answer = request("PUT", f"/v1/sessions/{self.session}/terminal/size", {"columns": 80, "rows": 24})
        self.assertEqual(answer.status, 200, answer)
        sent = self.agent.wait_for("pty/resize")[0]
        self.assertEqual((sent["columns"], sent["rows"]), (80, 24))

    def test_a_device_needs_control(self):
        self.refused(self.keys("x", on_phone), 403, "insufficient_scope")
        server.control("device", "grant", str(agents.phone["device_id"]), "control", "--machine", self.name)
        self.assertEqual(self.keys("x", on_phone).status, 200)

    def test_wrong_requests(self):
        for body in ({}, {"data": ""}, {"data": "x" * 20_000}, {"data": 7}):
            self.refused(request("POST", f"/v1/sessions/{self.session}/terminal/keys", body), 400, "invalid_parameter")
        for body in ({}, {"columns": 80}, {"columns": 1, "rows": 5}, {"columns": 5000, "rows": 20}):
            self.refused(request("PUT", f"/v1/sessions/{self.session}/terminal/size", body), 400, "invalid_parameter")
        self.refused(self.keys("x", session=str(uuid.uuid4())), 404, "session_not_found")

    def test_the_machine_has_the_last_word(self):
        def refuse(params):
            raise Refusal("not_allowed_by_machine", "The machine's file agent says pty=off there.")
        self.agent.answers["pty/input"] = refuse
        self.refused(self.keys("x"), 403, "not_allowed_by_machine")
        self.agent.close()
        self.refused(self.keys("x"), 503, "agent_unavailable")


if __name__ == "__main__":
    unittest.main()
