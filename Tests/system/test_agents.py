"""Agents of machines: they connect with the machine's key, start and end sessions for devices that have `control`, and carry
messages, prompts and answers."""

import asyncio
import base64
import json
import os
import unittest
import uuid

import websockets

import harness
import test_devices as devices
from agents import MAY, Agent, Refusal, request_of
from harness import Client, Server, envelope, hook, make_directory, session, wait_for


def setUpModule():
    global server, phone
    server = devices.server = Server(MONITOR_RATE_LIMIT="off").start()
    phone = devices.pair("phone")


def tearDownModule():
    server.end()


def request(method, path, body=None, token=None):
    client = Client(server.address, token or server.admin, timeout=60)
    try:
        return client.request(method, path, body)
    finally:
        client.close()


def on_phone(method, path, body=None):
    return request(method, path, body, phone["access_token"])


class WithAgent(unittest.TestCase):
    """Each test has a machine of its own."""

    def setUp(self):
        self.name = f"desk-{uuid.uuid4().hex[:8]}"
        self.key = server.key(self.name)

    def connected(self, **options):
        agent = Agent(server, self.key, **options).greet()
        self.addCleanup(agent.close)
        return agent

    def maker(self):
        """An agent whose machine's file has `new_projects`."""
        agent = Agent(server, self.key)
        agent.greeting["may"] = {**MAY, "new_projects": True}
        agent.greet()
        self.addCleanup(agent.close)
        return agent

    def started(self, **more):
        return request("POST", "/v1/sessions", {"machine_id": self.name, "path": "/home/dev/app", **more})

    def happens(self, chosen, name, **fields):
        posted = request("POST", "/api/events", envelope(dict(hook(name, chosen, **fields), cwd="/home/dev/app")), self.key)
        self.assertEqual(posted.status, 202, posted)


