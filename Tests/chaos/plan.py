"""The faults for each world, and their order."""

import random

from database_faults import (answer_lost, answer_lost_then_away, answer_lost_then_killed, commit_lost,
                             connections_cut, database_restarted, database_slow, database_stopped,
                             log_ends_with_a_late_commit, log_locked, read_only, route_lost, server_killed_at_commit,
                             server_terminated_in_commit, server_terminated_without_database, writer_frozen,
                             writer_frozen_long)
from pair_faults import leaders_ended, leases_taken_away, second_killed, second_terminated
from faults import (backend_killed, backends_terminated, clock_jumps, disk_full, half_open_clients, no_descriptors,
                    postmaster_and_server_killed, postmaster_killed, server_frozen, server_killed,
                    server_killed_twice, server_terminated)

ANYWHERE = (server_killed, server_terminated, server_killed_twice, server_frozen, postmaster_killed,
            postmaster_and_server_killed, backend_killed, backends_terminated, disk_full, no_descriptors,
            half_open_clients)
EXTERNAL = (clock_jumps, writer_frozen, writer_frozen_long, read_only, log_locked, database_stopped, database_restarted,
            answer_lost, commit_lost, server_killed_at_commit, answer_lost_then_killed, answer_lost_then_away,
            connections_cut, database_slow, route_lost, server_terminated_without_database,
            server_terminated_in_commit, log_ends_with_a_late_commit)
PAIR = (leaders_ended, leases_taken_away, second_killed, second_terminated)
IN_PAIR = (server_killed, server_terminated, server_killed_twice, server_frozen, postmaster_killed, backend_killed,
           backends_terminated, database_stopped, database_restarted, connections_cut, database_slow, read_only)
SLOW = (writer_frozen_long, route_lost)


def schedule(seed, world, is_short, only=()):
    """Yields faults without end, each with the pause before it: all of them once in random order, and then again."""
    chance = random.Random(f"{seed}/{world}")
    faults = PAIR + IN_PAIR if world == "pair" else ANYWHERE + (EXTERNAL if world == "external" else ())
    faults = [fault for fault in faults if not (is_short and fault in SLOW)]
    if only:
        faults = [fault for fault in faults if fault.__name__ in only]
    number = 0
    while faults:
        for fault in chance.sample(faults, len(faults)):
            number += 1
            pause = chance.choice((0.1, 0.5, 1.5)) if is_short else chance.choice((0.1, 0.5, 1.5, 3, 5))
            yield pause, fault, random.Random(f"{seed}/{world}/{number}")
