"""Erasing: nothing of a session is left anywhere, and everything else is unchanged."""

import hashlib
import json
import subprocess
import unittest
import uuid

import harness
import test_devices as devices
from approving import Hook
from harness import CONTROL, Client, Postgres, Server, envelope, hook, iso, session, wait_for
from transcripts import Sender, Transcript, text, tool_result, tool_use

WORD = "zanzibarite"


def setUpModule():
    global cluster, server, key, other
    cluster = Postgres().start()
    server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    key, other = server.key("erasing"), server.key("keeping")


def tearDownModule():
    server.end()
    cluster.end()


def dump():
    return subprocess.run([harness.postgres_bin() / "pg_dump", "--data-only", cluster.url], check=True, capture_output=True, text=True, timeout=60).stdout


def post(credential, items):
    client = Client(server.address, credential)
    answer = client.request("POST", "/api/events", items)
    client.close()
    assert answer.status == 202, answer
    return answer.json


def erase(**what):
    return Client(server.address, server.admin).request("POST", "/v1/erase", what)


def fill(credential, chosen, word, project="/srv/common"):
    """Posts a session that leaves traces in every part of the server. Returns what was posted."""
    call = {"tool_name": "Bash", "tool_input": {"command": f"rm {word}"}}
    items = [envelope({**hook(name, chosen, **fields), "cwd": project}, at=iso(number - 60), project_dir=project)
             for number, (name, fields) in enumerate([
                 ("SessionStart", {"source": "startup", "session_title": word}),
                 ("UserPromptSubmit", {"prompt": f"about {word}"}),
                 ("PreToolUse", {**call, "tool_use_id": "toolu_1"}),
                 ("PermissionRequest", call),
                 ("PostToolUse", {**call, "tool_use_id": "toolu_1", "tool_response": {"stdout": word}}),
                 ("PermissionRequest", {**call, "tool_name": "Write"}),
                 ("Notification", {"notification_type": "idle_prompt", "message": word})])]
    post(credential, items)
    made = Transcript(chosen)
    made.user(f"tell me of {word}")
    made.assistant([text(f"{word} is a mineral"), tool_use("Bash", "1", command=f"echo {word}")])
    made.user(tool_result("1", word))
    for line in made.lines:
        line["cwd"] = project
    sender = Sender(server, credential, chosen, path=f"/home/dev/.claude/projects/-{word}/{chosen}.jsonl")
    sender.send(made.bytes)
    machine = Client(server.address, credential)
    assert machine.request("POST", "/api/heartbeat", {"sessions": [{"session_id": chosen}]}).status == 202
    machine.close()
    # A poster whose poll ends after a second.
    subprocess.run(["curl", "-s", "--max-time", "1", "-H", f"x-api-key: {credential}",
                    f"{server.url}/api/messages?pid=1&session_id={chosen}"], timeout=30)
    admin = Client(server.address, server.admin)
    assert admin.request("PUT", f"/v1/push/preferences/session/{chosen}", {}).status in (200, 204, 404)
    admin.request("POST", f"/v1/sessions/{chosen}/input", {"text": word})
    admin.close()
    return items, made, sender


def search(word):
    return server.get(f"/v1/search?q={word}").json["results"]


