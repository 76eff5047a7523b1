"""What changes in workspaces: who gets file_changed and git_status_changed, when agents watch, and who wrote a file."""

import asyncio
import contextlib
import os
import subprocess
import time
import unittest
import uuid

import test_devices as devices
import test_rpc as rpc
import test_websocket as ws
from agents import Agent
from harness import Client, Server, envelope, hook, iso, session, wait_for
from real_agent import RealAgent

HOME = "/home/dev/app"


def setUpModule():
    global server, phone, reader
    server = devices.server = rpc.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    phone = devices.pair("phone")["access_token"]
    code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
    reader = Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json["access_token"]
    ws.key = server.key("rpc")


def tearDownModule():
    server.end()


STATUS = {"branch": "main", "is_detached": False, "head": "1" * 40, "upstream": "", "ahead": 0, "behind": 0, "staged_count": 3,
          "unstaged_count": 1, "untracked_count": 2, "has_conflicts": False, "has_remotes": False, "is_git_repo": True,
          "changed_files": ["src/app.ts", "src/utils.ts"], "state": "no_remote", "operation": "", "is_truncated": False,
          "repo_root": HOME, "remotes": []}


class OldAgent(Agent):
    """One that does not know how to watch."""

    def take(self, message):
        if message.get("method") != "watch/set":
            return super().take(message)
        self.commands.append(("watch/set", message["params"]))
        self.send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}})


async def event(client, name, seconds=20, **payload):
    """The first event of this name whose payload has these members."""
    seen = 0
    deadline = time.monotonic() + seconds
    while True:
        for message in client.events[seen:]:
            seen += 1
            found = message["params"].get("payload", {})
            if message["method"] == f"event/{name}" and all(found.get(key) == value for key, value in payload.items()):
                return message["params"]
        await client.receive(max(0.01, deadline - time.monotonic()))


class Case(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.name, self.identity = f"desk-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex * 2
        self.key, self.chosen = server.key(self.name), session()
        self.post(hook("UserPromptSubmit", self.chosen, prompt="go"))
        self.workspace = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]
        self.agent = self.connect()

    def connect(self, **answers):
        agent = Agent(server, self.key, identity=self.identity, **answers).greet()
        self.addCleanup(agent.close)
        return agent

    def post(self, data, at=None):
        client = Client(server.address, self.key)
        try:
            posted = client.request("POST", "/api/events", envelope(dict(data, cwd=HOME), at))
            self.assertEqual(posted.status, 202, posted)
        finally:
            client.close()

    @contextlib.asynccontextmanager
    async def client(self, credential=None):
        async with ws.connected(server, credential=credential) as client:
            yield client

    async def watched(self, files=True, git=True, agent=None, count=1):
        """Waits until the agent was asked to watch this and nothing else."""
        agent = agent or self.agent
        wanted = [{"workspace_id": self.workspace, "path": HOME, "files": files, "git": git}] if files or git else []
        def found():
            asked = [params["workspaces"] for name, params in agent.commands if name == "watch/set"]
            return len(asked) >= count and asked[-1] == wanted
        await asyncio.to_thread(wait_for, found, f"the watching of {wanted}; {agent.commands}")

    async def follow(self, client, **more):
        self.assertIn("result", await client.call("workspace/watch", {"workspace_id": self.workspace, **more}))
        await self.watched(more.get("files", True), more.get("git", True))

    def tell(self, *paths, cut=False, at=0.0, agent=None, **more):
        (agent or self.agent).tell("file/changed", {
            "workspace_id": self.workspace, "directory": HOME, "is_cut": cut, "from": iso(at - 0.1), "to": iso(at),
            "changes": [{"path": path, "change": "modified", "size": 5, **more} for path in paths]})

    def git(self, agent=None, state="healthy", **more):
        status = {"status": {**STATUS, **more}} if state == "healthy" else {"error": "broken"}
        (agent or self.agent).tell("git/changed", {"workspace_id": self.workspace, "state": state, **status})

    async def event(self, client, name, **payload):
        return await event(client, name, **payload)

    def heard(self, client, name):
        return [message["params"] for message in client.events if message["method"] == f"event/{name}"]


