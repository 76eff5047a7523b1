"""How soon an answer from a device closes the dialog of the real client. CLAUDE_ROUNDS is the number of prompts, 20 by default.
A figure for publication needs 200, an idle machine and a release build."""

import os
import re
import time

from answers import Talk, touch
from monitor import wait_until

LIMIT_MS = 400
# The terminal's title. The client draws it together with the dialog, and with the screen that replaces the dialog.
WAITS, WORKS = re.compile(rb"\x1b\]0;\xe2\x9c\xb3"), re.compile(rb"\x1b\]0;(?!\xe2\x9c\xb3)")


def quantile(seconds, part):
    return 1000 * sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * part))]


def quick(bench, outcome):
    """from the answer on a phone to the closed dialog: median and 99th percentile"""
    rounds, took = int(os.environ.get("CLAUDE_ROUNDS", "20")), []
    with Talk(bench, outcome, "quick", *[touch(f"round{number}") for number in range(rounds)]) as talk:
        since = 0
        for number in range(rounds):
            prompt = talk.held()
            wait_until(20, "the dialog", lambda since=since: WAITS.search(talk.terminal.shown, since))
            # The client accepts no answer while it draws.
            time.sleep(0.5)
            since, began = len(talk.terminal.shown), time.monotonic()
            status, body = talk.device.answer(prompt, decision="allow")
            outcome.expect(status == 200, f"the answer gets {status}: {body}")
            deadline = began + 10
            while not WORKS.search(talk.terminal.shown, since):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the dialog of round {number} stays open")
                time.sleep(0.002)
            took.append(time.monotonic() - began)
            since = len(talk.terminal.shown)
        talk.finish()
        outcome.expect(all(talk.made(f"round{number}") for number in range(rounds)), "a command was not run")
        talk.leave()
    middle, most = quantile(took, 0.5), quantile(took, 0.99)
    verdict = "within" if most <= LIMIT_MS else "over"
    outcome.notes.append(f"{rounds} answers, p50 {middle:.0f} ms, p99 {most:.0f} ms, {verdict} the limit of {LIMIT_MS} ms")


ALL = [quick]
