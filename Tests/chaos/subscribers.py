"""Devices with WebSockets or server-sent events, each with a filter. They reconnect after every loss and resume."""

import asyncio
import json
import random
import socket
import threading

import websockets

LOST = (OSError, EOFError, asyncio.TimeoutError, websockets.WebSocketException)


class Subscriber:
    """Stores the received events in order, and the position at which it began. A violation becomes a fault."""

    def __init__(self, name, server, seed, session=None, types=None, life=None, slow=False):
        self.name, self.server = name, server
        self.random = random.Random(seed)
        self.session, self.types, self.life, self.slow = session, types, life, slow
        self.epoch = self.seq = self.first = None
        self.received = []
        self.faults = []
        self.connections = 0
        self.live = asyncio.Event()
        self.is_patient = False

    def wants(self, session, kind):
        return (not self.session or session == self.session) and (not self.types or kind in self.types)

    def fault(self, text):
        if len(self.faults) < 20:
            self.faults.append(f"{self.name}, connection {self.connections}: {text}")

    def begin(self, epoch, seq, recovered):
        """Handles the server's answer to a subscription."""
        self.connections += 1
        if self.first is None:
            self.epoch, self.seq, self.first = epoch, seq, seq
        elif (epoch, seq, recovered) != (self.epoch, self.seq, True):
            self.fault(f"asked to go on at {self.epoch}:{self.seq}, got {epoch}:{seq}, recovered {recovered}")
            self.epoch, self.seq = epoch, seq

    def take(self, event, kind):
        if event.get("epoch") not in (None, self.epoch):
            self.fault(f"an event of epoch {event['epoch']} after {self.epoch}")
        if event["seq"] <= self.seq:
            self.fault(f"seq {event['seq']} after {self.seq}")
        if not self.wants(event.get("session_id"), kind):
            self.fault(f"seq {event['seq']} does not match the filter")
        self.seq = event["seq"]
        self.received.append((event["seq"], event["event_id"]))

    async def run(self):
        while True:
            try:
                lifetime = self.random.uniform(*self.life) if self.life and not self.is_patient else None
                await asyncio.wait_for(self.connect(), lifetime)
            except LOST:
                pass
            self.live.clear()
            await asyncio.sleep(self.random.uniform(0.05, 0.4))

    async def dawdle(self):
        """A slow subscriber sometimes stops reading, for longer than the buffers of the socket last."""
        if self.slow and not self.is_patient and self.random.random() < 0.03:
            await asyncio.sleep(self.random.uniform(0.5, 3))

    async def connect(self):
        raise NotImplementedError


class Socket(Subscriber):
    async def connect(self):
        headers = {"Authorization": f"Bearer {self.server.token}"}
        plug = socket.socket()
        if self.slow:
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plug.setblocking(False)
        try:
            await asyncio.wait_for(
                asyncio.get_running_loop().sock_connect(plug, ("127.0.0.1", self.server.port)), 5)
            link = await websockets.connect(f"ws://127.0.0.1:{self.server.port}/ws", sock=plug, max_size=1 << 24,
                                            extra_headers=headers, open_timeout=5, close_timeout=1, ping_interval=None,
                                            max_queue=2 if self.slow else 32,
                                            read_limit=4096 if self.slow else 1 << 16)
        except BaseException:
            plug.close()
            raise
        try:
            await self.talk(link)
        finally:
            # Half of the connections end without a closing handshake.
            if self.random.random() < 0.5:
                link.transport.abort()
            else:
                await asyncio.shield(link.close())

    async def talk(self, link):
        await self.ask(link, 1, "initialize", {"clientInfo": {"name": "chaos", "version": "1"}})
        parameters = {}
        if self.session:
            parameters["session_id"] = self.session
        if self.types:
            parameters["types"] = sorted(self.types)
        if self.first is not None:
            parameters["since"] = {"epoch": self.epoch, "seq": self.seq}
        answer = await self.ask(link, 2, "event/subscribe", parameters)
        self.begin(answer["epoch"], answer["seq"], answer["recovered"])
        self.live.set()
        while True:
            # The server sends a heartbeat every 30 s.
            message = json.loads(await asyncio.wait_for(link.recv(), 45))
            if message.get("event") == "heartbeat" or message.get("method") == "prompts/open":
                continue
            self.take(message["params"], message["method"].removeprefix("event/"))
            await self.dawdle()

    @staticmethod
    async def ask(link, number, method, params):
        """Messages before the answer belong to the subscription that `initialize` made."""
        await link.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        while True:
            message = json.loads(await asyncio.wait_for(link.recv(), 10))
            if message.get("id") == number:
                return message["result"]


