"""install.sh and uninstall.sh: options, configuration, key, removal."""

import os
import stat
import unittest

from install_support import OTHERS, InstallCase
from prompt_support import write_approvals
from support import KEY


class Configuration(InstallCase):
    def test_key_is_kept_private_and_out_of_the_settings(self):
        self.install("--name", "Büro Mac")
        self.assertEqual(stat.S_IMODE(os.stat(self.machine.config).st_mode), 0o600)
        self.assertEqual(self.text(self.machine.config).split("\n")[:3],
                         ["url=" + self.url, "key=" + KEY, "machine_id=Büro Mac"])
        self.assertNotIn(KEY, self.text())

    def test_key_from_standard_input_and_from_the_environment(self):
        self.run_script("install.sh", "--url", self.url, "--key", "-", stdin=KEY + "\n")
        self.assertIn("key=" + KEY, self.text(self.machine.config))
        os.remove(self.machine.config)
        self.run_script("install.sh", CLAUDE_MONITOR_URL=self.url + "/", CLAUDE_MONITOR_KEY=KEY)
        self.assertIn("url=%s\nkey=%s\n" % (self.url, KEY), self.text(self.machine.config))

    def test_later_run_keeps_what_is_configured_and_lines_it_does_not_know(self):
        self.install("--name", "desk")
        with open(self.machine.config, "a", encoding="ascii") as file:
            file.write("# my note\nfuture=1=2\n")
        self.run_script("install.sh", "--name", "lab")
        text = self.text(self.machine.config)
        self.assertIn("# my note\nfuture=1=2\n", text)
        self.assertIn("key=" + KEY, text)
        self.assertIn("machine_id=lab", text)
        self.assertNotIn("desk", text)

    def test_bad_options_are_refused(self):
        cases = [["--key", KEY], ["--url", self.url], ["--url", "ftp://x", "--key", KEY], ["--bogus"],
                 ["--url", "http://u:p@x", "--key", KEY], ["--url", self.url, "--key", "cmk_short"],
                 ["--url", self.url, "--key", KEY, "--scope", "world"], ["--url"],
                 ["--url", self.url, "--key", KEY, "--name", "a\nurl=http://evil"]]
        for case in cases:
            with self.subTest(case[0]):
                self.run_script("install.sh", *case, code=1)
                self.assertFalse(os.path.exists(self.machine.config))
                self.assertFalse(os.path.exists(self.settings))

    def test_server_that_knows_the_key(self):
        self.url = self.receiver().url
        self.assertIn("accepts the key", self.install())

    def test_server_that_refuses_the_key(self):
        self.url = self.receiver(key="another").url
        self.assertIn("refuses this key", self.install(code=1))
        self.assertFalse(os.path.exists(self.settings) or os.path.exists(self.machine.config))

    def test_server_that_is_away_is_a_warning(self):
        self.assertIn("no answer", self.install())
        self.assertTrue(os.path.exists(self.settings))

    def test_plain_http_to_another_host_is_refused_unless_a_person_allows_it(self):
        for self.url in ("http://192.0.2.1:9", "http://127.0.0.1.example", "http://localhost.example:80/a", "http://127.1.example"):
            with self.subTest(self.url):
                self.assertIn("not encrypted", self.install("--dry-run", code=1))
        self.url = "http://192.0.2.1:9"
        self.install(code=1)
        self.assertFalse(os.path.exists(self.settings) or os.path.exists(self.machine.config))
        self.assertIn("not encrypted", self.install("--dry-run", "--allow-http"))
        self.assertIn("takes commands", self.install("--dry-run", "--allow-http", "--agent", code=1))

    def test_without_curl(self):
        self.install(code=2, PATH=self.machine.bin_without("curl"))

    def test_reinstall_from_the_installed_copy(self):
        self.install()
        before = self.text()
        self.run_script("install.sh", folder=self.installed)
        self.assertEqual(self.text(), before)


class Removal(InstallCase):
    def test_unsent_events_stay_and_are_counted(self):
        self.install()
        self.fire(self.machine.env(CLAUDE_MONITOR_GIVE_UP_S="0"))
        self.assertIn("1 unsent events stay", self.uninstall())
        self.assertEqual(len(self.machine.spooled()), 1)
        self.assertNotIn("scope=", self.text(self.machine.config))
        self.assertIn("key=" + KEY, self.text(self.machine.config))

    def test_purge_deletes_all_that_was_made(self):
        self.write(OTHERS)
        self.install()
        self.fire(self.machine.env())
        self.machine.wait(lambda: self.machine.read("last_error"))
        self.run_script("uninstall.sh", "--purge", folder=self.installed)
        self.assertTrue(self.machine.wait(lambda: not os.path.exists(self.machine.state)))
        for path in (self.installed, os.path.dirname(self.machine.config)):
            self.assertFalse(os.path.exists(path), path)
        self.assertEqual(self.text(), OTHERS)

    def test_purge_leaves_nothing_of_prompts_messages_and_telemetry(self):
        """As after some use: with approvals, a held prompt, a poster, and the settings of an earlier installation."""
        self.write(OTHERS)
        mine = self.settings + ".bak-mine"
        with open(mine, "w", encoding="ascii") as file:
            file.write("my own")
        self.install()
        self.install("--no-telemetry")
        self.install("--telemetry")
        self.assertIn("OTEL_METRICS_EXPORTER", self.text())
        write_approvals(self.machine, "who=answer")
        for name in ("held-prompts/0190.1.post", "posters/17", "posters/17.session", "posters/17.unmarked", "session-numbers/s",
                     "sent-transcripts/t", "rejected/a.json", "spool/1.1.a.ev", "watch.lock"):
            path = os.path.join(self.machine.state, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write("0\n")
        self.uninstall("--purge")
        self.assertEqual(self.text(), OTHERS)
        left = [os.path.join(folder, name) for folder, _, names in os.walk(self.machine.home) for name in names]
        self.assertEqual(sorted(path for path in left if not path.startswith(self.machine.bin)), sorted([self.settings, mine]))
        self.assertFalse(os.path.exists(self.machine.state))

    def test_purge_leaves_files_that_are_not_ours(self):
        state = os.path.join(self.machine.home, "shared")
        os.mkdir(state)
        open(os.path.join(state, "precious"), "w", encoding="ascii").close()
        self.install(CLAUDE_MONITOR_STATE_DIR=state)
        self.uninstall("--purge", CLAUDE_MONITOR_STATE_DIR=state)
        self.assertEqual(os.listdir(state), ["precious"])

    def test_without_an_installation(self):
        self.uninstall()
        self.write(OTHERS)
        self.uninstall("--purge")
        self.assertEqual(self.text(), OTHERS)


if __name__ == "__main__":
    unittest.main()
