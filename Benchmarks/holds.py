#!/usr/bin/python3
"""Hooks that wait: the server's resident memory for each, and how long an answer takes to reach its hook.

    Benchmarks/holds [--holds 10000] [--answers 200]

BUILD=release measures .build/release instead of .build/debug. Needs as many descriptors as holds.
"""

import argparse
import asyncio
import json
import os
import pathlib
import resource
import statistics
import sys
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/system"))

import harness  # noqa: E402
import test_devices as devices  # noqa: E402
from harness import Client, Server, envelope, hook, session  # noqa: E402


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def request(key, address, number):
    """The bytes of a waiting hook's request, about 500 of them the hook's own object."""
    body = envelope(hook("PermissionRequest", session(), tool_name="Bash",
                         tool_input={"command": f"make step-{number} " + "x" * 200, "description": "one step"}))
    text = json.dumps(body).encode()
    head = (f"POST /api/prompts HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
            f"X-Hold-Id: {uuid.uuid4()}\r\nX-Hold-Seconds: 3600\r\n\r\n")
    return "prm_" + body["event_id"].replace("-", ""), head.encode() + text


async def hold(host, port, data):
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(data)
    await writer.drain()
    return reader, writer


async def measure(options):
    server = Server(MONITOR_RATE_LIMIT="off").start()
    devices.server = server
    key, phone = server.key("desk"), devices.pair("phone")
    host, _, port = server.address.rpartition(":")
    gauge = lambda: next(float(line.split()[1]) for line in server.get("/metrics").body.decode().splitlines()
                         if line.startswith("monitor_prompt_holds "))
    warm = []
    for number in range(50):
        warm.append(await hold(host, int(port), request(key, server.address, number)[1]))
    await asyncio.sleep(3)
    before = resident(server.process.pid)
    held, prompts = [], []
    for start in range(0, options.holds, 100):
        batch = [request(key, server.address, number) for number in range(start, min(start + 100, options.holds))]
        prompts += [id for id, _ in batch]
        held += await asyncio.gather(*(hold(host, int(port), data) for _, data in batch))
    while gauge() < options.holds:
        await asyncio.sleep(0.2)
    await asyncio.sleep(5)
    after = resident(server.process.pid)
    print(f"holds                {int(gauge())}")
    print(f"resident per hold    {(after - before) / options.holds / 1024:.1f} KiB")
    client, seconds = Client(server.address, phone["access_token"]), []
    for id, (reader, _) in list(zip(prompts, held))[-options.answers:]:
        began = time.monotonic()
        told = asyncio.create_task(reader.readuntil(b"}}}"))
        answered = await asyncio.to_thread(client.request, "POST", f"/v1/prompts/{id}/answer", {"decision": "allow"})
        assert answered.status == 200, answered
        await told
        seconds.append(time.monotonic() - began)
    seconds.sort()
    print(f"answer to hook       p50 {statistics.median(seconds) * 1000:.1f} ms,"
          f" p99 {seconds[int(len(seconds) * 0.99) - 1] * 1000:.1f} ms of {len(seconds)}")
    for _, writer in warm + held:
        writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holds", type=int, default=10_000)
    parser.add_argument("--answers", type=int, default=200)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(options.holds + 1000, 4096),) * 2)
    try:
        asyncio.run(measure(options))
    finally:
        harness.end_everything()


if __name__ == "__main__":
    main()
