"""Prompts that devices answer: the hook waits, a device answers, and the session continues."""

import asyncio
import hashlib
import json
import re
import pathlib
import shutil
import socket
import subprocess
import threading
import time
import unittest
import uuid

import harness
import test_devices as devices
import test_websocket as ws
from approving import BASH, Hook
from harness import Client, Postgres, Server, envelope, hook, session, wait_for

QUESTIONS = [
    {"question": "Which database?", "header": "Database", "multiSelect": False,
     "options": [{"label": "PostgreSQL", "description": "A server"}, {"label": "SQLite", "description": "A file"}]},
    {"question": "Which platforms?", "header": "Platforms", "multiSelect": True,
     "options": [{"label": "iPhone", "description": "Phone"}, {"label": "Mac", "description": "Desktop"}]}]
ASK = {"tool_name": "AskUserQuestion", "tool_input": {"questions": QUESTIONS}}
PLAN = {"tool_name": "ExitPlanMode", "permission_mode": "plan",
        "tool_input": {"plan": "1. Touch a file.", "planFilePath": "/home/user/.claude/plans/x.md"}}
FORM = {"mcp_server_name": "phone", "message": "Which branch?", "mode": "form", "requested_schema": {
    "type": "object", "properties": {"branch": {"type": "string", "title": "Branch"}, "sure": {"type": "boolean"}},
    "required": ["branch"]}}


def setUpModule():
    global server, key, other, phone
    server = devices.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    key, other = server.key("desk"), server.key("rack")
    phone = devices.pair("phone")


def tearDownModule():
    server.end()


def request(method, path, body=None, token=None):
    client = Client(server.address, token or phone["access_token"])
    try:
        return client.request(method, path, body)
    finally:
        client.close()


def prompt(id):
    answer = server.get(f"/v1/prompts/{id}")
    return answer.json if answer.status == 200 else None


def answerable(hook):
    """Waits until a device can answer, and returns the prompt."""
    def found():
        shown = prompt(hook.prompt)
        return shown and shown["answerable"] and shown
    return wait_for(found, "the prompt can be answered")


def waiting(fields=BASH, name="PermissionRequest", **more):
    """A waiting hook and its prompt. The log contains both, so later steps happen after the hold began."""
    held = Hook(server, key, session(), name, **{**fields, **more}).start()
    wait_for(lambda: "held" in steps(prompt(held.prompt) or {"life": []}), "the log has the hold")
    return held, answerable(held)


def answer(id, body, token=None):
    return request("POST", f"/v1/prompts/{id}/answer", body, token)


def happens(chosen, name, **fields):
    client = Client(server.address, key)
    posted = client.request("POST", "/api/events", envelope(hook(name, chosen, **fields)))
    client.close()
    assert posted.status == 202, posted


def decision(output):
    return output["hookSpecificOutput"]["decision"]


def steps(shown):
    return [step["step"] for step in shown["life"]]


class Terms(unittest.TestCase):
    """While the hook waits, the prompt shows what the machine's approvals file allows."""

    def terms(self, shown):
        return shown.get("always_allowed"), shown.get("change_input_allowed"), shown.get("after")

    def test_the_terms_of_a_held_prompt(self):
        held, shown = waiting(policy="who=answer hold=60 after=deny always=yes change_input=no risk=delete")
        self.assertEqual(self.terms(shown), (True, False, "deny"))
        told = wait_for(lambda: [event["payload"]["prompt"] for event in self.events(held.chosen)
                                 if event["payload"]["step"] == "held"], "the log tells it")[0]
        self.assertEqual((self.terms(told), told["answerable"]), ((True, False, "deny"), True))
        self.assertEqual(told["held_until"][:16], shown["held_until"][:16])
        held.end("released", word="refused")
        self.assertEqual(self.terms(prompt(shown["id"])), (None, None, None))

    def test_the_terms_without_a_file(self):
        held, shown = waiting()
        self.assertEqual(self.terms(shown), (False, False, "ask"))
        answer(shown["id"], {"decision": "deny"})
        held.wait()
        self.assertEqual(self.terms(prompt(shown["id"])), (None, None, None))

    def events(self, chosen):
        return server.get(f"/v1/sessions/{chosen}/events?type=prompt_updated").json["events"]


