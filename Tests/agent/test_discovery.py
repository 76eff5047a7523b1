"""The search for projects on the machine: only below the roots that the machine's file names."""

import os
import unittest
import uuid

from machine import AgentCase


class Discovering(AgentCase):
    def setUp(self):
        super().setUp()
        self.link = self.begin()

    def search(self, **params):
        return self.link.call("workspace/discover", params)

    def found(self, **params):
        result = self.search(**params)["result"]
        self.assertIs(result["complete"], True)
        return {one["path"]: (one["is_git_repo"], one["conversations"]) for one in result["directories"]}

    def conversation(self, directory):
        name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in str(directory))
        place = self.machine.home / ".claude/projects" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{uuid.uuid4()}.jsonl").write_text("{}\n")

    def test_repositories_and_directories_with_conversations(self):
        root = self.machine.root
        for name in ("app", "group/inner", "node_modules/package", ".hidden"):
            (root / name / ".git").mkdir(parents=True)
        (root / "worktree").mkdir()
        (root / "worktree/.git").write_text("gitdir: /nowhere\n")
        for name in ("notes", "app/part", "plain"):
            (root / name).mkdir()
        for _ in range(2):
            self.conversation(root / "notes")
        self.conversation(root / "app/part")
        outside = self.machine.place / "outside"
        (outside / ".git").mkdir(parents=True)
        (root / "link").symlink_to(outside)
        self.conversation(outside)
        expected = {"app": (True, 0), "group/inner": (True, 0), "worktree": (True, 0), "notes": (False, 2), "app/part": (False, 1)}
        self.assertEqual(self.found(), {str(root / name): facts for name, facts in expected.items()})
        self.assertEqual(set(self.found(paths=[str(root / "group")])), {str(root / "group/inner")})
        self.assertNotIn(str(root / "group/inner"), self.found(depth=1))

    def test_the_named_directory_itself(self):
        (self.machine.root / "alias").symlink_to(self.machine.project)
        project = str(self.machine.project)
        for path in (project, project + "/", str(self.machine.root / "alias"), project + "/../project"):
            self.assertEqual(list(self.found(paths=[path], depth=0)), [project], path)

    def test_what_the_file_does_not_allow(self):
        outside = self.machine.place / "outside"
        (outside / ".git").mkdir(parents=True)
        (self.machine.root / "link").symlink_to(outside)
        for path in (outside, self.machine.root / "link", self.machine.root / "nothing", "/", "/etc", self.machine.root / ".."):
            for depth in (0, 3):
                self.refused(self.search(paths=[str(path)], depth=depth), "outside_roots")
        closed = self.machine.root / "closed"
        (closed / ".git").mkdir(parents=True)
        self.machine.write("agent", f"control=on claude={self.machine.client}\nroots={self.machine.root}\nroots={closed} control=off\n")
        self.refused(self.search(paths=[str(closed)], depth=0), "not_allowed_by_machine")
        self.assertNotIn(str(closed), self.found())
        self.machine.write("agent", f"control=off\nroots={self.machine.root}\n")
        self.assertEqual(self.found(), {})
        os.remove(self.machine.settings / "agent")
        self.refused(self.search(), "not_allowed_by_machine")

    def test_wrong_parameters(self):
        for params in ({"paths": "x"}, {"paths": []}, {"paths": ["relative"]}, {"paths": [7]}, {"paths": ["/x"] * 65},
                       {"depth": -1}, {"depth": 100}, {"depth": "2"}):
            with self.subTest(params):
                self.assertEqual(self.search(**params)["error"]["code"], -32602)

    def test_the_audit_knows_it(self):
        self.found(paths=[str(self.machine.project)])
        recorded = [entry for entry in self.machine.audit() if entry.get("method") == "workspace/discover"]
        self.assertEqual([entry["paths"] for entry in recorded], [[str(self.machine.project)]] * 2)


if __name__ == "__main__":
    unittest.main()
