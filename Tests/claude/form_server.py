"""An MCP server on standard input and output. Its only tool, `release`, shows the person a form and returns the answer."""

import json
import sys

FORM = {"type": "object", "required": ["branch"], "properties": {
    "branch": {"type": "string", "title": "Branch"}, "sure": {"type": "boolean", "title": "Sure?"}}}
TOOL = {"name": "release", "description": "Releases a branch", "inputSchema": {"type": "object", "properties": {}}}


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main():
    call = None
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            send(id=number, result={"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                                    "serverInfo": {"name": "form", "version": "1"}})
        elif method == "tools/list":
            send(id=number, result={"tools": [TOOL]})
        elif method == "tools/call":
            call = number
            send(id="ask", method="elicitation/create",
                 params={"message": "Which branch shall be released?", "requestedSchema": FORM})
        elif number == "ask":
            send(id=call, result={"content": [{"type": "text", "text": "told: " + json.dumps(message.get("result"))}]})
        elif number is not None:
            send(id=number, result={})


main()
