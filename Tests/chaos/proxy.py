"""A proxy between the server and PostgreSQL. It forwards everything until a fault is requested.

A batch ends with the message that executes COMMIT: a Bind of the prepared statement `commit_batch`, with an unnamed portal. The
proxy recognizes it by the statement's name between two zero bytes (PostgreSQL manual, 55.7).
"""

import asyncio
import threading

COMMIT = b"\0commit_batch\0"
MESSAGE_HEAD = 5


class Link:
    """One connection of the server."""

    def __init__(self, client, upstream):
        self.client = client
        self.upstream = upstream
        self.is_dead = False
        self.swallow_answers = False

    def close(self):
        for writer in (self.client, self.upstream):
            if writer.transport:
                writer.transport.abort()


class Proxy:
    """The modes `answer_lost` (forward the message, cut the connection before the answer), `commit_lost` (cut the connection
    before it) and `hold_commit` (keep the message until `release`) apply to the next COMMIT. At any time: `delay` delays every
    chunk by some seconds, `blackhole` blocks the existing connections, `refuse` refuses new ones."""

    def __init__(self, directory, target):
        self.directory = directory
        self.target = str(target / ".s.PGSQL.5432")
        self.mode = None
        self.delay = 0.0
        self.refuse = False
        self.links = set()
        self.hits = 0
        self.hit = threading.Event()
        self._held = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self):
        self.directory.mkdir()
        self._thread.start()
        self._call(self._listen())

    async def _listen(self):
        await asyncio.start_unix_server(self._accept, str(self.directory / ".s.PGSQL.5432"))

    def _call(self, routine):
        return asyncio.run_coroutine_threadsafe(routine, self._loop).result(10)

    def arm(self, mode):
        self.hit.clear()
        self.mode = mode

    def release(self):
        """Forwards what was held, to a backend whose client may be gone."""
        async def forward():
            for upstream, chunk in self._held:
                upstream.write(chunk)
                upstream.write_eof()
            self._held.clear()
        self._call(forward())

    def cut(self):
        async def close():
            for link in list(self.links):
                link.close()
        self._call(close())

    def blackhole(self):
        """The connections stay open, but nothing passes, as on a lost route."""
        async def deafen():
            for link in self.links:
                link.is_dead = True
            return len(self.links)
        return self._call(deafen())

    def close_dead(self):
        async def close():
            for link in [link for link in self.links if link.is_dead]:
                link.close()
        self._call(close())

    def end(self):
        async def leave():
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            if others:
                await asyncio.wait(others, timeout=5)
        if not self._thread.is_alive():
            return
        self._call(leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def _accept(self, reader, client):
        if self.refuse:
            return client.transport.abort()
        try:
            answers, upstream = await asyncio.open_unix_connection(self.target)
        except OSError:
            return client.transport.abort()
        link = Link(client, upstream)
        self.links.add(link)
        ways = [asyncio.ensure_future(self._requests(reader, link)),
                asyncio.ensure_future(self._answers(answers, link))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        self.links.discard(link)
        client.transport.abort()
        if any(writer is upstream for writer, _ in self._held):
            # The backend of a held COMMIT stays connected although its client is gone. This is intended.
            link.is_dead = True
            await asyncio.wait(ways, timeout=60)
        for way in ways:
            way.cancel()
        upstream.close()
        return None

    async def _requests(self, reader, link):
        while chunk := await self._read(reader):
            if self.delay:
                await asyncio.sleep(self.delay)
            if link.is_dead:
                continue
            place = chunk.find(COMMIT) if self.mode else -1
            if place < 0:
                link.upstream.write(chunk)
                continue
            mode, self.mode = self.mode, None
            self.hits += 1
            await self._harm(mode, chunk, place - MESSAGE_HEAD, link)
            self.hit.set()
            if mode != "hold_commit":
                return

    async def _harm(self, mode, chunk, start, link):
        start = max(0, start)
        if mode == "answer_lost":
            link.swallow_answers = True
            link.upstream.write(chunk)
            await asyncio.sleep(0.15)
        elif mode == "commit_lost":
            link.upstream.write(chunk[:start])
        elif mode == "hold_commit":
            link.upstream.write(chunk[:start])
            self._held.append((link.upstream, chunk[start:]))

    async def _answers(self, reader, link):
        while chunk := await self._read(reader):
            if self.delay:
                await asyncio.sleep(self.delay)
            if not (link.is_dead or link.swallow_answers):
                link.client.write(chunk)

    @staticmethod
    async def _read(reader):
        try:
            return await reader.read(1 << 16)
        except OSError:
            return b""
