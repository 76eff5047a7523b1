"""What a session has changed: from the events of its hooks, through a real agent, to clients."""

import json
import os
import subprocess
import unittest
import uuid

import test_devices as devices
import test_openapi as openapi
import test_rpc as rpc
import test_websocket as ws
from agents import LATER, MAY, Agent, Refusal
from harness import BIN, Client, Server, envelope, hook, iso, wait_for
from real_agent import RealAgent


def setUpModule():
    global server, phone, reader
    server = devices.server = rpc.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    phone = devices.pair("phone")
    code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
    reader = Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json
    ws.key = server.key("rpc")
    openapi.document = server.client().get("/openapi.json").json


def tearDownModule():
    server.end()


def session():
    """An id as Claude Code gives it: agents take no other."""
    return str(uuid.uuid4())


class WithSession(unittest.TestCase):
    def request(self, path, token=None, method="GET", body=None):
        client = Client(server.address, token or server.admin, timeout=90)
        try:
            return client.request(method, path, body)
        finally:
            client.close()

    def changes(self, query="", token=None):
        answer = self.request(f"/v1/sessions/{self.chosen}/changes{query}", token)
        openapi.check("/v1/sessions/{id}/changes", "GET", answer)
        return answer

    def post(self, *hooks, at=None, chosen=None):
        items = [envelope({**hook(name, chosen or self.chosen, **fields), "cwd": str(self.place)}, at=at)
                 for name, fields in hooks]
        client = Client(server.address, self.key)
        posted = client.request("POST", "/api/events", items)
        client.close()
        self.assertEqual(posted.status, 202, posted)


