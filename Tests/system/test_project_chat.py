"""Project chats, in sessions that a scripted agent plays: forms, histories, rights, repeats, and faults in mid-turn."""

import base64
import contextlib
import http.client
import json
import threading
import unittest
import uuid

import harness
import test_chat as chat
from agents import LATER, MAY, Agent, Refusal, request_of
from harness import Client, Server, wait_for
from test_chat import DONE, PATH, Stream, made


def setUpModule():
    global server
    chat.setUpModule()
    server = chat.server


def tearDownModule():
    harness.end_everything()


class Machine:
    """An agent that plays sessions. `script` says what happens when a message has come."""

    def __init__(self, home, **greeting):
        self.home, self.name = home, f"machine-{uuid.uuid4()}"
        self.key = home.key(self.name)
        self.sent, self.started, self.interrupted, self.models, self.identity = [], [], [], [], None
        self.script = lambda message: self.says("Hello!")
        self.agent = self.connected(**greeting)
        path = f"/home/dev/{self.name}"
        made = home.client().request("POST", "/v1/projects", {"name": "p", "path": path, "machine_id": self.name})
        assert made.status in (200, 201), made
        self.project = made.json["id"]

    def connected(self, **greeting):
        agent = Agent(self.home, self.key, self.identity, **{
            "turn/follow": self.follow, "turn/unfollow": self.unfollow, "session/send": self.send, "session/start": self.start,
            "session/interrupt": self.interrupt, "session/set": self.switch})
        agent.greeting["may"] = {**MAY, "chats": 4}
        agent.greeting.update(greeting)
        self.identity = agent.identity
        self.agent = agent
        return agent.greet()

    def start(self, params):
        self.started.append(params)
        return self.agent.start_session(params)

    def switch(self, params):
        self.models.append(params["model"])
        return {"mode": "default", "model": params["model"]}

    def interrupt(self, params):
        self.interrupted.append(params["session_id"])
        self.end({"failure": {"kind": "interrupted", "message": "The turn was interrupted."}}, params["session_id"])
        return {"cancelled": []}

    def follow(self, params):
        self.step("ready", message=params["message_id"])
        return LATER

    def unfollow(self, params):
        self.end({"failure": {"kind": "interrupted", "message": "The message was cancelled."}}, params["session_id"])
        return {"ended": True}

    def send(self, params):
        self.agent.state(params["session_id"], "running")
        self.agent.tell("message/state", {"session_id": params["session_id"], "message_id": params["message_id"],
                                          "state": "started"})
        self.sent.append(params)
        self.script(params)
        return {"queued": False}

    def step(self, kind, message=None, **more):
        self.agent.tell("turn/step", {"message_id": message or self.sent[-1]["message_id"], "kind": kind, **more})

    def says(self, *pieces, **end):
        for piece in pieces:
            self.step("text", text=piece)
        self.end({**DONE, **end})

    def end(self, report, chosen=None):
        """Ends the turns of a session, or the latest."""
        chosen = chosen or self.sent[-1]["session_id"]
        self.agent.state(chosen, "idle")
        with self.agent.condition:
            ends = [waiting for waiting in self.agent.waiting if waiting[1]["session_id"] == chosen]
            self.agent.waiting = [waiting for waiting in self.agent.waiting if waiting not in ends]
        for number, _ in ends:
            self.agent.send({"jsonrpc": "2.0", "id": number, "result": report})

    def wait_for_message(self, count=1):
        return wait_for(lambda: len(self.sent) >= count and self.sent[count - 1], f"message {count}")


class ProjectChat(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(server)
        self.addCleanup(lambda: self.machine.agent.close())
        self.client = self.driver()

    def driver(self, *more, **limits):
        return made("control", *more, machines=[self.machine.name], **limits)

    def body(self, text="Hello", **more):
        return {"messages": [{"role": "user", "content": text}], "project_id": self.machine.project, **more}

    def ask(self, body, client=None, **headers):
        return (client or self.client).request("POST", PATH, body, {
            name.replace("_", "-"): value for name, value in headers.items()})

    def refused(self, answer, status, code, param=None):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)
        if param:
            self.assertEqual(answer.json["error"]["param"], param)
        return answer

    def asking(self, body, client=None, **headers):
        """A request in a thread of its own, and the list that gets its answer."""
        answers = []
        client = Client(server.address, (client or self.client).credential)
        thread = threading.Thread(target=lambda: answers.append(self.ask(body, client, **headers)))
        thread.start()
        return thread, answers


