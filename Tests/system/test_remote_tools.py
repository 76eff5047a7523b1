"""Remote MCP servers, which the monitor itself calls: who administers adds them, and the monitor lists their tools."""

import threading
import unittest
import uuid

import test_openapi as openapi
from harness import Postgres, Server, wait_for
from remote_servers import ECHO, RemoteServer

SECRET = "Bearer seLMr3yYzD1Tq8kPvWn0"


def setUpModule():
    global postgres, server
    postgres = Postgres().start()
    server = start(DATABASE_URL=postgres.url)
    openapi.document = server.get("/openapi.json").json


def start(networks="127.0.0.0/8", **settings):
    return Server(MONITOR_RATE_LIMIT="off", MONITOR_TOOL_NETWORKS=networks, **settings).start()


def tearDownModule():
    server.end()
    postgres.end()


class WithRemote(unittest.TestCase):
    server = property(lambda self: server)

    def setUp(self):
        self.answers = []
        self.remote = self.serve()
        self.name = "r" + uuid.uuid4().hex[:12]

    def serve(self, **settings):
        remote = RemoteServer(**settings)
        self.addCleanup(remote.stop)
        return remote

    def ask(self, method, path, body=None, token=None):
        return self.server.client(token or self.server.admin, timeout=60).request(method, path, body)

    def get(self, path, token=None):
        answer = self.ask("GET", path, token=token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def add(self, status=201, **body):
        answer = self.ask("POST", "/v1/mcp/servers", {"name": self.name, "url": self.remote.url, **body})
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def listed(self, added):
        """The server once more, after it was asked for its tools."""
        answer = self.ask("POST", "/v1/mcp/refresh", {"server_id": added["id"]})
        self.assertEqual(answer.status, 200, answer)
        return answer.json["servers"][0]

    def tools(self, added):
        return {tool["tool"]: tool for tool in self.get(f"/v1/mcp/servers/{added['id']}/tools")["tools"]}

    def program(self):
        body = {"name": f"key-{uuid.uuid4()}", "capabilities": ["tools"], "shares": [self.name]}
        answer = self.ask("POST", "/v1/api-keys", body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["key"]

    def executing(self, token, tool="echo", **body):
        def run():
            asked = {"parameters": {"text": "hello"}, "wait": 30, **body}
            self.answers.append(self.ask("POST", f"/v1/tools/{self.name}.{tool}/execute", asked, token))
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join, 40)
        return thread

    def end(self, thread, status, code=None):
        thread.join(40)
        self.assertEqual(len(self.answers), 1)
        answer = self.answers.pop()
        self.assertEqual(answer.status, status, answer)
        if code:
            self.assertEqual(answer.json["error"]["code"], code, answer)
        return answer

    def prompt(self):
        def found():
            prompts = self.get("/v1/prompts?state=open")["prompts"]
            return next((one for one in prompts if one["tool_name"].startswith(self.name) and one["answerable"]), None)
        return wait_for(found, "the prompt of the call")

    def decide(self, decision="allow", token=None):
        return self.ask("POST", f"/v1/prompts/{self.prompt()['id']}/answer", {"decision": decision}, token)

    def call(self, status=200, code=None, **body):
        thread = self.executing(self.program(), **body)
        self.assertEqual(self.decide().status, 200)
        return self.end(thread, status, code)


class Registry(WithRemote):
    def test_a_server_is_added_listed_changed_and_removed(self):
        added = self.add(headers={"Authorization": SECRET})
        openapi.check("/v1/mcp/servers/{id}", "GET", self.ask("GET", f"/v1/mcp/servers/{added['id']}"))
        self.remote.secret = SECRET
        found = self.listed(added)
        self.assertEqual((found["state"], found["machine_id"], found["scope"], found["tool_count"], found["is_complete"],
                          found["url"], found["header_names"]),
                         ("connected", None, "remote", 2, True, self.remote.url, ["Authorization"]))
        self.assertEqual(set(self.tools(added)), {"echo", "look"})
        self.assertIn(added["id"], [one["id"] for one in self.get("/v1/mcp/servers")["servers"]])
        again = self.ask("POST", "/v1/mcp/servers", {"name": self.name, "url": self.remote.url})
        self.assertEqual((again.status, again.json["error"]["code"]), (409, "mcp_server_exists"))
        path = f"/v1/mcp/servers/{added['id']}"
        changed = self.ask("PATCH", path, {"headers": {"X-Other": "1"}, "trust_hints": True})
        self.assertEqual((changed.status, changed.json["header_names"], changed.json["trust_hints"]), (200, ["X-Other"], True))
        self.assertEqual(self.listed(added)["state"], "needs-auth")
        self.assertEqual(self.ask("DELETE", path).status, 204)
        self.assertEqual(self.ask("GET", path).status, 404)
        self.assertEqual(self.ask("DELETE", path).status, 404)

    def test_secrets_are_sealed_and_never_read_back(self):
        added = self.add(headers={"Authorization": SECRET})
        texts = [str(self.ask("GET", path).body) for path in
                 ("/v1/mcp/servers", f"/v1/mcp/servers/{added['id']}", "/v1/audit?limit=50")]
        texts.extend(postgres.sql("SELECT r::text, encode(headers, 'escape') FROM remote_mcp_servers r"))
        texts.append(server.log.read_text() + server.text())
        for text in texts:
            self.assertNotIn(SECRET.split()[1], text)

    def test_credentials_do_not_follow_to_another_origin(self):
        added = self.add(headers={"Authorization": SECRET})
        other = self.serve()
        path = f"/v1/mcp/servers/{added['id']}"
        refused = self.ask("PATCH", path, {"url": other.url})
        self.assertEqual((refused.status, refused.json["error"]["param"]), (400, "headers"))
        moved = self.ask("PATCH", path, {"url": other.url, "headers": None})
        self.assertEqual((moved.status, moved.json["url"], moved.json["header_names"]), (200, other.url, []))
        self.listed(added)
        self.assertNotIn("authorization", other.headers("tools/list")[0])

    def test_only_who_administers_changes_servers(self):
        added = self.add()
        own = f"/v1/mcp/servers/{added['id']}"
        new = {"name": "x", "url": self.remote.url}
        for method, path, body in (("POST", "/v1/mcp/servers", new), ("PATCH", own, {}), ("DELETE", own, None)):
            self.assertEqual(self.ask(method, path, body, self.program()).status, 403)

    def test_bad_bodies(self):
        bad = [{"name": "a__b"}, {"name": "a."}, {"name": ""}, {"name": "mcp_a"}, {"url": "ftp://a/"}, {"url": "https://u:p@a/"},
               {"url": "https://a/?key=1"}, {"url": None}, {"headers": {"Host": "x"}}, {"headers": {"A": "b\r\nc: d"}},
               {"headers": {"Mcp-Session-Id": "x"}}, {"headers": "x"}, {"trust_hints": 1}]
        for body in bad:
            with self.subTest(body):
                answer = self.ask("POST", "/v1/mcp/servers", {"name": self.name, "url": self.remote.url, **body})
                self.assertEqual(answer.status, 400, answer)

    def test_an_old_server_with_sessions_and_one_without(self):
        for sessions in (True, False):
            self.remote = self.serve(legacy=True, sessions=sessions)
            self.remote.streams = True
            self.name += "x"
            added = self.add()
            self.assertEqual(self.listed(added)["tool_count"], 2)
            self.assertEqual("mcp-session-id" in self.remote.headers("tools/list")[-1], sessions)
            self.assertEqual(self.remote.headers("tools/list")[-1]["mcp-protocol-version"], "2025-06-18")
            # The registry may list the server at the same time, of its own accord.
            wait_for(lambda: len(self.remote.messages("notifications/initialized")) == len(self.remote.messages("initialize")),
                     "a notification for each session that began")

    def test_a_server_that_restarts_and_one_that_changes_its_era(self):
        self.remote = self.serve(legacy=True)
        added = self.add()
        self.listed(added)
        self.remote.restart()
        self.assertEqual(self.listed(added)["state"], "connected")
        self.remote.restart(legacy=False)
        self.assertEqual(self.listed(added)["state"], "connected")
        self.remote.restart(legacy=True, sessions=False)
        self.assertEqual(self.listed(added)["state"], "connected")

    def test_pages_and_their_bounds(self):
        self.remote.tools = [dict(ECHO, name=f"t{number}") for number in range(30)]
        self.remote.page = 7
        self.assertEqual(self.listed(self.add())["tool_count"], 30)
        self.remote.tools = [dict(ECHO, name=f"t{number}") for number in range(700)]
        self.remote.page, self.name = 90, self.name + "b"
        found = self.listed(self.add())
        self.assertEqual((found["tool_count"], found["is_complete"]), (500, False))

    def test_hostile_definitions_are_left_out(self):
        deep = {"type": "object"}
        for _ in range(40):
            deep = {"type": "object", "properties": {"a": deep}}
        twice = {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"},
                                                  "b": {"type": "string", "x-mcp-header": "a"}}}
        self.remote.tools = [ECHO, dict(ECHO, name="deep", inputSchema=deep),
                             dict(ECHO, name="big", description="x" * 100_000), dict(ECHO, name="two words"),
                             dict(ECHO, name="marks", inputSchema=twice), ECHO]
        added = self.add()
        found = self.listed(added)
        self.assertEqual((list(self.tools(added)), found["is_complete"], found["state"]), (["echo"], False, "connected"))


