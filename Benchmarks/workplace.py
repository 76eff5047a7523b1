"""A machine with the built agent and a repository, whose work tree has large changes."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
import uuid

from harness import pin, stop

LINES = 10_000
# Each hunk has three lines around its change on both sides.
PER_HUNK = 8
FILES = {"one.ts": "one hunk", "many.ts": f"{LINES // PER_HUNK:,} hunks"}


@contextlib.contextmanager
def workplace(server):
    """Yields the id of the project. Its files one.ts and many.ts have differences of 10,000 lines."""
    place = os.path.realpath(tempfile.mkdtemp(prefix="bench-agent-"))
    home, root = os.path.join(place, "home"), os.path.join(place, "work")
    project, settings = os.path.join(root, "shop"), os.path.join(home, ".config/claude-monitor")
    for directory in (project, settings):
        os.makedirs(directory, mode=0o700)
    key = server.control("key", "create", "bench-agent")
    write(settings, "config", f"url=http://127.0.0.1:{server.port}\nkey={key}\n")
    write(settings, "agent", f"files=read git=read\nroots={root}\n")
    repository(project)
    agent = subprocess.Popen([os.path.join(server.programs, "monitor-agent"), "run"], cwd="/", stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, env={"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}, preexec_fn=pin(0))
    try:
        session = str(uuid.uuid4())
        body = [{"event_id": str(uuid.uuid4()), "data": {"session_id": session, "cwd": project, "hook_event_name": "SessionStart", "source": "startup"}}]
        ask(server, "/api/events", key, body)
        yield project_of(server, session)
    finally:
        stop(agent, 10)
        shutil.rmtree(place, ignore_errors=True)


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o600)


def repository(project):
    def git(*words):
        subprocess.run(["git", "-C", project, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *words], check=True)

    def lines(count, name):
        return [f"export const {name}{number} = {number}\n" for number in range(count)]
    git("init", "-q")
    write(project, "one.ts", "".join(lines(LINES // 2, "old")))
    many = lines(LINES // PER_HUNK * 7, "line")
    write(project, "many.ts", "".join(many))
    git("add", "-A")
    git("commit", "-qm", "Begin the shop")
    write(project, "one.ts", "".join(lines(LINES // 2, "new")))
    many[3::7] = lines(len(many[3::7]), "next")
    write(project, "many.ts", "".join(many))


def ask(server, path, token, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", body and json.dumps(body).encode(),
                                     {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        return json.load(answer)


def project_of(server, session):
    """The id of the session's project, once its machine's agent is connected."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        agents = [machine.get("agent") or {} for machine in ask(server, "/v1/machines", server.token)["machines"]]
        if any(agent.get("state") == "online" for agent in agents):
            return ask(server, f"/v1/sessions/{session}", server.token)["project_id"]
        time.sleep(0.1)
    raise SystemExit("the agent did not connect")
