"""Files and git of a machine through the server: pages and names of a million files, the status of a repository, and what the
agent needs while it watches. The files are empty, in memory where there is /dev/shm, and removed at the end."""

import http.client
import json
import os
import statistics
import subprocess
import threading
import time
import urllib.parse

from desk import Desk
from harness import process_table
from workplace import git

MILLION = 1_000_000
SORTED, UNSORTED = 10_000, 110_000
IN_MEMORY = "/dev/shm"
# Files of the repository, and how many of them are changed in each way.
TRACKED, CHANGED = 20_000, 100
STATUS = [["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--renames", "--ahead-behind"],
          ["config", "-z", "--get-regexp", r"^remote\."]]
# Followed by the paths that have changed.
COUNTS = ["diff", "--numstat", "-z", "-M"]
WATCH_SECONDS = 60


def files(server, rounds):
    with Desk(server, "files=read git=read", IN_MEMORY if os.path.isdir(IN_MEMORY) else None) as desk:
        shop, tree = os.path.join(desk.root, "shop"), os.path.join(desk.root, "tree")
        repository(shop)
        client = Client(server)
        found = {"status": status(client, desk, shop, rounds)}
        make_tree(tree)
        found["pages"] = {name: page(client, desk, os.path.join(tree, name), rounds) for name in ("packages/p7/d7", "sorted", "unsorted")}
        found["names"] = names(client, desk, tree, rounds)
        found["watching"] = {"repository": watching(server, desk, shop), "million": watching(server, desk, tree)}
        client.close()
    return found


class Client:
    """One connection that stays open."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self.headers = {"Authorization": f"Bearer {server.token}"}

    def get(self, route, **query):
        """The answer, and the milliseconds until it was there."""
        began = time.monotonic()
        self.connection.request("GET", f"{route}?{urllib.parse.urlencode(query)}", headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        passed = (time.monotonic() - began) * 1000
        if answer.status != 200:
            raise SystemExit(f"GET {route}: {answer.status} {body[:500]}")
        return json.loads(body), passed

    def close(self):
        self.connection.close()


# Files

def make_tree(tree):
    """A million files, most of them in 2,000 directories; one directory that is sorted, and one that is too large for that."""
    rest = MILLION - SORTED - UNSORTED
    places = [os.path.join("packages", f"p{one}", f"d{other}") for one in range(100) for other in range(20)]
    for number, place in enumerate(places):
        fill(os.path.join(tree, place), rest // len(places), number)
    fill(os.path.join(tree, "sorted"), SORTED, 0)
    fill(os.path.join(tree, "unsorted"), UNSORTED, 0)


def fill(directory, count, salt):
    os.makedirs(directory)
    holder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    stems = ("invoiceTotals", "refundHandler", "userProfileView", "shoppingCart", "index", "api_client", "README")
    ends = ("ts", "tsx", "test.ts", "json", "md", "css")
    for number in range(count):
        name = f"{stems[number % len(stems)]}{salt}_{number}.{ends[number % len(ends)]}"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=holder))
    os.close(holder)


def page(client, desk, directory, rounds):
    """The first page of a directory."""
    answers = [client.get(f"/v1/machines/{desk.name}/files", path=directory) for _ in range(5 * rounds)]
    return {"ms": statistics.median(passed for _, passed in answers), "most_ms": max(passed for _, passed in answers),
            "sorted": answers[0][0]["sorted"]}


def names(client, desk, tree, rounds):
    """Searches in an index that exists. Each query is another one, so that no answer can be kept."""
    def search(mode, query):
        answer, passed = client.get(f"/v1/machines/{desk.name}/files/search", path=tree, query=query, mode=mode)
        return answer, passed
    before = own_memory(desk.process.pid)
    first, built = search("exact", "nothing")
    if first["files"] != MILLION or not first["complete"]:
        raise SystemExit(f"the index has {first['files']} files")
    found = {"built_ms": built, "index_bytes": own_memory(desk.process.pid) - before}
    queries = {"exact": ["README7_6.md", "shoppingCart1999_3.json", "userprofileview12_2.test.ts"],
               "prefix": ["shoppingCart19", "inv", "refundHandler1_"],
               # Letters in the name, in the path, hardly anywhere, and one letter that is everywhere.
               "fuzzy": ["shcart", "p7d3invtot", "zzqx", "e", "userviewtest", "packreadmemd"]}
    for mode, texts in queries.items():
        times = {text: statistics.median(search(mode, text)[1] for _ in range(rounds)) for text in texts}
        found[mode] = {"ms": statistics.median(times.values()), "most_ms": max(times.values()), "worst": max(times, key=times.get)}
    return found


def own_memory(pid):
    """Bytes that belong to the process alone: what is read from files is not counted."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon"))


# Git

