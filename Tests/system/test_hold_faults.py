"""What can die while a prompt is held: the client, the hook, the server, PostgreSQL. The hook is the real script."""

import json
import os
import signal
import subprocess
import threading
import time
import unittest
import uuid

import harness
import test_devices as devices
from approving import BASH, Hook
from harness import Client, Postgres, Server, envelope, hook, kill, make_directory, session, wait_for

SCRIPT = harness.ROOT / "hooks/session-monitor.sh"


def setUpModule():
    global cluster, server, key, phone
    cluster = Postgres().start()
    server = devices.server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()
    server.settings["MONITOR_LISTEN"] = server.address
    key, phone = server.key("desk"), devices.pair("phone")


def tearDownModule():
    server.end()
    cluster.end()


def request(method, path, body=None, token=None):
    client = Client(server.address, token or phone["access_token"])
    try:
        return client.request(method, path, body)
    finally:
        client.close()


def prompts(chosen, **wanted):
    answer = request("GET", f"/v1/prompts?session_id={chosen}")
    found = answer.json["prompts"] if answer.status == 200 else []
    return [one for one in found if all(one.get(name) == value for name, value in wanted.items())]


def answerable(chosen):
    return wait_for(lambda: prompts(chosen, answerable=True), "the prompt can be answered")[0]


def steps_of(chosen, name):
    """The events in the log that report this step of the session's prompts."""
    return [event for event in server.events(f"limit=200&session_id={chosen}") if event["payload"].get("step") == name]


def allow(prompt, **fields):
    return request("POST", f"/v1/prompts/{prompt['id']}/answer", {"decision": "allow", **fields})


def silently(do):
    try:
        do()
    except OSError:
        pass


class Terminal:
    """A machine with the hook script, and a process that replaces Claude Code."""

    def __init__(self, chosen, **fields):
        self.home = make_directory("system-test-home.")
        self.client = subprocess.Popen(["sleep", "600"])
        harness._ends.append(self.client.kill)
        self.registry("waiting")
        self.hook = subprocess.Popen(
            ["bash", "-p", SCRIPT, "PermissionRequest"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "CLAUDE_MONITOR_URL": server.url,
                 "CLAUDE_MONITOR_KEY": key, "CLAUDE_PID": str(self.client.pid)})
        harness._ends.append(lambda: self.hook.poll() is None and os.killpg(self.hook.pid, signal.SIGKILL))
        self.hook.stdin.write(json.dumps(hook("PermissionRequest", chosen, **(fields or BASH))).encode())
        self.hook.stdin.close()
        self.hook.stdin = None

    def registry(self, status):
        place = self.home / ".claude/sessions"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{self.client.pid}.json").write_text(json.dumps({"pid": self.client.pid, "status": status}))

    def printed(self, seconds=60):
        out, err = self.hook.communicate(timeout=seconds)
        assert err == b"" and self.hook.returncode == 0, (self.hook.returncode, err)
        return json.loads(out)["hookSpecificOutput"]["decision"] if out else None


