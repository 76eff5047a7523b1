"""If one machine posts a flood while nothing can be committed, the others still have room."""

import concurrent.futures
import time
import unittest

from harness import Client, Postgres, Server, envelope, session, tool, wait_for

# 68 of these are half of the 64 MiB that may wait. The server refuses the rest of the flood for now.
LARGE = 480 << 10
FLOOD = 90


class Shares(unittest.TestCase):
    def setUp(self):
        self.cluster = Postgres().start()
        self.addCleanup(self.cluster.end)
        self.server = Server(DATABASE_URL=self.cluster.url, MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
        self.addCleanup(self.server.end)
        self.flooder, self.other = self.server.key("flooder"), self.server.key("other")

    def post(self, key, size):
        client = Client(self.server.address, key, timeout=60)
        self.addCleanup(client.close)
        while True:
            answer = client.request("POST", "/api/events", envelope(tool(session(), "x" * size)))
            # On a busy machine, the server may refuse so many bodies at once, whoever sends them; another test is about that.
            if answer.status != 503 or answer.json["error"]["code"] != "busy":
                return answer
            time.sleep(0.2)

    def test_a_flood_is_refused_and_another_machine_is_not(self):
        with concurrent.futures.ThreadPoolExecutor(FLOOD + 1) as pool:
            with self.cluster.holding("LOCK TABLE log_head IN ACCESS EXCLUSIVE MODE"):
                flood = [pool.submit(self.post, self.flooder, LARGE) for _ in range(FLOOD)]
                wait_for(lambda: any(post.done() for post in flood), "a post of the flood is refused")
                quiet = pool.submit(self.post, self.other, 1000)
                with self.assertRaises(concurrent.futures.TimeoutError):
                    quiet.result(0.3)
            self.assertEqual(quiet.result(60).status, 202)
            answers = [post.result(60) for post in flood]
        refused = [answer for answer in answers if answer.status != 202]
        # The posts that arrived after the lock was released were accepted again.
        self.assertTrue(20 <= len(answers) - len(refused) < FLOOD, len(refused))
        self.assertIn("share_full", [answer.json["error"]["code"] for answer in refused])
        for answer in refused:
            # The server may also refuse so many bodies at once, whoever sends them.
            self.assertEqual(answer.status, 503, answer)
            self.assertIn(answer.json["error"]["code"], ("share_full", "busy"))
            self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        # The share is free again.
        self.assertEqual(self.post(self.flooder, LARGE).status, 202)


if __name__ == "__main__":
    unittest.main()
