"""The end of a chat's turn that comes while PostgreSQL is away."""

import threading
import unittest

import harness
import test_chat as chat
import test_project_chat as projects
from agents import LATER
from harness import Postgres, Server, wait_for


def setUpModule():
    global cluster
    cluster = Postgres().start()
    chat.server = projects.server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()


def tearDownModule():
    harness.end_everything()
    cluster.end()


class Away:
    """PostgreSQL is away while a turn ends."""

    def ends_meanwhile(self, thread, end):
        cluster.stop("fast")
        wait_for(lambda: chat.server.health()[0] == 503, "the outage is noticed")
        end()
        # The answer does not wait for the database.
        thread.join(30)
        self.assertFalse(thread.is_alive())
        cluster.start()
        chat.server.wait_healthy()

    def stored(self, client):
        """The turns of a key: why each ended, and what it cost."""
        return cluster.sql(f"SELECT outcome, cost, ended_at IS NOT NULL FROM chat_turns WHERE caller LIKE '%{client.key_id}%'")

    def is_charged_once(self, client, ask):
        wait_for(lambda: "stop" in str(self.stored(client)), "the end is stored")
        refused = ask()
        self.assertEqual((refused.status, refused.json["error"]["code"]), (429, "insufficient_quota"), refused)


class Plain(Away, chat.Chat):
    def test_the_end_is_stored_once_it_is_back(self):
        self.script = lambda params: LATER
        client, answers = self.chatter(daily_budget=0.5), []
        thread = threading.Thread(target=lambda: answers.append(self.ask(client, idempotency_key="k-1")))
        thread.start()
        wait_for(lambda: self.chats, "the chat")
        self.ends_meanwhile(thread, lambda: self.agent.answer(chat.DONE))
        self.assertEqual(answers[0].status, 200, answers)
        self.is_charged_once(client, lambda: self.ask(client, {**chat.HELLO, "seed": 1}))
        self.assertEqual(len(self.chats), 1)


class Project(Away, projects.ProjectChat):
    def test_the_end_is_stored_once_it_is_back(self):
        self.machine.script = lambda message: self.machine.step("text", text="Hello!")
        client = self.driver("chat", daily_budget=0.5)
        thread, answers = self.asking(self.body(), client)
        self.machine.wait_for_message()
        self.ends_meanwhile(thread, self.machine.says)
        self.assertEqual(answers[0].status, 200, answers)
        self.assertEqual(answers[0].json["choices"][0]["message"]["content"], "Hello!")
        self.is_charged_once(client, lambda: self.ask(self.body("Two"), client))
        self.assertEqual(len(self.machine.sent), 1)


if __name__ == "__main__":
    unittest.main()
