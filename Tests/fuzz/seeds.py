"""Writes the seeds of the fuzzers into the given directory, with one directory for each target."""

import base64
import gzip
import hashlib
import json
import pathlib
import struct
import subprocess
import sys

HOOK = {"hook_event_name": "PostToolUse", "session_id": "11111111-2222-3333-4444-555555555555", "cwd": "/srv/app",
        "transcript_path": "/home/u/.claude/projects/x.jsonl", "permission_mode": "default", "tool_name": "Bash",
        "tool_use_id": "toolu_1", "tool_input": {"command": "npm test", "description": "run"},
        "tool_response": {"stdout": "ok \u00e4 \U0001F600", "stderr": "", "interrupted": False}}
HOOKS = [HOOK,
         {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/", "source": "startup", "model": "claude-x"},
         {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": "password=hunter2 AKIA"},
         {"hook_event_name": "Notification", "session_id": "s", "message": "waits", "notification_type":
          "permission_prompt"},
         {"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": False, "last_assistant_message": "done"},
         {"hook_event_name": "SessionEnd", "session_id": "s", "reason": "clear"},
         {"hook_event_name": "PermissionRequest", "session_id": "s", "tool_name": "Edit", "tool_input": {"a": [1, 2]}},
         {"hook_event_name": "SomethingNew", "session_id": "s", "deep": [[[[[[{"a": 1e308}]]]]]]}]


def envelope(number, hook):
    return {"event_id": f"0190b7c4-0000-7000-8000-{number:012d}", "event_type": "tool", "machine_id": "mac",
            "timestamp": "2026-01-05T10:00:00.123Z", "data": hook}


def ingest():
    envelopes = [envelope(number, hook) for number, hook in enumerate(HOOKS)]
    array, lines = json.dumps(envelopes).encode(), b"\n".join(json.dumps(one).encode() for one in envelopes)
    for text in ("password=hunter2", '{"api_key": "a7B"}', "-----BEGIN PRIVATE KEY-----\\nMII\\n-----END PRIVATE KEY-----",
                 "https://u:p@h/", "ghp_" + "a7B" * 12, "curl -u me:it", "h:5432:d:u:p", "login a password b",
                 "--token a7B", "token: |\\n  a\\nb: 1", "name: DB_PASS\\nvalue: a7B7", "x%3D" + "sk-" + "a7B" * 8):
        yield "masking", text.encode()
    for number, hook in enumerate(HOOKS):
        one = json.dumps(hook).encode()
        yield "hook", bytes([number % 3]) + one
        yield "json", one
        yield "events", bytes([4 * (number % 3)]) + json.dumps(envelope(number, hook)).encode()
    for flag, body in ((0, array), (1, lines), (2, gzip.compress(array, mtime=0)), (3, gzip.compress(lines, mtime=0))):
        yield "events", bytes([flag]) + body
    yield "hook", b"\0" + rb'{"session_id":"\ud83d","a":"\u0000","n":-0.0e-1,"hook_event_name":"Stop"}'
    yield "json", b'[0,-1,1.5e300,9223372036854775807,18446744073709551616,"\\ud800","\\u0000",true,null,{}]'
    yield "gzip", gzip.compress(array, mtime=0)
    yield "gzip", gzip.compress(b"", mtime=0) + gzip.compress(bytes(200_000), mtime=0)


def commands():
    cases = pathlib.Path(__file__).parent.parent / "hooks/risk-cases.tsv"
    for line in cases.read_text().splitlines()[::7]:
        if not line.startswith("#"):
            tool_input = json.loads(line.split("\t")[3])
            if isinstance(tool_input.get("command"), str):
                yield "command", tool_input["command"].encode()
            if isinstance(tool_input.get("file_path"), str):
                yield "tool-path", tool_input["file_path"].encode()
    for pattern in ("**/.env*", "*.{key,pem}", "!a/[!b]*", "~/../x", "//a/./b"):
        yield "tool-path", pattern.encode()


def clients():
    calls = [("initialize", {"clientInfo": {"name": "a", "version": "1"}}),
             ("event/subscribe", {"since": {"epoch": None, "seq": 3}, "types": ["tool"], "session_id": "s"}),
             ("session/list", {"limit": 5, "cursor": "9~x"}), ("status/get", {}), ("client/session/focus", {"id": "s"}),
             ("workspace/list", {}), ("git/status", {"workspace_id": "ws-1"}), ("session/elements", {"after_id": "1"})]
    messages = [json.dumps({"jsonrpc": "2.0", "id": number, "method": name, "params": params})
                for number, (name, params) in enumerate(calls)]
    for message in messages:
        yield "rpc", message.encode()
    yield "rpc", "\n".join(messages).encode()
    yield "rpc", ("[" + ",".join(messages) + "]").encode()
    for text in ('{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}', '{"jsonrpc":"2.0","id":2,"error":{"code":-5,"message":"no"}}',
                 '[{"jsonrpc":"2.0","id":3,"result":null},{"jsonrpc":"2.0","id":"3","method":"m","params":[]}]'):
        yield "rpc-peer", (text + "\n" + text).encode()
    for text in ("limit=5&cursor=1770000000000000~abc&types=tool,stop", "page=2&per_page=10&session_id=a%20b%2Fc",
                 "a=%zz&=&&b", "epoch:41", "2026-01-05T10:00:00.123+02:00", "0190b7c4-0000-7000-8000-000000000000"):
        yield "query", text.encode()
    for number, fields in enumerate((
            "Host: localhost", "Host: localhost\r\nContent-Length: 5", "Host: [::1]:80\r\nOrigin: https://b.example",
            "Host: localhost\r\nTransfer-Encoding: chunked", "Host: a.example\r\nConnection: close\r\nExpect: 100-continue",
            "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: cdev")):
        for line in ("GET /a%20b?c=d HTTP/1.1", "POST http://localhost/ HTTP/1.0"):
            yield "head", bytes([number]) + f"{line}\r\n{fields}\r\nX: y\r\n\r\nbody".encode()
    for number, frames in enumerate(("8185010203040506070809", "88820102030402eb", "898001020304", "01810102030460808001020304")):
        yield "client-frames", bytes([number]) + bytes.fromhex(frames)
    yield "proxy", b"PROXY TCP4 192.0.2.7 10.0.0.1 80 443\r\n"
    yield "proxy", bytes.fromhex("0d0a0d0a000d0a515549540a2111000cc00002070a000001005001bb")


def secrets():
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")
    claims = {"iss": "claude-monitor", "aud": "claude-monitor", "sub": "1", "iat": 1, "exp": 2}
    for header in ({"alg": "ES256", "typ": "JWT"}, {"alg": "none"}, {"alg": "HS256", "kid": "a"}):
        yield "token", b".".join((part(header), part(claims), base64.urlsafe_b64encode(bytes(64)).rstrip(b"=")))
    yield "token", b"cmk_" + b"a" * 36
    yield "token", b"cmp_" + b"a" * 22
    yield "token", b"ABCD-EFGH"
    yield "signature", bytes.fromhex("3006020101020102")
    yield "signature", bytes.fromhex("3045022100" + "ff" * 32 + "0220" + "01" * 32)
    yield "signature", bytes(64)
    yield "signature", b"\x04" + bytes.fromhex(
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    for curve in ("prime256v1", "secp384r1"):
        key = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}"],
                             check=True, capture_output=True).stdout
        yield "pem", key
    yield "pem", b"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
    for number, body in enumerate(({"reason": "BadDeviceToken"}, {"reason": "Unregistered", "timestamp": 1770000000000},
                                   {"reason": "ExpiredProviderToken"}, {"reason": "x" * 100, "timestamp": -1})):
        yield "apns", bytes([number * 3]) + json.dumps(body).encode()


def pushes():
    yield "preferences", json.dumps({"kinds": {"permission": {"enabled": True, "level": "active", "grace_seconds": 5}},
                                     "quiet_hours": {"from": "22:00", "to": "07:00"}, "privacy": "sealed"}).encode()
    yield "preferences", b"{}"
    for text in ("https://push.example.com/a?b=c", "https://[2001:db8::1]:8443/x", "https://a.b:443",
                 "mailto:a@example.com", '{"reason":"gone","message":"m"}'):
        yield "webpush", text.encode()
    yield "judge", json.dumps({"prompts": [], "turn": {"started": 1770000000000000}}).encode()
    yield "judge", b"{}"


def apple():
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")
    claims = {"iss": "https://appleid.apple.com", "aud": "com.example.monitor", "sub": "001234.abcdef.0123",
              "iat": 1769999990, "exp": 1770086390, "nonce": hashlib.sha256(b"n").hexdigest(),
              "email": "Someone@Example.com", "email_verified": "true", "is_private_email": False}
    yield "apple-token", json.dumps(claims).encode()
    yield "apple-token", json.dumps({**claims, "email_verified": True, "exp": 1 << 62}).encode()
    signature = base64.urlsafe_b64encode(bytes(256)).rstrip(b"=")
    for header in ({"alg": "RS256", "kid": "k"}, {"alg": "RS256", "kid": "k", "crit": ["b64"]}, {"alg": "none"}):
        yield "apple-token", b".".join((part(header), part(claims), signature))
    modulus = base64.urlsafe_b64encode(b"\xc1" * 256).rstrip(b"=").decode()
    good = {"kty": "RSA", "kid": "k", "use": "sig", "alg": "RS256", "n": modulus, "e": "AQAB"}
    for keys in ([good], [{**good, "kty": "EC"}, {**good, "kid": "l", "e": "Aw"}], [{**good, "n": "AQAB"}], []):
        yield "apple-keys", json.dumps({"keys": keys}).encode()
    ends = ("Content-Length: 2\r\nAge: 5\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n",
            "Content-Encoding: identity\r\n\r\n{}")
    for number, end in enumerate(ends):
        head = "HTTP/1.1 200 OK\r\nCache-Control: public, max-age=3600, must-revalidate\r\n"
        yield "response", bytes([255 - number]) + (head + end).encode()
    yield "response", b"\0https://appleid.apple.com/auth/keys"
    yield "response", b"\0https://[::1]:8443?a=b"


def notices():
    def hook(name, **members):
        return json.dumps({"hook_event_name": name, "session_id": "s", "cwd": "/srv/app", **members})
    call = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "npm test"}}
    ask = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Which?", "options": []}]}}
    turns = [[hook("UserPromptSubmit", prompt="fix it"), hook("PreToolUse", **call), hook("PermissionRequest", **call),
              hook("Notification", notification_type="permission_prompt", message="Claude needs you"),
              hook("PostToolUse", duration_ms=29500, **call), hook("Stop", background_tasks=[{"type": "agent"}])],
             [hook("SessionStart", source="startup", session_title="t"), hook("UserPromptSubmit", prompt="a"),
              hook("StopFailure", error="rate_limit"), hook("SessionEnd", reason="clear", total_cost_usd=7.5)],
             [hook("PermissionRequest", **call), hook("PermissionDenied", **call), hook("SubagentStop", agent_id="a"),
              hook("Elicitation", mcp_server_name="m"), hook("ElicitationResult", mcp_server_name="m")],
             [hook("PreToolUse", **ask), hook("PermissionRequest", **ask), hook("Stop", total_cost_usd=1.25)]]
    for number, turn in enumerate(turns):
        yield "notices", bytes([60 * number]) + "\n".join(turn).encode()
        for one in turn:
            yield "frames", one.encode()
    for one in HOOKS:
        yield "frames", json.dumps(one).encode()


