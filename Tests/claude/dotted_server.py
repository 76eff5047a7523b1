"""An MCP server on standard input and output, whose tools have dots in their names."""

import json
import sys

TOOLS = [{"name": name, "description": "Says its name.", "inputSchema": {"type": "object", "properties": {}}} for name in ("fs.read", "fs.write")]

for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "dotted", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "this is " + message["params"]["name"]}]}
    else:
        result = {}
    if number is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
