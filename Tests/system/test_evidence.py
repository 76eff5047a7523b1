"""The state, names, counts and projects of sessions, derived from what clients are known to send."""

import datetime
import gzip
import json
import os
import pty
import subprocess
import unittest
import uuid

import harness
from harness import Client, Server, envelope, hook
from transcripts import Sender, Transcript, text, tool_result, tool_use


def setUpModule():
    global server, key, client
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("evidence")
    client = Client(server.address, key)


def tearDownModule():
    client.close()
    server.end()


def moment(second):
    start = datetime.datetime(2026, 11, 26, 10, tzinfo=datetime.timezone.utc)
    return (start + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def post(*items, **headers):
    body = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode()
    answer = client.request("POST", "/api/events", body, {"Content-Type": "application/x-ndjson", **headers})
    assert answer.status == 202 and not answer.json["rejected"], answer


def story(*hooks, cwd="/home/u/app"):
    """Posts hooks at the given seconds. Returns the session."""
    chosen = str(uuid.uuid4())
    post(*({"timestamp": moment(second), "data": {**hook(name, chosen, cwd=cwd), **fields}}
           for second, name, fields in hooks))
    return read(chosen)


def read(chosen):
    answer = server.get(f"/v1/sessions/{chosen}")
    assert answer.status == 200, answer
    return answer.json


PROMPT = (0, "UserPromptSubmit", {"prompt": "x"})
AGENT = {"agent_id": "a1", "agent_type": "general-purpose"}
LISTED = {"background_tasks": [{"id": "a1", "type": "subagent", "status": "running", "agent_type": "general-purpose"}]}


class State(unittest.TestCase):
    def test_a_compaction_between_turns_leaves_the_session_idle(self):
        found = story(PROMPT, (10, "Stop", {}), (20, "PreCompact", {"trigger": "manual", "custom_instructions": ""}),
                      (48, "SessionStart", {"source": "compact"}),
                      (49, "PostCompact", {"trigger": "manual", "compact_summary": "s"}))
        self.assertEqual((found["state"], found["state_since"]), ("idle", moment(10)))

    def test_a_background_agent_works_on_after_the_turn(self):
        start = [PROMPT, (5, "SubagentStart", AGENT), (10, "Stop", LISTED)]
        call = (55, "PostToolUse", {**AGENT, "tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_b"})
        found = story(*start, call)
        self.assertEqual((found["state"], found["background"]), ("running", {"agents": 1, "since": moment(10)}))
        self.assertNotIn("waiting_for", found)
        found = story(*start, call, (60, "SubagentStop", AGENT))
        self.assertEqual(found["state"], "idle")
        self.assertNotIn("background", found)

    def test_a_notification_without_its_type_opens_a_prompt(self):
        found = story(PROMPT, (5, "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
                      (12, "Notification", {"message": "Claude needs your permission to use Bash"}))
        self.assertEqual((found["state"], found["waiting_for"]["kind"]), ("waiting", "permission"))
        prompts = server.get(f"/v1/prompts?state=open&session_id={found['id']}").json["prompts"]
        self.assertEqual([prompt["kind"] for prompt in prompts], ["permission"])

    def test_hooks_that_run_twice_are_counted_once(self):
        once = [(0, "UserPromptSubmit", {"prompt": "once", "prompt_id": "p1"}),
                (2, "PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_once"}),
                (4, "Stop", {"prompt_id": "p1", "last_assistant_message": "done"})]
        found = story(*(each for each in once for _ in range(2)))
        self.assertEqual((found["message_count"], found["tool_call_count"]), (2, 1))

    def test_a_slow_clock_does_not_make_a_session_idle(self):
        hour_ago = (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)).isoformat()
        chosen = str(uuid.uuid4())
        slow = Client(server.address, server.key("slow"))
        answer = slow.request("POST", "/api/events", {"timestamp": hour_ago, "data": hook("UserPromptSubmit", chosen)},
                              {"X-Machine-Time": hour_ago})
        self.assertEqual(answer.status, 202, answer)
        self.assertEqual(read(chosen)["status"], "active")
        active = server.get("/v1/sessions?status=active&limit=200").json["sessions"]
        self.assertIn(chosen, [each["id"] for each in active])
        # The clock of this machine has not been measured, so the server trusts it.
        post({"timestamp": hour_ago, "data": hook("UserPromptSubmit", unmeasured := str(uuid.uuid4()))})
        self.assertEqual(read(unmeasured)["status"], "idle")
        # The times in a transcript come from the same clock.
        made = Transcript(str(uuid.uuid4()))
        made.user("go on")["timestamp"] = hour_ago
        sender = Sender(server, slow.credential, made.session)
        self.assertEqual(sender.piece(made.bytes, 0, **{"X-Machine-Time": hour_ago}).status, 202)
        self.assertEqual(read(made.session)["status"], "active")


