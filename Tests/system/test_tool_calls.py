"""Tools of machines that are run: asked for by REST, approved by a person who is not the caller, run once by the agent."""

import json
import threading
import unittest
import uuid

import test_openapi as openapi
import test_tools as tools
from agents import LATER, Agent
from harness import Client, Postgres, Server, envelope, hook, wait_for

COMMIT, STATUS, told = tools.COMMIT, tools.STATUS, tools.told
RESULT = {"content": [{"type": "text", "text": "clean"}], "structuredContent": {"clean": True}}
USE = "toolu_monitor_"


def setUpModule():
    tools.setUpModule()


def tearDownModule():
    tools.tearDownModule()


class WithSession(tools.WithMachine):
    """A session of the machine's agent, which has the tools of a server."""

    def setUp(self):
        super().setUp()
        self.server = tools.server
        self.agent.answers.update({"mcp/ask": lambda params: LATER, "mcp/run": lambda params: LATER})
        self.agent.state(self.chosen, "idle")
        self.git = self.refresh(told("git", STATUS, COMMIT))["servers"][0]
        self.answers = []

    def program(self, *capabilities, **limits):
        answer = self.ask("POST", "/v1/api-keys", {"name": f"key-{uuid.uuid4()}", "capabilities": list(capabilities), **limits})
        self.assertEqual(answer.status, 201, answer)
        return answer.json["key"]

    def phone(self, *capabilities):
        """A device's token. The operator grants what an invitation cannot."""
        device = self.device()
        for capability in capabilities:
            answer = self.ask("PUT", f"/v1/devices/{device['device_id']}/grants/{capability}", {})
            self.assertEqual(answer.status, 200, answer)
        return device

    def execute(self, token=None, name="git.git_status", **body):
        body = {"session_id": self.chosen, "parameters": {"path": "."}, "wait": 30, **body}
        return self.ask("POST", f"/v1/tools/{name}/execute", body, token)

    def executing(self, token=None, name="git.git_status", **body):
        """Asks for a call in a thread of its own. The answer is in `answers` at the end."""
        thread = threading.Thread(target=lambda: self.answers.append(self.execute(token, name, **body)))
        thread.start()
        self.addCleanup(thread.join, 40)
        return thread

    def asked(self, number=0):
        """What the agent is asked to ask about, once it has opened the prompt."""
        params = self.agent.taken(number)
        event = envelope(dict(hook("PermissionRequest", self.chosen, tool_name="mcp__git__" + params["tool"],
                                   tool_input=params["arguments"], tool_use_id=USE + params["command_id"]), cwd=self.path))
        self.agent.open_prompt(self.chosen, event, str(uuid.uuid4()))
        return params

    def prompt(self, call, session=None):
        """The prompt of the call, once it can be answered: the server keeps it before it finds the hook that waits."""
        def found():
            prompts = self.get("/v1/prompts", session_id=session or self.chosen, state="open")["prompts"]
            return next((one for one in prompts if one["tool_use_id"] == USE + call and one["answerable"]), None)
        return wait_for(found, "the prompt of the call")

    def decide(self, call, decision="allow", token=None):
        return self.ask("POST", f"/v1/prompts/{self.prompt(call)['id']}/answer", {"decision": decision}, token)

    def approve(self, number=0, token=None):
        """A person approves the call, and the agent says so. Returns the call's id."""
        call = self.asked(number)["command_id"]
        answer = self.decide(call, token=token)
        self.assertEqual(answer.status, 200, answer)
        self.agent.wait_for("prompt/answer", 1)
        self.agent.answer({"approved": True}, number)
        return call

    def run_call(self, result=RESULT, number=1):
        text = json.dumps(result)
        self.agent.answer({"piece": text, "bytes": len(text.encode())}, number)

    def refuse(self, reason, message="No.", number=0):
        self.agent.taken(number)
        self.agent.send({"jsonrpc": "2.0", "id": self.agent.waiting[number][0],
                         "error": {"code": -32005, "message": message, "data": {"reason": reason}}})

    def end(self, thread, status, code=None):
        thread.join(40)
        self.assertEqual(len(self.answers), 1)
        answer = self.answers[0]
        self.assertEqual(answer.status, status, answer)
        if code:
            self.assertEqual(answer.json["error"]["code"], code, answer)
        return answer

    def status(self, call, token=None):
        return self.get(f"/v1/tools/calls/{call}", token)

    def ends_as(self, call, state):
        return wait_for(lambda: (found := self.status(call))["status"] == state and found, f"{state} of the call")

    def runs(self):
        return [params for name, params in self.agent.commands if name == "mcp/run"]

    def audited(self):
        return [row for row in self.get("/v1/audit", limit=50, action="tool.run")["data"] if self.name in row["object"]]


