"""Posts beside requests that are announced and do not come."""

import contextlib
import socket
import statistics

from ingest import post

HEADS = 1100
BODIES = 16
BODY = 4 << 20


def stalled(server, tools, seconds, rounds):
    """The delay of posts of one machine: alone, and beside stalled heads of strangers and stalled bodies of another
    machine's key, of which 100 kB each have come."""
    staller = server.control("key", "create", "staller")
    found = []
    for number in range(rounds):
        measure = {"alone": lambda: post(server, tools, seconds, "--connections", 16),
                   "beside": lambda: beside(server, tools, seconds, staller)}
        one = {name: measure[name]() for name in (list(measure) if number % 2 else list(measure)[::-1])}
        found.append({f"{name}_{key}": one[name][key] for name in one for key in ("per_second", "p50_us", "p99_us")})
    return {**{key: statistics.median(one[key] for one in found) for key in found[0]},
            "p99_ratio": statistics.median(one["beside_p99_us"] / one["alone_p99_us"] for one in found)}


def beside(server, tools, seconds, key):
    with contextlib.ExitStack() as connections:
        def stall(path, length, fields="", sent=b""):
            connection = connections.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall((f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{fields}"
                                f"Content-Length: {length}\r\n\r\n").encode() + sent)

        for _ in range(HEADS):
            stall("/v1/pairing/exchange", 4096)
        for _ in range(BODIES):
            stall("/api/events", BODY, f"x-api-key: {key}\r\n", b" " * 100_000)
        return post(server, tools, min(seconds, 8), "--connections", 16)


def show_stalled(found):
    print(f"posts beside {HEADS} stalled heads and {BODIES} stalled bodies of another key\n"
          f"  {'alone':<10}{found['alone_per_second']:>10,.0f} /s  p50 {found['alone_p50_us'] / 1000:6.2f} ms, "
          f"p99 {found['alone_p99_us'] / 1000:6.2f} ms\n"
          f"  {'beside':<10}{found['beside_per_second']:>10,.0f} /s  p50 {found['beside_p50_us'] / 1000:6.2f} ms, "
          f"p99 {found['beside_p99_us'] / 1000:6.2f} ms, RATIO of p99 {found['p99_ratio']:.2f}")
