"""What the machine's file allows, whatever the server says; outcomes that are kept; the audit."""

import hashlib
import json
import os
import signal
import unittest
import uuid

from machine import AgentCase, wait_until


class Starts(AgentCase):
    """Each refusal runs nothing."""

    def setUp(self):
        super().setUp()
        self.link = self.begin()

    def start(self, directory=None, **params):
        return self.link.call("session/start", {"session_id": str(uuid.uuid4()), "directory": str(
            directory or self.machine.project), **params})

    def check(self, reason, *arguments, **params):
        self.refused(self.start(*arguments, **params), reason)
        self.assertEqual(self.machine.clients(), [])

    def wrong(self, **params):
        answer = self.link.call("session/start", {"session_id": str(uuid.uuid4()), "directory": str(self.machine.project),
                                                  **params})
        self.assertEqual(answer["error"]["code"], -32602, answer)
        self.assertEqual(self.machine.clients(), [])

    def test_a_start(self):
        chosen = self.start_session(self.link, model="opus", mode="plan", effort="high")
        self.assertEqual(len(self.machine.clients()), 1)
        words = self.machine.client_words()
        self.assertIn(chosen, words)
        self.assertEqual(words[words.index("--permission-mode") + 1], "plan")
        settings = words[words.index("--settings") + 1]
        for name in ("agent", "approvals", "config"):
            self.assertIn(f"Edit(/{self.machine.settings}/{name})", settings)
        self.assertIn(f"Write(/{self.machine.home}/.claude.json)", settings)
        environment = self.machine.client_environment()
        self.assertIn(f"CLAUDE_MONITOR_RUNNER={chosen}", environment)
        sessions = json.loads(self.machine.run("sessions", "--json").stdout)
        self.assertEqual([(one["session_id"], one["mode"]) for one in sessions], [(chosen, "plan")])

    def test_no_secret_and_no_text_in_the_arguments(self):
        self.start_session(self.link, system_prompt="a secret prompt")
        self.assertFalse([word for word in self.machine.client_words() if "secret" in word])

    def test_environment_of_the_agent_is_filtered(self):
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        self.machine.allow("env=WANTED")
        self.machine.start(WANTED="1", UNWANTED="1", CLAUDECODE="1", http_proxy="http://127.0.0.1:9")
        self.start_session(self.wire.link(2))
        names = {entry.partition("=")[0] for entry in self.machine.client_environment()}
        self.assertTrue({"WANTED", "HOME", "http_proxy"} <= names, names)
        self.assertFalse({"UNWANTED", "CLAUDECODE"} & names, names)

    def test_outside_the_roots(self):
        outside = self.machine.place / "outside"
        outside.mkdir()
        inside = self.machine.root / "link"
        inside.symlink_to(outside)
        self.machine.trust(outside, self.machine.project, inside, "/", "/etc")
        for directory in (outside, inside, "/", "/etc", self.machine.root / "..", self.machine.root / "link/..",
                          self.machine.project / "../../outside", str(self.machine.root) + "x", self.machine.root / "nothing",
                          "/proc/self/cwd", "/proc/self/root/etc"):
            with self.subTest(str(directory)):
                self.check("outside_roots", directory)

    def test_a_file_is_no_directory(self):
        (self.machine.root / "file").write_text("")
        self.check("outside_roots", self.machine.root / "file")

    def test_a_root_that_is_a_link_allows_nothing(self):
        real = self.machine.place / "real"
        (real / "sub").mkdir(parents=True)
        link = self.machine.place / "alias"
        link.symlink_to(real)
        self.machine.trust(real / "sub")
        self.machine.allow(roots=[link])
        self.check("outside_roots", real / "sub")
        self.check("outside_roots", link / "sub")
        self.assertRegex(self.machine.run("doctor").stdout, r"FAULT  the root .*alias leads through a link")

    def test_the_link_within_a_root_leads_to_the_real_directory(self):
        (self.machine.root / "alias").symlink_to(self.machine.project)
        answer = self.start(self.machine.root / "alias")
        self.assertEqual(answer["result"]["cwd"], str(self.machine.project))

    def test_control_off(self):
        self.machine.write("agent", f"control=off\nroots={self.machine.root}\n")
        self.check("not_allowed_by_machine")

    def test_the_word_beside_a_root_holds_for_it_alone(self):
        other = self.machine.root / "other"
        other.mkdir()
        self.machine.trust(other, self.machine.project)
        self.machine.write("agent", f"control=on claude={self.machine.client}\nroots={self.machine.root}\n"
                                    f"roots={other} control=off\n")
        self.check("not_allowed_by_machine", other)
        self.assertIn("result", self.start())

    def test_no_file_or_a_faulty_one(self):
        os.remove(self.machine.settings / "agent")
        self.check("not_allowed_by_machine")
        for text, mode in (("control=on surprise=1\nroots=/\n", 0o600), (f"control=on\nroots={self.machine.root}\n", 0o622),
                           (f"control=on\nroots={self.machine.root}\ncontrol=on\n", 0o600), ("\x00control=on", 0o600)):
            with self.subTest(text):
                self.machine.write("agent", text, mode)
                self.check("not_allowed_by_machine")
        (self.machine.settings / "agent").unlink()
        (self.machine.settings / "agent").symlink_to("/nowhere")
        self.check("not_allowed_by_machine")

    def test_modes(self):
        self.check("mode_not_allowed", mode="bypassPermissions")
        self.check("mode_not_allowed", mode="auto")
        self.machine.allow("modes=default")
        self.check("mode_not_allowed", mode="acceptEdits")
        self.machine.allow("modes=default,acceptEdits,bypassPermissions")
        self.machine.write("approvals", "risk=delete who=notify\n")
        self.check("mode_not_allowed", mode="acceptEdits")
        self.check("mode_not_allowed", mode="bypassPermissions")
        self.machine.allow("modes=plan")
        self.check("mode_not_allowed")

    def test_untrusted_folders(self):
        folder = self.machine.root / "untrusted"
        (folder / "sub").mkdir(parents=True)
        self.check("untrusted_directory", folder)
        self.check("untrusted_directory", folder, restricted=False)
        self.machine.trust(self.machine.root, folder / "..", str(folder) + "/")
        self.check("untrusted_directory", folder)
        # A folder cannot claim to be a worktree of a trusted repository.
        (self.machine.project / ".git/worktrees/w").mkdir(parents=True)
        (folder / ".git").write_text(f"gitdir: {self.machine.project}/.git/worktrees/w\n")
        self.machine.trust(self.machine.project)
        self.check("untrusted_directory", folder)
        answer = self.start(folder, restricted=True)
        self.assertTrue(answer["result"]["restricted"])
        words = self.machine.client_words()
        self.assertIn("--strict-mcp-config", words)
        self.assertEqual(words[words.index("--setting-sources") + 1], "user")

    def test_the_number_of_sessions(self):
        self.machine.allow("sessions=1")
        self.start_session(self.link)
        self.refused(self.start(), "too_many_sessions")
        self.assertEqual(len(self.machine.clients()), 1)

    def test_a_replaced_client(self):
        os.chmod(self.machine.client, 0o777)
        self.check("not_allowed_by_machine")
        os.chmod(self.machine.client, 0o755)
        inside = self.machine.root / "claude"
        inside.write_bytes(self.machine.client.read_bytes())
        os.chmod(inside, 0o755)
        self.machine.write("agent", f"control=on claude={inside}\nroots={self.machine.root}\n")
        self.check("not_allowed_by_machine")

    def test_a_client_that_does_not_start(self):
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        self.machine.allow("env=CLIENT")
        self.machine.start(CLIENT="fail")
        self.link = self.wire.link(2)
        answer = self.start()
        self.refused(answer, "start_failed")
        self.assertIn("does not start", answer["error"]["data"]["stderr"])

    def test_wrong_parameters(self):
        for params in ({"session_id": "../../../x"}, {"session_id": "A" * 36}, {"session_id": str(uuid.uuid4()).upper()},
                       {"session_id": None}, {"session_id": 5}, {"directory": "work"}, {"directory": ""}, {"directory": ["/"]},
                       {"directory": "/\n"}, {"model": "--dangerously-skip-permissions"}, {"model": "a b"}, {"model": 7},
                       {"effort": "--x"}, {"mode": "everything"}, {"mode": "--x"}, {"worktree": "../x"}, {"worktree": "-x"},
                       {"worktree": "a/b"}, {"resume": "../x"}, {"resume": str(uuid.uuid4())}, {"fork": True},
                       {"restricted": "yes"}, {"system_prompt": 5}, {"system_prompt": "x" * 300_000}, {"command_id": "x"},
                       {"by": None}, {"by": {}}, {"by": "operator"}, {"deadline_ms": -1}):
            with self.subTest(params):
                self.wrong(**params)


