"""The search of tools in a registry of 10,000, and the list of the monitor's own tools at /mcp beside a list of sessions."""

import http.client
import json
import os
import random
import re
import statistics
import subprocess
import time
import urllib.parse
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "Tests", "system", "fixtures")
TOOLS, SESSIONS, CONNECTIONS = 10_000, 200, 8
HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Accept": "application/json, text/event-stream",
           "Content-Type": "application/json"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}


def tools(server, directory, seconds, rounds):
    make_sessions(server)
    body = os.path.join(directory, "list.json")
    with open(body, "w", encoding="utf-8") as file:
        json.dump(LIST, file)
    rates = {"list": [], "sessions": []}
    for _ in range(rounds):
        rates["list"].append(rate(server, "/mcp", seconds, "-d", body, *(word for pair in HEADERS.items() for word in ("-H", ": ".join(pair)))))
        rates["sessions"].append(rate(server, "/v1/sessions?limit=50", seconds))
    known = make_tools(server)
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    requests = [line.split("\t")[0] for line in rows("search_requests.tsv")]
    began = time.monotonic()
    find(server, client, requests[0])
    found = {"tools": known, "first_ms": (time.monotonic() - began) * 1000}
    mistaken = [with_mistakes(words, random.Random(number)) for number, words in enumerate(requests)]
    for name, asked in (("search", requests), ("mistakes", mistaken)):
        find(server, client, asked[0])
        times = sorted(find(server, client, words) for _ in range(rounds * 3) for words in asked)
        found[name] = {"p50": statistics.median(times), "p95": times[int(len(times) * 0.95)], "most": times[-1]}
    client.close()
    return found | {name: statistics.median(values) for name, values in rates.items()} | {
        "ratio": statistics.median(one / other for one, other in zip(rates["list"], rates["sessions"]))}


def rows(name):
    with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
        return file.read().splitlines()


def with_mistakes(words, chosen):
    """Each longer word with two letters exchanged."""
    def wrong(word):
        if len(word) < 5:
            return word
        place = chosen.randrange(1, len(word) - 2)
        return word[:place] + word[place + 1] + word[place] + word[place + 2:]
    return " ".join(wrong(word) for word in words.split(" "))


def find(server, client, words):
    """The milliseconds of a search."""
    began = time.monotonic()
    client.request("GET", "/v1/tools?" + urllib.parse.urlencode({"q": words, "limit": 10}),
                   headers={"Authorization": f"Bearer {server.token}"})
    answer = client.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"a search: {answer.status} {text[:500]}")
    return (time.monotonic() - began) * 1000


def rate(server, path, seconds, *more):
    """Requests in a second."""
    done = subprocess.run(["h2load", "--h1", "-c", str(CONNECTIONS), "-t", "1", "-D", str(max(2, round(seconds))), "-H",
                           f"Authorization: Bearer {server.token}", *more, f"http://127.0.0.1:{server.port}{path}"],
                          check=True, timeout=120, stdout=subprocess.PIPE, text=True).stdout
    counts = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored", done)
    if not counts or counts[1] == "0" or counts[2] != "0" or counts[3] != "0" or "2xx, 0 3xx, 0 4xx, 0 5xx" not in done:
        raise SystemExit(f"{path}: {done}")
    return float(re.search(r"([\d.]+) req/s", done)[1])


def make_sessions(server):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for number in range(SESSIONS):
        data = {"session_id": str(uuid.uuid4()), "transcript_path": "/home/dev/x.jsonl", "cwd": f"/home/dev/tools-{number % 20}",
                "hook_event_name": "UserPromptSubmit", "prompt": f"The work number {number}"}
        client.request("POST", "/api/events", json.dumps({"event_id": str(uuid.uuid4()), "machine_id": "bench", "data": data}),
                       {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"})
        answer = client.getresponse()
        text = answer.read()
        if answer.status != 202:
            raise SystemExit(f"an event: {answer.status} {text[:500]}")
    client.close()


def make_tools(server):
    """The tools of realistic servers, on as many machines as give 10,000."""
    kinds = [line.split("\t") for line in rows("search_tools.tsv")]
    copies = -(-TOOLS // len(kinds))

    def quoted(text):
        return "'" + text.replace("'", "''") + "'"
    values = []
    for server_name, name, description, arguments in kinds:
        properties = {word.partition(": ")[0]: {"type": "string", "description": word.partition(": ")[2]}
                      for word in arguments.split(", ") if word}
        definition = json.dumps({"description": description, "inputSchema": {"type": "object", "properties": properties}, "name": name})
        texts = (server_name, name, definition, name.replace("_", " "), re.sub(r"[^\w']", " ", description), re.sub(r"[^\w']", " ", arguments))
        values.append("(" + ", ".join(map(quoted, texts)) + ")")
    server.psql(f"""
        CREATE TEMP TABLE kinds (server text, name text, definition text, words text, description text, arguments text);
        INSERT INTO kinds VALUES {', '.join(values)};
        INSERT INTO machines (name) SELECT 'bench-' || n FROM generate_series(1, {copies}) n;
        INSERT INTO mcp_servers (id, machine_id, scope, name, transport, state, is_complete, is_present, created_at, refreshed_at)
            SELECT DISTINCT 'mcp_' || m.id || '_' || k.server, m.id, 'user', k.server, 'stdio', 'connected', true, true, now(), now()
            FROM kinds k, machines m WHERE m.name LIKE 'bench-%';
        INSERT INTO mcp_tools (server_id, name, definition, digest, is_present, created_at, search)
            SELECT 'mcp_' || m.id || '_' || k.server, k.name, k.definition, md5(k.definition) || md5(k.definition), true, now(),
                setweight(to_tsvector('english', k.words), 'A') || setweight(to_tsvector('english', k.description), 'B')
                || setweight(to_tsvector('english', k.server), 'C') || setweight(to_tsvector('english', k.arguments), 'D')
            FROM kinds k, machines m WHERE m.name LIKE 'bench-%' ORDER BY m.id, k.server, k.name LIMIT {TOOLS};
        ANALYZE mcp_servers; ANALYZE mcp_tools""", timeout=300)
    return int(server.value("SELECT count(*) FROM mcp_tools"))


def show_tools(found):
    print(f"tools (limits: p95 20 ms, 100 ms with mistakes in writing; half the rate)\n"
          f"  a search         {found['search']['p50']:8.1f} ms, p95 {found['search']['p95']:.1f} ms, most {found['search']['most']:.1f} ms, "
          f"among {found['tools']:,} tools\n"
          f"  with mistakes    {found['mistakes']['p50']:8.1f} ms, p95 {found['mistakes']['p95']:.1f} ms, most {found['mistakes']['most']:.1f} ms\n"
          f"  after a change   {found['first_ms']:8.1f} ms for the first search\n"
          f"  tools/list       {found['list']:8.0f} a second at /mcp with the monitor's own tools, RATIO to 50 sessions "
          f"({found['sessions']:.0f} a second) {found['ratio']:.2f}")
