"""Pairing, device tokens, and their end: over HTTP, over WebSocket and with the command line."""

import asyncio
import base64
import concurrent.futures
import contextlib
import hashlib
import hmac
import http.client
import itertools
import json
import os
import stat
import subprocess
import time
import unittest

import websockets

import harness
from harness import Client, Server, envelope, hook, session


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("devices")


def tearDownModule():
    server.end()


class Stranger(Client):
    """A client with an address of its own on loopback, because each address may make only a few attempts."""

    numbers = itertools.count(2)

    def __init__(self, address):
        super().__init__(address)
        number = next(self.numbers)
        self.source = f"127.0.{number // 250}.{number % 250 + 2}"

    def request(self, *arguments, **options):
        if self.connection is None:
            host, _, port = self.address.rpartition(":")
            self.connection = http.client.HTTPConnection(
                host, int(port), timeout=self.timeout, source_address=(self.source, 0))
        return super().request(*arguments, **options)


def patiently(client, *request):
    """Repeats an attempt after the time that the server says, because the attempts of all addresses together are limited,
    too."""
    while True:
        answer = client.request(*request)
        if answer.status != 429:
            return answer
        time.sleep(int(answer.headers["retry-after"]))


def invite(at=None):
    at = at or server
    answer = at.client().request("POST", "/v1/pairing")
    assert answer.status == 201, answer
    return answer.json


def pair(name="phone", at=None):
    at = at or server
    answer = patiently(Stranger(at.address), "POST", "/v1/pairing/exchange",
                       {"code": invite(at)["code"], "name": name, "platform": "test"})
    assert answer.status == 200, answer
    return answer.json


def refresh(token, at=None):
    return Client((at or server).address).request("POST", "/api/auth/refresh", {"refresh_token": token})


def reads(token, at=None):
    """The status of a read with that access token."""
    return Client((at or server).address, token).get("/v1/sessions").status


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def der_integer(data, at):
    length = data[at + 1]
    return data[at + 2:at + 2 + length].lstrip(b"\0").rjust(32, b"\0"), at + 2 + length


def sign(header, claims, private_key):
    """A token signed with ES256 by the key in a PEM file, whatever its header says."""
    text = encode(json.dumps(header).encode()) + "." + encode(json.dumps(claims).encode())
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", private_key], input=text.encode(), check=True,
                         capture_output=True, timeout=20).stdout
    r, after = der_integer(der, 2)
    s, _ = der_integer(der, after)
    return text + "." + encode(r + s)


def forge(token, private_key, header=(), **claims):
    """`token` with changed members, signed again. A member that is None is left out."""
    parts = token.split(".")
    head = {**json.loads(decode(parts[0])), **dict(header)}
    body = {**json.loads(decode(parts[1])), **claims}
    return sign({k: v for k, v in head.items() if v is not None}, {k: v for k, v in body.items() if v is not None},
                private_key)


class DeviceCase(unittest.TestCase):
    def refused(self, answer, status, code=None):
        self.assertEqual(answer.status, status, answer)
        error = answer.json["error"]
        self.assertEqual(error["status"], status)
        self.assertTrue(error["request_id"])
        if code:
            self.assertEqual(error["code"], code)
        return error


