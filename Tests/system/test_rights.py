"""Every route and method that may change something, with each kind of credential.

The lists come from the server's own documents. A new route fails here until it has a row that says who may use it.
"""

import asyncio
import itertools
import unittest

import test_devices as devices
import test_openrpc as openrpc
import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, end_everything, envelope, hook, session

# Who may use it. open: the body contains the credential. machine: a machine's post. own: a device changes its own things, the
# operator those of a device. ticket: only a device. any: every credential, and test_mcp tests what it reads. administer: the
# operator.
RIGHTS = {
    "POST /api/events": "machine",
    "POST /api/hooks": "machine",
    "POST /api/hooks/event": "machine",
    "POST /events": "machine",
    "POST /v1/logs": "machine",
    "POST /v1/metrics": "machine",
    "POST /v1/traces": "machine",
    "POST /api/transcripts": "key",
    "POST /api/heartbeat": "key",
    "POST /api/auth/exchange": "open",
    "POST /api/auth/refresh": "open",
    "POST /api/auth/revoke": "open",
    "POST /api/pair/code": "open",
    "POST /pair": "open",
    "POST /v1/auth/apple": "open",
    "POST /v1/auth/apple/nonce": "open",
    "POST /v1/pairing/exchange": "open",
    "POST /web/session": "open",
    "POST /web/session/refresh": "open",
    "DELETE /web/session": "open",
    "POST /api/auth/pairing/approve": "administer",
    "POST /api/auth/pairing/reject": "administer",
    "POST /api/pair/refresh": "administer",
    "DELETE /v1/devices/{id}": "administer",
    "PATCH /v1/devices/{id}": "administer",
    "PUT /v1/devices/{id}/grants/{capability}": "administer",
    "DELETE /v1/devices/{id}/grants/{capability}": "administer",
    "DELETE /v1/identities/{id}": "administer",
    "POST /v1/erase": "administer",
    "POST /v1/keys": "administer",
    "POST /v1/api-keys": "administer",
    "DELETE /v1/api-keys/{id}": "administer",
    "DELETE /v1/keys/{id}": "administer",
    "PUT /v1/keys/{id}/grants/{grant}": "administer",
    "DELETE /v1/keys/{id}/grants/{grant}": "administer",
    "PUT /v1/keys/{id}/grants/tools/{server}": "administer",
    "DELETE /v1/keys/{id}/grants/tools/{server}": "administer",
    "POST /v1/pairing": "administer",
    "POST /v1/projects": "administer",
    "PUT /v1/projects/{id}": "administer",
    "PATCH /v1/projects/{id}": "administer",
    "DELETE /v1/projects/{id}": "administer",
    "POST /v1/push/check-key": "administer",
    "POST /v1/tickets": "ticket",
    "POST /api/prompts": "machine",
    "DELETE /api/prompts/{hold}": "poster",
    "POST /api/messages/{id}/receipt": "poster",
    "POST /v1/prompts/{id}/answer": "respond",
    "POST /v1/prompts/{id}/seen": "own",
    "POST /v1/prompts/{id}/action": "open",
    "PATCH /v1/sessions": "respond",
    "PATCH /v1/sessions/{id}": "respond",
    "POST /v1/sessions/{id}/input": "respond",
    "POST /v1/sessions": "control",
    "POST /v1/chat/completions": "chat",
    "POST /v1/responses": "chat",
    "POST /mcp": "any",
    "POST /mcp/{profile}": "any",
    "PUT /v1/mcp/profiles/{name}": "administer",
    "DELETE /v1/mcp/profiles/{name}": "administer",
    "POST /v1/mcp/refresh": "control",
    "POST /v1/tools/{name}/execute": "tools",
    "POST /v1/mcp/servers/{id}/tools/{tool}/accept": "control",
    **{f"{verb} /api/{version}/{path}": "program" for version in ("v3", "v3.1") for verb, path in (
        ("POST", "tool_router/session"), ("PATCH", "tool_router/session/{id}"), ("DELETE", "tool_router/session/{id}"),
        ("POST", "tool_router/session/{id}/execute"), ("POST", "tool_router/session/{id}/execute_meta"),
        ("POST", "tools/execute/{slug}"))},
    "POST /api/v3.1/tool_router/session/{id}/search": "program",
    "POST /tool_router/{id}/mcp": "program",
    "POST /v1/mcp/servers": "administer",
    "PATCH /v1/mcp/servers/{id}": "administer",
    "DELETE /v1/mcp/servers/{id}": "administer",
    "POST /v1/mcp/servers/{id}/connect": "administer",
    "DELETE /v1/mcp/servers/{id}/connection": "administer",
    "POST /v1/mcp/servers/{id}/link": "administer",
    "DELETE /v1/mcp/accounts/{id}": "administer",
    **{f"{verb} /api/{version}/{path}": "program" for version in ("v3", "v3.1") for verb, path in (
        ("POST", "tool_router/session/{id}/link"), ("POST", "connected_accounts"), ("POST", "connected_accounts/link"),
        ("DELETE", "connected_accounts/{id}"), ("POST", "connected_accounts/{id}/revoke"),
        ("POST", "connected_accounts/{id}/refresh"), ("POST", "auth_configs"))},
    "POST /v1/secrets/keys": "administer",
    "POST /v1/secrets/rotate": "administer",
    "POST /v1/chat/completions/debug": "chat",
    "DELETE /v1/chat/completions/{id}": "chat",
    "POST /v1/sessions/{id}/rewind": "control",
    "POST /v1/sessions/{id}/tools": "control",
    "POST /v1/sessions/{id}/terminal/keys": "control",
    "PUT /v1/sessions/{id}/terminal/size": "control",
    "DELETE /v1/machines/{id}/agent": "administer",
    "DELETE /v1/sessions/{id}": "either",
    "DELETE /v1/sessions/{id}/input/{message}": "respond",
    "POST /v1/sessions/{id}/interrupt": "respond",
    "PUT /v1/push/preferences": "own",
    "DELETE /v1/push/preferences": "own",
    "POST /v1/push/test": "own",
    "POST /v1/push/tokens": "own",
    "DELETE /v1/push/tokens": "own",
    "DELETE /v1/push/tokens/{id}": "own",
}
GIT = ["stage", "unstage", "discard", "undo", "commit", "stash", "stash/apply", "stash/pop", "stash/drop", "merge", "merge/abort",
       "init", "checkout", "branch/create", "branch/delete", "upstream/set", "push", "pull", "fetch", "remote/add", "remote/remove"]
