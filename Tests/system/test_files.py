"""Files of machines: what a real agent serves, by REST, JSON-RPC and monitorctl; who may ask, and what goes wrong on the way."""

import base64
import json
import os
import unittest
import urllib.parse
import uuid

import test_devices as devices
import test_openapi as openapi
import test_openrpc as openrpc
import test_rpc as rpc
import test_websocket as ws
from agents import Agent, Refusal
from harness import Client, Server, envelope, hook, session
from real_agent import RealAgent
from test_shapes import faults

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
# The guide's examples, reduced to types.
LISTED = {"directory": "string", "directories": [{"path": "string", "name": "string", "file_count": "number",
                                                  "total_size_bytes": "number", "last_modified": "string"}],
          "files": [{"path": "string", "name": "string", "directory": "string", "extension": "string", "size_bytes": "number",
                     "modified_at": "string", "is_binary": "boolean", "is_symlink": "boolean", "is_sensitive": "boolean",
                     "git_tracked": "boolean", "git_ignored": "boolean"}],
          "total_files": "number", "total_directories": "number",
          "pagination": {"limit": "number", "offset": "number", "has_more": "boolean"}}
GOT = {"path": "string", "content": "string", "encoding": "string", "truncated": "boolean", "size": "number"}


def setUpModule():
    global server, machine, name, project, workspace, tokens
    server = devices.server = rpc.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    openapi.document = server.get("/openapi.json").json
    openrpc.document = server.get("/api/rpc/discover").json
    name = f"desk-{uuid.uuid4().hex[:8]}"
    machine = RealAgent(server, name, "files=read")
    project = machine.root / "app"
    (project / "src").mkdir(parents=True)
    (project / "src/main.ts").write_text("import { App } from './app';\n\nconst app = new App();\napp.run();")
    (project / "README.md").write_text("# Read me\n")
    (project / "logo.png").write_bytes(PNG)
    (project / ".env").write_text("TOKEN=secret\n")
    chosen = session()
    posted = Client(server.address, machine.key).request(
        "POST", "/api/events", envelope(dict(hook("SessionStart", chosen, source="startup"), cwd=str(project))))
    assert posted.status == 202, posted
    workspace = server.get(f"/v1/sessions/{chosen}").json["project_id"]
    made = {word: server.client().request("POST", "/v1/pairing", {"capabilities": ["read", *more]}).json["code"]
            for word, more in (("reader", []), ("phone", ["respond"]), ("chief", ["administer"]))}
    tokens = {word: Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json["access_token"]
              for word, code in made.items()}


def tearDownModule():
    machine.close()
    server.end()


def get(route, token=None, **query):
    client = Client(server.address, token or server.admin, timeout=60)
    try:
        return client.request("GET", route + ("?" + urllib.parse.urlencode(query) if query else ""))
    finally:
        client.close()


def ask(end, path=None, token=None, **query):
    return get(f"/v1/machines/{name}/{end}", token, path=str(project if path is None else path), **query)


class FilesCase(unittest.TestCase):
    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)

    def ok(self, answer):
        self.assertEqual(answer.status, 200, answer)
        return answer.json


