"""The QR code and the page on which the operator pairs a device, read by an independent decoder."""

import json
import re
import unittest
import urllib.parse

import qr
import test_devices as devices
from harness import Client, Server


def setUpModule():
    global server, key, device
    server = Server(MONITOR_ALLOWED_HOSTS="monitor.example.com").start()
    devices.server = server
    key = server.key("pairing")
    device = devices.pair()["access_token"]


def tearDownModule():
    server.end()


def submit(token, **headers):
    """Sends the request of a browser whose user fills in the form of the page."""
    body = urllib.parse.urlencode({"token": token}).encode()
    return Client(server.address).request(
        "POST", "/pair", body, {"Content-Type": "application/x-www-form-urlencoded", **headers})


def pairings():
    """The number of opened pairings, by the audit log."""
    return len(server.get("/v1/audit?action=pairing.create&limit=200").json["data"])


def pairs(secret):
    answer = devices.patiently(devices.Stranger(server.address), "POST", "/api/auth/exchange", secret)
    return answer.status == 200 and devices.reads(answer.json["access_token"]) == 200


@unittest.skipUnless(qr.READER, "zbarimg (Debian: zbar-tools) is not there")
class Picture(devices.DeviceCase):
    def test_it_holds_what_the_client_needs_and_lets_one_device_in(self):
        answer = server.get("/api/pair/qr")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "image/png"))
        self.assertEqual(answer.headers["cache-control"], "no-store")
        self.assertNotIn("etag", answer.headers)
        held = json.loads(qr.read(answer.body))
        self.assertEqual({name: held[name] for name in ("ws", "http", "session", "repo", "auth_required")},
                         {"ws": f"ws://{server.address}/ws", "http": server.url, "session": "",
                          "repo": "claude-monitor", "auth_required": True})
        self.assertEqual(set(held), set(server.get("/api/pair/info").json))
        self.assertTrue(pairs({"pairing_token": held["token"]}))
        self.assertFalse(pairs({"pairing_token": held["token"]}))

    def test_it_has_the_size_asked_for(self):
        for query, side in (("", 256), ("?size=200", 200), ("?size=1024", 1024)):
            picture = server.get("/api/pair/qr" + query).body
            self.assertEqual((int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])), (side, side))
            self.assertTrue(qr.read(picture).startswith("{"))
        # Each module has at least one pixel: the picture is larger than requested rather than useless.
        self.assertGreater(int.from_bytes(server.get("/api/pair/qr?size=1").body[16:20]), 29)

    def test_as_a_drawing(self):
        answer = server.get("/api/pair/qr?format=svg")
        self.assertEqual(answer.headers["content-type"], "image/svg+xml")
        self.assertTrue(pairs({"pairing_token": json.loads(qr.read_svg(answer.body.decode()))["token"]}))

    def test_the_name_that_the_caller_used_stands_in_it(self):
        picture = server.get("/api/pair/qr", Host="monitor.example.com").body
        self.assertEqual(json.loads(qr.read(picture))["ws"], "ws://monitor.example.com/ws")


    def test_the_port_that_the_client_adds_to_a_local_address_is_left_out(self):
        for host, shown in (("127.0.0.1:16180", "127.0.0.1"), ("localhost:16180", "localhost"), ("127.0.0.1:80", "127.0.0.1:80")):
            held = json.loads(qr.read(server.get("/api/pair/qr", Host=host).body))
            self.assertEqual((held["ws"], held["http"]), (f"ws://{shown}/ws", f"http://{shown}"))
            self.assertEqual(server.get("/api/pair/info", Host=host).json["http"], f"http://{host}")