class Approved(WithSession):
    def test_a_call_that_a_person_approves(self):
        thread = self.executing(self.program("tools"))
        asked = self.asked()
        self.assertEqual({name: asked[name] for name in ("session_id", "server", "scope", "tool", "digest", "arguments")}, {
            "session_id": self.chosen, "server": "git", "scope": "user", "tool": "git_status",
            "digest": self.tools()["git_status"]["digest"], "arguments": {"path": "."}})
        self.assertEqual(asked["by"]["kind"], "api_key")
        call = asked["command_id"]
        waiting = self.status(call)
        self.assertEqual((waiting["status"], waiting["tool"], waiting["session_id"], waiting["machine_id"]),
                         ("waiting", "git.git_status", self.chosen, self.name))
        # The prompt and the list of prompts both name the caller.
        prompt = self.prompt(call)
        self.assertEqual((prompt["asked_by"]["kind"], prompt["asked_by"]["id"]), ("api_key", waiting["caller"]))
        self.assertEqual(prompt["asked_by"]["name"], waiting["caller_name"])
        self.assertEqual(self.get(f"/v1/prompts/{prompt['id']}")["asked_by"], prompt["asked_by"])
        self.assertEqual(self.runs(), [])
        self.assertEqual(self.decide(call).status, 200)
        self.agent.answer({"approved": True})
        self.assertEqual(self.agent.taken(1)["call_id"], call)
        self.run_call()
        answer = self.end(thread, 200)
        openapi.check("/v1/tools/{name}/execute", "POST", answer)
        body = answer.json
        self.assertEqual((body["tool"], body["content"], body["structured_content"], body["is_error"], body["call_id"]),
                         ("git.git_status", RESULT["content"], {"clean": True}, False, call))
        self.assertEqual(body["approved_by"], "admin")
        self.assertIn("duration_ms", body)
        stored = self.status(call)
        self.assertEqual((stored["status"], stored["prompt_id"], stored["approved_by"], stored["is_error"]),
                         ("completed", body["prompt_id"], "admin", False))
        # A result that was told is not kept.
        self.assertNotIn("content", stored)
        row = wait_for(self.audited, "the row of the audit log")[0]
        self.assertEqual((row["result"], row["actor"]), ("granted", stored["caller"]))
        for word in (call, "approved_by=admin", f"bytes={len(json.dumps(RESULT))}", self.git["id"], self.chosen):
            self.assertIn(word, row["object"])
        self.assertEqual(len(self.runs()), 1)

    def test_names_of_a_tool(self):
        names = ("git__git_status", self.git["id"] + ".git_status", self.git["id"] + "__git_status")
        for number, name in enumerate(names):
            self.executing(name=name, arguments={}, parameters=None)
            self.assertEqual((self.agent.taken(number)["tool"], self.agent.taken(number)["arguments"]), ("git_status", {}))
            self.refuse("denied_by_person", number=number)

    def test_a_caller_that_does_not_wait_reads_the_result_later(self):
        key = self.program("tools")
        answer = self.execute(key, wait=0)
        self.assertEqual((answer.status, answer.json["status"]), (202, "waiting"), answer)
        openapi.check("/v1/tools/{name}/execute", "POST", answer)
        call = self.approve()
        self.assertEqual(answer.json["call_id"], call)
        self.agent.taken(1)
        self.assertEqual(self.status(call, key)["status"], "running")
        self.run_call()
        done = wait_for(lambda: (found := self.status(call, key)).get("content") and found, "the result")
        self.assertEqual((done["status"], done["content"], done["structured_content"]),
                         ("completed", RESULT["content"], {"clean": True}))
        # The result is the caller's.
        self.assertNotIn("content", self.status(call))

    def test_a_long_result_comes_in_pieces(self):
        text = "\u00e4\u20ac" * 200_000
        whole = json.dumps({"content": [{"type": "text", "text": text}], "isError": True}, ensure_ascii=False).encode()
        cut = whole.index(b'"text": "') + 9 + 5 * 30_000

        def rest(params):
            self.assertEqual(params["offset"] % 5, cut % 5)
            return {"piece": whole[params["offset"]:params["offset"] + 150_000].decode(errors="ignore"), "bytes": len(whole)}
        self.agent.answers["mcp/result"] = rest
        thread = self.executing()
        self.approve(token=self.phone("respond")["access_token"])
        self.agent.answer({"piece": whole[:cut].decode(), "bytes": len(whole)}, 1)
        body = self.end(thread, 200).json
        self.assertTrue(body["is_error"] and body["content"][0]["text"] == text)

    def test_a_machine_that_answers_with_nonsense(self):
        pieces = ({"piece": "[1]", "bytes": 3}, {"piece": "", "bytes": 9}, {"piece": "{}", "bytes": 1 << 30})
        for number, piece in enumerate(pieces):
            thread = self.executing(self.program("tools"))
            call = self.approve(2 * number)
            self.agent.answer(piece, 2 * number + 1)
            answer = self.end(thread, 502, "outcome_unknown")
            self.assertEqual((answer.headers["x-should-retry"], answer.headers["x-tool-call-id"]), ("false", call))
            self.answers.clear()
            self.ends_as(call, "unknown")