class Hostile(WithRemote):
    def fails(self, on_post, reason):
        self.remote.on_post = on_post
        found = self.listed(self.add())
        self.assertEqual(found["state"], "failed", found)
        self.assertIn(reason, found["reason"])

    def test_a_wrong_content_type(self):
        self.fails(lambda handler, message: self.remote.send(handler, 200, b"<html>", kind="text/html"), "type")

    def test_no_json(self):
        self.fails(lambda handler, message: self.remote.send(handler, 200, b"{"), "JSON")

    def test_json_that_is_too_deep(self):
        self.fails(lambda handler, message: self.remote.send(handler, 200, b"[" * 100_000 + b"]" * 100_000), "JSON")

    def test_a_redirect_to_another_place(self):
        other = self.serve()
        self.fails(lambda handler, message: self.remote.send(handler, 307, None, {"Location": other.url}), "redirects")
        self.assertEqual(other.requests, [])

    def test_an_answer_of_100_megabytes(self):
        def send(handler, message):
            try:
                self.remote.send(handler, 200, b" " * 100_000_000)
            except OSError:
                self.remote.closed.release()
        self.fails(send, "more than")
        self.assertTrue(self.remote.closed.acquire(timeout=20))

    def test_an_endless_stream(self):
        def send(handler, message):
            self.remote.stream(handler)
            self.remote.until_closed(handler, b": " + b"x" * 500_000 + b"\n\n", pause=0)
        self.fails(send, "more than")
        self.assertTrue(self.remote.closed.acquire(timeout=20))

    def test_a_server_that_is_away(self):
        self.remote.stop()
        added = self.add()
        self.assertEqual(self.listed(added)["state"], "failed")
        self.remote.start(self.remote.port)
        self.assertEqual(self.listed(added)["state"], "connected")


class Addresses(WithRemote):
    server = property(lambda self: self.own)

    def setUp(self):
        super().setUp()
        self.own = start(networks="")
        self.addCleanup(self.own.end)

    def test_private_addresses_are_refused_unless_listed(self):
        for url in (self.remote.url, self.remote.url.replace("127.0.0.1", "localhost"), "https://10.0.0.1/mcp",
                    f"https://localhost:{self.remote.port}/mcp", "https://[::1]/mcp", "https://169.254.169.254/latest"):
            with self.subTest(url):
                self.name = "r" + uuid.uuid4().hex[:12]
                answer = self.ask("POST", "/v1/mcp/servers", {"name": self.name, "url": url})
                self.assertEqual(answer.status, 201, answer)
                found = self.listed(answer.json)
                self.assertEqual(found["state"], "failed")
                self.assertRegex(found["reason"], "not public|without https")
        self.assertEqual(self.remote.requests, [])


if __name__ == "__main__":
    unittest.main()
