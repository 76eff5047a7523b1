"""A complete visit of cdev's strict app: pairing, dialogs that were open before, its keys and buttons, and the end of its
connections."""

import asyncio
import time
import unittest

import strict
import test_approvals as approvals
import test_devices as devices
import test_messages as messages
import test_websocket as ws
from harness import Server, session, wait_for

QUESTION = {"questions": approvals.QUESTIONS[:1]}


def setUpModule():
    global server, key, phone
    server = Server(MONITOR_RATE_LIMIT="off").start()
    devices.server = ws.server = approvals.server = messages.server = server
    key = approvals.key = messages.key = server.key("desk")
    phone = approvals.phone = messages.phone = paired()


def tearDownModule():
    server.end()


def paired(credential=None):
    """The tokens of a device that is paired as the app does it: with a code, while it still sends its old credential."""
    client = devices.Stranger(server.address)
    client.credential = credential
    info = client.get("/api/pair/info")
    assert info.status == 200 and info.json["auth_required"], info
    token = devices.patiently(client, "POST", "/api/pair/code", {"code": devices.invite()["code"]}).json["pairing_token"]
    return devices.patiently(client, "POST", "/api/auth/exchange", {"pairing_token": token, "name": "phone"}).json


def place_of(chosen):
    return {"workspace_id": server.get(f"/v1/sessions/{chosen}").json["workspace_id"], "session_id": chosen}


def asks(fields=approvals.BASH):
    """A hook that waits for an answer, its prompt, and the ids by which the app finds its session."""
    held, shown = approvals.waiting(fields)
    return held, shown, place_of(held.chosen)


class AppCase(unittest.IsolatedAsyncioTestCase):
    async def asks(self, fields=approvals.BASH):
        return await asyncio.to_thread(asks, fields)

    async def printed(self, held):
        return approvals.decision(await asyncio.to_thread(held.wait))

    async def is_logged(self, shown, state="answered"):
        return await asyncio.to_thread(
            wait_for, lambda: (found := approvals.prompt(shown["id"]))["state"] == state and found, f"it is {state}")

    def nothing_was_typed(self, chosen):
        sent = server.get(f"/v1/sessions/{chosen}/input").json["messages"]
        self.assertEqual([one for one in sent if one["kind"] == "message"], [])


class Pairing(AppCase):
    async def test_again_with_a_credential_of_an_earlier_pairing(self):
        for credential in (phone["access_token"], "expired", devices.pair()["refresh_token"]):
            made = await asyncio.to_thread(paired, credential)
            async with strict.opened(server, made["access_token"]) as app:
                self.assertIn("workspaces", await app.result("workspace/list"))


