"""The machine's agent tells which MCP servers the real client has, and which tools a real server has."""

import json
import subprocess
from pathlib import Path

from device import Device
from driving import Agent
from messages_api import Turn
from monitor import wait_until

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def server_program(name, environment="tools"):
    """A server of the Model Context Protocol from PyPI."""
    done = subprocess.run([REPOSITORY / "Tests/clients/environment", environment], capture_output=True, text=True, check=True, timeout=700)
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


class Tools:
    """A session with a real server, and the calls that a device asks for in it."""

    def __init__(self, bench, agent, name):
        self.bench, self.agent, self.name = bench, agent, name
        record = agent.machine.home / ".claude.json"
        known = json.loads(record.read_text()) if record.exists() else {}
        known["mcpServers"] = {"time": {"type": "stdio", "command": server_program("mcp-server-time"), "args": []}}
        known.setdefault("projects", {})[str(agent.machine.project)] = {"hasTrustDialogAccepted": True}
        record.write_text(json.dumps(known))
        bench.api.script(name, Turn(text="Here."))
        self.session = agent.begin("Are you there?")
        agent.await_state(self.session, "idle")
        agent.device.ask("POST", "/v1/mcp/refresh", {"session_id": self.session})

    def call(self, tool, zone="Europe/Berlin", **more):
        return self.agent.device.status("POST", f"/v1/tools/time.{tool}/execute", {
            "session_id": self.session, "parameters": {"timezone": zone, **more}, "wait": 0})

    def end(self, call):
        return wait_until(60, "the end of the call", lambda: (
            found := self.agent.device.ask("GET", f"/v1/tools/calls/{call['call_id']}"))["status"] not in ("waiting", "running")
            and ("content" in found or found["status"] != "completed") and found)


def tool_runs(bench, outcome):
    """a device runs a tool in a session: another device approves it, also where a rule allows it, denies one, and a rule denies one"""
    with Agent(bench, "running", "control=on tools=ask") as agent:
        settings = agent.machine.home / ".claude/settings.json"
        chosen = json.loads(settings.read_text()) if settings.exists() else {}
        rules = chosen.setdefault("permissions", {})
        rules["allow"], rules["deny"] = ["mcp__time__get_current_time"], ["mcp__time__convert_time"]
        settings.write_text(json.dumps(chosen))
        tools, other = Tools(bench, agent, "running"), Device(bench.monitor, "tablet")
        for decision in ("allow", "deny"):
            status, call = tools.call("get_current_time")
            outcome.expect((status, call.get("status")) == (200, "waiting"), f"the call gets {status}: {call}")
            prompt = other.await_prompt(tools.session, 60)
            outcome.expect((prompt["tool_name"], prompt["tool_input"]) == (
                "mcp__time__get_current_time", {"timezone": "Europe/Berlin"}), f"the prompt is {prompt}")
            status, refused = agent.device.answer(prompt, decision="allow")
            outcome.expect((status, refused["error"]["code"]) == (403, "own_call"), f"the caller's answer gets {status}: {refused}")
            status, answered = other.answer(prompt, decision=decision, **({"message": "Not now."} if decision == "deny" else {}))
            outcome.expect(status == 200, f"the answer gets {status}: {answered}")
            done = tools.end(call)
            if decision == "allow":
                outcome.expect(done["status"] == "completed" and "Europe/Berlin" in done["content"][0]["text"], f"the call is {done}")
                outcome.expect(done["approved_by"] == f"device:{other.id}", f"approved by {done.get('approved_by')}")
            else:
                outcome.expect((done["status"], done["error"]["message"]) == ("denied", "Not now."), f"the call is {done}")
        status, call = tools.call("get_current_time", "Nowhere/Here")
        other.answer(other.await_prompt(tools.session, 60), decision="allow")
        outcome.expect(tools.end(call)["is_error"] is True, f"a wrong argument is {tools.end(call)}")
        status, call = tools.call("convert_time", time="10:00", source_timezone="UTC", target_timezone="UTC")
        other.answer(other.await_prompt(tools.session, 60), decision="allow")
        done = tools.end(call)
        outcome.expect((done["status"], done["error"]["code"]) == ("refused", "denied_by_machine"), f"against a rule the call is {done}")
        asked = [one for one in other.prompts(tools.session) if one["tool_name"].startswith("mcp__")]
        outcome.expect(len(asked) == 4, f"four calls have asked {len(asked)} times: {asked}")
        agent.await_state(tools.session, "idle", 90)
        other.forget()


