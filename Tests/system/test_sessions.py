"""Sessions derived from events, and the history over HTTP."""

import itertools
import json
import random
import re
import unittest
import urllib.parse

import harness
from harness import Client, Server, envelope, hook, identifier, iso, session, tool

FIELDS = {"id", "machine_id", "machine_name", "workspace_id", "project_path", "status", "state", "started_at",
          "last_activity_at", "message_count", "tool_call_count", "token_usage", "last_seq"}
USAGE = {"input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"}


def setUpModule():
    global server, key, client
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("sessions")
    client = Client(server.address, key)


def tearDownModule():
    client.close()
    server.end()


def post(*items, credential=None):
    answer = (Client(server.address, credential) if credential else client).request("POST", "/api/events", list(items))
    assert answer.status == 202 and not answer.json["rejected"], answer
    return [entry["seq"] for entry in answer.json["events"]]


def read(chosen):
    answer = server.get(f"/v1/sessions/{chosen}")
    assert answer.status == 200, answer
    return answer.json


class OwnSessions(unittest.TestCase):
    """A session belongs to the machine that began it, whoever knows its id."""

    def get(self, chosen):
        return server.get(f"/v1/sessions/{chosen}").json

    def test_another_machine_cannot_change_a_session(self):
        chosen, stranger = session(), server.key("stranger")
        post(envelope(dict(hook("UserPromptSubmit", chosen, prompt="mine"), cwd="/a")))
        before = self.get(chosen)
        foreign = [envelope(dict(hook("PermissionRequest", chosen, tool_name="Bash", tool_input={}), cwd="/b")),
                   envelope(hook("SessionEnd", chosen, reason="other"))]
        answers = [post(item, credential=stranger) for item in foreign]
        self.assertEqual(self.get(chosen), before)
        machine = next(m["id"] for m in server.get("/v1/machines").json["machines"] if m["name"] == "stranger")
        own = self.get(f"{chosen}@{machine}")
        self.assertEqual((own["machine_name"], own["status"], own["project_path"]), ("stranger", "ended", "/b"))
        listed = server.get(f"/v1/sessions/{chosen}/events").json["events"]
        self.assertEqual([event["machine_name"] for event in listed], [before["machine_name"]])

    def test_a_transcript_that_is_resumed_on_another_machine_goes_on_there(self):
        """Claude Code keeps the id, and the session can go on on both machines."""
        chosen, laptop = session(), server.key("laptop")
        post(envelope(dict(hook("UserPromptSubmit", chosen, prompt="one"), cwd="/a")))
        machine = next(m["id"] for m in server.get("/v1/machines").json["machines"] if m["name"] == "laptop")
        sent = [envelope(dict(hook("SessionStart", chosen, source="resume"), cwd="/home")),
                envelope(dict(hook("UserPromptSubmit", chosen, prompt="two"), cwd="/home")),
                envelope(dict(hook("Stop", chosen), cwd="/home"))]
        for item in sent + sent:
            post(item, credential=laptop)
        post(envelope(dict(hook("Stop", chosen), cwd="/a")))
        there, here = self.get(f"{chosen}@{machine}"), self.get(chosen)
        self.assertEqual((there["title"], there["message_count"], there["status"]), ("two", 2, "active"))
        self.assertEqual((here["title"], here["message_count"], here["machine_name"]), ("one", 2, "sessions"))
        events = server.get(f"/v1/sessions/{chosen}@{machine}/events").json["events"]
        self.assertEqual([event["payload"]["session_id"] for event in events], [chosen] * 3)


