"""What decides about tools of MCP servers besides a person: a hook of the machine, and rules for names with dots; and the client
that calls a machine's tool by /mcp."""

import json
import sys
import uuid
from pathlib import Path

from device import Device
from driving import Agent
from mcp_servers import Tools, server_program
from messages_api import Turn, call
from monitor import wait_until

DOTTED = Path(__file__).resolve().parent / "dotted_server.py"


def configure(agent, **servers):
    record = agent.machine.home / ".claude.json"
    known = json.loads(record.read_text()) if record.exists() else {}
    known["mcpServers"] = {name: {"type": "stdio", "command": str(command), "args": list(map(str, words))}
                           for name, (command, *words) in servers.items()}
    known.setdefault("projects", {})[str(agent.machine.project)] = {"hasTrustDialogAccepted": True}
    record.write_text(json.dumps(known))


def hook_denies_a_tool(bench, outcome):
    """a PreToolUse hook of the machine denies a tool that a device runs and another approves: it does not run, and no retry is told"""
    with Agent(bench, "hooked", "control=on tools=ask") as agent:
        settings, mark = agent.machine.home / ".claude/settings.json", agent.machine.home / "denied"
        chosen = json.loads(settings.read_text()) if settings.exists() else {}
        denial = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "The house says no."}}
        chosen.setdefault("hooks", {}).setdefault("PreToolUse", []).append({"matcher": "mcp__time__.*", "hooks": [
            {"type": "command", "command": f"touch {mark}; echo '{json.dumps(denial)}'"}]})
        settings.write_text(json.dumps(chosen))
        tools, other = Tools(bench, agent, "hooked"), Device(bench.monitor, "tablet")
        _, started = tools.call("get_current_time")
        other.answer(other.await_prompt(tools.session, 60), decision="allow")
        done = tools.end(started)
        outcome.expect(mark.exists(), "the hook did not run")
        outcome.expect("content" not in done and done["status"] in ("unknown", "refused"), f"the call ends as {done}")
        outcome.expect("The house says no." in json.dumps(done), f"the caller hears {done}")
        other.forget()


def names_with_dots(bench, outcome):
    """a tool with a dot in its name: a device runs it, and a session that is left without it denies the model's call"""
    with Agent(bench, "dotted", "control=on tools=ask") as agent:
        configure(agent, dotted=(sys.executable, DOTTED))
        heard = []

        def hears(request):
            found = [block for message in request["messages"] if isinstance(message["content"], list)
                     for block in message["content"] if block["type"] == "tool_result"]
            heard.append(json.dumps(found[-2:]))
            return []
        bench.api.script("dotted", Turn(text="Here."))
        session = agent.begin("Are you there?")
        agent.await_state(session, "idle")
        agent.device.ask("POST", "/v1/mcp/refresh", {"session_id": session})
        other = Device(bench.monitor, "tablet")
        status, started = agent.device.status("POST", "/v1/tools/dotted.fs.read/execute", {"session_id": session, "parameters": {}, "wait": 0})
        outcome.expect(status == 200, f"the call gets {status}: {started}")
        other.answer(other.await_prompt(session, 60), decision="allow")
        done = wait_until(60, "the end of the call", lambda: (
            found := agent.device.ask("GET", f"/v1/tools/calls/{started['call_id']}"))["status"] == "completed" and "content" in found and found)
        outcome.expect(done["content"][0]["text"] == "this is fs.read", f"the call is {done}")
        status, limits = agent.device.status("POST", f"/v1/sessions/{session}/tools", {"enabled_tools": ["dotted.fs.write"]})
        outcome.expect((status, limits.get("denied")) == (200, ["mcp__dotted__fs_read"]), f"the limits get {status}: {limits}")
        bench.api.script("dotted", Turn(tools=[("mcp__dotted__fs_read", {}), ("mcp__dotted__fs_write", {})]), Turn(text="Well.", tools=hears))
        agent.device.ask("POST", f"/v1/sessions/{session}/input", {"text": "[dotted] Read and write."})
        prompt = other.await_prompt(session, 60)
        outcome.expect(prompt["tool_name"] == "mcp__dotted__fs_write", f"the prompt is {prompt}")
        other.answer(prompt, decision="allow")
        wait_until(60, "the model hears of its calls", lambda: heard)
        outcome.expect("this is fs.write" in heard[0] and "this is fs.read" not in heard[0], f"the model hears {heard}")
        other.forget()


def client_runs_a_machines_tool(bench, outcome):
    """the client calls a tool of another machine's server by /mcp, and gets the result once a person has approved it"""
    with Agent(bench, "tooldesk", "control=on tools=ask") as agent:
        configure(agent, time=(server_program("mcp-server-time"),))
        bench.api.script("tooldesk", Turn(text="Here."))
        session = agent.begin("Are you there?")
        agent.await_state(session, "idle")
        agent.device.ask("POST", "/v1/mcp/refresh", {"session_id": session})
        made = bench.monitor.control("apikey", "create", "caller", "--may", "tools", "--machine", "tooldesk", "--json")
        key = json.loads(made.stdout)["key"]
        machine, other = bench.bare_machine("caller"), Device(bench.monitor, "tablet")
        asked = {"name": "time.get_current_time", "arguments": {"timezone": "Asia/Tokyo"}, "session_id": session}
        bench.api.script("caller", Turn(tools=[call("mcp__monitor__search_tools", query="what time is it")]),
                         Turn(tools=[call("mcp__monitor__call_tool", **asked)]), Turn(text="It is late."))
        servers = {"mcpServers": {"monitor": {"type": "http", "url": bench.monitor.url + "/mcp", "headers": {"Authorization": f"Bearer {key}"}}}}
        with other.approving(session, "mcp__time__get_current_time") as approved:
            result = machine.run("[caller] What time is it there?", "--session-id", str(uuid.uuid4()), "--mcp-config", json.dumps(servers),
                                 "--strict-mcp-config", "--allowedTools", "mcp__monitor")
        outcome.expect(len(approved) == 1, f"a person was asked {len(approved)} times")
        outcome.expect(result["result"] == "It is late.", f"the client answers {result['result']!r}")
        told = bench.api.told("caller")
        outcome.expect("time__get_current_time" in told, f"the search finds no tool: {told[-2000:]}")
        outcome.expect("is_dst" in told, f"the model was told {told[-2000:]}")
        done = [one for one in agent.device.ask("GET", "/v1/tools/calls?machine_id=tooldesk")["calls"] if one["status"] == "completed"]
        outcome.expect(len(done) == 1 and done[0]["caller"].startswith("api_key:"), f"the calls are {done}")
        other.forget()


ALL = [hook_denies_a_tool, names_with_dots, client_runs_a_machines_tool]