def session_loses_tools(bench, outcome):
    """a session is left with one tool of a server: the model's call of the other is denied without a question, and that can end"""
    with Agent(bench, "fewer", "control=on") as agent:
        tools, heard = Tools(bench, agent, "fewer"), []
        wanted = ("mcp__time__convert_time", {"time": "10:00", "source_timezone": "UTC", "target_timezone": "UTC"})

        def hears(request):
            found = [block for message in request["messages"] if isinstance(message["content"], list)
                     for block in message["content"] if block["type"] == "tool_result"]
            heard.append(json.dumps(found[-1]))
            return []

        def limit(**body):
            status, answer = agent.device.status("POST", f"/v1/sessions/{tools.session}/tools", body)
            outcome.expect(status == 200, f"the limits get {status}: {answer}")
            return answer

        def turn(count):
            bench.api.script("fewer", Turn(tools=[wanted]), Turn(text="Well.", tools=hears))
            agent.device.ask("POST", f"/v1/sessions/{tools.session}/input", {"text": "[fewer] Convert."})
            if count == 2:
                agent.device.answer(agent.device.await_prompt(tools.session, 60), decision="allow")
            wait_until(60, "the model hears of its call", lambda: len(heard) == count)
            agent.await_state(tools.session, "idle", 60)
        denied = limit(enabled_tools=["time.get_current_time"])["denied"]
        outcome.expect(denied == ["mcp__time__convert_time"], f"these are denied: {denied}")
        turn(1)
        asked = [one for one in agent.device.prompts(tools.session) if one["tool_name"].startswith("mcp__")]
        outcome.expect(asked == [], f"somebody was asked: {asked}")
        outcome.expect("is_error" in heard[0], f"the model hears {heard[0]}")
        outcome.expect(limit()["denied"] == [], "the session is not left with everything again")
        turn(2)
        outcome.expect("time_difference" in heard[1], f"the model hears {heard[1]}")


def real_servers(bench, outcome):
    """a device runs tools of the servers for time, git, fetch and sqlite in a session, and another device approves each call"""
    with Agent(bench, "servers", "control=on tools=ask") as agent:
        project, record = agent.machine.project, agent.machine.home / ".claude.json"
        known = json.loads(record.read_text()) if record.exists() else {}
        programs = {"time": (server_program("mcp-server-time"), []), "git": (server_program("mcp-server-git"), []),
                    "fetch": (server_program("mcp-server-fetch"), ["--ignore-robots-txt", "--allow-private-ips"]),
                    "sqlite": (server_program("mcp-server-sqlite", "mcp1"), ["--db-path", str(agent.machine.home / "data.db")])}
        known["mcpServers"] = {name: {"type": "stdio", "command": program, "args": words} for name, (program, words) in programs.items()}
        known.setdefault("projects", {})[str(project)] = {"hasTrustDialogAccepted": True}
        record.write_text(json.dumps(known))
        subprocess.run(["git", "init", "--quiet", str(project)], check=True, timeout=30)
        (project / "new.txt").write_text("new")
        bench.api.script("servers", Turn(text="Here."))
        session = agent.begin("Are you there?")
        agent.await_state(session, "idle")
        servers = agent.device.ask("POST", "/v1/mcp/refresh", {"session_id": session})["servers"]
        outcome.expect({one["name"]: (one["state"], one["tool_count"]) for one in servers} == {
            "time": ("connected", 2), "git": ("connected", 12), "fetch": ("connected", 1), "sqlite": ("connected", 6)},
            f"the servers are {servers}")
        other = Device(bench.monitor, "tablet")
        for name, parameters, wanted in (
                ("time.convert_time", {"source_timezone": "UTC", "time": "10:00", "target_timezone": "Asia/Tokyo"}, "19:00"),
                ("git.git_status", {"repo_path": str(project)}, "new.txt"),
                ("fetch.fetch", {"url": bench.monitor.url + "/health", "raw": True}, "status"),
                ("sqlite.create_table", {"query": "CREATE TABLE notes (id INTEGER, text TEXT)"}, "created"),
                ("sqlite.describe_table", {"table_name": "notes"}, "INTEGER")):
            status, call = agent.device.status("POST", f"/v1/tools/{name}/execute", {"session_id": session, "parameters": parameters, "wait": 0})
            outcome.expect((status, call.get("status")) == (200, "waiting"), f"{name} gets {status}: {call}")
            status, answered = other.answer(other.await_prompt(session, 60), decision="allow")
            outcome.expect(status == 200, f"the answer about {name} gets {status}: {answered}")
            done = wait_until(60, f"the end of {name}", lambda: (
                found := agent.device.ask("GET", f"/v1/tools/calls/{call['call_id']}"))["status"] not in ("waiting", "running")
                and ("content" in found or found["status"] != "completed") and found)
            outcome.expect(done["status"] == "completed" and not done["is_error"] and wanted in json.dumps(done["content"]),
                           f"{name} ends as {done}")
        other.forget()


ALL = [registry_lists, tool_runs, session_loses_tools, real_servers]