def bodies():
    browser = {"kind": "webpush", "endpoint": "https://push.example.com/a?b=c", "keys": {
        "p256dh": "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
        "auth": "AAAAAAAAAAAAAAAAAAAAAA"}, "encryption_key": "A" * 43}
    phone = {"kind": "activity_update", "token": "ab" * 32, "environment": "sandbox", "topic": "com.example.app",
             "session_id": "s", "locale": "de-DE", "time_zone": "Europe/Berlin", "frequent_updates": True}
    project = {"name": "shop", "description": "d", "path": "/srv/app", "machine_id": "m", "settings": {"a": [1]},
               "platform": "iOS"}
    for body in (browser, phone, project, {"name": None}):
        yield "bodies", json.dumps(body).encode()
    for text in ("/v1/sessions/a%2Fb/events\nlimit=5&order=desc&cursor=e:41&types=tool,stop&project_id=p",
                 "/v1//sessions/\npage=2&per_page=10&cursor=", "/\nafter=9223372036854775807&cursor=5~abc"):
        yield "listing", text.encode()


def chunks():
    yield "chunks", b"\3" b"5\r\nhello\r\n0\r\n\r\n"
    yield "chunks", b"\3" b"a;name=value\r\n0123456789\r\n1;x\r\n.\r\n0\r\nTrailer: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n"
    yield "chunks", b"\3" b"FFFFFFFFFFFFFFFFF\r\n" + b"x" * 64
    yield "chunks", b"\3" b"3\nabc\n0\n\n"


