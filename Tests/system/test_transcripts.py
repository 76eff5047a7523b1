"""Transcripts: every line is stored once, however it arrives; usage is exact to the token; and the conversation."""

import json
import pathlib
import random
import subprocess
import unittest

import harness
import telemetry
import transcripts
from harness import Client, Server, envelope, hook, session
from transcripts import Sender, Transcript, text, tool_result, tool_use


def setUpModule():
    global cluster, server, key
    cluster = harness.Postgres().start()
    server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()
    key = server.key("transcripts")


def tearDownModule():
    server.end()
    cluster.end()


def lines(chosen):
    return [json.loads(line) for line in cluster.sql(
        f"SELECT line FROM transcript_lines WHERE session_id = '{chosen}' ORDER BY id")]


def usage(chosen):
    found = server.get(f"/v1/sessions/{chosen}").json
    return found["token_usage"], found["total_cost"]


def conversation(chosen=None, seed=0, turns=6):
    made = Transcript(chosen or session(), seed=seed)
    for turn in range(turns):
        made.user(f"question {turn} — ünïcode")
        made.assistant([text(f"answer {turn}"), tool_use("Bash", f"{made.session}-{turn}", command=f"echo {turn}")], partial=True)
        made.user(tool_result(f"{made.session}-{turn}", f"output {turn}"))
        made.assistant([text("done")], model="claude-opus-5-5")
    return made