class Deaths(unittest.TestCase):
    def begun(self):
        chosen = session()
        terminal = Terminal(chosen)
        return chosen, terminal, answerable(chosen)

    def test_the_client_is_killed(self):
        chosen, terminal, shown = self.begun()
        terminal.client.kill()
        terminal.client.wait()
        self.assertIsNone(terminal.printed())
        wait_for(lambda: prompts(chosen, state="gone"), "the prompt is gone")
        self.assertEqual(allow(shown).json["error"]["code"], "prompt_gone")

    def test_the_hook_is_killed(self):
        """A lost connection of the hook closes no prompt. The answer at the terminal does, and the next event shows it."""
        chosen, terminal, shown = self.begun()
        os.killpg(terminal.hook.pid, signal.SIGKILL)
        terminal.hook.wait()
        self.assertEqual([one["state"] for one in prompts(chosen)], ["open"])
        self.assertEqual(request("POST", "/api/events", envelope(hook("PostToolUse", chosen, tool_use_id="t", **BASH)),
                                 key).status, 202)
        wait_for(lambda: prompts(chosen, state="answered"), "the prompt is closed")
        self.assertEqual(allow(shown).json["error"]["code"], "already_answered")

    def test_a_wait_that_ends_while_the_database_is_away_is_told_once_when_it_is_back(self):
        chosen = session()
        waiting = Hook(server, key, chosen, seconds=3).start()
        answerable(chosen)
        cluster.kill()
        # The hook prints nothing, so the terminal's dialog stays.
        self.assertEqual(waiting.wait(), {})
        time.sleep(1.5)
        self.expect_one_end(chosen)

    def test_a_wait_that_the_hook_ends_while_the_database_is_away_is_told_when_it_is_back(self):
        chosen = session()
        waiting = Hook(server, key, chosen, seconds=8).start()
        answerable(chosen)
        cluster.kill()
        self.assertEqual(waiting.end("released").status, 204)
        self.assertEqual(waiting.wait(), {})
        self.expect_one_end(chosen)

    def expect_one_end(self, chosen):
        """The database comes back, and the end of the hold is reported once."""
        cluster.start()
        wait_for(lambda: prompts(chosen), "the database is back")
        wait_for(lambda: steps_of(chosen, "released"), "the end of the wait is told")
        time.sleep(6)
        self.assertEqual(len(steps_of(chosen, "released")), 1)

    def test_an_answer_that_a_killed_server_did_not_log_counts_only_if_it_is_repeated(self):
        chosen, other = session(), session()
        waiting, model = Hook(server, key, chosen).start(), Hook(server, key, other).start()
        answerable(chosen)
        self.assertEqual(allow(answerable(other), answer_id=(answer := str(uuid.uuid4()))).status, 200)
        model.wait()
        server.kill()
        # A server that dies between storing what the device sent and writing the answer's event leaves this state.
        cluster.sql("INSERT INTO prompt_answers "
                    "(prompt_id, answer_id, answered_by, session_id, machine_id, answer, body, answered_at) "
                    f"SELECT '{waiting.prompt}', answer_id, answered_by, '{chosen}', machine_id, answer, body, now() "
                    f"FROM prompt_answers WHERE prompt_id = '{model.prompt}'")
        server.start()
        shown = answerable(chosen)
        self.assertEqual((prompts(chosen, state="open", answerable=True)[0]["id"], waiting.output), (shown["id"], None))
        # What was stored first under this id counts, not what the repeated request says.
        given = request("POST", f"/v1/prompts/{shown['id']}/answer", {"answer_id": answer, "decision": "deny"})
        self.assertEqual((given.status, given.json["prompt"]["answer"]["decision"]), (200, "allow"))
        self.assertEqual(waiting.wait()["hookSpecificOutput"]["decision"]["behavior"], "allow")
        done = envelope(hook("PostToolUse", chosen, tool_use_id="t", **BASH))
        self.assertEqual(request("POST", "/api/events", done, key).status, 202)
        found = wait_for(lambda: prompts(chosen, state="answered"), "the prompt is closed")[0]
        self.assertEqual((found["answer"]["by"].get("name"), found["late_answers"]), ("phone", []))

    def test_an_answer_in_the_log_that_nobody_was_told_of_counts(self):
        """The server dies after the commit. The hook gets the answer, and so does the device that asks again."""
        chosen, answer = session(), str(uuid.uuid4())
        waiting = Hook(server, key, chosen)
        poll = threading.Thread(target=lambda: silently(waiting.poll), daemon=True)
        poll.start()
        shown = answerable(chosen)
        server.kill()
        poll.join()
        server.start()
        self.assertEqual(allow(shown, answer_id=answer).status, 200, "the hook is away")
        server.kill()
        server.start()
        self.assertEqual(waiting.start().wait()["hookSpecificOutput"]["decision"]["behavior"], "allow")
        again = allow(shown, answer_id=answer)
        self.assertEqual((again.status, again.json["prompt"]["answer"]["id"]), (200, answer))
        told = [event for event in steps_of(chosen, "answered") if event["type"] == "prompt_updated"]
        self.assertEqual(len(told), 1)

    def test_the_server_is_killed_before_and_after_the_answer(self):
        for answered_first in (False, True):
            with self.subTest(answered_first=answered_first):
                chosen, terminal, shown = self.begun()
                if answered_first:
                    # The hook is stopped, so the server stores the answer but dies before the hook gets it.
                    os.killpg(terminal.hook.pid, signal.SIGSTOP)
                    self.assertEqual(allow(shown).status, 200)
                server.kill()
                server.start()
                if answered_first:
                    os.killpg(terminal.hook.pid, signal.SIGCONT)
                else:
                    self.assertEqual(answerable(chosen)["id"], shown["id"])
                    self.assertEqual(allow(shown).status, 200)
                self.assertEqual(terminal.printed(), {"behavior": "allow"})
                ended, = prompts(chosen)
                self.assertEqual((ended["state"], ended["answer"]["by"]["name"], ended["late_answers"]),
                                 ("answered", "phone", []))

    def test_postgresql_is_killed(self):
        chosen, terminal, shown = self.begun()
        kill(int((cluster.data / "postmaster.pid").read_text().split()[0]))
        # The sessions of PostgreSQL live a little longer than the postmaster, and until their end an answer can still be
        # stored.
        wait_for(lambda: request("GET", f"/v1/prompts/{shown['id']}").status == 503, "it is away")
        refused = allow(shown)
        self.assertEqual(refused.status, 503)
        self.assertIn("retry-after", refused.headers)
        self.assertIsNone(terminal.hook.poll(), "the hook waits on")
        cluster.start()
        given = wait_for(lambda: (lambda given: given.status == 200 and given)(allow(shown)), "it is back", pause=0.2)
        self.assertEqual(given.json["prompt"]["answer"]["decision"], "allow")
        self.assertEqual(terminal.printed(), {"behavior": "allow"})
        self.assertEqual(len(prompts(chosen)), 1)

    def test_a_request_while_postgresql_is_away(self):
        """The event is spooled, the hook waits, and the prompt can be answered when the database is back."""
        kill(int((cluster.data / "postmaster.pid").read_text().split()[0]))
        wait_for(lambda: request("GET", "/health").status == 503, "the server knows", pause=0.2)
        chosen = session()
        terminal = Terminal(chosen)
        time.sleep(1)
        cluster.start()
        self.assertEqual(allow(answerable(chosen)).status, 200)
        self.assertEqual(terminal.printed(), {"behavior": "allow"})


