#!/usr/bin/python3
"""Sends random bytes to the listener, and compares the requests that it finds with those that h11 finds.

usage: differential.py PATH SECONDS [SEED]

PATH is a unix socket. Its server answers each request with the method, the target and the length of the body, or, at /headers,
with the headers that it read. The listener may refuse what h11 accepts. It must never find a request that h11 does not find, nor
read the same request differently.
"""

import random
import socket
import sys
import time

import h11

NAMES = [b"Host", b"Content-Length", b"Transfer-Encoding", b"Connection", b"X", b"If", b"Con", b"Head", b"Proxy", b"X-Forwarded",
         b"Content-Len", b"Transfer", b"Accept", b"Authorization", b"X-Api-Key", b"Expect", b"Upgrade", b"Origin", b"Cookie",
         b"Content-Type", b"Trailer", b"TE", b"Keep-Alive", b"X-Other"]
VALUES = [b"localhost", b"0", b"3", b"5", b"chunked", b"identity", b"close", b"keep-alive", b"y", b"", b"a b", b"\xe9", b"3, 3", b"+3",
          b"100-continue", b"gzip, chunked", b"Bearer x"]
METHODS = [b"GET", b"POST", b"PUT", b"DELETE", b"HEAD", b"OPTIONS", b"PATCH", b"get", b"BREW", b"G(T"]
TARGETS = [b"/a", b"/headers", b"/a?b=c", b"/a%20b", b"http://localhost/a", b"*", b"a", b"/a#b", b"/a b", b"//a"]
ENDS = [b"\r\n"] * 30 + [b"\n", b"\r", b"\r\r\n", b"\n\r\n", b" \r\n"]
SPLICES = [b"\0", b" ", b"\t", b":", b"\r", b"\n", b"\r\n", b"\r\n ", b"\x0b", b"\x1b", b"\x7f", b"\x85", b"\xa0", b"%00", b",", b"X"]
SIZES = [b"0", b"1", b"5", b"a", b"A", b"ff", b"05", b"0x5", b"+5", b"-1", b" 5", b"5 ", b"100000000", b"10000000000000005", b"", b"5;a"]
EXTENSIONS = [b";", b";a", b";a=b", b';a="b"', b" ;a", b"; a", b";a\n", b";a\r", b";\x00", b";\xe9", b";" + b"x" * 300]
READ = [b"authorization", b"x-api-key", b"content-type", b"accept", b"origin", b"host"]


def end(chance):
    return chance.choice(ENDS) if chance.random() < 0.2 else b"\r\n"


def chunks(chance, body):
    """The body in chunks. Most of them are valid."""
    data, places = b"", sorted(chance.randrange(len(body) + 1) for _ in range(chance.choice([0, 1, 1, 3])))
    for start, stop in zip([0] + places, places + [len(body)]):
        if start == stop and chance.random() < 0.95:
            continue
        size = b"%x" % (stop - start) if chance.random() < 0.95 else chance.choice(SIZES)
        extension = chance.choice(EXTENSIONS) if chance.random() < 0.1 else b""
        data += size + extension + end(chance) + body[start:stop] + end(chance)
    data += chance.choice([b"0"] * 30 + [b"00", b"0;x", b"0 ", b""]) + end(chance)
    for _ in range(chance.choice([0] * 8 + [1, 2])):
        data += chance.choice(NAMES) + chance.choice([b": "] * 8 + [b":", b" : ", b""]) + chance.choice(VALUES) + end(chance)
    return data + end(chance)


