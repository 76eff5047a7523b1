"""Takes the screenshots for the documentation: each view, light and dark, on a phone, a tablet and a desktop.

    Tests/web/run --screenshots
"""

import json
import pathlib
import subprocess
import sys

import scenes
from web import Browser, Server, harness, wait_for

import pushing

WIDTHS = {390: 844, 820: 1180, 1440: 900}
# A screenshot shows the whole view, but at most this height.
HIGHEST = 2200
SETTINGS = ("notifications", "machines", "devices", "audit", "about")
# Screenshots that are side by side in the README have the same height.
README_HEIGHT = {("home", 390): 1560, ("session", 390): 1560, ("figures", 390): 1560}
# Chromium's own push service cannot be reached here, so the browser pretends to have a subscription.
SUBSCRIBED = """([subscription]) => {
    const own = { toJSON: () => subscription, unsubscribe: async () => true, options: {} }
    PushManager.prototype.getSubscription = async () => own
}"""


def shoot(page, directory, name, width, scheme, height=None):
    """Takes a screenshot of the whole view, also if it scrolls inside the window."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    fixed = README_HEIGHT.get((name, width)) or height
    if fixed is None:
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        fixed = page.evaluate("""() => {
            const main = document.querySelector(".app > main")
            return main ? innerHeight + main.scrollHeight - main.clientHeight : document.documentElement.scrollHeight
        }""")
    page.set_viewport_size({"width": width, "height": max(WIDTHS[width], min(HIGHEST, fixed))})
    page.wait_for_timeout(250)
    page.screenshot(path=directory / f"{name}-{width}-{scheme}.png")


def look(person, views, directory, width, scheme):
    for name, view in views.items():
        # The view of a session scrolls in parts, so it is as high as the window.
        is_session = view.startswith("#/s/")
        person.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        person.page.goto(f"{person.server.url}/{view}")
        person.page.get_by_role("heading").first.wait_for()
        shoot(person.page, directory, name, width, scheme, WIDTHS[width] if is_session else None)
    person.check()


def outside(browser, server, directory):
    """What a browser shows that is not signed in, and the list while it is empty."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            stranger = new_person(browser, server, width, scheme)
            page = stranger.open("/")
            for name, path in (("welcome", "/"), ("pair", "/pair")):
                page.goto(path)
                page.get_by_role("heading").first.wait_for()
                shoot(page, directory, name, width, scheme, WIDTHS[width])
            stranger.close()


def new_person(browser, server, width, scheme):
    return browser.person(server, viewport={"width": width, "height": WIDTHS[width]}, scheme=scheme, pair=False, reduced_motion="reduce",
                          has_touch=width < 800, is_mobile=width < 800, permissions=["notifications"])


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.png"):
        old.unlink()
    own = harness.make_directory()
    key = pushing.make_key(own)
    mock = pushing.oracle(own, key)
    server = Server(**pushing.settings(key, mock)).start()
    try:
        with Browser() as browser:
            outside(browser, server, directory)
            offer = server.client().get("/v1/push").json
            mock.do("set", service="webpush", settings={"public_key": offer["webpush"]["application_server_key"]})
            person = {}
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    one = person[width, scheme] = new_person(browser, server, width, scheme)
                    one.sign_in("--administer")
                    look(one, {"empty": "#/"}, directory, width, scheme)
            # Only one browser gets pushes; several would show as devices in the screenshots.
            first = person[390, "light"]
            for one in person.values():
                one.context.add_init_script(f"({SUBSCRIBED})({json.dumps([mock.webpush['subscriptions'][0]])})")
            first.page.reload()
            first.page.goto(server.url + "/#/settings/notifications")
            first.page.get_by_text("This browser is notified.").wait_for()
            scenes.month(server)
            told = scenes.world(server, holds=True)
            scenes.loops(told.machine)
            budgets = {"cost_thresholds_usd": [4, 10], "project_cost_thresholds_usd": [2, 5], "session_cost_thresholds_usd": [1],
                       "always_push": True, "grace_seconds": 0}
            assert server.client().request("PUT", "/v1/push/preferences?scope=default", budgets).status == 200
            wait_for(lambda: server.client().get("/v1/push/decisions").json["notices"], "there are notices")
            views = {"home": "#/", "session": f"#/s/{told.id}", "figures": "#/figures", "search": "#/search?q=refunds",
                     **{name: "#/settings/" + name for name in SETTINGS}}
            for (width, scheme), one in person.items():
                one.page.reload()
                look(one, views, directory, width, scheme)
            prompts = {name: f"#/s/{hold.told.id}" for name, hold in scenes.asks(told.machine).items()}
            for (width, scheme), one in person.items():
                look(one, prompts, directory, width, scheme)
    finally:
        server.end()
    subprocess.run(["pngquant", "--force", "--ext", ".png", "--skip-if-larger", "--quality", "70-95", "--strip",
                    *sorted(directory.glob("*.png"))], check=False, timeout=300)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
