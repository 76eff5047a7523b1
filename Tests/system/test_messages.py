"""Messages to sessions: the server queues them for the machine and delivers them in order, one at a time, and the machine sends
receipts."""

import threading
import time
import unittest
import uuid

import harness
import test_devices as devices
import transcripts
from harness import Client, Server, envelope, hook, session, wait_for


def setUpModule():
    global server, key, other, phone
    server = devices.server = Server(MONITOR_RATE_LIMIT="off").start()
    key, other = server.key("desk"), server.key("rack")
    phone = devices.pair("phone")


def tearDownModule():
    server.end()


def request(method, path, body=None, token=None):
    client = Client(server.address, token or phone["access_token"], timeout=60)
    try:
        return client.request(method, path, body)
    finally:
        client.close()


def happens(chosen, name, token=None, **fields):
    posted = request("POST", "/api/events", envelope(hook(name, chosen, **fields)), token or key)
    assert posted.status == 202, posted


class Poster:
    """The poster that runs on the machine beside a session: polls for messages, and sends receipts."""

    def __init__(self, chosen, more=""):
        self.chosen, self.more = chosen, more

    def ask(self, token=None):
        return request("GET", f"/api/messages?pid=17&session_id={self.chosen}{self.more}", token=token or key)

    def ask_later(self, token=None):
        """Polls in a thread. Returns a list that gets the answer."""
        answers = []
        threading.Thread(target=lambda: answers.append(self.ask(token)), daemon=True).start()
        return answers

    def receipt(self, id, state, token=None, **more):
        return request("POST", f"/api/messages/{id}/receipt", {"state": state, **more}, token or key)

    def settle(self, at=None, token=None):
        """The machine polls once, and then stops waiting."""
        client = Client((at or server).address, token or key, timeout=0.5)
        try:
            client.get(f"/api/messages?pid=17&session_id={self.chosen}{self.more}")
        except OSError:
            pass
        client.close()
        return self


def begun(more=""):
    """A session that accepts messages."""
    chosen = session()
    happens(chosen, "SessionStart", source="startup")
    poster = Poster(chosen, more)

    def is_known():
        poster.settle()
        return server.get(f"/v1/sessions/{chosen}").json.get("accepts_messages") is ("socket=no" not in more)
    # On a busy machine the poll can end before the server has noted it.
    wait_for(is_known, "the server knows whether the session takes messages")
    return chosen, poster


def send(chosen, text, id=None, token=None):
    return request("POST", f"/v1/sessions/{chosen}/input", {"text": text, **({"message_id": id} if id else {})}, token)


def listed(chosen):
    return [(one.get("text"), one["state"]) for one in server.get(f"/v1/sessions/{chosen}/input").json["messages"]]


class Accepting(unittest.TestCase):
    """Clients can see whether a session accepts messages."""

    def shown(self, chosen):
        listed = [one for one in server.get("/v1/sessions?limit=100").json["sessions"] if one["id"] == chosen]
        one = server.get(f"/v1/sessions/{chosen}").json
        self.assertEqual([found.get("accepts_messages") for found in listed], [one.get("accepts_messages")])
        return one.get("accepts_messages")

    def test_whether_a_session_takes_messages(self):
        chosen, _ = begun()
        self.assertIs(self.shown(chosen), True)
        happens(chosen, "SessionEnd", reason="exit")
        self.assertIs(self.shown(chosen), False)

    def test_a_claude_code_without_an_inbox(self):
        chosen, _ = begun("&socket=no")
        self.assertIs(self.shown(chosen), False)
        self.assertEqual(send(chosen, "Hello.").status, 409)

    def test_a_machine_that_has_never_asked(self):
        chosen = session()
        happens(chosen, "SessionStart", source="startup")
        self.assertIsNone(self.shown(chosen))
        self.assertEqual(send(chosen, "Hello.").status, 409)


