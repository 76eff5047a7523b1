"""The documents of the API: they describe all routes and no others, and the answers are as described."""

import json
import unittest

import jsonschema

from harness import Client, Server, end_everything, envelope, hook, session, tool

server = client = document = None


def setUpModule():
    global server, client, document
    server = Server().start()
    client = server.client()
    document = client.get("/openapi.json").json
    chosen = session()
    answer = client.request("POST", "/api/events", [
        envelope(hook("SessionStart", chosen, source="startup", model="claude-opus-5-5")),
        envelope(hook("UserPromptSubmit", chosen, prompt="x")),
        envelope(tool(chosen)),
        envelope(tool(chosen, name="PermissionRequest")),
        envelope(hook("Stop", chosen, last_assistant_message="y")),
    ])
    assert answer.status == 202, answer


def tearDownModule():
    end_everything()


def operations():
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def check(path, method, answer):
    """Checks that the answer has a described status, type and shape."""
    responses = document["paths"][path][method.lower()]["responses"]
    described = responses[str(answer.status)]
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rpartition("/")[2]]
    content = described.get("content", {})
    kind = answer.headers.get("content-type", "").partition(";")[0]
    assert kind in content, (path, method, answer, list(content))
    if kind == "application/json":
        jsonschema.Draft202012Validator({**content[kind]["schema"], "components": document["components"]}).validate(
            answer.json)


class Documents(unittest.TestCase):
    def test_every_operation_says_what_it_is_for_and_answers(self):
        names = []
        for path, method, operation in operations():
            with self.subTest(f"{method} {path}"):
                self.assertTrue(operation["summary"], "not described")
                self.assertTrue([status for status in operation["responses"] if status < "300"], "no answer described")
                names.append(operation["operationId"])
        self.assertEqual(len(names), len(set(names)))

    def test_every_schema_is_one_and_every_reference_leads_to_one(self):
        for name, schema in document["components"]["schemas"].items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)

        def references(value):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                if key == "$ref":
                    yield inner
                elif isinstance(inner, (dict, list)):
                    yield from references(inner)

        for reference in set(references(document)):
            place = document
            for step in reference.removeprefix("#/").split("/"):
                place = place[step]

    def test_what_is_described_is_there_and_what_is_not_is_refused(self):
        for path, methods in document["paths"].items():
            place = path.replace("{id}", "x").replace("{capability}", "respond")
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                with self.subTest(f"{method} {path}"):
                    answer = client.request(method, place)
                    # Without the id of a lost answer, there is nothing to get.
                    if method == "GET" and (path.endswith("/mcp") or path == "/mcp/{profile}"):
                        self.assertEqual(answer.status, 405)
                    elif method.lower() in methods:
                        self.assertNotEqual(answer.status, 405)
                        # A page is there, whatever it says.
                        isPage = "html" in answer.headers.get("content-type", "")
                        self.assertNotEqual(answer.status == 404 and not isPage and answer.json["error"]["code"], "not_found")
                    elif not path.endswith("ws"):
                        self.assertIn(answer.status, (404, 405), answer)

    def test_credentials_are_wanted_where_the_document_says(self):
        stranger = Client(server.address)
        for path, method, operation in operations():
            # An open POST may need a credential in its body.
            if method == "POST" and not operation["security"]:
                continue
            with self.subTest(f"{method} {path}"):
                answer = stranger.request(method, path.replace("{id}", "x").replace("{capability}", "respond"))
                self.assertEqual(answer.status in (401, 426), bool(operation["security"]), answer)


    def test_each_operation_names_its_capability(self):
        names = {"post", "read", "respond", "control", "chat", "tools", "administer"}
        for path, method, operation in operations():
            with self.subTest(f"{method} {path}"):
                if path in ("/v1/me", "/mcp", "/mcp/{profile}"):
                    self.assertNotIn("x-capability", operation)
                elif operation["security"]:
                    self.assertIn(operation["x-capability"], names)
                else:
                    self.assertNotIn("x-capability", operation)

    def test_options_names_the_methods_of_the_path(self):
        for path, methods in document["paths"].items():
            with self.subTest(path):
                place = path.replace("{id}", "x").replace("{capability}", "respond")
                answer = Client(server.address).request("OPTIONS", place)
                self.assertEqual(answer.status, 204, answer)
                allowed = {method.upper() for method in methods} | {"OPTIONS"}
                self.assertEqual(set(answer.headers["allow"].split(", ")), allowed | ({"HEAD"} if "GET" in allowed else set()))


