"""The tool `approve`: a person decides what a run of Claude Code without a terminal may do."""

import http.client
import json
import subprocess
import threading
import unittest
import uuid

import harness
import test_devices as devices
import test_mcp as mcp
from approving import Hook
from harness import PATIENCE, Client, Server, envelope, hook, session, wait_for

ALLOW, REFUSAL = {"behavior": "allow"}, "The user denied this from another device."
META = "claudecode/toolUseId"


def setUpModule():
    global server, key, granted
    server = devices.server = mcp.server = Server(MONITOR_RATE_LIMIT="off").start()
    key, granted = server.key("plain"), server.key("granted")
    server.control("key", "grant", "granted", "approve")


def tearDownModule():
    harness.end_everything()


class Approval:
    """Claude Code that asks whether a call may run. A thread reads the stream, and asks for its rest if it is cut."""

    def __init__(self, chosen=None, credential=None, at=None, command=None, call=None, stateless=True, told=True, headers=None):
        self.server, self.credential = at or server, credential or granted
        self.session = chosen or session()
        self.call = call or "toolu_" + uuid.uuid4().hex
        self.input = {"command": command or f"touch {uuid.uuid4().hex}", "description": "x"}
        self.stateless = stateless
        self.headers = {**({"X-Session-Id": self.session} if told else {}), **(headers or {})}
        self.meta = {META: self.call}
        self.id, self.events, self.connection = None, [], None
        self.is_over, self.is_cut = threading.Event(), threading.Event()

    def message(self):
        params = {"name": "approve", "_meta": {**self.meta, "progressToken": 7},
                  "arguments": {"tool_name": "Bash", "input": self.input, "tool_use_id": self.call}}
        if self.stateless:
            return mcp.modern("tools/call", params)
        return mcp.message("tools/call", params), {"MCP-Protocol-Version": "2025-11-25"}

    def open(self, method="POST", credential=None, **headers):
        host, _, port = self.server.address.rpartition(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
        body, named = self.message() if method == "POST" else (None, {"Last-Event-ID": self.id, "Accept": "text/event-stream"})
        self.connection.request(method, "/mcp", body and json.dumps(body), {
            "Authorization": f"Bearer {credential or self.credential}", "Content-Type": "application/json",
            **named, **self.headers, **headers})
        return self.connection.getresponse()

    def refused(self):
        """The text with which the call is refused before anybody is asked."""
        result = json.loads(self.open().read())["result"]
        assert result["isError"], result
        return result["content"][0]["text"]

    def start(self):
        answer = self.open()
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.read()
        self.read_beginning(answer)
        self.follow(answer)
        return self

    def resume(self, at=None, **options):
        self.server = at or self.server
        self.is_cut.clear()
        answer = self.open("GET", **options)
        assert answer.status == 200, (answer.status, answer.read())
        self.read_beginning(answer)
        self.follow(answer)
        return self

    def read_beginning(self, answer):
        lines = [answer.readline().decode().rstrip("\n") for _ in range(4)]
        assert lines[0].startswith("id: ") and lines[1:] == ["retry: 10000", "data: ", ""], lines
        self.id = lines[0].removeprefix("id: ")

    def follow(self, answer):
        def read():
            try:
                for line in answer:
                    if line.startswith(b"data: "):
                        self.events.append(json.loads(line[6:]))
                        if "result" in self.events[-1]:
                            self.is_over.set()
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self.is_cut.set()

        threading.Thread(target=read, daemon=True).start()

    def cut(self):
        self.connection.sock.shutdown(2)
        assert self.is_cut.wait(PATIENCE)

    def said(self):
        """The answer, as Claude Code reads it."""
        assert self.is_over.wait(PATIENCE), f"no answer yet: {self.events}"
        result = self.events[-1]["result"]
        assert not result["isError"] and len(result["content"]) == 1 and "structuredContent" not in result, result
        return json.loads(result["content"][0]["text"])

    def prompts(self):
        return self.server.read_derived(f"/v1/prompts?session_id={self.session}").json["prompts"]

    def prompt(self):
        """The prompt, once it can be answered."""
        def found():
            open_ones = [prompt for prompt in self.prompts() if prompt["state"] == "open" and prompt["answerable"]]
            return open_ones and open_ones[0]
        return wait_for(found, "the prompt can be answered")

    def starts(self):
        """The hook reports the start of the call."""
        self.report("PreToolUse")
        return self

    def report(self, name, **fields):
        event = envelope(hook(name, self.session, tool_name="Bash", tool_input=self.input, tool_use_id=self.call, **fields))
        answer = Client(self.server.address, self.credential).request("POST", "/api/events", event)
        assert answer.status == 202, answer


def answer(prompt, at=None, credential=None, **body):
    client = Client((at or server).address, credential or (at or server).admin)
    return client.request("POST", f"/v1/prompts/{prompt['id']}/answer", body or {"decision": "allow"})


class Answers(unittest.TestCase):
    def test_allowed_in_both_eras(self):
        for stateless in (True, False):
            with self.subTest(stateless=stateless):
                asked = Approval(stateless=stateless).start()
                prompt = asked.prompt()
                self.assertEqual((prompt["kind"], prompt["tool_name"], prompt["tool_input"], prompt["tool_use_id"]),
                                 ("permission", "Bash", asked.input, asked.call))
                self.assertEqual((prompt["change_input_allowed"], prompt["always_allowed"], prompt["after"]), (False, False, "deny"))
                self.assertEqual(answer(prompt).status, 200)
                self.assertEqual(asked.said(), ALLOW)
                self.assertEqual(("resultType" in asked.events[-1]["result"], asked.events[-1]["id"]), (stateless, 1))

    def test_denied_with_a_persons_words(self):
        asked = Approval().start()
        self.assertEqual(answer(asked.prompt(), decision="deny", message="not today").status, 200)
        self.assertEqual(asked.said(), {"behavior": "deny", "message": "not today"})
        asked = Approval().start()
        self.assertEqual(answer(asked.prompt(), decision="deny", interrupt=True).status, 200)
        self.assertEqual(asked.said(), {"behavior": "deny", "message": REFUSAL, "interrupt": True})

    def test_allowed_for_the_session(self):
        asked = Approval(command="make test").start()
        self.assertEqual(answer(asked.prompt(), decision="allow", scope="session").status, 200)
        self.assertEqual(asked.said(), {**ALLOW, "updatedPermissions": [{
            "type": "addRules", "behavior": "allow", "destination": "session",
            "rules": [{"toolName": "Bash", "ruleContent": "make test"}]}]})

    def test_nobody_answers(self):
        asked = Approval(headers={"X-Hold-Seconds": "1"}).start()
        self.assertEqual(asked.said(), {"behavior": "deny", "message": "Nobody answered in time."})
        prompt = wait_for(lambda: [one for one in asked.prompts() if one["state"] == "expired"], "the prompt has expired")[0]
        self.assertEqual(prompt["answer"]["by"]["kind"], "timeout")
        self.assertEqual(answer(prompt).status, 410)

    def test_no_answer_changes_the_input(self):
        asked = Approval(headers={"X-Hold-Policy": "change_input=yes always=no"}).start()
        prompt = asked.prompt()
        refused = answer(prompt, decision="allow", updated_input={"command": "true"})
        self.assertEqual((refused.status, refused.json["error"]["code"]), (422, "invalid_answer"))
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.said(), ALLOW)

    def test_it_is_pushed_seen_and_recorded_like_any_other(self):
        asked = Approval().start()
        prompt = asked.prompt()
        device = devices.pair("approver")["access_token"]
        self.assertEqual(answer(prompt, credential=device).status, 200)
        self.assertEqual(asked.said(), ALLOW)
        found = server.get("/v1/audit/answers?limit=1000").json["entries"]
        self.assertTrue(any(prompt["id"] in json.dumps(entry) for entry in found))
        life = [step["step"] for step in server.get(f"/v1/prompts/{prompt['id']}").json["life"]]
        self.assertEqual([step for step in life if step in ("offered", "held", "answered")], ["offered", "held", "answered"])