def repository(shop):
    os.makedirs(shop)
    for number in range(TRACKED // 100):
        os.makedirs(os.path.join(shop, "src", f"d{number}"))
        for other in range(100):
            put(shop, number * 100 + other, f"export const value = {number}\n" * 3)
    git(shop, "init", "-q", "-b", "main")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "Begin the shop")
    git(shop, "remote", "add", "origin", "https://example.com/shop.git")
    for number in range(CHANGED):
        put(shop, number * 150, "export const staged = true\n")
    git(shop, "add", "-A")
    for number in range(CHANGED):
        put(shop, number * 150 + 50, "export const changed = true\n")
        put(shop, TRACKED + number, "export const fresh = true\n")
    git(shop, "update-index", "-q", "--refresh")


def put(shop, number, text):
    with open(os.path.join(shop, "src", f"d{number // 100 % (TRACKED // 100)}", f"file{number}.ts"), "w", encoding="utf-8") as file:
        file.write(text)


def status(client, desk, shop, rounds):
    """Beside the commands of git that say the same, in turn."""
    project = desk.project(shop)
    environment = {"HOME": desk.home, "PATH": os.environ["PATH"], "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    ours, gits = [], []
    answer, _ = client.get(f"/v1/projects/{project}/git/status")
    staged, unstaged = ([one["path"] for one in answer[name]] for name in ("staged", "unstaged"))
    commands = STATUS + [COUNTS + ["--cached", "--", *staged], COUNTS + ["--", *unstaged]]
    for _ in range(10 * rounds):
        answer, passed = client.get(f"/v1/projects/{project}/git/status")
        ours.append(passed)
        began = time.monotonic()
        for words in commands:
            subprocess.run(["git", "--no-pager", "-C", shop, *words], env=environment, check=True, stdout=subprocess.DEVNULL)
        gits.append((time.monotonic() - began) * 1000)
    lists = {name: len(answer[name]) for name in ("staged", "unstaged", "untracked")}
    if set(lists.values()) != {CHANGED}:
        raise SystemExit(f"the status has {lists}")
    return {"ms": statistics.median(ours), "git_ms": statistics.median(gits)}


# Watching

def watching(server, desk, directory):
    """The share of a core that the agent takes while a client follows a workspace in which nothing happens."""
    project = desk.project(directory)
    follower = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    query = urllib.parse.urlencode({"workspace_id": project, "types": "file_changed"})
    follower.request("GET", f"/v1/events?{query}", headers={"Authorization": f"Bearer {server.token}", "Accept": "text/event-stream"})
    stream = follower.getresponse()
    seen = threading.Event()

    def follow():
        for line in stream:
            if b"probe" in line:
                return seen.set()
    threading.Thread(target=follow, daemon=True).start()
    # A file that is noticed says that the watch exists.
    for number in range(600):
        probe = os.path.join(directory, f"probe{number}")
        os.close(os.open(probe, os.O_CREAT | os.O_WRONLY, 0o600))
        if seen.wait(1):
            break
    if not seen.is_set():
        raise SystemExit("no change was told")
    calm(desk.process.pid)
    began, before = time.monotonic(), processor_seconds(desk.process.pid)
    time.sleep(WATCH_SECONDS)
    share = (processor_seconds(desk.process.pid) - before) / (time.monotonic() - began)
    follower.close()
    return share


def calm(pid):
    """Returns when the process has done nothing for two seconds, or after a minute."""
    for _ in range(30):
        before = processor_seconds(pid)
        time.sleep(2)
        if processor_seconds(pid) - before < 0.01:
            return


def processor_seconds(pid):
    """Of the process, with threads and children that have ended; in steps of 10 ms."""
    return process_table()[pid][1]


def show_files(found):
    status, names = found["status"], found["names"]
    print(f"git status of {TRACKED:,} files, {3 * CHANGED} of them changed\n"
          f"  through the server {status['ms']:8.1f} ms, the same by git {status['git_ms']:.1f} ms, RATIO {status['ms'] / status['git_ms']:.2f} "
          f"(the limit is 1.2)\n"
          f"first page of a directory, of {MILLION:,} files (the limit is 100 ms)")
    for name, one in found["pages"].items():
        print(f"  {name:18} {one['ms']:8.1f} ms, most {one['most_ms']:.1f} ms{'' if one['sorted'] else ', not sorted'}")
    print(f"names of {MILLION:,} files (limits: exact and prefix 50 ms, fuzzy 200 ms, 120 MB)\n"
          f"  index              {names['built_ms']:8.0f} ms to build, {names['index_bytes'] / 1e6:.1f} MB of the agent's memory")
    for mode in ("exact", "prefix", "fuzzy"):
        print(f"  {mode:18} {names[mode]['ms']:8.1f} ms, most {names[mode]['most_ms']:.1f} ms ({names[mode]['worst']})")
    for name, share in found["watching"].items():
        print(f"watching an idle {name}: {share * 100:.3f} % of a core (the limit is 0.1 %)")
