#!/usr/bin/python3
"""The oracle refuses what it must refuse: each case is a correct request with one fault."""

import json
import os
import pathlib
import socket
import ssl
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

import h2.config  # noqa: E402
import h2.connection  # noqa: E402
import h2.events  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402

import jwt  # noqa: E402
import webpush  # noqa: E402
from client import Oracle  # noqa: E402


class Client:
    """Sends requests on one connection, one after another."""

    def __init__(self, ca, port):
        context = ssl.create_default_context(cafile=ca)
        context.set_alpn_protocols(["h2"])
        self.sock = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10), server_hostname="localhost")
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()

    def post(self, fields, body):
        stream = self.h2.get_next_available_stream_id()
        self.h2.send_headers(stream, fields, end_stream=not body)
        if body:
            self.h2.send_data(stream, body, end_stream=True)
        status, answer = None, b""
        while True:
            self.sock.sendall(self.h2.data_to_send())
            data = self.sock.recv(65536)
            if not data:
                raise AssertionError("closed")
            for event in self.h2.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    status = int(dict(event.headers)[":status"])
                elif isinstance(event, h2.events.DataReceived):
                    answer += event.data
                elif isinstance(event, h2.events.StreamEnded):
                    self.sock.sendall(self.h2.data_to_send())
                    return status, json.loads(answer).get("reason") if answer else None

    def close(self):
        self.sock.close()


def token(key, header, claims, der=False, padded=False):
    head, body = (jwt.encode64(json.dumps(part).encode()) for part in (header, claims))
    signature = key.sign(f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    if not der:
        r, s = utils.decode_dss_signature(signature)
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return f"{head}.{body}.{jwt.encode64(signature)}" + ("=" if padded else "")


class Case(unittest.TestCase):
    scenario = {}

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="push-oracle-test.")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.oracle = Oracle(self.make_scenario(), self.directory)
        self.addCleanup(self.oracle.stop)

    def connect(self, port):
        client = Client(self.oracle.ca, port)
        self.addCleanup(client.close)
        return client


class APNs(Case):
    def make_scenario(self):
        path = self.directory / "key.p8"
        path.write_bytes(self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                                serialization.NoEncryption()))
        return {"apns": {"key_file": str(path), "key_id": "KEY", "team_id": "TEAM", "topics": ["org.example.app"]}}

    def bearer(self, key=None, kid="KEY", team="TEAM", age=0, **more):
        claims = {"iss": team, "iat": int(time.time()) - age}
        return "bearer " + token(key or self.key, {"alg": "ES256", "kid": kid}, claims, **more)

    def fields(self, **changes):
        fields = {
            ":method": "POST", ":scheme": "https", ":path": "/3/device/00ff", ":authority": "localhost",
            "authorization": self.bearer(), "apns-topic": "org.example.app", "apns-push-type": "alert",
            "apns-priority": "10", "apns-id": "0190b7c4-1111-4222-8333-444455556666",
        }
        fields.update({name.replace("_", "-"): value for name, value in changes.items()})
        path = fields.pop("path", None)
        if path:
            fields[":path"] = path
        return [(name, value) for name, value in fields.items() if value is not None]

    def refuses(self, expected, body=b'{"aps":{}}', extra=(), **changes):
        client = self.connect(self.oracle.apns["port"])
        found = client.post(self.fields(**changes) + list(extra), body)
        self.assertEqual(found, expected)
        self.assertEqual(len(self.oracle.records(kind="fault")), 1)

    def test_a_correct_request_is_taken(self):
        client = self.connect(self.oracle.apns["port"])
        self.assertEqual(client.post(self.fields(), b'{"aps":{}}'), (200, None))
        self.assertEqual(self.oracle.records(kind="fault"), [])

    def test_signature_in_der(self):
        self.refuses((403, "InvalidProviderToken"), authorization=self.bearer(der=True))

    def test_signature_with_padding(self):
        self.refuses((403, "InvalidProviderToken"), authorization=self.bearer(padded=True))

    def test_another_key(self):
        other = ec.generate_private_key(ec.SECP256R1())
        self.refuses((403, "InvalidProviderToken"), authorization=self.bearer(key=other))

    def test_another_key_id(self):
        self.refuses((403, "InvalidProviderToken"), authorization=self.bearer(kid="OTHER"))

    def test_an_old_token(self):
        self.refuses((403, "ExpiredProviderToken"), authorization=self.bearer(age=3700))

    def test_no_token(self):
        self.refuses((403, "MissingProviderToken"), authorization=None)

    def test_capital_bearer(self):
        self.refuses((403, "MissingProviderToken"), authorization="Bearer" + self.bearer()[6:])

    def test_two_tokens_on_one_connection(self):
        client = self.connect(self.oracle.apns["port"])
        self.assertEqual(client.post(self.fields(), b'{"aps":{}}')[0], 200)
        found = client.post(self.fields(authorization=self.bearer(age=5)), b'{"aps":{}}')
        self.assertEqual(found, (429, "TooManyProviderTokenUpdates"))

    def test_topic_without_the_suffix_of_its_type(self):
        self.refuses((400, "BadTopic"), apns_push_type="liveactivity")

    def test_foreign_topic(self):
        self.refuses((400, "TopicDisallowed"), apns_topic="org.example.other")

    def test_background_with_priority_10(self):
        self.refuses((400, "BadPriority"), apns_push_type="background")

    def test_upper_case_id(self):
        self.refuses((400, "BadMessageId"), apns_id="0190B7C4-1111-4222-8333-444455556666")

    def test_long_collapse_id(self):
        self.refuses((400, "BadCollapseId"), apns_collapse_id="c" * 65)

    def test_expiration_that_is_no_number(self):
        self.refuses((400, "BadExpirationDate"), apns_expiration="soon")

    def test_a_field_twice(self):
        self.refuses((400, "DuplicateHeaders"), extra=[("apns-topic", "org.example.app")])

    def test_a_path_that_is_not_hexadecimal(self):
        self.refuses((404, "BadPath"), path="/3/device/xyz")

    def test_large_body(self):
        body = b'{"aps":{"alert":"' + b"x" * 4096 + b'"}}'
        self.refuses((413, "PayloadTooLarge"), body=body)

    def test_no_body(self):
        self.refuses((400, "PayloadEmpty"), body=b"")

    def test_a_misspelt_scenario(self):
        with self.assertRaises(AssertionError):
            self.oracle.do("steps", steps=[{"when": {"atempt": 1}, "do": [{"status": 200}]}])