class Access(devices.DeviceCase):
    def test_malformed_parameters_are_refused_and_open_nothing(self):
        before = pairings()
        for query in ("size=0", "size=1025", "size=x", "format=gif"):
            self.refused(server.get("/api/pair/qr?" + query), 400, "invalid_parameter")
        self.assertEqual(pairings(), before)

    def test_the_picture_is_for_the_operator_alone(self):
        before = pairings()
        self.refused(Client(server.address).get("/api/pair/qr"), 401, "missing_api_key")
        for credential in (key, device):
            self.refused(Client(server.address, credential).get("/api/pair/qr"), 403, "insufficient_scope")
        self.assertEqual(pairings(), before)

    def test_the_page_without_the_token_shows_a_form_and_no_secret(self):
        before = pairings()
        for status, answer in ((200, Client(server.address).get("/pair")), (401, submit("")), (401, submit("guessed")),
                               (200, Client(server.address, "guessed").get("/pair")), (403, submit(key)),
                               (403, submit(device)), (200, Client(server.address, device).get("/pair"))):
            page = answer.body.decode()
            self.assertEqual((answer.status, answer.headers["cache-control"]), (status, "no-store"), page)
            self.assertIn('<form method="post">', page)
            for secret in ("cmp_", "cdev_p_", "<svg", "<figure", device, key):
                self.assertNotIn(secret, page)
        self.assertEqual(pairings(), before)

    def test_what_is_given_in_place_of_the_token_is_not_shown_again(self):
        self.assertNotIn("<b>x", submit('"><b>x').body.decode())

    def test_who_opens_pairings_without_end_has_to_wait(self):
        own = Server().start()
        client = own.client()
        statuses = [client.request("POST", "/v1/pairing").status for _ in range(160)]
        refused = client.get("/api/pair/qr")
        error = self.refused(refused, 429, "too_many_attempts")
        self.assertEqual(int(refused.headers["retry-after"]), error["retry_after"])
        self.assertEqual(set(statuses), {201, 429})
        # Not all succeed, but more than a person ever needs.
        self.assertGreaterEqual(statuses.count(201), 100)
        self.refused(client.request("POST", "/api/pair/refresh"), 429)
        own.end()


class Page(devices.DeviceCase):
    @unittest.skipUnless(qr.READER, "zbarimg (Debian: zbar-tools) is not there")
    def test_the_token_opens_one_pairing_and_shows_it(self):
        before = pairings()
        answer = submit(" " + server.admin + "\n")
        page = answer.body.decode()
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(answer.headers["cache-control"], "no-store")
        self.assertEqual(pairings(), before + 1)
        held = json.loads(qr.read_svg(re.search("<svg.*?</svg>", page).group()))
        code = re.search("<figcaption>(.*?)</figcaption>", page).group(1)
        self.assertIn(f'<time datetime="{held["token_expires_at"]}">', page)
        self.assertIn(f"<b>{server.url}</b>", page)
        self.assertNotIn(server.admin, page)
        # The code and the token belong to one pairing.
        self.assertTrue(pairs({"code": code}))
        self.assertFalse(pairs({"pairing_token": held["token"]}))

    def test_it_loads_nothing_and_runs_nothing(self):
        for answer in (Client(server.address).get("/pair"), server.get("/pair")):
            policy = answer.headers["content-security-policy"]
            for part in ("default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
                self.assertIn(part, policy)
            self.assertNotIn("script", policy)
            self.assertEqual(answer.headers["referrer-policy"], "same-origin")
            page = answer.body.decode()
            for wrong in ("<script", "src=", "@import", "url(", "href="):
                self.assertNotIn(wrong, page)
            self.assertNotRegex(page, r"<[^>]*\son\w+=")
            for right in ("color-scheme:light dark", 'name="viewport"'):
                self.assertIn(right, page)

    @unittest.skipUnless(qr.READER, "zbarimg (Debian: zbar-tools) is not there")
    def test_behind_a_proxy_that_ends_tls_the_browser_tells_the_scheme(self):
        answer = submit(server.admin, Host="monitor.example.com", Origin="https://monitor.example.com")
        self.assertEqual(answer.status, 200, answer)
        held = json.loads(qr.read_svg(re.search("<svg.*?</svg>", answer.body.decode()).group()))
        self.assertEqual((held["ws"], held["http"]), ("wss://monitor.example.com/ws", "https://monitor.example.com"))
        self.assertNotIn("do not reach", answer.body.decode())
        self.assertIn("do not reach", submit(server.admin).body.decode())

    def test_pages_of_others_may_not_send_the_form(self):
        before = pairings()
        for origin in ("https://evil.example", "null", "https://monitor.example.com.evil.example",
                       "https://monitor.example.com:8443"):
            self.refused(submit(server.admin, Host="monitor.example.com", Origin=origin), 403, "origin_not_allowed")
        self.assertEqual(pairings(), before)
