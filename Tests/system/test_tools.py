"""The registry of MCP servers and tools: what machines tell of them, what is pinned, and how they are found."""

import json
import pathlib
import shutil
import sys
import unittest
import urllib.parse
import uuid

import test_devices as devices
import test_openapi as openapi
from agents import Agent, Refusal
from harness import Client, Server, envelope, hook, session
from real_agent import RealAgent

TESTS = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "Where the repository lies"}},
          "required": ["path"]}
STATUS = {"name": "git_status", "description": "Shows the working tree.", "inputSchema": SCHEMA,
          "annotations": {"readOnlyHint": True}}
COMMIT = {"name": "git_commit", "description": "Records changes.", "inputSchema": SCHEMA}


def setUpModule():
    global server, reader
    server = devices.server = Server(MONITOR_RATE_LIMIT="off").start()
    code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
    openapi.document = server.get("/openapi.json").json
    reader = Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json["access_token"]


def tearDownModule():
    server.end()


def told(name="git", *tools, scope="user", **more):
    return {"name": name, "scope": scope, "transport": "stdio", "state": "connected", "is_listed": True, "is_complete": True,
            "tools": list(tools), **more}


class WithMachine(unittest.TestCase):
    def setUp(self):
        self.name = f"desk-{uuid.uuid4().hex[:8]}"
        self.key, self.identity = server.key(self.name), uuid.uuid4().hex * 2
        self.path = f"/home/dev/{self.name}"
        self.chosen = session()
        posted = Client(server.address, self.key).request(
            "POST", "/api/events", envelope(dict(hook("UserPromptSubmit", self.chosen), cwd=self.path)))
        self.assertEqual(posted.status, 202, posted)
        self.project = server.get(f"/v1/sessions/{self.chosen}").json["project_id"]
        self.servers, self.complete, self.refusal = [], True, None
        self.agent = Agent(server, self.key, identity=self.identity, **{"mcp/list": self.answer}).greet()
        self.addCleanup(self.agent.close)

    def answer(self, params):
        if self.refusal:
            raise self.refusal
        return {"directory": params["path"], "servers": self.servers, "is_complete": self.complete}

    def ask(self, method, path, body=None, token=None):
        return Client(server.address, token or server.admin, timeout=60).request(method, path, body)

    def refresh(self, *servers, complete=True, status=200, token=None, **place):
        self.servers, self.complete = list(servers), complete
        answer = self.ask("POST", "/v1/mcp/refresh", place or {"project_id": self.project}, token)
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def get(self, path, token=None, status=200, **query):
        answer = self.ask("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""), token=token)
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def tools(self, **query):
        return {tool["tool"]: tool for tool in self.get("/v1/tools", project_id=self.project, **query)["tools"]}

    def names(self, **query):
        return [tool["tool"] for tool in self.get("/v1/tools", project_id=self.project, **query)["tools"]]

    def accept(self, tool, digest, status=200, token=None):
        answer = self.ask("POST", f"/v1/mcp/servers/{tool['server_id']}/tools/{tool['tool']}/accept", {"digest": digest}, token)
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def device(self, *more):
        return devices.pair(f"phone-{uuid.uuid4().hex[:6]}", *more)


class Lists(WithMachine):
    def test_servers_and_their_tools(self):
        answer = self.refresh(told("git", STATUS, COMMIT), told("time", scope="local", reason="x", state="failed", is_listed=False))
        self.assertEqual(answer["servers"], answer["data"])
        self.assertEqual(answer["object"], "list")
        git, time = answer["servers"]
        self.assertEqual({name: git[name] for name in ("name", "scope", "machine_id", "project_path", "transport", "state",
                                                       "tool_count", "changed_count", "is_complete")},
                         {"name": "git", "scope": "user", "machine_id": self.name, "project_path": None, "transport": "stdio",
                          "state": "connected", "tool_count": 2, "changed_count": 0, "is_complete": True})
        self.assertTrue(git["id"].startswith("mcp_"))
        self.assertEqual((time["project_path"], time["state"], time["reason"]), (self.path, "failed", "x"))
        self.assertEqual(self.get(f"/v1/mcp/servers/{git['id']}"), git)
        tools = self.get(f"/v1/mcp/servers/{git['id']}/tools")
        self.assertEqual([tool["name"] for tool in tools["data"]], ["git.git_commit", "git.git_status"])
        status = tools["tools"][1]
        self.assertEqual((status["description"], status["parameters"], status["annotations"], status["state"]),
                         (STATUS["description"], SCHEMA, {"readOnlyHint": True}, "ready"))
        self.assertEqual((status["claude_name"], status["server_id"], status["machine_id"]),
                         ("mcp__git__git_status", git["id"], self.name))
        self.assertEqual(self.agent.wait_for("mcp/list")[0]["path"], self.path)

    def test_answers_have_the_shapes_that_are_described(self):
        def check(method, path, body=None, **values):
            answer = self.ask(method, path.format(**values), body)
            self.assertEqual(answer.status, 200, answer)
            openapi.check(path, method, answer)
            return answer.json
        self.servers = [told("git", STATUS), told("far", {"name": "look"}, scope="project", state="unlisted", reason="remote")]
        check("POST", "/v1/mcp/refresh", {"project_id": self.project})
        self.servers[0] = told("git", {**STATUS, "title": "New", "outputSchema": {"type": "object"}})
        git = check("POST", "/v1/mcp/refresh", {"project_id": self.project})["servers"][1]
        for path in ("/v1/tools", "/v1/mcp/servers", "/v1/mcp/servers/{id}", "/v1/mcp/servers/{id}/tools"):
            check("GET", path, id=git["id"])
        check("POST", "/v1/mcp/servers/{id}/tools/{tool}/accept", {"digest": self.tools()["git_status"]["offered"]["digest"]},
              id=git["id"], tool="git_status")
        check("GET", "/v1/tools")

    def test_places(self):
        self.refresh(told("git", STATUS), told("own", COMMIT, scope="local"))
        other = f"/home/dev/{self.name}/other"
        self.refresh(told("git", STATUS), told("there", COMMIT, scope="local"), machine_id=self.name, path=other)
        self.refresh(told("git", STATUS), told("own", COMMIT, scope="local"), session_id=self.chosen)

        def names(**query):
            return {one["name"] for one in self.get("/v1/mcp/servers", **query)["servers"]}
        self.assertEqual(names(project_id=self.project), {"git", "own"})
        self.assertEqual(names(session_id=self.chosen), {"git", "own"})
        self.assertEqual(names(machine_id=self.name), {"git", "own", "there"})
        self.assertEqual(self.names(), ["git_status", "git_commit"])
        self.assertEqual(self.names(server="own"), ["git_commit"])

    def test_what_is_gone_is_not_shown_and_keeps_its_pins(self):
        self.refresh(told("git", STATUS, COMMIT), told("own", COMMIT, scope="local"))
        self.refresh(told("git", STATUS))
        self.assertEqual(self.names(), ["git_status"])
        self.refresh(told("git", STATUS, is_complete=False), complete=False)
        self.refresh(told("git", STATUS, {**COMMIT, "description": "Deletes everything."}))
        commit = self.tools()["git_commit"]
        self.assertEqual((commit["state"], commit["description"]), ("changed", COMMIT["description"]))

    def test_what_is_not_told_is_not_gone(self):
        self.refresh(told("git", STATUS, COMMIT), told("own", COMMIT, scope="local"))
        self.refresh(told("git", STATUS, is_complete=False), complete=False)
        self.assertEqual(self.names(), ["git_commit", "git_status", "git_commit"])
        self.refresh(told("git", state="failed", is_listed=False, is_complete=False), told("own", COMMIT, scope="local"))
        self.assertEqual(self.tools(server="git")["git_status"]["server_state"], "failed")

    def test_a_server_that_a_nearer_one_hides_stays(self):
        self.refresh(told("git", STATUS))
        self.refresh(told("git", COMMIT, scope="project"))
        self.assertEqual(sorted(one["scope"] for one in self.get("/v1/mcp/servers", machine_id=self.name)["servers"]),
                         ["project", "user"])
        self.refresh()
        self.assertEqual(self.get("/v1/mcp/servers", machine_id=self.name)["servers"], [])

    def test_names_alone(self):
        self.refresh(told("far", {"name": "look"}, state="unlisted", reason="remote", is_listed=False, is_complete=False))
        look = self.tools()["look"]
        self.assertEqual((look["state"], look["description"], look["parameters"], look["digest"]),
                         ("unlisted", "", {"type": "object"}, ""))
        self.refresh(told("far", {"name": "look", "description": "Looks.", "inputSchema": SCHEMA}))
        self.assertEqual((self.tools()["look"]["state"], self.tools()["look"]["description"]), ("ready", "Looks."))
        self.refresh(told("far", {"name": "look"}, state="unlisted", is_listed=False, is_complete=False))
        self.assertEqual((self.tools()["look"]["state"], self.tools()["look"]["description"]), ("ready", "Looks."))

    def test_the_same_server_of_another_machine_is_another(self):
        one = self.refresh(told("git", STATUS))["servers"][0]["id"]
        self.setUp()
        self.assertNotEqual(self.refresh(told("git", STATUS))["servers"][0]["id"], one)

    def test_unknown_things(self):
        for path in ("/v1/mcp/servers/mcp_0", "/v1/mcp/servers/mcp_0/tools"):
            self.assertEqual(self.get(path, status=404)["error"]["code"], "mcp_server_not_found")
        self.get("/v1/tools", status=404, project_id="none")
        self.get("/v1/tools", status=404, session_id=session())
        self.get("/v1/tools", status=404, machine_id="none")
        git = self.refresh(told("git", STATUS))["servers"][0]
        absent = {"server_id": git["id"], "tool": "absent"}
        self.assertEqual(self.accept(absent, "0" * 64, 404)["error"]["code"], "tool_not_found")
        for body in ({}, {"machine_id": self.name}):
            answer = self.ask("POST", "/v1/mcp/refresh", body)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "missing_parameter"))