class Connecting(WithAgent):
    def test_a_page_of_a_browser_is_no_agent(self):
        answer = Client(server.address, self.key).request(
            "GET", "/api/agent", headers={"Upgrade": "websocket", "Connection": "Upgrade", "Origin": f"http://{server.address}",
                                          "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
        self.assertEqual(answer.status, 403, answer)

    def test_a_device_is_no_agent(self):
        self.key = phone["access_token"]
        with self.assertRaises(Exception):
            Agent(server, self.key)

    def test_the_newest_link_of_the_same_agent_counts(self):
        first = self.connected()
        second = self.connected(identity=first.identity)
        self.assertEqual(first.close_code(), 4409)
        self.assertEqual(self.started().status, 201)
        self.assertEqual(len(second.wait_for("session/start")), 1)

    def test_another_agent_of_the_same_machine_is_refused(self):
        first = self.connected()
        other = Agent(server, self.key)
        self.addCleanup(other.close)
        other.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": other.greeting})
        self.assertEqual(other.close_code(), 4403)
        self.assertEqual(self.started().status, 201)
        self.assertEqual(len(first.wait_for("session/start")), 1)

    def test_a_revoked_key_ends_the_connection(self):
        agent = self.connected()
        server.control("key", "revoke", self.name)
        self.assertEqual(agent.close_code(), 4001)

    def test_what_comes_before_initialize_is_refused(self):
        agent = Agent(server, self.key)
        self.addCleanup(agent.close)
        agent.send({"jsonrpc": "2.0", "id": 1, "method": "prompt/open", "params": {}})
        wait_for(lambda: 1 in agent.replies, "the answer")
        self.assertEqual(agent.replies[1]["error"]["data"]["reason"], "not_initialized")


class Starting(WithAgent):
    def test_a_session_exists_before_its_first_hook(self):
        agent = self.connected()
        answer = self.started(title="Repair the roof", permission_mode="plan", model="opus", message="Begin.")
        self.assertEqual(answer.status, 201, answer)
        shown = answer.json
        self.assertEqual((shown["runner"], shown["title"], shown["machine_name"], shown["project_path"], shown["state"]),
                         ("agent", "Repair the roof", self.name, "/home/dev/app", "idle"))
        row = request("GET", f"/v1/sessions/{shown['id']}").json
        self.assertEqual([one["current_model"] for one in (shown, row)], ["opus", "opus"])
        self.assertEqual(row["permission_mode"], "plan")
        asked = agent.wait_for("session/start")[0]
        self.assertEqual((asked["session_id"], asked["directory"], asked["mode"], asked["model"], asked["by"]),
                         (shown["id"], "/home/dev/app", "plan", "opus", {"kind": "operator"}))
        sent = agent.wait_for("session/send")[0]
        self.assertEqual((sent["session_id"], sent["content"]), (shown["id"], "Begin."))
        uuid.UUID(sent["message_id"])

    def test_what_an_agent_says_of_a_session_is_bounded_and_masked(self):
        secret, large = "ghp_" + "a1B2" * 9, "m" * 300_000
        says = {"mode": large, "cwd": "/" + large}
        self.connected(**{"session/start": lambda params: {"session_id": params["session_id"], **says}})
        shown = self.started().json
        self.assertEqual((shown.get("permission_mode"), shown.get("project_path")), (None, None))
        says.update(mode="plan", cwd=f"/home/dev/{secret}")
        shown = self.started().json
        self.assertEqual(shown["permission_mode"], "plan")
        self.assertNotIn(secret, json.dumps(shown))

    def test_a_repeated_request_starts_one_session(self):
        agent = self.connected()
        chosen = str(uuid.uuid4())
        first, second = (self.started(session_id=chosen) for _ in range(2))
        self.assertEqual((first.status, first.json["id"], second.status, second.json["id"]), (201, chosen, 201, chosen))
        self.assertEqual(len(agent.wait_for("session/start")), 1)

    def test_a_project_says_where(self):
        agent = self.connected()
        chosen = session()
        self.happens(chosen, "SessionStart", source="startup")
        project = request("GET", f"/v1/sessions/{chosen}").json["project_id"]
        answer = request("POST", "/v1/sessions", {"project_id": project})
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(agent.wait_for("session/start")[0]["directory"], "/home/dev/app")

    def test_a_project_says_the_model_of_new_sessions(self):
        agent = self.connected()
        project = request("POST", "/v1/projects", {"name": "p", "path": "/home/dev/shop", "machine_id": self.name, "settings": {
            "default_model": "haiku"}}).json["id"]
        for more in ({}, {"model": "opus"}, {"resume": str(uuid.uuid4())}):
            self.assertEqual(request("POST", "/v1/sessions", {"project_id": project, **more}).status, 201)
        self.assertEqual(request("POST", "/v1/sessions", {"machine_id": self.name, "path": "/home/dev/shop/"}).status, 201)
        self.assertEqual([started.get("model") for started in agent.wait_for("session/start", 4)], ["haiku", "opus", None, "haiku"])

    def test_a_project_without_a_directory(self):
        self.connected()
        project = request("POST", "/v1/projects", {"name": "idea"}).json["id"]
        for path, body in (("/v1/sessions", {"project_id": project}), ("/v1/chat/completions", {
                "model": "opus", "project_id": project, "messages": [{"role": "user", "content": "Hi"}]})):
            answer = request("POST", path, body)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (422, "no_directory"), answer)

    def test_a_machine_that_says_where_makes_the_directory_of_a_project(self):
        agent = self.maker()
        made = f"/home/dev/new/{uuid.uuid4()}"
        agent.answers["project/create"] = lambda params: {"path": made}
        answer = request("POST", "/v1/projects", {"name": "My App", "machine_id": self.name})
        self.assertEqual((answer.status, answer.json["path"], answer.json["machine_id"]), (200, made, self.name), answer)
        self.assertEqual([params["name"] for params in agent.wait_for("project/create")], ["My App"])
        self.assertEqual(request("POST", "/v1/sessions", {"project_id": answer.json["id"]}).status, 201)
        self.assertEqual(agent.wait_for("session/start")[0]["directory"], made)

    def test_what_the_machine_refuses_makes_no_project(self):
        agent = self.maker()
        def refuse(params):
            raise Refusal("outside_roots")
        agent.answers["project/create"] = refuse
        name = str(uuid.uuid4())
        answer = request("POST", "/v1/projects", {"name": name, "machine_id": self.name})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "outside_roots"), answer)
        listed = request("GET", "/v1/projects?limit=200").json["projects"]
        self.assertNotIn(name, [project["name"] for project in listed])

    def test_a_path_or_a_machine_that_makes_none_asks_no_agent(self):
        agent = self.maker()
        path = f"/home/dev/{uuid.uuid4()}"
        answer = request("POST", "/v1/projects", {"name": "given", "path": path, "machine_id": self.name})
        self.assertEqual((answer.status, answer.json["path"]), (200, path), answer)
        self.assertNotIn("project/create", [method for method, _ in agent.commands])

    def test_without_an_agent(self):
        answer = self.started()
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "agent_unavailable"))

    def test_unknown_machines_and_wrong_requests(self):
        self.connected()
        for body, status, code in [
                ({}, 400, "missing_parameter"), ({"machine_id": "nowhere", "path": "/x"}, 404, "machine_not_found"),
                ({"project_id": "nowhere"}, 404, "project_not_found"), ({"machine_id": self.name}, 422, "missing_parameter"),
                ({"machine_id": self.name, "path": "/x", "session_id": "x"}, 400, "invalid_parameter"),
                ({"machine_id": self.name, "path": "/x", "fork": True}, 400, "invalid_parameter"),
                ({"machine_id": self.name, "path": 7}, 400, "invalid_parameter")]:
            with self.subTest(body=body):
                answer = request("POST", "/v1/sessions", body)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer)

    def test_what_the_machine_refuses(self):
        for reason, status in [("outside_roots", 403), ("untrusted_directory", 422), ("too_many_sessions", 429),
                               ("already_running", 409), ("start_failed", 502)]:
            with self.subTest(reason=reason):
                def refuse(params, reason=reason):
                    raise Refusal(reason, "The file does not allow it.")
                self.setUp()
                self.connected(**{"session/start": refuse})
                answer = self.started()
                self.assertEqual((answer.status, answer.json["error"]["code"], answer.json["error"]["message"]),
                                 (status, reason, "The file does not allow it."))

    def test_a_device_needs_control_of_the_machine(self):
        agent = self.connected()
        body = {"machine_id": self.name, "path": "/home/dev/app"}
        refused = on_phone("POST", "/v1/sessions", body)
        self.assertEqual((refused.status, refused.json["error"]["code"]), (403, "insufficient_scope"))
        server.key("elsewhere-" + self.name)
        for granted, status in [("elsewhere-" + self.name, 403), (self.name, 201)]:
            server.control("device", "grant", str(phone["device_id"]), "control", "--machine", granted)
            self.assertEqual(on_phone("POST", "/v1/sessions", body).status, status)
        self.assertEqual(agent.wait_for("session/start")[0]["by"],
                         {"kind": "device", "id": phone["device_id"], "name": "phone"})

    def test_a_session_of_another_machine_is_not_continued(self):
        other = server.key("other-" + self.name)
        chosen = str(uuid.uuid4())
        request("POST", "/api/events", envelope(hook("SessionStart", chosen, source="startup")), other)
        self.connected()
        answer = self.started(resume=chosen)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "session_elsewhere"))


