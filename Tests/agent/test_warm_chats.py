"""The one client that is started before the next chat: who gets it, who does not, and when it ends."""

import os
import signal
import unittest

from machine import wait_until
from test_chats import FUNCTION, Chats


class Warm(Chats):
    chats = 1

    def waiting(self):
        """The clients in which no chat has begun."""
        return sorted(set(self.machine.clients()) - self.begun())

    def warm(self):
        """Waits for the client, when no chat runs."""
        return wait_until(lambda: not self.begun() and len(self.waiting()) == 1 and self.waiting(), "the client that waits")[0]

    def warmed(self, **more):
        """Has a chat answered, and returns the client that waits for the next one."""
        self.assertIn("result", self.run_chat("first", **more)[1])
        return self.warm()

    def pids(self):
        """Those of the chats, in their order."""
        return [one["pid"] for one in self.taken() if "initialize" in one]

    def gone(self, pid):
        wait_until(lambda: pid not in self.machine.clients(), "the end of the client")


class Taken(Warm):
    def test_the_next_chat_has_it_and_nothing_of_the_last_one(self):
        waiting = self.warmed(system_prompt="Of the first.", by={"kind": "api_key", "id": "api_key:1"})
        history = [{"role": "user", "content": "before"}]
        chat, answer = self.run_chat("second", history=history, by={"kind": "api_key", "id": "api_key:2"})
        self.assertEqual((self.text(chat), answer["result"]["cost"]), ("second", 0.25))
        self.assertEqual(self.pids()[1], waiting)
        begun = [one["initialize"] for one in self.taken() if "initialize" in one]
        self.assertEqual([one["systemPrompt"] for one in begun], [["Of the first."], ["You are a helpful assistant."]])
        self.assertEqual([one["user"] for one in self.taken() if "user" in one], ["first", "before", "second"])
        self.assertNotEqual(self.warm(), waiting)

    def test_there_is_one_however_many_chats_there_were(self):
        self.machine.allow("chat=on", "chats=4")
        for numbers in [[self.post(f"hello {number}")[1] for number in range(4)] for _ in range(3)]:
            for number in numbers:
                self.assertIn("result", self.link.reply(number))
        self.warm()

    def test_it_takes_no_place_and_waits_for_no_room(self):
        waiting = self.warmed()
        self.post("hold")
        wait_until(lambda: self.begun() == {waiting}, "the chat")
        chat, number = self.post("hello")
        self.assertEqual(self.link.call("chat/stop", {"session_id": chat})["result"], {"ended": True})
        self.refused(self.link.reply(number), "session_not_running")

    def test_it_takes_functions_and_a_form(self):
        waiting = self.warmed(functions=[FUNCTION])
        other = {**FUNCTION, "name": "other"}
        chat, answer = self.run_chat("call", functions=[other])
        (call,) = answer["result"]["calls"]
        self.assertEqual((call["name"], self.pids()[1]), ("other", waiting))
        self.assertIn("result", self.proceed(chat, (call["id"], "x")))
        waiting = self.warmed()
        chat, _ = self.run_chat("form", schema={"type": "object"})
        self.assertEqual((self.text(chat), self.pids()[-1]), ('{"sum":4}', waiting))


class NotTaken(Warm):
    def test_a_chat_that_needs_another_client_replaces_it(self):
        for more in ({"model": "haiku"}, {"effort": "low"}, {"max_tokens": 5}, {"functions": [FUNCTION]}):
            waiting = self.warmed()
            self.assertIn("result", self.run_chat("other", **more)[1])
            self.assertNotEqual(self.pids()[-1], waiting)
            self.gone(waiting)
            waiting = self.warm()
            self.assertIn("result", self.run_chat("again", **more)[1])
            self.assertEqual(self.pids()[-1], waiting)

    def test_texts_of_a_caller_are_in_no_client_that_waits(self):
        for more in ({"stop": ["END"]}, {"functions": [FUNCTION], "tool_choice": {"type": "any"}}):
            waiting = self.warmed()
            self.run_chat("other", **more)
            self.assertNotEqual(self.pids()[-1], waiting)
            self.ended()
            self.assertEqual(self.waiting(), [waiting])

    def test_a_new_program_is_run_at_once(self):
        waiting = self.warmed()
        os.utime(self.machine.client)
        self.assertIn("result", self.run_chat("hello")[1])
        self.assertNotEqual(self.pids()[-1], waiting)
        self.gone(waiting)
        self.warm()

    def test_one_that_was_killed_fails_no_chat(self):
        waiting = self.warmed()
        os.kill(waiting, signal.SIGKILL)
        self.gone(waiting)
        self.assertIn("result", self.run_chat("hello")[1])
        self.assertEqual(len(set(self.pids())), 2)
        self.warm()


class Ends(Warm):
    def test_when_no_chat_comes(self):
        self.machine.allow("chat=on", "chats=1", "idle_stop=1s")
        self.gone(self.warmed())
        self.assertEqual(self.machine.clients(), [])

    def test_when_the_machines_file_changes(self):
        for words in (("chat=off",), ("chat=on", "chats=0"), ("chat=on", "env=EXTRA")):
            self.machine.allow("chat=on", "chats=1")
            waiting = self.warmed()
            if "env=EXTRA" in words:
                self.machine.write("agent.env", "EXTRA=1\n")
            self.machine.allow(*words)
            self.gone(waiting)
            self.assertEqual(self.machine.clients(), [])

    def test_with_the_agent_and_with_the_connection(self):
        self.warmed()
        self.link.cut()
        wait_until(lambda: not self.machine.clients(), "the end of all clients")
        self.link = self.wire.link(2)
        self.warmed()
        self.machine.agents[-1].terminate()
        self.assertEqual(self.machine.agents[-1].wait(20), 0)
        self.assertEqual(self.machine.clients(), [])

    def test_one_of_an_agent_that_was_killed_ends_with_the_next_start(self):
        waiting = self.warmed()
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        self.machine.start()
        self.link = self.wire.link(2)
        self.gone(waiting)
        self.assertEqual(self.machine.clients(), [])


if __name__ == "__main__":
    unittest.main()