class Pairing(DeviceCase):
    def test_only_the_operator_invites(self):
        device = pair()["access_token"]
        for method, path in [("POST", "/v1/pairing"), ("GET", "/v1/pairing/1"), ("DELETE", "/v1/devices/1")]:
            with self.subTest(method + path):
                self.refused(Client(server.address).request(method, path), 401)
                self.refused(Client(server.address, key).request(method, path), 403)
                self.refused(Client(server.address, device).request(method, path), 403)
        self.refused(Client(server.address, key).get("/v1/devices"), 403)

    def test_an_invitation_has_all_a_device_needs(self):
        made = invite()
        self.assertRegex(made["code"], r"^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$")
        self.assertRegex(made["pairing_token"], r"^cmp_[0-9A-Za-z]{22}$")
        self.assertEqual(made["url"], server.url)
        self.assertEqual(made["expires_in"], 300)
        info = server.get("/api/pair/info").json
        self.assertEqual(info["ws"], f"ws://{server.address}/ws")
        self.assertEqual(info["http"], server.url)
        self.assertEqual((info["session"], info["repo"], info["auth_required"]), ("", "claude-monitor", True))
        self.assertRegex(info["token"], r"^cdev_p_[0-9A-Za-z]{22}$")
        self.assertTrue(info["token_expires_at"].endswith("Z"))

    def test_a_code_typed_carelessly_makes_a_device_that_reads(self):
        code = invite()["code"].lower().replace("-", " ")
        answer = patiently(Stranger(server.address), "POST", "/v1/pairing/exchange",
                           {"code": code, "name": "Küche", "platform": "iOS 19"})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["cache-control"], "no-store")
        made = answer.json
        self.assertEqual((made["token_type"], made["expires_in"]), ("Bearer", 900))
        for name in ["access_token_expires_at", "refresh_token_expires_at"]:
            self.assertTrue(made[name].endswith("Z"), made[name])
        self.assertEqual(reads(made["access_token"]), 200)
        listed = [d for d in server.get("/v1/devices").json["devices"] if d["id"] == made["device_id"]]
        self.assertEqual([(d["name"], d["platform"], d["state"]) for d in listed], [("Küche", "iOS 19", "active")])

    def test_the_way_of_cdev_clients(self):
        """The client exchanges a code for a pairing token, and the pairing token for tokens."""
        client, made = Stranger(server.address), invite()
        answer = patiently(client, "POST", "/api/pair/code", {"code": made["code"]})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json["expires_at"], made["expires_at"])
        self.assertIn(answer.json["expires_in"], range(280, 301))
        token = answer.json["pairing_token"]
        self.refused(patiently(client, "POST", "/api/pair/code", {"code": made["code"]}), 403, "invalid_pairing")
        self.refused(patiently(client, "POST", "/api/auth/exchange", {"pairing_token": made["pairing_token"]}), 403)
        answer = patiently(client, "POST", "/api/auth/exchange", {"pairing_token": token})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(reads(answer.json["access_token"]), 200)
        self.refused(patiently(client, "POST", "/api/auth/exchange", {"pairing_token": token}), 403)

    def test_the_token_of_the_qr_code_is_good_once(self):
        token = server.get("/api/pair/info").json["token"]
        client = Stranger(server.address)
        self.assertEqual(patiently(client, "POST", "/api/auth/exchange", {"pairing_token": token}).status, 200)
        self.refused(patiently(client, "POST", "/api/auth/exchange", {"pairing_token": token}), 403, "invalid_pairing")

    def test_a_code_used_by_many_at_once_pairs_one(self):
        own = Server().start()
        code = invite(own)["code"]

        def attempt(_):
            return Client(own.address).request("POST", "/v1/pairing/exchange", {"code": code}).status

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = sorted(pool.map(attempt, range(8)))
        self.assertEqual(found, [200] + [403] * 7)
        self.assertEqual(len(own.get("/v1/devices").json["devices"]), 1)
        own.end()

    def test_malformed_requests_are_400(self):
        client = Stranger(server.address)
        for path, bodies in [
            ("/api/auth/refresh", [b"", b"{", b"[]", b"{}", b'{"refresh_token":3}', b'{"refresh_token":""}']),
            ("/api/auth/revoke", [b"{}"]),
            ("/api/pair/code", [b"{}", b'{"code":null}']),
            ("/v1/pairing/exchange", [b"{}", b'{"code":"7K3M-P9QX","name":"a\\nb"}',
                                      json.dumps({"code": "7K3M-P9QX", "name": "x" * 101}).encode()]),
        ]:
            for body in bodies:
                with self.subTest(path, body=body[:40]):
                    self.refused(patiently(client, "POST", path, body), 400)