class Ending(WithAgent):
    def test_a_session_ends(self):
        def stop(params):
            # Claude Code's own hook comes before the answer.
            self.happens(params["session_id"], "SessionEnd", reason="other")
            agent.state(params["session_id"], "ended", reason="stopped")
            return {"exit": {"code": 0}, "left_running": [{"pid": 99, "command": "vite"}]}
        agent = self.connected(**{"session/stop": stop})
        chosen = self.started().json["id"]
        answer = request("DELETE", f"/v1/sessions/{chosen}")
        self.assertEqual((answer.status, answer.json), (200, {"session_id": chosen, "status": "ended",
                                                              "left_running": [{"pid": 99, "command": "vite"}]}))
        wait_for(lambda: request("GET", f"/v1/sessions/{chosen}").json["status"] == "ended", "its end")
        self.assertEqual(request("GET", f"/v1/sessions/{chosen}").json["end_reason"], "stopped")
        self.assertEqual(request("DELETE", f"/v1/sessions/{chosen}").json["left_running"], [])

    def test_a_session_of_a_terminal_does_not_end(self):
        self.connected()
        chosen = session()
        self.happens(chosen, "SessionStart", source="startup")
        answer = request("DELETE", f"/v1/sessions/{chosen}")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "not_ours"))

    def test_a_device_without_control_ends_nothing(self):
        agent = self.connected()
        chosen = self.started().json["id"]
        other = devices.pair("tablet")
        self.assertEqual(request("DELETE", f"/v1/sessions/{chosen}", token=other["access_token"]).status, 403)
        self.assertEqual([name for name, _ in agent.commands if name == "session/stop"], [])


class Switching(WithAgent):
    def test_the_mode_and_the_model(self):
        agent = self.connected()
        chosen = self.started().json["id"]
        answer = request("PATCH", f"/v1/sessions/{chosen}", {"permission_mode": "plan", "model": "opus", "title": "Plan"})
        self.assertEqual((answer.status, answer.json["title"], answer.json["current_model"]), (200, "Plan", "opus"), answer)
        asked = agent.wait_for("session/set")[0]
        self.assertEqual((asked["session_id"], asked["mode"], asked["model"]), (chosen, "plan", "opus"))
        self.assertEqual(request("GET", f"/v1/sessions/{chosen}").json["permission_mode"], "plan")

    def test_what_the_machine_does_not_allow_changes_nothing(self):
        def refuse(params):
            raise Refusal("mode_not_allowed", "The machine's file allows default and plan.")
        self.connected(**{"session/set": refuse})
        chosen = self.started(title="Before").json["id"]
        answer = request("PATCH", f"/v1/sessions/{chosen}", {"permission_mode": "acceptEdits", "title": "After"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "mode_not_allowed"))
        self.assertEqual(request("GET", f"/v1/sessions/{chosen}").json["title"], "Before")

    def test_a_session_of_a_terminal_is_not_switched(self):
        chosen = session()
        self.happens(chosen, "SessionStart", source="startup")
        answer = request("PATCH", f"/v1/sessions/{chosen}", {"model": "opus"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "not_ours"))

    def test_a_device_that_only_answers_does_not_switch(self):
        agent = self.connected()
        chosen = self.started().json["id"]
        other = devices.pair("tablet")
        answer = request("PATCH", f"/v1/sessions/{chosen}", {"model": "opus"}, other["access_token"])
        self.assertEqual(answer.status, 403)
        self.assertEqual([name for name, _ in agent.commands if name == "session/set"], [])


class Machines(WithAgent):
    def shown(self):
        return request("GET", f"/v1/machines/{self.name}").json["agent"]

    def test_the_agent_of_a_machine(self):
        self.assertEqual(self.shown()["state"], "none")
        agent = self.connected()
        shown = self.shown()
        self.assertEqual((shown["state"], shown["version"], shown["platform"], shown["clients"], shown["may"]["roots"]),
                         ("online", "0.0.test", "linux-x86_64", [{"version": "2.1.332", "path": "/usr/bin/claude"}],
                          ["/home/dev"]))
        agent.tell("machine/may", {**MAY, "control": False, "roots": []})
        wait_for(lambda: not self.shown()["may"]["control"], "a change of the machine's file")
        self.assertIn(self.name, request("GET", "/health").json["claude"]["names"])
        agent.tell("machine/clients", {"clients": []})
        wait_for(lambda: self.shown()["clients"] == [], "Claude Code is removed")
        self.assertNotIn(self.name, request("GET", "/health").json["claude"]["names"])
        agent.tell("machine/clients", {"clients": [{"name": "claude", "version": "2.1.400", "path": "/opt/claude"}]})
        wait_for(lambda: self.shown()["clients"] == [{"version": "2.1.400", "path": "/opt/claude"}], "another is installed")
        self.assertIn(self.name, request("GET", "/health").json["claude"]["names"])
        agent.close()
        wait_for(lambda: self.shown()["state"] == "offline", "the end of the connection")
        self.assertEqual(request("GET", "/v1/machines/nowhere").status, 404)

    def test_an_operator_makes_room_for_another_agent(self):
        self.connected().close()
        other = Agent(server, self.key)
        self.addCleanup(other.close)
        other.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": other.greeting})
        self.assertEqual(other.close_code(), 4403)
        server.control("machine", "reset-agent", self.name)
        self.connected(identity=other.identity)

    def test_from_the_command_line(self):
        def stop(params):
            agent.state(params["session_id"], "ended")
            return {"left_running": [{"pid": 7, "command": "vite\x1b[2J"}]}
        agent = self.connected(**{"session/stop": stop})
        chosen = server.control("start", self.name, "/home/dev/app", "Hello.", "--mode", "plan").stdout.strip()
        self.assertEqual(agent.wait_for("session/start")[0]["mode"], "plan")
        self.assertEqual(agent.wait_for("session/send")[0]["content"], "Hello.")
        ended = server.control("stop", chosen)
        self.assertNotIn("\x1b", ended.stdout + ended.stderr)
        self.assertIn("Still running: 7 vite", ended.stderr)


class WithSession(WithAgent):
    """Each test has a session that takes messages."""

    def setUp(self):
        super().setUp()
        self.agent = self.connected()
        self.chosen = self.started().json["id"]
        wait_for(lambda: request("GET", f"/v1/sessions/{self.chosen}").json.get("accepts_messages"), "messages are taken")