class Refused(WithSession):
    def test_the_caller_does_not_approve_its_own_call(self):
        device = self.phone("control", "respond")
        thread = self.executing(device["access_token"])
        call = self.asked()["command_id"]
        answer = self.decide(call, token=device["access_token"])
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "own_call"), answer)
        self.assertEqual(self.prompt(call)["state"], "open")
        # It may take the call back.
        self.assertEqual(self.decide(call, "deny", device["access_token"]).status, 200)
        self.refuse("denied_by_person", "not now")
        self.assertEqual(self.end(thread, 403, "denied_by_person").json["error"]["message"], "not now")
        stored = self.ends_as(call, "denied")
        self.assertEqual(stored["error"], {"code": "denied_by_person", "message": "not now"})
        self.assertEqual(self.answers[0].headers["x-tool-call-id"], call)

    def test_the_operator_does_not_approve_its_own_call_either(self):
        thread = self.executing()
        call = self.asked()["command_id"]
        self.assertEqual(self.decide(call).json["error"]["code"], "own_call")
        self.assertEqual(self.decide(call, token=self.phone("respond")["access_token"]).status, 200)
        self.agent.answer({"approved": True})
        self.agent.taken(1)
        self.run_call()
        self.assertTrue(self.end(thread, 200).json["approved_by"].startswith("device:"))

    def test_an_agent_that_says_so_is_no_approval(self):
        thread = self.executing()
        self.agent.taken()
        self.agent.answer({"approved": True})
        self.end(thread, 403, "approval_expired")
        self.assertEqual(self.runs(), [])

    def test_a_caller_whose_right_is_gone_runs_nothing(self):
        device = self.phone("control")
        thread = self.executing(device["access_token"])
        call = self.asked()["command_id"]
        answer = self.ask("DELETE", f"/v1/devices/{device['device_id']}/grants/control")
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.decide(call).status, 200)
        self.agent.answer({"approved": True})
        self.end(thread, 403)
        self.ends_as(call, "refused")
        self.assertEqual(self.runs(), [])

    def test_the_machine_refuses(self):
        cases = (("not_allowed_by_machine", 403, "refused"), ("approval_expired", 403, "expired"), ("tool_changed", 409, "refused"),
                 ("claude_outdated", 409, "refused"), ("too_many_commands", 429, "refused"))
        for number, (reason, status, state) in enumerate(cases):
            with self.subTest(reason):
                thread = self.executing()
                call = self.agent.taken(number)["command_id"]
                self.refuse(reason, number=number)
                self.end(thread, status, reason)
                self.answers.clear()
                self.assertEqual(self.ends_as(call, state)["error"]["code"], reason)
        thread = self.executing()
        call = self.approve(len(cases), self.phone("respond")["access_token"])
        self.refuse("denied_by_machine", "a hook denies it", len(cases) + 1)
        self.end(thread, 403, "denied_by_machine")
        self.ends_as(call, "refused")
        self.assertEqual({row["result"] for row in self.audited()} - {"rejected"}, set())

    def test_what_cannot_be_run(self):
        for status, code, name, more in (
                (404, "tool_not_found", "git.absent", {}), (404, "tool_not_found", "git_status", {}),
                (404, "session_not_found", "git.git_status", {"session_id": str(uuid.uuid4())}),
                (400, "missing_parameter", self.git["id"] + ".git_status", {"session_id": None}),
                (400, "invalid_parameter", "git.git_status", {"project_id": self.project}),
                (404, "machine_not_found", "git.git_status", {"session_id": None, "machine_id": "absent"}),
                (404, "tool_not_found", "git.absent", {"session_id": None}),
                (400, "invalid_parameter", "git.git_status", {"parameters": [1]}),
                (400, "invalid_parameter", "git.git_status", {"arguments": {}}),
                (400, "invalid_parameter", "git.git_status", {"wait": 601}),
                (400, "invalid_parameter", "git.git_status", {"wait": "long"})):
            with self.subTest(code, **more):
                answer = self.execute(name=name, **more)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)
        self.refresh(told("git", {**STATUS, "description": "Deletes everything."}, COMMIT))
        self.assertEqual(self.execute().json["error"]["code"], "tool_changed")
        self.refresh(told("git", STATUS), told("git.git", {"name": "x"}), told("git", {"name": "git.x"}, scope="local"))
        self.assertEqual(self.execute(name="git.git.x").json["error"]["code"], "ambiguous_tool")
        self.assertEqual([name for name, _ in self.agent.commands if name == "mcp/ask"], [])

    def test_a_tool_of_which_only_the_name_is_known(self):
        self.refresh(told("far", state="unlisted", reason="remote", is_listed=False, is_complete=False))
        thread = self.executing(name="far.look")
        asked = self.agent.taken()
        self.assertEqual((asked["server"], asked["tool"], asked.get("digest")), ("far", "look", None))
        self.refuse("tool_not_found")
        self.end(thread, 400, "tool_not_found")

    def test_a_tool_that_its_server_hides_keeps_its_pin(self):
        digest = self.tools()["git_status"]["digest"]
        self.refresh(told("git", COMMIT))
        self.assertEqual(self.execute().json["error"]["code"], "tool_not_found")
        self.refresh(told("git", COMMIT, is_complete=False))
        thread = self.executing()
        self.assertEqual(self.agent.taken()["digest"], digest)
        self.refuse("tool_changed")
        self.end(thread, 409, "tool_changed")
        self.refresh(told("git", {**STATUS, "description": "Deletes everything."}, COMMIT))
        self.refresh(told("git", COMMIT))
        self.refresh(told("git", COMMIT, is_complete=False))
        self.assertEqual(self.execute().json["error"]["code"], "tool_changed")

    def test_rights(self):
        reader = tools.reader
        other = self.server.key(f"other-{uuid.uuid4().hex[:6]}")
        number = next(one["id"] for one in self.get("/v1/machines")["machines"] if one["name"].startswith("other-"))
        elsewhere = self.program("tools", machines=[number])
        for token in (reader, self.key, other, self.program("read"), self.program("chat"), elsewhere):
            self.assertEqual(self.execute(token).json["error"]["code"], "insufficient_scope")
        self.assertEqual(self.execute("cma_" + "x" * 36).status, 401)
        owner, stranger = self.program("tools"), self.program("tools")
        call = self.execute(owner, wait=0).json["call_id"]
        self.refuse("denied_by_person")
        self.ends_as(call, "denied")
        for token in (owner, reader):
            self.assertIn(call, [one["call_id"] for one in self.get("/v1/tools/calls", token, machine_id=self.name)["calls"]])
            self.assertEqual(self.status(call, token)["status"], "denied")
        self.assertEqual(self.get("/v1/tools/calls", stranger)["calls"], [])
        self.assertEqual(self.get(f"/v1/tools/calls/{call}", stranger, 404)["error"]["code"], "tool_call_not_found")

    def test_lists(self):
        made = []
        for number in range(3):
            made.append(self.execute(wait=0).json["call_id"])
            self.refuse("denied_by_person", number=number)
            self.ends_as(made[-1], "denied")
        found, cursor = [], {}
        while True:
            answer = self.ask("GET", f"/v1/tools/calls?machine_id={self.name}&limit=2" + (f"&cursor={cursor}" if cursor else ""))
            openapi.check("/v1/tools/calls", "GET", answer)
            found += [one["call_id"] for one in answer.json["calls"]]
            cursor = answer.json["next_cursor"]
            if not cursor:
                break
        self.assertEqual(found, made[::-1])
        self.assertEqual(self.get(f"/v1/tools/calls?machine_id={self.name}&status=completed")["calls"], [])
        self.assertEqual(len(self.get(f"/v1/tools/calls?session_id={self.chosen}&status=denied")["calls"]), 3)

    def test_calls_have_a_bound(self):
        # A caller has at most as many places of a machine as are still free.
        last = self.program("tools")
        for caller, most in ((None, 4), (self.program("tools"), 2), (last, 1)):
            for _ in range(most):
                self.assertEqual(self.execute(caller, wait=0).status, 202)
            answer = self.execute(caller, wait=0)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (429, "too_many_calls"), answer)
        self.agent.taken(6)
        self.refuse("denied_by_person")
        wait_for(lambda: self.execute(last, wait=0).status == 202, "room for another call")


