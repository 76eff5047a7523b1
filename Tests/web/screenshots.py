"""Takes the screenshots of the README. For pictures of all views see tour.py.

    Tests/web/run --screenshots
"""

import pathlib
import subprocess
import sys

import scenes
from web import Browser, Server, wait_for

WIDTHS = {390: 844, 820: 1180, 1440: 900}
# View, width and scheme. Those that are side by side in the README have the same height.
PICTURES = [("home", 390, "light"), ("home", 390, "dark"), ("session", 390, "light"), ("figures", 390, "dark"), ("session", 1440, "light")]
HEIGHTS = {390: 1560, 1440: 900}
BUDGETS = {"cost_thresholds_usd": [4, 10], "project_cost_thresholds_usd": [2, 5], "session_cost_thresholds_usd": [1]}


def take(browser, server, views, directory):
    """One picture after another, each by a browser of its own that is signed out afterwards: nobody else looks at the page."""
    for name, width, scheme in PICTURES:
        person = browser.person(server, viewport={"width": width, "height": HEIGHTS[width]}, scheme=scheme, pair=False,
                                reduced_motion="reduce", has_touch=width < 800, is_mobile=width < 800)
        page = person.sign_in("--administer")
        page.goto(f"{server.url}/{views[name]}")
        page.locator({"home": ".pane.home article", "session": "main.session article:not([data-new])", "figures": ".calendar"}[name]).first.wait_for()
        page.wait_for_load_state("networkidle")
        page.screenshot(path=directory / f"{name}-{width}-{scheme}.png")
        person.check()
        person.sign_out()
        person.close()


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.png"):
        old.unlink()
    server = Server().start()
    try:
        with Browser() as browser:
            # Hooks hold prompts only if somebody may answer them.
            watcher = browser.person(server)
            scenes.month(server)
            told = scenes.world(server, holds=True)
            scenes.loops(told.machine)
            assert server.client().request("PUT", "/v1/push/preferences?scope=default", BUDGETS).status == 200
            wait_for(lambda: server.get("/v1/prompts?state=open").json["data"], "the prompts are there")
            watcher.page.goto("about:blank")
            take(browser, server, {"home": "#/", "session": f"#/s/{told.id}", "figures": "#/figures"}, directory)
    finally:
        server.end()
    subprocess.run(["pngquant", "--force", "--ext", ".png", "--skip-if-larger", "--quality", "70-95", "--strip",
                    *sorted(directory.glob("*.png"))], check=False, timeout=300)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
