"""Git of projects: REST and JSON-RPC ask the machine's agent, and say its words and refusals."""

import os
import subprocess
import unittest
import uuid

import test_devices as devices
import test_rpc as rpc
import test_websocket as ws
from agents import Agent, Refusal
from harness import BIN, Client, Server, envelope, hook, session
from real_agent import RealAgent


def setUpModule():
    global server, phone, reader
    server = devices.server = rpc.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    phone = devices.pair("phone")
    code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
    reader = Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json
    ws.key = server.key("rpc")


def tearDownModule():
    server.end()


STATUS = {"branch": "main", "is_detached": False, "head": "1" * 40, "upstream": "origin/main", "ahead": 2, "behind": 0,
          "staged": [{"path": "src/app.ts", "status": "M", "additions": 10, "deletions": 2}],
          "unstaged": [{"path": "README.md", "status": "M"}], "untracked": [{"path": "new-file.ts", "status": "?"}],
          "conflicted": [], "has_conflicts": False, "is_git_repo": True, "has_commits": True, "state": "diverged",
          "operation": "", "remotes": ["origin"], "is_trusted": True, "repo_name": "my-project",
          "repo_root": "/Users/dev/my-project"}


def refuse(reason, words):
    def answer(params):
        raise Refusal(reason, words)
    return answer


class WithProject(unittest.TestCase):
    def setUp(self):
        self.name, self.identity = f"desk-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex * 2
        self.key = server.key(self.name)
        self.chosen = session()
        posted = Client(server.address, self.key).request(
            "POST", "/api/events", envelope(dict(hook("UserPromptSubmit", self.chosen), cwd="/Users/dev/my-project")))
        self.assertEqual(posted.status, 202, posted)
        self.project = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]

    def agent(self, **answers):
        answers = {f"git/{verb}": answer for verb, answer in answers.items()}
        agent = Agent(server, self.key, identity=self.identity, **answers).greet()
        self.addCleanup(agent.close)
        return agent

    def request(self, method, path, body=None, token=None):
        client = Client(server.address, token or server.admin, timeout=60)
        try:
            return client.request(method, path, body)
        finally:
            client.close()

    def git(self, verb, body=None, token=None):
        return self.request("GET" if body is None else "POST", f"/v1/projects/{self.project}/git/{verb}", body, token)


class Rest(WithProject):
    def test_a_status(self):
        agent = self.agent(status=lambda params: STATUS)
        answer = self.git("status")
        self.assertEqual((answer.status, answer.json), (200, STATUS))
        method, params = agent.commands[-1]
        self.assertEqual((method, params["path"], params["by"]["kind"]), ("git/status", "/Users/dev/my-project", "operator"))
        older = self.request("GET", f"/api/git/status?workspace_id={self.project}")
        self.assertEqual(older.json, STATUS)

    def test_parameters_have_their_types(self):
        agent = self.agent(diff=lambda params: {"path": "a", "diff": "", "is_staged": True, "is_new": False,
                                                "is_truncated": False},
                           stage=lambda params: {"success": True, "staged": params["files"]})
        self.assertEqual(self.git("diff?path=src/a&staged=true&context=5").status, 200)
        sent = agent.commands[-1][1]
        self.assertEqual((sent["file"], sent["staged"], sent["context"]), ("src/a", True, 5))
        self.assertEqual(self.git("stage", {"paths": ["a", "b"]}).json["staged"], ["a", "b"])
        again = str(uuid.uuid4())
        self.git("stage", {"paths": ["a"], "command_id": again})
        self.assertEqual(agent.commands[-1][1]["command_id"], again)
        for verb, body in [("diff?staged=yes", None), ("diff?context=x", None), ("stage", {"paths": "a"}), ("commit", {}),
                           ("stage", {"paths": []}), ("commit", {"message": 1}), ("stage", {"command_id": "x"})]:
            with self.subTest(verb, body=body):
                answer = self.git(verb, body)
                self.assertIn(answer.status, (400, 422), answer)
        self.assertEqual(len(agent.commands), 3)

    def test_who_may_what(self):
        agent = self.agent(status=lambda params: STATUS, stage=lambda params: {"success": True})
        self.assertEqual(self.git("status", token=phone["access_token"]).status, 200)
        self.assertEqual(self.git("stage", {"paths": ["a"]}, phone["access_token"]).status, 403)
        self.assertEqual(self.git("status", token=reader["access_token"]).status, 403)
        self.assertEqual(self.git("stage", {"paths": ["a"]}, reader["access_token"]).status, 403)
        self.assertEqual(self.git("status", token=self.key).status, 403)
        self.assertEqual([method for method, _ in agent.commands], ["git/status"])

    def test_refusals_have_a_status_and_the_machines_words(self):
        reasons = {"not_a_git_repo": 422, "git_failed": 422, "git_conflict": 409, "repository_busy": 409, "git_timeout": 504,
                   "git_not_found": 404, "git_unavailable": 503, "changed_meanwhile": 409, "untrusted_directory": 422,
                   "not_allowed_by_machine": 403, "outside_roots": 403, "secret_file": 403}
        for reason, status in reasons.items():
            with self.subTest(reason):
                agent = self.agent(commit=refuse(reason, "error: words of git"))
                answer = self.git("commit", {"message": "x"})
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, reason), answer)
                self.assertEqual(answer.json["error"]["message"], "error: words of git")
                agent.close()

    def test_without_an_agent(self):
        answer = self.git("status")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "agent_unavailable"))
        self.project = "ws-0000000000000000"
        self.assertEqual(self.git("status").status, 404)


