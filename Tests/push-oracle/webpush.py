"""A push service of browsers: RFC 8030 for the request, RFC 8292 for the identity of the sender, RFC 8291 and 8188 for the
body, which is decrypted here as in a browser."""

import os
import re
import time

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import jwt
from service import Service, parsed

DAY, HOUR = 24 * 3600, 3600
URGENCIES = ("very-low", "low", "normal", "high")


def raw(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def derive(secret, salt, info, length):
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


class Browser:
    """A subscription and its keys."""

    def __init__(self, name, index):
        self.name, self.index = name, index
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    def subscription(self, port):
        return {"endpoint": f"https://localhost:{port}/push/{self.name}", "keys": {
            "p256dh": jwt.encode64(raw(self.key.public_key())), "auth": jwt.encode64(self.auth)}}

    def open(self, body):
        """The decrypted payload of one `aes128gcm` record."""
        if len(body) < 21 + 65 + 17:
            raise jwt.Refused("the body is too short")
        salt, record_size, key_length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        if key_length != 65:
            raise jwt.Refused("keyid is not a public key")
        sender, sealed = body[21:86], body[86:]
        if len(sealed) > record_size:
            raise jwt.Refused("more than one record")
        shared = self.key.exchange(ec.ECDH(), jwt.public_key(sender))
        info = b"WebPush: info\0" + raw(self.key.public_key()) + sender
        secret = derive(shared, self.auth, info, 32)
        key = derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        try:
            padded = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        except InvalidTag as error:
            raise jwt.Refused("not encrypted for this browser") from error
        if padded[-1:] != b"\x02":
            raise jwt.Refused("the last record's delimiter is not 2")
        return padded[:-1]


class WebPush(Service):
    name = "webpush"

    def __init__(self, settings, record):
        super().__init__(settings, record)
        ports = int(settings.get("ports", 1))
        self.browsers = {}
        for number in range(int(settings.get("subscriptions", 1))):
            browser = Browser(f"browser-{number}-{os.urandom(6).hex()}", number % ports)
            self.browsers[browser.name] = browser
        self.tokens, self.opened = {}, {}

    def describe(self):
        return {**super().describe(),
                "subscriptions": [browser.subscription(self.ports[browser.index])
                                  for browser in self.browsers.values()]}

    def browser(self, request):
        found = re.fullmatch(r"/push/([a-z0-9-]+)", request.headers.get(":path", ""))
        browser = self.browsers.get(found[1]) if found else None
        return browser if browser and browser.index == request.connection.index else None

    def identity(self, request):
        """A key that is equal for repetitions of a push, which have the same body including the salt."""
        return request.body[:16].hex()

    def plain_text(self, request):
        return self.opened.get(self.identity(request), b"").decode("utf-8", "replace")

    def details(self, request):
        text = self.plain_text(request)
        browser = self.browser(request)
        return {"id": self.identity(request), "payload": parsed(text) if parsed(text) is not None else text,
                "subscription": list(self.browsers).index(browser.name) if browser else None}

    def check(self, request):
        headers = request.headers
        if headers.get(":method") != "POST":
            return self.fault(request, "the method is not POST", 405, "MethodNotAllowed")
        if request.duplicates:
            return self.fault(request, f"twice: {request.duplicates}", 400, "DuplicateHeaders")
        if not self.browser(request):
            return {"status": 404, "reason": "NoSuchSubscription"}
        expected = f"localhost:{self.ports[request.connection.index]}"
        if headers.get(":authority") != expected:
            return self.fault(request, f"authority {headers.get(':authority')}", 421, "Misdirected")
        return self.check_token(request) or self.check_fields(request) or self.check_body(request)

    def check_token(self, request):
        found = re.fullmatch(r"vapid t=([^, ]+), ?k=([^, ]+)", request.headers.get("authorization", ""))
        if not found:
            return self.fault(request, "no vapid authorization", 401, "MissingToken")
        text, point = found.groups()
        try:
            header, claims, signed, signature = jwt.parse(text)
            jwt.verify(jwt.public_key(jwt.decode64(point)), signed, signature)
        except jwt.Refused as error:
            return self.fault(request, f"VAPID token: {error}", 403, "BadJwtToken")
        origin = f"https://localhost:{self.ports[request.connection.index]}"
        left = claims.get("exp", 0) - self.now()
        if claims.get("aud") != origin:
            return self.fault(request, f"aud is {claims.get('aud')}", 403, "BadJwtToken")
        if not 0 < left <= DAY:
            return self.fault(request, f"exp in {left:.0f} s", 403, "BadJwtToken")
        if not re.fullmatch(r"mailto:[^@\s<>]+@[^@\s<>]+|https://\S+", claims.get("sub", "")):
            return self.fault(request, f"sub is {claims.get('sub')}", 403, "BadJwtToken")
        if header.get("typ") not in (None, "JWT"):
            return self.fault(request, f"typ is {header.get('typ')}", 403, "BadJwtToken")
        if point != self.settings.get("public_key", point):
            return self.fault(request, "the key is not the one subscribed with", 403, "VapidPkHashMismatch")
        history = self.tokens.setdefault(origin, [])
        if not history or history[-1]["fingerprint"] != jwt.fingerprint(text):
            if history and self.now() - history[-1]["at"] < HOUR:
                self.fault(request, "the token was made anew within an hour", 0, "")
            history.append({"at": self.now(), "fingerprint": jwt.fingerprint(text), "exp": claims["exp"]})
        return None

    def check_fields(self, request):
        headers = request.headers
        if not re.fullmatch(r"[0-9]+", headers.get("ttl", "")):
            return self.fault(request, f"TTL {headers.get('ttl')}", 400, "BadTtl")
        if headers.get("urgency", "normal") not in URGENCIES:
            return self.fault(request, f"Urgency {headers.get('urgency')}", 400, "BadUrgency")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", headers.get("topic", "x")):
            return self.fault(request, f"Topic {headers.get('topic')}", 400, "BadWebPushTopic")
        if headers.get("content-encoding") != "aes128gcm":
            return self.fault(request, f"Content-Encoding {headers.get('content-encoding')}", 400, "BadEncoding")
        if headers.get("content-length", str(len(request.body))) != str(len(request.body)):
            return self.fault(request, "Content-Length is wrong", 400, "BadLength")
        return None

    def check_body(self, request):
        if len(request.body) > 4096:
            return self.fault(request, f"{len(request.body)} bytes", 413, "PayloadTooLarge")
        try:
            plain = self.browser(request).open(request.body)
        except jwt.Refused as error:
            return self.fault(request, f"encryption: {error}", 400, "BadEncryption")
        self.opened[self.identity(request)] = plain
        return None

    def verdict(self, request):
        number = len(self.opened)
        return {"status": 201, "headers": {"location": f"/message/{number}-{int(time.time())}"}}

    def summary(self):
        return {**super().summary(), "tokens": self.tokens}
