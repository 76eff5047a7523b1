"""usage: suite.py CLAUDE [SCENARIO...]   runs all scenarios, or the named ones, and prints a line for each"""

import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import answers
import approvals
import browsers
import chat_functions
import chats
import choices
import dialogs
import driving
import endings
import figures
import guide
import mcp_servers
import monitor_tools
import prices
import project_chats
import pushes
import scenarios
import speed
import tool_doors
from bench import Bench, Outcome
from messages_api import MessagesAPI
from monitor import Monitor


def stops(monitor):
    """the end of the server itself: SIGTERM, status 0, within ten seconds, and the end of its database"""
    outcome = Outcome()
    status, seconds = monitor.stop()
    outcome.expect(status == 0, f"the server ends with {status}")
    outcome.expect(seconds < 10, f"the server took {seconds:.1f} s to end")
    outcome.expect(not monitor.database_is_running(), "its database still runs")
    outcome.notes.append(f"{seconds:.1f} s")
    return outcome


def report(name, what, outcome, seconds):
    figures = outcome.figures() if outcome.events else "; ".join(outcome.notes)
    print(f"{'FAIL' if outcome.faults else 'ok  '}  {name:<12} {what}: {figures} [{seconds:.0f} s]", flush=True)
    for fault in outcome.faults[:12]:
        print(f"      {fault}", flush=True)
    if len(outcome.faults) > 12:
        print(f"      and {len(outcome.faults) - 12} more", flush=True)
    return not outcome.faults


def revive(monitor):
    """Starts the server again if a scenario left it dead, so that the next scenario has a healthy one."""
    if monitor.is_healthy():
        return []
    monitor.end()
    monitor.start()
    return ["the server was left unusable; it was started anew"]


def run_scenario(scenario, directory, claude, api, monitor):
    outcome, bench, began = Outcome(), Bench(directory, claude, api, monitor), time.monotonic()
    try:
        scenario(bench, outcome)
    except Exception as error:  # A failed scenario does not end the others.
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome.faults.append(f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}: {error}")
    finally:
        outcome.faults += bench.close()
    outcome.faults += revive(monitor)
    return report(scenario.__name__, scenario.__doc__, outcome, time.monotonic() - began)


def main(claude, names):
    every = scenarios.ALL + figures.ALL + dialogs.ALL + answers.ALL + choices.ALL + endings.ALL + speed.ALL + prices.ALL + browsers.ALL + pushes.ALL + driving.ALL + chats.ALL + chat_functions.ALL + project_chats.ALL + guide.ALL + monitor_tools.ALL + mcp_servers.ALL + tool_doors.ALL + approvals.ALL
    chosen = [scenario for scenario in every if not names or scenario.__name__ in names]
    if len(chosen) < len(names):
        sys.exit(f"scenarios: {' '.join(scenario.__name__ for scenario in every)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("test-claude: told to stop"))
    directory = Path(tempfile.mkdtemp(prefix="monitor-claude-"))
    directory.chmod(0o711)
    api, monitor = MessagesAPI(), Monitor(directory, MONITOR_STORE_CONTENT="full")
    results = []
    try:
        monitor.start()
        for scenario in chosen:
            results.append(run_scenario(scenario, directory, claude, api, monitor))
        began = time.monotonic()
        results.append(report("stop", "SIGTERM ends server and database", stops(monitor), time.monotonic() - began))
    finally:
        monitor.end()
        api.close()
        if all(results) and results:
            shutil.rmtree(directory, ignore_errors=True)
        else:
            print(f"the server's log and the machines stay in {directory}")
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