class Rest(FilesCase):
    def test_a_list(self):
        found = self.ok(ask("files"))
        self.assertEqual([(entry["name"], entry["type"], entry["is_secret"]) for entry in found["entries"]],
                         [("src", "directory", False), (".env", "file", True), ("README.md", "file", False),
                          ("logo.png", "file", False)])
        self.assertEqual((found["path"], found["root"], found["files"], found["directories"], found["has_more"]),
                         (str(project), str(machine.root), 3, 1, False))

    def test_pages(self):
        first = self.ok(ask("files", limit=2))
        self.assertTrue(first["has_more"])
        second = self.ok(ask("files", limit=2, cursor=first["next_cursor"]))
        self.assertEqual([entry["name"] for entry in second["entries"]], ["README.md", "logo.png"])
        self.assertIsNone(second["next_cursor"])

    def test_a_file(self):
        found = self.ok(ask("file", project / "README.md"))
        self.assertEqual((found["content"], found["encoding"], found["size"], found["next_offset"]),
                         ("# Read me\n", "utf-8", 10, None))
        facts = self.ok(ask("file", project / "README.md", content="false"))
        self.assertEqual((facts["type"], facts["content"], facts["version"]), ("file", None, found["version"]))
        part = self.ok(ask("file", project / "README.md", offset=2, limit=4))
        self.assertEqual((part["content"], part["bytes"], part["next_offset"]), ("Read", 4, 6))

    def test_a_file_of_several_messages(self):
        content = ("täglich\n" * 200_000).encode()
        (project / "long.txt").write_bytes(content)
        self.addCleanup((project / "long.txt").unlink)
        found = self.ok(ask("file", project / "long.txt", limit=10 << 20))
        self.assertEqual((found["content"].encode(), found["bytes"], found["next_offset"]), (content, len(content), None))
        # Text up to a point, and no text after it.
        (project / "odd").write_bytes(content + b"\0end")
        self.addCleanup((project / "odd").unlink)
        found = self.ok(ask("file", project / "odd", limit=10 << 20))
        self.assertEqual((found["encoding"], base64.b64decode(found["content"])), ("base64", content + b"\0end"))

    def test_the_bytes_themselves(self):
        picture = ask("file", project / "logo.png", raw=1)
        self.assertEqual((picture.body, picture.headers["content-type"]), (PNG, "image/png"))
        (project / "page.html").write_text("<script>alert(1)</script>")
        self.addCleanup((project / "page.html").unlink)
        page = ask("file", project / "page.html", raw=1)
        self.assertEqual((page.body, page.headers["content-type"]), (b"<script>alert(1)</script>", "application/octet-stream"))
        self.assertTrue(page.headers["content-disposition"].startswith("attachment"))
        for answer in (picture, page):
            self.assertEqual((answer.headers["x-content-type-options"], answer.headers["cache-control"]), ("nosniff", "no-store"))
            self.assertIn("sandbox", answer.headers["content-security-policy"])
            self.assertNotIn("etag", answer.headers)

    def test_more_than_one_answer_has(self):
        with open(project / "huge", "wb") as file:
            file.truncate((10 << 20) + 1)
        self.addCleanup((project / "huge").unlink)
        self.refused(ask("file", project / "huge", raw=1), 413, "file_too_large")
        part = ask("file", project / "huge", raw=1, offset=10 << 20, limit=1000)
        self.assertEqual((part.status, part.body), (200, b"\0"))

    def test_a_name_that_is_not_utf8(self):
        path = os.fsencode(project) + b"/odd\xff"
        with open(path, "wb") as file:
            file.write(b"odd")
        self.addCleanup(os.unlink, path)
        entry = next(entry for entry in self.ok(ask("files"))["entries"] if "name_b64" in entry)
        self.assertEqual(base64.b64decode(entry["name_b64"]), b"odd\xff")
        found = self.ok(get(f"/v1/machines/{name}/file", path_b64=base64.b64encode(path).decode()))
        self.assertEqual((found["content"], base64.b64decode(found["path_b64"])), ("odd", path))

    def test_a_search(self):
        found = self.ok(ask("files/search", query="main"))
        self.assertEqual([hit["path"] for hit in found["results"]], ["src/main.ts"])
        found = self.ok(ask("files/search", query="APP.RUN", mode="content", ignore_case="true"))
        self.assertEqual([(hit["path"], hit["line"], hit["text"]) for hit in found["results"]], [("src/main.ts", 4, "app.run();")])

    def test_refusals(self):
        self.refused(ask("file", "/etc/passwd"), 403, "outside_roots")
        self.refused(ask("file", f"{project}/../../etc"), 403, "outside_roots")
        self.refused(ask("file", project / "missing"), 404, "file_not_found")
        self.refused(ask("file", project / ".env"), 403, "secret_file")
        self.refused(ask("file", project), 422, "wrong_file_kind")
        self.refused(ask("files", project / "README.md"), 422, "wrong_file_kind")
        self.refused(ask("files", "relative"), 400, "invalid_parameter")
        self.refused(get(f"/v1/machines/{name}/files"), 400, "missing_parameter")
        self.refused(ask("files/search"), 400, "missing_parameter")
        self.refused(get("/v1/machines/nowhere/files", path="/"), 404, "machine_not_found")
        machine.allow("files=off")
        self.addCleanup(machine.allow, "files=read")
        self.refused(ask("files"), 403, "not_allowed_by_machine")

    def test_who_may(self):
        self.ok(ask("files", token=tokens["phone"]))
        for word in ("reader", "chief"):
            for end in ("files", "file", "files/search"):
                with self.subTest(word, end=end):
                    query = {"query": "a"} if end == "files/search" else {}
                    self.refused(ask(end, token=tokens[word], **query), 403, "insufficient_scope")
        self.assertEqual(ask("files", token=machine.key).status, 403)
        self.assertEqual(Client(server.address).get(f"/v1/machines/{name}/files?path=/").status, 401)

    def test_cdevs_name(self):
        found = self.ok(get("/api/repository/files/list", workspace_id=workspace, directory="", limit=500, offset=0))
        self.assertEqual(faults(LISTED, found, "list"), [])
        self.refused(get("/api/repository/files/list", workspace_id="ws-none"), 404, "project_not_found")
        self.refused(get("/api/repository/files/list", workspace_id=workspace, directory="../.."), 403, "outside_roots")