class Outcomes(AgentCase):
    def test_a_repeated_command_has_the_outcome_of_the_first(self):
        link = self.begin()
        command, chosen = str(uuid.uuid4()), str(uuid.uuid4())
        params = {"session_id": chosen, "directory": str(self.machine.project)}
        one, two = link.post("session/start", params, command), link.post("session/start", params, command)
        first = link.reply(one)["result"]
        self.assertEqual(link.reply(two)["result"], first)
        self.assertEqual(len(self.machine.clients()), 1)
        stop = str(uuid.uuid4())
        ended = link.call("session/stop", {"session_id": chosen}, stop)
        self.assertIn("result", ended)
        self.assertEqual(link.call("session/start", params, command)["result"], first)
        self.assertEqual(self.machine.clients(), [])

    def test_outcomes_outlive_the_agent(self):
        link = self.begin()
        command, chosen = str(uuid.uuid4()), self.start_session(link)
        first = link.call("session/stop", {"session_id": chosen}, command)
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        self.machine.start()
        self.assertEqual(self.wire.link(2).call("session/stop", {"session_id": chosen}, command)["result"], first["result"])

    def test_a_refused_command_is_judged_again(self):
        """The server repeats a start under the session's id, after the person has trusted the folder."""
        link = self.begin()
        command = str(uuid.uuid4())
        params = {"session_id": str(uuid.uuid4()), "directory": str(self.machine.project)}
        self.machine.trust()
        self.refused(link.call("session/start", params, command), "untrusted_directory")
        self.machine.trust(self.machine.project)
        self.assertIn("result", link.call("session/start", params, command))

    def test_a_retried_start_with_another_command_id(self):
        link = self.begin()
        chosen = self.start_session(link)
        answer = link.call("session/start", {"session_id": chosen, "directory": str(self.machine.project)})
        self.assertEqual(answer["result"]["session_id"], chosen)
        self.assertEqual(len(self.machine.clients()), 1)

    def test_a_message_is_sent_once(self):
        link = self.begin()
        chosen, message = self.start_session(link), str(uuid.uuid4())
        params = {"session_id": chosen, "message_id": message, "content": "hello"}
        for command in (None, None, str(uuid.uuid4())):
            self.assertIn("result", link.call("session/send", params, command))
        link.noticed("message/state", message_id=message, state="finished")
        self.assertEqual([words[0] for words in self.machine.received()], [message])

    def test_messages_of_different_sessions_may_have_one_id(self):
        link = self.begin()
        sessions, message = [self.start_session(link), self.start_session(link)], str(uuid.uuid4())
        for chosen in sessions:
            params = {"session_id": chosen, "message_id": message, "content": f"hello {chosen}"}
            self.assertIn("result", link.call("session/send", params, message))
        link.noticed("message/state", message_id=message, state="finished", count=2)
        self.assertEqual([words[0] for words in self.machine.received()], [message, message])


