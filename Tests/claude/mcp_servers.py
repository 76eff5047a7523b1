"""The machine's agent tells which MCP servers the real client has, and which tools a real server has."""

import json
import subprocess
from pathlib import Path

from driving import Agent
from messages_api import Turn

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def server_program(name):
    """A server of the Model Context Protocol from PyPI."""
    done = subprocess.run([REPOSITORY / "Tests/clients/environment", "tools"], capture_output=True, text=True, check=True, timeout=700)
    return str(Path(done.stdout.strip()).parent / name)


def registry_lists(bench, outcome):
    """a device has a machine tell its MCP servers: without a session and with one, and none that nobody has approved"""
    program = server_program("mcp-server-time")
    with Agent(bench, "registry") as agent:
        project, marks = agent.machine.project, agent.machine.home / "marks"
        marks.mkdir()
        record = agent.machine.home / ".claude.json"
        known = json.loads(record.read_text()) if record.exists() else {}
        known["mcpServers"] = {"time": {"type": "stdio", "command": "sh", "args": ["-c", f'touch "$MARK"; exec {program}'],
                                        "env": {"MARK": "${HOME}/marks/time"}}}
        known.setdefault("projects", {})[str(project)] = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["approved"]}
        record.write_text(json.dumps(known))
        (project / ".mcp.json").write_text(json.dumps({"mcpServers": {
            name: {"type": "stdio", "command": "sh", "args": ["-c", f"touch {marks}/{name}; exec {program}"]}
            for name in ("approved", "unapproved")}}))
        place = agent.machine.home / ".config/claude-monitor/agent"
        place.write_text(place.read_text().replace(f" trust={project}", ""))

        def refresh(**body):
            status, answer = agent.device.status("POST", "/v1/mcp/refresh", body)
            outcome.expect(status == 200, f"the refresh gets {status}: {answer}")
            return {server["name"]: server for server in answer["servers"]}
        servers = refresh(machine_id="registry", path=str(project))
        outcome.expect({name: (one["scope"], one["state"]) for name, one in servers.items()} == {
            "time": ("user", "connected"), "approved": ("project", "connected"), "unapproved": ("project", "unlisted")},
            f"the servers are {servers}")
        outcome.expect(sorted(path.name for path in marks.iterdir()) == ["approved", "time"],
                       f"these have started: {sorted(marks.iterdir())}")
        tools = agent.device.ask("GET", "/v1/tools?machine_id=registry&server=time&q=current+time")["tools"]
        outcome.expect(tools and tools[0]["name"] == "time.get_current_time", f"the search finds {tools}")
        outcome.expect("timezone" in tools[0]["parameters"]["properties"], f"the tool is {tools[0]}")
        found = agent.device.ask("GET", f"/v1/mcp/servers/{servers['time']['id']}/tools")["tools"]
        outcome.expect([tool["tool"] for tool in found] == ["convert_time", "get_current_time"], f"the tools are {found}")
        sessions = agent.device.ask("GET", "/v1/sessions?machine_id=registry")["sessions"]
        outcome.expect(sessions == [], f"a session appears: {sessions}")
        bench.api.script("registry", Turn(text="Here."))
        session = agent.begin("Are you there?")
        agent.await_state(session, "idle")
        servers = refresh(session_id=session)
        outcome.expect(servers["time"]["state"] == "connected" and servers["unapproved"]["state"] == "unlisted",
                       f"with a session the servers are {servers}")
        changed = [tool for tool in agent.device.ask("GET", "/v1/tools?machine_id=registry")["tools"] if tool["state"] != "ready"]
        outcome.expect(changed == [], f"these tools have changed: {changed}")


ALL = [registry_lists]
