"""What REST offers beside events and sessions: projects, messages, models, statistics; and conditional requests."""

import json
import unittest

from harness import Server, Client, end_everything, envelope, hook, identifier, iso, session, tool

server = client = None


def setUpModule():
    global server, client
    server = Server().start()
    client = server.client()


def tearDownModule():
    end_everything()


def post(*items):
    answer = client.request("POST", "/api/events", list(items))
    assert answer.status == 202 and not answer.json["rejected"], answer


def prompt(session_id, path, text="Fix it", at=None):
    return envelope(hook("UserPromptSubmit", session_id, prompt=text, cwd=path), at)


class Case(unittest.TestCase):
    def ask(self, method, path, body=None, status=200, **headers):
        answer = client.request(method, path, body, headers)
        self.assertEqual(answer.status, status, answer)
        self.assertTrue(answer.headers.get("x-request-id"), answer)
        return answer.json if answer.body else None


class Projects(Case):
    def test_a_project_comes_with_its_first_event_and_hides_until_the_next(self):
        path = "/srv/" + identifier()
        post(prompt(session(), path))
        name = path.rpartition("/")[2]
        found = next(each for each in self.ask("GET", "/v1/projects")["projects"] if each["name"] == name)
        self.assertEqual((found["path"], found["machine_id"], found["machine_name"]), (path, "operator", "operator"))
        self.assertEqual((found["is_active"], found["session_count"], found["active_session_count"]), (True, 1, 1))
        place = "/v1/projects/" + found["id"]
        self.assertEqual(self.ask("GET", place), found)
        changed = self.ask("PATCH", place, {"name": "Shop", "description": "sells", "settings": {"b": 1, "a": None}})
        self.assertEqual((changed["name"], changed["description"]), ("Shop", "sells"))
        self.assertEqual(list(changed["settings"]), ["b", "a"])
        self.assertEqual(self.ask("DELETE", place), {"project_id": found["id"], "status": "deleted"})
        for method in ("GET", "DELETE"):
            self.assertEqual(self.ask(method, place, status=404)["error"]["code"], "project_not_found")
        self.ask("PUT", place, {"name": "x"}, status=404)
        self.assertNotIn(found["id"], [each["id"] for each in self.ask("GET", "/v1/projects?limit=200")["projects"]])
        post(prompt(session(), path))
        self.assertEqual(self.ask("GET", place)["session_count"], 2)
        listed = self.ask("GET", f"/v1/sessions?project_id={found['id']}")["sessions"]
        self.assertEqual({each["project_id"] for each in listed}, {found["id"]})

    def test_a_project_made_before_its_first_event(self):
        path = "/srv/" + identifier()
        body = {"name": "Later", "path": path, "machine_id": "operator"}
        made = self.ask("POST", "/v1/projects", body)
        self.assertEqual((made["name"], made["session_count"], made["is_active"]), ("Later", 0, False))
        self.assertEqual(self.ask("POST", "/v1/projects", body, status=409)["error"]["code"], "project_exists")
        post(prompt(session(), path))
        self.assertEqual(self.ask("GET", "/v1/projects/" + made["id"])["session_count"], 1)
        self.ask("POST", "/v1/projects", {"path": "/x"}, status=400)
        self.ask("POST", "/v1/projects", {"name": "a", "machine_id": "nobody"}, status=400)

    def test_a_project_of_a_directory_alone(self):
        """The server has several machines; only one of them has the first directory."""
        path = "/srv/" + identifier()
        post(prompt(session(), path))
        known = self.ask("POST", "/v1/projects", {"name": "Known", "path": path + "/"}, status=409)
        self.assertEqual(known["error"]["code"], "project_exists")
        server.key(identifier())
        unknown = self.ask("POST", "/v1/projects", {"name": "New", "path": "/srv/" + identifier()}, status=409)
        self.assertEqual((unknown["error"]["code"], unknown["error"]["param"]), ("ambiguous_machine", "machine_id"))

    def test_pages(self):
        made = [self.ask("POST", "/v1/projects", {"name": f"page {index}"})["id"] for index in range(3)]
        page = self.ask("GET", "/v1/projects?limit=2")
        seen = [each["id"] for each in page["projects"]]
        while cursor := page["next_cursor"]:
            page = self.ask("GET", f"/v1/projects?limit=2&cursor={cursor}")
            seen += [each["id"] for each in page["projects"]]
        self.assertEqual(len(seen), len(set(seen)))
        self.assertLessEqual(set(made), set(seen))
        page = self.ask("GET", "/v1/projects?page=1&per_page=2")
        self.assertEqual(page["pagination"]["total_items"], len(seen))
        self.assertEqual([each["id"] for each in page["data"]], seen[:2])
        self.assertEqual(page["links"]["next"], "/v1/projects?page=2&per_page=2")

    def test_keys_may_not(self):
        machine = Client(server.address, server.key("rest-keys"))
        for method, path in (("GET", "/v1/projects"), ("POST", "/v1/projects"), ("GET", "/v1/stats")):
            self.assertEqual(machine.request(method, path).status, 403)
        self.assertEqual(Client(server.address).get("/v1/projects").status, 401)


