"""A machine that uses the name of another one: the key says which machine it is, in lists, filters, streams and pushes."""

import base64
import json
import os
import unittest

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import harness
import pushing
import test_sse as sse
from harness import Client, Server, envelope, hook, make_directory, session, wait_for


def setUpModule():
    global server, mock, victim, poser, own, posed, foreign, numbers
    directory = make_directory("names-test.")
    signing_key = pushing.make_key(directory)
    mock = pushing.oracle(directory, signing_key)
    server = Server(**pushing.settings(signing_key, mock)).start()
    victim, poser = server.key("victim"), server.key("poser")
    sse.server = server
    own, posed, foreign = session(), session(), session()
    post(victim, own, "/srv/own", machine_id="desk")
    post(poser, posed, "/srv/posed", machine_id="victim")
    post(poser, foreign, "/srv/foreign", machine_id="unclaimed")
    numbers = {each["name"]: each["id"] for each in get("/v1/machines")["machines"]}


def tearDownModule():
    harness.end_everything()


def post(key, chosen, path, name="UserPromptSubmit", **fields):
    data = dict(hook(name, chosen, prompt="x"), cwd=path)
    answer = Client(server.address, key).request("POST", "/api/events", envelope(data, **fields))
    assert answer.status == 202, answer
    return answer.json["events"][0]["seq"]


def get(path):
    answer = server.get(path)
    assert answer.status == 200, answer
    return answer.json


def epoch():
    return get("/v1/events?limit=1")["meta"]["epoch"]


class Lists(unittest.TestCase):
    """Each name selects the sessions of the victim, those of the impostor, or none."""

    def selected(self, list_of):
        return {name: list_of(name) & {own, posed, foreign}
                for name in ("victim", numbers["victim"], "poser", numbers["poser"], "unclaimed", "none-such")}

    def expected(self):
        return {"victim": {own}, numbers["victim"]: {own}, "poser": {posed, foreign}, numbers["poser"]: {posed, foreign},
                "unclaimed": {foreign}, "none-such": set()}

    def test_sessions(self):
        for parameter in ("machine_id", "machine"):
            found = self.selected(
                lambda name: {each["id"] for each in get(f"/v1/sessions?{parameter}={name}")["sessions"]})
            self.assertEqual(found, self.expected())

    def test_events(self):
        found = self.selected(
            lambda name: {each["session_id"] for each in get(f"/v1/events?machine_id={name}")["events"]})
        self.assertEqual(found, self.expected())

    def test_projects(self):
        """A project has the name of the key's machine, and no other."""
        paths = {"/srv/own": own, "/srv/posed": posed, "/srv/foreign": foreign}
        found = {name: {paths[each["path"]] for each in get(f"/v1/projects?machine_id={name}")["projects"]}
                 for name in ("victim", numbers["victim"], "poser", "none-such")}
        self.assertEqual(found, {"victim": {own}, numbers["victim"]: {own}, "poser": {posed, foreign}, "none-such": set()})
        named = {each["path"]: (each["machine_id"], each["machine_name"]) for each in get("/v1/projects")["projects"]}
        self.assertEqual(named, {"/srv/own": ("victim", "victim"), "/srv/posed": ("poser", "poser"),
                                 "/srv/foreign": ("poser", "poser")})

    def test_a_project_is_made_on_the_machine_of_the_key(self):
        client = server.client()
        made = client.request("POST", "/v1/projects", {"name": "x", "path": "/srv/made", "machine_id": "victim"})
        self.assertEqual(made.json["machine_name"], "victim", made)
        self.addCleanup(client.request, "DELETE", "/v1/projects/" + made.json["id"])
        refused = client.request("POST", "/v1/projects", {"name": "x", "path": "/srv/y", "machine_id": "unclaimed"})
        self.assertEqual((refused.status, refused.json["error"]["code"]), (400, "machine_not_found"))

    def test_the_rows_say_both_names(self):
        rows = {each["id"]: (each["machine_name"], each["machine_id"]) for each in get("/v1/sessions")["sessions"]}
        self.assertEqual((rows[own], rows[posed]), (("victim", "desk"), ("poser", "victim")))
        machines = {each["name"]: each for each in get("/v1/machines")["machines"]}
        self.assertEqual((machines["victim"]["session_count"], machines["poser"]["session_count"]), (1, 2))
        self.assertEqual(machines["victim"]["reported_name"], "desk")

    def test_the_command_line_shows_the_key(self):
        shown = server.control("events", "--session", posed).stdout
        self.assertIn("poser", shown)
        self.assertNotIn("victim", shown)


class Streams(unittest.TestCase):
    def test_a_stream_of_a_machine_is_that_of_the_key(self):
        first = post(poser, session(), "/srv/posed", machine_id="victim")
        with sse.Stream(f"?machine_id=victim&since={epoch()}:{first - 1}") as stream:
            post(poser, session(), "/srv/posed", machine_id="victim")
            last = post(victim, own, "/srv/own", "Stop", machine_id="desk")
            self.assertEqual(stream.next()[2]["seq"], last)

    def test_a_stream_without_a_machine_is_not_narrowed(self):
        first = post(victim, session(), "/srv/own")
        with sse.Stream(f"?since={epoch()}:{first - 1}") as stream:
            self.assertEqual(stream.next()[2]["seq"], first)


class Pushes(unittest.TestCase):
    def test_a_push_names_the_machine_of_the_key(self):
        device = pushing.pair(server)
        pushing.prefer(device, "?scope=device", grace_seconds=1)
        secret = os.urandom(32)
        pushing.register(device, "names", encryption_key=base64.b64encode(secret).decode())
        chosen = session()
        client = Client(server.address, poser)
        for each in pushing.asking(chosen):
            client.request("POST", "/api/events", envelope(each, machine_id="victim"))
        sent = wait_for(lambda: pushing.to_token(mock, "names"), "the push is sent")[0]
        box = base64.b64decode(sent["payload"]["monitor"]["sealed"])
        told = json.loads(AESGCM(secret).decrypt(box[:12], box[12:], b"\x01" + device.id.encode() + b"\0" + sent["id"].encode()))
        self.assertEqual(told["machine"], "poser")
        self.assertNotIn("victim", str(told))
