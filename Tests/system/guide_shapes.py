"""Compares what the server sends with the examples of cdev's integration guide, in `cdev_shapes.json`."""

import json
import pathlib

SHAPES = json.loads((pathlib.Path(__file__).resolve().parent / "cdev_shapes.json").read_text())
TYPES = {"string": str, "boolean": bool, "number": (int, float)}

# If the guide and the decoder of cdev's own app contradict each other, the app decides (docs/rpc.md).
NOT_SENT = {"claude_message.payload.session_id"}
OBJECTS = {"claude_message.payload.content[].input"}


def faults(shape, value, place):
    """The members of the example that are missing or have another type, one line each."""
    if place in NOT_SENT:
        return [] if value is None else [f"{place} is sent"]
    if place in OBJECTS:
        shape = {}
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no object"]
        found = []
        for name, inner in shape.items():
            here = f"{place}.{name.rstrip('?')}"
            if name.rstrip("?") in value or here in NOT_SENT:
                found += faults(inner, value.get(name.rstrip("?")), here)
            elif not name.endswith("?"):
                found.append(f"{here} is missing")
        return found
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place}: {value!r} is no array"]
        return [fault for element in value for inner in shape for fault in faults(inner, element, place + "[]")]
    kinds = [list if kind == "[]" else TYPES[kind] for kind in shape.split("|")]
    fits = any(isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) for kind in kinds)
    return [] if fits else [f"{place}: {value!r} is no {shape}"]
