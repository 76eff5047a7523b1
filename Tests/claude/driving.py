"""The machine's agent drives the real client for a device: it starts sessions, sends messages, asks and answers, switches and
stops."""

import os
import signal
import subprocess
import time
import uuid

from device import Device
from messages_api import Turn, call
from monitor import program, wait_until
from terminal import Terminal


class Agent:
    """A machine with its agent, and a device that may drive it."""

    def __init__(self, bench, name, allowed="control=on modes=default,plan,acceptEdits", approvals=None):
        self.bench, self.machine, self.name = bench, bench.machine(name), name
        self.device = Device(bench.monitor)
        bench.monitor.control("device", "grant", str(self.device.id), "control", "--machine", name)
        place = self.machine.home / ".config/claude-monitor"
        (place / "agent").write_text(f"roots={self.machine.project} trust={self.machine.project} {allowed}"
                                     f" claude={os.path.realpath(self.machine.claude)}\n")
        (place / "agent").chmod(0o600)
        if approvals:
            (place / "approvals").write_text(approvals + "\n")
        self.process = None
        self.start()

    def start(self):
        self.log = open(self.machine.home / "agent.log", "ab")
        self.process = subprocess.Popen([program("monitor-agent"), "run"], env=self.machine.environment,
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_until(20, "the agent connects", lambda: self.state() == "online")

    def state(self):
        return self.bench.monitor.get(f"/v1/machines/{self.name}")["agent"]["state"]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(20)
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for session in self.sessions:
            self.device.status("DELETE", f"/v1/sessions/{session}")
        self.end()
        self.device.forget()

    sessions = ()

    def begin(self, message, **more):
        status, session = self.device.status("POST", "/v1/sessions", {
            "machine_id": self.name, "path": str(self.machine.project), "message": f"[{self.name}] {message}", **more})
        if status != 200:
            raise RuntimeError(f"the start gets {status}: {session}")
        self.sessions = (*self.sessions, session["id"])
        return session["id"]

    def session(self, id):
        return self.device.ask("GET", f"/v1/sessions/{id}")

    def await_state(self, id, state, seconds=30):
        try:
            return wait_until(seconds, f"the session is {state}", lambda: self.session(id)["state"] == state)
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {self.session(id)['state']}; {self.said()}") from None

    def await_stops(self, count, seconds=40):
        wait_until(seconds, "the turn ends", lambda: self.bench.count(self.machine, "Stop") >= count)

    def said(self):
        return (self.machine.home / "agent.log").read_text()[-600:]


def agent_drives(bench, outcome):
    """a device starts a session, allows a call, sends a second message, and stops the session"""
    with Agent(bench, "driven") as agent:
        bench.api.script("driven", Turn(tools=[call("Bash", command="touch made")]), Turn(text="It is made."), Turn(text="Twice."))
        began = time.monotonic()
        session = agent.begin("Make it.")
        outcome.notes.append(f"started in {time.monotonic() - began:.2f} s")
        prompt = agent.device.await_prompt(session, 30)
        outcome.expect(prompt["tool_name"] == "Bash", f"the prompt is {prompt}")
        began = time.monotonic()
        status, body = agent.device.answer(prompt, decision="allow")
        outcome.expect(status == 200, f"the answer gets {status}: {body}")
        wait_until(20, "the call runs", lambda: (agent.machine.project / "made").exists())
        outcome.notes.append(f"answered in {time.monotonic() - began:.2f} s")
        agent.await_stops(1)
        prompts = agent.device.prompts(session)
        outcome.expect(len(prompts) == 1, f"one call asked {len(prompts)} times: {prompts}")
        status, body = agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "[driven] Again."})
        outcome.expect(status == 200, f"the message gets {status}: {body}")
        agent.await_stops(2)
        wait_until(20, "both turns are counted", lambda: agent.session(session)["message_count"] == 4)
        outcome.expect(agent.session(session)["runner"] == "agent", "the session is not the agent's")
        status, ended = agent.device.status("DELETE", f"/v1/sessions/{session}")
        outcome.expect((status, ended["status"]) == (200, "ended"), f"the end gets {status}: {ended}")
        wait_until(10, "the session ends", lambda: agent.session(session)["status"] == "ended")


