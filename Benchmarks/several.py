"""Posts to two servers of one database, against posts to one, over as many connections. Both with subscribers that get
all events, on each server."""

import contextlib
import json
import os
import statistics
import subprocess
import sys

from harness import MonitorServer, pin, stop

CONNECTIONS = 64


class SharedServer(MonitorServer):
    """A server on a database of another's cluster: an external database to it."""

    def __init__(self, build_directory, directory, host, database):
        url = f"postgresql://monitor@/{database}?host={host.socket_directory()}"
        super().__init__(build_directory, directory, {"DATABASE_URL": url})

    def __enter__(self):
        try:
            self.start()
            self.take_credentials(f"bench-{self.port}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process is not None:
            stop(self.process, 20)
            self.process = None


def several(host, tools, directory, build_directory, seconds, rounds, subscribers):
    for database in ("alone", "together"):
        host.psql(f"CREATE DATABASE bench_{database}")
    with contextlib.ExitStack() as servers:
        def start(name, database):
            path = os.path.join(directory, name)
            return servers.enter_context(SharedServer(build_directory, path, host, f"bench_{database}"))

        groups = {"one": [start("one", "alone")], "two": [start("first", "together"), start("second", "together")]}
        found = []
        for count in subscribers:
            for number in range(rounds):
                one = {name: measure(groups[name], tools, seconds, count)
                       for name in (("one", "two") if number % 2 else ("two", "one"))}
                found.append({"subscribers": count, **one, "ratio": one["two"] / one["one"]})
                print(f"  {count} subscribers, round {number + 1}: one {one['one']:,.0f} posts/s, two {one['two']:,.0f}, "
                      f"{found[-1]['ratio']:.2f}", file=sys.stderr)
    return found


def measure(servers, tools, seconds, subscribers):
    """Acknowledged posts a second on all of them."""
    with contextlib.ExitStack() as listening:
        for server in servers if subscribers else []:
            listening.enter_context(listeners(server, tools, seconds, subscribers))
        loads = [subprocess.Popen(
            [tools["http-load"], "--port", str(server.port), "--seconds", str(seconds), "--processes",
             str(2 // len(servers)), "--connections", str(CONNECTIONS // len(servers))],
            env={**os.environ, "BENCH_KEY": server.key}, stdout=subprocess.PIPE, text=True, preexec_fn=pin(1))
            for server in servers]
        found = [json.loads(load.communicate(timeout=seconds + 30)[0]) for load in loads]
    if any(one["refused"] or one["broken"] for one in found):
        sys.exit(f"the servers did not take every post: {found}")
    return sum(one["per_second"] for one in found)


@contextlib.contextmanager
def listeners(server, tools, seconds, subscribers):
    """Subscribers that check that they get all events, in order."""
    process = subprocess.Popen(
        [tools["ws-subscribers"], "--port", str(server.port), "--subscribers", str(subscribers), "--window", "0",
         "--initialize", "1", "--seconds", str(seconds + 1)],
        env={**os.environ, "BENCH_TOKEN": server.token}, stdout=subprocess.PIPE, text=True, preexec_fn=pin(1))
    try:
        if process.stdout.readline() != "ready\n":
            sys.exit("the subscribers did not come up")
        yield
        output = process.communicate(timeout=30)[0]
        if process.returncode != 0 or json.loads(output)["deliveries"] == 0:
            sys.exit(f"the subscribers failed: {output}")
    finally:
        stop(process, 5)


def show_several(found):
    for count in dict.fromkeys(one["subscribers"] for one in found):
        rows = [one for one in found if one["subscribers"] == count]
        ratios = [one["ratio"] for one in rows]
        print(f"""two servers of one database, {CONNECTIONS // 2} connections each, {count} subscribers on each
  one server, {CONNECTIONS} connections {statistics.median(one['one'] for one in rows):>8,.0f} posts/s
  two servers                {statistics.median(one['two'] for one in rows):>8,.0f} posts/s
  RATIO                      {statistics.median(ratios):>8.2f}    {min(ratios):.2f} to {max(ratios):.2f}""")
