"""Data that is derived from the log: every client that has got a 202 can read it on any server of the database, and `rebuild`
makes it again."""

import concurrent.futures
import random
import subprocess
import threading
import time
import unittest

import harness
import telemetry
import test_sse
import transcripts
from harness import Client, Postgres, Server, envelope, hook, iso, session, tool, wait_for

DERIVED = ("sessions", "prompts", "event_counts", "usage_requests", "usage_sessions", "usage_copies", "usage_streams",
           "search_events", "stream_progress")
DUMP = ";".join(f"SELECT '{table} ' || t::text FROM {table} t ORDER BY 1" for table in DERIVED)
PROJECTED = """
SELECT count(*) FROM projections p, log_head h WHERE p.name <> 'push' AND (p.epoch, p.seq) = (h.epoch, h.last_seq)
AND NOT EXISTS (SELECT FROM prompts WHERE announced < phase)
"""
HOLD = "SELECT pg_advisory_lock(projection_lease('sessions'))"


def setUpModule():
    global postgres
    postgres = Postgres().start()


def tearDownModule():
    postgres.end()


def make_server():
    return Server(DATABASE_URL=postgres.url, MONITOR_RATE_LIMIT="off").start()


def post(server, key, *items):
    client = Client(server.address, key)
    answer = client.request("POST", "/api/events", list(items))
    client.close()
    assert answer.status == 202 and not answer.json["rejected"], answer
    return answer.json


def end_leaders():
    postgres.sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                 " WHERE application_name LIKE 'claude-monitor projector%'")


class Reading(unittest.TestCase):
    """A client that has got a 202 finds its event, on whichever server."""

    @classmethod
    def setUpClass(cls):
        cls.servers = [make_server(), make_server()]
        cls.keys = [server.key(f"reading-{number}") for number, server in enumerate(cls.servers)]

    @classmethod
    def tearDownClass(cls):
        for server in cls.servers:
            server.end()

    def post_and_read(self, number, poster, reader):
        chosen = session()
        client = self.servers[reader].client()
        for count in range(1, number + 1):
            post(self.servers[poster], self.keys[poster], envelope(tool(chosen, str(count))))
            found = client.get(f"/v1/sessions/{chosen}")
            self.assertEqual((found.status, found.json.get("tool_call_count")), (200, count), found)
        listed = client.get("/v1/sessions?limit=200").json["sessions"]
        self.assertIn(chosen, [one["id"] for one in listed])
        client.close()

    def in_parallel(self, *arguments):
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            for done in [pool.submit(self.post_and_read, 12, *arguments) for _ in range(24)]:
                done.result()

    def test_on_the_server_that_was_posted_to(self):
        self.in_parallel(0, 0)

    def test_on_the_other_server_whichever_leads(self):
        self.in_parallel(0, 1)
        self.in_parallel(1, 0)
        end_leaders()
        self.in_parallel(1, 0)

    def test_a_subscriber_of_the_other_server_gets_it_though_that_commits_nothing(self):
        test_sse.server = self.servers[1]
        chosen = session()
        with test_sse.Stream(f"?session_id={chosen}") as stream:
            posted = [envelope(tool(chosen, str(count))) for count in range(3)]
            for item in posted:
                post(self.servers[0], self.keys[0], item)
            self.assertEqual([data["event_id"] for _, _, data in stream.events(3)], [item["event_id"] for item in posted])

    def test_a_leader_that_is_lost_is_not_noticed(self):
        stopping = threading.Event()

        def torment():
            while not stopping.wait(0.3):
                end_leaders()
        thread = threading.Thread(target=torment)
        thread.start()
        try:
            self.in_parallel(0, 1)
        finally:
            stopping.set()
            thread.join()

    def test_a_server_that_is_killed_leaves_the_lease(self):
        third = make_server()
        self.servers.append(third)
        self.keys.append(third.key("third"))
        self.post_and_read(3, 2, 0)
        end_leaders()
        third.kill()
        self.servers.pop()
        self.keys.pop()
        self.post_and_read(3, 0, 1)


class Behind(unittest.TestCase):
    def setUp(self):
        self.server = make_server()
        self.addCleanup(self.server.end)
        self.key = self.server.key("behind")
        self.session = session()

    def hold(self):
        """psql holds the lease, so no server leads until psql ends."""
        holder = subprocess.Popen(["psql", "-qX", postgres.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.let_go, holder)
        holder.stdin.write(f"{HOLD};\n")
        holder.stdin.flush()
        wait_for(lambda: postgres.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), "psql waits")
        end_leaders()
        holder.stdin.write("\\echo held\n")
        holder.stdin.flush()
        while "held" not in (line := holder.stdout.readline()):
            self.assertTrue(line)
        return holder

    def let_go(self, holder):
        holder.stdin.close()
        holder.wait(10)
        holder.stdout.close()

    def test_where_nobody_leads_a_read_waits_two_seconds_and_says_so(self):
        post(self.server, self.key, envelope(tool(self.session, "one")))
        self.assertEqual(self.server.get(f"/v1/sessions/{self.session}").status, 200)
        holder = self.hold()
        # The read is allowed, because the projection is not older than the log.
        self.assertEqual(self.server.get(f"/v1/sessions/{self.session}").status, 200)
        post(self.server, self.key, envelope(tool(self.session, "two")))
        for path in (f"/v1/sessions/{self.session}", "/v1/sessions", "/v1/sessions/stats", "/v1/machines", "/v1/projects"):
            began = time.monotonic()
            answer = self.server.get(path)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "projection_behind"), (path, answer))
            self.assertEqual(answer.headers["retry-after"], "1")
            self.assertTrue(1.5 < time.monotonic() - began < 5)
        # All other requests work.
        self.assertEqual(self.server.get(f"/v1/events?session_id={self.session}").status, 200)
        self.assertEqual(self.server.health()[0], 200)
        told = subprocess.run([harness.SERVER, "rebuild", "sessions"], env=self.server.environment(), text=True,
                              capture_output=True, timeout=60, cwd="/")
        self.assertEqual(told.returncode, 1)
        self.assertIn("The lease of 'sessions' is held by 'psql'", told.stderr)
        self.let_go(holder)
        answer = wait_for(lambda: (found := self.server.get(f"/v1/sessions/{self.session}")).status == 200 and found,
                          "the read succeeds")
        self.assertEqual(answer.json["tool_call_count"], 2)

    def test_a_restart_of_the_database_during_a_read_that_waits(self):
        holder = self.hold()
        post(self.server, self.key, envelope(tool(self.session, "one")))
        found = []
        reader = threading.Thread(target=lambda: found.append(self.server.get(f"/v1/sessions/{self.session}")))
        reader.start()
        time.sleep(0.5)
        postgres.stop()
        postgres.start()
        reader.join(30)
        self.assertIn(found[0].status, (200, 503), found)
        answer = wait_for(lambda: (found := self.server.get(f"/v1/sessions/{self.session}")).status == 200 and found,
                          "the read succeeds")
        self.assertEqual(answer.json["tool_call_count"], 1)