class Answers(ProjectChat):
    def test_a_session_is_started_and_answers(self):
        def script(message):
            self.machine.step("thinking", text="Hm.")
            self.machine.step("text", text="Let me see.")
            self.machine.step("tool", id="toolu_1", name="Bash")
            self.machine.step("tool_ended", id="toolu_1", is_error=False)
            self.machine.says("\n\nDone.")
        self.machine.script = script
        answer = self.ask(self.body("/usage @x", model="haiku", temperature=1, max_tokens=5))
        self.assertEqual(answer.status, 200, answer)
        body, (start,), (sent,) = answer.json, self.machine.started, self.machine.sent
        self.assertEqual((start["mode"], start["model"], start["directory"]),
                         ("default", "haiku", f"/home/dev/{self.machine.name}"))
        self.assertNotIn("history", start)
        self.assertEqual((sent["content"], sent["session_id"]), ("/usage @x", body["session_id"]))
        self.assertNotIn("as", sent)
        self.assertEqual(start["session_id"], body["session_id"])
        self.assertEqual(body["project_id"], self.machine.project)
        message = body["choices"][0]["message"]
        self.assertEqual((message["content"], message["reasoning_content"]), ("Let me see.\n\nDone.", "Hm."))
        self.assertNotIn("tool_calls", message)
        self.assertEqual(body["choices"][0]["finish_reason"], "stop")
        self.assertEqual(body["monitor"], {"tools": [{"id": "toolu_1", "name": "Bash", "is_error": False}], "prompts": []})
        self.assertEqual((body["usage"]["total_tokens"], body["usage"]["total_cost"]), (24, 0.6))
        self.assertEqual(answer.headers["x-session-id"], body["session_id"])
        self.assertEqual(answer.headers["x-project-id"], self.machine.project)
        self.assertEqual(answer.headers["x-ignored-parameters"], "temperature, max_tokens")
        self.assertEqual(server.get(f"/v1/sessions/{body['session_id']}").json["runner"], "agent")

    def test_a_stream(self):
        def script(message):
            self.machine.step("thinking", text="Hm.")
            self.machine.step("tool", id="toolu_1", name="Bash")
            self.machine.step("tool_ended", id="toolu_1", is_error=True)
            self.machine.says("Hel", "lo!")
        self.machine.script = script
        stream = Stream(self.client, self.body(stream_options={"include_usage": True}))
        events = list(stream.events())
        self.assertEqual(events.pop(), "DONE")
        self.assertEqual({event["session_id"] for event in events}, {stream.answer.getheader("x-session-id")})
        self.assertEqual(events[-1]["usage"]["total_cost"], 0.6)
        deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
        self.assertEqual("".join(delta.get("content", "") for delta in deltas), "Hello!")
        self.assertEqual("".join(delta.get("reasoning_content", "") for delta in deltas), "Hm.")
        tools = [event["monitor"]["tool"] for event in events if "monitor" in event]
        self.assertEqual(tools, [{"id": "toolu_1", "name": "Bash", "state": "running"}, {"id": "toolu_1", "state": "failed"}])

    def test_a_session_goes_on(self):
        first = self.ask(self.body("One")).json["session_id"]
        body = {"messages": [{"role": "user", "content": "Two"}], "session_id": first}
        for _ in range(2):
            answer = self.ask(body)
            self.assertEqual((answer.status, answer.json["session_id"]), (200, first), answer)
        self.assertEqual([message["content"] for message in self.machine.sent], ["One", "Two", "Two"])
        self.assertEqual(len({message["message_id"] for message in self.machine.sent}), 3)
        self.assertEqual(len(self.machine.started), 1)
        self.refused(self.ask({**body, "project_id": "ws-other"}), 400, "invalid_parameter", "project_id")

    def test_a_session_that_has_ended_is_continued(self):
        first = self.ask(self.body()).json["session_id"]
        self.machine.agent.state(first, "ended", reason="exit")
        wait_for(lambda: server.get(f"/v1/sessions/{first}").json["ended_at"] if "ended_at" in
                 server.get(f"/v1/sessions/{first}").json else None, "the session ends")
        answer = self.ask({"messages": [{"role": "user", "content": "Two"}], "session_id": first})
        self.assertEqual((answer.status, answer.json["session_id"]), (200, first), answer)
        self.assertEqual(self.machine.started[-1]["resume"], first)
        self.assertEqual(self.machine.started[-1]["mode"], "default")

    def test_the_model_of_a_request_counts(self):
        first = self.ask(self.body()).json["session_id"]
        self.ask({**self.body(), "session_id": first, "model": "sonnet"})
        self.assertEqual(self.machine.models, ["sonnet"])

    def test_pictures_and_a_system_prompt(self):
        png = base64.b64encode(b"\x89PNG\r\n\x1a\nrest").decode()
        picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}}
        question = {"role": "user", "content": [{"type": "text", "text": "What?"}, picture]}
        answer = self.ask({**self.body(), "messages": [{"role": "system", "content": "Be brief."}, question]})
        self.assertEqual(answer.status, 200, answer)
        started = self.machine.started[0]
        self.assertEqual((started["system_prompt"], started["append_prompt"]), ("Be brief.", True))
        self.assertEqual(self.machine.sent[0]["images"][0]["media_type"], "image/png")

    def test_a_person_is_asked(self):
        self.machine.script = lambda message: None
        events = []
        reader = threading.Thread(target=lambda: events.extend(Stream(self.client, self.body()).events()))
        reader.start()
        sent = self.machine.wait_for_message()
        self.machine.agent.state(sent["session_id"], "waiting")
        hold = str(uuid.uuid4())
        self.machine.agent.open_prompt(sent["session_id"], request_of(sent["session_id"]), hold)
        prompt, = wait_for(lambda: server.get(f"/v1/prompts?session_id={sent['session_id']}").json["prompts"], "the prompt")
        wait_for(lambda: any("monitor" in event for event in events) or not reader.is_alive(), "the prompt is told")
        # The key that chats cannot answer for a person.
        answered = self.client.request("POST", f"/v1/prompts/{prompt['id']}/answer", {"decision": "allow"})
        self.assertEqual(answered.status, 403, answered)
        self.machine.says("Done.")
        reader.join(20)
        told = [event for event in events if event != "DONE" and "monitor" in event]
        self.assertEqual([(event["choices"], event["monitor"]["prompt"]["id"], event["monitor"]["prompt"]["tool_name"])
                          for event in told], [([], prompt["id"], "Bash")])


