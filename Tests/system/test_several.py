"""Several servers on one database: each client of each server sees one log, in one order, without gaps and doubles."""

import http.client
import shutil
import threading
import time
import unittest

import test_pooler
from harness import Postgres, Server, end_everything, session, wait_for
from test_outage import Machine
from test_sse import Stream

OWN = "FROM pg_stat_activity WHERE application_name IN ('claude-monitor feed', 'claude-monitor listener')"


def tearDownModule():
    end_everything()


class Follower(threading.Thread):
    """Follows the log of a server. After a lost connection it goes on behind the last event that it has seen."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.seen, self.wrong, self.running = server, [], [], True
        self.place = None
        self.stream = self.connect()

    def connect(self):
        stream = Stream(at=self.server, **({"Last_Event_ID": self.place} if self.place else {}))
        if not stream.head.startswith("http/1.1 200"):
            stream.socket.close()
            raise EOFError(stream.head)
        return stream

    def run(self):
        while self.running:
            try:
                while True:
                    self.place, name, data = self.stream.next(60)
                    if name == "reset":
                        self.wrong.append(data)
                    else:
                        self.seen.append((data["seq"], data["event_id"]))
            except (OSError, EOFError):
                self.place = self.stream.id or self.place
            while self.running:
                try:
                    self.stream = self.connect()
                    break
                except (OSError, EOFError, http.client.HTTPException):
                    time.sleep(0.05)

    def end(self):
        self.running = False
        self.stream.socket.shutdown(2)
        self.join(30)


class Several(unittest.TestCase):
    def setUp(self):
        self.postgres = Postgres().start()
        self.addCleanup(self.postgres.end)

    def start(self, url):
        self.servers = [Server(DATABASE_URL=url, MONITOR_RATE_LIMIT="off").start() for _ in range(2)]
        for server in self.servers:
            self.addCleanup(server.end)

    def under_load(self, trouble):
        """Runs `trouble` while machines post to both servers and clients follow both. Then everything acknowledged is in the
        log once, and each client has seen the log as it is."""
        followers = [Follower(server) for server in self.servers for _ in range(2)]
        machines = [Machine(server, server.key(f"several-{number}-{one}"), session())
                    for number, server in enumerate(self.servers) for one in range(2)]
        for thread in followers + machines:
            thread.start()
        try:
            self.all_go_on(machines)
            trouble(machines)
            self.all_go_on(machines)
        finally:
            for machine in machines:
                machine.running = False
            for machine in machines:
                machine.join(30)
        for server in self.servers:
            server.wait_healthy()
            server.wait_replayed()
        logs = [sorted((event["seq"], event["event_id"]) for event in server.events("limit=999")) for server in self.servers]
        self.assertEqual(logs[0], logs[1])
        try:
            for follower in followers:
                wait_for(lambda one=follower: one.wrong or len(one.seen) >= len(logs[0]), "the follower sees the end of the log")
        finally:
            for follower in followers:
                follower.end()
        for follower in followers:
            self.assertEqual(follower.wrong, [])
            self.assertEqual(follower.seen, logs[0], "a gap, a double, or another order")
        places = {name: seq for seq, name in logs[0]}
        self.assertEqual(len(places), len(logs[0]), "an event is in the log twice")
        for machine in machines:
            self.assertEqual(machine.wrong, [])
            found = [places.get(name) for _, name in machine.acknowledged]
            self.assertNotIn(None, found, "lost")
            self.assertEqual(found, sorted(found), "out of order")
            self.assertEqual([seq or place for (seq, _), place in zip(machine.acknowledged, found)], found)

    def all_go_on(self, machines, more=10):
        counts = [len(machine.acknowledged) for machine in machines]
        wait_for(lambda: all(len(one.acknowledged) >= count + more for one, count in zip(machines, counts)), "everybody is served")

    def connected(self):
        """Waits until each server reads what the others commit, and hears of it."""
        wait_for(lambda: self.postgres.sql(f"SELECT count(*) {OWN}") == ["4"], "feeds and listeners are connected")

    def server_is_killed(self, machines):
        for server, others in zip(self.servers, (machines[2:], machines[:2])):
            server.kill()
            self.all_go_on(others)
            server.settings["MONITOR_LISTEN"] = server.address
            server.start()
            self.all_go_on(machines)

    def test_a_server_is_killed(self):
        self.start(self.postgres.url)
        self.under_load(self.server_is_killed)

    def test_the_database_is_killed(self):
        def trouble(_):
            self.postgres.kill()
            self.postgres.start()
            self.connected()

        self.start(self.postgres.url)
        self.under_load(trouble)

    def test_connections_of_feeds_and_listeners_end(self):
        def trouble(machines):
            for _ in range(3):
                self.connected()
                self.postgres.sql(f"SELECT pg_terminate_backend(pid, 5000) {OWN}")
                self.all_go_on(machines)
            self.connected()

        self.start(self.postgres.url)
        self.under_load(trouble)

    @unittest.skipUnless(shutil.which("pgbouncer"), "pgbouncer is not installed")
    def test_a_server_is_killed_behind_session_pooling(self):
        pooler = test_pooler.PgBouncer(self.postgres, "session")
        self.addCleanup(pooler.end)
        self.start(pooler.url)
        self.under_load(self.server_is_killed)


if __name__ == "__main__":
    unittest.main()
