"""What the tests with a finger share."""

from playwright.sync_api import expect
from web import PHONE

# The prompt that owns what is at a point of the screen; None: no prompt does.
OWNER = """([x, y]) => document.elementFromPoint(x, y)?.closest("[data-prompt]")?.dataset.prompt ?? null"""
# Whether a button that answers is at a point of the screen.
BUTTON = """([x, y]) => document.elementFromPoint(x, y)?.closest("button")?.textContent ?? null"""


def phone(browser, server, **options):
    return browser.person(server, viewport=PHONE, has_touch=True, is_mobile=True, **options)


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tap(page, locator):
    """A tap at the place where the element is now. Unlike `locator.tap` it does not look again, as a person does not.

    Buttons of a card that has just appeared take no tap.
    """
    expect(locator).to_be_enabled()
    x, y = centre(locator)
    page.touchscreen.tap(x, y)
    return x, y


def swipe(page, locator, across, with_second=False):
    """Draws a finger to the side, over the element's first lines. `with_second`: another finger comes down on the way."""
    box = locator.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 12
    session = page.context.new_cdp_session(page)
    points = [{"x": x, "y": y, "id": 0}]
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    for part in range(1, 6):
        moved = [{"x": x + across * part / 5, "y": y, "id": 0}]
        if with_second and part >= 2:
            moved.append({"x": x, "y": y + 30, "id": 1})
        kind = "touchStart" if with_second and part == 2 else "touchMove"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": moved})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
