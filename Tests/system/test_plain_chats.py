"""Plain chats as sessions of the kind chat: their records, who may ask about them and end them, what is kept, and what a request
would do. Answered by a scripted agent."""

import threading
import unittest

import harness
import test_chat as chat
from agents import LATER, MAY, Agent
from harness import Client, Server, wait_for
from test_chat import DONE, HELLO, PATH, Stream, made
from test_chat_functions import ASKED, CALLS, results


def setUpModule():
    chat.setUpModule()


def tearDownModule():
    harness.end_everything()


class Plain(chat.Chat):
    at = None  # the server; by default the module's

    def get(self, path):
        return (self.at or chat.server).get(path)

    def listed(self, **query):
        words = "".join(f"&{name}={value}" for name, value in query.items())
        answer = self.get(f"/v1/sessions?machine_id={self.name}{words}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def answered(self, client, body=HELLO, **headers):
        answer = self.ask(client, body, **headers)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["x-session-id"], answer.json["session_id"])
        return answer.json

    def going_on(self, body, answer, *more):
        return {**body, "messages": [*body["messages"], answer["choices"][0]["message"], *more]}

    def begun(self, client, body=HELLO):
        """A turn that runs: its thread, its answers, and what the machine was asked."""
        self.script = lambda params: LATER
        before = len(self.chats)
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.ask(client, body)))
        thread.start()
        wait_for(lambda: len(self.chats) > before, "the machine is asked")
        self.addCleanup(thread.join, 20)
        return thread, answers, self.chats[before]


