"""cdev's clients drive sessions of a machine's agent over JSON-RPC: the sample of cdev's guide starts a session, sends, answers a
permission, reads the answer and stops."""

import asyncio
import contextlib
import json
import unittest
import uuid

import harness
import test_devices as devices
import test_rpc as rpc
import test_shapes
import test_walks as walks
import test_websocket as ws
from agents import Agent, Claude, MAY, Refusal
from harness import Client, session, wait_for

NOT_RUNNING = "session not running: {} (use session/start with resume_session_id to resume historical sessions)"


def setUpModule():
    walks.setUpModule()
    global server, phone
    server = walks.server
    phone = devices.pair("driver")


def tearDownModule():
    walks.tearDownModule()


def request(method, path, body=None, token=None):
    client = Client(server.address, token or server.admin, timeout=60)
    try:
        return client.request(method, path, body)
    finally:
        client.close()


class WithMachine(test_shapes.ShapeCase):
    """Each test has a machine of its own, with one project, and a device that may drive the machine."""

    def setUp(self):
        self.name = f"desk-{uuid.uuid4().hex[:8]}"
        self.key = server.key(self.name)
        self.home = f"/home/dev/{self.name}"
        server.control("device", "grant", str(phone["device_id"]), "control", "--machine", self.name)
        # The project exists since a session in a terminal, which has ended.
        self.old = session()
        self.happens(self.old, ("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "long ago"}),
                     ("SessionEnd", {"reason": "other"}))
        self.workspace = walks.workspace_of(self.old)

    def happens(self, chosen, *events):
        ws.post([harness.envelope(dict(harness.hook(name, chosen, **fields), cwd=self.home))
                 for name, fields in events], machine_key=self.key)

    def connected(self, claude=True, may=MAY, **options):
        agent = Agent(server, self.key, **options)
        self.addCleanup(agent.close)
        agent.greeting["may"] = may
        agent.claude = Claude(agent, server, self.key) if claude else None
        return agent.greet()

    def visit(self, name="cdev-ios", credential=None):
        return Visit(name, credential or phone["access_token"])


class Visit:
    """A client of text messages that has called `initialize`."""

    def __init__(self, name, credential):
        self.name, self.connection = name, ws.connected(server, ready=False, credential=credential)

    async def __aenter__(self):
        client = await self.connection.__aenter__()
        client.welcome = await rpc.result(client, "initialize", {"protocolVersion": "1.0",
                                                                 "clientInfo": {"name": self.name, "version": "1"}})
        return client

    async def __aexit__(self, *fault):
        return await self.connection.__aexit__(*fault)


async def notice(client, name, seconds=10):
    """The parameters of the next notification of this name, which may have come already."""
    while True:
        for event in client.events:
            if event["method"] == f"event/{name}":
                client.events.remove(event)
                return event["params"]
        await client.receive(seconds)


def texts(event):
    return [block.get("text") for block in event["payload"]["content"]]


class TheGuide(WithMachine):
    def fits(self, kind, name, value):
        super().fits(kind, name, value)
        return value

    async def ask(self, client, method, params):
        return self.fits("driven", method, await client.rpc(method, params))

    async def test_the_sample_client(self):
        agent = self.connected()
        async with test_shapes.sample(phone["access_token"]) as client:
            listed = await self.ask(client, "workspace/list", {})
            home = next(entry for entry in listed["workspaces"] if entry["path"] == self.home)
            self.assertFalse(home["has_active_session"])

            started = await self.ask(client, "session/start", {"workspace_id": home["id"]})
            chosen = started["id"]
            place = {"workspace_id": home["id"], "session_id": chosen}
            self.assertEqual((started["workspace_id"], started["session_id"], started["status"], started["source"]),
                             (home["id"], chosen, "started", "managed"))
            home = next(entry for entry in (await self.ask(client, "workspace/list", {}))["workspaces"]
                        if entry["path"] == self.home)
            self.assertEqual((home["active_session_id"], home["active_session_count"]), (chosen, 1))

            sent = await self.ask(client, "session/send", {"session_id": chosen, "prompt": "ask npm install", "mode": "new"})
            self.assertEqual((sent["status"], sent["session_id"]), ("sent", chosen))
            said = await client.until(lambda event: event["event"] == "claude_message" and texts(event) == ["ask npm install"])
            self.assertEqual((said["session_id"], said["payload"]["role"]), (chosen, "user"))
            self.fits("events", "claude_message", said)

            asked = self.fits("events", "claude_permission",
                              await client.until(lambda event: event["event"] == "claude_permission"))
            self.assertEqual((asked["payload"]["tool_name"], json.loads(asked["payload"]["input"])),
                             ("Bash", {"command": "npm install"}))
            state = await self.ask(client, "session/state", {"session_id": chosen})
            self.assertEqual((state["status"], state["claude_state"], state["is_running"], state["waiting_for_input"],
                              state["pending_tool_use_id"], state["pending_tool_name"]),
                             ("running", "waiting", True, True, asked["payload"]["tool_use_id"], "Bash"))
            await asyncio.to_thread(wait_for, lambda: [
                one for one in request("GET", f"/v1/prompts?session_id={chosen}").json["prompts"] if one["answerable"]],
                "the permission can be answered")
            answered = await self.ask(client, "session/respond",
                                      {"session_id": chosen, "type": "permission", "response": "yes"})
            self.assertEqual(answered["status"], "responded")
            done = await client.until(lambda event: event["event"] == "claude_message" and texts(event) == ["It is done."])
            self.assertEqual((done["session_id"], done["payload"]["role"]), (chosen, "assistant"))
            self.assertEqual([decision["behavior"] for decision in agent.claude.decisions.values()], ["allow"])

            await self.ask(client, "session/send", {"session_id": chosen, "prompt": "and now", "mode": "continue"})
            await client.until(lambda event: event["event"] == "claude_message" and texts(event) == ["You said: and now"])
            page = await self.ask(client, "workspace/session/messages", {**place, "limit": 50, "offset": 0, "order": "asc"})
            self.assertEqual([message["type"] for message in page["messages"]],
                             ["user", "assistant", "user", "assistant", "user", "assistant"])
            active = await self.ask(client, "session/active", {"workspace_id": home["id"]})
            self.assertEqual([(entry["id"], entry["status"]) for entry in active["sessions"]], [(chosen, "running")])

            stopped = await self.ask(client, "session/stop", {"session_id": chosen})
            self.assertEqual((stopped["success"], stopped["status"]), (True, "stopped"))
            await asyncio.to_thread(wait_for, lambda: request("GET", f"/v1/sessions/{chosen}").json["status"] == "ended", "its end")
            refused = await client.answer("session/send", {"session_id": chosen, "prompt": "hello", "mode": "continue"})
            self.assertEqual((refused["error"]["code"], refused["error"]["message"]), (-32602, NOT_RUNNING.format(chosen)))

            resumed = await self.ask(client, "session/start", {"workspace_id": home["id"], "resume_session_id": chosen})
            self.assertEqual((resumed["id"], resumed["status"]), (chosen, "started"))
            self.assertEqual(agent.wait_for("session/start", 2)[1]["resume"], chosen)
            await self.ask(client, "session/send", {"session_id": chosen, "prompt": "again", "mode": "continue"})
            await client.until(lambda event: event["event"] == "claude_message" and texts(event) == ["You said: again"])
        self.assertEqual(agent.claude.faults, [])


class Starting(WithMachine):
    async def test_the_client_is_told_which_id_its_session_has(self):
        agent = self.connected()
        own = str(uuid.uuid4())
        for params, temporary in [({}, None), ({"session_id": own}, own), ({"session_id": "temp-1"}, "temp-1")]:
            for name in ("cdev-ios", "other"):
                with self.subTest(params, name=name):
                    async with self.visit(name) as client:
                        started = await rpc.result(client, "session/start", {"workspace_id": self.workspace, **params})
                        chosen = started["id"]
                        if params.get("session_id") == own:
                            self.assertEqual(chosen, own)
                            if name == "other":
                                self.assertEqual((started["status"], len(agent.wait_for("session/start"))), ("existing", 3))
                                continue
                        self.assertEqual(started["status"], "started" if name == "cdev-ios" else "running")
                        told = await notice(client, "session_id_resolved")
                        self.assertEqual((told["workspace_id"], told["session_id"], told["agent_type"]),
                                         (self.workspace, chosen, "claude"))
                        self.assertEqual(told["payload"], {"temporary_id": temporary or chosen, "real_id": chosen,
                                                           "workspace_id": self.workspace, "session_file": f"{chosen}.jsonl"})

    async def test_what_the_machine_refuses(self):
        for reason in ("outside_roots", "untrusted_directory", "too_many_sessions", "already_running", "start_failed",
                       "mode_not_allowed", "not_allowed_by_machine"):
            with self.subTest(reason):
                def refuse(params, reason=reason):
                    raise Refusal(reason, "The file does not allow it.")
                agent = self.connected(claude=False, **{"session/start": refuse})
                async with self.visit() as client:
                    for method, more in [("session/start", {}), ("session/send", {"prompt": "p", "mode": "new"}),
                                         ("agent/run", {"prompt": "p"})]:
                        error = await rpc.failure(client, method, {"workspace_id": self.workspace, "session_id": "temp", **more})
                        self.assertEqual((error["code"], error["data"]), (-32005, {"reason": reason, "operation": method}))
                        self.assertIn("The file does not allow it.", error["message"])
                        told = await notice(client, "session_id_failed")
                        self.assertEqual((told["workspace_id"], told["payload"]["temporary_id"], told["payload"]["reason"],
                                          told["payload"]["message"]), (self.workspace, "temp", reason, error["message"]))
                agent.close()
                self.setUp()

    async def test_what_cannot_be_started(self):
        agent = self.connected()
        async with self.visit() as client:
            error = await rpc.failure(client, "session/start", {"workspace_id": "ws-none"})
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "workspace_id"))
            error = await rpc.failure(client, "session/start",
                                      {"workspace_id": self.workspace, "resume_session_id": str(uuid.uuid4())})
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "resume_session_id"))
        self.assertEqual([name for name, _ in agent.commands if name == "session/start"], [])

    async def test_a_session_is_chosen_for_its_workspace(self):
        self.connected()
        async with self.visit() as one, self.visit() as other:
            first = (await rpc.result(one, "session/start", {"workspace_id": self.workspace}))["id"]
            second = (await rpc.result(other, "session/start", {"workspace_id": self.workspace}))["id"]
            for client, chosen in ((one, first), (other, second)):
                shown = await rpc.result(client, "workspace/get", {"id": self.workspace})
                self.assertEqual((shown["active_session_id"], shown["active_session_count"]), (chosen, 2))
            # To open a session chooses it, too.
            opened = await rpc.result(one, "session/start", {"workspace_id": self.workspace, "session_id": second})
            self.assertEqual((opened["status"], opened["source"]), ("existing", "live"))
            self.assertEqual((await rpc.result(one, "workspace/get", {"id": self.workspace}))["active_session_id"], second)