class Talking(WithSession):
    def test_messages_arrive_in_order_and_once(self):
        def take(params):
            notice = {"session_id": self.chosen, "message_id": params["message_id"], "state": "started"}
            self.agent.tell("message/state", notice)
            return {"queued": False}
        self.agent.answers["session/send"] = take
        ids = [str(uuid.uuid4()) for _ in range(20)]
        for number, id in enumerate(ids):
            for _ in range(2):
                sent = on_phone("POST", f"/v1/sessions/{self.chosen}/input", {"text": f"Step {number}", "message_id": id})
                self.assertEqual(sent.status, 202, sent)
        given = self.agent.wait_for("session/send", 20)
        self.assertEqual([(one["message_id"], one["content"]) for one in given],
                         [(id, f"Step {number}") for number, id in enumerate(ids)])

    def test_an_interruption(self):
        self.happens(self.chosen, "UserPromptSubmit", prompt="go")
        self.assertEqual(on_phone("POST", f"/v1/sessions/{self.chosen}/interrupt").status, 202)
        self.assertEqual(self.agent.wait_for("session/interrupt")[0]["session_id"], self.chosen)
        self.agent.tell("turn/ended", {"session_id": self.chosen, "terminal_reason": "aborted_streaming"})
        wait_for(lambda: request("GET", f"/v1/sessions/{self.chosen}").json["state"] == "idle", "the end of the turn")

    def test_a_message_that_the_machine_refuses(self):
        def refuse(params):
            raise Refusal("not_allowed_by_machine", "Not a command that the machine allows.")
        self.agent.answers["session/send"] = refuse
        on_phone("POST", f"/v1/sessions/{self.chosen}/input", {"text": "/evil"})
        def failed():
            return [one for one in request("GET", f"/v1/sessions/{self.chosen}/input").json["messages"]
                    if one["state"] == "failed"]
        self.assertEqual(wait_for(failed, "the refusal")[0]["text"], "/evil")