class Histories(ProjectChat):
    def conversation(self, *texts, **more):
        roles = ("user", "assistant")
        return {"project_id": self.machine.project, **more,
                "messages": [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]}

    def test_the_same_history_is_the_same_session(self):
        first = self.ask(self.conversation("One")).json["session_id"]
        second = self.ask(self.conversation("One", "Hello!", "Two"))
        self.assertEqual(second.json["session_id"], first)
        third = self.ask(self.conversation("One", "Hello!", "Two", "Hello!", "Three"))
        self.assertEqual((third.json["session_id"], len(self.machine.started)), (first, 1))
        # What the session has heard meanwhile is no part of this history.
        again = self.ask(self.conversation("One", "Hello!", "Two"))
        self.assertNotEqual(again.json["session_id"], first)
        self.assertEqual(self.machine.started[-1]["history"],
                         [{"role": "user", "content": "One"}, {"role": "assistant", "content": "Hello!"}])

    def test_another_caller_and_another_history_get_a_session_of_their_own(self):
        first = self.ask(self.conversation("One")).json["session_id"]
        for client, texts in ((self.driver(), ("One", "Hello!", "Two")), (self.client, ("One", "Hello?", "Two"))):
            self.assertNotEqual(self.ask(self.conversation(*texts), client).json["session_id"], first)
        self.assertEqual(self.ask(self.conversation("One", "Hello!", "Two")).json["session_id"], first)

    def test_a_session_that_was_named_is_found_by_no_history(self):
        first = self.ask(self.conversation("One")).json["session_id"]
        self.ask(self.conversation("Other", session_id=first))
        self.assertNotEqual(self.ask(self.conversation("Other", "Hello!", "Two")).json["session_id"], first)
        self.assertNotEqual(self.ask(self.conversation("One", "Hello!", "Two")).json["session_id"], first)


