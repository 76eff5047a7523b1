"""Git on the machine: only as far as the machine's file says, and in a folder that nobody trusts only reading."""

import os
import pathlib
import subprocess
import unittest
import uuid

from machine import AgentCase


class Git(AgentCase):
    word = "write"

    def setUp(self):
        super().setUp()
        self.machine.allow(f"git={self.word}")
        self.project = self.machine.project
        (self.machine.home / ".gitconfig").write_text("[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        self.git("init", "-q")
        (self.project / "a.txt").write_text("one\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")
        (self.project / "a.txt").write_text("two\n")
        self.link = self.begin()

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self.project), *words], check=True, capture_output=True, text=True,
                              env=self.machine.env()).stdout

    def ask(self, verb, command=None, **params):
        return self.link.call(f"git/{verb}", {"path": str(self.project), **params}, command)

    def result(self, *arguments, **params):
        answer = self.ask(*arguments, **params)
        self.assertIn("result", answer, answer)
        return answer["result"]

    def reason(self, *arguments, **params):
        answer = self.ask(*arguments, **params)
        self.assertIn("error", answer, answer)
        return answer["error"].get("data", {}).get("reason") or answer["error"]["code"]


class RootsWithin(Git):
    def setUp(self):
        super().setUp()
        self.inner = self.project / "private"
        self.inner.mkdir()
        (self.inner / "kept").write_text("one\n")
        self.git("add", "private")
        self.git("commit", "-q", "-m", "private")
        (self.inner / "kept").write_text("hidden words\n")
        (self.inner / ".env").write_text("A=1\n")

    def allow(self, outer, inner):
        self.machine.write("agent", f"control=on claude={self.machine.client}\nroots={self.machine.root} {outer}\n"
                           f"roots={self.inner} {inner}\n")

    def test_what_a_root_in_the_repository_forbids_is_neither_shown_nor_staged(self):
        self.allow("git=write secrets=show", "git=off")
        self.assertEqual(self.reason("diff", file="private/kept"), "secret_file")
        self.assertNotIn("hidden words", str(self.result("diff")))
        for files in (["private/kept"], ["private"], ["."]):
            self.assertEqual(self.reason("stage", files=files), "secret_file")
        self.assertEqual(self.result("stage", files=["a.txt"])["staged"], ["a.txt"])
        self.assertEqual(self.git("diff", "--cached", "--name-only"), "a.txt\n")

    def test_secrets_are_those_of_the_files_own_root(self):
        self.allow("git=write secrets=show", "git=write secrets=hide")
        self.assertEqual(self.reason("diff", file="private/.env"), "secret_file")
        # However the folder is named.
        answer = self.link.call("git/diff", {"path": f"{self.machine.root}/project/../project", "file": "private/.env"})
        self.assertEqual(answer["error"]["data"]["reason"], "secret_file")
        self.assertEqual(self.reason("stage", files=["private/.env"]), "secret_file")
        self.assertEqual(self.result("stage", files=["private/kept"])["staged"], ["private/kept"])

    def test_an_address_of_this_machine_is_no_remote(self):
        for url in (str(self.machine.home), f"file://{self.machine.home}", "../x", "https://me:secret@localhost/x"):
            self.assertEqual(self.reason("remote/add", name="x", url=url), -32602)
        self.assertEqual(self.git("remote"), "")