class Answering(unittest.TestCase):
    def test_a_permission_that_is_given(self):
        held, shown = waiting()
        self.assertEqual((shown["state"], shown["tool_input"], shown["content_truncated"]),
                         ("open", BASH["tool_input"], False))
        self.assertIn("held_until", shown)
        given = answer(shown["id"], {"decision": "allow"})
        self.assertEqual(given.status, 200, given)
        self.assertEqual(held.wait(), {"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                                                              "decision": {"behavior": "allow"}}})
        answered = given.json["prompt"]
        self.assertEqual((answered["state"], answered["answer"]["decision"], answered["answerable"]),
                         ("answered", "allow", False))
        self.assertEqual(answered["answer"]["by"],
                         {"kind": "device", "id": phone["device_id"], "name": "phone"})
        self.assertEqual(server.get(f"/v1/sessions/{held.chosen}").json["state"], "running")
        happens(held.chosen, "PostToolUse", tool_use_id="toolu_1", **BASH)
        ended = prompt(shown["id"])
        self.assertEqual(ended["answer"]["outcome"], "applied")
        self.assertEqual(steps(ended), ["offered", "held", "answered", "applied"])

    def test_a_permission_that_is_refused(self):
        held, shown = waiting()
        self.assertEqual(answer(shown["id"], {"decision": "deny", "message": "Not now"}).status, 200)
        self.assertEqual(decision(held.wait()), {"behavior": "deny", "message": "Not now"})
        happens(held.chosen, "PostToolBatch")
        self.assertEqual(prompt(shown["id"])["answer"]["outcome"], "applied")

    def test_questions(self):
        held, shown = waiting(ASK)
        self.assertEqual((shown["kind"], shown["questions"]), ("question", QUESTIONS))
        given = answer(shown["id"], {"answers": {"Which database?": "DuckDB", "Which platforms?": ["iPhone", "Mac"]},
                                     "notes": {"Which database?": "a note"}})
        self.assertEqual(given.status, 200, given)
        self.assertEqual(decision(held.wait()), {"behavior": "allow", "updatedInput": {
            "questions": QUESTIONS, "answers": {"Which database?": "DuckDB", "Which platforms?": "iPhone, Mac"},
            "annotations": {"Which database?": {"notes": "a note"}}}})

    def test_a_question_whose_call_was_told_before(self):
        chosen = session()
        first = envelope(hook("PreToolUse", chosen, tool_use_id="toolu_q", **ASK))
        client = Client(server.address, key)
        self.assertEqual(client.request("POST", "/api/events", first).status, 202)
        held = Hook(server, key, chosen, **ASK).start()
        id = "prm_" + first["event_id"].replace("-", "")
        shown = wait_for(lambda: (prompt(id) or {}).get("answerable") and prompt(id), "it can be answered")
        self.assertEqual(shown["tool_use_id"], "toolu_q")
        self.assertEqual(answer(id, {"decision": "deny", "message": "Later"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "deny")
        self.assertEqual(len(server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]), 1)
        client.close()

    def test_a_plan(self):
        held, shown = waiting(PLAN, policy="edits=yes")
        self.assertEqual((shown["kind"], shown["plan"]), ("plan", "1. Touch a file."))
        self.assertEqual(answer(shown["id"], {"decision": "allow", "mode": "acceptEdits"}).status, 200)
        self.assertEqual(decision(held.wait()), {
            "behavior": "allow", "updatedInput": PLAN["tool_input"],
            "updatedPermissions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]})

    def test_what_accepting_edits_permits_is_not_for_this_machines_devices(self):
        directory = {"type": "addDirectories", "directories": ["/q"], "destination": "session"}
        mode = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
        asked = {**BASH, "permission_suggestions": [mode, directory]}
        for policy, modes, directories in ((None, ["default"], False), ("edits=no directories=no", ["default"], False),
                                           ("edits=yes directories=no", ["default", "acceptEdits"], False),
                                           ("edits=yes", ["default", "acceptEdits"], True)):
            for fields, body, allowed in ((PLAN, {"mode": "acceptEdits"}, len(modes) == 2),
                                          (asked, {"permissions": ["setMode"]}, len(modes) == 2),
                                          (asked, {"permissions": ["addDirectories"]}, directories)):
                with self.subTest(policy=policy, body=body):
                    held, shown = waiting(fields, policy=policy)
                    self.assertEqual((shown["modes_allowed"], shown["directories_allowed"]), (modes, directories))
                    given = answer(shown["id"], {"decision": "allow", **body})
                    if allowed:
                        self.assertEqual(given.status, 200, given)
                        held.wait()
                        continue
                    self.assertEqual((given.status, given.json["error"]["code"]), (422, "invalid_answer"))
                    self.assertIn("own rules", given.json["error"]["message"])
                    if fields is PLAN:
                        self.assertEqual(answer(shown["id"], {"decision": "allow", "mode": "default"}).status, 200)
                        self.assertNotIn("updatedPermissions", decision(held.wait()))
                    else:
                        held.end("released")

    def test_a_directory_has_no_rule_of_its_own(self):
        for path in ("/home/u/other/", "/", "/p/..", "/p/.", "/p//q"):
            with self.subTest(path):
                held, shown = waiting({"tool_name": "Read", "tool_input": {"file_path": path}})
                rule = {"type": "addRules", "rules": [{"toolName": "Read", "ruleContent": "/" + path}], "behavior": "allow",
                        "destination": "session"}
                for more in ({"scope": "session"}, {"permissions": [rule]}):
                    self.assertEqual(answer(shown["id"], {"decision": "allow", **more}).status, 422)
                held.end("released")

    def test_an_elicitation(self):
        held, shown = waiting(FORM, "Elicitation")
        self.assertEqual((shown["kind"], shown["schema"]), ("elicitation", FORM["requested_schema"]))
        wrong = answer(shown["id"], {"action": "accept", "content": {"sure": True}})
        self.assertEqual((wrong.status, wrong.json["error"]["code"]), (422, "invalid_answer"))
        self.assertEqual(answer(shown["id"], {"action": "accept", "content": {"branch": "main"}}).status, 200)
        self.assertEqual(held.wait(), {"hookSpecificOutput": {
            "hookEventName": "Elicitation", "action": "accept", "content": {"branch": "main"}}})

    def test_a_secret_is_shown_masked_and_answered_whole(self):
        secret = "ghp_" + "a1B2" * 9
        fields = {**ASK, "tool_input": {"questions": [{**QUESTIONS[0], "header": f"token {secret}"}]}}
        held, shown = waiting(fields)
        self.assertNotIn(secret, json.dumps(shown))
        self.assertEqual(answer(shown["id"], {"answers": {"Which database?": "SQLite"}}).status, 200)
        self.assertEqual(decision(held.wait())["updatedInput"]["questions"], fields["tool_input"]["questions"])
        self.assertNotIn(secret, server.text())

    def test_a_question_whose_words_are_masked(self):
        secret = "ghp_" + "a1B2" * 9
        asked = {"question": f"Use {secret}?", "header": "Token", "multiSelect": False,
                 "options": [{"label": f"Yes, {secret}", "description": "now"}, {"label": "No", "description": "never"}]}
        held, shown = waiting({**ASK, "tool_input": {"questions": [asked]}})
        question, = shown["questions"]
        self.assertNotIn(secret, json.dumps(shown))
        given = answer(shown["id"], {"answers": {question["question"]: question["options"][0]["label"]},
                                     "notes": {question["question"]: "soon"}})
        self.assertEqual(given.status, 200, given)
        updated = decision(held.wait())["updatedInput"]
        self.assertEqual(updated["answers"], {f"Use {secret}?": f"Yes, {secret}"})
        self.assertEqual(updated["annotations"], {f"Use {secret}?": {"notes": "soon"}})

    def test_a_long_input_is_shown_whole(self):
        long = "echo " + "x" * 100_000
        held, shown = waiting({"tool_name": "Bash", "tool_input": {"command": long}})
        self.assertEqual((shown["tool_input"]["command"], shown["content_truncated"]), (long, False))
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        held.wait()
        self.assertLess(len(prompt(shown["id"])["tool_input"]["command"]), 5000)

    def test_what_is_too_long_to_be_seen_can_only_be_denied(self):
        held, shown = waiting({"tool_name": "Bash", "tool_input": {"command": "echo " + "x" * 300_000}})
        self.assertTrue(shown["content_truncated"])
        refused = answer(shown["id"], {"decision": "allow"})
        self.assertEqual((refused.status, refused.json["error"]["code"]), (422, "invalid_answer"))
        self.assertEqual(answer(shown["id"], {"decision": "deny"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "deny")

    def test_a_permission_that_the_machines_hook_would_not_print(self):
        def rule(content, destination="session"):
            return {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": content}], "behavior": "allow",
                    "destination": destination}

        suggested = rule("rm *", "localSettings")
        for always, more, word in (
                ("no", {"scope": "session", "permissions": [rule("rm *")]}, "always=no"),
                ("yes", {"scope": "session", "permissions": ["addRules"]}, "'always'"),
                ("no", {"scope": "session", "permissions": [rule("rm -rf build")]}, None),
                ("yes", {"scope": "session", "permissions": [rule("rm *")]}, None),
                ("yes", {"scope": "always", "permissions": ["addRules"]}, None)):
            with self.subTest(always=always, more=more):
                held, shown = waiting({**BASH, "permission_suggestions": [suggested]}, policy=f"always={always}")
                given = answer(shown["id"], {"decision": "allow", **more})
                if word:
                    self.assertEqual((given.status, given.json["error"]["code"]), (422, "invalid_answer"))
                    self.assertIn(word, given.json["error"]["message"])
                    held.end("released")
                else:
                    self.assertEqual(given.status, 200, given)
                    chosen = [suggested] if more["permissions"] == ["addRules"] else more["permissions"]
                    self.assertEqual(decision(held.wait())["updatedPermissions"], chosen)

    def test_the_machines_own_rules(self):
        own = phone["device_id"]
        for policy, body, status in ((None, {"decision": "allow", "scope": "always"}, 422),
                                     ("devices=999999", {"decision": "allow"}, 403),
                                     ("devices=phone,operator", {"decision": "allow"}, 403),
                                     (f"devices=999999,{own} always=yes", {"decision": "allow", "scope": "always"}, 200)):
            with self.subTest(policy=policy):
                held, shown = waiting(policy=policy)
                given = answer(shown["id"], body)
                self.assertEqual(given.status, status, given)
                if status != 200:
                    held.end("released")
        self.assertEqual(decision(held.wait())["updatedPermissions"], [
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "rm -rf build"}],
             "behavior": "allow", "destination": "localSettings"}])


class Races(unittest.TestCase):
    def test_the_first_answer_counts_and_the_others_are_told(self):
        held, shown = waiting()
        tablet = devices.pair("tablet")
        found, start = [], threading.Barrier(8)

        def try_it(number):
            token = (tablet if number % 2 else phone)["access_token"]
            start.wait()
            found.append(answer(shown["id"], {"decision": "allow" if number % 2 else "deny"}, token))

        threads = [threading.Thread(target=try_it, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(one.status for one in found), [200] + 7 * [409])
        for one in found:
            if one.status == 409:
                self.assertEqual(one.json["error"]["code"], "already_answered")
        ended = wait_for(lambda: len(prompt(shown["id"])["late_answers"]) == 7 and prompt(shown["id"]), "all are kept")
        self.assertEqual(decision(held.wait())["behavior"], ended["answer"]["decision"])

    def test_a_repeated_answer_is_one(self):
        held, shown = waiting()
        body = {"answer_id": str(uuid.uuid4()), "decision": "allow"}
        first, again = answer(shown["id"], body), answer(shown["id"], body)
        self.assertEqual((first.status, again.status), (200, 200))
        self.assertEqual(first.json["prompt"]["answer"], again.json["prompt"]["answer"])
        self.assertEqual(first.json["prompt"]["answer"]["id"], body["answer_id"])
        self.assertEqual(prompt(shown["id"])["late_answers"], [])
        held.wait()

    def test_a_no_at_the_terminal(self):
        held, shown = waiting()
        self.assertEqual(held.end().status, 204)
        ended = prompt(shown["id"])
        self.assertEqual((ended["state"], ended["answer"]["decision"], ended["answer"]["by"]),
                         ("answered", "deny", {"kind": "terminal"}))
        late = answer(shown["id"], {"decision": "allow"})
        self.assertEqual((late.status, late.json["error"]["code"]), (409, "already_answered"))
        self.assertIn("terminal", late.json["error"]["message"])
        kept, = wait_for(lambda: prompt(shown["id"])["late_answers"], "the late answer is kept")
        self.assertEqual((kept["decision"], kept["outcome"], kept["by"]["name"]), ("allow", "late", "phone"))

    def test_a_yes_at_the_terminal(self):
        held, shown = waiting()
        happens(held.chosen, "PostToolUse", tool_use_id="toolu_1", **BASH)
        self.assertEqual(held.wait(), {})
        self.assertEqual(prompt(shown["id"])["answer"]["by"]["kind"], "terminal")

    def test_a_result_of_another_call_ends_nothing(self):
        held, shown = waiting()
        happens(held.chosen, "PostToolUse", tool_use_id="toolu_2", tool_name="Bash", tool_input={"command": "ls"})
        happens(held.chosen, "PostToolUseFailure", tool_use_id="toolu_3", tool_name="Bash", tool_input={"command": "false"})
        self.assertEqual(prompt(shown["id"])["state"], "open")
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "allow")

    def test_a_yes_at_the_terminal_that_the_hook_saw(self):
        """The end of the dialog and the tool's result arrive in either order."""
        for result_first in (True, False):
            with self.subTest(result_first=result_first):
                held, shown = waiting()
                told = [lambda: happens(held.chosen, "PostToolUse", tool_use_id="toolu_1", **BASH),
                        lambda: self.assertEqual(held.end("released", word="local").status, 204)]
                (told if result_first else told[::-1])[0]()
                self.assertEqual(held.wait(), {})
                closed = prompt(shown["id"])
                self.assertEqual(closed["state"], "answered", "whichever comes first closes it")
                (told if result_first else told[::-1])[1]()
                ended = prompt(shown["id"])
                self.assertEqual((ended["state"], ended["answer"]["decision"], ended["answer"]["by"]),
                                 ("answered", "allow", {"kind": "terminal"}))
                late = answer(shown["id"], {"decision": "deny"})
                self.assertEqual((late.status, late.json["error"]["code"]), (409, "already_answered"))

    def test_a_no_with_words_at_the_terminal(self):
        for batch_first in (True, False):
            with self.subTest(batch_first=batch_first):
                held, shown = waiting()
                told = [lambda: happens(held.chosen, "PostToolBatch"), lambda: held.end("released", word="local")]
                for tell in told if batch_first else told[::-1]:
                    tell()
                ended = prompt(shown["id"])
                self.assertEqual((ended["state"], ended["answer"]["decision"], ended["answer"]["by"]),
                                 ("answered", "deny", {"kind": "terminal"}))

    def test_a_client_that_was_killed(self):
        held, shown = waiting()
        self.assertEqual(held.end("released", word="gone").status, 204)
        self.assertEqual(prompt(shown["id"])["state"], "gone")
        late = answer(shown["id"], {"decision": "allow"})
        self.assertEqual((late.status, late.json["error"]["code"]), (410, "prompt_gone"))

    def test_a_request_that_overtakes_the_start_of_its_call(self):
        """The start is spooled, and the request is posted at once, right after the previous batch. The two arrive in either
        order, and the hook waits."""
        for fields in (PLAN, BASH):
            for start_first in (True, False):
                with self.subTest(tool=fields["tool_name"], start_first=start_first):
                    chosen = session()
                    batch, start, request = (
                        envelope(hook(name, chosen, **more), harness.iso(index / 10 - 0.5))
                        for index, (name, more) in enumerate((
                            ("PostToolBatch", {}), ("PreToolUse", {**fields, "tool_use_id": "toolu_1"}),
                            ("PermissionRequest", fields))))
                    client = Client(server.address, key)

                    def post(event):
                        self.assertEqual(client.request("POST", "/api/events", event).status, 202)
                    post(batch)
                    if start_first:
                        post(start)
                    held = Hook(server, key, chosen, event=request).start()
                    shown = wait_for(lambda: [one for one in server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]
                                              if one["answerable"]], "it can be answered")[0]
                    if not start_first:
                        post(start)
                        self.assertTrue(prompt(shown["id"])["answerable"])
                    self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
                    self.assertEqual(decision(held.wait())["behavior"], "allow")
                    self.assertEqual(len(server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]), 1)
                    client.close()

    def test_the_turn_goes_on(self):
        held, shown = waiting()
        happens(held.chosen, "Stop")
        self.assertEqual(held.wait(), {})
        late = answer(shown["id"], {"decision": "allow"})
        self.assertEqual((late.status, late.json["error"]["code"]), (410, "prompt_gone"))

    def test_a_stop_of_another_agent_ends_nothing(self):
        held, shown = waiting({**BASH, "agent_id": "a1", "agent_type": "general-purpose"})
        happens(held.chosen, "Stop")
        self.assertTrue(prompt(shown["id"])["answerable"])
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "allow")

    def test_the_hook_stops_waiting(self):
        held, shown = waiting()
        self.assertEqual(held.end("released").status, 204)
        ended = prompt(shown["id"])
        self.assertEqual((ended["state"], ended["answerable"]), ("open", False))
        refused = answer(shown["id"], {"decision": "allow"})
        self.assertEqual((refused.status, refused.json["error"]["code"]), (409, "not_answerable"))

    def test_the_machines_rule_denies(self):
        held, shown = waiting()
        self.assertEqual(held.end("expired").status, 204)
        ended = prompt(shown["id"])
        self.assertEqual((ended["state"], ended["answer"]["by"], ended["answer"]["decision"]),
                         ("expired", {"kind": "timeout"}, "deny"))

    def test_three_hooks_at_once(self):
        chosen = session()
        held = [Hook(server, key, chosen, tool_name="Read", tool_input={"file_path": f"/p/{number}"}).start()
                for number in range(3)]
        for one in held:
            answerable(one)
        for one, word in zip(reversed(held), ("allow", "deny", "allow")):
            self.assertEqual(answer(one.prompt, {"decision": word}).status, 200)
            self.assertEqual(decision(one.wait())["behavior"], word)

    def test_a_lost_connection_ends_nothing(self):
        held = Hook(server, key, session())
        body = json.dumps(held.event).encode()
        lines = [f"POST /api/prompts HTTP/1.1", f"Host: {server.address}", f"Authorization: Bearer {key}",
                 "Content-Type: application/json", f"Content-Length: {len(body)}",
                 *(f"{name}: {value}" for name, value in held.headers.items())]
        host, _, port = server.address.rpartition(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            shown = answerable(held)
        time.sleep(1.5)
        self.assertTrue(prompt(shown["id"])["answerable"])
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        self.assertEqual(decision(held.start().wait())["behavior"], "allow")


class EndsOfTurns(unittest.TestCase):
    """Claude Code runs no hook for these events; the server itself reports that the turn is over."""

    STOP = {"decision": "deny", "message": "Stop here.", "interrupt": True}

    def ends(self, chosen):
        return [event for event in server.get(f"/v1/sessions/{chosen}/events").json["events"]
                if event["type"] == "session_interrupted"]

    def state(self, chosen):
        return server.get(f"/v1/sessions/{chosen}").json["state"]

    def applied(self, id):
        def found():
            shown = prompt(id)
            return shown if shown.get("answer", {}).get("outcome") == "applied" else None
        return wait_for(found, "the answer is applied")

    def test_a_refusal_that_ends_the_turn(self):
        for ago in (0, 900):
            with self.subTest(f"a machine whose clock is {ago} s behind"):
                chosen = session()
                event = envelope(hook("PermissionRequest", chosen, **BASH), at=harness.iso(-ago))
                held = Hook(server, key, chosen, event=event).start()
                shown = answerable(held)
                self.assertEqual(answer(shown["id"], self.STOP).status, 200)
                self.assertEqual(decision(held.wait()), {"behavior": "deny", "message": "Stop here.", "interrupt": True})
                ended = self.applied(shown["id"])
                self.assertEqual(steps(ended), ["offered", "held", "answered", "applied"])
                told, = self.ends(chosen)
                self.assertEqual(ended["life"][-1]["evidence"], told["event_id"])
                self.assertEqual(told["payload"], {"by": "device", "prompt_id": shown["id"]})
                self.assertEqual(self.state(chosen), "idle")
                client = Client(server.address, key)
                client.request("POST", "/api/events", envelope(hook("UserPromptSubmit", chosen, prompt="On."), at=harness.iso(60 - ago)))
                client.close()
                self.assertEqual(self.state(chosen), "running")

    def test_a_refusal_that_ends_a_subagents_work(self):
        held, shown = waiting({**BASH, "agent_id": "a1", "agent_type": "general-purpose"})
        happens(held.chosen, "PreToolUse", tool_name="Agent", tool_use_id="toolu_2", tool_input={})
        self.assertEqual(answer(shown["id"], self.STOP).status, 200)
        held.wait()
        self.applied(shown["id"])
        self.assertEqual((self.ends(held.chosen), self.state(held.chosen)), ([], "running"))

    def test_a_server_that_dies_before_it_tells(self):
        held, shown = waiting()
        self.assertEqual(answer(shown["id"], self.STOP).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "deny")
        server.kill()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()
        self.applied(shown["id"])
        self.assertEqual((len(self.ends(held.chosen)), self.state(held.chosen)), (1, "idle"))

    def test_a_refusal_that_the_machines_file_forbids_ends_nothing(self):
        held, shown = waiting()
        self.assertEqual(answer(shown["id"], self.STOP).status, 200)
        held.wait()
        self.assertEqual(held.end("released", word="refused").status, 204)
        wait_for(lambda: prompt(shown["id"])["answer"]["by"]["kind"] == "rule", "it is refused")
        time.sleep(3)
        self.assertEqual((self.ends(held.chosen), self.state(held.chosen)), ([], "running"))

    def test_a_refusal_alone_leaves_the_turn(self):
        held, shown = waiting()
        self.assertEqual(answer(shown["id"], {"decision": "deny"}).status, 200)
        held.wait()
        time.sleep(3)
        self.assertEqual((self.ends(held.chosen), self.state(held.chosen)), ([], "running"))
        happens(held.chosen, "PostToolBatch", tool_calls=[])
        self.applied(shown["id"])

    def test_a_no_at_the_terminal(self):
        held, shown = waiting()
        self.assertEqual(held.end().status, 204)
        ended = prompt(shown["id"])
        self.assertEqual((ended["state"], ended["answer"]["by"]["kind"], ended["answer"]["decision"]),
                         ("answered", "terminal", "deny"))
        self.assertEqual(self.state(held.chosen), "idle")

    def test_an_answer_at_the_terminal_with_which_the_turn_goes_on(self):
        held, shown = waiting()
        self.assertEqual(held.end("released", word="local").status, 204)
        self.assertEqual((prompt(shown["id"])["state"], self.state(held.chosen)), ("answered", "running"))


class Restarts(unittest.TestCase):
    def test_a_server_that_dies_while_a_hook_waits(self):
        held, shown = waiting()
        server.kill()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()
        again = wait_for(lambda: (prompt(shown["id"]) or {}).get("answerable") and prompt(shown["id"]), "it waits again")
        self.assertEqual(again["tool_input"], BASH["tool_input"])
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "allow")
        self.assertEqual(steps(prompt(shown["id"])).count("held"), 1)

    def test_an_answer_that_was_given_while_the_hook_was_away(self):
        held = Hook(server, key, session())
        thread = threading.Thread(target=lambda: contextless(held), daemon=True)
        thread.start()
        shown = answerable(held)
        server.kill()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()
        self.assertEqual(answer(shown["id"], {"decision": "deny", "message": "Stop"}).status, 200)
        self.assertEqual(decision(held.start().wait()), {"behavior": "deny", "message": "Stop"})


def contextless(held):
    try:
        held.poll()
    except OSError:
        pass


class Log(unittest.TestCase):
    def told(self, chosen):
        return [(event["type"], event["payload"]["step"], event["event_id"])
                for event in server.events(f"limit=200&session_id={chosen}") if event["type"].startswith("prompt_")]

    def test_what_happens_is_told_once(self):
        held, shown = waiting()
        self.assertEqual(request("POST", f"/v1/prompts/{shown['id']}/seen").status, 204)
        self.assertEqual(request("POST", f"/v1/prompts/{shown['id']}/seen").status, 204)
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        held.wait()
        happens(held.chosen, "PostToolUse", tool_use_id="toolu_1", **BASH)
        told = wait_for(lambda: len(self.told(held.chosen)) >= 6 and self.told(held.chosen), "all is told")
        self.assertEqual(sorted((kind, step) for kind, step, _ in told), [
            ("prompt_closed", "answered"), ("prompt_opened", "offered"), ("prompt_updated", "answered"),
            ("prompt_updated", "applied"), ("prompt_updated", "held"), ("prompt_updated", "seen")])
        self.assertEqual(steps(prompt(shown["id"])), ["offered", "held", "seen", "answered", "applied"])
        session_row = server.get(f"/v1/sessions/{held.chosen}").json
        self.assertEqual((session_row["message_count"], session_row["tool_call_count"]), (0, 1))

    def test_a_prompt_is_told_before_its_steps_and_with_what_it_asks(self):
        held = [Hook(server, key, session()).start() for _ in range(12)]
        for one in held:
            answerable(one)
            told = wait_for(lambda: [event for event in server.events(f"limit=200&session_id={one.chosen}")
                                     if event["payload"].get("step") == "held"], "it is told")
            events = [event for event in server.events(f"limit=200&session_id={one.chosen}")
                      if event["type"].startswith("prompt_")]
            self.assertEqual(events[0]["type"], "prompt_opened")
            for event in (events[0], told[0]):
                self.assertEqual(event["payload"]["prompt"]["tool_input"], BASH["tool_input"])
            self.assertTrue(told[0]["payload"]["prompt"]["answerable"])
        for one in held:
            one.end("released")

    def test_the_end_of_a_wait_is_told(self):
        for wait in (self.last, self.end, self.vanish):
            held = Hook(server, key, session(), seconds=2)
            wait(held)
            self.assertEqual(prompt(held.prompt)["state"], "open")
            released = wait_for(lambda: [event["payload"]["prompt"] for event in server.events(f"limit=200&session_id={held.chosen}")
                                         if event["payload"].get("step") == "released"], "its end is told")
            self.assertEqual([one["answerable"] for one in released], [False])
            self.assertEqual(steps(prompt(held.prompt))[-1], "released")

    def last(self, held):
        """The last poll of the hook gets the answer that the prompt is over."""
        answered = held.poll()
        self.assertEqual((answered.status, answered.json), (200, {}))

    def end(self, held):
        """The hook withdraws."""
        held.start()
        answerable(held)
        self.assertEqual(held.end("released").status, 204)

    def vanish(self, held):
        """The server with the hold is killed, and the hook does not come back."""
        thread = threading.Thread(target=lambda: contextless(held), daemon=True)
        thread.start()
        answerable(held)
        server.kill()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()

    def test_a_machine_cannot_post_the_servers_events(self):
        client = Client(server.address, key)
        for name in ("prompt_updated", "prompt_closed", "message_updated", "PromptOpened", "session_gone",
                     "session_interrupted"):
            posted = client.request("POST", "/api/events", {"event_type": name, "data": {"session_id": session()}})
            self.assertEqual((posted.status, posted.json["error"]["code"]), (400, "reserved_event_type"), name)
        client.close()

    def test_metrics(self):
        def holds():
            return int(re.search(r"^monitor_prompt_holds (\d+)$", server.get("/metrics").body.decode(), re.M)[1])

        # The holds of other tests' answered prompts end one after another.
        before = holds()
        held, shown = waiting()
        self.assertTrue(1 <= holds() <= before + 1)
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        held.wait()
        text = server.get("/metrics").body.decode()
        self.assertIn('monitor_prompt_step_seconds{step="answered",quantile="0.99"}', text)


class Attacks(unittest.TestCase):
    def test_another_machine_neither_ends_nor_reads_a_wait(self):
        held, shown = waiting()
        self.assertEqual(held.end(key=other).status, 204)
        stranger = Hook(server, other, held.chosen, hold=held.hold, event=held.event)
        thread = threading.Thread(target=lambda: contextless(stranger), daemon=True)
        thread.start()
        time.sleep(0.5)
        self.assertTrue(prompt(shown["id"])["answerable"])
        self.assertEqual(answer(shown["id"], {"decision": "allow"}, token=key).status, 403)
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "allow")

    def test_a_device_without_the_right(self):
        held, shown = waiting()
        for wish in ({"capabilities": ["read"]}, {"machines": ["rack"]}):
            code = server.client().request("POST", "/v1/pairing", wish).json["code"]
            reader = devices.patiently(devices.Stranger(server.address), "POST", "/v1/pairing/exchange",
                                       {"code": code, "name": "reader"}).json
            refused = answer(shown["id"], {"decision": "allow"}, reader["access_token"])
            self.assertEqual((refused.status, refused.json["error"]["code"]), (403, "insufficient_scope"))
        self.assertEqual(prompt(shown["id"])["late_answers"], [])
        held.end("released")

    def test_a_guessed_id(self):
        guessed = answer("prm_" + uuid.uuid4().hex, {"decision": "allow"})
        self.assertEqual((guessed.status, guessed.json["error"]["code"]), (404, "prompt_not_found"))

    def test_no_credential(self):
        held = Hook(server, "cmk_wrong", session())
        self.assertEqual(held.poll().status, 401)
        self.assertEqual(Client(server.address).request("POST", "/v1/prompts/prm_0/answer", {}).status, 401)

    def test_what_is_wrong_with_a_wait_is_said(self):
        good = Hook(server, key, session())
        for headers in ({}, {"X-Hold-Id": "x", "X-Hold-Seconds": "10"}, {"X-Hold-Id": good.hold},
                        {"X-Hold-Id": good.hold, "X-Hold-Seconds": "0"}):
            good.headers = headers
            refused = good.poll()
            self.assertEqual((refused.status, refused.json["error"]["code"]), (400, "invalid_hold"), refused)
        wrong = Hook(server, key, session(), "PostToolUse")
        self.assertEqual(wrong.poll().json["error"]["code"], "invalid_hold")