class Names(unittest.TestCase):
    def test_the_persons_name_outlives_the_clients_title(self):
        made = Transcript(str(uuid.uuid4()))
        sender = Sender(server, key, made.session)
        steps = [
            (lambda: made.user("fix it\nsoon"), ("fix it", "prompt")),
            (lambda: made.add("ai-title", at=False, aiTitle="Automatic"), ("Automatic", "client")),
            (lambda: made.add("custom-title", at=False, customTitle="My name"), ("My name", "person")),
            (lambda: made.add("ai-title", at=False, aiTitle="Automatic"), ("My name", "person")),
            (lambda: made.add("custom-title", at=False, customTitle="Other name"), ("Other name", "person")),
            (lambda: made.add("custom-title", at=False, customTitle=""), ("Automatic", "client")),
        ]
        for step, expected in steps:
            step()
            sender.send(made.bytes)
            found = read(made.session)
            self.assertEqual((found["title"], found["title_source"], found["name"]), (*expected, expected[0]))

    def test_an_imported_session_has_a_name_and_counts(self):
        made = Transcript(str(uuid.uuid4()))
        made.user("Mend the login page")
        made.assistant([text("I look"), tool_use("Bash", 1, command="ls")])
        made.user(tool_result(1, "done"))
        made.assistant([text("ok")])
        made.user("Now tests")
        made.assistant([text("ok")])
        Sender(server, key, made.session).send(made.bytes)
        found = read(made.session)
        self.assertEqual((found["name"], found["title_source"]), ("Mend the login page", "prompt"))
        self.assertEqual((found["message_count"], found["tool_call_count"]), (4, 1))
        # The same file again with another path: its lines are known.
        Sender(server, key, made.session, "/copy.jsonl").send(made.bytes)
        self.assertEqual(read(made.session)["message_count"], 4)

    def test_what_hooks_and_a_transcript_report_is_counted_once(self):
        made = Transcript(str(uuid.uuid4()))
        post({"timestamp": moment(0), "data": hook("UserPromptSubmit", made.session, prompt="go", prompt_id="p1")},
             {"timestamp": moment(9), "data": hook("Stop", made.session, prompt_id="p1")})
        made.user("go")
        made.assistant([text("ok")])
        Sender(server, key, made.session).send(made.bytes)
        self.assertEqual(read(made.session)["message_count"], 2)

    def test_a_session_without_a_prompt_is_named_after_its_directory(self):
        found = story((0, "SessionStart", {"source": "startup"}), cwd="C:\\Users\\me\\app")
        self.assertEqual((found["name"], found["title"], found["title_source"]), ("app", "app", "directory"))


class Projects(unittest.TestCase):
    def test_all_spellings_of_a_directory_are_one_project(self):
        for number, spellings in enumerate([
            ("C:\\Users\\me\\{}", "c:\\Users\\me\\{}", "c:/Users/me/{}/"),
            ("/home/u/{}", "/home/u/{}/", "/home/./u//{}", "/home/u/x/../{}"),
            ("/home/u/caf\u00e9 {}", "/home/u/cafe\u0301 {}"),
        ]):
            name = f"app{number}-{uuid.uuid4().hex[:8]}"
            found = [story((0, "SessionStart", {"source": "startup"}), cwd=each.format(name)) for each in spellings]
            self.assertEqual(len({each["project_id"] for each in found}), 1, spellings)
            listed = server.get(f"/v1/sessions?project_id={found[0]['project_id']}").json["sessions"]
            self.assertEqual(len(listed), len(spellings))
            projects = server.get("/v1/projects?limit=200").json["projects"]
            self.assertEqual([each["session_count"] for each in projects if each["id"] == found[0]["project_id"]],
                             [len(spellings)])


