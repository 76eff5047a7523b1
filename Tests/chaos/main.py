"""Reads the arguments, runs the worlds one after another, and prints the result."""

import argparse
import random
import shutil
import signal
import statistics
import sys
import time
from collections import defaultdict

import plan
from invariants import CHECKS, left_nothing, table
from system import REPOSITORY, Workplace, say
from world import World


# An external database has more faults.
SHARES = {"private": 0.25, "external": 0.5, "pair": 0.25}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupted(*_):
    """Handles the first signal. A second one must not interrupt the cleanup."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def arguments():
    known = [fault.__name__ for fault in plan.ANYWHERE + plan.EXTERNAL + plan.PAIR]
    parser = argparse.ArgumentParser(prog="Tests/chaos/run", description="Random faults under load.")
    parser.add_argument("--minutes", type=float, default=3, help="of faults, start and healing not counted (3)")
    parser.add_argument("--short", action="store_true", help="about 75 seconds in all")
    parser.add_argument("--seed", type=int, help="repeats the faults of the run that printed it")
    parser.add_argument("--world", choices=("private", "external", "pair"), help="only with this kind of database")
    parser.add_argument("--only", action="append", choices=known, metavar="FAULT", default=[],
                        help="only this fault; may be repeated: " + " ".join(known))
    parser.add_argument("--server", help="another monitor-server than the newest build")
    parser.add_argument("--keep", action="store_true", help="leave the directory of the run")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    return options


def judge(world):
    """The name and the violations of each invariant."""
    try:
        rows = table(world.sql)
    except RuntimeError as error:
        return [("the log can be read", [str(error)])]
    if not rows:
        return [("the log can be read", ["it is empty"])]
    say(f"{world.kind}: {len(rows)} events in the log; checking")
    world.in_log = {row.event_id for row in rows}
    found = []
    for name, check in CHECKS:
        try:
            found.append((name, check(world, rows)))
        except (RuntimeError, OSError) as error:
            found.append((name, [f"cannot be checked: {error!r}"]))
    return found


def live(kind, seconds, workplace, options):
    world = World(kind, options.seed, workplace, options)
    try:
        say(f"{kind}: starting")
        world.begin()
        world.torment(seconds)
        say(f"{kind}: no more faults; healing")
        world.heal()
        say(f"{kind}: healthy again after {seconds_text(world.healthy_after)}, hook spools empty after "
            f"{seconds_text(world.drained_after)}, all acknowledged in the log after "
            f"{seconds_text(world.settled_after)}")
        results = judge(world)
    finally:
        world.end()
    results.append(("SIGTERM ends all of it", left_nothing(world)))
    return world, results


def seconds_text(seconds):
    return "never" if seconds is None else f"{seconds:.1f} s"


def report(worlds):
    print("\nfault                                done  skipped  lasted s: median    max"
          "  acknowledging again after s: median    max")
    rows = defaultdict(list)
    for world in worlds:
        for name, lasted, recovery in world.history:
            rows[f"{world.kind[0]}: {name}"].append((lasted, recovery))
    for name, entries in sorted(rows.items()):
        done = [entry for entry in entries if entry[0] is not None]
        line = f"{name:36} {len(done):4}  {len(entries) - len(done):7}"
        if done:
            lasted, recovery = zip(*done)
            line += (f"  {statistics.median(lasted):16.2f} {max(lasted):6.2f}"
                     f"  {statistics.median(recovery):35.2f} {max(recovery):6.2f}")
        print(line)
    for world in worlds:
        ledger = world.ledger
        refused = sum(event in ledger.refused for event in world.in_log)
        print(f"\n{world.kind}: {len(ledger.sent)} events sent by machines, {len(ledger.acknowledged)} acknowledged, "
              f"{sum(len(machine.fired) for machine in world.hooks)} more by hooks; {world.server.starts} server "
              f"starts, RSS up to {world.server.largest_rss >> 10} MiB, up to {world.server.most_files} open files")
        requests = sum(len(machine.requests) for machine in world.reporters)
        lines = sum(machine.lines for machine in world.reporters)
        print(f"  requests to models: {requests}, {sum(len(machine.told) for machine in world.reporters)} of them told by telemetry "
              f"too; lines of transcripts: {lines}")
        print("  answers: " + ", ".join(f"{name} {count}" for name, count in sorted(ledger.answers.items())))
        print(f"  given up after a 503: {len(ledger.refused)} events, {refused} of them in the log all the same")
        print("  subscribers: " + ", ".join(f"{subscriber.name} {len(subscriber.received)} in {subscriber.connections}"
                                            for subscriber in world.audience.subscribers))


def main():
    options = arguments()
    for number in SIGNALS:
        signal.signal(number, interrupted)
    kinds = {options.world: 1.0} if options.world else SHARES
    seconds = 44 if options.short else options.minutes * 60
    say(f"seed {options.seed}: Tests/chaos/run --seed {options.seed}"
        f"{' --short' if options.short else f' --minutes {options.minutes:g}'}"
        f"{f' --world {options.world}' if options.world else ''}{''.join(f' --only {name}' for name in options.only)}")
    workplace = Workplace()
    worlds, results, passed, failed, is_interrupted = [], [], 0, 0, False
    try:
        for kind, share in kinds.items():
            world, found = live(kind, seconds * share, workplace, options)
            worlds.append(world)
            results += [(f"{kind}: {name}", wrong) for name, wrong in found]
        report(worlds)
        print()
        for name, wrong in results:
            print(f"{'FAILED' if wrong else 'passed'}  {name}")
            for text in wrong:
                print(f"          {text}")
        failed = sum(bool(wrong) for _, wrong in results)
        passed = len(results) - failed
    except KeyboardInterrupt:
        is_interrupted = True
        say("interrupted; what was started has been ended")
        return 130
    finally:
        if failed or not (results or is_interrupted):
            keep_logs(workplace, options.seed)
        if options.keep:
            say(f"kept: {workplace.path}")
        else:
            workplace.remove()
    print(f"\nseed {options.seed}\n{passed} passed, {failed} failed")
    return 1 if failed else 0


def keep_logs(workplace, seed):
    place = REPOSITORY / ".build" / f"chaos-{seed}"
    place.mkdir(parents=True, exist_ok=True)
    for log in workplace.path.glob("*.log"):
        shutil.copy(log, place)
    print(f"\nlogs of the server: {place}")


if __name__ == "__main__":
    began = time.monotonic()
    status = main()
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    sys.exit(status)