class Dialogs(AppCase):
    async def test_a_permission_that_was_open_before_the_app_can_be_answered(self):
        held, shown, place = await self.asks()
        async with strict.opened(server, phone["access_token"]) as app:
            self.assertTrue((await strict.watch(app, place))["has_pending_permission"])
            await app.until(lambda: app.dialog)
            self.assertEqual((app.dialog[0], app.dialog[1]["tool_use_id"]), ("permission", shown["tool_use_id"]))
            self.assertEqual((app.dialog[1]["session_id"], app.options()), (held.chosen, ["allow_once", "allow_session", "deny"]))
            self.assertEqual((await app.press("allow_once"))["result"], {"success": True})
            await app.until(lambda: not app.dialog)
        self.assertEqual((await self.printed(held))["behavior"], "allow")

    async def test_each_call_that_opens_a_session_shows_its_dialog(self):
        held, shown, place = await self.asks()
        for method in ("session/start", "client/session/focus", "workspace/session/watch", "session/watch"):
            async with strict.opened(server, server.admin) as app:
                await app.result(method, place)
                await app.until(lambda: app.dialog)
                self.assertEqual(app.dialog[1]["tool_use_id"], shown["tool_use_id"], method)
        held.end("released")

    async def test_an_app_that_connects_again_gets_the_dialog_of_its_session(self):
        made = await asyncio.to_thread(paired)
        held, shown, place = await self.asks()
        other, _, _ = await self.asks()
        async with strict.opened(server, made["access_token"]) as app:
            await strict.watch(app, place)
        async with strict.opened(server, made["access_token"]) as app:
            await app.until(lambda: app.dialog)
            self.assertEqual(app.dialog[1]["tool_use_id"], shown["tool_use_id"])
            await app.result("status/health")
            self.assertEqual(app.shown, ["permission"])
        held.end("released")
        other.end("released")

    async def test_a_dialog_that_is_over_is_not_shown(self):
        held, shown, place = await self.asks()
        await asyncio.to_thread(approvals.answer, shown["id"], {"decision": "deny"})
        await self.is_logged(shown)
        async with strict.opened(server, phone["access_token"]) as app:
            await strict.watch(app, place)
            for _ in range(3):
                await app.result("session/state", {"session_id": held.chosen})
            self.assertEqual(app.shown, [])

    async def test_a_question_shows_its_options_and_is_answered_with_one(self):
        held, shown, place = await self.asks({"tool_name": "AskUserQuestion", "tool_input": QUESTION})
        async with strict.opened(server, phone["access_token"]) as app:
            await strict.watch(app, place)
            await app.until(lambda: app.dialog)
            self.assertEqual((app.dialog[0], app.options()), ("question", ["PostgreSQL", "SQLite"]))
            answer = await app.result("session/respond", {"session_id": held.chosen, "type": "question", "response": "SQLite"})
            self.assertEqual(answer["status"], "responded")
            self.assertEqual(set(app.shown), {"question"})
        self.assertEqual((await self.printed(held))["updatedInput"]["answers"], {"Which database?": "SQLite"})

    async def test_a_question_that_is_asked_while_the_app_looks_on(self):
        chosen = session()
        async with strict.opened(server, phone["access_token"]) as app:
            call = {"tool_name": "AskUserQuestion", "tool_input": QUESTION}
            await asyncio.to_thread(approvals.happens, chosen, "PreToolUse", tool_use_id="toolu_q", **call)
            held = approvals.Hook(server, key, chosen, **call).start()
            await app.until(lambda: len(app.shown) == 2)
            self.assertEqual((set(app.shown), app.options()), ({"question"}, ["PostgreSQL", "SQLite"]))
        held.end("released")

    async def test_a_plan_is_shown_and_approved_once(self):
        held, shown, place = await self.asks(approvals.PLAN)
        async with strict.opened(server, phone["access_token"]) as app:
            await strict.watch(app, place)
            await app.until(lambda: app.dialog)
            self.assertEqual((app.dialog[1]["description"], app.options()), ("1. Touch a file.", ["allow_once", "deny"]))
            self.assertEqual((await app.press("allow_once"))["result"], {"success": True})
        self.assertEqual((await self.printed(held))["behavior"], "allow")

    async def test_a_late_answer_closes_the_banner(self):
        held, shown, place = await self.asks()
        async with strict.opened(server, phone["access_token"]) as app:
            await asyncio.to_thread(approvals.answer, shown["id"], {"decision": "deny"}, server.admin)
            late = await app.call("permission/respond", {"tool_use_id": shown["tool_use_id"], "decision": "allow"})
            self.assertIn("already responded", late["error"]["message"])
            unknown = await app.call("permission/respond", {"tool_use_id": "toolu_none", "decision": "allow"})
            self.assertIn("request not found", unknown["error"]["message"])
        await asyncio.to_thread(held.wait)


