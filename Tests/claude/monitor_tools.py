"""The client uses the monitor's own tools, by the Model Context Protocol."""

import json
import re
import urllib.request
import uuid

from messages_api import Turn, call

TOOL = "mcp__monitor__"


def post(monitor, key, hook):
    """One event of a machine without a client."""
    body = {"event_id": str(uuid.uuid4()), "machine_id": "elsewhere", "data": hook}
    request = urllib.request.Request(monitor.url + "/api/events", json.dumps(body).encode(), {
        "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        answer.read()


def monitor_tools(bench, outcome):
    """with its machine's key the client reads its own session and waits for it, and reads none of another machine"""
    machine, key = bench.bare_machine("reading"), bench.monitor.new_key("reading")
    machine.script("install.sh", "--url", bench.monitor.url, "--key", key, "--name", machine.name)
    own, other = str(uuid.uuid4()), str(uuid.uuid4())
    post(bench.monitor, bench.monitor.new_key("elsewhere"), {
        "session_id": other, "transcript_path": "/home/dev/x.jsonl", "cwd": "/home/dev/elsewhere",
        "hook_event_name": "UserPromptSubmit", "prompt": "the secret of elsewhere"})
    bench.api.script(
        "reading",
        Turn(tools=[call(TOOL + "list_sessions"), call(TOOL + "get_session", session_id=own)]),
        Turn(tools=[call(TOOL + "get_session", session_id=other), call(TOOL + "search", q="secret")]),
        Turn(tools=[call(TOOL + "wait_for_session", session_id=own, timeout_seconds=2)]),
        Turn(text="Read."))
    servers = {"mcpServers": {"monitor": {"type": "http", "url": bench.monitor.url + "/mcp",
                                          "headers": {"Authorization": f"Bearer {key}"}}}}
    result = machine.run("[reading] What runs?", "--session-id", own, "--mcp-config", json.dumps(servers), "--strict-mcp-config",
                         "--allowedTools", "mcp__monitor")
    outcome.expect(result["result"] == "Read.", f"the client answers {result['result']!r}")
    told = bench.api.told("reading")
    results = [block for entry in json.loads(told) if isinstance(entry["content"], list) for block in entry["content"]
               if block["type"] == "tool_result"]
    outcome.expect([bool(block.get("is_error")) for block in results] == [False, False, True, False, False],
                   f"the results are {results}")
    outcome.expect("/home/dev/elsewhere" not in told and "secret of elsewhere" not in told, "another machine's session was read")
    outcome.expect("session_not_found" in told, f"the model was told {told}")
    outcome.expect(re.search(r'timed_out[\\"]+: ?true', told), f"the wait ended otherwise: {told[-2000:]}")
    outcome.expect(len(re.findall(own, json.dumps(results))) >= 3, f"the client's own session is not in {results}")


ALL = [monitor_tools]
