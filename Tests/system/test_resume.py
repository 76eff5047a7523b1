"""A subscriber that resumes misses nothing and gets nothing twice, whatever happens in between, and many can resume at once.

    Tests/system/run resume                                   a short run with a new seed, which it prints
    RESUME_SEED=7 Tests/system/run resume                     repeats the steps of an earlier run
    python3 Tests/system/test_resume.py --long [MINUTES]      a long run
"""

import asyncio
import contextlib
import json
import os
import pathlib
import random
import resource
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
sys.path.append(str(here.parent / "chaos"))

import harness  # noqa: E402
from harness import Client, Postgres, Server, envelope, hook, tool  # noqa: E402
from subscribers import Audience, EventSource, Socket, Subscriber  # noqa: E402

SHORT_STEPS = 40
CROWD = 2000


class Pager(Subscriber):
    """Reads /v1/events in pages of any size, by cursor or by position, over connections that come and go."""

    async def connect(self):
        client = Client(self.server.address, self.server.token, timeout=10)
        try:
            await self.read(client)
        finally:
            client.close()

    async def read(self, client):
        cursor = None
        while True:
            answer = await self.page(client, cursor)
            if answer.status != 200:
                raise OSError(answer.status)
            meta = answer.json["meta"]
            if self.first is None:
                self.begin(meta["epoch"], 0, True)
                self.live.set()
            elif meta["epoch"] != self.epoch:
                self.fault(f"epoch {meta['epoch']} after {self.epoch}")
            for event in answer.json["events"]:
                self.take(event, event["type"])
            cursor = answer.json["next_cursor"] if self.random.random() < 0.7 else None
            if not answer.json["events"]:
                await asyncio.sleep(self.random.uniform(0.02, 0.2))
            if not self.is_patient and self.random.random() < 0.05:
                raise OSError("leaves")

    async def page(self, client, cursor):
        query = [f"limit={self.random.choice([1, 3, 20, 100, 999])}", "order=asc"]
        query.append(f"cursor={cursor}" if cursor else f"after={self.seq or 0}")
        if self.session:
            query.append(f"session_id={self.session}")
        if self.types:
            query.append(f"type={','.join(sorted(self.types))}")
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(None, client.get, "/v1/events?" + "&".join(query))
        except Exception as error:
            raise OSError(str(error)) from error


class Publisher:
    """Posts events, and repeats each post until it is acknowledged."""

    def __init__(self, server, key, seed):
        self.server, self.key, self.random = server, key, random.Random(seed)
        self.sessions = [f"resume-{seed}-{number}" for number in range(4)]
        self.acknowledged, self.repeats, self.number = [], 0, 0

    def post(self, count):
        items = []
        for _ in range(count):
            self.number += 1
            chosen = self.random.choice(self.sessions)
            padding = "x" * self.random.choice([0, 20, 400, 3000])
            items.append(envelope(self.random.choice([
                hook("Stop", chosen), hook("UserPromptSubmit", chosen, prompt=f"{self.number} {padding}"),
                tool(chosen, f"{self.number} {padding}")])))
        deadline = time.monotonic() + harness.PATIENCE
        while True:
            try:
                answer = Client(self.server.address, self.key, timeout=5).request("POST", "/api/events", items)
                if answer.status == 202:
                    self.acknowledged += [entry["event_id"] for entry in answer.json["events"]]
                    return
                problem = answer
            except Exception as error:  # pylint: disable=broad-except
                problem = error
            self.repeats += 1
            if time.monotonic() > deadline:
                raise AssertionError(f"not acknowledged: {problem}")
            time.sleep(0.05)


