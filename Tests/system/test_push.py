"""Pushes, from committed events to a mock of the push services: what is sent, once, what is not sent, and why."""

import asyncio
import base64
import json
import os
import subprocess
import time
import unittest

import harness
import pushing
import test_rpc as rpc
import test_websocket as ws
from approving import Hook
from harness import Client, Postgres, Server, envelope, hook, iso, make_directory, session, stopped, wait_for
from pushing import answered, asking, decisions, deliveries, pair, post, prefer, register, to_token, wait_decided


def setUpModule():
    global server, key, mock, signing_key, directory
    directory = make_directory("push-test.")
    signing_key = pushing.make_key(directory)
    mock = pushing.oracle(directory, signing_key)
    server = Server(**pushing.settings(signing_key, mock)).start()
    key = server.key("pushes")


def tearDownModule():
    harness.end_everything()


def figure(at, name):
    """The sum of a metric's samples; with labels, of those that have them. 0 if there is none."""
    lines = at.get("/metrics").body.decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines
               if line.startswith(name) and (name.endswith("}") or line[len(name)] in "{ "))


class PushCase(unittest.TestCase):
    """Each test has a device of its own, which is unregistered from pushes afterwards."""

    def setUp(self):
        self.name = self.id()
        self.device = pair(server, self.name[-40:])
        self.addCleanup(self.device.request, "DELETE", "/v1/push/tokens")
        prefer(self.device, "?scope=device", grace_seconds=1, budget={"per_hour": 600, "burst": 60})

    def sent(self, count=1):
        """Waits for this number of pushes to this test's device. There must not be more."""
        return wait_for(lambda: len(to_token(mock, self.name)) >= count and to_token(mock, self.name),
                        f"{count} pushes")


class Tokens(PushCase):
    def test_a_token_is_registered_listed_without_itself_and_removed(self):
        made = register(self.device, self.name, app_version="1.2")
        self.assertEqual((made["state"], made["kind"], made["sealed"]), ("active", "alert", False))
        listed = self.device.get("/v1/push/tokens")
        self.assertEqual(listed.json["tokens"], [made])
        self.assertNotIn(pushing.device_token(self.name).encode(), listed.body)
        again = register(self.device, self.name + "2")
        self.assertEqual(again["id"], made["id"])
        removed = self.device.request("DELETE", "/v1/push/tokens/" + made["id"])
        self.assertEqual(removed.json, {"removed": 1})
        self.assertEqual(self.device.request("DELETE", "/v1/push/tokens/" + made["id"]).status, 404)

    def test_what_is_wrong_is_named(self):
        good = {"token": "ab" * 32, "environment": "production"}
        for change, param in (({"token": "xyz"}, "token"), ({"environment": "test"}, "environment"),
                              ({"kind": "fax"}, "kind"), ({"time_zone": "Mars/Base"}, "time_zone"),
                              ({"encryption_key": "AAAA"}, "encryption_key"),
                              ({"kind": "activity_update"}, "session_id"), ({"frequent_updates": 1}, "frequent_updates"),
                              ({"kind": "webpush"}, "endpoint"),
                              ({"kind": "webpush", "endpoint": "https://a.example/x", "keys": {"p256dh": "a", "auth": "b"}},
                               "keys")):
            answer = self.device.request("POST", "/v1/push/tokens", {**good, **change})
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, param), answer)

    def test_the_operator_names_the_device(self):
        operator = server.client()
        body = {"token": "cd" * 32, "environment": "development"}
        self.assertEqual(operator.request("POST", "/v1/push/tokens", body).status, 400)
        made = operator.request("POST", f"/v1/push/tokens?device_id={self.device.id}", body).json
        self.assertEqual(made["device_id"], self.device.id)
        self.assertEqual(operator.request("POST", "/v1/push/tokens?device_id=999999", body).status, 404)

    def test_a_revoked_device_gets_nothing_more(self):
        register(self.device, self.name)
        # The device is revoked before the push is due.
        prefer(self.device, "?scope=device", grace_seconds=4, budget={"per_hour": 600, "burst": 60})
        chosen = session()
        post(server, key, *asking(chosen))
        def mine():
            return [one for notice in decisions(server)["notices"] if notice.get("session_id") == chosen
                    for one in notice["deliveries"] if one["device_id"] == self.device.id]
        wait_for(mine, "it is in the outbox")
        server.control("device", "revoke", self.device.id)
        own = mine()
        self.assertEqual({one["state"] for one in own}, {"withdrawn"}, own)
        time.sleep(5)
        self.assertEqual(to_token(mock, self.name), [])


class Preferences(PushCase):
    def test_layers_are_kept_and_resolved(self):
        chosen = session()
        post(server, key, hook("SessionStart", chosen, source="startup"))
        query = f"?scope=session&id={chosen}"
        prefer(server.client(), query, always_push=True, kinds={"finished": {"enabled": False}})
        found = self.device.get("/v1/push/preferences" + query).json
        self.assertEqual(found["preferences"], {"kinds": {"finished": {"enabled": False}}, "always_push": True})
        self.assertFalse(found["effective"]["kinds"]["finished"]["enabled"])
        self.assertEqual(found["effective"]["grace_seconds"], 6)
        cleared = server.client().request("DELETE", "/v1/push/preferences" + query).json
        self.assertEqual(cleared["preferences"], {})

    def test_what_is_wrong_is_named(self):
        answer = self.device.request("PUT", "/v1/push/preferences?scope=device", {"grace_seconds": 900})
        self.assertEqual((answer.status, answer.json["error"]["param"]), (400, "grace_seconds"))
        self.assertEqual(self.device.get("/v1/push/preferences?scope=galaxy").status, 400)
        self.assertEqual(self.device.get("/v1/push/preferences?scope=session").status, 400)

    def test_what_is_not_there_has_no_preferences(self):
        for scope, code in (("session", "session_not_found"), ("project", "project_not_found")):
            answer = server.client().request("PUT", f"/v1/push/preferences?scope={scope}&id={session()}", {})
            self.assertEqual((answer.status, answer.json["error"]["code"]), (404, code))

    def test_a_device_sees_only_its_own_layer(self):
        answer = self.device.get("/v1/push/preferences?scope=device&id=1")
        self.assertIn(answer.status, (200, 403))
        if self.device.id != "1":
            self.assertEqual(answer.json["error"]["code"], "not_your_device")