class Callers(unittest.TestCase):
    def test_a_key_without_the_grant(self):
        told = Approval(credential=key).refused()
        self.assertRegex(told, r"^insufficient_scope: .*monitorctl key grant \d+ approve$")
        listed = {credential: [tool["name"] for tool in mcp.post(mcp.message("tools/list"), credential=credential).json[
            "result"]["tools"]] for credential in (key, granted, server.admin)}
        self.assertEqual([credential for credential, names in listed.items() if "approve" in names], [granted])

    def test_a_file_of_the_machine_stands_for_the_grant(self):
        asked = Approval(credential=key, headers={"X-Hold-Policy": "who=answer devices=999999"}).start()
        device = devices.pair("other")["access_token"]
        self.assertEqual(answer(asked.prompt(), credential=device).status, 403)
        self.assertFalse(asked.is_over.is_set())
        self.assertEqual(answer(asked.prompt()).status, 403)

    def test_a_file_that_lets_nobody_answer_does_not(self):
        for words in ("", "devices=1", "who=notify", "who=answer who=off"):
            self.assertRegex(Approval(credential=key, headers={"X-Hold-Policy": words}).refused(), "^insufficient_scope: ")
        self.assertRegex(Approval(headers={"X-Hold-Policy": "who=off"}).refused(), "^not_answerable: ")

    def test_the_grant_is_given_and_taken_at_once(self):
        name = f"granted-{uuid.uuid4().hex}"
        own = server.key(name)
        self.assertEqual([entry["grants"] for entry in server.get("/v1/keys").json["keys"] if entry["name"] == name], [[]])
        server.control("key", "grant", name, "approve")
        self.assertEqual([entry["grants"] for entry in server.get("/v1/keys").json["keys"] if entry["name"] == name],
                         [["approve"]])
        asked = Approval(credential=own).start()
        asked.prompt()
        server.control("key", "revoke-grant", name, "approve")
        self.assertTrue(asked.is_over.wait(PATIENCE))
        self.assertIn("credential_revoked", asked.events[-1]["result"]["content"][0]["text"])
        self.assertIn("insufficient_scope", Approval(credential=own).refused())
        for path in (f"/v1/keys/{name}/grants/tools", "/v1/keys/nobody/grants/approve"):
            self.assertIn(server.client().request("PUT", path).status, (400, 404))
        actions = {entry["action"] for entry in server.get("/v1/audit?limit=100").json["data"]}
        self.assertLessEqual({"key.grant", "key.withdraw"}, actions)

    def test_nobody_approves_a_call_of_his_own(self):
        device = devices.pair("asker")["access_token"]
        for credential in (device, server.admin, mcp.api_key("read")["key"]):
            self.assertIn("insufficient_scope", Approval(credential=credential).refused())
        asked = Approval().start()
        prompt = asked.prompt()
        self.assertEqual(answer(prompt, credential=granted).status, 403)
        body, headers = asked.message()
        body["params"]["inputResponses"] = {"approval": {"action": "accept", "content": {"ok": True}}}
        again = Approval(asked.session, call=asked.call)
        again.input, again.message = asked.input, lambda: (body, headers)
        again.start()
        self.assertFalse(again.is_over.wait(1))
        self.assertEqual(server.get(f"/v1/prompts/{prompt['id']}").json["state"], "open")

    def test_a_call_of_the_model_itself(self):
        for meta in ({META: "toolu_other"}, {}, {META: 7}):
            asked = Approval()
            asked.meta = meta
            self.assertIn("not_this_call", asked.refused())
            self.assertEqual(server.read_derived(f"/v1/prompts?session_id={asked.session}").json["prompts"], [])

    def test_odd_arguments(self):
        for change in ({"tool_name": ""}, {"tool_name": 1}, {"input": []}, {"input": None}, {"tool_use_id": "x y"}):
            asked = Approval()
            body, headers = asked.message()
            body["params"]["arguments"].update(change)
            asked.message = lambda body=body, headers=headers: (body, headers)
            with self.subTest(**change):
                self.assertRegex(asked.refused(), "^invalid_parameter: ")
        for name, value in (("X-Hold-Seconds", "0"), ("X-Hold-Seconds", "3601"), ("X-Session-Id", "a b")):
            with self.subTest(name):
                self.assertRegex(Approval(told=False, headers={name: value}).refused(), "^invalid_")