RIGHTS.update({f"POST /v1/projects/{{id}}/git/{verb}": "control" for verb in GIT})
RIGHTS.update({f"POST /api/git/{verb}": "control"
               for verb in ("stage", "unstage", "discard", "commit", "push", "pull", "checkout")})
# The expected statuses for each kind of credential. None: anything except 401 and 403.
STATUSES = {
    "open": {},
    "machine": {"nobody": 401, "machine": None, "device": 403, "admin": None},
    "key": {"nobody": 401, "machine": None, "device": 403, "admin": 403},
    "poster": {"nobody": 401, "machine": None, "device": 403, "admin": 403},
    "respond": {"nobody": 401, "machine": 403, "device": None, "reader": 403, "admin": None},
    "own": {"nobody": 401, "machine": 403, "device": None, "admin": None},
    # To end a session needs `control` on its machine, to hide it `administer`. Both are asked once the session is found.
    "either": {"nobody": 401, "machine": 403, "device": None, "admin": None},
    "control": {"nobody": 401, "machine": 403, "device": 403, "chief": 403, "admin": None},
    "chat": {"nobody": 401, "machine": 403, "device": 403, "chief": 403, "admin": None},
    "tools": {"nobody": 401, "machine": 403, "device": 403, "chief": 403, "admin": None},
    # Only an API key has users, whom it names.
    "program": {"nobody": 401, "machine": 403, "device": 403, "chief": 403, "admin": 403},
    "any": {"nobody": 401, "machine": None, "device": None, "reader": None, "admin": None},
    "ticket": {"nobody": 401, "machine": 403, "device": None, "admin": 403},
    "administer": {"nobody": 401, "machine": 403, "device": 403, "reader": 403, "chief": None, "admin": None},
}
# The requirement of each in the document.
CAPABILITIES = {"open": None, "any": None, "machine": "post", "key": "post", "poster": "post", "own": "read", "either": "read",
                "ticket": "read", "respond": "respond", "chat": "chat", "tools": "tools", "program": "tools",
                "control": "control",
                "administer": "administer"}
TOKEN = {"kind": "alert", "environment": "production"}
QUIET = {"muted_until": "2030-01-01T00:00:00Z", "privacy": "plain"}


