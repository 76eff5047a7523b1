"""Takes the pictures of the documentation: each view, light and dark, on a phone, a tablet and a desk.

    Tests/web/run --screenshots
"""

import pathlib
import sys

import scenes
from web import Browser, Server

WIDTHS = {390: 844, 820: 1180, 1440: 900}
VIEWS = {"home": "#/", "session": "#/s/{id}", "figures": "#/figures", "search": "#/search?q=refunds",
         "notifications": "#/settings/notifications", "machines": "#/settings/machines"}


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    server = Server(MONITOR_RATE_LIMIT="off").start()
    try:
        with Browser() as browser:
            people = {(width, scheme): browser.person(
                server, viewport={"width": width, "height": height}, scheme=scheme, reduced_motion="reduce", has_touch=width < 800,
                is_mobile=width < 800)
                for width, height in WIDTHS.items() for scheme in ("light", "dark")}
            told = scenes.world(server, holds=True)
            scenes.loops(told.machine)
            budgets = {"cost_thresholds_usd": [4, 10], "project_cost_thresholds_usd": [2, 5], "session_cost_thresholds_usd": [1]}
            assert server.client().request("PUT", "/v1/push/preferences?scope=default", budgets).status == 200
            for (width, scheme), person in people.items():
                person.page.reload()
                for name, view in VIEWS.items():
                    page = person.page
                    page.goto(f"{server.url}/{view.format(id=told.id)}")
                    page.get_by_role("heading").first.wait_for()
                    page.wait_for_load_state("networkidle")
                    page.wait_for_timeout(400)
                    page.screenshot(path=directory / f"{name}-{width}-{scheme}.png")
                person.check()
    finally:
        server.end()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