class Life(unittest.TestCase):
    """The state machine, with the hooks of a usual session."""

    def setUp(self):
        self.session, self.clock = session(), itertools.count(-100)

    def say(self, name, **fields):
        seq, = post(envelope(hook(name, self.session, **fields), iso(next(self.clock))))
        found = read(self.session)
        self.assertLessEqual(FIELDS, set(found))
        self.assertLessEqual(USAGE, set(found["token_usage"]))
        # The server's own events about prompts may follow.
        self.assertGreaterEqual(found["last_seq"], seq)
        return found

    def test_a_whole_session(self):
        found = self.say("SessionStart", source="startup", model="claude-opus-5-5")
        self.assertEqual((found["status"], found["state"]), ("active", "idle"))
        self.assertEqual((found["current_model"], found["project_path"], found["id"]),
                         ("claude-opus-5-5", "/home/dev/app", self.session))
        self.assertEqual((found["message_count"], found["tool_call_count"]), (0, 0))
        started = found["started_at"]
        found = self.say("UserPromptSubmit", prompt="Fix the tests", permission_mode="plan")
        self.assertEqual((found["state"], found["message_count"], found["permission_mode"]), ("running", 1, "plan"))
        self.assertEqual(found["title"], "Fix the tests")
        found = self.say("PreToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="toolu_1")
        self.assertEqual(found["state"], "running")
        found = self.say("PermissionRequest", tool_name="Bash", tool_input={"command": "make"})
        self.assertEqual((found["status"], found["state"]), ("active", "waiting"))
        waiting = found["waiting_for"]
        self.assertEqual(waiting["tool_name"], "Bash")
        self.assertTrue(waiting["kind"] and waiting["since"])
        self.assertEqual(waiting["since"], found["last_activity_at"])
        found = self.say("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="toolu_1")
        self.assertEqual((found["state"], found["tool_call_count"]), ("running", 1))
        self.assertIsNone(found.get("waiting_for"))
        found = self.say("Stop")
        self.assertEqual((found["status"], found["state"]), ("active", "idle"))
        found = self.say("SessionEnd", reason="prompt_input_exit")
        self.assertEqual((found["status"], found["state"], found["end_reason"]), ("ended", "idle", "prompt_input_exit"))
        self.assertEqual(found["ended_at"], found["last_activity_at"])
        self.assertEqual((found["started_at"], found["tool_call_count"]), (started, 1))
        self.assertIn(found["message_count"], (1, 2), "prompts, with or without Claude's answers")

    def test_a_resumed_session_lives_again(self):
        self.say("SessionStart", source="startup")
        self.assertEqual(self.say("SessionEnd", reason="other")["status"], "ended")
        found = self.say("SessionStart", source="resume")
        self.assertEqual(found["status"], "active")
        self.assertIsNone(found.get("ended_at"))
        self.assertIsNone(found.get("end_reason"))

    def test_a_notification_says_what_it_waits_for(self):
        self.say("UserPromptSubmit", prompt="x")
        found = self.say("Notification", notification_type="permission_prompt", message="Claude needs your permission")
        self.assertEqual(found["state"], "waiting")
        self.assertTrue(found["waiting_for"]["kind"])
        self.assertEqual(self.say("UserPromptSubmit", prompt="go on")["state"], "running")

    def test_an_error_ends_the_turn(self):
        self.say("UserPromptSubmit", prompt="x")
        self.assertEqual(self.say("StopFailure", error="rate_limit")["state"], "error")
        self.assertEqual(self.say("UserPromptSubmit", prompt="again")["state"], "running")

    def test_internal_agents_change_nothing_that_is_shown(self):
        """Compaction and suggestions end an agent without a name, but the turn stays over."""
        self.say("UserPromptSubmit", prompt="x")
        self.say("Stop")
        self.assertEqual(self.say("SubagentStop", agent_id="a1", agent_type="", last_assistant_message="y")["state"], "idle")

    def test_injected_prompts_are_not_messages_of_a_person(self):
        self.say("UserPromptSubmit", prompt="real")
        found = self.say("UserPromptSubmit", prompt="<task-notification>done</task-notification>")
        self.assertEqual(found["title"], "real")

    def test_the_model_follows_a_switch(self):
        self.say("SessionStart", source="startup", model="claude-opus-5-5")
        found = self.say("PostModelSwitch", from_model="claude-opus-5-5", to_model="claude-haiku-5-5", source="picker")
        self.assertEqual(found["current_model"], "claude-haiku-5-5")

    def test_the_project_stays_when_the_directory_changes(self):
        first = self.say("SessionStart", source="startup")
        seq, = post(envelope(dict(hook("CwdChanged", self.session, old_cwd="/home/dev/app", new_cwd="/tmp"), cwd="/tmp"),
                             iso(next(self.clock))))
        found = read(self.session)
        self.assertEqual((found["project_path"], found["workspace_id"]), ("/home/dev/app", first["workspace_id"]))

    def test_quiet_for_five_minutes_is_idle(self):
        for age, status in [(-3600, "idle"), (-400, "idle"), (-200, "active"), (-1, "active")]:
            with self.subTest(age):
                chosen = session()
                post(envelope(hook("UserPromptSubmit", chosen, prompt="x"), iso(age)))
                self.assertEqual(read(chosen)["status"], status)

    def test_without_session_start_it_begins_with_the_first_event(self):
        found = self.say("PostToolUse", tool_name="Read", tool_input={"file_path": "/x"})
        self.assertEqual((found["status"], found["state"], found["tool_call_count"]), ("active", "running", 1))


class Order(unittest.TestCase):
    """The session is the same in whatever order its events arrive."""

    def story(self, chosen):
        names = [("SessionStart", {"source": "startup", "model": "claude-opus-5-5"}), ("UserPromptSubmit", {"prompt": "first"}),
                 ("PreToolUse", {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "a"}}),
                 ("PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": "a"}}),
                 ("PostToolUse", {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "a"}}),
                 ("PostToolUse", {"tool_name": "Edit", "tool_use_id": "t2", "tool_input": {}}), ("Stop", {}),
                 ("UserPromptSubmit", {"prompt": "second", "permission_mode": "plan"}),
                 ("PostModelSwitch", {"to_model": "claude-haiku-5-5"}), ("StopFailure", {"error": "overloaded"}),
                 ("UserPromptSubmit", {"prompt": "third", "permission_mode": "default"}),
                 ("PermissionRequest", {"tool_name": "Write", "tool_input": {"file_path": "x"}})]
        base = -120
        return [envelope(hook(name, chosen, **fields), iso(base + 5 * i)) for i, (name, fields) in enumerate(names)]

    def shape(self, chosen, moment):
        """The parts of a session that do not depend on the times and ids of its events."""
        found = {k: v for k, v in read(chosen).items() if k not in ("id", "last_seq")}
        return json.loads(re.sub("prm_[0-9a-f]{32}", "PROMPT", json.dumps(found).replace(chosen, "ID"))), moment

    def compared(self, arrange):
        told, other = session(), session()
        story = self.story(told)
        twin = [dict(item, event_id=identifier(), data=dict(item["data"], session_id=other,
                transcript_path=item["data"]["transcript_path"].replace(told, other))) for item in story]
        post(*story)
        arrange(twin)
        self.assertEqual(self.shape(told, 0), self.shape(other, 0))
        return told

    def test_backwards_one_by_one(self):
        def arrange(items):
            for item in reversed(items):
                post(item)
        found = read(self.compared(arrange))
        self.assertEqual((found["state"], found["waiting_for"]["tool_name"], found["title"]), ("waiting", "Write", "first"))
        self.assertEqual(found["tool_call_count"], 2)
        self.assertGreaterEqual(found["message_count"], 3)

    def test_shuffled_in_batches(self):
        dice = random.Random(11)
        for _ in range(6):
            def arrange(items):
                mixed = dice.sample(items, len(items))
                while mixed:
                    count = dice.randrange(1, 5)
                    post(*mixed[:count])
                    del mixed[:count]
            self.compared(arrange)

    def test_with_repeats(self):
        def arrange(items):
            post(*items[5:], *items[3:8])
            post(*items, *items[::-1])
        self.compared(arrange)

    def test_a_late_event_does_not_turn_the_clock_back(self):
        chosen = session()
        post(envelope(hook("Stop", chosen), iso(-10)))
        now = read(chosen)
        post(envelope(tool(chosen), iso(-60)))
        found = read(chosen)
        self.assertEqual((found["state"], found["last_activity_at"]), ("idle", now["last_activity_at"]))
        self.assertEqual(found["tool_call_count"], 1)
        self.assertLess(found["started_at"], now["started_at"])

    def test_a_late_event_does_not_bring_back_the_dead(self):
        chosen = session()
        post(envelope(hook("SessionEnd", chosen, reason="other"), iso(-10)))
        post(envelope(hook("UserPromptSubmit", chosen, prompt="x"), iso(-20)))
        self.assertEqual(read(chosen)["status"], "ended")


