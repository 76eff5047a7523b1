"""The list of all sessions: order, filters, counts and members; names, pins and the archive that people set."""

import itertools
import json
import socket
import time
import unittest

import harness
import test_devices as devices
from harness import Client, Server, envelope, hook, iso, session, tool


def setUpModule():
    global server, key, admin, chosen
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("lists")
    admin = server.client(server.admin)
    chosen = [session() for _ in range(25)]
    items = []
    for number, one in enumerate(chosen):
        start = 10 * number - 5000
        prompt = hook("UserPromptSubmit", one, prompt=f"task z{number:02} Größe")
        items.append(envelope(dict(prompt, cwd=f"/w/p{number % 3}"), iso(start)))
        items.append(envelope(dict(hook("Stop", one), total_cost_usd=number % 7), iso(start + (number * 37 % 25) * 60)))
    answer = Client(server.address, key).request("POST", "/api/events", items)
    assert answer.status == 202, answer


def tearDownModule():
    admin.close()
    server.end()


def listed(query="", status=200):
    answer = server.get("/v1/sessions?" + query)
    assert answer.status == status, answer
    return answer.json


def patch(path, body, status=200, client=None):
    answer = (client or admin).request("PATCH", path, body)
    assert answer.status == status, answer
    return answer.json


class Order(unittest.TestCase):
    """Every order leads through all sessions, each once, whether by cursor or by page."""

    KEYS = {"activity": lambda s: s["last_activity_at"], "started": lambda s: s["started_at"],
            "cost": lambda s: s.get("total_cost", 0)}

    def test_cursors_and_pages_lead_through_all_sessions(self):
        for sort, order in itertools.product(["activity", "started", "duration", "cost"], ["asc", "desc"]):
            with self.subTest(sort=sort, order=order):
                whole = listed(f"sort={sort}&order={order}&limit=200")
                self.assertEqual((whole["meta"]["total"], whole["has_more"]), (len(whole["data"]), False))
                ids = [one["id"] for one in whole["data"]]
                self.assertEqual(len(set(ids)), len(ids))
                self.assertLessEqual(set(chosen), set(ids))
                if sort in self.KEYS:
                    keys = [self.KEYS[sort](one) for one in whole["data"]]
                    self.assertEqual(keys, sorted(keys, reverse=order == "desc"))
                followed, cursor = [], ""
                while cursor is not None:
                    page = listed(f"sort={sort}&order={order}&limit=7" + (f"&cursor={cursor}" if cursor else ""))
                    self.assertEqual(page["meta"]["total"], len(ids))
                    followed += [one["id"] for one in page["data"]]
                    cursor = page["next_cursor"]
                self.assertEqual(followed, ids)
                numbered = [one["id"] for number in range(1, 5)
                            for one in listed(f"sort={sort}&order={order}&per_page=7&page={number}")["data"]]
                self.assertEqual(numbered, ids[:28])


class Filters(unittest.TestCase):
    def test_words_match_titles_directories_and_ids_in_any_case(self):
        for query, numbers in (("TASK+Z03", [3]), ("GR%C3%96%C3%9FE+z06", [6]), ("p1+task+z04", [4]), ("p1+task+z05", []),
                               (chosen[8].upper(), [8]), ("%25", []), ("_", [])):
            with self.subTest(query=query):
                page = listed("limit=200&order=asc&sort=started&q=" + query)
                self.assertEqual([one["id"] for one in page["data"]], [chosen[number] for number in numbers])
                self.assertEqual(page["meta"]["total"], len(numbers))

    def test_only_the_named_members_come(self):
        page = listed("fields=title,%20state&limit=3")
        for one in page["data"]:
            self.assertEqual(set(one), {"id", "title", "state"})
        self.assertIn("'fields' names 'colour'", listed("fields=title,colour", 400)["error"]["message"])

    def test_a_wrong_word_is_refused_by_its_name(self):
        for name in ("sort", "order", "state", "archived"):
            with self.subTest(name=name):
                self.assertEqual(listed(f"{name}=purple", 400)["error"]["param"], name)
        self.assertEqual(listed("state=idle&limit=1")["data"][0]["state"], "idle")


