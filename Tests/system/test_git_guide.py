"""The git examples of cdev's integration guide, literally, from the socket through a real agent to a repository that is as the
guide has it; and what the strict app decodes of git's other methods."""

import os
import re
import subprocess
import unittest
import uuid

import strict
import test_devices as devices
import test_openapi as openapi
import test_openrpc as openrpc
import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, envelope, hook, session
from real_agent import RealAgent


def setUpModule():
    global server
    server = devices.server = rpc.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    ws.key = server.key("rpc")
    openapi.document = server.client().get("/openapi.json").json
    openrpc.document = server.get("/api/rpc/discover").json
    described.update({method["name"]: method for method in openrpc.document["methods"]})


def tearDownModule():
    server.end()


described = {}
# The members that the app's decoder requires, with their types. A list shows the members of one element.
COMMIT = {"sha": str, "short_sha": str, "subject": str, "author": str, "author_email": str, "date": str, "relative_date": str,
          "parent_shas": [str], "is_merge": bool, "refs": [{"name": str, "type": str}],
          "graph_position": {"column": int, "lines": [{"from_column": int, "to_column": int, "type": str}]}}
STRICT = {
    "git/status": {"branch": str, "upstream": str, "ahead": int, "behind": int, "staged": [{"path": str, "status": str}],
                   "unstaged": [{"path": str, "status": str}], "untracked": [{"path": str, "status": str}], "conflicted": [{}],
                   "has_conflicts": bool, "is_git_repo": bool, "has_commits": bool, "state": str, "remotes": [str],
                   "repo_name": str, "repo_root": str},
    "git/state": {"state": str, "is_git_repo": bool, "has_remote": bool, "branch": str, "ahead": int, "behind": int,
                  "has_conflicts": bool},
    "git/log": {"commits": [COMMIT], "total_count": int, "has_more": bool, "max_columns": int},
    "git/branches": {"current": str, "branches": [{"name": str, "is_current": bool, "is_remote": bool}]},
    "git/stash/list": {"stashes": [{"index": int, "message": str}]},
    "git/remote/list": {"remotes": [{"name": str, "fetch_url": str, "push_url": str, "tracking_branches": [str]}]},
}
STATES = {"no_git", "git_init", "no_remote", "no_push", "synced", "diverged", "conflict"}
LISTED = {"initialized": bool, "branch": str, "has_remotes": bool, "ahead": int, "behind": int, "staged_count": int,
          "unstaged_count": int, "untracked_count": int, "has_conflicts": bool, "state": str}


