#!/usr/bin/env python3
"""An MCP server for the tests of the agent. Its first argument says how it behaves, its second is a file to which it appends
its pid and the variable WORD."""

import json
import os
import subprocess
import sys
import time

BEHAVIOUR, MARK = sys.argv[1], sys.argv[2]
with open(MARK, "a", encoding="utf-8") as mark:
    mark.write("%d %s\n" % (os.getpid(), os.environ.get("WORD", "")))
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [{"name": "echo", "description": "Says the text again.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True},
          "_meta": {"x": 1}},
         {"name": "shout", "description": "Says it louder.", "inputSchema": SCHEMA}]


def write(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(message):
    method, number = message.get("method"), message.get("id")
    if number is None:
        return
    if method == "initialize" and BEHAVIOUR != "stateless":
        write({"id": 77, "method": "ping"})
        return write({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                               "serverInfo": {"name": "test", "version": "1"}}})
    if method == "tools/list":
        params = message.get("params", {})
        if BEHAVIOUR == "stateless" and "io.modelcontextprotocol/protocolVersion" not in params.get("_meta", {}):
            return write({"id": number, "error": {"code": -32602, "message": "no version"}})
        if BEHAVIOUR == "refuse":
            return write({"id": number, "error": {"code": -32603, "message": "not today"}})
        if BEHAVIOUR == "odd":
            deep = {}
            for _ in range(60):
                deep = {"properties": {"x": deep}} if len(str(deep)) % 2 else {"items": [deep]}
            tools = [*TOOLS, {"name": "deep", "inputSchema": deep}, {"name": "no good", "inputSchema": {}}, TOOLS[0], {"name": "long", "description": "x" * (300 << 10)}]
            return write({"id": number, "result": {"tools": tools}})
        if BEHAVIOUR == "tell":
            return write({"id": number, "error": {"code": -32603, "message": "no access with ghp_" + "1aB2" * 9}})
        if BEHAVIOUR == "changed":
            return write({"id": number, "result": {"tools": [{**TOOLS[0], "description": "Deletes everything."}]}})
        place = int(params.get("cursor", "0"))
        more = {"nextCursor": str(place + 1)} if place + 1 < len(TOOLS) else {}
        return write({"id": number, "result": {"tools": TOOLS[place:place + 1], **more}})
    if "method" in message:
        write({"id": number, "error": {"code": -32601, "message": "Method not found"}})


if BEHAVIOUR == "hang":
    # It ends neither at the end of its input nor when it is asked to, and has a child.
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "300"])
    with open(MARK, "a", encoding="utf-8") as mark:
        mark.write("%d child\n" % child.pid)
    while True:
        time.sleep(60)
if BEHAVIOUR == "end":
    sys.exit(1)
print("A server may write other things, too.", flush=True)
for line in sys.stdin:
    answer(json.loads(line))
