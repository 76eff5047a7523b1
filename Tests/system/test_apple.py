"""Sign in with Apple. A stand-in for Apple signs tokens, serves its keys over TLS, and becomes unavailable. Strangers and
forgers try to sign in."""

import concurrent.futures
import contextlib
import hashlib
import hmac
import http.server
import json
import re
import ssl
import subprocess
import threading
import time
import unittest

import harness
from harness import Client, Postgres, Server
from test_devices import Stranger, decode, encode, patiently

AUDIENCE = "com.example.monitor"
OWNER, INVITED, LISTED = "001111.owner.0001", "002222.invited.0002", "listed@example.com"


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60,
                          **options).stdout


class Signer:
    """An RSA key of the stand-in."""

    def __init__(self, directory, name):
        self.name, self.private = name, directory / f"{name}.pem"
        openssl("genrsa", "-out", self.private, "2048")
        modulus = openssl("rsa", "-in", self.private, "-noout", "-modulus").decode().strip().partition("=")[2]
        self.jwk = {"kty": "RSA", "kid": name, "use": "sig", "alg": "RS256", "n": encode(bytes.fromhex(modulus)),
                    "e": "AQAB"}

    def public(self):
        return openssl("rsa", "-in", self.private, "-pubout")

    def sign(self, header, claims):
        text = encode(json.dumps(header).encode()) + "." + encode(json.dumps(claims).encode())
        return text + "." + encode(openssl("dgst", "-sha256", "-sign", self.private, input=text.encode()))


class Apple:
    """Serves a key set over TLS with a certificate of its own authority."""

    def __init__(self, directory):
        self.keys, self.requests, self.status, self.max_age = [], 0, 200, 3600
        self.padding, self.silence = "", None
        self.authority, certificate = directory / "ca.pem", directory / "apple.pem"
        key = directory / "apple.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test CA", "-keyout",
                directory / "ca.key", "-out", self.authority)
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out",
                directory / "apple.csr")
        (directory / "names").write_text("subjectAltName=DNS:localhost")
        openssl("x509", "-req", "-in", directory / "apple.csr", "-CA", self.authority, "-CAkey", directory / "ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", directory / "names", "-out", certificate)
        apple = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                apple.requests += 1
                if apple.silence:
                    apple.silence.wait(60)
                body = json.dumps({"keys": apple.keys, "padding": apple.padding}).encode()
                self.send_response(apple.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Cache-Control", f"max-age={apple.max_age}")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                with contextlib.suppress(OSError):
                    for start in range(0, len(body), 500):
                        piece = body[start:start + 500]
                        self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"https://localhost:{self.server.server_address[1]}/auth/keys"

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def setUpModule():
    global directory, apple, signer, postgres, server
    directory = harness.make_directory()
    apple, signer = Apple(directory), Signer(directory, "first")
    apple.keys = [signer.jwk]
    postgres = Postgres().start()
    server = start()


def tearDownModule():
    server.end()
    postgres.end()
    apple.end()


servers = []


def start(**settings):
    made = Server(DATABASE_URL=postgres.url, MONITOR_APPLE_AUDIENCES=f"{AUDIENCE}, com.example.web",
                  **{"MONITOR_APPLE_ALLOWED": f"{OWNER},{LISTED}", "MONITOR_APPLE_KEYS": apple.url,
                     "MONITOR_APPLE_CA_FILE": apple.authority, **settings}).start()
    servers.append(made)
    return made


def new_nonce(at=None):
    answer = patiently(Stranger((at or server).address), "POST", "/v1/auth/apple/nonce")
    assert answer.status == 200, answer
    return answer.json["nonce"]


def claims(nonce, /, subject=OWNER, **changes):
    now = int(time.time())
    made = {"iss": "https://appleid.apple.com", "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 600,
            "nonce": hashlib.sha256(nonce.encode()).hexdigest(), **changes}
    return {name: value for name, value in made.items() if value is not None}


def token(nonce, /, subject=OWNER, by=None, header=None, **changes):
    by = by or signer
    head = {name: value for name, value in {"kid": by.name, "alg": "RS256", **(header or {})}.items()
            if value is not None}
    return by.sign(head, claims(nonce, subject, **changes))


def present(text, nonce, at=None, **more):
    return patiently(Stranger((at or server).address), "POST", "/v1/auth/apple",
                     {"identity_token": text, "nonce": nonce, "name": "iphone", **more})


def sign_in(subject=OWNER, at=None, more=None, **changes):
    nonce = new_nonce(at)
    return present(token(nonce, subject, **changes), nonce, at, **(more or {}))


def audit(answer):
    """The entries of the audit log about a request."""
    identifier = answer.headers["x-request-id"]
    assert re.fullmatch(r"[A-Za-z0-9._-]+", identifier)
    return [tuple(row.split("|")) for row in postgres.sql(
        f"SELECT actor, action, coalesce(object, '-'), result FROM access_audit WHERE request_id = '{identifier}'")]


class AppleCase(unittest.TestCase):
    def refused(self, answer, status, code, result=None):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)
        if result:
            # The audit log only counts refusals; the server's log contains each of them.
            identifier, where = answer.headers["x-request-id"], re.compile(rf"\bresult=\"?{result}\b")
            lines = [line for at in servers for line in at.text().splitlines() if identifier in line]
            self.assertEqual(len([line for line in lines if where.search(line)]), 1, lines)

    def admitted(self, answer):
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(Client(server.address, answer.json["access_token"]).get("/v1/sessions").status, 200)
        return answer.json


