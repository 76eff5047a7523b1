"""A picture of every view and of its states, on a phone, a tablet and a desktop, light and dark, to be looked at by a person.

    Tests/web/run --tour DIRECTORY              all pictures
    Tests/web/run --tour DIRECTORY 'home*-390-*' git...   those whose names fit one of these patterns
"""

import fnmatch
import json
import pathlib
import sys

import stops
from screenshots import WIDTHS
from web import Browser, harness

# A view that scrolls as a whole is shown as a whole, but at most at this height.
HIGHEST = 2200
SCHEMES = ("light", "dark")
# The pages in German are looked at for their words and for what they do not fit, so one scheme is enough.
GERMAN = "de-DE"


class Traveller:
    """One browser, whose window has one width, with the pictures that it takes."""

    def __init__(self, browser, world, width, directory, patterns, locale="en-GB"):
        self.width, self.directory, self.patterns, self.locale = width, directory, patterns, locale
        self.world = world
        self.person = browser.person(
            world.server, viewport={"width": width, "height": WIDTHS[width]}, locale=locale, pair=False, reduced_motion="reduce",
            has_touch=width < 1000, is_mobile=width < 800, permissions=["notifications", "clipboard-read", "clipboard-write"])
        self.page = self.person.open(self.person.link("--administer"))
        self.page.locator(".app").wait_for()
        self.person.page = self.page
        # Only the newest device is this one.
        newest = max(one["id"] for one in world.server.get("/v1/devices").json["devices"])
        world.server.control("device", "grant", str(newest), "control")

    def name(self, stop, scheme):
        language = "" if self.locale != GERMAN else "-de"
        return f"{stop.name}{language}-{self.width}-{scheme}"

    def is_wanted(self, name):
        return not self.patterns or any(fnmatch.fnmatch(name, pattern) for pattern in self.patterns)

    def visit(self, stop):
        schemes = SCHEMES[:1] if self.locale == GERMAN else SCHEMES
        wanted = [scheme for scheme in schemes if self.is_wanted(self.name(stop, scheme))]
        if not wanted:
            return
        page = self.page
        page.set_viewport_size({"width": self.width, "height": WIDTHS[self.width]})
        page.emulate_media(color_scheme=wanted[0])
        page.goto("about:blank")
        page.goto(f"{self.world.server.url}/{stop.view(self.world)}")
        try:
            page.locator(stop.ready).first.wait_for()
            page.locator(".skeleton").first.wait_for(state="detached")
            stop.act(page, self.world)
        except Exception as fault:  # The picture shows why.
            print(f"{stop.name} {self.width}: {str(fault).splitlines()[0]}", file=sys.stderr)
        page.wait_for_timeout(300)
        for scheme in wanted:
            page.emulate_media(color_scheme=scheme)
            self.shoot(self.name(stop, scheme), stop.is_tall)
        stop.leave(page, self.world)

    def shoot(self, name, is_tall):
        """A view that scrolls as a whole is shown as a whole."""
        height = WIDTHS[self.width]
        if is_tall:
            needed = self.page.evaluate("""() => Math.max(0, ...[".app > .detail > main.page", ".pane.home"].map((name) => {
                const view = document.querySelector(name)
                return view ? innerHeight + view.scrollHeight - view.clientHeight : 0
            }))""")
            self.page.set_viewport_size({"width": self.width, "height": max(height, min(HIGHEST, needed))})
            self.page.wait_for_timeout(150)
        self.page.screenshot(path=self.directory / f"{name}.png")
        across = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if across > 0:
            print(f"{name}: {across} px too wide", file=sys.stderr)


def main(directory, patterns):
    directory.mkdir(parents=True, exist_ok=True)
    world = stops.World(harness.make_directory())
    try:
        with Browser() as browser:
            world.tell(browser)
            travellers = [Traveller(browser, world, width, directory, patterns) for width in WIDTHS]
            travellers += [Traveller(browser, world, width, directory, patterns, GERMAN) for width in (390, 1440)]
            for stop in stops.STOPS:
                for traveller in travellers:
                    traveller.visit(stop)
            for traveller in travellers:
                if traveller.person.faults:
                    print(json.dumps(traveller.person.faults[:5]), file=sys.stderr)
    finally:
        world.end()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
