"""The capabilities of a device: those of its pairing, those that are granted and withdrawn, and that it cannot grant itself
more."""

import asyncio
import json
import shutil
import unittest

import websockets

import harness
import test_devices as devices
import test_websocket as ws
from harness import Client, Server, session
from test_devices import Stranger, patiently


def setUpModule():
    global server, machine
    server = devices.server = ws.server = Server(MONITOR_RATE_LIMIT="off").start()
    ws.key = server.key("mac")
    server.key("build")
    machine = {entry["name"]: entry["id"] for entry in server.get("/v1/machines").json["machines"]}


def tearDownModule():
    harness.end_everything()


def pairing(wish=None, credential=None, at=None):
    at = at or server
    return Client(at.address, credential or at.admin).request("POST", "/v1/pairing", wish)


def exchange(secret, at=None, **said):
    answer = patiently(Stranger((at or server).address), "POST", "/v1/pairing/exchange",
                       {**secret, "name": "phone", **said})
    assert answer.status == 200, answer
    return answer.json


def pair(wish=None):
    return exchange({"code": pairing(wish).json["code"]})


def me(tokens, at=None):
    answer = Client((at or server).address, tokens["access_token"]).get("/v1/me")
    assert answer.status == 200, answer
    return answer.json


def may(tokens, at=None):
    return me(tokens, at)["capabilities"]


def change(method, tokens, capability, body=None, credential=None):
    return Client(server.address, credential or server.admin).request(
        method, f"/v1/devices/{tokens['device_id']}/grants/{capability}", body)


def grant(*arguments, **options):
    return change("PUT", *arguments, **options)


def withdraw(*arguments, **options):
    return change("DELETE", *arguments, **options)


class KeysOfDevices(unittest.TestCase):
    def test_a_key_that_a_device_made_is_listed_with_it_and_stays_when_the_device_is_revoked(self):
        chief = pair({"capabilities": ["read", "administer"]})
        made = Client(server.address, chief["access_token"]).request("POST", "/v1/keys", {"name": "from-a-device"})
        self.assertEqual((made.status, made.json["device_id"]), (201, str(chief["device_id"])), made)
        def listed():
            return next(one for one in server.get("/v1/devices").json["devices"] if one["id"] == str(chief["device_id"]))
        self.assertEqual(listed()["key_ids"], [made.json["id"]])
        gone = server.client().request("DELETE", f"/v1/devices/{chief['device_id']}")
        self.assertEqual(gone.status, 200, gone)
        self.assertEqual((listed()["state"], listed()["key_ids"]), ("revoked", [made.json["id"]]))
        self.assertEqual(Client(server.address, made.json["key"]).request("POST", "/api/heartbeat", {"sessions": []}).status, 202)
        server.client().request("DELETE", f"/v1/keys/{made.json['id']}")
        self.assertEqual(listed()["key_ids"], [])
        by_operator = server.client().request("POST", "/v1/keys", {"name": "from-the-operator"}).json
        self.assertNotIn("device_id", by_operator)