class Trail(AgentCase):
    def test_the_audit(self):
        link = self.begin()
        chosen = self.start_session(link)
        link.call("session/send", {"session_id": chosen, "message_id": str(uuid.uuid4()), "content": "private words"})
        by = {"kind": "device", "id": "7", "name": "phone"}
        self.refused(link.call("session/start", {"session_id": str(uuid.uuid4()), "directory": "/etc"}, by=by), "outside_roots")
        audit = self.machine.state / "audit.jsonl"
        self.assertEqual(audit.stat().st_mode & 0o777, 0o600)
        lines = self.machine.audit()
        self.assertEqual([line["what"] for line in lines], ["asked", "done", "asked", "done", "asked", "refused"])
        self.assertEqual(lines[-1]["by"], by)
        self.assertEqual(lines[-1]["reason"], "outside_roots")
        self.assertNotIn("private", audit.read_text())
        previous = "0" * 64
        for text, line in zip(audit.read_text().splitlines(), lines):
            self.assertEqual(line["prev"], previous)
            body = text[:text.rindex(',"hash":')] + "}"
            previous = hashlib.sha256(body.encode()).hexdigest()
            self.assertEqual(line["hash"], previous)

    def test_a_changed_line_is_noticed(self):
        link = self.begin()
        self.start_session(link)
        self.assertIn("ok     the audit is whole", self.machine.run("doctor").stdout)
        audit = self.machine.state / "audit.jsonl"
        audit.write_text(audit.read_text().replace("asked", "asket"))
        self.assertIn("FAULT  " + str(audit), self.machine.run("doctor").stdout)

    def test_it_goes_on_after_a_crash(self):
        link = self.begin()
        self.start_session(link)
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        audit = self.machine.state / "audit.jsonl"
        whole = audit.read_text()
        audit.write_text(whole + '{"seq":3,"at":"20')
        self.machine.start()
        self.wire.link(2)
        lines = audit.read_text().splitlines()
        self.assertEqual(json.loads(lines[-1])["prev"], json.loads(whole.splitlines()[-1])["hash"])

    def test_what_cannot_be_recorded_is_not_done(self):
        link = self.begin()
        os.kill(self.machine.agents[0].pid, signal.SIGSTOP)
        os.kill(self.machine.agents[0].pid, signal.SIGCONT)
        import resource
        resource.prlimit(self.machine.agents[0].pid, resource.RLIMIT_FSIZE, (0, 0))
        answer = link.call("session/start", {"session_id": str(uuid.uuid4()), "directory": str(self.machine.project)})
        self.assertIn("error", answer)
        self.assertEqual(self.machine.clients(), [])


