"""Directories of new projects."""

import os
import unittest

from machine import AgentCase


class NewProjects(AgentCase):
    def setUp(self):
        super().setUp()
        self.place = self.machine.root / "new"
        self.place.mkdir()

    def say(self, where, *words):
        self.machine.allow(*words)
        path = self.machine.settings / "agent"
        path.write_text(path.read_text() + f"new_projects={where}\n")
        return self.begin()

    def make(self, link, name="App"):
        return link.call("project/create", {"name": name})

    def made(self, link, name):
        answer = self.make(link, name)
        self.assertIn("result", answer, answer)
        return answer["result"]["path"]

    def test_a_directory_has_the_name_of_its_project(self):
        link = self.say(self.place)
        for name, directory in (("My App", "my-app"), ("../../etc", "etc"), ("Ünïted  2.0!", "n-ted-2-0"), ("日本", "project"),
                                ("x" * 200, "x" * 64)):
            path = self.made(link, name)
            self.assertEqual(path, str(self.place / directory))
            self.assertEqual(os.listdir(path), [])

    def test_an_existing_name_gets_a_number(self):
        link = self.say(self.place)
        (self.place / "app").mkdir()
        (self.place / "app-2").symlink_to("/etc")
        self.assertEqual(self.made(link, "App"), str(self.place / "app-3"))

    def test_without_the_word_nothing_is_made(self):
        self.refused(self.make(self.begin()), "not_allowed_by_machine")
        self.assertEqual(os.listdir(self.place), [])

    def test_outside_of_the_roots_nothing_is_made(self):
        outside = self.machine.place / "outside"
        outside.mkdir()
        self.refused(self.make(self.say(outside)), "outside_roots")
        self.assertEqual(os.listdir(outside), [])

    def test_a_link_is_no_place(self):
        link = self.machine.root / "link"
        link.symlink_to(self.place)
        self.refused(self.make(self.say(link)), "outside_roots")
        self.assertEqual(os.listdir(self.place), [])


if __name__ == "__main__":
    unittest.main()