class SameMoment(unittest.TestCase):
    def test_a_device_and_the_terminal_answer_at_once(self):
        """The first answer counts and is the only one that anybody gets; the other one is kept."""
        for number in range(12):
            held = Hook(server, key, session()).start()
            shown = answerable(held.chosen)
            start, given = threading.Barrier(2), []

            def answer():
                start.wait()
                given.append(allow(shown))
            thread = threading.Thread(target=answer)
            thread.start()
            start.wait()
            time.sleep(number % 4 * 0.01)
            self.assertEqual(held.end().status, 204)
            thread.join()
            ended = wait_for(lambda: prompts(held.chosen, state="answered"), "it is closed")[0]
            by = ended["answer"]["by"]["kind"]
            late = [one["decision"] for one in ended["late_answers"]]
            if given[0].status == 409 or by == "terminal":
                ended = wait_for(lambda: [one for one in prompts(held.chosen) if one["late_answers"]], "it is kept")[0]
                self.assertEqual((ended["answer"]["decision"], ended["answer"]["by"]["kind"]), ("deny", "terminal"))
            else:
                self.assertEqual((given[0].status, by, ended["answer"]["decision"], late), (200, "device", "allow", []))

    def test_two_devices_at_once(self):
        tablet = devices.pair("tablet")["access_token"]
        for _ in range(5):
            held = Hook(server, key, session()).start()
            shown = answerable(held.chosen)
            start, given = threading.Barrier(2), {}

            def answer(token, decision):
                start.wait()
                given[decision] = request("POST", f"/v1/prompts/{shown['id']}/answer", {"decision": decision}, token)
            threads = [threading.Thread(target=answer, args=pair) for pair in ((tablet, "deny"), (None, "allow"))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(one.status for one in given.values()), [200, 409])
            first = next(word for word, one in given.items() if one.status == 200)
            self.assertEqual(held.wait()["hookSpecificOutput"]["decision"]["behavior"], first)


if __name__ == "__main__":
    unittest.main()