class Pictures(WithSession):
    def picture(self, size=600_000, kind="image/png"):
        data = b"\x89PNG\r\n\x1a\n" + os.urandom(size)
        return {"media_type": kind, "data": base64.b64encode(data).decode()}

    def send(self, *images, **more):
        return on_phone("POST", f"/v1/sessions/{self.chosen}/input", {"text": "Look", "images": list(images), **more})

    def arrived(self):
        """The pictures that the agent has, from their parts."""
        whole = {}
        for part in self.agent.wait_for("upload/part"):
            if part["offset"] == 0:
                whole[part["upload"]] = ""
            self.assertEqual(part["offset"], len(whole[part["upload"]]))
            whole[part["upload"]] += part["data"]
        return whole

    def test_pictures_are_with_the_agent_before_their_message(self):
        one, two = self.picture(), self.picture(1000)
        sent = self.send(one, two)
        self.assertEqual((sent.status, sent.json["images"]), (202, 2), sent)
        given = self.agent.wait_for("session/send")[0]
        self.assertEqual([name for name, _ in self.agent.commands][-5:], ["upload/part"] * 4 + ["session/send"])
        whole = self.arrived()
        self.assertEqual([(whole[image["upload"]], image["media_type"]) for image in given["images"]],
                         [(one["data"], "image/png"), (two["data"], "image/png")])

    def test_a_picture_that_the_agent_has_lost_is_sent_again(self):
        lost = ["yes"]
        def take(params):
            if lost:
                lost.pop()
                raise Refusal("upload_lost")
            return {"queued": False}
        self.agent.answers["session/send"] = take
        picture = self.picture(1000)
        self.send(picture)
        self.agent.wait_for("session/send", 2)
        self.assertEqual(len([name for name, _ in self.agent.commands if name == "upload/part"]), 2)
        self.assertEqual(list(self.arrived().values()), [picture["data"]])

    def test_the_first_message_of_a_session(self):
        started = self.started(message="See this", images=[self.picture(1000)])
        self.assertEqual(started.status, 201, started)
        self.assertEqual(len(self.agent.wait_for("session/send")[0]["images"]), 1)

    def test_pictures_from_the_command_line(self):
        directory = make_directory("pictures.")
        kinds = {"a": b"\x89PNG\r\n\x1a\nx", "b": b"\xff\xd8\xffx", "c": b"GIF89ax", "d": b"RIFF\0\0\0\0WEBPx"}
        for name, data in kinds.items():
            (directory / name).write_bytes(data)
        flags = [word for name in kinds for word in ("--image", str(directory / name))]
        server.control("send", self.chosen, "Look", *flags)
        given = self.agent.wait_for("session/send")[0]["images"]
        self.assertEqual([image["media_type"] for image in given], ["image/png", "image/jpeg", "image/gif", "image/webp"])
        whole = self.arrived()
        self.assertEqual([base64.b64decode(whole[image["upload"]]) for image in given], list(kinds.values()))
        server.control("start", self.name, "/home/dev/app", "See this", "--image", str(directory / "a"))
        self.assertEqual([image["media_type"] for image in self.agent.wait_for("session/send", 2)[1]["images"]], ["image/png"])
        (directory / "text").write_text("no picture")
        (directory / "large").write_bytes(kinds["a"] + bytes(5 << 20))
        for name, words in {"text": "is no PNG", "large": "more than 5 MiB", "absent": "cannot be read"}.items():
            self.assertIn(words, self.fails("send", self.chosen, "x", "--image", str(directory / name)))
        self.assertIn("--image needs a message", self.fails("start", self.name, "/home/dev/app", "--image", str(directory / "a")))
        self.assertEqual(len(self.agent.wait_for("session/send", 2)), 2)

    def fails(self, *words):
        done = server.control(*words, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_what_is_no_picture_is_refused(self):
        good = self.picture(10)
        for images, status in ((5, 400), ([5], 400), ([{"data": "AAAA"}], 400), ([{**good, "data": "%"}], 400),
                               ([{**good, "media_type": "image/jpeg"}], 400), ([{**good, "media_type": "text/html"}], 400),
                               ([good] * 11, 400), ([self.picture(6 << 20)], 413), ([self.picture(5_000_000)] * 3, 413)):
            with self.subTest(str(images)[:60]):
                self.assertEqual(on_phone("POST", f"/v1/sessions/{self.chosen}/input", {"text": "x", "images": images}).status,
                                 status)
        self.assertEqual(request("POST", f"/v1/sessions/{self.chosen}/input",
                                 {"text": "/compact", "as": "command", "images": [good]}).status, 400)
        self.assertEqual(self.started(images=[good]).status, 400)
        self.assertEqual([name for name, _ in self.agent.commands if name == "session/send"], [])

    def test_hooks_never_get_a_message_with_pictures(self):
        """A terminal may go on with a session that an agent has begun."""
        self.agent.close()
        self.assertEqual(self.send(self.picture(10)).status, 202)
        self.assertEqual(self.send().status, 202)
        offered = Client(server.address, self.key, timeout=60).get(f"/api/messages?pid=17&session_id={self.chosen}")
        sent = request("GET", f"/v1/sessions/{self.chosen}/input").json["messages"]
        self.assertEqual(offered.json["message"]["id"], sent[1]["id"])


class Commanding(WithSession):
    """Slash commands, and messages that are taken back."""

    def send(self, text, token=None, **more):
        return request("POST", f"/v1/sessions/{self.chosen}/input", {"text": text, **more}, token)

    def state_of(self, id):
        listed = request("GET", f"/v1/sessions/{self.chosen}/input").json["messages"]
        return next(one for one in listed if one["id"] == id)["state"]

    def test_a_command_is_marked_and_a_text_is_not(self):
        self.agent.answers["session/send"] = lambda params: self.agent.tell("message/state", {
            "session_id": self.chosen, "message_id": params["message_id"], "state": "started"}) or {"queued": False}
        sent = self.send("/compact briefly", **{"as": "command"})
        self.assertEqual((sent.status, sent.json["as"]), (202, "command"), sent)
        self.assertNotIn("as", self.send("/etc/hosts is empty").json)
        given = self.agent.wait_for("session/send", 2)
        self.assertEqual([(one["content"], one.get("as")) for one in given],
                         [("/compact briefly", "command"), ("/etc/hosts is empty", None)])

    def test_a_command_needs_control_and_its_form(self):
        refused = self.send("/clear", phone["access_token"], **{"as": "command"})
        # The phone may have got control of another test's machine, never of this one.
        self.assertEqual((refused.status, refused.json["error"]["code"]), (403, "insufficient_scope"))
        for text, form, status in [("clear", "command", 400), ("/ clear", "command", 400), ("/", "command", 400),
                                   ("/clear", "order", 400), ("/clear", 1, 400)]:
            with self.subTest(text=text, form=form):
                self.assertEqual(self.send(text, **{"as": form}).status, status)
        self.assertEqual([name for name, _ in self.agent.commands if name == "session/send"], [])

    def test_a_session_of_a_terminal_takes_no_commands(self):
        chosen = session()
        self.happens(chosen, "SessionStart", source="startup")
        self.chosen = chosen

        def is_taken():
            poll = Client(server.address, self.key, timeout=0.5)
            try:
                poll.get(f"/api/messages?pid=17&session_id={chosen}")
            except OSError:
                pass
            poll.close()
            return self.send("Hello.").status == 202
        wait_for(is_taken, "messages are taken")
        picture = {"media_type": "image/gif", "data": base64.b64encode(b"GIF89a").decode()}
        for more in ({"as": "command"}, {"images": [picture]}):
            answer = self.send("/clear", **more)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "not_ours"))

    def test_hooks_never_get_a_command(self):
        """A terminal may go on with a session that an agent has begun."""
        self.agent.close()
        self.assertEqual(self.send("/clear", **{"as": "command"}).status, 202)
        self.assertEqual(self.send("Hello.").status, 202)
        offered = Client(server.address, self.key, timeout=60).get(f"/api/messages?pid=17&session_id={self.chosen}")
        self.assertEqual(offered.json["message"]["text"], "Hello.")

    def test_the_commands_of_a_session(self):
        listed = [{"name": "clear", "description": "Begin anew"}, {"name": "model", "argument_hint": "[model]"}]
        self.agent.answers["session/commands"] = lambda params: {"commands": listed}
        path = f"/v1/sessions/{self.chosen}/commands"
        self.assertEqual(request("GET", path).json, {"commands": listed})
        self.assertEqual(on_phone("GET", path).status, 403)

    def test_a_message_in_the_session_is_taken_back(self):
        self.agent.answers["session/send"] = lambda params: {"queued": True}
        sent = self.send("Later.").json
        wait_for(lambda: self.state_of(sent["id"]) == "delivered", "the session has it")
        self.agent.answers["session/cancel"] = lambda params: {"cancelled": params["message_id"] == sent["message_id"]}
        cancelled = on_phone("DELETE", f"/v1/sessions/{self.chosen}/input/{sent['id']}")
        self.assertEqual((cancelled.status, cancelled.json["state"]), (200, "cancelled"), cancelled)
        self.assertEqual(self.agent.wait_for("session/cancel")[0]["session_id"], self.chosen)

    def test_a_message_that_has_begun_is_not_taken_back(self):
        self.agent.answers["session/send"] = lambda params: {"queued": True}
        sent = self.send("Now.").json
        wait_for(lambda: self.state_of(sent["id"]) == "delivered", "the session has it")
        self.agent.answers["session/cancel"] = lambda params: {"cancelled": False}
        kept = on_phone("DELETE", f"/v1/sessions/{self.chosen}/input/{sent['id']}")
        self.assertEqual((kept.status, kept.json["error"]["code"]), (409, "already_delivered"))

    def test_an_interruption_takes_all_messages_back(self):
        self.agent.answers["session/send"] = lambda params: {"queued": True}
        first = self.send("One.").json
        wait_for(lambda: self.state_of(first["id"]) == "delivered", "the session has it")
        rest = [self.send(text).json["id"] for text in ("Two.", "Three.")]
        self.agent.answers["session/interrupt"] = lambda params: {"cancelled": [first["message_id"]]}
        answer = on_phone("POST", f"/v1/sessions/{self.chosen}/interrupt", {"cancel_queued": True})
        self.assertEqual((answer.status, answer.json["state"], answer.json["cancelled"]),
                         (202, "delivered", [first["id"], *rest]), answer)
        self.assertIs(self.agent.wait_for("session/interrupt")[0]["cancel_queued"], True)
        self.assertEqual({self.state_of(id) for id in (first["id"], *rest)}, {"cancelled"})

    def test_an_interruption_alone_takes_nothing_back(self):
        self.agent.answers["session/send"] = lambda params: {"queued": True}
        first = self.send("One.").json
        wait_for(lambda: self.state_of(first["id"]) == "delivered", "the session has it")
        second = self.send("Two.").json
        for body in (None, {}, {"cancel_queued": False}):
            answer = on_phone("POST", f"/v1/sessions/{self.chosen}/interrupt", body)
            self.assertEqual((answer.status, answer.json["cancelled"]), (202, []), answer)
        self.assertNotIn("cancel_queued", self.agent.wait_for("session/interrupt", 3)[0])
        self.assertEqual(self.state_of(second["id"]), "queued")
        wrong = on_phone("POST", f"/v1/sessions/{self.chosen}/interrupt", {"cancel_queued": "yes"})
        self.assertEqual(wrong.status, 400)

    def test_clear_begins_another_session(self):
        new = str(uuid.uuid4())
        def shown(id):
            answer = request("GET", f"/v1/sessions/{id}")
            return answer.json if answer.status == 200 else {}
        self.agent.state(self.chosen, "ended", reason="clear")
        self.agent.state(new, "idle", continues=self.chosen)
        wait_for(lambda: shown(new).get("continues") == self.chosen, "the new one")
        wait_for(lambda: shown(self.chosen).get("continued_by") == new, "the old one says which")
        wait_for(lambda: shown(self.chosen).get("end_reason") == "clear", "the old one has ended")
        self.assertEqual((shown(new)["runner"], shown(new)["status"]), ("agent", "active"))
        # Told again with each connection, and in the log once.
        again = self.connected(identity=self.agent.identity,
                               sessions=[{"session_id": new, "state": "idle", "continues": self.chosen}])
        wait_for(lambda: self.send("Hello.").status == 409, "the old one takes no messages")
        self.chosen = new
        wait_for(lambda: self.send("Hello.").status == 202, "the new one takes messages")
        again.wait_for("session/send")
        told = request("GET", f"/v1/events?limit=100&session_id={new}&types=session_changed").json["events"]
        self.assertEqual(len(told), 1, told)

    def test_devices_learn_the_new_id(self):
        new = str(uuid.uuid4())
        async def watch():
            address, headers = f"ws://{server.address}/ws", {"Authorization": f"Bearer {server.admin}"}
            async with websockets.connect(address, extra_headers=headers) as socket:
                async def call(number, method, params):
                    await socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
                    while True:
                        message = json.loads(await asyncio.wait_for(socket.recv(), 20))
                        if message.get("id") == number:
                            return message
                await call(1, "initialize", {"clientInfo": {"name": "cdev-ios", "version": "1"}})
                await call(2, "event/subscribe", {"session_id": self.chosen})
                self.agent.state(self.chosen, "ended", reason="clear")
                self.agent.state(new, "idle", continues=self.chosen)
                while True:
                    message = json.loads(await asyncio.wait_for(socket.recv(), 20))
                    if message.get("method") == "event/session_id_resolved":
                        return message["params"]
        told = asyncio.run(watch())
        self.assertEqual((told["session_id"], told["payload"]["temporary_id"], told["payload"]["real_id"]),
                         (self.chosen, self.chosen, new))
        self.assertEqual(told["payload"]["workspace_id"], told["workspace_id"])