class Records(Plain):
    def test_a_chat_is_a_session_that_only_a_list_of_chats_has(self):
        self.says("Hello!")
        before = chat.server.get("/v1/sessions/stats").json
        client = self.chatter()
        answer = self.answered(client)
        session = answer["session_id"]
        self.assertRegex(session, r"\A[0-9a-f-]{36}\Z")
        self.assertNotIn("monitor", answer)
        self.assertNotIn("project_id", answer)
        self.assertEqual(self.listed()["sessions"], [])
        self.assertEqual(self.listed(kind="session")["sessions"], [])
        row, = self.listed(kind="chat")["sessions"]
        self.assertEqual({name: row.get(name) for name in (
            "id", "kind", "machine_name", "status", "state", "message_count", "total_tokens", "total_cost", "model", "title",
            "usage_source", "usage_confidence", "project_id")}, {
                "id": session, "kind": "chat", "machine_name": self.name, "status": "active", "state": "idle",
                "message_count": 2, "total_tokens": 17, "total_cost": 0.6, "model": "claude-haiku-4-5", "title": None,
                "usage_source": "agent", "usage_confidence": "exact", "project_id": None})
        self.assertEqual(row["token_usage"], {"input_tokens": 10, "output_tokens": 7, "cache_read_tokens": 5,
                                              "cache_creation_tokens": 2})
        self.assertEqual(self.get(f"/v1/sessions/{session}").json, row)
        self.assertEqual(self.get(f"/v1/sessions/{session}/events").json["events"], [])
        self.assertEqual(self.get(f"/v1/sessions/{session}/messages").json["messages"], [])
        self.assertEqual(chat.server.get("/v1/sessions/stats").json, before)
        self.assertEqual(self.get("/v1/search?q=Hello").json["data"], [])
        for path in ("input", "changes"):
            self.assertEqual(self.get(f"/v1/sessions/{session}/{path}").status, 404, path)
        self.assertEqual(chat.server.client().request("PATCH", f"/v1/sessions/{session}", {"title": "x"}).status, 404)

    def test_each_piece_of_a_stream_names_the_session(self):
        self.says("Hel", "lo!")
        stream = Stream(self.chatter(), HELLO)
        events = [event for event in stream.events() if event != "DONE"]
        named = {event["session_id"] for event in events}
        self.assertEqual(named, {stream.answer.getheader("x-session-id")})
        self.assertEqual([row["id"] for row in self.listed(kind="chat")["sessions"]], list(named))

    def test_the_same_messages_of_the_same_caller_are_the_same_session(self):
        self.says("Hello!", cost=0.5)
        client = self.chatter()
        first = self.answered(client)
        more = self.going_on(HELLO, first, {"role": "user", "content": "And?"})
        second = self.answered(client, more)
        self.assertEqual(second["session_id"], first["session_id"])
        third = self.answered(client, self.going_on(more, second, {"role": "user", "content": "Well?"}))
        self.assertEqual(third["session_id"], first["session_id"])
        # Another branch, other words, and another caller.
        other = self.going_on(HELLO, first, {"role": "user", "content": "Or?"})
        self.assertNotEqual(self.answered(client, other)["session_id"], first["session_id"])
        self.assertNotEqual(self.answered(self.chatter(), more)["session_id"], first["session_id"])
        self.assertNotEqual(self.answered(client)["session_id"], first["session_id"])
        row, = (row for row in self.listed(kind="chat")["sessions"] if row["id"] == first["session_id"])
        self.assertEqual((row["message_count"], row["total_cost"]), (6, 1.5))
        self.assertEqual(self.listed(kind="chat", per_page=1, page=1)["meta"]["total"], 4)

    def test_a_turn_that_failed_is_repeated_in_its_session(self):
        self.says("Hello!")
        client = self.chatter()
        first = self.answered(client)
        more = self.going_on(HELLO, first, {"role": "user", "content": "And?"})
        self.says(failure={"kind": "api", "message": "no"})
        self.refused(self.ask(client, more), 502, "claude_failed")
        self.says("Yes.")
        self.assertEqual(self.answered(client, {**more, "seed": 2})["session_id"], first["session_id"])

    def test_calls_and_their_results_are_one_session(self):
        self.script = lambda params: {**DONE, "calls": CALLS}
        self.agent.answers["chat/continue"] = lambda params: DONE
        client = self.chatter()
        first = self.answered(client, ASKED)
        told = results(toolu_1="x", toolu_2="y")
        # The process that waits goes on.
        self.assertEqual(self.answered(client, self.going_on(ASKED, first, *told))["session_id"], first["session_id"])
        self.assertEqual(len(self.chats), 1)
        # Nothing waits any more, and all messages are read.
        first = self.answered(client, {**ASKED, "seed": 1})
        self.agent.close()
        self.agent = self.connected(identity=self.agent.identity)
        self.addCleanup(self.agent.close)
        self.script = lambda params: DONE
        again = self.going_on({**ASKED, "model": "opus"}, first, *told)
        self.assertEqual(self.answered(client, again)["session_id"], first["session_id"])

    def test_a_repeat_has_the_session_of_its_turn(self):
        client = self.chatter()
        first = self.answered(client, idempotency_key="k")
        self.assertEqual(self.answered(client, idempotency_key="k")["session_id"], first["session_id"])

    def test_responses_name_their_session(self):
        answer = self.chatter().request("POST", "/v1/responses", {"model": "haiku", "input": "Hello"})
        self.assertEqual(answer.status, 200, answer)
        row, = self.listed(kind="chat")["sessions"]
        self.assertEqual(answer.headers["x-session-id"], row["id"])

    def test_lists_are_sorted_filtered_and_paged(self):
        client = self.chatter()
        ids = []
        for cost in (0.2, 0.9, 0.4):
            self.says("x", cost=cost)
            ids.append(self.answered(client, {**HELLO, "seed": cost})["session_id"])

        def found(**query):
            return [ids.index(row["id"]) for row in self.listed(kind="chat", **query)["sessions"]]
        self.assertEqual([found(), found(order="asc"), found(sort="cost"), found(sort="started", order="asc")],
                         [[2, 1, 0], [0, 1, 2], [1, 2, 0], [0, 1, 2]])
        for sort in ("activity", "started", "cost", "duration"):
            whole, paged, cursor = found(sort=sort), [], None
            while cursor is not None or not paged:
                page = self.listed(kind="chat", sort=sort, limit=1, **({"cursor": cursor} if cursor else {}))
                paged += [ids.index(row["id"]) for row in page["sessions"]]
                cursor = page["next_cursor"]
                if cursor is None:
                    break
            self.assertEqual(paged, whole, sort)
        self.assertEqual([found(q=ids[1][:13]), found(status="active"), found(state="idle")], [[1], [2, 1, 0], [2, 1, 0]])
        for empty in ({"status": "ended"}, {"state": "running"}, {"archived": "true"}, {"project_id": "ws-1"}, {"q": "nothing"}):
            self.assertEqual(found(**empty), [], empty)
        self.assertEqual(self.get("/v1/sessions?kind=other").status, 400)
        self.assertEqual(list(self.listed(kind="chat", fields="kind")["sessions"][0]), ["id", "kind"])