class WithHooks(unittest.TestCase):
    def waiting(self, asked, **options):
        return Hook(server, asked.credential, asked.session, tool_name="Bash", tool_input=asked.input, **options).start()

    def test_one_prompt_and_both_get_the_answer(self):
        for is_hook_first in (True, False):
            with self.subTest(is_hook_first=is_hook_first):
                asked = Approval(told=False).starts()
                if is_hook_first:
                    waiting = self.waiting(asked)
                    asked.prompt()
                    asked.start()
                else:
                    asked.start()
                    asked.prompt()
                    waiting = self.waiting(asked)
                self.assertEqual(answer(asked.prompt()).status, 200)
                self.assertEqual(asked.said(), ALLOW)
                self.assertEqual(waiting.wait()["hookSpecificOutput"]["decision"], ALLOW)
                self.assertEqual(len(asked.prompts()), 1)
                asked.report("PostToolUse")
                wait_for(lambda: "applied" in [step["step"] for step in asked.prompts()[0]["life"]], "it is applied")

    def test_a_call_of_a_subagent(self):
        asked = Approval(told=False)
        asked.report("PreToolUse", agent_id="a1", agent_type="helper")
        asked.start()
        prompt = asked.prompt()
        self.assertEqual(prompt["agent_id"], "a1")
        waiting = self.waiting(asked, agent_id="a1", agent_type="helper")
        self.assertEqual(answer(prompt, decision="deny").status, 200)
        self.assertEqual(asked.said()["behavior"], "deny")
        self.assertEqual(waiting.wait()["hookSpecificOutput"]["decision"]["behavior"], "deny")
        self.assertEqual(len(asked.prompts()), 1)

    def test_what_the_hook_was_told_is_not_asked_again(self):
        for decision, said in (("allow", ALLOW), ("deny", {"behavior": "deny", "message": REFUSAL})):
            with self.subTest(decision):
                asked = Approval(told=False).starts()
                waiting = self.waiting(asked)
                prompt = asked.prompt()
                self.assertEqual(answer(prompt, decision=decision).status, 200)
                waiting.wait()
                self.assertEqual(asked.start().said(), said)
                self.assertEqual(len(asked.prompts()), 1)

    def test_another_input_under_the_same_id(self):
        for is_answered in (False, True):
            with self.subTest(is_answered=is_answered):
                asked = Approval(told=False).starts()
                asked.start()
                prompt = asked.prompt()
                if is_answered:
                    self.assertEqual(answer(prompt).status, 200)
                    self.assertEqual(asked.said(), ALLOW)
                other = Approval(asked.session, call=asked.call, told=False, command="rm -rf /")
                self.assertIn("not_this_call", other.refused())
                self.assertEqual(len(asked.prompts()), 1)

    def test_a_call_that_has_run_is_not_allowed_again(self):
        asked = Approval(told=False).starts().start()
        self.assertEqual(answer(asked.prompt()).status, 200)
        self.assertEqual(asked.said(), ALLOW)
        self.assertEqual(self.again(asked).said(), ALLOW)
        asked.report("PostToolUse")
        wait_for(lambda: "applied" in [step["step"] for step in asked.prompts()[0]["life"]], "it is applied")
        self.assertEqual(self.again(asked).said()["behavior"], "deny")

    def again(self, asked):
        again = Approval(asked.session, call=asked.call, told=False)
        again.input = asked.input
        return again.start()


