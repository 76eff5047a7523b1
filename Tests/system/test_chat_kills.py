"""Chats by a real agent and a scripted client, in which the server, the agent, the client or the connections to PostgreSQL are
killed in each phase of a turn: no turn runs twice, none counts twice, and no process is left."""

import json
import os
import pathlib
import signal
import sys
import threading
import unittest

import harness
from harness import Client, Postgres, Server, wait_for
from real_agent import RealAgent

PATH = "/v1/chat/completions"
TESTS = pathlib.Path(__file__).resolve().parent.parent
FUNCTION = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
VICTIMS = ("server", "agent", "client", "database")
# A pipe `gate` in the home directory keeps a client from taking anything.
CLIENT = """#!{python}
import os, sys
if "--version" in sys.argv:
    print("2.1.332 (Claude Code)")
    sys.exit()
gate = os.path.join(os.environ["HOME"], "gate")
if os.path.exists(gate):
    open(gate).close()
name = {chat!r} if "--no-session-persistence" in sys.argv else {session!r}
os.execv({python!r}, [{python!r}, "-B", name, *sys.argv[1:]])
"""


def setUpModule():
    global cluster, server
    cluster = Postgres().start()
    server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()
    # The agents find it again.
    server.settings["MONITOR_LISTEN"] = server.address


def tearDownModule():
    harness.end_everything()
    cluster.end()