class Files(unittest.TestCase):
    def check(self, made, *others):
        tokens, cost, requests = transcripts.totals(made.bytes, *others)
        found = usage(made.session)
        self.assertEqual(found[0], tokens)
        self.assertAlmostEqual(found[1], cost, places=6)
        self.assertEqual(len(server.get(f"/v1/sessions/{made.session}/requests?limit=500").json["requests"]), requests)
        self.assertEqual([line["uuid"] for line in lines(made.session)], [line["uuid"] for line in made.lines])

    def test_a_file_in_one_piece_and_what_is_appended(self):
        made = conversation()
        sender = Sender(server, key, made.session)
        sender.send(made.bytes)
        self.check(made)
        made.user("more")
        made.assistant([text("yes")])
        sender.send(made.bytes)
        self.check(made)

    def test_pieces_may_end_anywhere(self):
        for size, packed in ((97, False), (1000, True)):
            made = conversation(turns=3)
            Sender(server, key, made.session).send(made.bytes, size, packed)
            self.check(made)

    def test_a_piece_that_is_sent_again_does_no_harm(self):
        made, chance = conversation(), random.Random(3)
        content, sender, done = made.bytes, Sender(server, key, made.session), 0
        while done < len(content):
            start = chance.randrange(max(0, done - 3000), done + 1)
            answer = sender.piece(content, start, chance.randrange(1, 4000))
            self.assertEqual(answer.status, 202, answer)
            self.assertGreaterEqual(answer.json["next_offset"], done)
            done = answer.json["next_offset"]
        self.check(made)

    def test_a_gap_is_told_with_the_place_to_go_on(self):
        made = conversation()
        sender = Sender(server, key, made.session)
        answer = sender.piece(made.bytes, 0, 2000)
        known = answer.json["next_offset"]
        answer = sender.piece(made.bytes, known + 10)
        self.assertEqual((answer.status, answer.json["next_offset"], answer.json["error"]["code"]),
                         (409, known, "transcript_gap"))
        sender.offset = known
        sender.send(made.bytes)
        self.check(made)

    def test_an_unfinished_line_is_asked_for_again_after_a_restart(self):
        made = conversation()
        own = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()
        sender = Sender(own, key, made.session)
        answer = sender.piece(made.bytes, 0, len(made.bytes) - 5)
        self.assertEqual(answer.json["next_offset"], len(made.bytes) - 5)
        own.end()
        sender = Sender(server, key, made.session)
        sender.offset = len(made.bytes) - 5
        sender.send(made.bytes)
        self.check(made)

    def test_a_file_that_is_replaced_begins_anew_and_lines_that_stay_are_stored_once(self):
        made = conversation()
        sender = Sender(server, key, made.session)
        sender.send(made.bytes)
        made.lines.insert(0, {"type": "mode", "mode": "plan", "sessionId": made.session, "uuid": harness.identifier()})
        answer = sender.piece(made.bytes, sender.offset)
        self.assertEqual((answer.status, answer.json["next_offset"]), (409, 0))
        sender.offset = 0
        sender.send(made.bytes)
        made.lines.append(made.lines.pop(0))
        self.check(made)

    def test_a_sender_that_forgot_where_it_was_is_told(self):
        made = conversation()
        Sender(server, key, made.session).send(made.bytes)
        answer = Sender(server, key, made.session).piece(made.bytes, 0, 1 << 20)
        self.assertEqual((answer.status, answer.json["next_offset"]), (202, len(made.bytes)))
        self.check(made)

    def test_a_copy_in_another_file_counts_once(self):
        made = conversation()
        Sender(server, key, made.session).send(made.bytes)
        fork = conversation(made.session)
        fork.lines = list(made.lines)
        fork.session = session()
        fork.assistant([text("only here")])
        Sender(server, key, fork.session).send(fork.bytes)
        self.assertEqual(usage(made.session)[0], transcripts.totals(made.bytes)[0])
        self.assertEqual(usage(fork.session)[0]["output_tokens"], 42)
        self.assertEqual(len(lines(fork.session)), len(fork.lines))

    def test_the_clients_own_sum_of_a_fork_holds_what_it_copied(self):
        """Therefore the server does not use that sum for the fork."""
        made = conversation()
        fork = conversation(made.session)
        fork.lines, fork.session = list(made.lines), session()
        fork.assistant([text("only here")], number=f"{fork.session}-own")
        own = Transcript(fork.session)
        own.lines = fork.lines[-1:]
        for one in (made, fork):
            tokens, cost, _ = transcripts.totals(one.bytes)
            one.cost_state(cost, inputTokens=tokens["input_tokens"], outputTokens=tokens["output_tokens"],
                           cacheReadInputTokens=tokens["cache_read_tokens"],
                           cacheCreationInputTokens=tokens["cache_creation_tokens"])
        Sender(server, key, made.session).send(made.bytes)
        Sender(server, key, fork.session).send(fork.bytes)
        found = server.get(f"/v1/sessions/{fork.session}").json
        tokens, cost, _ = transcripts.totals(own.bytes)
        self.assertEqual(found["token_usage"], tokens)
        self.assertAlmostEqual(found["total_cost"], cost, places=9)
        self.assertEqual((found["usage_source"], found["usage_confidence"]), ("transcript", "lower_bound"))
        # The session that the fork comes from keeps its own sum.
        self.assertEqual(server.get(f"/v1/sessions/{made.session}").json["usage_confidence"], "exact")

    def test_a_fork_is_known_before_and_after_its_parent_s_telemetry(self):
        for telemetry_first in (True, False):
            for pause in (True, False):
                with self.subTest(telemetry_first=telemetry_first, pause=pause):
                    self.fork_with_telemetry(telemetry_first, pause)

    def fork_with_telemetry(self, telemetry_first, pause):
        parent, fork = conversation(), Transcript(session())
        requests = sorted({line["requestId"] for line in parent.lines if "requestId" in line})
        fork.lines = list(parent.lines)
        fork.assistant([text("only here")], number=f"{fork.session}-own")
        own, everything = Transcript(fork.session), transcripts.totals(fork.bytes)
        own.lines = fork.lines[-1:]
        fork.cost_state(everything[1], inputTokens=everything[0]["input_tokens"], outputTokens=everything[0]["output_tokens"])

        def tell():
            records = [telemetry.request(parent.session, one, number) for number, one in enumerate(requests)]
            client = Client(server.address, key)
            self.assertEqual(client.request("POST", "/v1/logs", telemetry.logs(*records)).status, 200)
            client.close()

        steps = [tell, lambda: Sender(server, key, fork.session).send(fork.bytes)]
        for step in steps if telemetry_first else reversed(steps):
            step()
            # A read waits until the projection has written.
            if pause:
                server.get(f"/v1/usage?session_id={fork.session}")
                server.get(f"/v1/sessions/{fork.session}")
        tokens, cost, _ = transcripts.totals(own.bytes)
        found = server.get(f"/v1/sessions/{fork.session}").json
        self.assertEqual(found["token_usage"], tokens)
        self.assertAlmostEqual(found["total_cost"], cost, places=9)
        self.assertAlmostEqual(usage(parent.session)[1], len(requests) * 0.0014421, places=9)

    def copy(self, made, form):
        """A fork as some version of the client writes it: copied lines, and one request of its own."""
        fork = Transcript(session())
        for line in made.lines:
            line = dict(line)
            if form != "as it was":
                line["sessionId"] = fork.session
            if form == "fork" and line["type"] == "assistant":
                line["requestSessionId"] = made.session
            if form == "branch":
                line["forkedFrom"] = {"sessionId": made.session, "messageUuid": line.get("uuid")}
            fork.lines.append(line)
        fork.assistant([text("only here")], number=f"{fork.session}-own")
        own = Transcript(fork.session)
        own.lines = fork.lines[-1:]
        tokens, cost, _ = transcripts.totals(fork.bytes)
        fork.cost_state(cost, inputTokens=tokens["input_tokens"], outputTokens=tokens["output_tokens"])
        return fork, own

    def shows(self, made, *files):
        """The session's figures are those of the files, whether the session itself is known or not."""
        tokens, cost, requests = transcripts.totals(*files)
        found = server.get(f"/v1/usage?session_id={made.session}").json["total"]
        self.assertEqual((found["token_usage"], found["requests"]), (tokens, requests))
        self.assertAlmostEqual(found["total_cost"], cost, places=9)
        known = server.get(f"/v1/sessions/{made.session}")
        if known.status == 200:
            self.assertEqual(known.json["token_usage"], tokens)
            self.assertAlmostEqual(known.json["total_cost"], cost, places=9)

    def rebuild(self):
        server.stop()
        harness.subprocess.run([harness.SERVER, "rebuild", "usage"], check=True, timeout=60, capture_output=True,
                               env=server.environment())
        server.start()

    def test_a_fork_counts_nothing_of_its_parent_whichever_comes_first(self):
        pairs = []
        for form in ("as it was", "fork", "branch"):
            for fork_first in (True, False):
                made = conversation()
                fork, own = self.copy(made, form)
                for one in (fork, made) if fork_first else (made, fork):
                    Sender(server, key, one.session).send(one.bytes)
                    server.get(f"/v1/usage?session_id={one.session}")
                pairs.append((form, fork_first, made, fork, own))

        def check():
            for form, fork_first, made, fork, own in pairs:
                with self.subTest(form, fork_first=fork_first):
                    self.shows(made, made.bytes)
                    self.shows(fork, own.bytes)
        check()
        self.rebuild()
        check()

    def test_a_parent_that_only_its_fork_tells_of_has_its_requests(self):
        made = conversation()
        fork, own = self.copy(made, "fork")
        Sender(server, key, fork.session).send(fork.bytes)
        self.shows(fork, own.bytes)
        self.shows(made, made.bytes)

    def test_a_transcript_adds_nothing_to_the_session_of_another_machine(self):
        another, found = server.key("another"), []
        for forged_first in (False, True):
            made = conversation()
            fork, own = self.copy(made, "fork")
            fork.assistant([text("forged")], number=f"{fork.session}-forged")
            fork.lines[-1]["requestSessionId"] = made.session
            for one, by in ((fork, another), (made, key)) if forged_first else ((made, key), (fork, another)):
                Sender(server, by, one.session).send(one.bytes)
                server.get(f"/v1/usage?session_id={one.session}")
            found.append((forged_first, made, fork, own))

        def check():
            for forged_first, made, fork, own in found:
                with self.subTest(forged_first=forged_first):
                    self.shows(fork, own.bytes)
                    self.shows(made, made.bytes)
        check()
        self.rebuild()
        check()

    def test_what_a_fork_repeats_of_an_erased_session_counts_no_more(self):
        def erase(chosen):
            client = Client(server.address, server.admin)
            answer = client.request("POST", "/v1/erase", {"session_id": chosen})
            client.close()
            self.assertEqual(answer.status, 200, answer)

        forks = []
        for fork_is_known in (True, False):
            made = conversation()
            fork, own = self.copy(made, "fork")
            forks.append((made, fork, own))
            for one in (fork, made) if fork_is_known else (made,):
                Sender(server, key, one.session).send(one.bytes)
                server.get(f"/v1/usage?session_id={one.session}")
            erase(made.session)
            if not fork_is_known:
                Sender(server, key, fork.session).send(fork.bytes)

        def check():
            for made, fork, own in forks:
                self.shows(fork, own.bytes)
                self.assertEqual(server.get(f"/v1/usage?session_id={made.session}").json["total"]["requests"], 0)
                self.assertEqual(server.get(f"/v1/sessions/{fork.session}").json["usage_confidence"], "lower_bound")
        check()
        self.rebuild()
        check()

    def test_subagents_belong_to_their_session(self):
        made = conversation()
        agent = Transcript(made.session, agent="a1b2")
        agent.user("do it")
        agent.assistant([text("did it")], number=f"{made.session}-agent")
        Sender(server, key, made.session).send(made.bytes)
        Sender(server, key, made.session, f"/home/dev/.claude/projects/x/{made.session}/subagents/agent-a1b2.jsonl").send(agent.bytes)
        self.assertEqual(usage(made.session)[0], transcripts.totals(made.bytes, agent.bytes)[0])
        found = server.get(f"/v1/usage?session_id={made.session}&by=query_source").json["groups"]
        self.assertEqual({one["key"]: one["requests"] for one in found}, {"main": 12, "subagent": 1})

    def test_long_and_broken_lines(self):
        made = Transcript(session())
        made.user("first")
        content = made.bytes + b"{ no json\n\n[1]\n" + b'{"type":"attachment","blob":"' + b"x" * (17 << 20) + b'"}\n'
        made.user("last")
        content += json.dumps(made.lines[-1]).encode() + b"\n"
        Sender(server, key, made.session).send(content)
        found = lines(made.session)
        self.assertEqual([line["type"] for line in found], ["user", "unknown", "unknown", "attachment", "user"])
        self.assertGreater(found[3]["omitted_bytes"], 17 << 20)

    def test_headers_that_are_missing_or_wrong(self):
        made = conversation()
        sender = Sender(server, key, made.session)
        for name, wrong in (("X-Transcript-Path", ""), ("X-Transcript-Session", ""), ("X-Transcript-Offset", "-1"),
                            ("X-Transcript-Offset", "x"), ("X-Transcript-Path", None)):
            answer = sender.piece(made.bytes, 0, 100, **{name: wrong})
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, name.lower()))
        answer = sender.piece(made.bytes, 10, 100, **{"X-Transcript-Prefix": "12"})
        self.assertEqual(answer.status, 400)
        self.assertEqual(sender.piece(b"x" * (1 << 21), 0, 1 << 21).status, 413)
        self.assertEqual(sender.piece(b"x" * (1 << 21), 0, 1 << 21, packed=True).status, 413)
        admin = Sender(server, server.admin, made.session)
        self.assertEqual(admin.piece(made.bytes, 0, 100).status, 403)


