#!/usr/bin/python3
"""Lists the sessions of a monitor server, then prints its events as they are committed, over JSON-RPC on a WebSocket.

    MONITOR_URL=http://127.0.0.1:8766 MONITOR_TOKEN=... examples/follow.py [EPOCH:SEQ]

EPOCH:SEQ is the last position that an earlier run printed; the program then continues after that event. Needs Python 3.9 and the
package websockets (Debian: python3-websockets).
"""

import asyncio
import json
import os
import sys
import urllib.error
import urllib.request

import websockets

URL = os.environ.get("MONITOR_URL", "http://127.0.0.1:8766")
TOKEN = os.environ.get("MONITOR_TOKEN") or sys.exit(
    "set MONITOR_TOKEN to the admin token or to the access token of a device")
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
# The option has another name since websockets 14.
HEADERS_OPTION = "extra_headers" if int(websockets.__version__.split(".")[0]) < 14 else "additional_headers"


def print_sessions():
    request = urllib.request.Request(URL + "/v1/sessions?limit=50", headers=HEADERS)
    with urllib.request.urlopen(request, timeout=30) as answer:
        for session in json.load(answer)["sessions"]:
            print("session", session["id"], session["state"], session.get("title", ""), flush=True)


async def call(socket, number, method, params):
    """Returns the result of a method. Events before it belong to the subscription that the call replaces."""
    await socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 30))
        if message.get("id") == number:
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']['message']}")
            return message["result"]


async def follow(place):
    """Prints events until the connection ends. `place` is the position of the last printed event."""
    async with websockets.connect(URL.replace("http", "ws", 1) + "/ws", max_size=None,
                                  **{HEADERS_OPTION: HEADERS}) as socket:
        start = await call(socket, 1, "initialize", {"clientInfo": {"name": "example", "version": "1"}})
        # The position is read before the sessions. So an event in between is shown twice, but none is missed.
        if not place:
            place.update(epoch=start["epoch"], seq=start["seq"])
            await asyncio.to_thread(print_sessions)
        subscribed = await call(socket, 2, "event/subscribe", {"since": place})
        if not subscribed["recovered"]:
            print("reset", flush=True)
            await asyncio.to_thread(print_sessions)
        place.update(epoch=subscribed["epoch"], seq=subscribed["seq"])
        while True:
            # A heartbeat comes every 30 s; a connection without one is dead.
            message = json.loads(await asyncio.wait_for(socket.recv(), 60))
            event = message.get("params", {})
            if "seq" in event and message["method"].startswith("event/"):
                place.update(epoch=event["epoch"], seq=event["seq"])
                print(f"{event['epoch']}:{event['seq']}", event["event"], event.get("session_id", "-"),
                      event.get("summary", ""), flush=True)


async def main():
    place = {}
    if sys.argv[1:]:
        epoch, _, seq = sys.argv[1].rpartition(":")
        place.update(epoch=epoch, seq=int(seq))
        await asyncio.to_thread(print_sessions)
    while True:
        try:
            await follow(place)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                sys.exit(f"follow.py: the server answers {error.code}")
        except websockets.InvalidStatusCode as error:
            if error.status_code in (401, 403):
                sys.exit(f"follow.py: the server answers {error.status_code}")
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException):
            pass
        await asyncio.sleep(1)


asyncio.run(main())
