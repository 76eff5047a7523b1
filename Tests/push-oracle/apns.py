"""Apple's push service, as developer.apple.com/documentation/usernotifications describes it: the checks of a request in Apple's
order, and the rules for provider tokens."""

import re

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import jwt
from service import Service, parsed

SUFFIXES = {
    "alert": "", "background": "", "voip": ".voip", "complication": ".complication",
    "fileprovider": ".pushkit.fileprovider", "location": ".location-query",
    "liveactivity": ".push-type.liveactivity", "pushtotalk": ".voip-ptt", "widgets": ".push-type.widgets",
    "controls": ".push-type.controls",
}
CANONICAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TOKEN_SPACING, TOKEN_LIFE = 20 * 60, 3600


class APNs(Service):
    name = "apns"

    def __init__(self, settings, record):
        super().__init__(settings, record)
        self.tokens = []
        self.key = None
        if "key_file" in settings:
            with open(settings["key_file"], "rb") as file:
                pem = file.read()
            private = b"PRIVATE KEY" in pem
            key = (serialization.load_pem_private_key(pem, None) if private
                   else serialization.load_pem_public_key(pem))
            self.key = key.public_key() if private else key
            if not isinstance(self.key.curve, ec.SECP256R1):
                raise ValueError("key_file is not a key on P-256")

    def new_connection(self, connection):
        return {"token": None, "changed": None, "wedged": False, "issuer": None, "log": []}

    def identity(self, request):
        return request.headers.get("apns-id", f"without id {self.seen}")

    def plain_text(self, request):
        return request.body.decode("utf-8", "replace")

    def details(self, request):
        state = request.connection.state
        return {"id": request.headers.get("apns-id"), "payload": parsed(request.body),
                "token_age": None if state["token"] is None else round(self.now() - state["log"][-1]["iat"], 3),
                "jwt": state["log"][-1] if state["log"] else None}

    def check(self, request):
        return (self.check_target(request) or self.check_token(request) or self.check_headers(request)
                or self.check_body(request))

    def check_target(self, request):
        headers = request.headers
        if headers.get(":method") != "POST":
            return self.fault(request, "the method is not POST", 405, "MethodNotAllowed")
        path = headers.get(":path", "")
        if path in ("/3/device", "/3/device/"):
            return self.fault(request, "no device token", 400, "MissingDeviceToken")
        if not re.fullmatch(r"/3/device/([0-9a-f]{2})+", path):
            return self.fault(request, "not /3/device/<hex>", 404, "BadPath")
        if request.duplicates:
            return self.fault(request, f"twice: {request.duplicates}", 400, "DuplicateHeaders")
        return None

    def check_token(self, request):
        state, connection = request.connection.state, request.connection
        field = request.headers.get("authorization", "")
        if not field.startswith("bearer "):
            return self.fault(request, "no bearer token", 403, "MissingProviderToken")
        text = field[len("bearer "):]
        try:
            header, claims, signed, signature = jwt.parse(text)
            if self.key:
                jwt.verify(self.key, signed, signature)
        except jwt.Refused as error:
            return self.fault(request, f"provider token: {error}", 403, "InvalidProviderToken")
        key_id, team, issued = header.get("kid"), claims.get("iss"), claims.get("iat")
        if set(header) - {"alg", "kid", "typ"} or set(claims) != {"iss", "iat"} or not isinstance(issued, int):
            return self.fault(request, f"claims {sorted(claims)}, header {sorted(header)}", 403, "InvalidProviderToken")
        if key_id != self.settings.get("key_id", key_id) or team != self.settings.get("team_id", team):
            return self.fault(request, "kid or iss is another's", 403, "InvalidProviderToken")
        if state["issuer"] not in (None, (key_id, team)):
            return self.fault(request, "another key on the same connection", 403, "UnrelatedKeyIdInToken")
        if self.settings.get("key_environment") not in (None, self.settings.get("environment", "production")):
            return {"status": 403, "reason": "BadEnvironmentKeyIdInToken"}
        age = self.now() - issued
        if state["wedged"] or abs(age) > TOKEN_LIFE:
            state["wedged"] = True
            connection.announce(1)
            return self.fault(request, f"a token {age:.0f} s old", 403, "ExpiredProviderToken")
        state["issuer"] = (key_id, team)
        if text != state["token"]:
            seen = {"kid": key_id, "iss": team, "iat": issued, "fingerprint": jwt.fingerprint(text)}
            if state["changed"] is not None and self.now() - state["changed"] < TOKEN_SPACING:
                return self.fault(request, "two tokens within 20 minutes on one connection", 429,
                                  "TooManyProviderTokenUpdates")
            state.update(token=text, changed=self.now())
            state["log"].append(seen)
            self.tokens.append({"connection": connection.number, "at": self.now(), **seen})
        return None

    def check_headers(self, request):
        headers = request.headers
        if "content-encoding" in headers:
            return self.fault(request, "a compressed body", 400, "BadMessageId")
        if not CANONICAL.fullmatch(headers.get("apns-id", "00000000-0000-0000-0000-000000000000")):
            return self.fault(request, "apns-id is not canonical", 400, "BadMessageId")
        kind, topic = headers.get("apns-push-type"), headers.get("apns-topic")
        if kind not in SUFFIXES:
            return self.fault(request, f"apns-push-type {kind}", 400, "InvalidPushType")
        if not topic:
            return self.fault(request, "no apns-topic", 400, "MissingTopic")
        bundle = topic[:len(topic) - len(SUFFIXES[kind])]
        if not bundle or bundle + SUFFIXES[kind] != topic:
            return self.fault(request, f"{topic} is no topic for {kind}", 400, "BadTopic")
        if bundle not in self.settings.get("topics", [bundle]):
            return self.fault(request, f"{bundle} is not the key's", 400, "TopicDisallowed")
        priority = headers.get("apns-priority", "10")
        if priority not in ("1", "5", "10") or kind == "background" and priority == "10":
            return self.fault(request, f"priority {priority} for {kind}", 400, "BadPriority")
        if not re.fullmatch(r"[0-9]+", headers.get("apns-expiration", "0")):
            return self.fault(request, "apns-expiration is not a number", 400, "BadExpirationDate")
        if len(headers.get("apns-collapse-id", "").encode()) > 64:
            return self.fault(request, "apns-collapse-id above 64 bytes", 400, "BadCollapseId")
        return None

    def check_body(self, request):
        if not request.body:
            return self.fault(request, "no body", 400, "PayloadEmpty")
        limit = 5120 if request.headers.get("apns-push-type") == "voip" else 4096
        if len(request.body) > limit:
            return self.fault(request, f"{len(request.body)} bytes", 413, "PayloadTooLarge")
        payload = parsed(request.body)
        if not isinstance(payload, dict) or not isinstance(payload.get("aps"), dict):
            return self.fault(request, "the body is no JSON object with aps", 400, "PayloadEmpty")
        return None

    def verdict(self, request):
        identity = {"headers": {"apns-id": request.headers.get("apns-id", "")}}
        table = self.settings.get("device_tokens")
        if table is not None:
            known = table.get(request.headers[":path"].rpartition("/")[2])
            if known is None:
                return {"status": 400, "reason": "BadDeviceToken", **identity}
            if known.get("topic", request.headers["apns-topic"]) != request.headers["apns-topic"]:
                return {"status": 400, "reason": "DeviceTokenNotForTopic", **identity}
            if "gone_since_ms" in known:
                return {"status": 410, "reason": "Unregistered", "with": {"timestamp": known["gone_since_ms"]},
                        **identity}
        if self.settings.get("environment") == "development":
            identity["headers"]["apns-unique-id"] = f"unique-{self.seen}"
        return {"status": 200, **identity}

    def summary(self):
        return {**super().summary(), "tokens": self.tokens}
