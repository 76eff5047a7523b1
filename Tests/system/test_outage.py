"""PostgreSQL stops, starts and is killed, while a server uses it with DATABASE_URL."""

import http.client
import signal
import threading
import time
import unittest

from harness import Client, Postgres, Server, envelope, kill, session, tool, wait_for


class Machine(threading.Thread):
    """Posts events one after another, and repeats each until it is acknowledged."""

    def __init__(self, server, key, name):
        super().__init__(daemon=True)
        self.server, self.key, self.session = server, key, name
        self.acknowledged, self.answers, self.running, self.wrong = [], [], True, []

    def run(self):
        client = Client(self.server.address, self.key, timeout=20)
        number = 0
        while self.running:
            item = envelope(tool(self.session, f"step {number}"))
            while True:
                try:
                    answer = client.request("POST", "/api/events", item)
                except (OSError, http.client.HTTPException):
                    answer = None
                if answer is not None and answer.status == 202:
                    # An event that is first kept on disk has no seq yet.
                    self.acknowledged.append((answer.json["events"][0].get("seq"), item["event_id"]))
                    break
                if answer is not None:
                    self.answers.append(answer)
                    if answer.status != 503:
                        self.wrong.append(answer)
                        return
                if not self.running:
                    return
                time.sleep(0.05)
            number += 1


class OutageCase(unittest.TestCase):
    SETTINGS = {}

    @classmethod
    def setUpClass(cls):
        cls.cluster = Postgres().start()
        cls.server = Server(DATABASE_URL=cls.cluster.url, MONITOR_RATE_LIMIT="off", **cls.SETTINGS).start()
        cls.key = cls.server.key("outage")

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.cluster.end()

    def under_load(self, trouble):
        """Runs `trouble` while four machines post. Returns their answers, checked against what is stored."""
        machines = [Machine(self.server, self.key, session()) for _ in range(4)]
        for machine in machines:
            machine.start()
        try:
            wait_for(lambda: all(len(machine.acknowledged) > 5 for machine in machines), "the load runs")
            trouble(machines)
            counts = [len(machine.acknowledged) for machine in machines]
            wait_for(lambda: all(len(machine.acknowledged) > count + 5 for machine, count in zip(machines, counts)),
                     "everybody is served again")
        finally:
            for machine in machines:
                machine.running = False
            for machine in machines:
                machine.join(30)
        self.server.wait_healthy()
        self.server.wait_replayed()
        for machine in machines:
            self.assertEqual(machine.wrong, [])
            stored = [(e["seq"], e["event_id"]) for e in self.server.events(f"session_id={machine.session}&limit=200")]
            told = [(seq or place[0], name) for (seq, name), place in zip(machine.acknowledged, stored)]
            self.assertEqual(len(told), len(machine.acknowledged), "lost")
            self.assertEqual(stored[:len(told)], told, "lost, doubled or out of order")
            self.assertLessEqual(len(stored), len(machine.acknowledged) + 1)
        found = self.server.read_derived(f"/v1/sessions/{machines[0].session}").json
        self.assertGreaterEqual(found["tool_call_count"], len(machines[0].acknowledged))
        return [answer for machine in machines for answer in machine.answers]

    def degraded(self):
        """Waits until /health reports the outage. The server must answer all the time."""
        health = wait_for(lambda: (lambda h: h if h[0] == 503 else None)(self.server.health()), "health tells it", 20)[1]
        self.assertEqual((health["ok"], health["status"]), (False, "degraded"))
        self.assertNotEqual(health["database"].get("status"), "healthy")

    def told(self, answers):
        for answer in answers:
            self.assertEqual(answer.status, 503)
            self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
            self.assertEqual(answer.json["error"]["type"], "service_unavailable")
            self.assertTrue(answer.headers["x-request-id"])
            for word in ("postgres", "socket", "libpq", "select", "insert"):
                self.assertNotIn(word, answer.body.decode().lower())


