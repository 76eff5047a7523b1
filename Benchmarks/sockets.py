"""Sockets that say nothing, and sockets that all come back at once."""

import json
import os
import subprocess
import sys
import time

from harness import cpu_seconds, pin, run_json


def resident(pid):
    """Bytes of its own memory in RAM."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return int(next(line for line in file if line.startswith("Rss:")).split()[1]) * 1024


def start(command, server):
    """A load generator that prints "ready" when its sockets are open."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, preexec_fn=pin(1),
                               env={**os.environ, "BENCH_TOKEN": server.token})
    if process.stdout.readline() != "ready\n":
        process.wait(10)
        sys.exit(f"{os.path.basename(str(command[0]))} could not open its sockets")
    return process


def finish(process, timeout):
    out, _ = process.communicate(timeout=timeout)
    if process.returncode != 0:
        sys.exit(f"{os.path.basename(process.args[0])} failed: {out}")
    return json.loads(out)


def idle(server, tools, sockets, seconds):
    """Memory of a WebSocket that says nothing but pong, the server's CPU for all of them, and its pings."""
    mute = max(1, sockets // 100)
    before = resident(server.pid)
    process = start([tools["ws-idle"], "--port", server.port, "--sockets", sockets, "--seconds", seconds,
                     "--mute", mute], server)
    opened = resident(server.pid)
    cpu, clock = cpu_seconds(server.pid), time.monotonic()
    # Not to the very end, where the load generator closes them all.
    time.sleep(seconds - 2)
    used, elapsed = cpu_seconds(server.pid) - cpu, time.monotonic() - clock
    kept = sockets - mute
    after = resident(server.pid)
    return {**finish(process, 60), "bytes_opened": (opened - before) / sockets, "bytes_each": (after - before) / kept,
            "core": used / elapsed}


def queries(server):
    """Statements of the server since `forget_queries`, a restart included."""
    return int(server.value("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements "
                            "WHERE query !~ 'pg_stat_statements'"))


def forget_queries(server):
    server.value("SELECT pg_stat_statements_reset()")


def resume(server, tools, clients, behind):
    """All clients come back at once after a restart of the server and of its database."""
    run_json([tools["http-load"], "--port", server.port, "--connections", 8, "--seconds", 1],
             {"BENCH_KEY": server.key}, 30)
    rest = 10
    forget_queries(server)
    server.stop()
    server.start()
    time.sleep(rest)
    quiet = queries(server)

    process = start([tools["ws-resume"], "--port", server.port, "--clients", clients, "--behind", behind], server)
    forget_queries(server)
    server.stop()
    server.start()
    started, cpu = time.monotonic(), cpu_seconds(server.pid)
    found = finish(process, 150)
    time.sleep(max(0, started + rest - time.monotonic()))
    counted = server.metrics()
    return {**found, "cpu_seconds": cpu_seconds(server.pid) - cpu, "queries": queries(server), "quiet_queries": quiet,
            "pages": counted["monitor_replay_pages_total"]}


def show_idle(found):
    print(f"""idle, {found['sockets']:,} WebSockets
  memory of each           {found['bytes_each']:>10,.0f} bytes ({found['bytes_opened']:,.0f} when all were open)
  CPU of all               {found['core'] * 100:>10.2f} % of a core
  between pings            {found['gap_p50_s']:>10.2f} s    min {found['gap_min_s']:.2f}, max {found['gap_max_s']:.2f}; \
first after {found['first_ping_max_s']:.2f} at most
  without a pong           {found['mute_cut_off']:>10} of {found['mute']} cut off within {found['cut_off_max_s']:.2f} s \
of the first ping; no other""")


def show_resume(found):
    print(f"""resume, {found['clients']:,} WebSockets at once after a restart
  all live again           {found['seconds']:>10.2f} s    half within {found['p50_us'] / 1e6:.2f} s; \
{found['refused']} refused, {found['unrecovered']} not recovered
  replayed events          {found['replayed']:>10,.0f}      {found['pages']:.0f} pages from the database
  statements               {found['queries']:>10}      {found['quiet_queries']} in a restart without clients
  CPU of the server        {found['cpu_seconds']:>10.2f} s""")
