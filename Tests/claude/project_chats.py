"""A program works in a project by chat requests: a real session with its tools, which asks people, and goes on."""

import threading
import urllib.request

from chats import PATH, ask, user
from driving import Agent
from messages_api import Turn, call
from monitor import wait_until


def asking(bench, key, body):
    """A request in a thread of its own, and the list that gets its answer."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(ask(bench, key, body)))
    thread.start()
    return thread, answers


def await_end(agent, session):
    """The hook of a turn's end comes a moment before the end."""
    wait_until(20, "no turn runs", lambda: not agent.device.ask("GET", f"{PATH}/{session}/status")["is_running"])


def project_chat_works(bench, outcome):
    """a program chats in a project: a tool is asked about and runs, the session goes on, a history is loaded, a turn is stopped"""
    with Agent(bench, "projected") as agent:
        key = bench.monitor.control("apikey", "create", "projected", "--may", "control", "--machine", "projected").stdout.strip()
        bench.api.script("projected", Turn(text="Hello."), Turn(text="Let me see.", tools=[call("Bash", command="touch made")]),
                         Turn(text="It is made."), Turn(tools=[call("Bash", command="touch begun && sleep 60")]))
        bench.api.script("recalled", Turn(text="It was plum."))
        first = agent.begin("Hello.")
        agent.await_stops(1)
        await_end(agent, first)
        project = wait_until(10, "the project", lambda: agent.session(first)["project_id"])
        body = {"messages": [user("[projected] Make it.")], "session_id": first}
        thread, answers = asking(bench, key, body)
        try:
            prompt = agent.device.await_prompt(first, 30)
        except TimeoutError:
            outcome.faults.append(f"nobody is asked: {answers}; {agent.said()}")
            return
        status, busy = ask(bench, key, {**body, "messages": [user("[projected] Hurry.")]})
        outcome.expect((status, busy["error"]["code"]) == (409, "session_busy"), f"a second caller gets {status}: {busy}")
        agent.device.answer(prompt, decision="allow")
        thread.join(60)
        status, answer = answers[0] if answers else (0, "nothing")
        if status != 200:
            outcome.faults.append(f"the chat gets {status}: {answer}; {agent.said()}")
            return
        outcome.expect(answer["choices"][0]["message"]["content"] == "Let me see.\n\nIt is made.", f"the answer is {answer}")
        outcome.expect((agent.machine.project / "made").exists(), "the call did not run")
        tools, = answer["monitor"]["tools"]
        outcome.expect((tools["name"], tools["is_error"]) == ("Bash", False), f"the tools are {tools}")
        outcome.expect(answer["usage"]["completion_tokens"] >= 68 and answer["usage"]["total_cost"], f"usage: {answer['usage']}")
        outcome.expect(answer["session_id"] == first and answer["project_id"] == project, f"the session is {answer}")

        await_end(agent, first)
        thread, answers = asking(bench, key, {**body, "messages": [user("[projected] Wait.")]})
        agent.device.await_prompt(first, 30)
        request = urllib.request.Request(f"{bench.monitor.url}{PATH}/{first}", method="DELETE",
                                         headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request, timeout=30) as stopped:
            outcome.expect(stopped.status == 200, f"the end gets {stopped.status}")
        thread.join(60)
        outcome.expect(answers and answers[0][0] == 409, f"the stopped chat gets {answers}")

        status, answer = ask(bench, key, {"project_id": project, "messages": [
            {"role": "system", "content": "Answer in Latin."}, user("[recalled] The word is plum."), {"role": "assistant", "content": "I keep it."}, user("/usage: which word?")]})
        if status != 200:
            outcome.faults.append(f"a history gets {status}: {answer}; {agent.said()}")
            return
        agent.sessions = (*agent.sessions, answer["session_id"])
        outcome.expect(answer["choices"][0]["message"]["content"] == "It was plum.", f"the answer is {answer}")
        told, instructed = bench.api.told("recalled"), bench.api.instructed("recalled")
        for text in ("You are Claude Code", "Answer in Latin."):
            outcome.expect(text in instructed, f"the prompt lacks {text!r}: {instructed[:200]} ... {instructed[-1000:]}")
        for text in ("The word is plum.", "I keep it.", "/usage: which word?"):
            outcome.expect(text in told, f"the model was not told {text!r}: {told}")


ALL = [project_chat_works]