class Rights(ProjectChat):
    def test_plain_rights_reach_no_project(self):
        first = self.ask(self.body()).json["session_id"]
        bodies = (self.body(), {"messages": self.body()["messages"], "session_id": first})
        for body, code in zip(bodies, ("project_not_found", "session_not_found")):
            self.refused(self.ask(body, made("chat", machines=[self.machine.name])), 404, code)
            self.refused(self.ask(body, made("read")), 403, "insufficient_scope")
            self.refused(self.ask(body, made("chat", "read")), 403, "insufficient_scope")
        self.assertEqual(len(self.machine.sent), 1)

    def test_a_key_of_one_machine_reaches_no_other(self):
        first = self.ask(self.body()).json["session_id"]
        other = Machine(server)
        self.addCleanup(other.agent.close)
        stranger = made("control", "chat", machines=[other.name])
        self.refused(self.ask(self.body(), stranger), 404, "project_not_found")
        self.refused(self.ask({**self.body(), "project_id": None, "session_id": first}, stranger), 404, "session_not_found")
        for method, path in (("GET", f"{PATH}/{first}/status"), ("DELETE", f"{PATH}/{first}")):
            self.refused(stranger.request(method, path), 404, "session_not_found")
        self.refused(stranger.request("POST", f"{PATH}/debug", self.body()), 404, "project_not_found")
        self.assertEqual(len(self.machine.sent), 1)

    def test_a_chat_allows_itself_nothing(self):
        for field, value in (("permission_mode", "bypassPermissions"), ("tools", [{"type": "function"}]),
                             ("tool_choice", "required"), ("functions", [{}]),
                             ("response_format", {"type": "json_object"})):
            with self.subTest(field):
                self.refused(self.ask(self.body(**{field: value})), 400, "invalid_parameter", field)
        self.assertEqual(self.machine.started, [])

    def test_the_models_and_the_budget_of_a_key_count(self):
        client = self.driver("chat", models=["haiku"], daily_budget=0.5)
        self.refused(self.ask(self.body(model="opus"), client), 404, "model_not_found", "model")
        self.assertEqual(self.ask(self.body(), client).status, 200)
        self.assertEqual(self.machine.started[0]["model"], "haiku")
        self.refused(self.ask(self.body(), client), 429, "insufficient_quota")

    def test_a_key_that_is_revoked_while_its_session_starts_sends_nothing(self):
        begun, revoked = threading.Event(), threading.Event()

        def start(params):
            begun.set()
            revoked.wait(20)
            return self.machine.start(params)

        self.machine.agent.answers["session/start"] = start
        thread, answers = self.asking(self.body())
        self.assertTrue(begun.wait(20))
        removed = server.client().request("DELETE", f"/v1/api-keys/{self.client.key_id}")
        self.assertIn(removed.status, (200, 204), removed)
        thread.join(20)
        self.assertEqual(answers[0].status, 401, answers)
        revoked.set()
        # The answer would be told before the message is sent.
        wait_for(lambda: "turn/unfollow" in [name for name, _ in self.machine.agent.commands], "the turn ends")
        self.assertEqual(self.machine.sent, [])

    def test_a_turn_whose_end_is_not_known_counts_what_is_estimated(self):
        self.machine.script = lambda message: self.machine.step("text", text="word " * 40_000)
        client = self.driver("chat", daily_budget=0.01)
        thread, answers = self.asking(self.body(), client)
        self.machine.wait_for_message()
        self.machine.agent.close()
        thread.join(20)
        self.refused(answers[0], 503, "agent_unavailable")
        self.machine.connected()
        self.refused(self.ask(self.body("Again"), client), 429, "insufficient_quota")

    def test_what_cannot_be_found_or_sent(self):
        self.refused(self.ask(self.body(project_id="ws-none")), 404, "project_not_found")
        self.refused(self.ask(self.body(session_id=str(uuid.uuid4()))), 404, "session_not_found")
        self.refused(self.ask(self.body(session_id="")), 400, "invalid_parameter", "session_id")
        self.refused(self.ask(self.body("x" * 40_000)), 400, "invalid_parameter", "messages")
        self.refused(self.ask(self.body(on_disconnect="wait")), 400, "invalid_parameter", "on_disconnect")
        self.assertEqual(self.machine.started, [])


