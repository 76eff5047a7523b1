"""Plain chats: how soon the first character comes, from the client that waits and beside Claude Code alone, and how fifty at once
are answered.

Needs the real client: CLAUDE names it, or `make test-claude` has installed it. The model is a script on loopback, so what is
measured is Claude Code, its agent and the server.
"""

import collections
import concurrent.futures
import contextlib
import glob
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

from harness import pin, stop
from desk import ask, write

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Tests", "claude"))
from messages_api import MessagesAPI, Turn  # noqa: E402

PROCESSES = 4
CROWD = 50
# Limits in seconds: the first character from a waiting client, what the server may add to a new client, and 50 answers at once.
MOST_WARM, MOST_BEYOND, MOST_CROWD = 0.3, 0.15, 40
# A pause between two requests, in which the next client becomes ready.
PAUSE = 2
PATIENCE = 120
TAG = "bench"
MODEL = "claude-haiku-5-5"
# What the agent gives a chat.
WORDS = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
         "--permission-mode", "default", "--tools", "", "--strict-mcp-config", "--safe-mode", "--no-session-persistence",
         "--model", MODEL]


def client():
    """The path of Claude Code, or None."""
    installed = glob.glob(os.path.join(HERE, "..", ".venv-claude/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude"))
    found = os.environ.get("CLAUDE") or (installed[0] if installed else shutil.which("claude"))
    return found and os.path.realpath(found)


def chats(server, rounds):
    """Returns None without Claude Code."""
    program = client()
    if not program:
        print("chats: no Claude Code; set CLAUDE, or run make test-claude first", file=sys.stderr)
        return None
    api = MessagesAPI()
    # All requests are of one conversation, which never ends.
    api.script_chat(TAG, *[Turn(text="Four.") for _ in range(20 * rounds + 4 * CROWD)])
    try:
        with machine(server, program, api.url) as (environment, key):
            alone, cold, warm = [], [], []
            for number in range(5 * rounds + 1):
                # A client with a caller's text in its environment is never started ahead.
                found = (cli_alone(program, environment), first_character(server, key, stop=["END"]))
                time.sleep(PAUSE)
                ahead = first_character(server, key)
                time.sleep(PAUSE)
                # The first of each fills the caches, and does not count.
                if number:
                    alone.append(found[0])
                    cold.append(found[1])
                    warm.append(ahead)
            return {"alone": statistics.median(alone), "cold": statistics.median(cold), "warm": statistics.median(warm),
                    "beyond": statistics.median(two - one for one, two in zip(alone, cold)), "crowd": crowd(server, key)}
    finally:
        api.close()


@contextlib.contextmanager
def machine(server, program, model):
    """A machine with an agent that answers chats. Yields the environment of Claude Code, and an API key."""
    place = os.path.realpath(tempfile.mkdtemp(prefix="bench-chats-"))
    home = os.path.join(place, "home")
    settings = os.path.join(home, ".config/claude-monitor")
    os.makedirs(settings, mode=0o700)
    name = f"bench-chats-{uuid.uuid4().hex[:8]}"
    write(settings, "config", f"url=http://127.0.0.1:{server.port}\nkey={server.control('key', 'create', name)}\n")
    write(settings, "agent", f"chat=on chats={PROCESSES} claude={program}\n")
    environment = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "ANTHROPIC_BASE_URL": model,
                   "ANTHROPIC_API_KEY": "sk-ant-bench", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                   "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
                   "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1", "MAX_THINKING_TOKENS": "0"}
    agent = subprocess.Popen([os.path.join(server.programs, "monitor-agent"), "run"], cwd="/", stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, env=environment, preexec_fn=pin(0))
    try:
        connected(server, name)
        yield environment, server.control("apikey", "create", name, "--may", "chat", "--machine", name)
    finally:
        stop(agent, 20)
        shutil.rmtree(place, ignore_errors=True)


def connected(server, name):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        listed = ask(server, "/v1/machines", server.token)["machines"]
        if any(one["name"] == name and (one.get("agent") or {}).get("state") == "online" for one in listed):
            return
        time.sleep(0.1)
    sys.exit("the agent did not connect")


def cli_alone(program, environment):
    """Seconds from the start of Claude Code to the first character of its answer."""
    with tempfile.TemporaryDirectory(prefix="bench-room-") as room:
        began = time.monotonic()
        process = subprocess.Popen([program, *WORDS, "--session-id", str(uuid.uuid4())], cwd=room, env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=pin(0))
        try:
            say(process, {"type": "control_request", "request_id": "1", "request": {
                "subtype": "initialize", "systemPrompt": ["Count well."]}})
            until(process, lambda line: line.get("type") == "control_response")
            say(process, {"type": "user", "message": {"role": "user", "content": f"[{TAG}] 2+2?"}, "parent_tool_use_id": None,
                          "session_id": "", "uuid": str(uuid.uuid4())})
            until(process, lambda line: (line.get("event") or {}).get("delta", {}).get("text"))
            return time.monotonic() - began
        finally:
            stop(process, 10)


def say(process, line):
    process.stdin.write(json.dumps(line).encode() + b"\n")
    process.stdin.flush()


def until(process, wanted):
    for line in process.stdout:
        if wanted(json.loads(line)):
            return
    sys.exit("Claude Code ended without an answer")


def post(server, key, stream, **more):
    host = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    body = {**more, "model": MODEL, "stream": stream, "messages": [
        {"role": "system", "content": "Count well."}, {"role": "user", "content": f"[{TAG}] 2+2?"}]}
    host.request("POST", "/v1/chat/completions", json.dumps(body), {
        "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    return host, host.getresponse()


def first_character(server, key, **more):
    """Seconds from the request to the first character of the stream."""
    began = time.monotonic()
    connection, answer = post(server, key, True, **more)
    try:
        for line in answer:
            if line.startswith(b"data: {") and any(
                    choice["delta"].get("content") for choice in json.loads(line[6:]).get("choices", [])):
                return time.monotonic() - began
        sys.exit(f"the chat gets {answer.status} without a text")
    finally:
        # Reads the whole answer, so that this chat has ended when the next one is measured.
        answer.read()
        connection.close()


def crowd(server, key):
    """Many requests at once: how they were answered, and the seconds until the last answer."""
    def one(_):
        connection, answer = post(server, key, False)
        try:
            answer.read()
            return answer.status
        finally:
            connection.close()
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CROWD) as pool:
        statuses = collections.Counter(pool.map(one, range(CROWD)))
    return {"statuses": {str(status): count for status, count in statuses.items()}, "seconds": time.monotonic() - began}


def show_chats(found):
    if not found:
        return print("chats: not measured, because there is no Claude Code")
    print(f"first character of a plain chat: p50 {1000 * found['warm']:.0f} ms from a client that waits (the limit is "
          f"{1000 * MOST_WARM:.0f} ms); {1000 * found['cold']:.0f} ms from a new client, of Claude Code alone "
          f"{1000 * found['alone']:.0f} ms, {1000 * found['beyond']:.0f} ms beyond (the limit is {1000 * MOST_BEYOND:.0f} ms)")
    told = ", ".join(f"{count} with {status}" for status, count in sorted(found["crowd"]["statuses"].items()))
    print(f"{CROWD} plain chats at once, {PROCESSES} processes: {told}, in {found['crowd']['seconds']:.1f} s "
          f"(the limit is {MOST_CROWD} s)")