class Repeated(WithSession):
    """Requests with an Idempotency-Key."""

    def setUp(self):
        super().setUp()
        self.caller, self.word = self.program("tools"), uuid.uuid4().hex

    def once(self, caller=None, word=None, name="git.git_status", **body):
        body = {"session_id": self.chosen, "parameters": {"path": "."}, "wait": 30, **body}
        client = Client(self.server.address, caller or self.caller, timeout=60)
        self.addCleanup(client.close)
        return client.request("POST", f"/v1/tools/{name}/execute", body, {"Idempotency-Key": word or self.word})

    def test_a_repeat_joins_the_call_and_gets_its_result_for_a_day(self):
        first = self.once(wait=0)
        self.assertEqual(first.status, 202, first)
        threads = [threading.Thread(target=lambda: self.answers.append(self.once(wait=0))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(40)
        self.assertEqual({(answer.status, answer.json["call_id"]) for answer in self.answers}, {(202, first.json["call_id"])})
        call = self.approve()
        self.run_call()
        self.ends_as(call, "completed")
        for _ in range(2):
            again = self.once(wait=0)
            self.assertEqual((again.status, again.json["call_id"], again.json["content"]), (200, call, RESULT["content"]))
            openapi.check("/v1/tools/{name}/execute", "POST", again)
        self.assertEqual(len(self.runs()), 1)

    def test_many_at_once_are_one_call(self):
        threads = [threading.Thread(target=lambda: self.answers.append(self.once())) for _ in range(6)]
        for thread in threads:
            thread.start()
        call = self.approve()
        self.run_call()
        for thread in threads:
            thread.join(40)
        self.assertEqual({(answer.status, answer.json["call_id"]) for answer in self.answers}, {(200, call)}, self.answers)
        self.assertEqual(len(self.runs()), 1)

    def test_an_error_is_repeated_too(self):
        thread = threading.Thread(target=lambda: self.answers.append(self.once()))
        thread.start()
        self.refuse("denied_by_person", "not now")
        first = self.end(thread, 403, "denied_by_person")
        again = self.once()
        self.assertEqual((again.status, again.json["error"], again.headers["x-tool-call-id"]),
                         (403, {**first.json["error"], "request_id": again.json["error"].get("request_id")}
                          if "request_id" in first.json["error"] else first.json["error"], first.headers["x-tool-call-id"]))
        self.assertEqual(len([name for name, _ in self.agent.commands if name == "mcp/ask"]), 1)

    def test_a_key_is_of_one_request_and_one_caller(self):
        call = self.once(wait=0).json["call_id"]
        for changed in ({"parameters": {"path": "/"}}, {"name": "git.git_commit"}):
            answer = self.once(**{"wait": 0, **changed})
            self.assertEqual((answer.status, answer.json["error"]["code"]), (422, "idempotency_key_reused"), answer)
        other = self.once(self.program("tools"), wait=0)
        self.assertEqual(other.status, 202, other)
        self.assertNotEqual(other.json["call_id"], call)
        self.assertEqual(self.once(word="x" * 256, wait=0).status, 400)

    def test_what_was_refused_before_it_began_may_be_repeated(self):
        self.assertEqual(self.once(name="git.none", wait=0).status, 404)
        self.assertEqual(self.once(wait=0).status, 202)


class Erased(WithSession):
    def test_a_call_without_a_session_goes_with_its_project(self):
        self.assertEqual(self.execute(session_id=None, project_id=self.project, wait=0).status, 202)
        self.refuse("denied_by_person")
        call = self.get("/v1/tools/calls", machine_id=self.name)["calls"][0]["call_id"]
        self.ends_as(call, "denied")
        self.agent.close()
        answer = self.ask("POST", "/v1/erase", {"project_id": self.project})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.get(f"/v1/tools/calls/{call}", status=404)["error"]["code"], "tool_call_not_found")


class Usage(WithSession):
    def usage(self, **query):
        path = f"/v1/tools/usage?machine_id={self.name}" + "".join(f"&{name}={value}" for name, value in query.items())
        answer = self.ask("GET", path, token=tools.reader)
        self.assertEqual(answer.status, 200, answer)
        openapi.check("/v1/tools/usage", "GET", answer)
        return answer.json["usage"]

    def test_sums_by_tool_and_by_server(self):
        self.assertEqual(self.usage(), [])
        key, number = self.program("tools"), 0
        for result in (RESULT, {**RESULT, "isError": True}):
            thread = self.executing(key)
            self.approve(number)
            self.run_call(result, number + 1)
            self.end(thread, 200)
            self.answers.clear()
            number += 2
        call = self.execute(key, "git.git_commit", wait=0).json["call_id"]
        self.refuse("denied_by_person", number=number)
        self.ends_as(call, "denied")
        status, commit = self.usage()
        self.assertEqual({name: status[name] for name in ("tool", "server", "server_id", "machine_id", "calls", "succeeded", "failed",
                                                          "not_run", "unknown")},
                         {"tool": "git.git_status", "server": "git", "server_id": self.git["id"], "machine_id": self.name, "calls": 2,
                          "succeeded": 1, "failed": 1, "not_run": 0, "unknown": 0})
        self.assertGreaterEqual(status["duration_ms_max"], status["duration_ms_average"])
        self.assertEqual(status["result_bytes"], len(json.dumps(RESULT)) + len(json.dumps({**RESULT, "isError": True})))
        self.assertEqual((commit["tool"], commit["calls"], commit["not_run"]), ("git.git_commit", 1, 1))
        self.assertNotIn("duration_ms_max", commit)
        server = self.usage(by="server")
        self.assertEqual([(one["calls"], one.get("tool")) for one in server], [(3, None)])
        self.assertEqual(self.usage(to="2020-01-01"), [])
        self.assertEqual(len(self.usage(**{"from": "2020-01-01", "to": "2099-01-01"})), 2)
        metrics = self.ask("GET", "/metrics")
        self.assertIn('monitor_tool_calls_total{outcome="denied"}', metrics.body.decode())


class Places(WithSession):
    """Calls where no session is named: a process of its own makes them."""

    def asked_at(self, number=0):
        params = self.agent.taken(number)
        self.assertNotIn("session_id", params)
        return params["path"]

    def test_a_project(self):
        thread = self.executing(self.program("tools"), session_id=None, project_id=self.project)
        self.assertEqual(self.asked_at(), self.path)
        host = str(uuid.uuid4())
        params = self.agent.taken()
        event = envelope(dict(hook("PermissionRequest", host, tool_name="mcp__git__git_status", tool_input=params["arguments"],
                                   tool_use_id=USE + params["command_id"]), cwd=self.path))
        self.agent.open_prompt(host, event, str(uuid.uuid4()))
        found = self.prompt(params["command_id"], host)
        self.assertEqual(self.ask("POST", f"/v1/prompts/{found['id']}/answer", {"decision": "allow"}).status, 200)
        self.agent.answer({"approved": True})
        self.assertNotIn("session_id", self.agent.taken(1))
        self.run_call()
        call = self.end(thread, 200).json["call_id"]
        self.assertNotIn("session_id", self.status(call))

    def test_the_server_s_own_directory(self):
        own = self.refresh(told("own", COMMIT, scope="local"))["servers"]
        name = next(one["id"] for one in own if one["name"] == "own") + ".git_commit"
        for number, body in enumerate(({}, {"machine_id": self.name})):
            self.executing(name=name, session_id=None, **body)
            self.assertEqual(self.asked_at(number), self.path)
            self.refuse("denied_by_person", number=number)

    def test_a_name_of_several_servers(self):
        other = f"/home/dev/{self.name}/other"
        self.refresh(told("own", COMMIT, scope="local"))
        self.refresh(told("own", COMMIT, scope="local"), machine_id=self.name, path=other)
        answer = self.execute(name="own.git_commit", session_id=None, machine_id=self.name)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "ambiguous_tool"), answer)
        for one in self.get("/v1/mcp/servers", machine_id=self.name)["servers"]:
            self.assertEqual(one["id"] in answer.json["error"]["message"], one["name"] == "own")


