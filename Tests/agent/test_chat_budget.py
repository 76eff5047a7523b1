"""The machine's own bound of what its chats cost in a day."""

import datetime
import json

from machine import wait_until
from test_chats import Chats


class Budget(Chats):
    """Each message of the scripted client costs 0.25 dollars."""

    def limit(self, budget):
        self.machine.allow("chat=on", "chats=4", f"chat_budget={budget}")

    def refused_with_words(self, answer):
        self.refused(answer, "insufficient_quota")
        for word in ("file agent", "chat_budget=0.3", "midnight UTC"):
            self.assertIn(word, answer["error"]["message"])

    def spent(self):
        return self.machine.status()["chats_cost_today"]

    def test_a_day_costs_no_more_even_after_a_restart(self):
        self.limit("0.3")
        self.assertIn("result", self.run_chat("hello")[1])
        self.assertIn("result", self.run_chat("hello")[1])
        self.refused_with_words(self.run_chat("hello")[1])
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        self.machine.start()
        self.link = self.wire.link(2)
        self.refused_with_words(self.run_chat("hello")[1])
        self.assertEqual((self.spent(), len([one for one in self.taken() if "initialize" in one])), (0.5, 2))
        # What the file says counts at once.
        self.limit("0.75")
        self.assertIn("result", self.run_chat("hello")[1])
        self.refused(self.run_chat("hello")[1], "insufficient_quota")

    def test_the_next_day_has_a_budget_of_its_own(self):
        yesterday = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0) \
            - datetime.timedelta(days=1)
        self.machine.agents[-1].kill()
        self.machine.agents[-1].wait(20)
        stored = {"day": int(yesterday.timestamp()) * 1_000_000, "usd": 100}
        (self.machine.state / "chat-spending").write_text(json.dumps(stored))
        self.limit("0.3")
        self.machine.start()
        self.link = self.wire.link(2)
        self.assertIn("result", self.run_chat("hello")[1])

    def test_messages_with_calls_and_results_count(self):
        self.limit("0.3")
        chat, (call,) = self.called()
        self.assertIn("result", self.proceed(chat, (call, "x")))
        chat, answer = self.run_chat("hello")
        self.refused_with_words(answer)
        self.assertEqual(self.spent(), 0.5)

    def test_results_beyond_it_are_refused(self):
        self.limit("0.3")
        chat, (call,) = self.called()
        self.assertIn("result", self.run_chat("hello")[1])
        self.refused_with_words(self.proceed(chat, (call, "x")))
        self.limit("1")
        self.assertIn("result", self.proceed(chat, (call, "x")))

    def test_a_turn_that_is_interrupted_counts_its_tokens(self):
        chat, number = self.post("hold")
        wait_until(self.begun, "the chat")
        self.link.call("chat/stop", {"session_id": chat})
        self.assertEqual(self.link.reply(number)["result"]["failure"]["kind"], "interrupted")
        self.assertGreater(self.spent(), 0)