class Approval(DeviceCase):
    """With MONITOR_PAIRING_APPROVAL, a correct code is not enough: the operator must approve each device."""

    @classmethod
    def setUpClass(cls):
        cls.own = Server(MONITOR_PAIRING_APPROVAL="on").start()

    @classmethod
    def tearDownClass(cls):
        cls.own.end()

    def ask(self, client, secret, name="phone"):
        return patiently(client, "POST", "/api/auth/exchange", {**secret, "name": name, "platform": "test"})

    def pending(self):
        answer = self.own.get("/api/auth/pairing/pending")
        self.assertEqual(answer.json["count"], len(answer.json["pending"]))
        return {entry["request_id"]: entry for entry in answer.json["pending"]}

    def decide(self, word, identifier):
        return self.own.client().request("POST", f"/api/auth/pairing/{word}", {"request_id": identifier})

    def test_a_device_waits_and_is_let_in(self):
        client, made = Stranger(self.own.address), invite(self.own)
        secret = {"pairing_token": made["pairing_token"]}
        first = self.ask(client, secret)
        self.assertEqual((first.status, first.json["status"]), (202, "pending_approval"), first)
        self.assertEqual(set(first.json), {"status", "request_id", "expires_at"})
        identifier = first.json["request_id"]
        entry = self.pending()[identifier]
        self.assertEqual((entry["name"], entry["remote_addr"]), ("phone", client.source))
        self.assertEqual(entry["capabilities"][0], "read")
        self.assertEqual(self.own.get(f"/v1/pairing/{made['id']}").json["approval"], "pending")
        # cdev's client asks this often; a client that guesses codes may not.
        for _ in range(30):
            self.assertEqual(self.ask(client, secret).json["request_id"], identifier)
        answer = self.decide("approve", identifier)
        self.assertEqual((answer.status, answer.json["status"]), (200, "approved"), answer)
        self.assertNotIn(identifier, self.pending())
        tokens = self.ask(client, secret)
        self.assertEqual(tokens.status, 200, tokens)
        self.assertEqual(reads(tokens.json["access_token"], self.own), 200)
        self.refused(self.ask(client, secret), 403, "invalid_pairing")
        self.assertEqual(self.decide("reject", identifier).status, 404)

    def test_a_device_is_turned_away(self):
        client, made = Stranger(self.own.address), invite(self.own)
        identifier = self.ask(client, {"code": made["code"]}).json["request_id"]
        self.assertEqual(self.decide("reject", identifier).json["status"], "rejected")
        self.refused(self.ask(client, {"code": made["code"]}), 403, "pairing_rejected")
        self.assertEqual(self.decide("approve", identifier).status, 404)

    def test_an_approval_is_of_no_use_to_who_stole_the_code(self):
        owner, thief, made = Stranger(self.own.address), Stranger(self.own.address), invite(self.own)
        secret = {"code": made["code"]}
        identifier = self.ask(owner, secret).json["request_id"]
        self.refused(self.ask(thief, secret, "phone"), 403, "invalid_pairing")
        self.decide("approve", identifier)
        self.refused(self.ask(thief, secret, "phone"), 403, "invalid_pairing")
        self.assertEqual(self.ask(owner, secret).status, 200)

    def test_a_wrong_code_waits_for_nobody(self):
        before = self.pending()
        self.refused(self.ask(Stranger(self.own.address), {"code": "0000-0000"}), 403, "invalid_pairing")
        self.assertEqual(self.pending(), before)

    def test_only_the_operator_decides(self):
        client, made = Stranger(self.own.address), invite(self.own)
        identifier = self.ask(client, {"code": made["code"]}).json["request_id"]
        for path in ["approve", "reject"]:
            body = {"request_id": identifier}
            self.assertEqual(Client(self.own.address).request("POST", f"/api/auth/pairing/{path}", body).status, 401)
            key_of_machine = self.own.key("approval")
            self.refused(Client(self.own.address, key_of_machine).request("POST", f"/api/auth/pairing/{path}", body), 403)
        self.assertEqual(Client(self.own.address).get("/api/auth/pairing/pending").status, 401)
        for body in [{}, {"request_id": 1}, {"request_id": "x" * 21}]:
            self.assertEqual(self.own.client().request("POST", "/api/auth/pairing/approve", body).status, 400)
        self.assertEqual(self.decide("approve", "none").status, 404)

    def test_from_the_command_line(self):
        client, made = Stranger(self.own.address), invite(self.own)
        identifier = self.ask(client, {"code": made["code"]}, "typed").json["request_id"]
        self.assertIn("typed", self.own.control("device", "pending").stdout)
        self.own.control("device", "approve", identifier)
        self.assertNotIn("typed", self.own.control("device", "pending").stdout)
        self.assertEqual(self.ask(client, {"code": made["code"]}).status, 200)
        self.assertNotEqual(self.own.control("device", "reject", identifier, check=False).returncode, 0)


class Renewing(DeviceCase):
    def test_a_new_invitation_voids_the_unused_ones_and_no_device(self):
        device, old = pair("kept"), invite()
        self.assertEqual(Client(server.address, device["access_token"]).request("POST", "/api/pair/refresh").status, 403)
        answer = server.client().request("POST", "/api/pair/refresh")
        self.assertEqual(answer.status, 200, answer)
        self.assertLessEqual({"token", "expires_at", "message"}, set(answer.json))
        for secret in [{"code": old["code"]}, {"pairing_token": old["pairing_token"]}]:
            self.refused(patiently(Stranger(server.address), "POST", "/api/auth/exchange", secret), 403,
                         "invalid_pairing")
        self.assertEqual(patiently(Stranger(server.address), "POST", "/api/auth/exchange",
                                   {"pairing_token": answer.json["token"]}).status, 200)
        self.assertEqual(reads(device["access_token"]), 200)