class Rebuilding(unittest.TestCase):
    def rebuild(self, server, *names):
        done = subprocess.run([harness.SERVER, "rebuild", *names], env=server.environment(), text=True,
                              capture_output=True, timeout=120, cwd="/")
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def dump(self):
        wait_for(lambda: postgres.sql(PROJECTED) == ["5"], "the tables hold the whole log")
        return postgres.sql(DUMP)

    def report(self, server, key, chance, shared, start, turn):
        """Telemetry of a request, and the transcript of a session that repeats this request beside one of another session."""
        chosen, other = chance.sample(shared, 2)
        client = Client(server.address, key)
        exported = telemetry.logs(telemetry.request(chosen, f"req_{start}-{turn}", sequence=2 * turn))
        self.assertEqual(client.request("POST", "/v1/logs", exported).status, 200)
        client.close()
        told = transcripts.Transcript(other, seed=turn)
        for number in (f"{start}-{turn}", f"{start}-{max(0, turn - 7)}"):
            told.assistant([transcripts.text("done")], number)
        told.cost_state(float(turn), inputTokens=turn)
        sender = transcripts.Sender(server, key, other, f"/t/{start}-{turn}.jsonl")
        sender.send(told.bytes)
        sender.client.close()

    def test_the_tables_are_equal_byte_for_byte(self):
        chance = random.Random(7)
        shared = [session() for _ in range(30)]
        hooks = ("SessionStart", "UserPromptSubmit", "PermissionRequest", "Stop", "SessionEnd", "Notification")
        for start in range(3):
            servers = [make_server(), make_server()]
            keys = [server.key(f"rebuilt-{number}") for number, server in enumerate(servers)]
            for turn in range(40):
                number = chance.randrange(2)
                self.report(servers[number], keys[number], chance, shared, start, turn)
                items = []
                for _ in range(chance.randrange(1, 12)):
                    chosen, name = chance.choice(shared), chance.choice(hooks)
                    data = chance.choice((tool(chosen, str(chance.random())), hook(name, chosen, message="m", reason="other",
                                          prompt="p", tool_name="Bash", tool_input={"command": "x"},
                                          notification_type="idle_prompt")))
                    data["cwd"] = f"/p{chance.randrange(3)}"
                    # Some numbers never arrive.
                    stream = {"id": f"machine-{number}-{start}", "n": 100 * turn + 2 * len(items) + 1}
                    items.append(envelope(data, at=iso(chance.uniform(-7200, 0)), stream=stream))
                post(servers[number], keys[number], *items)
            if start == 1:
                gone = chance.choice(shared)
                servers[0].get(f"/v1/sessions/{gone}")
            for server in servers:
                server.kill() if start == 0 else server.stop()
        server = make_server()
        self.addCleanup(server.end)
        before = self.dump()
        self.assertEqual({row.split()[0] for row in before}, set(DERIVED))
        told = self.rebuild(server)
        self.assertIn("sessions: rebuilt from", told)
        self.assertIn("event_counts: rebuilt from", told)
        self.assertEqual(self.dump(), before)
        server.stop()
        postgres.sql("DELETE FROM sessions WHERE id > 'session-8'; UPDATE event_counts SET events = 0")
        self.assertNotEqual(postgres.sql(DUMP), before)
        self.rebuild(server, "sessions", "event_counts")
        self.assertEqual(self.dump(), before)

    def test_a_private_database_is_rebuilt_with_and_without_its_server(self):
        server = Server().start()
        self.addCleanup(server.end)
        key, chosen = server.key("private"), session()
        post(server, key, envelope(tool(chosen, "one")))
        self.assertIn("sessions: rebuilt from 1 events", self.rebuild(server))
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["tool_call_count"], 1)
        self.assertEqual(server.stop()[0], 0)
        self.assertIn("sessions: rebuilt from 1 events", self.rebuild(server))
        self.assertIsNone(server.postmaster())

    def test_a_name_that_is_not_known(self):
        done = subprocess.run([harness.SERVER, "rebuild", "push"], env=harness.environment(MONITOR_DATA_DIR="/tmp/none"),
                              text=True, capture_output=True, timeout=30, cwd="/")
        self.assertEqual(done.returncode, 64)
        self.assertIn("no projection 'push' that can be rebuilt: sessions, event_counts", done.stderr)
