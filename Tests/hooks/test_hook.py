"""What the hook script itself guarantees: the envelope, no output, exit code 0."""

import json
import os
import subprocess
import time
import unittest

from support import BASH, HOOK, KEY, MachineCase


class Envelope(MachineCase):
    def event(self, body, event="PostToolUse", **extra):
        self.fire(self.machine.env(**extra), body, event)
        return self.machine.spooled_events()[-1]

    def test_holds_what_the_server_needs(self):
        event = self.event(b'{"hook_event_name":"Stop","x":[1,2]}\n', "stop", CLAUDE_MONITOR_MACHINE_ID='desk "one" \\')
        self.assertEqual(event["event_type"], "stop")
        self.assertEqual(event["machine_id"], 'desk "one" \\')
        self.assertEqual(event["data"], {"hook_event_name": "Stop", "x": [1, 2]})
        self.assertRegex(event["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertRegex(event["event_id"], r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertNotIn("project_dir", event)

    def test_event_id_and_timestamp_carry_the_present_time(self):
        event = self.event(b"{}", TZ="Pacific/Auckland")
        made = int(event["event_id"].replace("-", "")[:12], 16) / 1000
        self.assertLess(abs(time.time() - made), 5)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(made))
        self.assertEqual(event["timestamp"][:19], stamp)

    def test_project_directory_and_machine_are_escaped(self):
        event = self.event(b"{}", CLAUDE_PROJECT_DIR='/tmp/a "b"\\c\té')
        self.assertEqual(event["project_dir"], '/tmp/a "b"\\c é')

    def test_machine_is_the_host_name_unless_configured(self):
        self.assertEqual(self.event(b"{}")["machine_id"], os.uname().nodename)
        os.makedirs(os.path.dirname(self.machine.config))
        with open(self.machine.config, "w", encoding="utf-8") as file:
            file.write("# note\r\nmachine_id=mein Rechner = büro\r\nurl=$(touch /tmp/no)\n")
        self.assertEqual(self.event(b"{}")["machine_id"], "mein Rechner = büro")

    def test_event_name_is_left_out_if_absent_or_odd(self):
        self.assertNotIn("event_type", self.event(b"{}", None))
        self.assertNotIn("event_type", self.event(b"{}", 'a"b'))

    def test_pretty_printed_input(self):
        body = json.dumps({"a": {"b": [1, "x\ny"]}, "c": "é"}, indent=4, ensure_ascii=False)
        self.assertEqual(self.event(("\r\n" + body + "\r\n\n").encode())["data"], json.loads(body))

    def test_nul_escapes_lone_surrogates_and_unicode_stay_as_they_are(self):
        body = b'{"a":"\\u0000 \\ud83d","b":"\xf0\x9f\x98\x80 \x7f"}'
        self.event(body)
        with open(self.machine.spooled()[-1], "rb") as file:
            self.assertIn(b'"data":' + body + b"}\n", file.read())

    def test_input_of_300_kilobytes_and_more(self):
        for size in (4095, 8192, 65530, 65536, 300000, 3000000):
            data = {"text": "é" * (size // 2), "end": 1}
            self.assertEqual(self.event(json.dumps(data, ensure_ascii=False).encode())["data"], data)

    def test_input_that_is_no_object(self):
        for body in (b"", b"\n \n", b"[1]", b"null", b"not json", b"{", b'{"a":', b"a" * 100000):
            event = self.event(body)
            self.assertEqual(event["data"], {})
            self.assertIn("hook input was", event["raw_error"])

    def test_input_with_raw_nul_bytes_does_no_harm(self):
        self.fire(self.machine.env(), b'{"a":"\0\0"}')
        self.assertEqual(len(self.machine.spooled()), 1)

    def test_ids_do_not_repeat(self):
        processes = [self.machine.start(self.machine.env()) for _ in range(200)]
        for process in processes:
            process.communicate(timeout=30)
        ids = {event["event_id"] for event in self.machine.spooled_events()}
        self.assertEqual(len(ids), 200)


class Silence(MachineCase):
    def test_without_configuration(self):
        self.fire(self.machine.env())
        self.assertEqual(len(self.machine.spooled()), 1)

    def test_without_home(self):
        self.fire(self.machine.env(HOME=None, CLAUDE_MONITOR_STATE_DIR=self.machine.state,
                                   CLAUDE_MONITOR_CONFIG="/nowhere"))
        self.assertEqual(len(self.machine.spooled()), 1)

    def test_without_curl_the_event_waits(self):
        self.fire(self.machine.env("http://127.0.0.1:9", PATH=self.machine.bin_without("curl")))
        self.assertEqual(len(self.machine.spooled()), 1)

    def test_without_any_command(self):
        self.fire(self.machine.env("http://127.0.0.1:9", PATH="/nowhere"))

    def test_state_directory_that_cannot_be_made(self):
        blocked = os.path.join(self.machine.home, "file")
        open(blocked, "w", encoding="ascii").close()
        self.fire(self.machine.env("http://127.0.0.1:9", CLAUDE_MONITOR_STATE_DIR=blocked + "/x"))

    @unittest.skipUnless(os.path.exists("/dev/full") and os.geteuid() == 0, "needs a full file system")
    def test_full_disk(self):
        disk = os.path.join(self.machine.home, "disk")
        os.mkdir(disk)
        mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]
        if subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        env = self.machine.env("http://127.0.0.1:9", CLAUDE_MONITOR_STATE_DIR=disk)
        for size in (10, 100000, 10):
            self.fire(env, b'{"a":"' + b"x" * size + b'"}')

    def test_configuration_that_is_a_directory(self):
        os.makedirs(self.machine.config)
        self.fire(self.machine.env())

    def test_closed_standard_input(self):
        command = 'exec "%s" -p "%s" Stop <&-' % (BASH, HOOK)
        result = subprocess.run(["sh", "-c", command], env=self.machine.env(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=10, check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))

    def test_started_through_a_link(self):
        link = os.path.join(self.machine.home, "monitor.sh")
        os.symlink(HOOK, link)
        subprocess.run([BASH, link, "stop"], input=b"{}", env=self.machine.env(), timeout=10, check=True)
        self.assertEqual(len(self.machine.spooled()), 1)

    def test_files_are_private(self):
        self.fire(self.machine.env())
        self.assertEqual(os.stat(self.machine.state).st_mode & 0o777, 0o700)
        self.assertEqual(os.stat(self.machine.spooled()[0]).st_mode & 0o777, 0o600)

    def test_plugin_options_configure_and_the_settings_copy_has_precedence(self):
        receiver = self.receiver()
        plugin = {"CLAUDE_PLUGIN_ROOT": "/p", "CLAUDE_PLUGIN_OPTION_URL": receiver.url, "CLAUDE_PLUGIN_OPTION_KEY": KEY,
                  "CLAUDE_PLUGIN_OPTION_NAME": "plugged"}
        self.fire(self.machine.env(**plugin))
        self.assertTrue(receiver.wait_events(1))
        self.assertEqual(receiver.events[0]["machine_id"], "plugged")
        self.assertTrue(self.machine.settled())
        os.makedirs(os.path.dirname(self.machine.config))
        with open(self.machine.config, "w", encoding="ascii") as file:
            file.write("scope=user\n")
        body = b'{"hook_event_name":"PostToolUse"}'
        for arguments, expected in ((["PostToolUse", "plugin"], 0), (["PostToolUse"], 1)):
            # No environment can keep the hook of the settings from reporting.
            subprocess.run([BASH, "-p", HOOK, *arguments], input=body, timeout=20, check=True,
                           env=self.machine.env(CLAUDE_PLUGIN_ROOT=os.path.dirname(os.path.dirname(HOOK))))
            self.assertEqual(len(self.machine.spooled()), expected)


if __name__ == "__main__":
    unittest.main()
