#!/usr/bin/env python3
"""A client for the tests of ClaudeRunner: it speaks the stream-json protocol and does what a message says.

`ask` asks for a permission, `form` for a form, `big N` answers with N bytes, `tool` starts a program in a session of its own
below this one, `server` one that leaves the process tree, `die` ends at once. `begin` stops after half of the text, and `finish`
before the result, until somebody writes to the pipe `release` of the home directory; `phase` there says which. Any other text comes back. CLIENT says how the
program itself behaves. A call of a tool is made as the last part of the tool's name says. `received` in the working directory has one line for each message that it took."""

import json
import os
import select
import signal
import subprocess
import sys

BEHAVIOUR = os.environ.get("CLIENT", "")
SESSION = next((sys.argv[i + 1] for i, word in enumerate(sys.argv) if word in ("--session-id", "--resume")), "")
MODE = sys.argv[sys.argv.index("--permission-mode") + 1]
COMMANDS = [{"name": "config", "description": "Open the settings", "builtin": True},
            {"name": "polish", "description": "Polishes", "argumentHint": "[file]"},
            {"name": "clear", "description": "A skill with the name of a command"}]
seen, queue, tasks = set(), [], []
turn = None
asks = {}
# The calls of tools that wait for a permission, by the requests for it.
calls = {}
running = set()
ids = iter(range(1, 1 << 30))


def write(frame):
    data = memoryview((json.dumps(frame) + "\n").encode())
    while data:
        data = data[os.write(1, data):]


def reply(request, content):
    write({"type": "control_response", "response": {
        "subtype": "success", "request_id": request, "response": content}})


def lifecycle(uuid, state):
    write({"type": "command_lifecycle", "command_uuid": uuid, "state": state, "session_id": SESSION})


def stream(message, event, **more):
    write({"type": "stream_event", "event": event, "session_id": SESSION, "parent_tool_use_id": None,
           "api_message_id": message, **more})


def pause(phase):
    home = os.environ["HOME"]
    gate = os.open(home + "/release", os.O_RDONLY | os.O_NONBLOCK)
    with open(home + "/phase", "a", encoding="utf-8") as file:
        file.write(phase + "\n")
    while gate not in select.select([0, gate], [], [])[0]:
        dispatch(json.loads(sys.stdin.buffer.readline()))


def say(text, pauses=False):
    message = "msg_%d" % next(ids)
    stream(message, {"type": "message_start", "message": {"id": message}})
    stream(message, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    half = len(text) // 2
    for piece in (text[:half], text[half:]):
        stream(message, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
        if pauses:
            pause("begin")
            pauses = False
    write({"type": "assistant", "message": {"id": message, "role": "assistant", "content": [{"type": "text", "text": text}]},
           "parent_tool_use_id": None, "session_id": SESSION})
    stream(message, {"type": "message_stop"})


def end(subtype="success", reason="completed", state="completed"):
    global turn
    uuid, turn = turn, None
    write({"type": "result", "subtype": subtype, "is_error": subtype != "success", "terminal_reason": reason,
           "user_message_uuids": [uuid], "session_id": SESSION, "total_cost_usd": 0.25, "usage": {"output_tokens": 1}})
    lifecycle(uuid, state)
    begin()


def ask(request):
    name = "ask-%d" % next(ids)
    frame = {"type": "control_request", "request_id": name, "request": request}
    asks[name] = frame
    write(frame)
    return name


def fail(request, reason):
    write({"type": "control_response", "response": {"subtype": "error", "request_id": request, "error": reason}})


def result(frame):
    """What the tool of a call says. `called` has one line for each."""
    with open("called", "a", encoding="utf-8") as file:
        file.write(json.dumps(frame) + "\n")
    words = frame["arguments"]
    text = words.get("text", "done") + words.get("more", "x") * words.get("count", 0)
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"result": words.get("text")}, "_meta": {"x": 1}}


def made(request, frame, content):
    """Answers a call. What has a time limit is staged, and then also a failure is a success without content."""
    if len(json.dumps(content)) > 10485760:
        return failed(request, frame, "The tool ran, but its result is over the 10485760-character limit of an mcp_call.")
    reply(request, dict(content, staging={"ok": True}) if "timeout_ms" in frame else content)


def failed(request, frame, reason):
    if "timeout_ms" in frame:
        return reply(request, {"staging": {"ok": False, "error_code": "tool_error", "detail": reason}})
    fail(request, reason)