class Following(Case):
    async def test_watch_and_unwatch(self):
        async with self.client() as client:
            answer = await rpc.result(client, "workspace/watch", {"workspace_id": self.workspace})
            self.assertEqual(answer, {"success": True, "workspace_id": self.workspace, "files": True, "git": True})
            await self.watched()
            await rpc.result(client, "workspace/watch", {"workspace_id": self.workspace, "git": False})
            await self.watched(git=False)
            answer = await rpc.result(client, "workspace/unwatch", {"workspace_id": self.workspace})
            self.assertEqual((answer["files"], answer["git"]), (False, False))
            await self.watched(False, False)

    async def test_a_client_that_ends_takes_its_watch_with_it(self):
        async with self.client() as one:
            await self.follow(one)
            async with self.client() as other:
                await rpc.result(other, "workspace/watch", {"workspace_id": self.workspace})
            await one.silent()
        await self.watched(False, False, count=2)
        # The second client changed nothing.
        self.assertEqual(len([1 for name, _ in self.agent.commands if name == "watch/set"]), 2)

    async def test_ways_to_follow(self):
        for begin, end in (
                (("workspace/subscribe", {"workspace_id": self.workspace}), ("workspace/subscribeAll", {})),
                (("event/subscribe", {"workspace_id": self.workspace}), ("event/unsubscribe", {})),
                (("client/session/focus", {"workspace_id": self.workspace, "session_id": self.chosen}),
                 ("client/session/unfocus", {})),
                (("workspace/session/watch", {"workspace_id": self.workspace, "session_id": self.chosen}),
                 ("workspace/session/unwatch", {}))):
            with self.subTest(begin[0]):
                async with self.client() as client:
                    await rpc.result(client, *begin)
                    await self.watched()
                    self.tell(f"{begin[0]}.txt")
                    await self.event(client, "file_changed", path=f"{begin[0]}.txt")
                    await rpc.result(client, *end)
                    await self.watched(False, False)

    async def test_types_choose(self):
        async with self.client() as client:
            await rpc.result(client, "event/subscribe", {"workspace_id": self.workspace, "types": ["git_status_changed"]})
            await self.watched(files=False)
            await rpc.result(client, "event/subscribe", {"workspace_id": self.workspace, "types": ["stop"]})
            await self.watched(False, False)

    async def test_an_event_stream(self):
        path = f"/v1/events?workspace_id={self.workspace}&types=file_changed"
        process = subprocess.Popen(["curl", "-sN", "-H", f"Authorization: Bearer {server.admin}", "-H",
                                    "Accept: text/event-stream", f"http://{server.address}{path}"], stdout=subprocess.PIPE)
        try:
            await self.watched(git=False)
            self.tell("a.txt")
            def line():
                while not (line := process.stdout.readline()).startswith(b"data: {\"event\":\"file_changed\""):
                    self.assertTrue(line)
                return line
            self.assertIn(b"a.txt", await asyncio.wait_for(asyncio.to_thread(line), 20))
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        await self.watched(False, False)

    async def test_a_device_that_may_only_read_makes_nobody_watch_and_gets_nothing(self):
        async with self.client(reader) as blind:
            await rpc.result(blind, "workspace/watch", {"workspace_id": self.workspace})
            async with self.client(phone) as client:
                await self.follow(client)
                self.tell("a.txt")
                self.git()
                self.git(branch="topic")
                await self.event(client, "file_changed", path="a.txt")
                await self.event(client, "git_status_changed", branch="topic")
                await blind.silent()
                self.assertEqual(self.heard(blind, "file_changed") + self.heard(blind, "git_status_changed"), [])
            await self.watched(False, False)

    async def test_an_unknown_workspace(self):
        async with self.client() as client:
            await rpc.result(client, "workspace/watch", {"workspace_id": "ws-none"})
            await self.follow(client)

    async def test_too_many(self):
        async with self.client() as client:
            for number in range(64):
                await rpc.result(client, "workspace/watch", {"workspace_id": f"w{number}"})
            self.assertEqual((await rpc.failure(client, "workspace/watch", {"workspace_id": "more"}))["code"], -32602)

    async def test_an_agent_that_connects_again_is_told_again(self):
        async with self.client() as client:
            await self.follow(client)
            self.agent.close()
            again = self.connect()
            await self.watched(agent=again)
            self.tell("a.txt", agent=again)
            await self.event(client, "file_changed", path="a.txt")

    async def test_an_agent_that_does_not_know_it_is_asked_once(self):
        self.agent.close()
        agent = OldAgent(server, self.key, identity=self.identity)
        agent.greet()
        self.addCleanup(agent.close)
        async with self.client() as client:
            await rpc.result(client, "workspace/watch", {"workspace_id": self.workspace})
            await self.watched(agent=agent)
            # It counts as told: the next command says what has changed since.
            await rpc.result(client, "workspace/unwatch", {"workspace_id": self.workspace})
            await self.watched(False, False, agent=agent, count=2)