class Changes(unittest.TestCase):
    def make(self):
        one = session()
        self.post(hook("UserPromptSubmit", one, prompt="first words"))
        return one

    def post(self, data):
        answer = Client(server.address, key).request("POST", "/api/events", [envelope(data)])
        self.assertEqual(answer.status, 202, answer)

    def test_a_person_renames_a_session_and_takes_the_name_back(self):
        one = self.make()
        changed = patch(f"/v1/sessions/{one}", {"title": "Ärger <b>mit</b> Preisen"})
        self.assertEqual((changed["title"], changed["name"], changed["title_source"]),
                         ("Ärger <b>mit</b> Preisen",) * 2 + ("person",))
        self.assertEqual([s["id"] for s in listed("q=%C3%84rger")["data"]], [one])
        for nothing in (None, ""):
            patch(f"/v1/sessions/{one}", {"title": "again"})
            changed = patch(f"/v1/sessions/{one}", {"title": nothing})
            self.assertEqual((changed["title"], changed["title_source"]), ("first words", "prompt"))

    def test_the_archive_hides_a_session_until_its_next_prompt(self):
        one = self.make()
        self.assertTrue(patch(f"/v1/sessions/{one}", {"archived": True, "pinned": True})["archived"])
        ids = lambda query: [s["id"] for s in listed("limit=200&" + query)["data"]]
        self.assertNotIn(one, ids(""))
        self.assertEqual([s for s in ids("archived=true") if s == one], [one])
        self.assertIn(one, ids("archived=all"))
        self.assertTrue(server.get(f"/v1/sessions/{one}").json["pinned"])
        self.post(hook("Stop", one))
        self.assertNotIn(one, ids(""))
        self.post(hook("UserPromptSubmit", one, prompt="go on"))
        self.assertIn(one, ids(""))

    def test_the_log_says_who_changed_what(self):
        one = self.make()
        patch(f"/v1/sessions/{one}", {"title": "said"})
        event = server.get(f"/v1/sessions/{one}/events?types=session_changed").json["events"][-1]
        self.assertEqual((event["type"], event["summary"]), ("session_changed", "renamed"))
        self.assertEqual(event["payload"], {"session_id": one, "title": "said", "by": {"kind": "operator"}})

    def test_several_are_archived_at_once(self):
        some = [self.make() for _ in range(3)]
        answer = patch("/v1/sessions", {"ids": some + ["nobody"], "archived": True})
        self.assertEqual(answer, {"changed": sorted(some), "not_found": ["nobody"]})
        self.assertFalse(set(some) & {s["id"] for s in listed("limit=200")["data"]})
        patch("/v1/sessions", {"ids": some, "archived": False})
        self.assertLessEqual(set(some), {s["id"] for s in listed("limit=200")["data"]})

    def changes(self, some):
        """The number of changes of each session in the log."""
        return [len(server.get(f"/v1/sessions/{one}/events?types=session_changed").json["events"]) for one in some]

    def test_what_is_so_already_makes_no_event(self):
        some = [self.make() for _ in range(3)]
        patch("/v1/sessions", {"ids": some[:1], "archived": True})
        for _ in range(2):
            answer = patch("/v1/sessions", {"ids": some, "archived": True})
            self.assertEqual(answer["changed"], sorted(some))
            self.assertEqual(self.changes(some), [1, 1, 1])
        one = some[0]
        for change, count in (({"title": "a"}, 2), ({"title": "a", "archived": True}, 2), ({"title": "b"}, 3), ({"title": None}, 4),
                              ({"title": ""}, 4), ({"pinned": False}, 4), ({"pinned": True}, 5), ({"pinned": True}, 5),
                              # The same words as the prompt's, but a person's.
                              ({"title": "first words"}, 6), ({"title": "first words"}, 6)):
            with self.subTest(change=change):
                patch(f"/v1/sessions/{one}", change)
                self.assertEqual(self.changes([one]), [count])

    def test_each_change_counts_against_the_rate_limit(self):
        # The bucket does not fill during the test.
        own = Server(MONITOR_RATE_LIMIT="0.001:30").start()
        self.addCleanup(own.end)
        some = [session() for _ in range(40)]
        posted = Client(own.address, own.key("own")).request(
            "POST", "/api/events", [envelope(hook("UserPromptSubmit", one, prompt="x")) for one in some])
        self.assertEqual(posted.status, 202, posted)
        phone = Client(own.address, devices.pair("phone", at=own)["access_token"])

        def archive(ids, archived, status=200):
            answer = phone.request("PATCH", "/v1/sessions", {"ids": ids, "archived": archived})
            self.assertEqual(answer.status, status, answer)
            return answer

        left = lambda answer: int(answer.headers["x-ratelimit-remaining"])
        self.assertIn("30 changes at once", archive(some, True, 429).json["error"]["message"])
        self.assertEqual(left(archive(some[:20], True)), 9)
        self.assertEqual(left(archive(some[:20], True)), 8)
        self.assertIn("retry-after", archive(some[:20], False, 429).headers)
        self.assertTrue(all(own.read_derived(f"/v1/sessions/{one}").json["archived"] for one in some[:20]))
        self.assertEqual(left(archive(some[20:25], True)), 2)

    def test_bad_changes_are_refused_with_a_reason(self):
        one = self.make()
        for body in ({}, {"title": 5}, {"title": "a\nb"}, {"title": "x" * 201}, {"title": "  "}, {"pinned": "yes"},
                     {"archived": None}):
            with self.subTest(body=body):
                patch(f"/v1/sessions/{one}", body, 400)
        for body in ({"ids": []}, {"ids": [one]}, {"ids": [one, 5], "archived": True}, {"ids": "all", "archived": True},
                     {"ids": [one] * 501, "archived": True}):
            with self.subTest(body=str(body)[:60]):
                patch("/v1/sessions", body, 400)
        patch("/v1/sessions/nobody", {"pinned": True}, 404)
        self.assertEqual(server.get(f"/v1/sessions/{one}").json["title"], "first words")

    def test_a_machine_can_change_nothing_and_cannot_forge_the_event(self):
        one = self.make()
        machine = Client(server.address, key)
        patch(f"/v1/sessions/{one}", {"archived": True}, 403, machine)
        forged = {"hook_event_name": "session_changed", "session_id": one, "archived": True}
        answer = machine.request("POST", "/api/events", [dict(envelope(forged), type="session_changed")])
        self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "reserved_event_type"), answer)
        self.assertFalse(server.get(f"/v1/sessions/{one}").json["archived"])

    def test_a_rename_survives_a_rebuild(self):
        # A server of its own, because another program holds the projection while it rebuilds.
        own, one = Server().start(), session()
        self.addCleanup(own.end)
        answer = Client(own.address, own.key("own")).request(
            "POST", "/api/events", [envelope(hook("UserPromptSubmit", one, prompt="first words"))])
        self.assertEqual(answer.status, 202, answer)
        patch(f"/v1/sessions/{one}", {"title": "kept", "pinned": True}, client=own.client())
        harness.subprocess.run([harness.SERVER, "rebuild", "sessions"], check=True, timeout=60, capture_output=True,
                               env=own.environment())
        found = own.read_derived(f"/v1/sessions/{one}").json
        self.assertEqual((found["title"], found["pinned"]), ("kept", True))