class Audit(DeviceCase):
    """Each grant, refusal, refresh, reuse and revocation has an entry, which nobody can change."""

    def test_the_life_of_a_device(self):
        postgres = harness.Postgres().start()
        own = Server(terminal=True, DATABASE_URL=postgres.url).start()
        stranger = Stranger(own.address)
        exchange = ("POST", "/api/auth/exchange")
        made = patiently(stranger, *exchange, {"code": invite(own)["code"]}).json
        patiently(stranger, *exchange, {"code": "0000-0000"})
        token = patiently(stranger, "POST", "/api/pair/code", {"code": invite(own)["code"]}).json["pairing_token"]
        second = patiently(stranger, *exchange, {"pairing_token": token}).json
        refreshed = refresh(second["refresh_token"], own).json
        refresh(refresh(refreshed["refresh_token"], own).json["refresh_token"], own)
        refresh(second["refresh_token"], own)
        refresh(second["refresh_token"], own)
        own.control("device", "rename", made["device_id"], "My phone")
        own.control("device", "revoke", made["device_id"])
        own.client().request("DELETE", "/v1/devices/999")
        own.client().request("PATCH", f"/v1/devices/{made['device_id']}", {"name": "revoked"})
        Client(own.address).request("POST", "/api/auth/revoke", {"refresh_token": made["refresh_token"]})
        own.client().request("POST", "/api/pair/refresh")
        number = own.client().request("POST", "/v1/keys", {"name": "audited"}).json["id"]
        own.client().request("DELETE", f"/v1/keys/{number}")
        own.stop()
        found = postgres.sql("SELECT attempts, action, actor, coalesce(object, '-'), result FROM access_audit ORDER BY id")
        one, two = f"device:{made['device_id']}", f"device:{second['device_id']}"
        counted = {"pairing.exchange|anonymous|-|unknown", f"token.refresh|{two}|{two}|revoked",
                   "token.revoke|anonymous|-|unknown"}
        self.assertEqual({row.partition("|")[2] for row in found if row.partition("|")[2] in counted}, counted)
        self.assertEqual({row.partition("|")[0] for row in found}, {"1"})
        rows = [row.partition("|")[2] for row in found if row.partition("|")[2] not in counted]
        self.assertEqual(rows, [
            # The server creates the first pairing itself, for the link that it prints at its start.
            "pairing.create|admin|pairing:1|granted",
            "pairing.create|admin|pairing:2|granted", f"pairing.exchange|{one}|{one}|granted",
            "pairing.create|admin|pairing:3|granted",
            "pairing.code|anonymous|pairing:3|granted", f"pairing.exchange|{two}|{two}|granted",
            *[f"token.refresh|{two}|{two}|granted"] * 3, f"token.refresh|{two}|{two}|reuse",
            f"device.rename|admin|{one} device → My phone|granted", f"device.revoke|admin|{one}|granted",
            "device.revoke|admin|device:999|unknown", f"device.rename|admin|{one}|unknown", "pairing.renew|admin|-|granted",
            "pairing.create|admin|pairing:4|granted", f"key.create|admin|key:{number}|granted",
            f"key.revoke|admin|key:{number}|granted"])
        self.assertEqual(postgres.sql("SELECT count(*) FROM access_audit WHERE request_id = '' OR at IS NULL"), ["0"])
        for change in ["UPDATE access_audit SET result = 'granted'", "DELETE FROM access_audit",
                       "TRUNCATE access_audit"]:
            with self.assertRaises(subprocess.CalledProcessError):
                postgres.sql(change)
        own.end()
        postgres.end()


class Crowd(DeviceCase):
    """Many clients behind one address, as behind a proxy that does not name the client."""

    @classmethod
    def setUpClass(cls):
        cls.own = Server().start()

    @classmethod
    def tearDownClass(cls):
        cls.own.end()

    def junk(self, count=150):
        client = Client(self.own.address)
        found = [client.request("POST", path, {name: f"{prefix}{i:043}"}).status for i in range(count)
                 for path, name, prefix in (("/api/auth/refresh", "refresh_token", "cmr_"),
                                            ("/v1/pairing/exchange", "pairing_token", "cmp_"))]
        return found

    def test_the_failures_of_others_lock_nobody_out(self):
        made = pair(at=self.own)
        found = self.junk()
        self.assertIn(429, found)
        client = Client(self.own.address)
        for _ in range(3):
            answer = client.request("POST", "/api/auth/refresh", {"refresh_token": made["refresh_token"]})
            self.assertEqual(answer.status, 200, answer)
            made = answer.json
        token = invite(self.own)["pairing_token"]
        self.assertEqual(client.request("POST", "/v1/pairing/exchange", {"pairing_token": token}).status, 200)
        self.assertEqual(client.request("POST", "/api/auth/revoke", {"refresh_token": made["refresh_token"]}).status, 200)

    def test_right_codes_are_not_charged(self):
        client = Client(self.own.address)
        for _ in range(25):
            answer = client.request("POST", "/v1/pairing/exchange", {"code": invite(self.own)["code"]})
            self.assertEqual(answer.status, 200, answer)

    def test_one_secret_that_is_shown_for_ever_is_slowed_down(self):
        client = Client(self.own.address)
        statuses = [client.request("POST", "/api/auth/refresh", {"refresh_token": "cmr_" + "y" * 43}).status
                    for _ in range(80)]
        self.assertEqual(statuses[-1], 429)

    def test_guesses_at_the_admin_token_are_slowed_down_and_counted(self):
        client = Client(self.own.address, "cmadm_" + "x" * 43)
        statuses = [client.get("/v1/sessions").status for _ in range(400)]
        self.assertEqual((statuses[0], statuses[-1]), (401, 429))
        self.assertEqual(self.own.get("/v1/sessions").status, 200)
        self.assertEqual(Client(self.own.address, "cmk_" + "0" * 36).get("/v1/sessions").status, 401)
        rows = harness.wait_for(
            lambda: self.own.get("/v1/audit?action=credential.guess").json["data"], "guesses are audited")
        self.assertEqual((len(rows), rows[0]["actor"], rows[0]["result"]), (1, "anonymous", "unknown"))

    def test_strangers_do_not_fill_the_audit_log(self):
        def size():
            return len(self.own.get("/v1/audit?limit=200&actor=anonymous").json["data"])
        self.junk(20)
        time.sleep(3)
        before = size()
        self.junk(60)
        client = Client(self.own.address)
        for number in range(60):
            client.request("POST", "/api/pair/code", {"code": f"0000-{number:04}"})
        time.sleep(3)
        self.assertLessEqual(size(), before + 2)


