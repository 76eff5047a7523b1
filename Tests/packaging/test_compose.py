#!/usr/bin/python3
"""docker-compose.yml without a container engine: what it forbids its containers, and that its settings work.

PostgreSQL runs with the arguments of the database service and accepts only passwords. deploy/create-database runs as in the image.
The server runs with the environment of its service, as a user without privileges. The root file system is read-only, and the
password is a mounted file that everybody can read. The mounts need root.
"""

import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Tests/system"), str(ROOT / "Tests/packaging")]

import harness  # noqa: E402
from harness import Client, Server, envelope, hook, wait_for  # noqa: E402
from page import check_page  # noqa: E402

SERVER_USER = 10001
BUILT_WITH = r"-dev$|-evlib-|^node-|^(esbuild|g\+\+|pkg-config|python3)$"
# What a container has and this machine has not: mounts, a read-only root, one user, and no capabilities.
CONTAINER = """#!/bin/sh
exec unshare --mount --propagation private sh -ec '
mount --bind {secret} {mounted}
mount --bind {data} {data}
mount -t tmpfs -o {tmpfs} none /tmp
mount -o remount,bind,ro /
if touch /var/tmp/not-read-only 2>/dev/null; then echo "the root file system is not read-only" >&2; exit 1; fi
exec setpriv --reuid {user} --regid {user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
' sh {server} "$@"
"""