class Rows(unittest.TestCase):
    """A client that names `session_row` gets the row of each session that changes, and no events of the log."""

    def setUp(self):
        self.socket = socket.create_connection(server.address.rsplit(":", 1), timeout=harness.PATIENCE)
        self.addCleanup(self.socket.close)
        self.lines = self.socket.makefile("rb")
        self.addCleanup(self.lines.close)

    def follow(self, query=""):
        self.socket.sendall(f"GET /v1/events?types=session_row{query} HTTP/1.1\r\nHost: {server.address}\r\n"
                            f"Accept: text/event-stream\r\nAuthorization: Bearer {server.admin}\r\n\r\n".encode())
        while not self.lines.readline().startswith(b"retry:"):
            pass

    def row(self):
        """The data of the next notice, which has no position in the log."""
        seen = {}
        while True:
            name, _, value = self.lines.readline().decode().rstrip("\n").partition(": ")
            if name in ("id", "event", "data"):
                seen[name] = value
            if "data" in seen:
                self.assertEqual((seen.get("event"), "id" in seen), ("session_row", False))
                return json.loads(seen["data"])
            seen = {} if name in ("", "id") else seen

    def post(self, *items):
        answer = Client(server.address, key).request("POST", "/api/events", [envelope(item) for item in items])
        self.assertEqual(answer.status, 202, answer)

    def test_a_row_comes_for_each_change_and_says_what_the_list_says(self):
        self.follow()
        one = session()
        self.post(hook("UserPromptSubmit", one, prompt="a new one"))
        row = self.row()
        listed = server.get(f"/v1/sessions/{one}").json
        self.assertEqual(row, {name: listed[name] for name in row})
        self.assertEqual((row["id"], row["title"], row["state"]), (one, "a new one", "running"))
        self.post(hook("Stop", one))
        row = self.row()
        self.assertEqual((row["id"], row["state"], row["last_seq"] > listed["last_seq"]), (one, "idle", True))
        patch(f"/v1/sessions/{one}", {"archived": True})
        self.assertTrue(self.row()["archived"])

    def test_many_changes_make_few_rows_and_the_last_one_is_true(self):
        self.follow()
        one, begun = session(), time.monotonic()
        for number in range(60):
            self.post(tool(one, f"step {number}"))
        last = server.get(f"/v1/sessions/{one}").json["last_seq"]
        rows = [self.row()]
        while rows[-1]["last_seq"] < last:
            rows.append(self.row())
        self.assertEqual(rows[-1]["tool_call_count"], 60)
        self.assertLessEqual(len(rows), 2 + time.monotonic() - begun)
        self.assertLess(len(json.dumps(rows[-1])), 1200)

    def test_a_subscription_of_one_session_gets_its_row_alone(self):
        one, other = session(), session()
        self.follow(f"&session_id={one}")
        self.post(hook("UserPromptSubmit", other, prompt="not this"))
        self.post(hook("UserPromptSubmit", one, prompt="this"))
        self.assertEqual(self.row()["title"], "this")