class Sessions(unittest.TestCase):
    def test_nothing_of_an_erased_session_is_left_and_nothing_of_another_is_gone(self):
        gone, kept = session(), session()
        items, made, sender = fill(key, gone, WORD, project=f"/srv/{WORD}")
        fill(key, kept, "keepword")
        self.assertTrue(search(WORD) and search("keepword"))
        self.assertIn(WORD, dump())
        before = [server.get(f"/v1/sessions/{kept}/{part}").json for part in ("messages", "events", "requests")]
        answer = erase(session_id=gone)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual((answer.json["sessions"], answer.json["events"] >= len(items), answer.json["transcript_lines"]),
                         (1, True, len(made.lines)))
        self.assertNotIn(WORD, dump())
        self.check_gone(gone)
        after = [server.get(f"/v1/sessions/{kept}/{part}").json for part in ("messages", "events", "requests")]
        for one, two in zip(before, after):
            one.pop("meta", None), two.pop("meta", None)
        self.assertEqual(before, after)
        # What the machine sends again is not stored again.
        post(key, items)
        Sender(server, key, gone, path=sender.path).send(made.bytes)
        self.assertNotIn(WORD, dump())
        made.user("after the erasure")
        sender.send(made.bytes)
        self.assertEqual(cluster.sql(f"SELECT count(*) FROM transcript_lines WHERE session_id = '{gone}'"), ["1"])
        self.assertNotIn(WORD, dump().replace(sender.path, ""))

    def check_gone(self, gone):
        self.assertEqual(server.get(f"/v1/sessions/{gone}").status, 404)
        self.assertEqual(search(WORD), [])
        left = [line for line in dump().splitlines() if gone in line]
        self.assertEqual([line for line in left if "data.erase" not in line], [])
        stream = subprocess.run(
            ["curl", "-sN", "--max-time", "2", "-H", f"Authorization: Bearer {server.admin}",
             "-H", "Accept: text/event-stream", server.url + "/v1/events?after=0"], capture_output=True, timeout=30)
        self.assertNotIn(WORD.encode(), stream.stdout)
        self.assertEqual(erase(session_id=gone).status, 404)

    def test_a_rebuild_brings_nothing_back_and_counts_agree(self):
        gone, kept = session(), session()
        fill(key, gone, "rebuildword")
        fill(other, kept, "stayword")
        self.assertEqual(erase(session_id=gone).status, 200)
        counts = "SELECT * FROM event_counts ORDER BY day, quarter, machine_id, workspace_id, tool_name"
        # The server writes the counts within about a second.
        wait_for(lambda: cluster.sql("SELECT count(*) FROM projections, log_head h WHERE name <> 'push' AND seq < last_seq") == ["0"],
                 "the projections to catch up")
        before = cluster.sql(counts)
        server.stop()
        subprocess.run([harness.SERVER, "rebuild"], check=True, timeout=60, capture_output=True,
                       env=harness.environment(DATABASE_URL=cluster.url, MONITOR_DATA_DIR=server.directory))
        server.start()
        self.assertEqual(cluster.sql(counts), before)
        self.assertNotIn("rebuildword", dump())
        self.assertIn("stayword", dump())

    def test_the_audit_chain_can_be_verified_after_an_erasure(self):
        chosen = session()
        fill(key, chosen, "chainword")
        self.assertIn("chainword", "".join(cluster.sql("SELECT coalesce(entry, '') FROM answer_audit")))
        self.assertEqual(erase(session_id=chosen).status, 200)
        link, rows = bytes(32), cluster.sql(
            "SELECT encode(digest, 'hex') || ' ' || encode(link, 'hex') || ' ' || coalesce(entry, '') FROM answer_audit ORDER BY id")
        self.assertTrue(rows)
        for row in rows:
            digest, linked, entry = row.split(" ", 2)
            link = hashlib.sha256(link + bytes.fromhex(digest)).digest()
            self.assertEqual(link.hex(), linked)
            self.assertNotIn("chainword", entry)

    def test_a_live_session_goes_on_after_its_erasure(self):
        chosen = session()
        fill(key, chosen, "liveword")
        self.assertEqual(erase(session_id=chosen).status, 200)
        post(key, [envelope(hook("UserPromptSubmit", chosen, prompt="anew"))])
        found = server.get(f"/v1/sessions/{chosen}").json
        self.assertEqual(found["message_count"], 1)


