"""usage: unknown.py CLAUDE   lists the names in the client that this project does not know

The client's program contains its JavaScript as text. Three kinds of names are read from it: hook events (a list), types of
transcript lines (tables with an entry for each), and events of telemetry (the calls of one function). HookEventName.swift and
known.txt have the known names.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOOK_NAMES = HERE.parent.parent / "Sources/EventModel/HookEventName.swift"
PAIR = rb'(?:"[a-z][a-z-]*"|[a-z]+):"[a-z-]+"'
TABLE = re.compile(rb'(?:' + PAIR + rb',){8,}' + PAIR)
# The number of bytes that are searched before and after a word of such a table, or between the head of a function and its
# member.
AROUND = 3000


def hook_events(program):
    found = re.search(rb'\["PreToolUse","PostToolUse","PostToolUseFailure"[A-Za-z",]*"Notification"[A-Za-z",]*\]', program)
    return set(re.findall(r'"(\w+)"', found.group().decode())) if found else set()


def places(program, word):
    at = program.find(word)
    while at >= 0:
        yield at
        at = program.find(word, at + 1)


def transcript_lines(program):
    windows = [program[max(0, at - AROUND):at + AROUND] for at in places(program, b'"last-prompt":"')]
    tables = [table for window in windows for table in TABLE.findall(window) if b'"last-prompt":' in table and b'"ai-title":' in table]
    # The first name in the excerpt of a table may be cut.
    return {name.decode() for table in tables for name in re.findall(rb'[{,"]([a-z][a-z-]*)"?:"', table)}


def telemetry_events(program):
    """The function that logs telemetry events sets a member "event.name" from its first parameter."""
    for at in places(program, b'"event.name":'):
        heads = re.findall(rb'function ([\w$]+)\(([\w$]+)', program[max(0, at - 400):at])
        if heads and program[at + 13:at + 80].startswith(heads[-1][1] + b","):
            calls = re.findall(rb'\b' + re.escape(heads[-1][0]) + rb'\("([a-z_]+)",', program)
            return {name.decode() for name in calls}
    return set()


def known():
    """The names in known.txt by section, and the names of hooks."""
    sections, current = {}, None
    for line in (HERE / "known.txt").read_text().splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), set())
        elif line and not line.startswith("#"):
            current.update(line.split())
    sections["hook events"] = set(re.findall(r'case \w+ = "(\w+)"', HOOK_NAMES.read_text()))
    return sections


def report(program):
    """Lines with the new names, and with what cannot be read from this client."""
    met, lines = known(), []
    for kind, read in (("hook events", hook_events), ("transcript lines", transcript_lines), ("telemetry events", telemetry_events)):
        found = read(program)
        if not found:
            lines.append(f"{kind}: not found in this client; unknown.py reads them from its text, which has changed")
        elif new := sorted(found - met[kind]):
            lines.append(f"{kind} that this project does not know: {' '.join(new)}")
    return lines or ["the client has no hook event, transcript line or telemetry event that this project does not know"]


if __name__ == "__main__":
    for line in report(Path(sys.argv[1]).read_bytes()):
        print("test-claude:", line)
