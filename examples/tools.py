#!/usr/bin/python3
"""Finds a tool for what a user wants to do, and runs it, by the tool router of a monitor server.

    MONITOR_URL=http://127.0.0.1:8766 MONITOR_KEY=cma_... examples/tools.py USER "what to do" '{"argument": 1}' [TOOLKIT...]

The key is one with the capability `tools`. Without toolkits, all that the key may use are searched. The tool that fits best is run
with the arguments. If its toolkit needs a login, the program prints the link for the user. If a person is asked before the tool
runs, it waits for the answer. Needs Python 3.9. Composio's own client does the same: `Composio(api_key=..., base_url=...)`.
"""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("MONITOR_URL", "http://127.0.0.1:8766") + "/api/v3.1/"
KEY = os.environ.get("MONITOR_KEY") or sys.exit("set MONITOR_KEY to an API key with the capability tools")


def send(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"x-api-key": KEY, "content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=700) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(json.load(error)["error"]["message"])


def execute(session, slug, arguments):
    """Runs a tool. While a person is asked whether it may run, waits on."""
    body = {"tool_slug": slug, "arguments": arguments}
    while True:
        answer = send("POST", f"tool_router/session/{session}/execute", body)
        if answer["result_type"] != "input_required":
            return answer
        body.update(request_state=answer["request_state"], input_responses={"approval": {"action": "accept"}})


def main(user, use_case, arguments, *toolkits):
    wanted = {"toolkits": list(toolkits)} if toolkits else {}
    session = send("POST", "tool_router/session", {"user_id": user, **wanted})
    print("session", session["session_id"], session["mcp"]["url"])
    for tool in send("GET", f"tool_router/session/{session['session_id']}/tools")["items"]:
        print("tool", tool["slug"])
    found = send("POST", f"tool_router/session/{session['session_id']}/execute_meta",
                 {"slug": "COMPOSIO_SEARCH_TOOLS", "arguments": {"queries": [{"use_case": use_case}]}})
    result = found["data"]["results"][0]
    if not result["primary_tool_slugs"]:
        return print("nothing found")
    print("found", result["primary_tool_slugs"][0])
    for status in result["toolkit_connection_statuses"]:
        if not status["has_active_connection"]:
            link = send("POST", f"tool_router/session/{session['session_id']}/link", {"toolkit": status["toolkit"]})
            return print("open", link["redirect_url"])
    done = execute(session["session_id"], result["primary_tool_slugs"][0], json.loads(arguments))
    print(done["result_type"], done["error"] or json.dumps(done["data"]))


if len(sys.argv) < 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