class Documents(unittest.IsolatedAsyncioTestCase):
    """The answers are as the documents describe them."""

    def test_rest(self):
        for path, query in [("/v1/machines/{id}/files", {}), ("/v1/machines/{id}/file", {"path": project / "README.md"}),
                            ("/v1/machines/{id}/file", {"content": "false"}),
                            ("/v1/machines/{id}/file", {"path": project / "logo.png", "raw": 1}),
                            ("/v1/machines/{id}/file", {"path": project / "README.md", "raw": 1}),
                            ("/v1/machines/{id}/files/search", {"query": "main"}),
                            ("/v1/machines/{id}/files/search", {"query": "app", "mode": "content"}),
                            ("/api/repository/files/list", {"workspace_id": workspace})]:
            with self.subTest(path, **query):
                place = {"path": project} if "{id}" in path else {}
                answer = get(path.replace("{id}", name), **{**place, **query})
                self.assertEqual(answer.status, 200, answer)
                openapi.check(path, "GET", answer)

    async def test_rpc(self):
        described = {method["name"]: method for method in openrpc.document["methods"]}
        async with ws.connected() as client:
            for method, params in [("workspace/files/list", {}), ("workspace/file/get", {"path": "README.md"}),
                                   ("workspace/file/get", {"path": "logo.png"}), ("repository/search", {"query": "main"})]:
                with self.subTest(method, **params):
                    found = await rpc.result(client, method, {"workspace_id": workspace, **params})
                    openrpc.conforms(described[method], found)