class Steering(AgentCase):
    def setUp(self):
        super().setUp()
        self.link = self.begin()
        self.session = self.start_session(self.link)

    def command(self, method, **params):
        return self.link.call(method, {"session_id": self.session, **params})

    def send(self, text, **params):
        message = str(uuid.uuid4())
        answer = self.command("session/send", message_id=message, content=text, **params)
        return message, answer

    def test_a_turn(self):
        message, answer = self.send("hello")
        self.assertIn("result", answer)
        self.link.noticed("message/state", message_id=message, state="finished")
        turn = self.link.noticed("turn/ended")[0]
        self.assertEqual((turn["message_ids"], turn["subtype"], turn["is_error"], turn["ours"]), ([message], "success", False, True))
        pieces = [one for one in self.link.noticed("session/partial", closed=True)]
        texts = [params for name, params in self.link.notices if name == "session/partial" and "text" in params]
        self.assertEqual("".join(one["text"] for one in texts), "hello 5")
        self.assertEqual(len(pieces), 1)
        states = [params["state"] for name, params in self.link.notices if name == "session/state"]
        self.assertEqual(states[-1], "idle")

    def upload(self, id, data, parts=1, **more):
        size = -(-len(data) // parts)
        return [self.link.call("upload/part", {"upload": id, "offset": offset, "size": len(data),
                                               "data": data[offset:offset + size], **more})
                for offset in range(0, len(data), size)]

    def test_pictures_come_in_parts_and_go_with_their_message(self):
        one, two = "A" * 400_000, "QUFB"
        images = [{"upload": name, "media_type": "image/png"} for name in ("one", "two")]
        self.assertEqual([answer["result"]["received"] for answer in self.upload("one", one, 4)],
                         [100_000, 200_000, 300_000, 400_000])
        # The second is not there yet.
        self.refused(self.send("look", images=images)[1], "upload_lost")
        self.upload("two", two)
        # A part may come again only as the first of all.
        self.refused(self.link.call("upload/part", {"upload": "one", "offset": 100_000, "size": 400_000, "data": "AAAA"}),
                     "upload_lost")
        message, answer = self.send("look", images=images)
        self.assertIn("result", answer)
        content = "image image/png 400000 image image/png 4 look"
        wait_until(lambda: [message, str(len(content)), content] in self.machine.received(), "the message")
        # They are not kept for another message.
        self.refused(self.send("look", images=images)[1], "upload_lost")

    def test_pictures_are_bounded_and_gone_with_the_connection(self):
        answer = self.link.call("upload/part", {"upload": "x", "offset": 0, "size": 9 << 20, "data": "AAAA"})
        self.assertEqual(answer["error"]["code"], -32602)
        answer = self.link.call("upload/part", {"upload": "x", "offset": 0, "size": 4, "data": "AAAAAAAA"})
        self.assertEqual(answer["error"]["code"], -32602)
        for number in range(6):
            self.link.call("upload/part", {"upload": str(number), "offset": 0, "size": 8 << 20, "data": "AAAA"})
        # The oldest had to go.
        following = {"offset": 4, "size": 8 << 20, "data": "AAAA"}
        self.refused(self.link.call("upload/part", {"upload": "0", **following}), "upload_lost")
        self.assertIn("result", self.link.call("upload/part", {"upload": "5", **following}))
        self.link.cut()
        self.link = self.wire.link(2)
        self.refused(self.link.call("upload/part", {"upload": "5", **{**following, "offset": 8}}), "upload_lost")

    def test_queue_cancel_and_interrupt(self):
        first, _ = self.send("wait")
        second, answer = self.send("second")
        self.assertTrue(answer["result"]["queued"])
        third, _ = self.send("third")
        self.assertTrue(self.command("session/cancel", message_id=third)["result"]["cancelled"])
        self.assertFalse(self.command("session/cancel", message_id=first)["result"]["cancelled"])
        stopped = self.command("session/interrupt", cancel_queued=True)
        self.assertEqual(stopped["result"]["cancelled"], [second])
        self.link.noticed("turn/ended", terminal_reason="aborted_tools")

    def test_the_file_is_read_again_before_each_command(self):
        self.machine.write("agent", f"control=off\nroots={self.machine.root}\n")
        for method, params in (("session/send", {"message_id": str(uuid.uuid4()), "content": "x"}),
                               ("session/set", {"mode": "plan"}), ("session/stop", {}), ("session/context", {})):
            self.refused(self.command(method, **params), "not_allowed_by_machine")
        self.assertEqual(self.machine.received(), [])
        self.machine.allow()
        self.assertIn("result", self.command("session/context"))

    def test_messages_off(self):
        self.machine.write("approvals", "messages=off\n")
        _, answer = self.send("x")
        self.refused(answer, "not_allowed_by_machine")
        self.assertEqual(self.machine.received(), [])

    def test_commands_of_the_client(self):
        for text in ("/clear", "/etc/passwd is", "/init"):
            message, answer = self.send(text)
            self.assertIn("result", answer)
            self.link.noticed("message/state", message_id=message, state="finished")
        self.assertFalse(any(words[2].startswith("/") for words in self.machine.received()))
        for text in ("/config", "/", "config", "/init"):
            _, answer = self.send(text, **{"as": "command"})
            self.assertEqual(answer["error"]["code"], -32602)
        message, answer = self.send("/polish brass", **{"as": "command"})
        self.assertIn("result", answer)
        self.link.noticed("message/state", message_id=message, state="finished")
        self.assertEqual(self.machine.received()[-1][2], "/polish brass")
        offered = {one.pop("name"): one for one in self.command("session/commands")["result"]["commands"]}
        self.assertEqual(set(offered), {"clear", "compact", "context", "model", "polish", "tidy"})
        self.assertEqual(offered["polish"], {"description": "Polishes", "argument_hint": "[file]"})

    def test_modes_and_models(self):
        self.refused(self.command("session/set", mode="bypassPermissions"), "mode_not_allowed")
        self.assertEqual(self.command("session/set", mode="plan")["result"]["mode"], "plan")
        self.link.noticed("session/state", mode="plan")
        self.assertEqual(self.command("session/set", model="opus")["result"]["model"], "opus")
        self.assertEqual(self.command("session/set", model="--x")["error"]["code"], -32602)
        self.assertIn("result", self.command("session/set", title="A title"))

    def test_clear_goes_on_under_another_id(self):
        message, _ = self.send("/clear", **{"as": "command"})
        self.link.noticed("message/state", message_id=message, state="finished")
        ended = self.link.noticed("session/state", session_id=self.session, state="ended")[0]
        self.assertEqual(ended["reason"], "clear")
        begun = self.link.noticed("session/state", continues=self.session)[0]
        self.assertNotEqual(begun["session_id"], self.session)
        self.refused(self.command("session/context"), "session_not_running")
        now = json.loads(self.machine.run("sessions", "--json").stdout)[0]["session_id"]
        self.assertNotEqual(now, self.session)
        self.assertEqual(now, begun["session_id"])
        self.session = now
        self.assertIn("result", self.command("session/context"))

    def test_the_next_agent_still_knows_what_clear_ended(self):
        message, _ = self.send("/clear", **{"as": "command"})
        self.link.noticed("message/state", message_id=message, state="finished")
        self.link.noticed("session/state", continues=self.session)
        path = self.machine.state / "sessions" / self.session / "state.json"
        wait_until(lambda: json.loads(path.read_text()).get("continues"), "the state file")
        self.machine.agents[0].kill()
        self.machine.agents[0].wait()
        self.machine.start()
        restated = self.wire.link(2).called("initialize")[0]["sessions"]
        self.assertEqual([one.get("continues") for one in restated], [self.session])

    def test_rewind(self):
        message, _ = self.send("hello")
        self.link.noticed("message/state", message_id=message, state="finished")
        mark = self.machine.project / "rewound"
        tried = self.command("session/rewind", message_id=message, what="both")["result"]
        self.assertEqual(tried, {"dry_run": True, "files": [f"{self.machine.project}/a.txt"], "insertions": 1, "deletions": 2})
        self.assertFalse(mark.exists())
        done = self.command("session/rewind", message_id=message, what="both", dry_run=False)["result"]
        self.assertEqual((done["dry_run"], done["text"], mark.exists()), (False, "Hello", True))
        self.assertEqual(self.command("session/rewind", message_id=message, what="conversation", dry_run=False)["result"],
                         {"dry_run": False, "text": "Hello"})
        for what in ("files", "both", "conversation"):
            self.refused(self.command("session/rewind", message_id=str(uuid.uuid4()), what=what, dry_run=False), "cannot_rewind")
        self.assertEqual(self.command("session/rewind", message_id=message, what="all")["error"]["code"], -32602)
        self.send("wait")
        self.link.noticed("session/state", state="running")
        self.refused(self.command("session/rewind", message_id=message, what="files"), "session_busy")

    def test_stop(self):
        answer = self.command("session/stop")["result"]
        self.assertEqual(answer["left_running"], [])
        ended = self.link.noticed("session/state", state="ended")[0]
        self.assertEqual(ended["session_id"], self.session)
        self.refused(self.command("session/context"), "session_not_running")
        self.assertEqual(self.machine.clients(), [])

    def test_a_client_that_dies(self):
        self.send("die")
        ended = self.link.noticed("session/state", state="ended")[0]
        self.assertEqual(ended["exit"]["signal"], 9)
        wait_until(lambda: json.loads(self.machine.run("sessions", "--json").stdout) == [], "no sessions")


if __name__ == "__main__":
    unittest.main()