class Running(WithMachine):
    """In cdev's dialect, `running` means that the session takes messages."""

    def terminal(self, socket=None, quiet=600):
        """A session in a terminal that has done nothing for ten minutes."""
        chosen = session()
        ws.post([harness.envelope(dict(harness.hook("SessionStart", chosen, source="startup"), cwd=self.home),
                                  harness.iso(-quiet))], machine_key=self.key)
        def is_known():
            """The machine polls once, and then stops waiting."""
            client = Client(server.address, self.key, timeout=0.5)
            with contextlib.suppress(OSError):
                client.get(f"/api/messages?pid=17&session_id={chosen}&socket={socket}")
            client.close()
            return server.get(f"/v1/sessions/{chosen}").json.get("accepts_messages") is (socket == "yes")
        if socket:
            harness.wait_for(is_known, "the server knows whether the session takes messages")
        return chosen

    async def shown(self, name, chosen):
        async with self.visit(name) as client:
            state = await rpc.result(client, "session/state", {"session_id": chosen})
            active = await rpc.result(client, "session/active", {"workspace_id": self.workspace})
            return state["status"], state["is_running"], chosen in [entry["id"] for entry in active["sessions"]]

    async def test_a_session_of_an_agent_runs_at_once(self):
        self.connected()
        async with self.visit() as client:
            chosen = (await rpc.result(client, "session/start", {"workspace_id": self.workspace}))["id"]
        self.assertEqual(await self.shown("cdev-ios", chosen), ("running", True, True))
        self.assertIs(request("GET", f"/v1/sessions/{chosen}").json["accepts_messages"], True)

    async def test_a_quiet_session_runs_as_long_as_it_takes_messages(self):
        chosen = self.terminal(socket="yes")
        self.assertEqual(await self.shown("cdev-ios", chosen), ("running", True, True))
        self.assertEqual(await self.shown("other", chosen), ("historical", False, False))
        async with self.visit() as client:
            listed = (await rpc.result(client, "workspace/list", {}))["workspaces"]
            home = next(entry for entry in listed if entry["id"] == self.workspace)
            self.assertEqual((home["active_session_id"], home["active_session_count"]), (chosen, 1))
            opened = await rpc.result(client, "session/start", {"workspace_id": self.workspace, "session_id": chosen})
            self.assertEqual((opened["status"], opened["source"]), ("existing", "live"))
            self.assertEqual((await rpc.result(client, "session/send", {"session_id": chosen, "prompt": "p"}))["status"], "sent")

    async def test_a_session_that_takes_no_messages_does_not_run_unless_it_asks(self):
        chosen = self.terminal(socket="no", quiet=0)
        self.assertEqual(await self.shown("cdev-ios", chosen), ("historical", False, False))
        self.assertEqual(await self.shown("other", chosen), ("running", True, True))
        self.happens(chosen, rpc.ASK)
        self.assertEqual(await self.shown("cdev-ios", chosen), ("running", True, True))

    async def test_an_ended_session_is_history(self):
        self.assertEqual(await self.shown("cdev-ios", self.old), ("historical", False, False))
        async with self.visit() as client:
            for method, more in [("session/send", {"prompt": "p"}), ("session/send", {"prompt": "p", "mode": "continue"}),
                                 ("session/input", {"input": "p"})]:
                error = await rpc.failure(client, method, {"session_id": self.old, **more})
                self.assertEqual((error["code"], error["message"]), (-32602, NOT_RUNNING.format(self.old)), method)


