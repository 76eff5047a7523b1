"""What sessions change: a baseline before Claude Code can change anything, a state at each stop, and what lies between."""

import base64
import os
import signal
import subprocess
import time
import unittest
import uuid

from machine import AgentCase, wait_until


class Changes(AgentCase):
    word = "git=read"

    def setUp(self):
        super().setUp()
        self.machine.allow(self.word)
        self.project = self.machine.project
        (self.machine.home / ".gitconfig").write_text("[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        self.git("init", "-q")
        # The scripted client writes it.
        (self.project / ".gitignore").write_text("received\n")
        (self.project / "a.txt").write_text("one\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")
        self.link = self.begin()

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self.project), *words], check=True, capture_output=True, text=True,
                              env=self.machine.env()).stdout

    def ask(self, verb, **params):
        return self.link.call(f"changes/{verb}", params)

    def result(self, verb, **params):
        answer = self.ask(verb, **params)
        self.assertIn("result", answer, answer)
        return answer["result"]

    def begin_terminal(self, **params):
        chosen = str(uuid.uuid4())
        begun = self.result("begin", session_id=chosen, path=str(self.project), **params)
        self.assertEqual(begun, {"baseline": True})
        return chosen

    def files(self, session, **params):
        return [(file["status"], file["path"]) for file in self.result("get", session_id=session, **params)["files"]]


class Hiding(Changes):
    """What a session could do to hide a change."""

    def test_files_that_are_marked_as_unchanged(self):
        for flag in ("assume-unchanged", "skip-worktree"):
            with self.subTest(flag):
                chosen = self.begin_terminal()
                self.git("update-index", f"--{flag}", "a.txt")
                (self.project / "a.txt").write_text(flag)
                before = (self.project / ".git/index").read_bytes()
                found = self.result("get", session_id=chosen)
                self.assertEqual(([(file["status"], file["path"]) for file in found["files"]], found["complete"]),
                                 ([("modified", "a.txt")], True))
                self.assertEqual((self.project / ".git/index").read_bytes(), before)
                self.git("update-index", f"--no-{flag}", "a.txt")
                self.git("checkout", "-q", "a.txt")

    def test_what_a_sparse_checkout_leaves_out_is_not_deleted(self):
        chosen = self.begin_terminal()
        self.git("update-index", "--skip-worktree", "a.txt")
        (self.project / "a.txt").unlink()
        self.assertEqual(self.files(chosen), [])

    def test_a_file_with_the_size_and_the_time_of_before(self):
        os.utime(self.project / "a.txt", (1_700_000_000, 1_700_000_000))
        self.git("update-index", "--refresh")
        self.git("config", "core.trustctime", "false")
        self.git("config", "core.checkStat", "minimal")
        chosen = self.begin_terminal()
        # Git compares the seconds of the time at which the inode changed.
        time.sleep(1.1)
        (self.project / "a.txt").write_text("two\n")
        os.utime(self.project / "a.txt", (1_700_000_000, 1_700_000_000))
        self.assertEqual(self.files(chosen), [("modified", "a.txt")])

    def test_objects_that_replace_others(self):
        chosen = self.begin_terminal()
        (self.project / "a.txt").write_text("true\n")
        (self.project / "other").write_text("false\n")
        old, new = (self.git("hash-object", "-w", name).strip() for name in ("a.txt", "other"))
        (self.project / "other").unlink()
        self.git("replace", old, new)
        one = self.result("get", session_id=chosen, file="a.txt")["files"]
        self.assertEqual(one[0]["hunks"], ["@@ -1 +1 @@\n-one\n+true\n"])


