"""A device with a WebSocket that receives every event, stores its position in the log, and resumes from it after a lost
connection."""

import asyncio
import json
import threading
import time

import websockets

# Telemetry, growing transcripts and the server's own events have no hook. Some are outside any session.
WITHOUT_HOOK = {"telemetry", "transcript", "prompt_opened", "prompt_updated", "prompt_closed", "message_updated",
                "session_interrupted", "session_gone", "stream_number"}
FIELDS = ("seq", "epoch", "event_id", "session_id", "hook_event_name", "timestamp", "payload")


class Subscriber:
    def __init__(self, url, token):
        self.url = url.replace("http", "ws", 1) + "/ws"
        self.token = token
        self.epoch = self.seq = None
        self.events, self.faults = [], []
        self.connections = 0
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),), daemon=True)
        self._stopped = False

    def start(self):
        self._thread.start()
        with self._changed:
            if not self._changed.wait_for(lambda: self.connections > 0, 10):
                raise TimeoutError(f"no WebSocket within 10 s: {self.faults}")
        return self

    def stop(self):
        self._stopped = True
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(self._loop)])
        self._thread.join(5)

    def wait_for(self, identifiers, seconds):
        """Waits for these events. True if all of them have come."""
        wanted = set(identifiers)
        with self._changed:
            return self._changed.wait_for(
                lambda: wanted <= {event["event_id"] for _, event in self.events}, seconds)

    async def _run(self):
        try:
            while not self._stopped:
                try:
                    headers = {"Authorization": f"Bearer {self.token}"}
                    async with websockets.connect(self.url, extra_headers=headers, max_size=1 << 26, open_timeout=5,
                                                  close_timeout=1) as link:
                        await self._talk(link)
                except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as error:
                    if self.connections == 0:
                        self.faults.append(f"connecting: {error}")
                    await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            pass

    async def _talk(self, link):
        answer = await self._ask(link, 1, "initialize", {"clientInfo": {"name": "test-claude", "version": "1"}})
        if self.seq is None:
            self.epoch, self.seq = answer["epoch"], answer["seq"]
        else:
            # Until the server has answered this, the socket receives new events, which are part of the subscription.
            since = {"epoch": self.epoch, "seq": self.seq}
            answer = await self._ask(link, 2, "event/subscribe", {"since": since})
            got = {name: answer.get(name) for name in ("epoch", "seq", "recovered")}
            if got != since | {"recovered": True}:
                self.faults.append(f"resuming from {since}: {got}")
        with self._changed:
            self.connections += 1
            self._changed.notify_all()
        async for text in link:
            self._take(time.time(), json.loads(text))

    @staticmethod
    async def _ask(link, number, method, params):
        await link.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        while True:
            message = json.loads(await asyncio.wait_for(link.recv(), 10))
            if message.get("id") == number:
                return message["result"]

    def _take(self, now, message):
        if message.get("event") == "heartbeat":
            return
        method, event = message.get("method", ""), message.get("params", {})
        with self._changed:
            is_hook = event.get("event") not in WITHOUT_HOOK
            absent = [name for name in FIELDS if name not in event] if is_hook else []
            if not method.startswith("event/") or absent:
                self.faults.append(f"notification {method!r} without {absent}")
                return
            if method != f"event/{event.get('event')}":
                self.faults.append(f"{method} says it is {event.get('event')}")
            if event["epoch"] != self.epoch:
                self.faults.append(f"epoch {event['epoch']} after {self.epoch}")
            if event["seq"] != self.seq + 1:
                self.faults.append(f"seq {event['seq']} after {self.seq}")
            self.seq = event["seq"]
            if is_hook:
                self.events.append((now, event))
            self._changed.notify_all()