class Troubles:
    """What must hold with a spool and without one."""

    def test_killed_and_started(self):
        def trouble(machines):
            self.cluster.kill()
            self.cluster.start()
        self.told(self.under_load(trouble))

    def test_restarted_immediately_three_times(self):
        def trouble(machines):
            for _ in range(3):
                self.cluster.stop("immediate")
                self.cluster.start()
        self.told(self.under_load(trouble))

    def test_the_server_killed_under_load(self):
        def trouble(machines):
            self.server.kill()
            self.server.settings["MONITOR_LISTEN"] = self.server.address
            self.server.start()
        self.told(self.under_load(trouble))

    def test_connections_cut_by_the_administrator(self):
        def trouble(machines):
            for _ in range(5):
                self.cluster.run("psql", "-h", str(self.cluster.directory), "-d", "postgres", "-c",
                                 "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
        self.told(self.under_load(trouble))


class Spooling(Troubles, OutageCase):
    pass


class Refusing(Troubles, OutageCase):
    """Without a spool, the server refuses what cannot be committed."""

    SETTINGS = {"MONITOR_SPOOL_MAX": "0"}

    def test_stopped_and_started(self):
        def trouble(machines):
            self.cluster.stop("fast")
            self.degraded()
            answer = Client(self.server.address, self.key).request("POST", "/api/events", envelope(tool(session())))
            self.told([answer])
            hooks = Client(self.server.address, self.key).request("POST", "/api/hooks", tool(session()))
            self.told([hooks])
            read = self.server.get("/v1/events")
            self.assertEqual(read.status, 503, read)
            self.told([read])
            wait_for(lambda: all(machine.answers for machine in machines), "nobody is kept waiting for ever", 20)
            self.cluster.start()
        answers = self.under_load(trouble)
        self.assertTrue(answers)
        self.told(answers)

    def test_many_at_once_while_it_is_away(self):
        """What exceeds the queue is refused at once and does not have to wait. Refused events are not stored."""
        self.cluster.stop("fast")
        try:
            self.degraded()
            chosen, start = session(), time.monotonic()
            for _ in range(30):
                answer = Client(self.server.address, self.key, timeout=15).request(
                    "POST", "/api/events", [envelope(tool(chosen)) for _ in range(100)])
                self.told([answer])
            self.assertLess(time.monotonic() - start, 30)
        finally:
            self.cluster.start()
        self.server.wait_healthy()
        self.assertEqual(self.server.events(f"session_id={chosen}"), [])


class Late(unittest.TestCase):
    def test_started_while_postgresql_is_away_it_comes_by_itself(self):
        cluster = Postgres()
        self.addCleanup(cluster.end)
        server = Server(DATABASE_URL=cluster.url).start(ready="listening")
        self.addCleanup(server.end)
        status, health = wait_for(lambda: server.health() if server.health()[0] else None, "health answers")
        self.assertEqual((status, health["status"]), (503, "degraded"))
        self.assertIn(server.get("/v1/sessions").status, (503,))
        cluster.start()
        server.wait_healthy()
        answer = Client(server.address, server.key("late")).request("POST", "/api/events", envelope(tool(session())))
        self.assertEqual(answer.status, 202, answer)
        self.assertEqual(server.stop()[0], 0)

    def test_stopped_while_postgresql_is_away_it_exits_in_time(self):
        cluster = Postgres().start()
        self.addCleanup(cluster.end)
        server = Server(DATABASE_URL=cluster.url).start()
        self.addCleanup(server.end)
        cluster.stop("immediate")
        status, seconds = server.stop()
        self.assertEqual(status, 0, server.text())
        self.assertLess(seconds, 10)

    def test_stopped_while_postgresql_hangs_it_exits_in_time(self):
        cluster = Postgres().start()
        self.addCleanup(cluster.end)
        server = Server(DATABASE_URL=cluster.url).start()
        self.addCleanup(server.end)
        sleeping = cluster.processes()
        self.addCleanup(lambda: [kill(pid, signal.SIGCONT) for pid in sleeping])
        for pid in sleeping:
            kill(pid, signal.SIGSTOP)
        # Long enough that the regular reads are running.
        time.sleep(4)
        status, seconds = server.stop()
        self.assertEqual(status, 0, server.text())
        self.assertLess(seconds, 10)