class Sending(unittest.TestCase):
    def test_a_message_that_is_read(self):
        chosen, poster = begun()
        answers = poster.ask_later()
        queued = send(chosen, "Also update the README.")
        self.assertEqual((queued.status, queued.json["state"]), (202, "queued"), queued)
        self.assertTrue(queued.json["id"].startswith("msg_"))
        self.assertEqual(queued.json["by"], {"kind": "device", "id": phone["device_id"], "name": "phone"})
        offered = wait_for(lambda: answers, "the machine gets it")[0]
        self.assertEqual((offered.status, offered.json),
                         (200, {"message": {"id": queued.json["id"], "text": "Also update the README."}}))
        self.assertEqual(poster.receipt(queued.json["id"], "delivered").status, 204)
        self.assertEqual(listed(chosen), [("Also update the README.", "delivered")])
        happens(chosen, "UserPromptSubmit", prompt="Also update the README.")
        wait_for(lambda: listed(chosen) == [("Also update the README.", "read")], "it is read")

    def test_the_order_and_one_at_a_time(self):
        chosen, poster = begun()
        texts = [f"step {number}" for number in range(5)]
        ids = [send(chosen, text).json["id"] for text in texts]
        for id, text in zip(ids, texts):
            offered = poster.ask().json["message"]
            self.assertEqual((offered["id"], offered["text"]), (id, text))
            self.assertEqual(poster.receipt(id, "delivered").status, 204)
            happens(chosen, "UserPromptSubmit", prompt=text)
            wait_for(lambda: (text, "read") in listed(chosen), "it is read")
        self.assertEqual(listed(chosen), [(text, "read") for text in texts])

    def test_fifty_in_a_row_and_no_more(self):
        chosen, poster = begun()
        texts = [f"message {number}" for number in range(50)]
        self.assertEqual({send(chosen, text).status for text in texts}, {202})
        full = send(chosen, "one too many")
        self.assertEqual((full.status, full.json["error"]["code"]), (503, "queue_full"))
        got = []
        for _ in texts:
            offered = poster.ask().json["message"]
            got.append(offered["text"])
            poster.receipt(offered["id"], "delivered")
            happens(chosen, "UserPromptSubmit", prompt=offered["text"])
            wait_for(lambda: (offered["text"], "read") in listed(chosen), "it is read")
        self.assertEqual(got, texts)
        self.assertEqual(listed(chosen), [(text, "read") for text in texts])

    def test_three_at_once_come_each_once(self):
        chosen, poster = begun()
        threads = [threading.Thread(target=send, args=(chosen, f"at once {number}")) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        got = []
        for _ in range(3):
            offered = poster.ask().json["message"]
            got.append(offered["text"])
            poster.receipt(offered["id"], "delivered")
            happens(chosen, "UserPromptSubmit", prompt=offered["text"])
            wait_for(lambda: (offered["text"], "read") in listed(chosen), "it is read")
        self.assertEqual(sorted(got), [f"at once {number}" for number in range(3)])
        self.assertEqual([text for text, _ in listed(chosen)], got, "in the order in which they were queued")

    def test_a_server_that_dies_with_messages_queued_and_delivered(self):
        chosen, poster = begun()
        first, second = send(chosen, "before").json["id"], send(chosen, "after").json["id"]
        poster.receipt(poster.ask().json["message"]["id"], "delivered")
        server.kill()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()
        self.assertEqual(listed(chosen), [("before", "delivered"), ("after", "queued")])
        happens(chosen, "UserPromptSubmit", prompt="before")
        self.assertEqual(poster.ask().json["message"]["id"], second)
        wait_for(lambda: ("before", "read") in listed(chosen), "the receipt is found after the restart")

    def test_a_client_that_has_gone(self):
        chosen, poster = begun()
        send(chosen, "nobody reads this")
        for sessions in ([{"session_id": chosen, "pid": 7, "status": "busy"}], []):
            self.assertEqual(request("POST", "/api/heartbeat", {
                "machine_id": "m", "timestamp": harness.iso(0), "sessions": sessions}, key).status, 202)
        wait_for(lambda: listed(chosen) == [("nobody reads this", "failed")], "it has failed")
        self.assertEqual(send(chosen, "nor this").json["error"]["code"], "not_reachable")

    def test_after_a_clear_the_new_session_is_spoken_to(self):
        """/clear ends the session. Another one begins in the same process, with the same socket."""
        chosen, poster = begun()
        send(chosen, "to the old one")
        happens(chosen, "SessionEnd", reason="clear")
        wait_for(lambda: listed(chosen) == [("to the old one", "failed")], "it has failed")
        renewed, poster = begun()
        send(renewed, "to the new one")
        self.assertEqual(poster.ask().json["message"]["text"], "to the new one")

    def test_while_a_dialog_is_open(self):
        """A message is not an answer. The prompt stays open, and the session reads the message later."""
        chosen, poster = begun()
        happens(chosen, "PermissionRequest", tool_name="Bash", tool_input={"command": "x"})
        send(chosen, "yes")
        offered = poster.ask().json["message"]
        poster.receipt(offered["id"], "delivered")
        self.assertEqual([one["state"] for one in server.get(f"/v1/prompts?session_id={chosen}").json["prompts"]], ["open"])
        self.assertEqual(listed(chosen), [("yes", "delivered")])

    def test_the_next_waits_for_the_receipt(self):
        chosen, poster = begun()
        first, second = send(chosen, "one").json["id"], send(chosen, "two").json["id"]
        self.assertEqual(poster.ask().json["message"]["id"], first)
        poster.receipt(first, "delivered")
        answers = poster.ask_later()
        happens(chosen, "UserPromptSubmit", prompt="something that the person typed")
        self.assertEqual(listed(chosen), [("one", "delivered"), ("two", "queued")])
        happens(chosen, "UserPromptSubmit", prompt="one")
        self.assertEqual(wait_for(lambda: answers, "the next is offered")[0].json["message"]["id"], second)

    def test_a_machine_that_was_lost_gets_it_again(self):
        chosen, poster = begun()
        id = send(chosen, "again").json["id"]
        self.assertEqual([poster.ask().json["message"]["id"] for _ in range(2)], [id, id])

    def test_a_repeated_request_is_one_message(self):
        chosen, poster = begun()
        id = str(uuid.uuid4())
        first, again = send(chosen, "once", id), send(chosen, "once", id)
        self.assertEqual((first.json["id"], first.json["message_id"]), (again.json["id"], id))
        self.assertEqual(listed(chosen), [("once", "queued")])

    def test_a_message_that_is_cancelled(self):
        chosen, poster = begun()
        first, second = send(chosen, "no").json["id"], send(chosen, "yes").json["id"]
        cancelled = request("DELETE", f"/v1/sessions/{chosen}/input/{first}")
        self.assertEqual((cancelled.status, cancelled.json["state"]), (200, "cancelled"))
        self.assertEqual(request("DELETE", f"/v1/sessions/{chosen}/input/{first}").status, 200)
        self.assertEqual(poster.ask().json["message"]["id"], second)
        late = request("DELETE", f"/v1/sessions/{chosen}/input/{second}")
        self.assertEqual((late.status, late.json["error"]["code"]), (409, "already_delivered"))

    def test_a_session_that_ends(self):
        chosen, poster = begun()
        send(chosen, "too late")
        happens(chosen, "SessionEnd", reason="other")
        wait_for(lambda: listed(chosen) == [("too late", "failed")], "it has failed")
        self.assertEqual(poster.ask().status, 410)
        self.assertEqual(send(chosen, "more").json["error"]["code"], "not_reachable")

    def test_a_message_over_a_restart(self):
        chosen, poster = begun()
        id = send(chosen, "patience").json["id"]
        server.kill()
        server.settings["MONITOR_LISTEN"] = server.address
        server.start()
        self.assertEqual(poster.ask().json["message"]["id"], id)

    def test_what_happens_is_told_once(self):
        chosen, poster = begun()
        id = send(chosen, "tell ghp_" + "a1B2" * 9).json["id"]
        poster.ask()
        for _ in range(2):
            self.assertEqual(poster.receipt(id, "delivered").status, 204)
        told = wait_for(lambda: [one["payload"] for one in server.events(f"limit=100&session_id={chosen}")
                                 if one["type"] == "message_updated"][1:] and
                        [one["payload"] for one in server.events(f"limit=100&session_id={chosen}")
                         if one["type"] == "message_updated"], "both are told")
        self.assertEqual([one["state"] for one in told], ["queued", "delivered"])
        self.assertNotIn("ghp_a1B2", str(told))


def shows(chosen, *texts, ago=0, token=None, **fields):
    """These messages are appended to the transcript, in the form that Claude Code writes."""
    transcript = transcripts.Transcript(chosen, seed=uuid.uuid4())
    for text in texts:
        line = transcript.add("attachment", attachment={"type": "queued_command", "prompt": text, "commandMode": "prompt",
                                                        "origin": {"kind": "peer"}, "isMeta": True}, **fields)
        line["timestamp"] = harness.iso(-ago)
    sender = transcripts.Sender(server, token or key, chosen, f"/home/dev/{uuid.uuid4()}.jsonl")
    sender.send(transcript.bytes)
    sender.client.close()


class BusySessions(unittest.TestCase):
    """A busy session reads messages after its tools. No hook shows this, but its transcript does."""

    def delivered(self, chosen, poster, *texts):
        for number, text in enumerate(texts, 1):
            id = send(chosen, text).json["id"]
            self.assertEqual(poster.ask().json["message"]["id"], id)
            self.assertEqual(poster.receipt(id, "delivered").status, 204)
            if number < len(texts):
                happens(chosen, "UserPromptSubmit", prompt=text)
                wait_for(lambda: (text, "read") in listed(chosen), "it is read")

    def test_the_transcripts_line_is_the_receipt(self):
        chosen, poster = begun()
        self.delivered(chosen, poster, "While the tool runs.")
        shows(chosen, "Something else.", "While the tool runs.")
        wait_for(lambda: listed(chosen) == [("While the tool runs.", "read")], "it is read")

        def told():
            return [one["payload"]["state"] for one in server.events(f"limit=100&session_id={chosen}")
                    if one["type"] == "message_updated"]
        wait_for(lambda: told() == ["queued", "delivered", "read"], "the log tells it")

    def test_a_line_is_the_receipt_of_one_message(self):
        """If two messages have the same text, the second is read only when a second line comes."""
        chosen, poster = begun()
        self.delivered(chosen, poster, "Go on.", "Go on.")
        shows(chosen, "Go on.", ago=60)
        self.settled(chosen)
        self.assertEqual(listed(chosen), [("Go on.", "read"), ("Go on.", "delivered")])
        shows(chosen, "Go on.")
        wait_for(lambda: listed(chosen) == [("Go on.", "read")] * 2, "both are read")

    def test_lines_that_are_no_receipts(self):
        chosen, poster = begun()
        self.delivered(chosen, poster, "Hello.")
        shows(chosen, "Hello.", agentId="a1")
        transcript = transcripts.Transcript(chosen)
        transcript.user("Hello.")
        transcripts.Sender(server, key, chosen).send(transcript.bytes)
        shows(chosen, "Hello.", token=other)
        self.settled(chosen)
        self.assertEqual(listed(chosen), [("Hello.", "delivered")])

    def settled(self, chosen):
        """Waits until the server has processed everything sent before."""
        shows(chosen, "nothing")
        happens(chosen, "PreToolUse", tool_name="Bash", tool_use_id="toolu_9", tool_input={})
        time.sleep(1)


class TwoMachines(unittest.TestCase):
    """A transcript that is resumed on another machine keeps its id. Then there are two sessions, and each gets its own
    messages."""

    def setUp(self):
        machine = next(one["id"] for one in server.get("/v1/machines").json["machines"] if one["name"] == "rack")
        self.here, self.poster = begun()
        self.there = f"{self.here}@{machine}"

    def resumed(self):
        happens(self.here, "SessionStart", other, source="resume")
        self.poster.settle(token=other)

    def offered(self, token=None):
        return self.poster.ask(token).json["message"]

    def test_each_gets_its_own(self):
        self.resumed()
        theirs = self.poster.ask_later(other)
        for chosen in (self.here, self.there):
            self.assertIs(server.get(f"/v1/sessions/{chosen}").json["accepts_messages"], True)
            self.assertEqual(send(chosen, f"to {chosen}").status, 202)
        self.assertEqual(wait_for(lambda: theirs, "it is offered")[0].json["message"]["text"], f"to {self.there}")
        self.assertEqual(self.offered()["text"], f"to {self.here}")

    def test_a_poll_before_the_first_event(self):
        theirs = self.poster.ask_later(other)
        time.sleep(0.5)
        happens(self.here, "SessionStart", other, source="resume")
        self.assertEqual(send(self.there, "Welcome.").status, 202)
        self.assertEqual(wait_for(lambda: theirs, "it is offered")[0].json["message"]["text"], "Welcome.")
        self.assertEqual(listed(self.here), [])

    def test_a_poll_before_anybody_began_the_session(self):
        """A machine that only polls does not keep another machine from beginning the session."""
        chosen = session()
        poster = Poster(chosen).settle(token=other)
        mine = poster.ask_later()
        time.sleep(0.5)
        poster.settle(token=other)
        happens(chosen, "SessionStart", source="startup")
        self.assertEqual(send(chosen, "Hello.").status, 202)
        self.assertEqual(wait_for(lambda: mine, "it is offered")[0].json["message"]["text"], "Hello.")

    def test_the_prompt_is_the_receipt(self):
        self.resumed()
        for chosen, token in ((self.here, key), (self.there, other)):
            send(chosen, "Go on.")
            self.assertEqual(self.poster.receipt(self.offered(token)["id"], "delivered", token).status, 204)
        happens(self.here, "UserPromptSubmit", other, prompt="Go on.")
        wait_for(lambda: listed(self.there) == [("Go on.", "read")], "it is read")
        self.assertEqual(listed(self.here), [("Go on.", "delivered")])
        happens(self.here, "UserPromptSubmit", prompt="Go on.")
        wait_for(lambda: listed(self.here) == [("Go on.", "read")], "it is read")

    def test_the_transcripts_line_is_the_receipt(self):
        self.resumed()
        for chosen, token in ((self.here, key), (self.there, other)):
            send(chosen, "Go on.")
            self.poster.receipt(self.offered(token)["id"], "delivered", token)
        shows(self.here, "Go on.", token=other)
        wait_for(lambda: listed(self.there) == [("Go on.", "read")], "it is read")
        self.assertEqual(listed(self.here), [("Go on.", "delivered")])
        shows(self.here, "Go on.")
        wait_for(lambda: listed(self.here) == [("Go on.", "read")], "it is read")


class WithoutContent(unittest.TestCase):
    """With the content policy `none`, prompts are not stored, so a prompt cannot be the receipt of a message."""

    def test_a_prompt_may_be_another(self):
        own = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="none").start()
        self.addCleanup(own.end)
        token, chosen = own.key("desk"), session()
        client = Client(own.address, token)
        try:
            self.assertEqual(client.request("POST", "/api/events", envelope(hook("SessionStart", chosen))).status, 202)
            Poster(chosen).settle(own, token)
            sent = own.client().request("POST", f"/v1/sessions/{chosen}/input", {"text": "Hello."})
            self.assertEqual(sent.status, 202, sent)
            self.assertEqual(client.get(f"/api/messages?pid=17&session_id={chosen}").json["message"]["id"], sent.json["id"])
            client.request("POST", f"/api/messages/{sent.json['id']}/receipt", {"state": "delivered"})
            client.request("POST", "/api/events", envelope(hook("UserPromptSubmit", chosen, prompt="typed by a person")))
            time.sleep(1)
            state, = [one["state"] for one in own.get(f"/v1/sessions/{chosen}/input").json["messages"]]
            self.assertEqual(state, "delivered")
        finally:
            client.close()