class Ways(AppleCase):
    def test_an_owner_gets_what_pairing_gives(self):
        answer = sign_in()
        made = self.admitted(answer)
        self.assertEqual(set(made), {"access_token", "access_token_expires_at", "refresh_token", "device_id",
                                     "refresh_token_expires_at", "token_type", "expires_in"})
        again = Client(server.address).request("POST", "/api/auth/refresh", {"refresh_token": made["refresh_token"]})
        self.assertEqual(again.status, 200)
        (actor, action, device, result), = audit(answer)
        self.assertEqual((action, device, result), ("apple.sign_in", f"device:{made['device_id']}", "granted"))
        self.assertTrue(actor.startswith("identity:"))

    def test_a_stranger_with_an_apple_account_stays_out(self):
        self.refused(sign_in("009999.stranger.0009"), 403, "not_admitted", "not_admitted")
        self.refused(sign_in("009999.stranger.0009", email="other@example.com", email_verified=True), 403,
                     "not_admitted")
        self.refused(sign_in("009999.stranger.0009", email=LISTED), 403, "not_admitted")
        self.refused(sign_in("009999.stranger.0009", email=LISTED, email_verified="false"), 403, "not_admitted")
        self.refused(sign_in("009999.stranger.0009", more={"code": "0000-0000"}), 403, "not_admitted")

    def test_an_address_on_the_list_is_for_one_subject(self):
        self.admitted(sign_in("003333.listed.0003", email=LISTED.title(), email_verified="true"))
        self.admitted(sign_in("003333.listed.0003"))
        self.refused(sign_in("004444.thief.0004", email=LISTED, email_verified=True), 403, "not_admitted")

    def test_an_invitation_lets_a_person_in_for_good_and_removal_ends_it(self):
        code = server.client().request("POST", "/v1/pairing").json["code"]
        first = self.admitted(sign_in(INVITED, more={"code": code}))
        self.refused(sign_in("005555.late.0005", more={"code": code}), 403, "not_admitted")
        second = self.admitted(sign_in(INVITED))
        person = next(p for p in server.get("/v1/identities").json["identities"] if p["subject"] == INVITED)
        self.assertEqual((person["invited"], person["device_count"]), (True, 2))
        removed = server.client().request("DELETE", f"/v1/identities/{person['id']}")
        self.assertEqual((removed.status, removed.json["revoked_devices"]), (200, 2), removed)
        for made in [first, second]:
            self.refused(Client(server.address, made["access_token"]).get("/v1/sessions"), 401, "device_revoked")
        self.refused(sign_in(INVITED), 403, "not_admitted")
        self.assertEqual(server.client().request("DELETE", f"/v1/identities/{person['id']}").status, 404)

    def test_where_devices_need_approval_a_code_alone_lets_nobody_in(self):
        own = start(MONITOR_PAIRING_APPROVAL="on")
        code = own.client().request("POST", "/v1/pairing").json["code"]
        client, nonce = Stranger(own.address), new_nonce(own)
        body = {"identity_token": token(nonce, "006666.waits.0006"), "nonce": nonce, "code": code, "name": "iphone"}
        for _ in range(3):
            answer = patiently(client, "POST", "/v1/auth/apple", body)
            self.assertEqual((answer.status, answer.json["status"]), (202, "pending_approval"), answer)
        own.control("device", "approve", answer.json["request_id"])
        self.assertEqual(patiently(client, "POST", "/v1/auth/apple", body).status, 200)
        self.refused(patiently(client, "POST", "/v1/auth/apple", body), 403, "invalid_pairing")
        self.assertEqual(sign_in(at=own).status, 200)
        own.end()

    def test_people_are_for_the_operator_to_see(self):
        device = self.admitted(sign_in())["access_token"]
        for method, path in [("GET", "/v1/identities"), ("DELETE", "/v1/identities/1")]:
            self.refused(Client(server.address, device).request(method, path), 403, "insufficient_scope")
            self.assertEqual(Client(server.address).request(method, path).status, 401)

    def test_without_configuration_nobody_signs_in(self):
        own = Server(DATABASE_URL=postgres.url).start()
        for path in ["/v1/auth/apple/nonce", "/v1/auth/apple"]:
            self.refused(own.client().request("POST", path, {}), 404, "apple_sign_in_off")
        own.end()