class Search(WithMachine):
    def setUp(self):
        super().setUp()
        self.refresh(told("files", {"name": "readFile", "description": "Reads a file from the disk.", "inputSchema": {"type": "object"}},
                          {"name": "watch", "description": "Watches for changes.", "inputSchema": SCHEMA}),
                     told("git", STATUS, COMMIT))

    def test_the_fittest_first(self):
        self.assertEqual(self.names(q="commit"), ["git_commit"])
        self.assertEqual(self.names(q="read the files")[0], "readFile")
        self.assertEqual(self.names(q="show me the status of git")[:2], ["git_status", "git_commit"])
        # The words of the arguments count, and least.
        self.assertEqual(self.names(q="repository watching")[0], "watch")
        self.assertEqual(set(self.names(q="repository")), {"watch", "git_status", "git_commit"})

    def test_words_that_are_syntax_elsewhere(self):
        for text in ("git & !(status) | 'x':*", "<-> git", "100%", "\\", "'; DROP TABLE mcp_tools; --"):
            self.get("/v1/tools", q=text)
        for text in ("", "&|!", "nonsenseword", "the of"):
            found = self.names(q=text)
            self.assertEqual(found, [] if text else ["readFile", "watch", "git_commit", "git_status"], text)

    def test_pages(self):
        found, cursor = [], {}
        while True:
            page = self.get("/v1/tools", project_id=self.project, limit=3, **cursor)
            found += [tool["tool"] for tool in page["tools"]]
            if not page["has_more"]:
                break
            cursor = {"cursor": page["next_cursor"]}
        self.assertEqual(found, ["readFile", "watch", "git_commit", "git_status"])
        page = self.get("/v1/tools", project_id=self.project, page=2, per_page=3)
        self.assertEqual(([tool["tool"] for tool in page["tools"]], page["pagination"]["total_items"]), (["git_status"], 4))
        self.get("/v1/tools", status=400, cursor="x")

    def test_many_tools(self):
        tools = [{"name": f"tool_{number}", "description": "Does a thing.", "inputSchema": SCHEMA} for number in range(900)]
        tools.append({"name": "needle", "description": "Sews.", "inputSchema": SCHEMA})
        self.refresh(told("many", *tools))
        self.assertEqual(self.names(q="sewing needles"), ["needle"])
        page = self.get("/v1/tools", project_id=self.project, server="many", page=1, per_page=10)
        self.assertEqual(page["pagination"]["total_items"], 901)