class Limits(ProjectChat):
    """`mcp`, which leaves a session with some of its tools."""

    def setUp(self):
        super().setUp()
        self.limited = []
        self.machine.agent.answers["session/tools"] = lambda params: self.limited.append(params) or {"denied": []}

    def limits(self):
        names = ("session_id", "enabled_servers", "enabled_tools", "lenient")
        return [tuple(params.get(name) for name in names) for params in self.limited]

    def test_it_counts_until_another_request_names_others(self):
        mcp = {"enabled_servers": ["fs", "sh"], "enabled_tools": ["fs.read"], "priority": ["fs.read"], "audit_log": False}
        first = self.ask(self.body(mcp=mcp))
        self.assertEqual(first.status, 200, first)
        self.assertNotIn("x-ignored-parameters", first.headers)
        chosen = first.json["session_id"]
        told = (chosen, ["fs", "sh"], ["fs.read"])
        # Before the message.
        order = [name for name, _ in self.machine.agent.commands if name in ("session/start", "session/tools", "session/send")]
        self.assertEqual((order, self.limits()), (["session/start", "session/tools", "session/send"], [(*told, None)]))
        for more in ({}, {"mcp": None}):
            self.assertEqual(self.ask(self.body("Two", session_id=chosen, **more)).status, 200)
        # What was named earlier may be gone.
        self.assertEqual(self.limits()[1:], [(*told, True)] * 2)
        self.ask(self.body("Three", session_id=chosen, mcp={"enabled_tools": []}))
        self.ask(self.body("Four", session_id=chosen))
        self.assertEqual(self.limits()[3:], [(chosen, None, [], None), (chosen, None, [], True)])
        self.ask(self.body("Five", session_id=chosen, mcp={}))
        self.ask(self.body("Six", session_id=chosen))
        self.assertEqual(self.limits()[5:], [(chosen, None, None, None)])

    def test_a_session_that_nobody_has_limited_is_not_asked(self):
        self.assertEqual(self.ask(self.body()).status, 200)
        self.assertEqual(self.limits(), [])

    def test_names_that_do_not_exist_keep_the_message_back(self):
        for code, param in (("mcp_server_not_found", "mcp.enabled_servers"), ("tool_not_found", "mcp.enabled_tools")):
            def refuse(params, code=code):
                raise Refusal(code, "There is none.")
            self.machine.agent.answers["session/tools"] = refuse
            for stream in (False, True):
                answer = self.refused(self.ask(self.body(stream=stream, mcp={"enabled_servers": ["x"]})), 400, code, param)
                self.assertEqual(answer.headers["x-should-retry"], "false")
        self.assertEqual(self.machine.sent, [])

    def test_a_refused_request_leaves_no_session(self):
        def refuse(params):
            raise Refusal("mcp_server_not_found", "There is none.")
        self.machine.agent.answers["session/tools"] = refuse
        self.refused(self.ask(self.body(mcp={"enabled_servers": ["x"]})), 400, "mcp_server_not_found")
        started, = self.machine.started
        stopped, = [params["session_id"] for name, params in self.machine.agent.commands if name == "session/stop"]
        self.assertEqual(stopped, started["session_id"])
        self.assertEqual(server.get(f"/v1/sessions?project_id={self.machine.project}").json["sessions"], [])
        # One that was there stays.
        chosen = self.ask(self.body()).json["session_id"]
        self.refused(self.ask(self.body(session_id=chosen, mcp={"enabled_servers": ["x"]})), 400, "mcp_server_not_found")
        self.assertEqual(len([name for name, _ in self.machine.agent.commands if name == "session/stop"]), 1)
        self.assertEqual(self.ask(self.body("Two", session_id=chosen)).status, 200)

    def test_what_is_refused(self):
        wrong = [([], "mcp"), ({"enabled_tools": "x"}, "mcp.enabled_tools"), ({"enabled_servers": [1]}, "mcp.enabled_servers"),
                 ({"priority": {}}, "mcp.priority"), ({"audit_log": "yes"}, "mcp.audit_log"), ({"allowed": []}, "mcp.allowed"),
                 ({"enabled_tools": [""]}, "mcp.enabled_tools"), ({"enabled_tools": ["x"] * 257}, "mcp.enabled_tools")]
        for mcp, param in wrong:
            with self.subTest(str(mcp)[:40]):
                self.refused(self.ask(self.body(mcp=mcp)), 400, "invalid_parameter", param)
        plain = made("chat", machines=[self.machine.name])
        self.refused(self.ask({**chat.HELLO, "mcp": {}}, plain), 400, "invalid_parameter", "mcp")
        self.assertEqual(self.machine.started, [])

    def test_an_agent_that_cannot_limit_gets_no_message(self):
        def refuse(params):
            raise Refusal("session_not_running")
        self.machine.agent.answers["session/tools"] = refuse
        self.assertGreaterEqual(self.ask(self.body(mcp={"enabled_tools": []})).status, 400)
        self.assertEqual(self.machine.sent, [])

    def test_an_erased_session_is_forgotten(self):
        chosen = self.ask(self.body(mcp={"enabled_tools": []})).json["session_id"]
        self.machine.agent.state(chosen, "ended", reason="exit")
        answer = server.client().request("POST", "/v1/erase", {"session_id": chosen})
        self.assertEqual(answer.status, 200, answer)