def wire():
    def frame(kind, flags=0, stream=0, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
    settings = frame(4, payload=struct.pack(">HI", 3, 100)) + frame(4, 1)
    taken = frame(1, 5, 1, b"\x88\x00\x07apns-id\x01a")
    refused = frame(1, 4, 1, b"\x08\x03410\x00\x0bretry-after\x019") + frame(0, 1, 1, b'{"reason":"Unregistered"}')
    away = frame(7, 0, 0, struct.pack(">II", 1, 0) + b'{"reason":"BadDeviceToken"}') + frame(3, 0, 3, bytes(4))
    for number, rest in enumerate((taken, refused, away, frame(6, payload=bytes(8)) + frame(8, 0, 0, b"\0\0\1\0"))):
        yield "http2", bytes([255 >> number]) + settings + rest


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def storage():
    header = b"CCMSPOOL" + struct.pack("<IQ", 1, 7)
    file = header + struct.pack("<I", crc32c(header))
    for number in range(3):
        payload = bytes([number]) * 40
        head = b"SREC" + struct.pack("<IQI", len(payload), 7 + number, crc32c(payload))
        file += head + struct.pack("<I", crc32c(head)) + payload
    yield "segment", file
    yield "segment", file[:-5]
    yield "segment", file + bytes(50)
    yield "segment", b"\1\0\0\0\xff\xff"
    yield "record", bytes(range(200))
    yield "record", bytes(300)
    yield "fold", b"{}"
    yield "fold", json.dumps({"started": 1770000000000000, "active": 1770000000000001, "machine": [1, "m", None],
                              "activity": [1, "0190b7c4-0000-7000-8000-000000000000", "running"]}).encode()


def telemetry():
    def attribute(name, value):
        return {"key": name, "value": value}
    record = {"timeUnixNano": "1795232571834000000", "body": {"stringValue": "claude_code.api_request"}, "attributes": [
        attribute("session.id", {"stringValue": "s"}), attribute("event.sequence", {"intValue": "3"}),
        attribute("input_tokens", {"intValue": 12}), attribute("cost_usd", {"doubleValue": 0.5}),
        attribute("prompt", {"stringValue": "password=hunter2"}), attribute("ok", {"boolValue": True})]}
    point = {"timeUnixNano": "1", "asDouble": 1.5, "attributes": record["attributes"][:1]}
    exports = ({"resourceLogs": [{"resource": {"attributes": []}, "scopeLogs": [{"logRecords": [record, record]}]}]},
               {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "a", "sum": {"dataPoints": [point]}}]}]}]},
               {"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]})
    for number, export in enumerate(exports):
        yield "otlp", bytes([number << 1 | 1]) + json.dumps(export).encode()

    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    def pair(name, value):
        return field(6, field(1, name) + field(2, value))
    inner = (b"\x09" + struct.pack("<Q", 1795232571834000000) + field(5, field(1, b"claude_code.api_request"))
             + pair(b"session.id", field(1, b"s")) + pair(b"input_tokens", b"\x18\x0c")
             + pair(b"cost_usd", b"\x21" + struct.pack("<d", 0.5)) + pair(b"ok", b"\x10\x01"))
    yield "otlp", b"\0" + field(1, field(1, b"") + field(2, field(2, inner)))


def main():
    place = pathlib.Path(sys.argv[1])
    groups = (ingest, commands, clients, secrets, pushes, storage, apple, notices, bodies, chunks, wire, telemetry)
    for number, (target, data) in enumerate(one for seeds in groups for one in seeds()):
        directory = place / target
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"seed-{number:03d}").write_bytes(data)


main()
