"""Faults of two servers that share a database. See faults.py."""

import time

PROJECTORS = "FROM pg_stat_activity WHERE application_name LIKE 'claude-monitor projector%'"


def leaders_ended(world, chance):
    """The connections with the leases are ended, several times in a row."""
    count = chance.randint(1, 6)
    for _ in range(count):
        world.sql.lines(f"SELECT pg_terminate_backend(pid) {PROJECTORS}")
        time.sleep(chance.uniform(0, 0.6))
    return f"{count} times"


def leases_taken_away(world, chance):
    """No server has a lease for a while."""
    seconds = chance.choice((1, 3))
    process = world.sql.hold("SELECT pg_advisory_lock(projection_lease(name)) FROM projections; "
                             f"SELECT pg_sleep({seconds})")
    try:
        # psql waits for each lease in turn. The ended connections release them.
        for _ in range(4):
            time.sleep(0.2)
            world.sql.lines(f"SELECT pg_terminate_backend(pid) {PROJECTORS}")
        process.wait(seconds + 20)
    finally:
        process.kill()
    return f"for {seconds} s"


def second_killed(world, chance):
    world.second.kill()
    time.sleep(chance.choice((0, 0.3, 2)))
    world.second.start()


def second_terminated(world, chance):
    took = world.second.terminate()
    time.sleep(chance.choice((0, 0.5)))
    world.second.start()
    return f"ended after {took:.1f} s"