class Kills(unittest.TestCase):
    capability, words = "chat", ""

    def setUp(self):
        self.agent = RealAgent(server, f"machine-{harness.identifier()[:8]}")
        self.addCleanup(self.end)
        client = self.agent.home.parent / "claude"
        client.write_text(CLIENT.format(python=sys.executable, chat=str(TESTS / "agent/chat_client.py"),
                                        session=str(TESTS / "ClaudeRunnerTests/scripted_client.py")))
        client.chmod(0o755)
        os.mkfifo(self.agent.home / "release")
        self.agent.allow(f"chat=on chats=1 control=on trust={self.agent.root} claude={client}")
        wait_for(lambda: self.agent.may().get("control"), "the machine's file counts")
        # It was asked for its version.
        wait_for(lambda: self.agent.shown().get("clients"), "the client is known")
        made = server.client().request("POST", "/v1/api-keys", {
            "name": self.agent.name, "capabilities": [self.capability], "machines": [self.agent.name]})
        self.key, self.caller = made.json["key"], made.json["id"]

    def end(self):
        self.agent.close()
        for pid in self.clients():
            os.kill(pid, signal.SIGKILL)

    # What is seen

    def clients(self):
        """All processes that agents of this machine have started."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                state = (place / "stat").read_text().rpartition(")")[2].split()[0]
                if int(place.name) != self.agent.process.pid and state != "Z" and \
                        f"HOME={self.agent.home}".encode() in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
            except OSError:
                pass
        return found

    def begun(self):
        """The clients that run their program. Before that, and beside them, an agent has others, such as git."""
        found = []
        for pid in self.clients():
            try:
                if b"CLAUDE_MONITOR_RUNNER=" in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                    found.append(pid)
            except OSError:
                pass
        return found

    def notes(self):
        path = self.agent.home / "chat.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def rows(self):
        """The turns of the key, as the database has them."""
        return cluster.sql(f"SELECT id FROM chat_turns WHERE caller LIKE '%{self.caller}'")

    def requests(self):
        """The turns of the machine that count."""
        return server.get(f"/v1/usage?machine_id={self.agent.name}").json["total"]["requests"]

    # What is done

    def ask(self, body, repeats=0):
        return Client(server.address, self.key, timeout=60).request("POST", PATH, body, {
            "x-stainless-retry-count": str(repeats)})

    def asking(self, body):
        """A request in a thread of its own. The list gets its answer, or the fault of its connection."""
        answers = []

        def run():
            try:
                answers.append(self.ask(body))
            except Exception as fault:
                answers.append(fault)
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join, 60)
        return thread, answers

    def release(self):
        with open(self.agent.home / "release", "wb"):
            pass

    def kill(self, victim, between=lambda: None):
        """Kills it, and starts again what a service manager would start. `between` comes before that."""
        if victim == "server":
            server.kill()
            between()
            server.start()
        elif victim == "agent":
            self.agent.process.kill()
            self.agent.process.wait()
            between()
            self.agent.start()
        elif victim == "client":
            for pid in self.clients():
                os.kill(pid, signal.SIGKILL)
            between()
        else:
            cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
            between()
            server.wait_healthy()
        wait_for(self.agent.is_online, "the agent is connected")

    def is_told(self, answer):
        """A whole answer, or an error that no client repeats by itself."""
        if answer.status != 200:
            self.assertIn((answer.status, answer.json["error"]["code"]), {
                (409, "answer_lost"), (502, "claude_failed"), (502, "start_failed"), (503, "agent_unavailable"),
                (409, "interrupted"), (409, "session_not_running")}, answer)
            self.assertEqual(answer.headers.get("x-should-retry"), "false", answer)
        return answer.status == 200

    def stopped(self):
        """Stops the agent. Returns what it has left."""
        self.agent.process.send_signal(signal.SIGTERM)
        self.agent.process.wait(30)
        return self.clients()

    def check(self, victim, text, begun, between=lambda: None, after=lambda: None, others=0):
        """
        - between: opens what the client waits for, if it goes on.
        - others: the turns of this machine that count beside this one.
        """
        body = self.body(text)
        thread, answers = self.asking(body)
        begun()
        self.kill(victim, between)
        after()
        thread.join(60)
        self.assertTrue(answers, "the request has no end")
        first = [answer for answer in answers if not isinstance(answer, Exception)]
        # What the client of OpenAI does by itself.
        again = self.ask(body, repeats=1)
        whole = self.is_told(again)
        for answer in first:
            self.assertEqual(answer.status, again.status, (first, again))
        self.assertLessEqual(self.prompts(text), 1)
        if whole:
            self.assertEqual(self.prompts(text), 1)
        self.assertEqual(len(self.rows()), 1 + others)
        self.assertLessEqual(self.requests(), 1 + others)
        self.assertEqual(self.ask(body, repeats=2).status, again.status)
        self.assertLessEqual(self.requests(), 1 + others)
        return again

    def open_gate(self):
        """Lets clients begin. One that comes late does not wait."""
        gate = os.open(self.agent.home / "gate", os.O_RDWR)
        (self.agent.home / "gate").unlink()
        self.addCleanup(os.close, gate)


def for_each_victim(case):
    """Makes a test for each victim of each method `in_PHASE`."""
    for name, method in list(vars(case).items()):
        for victim in VICTIMS if name.startswith("in_") else ():
            def test(self, method=method, victim=victim):
                method(self, victim)
            setattr(case, f"test_{name[3:]}_{victim}", test)
    return case


@for_each_victim
class Plain(Kills):
    def prompts(self, text):
        """How often the model was asked to answer the text."""
        return [one.get("user") for one in self.notes() if not one.get("loaded")].count(text)

    def phase(self, name):
        wait_for(lambda: any(one.get("phase") == name for one in self.notes()), name)

    def body(self, text, **more):
        return {"messages": [{"role": "user", "content": text}], **more}

    def in_starting(self, victim):
        os.mkfifo(self.agent.home / "gate")
        self.check(victim, "hello", lambda: wait_for(self.begun, "the client"), between=self.open_gate)
        self.assertEqual(self.stopped(), [])

    def in_streaming(self, victim):
        answer = self.check(victim, "begin", lambda: self.phase("begin"), after=self.release_if(victim))
        self.assertEqual(answer.status == 200, victim == "database", answer)
        self.assertEqual(self.requests(), 1)
        self.assertEqual(self.stopped(), [])

    def in_finishing(self, victim):
        self.check(victim, "finish", lambda: self.phase("finish"), after=self.release_if(victim))
        self.assertEqual(self.requests(), 1)
        self.assertEqual(self.stopped(), [])

    def in_waiting_for_room(self, victim):
        holder, _ = self.asking(self.body("begin"))
        self.phase("begin")
        self.check(victim, "hello", lambda: wait_for(lambda: len(self.rows()) == 2, "the second turn"),
                   after=self.release_if(victim), others=1)
        holder.join(60)
        self.assertLessEqual(self.prompts("begin"), 1)
        self.assertEqual(self.stopped(), [])

    def release_if(self, victim):
        """Only then the client goes on."""
        return self.release if victim == "database" else lambda: None

    def in_parked_at_a_call(self, victim):
        body = self.body("call", tools=[FUNCTION])
        answer = self.ask(body)
        message = answer.json["choices"][0]["message"]
        self.kill(victim)
        again = self.ask(body, repeats=1)
        # The answer is that of the turn which has ended, or is lost with the server.
        self.assertEqual(again.status == 200, victim != "server", again)
        self.is_told(again)
        self.assertEqual((self.prompts("call"), self.requests()), (1, 1))
        messages = [*body["messages"], message, {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "x"}]
        answer = self.ask({**body, "messages": messages})
        if self.is_told(answer):
            self.assertEqual((self.prompts("call"), self.requests()), (1, 2))
        else:
            # The client was killed a moment before: the result went to it, and no model was asked.
            self.assertEqual(victim, "client", answer)
            self.assertEqual((self.prompts("call"), self.requests()), (1, 1))
        self.assertEqual(self.stopped(), [])


@for_each_victim
class Project(Kills):
    """Sessions go on when the agent or the server is killed, and end with their client."""

    capability = "control"

    def setUp(self):
        super().setUp()
        made = server.client().request("POST", "/v1/projects", {
            "name": "p", "path": str(self.agent.root), "machine_id": self.agent.name})
        self.project = made.json["id"]

    def prompts(self, text):
        """How often the session was given the text."""
        path = self.agent.root / "received"
        return sum(line.split(" ", 2)[2] == text for line in path.read_text().splitlines()) if path.exists() else 0

    def body(self, text):
        return {"messages": [{"role": "user", "content": text}], "project_id": self.project}

    def phase(self, name):
        path = self.agent.home / "phase"
        wait_for(lambda: path.exists() and name in path.read_text(), name)

    def ended(self):
        """Ends the sessions, and then the agent."""
        client = server.client()
        if self.begun():
            wait_for(lambda: client.get(f"/v1/sessions?machine_id={self.agent.name}").json["sessions"],
                     f"the session of {self.begun()} is shown: {self.agent.said()}")
        for one in client.get(f"/v1/sessions?machine_id={self.agent.name}").json["sessions"]:
            answer = client.request("DELETE", f"/v1/sessions/{one['id']}")
            self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.stopped(), [])

    def goes_on(self, victim):
        """Lets a client go on that was not killed."""
        return self.release if victim != "client" else lambda: None

    def in_starting(self, victim):
        os.mkfifo(self.agent.home / "gate")
        self.check(victim, "hello", lambda: wait_for(self.begun, "the client"), between=self.open_gate)
        self.ended()

    def in_streaming(self, victim):
        answer = self.check(victim, "begin", lambda: self.phase("begin"), after=self.goes_on(victim))
        self.assertEqual(answer.status == 200, victim == "database", answer)
        self.assertEqual(self.prompts("begin"), 1)
        self.ended()

    def in_finishing(self, victim):
        answer = self.check(victim, "finish", lambda: self.phase("finish"), after=self.goes_on(victim))
        self.assertEqual(answer.status == 200, victim == "database", answer)
        self.assertEqual(self.prompts("finish"), 1)
        self.ended()

    def in_while_a_person_is_asked(self, victim):
        def asked():
            return server.get("/v1/prompts?state=open").json["prompts"]

        def answer():
            if victim == "client":
                return
            (prompt,) = wait_for(lambda: [one for one in asked() if one["machine_name"] == self.agent.name], "the prompt")
            told = server.client().request("POST", f"/v1/prompts/{prompt['id']}/answer", {"decision": "deny"})
            self.assertEqual(told.status, 200, told)

        told = self.check(victim, "ask rm x", lambda: wait_for(asked, "the prompt"), after=answer)
        self.assertEqual(told.status == 200, victim == "database", told)
        self.assertEqual(self.prompts("ask rm x"), 1)
        self.ended()


if __name__ == "__main__":
    unittest.main()