class Turns(ProjectChat):
    def test_a_second_caller_is_told_that_the_session_is_busy(self):
        first = self.ask(self.body()).json["session_id"]
        self.machine.script = lambda message: None
        body = {"messages": [{"role": "user", "content": "Two"}], "session_id": first}
        thread, answers = self.asking(body)
        self.machine.wait_for_message(2)
        other = {**body, "messages": [{"role": "user", "content": "Three"}]}
        answer = self.refused(self.ask(other, self.driver()), 409, "session_busy")
        self.assertEqual(answer.headers["x-should-retry"], "false")
        status = self.client.request("GET", f"{PATH}/{first}/status").json
        self.assertEqual((status["session_id"], status["project_id"], status["is_running"]), (first, self.machine.project, True))
        self.machine.says("Done.")
        thread.join(20)
        self.assertEqual((answers[0].status, len(self.machine.sent)), (200, 2))
        self.assertFalse(self.client.request("GET", f"{PATH}/{first}/status").json["is_running"])

    def test_a_turn_of_a_person_is_not_disturbed(self):
        first = self.ask(self.body()).json["session_id"]
        self.machine.agent.state(first, "running")
        wait_for(lambda: self.client.request("GET", f"{PATH}/{first}/status").json["is_running"], "the session runs")
        self.refused(self.ask({**self.body(), "session_id": first}), 409, "session_busy")
        self.assertEqual(len(self.machine.sent), 1)

    def test_a_turn_can_be_stopped(self):
        self.machine.script = lambda message: self.machine.step("text", text="begun")
        thread, answers = self.asking(self.body())
        chosen = self.machine.wait_for_message()["session_id"]
        stopped = self.client.request("DELETE", f"{PATH}/{chosen}")
        self.assertEqual((stopped.status, stopped.json), (200, {"session_id": chosen, "status": "stopped"}))
        thread.join(20)
        self.refused(answers[0], 409, "interrupted")
        self.assertEqual(self.machine.interrupted, [chosen])
        # The session stays, and there is nothing more to stop.
        self.assertEqual(self.client.request("DELETE", f"{PATH}/{chosen}").status, 200)
        self.assertEqual(self.machine.interrupted, [chosen])
        self.machine.script = lambda message: self.machine.says("Again.")
        self.assertEqual(self.ask({**self.body(), "session_id": chosen}).status, 200)

    def test_nothing_is_started_to_explain(self):
        answer = self.client.request("POST", f"{PATH}/debug", self.body(model="haiku", seed=1))
        self.assertEqual(answer.status, 200, answer)
        plan = answer.json
        self.assertEqual((plan["action"], plan["machine_id"], plan["directory"], plan["agent_connected"]),
                         ("start", self.machine.name, f"/home/dev/{self.machine.name}", True))
        self.assertEqual(plan["flags"], ["--permission-mode", "default", "--model", "haiku"])
        self.assertEqual((plan["permissions"]["mode"], plan["ignored_parameters"]), ("default", ["seed"]))
        self.assertEqual((self.machine.started, self.machine.sent), ([], []))
        first = self.ask(self.body()).json["session_id"]
        plan = self.client.request("POST", f"{PATH}/debug", self.body(session_id=first)).json
        self.assertEqual((plan["action"], plan["session_id"], plan["flags"]), ("send", first, []))
        self.refused(self.client.request("POST", f"{PATH}/debug", chat.HELLO), 403, "insufficient_scope")

    def test_a_closed_connection_leaves_the_turn_running(self):
        self.machine.script = lambda message: self.machine.step("text", text="begun")
        stream = Stream(self.client, self.body())
        chosen = self.machine.wait_for_message()["session_id"]
        stream.close()
        # The same request joins, and gets the answer from its beginning.
        thread, answers = self.asking({**self.body(), "stream": True}, x_stainless_retry_count="1")
        self.machine.says(", and done.")
        thread.join(20)
        said = b"".join(line for line in answers[0].body.splitlines() if b'"content"' in line)
        self.assertIn(b"begun", said)
        self.assertIn(b", and done.", said)
        self.assertEqual((len(self.machine.sent), self.machine.interrupted), (1, []))
        self.assertEqual(self.machine.sent[0]["session_id"], chosen)

    def test_a_closed_connection_can_end_the_turn(self):
        self.machine.script = lambda message: self.machine.step("text", text="begun")
        stream = Stream(self.client, self.body(on_disconnect="interrupt"))
        chosen = self.machine.wait_for_message()["session_id"]
        stream.close()
        wait_for(lambda: self.machine.interrupted == [chosen], "the turn ends", 40)