class Capabilities(WithMachine):
    async def flags(self, credential=None):
        async with self.visit(credential=credential) as client:
            return client.welcome["capabilities"]

    async def test_they_say_what_any_machine_can(self):
        reader = devices.pair("reader")["access_token"]
        self.assertFalse((await self.flags())["agent"]["run"])
        closed = self.connected(may={**MAY, "control": False})
        self.assertFalse((await self.flags())["agent"]["run"])
        closed.close()
        wait_for(lambda: request("GET", f"/v1/machines/{self.name}").json["agent"]["state"] == "offline", "it is away")
        self.connected(identity=closed.identity)
        agent = (await self.flags())["agent"]
        self.assertEqual((agent["run"], agent["stop"], agent["respond"]), (True, True, True))
        agent = (await self.flags(reader))["agent"]
        self.assertEqual((agent["run"], agent["stop"], agent["respond"]), (False, False, True))


class Places(WithMachine):
    """Workspaces, and directories that could become some."""

    def looked(self, *found):
        """What the agent answers to a search: each directory as (path, whether it is a repository, conversations)."""
        return {"workspace/discover": lambda params: {"complete": True, "directories": [
            {"path": path, "is_git_repo": is_repository, "conversations": conversations, "modified_at": "2026-01-05T10:00:00Z"}
            for path, is_repository, conversations in found]}}

    async def test_who_drives_the_machine_may_add_and_remove(self):
        other = devices.pair("elsewhere")
        server.key("elsewhere-" + self.name)
        server.control("device", "grant", str(other["device_id"]), "control", "--machine", "elsewhere-" + self.name)
        added = {"path": self.home + "/added", "machine_name": self.name, "name": "mine", "auto_start": False}
        async with self.visit(credential=other["access_token"]) as client:
            for method, params in [("workspace/add", added), ("workspace/update", {"id": self.workspace, "name": "theirs"}),
                                   ("workspace/remove", {"id": self.workspace})]:
                error = await rpc.failure(client, method, params)
                self.assertEqual((error["code"], error["data"]), (-32005, {"reason": "insufficient_scope", "operation": method}))
        async with self.visit() as client:
            made = await rpc.result(client, "workspace/add", added)
            self.assertEqual((made["name"], made["path"], made["auto_start"]), ("mine", self.home + "/added", False))
            renamed = await rpc.result(client, "workspace/update", {"id": made["id"], "name": "ours"})
            self.assertEqual(renamed["name"], "ours")
            self.assertTrue((await rpc.result(client, "workspace/remove", {"id": made["id"]}))["success"])

    async def test_the_agent_checks_the_path(self):
        agent = self.connected(**self.looked((self.home + "/real", True, 0)))
        added = {"path": self.home + "/link", "machine_name": self.name}
        async with self.visit() as client:
            made = await rpc.result(client, "workspace/add", added)
            self.assertEqual((made["path"], made["name"]), (self.home + "/real", "real"))
            asked, = agent.wait_for("workspace/discover")
            self.assertEqual((asked["paths"], asked["depth"], asked["by"]["kind"]), ([self.home + "/link"], 0, "device"))

            def refuse(params):
                raise Refusal("outside_roots", "/x is no directory below a root of this machine.")
            agent.answers["workspace/discover"] = refuse
            error = await rpc.failure(client, "workspace/add", {**added, "path": "/x"})
            self.assertEqual((error["code"], error["data"]), (-32005, {"reason": "outside_roots", "operation": "workspace/add"}))
            # An agent that cannot say anything about the path is no obstacle.
            agent.answers["workspace/discover"] = lambda params: {}
            self.assertEqual((await rpc.result(client, "workspace/add", {**added, "path": "/y"}))["path"], "/y")

    async def test_directories_that_could_become_workspaces(self):
        agent = self.connected(**self.looked((self.home, True, 3), (self.home + "/new", False, 1)))
        async with self.visit() as client:
            found = await rpc.result(client, "workspace/discover", {"machine_name": self.name, "paths": ["/home"]})
            self.assertEqual((found["count"], found["complete"], found["cached"], found["cache_age_seconds"],
                              found["refresh_in_progress"]), (2, True, False, 0, False))
            self.assertGreaterEqual(found["elapsed_ms"], 0)
            place = {"machine_name": self.name, "last_modified": "2026-01-05T10:00:00.000Z"}
            self.assertEqual(found["repositories"], [
                {**place, "name": self.name, "path": self.home, "is_git_repo": True, "conversations": 3, "is_configured": True,
                 "workspace_id": self.workspace},
                {**place, "name": "new", "path": self.home + "/new", "is_git_repo": False, "conversations": 1,
                 "is_configured": False}])
            self.assertEqual(agent.wait_for("workspace/discover")[0]["paths"], ["/home"])
            # Without a name all machines that the client may drive are asked.
            found = await rpc.result(client, "workspace/discover", {})
            self.assertIn(self.home, [entry["path"] for entry in found["repositories"]])
            self.assertNotIn("paths", agent.wait_for("workspace/discover", 2)[1])
            for params in ({"paths": ["relative"]}, {"paths": "x"}, {"machine_name": "nowhere"}):
                self.assertEqual((await rpc.failure(client, "workspace/discover", params))["code"], -32602)
        async with self.visit(credential=devices.pair("reader")["access_token"]) as client:
            self.assertEqual((await rpc.failure(client, "workspace/discover", {}))["code"], -32005)
        agent.close()
        wait_for(lambda: request("GET", f"/v1/machines/{self.name}").json["agent"]["state"] == "offline", "it is away")
        async with self.visit() as client:
            error = await rpc.failure(client, "workspace/discover", {"machine_name": self.name})
            self.assertEqual((error["code"], error["data"]["operation"]), (-32004, "workspace/discover"))