class Terminals(Changes):
    def test_from_the_beginning_to_a_stop(self):
        chosen = self.begin_terminal(started_at=1_800_000_000_000)
        (self.project / "a.txt").write_text("two\n")
        (self.project / "b.txt").write_text("new\n")
        self.assertEqual(self.result("stop", session_id=chosen), {"taken": True})
        (self.project / "c.txt").write_text("later\n")
        stop = self.result("get", session_id=chosen, at="stop")
        self.assertEqual([file["path"] for file in stop["files"]], ["a.txt", "b.txt"])
        self.assertEqual((stop["complete"], stop["end"]["at"], stop["base"]["session_started_at"]),
                         (True, "stop", 1_800_000_000_000))
        self.assertEqual(self.files(chosen), [("modified", "a.txt"), ("added", "b.txt"), ("added", "c.txt")])
        one = self.result("get", session_id=chosen, file="a.txt")["files"]
        self.assertEqual(one[0]["hunks"], ["@@ -1 +1 @@\n-one\n+two\n"])
        self.assertEqual(self.git("status", "--porcelain"), " M a.txt\n?? b.txt\n?? c.txt\n")

    def test_a_baseline_outlives_the_agent(self):
        chosen = self.begin_terminal()
        (self.project / "a.txt").write_text("two\n")
        agent = self.machine.agents[0]
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        self.machine.start()
        self.link = self.wire.link(2)
        # Told again, the agent keeps what it has.
        self.assertEqual(self.result("begin", session_id=chosen, path=str(self.project)), {"baseline": True})
        self.assertEqual(self.files(chosen), [("modified", "a.txt")])

    def test_without_a_baseline_it_says_so(self):
        answer = self.result("get", session_id=str(uuid.uuid4()))
        self.assertEqual((answer["complete"], answer["reason"], answer["files"]), (False, "no_baseline", []))
        self.assertEqual(self.result("stop", session_id=str(uuid.uuid4())), {"taken": False})

    def test_parameters(self):
        chosen = self.begin_terminal()
        for verb, params in [("begin", {"session_id": "x", "path": "/"}), ("begin", {"session_id": chosen, "path": "x"}),
                             ("get", {"session_id": chosen, "file": "../x"}), ("get", {"session_id": chosen, "limit": 0}),
                             ("get", {}), ("stop", {"session_id": "../../x"}), ("erase", {"sessions": []})]:
            with self.subTest(verb, **params):
                self.assertEqual(self.ask(verb, **params)["error"]["code"], -32602)

    def test_erased_sets_are_gone(self):
        chosen = self.begin_terminal()
        place = self.machine.state / "git/changes" / chosen
        self.assertTrue(place.exists())
        self.assertEqual(self.result("list", unused_seconds=0), {"sessions": [chosen]})
        self.assertEqual(self.result("list", unused_seconds=3600), {"sessions": []})
        self.assertEqual(self.result("erase", sessions=[chosen, "../../../..", "x"]), {})
        self.assertFalse(place.exists())
        self.assertTrue(self.machine.state.exists())

    def test_the_machines_file_has_the_last_word(self):
        chosen = self.begin_terminal()
        self.machine.allow("git=off")
        self.refused(self.ask("get", session_id=chosen), "not_allowed_by_machine")
        self.refused(self.ask("begin", session_id=str(uuid.uuid4()), path=str(self.project)), "not_allowed_by_machine")
        self.refused(self.ask("begin", session_id=str(uuid.uuid4()), path=str(self.machine.home)), "outside_roots")
        self.machine.allow("git=read", roots=[self.machine.home])
        self.refused(self.ask("get", session_id=chosen), "outside_roots")

    def test_a_folder_that_nobody_trusts_runs_nothing(self):
        mark = self.machine.root / "mark"
        evil = self.project / "evil.sh"
        evil.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
        os.chmod(evil, 0o755)
        (self.project / ".gitattributes").write_text("* filter=evil diff=evil\n")
        for name in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.external",
                     "core.pager"):
            self.git("config", name, str(evil))
        hook = self.project / ".git/hooks/post-index-change"
        hook.parent.mkdir(exist_ok=True)
        hook.symlink_to(evil)
        self.machine.trust()
        chosen = self.begin_terminal()
        (self.project / "a.txt").write_text("two\n")
        (self.project / "b.txt").write_text("new\n")
        self.assertEqual(self.files(chosen, hunks=True), [("modified", "a.txt"), ("added", "b.txt")])
        self.assertFalse(mark.exists())
        # In a folder that a person trusts, the filter runs as it does for the person.
        self.machine.trust(self.project)
        self.files(chosen)
        self.assertTrue(mark.exists())

    def test_a_filter_that_fails_spoils_no_other_file(self):
        (self.project / ".gitattributes").write_text("*.bad filter=bad\n")
        self.git("config", "filter.bad.clean", "false")
        self.git("config", "filter.bad.required", "true")
        self.machine.trust(self.project)
        (self.project / "before.bad").write_text("before\n")
        (self.project / "same.bad").write_text("same\n")
        chosen = self.begin_terminal()
        for name in ("a.txt", "before.bad", "new.bad", "new.txt"):
            (self.project / name).write_text("two\n")
        answer = self.result("get", session_id=chosen, hunks=True)
        self.assertEqual(answer["complete"], True, answer)
        self.assertEqual([(file["status"], file["path"], file.get("is_unsaved", False), "hunks" in file)
                          for file in answer["files"]],
                         [("modified", "a.txt", False, True), ("modified", "before.bad", True, False),
                          ("added", "new.bad", True, False), ("added", "new.txt", False, True)])

    def test_a_name_with_control_characters_has_its_bytes_beside_it(self):
        chosen = self.begin_terminal()
        names = ["new\nline", "tab\t", "\x1b[31m", "del\x7f"]
        for name in [*names, "plain"]:
            (self.project / name).write_text("one\n")
        files = {file["path"]: file.get("path_b64") for file in self.result("get", session_id=chosen)["files"]}
        self.assertEqual(files, {"plain": None, **{name: base64.b64encode(name.encode()).decode() for name in names}})
        for name in names:
            file, = self.result("get", session_id=chosen, file_b64=files[name])["files"]
            self.assertEqual((file["path"], len(file["hunks"])), (name, 1))

    def test_the_audit_says_who_looked(self):
        chosen = self.begin_terminal()
        self.files(chosen, file="a.txt")
        asked = [entry for entry in self.machine.audit() if entry.get("method") == "changes/get"]
        self.assertEqual([entry["what"] for entry in asked], ["asked", "done"])
        self.assertEqual((asked[0]["session_id"], asked[0]["file"], asked[0]["by"]["kind"]), (chosen, "a.txt", "operator"))


