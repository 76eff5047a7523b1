"""What the tests of tools share: machines with a played agent that tells MCP servers, and a browser with control."""

import uuid

from accessible import Scanned
from web import Browser, Client, Server
import agents  # From the system tests, which `web` adds to the path.
from scenes import Machine, Told

PATH = {"type": "string", "description": "Where the repository lies", "minLength": 1}
SCHEMA = {"type": "object", "properties": {
    "path": PATH, "depth": {"type": "integer", "default": 3}, "paths": {"type": "array", "items": {"type": "string"}},
    "filter": {"type": "object", "properties": {"author": {"type": ["string", "null"], "enum": ["ana", "ben", None]}}}},
    "required": ["path"]}
STATUS = {"name": "git_status", "description": "Shows the working tree.", "inputSchema": SCHEMA,
          "annotations": {"readOnlyHint": True, "openWorldHint": False}}
COMMIT = {"name": "git_commit", "description": "Records changes.", "inputSchema": {"type": "object", "properties": {"path": PATH}},
          "annotations": {"readOnlyHint": False, "destructiveHint": True}}


def told(name, *tools, scope="user", state="connected", **more):
    """What an agent tells of a server."""
    return {"name": name, "scope": scope, "transport": "stdio", "state": state, "is_listed": state == "connected",
            "is_complete": state == "connected", "tools": list(tools), **more}


class ToolMachine:
    """A machine with a project, whose agent tells these servers when it is asked."""

    def __init__(self, server, *servers, name=None, is_connected=True):
        self.server, self.servers, self.refusal = server, list(servers), None
        self.name = name or f"desk-{uuid.uuid4().hex[:8]}"
        self.machine = Machine(server, self.name)
        self.path = f"/home/dev/{self.name}/shop"
        self.session = Told(self.machine, str(uuid.uuid4()), self.path).start(60).asks("Go on", 50)
        self.project = server.get(f"/v1/sessions/{self.session.id}").json["project_id"]
        self.agent = None
        if is_connected:
            self.agent = agents.Agent(server, self.machine.key, **{"mcp/list": self.answer}).greet()

    def answer(self, params):
        if self.refusal:
            raise agents.Refusal(self.refusal)
        return {"directory": params["path"], "servers": self.servers, "is_complete": True}

    def tell(self, *servers):
        """The server asks the agent, which tells these. Returns them as the server lists them, by name."""
        self.servers = list(servers)
        client = Client(self.server.address, self.server.admin, timeout=60)
        answer = client.request("POST", "/v1/mcp/refresh", {"project_id": self.project})
        client.close()
        assert answer.status == 200, answer
        return {one["name"]: one for one in answer.json["servers"]}

    def tool(self, server, name):
        """The tool as the server knows it."""
        return next(one for one in self.server.get(f"/v1/mcp/servers/{server['id']}/tools").json["tools"] if one["tool"] == name)

    def close(self):
        if self.agent:
            self.agent.close()


class ToolCase(Scanned):
    """All tests of a module have one server and one browser that may control all machines."""

    @classmethod
    def begin(cls):
        cls.server = Server(MONITOR_RATE_LIMIT="off").start()
        cls.browser = Browser().__enter__()
        cls.person = cls.browser.person(cls.server)
        device = cls.server.get("/v1/devices").json["devices"][0]["id"]
        cls.server.control("device", "grant", str(device), "control")
        cls.person.page.reload()

    @classmethod
    def finish(cls):
        cls.person.close()
        cls.browser.__exit__()
        cls.server.end()

    def setUp(self):
        self.addCleanup(self.person.check)
        self.page = self.person.page
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": 1440, "height": 900})

    def machine(self, *servers, **more):
        """A machine that has told these servers, which `known` has by name."""
        machine = ToolMachine(self.server, **more)
        self.addCleanup(machine.close)
        self.known = machine.tell(*servers) if servers else {}
        return machine

    def open(self, path="", page=None):
        (page or self.page).goto(f"{self.server.url}/#/tools{path}")
        (page or self.page).locator("main.tools h1").wait_for()

    def rows(self, name, page=None):
        return (page or self.page).get_by_role("list", name=name, exact=True).get_by_role("listitem")