class Attacks(AppleCase):
    def test_a_sign_in_reads_whatever_the_invitation_gives_and_the_app_asks_for(self):
        wish = {"capabilities": ["read", "respond", "administer"]}
        code = server.client().request("POST", "/v1/pairing", wish).json["code"]
        answer = sign_in("007777.raised.0007", more={"code": code, **wish})
        self.assertEqual(answer.status, 200, answer)
        who = Client(server.address, answer.json["access_token"]).get("/v1/me").json
        self.assertEqual((who["kind"], who["capabilities"]), ("device", ["read"]))

    def test_claims_that_are_not_right_are_refused(self):
        now = int(time.time())
        for changes, result in [
            ({"exp": now - 61}, "expired"), ({"iat": now + 300}, "not_yet_valid"), ({"iss": "https://evil"}, "foreign"),
            ({"aud": "com.example.other"}, "foreign"), ({"aud": [AUDIENCE]}, "foreign"), ({"aud": None}, "foreign"),
            ({"exp": None}, "malformed"), ({"sub": None}, "malformed"), ({"sub": ""}, "malformed"),
            ({"nonce": None}, "wrong_nonce"), ({"nonce": "0" * 64}, "wrong_nonce"),
        ]:
            with self.subTest(str(changes)):
                self.refused(sign_in(**changes), 401, "invalid_identity_token", result)

    def test_a_nonce_is_good_once_and_only_if_this_server_made_it(self):
        nonce = new_nonce()
        text = token(nonce)
        self.assertEqual(present(text, nonce).status, 200)
        self.refused(present(text, nonce), 401, "invalid_identity_token", "replayed_nonce")
        made_up = "cmn_" + "x" * 43
        self.refused(present(token(made_up), made_up), 401, "invalid_identity_token", "replayed_nonce")
        self.refused(present(token("short"), "short"), 401, "invalid_identity_token", "replayed_nonce")

    def test_a_token_read_on_its_way_is_of_no_use(self):
        """The token contains only the nonce's digest, so a thief cannot present the nonce."""
        nonce = new_nonce()
        text = token(nonce)
        digest = json.loads(decode(text.split(".")[1]))["nonce"]
        for guess in [digest, new_nonce(), "x"]:
            self.refused(present(text, guess), 401, "invalid_identity_token", "wrong_nonce")
        self.assertEqual(present(text, nonce).status, 200)

    def test_forged_signatures_are_refused(self):
        stranger = Signer(directory, "stranger")
        stranger.name = signer.name
        nonce = new_nonce()
        good = token(nonce)
        head, body, signature = good.split(".")
        changed = encode(json.dumps(claims(nonce, "somebody.else")).encode())
        attacks = {"another key": (token(nonce, by=stranger), "not_authentic"),
                   "tampered": (f"{head}.{changed}.{signature}", "not_authentic"),
                   "no signature": (f"{head}.{body}.", "not_authentic"), "cut": (f"{head}.{body}", "malformed"),
                   "crit": (token(nonce, header={"crit": ["b64"]}), "malformed"),
                   "no kid": (token(nonce, header={"kid": None}), "malformed"),
                   "unknown kid": (token(nonce, header={"kid": "nobody"}), "unknown_key"),
                   "its own jwk": (token(nonce, by=stranger, header={"jwk": stranger.jwk}), "not_authentic"),
                   "jku": (token(nonce, by=stranger, header={"jku": "https://evil.example/keys"}), "not_authentic")}
        for name in ["none", "None", "HS256", "HS384", "ES256", "RS512", "PS256"]:
            other = encode(json.dumps({"kid": signer.name, "alg": name}).encode())
            attacks[name] = f"{other}.{body}.", "malformed"
            attacks[name + ", signed"] = f"{other}.{body}.{signature}", "malformed"
            for form, secret in {"PEM": signer.public(), "modulus": decode(signer.jwk["n"])}.items():
                code = hmac.new(secret, f"{other}.{body}".encode(), hashlib.sha256).digest()
                attacks[f"{name} by {form}"] = f"{other}.{body}.{encode(code)}", "malformed"
        for name, (text, result) in attacks.items():
            with self.subTest(name):
                self.refused(present(text, nonce), 401, "invalid_identity_token", result)
        self.assertEqual(present(good, nonce).status, 200)

    def test_bodies_that_are_not_right(self):
        nonce = new_nonce()
        for body in [{}, {"identity_token": token(nonce)}, {"nonce": nonce}, {"identity_token": 1, "nonce": nonce},
                     {"identity_token": "a.b.c", "nonce": "x" * 65}]:
            answer = patiently(Stranger(server.address), "POST", "/v1/auth/apple", body)
            self.assertEqual(answer.status, 400, answer)
        answer = patiently(Stranger(server.address), "POST", "/v1/auth/apple", {"identity_token": "x" * 4096, "nonce": nonce})
        self.assertEqual(answer.status, 413, answer)