class Rewinding(WithSession):
    def rewind(self, token=None, **body):
        return request("POST", f"/v1/sessions/{self.chosen}/rewind", body, token)

    def test_it_is_tried_before_it_is_done(self):
        id = str(uuid.uuid4())
        self.agent.answers["session/rewind"] = lambda params: {"files": ["/home/dev/app/a"], "insertions": 1, "text": "Hello."}
        tried = self.rewind(message_id=id, what="both")
        self.assertEqual((tried.status, tried.json), (200, {
            "session_id": self.chosen, "message_id": id, "what": "both", "dry_run": True, "files": ["/home/dev/app/a"],
            "insertions": 1, "text": "Hello."}))
        self.assertEqual(self.rewind(message_id=id, what="files", dry_run=False).json["dry_run"], False)
        asked = self.agent.wait_for("session/rewind", 2)
        self.assertEqual([(one["message_id"], one["what"], one["dry_run"]) for one in asked],
                         [(id, "both", True), (id, "files", False)])

    def test_what_cannot_be_rewound(self):
        def refuse(params):
            raise Refusal("cannot_rewind", "No file checkpoint found for this message.")
        self.agent.answers["session/rewind"] = refuse
        answer = self.rewind(message_id=str(uuid.uuid4()), what="files")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "cannot_rewind"))
        for body in ({}, {"message_id": "x", "what": "files"}, {"message_id": str(uuid.uuid4())},
                     {"message_id": str(uuid.uuid4()), "what": "all"},
                     {"message_id": str(uuid.uuid4()), "what": "files", "dry_run": "no"}):
            self.assertEqual(self.rewind(**body).status, 400, body)

    def test_a_device_needs_control(self):
        self.assertEqual(self.rewind(phone["access_token"], message_id=str(uuid.uuid4()), what="files").status, 403)
        self.assertEqual([name for name, _ in self.agent.commands if name == "session/rewind"], [])


