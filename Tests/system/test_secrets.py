"""The server never reveals a secret that a machine posts: not in the database, its log, streams, answers or pushes."""

import asyncio
import json
import os
import random
import string
import subprocess
import time
import unittest

import harness
import pushing
import telemetry as otlp
import test_websocket
from harness import Client, Postgres, Server, envelope, hook, iso, session, wait_for
from transcripts import Sender, Transcript, text, tool_result, tool_use

POLICIES = ["full", "summary", "none"]


class Planted:
    """Makes unique secrets, and finds them again."""

    FORMS = ["ghp_%36", "cmadm_%43", "cmk_%36", "cmr_%43", "cmp_%22", "cmn_%43", "glrt-%20", "GOCSPX-%28", "ya29.%60",
             "dop_v1_@64", "hvs.%90", "shpat_@32", "sk-ant-api03-%93", "xoxb-123456789012-%24", "NRAK-%27", "r8_%37"]

    def __init__(self):
        self.random, self.all = random.Random(7), {}

    def letters(self, count, alphabet=string.ascii_letters + string.digits):
        return "a7B" + "".join(self.random.choice(alphabet) for _ in range(count - 3))

    def key(self, where):
        """A key in a known form. Each call takes the next form."""
        prefix, _, count = self.FORMS[len(self.all) % len(self.FORMS)].replace("@", "%").partition("%")
        form = self.FORMS[len(self.all) % len(self.FORMS)]
        body = "a7f" + self.letters(int(count), "0123456789abcdef")[3:] if "@" in form else self.letters(int(count))
        self.all[where] = body
        return prefix + body

    def value(self, where):
        """A secret that can be recognized only by the name of its field."""
        self.all[where] = self.letters(20)
        return self.all[where]

    def found(self, text):
        return [where for where, body in self.all.items() if body[:12] in text or body[-12:] in text]


def private_key(body):
    return "-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n"


def envelopes(planted, name):
    """A secret in every member of an envelope and of a hook that accepts text."""
    p = planted
    data = {"hook_event_name": name, "session_id": "s-" + p.key(name + " session_id"),
            "cwd": "/srv/" + p.key(name + " cwd"), "transcript_path": "/t/" + p.key(name + " transcript"),
            "tool_name": "mcp__" + p.key(name + " tool"), "tool_use_id": p.key(name + " tool_use_id"),
            "prompt_id": p.key(name + " prompt_id"), "permission_mode": p.key(name + " mode"),
            "agent_id": p.key(name + " agent"), "agent_type": p.key(name + " agent type"),
            "model": p.key(name + " model"), "source": p.key(name + " source"), "reason": p.key(name + " reason"),
            "message": "see " + p.key(name + " message"), "prompt": "use\n" + p.key(name + " prompt"),
            "session_title": "on " + p.key(name + " title"), "branch": "feature/" + p.key(name + " branch"),
            "error": p.key(name + " error"), "last_assistant_message": "\x1b[31m" + p.key(name + " last") + "\x1b[0m",
            "notification_type": p.key(name + " kind"),
            "tool_input": {"command": "export TLS_PRIVATE_KEY=" + private_key(p.value(name + " pem")),
                           "args": ["--token", p.value(name + " argument")],
                           "env": [{"name": "SERVICE_KEY", "value": p.value(name + " pair")}],
                           "password": p.value(name + " member"), p.key(name + " name"): 1,
                           "nested": json.dumps({"text": "line\n" + p.key(name + " nested"),
                                                 "private_key": private_key(p.value(name + " nested pem"))})},
            "unknown": [[{"deep": "x%3D" + p.key(name + " encoded")}]]}
    return envelope(data, iso(-1), event_type=p.key(name + " type"), machine_id=p.key(name + " machine"),
                    project_dir="/p/" + p.key(name + " project"), hostname="h-" + p.key(name + " extra"))


def telemetry(planted):
    """The JSON that OpenTelemetry exports for logs, as the data of an event."""
    attributes = [{"key": "prompt", "value": {"stringValue": "use " + planted.key("otlp prompt")}},
                  {"key": "api_token", "value": {"stringValue": planted.value("otlp token")}},
                  {"key": "db.password", "value": {"stringValue": planted.value("otlp password")}}]
    record = {"body": {"stringValue": "curl -u me:" + planted.value("otlp body") + " x"}, "attributes": attributes}
    return envelope({"session_id": session(), "hook_event_name": "Otlp", "resourceLogs": [
        {"resource": {"attributes": attributes[:1]}, "scopeLogs": [{"logRecords": [record]}]}]}, event_type="otlp")