def setUpModule():
    global server, key, one, other, chosen, workspace, credentials, document
    server = Server(MONITOR_RATE_LIMIT="off").start()
    devices.server = rpc.server = ws.server = openrpc.server = server
    key = ws.key = server.key("rights")
    one, other = devices.pair("one"), devices.pair("other")
    chosen = session()
    rpc.story(chosen, *rpc.TURN, home="/home/dev/rights")
    workspace = server.get(f"/v1/sessions/{chosen}").json["workspace_id"]
    made = {name: server.client().request("POST", "/v1/pairing", {"capabilities": ["read", *more]}).json["code"]
            for name, more in (("reader", []), ("chief", ["administer"]))}
    tokens = {name: Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code}).json["access_token"]
              for name, code in made.items()}
    credentials = {"nobody": None, "machine": key, "device": one["access_token"], "admin": server.admin, **tokens}
    document = server.get("/openapi.json").json
    mine = Client(server.address, other["access_token"])
    assert mine.request("POST", "/v1/push/tokens", {**TOKEN, "token": "ab" * 32}).status == 200
    assert mine.request("PUT", "/v1/push/preferences?scope=device", {"grace_seconds": 3}).status == 200


def tearDownModule():
    end_everything()


def changing():
    """The routes that may change something, as 'METHOD /path'."""
    for path, methods in document["paths"].items():
        for method in methods:
            if method not in ("get", "head", "options") and not method.startswith("x-"):
                yield f"{method.upper()} {path}"


def shared():
    """The settings as everybody except the device `one` sees them."""
    read = [f"/v1/push/preferences?scope={scope}" for scope in (
        "default", f"device&id={other['device_id']}", f"session&id={chosen}", f"project&id={workspace}")]
    read += ["/v1/keys", "/v1/machines", "/v1/projects?per_page=200&page=1", "/v1/pairing/1"]
    found = {path: server.get(path).json for path in read}
    found["tokens"] = [token for token in server.get("/v1/push/tokens").json["tokens"]
                       if token["device_id"] != one["device_id"]]
    found["devices"] = [[device[name] for name in ("id", "name", "state")]
                        for device in server.get("/v1/devices").json["devices"]]
    found["sessions"] = [entry["id"] for entry in server.get("/v1/sessions").json["sessions"]]
    return without_times(found)


def without_times(value):
    """Without the members that change by themselves: times of use, and the time and id of the request."""
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items()
                if name != "meta" and not name.startswith("last_")}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def audited(action):
    return server.get(f"/v1/audit?limit=50&action={action}").json["data"]


class Routes(unittest.TestCase):
    def test_each_that_changes_something_has_a_row(self):
        self.assertEqual(sorted(changing()), sorted(RIGHTS))

    def test_each_names_its_capability(self):
        for route, right in RIGHTS.items():
            method, path = route.split(" ")
            with self.subTest(route):
                operation = document["paths"][path][method.lower()]
                self.assertEqual(operation.get("x-capability"), CAPABILITIES[right])

    def test_each_refuses_the_credentials_that_may_not_use_it(self):
        for route, right in RIGHTS.items():
            method, path = route.split(" ")
            for kind, status in STATUSES[right].items():
                if kind in ("admin", "chief") and route == "POST /api/pair/refresh":
                    continue
                with self.subTest(route, credential=kind):
                    body = envelope(hook("Stop", chosen)) if right == "machine" else {"scope": "none"}
                    place = path.replace("{id}", "999999").replace("{capability}", "respond")
                    answer = Client(server.address, credentials[kind]).request(
                        method, place + ("?scope=device" if right == "own" else ""), body)
                    if status is None:
                        self.assertNotIn(answer.status, (401, 403), answer)
                    else:
                        self.assertEqual(answer.status, status, answer)

    def test_a_device_changes_nothing_but_its_own(self):
        before, client = shared(), Client(server.address, one["access_token"])
        token = server.get("/v1/push/tokens").json["tokens"][0]["id"]
        names = ["", f"?device_id={other['device_id']}"] + [f"?scope={scope}" for scope in (
            "default", f"device&id={other['device_id']}", f"session&id={chosen}", f"project&id={workspace}",
            "project&id=*", "session&id=*")]
        for route, query in itertools.product((route for route in RIGHTS if RIGHTS[route] == "own"), names):
            method, path = route.split(" ")
            body = QUIET if "preferences" in path else {**TOKEN, "token": "cd" * 32}
            with self.subTest(route + query):
                answer = client.request(method, path.replace("{id}", token) + query, body)
                if "preferences" in path:
                    self.assertEqual(answer.status, 400 if "device_id" in query else 403, answer)
                self.assertEqual(shared(), before)

    def test_a_device_changes_its_own_layer_and_that_is_audited(self):
        client = Client(server.address, one["access_token"])
        for query in ("?scope=device", f"?scope=device&id={one['device_id']}"):
            answer = client.request("PUT", "/v1/push/preferences" + query, {"grace_seconds": 2})
            self.assertEqual((answer.status, answer.json["preferences"]), (200, {"grace_seconds": 2}))
        self.assertEqual(client.request("DELETE", "/v1/push/preferences?scope=device").status, 200)
        actor = f"device:{one['device_id']}"
        for action in ("push_preferences.set", "push_preferences.remove"):
            self.assertIn((actor, actor, "granted"),
                          [(row["actor"], row["object"], row["result"]) for row in audited(action)])

    def test_the_operator_changes_what_concerns_everybody_and_that_is_audited(self):
        answer = server.client().request("PUT", "/v1/push/preferences", {"grace_seconds": 4})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(server.client().request("DELETE", "/v1/push/preferences").status, 200)
        for action in ("push_preferences.set", "push_preferences.remove"):
            row = audited(action)[0]
            self.assertEqual((row["actor"], row["object"], row["result"]), ("admin", "default", "granted"))

    def test_a_device_reads_what_holds_for_it(self):
        client = Client(server.address, one["access_token"])
        for scope in ("default", "device", f"session&id={chosen}", f"project&id={workspace}"):
            self.assertEqual(client.get("/v1/push/preferences?scope=" + scope).status, 200)