class Parking(WithSession):
    """Sessions whose process has ended to save memory."""

    def shown(self):
        return request("GET", f"/v1/sessions/{self.chosen}").json

    def park(self, agent=None):
        (agent or self.agent).state(self.chosen, "idle", parked=True)
        wait_for(lambda: self.shown().get("parked"), "it is parked")

    def test_a_parked_session_goes_on(self):
        self.park()
        # Hooks of earlier versions report the end of the process, and heartbeats its absence.
        self.happens(self.chosen, "SessionEnd", reason="other")
        for sessions in ([{"session_id": self.chosen, "pid": 7, "status": "idle"}], []):
            self.assertEqual(request("POST", "/api/heartbeat", {
                "machine_id": "m", "timestamp": harness.iso(0), "sessions": sessions}, self.key).status, 202)
        self.assertEqual(request("GET", f"/v1/events?limit=50&session_id={self.chosen}&types=session_gone").json["events"], [])
        shown = self.shown()
        self.assertEqual((shown["status"], shown["state"], shown["parked"], shown.get("end_reason")),
                         ("active", "idle", True, None))
        row = next(one for one in request("GET", "/v1/sessions?limit=100").json["sessions"] if one["id"] == self.chosen)
        self.assertIs(row["parked"], True)

    def test_a_message_wakes_it(self):
        self.park()
        def take(params):
            self.agent.state(self.chosen, "running")
            self.agent.tell("message/state", {"session_id": self.chosen, "message_id": params["message_id"],
                                              "state": "started"})
            return {"queued": False}
        self.agent.answers["session/send"] = take
        self.assertEqual(request("POST", f"/v1/sessions/{self.chosen}/input", {"text": "Wake up."}).status, 202)
        self.assertEqual(self.agent.wait_for("session/send")[0]["content"], "Wake up.")
        wait_for(lambda: "parked" not in self.shown(), "it is awake")

    def test_what_needs_the_process_says_so(self):
        self.park()
        def refuse(params):
            raise Refusal("session_parked", "The next message starts it.")
        self.agent.answers["session/context"] = refuse
        answer = request("GET", f"/v1/sessions/{self.chosen}/context")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "session_parked"))

    def test_it_ends_like_any_other(self):
        self.park()
        self.agent.state(self.chosen, "ended", reason="taken")
        wait_for(lambda: self.shown()["status"] == "ended", "its end")
        self.assertEqual((self.shown()["end_reason"], self.shown().get("parked")), ("taken", None))

    def test_the_next_connection_tells_what_changed(self):
        self.park()
        line = {"session_id": self.chosen, "state": "idle"}
        self.connected(identity=self.agent.identity, sessions=[line])
        wait_for(lambda: "parked" not in self.shown(), "it was woken meanwhile")
        self.connected(identity=self.agent.identity, sessions=[{**line, "parked": True}])
        wait_for(lambda: self.shown().get("parked"), "it was parked meanwhile")

    def test_sessions_of_a_machine_that_was_restarted_have_ended(self):
        self.agent.state(self.chosen, "ended", reason="machine_restarted")
        wait_for(lambda: self.shown().get("end_reason") == "machine_restarted", "the reason")
        self.assertEqual(self.shown()["status"], "ended")

    def test_the_context(self):
        usage = {"totalTokens": 3567, "maxTokens": 200000, "autoCompactThreshold": 167000, "isAutoCompactEnabled": True,
                 "model": "sonnet", "categories": [{"name": "Messages", "tokens": 3000, "color": "red"}, {"name": 1}]}
        self.agent.answers["session/context"] = lambda params: usage
        self.assertEqual(on_phone("GET", f"/v1/sessions/{self.chosen}/context").json, {
            "session_id": self.chosen, "used_tokens": 3567, "max_tokens": 200000, "compacts_at_tokens": 167000,
            "model": "sonnet", "parts": [{"name": "Messages", "tokens": 3000}]})
        chosen = session()
        self.happens(chosen, "SessionStart", source="startup")
        answer = request("GET", f"/v1/sessions/{chosen}/context")
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "not_ours"))


class Asking(WithAgent):
    def setUp(self):
        super().setUp()
        self.agent = self.connected()
        self.chosen = self.started().json["id"]
        self.hold = str(uuid.uuid4())
        self.event = request_of(self.chosen)
        self.prompt = "prm_" + self.event["event_id"].replace("-", "")

    def open(self, agent=None):
        (agent or self.agent).open_prompt(self.chosen, self.event, self.hold)
        wait_for(lambda: self.shown().get("answerable"), "the prompt can be answered")

    def shown(self):
        answer = on_phone("GET", f"/v1/prompts/{self.prompt}")
        return answer.json.get("prompt", answer.json) if answer.status == 200 else {}

    def answer(self, **body):
        return on_phone("POST", f"/v1/prompts/{self.prompt}/answer", body)

    def test_an_answer_reaches_the_agent(self):
        self.open()
        self.assertEqual(self.shown()["tool_input"], {"command": "rm -rf build"})
        self.assertEqual(self.answer(decision="allow").status, 200)
        given = self.agent.wait_for("prompt/answer")[0]
        self.assertEqual((given["session_id"], given["hold_id"]), (self.chosen, self.hold))
        self.assertEqual(given["output"]["hookSpecificOutput"]["decision"]["behavior"], "allow")
        self.assertEqual(self.answer(decision="deny").status, 409)

    def test_the_same_prompt_told_twice_is_one(self):
        self.open()
        self.open()
        self.assertEqual(self.answer(decision="deny", message="Not now.").status, 200)
        self.assertEqual(self.agent.wait_for("prompt/answer")[0]["output"]["hookSpecificOutput"]["decision"]["message"],
                         "Not now.")

    def test_an_answer_while_the_link_is_lost_is_given_when_the_agent_returns(self):
        self.open()
        self.agent.close()
        self.assertEqual(self.answer(decision="allow").status, 200)
        back = self.connected(identity=self.agent.identity,
                              sessions=[{"session_id": self.chosen, "state": "waiting", "prompts": [
                                  {"session_id": self.chosen, "hold_id": self.hold, "seconds": 600, "event": self.event}]}])
        given = back.wait_for("prompt/answer")[0]
        self.assertEqual((given["hold_id"], given["output"]["hookSpecificOutput"]["decision"]["behavior"]),
                         (self.hold, "allow"))

    def test_prompts_beyond_the_bound_are_refused(self):
        for _ in range(256):
            self.agent.open_prompt(self.chosen, request_of(self.chosen), str(uuid.uuid4()))
        with self.assertRaisesRegex(AssertionError, "32000"):
            self.agent.open_prompt(self.chosen, request_of(self.chosen), str(uuid.uuid4()))

    def test_a_prompt_of_another_session_is_refused(self):
        with self.assertRaises(AssertionError):
            self.agent.open_prompt(str(uuid.uuid4()), self.event, self.hold)

    def test_a_withdrawn_prompt_takes_no_answer(self):
        self.open()
        self.agent.call("prompt/withdrawn", {"session_id": self.chosen, "hold_id": self.hold, "reason": "gone"})
        self.assertEqual(self.answer(decision="allow").status, 410)
        self.assertEqual([name for name, _ in self.agent.commands if name == "prompt/answer"], [])