class Faults(ProjectChat):
    def test_a_machine_that_refuses_is_told(self):
        def refuse(params):
            raise Refusal("untrusted_directory")
        self.machine.agent.answers["session/start"] = refuse
        for stream in (False, True):
            self.refused(self.ask(self.body(stream=stream)), 422, "untrusted_directory")

    def test_a_message_that_the_session_does_not_take(self):
        def refuse(params):
            raise Refusal("not_allowed_by_machine")
        self.machine.agent.answers["session/send"] = refuse
        self.refused(self.ask(self.body()), 409, "interrupted")

    def test_errors_of_the_model(self):
        for kind, status, code in (("model_not_found", 404, "model_not_found"), ("rate_limit", 429, "rate_limit_exceeded"),
                                   ("gone", 502, "claude_failed")):
            self.machine.script = lambda message, kind=kind: self.machine.says(failure={"kind": kind, "message": "words"})
            answer = self.refused(self.ask(self.body()), status, code)
            self.assertEqual(answer.headers["x-should-retry"], "false")

    def test_an_agent_that_goes_away_in_mid_turn_is_an_error_object(self):
        self.machine.script = lambda message: self.machine.step("text", text="begun")
        events = []
        reader = threading.Thread(target=lambda: events.extend(Stream(self.client, self.body()).events()))
        reader.start()
        self.machine.wait_for_message()
        wait_for(lambda: any("begun" in str(event) for event in events), "the text")
        self.machine.agent.close()
        reader.join(20)
        self.assertEqual((events[-2]["error"]["code"], events[-1]), ("agent_unavailable", "DONE"))
        # The session may still work on it: the request is not run again.
        self.machine.connected()
        repeat = self.ask({**self.body(), "stream": True}, x_stainless_retry_count="1")
        self.assertIn(b"agent_unavailable", repeat.body)
        self.assertEqual(len(self.machine.sent), 1)

    def test_without_an_agent_nothing_begins(self):
        self.machine.agent.close()
        wait_for(lambda: self.ask(self.body()).status == 503, "the agent is away")
        answer = self.refused(self.ask(self.body()), 503, "agent_unavailable")
        self.assertNotIn("x-should-retry", answer.headers)

    def test_another_machine_does_not_write_into_an_answer(self):
        other = Agent(server, server.key(f"other-{uuid.uuid4()}")).greet()
        self.addCleanup(other.close)

        def script(message):
            other.tell("turn/step", {"message_id": message["message_id"], "kind": "text", "text": "forged"})
        self.machine.script = script
        thread, answers = self.asking(self.body())
        self.machine.wait_for_message()
        other.call("prompt/withdrawn", {"hold_id": str(uuid.uuid4()), "reason": "gone"})
        self.machine.says("true")
        thread.join(20)
        self.assertEqual(answers[0].json["choices"][0]["message"]["content"], "true")


