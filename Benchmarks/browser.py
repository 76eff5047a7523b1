"""usage: browser.py URL KEY LINK...   figures of the web app in Chromium, as JSON

Run by web.py with the Python of Tests/web/environment. Each LINK pairs one browser: the first for all figures but the
first view, each of the others for one first view.
"""

import argparse
import datetime
import http.client
import json
import statistics
import sys
import time
import urllib.parse
import uuid

from playwright.sync_api import sync_playwright

SESSIONS = 60
WATCH_FIRST_VIEW = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("[role=listitem]")) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => { window.firstView = performance.now() }))
}).observe(document, { childList: true, subtree: true })
"""
# Scrolls up in steps as a flick does, and notes how long each frame took.
SCROLL = """async (seconds) => {
  const box = document.querySelector(".time"), frames = []
  let before = performance.now()
  const end = before + 1000 * seconds
  while (before < end) {
    box.scrollTop -= 400
    await new Promise(requestAnimationFrame)
    const now = performance.now()
    frames.push(now - before)
    before = now
  }
  return frames
}"""


# Opens a file of the status. Milliseconds until its difference is painted.
OPEN_DIFFERENCE = """async (name) => {
  const link = [...document.querySelectorAll(".changed > a")].find((one) => one.textContent.includes(name))
  const began = performance.now()
  link.click()
  while (!document.querySelector(".opened .diff > div")) await new Promise(requestAnimationFrame)
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  return performance.now() - began
}"""
# Scrolls down in steps as a flick does, and asks for more lines at the end. Notes how long each frame took, and apart from them how
# long the lines that were asked for took.
SCROLL_DIFFERENCE = """async () => {
  const box = document.querySelector(".opened"), frames = [], steps = []
  let before = performance.now()
  for (let isAtEnd = false; !isAtEnd;) {
    const top = box.scrollTop
    box.scrollTop += 400
    const more = box.querySelector(".diffbox > .more")
    const isAsking = more !== null && more.getBoundingClientRect().top < innerHeight
    if (isAsking) more.click()
    isAtEnd = box.scrollTop === top && !more
    await new Promise(requestAnimationFrame)
    if (isAsking) await new Promise((done) => setTimeout(done))
    const now = performance.now();
    (isAsking ? steps : frames).push(now - before)
    before = now
  }
  return { frames, steps }
}"""


class Poster:
    """Posts hooks of sessions, with one connection."""

    def __init__(self, url, key):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)
        self.key = key
        self.count = 0

    def post(self, session, hooks):
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = [{"event_id": str(uuid.uuid4()), "timestamp": now, "data": {
            "session_id": session, "cwd": "/home/ana/src/bench-" + session[:4], "hook_event_name": name, **fields}}
            for name, fields in hooks]
        self.connection.request("POST", "/api/events", json.dumps(body), {
            "Authorization": "Bearer " + self.key, "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        told = json.loads(answer.read())
        if answer.status != 202 or told["accepted"] != len(body):
            sys.exit(f"posting: {answer.status} {told}")

    def calls(self, session, count):
        """As many events: calls of tools with some output, one after another."""
        hooks = []
        for _ in range(count // 2):
            self.count += 1
            call = {"tool_name": "Bash", "tool_use_id": f"toolu_{self.count}", "tool_input": {
                "command": f"make step-{self.count} && echo done", "description": "a step of the work"}}
            hooks += [("PreToolUse", call), ("PostToolUse", {**call, "duration_ms": 12, "tool_response": {
                "stdout": "\n".join(["compiling module"] * (self.count % 9)), "stderr": ""}})]
        self.post(session, hooks)

    def last(self):
        return f"make step-{self.count} && echo done"


class Renderers:
    """CPU seconds of all renderers of the browser."""

    def __init__(self, browser):
        self.link = browser.new_browser_cdp_session()

    def seconds(self):
        return sum(one["cpuTime"] for one in self.link.send("SystemInfo.getProcessInfo")["processInfo"]
                   if one["type"] == "renderer")


def heap(page):
    """Bytes of JavaScript in use after a collection."""
    link = page.context.new_cdp_session(page)
    for _ in range(2):
        link.send("HeapProfiler.collectGarbage")
    used = link.send("Runtime.getHeapUsage")["usedSize"]
    link.detach()
    return used


def await_text(page, text, seconds=120):
    page.locator(".time").get_by_text(text, exact=True).wait_for(timeout=1000 * seconds)


def first_view(browser, url, link):
    """Milliseconds until the sessions are seen: with an empty cache, and with the app's files known."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(link)
    page.get_by_role("listitem").first.wait_for()
    kept = context.storage_state()
    context.close()
    fresh = browser.new_context(viewport={"width": 1440, "height": 900}, storage_state=kept)
    fresh.add_init_script(WATCH_FIRST_VIEW)
    found = []
    for _ in range(2):
        page = fresh.new_page()
        page.goto(url + "/")
        page.wait_for_function("() => window.firstView")
        found.append(page.evaluate("window.firstView"))
        page.close()
    fresh.close()
    return found