class Rights(Plain):
    def status(self, client, session):
        return client.request("GET", f"{PATH}/{session}/status")

    def stop(self, client, session):
        return client.request("DELETE", f"{PATH}/{session}")

    def test_the_key_of_a_chat_asks_about_it(self):
        client = self.chatter()
        session = self.answered(client)["session_id"]
        answer = self.status(client, session)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual({name: answer.json.get(name) for name in (
            "session_id", "project_id", "model", "is_running", "total_tokens", "total_cost", "message_count")}, {
                "session_id": session, "project_id": None, "model": "claude-haiku-4-5", "is_running": False,
                "total_tokens": 17, "total_cost": 0.6, "message_count": 2})
        self.assertEqual(self.status(chat.server.client(), session).json, answer.json)
        self.assertEqual(self.stop(client, session).json, {"session_id": session, "status": "stopped"})

    def test_a_running_turn_is_ended_by_its_key_alone(self):
        client = self.chatter()
        thread, answers, told = self.begun(Client(chat.server.address, client.credential))
        row, = self.listed(kind="chat", state="running")["sessions"]
        session = row["id"]
        self.assertTrue(self.status(client, session).json["is_running"])
        others = [(self.chatter(), 404, "session_not_found"), (made("chat", "read"), 403, "insufficient_scope"),
                  (made("control", machines=[self.name]), 404, "session_not_found"),
                  (made("read", "control"), 403, "insufficient_scope"), (made("read"), 403, "insufficient_scope")]
        for other, status, code in others:
            for answer in (self.status(other, session), self.stop(other, session)):
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)
        self.assertEqual(self.ends, [])
        self.assertEqual(self.stop(client, session).json, {"session_id": session, "status": "stopped"})
        wait_for(lambda: self.ends == [told["session_id"]], "the machine ends the turn")
        self.agent.answer({**DONE, "failure": {"kind": "interrupted", "message": "ended"}})
        thread.join(20)
        self.refused(answers[0], 409, "interrupted")
        self.assertFalse(self.status(client, session).json["is_running"])

    def test_of_equal_requests_each_is_ended_by_itself(self):
        client = self.chatter()
        turns = [self.begun(Client(chat.server.address, client.credential)) for _ in range(2)]
        newest, oldest = (row["id"] for row in self.listed(kind="chat", state="running", sort="started")["sessions"])
        for session, (_, _, told) in zip((oldest, newest), turns):
            self.ends.clear()
            self.assertEqual(self.stop(client, session).status, 200)
            wait_for(lambda told=told: self.ends == [told["session_id"]], "the machine ends the turn")
        for place, (thread, _, _) in enumerate(turns):
            self.agent.answer({**DONE, "failure": {"kind": "interrupted", "message": "ended"}}, place)
            thread.join(20)
        self.assertEqual([answers[0].status for _, answers, _ in turns], [409, 409])

    def test_a_process_that_waits_for_results_is_ended(self):
        self.script = lambda params: {**DONE, "calls": CALLS}
        continued = []
        self.agent.answers["chat/continue"] = lambda params: continued.append(params) or DONE
        client = self.chatter()
        first = self.answered(client, ASKED)
        self.assertEqual(self.stop(chat.server.client(), first["session_id"]).status, 200)
        self.assertEqual(self.ends, [self.chats[0]["session_id"]])
        self.script = lambda params: DONE
        self.answered(client, self.going_on(ASKED, first, *results(toolu_1="x", toolu_2="y")))
        self.assertEqual((len(self.chats), continued), (2, []))

    def test_a_chat_does_not_go_on_by_its_session(self):
        client = self.chatter()
        session = self.answered(client)["session_id"]
        self.refused(self.ask(client, {**HELLO, "session_id": session}), 400, "invalid_parameter", "session_id")
        for other in (self.chatter(), made("control", machines=[self.name]), made("read", "control")):
            self.refused(self.ask(other, {**HELLO, "session_id": session}), 404, "session_not_found")
            self.refused(other.request("POST", f"{PATH}/debug", {**HELLO, "session_id": session}), 404, "session_not_found")
        self.assertEqual(len(self.chats), 1)

    def test_a_key_for_chats_reads_no_sessions(self):
        client = self.chatter()
        session = self.answered(client)["session_id"]
        for path in ("?kind=chat", "", f"/{session}", f"/{session}/messages", f"/{session}/events"):
            answer = client.request("GET", f"/v1/sessions{path}")
            self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"), path)
        machine = Client(chat.server.address, self.key)
        for path in ("/v1/sessions?kind=chat", f"{PATH}/{session}/status"):
            self.assertEqual(machine.request("GET", path).status, 403, path)
        self.assertEqual(made("read").request("GET", f"/v1/sessions/{session}").status, 200)

    def test_a_turn_whose_server_was_killed_does_not_run(self):
        own = Server(MONITOR_RATE_LIMIT="off", MONITOR_CHAT_MACHINE="chatty").start()
        self.addCleanup(own.end)
        agent = Agent(own, own.key("chatty"), **{"chat/run": lambda params: LATER})
        agent.greeting["may"] = {**MAY, "chats": 1}
        agent.greet()
        asking = threading.Thread(target=lambda: self.quietly(own))
        asking.start()
        agent.taken()
        row, = own.get("/v1/sessions?kind=chat").json["sessions"]
        self.assertEqual(row["state"], "running")
        own.kill()
        asking.join(20)
        own.start()
        path = f"{PATH}/{row['id']}"
        answer = own.client().request("DELETE", path)
        if own.get(f"{path}/status").json["is_running"]:
            self.refused(answer, 503, "agent_unavailable")
        wait_for(lambda: not own.get(f"{path}/status").json["is_running"], "the turn counts as lost", 40)
        self.assertEqual(own.client().request("DELETE", path).status, 200)

    def quietly(self, own):
        try:
            own.client().request("POST", PATH, HELLO)
        except Exception as fault:  # the connection is lost
            assert isinstance(fault, OSError) or "http.client" in type(fault).__module__, fault


