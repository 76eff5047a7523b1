"""Faults of an external database and of the connection to it. See faults.py."""

import signal
import threading
import time

from faults import Skip
from system import signal_pid


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
    """Stops the writer's backend for longer than the server waits for an answer."""
    pid = world.writer_backend()
    if not pid:
        raise Skip("the writer has no backend now")
    signal_pid(pid, signal.SIGSTOP)
    time.sleep(16)
    signal_pid(pid, signal.SIGCONT)


def read_only(world, chance):
    """Like a standby, or a database whose provider enforces a quota."""
    set_option(world, "default_transaction_read_only", "on")
    # Existing connections follow the new default, unless they have set the option themselves.
    time.sleep(chance.uniform(1, 5))
    set_option(world, "default_transaction_read_only", None)


def set_option(world, name, value):
    world.sql.lines(f"ALTER SYSTEM SET {name} = {value}" if value else f"ALTER SYSTEM RESET {name}")
    world.sql.lines("SELECT pg_reload_conf()")


def log_locked(world, chance):
    """Another session locks log_head, in some rounds for longer than the server waits for a lock."""
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
    """The server must be able to end and start without the database."""
    world.cluster.stop(chance.choice(("fast", "immediate")))
    time.sleep(chance.choice((0, 1)))
    took = world.server.terminate()
    world.server.start()
    time.sleep(chance.uniform(0.5, 4))
    world.cluster.start()
    return f"ended after {took:.1f} s"


def server_terminated_in_commit(world, chance):
    """The database does not answer, but the server must end in time."""
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
    """The commit is done, but the server cannot know that."""
    return commit_cut(world, chance, "answer_lost")


def commit_lost(world, chance):
    """The commit is not done, but the server cannot know that."""
    return commit_cut(world, chance, "commit_lost")


def server_killed_at_commit(world, chance):
    """The commit of a killed server is done while its successor starts, or later."""
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


def log_ends_with_a_late_commit(world, chance):
    """Like server_killed_at_commit, but without a later event that would make the server notice the late commit."""
    with world.silence():
        world.proxy.arm("hold_commit")
        single = world.single[0]
        last = threading.Thread(target=lambda: single.post(single.new_events()), daemon=True)
        last.start()
        try:
            if not world.proxy.hit.wait(10):
                raise Skip("no commit passed within 10 s")
            world.server.kill()
            world.server.start()
            time.sleep(chance.choice((0.5, 2, 4)))
        finally:
            world.proxy.mode = None
            world.proxy.release()
        last.join(30)
        world.expect_all_to_be_seen(10)


def answer_lost_then_killed(world, chance):
    """The server is killed before it can find out whether the commit was done."""
    world.proxy.arm("answer_lost")
    if not world.proxy.hit.wait(10):
        world.proxy.mode = None
        raise Skip("no commit passed within 10 s")
    world.server.kill()
    world.server.start()


def answer_lost_then_away(world, chance):
    """Lasts longer than the server retries. The server must refuse events that are committed, and show them when it learns of
    the commit."""
    world.proxy.arm("answer_lost")
    if not world.proxy.hit.wait(10):
        world.proxy.mode = None
        raise Skip("no commit passed within 10 s")
    world.proxy.refuse = True
    try:
        world.proxy.cut()
        time.sleep(chance.uniform(6, 8))
    finally:
        world.proxy.refuse = False


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
    """The connections stay open without data. New connections work."""
    return f"{world.proxy.blackhole()} connections"