class Guessing(DeviceCase):
    def test_guessing_is_slowed_down_and_the_right_code_still_works_afterwards(self):
        own = Server().start()
        code, client = invite(own)["code"], Client(own.address)
        started = time.monotonic()
        answers = [client.request("POST", path, {"code": f"0000-{i:04}"})
                   for i in range(100) for path in ["/api/pair/code", "/v1/pairing/exchange"]]
        statuses = [answer.status for answer in answers]
        let_through = 11 + (time.monotonic() - started) / 10
        self.assertLessEqual(statuses.count(403), let_through)
        self.assertEqual(set(statuses), {403, 429})
        error = self.refused(answers[-1], 429, "too_many_attempts")
        self.assertGreaterEqual(error["retry_after"], 1)
        self.assertLessEqual(int(answers[-1].headers["retry-after"]), 11)
        self.assertEqual(client.request("POST", "/v1/pairing/exchange", {"code": code}).status, 429)
        token = invite(own)["pairing_token"]
        self.assertEqual(client.request("POST", "/v1/pairing/exchange", {"pairing_token": token}).status, 200)
        self.assertEqual(patiently(client, "POST", "/v1/pairing/exchange", {"code": code}).status, 200)
        own.end()


class Tokens(DeviceCase):
    @classmethod
    def setUpClass(cls):
        cls.tokens = pair("tokens")
        cls.good = cls.tokens["access_token"]
        cls.private = server.directory / "device.key"
        cls.stranger = harness.make_directory() / "stranger.key"
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                        cls.stranger], check=True, capture_output=True, timeout=20)

    def test_the_key_is_for_the_server_alone(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.private).st_mode), 0o600)

    def test_a_device_reads_and_does_not_post(self):
        client = Client(server.address, self.good)
        for path in ["/v1/sessions", "/v1/events", "/v1/machines", "/v1/devices"]:
            self.assertEqual(client.get(path).status, 200, path)
        for path in ["/api/events", "/api/hooks", "/v1/keys"]:
            self.refused(client.request("POST", path, envelope(hook("Stop", session()))), 403)

    def test_what_was_signed_right_is_accepted(self):
        """The other tests forge tokens. This one proves that their signatures are correct."""
        self.assertEqual(reads(forge(self.good, self.private)), 200)

    def test_claims_that_are_not_right_are_refused(self):
        now = int(time.time())
        for changes, code in [
            ({"exp": now - 61}, "token_expired"), ({"nbf": now + 120}, "token_not_yet_valid"),
            ({"iat": now + 120}, "token_not_yet_valid"), ({"iss": "other"}, "invalid_token"),
            ({"aud": "other"}, "invalid_token"), ({"sub": "admin"}, "invalid_token"), ({"exp": None}, "invalid_token"),
            ({"nbf": None}, "invalid_token"), ({"sub": "99999"}, "device_revoked"),
        ]:
            with self.subTest(str(changes)):
                answer = Client(server.address, forge(self.good, self.private, **changes)).get("/v1/sessions")
                self.refused(answer, 401, code)

    def test_a_clock_a_little_off_is_let_through(self):
        now = int(time.time())
        self.assertEqual(reads(forge(self.good, self.private, exp=now - 40)), 200)
        self.assertEqual(reads(forge(self.good, self.private, nbf=now + 40, iat=now + 40)), 200)

    def test_other_algorithms_and_keys_are_refused(self):
        head, body, signature = self.good.split(".")
        public = subprocess.run(["openssl", "pkey", "-in", self.private, "-pubout"], check=True, capture_output=True,
                                timeout=20).stdout
        attacks = {"another key": forge(self.good, self.stranger),
                   "another kid": forge(self.good, self.private, {"kid": "other"}),
                   "no kid": forge(self.good, self.private, {"kid": None}),
                   "its own jwk": forge(self.good, self.stranger, {"jwk": {"kty": "EC", "crv": "P-256"}}),
                   "no signature": f"{head}.{body}.", "cut": self.good[:-7], "a longer signature": self.good + "AAAA",
                   "a zero signature": f"{head}.{body}.{encode(bytes(64))}"}
        for name in ["none", "None", "NONE"]:
            other = encode(json.dumps({**json.loads(decode(head)), "alg": name}).encode())
            attacks[name] = f"{other}.{body}."
            attacks[name + ", signed"] = f"{other}.{body}.{signature}"
        for name, secret in {"PEM": public, "DER": decode(public.decode().split("-----")[2].replace("\n", "").replace(
                "+", "-").replace("/", "_"))}.items():
            other = encode(json.dumps({**json.loads(decode(head)), "alg": "HS256"}).encode())
            code = hmac.new(secret, f"{other}.{body}".encode(), hashlib.sha256).digest()
            attacks["HS256 " + name] = f"{other}.{body}.{encode(code)}"
        for name, token in attacks.items():
            with self.subTest(name):
                self.refused(Client(server.address, token).get("/v1/sessions"), 401, "invalid_token")

    def test_tokens_outlive_a_restart(self):
        own = Server().start()
        made = pair(at=own)
        own.stop()
        own.start()
        self.assertEqual(reads(made["access_token"], own), 200)
        self.assertEqual(refresh(made["refresh_token"], own).status, 200)
        own.end()


def ticket(made):
    answer = Client(server.address, made["access_token"]).request("POST", "/v1/tickets")
    assert answer.status == 200, answer
    return answer.json["ticket"]


