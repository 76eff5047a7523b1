"""What the agent tells of workspaces that the server follows: files that change, and the state of repositories."""

import os
import subprocess
import time
import unittest

from machine import AgentCase, wait_until


class Watching(AgentCase):
    words = "files=read git=read"

    def setUp(self):
        super().setUp()
        self.machine.allow(*self.words.split())
        self.project = self.machine.project
        (self.project / "src").mkdir()
        (self.project / "src/main.swift").write_text("first\n")
        (self.project / "README.md").write_text("read me\n")
        self.link = self.begin()

    def git(self, *words, at=None):
        return subprocess.run(["git", "-C", str(at or self.project), "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              check=True, capture_output=True, text=True, env=self.machine.env()).stdout

    def repository(self):
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")

    def watch(self, files=True, git=False, mode="events", path=None, workspace="w1"):
        with self.link.condition:
            earlier = [(params["part"], params["mode"]) for name, params in self.link.notices if name == "watch/state"]
        answer = self.link.call("watch/set", {"workspaces": [
            {"workspace_id": workspace, "path": str(path or self.project), "files": files, "git": git}]})
        self.assertEqual(answer["result"], {"workspaces": 1})
        for part, isWanted in (("files", files), ("git", git)):
            if isWanted and mode:
                self.link.noticed("watch/state", earlier.count((part, mode)) + 1, workspace_id=workspace, part=part, mode=mode)

    def nothing(self):
        self.assertEqual(self.link.call("watch/set", {"workspaces": []})["result"], {"workspaces": 0})

    def changes(self):
        with self.link.condition:
            return [change for name, params in self.link.notices if name == "file/changed" for change in params["changes"]]

    def changed(self, path, change, **members):
        """The change of a path, once it was told."""
        def found():
            return [one for one in self.changes() if one["path"] == path and one["change"] == change
                    and all(one.get(key) == value for key, value in members.items())]
        return self.link.wait(lambda: found(), f"{change} of {path}")[0]

    def statuses(self):
        with self.link.condition:
            return [params for name, params in self.link.notices if name == "git/changed"]

    def status(self, **members):
        """The first status with these members."""
        def found():
            return [one for one in self.statuses() if all(one.get("status", {}).get(key) == value
                                                          for key, value in members.items())]
        return self.link.wait(lambda: found(), f"a status with {members}")[0]["status"]

    def threads(self):
        place = f"/proc/{self.machine.agents[-1].pid}/task"
        names = []
        for entry in os.listdir(place):
            try:
                with open(f"{place}/{entry}/comm") as file:
                    names.append(file.read().strip())
            except OSError:
                pass
        return [name for name in names if name in ("file watch", "git watch")]

    def descriptors(self):
        place = f"/proc/{self.machine.agents[-1].pid}/fd"
        links = []
        for entry in os.listdir(place):
            try:
                links.append(os.readlink(f"{place}/{entry}"))
            except OSError:
                pass
        return [link for link in links if "inotify" in link]


class Files(Watching):
    def test_files_are_created_modified_renamed_and_deleted(self):
        self.watch()
        (self.project / "src/new.txt").write_text("hello")
        self.assertEqual(self.changed("src/new.txt", "created")["size"], 5)
        with open(self.project / "README.md", "a") as file:
            file.write("more\n")
        self.changed("README.md", "modified", size=13)
        os.rename(self.project / "src/new.txt", self.project / "src/other.txt")
        self.changed("src/other.txt", "renamed", old_path="src/new.txt")
        os.unlink(self.project / "src/other.txt")
        self.changed("src/other.txt", "deleted")

    def test_a_file_that_is_replaced_was_modified(self):
        self.watch()
        (self.project / "README.md.tmp").write_text("another\n")
        os.rename(self.project / "README.md.tmp", self.project / "README.md")
        self.changed("README.md", "modified", size=8)
        self.assertEqual([change["path"] for change in self.changes()], ["README.md"])

    def test_new_directories_are_watched_and_what_is_in_them_is_told(self):
        self.watch()
        os.makedirs(self.project / "a/b/c")
        (self.project / "a/b/c/one.txt").write_text("1")
        self.changed("a/b/c/one.txt", "created")
        (self.project / "a/b/two.txt").write_text("2")
        self.changed("a/b/two.txt", "created")
        # Under its new name a directory is watched as before.
        os.rename(self.project / "a", self.project / "z")
        self.changed("z", "renamed", old_path="a", is_directory=True)
        (self.project / "z/b/three.txt").write_text("3")
        self.changed("z/b/three.txt", "created")

    def test_what_git_ignores_is_not_told(self):
        (self.project / ".gitignore").write_text("*.log\nbuild/\n")
        (self.project / "build").mkdir()
        self.repository()
        self.watch()
        for name in ("a.log", "build/object.o", "src/b.log"):
            (self.project / name).write_text("x")
        os.makedirs(self.project / "sub/build/deep")
        (self.project / "sub/build/deep/x.o").write_text("x")
        os.unlink(self.project / "a.log")
        (self.project / "last.txt").write_text("x")
        self.changed("last.txt", "created")
        # A file that was ignored becomes visible by its new name.
        os.rename(self.project / "src/b.log", self.project / "src/b.txt")
        self.changed("src/b.txt", "created")
        self.assertEqual({change["path"] for change in self.changes()}, {"last.txt", "src/b.txt"})

    def test_git_itself_is_not_told_as_files(self):
        self.repository()
        self.watch()
        (self.project / "one.txt").write_text("1")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "second")
        (self.project / "two.txt").write_text("2")
        self.changed("two.txt", "created")
        self.assertEqual({change["path"] for change in self.changes()}, {"one.txt", "two.txt"})

    def test_new_rules_count_at_once(self):
        self.repository()
        (self.project / "out").mkdir()
        self.watch()
        (self.project / ".gitignore").write_text("out/\n")
        self.changed(".gitignore", "created")
        (self.project / "out/x").write_text("x")
        (self.project / "last.txt").write_text("x")
        self.changed("last.txt", "created")
        self.assertNotIn("out/x", {change["path"] for change in self.changes()})

    def test_a_repository_inside_has_rules_of_its_own(self):
        self.repository()
        inner = self.project / "inner"
        inner.mkdir()
        self.git("init", "-q", at=inner)
        (inner / ".gitignore").write_text("*.tmp\n")
        self.watch()
        (inner / "a.tmp").write_text("x")
        (inner / "a.txt").write_text("x")
        self.changed("inner/a.txt", "created")
        self.assertEqual({change["path"] for change in self.changes()}, {"inner/a.txt"})

    def test_secrets_are_marked_and_names_are_bytes(self):
        self.watch()
        (self.project / ".env").write_text("KEY=1")
        self.assertIs(self.changed(".env", "created")["is_secret"], True)
        with open(os.fsencode(self.project) + b"/caf\xe9", "w") as file:
            file.write("x")
        self.assertEqual(self.changed("caf\ufffd", "created")["path_b64"], "Y2Fm6Q==")

    def test_links_are_not_followed(self):
        (self.project / "out").symlink_to(self.machine.home)
        self.watch()
        (self.machine.home / "private.txt").write_text("x")
        (self.project / "last.txt").write_text("x")
        self.changed("last.txt", "created")
        self.assertEqual({change["path"] for change in self.changes()}, {"last.txt"})

    def test_many_changes_are_cut(self):
        self.watch()
        for number in range(2000):
            (self.project / f"f{number}").write_text("x")
        self.link.noticed("file/changed", is_cut=True)
        self.assertLess(max(len(params["changes"]) for name, params in self.link.notices if name == "file/changed"), 201)

    def test_a_directory_that_comes_back_is_watched_again(self):
        self.watch()
        os.rename(self.project, self.machine.root / "away")
        self.link.noticed("watch/state", part="files", mode="off", reason="file_not_found")


class Limits(Watching):
    def test_too_many_directories_are_looked_at_again_and_again(self):
        self.machine.allow("files=read", "watches=2")
        for name in "abc":
            (self.project / name).mkdir()
        self.watch(mode="polling")
        self.assertEqual(self.link.noticed("watch/state")[0]["reason"], "too_many_directories")
        (self.project / "c/new.txt").write_text("x")
        self.changed("c/new.txt", "created")
        (self.project / "README.md").write_text("changed\n")
        self.changed("README.md", "modified")
        os.unlink(self.project / "c/new.txt")
        self.changed("c/new.txt", "deleted")

    def test_files_off(self):
        self.machine.allow("files=off")
        self.watch(mode="off")
        self.assertEqual(self.link.noticed("watch/state")[0]["reason"], "not_allowed_by_machine")

    def test_a_word_that_is_taken_back_ends_it(self):
        self.watch()
        (self.project / "one.txt").write_text("x")
        self.changed("one.txt", "created")
        self.machine.allow("files=off")
        (self.project / "two.txt").write_text("x")
        self.link.noticed("watch/state", part="files", mode="off", reason="not_allowed_by_machine")
        self.assertNotIn("two.txt", {change["path"] for change in self.changes()})

    def test_what_another_root_hides_is_not_told(self):
        hidden = self.project / "hidden"
        hidden.mkdir()
        self.machine.write("agent", f"control=on files=read\nroots={self.machine.root}\nroots={hidden} files=off\n")
        self.watch()
        (hidden / "x").write_text("x")
        (self.project / "last.txt").write_text("x")
        self.changed("last.txt", "created")
        self.assertEqual({change["path"] for change in self.changes()}, {"last.txt"})

    def test_a_place_outside_the_roots(self):
        self.watch(path=self.machine.home, mode="off")
        self.assertEqual(self.link.noticed("watch/state")[0]["reason"], "outside_roots")

    def test_parameters_are_checked(self):
        for workspaces in (None, {}, [{}], [{"workspace_id": "w", "path": "relative"}],
                           [{"workspace_id": "w", "path": "/x"}] * 65):
            answer = self.link.call("watch/set", {"workspaces": workspaces})
            self.assertEqual(answer["error"]["code"], -32602, workspaces)

    def test_nothing_is_left_of_a_watch(self):
        self.repository()
        self.assertEqual((self.threads(), self.descriptors()), ([], []))
        self.watch(git=True)
        self.assertEqual(sorted(self.threads()), ["file watch", "git watch"])
        self.assertEqual(len(self.descriptors()), 2)
        self.nothing()
        wait_until(lambda: not self.threads() and not self.descriptors(), "the end of the watches")
        (self.project / "late.txt").write_text("x")
        # The same watch begins again.
        self.watch()
        (self.project / "last.txt").write_text("x")
        self.changed("last.txt", "created")
        self.assertNotIn("late.txt", {change["path"] for change in self.changes()})

    def test_it_ends_with_the_connection(self):
        self.watch()
        self.link.cut()
        self.link = self.wire.link(2)
        wait_until(lambda: not self.threads(), "the end of the watches")
        self.watch()
        (self.project / "again.txt").write_text("x")
        self.changed("again.txt", "created")


class Git(Watching):
    def setUp(self):
        super().setUp()
        self.repository()

    def test_the_first_status(self):
        (self.project / "new.txt").write_text("x")
        self.watch(files=False, git=True)
        status = self.status(branch="main")
        self.assertEqual({key: status[key] for key in ("staged_count", "unstaged_count", "untracked_count", "has_conflicts",
                                                       "has_remotes", "state", "changed_files", "ahead", "behind")},
                         {"staged_count": 0, "unstaged_count": 0, "untracked_count": 1, "has_conflicts": False,
                          "has_remotes": False, "state": "no_remote", "changed_files": ["new.txt"], "ahead": 0, "behind": 0})

    def test_stage_commit_and_branch(self):
        self.watch(files=False, git=True)
        self.status(staged_count=0)
        (self.project / "new.txt").write_text("x")
        self.git("add", "new.txt")
        self.status(staged_count=1, untracked_count=0)
        self.git("commit", "-q", "-m", "second")
        self.status(staged_count=0, head=self.git("rev-parse", "HEAD").strip())
        self.git("checkout", "-q", "-b", "topic/one")
        self.status(branch="topic/one")

    def test_a_branch_of_a_remote(self):
        other = self.machine.root / "other.git"
        self.git("clone", "-q", "--bare", str(self.project), str(other), at=self.machine.root)
        self.git("remote", "add", "origin", str(other))
        self.git("fetch", "-q")
        self.git("branch", "-q", "-u", "origin/main")
        self.watch(files=False, git=True)
        self.status(state="synced")
        (self.project / "new.txt").write_text("x")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "second")
        self.status(state="diverged", ahead=1)
        self.git("push", "-q")
        self.status(state="synced", ahead=0, head=self.git("rev-parse", "HEAD").strip())

    def test_the_work_tree_alone_is_not_noticed_and_reads_cause_nothing(self):
        self.watch(files=False, git=True)
        self.status(unstaged_count=0)
        (self.project / "README.md").write_text("changed\n")
        # A read of git by the agent writes nothing that the watch would notice.
        self.assertIn("result", self.link.call("git/status", {"path": str(self.project)}))
        self.git("branch", "mark")
        self.git("checkout", "-q", "mark")
        self.status(branch="mark", unstaged_count=1)
        self.assertEqual([one["status"]["unstaged_count"] for one in self.statuses()], [0, 1])

    def test_at_most_one_a_second(self):
        self.watch(files=False, git=True)
        self.status(branch="main")
        began = time.monotonic()
        for number in range(12):
            self.git("checkout", "-q", "-b", f"b{number}")
            time.sleep(0.1)
        self.status(branch="b11")
        took = time.monotonic() - began
        self.assertLessEqual(len(self.statuses()) - 1, took + 1)

    def test_a_linked_worktree(self):
        tree = self.machine.root / "tree"
        self.git("worktree", "add", "-q", "-b", "side", str(tree))
        self.watch(files=False, git=True, path=tree)
        self.status(branch="side")
        (tree / "new.txt").write_text("x")
        self.git("add", ".", at=tree)
        self.status(branch="side", staged_count=1)
        self.git("commit", "-q", "-m", "on the side", at=tree)
        self.status(staged_count=0, head=self.git("rev-parse", "side").strip())

    def test_no_repository(self):
        place = self.machine.root / "plain"
        place.mkdir()
        self.watch(files=False, git=True, path=place, mode="off")
        self.assertEqual(self.statuses()[0]["state"], "not_git")

    def test_git_off(self):
        self.machine.allow("git=off")
        self.watch(files=False, git=True, mode="off")
        self.assertEqual(self.statuses()[0]["state"], "unavailable")

    def test_a_failure_and_the_recovery(self):
        self.watch(files=False, git=True)
        self.status(branch="main")
        index = self.project / ".git/index"
        whole = index.read_bytes()
        index.write_bytes(b"broken")
        self.link.noticed("git/changed", state="unhealthy")
        before = len(self.statuses())
        index.write_bytes(whole)
        self.link.wait(lambda: [one for one in self.statuses()[before:] if one["state"] == "healthy"], "the recovery")

    def test_polling(self):
        self.nothing()
        self.machine.allow("git=read", "watches=1")
        self.watch(files=False, git=True, mode="polling")
        self.status(branch="main")
        self.git("checkout", "-q", "-b", "topic")
        self.status(branch="topic")

    def test_the_audit_names_the_places_and_no_contents(self):
        self.watch(git=True)
        entry = [one for one in self.machine.audit() if one.get("method") == "watch/set"][0]
        self.assertEqual(entry["paths"], [str(self.project)])


if __name__ == "__main__":
    unittest.main()