class Secrets(unittest.TestCase):
    policy = "full"

    def check(self, planted, where, text):
        self.assertTrue(text, where)
        self.assertEqual(planted.found(text), [], f"{where}, {self.policy}")

    def rows(self, cluster):
        """All columns of all tables, as text."""
        tables = cluster.sql("select format('%I.%I', schemaname, tablename) from pg_tables "
                             "where schemaname not in ('pg_catalog', 'information_schema')")
        return "\n".join(row for table in tables for row in cluster.sql(f"select t::text from {table} t"))

    def run_hook(self, server, key, planted):
        """Posts with the hook script that runs on machines."""
        data = hook("UserPromptSubmit", session(), prompt="cat admin.token\n" + planted.key("script prompt"),
                    cwd="/srv/" + planted.key("script cwd"))
        home = harness.make_directory()
        done = subprocess.run(
            ["bash", harness.ROOT / "hooks" / "session-monitor.sh"], input=json.dumps(data), text=True, timeout=60,
            capture_output=True, env={"PATH": os.environ["PATH"], "HOME": home, "CLAUDE_MONITOR_URL": server.url,
                                      "CLAUDE_MONITOR_KEY": key})
        self.assertEqual(done.returncode, 0, done)
        return data["session_id"]

    def follow(self, server):
        """Starts a process that reads the stream of server-sent events. Returns it and its output."""
        path = server.directory / "stream"
        with open(path, "wb") as output:
            process = subprocess.Popen(
                ["curl", "-sN", "--max-time", "90", "-H", f"Authorization: Bearer {server.admin}",
                 "-H", "Accept: text/event-stream", server.url + "/v1/events"], stdout=output)
        harness._ends.append(process.kill)
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.kill)
        return path

    def sockets(self, server, count):
        """What a WebSocket receives that subscribes to everything from the beginning, and reads the sessions."""
        async def read():
            async with test_websocket.connected(server) as client:
                told = [client.welcome, await client.call("session/list")]
                epoch = server.health()[1].get("epoch")
                told.append(await client.call("event/subscribe", {"since": {"epoch": epoch, "seq": 0}}))
                await client.until(count)
                return json.dumps([told, client.events], ensure_ascii=False)

        return asyncio.run(read())

    def test_no_secret_comes_out(self):
        for policy in POLICIES:
            with self.subTest(policy):
                self.policy = policy
                self.walk(policy)

    def walk(self, policy):
        planted = Planted()
        directory = harness.make_directory()
        apple_key = pushing.make_key(directory)
        mock = pushing.oracle(directory, apple_key)
        cluster = Postgres().start()
        server = Server(DATABASE_URL=cluster.url, MONITOR_STORE_CONTENT=policy, MONITOR_LOG_LEVEL="debug",
                        **pushing.settings(apple_key, mock)).start()
        try:
            self.walk_server(server, cluster, mock, planted)
        finally:
            server.end()
            cluster.end()

    def walk_server(self, server, cluster, mock, planted):
        key = server.key("build-box")
        device = pushing.pair(server)
        pushing.register(device)
        pushing.prefer(device, "?scope=device", grace_seconds=1, budget={"per_hour": 600, "burst": 60})
        stream = self.follow(server)
        names = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "Notification", "StopFailure",
                 "SubagentStop", "SomethingNew"]
        posted = [envelopes(planted, name) for name in names] + [telemetry(planted)]
        told = Client(server.address, key).request("POST", "/api/events", posted)
        self.assertEqual(told.json["accepted"], len(posted), told)
        self.check(planted, "the answer to a post", told.body.decode())
        hooked = self.run_hook(server, key, planted)
        asking = session()
        pushing.post(server, key, *pushing.asking(asking, "deploy --password " + planted.value("pushed command")))
        self.errors(server, key, planted)
        told = self.send_telemetry(server, key, planted), self.send_transcript(server, key, planted)
        wait_for(lambda: any(event["session_id"] == hooked for event in server.events()), "the script's event is there")
        total = len(server.events())
        wait_for(lambda: stream.read_text().count("\ndata:") >= total, "the stream came")
        self.check(planted, "the stream", stream.read_text())
        self.check(planted, "the socket", self.sockets(server, total))
        wait_for(lambda: pushing.to_token(mock, "phone"), "it was pushed")
        self.check(planted, "pushes", json.dumps(pushing.to_token(mock, "phone"), default=str))
        for path in ["/v1/events?limit=200", "/v1/sessions?limit=200", "/v1/machines", "/v1/workspaces",
                     "/v1/push/decisions", "/v1/stats", "/health", "/metrics", "/v1/audit"]:
            self.check(planted, path, server.get(path).body.decode())
        for path in ["/v1/search?q=findable&limit=200", "/v1/usage?by=model",
                     *(f"/v1/sessions/{one}/{part}" for one in told for part in
                       ("events?limit=200", "messages?limit=200", "requests", "export?format=jsonl", "export?format=markdown"))]:
            self.check(planted, path, server.get(path).body.decode())
        wait_for(lambda: cluster.sql("select count(*) from sessions")[0] != "0", "sessions are written")
        rows = self.rows(cluster)
        self.assertIn("***", rows)
        self.check(planted, "the database", rows)
        self.check(planted, "the log", server.text())

    def send_telemetry(self, server, key, planted):
        """Exports telemetry with a secret in each attribute that accepts text. Returns its session."""
        chosen, p = session(), planted
        records = [otlp.record("tool_result", chosen, 1, tool_name=p.key("otel tool"), error="findable " + p.key("otel error"),
                               tool_input=json.dumps({"password": p.value("otel member")}), tool_use_id=p.key("otel call")),
                   otlp.record("user_prompt", chosen, 2, prompt="findable export TOKEN=" + p.value("otel prompt"),
                               command_name=p.key("otel command")),
                   otlp.record("api_error", chosen, 3, error="401 for " + p.key("otel API error"), model=p.key("otel model")),
                   otlp.record("tool_decision", chosen, 4, source=p.key("otel source"), decision="reject", tool_use_id="toolu_1"),
                   otlp.record(p.key("otel name"), chosen, 5),
                   otlp.request(chosen, p.key("otel request"), 6, query_source=p.key("otel query"))]
        answer = Client(server.address, key).request("POST", "/v1/logs", otlp.logs(*records))
        self.assertEqual(answer.status, 200, answer)
        self.check(planted, "the answer to an export", answer.body.decode() + " ")
        return chosen

    def send_transcript(self, server, key, planted):
        """Sends a transcript with a secret in each member that accepts text. Returns its session."""
        p, made = planted, Transcript(session())
        made.user("findable " + p.key("line prompt"), cwd="/srv/" + p.key("line cwd"), gitBranch="fix/" + p.key("line branch"))
        made.assistant([{"type": "thinking", "thinking": "findable " + p.key("line thinking")},
                        text("findable, with the header Authorization: Bearer " + p.key("line answer")),
                        tool_use("Bash", p.key("line call"), command="findable --token " + p.value("line argument"),
                                 env={"DB_PASSWORD": p.value("line member")})])
        request, answer = p.key("line request"), p.key("line message")
        for line in made.lines[1:]:
            line["requestId"], line["message"]["id"] = request, answer
        made.user(tool_result("1", "findable\n" + private_key(p.value("line pem"))), toolUseResult={"stdout": p.key("line output")})
        made.add("custom-title", customTitle="findable " + p.key("line title"))
        made.add("attachment", attachment={"type": "hook", "content": p.key("line attachment"), p.key("line name"): 1})
        made.add(p.key("line type"), note=p.key("line note"))
        content = made.bytes + b'{"broken": "' + p.key("line broken").encode() + b"\n"
        path = f"/home/dev/.claude/projects/-{p.key('line path')}/{made.session}.jsonl"
        # The pieces are small, so secrets are cut in two.
        Sender(server, key, made.session, path=path).send(content, 500)
        return made.session

    def errors(self, server, key, planted):
        """Answers about invalid input do not repeat the input."""
        client = Client(server.address, key)
        bad = {"event_id": ["x"], "data": {"hook_event_name": "Stop", "session_id": planted.key("bad session") * 9}}
        wrong = {"data": {"prompt": planted.key("bad data")}, "timestamp": planted.key("bad time")}
        for body in [json.dumps([bad, wrong]).encode(), b'{"data": "' + planted.key("bad JSON").encode() + b'" x',
                     planted.key("no JSON").encode()]:
            answer = client.request("POST", "/api/events", body)
            self.assertEqual(answer.status, 400, answer)
            self.check(planted, "an error", answer.body.decode())
        answer = client.request("POST", "/api/events", b"{}", {"Content-Type": planted.key("bad type")})
        self.check(planted, "an error", answer.body.decode())