class Opening(WithMachine):
    """`auto_start`: the machine's agent opens one idle session when it starts, unless one runs."""

    async def wanted(self):
        async with self.visit() as client:
            changed = await rpc.result(client, "workspace/update", {"workspace_id": self.workspace, "auto_start": True})
            self.assertTrue(changed["auto_start"])
            shown = await rpc.result(client, "workspace/status", {"workspace_id": self.workspace})
            self.assertTrue(shown["auto_start"])

    def starts(self, instance, sessions=(), after=None):
        """An agent connects, in place of the one before, and reports its sessions."""
        if after:
            after.close()
        back = Agent(server, self.key, identity=after and after.identity, sessions=sessions)
        self.addCleanup(back.close)
        back.greeting["instance"] = instance
        back.claude = Claude(back, server, self.key)
        return back.greet()

    def started(self, agent):
        return [params for name, params in agent.commands if name == "session/start"]

    async def test_a_session_is_opened(self):
        await self.wanted()
        agent = self.starts("one")
        opened, = agent.wait_for("session/start")
        self.assertEqual((opened["directory"], opened["by"]), (self.home, {"kind": "rule", "name": "auto_start"}))
        chosen = opened["session_id"]
        shown = wait_for(lambda: request("GET", f"/v1/sessions/{chosen}").status == 200
                         and request("GET", f"/v1/sessions/{chosen}").json, "the session is known")
        self.assertEqual((shown["runner"], shown["state"], shown["project_path"]), ("agent", "idle", self.home))

    async def test_none_is_opened_beside_one_that_runs_or_for_a_process_that_is_known(self):
        await self.wanted()
        other = self.home + "-other"
        async with self.visit() as client:
            added = await rpc.result(client, "workspace/add", {"machine_name": self.name, "path": other, "auto_start": True})
            self.assertTrue(added["auto_start"])
        line = {"session_id": str(uuid.uuid4()), "state": "idle", "cwd": self.home}
        beside = self.starts("one", [line])
        # When this one is opened, the server has seen what runs.
        begun, = beside.wait_for("session/start")
        self.assertEqual(begun["directory"], other)
        wait_for(lambda: request("GET", f"/v1/sessions/{begun['session_id']}").status == 200, "the session is known")
        # The server has learned of the one that runs from the agent alone.
        beside.state(line["session_id"], "ended")
        wait_for(lambda: request("GET", f"/v1/sessions/{line['session_id']}").json.get("status") == "ended", "its end is known")
        rest = [{"session_id": begun["session_id"], "state": "idle", "cwd": other}]
        known = self.starts("one", rest, after=beside)
        fresh = self.starts("two", rest, after=known)
        opened, = fresh.wait_for("session/start")
        self.assertEqual(opened["directory"], self.home)
        wait_for(lambda: request("GET", f"/v1/sessions/{opened['session_id']}").status == 200, "the session is known")
        self.assertEqual((len(self.started(beside)), self.started(known)), (1, []))
        last = self.starts("three", after=fresh)
        async with self.visit() as client:
            # The server has begun with what it opens before it handles the next start.
            await rpc.result(client, "session/start", {"workspace_id": self.workspace, "session_id": str(uuid.uuid4())})
        self.assertEqual([params["by"]["kind"] for params in self.started(last)], ["device"])

    async def test_to_have_sessions_opened_is_to_drive(self):
        keeper = devices.pair("keeper")
        server.control("device", "grant", str(keeper["device_id"]), "administer")
        async with self.visit(credential=keeper["access_token"]) as client:
            error = await rpc.failure(client, "workspace/update", {"id": self.workspace, "auto_start": True})
            self.assertEqual((error["code"], error["data"]["reason"]), (-32005, "insufficient_scope"))
            self.assertFalse((await rpc.result(client, "workspace/update", {"id": self.workspace, "auto_start": False}))["auto_start"])