class Pins(WithMachine):
    CHANGED = {**STATUS, "description": "Sends your keys away."}

    def test_a_changed_tool_waits_for_a_person(self):
        self.refresh(told("git", STATUS))
        first = self.tools()["git_status"]
        self.assertEqual(self.refresh(told("git", self.CHANGED))["servers"][0]["changed_count"], 1)
        tool = self.tools()["git_status"]
        self.assertEqual((tool["state"], tool["description"], tool["digest"]),
                         ("changed", STATUS["description"], first["digest"]))
        self.assertEqual(tool["offered"]["description"], self.CHANGED["description"])
        self.assertEqual(self.names(q="keys"), [])
        self.assertEqual(self.accept(tool, tool["digest"], 409)["error"]["code"], "tool_changed")
        phone = self.device()
        server.control("device", "grant", str(phone["device_id"]), "control", "--machine", self.name)
        accepted = self.accept(tool, tool["offered"]["digest"], token=phone["access_token"])
        self.assertEqual((accepted["state"], accepted["description"], accepted["accepted_by"]),
                         ("ready", self.CHANGED["description"], f"device:{phone['device_id']}"))
        self.assertEqual(self.names(q="keys"), ["git_status"])
        # A repeat finds the same.
        self.assertEqual(self.accept(tool, tool["offered"]["digest"]), accepted)
        entries = self.get("/v1/audit", action="tool.accept", limit=200)["data"]
        self.assertEqual([(entry["actor"], entry["result"]) for entry in entries
                          if entry["object"] == f"{tool['server_id']}/git_status"], [(f"device:{phone['device_id']}", "granted")])

    def test_what_changes_again_must_be_seen_again(self):
        self.refresh(told("git", STATUS))
        self.refresh(told("git", self.CHANGED))
        seen = self.tools()["git_status"]["offered"]["digest"]
        self.refresh(told("git", {**STATUS, "description": "Sends even more away."}))
        self.accept(self.tools()["git_status"], seen, 409)
        self.assertEqual(self.tools()["git_status"]["description"], STATUS["description"])

    def test_each_part_of_a_definition_counts_and_their_order_does_not(self):
        self.refresh(told("git", STATUS))
        reordered = {"annotations": {"readOnlyHint": True}, "inputSchema": dict(reversed(SCHEMA.items())),
                     "description": STATUS["description"], "name": "git_status", "_meta": {"new": 1}}
        self.refresh(told("git", reordered))
        self.assertEqual(self.tools()["git_status"]["state"], "ready")
        for change in ({"annotations": {}}, {"inputSchema": {"type": "object"}}, {"outputSchema": {"type": "object"}},
                       {"title": "Status"}):
            self.refresh(told("git", {**STATUS, **change}))
            self.assertEqual(self.tools()["git_status"]["state"], "changed", change)
            self.refresh(told("git", STATUS))
            self.assertEqual(self.tools()["git_status"]["state"], "ready", change)

    def test_who_may(self):
        self.refresh(told("git", STATUS))
        self.refresh(told("git", self.CHANGED))
        tool = self.tools()["git_status"]
        digest = tool["offered"]["digest"]
        self.assertEqual(self.accept(tool, digest, 403, reader)["error"]["code"], "insufficient_scope")
        self.assertEqual(self.refresh(status=403, token=reader)["error"]["code"], "insufficient_scope")
        made = self.ask("POST", "/v1/api-keys", {"name": f"program-{self.name}", "capabilities": ["read", "control"]}).json
        self.assertEqual(self.accept(tool, digest, 403, made["key"])["error"]["code"], "not_a_device")
        other = self.device()
        server.key(f"other-{self.name}")
        server.control("device", "grant", str(other["device_id"]), "control", "--machine", f"other-{self.name}")
        self.assertEqual(self.accept(tool, digest, 403, other["access_token"])["error"]["code"], "insufficient_scope")
        self.assertEqual(self.refresh(status=403, token=other["access_token"])["error"]["code"], "insufficient_scope")
        self.assertEqual(len(self.agent.wait_for("mcp/list")), 2)
        self.assertEqual(self.get("/v1/tools", token=reader, project_id=self.project)["tools"][0]["state"], "changed")
        self.assertEqual(self.ask("GET", "/v1/tools", token=self.key).status, 403)