class Methods(unittest.IsolatedAsyncioTestCase):
    def variants(self, method):
        """Valid parameters, once for each choice that they allow and each kind of thing that an id can name."""
        choices = []
        for parameter in method["params"]:
            name, schema = parameter["name"], parameter["schema"]
            if "enum" in schema:
                found = schema["enum"]
            elif name in ("id", "device_id", "workspace_id", "session_id"):
                found = {"device_id": [other["device_id"]], "workspace_id": [workspace], "session_id": [chosen]}.get(
                    name, [other["device_id"], chosen, workspace])
            elif name == "token_id":
                found = [entry["id"] for entry in server.get("/v1/push/tokens").json["tokens"]][:1] or ["1"]
            elif name == "preferences":
                found = [QUIET]
            elif name == "token":
                found = ["cd" * 32]
            else:
                found = [openrpc.value(name, schema)]
            choices.append([(name, value) for value in found])
        return [dict(chosen) for chosen in itertools.islice(itertools.product(*choices), 40)]

    async def test_a_device_changes_nothing_but_its_own_over_a_socket(self):
        openrpc.device_id, openrpc.device = other["device_id"], other["access_token"]
        openrpc.workspace, openrpc.chosen = workspace, chosen
        before, seen = shared(), 0
        for method in server.get("/api/rpc/discover").json["methods"]:
            if method["name"] == "shutdown":
                continue
            async with ws.connected(server, credential=one["access_token"]) as client:
                for params in self.variants(method):
                    answer = await client.call(method["name"], params)
                    own = params.get("scope") == "device" and params.get("id") == one["device_id"]
                    if method["name"] in ("push/preferences/set", "push/preferences/remove") and not own:
                        with self.subTest(method["name"], **params):
                            error = answer["error"]
                            self.assertIn(error["code"], (-32005, -32602))
                            self.assertIn(error["data"]["reason"], ("insufficient_scope", "not_your_device",
                                                                    "missing_parameter"))
                    seen += 1
            with self.subTest(method["name"]):
                now = await asyncio.to_thread(shared)
                self.assertEqual(now, before)
        self.assertGreater(seen, 110)

    async def test_the_default_layer_is_refused_by_code_and_reason(self):
        async with ws.connected(server, credential=one["access_token"]) as client:
            error = await rpc.failure(client, "push/preferences/set", {"preferences": QUIET})
            self.assertEqual((error["code"], error["data"]),
                             (-32005, {"reason": "insufficient_scope", "operation": "push/preferences/set"}))
            self.assertTrue(error["message"].endswith(f"monitorctl device grant {one['device_id']} administer"))
            own = await rpc.result(client, "push/preferences/set", {"scope": "device", "preferences": {}})
            self.assertEqual(own["id"], one["device_id"])