def agent_refuses(bench, outcome):
    """a device denies a call with words; Claude reads them"""
    with Agent(bench, "refusedcall") as agent:
        bench.api.script("refusedcall", Turn(tools=[call("Bash", command="touch made")]), Turn(text="As you wish."))
        session = agent.begin("Make it.")
        status, body = agent.device.answer(agent.device.await_prompt(session, 30), decision="deny", message="Not on a Friday.")
        outcome.expect(status == 200, f"the answer gets {status}: {body}")
        agent.await_stops(1)
        outcome.expect(not (agent.machine.project / "made").exists(), "the call ran")
        outcome.expect("Not on a Friday." in str(bench.api.told("refusedcall")), "Claude was not told why")


def agent_interrupts(bench, outcome):
    """a device interrupts a turn while a tool runs; the next message begins another one"""
    with Agent(bench, "agent-stop") as agent:
        bench.api.script("agent-stop", Turn(tools=[call("Bash", command="touch begun && sleep 60")]), Turn(text="Here I am."))
        session = agent.begin("Wait.")
        status, body = agent.device.answer(agent.device.await_prompt(session, 30), decision="allow")
        outcome.expect(status == 200, f"the answer gets {status}: {body}")
        wait_until(20, "the tool runs", lambda: (agent.machine.project / "begun").exists())
        began = time.monotonic()
        status, body = agent.device.status("POST", f"/v1/sessions/{session}/interrupt", {})
        outcome.expect(status == 200, f"the interruption gets {status}: {body}")
        agent.await_state(session, "idle")
        outcome.notes.append(f"interrupted in {time.monotonic() - began:.2f} s")
        agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "[agent-stop] Are you there?"})
        agent.await_stops(1)


def agent_survives(bench, outcome):
    """the agent is killed while a call asks; the next agent finds the session, and the answer arrives"""
    with Agent(bench, "survived") as agent:
        bench.api.script("survived", Turn(tools=[call("Bash", command="touch made")]), Turn(text="It is made."))
        session = agent.begin("Make it.")
        prompt = agent.device.await_prompt(session, 30)
        agent.end(signal.SIGKILL)
        wait_until(20, "the agent is away", lambda: agent.state() == "offline")
        agent.start()
        wait_until(20, "it can be answered", lambda: agent.device.prompts(session)[0].get("answerable"))
        status, body = agent.device.answer(prompt, decision="allow")
        outcome.expect(status == 200, f"the answer gets {status}: {body}")
        agent.await_stops(1)
        outcome.expect((agent.machine.project / "made").exists(), "the call did not run")
        outcome.expect(len(agent.device.prompts(session)) == 1, "the call asked twice")


def agent_bounds(bench, outcome):
    """what the machine's file does not allow does not start: another directory, mode, or a third session"""
    with Agent(bench, "agent-bounds", allowed="control=on modes=default sessions=1") as agent:
        bench.api.script("agent-bounds", Turn(text="Hello."))
        body = {"machine_id": "agent-bounds", "path": str(agent.machine.project)}
        for change, reason in [({"path": "/etc"}, "outside_roots"), ({"permission_mode": "acceptEdits"}, "mode_not_allowed")]:
            status, answer = agent.device.status("POST", "/v1/sessions", {**body, **change})
            outcome.expect((status, answer["error"]["code"]) == (403, reason), f"{change} gets {status}: {answer}")
        agent.begin("Hi.")
        agent.await_stops(1)
        status, answer = agent.device.status("POST", "/v1/sessions", {**body, "session_id": str(uuid.uuid4())})
        outcome.expect((status, answer["error"]["code"]) == (429, "too_many_sessions"), f"a second one gets {status}: {answer}")


