"""The push client against h2load: the same server (nghttpd over TLS), the same pushes, in turn in one run."""

import asyncio
import contextlib
import os
import re
import statistics
import subprocess
import sys
import threading

from harness import await_port, bench_program, free_port, pin, run_json, stop

TOKEN = "00fc13adff785122"
BYTES = 600
STREAMS = 100
SLOW_BYTES_PER_SECOND = 256 * 1024


def certificate(directory):
    """A self-signed certificate for localhost: its own authority."""
    key, path = os.path.join(directory, "push.key"), os.path.join(directory, "push.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", path],
        check=True, timeout=30, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return key, path


class Server:
    """nghttpd: answers a POST to an existing file with 200 and the file, which is empty."""

    def __init__(self, directory, key, path):
        self.port = free_port()
        folder = os.path.join(directory, "push-root", "3", "device")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, TOKEN), "w"):
            pass
        self.process = subprocess.Popen(
            ["nghttpd", "-a", "127.0.0.1", "-d", os.path.join(directory, "push-root"), "-n", "1", "-m", str(STREAMS),
             str(self.port), key, path], preexec_fn=pin(1), stdout=subprocess.DEVNULL)

    def __enter__(self):
        try:
            await_port(self.port, "nghttpd")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        stop(self.process, 5)


class SlowReader:
    """A proxy in front of the server that takes a bounded number of bytes a second from the client."""

    def __init__(self, target):
        self.target = target
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()), daemon=True)

    async def run(self):
        self.loop, self.over = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=16384)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await self.over.wait()

    async def serve(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)

        async def copy(source, sink, pause):
            while data := await source.read(8192):
                sink.write(data)
                await sink.drain()
                await asyncio.sleep(len(data) * pause)
            sink.close()

        # Cut off at the end of the measurement.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(copy(reader, far_writer, 1 / SLOW_BYTES_PER_SECOND), copy(far_reader, writer, 0),
                                 return_exceptions=True)

    def __enter__(self):
        self.thread.start()
        self.ready.wait(10)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join(5)


def h2load(port, directory, connections, seconds):
    body = os.path.join(directory, "push-body")
    with open(body, "w", encoding="ascii") as file:
        file.write('{"aps":{"alert":"' + "x" * (BYTES - 20) + '"}}')
    fields = {
        "authorization": "bearer " + "e" * 188, "apns-topic": "org.example.monitor", "apns-push-type": "alert",
        "apns-priority": "10", "apns-id": "0190b7c4-0000-4000-8000-000000000000", "apns-collapse-id": "p:0123456789abcdef",
    }
    seconds = max(1, round(seconds))
    command = ["h2load", "-D", str(seconds), "-c", str(connections), "-m", str(STREAMS), "-t", "1", "-d", body]
    for name, value in fields.items():
        command += ["-H", f"{name}: {value}"]
    before = os.times()
    done = subprocess.run([*command, f"https://127.0.0.1:{port}/3/device/{TOKEN}"], capture_output=True, text=True,
                          timeout=seconds + 60, preexec_fn=pin(0))
    after = os.times()
    found = re.search(r"([0-9.]+) req/s", done.stdout)
    succeeded = re.search(r"(\d+) succeeded, (\d+) failed", done.stdout)
    if done.returncode or not found or not succeeded or int(succeeded[1]) == 0 or int(succeeded[2]):
        sys.exit(f"h2load failed: {done.stdout[-800:]} {done.stderr[-400:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"per_second": float(found[1]), "cpu_us_per_push": cpu / (float(found[1]) * seconds) * 1e6}


def client(port, ca, connections, seconds, *more):
    found = run_json([bench_program("PushBench"), "--port", port, "--ca", ca, "--connections", connections,
                      "--streams", STREAMS, "--seconds", seconds, "--bytes", BYTES, *more], {}, seconds + 60, role=0)
    if found["failed"] or not found["accepted"]:
        sys.exit(f"not every push was accepted: {found}")
    return found


def measure(directory, options):
    key, path = certificate(directory)
    seconds, rounds = options.seconds, options.rounds
    report = {}
    with Server(directory, key, path) as server:
        for connections in (1, 4):
            found = []
            for number in range(rounds):
                yardstick = h2load(server.port, directory, connections, seconds)
                ours = client(server.port, path, connections, seconds)
                found.append({
                    "pushes_per_second": ours["per_second"], "h2load_per_second": yardstick["per_second"],
                    "ratio": ours["per_second"] / yardstick["per_second"], "connections": ours["connections"],
                    "cpu_us_per_push": ours["cpu_us_per_push"], "h2load_cpu_us": yardstick["cpu_us_per_push"],
                })
                print(f"  {connections} connections, round {number + 1}: {ours['per_second']:,.0f} pushes/s, "
                      f"h2load {yardstick['per_second']:,.0f}/s", file=sys.stderr)
            report[f"connections_{connections}"] = {
                name: statistics.median(one[name] for one in found) for name in found[0]}
        with SlowReader(server.port) as slow:
            report["slow_reader"] = client(slow.port, path, 1, options.slow_seconds, "--fill", "yes")
    return report


def show(report):
    for connections in (1, 4):
        f = report[f"connections_{connections}"]
        print(f"""pushes of {BYTES} bytes over {connections} connection{'s' if connections > 1 else ''}, {STREAMS} streams each
  pushes accepted          {f['pushes_per_second']:>10,.0f} /s    {f['cpu_us_per_push']:.1f} us of CPU each
  h2load                   {f['h2load_per_second']:>10,.0f} /s    {f['h2load_cpu_us']:.1f} us of CPU each
  RATIO                    {f['ratio']:>10.2f}""")
    f = report["slow_reader"]
    print(f"""a server that reads {SLOW_BYTES_PER_SECOND // 1024} KiB a second, with a full queue
  pushes accepted          {f['per_second']:>10,.0f} /s    {f['queued']:,.0f} waiting
  resident at the start    {f['memory_begin_kib'] / 1024:>10.1f} MiB, at the end {f['memory_end_kib'] / 1024:.1f} MiB""")
