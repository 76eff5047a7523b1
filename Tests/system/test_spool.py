"""The database is unreachable: what machines post in the meantime is kept on disk, and is in the database later, in order."""

import http.client
import json
import threading
import time
import unittest

from harness import Client, Postgres, Server, envelope, hook, session, tool, wait_for


class SpoolCase(unittest.TestCase):
    def setUp(self):
        self.postgres = Postgres().start()
        self.addCleanup(self.postgres.end)

    def server(self, **settings):
        server = Server(DATABASE_URL=self.postgres.url, MONITOR_RATE_LIMIT="off", **settings).start()
        self.addCleanup(server.end)
        return server

    def lose(self, server):
        self.postgres.stop("immediate")
        wait_for(lambda: server.health()[0] == 503, "the loss is seen")

    def recover(self, server):
        self.postgres.start()
        server.wait_healthy()
        wait_for(lambda: server.health()[1]["spool"]["events"] == 0, "the spool is replayed")

    def seen(self, server, chosen):
        """The commands in a session's events, in the order of the log."""
        found = sorted(server.events(f"session_id={chosen}&limit=200"), key=lambda event: event["seq"])
        return [event["payload"]["tool_input"]["command"] for event in found]


class Absence(SpoolCase):
    def test_kept_acknowledged_and_committed_in_order(self):
        server = self.server()
        client, chosen = Client(server.address, server.key("away")), session()
        self.addCleanup(client.close)
        first = client.request("POST", "/api/events", envelope(tool(chosen, "0")))
        self.assertEqual(first.status, 202, first)
        self.assertNotIn("durability", first.json)
        self.lose(server)
        for number in range(1, 30):
            sent = envelope(tool(chosen, str(number)))
            answer = client.request("POST", "/api/events", [sent, {"event_id": "no uuid"}] if number == 7 else sent)
            self.assertEqual(answer.status, 202, answer)
            told = answer.json
            self.assertEqual((told["accepted"], told["duplicates"], told["durability"]), (1, 0, "spooled"))
            self.assertEqual(told["events"][0], {"event_id": sent["event_id"], "status": "spooled"})
            self.assertEqual(told["rejected"], 1 if number == 7 else 0)
        answer = client.request("POST", "/api/hooks", tool(chosen, "30"))
        self.assertEqual((answer.status, answer.json), (200, {}), answer)
        status, health = server.health()
        self.assertEqual((status, health["status"]), (503, "degraded"))
        self.assertEqual((health["spool"]["status"], health["spool"]["events"]), ("ready", 30))
        self.assertGreater(health["spool"]["bytes"], 30 * 100)
        self.assertIn("T", health["spool"]["oldest_waiting"])
        self.recover(server)
        self.assertEqual(self.seen(server, chosen), [str(number) for number in range(31)])
        wait_for(lambda: server.health()[1]["spool"]["file_bytes"] == 0, "the files are gone")
        self.assertEqual(list((server.directory / "spool").iterdir()), [])
        metrics = server.get("/metrics").body.decode()
        self.assertIn("monitor_spool_replayed_total 30", metrics)
        self.assertIn('monitor_events_total{outcome="spooled"} 30', metrics)
        after = client.request("POST", "/api/events", envelope(tool(chosen, "31")))
        self.assertEqual(after.json["events"][0]["status"], "accepted", after)

    def test_a_repeated_post_counts_once(self):
        server = self.server()
        client, chosen = Client(server.address, server.key("twice")), session()
        self.addCleanup(client.close)
        sent = envelope(tool(chosen, "once"))
        self.lose(server)
        for _ in range(3):
            self.assertEqual(client.request("POST", "/api/events", sent).status, 202)
        self.recover(server)
        self.assertEqual(self.seen(server, chosen), ["once"])
        self.assertEqual(client.request("POST", "/api/events", sent).json["duplicates"], 1)

    def test_subscribers_see_what_was_spooled(self):
        server = self.server()
        client, chosen = Client(server.address, server.key("live")), session()
        self.addCleanup(client.close)
        stream = http.client.HTTPConnection(*server.address.rsplit(":", 1), timeout=20)
        self.addCleanup(stream.close)
        stream.request("GET", f"/v1/events?session_id={chosen}", headers={
            "Authorization": f"Bearer {server.admin}", "Accept": "text/event-stream"})
        response = stream.getresponse()
        self.assertEqual(response.status, 200)
        self.lose(server)
        for number in range(5):
            self.assertEqual(client.request("POST", "/api/events", envelope(tool(chosen, str(number)))).status, 202)
        self.recover(server)
        seen = []
        while len(seen) < 5:
            line = response.readline()
            if line.startswith(b"data:") and b"tool_input" in line:
                seen.append(json.loads(line[5:])["payload"]["tool_input"]["command"])
        self.assertEqual(seen, ["0", "1", "2", "3", "4"])