class Tickets(unittest.IsolatedAsyncioTestCase):
    """A page in a browser opens its WebSocket with a ticket, because it can send subprotocols but no header."""

    async def status(self, offered, path="/ws", **headers):
        """101 or the status of the refusal, and the subprotocol that the server chose."""
        try:
            async with websockets.connect(f"ws://{server.address}{path}", subprotocols=["jsonrpc", offered],
                                          extra_headers=headers, open_timeout=10) as wire:
                return 101, wire.subprotocol
        except websockets.InvalidStatusCode as refused:
            return refused.status_code, None

    async def test_it_opens_one_socket_on_either_path(self):
        made = pair()
        for path in ("/ws", "/v1/ws?session_id=x"):
            with self.subTest(path):
                name = "ticket." + ticket(made)
                self.assertLess(len("jsonrpc, " + name), 127)
                self.assertEqual(await self.status(name, path), (101, "jsonrpc"))
                self.assertEqual(await self.status(name, path), (401, None))

    async def test_the_socket_is_the_devices_and_ends_with_it(self):
        made = pair()
        async with websockets.connect(f"ws://{server.address}/ws", open_timeout=10,
                                      subprotocols=["jsonrpc", "ticket." + ticket(made)]) as wire:
            await wire.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize"}))
            self.assertIn("result", json.loads(await wire.recv()))
            await wire.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "push/preferences/get",
                                        "params": {"scope": "device"}}))
            answer = json.loads(await wire.recv())
            self.assertEqual(answer["result"]["id"], made["device_id"])
            server.control("device", "revoke", made["device_id"])
            with self.assertRaises(websockets.ConnectionClosed):
                while True:
                    await asyncio.wait_for(wire.recv(), 10)
            self.assertEqual(wire.close_code, 4001)
        self.assertEqual((await self.status("ticket." + "A" * 64))[0], 401)

    async def test_another_origin_is_refused_and_uses_nothing_up(self):
        name = "ticket." + ticket(pair())
        self.assertEqual((await self.status(name, Origin="https://other.example"))[0], 403)
        self.assertEqual((await self.status(name, Origin=f"http://{server.address}"))[0], 101)

    async def test_a_refused_upgrade_uses_nothing_up(self):
        name = "ticket." + ticket(pair())
        self.assertEqual((await self.status(name, "/v1/ws"))[0], 400)
        self.assertEqual((await self.status(name))[0], 101)

    async def test_it_is_no_credential_elsewhere(self):
        made = pair()
        for headers in ({"Authorization": "Bearer " + ticket(made)}, {"x-api-key": ticket(made)},
                        {"Sec-WebSocket-Protocol": "ticket." + ticket(made)}):
            self.assertEqual(Client(server.address).request("GET", "/v1/sessions", headers=headers).status, 401)

    async def test_many_at_once_open_one_socket(self):
        name = "ticket." + ticket(pair())
        opened = await asyncio.gather(*[self.status(name) for _ in range(8)])
        self.assertEqual(sorted(status for status, _ in opened), [101] + [401] * 7)

    async def test_the_operator_gets_none_and_a_device_not_too_many(self):
        self.assertEqual(server.client().request("POST", "/v1/tickets").json["error"]["code"], "not_a_device")
        client = Client(server.address, pair()["access_token"])
        answers = [client.request("POST", "/v1/tickets") for _ in range(40)]
        self.assertEqual((answers[0].status, answers[0].json["expires_in"]), (200, 30))
        self.assertEqual(answers[-1].status, 429)


