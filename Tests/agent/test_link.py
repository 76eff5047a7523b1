"""The connection: greeting, reconnects, close codes, what a hostile server sends, and what the machine's file says of it."""

import fcntl
import json
import os
import signal
import subprocess
import unittest
import uuid

from machine import KEY, AgentCase, Machine, wait_until
from wire import Wire


class Link(AgentCase):
    def test_greeting(self):
        link = self.begin()
        self.assertEqual(link.header("Authorization"), f"Bearer {KEY}")
        self.assertTrue(link.head.startswith("GET /api/agent HTTP/1.1\r\n"))
        self.assertIsNone(link.header("Origin"))
        self.assertIsNone(link.header("Sec-WebSocket-Extensions"))
        greeting = link.called("initialize")[0]
        self.assertEqual(greeting["protocol"], [1])
        self.assertEqual(len(greeting["identity"]), 43)
        self.assertEqual(greeting["may"]["roots"], [str(self.machine.root)])
        self.assertTrue(greeting["may"]["control"])
        self.assertEqual(greeting["may"]["modes"], ["default", "plan", "acceptEdits"])
        self.assertEqual(greeting["sessions"], [])
        self.assertEqual(greeting["clients"][0]["path"], str(self.machine.client))
        identity = self.machine.state / "identity"
        self.assertEqual(identity.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.machine.state.stat().st_mode & 0o777, 0o700)

    def test_what_the_file_allows_is_told_again_when_it_changes(self):
        link = self.begin()
        self.assertEqual(link.called("initialize")[0]["may"]["git"], "off")
        self.machine.allow("git=read")
        self.assertEqual(link.noticed("machine/may", git="read")[0]["roots"], [str(self.machine.root)])
        (self.machine.settings / "agent").unlink()
        self.assertEqual(link.noticed("machine/may", git="off")[0]["control"], False)

    def test_key_is_in_no_log_and_no_file_of_the_agent(self):
        link = self.begin()
        link.call("session/start", {"session_id": "x", "directory": "/"})
        for path in self.machine.state.rglob("*"):
            if path.is_file():
                self.assertNotIn(KEY, path.read_text(), path)
        self.assertNotIn(KEY, self.machine.log())
        self.assertNotIn(KEY, self.machine.run("status", "--json").stdout)

    def test_reconnects_with_the_same_identity_and_sessions(self):
        link = self.begin()
        chosen = self.start_session(link)
        link.cut()
        second = self.wire.link(2)
        one, two = link.called("initialize")[0], second.called("initialize")[0]
        self.assertEqual(one["identity"], two["identity"])
        self.assertEqual([session["session_id"] for session in two["sessions"]], [chosen])
        self.assertEqual(two["sessions"][0]["state"], "idle")
        self.assertIn("result", second.call("session/context", {"session_id": chosen}))

    def test_server_away(self):
        self.wire.close()
        self.machine.start()
        problem = wait_until(lambda: self.machine.status().get("problem"), "a problem")
        self.assertIn("no connection", problem)
        self.assertFalse(self.machine.status()["connected"])

    def test_statuses_of_the_handshake(self):
        self.wire.status = 401
        self.machine.start()
        problem = wait_until(lambda: self.machine.status().get("problem"), "a problem")
        self.assertIn("does not accept this machine's key", problem)

    def test_redirections_are_not_followed(self):
        other = Wire()
        self.addCleanup(other.close)
        self.wire.status, self.wire.location = 302, f"http://127.0.0.1:{other.port}/api/agent"
        self.machine.start()
        wait_until(lambda: len(self.wire.heads) >= 2, "a second attempt")
        self.assertEqual(other.heads, [])

    def test_replaced_by_a_newer_link(self):
        link = self.begin()
        link.close(4409, "replaced")
        problem = wait_until(lambda: self.machine.status().get("problem"), "a problem")
        self.assertIn("another agent of this machine has connected", problem)
        self.assertEqual(len(self.wire.links), 1)

    def test_other_identity(self):
        link = self.begin()
        link.close(4403, "another identity")
        problem = wait_until(lambda: self.machine.status().get("problem"), "a problem")
        self.assertIn("reset-agent", problem)

    def test_refused_greeting(self):
        self.wire.answers = lambda method, params: {"error": {"code": -32602, "message": "too old"}}
        self.machine.start()
        self.assertEqual(self.wire.link(1).end(), 1000)
        self.wire.link(2)

    def test_words_of_the_server_do_not_reach_the_terminal_as_they_are(self):
        link = self.begin()
        link.close(4000, "\x1b]0;evil\x07\u202e")
        wait_until(lambda: self.machine.status().get("problem"), "a problem")
        self.wire.close()
        for text in (self.machine.run("status").stdout, self.machine.log()):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\u202e", text)

    @unittest.skipUnless(os.environ.get("AGENT_LONG"), "takes more than a minute")
    def test_pings_and_a_server_that_is_silent(self):
        link = self.begin()
        link.wait(lambda: link.pings >= 1 or link.ended, "a ping", 40)
        self.assertFalse(link.ended)
        link.frame = lambda *arguments, **keywords: None
        link.wait(lambda: link.ended, "the end", 60)
        self.wire.link(2)

    def test_messages_that_no_server_sends(self):
        link = self.begin()
        for text in ("", "nonsense", "[]", "[[]]", "null", "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":"x"}',
                     '{"jsonrpc":"2.0","method":"session/start","params":{}}', "[" * 200 + "]" * 200,
                     '{"jsonrpc":"2.0","id":77,"result":{}}', '[{"jsonrpc":"2.0","id":1,"method":"session/stop"}]',
                     '{"jsonrpc":"2.0","id":5,"method":"session/start","params":[1]}',
                     '{"jsonrpc":"2.0","id":6,"method":"session/start","params":null}', '{"jsonrpc":"2.0","id":7,"method":5}'):
            link.text(text)
        answer = link.call("shell/run", {"command": "id"})
        self.assertEqual(answer["error"]["code"], -32601)
        self.assertEqual(self.machine.clients(), [])
        self.assertEqual(len(self.wire.links), 1)

    def test_frames_beyond_the_limit(self):
        link = self.begin()
        link.text(b'"' + b"x" * (1 << 20) + b'"')
        # The close frame is lost if the system resets the connection because of what was not read.
        self.assertIn(link.end(), (1009, None))
        second = self.wire.link(2)
        second.frame(2, b"binary")
        self.assertIn(second.end(), (1003, None))
        third = self.wire.link(3)
        half = b"x" * (700 << 10)
        third.frame(1, b'"' + half, final=False)
        third.frame(0, half + b'"')
        self.assertIn(third.end(), (1009, None))
        self.wire.link(4)

    def test_a_message_in_pieces_and_of_the_full_size(self):
        link = self.begin()
        message = json.dumps({"jsonrpc": "2.0", "id": 900, "method": "session/context",
                              "params": {"command_id": str(uuid.uuid4()), "by": {"kind": "operator"},
                                         "session_id": str(uuid.uuid4()), "x": "y" * 900_000}}).encode()
        for start in range(0, len(message), 200_000):
            last = start + 200_000 >= len(message)
            link.frame(1 if start == 0 else 0, message[start:start + 200_000], final=last)
        self.refused(link.reply(900), "session_not_running")

    def test_a_flood_ends_the_connection(self):
        link = self.begin()
        text = b'{"jsonrpc":"2.0","method":"x"}'
        frames = (bytes([0x81, len(text)]) + text) * 5000
        while not link.ended:
            try:
                link.stream.sendall(frames)
            except OSError:
                break
        link.end()
        self.wire.link(2)

    def test_only_one_agent_of_a_user(self):
        self.begin()
        done = self.machine.run("run")
        self.assertEqual(done.returncode, 69)
        self.assertIn("another agent runs already", done.stderr)

    def test_waits_for_a_process_that_a_killed_agent_was_starting(self):
        """Until such a process runs its own program, it has the agent's lock."""
        self.begin()
        self.machine.agents[0].kill()
        self.machine.agents[0].wait(20)
        with open(self.machine.state / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            agent = self.machine.start()
            with self.assertRaises(subprocess.TimeoutExpired):
                agent.wait(0.5)
        self.wire.link(2)

    def test_a_client_that_is_installed_later_is_told(self):
        self.machine.client.unlink()
        link = self.begin()
        self.assertEqual(link.called("initialize")[0]["clients"], [])
        other = self.machine.place / "claude"
        for number, version in enumerate(("2.1.400", "2.1.401"), 1):
            other.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
            other.chmod(0o755)
            other.rename(self.machine.client)
            told = link.noticed("machine/clients", number)[-1]["clients"]
            self.assertEqual(told, [{"name": "claude", "version": version, "path": str(self.machine.client)}])
        self.machine.client.unlink()
        self.assertEqual(link.noticed("machine/clients", 3)[-1]["clients"], [])

    def test_ends_by_a_signal(self):
        self.begin()
        agent = self.machine.agents[0]
        agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(20), 0)
        self.assertFalse(self.machine.status()["running"])


