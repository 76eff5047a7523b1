"""The requests of the first Swift client of the tool router, as its documents print them, and what its structures decode."""

import re
import unittest

import test_remote_tools as remote_tools
import test_tool_router as tool_router
from harness import Client


def setUpModule():
    remote_tools.setUpModule()


def tearDownModule():
    remote_tools.tearDownModule()


def tool(name, description, *arguments, **hints):
    return {"name": name, "description": description, "annotations": hints,
            "inputSchema": {"type": "object", "properties": {one: {"type": "string"} for one in arguments},
                            "required": list(arguments[:2])}}


class Seed(tool_router.Router):
    settings = {"MONITOR_COMPAT": "seed"}
    prefix = "/api/v3"

    def setUp(self):
        super().setUp()
        with open(self.own.directory / "tools.policy", "w") as file:
            file.write("server=gmail ask=no\n")
        self.name, self.remote = "gmail", self.serve()
        self.remote.tools = [tool("fetch_emails", "Fetches unread emails of a mailbox.", readOnlyHint=True),
                             tool("send_email", "Sends an email via gmail.", "to", "subject", "body"),
                             tool("create_draft", "Creates a draft of an email.", "to", "subject")]
        self.listed(self.add())

    def created(self):
        body = {"user_id": "user_123", "toolkits": ["gmail", "slack", "github"]}
        return self.post(f"{self.prefix}/tool_router/session", body, 201).json

    def test_a_session_with_toolkits_as_a_plain_array(self):
        session = self.created()
        self.assertEqual(session["sessionId"], session["session_id"])
        self.assertEqual((session["mcp"]["type"], session["config"]["toolkits"]),
                         ("http", {"enabled": ["gmail", "slack", "github"]}))
        self.assertIn("COMPOSIO_SEARCH_TOOLS", session["toolRouterTools"])
        tools = self.get(f"{self.prefix}/tool_router/session/{session['sessionId']}/tools", self.key)["items"]
        self.assertEqual([one["slug"] for one in tools], session["toolRouterTools"])

    def test_a_search(self):
        session = self.created()["sessionId"]
        path = f"{self.prefix}/tool_router/session/{session}/execute_meta"
        answer = self.post(path, {"slug": "COMPOSIO_SEARCH_TOOLS", "arguments": {
            "queries": [{"use_case": "fetch unread emails"}]}}).json
        self.assertEqual(answer["data"]["results"][0]["primary_tool_slugs"][0], "GMAIL_FETCH_EMAILS")
        answer = self.post(path, {"tool_name": "COMPOSIO_SEARCH_TOOLS", "arguments": {
            "queries": [{"use_case": "send an email via gmail"}], "session": {"id": "load"}}}).json
        self.assertEqual(answer["error"], None)
        self.assertEqual(answer["logId"], answer["log_id"])
        self.assertRegex(answer["log_id"], "^log_[0-9A-Za-z]{12}$")
        data, result = answer["data"], answer["data"]["results"][0]
        self.assertEqual(set(result), {
            "index", "use_case", "execution_guidance", "recommended_plan_steps", "known_pitfalls", "difficulty",
            "primary_tool_slugs", "related_tool_slugs", "toolkits", "is_empty", "toolkit_connection_statuses"})
        self.assertEqual((result["index"], result["use_case"], result["primary_tool_slugs"][0], result["known_pitfalls"],
                          result["difficulty"], result["toolkits"], result["is_empty"]),
                         (1, "send an email via gmail", "GMAIL_SEND_EMAIL", [], "easy", ["gmail"], False))
        self.assertTrue(result["execution_guidance"].startswith("IMPORTANT: Follow the recommended plan"))
        self.assertEqual(result["recommended_plan_steps"],
                         ["Required Step 1: Use GMAIL_SEND_EMAIL. Required arguments: to, subject."])
        status = result["toolkit_connection_statuses"][0]
        self.assertEqual((status["toolkit"], status["has_active_connection"]), ("gmail", True))
        self.assertEqual((data["session"]["id"], data["session"]["generate_id"], data["success"]), ("load", False, True))
        self.assertEqual(data["session"]["instructions"],
                         "REQUIRED: Pass session_id 'load' in ALL subsequent meta tool calls.")
        self.assertTrue(all(re.match(r"[0-9]\) ", step) for step in data["next_steps_guidance"]))

    def test_calls(self):
        session = self.created()["sessionId"]
        answer = self.post(f"{self.prefix}/tool_router/session/{session}/execute", {
            "tool_name": "GMAIL_FETCH_EMAILS", "arguments": {"query": "is:unread", "max_results": 25}}).json
        self.assertEqual((answer["data"], answer["error"]), ({"query": "is:unread", "max_results": 25}, None))
        found = self.get(f"{self.prefix}/tools?toolkit_slug=gmail", self.key)["items"]
        self.assertEqual([one["slug"] for one in found], ["GMAIL_CREATE_DRAFT", "GMAIL_FETCH_EMAILS", "GMAIL_SEND_EMAIL"])
        sent = self.post(f"{self.prefix}/tools/execute/GMAIL_SEND_EMAIL", {
            "user_id": "user_123", "arguments": {"to": "user@example.com", "subject": "Hello"}}).json
        self.assertEqual((sent["successful"], sent["data"]), (True, {"to": "user@example.com", "subject": "Hello"}))
        found = self.get(f"{self.prefix}/tools?search=send+email", self.key)["items"]
        self.assertEqual(found[0]["slug"], "GMAIL_SEND_EMAIL")

    def test_connections_of_toolkits_that_need_no_login_and_of_others(self):
        session = self.created()["sessionId"]
        answer = self.post(f"{self.prefix}/tool_router/session/{session}/execute_meta", {
            "slug": "COMPOSIO_MANAGE_CONNECTIONS", "arguments": {"toolkits": ["gmail", "notion"]}}).json
        self.assertEqual(answer["data"], {"message": "All toolkits are connected.", "results": {
            "gmail": {"toolkit": "gmail", "status": "active", "was_reinitiated": False}}})

    def test_the_key_is_missing_or_sends_too_much(self):
        answer = Client(self.own.address).request("POST", f"{self.prefix}/tool_router/session", {"user_id": "u"})
        error = self.refused(answer, 401, "HTTP_Unauthorized")
        self.assertEqual((error["reason"], error["suggested_fix"]),
                         ("missing_api_key", "Send an API key of this server in the header x-api-key."))
        key = self.program(requests_per_minute=2)
        for _ in range(2):
            self.get(f"{self.prefix}/toolkits", key)
        answer = self.ask("GET", f"{self.prefix}/toolkits", token=key)
        error = self.refused(answer, 429, "HTTP_TooManyRequests")
        self.assertEqual(str(error["retry_after"]), answer.headers["retry-after"])
        self.refused(self.ask("GET", f"{self.prefix}/none", token=self.key), 404, "HTTP_NotFound")


if __name__ == "__main__":
    unittest.main()