class HostileInput(unittest.TestCase):
    """The input of a tool that tries to look harmless. The line on the card shows what is there; the input itself is not
    changed."""

    def shown(self, command):
        held, shown = waiting({"tool_name": "Bash", "tool_input": {"command": command}})
        held.end("released")
        return shown

    def test_directions_and_escapes_do_not_reach_the_line(self):
        hidden = "\u202e\u2066\u200b\ufeff\x1b[8m\x1b[2K\r\x07"
        command = f"ls {hidden}; rm -rf ~ # safe\x1b[0m"
        shown = self.shown(command)
        self.assertEqual(shown["detail"], "ls ; rm -rf ~ # safe")
        self.assertEqual(shown["tool_input"]["command"], command, "what is allowed is shown as it is")
        self.assertEqual(shown["risk"], "delete")

    def test_text_behind_blank_lines_and_blanks_is_in_the_line(self):
        for gap in ("\n" * 200, " " * 5000, "\t\n\r" * 300):
            self.assertEqual(self.shown(f"ls{gap}rm -rf ~")["detail"], "ls rm -rf ~")
            # To bash, a carriage return is a letter. Here it is part of the name of an unknown program.
            expected = "execute" if "\r" in gap else "delete"
            self.assertEqual(self.shown(f"ls;{gap}rm -rf ~")["risk"], expected)

    def test_a_long_line_says_that_more_follows(self):
        shown = self.shown("echo " + "harmless " * 60 + "; rm -rf ~")
        self.assertTrue(shown["detail"].endswith("…"), shown["detail"])
        self.assertEqual(shown["risk"], "delete")
        self.assertIn("rm -rf ~", shown["tool_input"]["command"])

    def test_a_name_that_only_looks_like_another(self):
        """Cyrillic letters make an unknown command or path, so the risk is not lower than that of any command."""
        self.assertEqual(self.shown("\u0441at notes.txt")["risk"], "execute")
        self.assertEqual(self.shown("cat \u202e.env")["tool_input"]["command"], "cat \u202e.env")

    def test_a_megabyte_can_only_be_denied(self):
        held, shown = waiting({"tool_name": "Bash", "tool_input": {"command": "true " + "#" * (1 << 20) + "\nrm -rf ~"}})
        self.assertTrue(shown["content_truncated"])
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).json["error"]["code"], "invalid_answer")
        self.assertLess(len(server.get(f"/v1/events?session_id={held.chosen}").body), 100_000)
        self.assertEqual(answer(shown["id"], {"decision": "deny"}).status, 200)
        self.assertEqual(decision(held.wait())["behavior"], "deny")

    def test_a_tool_with_a_name_like_a_terminal_sequence(self):
        held, shown = waiting({"tool_name": "Bash\x1b[2J\u202e", "tool_input": {"command": "ls"}})
        self.assertEqual((shown["title"], shown["tool_name"]), ("Bash[2J", "Bash[2J"))
        self.assertNotIn("\x1b", shown["detail"])
        self.assertNotIn("\x1b", server.control("prompts").stdout)
        held.end("released")


