"""The keys of programs: what each may do, how it ends, and that a chat key is no remote control."""

import asyncio
import datetime
import json
import re
import unittest
import uuid

import harness
import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, session, wait_for


def setUpModule():
    global server, machine, document, chosen
    server = rpc.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    ws.key = server.key("mac")
    server.key("build")
    machine = {entry["name"]: entry["id"] for entry in server.get("/v1/machines").json["machines"]}
    chosen = session()
    rpc.story(chosen, *rpc.TURN, home="/home/dev/keys")
    document = server.get("/openapi.json").json


def tearDownModule():
    harness.end_everything()


def ask(wish, credential=None):
    return Client(server.address, credential or server.admin).request("POST", "/v1/api-keys", wish)


def made(*capabilities, **limits):
    answer = ask({"name": f"key-{uuid.uuid4()}", "capabilities": list(capabilities), **limits})
    assert answer.status == 201, answer
    return answer.json


def client(key):
    return Client(server.address, key["key"])


def routes():
    """Each route with the capability that it needs; without those that need none."""
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            if method in ("get", "post", "put", "patch", "delete") and route.get("x-capability"):
                yield method.upper(), path, route["x-capability"]


def place(path, id="999999"):
    return re.sub(r"\{[^}]*\}", id, path)


def audited(action):
    return [(row["actor"], row["object"], row["result"])
            for row in server.get(f"/v1/audit?limit=50&action={action}").json["data"]]


class Rights(unittest.TestCase):
    def test_a_chat_key_is_no_remote_control(self):
        key, tried = client(made("chat")), 0
        for method, path, capability in routes():
            # A chat key lists the models with which it may chat.
            if capability in ("chat", "tools") or path in ("/v1/models", "/v1/models/{id}"):
                continue
            with self.subTest(f"{method} {path}"):
                answer = key.request(method, place(path), None if method == "GET" else {})
                if path in ("/ws", "/v1/ws", "/api/agent"):
                    self.assertIn(answer.status, (403, 426), answer)
                elif path in ("/v1/logs", "/v1/metrics", "/v1/traces"):
                    self.assertEqual(answer.status, 403, answer)
                else:
                    self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"), answer)
                tried += 1
        self.assertGreater(tried, 100)

    def test_a_chat_key_opens_no_socket_and_no_stream(self):
        key = made("chat")
        for path in ("/ws", f"/v1/ws?session_id={chosen}"):
            with self.subTest(path):
                self.assertEqual(asyncio.run(ws.refusal(path=path, headers={"x-api-key": key["key"]})), 403)
        answer = client(key).request("GET", "/v1/events", None, {"Accept": "text/event-stream"})
        self.assertEqual(answer.status, 403, answer)

    def test_a_key_that_reads_changes_nothing(self):
        key, tried = client(made("read")), 0
        before = {path: server.get(path).json for path in ("/v1/push/tokens", "/v1/push/preferences")}
        for method, path, capability in routes():
            if method == "GET":
                continue
            with self.subTest(f"{method} {path}"):
                answer = key.request(method, place(path), {"scope": "default", "device_id": "1"})
                self.assertIn(answer.status, (400, 403, 404) if capability == "read" else (403,), answer)
                tried += 1
        self.assertGreater(tried, 60)
        for path, body in before.items():
            self.assertEqual({**server.get(path).json, "meta": None}, {**body, "meta": None})

    def test_a_program_is_no_device(self):
        key = client(made("read"))
        for method, path in (("GET", "/v1/push/tokens"), ("POST", "/v1/push/tokens?device_id=1"),
                             ("POST", "/v1/push/test?device_id=1"), ("POST", "/v1/tickets"),
                             ("POST", "/v1/prompts/p-1/seen")):
            with self.subTest(path):
                body = {"kind": "alert", "environment": "production", "token": "ab" * 32} if method == "POST" else None
                answer = key.request(method, path, body)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "not_a_device"), answer)

    def test_a_key_that_reads_sees_what_a_device_sees(self):
        key = client(made("read"))
        self.assertIn(chosen, [entry["id"] for entry in key.get("/v1/sessions").json["sessions"]])
        self.assertEqual(key.get("/v1/keys").status, 403)

    def test_a_key_controls_the_machines_that_were_named(self):
        key = client(made("control", machines=["mac"]))
        for name, code in (("mac", "agent_unavailable"), ("build", "insufficient_scope")):
            answer = key.request("POST", "/v1/sessions", {"machine_id": name, "path": "/tmp"})
            self.assertEqual(answer.json["error"]["code"], code, answer)

    def test_it_is_told_who_it_is(self):
        limits = {"machines": ["mac"], "models": ["haiku"], "daily_budget": 2.5, "requests_per_minute": 30}
        key = made("read", "chat", **limits)
        who = client(key).get("/v1/me").json
        self.assertEqual((who["kind"], who["id"], who["name"]), ("api_key", key["id"], key["name"]))
        self.assertEqual((who["capabilities"], who["machines"]), (["read", "chat"], {"chat": [machine["mac"]]}))
        self.assertEqual({name: who[name] for name in limits if name != "machines"},
                         {name: value for name, value in limits.items() if name != "machines"})


