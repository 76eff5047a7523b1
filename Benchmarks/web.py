"""The web app in Chromium: its first view, events into an open timeline, 100,000 of them, and its size."""

import json
import os
import statistics
import subprocess

from harness import run_json
from workplace import FILES, LINES, workplace

HERE = os.path.dirname(os.path.abspath(__file__))
DIST = os.path.join(HERE, "..", "web", "dist")
LIMITS = "limits: 1000 ms, 500 ms, 0.50 cores, 1.2, p95 33 ms, 150 kB; differences 1000 ms, p95 33 ms"


def web(server, seconds, rounds):
    python = subprocess.run([os.path.join(HERE, "..", "Tests", "web", "environment")], check=True, timeout=700,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    key = server.control("key", "create", "browser-bench")
    links = [json.loads(server.control("device", "pair", "--browser", "--json"))["url"] for _ in range(rounds + 1)]
    with workplace(server) as project:
        found = run_json([python, "-B", os.path.join(HERE, "browser.py"), f"http://127.0.0.1:{server.port}", key, *links,
                          "--seconds", max(10, seconds), "--project", project, "--files", *FILES], {}, timeout=1200)
    return {
        "first_view_ms": statistics.median(found["first_view_ms"]), "known_view_ms": statistics.median(found["known_view_ms"]),
        "new_row_ms": statistics.median(found["new_row_ms"]), **{f"live_{name}": value for name, value in found["live"].items()},
        "heap_at_first": found["heaps"][0], "heap_at_last": found["heaps"][-1],
        **{f"scroll_{name}": value for name, value in found["scroll"].items()}, "script_bytes": script_bytes(),
        "differences": found["differences"],
    }


def script_bytes():
    """Of the compressed scripts of the first view, which are those that the page names."""
    with open(os.path.join(DIST, "index.html"), encoding="utf-8") as file:
        page = file.read()
    assets = os.path.join(DIST, "assets")
    return sum(os.path.getsize(os.path.join(assets, name)) for name in os.listdir(assets)
               if name.endswith(".js.gz") and name.removesuffix(".gz") in page)


def show_web(found):
    print(f"web app in Chromium ({LIMITS})\n"
          f"  first view       {found['first_view_ms']:8.0f} ms, {found['known_view_ms']:.0f} ms with its files known\n"
          f"  a new session    {found['new_row_ms']:8.0f} ms until the list shows it\n"
          f"  open timeline    {found['live_cores']:8.2f} cores of the renderer at {found['live_per_second']:.0f} events/s\n"
          f"  100,000 events   {found['heap_at_last'] / 1e6:8.1f} MB of JavaScript, RATIO to 10,000 "
          f"{found['heap_at_last'] / found['heap_at_first']:.2f}\n"
          f"  scrolling back   {found['scroll_p50_ms']:8.1f} ms a frame, p95 {found['scroll_p95_ms']:.0f} ms, p99 {found['scroll_p99_ms']:.0f} ms, "
          f"most {found['scroll_most_ms']:.0f} ms; {found['scroll_rows']} rows, {found['scroll_heap'] / 1e6:.1f} MB\n"
          f"  scripts          {found['script_bytes'] / 1000:8.1f} kB compressed")
    for name, one in found["differences"].items():
        print(f"  {LINES:,} lines     {one['opened_ms']:8.0f} ms until the difference is seen, {FILES[name]}; scrolling: {one['p50_ms']:.1f} ms a frame, "
              f"p95 {one['p95_ms']:.0f} ms, most {one['most_ms']:.0f} ms; {one['more_ms']:.0f} ms for 2,000 lines more; {one['rows']:,} rows, {one['heap'] / 1e6:.1f} MB")
