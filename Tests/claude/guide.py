"""The sample client of cdev's integration guide, with a credential, drives the real client: every method of the guide that drives
sessions, with the guide's parameters. Answers and events have the members of the guide's examples."""

import asyncio
import json
import sys
import threading
import time
from pathlib import Path

import websockets

from driving import Agent
from messages_api import Turn, call
from monitor import wait_until

sys.path.append(str(Path(__file__).resolve().parent.parent / "system"))
from guide_shapes import SHAPES, faults  # noqa: E402


class Sample:
    """Sends and reads only binary messages. Answers have a numeric `id`, events a text `event`, both at the top."""

    def __init__(self, url, token):
        self.url, self.token = url.replace("http", "ws", 1) + "/ws", token
        self.number, self.answers, self.events, self.fault = 0, {}, [], None
        self.changed, self.loop, self.socket = threading.Condition(), asyncio.new_event_loop(), None
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.read(),), daemon=True)

    def __enter__(self):
        self.thread.start()
        self.wait(lambda: self.socket, 10, "the connection")
        self.result("initialize", {"protocolVersion": "1.0", "clientInfo": {"name": "cdev-ios", "version": "1.0.0"}})
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.socket.close(), self.loop).result(5)
        self.thread.join(5)

    async def read(self):
        try:
            async with websockets.connect(self.url, extra_headers={"Authorization": f"Bearer {self.token}"},
                                          max_size=1 << 24) as socket:
                with self.changed:
                    self.socket = socket
                    self.changed.notify_all()
                async for data in socket:
                    message = json.loads(data) if isinstance(data, bytes) else {}
                    with self.changed:
                        if isinstance(message.get("id"), int):
                            self.answers[message["id"]] = message
                        elif isinstance(message.get("event"), str):
                            self.events.append(message)
                        self.changed.notify_all()
        except (OSError, websockets.WebSocketException) as fault:
            with self.changed:
                self.fault = fault
                self.changed.notify_all()

    def wait(self, found, seconds, what):
        with self.changed:
            if not self.changed.wait_for(lambda: self.fault or found(), seconds) or self.fault:
                last = [(event["event"], event.get("payload")) for event in self.events[-8:]]
                raise TimeoutError(f"{what}: not within {seconds} s; {self.fault}; the last events are {last}")
            return found()

    def answer(self, method, params):
        self.number += 1
        number = self.number
        text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        asyncio.run_coroutine_threadsafe(self.socket.send(text.encode()), self.loop).result(5)
        return self.wait(lambda: self.answers.get(number), 40, f"the answer to {method}")

    def result(self, method, params):
        message = self.answer(method, params)
        if "result" not in message:
            raise RuntimeError(f"{method} gets {message}")
        return message["result"]

    def event(self, name, found=lambda payload: True, seconds=30):
        """The first event of this name whose payload fits."""
        return self.wait(lambda: next((event for event in self.events if event["event"] == name and found(event["payload"])),
                                      None), seconds, name)


def says(text):
    return lambda payload: any(block.get("text") == text for block in payload["content"])


def guide_drives(bench, outcome):
    """the sample client of cdev's guide starts a session, sends, allows a call, reads the answer, stops, and resumes"""
    with Agent(bench, "guide") as agent, Sample(bench.monitor.url, agent.device.credential) as sample:
        bench.api.script("guide", Turn(tools=[call("Bash", command="touch made", description="Makes it")]),
                         Turn(text="It is made."), Turn(text="Once more."), Turn(text="Welcome back."))

        def ask(method, params):
            result = sample.result(method, params)
            outcome.faults += faults(SHAPES["driven"].get(method, {}), result, method)
            return result

        def told(name, *arguments):
            event = sample.event(name, *arguments)
            outcome.faults += faults(SHAPES["events"].get(name, {}), event, name)
            return event["payload"]

        project = str(agent.machine.project)
        found = ask("workspace/discover", {"machine_name": agent.name, "paths": [project]})
        outcome.expect(isinstance(found["repositories"], list) and found["complete"], f"the search gets {found}")
        home = ask("workspace/add", {"name": "my-project", "path": project, "machine_name": agent.name})
        outcome.expect(home["path"] == project, f"the workspace is {home}")

        began = time.monotonic()
        session = ask("session/start", {"workspace_id": home["id"]})
        outcome.notes.append(f"started in {time.monotonic() - began:.2f} s")
        chosen = session["id"]
        agent.sessions = (chosen,)
        outcome.expect(session["status"] == "started", f"the start gets {session}")
        outcome.expect(told("session_id_resolved")["real_id"] == chosen, "another id was resolved")
        shown = next(one for one in ask("workspace/list", {})["workspaces"] if one["id"] == home["id"])
        outcome.expect((shown["active_session_id"], shown["has_active_session"]) == (chosen, True), f"the list has {shown}")

        sent = ask("session/send", {"session_id": chosen, "prompt": "[guide] Make it.", "mode": "new"})
        outcome.expect((sent["status"], sent["session_id"]) == ("sent", chosen), f"the message gets {sent}")
        told("claude_message", says("[guide] Make it."))
        asked = told("claude_permission")
        outcome.expect((asked["tool_name"], json.loads(asked["input"])["command"]) == ("Bash", "touch made"), f"asked: {asked}")
        state = ask("session/state", {"session_id": chosen})
        outcome.expect((state["status"], state["claude_state"], state["waiting_for_input"], state["pending_tool_use_id"])
                       == ("running", "waiting", True, asked["tool_use_id"]), f"the state is {state}")
        agent.device.await_prompt(chosen)
        ask("session/respond", {"session_id": chosen, "type": "permission", "response": "yes"})
        wait_until(20, "the call runs", lambda: (agent.machine.project / "made").exists())
        told("claude_message", says("It is made."))
        agent.await_stops(1)

        ask("session/send", {"session_id": chosen, "prompt": "[guide] Again.", "mode": "continue"})
        told("claude_message", says("Once more."))
        agent.await_stops(2)
        place = {"workspace_id": home["id"], "session_id": chosen}
        page = ask("workspace/session/messages", {**place, "limit": 50, "offset": 0, "order": "asc"})
        outcome.expect("Once more." in json.dumps(page["messages"]), f"the conversation is {page}")
        active = ask("session/active", {"workspace_id": home["id"]})["sessions"]
        outcome.expect([one["id"] for one in active] == [chosen], f"active are {active}")

        stopped = ask("session/stop", {"session_id": chosen})
        outcome.expect((stopped["success"], stopped["status"]) == (True, "stopped"), f"the end gets {stopped}")
        wait_until(10, "the session ends", lambda: agent.session(chosen)["status"] == "ended")
        refused = sample.answer("session/send", {"session_id": chosen, "prompt": "x", "mode": "continue"}).get("error", {})
        outcome.expect((refused.get("code"), refused.get("message")) == (
            -32602, f"session not running: {chosen} (use session/start with resume_session_id to resume historical sessions)"),
            f"a message to it gets {refused}")

        resumed = ask("session/start", {"workspace_id": home["id"], "resume_session_id": chosen})
        outcome.expect((resumed["id"], resumed["status"]) == (chosen, "started"), f"the resumption gets {resumed}")
        ask("session/send", {"session_id": chosen, "prompt": "[guide] Hello?", "mode": "continue"})
        told("claude_message", says("Welcome back."))
        agent.await_stops(3)
        outcome.expect(len(agent.device.prompts(chosen)) == 1, "the call asked twice")


ALL = [guide_drives]