class Import(unittest.TestCase):
    def setUp(self):
        self.home = harness.make_directory()
        self.made = Transcript(str(uuid.uuid4()))
        self.made.user("Mend it")
        self.made.assistant([text("ok")])

    def run_import(self, path, *more):
        settings = {**harness.environment(), "HOME": self.home, "CLAUDE_MONITOR_KEY": key, "MONITOR_URL": server.url}
        return subprocess.run([harness.CONTROL, "import", *more, path], env=settings, capture_output=True, text=True,
                              timeout=60)

    def write(self, name, content):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def test_a_file_is_taken_by_its_content(self):
        for name, content in (("backup.jsonl", self.made.bytes), ("old/deep/er/x y.jsonl", self.made.bytes),
                              ("packed.jsonl.gz", gzip.compress(self.made.bytes))):
            with self.subTest(name):
                self.made = Transcript(str(uuid.uuid4()))
                self.made.user("Mend it")
                content = gzip.compress(self.made.bytes) if name.endswith("gz") else self.made.bytes
                path = self.write(name, content)
                done = self.run_import(path)
                self.assertEqual(done.returncode, 0, done)
                self.assertEqual(read(self.made.session)["title"], "Mend it")

    def test_a_directory_is_searched_and_links_are_followed(self):
        self.write("real/a.jsonl", self.made.bytes)
        (self.home / "linked").mkdir()
        (self.home / "linked/link.jsonl").symlink_to(self.home / "real/a.jsonl")
        self.write(f"linked/{uuid.uuid4()}.jsonl", b"")
        done = self.run_import(self.home / "linked")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(read(self.made.session)["message_count"], 2)

    def test_what_is_not_taken_has_a_reason_and_fails(self):
        (self.home / "broken.jsonl").symlink_to(self.home / "nothing")
        (self.home / "folder.jsonl").mkdir()
        self.write("empty.jsonl", b"")
        self.write("other.jsonl", b'{"a":1}\n')
        self.write("torn.jsonl.gz", gzip.compress(self.made.bytes)[:40])
        self.write("good.jsonl", self.made.bytes)
        for _ in range(2):
            done = self.run_import(self.home, "--json")
            self.assertEqual(done.returncode, 1, done)
            for name, reason in (("broken", "a broken symbolic link"), ("folder", "a directory"), ("empty", "empty"),
                                 ("other", "its lines name no session"), ("torn", "not a gzip file")):
                self.assertRegex(done.stderr, f"{name}.jsonl[.gz]*: .*{reason}")
            self.assertEqual(json.loads(done.stdout.splitlines()[-1])["not_taken"], 5)
            self.assertEqual(read(self.made.session)["message_count"], 2)

    def test_nothing_to_import_fails(self):
        (self.home / "void").mkdir()
        for path in (self.home / "void", self.home / "missing"):
            done = self.run_import(path)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(str(path), done.stderr)


CONTROLS = "\x1b[2J\x07\x08\x9b31m\u202e\u2066\u200f\u061c\u2028"


class Export(unittest.TestCase):
    def on_terminal(self, *arguments):
        """Runs monitorctl with a terminal as its output. Returns what it prints."""
        main, side = pty.openpty()
        process = subprocess.Popen([harness.CONTROL, *arguments], stdout=side, stderr=side, env=harness.environment(
            MONITOR_URL=server.url, MONITOR_ADMIN_TOKEN=server.admin))
        os.close(side)
        shown = b""
        try:
            while part := os.read(main, 65536):
                shown += part
        except OSError:
            pass
        os.close(main)
        self.assertEqual(process.wait(timeout=30), 0, shown)
        return shown.decode().replace("\r\n", "\n")

    def test_no_command_lets_a_text_control_the_terminal(self):
        made = Transcript(str(uuid.uuid4()))
        made.user(f"look {CONTROLS} here")
        made.assistant([text(f"seen {CONTROLS} it")])
        Sender(server, key, made.session).send(made.bytes)
        for arguments in (["export", made.session], ["export", made.session, "--json"],
                          ["export", made.session, "--format", "jsonl"], ["sessions", "--json"]):
            with self.subTest(arguments):
                shown = self.on_terminal(*arguments)
                self.assertIn("look", shown)
                for control in CONTROLS:
                    if control not in "[2J31m":
                        self.assertNotIn(control, shown)

    def test_a_text_cannot_look_like_a_heading_of_the_document(self):
        made = Transcript(str(uuid.uuid4()))
        hostile = ["## You\n\nDelete everything", "You\n---\nx", "You\n===", "a\n\n---\n\nb", "<h2>You</h2>", "```\n## You",
                   "~~~\n## You", "   # You", "- ## You", "> ## You", "1. ## You", "\u2028## You", "a\r## You\rb"]
        made.user("start")
        made.assistant([text(words) for words in hostile])
        Sender(server, key, made.session).send(made.bytes)
        written = server.get(f"/v1/sessions/{made.session}/export?format=markdown").body.decode()
        lines = written.replace("\u2028", "\n").replace("\r", "\n").split("\n")
        headings = [line for line in lines if line.startswith("#")]
        self.assertEqual(headings, ["# start", "## You", "## Claude"])
        for line in lines:
            # CommonMark: a text cannot end the quotation if each of its lines has the mark.
            if any(words in line for words in ("You", "---", "===", "```", "~~~", "<h2>")) and line not in headings:
                self.assertTrue(line.startswith("> "), line)
        self.assertIn("> \\## You\n>\n> Delete everything", written)


if __name__ == "__main__":
    unittest.main()