class OverSockets(PushCase):
    """The methods of `/ws` give the same results as REST, from the same store."""

    def talk(self, walk, credential=None):
        async def run():
            async with ws.connected(server, credential=credential or self.device.credential) as client:
                return await walk(client)
        return asyncio.run(run())

    def test_a_token_registered_over_one_is_seen_and_removed_over_the_other(self):
        async def walk(client):
            made = await rpc.result(client, "push/token/register", {
                "token": pushing.device_token(self.name), "environment": "production", "time_zone": "Europe/Berlin"})
            self.assertEqual(self.device.get("/v1/push/tokens").json["tokens"], [made])
            self.assertEqual(await rpc.result(client, "push/token/list"), {"tokens": [made]})
            self.assertEqual(await rpc.result(client, "push/token/remove", {"token_id": made["id"]}), {"removed": 1})
            error = await rpc.failure(client, "push/token/remove", {"token_id": made["id"]})
            self.assertEqual((error["code"], error["data"]["reason"]), (-32602, "push_token_not_found"))
            register(self.device, self.name)
            self.assertEqual(await rpc.result(client, "push/token/remove"), {"removed": 1})
            self.assertEqual(await rpc.result(client, "push/offer"), self.device.get("/v1/push").json)
        self.talk(walk)
        self.assertEqual(self.device.get("/v1/push/tokens").json["tokens"], [])

    def test_a_token_registered_by_a_socket_is_pushed_to(self):
        async def walk(client):
            await rpc.result(client, "push/token/register",
                             {"token": pushing.device_token(self.name), "environment": "production"})
        self.talk(walk)
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        self.assertEqual(self.sent()[0]["id"], name)

    def test_a_browsers_subscription(self):
        async def walk(client):
            made = await rpc.result(client, "push/subscription/register", mock.webpush["subscriptions"][1])
            self.assertEqual(made["kind"], "webpush")
            error = await rpc.failure(client, "push/subscription/register",
                                      {"endpoint": "https://a.example/x", "keys": {"p256dh": "a", "auth": "b"}})
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "keys"))
        self.talk(walk)

    def test_preferences_are_those_of_rest(self):
        async def walk(client):
            place = {"scope": "device"}
            made = await rpc.result(client, "push/preferences/set", {**place, "preferences": {"always_push": True}})
            self.assertEqual(made["id"], self.device.id)
            self.assertEqual(self.device.get("/v1/push/preferences?scope=device").json, made)
            self.assertEqual(await rpc.result(client, "push/preferences/get", place), made)
            cleared = await rpc.result(client, "push/preferences/remove", place)
            self.assertEqual((cleared["preferences"], cleared["effective"]["always_push"]), ({}, False))
            error = await rpc.failure(client, "push/preferences/set", {**place, "preferences": {"grace_seconds": 900}})
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "grace_seconds"))
            error = await rpc.failure(client, "push/preferences/get", {"scope": "device", "id": "999999"})
            self.assertEqual((error["code"], error["data"]["reason"]), (-32005, "not_your_device"))
        self.talk(walk)

    def test_the_operator_sets_the_layers_of_sessions(self):
        async def walk(client):
            chosen = session()
            post(server, key, hook("SessionStart", chosen, source="startup"))
            place = {"scope": "session", "id": chosen}
            made = await rpc.result(client, "push/preferences/set", {**place, "preferences": {"always_push": True}})
            self.assertEqual(self.device.get(f"/v1/push/preferences?scope=session&id={chosen}").json, made)
            error = await rpc.failure(client, "push/preferences/set",
                                      {"scope": "session", "id": session(), "preferences": {}})
            self.assertEqual((error["code"], error["data"]["reason"]), (-32602, "session_not_found"))
        self.talk(walk, server.admin)

    def test_the_operator_names_the_device(self):
        async def walk(client):
            token = {"token": "ef" * 32, "environment": "development"}
            error = await rpc.failure(client, "push/token/register", token)
            self.assertEqual((error["code"], error["data"]["param"]), (-32602, "device_id"))
            made = await rpc.result(client, "push/token/register", {**token, "device_id": self.device.id})
            self.assertEqual(made["device_id"], self.device.id)
            error = await rpc.failure(client, "push/token/register", {**token, "device_id": "999999"})
            self.assertEqual(error["code"], -32602)
        self.talk(walk, server.admin)


