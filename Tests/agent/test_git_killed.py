"""The agent is killed while it changes a repository, at many points, alone or with its git: the repository stays whole, no
content is lost, and the next command works.

KILL_POINTS is the number of points of each command.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import unittest

from machine import AgentCase, wait_until
from wire import PATIENCE

HERE = pathlib.Path(__file__).resolve().parent
POINTS = int(os.environ.get("KILL_POINTS", "8"))
GIT = shutil.which("git")
# More calls than any command makes.
MANY = 1 << 30


@unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
class Killed(AgentCase):
    def setUp(self):
        super().setUp()
        self.machine.allow("git=write")
        (self.machine.home / ".gitconfig").write_text("[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        self.project = self.machine.project
        self.library = self.machine.place / "killer.so"
        self.state = self.machine.place / "kills"
        self.arm(0)
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, HERE / "killer.c"], check=True, timeout=60)
        wrapper = self.machine.client.parent / "git"
        wrapper.write_text(f"#!/bin/sh\nLD_PRELOAD={self.library} KILL_STATE={self.state} exec {GIT} \"$@\"\n")
        wrapper.chmod(0o755)
        self.connections = self.cut_off = 0
        self.template = self.machine.place / "template"
        self.prepare()

    # The repository

    def git(self, *words, text=b""):
        return subprocess.run([GIT, "-C", str(self.project), *words], check=True, input=text, capture_output=True,
                              env=self.machine.env()).stdout

    def prepare(self):
        """Files of each kind: changed, staged, both, new, in a new directory, executable, links, gone, larger than a write."""
        large = "".join(f"line {number}\n" for number in range(20_000))
        self.git("init", "-q")
        self.write(changed="one\n", staged="one\n", both="one\n", tool="one\n", gone="one\n", large=large)
        (self.project / "link").symlink_to("changed")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")
        self.write(changed="two\n", staged="two\n", both="two\n", tool="two\n", large=large.replace("7", "seven"), new="new\n")
        self.git("add", "staged", "both")
        self.write(both="three\n")
        (self.project / "tool").chmod(0o755)
        (self.project / "gone").unlink()
        (self.project / "link").unlink()
        (self.project / "link").symlink_to("staged")
        (self.project / "folder").mkdir()
        (self.project / "folder/new").write_text("new in a folder\n")
        shutil.copytree(self.project, self.template, symlinks=True)

    def write(self, **files):
        for name, text in files.items():
            (self.project / name).write_text(text)

    def renew(self):
        shutil.rmtree(self.project)
        shutil.copytree(self.template, self.project, symlinks=True)
        shutil.rmtree(self.machine.state / "git/discards", ignore_errors=True)

    def files(self):
        """The files of the work tree: whether they are links or can be run, and what they contain."""
        found = {}
        for directory, names, files in os.walk(self.project):
            if ".git" in names:
                names.remove(".git")
            for path in (pathlib.Path(directory, name) for name in files):
                is_link = path.is_symlink()
                content = os.readlink(path).encode() if is_link else path.read_bytes()
                found[str(path.relative_to(self.project))] = (is_link, not is_link and os.access(path, os.X_OK), content)
        return found

    def discards(self):
        return [path for path in self.machine.state.rglob("dsc_*") if (path / "list.json").exists()]

    def contents(self):
        """What is in the work tree, in commits, in stashes, in the index, or kept of discards."""
        found = {content for _, _, content in self.files().values()}
        names = self.git("rev-list", "--objects", "--all", "--reflog", "--indexed-objects", "--no-object-names")
        rest = self.git("cat-file", "--batch", text=names)
        while rest:
            head, _, rest = rest.partition(b"\n")
            _, kind, size = head.split()
            if kind == b"blob":
                found.add(rest[:int(size)])
            rest = rest[int(size) + 1:]
        return found | {path.read_bytes() for entry in self.discards() for path in entry.iterdir() if path.name.isdigit()}

    # The agent

    def arm(self, calls, victim=0, takes_git=False):
        with open(self.state, "r+b" if self.state.exists() else "wb") as file:
            # The victim is written first: the library counts calls as soon as it reads their number.
            for at, numbers in ((4, (victim, takes_git)), (0, (calls,))):
                file.seek(at)
                file.write(struct.pack(f"={len(numbers)}i", *numbers))
                file.flush()

    def left(self):
        return struct.unpack("=iii", self.state.read_bytes())[0]

    def restart(self):
        """Ends the agent, and its git unless it ends by itself, and starts the agent anew."""
        self.end()
        path = f"{self.machine.client.parent}:{os.environ['PATH']}"
        self.agent = self.machine.start(PATH=path, LD_PRELOAD=str(self.library), KILL_STATE=str(self.state))
        self.connections += 1
        self.link = self.wire.link(self.connections)

    def end(self):
        if self.machine.agents:
            self.machine.agents[-1].kill()
            self.machine.agents[-1].wait(PATIENCE)
        wait_until(lambda: not self.running(), "the end of git")
        self.arm(0)

    def running(self):
        """The processes of the agent and of its git."""
        mark, found = f"KILL_STATE={self.state}".encode(), []
        for entry in os.listdir("/proc"):
            try:
                if mark in pathlib.Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                    found.append(int(entry))
            except (OSError, ValueError):
                pass
        return found

    def ask(self, verb, **params):
        return self.link.call(f"git/{verb}", {"path": str(self.project), **params})

    def succeed(self, verb, takes_git, **params):
        """A command works at once. If git was killed too, its locks are named, and it works without them."""
        for _ in range(6):
            answer = self.ask(verb, **params)
            if "result" in answer:
                return answer["result"]
            error = answer["error"]
            locks = re.findall(r"'([^']+\.lock)'", error["message"])
            if takes_git and error["message"] == "Cannot save the current status":
                # Git does not name the lock of its stashes.
                locks, error["data"]["reason"] = list((self.project / ".git").rglob("stash.lock")), "repository_busy"
            self.assertEqual((error.get("data", {}).get("reason"), takes_git, bool(locks)), ("repository_busy", True, True), error)
            for lock in locks:
                os.unlink(lock)
        self.fail(f"{verb}: {error}")

    # Killing

    def kill(self, verb, params=None, first=None, after=None):
        """Kills the agent in the command, at points from the first call that changes a file to the last ones."""
        self.restart()
        total = self.attempt(verb, params, first, after, MANY, False)
        hits = 0
        for number in range(POINTS):
            point = 1 + number * (total - 1) // POINTS
            with self.subTest(point=point, of=total, takes_git=bool(number % 2)):
                hits += self.attempt(verb, params, first, after, point, bool(number % 2)) == point
        self.assertGreater(hits, POINTS // 2)

    def attempt(self, verb, params, first, after, point, takes_git):
        """Returns the calls until the kill, or until the end of the command if it came before."""
        self.renew()
        chosen = {**(params or {}), **(first() if first else {})}
        files, contents, link = self.files(), self.contents(), self.link
        self.arm(point, self.agent.pid, takes_git)
        number = link.post(f"git/{verb}", {"path": str(self.project), **chosen})
        link.wait(lambda: number in link.replies or link.ended, "an answer or the end")
        calls = point - max(0, self.left())
        self.restart()
        fault = subprocess.run([GIT, "-C", str(self.project), "fsck", "--full", "--no-dangling"], capture_output=True, text=True)
        self.assertEqual((fault.returncode, fault.stderr), (0, ""))
        self.assertEqual(contents - self.contents(), set(), "contents are lost")
        if not takes_git:
            self.assertEqual([str(path) for path in (self.project / ".git").rglob("*.lock")], [])
        self.assertIn("result", self.ask("status"))
        if after:
            after(takes_git, files)
        self.write(later="later\n")
        self.succeed("stage", takes_git, files=["later"])
        self.succeed("commit", takes_git, message="later")
        self.succeed("stash", takes_git, include_untracked=True)
        self.assertEqual(contents - self.contents(), set(), "contents are lost later")
        return calls

    def test_commit(self):
        self.kill("commit", {"message": "two"})

    def test_stash(self):
        self.kill("stash", {"message": "aside", "include_untracked": True})

    def test_pop_of_a_stash(self):
        def aside():
            self.git("stash", "push", "-q", "--include-untracked")
            return {}
        self.kill("stash/pop", {}, first=aside)

    def test_discard(self):
        self.kill("discard", {"files": ["."]}, after=self.undo)
        self.assertGreater(self.cut_off, 0, "no discard was cut off")

    def test_discard_of_a_hunk(self):
        def hunk():
            patch = self.ask("diff", file="large")["result"]
            return {"base": patch["base"], "hunks": [re.search("^@@.*?@@", patch["diff"], re.MULTILINE).group()]}
        self.kill("discard", {"file": "large"}, first=hunk, after=self.undo)

    def test_undo(self):
        def discard():
            return {"undo": self.ask("discard", files=["."])["result"]["undo"]}
        self.kill("undo", first=discard)

    def undo(self, takes_git, files):
        """What the discard had saved comes back, unless it had not begun."""
        for entry in self.discards():
            saved = json.loads((entry / "list.json").read_text())["files"]
            self.cut_off += any("left" not in file for file in saved)
            answer = self.ask("undo", undo=entry.name)
            if "error" in answer:
                # A file that git had half written is discarded first, which keeps it too.
                self.assertEqual(answer["error"]["data"]["reason"], "changed_meanwhile", answer)
                names = {base64.b64decode(file["path"]).decode() for file in saved}
                changed = {file["path"] for file in self.succeed("status", takes_git)["unstaged"]}
                self.succeed("discard", takes_git, files=sorted(names & changed))
                self.succeed("undo", takes_git, undo=entry.name)
        self.assertEqual(self.files(), files)


if __name__ == "__main__":
    unittest.main()