class Pairing(unittest.TestCase):
    def test_a_device_gets_what_the_operator_asked_for_it(self):
        for wish, capabilities, machines in (
                (None, ["read", "respond"], {"respond": None}),
                ({"capabilities": ["read"]}, ["read"], {}),
                ({"machines": ["mac"]}, ["read", "respond"], {"respond": [machine["mac"]]}),
                ({"machines": ["mac", machine["build"]]}, ["read", "respond"],
                 {"respond": sorted([machine["mac"], machine["build"]], key=int)}),
                ({"capabilities": ["read", "respond", "administer"]}, ["read", "respond", "administer"],
                 {"respond": None})):
            with self.subTest(wish=wish):
                tokens = pair(wish)
                who = me(tokens)
                self.assertEqual((who["kind"], who["id"], who["name"]), ("device", tokens["device_id"], "phone"))
                self.assertEqual((who["capabilities"], who["machines"]), (capabilities, machines))
                listed = [entry for entry in server.get("/v1/devices").json["devices"]
                          if entry["id"] == tokens["device_id"]]
                self.assertEqual([(entry["capabilities"], entry["machines"]) for entry in listed],
                                 [(capabilities, machines)])

    def test_codes_qr_and_the_routes_of_cdev_carry_it(self):
        for wish, capabilities in ((None, ["read", "respond"]), ({"capabilities": ["read"]}, ["read"])):
            made = pairing(wish).json
            self.assertEqual(may(exchange({"pairing_token": made["cdev_token"]})), capabilities)
            code = patiently(Stranger(server.address), "POST", "/api/pair/code", {"code": pairing(wish).json["code"]})
            answer = patiently(Stranger(server.address), "POST", "/api/auth/exchange",
                               {"pairing_token": code.json["pairing_token"]})
            self.assertEqual(may(answer.json), capabilities)
        self.assertEqual(may(exchange({"pairing_token": server.get("/api/pair/info").json["token"]})),
                         ["read", "respond"])

    def test_what_cannot_be_asked_for_is_refused(self):
        for wish in ({"capabilities": ["read", "control"]}, {"capabilities": ["post", "read"]},
                     {"capabilities": ["respond"]}, {"capabilities": []}, {"machines": []}, {"machines": ["nowhere"]},
                     {"capabilities": ["read"], "machines": ["mac"]}, []):
            with self.subTest(wish=wish):
                answer = pairing(wish)
                self.assertEqual(answer.status, 400, answer)

    def test_from_the_command_line(self):
        made = server.control("device", "pair", "--read-only", "--json")
        self.assertIn('"code"', made.stdout)
        code = json.loads(made.stdout)["code"]
        tokens = exchange({"code": code})
        self.assertEqual(may(tokens), ["read"])
        number = tokens["device_id"]
        said = server.control("device", "grant", number, "respond", "--machine", "mac").stdout
        self.assertEqual(said.strip(), f"device {number} may read, respond (1 machine)")
        self.assertEqual(me(tokens)["machines"], {"respond": [machine["mac"]]})
        self.assertIn("read, respond (1 machine)", server.control("device", "list").stdout)
        server.control("device", "grant", number, "control")
        server.control("device", "revoke-grant", number, "respond")
        self.assertEqual(may(tokens), ["read", "control"])
        self.assertNotEqual(server.control("device", "grant", number, "post", check=False).returncode, 0)


class Me(unittest.TestCase):
    def test_everybody_is_told_who_they_are(self):
        self.assertEqual(Client(server.address).get("/v1/me").status, 401)
        who = server.get("/v1/me").json
        self.assertEqual((who["kind"], who["capabilities"]),
                         ("operator", ["post", "read", "respond", "control", "chat", "tools", "administer"]))
        who = Client(server.address, ws.key).get("/v1/me").json
        self.assertEqual((who["kind"], who["id"], who["name"]), ("machine", machine["mac"], "mac"))
        self.assertEqual((who["capabilities"], who["machines"]), (["post"], {"post": [machine["mac"]]}))