class Rpc(unittest.IsolatedAsyncioTestCase):
    async def test_the_guides_examples(self):
        async with ws.connected() as client:
            for spelling in ("workspace_id", "workspaceId"):
                found = await rpc.result(client, "workspace/files/list", {spelling: workspace, "directory": "", "limit": 500,
                                                                          "offset": 0})
                self.assertEqual(faults(LISTED, found, "list"), [])
            self.assertEqual(found["directories"][0] | {"last_modified": ""},
                             {"path": "src", "name": "src", "file_count": 1, "total_size_bytes": 63, "last_modified": ""})
            self.assertEqual([(file["path"], file["is_sensitive"], file["is_binary"]) for file in found["files"]],
                             [(".env", True, False), ("README.md", False, False), ("logo.png", False, True)])
            self.assertEqual((found["total_files"], found["total_directories"], found["pagination"]),
                             (3, 1, {"limit": 500, "offset": 0, "has_more": False}))
            inner = await rpc.result(client, "workspace/files/list", {"workspace_id": workspace, "directory": "src"})
            self.assertEqual([(file["path"], file["directory"], file["extension"]) for file in inner["files"]],
                             [("src/main.ts", "src", "ts")])
            got = await rpc.result(client, "workspace/file/get", {"workspace_id": workspace, "path": "src/main.ts"})
            self.assertEqual(faults(GOT, got, "get"), [])
            self.assertEqual(got, {"path": "src/main.ts", "content": (project / "src/main.ts").read_text(), "encoding": "utf-8",
                                   "truncated": False, "size": 63, "total_size": 63})

    async def test_older_names_take_the_workspace_that_was_chosen_last(self):
        async with ws.connected() as client:
            for method, params in (("file/get", {"path": "README.md"}), ("file/list", {}), ("repository/files/list", {})):
                error = await rpc.failure(client, method, params)
                self.assertEqual((error["code"], error["message"]), (-32004, "Name the workspace: 'workspace_id'"))
            chosen = await rpc.result(client, "workspace/list")
            chosen = next(one for one in chosen["workspaces"] if one["id"] == workspace)["sessions"][0]["id"]
            await rpc.result(client, "client/session/focus", {"workspace_id": workspace, "session_id": chosen})
            got = await rpc.result(client, "file/get", {"path": "src/main.ts"})
            self.assertEqual(got, await rpc.result(client, "workspace/file/get", {"workspace_id": workspace, "path": "src/main.ts"}))
            for method, name in (("file/list", "path"), ("repository/files/list", "directory")):
                found = await rpc.result(client, method, {name: "src"})
                self.assertEqual([file["path"] for file in found["files"]], ["src/main.ts"])

    async def test_what_is_not_there_says_what_is(self):
        async with ws.connected() as client:
            for method in ("repository/stats", "repository/index/status", "repository/index/rebuild", "repository/files/tree"):
                error = await rpc.failure(client, method, {"workspace_id": workspace})
                self.assertEqual(error["code"], -32004)
                self.assertIn("workspace/files/list", error["message"])
            self.assertIn("session/send", (await rpc.failure(client, "agent/input", {"input": "a"}))["message"])

    async def test_offsets_and_hidden_files(self):
        async with ws.connected() as client:
            page = await rpc.result(client, "workspace/files/list", {"workspace_id": workspace, "limit": 1, "offset": 2})
            self.assertEqual(([file["name"] for file in page["files"]], page["pagination"]["has_more"]), (["README.md"], True))
            shown = await rpc.result(client, "workspace/files/list", {"workspace_id": workspace, "include_hidden": False})
            self.assertEqual([file["name"] for file in shown["files"]], ["README.md", "logo.png"])

    async def test_long_content_is_cut(self):
        (project / "long").write_text('"\n' * 300_000)
        self.addCleanup((project / "long").unlink)
        (project / "noise").write_bytes(os.urandom(600_000))
        self.addCleanup((project / "noise").unlink)
        async with ws.connected() as client:
            for path in ("long", "noise"):
                got = await rpc.result(client, "workspace/file/get", {"workspace_id": workspace, "path": path})
                self.assertTrue(got["truncated"])
                content = got["content"].encode() if got["encoding"] == "utf-8" else base64.b64decode(got["content"])
                self.assertEqual(len(content), got["size"])
                self.assertEqual(content, (project / path).read_bytes()[:got["size"]])
                self.assertLess(len(json.dumps(got)), 512 << 10)
            short = await rpc.result(client, "workspace/file/get", {"workspace_id": workspace, "path": "long", "max_size_kb": 1})
            self.assertEqual((short["size"], short["truncated"]), (1024, True))

    async def test_a_search(self):
        async with ws.connected() as client:
            found = await rpc.result(client, "repository/search", {"workspace_id": workspace, "query": "main", "mode": "fuzzy"})
            self.assertEqual([(hit["path"], hit["name"], hit["directory"], hit["extension"]) for hit in found["results"]],
                             [("src/main.ts", "main.ts", "src", "ts")])
            self.assertEqual((found["total"], found["has_more"]), (1, False))

    async def test_errors(self):
        async with ws.connected() as client:
            for path, code, reason in [("missing", -32020, "file_not_found"), ("../../etc/passwd", -32022, "outside_roots"),
                                       ("/etc/passwd", -32022, "outside_roots"), (".env", -32005, "secret_file")]:
                error = await rpc.failure(client, "workspace/file/get", {"workspace_id": workspace, "path": path})
                self.assertEqual((error["code"], error["data"]["reason"]), (code, reason), path)
            error = await rpc.failure(client, "workspace/files/list", {"workspace_id": "ws-none"})
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "workspace_id"))
            self.assertTrue(client.welcome["capabilities"]["file"]["get"])
        async with ws.connected(credential=tokens["reader"]) as client:
            error = await rpc.failure(client, "workspace/files/list", {"workspace_id": workspace})
            self.assertEqual((error["code"], error["data"]["reason"]), (-32005, "insufficient_scope"))
            self.assertFalse(client.welcome["capabilities"]["file"]["get"])


class Commands(unittest.TestCase):
    def say(self, *words):
        return server.control("files", *words).stdout

    def test_files(self):
        listed = self.say("list", name, str(project))
        self.assertIn("README.md", listed)
        self.assertIn("src/", listed)
        self.assertEqual(self.say("show", name, str(project / "README.md")), "# Read me\n")
        self.assertIn("src/main.ts:4: app.run();",
                      self.say("find", name, str(project), "app.run", "--mode", "content"))
        found = json.loads(self.say("find", name, str(project), "main", "--json"))
        self.assertEqual(found["results"][0]["path"], "src/main.ts")


