"""The program: its arguments, its record, its commands."""

import argparse
import asyncio
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

import apns
import certificates
import http2
import webpush


class Record:
    """A file with a line of JSON for each event, written at once, and counts over all of them."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8") if path else None
        self.counts, self.faults = {}, {}

    def write(self, kind, service, **fields):
        counts = self.counts.setdefault(service, {})
        counts[kind] = counts.get(kind, 0) + 1
        if kind in ("fault", "violation"):
            self.faults.setdefault(service, []).append(fields)
        if self.file:
            line = {"kind": kind, "at": round(time.time(), 6), "service": service, **fields}
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def summary(self, service):
        return {"counts": dict(self.counts.get(service, {})), "faults": self.faults.get(service, [])}


def answer(**fields):
    print(json.dumps(fields), flush=True)


async def commands(services, stop):
    """Reads one JSON object from each line of standard input: see README.md. The end of the input ends the program."""
    reader = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        try:
            command = json.loads(line)
            if command["do"] == "quit":
                break
            for service in services:
                if command.get("service") in (None, service.name):
                    service.follow(command)
            answer(ok=True, did=command["do"])
        except (KeyError, TypeError, ValueError) as error:
            answer(ok=False, error=f"{type(error).__name__}: {error}")
    stop.set()


async def serve(options, scenario, directory):
    record = Record(options.record)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    services = []
    if "apns" in scenario:
        services.append(apns.APNs(scenario["apns"], record))
    if "webpush" in scenario:
        services.append(webpush.WebPush(scenario["webpush"], record))
    ready = {"ready": True, "pid": os.getpid()}
    servers = []
    for service in services:
        context = certificates.server_context(directory, service.settings.get("certificate", "good"),
                                              service.settings.get("alpn", ["h2"]))
        for index in range(int(service.settings.get("ports", 1))):
            server = await asyncio.start_server(
                lambda r, w, s=service, i=index: http2.Connection(s, r, w, i).run(), "127.0.0.1",
                int(service.settings.get("port", 0)) if index == 0 else 0, ssl=context, ssl_handshake_timeout=10)
            service.ports.append(server.sockets[0].getsockname()[1])
            servers.append(server)
        ready[service.name] = service.describe()
    ready["ca"] = str(directory / "ca.pem")
    answer(**ready)
    # The event loop keeps only a weak reference to a task.
    listening = asyncio.get_running_loop().create_task(commands(services, stop))
    await stop.wait()
    listening.cancel()
    for server in servers:
        server.close()
    for service in services:
        service.end()
        record.write("summary", service.name, **record.summary(service.name), **service.summary())


def main():
    parser = argparse.ArgumentParser(prog="Tests/push-oracle/run", description=__doc__)
    parser.add_argument("--scenario", required=True, help="a JSON file, or - for an empty one with both services")
    parser.add_argument("--record", help="a file to append JSON lines to")
    parser.add_argument("--certificates", help="a directory to keep certificates in (default: a new one)")
    options = parser.parse_args()
    # The thread of a test may have blocked these signals, and a child process inherits that.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    scenario = {"apns": {}, "webpush": {}}
    if options.scenario != "-":
        scenario = json.loads(pathlib.Path(options.scenario).read_text())
    with tempfile.TemporaryDirectory(prefix="push-oracle.") as fresh:
        directory = pathlib.Path(options.certificates or fresh)
        certificates.make(directory)
        asyncio.run(serve(options, scenario, directory))
    return 0