def decodes(shape, value, place="result"):
    """Fails as a strict decoder does: at what is missing, null or of another type."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), (place, value)
        for name, inner in shape.items():
            assert name in value, f"{place}.{name} is missing: {value}"
            decodes(inner, value[name], f"{place}.{name}")
    elif isinstance(shape, list):
        assert isinstance(value, list), (place, value)
        for element in value:
            decodes(shape[0], element, place + "[]")
    else:
        assert isinstance(value, shape) and (shape is bool or not isinstance(value, bool)), (place, value, shape)


class Project:
    """The guide's project, two commits ahead of its remote."""

    def __init__(self, name):
        self.machine = RealAgent(server, name, "git=push files=read")
        self.place = self.machine.root / "my-project"
        self.place.mkdir()
        (self.machine.home / ".gitconfig").write_text("[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        self.machine.write("agent", f"git=push files=read\nroots={self.machine.root}\ntrust={self.place}\n")
        bare = self.machine.root / "bare"
        self.git("init", "-q", "--bare", str(bare), at=self.machine.root)
        self.git("init", "-q")
        self.write("src/app.ts", "".join(f"old {number}\n" for number in range(4)))
        self.write("src/utils.ts", "one\n")
        self.write("README.md", "one\n")
        self.commit("one")
        self.git("remote", "add", "origin", str(bare))
        self.git("push", "-q", "-u", "origin", "main")
        for text in ("two", "three"):
            self.write("src/utils.ts", text + "\n")
            self.commit(text)
        posted = Client(server.address, self.machine.key).request(
            "POST", "/api/events", envelope(dict(hook("UserPromptSubmit", session()), cwd=str(self.place))))
        assert posted.status == 202, posted
        self.id = next(project["id"] for project in server.get("/v1/projects").json["projects"]
                       if project["path"] == str(self.place))

    def git(self, *words, at=None):
        return subprocess.run(["git", "-C", str(at or self.place), *words], check=True, capture_output=True, text=True,
                              env={**os.environ, "HOME": str(self.machine.home), "LC_ALL": "C"}).stdout

    def write(self, name, text):
        (self.place / name).parent.mkdir(exist_ok=True)
        (self.place / name).write_text(text)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def elsewhere(self, name, text):
        """A commit that somebody else pushes."""
        clone = self.machine.root / "clone"
        self.git("clone", "-q", str(self.machine.root / "bare"), str(clone), at=self.machine.root)
        (clone / name).write_text(text)
        self.git("commit", "-q", "-a", "-m", "theirs", at=clone)
        self.git("push", "-q", at=clone)


class GuideCase(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.project = Project(f"desk-{uuid.uuid4().hex[:8]}")
        self.addCleanup(self.project.machine.close)

    def holds(self, example, found):
        """Every member of the example is there and equal. There may be more."""
        if isinstance(example, dict):
            for name, value in example.items():
                self.assertIn(name, found)
                self.holds(value, found[name])
        elif isinstance(example, list):
            self.assertEqual(len(example), len(found), found)
            for one, other in zip(example, found):
                self.holds(one, other)
        else:
            self.assertEqual(example, found)


class Guide(GuideCase):
    """Both spellings answer alike; the guide's is `workspace/git/...`."""

    async def ask(self, client, verb, **params):
        found = await rpc.result(client, self.prefix + verb, {"workspace_id": self.project.id, **params})
        openrpc.conforms(described[self.prefix + verb], found)
        return found

    async def test_the_examples(self):
        for self.prefix in ("workspace/git/", "git/"):
            with self.subTest(self.prefix):
                async with ws.connected() as client:
                    await self.examples(client)
                self.project.machine.close()
                self.setUp()

    async def examples(self, client):
        project = self.project
        project.write("src/app.ts", "".join(f"old {n}\n" for n in (0, 1)) + "".join(f"new {n}\n" for n in range(10)))
        project.git("add", "src/app.ts")
        project.write("README.md", "two\n")
        project.write("new-file.ts", "new\n")
        self.holds({"branch": "main", "upstream": "origin/main", "ahead": 2, "behind": 0,
                    "staged": [{"path": "src/app.ts", "status": "M", "additions": 10, "deletions": 2}],
                    "unstaged": [{"path": "README.md", "status": "M"}],
                    "untracked": [{"path": "new-file.ts", "status": "?"}], "conflicted": [], "repo_name": "my-project",
                    "repo_root": str(project.place)}, await self.ask(client, "status"))
        self.holds({"success": True, "unstaged": ["src/app.ts"]}, await self.ask(client, "unstage", paths=["src/app.ts"]))
        found = await self.ask(client, "diff", path="src/app.ts")
        self.holds({"path": "src/app.ts", "is_staged": False, "is_new": False}, found)
        self.assertTrue(found["diff"].startswith("diff --git a/src/app.ts b/src/app.ts\n"), found)
        project.write("src/utils.ts", "four\n")
        paths = ["src/app.ts", "src/utils.ts"]
        self.holds({"success": True, "staged": paths}, await self.ask(client, "stage", paths=paths))
        project.git("add", "README.md")
        found = await self.ask(client, "commit", message="feat: add new feature", push=True)
        self.holds({"success": True, "message": "Committed and pushed to origin/main", "files_committed": 3, "pushed": True},
                   found)
        self.assertEqual(found["sha"], project.git("rev-parse", "--short", "HEAD").strip())
        self.assertRegex(found["sha"], "^[0-9a-f]{7}$")
        project.write("src/app.ts", "discarded\n")
        self.holds({"success": True, "discarded": ["src/app.ts"]}, await self.ask(client, "discard", paths=["src/app.ts"]))
        await self.pushes_and_pulls(client)
        await self.branches(client)

    async def pushes_and_pulls(self, client):
        project = self.project
        for text in ("five", "six"):
            project.write("src/utils.ts", text + "\n")
            project.commit(text)
        push = {"force": False, "set_upstream": False, "remote": "origin", "branch": "main"}
        self.holds({"success": True, "message": "Pushed to origin/main", "commits_pushed": 2},
                   await self.ask(client, "push", **push))
        self.holds({"success": True, "message": "Pulled from origin/main"}, await self.ask(client, "pull", rebase=False))
        project.elsewhere("README.md", "theirs\n")
        project.write("README.md", "ours\n")
        project.commit("ours")
        self.holds({"success": False, "error": "Merge conflict", "conflicted_files": ["README.md"]},
                   await self.ask(client, "pull", rebase=False))
        project.git("merge", "--abort")
        project.git("reset", "-q", "--hard", "origin/main")

    async def branches(self, client):
        project = self.project
        project.git("branch", "feature/new")
        self.holds({"current": "main", "upstream": "origin/main", "ahead": 0, "behind": 0}, await self.ask(client, "branches"))
        found = {branch["name"]: branch for branch in (await self.ask(client, "branches"))["branches"]}
        self.holds({"main": {"is_current": True, "is_remote": False, "upstream": "origin/main"},
                    "feature/new": {"is_current": False, "is_remote": False},
                    "origin/main": {"is_current": False, "is_remote": True}}, found)
        self.assertEqual(len(found), 3)
        self.assertNotIn("upstream", found["feature/new"])
        self.holds({"success": True, "branch": "feature/new", "message": "Switched to branch 'feature/new'"},
                   await self.ask(client, "checkout", branch="feature/new", create=False))
        project.write("README.md", "on the branch\n")
        project.commit("on the branch")
        project.write("README.md", "not committed\n")
        refused = await self.ask(client, "checkout", branch="main", create=False)
        self.assertIs(refused["success"], False)
        self.assertIn("Your local changes to the following files would be overwritten by checkout", refused["error"])
        self.holds({"success": True, "branch": "feature/newer"},
                   await self.ask(client, "checkout", branch="feature/newer", create=True))


class App(GuideCase):
    """What the app needs beyond the guide: it gives up a whole answer if one member is missing or null."""

    async def test_every_shape_is_decoded(self):
        project = self.project
        project.git("checkout", "-q", "-b", "side")
        project.write("side", "x\n")
        project.commit("side")
        project.git("checkout", "-q", "main")
        project.git("merge", "-q", "--no-ff", "-m", "merge", "side")
        project.write("README.md", "two\n")
        project.git("stash", "-q")
        project.write("src/app.ts", "two\n")
        project.git("add", "-A")
        project.write("README.md", "three\n")
        project.write("new", "x\n")
        async with strict.opened(server, server.admin) as app:
            for method, shape in STRICT.items():
                with self.subTest(method):
                    more = {"graph": True} if method == "git/log" else {}
                    found = await app.result(method, {"workspace_id": project.id, **more})
                    decodes(shape, found)
                    openrpc.conforms(described[method], found)
                    path = "/v1/projects/{id}/" + method
                    answer = server.get(path.replace("{id}", project.id))
                    self.assertEqual(answer.status, 200, answer)
                    openapi.check(path, "GET", answer)
                    lists = [name for name, inner in shape.items() if isinstance(inner, list) and name != "conflicted"]
                    # No list may be empty, because then nothing is compared.
                    self.assertTrue(all(found[name] for name in lists), found)
            for name in ("git/state", "git/get_status"):
                self.assertIn((await app.result(name, {"workspace_id": project.id}))["state"], STATES)

    async def test_shapes_without_a_commit_and_without_a_repository(self):
        project = self.project
        subprocess.run(["rm", "-rf", project.place / ".git"], check=True)
        async with strict.opened(server, server.admin) as app:
            place = {"workspace_id": project.id}
            found = await app.result("git/state", place)
            decodes(STRICT["git/state"], found)
            self.assertEqual(found["state"], "no_git")
            self.assertEqual((await app.call("git/status", place))["error"]["code"], -32030)
            project.git("init", "-q")
            for method in ("git/status", "git/state", "git/branches", "git/stash/list", "git/remote/list"):
                decodes(STRICT[method], await app.result(method, place))
            found = await app.result("git/log", {**place, "graph": True})
            decodes({**STRICT["git/log"]}, found)
            self.assertEqual((found["commits"], found["has_more"]), ([], False))

    async def test_its_start_opens_a_workspace_with_git_and_files(self):
        project = self.project
        project.write("README.md", "two\n")
        async with strict.opened(server, server.admin) as app:
            place = {"workspace_id": project.id}
            await app.result("workspace/list", {"include_git": True})
            await app.result("workspace/subscribe", place)
            status = await app.result("workspace/status", place)
            self.assertEqual((status["is_git_repo"], status["git_tracker_state"], status["git_repo_name"]),
                             (True, "healthy", "my-project"))
            listed = await app.result("workspace/list", {"include_git": True})
            git = next(one for one in listed["workspaces"] if one["id"] == project.id)["git"]
            decodes(LISTED, git)
            self.assertEqual((git["branch"], git["ahead"], git["unstaged_count"], git["state"]), ("main", 2, 1, "diverged"))
            files = await app.result("workspace/files/list", {**place, "directory": "", "limit": 500, "offset": 0})
            self.assertEqual([file["path"] for file in files["files"]], ["README.md"])
            self.assertEqual([one["path"] for one in files["directories"]], ["src"])
            got = await app.result("workspace/file/get", {**place, "path": "README.md"})
            self.assertEqual((got["content"], got["encoding"], got["truncated"]), ("two\n", "utf-8", False))
            diff = await app.result("git/diff", {**place, "path": "README.md"})
            self.assertIn("-one\n+two\n", diff["diff"])
            self.assertTrue(re.fullmatch("ws-[0-9a-f]+", project.id), project.id)


if __name__ == "__main__":
    unittest.main()