class WithoutHooks(unittest.TestCase):
    def test_a_call_whose_session_nobody_knows(self):
        asked = Approval(told=False).start()
        found = lambda: [prompt for prompt in server.get("/v1/prompts?state=open&limit=200").json["prompts"]
                         if prompt["tool_use_id"] == asked.call and prompt["answerable"]]
        prompt = wait_for(found, "the prompt can be answered")[0]
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.said(), ALLOW)
        wait_for(lambda: server.get(f"/v1/sessions/{prompt['session_id']}").json["status"] == "ended", "its session has ended")
        self.assertEqual(server.get(f"/v1/sessions/{prompt['session_id']}").json["machine_name"], "granted")

    def test_another_machines_session(self):
        theirs = session()
        Client(server.address, key).request("POST", "/api/events", envelope(hook("UserPromptSubmit", theirs, prompt="x")))
        asked = Approval(theirs).start()
        asked.session = wait_for(lambda: [prompt["session_id"] for prompt in server.get("/v1/prompts?limit=200").json["prompts"]
                                          if prompt["tool_use_id"] == asked.call], "the prompt is there")[0]
        self.assertNotEqual(asked.session, theirs)
        self.assertEqual(answer(asked.prompt()).status, 200)
        self.assertEqual(asked.said(), ALLOW)


