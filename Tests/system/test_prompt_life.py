"""The complete life of a prompt: each step appears once and in order, with the device that it concerns."""

import asyncio
import unittest

import harness
import pushing
import test_websocket as ws
from approving import BASH, Hook
from harness import Client, Server, envelope, hook, make_directory, session, wait_for
from pushing import pair, prefer, register, to_token


def setUpModule():
    global server, key, mock
    directory = make_directory("prompt-life.")
    signing_key = pushing.make_key(directory)
    mock = pushing.oracle(directory, signing_key)
    server = ws.server = Server(**pushing.settings(signing_key, mock)).start()
    key = server.key("desk")


def tearDownModule():
    harness.end_everything()


class Life(unittest.IsolatedAsyncioTestCase):
    async def test_each_step(self):
        device = await asyncio.to_thread(pair, server)
        await asyncio.to_thread(register, device)
        await asyncio.to_thread(prefer, device, "?scope=device", grace_seconds=0)
        async with ws.connected(credential=device.credential, at=server):
            held = Hook(server, key, session()).start()

            def shown():
                answer = server.get(f"/v1/prompts/{held.prompt}")
                return answer.json if answer.status == 200 else {"life": []}

            def reached():
                steps = [step["step"] for step in shown()["life"]]
                return to_token(mock, "phone") and {"held", "delivered", "pushed"} <= set(steps)
            await asyncio.to_thread(wait_for, reached, "it is held, delivered and pushed", 40)
        self.assertEqual((await asyncio.to_thread(device.request, "POST", f"/v1/prompts/{held.prompt}/seen")).status, 204)
        given = await asyncio.to_thread(device.request, "POST", f"/v1/prompts/{held.prompt}/answer", {"decision": "allow"})
        self.assertEqual(given.status, 200, given)
        await asyncio.to_thread(held.wait)
        client = Client(server.address, key)
        posted = client.request("POST", "/api/events", envelope(hook("PostToolUse", held.chosen, tool_use_id="toolu_1", **BASH)))
        client.close()
        self.assertEqual(posted.status, 202)
        life = await asyncio.to_thread(wait_for, lambda: shown()["life"][-1]["step"] == "applied" and shown()["life"], "its end")
        steps = [step["step"] for step in life]
        self.assertEqual(sorted(steps), sorted(["offered", "held", "delivered", "pushed", "seen", "answered", "applied"]))
        self.assertEqual((steps[0], steps[-3:]), ("offered", ["seen", "answered", "applied"]))
        by = {step["step"]: step.get("device_id") for step in life}
        self.assertEqual({by[name] for name in ("delivered", "pushed", "seen", "answered")}, {device.id})
        self.assertTrue(all(step["evidence"] for step in life))


if __name__ == "__main__":
    unittest.main()
