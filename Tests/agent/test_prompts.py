"""Prompts: opened, answered, withdrawn, over lost connections and the agent's death."""

import os
import unittest
import uuid

from machine import AgentCase, wait_until


def output(behavior="allow", **extra):
    return {"hookEventName": "PermissionRequest", "decision": {"behavior": behavior, **extra}}


class Prompts(AgentCase):
    def setUp(self):
        super().setUp()
        self.link = self.begin()
        self.session = self.start_session(self.link)

    def ask(self, text="ask rm -rf build"):
        self.message = str(uuid.uuid4())
        self.link.call("session/send", {"session_id": self.session, "message_id": self.message, "content": text})

    def opened(self, link=None, count=1):
        return (link or self.link).called("prompt/open", count)[-1]

    def answer(self, prompt, given, link=None):
        return (link or self.link).call("prompt/answer", {"session_id": self.session, "hold_id": prompt["hold_id"], "output": given})

    def reply(self, link=None):
        """What the client was told."""
        link = link or self.link
        link.noticed("message/state", message_id=self.message, state="finished")
        texts = [params["text"] for name, params in link.notices if name == "session/partial" and "text" in params]
        return "".join(texts)

    def test_opened(self):
        self.ask()
        prompt = self.opened()
        self.assertEqual(prompt["session_id"], self.session)
        self.assertEqual(str(uuid.UUID(prompt["hold_id"])), prompt["hold_id"])
        self.assertIn("who=answer", prompt["policy"])
        self.assertIn("risk=delete", prompt["policy"])
        self.assertEqual(prompt["seconds"], 86400)
        event = prompt["event"]
        self.assertEqual(event["event_id"], prompt["hold_id"])
        hook = event["data"]
        self.assertEqual((hook["hook_event_name"], hook["tool_name"], hook["tool_input"]),
                         ("PermissionRequest", "Bash", {"command": "rm -rf build"}))
        self.assertEqual((hook["session_id"], hook["cwd"], hook["runner"], hook["tool_use_id"]),
                         (self.session, str(self.machine.project), "agent", "toolu_1"))
        self.link.noticed("session/state", state="waiting")

    def test_allowed(self):
        self.ask()
        prompt = self.opened()
        self.assertEqual(self.answer(prompt, output())["result"], {"applied": True})
        self.assertIn('"behavior": "allow"', self.reply())
        self.assertEqual(self.answer(prompt, output())["result"], {"applied": False})
        self.assertEqual(self.link.calls[-1]["method"], "prompt/open")

    def test_denied_with_words(self):
        self.ask()
        self.answer(self.opened(), output("deny", message="Not now"))
        self.assertIn("Not now", self.reply())

    def test_the_whole_output_of_a_hook(self):
        self.ask()
        answer = self.answer(self.opened(), {"hookSpecificOutput": output("deny", message="Whole")})
        self.assertEqual(answer["result"], {"applied": True})
        self.assertIn("Whole", self.reply())

    def test_answers_that_the_file_does_not_allow(self):
        self.ask()
        prompt = self.opened()
        rule = {"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow", "destination": "localSettings"}
        mode = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
        for given in (output(updatedInput={"command": "curl evil"}), output(updatedPermissions=[rule]), output("maybe"), {},
                      output(updatedPermissions=[{**mode, "mode": "bypassPermissions"}]),
                      {"hookEventName": "Elicitation", "action": "accept"}):
            with self.subTest(given):
                self.refused(self.answer(prompt, given), "unfit_answer")
        self.machine.allow("modes=default")
        self.refused(self.answer(prompt, output(updatedPermissions=[mode])), "mode_not_allowed")
        self.machine.write("approvals", "who=notify\n")
        self.refused(self.answer(prompt, output()), "unfit_answer")
        self.machine.write("approvals", "")
        self.machine.write("agent", f"control=off\nroots={self.machine.root}\n")
        self.refused(self.answer(prompt, output()), "not_allowed_by_machine")
        self.machine.allow()
        self.assertEqual(self.answer(prompt, output(updatedPermissions=[mode]))["result"], {"applied": True})
        self.assertIn("acceptEdits", self.reply())

    def test_the_input_is_the_machines_own(self):
        self.ask()
        self.answer(self.opened(), output(updatedInput={"command": "rm -rf build"}))
        self.assertNotIn("updatedInput\": {\"command\": \"curl", self.reply())

    def test_what_nobody_may_answer_is_denied_at_once(self):
        for text in ("who=notify\n", "who=off\n", "hold=0\n", "tool=Bash who=off after=ask\n"):
            self.machine.write("approvals", text)
            self.ask()
            self.assertIn("The files of this machine let nobody answer", self.reply(), text)
        self.assertEqual([call["method"] for call in self.link.calls], ["initialize"])

    def test_after_deny_denies_when_the_time_is_over(self):
        self.machine.write("approvals", "hold=1 after=deny\n")
        self.ask()
        self.assertEqual(self.opened()["seconds"], 1)
        self.assertEqual(self.link.called("prompt/withdrawn")[0]["reason"], "expired")
        self.assertIn("Nobody answered in time", self.reply())

    def test_after_ask_waits_on(self):
        self.machine.write("approvals", "hold=1\n")
        self.ask()
        self.assertEqual(self.opened()["seconds"], 86400)

    def test_withdrawn_by_an_interrupt(self):
        self.ask()
        prompt = self.opened()
        self.link.call("session/interrupt", {"session_id": self.session})
        withdrawn = self.link.called("prompt/withdrawn")[0]
        self.assertEqual((withdrawn["hold_id"], withdrawn["reason"]), (prompt["hold_id"], "cancelled"))
        self.assertEqual(self.answer(prompt, output())["result"], {"applied": False})

    def test_gone_with_its_session(self):
        self.ask()
        self.opened()
        self.link.call("session/stop", {"session_id": self.session})
        self.assertEqual(self.link.called("prompt/withdrawn")[0]["reason"], "gone")

    def test_a_form(self):
        self.ask("form")
        prompt = self.opened()
        self.assertEqual(prompt["event"]["data"]["hook_event_name"], "Elicitation")
        self.assertEqual(self.answer(prompt, {"hookEventName": "Elicitation", "action": "accept"})["result"], {"applied": True})
        self.assertIn('"action": "accept"', self.reply())

    def test_restated_over_a_lost_link(self):
        self.ask()
        prompt = self.opened()
        self.link.cut()
        second = self.wire.link(2)
        restated = second.called("initialize")[0]["sessions"][0]["prompts"]
        self.assertEqual(restated, [prompt])
        self.assertEqual(self.answer(prompt, output(), second)["result"], {"applied": True})
        self.assertIn('"behavior": "allow"', self.reply(second))

    def test_opened_and_answered_while_the_link_is_lost(self):
        """The server's answer to the call does not arrive; the call is repeated."""
        self.wire.answers = lambda method, params: None if method == "prompt/open" else {"result": {"protocol": 1, "node": "n"}}
        self.ask()
        prompt = self.opened()
        self.link.cut()
        second = self.wire.link(2)
        self.assertEqual(second.called("initialize")[0]["sessions"][0]["prompts"], [prompt])

    def test_a_server_that_cannot_store_it_is_asked_again(self):
        failures = [{"error": {"code": -32000, "message": "later", "data": {"retry": True}}}] * 2

        def answers(method, params):
            if method == "prompt/open" and failures:
                return failures.pop()
            return {"result": {"protocol": 1, "node": "n"}}
        self.wire.answers = answers
        self.ask()
        self.link.called("prompt/open", 3)
        holds = {call["hold_id"] for call in self.link.called("prompt/open", 3)}
        self.assertEqual(len(holds), 1)

    def test_a_withdrawal_is_told_after_a_lost_link(self):
        self.ask()
        prompt = self.opened()
        self.wire.answers = lambda method, params: None if method == "prompt/withdrawn" else {"result": {"protocol": 1, "node": "n"}}
        self.link.call("session/interrupt", {"session_id": self.session})
        self.link.called("prompt/withdrawn")
        self.wire.answers = lambda method, params: {"result": {"protocol": 1, "node": "n"}}
        self.link.cut()
        second = self.wire.link(2)
        self.assertEqual(second.called("prompt/withdrawn")[0]["hold_id"], prompt["hold_id"])
        self.assertEqual(second.called("initialize")[0]["sessions"][0]["prompts"], [])