def request(chance):
    """A request that is mostly valid, with one or two faults."""
    body = chance.choice([b"", b"", b"abc", b"abcde", b"x" * 40, b"3\r\nabc\r\n0\r\n\r\n", b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"])
    method = chance.choice(METHODS[:7] if chance.random() < 0.95 else METHODS)
    target = chance.choice(TARGETS[:4] if chance.random() < 0.9 else TARGETS)
    version = b"HTTP/1.1" if chance.random() < 0.95 else chance.choice([b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"http/1.1", b"HTTP/1.1 "])
    fields = [(b"Host", b"localhost")]
    if chance.random() < 0.35:
        body = chunks(chance, body)
        coding = chance.choice([b"chunked"] * 20 + [b"Chunked", b" chunked\t", b"chunked, chunked", b"identity", b"\x0bchunked"])
        fields.append((b"Transfer-Encoding", coding))
    elif body or chance.random() < 0.5:
        fields.append((b"Content-Length", str(len(body)).encode()))
    for _ in range(chance.choice([0, 0, 1, 1, 2, 4])):
        fields.append((chance.choice(NAMES), chance.choice(VALUES)))
    chance.shuffle(fields)
    colon = [b": "] * 20 + [b":", b" : ", b":\t", b"\t: ", b":  ", b" :"]
    data = method + b" " + target + b" " + version + end(chance)
    for name, value in fields:
        name = bytes(c ^ 32 if chr(c).isalpha() and chance.random() < 0.05 else c for c in name)
        data += name + chance.choice(colon) + value + end(chance)
    return data + end(chance) + body


def case(chance):
    data = b"".join(request(chance) for _ in range(chance.choice([1, 1, 2, 3])))
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        place = chance.randrange(len(data) + 1)
        data = data[:place] + chance.choice(SPLICES) + data[place + chance.choice([0, 0, 1, 3]):]
    return data


def by_h11(data):
    """The method, target, headers and body of each request, up to the first invalid one.

    h11 ends each HTTP/1.0 connection, which the listener keeps open on request. So such a request is the last one here.
    """
    found = []
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    connection.receive_data(data)
    connection.receive_data(b"")
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                head, body = event, b""
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                found.append((head.method, head.target, list(head.headers), body))
                if head.http_version == b"1.0":
                    return found, True
                if connection.our_state is h11.SEND_RESPONSE:
                    connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
                    connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                    return found, False
                connection.start_next_cycle()
            elif event in (h11.NEED_DATA, h11.PAUSED) or isinstance(event, h11.ConnectionClosed):
                return found, False
    except h11.RemoteProtocolError:
        return found, False


def by_listener(path, data, chance):
    """The bodies of all answers with status 200."""
    received = b""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(path)
        try:
            pieces = [data]
            if chance.random() < 0.3 and len(data) > 1:
                cut = chance.randrange(1, len(data))
                pieces = [data[:cut], data[cut:]]
            for piece in pieces:
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                received += piece
        except (BrokenPipeError, ConnectionResetError):
            pass
    return answers(received)


def answers(received):
    found = []
    while received:
        head, separator, rest = received.partition(b"\r\n\r\n")
        if not separator:
            break
        lines = head.split(b"\r\n")
        status = int(lines[0].split()[1])
        fields = dict(line.lower().split(b": ", 1) for line in lines[1:])
        if status == 100:
            received = rest
            continue
        length = int(fields.get(b"content-length", 0))
        # The answer to HEAD has a length but no body. If there were one, it would appear before the next answer.
        text = rest[:length] if rest[:5] != b"HTTP/" else b""
        if status == 200:
            found.append((length, text))
        received = rest[len(text):]
    return found


def difference(listener, reference, is_old):
    if is_old:
        listener = listener[:len(reference)]
    if len(listener) > len(reference):
        return "more requests"
    for (length, text), (method, target, fields, body) in zip(listener, reference):
        target = target.removeprefix(b"http://localhost")
        path, _, query = target.partition(b"?")
        if method == b"HEAD":
            continue
        if path == b"/headers":
            seen = {line.split(b"=", 1)[0]: line.split(b"=", 1)[1] for line in text.split(b"\n") if b"=" in line}
            for name in READ:
                values = [value for field, value in fields if field == name]
                expected = b", ".join(values).decode("utf-8", "replace").encode()
                if seen.get(name, b"") != expected:
                    return f"header {name}: {seen.get(name)} and {expected}"
            continue
        expected = b"%s %s?%s %d" % (method, path, query, len(body))
        if text != expected:
            return f"{text} and {expected}"
    return None


def main():
    path, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    chance = random.Random(seed)
    stop, cases, served = time.monotonic() + seconds, 0, 0
    while time.monotonic() < stop:
        data = case(chance)
        (reference, old), listener = by_h11(data), by_listener(path, data, chance)
        found = difference(listener, reference, old)
        cases, served = cases + 1, served + len(listener)
        if found:
            print(f"seed {seed}, case {cases}: {found}\n{data!r}\nlistener: {listener}\nh11: {reference}")
            return 1
    print(f"{cases} cases, {served} requests served, none that h11 reads in another way; seed {seed}")
    return 0 if served > cases / 4 else 1


if __name__ == "__main__":
    sys.exit(main())
