"""The web app of a server, as a browser receives it."""

import re
import urllib.request


def check_page(url):
    """Reads the page at `/`, and every file of the server that it names. Raises an error if one is missing or has the wrong
    type."""
    html = fetch(url + "/", "text/html", accept="text/html").decode()
    if '<div id="root">' not in html:
        raise AssertionError(f"GET / is not the web app: {html[:200]}")
    names = sorted(set(re.findall(r'(?:src|href)="([^":]+\.(?:js|css|svg|png|webmanifest))"', html)))
    kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "png": "image/png",
             "webmanifest": "application/manifest+json"}
    for name in names:
        fetch(f"{url}/{name}", kinds[name.rpartition(".")[2]])
    if {name.rpartition(".")[2] for name in names} < {"js", "css", "webmanifest"}:
        raise AssertionError(f"the page names only {names}")
    fetch(url + "/sw.js", "text/javascript")


def fetch(url, kind, **headers):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        body = answer.read()
        if not answer.headers["Content-Type"].startswith(kind) or not body:
            raise AssertionError(f"{url}: {len(body)} bytes of {answer.headers['Content-Type']}, not of {kind}")
        return body