class Import(unittest.TestCase):
    def test_the_command_sends_all_that_is_there_and_nothing_twice(self):
        home = harness.make_directory()
        made = [conversation(seed=number) for number in range(3)]
        for number, one in enumerate(made):
            path = home / "projects" / f"-srv-{number}" / f"{one.session}.jsonl"
            path.parent.mkdir(parents=True)
            path.write_bytes(one.bytes)
        command = [harness.CONTROL, "import", home / "projects"]
        settings = {**harness.environment(), "HOME": home, "CLAUDE_MONITOR_KEY": key, "MONITOR_URL": server.url}
        for _ in range(2):
            done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn("3 files", done.stdout + done.stderr)
            for one in made:
                self.assertEqual([line["uuid"] for line in lines(one.session)], [line["uuid"] for line in one.lines])
        self.assertIn(" 0 bytes", done.stdout + done.stderr)
        path.write_bytes(made[-1].bytes * 2)
        done = subprocess.run(command, env={**settings, "CLAUDE_MONITOR_KEY": "cmk_wrong"}, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 1, done)


class Figures(unittest.TestCase):
    def test_the_clients_own_sum(self):
        made = conversation()
        tokens, cost, _ = transcripts.totals(made.bytes)
        Sender(server, key, made.session).send(made.bytes)
        found = server.get(f"/v1/sessions/{made.session}").json
        self.assertEqual((found["usage_source"], found["usage_confidence"]), ("transcript", "lower_bound"))
        made.cost_state(cost + 0.5, inputTokens=tokens["input_tokens"] + 1000, outputTokens=tokens["output_tokens"],
                        cacheReadInputTokens=tokens["cache_read_tokens"],
                        cacheCreationInputTokens=tokens["cache_creation_tokens"])
        Sender(server, key, made.session).send(made.bytes)
        found = server.get(f"/v1/sessions/{made.session}").json
        self.assertEqual((found["usage_source"], found["usage_confidence"]), ("cost_state", "exact"))
        self.assertAlmostEqual(found["total_cost"], cost + 0.5, places=6)
        self.assertEqual(found["token_usage"]["input_tokens"], tokens["input_tokens"] + 1000)
        self.assertGreater(found["usage_difference"], 0.01)
        self.assertEqual(found["git_branch"], "feature/x")

    def test_telemetry_and_transcript_tell_of_the_same_requests(self):
        import telemetry
        made = Transcript(session())
        for turn in range(4):
            made.user(f"question {turn}")
            made.assistant([text("answer")], number=f"{made.session}-{turn}")
        client = Client(server.address, key)
        client.request("POST", "/v1/logs", telemetry.logs(*(
            telemetry.request(made.session, f"req_{made.session}-{turn}", turn, cost=0.25) for turn in range(5))))
        Sender(server, key, made.session).send(made.bytes)
        found = server.get(f"/v1/sessions/{made.session}").json
        self.assertEqual((found["usage_source"], found["usage_confidence"]), ("both", "exact"))
        self.assertEqual((found["total_cost"], found["token_usage"]["output_tokens"]), (1.25, 5 * 42))
        requests = server.get(f"/v1/sessions/{made.session}/requests").json["requests"]
        self.assertEqual(sorted(one["source"] for one in requests), ["both"] * 4 + ["otel"])

    def test_one_event_tells_of_a_piece(self):
        made = conversation()
        Sender(server, key, made.session).send(made.bytes)
        events = server.get(f"/v1/sessions/{made.session}/events").json["events"]
        self.assertEqual([one["type"] for one in events], ["transcript"])
        self.assertEqual((events[0]["payload"]["lines"], events[0]["payload"]["messages"]), (len(made.lines), len(made.lines)))
        self.assertEqual(cluster.sql("SELECT count(*) FROM transcript_growth"), ["0"])


