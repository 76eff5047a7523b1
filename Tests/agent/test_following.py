"""The answers to messages that a program follows, and the conversations with which sessions begin."""

import json
import os
import signal
import unittest
import uuid

from machine import AgentCase, wait_until


class Following(AgentCase):
    def setUp(self):
        super().setUp()
        self.link = self.begin()
        self.session = self.start_session(self.link)

    def follow(self, link=None):
        """Follows the next message, whose id is chosen here."""
        self.message = str(uuid.uuid4())
        link = link or self.link
        number = link.post("turn/follow", {"session_id": self.session, "message_id": self.message, "deadline_ms": 60000})
        link.noticed("turn/step", message_id=self.message, kind="ready")
        return number

    def send(self, text, link=None):
        return (link or self.link).call("session/send", {"session_id": self.session, "message_id": self.message, "content": text})

    def told(self, kind):
        return [params for name, params in self.link.notices
                if name == "turn/step" and params["message_id"] == self.message and params["kind"] == kind]

    def test_an_answer_is_told_and_its_end(self):
        number = self.follow()
        self.send("Hello")
        end = self.link.reply(number)["result"]
        self.assertEqual("".join(step["text"] for step in self.told("text")), "Hello 5")
        self.assertGreater(len(self.told("text")), 1)
        self.assertEqual((end["usage"], end["cost"]), ({"output_tokens": 1}, 0.25))
        self.assertNotIn("failure", end)
        # The session is idle before the end is told.
        self.link.noticed("session/state", session_id=self.session, state="idle", count=2)

    def test_a_long_answer_comes_in_pieces(self):
        number = self.follow()
        self.send("big 3000000")
        self.link.reply(number)
        texts = [step["text"] for step in self.told("text")]
        self.assertEqual(sum(map(len, texts)), 3_000_000)
        self.assertLessEqual(max(map(len, texts)), 256 << 10)

    def test_a_message_that_nobody_follows_tells_nothing(self):
        self.message = str(uuid.uuid4())
        self.send("Hello")
        self.link.noticed("message/state", message_id=self.message, state="finished")
        self.assertEqual(self.told("text"), [])

    def test_an_interruption_ends_the_answer(self):
        number = self.follow()
        self.send("wait")
        self.link.noticed("message/state", message_id=self.message, state="started")
        self.link.call("session/interrupt", {"session_id": self.session, "cancel_queued": True})
        self.assertEqual(self.link.reply(number)["result"]["failure"]["kind"], "interrupted")

    def test_a_client_that_dies_ends_the_answer(self):
        number = self.follow()
        self.send("die")
        self.assertEqual(self.link.reply(number)["result"]["failure"]["kind"], "gone")

    def test_a_message_that_is_not_sent_ends_it(self):
        number = self.follow()
        self.machine.write("agent", "control=off\n")
        self.assertIn("error", self.send("Hello"))
        self.assertEqual(self.link.reply(number)["result"]["failure"]["kind"], "gone")
        self.machine.allow()
        number = self.follow()
        self.link.call("turn/unfollow", {"session_id": self.session, "message_id": self.message})
        self.assertEqual(self.link.reply(number)["result"]["failure"]["kind"], "interrupted")

    def test_the_machine_decides(self):
        self.machine.write("agent", "control=off\n")
        message = {"session_id": self.session, "message_id": str(uuid.uuid4())}
        self.refused(self.link.call("turn/follow", message), "outside_roots")
        self.machine.allow()
        self.refused(self.link.call("turn/follow", {**message, "session_id": str(uuid.uuid4())}), "session_not_running")

    def test_a_turn_goes_on_without_the_connection(self):
        self.follow()
        self.send("ask rm")
        self.link.called("prompt/open")
        self.link.cut()
        link = self.wire.link(2)
        greeted = link.called("initialize")[0]["sessions"]
        self.assertEqual([(one["session_id"], one["state"]) for one in greeted], [(self.session, "waiting")])
        # Nobody follows it any more.
        link.call("session/interrupt", {"session_id": self.session})
        link.noticed("message/state", message_id=self.message, state="cancelled")
        self.assertEqual([name for name, _ in link.notices if name == "turn/step"], [])


class Histories(AgentCase):
    HISTORY = [{"role": "user", "content": "/clear"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"},
               {"role": "assistant", "content": "d"}]

    def test_a_session_begins_with_what_was_said(self):
        link = self.begin()
        session = self.start_session(link, history=self.HISTORY)
        message = str(uuid.uuid4())
        link.call("session/send", {"session_id": session, "message_id": message, "content": "Now"})
        link.noticed("message/state", message_id=message, state="finished")
        loaded = [json.loads(line) for line in (self.machine.project / "loaded").read_text().splitlines()]
        # A slash is text, here too.
        self.assertEqual(loaded, [["user", " /clear"], ["assistant", [{"type": "text", "text": "b"}]], ["user", "c"],
                                  ["assistant", [{"type": "text", "text": "d"}]]])
        # Only the message has a turn.
        self.assertEqual([params["message_ids"] for name, params in link.notices if name == "turn/ended"], [[message]])

    def test_a_client_that_dies_meanwhile_has_not_started(self):
        link = self.begin()
        number = link.post("session/start", {"session_id": str(uuid.uuid4()), "directory": str(self.machine.project),
                                             "history": [{"role": "user", "content": "x"}] * 5000})
        wait_until((self.machine.project / "loaded").exists, "an earlier message")
        os.kill(self.machine.clients()[0], signal.SIGKILL)
        self.refused(link.reply(number), "start_failed")


if __name__ == "__main__":
    unittest.main()
