"""Each method behaves as /api/rpc/discover describes it. The tests use a real socket."""

import base64
import contextlib
import unittest

import jsonschema

import test_devices as devices
import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, session

HOME = "/home/dev/described"
# A point on the curve, and 16 bytes (RFC 8291, appendix A).
KEYS = {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"}
WRONG = {"string": {"no": "text"}, "integer": "many", "boolean": "perhaps", "array": "one", "object": 7}


def setUpModule():
    global server, document, device, device_id, workspace, chosen
    server = Server(MONITOR_RATE_LIMIT="off").start()
    rpc.server = ws.server = devices.server = server
    ws.key = server.key("described")
    document = server.client().get("/api/rpc/discover").json
    paired = devices.pair()
    device, device_id = paired["access_token"], paired["device_id"]
    chosen, waiting = session(), session()
    rpc.story(chosen, *rpc.TURN, ("PreToolUse", {"tool_name": "Read", "tool_use_id": "t2", "tool_input": {"n": 1}}),
              ("Stop", {"last_assistant_message": "done"}), home=HOME)
    rpc.story(waiting, rpc.ASK, home=HOME)
    workspace = server.get(f"/v1/sessions/{chosen}").json["workspace_id"]


def tearDownModule():
    server.end()


def component(reference):
    place = document
    for step in reference.removeprefix("#/").split("/"):
        place = place[step]
    return place


def closed(schema):
    """The schema with its references resolved. It allows only the members that it names."""
    if "$ref" in schema:
        return closed(component(schema["$ref"]))
    if "allOf" in schema:
        parts = [closed(part) for part in schema["allOf"]]
        return {"type": "object", "additionalProperties": False,
                "required": [name for part in parts for name in part["required"]],
                "properties": {name: value for part in parts for name, value in part["properties"].items()}}
    changed = dict(schema)
    if "properties" in schema:
        changed["properties"] = {name: closed(value) for name, value in schema["properties"].items()}
        changed["additionalProperties"] = False
    if "items" in schema:
        changed["items"] = closed(schema["items"])
    if "anyOf" in schema:
        changed["anyOf"] = [closed(part) for part in schema["anyOf"]]
    return changed


def conforms(method, result):
    jsonschema.Draft202012Validator(
        closed(method["result"]["schema"]), format_checker=jsonschema.FormatChecker()).validate(result)


def value(name, schema):
    """A valid value for a parameter with that name."""
    known = {"workspace_id": workspace, "session_id": chosen, "path": HOME, "machine_name": "described",
             "agent_type": "claude", "since": {"epoch": None, "seq": 0}, "types": ["tool"], "auto_start": False,
             "before": "1000000", "after": "0", "offset": 0, "kind": "alert", "token": "ab" * 32, "time_zone": "UTC",
             "encryption_key": base64.b64encode(bytes(32)).decode(), "device_id": device_id, "keys": KEYS, "id": chosen,
             "endpoint": "https://push.example/1", "cols": 80, "rows": 24}
    if name == "token_id":
        return Client(server.address, device).request("POST", "/v1/push/tokens", {
            "token": "cd" * 32, "environment": "production"}).json["id"]
    # A date of git, not a position of the log.
    if name in known and not (name == "since" and schema.get("type") == "string"):
        return known[name]
    if "enum" in schema:
        return schema["enum"][-1]
    return {"string": "text", "integer": 1, "boolean": True, "array": ["text"], "object": {}}.get(schema.get("type"), {})


def values(method, only_required=False):
    # A device may change only its own layer of preferences.
    own = {"scope": "device", "id": device_id} if method["name"].startswith("push/preferences/") else {}
    return {parameter["name"]: value(parameter["name"], parameter["schema"]) for parameter in method["params"]
            if parameter["required"] or not only_required} | own


def errors(method):
    return {component(error["$ref"])["code"] for error in method["errors"]}


# These methods answer prompts, or need a session that accepts messages, or an agent: test_approvals, test_messages, test_driving and
# test_terminals test them.
RESPONDING = {"permission/request", "permission/respond", "session/respond", "session/send", "session/input",
              "session/resize", "session/stop", "agent/run", "agent/stop", "agent/respond", "workspace/discover"}


# The machine's agent makes the results of these; there is none here: test_files and test_git test them.
OF_AGENTS = {"workspace/files/list", "workspace/file/get", "repository/files/list", "repository/search", "file/list", "file/get"}


def methods(needs_agent):
    for method in document["methods"]:
        if method["name"] in RESPONDING:
            continue
        refuses = method["result"]["schema"]["$ref"].endswith("/NoResult") or method["name"] in OF_AGENTS
        refuses = refuses or method["name"].startswith(("git/", "workspace/git/"))
        if refuses == needs_agent:
            yield method


@contextlib.asynccontextmanager
async def asked(credential=None):
    async with ws.connected(server, credential=credential) as client:
        yield client


class Document(unittest.TestCase):
    def test_it_is_whole(self):
        names = [method["name"] for method in document["methods"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 110)
        for method in document["methods"]:
            with self.subTest(method["name"]):
                self.assertTrue(method["summary"])
                self.assertIsNotNone(component(method["result"]["schema"]["$ref"]))
                self.assertTrue(errors(method) or method["name"] == "initialize")
                for parameter in method["params"]:
                    self.assertTrue(parameter["summary"])
                    jsonschema.Draft202012Validator.check_schema(parameter["schema"])
        for schema in document["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_every_component_is_used(self):
        used = str(document)
        for kind in ("schemas", "errors"):
            for name in document["components"][kind]:
                self.assertIn(f"#/components/{kind}/{name}'", used)


class Methods(unittest.IsolatedAsyncioTestCase):
    async def call(self, method, params, credential=None):
        """A device calls the methods of pushes, for itself."""
        if method["name"].startswith("push/"):
            credential = credential or device
        async with asked(credential) as client:
            return await client.call(method["name"], params)

    async def test_each_answers_as_it_says(self):
        """The methods that read come first, and those that remove something last."""
        global chosen, workspace
        for method in sorted(methods(needs_agent=False), key=lambda method: method["x-capability"] == "administer"):
            for params in (values(method), values(method, only_required=True)):
                if method["x-capability"] == "administer":
                    chosen = session()
                    rpc.story(chosen, *rpc.TURN, home=HOME)
                    workspace = server.get(f"/v1/sessions/{chosen}").json["workspace_id"]
                    params = {name: {"session_id": chosen, "workspace_id": workspace}.get(name, given)
                              for name, given in params.items()}
                if method["name"] == "session/start":
                    # Without a session id, the method opens a session only if none runs.
                    params = {**params, "session_id": chosen}
                with self.subTest(method["name"], params=params):
                    answer = await self.call(method, params)
                    self.assertIn("result", answer)
                    conforms(method, answer["result"])

    async def test_wrong_parameters_are_32602_and_named(self):
        for method in document["methods"]:
            for parameter in method["params"]:
                name, schema = parameter["name"], parameter["schema"]
                cases = [{**values(method), name: WRONG[schema["type"]]}] if "type" in schema else []
                if "enum" in schema:
                    cases.append({**values(method), name: "something else"})
                if schema.get("type") == "integer":
                    cases += [{**values(method), name: schema["minimum"] - 1}, {**values(method), name: 1.5}]
                if schema.get("maxLength"):
                    cases += [{**values(method), name: ""}, {**values(method), name: "x" * (schema["maxLength"] + 1)}]
                if parameter["required"]:
                    missing = values(method)
                    del missing[name]
                    cases += [missing, {**missing, name: None}]
                for params in cases:
                    with self.subTest(method["name"], parameter=name, params=str(params)[:200]):
                        error = (await self.call(method, params))["error"]
                        self.assertEqual((error["code"], error["data"]["param"]), (-32602, name))
                        self.assertIn(-32602, errors(method))

    async def test_other_spellings_are_taken(self):
        for method in methods(needs_agent=False):
            for parameter in method["params"]:
                for spelling in parameter.get("x-spellings", []):
                    if method["x-capability"] == "administer":
                        continue
                    params = values(method)
                    params[spelling] = params.pop(parameter["name"])
                    with self.subTest(method["name"], spelling=spelling):
                        conforms(method, (await self.call(method, params))["result"])

    async def test_without_an_agent_it_is_the_error_that_is_described(self):
        seen = 0
        for method in methods(needs_agent=True):
            with self.subTest(method["name"]):
                for params in (values(method), values(method, only_required=True)):
                    error = (await self.call(method, params))["error"]
                    self.assertEqual(error["code"], -32004)
                    self.assertEqual(error["data"]["operation"], method["name"])
                    self.assertIn(-32004, errors(method))
                seen += 1
        self.assertGreaterEqual(seen, 10)

    async def test_sessions_and_workspaces_that_are_not_there(self):
        for method in methods(needs_agent=False):
            params, wanted = values(method), None
            if -32010 in errors(method):
                params, wanted = {**params, "session_id": "none"}, -32010
            elif method["name"] in ("workspace/get", "workspace/status", "workspace/update", "workspace/remove"):
                params, wanted = {**params, "workspace_id": "ws-none"}, -32602
            if wanted:
                with self.subTest(method["name"]):
                    error = (await self.call(method, params))["error"]
                    self.assertEqual(error["code"], wanted)

    async def test_a_device_may_read_and_change_nothing(self):
        for method in methods(needs_agent=False):
            with self.subTest(method["name"]):
                answer = await self.call(method, values(method), credential=device)
                if method["x-capability"] == "administer":
                    self.assertEqual((answer["error"]["code"], answer["error"]["data"]["reason"]),
                                     (-32005, "insufficient_scope"))
                    self.assertIn(-32005, errors(method))
                else:
                    conforms(method, answer["result"])
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").status, 200)

    async def test_a_method_that_is_not_described_is_not_there(self):
        async with asked() as client:
            for name in ("session/none", "rpc.discover", "Session/list", "session/list "):
                self.assertEqual((await rpc.failure(client, name))["code"], -32601)


class Notifications(unittest.IsolatedAsyncioTestCase):
    async def test_they_are_as_described(self):
        described = {entry["name"]: entry for entry in document["x-notifications"]}

        def check(name, value):
            jsonschema.Draft202012Validator(closed(described[name]["schema"])).validate(value)

        place = {"workspace_id": workspace, "session_id": chosen}
        async with asked() as one:
            await rpc.result(one, "client/session/focus", place)
            async with asked() as two:
                await rpc.result(two, "client/session/focus", place)
            last = rpc.story(chosen, *rpc.TURN, home=HOME)[-1]
            seen = set()
            wanted = {"event/*", "event/session_joined", "event/session_left"}
            while last not in [event["params"].get("seq") for event in one.events] or not seen >= wanted:
                message = await one.receive()
                name = message["method"]
                name = name if name in described else "event/*"
                check(name, message["params"])
                seen.add(name)

    async def test_what_is_derived_for_clients_of_cdev_is_as_described(self):
        described = {entry["name"]: closed(entry["schema"]) for entry in document["x-notifications"]}
        question = {"tool_use_id": "q1", "tool_input": {"questions": [{"question": "Which?", "options": [{"label": "A"}]}]}}
        asking, seen = session(), set()
        async with ws.connected(server, ready=False) as client:
            await rpc.result(client, "initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "x"}, "dialect": "cdev"})
            last = rpc.story(asking, *rpc.TURN, rpc.ASK, ("PostToolUse", rpc.ASK[1]), ("PreToolUse", {
                "tool_name": "AskUserQuestion", **question}), ("Elicitation", {"mcp_server_name": "jira", "message": "Which?"}),
                ("StopFailure", {"error": "rate_limit"}), ("SessionEnd", {"reason": "other"}), home=HOME)[-1]
            while True:
                message = await client.receive()
                name, params = message.get("method", ""), message.get("params", {})
                if not name.startswith("event/") or params.get("session_id") != asking:
                    continue
                # An event of the log has an id.
                self.assertTrue(name in described or "event_id" in params, message)
                jsonschema.Draft202012Validator(described[name if "event_id" not in params else "event/*"]).validate(params)
                seen.add(name)
                if params.get("seq") == last and not params.get("more"):
                    break
        self.assertLessEqual({"event/" + name for name in (
            "claude_message", "claude_status", "claude_waiting", "claude_permission", "claude_session_info", "session_start",
            "session_end", "pty_permission", "pty_permission_resolved")}, seen)

    async def test_open_prompts_are_as_described(self):
        schema, = [entry["schema"] for entry in document["x-notifications"] if entry["name"] == "prompts/open"]
        for _ in range(2):
            # The second prompt opens just after a client has received the first.
            asking = session()
            rpc.story(asking, rpc.ASK, home=HOME)
            async with asked() as client:
                while (message := await client.receive()).get("method") != "prompts/open":
                    pass
            jsonschema.Draft202012Validator(closed(schema)).validate(message["params"])
            self.assertIn((asking, "Bash"), [(prompt["session_id"], prompt["tool_name"])
                                             for prompt in message["params"]["payload"]["prompts"]])