class Content(unittest.TestCase):
    def test_no_secret_is_stored_and_the_policy_none_keeps_no_text(self):
        secret = "ghp_" + "aB3" * 12
        for policy in ("summary", "none"):
            own = Server(DATABASE_URL=cluster.url, MONITOR_STORE_CONTENT=policy, MONITOR_RATE_LIMIT="off").start()
            made = Transcript(session())
            made.user(f"use {secret} please")
            made.assistant([text(f"the token is {secret}"), tool_use("Bash", "1", command=f"export GH={secret}")])
            made.user(tool_result("1", [{"type": "text", "text": f"printed {secret}"}]))
            Sender(own, key, made.session).send(made.bytes)
            stored = json.dumps(lines(made.session)) + str(cluster.sql(
                f"SELECT words FROM transcript_lines WHERE session_id = '{made.session}'"))
            self.assertNotIn(secret, stored)
            self.assertEqual("please" in stored, policy == "summary")
            self.assertEqual(len(lines(made.session)), 4)
            self.assertEqual(usage(made.session)[0]["output_tokens"], 42)
            own.end()


class Recorded(unittest.TestCase):
    """Transcripts that Claude Code 2.1.329 wrote in a conversation with a scripted model, without its system prompts."""

    SESSIONS = (("subagent-and-resumption", ".agent"), ("parallel-calls",))

    def test_totals_are_those_of_an_independent_reading(self):
        for name, *others in self.SESSIONS:
            contents = [(harness.ROOT / "Tests/system/fixtures" / f"{name}{suffix}.jsonl").read_bytes() for suffix in ("", *others)]
            chosen = next(line["sessionId"] for line in map(json.loads, contents[0].splitlines()) if "sessionId" in line)
            for number, content in enumerate(contents):
                path = f"/home/dev/.claude/projects/-home-dev-project/{chosen}{'/subagents/agent-%d' % number if number else ''}.jsonl"
                for size in (1 << 20, 1000):
                    Sender(server, key, chosen, path).send(content, size)
            tokens, cost, requests = transcripts.totals(*contents)
            self.assertGreater(requests, 2)
            found = server.get(f"/v1/usage?session_id={chosen}&by=model").json
            total, groups = found["total"], found["groups"]
            self.assertEqual((total["token_usage"], total["requests"]), (tokens, requests), name)
            self.assertAlmostEqual(total["total_cost"], cost, places=6)
            self.assertEqual((total["source"], total["confidence"]), ("transcript", "lower_bound"))
            for one in ("requests", "total_tokens"):
                self.assertEqual(sum(group[one] for group in groups), total[one])
            # Only the client's own sum contains its internal requests.
            own = [line for line in map(json.loads, contents[0].splitlines()) if line["type"] == "cost-state"][-1]
            told = server.get(f"/v1/sessions/{chosen}").json
            self.assertAlmostEqual(told["total_cost"], max(cost, own["totalCostUSD"]), places=6)


if __name__ == "__main__":
    unittest.main()