class Making(unittest.TestCase):
    def test_no_key_answers_for_a_person_or_administers(self):
        for capability in ("respond", "administer", "post", "everything"):
            answer = ask({"name": "wish", "capabilities": ["chat", capability]})
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, "capabilities"), answer)

    def test_a_device_that_administers_makes_keys_but_none_that_controls(self):
        code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read", "administer"]}).json["code"]
        token = Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json["access_token"]
        answer = ask({"name": "driving", "capabilities": ["control"]}, token)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"), answer)
        answer = ask({"name": "talking", "capabilities": ["chat"]}, token)
        self.assertEqual((answer.status, answer.json["created_by"].partition(":")[0]), (201, "device"), answer)

    def test_a_program_makes_no_key(self):
        for capability in ("read", "control", "chat", "tools"):
            self.assertEqual(ask({"name": "more", "capabilities": ["chat"]}, made(capability)["key"]).status, 403)

    def test_a_name_is_taken_until_its_key_is_revoked(self):
        wish = {"name": "taken", "capabilities": ["chat"]}
        self.assertEqual(ask(wish).status, 201)
        answer = ask(wish)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "name_taken"), answer)
        self.assertEqual(server.client().request("DELETE", "/v1/api-keys/taken").status, 200)
        self.assertEqual(ask(wish).status, 201)

    def test_a_machine_that_nobody_knows_is_400(self):
        answer = ask({"name": "lost", "capabilities": ["chat"], "machines": ["nowhere"]})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "unknown_machine"), answer)

    def test_making_and_revoking_are_audited(self):
        key = made("chat")
        self.assertIn(("admin", f"api_key:{key['id']}", "granted"), audited("api_key.create"))
        server.client().request("DELETE", f"/v1/api-keys/{key['id']}")
        self.assertIn(("admin", f"api_key:{key['id']}", "granted"), audited("api_key.revoke"))

    def test_the_text_is_shown_once_and_stored_nowhere(self):
        key = made("chat")
        self.assertRegex(key["key"], r"\Acma_[0-9A-Za-z]{36}\Z")
        listed = server.get("/v1/api-keys").json["api_keys"]
        self.assertIn(key["id"], [entry["id"] for entry in listed])
        self.assertNotIn(key["key"], json.dumps(listed))
        self.assertNotIn(key["key"], server.text())