class Keys(AppleCase):
    def test_a_new_key_of_apple_is_found_and_made_up_ones_do_not_call_apple_at_will(self):
        """Runs a server of its own. An unknown key makes the server fetch the keys at most once a minute."""
        own = start()
        self.assertEqual(sign_in(at=own).status, 200)
        before = apple.requests
        for number in range(3):
            nonce = new_nonce(own)
            self.refused(present(token(nonce, header={"kid": f"made-up-{number}"}), nonce, own), 401,
                         "invalid_identity_token")
        self.assertEqual(sign_in(at=own).status, 200)
        self.assertEqual(apple.requests, before)
        own.end()

    def test_a_rotated_key_is_fetched(self):
        second = Signer(directory, "second")
        own = start()
        apple.keys = [second.jwk]
        try:
            self.assertEqual(sign_in(by=second, at=own).status, 200)
        finally:
            apple.keys = [signer.jwk]
        own.end()

    def test_while_apple_is_away_a_person_is_told_to_come_back(self):
        own = start()
        apple.status = 500
        try:
            nonce = new_nonce(own)
            answer = present(token(nonce), nonce, own)
            self.refused(answer, 503, "apple_keys_unavailable", "keys_unavailable")
            self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
            requests = apple.requests
            self.refused(present(token(nonce), nonce, own), 503, "apple_keys_unavailable")
            self.assertEqual(apple.requests, requests)
        finally:
            apple.status = 200
        # The nonce was not used up. The server fetches the keys again after ten seconds.
        self.assertEqual(harness.wait_for(
            lambda: (answer := present(token(nonce), nonce, own)).status != 503 and answer, "the keys are there",
            pause=1).status, 200)
        own.end()

    def test_an_apple_that_says_nothing_or_too_much_does_not_hold_up_the_server(self):
        own = start()
        apple.silence = threading.Event()
        try:
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(sign_in, at=own)
                harness.wait_for(lambda: own.get("/v1/sessions").status == 200 and apple.requests, "others are served")
                self.refused(waiting.result(30), 503, "apple_keys_unavailable")
        finally:
            apple.silence.set()
            apple.silence = None
        own.end()
        apple.padding = "x" * (300 << 10)
        own = start()
        try:
            self.refused(sign_in(at=own), 503, "apple_keys_unavailable")
            self.assertIn("more than 262144 bytes", own.text())
        finally:
            apple.padding = ""
        own.end()

    def test_a_server_of_another_authority_is_not_believed(self):
        (directory / "other-ca.pem").unlink(missing_ok=True)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Other CA", "-keyout",
                directory / "other-ca.key", "-out", directory / "other-ca.pem")
        own = start(MONITOR_APPLE_CA_FILE=directory / "other-ca.pem")
        self.refused(sign_in(at=own), 503, "apple_keys_unavailable")
        self.assertIn("certificate is refused", own.text())
        own.end()
        own = start(MONITOR_APPLE_KEYS=apple.url.replace("localhost", "127.0.0.1"))
        self.refused(sign_in(at=own), 503, "apple_keys_unavailable")
        own.end()

    def test_keys_from_a_file(self):
        path = directory / "keys.json"
        path.write_text(json.dumps({"keys": [signer.jwk]}))
        own = start(MONITOR_APPLE_KEYS=path, MONITOR_APPLE_CA_FILE=None)
        requests = apple.requests
        self.assertEqual(sign_in(at=own).status, 200)
        self.assertEqual(apple.requests, requests)
        own.end()

    def test_settings_that_make_no_sense_are_told_together(self):
        own = Server(MONITOR_APPLE_ALLOWED="x", MONITOR_APPLE_KEYS="http://a.example/k")
        done = subprocess.run([harness.SERVER, "check-config"], env=own.environment(), text=True, capture_output=True,
                              timeout=20)
        self.assertNotEqual(done.returncode, 0)
        for name in ["MONITOR_APPLE_ALLOWED", "MONITOR_APPLE_KEYS"]:
            self.assertIn(name, done.stderr)
        own.settings["MONITOR_APPLE_AUDIENCES"] = AUDIENCE
        done = subprocess.run([harness.SERVER, "check-config"], env=own.environment(), text=True, capture_output=True,
                              timeout=20)
        self.assertIn("MONITOR_APPLE_KEYS", done.stderr)
        self.assertNotIn("MONITOR_APPLE_ALLOWED", done.stderr)


class ZSecrets(AppleCase):
    """These tests run last in this file."""

    def test_no_token_and_no_nonce_is_logged_or_audited(self):
        nonce = new_nonce()
        text = token(nonce)
        made = present(text, nonce).json
        with contextlib.suppress(AssertionError):
            present(text, nonce)
        rows = "\n".join(postgres.sql("SELECT access_audit FROM access_audit"))
        for secret in [nonce, text, text.split(".")[2], made["refresh_token"], made["access_token"]]:
            self.assertFalse(secret in server.text() or secret in rows, "a secret was written down")