class Granting(unittest.TestCase):
    def test_a_grant_is_answered_with_the_device_and_audited(self):
        tokens = pair({"capabilities": ["read"]})
        answer = grant(tokens, "respond", {"machines": ["mac"]})
        self.assertEqual((answer.status, answer.json["capabilities"], answer.json["machines"]),
                         (200, ["read", "respond"], {"respond": [machine["mac"]]}))
        # The new machines replace the previous ones.
        self.assertEqual(grant(tokens, "respond", {"machines": ["build"]}).json["machines"],
                         {"respond": [machine["build"]]})
        self.assertEqual(grant(tokens, "respond").json["machines"], {"respond": None})
        self.assertEqual(withdraw(tokens, "respond").json["capabilities"], ["read"])
        for action in ("device.grant", "device.withdraw"):
            row = server.get(f"/v1/audit?limit=1&action={action}").json["data"][0]
            self.assertEqual((row["actor"], row["object"], row["result"]),
                             ("admin", f"device:{tokens['device_id']} respond", "granted"))

    def test_what_is_wrong_changes_nothing(self):
        tokens = pair()
        for capability, body, status in (("post", None, 400), ("fly", None, 400), ("read", {"machines": ["mac"]}, 400),
                                         ("respond", {"machines": ["nowhere"]}, 400), ("respond", b"{", 400)):
            with self.subTest(capability, body=body):
                self.assertEqual(grant(tokens, capability, body).status, status)
        self.assertEqual(grant({"device_id": "999999"}, "respond").status, 404)
        server.client().request("DELETE", f"/v1/devices/{tokens['device_id']}")
        self.assertEqual(grant(tokens, "control").status, 404)
        self.assertEqual(withdraw(tokens, "read").status, 404)

    def test_a_refusal_names_the_capability_and_the_command(self):
        tokens = pair()
        answer = Client(server.address, tokens["access_token"]).request("POST", "/v1/keys", {"name": "x"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"))
        self.assertTrue(answer.json["error"]["message"].endswith(
            f"monitorctl device grant {tokens['device_id']} administer"), answer)
        answer = Client(server.address, ws.key).get("/v1/sessions")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"))
        self.assertIn("'read'", answer.json["error"]["message"])

    def test_a_device_that_administers_does_what_the_operator_does(self):
        tokens, other = pair({"capabilities": ["read", "administer"]}), pair({"capabilities": ["read"]})
        client = Client(server.address, tokens["access_token"])
        made = client.request("POST", "/v1/keys", {"name": "by-device"})
        self.assertEqual(made.status, 201, made)
        row = server.get("/v1/audit?limit=1&action=key.create").json["data"][0]
        self.assertEqual(row["actor"], f"device:{tokens['device_id']}")
        self.assertEqual(client.request("DELETE", f"/v1/keys/{made.json['id']}").status, 200)
        self.assertEqual(grant(other, "respond", credential=tokens["access_token"]).status, 200)
        self.assertEqual(pairing(credential=tokens["access_token"]).status, 201)
        self.assertEqual(client.request("DELETE", f"/v1/devices/{other['device_id']}").status, 200)


class Raising(unittest.TestCase):
    """No route gives a device more than the operator granted."""

    def test_what_a_device_asks_for_itself_is_not_heard(self):
        wish = {"capabilities": ["read", "respond", "control", "administer"], "administer": True, "scope": "administer",
                "read_only": False, "machines": ["mac"]}
        made = pairing({"capabilities": ["read"]}).json
        tokens = exchange({"code": made["code"]}, **wish)
        self.assertEqual(may(tokens), ["read"])
        made = pairing({"capabilities": ["read"]}).json
        answer = patiently(Stranger(server.address), "POST", "/api/pair/code", {"code": made["code"], **wish})
        answer = patiently(Stranger(server.address), "POST", "/api/auth/exchange",
                           {"pairing_token": answer.json["pairing_token"], **wish})
        self.assertEqual(may(answer.json), ["read"])
        answer = Client(server.address).request("POST", "/api/auth/refresh",
                                                {"refresh_token": tokens["refresh_token"], **wish})
        self.assertEqual(may(answer.json), ["read"])

    def test_only_who_administers_grants(self):
        tokens, other = pair(), pair()
        grant(tokens, "control")
        for method in ("PUT", "DELETE"):
            for target in (tokens, other):
                for capability in ("read", "respond", "control", "administer"):
                    with self.subTest(method, capability=capability, own=target is tokens):
                        answer = change(method, target, capability, credential=tokens["access_token"])
                        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"))
        for credential in (tokens["access_token"], ws.key):
            self.assertEqual(pairing(credential=credential).status, 403)
        self.assertEqual((may(tokens), may(other)), (["read", "respond", "control"], ["read", "respond"]))

    def test_who_administers_makes_no_other_and_gives_itself_nothing(self):
        chief, other = pair({"capabilities": ["read", "administer"]}), pair()
        credential = chief["access_token"]
        raises = [(other, "administer"), (chief, "administer"), (chief, "respond"), (chief, "control")]
        for target, capability in raises:
            with self.subTest(capability, own=target is chief):
                answer = grant(target, capability, credential=credential)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"))
        # The server counts refusals and writes them every few seconds.
        harness.wait_for(
            lambda: f"device:{chief['device_id']}" in {entry["actor"] for entry in server.get(
                "/v1/audit?action=device.grant&result=forbidden").json["data"]}, "the refusal is in the audit log")
        answer = pairing({"capabilities": ["read", "administer"]}, credential)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "insufficient_scope"))
        self.assertEqual((may(chief), may(other)), (["read", "administer"], ["read", "respond"]))
        # The device may withdraw its own capability.
        self.assertEqual(withdraw(chief, "administer", credential=credential).status, 200)
        self.assertEqual(pairing(credential=credential).status, 403)