class Keys(AppCase):
    async def test_the_cross_of_the_banner_refuses_and_ends_the_turn(self):
        for name in ("escape", "esc"):
            held, shown, place = await self.asks()
            async with strict.opened(server, phone["access_token"]) as app:
                await strict.watch(app, place)
                await app.until(lambda: app.dialog)
                sent = await app.result("session/input", {"session_id": held.chosen, "input": name, "agent_type": "claude"})
                self.assertEqual(sent["status"], "sent")
                await app.until(lambda: not app.dialog)
            printed = await self.printed(held)
            self.assertEqual((printed["behavior"], printed["interrupt"]), ("deny", True))
            ended = await self.is_logged(shown)
            self.assertEqual((ended["answer"]["decision"], ended["answer"]["by"]["id"]), ("deny", phone["device_id"]))
            self.nothing_was_typed(held.chosen)

    async def test_the_cross_closes_every_kind_of_dialog(self):
        for fields in ({"tool_name": "AskUserQuestion", "tool_input": QUESTION}, approvals.PLAN):
            held, shown, _ = await self.asks(fields)
            async with strict.opened(server, phone["access_token"]) as app:
                await app.result("session/input", {"session_id": held.chosen, "key": "escape"})
            self.assertEqual((await self.printed(held))["behavior"], "deny")
        held, _ = await asyncio.to_thread(approvals.waiting, approvals.FORM, "Elicitation")
        async with strict.opened(server, phone["access_token"]) as app:
            await app.result("session/input", {"session_id": held.chosen, "input": "escape"})
        self.assertEqual((await asyncio.to_thread(held.wait))["hookSpecificOutput"]["action"], "cancel")

    async def test_escape_without_a_dialog_interrupts(self):
        chosen, poster = await asyncio.to_thread(messages.begun)
        async with strict.opened(server, phone["access_token"]) as app:
            await app.result("session/input", {"session_id": chosen, "input": "escape"})
        self.assertIn("interrupt", (await asyncio.to_thread(poster.ask)).json)
        self.nothing_was_typed(chosen)

    async def test_no_other_key_is_text_and_none_approves(self):
        held, shown, place = await self.asks()
        chosen, _ = await asyncio.to_thread(messages.begun)
        async with strict.opened(server, phone["access_token"]) as app:
            for name in ("enter", "return", "up", "down", "left", "right", "tab", "backspace", "delete", "home", "end",
                         "pageup", "pagedown", "space"):
                for target in (held.chosen, chosen):
                    for member in ("input", "key"):
                        refused = await app.call("session/input", {"session_id": target, member: name})
                        self.assertEqual(refused["error"]["code"], -32004, name)
        self.assertEqual(approvals.prompt(shown["id"])["state"], "open")
        self.nothing_was_typed(held.chosen)
        self.nothing_was_typed(chosen)
        held.end("released")

    async def test_a_client_of_another_dialect_may_send_such_a_word(self):
        chosen, _ = await asyncio.to_thread(messages.begun)
        async with ws.connected(server) as client:
            await client.call("session/input", {"session_id": chosen, "input": "escape"})
        self.assertEqual(messages.listed(chosen), [("escape", "queued")])


class Turns(AppCase):
    async def test_stop_says_stopped_when_the_turn_has_ended(self):
        chosen, poster = await asyncio.to_thread(messages.begun)
        await asyncio.to_thread(messages.happens, chosen, "UserPromptSubmit", prompt="go")
        async with strict.opened(server, phone["access_token"]) as app:
            asked = await asyncio.to_thread(poster.ask_later)
            stopping = asyncio.create_task(app.result("session/stop", {"session_id": chosen, "agent_type": "claude"}))
            await asyncio.to_thread(wait_for, lambda: asked, "the machine is asked to interrupt")
            await asyncio.to_thread(poster.receipt, asked[0].json["interrupt"]["id"], "delivered")
            stopped = await stopping
            self.assertEqual((stopped["status"], stopped["success"]), ("stopped", True))

    async def test_stop_says_stopping_when_it_has_not(self):
        chosen, _ = await asyncio.to_thread(messages.begun)
        await asyncio.to_thread(messages.happens, chosen, "UserPromptSubmit", prompt="go")
        async with strict.opened(server, phone["access_token"]) as app:
            self.assertEqual((await app.result("session/stop", {"session_id": chosen}))["status"], "stopping")

    async def test_stop_closes_an_open_dialog(self):
        held, shown, place = await self.asks()
        async with strict.opened(server, phone["access_token"]) as app:
            self.assertEqual((await app.result("session/stop", {"session_id": held.chosen}))["status"], "stopped")
        self.assertTrue((await self.printed(held))["interrupt"])

    async def test_a_new_chat_and_an_ended_session_have_errors_that_fit(self):
        ended = session()
        for name in ("SessionStart", "SessionEnd"):
            await asyncio.to_thread(approvals.happens, ended, name)
        async with strict.opened(server, phone["access_token"]) as app:
            new = await app.call("session/send", {"workspace_id": place_of(ended)["workspace_id"], "mode": "new", "prompt": "p"})
            self.assertEqual(new["error"]["code"], -32004)
            late = await app.call("session/send", {"session_id": ended, "mode": "continue", "prompt": "p"})
            self.assertEqual(late["error"]["code"], -32602)
            self.assertIn("use session/start with resume_session_id", late["error"]["message"])
            self.assertEqual((await app.result("session/stop", {"session_id": ended}))["status"], "stopped")