class Ends(WithSession):
    def again(self):
        """The agent returns."""
        self.agent = Agent(self.server, self.key, identity=self.identity, **self.agent.answers)
        self.agent.greeting["sessions"] = [{"session_id": self.chosen, "state": "idle", "pid": 1, "cwd": self.path, "mode": "default",
                                            "queue": []}]
        self.agent.greet()
        self.addCleanup(self.agent.close)

    def test_an_agent_that_is_lost_while_a_person_thinks_runs_nothing(self):
        thread = self.executing(self.program("tools"))
        call = self.asked()["command_id"]
        self.agent.close()
        self.assertIn("did not run", self.end(thread, 503, "agent_unavailable").json["error"]["message"])
        self.ends_as(call, "expired")
        self.again()
        self.assertEqual(self.runs(), [])

    def test_an_agent_that_is_lost_while_the_tool_runs(self):
        thread = self.executing(self.program("tools"))
        call = self.approve()
        self.agent.taken(1)
        self.agent.close()
        self.end(thread, 502, "outcome_unknown")
        self.assertEqual(self.ends_as(call, "unknown")["approved_by"], "admin")
        self.again()
        self.assertEqual(self.runs(), [])
        self.assertIn("outcome=unknown", wait_for(self.audited, "the row of the audit log")[0]["object"])


