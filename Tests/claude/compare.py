"""Compares what the reference recorded with what the monitor stored. README.md says what is compared and why."""

import json
from collections import Counter

IDENTITY = ("session_id", "hook_event_name", "tool_name", "tool_use_id", "prompt_id", "agent_id", "agent_type",
            "source", "reason", "trigger", "notification_type", "permission_mode", "cwd")
CALL = {"PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure"}
# A timer or another process causes these events.
UNORDERED = {"Notification", "InstructionsLoaded", "ConfigChange", "FileChanged", "CwdChanged", "Elicitation",
             "ElicitationResult", "TeammateIdle", "TaskCreated", "TaskCompleted", "SubagentStart", "WorktreeRemove"}


def identity(hook):
    return tuple(hook.get(name) for name in IDENTITY)


def name_of(hook):
    parts = [hook.get("hook_event_name"), hook.get("tool_name"), (hook.get("tool_use_id") or "")[-4:],
             hook.get("agent_id"), hook.get("notification_type")]
    return " ".join(part for part in parts if part)


def repaired(value):
    """The value as the monitor may store it: NUL and unpaired surrogates become U+FFFD."""
    if isinstance(value, str):
        return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, list):
        return [repaired(item) for item in value]
    if isinstance(value, dict):
        return {repaired(key): repaired(item) for key, item in value.items()}
    return value


def canonical(hook):
    return json.dumps(hook, sort_keys=True)


def multiset_faults(fired, kept, where):
    """`fired` and `kept` are lists of hook objects."""
    wanted, got = Counter(map(identity, fired)), Counter(map(identity, kept))
    label = {identity(hook): name_of(hook) for hook in [*kept, *fired]}
    faults = [f"{where}: {label[key]} is missing {count} times" for key, count in (wanted - got).items()]
    faults += [f"{where}: {label[key]} is there {count} times too often" for key, count in (got - wanted).items()]
    return faults


def content_faults(fired, kept, where):
    """For a monitor that stores everything: each object is as the client wrote it, except for repaired characters."""
    wanted = Counter(canonical(repaired(hook)) for hook in fired)
    got = Counter(canonical(hook) for hook in kept)
    faults = []
    for text in (wanted - got):
        hook = json.loads(text)
        same = [other for other in kept if identity(other) == identity(hook)]
        keys = sorted(key for key in hook if not any(other.get(key) == hook[key] for other in same))
        added = sorted({key for other in same for key in other} - set(hook))
        faults.append(f"{where}: {name_of(hook)} differs in {keys}, has in addition {added}")
    return faults


def must_precede(first, second):
    """True if the client guarantees the order of two hooks, of which the reference recorded `first` first."""
    if first["session_id"] != second["session_id"]:
        return False
    if {first["hook_event_name"], second["hook_event_name"]} & UNORDERED:
        return False
    if first.get("agent_id") != second.get("agent_id") or "" in (first.get("agent_type"), second.get("agent_type")):
        return False
    if first["hook_event_name"] in CALL and second["hook_event_name"] in CALL:
        return same_call(first, second)
    return True


def same_call(first, second):
    """The calls of one answer run at the same time. Only the steps of one call have an order."""
    if "tool_use_id" in first and "tool_use_id" in second:
        return first["tool_use_id"] == second["tool_use_id"]
    return (first["tool_name"], first["tool_input"]) == (second["tool_name"], second["tool_input"])


def order_faults(fired, kept, where):
    """`kept` is in seq order. Of hooks that look the same, the first recorded one is matched with the first stored one."""
    places = {}
    for place, hook in enumerate(kept):
        places.setdefault(identity(hook), []).append(place)
    placed = [(hook, places[identity(hook)].pop(0)) for hook in fired if places.get(identity(hook))]
    return [f"{where}: {name_of(second)} stands before {name_of(first)}"
            for at, (first, first_place) in enumerate(placed) for second, second_place in placed[at + 1:]
            if second_place < first_place and must_precede(first, second)]


def expected_session(fired):
    """What GET /v1/sessions/{id} must return after these hooks of one session. They are in order, and the last one is
    SessionEnd."""
    names = Counter(hook["hook_event_name"] for hook in fired)
    prompts = [hook["prompt"] for hook in fired if hook["hook_event_name"] == "UserPromptSubmit"]
    typed = [prompt for prompt in prompts if not prompt.lstrip().startswith("<task-notification>")]
    titles = [hook["session_title"] for hook in fired if hook.get("session_title")]
    models = [hook["model"] for hook in fired if hook.get("model")]
    modes = [hook["permission_mode"] for hook in fired if "permission_mode" in hook and "agent_id" not in hook]
    return {
        "status": "ended", "state": "idle", "waiting_for": None, "end_reason": fired[-1]["reason"],
        "message_count": len(typed) + names["Stop"],
        "tool_call_count": names["PostToolUse"] + names["PostToolUseFailure"],
        "title": (titles or [prompt.split("\n", 1)[0] for prompt in typed[:1]] or [None])[-1],
        **({"current_model": models[-1]} if models else {}),
        "permission_mode": modes[-1] if modes else None,
    }


def session_faults(fired, session, **more):
    wanted = expected_session(fired) | more
    return [f"session {name}: {session.get(name)!r} instead of {value!r}"
            for name, value in wanted.items() if session.get(name) != value]