class EventSource(Subscriber):
    """Reads text/event-stream (HTML standard, section 9.2)."""

    async def connect(self):
        reader, writer = await asyncio.wait_for(
            asyncio.open_connection("127.0.0.1", self.server.port, limit=1 << 24), 5)
        try:
            await self.talk(reader, writer)
        finally:
            writer.transport.abort()

    async def talk(self, reader, writer):
        query = [f"session_id={self.session}"] * bool(self.session) + [f"types={','.join(self.types or [])}"] * bool(
            self.types)
        lines = [f"GET /v1/events?{'&'.join(query)} HTTP/1.1", f"Host: 127.0.0.1:{self.server.port}",
                 "Accept: text/event-stream", f"Authorization: Bearer {self.server.token}"]
        if self.first is not None:
            lines.append(f"Last-Event-ID: {self.epoch}:{self.seq}")
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        if head.split(b" ", 2)[1] != b"200":
            raise EOFError
        lines = Chunks(reader).lines() if b"chunked" in head.lower() else plain_lines(reader)
        fields = {}
        async for line in lines:
            if line:
                name, _, value = line.partition(":")
                if name:
                    fields[name] = value.removeprefix(" ")
            elif fields:
                await self.block(fields)
                fields = {}

    async def block(self, fields):
        if "id" not in fields:
            return
        epoch, _, seq = fields["id"].rpartition(":")
        if "data" not in fields:
            self.begin(epoch, int(seq), True)
            self.live.set()
        elif fields.get("event") == "reset":
            self.begin(epoch, int(seq), False)
        else:
            event = json.loads(fields["data"])
            if (epoch, int(seq)) != (self.epoch, event["seq"]):
                self.fault(f"id {fields['id']} on seq {event['seq']}")
            self.take(event, fields["event"])
            await self.dawdle()


async def plain_lines(reader):
    while line := await asyncio.wait_for(reader.readline(), 60):
        yield line.decode().rstrip("\r\n")


class Chunks:
    """The chunked transfer coding (RFC 9112 section 7.1)."""

    def __init__(self, reader):
        self.reader = reader

    async def lines(self):
        rest = b""
        while True:
            size = int((await asyncio.wait_for(self.reader.readline(), 60)).split(b";")[0] or b"0", 16)
            if size == 0:
                return
            *lines, rest = (rest + (await self.reader.readexactly(size + 2))[:-2]).split(b"\n")
            for line in lines:
                yield line.decode().rstrip("\r")


class Audience:
    """All subscribers, on one thread."""

    def __init__(self, subscribers):
        self.subscribers = subscribers
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda loop, context: None)
        for subscriber in self.subscribers:
            subscriber.live = asyncio.Event()
            self._loop.create_task(self._keep(subscriber))
        self._loop.run_forever()

    @staticmethod
    async def _keep(subscriber):
        """An error of the subscriber itself must not look like a silent server."""
        try:
            await subscriber.run()
        except Exception as error:  # pylint: disable=broad-except
            subscriber.fault(f"gave up: {error!r}")

    def calm(self):
        """From now on, no subscriber disconnects or reads slowly."""
        for subscriber in self.subscribers:
            subscriber.is_patient = True

    def all_have_begun(self):
        return all(subscriber.first is not None for subscriber in self.subscribers)

    def end(self):
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    @staticmethod
    async def _leave():
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=5)