class Faults(WithSession):
    """A server that is killed, and a database that is away."""

    def setUp(self):
        self.cluster = Postgres().start()
        self.addCleanup(self.cluster.end)
        self.usual = tools.server
        tools.server = Server(DATABASE_URL=self.cluster.url, MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(lambda: setattr(tools, "server", self.usual))
        self.addCleanup(lambda: self.server.end())
        super().setUp()

    def states(self):
        return [row.split("|") for row in self.cluster.sql("SELECT id, state FROM tool_calls")]

    def test_a_server_that_dies_while_calls_wait_and_run(self):
        waiting = self.execute(wait=0).json["call_id"]
        self.asked(0)
        running = self.execute(self.program("tools"), wait=0).json["call_id"]
        self.approve(1)
        self.agent.taken(2)
        self.server.kill()
        self.cluster.sql("UPDATE tool_calls SET touched_at = touched_at - interval '1 minute'")
        self.server.start()
        self.assertEqual(self.ends_as(waiting, "expired")["error"]["code"], "server_stopped")
        self.assertEqual(self.ends_as(running, "unknown")["approved_by"], "admin")

    def test_without_the_database_nothing_runs(self):
        key = self.program("tools")
        thread = self.executing(key)
        call = self.asked()["command_id"]
        self.assertEqual(self.decide(call).status, 200)
        self.agent.wait_for("prompt/answer")
        self.cluster.stop("fast")
        wait_for(lambda: self.server.health()[0] == 503, "the outage is noticed")
        self.agent.answer({"approved": True})
        self.end(thread, 503)
        self.assertEqual(self.execute(key).status, 503)
        self.cluster.start()
        self.server.wait_healthy()
        wait_for(lambda: call in str(self.states()) and self.ends_as(call, "expired"), "the end is stored")
        self.assertEqual((self.runs(), len(self.states())), ([], 1))

    def test_a_result_that_comes_while_the_database_is_away(self):
        thread = self.executing(self.program("tools"))
        call = self.approve()
        self.agent.taken(1)
        self.cluster.stop("fast")
        wait_for(lambda: self.server.health()[0] == 503, "the outage is noticed")
        self.run_call()
        self.assertEqual(self.end(thread, 200).json["content"], RESULT["content"])
        self.cluster.start()
        self.server.wait_healthy()
        self.ends_as(call, "completed")
        self.assertEqual(len(self.runs()), 1)


if __name__ == "__main__":
    unittest.main()