class Hostile(WithMachine):
    def test_what_hides_text_is_shown(self):
        text = "Reads.\u200b\u202e\x1b[2J\u0000hidden\nnext"
        self.refresh(told("git", {"name": "read", "description": text, "inputSchema": {"properties": {"a\u0000": {"description": text}}}}))
        self.assertEqual(self.tools()["read"]["description"], "Reads.\ufffd\ufffd\ufffd[2J\ufffdhidden\nnext")

    def test_names_that_are_none(self):
        self.refresh(told("git", {"name": "no good"}, {"name": ""}, {"name": "x" * 129}, {"name": "../up"}, {}, "text", STATUS, STATUS),
                     told("bad\nname", STATUS), told("", STATUS), told("bad\u202ename", STATUS), {"name": "no scope"}, 7)
        self.assertEqual(self.names(), ["git_status"])

    def test_answers_that_are_none(self):
        for answer in ({}, {"directory": "relative", "servers": []}, {"directory": "/x", "servers": {}}, []):
            self.answer = lambda params, answer=answer: answer
            self.agent.answers["mcp/list"] = self.answer
            self.assertEqual(self.refresh(status=502)["error"]["code"], "agent_failed")

    def test_deep_schemas(self):
        schema = {"type": "object"}
        for _ in range(15):
            schema = {"type": "object", "properties": {"x": schema}}
        self.refresh(told("git", {**STATUS, "inputSchema": schema}))
        self.assertEqual(self.tools()["git_status"]["parameters"], schema)

    def test_refusals_of_the_machine(self):
        for reason, status in (("untrusted_directory", 422), ("not_allowed_by_machine", 403), ("too_many_commands", 429)):
            self.refusal = Refusal(reason)
            self.assertEqual(self.refresh(status=status)["error"]["code"], reason)
        self.agent.close()
        self.assertEqual(self.refresh(status=503)["error"]["code"], "agent_unavailable")