class Refreshing(DeviceCase):
    def test_each_refresh_gives_a_new_pair(self):
        made, seen = pair(), set()
        for _ in range(4):
            answer = refresh(made["refresh_token"])
            self.assertEqual(answer.status, 200, answer)
            made = answer.json
            self.assertEqual(reads(made["access_token"]), 200)
            seen.add(made["refresh_token"])
        self.assertEqual(len(seen), 4)

    def test_a_lost_answer_may_be_asked_for_again(self):
        first = pair()["refresh_token"]
        lost, again = refresh(first), refresh(first)
        self.assertEqual((lost.status, again.status), (200, 200))
        self.assertEqual(refresh(again.json["refresh_token"]).status, 200)

    def test_a_request_that_was_given_up_may_be_carried_out_last(self):
        """A page that is loaded again gives up its refresh, and the new one asks with the same token."""
        first = pair()["refresh_token"]
        kept, late = refresh(first), refresh(first)
        self.assertEqual((kept.status, late.status), (200, 200))
        self.assertEqual(refresh(kept.json["refresh_token"]).status, 200)
        # Only one of the two may go on.
        self.refused(refresh(late.json["refresh_token"]), 401, "invalid_refresh_token")

    def browser(self):
        """Signs a browser in. Returns its cookie's name, its refresh token and its secret."""
        answer = patiently(Stranger(server.address), "POST", "/web/session", {"secret": invite(server)["code"]},
                           {"Origin": server.url})
        return *self.cookie(answer), answer.json["browser_secret"]

    def cookie(self, answer):
        self.assertEqual(answer.status, 200, answer)
        name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
        return name, value

    def refresh_browser(self, name, token, secret=None, method="POST", path="/web/session/refresh"):
        body = {"browser_secret": secret} if secret else None
        return Client(server.address).request(method, path, body, {"Origin": server.url, "Cookie": f"{name}={token}"})

    def test_a_browsers_token_counts_with_the_secret_of_its_page_only(self):
        """Programs on other ports of the host get the cookie. It gives them nothing, neither before nor after the browser has
        used it."""
        name, token, secret = self.browser()
        _, other_token, other = self.browser()
        for _ in range(2):
            self.refused(refresh(token), 401, "invalid_refresh_token")
            self.refused(self.refresh_browser(name, token, other), 401, "invalid_refresh_token")
            self.refused(self.refresh_browser(name, token), 401, "not_signed_in")
            # They sign nobody out, either.
            self.assertEqual(Client(server.address).request("POST", "/api/auth/revoke", {"refresh_token": token}).status, 200)
            for wrong in (None, other):
                self.assertEqual(self.refresh_browser(name, token, wrong, "DELETE", "/web/session").status, 200)
            # The page may ask again: the answer may be lost.
            last = self.cookie(self.refresh_browser(name, token, secret))
        last = self.cookie(self.refresh_browser(*last, secret))
        self.cookie(self.refresh_browser(name, other_token, other))
        self.assertEqual(self.refresh_browser(*last, secret, "DELETE", "/web/session").status, 200)
        self.refused(self.refresh_browser(*last, secret), 401, "invalid_refresh_token")

    def test_a_programs_token_counts_in_no_cookie(self):
        made, (name, _, secret) = pair(), self.browser()
        self.refused(self.refresh_browser(name, made["refresh_token"], secret), 401, "invalid_refresh_token")
        self.assertEqual(refresh(made["refresh_token"]).status, 200)

    def test_a_used_token_revokes_all_that_came_of_it(self):
        made = pair("stolen")
        second = refresh(made["refresh_token"]).json
        third = refresh(second["refresh_token"]).json
        self.assertEqual(reads(third["access_token"]), 200)
        self.refused(refresh(made["refresh_token"]), 401, "invalid_refresh_token")
        self.refused(refresh(third["refresh_token"]), 401, "invalid_refresh_token")
        for token in [made, second, third]:
            self.assertEqual(reads(token["access_token"]), 401)
        listed = [d for d in server.get("/v1/devices").json["devices"] if d["id"] == made["device_id"]]
        self.assertEqual([d["state"] for d in listed], ["signed_out"])

    def test_two_holders_of_one_token_are_found_out(self):
        """It is found out whichever of the two is first, in whatever order they take turns, all within the grace period."""
        for turns in ("OTOT", "OTTO", "TOTO", "TOOT"):
            with self.subTest(turns):
                made = pair()
                held, refused = {"O": made["refresh_token"], "T": made["refresh_token"]}, []
                for holder in turns:
                    answer = refresh(held[holder])
                    if answer.status == 200:
                        held[holder] = answer.json["refresh_token"]
                    else:
                        refused.append(answer.status)
                self.assertEqual(set(refused), {401})
                for token in held.values():
                    self.refused(refresh(token), 401, "invalid_refresh_token")
                self.assertEqual(reads(made["access_token"]), 401)
                rows = server.get("/v1/audit?action=token.refresh&result=reuse&limit=1").json["data"]
                self.assertEqual(rows[0]["object"], f"device:{made['device_id']}")

    def test_a_repeat_voids_what_was_given_before(self):
        first = pair()["refresh_token"]
        void, also_void, last = (refresh(first).json for _ in range(3))
        self.assertEqual(len({entry["refresh_token"] for entry in (void, also_void, last)}), 3)
        next_one = refresh(last["refresh_token"])
        self.assertEqual(next_one.status, 200, next_one)
        self.refused(refresh(void["refresh_token"]), 401, "invalid_refresh_token")
        self.refused(refresh(next_one.json["refresh_token"]), 401, "invalid_refresh_token")

    def test_many_at_once_end_in_one_token_that_works(self):
        made = pair()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: refresh(made["refresh_token"]), range(8)))
        self.assertEqual({answer.status for answer in answers}, {200})
        last = refresh(made["refresh_token"]).json
        self.assertEqual(refresh(last["refresh_token"]).status, 200)

    def test_signing_out_ends_it_and_says_nothing_of_unknown_tokens(self):
        made = pair()
        client = Client(server.address)
        for token in [made["refresh_token"], made["refresh_token"], "cmr_" + "x" * 43, "nonsense"]:
            self.assertEqual(client.request("POST", "/api/auth/revoke", {"refresh_token": token}).status, 200)
        self.assertEqual(reads(made["access_token"]), 401)
        self.refused(refresh(made["refresh_token"]), 401)

    def test_the_reuse_is_in_the_audit_log_of_the_server(self):
        made = pair()
        refresh(refresh(made["refresh_token"]).json["refresh_token"])
        answer = refresh(made["refresh_token"])
        line = next(line for line in server.text().splitlines() if answer.json["error"]["request_id"] in line)
        self.assertIn("reuse", line)
        self.assertIn(f"device:{made['device_id']}", line)