class Rpc(WithProject, unittest.IsolatedAsyncioTestCase):
    async def test_both_spellings(self):
        self.agent(status=lambda params: STATUS, state=lambda params: {"state": "synced"},
                   stage=lambda params: {"success": True, "staged": params["files"]})
        async with ws.connected() as client:
            for prefix in ("git/", "workspace/git/"):
                place = {"workspace_id": self.project}
                self.assertEqual(await rpc.result(client, prefix + "status", place), STATUS)
                for name in ("state", "get_status"):
                    self.assertEqual((await rpc.result(client, prefix + name, place))["state"], "synced")
                done = await rpc.result(client, prefix + "stage", {**place, "paths": ["src/app.ts", "src/utils.ts"]})
                self.assertEqual(done, {"success": True, "staged": ["src/app.ts", "src/utils.ts"]})

    async def test_without_an_agent_it_says_that_there_is_none(self):
        async with ws.connected() as client:
            for method in ("git/status", "workspace/git/status"):
                error = await rpc.failure(client, method, {"workspace_id": self.project})
                self.assertEqual(error["code"], -32004, error)

    async def test_errors(self):
        self.agent(status=refuse("not_a_git_repo", "There is no git repository."),
                   commit=refuse("git_failed", "nothing to commit"), merge=refuse("git_conflict", "fix conflicts"),
                   push=refuse("not_allowed_by_machine", "git=read"))
        async with ws.connected() as client:
            place = {"workspace_id": self.project}
            for method, params, code in [("git/status", {}, -32030), ("git/commit", {"message": "x"}, -32031),
                                         ("git/merge", {"branch": "x"}, -32032), ("git/push", {}, -32005),
                                         ("git/commit", {}, -32602), ("git/stage", {"paths": "a"}, -32602)]:
                with self.subTest(method, **params):
                    self.assertEqual((await rpc.failure(client, method, {**place, **params}))["code"], code)


class Real(WithProject):
    """A real agent, and all the way from the client to git."""

    def setUp(self):
        self.name = f"desk-{uuid.uuid4().hex[:8]}"
        self.machine = RealAgent(server, self.name, "git=push")
        self.addCleanup(self.machine.close)
        self.place = self.machine.root / "app"
        self.place.mkdir()
        (self.machine.home / ".gitconfig").write_text("[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        (self.machine.settings / "agent").write_text(f"git=push\nroots={self.machine.root}\ntrust={self.place}\n")
        posted = Client(server.address, self.machine.key).request(
            "POST", "/api/events", envelope(dict(hook("UserPromptSubmit", session()), cwd=str(self.place))))
        self.assertEqual(posted.status, 202, posted)
        projects = server.get("/v1/projects").json["projects"]
        self.project = next(project["id"] for project in projects if project["path"] == str(self.place))

    def done(self, verb, body=None):
        answer = self.git(verb, body)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_from_nothing_to_a_push(self):
        self.assertEqual(self.done("state")["state"], "no_git")
        self.assertEqual(self.git("status").json["error"]["code"], "not_a_git_repo")
        self.done("init", {})
        (self.place / "a.txt").write_text("one\n")
        self.assertEqual([file["path"] for file in self.done("status")["untracked"]], ["a.txt"])
        self.assertTrue(self.done("diff?path=a.txt")["is_new"])
        self.done("stage", {"paths": ["a.txt"]})
        bare = self.machine.root / "bare"
        environment = {**os.environ, "HOME": str(self.machine.home)}
        subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True, env=environment)
        # Only a person at the machine makes a directory of it a remote.
        self.assertEqual(self.git("remote/add", {"name": "origin", "url": str(bare)}).status, 422)
        subprocess.run(["git", "-C", str(self.place), "remote", "add", "origin", str(bare)], check=True, env=environment)
        done = self.done("commit", {"message": "one", "push": True})
        self.assertEqual((done["pushed"], done["message"]), (True, "Committed and pushed to origin/main"))
        self.assertEqual(self.done("log?graph=true")["commits"][0]["graph_position"], {"column": 0, "lines": []})
        self.assertEqual(self.done("show?commit=HEAD")["diffs"][0]["path"], "a.txt")
        refused = self.git("push", {"force": True})
        self.assertEqual((refused.status, refused.json["error"]["code"]), (403, "not_allowed_by_machine"))
        self.assertEqual(self.done("state")["state"], "synced")

    def test_on_the_command_line(self):
        self.done("init", {})
        (self.place / "a.txt").write_text("one\n")
        env = {**os.environ, "MONITOR_URL": f"http://{server.address}", "MONITOR_ADMIN_TOKEN": server.admin}

        def monitorctl(*words):
            return subprocess.run([BIN / "monitorctl", "git", *words], env=env, capture_output=True, text=True, timeout=60)

        self.assertEqual(monitorctl("status", self.project).stdout.splitlines(), ["main git_init", "new ? a.txt"])
        self.assertEqual(monitorctl("stage", self.project, "a.txt").stdout, "Done.\n")
        self.assertIn("+one", monitorctl("diff", self.project, "--staged").stdout)
        self.assertEqual(monitorctl("commit", self.project, "--message", "one").stdout, "Committed\n")
        self.assertRegex(monitorctl("log", self.project).stdout, "^[0-9a-f]{7} one\n$")
        again = monitorctl("commit", self.project, "--message", "two")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("nothing to commit", again.stderr)


if __name__ == "__main__":
    unittest.main()