class Sending(PushCase):
    def setUp(self):
        super().setUp()
        register(self.device, self.name)

    def test_a_test_push_arrives_in_the_right_form(self):
        made = self.device.request("POST", "/v1/push/test")
        self.assertEqual(made.status, 202, made)
        seen = self.sent()[0]
        self.assertEqual(seen["id"], made.json["apns_ids"][0])
        self.assertEqual(seen["headers"]["apns-topic"], pushing.TOPIC)
        self.assertEqual(seen["headers"]["apns-push-type"], "alert")
        decided = wait_decided(server, apns_id=seen["id"])[0]
        self.assertEqual((decided["state"], decided["status"], decided["submissions"]), ("sent", 200, 1))

    def test_a_permission_request_is_pushed_once_after_the_grace(self):
        chosen = session()
        began = time.monotonic()
        event = post(server, key, *asking(chosen))[-1]
        seen = self.sent()[0]
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.assertEqual(seen["payload"]["aps"]["interruption-level"], "time-sensitive")
        self.assertEqual(seen["headers"]["apns-priority"], "10")
        self.assertNotIn("rm -r build", str(seen["payload"]))
        self.assertNotIn(chosen, str(seen["payload"]))
        time.sleep(2)
        self.assertEqual(len(to_token(mock, self.name)), 1)
        found = wait_decided(server, apns_id=seen["id"])[0]
        self.assertEqual((found["state"], found["level"]), ("sent", "time-sensitive"))
        why = server.control("push", "why", seen["id"]).stdout
        self.assertIn("permission", why)
        self.assertIn("sent as time-sensitive", why)
        self.assertTrue(event)

    def test_answered_within_the_grace_it_is_not_pushed(self):
        chosen = session()
        post(server, key, *asking(chosen))
        post(server, key, answered(chosen))
        found = wait_for(lambda: [notice for notice in decisions(server)["notices"]
                                  if notice.get("session_id") == chosen and notice.get("withdrawn_at")], "a withdrawal")
        # If the prompt is judged together with its answer, it has no delivery at all.
        self.assertLessEqual({one["state"] for notice in found for one in notice["deliveries"]}, {"withdrawn"})
        time.sleep(2)
        self.assertEqual(to_token(mock, self.name), [])

    def test_a_prompt_that_the_machines_file_silences_is_not_pushed_and_says_so(self):
        chosen = session()
        hooks = [envelope(one, iso(index * 0.005 - 0.02)) for index, one in enumerate(asking(chosen))]
        hooks[-1]["approvals"] = "who=off hold=3600 after=ask always=no change_input=no risk=delete quiet=now"
        self.assertEqual(Client(server.address, key).request("POST", "/api/events", hooks).json["accepted"], len(hooks))
        notice, = wait_for(lambda: [one for one in decisions(server)["notices"] if one.get("session_id") == chosen],
                           "it is decided")
        self.assertEqual((notice["kind"], notice["withdrawn_because"]), ("permission", "silenced_by_machine"))
        self.assertIn("approvals file", notice["withdrawn_reason"])
        self.assertLessEqual({one["state"] for one in notice["deliveries"]}, {"withdrawn"})
        time.sleep(2)
        self.assertEqual(to_token(mock, self.name), [])
        self.assertEqual(server.client().get(f"/v1/sessions/{chosen}").json["state"], "waiting")

    def test_what_may_be_allowed_by_itself_waits_for_the_dialogs_notification(self):
        chosen = session()
        # This tool ran as soon as it was requested, so something other than a person allows tools here.
        post(server, key, *asking(chosen, "first"), answered(chosen, "first"))
        wait_for(lambda: [one for one in decisions(server)["notices"] if one.get("session_id") == chosen], "judged")
        post(server, key, *[{**one, "tool_use_id": "toolu_2"} if "tool_use_id" in one else one
                            for one in asking(chosen, "second")])
        def held():
            return [one for notice in decisions(server)["notices"] if notice.get("session_id") == chosen
                    for one in notice["deliveries"] if one.get("code") == "unconfirmed"]
        wait_for(held, "it waits for a sign")
        time.sleep(2)
        self.assertEqual(to_token(mock, self.name), [])
        post(server, key, hook("Notification", chosen, message="Claude needs your permission to use Bash",
                               notification_type="permission_prompt"))
        self.assertEqual(self.sent()[0]["payload"]["aps"]["interruption-level"], "time-sensitive")

    def test_answered_later_what_was_sent_is_replaced_in_silence(self):
        chosen = session()
        post(server, key, *asking(chosen))
        first = self.sent()[0]
        wait_decided(server, apns_id=first["id"])
        time.sleep(1)
        post(server, key, answered(chosen))
        second = self.sent(2)[1]
        self.assertEqual(second["headers"]["apns-collapse-id"], first["headers"]["apns-collapse-id"])
        self.assertEqual(second["payload"]["aps"]["interruption-level"], "passive")
        self.assertNotIn("sound", second["payload"]["aps"])

    def test_content_is_sealed_for_the_device(self):
        secret = os.urandom(32)
        register(self.device, self.name, encryption_key=base64.b64encode(secret).decode())
        post(server, key, *asking(session()))
        seen = self.sent()[0]
        box = base64.b64decode(seen["payload"]["monitor"]["sealed"])
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        data = b"\x01" + self.device.id.encode() + b"\0" + seen["id"].encode()
        content = AESGCM(secret).decrypt(box[:12], box[12:], data)
        self.assertIn(b"Bash", content)
        self.assertEqual(seen["payload"]["aps"]["mutable-content"], 1)

    def sealed(self, seen, secret):
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        box = base64.b64decode(seen["payload"]["monitor"]["sealed"])
        data = b"\x01" + self.device.id.encode() + b"\0" + seen["id"].encode()
        return json.loads(AESGCM(secret).decrypt(box[:12], box[12:], data))

    def act(self, id, capability):
        client = Client(server.address)
        try:
            return client.request("POST", f"/v1/prompts/{id}/action", {"capability": capability})
        finally:
            client.close()

    def test_a_push_carries_the_right_to_one_answer(self):
        secret = os.urandom(32)
        register(self.device, self.name, encryption_key=base64.b64encode(secret).decode())
        held = Hook(server, key, session()).start()
        other = Hook(server, key, session()).start()
        seen = self.sent(2)
        self.assertNotIn("actions", str([one["payload"] for one in seen]))
        carried = {content["answer"]["id"]: content["answer"]["actions"]
                   for content in (self.sealed(one, secret) for one in seen)}
        mine = carried[held.prompt]
        self.assertEqual(set(carried), {held.prompt, other.prompt})
        for id, wrong in ((held.prompt, mine["allow"][:-2] + "AA"), (held.prompt, "x"),
                          (held.prompt, carried[other.prompt]["allow"]), (other.prompt, mine["allow"])):
            refused = self.act(id, wrong)
            self.assertEqual((refused.status, refused.json["error"]["code"]), (403, "invalid_capability"), wrong)
        given = self.act(held.prompt, mine["allow"])
        self.assertEqual((given.status, given.json["decision"]), (200, "allow"), given)
        self.assertEqual(held.wait()["hookSpecificOutput"]["decision"]["behavior"], "allow")
        self.assertEqual(self.act(held.prompt, mine["allow"]).status, 200)
        self.assertEqual(self.act(held.prompt, mine["deny"]).status, 409)
        gone = self.act(other.prompt, carried[other.prompt]["allow"][:10])
        self.assertEqual(gone.status, 403)
        # A silent push replaces the notification of the answered prompt on the device.
        replaced = self.sent(3)[2]
        self.assertNotIn("sound", replaced["payload"]["aps"])
        server.client().request("DELETE", f"/v1/devices/{self.device.id}")
        self.assertEqual(self.act(other.prompt, carried[other.prompt]["allow"]).status, 403)
        other.end("released")

    def test_a_kind_that_is_off_is_suppressed_and_says_so(self):
        chosen = session()
        first, *rest = asking(chosen)
        post(server, key, first)
        prefer(server.client(), f"?scope=session&id={chosen}", kinds={"permission": {"enabled": False}})
        # It must also be later by the sender's clock.
        time.sleep(0.1)
        post(server, key, *rest)
        found = wait_for(lambda: [one for notice in decisions(server)["notices"] if notice.get("session_id") == chosen
                                  for one in notice["deliveries"] if one["state"] == "suppressed"], "it is suppressed")
        self.assertEqual({one["code"] for one in found}, {"kind_off"})
        self.assertEqual(to_token(mock, self.name), [])

    def test_a_device_that_shows_the_session_is_left_in_peace(self):
        chosen = session()
        post(server, key, *asking(chosen)[:2])

        async def look():
            import websockets
            import json
            async with websockets.connect(f"ws://{server.address}/ws", extra_headers={
                    "Authorization": f"Bearer {self.device.credential}"}) as socket:
                for number, (method, params) in enumerate((
                        ("initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "t", "version": "1"}}),
                        ("client/session/focus", {"workspace_id": "w", "session_id": chosen}))):
                    await socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
                    while json.loads(await socket.recv()).get("id") != number:
                        pass
                await asyncio.sleep(1.5)
                post(server, key, asking(chosen)[2])
                await asyncio.sleep(5)

        asyncio.run(look())
        self.assertEqual(to_token(mock, self.name), [])
        waiting = [(one["state"], one.get("code")) for notice in decisions(server)["notices"]
                   if notice.get("session_id") == chosen for one in notice["deliveries"]]
        self.assertIn(("waiting", "viewer_present"), waiting)

    def test_an_app_that_asks_by_itself_keeps_no_push_away(self):
        """A socket polls the session again and again, but the person does not look at the screen."""
        chosen = session()
        post(server, key, *asking(chosen)[:2])

        async def walk():
            async with ws.connected(server, credential=self.device.credential) as client:
                await rpc.result(client, "client/session/focus", {"workspace_id": "w", "session_id": chosen})
                self.assertEqual((await rpc.result(client, "client/presence", {"visible": False}))["visible"], False)
                await asyncio.sleep(1.5)
                post(server, key, asking(chosen)[2])
                for _ in range(60):
                    await rpc.result(client, "session/state", {"session_id": chosen})
                    await rpc.result(client, "client/session/focus", {"workspace_id": "w", "session_id": chosen})
                    if to_token(mock, self.name):
                        return
                    await asyncio.sleep(0.2)
                self.fail("nothing was pushed")

        asyncio.run(walk())


class Answers(PushCase):
    """What the push service answers about a token or a push."""

    def setUp(self):
        super().setUp()
        register(self.device, self.name)
        self.addCleanup(mock.do, "steps", service="apns", steps=[])

    def answer_with(self, *steps, **when):
        mock.do("steps", service="apns",
                steps=[{"when": {"path_contains": pushing.device_token(self.name), **when}, "do": list(steps)}])

    def test_a_token_that_is_gone_is_not_used_again_until_it_is_registered_again(self):
        self.answer_with({"status": 410, "reason": "Unregistered", "with": {"timestamp": int(time.time() * 1000) + 60000}})
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        decided = wait_decided(server, apns_id=name)[0]
        self.assertEqual((decided["state"], decided["code"], decided["status"]), ("failed", "token_gone", 410))
        self.assertEqual(self.device.get("/v1/push/tokens").json["tokens"][0]["state"], "gone")
        self.assertEqual(self.device.request("POST", "/v1/push/test").json["error"]["code"], "no_push_token")
        self.assertEqual(register(self.device, self.name)["state"], "active")

    def test_a_410_from_before_the_registration_says_nothing_about_it(self):
        self.answer_with({"status": 410, "reason": "Unregistered", "with": {"timestamp": 1_600_000_000_000}})
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        wait_decided(server, apns_id=name)
        self.assertEqual(self.device.get("/v1/push/tokens").json["tokens"][0]["state"], "active")

    def test_a_bad_token_is_set_aside(self):
        self.answer_with({"status": 400, "reason": "BadDeviceToken"})
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        self.assertEqual(wait_decided(server, apns_id=name)[0]["code"], "token_refused")
        token = self.device.get("/v1/push/tokens").json["tokens"][0]
        self.assertEqual((token["state"], token["state_reason"]), ("quarantined", "BadDeviceToken"))

    def test_a_foreign_topic_is_the_fault_of_its_token_alone(self):
        register(self.device, self.name, topic="com.example.other")
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        self.assertEqual(wait_decided(server, apns_id=name)[0]["code"], "token_refused")
        token = self.device.get("/v1/push/tokens").json["tokens"][0]
        self.assertEqual((token["state"], token["state_reason"]), ("quarantined", "TopicDisallowed"))
        self.assertEqual(server.get("/health").json["push"]["breakers"], [])

    def test_a_busy_service_is_asked_again_later(self):
        self.answer_with({"status": 429, "reason": "TooManyRequests"})
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        found = wait_for(lambda: [one for one in deliveries(server, apns_id=name) if one.get("code") == "retry"], "retry")
        self.assertEqual((found[0]["state"], found[0]["submissions"]), ("waiting", 0))
        self.assertEqual(len(to_token(mock, self.name)), 1)

    def test_a_failing_service_is_asked_again_as_soon_as_it_says_or_after_some_seconds(self):
        for answer, least, most in (({"status": 503, "reason": "ServiceUnavailable", "headers": {"retry-after": "2"}}, 2, 4.5),
                                    ({"status": 500, "reason": "InternalServerError"}, 5, 9)):
            self.answer_with(answer, attempt=1)
            name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
            found = wait_for(lambda: len(own := [one for one in to_token(mock, self.name) if one["id"] == name]) > 1 and own,
                             "the second try", 20)
            self.assertEqual(wait_decided(server, apns_id=name)[0]["state"], "sent")
            pause = found[1]["at"] - found[0]["at"]
            self.assertTrue(least - 0.1 <= pause <= most, pause)

    def test_a_wait_beyond_the_pushs_end_ends_it_and_is_told(self):
        self.answer_with({"status": 503, "reason": "ServiceUnavailable", "headers": {"retry-after": "900"}})
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        decided = wait_decided(server, apns_id=name)[0]
        self.assertEqual((decided["state"], decided["code"]), ("expired", "expired"))
        self.assertIn("ServiceUnavailable", decided["reason"])
        self.assertIn("no other try before", decided["reason"])

    def test_what_is_too_large_is_sent_once_more_smaller(self):
        self.answer_with({"status": 413, "reason": "PayloadTooLarge"}, attempt=1)
        prefer(self.device, "?scope=device", grace_seconds=0, privacy="plain")
        post(server, key, *asking(session(), "x" * 150))
        first, second = self.sent(2)[:2]
        self.assertEqual(first["id"], second["id"])
        self.assertLess(second["bytes"], first["bytes"])
        self.assertEqual(wait_decided(server, apns_id=first["id"])[0]["state"], "sent")

    def test_what_was_finished_is_replaced_in_silence_when_the_person_types_on(self):
        prefer(self.device, "?scope=device", minimum_turn_seconds=0, privacy="plain")
        chosen = session()
        def turn(kind, prompt_id, **more):
            return hook(kind, chosen, prompt_id=prompt_id, permission_mode="default", **more)
        # A Stop hook continues the turn: both ends are one turn, which is pushed once.
        post(server, key, turn("UserPromptSubmit", "p1", prompt="go"), turn("Stop", "p1", stop_hook_active=False))
        time.sleep(1.5)
        post(server, key, turn("PreToolUse", "p1", tool_name="Bash", tool_use_id="t", tool_input={"command": "ls"}))
        time.sleep(1.5)
        post(server, key, turn("UserPromptSubmit", "p2", prompt="more"), turn("Stop", "p2", stop_hook_active=False))
        first = self.sent()[0]
        self.assertEqual(first["payload"]["monitor"]["kind"], "finished")
        wait_decided(server, apns_id=first["id"])
        time.sleep(0.5)
        post(server, key, turn("UserPromptSubmit", "p3", prompt="and more"))
        second = self.sent(2)[1]
        self.assertEqual(second["headers"]["apns-collapse-id"], first["headers"]["apns-collapse-id"])
        self.assertEqual(second["payload"]["monitor"]["kind"], "resolved")
        self.assertNotIn("sound", second["payload"]["aps"])
        self.assertEqual(len(to_token(mock, self.name)), 2)


class LiveActivities(PushCase):
    def test_a_wait_starts_one_and_its_own_token_is_updated(self):
        chosen = session()
        prefer(self.device, "?scope=device", grace_seconds=1, live_activities=True)
        register(self.device, self.name + "start", kind="activity_start")
        post(server, key, *asking(chosen))
        started = wait_for(lambda: to_token(mock, self.name + "start"), "it is started")[0]
        self.assertEqual(started["headers"]["apns-push-type"], "liveactivity")
        self.assertEqual(started["headers"]["apns-topic"], pushing.TOPIC + ".push-type.liveactivity")
        self.assertEqual(started["payload"]["aps"]["event"], "start")
        register(self.device, self.name + "own", kind="activity_update", session_id=chosen)
        time.sleep(6)
        post(server, key, answered(chosen))
        updated = wait_for(lambda: to_token(mock, self.name + "own"), "it is updated", 60)[-1]
        self.assertEqual(updated["payload"]["aps"]["event"], "update")
        self.assertNotEqual(updated["payload"]["aps"]["content-state"]["phase"], "waiting")


    def test_a_step_that_is_due_leaves_once_and_the_next_wait_is_shown(self):
        chosen = session()
        prefer(self.device, "?scope=device", grace_seconds=1, live_activities=True)
        register(self.device, self.name + "start", kind="activity_start")
        def steps():
            return [one["payload"]["aps"] for one in to_token(mock, self.name + "own")]
        def phases():
            return [(one["event"], one["content-state"]["phase"]) for one in steps()]
        post(server, key, *asking(chosen))
        wait_for(lambda: to_token(mock, self.name + "start"), "it is started")
        register(self.device, self.name + "own", kind="activity_update", session_id=chosen)
        time.sleep(1)
        # A change of phase is due 5 s after the last step.
        post(server, key, answered(chosen))
        wait_for(steps, "the other phase is shown", 20)
        time.sleep(2)
        self.assertEqual(phases(), [("update", "running")])
        post(server, key, *[{**one, "tool_use_id": "toolu_2"} if "tool_use_id" in one else one
                            for one in asking(chosen, "again")])
        wait_for(lambda: phases()[-1][1] == "waiting", "the next wait is shown", 10)
        prefer(self.device, "?scope=device", live_activities=False)
        for number in range(3):
            time.sleep(0.5)
            post(server, key, hook("UserPromptSubmit", chosen, prompt=f"{number}", prompt_id=f"q{number}"))
        time.sleep(1)
        self.assertEqual(phases(), [("update", "running"), ("update", "waiting"), ("end", "waiting")])


class Browsers(unittest.TestCase):
    def test_a_browser_gets_its_push_encrypted(self):
        device = pair(server, "browser")
        self.addCleanup(device.request, "DELETE", "/v1/push/tokens")
        offer = device.get("/v1/push").json
        self.assertEqual((offer["status"], offer["apns"]["topic"]), ("on", pushing.TOPIC))
        mock.do("set", service="webpush", settings={"public_key": offer["webpush"]["application_server_key"]})
        answer = device.request("POST", "/v1/push/tokens", {"kind": "webpush", **mock.webpush["subscriptions"][0]})
        self.assertEqual(answer.status, 200, answer)
        name = device.request("POST", "/v1/push/test").json["apns_ids"][0]
        self.assertEqual(wait_decided(server, apns_id=name)[0]["state"], "sent")
        seen = mock.requests("webpush")[-1]
        self.assertEqual(seen["payload"]["kind"], "question")


class Tools(PushCase):
    def setUp(self):
        super().setUp()
        register(self.device, self.name)

    def test_send_test_tells_what_became_of_it(self):
        done = server.control("push", "send-test", self.device.id)
        self.assertIn("sent", done.stdout)
        told = server.control("push", "send-test", "99999", check=False)
        self.assertEqual(told.returncode, 1)

    def test_check_key(self):
        mock.do("steps", service="apns", steps=[
            {"when": {"path_contains": "0" * 64}, "do": [{"status": 400, "reason": "BadDeviceToken"}]}])
        self.addCleanup(mock.do, "steps", service="apns", steps=[])
        self.assertIn("good", server.control("push", "check-key").stdout)
        mock.do("steps", service="apns", steps=[
            {"when": {"path_contains": "0" * 64}, "do": [{"status": 403, "reason": "InvalidProviderToken"}]}])
        bad = server.control("push", "check-key", "--json", check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertIn('"verdict":"refused"', bad.stdout)
        for status, reason in ((429, "TooManyRequests"), (500, "InternalServerError")):
            mock.do("steps", service="apns", steps=[
                {"when": {"path_contains": "0" * 64}, "do": [{"status": status, "reason": reason}]}])
            unsure = server.control("push", "check-key", "--json", check=False)
            self.assertIn('"verdict":"undecided"', unsure.stdout)
            self.assertNotIn("refuses the key", unsure.stdout)

    def test_health_and_metrics_tell_of_pushes(self):
        name = self.device.request("POST", "/v1/push/test").json["apns_ids"][0]
        wait_decided(server, apns_id=name)
        health = server.get("/health").json["push"]
        self.assertEqual(health["status"], "healthy")
        self.assertTrue(health["last_success"])
        metrics = server.get("/metrics").body.decode()
        self.assertRegex(metrics, r'monitor_pushes_total\{kind="question",outcome="sent",reason="sent"\} [1-9]')
        for metric in ("monitor_push_up 1", "monitor_push_waiting", "monitor_push_oldest_due_seconds",
                       "monitor_push_in_flight", 'monitor_push_tokens{kind="alert",state="active"}'):
            self.assertIn(metric, metrics)
        age = float(metrics.split("\nmonitor_push_provider_token_seconds ")[1].split()[0])
        self.assertGreaterEqual(age, 0)


class Counts(PushCase):
    def test_what_is_withdrawn_is_counted_once_by_why(self):
        register(self.device, self.name)
        name = 'monitor_pushes_total{kind="permission",outcome="withdrawn",reason="%s"}'
        before = {reason: figure(server, name % reason) for reason in ("answered_elsewhere", "token_removed")}
        prefer(self.device, "?scope=device", grace_seconds=60)
        answered_one, waiting_one = session(), session()
        post(server, key, *asking(answered_one))
        post(server, key, *asking(waiting_one))
        def waiting():
            return [one for one in deliveries(server) if one["device_id"] == self.device.id and one["state"] == "waiting"]
        # The reminder of each prompt waits, too.
        wait_for(lambda: len(waiting()) == 4, "both wait")
        told = [one.get("reminder", False) for one in decisions(server)["notices"] if one.get("session_id") == waiting_one]
        self.assertEqual(sorted(told), [False, True])
        time.sleep(2)
        post(server, key, answered(answered_one))
        wait_for(lambda: len(waiting()) == 2, "one is withdrawn")
        self.device.request("DELETE", "/v1/push/tokens")
        self.assertEqual(waiting(), [])
        self.assertEqual({reason: figure(server, name % reason) - count for reason, count in before.items()},
                         {"answered_elsewhere": 2, "token_removed": 2})


class Off(unittest.TestCase):
    def test_without_a_key_it_is_off_and_says_so(self):
        own = Server().start()
        self.addCleanup(own.end)
        self.assertRegex(own.text(), r'pushes="off: ')
        self.assertEqual(own.get("/health").json["push"], {"status": "off"})
        device = pair(own)
        self.assertEqual(device.get("/v1/push").json["status"], "off")
        register(device)
        self.assertEqual(device.request("POST", "/v1/push/test").json["error"]["code"], "push_off")

    def test_all_faults_of_the_configuration_are_told_at_once(self):
        done = subprocess.run(
            [harness.SERVER, "check-config"], text=True, capture_output=True, timeout=20,
            env=harness.environment(MONITOR_DATA_DIR=make_directory(), APNS_KEY_ID="short", APNS_KEY_FILE="/nowhere",
                                    APNS_PORT="0", WEBPUSH_SUBJECT="me", WEBPUSH_PRIVATE="perhaps",
                                    APNS_CANARY_DEVICE="phone", APNS_CANARY_MINUTES="5"))
        self.assertEqual(done.returncode, 78)
        for name in ("APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC", "APNS_PORT", "WEBPUSH_SUBJECT", "WEBPUSH_PRIVATE",
                     "APNS_CANARY_DEVICE", "APNS_CANARY_MINUTES"):
            self.assertIn(name, done.stderr)


class Faults(unittest.TestCase):
    """Each test has servers, a database and a mock of its own."""

    def setUp(self):
        self.addCleanup(harness.wait_for, lambda: True, "")
        self.directory = make_directory("push-fault.")
        self.key_file = pushing.make_key(self.directory)
        self.mock = pushing.oracle(self.directory, self.key_file)
        self.addCleanup(self.mock.stop)
        self.postgres = Postgres().start()
        self.addCleanup(self.postgres.end)

    def server(self, **more):
        own = Server(**pushing.settings(self.key_file, self.mock, DATABASE_URL=self.postgres.url, **more)).start()
        self.addCleanup(own.end)
        return own

    def prepared(self, own, name="phone"):
        device = pair(own, name)
        register(device, name)
        prefer(device, "?scope=device", grace_seconds=1, budget={"per_hour": 600, "burst": 60}, session_gap_seconds=0)
        return device

    def test_a_killed_server_loses_no_push_and_doubles_none(self):
        own = self.server()
        self.prepared(own)
        post(own, own.key("m"), *asking(session()))
        own.kill()
        own.start()
        wait_for(lambda: to_token(self.mock, "phone"), "the push comes after the restart")
        time.sleep(2)
        self.assertEqual(len(to_token(self.mock, "phone")), 1)

    def test_a_push_whose_answer_a_killed_server_never_saw_is_sent_once_more_under_its_name(self):
        own = self.server()
        device = self.prepared(own)
        self.mock.do("steps", service="apns", steps=[{"when": {"attempt": 1}, "times": 1, "do": [{"wait": 60}]}])
        device.request("POST", "/v1/push/test")
        wait_for(lambda: to_token(self.mock, "phone"), "the push is under way")
        own.kill()
        own.start()
        found = wait_for(lambda: len(to_token(self.mock, "phone")) > 1 and to_token(self.mock, "phone"),
                         "the push is sent again, long before its claim runs out", 20)
        self.assertEqual(len({one["id"] for one in found}), 1)
        self.assertEqual(wait_decided(own, apns_id=found[0]["id"])[0]["state"], "sent")

    def test_a_successor_takes_up_what_the_dead_server_had_and_nothing_of_one_that_lives(self):
        dead, living = self.server(), self.server()
        devices = {"dead": self.prepared(dead, "dead"), "living": self.prepared(living, "living")}
        self.mock.do("steps", service="apns", steps=[
            {"when": {"path_contains": pushing.device_token("dead"), "attempt": 1}, "times": 1, "do": [{"wait": 60}]},
            {"when": {"path_contains": pushing.device_token("living")}, "do": [{"wait": 15}, {"status": 200}]}])
        # Each server claims a delivery of its own, so the killed server leaves one behind.
        with stopped(dead):
            name = devices["living"].request("POST", "/v1/push/test").json["apns_ids"][0]
            wait_for(lambda: to_token(self.mock, "living"), "the living one's is under way")
        with stopped(living):
            devices["dead"].request("POST", "/v1/push/test")
            wait_for(lambda: to_token(self.mock, "dead"), "the dead one's is under way")
        owners = "SELECT count(DISTINCT claimed_by) FROM push_deliveries"
        self.assertEqual(self.number(owners), 2, self.postgres.sql("TABLE push_deliveries"))
        dead.kill()
        dead.start()
        wait_for(lambda: len(to_token(self.mock, "dead")) == 2, "it is sent again", 20)
        self.assertEqual(len({one["id"] for one in to_token(self.mock, "dead")}), 1)
        decided = wait_decided(living, 40, apns_id=name)[0]
        self.assertEqual((decided["state"], decided["submissions"], decided["attempts"]), ("sent", 1, 1))
        self.assertEqual(len(to_token(self.mock, "living")), 1)

    def test_what_is_counted_as_handed_over_is(self):
        own = self.server()
        # Without a grace period, the first claim decides.
        prefer(self.prepared(own), "?scope=device", grace_seconds=0)
        void, good = session(), session()
        # The first prompt is answered between the claim and the sending, and the database refuses to store that.
        self.postgres.sql(f"""
            CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF NEW.state = 'claimed' THEN
                    UPDATE push_notices SET withdrawn_at = now(), withdrawn_because = 'answered_elsewhere'
                    WHERE id = NEW.notice_id AND session_id = '{void}';
                ELSIF NEW.state = 'withdrawn' THEN
                    RAISE EXCEPTION 'not now';
                END IF;
                RETURN NEW;
            END
            $$;
            CREATE TRIGGER trouble BEFORE UPDATE OF state ON push_deliveries FOR EACH ROW EXECUTE FUNCTION trouble()""")
        post(own, own.key("m"), *asking(void), *asking(good))
        wait_for(lambda: to_token(self.mock, "phone"), "the other is pushed", 20)
        self.assertEqual(len(to_token(self.mock, "phone")), 1)

    def test_health_names_no_host_to_strangers(self):
        own = self.server()
        device = self.prepared(own)
        self.mock.do("steps", service="apns", steps=[{"do": [{"status": 403, "reason": "InvalidProviderToken"}]}])
        device.request("POST", "/v1/push/test")
        def open_channels(client):
            return [one["channel"] for one in client.get("/health").json["push"]["breakers"]]
        wait_for(lambda: open_channels(own.client()), "the channel is suspended")
        self.assertEqual(open_channels(own.client()), ["apns:production"])
        self.assertEqual(open_channels(Client(own.address)), ["apns"])

    def test_what_waited_for_a_suspended_channel_goes_out_when_it_works_again_the_oldest_first(self):
        own = self.server()
        slow, bad, late = (self.prepared(own, name) for name in ("slow", "bad", "late"))
        self.mock.do("steps", service="apns", steps=[
            {"when": {"path_contains": pushing.device_token("slow")}, "do": [{"wait": 6}, {"status": 200}]},
            {"when": {"path_contains": pushing.device_token("bad")}, "times": 1,
             "do": [{"status": 403, "reason": "InvalidProviderToken"}]}])
        # This push proves the connection, so that two later ones may be in flight on it.
        wait_decided(own, apns_id=late.request("POST", "/v1/push/test").json["apns_ids"][0])
        def push(device, name):
            self.assertEqual(device.request("POST", "/v1/push/test").status, 202)
            wait_for(lambda: to_token(self.mock, name), name)
        push(slow, "slow")
        push(bad, "bad")
        def condition():
            return own.get("/health").json["push"]
        wait_for(lambda: condition()["breakers"], "the channel is suspended")
        machine = own.key("m")
        for command in ("one", "two", "three"):
            post(own, machine, *asking(session(), command))
        count = len(to_token(self.mock, "late"))
        wait_for(lambda: len([one for one in deliveries(own) if one.get("code") == "breaker"]) >= 4, "they wait", 20)
        self.assertEqual((condition()["status"], len(to_token(self.mock, "late"))), ("degraded", count))
        # The answer to the push in flight shows that the channel works.
        wait_for(lambda: len(to_token(self.mock, "late")) >= count + 3, "they go out, long before the pause is over", 15)
        wait_for(lambda: condition()["status"] == "healthy", "it is well again")
        self.assertEqual(condition()["held_up"], 0)
        order = self.postgres.sql(
            "SELECT d.apns_id FROM push_deliveries d JOIN push_notices n ON n.id = d.notice_id JOIN push_tokens t"
            f" ON t.id = d.token_id WHERE t.token = '{pushing.device_token('late')}' AND n.kind = 'permission'"
            " AND d.state = 'sent' ORDER BY n.id")
        self.assertEqual([one["id"] for one in to_token(self.mock, "late")][count:], order)

    def test_a_certificate_that_is_not_trusted_is_told_at_once(self):
        other = self.directory / "other.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                        self.directory / "other.key", "-out", other, "-days", "2", "-subj", "/CN=other"],
                       check=True, capture_output=True, timeout=20)
        own = self.server(APNS_CA_FILE=other)
        device = self.prepared(own)
        told = own.control("push", "send-test", device.id, "--wait", "5", check=False)
        self.assertEqual(told.returncode, 1)
        self.assertIn("certificate is refused", told.stdout)
        self.assertIn("[untrusted]", told.stdout)
        checked = own.control("push", "check-key", check=False)
        self.assertIn("certificate is refused", checked.stdout)
        wait_for(lambda: own.get("/health").json["push"]["status"] == "degraded", "health tells", 20)

    def test_a_stop_does_not_wait_for_what_is_still_to_be_judged(self):
        own = self.server()
        self.prepared(own)
        self.postgres.sql("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                          " $$BEGIN PERFORM pg_sleep(0.5); RETURN new; END$$;"
                          "CREATE TRIGGER slow BEFORE UPDATE ON projections FOR EACH ROW WHEN (new.name = 'push') EXECUTE FUNCTION slow()")
        name, chosen = own.key("m"), session()
        # A page of 500 events takes half a second.
        for _ in range(40):
            post(own, name, *[hook("UserPromptSubmit", chosen, prompt="go on") for _ in range(500)])
        status, seconds = own.stop(seconds=60)
        self.assertEqual(status, 0)
        self.assertLess(seconds, 8)

    def test_two_servers_on_one_database_push_once(self):
        first, second = self.server(), self.server()
        device = self.prepared(first)
        keys = [first.key("one"), second.key("two")]
        sessions = [session() for _ in range(12)]
        for index, chosen in enumerate(sessions):
            post((first, second)[index % 2], keys[index % 2], *asking(chosen))
        wait_for(lambda: len(to_token(self.mock, "phone")) >= len(sessions), "all are pushed", 60)
        time.sleep(3)
        found = to_token(self.mock, "phone")
        self.assertEqual(len(found), len(sessions))
        self.assertEqual(len({one["id"] for one in found}), len(sessions))
        for own, machine, chosen in zip((first, second) * 6, keys * 6, sessions):
            post(own, machine, answered(chosen))
        # The push of the prompt, its reminder, and the silent push that replaces them.
        ended = "SELECT count(*) FROM push_deliveries WHERE state NOT IN ('waiting', 'claimed')"
        wait_for(lambda: self.number(ended) == 3 * len(sessions), "all have come to an end", 120)
        time.sleep(1)
        self.assertEqual(sum(figure(one, "monitor_pushes_total") for one in (first, second)), 3 * len(sessions))
        self.assertTrue(device)

    def number(self, statement):
        return int(self.postgres.sql(statement)[0])

    def test_a_canary_is_sent_once_in_its_time_and_its_failure_shows(self):
        own = self.server()
        device = self.prepared(own)
        def canaries():
            return [one for one in to_token(self.mock, "phone") if one["headers"]["apns-push-type"] == "background"]
        def condition():
            return own.get("/health").json["push"]
        self.assertNotIn("canary", condition())
        self.assertEqual(canaries(), [])
        own.end()
        own.settings |= {"APNS_CANARY_DEVICE": device.id, "APNS_CANARY_MINUTES": 1440}
        own.start()
        wait_for(lambda: condition()["canary"]["status"] == "healthy", "the canary is taken", 40)
        seen = canaries()[-1]
        self.assertEqual((seen["headers"]["apns-priority"], seen["payload"]["aps"]), ("5", {"content-available": 1}))
        self.assertEqual(figure(own, "monitor_push_canary_up"), 1)
        self.assertGreaterEqual(figure(own, "monitor_push_canary_last_success_seconds"), 0)
        own.end()
        own.start()
        wait_for(lambda: condition()["canary"]["status"] == "healthy", "it is looked at again", 40)
        # There is a second one only if another day has begun.
        raised = self.number("SELECT count(*) FROM push_notices WHERE kind = 'canary'")
        self.assertEqual((len(canaries()), raised <= 2), (raised, True))
        self.mock.do("steps", service="apns", steps=[{"when": {"path_contains": pushing.device_token("phone")}, "do": [
            {"status": 410, "reason": "Unregistered", "with": {"timestamp": int(time.time() * 1000) + 60000}}]}])
        own.end()
        own.settings["APNS_CANARY_MINUTES"] = 720
        own.start()
        wait_for(lambda: condition()["canary"]["status"] == "failing", "the failure shows", 40)
        self.assertEqual((condition()["status"], condition()["canary"]["code"]), ("degraded", "token_gone"))
        self.assertEqual((figure(own, "monitor_push_canary_up"), figure(own, "monitor_push_up")), (0, 1))

    def test_pushes_wait_for_the_database_and_go_on(self):
        own = self.server()
        device = self.prepared(own)
        self.postgres.stop()
        wait_for(lambda: own.health()[0] == 503, "the database is missed")
        self.postgres.start()
        own.wait_healthy()
        name = wait_for(lambda: (lambda a: a.status == 202 and a.json["apns_ids"][0])(
            device.request("POST", "/v1/push/test")), "a test is taken")
        self.assertEqual(wait_decided(own, apns_id=name)[0]["state"], "sent")

    def test_a_push_that_waits_for_a_connection_is_not_sent_when_its_prompt_is_answered(self):
        gate = pushing.Gate(self.mock.apns["port"])
        own = self.server(APNS_PORT=gate.port)
        device, machine, chosen = self.prepared(own), own.key("m"), session()
        post(own, machine, *asking(chosen))

        def claimed():
            return [one for one in deliveries(own) if one["state"] == "claimed"]
        wait_for(lambda: gate.attempts and claimed(), "the push waits for a connection")
        post(own, machine, answered(chosen))
        # The push that removes the ended prompt from the screen waits as well.
        wait_for(lambda: len(claimed()) == 2, "both wait")
        gate.is_open = True
        ends = wait_decided(own)
        self.assertLessEqual({one["state"] for one in ends}, {"withdrawn", "suppressed"}, ends)
        name = device.request("POST", "/v1/push/test").json["apns_ids"][0]
        wait_for(lambda: to_token(self.mock, "phone"), "a push that is wanted comes")
        self.assertEqual([one["id"] for one in to_token(self.mock, "phone")], [name])

    def test_pushes_wait_for_the_service_until_they_expire(self):
        own = self.server(APNS_PORT=1)
        device = self.prepared(own)
        name = device.request("POST", "/v1/push/test").json["apns_ids"][0]
        wait_for(lambda: [one for one in deliveries(own, apns_id=name) if one.get("code") == "unreachable"],
                 "it was not reached", 60)
        self.assertEqual(deliveries(own, apns_id=name)[0]["state"], "waiting")
        sql = ("UPDATE push_notices SET notice = regexp_replace(notice, '\"expires\":[0-9]+', '\"expires\":1');"
               "UPDATE push_deliveries SET due_at = now(), expires_at = now()")
        self.postgres.run("psql", "-h", self.postgres.directory, "-U", "postgres", "-d", "monitor", "-c", sql)
        decided = wait_decided(own, 60, apns_id=name)[0]
        self.assertEqual((decided["state"], decided["code"]), ("expired", "expired"))


if __name__ == "__main__":
    unittest.main()