class Resuming(unittest.TestCase):
    def test_a_lost_connection(self):
        asked = Approval().start()
        prompt = asked.prompt()
        asked.cut()
        asked.resume()
        self.assertEqual(asked.prompt()["id"], prompt["id"])
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.said(), ALLOW)
        self.assertEqual(asked.events[-1]["id"], 1)

    def test_answered_while_nobody_was_connected(self):
        asked = Approval().start()
        prompt = asked.prompt()
        asked.cut()
        self.assertEqual(answer(prompt).status, 200)
        self.assertEqual(asked.resume().said(), ALLOW)

    def test_two_connections(self):
        asked = Approval().start()
        asked.prompt()
        other = Approval(asked.session, call=asked.call)
        other.id, other.input = asked.id, asked.input
        other.resume()
        self.assertTrue(asked.is_cut.wait(PATIENCE))
        self.assertFalse(asked.is_over.is_set())
        self.assertEqual(answer(asked.prompt()).status, 200)
        self.assertEqual(other.said(), ALLOW)

    def test_ids_that_do_not_count(self):
        asked = Approval().start()
        asked.prompt()
        changed = ("B" if asked.id[30] == "A" else "A").join((asked.id[:30], asked.id[31:]))
        for identifier, credential in ((changed, granted), ("1", granted), ("", granted), (asked.id, key),
                                       (asked.id, server.admin), (asked.id, devices.pair("thief")["access_token"])):
            with self.subTest(identifier[:8], credential=credential[:8]):
                told = Client(server.address, credential).request("GET", "/mcp", None, {"Last-Event-ID": identifier})
                self.assertEqual((told.status, told.headers["allow"]), (405, "POST"), told)
        told = Client(server.address).request("GET", "/mcp", None, {"Last-Event-ID": asked.id})
        self.assertEqual(told.status, 401)

    def test_the_server_is_restarted_in_the_wait(self):
        own = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(own.end)
        credential = own.key("own")
        own.control("key", "grant", "own", "approve")
        for command, allowed, end in (("make all", True, own.kill), ("make all TOKEN=sk-ant-api03-" + "a1B2" * 20, False, own.stop)):
            with self.subTest(command):
                asked = Approval(credential=credential, at=own, command=command).start()
                prompt = asked.prompt()
                end()
                self.assertTrue(asked.is_cut.wait(PATIENCE))
                own.start()
                asked.resume(at=own)
                self.assertEqual(asked.prompt()["id"], prompt["id"])
                told = answer(prompt, at=own)
                self.assertEqual(told.status, 200 if allowed else 422, told)
                if allowed:
                    self.assertEqual(asked.said(), ALLOW)
                else:
                    # What is lost with the server cannot be shown, so it can only be denied.
                    self.assertEqual(answer(prompt, at=own, decision="deny").status, 200)
                    self.assertEqual(asked.said()["behavior"], "deny")
                self.assertEqual(len(asked.prompts()), 1)


class RealClients(unittest.TestCase):
    setUpClass = classmethod(mcp.RealClients.setUpClass.__func__)

    def test_the_protocols_own_client_in_both_eras(self):
        for mode in ("auto", "legacy"):
            with self.subTest(mode):
                asked = Approval(told=False).starts()
                arguments = {"tool_name": "Bash", "input": asked.input, "tool_use_id": asked.call}
                done = subprocess.Popen(
                    [self.python, mcp.CLIENTS / "mcp_calls.py", f"{server.url}/mcp", granted, mode], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True)
                done.stdin.write(json.dumps([["approve", arguments, asked.meta]]))
                done.stdin.close()
                self.assertEqual(answer(asked.prompt()).status, 200)
                found = json.loads(done.stdout.read())
                done.wait(PATIENCE)
                self.assertEqual([json.loads(result["text"]) for result in found["results"]], [ALLOW])
                self.assertIn("approve", found["tools"])


if __name__ == "__main__":
    unittest.main()