def denies(frame, reason):
    write({"type": "system", "subtype": "permission_denied", "tool_name": frame["tool"], "session_id": SESSION,
           "tool_use_id": "toolu_mcp_call_%d" % next(ids), "decision_reason_type": "rule", "message": reason})


def call(request, frame):
    word = frame["tool"].rpartition("__")[2]
    if word == "allowed":
        made(request, frame, result(frame))
    elif word == "forbidden":
        denies(frame, "a rule of the person denies it")
        failed(request, frame, "The tool did not run: a rule of the person denies it")
    elif word == "hooked":
        failed(request, frame, "The tool did not run: a hook denies it")
    elif word == "broken":
        failed(request, frame, "MCP server not connected: sh")
    elif word == "empty":
        result(frame)
        reply(request, {"staging": {"ok": False, "error_code": "timeout", "detail": "tool call exceeded 1ms"}})
    elif word == "endless":
        running.add(request)
        result(frame)
    elif word == "long":
        result(frame)
        write({"type": "control_response", "response": {"subtype": "success", "request_id": request,
                                                        "response": {"content": "x" * (33 << 20)}}})
    elif word == "last":
        result(frame)
        sys.exit(0)
    else:
        shown = {"text": "another"} if word == "swapped" else frame["arguments"]
        name = ask({"subtype": "can_use_tool", "tool_name": frame["tool"], "input": shown,
                    "tool_use_id": "toolu_mcp_call_%d" % next(ids)})
        calls[name] = (request, frame)