class Repeats(ProjectChat):
    def test_a_repeat_joins_the_turn_that_runs(self):
        self.machine.script = lambda message: None
        first, answers = self.asking(self.body())
        self.machine.wait_for_message()
        second, repeats = self.asking(self.body(), x_stainless_retry_count="1")
        self.machine.says("once")
        first.join(20)
        second.join(20)
        texts = [answer.json["choices"][0]["message"]["content"] for answer in answers + repeats]
        self.assertEqual((texts, len(self.machine.sent)), (["once", "once"], 1))

    def test_an_idempotency_key_gives_the_same_answer(self):
        answers = [self.ask(self.body(), idempotency_key="k-1") for _ in range(2)]
        self.assertEqual([answer.status for answer in answers], [200, 200], answers)
        self.assertEqual(answers[0].json["session_id"], answers[1].json["session_id"])
        self.assertEqual(answers[1].json["choices"][0]["message"]["content"], "Hello!")
        self.refused(self.ask(self.body("Other"), idempotency_key="k-1"), 422, "idempotency_key_reused")
        self.assertEqual(len(self.machine.sent), 1)


class OwnServer(unittest.TestCase):
    """What a server's end does to a turn."""

    def setUp(self):
        self.server = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(self.server.end)
        self.machine = Machine(self.server)
        self.addCleanup(lambda: self.machine.agent.close())
        self.machine.script = lambda message: self.machine.step("text", text="begun")
        self.body = {"messages": [{"role": "user", "content": "Hello"}], "project_id": self.machine.project}

    def events(self, into):
        host, port = self.server.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("POST", PATH, json.dumps({**self.body, "stream": True}), {
                "Authorization": f"Bearer {self.server.admin}", "Content-Type": "application/json"})
            for line in connection.getresponse():
                if line.startswith(b"data: "):
                    into.append(line[6:].strip())

    def begin(self):
        events = []
        reader = threading.Thread(target=self.events, args=(events,))
        reader.start()
        self.machine.wait_for_message()
        wait_for(lambda: any(b"begun" in event for event in events), "the text")
        return reader, events

    def again(self, **headers):
        self.machine.connected()
        return self.server.client().request("POST", PATH, {**self.body, "stream": True}, headers)

    def test_a_server_that_stops_says_so(self):
        reader, events = self.begin()
        self.server.stop()
        reader.join(20)
        self.assertEqual((json.loads(events[-2])["error"]["code"], events[-1]), ("server_stopping", b"[DONE]"))

    def test_a_turn_that_was_lost_is_not_run_again(self):
        reader, _ = self.begin()
        self.server.kill()
        reader.join(20)
        self.server.start()
        answer = self.again(**{"x-stainless-retry-count": "1"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "answer_lost"), answer)
        self.assertEqual(answer.headers["x-should-retry"], "false")
        self.assertEqual(len(self.machine.sent), 1)


if __name__ == "__main__":
    unittest.main()
