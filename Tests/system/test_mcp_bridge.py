"""The bridge `monitor-agent mcp` between Claude Code and the server: what a person allows runs only if the file of the machine
permits it."""

import json
import os
import socket
import unittest

import harness
import test_mcp as mcp
from bridges import META, Asked, Bridge, Place
from harness import PATIENCE, Server, alive, envelope, hook, session, wait_for

ALLOW = {"behavior": "allow"}
REFUSAL = "The approvals file of this machine lets nobody answer this from another device."


def setUpModule():
    global server, key
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("bridged")


def tearDownModule():
    harness.end_everything()


def answer(prompt, at=None, **body):
    told = (at or server).client().request("POST", f"/v1/prompts/{prompt['id']}/answer", body or {"decision": "allow"})
    assert told.status == 200, told


class WithBridge(unittest.TestCase):
    approvals = None

    def setUp(self):
        self.place = Place(f"http://{server.address}", key, self.approvals)
        self.session = session()
        self.place.register(self.session)
        self.bridge = self.open()

    def open(self, *flags, **environment):
        bridge = Bridge(self.place, *flags, **environment)
        self.addCleanup(bridge.end)
        return bridge

    def prompts(self, at=None):
        return (at or server).read_derived(f"/v1/prompts?session_id={self.session}").json["prompts"]

    def prompt(self, at=None):
        """The prompt, once it can be answered."""
        def found():
            open_ones = [prompt for prompt in self.prompts(at) if prompt["state"] == "open" and prompt["answerable"]]
            return open_ones and open_ones[0]
        return wait_for(found, "the prompt can be answered")


class Passing(WithBridge):
    def test_both_eras(self):
        version = mcp.MEMBER + "protocolVersion"
        meta = {version: mcp.MODERN, mcp.MEMBER + "clientCapabilities": {}, mcp.MEMBER + "clientInfo": {"name": "t", "version": "1"}}
        found = self.bridge.ask("server/discover", {"_meta": meta})
        self.assertEqual(found["result"]["supportedVersions"], [mcp.MODERN])
        tools = self.bridge.ask("tools/list", {"_meta": meta})["result"]
        self.assertEqual(([tool["name"] for tool in tools["tools"]][-1], tools["resultType"]), ("approve", "complete"))
        told = self.bridge.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                              "clientInfo": {"name": "t", "version": "1"}})
        self.assertEqual(told["result"]["protocolVersion"], "2025-11-25")
        self.bridge.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.assertEqual(self.bridge.ask("ping")["result"], {})
        older = self.bridge.ask("tools/list")["result"]
        self.assertEqual((older["tools"], "resultType" in older), (tools["tools"], False))

    def test_tools_read_the_machines_own_sessions(self):
        client = server.client(key)
        self.assertEqual(client.request("POST", "/api/events", envelope(hook("SessionStart", self.session))).status, 202)
        found = wait_for(lambda: [one for one in self.bridge.call("list_sessions")["sessions"] if one["id"] == self.session],
                         "the session is listed")
        self.assertEqual(len(found), 1)
        self.assertIn("session_not_found", self.bridge.call("get_session", {"session_id": session()}))

    def test_what_the_server_refuses(self):
        self.assertEqual(self.bridge.ask("prompts/list")["error"]["code"], -32601)
        self.assertEqual(self.bridge.ask("tools/call", {"name": "nothing"})["error"]["code"], -32602)
        self.assertIn("missing_parameter", self.bridge.call("search"))

    def test_odd_lines(self):
        for line, code in ((b"{", -32700), (b"[]", -32600), (b"7", -32600), (b'{"id":null,"method":"ping"}', -32600),
                           (b'{"id":{},"method":"ping"}', -32600), (b" " * (17 << 20), -32600)):
            with self.subTest(line[:40]):
                self.bridge.write(line)
                told = self.bridge.strays.get(timeout=PATIENCE)
                self.assertEqual((told["id"], told["error"]["code"]), (None, code))
        self.bridge.write({"jsonrpc": "2.0", "id": "x", "method": "a\nb"})
        self.assertEqual(self.bridge.answer("x")["error"]["code"], -32601)
        large = self.bridge.ask("tools/call", {"name": "search", "arguments": {"q": "x" * (1 << 20)}})
        self.assertIn("too_large", large["result"]["content"][0]["text"])
        self.assertEqual(self.bridge.ask("ping")["result"], {})

    def test_the_key_is_on_no_command_line_and_no_variable_counts(self):
        own = self.open(http_proxy="http://127.0.0.1:9", ALL_PROXY="http://127.0.0.1:9", SSLKEYLOGFILE="/tmp/never", CURL_HOME="/tmp")
        Asked(own)
        self.prompt()
        children = own.children()
        self.assertEqual(len(children), 1)
        for words, variables in children.values():
            self.assertIn("curl", words)
            self.assertNotIn(key, words + variables)
            self.assertNotIn("cmk_", words + variables)
            names = {entry.partition("=")[0] for entry in variables.split("\0") if entry}
            self.assertLessEqual(names, {"HOME", "PATH", "LANG", "USER", "SHELL"})