class Sockets(DeviceCase):
    def connect(self, token, **options):
        return websockets.connect(f"ws://{server.address}/ws", extra_headers={"Authorization": f"Bearer {token}"},
                                  **options)

    async def initialized(self, wire):
        await wire.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "1.0", "clientInfo": {"name": "test", "version": "1"}}}))
        while "result" not in json.loads(await asyncio.wait_for(wire.recv(), 10)):
            pass

    async def close_code(self, wire, seconds=10):
        with contextlib.suppress(websockets.ConnectionClosed):
            async with asyncio.timeout(seconds):
                while True:
                    await wire.recv()
        return wire.close_code

    def test_revoking_closes_the_sockets_of_that_device_alone(self):
        async def scenario():
            lost, kept = pair("lost"), pair("kept")
            async with self.connect(lost["access_token"]) as one, self.connect(kept["access_token"]) as other:
                await self.initialized(one)
                await self.initialized(other)
                started = time.monotonic()
                server.control("device", "revoke", lost["device_id"])
                self.assertEqual(await self.close_code(one), 4001)
                self.assertLess(time.monotonic() - started, 3)
                await self.initialized_still(other)
            self.assertEqual(reads(lost["access_token"]), 401)
            self.refused(refresh(lost["refresh_token"]), 401)
            with self.assertRaises(websockets.InvalidStatusCode) as refusal:
                async with self.connect(lost["access_token"]):
                    pass
            self.assertEqual(refusal.exception.status_code, 401)

        asyncio.run(scenario())

    async def initialized_still(self, wire):
        chosen = session()
        answer = Client(server.address, key).request("POST", "/api/events", envelope(hook("Stop", chosen)))
        self.assertEqual(answer.status, 202, answer)
        async with asyncio.timeout(10):
            while chosen not in await wire.recv():
                pass

    def test_reuse_of_a_refresh_token_closes_the_sockets_too(self):
        async def scenario():
            made = pair()
            latest = refresh(refresh(made["refresh_token"]).json["refresh_token"]).json
            async with self.connect(latest["access_token"]) as wire:
                await self.initialized(wire)
                self.assertEqual(refresh(made["refresh_token"]).status, 401)
                self.assertEqual(await self.close_code(wire), 4001)

        asyncio.run(scenario())

    def test_a_socket_ends_with_its_token(self):
        async def scenario():
            token = forge(pair()["access_token"], server.directory / "device.key", exp=int(time.time()) - 56)
            async with self.connect(token) as wire:
                await self.initialized(wire)
                started = time.monotonic()
                self.assertEqual(await self.close_code(wire), 4002)
                self.assertLess(time.monotonic() - started, 8)
            self.assertEqual(reads(token), 401)

        asyncio.run(scenario())

    def test_an_event_stream_ends_when_its_device_is_revoked(self):
        made = pair()
        client = Client(server.address, made["access_token"], timeout=10)
        answer = None

        def stream():
            nonlocal answer
            answer = client.get("/v1/events", Accept="text/event-stream")

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            ended = pool.submit(stream)
            harness.wait_for(lambda: server.health()[1]["subscribers"]["event_streams"] == 1, "the stream is open")
            self.assertEqual(server.client().request("DELETE", f"/v1/devices/{made['device_id']}").status, 200)
            ended.result(10)
        self.assertEqual(answer.status, 200)


class Control(DeviceCase):
    def test_pairing_from_the_command_line(self):
        process = subprocess.Popen(
            [harness.CONTROL, "device", "pair"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            env=harness.environment(MONITOR_URL=server.url, MONITOR_DATA_DIR=server.directory))
        try:
            code = None
            while not code:
                line = process.stdout.readline()
                self.assertTrue(line, "ended early")
                if "code" in line.lower() and "-" in line:
                    code = line.split()[-1]
            answer = patiently(Stranger(server.address), "POST", "/v1/pairing/exchange", {"code": code, "name": "typed"})
            self.assertEqual(answer.status, 200, answer)
            out, _ = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 0)
            self.assertIn("typed", out)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(10)

    def test_listing_and_revoking(self):
        made = pair("listed")
        self.assertIn("listed", server.control("device", "list").stdout)
        found = json.loads(server.control("device", "list", "--json").stdout)["devices"]
        self.assertIn(made["device_id"], [device["id"] for device in found])
        server.control("device", "revoke", made["device_id"])
        self.assertEqual(reads(made["access_token"]), 401)
        self.assertNotEqual(server.control("device", "revoke", made["device_id"], check=False).returncode, 0)
        self.assertNotEqual(server.control("device", "revoke", "none", check=False).returncode, 0)


class ZSecrets(DeviceCase):
    """These tests run last in this file."""

    def test_no_secret_reaches_the_log(self):
        made = invite()
        tokens = patiently(Stranger(server.address), "POST", "/v1/pairing/exchange", {"code": made["code"]}).json
        refresh(tokens["refresh_token"])
        text = server.text()
        for secret in [made["code"], made["pairing_token"], tokens["refresh_token"], tokens["access_token"]]:
            self.assertFalse(secret in text, "a secret is in the log")