def interpolated(value):
    """Resolves Compose's `${NAME:-default}`, with no variable set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) if isinstance(value, str) else value


def compose():
    with open(ROOT / "docker-compose.yml", encoding="utf-8") as file:
        return yaml.safe_load(file)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Rules(unittest.TestCase):
    def test_each_service_is_confined(self):
        for name, service in compose()["services"].items():
            with self.subTest(name):
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertIn("no-new-privileges:true", service["security_opt"])
                self.assertRegex(interpolated(service["mem_limit"]), r"^\d+[mg]$")
                self.assertGreater(service["pids_limit"], 0)
                self.assertTrue(all("size=" in entry for entry in service["tmpfs"]))
                self.assertFalse(service.get("privileged"))
                for port in service.get("ports", []):
                    self.assertTrue(interpolated(port).startswith("127.0.0.1:"), port)

    def test_passwords_are_files(self):
        document = compose()
        for name, service in document["services"].items():
            for setting, value in service["environment"].items():
                with self.subTest(f"{name} {setting}"):
                    self.assertFalse(setting.endswith("PASSWORD"), "a password in the environment")
                    self.assertNotIn("password=", str(value))
                    if str(value).startswith("/run/secrets/"):
                        self.assertIn(value.removeprefix("/run/secrets/"), service["secrets"])
            self.assertLessEqual(set(service["secrets"]), set(document["secrets"]))
        ignored = subprocess.run(["git", "check-ignore", *(secret["file"] for secret in document["secrets"].values())],
                                 cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
        self.assertEqual(len(ignored), len(document["secrets"]), "git takes no secret")
        self.assertNotIn("postgres_password", document["services"]["server"]["secrets"])

    def test_the_image_runs_as_a_user_without_rights(self):
        last = (ROOT / "deploy/Dockerfile").read_text().rpartition("\nFROM ")[2]
        self.assertEqual(re.findall(r"^USER (.*)$", last, re.MULTILINE), ["claude-monitor"])
        self.assertIn(f"--uid {SERVER_USER} ", last)

    def test_the_image_is_built_with_what_builds_the_project(self):
        """The first stage of the image has each library and program that scripts/setup installs for a build."""
        setup = re.search(r"packages_build=\(([^)]*)\)", (ROOT / "scripts/setup").read_text()).group(1).split()
        stage = (ROOT / "deploy/Dockerfile").read_text().split("\nFROM ")[1]
        self.assertGreater(len(setup), 10)
        self.assertEqual([name for name in setup if re.search(BUILT_WITH, name) and name not in stage.split()], [])


class Database:
    """PostgreSQL as the image starts it from the compose file, on loopback and a unix socket."""

    def __init__(self, directory, secrets):
        self.service = compose()["services"]["database"]
        self.directory, self.secrets, self.port = directory, secrets, free_port()
        self.data = directory / "data"
        self.process = None

    def settings(self):
        """The environment of the service, with the secrets at their paths here."""
        return {name: interpolated(value).replace("/run/secrets", str(self.secrets))
                for name, value in self.service["environment"].items()}

    def run(self, *command, check=True, **environment):
        return subprocess.run(["runuser", "-u", "postgres", "--", *command], cwd="/", env=harness.environment(**environment),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=check)

    def start(self):
        settings = self.settings()
        self.run(harness.postgres_bin() / "initdb", "-D", self.data, f"--username={settings['POSTGRES_USER']}",
                 f"--pwfile={settings['POSTGRES_PASSWORD_FILE']}", "--no-sync",
                 *shlex.split(settings["POSTGRES_INITDB_ARGS"]))
        # The file of the image, without its exception for the container's own loopback.
        (self.data / "pg_hba.conf").write_text("local all all trust\nhost all all all scram-sha-256\n")
        program, *arguments = self.service["command"]
        with open(self.directory / "log", "wb") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", harness.postgres_bin() / program,
                 *arguments, "-D", self.data, "-h", "127.0.0.1", "-p", str(self.port), "-k", self.directory],
                cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        wait_for(lambda: self.run(harness.postgres_bin() / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port),
                                  check=False).returncode == 0, "PostgreSQL starts")

    def create(self, check=True, **changes):
        """Runs deploy/create-database as the image's entrypoint does: as postgres, over the unix socket."""
        return self.run(ROOT / "deploy/create-database", check=check,
                        **{**self.settings(), "PGHOST": self.directory, "PGPORT": self.port, **changes})

    def sql(self, statement, database="monitor"):
        return self.run("psql", "-XAtq", "-h", self.directory, "-p", str(self.port), "-U", "postgres", "-c", statement,
                        database).stdout.split("\n")[:-1]

    def logs_in(self, password):
        done = self.run("psql", "-XAtqc", "SELECT 1", f"host=127.0.0.1 port={self.port} user=monitor dbname=monitor",
                        check=False, PGPASSWORD=password)
        return done.returncode == 0

    def end(self):
        if self.process and self.process.poll() is None:
            harness.kill(self.process.pid, harness.signal.SIGINT)
            self.process.wait(30)


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class Running(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="compose-test.", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.directory.chmod(0o755)
        self.password = "it's \\ a 'test' " + os.urandom(12).hex()
        # What the operator creates: nobody else can enter the directory, but everybody could read the files.
        self.operator = self.directory / "secrets"
        self.operator.mkdir(mode=0o700)
        # What Docker makes of it in a container: each file is mounted by itself.
        self.mounted = self.directory / "mounted"
        self.mounted.mkdir()
        for name, text in (("postgres_password", os.urandom(12).hex()), ("monitor_password", self.password)):
            for place in (self.operator, self.mounted):
                (place / name).write_text(text + "\n")
                (place / name).chmod(0o644)
        cluster = self.directory / "cluster"
        cluster.mkdir()
        shutil.chown(cluster, "postgres")
        self.database = Database(cluster, self.mounted)
        self.addCleanup(self.database.end)
        self.database.start()

    def server(self):
        """The service of the server. Its data directory is its volume."""
        service = compose()["services"]["server"]
        data = self.directory / "data"
        data.mkdir()
        os.chown(data, SERVER_USER, SERVER_USER)
        mounted = self.directory / "in-container"
        mounted.touch()
        settings = {name: interpolated(value) for name, value in service["environment"].items()}
        self.assertEqual(settings["DATABASE_PASSWORD_FILE"], "/run/secrets/monitor_password")
        settings["DATABASE_PASSWORD_FILE"] = mounted
        settings["DATABASE_URL"] = settings["DATABASE_URL"].replace("host=database", f"host=127.0.0.1 port={self.database.port}")
        [tmpfs] = service["tmpfs"]
        wrapper = self.directory / "container"
        wrapper.write_text(CONTAINER.format(
            secret=self.operator / "monitor_password", mounted=mounted, data=data, tmpfs=tmpfs.partition(":")[2],
            user=SERVER_USER, server=harness.SERVER))
        wrapper.chmod(0o755)
        server = Server(data, **settings)
        server.program = wrapper
        self.addCleanup(server.end)
        return server

    def test_the_server_stores_events_by_a_role_without_rights(self):
        self.database.create()
        server = self.server().start()
        client = Client(server.address, server.key("compose"))
        self.addCleanup(client.close)
        check_page(server.url)
        answer = client.request("POST", "/api/events", envelope(hook("Stop", "s")))
        self.assertEqual(answer.status, 202, answer)
        self.assertEqual(self.database.sql("SELECT count(*) FROM events"), ["1"])
        self.assertEqual(self.database.sql(
            "SELECT DISTINCT usename, usesuper FROM pg_stat_activity JOIN pg_user USING (usename)"
            " WHERE application_name LIKE 'claude-monitor%'"), ["monitor|f"])
        self.assertEqual(self.database.sql(
            "SELECT rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = 'monitor'"),
            ["f|f|f|f"])
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        self.assertIn(f"Uid:\t{SERVER_USER}\t{SERVER_USER}\t{SERVER_USER}\t{SERVER_USER}\n", status)
        self.assertRegex(status, r"CapBnd:\t0+\n")
        self.assertNotIn(self.password.encode(), pathlib.Path(f"/proc/{server.process.pid}/environ").read_bytes())
        self.assertEqual(server.stop()[0], 0, server.text())
        self.assertNotIn(self.password, server.text() + (self.database.directory / "log").read_text())

    def test_a_wrong_password_is_told_and_not_repeated(self):
        self.database.create()
        wrong = os.urandom(12).hex()
        (self.operator / "monitor_password").write_text(wrong + "\n")
        server = self.server().start(ready="listening")
        wait_for(lambda: "password authentication failed" in server.text(), "the reason is logged")
        self.assertEqual(server.health()[0], 503)
        self.assertEqual(server.stop()[0], 0)
        self.assertNotIn(wrong, server.text())

    def test_the_script_runs_again_and_changes_the_password(self):
        self.database.create()
        self.assertTrue(self.database.logs_in(self.password))
        self.assertFalse(self.database.logs_in("another"))
        self.assertEqual(self.database.sql("CREATE TABLE kept (); SELECT 'kept'::regclass"), ["kept"])
        (self.mounted / "monitor_password").write_text("another\n")
        self.database.create()
        self.assertTrue(self.database.logs_in("another"))
        self.assertFalse(self.database.logs_in(self.password))
        self.assertEqual(self.database.sql("SELECT 'kept'::regclass"), ["kept"])

    def test_the_script_refuses_what_is_no_password(self):
        (self.mounted / "monitor_password").write_text("\n")
        for setting, reason in ((self.mounted / "monitor_password", "is empty"), (self.mounted / "none", "cannot be read")):
            done = self.database.create(check=False, MONITOR_PASSWORD_FILE=setting)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)
        self.assertEqual(self.database.sql("SELECT count(*) FROM pg_roles WHERE rolname = 'monitor'", "postgres"), ["0"])


if __name__ == "__main__":
    try:
        unittest.main()
    finally:
        harness.end_everything()
