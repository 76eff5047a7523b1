"""Answers of more than 1 kB are compressed for clients that accept it, and answers with new secrets never are."""

import gzip
import json
import unittest

from harness import Client, Server, envelope, hook, session

GZIP = {"accept-encoding": "gzip, deflate, br"}


def setUpModule():
    global server, chosen
    server = Server(MONITOR_RATE_LIMIT="off").start()
    chosen = session()
    items = [envelope(hook("UserPromptSubmit", chosen, prompt=f"do it {number}")) for number in range(100)]
    answer = Client(server.address, server.key("compressing")).request("POST", "/api/events", items)
    assert answer.status == 202, answer


def tearDownModule():
    server.end()


class Compressed(unittest.TestCase):
    def test_reads_are_compressed_and_have_the_same_content(self):
        for path in (f"/v1/sessions/{chosen}/events?limit=100", f"/v1/sessions/{chosen}/messages", "/openapi.json",
                     "/docs"):
            with self.subTest(path=path):
                plain, packed = server.get(path), server.get(path, **GZIP)
                self.assertEqual((plain.status, packed.status), (200, 200))
                self.assertNotIn("content-encoding", plain.headers)
                self.assertEqual(packed.headers["content-encoding"], "gzip")
                for answer in (plain, packed):
                    self.assertIn("Accept-Encoding", answer.headers["vary"])
                content = gzip.decompress(packed.body)
                self.assertLess(len(packed.body), len(content) / 3)
                self.assertEqual(self.comparable(content), self.comparable(plain.body))

    def comparable(self, body):
        """The content without the members that each answer has of its own."""
        if not body.startswith(b"{"):
            return body
        content = json.loads(body)
        content.pop("meta", None)
        return content

    def test_an_export_is_compressed_as_it_streams(self):
        for kind in ("jsonl", "markdown"):
            with self.subTest(kind=kind):
                path = f"/v1/sessions/{chosen}/export?format={kind}"
                plain, packed = server.get(path), server.get(path, **GZIP)
                self.assertEqual(packed.headers["content-encoding"], "gzip")
                self.assertEqual(gzip.decompress(packed.body), plain.body)

    def test_a_known_answer_is_not_sent_again(self):
        path = "/openapi.json"
        first = server.get(path, **GZIP)
        again = server.get(path, **GZIP, **{"if-none-match": first.headers["etag"]})
        self.assertEqual((again.status, again.body), (304, b""))

    def test_small_answers_and_refusals_stay_plain(self):
        self.assertNotIn("content-encoding", server.get("/health", **GZIP).headers)
        self.assertNotIn("content-encoding", server.get("/openapi.json", **{"accept-encoding": "gzip;q=0"}).headers)

    def test_a_new_key_is_never_compressed(self):
        admin = server.client(server.admin)
        answer = admin.request("POST", "/v1/keys", {"name": "n" * 90}, headers=GZIP)
        self.assertEqual(answer.status, 201, answer)
        self.assertNotIn("content-encoding", answer.headers)
