"""Deliveries to WebSocket subscribers, beside yardsticks that send frames of the same length."""

import statistics
import sys

from harness import cpu_seconds, run_json
from yardsticks import Broadcaster, Nchan, WithoutDatabase

# A round is measured in so many turns, each shorter by that: a machine that is sometimes faster is so for seconds.
TURNS = 3


def drive(target, tools, seconds, subscribers, window, flags):
    before = cpu_seconds(target.pid)
    found = run_json(
        [tools["ws-subscribers"], "--port", target.port, "--subscribers", subscribers, "--window", window,
         "--seconds", seconds, *flags],
        {"BENCH_KEY": target.key, "BENCH_TOKEN": target.token}, seconds + 90)
    found["cpu_us"] = (cpu_seconds(target.pid) - before) / found["deliveries"] * 1e6
    return found


def drive_server(server, *how):
    """With the mean time from a whole request to the answer after its commit."""
    before = server.metrics()
    found = drive(server, *how, ["--initialize", 1])
    after = server.metrics()
    seconds, commits = (after[f"monitor_commit_seconds_{key}"] - before[f"monitor_commit_seconds_{key}"]
                        for key in ("sum", "count"))
    return {**found, "commit_us": seconds / commits * 1e6}


def fanout(server, tools, directory, seconds, rounds, subscribers, window):
    """The server first: the yardsticks' frames are made as long as its own were. The others in turn from either end:
    what follows a program that has just written to the disk finds the machine busier."""
    names = ["server", "raw_commit", "rooms", "raw", "raw_short"] + (["nchan"] if Nchan.is_installed() else [])
    server.psql("DROP TABLE IF EXISTS bench_commits; CREATE TABLE bench_commits (id uuid PRIMARY KEY, payload text NOT NULL)"
                " WITH (autovacuum_enabled = off)")
    turns_found = []
    seconds = max(0.5, seconds / TURNS)
    for number in range(rounds * TURNS):
        one = {"server": drive_server(server, tools, seconds, subscribers, window)}
        length = round(one["server"]["frame_bytes"])
        yardsticks = {"raw_commit": lambda: Broadcaster(tools["raw-broadcaster"], length, server.conninfo()),
                      "rooms": lambda: WithoutDatabase(),
                      "raw": lambda: Broadcaster(tools["raw-broadcaster"], length),
                      "raw_short": lambda: Broadcaster(tools["raw-broadcaster"]),
                      "nchan": lambda: Nchan(directory, length)}
        for name in names[1:] if number % 2 else names[:0:-1]:
            with yardsticks[name]() as target:
                one[name] = drive(target, tools, seconds, subscribers, window, target.flags)
        if abs(one["rooms"]["frame_bytes"] - length) > length / 50:
            sys.exit(f"frames without a database have {one['rooms']['frame_bytes']} bytes, the server's {length}")
        turns_found.append({
            **{f"{name}_{key}": one[name][key] for name in names
               for key in ("per_second", "p50_us", "p99_us", "frame_bytes", "cpu_us")},
            "commit_us": one["server"]["commit_us"],
            **{f"{of}_to_{name}": one[of]["per_second"] / one[name]["per_second"]
               for of in ("server", "rooms") for name in names
               if name not in ("server", "rooms") and (of, name) != ("rooms", "raw_commit")},
        })
        print(f"  turn {number + 1}: " + ", ".join(f"{name} {one[name]['per_second']:,.0f}/s" for name in names),
              file=sys.stderr)
    return {key: statistics.median(one[key] for one in turns_found) for key in turns_found[0]}


def show_fanout(subscribers, window, awake, found):
    print(f"fan-out, {subscribers} WebSocket subscribers, window {window}, {'cores kept awake, ' if awake else ''}"
          f"a commit took {found['commit_us'] / 1000:.1f} ms\n{'RATIO of server':>46}  no db")
    for name, title in (("server", "server"), ("rooms", "without a database"), ("raw_commit", "raw, committing"),
                        ("raw", "raw, same length"), ("raw_short", "raw, as posted"), ("nchan", "nchan")):
        if f"{name}_per_second" not in found:
            continue
        ratios = [f"{found[f'{of}_to_{name}']:.2f}" if f"{of}_to_{name}" in found else "" for of in ("server", "rooms")]
        print(f"  {title:<18}{found[f'{name}_per_second']:>10,.0f} /s  "
              f"{ratios[0]:>8}  {ratios[1]:>5}  "
              f"p50 {found[f'{name}_p50_us'] / 1000:6.1f} ms, p99 {found[f'{name}_p99_us'] / 1000:6.1f} ms, "
              f"{found[f'{name}_frame_bytes']:5.0f} bytes, CPU {found[f'{name}_cpu_us']:5.2f} us each")