class Approving(WithBridge):
    def test_allowed_without_a_grant_in_the_clients_session(self):
        asked = Asked(self.bridge)
        prompt = self.prompt()
        self.assertEqual((prompt["tool_name"], prompt["tool_input"], prompt["tool_use_id"], prompt["session_id"]),
                         ("Bash", asked.input, asked.call, self.session))
        answer(prompt)
        self.assertEqual(asked.said(), ALLOW)

    def test_denied_with_a_persons_words(self):
        asked = Asked(self.bridge)
        answer(self.prompt(), decision="deny", message="not today", interrupt=True)
        self.assertEqual(asked.said(), {"behavior": "deny", "message": "not today", "interrupt": True})

    def test_allowed_for_the_session(self):
        asked = Asked(self.bridge, command="make test", description="x")
        answer(self.prompt(), decision="allow", scope="session")
        self.assertEqual(asked.said(), {**ALLOW, "updatedPermissions": [{
            "type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "make test"}], "behavior": "allow",
            "destination": "session"}]})

    def test_the_file_forbids_what_the_server_allows(self):
        for text in ("who=notify\n", "tool=Bash hold=0\n", "this is no rule\n"):
            with self.subTest(text):
                self.place.write("approvals", "")
                self.session = session()
                self.place.register(self.session)
                asked = Asked(self.bridge)
                prompt = self.prompt()
                self.place.write("approvals", text)
                answer(prompt)
                said = asked.said()
                self.assertEqual(said["behavior"], "deny")
                self.assertRegex(said["message"], "file")

    def test_what_the_file_lets_nobody_answer_is_not_asked(self):
        self.place.write("approvals", "tool=Bash who=notify\nproject=" + str(self.place.project) + " tool=Read who=off\n")
        self.assertEqual(Asked(self.bridge).said(), {"behavior": "deny", "message": REFUSAL})
        self.assertEqual(Asked(self.bridge, "Read", file_path="/etc/hosts").said(), {"behavior": "deny", "message": REFUSAL})
        self.assertEqual(self.prompts(), [])
        asked = Asked(self.bridge, "Write", file_path=str(self.place.project / "x"), content="y")
        answer(self.prompt())
        self.assertEqual(asked.said(), ALLOW)

    def test_the_file_says_how_long_and_who(self):
        self.place.write("approvals", "tool=Bash hold=1\ndevices=999999\n")
        self.assertEqual(Asked(self.bridge).said(), {"behavior": "deny", "message": "Nobody answered in time."})
        asked = Asked(self.bridge, "Write", file_path=str(self.place.project / "x"), content="y")
        prompt = self.prompt()
        told = server.client().request("POST", f"/v1/prompts/{prompt['id']}/answer", {"decision": "allow"})
        self.assertEqual(told.status, 403)
        self.assertTrue(self.bridge.answers(asked.number).empty())

    def test_a_call_of_the_model_itself(self):
        number = self.bridge.send("tools/call", {"name": "approve", "_meta": {META: "toolu_other"}, "arguments": {
            "tool_name": "Bash", "input": {"command": "true"}, "tool_use_id": "toolu_mine"}})
        said = json.loads(self.bridge.answer(number)["result"]["content"][0]["text"])
        self.assertEqual(said["behavior"], "deny")
        self.assertEqual(self.prompts(), [])
        for arguments in ({}, {"tool_name": "Bash"}, {"tool_name": "", "input": {}}, {"tool_name": "Bash", "input": []}):
            number = self.bridge.send("tools/call", {"name": "approve", "arguments": arguments})
            said = json.loads(self.bridge.answer(number)["result"]["content"][0]["text"])
            self.assertEqual(said["behavior"], "deny")


class Ends(WithBridge):
    def test_the_client_goes_away(self):
        Asked(self.bridge)
        self.prompt()
        children = list(self.bridge.children())
        self.assertEqual(len(children), 1)
        self.assertEqual(self.bridge.close(), 0)
        wait_for(lambda: not any(alive(child) for child in children), "the request has ended")

    def test_the_client_takes_a_call_back(self):
        asked = Asked(self.bridge)
        self.prompt()
        children = list(self.bridge.children())
        self.bridge.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked.number}})
        wait_for(lambda: not any(alive(child) for child in children), "the request has ended")
        self.assertEqual(self.bridge.ask("ping")["result"], {})
        self.assertTrue(self.bridge.answers(asked.number).empty())

    def test_the_server_is_restarted_in_the_wait(self):
        own = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(own.end)
        self.place.write("config", f"url=http://{own.address}\nkey={own.key('own')}\n")
        bridge = self.open()
        asked = Asked(bridge)
        prompt = self.prompt(own)
        own.settings["MONITOR_LISTEN"] = own.address
        own.kill()
        own.start()
        self.assertEqual(self.prompt(own)["id"], prompt["id"])
        answer(prompt, own)
        self.assertEqual(asked.said(), ALLOW)

    def test_the_server_is_away(self):
        with socket.create_server(("127.0.0.1", 0)) as place:
            port = place.getsockname()[1]
        self.place.write("config", f"url=http://127.0.0.1:{port}\nkey={key}\n")
        self.place.write("approvals", "hold=1\n")
        said = Asked(self.open()).said()
        self.assertEqual(said, {"behavior": "deny", "message": "The monitor's server cannot be reached."})

    def test_a_key_that_does_not_count(self):
        self.place.write("config", f"url=http://{server.address}\nkey=cmk_{'x' * 36}\n")
        bridge = self.open()
        self.assertRegex(bridge.call("list_sessions"), "^invalid_key: ")
        self.assertEqual(Asked(bridge).said()["behavior"], "deny")
        self.assertIn("key", bridge.ask("ping")["error"]["message"])

    def test_no_configuration(self):
        os.remove(self.place.settings / "config")
        bridge = self.open()
        self.assertEqual(bridge.process.wait(PATIENCE), 78)
        self.assertIn("install the hooks first", bridge.process.stderr.read().decode())


if __name__ == "__main__":
    unittest.main()