class Interrupting(unittest.TestCase):
    def test_an_interruption(self):
        chosen, poster = begun()
        happens(chosen, "UserPromptSubmit", prompt="go")
        asked = request("POST", f"/v1/sessions/{chosen}/interrupt")
        self.assertEqual((asked.status, asked.json["kind"]), (202, "interrupt"))
        self.assertEqual(poster.ask().json, {"interrupt": {"id": asked.json["id"]}})
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["state"], "running")
        self.assertEqual(poster.receipt(asked.json["id"], "applied").status, 204)
        self.assertEqual(server.get(f"/v1/sessions/{chosen}").json["state"], "idle")

    def test_a_turn_that_ended_first(self):
        chosen, poster = begun()
        happens(chosen, "UserPromptSubmit", prompt="go")
        request("POST", f"/v1/sessions/{chosen}/interrupt")
        happens(chosen, "Stop")
        wait_for(lambda: listed(chosen) == [(None, "failed")], "it is given up")


class Refusals(unittest.TestCase):
    def test_a_session_that_takes_no_messages(self):
        chosen = session()
        happens(chosen, "SessionStart", source="startup")
        refused = send(chosen, "hello")
        self.assertEqual((refused.status, refused.json["error"]["code"]), (409, "not_reachable"))
        deaf, _ = begun("&socket=no")
        refused = send(deaf, "hello")
        self.assertEqual((refused.status, refused.json["error"]["code"]), (409, "not_reachable"))
        self.assertEqual(request("POST", f"/v1/sessions/{deaf}/interrupt").status, 202)

    def test_another_machine(self):
        chosen, poster = begun()
        for more in ("", "&socket=no"):
            Poster(chosen, more).settle(token=other)
        self.assertIs(server.get(f"/v1/sessions/{chosen}").json["accepts_messages"], True)
        sent = send(chosen, "secret")
        self.assertEqual(sent.status, 202, sent)
        client = Client(server.address, other, timeout=0.5)
        self.addCleanup(client.close)
        with self.assertRaises(OSError, msg="it waits"):
            client.get(f"/api/messages?session_id={chosen}")
        self.assertEqual(poster.ask().json["message"]["text"], "secret")
        self.assertEqual(poster.receipt(sent.json["id"], "read", other).status, 404)
        self.assertEqual(listed(chosen), [("secret", "queued")])
        self.assertEqual(send(chosen, "spoofed", token=key).status, 403)
        happens(chosen, "SessionEnd", other, reason="other")
        self.assertEqual(poster.ask(other).status, 410)
        self.assertEqual(poster.receipt(sent.json["id"], "delivered").status, 204)
        self.assertEqual(listed(chosen), [("secret", "delivered")])

    def test_a_device_without_the_right(self):
        chosen, poster = begun()
        code = server.client().request("POST", "/v1/pairing", {"capabilities": ["read"]}).json["code"]
        reader = devices.patiently(devices.Stranger(server.address), "POST", "/v1/pairing/exchange",
                                   {"code": code, "name": "reader"}).json["access_token"]
        id = send(chosen, "mine").json["id"]
        for method, path, body in (("POST", "input", {"text": "x"}), ("POST", "interrupt", None),
                                   ("DELETE", f"input/{id}", None)):
            refused = request(method, f"/v1/sessions/{chosen}/{path}", body, reader)
            self.assertEqual((refused.status, refused.json["error"]["code"]), (403, "insufficient_scope"))

    def test_what_is_wrong_is_said(self):
        chosen, poster = begun()
        self.assertEqual(send("no-such-session", "x").status, 404)
        self.assertEqual(send(chosen, "").status, 400)
        self.assertEqual(send(chosen, "x" * 40_000).status, 400)
        self.assertEqual(send(chosen, "x", "no uuid").json["error"]["param"], "message_id")
        self.assertEqual(request("DELETE", f"/v1/sessions/{chosen}/input/msg_0").status, 404)
        self.assertEqual(poster.receipt("msg_0", "read").status, 404)


if __name__ == "__main__":
    unittest.main()