class Verbs(Git):
    def test_a_file_is_reviewed_staged_and_committed(self):
        status = self.result("status")
        self.assertEqual((status["branch"], status["state"], status["repo_root"]), ("main", "no_remote", str(self.project)))
        self.assertEqual(status["unstaged"], [{"path": "a.txt", "status": "M", "additions": 1, "deletions": 1}])
        self.assertIn("-one\n+two\n", self.result("diff", file="a.txt")["diff"])
        self.assertEqual(self.result("stage", files=["a.txt"])["staged"], ["a.txt"])
        done = self.result("commit", message="two\n\nsecret words")
        self.assertEqual((done["success"], done["files_committed"]), (True, 1))
        self.assertEqual([commit["subject"] for commit in self.result("log")["commits"]], ["two", "one"])
        audit = [entry for entry in self.machine.audit() if entry.get("method", "").startswith("git/")]
        self.assertEqual([entry["what"] for entry in audit if entry["method"] == "git/commit"], ["asked", "done"])
        self.assertNotIn("secret words", (self.machine.state / "audit.jsonl").read_text())

    def test_a_repeat_of_a_change_is_carried_out_once(self):
        (self.project / "b.txt").write_text("b\n")
        same = str(uuid.uuid4())
        self.result("stage", files=["a.txt"])
        first = self.result("commit", message="two", command=same)
        self.git("add", "b.txt")
        self.assertEqual(self.result("commit", message="two", command=same), first)
        self.assertEqual(len(self.result("log")["commits"]), 2)

    def test_a_discard_is_undone(self):
        (self.project / "new").write_text("new\n")
        done = self.result("discard", files=["a.txt", "new"])
        self.assertEqual((self.project / "a.txt").read_text(), "one\n")
        self.assertFalse((self.project / "new").exists())
        self.result("undo", undo=done["undo"])
        self.assertEqual([(self.project / name).read_text() for name in ("a.txt", "new")], ["two\n", "new\n"])

    def test_errors_have_gits_own_words(self):
        self.assertEqual(self.reason("show", commit="nothing"), "git_not_found")
        answer = self.ask("commit", message="nothing is staged")
        self.assertEqual(answer["error"]["data"]["reason"], "git_failed")
        self.assertIn("no changes added to commit", answer["error"]["message"])
        self.assertEqual(self.reason("stage", files=["../x"]), -32602)
        self.assertEqual(self.reason("checkout", branch="--orphan"), -32602)
        (self.project / ".git/index.lock").write_text("")
        self.assertEqual(self.reason("stage", files=["a.txt"]), "repository_busy")

    def test_a_folder_without_a_repository(self):
        other = self.machine.root / "other"
        other.mkdir()
        self.project = other
        self.assertEqual(self.result("state")["state"], "no_git")
        self.assertEqual(self.reason("status"), "not_a_git_repo")

    def test_secret_files_have_no_patch(self):
        (self.project / ".env").write_text("TOKEN=hunter2\n")
        self.git("add", ".env")
        diff = self.result("diff", staged=True)
        self.assertEqual([(patch["path"], patch["diff"]) for patch in diff["diffs"]], [(".env", "")])
        self.assertEqual(self.reason("diff", staged=True, file=".env"), "secret_file")
        self.machine.allow("git=write secrets=show")
        self.assertIn("hunter2", self.result("diff", staged=True, file=".env")["diff"])


class Words(Git):
    word = "off"

    def test_the_machines_file_has_the_last_word(self):
        bare = self.machine.root / "bare"
        subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True, env=self.machine.env())
        self.git("remote", "add", "origin", str(bare))
        tries = [("status", {}), ("stage", {"files": ["a.txt"]}), ("commit", {"message": "two"}), ("push", {}),
                 ("push", {"force": True})]
        for allowed, word in enumerate(["off", "read", "write", "push", "force"]):
            self.machine.allow(f"git={word}")
            for number, (verb, params) in enumerate(tries):
                with self.subTest(word=word, verb=verb, **params):
                    answer = self.ask(verb, **params)
                    refused = answer.get("error", {}).get("data", {}).get("reason") == "not_allowed_by_machine"
                    # A commit needs the same word as to stage.
                    need = [1, 2, 2, 3, 4][number]
                    self.assertEqual(refused, allowed < need, answer)
            self.machine.allow("git=write")
            self.assertEqual(self.reason("commit", message="x", push=True), "not_allowed_by_machine")

    def test_outside_the_roots_there_is_nothing(self):
        self.machine.allow("git=force")
        self.project = self.machine.home
        self.assertEqual(self.reason("status"), "outside_roots")
        self.project = pathlib.Path("/nowhere")
        self.assertEqual(self.reason("status"), "outside_roots")

    def test_the_files_that_judge_the_agent_cannot_be_changed(self):
        self.machine.allow("git=force", roots=[self.machine.place])
        subprocess.run(["git", "init", "-q", str(self.machine.home)], check=True, env=self.machine.env())
        self.machine.trust(self.machine.home)
        self.project = self.machine.home
        self.result("status")
        self.assertEqual(self.reason("stage", files=[".claude.json"]), -32602)


class Untrusted(Git):
    word = "force"

    def test_a_folder_that_nobody_trusts_is_only_read(self):
        mark = self.machine.root / "mark"
        evil = self.project / "evil.sh"
        evil.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
        os.chmod(evil, 0o755)
        (self.project / ".gitattributes").write_text("* filter=evil diff=evil\n")
        for name in ("core.fsmonitor", "filter.evil.clean", "diff.evil.textconv", "diff.external", "core.pager", "core.sshCommand"):
            self.git("config", name, str(evil))
        self.machine.trust()
        for verb in ("status", "state", "diff", "log", "branches"):
            self.result(verb)
        self.assertFalse(self.result("status")["is_trusted"])
        for verb, params in (("stage", {"files": ["a.txt"]}), ("commit", {"message": "x"}), ("fetch", {}), ("pull", {})):
            self.assertEqual(self.reason(verb, **params), "untrusted_directory")
        self.assertFalse(mark.exists())


if __name__ == "__main__":
    unittest.main()