class WebPush(Case):
    def make_scenario(self):
        self.point = jwt.encode64(webpush.raw(self.key.public_key()))
        return {"webpush": {"subscriptions": 2, "public_key": self.point}}

    @property
    def port(self):
        return self.oracle.webpush["port"]

    def vapid(self, key=None, point=None, aud=None, life=3600, sub="mailto:a@example.org", **more):
        claims = {"aud": aud or f"https://localhost:{self.port}", "exp": int(time.time()) + life, "sub": sub}
        return f"vapid t={token(key or self.key, {'alg': 'ES256', 'typ': 'JWT'}, claims, **more)}, k={point or self.point}"

    def body(self, plain=b"hello", browser=0, delimiter=b"\x02"):
        keys = self.oracle.webpush["subscriptions"][browser]["keys"]
        peer, auth = jwt.decode64(keys["p256dh"]), jwt.decode64(keys["auth"])
        sender, salt = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = webpush.raw(sender.public_key())
        shared = sender.exchange(ec.ECDH(), jwt.public_key(peer))
        secret = webpush.derive(shared, auth, b"WebPush: info\0" + peer + point, 32)
        key = webpush.derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = webpush.derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        return salt + (4096).to_bytes(4, "big") + b"\x41" + point + AESGCM(key).encrypt(nonce, plain + delimiter, None)

    def fields(self, **changes):
        endpoint = self.oracle.webpush["subscriptions"][0]["endpoint"]
        fields = {
            ":method": "POST", ":scheme": "https", ":path": endpoint.partition(f":{self.port}")[2],
            ":authority": f"localhost:{self.port}", "authorization": self.vapid(), "ttl": "60",
            "content-encoding": "aes128gcm",
        }
        fields.update({name.replace("_", "-"): value for name, value in changes.items()})
        return [(name, value) for name, value in fields.items() if value is not None]

    def refuses(self, expected, body=None, **changes):
        client = self.connect(self.port)
        self.assertEqual(client.post(self.fields(**changes), self.body() if body is None else body), expected)
        self.assertEqual(len(self.oracle.records(kind="fault")), 1)

    def test_a_correct_request_is_taken_and_decrypted(self):
        client = self.connect(self.port)
        self.assertEqual(client.post(self.fields(), self.body(b'{"a":1}')), (201, None))
        self.assertEqual(self.oracle.requests("webpush")[0]["payload"], {"a": 1})
        self.assertEqual(self.oracle.records(kind="fault"), [])

    def test_signature_in_der(self):
        self.refuses((403, "BadJwtToken"), authorization=self.vapid(der=True))

    def test_a_signature_of_another_key(self):
        self.refuses((403, "BadJwtToken"), authorization=self.vapid(key=ec.generate_private_key(ec.SECP256R1())))

    def test_a_key_that_nobody_subscribed_with(self):
        other = ec.generate_private_key(ec.SECP256R1())
        point = jwt.encode64(webpush.raw(other.public_key()))
        self.refuses((403, "VapidPkHashMismatch"), authorization=self.vapid(key=other, point=point))

    def test_another_audience(self):
        self.refuses((403, "BadJwtToken"), authorization=self.vapid(aud="https://localhost"))

    def test_a_token_for_longer_than_a_day(self):
        self.refuses((403, "BadJwtToken"), authorization=self.vapid(life=25 * 3600))

    def test_an_expired_token(self):
        self.refuses((403, "BadJwtToken"), authorization=self.vapid(life=-5))

    def test_a_subject_that_is_no_url(self):
        self.refuses((403, "BadJwtToken"), authorization=self.vapid(sub="mailto: <a@example.org>"))

    def test_a_second_token_within_an_hour(self):
        client = self.connect(self.port)
        for life in (3600, 3700):
            self.assertEqual(client.post(self.fields(authorization=self.vapid(life=life)), self.body())[0], 201)
        self.assertEqual(len(self.oracle.records(kind="fault")), 1)

    def test_no_time_to_live(self):
        self.refuses((400, "BadTtl"), ttl=None)

    def test_an_unknown_urgency(self):
        self.refuses((400, "BadUrgency"), urgency="urgent")

    def test_a_topic_that_is_too_long(self):
        self.refuses((400, "BadWebPushTopic"), topic="t" * 33)

    def test_another_encoding(self):
        self.refuses((400, "BadEncoding"), content_encoding="aesgcm")

    def test_a_body_for_another_browser(self):
        self.refuses((400, "BadEncryption"), body=self.body(browser=1))

    def test_a_wrong_delimiter(self):
        self.refuses((400, "BadEncryption"), body=self.body(delimiter=b"\x01"))

    def test_a_large_body(self):
        self.refuses((413, "PayloadTooLarge"), body=self.body(b"x" * 3994))


if __name__ == "__main__":
    unittest.main()