class Lists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.other = server.key("other-machine")
        cls.mine, cls.theirs, cls.idle, cls.ended = session(), session(), session(), session()
        post(envelope(dict(hook("UserPromptSubmit", cls.mine, prompt="x"), cwd="/a"), machine_id="machine-a"))
        post(envelope(dict(hook("UserPromptSubmit", cls.theirs, prompt="x"), cwd="/b"), machine_id="machine-b"),
             credential=cls.other)
        post(envelope(dict(hook("Stop", cls.idle), cwd="/a"), iso(-4000), machine_id="machine-a"))
        post(envelope(dict(hook("SessionEnd", cls.ended, reason="other"), cwd="/a"), iso(-5), machine_id="machine-a"))
        for number in range(30):
            post(envelope(dict(hook("Stop", f"page-{number:02d}-{cls.mine}"), cwd="/pages"), iso(-100 + number)))
        cls.pages = read(f"page-00-{cls.mine}")["workspace_id"]

    def ids(self, query):
        answer = server.get("/v1/sessions?limit=200&" + query)
        self.assertEqual(answer.status, 200, answer)
        return {entry["id"] for entry in answer.json["sessions"]}

    def test_by_status(self):
        four = {self.mine, self.theirs, self.idle, self.ended}
        self.assertEqual(self.ids("status=active") & four, {self.mine, self.theirs})
        self.assertEqual(self.ids("status=idle") & four, {self.idle})
        self.assertEqual(self.ids("status=ended") & four, {self.ended})
        self.assertEqual(server.get("/v1/sessions?status=sleeping").status, 400)

    def test_by_machine(self):
        found = {name: self.ids("machine=" + name) for name in ("machine-a", "machine-b", "other-machine", "none-such")}
        both = found["machine-b"] | found["other-machine"]
        self.assertIn(self.theirs, both)
        self.assertNotIn(self.mine, both)
        self.assertEqual(found["none-such"], set())

    def test_by_workspace(self):
        for name in ("workspace_id", "project_id"):
            with self.subTest(name):
                found = self.ids(f"{name}=" + read(self.theirs)["workspace_id"])
                self.assertIn(self.theirs, found)
                self.assertNotIn(self.mine, found)

    def test_by_cursor(self):
        seen, cursor = [], ""
        while True:
            page = server.get(f"/v1/sessions?workspace_id={self.pages}&limit=7{cursor}").json
            self.assertLessEqual(len(page["sessions"]), 7)
            seen += [entry["id"] for entry in page["sessions"]]
            if page["next_cursor"] is None:
                break
            cursor = "&cursor=" + urllib.parse.quote(page["next_cursor"])
            self.assertLess(len(seen), 100)
        self.assertEqual(seen, [f"page-{number:02d}-{self.mine}" for number in reversed(range(30))])

    def test_by_page(self):
        seen = []
        for page in range(1, 6):
            answer = server.get(f"/v1/sessions?workspace_id={self.pages}&page={page}&per_page=7").json
            counts = {"page": page, "per_page": 7, "total": 30, "total_pages": 5}
            self.assertEqual({name: answer["meta"][name] for name in counts}, counts)
            self.assertEqual(answer["data"], answer["sessions"])
            for name in ("first", "last", "next", "prev"):
                link = answer["links"].get(name)
                self.assertTrue(link is None or link.startswith("/v1/sessions?"), link)
            self.assertEqual(answer["links"].get("next") is None, page == 5)
            self.assertEqual(answer["links"].get("prev") is None, page == 1)
            seen += [entry["id"] for entry in answer["data"]]
        self.assertEqual(seen, [f"page-{number:02d}-{self.mine}" for number in reversed(range(30))])
        beyond = server.get(f"/v1/sessions?workspace_id={self.pages}&page=9&per_page=7").json
        self.assertEqual(beyond["data"], [])

    def test_links_lead_on_and_keep_the_filter(self):
        answer = server.get(f"/v1/sessions?workspace_id={self.pages}&page=1&per_page=20").json
        following = server.get(answer["links"]["next"]).json
        self.assertEqual(len(following["data"]), 10)
        self.assertIsNone(following["links"].get("next"))

    def test_stats(self):
        answer = server.get("/v1/sessions/stats").json
        stats = answer["session_stats"]
        for name in ("active_sessions", "total_messages", "total_tokens", "total_cost"):
            self.assertEqual(answer[name], stats[name], name)
        sessions = server.get("/v1/sessions?limit=200").json["sessions"]
        for status in ("active", "idle", "ended"):
            self.assertEqual(stats[f"{status}_sessions"], sum(s["status"] == status for s in sessions), stats)
        self.assertEqual(stats["total_sessions"], len(sessions))
        self.assertEqual(stats["total_messages"], sum(s["message_count"] for s in sessions))
        self.assertEqual(stats["total_tool_calls"], sum(s["tool_call_count"] for s in sessions))
        # The server does not count at each request to /health, but now and then.
        harness.wait_for(lambda: server.health()[1]["active_sessions"] == stats["active_sessions"], "health counts them")

    def test_a_row_has_the_names_of_other_clients(self):
        row = read(self.mine)
        self.assertEqual((row["session_id"], row["name"], row["last_activity"]),
                         (row["id"], row["title"], row["last_activity_at"]))
        nameless = session()
        post(envelope(dict(hook("SessionStart", nameless, source="startup"), cwd="/srv/shop")))
        self.assertEqual(read(nameless)["name"], "shop")
        listed = server.get("/v1/sessions?limit=200").json["sessions"]
        self.assertEqual(next(each for each in listed if each["id"] == self.mine), row)

    def test_machines(self):
        machines = {entry["name"]: entry for entry in server.get("/v1/machines").json["machines"]}
        self.assertLessEqual({"sessions", "other-machine"}, set(machines))

    def test_control_lists_sessions(self):
        found = json.loads(server.control("sessions", "--json", "--limit", "200").stdout)
        listed = found["sessions"] if isinstance(found, dict) else found
        self.assertIn(self.mine, {entry["id"] for entry in listed})
        self.assertIn(self.mine[:8], server.control("sessions", "--limit", "200").stdout)
        self.assertTrue(json.loads(server.control("stats", "--json").stdout))