class Audit(unittest.TestCase):
    def test_the_chain_tells_what_was_done_and_shows_any_change(self):
        held, shown = waiting()
        answer(shown["id"], {"decision": "allow"})
        answer(shown["id"], {"decision": "deny"})
        held.wait()
        happens(held.chosen, "PostToolUse", tool_use_id="toolu_1", **BASH)

        def entries():
            return [one for one in server.get("/v1/audit/answers").json["entries"]
                    if one["entry"].get("prompt_id") == shown["id"]]
        own = wait_for(lambda: len(entries()) == 3 and entries(), "all is recorded")
        self.assertEqual([one["entry"]["action"] for one in own],
                         ["prompt.answer", "prompt.answer.late", "prompt.applied"])
        self.assertEqual(own[0]["entry"]["answer"]["by"]["name"], "phone")
        link = bytes(32)
        for one in server.get("/v1/audit/answers").json["entries"]:
            digest = hashlib.sha256(one["entry_text"].encode()).digest()
            link = hashlib.sha256(link + digest).digest()
            self.assertEqual((one["digest"], one["link"]), (digest.hex(), link.hex()))
        self.assertEqual(request("GET", "/v1/audit/answers").status, 403)

    def test_the_command_line(self):
        held, shown = waiting()
        answer(shown["id"], {"decision": "deny", "message": "no"})
        held.wait()
        last = server.get("/v1/audit/answers").json["entries"][-1]
        lines = [json.loads(line) for line in server.control("audit", "export").stdout.splitlines()]
        self.assertEqual(lines[-1]["link"], last["link"])
        self.assertIn(last["link"], server.control("audit", "verify", "--head", lines[0]["link"]).stdout)
        self.assertIn("prompt.answer", server.control("audit", "--limit", "1000").stdout)
        self.assertNotEqual(server.control("audit", "verify", "--head", "0" * 63 + "1", check=False).returncode, 0)


