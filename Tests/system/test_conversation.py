"""The conversation of a session: messages with all their blocks, search in them, and export."""

import base64
import json
import unittest
import urllib.parse

import harness
import test_rpc as rpc
import test_websocket as ws
import transcripts
from harness import Client, Server, envelope, hook, session
from transcripts import Sender, Transcript, text, tool_result, tool_use


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("talking")
    ws.server, ws.key = server, key


def tearDownModule():
    server.end()


def happens(*hooks, ago=0):
    client = Client(server.address, key)
    answer = client.request("POST", "/api/events", [envelope(one, at=harness.iso(number - 10 - ago))
                                                    for number, one in enumerate(hooks)])
    client.close()
    assert answer.status == 202, answer


def talk(chosen=None):
    made = Transcript(chosen or session())
    made.user("Which animals live here? zebrafinch", promptId="turn-1")
    made.assistant([{"type": "thinking", "thinking": "I look first.", "signature": "x"}, text("I look."),
                    tool_use("Bash", f"{made.session}-1", command="ls --animals")])
    made.user(tool_result(f"{made.session}-1", "wombat\nquokka"))
    made.assistant([text("A wombat and a quokka.")])
    made.user("This session is being continued", isCompactSummary=True)
    return made


def messages(chosen, query=""):
    answer = server.get(f"/v1/sessions/{chosen}/messages{query}")
    assert answer.status == 200, answer
    return answer.json


