"""The faults. A fault does damage, waits, and repairs it. It returns a note about what happened.

Each fault gets the world and a random generator of its own, so that a seed repeats a schedule. `Skip` says why a fault cannot be
done here. The world measures the time from the repair to the server's next acknowledgement.
"""

import shutil
import signal
import socket
import struct
import time
from pathlib import Path

from postgres import kill_postmaster, postmaster_pid
from system import run, signal_pid


class Skip(Exception):
    pass


def server_killed(world, chance):
    world.server.kill()
    time.sleep(chance.choice((0, 0, 0.3, 2)))
    world.server.start()


def server_terminated(world, chance):
    took = world.server.terminate()
    time.sleep(chance.choice((0, 0.5)))
    world.server.start()
    return f"ended after {took:.1f} s"


def server_killed_twice(world, chance):
    """Kills the server, and again while it starts."""
    world.server.kill()
    world.server.start()
    time.sleep(chance.uniform(0.02, 0.8))
    world.server.kill()
    world.server.start()


def server_frozen(world, chance):
    seconds = chance.uniform(1, 5)
    pid = world.server.process.pid
    signal_pid(pid, signal.SIGSTOP)
    time.sleep(seconds)
    signal_pid(pid, signal.SIGCONT)
    return f"for {seconds:.1f} s"


def postmaster_killed(world, chance):
    """Starts an external cluster again; the server starts a private one itself."""
    if not kill_postmaster(world.pgdata):
        raise Skip("no postmaster runs")
    if world.cluster:
        time.sleep(chance.uniform(0.1, 3))
        world.cluster.start()


def postmaster_and_server_killed(world, chance):
    """As close to a power failure as a process can get."""
    kill_postmaster(world.pgdata)
    world.server.kill()
    time.sleep(chance.choice((0, 0.5)))
    if world.cluster:
        world.cluster.start()
    world.server.start()


def backend_killed(world, chance):
    """PostgreSQL ends all its sessions and recovers."""
    pid = world.writer_backend()
    if not pid:
        raise Skip("the writer has no backend now")
    signal_pid(pid, signal.SIGKILL)


def backends_terminated(world, chance):
    times = chance.randint(1, 5)
    for _ in range(times):
        world.sql.lines("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE application_name LIKE 'claude-monitor%'")
        time.sleep(chance.uniform(0, 0.3))
    return f"{times} times"


def disk_full(world, chance):
    if not world.is_small_disk:
        raise Skip("needs root, to mount a small file system")
    ballast = world.disk / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
            except OSError:
                pass
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        time.sleep(chance.uniform(3, 9))
        running = "ran on" if postmaster_pid(world.pgdata) else "had ended"
    finally:
        ballast.unlink(missing_ok=True)
    if world.cluster and not postmaster_pid(world.pgdata):
        world.cluster.start()
    return f"PostgreSQL {running}"


def plugs(world, number):
    """Opens this number of connections to the server, as far as it accepts them."""
    found = []
    for _ in range(number):
        plug = socket.socket()
        plug.settimeout(0.2)
        try:
            plug.connect(("127.0.0.1", world.server.port))
        except OSError:
            plug.close()
            continue
        found.append(plug)
    return found


def no_descriptors(world, chance):
    """The server starts with few file descriptors, and clients use them all."""
    world.server.terminate()
    world.server.start(files=90)
    world.server.wait_until_healthy(30)
    taken = plugs(world, 150)
    time.sleep(chance.uniform(2, 5))
    for plug in taken:
        plug.close()
    return f"{len(taken)} connections at 90 descriptors"


def clock_jumps(world, chance):
    """The server's wall clock jumps forward and back by seconds, hours and days. Its monotonic clock does not change.

    For an external database: a private one would inherit the clock.
    """
    library, place = world.workplace.path / "clock.so", world.workplace.path / "clock"
    compiler = shutil.which("clang") or shutil.which("cc")
    if not compiler:
        raise Skip("needs a C compiler")
    run([compiler, "-O1", "-fPIC", "-shared", "-o", library, Path(__file__).with_name("clock.c")])
    place.write_bytes(bytes(8))

    def set_clock(seconds):
        with place.open("r+b") as file:
            file.write(struct.pack("=q", seconds))

    world.server.terminate()
    world.server.start(LD_PRELOAD=str(library), CHAOS_CLOCK=str(place))
    world.server.wait_until_healthy(30)
    jumps = [chance.choice((-1, 1)) * chance.choice((7, 90, 3600, 86400, 4 * 86400)) for _ in range(3)]
    for jump in jumps:
        set_clock(jump)
        time.sleep(chance.uniform(0.5, 2))
        if chance.random() < 0.5:
            # What waits for the database must not use a clock that can be set back.
            world.cluster.stop("fast")
            set_clock(jump - 1800)
            time.sleep(chance.uniform(0.5, 2))
            world.cluster.start()
    moved = abs((world.server.time() or time.time()) - time.time())
    if moved < 5:
        raise RuntimeError("the server's clock did not move")
    healthy = world.server.wait_until_healthy(20)
    world.server.terminate()
    world.server.start()
    return ("" if healthy else "NOT HEALTHY ") + "by " + ", ".join(f"{jump:+d} s" for jump in jumps)


def half_open_clients(world, chance):
    """Clients that begin a connection, stop in every possible state, and then disappear."""
    key, port = world.some_key, world.server.port
    beginnings = (
        b"", b"POST /api/events HT", b"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le",
        f"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n[{\"event_id\":".encode(),
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {world.server.token}\r\nUpgrade: "
        "websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode(),
        f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {world.server.token}\r\n"
        "Accept: text/event-stream\r\n\r\n".encode())
    taken = plugs(world, 60)
    for plug in taken:
        try:
            plug.send(chance.choice(beginnings))
        except OSError:
            pass
    time.sleep(chance.uniform(1, 4))
    for plug in taken:
        if chance.random() < 0.7:
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        plug.close()
    return f"{len(taken)} connections"
