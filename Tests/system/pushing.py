"""For tests of pushes: servers with a key, devices with tokens, and a mock of the push services."""

import contextlib
import hashlib
import http.client
import itertools
import socket
import subprocess
import sys
import threading
import time

import harness
from harness import Client, envelope, hook, iso, wait_for

sys.path.insert(0, str(harness.ROOT / "Tests" / "push-oracle"))
from client import Oracle as PushOracle  # noqa: E402

TOPIC = "com.example.monitor"
KEY_ID, TEAM_ID = "ABC123DEFG", "TEAM123456"


def make_key(directory):
    path = directory / "push.p8"
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path],
                   check=True, capture_output=True, timeout=20)
    return path


def oracle(directory, key, **apns):
    """A mock of Apple's servers and of browsers' push services. It ends with everything else."""
    made = PushOracle({"apns": {"key_file": str(key), "key_id": KEY_ID, "team_id": TEAM_ID, "topics": [TOPIC], **apns},
                       "webpush": {"subscriptions": 2}}, directory)
    harness._ends.append(made.stop)
    return made


def settings(key, mock, **more):
    return {"APNS_KEY_FILE": key, "APNS_KEY_ID": KEY_ID, "APNS_TEAM_ID": TEAM_ID, "APNS_TOPIC": TOPIC,
            "APNS_HOST": "localhost", "APNS_PORT": mock.apns["port"], "APNS_CA_FILE": mock.ca,
            "WEBPUSH_SUBJECT": "mailto:operator@example.com", "WEBPUSH_CA_FILE": mock.ca, "WEBPUSH_PRIVATE": "yes",
            "MONITOR_RATE_LIMIT": "off", **more}


class Gate:
    """A proxy to the mock. While it is closed, as at first, it cuts each connection."""

    def __init__(self, port):
        self.target, self.is_open, self.attempts = port, False, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        harness._ends.append(self.listener.close)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                self.attempts += 1
                if not self.is_open:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.target))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def _copy(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


_addresses = itertools.count(2)


def pair(server, name="phone"):
    """Pairs a device. Returns a client with its token and its id. An address may make only a few attempts to pair, and so may
    all addresses together. Therefore each device has an address of its own, and waits as long as the server says."""
    number = next(_addresses)
    host, _, port = server.address.rpartition(":")
    stranger = Client(server.address)
    while True:
        code = server.client().request("POST", "/v1/pairing").json["code"]
        stranger.connection = http.client.HTTPConnection(
            host, int(port), timeout=stranger.timeout, source_address=(f"127.1.{number // 250}.{number % 250 + 2}", 0))
        answer = stranger.request("POST", "/v1/pairing/exchange", {"code": code, "name": name, "platform": "test"})
        stranger.close()
        if answer.status != 429:
            break
        time.sleep(int(answer.headers["retry-after"]))
    assert answer.status == 200, answer
    device = Client(server.address, answer.json["access_token"])
    device.id = answer.json["device_id"]
    return device


def device_token(name):
    return hashlib.sha256(name.encode()).hexdigest()


def register(device, name="phone", **more):
    answer = device.request("POST", "/v1/push/tokens", {
        "kind": "alert", "token": device_token(name), "environment": "production", "locale": "en",
        "time_zone": "Europe/Berlin", **more})
    assert answer.status == 200, answer
    return answer.json


def prefer(client, query="", **preferences):
    answer = client.request("PUT", "/v1/push/preferences" + query, preferences)
    assert answer.status == 200, answer
    return answer.json


def post(server, key, *hooks):
    """Posts hooks as one batch; returns the events' ids."""
    # Hooks that follow each other are some milliseconds apart.
    envelopes = [envelope(one, iso((index - len(hooks)) * 0.005)) for index, one in enumerate(hooks)]
    answer = Client(server.address, key).request("POST", "/api/events", envelopes)
    assert answer.status == 202 and answer.json["accepted"] == len(hooks), answer
    return [one["event_id"] for one in envelopes]


def asking(session_id, command="rm -r build"):
    return [
        hook("UserPromptSubmit", session_id, prompt="clean up", prompt_id="p1", permission_mode="default"),
        hook("PreToolUse", session_id, tool_name="Bash", tool_use_id="toolu_1", tool_input={"command": command},
             prompt_id="p1", permission_mode="default"),
        hook("PermissionRequest", session_id, tool_name="Bash", tool_input={"command": command}, prompt_id="p1",
             permission_mode="default"),
    ]


def answered(session_id, command="rm -r build"):
    return hook("PostToolUse", session_id, tool_name="Bash", tool_use_id="toolu_1", tool_input={"command": command},
                tool_response={"stdout": ""}, prompt_id="p1", permission_mode="default", duration_ms=5)


def decisions(server, **query):
    text = "&".join(f"{name}={value}" for name, value in query.items())
    answer = server.client().get("/v1/push/decisions" + ("?" + text if text else ""))
    assert answer.status == 200, answer
    return answer.json


def deliveries(server, **query):
    return [one for notice in decisions(server, **query)["notices"] for one in notice["deliveries"]]


def wait_decided(server, seconds=30, **query):
    """Waits until there are deliveries and none of them is open. Returns them."""
    def found():
        all_of_them = deliveries(server, **query)
        return all_of_them if all_of_them and not [
            one for one in all_of_them if one["state"] in ("waiting", "claimed")] else None
    return wait_for(found, f"decided: {query}", seconds)


def requests(mock, service="apns", **headers):
    return [one for one in mock.requests(service)
            if all(one["headers"].get(name.replace("_", "-")) == value for name, value in headers.items())]


def to_token(mock, name):
    """The pushes to the device token with that name."""
    return [one for one in mock.requests() if one["headers"][":path"].endswith(device_token(name))]