class Messages(Case):
    def test_the_conversation_in_its_order(self):
        chosen = session()
        post(
            envelope(hook("UserPromptSubmit", chosen, prompt="Fix the tests"), iso(-30)),
            envelope(tool(chosen), iso(-20)),
            envelope(hook("Stop", chosen, last_assistant_message="Fixed: ü 工."), iso(-10)),
            envelope(hook("UserPromptSubmit", chosen, prompt="<task-notification>x</task-notification>"), iso(-5)),
        )
        place = f"/v1/sessions/{chosen}/messages"
        page = self.ask("GET", place)
        self.assertEqual([(each["role"], each["content"]) for each in page["messages"]], [
            ("user", "Fix the tests"), ("assistant", "Fixed: ü 工."),
            ("system", "<task-notification>x</task-notification>")])
        first = self.ask("GET", place + "?limit=1")
        self.assertEqual(first["messages"], page["messages"][:1])
        rest = self.ask("GET", f"{place}?cursor={first['next_cursor']}")
        self.assertEqual(rest["messages"], page["messages"][1:])
        self.ask("GET", "/v1/sessions/none/messages", status=404)


class ListShapes(Case):
    """Every list has the same members, whatever its elements are."""

    def lists(self):
        chosen = session()
        post(prompt(chosen, "/srv/lists"), envelope(hook("Stop", chosen, last_assistant_message="done")))
        return {"/v1/sessions": "sessions", "/v1/machines": "machines", "/v1/devices": "devices", "/v1/keys": "keys",
                "/v1/events": "events", f"/v1/sessions/{chosen}/events": "events",
                f"/v1/sessions/{chosen}/messages": "messages", "/v1/projects": "projects", "/v1/models": "data",
                "/v1/models/capabilities": "models", "/v1/audit": "data", "/v1/identities": "identities",
                f"/v1/sessions/{chosen}/input": "messages"}

    def test_members(self):
        for path, name in self.lists().items():
            with self.subTest(path):
                found = self.ask("GET", path)
                self.assertEqual(found["object"], "list")
                self.assertEqual(found["data"], found[name])
                self.assertLessEqual({"next_cursor", "has_more"}, set(found))
                meta, pages, links = found["meta"], found["pagination"], found["links"]
                self.assertRegex(meta["request_id"], r"^req_")
                self.assertRegex(meta["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                totals = (meta["total"], meta["total_pages"], pages["total_items"], pages["total_pages"])
                # The list of sessions alone counts all that match without being asked for a page by its number.
                count = len(found["data"])
                self.assertEqual(totals, (count, 1, count, 1) if name == "sessions" else (None,) * 4)
                self.assertEqual((pages["page"], pages["has_next"], pages["has_prev"]), (1, found["has_more"], False))
                self.assertEqual((set(links), links["last"], links["prev"]), ({"first", "last", "next", "prev"}, None, None))
                self.assertEqual(links["next"] is None, found["next_cursor"] is None)

    def test_a_session_is_taken_from_the_lists(self):
        chosen = session()
        post(prompt(chosen, "/srv/" + identifier()))
        self.assertEqual(self.ask("DELETE", f"/v1/sessions/{chosen}?hide=true"),
                         {"session_id": chosen, "status": "deleted", "left_running": []})
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").status, 404)
        self.assertEqual(len(self.ask("GET", f"/v1/events?session_id={chosen}")["events"]), 1)
        self.ask("DELETE", f"/v1/sessions/{chosen}?hide=true", status=404)
        post(prompt(chosen, "/srv/" + identifier()))
        self.assertEqual(self.ask("GET", f"/v1/sessions/{chosen}")["message_count"], 1)

    def test_lists_with_cursors_only_have_the_members_too(self):
        chosen = self.lists().popitem()[0].split("/")[3]
        for path, name in ((f"/v1/sessions/{chosen}/requests", "requests"), ("/v1/search?q=nothing", "results")):
            with self.subTest(path):
                found = self.ask("GET", path)
                self.assertEqual((found["object"], found["data"]), ("list", found[name]))
                self.assertLessEqual({"next_cursor", "has_more", "meta", "links", "pagination"}, set(found))
        self.assertEqual(server.get("/v1/sessions/none/requests").status, 404)

    def test_by_page_everything_is_counted(self):
        for path, name in self.lists().items():
            if path == "/v1/audit":
                continue
            with self.subTest(path):
                seen, link, total = [], path + "?page=1&per_page=3", None
                while link and len(seen) < 30:
                    found = self.ask("GET", link)
                    total = found["meta"]["total"]
                    self.assertEqual(found["pagination"]["total_items"], total)
                    self.assertEqual(found["meta"]["total_pages"], max(1, -(-total // 3)))
                    self.assertTrue(found["links"]["last"].startswith(path + "?page="))
                    seen += [json.dumps(each, sort_keys=True) for each in found[name]]
                    link = found["links"]["next"]
                self.assertEqual(len(seen), len(set(seen)))
                if len(seen) < 30 and not path.endswith("messages"):
                    self.assertEqual(len(seen), total)

    def test_an_unchanged_list_keeps_its_tag(self):
        for path in ("/v1/machines", "/v1/devices", "/v1/keys", "/v1/models", "/v1/models/capabilities", "/v1/events?limit=1"):
            with self.subTest(path):
                tag = client.get(path).headers["etag"]
                self.assertEqual(client.request("GET", path, headers={"If-None-Match": tag}).status, 304)


class Models(Case):
    def test_models(self):
        listed = self.ask("GET", "/v1/models")["data"]
        described = self.ask("GET", "/v1/models/capabilities")["models"]
        self.assertEqual([each["id"] for each in listed], [each["id"] for each in described])
        one = self.ask("GET", "/v1/models/haiku")
        self.assertEqual((one["id"], one["object"]), ("claude-haiku-5-5", "model"))
        self.ask("GET", "/v1/models/gpt-4", status=404)

    def test_ids_of_a_day(self):
        for name, root in (("claude-3-haiku", "claude-haiku-3"), ("claude-opus-4-20250514", "claude-opus-4"),
                           ("claude-sonnet-4-20250514", "claude-sonnet-4"), ("claude-3-5-haiku-20241022", "claude-haiku-3.5"),
                           ("claude-haiku-5-5-20261001", "claude-haiku-5.5")):
            found = self.ask("GET", "/v1/models/" + name)
            self.assertEqual((found["id"], found["root"]), (name, root))
            self.assertIn("training_data", found)
        self.assertEqual(self.ask("GET", "/v1/models/claude-3-5-haiku-20241022")["training_data"], "2024-10")
        self.ask("GET", "/v1/models/gpt-4-20250514", status=404)

    def test_prices_are_of_a_thousand_tokens(self):
        for model in self.ask("GET", "/v1/models/capabilities")["data"]:
            price, million = model["pricing"], model["pricing"]["per_million"]
            self.assertEqual(price["per_tokens"], 1000)
            for name in ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h"):
                self.assertAlmostEqual(price[name] * 1000, million[name], 9)
        haiku = self.ask("GET", "/v1/models/claude-3-5-haiku")["pricing"]
        self.assertEqual((haiku["input"], haiku["output"], haiku["per_million"]["input"]), (0.0008, 0.004, 0.8))


class Statistics(Case):
    def test_every_dimension(self):
        chosen, path, name = session(), "/srv/" + identifier(), "mcp__" + identifier()
        before = self.ask("GET", "/v1/stats?by=day")["data"]
        total = sum(row["events"] for row in before)
        post(
            prompt(chosen, path),
            envelope(hook("PostToolUse", chosen, tool_name=name, tool_input={}, cwd=path)),
            envelope(hook("PostToolUseFailure", chosen, tool_name=name, tool_input={}, cwd=path)),
        )
        after = self.ask("GET", "/v1/stats")["data"]
        self.assertEqual(sum(row["events"] for row in after), total + 3)
        row = next(row for row in self.ask("GET", "/v1/stats?by=tool")["data"] if row["key"] == name)
        self.assertEqual((row["events"], row["tool_calls"], row["tool_failures"]), (2, 2, 1))
        row = next(row for row in self.ask("GET", "/v1/stats?by=project")["data"]
                   if row.get("name") == path.rpartition("/")[2])
        self.assertEqual((row["events"], row["prompts"], row["sessions"]), (3, 1, 1))
        machines = self.ask("GET", "/v1/stats?by=machine")["data"]
        self.assertIn("operator", [row["name"] for row in machines])
        self.assertTrue(self.ask("GET", "/v1/stats?by=model")["data"])
        self.assertEqual(self.ask("GET", "/v1/stats?from=2020-01-01&to=2020-01-02")["data"], [])
        self.ask("GET", "/v1/stats?from=2020-01-01&to=2026-01-02", status=400)


def without_meta(answer):
    """`meta` of a list describes the request."""
    return {name: value for name, value in answer.items() if name != "meta"}


class Conditional(Case):
    def test_what_has_not_changed_is_not_sent_again(self):
        chosen = session()
        post(envelope(hook("SessionStart", chosen, source="startup"), iso(-600)))
        for path in ("/v1/projects", "/v1/models", f"/v1/sessions/{chosen}", f"/v1/sessions/{chosen}/messages"):
            with self.subTest(path):
                first = client.get(path)
                tag = first.headers["etag"]
                self.assertEqual(first.headers["cache-control"], "no-store")
                for known in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
                    answer = client.get(path, **{"If-None-Match": known})
                    self.assertEqual((answer.status, answer.body, answer.headers["etag"]), (304, b"", tag), known)
                    self.assertTrue(answer.headers["x-request-id"])
                again = client.get(path, **{"If-None-Match": '"x"'}).json
                self.assertEqual(without_meta(again), without_meta(first.json))
        before = client.get(f"/v1/sessions/{chosen}").headers["etag"]
        post(envelope(hook("UserPromptSubmit", chosen, prompt="x"), iso(-500)))
        answer = client.get(f"/v1/sessions/{chosen}", **{"If-None-Match": before})
        self.assertEqual(answer.status, 200)
        self.assertNotEqual(answer.headers["etag"], before)

    def test_failures_have_no_tag(self):
        answer = client.get("/v1/sessions/none", **{"If-None-Match": "*"})
        self.assertEqual((answer.status, answer.headers.get("etag")), (404, None))
        self.assertEqual(answer.headers["cache-control"], "no-store")
