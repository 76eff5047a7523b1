"""A machine with Claude Code: it has a HOME of its own, a recorder of all hooks in its settings as the reference, and the real
client."""

import json
import os
import signal
import subprocess
from functools import cache
from pathlib import Path

import unknown

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
KEY = "sk-ant-not-a-key-of-anybody-0123456789"

# All events of the client except three. A WorktreeCreate hook replaces the client's own work, a PreModelSwitch hook can delay a
# switch, and MessageDisplay runs for each piece of text.
EVENTS = """
    PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion
    SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PostModelSwitch
    PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult
    ConfigChange WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded PreSkillShellCommand
""".split()


@cache
def events_of(claude):
    """EVENTS without those that this client does not know. It would ask about them in a dialog."""
    known = unknown.hook_events(Path(claude).read_bytes())
    return [event for event in EVENTS if event in known]


class Machine:
    def __init__(self, directory, name, claude, api):
        self.name, self.claude, self.api = name, claude, api
        self.home = directory / name
        self.project = self.home / "project"
        self.settings = self.home / ".claude" / "settings.json"
        self.record = self.home / "events.recorded"
        self.spool = self.home / ".local/state/claude-monitor/spool"
        self.project.mkdir(parents=True)
        self.settings.parent.mkdir()
        self.record.touch()
        self._clients = []
        hook = {"type": "command", "command": f"'{HERE / 'record-event'}' '{self.record}'", "timeout": 20}
        self.settings.write_text(json.dumps({
            "model": "claude-sonnet-5",
            "hooks": {event: [{"hooks": [hook]}] for event in events_of(claude)},
        }, indent=2) + "\n")

    @property
    def environment(self):
        return {
            "PATH": f"{Path(self.claude).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home),
            "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": self.api.url, "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }

    def script(self, name, *arguments):
        """Runs hooks/NAME as a user of this machine. Returns its output. Raises an error if it fails."""
        done = subprocess.run([REPOSITORY / "hooks" / name, *arguments], cwd=self.project, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{name} exits {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def start(self, prompt, *arguments, **environment):
        """Starts the client without a terminal. The caller must wait for it or kill it."""
        process = subprocess.Popen(
            [self.claude, "-p", prompt, "--output-format", "json", *arguments],
            cwd=self.project, env=self.environment | environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self._clients.append(process)
        return process

    def end_clients(self):
        """Ends the clients and the tools that they left running."""
        for process in self._clients:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()
        self._clients = []

    def run(self, prompt, *arguments, seconds=90, **environment):
        return self.finish(self.start(prompt, *arguments, **environment), seconds)

    @staticmethod
    def finish(process, seconds=90):
        """Waits for the client. Returns its result object."""
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise RuntimeError(f"the client did not end within {seconds} s") from None
        try:
            return json.loads(output)
        except ValueError:
            raise RuntimeError(f"the client says: {output[-500:]!r} {errors[-500:]!r}") from None

    def recorded(self):
        """What the reference recorded, in its order: (seconds, hook object)."""
        entries = []
        # The text after the last line feed is still being written.
        for line in self.record.read_bytes().decode(errors="replace").split("\n")[:-1]:
            seconds, _, text = line.partition(" ")
            entries.append((float(seconds), json.loads(text)))
        return entries

    def reported_events(self):
        """The names of the events for which the settings contain the monitor's hook."""
        hooks = json.loads(self.settings.read_text())["hooks"]
        return {event for event, groups in hooks.items() if "session-monitor.sh" in json.dumps(groups)}

    def unsent(self):
        """The names of the files that are waiting in the spool."""
        return sorted(os.listdir(self.spool)) if self.spool.is_dir() else []

    def flusher(self):
        """The pid of the flusher, if one runs."""
        try:
            pid = int((self.spool.parent / "flusher.lock").read_text().split()[0])
            os.kill(pid, 0)
        except (OSError, ValueError, IndexError):
            return None
        return pid