class Own(Changes):
    word = "git=read sessions=4"

    def test_the_baseline_of_a_session_is_there_before_its_first_message(self):
        (self.project / "a.txt").write_text("a person's\n")
        chosen = self.start_session(self.link)
        self.assertEqual(self.files(chosen), [])
        (self.project / "a.txt").write_text("the session's\n")
        self.link.call("session/send", {"session_id": chosen, "message_id": str(uuid.uuid4()), "content": "Hello"})
        self.link.noticed("turn/ended", session_id=chosen)
        stop = wait_until(lambda: self.stop_of(chosen), "the state at the stop")
        self.assertEqual([(file["path"], file["additions"]) for file in stop["files"]], [("a.txt", 1)])
        self.assertFalse(stop["base"]["is_late"])

    def stop_of(self, session):
        answer = self.result("get", session_id=session, at="stop")
        return answer if answer["end"]["at"] == "stop" else None

    def test_without_gits_word_a_session_starts_without_a_baseline(self):
        self.machine.allow("git=off")
        chosen = self.start_session(self.link)
        self.machine.allow("git=read")
        self.assertEqual(self.result("get", session_id=chosen)["reason"], "no_baseline")

    def test_a_folder_without_a_repository(self):
        (self.project / ".git").rename(self.machine.place / "away")
        chosen = self.start_session(self.link)
        self.assertEqual(self.result("get", session_id=chosen)["reason"], "not_a_repository")


if __name__ == "__main__":
    unittest.main()
