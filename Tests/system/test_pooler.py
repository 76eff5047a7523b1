"""A database behind a connection pooler."""

import os
import shutil
import subprocess
import unittest

import harness
from harness import Client, Postgres, Server, end_everything, envelope, make_directory, session, tool, wait_for


def tearDownModule():
    end_everything()


class PgBouncer:
    """A PgBouncer in front of a cluster, on a unix socket."""

    def __init__(self, cluster, mode):
        self.directory = make_directory("system-test-pooler.")
        self.directory.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres")
        settings = self.directory / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\nmonitor = host={cluster.directory} dbname=monitor user=monitor\n"
            f"[pgbouncer]\nunix_socket_dir = {self.directory}\nlisten_port = 6432\nauth_type = any\npool_mode = {mode}\n"
            "default_pool_size = 60\nmax_client_conn = 200\n")
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen([*before, "pgbouncer", "-q", settings], cwd="/", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness._ends.append(self.end)
        wait_for((self.directory / ".s.PGSQL.6432").exists, "PgBouncer listens")

    @property
    def url(self):
        return f"postgresql://monitor@/monitor?host={str(self.directory).replace('/', '%2F')}&port=6432"

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)


@unittest.skipUnless(shutil.which("pgbouncer"), "pgbouncer is not installed")
class Pooler(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Postgres().start()

    def start(self, mode, ready):
        pooler = PgBouncer(self.cluster, mode)
        self.addCleanup(pooler.end)
        server = Server(DATABASE_URL=pooler.url, MONITOR_ADMIN_TOKEN="a-token-of-the-test-for-the-pooler-0001",
                        MONITOR_RATE_LIMIT="off").start(ready)
        self.addCleanup(server.end)
        return server

    def test_a_pooler_that_changes_connections_is_named(self):
        for mode in ("transaction", "statement"):
            with self.subTest(mode):
                server = self.start(mode, "listening")
                _, health = wait_for(
                    lambda: found if (found := server.health())[1].get("database", {}).get("status") == "unsuitable" else None,
                    "the pooler is recognized")
                self.assertEqual(server.health()[0], 503)
                self.assertIn("session pooling", health["database"]["error"])
                for credential in ("cmk_0123456789abcdef", server.admin):
                    posted = Client(server.address, credential).request(
                        "POST", "/api/events", envelope(tool(session())))
                    self.assertEqual((posted.status, posted.json["error"]["code"]), (503, "database_unsuitable"), posted)
                    self.assertIn("session pooling", posted.json["error"]["message"])
                read = server.get("/v1/sessions")
                self.assertEqual((read.status, read.json["error"]["code"]), (503, "database_unsuitable"), read)
                server.end()

    def test_session_pooling_works(self):
        server = self.start("session", "healthy")
        key, chosen = server.key("pooled"), session()
        posted = Client(server.address, key).request("POST", "/api/events", envelope(tool(chosen)))
        self.assertEqual(posted.status, 202, posted)
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").status, 200)


if __name__ == "__main__":
    unittest.main()
