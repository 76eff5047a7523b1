"""How long Claude Code waits for a hook: medians of the hook script's run time, taken in turn with an empty shell's."""

import os
import pathlib
import statistics
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests/hooks"
# The sizes of an event in bytes, and the runs of each.
SIZES = ((2_000, 200), (300_000, 50))


def timed(command, body, env):
    start = time.perf_counter()
    subprocess.run(command, input=body, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    return (time.perf_counter() - start) * 1000


def hooks():
    """The tests' modules `support` and `receiver` are loaded here: the other benchmarks have modules of similar names."""
    sys.path.insert(0, os.fspath(TESTS))
    from receiver import Receiver
    from support import BASH, HOOK, Machine

    found = []
    for size, runs in SIZES:
        receiver, machine = Receiver(), Machine()
        env = machine.env(receiver)
        body = b'{"hook_event_name":"PostToolUse","tool_response":"' + b"x" * size + b'"}\n'
        hook, shell = [], []
        for _ in range(runs):
            hook.append(timed([BASH, "-p", HOOK, "PostToolUse"], body, env))
            shell.append(timed([BASH, "-c", ":"], b"", env))
        assert receiver.wait_events(runs, 60), "events are missing at the receiver"
        machine.close()
        receiver.stop()
        found.append({"bytes": size, "runs": runs, "hook_ms": statistics.median(hook), "shell_ms": statistics.median(shell)})
    sys.path.remove(os.fspath(TESTS))
    return found


def show_hooks(found):
    for one in found:
        print(f"hook with {one['bytes']:,} bytes: {one['hook_ms']:.2f} ms, {one['hook_ms'] / one['shell_ms']:.1f} times"
              f" `bash -c :` (medians of {one['runs']})")