def live(page, poster, session, renderers, seconds, rate):
    """The renderer's share of a core while events come into the open timeline."""
    poster.calls(session, 200)
    page.goto(page.url.split("#")[0] + "#/s/" + session)
    await_text(page, poster.last())
    before, began = renderers.seconds(), time.monotonic()
    sent = 0
    while (passed := time.monotonic() - began) < seconds:
        if sent < passed * rate:
            poster.calls(session, 2)
            sent += 2
        else:
            time.sleep(0.005)
    used = renderers.seconds() - before
    passed = time.monotonic() - began
    await_text(page, poster.last())
    return {"per_second": sent / passed, "cores": used / passed}


def new_rows(page, poster, count):
    """Milliseconds from the answer to a session's first event until the list shows it."""
    page.goto(page.url.split("#")[0] + "#/")
    found = []
    for _ in range(count):
        session = str(uuid.uuid4())
        poster.post(session, [("SessionStart", {"source": "startup"})])
        began = time.monotonic()
        page.get_by_role("listitem").filter(has_text="bench-" + session[:4]).first.wait_for()
        found.append(1000 * (time.monotonic() - began))
    return found


def long(page, poster, session, events):
    """Heaps while so many events come into the open timeline, as fast as the server takes them, and after scrolling back."""
    heaps = []
    for number in range(10):
        for _ in range(events // 10 // 500):
            poster.calls(session, 500)
        await_text(page, poster.last())
        heaps.append(heap(page))
        print(f"  {events * (number + 1) // 10:,} events: {heaps[-1] / 1e6:.1f} MB", file=sys.stderr)
    return heaps


def scroll(page, seconds):
    frames = page.evaluate(SCROLL, seconds)
    frames.sort()
    return {"p50_ms": statistics.median(frames), "p95_ms": frames[int(len(frames) * 0.95)], "p99_ms": frames[int(len(frames) * 0.99)], "most_ms": frames[-1],
            "heap": heap(page), "rows": page.locator(".time .ev").count()}


def differences(page, url, project, names):
    """For each file: milliseconds until its difference is painted, and the frames while a person scrolls to its end."""
    found = {}
    for name in names:
        page.goto(f"{url}/#/git/{project}")
        page.get_by_role("link", name=name).wait_for()
        opened = page.evaluate(OPEN_DIFFERENCE, name)
        scrolled = page.evaluate(SCROLL_DIFFERENCE)
        frames = sorted(scrolled["frames"])
        found[name] = {"opened_ms": opened, "p50_ms": statistics.median(frames), "p95_ms": frames[int(len(frames) * 0.95)], "most_ms": frames[-1],
                       "more_ms": max(scrolled["steps"], default=0), "frames": len(frames), "rows": page.locator(".opened .diff > div:not(.twin)").count(), "heap": heap(page)}
        print(f"  {name}: {found[name]}", file=sys.stderr)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("links", nargs="+")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=60)
    parser.add_argument("--project", help="with files whose differences are measured")
    parser.add_argument("--files", nargs="+", default=[], help="their names")
    options = parser.parse_args()
    poster = Poster(options.url, options.key)
    for _ in range(SESSIONS):
        poster.post(str(uuid.uuid4()), [("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "Go on"})])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        views = [first_view(browser, options.url, link) for link in options.links[1:]]
        renderers = Renderers(browser)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(options.links[0])
        page.get_by_role("listitem").first.wait_for()
        found = {"first_view_ms": [view[0] for view in views], "known_view_ms": [view[1] for view in views],
                 "new_row_ms": new_rows(page, poster, 7), "live": live(page, poster, str(uuid.uuid4()), renderers, options.seconds, options.rate)}
        session = str(uuid.uuid4())
        poster.calls(session, 200)
        page.goto(options.url + "/#/s/" + session)
        await_text(page, poster.last())
        found["heaps"] = long(page, poster, session, options.events)
        found["scroll"] = scroll(page, options.seconds)
        found["differences"] = differences(page, options.url, options.project, options.files)
        browser.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