class OtherDoors(unittest.IsolatedAsyncioTestCase):
    async def test_json_rpc(self):
        held, shown = await asyncio.to_thread(waiting)
        async with ws.connected(at=server, credential=phone["access_token"]) as client:
            pending = (await client.call("permission/pending", {"session_id": held.chosen}))["result"]["requests"]
            self.assertEqual([one["tool_use_id"] for one in pending], [shown["tool_use_id"]])
            given = await client.call("permission/respond", {"tool_use_id": shown["tool_use_id"], "decision": "deny"})
            self.assertEqual(given["result"], {"success": True})
            again = await client.call("permission/respond", {"tool_use_id": shown["id"], "decision": "allow"})
            self.assertEqual(again["error"]["data"]["reason"], "already_answered")
        self.assertEqual(decision(await asyncio.to_thread(held.wait))["behavior"], "deny")

    async def test_a_late_answer_by_either_id_is_kept(self):
        chosen, call = session(), "toolu_" + uuid.uuid4().hex
        await asyncio.to_thread(happens, chosen, "PreToolUse", tool_use_id=call, **BASH)
        held = Hook(server, key, chosen).start()
        shown = await asyncio.to_thread(answerable, held)
        self.assertEqual(shown["tool_use_id"], call)
        tablet = devices.pair("tablet")
        self.assertEqual((await asyncio.to_thread(answer, shown["id"], {"decision": "deny"})).status, 200)
        await asyncio.to_thread(held.wait)
        await asyncio.to_thread(wait_for, lambda: prompt(shown["id"])["state"] == "answered", "the answer is logged")
        async with ws.connected(at=server, credential=tablet["access_token"]) as client:
            for name in (call, shown["id"]):
                late = await client.call("permission/respond", {"tool_use_id": name, "decision": "allow"})
                self.assertEqual(late["error"]["data"]["reason"], "already_answered", late)
            unknown = await client.call("permission/respond", {"tool_use_id": call + "0", "decision": "allow"})
            self.assertEqual(unknown["error"]["data"]["reason"], "prompt_not_found")
        kept = await asyncio.to_thread(
            wait_for, lambda: len(prompt(shown["id"])["late_answers"]) == 2 and prompt(shown["id"]), "both are kept")
        self.assertEqual({one["by"]["name"] for one in kept["late_answers"]}, {"tablet"})
        self.assertEqual(kept["answer"]["decision"], "deny")
        # If one prompt with that tool_use_id is open, the answer is for it.
        await asyncio.to_thread(happens, other := session(), "PreToolUse", tool_use_id=call, **BASH)
        again = Hook(server, key, other).start()
        await asyncio.to_thread(answerable, again)
        async with ws.connected(at=server, credential=tablet["access_token"]) as client:
            given = await client.call("permission/respond", {"tool_use_id": call, "decision": "allow"})
            self.assertEqual(given["result"], {"success": True})
        self.assertEqual(decision(await asyncio.to_thread(again.wait))["behavior"], "allow")

    async def test_a_pending_permission_is_shown_whole(self):
        long = "echo " + "x" * 3000
        held, shown = await asyncio.to_thread(waiting, {"tool_name": "Bash", "tool_input": {"command": long}})
        async with ws.connected(at=server, credential=phone["access_token"]) as client:
            request, = (await client.call("permission/pending", {"session_id": held.chosen}))["result"]["requests"]
        self.assertEqual((request["tool_input"], request["content_truncated"]), ({"command": long}, False))
        held.end("released")

    async def test_what_is_left_out_of_a_list_is_marked(self):
        every = [await asyncio.to_thread(waiting, {"tool_name": "Bash", "tool_input": {"command": f"echo {x * 100_000}"}})
                 for x in "abc"]
        told = []
        for held, shown in every:
            stream = await asyncio.to_thread(self.stream, f"session_id={held.chosen}")
            one, = stream["payload"]["prompts"]
            told.append((len(one["tool_input"].get("command", "")), one["content_truncated"], one["answerable"]))
            self.assertEqual((shown["content_truncated"], len(shown["tool_input"]["command"])), (False, 100_005))
        self.assertEqual(told, [(0, True, True), (100_005, False, True), (100_005, False, True)])
        for held, shown in every:
            held.end("released")

    async def asking(self, client, chosen, **more):
        """A program asks for a permission. Returns the prompt that it opens, and the task with the answer."""
        call = asyncio.create_task(client.call("permission/request", {
            "session_id": chosen, "tool_name": "Bash", "tool_input": BASH["tool_input"], "tool_use_id": "toolu_p", **more}))

        def opened():
            return next((one for one in server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]
                         if one["answerable"]), None)
        return await asyncio.to_thread(wait_for, opened, "the prompt can be answered"), call

    async def test_a_program_asks_for_a_permission(self):
        chosen = session()
        async with ws.connected(at=server) as client:
            shown, call = await self.asking(client, chosen)
            self.assertEqual((shown["tool_input"], shown["tool_use_id"]), (BASH["tool_input"], "toolu_p"))
            async with ws.connected(at=server, credential=phone["access_token"]) as reader:
                pending = (await reader.call("permission/pending", {"session_id": chosen}))["result"]["requests"]
            self.assertEqual([one["tool_use_id"] for one in pending], ["toolu_p"])
            given = await asyncio.to_thread(answer, shown["id"], {"decision": "allow", "scope": "session"})
            self.assertEqual(given.status, 200, given)
            told = {"decision": "allow", "scope": "session", "pattern": f"Bash({BASH['tool_input']['command']})"}
            self.assertEqual((await call)["result"], told)
            # A second request with the same id gets the same answer, and asks nobody again.
            again = await client.call("permission/request", {
                "session_id": chosen, "tool_name": "Bash", "tool_input": BASH["tool_input"], "tool_use_id": "toolu_p"})
            self.assertEqual(again["result"], told)
        self.assertEqual(len(server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]), 1)

    async def test_a_program_is_refused(self):
        async with ws.connected(at=server) as client:
            shown, call = await self.asking(client, session())
            body = {"decision": "deny", "message": "Not now", "interrupt": True}
            await asyncio.to_thread(answer, shown["id"], body)
            self.assertEqual((await call)["result"],
                             {"decision": "deny", "scope": "once", "message": "Not now", "interrupt": True})

    async def test_nobody_answers_a_program(self):
        async with ws.connected(at=server) as client:
            shown, call = await self.asking(client, session(), timeout_seconds=3)
            self.assertEqual((await call)["result"], {"decision": "deny", "scope": "once", "message": "timeout"})
        ended = await asyncio.to_thread(wait_for, lambda: prompt(shown["id"])["state"] == "expired" and prompt(shown["id"]),
                                        "the prompt has expired")
        self.assertFalse(ended["answerable"])

    async def test_a_program_asks_where_no_device_may_answer(self):
        own = await asyncio.to_thread(Server(MONITOR_RATE_LIMIT="off").start)
        self.addCleanup(own.end)
        code = own.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
        paired = devices.Stranger(own.address).request("POST", "/v1/pairing/exchange", {"code": code, "name": "reader"})
        self.assertEqual(paired.status, 200)
        chosen = session()
        call = {"session_id": chosen, "tool_name": "Bash", "tool_input": BASH["tool_input"], "tool_use_id": "toolu_n"}
        async with ws.connected(at=own) as client:
            began = time.monotonic()
            told = await client.call("permission/request", call)
            self.assertEqual(told["result"], {"decision": "deny", "scope": "once", "message": "no_clients"})
            self.assertLess(time.monotonic() - began, 10, "a reader is no reason to wait")
            self.assertEqual(own.get(f"/v1/prompts?session_id={chosen}&state=open").json["prompts"], [])
            # As soon as a device may answer, the server asks it.
            granted = await asyncio.to_thread(own.control, "device", "grant", paired.json["device_id"], "respond")
            self.assertEqual(granted.returncode, 0)
            told = await client.call("permission/request", {**call, "tool_use_id": "toolu_m", "timeout_seconds": 2})
            self.assertEqual(told["result"]["message"], "timeout")

    async def test_a_program_loses_its_socket_and_asks_again(self):
        chosen = session()
        async with ws.connected(at=server) as client:
            shown, call = await self.asking(client, chosen)
        call.cancel()
        self.assertEqual(prompt(shown["id"])["state"], "open")
        given = await asyncio.to_thread(answer, shown["id"], {"decision": "allow"})
        self.assertEqual(given.status, 200, given)
        async with ws.connected(at=server) as client:
            again = await client.call("permission/request", {
                "session_id": chosen, "tool_name": "Bash", "tool_input": BASH["tool_input"], "tool_use_id": "toolu_p"})
            self.assertEqual(again["result"], {"decision": "allow", "scope": "once"})

    async def test_a_program_asks_for_a_session_of_a_machine(self):
        chosen = session()
        happens(chosen, "SessionStart")
        async with ws.connected(at=server) as client:
            shown, call = await self.asking(client, chosen)
            self.assertEqual(shown["machine_id"], server.get(f"/v1/sessions/{chosen}").json["machine_id"])
            await asyncio.to_thread(answer, shown["id"], {"decision": "deny"})
            self.assertEqual((await call)["result"]["decision"], "deny")

    async def test_a_device_asks_nobody(self):
        async with ws.connected(at=server, credential=phone["access_token"]) as client:
            refused = await client.call("permission/request", {
                "session_id": session(), "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t"})
            self.assertEqual((refused["error"]["code"], refused["error"]["data"]["reason"]),
                             (-32005, "insufficient_scope"))

    async def test_a_question_over_json_rpc(self):
        held, _ = await asyncio.to_thread(
            waiting, {**ASK, "tool_input": {"questions": QUESTIONS[:1]}})
        async with ws.connected(at=server, credential=phone["access_token"]) as client:
            given = await client.call("session/respond", {
                "session_id": held.chosen, "type": "question", "response": "SQLite"})
            self.assertEqual(given["result"]["status"], "responded")
        self.assertEqual(decision(await asyncio.to_thread(held.wait))["updatedInput"]["answers"],
                         {"Which database?": "SQLite"})

    async def test_a_reader_cannot_respond(self):
        held, shown = await asyncio.to_thread(waiting)
        code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
        reader = devices.patiently(devices.Stranger(server.address), "POST", "/v1/pairing/exchange",
                                   {"code": code, "name": "reader"}).json["access_token"]
        async with ws.connected(at=server, credential=reader) as client:
            refused = await client.call("permission/respond", {"tool_use_id": shown["id"], "decision": "allow"})
            self.assertEqual(refused["error"]["data"]["reason"], "insufficient_scope")
        held.end("released")

    async def test_a_client_that_connects_is_told_what_is_open(self):
        held, shown = await asyncio.to_thread(waiting)
        async with ws.connected(at=server, credential=phone["access_token"]) as client:
            while (told := await client.receive()).get("method") != "prompts/open":
                pass
            told = told["params"]
            listed = {one["id"]: one for one in told["payload"]["prompts"]}
            self.assertEqual(listed[shown["id"]]["tool_input"], BASH["tool_input"])
            self.assertNotIn("seq", told)
            await asyncio.to_thread(wait_for, lambda: ("delivered", phone["device_id"]) in [
                (one["step"], one.get("device_id")) for one in prompt(shown["id"])["life"]], "its step is logged")
        stream = await asyncio.to_thread(self.stream, f"session_id={held.chosen}")
        self.assertEqual([one["id"] for one in stream["payload"]["prompts"]], [shown["id"]])
        held.end("released")

    @staticmethod
    def stream(query):
        """The open prompts on a stream of server-sent events."""
        host, _, port = server.address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(f"GET /v1/events?{query} HTTP/1.1\r\nHost: {server.address}\r\nAccept: text/event-stream\r\n"
                               f"Authorization: Bearer {phone['access_token']}\r\n\r\n".encode())
            received, mark = b"", b"event: prompts_open\ndata: "
            while b"\n\n" not in received.partition(mark)[2]:
                received += connection.recv(65536)
        return json.loads(received.partition(mark)[2].partition(b"\n\n")[0])

    async def test_a_prompt_that_a_subscribed_device_was_handed(self):
        async with ws.connected(at=server, credential=phone["access_token"]) as client:
            held, shown = await asyncio.to_thread(waiting)
            await asyncio.to_thread(wait_for, lambda: ("delivered", phone["device_id"]) in [
                (one["step"], one.get("device_id")) for one in prompt(shown["id"])["life"]], "its step is logged")
        held.end("released")

    async def test_cdevs_dialog_is_closed(self):
        async with ws.connected(at=server, ready=False) as client:
            await client.call("initialize", {"protocolVersion": "1.0",
                                             "clientInfo": {"name": "cdev-ios", "version": "1"}})
            held, shown = await asyncio.to_thread(waiting)
            await asyncio.to_thread(answer, shown["id"], {"decision": "allow"})
            while not (ended := [one["params"]["payload"] for one in client.events
                                 if one["method"] == "event/pty_permission_resolved"
                                 and one["params"]["session_id"] == held.chosen]):
                await client.receive()
            self.assertEqual((ended[0]["tool_use_id"], ended[0]["resolved_by"]), (shown["tool_use_id"], "device"))

    def test_the_command_line(self):
        held, shown = waiting()
        listed = server.control("prompts").stdout
        self.assertIn(shown["id"], listed)
        self.assertIn("rm -rf build", listed)
        server.control("answer", shown["id"], "deny", "--message", "From the shell")
        self.assertEqual(decision(held.wait()), {"behavior": "deny", "message": "From the shell"})
        self.assertEqual(prompt(shown["id"])["answer"]["by"], {"kind": "operator"})
        asked, shown = waiting({**ASK, "tool_input": {"questions": QUESTIONS[:1]}})
        server.control("answer", shown["id"], "SQLite")
        self.assertEqual(decision(asked.wait())["updatedInput"]["answers"], {"Which database?": "SQLite"})

    def test_a_hook_without_a_script(self):
        """An "http" hook of Claude Code: one request, whose answer is the decision."""
        chosen, answers = session(), []
        body = hook("PermissionRequest", chosen, **BASH)
        thread = threading.Thread(daemon=True, target=lambda: answers.append(
            request("POST", "/api/hooks?hold=60", body, key)))
        thread.start()

        def open_prompt():
            found = server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]
            return found and found[0]["answerable"] and found[0]
        shown = wait_for(open_prompt, "it can be answered")
        self.assertEqual(answer(shown["id"], {"decision": "allow"}).status, 200)
        thread.join(10)
        self.assertEqual(decision(answers[0].json), {"behavior": "allow"})
        self.assertEqual(request("POST", "/api/hooks", hook("PermissionRequest", session(), **BASH), key).json, {})

    def test_the_end_of_an_http_hooks_connection_is_no_refusal(self):
        chosen = session()
        client = Client(server.address, key, timeout=1.5)
        with self.assertRaises(OSError):
            client.request("POST", "/api/hooks?hold=60", hook("PermissionRequest", chosen, tool_use_id="toolu_cut", **BASH))
        client.close()

        def shown(step):
            found = server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]
            return found and step in steps(found[0]) and found[0]
        cut = wait_for(lambda: shown("released"), "the hook waits no more")
        self.assertEqual((cut["state"], cut["answerable"]), ("open", False))
        self.assertNotIn("answer", cut)
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["waiting_for"]["kind"], "permission")
        refused = answer(cut["id"], {"decision": "allow"})
        self.assertEqual((refused.status, refused.json["error"]["code"]), (409, "not_answerable"))
        happens(chosen, "PostToolUse", tool_use_id="toolu_cut", tool_response="done", **BASH)
        ended = wait_for(lambda: shown("released")["state"] != "open" and shown("released"), "the result is evidence")
        self.assertEqual((ended["answer"]["decision"], ended["answer"]["by"]["kind"]), ("allow", "terminal"))


