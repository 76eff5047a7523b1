#!/usr/bin/python3
"""Hooks that wait: the server's resident memory for each, how soon a device knows of a prompt, and how soon its answer arrives.

    Benchmarks/holds.py [--holds 10000] [--rounds 200] [--hooks 50]

`make bench ARGS="--only holds"` runs it. Needs two descriptors for each hold.
"""

import argparse
import asyncio
import json
import os
import pathlib
import resource
import sys
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests/system"))

import harness  # noqa: E402
import test_devices as devices  # noqa: E402
import test_websocket as ws  # noqa: E402
from harness import Client, Server, envelope, hook, session  # noqa: E402

WARM = 200
# As many as the server keeps encoded in memory.
RING_EVENTS = 10_000


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def waiting_request(key, address, number):
    """The prompt's id and the bytes of a waiting hook's request, with a hook of 500 bytes."""
    body = envelope(hook("PermissionRequest", session(), tool_name="Bash",
                         tool_input={"command": f"make step-{number} " + "x" * 230, "description": "one step"}))
    text = json.dumps(body).encode()
    head = (f"POST /api/prompts HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
            f"X-Hold-Id: {uuid.uuid4()}\r\nX-Hold-Seconds: 3600\r\n\r\n")
    return "prm_" + body["event_id"].replace("-", ""), head.encode() + text


async def hold(address, data):
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(data)
    await writer.drain()
    return reader, writer


def gauge(server, name):
    return next(float(line.split()[1]) for line in server.get("/metrics").body.decode().splitlines()
                if line.startswith(name + " "))


async def until(server, count):
    deadline = time.monotonic() + 300
    while gauge(server, "monitor_prompt_holds") < count:
        if time.monotonic() > deadline:
            sys.exit(f"only {gauge(server, 'monitor_prompt_holds'):.0f} of {count} hooks wait")
        await asyncio.sleep(0.3)


def wear_in(server, key):
    client, chosen = Client(server.address, key, timeout=60), session()
    for start in range(0, RING_EVENTS, 100):
        posted = client.request("POST", "/api/events", [
            envelope(hook("PostToolUse", chosen, tool_name="Bash", tool_use_id=f"toolu_{number}",
                          tool_input={"command": "make " + "x" * 230}, tool_response={"stdout": "x" * 1200}))
            for number in range(start, start + 100)])
        if posted.status != 202:
            sys.exit(f"events were refused: {posted}")
    client.close()


async def crowd(server, key, count):
    """Resident bytes of the server for each of `count` hooks that wait at once, in polls as the script sends them.

    The newest events, which a server keeps in memory whatever they are, are there before.
    """
    wear_in(server, key)
    kept = [await hold(server.address, waiting_request(key, server.address, number)[1]) for number in range(WARM)]
    await until(server, WARM)
    await asyncio.sleep(5)
    before = resident(server.process.pid)
    for start in range(0, count, 100):
        kept += await asyncio.gather(*(hold(server.address, waiting_request(key, server.address, number)[1])
                                       for number in range(start, min(start + 100, count))))
    await until(server, min(count + WARM, 20_000))
    await asyncio.sleep(5)
    grown = resident(server.process.pid) - before
    for _, writer in kept:
        writer.close()
    return grown / count


class Watcher:
    """A subscribed socket: when it was told of each prompt."""

    def __init__(self, client):
        self.client, self.opened, self.changed = client, {}, asyncio.Event()

    async def run(self):
        while True:
            message = json.loads(await self.client.wire.recv())
            if message.get("method") == "event/prompt_opened":
                self.opened[message["params"]["payload"]["prompt_id"]] = time.monotonic()
                self.changed.set()

    async def told(self, wanted):
        while not (found := [at for id, at in self.opened.items() if wanted(id)]):
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 30)
        return found[0]