class Ending(unittest.TestCase):
    def test_a_revoked_key_ends_its_socket(self):
        key = made("read")

        async def closing():
            async with ws.connected(server, credential=key["key"]) as socket:
                answer = await asyncio.to_thread(server.client().request, "DELETE", f"/v1/api-keys/{key['id']}")
                self.assertEqual(answer.status, 200, answer)
                await asyncio.wait_for(socket.wire.wait_closed(), 20)
                return socket.wire.close_code
        self.assertEqual(asyncio.run(closing()), 4001)
        answer = client(key).get("/v1/sessions")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (401, "invalid_api_key"), answer)

    def test_an_expired_key_is_refused_and_says_why(self):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
        key = client(made("read", expires_at=end.isoformat().replace("+00:00", "Z")))
        wait_for(lambda: key.get("/v1/sessions").status == 401, "the key expires", 20)
        self.assertEqual(key.get("/v1/sessions").json["error"]["code"], "key_expired")

    def test_its_use_is_listed(self):
        key = made("read")
        client(key).get("/v1/sessions")
        wait_for(lambda: next(entry for entry in server.get("/v1/api-keys").json["api_keys"]
                              if entry["id"] == key["id"]).get("last_used_at"), "the use is stored", 20)


class Rates(unittest.TestCase):
    def test_a_keys_own_rate_is_its_limit(self):
        key = client(made("read", requests_per_minute=3))
        answers = [key.get("/v1/sessions") for _ in range(4)]
        self.assertEqual([answer.status for answer in answers], [200, 200, 200, 429])
        self.assertEqual({answer.headers["x-ratelimit-limit"] for answer in answers}, {"3"})

    def test_every_answer_has_the_headers_also_the_operators(self):
        own = Server(MONITOR_RATE_LIMIT="5:10").start()
        self.addCleanup(own.end)
        for path, status in (("/v1/sessions", 200), ("/v1/sessions/none", 404), ("/v1/sessions?odd=1", 400)):
            answer = own.get(path)
            self.assertEqual(answer.status, status, answer)
            self.assertEqual((answer.headers["x-ratelimit-limit"], answer.headers["x-ratelimit-remaining"]), ("10", "10"))


class Pages(unittest.TestCase):
    def preflight(self, origin):
        asked = "authorization, idempotency-key, x-stainless-retry-count, x-stainless-os, mcp-session-id, x-odd"
        return Client(server.address).request("OPTIONS", "/v1/sessions", None, {
            "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked})

    def test_the_headers_of_clients_are_allowed(self):
        allowed = self.preflight(f"http://{server.address}").headers["access-control-allow-headers"].split(", ")
        for name in ("authorization", "idempotency-key", "x-stainless-retry-count", "x-stainless-os", "mcp-session-id"):
            self.assertIn(name, allowed)
        self.assertNotIn("x-odd", allowed)


class CommandLine(unittest.TestCase):
    def test_create_list_and_revoke(self):
        done = server.control("apikey", "create", "editor", "--may", "read,chat", "--machine", "mac", "--model", "haiku",
                              "--budget", "5", "--rate", "60", "--expires", "30d")
        self.assertRegex(done.stdout, r"\Acma_[0-9A-Za-z]{36}\n\Z")
        listed = server.control("apikey", "list").stdout
        self.assertRegex(listed, r"editor +cma_\S+ +read, chat \(1 machine\) +\$5 ")
        self.assertNotIn(done.stdout.strip(), listed)
        entry = next(one for one in server.get("/v1/api-keys").json["api_keys"] if one["name"] == "editor")
        self.assertEqual((entry["models"], entry["daily_budget"], entry["requests_per_minute"]), (["haiku"], 5, 60))
        left = datetime.datetime.fromisoformat(entry["expires_at"]) - datetime.datetime.now(datetime.timezone.utc)
        self.assertTrue(29 <= left.days <= 30, left)
        server.control("apikey", "revoke", "editor")
        self.assertIn("revoked", server.control("apikey", "list").stdout)

    def test_wrong_words_are_refused_before_asking(self):
        for words in (["--may", "respond"], ["--may", "chat", "--expires", "xd"]):
            done = server.control("apikey", "create", "odd", *words, check=False)
            self.assertEqual(done.returncode, 64, done)


if __name__ == "__main__":
    unittest.main()
