"""Messages and interrupts from devices: the poster, the inbox socket, and what the other hooks print about them."""

import json
import os
import socket
import subprocess
import threading
import time
import unittest

from prompt_support import SESSION, encode, request, write_approvals
from scripted_server import ScriptedServer
from support import BASH, HOOK, HOOKS, MachineCase

POLL = "GET /api/messages"
OTHER = SESSION.replace("001", "002")


class Inbox:
    """Claude Code's inbox socket, which reads lines and never answers."""

    def __init__(self, path):
        self.path, self.lines = path, []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.read, args=(peer,), daemon=True).start()

    def read(self, peer):
        with peer, peer.makefile("rb") as file:
            for line in file:
                self.lines.append(json.loads(line))

    def texts(self):
        return [line["message"]["content"] for line in self.lines]

    def close(self):
        self.socket.close()


class MessageCase(MachineCase):
    def setUp(self):
        super().setUp()
        self.server = ScriptedServer()
        self.addCleanup(self.server.stop)
        self.server.on("POST /api/messages/*", (204,))
        self.inbox = Inbox(os.path.join(self.machine.home, "inbox"))
        self.addCleanup(self.inbox.close)
        self.client = subprocess.Popen(["sleep", "120"])
        self.addCleanup(self.end_client)
        self.env = self.machine.env(self.server.url, CLAUDE_PID=str(self.client.pid), CLAUDE_CODE_ENTRYPOINT="cli",
                                    CLAUDE_CODE_MESSAGING_SOCKET=self.inbox.path)
        self.place = os.path.join(self.machine.state, "posters")

    def end_client(self):
        self.client.kill()
        self.client.wait(5)

    def poster(self, session=SESSION, **extra):
        process = subprocess.Popen([BASH, "-p", HOOK, "poster"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**self.env, **extra}, start_new_session=True)
        process.stdin.write(encode({"session_id": session, "hook_event_name": "SessionStart", "source": "startup"}))
        process.stdin.close()
        process.stdin = None
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        self.end_client()
        try:
            self.assertEqual((process.wait(40), process.stdout.read(), process.stderr.read()), (0, b"", b""))
        finally:
            process.stdout.close()
            process.stderr.close()

    def receipts(self, count=1, seconds=40):
        found = self.server.wait_sent("POST /api/messages/", count, seconds)
        return [(one.path.split("/")[3], one.json()["state"]) for one in found]

    def fire_hook(self, event, **fields):
        body = json.dumps({"session_id": SESSION, "hook_event_name": event, **fields}, ensure_ascii=False, separators=(",", ":"))
        code, out, err = self.machine.fire(self.env, body.encode() + b"\n", event)
        self.assertEqual((code, err), (0, b""))
        return json.loads(out) if out else None

    @staticmethod
    def message(number, text):
        return 200, {"message": {"id": "msg_%s" % number, "text": text}}