class Scripted(FilesCase):
    """What an agent may answer, and must not."""

    def setUp(self):
        self.name = f"desk-{uuid.uuid4().hex[:8]}"
        self.key = server.key(self.name)

    def connected(self, **answers):
        agent = Agent(server, self.key, **answers).greet()
        self.addCleanup(agent.close)
        return agent

    def ask(self, end, **query):
        return get(f"/v1/machines/{self.name}/{end}", path="/home/dev/a", **query)

    def test_what_the_agent_is_asked(self):
        agent = self.connected(**{"file/list": lambda params: {"path": params["path"], "root": "/home/dev", "entries": [],
                                                               "sorted": True, "files": 0, "directories": 0,
                                                               "next_cursor": None}})
        self.ok(self.ask("files", limit=5, git="false"))
        asked = agent.wait_for("file/list")[0]
        self.assertEqual((asked["path"], asked["limit"], asked["git"], asked["by"]),
                         ("/home/dev/a", 5, False, {"kind": "operator"}))
        uuid.UUID(asked["command_id"])
        self.assertGreater(asked["deadline_ms"], 0)

    def test_without_an_agent(self):
        self.refused(self.ask("files"), 503, "agent_unavailable")

    def test_the_agents_refusals(self):
        reasons = {"not_allowed_by_machine": 403, "outside_roots": 403, "secret_file": 403, "file_not_found": 404,
                   "wrong_file_kind": 422, "changed_meanwhile": 409, "too_many_commands": 429}
        for reason, status in reasons.items():
            def refuse(_, reason=reason):
                raise Refusal(reason)
            agent = Agent(server, self.key, identity="i" * 32, **{"file/get": refuse}).greet()
            self.refused(self.ask("file"), status, reason)
            agent.close()

    def test_a_file_that_changes_between_two_messages(self):
        def page(params):
            if params["offset"]:
                raise Refusal("changed_meanwhile")
            return {"path": "/home/dev/a", "type": "file", "size": 1000, "version": "v1", "offset": 0, "bytes": 500,
                    "encoding": "utf-8", "content": "x" * 500, "next_offset": 500}
        agent = self.connected(**{"file/get": page})
        self.refused(self.ask("file"), 409, "changed_meanwhile")
        self.assertEqual([params.get("version") for params in agent.wait_for("file/get", 2)], [None, "v1"])

    def endless(self, page):
        """Reads a file of an agent that answers with `page`. Returns how often it was asked for a part."""
        agent = self.connected(**{"file/get": lambda params: {"path": "/home/dev/a", "type": "file", "size": 1 << 40, "version": "v1",
                                                              **page(params["offset"], params["limit"])}})
        self.refused(self.ask("file", limit=10 << 20), 502, "agent_failed")
        return len(agent.wait_for("file/get"))

    def test_an_agent_that_sends_more_than_it_was_asked_for(self):
        for page in (lambda offset, limit: {"encoding": "utf-8", "content": "x" * (limit + 1), "next_offset": offset + 1},
                     lambda offset, limit: {"encoding": "base64", "content": "A" * (limit // 3 * 4 + 8), "next_offset": offset + 1},
                     lambda offset, limit: {"encoding": "utf-8", "content": "x", "next_offset": offset + limit + 1}):
            with self.subTest(page(0, 1)):
                self.setUp()
                self.assertEqual(self.endless(page), 1)

    def test_an_agent_that_never_comes_to_the_end_of_a_file(self):
        asked = self.endless(lambda offset, limit: {"encoding": "utf-8", "content": "x", "next_offset": offset + 1})
        self.assertLess(asked, 100)

    def test_an_agent_that_goes_on_in_another_encoding_again_and_again(self):
        asked = self.endless(lambda offset, limit: {"encoding": "base64" if offset else "utf-8", "content": "AAAA", "next_offset": offset + 3})
        self.assertLess(asked, 10)

    def test_an_answer_that_is_none(self):
        self.connected(**{"file/get": lambda _: {"content": 5}, "file/list": lambda _: {"entries": "none"}})
        self.refused(self.ask("file"), 502, "agent_failed")
        self.refused(self.ask("file", raw=1), 502, "agent_failed")
        self.assertEqual(self.ok(self.ask("files"))["entries"], [])