class History(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.session = session()
        cls.seqs = []
        for start in range(0, 250, 50):
            cls.seqs += post(*(envelope(tool(cls.session, f"step {i}") if i % 5 else hook("Stop", cls.session),
                                        iso(-1000 + i)) for i in range(start, start + 50)))

    def walk(self, query, path="/v1/events", after=None):
        seen, cursor = [], f"&cursor={urllib.parse.quote(after)}" if after else ""
        while True:
            page = server.get(f"{path}?{query}{cursor}")
            self.assertEqual(page.status, 200, page)
            seen += [event["seq"] for event in page.json["events"]]
            if page.json["next_cursor"] is None:
                return seen
            self.assertTrue(page.json["events"])
            self.assertLessEqual(len(seen), 1000)
            cursor = "&cursor=" + urllib.parse.quote(page.json["next_cursor"])

    def test_a_cursor_walks_all_of_it_in_both_directions(self):
        for limit in (1, 7, 50, 100, 200):
            query = f"session_id={self.session}&limit={limit}"
            if limit == 1:
                self.assertEqual(self.walk(query)[:5], self.seqs[:5])
                continue
            with self.subTest(limit):
                self.assertEqual(self.walk(query), self.seqs)
                self.assertEqual(self.walk(query + "&order=desc"), self.seqs[::-1])

    def test_events_of_a_session(self):
        path = f"/v1/sessions/{self.session}/events"
        self.assertEqual(self.walk("limit=100", path), self.seqs)
        self.assertEqual(self.walk("limit=100&order=desc", path), self.seqs[::-1])
        answer = server.get(path).json
        self.assertLessEqual({"events", "next_cursor", "meta"}, set(answer))

    def test_a_walk_survives_new_events(self):
        chosen = session()
        first = post(*(envelope(tool(chosen)) for _ in range(20)))
        page = server.get(f"/v1/events?session_id={chosen}&limit=10").json
        later = post(*(envelope(tool(chosen)) for _ in range(5)))
        rest = self.walk(f"session_id={chosen}&limit=10", after=page["next_cursor"])
        self.assertEqual([event["seq"] for event in page["events"]] + rest, first + later)

    def walk_types(self, query):
        return {event["type"] for event in server.get("/v1/events?limit=200&" + query).json["events"]}

    def test_by_type(self):
        self.assertEqual(self.walk(f"session_id={self.session}&type=stop&limit=20"), self.seqs[::5])
        self.assertEqual(self.walk_types("type=tool"), {"tool"})
        self.assertEqual(self.walk_types("type=none_such"), set())

    def test_order_is_checked(self):
        self.assertEqual(server.get("/v1/events?order=sideways").status, 400)

    def test_a_cursor_of_another_kind_is_400(self):
        sessions = server.get("/v1/sessions?limit=1").json["next_cursor"]
        answer = server.get("/v1/events?cursor=" + urllib.parse.quote(sessions or "x"))
        self.assertIn(answer.status, (200, 400))
        self.assertEqual(server.get("/v1/sessions?cursor=1e9").status, 400)

    def test_the_limit_has_a_bound(self):
        answer = server.get("/v1/events?limit=1000000")
        self.assertTrue(answer.status == 400 or len(answer.json["events"]) <= 1000, answer.status)

    def test_control_shows_events(self):
        lines = server.control("events", "--session", self.session, "--last", "20", "--json").stdout.splitlines()
        self.assertEqual([json.loads(line)["seq"] for line in lines], self.seqs[-20:])
        self.assertIn("step 249", server.control("events", "--session", self.session, "--last", "3").stdout)