class Writing(WithAgent):
    """Text that Claude Code is writing."""

    def setUp(self):
        super().setUp()
        self.agent = self.connected()
        self.chosen = self.started().json["id"]

    def writes(self, text, message="msg_1", agent=None, **more):
        (agent or self.agent).tell("session/partial", {"session_id": self.chosen, "message_id": message, "text": text, **more})

    def watching(self, watch):
        """Runs a coroutine with a subscription of the session."""
        async def run():
            address = f"ws://{server.address}/v1/ws?session_id={self.chosen}"
            headers = {"Authorization": f"Bearer {server.admin}"}
            async with websockets.connect(address, extra_headers=headers, ping_interval=None) as socket:
                async def piece():
                    while True:
                        message = json.loads(await asyncio.wait_for(socket.recv(), 20))
                        if "text" in message and "index" in message:
                            return message
                await watch(piece)
        asyncio.run(run())

    def test_pieces_reach_the_subscribers_of_the_session(self):
        async def watch(piece):
            # A subscriber that comes late gets what is there so far.
            self.writes("Hello")
            self.assertEqual((await piece())["text"], "Hello")
            self.writes(" world")
            self.assertEqual(await piece(), {"event": "message_partial", "session_id": self.chosen, "message_id": "msg_1",
                                             "index": 1, "text": " world"})
            self.writes("Sorry", replaces=True)
            self.assertEqual(await piece(), {"event": "message_partial", "session_id": self.chosen, "message_id": "msg_1",
                                             "index": 2, "text": "Sorry", "replaces": True})
            self.writes("", closed=True)
            self.assertIs((await piece())["done"], True)
        self.watching(watch)

    def test_what_comes_before_the_session_is_looked_up_is_kept(self):
        async def watch(piece):
            line = {"session_id": self.chosen, "state": "running"}
            for text in ("One ", "two "):
                agent = self.connected(identity=self.agent.identity, sessions=[line])
                self.writes(text, agent=agent, replaces=True)
                self.writes("more", agent=agent)
                self.assertEqual([(await piece())["text"], (await piece())["text"]], [text, "more"])
        self.watching(watch)

    def test_a_late_subscriber_gets_the_text_so_far(self):
        async def first(piece):
            self.writes("One ")
            self.writes("two ")
            while (await piece())["text"] != "two ":
                pass
        self.watching(first)

        async def second(piece):
            self.assertEqual((await piece())["text"], "One two ")
            self.writes("three")
            self.assertEqual((await piece())["text"], "three")
        self.watching(second)

    def test_a_secret_is_masked_as_soon_as_it_is_one(self):
        secret = "sk-ant-api03-" + "Ab1" * 30
        async def watch(piece):
            self.writes(f"The key is {secret[:12]}")
            await piece()
            self.writes(f"{secret[12:]} .")
            whole = await piece()
            self.assertIs(whole["replaces"], True)
            self.assertNotIn(secret, whole["text"])
        self.watching(watch)

    def test_a_text_is_shown_as_far_as_a_message_has_room(self):
        async def watch(piece):
            # As JSON, each of these characters takes six bytes.
            self.writes("\x01" * 70_000)
            self.assertLessEqual(len(json.dumps(await piece())), 512 << 10)
            self.writes("\x01" * 70_000)
            self.writes("not any more")
            self.writes("", closed=True)
            self.assertIs((await piece())["done"], True)
            self.writes("the next", message="msg_2")
            self.assertEqual((await piece())["text"], "the next")
        self.watching(watch)

    def test_a_text_that_was_too_long_does_not_begin_in_its_middle(self):
        secret = "sk-ant-api03-" + "Ab1" * 30
        async def watch(piece):
            self.writes("a" * 300_000 + secret[:20])
            self.writes(secret[20:])
            self.writes("anew", replaces=True)
            self.assertEqual((await piece())["text"], "anew")
        self.watching(watch)

    def test_an_agent_of_another_machine_does_not_end_the_session(self):
        first = self.name
        self.name = "other-" + self.name
        self.key = server.key(self.name)
        other = self.connected()
        other.state(self.chosen, "running")
        other.tell("turn/ended", {"session_id": self.chosen, "terminal_reason": "aborted_streaming"})
        other.state(self.chosen, "ended")
        # What the other agent says is in the log once its own session of that name is.
        def told():
            return [one for one in request("GET", "/v1/events?limit=200&types=session_gone").json["events"]
                    if one["machine_name"] == self.name]
        wait_for(told, "the other agent's report is in the log")
        shown = request("GET", f"/v1/sessions/{self.chosen}").json
        self.assertEqual((shown["machine_name"], shown["status"]), (first, "active"))

    def test_an_agent_of_another_machine_cannot_write_here(self):
        self.name = "other-" + self.name
        self.key = server.key(self.name)
        other = self.connected()
        other.state(self.chosen, "running")
        self.writes("I am somebody else", agent=other)
        # The server has handled it once it answers the next call.
        wait_for(lambda: self.started().status == 201, "the other agent's state is known")
        async def watch(piece):
            self.writes("It is me")
            self.assertEqual((await piece())["text"], "It is me")
        self.watching(watch)


class Hiding(unittest.TestCase):
    def test_hiding_needs_administer(self):
        chosen = session()
        request("POST", "/api/events", envelope(hook("SessionStart", chosen, source="startup")), server.key("hidden"))
        self.assertEqual(on_phone("DELETE", f"/v1/sessions/{chosen}?hide=true").status, 403)
        self.assertEqual(request("DELETE", f"/v1/sessions/{chosen}?hide=true").json["status"], "deleted")


if __name__ == "__main__":
    unittest.main()