def agent_clears(bench, outcome):
    """a device runs /clear as a command: another session goes on in the same process; the same text alone is a text"""
    with Agent(bench, "cleared") as agent:
        bench.api.script("cleared", Turn(text="Hello."), Turn(text="That is a text."), Turn(text="Hello again."))
        session = agent.begin("Hi.")
        agent.await_stops(1)
        status, body = agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "/clear [cleared]"})
        outcome.expect(status == 200, f"the text gets {status}: {body}")
        agent.await_stops(2)
        offered = [one["name"] for one in agent.device.ask("GET", f"/v1/sessions/{session}/commands")["commands"]]
        outcome.expect({"clear", "compact", "context", "model"} <= set(offered), f"the commands are {offered}")
        status, body = agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "/clear", "as": "command"})
        outcome.expect(status == 200, f"the command gets {status}: {body}")
        wait_until(20, "the session goes on", lambda: agent.session(session).get("continued_by"))
        new = agent.session(session)["continued_by"]
        agent.sessions = (*agent.sessions, new)
        wait_until(10, "the old one ends", lambda: agent.session(session)["status"] == "ended")
        outcome.expect(agent.session(session)["end_reason"] == "clear", f"it ends with {agent.session(session)['end_reason']}")
        outcome.expect(agent.session(new)["continues"] == session, "the new one does not name the old one")
        wait_until(20, "the new one takes messages", lambda: agent.session(new).get("accepts_messages"))
        agent.device.status("POST", f"/v1/sessions/{new}/input", {"text": "[cleared] Hi again."})
        agent.await_stops(3)
        context = agent.device.ask("GET", f"/v1/sessions/{new}/context")
        outcome.expect(context["used_tokens"] > 0 and context["max_tokens"] > context["used_tokens"], f"the context is {context}")


def agent_parks(bench, outcome):
    """an idle session loses its process, stays idle, and goes on with the next message; then after /clear as well"""
    with Agent(bench, "parked", allowed="control=on modes=default idle_stop=2s") as agent:
        bench.api.script("parked", Turn(text="The word is plum."), Turn(text="It was plum."), Turn(text="I know no word."))
        session = agent.begin("Say a word.", system_prompt="Be brief.")
        agent.await_stops(1)
        wait_until(30, "it is parked", lambda: agent.session(session).get("parked"))
        outcome.expect(agent.session(session)["status"] != "ended", "the session has ended")
        began = time.monotonic()
        agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "[parked] Which word?"})
        agent.await_stops(2)
        outcome.notes.append(f"woken and answered in {time.monotonic() - began:.2f} s")
        outcome.expect("The word is plum." in bench.api.told("parked"), "the model does not know the conversation")
        outcome.expect("Be brief." in bench.api.instructed("parked"), "the system prompt is lost")
        status, body = agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "/clear", "as": "command"})
        outcome.expect(status == 200, f"the command gets {status}: {body}")
        wait_until(20, "the session goes on", lambda: agent.session(session).get("continued_by"))
        new = agent.session(session)["continued_by"]
        agent.sessions = (*agent.sessions, new)
        # It has had no message, so there is no conversation to resume.
        wait_until(30, "the new one is parked", lambda: agent.session(new).get("parked"))
        agent.device.status("POST", f"/v1/sessions/{new}/input", {"text": "[parked] Which word?"})
        agent.await_stops(3)
        outcome.expect(agent.session(new)["status"] != "ended", "the new one has ended")