class Restart(SpoolCase):
    def test_a_backlog_outlives_kill_9_and_is_replayed_at_the_start(self):
        server = self.server()
        key, chosen = server.key("killed"), session()
        client = Client(server.address, key)
        self.lose(server)
        for number in range(10):
            self.assertEqual(client.request("POST", "/api/events", envelope(tool(chosen, str(number)))).status, 202)
        client.close()
        server.kill()
        server.start(ready="listening")
        self.assertEqual(server.health()[1]["spool"]["events"], 10)
        client = Client(server.address, key)
        self.addCleanup(client.close)
        # The keys are in the database, so the server cannot know yet whose event this is.
        refused = client.request("POST", "/api/events", envelope(tool(chosen, "x")))
        self.assertEqual((refused.status, refused.json["error"]["code"]), (503, "keys_unknown"), refused)
        self.recover(server)
        self.assertEqual(self.seen(server, chosen), [str(number) for number in range(10)])

    def test_a_stop_in_order_keeps_the_backlog(self):
        server = self.server()
        client, chosen = Client(server.address, server.key("stopped")), session()
        self.lose(server)
        for number in range(3):
            self.assertEqual(client.request("POST", "/api/events", envelope(tool(chosen, str(number)))).status, 202)
        client.close()
        self.assertEqual(server.stop()[0], 0)
        self.postgres.start()
        server.start()
        wait_for(lambda: server.health()[1]["spool"]["events"] == 0, "the spool is replayed")
        self.assertEqual(self.seen(server, chosen), ["0", "1", "2"])


class Storm(SpoolCase):
    def test_each_machine_keeps_its_order_while_the_database_comes_and_goes(self):
        server = self.server()
        machines = [(server.key(f"storm-{number}"), session()) for number in range(4)]
        done, acknowledged, durable = threading.Event(), [0] * 4, set()

        def post(index):
            key, chosen = machines[index]
            client, number = Client(server.address, key), 0
            while not done.is_set():
                sent = envelope(tool(chosen, str(number)))
                answer = client.request("POST", "/api/events", sent)
                if answer.status == 202:
                    durable.add(answer.json["events"][0]["status"])
                    number += 1
                    acknowledged[index] = number
                else:
                    self.assertEqual(answer.status, 503, answer)
                    time.sleep(0.02)
            client.close()

        threads = [threading.Thread(target=post, args=(index,), daemon=True) for index in range(4)]
        for thread in threads:
            thread.start()
        for absence in (1, 5, 0, 5):
            time.sleep(1)
            self.postgres.stop("immediate")
            # Posts in the writer's queue wait for its attempts to reconnect. The long outages last longer than these attempts.
            time.sleep(absence)
            self.postgres.start()
        server.wait_healthy()
        done.set()
        for thread in threads:
            thread.join(30)
        wait_for(lambda: server.health()[1]["spool"]["events"] == 0, "the spool is replayed")
        self.assertEqual(durable, {"accepted", "spooled"})
        for (_, chosen), count in zip(machines, acknowledged):
            found = self.seen(server, chosen)
            self.assertGreaterEqual(len(found), count)
            self.assertEqual(found, [str(number) for number in range(len(found))])


class Bounds(SpoolCase):
    def test_at_the_bound_posts_are_refused_until_the_database_is_back(self):
        server = self.server(MONITOR_SPOOL_MAX="256KiB", MONITOR_MAX_BODY="64KiB", MONITOR_STORE_CONTENT="full")
        client, chosen = Client(server.address, server.key("bound")), session()
        self.addCleanup(client.close)
        self.lose(server)
        kept = 0
        for number in range(200):
            answer = client.request("POST", "/api/events", envelope(tool(chosen, str(number), note="n" * 8000)))
            if answer.status == 503:
                break
            kept += 1
        self.assertEqual(answer.status, 503, answer)
        self.assertIn("retry-after", answer.headers)
        self.assertTrue(20 < kept < 40, kept)
        self.assertEqual(server.health()[1]["spool"]["status"], "full")
        self.assertLessEqual(sum(path.stat().st_size for path in (server.directory / "spool").iterdir()), 256 << 10)
        self.recover(server)
        self.assertEqual(self.seen(server, chosen), [str(number) for number in range(kept)])
        self.assertEqual(client.request("POST", "/api/events", envelope(tool(chosen, "more"))).status, 202)

    def test_switched_off_nothing_is_kept(self):
        server = self.server(MONITOR_SPOOL_MAX="0")
        client = Client(server.address, server.key("off"))
        self.addCleanup(client.close)
        self.assertEqual(server.health()[1]["spool"], {"status": "off"})
        self.lose(server)
        self.assertEqual(client.request("POST", "/api/events", envelope(hook("Stop", session()))).status, 503)
        self.assertFalse((server.directory / "spool").exists())

    def test_two_servers_cannot_share_a_directory(self):
        server = self.server()
        second = Server(server.directory, DATABASE_URL=self.postgres.url)
        second.start(ready=None)
        self.addCleanup(second.end)
        self.assertEqual(second.process.wait(20), 1)
        self.assertIn("in use by another server", second.text())
        self.assertEqual(server.health()[0], 200)