def begin():
    global turn, SESSION
    if turn is not None or not queue:
        return
    turn, text = queue.pop(0)
    lifecycle(turn, "started")
    if text == "/clear":
        SESSION = "0000c1ea-0000-4000-8000-000000000001"
    write({"type": "system", "subtype": "init", "cwd": os.getcwd(), "session_id": SESSION, "model": "scripted",
           "permissionMode": MODE, "skills": ["tidy"]})
    word, _, rest = text.partition(" ")
    if word == "ask":
        return ask({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": rest}, "tool_use_id": "toolu_1",
                    "permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]})
    if word == "form":
        return ask({"subtype": "elicitation", "mcp_server_name": "ask", "message": "Which?", "mode": "form"})
    if word == "unknown":
        return ask({"subtype": "request_user_dialog"})
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "wait":
        return None
    if word == "tool":
        tasks.append(subprocess.Popen(["sleep", "300"], start_new_session=True))
        say(str(tasks[-1].pid))
    elif word == "server":
        shell = "setsid sleep 300 >/dev/null 2>&1 & echo $!"
        say(subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True).stdout.strip())
    elif word == "big":
        say("x" * int(rest))
    else:
        asked = turn
        say("%s %d" % (text[:100], len(text)), pauses=word == "begin")
        if word == "finish":
            pause("finish")
        if turn != asked:
            return None
    end()


def load(frame):
    """An earlier message. One of the user has a result, and no turn."""
    with open("loaded", "a", encoding="utf-8") as file:
        file.write(json.dumps([frame["type"], frame["message"]["content"]]) + "\n")
    if frame["type"] == "user":
        write({"type": "result", "subtype": "success", "is_error": False, "num_turns": 0, "result": "", "session_id": SESSION})


def take(frame):
    uuid, content = frame["uuid"], frame["message"]["content"]
    text = content
    if isinstance(content, list):
        text = " ".join(block.get("text") or "%s %s %d" % (block["type"], block["source"]["media_type"],
                                                           len(block["source"]["data"])) for block in content)
    if uuid in seen:
        return lifecycle(uuid, "completed")
    seen.add(uuid)
    with open("received", "a", encoding="utf-8") as file:
        file.write("%s %d %s\n" % (uuid, len(text), text[:50]))
    queue.append((uuid, text))
    lifecycle(uuid, "queued")
    begin()


def control(request, frame):
    global MODE
    kind = frame["subtype"]
    if kind == "initialize":
        if BEHAVIOUR == "silent":
            return
        state = "requires_action" if asks else "running" if turn else "idle"
        return write({"type": "control_response", "response": {
            "subtype": "success", "request_id": request, "pending_permission_requests": list(asks.values()),
            "response": {"pid": os.getpid(), "current_permission_mode": MODE, "session_state": state,
                         "capabilities": [] if BEHAVIOUR == "old" else ["mcp_call_check_permissions_v1"],
                         "prompt": frame.get("systemPrompt"), "arguments": sys.argv[1:], "commands": COMMANDS}}})
    if kind == "interrupt":
        cancelled = [uuid for uuid, _ in queue] if frame.get("cancel_queued") else []
        queue[:] = [] if cancelled else queue
        for name in list(asks):
            del asks[name]
            write({"type": "control_cancel_request", "request_id": name})
        reply(request, {"still_queued": [uuid for uuid, _ in queue], "cancelled": cancelled})
        for uuid in cancelled:
            lifecycle(uuid, "cancelled")
        if turn:
            end("error_during_execution", "aborted_tools", "cancelled")
    elif kind == "cancel_async_message":
        found = [entry for entry in queue if entry[0] == frame["message_uuid"]]
        queue[:] = [entry for entry in queue if entry not in found]
        reply(request, {"cancelled": bool(found)})
        for uuid, _ in found:
            lifecycle(uuid, "cancelled")
    elif kind == "set_permission_mode":
        MODE = frame["mode"]
        reply(request, {"mode": MODE})
    elif kind == "set_model":
        reply(request, {"model": frame["model"] or "default-model"})
    elif kind == "mcp_status":
        # What HOME/mcp.json says; `asked` counts who was asked.
        home = os.environ["HOME"]
        with open(home + "/asked", "a", encoding="utf-8") as file:
            file.write(json.dumps(sys.argv[1:]) + "\n")
        with open(home + "/mcp.json", encoding="utf-8") as file:
            reply(request, json.load(file))
    elif kind == "mcp_call":
        call(request, frame)
    elif kind == "list_models":
        # `models-asked` counts who was asked. Without HOME/models.json, the client tells none.
        home = os.environ["HOME"]
        with open(home + "/models-asked", "a", encoding="utf-8") as file:
            file.write(json.dumps([os.getcwd()] + sys.argv[1:]) + "\n")
        if os.path.exists(home + "/models.json"):
            with open(home + "/models.json", encoding="utf-8") as file:
                reply(request, json.load(file))
        else:
            write({"type": "control_response", "response": {
                "subtype": "error", "request_id": request, "error": "no models"}})
    elif kind == "get_context_usage":
        reply(request, {"totalTokens": 3567})
    elif kind == "rewind_files":
        known = frame["user_message_id"] in seen
        reply(request, {"canRewind": True, "filesChanged": [os.getcwd() + "/a.txt"], "insertions": 1, "deletions": 2} if known
              else {"canRewind": False, "error": "No file checkpoint found for this message."})
        if known and not frame["dry_run"]:
            open("rewound", "w", encoding="utf-8").close()
    elif kind == "rewind_conversation":
        known = frame["target_message_uuid"] in seen
        reply(request, {"rewound": known, "prefillText": "Hello" if known else None, "error": None if known else "target not found"})
    elif kind == "apply_flag_settings":
        with open("flags", "a", encoding="utf-8") as file:
            file.write(json.dumps(frame["settings"]) + "\n")
        reply(request, {})
    elif kind == "end_session":
        reply(request, {})
        sys.exit(0)
    elif kind == "rename_session":
        write({"type": "control_response", "response": {"subtype": "success", "request_id": request}})
    else:
        write({"type": "control_response", "response": {
            "subtype": "error", "request_id": request, "error": "Unsupported control request subtype: " + kind}})


def answered(response):
    if asks.pop(response["request_id"], None) is None:
        return
    if response["request_id"] in calls:
        request, frame = calls.pop(response["request_id"])
        said = response.get("response") or {}
        if said.get("behavior") != "allow":
            return failed(request, frame, "The tool did not run: " + said.get("message", ""))
        content, word = result(frame), frame["tool"].rpartition("__")[2]
        if word in ("failing", "lying"):
            return failed(request, frame, "I failed" if word == "failing" else "The tool did not run: no permission")
        return made(request, frame, content)
    say(json.dumps(response.get("response") or response.get("error")))
    end()


def dispatch(message):
    if message["type"] == "assistant" or message.get("shouldQuery") is False:
        load(message)
    elif message["type"] == "user":
        take(message)
    elif message["type"] == "control_request":
        control(message["request_id"], message["request"])
    elif message["type"] == "control_cancel_request":
        if message["request_id"] in running:
            fail(message["request_id"], "mcp_call cancelled by client: sh")
    elif message["type"] == "control_response":
        answered(message["response"])


if BEHAVIOUR == "fail":
    sys.stderr.write("Error: this client does not start\n")
    sys.exit(3)
if BEHAVIOUR == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin.buffer:
    dispatch(json.loads(line))