class Scopes(unittest.TestCase):
    def test_a_hook_that_waits_is_let_go_and_its_input_forgotten(self):
        gone, kept = session(), session()
        devices.pair("phone", at=server)
        waiting, other_hook = Hook(server, key, gone).start(), Hook(server, key, kept).start()
        for one in (waiting, other_hook):
            wait_for(lambda one=one: server.get(f"/v1/prompts/{one.prompt}").json.get("answerable"), "the hook is held")
        self.assertEqual(erase(session_id=gone).status, 200)
        self.assertEqual(waiting.wait(), {})
        self.assertEqual(server.get(f"/v1/prompts/{waiting.prompt}").status, 404)
        self.assertTrue(server.get(f"/v1/prompts/{other_hook.prompt}").json["answerable"])
        self.assertFalse(other_hook.is_over.is_set())
        other_hook.end()

    def test_a_hook_whose_prompt_is_not_known_yet_is_let_go(self):
        """The hook's event was spooled; the hold finds its prompt some seconds after the database is back."""
        gone, kept = session(), session()
        devices.pair("other phone", at=server)
        cluster.stop("immediate")
        wait_for(lambda: server.health()[0] == 503, "the server notices")
        waiting, other_hook = Hook(server, key, gone).start(), Hook(server, key, kept).start()
        wait_for(lambda: server.health()[1]["spool"].get("events", 0) >= 2, "both events are spooled")
        cluster.start()
        server.wait_healthy()
        wait_for(lambda: erase(session_id=gone).status == 200, "the spool is empty, and the session erased")
        self.assertEqual(waiting.wait(), {})
        wait_for(lambda: server.get(f"/v1/prompts/{other_hook.prompt}").json.get("answerable"), "the other hook is held")
        self.assertFalse(other_hook.is_over.is_set())
        other_hook.end()

    def test_a_machine_and_a_project(self):
        chosen, second, third = session(), session(), session()
        credential = server.key("old laptop")
        fill(credential, chosen, "machineword", project="/srv/machineword")
        fill(key, second, "projectword", project="/srv/projectword")
        fill(key, third, "thirdword")
        project = server.get(f"/v1/sessions/{second}").json["workspace_id"]
        self.assertEqual(erase(machine_id="old laptop").status, 200)
        self.assertEqual(erase(project_id=project).status, 200)
        found = dump()
        self.assertNotIn("machineword", found)
        self.assertNotIn("projectword", found)
        self.assertIn("thirdword", found)
        self.assertEqual(server.get(f"/v1/sessions/{third}").status, 200)

    def test_a_project_by_its_own_route(self):
        chosen, other = session(), session()
        fill(key, other, "keptword", project="/srv/keptword")
        fill(key, chosen, "ownrouteword", project="/srv/ownrouteword")
        place = "/v1/projects/" + server.get(f"/v1/sessions/{chosen}").json["workspace_id"] + "?erase=true"
        client = server.client()
        answer = client.request("DELETE", place)
        self.assertEqual((answer.status, answer.json.get("error", {}).get("code")), (409, "session_running"), answer)
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").status, 200)
        home = "/srv/ownrouteword"
        post(key, [envelope({**hook("SessionEnd", chosen, reason="other"), "cwd": home}, project_dir=home)])
        self.assertEqual(Client(server.address, key).request("DELETE", place).status, 403)
        self.assertEqual(client.request("DELETE", place.replace("true", "maybe")).status, 400)
        answer = client.request("DELETE", place)
        self.assertEqual((answer.status, answer.json["status"], answer.json["sessions"]), (200, "erased", 1), answer)
        found = dump()
        self.assertNotIn("ownrouteword", found)
        self.assertIn("keptword", found)
        self.assertEqual(client.request("DELETE", place).status, 404)
        recorded = server.get("/v1/audit?action=data.erase&limit=1").json["data"][0]
        self.assertIn(place.split("/")[-1].split("?")[0], json.dumps(recorded))

    def test_wrong_requests(self):
        for body, status in (({}, 400), ({"session_id": "x", "machine_id": "y"}, 400), ({"session_id": 5}, 400),
                             ({"session_id": "nobody"}, 404), ({"machine_id": "nobody"}, 404), ({"project_id": "ws-0"}, 404)):
            self.assertEqual(erase(**body).status, status, body)
        for credential in (key, None):
            answer = Client(server.address, credential).request("POST", "/v1/erase", {"session_id": "x"})
            self.assertEqual(answer.status, 403 if credential else 401)

    def test_the_command(self):
        chosen = session()
        fill(key, chosen, "commandword")
        run = lambda *words: subprocess.run(  # noqa: E731
            [CONTROL, "erase", *words], capture_output=True, text=True, timeout=60,
            env=harness.environment(MONITOR_URL=server.url, MONITOR_ADMIN_TOKEN=server.admin, PATH="/usr/bin:/bin"))
        self.assertEqual(run("--session", chosen).returncode, 64)
        self.assertIn("commandword", dump())
        done = run("--session", chosen, "--yes", "--json")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout)["sessions"], 1)
        self.assertNotIn("commandword", dump())
        audit = server.get("/v1/audit?action=data.erase").json
        self.assertEqual(audit["data"][0]["object"], f"session:{chosen}")