# Only a session that an agent runs answers these.
OF_AGENTS = {"/v1/sessions/{id}/context": 409, "/v1/sessions/{id}/commands": 409, "/v1/sessions/{id}/changes": 503}


class Answers(unittest.TestCase):
    def ask(self, method, path, place=None, body=None, status=200):
        answer = client.request(method, place or path, body)
        self.assertEqual(answer.status, status, answer)
        check(path, method, answer)
        return answer

    def test_reads(self):
        chosen = client.get("/v1/sessions").json["sessions"][0]["id"]
        project = client.get("/v1/projects").json["projects"][0]["id"]
        self.ask("POST", "/api/hooks", body=hook("PermissionRequest", session(), tool_name="Bash"))
        prompt = client.get("/v1/prompts").json["prompts"][0]["id"]
        known = {"/v1/sessions": chosen, "/v1/chat/completions": chosen, "/v1/projects": project, "/v1/models": "opus", "/v1/prompts": prompt,
                 "/v1/machines": client.get("/v1/machines").json["machines"][0]["name"]}
        seen = 0
        for path, method, _ in operations():
            if method != "GET" or path.endswith("/ws") or path in ("/v1/pairing/{id}", "/api/messages", "/api/agent",
                                                                       "/agent/{id}", "/mcp", "/mcp/{profile}", "/oauth/callback",
                                                                       "/link/{token}"):
                continue
            # Only API keys use the tool router: test_tool_router.
            if path.startswith(("/api/v3", "/tool_router/")):
                continue
            # Their agents answer in test_files, test_git and test_tools, profiles in test_mcp_profiles; /oauth/callback and /link are
            # pages, which test_mcp_login and test_accounts read.
            if path.startswith(("/v1/mcp/servers/{id}", "/v1/mcp/profiles/{name}", "/v1/tools/calls/{id}", "/v1/machines/{id}/file",
                                "/api/repository/", "/v1/projects/{id}/git/", "/api/git/")):
                continue
            with self.subTest(path):
                value = known.get(path.partition("/{id}")[0], "x")
                self.ask("GET", path, path.replace("{id}", value) + ("?q=words" if path == "/v1/search" else ""),
                         status=OF_AGENTS.get(path, 200))
                seen += 1
        self.assertGreater(seen, 15)

    def test_pages_and_dimensions(self):
        for path in ("/v1/sessions", "/v1/projects"):
            self.ask("GET", path, path + "?page=1&per_page=1")
        for by in ("day", "machine", "project", "model", "tool"):
            self.ask("GET", "/v1/stats", "/v1/stats?by=" + by)

    def test_writes(self):
        made = self.ask("POST", "/v1/projects", body={"name": "a", "description": "b", "settings": {}}).json
        for method in ("PUT", "PATCH"):
            self.ask(method, "/v1/projects/{id}", "/v1/projects/" + made["id"], {"name": "c"})
        self.ask("DELETE", "/v1/projects/{id}", "/v1/projects/" + made["id"])
        key = self.ask("POST", "/v1/keys", body={"name": "described"}, status=201).json
        self.ask("DELETE", "/v1/keys/{id}", "/v1/keys/" + key["id"])
        self.ask("POST", "/api/events", body=envelope(hook("Stop", session())), status=202)
        self.ask("POST", "/api/hooks", body=hook("Stop", session()))
        self.ask("POST", "/events", body={"hook_event_type": "Stop", "payload": hook("Stop", session())})
        self.ask("POST", "/api/hooks/event", body={"hook_type": "Stop", "data": hook("Stop", session())})

    def test_an_encoded_line_break_in_the_target_is_a_fault_of_the_client(self):
        for path in ("/v1/sessions/a%0Ab", "/v1/stats?by=%0D", "/health?x=%0d%0aX-A:%20b"):
            with self.subTest(path):
                answer = client.get(path)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "bad_target"), answer)
                self.assertNotIn("x-a", answer.headers)

    def test_a_body_may_be_lines(self):
        lines = b"\n".join(json.dumps(envelope(hook("Stop", session()))).encode() for _ in range(2))
        answer = client.request("POST", "/api/events", lines, {"Content-Type": "application/x-ndjson"})
        self.assertEqual(answer.status, 202, answer)
        check("/api/events", "POST", answer)

    def test_pairing_and_devices(self):
        made = self.ask("POST", "/v1/pairing", "/v1/pairing?qr=svg", status=201).json
        self.assertEqual(made["link"], f"{made['url']}/pair#{made['pairing_token']}")
        self.assertTrue(made["link_svg"].startswith("<svg "))
        self.ask("POST", "/v1/pairing", "/v1/pairing?qr=png", status=400)
        self.ask("GET", "/v1/pairing/{id}", "/v1/pairing/" + made["id"])
        token = self.ask("POST", "/api/pair/code", body={"code": made["code"]}).json["pairing_token"]
        tokens = self.ask("POST", "/v1/pairing/exchange", body={"pairing_token": token, "name": "phone"}).json
        self.ask("GET", "/v1/pairing/{id}", "/v1/pairing/" + made["id"])
        self.ask("GET", "/v1/devices")
        again = self.ask("POST", "/api/auth/refresh", body={"refresh_token": tokens["refresh_token"]}).json
        self.ask("POST", "/api/auth/revoke", body={"refresh_token": again["refresh_token"]})
        self.ask("POST", "/api/auth/refresh", body={"refresh_token": again["refresh_token"]}, status=401)
        self.ask("POST", "/api/auth/exchange", body={"code": made["code"]}, status=403)
        self.ask("POST", "/api/auth/exchange", body={}, status=400)
        self.ask("PATCH", "/v1/devices/{id}", "/v1/devices/" + tokens["device_id"], body={"name": "pocket"})
        self.ask("PATCH", "/v1/devices/{id}", "/v1/devices/" + tokens["device_id"], body={}, status=400)
        self.ask("DELETE", "/v1/devices/{id}", "/v1/devices/" + tokens["device_id"])
        self.ask("DELETE", "/v1/devices/{id}", "/v1/devices/" + tokens["device_id"], status=404)
        log = self.ask("GET", "/v1/audit", "/v1/audit?limit=2&actor=admin").json
        self.assertEqual(log["data"][0]["action"], "device.revoke")
        self.assertTrue(log["has_more"])
        rest = self.ask("GET", "/v1/audit", f"/v1/audit?actor=admin&cursor={log['next_cursor']}").json["data"]
        self.assertLess(int(rest[0]["id"]), int(log["data"][-1]["id"]))
        self.assertIn("pairing.create", {entry["action"] for entry in rest + log["data"]})

    def test_telemetry_and_its_failures(self):
        key = server.key("exporter")
        sender = Client(server.address, key)
        for body, headers, status in (
                ({}, {}, 200), (b"{", {}, 400), ({}, {"Content-Type": "text/plain"}, 415), ({}, {"Content-Encoding": "br"}, 415),
                (b"", {"Content-Type": "application/x-protobuf"}, 200), (b"\x0a\x7f", {"Content-Type": "application/x-protobuf"}, 400)):
            with self.subTest(headers=headers, status=status):
                answer = sender.request("POST", "/v1/logs", body, headers)
                self.assertEqual(answer.status, status)
                check("/v1/logs", "POST", answer)
        sender.close()

    def test_failures(self):
        for method, path, place, status in (
                ("GET", "/v1/sessions/{id}", "/v1/sessions/none", 404), ("POST", "/v1/projects", None, 400),
                ("GET", "/v1/events", "/v1/events?limit=0", 400), ("POST", "/api/events", None, 400)):
            with self.subTest(path):
                self.ask(method, path, place, b"", status)


class OpenRPC(unittest.TestCase):
    def test_every_method_is_listed_and_those_of_the_stream_are_described(self):
        found = client.get("/api/rpc/discover").json
        summaries = {method["name"]: method["summary"] for method in found["methods"]}
        for name in ("initialize", "initialized", "shutdown", "ping", "event/subscribe", "event/unsubscribe",
                     "status/health"):
            self.assertTrue(summaries[name], name)
        for method in found["methods"]:
            name = method["result"]["schema"]["$ref"].rpartition("/")[2]
            self.assertIn(name, found["components"]["schemas"])


class Page(unittest.TestCase):
    def test_it_loads_nothing_and_names_everything(self):
        answer = client.get("/docs")
        page = answer.body.decode()
        self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
        for wrong in ("<script", "src=", "@import", "url("):
            self.assertNotIn(wrong, page)
        for path in document["paths"]:
            self.assertIn(f"<code>{path}</code>", page)