class Rebuilding(unittest.TestCase):
    def test_prompts_and_answers_are_made_anew_from_the_log_alike(self):
        postgres = Postgres().start()
        own = Server(DATABASE_URL=postgres.url, MONITOR_RATE_LIMIT="off").start()
        desk, device = own.key("desk"), devices.pair("phone", at=own)["access_token"]

        def ask(method, path, body=None, token=device):
            client = Client(own.address, token)
            try:
                return client.request(method, path, body)
            finally:
                client.close()

        def life(end):
            held = Hook(own, desk, session()).start()
            wait_for(lambda: (ask("GET", f"/v1/prompts/{held.prompt}").json or {}).get("answerable"), "it waits")
            ask("POST", f"/v1/prompts/{held.prompt}/seen")
            end(held)
            return held

        def allow(held):
            self.assertEqual(ask("POST", f"/v1/prompts/{held.prompt}/answer", {"decision": "allow"}).status, 200)
            held.wait()
            ask("POST", f"/v1/prompts/{held.prompt}/answer", {"decision": "deny"})
            ask("POST", "/api/events", envelope(hook("PostToolUse", held.chosen, tool_use_id="t", **BASH)), desk)

        life(allow)
        life(lambda held: held.end())
        life(lambda held: held.end("expired"))
        life(lambda held: held.end("released"))
        dump = "SELECT p::text FROM prompts p ORDER BY id; SELECT s::text FROM sessions s ORDER BY id"
        told = "SELECT count(*) FROM prompts WHERE announced < phase"
        wait_for(lambda: postgres.sql(told) == ["0"], "all is told")
        wait_for(lambda: postgres.sql("SELECT count(*) FROM projections p, log_head h WHERE p.name = 'sessions'"
                                      " AND p.seq = h.last_seq") == ["1"], "all is folded")
        before, events = postgres.sql(dump), len(own.events())
        done = subprocess.run([harness.SERVER, "rebuild", "sessions"], env=own.environment(), text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(postgres.sql(dump), before)
        time.sleep(1)
        self.assertEqual(len(own.events()), events)
        own.end()
        postgres.end()

    def test_two_servers_on_one_database(self):
        postgres = Postgres().start()
        first = Server(DATABASE_URL=postgres.url, MONITOR_RATE_LIMIT="off").start()
        shared = pathlib.Path(first.directory)
        second = Server(DATABASE_URL=postgres.url, MONITOR_RATE_LIMIT="off")
        for name in ("device.key", "admin.token"):
            if (shared / name).exists():
                shutil.copy(shared / name, second.directory / name)
        second.start()
        desk = first.key("desk")
        devices.pair("phone", at=first)

        def known(held):
            client = Client(held.server.address, desk)
            answered = client.request("DELETE", f"/api/prompts/{uuid.uuid4()}")
            client.close()
            return answered.status == 204
        for holder, answerer in ((first, second), (second, first)):
            held = Hook(holder, desk, session())
            wait_for(lambda: known(held), "both servers know the key")
            wait_for(lambda: holder.get("/v1/devices").json["devices"], "the device is there")
            time.sleep(3)
            held.start()
            wait_for(lambda: answerer.get(f"/v1/prompts/{held.prompt}").status == 200
                     and answerer.get(f"/v1/prompts/{held.prompt}").json["answerable"], "it waits")
            client = answerer.client()
            given = client.request("POST", f"/v1/prompts/{held.prompt}/answer", {"decision": "allow"})
            client.close()
            self.assertEqual(given.status, 200, given)
            self.assertEqual(decision(held.wait())["behavior"], "allow")
        first.end()
        second.end()
        postgres.end()


class NobodyThere(unittest.TestCase):
    def test_without_a_device_the_terminal_asks(self):
        alone = Server(MONITOR_RATE_LIMIT="off").start()
        held = Hook(alone, alone.key("desk"), session())
        answered = held.poll()
        self.assertEqual((answered.status, answered.json), (200, {}))
        shown = alone.get(f"/v1/prompts/{held.prompt}").json
        self.assertEqual((shown["state"], shown["answerable"]), ("open", False))
        alone.end()


if __name__ == "__main__":
    unittest.main()
