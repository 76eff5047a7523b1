#!/usr/bin/env python3
"""A client for the tests of the agent's chats: it speaks the stream-json protocol as Claude Code 2.1.332 does for a chat.

`call N` calls the first function N times and says what came back. `die` calls it once and ends. `rude` calls it and does not wait
for the result. `form` answers in the form of the schema. `hold` answers when it is interrupted. `begin` stops after the first
text, and `finish` before the result, until somebody writes to the pipe `release` of its home directory. Any other text comes back.
What it was started with, and what it took, is in `chat.jsonl` there."""

import json
import os
import select
import sys

COST = 0.25
frames = (json.loads(line) for line in sys.stdin.buffer)
numbers = iter(range(1, 1 << 30))
functions, schema, spent, message_id = [], None, 0.0, ""


def write(frame):
    os.write(1, (json.dumps(frame) + "\n").encode())


def note(**facts):
    with open(os.path.join(os.environ["HOME"], "chat.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")


def take():
    """The next frame that is no control request of the agent."""
    for frame in frames:
        if frame["type"] != "control_request":
            return frame
        control(frame["request_id"], frame["request"])
    sys.exit(0)


def control(request, asked):
    global schema
    response = {}
    if asked["subtype"] == "initialize":
        schema = asked.get("jsonSchema")
        note(pid=os.getpid(), arguments=sys.argv[1:], initialize=asked, extra=os.environ.get("CLAUDE_CODE_EXTRA_BODY"))
        if asked.get("sdkMcpServers"):
            ask("initialize", protocolVersion="2025-11-25")
            functions[:] = ask("tools/list")["result"]["tools"]
    elif asked["subtype"] == "get_usage":
        response = {"session": {"total_cost_usd": spent}}
    elif asked["subtype"] == "interrupt":
        result(is_error=True)
    write({"type": "control_response", "response": {"subtype": "success", "request_id": request, "response": response}})


def ask(method, **params):
    """What the agent's server of functions answers."""
    request = f"ask-{next(numbers)}"
    write({"type": "control_request", "request_id": request, "request": {
        "subtype": "mcp_message", "server_name": "client",
        "message": {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": params}}})
    while True:
        frame = take()
        if frame["type"] == "control_response" and frame["response"]["request_id"] == request:
            return frame["response"]["response"]["mcp_response"]


def stream(**event):
    write({"type": "stream_event", "parent_tool_use_id": None, "api_message_id": message_id, "event": event})


def pause(phase):
    """Waits for the pipe, or for the interruption, whose result has been given then."""
    gate = os.open(os.path.join(os.environ["HOME"], "release"), os.O_RDONLY | os.O_NONBLOCK)
    note(phase=phase)
    if gate not in select.select([0, gate], [], [])[0]:
        take()


def message(reason, *blocks, pauses=False):
    """One message of the model: texts, or calls as (id, name, arguments)."""
    global message_id, spent
    message_id, spent = f"msg_{next(numbers)}", spent + COST
    stream(type="message_start", message={
        "id": message_id, "model": "scripted", "usage": {"input_tokens": 3, "output_tokens": 1}})
    for index, block in enumerate(blocks):
        if isinstance(block, str):
            stream(type="content_block_start", index=index, content_block={"type": "text", "text": ""})
            stream(type="content_block_delta", index=index, delta={"type": "text_delta", "text": block})
        else:
            call, name, arguments = block
            stream(type="content_block_start", index=index, content_block={
                "type": "tool_use", "id": call, "name": name, "input": {}})
            for piece in (arguments[:3], arguments[3:]):
                stream(type="content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": piece})
        if pauses:
            pause("begin")
        stream(type="content_block_stop", index=index)
    stream(type="message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 7})
    stream(type="message_stop")


def result(turns=1, is_error=False, **more):
    write({"type": "result", "subtype": "success", "is_error": is_error, "num_turns": turns, "stop_reason": "end_turn",
           "total_cost_usd": spent, "usage": {"input_tokens": 100, "output_tokens": 100}, **more})


def turn(text):
    names = [f"mcp__client__{function['name']}" for function in functions] + (["StructuredOutput"] if schema else [])
    write({"type": "system", "subtype": "init", "tools": names})
    word, _, rest = text.partition(" ")
    if word in ("call", "die", "rude"):
        calls = [(f"toolu_{next(numbers)}", names[0], '{"a":  %d}' % place) for place in range(int(rest or 1))]
        message("tool_use", "Look.", *calls, ("toolu_own", "Bash", "{}"))
        if word == "die":
            sys.exit(1)
        if word == "rude":
            return message("end_turn", "I go on.")
        texts = [json.dumps(ask("tools/call", name=functions[0]["name"], arguments={}, _meta={
            "claudecode/toolUseId": call[0]})["result"]["content"]) for call in calls]
        message("end_turn", " ".join(texts))
        return result()
    if word == "hold":
        # The interruption gives the result.
        take()
    if word == "form":
        message("tool_use", "Well.", ("toolu_form", "StructuredOutput", '{"sum":4}'))
        return result(structured_output={"sum": 4} if rest != "lost" else None)
    message("end_turn", text, pauses=word == "begin")
    if word == "finish":
        pause("finish")
    result()


while True:
    frame = take()
    if frame["type"] == "user":
        content = frame["message"]["content"]
        note(user=content, loaded=frame.get("shouldQuery") is False)
        if frame.get("shouldQuery") is False:
            result(turns=0)
        else:
            turn(content if isinstance(content, str) else json.dumps(content))
