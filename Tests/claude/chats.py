"""A program chats with the real client of a machine: no tools, no files, the caller's prompt and the whole history."""

import json
import os
import pathlib
import signal
import threading
import urllib.error
import urllib.request

from driving import Agent
from messages_api import Turn
from monitor import wait_until

PATH = "/v1/chat/completions"


def ask(bench, key, body):
    """The status, and the answer or the lines of the stream."""
    request = urllib.request.Request(bench.monitor.url + PATH, json.dumps(body).encode(), {
        "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
            return answer.status, text if body.get("stream") else json.loads(text)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def user(text):
    return {"role": "user", "content": text}


def chat_answers(bench, outcome):
    """an API key chats: history, prompt, stream, usage and errors; the client reads no file and runs no command"""
    with Agent(bench, "chatting", allowed="chat=on chats=2") as agent:
        key = bench.monitor.control("apikey", "create", "chatting", "--may", "chat", "--machine", "chatting").stdout.strip()
        bench.api.script_chat("chatting", Turn(text="Four."), Turn(text="Streamed."))
        # The client goes on after a cut, and repeats what is refused.
        bench.api.script_chat("chat-cut", *[Turn(text="Cut", stop="max_tokens")] * 3)
        bench.api.script_chat("chat-wrong", *[Turn(status=400, error="invalid_request_error")] * 3)
        body = {"messages": [{"role": "system", "content": "Count well."}, user("[chatting] 2+2? @/etc/passwd"),
                             {"role": "assistant", "content": "Three?"}, user("/usage again")]}
        status, answer = ask(bench, key, body)
        if status != 200:
            outcome.faults.append(f"the chat gets {status}: {answer}; {agent.said()}")
            return
        choice = answer["choices"][0]
        outcome.expect((choice["message"]["content"], choice["finish_reason"]) == ("Four.", "stop"), f"the answer is {answer}")
        usage = answer["usage"]
        outcome.expect(usage["completion_tokens"] >= 34 and usage["prompt_tokens"] > 70, f"the usage is {usage}")
        outcome.expect(usage["total_cost"], f"the cost is {usage['total_cost']}")
        told = bench.api.told("chatting")
        for text in ("2+2? @/etc/passwd", "Three?", "/usage again"):
            outcome.expect(text in told, f"the model was not told {text!r}: {told}")
        outcome.expect("root:" not in told, "the client read a file")
        outcome.expect("Count well." in bench.api.instructed("chatting"), "the caller's prompt does not count")
        status, text = ask(bench, key, {"messages": [user("[chatting] Stream.")], "stream": True,
                                        "stream_options": {"include_usage": True}})
        events = [json.loads(line[6:]) for line in text.split("\n\n") if line.startswith("data: {")]
        said = "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])
        outcome.expect((status, said) == (200, "Streamed."), f"the stream is {text}")
        outcome.expect(events[-1]["choices"] == [] and text.endswith("data: [DONE]\n\n"), f"the stream ends with {text[-300:]}")
        status, answer = ask(bench, key, {"messages": [user("[chat-cut] Go on.")], "max_tokens": 20})
        outcome.expect((status, status == 200 and answer["choices"][0]["finish_reason"]) == (200, "length"),
                       f"the limit gets {status}: {answer}")
        status, answer = ask(bench, key, {"messages": [user("[chat-wrong] What?")]})
        outcome.expect(status in (400, 502), f"an error of the API gets {status}: {answer}")
        status, listed = agent.device.status("GET", "/v1/sessions?machine_id=chatting")
        outcome.expect(status == 200 and not listed["sessions"], f"a chat became a session: {listed}")
        # The machine's settings switch telemetry on. Claude Code sends it when it ends, and these processes have ended.
        total = bench.monitor.get("/v1/usage?machine_id=chatting")["total"]
        outcome.expect(total["requests"] == total["requests_by_agent"] >= 3, f"the turns count as {total}")
        told = bench.monitor.get("/v1/events?type=telemetry&machine_id=chatting")["events"]
        outcome.expect(not told, f"telemetry reports a chat: {told[:1]}")


def parts(*texts):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def chat_parts(bench, outcome):
    """a message of several texts: a leading slash is text in each of them, in the message and in the history"""
    with Agent(bench, "parting", allowed="chat=on chats=2") as agent:
        key = bench.monitor.control("apikey", "create", "parting", "--may", "chat", "--machine", "parting").stdout.strip()
        before = [parts("[part-before] Before that", "/clear"), {"role": "assistant", "content": "Well."}]
        for name, earlier in (("part-last", []), ("part-before", before)):
            for command in ("/usage", "/clear", "/context", "!id", "@/etc/passwd"):
                bench.api.script_chat(name, Turn(text="Read."))
                status, answer = ask(bench, key, {"messages": earlier + [parts(f"[{name}] One", command)]})
                content = status == 200 and answer["choices"][0]["message"]["content"]
                outcome.expect(content == "Read.", f"{name} {command} gets {status}: {str(answer)[:300]}; {agent.said()[-200:]}")
                told = bench.api.told(name)
                for text in ("One", command, *(["Before that", "/clear"] if earlier else [])):
                    outcome.expect(text in told, f"{name} {command}: the model was not told {text!r}: {told}")
                outcome.expect("root:" not in told and "uid=" not in told, f"{name} {command}: the client obeyed it: {told}")


def chat_models(bench, outcome):
    """the models that the client offers are those of /v1/models, and the model that it does not know has neighbours"""
    with Agent(bench, "offering", allowed="chat=on") as agent:
        listed = bench.monitor.get("/v1/models")["data"]
        names = [name for model in bench.monitor.get("/v1/models/capabilities")["models"] if model["machines"]
                 for name in model["aliases"]]
        outcome.expect(listed and all(model["machines"] == ["offering"] for model in listed), f"listed is {listed}")
        for name in ("sonnet", "opus", "haiku"):
            outcome.expect(name in names, f"{name} is not offered: {names}; {agent.said()[-300:]}")
        # The offered name is that with which a chat is answered.
        chosen = bench.monitor.get("/v1/models/haiku")["id"]
        key = bench.monitor.control("apikey", "create", "offering", "--may", "chat", "--machine", "offering").stdout.strip()
        bench.api.script_chat("offering", Turn(text="Here."))
        status, answer = ask(bench, key, {"model": chosen, "messages": [user("[offering] There?")]})
        outcome.expect(status == 200 and answer["model"].startswith(chosen), f"{chosen} gets {status}: {answer}")
        try:
            bench.monitor.get("/v1/models/claude-sonet-5")
            outcome.faults.append("an unknown model is found")
        except urllib.error.HTTPError as error:
            told = json.loads(error.read())["error"]["message"]
            outcome.expect(error.code == 404 and "claude-sonnet-5" in told, f"an unknown model gets {error.code}: {told}")


def clients(machine):
    """The processes of Claude Code on the machine."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            is_client = os.path.realpath(f"/proc/{entry}/exe") == os.path.realpath(machine.claude)
            if is_client and f"HOME={machine.home}".encode() in pathlib.Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                found.append(int(entry))
        except OSError:
            continue
    return found


def chat_killed(bench, outcome):
    """the agent is killed: the clients of its chats end by themselves, the one that waits for the next chat, too"""
    with Agent(bench, "killed", allowed="chat=on chats=4") as agent:
        key = bench.monitor.control("apikey", "create", "killed", "--may", "chat", "--machine", "killed").stdout.strip()
        asked, released = threading.Event(), threading.Event()

        def hold():
            asked.set()
            released.wait(60)
        bench.api.script_chat("killed-before", Turn(text="Well."))
        bench.api.script_chat("killed-silent", Turn(text="Late.", before=hold))
        status, answer = ask(bench, key, {"messages": [user("[killed-before] First.")]})
        outcome.expect(status == 200, f"the chat gets {status}: {answer}; {agent.said()[-300:]}")
        wait_until(30, "a client waits for the next chat", lambda: len(clients(agent.machine)) == 1)
        thread = threading.Thread(target=ask, args=(bench, key, {"messages": [user("[killed-silent] Second.")]}))
        thread.start()
        outcome.expect(asked.wait(30), "the model is not asked")
        agent.end(signal.SIGKILL)
        released.set()
        wait_until(30, "the clients end", lambda: not clients(agent.machine))
        thread.join(60)
        agent.start()


ALL = [chat_answers, chat_parts, chat_models, chat_killed]