async def answered(client, id):
    given = await asyncio.to_thread(client.request, "POST", f"/v1/prompts/{id}/answer", {"decision": "allow"})
    if given.status != 200:
        sys.exit(f"an answer was refused: {given}")


async def round_trips(server, key, phone, watcher, rounds):
    """Seconds from a waiting request to the socket, and from an answer to the response; over HTTP alone."""
    client, opened, answers = Client(server.address, phone["access_token"]), [], []
    for number in range(rounds):
        id, data = waiting_request(key, server.address, number)
        began = time.monotonic()
        reader, writer = await hold(server.address, data)
        opened.append(await watcher.told(lambda other: other == id) - began)
        await held(client, id)
        began = time.monotonic()
        response = asyncio.create_task(reader.readuntil(b"}}}"))
        await answered(client, id)
        await response
        answers.append(time.monotonic() - began)
        writer.close()
    return opened, answers


async def held(client, id):
    while not (await asyncio.to_thread(client.get, f"/v1/prompts/{id}")).json.get("answerable"):
        await asyncio.sleep(0.01)


async def scripts(server, key, phone, watcher, rounds):
    """The same with the hook's script: from its start to the socket, and from an answer to the end of its output."""
    client, opened, answers = Client(server.address, phone["access_token"]), [], []
    home = harness.make_directory("bench-home.")
    for _ in range(rounds):
        known = set(watcher.opened)
        began = time.monotonic()
        script = await asyncio.create_subprocess_exec(
            "bash", "-p", str(ROOT / "hooks/session-monitor.sh"), "PermissionRequest", stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "CLAUDE_MONITOR_URL": server.url,
                 "CLAUDE_MONITOR_KEY": key, "CLAUDE_PID": str(os.getpid())})
        script.stdin.write(json.dumps(hook("PermissionRequest", session(), tool_name="Bash",
                                           tool_input={"command": "make all"})).encode())
        script.stdin.close()
        opened.append(await watcher.told(lambda other: other not in known) - began)
        id = next(id for id in watcher.opened if id not in known)
        await held(client, id)
        began = time.monotonic()
        output = asyncio.create_task(script.stdout.read())
        await answered(client, id)
        if b'"behavior":"allow"' not in await output:
            sys.exit("the hook printed no decision")
        answers.append(time.monotonic() - began)
        await script.wait()
    return opened, answers


def quantile(seconds, part):
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * part))] * 1000


async def measure(options):
    server = Server(MONITOR_RATE_LIMIT="off").start()
    devices.server = ws.server = server
    key, phone = server.key("desk"), devices.pair("phone")
    found = {}
    async with ws.connected(at=server, credential=phone["access_token"]) as client:
        watcher = Watcher(client)
        running = asyncio.create_task(watcher.run())
        for name, trips, rounds in (("http", round_trips, options.rounds), ("script", scripts, options.hooks)):
            opened, answers = await trips(server, key, phone, watcher, rounds)
            for what, seconds in (("opened", opened), ("answered", answers)):
                found[f"{name}_{what}_ms"] = {"p50": quantile(seconds, 0.5), "p99": quantile(seconds, 0.99)}
        running.cancel()
    found["holds"] = options.holds
    found["resident_bytes"] = await crowd(server, key, options.holds)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holds", type=int, default=10_000, help="hooks that wait at once, at most 19,800")
    parser.add_argument("--rounds", type=int, default=200, help="prompts that are answered over HTTP alone")
    parser.add_argument("--hooks", type=int, default=50, help="prompts that are answered with the hook's script")
    parser.add_argument("--build-dir", default=str(ROOT / ".build/release"), help="where the programs are")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    options = parser.parse_args()
    Server.program, harness.CONTROL = (pathlib.Path(options.build_dir).resolve() / name
                                       for name in ("monitor-server", "monitorctl"))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, max(2 * options.holds + 2000, 4096)), most))
    try:
        found = asyncio.run(measure(options))
    finally:
        harness.end_everything()
    print(json.dumps(found, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