def agent_rewinds(bench, outcome):
    """a device puts a file and the conversation back to before a message, after it has seen what would change"""
    with Agent(bench, "rewound") as agent:
        place = agent.machine.project / "rewound.txt"
        place.write_text("one\n")
        bench.api.script("rewound", Turn(text="Hello."), Turn(tools=[call("Read", file_path=str(place))]),
                         Turn(tools=[call("Edit", file_path=str(place), old_string="one", new_string="two")]),
                         Turn(text="It says two."), Turn(text="Fresh."))
        session = agent.begin("Hi.")
        agent.await_stops(1)
        message = str(uuid.uuid4())
        agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "[rewound] Say two.", "message_id": message})
        status, body = agent.device.answer(agent.device.await_prompt(session, 30), decision="allow")
        outcome.expect(status == 200, f"the answer gets {status}: {body}")
        agent.await_stops(2)
        outcome.expect(place.read_text() == "two\n", f"the file is {place.read_text()!r}")
        agent.await_state(session, "idle")
        body = {"message_id": message, "what": "both"}
        status, tried = agent.device.status("POST", f"/v1/sessions/{session}/rewind", body)
        outcome.expect((status, tried.get("files")) == (200, [str(place)]), f"the trial gets {status}: {tried}")
        outcome.expect(place.read_text() == "two\n", "the trial changes the file")
        status, done = agent.device.status("POST", f"/v1/sessions/{session}/rewind", {**body, "dry_run": False})
        outcome.expect((status, done.get("text")) == (200, "[rewound] Say two."), f"the rewind gets {status}: {done}")
        outcome.expect(place.read_text() == "one\n", f"the file is {place.read_text()!r}")
        agent.device.status("POST", f"/v1/sessions/{session}/input", {"text": "[rewound] Afresh."})
        agent.await_stops(3)
        outcome.expect("Say two." not in str(bench.api.told("rewound")), "the model still knows the message")


def agent_holds_terminal(bench, outcome):
    """a session in a terminal of the agent is used from another one, goes on without it, and outlives the agent"""
    with Agent(bench, "console", allowed="control=on pty=on modes=default") as agent:
        Terminal.settle_first_questions(agent.machine)
        bench.api.script("console", Turn(text="It is said."), Turn(text="Said again."))
        status, session = agent.device.status("POST", "/v1/sessions", {
            "machine_id": "console", "path": str(agent.machine.project), "permission_mode": "interactive"})
        outcome.expect((status, session.get("runner")) == (200, "terminal"), f"the start gets {status}: {session}")
        agent.sessions = (session["id"],)
        environment = {**os.environ, "MONITOR_URL": bench.monitor.url, "MONITOR_DATA_DIR": str(bench.monitor.data)}
        attached = Terminal(agent.machine, "attach", session["id"], program=program("monitorctl"), environment=environment)
        try:
            wait_until(30, "the client waits for input", lambda: b"\xe2\x9d\xaf" in attached.shown or b"> " in attached.shown)
            attached.press(b"[console] Say it.")
            try:
                wait_until(20, "the words are shown", lambda: b"Say" in attached.shown)
            except TimeoutError as error:
                raise TimeoutError(f"{error}; the terminal shows {attached.shown[-1500:]}") from None
            attached.press(b"\r")
            agent.await_stops(1)
            wait_until(20, "the answer is shown", lambda: b"said." in attached.shown)
            attached.press(b"\x1d")
            outcome.expect(attached.wait(10) == 0, f"the detaching ends with {attached.process.poll()}")
        finally:
            attached.close()
        agent.end(signal.SIGKILL)
        agent.start()
        status, body = agent.device.status("POST", f"/v1/sessions/{session['id']}/terminal/keys", {"data": "[console] Again."})
        outcome.expect(status == 200, f"the keys get {status}: {body}")
        agent.device.status("POST", f"/v1/sessions/{session['id']}/terminal/keys", {"data": "\r"})
        agent.await_stops(2)
        status, ended = agent.device.status("DELETE", f"/v1/sessions/{session['id']}")
        outcome.expect((status, ended["status"]) == (200, "ended"), f"the end gets {status}: {ended}")


ALL = [agent_holds_terminal, agent_rewinds, agent_clears, agent_parks, agent_drives, agent_refuses, agent_interrupts, agent_survives, agent_bounds]
