"""A machine joins by the script and the hooks that the server itself serves."""

import hashlib
import io
import json
import os
import pathlib
import pty
import re
import subprocess
import tarfile
import tempfile
import unittest

import harness
from harness import Client, Server, hook, session, wait_for


def setUpModule():
    global server, admin
    server = Server(MONITOR_RATE_LIMIT="off").start()
    admin = server.client(server.admin)


def tearDownModule():
    admin.close()
    server.end()


class Served(unittest.TestCase):
    def test_the_archive_holds_the_hooks_of_this_version_and_nothing_else(self):
        answer = Client(server.address).get("/hooks.tar.gz")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "application/gzip"))
        found = {}
        with tarfile.open(fileobj=io.BytesIO(answer.body)) as archive:
            for member in archive:
                self.assertTrue(member.isfile() and member.name.startswith("hooks/") and ".." not in member.name, member.name)
                self.assertEqual((member.uid, member.gid, member.mtime), (0, 0, 0))
                found[member.name] = (archive.extractfile(member).read(), bool(member.mode & 0o100))
        expected = {str(path.relative_to(harness.ROOT)): (path.read_bytes(), path.suffix == ".sh")
                    for path in (harness.ROOT / "hooks").rglob("*")
                    if path.is_file() and not path.name.startswith(".")}
        self.assertEqual(found, expected)

    def test_the_script_names_the_server_as_the_caller_does_and_the_digest_of_the_archive(self):
        client = Client(server.address)
        digest = hashlib.sha256(client.get("/hooks.tar.gz").body).hexdigest()
        for host in (server.address, server.address.replace("127.0.0.1", "localhost")):
            script = client.get("/install.sh", host=host).body.decode()
            self.assertIn(f"url=http://{host} digest={digest}", script)
            self.assertNotIn("@URL@", script)

    def test_a_name_that_is_no_name_gets_no_script(self):
        for host in ("a'b", "a;reboot", "$(reboot)", "a\\b"):
            with self.subTest(host=host):
                answer = Client(server.address).get("/install.sh", host=host)
                self.assertNotIn(b"reboot", answer.body)
                self.assertEqual(answer.status, 421)

    def test_a_new_key_comes_with_the_whole_command(self):
        answer = admin.request("POST", "/v1/keys", {"name": "commanded"})
        self.assertEqual(answer.json["install"],
                         f"curl -fsS {server.url}/install.sh | CLAUDE_MONITOR_API_KEY={answer.json['key']} bash")


    def test_the_command_names_the_scheme_by_which_the_page_was_loaded(self):
        """A proxy that the server does not know ends TLS: only the page's origin shows it."""
        made = admin.request("POST", "/v1/keys", {"name": "proxied"}, {"Origin": f"https://{server.address}"}).json
        secure = f"https://{server.address}"
        self.assertEqual(made["install"], f"curl -fsS {secure}/install.sh | CLAUDE_MONITOR_API_KEY={made['key']} "
                                          f"bash -s -- --url {secure}")

    def test_words_of_the_command_are_quoted(self):
        made = admin.request("POST", "/v1/keys", {"name": "literal"}, {"Host": "[::1]:80"}).json
        self.assertTrue(made["install"].startswith("curl -fsS 'http://[::1]:80/install.sh' | "), made["install"])
        script = Client(server.address).get("/install.sh", host="[::1]:80").body.decode()
        self.assertIn("url='http://[::1]:80' digest=", script)