class Sockets(unittest.IsolatedAsyncioTestCase):
    async def test_a_grant_counts_on_an_open_socket(self):
        chosen = session()
        ws.post(ws.steps(chosen, 1))
        tokens = await asyncio.to_thread(pair)
        async with ws.connected(server, credential=tokens["access_token"]) as client:
            async def delete():
                return (await client.call("session/delete", {"session_id": chosen})).get("error")

            error = await delete()
            self.assertEqual((error["code"], error["data"]["reason"]), (-32005, "insufficient_scope"))
            self.assertTrue(error["message"].endswith(f"monitorctl device grant {tokens['device_id']} administer"))
            self.assertFalse((await client.initialize())["capabilities"]["workspace"]["add"])
            await asyncio.to_thread(grant, tokens, "administer")
            said = (await client.initialize())["capabilities"]
            self.assertTrue(said["workspace"]["add"])
            self.assertEqual(said["granted"], ["read", "respond", "administer"])
            self.assertIsNone(await delete())
            await asyncio.to_thread(withdraw, tokens, "administer")
            self.assertEqual((await delete())["code"], -32005)

    async def test_a_socket_ends_with_the_right_to_read(self):
        tokens = await asyncio.to_thread(pair)
        registered = await asyncio.to_thread(
            Client(server.address, tokens["access_token"]).request, "POST", "/v1/push/tokens",
            {"kind": "alert", "environment": "production", "token": "ef" * 32})
        self.assertEqual(registered.status, 200, registered)
        async with ws.connected(server, credential=tokens["access_token"]) as client:
            await asyncio.to_thread(withdraw, tokens, "read")
            with self.assertRaises(websockets.ConnectionClosed) as closed:
                while True:
                    await client.receive()
            self.assertEqual(closed.exception.code, 4001)
        self.assertEqual(devices.reads(tokens["access_token"]), 403)
        self.assertNotIn(tokens["device_id"],
                         [token["device_id"] for token in server.get("/v1/push/tokens").json["tokens"]])
        await asyncio.to_thread(grant, tokens, "read")
        self.assertEqual(devices.reads(tokens["access_token"]), 200)

    async def test_another_server_hears_of_it(self):
        postgres = harness.Postgres().start()
        one = Server(DATABASE_URL=postgres.url).start()
        two = Server(DATABASE_URL=postgres.url, MONITOR_ADMIN_TOKEN=one.admin)
        shutil.copy2(one.directory / "device.key", two.directory / "device.key")
        two.start()
        tokens = exchange({"code": pairing(at=one).json["code"]}, one)
        await self.becomes(lambda: Client(two.address, tokens["access_token"]).get("/v1/me").status, 200)
        path = f"/v1/devices/{tokens['device_id']}/grants/administer"
        async with ws.connected(two, credential=tokens["access_token"]) as client:
            async def refused():
                return "error" in await client.call("workspace/remove", {"workspace_id": "ws-none"}) and (
                    await client.call("workspace/remove", {"workspace_id": "ws-none"}))["error"]["code"] == -32005

            self.assertTrue(await refused())
            await asyncio.to_thread(one.client().request, "PUT", path)
            await self.becomes(lambda: may(tokens, two), ["read", "respond", "administer"])
            self.assertFalse(await refused())
            await asyncio.to_thread(one.client().request, "DELETE", path)
            await self.becomes(lambda: may(tokens, two), ["read", "respond"])
            self.assertTrue(await refused())
        one.end()
        two.end()

    async def becomes(self, found, expected):
        for _ in range(100):
            last = await asyncio.to_thread(found)
            if last == expected:
                return
            await asyncio.sleep(0.2)
        self.assertEqual(last, expected)