class Poster(MessageCase):
    def test_messages_in_order_and_once(self):
        texts = ["Also update the README.", 'a "b" \\ \n\té \U0001f680 \u2028', "/clear", "x" * 20000]
        steps = [self.message(n, text) for n, text in enumerate(texts)]
        # The receipt of the second message got lost, so the server sends the message again.
        self.server.on(POLL, *steps[:2], steps[1], *steps[2:], "hang")
        self.poster()
        self.assertEqual(self.receipts(5), [("msg_0", "delivered"), ("msg_1", "delivered"), ("msg_1", "delivered"),
                                                ("msg_2", "delivered"), ("msg_3", "delivered")])
        self.assertEqual(self.inbox.texts(), texts)
        self.assertEqual({line["type"] for line in self.inbox.lines}, {"user"})
        polls = self.server.sent(POLL)
        self.assertEqual(polls[0].path, "/api/messages?pid=%d&session_id=%s" % (self.client.pid, SESSION))
        self.assertIn("X-Machine-Time", polls[0].headers)

    def test_session_after_clear(self):
        self.server.on(POLL, "hang")
        self.poster()
        self.server.wait_sent(POLL)
        second = self.poster(OTHER)
        self.assertEqual(second.wait(20), 0, "one poster works for a process")
        found = self.server.wait_sent(POLL, 2, 10)
        self.assertEqual([one.path.rpartition("=")[2] for one in found], [SESSION, OTHER])

    def test_ends_with_the_client(self):
        self.server.on(POLL, "hang")
        poster = self.poster()
        self.server.wait_sent(POLL)
        began = time.monotonic()
        self.end_client()
        self.assertEqual(poster.wait(40), 0)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(os.listdir(self.place), [])

    def test_server_that_comes_back(self):
        self.server.on(POLL, (503, {}), "drop", self.message(1, "Hello"), "hang")
        self.poster()
        self.assertEqual(self.receipts(), [("msg_1", "delivered")])

    def test_server_without_messages_ends_it(self):
        for status in (401, 403, 404, 410):
            with self.subTest(status):
                self.server.on(POLL, (status, {}))
                self.assertEqual(self.poster().wait(40), 0)

    def test_a_server_that_always_has_a_message_is_asked_less_and_less(self):
        """Only pauses move the clock. The server gives 200 answers, each at once."""
        script = """clock_s=1000; . "$1/common.sh"; . "$1/poll.sh"; . "$1/message.sh"
            clock_now() { :; }; poll_pause() { paused=$((paused + $1)); clock_s=$((clock_s + $1)); }
            allowed=$poster_burst allowed_since=$clock_s paused=0
            for i in {1..200}; do poster_spend; ((i == 10)) && echo $paused; done; echo $paused"""
        done = subprocess.run([BASH, "-c", script, "x", os.path.join(HOOKS, "lib")], stdout=subprocess.PIPE, check=True, timeout=20)
        first, all_of_them = map(int, done.stdout.split())
        self.assertEqual(first, 10)
        self.assertGreater(all_of_them, 800)

    def test_client_without_a_socket(self):
        self.server.on(POLL, self.message(1, "Hello"), "hang")
        self.poster(CLAUDE_CODE_MESSAGING_SOCKET="")
        self.assertEqual(self.receipts(), [("msg_1", "failed")])
        self.assertTrue(self.server.sent(POLL)[0].path.endswith("&socket=no"))
        self.assertEqual(self.inbox.lines, [])

    def test_no_poster_without_a_terminal_a_client_or_the_machine_s_own_server(self):
        self.server.on(POLL, "hang")
        for extra in ({"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, {"CLAUDE_PID": ""}, {"CLAUDE_MONITOR_KEY": ""}):
            self.assertEqual(self.poster(**extra).wait(20), 0)
        self.assertEqual(self.server.sent(POLL), [])

    def test_odd_answers(self):
        self.server.on(POLL, (200, b""), (200, b"[1]"), (200, {"message": {"id": "../x", "text": "a"}}),
                       (200, b'{"x":[' + b"1," * 100000 + b'1],"message":{"id":"msg_1","text":"many values"}}'),
                       (200, {"x": "x" * 300000, "message": {"id": "msg_1", "text": "large"}}),
                       (200, {"message": {"id": "msg_1"}}), (200, {"message": {"id": "msg_1", "text": {"a": 1}}}),
                       self.message(2, "Hello"), "hang")
        self.poster()
        self.assertEqual(self.receipts(), [("msg_2", "delivered")])
        self.assertEqual(self.inbox.texts(), ["Hello"])

    def test_key_is_on_no_command_line_and_a_poster_is_no_event(self):
        self.server.on(POLL, "hang")
        poster = self.poster()
        self.server.wait_sent(POLL)
        lines = b""
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.getsid(int(name)) == poster.pid:
                    with open("/proc/%s/cmdline" % name, "rb") as file:
                        lines += file.read()
            except OSError:
                pass
        self.assertIn(b"curl", lines)
        self.assertNotIn(b"cmk_", lines)
        self.assertEqual(self.machine.spooled() + self.server.events(), [])


class Forbidden(MessageCase):
    """The approvals file says whether devices may send messages to its sessions, whatever the server does."""

    def test_messages_that_the_file_forbids(self):
        for text in ("messages=off", "messages=off project=/home/u/p\nmessages=on", "who=everybody"):
            with self.subTest(text):
                write_approvals(self.machine, text)
                self.server.requests.clear()
                self.server.on(POLL, self.message(1, "Hello"), "hang")
                poster = self.poster(CLAUDE_PROJECT_DIR="/home/u/p")
                self.assertEqual(self.receipts(), [("msg_1", "failed")])
                detail = self.server.sent("POST /api/messages/")[0].json()["detail"]
                self.assertIn("approvals file", detail)
                self.assertTrue(self.server.sent(POLL)[0].path.endswith("&socket=no"))
                self.assertEqual(self.inbox.lines, [])
                os.kill(poster.pid, 15)
                poster.wait(20)

    def test_messages_that_the_file_allows(self):
        write_approvals(self.machine, "messages=off project=/elsewhere\nwho=notify")
        self.server.on(POLL, self.message(1, "Hello"), "hang")
        self.poster(CLAUDE_PROJECT_DIR="/home/u/p")
        self.assertEqual(self.receipts(), [("msg_1", "delivered")])
        self.assertEqual(self.inbox.texts(), ["Hello"])

    def test_file_that_changes_while_the_poster_waits(self):
        write_approvals(self.machine, "messages=on")

        def forbid(_):
            write_approvals(self.machine, "messages=off")
            return self.message(1, "Hello")
        self.server.on(POLL, forbid, "hang")
        self.poster()
        self.assertEqual(self.receipts(), [("msg_1", "failed")])
        self.assertEqual(self.inbox.lines, [])


class Origin(MessageCase):
    def deliver(self, text):
        self.server.on(POLL, self.message(1, text), "hang")
        self.poster()
        self.receipts()

    def test_prompt_of_a_message_is_told_to_come_from_the_phone(self):
        text = 'Say "é" \\ \n\t\x01 \u2028 now'
        self.deliver(text)
        told = self.fire_hook("UserPromptSubmit", prompt=text)
        self.assertEqual(told, {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit",
                                                       "additionalContext": "The user typed this message on another device."}})
        self.assertIsNone(self.fire_hook("UserPromptSubmit", prompt=text), "once")

    def test_message_to_a_busy_session_is_told_after_its_tools(self):
        self.assertIsNone(self.fire_hook("PostToolBatch", tool_calls=[]))
        self.deliver("Hello")
        self.assertIsNone(self.fire_hook("PostToolBatch", tool_calls=[], agent_id="a1"), "a subagent reads no messages")
        self.assertIsNone(self.fire_hook("PostToolUse", tool_name="Bash", tool_input={}))
        told = {"hookEventName": "PostToolBatch",
                "additionalContext": "The message that comes with these results was typed by the user on another device."}
        self.assertEqual(self.fire_hook("PostToolBatch", tool_calls=[]), {"hookSpecificOutput": told})
        self.assertIsNone(self.fire_hook("PostToolBatch", tool_calls=[]), "once")
        self.assertIsNotNone(self.fire_hook("UserPromptSubmit", prompt="Hello"), "where it is a prompt after all")
        self.server.steps[POLL] = [self.message(2, "Again"), "hang"]
        self.server.release.set()
        self.receipts(2)
        self.assertIsNone(self.fire_hook("PostToolBatch", tool_calls=[]), "this Claude Code makes a prompt of each")
        self.assertIsNotNone(self.fire_hook("UserPromptSubmit", prompt="Again"))

    def test_message_that_began_a_turn_is_not_told_again(self):
        self.deliver("Hello")
        self.assertIsNotNone(self.fire_hook("UserPromptSubmit", prompt="Hello"))
        self.assertIsNone(self.fire_hook("PostToolBatch", tool_calls=[]))

    def test_prompt_from_the_keyboard_is_not(self):
        self.deliver("Hello")
        self.assertIsNone(self.fire_hook("UserPromptSubmit", prompt="Hello there"))
        self.assertIsNone(self.fire_hook("UserPromptSubmit", prompt="Hello"))


class Interrupt(MessageCase):
    def setUp(self):
        super().setUp()
        self.server.on(POLL, (200, {"interrupt": {"id": "int_1"}}), "hang")
        self.poster()
        self.flag = os.path.join(self.place, "%d.interrupt" % self.client.pid)
        self.assertTrue(self.machine.wait(lambda: os.path.exists(self.flag) and os.path.getsize(self.flag)))

    def test_before_a_tool(self):
        printed = self.fire_hook("PreToolUse", tool_name="Bash", tool_input={})
        self.assertFalse(printed["continue"])
        self.assertEqual(printed["hookSpecificOutput"]["permissionDecision"], "deny")
        self.assertIsNone(self.fire_hook("PreToolUse", tool_name="Bash", tool_input={}), "once")
        self.assertEqual(self.receipts(), [("int_1", "applied")])

    def test_after_a_tool(self):
        self.assertFalse(self.fire_hook("PostToolBatch", tool_calls=[])["continue"])
        self.assertEqual(self.receipts(), [("int_1", "applied")])

    def test_tool_of_a_subagent_is_not_the_turn(self):
        self.assertIsNone(self.fire_hook("PreToolUse", agent_id="a1", tool_name="Bash"))
        self.assertTrue(os.path.exists(self.flag))

    def test_turn_that_ended_before(self):
        self.assertIsNone(self.fire_hook("Stop"))
        self.assertIsNone(self.fire_hook("PreToolUse", tool_name="Bash"))
        self.assertEqual(self.receipts(), [("int_1", "failed")])


class OtherHooks(MessageCase):
    def test_without_a_poster_nothing_is_printed(self):
        for event in ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionEnd"):
            self.assertIsNone(self.fire_hook(event))

    def test_permission_request_is_held_as_ever(self):
        self.server.on("POST /api/prompts", (200, {}))
        self.assertEqual(self.machine.fire(self.env, encode(request()), "PermissionRequest"), (0, b"", b""))


if __name__ == "__main__":
    unittest.main()