class Notices(Case):
    async def test_a_file_has_no_place_in_the_log(self):
        async with self.client() as client:
            await self.follow(client)
            self.tell("src/app.ts", is_secret=True)
            event = await self.event(client, "file_changed")
            self.assertRegex(event.pop("timestamp"), r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertEqual(event, {
                "event": "file_changed", "type": "file_changed", "workspace_id": self.workspace, "agent_type": "claude",
                "payload": {"path": "src/app.ts", "change": "modified", "size": 5, "is_secret": True}})
            log = server.get(f"/v1/events?workspace_id={self.workspace}&type=file_changed").json
            self.assertEqual(log["data"] if "data" in log else log["events"], [])

    async def test_more_than_is_told(self):
        async with self.client() as client:
            await self.follow(client)
            self.tell(cut=True)
            event = await self.event(client, "file_changed")
            self.assertEqual(event["payload"], {"path": ".", "change": "modified", "is_cut": True})

    async def test_what_no_agent_says(self):
        async with self.client() as client:
            await self.follow(client)
            for path in ("../../etc/passwd", "/etc/passwd", "a/../../b", "a//b"):
                self.tell(path)
                self.tell("new.txt", change="renamed", old_path=path)
            self.tell("kind.txt", change="exploded")
            self.tell("real.txt", session_id="s", tool_name="Evil", tool_use_id="t", other=1)
            event = await self.event(client, "file_changed", path="real.txt")
            self.assertNotIn("session_id", event)
            self.assertEqual(event["payload"], {"path": "real.txt", "change": "modified", "size": 5})
            await client.silent()
            self.assertEqual([one["payload"]["path"] for one in self.heard(client, "file_changed")], ["real.txt"])

    async def test_another_machine_says_nothing_of_it(self):
        other = Agent(server, server.key(f"other-{uuid.uuid4().hex[:8]}")).greet()
        self.addCleanup(other.close)
        async with self.client() as client:
            await self.follow(client)
            self.tell("forged.txt", agent=other)
            self.tell("real.txt")
            await self.event(client, "file_changed", path="real.txt")
            await client.silent()
            self.assertEqual([one["payload"]["path"] for one in self.heard(client, "file_changed")], ["real.txt"])

    async def test_the_state_of_a_repository(self):
        async with self.client() as client:
            await self.follow(client)
            self.git()
            self.git(branch="topic")
            event = await self.event(client, "git_status_changed")
            self.assertEqual(event["payload"], {key: {**STATUS, "branch": "topic"}[key] for key in (
                "branch", "is_detached", "head", "upstream", "ahead", "behind", "staged_count", "unstaged_count",
                "untracked_count", "has_conflicts", "changed_files", "state", "operation", "is_truncated")})
            # The same state after a new connection is no news, and another one is.
            self.agent.close()
            self.agent = self.connect()
            await self.watched()
            self.git(branch="topic")
            self.git(branch="main")
            await self.event(client, "git_status_changed", branch="main")
            self.assertEqual([one["payload"]["branch"] for one in self.heard(client, "git_status_changed")],
                             ["topic", "main"])

    async def test_how_it_is_watched(self):
        async with self.client() as client:
            await self.follow(client)
            self.agent.tell("watch/state", {"workspace_id": self.workspace, "part": "files", "mode": "polling",
                                            "reason": "too_many_directories"})
            event = await self.event(client, "watch_changed")
            self.assertEqual(event["payload"], {"part": "files", "mode": "polling", "reason": "too_many_directories"})

    async def test_cdevs_app(self):
        async with ws.connected(server, ready=False) as client:
            await rpc.result(client, "initialize", {"clientInfo": {"name": "cdev-ios", "version": "1"}})
            await rpc.result(client, "workspace/subscribe", {"workspace_id": self.workspace})
            await self.watched()
            self.tell("src/app.ts")
            event = await self.event(client, "file_changed")
            self.assertNotIn("session_id", event["payload"])
            self.git()
            self.git(staged_count=0)
            event = await self.event(client, "git_status_changed")
            self.assertLessEqual({"branch", "ahead", "behind", "staged_count", "unstaged_count", "untracked_count",
                                  "has_conflicts", "changed_files"}, set(event["payload"]))


class Authors(Case):
    def call(self, name, path, at, tool="Edit", use="toolu_1"):
        self.post(hook(name, self.chosen, tool_name=tool, tool_input={"file_path": path}, tool_use_id=use), iso(at))

    async def test_a_change_between_the_hooks_of_a_call(self):
        async with self.client() as client:
            await self.follow(client)
            self.call("PreToolUse", f"{HOME}/a.txt", -0.3)
            self.tell("a.txt", "b.txt", at=0)
            self.call("PostToolUse", f"{HOME}/a.txt", 0)
            event = await self.event(client, "file_changed", path="a.txt")
            self.assertEqual((event["session_id"], event["payload"]["tool_use_id"], event["payload"]["tool_name"]),
                             (self.chosen, "toolu_1", "Edit"))
            event = await self.event(client, "file_changed", path="b.txt")
            self.assertNotIn("session_id", event)
            self.assertNotIn("tool_use_id", event["payload"])

    async def test_a_hook_that_came_before_the_change(self):
        async with self.client() as client:
            await self.follow(client)
            self.call("PostToolUse", f"{HOME}/n.ipynb", 0, tool="Write")
            self.tell("n.ipynb", at=-0.1)
            event = await self.event(client, "file_changed")
            self.assertEqual((event["session_id"], event["payload"]["tool_name"]), (self.chosen, "Write"))

    async def test_a_change_long_after_it_has_no_author(self):
        async with self.client() as client:
            await self.follow(client)
            self.call("PostToolUse", f"{HOME}/a.txt", -60)
            self.tell("a.txt")
            self.assertNotIn("session_id", await self.event(client, "file_changed"))


class Trackers(Case):
    async def entry(self, client, **params):
        listed = await rpc.result(client, "workspace/list", params)
        return [one for one in listed["workspaces"] if one["id"] == self.workspace][0]

    async def test_the_list_says_what_is_known(self):
        async with self.client(phone) as client:
            entry = await self.entry(client)
            self.assertNotIn("git", entry)
            self.assertEqual((entry["git_state"], entry["is_git_repo"]), ("unknown", True))
            await self.follow(client)
            self.git()
            self.agent.tell("watch/state", {"workspace_id": self.workspace, "part": "git", "mode": "events", "reason": None})
            await self.event(client, "watch_changed")
            entry = await self.entry(client)
            self.assertEqual(entry["git"], {
                "initialized": True, "branch": "main", "has_remotes": False, "ahead": 0, "behind": 0, "staged_count": 3,
                "unstaged_count": 1, "untracked_count": 2, "has_conflicts": False, "state": "no_remote"})
            self.assertEqual(entry["git_state"], "no_remote")
            self.assertNotIn("git", await self.entry(client, include_git=False))
            self.assertNotIn("git", await self.entry(client, git_limit=0))
        # Who may not look at files does not see it.
        async with self.client(reader) as client:
            self.assertNotIn("git", await self.entry(client))
        self.agent.close()
        async with self.client(phone) as client:
            await asyncio.to_thread(wait_for, lambda: self.name in [
                one["name"] for one in server.get("/v1/machines").json["machines"]
                if (one.get("agent") or {}).get("state") != "online"], "the end of the agent")
            self.assertNotIn("git", await self.entry(client))
            status = await rpc.result(client, "workspace/status", {"workspace_id": self.workspace})
            self.assertEqual(status["git_tracker_state"], "unavailable")

    async def test_a_failure_and_the_recovery(self):
        async with self.client() as client:
            await self.follow(client)
            for state, branch in (("healthy", "main"), ("unhealthy", ""), ("healthy", "topic"), ("not_git", "")):
                self.git(state=state, **({"branch": branch} if branch else {}))
                deadline = time.monotonic() + 20
                found = {}
                while found.get("git_tracker_state") != state:
                    self.assertLess(time.monotonic(), deadline, found)
                    found = await rpc.result(client, "workspace/status", {"workspace_id": self.workspace})
                self.assertEqual(found["is_git_repo"], state != "not_git")
                self.assertEqual(found["git_last_error"], "broken" if state == "unhealthy" else "")

    async def test_status_asks_once(self):
        self.agent.answers["git/status"] = lambda params: {**STATUS, "staged": [{}], "unstaged": [], "untracked": [],
                                                           "conflicted": []}
        async with self.client() as client:
            for _ in range(2):
                status = await rpc.result(client, "workspace/status", {"workspace_id": self.workspace})
                self.assertEqual((status["git_tracker_state"], status["git_state"]), ("healthy", "no_remote"))
            self.assertEqual((await self.entry(client))["git"]["staged_count"], 1)
        self.assertEqual(len([1 for name, _ in self.agent.commands if name == "git/status"]), 1)


class Whole(unittest.IsolatedAsyncioTestCase):
    """With the built agent."""

    async def asyncSetUp(self):
        self.agent = RealAgent(server, f"real-{uuid.uuid4().hex[:8]}", "files=read git=read")
        self.addCleanup(self.agent.close)
        self.home = self.agent.root / "app"
        self.home.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
        self.chosen = session()
        self.post("UserPromptSubmit", prompt="go")
        self.workspace = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.home), *words], check=True, capture_output=True,
                       env={"HOME": str(self.agent.home), "PATH": os.environ["PATH"]})

    def post(self, name, **fields):
        client = Client(server.address, self.agent.key)
        try:
            data = dict(hook(name, self.chosen, **fields), cwd=str(self.home))
            self.assertEqual(client.request("POST", "/api/events", envelope(data, iso(0))).status, 202)
        finally:
            client.close()

    async def test_from_the_disk_to_the_client(self):
        async with ws.connected(server, credential=phone) as client:
            await rpc.result(client, "workspace/watch", {"workspace_id": self.workspace})
            for part in ("files", "git"):
                await event(client, "watch_changed", part=part, mode="events")
            tool = {"tool_name": "Write", "tool_use_id": "toolu_1", "tool_input": {"file_path": str(self.home / "new.txt")}}
            self.post("PreToolUse", **tool)
            (self.home / "new.txt").write_text("hello")
            self.post("PostToolUse", **tool)
            told = await event(client, "file_changed", path="new.txt")
            self.assertEqual((told["payload"]["change"], told.get("session_id")), ("created", self.chosen))
            self.git("add", "new.txt")
            told = await event(client, "git_status_changed", staged_count=1)
            self.assertEqual(told["payload"]["changed_files"], ["new.txt"])


if __name__ == "__main__":
    unittest.main()