class Real(WithSession):
    def setUp(self):
        self.machine = RealAgent(server, f"desk-{uuid.uuid4().hex[:8]}", "git=read")
        self.addCleanup(self.machine.close)
        self.key, self.chosen = self.machine.key, session()
        self.place = self.machine.root / "app"
        self.place.mkdir()
        (self.machine.home / ".gitconfig").write_text("[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        self.git("init", "-q")
        self.write("a.txt", "one\n")
        self.write("b.txt", "".join(f"line {number}\n" for number in range(50)))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.place), *words], check=True, capture_output=True,
                       env={**os.environ, "HOME": str(self.machine.home)})

    def write(self, name, text):
        (self.place / name).write_text(text)

    def kept(self, chosen=None):
        return self.machine.home / ".local/state/claude-monitor/agent/git/changes" / (chosen or self.chosen) / "state.json"

    def begin(self):
        self.post(("SessionStart", {"source": "startup"}), at=iso(0))
        wait_for(self.kept().exists, "the baseline")

    def tool(self, name, file=None, chosen=None, hook_name="PostToolUse"):
        given = {"file_path": str(self.place / file)} if file else {"command": "make"}
        self.post((hook_name, {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{uuid.uuid4().hex[:8]}"}),
                  chosen=chosen)

    def by(self):
        return {file["path"]: file["by"] for file in self.changes().json["files"]}

    def test_a_session_from_its_start_to_its_end(self):
        self.write("a.txt", "before\n")
        self.begin()
        self.write("a.txt", "before\nafter\n")
        self.tool("Edit", "a.txt")
        self.git("mv", "b.txt", "c.txt")
        self.git("commit", "-q", "-a", "-m", "two")
        answer = self.changes()
        self.assertEqual(answer.status, 200, answer)
        found = answer.json
        self.assertEqual((found["session_id"], found["complete"], found["reason"]), (self.chosen, True, None))
        self.assertEqual(found["repo_root"], str(self.place))
        self.assertEqual(found["totals"], {"files": 2, "added": 0, "modified": 1, "deleted": 0, "renamed": 1, "additions": 1,
                                           "deletions": 0, "binary": 0})
        self.assertEqual([(file["status"], file.get("old_path"), file["path"], file["by"]) for file in found["files"]],
                         [("modified", None, "a.txt", "session"), ("renamed", "b.txt", "c.txt", "other")])
        self.assertEqual((found["base"]["is_late"], found["end"]["at"]), (False, "now"))
        self.assertRegex(found["base"]["session_started_at"], r"^20\d\d-.*Z$")
        one = self.changes("?path=a.txt").json["files"]
        self.assertEqual(one[0]["hunks"], ["@@ -1 +1,2 @@\n before\n+after\n"])
        self.post(("Stop", {}), at=iso(0))
        wait_for(lambda: '"stop"' in self.kept().read_text(), "the state at the stop")
        self.write("a.txt", "a person's, later\n")
        stop = self.changes("?at=stop").json
        self.assertEqual((stop["end"]["at"], stop["files"][0]["additions"]), ("stop", 1))
        self.write("a.txt", "before\nafter\n")
        self.post(("SessionEnd", {"reason": "other"}), at=iso(0))
        wait_for(lambda: server.get(f"/v1/sessions/{self.chosen}").json["status"] == "ended", "the end")
        wait_for(lambda: self.changes("?at=stop").json["end"]["id"] != stop["end"]["id"], "the state at the end")
        self.write("a.txt", "a person's, much later\n")
        ended = self.changes("?at=now").json
        self.assertEqual((ended["end"]["at"], ended["files"][0]["additions"]), ("stop", 1))

    def test_who_changed_a_file(self):
        self.begin()
        for name in ("mine", "yours", "theirs"):
            self.write(name, "x\n")
        self.tool("Write", "mine")
        self.tool("Edit", "yours", hook_name="PreToolUse")
        self.tool("Read", "yours")
        self.assertEqual(self.by(), {"mine": "session", "yours": "other", "theirs": "other"})
        self.tool("Bash", hook_name="PreToolUse")
        self.assertEqual(self.by(), {"mine": "session", "yours": "unknown", "theirs": "unknown"})
        self.tool("Write", "theirs", chosen=session())
        self.assertEqual(self.by(), {"mine": "session", "yours": "unknown", "theirs": "other"})

    def test_a_session_that_was_there_before_is_late(self):
        for first in ("UserPromptSubmit", "SessionStart"):
            with self.subTest(first):
                self.chosen = session()
                self.post((first, {"source": "resume", "prompt": "Go on"}))
                wait_for(self.kept().exists, "the baseline")
                found = self.changes().json
                self.assertEqual((found["complete"], found["reason"], found["base"]["is_late"]), (False, "baseline_late", True))

    def test_pages_and_patches(self):
        self.begin()
        for number in range(10, 35):
            self.write(f"n{number}", "x\n")
        self.write("a.txt", "two\n")
        first = self.changes("?limit=20").json
        self.assertEqual((len(first["files"]), first["has_more"], first["totals"]["files"]), (20, True, 26))
        second = self.changes(f"?limit=20&cursor={first['next_cursor']}").json
        self.assertEqual((len(second["files"]), second["has_more"], second["next_cursor"]), (6, False, None))
        self.assertEqual(second["end"]["id"], first["end"]["id"])
        patch = self.changes("?format=patch")
        self.assertEqual(patch.headers["content-type"], "text/x-diff; charset=utf-8")
        # The patch makes the one state from the other.
        other = self.machine.root / "other"
        subprocess.run(["git", "clone", "-q", str(self.place), str(other)], check=True)
        subprocess.run(["git", "-C", str(other), "apply"], input=patch.body, check=True)
        self.assertEqual((other / "a.txt").read_text(), "two\n")
        self.assertEqual(sorted(path.name for path in other.glob("n*")), [f"n{number}" for number in range(10, 35)])
        stale = self.changes(f"?cursor={first['next_cursor']}")
        self.assertEqual((stale.status, stale.json["error"]["code"]), (409, "changed_meanwhile"))

    def test_erasing_the_session_erases_the_set(self):
        self.begin()
        other = self.chosen
        self.chosen = session()
        self.begin()
        erased = self.request("/v1/erase", method="POST", body={"session_id": self.chosen})
        self.assertEqual(erased.status, 200, erased)
        wait_for(lambda: not self.kept().exists(), "the erasure on the machine")
        self.assertTrue(self.kept(other).exists())

    def test_as_a_diff_of_git(self):
        self.begin()
        self.write("a.txt", "two\n")
        project = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]
        diff = self.request(f"/v1/projects/{project}/git/diff?session={self.chosen}").json
        self.assertEqual([(patch["path"], patch["status"]) for patch in diff["diffs"]], [("a.txt", "M")])
        one = self.request(f"/v1/projects/{project}/git/diff?session={self.chosen}&path=a.txt").json
        self.assertIn("-one\n+two\n", one["diff"])
        same = self.request(f"/v1/projects/{project}/git/diff?session={self.chosen}&path=b.txt").json
        self.assertEqual((same["path"], same["diff"]), ("b.txt", ""))
        missing = self.request(f"/v1/projects/{project}/git/diff?session={uuid.uuid4()}")
        self.assertEqual(missing.status, 404)

    def test_exports_contain_the_list(self):
        self.begin()
        self.write("a.txt", "two\n")
        self.tool("Edit", "a.txt")
        lines = self.request(f"/v1/sessions/{self.chosen}/export").body.splitlines()
        last = json.loads(lines[-1])
        self.assertEqual((last["type"], last["changes"]["files"][0]["path"], last["changes"]["files"][0]["by"]),
                         ("changes", "a.txt", "session"))
        shown = self.request(f"/v1/sessions/{self.chosen}/export?format=markdown").body.decode()
        self.assertIn("\n## Changed files\n\n```\nmodified a.txt +1 -1\n```\n", shown)

    def test_on_the_command_line(self):
        self.begin()
        self.write("a.txt", "two\n")
        self.tool("Edit", "a.txt")
        self.write("new", "x\n")
        env = {**os.environ, "MONITOR_URL": f"http://{server.address}", "MONITOR_ADMIN_TOKEN": server.admin}

        def monitorctl(*words):
            return subprocess.run([BIN / "monitorctl", "changes", self.chosen, *words], env=env, capture_output=True, text=True,
                                  timeout=60, check=True).stdout

        self.assertEqual(monitorctl().splitlines(), ["2 files, +2 -1", "modified a.txt +1 -1", "added new +1 -0 (other)"])
        self.assertIn("-one\n+two\n", monitorctl("a.txt"))
        self.assertIn("+x\n", monitorctl("--patch"))


SET = {"repo_root": "/home/dev/app", "named_root": "/home/dev/app",
       "base": {"taken_at": 1_800_000_000_000, "branch": "main", "commit": None, "session_started_at": None, "is_late": False},
       "end": {"id": "0123456789abcdef", "taken_at": 1_800_000_000_000, "at": "now", "branch": "main", "commit": None},
       "complete": True, "reason": None,
       "totals": {"files": 1, "added": 1, "modified": 0, "deleted": 0, "renamed": 0, "additions": 1, "deletions": 0, "binary": 0},
       "files": [{"path": "a", "status": "added", "additions": 1, "deletions": 0, "binary": False, "old_mode": None,
                  "new_mode": "100644"}],
       "has_more": False, "next_cursor": None}


class WithAgent(WithSession):
    """A played agent."""

    def setUp(self):
        self.name, self.place, self.chosen = f"desk-{uuid.uuid4().hex[:8]}", "/home/dev/app", session()
        self.key, self.identity = server.key(self.name), uuid.uuid4().hex * 2
        self.post(("UserPromptSubmit", {}))

    def agent(self, answer):
        agent = Agent(server, self.key, identity=self.identity, **{"changes/get": answer}).greet()
        self.addCleanup(agent.close)
        return agent


class Rest(WithAgent):
    def test_who_may_what(self):
        agent = self.agent(lambda params: SET)
        names, hunks = "", "?path=a"
        expected = {(names, None): 200, (hunks, None): 200, (names, phone["access_token"]): 200,
                    (hunks, phone["access_token"]): 200, (names, reader["access_token"]): 200,
                    (hunks, reader["access_token"]): 403, ("?hunks=true", reader["access_token"]): 403,
                    ("?format=patch", reader["access_token"]): 403, (names, self.key): 403}
        for (query, token), status in expected.items():
            with self.subTest(query, device=token == reader["access_token"]):
                self.assertEqual(self.changes(query, token).status, status)
        self.assertEqual({method for method, _ in agent.commands}, {"changes/get"})
        self.assertEqual(agent.commands[0][1]["session_id"], self.chosen)

    def test_parameters(self):
        agent = self.agent(lambda params: SET)
        self.assertEqual(self.changes("?path=src/a&context=7&offset=9&at=stop").status, 200)
        sent = agent.commands[-1][1]
        self.assertEqual((sent["file"], sent["context"], sent["offset"], sent["at"]), ("src/a", 7, 9, "stop"))
        self.assertEqual(self.changes("?cursor=0123456789abcdef.40&limit=20").status, 200)
        sent = agent.commands[-1][1]
        self.assertEqual((sent["end"], sent["skip"], sent["limit"]), ("0123456789abcdef", 40, 20))
        for query in ("?limit=0", "?limit=1001", "?cursor=x", "?context=-1", "?offset=x", "?at=then", "?format=xml", "?hunks=2",
                      "?end=x"):
            with self.subTest(query):
                self.assertEqual(self.changes(query).status, 400)
        self.assertEqual(len(agent.commands), 2)

    def test_refusals(self):
        def refuse(reason):
            def answer(params):
                raise Refusal(reason, "words of the machine")
            return answer

        for reason, status in {"not_allowed_by_machine": 403, "outside_roots": 403, "changed_meanwhile": 409,
                               "git_timeout": 504, "git_unavailable": 503, "repository_busy": 409}.items():
            with self.subTest(reason):
                agent = self.agent(refuse(reason))
                answer = self.changes()
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, reason))
                agent.close()
        broken = self.agent(lambda params: {"files": 1})
        self.assertEqual(self.changes().json["error"]["code"], "agent_failed")
        broken.close()

    def test_times_that_no_machine_has(self):
        project = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]
        for state, name in (("base", "taken_at"), ("base", "session_started_at"), ("end", "taken_at")):
            for time in (2**63 - 1, -2**63, -1, 253_402_300_800_000, "then"):
                with self.subTest(state, name=name, time=time):
                    agent = self.agent(lambda params: {**SET, state: {**SET[state], name: time}})
                    for path in (f"/v1/sessions/{self.chosen}/changes", f"/v1/sessions/{self.chosen}/changes?format=patch",
                                 f"/v1/projects/{project}/git/diff?session={self.chosen}"):
                        answer = self.request(path)
                        self.assertEqual((answer.status, answer.json["error"]["code"]), (502, "agent_failed"))
                    self.assertEqual(self.request(f"/v1/sessions/{self.chosen}/export").status, 200)
                    agent.close()

    def test_pages_that_do_not_end(self):
        later = {**SET, "has_more": True, "next_cursor": "0123456789abcdef.1"}
        same = {**SET["files"][0], "header": "x", "hunks": ["y"], "next_offset": 7}
        for name, answer in {"no files": {**later, "files": []}, "the same page": later,
                             "the same part": {**SET, "files": [same]}}.items():
            with self.subTest(name):
                agent = self.agent(lambda params: answer)
                got = self.changes("?format=patch")
                self.assertEqual((got.status, got.json["error"]["code"]), (502, "agent_failed"))
                self.assertLess(len(agent.commands), 4)
                agent.close()

    def test_an_agent_that_says_more_than_was_asked(self):
        more = {"header": "h", "hunks": ["x"], "is_truncated": False, "next_offset": None}
        agent = self.agent(lambda params: {**SET, "files": [{**SET["files"][0], **more, "by": "session", "evil": 1}]})
        names = self.changes(token=reader["access_token"]).json["files"]
        self.assertEqual(names, [{**SET["files"][0], "by": "other"}])
        self.assertEqual(self.changes("?path=a").json["files"], [{**SET["files"][0], **more, "by": "other"}])
        self.assertEqual(len(agent.commands), 2)

    def test_without_an_agent(self):
        answer = self.changes()
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "agent_unavailable"))
        self.chosen = "nothing"
        self.assertEqual(self.changes().status, 404)

    def test_while_the_agent_is_away(self):
        agent = self.agent(lambda params: {**SET, "files": [{**SET["files"][0], "evil": 1}]})
        self.assertNotIn("is_last_known", self.changes("?path=a").json)
        told = self.changes().json
        agent.close()
        wait_for(lambda: server.get(f"/v1/machines/{self.name}").json["agent"]["state"] == "offline", "the end")
        for token in (None, phone["access_token"], reader["access_token"]):
            last = self.changes(token=token)
            self.assertEqual(last.status, 200, last)
            self.assertGreaterEqual(last.json["age_seconds"], 0)
            self.assertEqual(last.json, {**told, "is_last_known": True, "age_seconds": last.json["age_seconds"]})
        exported = json.loads(self.request(f"/v1/sessions/{self.chosen}/export").body.splitlines()[-1])
        self.assertEqual((exported["type"], exported["changes"]["is_last_known"]), ("changes", True))
        for query in ("?path=a", "?hunks=true", "?format=patch", "?end=0123456789abcdef", "?cursor=0123456789abcdef.40"):
            with self.subTest(query):
                answer = self.changes(query)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "agent_unavailable"))
        self.assertEqual(self.changes(token=self.key).status, 403)
        # What is known outlives the server.
        server.stop()
        server.start()
        last = self.changes()
        self.assertEqual(last.json, {**told, "is_last_known": True, "age_seconds": last.json["age_seconds"]})
        self.assertEqual(self.request("/v1/erase", method="POST", body={"session_id": self.chosen}).status, 200)
        self.assertEqual(self.changes().status, 404)

    def test_the_last_stop_is_known_without_a_question(self):
        for stop, runner in (("Stop", None), ("SessionEnd", None), ("Stop", "agent")):
            with self.subTest(stop, runner=runner):
                self.setUp()
                agent = Agent(server, self.key, identity=self.identity,
                              **{"changes/get": lambda params: LATER, "changes/stop": lambda params: {"taken": True}})
                self.addCleanup(agent.close)
                agent.greeting["may"] = {**MAY, "git": "read"}
                agent.greet()
                if runner:
                    self.chosen = session()
                    started = self.request("/v1/sessions", method="POST", body={
                        "machine_id": self.name, "path": self.place, "session_id": self.chosen})
                    self.assertEqual((started.status, started.json["runner"]), (201, runner))
                self.post((stop, {"reason": "other"}), at=iso(0))
                asked = agent.taken()
                self.assertEqual((asked["session_id"], asked["at"], asked["by"]["kind"]), (self.chosen, "stop", "server"))
                self.assertEqual([method for method, _ in agent.commands if method == "changes/stop"],
                                 [] if runner else ["changes/stop"])
                agent.answer({**SET, "end": {**SET["end"], "at": "stop"}})
                agent.close()
                wait_for(lambda: self.changes().json.get("is_last_known"), "the set")
                self.assertEqual(self.changes().json["end"]["at"], "stop")

    def test_what_the_machine_no_longer_shows_is_not_known(self):
        agent = self.agent(lambda params: SET)
        self.assertEqual(self.changes().status, 200)
        agent.close()

        def refuse(params):
            raise Refusal("not_allowed_by_machine", "words of the machine")
        agent = self.agent(refuse)
        self.assertEqual(self.changes().status, 403)
        agent.close()
        wait_for(lambda: self.changes().status == 503, "the end of the agent")


class Rpc(WithAgent, unittest.IsolatedAsyncioTestCase):
    async def test_a_diff_of_a_session(self):
        self.agent(lambda params: {**SET, "files": [{**SET["files"][0], "header": "diff --git a/a b/a\n",
                                                     "hunks": ["@@ -0,0 +1 @@\n+x\n"], "is_truncated": False,
                                                     "next_offset": None}]})
        project = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]
        async with ws.connected() as client:
            place = {"workspace_id": project, "session": self.chosen}
            all_of_it = await rpc.result(client, "workspace/git/diff", place)
            self.assertEqual(all_of_it["diffs"][0]["diff"], "diff --git a/a b/a\n@@ -0,0 +1 @@\n+x\n")
            one = await rpc.result(client, "git/diff", {**place, "path": "a"})
            self.assertEqual((one["path"], one["is_new"]), ("a", True))


if __name__ == "__main__":
    unittest.main()
