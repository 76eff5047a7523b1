"""Several threads that serve connections: to a client it makes no difference which one it meets."""

import asyncio
import concurrent.futures
import contextlib
import os
import threading
import time
import unittest

import websockets

import test_rpc as rpc
import test_websocket as ws
from harness import Client, Server, envelope, session, tool

THREADS = 4


def setUpModule():
    global server
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_NET_THREADS=str(THREADS)).start()
    rpc.server = ws.server = server
    ws.key = server.key("loops")


def tearDownModule():
    server.end()


def post_many(count, connections):
    """One connection after the other meets each thread; posts on all of them at once."""
    def run(number):
        client = Client(server.address, ws.key)
        with contextlib.closing(client):
            for step in range(count // connections):
                answer = client.request("POST", "/api/events", envelope(tool(chosen, f"{number}/{step}")))
                if answer.status != 202:
                    failures.append(answer)

    chosen, failures = session(), []
    threads = [threading.Thread(target=run, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def threads_of(running):
    for number in os.listdir(f"/proc/{running.process.pid}/task"):
        # Swift's threads come and go.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{running.process.pid}/task/{number}/comm") as file:
                name = file.read().strip()
            yield int(number), name


class Loops(unittest.IsolatedAsyncioTestCase):
    async def test_every_thread_works(self):
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(2 * THREADS):
                await stack.enter_async_context(ws.connected())
            busy = [name for _, name in threads_of(server) if name == "network-loop"]
            self.assertEqual(len(busy), THREADS)
            figures = {line.split(" ")[0]: float(line.split(" ")[1])
                       for line in server.get("/metrics").body.decode().splitlines() if not line.startswith("#")}
            self.assertEqual(figures['monitor_subscribers{transport="websocket"}'], 2 * THREADS)

    async def test_all_subscribers_get_all_events_in_one_order(self):
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(ws.connected()) for _ in range(3 * THREADS)]
            for client in clients:
                self.assertTrue((await rpc.result(client, "event/subscribe", {}))["recovered"])
            failures = await asyncio.to_thread(post_many, 400, 8)
            self.assertEqual(failures, [])
            head, = ws.post(ws.steps(session(), 1))
            orders = [await client.until(head) for client in clients]
            for order in orders:
                self.assertEqual(order, list(range(head - 400, head + 1)))

    async def test_who_goes_on_at_another_thread_misses_nothing_and_gets_nothing_twice(self):
        chosen, seq, epoch = session(), None, None
        stop = threading.Event()
        flood = asyncio.ensure_future(asyncio.to_thread(self.flood, stop))
        try:
            for _ in range(15):
                async with ws.connected() as client:
                    point = {} if seq is None else {"since": {"epoch": epoch, "seq": seq}}
                    answer = await rpc.result(client, "event/subscribe", point)
                    self.assertTrue(answer["recovered"], answer)
                    start = len(client.events)
                    place, = await asyncio.to_thread(ws.post, ws.steps(chosen, 1))
                    places = (await client.until(place))[start:]
                    if seq is not None:
                        self.assertEqual(places, list(range(seq + 1, places[-1] + 1)))
                    seq, epoch = places[-1], client.events[-1]["params"]["epoch"]
        finally:
            stop.set()
            await flood

    def flood(self, stop):
        while not stop.is_set():
            post_many(8, 4)
            time.sleep(0.05)

    async def test_devices_on_different_threads_see_each_other(self):
        chosen = session()
        rpc.story(chosen, *rpc.TURN)
        place = {"workspace_id": server.get(f"/v1/sessions/{chosen}").json["workspace_id"], "session_id": chosen}
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(ws.connected()) for _ in range(THREADS)]
            for number, client in enumerate(clients):
                answer = await rpc.result(client, "client/session/focus", place)
                self.assertEqual(answer["viewer_count"], number + 1)
                for earlier in clients[:number]:
                    notice = await self.notice(earlier, "session_joined")
                    self.assertEqual(notice["payload"]["joining_client_id"], client.welcome["clientId"])
            clients[0].wire.transport.abort()
            for client in clients[1:]:
                notice = await self.notice(client, "session_left")
                self.assertEqual(notice["payload"]["leaving_client_id"], clients[0].welcome["clientId"])

    notice = rpc.Presence.notice


class Cores(unittest.TestCase):
    def test_loops_keep_to_their_cores_and_all_other_threads_have_all(self):
        usable = sorted(os.sched_getaffinity(0))
        for wanted, cores in {"auto": usable, str(usable[-1]): usable[-1:], "any": [], "": [], "1023": []}.items():
            with self.subTest(wanted):
                other = Server(MONITOR_NET_THREADS=str(THREADS), MONITOR_NET_CPUS=wanted).start()
                try:
                    before = self.switches(other)
                    self.use(other)
                    # Each request waits for the database at least once.
                    self.assertGreater(self.switches(other) - before, 100)
                    loops, others = self.affinities(other)
                    expected = [{cores[number % len(cores)]} if cores else set(usable) for number in range(THREADS)]
                    self.assertCountEqual(loops, expected)
                    for name, found in others:
                        self.assertEqual(found, set(usable), name)
                    self.assertEqual("cannot be kept to its core" in other.text(), wanted == "1023")
                finally:
                    other.end()

    def use(self, other):
        """Loops start tasks, which meet the database and each other."""
        def ask(_):
            with contextlib.closing(other.client()) as client:
                paths = ("/v1/sessions", "/v1/stats", "/metrics")
                return [client.get(path).status for _ in range(20) for path in paths]

        with concurrent.futures.ThreadPoolExecutor(2 * THREADS) as pool:
            for statuses in pool.map(ask, range(2 * THREADS)):
                self.assertEqual(set(statuses), {200})

    def affinities(self, other):
        loops, others = [], []
        for number, name in threads_of(other):
            with contextlib.suppress(ProcessLookupError):
                cores = os.sched_getaffinity(number)
                if name == "network-loop":
                    loops.append(cores)
                else:
                    others.append((name, cores))
        return loops, others

    def switches(self, other):
        """How often the threads for tasks have gone to sleep."""
        found = 0
        for number, name in threads_of(other):
            if name.startswith("tasks-"):
                with open(f"/proc/{other.process.pid}/task/{number}/status") as file:
                    found += sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
        return found


class Stopping(unittest.IsolatedAsyncioTestCase):
    async def test_a_stop_ends_all_threads(self):
        other = Server(MONITOR_NET_THREADS=str(THREADS)).start()
        try:
            async with contextlib.AsyncExitStack() as stack:
                clients = [await stack.enter_async_context(ws.connected(other)) for _ in range(2 * THREADS)]
                stopping = asyncio.ensure_future(asyncio.to_thread(other.stop))
                for client in clients:
                    with self.assertRaises(websockets.ConnectionClosed):
                        while True:
                            await client.receive()
                    self.assertEqual(client.wire.close_code, 1001)
                status, seconds = await stopping
                self.assertEqual(status, 0, other.text())
                self.assertLess(seconds, 10)
        finally:
            other.end()


if __name__ == "__main__":
    unittest.main()
