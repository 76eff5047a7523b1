"""What goes wrong. A fault does harm, waits, and heals; what it returns is a word on how it went.

Each takes the world and a random generator of its own, so that a schedule repeats from its seed. `Skip` says why one
cannot be done here. The world measures how long the server takes from the healing to the next acknowledgement.
"""

import random
import signal
import socket
import struct
import time

from postgres import kill_postmaster, postmaster_pid
from system import signal_pid


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
    """The second time while it starts."""
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
    """An external cluster is started again here; a private one is the server's business."""
    if not kill_postmaster(world.pgdata):
        raise Skip("no postmaster runs")
    if world.cluster:
        time.sleep(chance.uniform(0.1, 3))
        world.cluster.start()


def postmaster_and_server_killed(world, chance):
    """As near to a power failure as a process can come."""
    kill_postmaster(world.pgdata)
    world.server.kill()
    time.sleep(chance.choice((0, 0.5)))
    if world.cluster:
        world.cluster.start()
    world.server.start()


def backend_killed(world, chance):
    """PostgreSQL takes all its sessions down and recovers."""
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


def writer_frozen(world, chance):
    seconds = chance.uniform(2, 7)
    pid = world.writer_backend()
    if not pid:
        raise Skip("the writer has no backend now")
    signal_pid(pid, signal.SIGSTOP)
    time.sleep(seconds)
    signal_pid(pid, signal.SIGCONT)
    return f"for {seconds:.1f} s"


def writer_frozen_long(world, chance):
    """Longer than the server waits for an answer."""
    pid = world.writer_backend()
    if not pid:
        raise Skip("the writer has no backend now")
    signal_pid(pid, signal.SIGSTOP)
    time.sleep(16)
    signal_pid(pid, signal.SIGCONT)


def read_only(world, chance):
    """As a standby looks, or a provider at the end of its quota."""
    set_option(world, "default_transaction_read_only", "on")
    # What is connected keeps its setting only where it set one.
    time.sleep(chance.uniform(1, 5))
    set_option(world, "default_transaction_read_only", None)


def set_option(world, name, value):
    world.sql.lines(f"ALTER SYSTEM SET {name} = {value}" if value else f"ALTER SYSTEM RESET {name}")
    world.sql.lines("SELECT pg_reload_conf()")


def log_locked(world, chance):
    """Somebody holds the log's head, longer than the server waits for a lock in some rounds."""
    seconds = chance.choice((2, 4, 10))
    process = world.sql.hold(f"BEGIN; SELECT 1 FROM log_head FOR UPDATE; SELECT pg_sleep({seconds}); COMMIT")
    try:
        process.wait(seconds + 20)
    finally:
        process.kill()
    return f"for {seconds} s"


def database_stopped(world, chance):
    mode = chance.choice(("fast", "immediate"))
    world.cluster.stop(mode)
    time.sleep(chance.uniform(0.2, 8))
    world.cluster.start()
    return mode


def database_restarted(world, chance):
    mode = chance.choice(("fast", "immediate"))
    world.cluster.stop(mode)
    world.cluster.start()
    return mode


def server_terminated_without_database(world, chance):
    """Neither the end nor the next start may need the database."""
    world.cluster.stop(chance.choice(("fast", "immediate")))
    time.sleep(chance.choice((0, 1)))
    took = world.server.terminate()
    world.server.start()
    time.sleep(chance.uniform(0.5, 4))
    world.cluster.start()
    return f"ended after {took:.1f} s"


def server_terminated_in_commit(world, chance):
    """The database does not answer, and the server has to end in time all the same."""
    pid = world.writer_backend()
    if not pid:
        raise Skip("the writer has no backend now")
    signal_pid(pid, signal.SIGSTOP)
    try:
        time.sleep(0.3)
        took = world.server.terminate()
    finally:
        signal_pid(pid, signal.SIGCONT)
    world.server.start()
    return f"ended after {took:.1f} s"


def commit_cut(world, chance, mode):
    times = chance.randint(1, 3)
    done = 0
    for _ in range(times):
        world.proxy.arm(mode)
        done += world.proxy.hit.wait(10)
        time.sleep(chance.uniform(0, 0.5))
    world.proxy.mode = None
    if not done:
        raise Skip("no commit passed within 10 s")
    return f"{done} times"


def answer_lost(world, chance):
    """The commit is done, and the server cannot know."""
    return commit_cut(world, chance, "answer_lost")


def commit_lost(world, chance):
    """The commit is not done, and the server cannot know."""
    return commit_cut(world, chance, "commit_lost")


def server_killed_at_commit(world, chance):
    """The commit of a server that is dead is done while its successor starts, or later."""
    world.proxy.arm("hold_commit")
    if not world.proxy.hit.wait(10):
        world.proxy.mode = None
        raise Skip("no commit passed within 10 s")
    try:
        world.server.kill()
        world.server.start()
        time.sleep(chance.choice((0.2, 1, 2, 4)))
    finally:
        world.proxy.release()


def answer_lost_then_killed(world, chance):
    """The server dies before it can find out."""
    world.proxy.arm("answer_lost")
    if not world.proxy.hit.wait(10):
        world.proxy.mode = None
        raise Skip("no commit passed within 10 s")
    world.server.kill()
    world.server.start()


def connections_cut(world, chance):
    world.proxy.refuse = True
    world.proxy.cut()
    time.sleep(chance.uniform(0, 6))
    world.proxy.refuse = False


def database_slow(world, chance):
    world.proxy.delay = chance.choice((0.05, 0.3, 1.0))
    time.sleep(chance.uniform(2, 6))
    delay, world.proxy.delay = world.proxy.delay, 0.0
    return f"{delay} s for each piece"


def route_lost(world, chance):
    """The connections stay open and say nothing; new ones work."""
    return f"{world.proxy.blackhole()} connections"


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
    """So many connections to the server, as far as it takes them."""
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
    """The server starts with few descriptors, and somebody takes them all."""
    world.server.terminate()
    world.server.start(files=90)
    world.server.wait_until_healthy(30)
    taken = plugs(world, 150)
    time.sleep(chance.uniform(2, 5))
    for plug in taken:
        plug.close()
    return f"{len(taken)} connections at 90 descriptors"


def half_open_clients(world, chance):
    """Clients that begin and do not go on, in every state, and then vanish."""
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


ANYWHERE = (server_killed, server_terminated, server_killed_twice, server_frozen, postmaster_killed,
            postmaster_and_server_killed, backend_killed, backends_terminated, disk_full, no_descriptors,
            half_open_clients)
EXTERNAL = (writer_frozen, writer_frozen_long, read_only, log_locked, database_stopped, database_restarted,
            answer_lost, commit_lost, server_killed_at_commit, answer_lost_then_killed, connections_cut, database_slow,
            route_lost, server_terminated_without_database, server_terminated_in_commit)
SLOW = (writer_frozen_long, route_lost)


def schedule(seed, world, is_short, only=()):
    """Without end: every fault once in chance's order, then all again. With each fault the pause before it."""
    chance = random.Random(f"{seed}/{world}")
    faults = ANYWHERE + (EXTERNAL if world == "external" else ())
    faults = [fault for fault in faults if not (is_short and fault in SLOW)]
    if only:
        faults = [fault for fault in faults if fault.__name__ in only]
    number = 0
    while faults:
        for fault in chance.sample(faults, len(faults)):
            number += 1
            pause = chance.choice((0.1, 0.5, 1.5)) if is_short else chance.choice((0.1, 0.5, 1.5, 3, 5))
            yield pause, fault, random.Random(f"{seed}/{world}/{number}")