class Stream(AppCase):
    async def test_the_app_gets_no_notification_that_it_does_not_know(self):
        async with strict.opened(server, phone["access_token"]) as app:
            held, shown, place = await self.asks()
            chosen = held.chosen
            for name, fields in (("UserPromptSubmit", {"prompt": "go"}), ("TaskCreated", {}), ("Stop", {}), ("SessionEnd", {})):
                await asyncio.to_thread(approvals.happens, chosen, name, **fields)
            heard = []
            async with asyncio.timeout(10):
                while "event/session_end" not in heard:
                    heard.append((await app.take()).get("method"))
            self.assertEqual(app.dropped, [])
        held.end("released")

    async def test_what_it_asks_for_comes(self):
        chosen = session()
        for asked in ({"dialect": "cdev"}, {"types": ["stop"]}):
            async with strict.opened(server, phone["access_token"]) as app:
                await app.result("event/subscribe", {"session_id": chosen, **asked})
                await asyncio.to_thread(approvals.happens, chosen, "Stop")
                await app.until(lambda: app.dropped == ["stop"])


class Ends(AppCase):
    async def test_the_end_of_a_token_leaves_the_dashboard_open(self):
        key_file = server.directory / "device.key"
        token = devices.forge(phone["access_token"], key_file, exp=int(time.time()) - 56)
        async with strict.opened(server, token) as app, ws.connected(server, credential=token) as other:
            self.assertEqual(await app.end(), (4002, ""))
            self.assertEqual(await strict.App(other.wire).end(), (4002, "token expired"))
        fresh = await asyncio.to_thread(devices.refresh, phone["refresh_token"])
        phone.update(fresh.json)
        async with strict.opened(server, phone["access_token"]) as app:
            self.assertIn("workspaces", await app.result("workspace/list"))

    async def test_a_flood_has_no_reason_either(self):
        async with strict.opened(server, phone["access_token"]) as app:
            one = '{"jsonrpc":"2.0","method":"initialized"}'
            batch = "[" + ",".join([one] * 50) + "]"
            for _ in range(24):
                await app.wire.send(batch)
            self.assertEqual(await app.end(), (4029, ""))

    async def test_a_server_that_stops_is_coming_back(self):
        own = await asyncio.to_thread(Server(MONITOR_RATE_LIMIT="off").start)
        self.addCleanup(own.end)
        async with strict.opened(own, own.admin) as app, ws.connected(own) as other, \
                strict.opened(own, own.admin, dialect="plain") as plain:
            stopping = asyncio.create_task(asyncio.to_thread(own.stop))
            ends = await asyncio.gather(app.end(), strict.App(other.wire).end(), plain.end())
            await stopping
        self.assertEqual([code for code, _ in ends], [1012, 1001, 1001])
        self.assertEqual([bool(reason) for _, reason in ends], [False, True, True])