class WithAgent(unittest.TestCase):
    def configure(self, agent, *behaviours):
        """A scripted client that has servers of these behaviours."""
        client = agent.home.parent / "bin/claude"
        client.parent.mkdir(mode=0o755)
        shutil.copy(TESTS / "ClaudeRunnerTests/scripted_client.py", client)
        client.chmod(0o755)
        servers = [{"name": behaviour, "scope": "user", "status": "pending", "transport": "stdio", "config": {
            "type": "stdio", "command": sys.executable,
            "args": [str(TESTS / "agent/tool_server.py"), behaviour, str(agent.home / "mark")]}} for behaviour in behaviours]
        (agent.home / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
        agent.allow("control=on", f"claude={client}", f"trust={agent.root}")
        return client

    def test_a_machine_tells_of_its_servers(self):
        name = f"real-{uuid.uuid4().hex[:8]}"
        agent = RealAgent(server, name)
        self.addCleanup(agent.close)
        client = self.configure(agent, "plain")
        place = {"machine_id": name, "path": str(agent.root)}
        agent.allow("control=on", f"claude={client}")
        ask = Client(server.address, server.admin, timeout=60).request
        answer = ask("POST", "/v1/mcp/refresh", place)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (422, "untrusted_directory"), answer)
        agent.allow("control=on", f"claude={client}", f"trust={agent.root}")
        answer = ask("POST", "/v1/mcp/refresh", place)
        self.assertEqual(answer.status, 200, answer)
        tools = ask("GET", f"/v1/tools?machine_id={name}").json["tools"]
        self.assertEqual([(tool["name"], tool["description"]) for tool in tools],
                         [("plain.echo", "Says the text again."), ("plain.shout", "Says it louder.")])

    def test_no_server_makes_the_others_unreadable(self):
        """Deep and long definitions are left out on the machine: its message would be refused."""
        name = f"real-{uuid.uuid4().hex[:8]}"
        agent = RealAgent(server, name)
        self.addCleanup(agent.close)
        self.configure(agent, "odd", "plain")
        ask = Client(server.address, server.admin, timeout=60).request
        answer = ask("POST", "/v1/mcp/refresh", {"machine_id": name, "path": str(agent.root)})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual([(one["name"], one["tool_count"], one["is_complete"]) for one in answer.json["servers"]],
                         [("odd", 2, False), ("plain", 2, True)])


if __name__ == "__main__":
    unittest.main()