class Plaintext(AgentCase):
    """An address beyond loopback. The connection itself would fail; what counts is whether it is tried."""

    def problem(self):
        self.machine.configure("http://192.0.2.1:9")
        self.machine.start()
        return wait_until(lambda: self.machine.status().get("problem"), "a problem")

    def test_refused(self):
        self.assertIn("plaintext=yes", self.problem())

    def test_the_doctor_says_so(self):
        self.machine.configure("http://192.0.2.1:9")
        done = self.machine.run("doctor")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"FAULT  .*plaintext=yes")

    def test_not_if_others_can_write_the_file(self):
        self.machine.allow("plaintext=yes")
        os.chmod(self.machine.settings / "agent", 0o666)
        self.assertIn("plaintext=yes", self.problem())


class Secure(unittest.TestCase):
    """TLS, verified with the system's certificates or a file."""

    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.place = tempfile.mkdtemp(prefix="agent-tls-")
        cls.pairs = {name: cls.certificate(name, alternative) for name, alternative in
                     {"right": "IP:127.0.0.1", "named": "DNS:localhost", "other": "DNS:example.org"}.items()}

    @classmethod
    def tearDownClass(cls):
        import shutil
        shutil.rmtree(cls.place)

    @classmethod
    def certificate(cls, name, alternative):
        pem, key = f"{cls.place}/{name}.pem", f"{cls.place}/{name}.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name,
                        "-addext", "subjectAltName=" + alternative, "-keyout", key, "-out", pem], check=True,
                       capture_output=True)
        return pem, key

    def outcome(self, name, host="127.0.0.1", trusted=True, **environment):
        wire = Wire(*self.pairs[name])
        self.addCleanup(wire.close)
        machine = Machine(self, **environment)
        machine.configure(f"https://{host}:{wire.port}", **({"ca_file": self.pairs[name][0]} if trusted else {}))
        machine.start()
        return wire, machine

    def test_right(self):
        wire, _ = self.outcome("right")
        wire.link(1)
        named, _ = self.outcome("named", host="localhost")
        named.link(1)

    def test_flag(self):
        wire, machine = self.outcome("right", trusted=False)
        wait_until(lambda: machine.status()["running"], "the agent")
        done = machine.run("doctor", "--ca-file", self.pairs["right"][0])
        self.assertNotIn("accepts the machine's key", done.stdout)  # an agent runs
        machine.agents[0].kill()
        machine.agents[0].wait()
        done = machine.run("doctor", "--ca-file", self.pairs["right"][0])
        self.assertIn("accepts the machine's key", done.stdout)
        done = machine.run("doctor")
        self.assertNotIn("accepts the machine's key", done.stdout)
        self.assertEqual(done.returncode, 1)
        del wire

    def refuses(self, *arguments, **keywords):
        wire, machine = self.outcome(*arguments, **keywords)
        wait_until(lambda: machine.status().get("problem"), "a problem")
        wait_until(lambda: len(wire.heads) >= 2, "a second attempt")
        self.assertEqual(wire.links, [])
        self.assertEqual(set(wire.heads), {None})

    def test_unknown_authority(self):
        self.refuses("right", trusted=False)

    def test_certificate_of_another_host(self):
        self.refuses("other")
        self.refuses("named")

    def test_environment_adds_no_authority(self):
        self.refuses("right", trusted=False, SSL_CERT_FILE=self.pairs["right"][0], SSL_CERT_DIR=self.place)

    def test_environment_names_no_proxy(self):
        proxy = Wire()
        self.addCleanup(proxy.close)
        address = f"http://127.0.0.1:{proxy.port}"
        wire, machine = self.outcome("right", http_proxy=address, https_proxy=address, ALL_PROXY=address,
                                     SSLKEYLOGFILE=self.place + "/keys")
        wire.link(1)
        self.assertEqual(proxy.heads, [])
        self.assertFalse(os.path.exists(self.place + "/keys"))
        del machine


if __name__ == "__main__":
    unittest.main()
