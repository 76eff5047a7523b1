"""Which models the machine's Claude Code offers."""

import json
import os
import unittest

from machine import AgentCase

MODELS = [{"value": "default", "resolvedModel": "claude-opus-5-5", "displayName": "Default (recommended)"},
          {"value": "sonnet", "resolvedModel": "claude-sonnet-5-5", "displayName": "Sonnet", "description": "For routine tasks",
           "supportedEffortLevels": ["low", "high"], "supportsFastMode": True}]


class Models(AgentCase):
    def offer(self, models):
        (self.machine.home / "models.json").write_text(json.dumps({"models": models}))

    def asked(self):
        path = self.machine.home / "models-asked"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def listed(self, link):
        answer = self.ask(link)
        self.assertIn("result", answer, answer)
        return answer["result"]["models"]

    def ask(self, link):
        return link.call("models/list", {})

    def test_what_the_client_says_without_members_that_nobody_reads(self):
        self.offer(MODELS)
        link = self.begin()
        self.assertEqual(self.listed(link), [
            MODELS[0], {name: value for name, value in MODELS[1].items() if name != "supportsFastMode"}])

    def test_the_client_runs_in_an_empty_folder_without_settings_of_it_and_ends(self):
        self.offer(MODELS)
        link = self.begin()
        self.listed(link)
        directory, *words = self.asked()[0]
        self.assertEqual(os.listdir(directory), [])
        self.assertIn("--no-session-persistence", words)
        self.assertEqual(words[words.index("--setting-sources") + 1], "user")
        self.assertEqual(self.machine.clients(), [])
        self.assertEqual(list((self.machine.state / "hosts").iterdir()), [])

    def test_a_version_is_asked_once(self):
        self.offer(MODELS)
        link = self.begin()
        first = self.listed(link)
        self.offer([])
        self.assertEqual(self.listed(link), first)
        self.assertEqual(len(self.asked()), 1)

    def test_no_client_starts_before_the_server_asks(self):
        self.offer(MODELS)
        self.begin()
        self.assertEqual(self.asked(), [])

    def test_a_client_that_tells_none_is_asked_again(self):
        link = self.begin()
        self.refused(self.ask(link), "command_failed")
        self.offer(MODELS)
        self.assertEqual(len(self.listed(link)), 2)

    def test_a_machine_that_allows_nothing_starts_no_client(self):
        self.offer(MODELS)
        self.machine.write("agent", f"control=off chat=off claude={self.machine.client}\nroots={self.machine.root}\n")
        link = self.begin()
        self.refused(self.ask(link), "not_allowed_by_machine")
        self.assertEqual(self.asked(), [])

    def test_a_machine_that_allows_only_chats_tells(self):
        self.offer(MODELS)
        self.machine.write("agent", f"control=off chat=on claude={self.machine.client}\nroots={self.machine.root}\n")
        self.assertEqual(len(self.listed(self.begin())), 2)


if __name__ == "__main__":
    unittest.main()