class World:
    """A server, a database that outlives it, a publisher, and subscribers of every kind."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.postgres = Postgres().start()
        self.server = Server(DATABASE_URL=self.postgres.url, MONITOR_RATE_LIMIT="off").start()
        self.server.token = self.server.admin
        self.publisher = Publisher(self.server, self.server.key("resume"), seed)
        self.audience = Audience(list(self.make_subscribers(seed)))
        self.steps = []

    @property
    def port(self):
        return int(self.server.address.rpartition(":")[2])

    def make_subscribers(self, seed):
        one, other = self.publisher.sessions[:2]
        kinds = {"ws": Socket, "sse": EventSource, "rest": Pager}
        variants = {"all": {}, "all, restless": {"life": (0.05, 1.5)}, "all, slow": {"slow": True},
                    "one session": {"session": one, "life": (0.3, 4)},
                    "types, slow": {"types": {"stop", "tool"}, "slow": True, "life": (0.5, 6)},
                    "session and type": {"session": other, "types": {"prompt"}}}
        for kind, make in kinds.items():
            for name, options in variants.items():
                yield make(f"{kind} {name}", Place(self), f"{seed} {kind} {name}", **options)

    def step(self):
        action = self.random.choices(
            [self.publish, self.burst, self.pause, self.kill, self.restart], [10, 4, 3, 1.2, 0.8])[0]
        self.steps.append(action.__name__)
        action()

    def publish(self):
        self.publisher.post(self.random.randint(1, 12))

    def burst(self):
        for _ in range(self.random.randint(2, 6)):
            self.publisher.post(self.random.randint(50, 200))

    def pause(self):
        time.sleep(self.random.uniform(0.05, 0.6))

    def kill(self):
        """Kills the server, half of the time during a post."""
        poster = threading.Thread(target=self.publisher.post, args=(self.random.randint(1, 200),))
        delay = self.random.uniform(0, 0.05)
        poster.start()
        time.sleep(delay)
        self.server.kill()
        self.server.start(ready="listening")
        poster.join(harness.PATIENCE)

    def restart(self):
        status, _ = self.server.stop()
        assert status == 0, status
        self.server.start(ready="listening")

    def committed(self):
        """The log: seq, id, session and type of every event, in order."""
        return [tuple(json.loads(line)) for line in self.postgres.sql(
            "SELECT json_build_array(seq, event_id, session_id, type) FROM events ORDER BY seq")]

    def end(self):
        self.audience.end()
        self.server.end()
        self.postgres.end()


class Place:
    """The address of the server at this moment, for the subscribers."""

    def __init__(self, world):
        self.world, self.token = world, world.server.token

    address = property(lambda self: self.world.server.address)
    port = property(lambda self: self.world.port)


def judge(world, seconds=60):
    """The violations, one line each."""
    log = world.committed()
    wrong, ids = [], [row[1] for row in log]
    if [row[0] for row in log] != list(range(1, len(log) + 1)):
        wrong.append("the log has gaps")
    if lost := set(world.publisher.acknowledged) - set(ids):
        wrong.append(f"acknowledged and lost: {len(lost)}")
    deadline = time.monotonic() + seconds
    for subscriber in world.audience.subscribers:
        expected = [row[:2] for row in log
                    if row[0] > (subscriber.first or 0) and subscriber.wants(row[2], row[3])]
        while len(subscriber.received) < len(expected) and time.monotonic() < deadline and not subscriber.faults:
            time.sleep(0.05)
        wrong += subscriber.faults
        got = list(subscriber.received)
        if got != expected:
            missing, extra = sorted(set(expected) - set(got)), sorted(set(got) - set(expected))
            wrong.append(f"{subscriber.name}: {len(got)} of {len(expected)}, at {subscriber.seq}; missing {missing[:3]}, "
                         f"beyond {extra[:3]}, {subscriber.connections} connections")
    return wrong


def run_world(seed, steps=None, minutes=None):
    """Returns the ended world and the violations."""
    print(f"\nresume: seed {seed}", file=sys.stderr, flush=True)
    world = World(seed)
    world.audience.start()
    try:
        harness.wait_for(world.audience.all_have_begun, "all subscribers have begun")
        deadline = time.monotonic() + 60 * (minutes or 60)
        while len(world.steps) < (steps or 1 << 60) and time.monotonic() < deadline:
            world.step()
        # Each run has a kill and a restart, whatever the seed is.
        world.kill()
        world.publish()
        world.restart()
        world.publish()
        world.audience.calm()
        world.server.wait_healthy()
        world.server.wait_replayed()
        return world, judge(world)
    finally:
        world.end()


class Interleavings(unittest.TestCase):
    def test_every_subscriber_ends_with_exactly_the_committed_sequence(self):
        seed = int(os.environ.get("RESUME_SEED") or random.SystemRandom().randrange(1 << 32))
        world, wrong = run_world(seed, steps=SHORT_STEPS)
        self.assertEqual(wrong, [], f"RESUME_SEED={seed}")
        # The run was meaningful: there were events, lost connections and killed servers.
        self.assertGreater(world.publisher.number, 200)
        self.assertGreater(sum(subscriber.connections for subscriber in world.audience.subscribers), 36)


class Wire:
    """A WebSocket without masking and compression that reads one message at a time, so that a crowd of them costs little."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, address, token):
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
        writer.write((f"GET /ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                      f"Authorization: Bearer {token}\r\n\r\n").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise OSError(head)
        return cls(reader, writer)

    def send(self, method, number, params):
        text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        self.writer.write(b"\x81" + length + bytes(4) + text)

    async def message(self):
        while True:
            first, second = await self.reader.readexactly(2)
            length = second & 0x7F
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
            payload = await self.reader.readexactly(length)
            if first & 0x0F == 1:
                return json.loads(payload)
            if first & 0x0F == 8:
                raise EOFError(payload)

    async def answer(self, number):
        while (message := await self.message()).get("id") != number:
            pass
        return message["result"]


class Crowd(unittest.TestCase):
    """All subscribers come back in the same second, and the server's memory is empty, as after a restart."""

    @classmethod
    def setUpClass(cls):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < CROWD + 200:
            raise unittest.SkipTest("too few file descriptors")
        cls.limit = (soft, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, CROWD + 500), hard))
        cls.postgres = Postgres().start()
        cls.server = Server(DATABASE_URL=cls.postgres.url, MONITOR_RATE_LIMIT="off").start()
        cls.publisher = Publisher(cls.server, cls.server.key("crowd"), 1)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.postgres.end()
        resource.setrlimit(resource.RLIMIT_NOFILE, cls.limit)

    def metric(self, name):
        for line in self.server.get("/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return int(float(line.split()[1]))
        raise AssertionError(f"no metric {name}")

    def transactions(self):
        """The number of transactions of the database. Its statistics are late, so this waits a moment."""
        time.sleep(1.2)
        return int(self.postgres.sql("SELECT xact_commit + xact_rollback FROM pg_stat_database "
                                     "WHERE datname = 'postgres'")[0])

    async def resume(self, epoch, since, head, gate):
        """One device. Returns the events that it received."""
        async with gate:
            wire = await Wire.open(self.server.address, self.server.admin)
        try:
            wire.send("initialize", 1, {"clientInfo": {"name": "crowd", "version": "1"}})
            wire.send("event/subscribe", 2, {"since": {"epoch": epoch, "seq": since}})
            answer = await wire.answer(2)
            self.assertTrue(answer["recovered"], answer)
            seen = []
            while not seen or seen[-1] < head:
                message = await wire.message()
                if str(message.get("method", "")).startswith("event/"):
                    seen.append(message["params"]["seq"])
            return seen
        finally:
            wire.writer.transport.abort()

    def measure(self, name, places):
        """All subscribers resume at once from their positions. Prints the time."""
        self.server.stop()
        self.server.start()
        self.assertEqual(self.metric("monitor_replayed_total{source=\"memory\"}"), 0)
        meta = self.server.get("/v1/events?limit=1&order=desc").json["meta"]
        before, started = self.transactions(), time.monotonic()
        idle = (self.transactions() - before) / (time.monotonic() - started)
        before, started = self.transactions(), time.monotonic()

        async def everybody():
            # As many handshakes at once as fit into the backlog of a listening socket.
            gate = asyncio.Semaphore(200)
            async with asyncio.timeout(180):
                return await asyncio.gather(*(
                    self.resume(meta["epoch"], place, meta["head"], gate) for place in places))

        seen = asyncio.run(everybody())
        seconds = time.monotonic() - started
        took = time.monotonic() - started
        spent = self.transactions() - before - idle * (time.monotonic() - started)
        for place, seqs in zip(places, seen):
            self.assertEqual(seqs, list(range(place + 1, meta["head"] + 1)))
        pages = self.metric("monitor_replay_pages_total")
        print(f"\nresume: {len(places)} at once, {name}: {seconds:.1f} s, {pages} pages read for them "
              f"({self.metric('monitor_replay_pages_shared_total')} shared), about {max(0, spent):.0f} transactions "
              f"beyond the idle {idle * took:.0f}", file=sys.stderr, flush=True)
        return pages

    def test_a_crowd_that_resumes_after_a_restart_costs_the_database_a_handful_of_queries(self):
        for _ in range(3):
            self.publisher.post(100)
        head = self.publisher.number
        self.assertLessEqual(self.measure("from one place", [head - 100] * CROWD), 8)
        chooser = random.Random(5)
        places = [chooser.randint(head - 150, head - 1) for _ in range(CROWD)]
        self.assertLessEqual(self.measure("from 150 places", places), 16)


def main():
    """The long form: runs one world after another, each with a seed of its own, until the time is over."""
    with contextlib.suppress(ValueError):
        sys.argv.remove("--long")
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    deadline, failed, worlds = time.monotonic() + 60 * minutes, 0, 0
    seed = int(os.environ.get("RESUME_SEED") or random.SystemRandom().randrange(1 << 32))
    try:
        while time.monotonic() < deadline:
            world, wrong = run_world(seed, steps=200, minutes=(deadline - time.monotonic()) / 60)
            worlds += 1
            failed += bool(wrong)
            print(f"seed {seed}: {world.publisher.number} events, {world.steps.count('kill') + 1} kills, "
                  f"{world.steps.count('restart') + 1} restarts, {world.publisher.repeats} posts repeated: "
                  f"{'; '.join(wrong) or 'exactly the committed sequence'}", flush=True)
            seed = random.SystemRandom().randrange(1 << 32)
    finally:
        harness.end_everything()
    print(f"{worlds - failed} passed, {failed} failed")
    return 1 if failed or not worlds else 0


if __name__ == "__main__":
    sys.exit(main())