class Messages(unittest.TestCase):
    def test_all_blocks_of_an_answer_are_one_message(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        found = messages(made.session)["messages"]
        self.assertEqual([(one["role"], [block["type"] for block in one["blocks"]]) for one in found],
                         [("user", ["text"]), ("assistant", ["thinking", "text", "tool_use"]), ("user", ["tool_result"]),
                          ("assistant", ["text"]), ("system", ["text"])])
        answer = found[1]
        self.assertEqual(answer["blocks"][2], {"type": "tool_use", "id": f"toolu_{made.session}-1", "name": "Bash",
                                               "input": {"command": "ls --animals"}})
        self.assertEqual((answer["content"], answer["model"], answer["git_branch"], answer["token_usage"]["output_tokens"]),
                         ("I look.", "claude-sonnet-5", "feature/x", 42))
        self.assertEqual(found[2]["blocks"][0]["content"], "wombat\nquokka")
        self.assertTrue(found[4]["is_context_compaction"])
        self.assertEqual(found[0]["turn_id"], "turn-1")

    def test_images_are_kept_as_type_and_size(self):
        made, data = Transcript(session()), base64.b64encode(b"not quite an image " * 400).decode()
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        made.user([text("Look at this."), image])
        made.user([{**tool_result(f"{made.session}-1", "")[0], "content": [text("seen"), image]}])
        Sender(server, key, made.session).send(made.bytes)
        found = messages(made.session)["messages"]
        shown, = [block for block in found[0]["blocks"] if block["type"] == "image"]
        self.assertEqual(shown["media_type"], "image/png")
        self.assertIn(str(len(data)), json.dumps(shown))
        self.assertIn("seen", found[1]["blocks"][0]["content"])
        for chosen in (json.dumps(found), server.get(f"/v1/sessions/{made.session}/export?format=jsonl").body.decode()):
            self.assertNotIn(data[:200], chosen)

    def test_pages_in_both_orders(self):
        made = Transcript(session())
        for number in range(25):
            made.user(f"question {number}")
            made.assistant([text(f"answer {number}"), text("more")])
        Sender(server, key, made.session).send(made.bytes)
        for order in ("asc", "desc"):
            seen, cursor = [], ""
            while cursor is not None:
                page = messages(made.session, f"?limit=7&order={order}{cursor}")
                seen += [one["content"] for one in page["messages"]]
                cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
            expected = [part for number in range(25) for part in (f"question {number}", f"answer {number}\nmore")]
            self.assertEqual(seen, expected if order == "asc" else expected[::-1])
        page = messages(made.session, "?page=2&per_page=20")
        self.assertEqual((len(page["messages"]), page["pagination"]["total_items"]), (20, 50))

    def test_what_only_hooks_have_told_follows(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        happens(hook("UserPromptSubmit", made.session, prompt="And plants?", prompt_id="turn-2"),
                hook("Stop", made.session, last_assistant_message="Some ferns.", prompt_id="turn-2"))
        self.assertEqual([one["content"] for one in messages(made.session)["messages"]][-2:], ["And plants?", "Some ferns."])
        self.assertEqual(messages(made.session, "?order=desc&limit=1")["messages"][0]["content"], "Some ferns.")
        made.user("And plants?", promptId="turn-2")
        made.assistant([text("Some ferns.")])
        Sender(server, key, made.session).send(made.bytes)
        contents = [one["content"] for one in messages(made.session)["messages"]]
        self.assertEqual((contents.count("And plants?"), contents.count("Some ferns.")), (1, 1))

    def test_subagents_have_conversations_of_their_own(self):
        made = talk()
        made.user(tool_result("task", "found"), toolUseResult={"agentId": "a1b2"})
        agent = Transcript(made.session, agent="a1b2")
        agent.user("Look for animals")
        agent.assistant([text("Found some.")], number=f"{made.session}-agent")
        Sender(server, key, made.session).send(made.bytes)
        Sender(server, key, made.session, "/home/dev/.claude/x/agent-a1b2.jsonl").send(agent.bytes)
        found = messages(made.session)["messages"]
        self.assertNotIn("Found some.", json.dumps(found))
        self.assertEqual(found[-1]["result_agent_id"], "a1b2")
        self.assertEqual([one["content"] for one in messages(made.session, "?agent_id=a1b2")["messages"]],
                         ["Look for animals", "Found some."])


    def test_each_text_can_come_once(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        path = f"/v1/sessions/{made.session}/messages"
        full, short = server.get(path), server.get(path + "?view=blocks")
        self.assertEqual((full.body.count(b"A wombat and a quokka."), short.body.count(b"A wombat and a quokka.")), (4, 1))
        self.assertNotIn("messages", short.json)
        for one, other in zip(full.json["messages"], short.json["data"], strict=True):
            self.assertEqual({name: value for name, value in one.items() if name != "content"}, other)
        self.assertEqual(server.get(path + "?view=all").status, 400)

    def test_a_page_is_bounded_by_bytes(self):
        made = Transcript(session())
        for number in range(150):
            made.user(f"question {number} " + "x" * 90_000)
        Sender(server, key, made.session).send(made.bytes)
        seen, cursor = [], ""
        while cursor is not None:
            page = server.get(f"/v1/sessions/{made.session}/messages?limit=999&view=blocks{cursor}")
            self.assertLess(len(page.body), 10 << 20)
            seen += [one["blocks"][0]["text"].split(" x")[0] for one in page.json["data"]]
            cursor = page.json["next_cursor"] and f"&cursor={page.json['next_cursor']}"
        self.assertEqual(seen, [f"question {number}" for number in range(150)])


class OverRPC(unittest.IsolatedAsyncioTestCase):
    """The same conversation with the methods of `/ws`."""

    async def ask(self, method, **params):
        async with ws.connected() as client:
            return await rpc.result(client, method, params)

    async def test_messages_are_those_of_the_transcript(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        happens(hook("UserPromptSubmit", made.session, prompt="And plants?", prompt_id="turn-2"),
                hook("PreToolUse", made.session, tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="toolu_late"))
        page = await self.ask("session/messages", session_id=made.session)
        said = [(one["type"], one["is_meta"]) for one in page["messages"]]
        self.assertEqual(said, [("user", False), ("assistant", False), ("user", False), ("assistant", False), ("user", True),
                                ("user", False), ("assistant", False)])
        self.assertEqual((page["total"], page["has_more"]), (7, False))
        answer = page["messages"][1]
        self.assertEqual((answer["git_branch"], answer["message"]["model"], answer["message"]["usage"]["output_tokens"]),
                         ("feature/x", "claude-sonnet-5", 42))
        self.assertEqual([block["type"] for block in answer["message"]["content"]], ["thinking", "text", "tool_use"])
        self.assertTrue(page["messages"][4]["is_context_compaction"])
        self.assertEqual(page["messages"][5]["message"]["content"], "And plants?")
        # The transcript reports both again later, but they appear once.
        made.user("And plants?", promptId="turn-2")
        made.assistant([tool_use("Bash", "late", command="ls")])
        Sender(server, key, made.session).send(made.bytes)
        page = await self.ask("session/messages", session_id=made.session)
        self.assertEqual((page["total"], len(page["messages"])), (7, 7))

    async def test_pages_by_offset_are_one_list(self):
        made = Transcript(session())
        for number in range(12):
            made.user(f"question {number}")
            made.assistant([text(f"answer {number}")])
        Sender(server, key, made.session).send(made.bytes)
        happens(hook("UserPromptSubmit", made.session, prompt="question 12"), hook("Stop", made.session, last_assistant_message="answer 12"))
        expected = [f"{kind} {number}" for number in range(13) for kind in ("question", "answer")]
        for order in ("asc", "desc"):
            seen, ids = [], []
            while True:
                page = await self.ask("session/messages", session_id=made.session, limit=5, offset=len(seen), order=order)
                for one in page["messages"]:
                    content = one["message"]["content"]
                    seen.append(content if isinstance(content, str) else content[0]["text"])
                    ids.append(one["id"])
                self.assertEqual(page["total"], 26)
                if not page["has_more"]:
                    break
            self.assertEqual(seen, expected if order == "asc" else expected[::-1])
            self.assertEqual(sorted(ids), list(range(1, 27)))

    async def test_elements_in_both_directions(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        happens(hook("UserPromptSubmit", made.session, prompt="And plants?", prompt_id="turn-2"))
        kinds = ["user_input", "assistant_thinking", "assistant_text", "tool_call", "tool_result", "assistant_text",
                 "user_input", "user_input"]
        whole = await self.ask("session/elements", session_id=made.session)
        self.assertEqual([one["type"] for one in whole["elements"]], kinds)
        call, answer = whole["elements"][3]["content"], whole["elements"][4]["content"]
        self.assertEqual((call["tool"], call["display"], call["status"], call["params"]),
                         ("Bash", "ls --animals", "completed", {"command": "ls --animals"}))
        self.assertEqual((answer["tool_name"], answer["full_content"], answer["line_count"]), ("Bash", "wombat\nquokka", 2))
        names = [one["id"] for one in whole["elements"]]
        seen, place = [], {}
        while True:
            page = await self.ask("session/elements", session_id=made.session, limit=3, **place)
            seen = [one["id"] for one in page["elements"]] + seen
            if not page["has_more"]:
                break
            place = {"before": page["pagination"]["oldest_id"]}
        self.assertEqual(seen, names)
        seen, place = [names[0]], {"after": names[0]}
        while True:
            page = await self.ask("session/elements", session_id=made.session, limit=3, **place)
            seen += [one["id"] for one in page["elements"]]
            if not page["has_more"]:
                break
            place = {"after": page["pagination"]["newest_id"]}
        self.assertEqual(seen, names)

    async def test_a_place_of_a_hook_that_the_transcript_told_meanwhile(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        happens(hook("UserPromptSubmit", made.session, prompt="And plants?", prompt_id="turn-2"))
        place = (await self.ask("session/elements", session_id=made.session, limit=1))["elements"][0]["id"]
        self.assertRegex(place, "^[0-9]+$")
        made.user("And plants?", promptId="turn-2")
        made.lines[-1]["timestamp"] = harness.iso(-10)
        made.assistant([text("Ferns.")])
        made.lines[-1]["timestamp"] = harness.iso(0)
        Sender(server, key, made.session).send(made.bytes)
        page = await self.ask("session/elements", session_id=made.session, after=place)
        self.assertEqual(page["elements"][-1]["content"]["text"], "Ferns.")
        page = await self.ask("session/elements", session_id=made.session, before=place)
        self.assertIn("A wombat and a quokka.", [one["content"].get("text") for one in page["elements"]])
        self.assertNotIn("Ferns.", [one["content"].get("text") for one in page["elements"]])

    async def test_sessions_say_whether_events_are_missing(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        for method in ("session/get", "session/state"):
            found = await self.ask(method, session_id=made.session)
            self.assertEqual(found["completeness"], server.get(f"/v1/sessions/{made.session}").json["completeness"])


def now(made):
    """The transcript with current times."""
    for number, line in enumerate(made.lines):
        line["timestamp"] = harness.iso(number - 20)
    return made


class Live(unittest.IsolatedAsyncioTestCase):
    """What clients of the cdev dialect receive during a session."""

    async def subscribe(self, client, chosen, since=None, **more):
        await rpc.result(client, "initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "cdev-ios", "version": "1"}})
        await rpc.result(client, "event/subscribe", {"session_id": chosen, "dialect": "cdev", **more, **({"since": since} if since else {})})

    async def all_of(self, chosen, last, since=None, at=None):
        """Every notification of the session, up to the event at this position."""
        async with ws.connected(at, ready=False) as client:
            await self.subscribe(client, chosen, since or {"epoch": None, "seq": 0})
            await self.reach(client, last)
            return self.told(client)

    async def reach(self, client, last):
        while not client.events or client.events[-1]["params"]["seq"] < last or "more" in client.events[-1]["params"]:
            await client.receive()

    def told(self, client):
        return [(one["method"][6:], one["params"]["seq"], one["params"]["payload"]) for one in client.events
                if not one["method"].startswith("event/prompt_")]

    def messages(self, told):
        """The role and the types of the blocks of each message."""
        return [(payload["role"], [block["type"] for block in payload["content"]]) for name, _, payload in told
                if name == "claude_message"]

    def erase(self, chosen):
        answer = Client(server.address, server.admin).request("POST", "/v1/erase", {"session_id": chosen})
        self.assertEqual(answer.status, 200, answer)

    def erase_another(self):
        chosen = session()
        happens(hook("Stop", chosen))
        self.erase(chosen)

    def last_of(self, chosen):
        return server.get(f"/v1/sessions/{chosen}/events?order=desc&limit=1").json["events"][0]["seq"]

    async def test_hooks_and_transcript_tell_each_message_once(self):
        made = now(talk())
        call = {"tool_name": "Bash", "tool_input": {"command": "ls --animals"}, "tool_use_id": f"toolu_{made.session}-1"}
        async with ws.connected(ready=False) as client, ws.connected(ready=False) as plain:
            await self.subscribe(client, made.session)
            await self.subscribe(plain, made.session, dialect="plain")
            happens(hook("UserPromptSubmit", made.session, prompt="Which animals live here? zebrafinch", prompt_id="turn-1"),
                    hook("PreToolUse", made.session, prompt_id="turn-1", **call),
                    hook("PostToolUse", made.session, prompt_id="turn-1", tool_response={"stdout": "wombat\nquokka"}, **call))
            Sender(server, key, made.session).send(made.bytes)
            # The hook arrives later than the transcript line of the same answer.
            happens(hook("Stop", made.session, last_assistant_message="A wombat and a quokka.", prompt_id="turn-1"))
            last = self.last_of(made.session)
            await self.reach(client, last)
            told = self.told(client)
            self.assertEqual(self.messages(told), [
                ("user", ["text"]), ("assistant", ["tool_use"]), ("user", ["tool_result"]),
                ("assistant", ["thinking", "text"]), ("assistant", ["text"]), ("user", ["text"])])
            words = [payload["content"][-1].get("text") for name, _, payload in told if name == "claude_message"]
            self.assertEqual(words[3:], ["I look.", "A wombat and a quokka.", "This session is being continued"])
            self.assertEqual([payload["is_context_compaction"] for name, _, payload in told if name == "claude_message"],
                             [False] * 5 + [True])
            logs = [payload for name, _, payload in told if name == "claude_log"]
            self.assertEqual([payload["uuid"] for payload in logs], [line["uuid"] for line in made.lines])
            self.assertEqual(logs[1]["message"]["content"], [{"type": "thinking", "thinking": "I look first.", "signature": "x"}])
            self.assertEqual({payload["type"] for payload in logs}, {"user", "assistant"})
            self.assertFalse([name for name, _, payload in told if "session_id" in payload and name.startswith("claude_")])
            await self.reach(plain, last)
            self.assertEqual([one["method"] for one in plain.events],
                             ["event/prompt", "event/tool_start", "event/tool", "event/transcript", "event/stop"])
        # The replay is the same from memory, from the database, and from any position.
        self.assertEqual(await self.all_of(made.session, last), told)
        for after in sorted({seq for _, seq, _ in told})[:-1]:
            again = await self.all_of(made.session, last, {"epoch": None, "seq": after})
            self.assertEqual(again, [one for one in told if one[1] > after])
        server.stop()
        server.start()
        self.assertEqual(await self.all_of(made.session, last), told)
        # An erasure empties the server's memory, so the following events come from the database.
        self.erase_another()
        self.assertEqual(await self.all_of(made.session, last), told)
        growth = next(seq for name, seq, _ in told if name == "transcript")
        self.assertEqual(await self.all_of(made.session, last, {"epoch": None, "seq": growth}), told[-2:])

    async def test_lines_may_come_in_pieces_and_before_their_hooks(self):
        made = now(talk())
        call = {"tool_name": "Bash", "tool_input": {"command": "ls --animals"}, "tool_use_id": f"toolu_{made.session}-1"}
        async with ws.connected(ready=False) as client:
            await self.subscribe(client, made.session)
            happens(hook("SessionStart", made.session))
            Sender(server, key, made.session).send(made.bytes, size=700)
            happens(hook("UserPromptSubmit", made.session, prompt="Which animals live here? zebrafinch", prompt_id="turn-1"),
                    hook("PreToolUse", made.session, prompt_id="turn-1", **call),
                    hook("PostToolUse", made.session, prompt_id="turn-1", tool_response={"stdout": "wombat\nquokka"}, **call),
                    hook("Stop", made.session, last_assistant_message="A wombat and a quokka.", prompt_id="turn-1"),
                    # The next turn ends with the same words.
                    hook("UserPromptSubmit", made.session, prompt="And where?", prompt_id="turn-2"),
                    hook("Stop", made.session, last_assistant_message="A wombat and a quokka.", prompt_id="turn-2"))
            last = self.last_of(made.session)
            await self.reach(client, last)
            told = self.told(client)
        blocks = [block for _, kinds in self.messages(told) for block in kinds]
        self.assertEqual(blocks, ["text", "thinking", "text", "tool_use", "tool_result", "text", "text", "text", "text"])
        self.assertEqual([payload["uuid"] for name, _, payload in told if name == "claude_log"],
                         [line["uuid"] for line in made.lines])
        self.assertEqual(await self.all_of(made.session, last), told)
        self.erase_another()
        for after in sorted({seq for _, seq, _ in told})[:-1]:
            again = await self.all_of(made.session, last, {"epoch": None, "seq": after})
            self.assertEqual(again, [one for one in told if one[1] > after])

    async def test_what_no_hook_tells_is_told(self):
        made = Transcript(session())
        made.user("Remove it", promptId="turn-1")
        made.assistant([tool_use("Bash", f"{made.session}-1", command="rm x")])
        made.user(tool_result(f"{made.session}-1", "The user doesn't want to proceed", is_error=True), promptId="turn-1")
        made.user([text("[Request interrupted by user for tool use]")], promptId="turn-1")
        call = {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "tool_use_id": f"toolu_{made.session}-1"}
        happens(hook("UserPromptSubmit", made.session, prompt="Remove it", prompt_id="turn-1"),
                hook("PreToolUse", made.session, prompt_id="turn-1", **call))
        Sender(server, key, made.session).send(now(made).bytes)
        told = await self.all_of(made.session, self.last_of(made.session))
        self.assertEqual(self.messages(told), [("user", ["text"]), ("assistant", ["tool_use"]), ("user", ["tool_result"]),
                                               ("user", ["text"])])

    async def test_history_and_subagents_are_not_told(self):
        made, agent = talk(), Transcript(session(), agent="a1")
        agent.user("Look for animals")
        Sender(server, key, made.session).send(made.bytes)
        Sender(server, key, agent.session).send(now(agent).bytes)
        for chosen in (made.session, agent.session):
            told = await self.all_of(chosen, self.last_of(chosen))
            self.assertEqual([name for name, _, _ in told], ["transcript"])

    async def test_what_was_not_stored_is_not_told(self):
        none = Server(MONITOR_STORE_CONTENT="none", MONITOR_RATE_LIMIT="off").start()
        try:
            made = now(talk())
            Sender(none, none.key("quiet"), made.session).send(made.bytes)
            last = none.get(f"/v1/sessions/{made.session}/events?limit=1").json["events"][0]["seq"]
            told = await self.all_of(made.session, last, at=none)
        finally:
            none.end()
        self.assertEqual(self.messages(told), [("assistant", ["tool_use"]), ("user", ["tool_result"])])
        for word in ("zebrafinch", "I look", "animals", "wombat", "continued"):
            self.assertNotIn(word, json.dumps(told))

    async def test_erased_lines_are_not_told(self):
        made = now(talk())
        Sender(server, key, made.session).send(made.bytes)
        other = now(talk())
        Sender(server, key, other.session).send(other.bytes)
        last = self.last_of(other.session)
        self.erase(made.session)
        async with ws.connected(ready=False) as client:
            await self.subscribe(client, other.session, {"epoch": None, "seq": 0})
            await self.reach(client, last)
        async with ws.connected(ready=False) as client:
            await self.subscribe(client, made.session, {"epoch": None, "seq": 0})
            await client.silent()
            self.assertEqual(client.events, [])


class Interruptions(unittest.TestCase):
    """Esc in the terminal: no hook reports it, only a line of the transcript."""

    def test_the_session_is_idle_until_it_is_asked_again(self):
        made = Transcript(session())
        made.user("Count", promptId="turn-1")
        made.assistant([tool_use("Bash", f"{made.session}-1", command="sleep 60")])
        made.user([text("[Request interrupted by user for tool use]")], promptId="turn-1")
        happens(hook("UserPromptSubmit", made.session, prompt="Count", prompt_id="turn-1"),
                hook("PreToolUse", made.session, tool_name="Bash", tool_input={"command": "sleep 60"}, prompt_id="turn-1",
                     tool_use_id=f"toolu_{made.session}-1"), ago=30)
        self.assertEqual(server.get(f"/v1/sessions/{made.session}").json["state"], "running")
        sender = Sender(server, key, made.session)
        sender.send(now(made).bytes)
        self.assertEqual(server.get(f"/v1/sessions/{made.session}").json["state"], "idle")
        events = server.get(f"/v1/sessions/{made.session}/events").json["events"]
        self.assertEqual([one["type"] for one in events], ["prompt", "tool_start", "transcript", "session_interrupted"])
        self.assertEqual(events[-1]["payload"], {"by": "terminal"})
        happens(hook("UserPromptSubmit", made.session, prompt="Go on", prompt_id="turn-2"))
        self.assertEqual(server.get(f"/v1/sessions/{made.session}").json["state"], "running")

    def test_a_no_at_the_terminal_is_a_refusal_of_what_was_asked(self):
        for line, ended in (("[Request interrupted by user for tool use]", ("answered", "deny", "terminal")),
                            ("[Request interrupted by user]", ("overtaken", None, None))):
            made = Transcript(session())
            made.user("Count", promptId="turn-1")
            made.assistant([tool_use("Bash", f"{made.session}-1", command="sleep 60")])
            made.user([text(line)], promptId="turn-1")
            call = {"tool_name": "Bash", "tool_input": {"command": "sleep 60"}, "prompt_id": "turn-1"}
            happens(hook("UserPromptSubmit", made.session, prompt="Count", prompt_id="turn-1"),
                    hook("PreToolUse", made.session, tool_use_id=f"toolu_{made.session}-1", **call),
                    hook("PermissionRequest", made.session, **call), ago=30)
            Sender(server, key, made.session).send(now(made).bytes)
            shown, = server.get(f"/v1/prompts?session_id={made.session}").json["prompts"]
            given = shown.get("answer", {"by": {}})
            self.assertEqual((shown["state"], given.get("decision"), given["by"].get("kind")), ended)
            event = server.get(f"/v1/sessions/{made.session}/events").json["events"]
            evidence, = (one["event_id"] for one in event if one["type"] == "session_interrupted")
            self.assertEqual(shown["life"][-1]["evidence"], evidence)
            self.assertEqual(server.get(f"/v1/sessions/{made.session}").json["state"], "idle")

    def test_one_that_comes_late_ends_no_later_turn(self):
        made = Transcript(session())
        made.user([text("[Request interrupted by user]")], promptId="turn-1")
        happens(hook("UserPromptSubmit", made.session, prompt="Go on", prompt_id="turn-2"))
        Sender(server, key, made.session).send(now(made).bytes)
        self.assertEqual(server.get(f"/v1/sessions/{made.session}").json["state"], "running")

    def test_history_says_nothing_of_the_state(self):
        made = Transcript(session())
        made.user([text("[Request interrupted by user]")])
        Sender(server, key, made.session).send(made.bytes)
        events = server.get(f"/v1/sessions/{made.session}/events").json["events"]
        self.assertEqual([one["type"] for one in events], ["transcript"])


class Search(unittest.TestCase):
    def find(self, query):
        answer = server.read_derived(f"/v1/search?{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json["results"]

    def test_transcripts_and_hooks_are_found_once(self):
        made = talk()
        happens(hook("UserPromptSubmit", made.session, prompt="Which animals live here? zebrafinch"))
        mine = f"session_id={made.session}"
        found, = self.find(f"{mine}&q=zebrafinch")
        self.assertEqual((found["kind"], found["session_id"], "seq" in found, "line" in found),
                         ("prompt", made.session, True, False))
        Sender(server, key, made.session).send(made.bytes)
        found, = self.find(f"{mine}&q=zebrafinch")
        self.assertEqual(("seq" in found, "line" in found), (False, True))
        self.assertIn("zebrafinch", found["snippet"])
        self.assertEqual([one["kind"] for one in self.find(f"{mine}&q=quokka")], ["answer", "tool_output"])
        self.assertEqual(len(self.find(f"{mine}&q=quokka&kind=tool_output")), 1)
        self.assertEqual(self.find(f"{mine}&q=%22wombat+quokka%22+-answer&kind=answer"), [])
        self.assertEqual(self.find("q=zebrafinch&machine_id=nobody"), [])
        self.assertEqual(self.find(f"{mine}&q=zebrafinch&to=2020-01-01"), [])

    def test_pages_are_in_the_order_of_time(self):
        made = Transcript(session())
        for number in range(9):
            made.user(f"axolotl {number}")
        Sender(server, key, made.session).send(made.bytes)
        seen, cursor = [], ""
        while cursor is not None:
            page = server.get(f"/v1/search?q=axolotl&limit=4{cursor}").json
            seen += [one["snippet"] for one in page["results"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        self.assertEqual(seen, [f"axolotl {number}" for number in range(8, -1, -1)])

    def test_scripts_without_spaces_and_parts_of_names_are_found(self):
        """The search finds them in transcripts and in hook events."""
        words = ("请帮我修复登录页面的错误，ログイン画面のバグも、로그인화면도. See src/login_form/FormValidator.swift "
                 "and parseHTTPHeader() for the registration.")
        made, hooked = Transcript(session()), session()
        made.user(words)
        Sender(server, key, made.session).send(made.bytes)
        happens(hook("UserPromptSubmit", hooked, prompt=words))
        for query in ("登录页面", "修复登录", "ログイン", "ロ", "로그인", "错", "页面的错误",
                      "login", "form", "src/login_form", "FormValidator.swift", "validator", "formvalid", "login_form/formval",
                      "header", "http", "parseHTTP", "parsehttpheader", "regis", '"the registration"', "LOGIN"):
            for chosen in (made.session, hooked):
                with self.subTest(query, chosen=chosen):
                    found = self.find(f"session_id={chosen}&q={urllib.parse.quote(query)}")
                    self.assertEqual(len(found), 1, found)
        for query in ("登页", "面页", "イログ", "ogin", "alidator", "swift/form", "the-registry", '"the regis"'):
            with self.subTest(query):
                self.assertEqual(self.find(f"session_id={made.session}&q={urllib.parse.quote(query)}"), [])

    def test_the_snippet_shows_the_match(self):
        made = Transcript(session())
        made.user("filler " * 400 + "the platypus swims " + "filler " * 400)
        Sender(server, key, made.session).send(made.bytes)
        for query in ("platypus", "PLATY", "missing or platypus"):
            found, = self.find(f"session_id={made.session}&q={urllib.parse.quote(query)}")
            self.assertIn("the platypus swims", found["snippet"])
            self.assertLess(len(found["snippet"]), 400)

    def test_groups_of_kinds(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        mine = f"session_id={made.session}&q=quokka"
        self.assertEqual([one["kind"] for one in self.find(f"{mine}&kind=message")], ["answer"])
        self.assertEqual([one["kind"] for one in self.find(f"{mine}&kind=tool")], ["tool_output"])

    def test_many_matches_come_newest_first_whatever_finds_them(self):
        """There are more texts than the search compares one by one. The words are frequent, rare, or only in the oldest
        text."""
        made = Transcript(session())
        for number in range(4200):
            made.user(f"capybara {number}" + (" numbat" if number in (3, 2500, 4000) else ""))
        Sender(server, key, made.session).send(made.bytes)
        def numbers(query):
            return [int(one["snippet"].split()[1]) for one in self.find(query)]
        self.assertEqual(numbers("q=capybara&limit=200"), list(range(4199, 3999, -1)))
        self.assertEqual(numbers("q=numbat"), [4000, 2500, 3])
        self.assertEqual(numbers("q=numbat&limit=1"), [4000])
        self.assertEqual(numbers('q=%22capybara+7%22'), [7])
        seen, cursor = [], ""
        while cursor is not None:
            page = server.get(f"/v1/search?q=capybara+-numbat&limit=190{cursor}").json
            seen += [int(one["snippet"].split()[1]) for one in page["results"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        self.assertEqual(seen, [number for number in range(4199, -1, -1) if number not in (3, 2500, 4000)])

    def test_what_cannot_be_asked(self):
        for query in ("", "q=", "q=a&kind=mood", "q=a&cursor=x", "q=a&from=soon", "q=" + "a" * 2000):
            self.assertEqual(server.get(f"/v1/search?{query}").status, 400, query)

    def test_the_command_line(self):
        made = talk()
        Sender(server, key, made.session).send(made.bytes)
        shown = server.control("search", "quokka", "--session", made.session).stdout
        self.assertIn("A wombat and a quokka.", shown)
        self.assertIn("Nothing found", server.control("search", "unicorn").stderr)


class Export(unittest.TestCase):
    def test_json_lines_hold_all(self):
        made = talk()
        happens(hook("UserPromptSubmit", made.session, prompt="Which animals live here?"))
        Sender(server, key, made.session).send(made.bytes)
        answer = server.get(f"/v1/sessions/{made.session}/export")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "application/x-ndjson"))
        lines = [json.loads(line) for line in answer.body.splitlines()]
        kinds = [line["type"] for line in lines]
        self.assertEqual((kinds[0], kinds.count("message"), kinds.count("request"), kinds.count("event")),
                         ("session", 5, 2, 2))
        self.assertEqual(lines[0]["session"]["id"], made.session)

    def test_markdown_is_the_conversation(self):
        made = talk()
        made.assistant([text("A fence: ```` and more")])
        Sender(server, key, made.session).send(made.bytes)
        shown = server.control("export", made.session).stdout
        for part in ("## You", "Which animals live here?", "## Claude", "**Bash**", "wombat\nquokka", "> Thinking: I look first."):
            self.assertIn(part, shown)
        # What a tool returned is not what the person said.
        before = shown[:shown.index("wombat\nquokka")]
        self.assertEqual(before[before.rindex("## "):].splitlines()[0], "## Claude Code")
        hooks = session()
        happens(hook("UserPromptSubmit", hooks, prompt="Only hooks"), hook("Stop", hooks, last_assistant_message="Indeed."))
        shown = server.get(f"/v1/sessions/{hooks}/export?format=markdown").body.decode()
        self.assertIn("Only hooks", shown)
        self.assertIn("Indeed.", shown)
        self.assertEqual(server.get(f"/v1/sessions/{hooks}/export?format=pdf").status, 400)
        self.assertEqual(server.get("/v1/sessions/nobody/export").status, 404)

    def test_a_long_conversation_is_written_page_by_page(self):
        made = Transcript(session())
        for number in range(300):
            made.user(f"question {number} " + "x" * 3000)
        Sender(server, key, made.session).send(made.bytes)
        lines = server.get(f"/v1/sessions/{made.session}/export").body.splitlines()
        asked = [json.loads(line)["content"].split(" x")[0] for line in lines if b'"type":"message"' in line]
        self.assertEqual(asked, [f"question {number}" for number in range(300)])


if __name__ == "__main__":
    unittest.main()