class Machine(unittest.TestCase):
    """An account on a machine that has nothing of the product."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(directory.name)
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TMPDIR": str(self.home)}
        # The flusher goes on after its hook, and writes in this directory.
        self.addCleanup(wait_for, lambda: not self.running(), "the processes of the account have ended")
        self.key = server.key("joined")

    def running(self):
        """The ids of the account's processes."""
        found, own = [], f"HOME={self.home}\0".encode()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and own in (entry / "environ").read_bytes():
                    found.append(entry.name)
            except OSError:
                pass  # It has just ended.
        return found

    def run_command(self, command, code=0, stdin=subprocess.DEVNULL, **environment):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env={**self.environment, **environment}, stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, start_new_session=True)
        self.assertEqual(done.returncode, code, done.stdout)
        self.assertNotIn(self.key, done.stdout)
        left = [path.name for path in self.home.iterdir() if path.name.startswith("tmp.")]
        self.assertEqual(left, [])
        return done.stdout

    def config(self):
        return (self.home / ".config/claude-monitor/config").read_text()

    def test_the_command_of_a_new_key_makes_its_sessions_report(self):
        answer = admin.request("POST", "/v1/keys", {"name": "pasted"})
        self.key = answer.json["key"]
        said = self.run_command(answer.json["install"] + " -s -- --no-transcripts")
        self.assertIn("accepts the key", said)
        settings = json.loads((self.home / ".claude/settings.json").read_text())
        command = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
        one = session()
        prompt = json.dumps(hook("UserPromptSubmit", one, prompt="joined"))
        subprocess.run(["bash", "-c", command], env=self.environment, input=prompt, text=True, timeout=60, check=True)
        wait_for(lambda: server.get(f"/v1/sessions/{one}").status == 200, "the session is reported")
        self.assertEqual(server.get(f"/v1/sessions/{one}").json["machine_name"], "pasted")

    def test_the_key_can_come_from_a_file_and_is_kept_by_a_later_run(self):
        file = self.home / "key"
        file.write_text(self.key + "\n")
        fetch = f"curl -fsS {server.url}/install.sh | bash -s -- "
        self.run_command(fetch + f"--key-file {file} --name desk")
        self.assertIn("key=" + self.key, self.config())
        self.run_command(fetch + "--name lab")
        self.assertIn("key=" + self.key, self.config())
        self.assertIn("machine_id=lab", self.config())

    def test_without_a_key_it_asks_at_the_terminal(self):
        master, slave = pty.openpty()
        # A session of its own, whose terminal is the new one.
        process = subprocess.Popen(
            ["setsid", "--ctty", "bash", "-c", f"curl -fsS {server.url}/install.sh | bash -s -- --no-transcripts"],
            env=self.environment, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        shown = ""
        while "Key of this machine" not in shown:
            shown += os.read(master, 4096).decode()
        os.write(master, (self.key + "\n").encode())
        try:
            while part := os.read(master, 4096):
                shown += part.decode()
        except OSError:
            pass  # Linux reports the end of a terminal as an error.
        os.close(master)
        self.assertEqual(process.wait(60), 0, shown)
        self.assertNotIn(self.key, shown)
        self.assertIn("key=" + self.key, self.config())

    def test_without_a_key_and_a_terminal_it_says_so(self):
        said = self.run_command(f"curl -fsS {server.url}/install.sh | bash", code=1)
        self.assertIn("--key is missing", said)
        self.assertFalse((self.home / ".claude/settings.json").exists())

    def test_a_script_with_a_plain_address_beyond_loopback_does_nothing_unless_a_person_allows_it(self):
        open_server = Server(MONITOR_ALLOWED_HOSTS="monitor.example").start()
        self.addCleanup(open_server.end)
        script = self.home / "plain.sh"
        script.write_bytes(Client(open_server.address).get("/install.sh", host="monitor.example").body)
        said = self.run_command(f"bash {script}", code=1, CLAUDE_MONITOR_API_KEY=self.key)
        self.assertIn("http://monitor.example is not encrypted", said)
        said = self.run_command(f"bash {script} --url https://{open_server.address}/", code=1, CLAUDE_MONITOR_API_KEY=self.key)
        self.assertIn(f"cannot be downloaded from https://{open_server.address}\n", said)
        said = self.run_command(f"bash {script} --allow-http", code=1, CLAUDE_MONITOR_API_KEY=self.key)
        self.assertIn("cannot be downloaded from http://monitor.example\n", said)
        self.assertFalse((self.home / ".claude").exists())
        said = self.run_command(f"bash {script} --url {open_server.url} --dry-run --no-transcripts", code=1,
                                CLAUDE_MONITOR_API_KEY=self.key)
        self.assertIn("refuses this key", said)

    def test_a_cut_download_and_changed_hooks_change_nothing(self):
        script = Client(server.address).get("/install.sh").body.decode()
        half = self.home / "half.sh"
        half.write_text(script[:script.rindex("main")])
        self.run_command(f"bash {half}", CLAUDE_MONITOR_API_KEY=self.key)
        changed = self.home / "changed.sh"
        changed.write_text(re.sub(r"digest=..", "digest=00", script, count=1))
        said = self.run_command(f"bash {changed}", code=1, CLAUDE_MONITOR_API_KEY=self.key)
        self.assertIn("not those of this script", said)
        self.assertFalse((self.home / ".claude").exists())
        self.assertFalse((self.home / ".config").exists())