class Texts(Plain):
    """What the content policy lets be kept."""

    @classmethod
    def setUpClass(cls):
        cls.at = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()

    def setUp(self):
        before, chat.server = chat.server, self.at
        self.addCleanup(lambda: setattr(chat, "server", before))
        super().setUp()

    def said(self, session, **query):
        words = "&".join(f"{name}={value}" for name, value in query.items())
        answer = self.get(f"/v1/sessions/{session}/messages?{words}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_full_keeps_each_message_once(self):
        self.says("Hello!")
        client = self.chatter()
        body = {"model": "haiku", "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "One\nmore"},
            {"role": "assistant", "content": "Two"}, {"role": "user", "content": [
                {"type": "text", "text": "See?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJDRA=="}}]}]}
        first = self.answered(client, body)
        session = first["session_id"]
        self.says("Bye.")
        self.answered(client, self.going_on(body, first, {"role": "user", "content": "/last"}))
        told = self.said(session)
        self.assertEqual([(one["role"], one["content"]) for one in told["messages"]], [
            ("user", "One\nmore"), ("assistant", "Two"), ("user", "See?"), ("assistant", "Hello!"), ("user", "/last"),
            ("assistant", "Bye.")])
        self.assertEqual(told["messages"][2]["blocks"][1], {"type": "image", "media_type": "image/png", "description": "6 bytes"})
        self.assertEqual((told["messages"][3]["model"], told["messages"][3]["stop_reason"]), ("claude-haiku-4-5", "stop"))
        row, = self.listed(kind="chat")["sessions"]
        self.assertEqual((row["title"], row["title_source"], row["message_count"]), ("One", "prompt", 6))
        self.assertEqual([row["id"] for row in self.listed(kind="chat", q="one")["sessions"]], [session])
        paged, cursor = [], None
        while True:
            page = self.said(session, limit=4, order="desc", **({"cursor": cursor} if cursor else {}))
            paged += [one["content"] for one in page["messages"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        self.assertEqual(paged, ["Bye.", "/last", "Hello!", "See?", "Two", "One\nmore"])
        # Nothing of it is in a list of work, or found by a search.
        self.assertEqual(self.listed()["sessions"], [])
        self.assertEqual(self.get("/v1/search?q=See").json["data"], [])

    def test_calls_and_results_are_kept_as_blocks(self):
        self.script = lambda params: {**DONE, "calls": CALLS[:1]}
        self.agent.answers["chat/continue"] = lambda params: DONE
        client = self.chatter()
        first = self.answered(client, ASKED)
        self.answered(client, self.going_on(ASKED, first, *results(toolu_1="Sunny.")))
        blocks = [block for one in self.said(first["session_id"])["messages"] for block in one["blocks"]]
        self.assertEqual([block["type"] for block in blocks], ["text", "tool_use", "tool_result"])
        self.assertEqual((blocks[1]["input"], blocks[2]["content"]), ({"city": "Paris"}, "Sunny."))

    def test_secrets_are_masked(self):
        self.says("Use ghp_" + "a1B2" * 9 + ".")
        session = self.answered(self.chatter(), {"messages": [
            {"role": "user", "content": "password: hunter2-Xy9 and ghp_" + "c3D4" * 9}]})["session_id"]
        told = self.said(session)
        self.assertEqual(["ghp_***" in one["content"] for one in told["messages"]], [True, True], told)
        for secret in ("a1B2a1B2", "c3D4c3D4", "hunter2"):
            self.assertNotIn(secret, str(told) + str(self.listed(kind="chat")))

    def test_a_chat_is_erased(self):
        self.says("Hello!")
        client = self.chatter()
        one, two = self.answered(client)["session_id"], self.answered(client, {**HELLO, "seed": 1})["session_id"]
        erased = self.at.client().request("POST", "/v1/erase", {"session_id": one})
        self.assertEqual(erased.status, 200, erased)
        self.assertEqual([row["id"] for row in self.listed(kind="chat")["sessions"]], [two])
        for path in ("", "/messages", "/events"):
            self.assertEqual(self.get(f"/v1/sessions/{one}{path}").status, 404, path)
        self.assertEqual(self.get(f"{PATH}/{one}/status").status, 404)
        self.assertEqual(self.get(f"/v1/usage?machine_id={self.name}").json["total"]["total_cost"], 0.6)
        self.assertEqual(self.at.client().request("POST", "/v1/erase", {"machine_id": self.name}).status, 200)
        self.assertEqual(self.get("/v1/sessions?kind=chat&q=" + two).json["sessions"], [])


class Explained(Plain):
    def explain(self, client, body=HELLO, **more):
        return client.request("POST", f"{PATH}/debug", {**body, **more})

    def test_what_a_request_would_do(self):
        client = self.chatter()
        answer = self.explain(client, {
            "model": "haiku", "messages": [{"role": "system", "content": "Brief."}, {"role": "user", "content": "a"},
                                           {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}],
            "tools": ASKED["tools"], "tool_choice": "required", "max_tokens": 9, "stop": "END", "seed": 1})
        self.assertEqual((answer.status, answer.json), (200, {
            "kind": "chat", "action": "start", "machine_id": self.name, "directory": "an empty one of the agent",
            "flags": ["--permission-mode", "default", "--tools", "", "--strict-mcp-config", "--safe-mode",
                      "--no-session-persistence", "--allowedTools", "mcp__client", "--model", "haiku"],
            "model": "haiku", "max_tokens": 9, "stop": ["END"], "tools": ["mcp__client__weather"], "tool_choice": "any",
            "has_schema": False, "text_bytes": answer.json["text_bytes"], "images": 0, "earlier_messages": 2,
            "permissions": {"mode": "default", "asked": answer.json["permissions"]["asked"]}, "ignored_parameters": ["seed"]}))
        self.assertIn("nothing", answer.json["permissions"]["asked"])
        self.assertEqual(self.chats, [])
        self.assertEqual(self.listed(kind="chat")["sessions"], [])

    def test_it_names_the_session_that_goes_on_and_changes_nothing(self):
        self.script = lambda params: {**DONE, "calls": CALLS}
        continued = []
        self.agent.answers["chat/continue"] = lambda params: continued.append(params) or DONE
        client = self.chatter()
        first = self.answered(client, ASKED)
        more = self.going_on(ASKED, first, *results(toolu_1="x", toolu_2="y"))
        found = self.explain(client, more).json
        self.assertEqual((found["action"], found["flags"], found["session_id"]), ("continue", [], first["session_id"]))
        other = self.explain(self.chatter(), more).json
        self.assertEqual((other["action"], other.get("session_id")), ("start", None))
        self.answered(client, more)
        self.assertEqual((len(self.chats), len(continued)), (1, 1))

    def test_it_is_refused_as_the_request_would_be(self):
        client = self.chatter(models=["haiku"], daily_budget=0.5)
        self.refused(self.explain(client, model="opus"), 404, "model_not_found", "model")
        self.refused(self.explain(client, n=2), 400, "invalid_parameter", "n")
        self.refused(self.explain(client, messages=[]), 400, "missing_messages", "messages")
        self.answered(client)
        self.refused(self.explain(client), 429, "insufficient_quota")
        self.refused(self.explain(made("control", machines=[self.name])), 403, "insufficient_scope")
        self.refused(self.explain(made("read")), 403, "insufficient_scope")
        self.agent.close()
        self.refused(self.explain(self.chatter()), 503, "agent_unavailable")


if __name__ == "__main__":
    unittest.main()