class Restarts(AgentCase):
    def test_the_next_agent_goes_on(self):
        link = self.begin()
        session = self.start_session(link)
        message = str(uuid.uuid4())
        link.call("session/send", {"session_id": session, "message_id": message, "content": "ask ls"})
        prompt = link.called("prompt/open")[0]
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        self.assertEqual(len(self.machine.clients()), 1)
        self.machine.start()
        second = self.wire.link(2)
        self.assertEqual([one["session_id"] for one in second.called("initialize")[0]["sessions"]], [session])

        def restated():
            prompts = second.called("initialize")[0]["sessions"][0]["prompts"]
            return prompts + [call["params"] for call in second.calls if call["method"] == "prompt/open"]
        again = second.wait(restated, "the prompt")[0]
        self.assertEqual(again["hold_id"], prompt["hold_id"])
        answer = second.call("prompt/answer", {"session_id": session, "hold_id": prompt["hold_id"], "output": output()})
        self.assertEqual(answer["result"], {"applied": True})
        second.noticed("message/state", message_id=message, state="finished")
        # The same message again is not sent twice.
        second.call("session/send", {"session_id": session, "message_id": message, "content": "ask ls"})
        self.assertEqual(len(self.machine.received()), 1)

    def test_sessions_outlive_a_stop_of_the_agent(self):
        link = self.begin()
        session = self.start_session(link)
        self.machine.agents[0].terminate()
        self.assertEqual(self.machine.agents[0].wait(20), 0)
        self.assertEqual(len(self.machine.clients()), 1)
        self.machine.start()
        self.assertIn("result", self.wire.link(2).call("session/context", {"session_id": session}))

    def test_a_session_that_ended_meanwhile_is_told(self):
        link = self.begin()
        session = self.start_session(link)
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        for pid in self.machine.clients():
            os.kill(pid, 9)
        wait_until(lambda: not self.machine.clients(), "the client's end")
        self.machine.start()
        second = self.wire.link(2)
        self.assertEqual(second.called("initialize")[0]["sessions"], [])
        self.assertEqual(second.noticed("session/state", state="ended")[0]["session_id"], session)
        self.assertEqual(os.listdir(self.machine.state / "sessions"), [])


if __name__ == "__main__":
    unittest.main()