class OlderNames(WithMachine):
    """`agent/*`, which name no workspace."""

    async def test_from_the_run_to_the_stop(self):
        agent = self.connected()
        async with self.visit() as client:
            self.assertEqual((await rpc.failure(client, "agent/run", {"prompt": "ask make"}))["data"]["param"], "workspace_id")
            run = await rpc.result(client, "agent/run", {"prompt": "ask make", "workspace_id": self.workspace})
            chosen = run["session_id"]
            self.assertEqual(run, {"status": "started", "session_id": chosen, "mode": "new", "agent_type": "claude"})
            self.assertEqual((await notice(client, "session_id_resolved"))["payload"]["real_id"], chosen)
            asked = (await notice(client, "claude_permission"))["payload"]
            status = await rpc.result(client, "agent/status")
            self.assertEqual((status["state"], status["session_id"], status["waiting_for"], status["pending_tool_use_id"]),
                             ("waiting", chosen, "Bash", asked["tool_use_id"]))
            await asyncio.to_thread(wait_for, lambda: [
                one for one in request("GET", f"/v1/prompts?session_id={chosen}").json["prompts"] if one["answerable"]],
                "the permission can be answered")
            answered = await rpc.result(client, "agent/respond", {"tool_use_id": asked["tool_use_id"], "response": "Not now.",
                                                                 "is_error": True})
            self.assertEqual(answered, {"status": "sent", "tool_use_id": asked["tool_use_id"]})
            await asyncio.to_thread(wait_for, lambda: agent.claude.decisions, "the answer")
            decision, = agent.claude.decisions.values()
            self.assertEqual((decision["behavior"], decision["message"]), ("deny", "Not now."))
            await asyncio.to_thread(agent.claude.turns[0].join, 20)
            again = await rpc.result(client, "agent/run", {"prompt": "go on", "mode": "continue", "session_id": chosen})
            self.assertEqual((again["session_id"], again["mode"]), (chosen, "continue"))
            await asyncio.to_thread(agent.wait_for, "session/send", 2)
            self.assertEqual((await rpc.result(client, "agent/stop"))["session_id"], chosen)
            await asyncio.to_thread(wait_for, lambda: request("GET", f"/v1/sessions/{chosen}").json["status"] == "ended", "its end")
            self.assertEqual((await rpc.failure(client, "agent/stop"))["code"], -32002)
            self.assertEqual((await rpc.result(client, "agent/status"))["state"], "idle")
            # The client's own workspace is where the next one starts.
            second = await rpc.result(client, "agent/run", {"prompt": "hello"})
            self.assertNotEqual(second["session_id"], chosen)
            self.assertEqual(agent.wait_for("session/start", 2)[1]["directory"], self.home)
        self.assertEqual(agent.claude.faults, [])

    async def test_no_client_stops_one_of_several_sessions_that_it_has_not_chosen(self):
        agent = self.connected()
        async with self.visit() as client:
            for _ in range(2):
                await rpc.result(client, "session/start", {"workspace_id": self.workspace})
        async with self.visit() as other:
            error = await rpc.failure(other, "agent/stop")
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "session_id"))
        self.assertEqual([name for name, _ in agent.commands if name == "session/stop"], [])


if __name__ == "__main__":
    unittest.main()
